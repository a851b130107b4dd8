-- Values stored out of line are fetched once per query, and the answers are the same.
SET search_path = public, sparseeinsum_internal;
SET max_parallel_workers_per_gather = 0;
-- it reads each value once
SET sparseeinsum.enable_aggregate_join = off;
CREATE TEMP TABLE big (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO big SELECT i, tensor_full('{1000}', i) FROM generate_series(0, 9) AS i;
CREATE TEMP TABLE pair AS SELECT a % 10 AS a, a * 7 % 10 AS b FROM generate_series(1, 100) AS a;
CREATE TEMP VIEW products AS
	SELECT sum(inner_prod(x.v, y.v)) AS total FROM pair, big AS x, big AS y WHERE x.i = a AND y.i = b;
SELECT total, (SELECT sum(1000 * a * b) FROM pair) AS expected FROM products;
-- 200 reads of 10 values, each kept at its second at the latest
SELECT hits + misses AS reads, misses <= 15 AS few_misses, evictions, peak_bytes < 256 * 1024 AS small FROM einsum_cache_stats();

-- without the cache, and with one that holds two values of 8 kB
SET sparseeinsum.cache_size = 0;
SELECT total FROM products;
SET sparseeinsum.cache_size = '17kB';
SELECT total FROM products;
SELECT hits + misses AS reads, hits < 100 AS few_hits, evictions > 50 AS many_evictions, peak_bytes <= 17 * 1024 AS within FROM einsum_cache_stats();
-- one that holds not even one
SET sparseeinsum.cache_size = '5kB';
SELECT total FROM products;
SELECT hits, misses, evictions, peak_bytes < 1024 AS nothing FROM einsum_cache_stats();
RESET sparseeinsum.cache_size;

-- a scan in the order of storage reads ahead, and keeps little of what it reads once
CREATE TEMP TABLE many AS SELECT i, tensor_full('{500}', i) AS v FROM generate_series(0, 999) AS i;
SELECT sum(einsum_scalar('a->', v)) AS total, 500 * sum(i) AS expected FROM many;
SELECT hits + misses AS reads, misses < 200 AS few_misses, peak_bytes < 2 * 1024 * 1024 AS small FROM einsum_cache_stats();
-- rows are stored out of order, compressed, and of other sizes in between
CREATE TEMP TABLE mixed (i int, v tensor NOT NULL);
INSERT INTO mixed SELECT i, tensor_full(ARRAY[500 + i % 3], i) FROM generate_series(0, 299) AS i;
ALTER TABLE mixed ALTER v SET STORAGE extended;
INSERT INTO mixed SELECT i, tensor_full(ARRAY[70000], i) FROM generate_series(300, 309) AS i;
DELETE FROM mixed WHERE i % 7 = 0;
SET sparseeinsum.cache_size = '100kB';
SELECT x.total = y.total AS same
FROM (SELECT sum(einsum_scalar('a->', v)) AS total FROM mixed) AS x, (SELECT sum(i * (CASE WHEN i < 300 THEN 500 + i % 3 ELSE 70000 END)) AS total FROM mixed) AS y;
SELECT sum(inner_prod(x.v, y.v)) = sum((500 + x.i % 3)::float8 * x.i * y.i) AS same FROM mixed AS x, mixed AS y WHERE x.i < 300 AND y.i < 300 AND x.i % 3 = y.i % 3;
RESET sparseeinsum.cache_size;
SELECT sum(inner_prod(x.v, y.v)) = sum((500 + x.i % 3)::float8 * x.i * y.i) AS same FROM mixed AS x, mixed AS y WHERE x.i < 300 AND y.i < 300 AND x.i % 3 = y.i % 3;
DROP TABLE many, mixed;

-- values that change between queries of a transaction, and come back
BEGIN;
SELECT total FROM products;
UPDATE big SET v = tensor_full('{1000}', 1) WHERE i = 9;
SELECT total, (SELECT sum(1000 * CASE a WHEN 9 THEN 1 ELSE a END * CASE b WHEN 9 THEN 1 ELSE b END) FROM pair) AS expected FROM products;
SAVEPOINT s;
DELETE FROM big WHERE i = 8;
SELECT total FROM products;
ROLLBACK TO s;
SELECT total FROM products;
ROLLBACK;
SELECT total FROM products;

-- a cursor and another query at once
BEGIN;
DECLARE c CURSOR FOR SELECT einsum_scalar('a->', v) AS s FROM big ORDER BY i;
FETCH 2 FROM c;
SELECT total FROM products;
FETCH 2 FROM c;
COMMIT;

-- errors in between leave nothing behind
DO $$
BEGIN
	FOR n IN 1..3 LOOP
		BEGIN
			PERFORM inner_prod(v, '[1,2]') FROM big;
		EXCEPTION WHEN array_subscript_error THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT total FROM products;
-- nor values that stay pinned: 20 errors over a cache for two values, then it still works
CREATE FUNCTION pg_temp.fails(t tensor) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RETURN inner_prod(t, '[1,2]'); EXCEPTION WHEN array_subscript_error THEN RETURN einsum_scalar('a->', t); END $$;
SET sparseeinsum.cache_size = '17kB';
SELECT sum(pg_temp.fails(v)) FROM big, generate_series(1, 2);
RESET sparseeinsum.cache_size;

-- expressions of a function that outlive a query
CREATE FUNCTION pg_temp.first_sum(t tensor) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RETURN einsum_scalar('a->', t); END $$;
SELECT i, pg_temp.first_sum(v) FROM big WHERE i < 3 ORDER BY i;
UPDATE big SET v = v * 2.0 WHERE i < 3;
SELECT i, pg_temp.first_sum(v) FROM big WHERE i < 3 ORDER BY i;

-- workers have caches of their own
CREATE TABLE shared_big AS SELECT * FROM big;
ALTER TABLE shared_big SET (parallel_workers = 2);
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT einsum_sum_scalar('a,a->', v, v) = (SELECT sum(n * n * 1000.0) FROM (VALUES (0), (2), (4), (3), (4), (5), (6), (7), (8), (9)) AS t(n)) AS same FROM shared_big;
DROP TABLE shared_big;
