-- avg, count, norm, logsumexp and softmax: what people know by name, as aggregates over labels.
CREATE SCHEMA program_formulas;
SET search_path = program_formulas, public;
SET client_min_messages = warning;
SET extra_float_digits = -3;
\set SHOW_CONTEXT never
CREATE EXTENSION IF NOT EXISTS sparseeinsum SCHEMA public;

CREATE TABLE x (i int, c int, v float8 NOT NULL, PRIMARY KEY (i, c));
INSERT INTO x VALUES (0, 0, 1), (0, 2, -2), (0, 3, 3), (1, 1, 0), (2, 0, 1000), (2, 1, 1001), (2, 2, 999), (2, 3, 1000);
CREATE TABLE m (i int, c int, v float8 NOT NULL, PRIMARY KEY (i, c));
INSERT INTO m VALUES (0, 1, 2), (0, 2, 3), (2, 0, -800);
CREATE TABLE g (i int, v tensor(float4) NOT NULL, PRIMARY KEY (i));
INSERT INTO g VALUES (0, 'float4:[1,100,3]'), (1, 'float4:[-3e38,-3e38,-3e38]');
CREATE TABLE z (i int PRIMARY KEY, v tensor(complex16) NOT NULL);
INSERT INTO z VALUES (0, 'complex16:[3+4i,0,5i]');
CREATE TABLE o (k text, c int, v float8 NOT NULL, PRIMARY KEY (k, c));
INSERT INTO o VALUES ('a', 0, 1), ('a', 1, 2), ('b', 0, 5);
SELECT einsum_register('x[I,C]', 'x', keys => '{i,c}', value => 'v', bounds => '{4,4}');
-- of what is not there the power is 0
SELECT einsum_register('m[I,C]', 'm', keys => '{i,c}', value => 'v', bounds => '{4,4}', fill => '-Infinity');
SELECT einsum_register('g[I,c]', 'g', keys => '{i}', value => 'v', bounds => '{2,3}');
SELECT einsum_register('z[I,c]', 'z', keys => '{i}', value => 'v', bounds => '{2,3}');
SELECT einsum_register('o[K,C]', 'o', keys => '{k,c}', value => 'v', bounds => '{*,2}');

-- The same by plain SQL over all indices.
CREATE VIEW dense AS SELECT i, c, coalesce(v, 0) AS v FROM generate_series(0, 3) i CROSS JOIN generate_series(0, 3) c LEFT JOIN x USING (i, c);
CREATE FUNCTION near(a tensor, b float8[]) RETURNS boolean LANGUAGE sql RETURN
	(SELECT bool_and(p = q OR abs(p - q) <= 1e-14 * (1 + abs(q))) FROM (SELECT unnest(a::float8[]) AS p, unnest(b) AS q) pairs);
SELECT near(einsum_value('y[i] = avg[c] x[i,c]'), (SELECT array_agg(r ORDER BY i) FROM (SELECT i, avg(v) AS r FROM dense GROUP BY i) s)) AS avg,
	near(einsum_value('y[i] = count[c] x[i,c]'), (SELECT array_agg(r ORDER BY i) FROM (SELECT i, count(*) FILTER (WHERE v <> 0) AS r FROM dense GROUP BY i) s)) AS count,
	near(einsum_value('y[i] = norm[c] x[i,c]'), (SELECT array_agg(r ORDER BY i) FROM (SELECT i, sqrt(sum(v * v)) AS r FROM dense GROUP BY i) s)) AS norm;
CREATE VIEW powers AS SELECT i, c, v, max(v) OVER w AS most, exp(v - max(v) OVER w) AS power FROM dense WINDOW w AS (PARTITION BY i);
CREATE VIEW shares AS SELECT i, c, power / sum(power) OVER (PARTITION BY i) AS r FROM powers;
SELECT near(einsum_value('y[i] = logsumexp[c] x[i,c]'), (SELECT array_agg(r ORDER BY i) FROM (SELECT i, ln(sum(power)) + max(most) AS r FROM powers GROUP BY i) s)) AS logsumexp,
	near(einsum_value('y[i,c] = softmax[c] x[i,c]'), (SELECT array_agg(r ORDER BY i, c) FROM shares)) AS softmax,
	near(einsum_value('y[i,c] = softmax[c] x[i,c]', search => 'as_written'), (SELECT array_agg(r ORDER BY i, c) FROM shares)) AS as_written,
	near(einsum_value('y[i,c] = softmax[c] x[i,c]', rewrite => 'none'), (SELECT array_agg(r ORDER BY i, c) FROM shares)) AS unrewritten;
