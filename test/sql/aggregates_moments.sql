-- tensor_avg and tensor_covar: values, NULLs, empty groups, types, plans
SET search_path = public, sparseeinsum_internal;
SELECT tensor_avg(v), avg(v), tensor_avg(w), tensor_type(avg(v)) FROM (VALUES ('[1,2]'::tensor, 1::float8), (NULL, NULL), ('[3,6]', 4)) AS t(v, w);
SELECT tensor_avg(v), tensor_avg(w), (tensor_covar(v)).count FROM (VALUES (NULL::tensor, NULL::float8)) AS t(v, w);
SELECT avg(v), tensor_type(avg(v)) FROM (VALUES ('float4:[1,2]'::tensor), ('float4:[2,2]')) AS t(v);
SELECT avg(v) FROM (VALUES ('float4:[1,2]'::tensor), ('[0.5,2]'), ('complex16:[1+3i,5]')) AS t(v);
SELECT tensor_avg(w), avg(w::tensor) FROM (VALUES (1e308::float8), (1e308), ('NaN')) AS t(w) WHERE w < 'NaN';
SELECT avg(v) FROM (VALUES ('[1,2]'::tensor), ('[1]')) AS t(v);
SELECT (tensor_covar(v)).* FROM (VALUES ('[1,2]'::tensor), ('[3,-4]')) AS t(v);
SELECT (tensor_covar(v)).* FROM (VALUES ('[5,7]'::tensor)) AS t(v);
SELECT tensor_type((tensor_covar(v)).mean), (tensor_covar(v)).* FROM (VALUES ('float4:[1,2]'::tensor), (NULL), ('float4:[2,4]')) AS t(v);
-- far from 0: the textbook's formula would lose all digits
SELECT (m).mean, (m).comoment / ((m).count - 1) FROM (SELECT tensor_covar(v) AS m FROM (VALUES ('[1000000001,1]'::tensor), ('[1000000002,2]'), ('[1000000003,3]')) AS t(v)) x;
-- not finite, whatever the order
SELECT (tensor_covar(v)).* FROM (VALUES ('[Infinity,1]'::tensor), ('[1,2]'), ('[3,3]')) AS t(v);
SELECT (tensor_covar(v)).* FROM (VALUES ('[1,2]'::tensor), ('[3,3]'), ('[Infinity,1]')) AS t(v);
SELECT (tensor_covar(v)).* FROM (VALUES ('float8(0):[]'::tensor), ('float8(0):[]')) AS t(v);
-- errors
SELECT tensor_covar(v) FROM (VALUES ('[1,2]'::tensor), ('[1]')) AS t(v);
SELECT tensor_covar('[[1]]'::tensor);
SELECT tensor_covar('complex16:[1]'::tensor);
SELECT tensor_avg_transfn(NULL, '[1]'::tensor);
SELECT tensor_avg_finalfn('[1]'::tensor_state);
SELECT tensor_covar_finalfn('count(1)[1]'::tensor_state);
SELECT 'count(2)[1];[[2]]'::tensor_state, 'count(3)float4:[1]'::tensor_state;
SELECT 'count(2)[1];[[2,3]]'::tensor_state;
SELECT 'count(0)[1]'::tensor_state;
SELECT 'count(x)[1]'::tensor_state;
SELECT 'count(2'::tensor_state;
-- and in binary
CREATE TABLE moment_states (s tensor_state);
INSERT INTO moment_states VALUES ('count(2)[1,2];[[2,3],[3,4]]'), ('count(3)float4:[[1],[2]]'), ('count(1)[];float8(0,0):[]');
\copy moment_states TO 'results/moment_states.bin' (FORMAT binary)
\copy moment_states FROM 'results/moment_states.bin' (FORMAT binary)
SELECT s::text, count(*) FROM moment_states GROUP BY 1 ORDER BY 1;
DROP TABLE moment_states;

