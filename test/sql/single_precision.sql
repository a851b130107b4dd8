-- Sums, means and products of float4 and complex8 are computed in double precision and rounded once; norms, distances and means
-- do not overflow where their results are in range.
CREATE SCHEMA single_precision;
SET search_path = single_precision, public, sparseeinsum_internal;
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS sparseeinsum SCHEMA public;

-- 16777216 + 1 is 16777216 in float4
CREATE TABLE item (n int PRIMARY KEY, v tensor NOT NULL, c tensor NOT NULL);
INSERT INTO item SELECT n, v::tensor(float4), c::tensor(complex8) FROM (VALUES (1, '[16777216,1]'::tensor, 'complex16:[16777216+16777216i]'::tensor), (2, '[1,1]', 'complex16:[1+1i]'), (3, '[1,2]', 'complex16:[1+1i]')) AS t(n, v, c);
SELECT tensor_sum(v), sum(v), einsum_sum('i->i', v), einsum_sum('i->', v), einsum_sum_scalar('i->', v), tensor_map_sum('$1', 'i->i', v), tensor_map_sum('$1 + 0', 'i->', v) FROM item;
SELECT tensor_sum(c), einsum_sum('i->i', c), einsum_sum('i->', c), tensor_map_sum('$1', 'i->i', c), tensor_avg(c) FROM item;
SELECT tensor_avg(v) = '[5592406,1.3333334]'::tensor(float4) AS mean, tensor_prod(v - tensor 'float4:[16777215,-0.00024414062]') AS product FROM item;
SELECT einsum_sum('i,->i', v, tensor 'float4:2'), einsum_sum('i,->i', v, 2::real), einsum_sum('i,->i', v, 2::float8), einsum_sum('i,i->i', v, v), einsum_sum('i,i->', v, tensor 'float4:[1,0]'), einsum_sum('i,j->ij', v, tensor 'float4:[1,1]') FROM item;
SELECT tensor_map_prod('$1', 'i->i', v), tensor_map_prod('$1', 'i->', v), tensor_type(tensor_map_prod('$1', 'i->', v)), tensor_min(v), tensor_max(v), tensor_any(v) FROM item;
-- frames, ROLLUP, DISTINCT
SELECT n, sum(v) OVER (ORDER BY n) AS so_far, avg(v) OVER (ORDER BY n ROWS 1 PRECEDING) AS two, einsum_sum('i->i', v) OVER () AS "all" FROM item ORDER BY n;
SELECT n > 1 AS later, tensor_sum(v), tensor_sum(DISTINCT v) FROM item GROUP BY ROLLUP (n > 1) ORDER BY 1 NULLS LAST;
-- the result is of single precision if all values are, whatever comes first
SELECT tensor_sum(v ORDER BY n), tensor_sum(v ORDER BY n DESC), tensor_avg(v ORDER BY n), einsum_sum('i->i', v ORDER BY n), tensor_prod(v ORDER BY n DESC), tensor_max(v ORDER BY n)
	FROM (VALUES (1, 'float4:[16777216]'::tensor), (2, '[1]'), (3, 'float4:[1]')) AS t(n, v);
SELECT tensor_sum(v ORDER BY n), tensor_sum(v ORDER BY n DESC), tensor_avg(v ORDER BY n), einsum_sum('i->i', v ORDER BY n DESC), tensor_prod(v ORDER BY n DESC)
	FROM (VALUES (1, 'float4:[16777216]'::tensor), (2, 'complex8:[1i]'), (3, 'float4:[2]')) AS t(n, v);
SELECT tensor_type(tensor_sum(v ORDER BY n)), tensor_type(tensor_sum(v ORDER BY n DESC)) FROM (VALUES (1, '[1]'::tensor), (2, 'complex8:[1i]'), (3, 'float4:[2]')) AS t(n, v);

-- inside of a value
SELECT tensor_reduce('sum', t), tensor_reduce('mean', t), tensor_reduce('prod', t), einsum('i->', t), einsum('ai->a', tensor_reshape(t, '{1,4}')), einsum('ia->a', tensor_reshape(t, '{4,1}')), tensor_map('$1', 'i->', t), tensor_map('$1', 'ia->a', tensor_reshape(t, '{4,1}'))
	FROM (VALUES (tensor 'float4:[16777216,1,1,1]')) AS v(t);
