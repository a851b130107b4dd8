-- Costs know that rounds share what they read, and what is in the rows of a loop.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA loop_costs;
SET search_path = loop_costs, public, sparseeinsum_internal;
CREATE TABLE edge (i int, j int, PRIMARY KEY (i, j), CHECK (i >= 0 AND i < 8000), CHECK (j >= 0 AND j < 8000));
INSERT INTO edge SELECT i, (i + 1000 * k * k) % 8000 FROM generate_series(0, 7999) i, generate_series(0, 5) k ON CONFLICT DO NOTHING;
CREATE TABLE node (i int PRIMARY KEY CHECK (i >= 0 AND i < 8000), one float8 NOT NULL, few float8);
INSERT INTO node SELECT i, 1, CASE WHEN i % 40 = 0 THEN 1 END FROM generate_series(0, 7999) i;
CREATE VIEW few AS SELECT i, few FROM node WHERE few IS NOT NULL;
CREATE INDEX ON edge (j, i);
VACUUM ANALYZE edge, node;
SELECT einsum_register('a[I,J]', 'edge', keys => '{i,j}', bounds => '{8000,8000}');
SELECT einsum_register('s[I]', 'node', keys => '{i}', value => 'one', bounds => '{8000}');
SELECT einsum_register('f[I]', 'few', keys => '{i}', value => 'few', bounds => '{8000}', duplicates => 'trust');
SELECT einsum_analyze('a'), einsum_analyze('s'), einsum_analyze('f');
CREATE FUNCTION scans(name text) RETURNS bigint LANGUAGE sql AS $$SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) FROM pg_stat_xact_user_tables WHERE schemaname = 'loop_costs' AND relname = name$$;
-- how often a loop reads the edges, and what it leaves
CREATE FUNCTION run_loop(init text, step text, rounds int) RETURNS TABLE (scans bigint, sum numeric) LANGUAGE plpgsql AS $$
BEGIN
	scans := scans('edge');
	PERFORM count(*) FROM einsum_iterate('l', init, step, max_rounds => rounds, restart => true);
	scans := scans('edge') - scans;
	sum := round(einsum_value('t[] = sum[i] x[i] * x[i]')::text::numeric, 3);
	PERFORM einsum_drop('l');
	RETURN NEXT;
END $$;

-- a nest of a round costs less than the same statement alone: it reads the edges in one round, and all rounds share them
SELECT min(cost) FILTER (WHERE loop) < 0.7 * min(cost) FILTER (WHERE NOT loop) AS shares FROM (
	SELECT true, substring(p FROM 'in each round') IS NOT NULL, substring(p FROM 'cost=([0-9.]+)')::float8 FROM einsum_plan('x[J] = sum[i] a[i,j] * x[i]', iterate => true, init => 'x[I] = s[i]') AS p
	UNION ALL SELECT false, true, substring(p FROM 'cost=([0-9.]+)')::float8 FROM einsum_plan('x[J] = sum[i] a[i,j] * s[i]') AS p) AS c (loop, stage, cost) WHERE stage AND cost > 0;
