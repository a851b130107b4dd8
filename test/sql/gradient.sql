-- einsum_gradient: the program that is made, what it refuses, and names. Values are compared
-- with differences by test/random/gradients.py.
\pset format unaligned
\t on
CREATE SCHEMA gradient_test;
SET search_path = gradient_test, public;

CREATE TABLE x (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO x VALUES (0, 0, 1), (0, 1, -2), (1, 1, 0.5), (2, 0, 3);
CREATE TABLE w (j int, k int, v float8 NOT NULL, PRIMARY KEY (j, k));
INSERT INTO w VALUES (0, 0, 1), (0, 1, 2), (1, 0, -1), (1, 1, 0.25);
CREATE TABLE z (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO z VALUES (0, 2), (1, -1);
SELECT einsum_register('x[I,J]', 'x', keys => '{i,j}', value => 'v', bounds => '{3,2}');
SELECT einsum_register('w[J,K]', 'w', keys => '{j,k}', value => 'v', bounds => '{2,2}');
SELECT einsum_register('z[I]', 'z', keys => '{i}', value => 'v', bounds => '{3}');

-- a network: what both need is defined once, and what cannot be reached is left out
SELECT einsum_gradient('h[i,k] = relu(sum[j] x[i,j]*w[j,k]); unused[i] = exp(z[i]);
	p[i,k] = exp(h[i,k])/(sum[k] exp(h[i,k])); loss[] = -(sum[i,k] ln(p[i,k])*z[i]); after[] = 2*loss[]', 'loss', '{w}') AS program \gset
\echo :program
SELECT einsum_value(:'program');
-- parts of a statement that are alike but for labels are passed their sum, by the labels of one: as where they have a name
SELECT einsum_value(einsum_gradient('p[i,k] = softmax[k] (sum[j] x[i,j]*w[j,k]); loss[] = sum[i,k] p[i,k]^2*x[i,k]*z[i]', 'loss', '{w}'))::float8[] AS one \gset
SELECT einsum_value(einsum_gradient('h[i,k] = exp(sum[j] x[i,j]*w[j,k]); p[i,k] = h[i,k]/(sum[l] h[i,l]); loss[] = sum[i,k] p[i,k]^2*x[i,k]*z[i]', 'loss', '{w}'))::float8[] AS other \gset
SELECT count(*), count(*) FILTER (WHERE a <> 0) > 0 AS some, max(abs(a - b)) < 1e-12 AS same FROM unnest(:'one'::float8[], :'other'::float8[]) AS u(a, b);
-- by several, one of them twice, and one that is not reached
SELECT einsum_gradient('s[i] = sum[j] x[i,j]; loss[] = sum[i] s[i]*s[i]', 'loss', '{x,s,x}');
SELECT einsum_gradient('q[] = sum[i] z[i]; loss[] = sum[i,j] x[i,j]^3', 'loss', '{x,q}');
-- the result itself
SELECT einsum_gradient('loss[] = sum[i] z[i]', 'loss', '{loss,z}');
-- a diagonal passes back to itself only
SELECT einsum_gradient('loss[] = sum[j] w[j,j]^2', 'loss', '{w}') AS program \gset
\echo :program
SELECT einsum_value(:'program');
-- what is stored
SELECT einsum_gradient('loss[] = sum[i,k] (sum[j] x[i,j]*w[j,k])^2', 'loss', '{x}', stored => '{x}') AS program \gset
\echo :program
SELECT einsum_value(:'program');
-- as linear algebra, where a row stays a row
SELECT einsum_gradient('r = colSums(x); loss = sum((r %*% w)^2)', 'loss', '{x}') AS program \gset
\echo :program
SELECT einsum_value(:'program');
-- a second derivative: the Hessian times a vector
SELECT einsum_gradient('loss[] = sum[i] z[i]^4', 'loss', '{z}') || 'p[] = sum[i] d_z[i]*(z[i] > 0)' AS program \gset
SELECT einsum_value(einsum_gradient(:'program', 'p', '{z}', prefix => 'dd_')) = einsum_value('v[i] = 12*z[i]^2*(z[i] > 0)');
-- products with zeros, and their second derivative
INSERT INTO z VALUES (2, 0);
SELECT einsum_gradient('loss[] = prod[i] z[i]', 'loss', '{z}') AS program \gset
SELECT einsum_value(:'program');
SELECT einsum_value(einsum_gradient(:'program' || 'p[] = sum[i] d_z[i]*i1[i]', 'p', '{z}', prefix => 'dd_')) FROM
	(SELECT einsum_register('i1[I]', 'z', keys => '{i}', bounds => '{3}')) r;
UPDATE z SET v = 0 WHERE i = 0;
SELECT einsum_value(:'program');
SELECT einsum_value(einsum_gradient(:'program' || 'p[] = sum[i] d_z[i]*i1[i]', 'p', '{z}', prefix => 'dd_'));
-- roots and powers of 0 to which nothing is passed
SELECT einsum_value(einsum_gradient('loss[] = sum[i] if(z[i] > -0.5, 0, sqrt(-z[i]) + (-z[i])^0.5)', 'loss', '{z}'));
SELECT einsum_value(einsum_gradient('loss[] = sum[i] if(z[i] > -0.5, exp(2*z[i])/(z[i] + 1), 0)', 'loss', '{z}'));

-- names: of parts, of what is there already, long ones, and quoted ones
SELECT einsum_gradient('h_1[i] = 2*z[i]; h[i] = tanh(sum[j] x[i,j])*h_1[i]; d_h[] = 1*(sum[i] z[i]); loss[] = (sum[i] h[i])*d_h[]', 'loss', '{x}');
SELECT einsum_gradient('d_x[] = sum[i] z[i]; loss[] = d_x[]*(sum[i,j] x[i,j])', 'loss', '{x}');
SELECT einsum_gradient('d_x[] = sum[i] z[i]; loss[] = d_x[]*(sum[i,j] x[i,j])', 'loss', '{x}', prefix => 'Grad ');
SELECT einsum_gradient('loss[] = sum[i] z[i]', 'loss', '{z}', prefix => repeat('p', 63));
SELECT einsum_gradient(format('%I[i] = exp(z[i]); loss[] = sum[i] %1$I[i]^2', repeat('n', 63)), 'loss', '{z}') AS program \gset
\echo :program
SELECT einsum_gradient(E'"a\nb[] = 1"[i] = z[i]^3; "--; -- "[] = sum["I;\n"] "a\nb[] = 1"["I;\n"]*z["I;\n"]', '"--; -- "', '{z}') AS program \gset
\echo :program
SELECT einsum_value(:'program');
SELECT einsum_gradient('loss[] = sum[i] gradient_test.z[i]*z[i]', 'loss', '{gradient_test.z}');
SELECT einsum_gradient('z[] = sum[i] gradient_test.z[i]^2', 'z', '{gradient_test.z}');
SELECT einsum_gradient('z[i] = gradient_test.z[i]^2; Loss[] = sum[i] z[i]', 'LOSS', '{z}');
-- a comment at the end of a statement does not hide what follows
SELECT einsum_gradient(E'y[i] = z[i]^2 -- a comment\n; loss[] = sum[i] y[i]^2', 'loss', '{z}') AS program \gset
\echo :program
SELECT einsum_value(:'program');
-- of what is stored of a result the derivatives behind it are whole; a tensor that is not reached passes nothing on
SELECT einsum_value(einsum_gradient('s[i] = 2*z[i]; loss[] = sum[i] (s[i] - 1)^2', 'loss', '{s,z}', stored => '{s}'));
SELECT einsum_gradient('q[i] = 1/z[i]; loss[] = sum[i] z[i]^2', 'loss', '{q,z}');
-- eye has its size from what is around it
SELECT (SELECT array_agg(round(e.value::numeric, 12) ORDER BY e.index) FROM tensor_entries(einsum_value(einsum_gradient(p, 'loss', '{z}'))) e)
	FROM (VALUES ('loss = sum(diag(z))'), ('loss[] = sum[i,j] eye[i,j]*z[j]'), ('loss[] = sum[i] z[i]*(sum[j] eye[i,j])'),
	('loss[] = sum[i,j] (eye[i,j] + z[i])*tanh(sum[k] eye[i,k]*z[k])*z[j]')) programs(p);
-- types are those of the tensor
CREATE TABLE f (i int PRIMARY KEY, v real NOT NULL);
INSERT INTO f VALUES (0, 1), (1, -2);
CREATE TABLE c (v tensor(complex16,0) NOT NULL);
INSERT INTO c VALUES ('complex16:1+2i');
SELECT einsum_register('f[I]', 'f', keys => '{i}', value => 'v', bounds => '{3}'), einsum_register('c[]', 'c', '{}', 'v');
SELECT einsum_value(einsum_gradient(p, 'loss', t)) FROM (VALUES ('loss[] = float8(sum[i] relu(f[i]))', '{f}'::text[]), ('loss[] = sum[i] f[i]', '{f}'), ('loss[] = sum[i] z[i]', '{z}'),
	('loss[] = real(c[])', '{c}'), ('loss[] = 3', '{loss}'), ('s[] = 1*(sum[i] f[i]); loss[] = s[]', '{s}')) programs(p, t);
-- pins stay, and nothing is cut out of what has them
SELECT einsum_gradient('h[I,k] = tanh(sum[j] x[I,j]*w[j,k])^2; loss[] = sum[i,k] h[i,k]', 'loss', '{w}');

-- value and gradient of a convolution with softmax take at most four times what the value takes
CREATE TABLE link (i int, j int, PRIMARY KEY (i, j));
INSERT INTO link SELECT i, (i + 37 * k * k) % 1000 FROM generate_series(0, 999) i, generate_series(0, 4) k;
CREATE TABLE item (id int PRIMARY KEY, feature tensor NOT NULL, class tensor NOT NULL);
INSERT INTO item SELECT i, tensor_random('{24}', i), tensor_random('{4}', 1000 + i) FROM generate_series(0, 999) i;
CREATE TABLE weight (into_hidden tensor NOT NULL, into_class tensor NOT NULL, value float8 NOT NULL);
INSERT INTO weight VALUES (tensor_random('{24,16}', 1), tensor_random('{16,4}', 2), 0);
SELECT einsum_register('a[I,J]', 'link', keys => '{i,j}', bounds => '{1000,1000}'), einsum_register('feature[I,k]', 'item', keys => '{id}', value => 'feature', bounds => '{1000,24}'),
	einsum_register('y[I,c]', 'item', keys => '{id}', value => 'class', bounds => '{1000,4}'), einsum_register('w1[k,m]', 'weight', keys => '{}', value => 'into_hidden'),
	einsum_register('w2[m,c]', 'weight', keys => '{}', value => 'into_class'), einsum_register('known[]', 'weight', keys => '{}', value => 'value');
ANALYZE link, item, weight;
SELECT count(*) FROM unnest('{a,feature,y,w1,w2}'::text[]) t, einsum_analyze(t);
-- of a round that takes what it makes for the next one
CREATE FUNCTION cost_of_round(step text) RETURNS float8 LANGUAGE sql AS $$
	SELECT substring(p FROM 'each round: cost=([0-9.]+) us')::float8 FROM einsum_plan(step, iterate => true) p WHERE p LIKE '%each round:%' $$;
CREATE FUNCTION times_the_value(program text, wrt text[]) RETURNS float8 LANGUAGE sql AS $$
	SELECT cost_of_round(einsum_gradient(program, 'loss', wrt) || (SELECT string_agg(format('; %1$s = %1$s - 0.1*d_%1$s', w), '') FROM unnest(wrt) w) || '; known = loss')
		/ cost_of_round(program || (SELECT string_agg(format('; %1$s = 0.9*%1$s', w), '') FROM unnest(wrt) w) || '; known = loss') $$;
SELECT times_the_value('d[i] = sum[j] a[i,j]; n[i,j] = a[i,j]/sqrt(d[i]*d[j]); h[i,m] = relu(sum[j] n[i,j]*(sum[k] feature[j,k]*w1[k,m]));
	out[i,c] = sum[j] n[i,j]*(sum[m] h[j,m]*w2[m,c]); p[i,c] = softmax[c] out[i,c]; loss[] = -(sum[i,c] y[i,c]*ln(p[i,c]))', '{w1,w2}') BETWEEN 1 AND 4 AS at_most_four;
-- attention along edges, and a network: products with exp are passed on themselves, and only where they have entries. What
-- is passed to parts that differ in their labels only, as those of softmax, is passed on once
SELECT times_the_value('q[i,m] = sum[k] feature[i,k]*w1[k,m]; s[i,j] = a[i,j]*exp((sum[m] q[i,m]*q[j,m])/4);
	out[i,c] = (sum[j] s[i,j]*(sum[m] q[j,m]*w2[m,c]))/(sum[j] s[i,j]); loss[] = sum[i,c] (out[i,c] - y[i,c])^2', '{w1,w2}') BETWEEN 1 AND 4.5 AS attention,
	times_the_value('q[i,m] = sum[k] feature[i,k]*w1[k,m]; s[i,j] = softmax[j] if(a[i,j], (sum[m] q[i,m]*q[j,m])/4, ln(0));
	out[i,c] = sum[j] s[i,j]*(sum[m] q[j,m]*w2[m,c]); loss[] = sum[i,c] (out[i,c] - y[i,c])^2', '{w1,w2}') BETWEEN 1 AND 4 AS softmax,
	times_the_value('h[i,m] = relu(sum[k] feature[i,k]*w1[k,m]); out[i,c] = sum[m] h[i,m]*w2[m,c]; loss[] = sum[i,c] (out[i,c] - y[i,c])^2', '{w1,w2}') BETWEEN 1 AND 4 AS network;
SELECT einsum_gradient('s[i,j] = softmax[j] if(a[i,j], sum[k] feature[i,k]*feature[j,k], ln(0)); loss[] = sum[i,j] s[i,j]^2', 'loss', '{feature}');

-- what is refused
SELECT einsum_gradient('loss[] = sum[i] z[i]', 'lost', '{z}');
SELECT einsum_gradient('loss[] = sum[i] z[i]', 'z', '{z}');
SELECT einsum_gradient('h[i] = 2*z[i]', 'h', '{z}');
SELECT einsum_gradient('h[] = 1i*(sum[i] z[i])', 'h', '{z}');
SELECT einsum_gradient('loss[] = sum[i] z[i]', 'loss', '{x}');
SELECT einsum_gradient('loss[] = sum[i] z[i]', 'loss', '{}');
SELECT einsum_gradient('loss[] = sum[i] z[i]', 'loss', '{z,NULL}');
SELECT einsum_gradient('loss[] = sum[i] z[i]', 'loss', '{"z["}');
SELECT einsum_gradient('loss[] = sum[i] z[i]*(sum[j] x[i,j])', 'loss', '{z}', stored => '{x}');
SELECT einsum_gradient('loss[] = sum[i] z[i', 'loss', '{z}');
SELECT einsum_gradient(NULL, 'loss', '{z}'), einsum_gradient('loss[] = sum[i] z[i]', NULL, '{z}'), einsum_gradient('loss[] = sum[i] z[i]', 'loss', NULL);
CREATE TABLE o (u text, v text, r float8 NOT NULL, PRIMARY KEY (u, v));
SELECT einsum_register('o[U,V]', 'o', keys => '{u,v}', value => 'r', bounds => '{*,*}');
SELECT einsum_gradient('loss[] = sum[u,v] o[u,v]^2', 'loss', '{o}');
SELECT einsum_gradient('d[u] = o[u,u]; loss[] = sum[u] d[u]^2', 'loss', '{o}');
SELECT einsum_gradient('s[] = sum[i] z[i]; loss[] = sum[u,v] o[u,v]*s[]', 'loss', '{s}');
SELECT einsum_register('eye[I]', 'z', keys => '{i}', value => 'v', bounds => '{3}');
SELECT einsum_gradient('loss[] = sum[j] w[j,j]^2', 'loss', '{w}');
SELECT einsum_gradient('loss = sum(diag(z) * (x %*% t(x)))', 'loss', '{x}');
SET client_min_messages = warning;
DROP SCHEMA gradient_test CASCADE;
