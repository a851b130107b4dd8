--
-- Stages that a query reads several times and computes once
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA materialize_test;
SET search_path = materialize_test, public;
-- small as they are, these would be loops over all labels (program_nests)
SET sparseeinsum.enable_aggregate_join = off;
SET extra_float_digits = 0;
CREATE TABLE a (i int, j int, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, (i * 31 + k * k * 7) % 2000 FROM generate_series(0, 1999) i, generate_series(0, 4) k ON CONFLICT DO NOTHING;
CREATE TABLE x (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x SELECT i, i % 7 FROM generate_series(0, 1999) i;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', NULL, '{2000,2000}');
SELECT einsum_register('x[I]', 'x', '{i}', 'v', '{2000}');
ANALYZE a, x;
SELECT count(*) FROM (SELECT einsum_analyze('a'), einsum_analyze('x')) s;
-- which views keep what: names of CTEs
CREATE FUNCTION kept(definition text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(m[1] || CASE m[2] WHEN '' THEN ' kept' ELSE ' merged' END, ', ') FROM regexp_matches(definition, '(\w+) AS (NOT |)MATERIALIZED', 'g') m
$$;
\set kept_by_views 'SELECT viewname, kept(definition), (regexp_match(definition, ''ORDER BY [^[:space:])]*''))[1] AS sorted FROM pg_views WHERE schemaname = current_schema() ORDER BY viewname'
\set two_layers 'd[I] = sum[J] a[I,J]; n[I,J] = a[I,J] / sqrt(d[I] * d[J]); h[I] = relu(sum[J] n[I,J] * x[J]); z[I] = n[I,J] * h[J]'

SELECT regexp_replace(line, '  \(cost.*tuples=\d+ bytes=\d+', '  (') FROM einsum_plan(:'two_layers', search => 'as_written') line WHERE line LIKE '%= %';
SELECT regexp_replace(line, '  \(cost.*tuples=\d+ bytes=\d+', '  (') FROM einsum_plan(:'two_layers', search => 'as_written', materialize => 'never') line WHERE line LIKE '%= %';
SELECT stage->>'name' AS name, stage->>'materialized' AS materialized FROM einsum_plan(:'two_layers', 'json', result => 'auto') p, jsonb_array_elements(p::jsonb->0->'stages') stage;
SELECT kept(einsum_sql(:'two_layers', search => 'as_written')), kept(einsum_sql(:'two_layers', search => 'as_written', materialize => 'never'));

-- n is a view of single rows, so it keeps nothing: n WHERE i = 42 AND j = 43 reads two degrees
SELECT count(*) FROM einsum_decompose(:'two_layers', 'layers', search => 'as_written');
:kept_by_views;
CREATE TABLE result AS SELECT * FROM z;
SELECT einsum_drop('layers');
SELECT count(*) FROM einsum_decompose(:'two_layers', 'layers', search => 'as_written', materialize => 'never');
:kept_by_views;
SELECT count(*), max(abs(z.value - r.value)) < 1e-12 AS same FROM z FULL JOIN result r USING (i);
SELECT einsum_drop('layers');
SELECT max(abs(v - r.value)) < 1e-12 AS same FROM tensor_entries(einsum_value(:'two_layers')) AS e(index, v) JOIN result r ON r.i = e.index[1];

-- a view that keeps a stage depends on the proofs of what it reads, and follows the data
SELECT count(*) FROM einsum_decompose(:'two_layers', 'layers', search => 'as_written');
ALTER TABLE a DROP CONSTRAINT a_pkey;
UPDATE x SET v = 2 * v;
SELECT count(*), max(abs(z.value - 2 * r.value)) < 1e-12 AS same FROM z FULL JOIN result r USING (i);
UPDATE x SET v = v / 2;
-- all of a key's rows are needed by another reader, so that a condition reads no more than without
SELECT count(*) FROM z WHERE i = 42;
SELECT einsum_drop('layers');

-- a view that reads one that keeps need not keep, but one that reads what it keeps must
SELECT count(*) FROM einsum_decompose(:'two_layers' || '; y[I] = 2 * z[I]; u[] = sum[I] y[I] * d[I]', 'more', search => 'as_written');
:kept_by_views;
SELECT u.value = (SELECT sum(2 * r.value * d.value) FROM result r JOIN d USING (i)) OR abs(u.value / (SELECT sum(2 * r.value * d.value) FROM result r JOIN d USING (i)) - 1) < 1e-12 AS same FROM u;
SELECT einsum_drop('more');

-- what is kept for sums of wide vectors is sorted by their keys
CREATE TABLE f (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO f SELECT i, ARRAY[i % 3 - 1, i % 5 - 2, 1]::float8[]::tensor FROM generate_series(0, 1999) i;
CREATE TABLE w1 AS SELECT tensor_reshape(array_agg((k % 11 - 5) / 4.0 ORDER BY k)::float8[]::tensor, ARRAY[3, 1000]) AS v FROM generate_series(1, 3000) k;
CREATE TABLE w2 AS SELECT tensor_reshape(array_agg((k % 13 - 6) / 4.0 ORDER BY k)::float8[]::tensor, ARRAY[1000, 2]) AS v FROM generate_series(1, 2000) k;
SELECT einsum_register('f[I,k]', 'f', '{i}', 'v', '{2000,3}'), einsum_register('w1[k,m]', 'w1', '{}', 'v'), einsum_register('w2[m,c]', 'w2', '{}', 'v');
ANALYZE f, w1, w2;
\set wide_layers 'd[I] = sum[J] a[I,J]; n[I,J] = a[I,J] / sqrt(d[I] * d[J]); h[I,m] = relu(sum[J,k] n[I,J] * f[J,k] * w1[k,m]); z[I,c] = sum[J,m] n[I,J] * h[J,m] * w2[m,c]'
SELECT kept(s), (regexp_match(s, 'ORDER BY.*?\)'))[1] AS sorted FROM einsum_sql(:'wide_layers', search => 'as_written') s;
SELECT count(*) FROM einsum_decompose(:'wide_layers', 'layers', search => 'as_written');
:kept_by_views;
CREATE TABLE wide_result AS SELECT * FROM z;
SELECT einsum_drop('layers');
SELECT count(*) FROM einsum_decompose(:'wide_layers', 'layers', search => 'as_written', materialize => 'never');
:kept_by_views;
SELECT count(*), max(einsum_scalar('c->', tensor_abs(z.value - r.value))) < 1e-9 AS same FROM z FULL JOIN wide_result r USING (i);
SELECT einsum_drop('layers');

-- but not in a view whose own sums are narrow, whatever others read
SELECT count(*)
FROM einsum_decompose('d[I] = sum[J] a[I,J]; n[I,J] = a[I,J] / sqrt(d[I] * d[J]); h[I,m] = relu(sum[J,k] n[I,J] * f[J,k] * w1[k,m]); p[I] = relu(sum[J] n[I,J] * x[J]); z[I] = sum[J] n[I,J] * p[J]', 'layers', search => 'as_written');
:kept_by_views;
SELECT einsum_drop('layers');

-- what is cheap, or read by key only, is computed again
SELECT count(*) FROM einsum_decompose('p[I] = x[I] + 1; q[I] = p[I] * p[I] * x[I]; s[I] = q[I] - q[I]', 'cheap', search => 'as_written');
:kept_by_views;
SELECT einsum_drop('cheap');
-- what each of many statements reads twice is planned once, however small the tables are
CREATE FUNCTION lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || query; END $$;
CREATE TABLE y (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO y VALUES (0, 1), (1, 2), (2, 4);
SELECT einsum_register('y0[I]', 'y', '{i}', 'v', '{3}');
SELECT count(*) FROM einsum_decompose((SELECT string_agg(format('y%s[i] = y%s[i] / (max[j] y%2$s[j])', k + 1, k), '; ' ORDER BY k)
	FROM generate_series(0, 6) k), 'doubled', result => 'auto');
SELECT * FROM y7;
SELECT count(*) < 100 AS few FROM lines('SELECT * FROM y7') line WHERE line ~ 'Scan on';
SELECT einsum_drop('doubled');
-- -1 1 2 1 -1 -2 ...: each reads the two before it
SELECT count(*) FROM einsum_decompose('z0[] = (sum[i] y0[i]) - 8; z1[] = (sum[i] y0[i]) - 6; ' || (SELECT string_agg(format('z%s[] = z%s[] - z%s[]', k, k - 1, k - 2), '; ' ORDER BY k)
	FROM generate_series(2, 16) k), 'doubled', rewrite => 'none', result => 'auto');
SELECT * FROM z16;
SELECT count(*) < 200 AS few FROM lines('SELECT * FROM z16') line WHERE line ~ 'Scan on';
SELECT einsum_drop('doubled');
-- one row, which the kernel has twice: where PostgreSQL merges views, what it is made of would double in each
SELECT count(*) FILTER (WHERE line ~ 'materialized') > 10 AS kept FROM einsum_plan('z0[I] = y0[i]; ' || (SELECT string_agg(format('z%s[I] = relu(z%s[i] * (z%2$s[i] - 1))', k, k - 1), '; ' ORDER BY k)
	FROM generate_series(1, 30) k), rewrite => 'none', result => 'auto') line;
SELECT count(*) FROM einsum_decompose('z0[I] = y0[i]; ' || (SELECT string_agg(format('z%s[I] = relu(z%s[i] * (z%2$s[i] - 1))', k, k - 1), '; ' ORDER BY k)
	FROM generate_series(1, 12) k), 'doubled', rewrite => 'none', result => 'auto');
SELECT * FROM z12 ORDER BY i;
SELECT length(pg_get_viewdef('z12')) BETWEEN 1000 AND 10000 AS kept;
SELECT einsum_drop('doubled');
-- a stage that only statements contain which have copies of it has no view: the views of one formula grow with its length
CREATE FUNCTION nested(n int) RETURNS text LANGUAGE sql AS $$ SELECT 't[i] = ' || repeat('x[i] * (logsumexp[i](', n) || 'x[i]' || repeat('))', n) $$;
SELECT sum(length(line)) FILTER (WHERE n = 40) < 3 * sum(length(line)) FILTER (WHERE n = 20) AS linear
	FROM (VALUES (20), (40)) s(n), einsum_plan(nested(n), format => 'sql') line;
-- the name of one that has none is another's: that view is as it was
SELECT count(*) FROM einsum_decompose('t__30[i] = y0[i]', 'other');
SELECT count(*) < 20 AS few, count(*) FILTER (WHERE view = 'materialize_test.t__30') AS others FROM einsum_decompose(nested(20), 'nested', replace => true);
SELECT * FROM t__30 ORDER BY i;
SELECT bool_and(abs(t.value - entry.value) <= 1e-9 * abs(entry.value)) AS same
	FROM t JOIN tensor_entries(einsum_value(nested(20))) entry ON entry.index[1] = t.i;
SELECT einsum_drop('nested'), einsum_drop('other');

SET client_min_messages = warning;
DROP SCHEMA materialize_test CASCADE;
