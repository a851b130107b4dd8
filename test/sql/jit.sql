-- What PostgreSQL would compile (jit) is compiled only if that saves more time than it takes
CREATE SCHEMA jit_test;
SET search_path = jit_test, public;
SET jit = on;
SET jit_above_cost = 1;
SET jit_inline_above_cost = -1;
SET jit_optimize_above_cost = -1;
SET max_parallel_workers_per_gather = 0;

-- is the statement compiled? As expected where there is no JIT.
CREATE FUNCTION compiled(statement text, expected boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || statement INTO plan;
	RETURN CASE WHEN pg_jit_available() THEN ((plan -> 0 -> 'JIT') IS NOT NULL)::text ELSE expected::text END;
END
$$;

CREATE TABLE r (i int, j int, value float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO r SELECT i, j, i - j FROM generate_series(0, 3) i, generate_series(0, 59) j;
SELECT einsum_register('r[I,J]', 'r', '{i,j}', 'value', bounds => '{4,60}');
SELECT count(*) > 0 AS decomposed FROM einsum_decompose('m[i] = (sum[j] r[i,j]) / 60; c[i,k] = sum[j] (r[i,j] - m[i]) * (r[k,j] - m[k]); s[] = sum[i,k] c[i,k]', 'variance', result => 'auto');

-- the estimates of small stages are small, also where a table is new and where the columns are not bounded
CREATE FUNCTION total_cost(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || statement INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Total Cost')::float8;
END
$$;
CREATE TABLE p (i int NOT NULL CHECK (i BETWEEN 0 AND 999999999), j int NOT NULL CHECK (j BETWEEN 0 AND 999999999), value float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO p SELECT i, j, i - j FROM generate_series(0, 9) i, generate_series(0, 9) j;
SELECT einsum_register('p[I,J]', 'p', '{i,j}', 'value', bounds => '{1000000000,1000000000}');
SELECT count(*) > 0 AS decomposed FROM einsum_decompose('p2[i,k] = sum[j] p[i,j] * p[j,k]; p4[i,k] = sum[j] p2[i,j] * p2[j,k]; t[] = sum[i,j] p4[i,j] * p2[j,i]', 'powers', result => 'auto');
SELECT name FROM unnest('{s,c,p2,p4,t}'::text[]) name
WHERE total_cost('SELECT * FROM ' || name) >= (SELECT boot_val::float8 FROM pg_settings WHERE pg_settings.name = 'jit_above_cost');

-- few rows, whatever the statement is expected to cost
SELECT compiled('SELECT * FROM s', false) AS "few rows";
SELECT compiled('SELECT * FROM c', false) AS "a stage";
SELECT compiled('SELECT tensor_count_nonzero(a.value::tensor) FROM r a', false) AS "a function";
SELECT compiled('WITH t AS MATERIALIZED (SELECT * FROM r), u AS MATERIALIZED (SELECT a.value::tensor AS value FROM t a, t b, t c) SELECT count(*) FROM u WHERE value = ''1''', false) AS "many of few";
SELECT compiled('SELECT (SELECT count(*) FROM r b WHERE b.i > a.i) + tensor_rank(a.value::tensor) FROM r a', false) AS "subplan";
SELECT compiled('SELECT array_agg(u.index ORDER BY u.index) FROM sparseeinsum_internal.einsum_unstack_scalar(tensor_full(''{3000}'', 1), 0) u', false) AS "entries in place of a function";
SELECT compiled('SELECT * FROM sparseeinsum_internal.einsum_unstack_tensor(''float8(1000000000):{7:1,*:3}'', 0, ''3'') u', false) AS "parts of a sparse constant",
	compiled('SELECT * FROM sparseeinsum_internal.einsum_unstack_scalar(''float4(2000000000):{2:1}'', 0) u', false) AS "entries of one";
-- a new table has ten pages for the planner
CREATE TABLE new (t tensor NOT NULL);
INSERT INTO new VALUES ('[1,2]');
SELECT compiled('SELECT count(*) FROM new a, new b, new c WHERE a.t = b.t AND b.t = c.t', false) AS "a new table";
SELECT compiled('SELECT count(*) FROM new a, new b, new c', true) AS "no function of it";

-- grouped, sorted and made distinct by what no expression shows
SELECT compiled('SELECT a.t, count(*) FROM new a, new b, new c GROUP BY a.t', false) AS grouped;
SELECT compiled('SELECT count(*) FROM new a, new b, new c GROUP BY GROUPING SETS ((a.ctid), (a.t))', false) AS "grouping sets";
SELECT compiled('SELECT a.t FROM new a, new b, new c ORDER BY a.t', false) AS sorted;
SELECT compiled('SELECT DISTINCT a.t FROM new a, new b, new c', false) AS "distinct";
SELECT compiled('SELECT a.t FROM new a, new b EXCEPT SELECT c.t FROM new c', false) AS "set operation";
SELECT compiled('SELECT count(*) OVER (PARTITION BY a.t) FROM new a, new b, new c', false) AS "window";
SET enable_hashagg = off;
SELECT compiled('SELECT a.t, count(*) FROM new a, new b, new c GROUP BY a.t', false) AS "grouped by sorting";
SELECT compiled('SELECT a.ctid, count(*) FROM new a, new b, new c GROUP BY a.ctid ORDER BY 1', true) AS "by another column";
RESET enable_hashagg;

-- what a bitmap finds
CREATE TABLE found (i int, t tensor);
INSERT INTO found SELECT i, i::float8::tensor FROM generate_series(1, 100) i;
CREATE INDEX ON found (i);
ANALYZE found;
SET enable_seqscan = off;
SET enable_indexscan = off;
SELECT compiled('SELECT tensor_rank(a.t) FROM found a, found b WHERE a.i > 1 AND b.i > 1', false) AS "a bitmap";
RESET enable_seqscan;
RESET enable_indexscan;

-- nothing of ours
SELECT compiled('SELECT count(*) FROM r a, r b WHERE a.value = b.value', true) AS "not ours";
SELECT compiled('SELECT count(*) FROM r a WHERE value > 0', true) AS "few rows, not ours";

-- many rows
SELECT compiled('SELECT sum(i::float8), max(tensor_rank(''[1]'')) FROM generate_series(1, 10000000) i WHERE i % 3 = 0', true) AS "many rows";
SELECT compiled('SELECT count(i::float8::tensor) FROM generate_series(1, 10000000) i', true) AS "many rows";
SELECT compiled('SELECT count(i::float8::tensor) FROM generate_series(1, 10000) i', false) AS "some rows";
SELECT compiled('SELECT count(i::float8::tensor) FROM (SELECT generate_series(1, 10000000) AS i) s', true) AS "rows of one";
SELECT compiled('SELECT count(i::float8::tensor) FROM (SELECT generate_series(1, 10000) AS i) s', false) AS "some rows of one";
-- optimized code takes longer to make
SET jit_optimize_above_cost = 1;
SELECT compiled('SELECT count(i::float8::tensor) FROM generate_series(1, 200000) i', false) AS "optimized";
SET jit_optimize_above_cost = -1;
SELECT compiled('SELECT count(i::float8::tensor) FROM generate_series(1, 200000) i', true) AS "plain";

-- What a loop runs for its own tables computes nothing with tensors: the query's label says whose it is
CREATE TABLE edge (i int, j int, value float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, (i + 1) % 4, 1 FROM generate_series(0, 3) i;
SELECT einsum_register('edge[I,J]', 'edge', '{i,j}', 'value', bounds => '{4,4}');
CREATE TABLE label (command text, label text);
CREATE FUNCTION note_label() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
	context text;
BEGIN
	GET DIAGNOSTICS context = PG_CONTEXT;
	INSERT INTO jit_test.label VALUES (tg_tag, coalesce(substring(context FROM 'SQL statement "(/\* .* \*/) '), context));
END
$$;
CREATE EVENT TRIGGER note_label ON ddl_command_end WHEN TAG IN ('CREATE TABLE AS', 'ALTER TABLE') EXECUTE FUNCTION note_label();
SELECT round FROM einsum_iterate('walk', 'x[j] = edge[0,j]', 'x[j] = sum[i] edge[i,j] * x[i]', max_rounds => 2);
DROP EVENT TRIGGER note_label;
SELECT DISTINCT command, label FROM label ORDER BY 1;

-- thousands of expressions would take seconds, however many rows there are
SELECT compiled('SELECT ' || string_agg(format('count(i::float8::tensor = ''%s'')', n), ', ') || ' FROM generate_series(1, 100000000) i', false) AS "thousands"
FROM generate_series(1, 1500) n;

-- who asks for it always gets it
SET jit_above_cost = 0;
SELECT compiled('SELECT * FROM s', true) AS "always";

-- results are the same
SELECT * FROM s;
SET jit_above_cost = 1;
SELECT * FROM s;
SET jit = off;
SELECT * FROM s;

SET client_min_messages = warning;
DROP SCHEMA jit_test CASCADE;