SELECT tensor_reduce('sum', t), einsum('i->', t), tensor_reduce('prod', t, '{0}', true), tensor_map('$1', 'i->', t), tensor_reduce('mean', t) FROM (VALUES (tensor 'complex8:[16777216,1i,1,1]')) AS v(t);

-- states: what workers and other servers send
CREATE AGGREGATE joined(tensor_state) (SFUNC = tensor_sum_combinefn, STYPE = tensor_state, FINALFUNC = tensor_fold_finalfn);
CREATE AGGREGATE state_of(tensor) (SFUNC = tensor_sum_transfn, STYPE = tensor_state);
CREATE AGGREGATE mean_state(tensor) (SFUNC = tensor_avg_transfn, STYPE = tensor_state);
CREATE AGGREGATE joined_mean(tensor_state) (SFUNC = tensor_avg_combinefn, STYPE = tensor_state, FINALFUNC = tensor_avg_finalfn);
CREATE AGGREGATE least_of(tensor_state) (SFUNC = tensor_min_combinefn, STYPE = tensor_state, FINALFUNC = tensor_fold_finalfn);
CREATE AGGREGATE product(tensor_state) (SFUNC = tensor_prod_combinefn, STYPE = tensor_state, FINALFUNC = tensor_fold_finalfn);
SELECT state_of(v), mean_state(v), state_of(c), mean_state(c), state_of(v::tensor(float8)) FROM item;
CREATE TABLE state (s tensor_state);
INSERT INTO state SELECT state_of(v) FROM item GROUP BY n;
\copy state TO 'results/single_states.bin' (FORMAT binary)
\copy state FROM 'results/single_states.bin' (FORMAT binary)
SELECT joined(s), joined(s::text::tensor_state), product(s) FROM state;
SELECT joined(s) FROM (VALUES ('single:[1]'::tensor_state), ('[2]')) AS t(s);
SELECT joined(s), product(s), least_of(s) FROM (VALUES ('float4:[16777216]'::tensor_state), ('single:[1]'), ('single:[1]'), ('float4:[1]')) AS t(s);
TRUNCATE state;
INSERT INTO state SELECT mean_state(v) FROM item GROUP BY n;
INSERT INTO state SELECT mean_state(v) FROM (VALUES (tensor '[1e308,-1e308]'), ('[1.5e308,-1.5e308]')) AS t(v);
\copy state TO 'results/single_states.bin' (FORMAT binary)
\copy state FROM 'results/single_states.bin' (FORMAT binary)
SELECT s FROM state ORDER BY s::text;
SELECT joined_mean(s) FROM state;
SELECT joined_mean(s) FROM (VALUES ('count(2)float4:[16777216]'::tensor_state), ('count(1)single:[2]')) AS t(s);
SELECT 'single:float4:[1]'::tensor_state;
SELECT 'count(2)single:[1];[1]'::tensor_state;
SELECT joined_mean('count(2)[1];[[1]]'::tensor_state);

-- loop nests, also where groups are many
CREATE TABLE pair (g int, n int, w tensor NOT NULL, PRIMARY KEY (g, n));
INSERT INTO pair SELECT g, n, 'float4:1'::tensor FROM generate_series(1, 3) n, generate_series(0, 2999) g;
ANALYZE pair, item;
CREATE VIEW sums AS SELECT g, einsum_sum(',i->i', w, v) AS scaled, tensor_sum(v) AS plain, einsum_sum('i,i->', v, v) AS dot, tensor_map_sum('$1*$2', ',i->i', w, v) AS map,
	tensor_sum(w) AS ones, einsum_sum('i,j->ij', v, v) AS "outer", tensor_prod(v) AS product FROM pair JOIN item USING (n) GROUP BY g;
CREATE FUNCTION uses_nest() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXPLAIN (COSTS OFF) SELECT * FROM sums LOOP
		IF line ~ 'AggregateJoin' THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END $$;