-- the same in every plan
CREATE TABLE item (g int, p int, v tensor, w float8);
INSERT INTO item SELECT g, p, stack(x, d, 0, 3), min(x)
FROM (SELECT g, p, d, ((g * 7 + p * 5 + d * 11) % 17 - 8)::float8 AS x FROM allints(0, 30) g, allints(0, 64) p, allints(0, 3) d) s GROUP BY g, p;
ANALYZE item;
CREATE TABLE reference AS
	SELECT g, tensor_sum(v) / 64 AS mean, avg(w) AS mean_w,
		   tensor_sum(outer_prod(v, v)) - outer_prod(tensor_sum(v), tensor_sum(v)) / 64 AS comoment FROM item GROUP BY g;
CREATE VIEW grouped AS SELECT g, tensor_avg(v) AS mean, tensor_avg(w) AS mean_w, tensor_covar(v) AS m FROM item GROUP BY g;
CREATE FUNCTION same(OUT groups bigint, OUT wrong bigint) LANGUAGE sql AS $$
	SELECT count(*), count(*) FILTER (WHERE g.mean <> r.mean OR g.mean_w <> r.mean_w OR (g.m).count <> 64
		OR tensor_map_scalar('abs($1-$2)', 'i,i->', (g.m).mean, r.mean) > 1e-12
		OR tensor_map_scalar('abs($1-$2)', 'ij,ij->', (g.m).comoment, r.comoment) > 1e-9)
	FROM grouped g FULL JOIN reference r USING (g)
$$;
CREATE FUNCTION plan_has(query text, node text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ node THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
SELECT plan_has('SELECT * FROM grouped', 'HashAggregate') AS hashed, * FROM same();
SET enable_hashagg = off;
SELECT plan_has('SELECT * FROM grouped', 'GroupAggregate') AS sorted, * FROM same();
RESET enable_hashagg;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT plan_has('SELECT * FROM grouped', 'Partial HashAggregate') AS parallel, * FROM same();
SELECT avg(v) = (SELECT tensor_sum(v) / 1920 FROM item) AS same, (tensor_covar(v)).count, tensor_avg(w) = avg(w) AS same FROM item;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- hashing that spills
CREATE TABLE many AS SELECT g, p, tensor_full('{20}', g % 100 + p) AS v FROM allints(0, 5) p, allints(0, 10000) g;
ANALYZE many;
SET work_mem = '64kB';
SET enable_sort = off;
SET max_parallel_workers_per_gather = 0;
DO $$
DECLARE
	line text;
	spilled boolean := false;
BEGIN
	FOR line IN EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
		SELECT g, tensor_avg(v), tensor_covar(v) FROM many GROUP BY g
	LOOP
		spilled := spilled OR line ~ 'Batches: ([2-9]|[0-9]{2,}).*Disk Usage';
	END LOOP;
	RAISE NOTICE 'spilled: %', spilled;
END $$;
SELECT count(*), bool_and(a = tensor_full('{20}', g % 100 + 2)) AS same, bool_and((m).mean = a) AS same, bool_and((m).comoment = tensor_full('{20,20}', 10)) AS same
FROM (SELECT g, tensor_avg(v) a, tensor_covar(v) m FROM many GROUP BY g) x;
RESET work_mem;
RESET enable_sort;
RESET max_parallel_workers_per_gather;
DROP TABLE many;
-- windows, grouping sets, FILTER and DISTINCT
SELECT p, avg(v) OVER (ORDER BY p), (tensor_covar(v) OVER (ORDER BY p)).comoment, tensor_avg(p) OVER (ORDER BY p ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
FROM (VALUES (1, '[1,1]'::tensor), (2, '[3,1]'), (3, '[2,4]')) AS t(p, v) ORDER BY p;
SELECT g % 2 AS odd, avg(v), (tensor_covar(v)).count FROM item WHERE g < 4 AND p < 2 GROUP BY ROLLUP (g % 2) ORDER BY 1;
SELECT avg(v) FILTER (WHERE p > 62), avg(DISTINCT v) FROM item WHERE g = 0 AND p > 61;
DROP FUNCTION plan_has, same;
DROP VIEW grouped;
DROP TABLE item, reference;
