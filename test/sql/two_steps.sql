-- Two steps through a matrix: to how many pairs of indices they lead, counted, and joins estimated by that
\set SHOW_CONTEXT never
CREATE SCHEMA two_steps_test;
SET search_path = two_steps_test, public, sparseeinsum_internal;

-- clusters of ten, one of its indices in all of them, duplicates and stored zeros
CREATE TABLE e (i int, j int, v float8);
INSERT INTO e SELECT x, x / 10 * 10 + y, 1 + x % 3 FROM generate_series(0, 199) x, generate_series(0, 9) y WHERE (x + y * y) % 3 > 0;
INSERT INTO e SELECT 7, x, 1 FROM generate_series(0, 199, 2) x WHERE x > 9;
INSERT INTO e VALUES (0, 150, 0), (11, 10, 5), (NULL, 1, 1), (1, 1, NULL);
SELECT einsum_register('a[I,J]', 'e', '{i,j}', 'v', '{200,200}', duplicates => 'trust');
CREATE VIEW entry AS SELECT DISTINCT i, j FROM e WHERE v <> 0 AND i IS NOT NULL;
CREATE VIEW counted AS SELECT * FROM
	(SELECT 'i' AS labels, 'i' AS given, count(DISTINCT (a.j, b.j)) AS pairs FROM entry a JOIN entry b USING (i) UNION ALL
	SELECT 'j', 'j', count(DISTINCT (a.i, b.i)) FROM entry a JOIN entry b USING (j) UNION ALL
	SELECT 'i', 'j', count(DISTINCT (a.j, b.i)) FROM entry a JOIN entry b ON a.i = b.j UNION ALL
	SELECT 'j', 'i', count(DISTINCT (a.i, b.j)) FROM entry a JOIN entry b ON a.j = b.i) c;
SELECT labels, given, m.square AS walks, m.pairs, m.pairs = c.pairs AS equal FROM known_moments('a') m JOIN counted c USING (labels, given)
WHERE m.statistic = 'meetings' ORDER BY labels, given;
-- whatever the order of labels, whether they have bounds, in blocks, and numbered
SELECT einsum_register('turned[J,I]', 'e', '{j,i}', 'v', '{200,200}', duplicates => 'trust'),
	einsum_register('open[I,J]', 'e', '{i,j}', 'v', '{*,*}', duplicates => 'trust');
SELECT einsum_store('blocks[I:16,J:32]', 'SELECT i, j, sum(v) FROM e GROUP BY i, j HAVING sum(v) > 0', '{200,200}');
CREATE TABLE named AS SELECT 'i' || i AS i, 'j' || j AS j FROM entry;
SELECT einsum_register('named[I,J]', 'named', '{i,j}', bounds => '{*,*}', duplicates => 'trust');
SELECT t, count(*) FROM unnest('{turned,open,blocks,named}'::text[]) t, einsum_analyze(t) GROUP BY t ORDER BY t;
SELECT t, bool_and(m.pairs = c.pairs) AS equal, count(m.pairs) FROM unnest('{turned,open,blocks,named}'::text[]) t, known_moments(t) m
JOIN counted c ON c.labels = m.labels AND c.given = m.given GROUP BY t ORDER BY t;
-- none, of rows that are vectors, and of other ranks
CREATE TABLE nothing (i int, j int, v float8);
SELECT einsum_register('nothing[I,J]', 'nothing', '{i,j}', 'v', '{9,9}', duplicates => 'trust');
SELECT einsum_store('rows[I,j]', 'SELECT i, j, 1 FROM generate_series(0, 5) i, generate_series(0, 3) j', '{6,4}');
SELECT einsum_store('cube[I,J,K]', 'SELECT i, j, k, 1 FROM generate_series(0, 2) i, generate_series(0, 3) j, generate_series(0, 1) k', '{3,4,2}');
SELECT t, count(*) FROM unnest('{nothing,rows,cube}'::text[]) t, einsum_analyze(t) GROUP BY t ORDER BY t;
SELECT t, labels, given, square, pairs FROM unnest('{nothing,rows}'::text[]) t, known_moments(t) WHERE statistic = 'meetings' ORDER BY t, labels, given;
SELECT count(pairs) FROM known_moments('cube');

-- of many walks those of a sample are followed, the same ones in whatever order rows are, and the rest in proportion
CREATE TABLE large WITH (autovacuum_enabled = off) AS SELECT DISTINCT x AS i, (x / 50 * 50 + (y * (1 + x % 3)) % 60) % 6000 AS j FROM generate_series(0, 5999) x, generate_series(0, 11) y;
INSERT INTO large SELECT x, 0 FROM generate_series(60, 5900, 2) x;
CREATE TABLE reversed AS SELECT * FROM large ORDER BY j DESC, i DESC;
SELECT einsum_register('large[I,J]', 'large', '{i,j}', bounds => '{6000,6000}', duplicates => 'trust'),
	einsum_register('reversed[I,J]', 'reversed', '{i,j}', bounds => '{6000,6000}', duplicates => 'trust');
