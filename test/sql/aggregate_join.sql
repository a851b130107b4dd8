-- Join, kernels and aggregates in one loop nest: what is taken, what is left to PostgreSQL.
SET sparseeinsum.enable_aggregate_join = force;
SET sparseeinsum.enable_batching = off;
SET max_parallel_workers_per_gather = 0;
CREATE SCHEMA nest_test;
SET search_path = nest_test, public, sparseeinsum_internal;
\i test/sql/include/compared_rows.sql
-- PostgreSQL 14 takes any custom scan for one that projects: it has no such node
CREATE TABLE edge (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, (i * 7 + k * 13) % 50, (i + k) % 5 + 1 FROM generate_series(0, 49) i, generate_series(0, 4) k;
CREATE TABLE node (i bigint PRIMARY KEY, x tensor NOT NULL);
INSERT INTO node SELECT i, ('[' || i || ',' || i % 3 || ',1]')::tensor FROM generate_series(0, 49) i;
CREATE TABLE weight (i smallint PRIMARY KEY, v float8);
INSERT INTO weight SELECT i, i / 4.0 FROM generate_series(0, 49, 3) i;
ANALYZE;

-- Runs a query with the node and without; shows the plan's first node and, if the relational plan ran, why.
CREATE FUNCTION compare(query text) RETURNS TABLE (node text, relational text, rows bigint, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	SELECT c.* INTO plan, rows, wrong FROM compared_rows(query) c;
	node := coalesce(plan->>'Custom Plan Provider', plan->>'Node Type');
	relational := plan->>'Relational Plan';
	RETURN NEXT;
END $$;
CREATE FUNCTION json_of(query text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF, FORMAT json) ' || query INTO plan;
	RETURN plan;
END $$;
-- The error of a query.
CREATE FUNCTION fails(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

-- What is taken
EXPLAIN (COSTS OFF, VERBOSE) SELECT a.i, einsum_sum(',a->a', a.v, n.x) AS value FROM edge a, node n WHERE a.j = n.i GROUP BY a.i HAVING count(*) > 2;
EXPLAIN (COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF) SELECT a.i, c.j, tensor_sum(scalar_multiply(a.v, c.v)) FROM edge a, edge c WHERE a.j = c.i GROUP BY a.i, c.j;
SELECT * FROM compare('SELECT a.i, einsum_sum('',a->a'', a.v, n.x) AS value FROM edge a, node n WHERE a.j = n.i GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, c.j, tensor_sum(scalar_multiply(a.v, c.v)) FROM edge a, edge c WHERE a.j = c.i GROUP BY a.i, c.j');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, scalar_multiply(b.v, c.v))), count(*) FROM edge a, edge b, edge c WHERE a.j = b.i AND b.j = c.i AND c.j = a.i');
SELECT * FROM compare('SELECT a.i, tensor_min(scalar_add(a.v, scalar_exp(COALESCE(w.v, 2)))) FROM edge a LEFT JOIN weight w ON w.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.j, tensor_max(a.v), tensor_sum(a.v), tensor_prod(a.v), tensor_any(a.v), tensor_all(a.v), count(*) FROM edge a GROUP BY a.j');
SELECT * FROM compare('SELECT a.i, stack(a.v, CAST(a.j AS int8), 0, 50::int8) FROM edge a GROUP BY a.i');
SELECT * FROM compare('SELECT stack(n.x, n.i, 1, 50::int8, 7) FROM node n');
SELECT * FROM compare('SELECT tensor_reshape(stack(a.v, CAST((a.i * 50::int8 + a.j) AS int8), 0, 2500::int8), ''{50,50}'') FROM edge a');
SELECT * FROM compare('SELECT e.index, tensor_sum(scalar_multiply(COALESCE(w.v, 1), a.v)) FROM allints(0, 60) e(index) LEFT JOIN weight w ON w.i = e.index, edge a WHERE a.j = e.index GROUP BY e.index');
SELECT * FROM compare('SELECT e.index, count(*) FROM allints(0, 60) e(index) GROUP BY e.index');
SELECT * FROM compare('SELECT a.i, einsum_sum(''a,b->ab'', n.x, m.x) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, einsum_sum_scalar('',a,a->'', a.v, n.x, m.x) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j GROUP BY a.i');
-- operands with the same labels are one, beside another one
SELECT * FROM compare('SELECT a.i, einsum_sum('',a,a,a->a'', a.v, n.x, m.x, n.x) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, einsum_sum(''b,a,a,a->ab'', m.x, n.x, m.x, n.x) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT einsum_sum_scalar(''a,a,a,a->'', n.x, m.x, m.x, n.x) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j');
SELECT * FROM compare('SELECT a.i, tensor_map_max(''exp($1 - $2)'', ''a,->a'', n.x, scalar_multiply(a.v, 2)) FROM edge a, node n WHERE n.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, einsum_min('',a->a'', a.v, n.x) FROM edge a, node n WHERE n.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT tensor_sum(n.x) FROM node n');
-- sums in a kernel: numbers of each tuple that others are computed of, also one of another, and one that two have
EXPLAIN (COSTS OFF, VERBOSE) SELECT a.i, tensor_sum(scalar_multiply(a.v, scalar_exp(scalar_negate(inner_prod(n.x, m.x))))) AS s FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j GROUP BY a.i;
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, scalar_exp(scalar_negate(inner_prod(n.x, m.x))))), count(*) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, einsum_sum('',a->a'', scalar_divide(a.v, scalar_add(inner_prod(n.x, m.x), 1)), m.x), tensor_max(inner_prod(n.x, m.x)) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT tensor_sum(scalar_subtract(a.v, inner_prod(COALESCE(n.x, ''[1,2,3]''), m.x))), tensor_min(tensor_map_scalar(''$1 - $2'', '',a->'', einsum_scalar(''a,a->'', COALESCE(n.x, ''[1,2,3]''), m.x), m.x)) FROM edge a JOIN node m ON m.i = a.j LEFT JOIN (SELECT i, x FROM node WHERE i % 3 > 0) n ON n.i = a.i');
SELECT * FROM compare('SELECT tensor_prod(scalar_add(einsum_scalar(''a->'', n.x), einsum_scalar(''a,b->'', n.x, m.x))), stack(inner_prod(n.x, m.x), a.j, 0, 50::int8) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j AND a.i = 3');
SELECT * FROM compare('SELECT a.i, scalar_multiply(a.v, scalar_add(inner_prod(n.x, m.x), inner_prod(n.x, n.x))) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j');
-- single and complex elements, shapes that do not fit, a row that makes one NULL, and more of them than a nest has room for
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, inner_prod(f.x, f.x))) FROM edge a, (SELECT i, ''float4:[0.1,0.7]''::tensor AS x FROM node OFFSET 0) f WHERE f.i = a.j');
SELECT fails('SELECT tensor_sum(scalar_multiply(a.v, inner_prod(f.x, f.x))) FROM edge a, (SELECT i, ''complex16:[1+2i]''::tensor AS x FROM node OFFSET 0) f WHERE f.i = a.j');
SELECT fails('SELECT tensor_sum(scalar_multiply(a.v, inner_prod(f.x, n.x))) FROM edge a, node n, (SELECT i, ''[1,2]''::tensor AS x FROM node OFFSET 0) f WHERE f.i = a.j AND n.i = a.i');
SELECT fails('SELECT tensor_sum(scalar_multiply(a.v, scalar_add(vec_sca_mult(n.x, 2)::float8, 1))) FROM edge a, node n WHERE n.i = a.i');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, inner_prod(f.x, f.x))) FROM edge a, (SELECT i, CASE WHEN i > 3 THEN x END AS x FROM node OFFSET 0) f WHERE f.i = a.j');
SELECT * FROM compare((SELECT format('SELECT tensor_sum(scalar_multiply(a.v, %s)) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j', string_agg(format('scalar_add(inner_prod(n.x, m.x), scalar_multiply(%s, einsum_scalar(''a,b->'', n.x, m.x)))', k), ')) s, tensor_sum(scalar_multiply(a.v, ')) FROM generate_series(1, 2) k));
SELECT k AS kernels, (json_of((SELECT format('SELECT tensor_sum(%s) FROM edge a, node n, node m WHERE n.i = a.i AND m.i = a.j', string_agg(format('scalar_exp(einsum_scalar(''a,b,->'', n.x, m.x, %s))', l), '), tensor_max(')) FROM (SELECT 'scalar_add(a.v, ' || l || ')' AS l FROM generate_series(1, k / 2) l) l))->0->'Plan'->>'Node Type') AS node FROM generate_series(2, 18, 2) k;
SELECT * FROM compare('SELECT s.k, tensor_sum(s.v) FROM (SELECT i AS k, v FROM edge UNION ALL SELECT j, v FROM edge) s GROUP BY s.k');
SELECT * FROM compare('SELECT a.i, count(*) FROM edge a, node n GROUP BY a.i HAVING tensor_sum(n.x) IS NOT NULL');
-- kernels of literals alone: ones are counted
SELECT * FROM compare('SELECT a.i, b.j, tensor_sum(scalar_multiply(1, 1)) FROM edge a, edge b WHERE a.j = b.i GROUP BY a.i, b.j');
SELECT * FROM compare('SELECT tensor_sum(1::float8) AS a, tensor_sum(0.5::float8) AS b, tensor_sum(-1::float8) AS c, tensor_max(2::float8) AS d, tensor_prod(1::float8) AS e FROM edge a, edge b WHERE a.j = b.i');
SELECT * FROM compare('SELECT tensor_sum(1::float8) AS a, tensor_sum(2::float8) AS b, tensor_min(1::float8) AS c FROM edge a, node n WHERE a.j = n.i AND n.i < 0');
SELECT * FROM compare('SELECT a.i, tensor_sum(''NaN''::float8), tensor_max(NULL::float8) FROM edge a GROUP BY a.i');
-- the diagonal, by one condition and by two
SELECT * FROM compare('SELECT tensor_sum(a.v) FROM edge a WHERE a.i = a.j');
SELECT * FROM compare('SELECT tensor_sum(a.v) FROM edge a, node n WHERE a.i = n.i AND a.j = n.i');
-- a left join by a key that is compared with two labels does not make these equal
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(w.v, 3))) FROM edge a LEFT JOIN weight w ON w.i = a.i AND w.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(b.v, 3))) FROM edge a LEFT JOIN edge b ON b.i = a.i AND b.j = a.i GROUP BY a.i');
-- duplicate keys, on either side of a left join
CREATE TABLE bag (i int, v float8);
INSERT INTO bag SELECT i % 10, i FROM generate_series(1, 40) i;
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, b.v)), count(*) FROM edge a, bag b WHERE a.j = b.i GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(b.v, 5))), count(*) FROM edge a LEFT JOIN bag b ON a.j = b.i GROUP BY a.i');
SELECT * FROM compare('SELECT b.i, tensor_sum(scalar_multiply(b.v, COALESCE(c.v, 5))), count(*) FROM bag b LEFT JOIN bag c ON c.i = b.i GROUP BY b.i');
-- values that are computed of a row's columns
CREATE TABLE typed (k0 bigint, s real, n int, d numeric);
INSERT INTO typed VALUES (-2, 3, 1, 5), (-2, -6, 2, 6), (7, 1.5, 3, 7);
SELECT * FROM compare('SELECT t.k0, tensor_sum(t.s::float8) AS f, tensor_sum(t.s::tensor) AS t, tensor_sum(t.n::float8) AS n FROM typed t GROUP BY t.k0');
SELECT * FROM compare('SELECT t.k0, einsum_sum('',,a->a'', t.s, t.n, n.x) FROM typed t, node n WHERE n.i = t.n GROUP BY t.k0');
SELECT * FROM compare('SELECT n.i, tensor_sum(scalar_multiply(COALESCE(t.s::float8, 2), 3)) FROM node n LEFT JOIN typed t ON t.n = n.i GROUP BY n.i');
-- what is irregular is found before the first of many groups is returned
CREATE TABLE late_shapes (i int, j int, x tensor NOT NULL);
INSERT INTO late_shapes SELECT n, n, '[1,2]' FROM generate_series(0, 1999) n;
INSERT INTO late_shapes VALUES (1990, 1980, '[1,2,3]');
ANALYZE late_shapes;
SELECT fails('SELECT s.i, einsum_sum(''a,a->'', s.x, t.x) FROM late_shapes s, late_shapes t WHERE s.i = t.j GROUP BY s.i');
-- the same of rows as they are stored
CREATE TABLE stored (k0 bigint, s real);
INSERT INTO stored VALUES (-2, 3), (-2, -6), (7, 1.5);
SELECT * FROM compare('SELECT t.k0, tensor_sum(t.s::float8) FROM stored t GROUP BY t.k0');
-- conditions that the scans check, constants, and conditions without columns
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j = w.i AND a.i = 7 AND w.v > 1 GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j = w.i AND a.j = 9 GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, (SELECT max(v) FROM weight))) FROM edge a WHERE (SELECT count(*) FROM bag) > 3 GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(a.v) FROM edge a WHERE (SELECT count(*) FROM bag) < 3 GROUP BY a.i');
SELECT * FROM compare('SELECT tensor_sum(a.v), count(*) FROM edge a WHERE (SELECT count(*) FROM bag) < 3');
-- the same of a left join's operand, which then has no rows; and in the condition of the join itself, which is left to PostgreSQL
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(w.v, 3))) FROM edge a LEFT JOIN (SELECT * FROM weight WHERE (SELECT count(*) FROM bag) > 3) w ON w.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(w.v, 3))) FROM edge a LEFT JOIN (SELECT * FROM weight WHERE (SELECT count(*) FROM bag) < 3) w ON w.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(w.v, 3))) FROM edge a LEFT JOIN (SELECT w.i, w.v FROM weight w JOIN bag b ON b.i = w.i WHERE (SELECT count(*) FROM bag) < 3) w ON w.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(w.v, 3))) FROM edge a LEFT JOIN (SELECT w.i, w.v FROM weight w JOIN bag b ON b.i = w.i AND (SELECT count(*) FROM bag) > 3) w ON w.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(w.v, 3))) FROM edge a LEFT JOIN weight w ON w.i = a.j AND (SELECT count(*) FROM bag) < 3 GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(w.v, 3))) FROM edge a LEFT JOIN (weight w JOIN node n ON n.i = w.i AND (SELECT count(*) FROM bag) < 3) ON w.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j = w.i AND (SELECT count(*) FROM bag) < 3 GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j = w.i AND (SELECT count(*) FROM bag) > 3 GROUP BY a.i');
-- nothing to join
CREATE TABLE nothing (i int, x tensor, v float8);
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, n.v)) FROM edge a, nothing n WHERE a.j = n.i GROUP BY a.i');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, n.v)), count(*) FROM edge a, nothing n WHERE a.j = n.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(n.v, 4))) FROM edge a LEFT JOIN nothing n ON a.j = n.i GROUP BY a.i');
SELECT * FROM compare('SELECT tensor_sum(n.x) AS x, tensor_sum(n.v), count(*) FROM nothing n');
SELECT * FROM compare('SELECT tensor_sum(a.v) FROM edge a, edge b WHERE a.i = b.j AND b.i = -1');
SELECT * FROM compare('SELECT e.index, count(*) FROM allints(5, 5) e(index) GROUP BY e.index');

