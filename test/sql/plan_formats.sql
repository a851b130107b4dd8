--
-- einsum_plan: its formats, k plans, and alternatives
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA plan_test;
SET search_path = plan_test, public;
-- costs in the texts below are of these settings
SET sparseeinsum.max_kernel_bytes = '16MB';
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, (i * 7 + k * k * 3) % 50, k + 1 FROM generate_series(0, 49) i, generate_series(0, 2) k;
CREATE TABLE h (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO h SELECT j, ARRAY[j % 5, j % 3 - 1, 1, -2]::float8[]::tensor FROM generate_series(0, 49) j;
CREATE TABLE w (v tensor);
INSERT INTO w VALUES ('[[1,2],[0,-1],[3,1],[1,0]]');
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{50,50}');
SELECT einsum_register('h[J,k]', 'h', '{j}', 'v', '{50,4}');
SELECT einsum_register('w[k,m]', 'w', '{}', 'v');
SELECT count(*) FROM (SELECT einsum_analyze('a') UNION ALL SELECT einsum_analyze('h') UNION ALL SELECT einsum_analyze('w')) s;
\set program 'y[I,m] = relu(sum[j] a[i,j]*(sum[k] h[j,k]*w[k,m])); z[i] = (sum[m] y[i,m]*y[i,m])*(sum[j] a[i,j])'

-- text: a line for each plan, stage and operand; repartitions and costs
SELECT regexp_replace(line, '=[0-9.]+', '=N', 'g') AS line FROM einsum_plan(:'program', search => 'as_written') AS line;
SELECT count(*) AS lines, count(*) FILTER (WHERE line ~ '^Plan \d+  \(cost=[0-9.]+ us') AS plans,
	count(*) FILTER (WHERE line ~ '^  [yz](__\d)?\[.*\] = .*  \(cost=[0-9.]+ tuples=\d+ bytes=\d+') > 0 AS stages,
	count(*) FILTER (WHERE line ~ '^    [ahwyz](__\d)?: (table|stage) ') > 0 AS operands
FROM einsum_plan(:'program', plans => 3, result => 'auto') AS line;

-- json: keys, types, and the same costs as the text
SELECT einsum_plan(:'program', plans => 3, format => 'json', result => 'auto') AS json \gset
SELECT json_typeof(:'json'::json), json_array_length(:'json'::json);
SELECT DISTINCT key, json_typeof(value) FROM json_array_elements(:'json'::json) AS p(plan), json_each(plan) AS e(key, value) ORDER BY 1;
SELECT DISTINCT key, json_typeof(value) FROM json_array_elements(:'json'::json) AS p(plan), json_array_elements(plan->'stages') AS s(stage), json_each(stage) AS e(key, value) ORDER BY 1;
SELECT DISTINCT key, json_typeof(value) FROM json_array_elements(:'json'::json) AS p(plan), json_array_elements(plan->'stages') AS s(stage), json_array_elements(stage->'operands') AS o(operand), json_each(operand) AS e(key, value) ORDER BY 1;
SELECT (SELECT array_agg(round((plan->>'cost')::numeric, 1)) FROM json_array_elements(:'json'::json) plan)
	= (SELECT array_agg(substring(line from 'cost=([0-9.]+)')::numeric) FROM einsum_plan(:'program', plans => 3, result => 'auto') line WHERE line ~ '^Plan') AS same_costs;
-- in order of cost, each once
SELECT count(*), count(DISTINCT plan->>'stages') AS different, bool_and(cost >= previous) AS in_order
FROM (SELECT plan::jsonb AS plan, (plan->>'cost')::float8 AS cost, lag((plan->>'cost')::float8, 1, 0) OVER (ORDER BY n) AS previous
	FROM einsum_plan(:'program', plans => 40, format => 'json', result => 'auto') AS j, json_array_elements(j::json) WITH ORDINALITY AS p(plan, n)) s;
-- names that json must escape
CREATE TABLE odd (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('"a ""b"" \ c"[I]', 'odd', '{i}', 'v', '{3}');
SELECT stage->>'notation' AS notation, stage->>'definition' AS definition FROM einsum_plan('"y'' ""\n"["L ""x"""] = 2*"a ""b"" \ c"["L ""x"""]', format => 'json', result => 'rows') AS j, json_array_elements(j::json->0->'stages') stage;

-- program: fed back as written it gives the same plan and the same value
SELECT * FROM einsum_plan(:'program', format => 'program', search => 'as_written');
SELECT bool_and(einsum_value(program, search => 'as_written') = value) AS same_values, count(*), count(DISTINCT program) AS different
FROM (SELECT program, einsum_value(:'program') AS value
	FROM (SELECT string_agg(line, '') AS program FROM generate_series(1, 12) k, einsum_plan(:'program', format => 'program', alternative => k, result => 'auto') line GROUP BY k) p) q;
-- operators and precedence survive
SELECT p AS program, line, einsum_value(line, search => 'as_written') = einsum_value(p) AS same
FROM (VALUES ('y[i] = -(sum[j,k] a[i,j]*h[j,k])^3/2'), ('y[i] = sum[j] a[i,j]^2 - (sum[j] a[i,j])*2 + 1'), ('y[i] = (sum[j] a[i,j])/(1 + (sum[j] a[i,j]))'),
	('y[i] = sum[j] (-a[i,j]*(a[i,j] > 1) - -a[i,j])'), ('y[i] = 2^-(sum[j] a[i,j])'), ('y[i] = if((sum[j] a[i,j]) >= 6, 1, -1)'),
	('y[i] = greatest(sum[j] a[i,j], 1e-3)'), ('y[i] = max[j] a[i,j] - (min[j] a[i,j])'), ('y[i] = (-2)^(sum[j] a[i,j])'),
	('y[] = sum[i] (a[i,0] >= -1/0)'), ('y[i] = least(sum[j] a[i,j], 1/0 - 1/0)')) AS programs(p),
	LATERAL (SELECT string_agg(line, ' ') AS line FROM einsum_plan(p, format => 'program', search => 'as_written') line) l;

-- sql: statements that can be executed, and create what einsum_decompose creates
BEGIN;
CREATE SCHEMA by_hand;
CREATE FUNCTION run(program text, target name) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN SELECT * FROM einsum_plan(program, format => 'sql', schema => target, search => 'as_written') LOOP
		EXECUTE line;
		RETURN NEXT line;
	END LOOP;
END $$;
SELECT substring(run from '^(CREATE VIEW by_hand.\w+ AS SELECT|COMMENT.*)') FROM run(:'program', 'by_hand');
SELECT (SELECT string_agg(z::text, ';' ORDER BY z::text) FROM by_hand.z) = (SELECT string_agg(d::text, ';' ORDER BY d::text) FROM
	(SELECT einsum_value(:'program', search => 'as_written')) d) AS same;
CREATE SCHEMA by_call;
SELECT view, notation FROM einsum_decompose(:'program', 'p', schema => 'by_call', search => 'as_written');
SELECT h.relname, replace(pg_get_viewdef(h.oid), 'by_hand', 'by_call') = pg_get_viewdef(c.oid) AS same
FROM pg_class h JOIN pg_class c USING (relname) WHERE h.relnamespace = 'by_hand'::regnamespace AND c.relnamespace = 'by_call'::regnamespace ORDER BY 1;
ROLLBACK;
-- every alternative's SQL gives the value
SELECT count(*) AS plans, count(DISTINCT sql) AS different FROM (SELECT einsum_sql(:'program', alternative => k, result => 'auto') AS sql FROM generate_series(1, 12) k) s;
SELECT count(DISTINCT einsum_value(:'program', alternative => k)) AS values FROM generate_series(1, 12) k;
-- and is that of scalar SQL
SELECT array_agg(value ORDER BY i) = (einsum_value(:'program')::float8[]) AS same
FROM (SELECT i, sum(y * y) * max(degree) AS value
	FROM (SELECT i, m, greatest(0, sum(a.v * (h.v)[k] * (w.v)[k][m])::float8) AS y
		FROM generate_series(0, 3) k, generate_series(0, 1) m, w, a JOIN h USING (j) GROUP BY i, m) s
	JOIN (SELECT i, sum(v) AS degree FROM a GROUP BY i) d USING (i) GROUP BY i) t;

-- beyond the last plan
SELECT count(*) FROM einsum_plan('y[I] = a[I,J]', plans => 1000) line WHERE line LIKE 'Plan%';
SELECT einsum_plan('y[I] = a[I,J]', alternative => 1000);
SELECT einsum_sql('y[I] = a[I,J]', alternative => 1000);
SELECT count(*) FROM einsum_plan('y[I] = a[I,J]', search => 'as_written', plans => 5) line WHERE line LIKE 'Plan%';
SELECT einsum_value('y[i] = a[i,j]', search => 'as_written', alternative => 2);
SELECT einsum_decompose('y[i] = a[i,j]', 'p', search => 'greedy', alternative => 1000, result => 'auto');
SELECT count(*) FROM einsum_plan(NULL, result => 'auto');
SELECT einsum_sql(NULL, result => 'auto'), einsum_value(NULL);
-- inputs => 'any' may need storages that are not there: no SQL is given then
SELECT count(*) > 0 AS planned FROM einsum_plan('y[i:*] = sum[j:*] a[i:*,j]', inputs => 'any');
SELECT einsum_sql('y[i:*] = sum[j:*] a[i:*,j]', inputs => 'any');
SET client_min_messages = warning;
DROP SCHEMA plan_test CASCADE;
