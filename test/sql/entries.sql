-- The entries of vectors and of arrays as rows, by a node of their own.
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
	node := CASE WHEN plan LIKE '%Entries%' THEN 'Entries' ELSE 'none' END;
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
-- sparse vectors: their entries, without a dense form; those with another fill are read dense
CREATE TABLE bag (k int PRIMARY KEY, x tensor NOT NULL);
INSERT INTO bag VALUES (1, 'float8(2000000000):{3:1.5,7:-2,1999999999:4}'), (2, 'float8(8):{3:0,*:5}'), (3, 'float4(9):{3:0.1,7:0.1}'), (4, '[0,2,0]'), (5, 'float8(5):{}'), (6, 'float8(4294967):{0:1,4294966:NaN}');
INSERT INTO bag SELECT 7, stack((i % 7)::float8, i, 0, 40000) FROM generate_series(0, 39999, 3) i;
UPDATE bag SET x = tensor_sparse(x) WHERE k = 7;
ANALYZE bag;
SELECT v.k, u.index, u.value FROM bag v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE v.k < 7;
SELECT v.k, count(*), sum(u.index), sum(u.value) FROM bag v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE v.k = 7 GROUP BY v.k;
SELECT v.k, count(*), sum(u.index) FROM bag v, LATERAL einsum_unstack_scalar(v.x, 5) AS u(index, value) WHERE v.k IN (2, 3, 4) GROUP BY v.k ORDER BY v.k;
SELECT * FROM entries('SELECT v.k, u.index, u.value FROM bag v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value)');
SELECT * FROM entries('SELECT v.k, u.value, w.k AS j FROM bag v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value), bag w WHERE w.k = u.index');
-- one index of each
SELECT * FROM entries('SELECT v.k, u.value FROM bag v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.index = 7');
SELECT * FROM entries('SELECT v.k, u.value FROM bag v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.index = 8');
SELECT * FROM entries('SELECT v.k, u.value FROM bag v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.index = -1');
-- rows of a column of sparse vectors are estimated by the bytes of its values
CREATE TABLE sparse_column (k int PRIMARY KEY, x tensor(float8,1,sparse) NOT NULL CHECK (tensor_shape(x) = '{1000}'));
INSERT INTO sparse_column SELECT k, stack(k + i::float8, i * 97 % 1000, 0, 1000) FROM generate_series(1, 20) k, generate_series(1, 30) i GROUP BY k;
ANALYZE sparse_column;
CREATE FUNCTION estimated(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan->0->'Plan'->>'Plan Rows';
END $$;
SELECT estimated(format('SELECT * FROM sparse_column v, LATERAL %s AS u(index, value)', call)) / 20 AS rows_for_each, call FROM unnest(ARRAY['einsum_unstack_scalar(v.x, 0)', 'einsum_unstack(v.x, 0, 0)', 'tensor_unstack(v.x, 0)', 'einsum_unstack_scalar(tensor_dense(v.x), 0)']) call;
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
-- conditions on elements, and on both
SELECT * FROM entries('SELECT v.k, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.value > 1');
SELECT * FROM entries('SELECT v.k, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.index < v.k');
-- left to PostgreSQL: left joins, what is no column, other functions, locked rows
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
INSERT INTO vec SELECT i, tensor_random('{20}', i), 'n' || i FROM generate_series(100, 800) i;
ANALYZE vec;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET sparseeinsum.enable_aggregate_join = off;
EXPLAIN (COSTS OFF) SELECT v.name, count(*) FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) GROUP BY v.name;
SELECT * FROM entries('SELECT v.name, u.index, min(u.value) AS least FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) GROUP BY v.name, u.index');
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET sparseeinsum.enable_aggregate_join;

-- Arrays. PostgreSQL's own plan has a second function in FROM, which adds no row and no column.
CREATE DOMAIN ids AS int[];
CREATE TABLE node (id int PRIMARY KEY, k bigint, name text, a ids, b int8[], v real[], w float8[]);
INSERT INTO node VALUES
	(1, 7, 'first', '{2,5,9}', '{0,1,70000000000}', '{1,0,-2.5}', '{0,NaN,3}'), (2, NULL, 'second', NULL, '{4}', '{1}', '{1}'),
	(3, 1, 'third', '{}', '{}', '{}', '{}'), (4, 2, NULL, '{4}', '{4}', NULL, '{0}');
