--
-- Products and other expressions of more tensors than one stage reads.
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA many_test;
SET search_path = many_test, public;

-- vectors x1 to x70 over i, that share some indices; a fact table over 6 labels; open keys
CREATE FUNCTION create_tensors() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. 70 LOOP
		EXECUTE format('CREATE TABLE x%s (i int PRIMARY KEY, v float8 NOT NULL)', n);
		EXECUTE format('INSERT INTO x%s SELECT g, 1 + (g + %s) %% 2 FROM generate_series(0, 3) g WHERE g <> %s %% 97', n, n, n);
		PERFORM einsum_register(format('x%s[I]', n), format('x%s', n), '{i}', 'v', '{4}');
	END LOOP;
	CREATE TABLE fact (a int, b int, c int, d int, e int, f int, v float8 NOT NULL, PRIMARY KEY (a, b, c, d, e, f));
	INSERT INTO fact SELECT g % 4, g / 4 % 4, g % 3, 3, g % 2, g / 2 % 4, g FROM generate_series(1, 8) g;
	PERFORM einsum_register('fact[A,B,C,D,E,F]', 'fact', '{a,b,c,d,e,f}', 'v', '{4,4,4,4,4,4}');
	CREATE TABLE o (k text PRIMARY KEY, v float8 NOT NULL);
	INSERT INTO o VALUES ('a', 2), ('b', -1);
	PERFORM einsum_register('o[K]', 'o', '{k}', 'v', '{*}');
	ANALYZE;
END $$;
SELECT create_tensors();

-- x<from>[labels...] op ... x<to>[...]
CREATE FUNCTION chain(template text, separator text, first int, last int) RETURNS text
	RETURN (SELECT string_agg(replace(template, '#', n::text), separator ORDER BY n) FROM generate_series(first, last) n);
-- the value of a program in several plans
CREATE FUNCTION values_of(program text, OUT plans int, OUT value tensor) LANGUAGE plpgsql AS $$
DECLARE
	options text;
	one tensor;
BEGIN
	plans := 0;
	FOREACH options IN ARRAY ARRAY['', ', search => ''greedy''', ', alternative => 2', ', estimator => ''chain''', ', rewrite => ''none''',
		', rewrite => ''reassociate''', ', search => ''as_written'''] LOOP
		EXECUTE 'SELECT einsum_value($1' || options || ')' INTO one USING program;
		IF plans > 0 AND one IS DISTINCT FROM value THEN
			RAISE EXCEPTION '% is %, and not %', options, one, value;
		END IF;
		value := one;
		plans := plans + 1;
	END LOOP;
END $$;

-- elementwise, and summed
SELECT n, plans, value FROM unnest(ARRAY[12, 16, 24]) AS n, values_of('z[i] = ' || chain('x#[i]', '*', 1, n));
SELECT n, plans, value FROM unnest(ARRAY[24]) AS n, values_of('z[] = ' || chain('x#[i]', '*', 4, n + 3));
SELECT n, plans, value FROM unnest(ARRAY[24]) AS n, values_of('z[] = max[i] (' || chain('x#[i]', '*', 4, n + 3) || ')');
-- factors that are 0 nowhere, before the one that decides the support
SELECT n, plans, value FROM unnest(ARRAY[24]) AS n, values_of('z[i] = ' || chain('(x#[i] - 3)', '*', 4, n + 3) || '*x1[i]');
SELECT n, plans, value FROM unnest(ARRAY[24]) AS n, values_of('z[i] = ' || chain('x#[i]', ' + 1 + ', 1, n));
SELECT n, plans, value FROM unnest(ARRAY[24]) AS n, values_of('z[i] = ' || chain('greatest(x#[i]', ', ', 1, n) || ', -1' || repeat(')', n));
-- a star: two tensors on each label of one, and one of them summed
SELECT plans, value FROM values_of('z[] = fact[a,b,c,d,e,f]*x4[a]*x5[b]*x6[c]*x7[d]*x8[e]*x9[f]*x10[a]*x11[b]*x12[c]*x13[d]*x14[e]*x15[f]');
SELECT plans, value FROM values_of('z[a] = fact[a,b,c,d,e,f]*x4[a]*x5[b]*x6[c]*x7[d]*x8[e]*x9[f]*x10[a]*x11[b]*x12[c]*x13[d]*x14[e]*x15[f]*x16[a]*x17[b]*x18[c]*x19[d]*x20[e]*x21[f]*x22[a]*x23[b]*x24[c]*x25[d]*x26[e]');
SELECT value FROM einsum_value('z[a,b,c,d,e,f] = x4[a]*x5[b]*x6[c]*x7[d]*x8[e]*x9[f]*x10[a]*x11[b]*x12[c]*x13[d]*x14[e]*x15[f]*fact[a,b,c,d,e,f]; s[] = z[a,b,c,d,e,f]') AS value;
-- open keys
SELECT plans, value FROM values_of('z[] = sum[k,i] (' || chain('x#[i]', '*', 4, 17) || '*o[k])');
-- not all ways to do it are looked at
SELECT n, line FROM unnest(ARRAY[11, 12]) AS n, LATERAL (SELECT line FROM einsum_plan('z[i] = ' || chain('x#[i]', '*', 1, n)) AS line LIMIT 1) AS first;
-- more than an expression may have
SELECT einsum_value('z[i] = ' || chain('x#[i]', '*', 1, 64));
SELECT einsum_value('z[i] = ' || chain('greatest(x#[i]', ', ', 1, 64) || ', -1' || repeat(')', 64));

SET client_min_messages = warning;
DROP SCHEMA many_test CASCADE;