SET sparseeinsum.enable_aggregate_join = off;
SELECT uses_nest(), min(g), count(*), scaled, plain, dot, map, ones, "outer", product FROM sums GROUP BY 4, 5, 6, 7, 8, 9, 10;
SET sparseeinsum.enable_aggregate_join = force;
SELECT uses_nest(), min(g), count(*), scaled, plain, dot, map, ones, "outer", product FROM sums GROUP BY 4, 5, 6, 7, 8, 9, 10;
SET work_mem = '64kB';
SELECT uses_nest(), min(g), count(*), scaled, plain, dot, map, ones, "outer", product FROM sums GROUP BY 4, 5, 6, 7, 8, 9, 10;
RESET work_mem;
RESET sparseeinsum.enable_aggregate_join;
-- what each row gives is a number that float4 does not have, and rows cancel
CREATE TABLE signed (n int PRIMARY KEY, v tensor NOT NULL, c tensor NOT NULL);
INSERT INTO signed SELECT n, v::tensor(float4), c::tensor(complex8) FROM (VALUES (1, '[16777216,1]'::tensor, 'complex16:[16777216+16777216i,1+1i]'::tensor), (2, '[-16777216,0]', 'complex16:[-16777216-16777216i,0]'), (3, '[0,0]', '[0,0]')) AS t(n, v, c);
ANALYZE signed;
DROP VIEW sums;
CREATE VIEW sums AS SELECT g, einsum_sum('i->', v) AS all_elements, einsum_sum(',i->', w, v) AS scaled, einsum_sum('i,i->', v, tensor 'float4:[1,1]') AS dot, tensor_map_sum('$1', 'i->', v) AS map,
	tensor_map_sum('$1*$2', ',i->', w, v) AS scaled_map, einsum_sum('i->', c) AS complex, tensor_map_sum('$1', 'i->', c) AS complex_map FROM pair JOIN signed USING (n) GROUP BY g;
SET sparseeinsum.enable_aggregate_join = off;
SELECT uses_nest(), min(g), count(*), all_elements, scaled, dot, map, scaled_map, complex, complex_map FROM sums GROUP BY 4, 5, 6, 7, 8, 9, 10;
SET sparseeinsum.enable_aggregate_join = force;
SELECT uses_nest(), min(g), count(*), all_elements, scaled, dot, map, scaled_map, complex, complex_map FROM sums GROUP BY 4, 5, 6, 7, 8, 9, 10;
RESET sparseeinsum.enable_aggregate_join;
-- programs over open keys
SELECT einsum_register('x[N,i]', 'item', keys => '{n}', value => 'v', bounds => '{NULL,2}');
SELECT einsum_value('y[i] = sum[n] x[n,i]'), einsum_value('y[] = sum[n,i] x[n,i]');
SET sparseeinsum.enable_aggregate_join = force;
SELECT einsum_value('y[i] = sum[n] x[n,i]'), einsum_value('y[] = sum[n,i] x[n,i]');
RESET sparseeinsum.enable_aggregate_join;

