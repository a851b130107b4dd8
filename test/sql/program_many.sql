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
	FOR n IN 1 .. 12 LOOP
		EXECUTE format('CREATE TABLE o%s (k text PRIMARY KEY, v float8 NOT NULL)', n);
		EXECUTE format('INSERT INTO o%s VALUES (''a'', %s), (''b'', -1)', n, n % 3);
		PERFORM einsum_register(format('o%s[K]', n), format('o%s', n), '{k}', 'v', '{*}');
	END LOOP;
	CREATE TABLE q (i int, k text, v float8 NOT NULL, PRIMARY KEY (i, k));
	INSERT INTO q VALUES (0, 'a', 1), (1, 'b', 2), (3, 'c', -1);
	PERFORM einsum_register('q[I,K]', 'q', '{i,k}', 'v', '{4,*}');
	CREATE TABLE m (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
	INSERT INTO m SELECT g, h, 1 + (g + h) % 2 FROM generate_series(0, 3) g, generate_series(0, 3) h WHERE (g + h) % 4 > 0;
	PERFORM einsum_register('m[I,J]', 'm', '{i,j}', 'v', '{4,4}');
	CREATE TABLE m3 (i int, j int, k int, v float8 NOT NULL, PRIMARY KEY (i, j, k));
	PERFORM einsum_register('m3[I,J,K]', 'm3', '{i,j,k}', 'v', '{4,4,4}');
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
SELECT n, line FROM unnest(ARRAY[11, 12]) AS n, LATERAL (SELECT line FROM einsum_plan('z[i] = ' || chain('x#[i]', '*', 1, n), result => 'auto') AS line LIMIT 1) AS first;
-- parts that have to be extended to an open key are no stages; a product in an order in which parts have none
SELECT plans, value FROM values_of('z[i] = sum[k] (x4[i]*' || chain('(o#[k]+3)', '*', 1, 12) || '*q[i,k] + q[i,k])');
SELECT plans, value FROM values_of('z[i] = sum[k] abs(x4[i]*' || chain('(o#[k]+3)', '*', 1, 12) || '*q[i,k])');
SELECT plans, value FROM values_of('z[i] = sum[k] abs((x4[i]*(o1[k]+3))*(q[i,k]*' || chain('(o#[k]+3)', '*', 2, 12) || '))');
-- every stage is read, but for the results
CREATE FUNCTION unread(program text, OUT stages bigint, OUT unread text[])
	RETURN (SELECT (count(*), array_agg(stage ->> 'name') FILTER (WHERE NOT EXISTS (
			SELECT FROM jsonb_array_elements(plan -> 0 -> 'stages') AS reader, jsonb_array_elements(reader -> 'operands') AS operand
			WHERE operand ->> 'tensor' = stage ->> 'name')))
		FROM (SELECT string_agg(line, '')::jsonb AS plan FROM einsum_plan(program, format => 'json', search => 'greedy', result => 'auto') AS line) AS plans,
			jsonb_array_elements(plan -> 0 -> 'stages') AS stage);
SELECT stages > 1 AS cut, unread FROM unread('z[] = ' || (SELECT string_agg(format('m[l%s,l%s]', a, b), '*' ORDER BY a, b) FROM generate_series(1, 7) a, generate_series(1, 7) b WHERE a < b));
SELECT stages > 1 AS cut, unread FROM unread('z[] = ' || (SELECT string_agg(format('m[l%s,l%s]', a, b), '*' ORDER BY a, b) FROM generate_series(1, 7) a, generate_series(1, 9) b));
-- statements that together have more references than one expression may have
SELECT einsum_value(program, search => 'greedy') FROM (SELECT 'y[i] = ' || chain('x#[i]', '*', 4, 40) || '; z[i] = y[i]*' || chain('x#[i]', '*', 41, 70)) AS merged (program);
SELECT einsum_value(program, search => 'greedy') FROM (SELECT 'y[i] = ' || chain('x#[i]', '*', 4, 40) || '; z[] = max[i] (y[i]*' || chain('x#[i]', '*', 41, 70) || ')') AS merged (program);
-- 60 references, each read more than once
WITH RECURSIVE leaves AS (
	SELECT format('x%s[i]*x%s[i]', a, 4 + (a - 4 + d) % 60) AS leaf, row_number() OVER (ORDER BY d, a) - 1 AS n
	FROM unnest(ARRAY[1, 7, 13, 19, 23, 29]) AS d, generate_series(4, 63) AS a),
trees AS (
	SELECT 0 AS height, array_agg(leaf ORDER BY n) AS nodes FROM leaves
	UNION ALL
	SELECT height + 1, (SELECT array_agg('greatest(' || nodes[2 * n - 1] || ', ' || coalesce(nodes[2 * n], '-1') || ')' ORDER BY n)
		FROM generate_series(1, (cardinality(nodes) + 1) / 2) AS n)
	FROM trees WHERE cardinality(nodes) > 1)
SELECT einsum_value('z[i] = ' || nodes[1], search => 'greedy') FROM trees WHERE cardinality(nodes) = 1;
-- what is not stored counts in an aggregate over more labels than a tensor has dimensions
SELECT count(*) > 0 AS planned FROM einsum_sql('z[] = max[' || chain('a#,b#', ',', 1, 9) || '] (' || chain('(m[a#,b#]+1)', '*', 1, 9) || ')', search => 'greedy', result => 'auto');
-- more than an expression may have
SELECT einsum_value('z[i] = ' || chain('x#[i]', '*', 1, 64));
SELECT einsum_value('z[i] = ' || chain('greatest(x#[i]', ', ', 1, 64) || ', -1' || repeat(')', 64));
SELECT einsum_value('z[] = max[' || chain('a#', ',', 1, 33) || '] ' || chain('greatest(x1[a#]', ', ', 1, 33) || ', -1' || repeat(')', 33));
SELECT einsum_value('z[] = max[' || chain('a#,b#,c#', ',', 1, 11) || '] ' || chain('greatest(m3[a#,b#,c#]', ', ', 1, 11) || ', -1' || repeat(')', 11));

SET client_min_messages = warning;
DROP SCHEMA many_test CASCADE;
