--
-- The contract of docs/semantics.md: what programs mean on dense arrays, in
-- every plan, and what they do when tables change. The expected values are
-- numpy's.
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA semantics_test;
SET search_path = semantics_test, public;

-- fills 0, 1 and infinities; full, partly full and empty rows; scalars and vectors as values
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, -1), (0, 1, -2), (0, 2, -4), (1, 1, -4);
CREATE TABLE d (LIKE a INCLUDING ALL);
INSERT INTO d VALUES (0, 1, 1), (1, 2, 2), (0, 2, 8);
CREATE TABLE p (LIKE a INCLUDING ALL);
INSERT INTO p VALUES (0, 0, 2), (0, 1, 4), (2, 2, 0.5);
CREATE TABLE b (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO b VALUES (0, 3), (2, -2);
CREATE TABLE c (LIKE b INCLUDING ALL);
INSERT INTO c VALUES (1, 5), (2, 0);
CREATE TABLE lo (LIKE b INCLUDING ALL);
INSERT INTO lo VALUES (1, 7);
CREATE TABLE m (v tensor);
INSERT INTO m VALUES ('[[1,0,2],[0,3,0],[0,0,0]]');
CREATE TABLE q (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO q VALUES (0, '[1,0]'), (2, '[-1,4]');
CREATE TABLE u (i int, v float8);
INSERT INTO u VALUES (0, 1), (0, 2), (1, 5);
CREATE TABLE n_base (i int UNIQUE, v float8);
INSERT INTO n_base VALUES (0, 2), (1, NULL), (NULL, 9), (NULL, 1000);
CREATE VIEW n AS SELECT * FROM n_base;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}'), einsum_register('d[I,J]', 'd', '{i,j}', 'v', '{3,3}', fill => 'Infinity'),
	einsum_register('p[I,J]', 'p', '{i,j}', 'v', '{3,3}', fill => 1), einsum_register('b[I]', 'b', '{i}', 'v', '{3}'),
	einsum_register('c[J]', 'c', '{i}', 'v', '{3}'), einsum_register('lo[I]', 'lo', '{i}', 'v', '{3}', fill => '-Infinity'),
	einsum_register('m[i,j]', 'm', '{}', 'v'), einsum_register('q[I,k]', 'q', '{i}', 'v', '{3,2}'),
	einsum_register('u[I]', 'u', '{i}', 'v', '{3}', duplicates => 'sum'), einsum_register('n[I]', 'n', '{i}', 'v', '{3}', duplicates => 'trust');

-- Compares a program's value under every search, rewriting and form of result,
-- under the first plans by cost, and with all labels promoted and all demoted.
CREATE FUNCTION every_plan(program text, expected tensor, OUT plans int, OUT wrong text) LANGUAGE plpgsql AS $$
DECLARE
	promoted text := (SELECT string_agg(part[1] || upper(part[2]), '') FROM regexp_matches(program || ' ', '([^\[]*)(\[[^\]]*\]|$)', 'g') part);
	demoted text := (SELECT string_agg(part[1] || regexp_replace(part[2], '([a-z])', '\1:*', 'g'), '') FROM regexp_matches(program || ' ', '([^\[]*)(\[[^\]]*\]|$)', 'g') part);
	options text;
	value tensor;
	text_used text;
BEGIN
	plans := 0;
	FOREACH options IN ARRAY ARRAY['', 'promoted', 'demoted', 'search => ''as_written''', 'search => ''greedy''',
		'rewrite => ''none''', 'rewrite => ''reassociate''', 'result => ''rows''', 'result => ''dense''', 'estimator => ''chain''',
		'alternative => 2', 'alternative => 3', 'alternative => 4', 'alternative => 5', 'alternative => 6', 'alternative => 7'] LOOP
		text_used := CASE options WHEN 'promoted' THEN promoted WHEN 'demoted' THEN demoted ELSE program END;
		BEGIN
			EXECUTE 'SELECT einsum_value($1' || CASE WHEN options LIKE '%=>%' THEN ', ' || options ELSE '' END || ')' INTO value USING text_used;
			plans := plans + 1;
			IF value IS DISTINCT FROM expected THEN
				wrong := concat_ws('; ', wrong, options || ': ' || coalesce(value::text, 'NULL'));
			END IF;
		EXCEPTION WHEN OTHERS THEN
			-- there may be fewer plans
			EXIT WHEN options LIKE 'alternative%' AND SQLSTATE = '22023';
			wrong := concat_ws('; ', wrong, options || ': ' || SQLERRM);
		END;
	END LOOP;
END $$;

-- aggregates take the entries that are not stored for fill: full, partly full and empty rows
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[i] = max[j] a[i,j]', '[-1,0,0]'),
	('z[i] = min[j] a[i,j]', '[-4,-4,0]'),
	('z[] = max[i,j] a[i,j]', '0'),
	('z[i] = prod[j] a[i,j]', '[-8,0,0]'),
	('z[i] = any[j] a[i,j]', '[1,1,0]'),
	('z[i] = all[j] a[i,j]', '[1,0,0]'),
	('z[i] = max[k] q[i,k]', '[1,0,4]'),
	('z[k] = max[i] q[i,k]', '[1,4]'),
	('z[k] = min[i] q[i,k]', '[-1,0]'),
	('z[i] = prod[j] p[i,j]', '[8,1,0.5]'),
	('z[] = prod[i,j] p[i,j]', '4'),
	('z[i] = sum[j] p[i,j]', '[7,3,2.5]'),
	('z[] = p[i,j]', '12.5'),
	('z[i] = max[j] p[i,j]', '[4,1,1]'),
	('z[i] = min[j] d[i,j]', '[1,2,Infinity]'),
	('z[] = max[i] lo[i]', '7'),
	('z[i] = prod[j] (p[i,j] * 2)', '[64,8,4]'),
	('z[i] = sum[j] (p[i,j] + a[i,j])', '[0,-1,2.5]'),
	('z[i] = max[j] a[i,j] * c[j]', '[0,0,0]'),
	('z[i] = max[j] (a[i,j] + c[j])', '[3,1,5]')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- functions that are not 0 at 0
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[i,j] = 2 ^ a[i,j]', '[[0.5,0.25,0.0625],[1,0.0625,1],[1,1,1]]'),
	('z[i] = sum[j] 2 ^ a[i,j]', '[0.8125,2.0625,3]'),
	('z[j] = prod[i] 2 ^ a[i,j]', '[0.5,0.015625,0.0625]'),
	('z[i,j] = (a[i,j] == 0)', '[[0,0,0],[1,0,1],[1,1,1]]'),
	('z[i] = sum[j] (a[i,j] >= -1)', '[1,2,3]'),
	('z[i] = 1 - b[i]', '[-2,1,3]'),
	('z[i] = if(b[i] > 0, 8, c[i])', '[8,5,0]'),
	('z[i] = if(b[i], 2 ^ c[i], -1)', '[1,-1,1]'),
	('z[] = sum[i] 2 * sigmoid(b[i] - b[i])', '3')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- unions: of other supports, of other labels, of three and more
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[i] = b[i] + c[i]', '[3,5,-2]'),
	('z[i,j] = b[i] + c[j]', '[[3,8,3],[0,5,0],[-2,3,-2]]'),
	('z[i,j] = a[i,j] - b[i] + c[j]', '[[-4,0,-7],[0,1,0],[2,7,2]]'),
	('z[i,j] = a[i,j] - (m[i,j] - (b[i] - c[j]))', '[[1,-4,-3],[0,-12,0],[-2,-7,-2]]'),
	('z[i,j] = greatest(a[i,j], m[i,j])', '[[1,0,2],[0,3,0],[0,0,0]]'),
	('z[i,j] = least(b[i], c[j])', '[[0,3,0],[0,0,0],[-2,-2,-2]]'),
	('z[i] = greatest(b[i], 1)', '[3,1,1]'),
	('z[i,j] = greatest(d[i,j], b[i] + 1)', '[[Infinity,4,8],[Infinity,Infinity,2],[Infinity,Infinity,Infinity]]'),
	('z[i,j] = least(d[i,j], p[i,j])', '[[2,1,1],[1,1,1],[1,1,0.5]]'),
	('z[i,j] = least(lo[i], p[i,j])', '[[-Infinity,-Infinity,-Infinity],[1,1,1],[-Infinity,-Infinity,-Infinity]]'),
	('z[i,j] = greatest(lo[i], p[i,j])', '[[2,4,1],[7,7,7],[1,1,0.5]]'),
	('z[i,k] = q[i,k] + b[i]', '[[4,3],[0,0],[-3,2]]'),
	('z[i] = sum[j] (a[i,j] + b[i])', '[2,-4,-6]'),
	('z[i] = max[j] (b[i] - c[j])', '[3,0,-2]'),
	('z[i,j] = (a[i,j] <> m[i,j])', '[[1,1,1],[0,1,0],[0,0,0]]'),
	('z[i,j] = (b[i] <> c[j]) * p[i,j]', '[[2,4,1],[0,1,0],[1,1,0.5]]')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- factors and divisors that are absent: 0 times, 0 divided by, and by 0
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[i,j] = a[i,j] * p[i,j]', '[[-2,-8,-4],[0,-4,0],[0,0,0]]'),
	('z[i,j] = m[i,j] * b[i]', '[[3,0,6],[0,0,0],[0,0,0]]'),
	('z[i,j] = m[i,j] / p[i,j]', '[[0.5,0,2],[0,3,0],[0,0,0]]'),
	('z[i] = b[i] / c[i]', '[Infinity,0,-Infinity]'),
	('z[i] = c[i] / b[i]', '[0,Infinity,0]'),
	('z[i,j] = a[i,j] / m[i,j]', '[[-1,-Infinity,-2],[0,-1.3333333333333333,0],[0,0,0]]'),
	('z[i,j] = a[i,j] / (sum[j] m[i,j])', '[[-0.3333333333333333,-0.6666666666666666,-1.3333333333333333],[0,-1.3333333333333333,0],[0,0,0]]'),
	('z[i] = 1 / b[i]', '[0.3333333333333333,Infinity,-0.5]'),
	('z[i,j] = a[i,j] * (b[i] + c[j])', '[[-3,-16,-12],[0,-20,0],[0,0,0]]'),
	('z[i] = (sum[j] a[i,j]) / (max[j] m[i,j])', '[-3.5,-1.3333333333333333,0]'),
	('z[i] = (sum[j] a[i,j]) / b[i]', '[-2.3333333333333335,-Infinity,0]'),
	('z[i] = sum[j] (a[i,j] * 0) / b[j]', '[0,0,0]'),
	('z[i] = sum[j] (0 / 1 * a[i,j]) * p[i,j] / b[j]', '[0,0,0]')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- min-plus, max-plus: infinities as fill
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[i,k] = min[j] (d[i,j] + d[j,k])', '[[Infinity,Infinity,3],[Infinity,Infinity,Infinity],[Infinity,Infinity,Infinity]]'),
	('z[i] = min[j] (d[i,j] + b[j])', '[1,0,Infinity]'),
	('z[i,j] = least(d[i,j], min[k] (d[i,k] + d[k,j]))', '[[Infinity,1,3],[Infinity,Infinity,2],[Infinity,Infinity,Infinity]]'),
	('z[i] = max[j] (m[i,j] + lo[j])', '[7,10,7]'),
	('z[i,j] = 1 / d[i,j]', '[[0,1,0.125],[0,0,0.5],[0,0,0]]'),
	('z[i] = sum[j] 2 ^ -d[i,j]', '[0.50390625,0.25,0]')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- repeated labels, labels that do not occur, one tensor many times, bounds of one
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[i] = a[i,i]', '[-1,-4,0]'),
	('z[i] = p[i,i]', '[2,1,0.5]'),
	('z[] = m[i,i]', '4'),
	('z[i] = max[j] p[i,i] * a[j,j]', '[0,0,0]'),
	('z[] = max[i] a[i,i]', '0'),
	('z[i] = sum[j] (b[i] + 0 * c[j])', '[9,0,-6]'),
	('z[i] = max[j] (b[i] + 0 * c[j])', '[3,0,-2]'),
	('z[i] = prod[j] (2 * b[i] + a[i,j] * 0)', '[216,0,-64]'),
	('z[i] = prod[j] if(1 > 0, b[i], c[j])', '[27,0,-8]'),
	('z[i] = sum[j] if(1 > 0, b[i], c[j])', '[9,0,-6]'),
	('z[i] = max[j] if(1 > 0, b[i], c[j])', '[3,0,-2]'),
	('z[] = a[i,j]*a[j,k]*a[k,i]', '-65'),
	('z[i] = (sum[j] a[i,j]) * (sum[j] a[j,i])', '[7,24,0]'),
	('z[i,j] = (max[k] a[i,k]*m[j,k]) - (max[k] a[j,k]*m[i,k])', '[[0,0,0],[0,0,0],[0,0,0]]'),
	('z[i,j] = (max[k] (a[i,k]+m[j,k])) * b[i] + (max[k] (a[j,k]+m[i,k]))*2', '[[0,7,1],[2,0,6],[-6,-6,0]]'),
	('z[i,j] = a[j,i] + 1', '[[0,1,1],[-1,-3,1],[-3,1,1]]'),
	('z[i,j] = p[j,i]', '[[2,1,1],[4,1,1],[1,1,0.5]]'),
	('z[i,l] = a[i,j]*m[j,k]*p[k,l]', '[[-10,-12,-8],[-12,-12,-12],[0,0,0]]'),
	('z[i] = a[i,j]*m[j,k]*p[k,l]*b[l]', '[-14,-12,0]'),
	('z[i] = a[i,j]*m[j,k]/p[k,j]', '[-8.5,-12,0]'),
	('z[i] = m[i,j]*m[j,k]*(1 + c[k])*p[k,i]', '[4,54,0]'),
	('z[] = a[i,j]*m[j,k]*(1 - b[i]*c[k])', '69')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- some labels promoted, others demoted: a tuple that is missing covers several entries
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[] = prod[I,k] (q[I,k] + 2)', '144'),
	('z[] = sum[I,k] 2 ^ q[I,k]', '21.5'),
	('z[] = max[I,k] (q[I,k] - 5)', '-1'),
	('z[] = prod[I,j] (p[I,j] * 2)', '2048'),
	('z[j] = prod[I] (p[I,j] * 2)', '[16,32,4]'),
	('z[l] = sum[I,k] 2 ^ q[I,k] * (1 + p[l,I])', '[52,43,34.75]'),
	('z[i] = min[J,k] (q[J,k] + d[i,J])', '[1,1,Infinity]'),
	('z[i] = any[J,k] (q[J,k] > a[i,J])', '[1,1,1]')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- shared results: of several statements, with fills of their own
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('y[i,j] = 2 ^ a[i,j]; z[i,k] = max[j] y[i,j] * m[j,k]', '[[0.5,0.75,1],[1,0.1875,2],[1,3,2]]'),
	('y[i] = 1 / b[i]; z[i] = min[j] (y[j] + p[i,j])', '[0.5,0.5,0]'),
	('y[i,j] = d[i,j] + 1; z[i,j] = least(y[i,j], y[j,i])', '[[Infinity,2,9],[2,Infinity,3],[9,3,Infinity]]'),
	('y[j,i] = max[k] (a[i,k] + m[j,k]); z[i,j] = (max[k] (a[i,k] + m[j,k])) * b[i] + y[i,j]', '[[0,5,-1],[1,0,3],[-5,-6,0]]'),
	('y[j,i] = max[k] (a[i,k] + m[j,k]); x[i,j] = 2 * max[k] (a[j,k] + m[i,k]); z[i,j] = x[i,j] - y[j,i]', '[[0,3,5],[0,0,6],[-4,-3,0]]'),
	('y[] = min[i,j] p[i,j]; z[i] = b[i] - y[]', '[2.5,-0.5,-2.5]')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- additive duplicates: a square is that of the sum
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[i] = u[i]', '[3,5,0]'),
	('z[i] = u[i] * u[i]', '[9,25,0]'),
	('z[] = u[i]', '8'),
	('z[] = u[i]*u[i]', '34'),
	('z[i] = max[j] u[i]*p[i,j]', '[12,5,0]'),
	('z[] = sum[i] abs(u[i])', '8'),
	('z[] = max[i] u[i]', '5'),
	('z[] = sum[i] u[i]^2', '34')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- what adds up to 0 is 0 divided by 0
CREATE TABLE cancelled (i int, v float8);
INSERT INTO cancelled VALUES (0, 3), (1, 2), (0, -3), (1, 2);
CREATE TABLE divisor (i int PRIMARY KEY, v float8);
INSERT INTO divisor VALUES (1, 4);
SELECT einsum_register('cancelled[I]', 'cancelled', '{i}', 'v', '{2}', duplicates => 'sum'), einsum_register('divisor[I]', 'divisor', '{i}', 'v', '{2}');
SELECT program, expected, plans > 1 AS planned, wrong FROM (VALUES
	('z[i] = cancelled[i] / divisor[i]', '[0,1]'),
	('z[] = sum[i] cancelled[i] / divisor[i]', '1'),
	('z[] = sum[i] -(3 * cancelled[i] / 2) / divisor[i]', '-1.5')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
-- rows with NULL keys or values are absent
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[i] = n[i]', '[2,0,0]'),
	('z[] = n[i]', '2'),
	('z[i] = n[i] + 1', '[3,1,1]'),
	('z[] = sum[i] 2 ^ n[i]', '6'),
	('z[] = max[i] (n[i] - 3)', '-1')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);

-- also where columns were NOT NULL when the view was made, but for those of its primary key
BEGIN;
CREATE TABLE nn (i int NOT NULL, j int NOT NULL, v float8 NOT NULL, UNIQUE (i, j));
INSERT INTO nn VALUES (0, 0, 4), (0, 1, -1), (0, 2, 8), (1, 0, -2), (1, 1, -2), (1, 2, -2);
SELECT einsum_register('nn[I,J]', 'nn', '{i,j}', 'v', '{3,3}');
SELECT count(*) AS stages FROM einsum_decompose('zn[I] = max[j] nn[i,j]; zp[I] = prod[j] (2 + nn[i,j]); zc[I] = sum[j] 2 ^ nn[i,j]', 'of_not_null');
SELECT count(*) AS stages FROM einsum_decompose('zk[I] = max[j] a[i,j]', 'of_key');
SELECT pg_get_viewdef('zn') LIKE '%i IS NOT NULL%j IS NOT NULL%v IS NOT NULL%' AS tested, pg_get_viewdef('zk') ~ '[ij] IS NOT NULL' AS key_tested, pg_get_viewdef('zk') LIKE '%v IS NOT NULL%' AS value_tested;
SELECT i, coalesce(zn.value, 0) AS max, zp.value AS prod, zc.value AS sum FROM zp JOIN zc USING (i) LEFT JOIN zn USING (i) ORDER BY i;
ALTER TABLE nn ALTER i DROP NOT NULL, ALTER j DROP NOT NULL, ALTER v DROP NOT NULL;
UPDATE nn SET v = NULL WHERE i = 0 AND j = 1;
UPDATE nn SET j = NULL WHERE i = 1 AND j = 1;
INSERT INTO nn VALUES (NULL, 0, 9), (NULL, NULL, 9), (1, NULL, 9);
SELECT i, coalesce(zn.value, 0) AS max, zp.value AS prod, zc.value AS sum FROM zp JOIN zc USING (i) LEFT JOIN zn USING (i) ORDER BY i;
ROLLBACK;

-- scalars of nothing
BEGIN;
DELETE FROM a; DELETE FROM b; DELETE FROM p; DELETE FROM d; DELETE FROM m;
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES
	('z[] = a[i,j]*b[j]', '0'), ('z[] = max[i] b[i]', '0'), ('z[] = prod[i] b[i]', '0'), ('z[] = prod[i,j] p[i,j]', '1'), ('z[] = p[i,j]', '9'),
	('z[] = min[i,j] d[i,j]', 'Infinity'), ('z[] = 1 + sum[i] b[i]', '1'), ('z[] = m[i,j]', '0'), ('z[] = any[i] b[i]', '0'), ('z[i] = 2 ^ b[i]', '[1,1,1]')
) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
ROLLBACK;
-- statistics that are out of date justify nothing
BEGIN;
DELETE FROM b;
SELECT count(*) > 0 AS measured FROM einsum_analyze('b');
SELECT count(*) AS stages FROM einsum_decompose('zs[I] = b[i] + 2 ^ c[i]', 'stale');
INSERT INTO b VALUES (0, 3), (1, 10), (2, -2);
SELECT * FROM zs ORDER BY i;
ROLLBACK;

