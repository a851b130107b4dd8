-- The aggregates under every way that PostgreSQL runs an aggregate
SET sparseeinsum.enable_aggregate_join = off;
CREATE TABLE item (g int, p int, w float8, v tensor) WITH (parallel_workers = 2);
INSERT INTO item
	SELECT g, p, (g + p) % 5 - 2, einsum('i,->i', '[1,-2,3,-4,5,-6,7,-8]'::tensor, (g * 7 + p * 3) % 11 - 5)
	FROM allints(0, 40) g, allints(0, 50) p;
ANALYZE item;
-- the expected values by scalar SQL: element i of v is s(i) * f
CREATE VIEW expected AS
	SELECT g, i, sum(s * f) AS sum, min(s * f) AS min, max(s * f) AS max, sum(s * f * w) AS fused
	FROM (SELECT g, (g * 7 + p * 3) % 11 - 5 AS f, w FROM item) t,
		 (VALUES (0, 1), (1, -2), (2, 3), (3, -4), (4, 5), (5, -6), (6, 7), (7, -8)) AS u(i, s)
	GROUP BY g, i;
CREATE VIEW grouped AS
	SELECT g, tensor_sum(v) AS sum, tensor_min(v) AS min, tensor_max(v) AS max, einsum_sum('i,->i', v, w) AS fused,
		   tensor_map_max('$1*$2', 'i,->i', v, w) AS map, einsum_sum_scalar('i,->', v, w) AS fused_scalar,
		   stack(w, p, 0, 50) AS stacked, stack(v, p, 1, 50) AS stacked_v, tensor_sum(w) AS w
	FROM item GROUP BY g;
CREATE FUNCTION check_grouped(OUT groups bigint, OUT entries bigint, OUT wrong bigint) LANGUAGE sql AS $$
	SELECT (SELECT count(*) FROM grouped), count(*), count(*) FILTER (WHERE
		x.sum <> e.sum OR x.min <> e.min OR x.max <> e.max OR x.fused <> e.fused)
	FROM expected e JOIN
		 (SELECT g, s.index AS i, s.value::float8 AS sum, lo.value::float8 AS min, hi.value::float8 AS max, f.value::float8 AS fused
		  FROM grouped q, tensor_unstack(q.sum, 0) s, tensor_unstack(q.min, 0) lo, tensor_unstack(q.max, 0) hi, tensor_unstack(q.fused, 0) f
		  WHERE s.index = lo.index AND s.index = hi.index AND s.index = f.index) x USING (g, i)
$$;
CREATE TABLE reference AS SELECT * FROM grouped;
SELECT * FROM check_grouped();
SELECT count(*), bool_and(w = (SELECT sum(w) FROM item i WHERE i.g = r.g)) AS same,
	   bool_and(fused_scalar = (SELECT sum(fused) FROM expected e WHERE e.g = r.g)) AS same,
	   bool_and(stacked = (SELECT array_agg(w ORDER BY p) FROM item i WHERE i.g = r.g)::tensor) AS same
FROM reference r;
CREATE FUNCTION same_as_reference(OUT groups bigint, OUT wrong bigint) LANGUAGE sql AS $$
	SELECT count(*), count(*) FILTER (WHERE g.sum <> r.sum OR g.min <> r.min OR g.max <> r.max OR g.fused <> r.fused OR
		g.map <> r.map OR g.fused_scalar <> r.fused_scalar OR g.stacked <> r.stacked OR g.stacked_v <> r.stacked_v OR g.w <> r.w)
	FROM grouped g FULL JOIN reference r USING (g)
$$;

