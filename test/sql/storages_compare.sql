-- einsum_analyze compares the storages of a tensor: rows that one lacks are said, rounding is not
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA compare_test;
SET search_path = compare_test, public;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT x / 10, x % 10, (x * 7919) % 101 - 50 FROM generate_series(0, 99) x;
CREATE TABLE b (LIKE a INCLUDING ALL);
CREATE TABLE rows (i int PRIMARY KEY, v tensor);
-- copies that a change of either is made to, after which they are compared
CREATE FUNCTION compared(change text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE b;
	INSERT INTO b TABLE a;
	TRUNCATE rows;
	INSERT INTO rows SELECT i, stack(v, j, 0, 10) FROM a GROUP BY i;
	EXECUTE change;
	PERFORM einsum_analyze('a');
	RETURN change;
END $$;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', ARRAY[10,10]);
SELECT einsum_register('a[I,J]', 'b', '{i,j}', 'v', storage => 'further');
INSERT INTO rows SELECT i, stack(v, j, 0, 10) FROM a GROUP BY i;
SELECT einsum_register('a[I,j]', 'rows', '{i}', 'v', storage => 'further');
-- the same entries: no warning, also where 0 is stored, or left out, or nothing but rounding
SELECT compared('SELECT 1');
SELECT compared('DELETE FROM b WHERE v = 0; UPDATE a SET v = -0.0::float8 WHERE v = 0');
SELECT compared('UPDATE b SET v = (v / 3) * 3.0000000000000001');
SELECT compared('UPDATE b SET v = 1e-17 WHERE v = 0');
SELECT compared('UPDATE b SET v = -1e-17 WHERE v = 0');
-- a row that is missing, one more, one of another value, two that changed by as much, all by a little
SELECT compared('DELETE FROM b WHERE i = 3 AND j = 4');
SELECT compared('UPDATE rows SET v = tensor_zeros(''{10}'') WHERE i = 9');
SELECT compared('UPDATE b SET v = 1 WHERE v = 0');
SELECT compared('UPDATE b SET v = v + 0.001 WHERE i = 5 AND j = 5');
SELECT compared('UPDATE b SET v = v + CASE WHEN v = 50 THEN 1 ELSE -1 END WHERE v IN (50, 49)');
SELECT compared('UPDATE b SET v = v + CASE WHEN v = -50 THEN -1 ELSE 1 END WHERE v IN (-50, -49)');
SELECT compared('UPDATE b SET v = v * (1 + 1e-9)');
-- the train set beside all ratings
SELECT compared('DELETE FROM b WHERE (i + j) % 2 = 0');
SELECT compared('DELETE FROM b');
-- NaN and infinities are counted, not added up
SELECT compared('UPDATE a SET v = ''Infinity'' WHERE i = 0 AND j = 0; UPDATE b SET v = ''Infinity'' WHERE i = 0 AND j = 0; UPDATE rows SET v[0] = ''Infinity'' WHERE i = 0');
SELECT compared('UPDATE b SET v = ''NaN'' WHERE i = 0 AND j = 0');
UPDATE a SET v = 1 WHERE i = 0 AND j = 0;
-- a storage that cannot be read, and one of which not all rows are seen
SELECT compared('INSERT INTO b VALUES (10, 0, 1)');
CREATE ROLE compare_owner;
GRANT ALL ON SCHEMA compare_test TO compare_owner;
ALTER TABLE a OWNER TO compare_owner;
ALTER TABLE b OWNER TO compare_owner;
ALTER TABLE rows OWNER TO compare_owner;
SET ROLE compare_owner;
ALTER TABLE b ENABLE ROW LEVEL SECURITY;
ALTER TABLE b FORCE ROW LEVEL SECURITY;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze('a');
RESET ROLE;
-- fills; large and small numbers; single precision; complex numbers; sums of rows
CREATE TABLE f (i int PRIMARY KEY, v float8);
INSERT INTO f VALUES (0, 1), (1, 2), (2, 'Infinity');
CREATE TABLE f2 (i int PRIMARY KEY, v float8);
INSERT INTO f2 VALUES (0, 1), (1, 2), (3, 3);
SELECT einsum_register('f[I]', 'f', '{i}', 'v', '{4}', fill => 'Infinity'), einsum_register('f[I]', 'f2', '{i}', 'v', '{4}', fill => 'Infinity', storage => 'further');
SELECT count(*) FROM einsum_analyze('f');
DELETE FROM f2 WHERE i = 3;
SELECT count(*) FROM einsum_analyze('f');
SELECT einsum_register('n[I]', 'f', '{i}', 'v', '{4}', fill => 'NaN'), einsum_register('n[I]', 'f2', '{i}', 'v', '{4}', fill => 'NaN', storage => 'further');
SELECT count(*) FROM einsum_analyze('n');
CREATE TABLE huge (i int PRIMARY KEY, v float8);
INSERT INTO huge VALUES (0, 1.7e308), (1, 1.7e308), (2, 1e-320);
CREATE TABLE huge2 (LIKE huge INCLUDING ALL);
INSERT INTO huge2 VALUES (0, 1.7e308), (1, 1.7e308);
SELECT einsum_register('h[I]', 'huge', '{i}', 'v', '{4}'), einsum_register('h[I]', 'huge2', '{i}', 'v', '{4}', storage => 'further');
SELECT count(*) FROM einsum_analyze('h');
UPDATE huge2 SET v = 1.6e308 WHERE i = 0;
DELETE FROM huge2 WHERE i = 1;
SELECT count(*) FROM einsum_analyze('h');
CREATE TABLE single (i int PRIMARY KEY, v real);
INSERT INTO single SELECT x, sin(x) FROM generate_series(0, 99) x;
CREATE VIEW single_view AS SELECT i, (v * 3 / 3)::real AS v FROM single;
SELECT einsum_register('s[I]', 'single', '{i}', 'v', '{100}'), einsum_register('s[I]', 'single_view', '{i}', 'v', '{100}', duplicates => 'trust', storage => 'further');
SELECT count(*) FROM einsum_analyze('s');
CREATE OR REPLACE VIEW single_view AS SELECT i, (v * 1.0001)::real AS v FROM single;
SELECT count(*) FROM einsum_analyze('s');
CREATE TABLE c (i int PRIMARY KEY, v tensor);
INSERT INTO c VALUES (0, 'complex16:[1+1i,0]'), (1, 'complex16:[0,2i]');
CREATE TABLE c2 (v tensor);
INSERT INTO c2 VALUES ('complex16:[[1+1i,0],[0,2i]]');
SELECT einsum_register('c[I,j]', 'c', '{i}', 'v'), einsum_register('c[i,j]', 'c2', '{}', 'v', storage => 'further');
SELECT count(*) FROM einsum_analyze('c');
UPDATE c2 SET v = 'complex16:[[1+1i,0],[0,-2i]]';
SELECT count(*) FROM einsum_analyze('c');
CREATE TABLE parts (i int, v float8);
INSERT INTO parts VALUES (0, 1), (0, 2), (1, 5), (1, -5);
CREATE TABLE whole (i int PRIMARY KEY, v float8);
INSERT INTO whole VALUES (0, 3);
SELECT einsum_register('p[I]', 'parts', '{i}', 'v', '{2}', duplicates => 'sum'), einsum_register('p[I]', 'whole', '{i}', 'v', '{2}', storage => 'further');
SELECT count(*) FROM einsum_analyze('p');
UPDATE whole SET v = 4;
SELECT count(*) FROM einsum_analyze('p');
CREATE TABLE one (v float8);
CREATE TABLE one2 (v float8);
SELECT einsum_register('o[]', 'one', '{}', 'v'), einsum_register('o[]', 'one2', '{}', 'v', storage => 'further');
SELECT count(*) FROM einsum_analyze('o');
INSERT INTO one2 VALUES (2);
SELECT count(*) FROM einsum_analyze('o');

SET client_min_messages = warning;
DROP SCHEMA compare_test CASCADE;
DROP ROLE compare_owner;
