-- Results of batches in memory of their own: where rows may refer to them, and where not.
SET sparseeinsum.enable_batching = force;
SET sparseeinsum.enable_aggregate_join = off;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;

\i test/sql/include/rows_and_plans.sql
CREATE TABLE node AS SELECT i, vector(i, 8) AS value FROM generate_series(0, 299) i;
CREATE TABLE edge AS SELECT k % 300 AS i, k * 7 % 290 AS j, k % 5 + 1.0::float8 AS value FROM generate_series(0, 2999) k;
CREATE TABLE w AS SELECT tensor_reshape(vector(3, 8 * 50), ARRAY[8, 50]) AS value;
CREATE TABLE w2 AS SELECT tensor_reshape(vector(5, 50 * 40), ARRAY[50, 40]) AS value;
ANALYZE node; ANALYZE edge; ANALYZE w; ANALYZE w2;
-- 50 numbers for each node
CREATE VIEW xw AS SELECT i, einsum_once(value) AS value FROM (
	SELECT i, einsum('k,km->m', node.value, w.value) AS value FROM node, w) x;

-- how many results are not in the rows, and whether the query's are those without batches
CREATE FUNCTION kept(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n int8;
	rows int8;
	result text;
BEGIN
	SELECT coalesce(sum(substring(line from 'Results out of Line: (\d+)')::int8), 0) INTO n FROM executed_plan_of(query) line;
	query := as_text(query);
	rows := keep_rows('batched', query);
	PERFORM set_config('sparseeinsum.enable_batching', 'off', true);
	PERFORM keep_rows('plain', query);
	PERFORM set_config('sparseeinsum.enable_batching', 'force', true);
	result := format('%s out of line, %s rows, %s different', n, rows, different_rows('batched', 'plain'));
	DROP TABLE batched;
	RETURN result;
END $$;

-- What joins keep, and kernels and aggregates read
SELECT kept($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
SELECT kept($$SELECT e.i, tensor_sum(x.value), tensor_min(x.value), tensor_max(x.value), einsum_max('a->a', x.value), einsum_sum_scalar('a->', x.value), tensor_map_sum('abs($1)', 'a->a', x.value) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
SELECT kept($$SELECT e.i, e.j, einsum_scalar('a,,a->', x.value, e.value, y.value) FROM edge e JOIN xw x ON x.i = e.i JOIN xw y ON y.i = e.j$$);
SELECT kept($$SELECT e.i, tensor_sum(x.value) FILTER (WHERE e.j % 2 = 0) FROM edge e LEFT JOIN xw x ON x.i = e.j + 100 GROUP BY e.i$$);
SELECT kept($$SELECT e.i, tensor_sum(x.value), max(x.value), min(x.value) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
SELECT kept($$SELECT e.i, (SELECT tensor_sum(y.value) FROM node y WHERE y.i < x.i) AS s, einsum_scalar('a->', x.value) AS t FROM edge e JOIN xw x ON x.i = e.j WHERE e.i < 5$$);
SELECT kept($$SELECT l, (SELECT tensor_sum(x.value) FROM xw x JOIN edge e ON e.i = x.i WHERE e.j < l) FROM generate_series(1, 3) l$$);
-- sorted, merged, materialised, read several times
SET enable_hashjoin = off; SET enable_mergejoin = on; SET enable_hashagg = off;
SELECT kept($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
SET enable_mergejoin = off; SET enable_nestloop = on;
SELECT kept($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN xw x ON x.i = e.j WHERE e.i < 20 GROUP BY e.i$$);
RESET enable_hashjoin; RESET enable_hashagg; RESET enable_mergejoin;
SELECT kept($$WITH x AS MATERIALIZED (SELECT * FROM xw)
	SELECT a.i, tensor_sum(einsum(',a->a', a.i, a.value)) AS s, einsum_sum_scalar('a,a->', a.value, b.value) AS p FROM x a JOIN x b ON b.i = a.i + 1 GROUP BY a.i$$);
-- a kernel of kernels' results, in batches above
-- one that stays the same is recognised by its pointer: a batch does not end with every row
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
WITH m AS MATERIALIZED (SELECT i, value IS NULL AS missing, value FROM xw)
SELECT count(einsum('a,k->ka', m.value, node.value)) FROM node, m WHERE m.i = 5 AND NOT m.missing;
SELECT kept($$SELECT e.i, einsum_sum(',a->a', e.value, y.value) FROM edge e JOIN (
	SELECT i, einsum_once(value) AS value FROM (SELECT h.i, einsum('m,mc->c', h.value, w2.value) AS value FROM (
		SELECT e.i, einsum_sum(',a->a', e.value, x.value) AS value FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i OFFSET 0) h, w2) h) y ON y.i = e.j GROUP BY e.i$$);

-- no memory for all of them: sums add up what is kept and what is in the row, by turns
SET sparseeinsum.cache_size = '64kB';
SELECT kept($$SELECT e.i, einsum_sum(',a->a', e.value, x.value), tensor_sum(x.value) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
RESET sparseeinsum.cache_size;

-- What leaves the query, or might, is in the row
SELECT kept('SELECT * FROM xw');
SELECT kept('SELECT e.i, e.j, x.value FROM edge e JOIN xw x ON x.i = e.j');
SELECT kept('SELECT i, value FROM xw ORDER BY i LIMIT 10');
SELECT kept('SELECT DISTINCT value FROM xw');
SELECT kept($$SELECT e.i, tensor_sum(x.value), (array_agg(x.value ORDER BY e.j))[1] FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
SELECT kept($$SELECT e.i, tensor_sum(x.value ORDER BY e.j) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
SELECT kept($$SELECT x.value, count(*) FROM edge e JOIN xw x ON x.i = e.j GROUP BY x.value$$);
SELECT kept($$SELECT e.i, CASE WHEN e.value > 2 THEN x.value END FROM edge e JOIN xw x ON x.i = e.j$$);
SELECT kept($$SELECT e.i, row(x.value) FROM edge e JOIN xw x ON x.i = e.j$$);
SELECT kept($$SELECT e.i, x FROM edge e JOIN xw x ON x.i = e.j$$);
SELECT kept($$SELECT e.i, coalesce(x.value, '[1]') FROM edge e LEFT JOIN xw x ON x.i = e.j + 100$$);
SELECT kept($$SELECT e.i, x.value::text FROM edge e JOIN xw x ON x.i = e.j$$);
SELECT kept($$SELECT a.i, einsum_sum_scalar('a->', a.value) OVER (ORDER BY a.i), b.value FROM xw a JOIN xw b ON b.i = a.i$$);
SELECT kept($$SELECT a.i FROM xw a JOIN xw b ON b.value = a.value$$);
SELECT kept($$SELECT a.i, u.* FROM xw a JOIN edge e ON e.i = a.i, LATERAL einsum_unstack(a.value, 0, 0) u WHERE a.i < 10$$);
SELECT kept($$SELECT i, tensor_sum(value) FROM (SELECT i, value FROM xw UNION ALL SELECT i, value FROM xw) x GROUP BY i$$);

-- Values that outlive their query: cursors, variables, tables, functions
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT e.i, e.j, x.value FROM edge e JOIN xw x ON x.i = e.j ORDER BY e.i, e.j LIMIT 3;
FETCH 1 FROM c;
COMMIT;
SELECT einsum_scalar('a->', value) FROM (SELECT value FROM xw WHERE i = 3) x;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
CLOSE c;
CREATE FUNCTION held() RETURNS SETOF tensor LANGUAGE plpgsql AS $$
DECLARE
	v tensor;
	r record;
	s tensor;
BEGIN
	SELECT x.value INTO v FROM edge e JOIN xw x ON x.i = e.j ORDER BY e.i, e.j LIMIT 1;
	FOR r IN SELECT e.i, einsum_sum(',a->a', e.value, x.value) AS value FROM edge e JOIN xw x ON x.i = e.j WHERE e.i < 3 GROUP BY e.i ORDER BY e.i LOOP
		s := r.value;
	END LOOP;
	PERFORM count(*) FROM xw;
	RETURN NEXT einsum('a->', v);
	RETURN NEXT einsum('a->', s);
	RETURN NEXT einsum('a->', r.value);
END $$;
SELECT * FROM held();
CREATE FUNCTION of_node(int) RETURNS tensor LANGUAGE sql AS 'SELECT x.value FROM edge e JOIN xw x ON x.i = e.j WHERE e.i = $1 ORDER BY e.j LIMIT 1';
SELECT einsum('a->', of_node(1)), einsum('a->', of_node(2));
CREATE TABLE stored AS SELECT e.i, e.j, x.value FROM edge e JOIN xw x ON x.i = e.j WHERE e.i < 2;
INSERT INTO stored SELECT e.i, e.j, x.value FROM edge e JOIN xw x ON x.i = e.j WHERE e.i = 2 RETURNING i, einsum('a->', value);
SELECT count(*), einsum('a->', tensor_sum(value)) FROM stored;

-- Prepared, run again; rescans; errors in the middle
PREPARE sums(int) AS SELECT einsum_scalar('a->', tensor_sum(s)) FROM (
	SELECT e.i, einsum_sum(',a->a', e.value, x.value) AS s FROM edge e JOIN xw x ON x.i = e.j WHERE e.i < $1 GROUP BY e.i) q;
EXECUTE sums(10); EXECUTE sums(10); EXECUTE sums(20);
SELECT kept($$SELECT l, s FROM generate_series(1, 4) l, LATERAL (
	SELECT tensor_sum(s) AS s FROM (SELECT e.i, einsum_sum(',a->a', e.value, x.value) AS s FROM edge e JOIN (
		SELECT i, einsum_once(value) AS value FROM (SELECT i, einsum('k,km,->m', node.value, w.value, l) AS value FROM node, w) x) x ON x.i = e.j GROUP BY e.i) q) q$$);
SELECT tensor_sum(x.value) FROM edge e JOIN (SELECT i, einsum_once(value) AS value FROM (
	SELECT i, einsum('k,km->m', CASE WHEN i = 200 THEN '[1,2]' ELSE node.value END, w.value) AS value FROM node, w) y) x ON x.i = e.j;
DO $$ BEGIN
	PERFORM tensor_sum(x.value), sum(1 / (e.j - 289)) FROM edge e JOIN xw x ON x.i = e.j;
EXCEPTION WHEN division_by_zero THEN RAISE NOTICE 'caught';
END $$;
EXECUTE sums(10);

-- A small budget: what does not fit is in the rows. None at all
SET sparseeinsum.cache_size = '64kB';
SELECT kept($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
SET sparseeinsum.cache_size = 0;
SELECT kept($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
RESET sparseeinsum.cache_size;
-- batches of a hash join and of an aggregate on disk
SET work_mem = '64kB'; SET enable_mergejoin = off; SET enable_nestloop = off;
SELECT kept($$SELECT e.i, einsum_sum(',a->a', e.value, x.value) FROM edge e JOIN xw x ON x.i = e.j GROUP BY e.i$$);
RESET work_mem;

-- Workers: nothing is shared with them
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT kept($$SELECT e.i, tensor_sum(x.value) FROM edge e JOIN (SELECT i, einsum('k,km->m', node.value, w.value) AS value FROM node, w OFFSET 0) x ON x.i = e.j GROUP BY e.i$$) ~ ' 300 rows, 0 different';
SET enable_parallel_hash = off;
SELECT kept($$SELECT e.i, tensor_sum(einsum(',a->a', e.value, x.value)) FROM edge e JOIN (SELECT i, einsum('k,km->m', node.value, w.value) AS value FROM node, w OFFSET 0) x ON x.i = e.j GROUP BY e.i$$) ~ ' 300 rows, 0 different';

DROP VIEW xw;
DROP TABLE node, edge, w, w2, stored;
DROP FUNCTION :included, kept, held, of_node;
