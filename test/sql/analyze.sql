-- Statistics of tensors: einsum_analyze, and what is known without it
\set SHOW_CONTEXT never
CREATE SCHEMA analyze_test;
SET search_path = analyze_test, public, sparseeinsum_internal;

-- four labels, duplicates, NULLs and stored zeros, against counting in SQL
CREATE TABLE e (i int, j int, k int, l int, v float8);
INSERT INTO e SELECT x * 7 % 5, x * x % 9, x * 3 % 4, x * x * x % 11, x % 3 FROM generate_series(1, 300) x;
INSERT INTO e VALUES (NULL, 1, 1, 1, 1), (1, 1, 1, 1, NULL), (0, 0, 0, 0, 1), (0, 0, 0, 0, 1);
SELECT einsum_register('e[I,J,K,L]', 'e', '{i,j,k,l}', 'v', '{5,9,4,11}', duplicates => 'trust');
SELECT count(*) FROM einsum_analyze('e');
CREATE FUNCTION pick(set int, i int, j int, k int, l int) RETURNS int[] LANGUAGE sql IMMUTABLE
	RETURN ARRAY[CASE WHEN set & 1 > 0 THEN i END, CASE WHEN set & 2 > 0 THEN j END,
		CASE WHEN set & 4 > 0 THEN k END, CASE WHEN set & 8 > 0 THEN l END];
CREATE FUNCTION label_names(set int) RETURNS text LANGUAGE sql IMMUTABLE
	RETURN (SELECT string_agg(n, ', ' ORDER BY b) FROM unnest('{i,j,k,l}'::text[]) WITH ORDINALITY u(n, b) WHERE set & (1 << (b - 1)::int) > 0);
CREATE TABLE counted AS
	SELECT x, y, (SELECT max(c) FROM (SELECT count(DISTINCT pick(x | y, i, j, k, l)) AS c FROM e
		WHERE v <> 0 AND i IS NOT NULL GROUP BY pick(y, i, j, k, l)) q) AS n
	FROM generate_series(1, 15) x, generate_series(0, 14) y WHERE x & y = 0;
-- 50 degrees, 6 + 4 sets of two and three labels, 4 labels, all of them
SELECT statistic, count(*), bool_and(c.n = s.count) AS equal
FROM einsum_analyze('e') s LEFT JOIN counted c ON label_names(x) = labels AND label_names(y) IS NOT DISTINCT FROM given
GROUP BY statistic ORDER BY statistic;
-- every order of labels gives the same
SELECT einsum_register('e2[I,J,K,L]', 'e', '{l,j,i,k}', 'v', '{*,9,5,*}', duplicates => 'trust');
SELECT count(*) FROM (SELECT statistic, count FROM einsum_analyze('e') EXCEPT ALL SELECT statistic, count FROM einsum_analyze('e2')) d;
-- what was measured is what the optimizer is told
SELECT count(*) FROM (SELECT * FROM einsum_analyze('e') EXCEPT ALL SELECT * FROM known_statistics('e')) d;

-- three, two, one and no labels
CREATE TABLE m (i int, j int, k int, v int, PRIMARY KEY (i, j, k));
INSERT INTO m VALUES (0, 0, 0, 1), (0, 0, 1, 1), (0, 1, 0, 0), (2, 1, 0, -1);
SELECT einsum_register('m[I,J,K]', 'm', '{i,j,k}', 'v');
SELECT * FROM einsum_analyze('m');
CREATE TABLE w (val tensor);
INSERT INTO w VALUES ('[[0,1,2],[0,0,0],[3,4,0]]');
SELECT einsum_register('w[i,j]', 'w', '{}', 'val');
SELECT * FROM einsum_analyze('w');
SELECT einsum_register('full[i,j]', 'w', '{}', 'val', fill => 7);
SELECT * FROM einsum_analyze('full');
CREATE TABLE s (i int PRIMARY KEY, v float8);
INSERT INTO s SELECT i, i % 3 FROM generate_series(0, 9) i;
SELECT einsum_register('s[I]', 's', '{i}', 'v'), einsum_register('s2[I]', 's', '{i}', 'v', '{20}', fill => 2),
	einsum_register('s3[I]', 's', '{i}');
