-- Loop nests that the processes of a parallel query run together: each returns the groups of some parts
CREATE SCHEMA nest_parallel_test;
SET search_path = nest_parallel_test, public, sparseeinsum_internal;
\i test/sql/include/parallel_nests.sql
SET max_parallel_workers_per_gather = 1;

CREATE TABLE fact (i int, j int, k bigint, v float8, r real NOT NULL, x tensor NOT NULL);
INSERT INTO fact SELECT n * 7 % 2003, n % 301, (n * 7 % 2003) * (1::bigint << 40), n % 5 + 1, n % 3, ('[' || n % 7 || ',' || n % 3 || ']')::tensor FROM generate_series(0, 19999) n;
CREATE TABLE factor (j int, w float8, k bigint);
INSERT INTO factor SELECT j, j % 9, j * (1::bigint << 40) FROM generate_series(0, 300) j;
CREATE TABLE hub (i int, j int, v float8);
INSERT INTO hub SELECT CASE WHEN n % 4 > 0 THEN 7 ELSE n % 1000 END, n % 301, 1 FROM generate_series(0, 19999) n;
CREATE TABLE undivided WITH (parallel_workers = 0) AS SELECT j, w AS n FROM factor;
CREATE TABLE nothing (j int, w float8);
ALTER TABLE factor SET (autovacuum_enabled = off);
ANALYZE fact, factor, hub, undivided, nothing;

EXPLAIN (COSTS OFF) SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i;
-- a level above aggregates the groups in workers
EXPLAIN (COSTS OFF) SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i OFFSET 0) g;
EXPLAIN (COSTS OFF) SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i) g;

-- numbers of any type, several keys, keys with gaps of 2^40, tensors; one worker, two, and little memory
CREATE FUNCTION compare_many() RETURNS TABLE (number int, ran text, rows bigint, wrong bigint, files bigint) LANGUAGE sql AS $$
	SELECT n, c.* FROM (VALUES
		(1, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)), tensor_max(f.r), count(*) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i'),
		(2, 'SELECT f.k, tensor_sum(scalar_multiply(f.v, w.w)), count(*) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.k'),
		(3, 'SELECT f.i, f.k, tensor_sum(scalar_multiply(f.v, g.v)) FROM fact f, fact g WHERE f.j = g.j AND f.i = g.i GROUP BY f.i, f.k'),
		(4, 'SELECT f.k, tensor_sum(w.w) FROM fact f, factor w WHERE f.k = w.k GROUP BY f.k'),
		(5, 'SELECT f.i, einsum_sum(''a->a'', f.x), tensor_max(f.x) FROM fact f GROUP BY f.i'),
		(6, 'SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i'),
		(7, 'SELECT w.j, einsum_sum('',a->a'', w.w, f.x) FROM fact f, factor w WHERE f.i = w.j GROUP BY w.j'),
		-- left joins
		(8, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, COALESCE(g.w, 3))) FROM fact f LEFT JOIN factor g ON f.i = g.j GROUP BY f.i'),
		(9, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, COALESCE(g.w, 3))) FROM fact f LEFT JOIN factor g ON f.j = g.j AND g.j < 9 GROUP BY f.i'),
		-- one operand by itself; HAVING; expressions of groups and aggregates
		(10, 'SELECT f.i, tensor_sum(f.v) FROM fact f GROUP BY f.i'),
		(11, 'SELECT f.i + 1 AS n, tensor_sum(f.v) * 2 AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i HAVING tensor_sum(f.v) > 30'),
		-- nothing is joined; rows that every tuple needs are none; a condition that is false
		(12, 'SELECT f.i, tensor_sum(f.v) FROM fact f, factor w WHERE f.j = w.j AND w.j > 400 GROUP BY f.i'),
		(13, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, nothing w WHERE f.j = w.j GROUP BY f.i'),
		(14, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j AND (SELECT count(*) FROM nothing) > 0 GROUP BY f.i'),
		-- most rows have one index
		(15, 'SELECT h.i, tensor_sum(scalar_multiply(h.v, w.w)) FROM hub h, factor w WHERE h.j = w.j GROUP BY h.i'),
		-- three of a table
		(16, 'SELECT a.i, tensor_sum(scalar_multiply(a.v, b.w)) FROM hub a, factor b, factor c WHERE a.j = b.j AND b.j = c.j AND c.w > 3 GROUP BY a.i'),
		-- an operand that workers cannot divide is read by one of them
		(17, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, g.n)) FROM fact f, undivided g WHERE f.j = g.j GROUP BY f.i'),
		-- groups of groups
		(18, 'SELECT g.j, tensor_sum(scalar_multiply(g.s, w.w)) FROM (SELECT f.j, tensor_sum(f.v) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.j) g, factor w WHERE g.j = w.j GROUP BY g.j'),
		-- joins that aggregate nothing, or something that is not ours; with a row of tensors
		(19, 'SELECT f.i, f.j, f.k, scalar_multiply(f.v, w.w) AS v FROM fact f, factor w WHERE f.j = w.j'),
		(20, 'SELECT count(DISTINCT scalar_multiply(f.v, w.w)) AS c FROM fact f, factor w WHERE f.j = w.j'),
		(21, 'SELECT f.i, g.j, einsum_scalar(''a,a->'', f.x, g.x) AS v FROM fact f, fact g WHERE f.i = g.i AND f.i < 100'),
		(22, 'SELECT f.i, w.j, einsum('',a->a'', w.w, f.x) AS v FROM fact f, factor w WHERE f.j = w.j')
	) q (n, query), LATERAL compare(q.query, same_data => true) c ORDER BY n
