--
-- The search where not all can be looked at: results that several statements read, and many statements of many labels
--
\set VERBOSITY default
SET client_min_messages = warning;
CREATE SCHEMA search_shared;
SET search_path = search_shared, public;
CREATE TABLE edge (i int, j int, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, (i + 100 * k * k) % 2000 FROM generate_series(0, 1999) i, generate_series(0, 4) k ON CONFLICT DO NOTHING;
VACUUM ANALYZE edge;
SELECT einsum_register('a[I,J]', 'edge', keys => '{i,j}', bounds => '{2000,2000}');
SELECT einsum_analyze('a');
CREATE TABLE layer (weights tensor NOT NULL, features tensor NOT NULL);
INSERT INTO layer VALUES (tensor_full('{16,8}', 1), tensor_full('{2000,16}', 1));
SELECT einsum_register('w[m,c]', 'layer', keys => '{}', value => 'weights'), einsum_register('h[i,m]', 'layer', keys => '{}', value => 'features');

-- a plan that was found result by result costs as little as that of all combinations
CREATE FUNCTION planned(budget int, OUT heuristic bool, OUT cost float8) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.search_budget', budget::text, true);
	SELECT p LIKE '%heuristic%', substring(p FROM 'cost=([0-9.]+) us')::float8 INTO heuristic, cost FROM einsum_plan('
		n[i,j] = a[i,j] / (sum[j] a[i,j]);
		z[i,c] = sum[j] n[i,j] * (sum[m] h[j,m] * w[m,c]);
		top[i] = max[c] z[i,c];
		e[i,c] = exp(z[i,c] - top[i]);
		p[i,c] = e[i,c] / (sum[c] e[i,c]);
		g[j,c] = sum[i] n[i,j] * (p[i,c] - z[i,c]);
		d[m,c] = sum[i] h[i,m] * g[i,c];
		l[]    = sum[i,c] g[i,c] * p[i,c] * e[i,c]', materialize => 'always') p WHERE p LIKE 'Plan 1%';
END $$;
SELECT part.heuristic, whole.heuristic, part.cost = whole.cost AS least FROM planned(64) part, planned(4096) whole;

-- eleven labels have 2,048 decompositions: few statements look at all, many share the budget
CREATE TABLE gate (v tensor NOT NULL);
INSERT INTO gate VALUES (array[[1, 1], [1, -1]]::tensor);
SELECT einsum_register('t[i,j]', 'gate', keys => '{}', value => 'v');
CREATE TABLE state (a int, b int, c int, d int, e int, f int, g int, h int, i int, j int, v float8 NOT NULL, PRIMARY KEY (a, b, c, d, e, f, g, h, i, j));
INSERT INTO state VALUES (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
SELECT einsum_register('s0[A,B,C,D,E,F,G,H,I,J]', 'state', keys => '{a,b,c,d,e,f,g,h,i,j}', value => 'v', bounds => array_fill(2, ARRAY[10]));
SELECT einsum_analyze('s0');
CREATE FUNCTION gates(count int) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('s%s[a,b,c,d,e,f,g,h,i,j] = t[%s,p]*s%s[%s]', n, q, n - 1, replace('a,b,c,d,e,f,g,h,i,j', q, 'p')), '; ' ORDER BY n)
	FROM generate_series(1, count) n, substr('abcdefghij', (n - 1) % 10 + 1, 1) q
$$;
SELECT count, p LIKE '%heuristic%' AS heuristic FROM unnest('{5,40}'::int[]) count, einsum_plan(gates(count), rewrite => 'none', result => 'auto') p WHERE p LIKE 'Plan 1%';
-- all of it twice is a multiple of what there was
SELECT einsum_value(gates(40) || '; norm[] = sum[a,b,c,d,e,f,g,h,i,j] s40[a,b,c,d,e,f,g,h,i,j]', rewrite => 'none')::float8 = 1024.0 ^ 2 AS multiplied;
SET client_min_messages = warning;
DROP SCHEMA search_shared CASCADE;
