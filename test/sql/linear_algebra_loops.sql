--
-- The inner loops of ALS, GLM, SVM, MLR and PNMF as linear algebra (SPORES, section 4.2)
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA loops;
SET search_path = loops, public;
SET extra_float_digits = 0;
-- a sparse matrix, its factors; a design matrix, weights and labels
CREATE TABLE v (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO v SELECT n, (n * 7 + k * k * 13) % 400, 1 + (n + k) % 3 FROM generate_series(0, 599) n, generate_series(1, 5) k ON CONFLICT DO NOTHING;
CREATE TABLE w (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO w SELECT n, ARRAY[1 + n % 3, 1 + n % 2, 1, 1 + n % 5]::float8[]::tensor FROM generate_series(0, 599) n;
CREATE TABLE h (j int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO h SELECT n, ARRAY[1 + n % 2, 1, 1 + n % 4, 1 + n % 3]::float8[]::tensor FROM generate_series(0, 399) n;
CREATE TABLE x (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO x SELECT n, (n * 11 + k * 29) % 30, (n * k) % 5 - 2 FROM generate_series(0, 599) n, generate_series(1, 4) k ON CONFLICT DO NOTHING;
CREATE FUNCTION make(name text, n int, value text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %s (i int PRIMARY KEY, v float8 NOT NULL); INSERT INTO %1$s SELECT n, %s FROM generate_series(0, %s - 1) n; ANALYZE %1$s', name, value, n);
	PERFORM einsum_register(name || '[I]', name, '{i}', 'v', ARRAY[n::text]);
END $$;
SELECT make('p', 600, '(1 + n % 4) / 8.0'), make('y', 600, '2 * (n % 2) - 1'), make('weight', 600, '1 + n % 3'), make('beta', 30, 'n % 4 - 1.0'), make('d', 30, 'n % 3 - 1.0'), make('xw', 600, '(n % 5 - 2) / 4.0'), make('xd', 600, '(n % 7 - 3) / 4.0');
SELECT einsum_register('v[I,J]', 'v', '{i,j}', 'v', '{600,400}'), einsum_register('x[I,J]', 'x', '{i,j}', 'v', '{600,30}'),
	einsum_register('w[I,k]', 'w', '{i}', 'val', '{600,4}'), einsum_register('h[J,k]', 'h', '{j}', 'val', '{400,4}');
ANALYZE v, w, h, x;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
-- the product of the factors is no kernel
SET sparseeinsum.max_kernel_bytes = '64kB';

-- bytes of the largest tensor that a stage leaves, and how often a tensor is read; of what is run
CREATE FUNCTION lines(program text, rewrite text DEFAULT NULL) RETURNS TABLE (line text, stage text) LANGUAGE sql AS $$
	WITH l AS (SELECT n, line, count(*) FILTER (WHERE line ~ '^  [^ ]') OVER (ORDER BY n) AS stage FROM einsum_plan(program, rewrite => rewrite, result => 'auto') WITH ORDINALITY AS l(line, n)),
	absorbed AS (SELECT stage FROM l WHERE line ~ '^  [^ ].*absorbed')
	SELECT line, substring(line FROM '^  (\w+)\[') FROM l WHERE stage NOT IN (SELECT stage FROM absorbed) ORDER BY n $$;
CREATE FUNCTION largest(program text, rewrite text DEFAULT NULL) RETURNS float8 LANGUAGE sql AS
$$ SELECT max(substring(line FROM 'tuples=([0-9.]+)')::float8 * substring(line FROM 'bytes=([0-9.]+)')::float8) FROM lines(program, rewrite) WHERE stage IS NOT NULL $$;
CREATE FUNCTION reads(program text, tensor text, rewrite text DEFAULT NULL) RETURNS bigint LANGUAGE sql AS
$$ SELECT count(*) FROM lines(program, rewrite) WHERE line ~ format('^    %s: (table|stage)', tensor) $$;
CREATE FUNCTION cost(program text, rewrite text DEFAULT NULL) RETURNS float8 LANGUAGE sql AS
$$ SELECT substring(line FROM 'cost=([0-9.]+)')::float8 FROM einsum_plan(program, rewrite => rewrite, result => 'auto') line LIMIT 1 $$;
CREATE FUNCTION near(program text) RETURNS boolean LANGUAGE sql AS
$$ SELECT bool_and(e.value = f.value OR abs(e.value - f.value) <= 1e-11 * greatest(abs(f.value), 1))
	FROM tensor_entries(einsum_value(program)) e FULL JOIN tensor_entries(einsum_value(program, rewrite => 'none')) f USING (index) $$;

CREATE TABLE loop (algorithm text, step text, program text);
INSERT INTO loop VALUES
	('ALS', 'gradient', 'g = (w %*% t(h) - v) %*% h + 0.5 * w'),
	('ALS', 'gradient, weighted', 'g = ((v != 0) * (w %*% t(h) - v)) %*% h + 0.5 * w'),
	('ALS', 'loss', 'o = sum((w %*% t(h) - v)^2) + 0.5 * (sum(w^2) + sum(h^2))'),
	('PNMF', 'update of h', 'n = h * t(t(w) %*% (v / (w %*% t(h)))) / colSums(w)'),
	('PNMF', 'update of w', 'n = w * ((v / (w %*% t(h))) %*% h) / colSums(h)'),
	('PNMF', 'objective', 'wh = w %*% t(h); o = sum(wh) - sum(v * ln(wh))'),
	('PNMF', 'update and objective, which share the product', 'wh = w %*% t(h); q = v / wh; n = w * (q %*% h) / colSums(h); o = sum(wh) - sum(v * ln(wh)); r = sum(n) + o'),
	('MLR', 'P*X - P*rowSums(P)*X', 'm = p * x - p * rowSums(p) * x'),
	('MLR', 'times a vector', 'g = t(p * x - p * rowSums(p) * x) %*% y'),
	('MLR', 'Hessian times a vector', 'q = p * (x %*% d); hv = t(x) %*% (q - p * rowSums(q)) + 0.5 * d'),
	('GLM', 'Hessian times a vector', 'q = t(x) %*% (weight * (x %*% d)) + 0.1 * d'),
	('GLM', 'gradient', 'g = t(x) %*% (weight * (y - sigmoid(x %*% beta))) - 0.1 * beta'),
	('GLM', 'step', 'q = t(x) %*% (weight * (x %*% d)) + 0.1 * d; a = sum(beta * beta) / sum(d * q)'),
	('SVM', 'line search', 'o = 1 - y * (xw + 0.5 * xd); s = o > 0; g = 0.1 * sum(beta * d) + 0.5 * sum(d * d) - sum(o * s * y * xd); k = sum(d * d) + sum(xd * s * xd); z = g / k'),
	('SVM', 'gradient', 'o = 1 - y * (xw + 0.5 * xd); s = o > 0; g = t(x) %*% (o * s * y) - 0.1 * beta'),
	('SVM', 'objective', 'o = 1 - y * (xw + 0.5 * xd); s = o > 0; f = 0.5 * sum((o * s) * (o * s)) + 0.05 * sum(beta * beta)');

-- the product of the factors is nowhere stored in ALS and PNMF; as they are written it is
SELECT algorithm, step, largest(program) < 600 * 400 * 8 / 10 AS small, largest(program, 'none') >= 600 * 400 * 8 AS as_written, near(program) FROM loop WHERE algorithm IN ('ALS', 'PNMF');
-- P * (1 - P) * X in MLR, with X read once
SELECT algorithm, step, reads(program, 'x') AS reads, reads(program, 'x', 'none') AS as_written, near(program) FROM loop WHERE algorithm = 'MLR';
SELECT line FROM einsum_plan((SELECT program FROM loop WHERE step = 'P*X - P*rowSums(P)*X'), format => 'program', result => 'auto') line;
-- nothing is costlier than as it is written
SELECT algorithm, step, cost(program) <= cost(program, 'none') + 1e-9 AS cheap, near(program) FROM loop;
-- a quotient is 0 where v is, whatever it is divided by, also where v has stored zeros and what is divided by is 0, infinite or NaN
CREATE TABLE few (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO few SELECT n, (n * 7 + k) % 400, k FROM generate_series(0, 599) n, generate_series(0, 1) k;
CREATE TABLE odd (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO odd SELECT n, (ARRAY['[0,0]', '[1,-1]', '[Infinity,1]', '[NaN,0]'])[1 + n % 4]::tensor FROM generate_series(0, 599) n;
CREATE TABLE ones (j int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO ones SELECT n, '[1,1]' FROM generate_series(0, 399) n;
SELECT einsum_register('few[I,J]', 'few', '{i,j}', 'v', '{600,400}'), einsum_register('odd[I,k]', 'odd', '{i}', 'val', '{600,2}'), einsum_register('ones[J,k]', 'ones', '{j}', 'val', '{400,2}');
ANALYZE few, odd, ones;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
SELECT count(*) FILTER (WHERE line ~ 'restricted sum') > 0 AS restricted FROM einsum_plan('q[i,j] = few[i,j] / (sum[k] odd[i,k] * ones[j,k])', plans => 20, result => 'auto') line;
SELECT rewrite, value, count(*) FROM (VALUES ('distribute'), ('none')) r(rewrite), tensor_entries(einsum_value('q[i,j] = few[i,j] / (sum[k] odd[i,k] * ones[j,k])', rewrite => rewrite)) GROUP BY rewrite, value ORDER BY rewrite, value;
DROP SCHEMA loops CASCADE;