$$;
SELECT * FROM compare_many();
SET max_parallel_workers_per_gather = 2;
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran <> 'parallel';
SET work_mem = '128kB';
SET sparseeinsum.cache_size = '192kB';
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran <> 'parallel';
RESET work_mem;
RESET sparseeinsum.cache_size;
-- the leader only has them computed, or computes all
SET parallel_leader_participation = off;
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran <> 'parallel';
RESET parallel_leader_participation;
SET max_parallel_workers = 1;
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran <> 'parallel';
SET max_parallel_workers = 0;
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran <> 'parallel';
RESET max_parallel_workers;

-- workers have started by the time that all has been read
CREATE FUNCTION late(i int) RETURNS bool LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
	IF i = 7 THEN
		PERFORM pg_sleep(0.05);
	END IF;
	RETURN true;
END $$;
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, g.n)), count(*) FROM fact f, undivided g WHERE f.j = g.j AND late(f.i) GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, f.j, scalar_multiply(f.v, g.n) AS v FROM fact f, undivided g WHERE f.j = g.j AND late(f.i)');
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, h.v)), count(*) FROM fact f, hub h WHERE f.i = h.i AND late(f.i) GROUP BY f.i');

-- what only the leader can read it reads before workers start: CTEs that are no stages, temporary tables, what calls functions that workers may not
CREATE FUNCTION restricted(i int) RETURNS int LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $$ BEGIN RETURN i; END $$;
CREATE TEMPORARY TABLE own AS SELECT * FROM factor;
ANALYZE own;
CREATE FUNCTION compare_leaders() RETURNS TABLE (number int, ran text, rows bigint, wrong bigint, files bigint) LANGUAGE sql AS $$
	SELECT n, c.* FROM (VALUES
		(1, 'WITH c AS MATERIALIZED (SELECT j, w + 1 AS w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j GROUP BY f.i'),
		(2, 'WITH c AS MATERIALIZED (SELECT i, v FROM hub) SELECT c.i, tensor_sum(scalar_multiply(f.v, c.v)), count(*) FROM fact f, c WHERE f.i = c.i GROUP BY c.i'),
		(3, 'WITH c AS MATERIALIZED (SELECT j, w + 1 AS w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, scalar_multiply(a.w, COALESCE(b.w, 3)))) FROM fact f JOIN c a ON f.j = a.j LEFT JOIN c b ON f.i = b.j GROUP BY f.i'),
		(4, 'WITH c AS MATERIALIZED (SELECT j, w, x FROM factor JOIN (SELECT DISTINCT ON (j) j, x FROM fact ORDER BY j, i) f USING (j)) SELECT f.i, einsum_sum('',a->a'', f.v, c.x) FROM fact f, c WHERE f.j = c.j GROUP BY f.i'),
		(5, 'WITH c AS MATERIALIZED (SELECT f.j, tensor_sum(f.v) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.j OFFSET 0) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.s)) FROM fact f, c WHERE f.j = c.j GROUP BY f.i'),
		(6, 'WITH c AS MATERIALIZED (SELECT j, w + 1 AS w FROM factor) SELECT f.i, f.j, scalar_multiply(f.v, c.w) AS v FROM fact f, c WHERE f.j = c.j'),
		(7, 'WITH c AS MATERIALIZED (SELECT j, w + 1 AS w FROM factor) SELECT count(DISTINCT scalar_multiply(f.v, c.w)) AS n FROM fact f, c WHERE f.j = c.j'),
		-- nothing is joined, or read
		(8, 'WITH c AS MATERIALIZED (SELECT j, w + 1 AS w FROM factor WHERE j > 400) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j GROUP BY f.i'),
		(9, 'WITH c AS MATERIALIZED (SELECT j, 1 / (j - j) AS w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j AND (SELECT count(*) FROM nothing) > 0 GROUP BY f.i'),
		(10, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, own w WHERE f.j = w.j GROUP BY f.i'),
		(11, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j AND restricted(w.j) < 200 GROUP BY f.i'),
		(12, 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, (SELECT j, w FROM factor ORDER BY j LIMIT 100) w WHERE f.j = w.j GROUP BY f.i'),
		-- what it reads depends on another query's result
		(13, 'WITH c AS MATERIALIZED (SELECT j, w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j AND c.j < (SELECT max(w) FROM factor) GROUP BY f.i'),
		-- irregular: the leader runs the relational plan, and finds that before workers start, or after
		(14, 'WITH c AS MATERIALIZED (SELECT j, NULLIF(w, 3) AS w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j GROUP BY f.i'),
		(15, 'WITH c AS MATERIALIZED (SELECT j, w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM (SELECT i, j, NULLIF(v, 3) AS v FROM fact OFFSET 0) f, c WHERE f.j = c.j GROUP BY f.i'),
		(16, 'WITH c AS MATERIALIZED (SELECT DISTINCT ON (j) j, CASE WHEN j = 3 THEN ''[1,2,3]'' ELSE x END AS x FROM fact ORDER BY j, i) SELECT f.i, einsum_sum('',a->a'', f.v, c.x) FROM fact f, c WHERE f.j = c.j AND f.j < 3 GROUP BY f.i')
	) q (n, query), LATERAL compare(q.query, same_data => true) c ORDER BY n
$$;
EXPLAIN (COSTS OFF) WITH c AS MATERIALIZED (SELECT j, w + 1 AS w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j GROUP BY f.i;
SELECT * FROM compare_leaders();
SET work_mem = '128kB';
SET sparseeinsum.cache_size = '192kB';
SELECT * FROM compare_leaders() WHERE wrong > 0 OR files > 0;
RESET work_mem;
RESET sparseeinsum.cache_size;
-- a CTE that is a stage needs no leader beside the workers (shared_rows)
SET parallel_leader_participation = off;
SELECT * FROM compare_leaders() WHERE wrong > 0 OR files > 0 OR ran = 'parallel';
RESET parallel_leader_participation;
SET max_parallel_workers = 0;
SELECT * FROM compare_leaders() WHERE wrong > 0 OR files > 0;
RESET max_parallel_workers;
SET max_parallel_workers_per_gather = 1;
SELECT * FROM compare_leaders() WHERE wrong > 0 OR files > 0;
SET max_parallel_workers_per_gather = 2;
-- an error in what the leader reads
SELECT * FROM fails('WITH c AS MATERIALIZED (SELECT j, 1 / (j - 300) AS w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j GROUP BY f.i');
-- a CTE whose query is a parallel one itself: of a subquery, below the node; half read when the relational plan reads on, in a node with workers or without
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, c.v)) FROM fact f, (WITH m AS MATERIALIZED (SELECT i, CASE WHEN i <> 8 THEN v END AS v FROM hub) SELECT * FROM m) c WHERE f.i = c.i GROUP BY f.i');
SELECT * FROM compare('WITH c AS MATERIALIZED (SELECT i, NULLIF(v, 1) AS v FROM hub) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.v)) FROM fact f, c WHERE f.i = c.i GROUP BY f.i');
SELECT * FROM compare('WITH c AS MATERIALIZED (SELECT i, NULLIF(v, 1) AS v FROM hub) SELECT tensor_sum(scalar_multiply(f.v, c.v)) FROM fact f, c WHERE f.i = c.i');
-- a parallel subquery without its Gather: none of its scans are shared, which would depend on the Gather of the node
EXPLAIN (COSTS OFF) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.s)) AS s FROM fact f, (SELECT j, tensor_sum(v) AS s FROM hub GROUP BY j ORDER BY j LIMIT 100) c WHERE f.j = c.j GROUP BY f.i;
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, c.s)) AS s FROM fact f, (SELECT j, tensor_sum(v) AS s FROM hub GROUP BY j ORDER BY j LIMIT 100) c WHERE f.j = c.j GROUP BY f.i');
-- run again: the same rows, and those of another parameter
SET enable_material = off;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (WITH c AS MATERIALIZED (SELECT j, w + 1 AS w FROM factor) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f, c WHERE f.j = c.j GROUP BY f.i) a ON a.s > o.n;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (SELECT f.i, tensor_sum(scalar_multiply(f.v, c.s)) AS s FROM fact f, (SELECT j, tensor_sum(v) AS s FROM hub GROUP BY j ORDER BY j LIMIT 100) c WHERE f.j = c.j GROUP BY f.i) a ON a.s > o.n;
SELECT o.n, g.* FROM generate_series(1, 3) o (n), LATERAL (WITH c AS MATERIALIZED (SELECT j, w + o.n AS w FROM factor) SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f, c WHERE f.j = c.j GROUP BY f.i OFFSET 0) a) g;
SELECT o.n, g.* FROM generate_series(1, 3) o (n), LATERAL (WITH c AS MATERIALIZED (SELECT j, w FROM factor) SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f, c WHERE f.j = c.j AND c.j % 3 < o.n GROUP BY f.i OFFSET 0) a) g;
RESET enable_material;
-- the leader may have been told not to take part after it was planned
SET plan_cache_mode = force_generic_plan;
PREPARE by_leader AS WITH c AS MATERIALIZED (SELECT j, NULLIF(w, 3) AS w FROM factor) SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f, c WHERE f.j = c.j GROUP BY f.i OFFSET 0) g;
EXECUTE by_leader;
SET parallel_leader_participation = off;
EXECUTE by_leader;
RESET parallel_leader_participation;
RESET plan_cache_mode;
-- what only one of the processes has done is counted, too
CREATE FUNCTION joined_tuples(query text) RETURNS TABLE (tuples bigint, several_parts bool) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF, FORMAT json) ' || query INTO plan;
	plan := find_node(plan->0->'Plan', 'AggregateJoin');
	tuples := plan->>'Joined Tuples';
	several_parts := (plan->>'Parts')::int > 8;
	RETURN NEXT;