-- What the relational plan runs for, once the operands are read
INSERT INTO bag VALUES (NULL, 1);
SELECT * FROM compare('SELECT b.i, tensor_sum(b.v) FROM bag b GROUP BY b.i');
-- but not for a NULL that is joined with nothing
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, b.v)) FROM edge a, bag b WHERE a.j = b.i GROUP BY a.i');
SELECT * FROM compare('SELECT b.v > 3, tensor_sum(b.v) FROM bag b GROUP BY b.v > 3');
UPDATE bag SET v = NULL WHERE v = 17;
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, b.v)), count(*) FROM edge a, bag b WHERE a.j = b.i GROUP BY a.i');
CREATE TABLE mixed (i int PRIMARY KEY, x tensor NOT NULL);
INSERT INTO mixed SELECT i, CASE WHEN i < 49 THEN '[1,2,3]' ELSE '[5]' END::tensor FROM generate_series(0, 49) i;
-- the bound of 1 is broadcast, in a product; a sum of both is an error
SELECT * FROM compare('SELECT a.i, einsum_sum(''a,a->a'', m.x, n.x) FROM edge a, mixed m, node n WHERE a.j = m.i AND n.i = a.i GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, einsum_sum(''a,a,a->a'', m.x, n.x, m.x) FROM edge a, mixed m, node n WHERE a.j = m.i AND n.i = a.i GROUP BY a.i');
SELECT tensor_sum(m.x) FROM mixed m;
SET sparseeinsum.enable_aggregate_join = off;
SELECT tensor_sum(m.x) FROM mixed m;
SET sparseeinsum.enable_aggregate_join = force;
UPDATE mixed SET x = '[1,2]' WHERE i = 49;
SELECT a.i, einsum_sum('a,a->a', m.x, n.x) FROM edge a, mixed m, node n WHERE a.j = m.i AND n.i = a.i GROUP BY a.i;
UPDATE mixed SET x = 'complex16:[1+1i,2,3]' WHERE i = 49;
SELECT * FROM compare('SELECT a.i, einsum_sum('',a->a'', a.v, m.x) FROM edge a, mixed m WHERE a.j = m.i GROUP BY a.i');
-- two values at a position of a stack, and one outside its bound
SELECT stack(b.v, CAST(b.i AS int8), 0, 10::int8) FROM bag b WHERE b.i IS NOT NULL AND b.v IS NOT NULL;
SELECT stack(a.v, CAST(a.j AS int8), 0, 30::int8) FROM edge a WHERE a.i = 1;
-- the one group that is irregular comes after thousands of others
CREATE TABLE last (i int PRIMARY KEY, x tensor NOT NULL, y tensor NOT NULL);
INSERT INTO last SELECT i, '[1,2]', CASE WHEN i < 4999 THEN '[3,4]' ELSE '[3,4,5]' END::tensor FROM generate_series(0, 4999) i;
SELECT l.i, einsum_sum('a,a->a', l.x, l.y) FROM last l GROUP BY l.i;
-- a scalar subquery that has too many rows
SELECT a.i, tensor_sum(scalar_multiply(a.v, (SELECT v FROM weight))) FROM edge a GROUP BY a.i;