SELECT * FROM einsum_analyze('s');
SELECT * FROM einsum_analyze('s2');
SELECT * FROM einsum_analyze('s3');
CREATE TABLE scalar (v float8);
SELECT einsum_register('scalar[]', 'scalar', '{}', 'v');
SELECT * FROM einsum_analyze('scalar');
INSERT INTO scalar VALUES (3);
SELECT * FROM einsum_analyze('scalar');

-- rank 5: entries and values only
CREATE TABLE five (a int PRIMARY KEY, t tensor);
INSERT INTO five VALUES (1, '[[[[1,0]],[[0,2]]],[[[0,0]],[[0,0]]],[[[0,0]],[[5,0]]]]'), (3, '[[[[0,0]],[[0,2]]],[[[0,0]],[[0,0]]],[[[0,0]],[[0,0]]]]');
SELECT einsum_register('five[A,b,c,d,e]', 'five', '{a}', 't');
SELECT * FROM einsum_analyze('five');
SELECT * FROM known_statistics('five');

-- tensor values of every element type, blocks, and vectors under a key
CREATE TABLE complexes (i int PRIMARY KEY, v tensor);
INSERT INTO complexes VALUES (0, 'complex16:[0+1i,0,2]'), (1, 'complex16:[0,0,0]');
SELECT einsum_register('c[I,j]', 'complexes', '{i}', 'v');
SELECT * FROM einsum_analyze('c');
CREATE TABLE singles (i int PRIMARY KEY, v tensor(float4));
INSERT INTO singles VALUES (0, '[0,0,2]'), (1, '[0,1,0]');
SELECT einsum_register('f4[I,j]', 'singles', '{i}', 'v');
SELECT * FROM einsum_analyze('f4');
CREATE TABLE blocked (ib int, jb int, v tensor, PRIMARY KEY (ib, jb));
INSERT INTO blocked VALUES (0, 0, '[[1,0,3],[0,5,6]]'), (2, 1, '[[7]]'), (1, 1, '[[0],[9]]');
SELECT einsum_register('bl[I:2,J:3]', 'blocked', '{ib,jb}', 'v');
SELECT * FROM einsum_analyze('bl');

-- keys of any type
CREATE TABLE rating (customer text, product bigint, stars numeric, PRIMARY KEY (customer, product));
INSERT INTO rating VALUES ('eve', -5, 1), ('eve', 9000000000000000000, 2), ('ann', -5, 3), ('bob', 7, 0);
SELECT einsum_register('r[U,P]', 'rating', '{customer,product}', 'stars', '{*,*}');
SELECT * FROM einsum_analyze('r');
INSERT INTO rating VALUES ('eve', -9000000000000000000, 1);
SELECT * FROM einsum_analyze('r');

-- more than the memory for sorting
CREATE TABLE many AS SELECT x % 300 AS i, x % 700 AS j, 1 AS v FROM generate_series(0, 99999) x;
SELECT einsum_register('many[I,J]', 'many', '{i,j}', 'v', duplicates => 'trust'),
	einsum_register('many2[I,J]', 'many', '{i,j}', 'v', '{9000000000000000000,9000000000000000000}', duplicates => 'trust');
SET maintenance_work_mem = '1MB';
SELECT * FROM einsum_analyze('many');
SELECT * FROM einsum_analyze('many2');
RESET maintenance_work_mem;

-- infinite and NaN entries
CREATE TABLE odd (i int PRIMARY KEY, v float8);
INSERT INTO odd VALUES (0, 'Infinity'), (1, 1);
SELECT einsum_register('odd[I]', 'odd', '{i}', 'v'), einsum_register('minplus[I]', 'odd', '{i}', 'v', fill => 'Infinity');
SELECT * FROM einsum_analyze('odd');
SELECT * FROM einsum_analyze('minplus');

