-- what is added in refreshes is rounded: rows that have moved far are computed again
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
CREATE SCHEMA drift;
SET search_path = drift, public;
CREATE TABLE edge (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, j, i + j FROM generate_series(0, 9) i, generate_series(0, 9) j WHERE (i + j) % 3 = 0;
CREATE TABLE link (i int, j smallint, v int, PRIMARY KEY (i, j));
INSERT INTO link SELECT i, j, i FROM edge;
CREATE TABLE feature (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO feature SELECT j, tensor_full('{2}', j) FROM generate_series(0, 9) j;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', 'v', '{10,10}'), einsum_register('l[I,J]', 'link', '{i,j}', NULL, '{10,10}'),
	einsum_register('n[I,J]', 'link', '{i,j}', 'v', '{10,10}', replace => false), einsum_register('f[J,k]', 'feature', '{j}', 'v', '{10,2}');
SELECT einsum_log('a'), einsum_log('l'), einsum_log('f');
SELECT view FROM einsum_decompose($$
	y[I] = sum[j] a[i,j];
	diff[I] = 2*y[i] - (sum[j] l[i,j]);
	mean[I,k] = sum[j] a[i,j]*f[j,k];
	block[I:3,J:4] = a[i,j]*y[i];
	total[] = sum[i] y[i]
$$, 'p', materialize => 'incremental') ORDER BY 1;
-- integers that are small enough are exact, and their results have no such column
SELECT count(*) FROM einsum_decompose($$
	degree[I] = sum[j] l[i,j];
	weight[I] = sum[j] (3*n[i,j] - l[i,j]);
	paths[I] = sum[j] l[i,j]*degree[j];
	squares[I] = sum[j] n[i,j]*n[i,j]*n[i,j];
	moved[moved] = sum[j] a[moved,j]
$$, 'q', materialize => 'incremental');
SELECT attrelid::regclass, attname, attnum, atttypid::regtype FROM pg_attribute WHERE attrelid::regclass::text IN
	('y', 'diff', 'mean', 'block', 'total', 'degree', 'weight', 'paths', 'squares', 'moved') AND attname ~ 'moved|value' ORDER BY attrelid::regclass::text, attnum;
\i test/sql/include/differing.sql
CREATE FUNCTION differing() RETURNS TABLE (relation text) LANGUAGE sql AS $$ SELECT differing_in(ARRAY(SELECT tensor FROM einsum_tensors WHERE program = 'p' ORDER BY 1), 'drift.*', 'drift.*__query') $$;
SET sparseeinsum.enable_additions = force;

-- what came and went leaves right rows, in a row, in a new one, in vectors and blocks, and in what reads them
INSERT INTO edge VALUES (0, 1, 1e17), (7, 7, -1e17);
SELECT tensor, how, changes FROM einsum_refresh('p');
DELETE FROM edge WHERE abs(v) > 1e16;
SELECT i, value FROM y__now WHERE i IN (0, 7) ORDER BY i;
SELECT tensor, how, why FROM einsum_refresh('p');
SELECT * FROM differing();
INSERT INTO edge VALUES (3, 1, 1e308);
SELECT tensor, how FROM einsum_refresh('p');
DELETE FROM edge WHERE abs(v) > 1e16;
SELECT tensor, how FROM einsum_refresh('p');
SELECT * FROM differing();
-- two that cancel each other beside a third, in a row that is there and one that is not
DELETE FROM edge WHERE i = 5;
SELECT tensor, how FROM einsum_refresh('p');
INSERT INTO edge VALUES (5, 1, 1e17), (5, 2, 3), (5, 3, -1e17), (6, 1, 1e17), (6, 2, -1e17);
SELECT tensor, how FROM einsum_refresh('p');
DELETE FROM edge WHERE abs(v) > 1e16;
SELECT tensor, how FROM einsum_refresh('p');
SELECT * FROM differing();
-- rows that have moved too far beside one that has NaN, in several tables
INSERT INTO edge VALUES (0, 1, 1e17), (4, 1, 'NaN'), (7, 7, -1e17);
SELECT count(*) FROM einsum_refresh('p');
DELETE FROM edge WHERE v > 1e16 AND v <> 'NaN';
UPDATE edge SET v = v + 1 WHERE (i, j) = (4, 2);
SELECT tensor, how FROM einsum_refresh('p');
DELETE FROM edge WHERE v = 'NaN' OR v < -1e16;
SELECT tensor, how FROM einsum_refresh('p');
SELECT * FROM differing();
-- rows move by all that is added, in absolute value, and begin anew when they are computed
UPDATE edge SET v = v + 0.5 WHERE (i, j) = (5, 2);
UPDATE feature SET v = '[3,-7]' WHERE j = 2;
SELECT count(*) FROM einsum_refresh('p');
TABLE y ORDER BY i;
SELECT * FROM mean WHERE i IN (1, 5) ORDER BY i;
UPDATE edge SET v = v - 1 WHERE (i, j) = (5, 2);
SELECT count(*) FROM einsum_refresh('p');
SELECT * FROM y WHERE i = 5;
SET sparseeinsum.max_drift = 1;
UPDATE edge SET v = v - 2 WHERE (i, j) = (5, 2);
SELECT tensor, how, changes FROM einsum_refresh('p');
SELECT * FROM y WHERE i = 5;
RESET sparseeinsum.max_drift;
UPDATE edge SET v = v + 1 WHERE (i, j) = (5, 2);
SELECT count(*) FROM einsum_refresh('p');
SELECT * FROM y WHERE i = 5;
SET sparseeinsum.max_drift = 1;
INSERT INTO edge VALUES (5, 1, 2), (5, 3, -2);
SELECT count(*) FROM einsum_refresh('p');
SELECT * FROM y WHERE i = 5;
SELECT * FROM differing();
RESET sparseeinsum.max_drift;
-- rows written by hand count until all is computed; what reads them has not seen them
UPDATE y SET value = value + 5 WHERE i = 1;
DELETE FROM y WHERE i = 2;
INSERT INTO y VALUES (2, DEFAULT, 1);
SELECT DISTINCT how FROM einsum_refresh('p');
UPDATE edge SET v = v + 1 WHERE j = 1;
SELECT tensor, how FROM einsum_refresh('p');
SELECT y.i, y.value - q.value AS by_hand, diff.value - d.value AS told FROM y JOIN y__query q USING (i) JOIN diff USING (i) JOIN diff__query d USING (i)
	WHERE y.value <> q.value ORDER BY i;
SELECT DISTINCT how, why FROM einsum_refresh('p', whole => true);
SELECT * FROM differing();
-- a key of that name; a column that is dropped
INSERT INTO edge VALUES (0, 1, 1e17);
SELECT tensor, how FROM einsum_refresh('q');
DELETE FROM edge WHERE v > 1e16;
SELECT tensor, how FROM einsum_refresh('q');
SELECT * FROM moved WHERE moved = 0;
ALTER TABLE moved DROP COLUMN moved_ CASCADE;
UPDATE edge SET v = 5 WHERE (i, j) = (0, 0);
SELECT tensor, how FROM einsum_refresh('q');
UPDATE edge SET v = 6 WHERE (i, j) = (0, 0);
SELECT tensor, how, why FROM einsum_refresh('q');
SELECT * FROM moved WHERE moved = 0;
DROP SCHEMA drift CASCADE;
