--
-- A star of tables: features of facts are never joined; rows known by a unique key are read once; sums inside a factor
--
\set VERBOSITY terse
\set SHOW_CONTEXT never
CREATE SCHEMA star_test;
SET search_path = star_test, public;
SET extra_float_digits = 0;
-- small integers, so that every form is exact
CREATE TABLE facts (p int PRIMARY KEY, a int NOT NULL, b int NOT NULL, c int NOT NULL, v float8 NOT NULL);
INSERT INTO facts SELECT p, p % 20, p * 7 % 90, p * 11 % 50, 1 + p % 2 FROM generate_series(0, 8999) p WHERE p % 7 > 0;
-- the same, but nothing says that p is a key
CREATE TABLE loose AS TABLE facts;
ALTER TABLE loose ADD PRIMARY KEY (p, a, b, c);
-- without a value
CREATE TABLE links (p int PRIMARY KEY, a int NOT NULL, b int NOT NULL);
INSERT INTO links SELECT p, a, b FROM facts;
CREATE FUNCTION features(i int, lo int, hi int) RETURNS tensor LANGUAGE sql AS $$
	SELECT array_agg(CASE WHEN k BETWEEN lo AND hi THEN (i * 7 + k * 3) % 5 - 1 ELSE 0 END ORDER BY k)::float8[]::tensor FROM generate_series(0, 29) k $$;
