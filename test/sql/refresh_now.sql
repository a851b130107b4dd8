-- t__now, beside a result t of materialize => 'incremental': its rows with what is pending in the logs
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
CREATE SCHEMA now;
SET search_path = now, public;
CREATE TABLE edge (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, j, i + j FROM generate_series(0, 8) i, generate_series(0, 9) j WHERE (i + j) % 3 = 0;
CREATE TABLE weight (j int PRIMARY KEY, v int NOT NULL);
INSERT INTO weight SELECT j, 1 + j FROM generate_series(0, 9) j;
CREATE TABLE feature (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO feature SELECT j, tensor_full('{2}', j) FROM generate_series(0, 9) j;
CREATE TABLE visit (i int NOT NULL, v float8 NOT NULL);
INSERT INTO visit SELECT i % 10, 1 FROM generate_series(0, 19) i;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', 'v', '{1000,1000}'), einsum_register('w[J]', 'weight', '{j}', 'v', '{1000}'),
	einsum_register('f[J,k]', 'feature', '{j}', 'v', '{1000,2}'), einsum_register('n[I]', 'visit', '{i}', 'v', '{1000}', duplicates => 'sum');
SET client_min_messages = notice;
-- without logs there are none, of which the notice about logs tells
SELECT count(*) FROM einsum_decompose('y[I] = sum[j] a[i,j]*w[j]', 'p', materialize => 'incremental');
SELECT to_regclass('y__now');
SELECT einsum_log('a'), einsum_log('w'), einsum_log('f'), einsum_log('n');
\set program 'y[I] = sum[j] a[i,j]*w[j]; pair[J,K] = sum[i] a[i,j]*a[i,k]; mean[I,k] = sum[j] a[i,j]*f[j,k]; e[I] = relu(y[i] - 60); twice[I] = 2*e[i] - n[i]; total[] = sum[i] y[i]*n[i]; more[I] = 1 + y[i]'
SELECT view FROM einsum_decompose(:'program', 'p', materialize => 'incremental', replace => true) ORDER BY 1;
SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'now'::regnamespace AND c.relname LIKE '%\_\_now' ORDER BY 1;
-- the same program as views, to compare with; rows of zeros are as good as absent
SELECT count(*) FROM einsum_decompose(replace(regexp_replace(:'program', '\m(y|pair|mean|e|twice|total|more)\[', 'live_\1[', 'g'), '; ', E';\n'), 'live');
\i test/sql/include/differing.sql
CREATE FUNCTION differing() RETURNS TABLE (relation text) LANGUAGE sql AS $$ SELECT differing_in('{e,mean,more,pair,total,twice,y}', '*__now', 'live_*') $$;
-- do the views add, or compute?
CREATE FUNCTION adds() RETURNS boolean LANGUAGE sql AS $$
	SELECT sparseeinsum_internal.einsum_is_followed(ARRAY['y']::regclass[], ARRAY['edge', 'weight']::regclass[], ARRAY['edge__log', 'weight__log']::regclass[]) $$;
SELECT adds(), differing();
SELECT adds();

UPDATE edge SET v = v + 1 WHERE (i, j) = (1, 2);
SELECT adds(), y.value, now.value FROM y JOIN y__now AS now USING (i) WHERE i = 1;
SELECT * FROM differing();
UPDATE weight SET v = v * 2 WHERE j < 2;
UPDATE edge SET v = v - 1 WHERE i = 4;
DELETE FROM edge WHERE i = 2;
INSERT INTO edge VALUES (2, 2, 5), (3, 4, -1);
UPDATE feature SET v = v + 1::float8 WHERE j = 3;
INSERT INTO visit VALUES (3, 4), (3, 4);
SELECT adds();
SELECT * FROM differing();
-- a row of a result that changes at keys is gone, and taken from what reads it
DELETE FROM edge WHERE i = 8;
SELECT count(*) FROM e__now WHERE i = 8;
-- a row of more has become its fill, 1
SELECT * FROM differing() WHERE relation <> 'more';
INSERT INTO edge SELECT 8, j, 8 + j FROM generate_series(1, 7, 3) j;
-- conditions on keys reach the table's index and the index of what is joined
CREATE FUNCTION scans(query text) RETURNS TABLE (scan text) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	SET LOCAL enable_seqscan = off;
	SET LOCAL enable_bitmapscan = off;
	FOR line IN EXECUTE 'EXPLAIN (COSTS off, ANALYZE, TIMING off, SUMMARY off) ' || query LOOP
		scan := substring(line from '(Index (?:Only )?Scan using (?:pair|edge)_pkey) .*rows=[\d.]+ loops=[1-9]');
		CONTINUE WHEN scan IS NULL;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT scan, count(*) > 0 FROM scans('SELECT * FROM pair__now WHERE j = 3 AND k = 4') GROUP BY 1 ORDER BY 1;

-- NaN and infinities that are pending: their rows read the live query
INSERT INTO edge VALUES (5, 5, 'NaN'), (6, 5, 'Infinity');
SELECT adds();
SELECT * FROM differing();
SELECT i, value FROM y__now WHERE i IN (5, 6) ORDER BY 1;
SELECT count(*) FROM einsum_refresh('p');
DELETE FROM edge WHERE j = 5 AND i IN (5, 6);
SELECT adds();
SELECT * FROM differing();
SELECT i, value = (SELECT value FROM live_y AS l WHERE l.i = y.i) FROM y__now AS y WHERE i IN (5, 6) ORDER BY 1;

-- what cannot be added is computed: all rows, a trigger that was off, no position, a rewritten result, another log
SELECT count(*) FROM einsum_refresh('p');
SELECT adds();
BEGIN;
TRUNCATE weight;
SELECT adds();
SELECT * FROM differing();
ROLLBACK;
BEGIN;
ALTER TABLE edge DISABLE TRIGGER USER;
UPDATE edge SET v = v + 1;
ALTER TABLE edge ENABLE TRIGGER USER;
SELECT adds();
SELECT * FROM differing();
ROLLBACK;
BEGIN;
TRUNCATE y;
SELECT adds();
SELECT * FROM differing();
ROLLBACK;
BEGIN;
ALTER TABLE edge RENAME TO away;
CREATE TABLE away__log AS SELECT * FROM edge__log WHERE false;
UPDATE away SET v = v + 1;
SELECT sparseeinsum_internal.einsum_is_followed(ARRAY['y']::regclass[], ARRAY['away', 'weight']::regclass[], ARRAY['edge__log', 'weight__log']::regclass[]);
SELECT * FROM differing();
ROLLBACK;
BEGIN;
ALTER TABLE y ENABLE ROW LEVEL SECURITY;
SELECT count(*) FROM einsum_refresh('p');
SELECT adds();
SELECT * FROM differing();
ROLLBACK;
SELECT adds();

-- a log keeps rows for a result that has not seen them; they are not added again to the others
SELECT count(*) FROM einsum_decompose('late[I] = sum[j] a[i,j]', 'late', materialize => 'incremental');
UPDATE edge SET v = v + 1 WHERE i = 3;
SELECT count(*) FROM einsum_refresh('p');
SELECT adds(), count(*) > 0 FROM edge__log;
SELECT * FROM differing();
UPDATE edge SET v = v + 1 WHERE i = 6;
SELECT adds();
SELECT * FROM differing();
SELECT einsum_drop('late');
SELECT count(*) FROM einsum_refresh('p');

-- a transaction reads what it has written itself; so does a function within a statement that writes
BEGIN;
UPDATE edge SET v = v + 1 WHERE i = 7;
SELECT adds();
SELECT * FROM differing();
SAVEPOINT s;
DELETE FROM edge WHERE i = 6;
SELECT * FROM differing();
ROLLBACK TO s;
SELECT * FROM differing();
ROLLBACK;
SELECT adds();
CREATE FUNCTION sum_now() RETURNS float8 LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN (SELECT sum(value) FROM y__now); END $$;
CREATE FUNCTION sum_live() RETURNS float8 LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN (SELECT sum(value) FROM live_y); END $$;
CREATE TABLE seen (now float8, live float8);
CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO seen VALUES (sum_now(), sum_live()); RETURN NULL; END $$;
CREATE TRIGGER a_see AFTER UPDATE ON edge FOR EACH ROW EXECUTE FUNCTION see();
UPDATE edge SET v = v + 1 WHERE i < 3;
DROP TRIGGER a_see ON edge;
INSERT INTO edge SELECT 9, j, sum_now() - sum_live() FROM generate_series(1, 2) j;
SELECT count(*) > 0, bool_and(now = live) FROM seen;
SELECT v FROM edge WHERE i = 9 AND j < 3 ORDER BY j;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM differing();
UPDATE edge SET v = v + 1 WHERE i = 7;
SELECT * FROM differing();
COMMIT;
SELECT adds();
SELECT * FROM differing();
BEGIN;
SELECT count(*) FROM einsum_refresh('p');
SELECT * FROM differing();
UPDATE weight SET v = v + 1 WHERE j = 3;
SELECT * FROM differing();
COMMIT;
SELECT adds();
SELECT * FROM differing();

-- another log than the views read, which a refresh knows
SELECT count(*) FROM einsum_refresh('p');
ALTER TABLE edge__log RENAME TO earlier__log;
SELECT einsum_log('a');
SELECT count(*) FROM einsum_refresh('p');
UPDATE edge SET v = v + 1 WHERE i = 3;
SELECT sparseeinsum_internal.einsum_is_followed(ARRAY['y']::regclass[], ARRAY['edge', 'weight']::regclass[], ARRAY['edge__log', 'weight__log']::regclass[]);
SELECT sparseeinsum_internal.einsum_is_followed(ARRAY['y']::regclass[], ARRAY['edge', 'weight']::regclass[], ARRAY['earlier__log', 'weight__log']::regclass[]);
SELECT y.value = now.value, now.value = live.value FROM y JOIN y__now AS now USING (i) JOIN live_y AS live USING (i) WHERE i = 3;
DROP TABLE edge__log;
ALTER TABLE earlier__log RENAME TO edge__log;

-- names: a view of the user's is left alone, and one of ours goes when it is not made any more
CREATE VIEW thrice__now AS SELECT 1 AS one;
SELECT count(*) FROM einsum_decompose('thrice[I] = 2*n[i]', 'q', materialize => 'incremental', replace => true);
DROP VIEW thrice__now;
SELECT einsum_drop('q');
CREATE VIEW of_now AS SELECT * FROM total__now;
SELECT einsum_log('n', false);
DROP VIEW of_now;
SELECT einsum_log('n', false);
SELECT to_regclass('total__now'), to_regclass('y__now') IS NOT NULL;
DROP VIEW live_total;
SELECT count(*) FROM einsum_decompose('y[I] = sum[j] a[i,j]*w[j]', 'p', materialize => 'always', replace => true);
SELECT to_regclass('y__now');
SELECT count(*) FROM einsum_decompose('y[I] = sum[j] a[i,j]*w[j]', 'p', materialize => 'incremental', replace => true);
SELECT to_regclass('y__now');
DROP TABLE y;
SELECT to_regclass('y__now');

-- of several storages the log of the one that the query reads tells what is pending, and that of another says nothing
CREATE TABLE weight_again (j int PRIMARY KEY, v int NOT NULL);
INSERT INTO weight_again TABLE weight;
SELECT einsum_register('w[J]', 'weight_again', '{j}', 'v', '{1000}', storage => 'further');
SELECT einsum_log('w');
SELECT count(*) FROM einsum_decompose('doubled[J] = 2*w[j]; next[J] = w[j+1] + doubled[j]', 'several', materialize => 'incremental');
UPDATE weight SET v = v + 1 WHERE j IN (3, 4);
UPDATE weight_again SET v = v + 1 WHERE j IN (3, 4);
SELECT count(*) FROM unnest('{weight,weight_again}'::text[]) t WHERE sparseeinsum_internal.einsum_is_followed(ARRAY['doubled']::regclass[], ARRAY[t]::regclass[], ARRAY[t || '__log']::regclass[]);
SELECT count(*) FROM (SELECT j, 2 * v FROM weight EXCEPT TABLE doubled__now) x;
SELECT count(*) FROM (SELECT w.j - 1, w.v + 2 * coalesce(l.v, 0) FROM weight w LEFT JOIN weight l ON l.j = w.j - 1 WHERE w.j > 0 EXCEPT TABLE next__now) x;
SELECT tensor, how, changes FROM einsum_refresh('several');
SELECT count(*) FROM (SELECT j, 2 * v FROM weight EXCEPT TABLE doubled) x;
SELECT einsum_drop('several');
-- keys of dimensions that come, and fills that depend on their number
CREATE TABLE member (name text PRIMARY KEY);
INSERT INTO member VALUES ('ann'), ('bob');
CREATE TABLE score (name text REFERENCES member PRIMARY KEY, v float8 NOT NULL);
INSERT INTO score VALUES ('ann', 2);
SELECT einsum_dimension('member', 'member', 'name');
SELECT einsum_register('s[M]', 'score', '{name}', 'v', '{member}');
SELECT einsum_log('s'), einsum_log('member');
SELECT count(*) FROM einsum_decompose('raised[M] = s[m] + 1; sums[] = sum[m] (s[m] + 1)', 'd', materialize => 'incremental');
INSERT INTO score VALUES ('bob', 5);
SELECT * FROM raised__now ORDER BY 1;
SELECT * FROM sums__now;
INSERT INTO member VALUES ('cid');
SELECT * FROM raised__now ORDER BY 1;
SELECT * FROM sums__now;
SELECT count(*) FROM einsum_refresh('d');
UPDATE score SET v = v + 1;
SELECT * FROM sums__now;
-- a dimension that is a tensor, too: its log tells the entries of keys, not that keys come and go
CREATE TABLE team (name text PRIMARY KEY, v float8 NOT NULL);
INSERT INTO team VALUES ('red', 1), ('blue', 2);
SELECT einsum_dimension('team', 'team', 'name'), einsum_register('g[T]', 'team', '{name}', 'v', '{team}'), einsum_log('g');
SELECT count(*) FROM einsum_decompose('size[T] = g[t] + 1', 'e', materialize => 'incremental');
INSERT INTO team VALUES ('grey', 3);
SELECT * FROM size__now ORDER BY 1;
DELETE FROM team WHERE name = 'blue';
SELECT * FROM size__now ORDER BY 1;
-- above four results that change at keys there is no view
SELECT count(*) FROM einsum_decompose('c1[J] = relu(w[j] - 1); c2[J] = relu(c1[j] - 1); c3[J] = relu(c2[j] - 1); c4[J] = relu(c3[j] - 1); c5[J] = relu(c4[j] - 1)', 'chain',
	materialize => 'incremental');
UPDATE weight SET v = v + 1 WHERE j > 4;
UPDATE weight_again SET v = v + 1 WHERE j > 4;
SELECT count(*) FROM (SELECT j, greatest(v - 4, 0) FROM weight EXCEPT TABLE c4__now) x;
SELECT einsum_drop('chain');
-- who may read a result may read what it is now, also after it was granted later; no other role may
CREATE ROLE now_first;
CREATE ROLE now_later;
CREATE ROLE now_never;
GRANT USAGE ON SCHEMA now TO now_first, now_later, now_never;
CREATE FUNCTION readers() RETURNS TABLE (role text, reads boolean, grants boolean) LANGUAGE sql AS $$
	SELECT r, has_table_privilege(r, 'size__now', 'SELECT'), has_table_privilege(r, 'size__now', 'SELECT WITH GRANT OPTION') FROM unnest('{now_first,now_later,now_never}'::text[]) r $$;
GRANT SELECT ON size TO now_first WITH GRANT OPTION;
GRANT INSERT ON size TO now_never;
SELECT count(*) FROM einsum_decompose('size[T] = g[t] + 1', 'e', materialize => 'incremental', replace => true);
SELECT * FROM readers();
GRANT SELECT ON size TO now_later;
SELECT count(*) FROM einsum_refresh('e');
SELECT * FROM readers();
SET ROLE now_later;
SELECT * FROM size__now ORDER BY 1;
SELECT * FROM team;
RESET ROLE;
-- policies of the result do not bind who reads the view as its owner does
ALTER TABLE size ENABLE ROW LEVEL SECURITY;
CREATE POLICY red ON size USING (t = 'red');
GRANT SELECT ON size TO now_never;
SELECT count(*) FROM einsum_refresh('e');
SELECT * FROM readers();
SET client_min_messages = warning;
DROP SCHEMA now CASCADE;
DROP ROLE now_first, now_later, now_never;
