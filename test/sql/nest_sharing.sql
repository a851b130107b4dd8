-- Operands of one query that read the same rows, read once.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA sharing;
SET search_path = sharing, public;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE e (i int, j int, w float8 NOT NULL, h bool NOT NULL);
INSERT INTO e SELECT i, (i * i + 3 * k) % 40, i + k, k = 1 FROM generate_series(0, 39) i, generate_series(0, 4) k;
CREATE TABLE v (i int, x tensor(float8, 1) NOT NULL);
INSERT INTO v SELECT i, ARRAY[i, 1, i % 3]::float8[]::tensor FROM generate_series(0, 39) i;
ANALYZE;
-- what the nodes of a query have read, shared and found, of all of its nodes, and whether it returns what it does without
CREATE FUNCTION check_query(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE with_node text; without text; line text;
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'off', true);
	EXECUTE format('SELECT string_agg(q::text, %L ORDER BY q::text) FROM (%s) q', ' ', query) INTO without;
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'force', true);
	EXECUTE format('SELECT string_agg(q::text, %L ORDER BY q::text) FROM (%s) q', ' ', query) INTO with_node;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) ' || query LOOP
		IF line ~ '(Operands|Read Before|Shared|Relational Plan|Parts):' THEN
			RETURN NEXT regexp_replace(ltrim(line), 'Parts: [0-9]+', 'Parts: some');
		END IF;
	END LOOP;
	RETURN NEXT CASE WHEN with_node IS NOT DISTINCT FROM without THEN 'same rows' ELSE 'other rows: ' || coalesce(with_node, 'none') || ', without: ' || coalesce(without, 'none') END;
END $$;

