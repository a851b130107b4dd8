-- Skew: mean squares and cubes of degrees, how often the indices of two labels meet, and joins estimated by them
\set SHOW_CONTEXT never
CREATE SCHEMA skew_test;
SET search_path = skew_test, public, sparseeinsum_internal;

-- four labels, duplicates, NULLs and stored zeros, against counting in SQL
CREATE TABLE e (i int, j int, k int, l int, v float8);
INSERT INTO e SELECT x * 7 % 5, x * x % 9, x * 3 % 9, x * x * x % 11, x % 3 FROM generate_series(1, 300) x;
INSERT INTO e VALUES (NULL, 1, 1, 1, 1), (1, 1, 1, 1, NULL), (0, 0, 0, 0, 1), (0, 0, 0, 0, 1);
SELECT einsum_register('e[I,J,K,L]', 'e', '{i,j,k,l}', 'v', '{5,9,9,11}', duplicates => 'trust');
CREATE VIEW entry AS SELECT DISTINCT ARRAY[i, j, k, l] AS x FROM e WHERE v <> 0 AND i IS NOT NULL;
CREATE FUNCTION pick(x int[], labels text) RETURNS int[] LANGUAGE sql IMMUTABLE
	RETURN (SELECT array_agg(x[strpos('ijkl', n)] ORDER BY n) FROM unnest(string_to_array(labels, ', ')) n);
SELECT statistic, count(*), count(square), count(cube) FROM known_moments('e') GROUP BY statistic ORDER BY statistic;
SELECT count(*) AS wrong FROM known_moments('e') m, LATERAL (
	SELECT avg(n ^ 2) AS square, avg(n ^ 3) AS cube
	FROM (SELECT count(DISTINCT pick(x, m.labels))::float8 AS n FROM entry GROUP BY pick(x, m.given)) d) c
WHERE m.statistic = 'degree' AND (abs(m.square - c.square) > 1e-9 * c.square OR abs(m.cube - c.cube) > 1e-9 * c.cube);
-- only labels with the same indices meet, each one itself too
SELECT labels, given, m.square = c.square AND m.cube = c.cube AS equal FROM known_moments('e') m, LATERAL (
	SELECT sum(p * q) AS square, sum(p * p * q) AS cube
	FROM (SELECT count(*)::float8 AS p, pick(x, m.labels) AS v FROM entry GROUP BY v) a
	JOIN (SELECT count(*)::float8 AS q, pick(x, m.given) AS v FROM entry GROUP BY v) b USING (v)) c
WHERE m.statistic = 'meetings' ORDER BY labels, given;
-- whatever the order of labels, whether they have bounds, and whether entries are packed
SELECT einsum_register('e2[L,J,I,K]', 'e', '{l,j,i,k}', 'v', '{11,9,5,9}', duplicates => 'trust'),
	einsum_register('e3[I,J,K,L]', 'e', '{i,j,k,l}', 'v', '{*,*,*,*}', duplicates => 'trust');
SELECT count(*) FROM unnest('{e2,e3}'::text[]) t, einsum_analyze(t);
SELECT count(*) FROM (SELECT square, cube FROM known_moments('e') WHERE statistic = 'degree' EXCEPT ALL
	SELECT square, cube FROM known_moments('e2') WHERE statistic = 'degree') d;
SELECT count(*) FROM (SELECT * FROM known_moments('e') EXCEPT ALL SELECT * FROM known_moments('e3')) d;
-- keys that are numbered for counting have nothing in common
CREATE TABLE follow (who text, whom text, PRIMARY KEY (who, whom));
INSERT INTO follow VALUES ('ann', 'bob'), ('ann', 'eve'), ('bob', 'ann'), ('eve', 'ann');
SELECT einsum_register('follow[A,B]', 'follow', '{who,whom}', bounds => '{*,*}');
SELECT * FROM known_moments('follow');
-- rank 5 and what was not measured have none
CREATE TABLE five (a int PRIMARY KEY, t tensor);
INSERT INTO five VALUES (1, tensor_full('{2,2,2,2}', 1));
SELECT einsum_register('five[A,b,c,d,e]', 'five', '{a}', 't');
CREATE VIEW shown AS TABLE follow;
SELECT einsum_register('shown[A,B]', 'shown', '{who,whom}', bounds => '{*,*}', duplicates => 'trust');
SELECT count(*) FROM known_moments('five');
SELECT count(*) FROM known_moments('shown');

-- joins: a graph in which few have much, its edges turned, and labels of the nodes
CREATE TABLE edge (i int, j int, PRIMARY KEY (i, j)) WITH (autovacuum_enabled = off);
INSERT INTO edge SELECT DISTINCT x % 200, 300 / (1 + x * 7 % 199) + x % 3 FROM generate_series(1, 2000) x;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', bounds => '{400,400}');
CREATE TABLE mark (i int PRIMARY KEY);
INSERT INTO mark SELECT x * 4 FROM generate_series(0, 49) x;
SELECT einsum_register('l[I]', 'mark', '{i}', bounds => '{400}');
CREATE TABLE triple (i int, j int, k int, PRIMARY KEY (i, j, k));
INSERT INTO triple SELECT DISTINCT x % 7, x % 5, 90 / (1 + x % 91) FROM generate_series(1, 3000) x;
SELECT einsum_register('r[I,J,K]', 'triple', '{i,j,k}', bounds => '{400,400,400}');
CREATE FUNCTION estimates(program text) RETURNS TABLE (stage text, estimated float8, there float8, within float8) LANGUAGE sql AS $$
	SELECT s->>'notation', round((s->>'tuples')::numeric, 1)::float8, (s->>'actual_tuples')::float8,
		round(greatest((s->>'tuples')::numeric / (s->>'actual_tuples')::numeric, (s->>'actual_tuples')::numeric / (s->>'tuples')::numeric), 2)::float8
	FROM einsum_plan(program, 'json', rewrite => 'none', actual => true, result => 'auto') p, json_array_elements(p::json->0->'stages') s $$;
