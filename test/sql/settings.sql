--
-- The settings, and what they do to plans
--
\set VERBOSITY default
\set SHOW_CONTEXT never
SELECT einsum('i->', '[1]'::tensor); -- loads the library
SELECT name, setting, unit, vartype, context, min_val, boot_val FROM pg_settings WHERE name LIKE 'sparseeinsum.%' ORDER BY name;
SELECT name FROM pg_settings WHERE name LIKE 'sparseeinsum.%' AND (short_desc IS NULL OR short_desc = '');
-- bad values
SET sparseeinsum.cost_tuple = -1;
SET sparseeinsum.cost_transfer = 'much';
SET sparseeinsum.cost_group = 'NaN';
SET sparseeinsum.max_kernel_bytes = 0;
SET sparseeinsum.max_kernel_bytes = '-1';
SET sparseeinsum.max_kernel_bytes = '1 light year';
SET sparseeinsum.max_dense_tuples = 0;
SET sparseeinsum.search_budget = 0;
SET sparseeinsum.search_budget = 'all';
SET sparseeinsum.search_budget = 10000000;
SET sparseeinsum.cache_size = -1;
SET sparseeinsum.no_such_setting = 1;
SET sparseeinsum.max_kernel_bytes = '2MB';
SHOW sparseeinsum.max_kernel_bytes;
RESET sparseeinsum.max_kernel_bytes;
SHOW sparseeinsum.max_kernel_bytes;
-- anyone may set them
CREATE ROLE settings_user;
SET ROLE settings_user;
SET sparseeinsum.cost_tuple = 1;
SHOW sparseeinsum.cost_tuple;
RESET ROLE;
DROP ROLE settings_user;
RESET sparseeinsum.cost_tuple;

CREATE SCHEMA settings_test;
SET search_path = settings_test, public;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, j, 1 + (i * j) % 3 FROM generate_series(0, 99) i, generate_series(0, 99) j;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{100,100}');
CREATE TABLE m (v tensor);
INSERT INTO m SELECT tensor_full('{100,100}', 2);
SELECT einsum_register('m[i,j]', 'm', '{}', 'v');
SELECT count(*) FROM einsum_analyze('a');
SELECT count(*) FROM einsum_analyze('m');

-- max_kernel_bytes leaves plans out: no operand or result of a kernel has more
CREATE FUNCTION largest(program text, search text DEFAULT 'dp') RETURNS float8 LANGUAGE sql AS $$
	SELECT max(bytes) FROM (
		SELECT CASE operand->>'needed' WHEN '[i,j]' THEN 80000 WHEN '[i,k]' THEN 80000 WHEN '[j,k]' THEN 80000
			WHEN '[I,J]' THEN 8 WHEN '[I,K]' THEN 8 WHEN '[J,K]' THEN 8 ELSE 800 END AS bytes
		FROM einsum_plan(program, search => search, format => 'json', result => 'auto') j, json_array_elements(j::json->0->'stages') stage, json_array_elements(stage->'operands') operand) s
$$;
SELECT einsum_value('y[i,k] = a[i,j]*m[j,k]') AS value \gset
SELECT largest('y[i,k] = a[i,j]*m[j,k]');
SET sparseeinsum.max_kernel_bytes = '64kB';
SELECT largest('y[i,k] = a[i,j]*m[j,k]');
SELECT largest('y[i,k] = a[i,j]*m[j,k]', 'greedy');
SELECT count(*) AS plans, count(*) FILTER (WHERE stage->>'notation' = 'y[i,k]') AS one_row FROM einsum_plan('y[i,k] = a[i,j]*m[j,k]', plans => 1000, format => 'json', result => 'auto') j, json_array_elements(j::json) plan, json_array_elements(plan->'stages') stage;
SELECT einsum_value('y[I,k] = a[i,j]*m[j,k]') = :'value' AS same;
-- what a repartition reads may be larger: m is one value of 80 kB
SELECT operand->>'stored' AS stored FROM einsum_plan('y[I,k] = a[i,j]*m[j,k]', format => 'json') j, json_array_elements(j::json->0->'stages') stage, json_array_elements(stage->'operands') operand WHERE operand->>'tensor' = 'm';
-- nothing is left of a program that asks for more
SELECT einsum_plan('y[i:*,k:*] = sum[j:*] a[i:*,j:*]*m[j,k]');
SELECT einsum_value('y[i,k] = a[i,j]*m[j,k]', search => 'as_written');
SET sparseeinsum.max_kernel_bytes = '1kB';
SELECT largest('y[i,k] = a[i,j]*m[j,k]');
SELECT einsum_value('y[I,k] = a[i,j]*m[j,k]') = :'value' AS same;
RESET sparseeinsum.max_kernel_bytes;
SELECT einsum_value('y[i,k] = a[i,j]*m[j,k]', search => 'as_written') = :'value' AS same;