-- one node, whose operands have the columns in any order
SELECT check_query('SELECT tensor_sum(a.w * b.w * c.w) FROM e a, e b, e c WHERE b.i = a.j AND c.i = a.i AND c.j = b.j');
-- what a NULL key does is each operand's own: here there are none
SELECT check_query('SELECT a.i, tensor_sum(a.w * b.w) FROM e a, e b WHERE b.i = a.j GROUP BY a.i, b.j');
-- two nodes, one of which has another order of loops
SELECT check_query('SELECT a.i, tensor_sum(a.w * s.d) FROM e a, (SELECT b.j AS i, tensor_sum(b.w * c.w) AS d FROM e b, e c WHERE c.i = b.j AND c.j = b.i GROUP BY b.j) s WHERE s.i = a.j GROUP BY a.i');
-- and one that a CTE has, whose rows two operands read too
SELECT check_query('WITH s AS MATERIALIZED (SELECT b.i, tensor_sum(b.w * c.w) AS d FROM e b, e c WHERE c.i = b.j AND c.j = b.i GROUP BY b.i) SELECT a.w, tensor_sum(s.d * t.d) FROM e a, s, s t WHERE s.i = a.i AND t.i = a.j GROUP BY a.w');
-- tensors, which a left join takes otherwise for what it does not find
SELECT check_query('SELECT a.i, einsum_sum(''a,a->'', x.x, y.x) FROM e a, v x, v y WHERE x.i = a.i AND y.i = a.j GROUP BY a.i');
SELECT check_query('SELECT a.i, einsum_sum(''a,a->a'', x.x, coalesce(y.x, ''{1,1,1}''::float8[]::tensor)) FROM e a JOIN v x ON x.i = a.i LEFT JOIN v y ON y.i = a.j GROUP BY a.i');
-- a constant that an outer join makes NULL, as a column that another operand does not read
SELECT check_query('SELECT a.i, tensor_sum(sparseeinsum_internal.scalar_multiply(a.w, coalesce(b.one, 0))) FROM e a LEFT JOIN (SELECT i, j, 1::float8 AS one FROM e) b ON b.i = a.j AND b.j = a.i GROUP BY a.i');
-- a subquery
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM (SELECT i, j, w FROM e WHERE w > 3 OFFSET 0) a, (SELECT i, j, w FROM e WHERE w > 3 OFFSET 0) b WHERE a.i = b.j AND a.j = b.i');
-- of several relations, of groups, and of what a subplan lets through
CREATE VIEW both_ways AS SELECT i, j FROM e UNION SELECT j, i FROM e;
SELECT einsum_register('both[I,J]', 'both_ways', '{i,j}', bounds => '{40,40}', duplicates => 'trust');
SELECT check_query(einsum_sql('t[] = both[i,j]*both[j,k]*both[k,i]'));
SELECT check_query('SELECT tensor_sum(a.n * b.n) FROM (SELECT i, j, count(*)::float8 AS n FROM (SELECT i, j FROM e UNION ALL SELECT j, i FROM e) u GROUP BY i, j) a, (SELECT i, j, count(*)::float8 AS n FROM (SELECT i, j FROM e UNION ALL SELECT j, i FROM e) u GROUP BY i, j) b WHERE b.i = a.j AND b.j = a.i');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM (SELECT e.i, e.j, e.w * f.w AS w FROM e JOIN e f ON f.i = e.j OFFSET 0) a, (SELECT e.i, e.j, e.w * f.w AS w FROM e JOIN e f ON f.i = e.j OFFSET 0) b WHERE b.i = a.j AND b.j = a.i');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE b.i = a.j AND b.j = a.i AND a.i NOT IN (SELECT i FROM v WHERE i > 30) AND b.i NOT IN (SELECT i FROM v WHERE i > 30)');
-- not other groups, joins, subplans, or other rows of those that are equal
SELECT check_query('SELECT tensor_sum(a.n * b.n) FROM (SELECT max(i) AS i, max(j) AS j, count(*)::float8 AS n FROM e GROUP BY i OFFSET 0) a, (SELECT max(i) AS i, max(j) AS j, count(*)::float8 AS n FROM e GROUP BY j OFFSET 0) b WHERE b.i = a.i');
SELECT check_query('SELECT tensor_sum(a.n * b.n) FROM (SELECT i, j, count(*)::float8 AS n FROM e GROUP BY i, j OFFSET 0) a, (SELECT i, j, count(*)::float8 AS n FROM e GROUP BY i, j HAVING count(*) > 1 OFFSET 0) b WHERE b.i = a.j AND b.j = a.i');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM (SELECT e.i, e.j, coalesce(f.i, 1)::float8 AS w FROM e JOIN (SELECT i FROM v WHERE i < 20) f ON f.i = e.i OFFSET 0) a, (SELECT e.i, e.j, coalesce(f.i, 1)::float8 AS w FROM e LEFT JOIN (SELECT i FROM v WHERE i < 20) f ON f.i = e.i OFFSET 0) b WHERE b.i = a.j AND b.j = a.i');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE b.i = a.j AND b.j = a.i AND a.i NOT IN (SELECT i FROM v WHERE i > 30) AND b.i NOT IN (SELECT i FROM v WHERE i > 20)');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE b.i = a.j AND b.j = a.i AND a.i NOT IN (SELECT i FROM v WHERE i > 30) AND b.j NOT IN (SELECT i FROM v WHERE i > 30)');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE b.i = a.j AND b.j = a.i AND a.i NOT IN (SELECT i FROM v WHERE i > 30) AND b.i NOT IN (SELECT i + 1 FROM v WHERE i > 30)');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM (SELECT i, j FROM e UNION SELECT j, i FROM e) x, (SELECT DISTINCT ON (i) i, w FROM e ORDER BY i, w) a, (SELECT DISTINCT ON (i) i, w FROM e ORDER BY i, w DESC) b WHERE a.i = x.i AND b.i = x.j');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM both_ways x, (SELECT i, (array_agg(w))[1] AS w FROM (SELECT i, w FROM e ORDER BY w) s GROUP BY i) a, (SELECT i, (array_agg(w))[1] AS w FROM (SELECT i, w FROM e ORDER BY w DESC) s GROUP BY i) b WHERE a.i = x.i AND b.i = x.j');
-- PostgreSQL plans grouping sets once, and the node would need two plans
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM (SELECT i, count(*)::float8 AS w FROM e GROUP BY GROUPING SETS ((i), (i, j))) a, (SELECT i, count(*)::float8 AS w FROM e GROUP BY GROUPING SETS ((i), (i, h))) b WHERE a.i = b.i');
CREATE INDEX e_w ON e (w);
CREATE INDEX e_i_w ON e (i, w);
CREATE INDEX e_i_w_down ON e (i, w DESC);
SET enable_sort = off;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM (SELECT i, j FROM e WHERE w < 1000) x, (SELECT i, (array_agg(j))[1]::float8 AS w FROM (SELECT i, j FROM e WHERE w > -1 ORDER BY w) s GROUP BY i OFFSET 0) a, (SELECT i, (array_agg(j))[1]::float8 AS w FROM (SELECT i, j FROM e WHERE w > -1 ORDER BY w DESC) s GROUP BY i OFFSET 0) b WHERE a.i = x.i AND b.i = x.j');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM (SELECT i, j FROM e WHERE w < 1000) x, (SELECT DISTINCT ON (i) i, j::float8 AS w FROM e ORDER BY i, e.w) a, (SELECT DISTINCT ON (i) i, j::float8 AS w FROM e ORDER BY i, e.w DESC) b WHERE a.i = x.i AND b.i = x.j AND a.w >= 0 AND b.w >= 0');
RESET enable_bitmapscan;
RESET enable_seqscan;
RESET enable_sort;
DROP INDEX e_w, e_i_w, e_i_w_down;

