-- Batched projections: kernels of a target list, computed for many rows at a time.
SET search_path = public, sparseeinsum_internal;
SET sparseeinsum.enable_batching = on;
SET max_parallel_workers_per_gather = 0;

-- vectors of 8 small integers, in the row; of 300, out of line; NULLs among them
\i test/sql/include/rows_and_plans.sql
CREATE FUNCTION matrix(seed int8, m int, n int) RETURNS tensor LANGUAGE sql IMMUTABLE AS $$
	SELECT tensor_reshape(vector(seed, m * n), ARRAY[m, n]) $$;
CREATE TABLE h AS SELECT i, i % 3 AS g, CASE WHEN i % 17 <> 5 THEN vector(i, 8) END AS value FROM generate_series(1, 400) i;
CREATE TABLE wide AS SELECT i, vector(i, 300) AS value FROM generate_series(1, 200) i;
CREATE TABLE w AS SELECT matrix(3, 8, 5) AS value;
CREATE TABLE w300 AS SELECT matrix(3, 300, 40) AS value;
CREATE TABLE w2 AS SELECT l, matrix(l, 8, 5) AS value FROM generate_series(1, 3) l;
CREATE TABLE none (i int, value tensor);
ANALYZE h; ANALYZE wide; ANALYZE w; ANALYZE w300; ANALYZE w2; ANALYZE none;

-- Plans
EXPLAIN (COSTS OFF) SELECT i, vec_mat_mult(h.value, w.value) FROM h, w;
EXPLAIN (COSTS OFF, VERBOSE) SELECT i, tensor_relu(einsum('k,km->m', h.value, w.value)) AS r, w.value FROM h, w;
-- a stack of kernels: the inner ones below the outer
EXPLAIN (COSTS OFF, VERBOSE)
SELECT einsum('a,ba->b', tensor_relu(vec_mat_mult(h.value, w.value)), w.value), tensor_abs(vec_mat_mult(h.value, w.value)) FROM h, w;
-- the same call twice is one
EXPLAIN (COSTS OFF) SELECT vec_mat_mult(h.value, w.value) AS a, tensor_relu(vec_mat_mult(h.value, w.value)) AS b FROM h, w;
-- operands of the query: a constant, and a subquery
EXPLAIN (COSTS OFF) SELECT mat_vec_mult('[[1,2,3,4,5,6,7,8],[8,7,6,5,4,3,2,1]]', value) FROM h;
EXPLAIN (COSTS OFF) SELECT vec_mat_mult(h.value, (SELECT value FROM w)) FROM h;
PREPARE product(tensor) AS SELECT sum(einsum_scalar('a->', v)) FROM (SELECT einsum_once(vec_mat_mult(value, $1)) AS v FROM h) x;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE product(NULL);
EXECUTE product(matrix(3, 8, 5));
EXECUTE product(matrix(4, 8, 5));
EXECUTE product(NULL);
RESET plan_cache_mode;
-- below an aggregate, a sort, in views and subqueries
CREATE VIEW hw AS SELECT i, g, vec_mat_mult(h.value, w.value) AS value FROM h, w;
EXPLAIN (COSTS OFF) SELECT * FROM hw ORDER BY i;
EXPLAIN (COSTS OFF) SELECT g, tensor_sum(value) FROM (SELECT g, einsum_once(value) AS value FROM hw) x GROUP BY g;
EXPLAIN (COSTS OFF) INSERT INTO none SELECT i, value FROM hw;
EXPLAIN (COSTS OFF) SELECT i, value FROM hw UNION ALL SELECT i, value FROM none;
-- not where a row may be asked for twice, or not at all, and not beside volatile functions
EXPLAIN (COSTS OFF) SELECT vec_mat_mult(h.value, w.value) FROM h, w FOR UPDATE OF h;
EXPLAIN (COSTS OFF) UPDATE none SET value = vec_mat_mult(none.value, w.value) FROM w;
EXPLAIN (COSTS OFF) SELECT CASE WHEN tensor_rank(h.value) = 1 THEN vec_mat_mult(h.value, w.value) END FROM h, w;
EXPLAIN (COSTS OFF) SELECT vec_mat_mult(h.value, w.value), random() FROM h, w;
-- nothing is read once for many rows
EXPLAIN (COSTS OFF) SELECT inner_prod(h.value, h.value) FROM h;
EXPLAIN (COSTS OFF) SELECT vec_mat_mult(h.value, w2.value) FROM h, w2;
-- few rows
EXPLAIN (COSTS OFF) SELECT vec_mat_mult(h.value, w.value) FROM h, w WHERE i = 7;
-- off
SET sparseeinsum.enable_batching = off;
EXPLAIN (COSTS OFF) SELECT * FROM hw;
SET sparseeinsum.enable_batching = perhaps;