-- Memory
CREATE TABLE large (i int, j int, v float8 NOT NULL);
INSERT INTO large SELECT i % 3000, i / 3, 1 FROM generate_series(0, 29999) i;
SET work_mem = '64kB';
SELECT * FROM compare('SELECT l.i, tensor_sum(scalar_multiply(l.v, m.v)) FROM large l, large m WHERE l.j = m.j GROUP BY l.i');
SET work_mem = '1MB';
SELECT * FROM compare('SELECT l.j, l.i, tensor_sum(l.v) FROM large l GROUP BY l.j, l.i');
RESET work_mem;
SET sparseeinsum.cache_size = 0;
SELECT * FROM compare('SELECT a.i, einsum_sum('',a->a'', a.v, n.x) AS value FROM edge a, node n WHERE a.j = n.i GROUP BY a.i');
SET sparseeinsum.cache_size = '64kB';
CREATE TABLE wide (i int PRIMARY KEY, x tensor NOT NULL);
INSERT INTO wide SELECT i, tensor_full('{1000}', i::float8) FROM generate_series(0, 49) i;
SELECT * FROM compare('SELECT a.i, einsum_sum('',a->a'', a.v, w.x) AS value FROM edge a, wide w WHERE a.j = w.i GROUP BY a.i');
RESET sparseeinsum.cache_size;
SELECT * FROM compare('SELECT a.i, einsum_sum('',a->a'', a.v, w.x) AS value FROM edge a, wide w WHERE a.j = w.i GROUP BY a.i');
-- a hub, and keys with wide gaps
CREATE TABLE hub (i bigint, j bigint, v float8 NOT NULL);
INSERT INTO hub SELECT CASE WHEN k % 4 = 0 THEN k * 1099511627776 ELSE 0 END, k, k FROM generate_series(0, 999) k;
SELECT * FROM compare('SELECT h.i, tensor_sum(h.v), count(*) FROM hub h GROUP BY h.i');
SELECT * FROM compare('SELECT h.j, tensor_sum(scalar_multiply(h.v, g.v)) FROM hub h, hub g WHERE h.i = g.i GROUP BY h.j');