-- search_budget: the same value, found without trying all
SET sparseeinsum.search_budget = 2;
SELECT count(*) > 0 AS planned FROM einsum_plan('y[i,k] = a[i,j]*m[j,k]', result => 'auto');
SELECT einsum_value('y[i,k] = a[i,j]*m[j,k]') = :'value' AS same;
RESET sparseeinsum.search_budget;

-- costs decide: where tuples are dear, there are few
SET sparseeinsum.cost_tuple = 1000;
SET sparseeinsum.cost_agg_tuple = 1000;
SELECT largest('y[i,k] = a[i,j]*m[j,k]');
RESET sparseeinsum.cost_tuple;
RESET sparseeinsum.cost_agg_tuple;

-- max_dense_tuples: what an extension would make
CREATE TABLE x (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (1, 1);
CREATE TABLE y (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO y VALUES (2, 1);
SELECT einsum_register('x[I]', 'x', '{i}', 'v', '{4000}');
SELECT einsum_register('y[J]', 'y', '{j}', 'v', '{4000}');
SELECT count(*) > 0 AS planned FROM einsum_plan('z[I,J] = x[i] + y[j]');
SET sparseeinsum.max_dense_tuples = 1000;
SELECT einsum_sql('z[I,J] = x[i] + y[j]') IS NOT NULL AS in_blocks;
SET sparseeinsum.blocks = '';
SELECT einsum_sql('z[I,J] = x[i] + y[j]');
RESET sparseeinsum.blocks;
SELECT einsum_sql('s[] = sum[i,j] x[i]*y[j]') IS NOT NULL AS planned;
-- the algebra avoids it
SELECT einsum_value('s[] = sum[i,j] (x[i] + y[j])');
RESET sparseeinsum.max_dense_tuples;
-- block sizes
SET sparseeinsum.blocks = ' 64 ,128,1000000 ';
SHOW sparseeinsum.blocks;
SET sparseeinsum.blocks = '';
SET sparseeinsum.blocks = '1';
SET sparseeinsum.blocks = '64,';
SET sparseeinsum.blocks = '64 128';
SET sparseeinsum.blocks = '64, many';
SET sparseeinsum.blocks = '2147483648';
SET sparseeinsum.blocks = '2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17';
SET sparseeinsum.blocks = '2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18';
RESET sparseeinsum.blocks;
-- noise_shape: errors of estimates, the same with the same seed; what was counted is right, and so is the result
CREATE FUNCTION stage_tuples(seed int, shape float8) RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.noise_seed', seed::text, true), set_config('sparseeinsum.noise_shape', shape::text, true);
	RETURN (SELECT (string_agg(line, '')::json->0->'stages'->0->>'tuples')::float8 FROM einsum_plan('y[I,K] = sum[J] a[I,J]*a[J,K]', format => 'json') line);
END $$;
SELECT stage_tuples(1, 0.1) = stage_tuples(1, 0.1) AS same, stage_tuples(1, 0.1) <> stage_tuples(2, 0.1) AS other, stage_tuples(1, 0) = stage_tuples(2, 0) AS none;
BEGIN;
SELECT set_config('sparseeinsum.noise_shape', '0.1', true);
SELECT einsum_value('s[] = sum[i,k] (sum[j] a[i,j]*a[j,k])');
ROLLBACK;
SET client_min_messages = warning;
DROP SCHEMA settings_test CASCADE;
