-- einsum_refresh adds to tables of materialize => 'incremental' what follows from changes of what they read
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
CREATE SCHEMA added;
SET search_path = added, public;
CREATE TABLE edge (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, j, i + j FROM generate_series(0, 9) i, generate_series(0, 9) j WHERE (i + j) % 3 = 0;
CREATE TABLE weight (j int PRIMARY KEY, v int NOT NULL);
INSERT INTO weight SELECT j, 1 + j FROM generate_series(0, 9) j;
CREATE TABLE feature (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO feature SELECT j, tensor_full('{2}', j) FROM generate_series(0, 9) j;
CREATE TABLE visit (i int NOT NULL, v float8 NOT NULL);
INSERT INTO visit SELECT i % 10, 1 FROM generate_series(0, 19) i;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', 'v', '{10,10}'), einsum_register('w[J]', 'weight', '{j}', 'v', '{10}'),
	einsum_register('f[J,k]', 'feature', '{j}', 'v', '{10,2}'), einsum_register('n[I]', 'visit', '{i}', 'v', '{10}', duplicates => 'sum');
SELECT einsum_log('a'), einsum_log('w'), einsum_log('f'), einsum_log('n');
CREATE FUNCTION refreshed() RETURNS TABLE (tensor text, how text, why text, changes bigint) LANGUAGE sql AS
	$$ SELECT tensor, how, why, changes FROM einsum_refresh('p') $$;
-- tables that differ from their queries
\i test/sql/include/differing.sql
CREATE FUNCTION differing() RETURNS TABLE (relation text) LANGUAGE sql AS $$ SELECT differing_in(ARRAY(SELECT tensor FROM einsum_tensors WHERE program = 'p' ORDER BY 1), 'added.*', 'added.*__query') $$;
SELECT view, notation FROM einsum_decompose($$
	y[I] = sum[j] a[i,j]*w[j];
	pair[J,K] = sum[i] a[i,j]*a[i,k];
	mean[I,k] = sum[j] a[i,j]*f[j,k];
	e[I] = relu(y[i] - 60);
	twice[I] = 2*e[i] - n[i];
	total[] = sum[i] y[i]*n[i]
$$, 'p', materialize => 'incremental') ORDER BY 1;
-- the label has the statement, and what it read
SELECT l.label::json->'tensors'->0->>'statement' AS statement FROM pg_seclabels l WHERE l.label LIKE '%"statement"%' ORDER BY 1;
SELECT * FROM refreshed();

-- one row; all that follows is added, or computed where that is not possible
UPDATE edge SET v = v + 1 WHERE (i, j) = (1, 2);
SELECT * FROM refreshed();
SELECT * FROM differing();
SELECT * FROM refreshed();
UPDATE weight SET v = v * 2 WHERE j < 2;
UPDATE edge SET v = v - 1 WHERE i = 4;
DELETE FROM edge WHERE i = 2;
INSERT INTO edge VALUES (2, 2, 5), (3, 4, -1);
UPDATE feature SET v = v + 1::float8 WHERE j = 3;
INSERT INTO visit VALUES (3, 4), (3, 4);
SELECT * FROM refreshed();
SELECT * FROM differing();

-- what came and went comes to nothing, whatever it was
INSERT INTO edge VALUES (8, 8, 'NaN');
UPDATE edge SET v = 'Infinity' WHERE (i, j) = (8, 8);
DELETE FROM edge WHERE (i, j) = (8, 8);
INSERT INTO visit VALUES (77, 1);
DELETE FROM visit WHERE i = 77;
UPDATE weight SET v = -v;
UPDATE weight SET v = -v;
SELECT * FROM refreshed();
SELECT * FROM differing();
-- rows that differ in their values alone do not cancel
DELETE FROM edge WHERE (i, j) = (0, 3);
INSERT INTO edge VALUES (0, 3, 30);
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
-- NULL is no entry
UPDATE edge SET v = NULL WHERE (i, j) = (0, 3);
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
UPDATE edge SET v = 3 WHERE (i, j) = (0, 3);
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();

-- rows that are gone from what is computed are taken from what reads it
BEGIN;
DELETE FROM edge WHERE i = 7;
SELECT * FROM refreshed();
SELECT * FROM differing();
ROLLBACK;

-- NaN and infinities are not added; what 0 times them is depends on the plan, for pairs
UPDATE edge SET v = 'Infinity' WHERE (i, j) = (5, 1);
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing() WHERE relation <> 'pair';
UPDATE weight SET v = v + 1 WHERE j = 1;
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing() WHERE relation <> 'pair';
UPDATE edge SET v = 1 WHERE (i, j) = (5, 1);
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing() WHERE relation <> 'pair';
UPDATE weight SET v = v + 1 WHERE j = 1;
SELECT tensor, how FROM refreshed();

-- a bad row is an error, and loses nothing
INSERT INTO visit VALUES (10, 1);
SELECT count(*) FROM refreshed();
DELETE FROM visit WHERE i = 10;
UPDATE weight SET v = v + 1 WHERE j = 3;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();

-- transactions and savepoints
BEGIN;
UPDATE edge SET v = v + 1 WHERE (i, j) = (1, 2);
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
SAVEPOINT s;
UPDATE weight SET v = v + 1 WHERE j = 2;
SELECT tensor, how FROM refreshed();
ROLLBACK TO s;
SELECT * FROM differing();
UPDATE weight SET v = v + 3 WHERE j = 2;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
COMMIT;
SELECT tensor, how FROM refreshed();

-- what the log does not tell: all is computed
INSERT INTO weight__log (xid, statement, sign) VALUES (pg_current_xact_id(), 0, 0);
SELECT tensor, how, why FROM refreshed();
TRUNCATE weight;
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing();
INSERT INTO weight SELECT j, 1 FROM generate_series(0, 9) j;
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing();
ALTER TABLE edge DISABLE TRIGGER USER;
UPDATE edge SET v = v + 1 WHERE i = 1;
ALTER TABLE edge ENABLE TRIGGER USER;
SELECT einsum_log('a');
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
SELECT tensor, how, why FROM einsum_refresh('p', whole => true);

-- a statement that has not ended may have changed what the log does not have yet
CREATE FUNCTION refresh_within() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM count(*) FROM einsum_refresh('p');
	RETURN NULL;
END $$;
CREATE TRIGGER "a first trigger" AFTER UPDATE ON edge FOR EACH STATEMENT EXECUTE FUNCTION refresh_within();
UPDATE edge SET v = v + 1 WHERE i = 1;
SELECT * FROM differing();
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
DROP TRIGGER "a first trigger" ON edge;
CREATE CONSTRAINT TRIGGER at_commit AFTER UPDATE ON edge DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refresh_within();
UPDATE edge SET v = v + 1 WHERE (i, j) = (1, 2);
SELECT * FROM differing();
DROP TRIGGER at_commit ON edge;
WITH changed AS (UPDATE edge SET v = v + 1 WHERE i = 4 RETURNING v) SELECT count(*) FROM changed, refreshed();
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();

-- a tensor that is registered anew means something else in the statement than in the query
SELECT count(*) FROM refreshed();
ALTER TABLE weight ADD COLUMN other int DEFAULT 5;
SELECT count(*) FROM refreshed();
SELECT einsum_register('w[J]', 'weight', '{j}', 'other', '{10}', replace => true);
SELECT count(*) FROM refreshed();
UPDATE weight SET v = 9 WHERE j = 5;
SELECT tensor, how, why FROM refreshed() WHERE tensor = 'y';
SELECT * FROM differing();
SELECT einsum_register('w[J]', 'weight', '{j}', 'v', '{10}', replace => true);
SELECT count(*) FROM refreshed();
UPDATE weight SET v = 7 WHERE j = 5;
SELECT tensor, how FROM refreshed() WHERE tensor = 'y';
SELECT * FROM differing();

-- a trigger may write other rows than those that follow
CREATE FUNCTION doubled() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.value = 2 * NEW.value;
	RETURN NEW;
END $$;
CREATE TRIGGER doubled BEFORE INSERT OR UPDATE ON e FOR EACH ROW EXECUTE FUNCTION doubled();
SELECT count(*) FROM refreshed();
UPDATE edge SET v = v + 500 WHERE i = 5;
SELECT tensor, how, why FROM refreshed() WHERE tensor IN ('y', 'e', 'twice');
SELECT * FROM differing();
DROP TRIGGER doubled ON e;

-- nor is added what a refresh within the refresh has written
CREATE TRIGGER nested AFTER UPDATE ON y FOR EACH ROW EXECUTE FUNCTION refresh_within();
SELECT count(*) FROM refreshed();
UPDATE edge SET v = v + 1 WHERE (i, j) = (5, 4);
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing();
DROP TRIGGER nested ON y;

-- small values beside a fill of 1
CREATE TABLE share (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO share VALUES (0, 1e-20), (1, 0.5);
SELECT einsum_register('s[I]', 'share', '{i}', 'v', '{10}', fill => 1);
SELECT einsum_log('s');
SELECT count(*) FROM einsum_decompose('half[I] = s[i]/2', 'small', materialize => 'incremental');
UPDATE share SET v = 3e-20 WHERE i = 0;
SELECT tensor, how, changes FROM einsum_refresh('small');
TABLE half ORDER BY i;
SELECT einsum_drop('small');

-- the statement reads what the query reads, whatever has its name now
CREATE SCHEMA one;
CREATE SCHEMA two;
CREATE TABLE one.factor (i int PRIMARY KEY, v float8 NOT NULL);
CREATE TABLE two.factor (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO one.factor SELECT i, 1 FROM generate_series(0, 9) i;
INSERT INTO two.factor SELECT i, 100 FROM generate_series(0, 9) i;
SELECT einsum_register('q[I]', 'one.factor', '{i}', 'v', '{10}'), einsum_register('q[I]', 'two.factor', '{i}', 'v', '{10}');
SELECT einsum_log('one.q'), einsum_log('two.q');
SELECT count(*) FROM einsum_decompose('scaled[I] = s[i]*one.q[i]', 'scaling', materialize => 'incremental');
ALTER SCHEMA one RENAME TO three;
ALTER SCHEMA two RENAME TO one;
UPDATE share SET v = v + 1 WHERE i = 1;
SELECT tensor, how, why FROM einsum_refresh('scaling');
SELECT i, value FROM scaled EXCEPT TABLE scaled__query;
SELECT einsum_drop('scaling');
DROP SCHEMA one, three CASCADE;

-- keys of a dimension that come and go
CREATE TABLE person (name text PRIMARY KEY);
INSERT INTO person VALUES ('ada'), ('ben');
CREATE TABLE knows (one text REFERENCES person, other text REFERENCES person, v float8 NOT NULL, PRIMARY KEY (one, other));
INSERT INTO knows VALUES ('ada', 'ben', 1);
SELECT einsum_dimension('person', 'person', 'name');
SELECT einsum_register('k[O,P]', 'knows', '{one,other}', 'v', '{person,person}');
SELECT einsum_log('person'), einsum_log('k');
SELECT view FROM einsum_decompose('deg[O] = sum[p] k[o,p]; more[O] = sum[p] (k[o,p] + 1)', 'd', materialize => 'incremental') ORDER BY 1;
INSERT INTO knows VALUES ('ben', 'ada', 2);
SELECT tensor, how, why FROM einsum_refresh('d');
INSERT INTO person VALUES ('eve');
SELECT tensor, how, why FROM einsum_refresh('d');
INSERT INTO knows VALUES ('eve', 'ada', 2);
SELECT tensor, how, why FROM einsum_refresh('d');
TABLE deg ORDER BY 1;
TABLE more ORDER BY 1;
DELETE FROM knows WHERE one = 'eve';
DELETE FROM person WHERE name = 'eve';
SELECT tensor, how, why FROM einsum_refresh('d');
TABLE more ORDER BY 1;
SELECT einsum_drop('d');

-- replaced, as the same and as another program; always computed again if it is not 'incremental'
SELECT count(*) FROM einsum_decompose('y[I] = sum[j] 2*a[i,j]*w[j]', 'p', materialize => 'incremental', replace => true);
UPDATE weight SET v = v + 1 WHERE j = 3;
SELECT * FROM refreshed();
SELECT * FROM differing();
SELECT count(*) FROM einsum_decompose('y[I] = sum[j] 2*a[i,j]*w[j]', 'p', materialize => 'always', replace => true);
UPDATE weight SET v = v + 1 WHERE j = 3;
SELECT * FROM refreshed();
SELECT count(*) FROM einsum_decompose('y[I] = sum[j] 2*a[i,j]*w[j]', 'p', materialize => 'incremental', replace => true, security_invoker => true);
SELECT count(*) FROM einsum_plan('y[I] = sum[j] 2*a[i,j]*w[j]', materialize => 'incremental');

-- whichever costs less, if adding takes some time
CREATE TABLE big (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO big SELECT n % 100, n / 100, 1 FROM generate_series(0, 19999) n;
SELECT einsum_register('b[I,J]', 'big', '{i,j}', 'v', '{100,200}');
SELECT einsum_log('b');
SELECT count(*) FROM einsum_decompose('twice[I,J] = 2*b[i,j]', 'big', materialize => 'incremental');
UPDATE big SET v = v + 1 WHERE i = 3;
SELECT tensor, how, why, changes FROM einsum_refresh('big');
UPDATE big SET v = v + 1;
SELECT tensor, how, why FROM einsum_refresh('big');
SET sparseeinsum.enable_additions = force;
UPDATE big SET v = v + 1;
SELECT tensor, how, changes FROM einsum_refresh('big');
SET sparseeinsum.enable_additions = off;
UPDATE big SET v = v + 1 WHERE i = 3;
SELECT tensor, how, why, changes FROM einsum_refresh('big');
RESET sparseeinsum.enable_additions;
SELECT count(*) FROM twice t JOIN big USING (i, j) WHERE t.value <> 2 * big.v;
-- rows that become the fill go
DELETE FROM big WHERE i = 5;
SELECT tensor, how, changes FROM einsum_refresh('big');
SELECT count(*), count(*) FILTER (WHERE i = 5) FROM twice;
-- integers: rows that become the fill go; and a trigger writes rows that are to be written, which are not where they were found
CREATE TABLE amount (i int PRIMARY KEY, v int NOT NULL);
INSERT INTO amount SELECT i, i + 1 FROM generate_series(0, 99) i;
SELECT einsum_register('units[I]', 'amount', '{i}', 'v', '{100}'), einsum_log('units');
SELECT count(*) FROM einsum_decompose('thrice[I] = 3*units[i]', 'thrice', materialize => 'incremental');
DELETE FROM amount WHERE i = 5;
SELECT tensor, how, changes FROM einsum_refresh('thrice');
SELECT count(*), count(*) FILTER (WHERE t.value IS DISTINCT FROM 3 * n.v) FROM thrice t FULL JOIN amount n USING (i);
CREATE FUNCTION write_all() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE thrice SET value = value;
	RETURN NULL;
END $$;
CREATE TRIGGER write_all AFTER DELETE ON thrice FOR EACH STATEMENT EXECUTE FUNCTION write_all();
SELECT how FROM einsum_refresh('thrice');
DELETE FROM amount WHERE i = 6;
UPDATE amount SET v = v + 1 WHERE i IN (7, 8);
SELECT tensor, how, changes FROM einsum_refresh('thrice');
SELECT count(*), count(*) FILTER (WHERE t.value IS DISTINCT FROM 3 * n.v) FROM thrice t FULL JOIN amount n USING (i);
DROP SCHEMA added CASCADE;
