-- Records that subqueries and CTEs make: EXPLAIN has the names of their fields from the plan of what makes them, which it
-- does not find through our nodes. So these are not where a record would pass, and are beside.
SET sparseeinsum.enable_batching = force;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET enable_sort = off;
SET max_parallel_workers_per_gather = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET client_min_messages = warning;
CREATE TABLE field_edge AS SELECT i, (i * 3 + 1) % 7 AS j, i % 3 AS g FROM generate_series(0, 6) i;
CREATE TABLE field_node AS SELECT i, format('[%s,%s]', i, i * i)::tensor AS v FROM generate_series(0, 6) i;
ANALYZE field_edge; ANALYZE field_node;

-- a walk of three steps, by breadth, with the vectors on its way
\set walk 'WITH RECURSIVE walk(i, n, v) AS (SELECT i, 1, v FROM field_node WHERE i = 2 UNION ALL SELECT e.j, w.n + 1, w.v + b.v FROM walk w JOIN field_edge e ON w.i = e.i JOIN field_node b ON b.i = e.j WHERE w.n < 4) SEARCH BREADTH FIRST BY i SET place'
:walk SELECT i, n, v, place FROM walk ORDER BY place;
EXPLAIN (VERBOSE, COSTS OFF) :walk SELECT tensor_sum(v) FROM walk GROUP BY i;
EXPLAIN (VERBOSE, COSTS OFF) :walk SELECT place, vec_mat_mult(n.v, '[[1,2],[3,4]]') FROM walk w JOIN field_node n USING (i);

-- rows that subqueries make: of a projection, a join, groups, and what workers keep or get
\set pair '(SELECT ROW(i, j) AS ends, i, g FROM field_edge OFFSET 0)'
EXPLAIN (VERBOSE, COSTS OFF) SELECT (ends).f2, einsum('a,a->', v, v) FROM (SELECT ROW(i, i + 1) AS ends, v FROM field_node OFFSET 0) s;
EXPLAIN (VERBOSE, COSTS OFF) SELECT (p.ends).f2, tensor_rank(n.v) FROM :pair p JOIN field_node n USING (i);
EXPLAIN (VERBOSE, COSTS OFF) SELECT p.i, tensor_sum(n.v), max((p.ends).f2) FROM :pair p JOIN field_node n USING (i) GROUP BY p.i;
EXPLAIN (VERBOSE, COSTS OFF) WITH p AS MATERIALIZED (SELECT * FROM :pair x) SELECT n.i, tensor_sum(n.v), max((p.ends).f2) FROM field_node n JOIN p USING (i) GROUP BY n.i;
SELECT (p.ends).f2, einsum('a,a->', n.v, n.v) FROM :pair p JOIN field_node n USING (i) ORDER BY 1;
SELECT p.g, tensor_sum(n.v), max((p.ends).f2) FROM :pair p JOIN field_node n USING (i) GROUP BY p.g ORDER BY 1;
-- a field by itself is a column like others
EXPLAIN (VERBOSE, COSTS OFF) SELECT p.f, einsum('a,a->', n.v, n.v) FROM (SELECT (p.ends).f2 AS f, i FROM :pair p OFFSET 0) p JOIN field_node n USING (i);

DROP TABLE field_edge, field_node;