-- What is not taken
CREATE TABLE named (n text, i int, v float8);
SELECT n.node FROM compare('SELECT upper(n.n), tensor_sum(n.v) FROM named n GROUP BY upper(n.n)') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j < w.i GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(a.v) FILTER (WHERE a.j > 3) FROM edge a GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(DISTINCT a.v) FROM edge a GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(a.v ORDER BY a.j) FROM edge a GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, a.j, tensor_sum(a.v) FROM edge a GROUP BY GROUPING SETS (a.i, a.j)') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(a.v) FROM edge a WHERE random() >= 0 GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(a.v) FROM edge a LEFT JOIN weight w ON w.i = a.j WHERE w.v IS NULL GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(w.v) FROM edge a LEFT JOIN weight w ON w.i = a.j GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT w.i, tensor_sum(a.v) FROM edge a LEFT JOIN weight w ON w.i = a.j GROUP BY w.i') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(a.v) FROM edge a FULL JOIN weight w ON w.i = a.j GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, tensor_sum(a.v) FROM edge a WHERE a.j IN (SELECT w.i FROM weight w) GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, sum(a.v) FROM edge a GROUP BY a.i') n;
SELECT n.node FROM compare('SELECT a.i, tensor_avg(a.v) FROM edge a GROUP BY a.i') n;