-- Counters
SET sparseeinsum.enable_batching = on;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM hw;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) SELECT vec_mat_mult(wide.value, w300.value) FROM wide, w300;
-- no more is read ahead than has been returned
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT vec_mat_mult(wide.value, w300.value) FROM wide, w300 LIMIT 1;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT vec_mat_mult(wide.value, w300.value) FROM wide, w300 LIMIT 20;
-- what the query computes as one row is not compared; a WITH item is one row too
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
WITH m AS MATERIALIZED (SELECT tensor_sum(einsum_once(value)) AS value FROM w300)
SELECT vec_mat_mult(wide.value, m.value) FROM wide, m;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT vec_mat_mult(wide.value, m.value) FROM wide, (SELECT tensor_sum(value) AS value FROM w300) m;
-- a matrix for every row: each is computed alone
SET sparseeinsum.enable_batching = force;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT vec_mat_mult(w.value, m.value) FROM (SELECT i, value FROM wide WHERE i < 20) w,
	LATERAL (SELECT tensor_sum(value) + i::float8 AS value FROM w300) m;

-- Results: with batches and without
CREATE FUNCTION same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found bool;
	rows int8;
	result text;
BEGIN
	query := as_text(query);
	PERFORM set_config('sparseeinsum.enable_batching', 'off', true);
	rows := keep_rows('plain', query);
	PERFORM set_config('sparseeinsum.enable_batching', 'force', true);
	found := EXISTS (SELECT FROM plan_of(query) line WHERE line LIKE '%BatchedProjection%');
	PERFORM keep_rows('batched', query);
	result := format('%s rows, %s different%s', rows, different_rows('plain', 'batched'), CASE WHEN found THEN '' ELSE ', not batched' END);
	DROP TABLE plain;
	RETURN result;
END $$;

