--
-- Programs of thousands of statements and terms: planned in time that grows as they
-- do, and right. The timeout is for what would take minutes or grow without end.
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA chain_test;
SET search_path = chain_test, public;
SET statement_timeout = '300s';

CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, 1), (0, 1, -2), (0, 2, 3), (1, 0, 4), (2, 1, -5);
CREATE TABLE x (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (0, 2), (1, -1);
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}'), einsum_register('x[I]', 'x', '{i}', 'v', '{3}');

-- a pattern for each of 1 to n, in which # is the number and @ the one before
CREATE FUNCTION repeated(pattern text, n int, separator text DEFAULT '; ') RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(replace(replace(pattern, '#', k::text), '@', (k - 1)::text), separator ORDER BY k)
	FROM generate_series(1, n) k $$;
-- what a program gives, as the search has it, rewritten less, and as written
CREATE FUNCTION value_of(program text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	one text := einsum_value(program)::text;
BEGIN
	IF one <> einsum_value(program, rewrite => 'none')::text OR
		one <> einsum_value(program, search => 'as_written')::text THEN
		RAISE EXCEPTION 'plans differ for %', left(program, 200);
	END IF;
	RETURN one;
END $$;

-- without the program, which is long
CREATE FUNCTION error_of(program text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM einsum_plan(program, result => 'auto');
	RETURN NULL;
EXCEPTION WHEN program_limit_exceeded OR statement_too_complex THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

-- statements, each of which reads the one before: absorbed until one kernel is full
CREATE FUNCTION stages(program text) RETURNS TABLE (lines int8, absorbed int8, last text) LANGUAGE sql AS $$
	SELECT count(*), count(*) FILTER (WHERE line LIKE '%absorbed where it is read%'),
		max(regexp_replace(line, ' = .*', '')) FILTER (WHERE n = 2)
	FROM einsum_plan(program, result => 'auto') WITH ORDINALITY AS p (line, n) WHERE line LIKE '%(cost=%tuples=%' OR n = 2 $$;
SELECT * FROM stages('t0[i,j] = a[i,j]; ' || repeated('t#[i,j] = relu(t@[i,j])', 2100));
SELECT * FROM stages('t0[i,j] = a[i,j]; ' || repeated('t#[j,i] = relu(t@[i,j])', 600));
SELECT * FROM stages('t0[i,j] = a[i,j]; ' || repeated('t#[i,k] = t@[i,j] * a[j,k]', 1000));
SELECT count(*) > 1000 AS more FROM einsum_plan('t0[i,j] = a[i,j]; ' || repeated('t#[i,j] = sum[k] t@[i,k] * t@[k,j]', 1000), result => 'auto');
SELECT * FROM stages(repeated('t#[i,j] = # * a[i,j]', 1500));
SELECT * FROM stages('t0[i] = exp(x[i]); ' || repeated('t#[i] = # + t0[i]', 3000));
-- linear algebra
SELECT * FROM stages('t0 = a; ' || repeated('t# = a %*% t@', 1000));
SELECT count(*) FROM einsum_plan('y = ' || repeated('a', 1000, ' %*% '), result => 'auto');
-- terms, factors, nesting
SELECT einsum_value('y[] = ' || repeated('x[i]', 2000, ' + '));
SELECT count(*) FROM einsum_plan('y[i] = ' || repeated('# * x[i]', 2000, ' + '), result => 'auto');
SELECT count(*) FROM einsum_plan('y[i] = ' || repeated('sum[j#] a[i,j#] * x[j#]', 2000, ' - '), result => 'auto');
SELECT count(*) > 500 AS more FROM einsum_plan('y[k0] = ' || repeated('sum[k#] a[k@,k#] * exp(', 500, '') || 'x[k500]' || repeat(')', 500), result => 'auto');
SELECT count(*) FROM einsum_plan('y[i] = greatest(' || repeated('x[i] ^ #', 500, ', ') || ')', result => 'auto');
SELECT count(*) > 10 AS more FROM einsum_plan('y[] = ' || repeated('a[i@,i#]', 24, ' * '), result => 'auto');
-- no stack is too small for an error, and none is crossed
SELECT error_of('y[i] = ' || repeated('x[i]', 200000, '+'));
SELECT error_of('y[] = ' || repeated('a[i@,i#]', 1000, '*'));
SELECT error_of('y[i] = ' || repeat('exp(', 100000) || 'x[i]' || repeat(')', 100000));
SELECT error_of('y[i] = ' || repeat('- ', 300000) || 'x[i]');
SELECT error_of('y[i] = ' || repeated('sum[k#]', 20000, ' ') || ' x[i]');

-- Long enough for a statement to keep its labels when its reader absorbs it: names of
-- the result are the reader's, and what is transposed stays so.
SELECT value_of('t0[i,j] = a[i,j]; ' || repeated('t#[i,j] = 2 - t@[i,j] * 0.5', 40));
SELECT value_of('t0[i,j] = a[i,j]; ' || repeated('t#[i,j] = 2 - t@[i,j] * 0.5', 30) || '; y[i,j] = t30[j,i] - 1');
SELECT value_of('t0[i,j] = a[i,j]; ' || repeated('t#[p,q] = 2 - t@[p,q] * 0.5', 30) || '; y[q,p] = t30[p,q] * 4; z[q,r] = sum[p] y[q,p] * a[p,r]');
SELECT value_of('t0[i,j] = a[i,j]; ' || repeated('t#[i,j] = 2 - t@[i,j] * 0.5', 30) || '; y[i] = t30[i,i]; z[i,j] = y[i] * x[j]');
SELECT left(line, 40) AS line FROM einsum_plan('t0[p,q] = a[p,q]; ' || repeated('t#[p,q] = relu(t@[p,q])', 70) || '; y[q,p] = exp(t70[q,p])', result => 'auto') AS line LIMIT 3;
SELECT left(line, 40) AS line FROM einsum_plan('t0[p,q] = a[p,q]; ' || repeated('t#[p,q] = relu(t@[p,q])', 70) || '; y[q,p] = exp(t70[p,q])', result => 'auto') AS line LIMIT 3;

-- Nodes that differ only in the order of their labels are two, and one that is read
-- under two renamings becomes two.
SELECT value_of('y[i,j] = a[i,j] - a[j,i] + a[i,j] * a[j,i]');
SELECT value_of('n[i,j] = x[i] * a[i,j] * x[j]; y[i,k] = n[i,j] * n[j,k]');
SELECT value_of('n[i,j] = x[i] * a[i,j] * x[j]; y[i,j] = sum[k] n[i,k] * n[j,k]; z[i] = sum[j] n[j,i] * x[j]');
SELECT value_of('s[i] = (sum[j] a[i,j] * x[j]) + (sum[j] a[j,i] * x[j]); y[i] = exp(s[i] - s[i])');
SELECT value_of('y[i] = (sum[j] 2 ^ a[i,j]) * x[i] + (sum[k] 2 ^ a[i,k]) * (sum[k] 2 ^ a[k,i])');
-- equal sums share a stage, whatever their labels
SELECT line FROM einsum_plan('y[i] = (sum[j] exp(a[i,j])) * x[i] + (sum[k] exp(a[i,k])) * (sum[k] exp(a[k,i]))', rewrite => 'reassociate', result => 'auto') AS line WHERE line LIKE '%tuples=%';
-- reads that double with each statement are counted as far as numbers go
SELECT count(*) FROM einsum_plan('t0[i] = x[i]; ' || repeated('t#[i] = exp(t@[i]) + t@[i] * t@[i]', 1200), result => 'auto');
-- and each is not a copy of the statement that PostgreSQL plans
SET statement_timeout = '300s';
SELECT einsum_value('t0[I] = x[i]; ' || repeated('t#[I] = relu(t@[i] * t@[i] - t@[i])', 40) || '; y[] = t40[i]');
SELECT count(*) FROM einsum_decompose('t0[I] = x[i]; ' || repeated('t#[I] = relu(t@[i] * t@[i] - t@[i])', 40), 'copies', result => 'auto');
SELECT * FROM t40 ORDER BY i;
SELECT * FROM t39 WHERE i = 1;
SELECT einsum_drop('copies');
-- nor does the view of each contain all views below because of what each reads beside
SELECT count(*) FROM einsum_decompose('t0[I] = x[i]; ' || repeated('t#[I] = (max[j] a[i,j] * t@[j]) + (min[j] a[i,j]) + x[i]', 100), 'beside', result => 'auto');
SELECT max(length(ev_action::text)) < 200000 AS small FROM pg_rewrite WHERE ev_class = 't100'::regclass;
SELECT einsum_drop('beside');
-- CTEs that are merged one into the next are copied and walked through for each
SELECT einsum_value('t0[I] = x[i]; ' || repeated('t#[I] = least(max[j] a[i,j] * t@[j], 2)', 150) || '; y[] = t150[i]');
SET statement_timeout = '300s';
-- views that PostgreSQL would not plan are not made
SELECT einsum_decompose('t0[I] = x[i]; ' || repeated('t#[I] = least(max[j] a[i,j] * t@[j], 2)', 1100), 'deep', result => 'auto');
-- a name in a program is that of the first tensor in it, be it defined or registered
SELECT einsum_plan('x[i] = a[i,j]; x[i] = a[j,i]', result => 'auto');
SELECT einsum_plan('y[i] = a[i,j]; a[i] = y[i]', result => 'auto');
SELECT einsum_value('eye[i,j] = a[i,j]; y[i] = eye[i,j]'), einsum_value('y[i,j] = eye[i,j] * a[i,j] + eye[j,i]');

SET client_min_messages = warning;
DROP SCHEMA chain_test CASCADE;
