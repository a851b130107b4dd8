-- Tensors that workers send through shared memory: all arrive, whatever has room where.
SET sparseeinsum.enable_batching = force;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET cpu_operator_cost = 1; SET enable_mergejoin = off; SET enable_nestloop = off;
-- the leader joins what it gets, alone
SET sparseeinsum.enable_partitioning = off;
SET sparseeinsum.enable_aggregate_join = off;

\i test/sql/include/rows_and_plans.sql
CREATE TABLE node AS SELECT i, vector(i, 8) AS value FROM generate_series(0, 999) i;
INSERT INTO node VALUES (1000, NULL);
CREATE TABLE edge AS SELECT k % 1000 AS i, k * 7 % 1001 AS j, k % 5 + 1.0::float8 AS value FROM generate_series(0, 2999) k;
CREATE TABLE w AS SELECT tensor_reshape(vector(3, 8 * 50), ARRAY[8, 50]) AS value;
CREATE TABLE wide AS SELECT tensor_reshape(vector(3, 8 * 10000), ARRAY[8, 10000]) AS value;
ALTER TABLE node SET (parallel_workers = 3); ALTER TABLE edge SET (parallel_workers = 0);
ALTER TABLE w SET (parallel_workers = 0); ALTER TABLE wide SET (parallel_workers = 0);
ANALYZE node; ANALYZE edge; ANALYZE w; ANALYZE wide;
-- 50 numbers, some twice, and 10,000
CREATE VIEW x AS SELECT i, einsum_once(value) AS value FROM (
	SELECT i, einsum('k,km->m', value, (SELECT value FROM w WHERE einsum_value_has_shape(value, '{8,50}', 'w'))) AS value
	FROM node WHERE einsum_value_has_shape(value, '{8}', 'node') IS NOT FALSE) y;
CREATE VIEW two AS SELECT i, einsum_once(a) AS a, einsum_once(b) AS b, even FROM (
	SELECT i, einsum('k,km->m', value, (SELECT value FROM w WHERE einsum_value_has_shape(value, '{8,50}', 'w'))) AS a,
		tensor_negate(einsum('k,km->m', value, (SELECT value FROM w WHERE einsum_value_has_shape(value, '{8,50}', 'w')))) AS b, i % 2 = 0 AS even
	FROM node WHERE einsum_value_has_shape(value, '{8}', 'node')) y;
CREATE VIEW wider AS SELECT i, einsum_once(value) AS value FROM (
	SELECT i, einsum('k,km->m', value, (SELECT value FROM wide WHERE einsum_value_has_shape(value, '{8,10000}', 'wide'))) AS value
	FROM node WHERE einsum_value_has_shape(value, '{8}', 'node')) y;

