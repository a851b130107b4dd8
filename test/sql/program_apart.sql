--
-- Extremes, any and all, and products over labels, of parts
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA apart_test;
SET search_path = apart_test, public;
SET extra_float_digits = 0;
CREATE TABLE x (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO x SELECT n % 50, n % 37, least(n % 7 - 3, n % 50 % 4) FROM generate_series(0, 999) n ON CONFLICT DO NOTHING;
CREATE TABLE y (i int, k int, v float8 NOT NULL, PRIMARY KEY (i, k));
INSERT INTO y SELECT n % 50, n % 41, least(n % 5 - 2, n % 50 / 7 % 3) FROM generate_series(0, 1200) n ON CONFLICT DO NOTHING;
-- rows that mean 1; numbers that are not negative, which is not known
CREATE TABLE r AS SELECT i, j FROM x WHERE v > 2;
ALTER TABLE r ADD PRIMARY KEY (i, j);
CREATE TABLE t AS SELECT i, k FROM y WHERE v > 1 AND i % 3 <> 0;
ALTER TABLE t ADD PRIMARY KEY (i, k);
CREATE TABLE c AS SELECT n AS i, (n % 5 - 1)::float8 AS v FROM generate_series(0, 49) n WHERE n % 4 <> 0;
ALTER TABLE c ADD PRIMARY KEY (i), ALTER v SET NOT NULL;
-- a label without any index; many numbers whose product is infinite
CREATE TABLE nothing (e int PRIMARY KEY, v float8 NOT NULL);
CREATE TABLE large AS SELECT n AS j, 1e20::float8 AS v FROM generate_series(0, 39) n;
ALTER TABLE large ADD PRIMARY KEY (j), ALTER v SET NOT NULL;
SELECT einsum_register('x[I,J]', 'x', '{i,j}', 'v', '{50,40}'), einsum_register('y[I,K]', 'y', '{i,k}', 'v', '{50,60}'), einsum_register('c[I]', 'c', '{i}', 'v', '{50}'),
	einsum_register('r[I,J]', 'r', keys => '{i,j}', bounds => '{50,40}'), einsum_register('t[I,K]', 't', keys => '{i,k}', bounds => '{50,60}'),
	einsum_register('nothing[E]', 'nothing', '{e}', 'v', '{0}'), einsum_register('large[J]', 'large', '{j}', 'v', '{40}');
ANALYZE;
SELECT count(*) FROM einsum_analyze();
-- is a program taken apart where that is free to the planner, is it the same by all plans, and what is the sum of its entries?
CREATE FUNCTION apart(program text, OUT apart boolean, OUT same boolean, OUT total float8) LANGUAGE plpgsql AS $$
DECLARE
	written tensor := einsum_value(program, rewrite => 'none');
BEGIN
	apart := EXISTS (SELECT FROM einsum_plan(program, plans => 8, result => 'auto') line WHERE line LIKE '%taken apart%');
	same := (SELECT bool_and(value = written) FROM (SELECT einsum_value(program, alternative => k) AS value
			FROM generate_series(1, (SELECT count(*)::int FROM einsum_plan(program, plans => 8, result => 'auto') line WHERE line LIKE 'Plan %')) k
		UNION ALL SELECT einsum_value(program, 'greedy') UNION ALL SELECT einsum_value(program, rewrite => 'reassociate')) v);
	total := (SELECT sum(value) FROM tensor_entries(written));
END $$;
CREATE FUNCTION form(program text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT line FROM einsum_plan(program, format => 'program', result => 'auto') line $$;

-- what an aggregate repeats: of all parts
SELECT form('z[i] = max[j,k] greatest(x[i,j], y[i,k])');
SELECT * FROM apart('z[i] = max[j,k] greatest(x[i,j], y[i,k])');
SELECT * FROM apart('z[i] = min[j,k] least(x[i,j], y[i,k])');
SELECT * FROM apart('z[i] = max[j] greatest(x[i,j], abs(x[i,j]) - 2)');
-- what lacks a label stays outside
SELECT form('z[i] = max[j,k] (x[i,j] + y[i,k])');
SELECT * FROM apart('z[i] = max[j,k] (x[i,j] + y[i,k])');
SELECT * FROM apart('z[i] = min[j] (x[i,j] + c[i])');
SELECT form('z[i] = max[j] (x[i,j] + 3)');
SELECT * FROM apart('z[i] = max[j,k] least(x[i,j], y[i,k])');
SELECT * FROM apart('z[i] = min[j,k] greatest(x[i,j], y[i,k])');
-- what is not negative; the other factor may be
SELECT form('z[i] = max[j,k] (x[i,j] * (1 + y[i,k]^2))');
SELECT * FROM apart('z[i] = max[j] x[i,j] * (1 + c[i]^2)');
SELECT * FROM apart('z[i] = min[j,k] (1 + x[i,j]^2) * (1 + y[i,k]^2)');
-- from what may be negative outwards
SELECT * FROM apart('z[k] = min[i,j] t[i,k] * r[i,j] * sin(large[j])');
SELECT * FROM apart('z[] = min[i,j,k] t[i,k] * sin(large[j]) * r[i,j] * (c[i] > 1)');
-- any and all, in several disguises
SELECT form('z[i] = any[j,k] greatest(r[i,j], t[i,k])');
SELECT * FROM apart('z[i] = any[j,k] greatest(r[i,j], t[i,k])');
SELECT * FROM apart('z[i] = any[j,k] (r[i,j] + t[i,k])');
SELECT * FROM apart('z[i] = any[j,k] ((x[i,j] > 2) + (y[i,k] > 1) > 0)');
SELECT * FROM apart('z[i] = all[j,k] (x[i,j] < 3) * (y[i,k] < 2)');
SELECT * FROM apart('z[i] = all[j,k] least(x[i,j] < 3, y[i,k] < 2)');
SELECT * FROM apart('z[i] = all[j,k] greatest(x[i,j] < 2, y[i,k] < 1)');
SELECT * FROM apart('z[i] = all[j,k] (abs(x[i,j] - 3) + abs(y[i,k] - 2))');
SELECT * FROM apart('z[i] = prod[j,k] (x[i,j] < 3) * (y[i,k] < 2)');
-- in functions and across statements
SELECT * FROM apart('m[i] = max[j,k] (x[i,j] + y[i,k]); z[i] = exp(-m[i]) * m[i]');

-- near misses: parts that share the label
SELECT * FROM apart('z[i] = max[j] (x[i,j] + r[i,j])');
SELECT * FROM apart('z[i] = any[j] ((x[i,j] > 2) * (x[i,j] < 1))');
-- factors that may be negative
SELECT * FROM apart('z[i] = max[j] exp(x[i,j]) * c[i]');
SELECT * FROM apart('z[i] = max[j,k] sin(x[i,j]) * sin(y[i,k])');
SELECT * FROM apart('z[k] = max[i,j] y[i,k] * r[i,j] * sin(large[j])');
-- sums that may cancel, in which nothing is known of the sign; the least of numbers
SELECT * FROM apart('z[i] = any[j,k] (x[i,j] + y[i,k])');
SELECT * FROM apart('z[i] = any[j] (x[i,j] + c[i])');
-- a product of which a part is infinite
SELECT einsum_value('z[] = prod[j] large[j] * ((large[j] > 0) / 1e20)');
SELECT * FROM apart('z[i] = prod[j] large[j] * (c[i] + 1)');
-- the greatest of nothing is -infinity, whatever it is of
SELECT * FROM apart('z[i] = max[e,j] greatest(x[i,j], nothing[e])');
SELECT * FROM apart('z[i] = max[e,j] least(x[i,j], nothing[e])');
SELECT * FROM apart('z[i] = min[e,j] least(x[i,j], nothing[e])');
-- a sum over no index of terms that lack it is that of those that have it, also as a program
SELECT form('m[i] = sum[e] (nothing[e] + abs(c[i]) + c[i]); z[] = sum[i,e] (nothing[e] * c[i] + relu(c[i]))');
SET client_min_messages = warning;
DROP SCHEMA apart_test CASCADE;
