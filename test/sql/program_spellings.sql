--
-- What Galley and STOREL compute, however it is written: chains in any association, sampled products,
-- other semirings, patterns of graphs, and products of which nothing of rank 4 is stored
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA galley;
SET search_path = galley, public;
SET extra_float_digits = 0;
-- matrices m1 to m12, of which each fits the next
CREATE FUNCTION bound(n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT (ARRAY[30, 7, 50, 3, 40, 11, 25, 60, 2, 35, 9, 45, 13])[n] $$;
CREATE FUNCTION make() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. 12 LOOP
		EXECUTE format('CREATE TABLE m%s (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j))', n);
		EXECUTE format('INSERT INTO m%s SELECT i, j, (i + %1$s * j) %% 3 - 1 FROM generate_series(0, %s) i, generate_series(0, %s) j', n, bound(n) - 1, bound(n + 1) - 1);
		EXECUTE format('ANALYZE m%s', n);
		PERFORM einsum_register(format('m%s[I,J]', n), format('m%s', n), '{i,j}', 'v', ARRAY[bound(n), bound(n + 1)]::text[]);
	END LOOP;
END $$;
SELECT make();
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
CREATE FUNCTION cost(program text, rewrite text DEFAULT NULL) RETURNS float8 LANGUAGE sql AS
$$ SELECT substring(line FROM 'cost=([0-9.]+)')::float8 FROM einsum_plan(program, rewrite => rewrite) line LIMIT 1 $$;
-- the product of m_first to m_last, split where a sequence of numbers says
CREATE FUNCTION association(first int, last int, seed int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	split int := first + (seed * 7919 + first * 31 + last * 17) % greatest(last - first, 1);
BEGIN
	IF first = last THEN
		RETURN 'm' || first;
	END IF;
	RETURN '(' || association(first, split, seed + 1) || ' %*% ' || association(split + 1, last, seed + 2) || ')';
END $$;
SELECT n, count(DISTINCT text) AS associations, count(DISTINCT cost('p = ' || text)) AS costs, bool_and(einsum_value('p = ' || text) = einsum_value('p = ' || association(1, n, 0))) AS same
FROM unnest(ARRAY[3, 4, 5, 7, 10]) n, LATERAL (SELECT association(1, n, seed) AS text FROM generate_series(0, 5) seed) a GROUP BY n ORDER BY n;

-- a graph
CREATE TABLE e (i int, j int, PRIMARY KEY (i, j));
INSERT INTO e SELECT n, (n * k * k + 3 * k) % 60 FROM generate_series(0, 59) n, generate_series(1, 5) k WHERE n <> (n * k * k + 3 * k) % 60 ON CONFLICT DO NOTHING;
INSERT INTO e SELECT j, i FROM e ON CONFLICT DO NOTHING;
CREATE TABLE w (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO w SELECT i, j, (i * 3 + j) % 7 + 1 FROM e;
CREATE TABLE x (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO x SELECT n, ARRAY[n % 3, n % 2 - 1, 1, n % 5 - 2]::float8[]::tensor FROM generate_series(0, 59) n;
SELECT einsum_register('e[I,J]', 'e', '{i,j}', bounds => '{60,60}'), einsum_register('w[I,J]', 'w', '{i,j}', 'v', '{60,60}', fill => 'Infinity'), einsum_register('x[I,k]', 'x', '{i}', 'val', '{60,4}');
ANALYZE e, w, x;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();

-- sampled products with an added term: only where the graph has edges
SET sparseeinsum.max_kernel_bytes = '4kB';
SELECT program, max(substring(line FROM 'tuples=([0-9]+)')::int) <= (SELECT count(*) FROM e) AS sampled FROM (VALUES ('s = e * (x %*% t(x) + 1)'), ('s = e * (x %*% t(x)) + e'), ('s = sum(e * (x %*% t(x) + 2)^2)')) v(program), einsum_plan(program) line GROUP BY program ORDER BY program;
RESET sparseeinsum.max_kernel_bytes;

-- chains of 6 in other semirings: each step is a vector, and no matrix is multiplied with a matrix
SELECT program, max(substring(line FROM 'tuples=([0-9]+)')::int) <= 60 AS vectors, cost(program) < cost(program, 'none') / 10 AS cheaper FROM (VALUES
	('d[a] = min[b,c,f,g,h,i] (w[a,b] + w[b,c] + w[c,f] + w[f,g] + w[g,h] + w[h,i])'),
	('d[a] = any[b,c,f,g,h,i] (e[a,b] * e[b,c] * e[c,f] * e[f,g] * e[g,h] * e[h,i])')) v(program), einsum_plan(program) line GROUP BY program ORDER BY program;
-- against six steps of plain SQL
CREATE TABLE step AS SELECT i, 0::float8 AS d FROM generate_series(0, 59) i;
DO $$ BEGIN FOR n IN 1 .. 6 LOOP UPDATE step SET d = s.d FROM (SELECT w.i, min(w.v + step.d) AS d FROM w JOIN step ON step.i = w.j GROUP BY w.i) s WHERE s.i = step.i; END LOOP; END $$;
SELECT bool_and(e.value = step.d) AS same FROM tensor_entries(einsum_value('d[a] = min[b,c,f,g,h,i] (w[a,b] + w[b,c] + w[c,f] + w[f,g] + w[g,h] + w[h,i])')) e JOIN step ON step.i = e.index[1];

-- a max of sums is no sum of maxima
SELECT line FROM einsum_plan('y[] = max[j] (sum[i] x[i,j])', format => 'program') line;
SELECT einsum_value('y[] = max[j] (sum[i] x[i,j])') AS of_sums, einsum_value('y[] = sum[i] (max[j] x[i,j])') AS of_maxima;

-- counts of patterns, as joins of plain SQL count them
SELECT name, einsum_value(program)::float8 = count AS same FROM (VALUES
	('triangles', 'c[] = e[a,b]*e[b,c]*e[a,c]', (SELECT count(*) FROM e p JOIN e q ON q.i = p.j JOIN e r ON r.i = p.i AND r.j = q.j)),
	('4-cycles', 'c[] = e[a,b]*e[b,c]*e[c,d]*e[d,a]', (SELECT count(*) FROM e p JOIN e q ON q.i = p.j JOIN e r ON r.i = q.j JOIN e s ON s.i = r.j AND s.j = p.i)),
	('diamonds', 'c[] = e[a,b]*e[b,c]*e[c,d]*e[d,a]*e[a,c]', (SELECT count(*) FROM e p JOIN e q ON q.i = p.j JOIN e r ON r.i = q.j JOIN e s ON s.i = r.j AND s.j = p.i JOIN e t ON t.i = p.i AND t.j = q.j)),
	('4-cliques', 'c[] = e[a,b]*e[b,c]*e[c,d]*e[d,a]*e[a,c]*e[b,d]', (SELECT count(*) FROM e p JOIN e q ON q.i = p.j JOIN e r ON r.i = q.j JOIN e s ON s.i = r.j AND s.j = p.i JOIN e t ON t.i = p.i AND t.j = q.j JOIN e u ON u.i = p.j AND u.j = r.j)),
	('houses', 'c[] = e[a,b]*e[b,c]*e[c,d]*e[d,a]*e[a,f]*e[f,b]', (SELECT count(*) FROM e p JOIN e q ON q.i = p.j JOIN e r ON r.i = q.j JOIN e s ON s.i = r.j AND s.j = p.i JOIN e t ON t.i = p.i JOIN e u ON u.i = t.j AND u.j = p.j)),
	('paths of 4', 'c[] = e[a,b]*e[b,c]*e[c,d]*e[d,f]', (SELECT count(*) FROM e p JOIN e q ON q.i = p.j JOIN e r ON r.i = q.j JOIN e s ON s.i = r.j))) v(name, program, count);

-- STOREL, Table 3: BATAx in two passes over A, a sum of a product of three without a product, MTTKRP and TTM with nothing of rank 4
CREATE TABLE t3 (i int, j int, k int, v float8 NOT NULL, PRIMARY KEY (i, j, k));
INSERT INTO t3 SELECT n % 60, (n * 7) % 50, (n * 11) % 40, n % 5 - 2 FROM generate_series(0, 999) n ON CONFLICT DO NOTHING;
SELECT einsum_register('t3[I,J,K]', 't3', '{i,j,k}', 'v', '{60,50,40}');
CREATE TABLE u1 (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO u1 SELECT n, ARRAY[n % 3, n % 2 - 1, 1, n % 5 - 2]::float8[]::tensor FROM generate_series(0, 49) n;
CREATE TABLE u2 (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO u2 SELECT n, ARRAY[n % 4, n % 2, -1, n % 3]::float8[]::tensor FROM generate_series(0, 39) n;
SELECT einsum_register('u1[I,k]', 'u1', '{i}', 'val', '{50,4}'), einsum_register('u2[I,k]', 'u2', '{i}', 'val', '{40,4}');
ANALYZE t3, u1, u2;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
CREATE FUNCTION reads(program text, tensor text) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM einsum_plan(program) line WHERE line ~ format('^    %s: table', tensor) $$;
CREATE FUNCTION most_indices(program text) RETURNS int LANGUAGE sql AS $$ SELECT max(array_length(string_to_array(substring(line FROM '^  \w+\[([^]]*)\] ='), ','), 1)) FROM einsum_plan(program) line $$;
SET sparseeinsum.max_kernel_bytes = '4kB';
SELECT name, reads(program, tensor), most_indices(program), cost(program) <= cost(program, 'none') + 1e-9 AS cheap, einsum_value(program) = einsum_value(program, rewrite => 'none') AS same FROM (VALUES
	('BATAx', 'm1', 'y = 2 * t(m1) %*% m1 %*% rowSums(m2)'),
	('sum of a product of three', 'm2', 's = sum(m1 %*% m2 %*% m3)'),
	('MTTKRP', 't3', 'y[i,r] = t3[i,j,k] * u1[j,r] * u2[k,r]'),
	('TTM', 't3', 'y[i,j,r] = t3[i,j,k] * u2[k,r]')) v(name, tensor, program);
DROP SCHEMA galley CASCADE;
