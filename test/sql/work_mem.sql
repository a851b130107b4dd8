-- What hash tables need beyond work_mem * hash_mem_multiplier costs its spilling, and plans say so
CREATE SCHEMA work_mem_test;
SET search_path = work_mem_test, public;
-- small as they are, these would be loops over all labels (program_nests)
SET sparseeinsum.enable_aggregate_join = off;
SET hash_mem_multiplier = 2;
SET sparseeinsum.blocks = '';
-- 2,000 nodes, among them 100 with many edges
CREATE TABLE edge (i int, j int, PRIMARY KEY (i, j)) WITH (autovacuum_enabled = off);
INSERT INTO edge SELECT DISTINCT x * 7919 % 2000, x * x % 2000 FROM generate_series(1, 20000) x
UNION SELECT x, y FROM generate_series(0, 99) x, generate_series(0, 1999, 3) y;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', bounds => '{2000,2000}');
CREATE TABLE node (i int PRIMARY KEY, v tensor NOT NULL) WITH (autovacuum_enabled = off);
INSERT INTO node SELECT i, tensor_full('{1000}', 1) FROM generate_series(0, 1999) i;
SELECT einsum_register('h[I,k]', 'node', '{i}', 'v', '{2000,1000}');
SELECT count(*) FROM unnest('{a,h}'::text[]) t, einsum_analyze(t);
CREATE FUNCTION needs(program text, memory text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('work_mem', memory, true);
	RETURN QUERY SELECT regexp_replace(line, '(cost|tuples|bytes)=[0-9.]+ ?', '', 'g') FROM einsum_plan(program, result => 'auto') line
		WHERE line !~ '^Plan';
END $$;
CREATE FUNCTION cost(program text, memory text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('work_mem', memory, true);
	RETURN (SELECT (p::json->0->>'cost')::float8 FROM einsum_plan(program, 'json', result => 'auto') p);
END $$;
-- vectors are stacked where they fit, and not where they would spill
\set triangles 's[] = a[i,j]*a[j,k]*a[i,k]'
SELECT needs(:'triangles', '256MB');
SELECT needs(:'triangles', '4MB');
SELECT cost(:'triangles', '4MB') > cost(:'triangles', '256MB') AS dearer, cost(:'triangles', '256MB') = cost(:'triangles', '1GB') AS same;
-- a join's table that is a little too large spills half of both sides, then three quarters: batches are powers of two
CREATE FUNCTION as_written(program text, memory text) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('work_mem', memory, true);
	RETURN (SELECT (p::json->0->>'cost')::float8 FROM einsum_plan(program, 'json', search => 'as_written') p);
END $$;
SELECT m.near > m.fits AND (m.near - m.fits) / (m.four - m.fits) BETWEEN 0.6 AND 0.75 AS half FROM (SELECT as_written(p, '32MB') AS fits,
	as_written(p, '6200kB') AS near, as_written(p, '3000kB') AS four FROM (VALUES ('s[] = a[i,J]*a[i,K]*a[J,K]')) v(p)) m;
-- where there is no choice: groups, the inner side of a join, stacking, a union; what is read by pointers is small
SELECT needs('y[I,k] = a[I,J]*h[J,k]', m) FROM unnest('{1MB,64MB}'::text[]) m;
SELECT needs('y[I,k] = a[I,J]*(2*h[J,k])', '1MB');
SELECT needs('y[I,j] = a[I,j]', '1MB');
SELECT needs('y[I,k] = h[I,k] + 2*h[I,k:*]', '1MB');
SELECT needs('s[k] = h[I,k]', '1MB');
SET work_mem = '1MB';
SELECT s->>'notation' AS stage, (s->>'memory')::float8 > 1048576 AS memory
FROM einsum_plan('y[I,k] = a[I,J]*h[J,k]; z[I] = y[I,k]', 'json', materialize => 'never') p, json_array_elements(p::json->0->'stages') s;
-- the multiplier counts
SET hash_mem_multiplier = 100;
SELECT needs('y[I,k] = a[I,J]*h[J,k]', '1MB');
-- and what a byte costs
SET hash_mem_multiplier = 2;
SET sparseeinsum.cost_spill = 0;
SELECT cost('y[I,k] = a[I,J]*h[J,k]', '1MB') = cost('y[I,k] = a[I,J]*h[J,k]', '64MB') AS same;
\set VERBOSITY terse
DROP SCHEMA work_mem_test CASCADE;