SELECT same('SELECT i, vec_mat_mult(h.value, w.value) FROM h, w');
SELECT same('SELECT i, vec_mat_mult(wide.value, w300.value) FROM wide, w300');
SELECT same('SELECT i, l, vec_mat_mult(h.value, w2.value) FROM h, w2');
SELECT same('SELECT i, l, vec_mat_mult(h.value, w2.value) FROM (SELECT * FROM h ORDER BY i % 7) h JOIN w2 ON l = i % 7');
SELECT same('SELECT i, mat_vec_mult(einsum(''ab->ba'', w.value), h.value), mat_mult(tensor_reshape(h.value, ARRAY[2,4]), matrix(2, 4, 3)) FROM h, w');
SELECT same('SELECT i, outer_prod(h.value, v), vec_sca_mult(h.value, 2), vec_sca_mult(v, i), vec_sca_mult(v, einsum(''a->'', h.value)) FROM h, (SELECT vector(5, 8) AS v) x');
SELECT same('SELECT i, einsum(''k,km->m'', h.value, w.value), einsum(''...k,km->m...'', h.value, w.value), einsum(''k,kk->k'', h.value, m) FROM h, w, (SELECT max(matrix(3, 8, 8)) AS m) x');
SELECT same('SELECT i, einsum(''a,ab,b->'', h.value, w.value, v), einsum_scalar(''a,ab,b->'', h.value, w.value, v), einsum(''a,ab,b,,c->cb'', h.value, w.value, v, i, h.value) FROM h, w, (SELECT vector(5, 5) AS v) x');
SELECT same('SELECT i, einsum_scalar('',->'', i, 2.5), einsum('',a->a'', i::numeric, v), einsum('',a->a'', i::int2, v), einsum('',a->a'', i::float4, v) FROM h, (SELECT vector(5, 5) AS v) x');
SELECT same('SELECT i, tensor_map(''greatest($1, $2) + $3'', ''a,a,->a'', h.value, v, i), tensor_map_scalar(''$1 * $2 > 3'', ''a,a->'', h.value, v), tensor_map(''$1 + $2'', ''a,ab->b'', h.value, w.value) FROM h, w, (SELECT vector(5, 8) AS v) x');
-- element types: of the rows, of the constant operand, of every third row
SELECT same('SELECT i, vec_mat_mult(h.value::tensor(float4), w.value), vec_mat_mult(h.value, w.value::tensor(float4)), vec_mat_mult(h.value::tensor(float4), w.value::tensor(float4)) FROM h, w');
SELECT same('SELECT i, vec_mat_mult(CASE i % 3 WHEN 0 THEN h.value::tensor(float4) WHEN 1 THEN h.value ELSE h.value::tensor(complex8) END, w.value) FROM h, w');
SELECT same('SELECT i, vec_mat_mult(h.value::tensor(complex16), w.value), einsum(''a,ab,->b'', h.value, w.value::tensor(complex8), i::float4) FROM h, w');
SELECT same('SELECT i, tensor_map(''$1 * $2 + $3'', ''a,a,->a'', h.value::tensor(float4), v, i), tensor_map(''$1 * $2'', ''a,a->a'', h.value::tensor(complex16), v), tensor_map(''real($1 * $2)'', ''a,a->a'', h.value, v::tensor(complex8)) FROM h, (SELECT vector(5, 8) AS v) x');
-- shapes that change
SELECT same('SELECT i, einsum(''a,a->a'', vector(i, 1 + i / 50 % 3 * 3), ''[1,2,3,4]''), outer_prod(vector(i, 1 + i % 3), ''[1,2]''), einsum(''...,b->...b'', tensor_reshape(h.value, CASE WHEN i % 100 < 50 THEN ARRAY[8] ELSE ARRAY[2,4] END), ''[1,-1]'') FROM h WHERE i / 50 % 3 <> 2');
-- no elements, and no rows
SELECT same('SELECT i, einsum(''ka,kab->kb'', tensor_full(ARRAY[0, 3], i), tensor_full(ARRAY[0, 3, 2], 1)), einsum(''ka,kab->b'', tensor_full(ARRAY[0, 3], i), tensor_full(ARRAY[0, 3, 2], 1)) FROM h');
SELECT same('SELECT i, vec_mat_mult(none.value, w.value) FROM none, w');
SELECT same('SELECT h.i, vec_mat_mult(h.value, none.value) FROM h, none');
SELECT same('SELECT h.i, vec_mat_mult(h.value, none.value) FROM h LEFT JOIN none ON true');
SELECT same('SELECT h.i, vec_mat_mult(h.value, m.value) FROM h LEFT JOIN (SELECT max(value) AS value FROM w) m ON h.i % 2 = 0');
SELECT same('SELECT h.i, vec_mat_mult(h.value, coalesce(m.value, matrix(9, 8, 2))) FROM h LEFT JOIN (SELECT max(value) AS value FROM w) m ON h.i % 2 = 0');
SELECT same('SELECT vec_mat_mult(h.value, (SELECT value FROM none)) FROM h');
-- over joins, aggregates, windows and sorts; distinct values; a column beside
SELECT same('SELECT g, vec_mat_mult(tensor_sum(value), (SELECT value FROM w)), count(*) FROM h GROUP BY g');
SELECT same('SELECT g, vec_mat_mult(tensor_sum(h.value), max(w.value)) FROM h, w GROUP BY g');
SELECT same('SELECT i, vec_mat_mult(value, (SELECT value FROM w)), row_number() OVER (PARTITION BY g ORDER BY i), value, (SELECT value FROM w) FROM h');
SELECT same('SELECT DISTINCT ON (g) g, vec_mat_mult(value, (SELECT value FROM w)) AS v FROM h ORDER BY g, i');
SELECT same('SELECT DISTINCT vec_mat_mult(value, (SELECT value FROM w)) FROM h');
SELECT same('SELECT i, vec_mat_mult(value, (SELECT value FROM w)) AS v FROM h ORDER BY v, i LIMIT 100 OFFSET 50');
SELECT same('SELECT a.i, b.value FROM h a JOIN (SELECT i, einsum_once(value) AS value FROM hw) b ON b.i = a.i * 2');
-- rescans: an operand of the outer row, and an early end
SELECT same('SELECT w2.l, x.* FROM w2, LATERAL (SELECT i, vec_mat_mult(h.value, w2.value) AS v FROM h WHERE i % 50 = w2.l OFFSET 0) x');
SELECT same('SELECT w2.l, x.* FROM w2, LATERAL (SELECT i, vec_mat_mult(h.value, m.value) AS v FROM h, (SELECT max(matrix(w2.l + none.i, 8, 3)) AS value FROM (VALUES (0)) none(i)) m ORDER BY i LIMIT 30) x');
SELECT same('SELECT l, (SELECT tensor_sum(v) FROM (SELECT einsum_once(vec_mat_mult(h.value, w2.value)) AS v FROM h WHERE i < 100) x) FROM w2');
SELECT same('SELECT l FROM w2 WHERE EXISTS (SELECT 1 FROM (SELECT einsum_once(vec_mat_mult(h.value, w2.value)) AS v FROM h) x WHERE einsum_scalar(''a->'', v) > 10 * l)');
-- a small budget
SET work_mem = '64kB';
SELECT same('SELECT i, vec_mat_mult(wide.value, w300.value), wide.value FROM wide, w300');
SELECT same('SELECT i, outer_prod(wide.value, vector(5, 300)), outer_prod(wide.value, vector(5, 3)) FROM wide WHERE i <= 30');
RESET work_mem;
-- random small programs over all of it
SELECT count(*) AS queries, count(*) FILTER (WHERE same(format(
	'SELECT i, %s FROM h, (SELECT max(matrix(%s, 8, %s)) AS m, max(vector(%s, 8)) AS v FROM w) x WHERE i %% %s <> 0',
	(ARRAY['vec_mat_mult(h.value, m)', 'einsum(''a,ab->ba'', h.value, m)', 'einsum(''a,a,ab->b'', h.value, v, m)',
		'einsum(''a,bc->c'', h.value, m)', 'einsum(''ab->b'', m)', 'tensor_map(''exp($1) - $2'', ''a,a->a'', h.value, v)',
		'tensor_map(''abs($1 - $2)'', ''a,ab->b'', h.value, m)', 'einsum('',ab->a'', i, m)', 'outer_prod(value, v)'])[1 + s % 9],
	s, 1 + s % 4, s, 2 + s % 5)) LIKE '%, 0 different%') AS same
