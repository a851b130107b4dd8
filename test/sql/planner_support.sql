-- What the planner is told of tensors, and the plans it makes of it.
SET client_min_messages = warning;
SET sparseeinsum.enable_aggregate_join = off;
CREATE SCHEMA planner_support;
SET search_path = planner_support, public, sparseeinsum_internal;

-- 4,000 nodes with ten neighbours each, and a vector of 400 of each, out of line
CREATE TABLE edge (i int, j int, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, (i * 37 + d * d * 11) % 4000 FROM generate_series(0, 3999) i, generate_series(1, 10) d ON CONFLICT DO NOTHING;
-- all rows are looked at, so that estimates do not depend on the sample
ALTER TABLE edge ALTER i SET STATISTICS 200, ALTER j SET STATISTICS 200;
CREATE TABLE node (id int PRIMARY KEY, value tensor NOT NULL);
INSERT INTO node SELECT i, tensor_random('{400}', i) FROM generate_series(0, 3999) i;
CREATE TABLE small (id int PRIMARY KEY, value tensor NOT NULL);
INSERT INTO small SELECT i, tensor_random('{20}', i) FROM generate_series(0, 3999) i;
CREATE TABLE matrix (value tensor NOT NULL);
INSERT INTO matrix VALUES (tensor_random('{400,250}', 1));
VACUUM ANALYZE edge, node, small, matrix;
SELECT einsum_register('a[I,J]', 'edge', keys => '{i,j}', bounds => '{4000,4000}');
SELECT einsum_register('x[I,k]', 'node', keys => '{id}', value => 'value', bounds => '{4000,400}');
SELECT einsum_register('y[I,m]', 'small', keys => '{id}', value => 'value', bounds => '{4000,20}');
SELECT einsum_register('w[k,m]', 'matrix', keys => '{}', value => 'value');
SELECT count(*) FROM (SELECT einsum_analyze(t) FROM unnest('{a,x,y,w}'::text[]) t) s;

-- the nodes of a plan with their estimates of rows and width
CREATE FUNCTION estimates(query text) RETURNS TABLE (node text, plan_rows int8, width int) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN QUERY
		WITH RECURSIVE nodes AS (
			SELECT plan -> 0 -> 'Plan' AS n, ARRAY[0] AS at
			UNION ALL
			SELECT child, at || ordinality::int
			FROM nodes, jsonb_array_elements(n -> 'Plans') WITH ORDINALITY AS c(child, ordinality))
		SELECT repeat('  ', cardinality(at) - 1) || coalesce((n ->> 'Partial Mode') || ' ', '') || (n ->> 'Node Type')
				|| coalesce(' ' || (n ->> 'Strategy'), '') || coalesce(' ' || (n ->> 'Function Name'), ''),
			(n ->> 'Plan Rows')::int8, (n ->> 'Plan Width')::int
		FROM nodes ORDER BY at;
END
$$;

-- Rows: the slices of a column, of what a scalar subquery gives, of a product
SELECT * FROM estimates('SELECT * FROM matrix, tensor_unstack(value, 1)');
SELECT * FROM estimates('SELECT * FROM tensor_unstack((SELECT value FROM matrix WHERE einsum_value_has_shape(value, ''{400,250}'', ''w'')), 1)');
SELECT * FROM estimates('SELECT * FROM (SELECT value FROM matrix WHERE einsum_value_has_shape(value, ''{400,250}'', ''w'')) w, LATERAL einsum_unstack(value, 1, 0) u, LATERAL einsum_unstack_scalar(u.value, 0) v');
SELECT * FROM estimates('SELECT tensor_entries(mat_mult(value, tensor_full(''{250,3}'', 1))) FROM matrix WHERE einsum_value_has_shape(value, ''{400,250}'', ''w'')');
SELECT * FROM estimates('SELECT * FROM tensor_entries(tensor_reshape(''[1,2,3,4,5,6]'', ''{2,3}''))');
-- of unknown shape, as declared
SELECT * FROM estimates('SELECT * FROM tensor_unstack(current_setting(''nothing.tensor'')::float8[]::tensor, 0)');

-- Widths: values are as wide as they are, pointers as narrow; keys of a grouped query are known
SELECT * FROM estimates('SELECT count(s.value) FROM edge, (SELECT id, einsum_once(vec_sca_mult(value, 2)) AS value FROM node WHERE einsum_value_has_shape(value, ''{400}'', ''x'')) s WHERE s.id = edge.j GROUP BY edge.i');
SELECT * FROM estimates('WITH d AS MATERIALIZED (SELECT i, einsum_sum('',a->a'', 1, value) AS value FROM edge JOIN small ON id = j WHERE einsum_value_has_shape(value, ''{20}'', ''y'') GROUP BY i) SELECT d1.value, d2.value FROM d d1 JOIN d d2 USING (i)');
SELECT * FROM estimates('WITH d AS MATERIALIZED (SELECT i, j, scalar_add(i, j) AS value FROM edge) SELECT i, tensor_sum(value) FROM d GROUP BY i');

-- Costs: a product of matrices is dearer than one of vectors
CREATE FUNCTION cost(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Total Cost';
END
$$;
SELECT cost('SELECT mat_mult(tensor_full(''{300,300}'', i), tensor_full(''{300,300}'', i)) FROM generate_series(1, 1000) i')
	/ cost('SELECT inner_prod(tensor_full(''{300}'', i), tensor_full(''{300}'', i)) FROM generate_series(1, 1000) i') BETWEEN 1e3 AND 1e5 AS matrices;
SELECT cost('SELECT tensor_map(''exp($1)'', ''a->a'', tensor_full(''{300}'', i)) FROM generate_series(1, 1000) i')
	> cost('SELECT vec_sca_mult(tensor_full(''{300}'', i), 2.0) FROM generate_series(1, 1000) i') AS functions;
SELECT cost('SELECT tensor_map(''exp($1)'', ''a->a'', tensor_full(''{300}'', i)) FROM generate_series(1, 1000) i')
	> 2 * cost('SELECT tensor_map(''$1 + 1'', ''a->a'', tensor_full(''{300}'', i)) FROM generate_series(1, 1000) i') AS exponentials;
SELECT cost('SELECT einsum(''ij,jk->ik'', tensor_full(''{300,300}'', i), tensor_full(''{300,300}'', i)) FROM generate_series(1, 1000) i')
	= cost('SELECT mat_mult(tensor_full(''{300,300}'', i), tensor_full(''{300,300}'', i)) FROM generate_series(1, 1000) i') AS same;
-- what cannot be known is no error, and wrong equations are one only when they run
EXPLAIN (COSTS OFF) SELECT einsum('ij,', value, 1), einsum('...i->...', value), tensor_map('?', 'i', value), einsum(NULL, value) FROM node;

-- Plans, as work_mem grows: what sums into states of 3 kB hashes when they fit
CREATE FUNCTION plan(program text, memory text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('work_mem', memory, true);
	RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || einsum_sql(program, search => 'as_written');
END
$$;
-- the settings of work_mem for which a program has a plan
CREATE VIEW plans AS
	SELECT string_agg(memory, ', ' ORDER BY pg_size_bytes(memory)) AS memory, plan
	FROM (VALUES ('1MB'), ('4MB'), ('64MB'), ('1GB')) m(memory),
		LATERAL (SELECT string_agg(line, E'\n' ORDER BY number) AS plan
				 FROM plan(current_setting('test.program'), memory) WITH ORDINALITY AS l(line, number)
				 WHERE line !~ 'Filter:') p
	GROUP BY plan
	ORDER BY min(pg_size_bytes(memory));
\pset format unaligned
SET max_parallel_workers_per_gather = 0;
SET test.program = 's[I,k] = a[I,J] * x[J,k]';
SELECT * FROM plans;
SET test.program = 'd[I] = sum[J] a[I,J]; n[I,J] = a[I,J] / sqrt(d[I] * d[J]); h[I,m] = relu(sum[J] n[I,J] * y[J,m]); z[I,m] = n[I,J] * h[J,m]';
SELECT * FROM plans;
SET test.program = 't[I,J] = a[I,J] * (sum[k] x[I,k] * x[J,k])';
SELECT * FROM plans;

-- With a worker: a table whose values lie out of line is large
SET max_parallel_workers_per_gather = 1;
SET min_parallel_table_scan_size = '1MB';
SET parallel_tuple_cost = 0.01;
SELECT * FROM plans;
SET test.program = 's[I,k] = a[I,J] * x[J,k]';
SELECT * FROM plans;
SET test.program = 'c[k,m] = x[I,k] * y[I,m]';
SELECT * FROM plans;
SET test.program = 'r[I,m] = x[I,k] * w[k,m]';
SELECT * FROM plans;
-- and a stage that reads it is parallel as a whole, though it has a scalar subquery of its own
SET test.program = 'r[I,m] = x[I,k] * w[k,m]; l[I,m] = a[I,J] * r[J,m]';
SELECT * FROM plans;
SET test.program = 'r[I,m] = x[I,k] * w[k,m]';
-- but not where the table says how many
ALTER TABLE node SET (parallel_workers = 0);
SELECT * FROM plans;

-- the results do not depend on the plan: the matrices are of small integers
UPDATE node SET value = tensor_map('floor($1 * 8)', 'a->a', value);
UPDATE matrix SET value = tensor_map('floor($1 * 8)', 'ab->ab', value);
ALTER TABLE node RESET (parallel_workers);
VACUUM ANALYZE node, matrix;
CREATE FUNCTION checksum(memory text, workers text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	sum float8;
BEGIN
	PERFORM set_config('work_mem', memory, true), set_config('max_parallel_workers_per_gather', workers, true);
	EXECUTE 'SELECT sum(i * einsum_scalar(''a,a->'', value, tensor_reshape((SELECT array_agg(g % 7)::tensor FROM generate_series(1, 250) g), ''{250}''))) FROM ('
		|| einsum_sql('r[I,m] = x[I,k] * w[k,m]; l[I,m] = a[I,J] * r[J,m]', search => 'as_written') || ') s' INTO sum;
	RETURN sum;
END
$$;
SELECT count(DISTINCT checksum(memory, workers)) FROM unnest('{1MB,64MB}'::text[]) memory, unnest('{0,1,2}'::text[]) workers;

-- what is NOT NULL is not asked for, as PostgreSQL has it from version 17 on; but what may be NULL is
SET max_parallel_workers_per_gather = 0;
CREATE TABLE number (i int, n float8 NOT NULL, m float8);
CREATE TABLE further () INHERITS (number);
INSERT INTO number SELECT i, i, nullif(i % 3, 0) FROM generate_series(1, 99) i;
INSERT INTO further SELECT i, i, nullif(i % 3, 0) FROM generate_series(1, 9) i;
PREPARE sums AS SELECT tensor_sum(n) AS n, tensor_sum(m) AS m, count(*) FROM number WHERE n IS NOT NULL AND m IS NOT NULL;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE sums;
EXECUTE sums;
ALTER TABLE further ALTER n DROP NOT NULL;
ALTER TABLE number ALTER n DROP NOT NULL;
UPDATE number SET n = NULL WHERE i < 50;
EXPLAIN (COSTS OFF) EXECUTE sums;
EXECUTE sums;
ALTER TABLE further ALTER i SET NOT NULL;
CREATE TABLE other AS SELECT * FROM generate_series(1, 120) i;
-- the side of an outer join that may be missing
EXPLAIN (COSTS OFF) SELECT o.i, einsum(',a->a', f.n, '[1]') FROM other o LEFT JOIN ONLY further f ON f.i = o.i AND f.i IS NOT NULL WHERE f.i IS NOT NULL OR o.i > 100;
SELECT count(*), count(f), tensor_sum(f.n) FROM other o LEFT JOIN ONLY further f ON f.i = o.i AND f.i IS NOT NULL WHERE f.i IS NOT NULL OR o.i > 100;
-- queries that compute nothing here are PostgreSQL's own
EXPLAIN (COSTS OFF) SELECT count(*) FROM ONLY further WHERE i IS NOT NULL AND n IS NOT NULL;
RESET plan_cache_mode;
-- nor is it relied upon by who may see rows as they were before
BEGIN ISOLATION LEVEL REPEATABLE READ;
EXPLAIN (COSTS OFF) SELECT tensor_sum(n) FROM ONLY further WHERE i IS NOT NULL;
COMMIT;
EXPLAIN (COSTS OFF) SELECT tensor_sum(n) FROM ONLY further WHERE i IS NOT NULL;

DROP SCHEMA planner_support CASCADE;