-- few entries that meet many edges: by an index once, in each round by what is kept
SELECT scans < 10 AS kept, sum FROM run_loop('x[i] = f[i]', 'x[j] = (any[i] a[i,j] * x[i]) * f[j]', 16);
-- a vector
SELECT scans < 10 AS kept, sum FROM run_loop('x[i] = s[i]', 'y[j] = sum[i] a[i,j] * x[i]; h[i] = sum[j] a[i,j] * y[j]; x[i] = 8000 * h[i] / (sum[i] h[i]) + f[i]', 16);
-- a vector that has another fill, and rows that are computed once
SELECT scans < 10 AS kept, sum FROM run_loop('x[i] = s[i]', 'd[i] = sum[j] a[i,j]; y[j] = 0.1 + 0.9 * (sum[i] a[i,j] * x[i] / d[i]); x[i] = y[i] + 0.001 * f[i]', 16);
-- what is computed once does not hide that other forms cost less
CREATE TABLE layer (weights tensor NOT NULL, ones tensor NOT NULL, angles tensor NOT NULL);
INSERT INTO layer VALUES (tensor_full('{16,8}', 1), tensor_full('{8000,8}', 1), tensor_full('{8000}', 1));
SELECT einsum_register('w[m,c]', 'layer', keys => '{}', value => 'weights'), einsum_register('u[i]', 'layer', keys => '{}', value => 'angles'), einsum_register('x0[i,c]', 'layer', keys => '{}', value => 'ones');
CREATE FUNCTION planned_cost(level text) RETURNS float8 LANGUAGE sql AS $$
	SELECT max(substring(p FROM '^Plan 1 +\(cost=([0-9.]+) us')::float8) FROM einsum_plan('
		d[i] = sum[j] a[i,j];
		n[i,j] = a[i,j] / sqrt(d[i]*d[j]);
		y[i,m] = sum[c] w[m,c] * (sum[j] n[i,j] * x[j,c]);
		q[i,m] = y[i,m] * (sin(3*round[] + u[i]) > 0) * 2;
		x[i,c] = (sum[m] q[i,m] * w[m,c]) / 100;
		round[] = round[] + 1', iterate => true, init => 'x[i,c] = x0[i,c]; round[] = 0', rewrite => level) AS p
$$;
SELECT planned_cost('distribute') < 0.8 * planned_cost('none') AS less;
-- the product of two wide matrices, once for all rounds, is cheaper than two products with vectors in each, by 16 rounds and not by one
CREATE TABLE wide AS SELECT i, j, 1::float8 AS v FROM generate_series(0, 9) i, generate_series(0, 3999) j;
ALTER TABLE wide ADD PRIMARY KEY (i, j);
VACUUM ANALYZE wide;
SELECT einsum_register('p[I,J]', 'wide', keys => '{i,j}', value => 'v', bounds => '{10,4000}'), einsum_register('q[J,K]', 'wide', keys => '{j,i}', value => 'v', bounds => '{4000,10}');
SELECT count(*) FROM einsum_plan('z[i] = sum[j,k] p[i,j] * q[j,k] * z[k]', iterate => true, init => 'z[i] = 1 + 0 * (sum[j] p[i,j])') AS p WHERE p ~ 'z__1\[i,k\] = .*before the first round';
-- edges that a nest keeps, of which a round meets few, are not put into vectors before
CREATE TABLE friend (i int, j int, PRIMARY KEY (i, j), CHECK (i >= 0 AND i < 4000), CHECK (j >= 0 AND j < 4000));
INSERT INTO friend SELECT i, (i + k * k) % 4000 FROM generate_series(0, 3999) i, generate_series(1, 40) k;
VACUUM ANALYZE friend;
SELECT einsum_register('g[I,J]', 'friend', keys => '{i,j}', bounds => '{4000,4000}');
CREATE TABLE first (i int PRIMARY KEY CHECK (i >= 0 AND i < 4000), v float8 NOT NULL);
INSERT INTO first VALUES (5, 1);
SELECT einsum_register('s1[I]', 'first', keys => '{i}', value => 'v', bounds => '{4000}');
SELECT einsum_analyze('g'), einsum_analyze('s1');
SELECT count(*) FROM einsum_plan('next[j] = (any[i] g[i,j] * front[i]) * (level[j] == 0); front[j] = next[j]; level[j] = level[j] + next[j]; left[] = sum[j] next[j]',
	iterate => true, init => 'front[i] = s1[i]; level[i] = s1[i]') AS p WHERE p ~ 'by stack|before the first round\)';
-- elements are numbered: their number of groups is expected
CREATE FUNCTION expected_rows(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan->0->'Plan'->>'Plan Rows';
END $$;
SELECT expected_rows($$SELECT index, count(*) FROM einsum_unstack_scalar(tensor_full('{3000}', 1), 0) GROUP BY index$$);

SET client_min_messages = warning;
DROP SCHEMA loop_costs CASCADE;