FROM generate_series(1, 36) s;

-- Errors are those of the functions, at the rows that have them
CREATE FUNCTION error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	mode text;
	state text;
	message text;
	detail text;
	hint text;
	errors text[];
BEGIN
	FOREACH mode IN ARRAY ARRAY['off', 'force'] LOOP
		PERFORM set_config('sparseeinsum.enable_batching', mode, true);
		BEGIN
			EXECUTE 'CREATE TEMP TABLE result AS ' || query;
			DROP TABLE result;
			errors := errors || 'none'::text;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			errors := errors || format('%s: %s; %s; %s', state, message, detail, hint);
		END;
	END LOOP;
	RETURN CASE WHEN errors[1] = errors[2] THEN errors[1] ELSE errors::text END;
END $$;
SELECT error_of('SELECT vec_mat_mult(vector(i, 7 + i / 100), w.value) FROM h, w WHERE i >= 100');
SELECT error_of('SELECT vec_mat_mult(h.value, matrix(1, 1, 8)) FROM h');
SELECT error_of('SELECT einsum(''a,ab->b'', vector(i, 1 + i / 100), w.value) FROM h, w');
SELECT error_of('SELECT einsum(''a,ab->c'', h.value, w.value) FROM h, w');
SELECT error_of('SELECT einsum(''a,ab->c'', h.value, w.value) FROM h, w WHERE i < 0');
SELECT error_of('SELECT einsum(''a->a'', h.value, w.value) FROM h, w');
SELECT error_of('SELECT einsum_scalar(''a,ab->b'', h.value, w.value) FROM h, w');
SELECT error_of('SELECT einsum_scalar(''a,a->'', h.value::tensor(complex8), h.value) FROM h');
SELECT error_of('SELECT einsum(''a,a->a'', h.value, ''[1,2''::unknown) FROM h');
SELECT error_of('SELECT einsum(''a,->a'', h.value, i::text) FROM h');
SELECT error_of('SELECT tensor_map(''$1 + $3'', ''a,a->a'', h.value, h.value) FROM h');
SELECT error_of('SELECT tensor_map(''$1 < $2'', ''a,a->a'', h.value::tensor(complex8), ''[1,2,3,4,5,6,7,8]'') FROM h');
SELECT error_of('SELECT outer_prod(h.value, tensor_full(ARRAY[2147483647], 1)) FROM h');
-- a row that is not asked for has none
SET sparseeinsum.enable_batching = force;
SELECT count(*) FROM (SELECT vec_mat_mult(vector(i, CASE WHEN i < 40 THEN 8 ELSE 9 END), w.value) FROM h, w LIMIT 39) x;
SELECT count(*) FROM (SELECT einsum_once(vec_mat_mult(vector(i, CASE WHEN i < 40 THEN 8 ELSE 9 END), w.value)) FROM h, w LIMIT 40) x;