-- a mean is in range if the values are
SELECT avg(v), tensor_avg(v[0]::float8) FROM (VALUES (tensor '[1e308,1e-300]'), ('[1.5e308,3e-300]')) AS t(v);
SELECT avg(v), tensor_avg(v[0]::float8) FROM (VALUES (tensor '[1e308,1e-300,Infinity,NaN,-1.7e308]'), ('[1.5e308,3e-300,1,1,-1.7e308]'), ('[-1.6e308,2e-300,2,2,-1.7e308]')) AS t(v);
SELECT avg(v) FROM (VALUES (tensor 'complex16:[1e308-1.7e308i]'), ('complex16:[1.5e308-1.7e308i]'), ('[1.1e308]')) AS t(v);
SELECT avg(v), sum(v) FROM (VALUES (tensor 'float4:[3e38]'), ('float4:[3e38]')) AS t(v);
SELECT abs(tensor_avg(1e308::float8) / 1e308 - 1) < 1e-12 AS mean, abs((avg('[-1e308]'::tensor))[0]::float8 / 1e308 + 1) < 1e-12 AS of_tensors FROM generate_series(1, 4096);
SELECT tensor_reduce('mean', '[1e308,1e308]'), tensor_reduce('mean', '[[1e308,Infinity,1],[1e308,3,2]]', '{0}'), tensor_reduce('mean', 'float4:[3e38,3e38]'), tensor_reduce('mean', 'complex16:[1e308-1e308i,1e308-1e308i]');
SELECT tensor_reduce('mean', 'complex16:[1e308+Infinityi,1e308+1i]'), tensor_reduce('mean', 'complex16:[[1e308+Infinityi,1+1i],[1e308+1i,-1e308+1e308i],[1e308+1i,-1e308+1e308i]]', '{0}'), tensor_reduce('mean', 'complex16:[[1e308+Infinityi,1e308+1i],[-Infinity-1e308i,1-1e308i]]', '{1}');
SELECT (tensor_covar(v)).mean, (tensor_covar(v)).comoment FROM (VALUES (tensor '[1e308,1]'), ('[-1e308,1]'), ('[3,1]')) AS t(v);
-- and where states of one row and of nine are joined, in both orders
CREATE AGGREGATE covar_state(tensor) (SFUNC = tensor_covar_transfn, STYPE = tensor_state);
CREATE AGGREGATE joined_covar(tensor_state) (SFUNC = tensor_covar_combinefn, STYPE = tensor_state, FINALFUNC = tensor_covar_finalfn);
CREATE TABLE one_and_nine AS SELECT n > 0 AS nine, covar_state(CASE WHEN n > 0 THEN '[1.7e308,1]' ELSE '[-1.7e308,1]' END::tensor) AS s FROM generate_series(0, 9) n GROUP BY n > 0;
SELECT (joined_covar(s ORDER BY nine)).count, abs(((joined_covar(s ORDER BY nine)).mean)[0]::float8 / 1.36e308 - 1) < 1e-12 AS one_first,
	abs(((joined_covar(s ORDER BY nine DESC)).mean)[0]::float8 / 1.36e308 - 1) < 1e-12 AS nine_first FROM one_and_nine;

-- norms and distances
SELECT mat_norm('float4:[3e38,3e38]'), mat_norm('[1e200,1e200]'), mat_norm('[1e-200]'), mat_norm('float4:[[3e38,3e38]]', '2'), mat_norm('float4:[[3e38,3e38]]', 'nuc'), mat_norm('complex8:[3e38+3e38i]'), mat_norm('float4:[[3e38,3e38]]', 'inf');
SELECT mat_norm('float4:[Infinity,1]'), mat_norm('float4:[NaN,Infinity]'), mat_norm('complex8:[0+1i,NaN+2i]'), mat_norm('float4:[1e-45]');
SELECT '[1e200,0]'::tensor <-> '[0,1e200]', '[1e-200]'::tensor <-> '[3e-200]', '[5e-324]'::tensor <-> '[0]', '[1e308]'::tensor <-> '[-1e308]', 'float4:[3e38]'::tensor <-> 'float4:[-3e38]', '[0,0]'::tensor <-> '[0,0]';
SELECT '[1e-200]'::tensor <=> '[1e-200]', '[1e-200,1e-200]'::tensor <=> '[0,1e-200]', '[1e308,1]'::tensor <=> '[1e308,1]', '[1e200,1e200]'::tensor <=> '[-1e-200,-1e-200]', 'float4:[1e-40]'::tensor <=> 'float4:[2e-40]', '[0]'::tensor <=> '[1e200]';
SELECT '[1e200,1e200]'::tensor <#> '[1e200,-1e200]', '[1e200,2e-200]'::tensor <#> '[1e-200,1e200]', '[1e200]'::tensor <#> '[1e200]', '[1e-200]'::tensor <#> '[1e-200]', '[1e308,-1e308]'::tensor <+> '[1,1]';
SELECT '[1.7e308,1.7e308,-1.7e308]'::tensor <#> '[0.9,0.9,0.9]', '[0.9,0.9,0.9]'::tensor <#> '[1.7e308,1.7e308,-1.7e308]', '[1.7e308,1.7e308,-1.7e308]'::tensor <#> '[0.9,0.9,0]';
SELECT '[Infinity]'::tensor <-> '[1]', '[Infinity]'::tensor <-> '[Infinity]', '[Infinity,NaN]'::tensor <-> '[1,2]', '[Infinity]'::tensor <=> '[1]', '[NaN]'::tensor <=> '[1]', '[Infinity]'::tensor <#> '[2]', '[Infinity]'::tensor <#> '[0]', '[NaN]'::tensor <#> '[1]';

DROP SCHEMA single_precision CASCADE;