-- whether the plan of a query has a node
CREATE FUNCTION plan_has(query text, node text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ node THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
-- sorted groups
SET enable_hashagg = off;
SELECT plan_has('SELECT * FROM grouped', 'GroupAggregate') AS sorted;
SELECT * FROM same_as_reference();
RESET enable_hashagg;
SELECT plan_has('SELECT * FROM grouped', 'HashAggregate') AS hashed;
-- states of 64 bytes for each group fit in memory, states of 4 kB do not
SET work_mem = '64kB';
SELECT plan_has('SELECT g, tensor_sum(v) FROM item GROUP BY g', 'HashAggregate') AS hashed,
	   plan_has('SELECT g, tensor_sum(einsum(''i,j,k->ijk'', v, v, v)) FROM item GROUP BY g', 'GroupAggregate') AS sorted;
RESET work_mem;
-- parallel, by hashing and by sorting, with states that are combined
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT plan_has('SELECT * FROM grouped', 'Partial HashAggregate') AS parallel;
SELECT * FROM same_as_reference();
SET enable_hashagg = off;
SELECT plan_has('SELECT * FROM grouped', 'Partial GroupAggregate') AS parallel;
SELECT * FROM same_as_reference();
RESET enable_hashagg;
SELECT plan_has($$SELECT einsum_sum('i,->i', v, w), stack(p, g * 50 + p, 0, 2000), tensor_max(v) FROM item$$, 'Partial Aggregate') AS parallel;
SELECT einsum_sum('i,->i', v, w), tensor_sum(v), tensor_min(v), tensor_max(w) FROM item;
SELECT einsum_sum('i,->i', v, w) = (SELECT tensor_sum(fused) FROM reference) AS same,
	   tensor_map_max('$1*$2', 'i,->i', v, w) = (SELECT max(map) FROM reference) AS same,
	   stack(w, g * 50 + p, 0, 2000) = (SELECT array_agg(w ORDER BY g, p) FROM item)::tensor AS same
FROM item;
-- partial states of different element types, and stacks that overlap
SELECT tensor_type(s), s = (SELECT tensor_sum(sum) FROM reference) AS same
FROM (SELECT tensor_sum(CASE WHEN g = 33 AND p = 7 THEN v ELSE v::tensor(float4,1)::tensor END) AS s FROM item) x;
SELECT count(DISTINCT tensor_type(s)) AS types, bool_and(s = r.stacked_v) AS same
FROM (SELECT g, stack(CASE WHEN p % 7 = 0 THEN v ELSE v::tensor(float4,1)::tensor END, p, 1, 50) AS s FROM item GROUP BY g) x
JOIN reference r USING (g);
\set SHOW_CONTEXT never
SELECT stack(w, 7, 0, 50) FROM item;
\set SHOW_CONTEXT errors
-- an inheritance tree with a partial aggregate for each member
CREATE TABLE parted (g int, p int, w float8, v tensor) PARTITION BY HASH (p);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT * FROM item;
ANALYZE parted;
SET enable_partitionwise_aggregate = on;
SET max_parallel_workers_per_gather = 0;
SET cpu_tuple_cost = 1;
SELECT plan_has($$SELECT g, einsum_sum('i,->i', v, w), stack(v, p, 1, 50), tensor_min(v) FROM parted GROUP BY g$$, 'Partial HashAggregate') AS partial;
SELECT count(*), bool_and(x.f = r.fused AND x.s = r.stacked_v AND x.m = r.min) AS same
FROM (SELECT g, einsum_sum('i,->i', v, w) f, stack(v, p, 1, 50) s, tensor_min(v) m FROM parted GROUP BY g) x JOIN reference r USING (g);
RESET cpu_tuple_cost;
RESET enable_partitionwise_aggregate;
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP TABLE parted;

-- hashing that spills: 20,000 groups of 4 rows in 64 kB
CREATE TABLE many (g int, p int, v tensor);
INSERT INTO many SELECT g, p, einsum('i,->i', '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]'::tensor, g % 100 + p) FROM allints(0, 4) p, allints(0, 20000) g;
ANALYZE many;
SET work_mem = '64kB';
SET enable_sort = off;
SET max_parallel_workers_per_gather = 0;
DO $$
DECLARE
	line text;
	spilled boolean := false;
BEGIN
	FOR line IN EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
		SELECT g, tensor_sum(v), einsum_sum('i,->i', v, 2), stack(v, p, 0, 4) FROM many GROUP BY g
	LOOP
		spilled := spilled OR line ~ 'Batches: ([2-9]|[0-9]{2,}).*Disk Usage';
	END LOOP;
	RAISE NOTICE 'spilled: %', spilled;
END $$;
SELECT count(*), bool_and(s = einsum('i,->i', '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]'::tensor, 4 * (g % 100) + 6)) AS same,
	   bool_and(e = einsum('i,->i', s, 2)) AS same, bool_and(einsum('pi->i', k) = s) AS same,
	   bool_and(k[3] = einsum('i,->i', '[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]'::tensor, g % 100 + 3)) AS same
FROM (SELECT g, tensor_sum(v) s, einsum_sum('i,->i', v, 2) e, stack(v, p, 0, 4) k FROM many GROUP BY g) x;
RESET work_mem;
RESET enable_sort;
RESET max_parallel_workers_per_gather;
DROP TABLE many;

-- windows: running, moving and whole frames read the state many times over
CREATE TABLE step (p int, v tensor, w float8);
INSERT INTO step SELECT p, stack(CASE i WHEN 0 THEN p ELSE -p END, i, 0, 2), p FROM allints(1, 6) p, allints(0, 2) i GROUP BY p;
SELECT p, tensor_sum(v) OVER (ORDER BY p) AS running, tensor_sum(v) OVER (ORDER BY p ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS moving,
	   einsum_sum('i,->i', v, w) OVER (ORDER BY p) AS fused, stack(w, p - 1, 0, 5) OVER (ORDER BY p) AS stacked,
	   stack(w, p - 1, 0, 5) OVER (ORDER BY p ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS stacked_2,
	   max(v) OVER () AS whole
FROM step ORDER BY p;
SELECT array_agg(s ORDER BY p) FROM (SELECT p, tensor_sum(v) OVER (ORDER BY p) AS s FROM step) x;
-- grouping sets
SELECT p % 2 AS odd, p > 3 AS large, tensor_sum(v), einsum_sum('i,->i', v, w), stack(w, p, 0, 7), tensor_max(w)
FROM step GROUP BY ROLLUP (p % 2, p > 3) ORDER BY 1, 2;
SET enable_hashagg = off;
SELECT p % 2 AS odd, p > 3 AS large, tensor_sum(v), einsum_sum('i,->i', v, w), stack(w, p, 0, 7), tensor_max(w)
FROM step GROUP BY CUBE (p % 2, p > 3) ORDER BY 1, 2;
RESET enable_hashagg;
-- ORDER BY, DISTINCT and FILTER
SELECT tensor_sum(v ORDER BY p DESC), tensor_sum(DISTINCT v), tensor_sum(DISTINCT w), einsum_sum('i,->i', v, w ORDER BY w),
	   tensor_sum(v) FILTER (WHERE p > 4), stack(w, p, 0, 6 ORDER BY p DESC)
FROM (SELECT * FROM step UNION ALL SELECT * FROM step WHERE p = 99) x;
SELECT tensor_sum(DISTINCT v), einsum_sum(DISTINCT 'i,->i', v, w), tensor_sum(DISTINCT w) FROM (SELECT * FROM step UNION ALL SELECT * FROM step) x;
-- the same transition for several aggregates
SELECT sum(v), tensor_sum(v), sum(v) = tensor_sum(v) AS same FROM step;
-- in a view with HAVING, a correlated subquery, and a prepared statement run often
SELECT p % 2 AS odd, sum(v) FROM step GROUP BY 1 HAVING inner_prod(sum(v), '[1,0]') > 7 ORDER BY 1;
SELECT s.p, (SELECT einsum_sum('i,->i', t.v, s.w) FROM step t WHERE t.p < s.p) FROM step s ORDER BY p;
PREPARE total(text, float8) AS SELECT einsum_sum($1, v, $2) FROM step;
EXECUTE total('i,->i', 1);
EXECUTE total('i,->i', 2);
EXECUTE total('i,->i', 3);
EXECUTE total('i,->i', 4);
EXECUTE total('i,->i', 5);
EXECUTE total('i,->i', 6);
EXECUTE total('i,->', 7);
DEALLOCATE total;
DROP TABLE step;
DROP FUNCTION check_grouped, same_as_reference, plan_has;
DROP VIEW grouped, expected;
DROP TABLE item, reference;