-- a key out of range is an error of every query that reads the row, in every plan, unless a constraint proves that no key is
CREATE FUNCTION errors(program text) RETURNS TABLE (plans bigint, code text, message text, hint boolean) LANGUAGE plpgsql AS $$
DECLARE
	options text;
	the_hint text;
BEGIN
	CREATE TEMP TABLE found (code text, message text, hint boolean) ON COMMIT DROP;
	FOREACH options IN ARRAY ARRAY['', ', search => ''as_written''', ', search => ''greedy''', ', rewrite => ''none''', ', result => ''rows''', ', result => ''dense'''] LOOP
		BEGIN
			EXECUTE 'SELECT einsum_value($1' || options || ')' USING program;
			INSERT INTO found VALUES ('no error', '', NULL);
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS the_hint = PG_EXCEPTION_HINT;
			INSERT INTO found VALUES (SQLSTATE, SQLERRM, the_hint <> '');
		END;
	END LOOP;
	RETURN QUERY SELECT count(*), f.code, f.message, f.hint FROM found f GROUP BY 2, 3, 4;
	DROP TABLE found;
END $$;
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		lines := lines || line;
	END LOOP;
	RETURN lines;
END $$;
BEGIN;
SELECT count(*) AS stages FROM einsum_decompose('zr[I] = a[i,j]*c[j]', 'out_of_range');
INSERT INTO a VALUES (1, 3, 1);
SELECT * FROM errors('z[i] = a[i,j]*c[j]');
SELECT * FROM errors('z[j] = max[i] a[i,j]');
SELECT * FROM errors('z[] = a[i,j]*b[j]');
SAVEPOINT s;
SELECT * FROM zr;
ROLLBACK TO s;
UPDATE a SET j = -1 WHERE j = 3;
SELECT * FROM errors('z[i] = a[i,j] + b[i]');
SELECT * FROM errors('z[i] = b[i]');
DELETE FROM a WHERE j = -1;
-- a row that is read is checked though the result has no part of it: off the diagonal, or excluded by what a query asks
INSERT INTO a VALUES (1, 7, 1);
CREATE TABLE t3 (i int2, j int8, v tensor, PRIMARY KEY (i, j));
INSERT INTO t3 VALUES (0, 0, '[1,2]'), (1, 0, '[3,4]');
SELECT einsum_register('t3[I,J,k]', 't3', '{i,j}', 'v', '{3,3,2}');
SELECT program, (errors(program)).* FROM (VALUES ('z[i] = a[i,i]'), ('z[] = a[i,i]'), ('z[i] = max[j] p[i,i] * a[j,j]'), ('z[i] = b[i] + a[i,i]'), ('z[i] = b[i]*a[i,i]'), ('z[i,j] = greatest(a[i,i], b[j])')) AS t(program);
SELECT count(*) AS stages FROM einsum_decompose('zd[I] = 2*a[i,i]; zw[I,J] = 2*a[i,j]', 'diagonal');
SAVEPOINT s;
SELECT * FROM zd;
ROLLBACK TO s;
SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off;
SELECT * FROM zw WHERE i = 0;
ROLLBACK TO s;
SELECT einsum_value('z[i,k] = t3[i,i,k]');
INSERT INTO t3 VALUES (1, 5, '[1,1]');
SELECT * FROM errors('z[i,k] = t3[i,i,k]');
UPDATE t3 SET i = 2, j = 0, v = '[1,2,3]' WHERE j = 5;
SELECT * FROM errors('z[i,k] = t3[i,i,k]');
DELETE FROM a WHERE j = 7;
ALTER TABLE a ADD CHECK (i BETWEEN 0 AND 2), ADD CHECK (j >= 0 AND j < 3);
-- which is seen whenever a query is planned: a view needs no such constraint, and follows it
SELECT plan_of(einsum_sql('z[I,J] = a[i,j] * 2')) LIKE '%in_range%' AS checked, plan_of('SELECT * FROM zw') LIKE '%in_range%' AS view_checked,
	plan_of(einsum_sql('z[I,J] = d[i,j] * 2')) LIKE '%in_range%' AS d_checked;
