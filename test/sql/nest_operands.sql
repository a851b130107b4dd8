-- Operands of loop nests that are joins: what a left join joins with, and functions of a table's columns.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA nest_operands;
SET search_path = nest_operands, public, sparseeinsum_internal;
CREATE TABLE edge (i int, j int);
INSERT INTO edge SELECT i, (i*i + k) % 10 FROM generate_series(0, 9) i, generate_series(0, 2) k;
CREATE TABLE vectors (k int, v tensor, w float8);
INSERT INTO vectors VALUES (0, '{1,2,3,4,5}'::float8[]::tensor, 1), (1, '{6,0,7}'::float8[]::tensor, 2), (2, NULL, 3);
CREATE TABLE node (i int, w float8);
INSERT INTO node SELECT i, i FROM generate_series(0, 7) i;
ANALYZE;
SET max_parallel_workers_per_gather = 0;
-- a query with the node, its operands, and whether it returns what it does without
CREATE FUNCTION check_query(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE with_node text; without text; line text;
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'off', true);
	EXECUTE format('SELECT string_agg(q::text, %L ORDER BY q::text) FROM (%s) q', ' ', query) INTO without;
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'force', true);
	EXECUTE format('SELECT string_agg(q::text, %L ORDER BY q::text) FROM (%s) q', ' ', query) INTO with_node;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Operands:|Joined Tuples:|Relational Plan:' THEN RETURN NEXT trim(line); END IF;
	END LOOP;
	RETURN NEXT CASE WHEN with_node = without THEN with_node ELSE format('%s, not %s', with_node, without) END;
END $$;
-- the entries of vectors: left-joined, joined, and by two functions of one row
SELECT check_query('SELECT e.j, tensor_sum(coalesce(u.value, 100::float8)) FROM edge e LEFT JOIN (SELECT u.index, u.value FROM vectors v, LATERAL einsum_unstack_scalar(v.v, 0) u WHERE v.k < 2) u ON u.index = e.i GROUP BY e.j');
SELECT check_query('SELECT e.j, tensor_sum(u.value) FROM edge e, vectors v, LATERAL einsum_unstack_scalar(v.v, 0) u WHERE u.index = e.i AND v.k = e.j GROUP BY e.j');
SELECT check_query('SELECT e.j, tensor_sum(u.value) FROM edge e, vectors v, LATERAL einsum_unstack_scalar(v.v, 0) u WHERE u.index = e.i AND u.value > v.w GROUP BY e.j');
SELECT check_query('SELECT e.j, count(*) FROM edge e, vectors v, LATERAL einsum_unstack_scalar(v.v, 0) u, LATERAL generate_series(0, v.k) g WHERE u.index = e.i AND g = e.j GROUP BY e.j');
-- several tables on the right side of a left join
SELECT check_query('SELECT e.j, tensor_sum(coalesce(n.w, (-1)::float8)) FROM edge e LEFT JOIN (node n JOIN vectors v ON v.k = n.i) ON n.i = e.i AND v.w > 1 GROUP BY e.j');
SELECT check_query('SELECT e.j, tensor_sum(coalesce(n.w, (-1)::float8)) FROM edge e LEFT JOIN (node n CROSS JOIN vectors v) ON n.i = e.i AND v.k = e.j GROUP BY e.j');
-- not what is after the join, nor what is asked of both sides
SELECT check_query('SELECT e.j, count(*) FROM edge e LEFT JOIN (node n JOIN vectors v ON v.k = n.i) ON n.i = e.i WHERE n.w IS NULL GROUP BY e.j');
SELECT check_query('SELECT e.j, count(*) FROM edge e LEFT JOIN (node n JOIN vectors v ON v.k = n.i) ON n.i = e.i AND n.w > e.j GROUP BY e.j');
-- all rows of an operand are read: they are computed in batches, also where a further one may raise an error
CREATE TABLE long (j int, v tensor NOT NULL);
INSERT INTO long SELECT j, tensor_full('{4}', j) FROM generate_series(0, 299) j;
CREATE TABLE matrix (w tensor NOT NULL);
INSERT INTO matrix VALUES (tensor_full('{4,3}', 2));
ANALYZE long, matrix;
CREATE FUNCTION batches(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF) ' || query LOOP
		IF line ~ '(Custom Scan|Batch|Single)' THEN
			RETURN NEXT trim(regexp_replace(line, '\(actual.*', ''));
		END IF;
	END LOOP;
END $$;
SET sparseeinsum.enable_aggregate_join = force;
SET sparseeinsum.enable_batching = force;
SELECT batches('SELECT e.i, einsum_sum('',a->'', h.j::float8, h.v) FROM edge e, (SELECT l.j, einsum(''a,ab->b'', l.v, m.w) AS v FROM long l, matrix m WHERE 1000 / (l.j + 1) >= 0 OFFSET 0) h WHERE h.j = e.j GROUP BY e.i');
SELECT check_query('SELECT e.i, einsum_sum('',a->'', h.j::float8, h.v) FROM edge e, (SELECT l.j, einsum(''a,ab->b'', l.v, m.w) AS v FROM long l, matrix m WHERE 1000 / (l.j + 1) >= 0 OFFSET 0) h WHERE h.j = e.j GROUP BY e.i');
DROP SCHEMA nest_operands CASCADE;