-- not under another condition; with other columns or another value, it is the same rows
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i AND a.h AND NOT b.h');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i AND a.i < 20 AND b.i < 30');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i AND a.h AND b.h');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE a.j = b.i');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE a.j = b.i AND a.i = b.j AND b.j = b.i');
SELECT check_query('SELECT tensor_sum(a.w * b.h::int) FROM e a, e b WHERE a.i = b.j AND a.j = b.i');
SELECT check_query('SELECT tensor_sum((a.w + 1) * (b.w + 2)) FROM e a, e b WHERE a.i = b.j AND a.j = b.i');

-- nodes that want other columns: the first that runs reads all, be it that it only groups them
CREATE FUNCTION scans() RETURNS bigint LANGUAGE sql AS $$SELECT sum(seq_scan + coalesce(idx_scan, 0))::bigint FROM pg_stat_xact_user_tables WHERE schemaname = 'sharing' AND relname IN ('e', 'f', 'v')$$;
CREATE FUNCTION count_scans(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE before bigint;
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'force', true);
	before := scans();
	EXECUTE query;
	RETURN scans() - before;
END $$;
SELECT check_query(q), count_scans(q) FROM (VALUES ('SELECT a.i, tensor_sum(a.w * s.d * t.d) FROM e a, (SELECT i, tensor_sum(w) AS d FROM e GROUP BY i OFFSET 0) s, (SELECT j, tensor_sum(i::float8) AS d FROM e GROUP BY j OFFSET 0) t WHERE s.i = a.i AND t.j = a.j GROUP BY a.i')) q(q);
-- also what is computed of them, and a key that is a value elsewhere
SELECT check_query(q), count_scans(q) FROM (VALUES ('SELECT a.i, tensor_sum(a.w * s.d) FROM e a, (SELECT h, j, tensor_sum(i::float8) AS d FROM e GROUP BY h, j OFFSET 0) s WHERE s.j = a.j GROUP BY a.i')) q(q);
-- tensors, which the first does not need
SELECT check_query(q), count_scans(q) FROM (VALUES ('SELECT a.i, einsum_sum('',a->a'', s.d, a.x) FROM v a, (SELECT i, tensor_sum(i::float8) AS d FROM v GROUP BY i OFFSET 0) s WHERE s.i = a.i GROUP BY a.i')) q(q);
-- of an index that has all columns, of a bitmap, and of a CTE
CREATE INDEX e_i_j ON e (i, j);
VACUUM e;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT check_query(q), count_scans(q) FROM (VALUES ('SELECT a.i, count(*), tensor_sum(s.d) FROM e a, (SELECT i, tensor_sum(i::float8) AS d FROM e WHERE i < 20 GROUP BY i OFFSET 0) s WHERE s.i = a.j AND a.i < 20 GROUP BY a.i')) q(q);
SET enable_bitmapscan = on;
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SELECT check_query(q), count_scans(q) FROM (VALUES ('SELECT a.i, tensor_sum(s.d * a.w) FROM e a, (SELECT j, tensor_sum(w) AS d FROM e WHERE i < 20 GROUP BY j OFFSET 0) s WHERE s.j = a.j AND a.i < 20 GROUP BY a.i')) q(q);
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET enable_indexscan;
RESET enable_indexonlyscan;
DROP INDEX e_i_j;
SELECT check_query(q), count_scans(q) FROM (VALUES ('WITH r AS MATERIALIZED (SELECT i, j, w, w + 1 AS u FROM e) SELECT a.i, tensor_sum(s.d * a.w) FROM r a, (SELECT j, tensor_sum(u) AS d FROM r GROUP BY j OFFSET 0) s WHERE s.j = a.j GROUP BY a.i')) q(q);
SELECT check_query('SELECT * FROM (WITH r AS MATERIALIZED (SELECT i, j, w FROM e WHERE w < 20) SELECT tensor_sum(a.w * b.w) AS d FROM r a, r b WHERE a.i = b.j AND a.j = b.i OFFSET 0) s');
-- a CTE with parameters is another one for each row, and so is what reads it
SELECT check_query('SELECT n, (WITH r AS MATERIALIZED (SELECT i, j, w FROM e WHERE w < n) SELECT tensor_sum(a.w * b.w) FROM r a, r b WHERE a.i = b.j AND a.j = b.i) FROM generate_series(5, 25, 10) n');
SELECT check_query('SELECT n, (WITH q AS MATERIALIZED (SELECT i, j, w FROM e WHERE w < n) SELECT tensor_sum(a.w * b.w) FROM (SELECT i, j, w FROM q OFFSET 0) a, (SELECT i, j, w FROM q OFFSET 0) b WHERE a.i = b.j AND a.j = b.i) FROM generate_series(5, 25, 10) n');
-- as it is in each step of a recursion
SELECT check_query('WITH RECURSIVE r AS (SELECT 0 AS n, 1::float8 AS w UNION ALL SELECT * FROM (WITH c AS MATERIALIZED (SELECT n, w, 1 AS k FROM r WHERE n < 5) SELECT (SELECT max(n) + 1 FROM c) AS n, s.w FROM (SELECT tensor_sum(sparseeinsum_internal.scalar_multiply(a.w, b.w)) + 1 AS w FROM c a, c b WHERE a.k = b.k) s WHERE EXISTS (SELECT FROM c)) s) SELECT n, w FROM r');
-- CTEs of one name
SELECT check_query('WITH r AS MATERIALIZED (SELECT i, j, w FROM e WHERE w < 10) SELECT (SELECT d FROM (WITH r AS MATERIALIZED (SELECT i, j, w FROM e WHERE w < 20) SELECT tensor_sum(a.w*b.w) AS d FROM (SELECT * FROM r OFFSET 0) a, (SELECT * FROM r OFFSET 0) b WHERE a.i=b.j AND a.j=b.i) s), tensor_sum(a.w * b.w) FROM (SELECT * FROM r OFFSET 0) a, (SELECT * FROM r OFFSET 0) b WHERE a.i = b.j AND a.j = b.i');
-- of two equal subqueries, the scan of the one that adds nothing is replaced by that of the table
SELECT check_query('SELECT s.d, t.d FROM (SELECT tensor_sum(x.w) AS d, x.j, x.i FROM (SELECT j, i, w FROM e OFFSET 0) x GROUP BY x.j, x.i OFFSET 0) s, (SELECT tensor_sum(sparseeinsum_internal.scalar_multiply(x.w, x.i::float8)) AS d, x.j FROM (SELECT j, i, w FROM e OFFSET 0) x GROUP BY x.j OFFSET 0) t WHERE s.i = t.j');
-- a node that runs for each row
SELECT check_query(q) FROM (VALUES ('SELECT n, (SELECT tensor_sum(a.w * s.d) FROM e a, (SELECT j, tensor_sum(w) AS d FROM e GROUP BY j OFFSET 0) s WHERE s.j = a.j AND s.d > n) FROM generate_series(1, 60, 20) n')) q(q);
-- what only others want has a NULL: each reads its own; and values of several shapes
CREATE TABLE f AS TABLE e;
ALTER TABLE f ADD COLUMN o float8;
UPDATE f SET o = nullif(i, 39);
INSERT INTO f VALUES (3, NULL, 7, true), (NULL, 4, 8, true);
SELECT check_query(q), count_scans(q) FROM (VALUES ('SELECT a.i, tensor_sum(s.d * a.w) FROM f a, (SELECT j, tensor_sum(w) AS d FROM f GROUP BY j OFFSET 0) s WHERE s.j = a.j GROUP BY a.i')) q(q);
SELECT check_query(q), count_scans(q) FROM (VALUES ('SELECT s.d, t.d FROM (SELECT tensor_sum(a.w * b.w) AS d FROM f a, f b WHERE a.i = b.i) s, (SELECT tensor_sum(a.w * x.i) AS d FROM f a, v x WHERE a.j = x.i) t')) q(q);
DELETE FROM f WHERE i IS NULL OR j IS NULL;
SELECT check_query(q), count_scans(q) FROM (VALUES ('SELECT s.d, t.d FROM (SELECT tensor_sum(a.w * b.w) AS d FROM f a, f b WHERE a.i = b.i) s, (SELECT tensor_sum(a.o * x.i) AS d FROM f a, v x WHERE a.j = x.i) t')) q(q);
CREATE TABLE u AS SELECT i, CASE WHEN i > 35 THEN ARRAY[1, 2] ELSE ARRAY[i, 1] END::float8[]::tensor AS x FROM generate_series(0, 39) i;
UPDATE u SET x = ARRAY[1, 2, 3]::float8[]::tensor WHERE i = 7;
SELECT check_query('SELECT a.i, einsum_sum('',a->'', s.d, a.x) FROM u a, (SELECT i, tensor_sum(i::float8) AS d FROM u GROUP BY i OFFSET 0) s WHERE s.i = a.i GROUP BY a.i');
DROP TABLE f, u;