PREPARE living_plan AS SELECT count(*) FROM zw;
EXECUTE living_plan;
ALTER TABLE a DROP CONSTRAINT a_j_check;
SELECT plan_of('SELECT * FROM zw') LIKE '%in_range(j,%' AS checked, plan_of('SELECT * FROM zw') LIKE '%in_range(i,%' AS i_checked;
INSERT INTO a VALUES (1, 3, 1);
SAVEPOINT s;
SELECT count(*) FROM zw;
ROLLBACK TO s;
EXECUTE living_plan;
ROLLBACK;
DEALLOCATE living_plan;
-- a CHECK is true of NULL: such a row is absent all the same
BEGIN;
CREATE TABLE nc (i int CHECK (i >= 0 AND i < 3), v float8, UNIQUE (i));
INSERT INTO nc VALUES (NULL, 5), (1, 3), (NULL, 7);
SELECT einsum_register('nc[I]', 'nc', '{i}', 'v', '{3}', duplicates => 'trust');
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES ('z[i] = nc[i]', '[0,3,0]'), ('z[] = nc[i]', '3'), ('z[i] = 2 ^ nc[i]', '[1,8,1]')) AS t(program, expected), LATERAL every_plan(program, expected::tensor);
ROLLBACK;

-- so is a value of another shape
BEGIN;
SELECT count(*) AS stages FROM einsum_decompose('zq[I] = q[i,k]', 'other_shape');
INSERT INTO q VALUES (1, '[1,2,3]');
SELECT * FROM errors('z[i] = q[i,k]*q[i,k]');
SELECT * FROM errors('z[i] = max[k] q[i,k]');
SAVEPOINT s;
SELECT * FROM zq;
ROLLBACK TO s;
UPDATE q SET v = '2' WHERE i = 1;
SELECT * FROM errors('z[k] = q[i,k]*b[i]');
UPDATE m SET v = '[[1,2],[3,4]]';
SELECT * FROM errors('z[i] = m[i,j]*c[j]');
-- and a second row where there can be one
UPDATE m SET v = '[[1,0,2],[0,3,0],[0,0,0]]';
INSERT INTO m SELECT v FROM m;
SELECT code, plans FROM errors('z[i] = m[i,j]*c[j]');
ROLLBACK;

