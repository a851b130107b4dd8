-- Symmetric tensors of which one half is stored: layout => 'symmetric', alone over rows or before another layout.
\set SHOW_CONTEXT never
SET search_path = public, sparseeinsum_internal;
CREATE TABLE edge (i int NOT NULL, j int NOT NULL, w float8 CHECK (w < 1000), PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, j, (i * 7 + j * 3) % 11 - 5 FROM generate_series(0, 19) i, generate_series(i, 19) j
WHERE (i * 13 + j * 7) % 4 = 0 AND (i * 7 + j * 3) % 11 <> 5;
CREATE VIEW whole AS SELECT i, j, w FROM edge UNION ALL SELECT j, i, w FROM edge WHERE i <> j;
SELECT einsum_register('b[I,J]', 'whole', keys => '{i,j}', value => 'w', bounds => '{20,20}', duplicates => 'trust');
-- something has to prove that no two rows are each other's mirror image
SELECT einsum_register('a[I,J]', 'edge', keys => '{i,j}', value => 'w', layout => 'symmetric');
ALTER TABLE edge ADD CONSTRAINT half CHECK (j >= i);
SELECT einsum_register('a[I,J]', 'edge', keys => '{i,j}', value => 'w', layout => 'symmetric');
SELECT tensor, keys, value, bounds, duplicates, status, layout FROM einsum_tensors WHERE tensor = 'a';
SELECT label FROM pg_seclabel WHERE objoid = 'edge'::regclass;
SELECT statistic, labels, given, count FROM einsum_analyze('a') WHERE statistic IN ('entries', 'values') ORDER BY 1, 2, 3;
SELECT statistic, labels, given, count FROM einsum_analyze('b') WHERE statistic IN ('entries', 'values') ORDER BY 1, 2, 3;
SELECT line FROM einsum_plan('y[i] = a[i,j]') AS line WHERE line LIKE '%layout%';

-- the same halves in arrays
CREATE TABLE packed (ptr int[], idx int[], v float8[], cptr int[], cidx int[], cv float8[], ci int[], cj int[], low float8[]);
INSERT INTO packed SELECT
	(SELECT array_agg((SELECT count(*) FROM edge e WHERE e.i < p) ORDER BY p) FROM generate_series(0, 20) p),
	array_agg(j ORDER BY i, j), array_agg(w ORDER BY i, j),
	(SELECT array_agg((SELECT count(*) FROM edge e WHERE e.j < p) ORDER BY p) FROM generate_series(0, 20) p),
	array_agg(i ORDER BY j, i), array_agg(w ORDER BY j, i), array_agg(j ORDER BY i, j), array_agg(i ORDER BY i, j),
	(SELECT array_agg(coalesce((SELECT w FROM edge e WHERE e.i = c AND e.j = r), 0) ORDER BY r, c) FROM generate_series(0, 19) r, generate_series(0, r) c)
FROM edge;
SELECT einsum_register('r[I,J]', 'packed', keys => '{}', layout => 'symmetric csr(ptr,idx,v)', bounds => '{20,20}');
SELECT einsum_register('c[I,J]', 'packed', keys => '{}', layout => 'symmetric csc(cptr,cidx,cv)', bounds => '{20,NULL}');
SELECT einsum_register('o[I,J]', 'packed', keys => '{}', layout => 'symmetric coo(ci,cj,v)', bounds => '{20,20}', duplicates => 'sum');
SELECT einsum_register('l[I,J]', 'packed', keys => '{}', layout => 'symmetric lower(low)');
CREATE TABLE node (id int PRIMARY KEY, neighbours bigint[], weights float8[]);
INSERT INTO node SELECT i, array_agg(j ORDER BY j), array_agg(w ORDER BY j) FROM edge GROUP BY i;
SELECT einsum_register('n[I,J]', 'node', keys => '{id}', layout => 'symmetric lists(neighbours,weights)', bounds => '{20,20}');
SELECT einsum_register('n[I,J]', 'node', keys => '{id}', layout => 'symmetric lists(neighbours,weights)', bounds => '{20,20}', duplicates => 'trust');
SELECT tensor, bounds, layout FROM einsum_tensors WHERE tensor IN ('r', 'c', 'o', 'l', 'n') ORDER BY 1;

CREATE FUNCTION check_symmetric(program text, columns text) RETURNS TABLE (tensor text, same boolean, rows bigint) LANGUAGE plpgsql AS $$
DECLARE
	expected text;
	got text;
BEGIN
	FOREACH tensor IN ARRAY '{a,r,c,o,l,n}'::text[] LOOP
		EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r) FROM einsum_rows(%L) AS r(%s) WHERE v <> 0', program, columns) INTO expected;
		EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r), count(*) FROM einsum_rows(%L) AS r(%s) WHERE v <> 0',
			regexp_replace(program, '\mb\[', tensor || '[', 'g'), columns) INTO got, rows;
		same := got = expected;
		RETURN NEXT;
	END LOOP;