-- compressed, out of line, and more than are read at a time
INSERT INTO node SELECT 5, 3, 'long', array_agg(i * 2), array_agg(i * 3), array_agg(i % 7), array_agg(i % 5 / 8.0) FROM generate_series(0, 4999) i;
INSERT INTO node SELECT n, -n, 'n' || n, array_agg(i), array_agg(i + n), array_agg(i % 3), array_agg(i - n) FROM generate_series(6, 400) n, generate_series(0, n % 11) i GROUP BY n;
ANALYZE node;
CREATE FUNCTION arrays(query text) RETURNS TABLE (node text, rows bigint, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan text := '';
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line;
	END LOOP;
	node := CASE WHEN plan LIKE '%Entries%' THEN 'Entries' ELSE 'none' END;
	EXECUTE format('CREATE TEMP TABLE with_node AS %s', query);
	EXECUTE format('CREATE TEMP TABLE without AS %s',
		regexp_replace(query, '(einsum_entries\([^()]*\)) AS e(\([^()]*\))', 'ROWS FROM (\1 AS \2, allints(0, 0)) AS e', 'g'));
	SELECT count(*) INTO rows FROM without;
	SELECT count(*) INTO wrong FROM
		((SELECT w::text FROM with_node w EXCEPT ALL SELECT w::text FROM without w) UNION ALL
		 (SELECT w::text FROM without w EXCEPT ALL SELECT w::text FROM with_node w)) s;
	DROP TABLE with_node, without;
	RETURN NEXT;
END $$;
EXPLAIN (COSTS OFF, VERBOSE) SELECT n.id, e.j, e.x FROM node n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j bigint, x float8) WHERE n.id < 5 AND e.j > 2;
SELECT n.id, e.j, e.x FROM node n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j bigint, x float8) WHERE n.id < 5;
SELECT * FROM arrays('SELECT n.name, e.x, e.j, n.k FROM node n, LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8)');
SELECT * FROM arrays('SELECT n.id, e.j, e.x FROM node n, LATERAL einsum_entries(''lists'', ''NaN'', n.b, n.w) AS e(j bigint, x float8)');
SELECT * FROM arrays('SELECT n.id, e.i, e.j, e.x FROM node n, LATERAL einsum_entries(''coo'', 0, n.a, n.b, n.w) AS e(i bigint, j bigint, x float8)');
SELECT * FROM arrays('SELECT e.i FROM node n, LATERAL einsum_entries(''diagonal'', 0.125, n.w) AS e(i bigint, j bigint, x float8)');
SELECT * FROM arrays('SELECT n.id, e.j, e.x FROM node n, LATERAL einsum_entries(''lists'', 0, n.a) AS e(j bigint, x float8) WHERE e.j = n.id AND e.x < 2');
-- without a row: constants, parameters, and again for each row of another
SELECT * FROM arrays('SELECT e.i, e.j, e.x FROM einsum_entries(''csr'', 0, ''{0,2,2,3}''::int[], ''{1,4,0}''::int[], ''{7,8,9}''::float8[]) AS e(i bigint, j bigint, x float8) WHERE e.i + e.j < 5');
SELECT * FROM arrays('SELECT m.id, (SELECT sum(e.x) FROM einsum_entries(''lists'', 0, m.a, m.v) AS e(j bigint, x float8) WHERE e.j <> m.id) AS s FROM node m');
SELECT * FROM arrays('SELECT m.id, (SELECT sum(e.x) FROM node n, LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8) WHERE n.id > m.id) AS s FROM node m WHERE m.id > 390');
PREPARE entries_of (text, float8, int[], float8[]) AS SELECT * FROM einsum_entries($1, $2, $3, $4) AS e(j bigint, x float8);
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE entries_of ('lists', 0, '{3,4}', '{1,2}');
EXECUTE entries_of ('lists', 2, '{3,4}', '{1,2}');
EXECUTE entries_of (NULL, 2, '{3,4}', '{1,2}');
EXECUTE entries_of ('lists', NULL, '{3,4}', '{0,2}');
EXECUTE entries_of ('csr', 0, '{3,4}', '{1,2}');
RESET plan_cache_mode;
-- summed by nests, which read columns
SELECT * FROM arrays('SELECT n.id, sum(e.x * n.id) AS s FROM node n, LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8) GROUP BY n.id');
SELECT * FROM arrays('SELECT n.k, sum(e.x) AS s FROM node n, LATERAL einsum_entries(''lists'', 0, n.b, n.v) AS e(j bigint, x float8) GROUP BY n.k');
SELECT * FROM arrays('SELECT m.id, tensor_sum(einsum_scalar('',->'', e.x, m.k::float8)) AS s FROM node n, LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8), node m WHERE m.id = e.j GROUP BY m.id');
SELECT * FROM arrays('SELECT n.id, tensor_sum(einsum_scalar('',->'', e.x, m.id::float8)) AS s FROM node n, LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8), node m WHERE m.id = e.j GROUP BY n.id');
SELECT * FROM arrays('SELECT n.k, tensor_sum(einsum_scalar('',->'', e.x, m.id::float8)) AS s FROM node n, LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8), node m WHERE m.id = e.j GROUP BY n.k');
SELECT * FROM arrays('SELECT n.k, tensor_sum(einsum_scalar('',->'', e.x, m.id::float8)) AS s FROM node n, LATERAL einsum_entries(''lists'', 0, n.b, n.v) AS e(j bigint, x float8), node m WHERE m.id = e.j GROUP BY n.k');
-- one first index: of CSR only its entries are read, whether compressed, out of line or not
CREATE TABLE matrix (name text, ptr int[], idx bigint[], v float4[]);
ALTER TABLE matrix ALTER ptr SET STORAGE EXTERNAL, ALTER idx SET STORAGE EXTERNAL;
INSERT INTO matrix SELECT name, array_agg(i * 5 - i % 3 ORDER BY i), (SELECT array_agg((p * 7) % 11 + p * 3) FROM generate_series(0, 9998) p),
	(SELECT array_agg(p % 4) FROM generate_series(0, 9998) p) FROM (VALUES ('right'), ('wrong')) n(name), generate_series(0, 2000) i GROUP BY name;