-- open labels: keys of any type, never extended
CREATE TABLE stars (customer uuid, product text, v int, PRIMARY KEY (customer, product));
INSERT INTO stars VALUES ('00000000-0000-0000-0000-00000000000a', 'tea', 4), ('00000000-0000-0000-0000-00000000000b', 'rum', 5);
SELECT einsum_register('stars[C,P]', 'stars', '{customer,product}', 'v', '{*,*}');
SELECT count(*) AS stages FROM einsum_decompose('zo[c] = 2 * stars[c,p]', 'of_open_labels');
SELECT * FROM zo ORDER BY c;
SELECT einsum_sql('z[c] = max[p] stars[c,p]');
SELECT einsum_sql('z[c,p] = 2 ^ stars[c,p]') LIKE '%SELECT%' AS accepted;
SELECT einsum_drop('of_open_labels');

-- a row without a value column means 1
CREATE TABLE link (i int, j int, PRIMARY KEY (i, j));
INSERT INTO link VALUES (0, 1), (2, 0);
SELECT einsum_register('link[I,J]', 'link', '{i,j}', bounds => '{3,3}');
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES ('z[i,j] = link[i,j]', '[[0,1,0],[0,0,0],[1,0,0]]'), ('z[i] = max[j] link[i,j] * b[j]', '[0,0,3]')) AS t(program, expected), LATERAL every_plan(program, expected::tensor);

