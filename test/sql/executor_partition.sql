-- Partitioned aggregates: parallel workers aggregate groups of their own.
SET sparseeinsum.enable_batching = on;
SET sparseeinsum.enable_partitioning = force;
SET sparseeinsum.enable_aggregate_join = off;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;

-- vectors of 8 small integers in the row, and of 300 out of line; keys with NULLs and gaps
\i test/sql/include/rows_and_plans.sql
CREATE TABLE edge AS SELECT r, CASE WHEN r % 31 <> 3 THEN (r * 7919 % 211)::int END AS i, (r * 104729 % 131)::int8 AS j,
	(r * 31 % 17)::int2 AS k, CASE WHEN r % 13 <> 5 THEN 'key ' || r * 613 % 37 END AS t, (r % 7)::numeric / 2 AS num, (r % 11 - 5)::float8 AS value
	FROM generate_series(1, 4000) r;
CREATE TABLE node AS SELECT i::int8, vector(i, 8) AS value, vector(i, 300) AS wide FROM generate_series(0, 120) i;
CREATE TABLE other AS SELECT i, vector(i, 8) AS value FROM generate_series(0, 300, 3) i;
CREATE TABLE w AS SELECT tensor_reshape(vector(3, 40), ARRAY[8, 5]) AS value;
CREATE TABLE none (i int, j int8, value tensor);
CREATE TABLE part (i int, j int8, value float8) PARTITION BY RANGE (i);
CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (100);
CREATE TABLE part_high PARTITION OF part DEFAULT;
INSERT INTO part SELECT i, j, value FROM edge;
CREATE INDEX ON node (i);
-- every process reads it in full
ALTER TABLE node SET (parallel_workers = 0);
ANALYZE edge; ANALYZE node; ANALYZE other; ANALYZE w; ANALYZE none; ANALYZE part;

-- Plans
CREATE VIEW product AS SELECT e.i, einsum_sum(',a->a', e.value, n.wide) AS value FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i;
EXPLAIN (COSTS OFF) SELECT * FROM product;
-- an aggregate of the result is computed before the rows are gathered
EXPLAIN (COSTS OFF, VERBOSE) SELECT einsum_sum_scalar('a->', value) FROM product;
EXPLAIN (COSTS OFF, FORMAT JSON) SELECT i, k, tensor_sum(vector(r, 8)) FROM edge GROUP BY i, k;
SET parallel_leader_participation = off;
EXPLAIN (COSTS OFF) SELECT * FROM product;
RESET parallel_leader_participation;
-- the filter goes as far down as the keys go: not below an outer join's other side, nor below a join whose sides both have keys
EXPLAIN (COSTS OFF) SELECT e.i, tensor_sum(n.value) FROM edge e LEFT JOIN other n ON e.i = n.i GROUP BY e.i;
EXPLAIN (COSTS OFF) SELECT n.i, tensor_sum(vector(e.j, 8)) FROM edge e LEFT JOIN other n ON e.i = n.i GROUP BY n.i;
EXPLAIN (COSTS OFF) SELECT e.k, n.j, tensor_sum(vector(e.r, 8)) FROM edge e JOIN part n ON e.i = n.i GROUP BY e.k, n.j;
-- but below one with keys of the other side that are what the sides are joined by
EXPLAIN (COSTS OFF) SELECT e.k, n.i, tensor_sum(n.value) FROM edge e JOIN node n ON e.i = n.i GROUP BY e.k, n.i;
-- kernels in arguments of the aggregate are batched above the join
SET sparseeinsum.enable_batching = force;
EXPLAIN (COSTS OFF, VERBOSE) SELECT e.i, tensor_sum(vec_mat_mult(n.value, w.value)) FROM edge e JOIN node n ON e.j = n.i, w GROUP BY e.i;
EXPLAIN (COSTS OFF) SELECT i, einsum_sum_scalar('a->', value) FROM (SELECT i, einsum_once(vec_mat_mult(n.value, w.value)) AS value FROM node n, w) x GROUP BY i;
SET sparseeinsum.enable_batching = on;
-- the columns of a subquery that are a table's are keys
EXPLAIN (COSTS OFF) SELECT i, tensor_sum(value) FROM (SELECT e.i, n.i AS j, tensor_max(n.value) AS value FROM edge e JOIN node n ON e.j = n.i GROUP BY 1, 2) x GROUP BY i;
EXPLAIN (COSTS OFF) SELECT i, einsum_sum(',->', value, value) FROM part GROUP BY i;