UPDATE matrix SET ptr[2001] = 9999, idx = (SELECT array_agg(p * 3) FROM generate_series(0, 9998) p);
INSERT INTO matrix SELECT 'short', '{0,2,3}', '{5,6,7}', '{1,2,3}';
UPDATE matrix SET ptr[1000] = 3 WHERE name = 'wrong';
CREATE VIEW right_matrix AS SELECT (SELECT ptr FROM matrix WHERE name = 'right') AS ptr, (SELECT idx FROM matrix WHERE name = 'right') AS idx, (SELECT v FROM matrix WHERE name = 'right') AS v;
SELECT name, pg_column_compression(ptr) AS ptr, pg_column_compression(v) AS v FROM matrix ORDER BY name;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT e.j, e.x FROM matrix m, LATERAL einsum_entries('csr', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE m.name = 'right' AND e.i = 1500;
SELECT * FROM arrays('SELECT m.name, e.i, e.j, e.x FROM matrix m, LATERAL einsum_entries(''csr'', 2, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE m.name <> ''wrong'' AND e.i = 1');
SELECT * FROM arrays('SELECT n, (SELECT sum(e.x) FROM right_matrix m, LATERAL einsum_entries(''csr'', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE e.i = n.n) AS s FROM (VALUES (-1), (0), (1), (1999), (2000), (NULL)) n(n)');
SELECT * FROM arrays('SELECT n, (SELECT sum(e.x) FROM right_matrix m, LATERAL einsum_entries(''csr'', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE e.i = n.n AND e.j % 2 = 0) AS s FROM generate_series(0, 1900, 77) n(n)');
SELECT * FROM arrays('SELECT e.i, e.j, e.x FROM right_matrix m, LATERAL einsum_entries(''csc'', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE 303::int2 = e.i');
-- also as the only element of an array, as point queries have it
SELECT * FROM arrays('SELECT n, (SELECT sum(e.x) FROM right_matrix m, LATERAL einsum_entries(''csr'', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE e.i = ANY (ARRAY[n.n])) AS s FROM (VALUES (-1), (0), (1999), (NULL)) n(n)');
SELECT * FROM arrays('SELECT e.i, e.j, e.x FROM right_matrix m, LATERAL einsum_entries(''csr'', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE e.i = ANY (''{7,3}'')');
SELECT * FROM arrays('SELECT e.i, e.j, e.x FROM right_matrix m, LATERAL einsum_entries(''csr'', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE e.i <> ALL (''{7}'') AND e.i < 9');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT e.j, e.x FROM matrix m, LATERAL einsum_entries('csr', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE m.name = 'right' AND e.i = ANY ('{1500}');
SELECT * FROM arrays('SELECT n.id, e.j, e.x FROM node n, LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8) WHERE e.j = 4');
SELECT * FROM arrays('SELECT n.id, e.i, e.j FROM node n, LATERAL einsum_entries(''coo'', 0, n.a, n.b, n.w) AS e(i bigint, j bigint, x float8) WHERE e.i = 4');
SELECT * FROM arrays('SELECT e.i, e.x FROM (SELECT array_agg(p * 7 % 1500 ORDER BY p) AS a, array_agg(p + 1 ORDER BY p) AS v FROM generate_series(0, 2999) p) m, LATERAL einsum_entries(''coo'', 0, m.a, m.v) AS e(i bigint, x float8) WHERE e.i = 4');
SELECT * FROM entries('SELECT v.k, u.index, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.index = 17');
SELECT * FROM entries('SELECT v.k, u.index, u.value FROM vec v, LATERAL einsum_unstack_scalar(v.x, 0) AS u(index, value) WHERE u.index = -1');
-- arrays that are wrong where they are read
SELECT count(*) FROM matrix m, LATERAL einsum_entries('csr', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE m.name = 'wrong' AND e.i = 7;
SELECT count(*) FROM matrix m, LATERAL einsum_entries('csr', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE m.name = 'wrong' AND e.i = 998;
-- an argument of the wrong kind is no error without rows
SET plan_cache_mode = force_generic_plan;
PREPARE entries_of_rows (int, text) AS SELECT n.id, e.j FROM node n, LATERAL einsum_entries($2, 1 / $1, n.a, n.v) AS e(j bigint, x float8) WHERE n.id < 0;
EXECUTE entries_of_rows (0, 'bla');
RESET plan_cache_mode;
-- arguments are computed once, unless their parameters change; cheap conditions come first
CREATE SEQUENCE calls;
CREATE FUNCTION counted(a int[]) RETURNS int[] LANGUAGE plpgsql STABLE COST 1000 AS $$ BEGIN PERFORM nextval('calls'); RETURN a; END $$;
CREATE FUNCTION costly(x bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE COST 1000 AS $$ BEGIN RETURN true; END $$;
SELECT count(s) FROM (SELECT (SELECT sum(e.x) FROM einsum_entries('lists', 0, counted('{1,2,3}'), '{1,2,3}'::int[]) AS e(j bigint, x float8) WHERE e.j < m.id) AS s FROM node m) s;
SELECT currval('calls') < 5 AS once;
SELECT count(s) FROM (SELECT (SELECT sum(e.x) FROM einsum_entries('lists', 0, counted(m.a), m.v) AS e(j bigint, x float8)) AS s FROM node m WHERE m.id > 390) s;
SELECT currval('calls') > 9 AS each;
SELECT * FROM arrays('SELECT m.id, (SELECT e.j FROM einsum_entries(''lists'', 0, (SELECT a FROM node WHERE id = 5), (SELECT v FROM node WHERE id = 5)) AS e(j bigint, x float8) WHERE e.j > m.id LIMIT 1) AS s FROM node m');
SET enable_memoize = off;
EXPLAIN (COSTS OFF) SELECT n.id FROM node n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j bigint, x float8) WHERE costly(e.j) AND e.x = 1;
RESET enable_memoize;
-- a column that is NOT NULL in a parent, but not in its child
DO $$
BEGIN
	IF current_setting('server_version_num')::int >= 180000 THEN
		EXECUTE 'CREATE TABLE parent (id int NOT NULL, k int, a int[], v float8[], NOT NULL k NO INHERIT)';
		CREATE TABLE child () INHERITS (parent);
	ELSE
		CREATE TABLE parent (id int NOT NULL, k int NOT NULL, a int[], v float8[]);
		CREATE TABLE child () INHERITS (parent);
		ALTER TABLE child ALTER k DROP NOT NULL;
	END IF;
END $$;
INSERT INTO parent SELECT i, i % 3, '{1,2}', '{3,4}' FROM generate_series(1, 2000) i;
INSERT INTO child SELECT i, NULL, '{1,2}', '{3,4}' FROM generate_series(1, 2000) i;
ANALYZE parent, child;
SELECT n.k, tensor_sum(einsum_scalar(',->', e.x, 2::float8)) FROM parent n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j bigint, x float8) GROUP BY n.k ORDER BY n.k;
-- rows whose keys have one hash are in groups of their own
CREATE FUNCTION hashed(x bigint) RETURNS bigint LANGUAGE sql AS $$
	SELECT c::bigint # div(u, 4294967296)::bigint FROM (SELECT u, CASE WHEN u >= 9223372036854775808 THEN u - 18446744073709551616 ELSE u END c
	FROM (SELECT x * 11400714819323198485::numeric % 18446744073709551616 u) a) b $$;
CREATE TABLE alike AS SELECT i::bigint i, hashed(i) # 7 j, 1::float8 v FROM generate_series(1, 5000) i;
ALTER TABLE alike ADD PRIMARY KEY (i, j), ALTER v SET NOT NULL;
ANALYZE alike;
SELECT einsum_register('alike[I,J]', 'alike', keys => '{i,j}', value => 'v', bounds => '{*,*}');
SELECT count(*) FROM einsum_rows('y[I,J] = sum[K] alike[I,J]*alike[I,K]') AS y(i bigint, j bigint, value float8);
-- and so are rows of which only the first key repeats
CREATE TABLE triple AS SELECT a, b, c, 1.0::float8 AS v FROM generate_series(0, 9) a, generate_series(0, 9) b, generate_series(1, 50) c;
ANALYZE triple;
SELECT count(*), min(s), max(s) FROM (SELECT t.a, t.b, tensor_sum(einsum_scalar(',->', t.v, m.id::float8)) AS s FROM triple t, node m WHERE m.id = t.c GROUP BY t.a, t.b) g;
-- offsets that do not begin at 0, and indices that are out of range
SELECT count(*) FROM einsum_entries('csr', 0, '{2,3,3}'::int[], '{4,5,6}'::int[]) AS e(i bigint, j bigint, v float8) WHERE e.i = 0;
SELECT count(*) FROM matrix m, LATERAL einsum_entries('csr', 0, m.ptr, m.idx, m.v) AS e(i bigint, j bigint, x float8) WHERE m.name = 'wrong' AND e.i = 2000;
SELECT count(*) FROM einsum_entries('csr', 0, '{}'::int[], '{}'::int[]) AS e(i bigint, j bigint, v float8) WHERE e.i = 0;
-- rows that are inserted
CREATE TABLE kept (i bigint, x float8);
EXPLAIN (COSTS OFF) INSERT INTO kept SELECT e.j, e.x FROM node n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j bigint, x float8);
-- left to PostgreSQL
SELECT * FROM arrays('SELECT n.id, e.j FROM node n LEFT JOIN LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8) ON true');
SELECT * FROM arrays('SELECT n.id, e.j FROM node n, LATERAL einsum_entries(''lists'', n.id, n.a, n.v) AS e(j bigint, x float8)');
SELECT n.id, e.j FROM node n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j int, x float8);
-- arrays that are wrong, with their rows
SELECT einsum_register('entries_of_node[I,J]', 'node', keys => '{id}', layout => 'lists(a,v)', bounds => '{1001,20000}');
INSERT INTO node VALUES (1000, 0, 'wrong', '{1,1}', NULL, '{1,1}', NULL);
SELECT sum(e.x) FROM node n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j bigint, x float8);
SELECT * FROM einsum_rows('y[i] = sum[j] entries_of_node[i,j]') AS y(i int, value float8);
DELETE FROM node WHERE id = 1000;
SELECT count(*), sum(value) FROM einsum_rows('y[i] = sum[j] entries_of_node[i,j]') AS y(i int, value float8);
-- who may not call the function
BEGIN;
CREATE ROLE entries_reader;
GRANT USAGE ON SCHEMA entries_test TO entries_reader;
GRANT SELECT ON node TO entries_reader;
REVOKE EXECUTE ON FUNCTION einsum_entries FROM PUBLIC;
SET ROLE entries_reader;
SELECT n.id, e.j FROM node n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j bigint, x float8);
ROLLBACK;
-- with workers
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET sparseeinsum.enable_aggregate_join = off;
EXPLAIN (COSTS OFF) SELECT n.name, count(*) FROM node n, LATERAL einsum_entries('lists', 0, n.a, n.v) AS e(j bigint, x float8) GROUP BY n.name;
SELECT * FROM arrays('SELECT n.name, e.j, min(e.x) AS least FROM node n, LATERAL einsum_entries(''lists'', 0, n.a, n.v) AS e(j bigint, x float8) GROUP BY n.name, e.j');
SET client_min_messages = warning;
DROP SCHEMA entries_test CASCADE;
