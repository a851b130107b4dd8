-- Joins and groups by one integer that are looked up in arrays.
SET sparseeinsum.enable_direct_lookup = force;
SET sparseeinsum.enable_batching = on;
SET sparseeinsum.enable_partitioning = off;
SET sparseeinsum.enable_aggregate_join = off;
SET max_parallel_workers_per_gather = 0;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SET enable_sort = off;
SET client_min_messages = warning;

-- vectors of 4 small integers in the row, and of 300 out of line; keys with NULLs, gaps and repetitions
\i test/sql/include/rows_and_plans.sql
CREATE TABLE edge AS SELECT r, CASE WHEN r % 31 <> 3 THEN (r * 7919 % 211 - 60)::int END AS i, CASE WHEN r % 29 <> 4 THEN (r * 104729 % 131 - 9)::int8 END AS j,
	(r * 31 % 17)::int2 AS k, 'key ' || r * 613 % 37 AS t, (r % 11 - 5)::float8 AS value FROM generate_series(1, 3000) r;
CREATE TABLE node AS SELECT i::int8, vector(i, 4) AS value, vector(i, 300) AS wide FROM generate_series(-9, 110) i;
CREATE TABLE other AS SELECT CASE WHEN n % 10 <> 1 THEN (n * 3 % 100)::int2 END AS i, n, 'name ' || n AS name, n % 3 = 0 AS flag, n::numeric / 4 AS num,
	vector(n, 4) AS value FROM generate_series(0, 90) n;
CREATE TABLE none (i int, value tensor);
CREATE TABLE far AS SELECT CASE n WHEN 0 THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 ELSE n * 1000000007::int8 END AS i, n, vector(n, 4) AS value FROM generate_series(0, 120) n;
ANALYZE edge; ANALYZE node; ANALYZE other; ANALYZE none; ANALYZE far;

-- Plans: over the hash join, and below the aggregate
CREATE VIEW product AS SELECT e.i, einsum_sum(',a->a', e.value, n.wide) AS value FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM product;
EXPLAIN (COSTS OFF, VERBOSE) SELECT e.k, sum(n.n), tensor_sum(n.value) FROM edge e LEFT JOIN other n ON e.i = n.i AND e.value > n.n WHERE n.n IS NULL OR n.flag GROUP BY e.k;
EXPLAIN (COSTS OFF, FORMAT JSON) SELECT tensor_sum(value) FROM node GROUP BY i;
-- a projection becomes that of the join
EXPLAIN (COSTS OFF, VERBOSE) SELECT count(DISTINCT v) FROM (SELECT einsum_once(vec_sca_mult(n.value, e.value)) AS v FROM edge e JOIN node n ON e.j = n.i OFFSET 0) x;
-- not by themselves if there are few rows, or few of each group
SET sparseeinsum.enable_direct_lookup = on;
EXPLAIN (COSTS OFF) SELECT o.i, tensor_sum(n.value) FROM other o JOIN node n USING (i) GROUP BY o.i;
EXPLAIN (COSTS OFF) SELECT r, tensor_sum(n.value) FROM edge e JOIN node n ON n.i = e.j GROUP BY r;
SET sparseeinsum.enable_direct_lookup = force;