-- What a nest would get wrong
SET statement_timeout = '300s';
-- more values of an operand than a nest has room for
CREATE TABLE many (i int, a float8, b float8, c float8, d float8, e float8, f float8, g float8, h float8, k float8);
INSERT INTO many SELECT i % 3, i, 2 * i, 3 * i, 4 * i, 5 * i, 6 * i, 7 * i, 8 * i, 9 * i FROM generate_series(1, 10) i;
SELECT * FROM compare('SELECT i, tensor_sum(a) a, tensor_sum(b) b, tensor_sum(c) c, tensor_sum(d) d, tensor_sum(e) e, tensor_sum(f) f, tensor_sum(g) g, tensor_sum(h) h FROM many GROUP BY i');
SELECT * FROM compare('SELECT i, tensor_sum(a) a, tensor_sum(b) b, tensor_sum(c) c, tensor_sum(d) d, tensor_sum(e) e, tensor_sum(f) f, tensor_sum(g) g, tensor_sum(h) h, tensor_sum(k) k FROM many GROUP BY i');
-- keys that are further apart than half of all integers: hashed, searched, and of a left join
CREATE TABLE far (i bigint, j bigint, v float8 NOT NULL);
INSERT INTO far SELECT s * k, k % 3, k FROM generate_series(-1, 1, 2) s, (SELECT 9223372036854775807 - n FROM generate_series(0, 3) n UNION ALL SELECT n FROM generate_series(0, 5) n) k(k);
INSERT INTO far VALUES (-9223372036854775808, 1, 2);
SELECT * FROM compare('SELECT f.i, tensor_sum(1::float8), count(*) FROM far f, far g WHERE f.i = g.i GROUP BY f.i');
SELECT * FROM compare('SELECT f.j, f.i, count(*) FROM far f, far g WHERE f.i = g.i AND f.j = g.j GROUP BY f.j, f.i');
SELECT * FROM compare('SELECT e.i, tensor_max(scalar_multiply(COALESCE(f.v, 7), 2)), count(*) FROM far e LEFT JOIN far f ON f.i = e.i GROUP BY e.i');
SELECT * FROM compare('SELECT a.i, count(*) FROM edge a, far f WHERE a.j = f.i GROUP BY a.i');
-- integers of a range that have no label, and too many of them
SELECT * FROM compare('SELECT count(*) FROM allints(0, 1000) r');
SELECT * FROM compare('SELECT a.i, tensor_sum(a.v), count(*) FROM edge a, allints(0, 3) r GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(a.v), count(*) FROM edge a, allints(2, 2) r GROUP BY a.i');
EXPLAIN (COSTS OFF) SELECT r, count(*) FROM allints(-9000000000000000000, 9000000000000000000) r GROUP BY r;
CREATE TEMP TABLE far AS SELECT 3000000000 + k * 1000000 AS k, k AS v FROM generate_series(0, 9) k;
SELECT count(*) FROM far f, allints(0, 10000000000) r WHERE f.k = r;
SELECT f.v, count(*) FROM far f, far g, allints(0, 10000000000) r WHERE f.k = r AND g.k = f.k AND f.v > 6 GROUP BY f.v ORDER BY 1;
-- a left join of an expression that is not NULL where there is no row
SELECT * FROM compare('SELECT a.i, tensor_sum(COALESCE(GREATEST(w.v, 7), 3)) FROM edge a LEFT JOIN weight w ON w.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(COALESCE(LEAST(w.v, 1.5), 3)) FROM edge a LEFT JOIN weight w ON w.i = a.j GROUP BY a.i');
-- what stands for a NULL where every tuple has a row, and the larger of two
CREATE TABLE sparse (i int PRIMARY KEY, v float8, w float8);
INSERT INTO sparse SELECT i, nullif(i % 4, 0), nullif(i % 3, 0) FROM generate_series(0, 49) i;
CREATE TABLE one (v float8);
INSERT INTO one VALUES (NULL);
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_divide(COALESCE(s.v, 8), 2)) FROM edge a, sparse s WHERE s.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(s.v, s.w, 8))) FROM edge a, sparse s WHERE s.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(COALESCE(o.v, 0.5), scalar_multiply(a.v, s.i))) FROM edge a, sparse s, one o WHERE s.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_max(scalar_add(a.v, GREATEST(s.v, s.w, 1))) FROM edge a, sparse s WHERE s.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(a.v, COALESCE(s.v, a.v))) FROM edge a, sparse s WHERE s.i = a.j GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, tensor_sum(COALESCE(s.v, s.w)) FROM edge a, sparse s WHERE s.i = a.j GROUP BY a.i');
-- positions of a stack by a key that a left join may not find
SELECT * FROM compare('SELECT w.i IS NULL, count(*) FROM edge a LEFT JOIN weight w ON w.i = a.j GROUP BY w.i IS NULL');
SELECT fails('SELECT a.i, stack(a.v, CAST(w.i AS int8), 0, 50::int8) FROM edge a LEFT JOIN weight w ON w.i = a.j GROUP BY a.i');
SELECT n.node FROM compare('SELECT a.i, stack(a.v, CAST(b.i AS int8), 0, 50::int8) FROM edge a LEFT JOIN (SELECT DISTINCT i FROM edge) b ON b.i = a.j GROUP BY a.i') n;
-- groups of each partition
CREATE TABLE parted (i int, v float8) PARTITION BY HASH (i);
CREATE TABLE parted0 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted1 PARTITION OF parted FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parted SELECT i % 10, i FROM generate_series(1, 40) i;
SET enable_partitionwise_aggregate = on;
SET enable_partitionwise_join = on;
SELECT * FROM compare('SELECT p.i, tensor_sum(p.v), count(*) FROM parted p GROUP BY p.i');
SELECT * FROM compare('SELECT p.i, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM parted p, parted q WHERE p.i = q.i GROUP BY p.i');
SELECT * FROM compare('SELECT tensor_sum(p.v), count(*) FROM parted p');
RESET enable_partitionwise_aggregate;
RESET enable_partitionwise_join;
-- functions that return sets
SELECT * FROM compare('SELECT a.i, generate_series(1, 3), tensor_sum(a.v) FROM edge a GROUP BY a.i');
SELECT * FROM compare('SELECT a.i, generate_series(1, count(*)), tensor_sum(a.v) FROM edge a GROUP BY a.i');
-- what may raise an error where nothing is joined, and a fill that is not needed
CREATE TABLE apart (i int, k bigint, v float8 NOT NULL);
INSERT INTO apart VALUES (1000, 9000000000000000000, 0);
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, 1 / (SELECT 0.0::float8))) FROM edge a, apart p WHERE a.i = p.i');
SELECT fails('SELECT tensor_sum(scalar_multiply(a.v, 1 / (SELECT 0.0::float8))) FROM edge a');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, (p.k * 9)::float8)) FROM edge a, apart p WHERE a.i = p.i');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, (p.k - (-p.k))::float8)) FROM edge a, apart p WHERE a.i = p.i');
SELECT fails('SELECT tensor_sum((p.k * 9)::float8) FROM apart p');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, COALESCE(n.i::float8, 1 / (SELECT 0.0::float8)))) FROM edge a LEFT JOIN (SELECT DISTINCT i FROM edge) n ON n.i = a.j');
SELECT * FROM compare('SELECT stack(a.v, CAST(a.i AS int8), 0, 50::int8, 1 / (SELECT 0.0::float8)) FROM edge a, apart p WHERE a.i = p.i');
SELECT * FROM compare('SELECT stack(p.v, CAST(p.i AS int8), 0, 1001::int8, (SELECT 4.0::float8)) FROM apart p');
-- texts that do not parse: an error where there are rows, and else none
SELECT equation, fails(format('SELECT einsum_sum(%L, n.x, n.x) FROM node n', equation)), n.*
FROM unnest('{"a->b,c","a->a->a","a,b->c","a,a->aa","a,a","a->,a","a,a-a->","a,a->a,","a,...->a","a,b->ba"}'::text[]) equation,
	LATERAL compare(format('SELECT einsum_sum(%L, n.x, n.x) FROM nothing n', equation)) n;
SELECT expression, fails(format('SELECT tensor_map_sum(%L, ''a,a->'', n.x, n.x) FROM node n', expression)), n.*
FROM unnest('{"$1 +","nosuch($1)","$1 $2","$1 * $3","1e999 * $1 * $2"}'::text[]) expression,
	LATERAL compare(format('SELECT tensor_map_sum(%L, ''a,a->'', n.x, n.x) FROM nothing n', expression)) n;
-- a product that takes one tensor more often than it has arguments
SELECT times, c.* FROM generate_series(1, 13, 4) AS times, compare(format('SELECT a.i, tensor_map_sum(%L, '',a->a'', a.v, n.x) AS s FROM edge a, node n WHERE a.j = n.i GROUP BY a.i', 'abs($1)' || repeat(' * $2', times))) AS c;
-- a subquery that is the last entry of an index
SELECT * FROM compare('SELECT tensor_sum(a.v) FROM edge a, (SELECT max(i) AS i FROM node) m WHERE a.j = m.i');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(a.v, m.i::float8)) FROM edge a, (SELECT max(i) - 1 AS i FROM edge OFFSET 0) m WHERE a.j = m.i');
RESET statement_timeout;