-- exact: all joins of one tensor with itself by one label
SELECT * FROM unnest(ARRAY['t[I,J,K] = a[I,J]*a[I,K]', 't[I,J,K] = a[J,I]*a[K,I]', 't[I,J,K] = a[I,J]*a[J,K]',
	't[I,J,K,L] = a[I,J]*a[I,K]*a[I,L]', 't[I,J,K,L] = a[J,I]*a[K,I]*a[I,L]', 't[I,J,K,L] = a[J,I]*a[I,K]*a[I,L]',
	't[I,J,K,L] = r[I,J,K]*r[I,J,L]', 't[I,J,K,L,M] = r[I,J,K]*r[L,M,K]']) p, estimates(p);
-- near: a filter between, paths, through a result that is kept, and in any order
SELECT p, estimated, there, within <= 2 AS near FROM unnest(ARRAY['t[I,J,K] = l[I]*a[I,J]*a[I,K]', 't[I,J,K,L] = l[I]*a[I,J]*a[I,K]*a[I,L]',
	't[I,J,K,L] = a[I,J]*a[J,K]*a[K,L]', 't[I,J,K,L] = a[J,K]*a[K,L]*a[I,J]', 't[I,J,K,L] = a[I,J]*a[K,L]*a[J,K]',
	'w[I,J] = a[I,J]*l[I]; t[I,J,K] = w[I,J]*a[I,K]']) p, estimates(p);
-- what closes a cycle is likelier than by chance
SELECT p, estimated, there FROM unnest(ARRAY['t[I,J,K] = a[I,J]*a[J,K]*a[I,K]', 't[I,J,K,L] = a[I,J]*a[K,J]*a[K,L]*a[I,L]']) p, estimates(p);
-- vectors and full matrices have no skew: as many as without
CREATE TABLE x (i int PRIMARY KEY, v float8);
INSERT INTO x SELECT i, 1 + i FROM generate_series(0, 399) i;
SELECT einsum_register('x[I]', 'x', '{i}', 'v');
SELECT * FROM unnest(ARRAY['t[I,J] = a[I,J]*x[I]', 't[I,J] = a[I,J]*x[I]*x[J]']) p, estimates(p);
-- uniform knows T alone, and chain nothing but bounds
SELECT e, round((s->>'tuples')::numeric) AS tuples FROM unnest('{uniform,chain}'::text[]) e,
	einsum_plan('t[I,J,K] = a[I,J]*a[I,K]', 'json', estimator => e) p, json_array_elements(p::json->0->'stages') s;

-- statistics that somebody restored: of a version without moments, and with some that are none
CREATE TABLE kept AS SELECT * FROM einsum_statistics WHERE relid = 'edge'::regclass;
CREATE FUNCTION restore(changed text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO einsum_statistics_dump SELECT ''skew_test.edge'', label_hash, pages, entries, nonfinite, value_counts, distinct_counts, degrees, %s FROM kept', changed);
	RETURN (SELECT format('analyzed: %s, moments: %s, ', analyzed, (SELECT count(*) FROM known_moments('a')))
		FROM einsum_tensors WHERE tensor = 'a') || (SELECT round(estimated) FROM estimates('t[I,J,K] = a[I,J]*a[I,K]'));
END $$;
SELECT c, restore(c) FROM unnest(ARRAY['NULL, NULL, NULL, NULL',
	'degree_squares, degree_cubes, NULL, NULL',
	'degree_squares[1:2], degree_cubes, meetings, square_meetings',
	'degree_squares, degree_cubes, ARRAY[1, ''NaN''::float8, 1, 1], square_meetings',
	'degree_squares, degree_cubes, ARRAY[1, ''Infinity''::float8, 1, 1], square_meetings',
	'degree_squares, degree_cubes, ARRAY[0, 0, 0, 0], ARRAY[-5, 0, -1e300, 0]',
	'degree_squares, degree_cubes, ARRAY[1e300, -1e300, 1e300, 1e300], ARRAY[1e300, 1e300, 1e300, 1e300]',
	'degree_squares, degree_cubes, meetings, square_meetings']) c;
-- counts tell about data
CREATE ROLE skew_reader;
GRANT USAGE ON SCHEMA skew_test TO skew_reader;
SET ROLE skew_reader;
SELECT known_moments('a');
RESET ROLE;
DROP OWNED BY skew_reader;
DROP ROLE skew_reader;

DROP SCHEMA skew_test CASCADE;