-- conditions of a scan are checked by the filter, for the rows it passes, but for those that keep rows from the reader
EXPLAIN (COSTS OFF, VERBOSE) SELECT i, einsum_sum(',->', value, num) FROM edge WHERE k > 3 AND value < num GROUP BY i;
CREATE ROLE regress_partition;
GRANT SELECT ON edge TO regress_partition;
CREATE POLICY low_k ON edge USING (k < 9);
ALTER TABLE edge ENABLE ROW LEVEL SECURITY;
SET ROLE regress_partition;
EXPLAIN (COSTS OFF) SELECT i, einsum_sum(',->', value, value) FROM edge WHERE k > 3 GROUP BY i;
RESET ROLE;
ALTER TABLE edge DISABLE ROW LEVEL SECURITY;
DROP POLICY low_k ON edge;
REVOKE ALL ON edge FROM regress_partition;
DROP ROLE regress_partition;

-- Not where a key is an expression, rows are chosen at random or by their order, functions are volatile,
-- groups are sorted or several sets of them are asked for, the query has no groups or no aggregate of ours
CREATE FUNCTION filtered(query text) RETURNS int LANGUAGE sql AS $$
	SELECT count(*)::int FROM plan_of(query) line WHERE line LIKE '%PartitionFilter%' $$;
SELECT filtered('SELECT i, einsum_sum('',->'', value, value) FROM edge GROUP BY i') AS chosen;
SELECT filtered('SELECT i % 7, einsum_sum('',->'', value, value) FROM edge GROUP BY i % 7') AS expression,
	filtered('SELECT i, einsum_sum('',->'', value, value) FROM (SELECT i + 1 AS i, value FROM edge) x GROUP BY i') AS inner_expression,
	filtered('SELECT i, einsum_sum('',->'', value, value) FROM (SELECT * FROM edge LIMIT 50) x GROUP BY i') AS limited,
	filtered('SELECT i, einsum_sum('',->'', value, value) FROM edge TABLESAMPLE bernoulli (50) GROUP BY i') AS sample,
	filtered('SELECT e.i, tensor_sum(n.value) FROM edge e JOIN node n TABLESAMPLE bernoulli (50) ON e.j = n.i GROUP BY e.i') AS inner_sample,
	filtered('SELECT i, einsum_sum('',->'', value, extract(epoch FROM clock_timestamp())::float8) FROM edge GROUP BY i') AS volatile,
	filtered('SELECT i, einsum_sum('',->'', value, random()) FROM edge GROUP BY i') AS restricted,
	filtered('SELECT i, einsum_sum('',->'', value, value) FROM (SELECT * FROM edge WHERE value < extract(epoch FROM clock_timestamp())) x GROUP BY i') AS inner_volatile,
	filtered('SELECT i, einsum_sum('',->'', value, value) FROM edge e WHERE k = (SELECT min(k) FROM edge f WHERE f.i = e.i) GROUP BY i') AS subplan,
	filtered('SELECT i, einsum_sum('',->'', value, value) FROM edge GROUP BY ROLLUP (i)') AS rollup,
	filtered('SELECT einsum_sum('',->'', value, value) FROM edge') AS no_groups,
	filtered('SELECT i, sum(value) FROM edge GROUP BY i') AS no_own_aggregate,
	filtered('SELECT i, stack(value, k, 1, 17 ORDER BY k) FROM edge GROUP BY i') AS ordered,
	filtered('SELECT n, einsum_sum('',->'', n, n) FROM generate_series(1, 9) n GROUP BY n') AS function,
	filtered('WITH e AS MATERIALIZED (SELECT * FROM edge) SELECT i, einsum_sum('',->'', value, value) FROM e GROUP BY i') AS with_query;