-- keys that are NULL join nothing, or are a group
INSERT INTO e VALUES (1, NULL, 7, true), (NULL, NULL, 8, true);
SELECT check_query('SELECT tensor_sum(a.w * b.w * c.w) FROM e a, e b, e c WHERE b.i = a.j AND c.i = a.i AND c.j = b.j');
SELECT check_query('SELECT b.j, tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.i AND a.j = 3 AND b.w < 9 GROUP BY b.j');
SELECT check_query('SELECT b.j, tensor_sum(a.w * b.w) FROM e a, e b, e c WHERE a.i = b.i AND a.j = c.j AND c.i = 3 GROUP BY b.j');
SELECT check_query('SELECT s.d, t.j, t.d FROM (SELECT tensor_sum(a.w * b.w) AS d FROM e a, e b WHERE a.i = b.i AND a.j = b.j) s, (SELECT a.j, tensor_sum(a.w * x.i) AS d FROM e a, v x WHERE a.i = x.i GROUP BY a.j) t');
DELETE FROM e WHERE j IS NULL;

-- policies are conditions
CREATE ROLE regress_sharing;
GRANT USAGE ON SCHEMA sharing TO regress_sharing;
GRANT SELECT ON ALL TABLES IN SCHEMA sharing TO regress_sharing;
CREATE VIEW all_of_e AS SELECT i, j, w FROM e;
GRANT SELECT ON all_of_e TO regress_sharing;
ALTER TABLE e ENABLE ROW LEVEL SECURITY;
CREATE POLICY low ON e USING (w < 20);
SET ROLE regress_sharing;
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, all_of_e b WHERE a.i = b.j AND a.j = b.i');
RESET ROLE;
ALTER TABLE e DISABLE ROW LEVEL SECURITY;