-- several storages: measured once, known for each
CREATE TABLE m_rows (i int PRIMARY KEY, v tensor);
INSERT INTO m_rows VALUES (0, '[[1,1],[0,0]]'), (2, '[[0,0],[-1,0]]');
SELECT einsum_register('m[I,j,k]', 'm_rows', '{i}', 'v', storage => 'further');
SELECT count(*) FROM einsum_analyze('m');
SELECT relation, analyzed FROM einsum_tensors WHERE tensor = 'm';
SELECT einsum_unregister('m', 'm');
SELECT statistic, labels, count FROM known_statistics('m') WHERE given IS NULL;

SELECT einsum_analyze('nothing');
SELECT einsum_analyze('not a name');

-- without what was measured when it was registered: a table that was never analyzed, then one that was
CREATE TABLE fresh (i int, j int, v float8, PRIMARY KEY (i, j)) WITH (autovacuum_enabled = off);
INSERT INTO fresh SELECT x / 50, x % 50, 1 FROM generate_series(0, 4999) x;
SELECT einsum_register('fresh[I,J]', 'fresh', '{i,j}', 'v');
DELETE FROM einsum_statistics;
SELECT statistic, labels, given, CASE WHEN count > 1 THEN round(log(count)) ELSE count END AS magnitude FROM known_statistics('fresh');
ANALYZE fresh;
SELECT * FROM known_statistics('fresh');
-- nulls are absent; one key is unique by itself
CREATE TABLE halves (i int PRIMARY KEY, j int, v float8);
INSERT INTO halves SELECT x, x % 10, CASE WHEN x % 2 = 0 THEN x END FROM generate_series(0, 999) x;
ANALYZE halves;
SELECT einsum_register('halves[I,J]', 'halves', '{i,j}', 'v', '{1000,10}');
DELETE FROM einsum_statistics;
SELECT * FROM known_statistics('halves');
-- inside a value everything is assumed to be there
SELECT einsum_register('dense[I,k,l]', 'm_rows', '{i}', 'v', '{3,2,2}');
DELETE FROM einsum_statistics;
ANALYZE m_rows;
SELECT * FROM known_statistics('dense');
-- views: what the planner expects
CREATE VIEW shown AS SELECT i, j, sum(v) AS v FROM fresh WHERE i < 10 GROUP BY i, j;
SELECT einsum_register('shown[I,J]', 'shown', '{i,j}', 'v', '{100,50}', duplicates => 'trust');
SELECT statistic, labels, count BETWEEN 2 AND 5000 AS plausible FROM known_statistics('shown');
SELECT statistic, labels, count FROM einsum_analyze('shown') WHERE given IS NULL;
-- partitions and inheritance
CREATE TABLE parted (i int, j int, v float8, PRIMARY KEY (i, j)) PARTITION BY RANGE (i);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES FROM (0) TO (50);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (50) TO (100);
INSERT INTO parted TABLE fresh;
ANALYZE parted;
SELECT einsum_register('parted[I,J]', 'parted', '{i,j}', 'v');
DELETE FROM einsum_statistics;
SELECT statistic, labels, count FROM known_statistics('parted') WHERE given IS NULL;
SELECT statistic, labels, count FROM einsum_analyze('parted') WHERE given IS NULL;

