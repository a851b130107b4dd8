-- What is ours is known by its membership in the extension, and asked of each query level: other people's
-- queries are planned as if we were not there.
\i test/sql/include/rows_and_plans.sql
SET max_parallel_workers_per_gather = 0;
SET enable_sort = off;
SET sparseeinsum.enable_batching = force;
SET sparseeinsum.enable_aggregate_join = force;
CREATE TABLE edge AS SELECT r % 97 AS i, r % 89 AS j, (r % 7)::float8 AS w FROM generate_series(1, 2000) r;
CREATE TABLE node AS SELECT i, vector(i, 4) AS value FROM generate_series(0, 99) i;
CREATE TABLE wide AS SELECT i, i % 5 AS g, vector(i, 1000) AS value FROM generate_series(1, 2000) i;
ANALYZE edge; ANALYZE node; ANALYZE wide;
-- nodes of ours in a plan
CREATE FUNCTION own_nodes(query text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(node, ', ' ORDER BY node), 'none') FROM (SELECT substring(line FROM 'Custom Scan \((\w+)') AS node FROM plan_of(query) line) x WHERE node IS NOT NULL $$;

-- a function of a user in the extension's schema is not ours, nor an aggregate, nor an operator
CREATE FUNCTION tensor_keep(a float8, b float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN a; END';
CREATE AGGREGATE tensor_last(float8) (SFUNC = tensor_keep, STYPE = float8);
CREATE OPERATOR <~> (FUNCTION = tensor_keep, LEFTARG = float8, RIGHTARG = float8);
SELECT own_nodes('SELECT e.i, n.i FROM edge e JOIN node n USING (i) WHERE tensor_keep(e.w, e.w) > 1');
SELECT own_nodes('SELECT i, tensor_last(w) FROM edge GROUP BY i');
SELECT own_nodes('SELECT e.j, sum(e.w <~> 2.0) FROM edge e JOIN node n USING (i) GROUP BY e.j');
-- an operator, a cast and an aggregate of ours are
SELECT own_nodes('SELECT e.i, tensor_sum(w) FROM edge e GROUP BY e.i');
SELECT own_nodes('SELECT e.i FROM edge e JOIN node n USING (i) WHERE n.value <> n.value + 1');
SELECT own_nodes('SELECT e.i FROM edge e JOIN node n USING (i) WHERE e.w::tensor IS NOT NULL');
-- a column that is read is, one that is not or is only asked for being NULL is not
SELECT own_nodes('SELECT n.i FROM edge e JOIN node n USING (i) WHERE n.value::text <> ''''');
SELECT own_nodes('SELECT n.i FROM edge e JOIN node n USING (i)');
SELECT own_nodes('SELECT n.i FROM edge e JOIN node n USING (i) WHERE n.value IS NOT NULL');

-- each level for itself: subqueries, CTEs, subplans, branches of a UNION
SELECT plan_of('SELECT s.i, t.v FROM (SELECT i, sum(w) AS v FROM edge GROUP BY i) s JOIN (SELECT i, tensor_sum(w) AS v FROM edge GROUP BY i) t USING (i)');
SELECT plan_of('WITH s AS MATERIALIZED (SELECT e.i, count(*) AS n FROM edge e JOIN node USING (i) GROUP BY e.i) SELECT einsum_scalar('',->'', s.n, 2) FROM s');
SELECT plan_of('SELECT (SELECT max(c) FROM (SELECT count(*) AS c FROM edge e JOIN node USING (i) GROUP BY e.j) x), tensor_sum(w) FROM edge GROUP BY i');
SELECT plan_of('SELECT i, sum(w) FROM edge GROUP BY i UNION ALL SELECT i, tensor_sum(w) FROM edge GROUP BY i');
-- what is pulled up is of the level
SELECT own_nodes('SELECT e.i, s.v FROM edge e JOIN (SELECT i, einsum_scalar(''a->'', value) AS v FROM node) s USING (i)');

-- workers by the size of values out of line: where they are read
RESET sparseeinsum.enable_aggregate_join;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET max_parallel_workers_per_gather = 8;
SET min_parallel_table_scan_size = '256kB';
VACUUM wide;
CREATE FUNCTION workers(query text) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(max(substring(line FROM 'Workers Planned: (\d+)')), '0') FROM plan_of(query) line $$;
SELECT workers('SELECT sum(einsum_scalar(''a->'', value)) FROM wide') AS value,
	workers('SELECT sum(einsum_scalar(''a->'', w.value)) FROM (SELECT * FROM wide OFFSET 0) w') AS value_above,
	workers('SELECT count(w) FROM wide w') AS whole_row,
	workers('SELECT sum(i) FROM wide') AS key,
	workers('SELECT sum(einsum_scalar('',->'', i, 2)) FROM wide') AS key_computed,
	workers('SELECT tensor_sum(w.i), (SELECT tensor_sum(value) FROM node) FROM wide w') AS other_level,
	workers('SELECT count(*) FROM wide WHERE value IS NOT NULL') AS null_test;
CREATE TABLE parts (LIKE wide) PARTITION BY RANGE (i);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (10) TO (10000);
CREATE TABLE parent (i int, value tensor);
CREATE TABLE child (extra text) INHERITS (parent);
INSERT INTO parts SELECT * FROM wide;
INSERT INTO child SELECT i, value FROM wide;
VACUUM ANALYZE parts; VACUUM ANALYZE parent; VACUUM ANALYZE child;
SELECT workers('SELECT sum(einsum_scalar(''a->'', value)) FROM parts') AS value, workers('SELECT sum(i) FROM parts') AS key,
	workers('SELECT sum(einsum_scalar(''a->'', value)) FROM parent') AS value_inherited, workers('SELECT sum(i) FROM parent') AS key_inherited,
	workers('SELECT sum(einsum_scalar(''a->'', value)) FROM (SELECT value FROM wide UNION ALL SELECT value FROM child) x') AS value_union,
	workers('SELECT sum(i) FROM (SELECT i FROM wide UNION ALL SELECT i FROM child) x') AS key_union;
SET max_parallel_workers_per_gather = 0;

-- members change: rolled back, in subtransactions
CREATE FUNCTION is_batched() RETURNS bool LANGUAGE sql AS $$
	SELECT own_nodes('SELECT mat_vec_mult(''[[1,2],[3,4]]'', value) FROM node') = 'BatchedProjection' $$;
SELECT is_batched();
BEGIN;
ALTER EXTENSION sparseeinsum DROP FUNCTION mat_vec_mult(tensor, tensor);
SELECT is_batched() AS is_batched_when_dropped;
SAVEPOINT one;
ALTER EXTENSION sparseeinsum ADD FUNCTION mat_vec_mult(tensor, tensor);
SELECT is_batched() AS is_batched_when_added;
ROLLBACK TO one;
SELECT is_batched() AS is_batched_when_rolled_back;
ROLLBACK;
SELECT is_batched();
ALTER EXTENSION sparseeinsum DROP FUNCTION mat_vec_mult(tensor, tensor);
SELECT is_batched() AS is_batched_when_dropped;
ALTER EXTENSION sparseeinsum ADD FUNCTION mat_vec_mult(tensor, tensor);
SELECT is_batched();

DROP TABLE edge, node, wide, parts, parent, child;
DROP OPERATOR <~> (float8, float8);
DROP AGGREGATE tensor_last(float8);
DROP FUNCTION tensor_keep(float8, float8), own_nodes(text), workers(text), is_batched(), :included;