-- functions that may say another thing the next time
CREATE SEQUENCE asked;
CREATE FUNCTION other(w float8) RETURNS bool LANGUAGE plpgsql STABLE AS $$BEGIN RETURN w < current_setting('sharing.most')::float8; END $$;
SET sharing.most = 20;
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i AND other(a.w) AND other(b.w)');
SELECT check_query('SELECT tensor_sum(a.w * b.w) > 0 FROM (SELECT i, j, w FROM e WHERE nextval(''asked'') > 0 OFFSET 0) a, (SELECT i, j, w FROM e WHERE nextval(''asked'') > 0 OFFSET 0) b WHERE a.i = b.j AND a.j = b.i');
SELECT nextval('asked');

-- parameters of the query are the same for all of it
SET plan_cache_mode = force_generic_plan;
SET sparseeinsum.enable_aggregate_join = force;
PREPARE low (float8) AS SELECT tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i AND a.w < $1 AND b.w < $1;
CREATE FUNCTION shares(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) ' || query LOOP
		IF line ~ '(Read Before|Shared|Relational Plan|never executed)' THEN
			RETURN NEXT ltrim(line);
		END IF;
	END LOOP;
END $$;
SELECT shares('EXECUTE low(10)');
EXECUTE low(10);
EXECUTE low(20);
SELECT sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i AND a.w < 20 AND b.w < 20;
DEALLOCATE low;
RESET plan_cache_mode;
-- those of an outer query are not, but what depends on none is read once for all of its rows
SELECT check_query('SELECT n, (SELECT tensor_sum(a.w * x.i * y.i) FROM e a, v x, v y WHERE a.i = x.i AND a.j = y.i AND a.w < n) FROM generate_series(1, 4) n');
SELECT check_query('SELECT n, s.d FROM generate_series(1, 4) n, LATERAL (SELECT tensor_sum(a.w * b.w) AS d FROM e a, e b WHERE a.i = b.j AND a.j = b.i AND a.w < n AND b.w < n) s');