SELECT count(*) FROM unnest('{large,reversed}'::text[]) t, einsum_analyze(t);
SELECT count(*) FROM (SELECT * FROM known_moments('large') EXCEPT ALL SELECT * FROM known_moments('reversed')) d;
SELECT count(*) > 50000 AS entries FROM large;
SELECT labels, given, square > 300000 AS many, m.pairs / c.pairs BETWEEN 0.85 AND 1.15 AS near FROM known_moments('large') m JOIN
	(SELECT 'i' AS labels, 'j' AS given, count(*) AS pairs FROM (SELECT DISTINCT a.j AS x, b.i AS y FROM large a JOIN large b ON a.i = b.j) q UNION ALL
	SELECT 'j', 'i', count(*) FROM (SELECT DISTINCT a.i AS x, b.j AS y FROM large a JOIN large b ON a.j = b.i) q UNION ALL
	SELECT 'i', 'i', count(*) FROM (SELECT DISTINCT a.j AS x, b.j AS y FROM large a JOIN large b USING (i)) q) c USING (labels, given)
WHERE m.statistic = 'meetings' ORDER BY labels, given;
-- an index of more entries than are kept of one is in no sample
CREATE TABLE tall WITH (autovacuum_enabled = off) AS SELECT x AS i, 0 AS j FROM generate_series(0, 299999) x UNION ALL SELECT x, x % 3 + 1 FROM generate_series(0, 299) x;
SELECT einsum_register('tall[I,J]', 'tall', '{i,j}', bounds => '{300000,9}', duplicates => 'trust');
SELECT count(*) FROM einsum_analyze('tall');
SELECT labels, given, square, round(pairs) AS pairs FROM known_moments('tall') WHERE statistic = 'meetings' ORDER BY labels, given;

-- joins
SELECT einsum_store('m[I,J]', 'SELECT i, j, 1 FROM entry', '{200,200}');
SELECT einsum_store('few[I,J]', 'SELECT x, (x * 7 + y * 31) % 200, 1 FROM generate_series(0, 199) x, generate_series(0, 1) y', '{200,200}');
SELECT einsum_store('l[I]', 'SELECT x, 1 FROM generate_series(0, 199) x WHERE x * x % 11 < 4', '{200}');
SELECT einsum_store('x[I,k]', 'SELECT x, k, 1 FROM generate_series(0, 199) x, generate_series(0, 1) k', '{200,2}');
SELECT einsum_store('b[I,J]', 'SELECT i, j, 1 FROM entry WHERE i % 2 = 0', '{200,200}');
CREATE FUNCTION estimates(program text) RETURNS TABLE (stage text, estimated float8, there float8, within float8) LANGUAGE sql AS $$
	SELECT s->>'notation', round((s->>'tuples')::numeric, 1)::float8, (s->>'actual_tuples')::float8,
		round(greatest((s->>'tuples')::numeric / (s->>'actual_tuples')::numeric, (s->>'actual_tuples')::numeric / (s->>'tuples')::numeric), 2)::float8
	FROM einsum_plan(program, 'json', rewrite => 'none', actual => true, result => 'auto') p, json_array_elements(p::json->0->'stages') s $$;
-- exact: what was counted, in each direction, of whatever labels are left
SELECT p, estimated, there FROM unnest(ARRAY['t[I,K] = m[I,J]*m[J,K]', 't[K,I] = m[I,J]*m[K,J]', 't[I,K] = m[J,I]*m[J,K]', 't[I,K] = few[I,J]*few[J,K]',
	't[I,K] = large[I,J]*large[K,J]']) p, estimates(p);
-- near: with filters, other factors, and in the program's next statement
SELECT p, estimated, there, within <= 1.6 AS near FROM unnest(ARRAY['t[I,K] = m[I,J]*l[J]*m[J,K]', 't[I,K] = l[I]*m[I,J]*m[J,K]', 't[I,K] = m[I,J]*l[K]*m[J,K]*l[I]',
	't[I,K,M] = m[I,J]*m[J,K]*x[K,M]', 't[I,K,L] = m[J,I]*m[J,K]*m[J,L]',
	'c[I,K] = m[I,J]*m[J,K]; t[I,K] = c[I,K]*l[I]']) p, estimates(p);
-- as without: other matrices, three steps, and labels that are kept
SELECT p, estimated, there FROM unnest(ARRAY['t[I,K] = m[I,J]*b[J,K]', 't[I,L] = m[I,J]*m[J,K]*m[K,L]', 't[I,J,K] = m[I,J]*m[J,K]', 't[I,J] = m[I,J]*m[J,K]', 't[I] = m[I,J]*m[J,I]']) p, estimates(p);

-- statistics that somebody restored: of a version without, and some that are none
CREATE TABLE kept AS SELECT * FROM einsum_statistics WHERE relid = 'large'::regclass;
CREATE FUNCTION restore(changed text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO einsum_statistics_dump SELECT ''two_steps_test.large'', label_hash, pages, entries, nonfinite, value_counts, distinct_counts,
		degrees, degree_squares, degree_cubes, meetings, square_meetings, rows, %s FROM kept', changed);
	RETURN (SELECT format('analyzed: %s, pairs: %s, thousand tuples: ', analyzed, (SELECT count(pairs) FROM known_moments('large')))
		FROM einsum_tensors WHERE tensor = 'large') || (SELECT round(estimated / 1000) FROM estimates('t[I,K] = large[I,J]*large[J,K]'));
END $$;
SELECT c, restore(c) FROM unnest(ARRAY['NULL', 'pairs[1:2]', 'ARRAY[1, ''NaN''::float8, 1, 1]',
	'ARRAY[0, -1e5, 0, 0]', 'ARRAY[1, 1, 1, 1]', 'ARRAY[1e300, 1, 1, 1]', 'pairs']) c;
SET client_min_messages = warning;
DROP SCHEMA two_steps_test CASCADE;