-- Rescans: the same groups again, and others by a parameter
SET enable_material = off;
SET enable_memoize = off;
CREATE FUNCTION again(k int) RETURNS TABLE (i int, s float8) LANGUAGE sql STABLE AS 'SELECT a.i, tensor_sum(a.v) FROM edge a WHERE a.j = k GROUP BY a.i';
SELECT k, count(*), sum(s) FROM generate_series(1, 3) k, LATERAL (SELECT a.i, tensor_sum(a.v) AS s FROM edge a WHERE a.j = k GROUP BY a.i) r GROUP BY k ORDER BY k;
SELECT k, (SELECT tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j = w.i AND a.i = k) FROM generate_series(1, 4) k ORDER BY k;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*), sum(r.s) FROM generate_series(1, 3) k LEFT JOIN (SELECT a.i, tensor_sum(a.v) AS s FROM edge a GROUP BY a.i) r ON r.i < k * 10;
SELECT count(*), sum(r.s) FROM generate_series(1, 3) k LEFT JOIN (SELECT b.i, tensor_sum(b.v) AS s FROM bag b GROUP BY b.i) r ON r.i < k * 10;
SELECT count(*), sum(length(r.s::text)) FROM generate_series(1, 3) k LEFT JOIN (SELECT a.i, stack(a.v, CAST(a.j AS int8), 0, 50::int8) AS s FROM edge a GROUP BY a.i) r ON r.i < k * 10;
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
RESET enable_memoize;
-- LIMIT, cursors, prepared statements
SELECT count(*) FROM (SELECT a.i, tensor_sum(a.v) FROM edge a GROUP BY a.i LIMIT 3) s;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT a.i, tensor_sum(a.v) FROM edge a WHERE a.i < 4 GROUP BY a.i ORDER BY a.i;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
MOVE ABSOLUTE 0 IN c;
FETCH ALL FROM c;
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT b.i, tensor_sum(b.v) FROM bag b GROUP BY b.i ORDER BY b.i;
FETCH 2 FROM c;
SAVEPOINT s;
FETCH 1 FROM c;
ROLLBACK TO s;
FETCH 1 FROM c;
COMMIT;
PREPARE p(int, float8) AS SELECT a.i, tensor_sum(scalar_multiply(a.v, $2)) FROM edge a WHERE a.i <= $1 GROUP BY a.i ORDER BY a.i;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(1, 2);
EXECUTE p(2, -1);
EXECUTE p(1, NULL);
EXPLAIN (COSTS OFF) EXECUTE p(1, 2);
RESET plan_cache_mode;
DEALLOCATE p;
-- a column that equals two parameters, of which its scan sees one
PREPARE p(int, int) AS SELECT a.i, tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j = w.i AND a.i = $1 AND a.i = $2 GROUP BY a.i;
SET plan_cache_mode = force_generic_plan;
EXECUTE p(3, 3);
EXECUTE p(3, 4);
RESET plan_cache_mode;
DEALLOCATE p;
SELECT k, r.* FROM generate_series(6, 8) k, LATERAL (SELECT a.i, tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j = w.i AND a.i = 7 AND a.i = k GROUP BY a.i) r;
-- an error in the middle, in a subtransaction; then the same query again
SELECT fails('SELECT tensor_sum(m.x) FROM mixed m, edge a WHERE a.j = m.i AND 1 / (a.i - 30) < 5');
SELECT fails('SELECT tensor_sum(a.v) FROM edge a WHERE 1 / (a.i - 30) < 5');
SELECT fails('SELECT tensor_sum(a.v) FROM edge a WHERE 1 / (a.i - 300) < 5');
SET statement_timeout = '200ms' \; SELECT tensor_sum(scalar_multiply(a.v, scalar_multiply(b.v, scalar_multiply(c.v, d.v)))) FROM large a, large b, large c, large d;
-- row-level security and views: the scans see to it
CREATE ROLE nest_reader;
GRANT USAGE ON SCHEMA nest_test TO nest_reader;
GRANT SELECT ON edge, weight TO nest_reader;
ALTER TABLE edge ENABLE ROW LEVEL SECURITY;
CREATE POLICY few ON edge USING (i < 3 AND j % 2 = 0);
SET ROLE nest_reader;
EXPLAIN (COSTS OFF) SELECT a.i, tensor_sum(scalar_multiply(a.v, w.v)) FROM edge a, weight w WHERE a.j = w.i GROUP BY a.i;
SELECT a.i, tensor_sum(a.v), count(*) FROM edge a GROUP BY a.i ORDER BY a.i;
RESET ROLE;
ALTER TABLE edge DISABLE ROW LEVEL SECURITY;
-- more groups of one index than there is memory for: its loops run for some of them at a time
CREATE TABLE wheel (i int, j int);
INSERT INTO wheel SELECT i, j FROM generate_series(0, 2) i, generate_series(0, 3) j;
CREATE TABLE spoke (j int, k int);
INSERT INTO spoke SELECT j, k FROM generate_series(0, 3) j, generate_series(0, 8999) k;
ANALYZE wheel, spoke;
SET work_mem = '1MB';
SET hash_mem_multiplier = 1.2;
SELECT * FROM compare('SELECT w.i, s.k, tensor_sum(1::float8), tensor_max(2::float8), count(*) FROM wheel w, spoke s WHERE w.j = s.j GROUP BY w.i, s.k');
RESET hash_mem_multiplier;

-- Parts: what does not fit in memory is divided by files
CREATE FUNCTION parts(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF, FORMAT json) ' || query INTO plan;
	RETURN CASE WHEN plan->0->'Plan'->>'Parts' IS NULL THEN 'one' WHEN (plan->0->'Plan'->>'Parts')::int BETWEEN 2 AND 64 THEN 'some' ELSE plan->0->'Plan'->>'Parts' END
		|| ' parts, ' || (plan->0->'Plan'->>'Joined Tuples') || ' tuples';
