--
-- Of the forms that a program can have, the cheapest one is computed
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA forms_test;
SET search_path = forms_test, public;
SET extra_float_digits = 0;

-- a graph with hubs: two steps are far more than triangles
CREATE TABLE e (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO e SELECT n, k, 1 FROM generate_series(0, 299) n, generate_series(0, 2) k WHERE n <> k
	UNION SELECT k, n, 1 FROM generate_series(0, 299) n, generate_series(0, 2) k WHERE n <> k
	UNION SELECT n, (n * 17 + 5) % 300, 1 FROM generate_series(0, 299) n;
CREATE TABLE x (i int, k int, v float8 NOT NULL, PRIMARY KEY (i, k));
INSERT INTO x SELECT n, k, n % 7 + k FROM generate_series(0, 299) n, generate_series(0, 31) k;
CREATE TABLE l (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO l VALUES (3, 1), (77, 1);
SELECT einsum_register('e[I,J]', 'e', '{i,j}', 'v', '{300,300}'), einsum_register('x[I,K]', 'x', '{i,k}', 'v', '{300,32}'),
	einsum_register('l[I]', 'l', '{i}', 'v', '{300}');
ANALYZE e, x, l;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
SET sparseeinsum.max_kernel_bytes = '1kB'; -- nothing is made dense

-- how many stages, and is it the cheapest?
CREATE FUNCTION cost(line text) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$ SELECT substring(line FROM 'cost=([0-9.]+)')::float8 $$;
CREATE FUNCTION stages(program text, rewrite text DEFAULT NULL) RETURNS TABLE (stages bigint, cheaper boolean) LANGUAGE plpgsql AS $$
DECLARE
	chosen float8;
BEGIN
	SELECT count(*) FILTER (WHERE line ~ '^  [^ ].* = ' AND line !~ 'absorbed'), max(cost(line)) FILTER (WHERE line ~ '^Plan')
		INTO stages, chosen FROM einsum_plan(program, rewrite => rewrite, result => 'auto') line;
	SELECT chosen < cost(line) INTO cheaper FROM einsum_plan(program, rewrite => 'none', result => 'auto') line WHERE line ~ '^Plan';
	RETURN NEXT;
END $$;
CREATE FUNCTION same(program text) RETURNS boolean LANGUAGE sql AS
$$ SELECT bool_and(abs(einsum_value(program, alternative => k)::float8 / einsum_value(program, rewrite => 'none')::float8 - 1) < 1e-9) FROM generate_series(1, 6) k $$;

-- triangles are a flat join, paths are not
\set triangles 'c[] = sum[i,j,k] e[i,j] * e[j,k] * e[i,k]'
\set paths 'c[] = sum[i,j,k,m] e[i,j] * e[j,k] * e[k,m]'
SELECT * FROM stages(:'triangles');
SELECT * FROM stages(:'paths');
SELECT same(:'triangles'), same(:'paths');
SELECT einsum_value(:'triangles')::float8 = (SELECT count(*) FROM e a JOIN e b ON b.i = a.j JOIN e c ON c.i = a.i AND c.j = b.j) AS counted;

-- what several statements could share is computed once
CREATE TABLE g (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO g SELECT i, j, (i * j) % 7 - 2 FROM generate_series(0, 99) i, generate_series(0, 79) j;
SELECT einsum_register('g[I,J]', 'g', '{i,j}', 'v', '{100,80}');
DO $$ BEGIN FOR n IN 1..6 LOOP
	EXECUTE format('CREATE TABLE p%s (j int PRIMARY KEY, v float8 NOT NULL)', n);
	EXECUTE format('INSERT INTO p%s SELECT j, j %% 5 + %s FROM generate_series(0, 79) j', n, n);
	PERFORM einsum_register(format('p%s[J]', n), 'p' || n, '{j}', 'v', '{80}');
END LOOP; END $$;
ANALYZE g, p1, p2, p3, p4, p5, p6;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
SET sparseeinsum.max_kernel_bytes = '64kB';
SELECT string_agg(format('y%s[j] = sum[i,k] g[i,j] * g[i,k] * p%s[k]', n, n), '; ') || '; z[j] = y1[j]*y2[j] + y3[j]*y4[j] + y5[j]*y6[j]' AS readers FROM generate_series(1, 6) n \gset
SELECT count(*) FILTER (WHERE line ~ 'g: table') AS reads FROM einsum_plan('y[j] = sum[i,k] g[i,j] * g[i,k] * p1[k]', result => 'auto') line;
SELECT count(*) FILTER (WHERE line ~ 'g: table') AS reads FROM einsum_plan(:'readers', result => 'auto') line;
SELECT einsum_value(:'readers') = einsum_value(:'readers', rewrite => 'none') AS same;
SET sparseeinsum.max_kernel_bytes = '1kB';

-- where the budget is not enough for all forms, one family of them does not take what others need: other paths of the first products
-- are many and gain nothing, products that stay in their reader do
DO $$ BEGIN FOR n IN 0..5 LOOP
	EXECUTE format('CREATE TABLE a%s (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j))', n);
	EXECUTE format('INSERT INTO a%s SELECT k * 7919 %% 1000, (k * 104729 + k / 1000 * 13) %% 997, 1 FROM generate_series(1, %s::bigint) k ON CONFLICT DO NOTHING', n, 5000 * (n + 1));
	EXECUTE format('CREATE TABLE v%s (i int PRIMARY KEY, v float8 NOT NULL)', n);
	EXECUTE format('INSERT INTO v%s SELECT k * 7 %% 1000, 1 FROM generate_series(1, 900) k', n);
	PERFORM einsum_register(format('a%s[I,J]', n), 'a' || n, '{i,j}', 'v', '{1000,1000}'), einsum_register(format('v%s[I]', n), 'v' || n, '{i}', 'v', '{1000}');
	EXECUTE format('ANALYZE a%s, v%s', n, n);
END LOOP; END $$;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
RESET sparseeinsum.max_kernel_bytes;
SELECT string_agg(format('r%s[i,l] = a%s[i,j] * a%s[j,k] * a%s[k,l] * v%s[i]', s, s % 6, (s + 1) % 6, (s + 2) % 6, s % 6), '; ') ||
	'; t[] = ' || string_agg(format('(sum[i,l] r%s[i,l] * a0[i,l])', s), ' + ') AS chains FROM generate_series(0, 7) s \gset
SELECT cost(line) AS chosen FROM einsum_plan(:'chains', result => 'auto') line WHERE line ~ '^Plan' \gset
SET sparseeinsum.rewrite_budget = 1024;
SELECT :chosen / cost(line) < 1.1 AS near FROM einsum_plan(:'chains', result => 'auto') line WHERE line ~ '^Plan';
RESET sparseeinsum.rewrite_budget;
-- and one statement what those like it need: they take the forms that it has come to
SELECT string_agg(format('y%s[i] = sum[j] (a0[i,j] + a1[i,j]) * (v0[i] + v%s[j]) * (v1[i] + v%s[j])', s, s % 6, (s + 1) % 6), '; ') AS alike FROM generate_series(0, 7) s \gset
SELECT cost(line) AS chosen FROM einsum_plan(:'alike', result => 'auto') line WHERE line ~ '^Plan' \gset
SET sparseeinsum.rewrite_budget = 1024;
SELECT :chosen / cost(line) < 1.1 AS near FROM einsum_plan(:'alike', result => 'auto') line WHERE line ~ '^Plan';
RESET sparseeinsum.rewrite_budget;
SET sparseeinsum.max_kernel_bytes = '1kB';

-- without a budget the first form is taken, with little of one that is said
SET sparseeinsum.rewrite_budget = 0;
SELECT regexp_replace(line, 'cost=[0-9.]+', 'cost') AS line FROM einsum_plan(:'triangles', result => 'auto') line WHERE line ~ '^Plan';
SELECT * FROM stages(:'triangles');
SET sparseeinsum.rewrite_budget = 1;
SELECT same(:'triangles');
RESET sparseeinsum.rewrite_budget;
SELECT regexp_replace(line, 'cost=[0-9.]+', 'cost') AS line FROM einsum_plan(:'triangles', result => 'auto') line WHERE line ~ '^Plan';

-- a statement that is read twice: computed by itself where it is dear, read through where that leaves less
\set shared 't[i,k] = sum[j] e[i,j] * x[j,k]; c[] = sum[i,j,k] e[i,j] * t[i,k] * t[j,k]'
\set through 't[i,k] = sum[j] e[i,j] * x[j,k]; u[] = sum[i,k] t[i,k] * l[i]; c[] = u[] + sum[i,k] l[i] * t[i,k] * x[i,k]'
SELECT (SELECT count(*) FROM einsum_plan(:'shared', result => 'auto') line WHERE line ~ 'absorbed') AS shared, (SELECT count(*) FROM einsum_plan(:'through', result => 'auto') line WHERE line ~ 'absorbed') AS through;
SELECT same(:'shared'), same(:'through');

-- what is kept is counted once
SELECT (SELECT cost(line) FROM einsum_plan(:'shared', result => 'auto') line WHERE line ~ '^Plan') < (SELECT cost(line) FROM einsum_plan(:'shared', materialize => 'never', result => 'auto') line WHERE line ~ '^Plan') AS once;

-- no more than what is asked for is absorbed where all are tables
SELECT count(*) AS tables FROM einsum_plan(:'shared', materialize => 'always', result => 'auto') line WHERE line ~ '^  [tc].* = ' AND line !~ 'absorbed';

-- one program, one plan
SELECT (SELECT array_agg(line) FROM einsum_plan(:'through', result => 'auto') line) = (SELECT array_agg(line) FROM einsum_plan(:'through', result => 'auto') line) AS same;

-- forms with their bounds and costs: no plan is cheaper than its bound, and the first form is that of the chosen plan
CREATE TEMP TABLE listed AS SELECT line, ordinality AS n, substring(line FROM 'bound=([0-9.]+)')::float8 AS bound, substring(line FROM 'cost=([0-9.]+)')::float8 AS cost,
	substring(line FROM '; ([^)]*)\)$') AS laws FROM einsum_plan(:'triangles', 'forms', plans => 12, result => 'auto') WITH ORDINALITY line;
SELECT regexp_replace(line, '[0-9]+\.[0-9]', '#', 'g') AS line FROM listed WHERE n < 4 OR laws IS NOT NULL ORDER BY n;
SELECT count(*) > 1 AS forms, bool_and(bound <= cost) AS bounded FROM listed WHERE line ~ '^Form';
SELECT bool_and(bound <= cost + 0.1) AS bounded FROM listed WHERE line ~ '^  ';
SELECT (SELECT cost FROM listed WHERE line ~ '^Form 1 ') = (SELECT cost(line) FROM einsum_plan(:'triangles', result => 'auto') line WHERE line ~ '^Plan') AS chosen;
-- as a program, a form has these stages
SELECT (SELECT array_agg(regexp_replace(line, '^  (.*)  \(bound.*', '\1;')) FROM listed WHERE line ~ '^  ' AND n < (SELECT n FROM listed WHERE line ~ '^Form 2 ')) = (SELECT array_agg(line) FROM einsum_plan(:'triangles', 'program', result => 'auto') line) AS same;

DROP SCHEMA forms_test CASCADE;