SET max_parallel_workers_per_gather = 0;
SELECT filtered('SELECT i, einsum_sum('',->'', value, value) FROM edge GROUP BY i') AS no_workers;
SET max_parallel_workers_per_gather = 2;
SET sparseeinsum.enable_partitioning = off;
SELECT filtered('SELECT i, einsum_sum('',->'', value, value) FROM edge GROUP BY i') AS off;
SET sparseeinsum.enable_partitioning = maybe;
SET sparseeinsum.enable_partitioning = force;


-- Results: with partitions and without, by one to four processes
CREATE FUNCTION same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	mode text;
	filters int := 0;
	rows int8;
	differences int8[];
BEGIN
	query := as_text(query);
	PERFORM set_config('sparseeinsum.enable_partitioning', 'off', true);
	PERFORM set_config('max_parallel_workers_per_gather', '0', true);
	rows := keep_rows('serial', query);
	PERFORM set_config('sparseeinsum.enable_partitioning', 'force', true);
	FOREACH mode IN ARRAY ARRAY['1 on', '2 on', '3 on', '2 off'] LOOP
		PERFORM set_config('max_parallel_workers_per_gather', split_part(mode, ' ', 1), true);
		PERFORM set_config('parallel_leader_participation', split_part(mode, ' ', 2), true);
		filters := greatest(filters, filtered(query));
		PERFORM keep_rows('partitioned', query);
		differences := differences || different_rows('serial', 'partitioned');
	END LOOP;
	DROP TABLE serial;
	PERFORM set_config('max_parallel_workers_per_gather', '2', true);
	PERFORM set_config('parallel_leader_participation', 'on', true);
	RETURN format('%s rows, %s different%s', rows, differences, CASE WHEN filters > 0 THEN '' ELSE ', not partitioned' END);
END $$;