END $$;
CREATE TABLE fact (i int, j int, v float8 NOT NULL, x tensor NOT NULL);
INSERT INTO fact SELECT n * 7 % 2003, n % 301, n % 5 + 1, ('[' || n % 7 || ',' || n % 3 || ']')::tensor FROM generate_series(0, 19999) n;
CREATE TABLE factor (j int PRIMARY KEY, w float8);
INSERT INTO factor SELECT j, j % 9 FROM generate_series(0, 300) j;
ANALYZE fact, factor;
SET work_mem = '64kB';
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)), count(*) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT parts('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)), count(*) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, g.i AS k, tensor_sum(scalar_multiply(f.v, g.v)) FROM fact f, fact g WHERE f.j = g.j AND g.i < 20 GROUP BY f.i, g.i');
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, COALESCE(g.v, 3))), count(*) FROM fact f LEFT JOIN fact g ON f.i = g.i AND f.j = g.j GROUP BY f.i');
SELECT * FROM compare('SELECT e.index, tensor_sum(f.v), count(*) FROM allints(0, 2500) e(index), fact f WHERE f.i = e.index GROUP BY e.index');
SELECT * FROM compare('SELECT e.index, tensor_sum(scalar_multiply(f.v, COALESCE(g.v, 1))), count(*) FROM allints(0, 400) e(index) LEFT JOIN fact g ON g.i = e.index, fact f WHERE f.j = 7 GROUP BY e.index');
-- tensors, of which parts have some
SET sparseeinsum.cache_size = '192kB';
SELECT * FROM compare('SELECT f.i, einsum_sum('',a->a'', w.w, f.x), tensor_max(f.x) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT parts('SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
-- values that differ are left to the relational plan, however late they are found
INSERT INTO fact VALUES (5, 5, 1, '[1,2,3]');
SELECT * FROM compare('SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM fact f, factor w WHERE f.j = w.j AND f.i <> 5 GROUP BY f.i');
SELECT fails('SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, tensor_sum(f.x) FROM fact f, factor w WHERE f.j = w.j AND f.j > 295 GROUP BY f.i');
DELETE FROM fact WHERE x = '[1,2,3]';
RESET sparseeinsum.cache_size;
INSERT INTO fact VALUES (NULL, 5, 1, '[1,2]');
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
DELETE FROM fact WHERE i IS NULL;
-- so is a value that is NULL, in whatever part
ALTER TABLE fact ALTER v DROP NOT NULL;
INSERT INTO fact VALUES (400, 5, NULL, '[1,2]');
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
UPDATE fact SET i = 1999 WHERE v IS NULL;
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
UPDATE fact SET i = 2 WHERE v IS NULL;
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
DELETE FROM fact WHERE v IS NULL;
-- nothing is joined, in some parts or in any; one index has all rows
SELECT * FROM compare('SELECT f.i, tensor_sum(f.v) FROM fact f, factor w WHERE f.j = w.j AND w.w > 100 GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, g.v)) FROM fact f, fact g WHERE f.i = g.i AND g.j = 3 GROUP BY f.i');
CREATE TABLE crowd AS SELECT CASE WHEN n % 50 = 0 THEN n ELSE 77 END AS i, n % 301 AS j, n % 5 + 1.0::float8 AS v FROM generate_series(0, 29999) n;
CREATE TABLE factors AS SELECT f.* FROM factor f, generate_series(1, 2);
ANALYZE crowd;
ANALYZE factors;
SELECT * FROM compare('SELECT c.i, tensor_sum(scalar_multiply(c.v, w.w)), count(*) FROM crowd c, factors w WHERE c.j = w.j GROUP BY c.i');
-- read again, and stopped
SET enable_material = off;
SET enable_memoize = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*), sum(r.s) FROM generate_series(1, 3) k LEFT JOIN (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i) r ON r.i < k * 10;
RESET enable_material;
RESET enable_memoize;
RESET enable_hashjoin;
RESET enable_mergejoin;
SELECT count(*) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i LIMIT 7) s;
SET statement_timeout = '200ms' \; SELECT f.i, tensor_sum(scalar_multiply(f.v, scalar_multiply(g.v, h.v))) FROM fact f, fact g, fact h, fact k GROUP BY f.i;
RESET work_mem;
-- the library is loaded in time by an aggregate of numbers alone
\c -
SET search_path = nest_test, public, sparseeinsum_internal;
SET sparseeinsum.enable_batching = off;
SET max_parallel_workers_per_gather = 0;
EXPLAIN (COSTS OFF) SELECT l.i, tensor_sum(l.v) FROM large l, large m WHERE l.j = m.j GROUP BY l.i;
-- costs decide when they are asked
SET sparseeinsum.enable_aggregate_join = on;
EXPLAIN (COSTS OFF) SELECT l.i, m.i, tensor_sum(scalar_multiply(l.v, m.v)) FROM large l, large m WHERE l.j = m.j GROUP BY l.i, m.i;
-- few rows, of which one node is not worth it; and what does not fit in memory
EXPLAIN (COSTS OFF) SELECT a.i, tensor_sum(a.v) FROM edge a, weight w WHERE a.j = w.i GROUP BY a.i;
SET work_mem = '64kB';
EXPLAIN (COSTS OFF) SELECT l.i, m.i, tensor_sum(scalar_multiply(l.v, m.v)) FROM large l, large m WHERE l.j = m.j GROUP BY l.i, m.i;
RESET work_mem;
SET sparseeinsum.enable_aggregate_join = off;
EXPLAIN (COSTS OFF) SELECT l.i, tensor_sum(l.v) FROM large l GROUP BY l.i;
-- a constant that two operands make together
SELECT node, rows, wrong FROM compare('SELECT a.i, tensor_sum(a.v) FROM edge a, weight w WHERE (a.j + w.i) % 3 = 0 GROUP BY a.i');
SELECT node, rows, wrong FROM compare('SELECT a.i, scalar_exp(a.v) FROM edge a, weight w WHERE a.i = w.i AND a.j - w.i = 7');
SELECT node, rows, wrong FROM compare('SELECT d, s, d * 3 - s AS v FROM allints(0, 20) d, allints(0, 20) s WHERE (d * s + d + s) % 3 = 0');

