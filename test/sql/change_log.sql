-- einsum_log: what statements change is in the logs of tables.
SET client_min_messages = warning;
CREATE SCHEMA change_log;
SET search_path = change_log, public;
CREATE TABLE edge (src int, dst int, weight float8, note text, PRIMARY KEY (src, dst));
INSERT INTO edge SELECT i, j, i + j FROM generate_series(0, 4) i, generate_series(0, 4) j WHERE i <> j;
SELECT einsum_register('a[I,J]', 'edge', '{src,dst}', 'weight', '{8,8}');
SELECT einsum_log('a');
SELECT log, log_rows >= 0 AS rows, log_bytes >= 0 AS bytes FROM einsum_tensors WHERE tensor = 'a';
\d edge__log

-- the log says what the table has that it had not: kept is the table as it was, and the net of the log is added
CREATE TABLE kept AS SELECT src, dst, weight FROM edge;
CREATE FUNCTION difference() RETURNS TABLE(src int, dst int, weight float8, count bigint) LANGUAGE sql AS $$
	SELECT src, dst, weight, sum(sign) FROM (
		SELECT src, dst, weight, 1 AS sign FROM kept UNION ALL SELECT src, dst, weight, sign FROM edge__log
		UNION ALL SELECT src, dst, weight, -1 FROM edge) x
	GROUP BY src, dst, weight HAVING sum(sign) <> 0 $$;
CREATE FUNCTION signs() RETURNS TABLE(sign int2, count bigint) LANGUAGE sql AS 'SELECT sign, count(*) FROM edge__log GROUP BY sign ORDER BY sign';
INSERT INTO edge VALUES (5, 5, 1), (5, 6, NULL);
UPDATE edge SET weight = weight + 1 WHERE src < 2;
DELETE FROM edge WHERE src = 3;
INSERT INTO edge VALUES (5, 5, 7), (6, 6, 8) ON CONFLICT (src, dst) DO UPDATE SET weight = excluded.weight;
WITH gone AS (DELETE FROM edge WHERE src = 4 AND dst < 2 RETURNING *) INSERT INTO edge SELECT src + 3, dst, weight FROM gone;
COPY edge (src, dst, weight) FROM stdin;
7	6	0.5
7	5	0.25
\.
-- a statement that changes no row writes none
DELETE FROM edge WHERE src = 100;
SELECT * FROM signs();
SELECT * FROM difference();
-- rolled back with what it tells of; a subtransaction's rows have the transaction's number
BEGIN;
INSERT INTO edge VALUES (0, 0, 1);
SAVEPOINT s;
DELETE FROM edge;
ROLLBACK TO s;
SAVEPOINT t;
INSERT INTO edge VALUES (1, 1, 1);
RELEASE t;
SELECT count(*), count(DISTINCT statement), bool_and(xid = pg_current_xact_id()) FROM edge__log WHERE (src, dst) IN ((0, 0), (1, 1));
COMMIT;
SELECT * FROM difference();
-- many rows, more than are written at once
INSERT INTO edge SELECT i, 7, i FROM generate_series(8, 4007) i;
SELECT * FROM difference();
-- values out of line are the log's own
CREATE TABLE wide (i int PRIMARY KEY, v tensor NOT NULL);
ALTER TABLE wide ALTER v SET STORAGE EXTERNAL;
SELECT einsum_register('w[I,k]', 'wide', '{i}', 'v', '{9,1000}');
SELECT einsum_log('w');
INSERT INTO wide SELECT i, (SELECT array_agg(random()) FROM generate_series(1, 1000 + 0 * i))::tensor FROM generate_series(0, 5) i;
BEGIN;
CREATE TABLE wide_kept AS TABLE wide;
DELETE FROM wide;
COMMIT;
VACUUM wide;
SELECT count(*), bool_and(l.v = k.v), sum(sign) FROM wide__log l JOIN wide_kept k USING (i);
-- TRUNCATE
TRUNCATE edge;
SELECT sign, src, dst, weight FROM edge__log WHERE sign = 0;

-- who may write the table needs no right to its log; no one else has one
CREATE ROLE change_log_writer;
GRANT USAGE ON SCHEMA change_log TO change_log_writer;
GRANT INSERT, SELECT ON edge TO change_log_writer;
SELECT relacl IS NULL OR relacl::text NOT LIKE '%change_log_writer%' FROM pg_class WHERE oid = 'edge__log'::regclass;
SET ROLE change_log_writer;
INSERT INTO edge VALUES (2, 2, 2);
SELECT count(*) FROM edge__log;
SELECT einsum_log('a');
SELECT einsum_log('a', false);
RESET ROLE;
SELECT src, dst, weight, sign FROM edge__log WHERE (src, dst) = (2, 2);