-- Cursors
BEGIN;
DECLARE forward CURSOR FOR SELECT i, einsum_scalar('a->', vec_mat_mult(h.value, w.value)) FROM h, w;
FETCH 3 FROM forward;
MOVE 100 FROM forward;
FETCH 2 FROM forward;
CLOSE forward;
DECLARE either SCROLL CURSOR FOR SELECT i, einsum_scalar('a->', vec_mat_mult(h.value, w.value)) FROM h, w;
FETCH 3 FROM either;
FETCH BACKWARD 2 FROM either;
FETCH LAST FROM either;
CLOSE either;
DECLARE held CURSOR WITH HOLD FOR SELECT i, einsum_scalar('a->', vec_mat_mult(h.value, w.value)) FROM h, w;
COMMIT;
FETCH ABSOLUTE 400 FROM held;
CLOSE held;

-- Parallel workers
CREATE TABLE many AS SELECT i, vector(i, 8) AS value FROM generate_series(1, 3000) i;
ANALYZE many;
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET cpu_operator_cost = 0.1; -- kernels are what counts
SET parallel_tuple_cost = 0;
SET enable_material = off; -- else the rows are gathered below the join
SET min_parallel_table_scan_size = 0;
SET sparseeinsum.enable_batching = on;
EXPLAIN (COSTS OFF) SELECT i, vec_mat_mult(many.value, w.value) FROM many, w;
EXPLAIN (COSTS OFF) SELECT tensor_sum(v) FROM (SELECT einsum_once(vec_mat_mult(many.value, w.value)) AS v FROM many, w) x;
SELECT same('SELECT i, vec_mat_mult(many.value, w.value) FROM many, w');
SELECT same('SELECT i, vec_mat_mult(many.value, (SELECT value FROM w)) AS v FROM many ORDER BY i');
SELECT same('SELECT tensor_sum(v) FROM (SELECT vec_mat_mult(many.value, w.value) AS v FROM many, w OFFSET 0) x');
SET parallel_leader_participation = off;
SELECT same('SELECT i, vec_mat_mult(many.value, w.value) FROM many, w');
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 0;
RESET enable_material;