-- the rows of a trigger
CREATE TABLE counted (n int, d float8);
CREATE FUNCTION count_pairs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO counted SELECT count(*), tensor_sum(a.w * b.w) FROM added a, added b WHERE a.i = b.j AND a.j = b.i;
	RETURN NULL;
END $$;
CREATE TRIGGER count_pairs AFTER INSERT ON e REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_pairs();
INSERT INTO e VALUES (50, 51, 2, true), (51, 52, 3, true), (51, 50, 5, true);
INSERT INTO e VALUES (50, 50, 2, true);
TABLE counted;
DELETE FROM e WHERE i >= 50;

-- what is written by the query itself is not seen by any of its scans
WITH gone AS (DELETE FROM e WHERE w > 10 RETURNING i, j, w)
	SELECT (SELECT tensor_sum(a.w * b.w) FROM gone a, gone b WHERE a.i = b.j AND a.j = b.i) IS NULL AS none, count(*), tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i;
SELECT count(*), tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i;
SELECT count(*), sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i;

-- cursors, of which two are open, and rows that are fetched in part
BEGIN;
DECLARE c CURSOR FOR SELECT a.i, tensor_sum(a.w * b.w) FROM e a, e b WHERE a.j = b.i AND a.i < 3 AND b.j < 300 GROUP BY a.i, b.j;
DECLARE d SCROLL CURSOR FOR SELECT a.i, tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i GROUP BY a.i ORDER BY a.i;
FETCH 2 FROM c;
FETCH 2 FROM d;
UPDATE e SET w = w + 1;
FETCH 2 FROM c;
FETCH ABSOLUTE 1 FROM d;
CLOSE c;
FETCH 3 FROM d;
ROLLBACK;
SELECT check_query('SELECT count(*) FROM (SELECT a.i, tensor_sum(a.w * b.w) FROM e a, e b WHERE a.i = b.j AND a.j = b.i GROUP BY a.i LIMIT 3) s');

