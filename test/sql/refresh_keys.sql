-- einsum_refresh computes results again at the keys at which they may differ
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
SET sparseeinsum.enable_additions = force;
CREATE SCHEMA at_keys;
SET search_path = at_keys, public;
CREATE TABLE edge (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, j, i + j FROM generate_series(0, 19) i, generate_series(0, 19) j WHERE (i * j) % 3 = 1;
CREATE TABLE weight (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO weight SELECT j, 1 + j FROM generate_series(0, 19) j;
CREATE TABLE feature (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO feature SELECT j, tensor_full('{4}', 1 + j % 3) FROM generate_series(0, 19) j;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', 'v', '{20,20}'), einsum_register('w[J]', 'weight', '{j}', 'v', '{20}'),
	einsum_register('f[J,k]', 'feature', '{j}', 'v', '{20,4}');
SELECT einsum_log('a'), einsum_log('w'), einsum_log('f');
CREATE FUNCTION refreshed() RETURNS TABLE (tensor text, how text, why text, changes bigint, written bigint) LANGUAGE sql AS
	$$ SELECT tensor, how, why, changes, written FROM einsum_refresh('p') $$;
\i test/sql/include/differing.sql
CREATE FUNCTION differing() RETURNS TABLE (relation text) LANGUAGE sql AS $$ SELECT differing_in(ARRAY(SELECT tensor FROM einsum_tensors WHERE program = 'p' ORDER BY 1), 'at_keys.*', 'at_keys.*__query') $$;
SELECT view, notation FROM einsum_decompose($$
	most[I] = max[j] a[i,j];
	least[J] = min[i] a[i,j]*w[j];
	y[I] = sum[j] a[i,j]*w[j];
	active[I] = relu(y[i] - 300);
	share[I,J] = a[i,j] / sum[j] a[i,j];
	best[I] = argmax[j] a[i,j]*w[j];
	hidden[I,k] = tanh(sum[j] a[i,j]*f[j,k]);
	reached[I] = any[j] a[i,j];
	shown[k,I] = tanh(sum[j] a[i,j]*f[j,k]);
	total[J] = sum[i] a[i,j]*active[i]
$$, 'p', materialize => 'incremental') ORDER BY 1;
SELECT * FROM refreshed();

-- one row
UPDATE edge SET v = 100 WHERE (i, j) = (2, 5);
SELECT * FROM refreshed();
SELECT * FROM differing();
SELECT tensor, how, why FROM refreshed();
-- what was largest goes; a row of the result goes with its last entry
DELETE FROM edge WHERE (i, j) = (2, 5);
DELETE FROM edge WHERE i = 5;
SELECT * FROM refreshed();
SELECT * FROM differing();
SELECT count(*) FROM best WHERE i = 5;
INSERT INTO edge VALUES (5, 5, -3), (0, 0, 2);
UPDATE weight SET v = -v WHERE j = 3;
UPDATE feature SET v = v * 2::float8 WHERE j IN (2, 4);
SELECT tensor, how, changes FROM refreshed();
SELECT * FROM differing();
-- an operand that was 0 and is no longer, and the reverse
UPDATE weight SET v = 0 WHERE j = 7;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
UPDATE weight SET v = 1e3 WHERE j = 7;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();

-- NaN and infinities are not added; what 0 times them is depends on the plan
UPDATE edge SET v = 'Infinity' WHERE (i, j) = (4, 7);
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing() WHERE relation <> 'total';
UPDATE weight SET v = 7 WHERE j = 7;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing() WHERE relation <> 'total';
UPDATE edge SET v = 'NaN' WHERE (i, j) = (4, 7);
SELECT tensor, how FROM refreshed();
SELECT * FROM differing() WHERE relation <> 'total';
UPDATE edge SET v = 1 WHERE (i, j) = (4, 7);
SELECT tensor, how FROM refreshed();
SELECT * FROM differing() WHERE relation <> 'total';

-- what has changed comes to nothing
UPDATE edge SET v = v + 1;
UPDATE edge SET v = v - 1;
SELECT tensor, how, why FROM refreshed();
-- a bad row is an error, and loses nothing
INSERT INTO edge VALUES (20, 0, 1);
SELECT count(*) FROM refreshed();
DELETE FROM edge WHERE i = 20;
UPDATE edge SET v = v + 1 WHERE i = 1;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();

-- blocks, text keys, and what concerns all rows
CREATE TABLE person (name text PRIMARY KEY);
INSERT INTO person SELECT 'p' || n FROM generate_series(1, 9) n;
CREATE TABLE likes (name text REFERENCES person, j int, v float8 NOT NULL, PRIMARY KEY (name, j));
INSERT INTO likes SELECT 'p' || n, n, n FROM generate_series(1, 9) n;
SELECT einsum_dimension('person', 'person', 'name'), einsum_register('l[P,J]', 'likes', '{name,j}', 'v', '{person,20}');
SELECT einsum_log('person'), einsum_log('l');
SELECT view, notation FROM einsum_decompose($$
	root[P] = sqrt(sum[j] l[p,j]*w[j]);
	blocks[I,j:5] = exp(a[i,j]) - 1;
	centred[J] = abs(w[j] - max[j] w[j]);
	largest[] = max[j] w[j]
$$, 'q', materialize => 'incremental') ORDER BY 1;
SELECT count(*) FROM einsum_refresh('q');
UPDATE likes SET v = 4 WHERE name = 'p3';
UPDATE edge SET v = 2 WHERE i = 3;
UPDATE weight SET v = 11 WHERE j = 3;
SELECT tensor, how, why FROM einsum_refresh('q');
(SELECT p, value FROM root EXCEPT ALL TABLE root__query) UNION ALL (TABLE root__query EXCEPT ALL SELECT p, value FROM root);
(SELECT i, j, value FROM blocks EXCEPT ALL TABLE blocks__query) UNION ALL (TABLE blocks__query EXCEPT ALL SELECT i, j, value FROM blocks);
(SELECT j, value FROM centred EXCEPT ALL TABLE centred__query) UNION ALL (TABLE centred__query EXCEPT ALL SELECT j, value FROM centred);

-- what the session keeps is forgotten when names, types or registrations change
ALTER TABLE edge RENAME COLUMN v TO value;
SELECT count(*) FROM refreshed();
UPDATE edge SET value = value + 1 WHERE i = 8;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
SELECT einsum_register('w[J]', 'weight', '{j}', NULL, '{20}', replace => true);
UPDATE weight SET v = 3 WHERE j = 8;
SELECT tensor, how, why FROM refreshed() WHERE tensor = 'y';
SELECT * FROM differing();
SELECT einsum_register('w[J]', 'weight', '{j}', 'v', '{20}', replace => true);
UPDATE weight SET v = 4 WHERE j = 8;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
-- of several storages one tells what has changed; a transaction that keeps its snapshot may add
CREATE TABLE weight_again (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO weight_again TABLE weight;
SELECT einsum_register('w[J]', 'weight_again', '{j}', 'v', '{20}', storage => 'further');
SELECT einsum_log('w');
SELECT count(*) FROM einsum_decompose('twice[J] = 2*w[j]; bounded[J] = least(w[j], 4)', 'r', materialize => 'incremental');
BEGIN ISOLATION LEVEL REPEATABLE READ;
UPDATE weight SET v = v + 1 WHERE j IN (1, 3);
UPDATE weight_again SET v = v + 1 WHERE j IN (1, 3);
SELECT tensor, how, changes FROM einsum_refresh('r');
SELECT count(*) FROM (SELECT j, 2 * v FROM weight EXCEPT SELECT j, value FROM twice) x;
COMMIT;
SELECT tensor, how FROM einsum_refresh('r');
UPDATE weight SET v = v - 1 WHERE j = 1;
UPDATE weight_again SET v = v - 1 WHERE j = 1;
SELECT tensor, how, changes FROM einsum_refresh('r');
SELECT count(*) FROM (SELECT j, least(v, 4) FROM weight EXCEPT SELECT j, value FROM bounded) x;
SELECT einsum_drop('r');

ALTER SCHEMA at_keys RENAME TO at_some_keys;
SET search_path = at_some_keys, public;
UPDATE weight SET v = 5 WHERE j = 8;
SELECT tensor, how FROM einsum_refresh('p');
UPDATE weight SET v = 6 WHERE j = 8;
SELECT tensor, how FROM einsum_refresh('p');
(SELECT j, value FROM least EXCEPT ALL TABLE least__query) UNION ALL (TABLE least__query EXCEPT ALL SELECT j, value FROM least);
DROP SCHEMA at_some_keys CASCADE;
