-- Loop nests that read the groups of others as columns: the same rows as without nests
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA nest_columns;
SET search_path = nest_columns, public, sparseeinsum_internal;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE e (i int NOT NULL, j int NOT NULL, PRIMARY KEY (i, j));
INSERT INTO e SELECT DISTINCT (x * 7919) % 211, (x * x) % 223 FROM generate_series(1, 3000) x;
CREATE TABLE w (j int8 PRIMARY KEY, v float8, t tensor);
INSERT INTO w SELECT x, x % 9, format('[%s,1]', x % 4)::tensor FROM generate_series(0, 299) x;
CREATE TABLE small (k int2 PRIMARY KEY, v float8 NOT NULL);
INSERT INTO small SELECT x, x FROM generate_series(0, 60) x;
CREATE TABLE none (i int PRIMARY KEY, v float8);
ANALYZE e, w, small, none;
-- are rows the same as without nests, how many are there, and does each plan have two nests, one above the other?
CREATE FUNCTION compare(query text) RETURNS TABLE (same bool, n bigint, nests bigint, relational bigint) LANGUAGE plpgsql AS $$
DECLARE with_nests text[]; without text[]; line text;
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'off', true);
	EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) FROM (%s) AS q', query) INTO without;
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'force', true);
	EXECUTE format('SELECT array_agg(q::text ORDER BY q::text) FROM (%s) AS q', query) INTO with_nests;
	nests := 0;
	relational := 0;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		nests := nests + (line ~ 'AggregateJoin')::int;
		relational := relational + (line ~ 'Relational Plan:')::int;
	END LOOP;
	same := with_nests IS NOT DISTINCT FROM without;
	n := coalesce(cardinality(without), 0);
	RETURN NEXT;
