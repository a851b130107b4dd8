-- Sums that collect rows: the same as those that do not, however rows are grouped. An equation with an ellipsis is never
-- batched, and says the same.
SET search_path = public, sparseeinsum_internal;
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = warning;
SET sparseeinsum.enable_aggregate_join = off;
CREATE TABLE wide (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO wide SELECT i, (SELECT array_agg((i * 7 + k * 3) % 11 - 5 ORDER BY k)::tensor FROM generate_series(1, 300) AS k) FROM generate_series(0, 99) AS i;
CREATE TABLE link (g int, h int, i int, w float8);
INSERT INTO link SELECT n * n % 61, n % 7, n * 13 % 100, n % 5 - 2 FROM generate_series(1, 5000) AS n;
ANALYZE wide, link;
SELECT count(*) FROM wide WHERE pg_column_size(v) > 2000 AND tensor_shape(v) = '{300}';

CREATE VIEW rows_differ AS
	SELECT count(*) AS groups, count(*) FILTER (WHERE batched <> unbatched) AS differ, sum(n) AS n
	FROM (SELECT einsum_sum(',a->a', w, v) AS batched, einsum_sum(',a...->a...', w, v) AS unbatched, count(*) AS n FROM link NATURAL JOIN wide GROUP BY g) AS q;
SELECT * FROM rows_differ;
-- against arithmetic without tensors
WITH elements AS (SELECT g, k, sum(w * ((i * 7 + k * 3) % 11 - 5)) AS s FROM link, generate_series(1, 300) AS k GROUP BY g, k),
	tensors AS (SELECT g, einsum_sum(',a->a', w, v) AS t FROM link NATURAL JOIN wide GROUP BY g)
SELECT count(*), count(*) FILTER (WHERE s = (t[k - 1])::float8) AS same FROM elements NATURAL JOIN tensors;
-- one group, sorted groups, the number second, without a number, as numeric
SELECT einsum_sum(',a->a', w, v) = einsum_sum(',a...->a...', w, v) AS same FROM link NATURAL JOIN wide;
SET enable_hashagg = off;
SELECT * FROM rows_differ;
RESET enable_hashagg;
SELECT count(*), bool_and(a = u AND b = u AND c = u AND d = e AND d = f) AS same
FROM (SELECT einsum_sum('a,->a', v, w) AS a, einsum_sum(',a->a', w::numeric, v) AS b, einsum_sum(',a->a', w::int, v) AS c, einsum_sum(',a...->a...', w, v) AS u,
		einsum_sum('a->a', v) AS d, tensor_sum(v) AS e, einsum_sum('a...->a...', v) AS f FROM link NATURAL JOIN wide GROUP BY g) AS q;
-- the cache: turned off, too small for any, for two
SET sparseeinsum.cache_size = 0;
SELECT * FROM rows_differ;
SET sparseeinsum.cache_size = '2kB';
SELECT * FROM rows_differ;
SET sparseeinsum.cache_size = '5kB';
SELECT * FROM rows_differ;
RESET sparseeinsum.cache_size;
-- rescans
SELECT sum(differ) FROM generate_series(1, 3) AS x, LATERAL (SELECT count(*) FILTER (WHERE batched <> unbatched) AS differ
	FROM (SELECT einsum_sum(',a->a', w, v) AS batched, einsum_sum(',a...->a...', w, v) AS unbatched FROM link NATURAL JOIN wide WHERE g % 3 < x GROUP BY g) AS q) AS r;
-- NULLs, filters, distinct and ordered rows
SELECT count(*), bool_and(a = b AND c = d AND e = f) AS same
FROM (SELECT einsum_sum(',a->a', nullif(w, 0), v) AS a, einsum_sum(',a...->a...', w, v) AS b,
		einsum_sum(',a->a', w, v) FILTER (WHERE h > 2) AS c, einsum_sum(',a...->a...', w, v) FILTER (WHERE h > 2) AS d,
		einsum_sum(',a->a', w, v ORDER BY h) AS e, einsum_sum(',a...->a...', w, v) AS f
	FROM link NATURAL JOIN wide GROUP BY g) AS q;
SELECT tensor_sum(DISTINCT v) = einsum_sum('a...->a...', v) FILTER (WHERE i < 11) AS same FROM wide;
SELECT einsum_sum(',a->a', NULL::float8, v), einsum_sum(',a->a', 1.0, v) FILTER (WHERE i > 100) FROM wide;

-- hash aggregation that spills
CREATE TABLE many AS SELECT n % 20000 AS g, n % 100 AS i, n % 3 + 1 AS w FROM generate_series(1, 60000) AS n;
ANALYZE many;
SET work_mem = '512kB';
SET enable_sort = off;
CREATE FUNCTION batches(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) ' || query LOOP
		IF line ~ 'Batches' THEN RETURN NEXT regexp_replace(line, '^.*Batches: ([0-9]+) .*Disk.*', 'spilled: \1') ~ 'spilled: [1-9]'; END IF;
	END LOOP;
END $$;
SELECT * FROM batches('SELECT g, einsum_sum('',a->a'', w, v) FROM many NATURAL JOIN wide GROUP BY g') LIMIT 1;
SELECT count(*), count(*) FILTER (WHERE batched <> unbatched) AS differ
FROM (SELECT einsum_sum(',a->a', w, v) AS batched, einsum_sum(',a...->a...', w, v) AS unbatched FROM many NATURAL JOIN wide GROUP BY g) AS q;
RESET enable_sort;
RESET work_mem;

-- grouping sets
SELECT count(*), count(*) FILTER (WHERE batched <> unbatched) AS differ
FROM (SELECT g, h, einsum_sum(',a->a', w, v) AS batched, einsum_sum(',a...->a...', w, v) AS unbatched FROM link NATURAL JOIN wide GROUP BY ROLLUP (h, g)) AS q;
SELECT count(*), count(*) FILTER (WHERE batched <> unbatched) AS differ
FROM (SELECT g, h, einsum_sum(',a->a', w, v) AS batched, einsum_sum(',a...->a...', w, v) AS unbatched FROM link NATURAL JOIN wide GROUP BY CUBE (h, g)) AS q;

-- windows: frames that grow, that move, and whole partitions
SELECT count(*), count(*) FILTER (WHERE batched <> unbatched) AS differ
FROM (SELECT einsum_sum(',a->a', w, v) OVER f AS batched, einsum_sum(',a...->a...', w, v) OVER f AS unbatched
	FROM link NATURAL JOIN wide WHERE g < 20 WINDOW f AS (PARTITION BY h ORDER BY g, i ROWS UNBOUNDED PRECEDING)) AS q;
SELECT count(*), count(*) FILTER (WHERE batched <> unbatched) AS differ
FROM (SELECT einsum_sum(',a->a', w, v) OVER f AS batched, einsum_sum(',a...->a...', w, v) OVER f AS unbatched
	FROM link NATURAL JOIN wide WHERE g < 20 WINDOW f AS (PARTITION BY h ORDER BY g, i ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)) AS q;
SELECT count(*), count(*) FILTER (WHERE batched <> unbatched) AS differ
FROM (SELECT tensor_sum(v) OVER f AS batched, einsum_sum('a...->a...', v) OVER f AS unbatched FROM link NATURAL JOIN wide WHERE g < 20 WINDOW f AS (PARTITION BY h)) AS q;

-- workers, whose states become flat
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
ALTER TABLE link SET (parallel_workers = 2);
EXPLAIN (COSTS off) SELECT einsum_sum(',a->a', w, v) FROM link NATURAL JOIN wide;
SELECT einsum_sum(',a->a', w, v) = einsum_sum(',a...->a...', w, v) AS same, count(*) FROM link NATURAL JOIN wide;
SELECT * FROM rows_differ;
SET max_parallel_workers_per_gather = 0;
-- partitions that are aggregated each for itself: states are combined as they are
CREATE TABLE part_wide (g int, v tensor, w float8) PARTITION BY LIST (w);
CREATE TABLE part_wide_1 PARTITION OF part_wide FOR VALUES IN (-2, -1);
CREATE TABLE part_wide_2 PARTITION OF part_wide FOR VALUES IN (0, 1, 2);
INSERT INTO part_wide SELECT g, v, w FROM link NATURAL JOIN wide WHERE h < 3;
ANALYZE part_wide;
SET enable_partitionwise_aggregate = on;
EXPLAIN (COSTS off) SELECT g, einsum_sum(',a->a', w, v) FROM part_wide GROUP BY g;
SELECT count(*), count(*) FILTER (WHERE batched <> unbatched) AS differ
FROM (SELECT einsum_sum(',a->a', w, v) AS batched, einsum_sum(',a...->a...', w, v) AS unbatched FROM part_wide GROUP BY g) AS q;
RESET enable_partitionwise_aggregate;
-- values of several tables in one group
SELECT count(*), count(*) FILTER (WHERE batched <> unbatched) AS differ
FROM (SELECT einsum_sum(',a->a', w, v) AS batched, einsum_sum(',a...->a...', w, v) AS unbatched FROM part_wide GROUP BY g) AS q;

-- inline and compressed values among them, in any order, and other element types
CREATE TABLE mixed (n int, v tensor);
INSERT INTO mixed SELECT i * 4, v FROM wide;
ALTER TABLE mixed ALTER v SET STORAGE extended;
INSERT INTO mixed SELECT i * 4 + 1, tensor_full('{300}', 2 * i) FROM wide;
INSERT INTO mixed SELECT i * 4 + 3, ('float4:' || v::text)::tensor FROM wide;
SELECT tensor_type(v), pg_column_compression(v) IS NOT NULL AS compressed, pg_column_size(v) > 2000 AS wide, count(*) FROM mixed GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ, count(*) FILTER (WHERE c <> d) AS differ, count(*) FILTER (WHERE e <> f) AS differ
FROM (SELECT einsum_sum(',a->a', n, v ORDER BY n * 77 % 301) AS a, einsum_sum(',a...->a...', n, v) AS b,
		tensor_sum(v ORDER BY n * 77 % 307) AS c, einsum_sum('a...->a...', v) AS d,
		einsum_sum(',a->a', n, v * 2.0 ORDER BY n * 77 % 301) AS e, einsum_sum(',a...->a...', 2 * n, v) AS f FROM mixed GROUP BY n % 10) AS q;
-- float4 stays float4 unless something is float8
SELECT tensor_type(einsum_sum(',a->a', 2::real, v)), tensor_type(einsum_sum(',a->a', 2.0, v)), tensor_type(tensor_sum(v)),
	einsum_sum(',a->a', 2::real, v) = einsum_sum(',a...->a...', 2::real, v) AS same FROM mixed WHERE n % 4 = 3;
SELECT tensor_type(einsum_sum(',a->a', 2::real, v ORDER BY n % 4 DESC)), einsum_sum(',a->a', 2::real, v ORDER BY n % 4 DESC) = einsum_sum(',a...->a...', 2::real, v) AS same FROM mixed;
-- compressed values out of line
CREATE TABLE packed (i int, v tensor);
ALTER TABLE packed ALTER v SET STORAGE extended;
INSERT INTO packed SELECT i, tensor_concat(tensor_zeros('{2000}'), (SELECT array_agg((i * k::bigint * k * k * k % 100003)::float8)::tensor FROM generate_series(1, 2000) AS k), 0) FROM generate_series(1, 20) AS i;
SELECT count(*) FROM packed WHERE pg_column_compression(v) IS NOT NULL AND pg_column_size(v) BETWEEN 2000 AND 30000;
SELECT einsum_sum(',a->a', g, v) = einsum_sum(',a...->a...', g, v) AS same FROM packed, generate_series(1, 10) AS g;
-- rank 2; complex numbers
CREATE TABLE square (i int, v tensor, c tensor);
INSERT INTO square SELECT i, tensor_reshape(v, '{20,15}'), ('complex16:' || v::text)::tensor FROM wide;
SELECT einsum_sum(',ab->ab', i, v) = einsum_sum(',a...->a...', i, v) AS same, einsum_sum(',a->a', i, c) = einsum_sum(',a...->a...', i, c) AS same,
	tensor_sum(c) = einsum_sum('a...->a...', c) AS same FROM square;

-- mistakes are found when the rows are added up, and say what they say without batches
SELECT einsum_sum(',a->a', i, v) FROM square;
SELECT einsum_sum(',a...->a...', i, v) FROM (SELECT i, v FROM wide UNION ALL SELECT i, v FROM square) AS q;
SELECT einsum_sum(',a->a', i, v) FROM (SELECT i, v FROM wide UNION ALL SELECT i, v FROM square) AS q;
SELECT tensor_sum(v) FROM (SELECT i, v FROM wide UNION ALL SELECT i, v FROM square) AS q;
SELECT tensor_sum(v) FROM (SELECT v FROM wide UNION ALL SELECT '[1,2]') AS q;
-- and leave the rest of the transaction as it was
DO $$
BEGIN
	FOR n IN 1..3 LOOP
		BEGIN
			PERFORM einsum_sum(',a->a', w, v), count(*) FROM (SELECT g, w, v FROM link NATURAL JOIN wide UNION ALL SELECT 0, 1, '[1,2]') AS q GROUP BY g;
			RAISE EXCEPTION 'not reached';
		EXCEPTION WHEN array_subscript_error THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT * FROM rows_differ;
-- a cursor that is left open half way
BEGIN;
DECLARE c CURSOR FOR SELECT g, einsum_sum(',a->a', w, v) = einsum_sum(',a...->a...', w, v) AS same FROM link NATURAL JOIN wide GROUP BY g ORDER BY g;
FETCH 2 FROM c;
SELECT * FROM rows_differ;
FETCH 2 FROM c;
COMMIT;

-- the equation may differ from row to row
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ
FROM (SELECT einsum_sum(CASE WHEN i % 3 = 0 THEN ',a->a' ELSE ',b->b' END, w, v) AS a, einsum_sum(',a...->a...', w, v) AS b FROM link NATURAL JOIN wide GROUP BY g) AS q;
SELECT einsum_sum(CASE WHEN i % 3 = 0 THEN 'a,b->ab' ELSE 'b,a->ba' END, v, v) = einsum_sum('a,...b->a...b', v, v) AS same FROM wide WHERE i < 20;

-- an aggregate of one's own without a final function: the state as it is becomes flat
CREATE AGGREGATE einsum_state(text, VARIADIC "any") (SFUNC = einsum_sum_transfn, STYPE = tensor_state, COMBINEFUNC = tensor_sum_combinefn, PARALLEL = SAFE);
CREATE TABLE kept AS SELECT g, einsum_state(',a->a', w, v) AS s FROM link NATURAL JOIN wide GROUP BY g;
SELECT count(*), count(*) FILTER (WHERE s::text::tensor <> t) AS differ
FROM kept NATURAL JOIN (SELECT g, einsum_sum(',a...->a...', w, v) AS t FROM link NATURAL JOIN wide GROUP BY g) AS q;
SELECT count(*), count(*) FILTER (WHERE s::text::tensor <> t) AS differ
FROM (SELECT einsum_state(',a->a', w, v) OVER f AS s, einsum_sum(',a...->a...', w, v) OVER f AS t FROM link NATURAL JOIN wide WHERE g < 9 WINDOW f AS (ORDER BY g, h, i)) AS q;

-- one that begins with a state from elsewhere, hashed and sorted
SELECT format('CREATE AGGREGATE einsum_from(text, VARIADIC "any") (SFUNC = einsum_sum_transfn, STYPE = tensor_state, INITCOND = %L)', array_fill(1::float8, '{300}')::tensor) \gexec
CREATE VIEW from_differ AS
	SELECT count(*), count(*) FILTER (WHERE a::text::tensor <> b + tensor_full('{300}', 1)) AS differ
	FROM (SELECT einsum_from(',a->a', w, v) AS a, einsum_sum(',a->a', w, v) AS b FROM link NATURAL JOIN wide GROUP BY g) AS q;
SELECT * FROM from_differ;
SET enable_hashagg = off;
SELECT * FROM from_differ;
RESET enable_hashagg;
-- rows that wait for their places when another query runs, one that fails, and when the groups spill
CREATE FUNCTION sum_of(int) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN
	RETURN (SELECT sum(einsum_scalar('a->', s)) FROM (SELECT einsum_sum(',a->a', w, v) AS s FROM link NATURAL JOIN wide WHERE g < 7 GROUP BY h) AS q) + 0 / ($1 % 9);
EXCEPTION WHEN division_by_zero THEN RETURN 0; END $$;
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ
FROM (SELECT einsum_sum(',a->a', x, v) AS a, einsum_sum(',a...->a...', x, v) AS b FROM (SELECT g, v, sum_of(g) AS x FROM link NATURAL JOIN wide WHERE h = 1 OFFSET 0) AS r GROUP BY g) AS q;
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ
FROM (SELECT g, einsum_sum(',a->a', x, v) AS a, einsum_sum(',a...->a...', x, v) AS b FROM (SELECT g, v, 1 / (g - 60.0)::float8 AS x FROM link NATURAL JOIN wide OFFSET 0) AS r GROUP BY g) AS q;
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ
FROM (SELECT einsum_sum(',a->a', w, v) AS a, einsum_sum(',a...->a...', w, v) AS b FROM link NATURAL JOIN wide GROUP BY g) AS q;
SET work_mem = '64kB'; SET enable_sort = off;
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ
FROM (SELECT einsum_sum(',a->a', w, v) AS a, einsum_sum(',a...->a...', w, v) AS b FROM link NATURAL JOIN wide GROUP BY i * 61 + g) AS q;
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ
FROM (SELECT g, h, einsum_sum(',a->a', w, v) AS a, einsum_sum(',a...->a...', w, v) AS b FROM link NATURAL JOIN wide GROUP BY GROUPING SETS ((g), (h), (g, h))) AS q;
RESET work_mem; RESET enable_sort;

-- Outer products: operands out of line and inline, either order of the output, with a number, matrices, few rows and many.
CREATE TABLE narrow AS SELECT i, tensor_slice(v, '{0}', '{20}') AS u, tensor_reshape(tensor_slice(v, '{30}', '{54}'), '{4,6}') AS m FROM wide;
SELECT tensor_shape(u), tensor_shape(m), count(*) FROM narrow GROUP BY 1, 2;
CREATE VIEW outer_differ AS
	SELECT count(*) AS groups, count(*) FILTER (WHERE a <> b) AS differ, count(*) FILTER (WHERE c <> d) AS differ_number, count(*) FILTER (WHERE e <> f) AS differ_swapped
	FROM (SELECT einsum_sum('a,b->ab', v, u) AS a, einsum_sum('a,...b->a...b', v, u) AS b,
			einsum_sum(',a,bc->abc', w, u, m) AS c, einsum_sum(',a,...bc->a...bc', w, u, m) AS d,
			einsum_sum('a,bc->bca', u, m) AS e, einsum_sum('a,...bc->...bca', u, m) AS f
		FROM link NATURAL JOIN wide NATURAL JOIN narrow WHERE g < 30 GROUP BY g) AS q;
SELECT * FROM outer_differ;
-- against arithmetic without tensors
WITH elements AS (SELECT g % 3 AS g, a, b, sum(w * ((i * 7 + (a + 1) * 3) % 11 - 5) * ((i * 7 + (b + 1) * 3) % 11 - 5)) AS s
		FROM link, generate_series(0, 19) AS a, generate_series(0, 19) AS b WHERE g < 30 GROUP BY 1, 2, 3),
	tensors AS (SELECT g % 3 AS g, einsum_sum(',a,b->ab', w, u, u) AS t FROM link NATURAL JOIN narrow WHERE g < 30 GROUP BY 1)
SELECT count(*), count(*) FILTER (WHERE s = (t[a][b])::float8) AS same FROM elements NATURAL JOIN tensors;
SET enable_hashagg = off;
SELECT * FROM outer_differ;
RESET enable_hashagg;
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ
FROM (SELECT einsum_sum('a,b->ba', u, u) OVER f AS a, einsum_sum('a,...b->...ba', u, u) OVER f AS b
	FROM link NATURAL JOIN narrow WHERE g < 9 WINDOW f AS (PARTITION BY h ORDER BY g, i ROWS UNBOUNDED PRECEDING)) AS q;
SET max_parallel_workers_per_gather = 2;
SELECT * FROM outer_differ;
SELECT einsum_sum(',a,b->ab', w, u, u) = einsum_sum(',a,...b->a...b', w, u, u) AS same FROM link NATURAL JOIN narrow;
SET max_parallel_workers_per_gather = 0;
-- float4, then float8; complex numbers; a number that is float4
SELECT tensor_type(a), a = b AS same, tensor_type(c), c = d AS same, tensor_type(e), e = f AS same, tensor_type(p), p = r AS same
FROM (SELECT einsum_sum('a,b->ab', x, u ORDER BY i) AS a, einsum_sum('a,...b->a...b', u, u) AS b,
		einsum_sum('a,b->ab', c, u) AS c, einsum_sum('a,...b->a...b', c, u) AS d,
		einsum_sum('a,b->ab', x, x) FILTER (WHERE i < 50) AS e, einsum_sum('a,...b->a...b', x, x) FILTER (WHERE i < 50) AS f,
		einsum_sum(',a,b->ab', 3::real, y, y) AS p, einsum_sum(',a,...b->a...b', 3, y, y) AS r
	FROM (SELECT i, u, ('complex8:' || u::text)::tensor AS c, ('float4:' || u::text)::tensor AS y,
		CASE WHEN i < 50 THEN ('float4:' || u::text)::tensor ELSE u END AS x FROM narrow) AS q) AS r;
SELECT tensor_type(einsum_sum('a,b->ab', x, x ORDER BY i)), einsum_sum('a,b->ab', x, x ORDER BY i) = einsum_sum('a,...b->a...b', u, u) AS same
FROM (SELECT i, u, CASE WHEN i < 50 THEN ('float4:' || u::text)::tensor ELSE u END AS x FROM narrow) AS q;
-- other shapes
SELECT einsum_sum('a,b->ab', u, CASE WHEN i < 50 THEN u ELSE v END ORDER BY i) FROM narrow NATURAL JOIN wide;
SELECT einsum_sum('a,b->ab', CASE WHEN i < 50 THEN u ELSE m END, u ORDER BY i) FROM narrow;

-- 30,000 groups of 1 to 3 rows
SELECT count(*), count(*) FILTER (WHERE a <> b) AS differ, count(*) FILTER (WHERE c <> d) AS differ
FROM (SELECT einsum_sum(',a->a', w, v) AS a, einsum_sum(',a...->a...', w, v) AS b, einsum_sum(',a->a', w, u) AS c, einsum_sum(',a...->a...', w, u) AS d
	FROM (SELECT n AS g, n % 100 AS i, 1 + n % 5 AS w FROM generate_series(1, 30000) AS n, generate_series(0, n % 3)) AS q NATURAL JOIN wide NATURAL JOIN narrow GROUP BY g) AS r;
DROP VIEW from_differ;
DROP AGGREGATE einsum_state(text, VARIADIC "any");
DROP AGGREGATE einsum_from(text, VARIADIC "any");
DROP FUNCTION batches, sum_of;
DROP TABLE wide, link, many, part_wide, mixed, packed, square, kept, narrow CASCADE;
