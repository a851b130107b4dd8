-- einsum_plan(..., materialize => 'incremental') says what a refresh does after few rows of each table have changed
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
SET sparseeinsum.enable_additions = force;
CREATE SCHEMA foreseen;
SET search_path = foreseen, public;
CREATE TABLE edge (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, j, i + j FROM generate_series(0, 99) i, generate_series(0, 99) j WHERE (i * 7 + j * 3) % 11 = 1;
CREATE TABLE weight (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO weight SELECT j, 1 + j FROM generate_series(0, 99) j;
CREATE TABLE feature (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO feature SELECT j, tensor_full('{4}', 1 + j % 3) FROM generate_series(0, 99) j;
CREATE TABLE narrow (j int PRIMARY KEY, v float4 NOT NULL);
INSERT INTO narrow SELECT j, 1 + j FROM generate_series(0, 99) j;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', 'v', '{100,100}'), einsum_register('w[J]', 'weight', '{j}', 'v', '{100}'),
	einsum_register('f[J,k]', 'feature', '{j}', 'v', '{100,4}'), einsum_register('n[J]', 'narrow', '{j}', 'v', '{100}');
ANALYZE;
SELECT einsum_log('a'), einsum_log('f'), einsum_log('n');
CREATE FUNCTION without_costs(program text) RETURNS SETOF text LANGUAGE sql AS
	$$ SELECT regexp_replace(line, 'cost=[\d.]+ rows=\d+', 'cost') FROM einsum_plan(program, materialize => 'incremental') line WHERE line ~ 'rows of|^  \S' AND line !~ ' as \[' $$;
\set program 'y[I] = sum[j] a[i,j]*w[j]; m[I,K] = sum[j] a[i,j]*f[j,k]; e[I,K] = relu(m[i,k] - 40); t[K] = sum[i] e[i,k]; high[] = max[k] t[k]; z[J] = 2*n[j]'
-- a table without a log
SELECT regexp_replace(without_costs(:'program'), '\(cost=.*table.*\)$', '') LIMIT 4;
SELECT einsum_log('w');
SELECT regexp_replace(without_costs(:'program'), '\(cost=.*table.*\)$', '');
-- refreshes do the same
SELECT count(*) FROM einsum_decompose(:'program', 'p', materialize => 'incremental');
CREATE FUNCTION foreseen(changed text) RETURNS TABLE (tensor text, how text) LANGUAGE sql AS $$
	SELECT s->>'name', r->>'how' FROM einsum_plan('y[I] = sum[j] a[i,j]*w[j]; m[I,K] = sum[j] a[i,j]*f[j,k]; e[I,K] = relu(m[i,k] - 40); t[K] = sum[i] e[i,k]; high[] = max[k] t[k]; z[J] = 2*n[j]',
		'json', materialize => 'incremental') plan, jsonb_array_elements(plan::jsonb->0->'stages') s, jsonb_array_elements(s->'refreshes') r WHERE r->>'table' = changed $$;
CREATE FUNCTION compared(changed text) RETURNS TABLE (tensor text, foreseen text, how text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('UPDATE %I SET v = v + v WHERE j = 7', changed);
	RETURN QUERY SELECT r.tensor, f.how, r.how FROM einsum_refresh('p') r LEFT JOIN foreseen(changed) f USING (tensor) WHERE r.how <> 'unchanged' ORDER BY 1;
END $$;
SELECT changed, c.* FROM unnest('{edge,weight,feature,narrow}'::text[]) changed, compared(changed) c;
-- a view changes with its table, and in no other way; its keys may occur more than once
CREATE VIEW twice AS SELECT j, 2 * v AS v FROM weight;
SELECT einsum_register('tw[J]', 'twice', '{j}', 'v', '{100}', duplicates => 'trust');
SELECT regexp_replace(without_costs('v[I] = sum[j] a[i,j]*tw[j]; u[] = sum[i,j] a[i,j]*tw[j]'), '\(cost=.*table.*\)$', '');
SELECT count(*) FROM einsum_decompose('v[I] = sum[j] a[i,j]*tw[j]; u[] = sum[i,j] a[i,j]*tw[j]', 'views', materialize => 'incremental');
UPDATE edge SET v = v + 1 WHERE i = 7;
SELECT tensor, how FROM einsum_refresh('views');
UPDATE weight SET v = v + 1 WHERE j = 7;
SELECT tensor, how, why FROM einsum_refresh('views');
SELECT einsum_drop('views');
-- also where the table is a tensor by itself
SELECT count(*) FROM einsum_decompose('square[] = sum[j] w[j]*tw[j]', 'views', materialize => 'incremental');
UPDATE weight SET v = v + 1 WHERE j = 8;
SELECT how, why FROM einsum_refresh('views');
SELECT value = (SELECT sum(2 * v * v) FROM weight) FROM square;
SELECT einsum_drop('views');
-- also in a query that has workers
BEGIN;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
SELECT count(*) > 0 FROM (SELECT einsum_plan('y[I] = sum[j] a[i,j]*w[j]', materialize => 'incremental') AS line FROM edge WHERE v < 12) p WHERE line ~ 'rows of';
ROLLBACK;
-- bounds that begin at another key than 0 have as many keys
CREATE TABLE late AS SELECT i + 1000 AS i, j, v FROM edge;
ALTER TABLE late ADD PRIMARY KEY (i, j), ALTER v SET NOT NULL;
SELECT einsum_register('b[I,J]', 'late', '{i,j}', 'v', '{1000..1099,100}'), einsum_log('b');
ANALYZE edge, late;
SELECT count(DISTINCT regexp_replace(line, 'late', 'edge')) FROM unnest('{a,b}'::text[]) t, einsum_plan('y[I] = sum[j] ' || t || '[i,j]*w[j]', materialize => 'incremental') line
	WHERE line ~ 'rows of (edge|late):';
-- no estimates of what is not asked for
SELECT count(*) FROM einsum_plan(:'program', materialize => 'always') line WHERE line ~ 'rows of';
SET sparseeinsum.enable_additions = off;
SELECT regexp_replace(without_costs(:'program'), '\(cost=.*table.*\)$', '') LIMIT 3;
DROP SCHEMA foreseen CASCADE;
