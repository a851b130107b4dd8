-- Joins that aggregate nothing, in a loop nest: what is above them finds rows, order and errors as without
\set VERBOSITY terse
CREATE SCHEMA nest_rows;
SET search_path = nest_rows, public, sparseeinsum_internal;
CREATE TABLE a (i int, j int, v float8);
CREATE TABLE b (j int, k int, v float8);
INSERT INTO a SELECT (x * 7919) % 5000, x % 500, x % 13 FROM generate_series(1, 10000) x;
INSERT INTO b SELECT (x * 31) % 500, (x * 17) % 23, x % 7 FROM generate_series(1, 1000) x;
CREATE INDEX ON a (i);
CREATE INDEX ON b (j);
ANALYZE a, b;

-- the order of an index that the joins keep: nothing sorts
CREATE TABLE r (n bigserial, i int, s float8);
SET enable_sort = off;
INSERT INTO r (i, s) SELECT a.i, einsum_scalar(',->', a.v, b.v) FROM a, b WHERE a.j = b.j ORDER BY a.i DESC;
SELECT count(*) AS rows, count(*) FILTER (WHERE i > l) AS disordered FROM (SELECT i, lag(i) OVER (ORDER BY n) l FROM r) z;
SELECT (array_agg(i))[1:3] FROM (SELECT a.i, einsum_scalar(',->', a.v, b.v) FROM a, b WHERE a.j = b.j ORDER BY a.i DESC) q;
RESET enable_sort;

-- what FILTER and CASE leave out raises no errors
CREATE TABLE c (i int, j int, kind int, t tensor);
CREATE TABLE d (j int, kind int, t tensor);
INSERT INTO c SELECT x % 11, x % 7, x % 2, CASE WHEN x % 2 = 0 THEN '[1,2]'::tensor ELSE '[1,2,3]' END FROM generate_series(1, 2000) x;
INSERT INTO d SELECT x % 7, x % 2, CASE WHEN x % 2 = 0 THEN '[1,2]'::tensor ELSE '[1,2,3]' END FROM generate_series(1, 1500) x;
ANALYZE c, d;
CREATE VIEW filtered AS SELECT c.i, sum(inner_prod(c.t, d.t)) FILTER (WHERE c.kind = d.kind) AS s FROM c, d WHERE c.j = d.j GROUP BY c.i;
CREATE VIEW cases AS SELECT c.i, sum(CASE WHEN c.kind = d.kind THEN inner_prod(c.t, d.t) ELSE 0 END) AS s FROM c, d WHERE c.j = d.j GROUP BY c.i;
SELECT * FROM filtered ORDER BY i LIMIT 2;
SELECT * FROM cases ORDER BY i LIMIT 2;
SET sparseeinsum.enable_aggregate_join = off;
SELECT * FROM filtered ORDER BY i LIMIT 2;
SELECT * FROM cases ORDER BY i LIMIT 2;
RESET sparseeinsum.enable_aggregate_join;

-- functions of rows that join nothing may raise errors
CREATE TABLE x (i int, v float8);
CREATE TABLE y (i int, w float8);
INSERT INTO x SELECT g % 1000, g FROM generate_series(1, 5000) g;
INSERT INTO y SELECT g % 5, g FROM generate_series(1, 1000) g;
CREATE FUNCTION f(n int) RETURNS TABLE (k int, z float8) LANGUAGE plpgsql IMMUTABLE ROWS 3 AS $$
BEGIN
	IF n >= 500 THEN
		RAISE 'f of %', n;
	END IF;
	RETURN QUERY SELECT g, g::float8 FROM generate_series(1, 3) g;
END $$;
ANALYZE x, y;
SELECT y.i, einsum_sum(',->', e.z, y.w) FROM x, LATERAL f(x.i) e, y WHERE x.i = y.i GROUP BY y.i ORDER BY y.i LIMIT 1;

-- groups of joined rows that workers return: they compute what is grouped by
CREATE TABLE z (j bigint, k bigint, v tensor, PRIMARY KEY (j, k));
INSERT INTO z VALUES (0, 1, '[1,0]'), (1, 1, '[0,3]');
CREATE VIEW entries AS SELECT 2 * j + index AS i, k, value FROM z, LATERAL einsum_unstack(v, 0, 0);
CREATE VIEW grouped AS SELECT e.i, einsum_sum(',->', e.value, f.value) AS s FROM entries e, entries f
  WHERE e.k = f.k AND e.i = ANY (ARRAY[0]) AND f.i = ANY (ARRAY[3]) GROUP BY e.i;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SET sparseeinsum.enable_aggregate_join = force;
SELECT i FROM (SELECT * FROM grouped OFFSET 0) g;
SET sparseeinsum.enable_aggregate_join = off;
SELECT i FROM (SELECT * FROM grouped OFFSET 0) g;
RESET sparseeinsum.enable_aggregate_join;
RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size; RESET max_parallel_workers_per_gather;

SET client_min_messages = warning;
DROP SCHEMA nest_rows CASCADE;