-- In the arguments of aggregates, where no filter guards them
EXPLAIN (COSTS OFF, VERBOSE)
SELECT g, sum(einsum_scalar('a->', vec_mat_mult(h.value, w.value))), count(*) FROM h, w GROUP BY g HAVING max(einsum_scalar('a->', vec_mat_mult(h.value, w.value))) > 0;
EXPLAIN (COSTS OFF) SELECT sum(einsum_scalar('a->', vec_mat_mult(h.value, w.value))) FILTER (WHERE i > 5) FROM h, w;
EXPLAIN (COSTS OFF) SELECT sum(einsum_scalar('a->', vec_mat_mult(h.value, w.value)) + random()) FROM h, w;
SELECT same('SELECT g, sum(einsum_scalar(''a->'', vec_mat_mult(h.value, w.value))), tensor_sum(vec_mat_mult(h.value, w.value)),
	count(*) FILTER (WHERE einsum_scalar(''a->'', vec_mat_mult(h.value, w.value)) > 3)
	FROM h, w GROUP BY g HAVING max(einsum_scalar(''a->'', vec_mat_mult(h.value, w.value))) > 0');
SELECT same('SELECT g + 1 AS g, tensor_sum(vec_mat_mult(h.value, w.value)) FROM h, w GROUP BY g + 1 ORDER BY g + 1');
SELECT same('SELECT count(DISTINCT vec_mat_mult(h.value, w.value)), tensor_max(vec_mat_mult(h.value, w.value) ORDER BY i) FROM h, w');
SELECT same('SELECT g, tensor_sum(vec_mat_mult(h.value, w.value)) FROM h, w GROUP BY ROLLUP (g)');
SELECT same('SELECT DISTINCT vec_mat_mult(h.value, w.value) FROM h, w');
-- what a DISTINCT and a window have computed below is not computed again
EXPLAIN (COSTS OFF) SELECT DISTINCT count(vec_mat_mult(h.value, w.value)) FROM h, w GROUP BY g;
SELECT same('SELECT DISTINCT count(vec_mat_mult(h.value, w.value)), rank() OVER (ORDER BY g % 2) FROM h, w GROUP BY g');
SELECT same('SELECT DISTINCT sum(count(vec_mat_mult(h.value, w.value))) OVER () FROM h, w GROUP BY g');
SET enable_hashagg = off;
SELECT same('SELECT g, tensor_sum(vec_mat_mult(h.value, w.value)) FROM h, w GROUP BY g');
RESET enable_hashagg;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT sum(einsum_scalar('a->', vec_mat_mult(many.value, w.value))) FROM many, w;
SELECT same('SELECT sum(einsum_scalar(''a->'', vec_mat_mult(many.value, w.value))), tensor_sum(vec_mat_mult(many.value, w.value)) FROM many, w');
SET enable_sort = off;
SELECT same('SELECT DISTINCT i % 2, count(einsum(''a,a->a'', value, value)) FROM many GROUP BY i');
RESET enable_sort;
SET max_parallel_workers_per_gather = 0;

-- Partitions
CREATE TABLE parts (i int, value tensor) PARTITION BY RANGE (i);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (100);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (100) TO (1000);
INSERT INTO parts SELECT i, value FROM h;
ANALYZE parts;
SELECT same('SELECT i, vec_mat_mult(value, matrix(3, 8, 5)) FROM parts');
SELECT same('SELECT i, vec_mat_mult(value, matrix(3, 8, 5)) FROM parts ORDER BY i LIMIT 150');

-- The right to execute the function is asked for
SET sparseeinsum.enable_batching = force;
CREATE ROLE batch_reader;
GRANT SELECT ON h, w TO batch_reader;
REVOKE EXECUTE ON FUNCTION vec_mat_mult(tensor, tensor) FROM PUBLIC;
SET ROLE batch_reader;
SELECT count(vec_mat_mult(h.value, w.value)) FROM h, w;
SELECT count(v) FROM (SELECT vec_mat_mult(h.value, w.value) AS v FROM h, w OFFSET 0) x;
RESET ROLE;
GRANT EXECUTE ON FUNCTION vec_mat_mult(tensor, tensor) TO PUBLIC;
DROP OWNED BY batch_reader;
DROP ROLE batch_reader;

-- A function of a user is not one of ours, whatever its name
CREATE FUNCTION vec_mat_mult(v tensor, i int) RETURNS tensor LANGUAGE sql IMMUTABLE AS 'SELECT v';
EXPLAIN (COSTS OFF) SELECT vec_mat_mult(value, g) FROM h;
DROP FUNCTION vec_mat_mult(tensor, int);

-- Of many nodes each finds out where its rows go, by one pass over the plan for all
CREATE FUNCTION nested(n int, OUT computed boolean, OUT small boolean) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT sum(inner_prod(value, value)) >= 0, (SELECT sum(total_bytes) < 32 * 1024 * 1024
		FROM pg_backend_memory_contexts WHERE name = ''ExecutorState'') FROM (SELECT * FROM '
		|| repeat('(SELECT i, einsum(''a,a->a'', tensor_relu(value), value) AS value FROM ', n) || 'h'
		|| repeat(' OFFSET 0) AS s', n) || ' ORDER BY i) AS s' INTO computed, small;
END $$;
SELECT * FROM nested(200);
DROP FUNCTION nested(int);

-- The first query of a session is batched too
\c
EXPLAIN (COSTS OFF) SELECT i, vec_mat_mult(h.value, w.value) FROM h, w;

DROP VIEW hw;
DROP TABLE h, wide, w, w300, w2, none, many, parts;
DROP FUNCTION same(text), error_of(text), matrix(int8, int, int), :included;
