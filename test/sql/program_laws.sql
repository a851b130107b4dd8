--
-- Other forms of sums and products: multiplied out, and with common factors taken out
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA laws_test;
SET search_path = laws_test, public;
SET extra_float_digits = 0;
-- small integers, so that every form is exact
CREATE TABLE x (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO x SELECT n, (n * 7 + k * k * 13) % 600, 1 + (n + k) % 3 FROM generate_series(0, 599) n, generate_series(1, 5) k ON CONFLICT DO NOTHING;
CREATE TABLE y (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO y SELECT n, (n * 11 + k * 29) % 600, 1 + (n * k) % 3 FROM generate_series(0, 599) n, generate_series(1, 5) k ON CONFLICT DO NOTHING;
CREATE TABLE u (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO u SELECT n, ARRAY[n % 3, n % 2 - 1, 1, n % 5 - 2]::float8[]::tensor FROM generate_series(0, 599) n;
CREATE TABLE v (j int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO v SELECT n, ARRAY[n % 2, 1, n % 4 - 1, n % 3 - 1]::float8[]::tensor FROM generate_series(0, 599) n;
CREATE TABLE b (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO b SELECT n, 1 + n % 4 FROM generate_series(0, 599) n;
CREATE TABLE c (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO c SELECT n, n % 5 - 2 FROM generate_series(0, 599) n;
SELECT einsum_register('x[I,J]', 'x', '{i,j}', 'v', '{600,600}'), einsum_register('y[I,J]', 'y', '{i,j}', 'v', '{600,600}'),
	einsum_register('u[I,k]', 'u', '{i}', 'val', '{600,4}'), einsum_register('v[J,k]', 'v', '{j}', 'val', '{600,4}'),
	einsum_register('b[I]', 'b', '{i}', 'v', '{600}'), einsum_register('c[I]', 'c', '{i}', 'v', '{600}');
ANALYZE x, y, u, v, b, c;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();

-- pairs of all indices are no kernels, where the optimizer chooses
SET sparseeinsum.max_kernel_bytes = '16kB';

CREATE FUNCTION cost(line text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT substring(line FROM 'cost=([0-9.]+)')::float8 $$;
-- is a program cheaper than as it is written, and has every plan its value?
CREATE FUNCTION laws(program text, OUT cheaper boolean, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
	n int := (SELECT count(*) FILTER (WHERE line ~ '^Plan') FROM einsum_plan(program, plans => 4, result => 'auto') line);
	limit_set text := current_setting('sparseeinsum.max_kernel_bytes');
	written tensor;
BEGIN
	cheaper := (SELECT cost(line) FROM einsum_plan(program, result => 'auto') line LIMIT 1) < 0.95 * (SELECT cost(line) FROM einsum_plan(program, rewrite => 'none', result => 'auto') line LIMIT 1);
	SET sparseeinsum.max_kernel_bytes = '16MB';
	written := einsum_value(program, 'as_written', rewrite => 'none');
	same := (SELECT bool_and(value = written OR tensor_shape(value) = tensor_shape(written) AND
			(SELECT bool_and(e.value = f.value OR abs(e.value - f.value) <= 1e-12 * abs(f.value)) FROM tensor_entries(value) e JOIN tensor_entries(written) f USING (index)))
		FROM (SELECT einsum_value(program, alternative => k) AS value FROM generate_series(1, n) k
			UNION ALL SELECT einsum_value(program, 'greedy') UNION ALL SELECT einsum_value(program, rewrite => 'none')) v);
	PERFORM set_config('sparseeinsum.max_kernel_bytes', limit_set, false);
	same := same AND (SELECT bool_and(e.value = f.value OR abs(e.value - f.value) <= 1e-12 * abs(f.value))
		FROM tensor_entries(einsum_value(program)) e JOIN tensor_entries(written) f USING (index));
END $$;
CREATE FUNCTION form(program text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT line FROM einsum_plan(program, format => 'program', result => 'auto') line $$;

-- squares of a difference
\set loss 's = sum((x - u %*% t(v))^2)'
SELECT form(:'loss');
SELECT * FROM laws(:'loss');
SELECT einsum_value(:'loss')::float8 = (SELECT sum((coalesce(x.v, 0) - einsum_scalar('k,k->', u.val, v.val)) ^ 2) FROM u CROSS JOIN v LEFT JOIN x USING (i, j)) AS same;
SELECT * FROM laws('s = sum(x * (x - u %*% t(v))^2)');
SELECT * FROM laws('s = sum((x - u %*% t(v))^2 - y)');
SELECT * FROM laws('s = sum(abs(u %*% t(v) - x)^3 - (x - u %*% t(v))^3)');
-- products of a sum of products
\set gradient 'g = (u %*% t(v) - x) %*% v'
SELECT form(:'gradient');
SELECT * FROM laws(:'gradient');
SELECT count(*) FILTER (WHERE e.value = g.value), count(*) FROM tensor_entries(einsum_value(:'gradient')) e
JOIN (SELECT u.i, k, sum((einsum_scalar('k,k->', u.val, v.val) - coalesce(x.v, 0)) * tensor_get.value) AS value
	FROM u CROSS JOIN v LEFT JOIN x USING (i, j) CROSS JOIN LATERAL (SELECT index[1] AS k, value FROM tensor_entries(v.val)) tensor_get GROUP BY u.i, k) g ON e.index = ARRAY[g.i, g.k];
SELECT * FROM laws('z = (x + b %*% t(c)) %*% c');
SELECT * FROM laws('z = t(x) %*% x %*% v');
SELECT * FROM laws('z = sum(x %*% y %*% x)');
SELECT * FROM laws('z = x %*% y %*% x %*% b');
-- statements are read through
SELECT * FROM laws('p = u %*% t(v); e = x - p; s = sum(e^2)');
-- features that are the sum of joins, and a residual that is computed once
SELECT * FROM laws('f[i,k] = (sum[j] x[i,j] * v[j,k]) + u[i,k] + sum[j] y[i,j] * v[j,k]; z[k,l] = sum[i] f[i,k] * f[i,l]');
SELECT * FROM laws('f[i,k] = (sum[j] x[i,j] * v[j,k]) + u[i,k]; z[k] = sum[i] f[i,k] * (relu(sum[l] f[i,l]) - b[i])');
SELECT * FROM laws('z[k] = sum[i] (u[i,k] + (sum[j] x[i,j] * v[j,k])) * ((sum[l] abs(u[i,l])) - b[i])');
-- some of the sums only
SELECT * FROM laws('z[i] = sum[j] (x[i,j] + b[i] * c[j]) * ((y[i,j] - 1) ^ 2 + 1) * c[j]');
-- like terms, labels that nothing has
SELECT form('z[i] = b[i] + c[i] + b[i] + 2 * c[i] - b[i]');
SELECT * FROM laws('z[i] = b[i] + c[i] + b[i] + 2 * c[i] - b[i]');
SELECT * FROM laws('z[i] = sum[j] (b[i] + x[i,j]) * (b[i] - c[i])');
SELECT form('z[i,j] = x[i,j] / 3 + y[i,j] / 2 + x[i,j] / 3 - y[i,j] / 2');
SELECT * FROM laws('z[i] = max[j] (x[i,j] / 3 + y[i,j] / 2 + x[i,j] / 3 - y[i,j] / 2)');

-- common factors
SELECT form('z[i] = (sum[j] x[i,j] * b[j]) + (sum[j] x[i,j] * c[j])');
SELECT * FROM laws('z[i] = (sum[j] x[i,j] * b[j]) + (sum[j] x[i,j] * c[j])');
SELECT * FROM laws('z = x %*% u - x %*% v');
SELECT form('z[i,j] = b[i] * x[i,j] - b[i] * b[i] * x[i,j]');
SELECT * FROM laws('z[i] = max[j] (b[i] * x[i,j] - b[i] * b[i] * x[i,j])');
SELECT form('z[i,j] = x[i,j] / b[j] + y[i,j] / b[j]');
SELECT * FROM laws('z[i] = max[j] (x[i,j] / b[j] + y[i,j] / b[j])');
SELECT form('z[i] = b[i] / c[i] + c[i] / c[i] - 2 * b[i] / c[i]');
SELECT * FROM laws('z[i] = b[i] / b[i] + c[i] / b[i] - 2 * b[i] / b[i]');
SELECT * FROM laws('z[i] = max[j] (exp(x[i,j]) * b[i] * c[j] + exp(x[i,j]) * b[i] + y[i,j] * b[i] - exp(x[i,j]) * c[j])');
SELECT * FROM laws('z[i] = (sum[j,k] x[i,j] * y[j,k] * b[k]) - (sum[j,k] x[i,k] * y[k,j] * c[j]) + (sum[j] x[j,i])');

-- near misses: what is written is computed, or what means the same
-- a root of it would not be 0 where the loss is
SELECT form('s = sqrt(sum((x - u %*% t(v))^2))');
SELECT form('s = 1 / sum((x - u %*% t(v))^2)');
SELECT form('s = sum((x - u %*% t(v))^2) / sum(b)');
-- but of what is no steeper
SELECT form('s = exp(-sum((x - u %*% t(v))^2) / 1e6)');
-- what is not negative stays so: thirds, of which a loss of 0 is left
CREATE TABLE u3 (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO u3 SELECT n, ARRAY[n / 3.0, (n % 7) / 7.0, 0.1]::float8[]::tensor FROM generate_series(0, 99) n;
CREATE TABLE x3 AS SELECT p.i, q.i AS j, einsum_scalar('k,k->', p.val, q.val) AS v FROM u3 p, u3 q;
ALTER TABLE x3 ADD PRIMARY KEY (i, j);
SELECT einsum_register('u3[I,k]', 'u3', '{i}', 'val', '{100,3}'), einsum_register('x3[I,J]', 'x3', '{i,j}', 'v', '{100,100}');
ANALYZE u3, x3;
SELECT bool_and(einsum_value('s = sum((x3 - u3 %*% t(u3))^2)', alternative => k)::float8 BETWEEN 0 AND 1e-6) AS small FROM generate_series(1, 9) k;
SELECT bool_and(einsum_value('s = sum((x3 - u3 %*% t(u3))^2); r[] = sqrt(s[])', alternative => k)::float8 BETWEEN 0 AND 1e-3) AS small FROM generate_series(1, 9) k;
-- float4
CREATE TABLE u4 AS SELECT i, val::tensor(float4,1) AS val FROM u;
CREATE TABLE x4 (i int, j int, v float4 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO x4 SELECT * FROM x;
SELECT einsum_register('u4[I,k]', 'u4', '{i}', 'val', '{600,4}', duplicates => 'trust'), einsum_register('x4[I,J]', 'x4', '{i,j}', 'v', '{600,600}');
ANALYZE u4, x4;
SELECT form('s = sum((x4 - u4 %*% t(u4))^2)');
SELECT * FROM laws('z = (x4 - u4 %*% t(u4)) %*% u4');
-- additive: duplicates are no squares
CREATE TABLE xa AS SELECT * FROM x UNION ALL SELECT i, j, 1 FROM x WHERE j % 3 = 0;
SELECT einsum_register('xa[I,J]', 'xa', '{i,j}', 'v', '{600,600}', duplicates => 'sum');
ANALYZE xa;
SELECT form('s = sum((xa - u %*% t(v))^2)');
SELECT * FROM laws('s = sum((xa - u %*% t(v))^2)');
SELECT * FROM laws('z = (xa - u %*% t(v)) %*% v');
SELECT * FROM laws('z[i] = sum[j] (xa[i,j] * b[j] + xa[i,j] * c[j])');
-- fills that are not finite
CREATE TABLE d AS TABLE x;
ALTER TABLE d ADD PRIMARY KEY (i, j);
SELECT einsum_register('d[I,J]', 'd', '{i,j}', 'v', '{600,600}', fill => 'Infinity'), einsum_register('d1[I,J]', 'x', '{i,j}', 'v', '{600,600}', fill => 1);
SELECT form('z[i] = max[j] (d[i,j] + y[i,j] - d[i,j])');
SELECT * FROM laws('z[i] = max[j] (d[i,j] + y[i,j] - d[i,j])');
SELECT form('z[i] = min[j] ((d[i,j] + 1) * (b[j] + 1))');
SELECT * FROM laws('z[i] = min[j] ((d[i,j] + 1) * (b[j] + 1))');
SELECT * FROM laws('z[i] = sum[j] (x[i,j] + y[i,j]) * (d1[i,j] - b[i])');
-- results keep their labels
SELECT * FROM laws('z[i] = max[j] ((b[i] + c[j]) * b[i] - c[j] * b[i])');
SELECT * FROM laws('z[i] = max[j] ((x[i,j] + c[j] + b[i]) * b[i] - c[j] * b[i] - x[i,j] * b[i])');
-- an open label is summed in every term, or in none
CREATE TABLE o (g text, i int, v float8 NOT NULL, PRIMARY KEY (g, i));
INSERT INTO o SELECT 'g' || n % 3, n, n % 4 FROM generate_series(0, 99) n;
SELECT einsum_register('o[G,I]', 'o', '{g,i}', 'v', '{*,600}');
ANALYZE o;
SELECT * FROM laws('z[i] = sum[g] o[g,i] * (o[g,i] - b[i]) * (1 + c[i])');
SELECT einsum_value('z[i] = sum[g] (o[g,i] + b[i]) * c[i]');
-- pins: as it stands
SELECT form('s[] = sum[I,j] (x[I,j] - sum[k] u[I,k] * v[j,k])^2');
-- a quotient is not taken apart: 0 / 0 is 0
SELECT form('z[i] = ((sum[j] x[i,j] * (b[i] + c[j])) - (sum[j] x[i,j] * b[i]) - (sum[j] x[i,j] * c[j])) / c[i]');
SELECT * FROM laws('z[i] = ((sum[j] x[i,j] * (b[i] + c[j])) - (sum[j] x[i,j] * b[i]) - (sum[j] x[i,j] * c[j])) / c[i]');

-- no explosion: a square of 12 terms, a product of ten sums of three, powers of powers, long sums
CREATE FUNCTION many() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. 33 LOOP
		EXECUTE format('CREATE TABLE t%s (i int PRIMARY KEY, v float8 NOT NULL)', n);
		EXECUTE format('INSERT INTO t%s SELECT i, (i * %1$s) %% 5 - 2 FROM generate_series(0, 9) i', n);
		PERFORM einsum_register(format('t%s[I]', n), format('t%s', n), '{i}', 'v', '{10}');
	END LOOP;
END $$;
SELECT many();
SELECT (laws('s[] = sum[i] (' || string_agg(format('t%s[i]', n), ' + ') || ')^2')).same FROM generate_series(1, 12) n;
SELECT (laws('s[] = sum[i] ' || string_agg(format('(t%s[i] + t%s[i] - t%s[i])', n, n + 10, n + 20), ' * '))).same FROM generate_series(1, 10) n;
SELECT (laws('s[i] = ' || string_agg(format('t1[i] * t%s[i]', n), ' + '))).same FROM generate_series(2, 33) n;
SELECT (laws('s[i] = ' || repeat('(', 8) || 't1[i] / 4' || repeat(' - 1)^2', 8))).same;
SELECT form('s[i] = ' || repeat('t1[i] + ', 999) || 't1[i]');
SELECT einsum_value('s[i] = ' || repeat('t1[i] + ', 999) || 't1[i]') = einsum_value('s[i] = 1000 * t1[i]') AS same;

SET client_min_messages = warning;
DROP SCHEMA laws_test CASCADE;