END $$;
CREATE FUNCTION check_all() RETURNS TABLE (program text, result text) LANGUAGE sql AS $$
	SELECT p, string_agg(format('%s %s %s', tensor, same, rows), ', ' ORDER BY tensor DESC)
	FROM (VALUES ('y[i] = b[i,j]', 'i int, v float8'), ('y[j] = b[i,j]', 'i int, v float8'), ('y[i,k] = b[i,j] * b[j,k]', 'i int, k int, v float8'),
		('y[] = b[i,j] * b[j,k] * b[k,i]', 'v float8'), ('y[i] = max[j](b[i,j])', 'i int, v float8'), ('y[i] = b[i,i]', 'i int, v float8'),
		('y[j] = b[6,j]', 'j int, v float8'), ('y[] = sum[i,j] abs(b[i,j] - b[j,i])', 'v float8')) v(p, c),
		check_symmetric(p, c) GROUP BY p ORDER BY p COLLATE "C" $$;
SELECT * FROM check_all();
SET sparseeinsum.enable_aggregate_join = force;
SELECT * FROM check_all();
SET sparseeinsum.enable_aggregate_join = off;
SELECT * FROM check_all();
RESET sparseeinsum.enable_aggregate_join;
-- of two rows that are each other's image 'sum' adds up both, those on the diagonal once
CREATE TABLE twice (i int, j int, w int);
INSERT INTO twice VALUES (0, 1, 1), (1, 0, 10), (2, 2, 100), (2, 2, 1000), (0, 2, 7), (NULL, 1, 5);
SELECT einsum_register('t[I,J]', 'twice', keys => '{i,j}', value => 'w', layout => 'symmetric', duplicates => 'sum', bounds => '{3,3}', fill => 0);
SELECT * FROM einsum_rows('y[i,j] = t[i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
-- without values, with another fill, open keys of text, labels before the two
CREATE TABLE friends (year int, one text, other text CHECK (one < other), PRIMARY KEY (year, one, other));
INSERT INTO friends VALUES (2020, 'Ann', 'Bob'), (2021, 'Ann', 'Bob'), (2021, 'Bob', 'Eve');
SELECT einsum_register('f[Y,I,J]', 'friends', keys => '{year,one,other}', layout => 'symmetric', bounds => '{*,*,*}');
SELECT * FROM einsum_rows('y[i] = f[y,i,j]') AS r(i text, v float8) ORDER BY 1;
SELECT * FROM einsum_rows('y[y,i,k] = f[y,i,j] * f[y,j,k]') AS r(y int, i text, k text, v float8) ORDER BY 1, 2, 3;
SELECT einsum_register('e[I,J]', 'edge', keys => '{i,j}', value => 'w', layout => 'symmetric', bounds => '{20,20}', fill => 3);
SELECT einsum_value('y[] = sum[i,j] e[i,j]')::float8 = (SELECT sum(w) FROM whole) + 3 * (400 - (SELECT count(*) FROM whole)) AS filled;
-- a key that is unique in the rows is not so among their images
CREATE TABLE parent (child int PRIMARY KEY, parent int NOT NULL, CHECK (parent < child));
INSERT INTO parent VALUES (1, 0), (2, 0), (3, 1), (4, 1), (5, 1);
SELECT einsum_register('tree[I,J]', 'parent', keys => '{child,parent}', layout => 'symmetric', bounds => '{6,6}');
SELECT * FROM einsum_rows('y[i] = tree[i,j]') AS r(i int, v float8) ORDER BY 1;
SELECT * FROM einsum_rows('y[i,k] = tree[i,j] * tree[j,k]') AS r(i int, k int, v float8) WHERE i = 1 ORDER BY 2;
-- a view, from which no other rows are looked at
CREATE VIEW part AS SELECT i, (100 / (20 - j - 1))::int AS k, w FROM edge WHERE j < 19;
SELECT einsum_register('s[I,K]', 'part', keys => '{i,k}', value => 'w', layout => 'symmetric', bounds => '{200,200}', duplicates => 'sum');
SELECT count(*), sum(v), sum(v * (i + 1) * (j + 1)) FROM einsum_rows('y[i,j] = s[i,j]') AS r(i int, j int, v float8);
SELECT count(*), sum(v), sum(v * (i + 1) * (k + 1)) FROM (SELECT i, k, sum(w) AS v
	FROM (SELECT i, k, w FROM part UNION ALL SELECT k, i, w FROM part WHERE i <> k) m GROUP BY i, k HAVING sum(w) <> 0) s;

-- a program's view depends on the CHECK as it does on the key
SELECT einsum_decompose('degree[i] = a[i,j]', name => 'p');
SELECT sum(value) = (SELECT sum(w) FROM whole) AS same FROM degree;
ALTER TABLE edge DROP CONSTRAINT half;
SELECT sum(value) FROM degree;
SELECT tensor, status FROM einsum_tensors WHERE tensor = 'a';
SELECT * FROM einsum_rows('y[i] = a[i,j]') AS r(i int, v float8);
ALTER TABLE edge ADD CONSTRAINT half CHECK (i < j OR i = j);
SELECT tensor, status FROM einsum_tensors WHERE tensor = 'a';
ALTER TABLE edge ADD CONSTRAINT ordered CHECK (i <= j);
SELECT sum(value) = (SELECT sum(w) FROM whole) AS same FROM degree;
INSERT INTO edge VALUES (3, 21, 1);
SELECT sum(value) FROM degree;
DELETE FROM edge WHERE j = 21;
-- a stored result follows changes of the table
SELECT einsum_log('a');
SELECT einsum_decompose('total[i] = a[i,j]', name => 'q', materialize => 'always');
INSERT INTO edge VALUES (1, 2, 50);
UPDATE edge SET w = w + 70 WHERE i = 5;
SELECT tensor, how, changes FROM einsum_refresh('q');
SELECT t.i, t.value - coalesce(d.value, 0) AS difference FROM total t LEFT JOIN degree d USING (i) WHERE t.value IS DISTINCT FROM d.value;
SELECT sum(value) = (SELECT sum(w) FROM whole) AS same FROM total;

-- more entries than are read at a time, on the diagonal and off it
CREATE TABLE long_arrays AS SELECT (SELECT array_agg(least(2 * i, 2999) ORDER BY i) FROM generate_series(0, 1500) i) AS p,
	(SELECT array_agg(j ORDER BY i, j) FROM generate_series(0, 1499) i, generate_series(i, least(i + 1, 1499)) j) AS q;
SELECT einsum_register('long[I,J]', 'long_arrays', keys => '{}', layout => 'symmetric csr(p,q)', bounds => '{1500,1500}');
SELECT count(*), sum(v) FROM einsum_rows('y[i] = long[i,j]') AS r(i int, v float8);
SELECT count(*), sum(v) FROM einsum_rows('y[i,j] = 2*long[i,j]') AS r(i int, j int, v float8);
SELECT * FROM einsum_rows('y[j] = long[7,j]') AS r(j int, v float8) ORDER BY 1;
SET sparseeinsum.enable_aggregate_join = force;
SELECT count(*), sum(v) FROM einsum_rows('y[i] = long[i,j]') AS r(i int, v float8);
RESET sparseeinsum.enable_aggregate_join;
-- images of one first index are behind other entries
UPDATE long_arrays SET p = (SELECT array_agg(greatest(2 * i - 2, i) ORDER BY i) FROM generate_series(0, 1500) i),
	q = (SELECT array_agg(j ORDER BY i, j) FROM generate_series(0, 1499) i, unnest(CASE WHEN i < 2 THEN '{0}' ELSE ARRAY[0, i - 1] END) j);
SELECT count(*), sum(v * j) FROM einsum_rows('y[j] = long[0,j]') AS r(j int, v float8);
SELECT count(*), sum(v * j) FROM long_arrays l, LATERAL einsum_entries('symmetric csr', 0, l.p, l.q) AS e(i bigint, j bigint, v float8) WHERE e.i = 0;
-- arrays with entries on both sides of the diagonal
UPDATE packed SET idx[2] = 0, ptr = (SELECT array_agg(CASE p WHEN 0 THEN 0 WHEN 1 THEN 1 ELSE cardinality(idx) END ORDER BY p) FROM generate_series(0, 20) p), v = v;
UPDATE packed SET idx = '{1,0}', ptr = array_cat('{0,1,2}'::int[], array_fill(2, '{18}')), v = '{1,2}';
SELECT * FROM einsum_rows('y[i] = r[i,j]') AS r(i int, v float8);
SELECT * FROM einsum_entries('symmetric csr', 0, '{0,1,2}'::int[], '{1,0}'::int[]) AS e(i bigint, j bigint, v float8);
SELECT * FROM einsum_entries('symmetric csr', 0, '{0,2,3}'::int[], '{0,1,1}'::int[]) AS e(i bigint, j bigint, v float8);
SELECT * FROM einsum_entries('symmetric coo', 0, '{0,2,3}'::int[], '{3,2,1}'::int[], '{0,1,1}'::int[]) AS e(i bigint, j bigint, k bigint, v float8);
SELECT * FROM einsum_entries('symmetric lists', 0, '{0,2,3}'::int[]) AS e(i bigint, v float8);
SELECT * FROM einsum_entries('symmetric', 0, '{0,2,3}'::int[]) AS e(i bigint, v float8);
SELECT * FROM einsum_entries('symmetrical csr', 0, '{0,2,3}'::int[]) AS e(i bigint, v float8);

-- either half is an error where nothing proves any more that keys are unique
CREATE TABLE halves (i int, j int, w float8, PRIMARY KEY (i, j), CHECK (i < j));
CREATE INDEX ON halves (j);
INSERT INTO halves SELECT i, j, 1 FROM generate_series(0, 99) i, generate_series(i + 1, 99) j WHERE i <> 7 AND j <> 7;
INSERT INTO halves VALUES (3, 7, 5);
SELECT einsum_register('halves[I,J]', 'halves', keys => '{i,j}', value => 'w', layout => 'symmetric', bounds => '{100,100}');
SELECT count(*) FROM einsum_decompose('row_of_halves[j] = halves[7,j]', 'halves_program');
CREATE TABLE halves_child (CHECK (i < j)) INHERITS (halves);
CREATE INDEX ON halves_child (i);
CREATE INDEX ON halves_child (j);
INSERT INTO halves_child VALUES (3, 7, 100);
ANALYZE halves, halves_child;
SET enable_seqscan = off;
SELECT * FROM row_of_halves;
RESET enable_seqscan;
SELECT * FROM row_of_halves;
SELECT count(*) FROM einsum_drop('halves_program');
DROP TABLE halves CASCADE;

-- what cannot be registered
CREATE TABLE wrong (i int, j bigint, t text, c text COLLATE "C", v float8[], n int[], PRIMARY KEY (i, j));
SELECT einsum_register('w[I,J]', 'wrong', keys => '{i,j}', layout => 'symmetric', bounds => '{3,4}', duplicates => 'trust');
SELECT einsum_register('w[I,J]', 'wrong', keys => '{i,j}', layout => 'symmetric', bounds => '{*,4}', duplicates => 'trust');
SELECT einsum_register('w[I,J]', 'wrong', keys => '{i,j}', layout => 'symmetric', bounds => '{4,4}', duplicates => 'trust');
SELECT einsum_register('w[I,J]', 'wrong', keys => '{t,c}', layout => 'symmetric', bounds => '{*,*}', duplicates => 'trust');
SELECT einsum_register('w[I,J]', 'wrong', keys => '{t}', layout => 'symmetric lists(n)', bounds => '{*,*}', duplicates => 'trust');
SELECT einsum_register('w[I]', 'wrong', keys => '{i}', layout => 'symmetric', bounds => '{4}', duplicates => 'trust');
SELECT einsum_register('w[I]', 'wrong', keys => '{}', layout => 'symmetric lists(n)', bounds => '{4}', duplicates => 'trust');
SELECT einsum_register('w[I,j]', 'wrong', keys => '{i}', value => 'v', layout => 'symmetric', bounds => '{4,4}', duplicates => 'trust');
SELECT einsum_register('w[I,J]', 'wrong', keys => '{i}', layout => 'symmetric', bounds => '{4,4}', duplicates => 'trust');
SELECT einsum_register('w[I,J]', 'wrong', keys => '{i,j}', layout => 'symmetric(i)', bounds => '{4,4}', duplicates => 'trust');
SELECT * FROM einsum_iterate('own', NULL, 'a[i,j] = 2*a[i,j]', assign => '{a}', max_rounds => 1);
SELECT einsum_rebound('{"a": [30, 20]}');
SELECT einsum_rebound('{"a": [30, 30]}');
SELECT bounds FROM einsum_tensors WHERE tensor = 'a';
DROP TABLE edge, packed, node, twice, friends, parent, wrong, total, long_arrays CASCADE;
DROP FUNCTION check_all, check_symmetric;