SELECT same('SELECT * FROM product');
SELECT same('SELECT einsum_sum_scalar(''a->'', value), count(*) FROM product');
-- keys: NULL, text, several, numeric that are equal and look different, all of a table's, out of line
SELECT same('SELECT t, einsum_sum('',->'', value, value), count(*), sum(r) FROM edge GROUP BY t');
SELECT same('SELECT i, j, t, k, einsum_sum('',->'', value, value), count(*) FROM edge GROUP BY i, j, t, k');
SELECT same('SELECT num, einsum_sum('',->'', value, value) FROM (SELECT CASE WHEN r % 2 = 0 THEN num ELSE round(num, 1) END AS num, value FROM edge) x GROUP BY num');
CREATE TABLE odd AS SELECT CASE WHEN r % 2 = 0 THEN num ELSE round(num, 1) END AS num, repeat(t, 600) AS t, value FROM edge;
SELECT same('SELECT num, einsum_sum('',->'', value, value) FROM odd GROUP BY num');
SELECT same('SELECT md5(t), v FROM (SELECT t, einsum_sum('',->'', value, value) AS v FROM odd GROUP BY t) x');
SELECT same('SELECT r, einsum_sum('',->'', value, value) FROM edge GROUP BY r');
-- joins of all kinds, keys of either side and of both
SELECT same('SELECT n.i, einsum_sum('',a->a'', e.value, n.wide) FROM edge e JOIN node n ON e.j = n.i GROUP BY n.i');
SELECT same('SELECT e.i, n.i, einsum_sum('',a->a'', e.value, n.wide) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i, n.i');
SELECT same('SELECT e.k, n.j, tensor_sum(vector(e.r, 8)) FROM edge e JOIN part n ON e.i = n.i AND e.j = n.j GROUP BY e.k, n.j');
SELECT same('SELECT n.i, o.i, tensor_sum(n.value), count(*) FROM edge e JOIN node n ON e.k = n.i JOIN other o ON e.k = o.i GROUP BY n.i, o.i');
SELECT same('SELECT o.num, einsum_sum('',->'', e.value, e.value) FROM edge e JOIN (SELECT DISTINCT num FROM odd) o ON e.num = o.num GROUP BY o.num');
SELECT same('SELECT e.i, tensor_sum(n.value), count(*) FROM edge e LEFT JOIN other n ON e.i = n.i GROUP BY e.i');
SELECT same('SELECT n.i, tensor_sum(vector(e.j, 8)), count(*) FROM edge e LEFT JOIN other n ON e.i = n.i GROUP BY n.i');
SELECT same('SELECT n.i, tensor_sum(n.value), count(e.i) FROM edge e RIGHT JOIN other n ON e.i = n.i GROUP BY n.i');
-- (full joins have parallel plans in newer versions only)
SELECT split_part(same('SELECT n.i, e.k, tensor_sum(n.value), count(e.i) FROM edge e FULL JOIN other n ON e.i = n.i GROUP BY n.i, e.k'), ', not', 1);
SELECT same('SELECT e.i, einsum_sum('',->'', value, value) FROM edge e WHERE EXISTS (SELECT FROM other n WHERE e.i = n.i) GROUP BY e.i');
SELECT same('SELECT e.i, einsum_sum('',->'', value, value) FROM edge e WHERE NOT EXISTS (SELECT FROM other n WHERE e.i = n.i) GROUP BY e.i');
SET enable_hashjoin = off;
SELECT same('SELECT e.i, einsum_sum('',a->a'', e.value, n.wide) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i');
SET enable_mergejoin = off;
SELECT same('SELECT e.i, einsum_sum('',a->a'', e.value, n.wide) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i');
SELECT same('SELECT e.i, n.i, einsum_sum('',a->a'', e.value, n.wide) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i, n.i');
RESET enable_hashjoin;
RESET enable_mergejoin;
-- conditions, HAVING, ORDER BY, DISTINCT, window functions, several levels
SELECT same('SELECT e.i, einsum_sum('',a->a'', e.value, n.wide) FROM edge e JOIN node n ON e.j = n.i WHERE k > 3 AND e.i BETWEEN 20 AND 90 GROUP BY e.i HAVING count(*) % 2 = 0');
SELECT same('SELECT i, rank() OVER (ORDER BY s, i) FROM (SELECT i, einsum_sum_scalar('',->'', value, value) AS s FROM edge GROUP BY i) x');
SELECT same('SELECT DISTINCT einsum_sum_scalar('',->'', value, value) FROM edge GROUP BY i');
SELECT same('SELECT i, tensor_sum(value) FROM (SELECT e.i, n.i AS j, tensor_max(n.value) AS value FROM edge e JOIN node n ON e.j = n.i GROUP BY 1, 2) x GROUP BY i');
SELECT same('SELECT e.i, tensor_sum(p.value) FROM edge e JOIN product p ON e.k = p.i GROUP BY e.i');
SELECT same('SELECT i, tensor_sum(value) FROM (SELECT * FROM product UNION ALL SELECT i, wide FROM node) x GROUP BY i');
SELECT i FROM (SELECT i, einsum_sum_scalar(',->', value, value) AS s FROM edge GROUP BY i) x ORDER BY s DESC, i LIMIT 3;
-- partitioned tables, empty ones, conditions that nothing meets
SELECT same('SELECT i, einsum_sum('',->'', value, value) FROM part GROUP BY i');
SELECT same('SELECT i, tensor_sum(value) FROM none GROUP BY i');
SELECT same('SELECT e.i, tensor_sum(n.value) FROM edge e JOIN none n ON e.j = n.j GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(n.value) FROM edge e JOIN node n ON e.j = n.i WHERE e.r < 0 GROUP BY e.i');
-- batched projections above and below, with results out of line
SET sparseeinsum.enable_batching = force;
SELECT same('SELECT e.i, tensor_sum(vec_mat_mult(n.value, w.value)) FROM edge e JOIN node n ON e.j = n.i, w GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(h.value) FROM edge e JOIN (SELECT i, einsum_once(tensor_map(''$1 + $2'', ''a,->a'', wide, 1)) AS value FROM node) h ON e.j = h.i GROUP BY e.i');
SELECT same('SELECT h.i, tensor_sum(h.value) FROM edge e JOIN (SELECT i, einsum_once(tensor_map(''$1 + $2'', ''a,->a'', wide, 1)) AS value FROM node) h ON e.j = h.i GROUP BY h.i');
SET sparseeinsum.enable_batching = on;
-- hash tables that do not fit
SET work_mem = '64kB';
SELECT same('SELECT * FROM product');
SELECT same('SELECT i, j, tensor_sum(vector(r, 8)) FROM edge GROUP BY i, j');
RESET work_mem;