-- the nodes in a query's plan
CREATE FUNCTION nodes(query text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN joins > 0 THEN joins || ' joins ' ELSE '' END || CASE WHEN groups > 0 THEN groups || ' groups' ELSE '' END
	FROM (SELECT count(*) FILTER (WHERE line LIKE '%(DirectJoin)%') AS joins, count(*) FILTER (WHERE line LIKE '%(DirectGroups)%') AS groups
		FROM plan_of(query) line) x $$;
-- where they are not
SELECT nodes('SELECT e.t, tensor_sum(n.value) FROM edge e JOIN edge f USING (t) JOIN node n ON n.i = f.r GROUP BY e.t') AS text_keys,
	nodes('SELECT e.i, e.k, tensor_sum(n.value) FROM edge e JOIN other n USING (i) GROUP BY e.i, e.k') AS two_groups,
	nodes('SELECT e.value, tensor_sum(n.value) FROM edge e JOIN other n ON e.i = n.i AND e.j = n.n GROUP BY e.value') AS two_keys,
	nodes('SELECT e.value, tensor_sum(n.value) FROM edge e JOIN other n ON e.j + 1 = n.i GROUP BY e.value') AS expression,
	nodes('SELECT tensor_sum(n.value) FROM edge e FULL JOIN node n ON e.j = n.i') AS full_join,
	nodes('SELECT e.r, tensor_rank(n.value) FROM edge e RIGHT JOIN node n ON e.i = n.i') AS right_join,
	nodes('SELECT e.i, sum(e.value) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i') AS no_tensor,
	nodes('SELECT e.i, tensor_sum(n.value) FROM edge e JOIN node n ON e.j = n.i AND random() < 2 GROUP BY e.i') AS volatile,
	nodes('SELECT e.i, n.value, einsum(''->'', 1) FROM edge e JOIN node n ON e.j = n.i FOR UPDATE OF e') AS locked,
	nodes('SELECT tensor_sum(value) FROM node') AS no_groups;
SELECT nodes('SELECT i, tensor_sum(DISTINCT value) FROM node GROUP BY i') AS ordered;
SET sparseeinsum.enable_direct_lookup = off;
SELECT nodes('SELECT * FROM product') AS off;
SET sparseeinsum.enable_direct_lookup = maybe;
SET sparseeinsum.enable_direct_lookup = force;

-- Results: as without the nodes
CREATE FUNCTION same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rows int8;
	result text;
BEGIN
	query := as_text(query);
	PERFORM set_config('sparseeinsum.enable_direct_lookup', 'off', true);
	rows := keep_rows('without', query);
	PERFORM set_config('sparseeinsum.enable_direct_lookup', 'force', true);
	PERFORM keep_rows('direct', query);
	result := format('%s rows, %s different, %s', rows, different_rows('without', 'direct'), nodes(query));
	DROP TABLE without;
	RETURN result;
END $$;
SELECT same('SELECT * FROM product');
-- joins of all kinds, keys of all types, further conditions; NULLs and bytes in the row of the inner side
SELECT same('SELECT e.r, o.n, o.name, o.flag, o.num, o.value, einsum('',a->'', 1, o.value) FROM edge e JOIN other o USING (i)');
SELECT same('SELECT e.r, o.n, o.name, o.flag, o.num, tensor_shape(o.value) FROM edge e LEFT JOIN other o USING (i)');
SELECT same('SELECT e.r, o.n, o.name, o.flag, o.num, tensor_shape(o.value) FROM edge e LEFT JOIN other o ON e.i = o.i AND o.n % 4 < e.value');
SELECT same('SELECT e.r, o.name, tensor_rank(o.value) FROM edge e LEFT JOIN other o ON e.k = o.i WHERE o.n IS NULL OR o.n % 4 < e.value');
-- of a RIGHT join with little on its left, that is what is kept
EXPLAIN (COSTS OFF) SELECT o.n, o.value, einsum(',->', e.i, 1) FROM other o LEFT JOIN (SELECT i, r FROM edge WHERE r < 120) e ON o.i = e.i AND o.n % 3 > e.r % 3;
SELECT same('SELECT o.n, o.value, einsum('',->'', e.i, 1) FROM other o LEFT JOIN (SELECT i, r FROM edge WHERE r < 120) e ON o.i = e.i AND o.n % 3 > e.r % 3');
SET sparseeinsum.enable_direct_lookup = off;
EXPLAIN (COSTS OFF) SELECT o.n, o.value, einsum(',->', e.i, 1) FROM other o LEFT JOIN (SELECT i, r FROM edge WHERE r < 120) e ON o.i = e.i AND o.n % 3 > e.r % 3;
SET sparseeinsum.enable_direct_lookup = force;
SELECT same('SELECT e.r, einsum('',->'', e.value, 2) FROM edge e WHERE EXISTS (SELECT FROM other o WHERE o.i = e.i AND o.n % 4 < e.value)');
SELECT same('SELECT e.r, einsum('',->'', e.value, 2) FROM edge e WHERE NOT EXISTS (SELECT FROM other o WHERE o.i = e.j AND o.n % 4 < e.value)');
SELECT same('SELECT e.r, n.value FROM edge e JOIN (SELECT i, value FROM node WHERE tensor_rank(value) = 1 GROUP BY i, value) n ON n.i = e.k');
SELECT same('SELECT e.r, n.value FROM edge e JOIN (SELECT i, tensor_sum(value) AS value FROM node GROUP BY i) n ON n.i = e.k');
SELECT same('SELECT a.r, b.r, einsum('',->'', a.value, b.value) FROM edge a JOIN edge b ON a.i = b.j WHERE a.r < 900');
-- an empty side
SELECT same('SELECT e.r, tensor_rank(n.value) FROM edge e JOIN none n USING (i)');
SELECT same('SELECT e.r, tensor_rank(n.value) FROM edge e LEFT JOIN none n USING (i)');
SELECT same('SELECT e.r, tensor_rank(o.value) FROM other o JOIN edge e ON e.i = o.i WHERE NOT EXISTS (SELECT FROM none n WHERE n.i = o.n)');
SELECT same('SELECT o.n, tensor_sum(n.value) FROM none n LEFT JOIN other o USING (i) GROUP BY o.n');
-- the rows of a UNION
SELECT same('SELECT i, tensor_rank(einsum_sum('',->'', i, n)) FROM (SELECT i, n FROM other UNION SELECT k, r FROM edge) x GROUP BY i');
SELECT same('SELECT i, einsum('',->'', i, 2) FROM (SELECT i FROM other UNION SELECT k FROM edge UNION SELECT einsum_scalar('',->'', i, 1)::int FROM other JOIN edge USING (i)) x');
-- groups: NULLs, filters, conditions, several aggregates, none
SELECT same('SELECT i, count(*), sum(value), tensor_sum(vector(r, 4)) FILTER (WHERE k > 8), min(t) FROM edge GROUP BY i HAVING count(*) > 14');
SELECT same('SELECT j, avg(value), array_agg(r), tensor_max(vector(r, 4)) FROM edge GROUP BY j');
SELECT same('SELECT k, einsum('',->'', k, 2) FROM edge GROUP BY k');
SELECT same('SELECT tensor_rank(v), count(*) FROM (SELECT i, tensor_sum(vector(r, 4)) AS v FROM edge GROUP BY i) x JOIN other o USING (i) GROUP BY tensor_rank(v)');
-- of operators too
SELECT same('SELECT a.n, a.value + b.value FROM other a JOIN other b ON a.n = b.i');
-- no groups to be remembered, and none below a subquery that may be volatile
SELECT nodes('SELECT DISTINCT i FROM edge WHERE tensor_rank(einsum('',->'', value, 1)) = 0') AS no_aggregates,
	nodes('SELECT tensor_rank(n.value) FROM edge e JOIN node n ON e.j = n.i AND e.r > (SELECT 0 * random() WHERE n.i IS NOT NULL)') AS volatile_subquery;
-- keys far apart have no places: the hash join does it, and the aggregate makes every group
SELECT same('SELECT f.n, g.n, einsum(''a,a->'', f.value, g.value) FROM far f JOIN far g ON f.i = g.i');
SELECT same('SELECT f.n, tensor_rank(f.value), o.n FROM far f LEFT JOIN other o ON f.i = o.i');
SELECT same('SELECT f.i, count(*), tensor_sum(f.value) FROM far f CROSS JOIN generate_series(1, 5) GROUP BY f.i');
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT f.i, tensor_sum(g.value) FROM far f JOIN far g ON f.i = g.i GROUP BY f.i;
-- places are added where the keys are, from either end of all numbers
SELECT same(format('SELECT i, count(*), tensor_rank(einsum_sum('',->'', r, 1)) FROM (SELECT %s AS i, r FROM generate_series(1, 200000) r) x GROUP BY i', key))
FROM unnest(ARRAY['r % 90000', '90000 - r % 90000', '9223372036854775807 - r % 90000', 'r % 90000 - 9223372036854775807 - 1', '(r * 7919::int8) % 90001 - 45000', '(r % 7) * 100000000000']) key;
-- what the nodes have done
CREATE FUNCTION lookups(query text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT trim(line) FROM executed_plan_of(query) line WHERE line ~ 'Lookup|Direct Rows|Known' $$;
-- the first key is far from all others
SELECT lookups('SELECT i, tensor_rank(tensor_sum(value)) FROM (SELECT 1000000000::int8 AS i, ''[1]''::tensor AS value UNION ALL SELECT r / 2, ''[2]'' FROM generate_series(1, 300000) r) x GROUP BY i') <> 'Rows of Known Groups: 0' AS some_known;
SELECT same('SELECT i, tensor_rank(tensor_sum(value)) FROM (SELECT 1000000000::int8 AS i, ''[1]''::tensor AS value UNION ALL SELECT r / 2, ''[2]'' FROM generate_series(1, 300000) r UNION ALL SELECT 1000000000, ''[3]'' FROM generate_series(1, 5)) x GROUP BY i');
-- an inner side that nothing is joined with is not read
SELECT lookups('SELECT e.r, n.value FROM edge e JOIN (SELECT i, tensor_sum(value) AS value FROM node GROUP BY i) n ON n.i = e.j WHERE e.r + 0 < 0');
-- memory that is short: rows for the hash join, with its batches, and groups for later
SET work_mem = 64;
CREATE TABLE many AS SELECT i, vector(i, 8) AS value, repeat('x', i % 50) AS text FROM generate_series(0, 20000) i;
ANALYZE many;
SELECT same('SELECT a.i, a.text, b.text, tensor_rank(b.value) FROM many a JOIN many b ON a.i = b.i');
SELECT same('SELECT a.i, a.text, b.text, tensor_rank(b.value) FROM many a LEFT JOIN (SELECT * FROM many WHERE i % 3 > 0) b ON a.i = b.i');
SELECT same('SELECT n.i % 5000 AS i, count(*), tensor_sum(value) FROM many n GROUP BY 1');
SELECT same('SELECT m.i, count(*), tensor_sum(value) FROM (SELECT i / 4 AS i, value FROM many OFFSET 0) m GROUP BY m.i');
SELECT lookups('SELECT a.text, b.text, tensor_rank(b.value) FROM many a JOIN many b ON a.i = b.i');
SELECT lookups('SELECT n.i % 5000 AS i, count(*), tensor_sum(value) FROM many n GROUP BY 1') <> 'Rows of Known Groups: 15001' AS some_left;
RESET work_mem;
SELECT lookups('SELECT a.text, b.text, tensor_rank(b.value) FROM many a JOIN many b ON a.i = b.i');
SELECT lookups('SELECT n.i % 5000 AS i, count(*), tensor_sum(value) FROM many n GROUP BY 1');

-- Rescans: of the outer side, the inner side, both; of an aggregate's input
SET enable_material = off;
SET enable_memoize = off;
SET enable_nestloop = on;
SELECT same('SELECT o.n, x.* FROM (SELECT * FROM other WHERE n < 12) o, LATERAL (SELECT e.r, tensor_sum(n.value) FROM edge e JOIN node n ON e.j = n.i AND e.k = o.i GROUP BY e.r) x');
SELECT same('SELECT o.n, x.* FROM (SELECT * FROM other WHERE n < 12) o, LATERAL (SELECT e.r, tensor_rank(n.value) FROM edge e JOIN (SELECT i, value FROM node WHERE i < o.i OFFSET 0) n ON e.j = n.i) x');
SELECT same('SELECT o.n, (SELECT tensor_sum(v) FROM (SELECT e.i, tensor_sum(n.value) AS v FROM edge e JOIN node n ON e.j = n.i WHERE e.k > o.i GROUP BY e.i) x) FROM other o WHERE o.n < 20');
SELECT same('SELECT o.n, (SELECT count(v) FROM (SELECT e.i, einsum_sum('',->'', e.value, o.n) AS v FROM edge e GROUP BY e.i OFFSET o.n) x) FROM other o WHERE o.n < 20');
SELECT same('SELECT o.n, p.i, p.value FROM other o LEFT JOIN product p ON o.i + p.i = 20 OR tensor_rank(p.value) = 0 WHERE o.n < 10');
SELECT same('SELECT o.n, x.* FROM (SELECT * FROM other WHERE n < 12) o, LATERAL (SELECT e.k, e.v, tensor_rank(n.value) FROM (SELECT k, tensor_sum(value) AS v FROM edge WHERE i < o.i GROUP BY k) e JOIN (SELECT i, value FROM node LIMIT o.n) n ON e.k = n.i) x');
SELECT same('SELECT o.n, x.* FROM (SELECT * FROM other WHERE n < 12) o, LATERAL (SELECT f.n AS m, tensor_rank(f.value) FROM (SELECT DISTINCT i FROM far WHERE n < o.i) e JOIN far f ON e.i = f.i) x');
SELECT same('WITH RECURSIVE p (i, step, value) AS (
	SELECT i, 0, value FROM node WHERE i < 3
	UNION ALL SELECT n.i, p.step + 1, einsum(''a,a->a'', p.value, n.value) FROM p JOIN node n ON n.i = (p.i * 5 + p.step) % 90 WHERE p.step < 9) SELECT * FROM p');
SELECT same('WITH RECURSIVE p (i, step, value) AS (
	SELECT i, 0, value FROM node WHERE i < 3
	UNION SELECT e.k, p.step + 1, einsum(''a,a->a'', p.value, n.value) FROM edge e JOIN p ON e.j = p.i JOIN node n ON n.i = e.k WHERE e.r < 600 AND p.step < 3) SELECT * FROM p');
SET enable_nestloop = off;
RESET enable_material;
RESET enable_memoize;
-- readers that stop
SELECT count(*) FROM (SELECT e.r, n.value FROM edge e JOIN node n ON e.j = n.i WHERE tensor_rank(n.value) = 1 LIMIT 7) x;
BEGIN;
DECLARE rows SCROLL CURSOR FOR SELECT e.r, einsum('a->', n.value) FROM edge e JOIN node n ON e.j = n.i WHERE e.r < 6;
FETCH 2 FROM rows;
FETCH BACKWARD 1 FROM rows;
FETCH ALL FROM rows;
COMMIT;
-- plans that are used again, with other rows
PREPARE sums(int) AS SELECT e.k, einsum_sum_scalar('a->', n.value) FROM edge e JOIN node n ON e.j = n.i WHERE e.k < $1 GROUP BY e.k ORDER BY e.k;
SET plan_cache_mode = force_generic_plan;
SET enable_sort = on;
EXECUTE sums(3);
INSERT INTO edge SELECT r + 5000, i, j, k, t, value FROM edge WHERE k < 2 AND j > 100;
EXECUTE sums(3);
EXECUTE sums(1);
RESET plan_cache_mode;
DEALLOCATE sums;
-- below what changes rows
UPDATE other o SET num = x.s FROM (SELECT e.k, einsum_sum_scalar('a->', n.value) AS s FROM edge e JOIN node n ON e.j = n.i GROUP BY e.k) x WHERE o.n = x.k;
SELECT count(*), sum(num) FROM other;

-- Processes: a part of the rows each, with their groups combined; parts of the groups; an inner side of their own
CREATE FUNCTION same_in_workers(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rows text;
BEGIN
	PERFORM set_config('max_parallel_workers_per_gather', '2', true);
	rows := same(query);
	PERFORM set_config('max_parallel_workers_per_gather', '0', true);
	RETURN rows;
END $$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_parallel_hash = off;
SET enable_sort = off;
ANALYZE edge;
SELECT same_in_workers('SELECT k, count(*), sum(value), tensor_sum(vector(r, 4)) FROM edge GROUP BY k');
SELECT same_in_workers('SELECT e.k, count(*), tensor_sum(n.value) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.k');
SELECT same_in_workers('SELECT e.r, n.value FROM edge e LEFT JOIN node n ON e.i = n.i AND tensor_rank(n.value) = 1');
SET sparseeinsum.enable_partitioning = force;
SELECT same_in_workers('SELECT * FROM product');
SELECT same_in_workers('SELECT e.k, count(*), tensor_sum(n.value) FROM edge e LEFT JOIN (SELECT i, tensor_max(value) AS value FROM node GROUP BY i) n ON e.j = n.i GROUP BY e.k');

-- A hash table that processes share: built by PostgreSQL, its rows found in arrays
SET enable_parallel_hash = on;
SET sparseeinsum.enable_partitioning = off;
-- two of each key, some without
CREATE TABLE twice AS SELECT CASE WHEN n % 50 <> 7 THEN n / 2 END AS i, n, vector(n, 4) AS value, vector(n, 40) AS wide FROM generate_series(0, 6500) n;
CREATE FUNCTION shared(query text) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s shared, %s direct, %s not', count(*) FILTER (WHERE line ~ 'Parallel Hash .*Join'),
		count(*) FILTER (WHERE line LIKE '%Direct Rows%'), count(*) FILTER (WHERE line LIKE '%Lookup: hash%')) FROM executed_plan_of(query) line $$;
CREATE FUNCTION same_and_shared(query text) RETURNS text LANGUAGE sql AS $$ SELECT same(query) || ', ' || shared(query) $$;
CREATE FUNCTION same_shared(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	processes text;
	result text;
	previous text;
BEGIN
	FOREACH processes IN ARRAY ARRAY['2', '0'] LOOP
		-- all processes, and the leader alone with what it would share
		PERFORM set_config('max_parallel_workers_per_gather', '2', true);
		PERFORM set_config('max_parallel_workers', processes, true);
		previous := result;
		result := same_and_shared(query);
	END LOOP;
	PERFORM set_config('max_parallel_workers_per_gather', '0', true);
	RETURN CASE WHEN result = previous THEN result ELSE previous || ' / ' || result END;
END $$;
ALTER TABLE edge SET (parallel_workers = 2);
ALTER TABLE twice SET (parallel_workers = 2);
ALTER TABLE far SET (parallel_workers = 2);
ALTER TABLE many SET (parallel_workers = 2);
ANALYZE edge; ANALYZE twice;
SELECT same_shared('SELECT e.r, t.n, tensor_shape(t.value), t.value FROM edge e JOIN twice t ON e.r = t.i');
SELECT same_shared('SELECT e.r, t.n, einsum_sum_scalar(''a->'', t.wide) FROM twice t LEFT JOIN edge e ON e.r = t.i AND t.n % 3 < e.k GROUP BY t.n, e.r');
SELECT same_shared('SELECT e.r, t.n, t.value FROM edge e LEFT JOIN twice t ON e.i = t.i AND t.n * 3 > e.k WHERE tensor_rank(t.value) = 1 OR e.k > 2');
SELECT same_shared('SELECT e.r, einsum('',->'', e.value, 2) FROM edge e WHERE EXISTS (SELECT FROM twice t WHERE t.i = e.r AND t.n % 3 > e.k % 4)');
SELECT same_shared('SELECT e.r, einsum('',->'', e.value, 2) FROM edge e WHERE NOT EXISTS (SELECT FROM twice t WHERE t.i = e.r AND t.n % 3 > e.k % 4)');
SELECT same_shared('SELECT e.k, count(*), einsum_sum('',a->a'', e.value, t.value) FROM edge e JOIN twice t ON e.r = t.i GROUP BY e.k');
-- over another one, with vectors that the processes compute
SELECT same_shared('SELECT e.r, einsum(''a,a->'', s.v, t.v) FROM edge e JOIN (SELECT i, vec_sca_mult(wide, 2) AS v FROM twice WHERE n % 2 = 1) s ON e.i = s.i JOIN (SELECT i, vec_sca_mult(wide, 3) AS v FROM twice WHERE n % 2 = 0) t ON e.j = t.i');
-- no rows
SELECT same_shared('SELECT e.r, tensor_rank(t.value) FROM edge e JOIN twice t ON e.r = t.i WHERE t.n > e.r * 3');
SELECT same_shared('SELECT e.r, tensor_rank(t.value) FROM edge e JOIN (SELECT * FROM twice WHERE n < -1) t ON e.r = t.i');
-- keys far apart; batches
SELECT same_shared('SELECT f.n, g.n, einsum(''a,a->'', f.value, g.value) FROM far f JOIN far g ON f.i = g.i');
-- for which the array would be small enough
SET work_mem = 256;
SELECT same_shared('SELECT m.i, m.text, m.value, t.n, einsum(''a->'', t.wide) FROM many m JOIN twice t ON m.i = t.i');
SET work_mem = 64;
SELECT same_shared('SELECT a.i, a.text, b.text, tensor_rank(b.value) FROM many a JOIN many b ON a.i = b.i');
RESET work_mem;
SELECT same_shared('SELECT a.i, a.text, b.text, tensor_rank(b.value) FROM many a JOIN many b ON a.i = b.i');
-- the array is beside the table: not for few rows that are joined with it, nor for a reader that stops early
SET max_parallel_workers_per_gather = 2;
SET sparseeinsum.enable_direct_lookup = on;
SELECT nodes('SELECT e.r, tensor_rank(t.value) FROM edge e JOIN twice t ON e.r = t.i WHERE t.n < 600') AS many,
	nodes('SELECT e.r, tensor_rank(t.value) FROM edge e JOIN twice t ON e.r = t.i') AS few,
	nodes('SELECT e.r, tensor_rank(t.value) FROM edge e JOIN twice t ON e.r = t.i WHERE t.n < 600 LIMIT 5') AS stops;
SET sparseeinsum.enable_direct_lookup = force;
-- rows are counted once, also the one that the hash join has come to
SET max_parallel_workers = 0;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT e.r, t.value FROM edge e JOIN twice t ON e.r = t.i WHERE tensor_rank(t.value) = 1;
RESET max_parallel_workers;
-- begun again
SET enable_nestloop = on;
SET enable_material = off;
SELECT same_and_shared('SELECT o, x.* FROM generate_series(1, 3) o LEFT JOIN (SELECT e.k, einsum_sum(''a->a'', t.value) AS s FROM edge e JOIN twice t ON e.r = t.i GROUP BY e.k) x ON x.k > o OR tensor_rank(x.s) = 0');
SELECT same_and_shared('SELECT o, (SELECT count(v) FROM (SELECT tensor_max(t.value) AS v FROM edge e JOIN twice t ON e.r = t.i WHERE e.k < o GROUP BY e.i) x) FROM generate_series(0, 3) o');
SET enable_nestloop = off;
RESET enable_material;
-- readers that stop; a cursor, which has no workers; an error in one
SELECT count(*) FROM (SELECT e.r, t.wide FROM edge e JOIN twice t ON e.r = t.i WHERE tensor_rank(t.wide) = 1 LIMIT 7) x;
BEGIN;
DECLARE rows CURSOR FOR SELECT e.r, einsum_sum_scalar('a->', t.value) FROM edge e JOIN twice t ON e.r = t.i WHERE e.r < 200 AND e.k = 2 GROUP BY e.r ORDER BY e.r;
FETCH 2 FROM rows;
FETCH ALL FROM rows;
COMMIT;
SET parallel_leader_participation = off;
SELECT sum(tensor_rank(einsum('a,b->', t.value, t.value)) / (e.k - 3)) FROM edge e JOIN twice t ON e.r = t.i;

DROP VIEW product;
DROP TABLE edge, node, twice, other, none, far, many;
DROP FUNCTION nodes(text), lookups(text), same(text), same_in_workers(text), shared(text), same_shared(text), same_and_shared(text), :included;