END $$;
CREATE VIEW steps AS SELECT a.i, b.j AS k, tensor_sum(scalar_multiply(1, w.v)) AS s, count(*) AS n FROM e a, e b, w WHERE a.j = b.i AND w.j = a.j GROUP BY a.i, b.j;
-- keys and numbers, in another order, some of them not wanted
SELECT * FROM compare('SELECT s.k, tensor_sum(scalar_multiply(s.s, w.v)) FROM steps s, w WHERE s.i = w.j GROUP BY s.k');
SELECT * FROM compare('SELECT s.k, tensor_max(s.s) AS m, tensor_sum(scalar_multiply(s.s, 2)) AS d, tensor_sum(scalar_multiply(1, scalar_multiply(2, scalar_multiply(1, s.s)))) AS e FROM steps s, w WHERE s.i = w.j GROUP BY s.k');
SELECT * FROM compare('SELECT z.i, z.k, tensor_sum(scalar_multiply(z.s, small.v)) FROM (SELECT k AS i, s, i AS k FROM steps OFFSET 0) z, small WHERE z.i = small.k GROUP BY z.i, z.k');
-- numbers of tuples are keys
SELECT * FROM compare('SELECT small.v, tensor_sum(s.s) FROM steps s, small WHERE s.n = small.k GROUP BY small.v');
SELECT * FROM compare('SELECT s.n, tensor_sum(scalar_multiply(s.s, small.v)) FROM steps s, small WHERE s.n = small.k GROUP BY s.n');
-- both sides
SELECT * FROM compare('SELECT s.i, tensor_sum(scalar_multiply(s.s, t.s)) FROM steps s, (SELECT i, k, s FROM steps) t WHERE s.k = t.k AND s.i = t.i GROUP BY s.i');
-- what is computed of groups, or left out of them, is rows
SELECT * FROM compare('SELECT z.k, tensor_sum(scalar_multiply(z.s, w.v)) FROM (SELECT a.i, b.j AS k, scalar_add(1, tensor_sum(w.v)) AS s FROM e a, e b, w WHERE a.j = b.i AND w.j = a.j GROUP BY a.i, b.j) z, w WHERE z.i = w.j GROUP BY z.k');
SELECT * FROM compare('SELECT z.k, tensor_sum(scalar_multiply(z.s, w.v)) FROM (SELECT a.i, b.j AS k, tensor_sum(w.v) AS s FROM e a, e b, w WHERE a.j = b.i AND w.j = a.j GROUP BY a.i, b.j HAVING count(*) > 1) z, w WHERE z.i = w.j GROUP BY z.k');
SELECT * FROM compare('SELECT z.k, tensor_sum(scalar_multiply(z.s, w.v)) FROM (SELECT i, k, s FROM steps WHERE s > 3) z, w WHERE z.i = w.j GROUP BY z.k');
-- tensors, which other nodes may sum, too
SELECT same, n FROM compare('SELECT z.k, tensor_sum(vec_sca_mult(z.t, w.v)) FROM (SELECT b.j AS k, tensor_sum(vec_sca_mult(w.t, w.v)) AS t FROM e b, w WHERE w.j = b.i GROUP BY b.j) z, w WHERE z.k = w.j GROUP BY z.k');
-- three, one above the other
SELECT * FROM compare('SELECT z.i, tensor_sum(z.s) FROM (SELECT s.i, tensor_sum(scalar_multiply(s.s, w.v)) AS s FROM steps s, w WHERE s.k = w.j GROUP BY s.i) z, small WHERE z.i = small.k GROUP BY z.i');
-- nothing, and groups of nothing
SELECT * FROM compare('SELECT z.i, tensor_sum(scalar_multiply(z.s, w.v)) FROM (SELECT none.i, tensor_sum(none.v) AS s FROM none, e WHERE none.i = e.i GROUP BY none.i) z, w WHERE z.i = w.j GROUP BY z.i');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(z.s, w.v)) FROM (SELECT tensor_sum(none.v) AS s FROM none, e WHERE none.i = e.i) z, w');
-- in parts, of either
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT same, n FROM compare('SELECT s.k, tensor_sum(scalar_multiply(s.s, w.v)) FROM steps s, w WHERE s.i = w.j GROUP BY s.k');
SELECT same, n FROM compare('SELECT s.i, tensor_sum(scalar_multiply(s.s, t.s)) FROM steps s, (SELECT i, k, s FROM steps) t WHERE s.k = t.k AND s.i = t.i GROUP BY s.i');
RESET work_mem;
RESET hash_mem_multiplier;
-- a value that is NULL, which the nest below finds, and the one above
UPDATE w SET v = NULL WHERE j = 7;
SELECT * FROM compare('SELECT s.k, tensor_sum(s.s) FROM steps s, small WHERE s.i = small.k GROUP BY s.k');
SELECT * FROM compare('SELECT s.k, tensor_sum(scalar_multiply(s.s, w.v)) FROM (SELECT a.i, b.j AS k, tensor_sum(small.v) AS s FROM e a, e b, small WHERE a.j = b.i AND small.k = a.j GROUP BY a.i, b.j) s, w WHERE s.i = w.j GROUP BY s.k');
UPDATE w SET v = 7 WHERE j = 7;
-- again and again, with other parameters and with the same
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT same, n FROM compare('SELECT p.k, q.* FROM small p, LATERAL (SELECT s.k AS l, tensor_sum(scalar_multiply(s.s, w.v)) AS s FROM (SELECT a.i, b.j AS k, tensor_sum(w.v) AS s FROM e a, e b, w WHERE a.j = b.i AND w.j = a.j AND a.i = p.k GROUP BY a.i, b.j) s, w WHERE s.i = w.j GROUP BY s.k) q WHERE p.k < 5');
SELECT same, n FROM compare('SELECT p.k, q.* FROM small p, LATERAL (SELECT s.k AS l, tensor_sum(scalar_multiply(s.s, w.v)) + p.k AS s FROM steps s, w WHERE s.i = w.j GROUP BY s.k) q WHERE p.k < 3');
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
-- rows that are counted, also of the subquery
SET sparseeinsum.enable_aggregate_join = force;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT s.k, tensor_sum(scalar_multiply(s.s, w.v)) FROM steps s, w WHERE s.i = w.j GROUP BY s.k;
-- a cursor
BEGIN;
DECLARE c CURSOR FOR SELECT z.k, count(*) FROM (SELECT s.k, tensor_sum(scalar_multiply(s.s, w.v)) FROM steps s, w WHERE s.i = w.j GROUP BY s.k) z GROUP BY z.k ORDER BY z.k;
FETCH 2 FROM c;
FETCH 1 FROM c;
COMMIT;
DROP SCHEMA nest_columns CASCADE;