-- arithmetic is never an error
SELECT program, expected, plans > 8 AS planned, wrong FROM (VALUES ('z[i] = 2 ^ (1024 * b[i])', '[Infinity,1,0]'), ('z[i] = ln(b[i])', '[1.0986122886681098,-Infinity,NaN]'), ('z[] = sum[i] sqrt(b[i] - 3)', 'NaN'), ('z[] = max[i] sqrt(b[i])', 'NaN'), ('z[i] = (sqrt(b[i] - 2) == sqrt(b[i] - 2))', '[1,0,0]')) AS t(program, expected), LATERAL every_plan(program, expected::tensor);

-- duplicates: keys that lose their proof are refused; a view keeps the constraint that it needs
BEGIN;
ALTER TABLE b DROP CONSTRAINT b_pkey;
SELECT status <> 'ok' AS reported FROM einsum_tensors WHERE relation = 'b'::regclass;
SELECT einsum_value('z[i] = b[i]');
ROLLBACK;
BEGIN;
SELECT count(*) AS stages FROM einsum_decompose('zb[I] = 2*b[i]', 'needs_key');
ALTER TABLE b DROP CONSTRAINT b_pkey;
ROLLBACK;
-- a view that a dump restored does not hold it: without it the view is an error, never a wrong result
BEGIN;
SELECT count(*) AS stages FROM einsum_decompose('zb[I] = 2*b[i]; za[I] = max[j] a[i,j]', 'needs_key', search => 'as_written');
SELECT format('CREATE VIEW %I AS %s', relname || '_restored', pg_get_viewdef(oid)) FROM pg_class WHERE relname IN ('zb', 'za') AND relnamespace = 'semantics_test'::regnamespace \gexec
SELECT einsum_drop('needs_key');
SELECT plan_of('SELECT * FROM zb_restored') LIKE '%keys_unique%' AS in_plan;
SELECT * FROM zb_restored ORDER BY i;
PREPARE living_plan AS SELECT i, value FROM zb_restored WHERE i = 2;
EXECUTE living_plan;
ALTER TABLE b DROP CONSTRAINT b_pkey;
ALTER TABLE a DROP CONSTRAINT a_pkey;
INSERT INTO b VALUES (0, 4);
SAVEPOINT s;
SELECT * FROM zb_restored;
ROLLBACK TO s;
EXECUTE living_plan;
ROLLBACK TO s;
SELECT * FROM za_restored;
ROLLBACK TO s;
-- any proof will do: another constraint or index, now or later, NULL or not
DELETE FROM b WHERE v = 4;
CREATE UNIQUE INDEX ON b (i);
ALTER TABLE b ALTER i DROP NOT NULL;
INSERT INTO b VALUES (NULL, 100), (NULL, 1000);
SELECT * FROM zb_restored ORDER BY i;
EXECUTE living_plan;
ALTER TABLE a ADD UNIQUE (j, i);
SELECT * FROM za_restored ORDER BY i;
-- not rows that it does not cover
CREATE TABLE a_child () INHERITS (a);
SAVEPOINT s;
SELECT * FROM za_restored;
ROLLBACK TO s;
-- not by an index of each child either, if only their rows are read
CREATE UNIQUE INDEX ON a_child (i, j);
CREATE TABLE a_sibling (PRIMARY KEY (i, j)) INHERITS (a);
INSERT INTO a_child TABLE ONLY a;
INSERT INTO a_sibling TABLE a_child;
DELETE FROM ONLY a;
SELECT * FROM za_restored;
ROLLBACK;
DEALLOCATE living_plan;

-- views follow their tables
BEGIN;
SELECT count(*) AS stages FROM einsum_decompose('zl[I] = max[j] a[i,j]', 'living');
SELECT * FROM zl WHERE value <> 0 ORDER BY i;
DELETE FROM a WHERE i = 0 AND j = 1;
INSERT INTO a VALUES (2, 0, -8), (2, 1, -8), (2, 2, -9);
SELECT * FROM zl WHERE value <> 0 ORDER BY i;
ROLLBACK;

-- a fill that is no number, beside an infinity that decides where it is not stored
CREATE TABLE one_number (v float8 NOT NULL);
INSERT INTO one_number VALUES (2);
CREATE TABLE few (k int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO few VALUES (1, -3), (2, 5);
SELECT einsum_register('one_number[]', 'one_number', keys => '{}', value => 'v', fill => 'Infinity'), einsum_register('few[K]', 'few', keys => '{k}', value => 'v', bounds => '{4}', fill => 'Infinity');
SELECT einsum_value('r[K] = greatest(one_number[] - one_number[], few[k])'), einsum_value('r[K] = least(one_number[] - one_number[], 0 - few[k])');

SET client_min_messages = warning;
DROP SCHEMA semantics_test CASCADE;