-- in every decomposition
SELECT label, near(einsum_value(replace('y[i,c] = softmax[%c] x[i,%c]', '%c', label)), (SELECT array_agg(r ORDER BY i, c) FROM shares)) AS softmax,
	near(einsum_value(replace('y[i] = (logsumexp[%c] x[i,%c]) + (norm[%c] x[i,%c])*0 + (avg[%c] x[i,%c])*0 + (count[%c] x[i,%c])*0', '%c', label)),
		(SELECT array_agg(r ORDER BY i) FROM (SELECT i, ln(sum(power)) + max(most) AS r FROM powers GROUP BY i) s)) AS others
FROM (VALUES ('C'), ('c:*'), ('c:2'), ('c:3')) t(label);
SELECT * FROM einsum_rows('p[I,c] = softmax[c] x[i,c]; y[I,C] = p[i,c]*x[i,c]', at => '{"i": 0}') AS y(i int, c int, value float8) ORDER BY c;

-- Scope: softmax has the labels of its operand, which belong together with those outside; the others bind.
SELECT mat_norm(einsum_value('y[i,k] = (softmax[c] x[i,c])*x[k,c]') - einsum_value('p[i,c] = softmax[c] x[i,c]; y[i,k] = p[i,c]*x[k,c]')) < 1e-9 AS same;
SELECT einsum_value('y[i,k] = softmax[k] sum[c] 0.001*x[i,c]*x[k,c]') = einsum_value('s[i,k] = 0.001*x[i,c]*x[k,c]; y[i,k] = softmax[k] s[i,k]') AS same;
SELECT tensor_round(einsum_value('s[] = sum[i,c] softmax[i,c] x[i,c]') * 1e12), tensor_round(einsum_value('s[i] = sum[c] softmax[c] (softmax[i] x[i,c])') * 1e12);
SELECT tensor_round(einsum_value('s[i] = sum[c] softmax[c] softmax[c] x[i,c]') * 1e12);
SELECT einsum_value('y[i] = avg[c] x[i,c]*2 + 1'), einsum_value('y[] = avg[i,c] x[i,c]'), einsum_value('y[] = avg[c] count[i] x[i,c]');
SELECT einsum_value('s[i,k] = sum[c] x[i,c]*x[k,c]; y[i] = count[k] s[i,k]'), einsum_value('y[i] = count[k] sum[c] x[i,c]*x[k,c]');

-- What is not stored counts; -Infinity adds nothing, and is nothing where there is nothing else.
SELECT einsum_value('y[i] = logsumexp[c] m[i,c]');
SELECT einsum_value('y[i,c] = softmax[c] m[i,c]');
SELECT view, notation FROM einsum_decompose('weight[I,C] = softmax[c] m[i,c]', 'masked', schema => 'program_formulas');
SELECT * FROM weight ORDER BY i, c;
SELECT einsum_drop('masked');
SELECT einsum_value('y[i] = logsumexp[c] (-m[i,c])'), einsum_value('y[i,c] = softmax[c] if(x[i,c] > 1000, -ln(0*x[i,c]), x[i,c])');
SELECT einsum_value('y[i] = logsumexp[c] (x[i,c] + ln(-1*(x[i,c] == 3)))'), einsum_value('y[i] = avg[c] m[i,c]'), einsum_value('y[i] = count[c] m[i,c]');
-- no overflow
SELECT einsum_value('y[i] = logsumexp[c] (1e300*x[i,c])'), einsum_value('y[i,c] = softmax[c] (1e305*x[i,c])');