-- another column that a registration reads is added, and all may have changed
DELETE FROM edge__log;
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', '{8,8}');
SELECT * FROM signs();
ALTER TABLE edge ADD more float8;
SELECT einsum_register('c[I,J]', 'edge', '{src,dst}', 'more', '{8,8}');
INSERT INTO edge VALUES (3, 3, 3, NULL, 4);
SELECT src, dst, weight, more, sign FROM edge__log;
-- a column that the table lacks, or has with another type: all, and no error
DELETE FROM edge__log;
ALTER TABLE edge ALTER more TYPE float4;
INSERT INTO edge VALUES (4, 4, 4, NULL, 5);
SELECT src, more, sign FROM edge__log;
SELECT einsum_log('a');
DELETE FROM edge__log;
INSERT INTO edge VALUES (4, 5, 4, NULL, 5);
SELECT src, more, sign FROM edge__log;
DELETE FROM edge__log;
ALTER TABLE edge DROP COLUMN more;
INSERT INTO edge VALUES (4, 6, 4);
SELECT src, more, sign FROM edge__log;
SELECT einsum_log('a');
SELECT einsum_unregister('c');
ALTER TABLE edge__log DROP COLUMN more;
-- what cannot be written as a log is left alone
DELETE FROM edge__log;
CREATE INDEX edge__log_src ON edge__log (src);
INSERT INTO edge VALUES (5, 1, 1);
SELECT count(*) FROM edge__log;
SELECT log FROM einsum_tensors WHERE tensor = 'a';
DROP INDEX edge__log_src;
ALTER TABLE edge__log RENAME TO elsewhere;
INSERT INTO edge VALUES (5, 2, 1);
ALTER TABLE elsewhere RENAME TO edge__log;
SELECT einsum_log('a');
SELECT * FROM signs();
-- a large log beside a small table: all, within a statement, too
TRUNCATE edge__log;
TRUNCATE edge;
UPDATE edge SET weight = 1;
INSERT INTO edge SELECT i, 0, 0 FROM generate_series(1, 400000) i;
SELECT count(*) FROM edge__log WHERE sign = 0;
SELECT pg_table_size('edge__log') < 0.8 * pg_table_size('edge');
-- where changes are replicated, each row is logged once
TRUNCATE edge__log;
SET session_replication_role = replica;
INSERT INTO edge VALUES (1, 1, 1);
UPDATE edge SET weight = 3 WHERE (src, dst) = (1, 1);
DELETE FROM edge WHERE (src, dst) = (1, 1);
SELECT src, dst, weight, sign FROM edge__log;
TRUNCATE edge;
RESET session_replication_role;
SELECT * FROM signs();

-- partitions and children: written directly or through the parent, into one log
CREATE TABLE part (i int NOT NULL, v float8 NOT NULL, PRIMARY KEY (i)) PARTITION BY RANGE (i);
CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE part_high (v float8 NOT NULL, gone int, i int NOT NULL);
ALTER TABLE part_high DROP gone;
ALTER TABLE part ATTACH PARTITION part_high FOR VALUES FROM (10) TO (20);
SELECT einsum_register('p[I]', 'part', '{i}', 'v', '{20}');
SELECT einsum_log('p');
INSERT INTO part VALUES (1, 1), (11, 2);
INSERT INTO part_high (i, v) VALUES (12, 3);
UPDATE part SET i = 13 WHERE i = 1;
DELETE FROM part_low;
SET session_replication_role = replica;
INSERT INTO part_high (i, v) VALUES (14, 4);
INSERT INTO part VALUES (2, 5);
RESET session_replication_role;
TRUNCATE part_low;
SELECT i, v, sign FROM part__log;
SELECT einsum_register('high[I]', 'part_high', '{i}', 'v', '{20}', duplicates => 'trust');
SELECT einsum_log('high');
CREATE TABLE parent (i int, v float8);
CREATE TABLE child () INHERITS (parent);
SELECT einsum_register('q[I]', 'parent', '{i}', 'v', '{20}', duplicates => 'trust');
SELECT einsum_log('q');
INSERT INTO child VALUES (1, 1);
UPDATE parent SET v = 2;
SELECT i, v, sign FROM parent__log;

-- refused
CREATE VIEW seen AS SELECT * FROM parent;
SELECT einsum_register('seen[I]', 'seen', '{i}', 'v', '{20}', duplicates => 'trust');
SELECT einsum_log('seen');
CREATE UNLOGGED TABLE light (i int PRIMARY KEY, v float8);
SELECT einsum_register('light[I]', 'light', '{i}', 'v', '{20}');
SELECT einsum_log('light');
CREATE TABLE words (i int PRIMARY KEY, sign float8);
SELECT einsum_register('words[I]', 'words', '{i}', 'sign', '{20}');
SELECT einsum_log('words');
CREATE TABLE taken (i int PRIMARY KEY, v float8);
CREATE TABLE taken__log (i int);
SELECT einsum_register('taken[I]', 'taken', '{i}', 'v', '{20}');
SELECT einsum_log('taken');
CREATE TABLE a_table_of_which_the_name_is_so_long_that_its_log_has_none_ (i int PRIMARY KEY);
SELECT einsum_register('long[I]', 'a_table_of_which_the_name_is_so_long_that_its_log_has_none_', '{i}', NULL, '{20}');
SELECT einsum_log('long');
SELECT einsum_register('log[I]', 'edge__log', '{src}', 'weight', '{8}', duplicates => 'sum');
SELECT einsum_log('log');
SELECT einsum_unregister('log');
SELECT einsum_log('nothing');
SELECT einsum_log(NULL);
CREATE TEMPORARY TABLE short (i int PRIMARY KEY, v float8);
SELECT einsum_register('short[I]', 'short', '{i}', 'v', '{20}');
SELECT einsum_log('short');
DROP TABLE short;

-- the end of logs
SELECT einsum_log('p', false);
SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'sparseeinsum%' AND tgrelid IN ('part'::regclass, 'part_low'::regclass, 'part_high'::regclass);
SELECT to_regclass('part__log');
INSERT INTO part VALUES (3, 3);
DROP TABLE edge;
SELECT to_regclass('edge__log');
DROP SCHEMA change_log CASCADE;
DROP ROLE change_log_writer;