-- Joins that aggregate nothing: keys, kernels of each tuple, and values as they are
SET sparseeinsum.enable_aggregate_join = force;
EXPLAIN (COSTS OFF, VERBOSE, ANALYZE, TIMING OFF, SUMMARY OFF) SELECT a.i, n.i AS j, einsum_scalar(',a,a->', a.v, n.x, m.x) + 1 AS v FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i;
SELECT * FROM compare('SELECT a.i, n.i AS j, einsum_scalar('',a,a->'', a.v, n.x, m.x) + 1 AS v FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i');
SELECT * FROM compare('SELECT a.i, b.j, a.v, b.v AS w, scalar_multiply(a.v, b.v), a.v * b.v FROM edge a, edge b WHERE a.j = b.i');
SELECT * FROM compare('SELECT a.i, a.j, inner_prod(n.x, COALESCE(m.x, ''[1,2,3]'')), vec_sca_mult(n.x, COALESCE(w.v, 2)) FROM edge a JOIN node n ON n.i = a.i LEFT JOIN (SELECT i, x FROM node WHERE i % 4 > 1) m ON m.i = a.j LEFT JOIN weight w ON w.i = a.j');
SELECT * FROM compare('SELECT a.i, tensor_map_scalar(''exp($1) - $2'', ''a,->'', n.x, a.v), x.r FROM edge a, node n, (SELECT i AS r, 0.5::real AS f FROM node) x WHERE n.i = a.j AND x.r = a.i');
SELECT * FROM compare('SELECT n.i, e.index, tensor_shape(vec_sca_mult(n.x, 2)) FROM node n, allints(0, 7) e(index)');
SELECT * FROM compare('SELECT a.i, CASE WHEN a.v > 2 THEN inner_prod(n.x, n.x) END, (-0.0)::float8 * a.v FROM edge a, node n WHERE n.i = a.j');
-- below what PostgreSQL does with them
EXPLAIN (COSTS OFF) SELECT a.i, inner_prod(n.x, m.x) AS v FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i ORDER BY v, a.i LIMIT 3;
SELECT a.i, inner_prod(n.x, m.x) AS v FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i ORDER BY v, a.i LIMIT 3;
EXPLAIN (COSTS OFF, VERBOSE) SELECT a.i % 3 AS g, sum(a.v * inner_prod(n.x, m.x)), max(n.i) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i GROUP BY g HAVING min(inner_prod(n.x, m.x)) < 9;
SELECT rows, wrong FROM compare('SELECT a.i % 3 AS g, sum(a.v * inner_prod(n.x, m.x)), max(n.i) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i GROUP BY g HAVING min(inner_prod(n.x, m.x)) < 9');
SELECT rows, wrong FROM compare('SELECT sum(inner_prod(n.x, m.x) - a.v), count(DISTINCT a.i) FILTER (WHERE a.v > 2), tensor_max(scalar_exp(scalar_negate(inner_prod(n.x, m.x)))) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i');
SELECT rows, wrong FROM compare('SELECT DISTINCT inner_prod(n.x, m.x) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i');
SELECT rows, wrong FROM compare('SELECT a.i, inner_prod(n.x, n.x), rank() OVER (PARTITION BY a.i ORDER BY a.v, n.i) FROM edge a, node n WHERE a.j = n.i');
CREATE TABLE score (i int, v float8);
EXPLAIN (COSTS OFF) INSERT INTO score SELECT a.i, inner_prod(n.x, m.x) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i;
INSERT INTO score SELECT a.i, inner_prod(n.x, m.x) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i AND a.i < 1 RETURNING i, v > 0 AS positive;
TRUNCATE score;
INSERT INTO score SELECT a.i, inner_prod(n.x, m.x) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i;
SELECT count(*), sum(v) = (SELECT sum(inner_prod(n.x, m.x)) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i) AS same FROM score;
-- left to joins: a tensor as it is, other types, what stops early, NULL of a left join, one operand, no kernel of ours
SELECT node FROM compare('SELECT a.i, n.x FROM edge a, node n WHERE a.j = n.i')
UNION ALL SELECT node FROM compare('SELECT inner_prod(n.x, n.x) > 0 FROM edge a, node n WHERE a.j = n.i LIMIT 2') UNION ALL SELECT node FROM compare('SELECT inner_prod(m.x, m.x) FROM edge a LEFT JOIN (SELECT * FROM node WHERE i < 9) m ON m.i = a.j')
UNION ALL SELECT node FROM compare('SELECT inner_prod(x, x) FROM node') UNION ALL SELECT node FROM compare('SELECT a.i, a.v * b.v FROM edge a, edge b WHERE a.j = b.i');
-- to the relational plan: NULL, shapes that do not fit, memory where nothing is in parts; and its errors
SELECT * FROM compare('SELECT a.i, scalar_exp(b.v) FROM edge a, (SELECT i, NULLIF(v, 3.0) AS v FROM weight OFFSET 0) b WHERE a.j = b.i');
CREATE TABLE ragged AS SELECT i, CASE WHEN i < 30 THEN x ELSE '[1,2]' END AS x FROM node;
SELECT * FROM compare('SELECT a.i, inner_prod(n.x, m.x) FROM edge a, ragged n, ragged m WHERE a.i = n.i AND a.j = m.i AND a.i < 30 AND a.j < 30');
SELECT * FROM compare('SELECT a.i, tensor_shape(vec_sca_mult(n.x, a.v)) FROM edge a, ragged n WHERE a.j = n.i');
SELECT fails('SELECT a.i, inner_prod(n.x, m.x) FROM edge a, ragged n, ragged m WHERE a.i = n.i AND a.j = m.i');
SELECT fails('SELECT a.i, inner_prod(n.x, m.x) FROM edge a, node n, (SELECT i, ''[1]''::tensor AS x FROM node) m WHERE a.i = n.i AND a.j = m.i');
SELECT * FROM compare('SELECT a.i, einsum_scalar(''a,a->'', n.x, m.x) FROM edge a, node n, (SELECT i, ''[1]''::tensor AS x FROM node) m WHERE a.i = n.i AND a.j = m.i');
CREATE TABLE long AS SELECT r AS i, r % 700 AS j, (r % 11)::float8 AS v FROM generate_series(1, 60000) r;
ANALYZE long; ANALYZE ragged;
SET work_mem = '256kB';
SELECT * FROM compare('SELECT a.i, b.j, scalar_multiply(a.v, b.v) FROM long a, long b WHERE a.i = b.i');
SELECT (plan->0->'Plan'->>'Parts')::int > 1 AS parts FROM (SELECT json_of('SELECT a.i, b.j, scalar_multiply(a.v, b.v) FROM long a, long b WHERE a.i = b.i') AS plan) s;
RESET work_mem;
-- rescans, cursors, as an operand
SELECT count(*), sum(s.v) FROM generate_series(1, 3) g, LATERAL (SELECT a.i, inner_prod(n.x, m.x) AS v FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i AND a.v < g OFFSET 0) s;
BEGIN;
DECLARE c CURSOR FOR SELECT scalar_exp(inner_prod(n.x, n.x) * 0) AS one FROM edge a, node n WHERE a.j = n.i;
FETCH 2 FROM c;
FETCH 1 FROM c;
CLOSE c;
COMMIT;
SELECT * FROM compare('SELECT s.i, tensor_sum(s.v) FROM (SELECT a.i, inner_prod(n.x, m.x) AS v FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i OFFSET 0) s GROUP BY s.i');
-- costs: few tuples are left to joins, many are not
SET sparseeinsum.enable_aggregate_join = on;
EXPLAIN (COSTS OFF) SELECT a.i, inner_prod(n.x, m.x) FROM edge a, node n, node m WHERE a.j = n.i AND a.i = m.i;
CREATE TABLE pair AS SELECT r % 50 AS i, r / 50 % 50 AS j FROM generate_series(1, 60000) r;
ANALYZE pair;
EXPLAIN (COSTS OFF) SELECT a.i, a.j, inner_prod(n.x, m.x) FROM pair a, node n, node m WHERE a.j = n.i AND a.i = m.i;
SET client_min_messages = warning;
DROP SCHEMA nest_test CASCADE;
DROP ROLE nest_reader;
