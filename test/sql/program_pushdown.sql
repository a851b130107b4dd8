--
-- WHERE on a view of a program reaches the index of the table below
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA pushdown_test;
SET search_path = pushdown_test, public;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, (i * 31 + k * k * 7) % 2000, 1 + (i + k) % 4 FROM generate_series(0, 1999) i, generate_series(0, 4) k ON CONFLICT DO NOTHING;
CREATE TABLE h (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO h SELECT j, ARRAY[j % 5, j % 3, 1]::float8[]::tensor FROM generate_series(0, 1999) j;
CREATE TABLE x (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x SELECT i, i % 7 FROM generate_series(0, 1999) i;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{2000,2000}');
SELECT einsum_register('h[J,k]', 'h', '{j}', 'v', '{2000,3}');
SELECT einsum_register('x[I]', 'x', '{i}', 'v', '{2000}');
ANALYZE a, h, x;
-- the plan's nodes on base tables: which node, and rows it really read
CREATE FUNCTION scans(query text) RETURNS TABLE (scan text, relation text, index_cond text, rows float8) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
	RETURN QUERY WITH RECURSIVE node(n) AS (SELECT plan->0->'Plan' UNION ALL SELECT c FROM node, jsonb_array_elements(n->'Plans') c)
		SELECT n->>'Node Type', n->>'Relation Name', coalesce(n->>'Index Cond', n->>'Recheck Cond'),
			((n->>'Actual Rows')::float8 + coalesce((n->>'Rows Removed by Filter')::float8, 0) + coalesce((n->>'Rows Removed by Index Recheck')::float8, 0)) * (n->>'Actual Loops')::float8
		FROM node WHERE n ? 'Relation Name' ORDER BY 2, 3;
END $$;
SET enable_bitmapscan = off;

-- a join stage
SELECT count(*) FROM einsum_decompose('y[I,k] = a[I,J]*h[J,k]', 'join', search => 'as_written');
SELECT * FROM scans('SELECT * FROM y WHERE i = 42');
SELECT y.value = e.value AS same FROM y, (SELECT tensor_sum(h.v * a.v) AS value FROM a JOIN h USING (j) WHERE i = 42) e WHERE y.i = 42;
SELECT * FROM scans('SELECT * FROM y WHERE i BETWEEN 40 AND 45') WHERE relation = 'a';
-- a parameter, a join with another table, and the view's own key type
PREPARE one(int) AS SELECT * FROM y WHERE i = $1;
EXECUTE one(42);
SELECT * FROM scans('SELECT y.* FROM y JOIN (VALUES (42)) v(n) ON y.i = v.n');
-- a union stage
SELECT count(*) FROM einsum_decompose('u[I] = a[I,I] + 3*x[I]', 'union', search => 'as_written');
SELECT * FROM scans('SELECT * FROM u WHERE i = 42');
SELECT u.value = e.value AS same FROM u, (SELECT coalesce((SELECT v FROM a WHERE i = 42 AND j = 42), 0) + 3 * (SELECT v FROM x WHERE i = 42) AS value) e WHERE u.i = 42;
SELECT count(*) FROM einsum_decompose('d[I,J] = a[I,J] - 2*a[J,I]', 'union2', search => 'as_written');
CREATE INDEX a_by_j ON a (j);
SELECT * FROM scans('SELECT * FROM d WHERE i = 42');
DROP INDEX a_by_j;
SELECT sum(value) = (SELECT sum(CASE WHEN i = 42 THEN v ELSE 0 END) - 2 * sum(CASE WHEN j = 42 THEN v ELSE 0 END) FROM a) AS same FROM d WHERE i = 42;
-- a stack repartition: rows of a as vectors
SELECT count(*) FROM einsum_decompose('s[I] = sqrt(sum[j] a[I,j]*a[I,j])', 'stack', search => 'as_written');
SELECT * FROM scans('SELECT * FROM s WHERE i = 42');
SELECT s.value = sqrt(e.value) AS same FROM s, (SELECT sum(a.v * a.v) AS value FROM a WHERE i = 42) e WHERE s.i = 42;
-- an unstack repartition of the result: only the row asked for is unstacked
SELECT count(*) FROM einsum_decompose('r[J,K] = relu(h[J,K])', 'unstack', search => 'as_written');
SELECT * FROM scans('SELECT * FROM r WHERE j = 43 AND k = 1');
SELECT r.value = (SELECT (v)[1]::float8 FROM h WHERE j = 43) AS same FROM r WHERE j = 43 AND k = 1;
SET client_min_messages = warning;
DROP SCHEMA pushdown_test CASCADE;