CREATE TABLE x AS SELECT i, features(i, 0, 9) AS val FROM generate_series(0, 19) i;
CREATE TABLE y AS SELECT i, features(i, 10, 19) AS val FROM generate_series(0, 89) i;
CREATE TABLE z AS SELECT i, features(i, 20, 29) AS val FROM generate_series(0, 49) i;
ALTER TABLE x ADD PRIMARY KEY (i), ALTER val SET NOT NULL;
ALTER TABLE y ADD PRIMARY KEY (i), ALTER val SET NOT NULL;
ALTER TABLE z ADD PRIMARY KEY (i), ALTER val SET NOT NULL;
CREATE TABLE w AS SELECT features(3, 0, 29) AS val;
CREATE TABLE t (p int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO t SELECT p, p % 3 - 1 FROM generate_series(0, 8999, 2) p;
SELECT einsum_register('f[P,A,B,C]', 'facts', '{p,a,b,c}', 'v', '{9000,20,90,50}'), einsum_register('loose[P,A,B,C]', 'loose', '{p,a,b,c}', 'v', '{9000,20,90,50}'),
	einsum_register('l[P,A,B]', 'links', '{p,a,b}', bounds => '{9000,20,90}'), einsum_register('x[A,k]', 'x', '{i}', 'val', '{20,30}'),
	einsum_register('y[B,k]', 'y', '{i}', 'val', '{90,30}'), einsum_register('z[C,k]', 'z', '{i}', 'val', '{50,30}'),
	einsum_register('w[k]', 'w', '{}', 'val', '{30}'), einsum_register('t[P]', 't', '{p}', 'v', '{9000}');
ANALYZE;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();

CREATE FUNCTION cost(program text, rewrite text) RETURNS float8 LANGUAGE sql AS $$
	SELECT substring(line FROM 'cost=([0-9.]+)')::float8 FROM einsum_plan(program, rewrite => $2, materialize => 'never', result => 'auto') line LIMIT 1 $$;
CREATE FUNCTION form(program text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT line FROM einsum_plan(program, format => 'program', result => 'auto') line $$;
-- have several plans of a program the values of the program as it is written?
CREATE FUNCTION same(program text) RETURNS boolean LANGUAGE sql AS $$
	SELECT bool_and(value = written OR tensor_shape(value) = tensor_shape(written) AND
		(SELECT bool_and(abs(e.value - f.value) <= 1e-9 * (1 + abs(f.value))) FROM tensor_entries(value) e JOIN tensor_entries(written) f USING (index)))
	FROM (SELECT einsum_value(program, rewrite => 'none') AS written) n, (SELECT einsum_value(program, alternative => k) AS value FROM generate_series(1, 3) k
		UNION ALL SELECT einsum_value(program, 'greedy')) v $$;
-- the most rows of a stage that has features, and of the others: no stage has facts and features together
CREATE FUNCTION stages_of_features(program text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT line FROM einsum_plan(program, result => 'auto') line WHERE line ~ '^ *[a-z0-9_]+\[[^]]*P[^]]*\] = .*cost=' AND line ~ '\[[^]]*[kl][^]]*\] = ' AND line !~ 'absorbed' $$;

\set m 'm[p,k] = f[p,a,b,c] * (x[a,k] + y[b,k] + z[c,k]);'
\set covariance :m 's[k,l] = m[p,k] * m[p,l]'
\set gradient :m 'e[p] = sigmoid(sum[k] m[p,k] * w[k]) - t[p]; g[k] = m[p,k] * e[p]'
SELECT * FROM stages_of_features(:'covariance');
SELECT * FROM stages_of_features(:'gradient');
-- not costlier than by hand; what is kept depends on how sums are divided among statements
SELECT cost(:'covariance', 'distribute') < 1.1 * cost('na[a] = sum[p,b,c] f[p,a,b,c]^2; nb[b] = sum[p,a,c] f[p,a,b,c]^2; nc[c] = sum[p,a,b] f[p,a,b,c]^2;
	nab[a,b] = sum[p,c] f[p,a,b,c]^2; nac[a,c] = sum[p,b] f[p,a,b,c]^2; nbc[b,c] = sum[p,a] f[p,a,b,c]^2;
	ab[a,l] = nab[a,b] * y[b,l]; ac[a,l] = nac[a,c] * z[c,l]; bc[b,l] = nbc[b,c] * z[c,l];
	d[k,l] = na[a] * x[a,k] * x[a,l] + nb[b] * y[b,k] * y[b,l] + nc[c] * z[c,k] * z[c,l];
	o[k,l] = x[a,k] * ab[a,l] + x[a,k] * ac[a,l] + y[b,k] * bc[b,l]; s[k,l] = d[k,l] + o[k,l] + o[l,k]', 'none') AS covariance,
	cost(:'gradient', 'distribute') < 1.1 * cost('wa[a] = x[a,k] * w[k]; wb[b] = y[b,k] * w[k]; wc[c] = z[c,k] * w[k];
	z1[p] = f[p,a,b,c] * (wa[a] + wb[b] + wc[c]); e[p] = sigmoid(z1[p]) - t[p];
	ea[a] = f[p,a,b,c] * e[p]; eb[b] = f[p,a,b,c] * e[p]; ec[c] = f[p,a,b,c] * e[p];
	g[k] = ea[a] * x[a,k] + eb[b] * y[b,k] + ec[c] * z[c,k]', 'none') AS gradient;
SELECT same(:'covariance'), same(:'gradient');
-- against plain SQL
SELECT einsum_value(:'covariance') = (SELECT einsum_sum('k,l->kl', row, row) FROM (SELECT f.v * (x.val + y.val + z.val) AS row
	FROM facts f JOIN x ON x.i = a JOIN y ON y.i = b JOIN z ON z.i = c) r) AS same;

-- one row: where a unique key says so
SELECT form('s[] = f[p,a,b,c] * f[p,d,e,g] * t[p]');
SELECT form('s[a] = f[p,a,b,c] * f[p,d,e,g] * t[p]');
SELECT form('s[a,d] = f[p,a,b,c] * f[p,d,e,g]');
SELECT form('s[] = loose[p,a,b,c] * loose[p,d,e,g]');
SELECT form('s[] = f[p,a,b,c] * f[q,a,b,c]');
-- a row that means 1 is its own square
SELECT form('s[b] = l[p,a,b] * l[p,d,e] * t[p]');
SELECT form('s[a,b] = l[p,a,b] * l[p,d,e] * l[p,g,h] * t[p]');
SELECT same('s[] = f[p,a,b,c] * f[p,d,e,g] * t[p]'), same('s[a] = f[p,a,b,c] * f[p,d,e,g] * t[p]'), same('s[a,d] = f[p,a,b,c] * f[p,d,e,g]'),
	same('s[b] = l[p,a,b] * l[p,d,e] * t[p]'), same('s[a,b] = l[p,a,b] * l[p,d,e] * l[p,g,h] * t[p]');
-- not where what is absent is no 0, a block has several indices, rows are added up, or another storage does not say so
SELECT einsum_register('f1[P,A,B,C]', 'facts', '{p,a,b,c}', 'v', '{9000,20,90,50}', fill => 1) IS NULL AS registered;
SELECT form('s[] = f1[p,a,b,c] * f1[p,d,b,c] * t[p]');
CREATE TABLE blocks (p int PRIMARY KEY, a int NOT NULL, val tensor NOT NULL);
INSERT INTO blocks SELECT p, p % 4, ARRAY[p, 1, p % 2]::float8[]::tensor FROM generate_series(0, 9) p;
SELECT einsum_register('blocks[P:3,A]', 'blocks', '{p,a}', 'val', '{30,4}') IS NULL AS registered;
SELECT form('s[] = blocks[p,a] * blocks[p,d]');
SELECT same('s[] = blocks[p,a] * blocks[p,d]');
CREATE TABLE vectors (p int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO vectors SELECT p, ARRAY[p % 3, 1, 2]::float8[]::tensor FROM generate_series(0, 9) p;
SELECT einsum_register('vectors[P,a]', 'vectors', '{p}', 'val', '{10,3}') IS NULL AS registered;
SELECT form('s[] = vectors[p,a] * vectors[p,d]');
SELECT einsum_register('added[P,A,B,C]', 'facts', '{p,a,b,c}', 'v', '{9000,20,90,50}', duplicates => 'sum') IS NULL AS registered;
SELECT form('s[] = added[p,a,b,c] * added[p,d,e,g]');
CREATE TABLE vectors_of_c (p int PRIMARY KEY, a int NOT NULL, b int NOT NULL, val tensor NOT NULL);
INSERT INTO vectors_of_c SELECT p, a, b, (SELECT array_agg(CASE WHEN n = c THEN v ELSE 0 END ORDER BY n)::float8[]::tensor FROM generate_series(0, 49) n) FROM facts;
SELECT einsum_register('loose[P,A,B,c]', 'vectors_of_c', '{p,a,b}', 'val', '{9000,20,90,50}', storage => 'further') IS NULL AS registered;
SELECT form('s[] = loose[p,a,b,c] * loose[p,d,e,g]');
SELECT einsum_unregister('loose', 'loose') IS NULL AS unregistered;
-- one that does not say it of all labels
SELECT form('s[] = loose[p,a,b,c] * loose[p,d,e,g]');
-- what is generated depends on the key
SELECT count(*) FROM einsum_decompose('squares[A] = f[p,a,b,c] * f[p,d,e,g]', name => 'squares');
ALTER TABLE facts DROP CONSTRAINT facts_pkey;
SELECT sum(value) = (SELECT sum(v * v) FROM facts) AS same FROM squares;

-- sums inside: what is joined with the terms is joined once
SELECT form('e[p] = f[p,a,b,c] * (x[a,k] + y[b,k] - z[c,k]) * w[k]');
-- a term that lacks the label is repeated
SELECT form('e[p] = sum[a,b,c,k] f[p,a,b,c] * (x[a,k] + t[p])');
-- not where another factor has the label beside labels of its own, or there is no other
SELECT form('e[p,k] = f[p,a,b,c] * (x[a,k] + y[b,k]) * t[p]');
SELECT same('e[p] = f[p,a,b,c] * (x[a,k] + y[b,k] - z[c,k]) * w[k]'), same('e[p] = sum[a,b,c,k] f[p,a,b,c] * (x[a,k] + t[p])'),
	same('e[p,k] = f[p,a,b,c] * (x[a,k] + y[b,k]) * t[p]'), same('s[a] = sum[b,k] (x[a,k] + y[b,k]) * w[k] * x[a,k]');

SET client_min_messages = warning;
DROP SCHEMA star_test CASCADE;