-- how many values came through shared memory, and whether the rows are those of one process
CREATE FUNCTION sent(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n int8;
	rows int8;
	result text;
BEGIN
	SET LOCAL max_parallel_workers_per_gather = 3;
	SELECT coalesce(sum(substring(line from 'Results in Shared Memory: (\d+)')::int8), 0) INTO n FROM executed_plan_of(query) line;
	query := as_text(query);
	rows := keep_rows('parallel', query);
	SET LOCAL max_parallel_workers_per_gather = 0;
	SET LOCAL sparseeinsum.enable_batching = off;
	PERFORM keep_rows('serial', query);
	SET LOCAL sparseeinsum.enable_batching = force;
	result := format('%s sent, %s rows, %s different', n, rows, different_rows('parallel', 'serial'));
	DROP TABLE parallel;
	RETURN result;
END $$;
CREATE FUNCTION some_sent(query text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(sent(query), '^[1-9]\d*', 'some') $$;

-- one worker, and nothing is in the leader's own rows: all values that are not NULL are sent, as the ring holds them all
SET parallel_leader_participation = off;
SET max_parallel_workers_per_gather = 3;
ALTER TABLE node SET (parallel_workers = 1);
EXPLAIN (COSTS OFF) SELECT e.i, x.value FROM edge e JOIN x ON x.i = e.j;
SELECT sent('SELECT e.i, x.value FROM edge e JOIN x ON x.i = e.j');
SELECT sent($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN x ON x.i = e.j GROUP BY e.i$$);
SELECT sent($$SELECT e.i, x.a, x.b, x.even, tensor_sum(x.a) FROM edge e JOIN two x ON x.i = e.j GROUP BY e.i, x.a, x.b, x.even$$);
SELECT sent('SELECT e.i, x.b, x.a, x.b AS c FROM edge e JOIN (SELECT i, b, a FROM two OFFSET 0) x ON x.i = e.j');
SELECT sent('SELECT e.i, x.b, x.n FROM edge e JOIN (SELECT i, 7 AS n, b FROM two OFFSET 0) x ON x.i = e.j');
-- what is between looks at values, or changes them: they come in the rows
SELECT sent('SELECT e.i, x.value FROM edge e JOIN (SELECT i, value FROM x OFFSET 0) x ON x.i = e.j WHERE tensor_count_nonzero(x.value) > 40');
-- short ones as well
SELECT sent($$SELECT e.i, x.value FROM edge e JOIN (SELECT i, einsum('k,k->k', value, value) AS value FROM node OFFSET 0) x ON x.i = e.j$$);

-- rings of several workers
ALTER TABLE node SET (parallel_workers = 3);
SELECT some_sent('SELECT e.i, x.b, x.a FROM edge e JOIN two x ON x.i = e.j');
SELECT some_sent($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN x ON x.i = e.j GROUP BY e.i$$);

-- a small ring goes around; values larger than it, and whatever it has no room for, come in the rows
SET work_mem = '64kB'; SET hash_mem_multiplier = 1000;
SELECT some_sent('SELECT e.i, x.value FROM edge e JOIN x ON x.i = e.j');
SELECT some_sent('SELECT e.i, x.a, x.b FROM edge e JOIN two x ON x.i = e.j');
SELECT sent('WITH e AS MATERIALIZED (SELECT * FROM edge) SELECT e.i, tensor_sum(x.value) FROM e JOIN wider x ON x.i = e.j GROUP BY e.i');
SET sparseeinsum.cache_size = '64kB';
SELECT some_sent($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN x ON x.i = e.j GROUP BY e.i$$);
RESET sparseeinsum.cache_size;
SET work_mem = '1MB';
SELECT some_sent('WITH e AS MATERIALIZED (SELECT * FROM edge) SELECT e.i, tensor_sum(x.value) FROM e JOIN wider x ON x.i = e.j GROUP BY e.i');
RESET work_mem; RESET hash_mem_multiplier;
RESET parallel_leader_participation;
SELECT regexp_replace(sent('SELECT e.i, x.value FROM edge e JOIN x ON x.i = e.j'), '^\d*', 'any');

-- no worker; a node that begins again; a reader that stops
SET max_parallel_workers = 0;
SELECT sent('SELECT e.i, x.value FROM edge e JOIN x ON x.i = e.j');
RESET max_parallel_workers;
SET enable_nestloop = on; SET enable_hashjoin = off; SET enable_material = off;
SELECT regexp_replace(sent('SELECT e.l, x.value FROM generate_series(1, 4) e(l) JOIN LATERAL (SELECT * FROM x OFFSET 0) x ON x.i < e.l * 100'), '^\d*', 'any');
SELECT regexp_replace(sent('SELECT e.l, (SELECT sum(tensor_count_nonzero(y.value)) FROM (SELECT * FROM x OFFSET 0) y JOIN generate_series(1, 2) g ON y.i % 100 > g + e.l) FROM generate_series(1, 4) e(l)'), '^\d*', 'any');
RESET enable_hashjoin; RESET enable_material; SET enable_nestloop = off;
SELECT count(*), sum(tensor_count_nonzero(value)) > 0 AS values FROM (SELECT e.i, x.value FROM x JOIN edge e ON x.i = e.j LIMIT 7) x;
BEGIN;
DECLARE some_rows CURSOR FOR SELECT e.i, x.value FROM x JOIN edge e ON x.i = e.j;
MOVE 5 FROM some_rows;
CLOSE some_rows;
DECLARE some_rows CURSOR FOR SELECT e.i, x.value FROM x JOIN edge e ON x.i = e.j;
MOVE 5 FROM some_rows;
ROLLBACK;
-- an error in a worker
\set VERBOSITY terse
SET parallel_leader_participation = off;
UPDATE node SET value = vector(1, 9) WHERE i = 900;
SELECT count(*) FROM x JOIN edge e ON x.i = e.j WHERE tensor_count_nonzero(x.value) > e.i;

DROP VIEW x, two, wider; DROP TABLE node, edge, w, wide;
DROP FUNCTION some_sent, sent, :included;