-- values with an entry everywhere: the rows alone are counted. All follows from them as if each entry were a row,
-- in which labels with one bound may meet
CREATE TABLE dense_rows (i int, j int, t tensor, PRIMARY KEY (i, j));
INSERT INTO dense_rows SELECT x % 6, x * x % 4, tensor_random('{4,6}', x) + 1 FROM generate_series(0, 5) x;
INSERT INTO dense_rows VALUES (5, 3, tensor_full('{4,6}', 2)), (NULLIF(4, 3), 2, tensor_full('{4,6}', 2)) ON CONFLICT DO NOTHING;
CREATE VIEW dense_entries AS SELECT i, j, index[1] AS k, index[2] AS l, value FROM dense_rows, tensor_entries(t);
CREATE VIEW dense_slices AS SELECT i, k, tensor_full('{6}', 1) AS t FROM dense_rows, generate_series(0, 3) k GROUP BY i, k;
CREATE VIEW dense_pairs AS SELECT DISTINCT i, k, l FROM dense_entries;
CREATE TABLE dense_value AS SELECT tensor_full('{3,3,5}', 1) AS t;
CREATE VIEW dense_elements AS SELECT index[1] AS i, index[2] AS j, index[3] AS k FROM dense_value, tensor_entries(t) WHERE value <> 0;
SELECT einsum_register('rows[I,J,k,l]', 'dense_rows', '{i,j}', 't', '{6,4,4,6}'),
	einsum_register('entries[I,J,K,L]', 'dense_entries', '{i,j,k,l}', 'value', '{6,4,4,6}', duplicates => 'trust'),
	einsum_register('slices[I,K,l]', 'dense_slices', '{i,k}', 't', '{*,4,6}', duplicates => 'trust'),
	einsum_register('pairs[I,K,L]', 'dense_pairs', '{i,k,l}', NULL, '{*,4,6}', duplicates => 'trust'),
	einsum_register('val[i,j,k]', 'dense_value', '{}', 't'),
	einsum_register('elements[I,J,K]', 'dense_elements', '{i,j,k}', NULL, '{3,3,5}', duplicates => 'trust');
CREATE FUNCTION differences(a text, b text) RETURNS TABLE (counted bigint, different bigint) LANGUAGE sql AS $$
	SELECT (SELECT count(*) FROM einsum_analyze(a)) + (SELECT count(*) FROM einsum_analyze(b)) * 0,
		(SELECT count(*) FROM ((SELECT * FROM known_statistics(a) EXCEPT ALL SELECT * FROM known_statistics(b)) UNION ALL
			(SELECT * FROM known_statistics(b) EXCEPT ALL SELECT * FROM known_statistics(a))) d) +
		(SELECT count(*) FROM ((SELECT * FROM known_moments(a) EXCEPT ALL SELECT * FROM known_moments(b)) UNION ALL
			(SELECT * FROM known_moments(b) EXCEPT ALL SELECT * FROM known_moments(a))) d) $$;
SELECT * FROM differences('rows', 'entries');
SELECT * FROM differences('slices', 'pairs');
SELECT * FROM differences('val', 'elements');
-- until one has a gap, in the last row that is read
UPDATE dense_rows SET t = tensor_full('{4,6}', 0) WHERE i = 5;
UPDATE dense_value SET t = tensor_full('{3,3,5}', 0);
UPDATE dense_value SET t[1][2][3] = 1;
SELECT * FROM differences('rows', 'entries');
SELECT * FROM differences('val', 'elements');
DELETE FROM dense_rows;
SELECT * FROM differences('rows', 'entries');

-- where it is stands in pg_stat_progress_analyze: what it reads looks there
CREATE FUNCTION look() RETURNS float8 VOLATILE LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '%', (SELECT (current_child_table_relid::regclass, child_tables_done, child_tables_total, phase) FROM pg_stat_progress_analyze WHERE pid = pg_backend_pid());
	RETURN 1;
END $$;
CREATE VIEW looking AS SELECT 0 AS i, look() AS v;
SET client_min_messages = warning;
SELECT einsum_register('looks[I]', 'looking', keys => '{i}', value => 'v', bounds => '{10}', duplicates => 'trust');
RESET client_min_messages;
SELECT * FROM einsum_analyze('looks');
SELECT count(*) FROM pg_stat_progress_analyze;

SET client_min_messages = warning;
DROP SCHEMA analyze_test CASCADE;
