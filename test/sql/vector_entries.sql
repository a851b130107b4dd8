-- The elements of vectors as rows, by a node of their own.
CREATE SCHEMA entries_test;
SET search_path = entries_test, public, sparseeinsum_internal;
SET max_parallel_workers_per_gather = 0;
CREATE TABLE vec (k int, x tensor, name text);
INSERT INTO vec VALUES
	(1, '[1,0,2,0,-0,NaN,Infinity]', 'first'), (2, NULL, 'second'), (3, 'float8(0):[]', 'third'),
	(4, 'float4:[0.1,0.2,0.3]', NULL), (5, '[7,7,7]', 'fifth');
-- compressed, out of line, and with a short header
INSERT INTO vec SELECT 6, tensor_random('{3000}', 1), 'long';
INSERT INTO vec SELECT 7, tensor_full('{40000}', 3, 'float8'), 'alike';
ANALYZE vec;

-- Are the rows those of PostgreSQL's own plan, in which the function is no lateral one?
CREATE FUNCTION entries(query text) RETURNS TABLE (node text, rows bigint, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan text := '';
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	node := CASE WHEN plan LIKE '%VectorEntries%' THEN 'VectorEntries' ELSE 'none' END;
	EXECUTE format('CREATE TEMP TABLE with_node AS %s', query);
	EXECUTE format('CREATE TEMP TABLE without AS %s', replace(query, 'AS u(index', 'WITH ORDINALITY AS u(index'));
	SELECT count(*) INTO rows FROM without;
	SELECT count(*) INTO wrong FROM
		((SELECT w::text FROM with_node w EXCEPT ALL SELECT w::text FROM without w) UNION ALL
		 (SELECT w::text FROM without w EXCEPT ALL SELECT w::text FROM with_node w)) s;
	DROP TABLE with_node, without;
	RETURN NEXT;
END $$;

EXPLAIN (COSTS OFF, VERBOSE) SELECT v.k, u.index, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value);
SELECT v.k, v.name, u.index, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE v.k < 6;
SELECT v.k, u.index FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0.2) AS u(index, value) WHERE v.k = 4;
SELECT v.k, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 'NaN') AS u(index, value) WHERE v.k = 1;
-- the vector itself beside its elements, and nothing but the rows
SELECT * FROM entries('SELECT v.name, v.x, u.value, u.index, v.k FROM vec v, LATERAL einsum_unstack_scalar(v.x, 7) AS u(index, value) WHERE v.k < 6');
SELECT * FROM entries('SELECT v.k, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value)');
SELECT count(*) FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value);
-- below joins, sorts that keep rows, groups, and again for each row of another
SELECT * FROM entries('SELECT v.k, u.value, w.k AS j FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value), vec w WHERE w.k = u.index');
SELECT * FROM entries('SELECT v.name, u.value, row_number() OVER (ORDER BY u.value, u.index, v.k) AS n FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value)');
SELECT * FROM entries('SELECT w.k, (SELECT sum(u.value) FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE v.k >= w.k AND v.k < 6) AS s FROM vec w WHERE w.k > 1');
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT * FROM entries('SELECT w.k, u.value FROM vec w, (vec v CROSS JOIN LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value)) WHERE w.k = u.index + 1');
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
-- again, before the last element was asked for
SELECT w.k, (SELECT u.index FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE v.k = w.k LIMIT 1) AS first FROM vec w WHERE w.k < 6;
-- left to PostgreSQL: conditions on elements, left joins, what is no column, other functions, locked rows
SELECT * FROM entries('SELECT v.k, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.value > 1');
SELECT * FROM entries('SELECT v.k, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.index < v.k');
SELECT * FROM entries('SELECT v.k, u.value FROM vec v LEFT JOIN LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) ON true');
SELECT * FROM entries('SELECT v.k, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, v.k) AS u(index, value)');
SELECT * FROM entries('SELECT v.k, u.value::text FROM vec v, LATERAL einsum_unstack(v.x, 0, 0) AS u(index, value)');
EXPLAIN (COSTS OFF) SELECT v.k, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) FOR UPDATE OF v;
-- cursors, and those who stop early
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT v.k, u.index FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value);
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
COMMIT;
SELECT EXISTS (SELECT FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value));
-- who may not call the function
BEGIN;
CREATE ROLE entries_reader;
GRANT USAGE ON SCHEMA entries_test TO entries_reader;
GRANT SELECT ON vec TO entries_reader;
REVOKE EXECUTE ON FUNCTION einsum_unstack_scalar FROM PUBLIC;
SET ROLE entries_reader;
SELECT v.k, u.index FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE v.k = 5;
ROLLBACK;
-- what is no vector of numbers
INSERT INTO vec VALUES (8, '[[1,2]]'), (9, 'complex16:[1i]');
SELECT count(u.value) FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE v.k = 8;
SELECT count(u.value) FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE v.k = 9;
DELETE FROM vec WHERE k > 7;
-- with workers
INSERT INTO vec SELECT i, tensor_random('{20}', i), 'n' || i FROM generate_series(100, 2000) i;
ANALYZE vec;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET sparseeinsum.enable_aggregate_join = off;
EXPLAIN (COSTS OFF) SELECT v.name, count(*) FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) GROUP BY v.name;
SELECT * FROM entries('SELECT v.name, u.index, min(u.value) AS least FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) GROUP BY v.name, u.index');
SET client_min_messages = warning;
DROP SCHEMA entries_test CASCADE;