END $$;
SELECT * FROM joined_tuples('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
SET parallel_leader_participation = off;
SELECT * FROM joined_tuples('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
RESET parallel_leader_participation;
-- aggregates of others over the joined rows, in workers
EXPLAIN (COSTS OFF) SELECT sum(scalar_multiply(f.v, w.w)) AS s, count(*) FROM fact f, factor w WHERE f.j = w.j;
SELECT * FROM compare('SELECT sum(scalar_multiply(f.v, w.w)) AS s, count(*), max(einsum_scalar(''a,a->'', f.x, f.x)) AS m FROM fact f, factor w WHERE f.j = w.j');
SELECT * FROM compare('SELECT f.i % 7 AS i, sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i % 7');
SET enable_hashagg = off;
SELECT * FROM compare('SELECT f.i % 7 AS i, sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i % 7');
RESET enable_hashagg;

-- what is irregular anywhere has one process run the relational plan: a NULL, shapes that differ, two types
CREATE TABLE odd AS SELECT * FROM fact;
ALTER TABLE odd ALTER v DROP NOT NULL, ALTER x DROP NOT NULL;
CREATE FUNCTION irregular(change text, query text) RETURNS TABLE (workers int, ran text, rows bigint, wrong bigint, files bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE change;
	ANALYZE odd;
	FOREACH workers IN ARRAY ARRAY[1, 2] LOOP
		EXECUTE 'SET LOCAL max_parallel_workers_per_gather = ' || workers;
		SELECT * INTO ran, rows, wrong, files FROM compare(query);
		RETURN NEXT;
	END LOOP;
	TRUNCATE odd;
	INSERT INTO odd SELECT * FROM fact;
END $$;
SELECT * FROM irregular('UPDATE odd SET v = NULL WHERE i = 77 AND j = 11', 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM odd f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT * FROM irregular('INSERT INTO odd SELECT NULL, 1, 1, 1, 1, ''[1,2]''', 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM odd f, factor w WHERE f.j = w.j GROUP BY f.i');
-- each index has vectors of one length, but not all have the same
SELECT * FROM irregular('UPDATE odd SET x = ''[1,2,3]'' WHERE i = 77', 'SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM odd f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT * FROM irregular('UPDATE odd SET x = ''{1,2}''::float4[]::tensor WHERE i = 77', 'SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM odd f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT * FROM irregular('UPDATE odd SET v = NULL WHERE i = 77 AND j = 11', 'SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM odd f, factor w WHERE f.j = w.j AND late(f.i) GROUP BY f.i');
-- the error of that plan, once; also where the first parts join nothing
CREATE TABLE sparse (a int, b int, x tensor NOT NULL);
INSERT INTO sparse SELECT n, 4000 - n, '[[1,2],[3,4]]' FROM generate_series(0, 1999) n;
INSERT INTO sparse VALUES (3000, 3000, '[[1,2],[3,4]]');
ANALYZE sparse;
SELECT * FROM fails('SELECT s.a, einsum_sum_scalar(''a,a->'', s.x, s.x) AS v FROM sparse s, sparse t WHERE t.b = s.a GROUP BY s.a');
SELECT * FROM fails('SELECT f.i, einsum_sum(''a,a->'', f.x, ''[1,2,3]''::tensor) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
-- errors in scans, in the leader or a worker; files of a process that others have stopped
SELECT * FROM fails('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j AND 1 / (f.i - 77) < 9 GROUP BY f.i');
SET work_mem = '128kB';
SELECT * FROM fails('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j AND 1 / (f.i - 77) < 9 GROUP BY f.i');
-- of a process: one that reads all
SET max_parallel_workers = 0;
SET temp_file_limit = '64kB';
SELECT * FROM fails('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
RESET temp_file_limit;
RESET max_parallel_workers;
-- what all parts need does not fit
SET sparseeinsum.cache_size = '64kB';
SELECT * FROM compare('SELECT w.j, einsum_sum(''a,a->'', f.x, f.x) FROM fact f, factor w WHERE f.j + 0 = w.w::int + 0 GROUP BY w.j') WHERE wrong > 0 OR files > 0;
RESET sparseeinsum.cache_size;
RESET work_mem;

-- run again with another parameter, and with the same
SELECT o.n, g.* FROM generate_series(1, 3) o (n), LATERAL (SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j AND f.j % 3 < o.n GROUP BY f.i OFFSET 0) a) g;
SET enable_material = off;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i) a ON a.s > o.n;
INSERT INTO odd SELECT 5, 1, 1, NULL, 1, '[1,2]';
ANALYZE odd;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM odd f, factor w WHERE f.j = w.j GROUP BY f.i) a ON a.s > o.n;
RESET enable_material;
-- not all rows are asked for
SELECT count(*) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i LIMIT 10) s;
SET work_mem = '128kB';
SELECT count(*) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i LIMIT 10) s;
SELECT count(*) FROM pg_ls_dir('base/pgsql_tmp', true, false);
RESET work_mem;
-- prepared
PREPARE prepared (int) AS SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j AND f.j < $1 GROUP BY f.i) g;
SET plan_cache_mode = force_generic_plan;
EXECUTE prepared (10);
EXECUTE prepared (100);
RESET plan_cache_mode;
-- within a transaction that continues after an error
BEGIN;
SAVEPOINT s;
SELECT count(tensor_sum / 0) FROM (SELECT f.i, tensor_sum(f.v) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i) g;
ROLLBACK TO s;
SELECT count(tensor_sum) FROM (SELECT f.i, tensor_sum(f.v) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i) g;
COMMIT;
-- cancelled
SET statement_timeout = '200ms' \; SELECT count(*) FROM (SELECT a.i, tensor_sum(scalar_multiply(scalar_multiply(a.v, b.v), scalar_multiply(c.v, d.v))) FROM hub a, hub b, hub c, hub d WHERE a.j = b.j AND b.j = c.j AND c.j = d.j GROUP BY a.i) g;
SELECT count(*) FROM pg_ls_dir('base/pgsql_tmp', true, false);
DROP SCHEMA nest_parallel_test CASCADE;