-- Element types: of the operand; but counts are float8.
SELECT einsum_value('y[i] = avg[c] g[i,c]'), einsum_value('y[i] = logsumexp[c] g[i,c]'), einsum_value('y[i] = norm[c] g[i,c]'), einsum_value('y[i] = count[c] g[i,c]');
SELECT einsum_value('y[i,c] = softmax[c] g[i,c]');
SELECT einsum_value('y[i] = norm[c] z[i,c]'), einsum_value('y[i] = avg[c] z[i,c]'), einsum_value('y[i] = count[c] z[i,c]');
SELECT einsum_value('y[i] = logsumexp[c] z[i,c]');
SELECT einsum_value('y[i,c] = softmax[c] z[i,c]');
SELECT einsum_value('y[i] = avg[c] (x[i,c] > 0)'), einsum_value('y[i] = norm[c] (x[i,c] > 0)');

-- Open labels: as of the aggregates that they are made of.
SELECT view, notation FROM einsum_decompose('f[K] = count[c] o[k,c]; g2[K,C] = softmax[c] o[k,c]; n[C] = count[k] o[k,c]', 'opened', schema => 'program_formulas');
SELECT * FROM f ORDER BY k;
SELECT k, c, round(value::numeric, 9) FROM g2 ORDER BY k, c;
SELECT * FROM n ORDER BY c;
SELECT einsum_drop('opened');
SELECT einsum_value('y[c] = avg[k] o[k,c]');
SELECT einsum_value('y[c] = logsumexp[k] o[k,c]');

-- Tensors of these names are tensors: what follows the brackets tells.
SELECT einsum_value('count[i] = count[c] x[i,c]; y[i] = count[i] - count[i] + 1'), einsum_value('norm[] = norm[i,c] x[i,c]; y[i] = (sum[c] x[i,c]) / norm[] * norm[]');
SELECT einsum_value('avg[c] = avg[i] x[i,c]; y[i,c] = x[i,c] - avg[c]; z[] = avg[c] avg[c]') = einsum_value('z[] = avg[c,i] x[i,c]') AS same;
SELECT einsum_value('softmax[i,c] = softmax[c] x[i,c]; y[i] = sum[c] softmax[i,c]*softmax[i,c]') = einsum_value('p[i,c] = softmax[c] x[i,c]; y[i] = sum[c] p[i,c]^2') AS same;
SELECT einsum_value('y[i] = AVG[c] (-x[i,c])'), einsum_value('y[i] = avg[c](x[i,c])');
SELECT einsum_value('avg = x; y = avg + avg') = einsum_value('y = 2*x') AS same;

-- Plans: what is read twice is one stage; the text of a plan is a program again.
SELECT einsum_plan('y[i,c] = softmax[c] 0.001*(sum[k] x[i,k]*x[c,k])', result => 'auto');
SELECT einsum_plan('y[i] = logsumexp[c] x[i,c]; z[i] = avg[c] x[i,c]', format => 'program', result => 'auto');
SELECT einsum_value(string_agg(p, E'\n')) = einsum_value('y[i,c] = softmax[c] x[i,c]') AS same FROM einsum_plan('y[i,c] = softmax[c] x[i,c]', format => 'program', result => 'auto') p;
SELECT einsum_plan('y[i] = avg[c] x[i,c]; z[i] = 0.25*(sum[c] x[i,c]); q[i] = norm[c] x[i,c]', format => 'forms', result => 'auto');
SELECT einsum_gradient('l[] = sum[i] logsumexp[c] x[i,c]', 'l', '{x}');
SELECT einsum_gradient('l[] = sum[i,c] ceil(x[i,c])*x[i,c]', 'l', '{x}');

-- Mistakes.
SELECT einsum_value('y[i,c] = softmax[k] x[i,c]');
SELECT einsum_value('y[i] = softmax[c] -x[i,c]');
SELECT einsum_value('y[i] = softmax[c] x[i,c]*x[i,c]');
SELECT einsum_value('y[i,c] = avg[k] x[i,c]');
SELECT einsum_value('y[i] = norm[c,c] x[i,c]');
SELECT einsum_value('y[i] = norm[c] x[i,c] + x[i,c]');
SELECT einsum_value('y = norm[c] x');
SELECT tensor_map('avg[i] $1', 'i->i', tensor '[1]');
SELECT einsum_value('y[i,c] = softmax[c] eye[i,c]');
DROP SCHEMA program_formulas CASCADE;