-- too little memory: operands that are read in parts are not shared
CREATE TABLE large (i int, j int, w float8 NOT NULL);
INSERT INTO large SELECT i % 200, (i * 7 + i / 200) % 200, i % 5 FROM generate_series(0, 9999) i;
ANALYZE large;
SET hash_mem_multiplier = 1;
SET work_mem = '1MB';
SELECT check_query('SELECT count(*), sum(d) FROM (SELECT a.i, b.j, tensor_sum(a.w * b.w) AS d FROM large a, large b WHERE a.j = b.i GROUP BY a.i, b.j) s');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM large a, large b WHERE a.j = b.i AND a.i = b.j');
SET work_mem = '256kB';
SELECT check_query('SELECT count(*), sum(d) FROM (SELECT a.i, b.j, tensor_sum(a.w * b.w) AS d FROM large a, large b WHERE a.j = b.i GROUP BY a.i, b.j) s');
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM large a, large b WHERE a.j = b.i AND a.i = b.j');
SET work_mem = '64kB';
SELECT check_query('SELECT tensor_sum(a.w * b.w) FROM large a, large b WHERE a.j = b.i AND a.i = b.j');
SELECT check_query('SELECT a.i, tensor_sum(a.w * s.d) FROM large a, (SELECT i, tensor_sum(w) AS d FROM large GROUP BY i OFFSET 0) s WHERE s.i = a.i GROUP BY a.i');
-- the columns of all do not fit, as was not expected: each reads its own
UPDATE pg_class SET reltuples = 1, relpages = 1 WHERE oid = 'large'::regclass;
SELECT check_query('SELECT s.d, t.d FROM (SELECT i, tensor_sum(w) AS d FROM large GROUP BY i OFFSET 0) s, (SELECT j, tensor_sum(w) AS d FROM large GROUP BY j OFFSET 0) t WHERE s.i = t.j AND s.d + t.d > 230');
RESET work_mem;
RESET hash_mem_multiplier;
SET sparseeinsum.cache_size = 1;
SELECT check_query('SELECT a.i, einsum_sum(''a,a->'', x.x, y.x) FROM e a, v x, v y WHERE x.i = a.i AND y.i = a.j GROUP BY a.i');
RESET sparseeinsum.cache_size;
-- memory is expected for one scan, where nothing is in parts
CREATE FUNCTION nodes(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	line text;
	n bigint := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		n := n + (line ~ '^Custom Scan \(AggregateJoin\)')::int;
	END LOOP;
	RETURN n;
END $$;
CREATE TABLE graph (i int, j int, PRIMARY KEY (i, j));
INSERT INTO graph SELECT i, (i * 31 + k * k) % 2000 FROM generate_series(0, 1999) i, generate_series(1, 20) k ON CONFLICT DO NOTHING;
CREATE TABLE copy1 AS TABLE graph;
CREATE TABLE copy2 AS TABLE graph;
ANALYZE graph, copy1, copy2;
SET work_mem = '1500kB';
SET hash_mem_multiplier = 1;
SET sparseeinsum.enable_aggregate_join = on;
SELECT nodes('SELECT tensor_sum(1::float8) FROM graph a, graph b, graph c WHERE b.i = a.j AND c.i = a.i AND c.j = b.j') AS of_one_table,
	nodes('SELECT tensor_sum(1::float8) FROM graph a, copy1 b, copy2 c WHERE b.i = a.j AND c.i = a.i AND c.j = b.j') AS of_three;
SELECT einsum_register('g[I,J]', 'graph', '{i,j}', bounds => '{2000,2000}');
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
SELECT nodes(einsum_sql('s[] = g[i,j] * g[j,k] * g[i,k]')) AS of_program;
RESET work_mem;
RESET hash_mem_multiplier;

-- nothing is left of a query, whatever its end
SET sparseeinsum.enable_aggregate_join = force;
DO $$
BEGIN
	PERFORM 1 / (count(*) - 1) FROM (SELECT tensor_sum(a.w * b.w) FROM sharing.e a, sharing.e b WHERE a.i = b.j AND a.j = b.i) s;
EXCEPTION WHEN division_by_zero THEN
	PERFORM tensor_sum(a.w * b.w) FROM sharing.e a, sharing.e b WHERE a.i = b.j AND a.j = b.i;
END $$;
SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'kept operand%';
DROP OWNED BY regress_sharing;
DROP ROLE regress_sharing;
DROP SCHEMA sharing CASCADE;