-- Rescans: the gathered rows are asked for again
SET enable_material = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
EXPLAIN (COSTS OFF) SELECT o.i, p.i FROM other o LEFT JOIN product p ON o.i + p.i = 200 OR tensor_rank(p.value) = 0 WHERE o.i < 20;
SELECT same('SELECT o.i, p.i, p.value FROM other o LEFT JOIN product p ON o.i + p.i = 200 OR tensor_rank(p.value) = 0 WHERE o.i < 20');
SELECT same('SELECT o.i, p.* FROM (SELECT * FROM other WHERE i < 20) o, LATERAL (SELECT p.i, p.value FROM product p ORDER BY abs(p.i - o.i), p.i LIMIT 2) p');
RESET enable_material;
RESET enable_hashjoin;
RESET enable_mergejoin;
SELECT same('SELECT o.i, (SELECT count(*) FROM product p WHERE p.i > o.i) FROM other o WHERE o.i < 20');
-- prepared statements, and no workers where some were planned
PREPARE sums(int) AS SELECT count(*), einsum_sum_scalar('a->', value) FROM (
	SELECT e.i, einsum_sum(',a->a', e.value, n.wide) AS value FROM edge e JOIN node n ON e.j = n.i WHERE e.k > $1 GROUP BY e.i) x;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE sums(3);
EXECUTE sums(3);
EXECUTE sums(20);
EXECUTE sums(-1);
SET max_parallel_workers = 0;
EXECUTE sums(-1);
SET parallel_leader_participation = off;
EXECUTE sums(-1);
RESET parallel_leader_participation;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT i, einsum_sum(',->', value, value) FROM edge GROUP BY i;
RESET max_parallel_workers;
-- one worker where three were planned
SET max_parallel_workers_per_gather = 3;
SET max_parallel_workers = 1;
EXECUTE sums(-1);
SET parallel_leader_participation = off;
EXECUTE sums(-1);
RESET parallel_leader_participation;
RESET max_parallel_workers;
SELECT count(*) FROM (SELECT * FROM product LIMIT 5) x;
-- a cursor is read without workers
BEGIN;
DECLARE c CURSOR FOR SELECT i, einsum_sum_scalar(',->', value, value) FROM edge GROUP BY i;
MOVE 5 FROM c;
MOVE ALL FROM c;
COMMIT;
-- errors of workers arrive
SELECT i, einsum_sum('a,a->', n.value, '[1,2]') FROM node n GROUP BY i;
RESET plan_cache_mode;
DROP TABLE edge, node, other, w, none, part, odd CASCADE;
DROP FUNCTION :included, filtered, same;
