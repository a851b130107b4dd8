-- solve, inverse and cholesky of matrices in programs, a matrix for each key.
CREATE SCHEMA program_solve;
SET search_path = program_solve, public, sparseeinsum_internal;
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS sparseeinsum SCHEMA public;

CREATE TABLE g (u int, k int, l int, v float8 NOT NULL, PRIMARY KEY (u, k, l));
CREATE TABLE b (u int, l int, v float8 NOT NULL, PRIMARY KEY (u, l));
-- keys 0 and 2 have both, 1 only a right side, 3 only a matrix
INSERT INTO g VALUES (0, 0, 0, 2), (0, 0, 1, 1), (0, 1, 1, 4), (2, 0, 0, 1), (2, 1, 1, 4), (3, 0, 0, 2), (3, 1, 1, 2);
INSERT INTO b VALUES (0, 0, 2), (0, 1, 9), (1, 0, 7), (2, 1, 8);
SELECT einsum_register('g[U,K,L]', 'g', keys => '{u,k,l}', value => 'v', bounds => '{4,2,2}');
SELECT einsum_register('b[U,L]', 'b', keys => '{u,l}', value => 'v', bounds => '{4,2}');

-- what is 0 for a key, the matrix or the right side, gives 0
SELECT einsum_value('w[u,k] = solve(g[u,k,l], b[u,l])');
SELECT einsum_value('w[u,k] = solve(g[u,k,l], b[u,l]); r[u,l] = g[u,k,l]*w[u,k] - b[u,l]');
SELECT einsum_value('h[u,k,l] = inverse(g[u,k,l])'), einsum_value('h[u,k,l] = inverse(g[u,k,l]); e[u,k,m] = g[u,k,l]*h[u,l,m]');
SELECT tensor_round(einsum_value('m[u,k,l] = g[u,k,p]*g[u,l,p]; c[u,k,l] = cholesky(m[u,k,l]); d[u,k,l] = c[u,k,p]*c[u,l,p]') * 1e9) =
	einsum_value('m[u,k,l] = g[u,k,p]*g[u,l,p]') * 1e9 AS same;
-- it does not matter whether such rows are stored
INSERT INTO b VALUES (3, 0, 0), (3, 1, 0);
INSERT INTO g VALUES (1, 0, 0, 0);
SELECT einsum_value('w[u,k] = solve(g[u,k,l], b[u,l])'), einsum_value('h[u,k,l] = inverse(g[u,k,l])');

-- the labels of the matrix: those that are left, those on the left side last, or as they are said
SELECT einsum_value('w[u,k] = solve[k,l](g[u,k,l], b[u,l])'), einsum_value('w[u,k] = solve[k,l](g[u,l,k], b[u,l])');
SELECT einsum_value('h[l,k,u] = inverse[k,l](g[u,k,l])');
SELECT einsum_value('c[u,l,k] = cholesky[k,l](sum[p] g[u,k,p]*g[u,l,p])') = einsum_value('m[u,k,l] = g[u,k,p]*g[u,l,p]; c[u,l,k] = cholesky[k,l](m[u,k,l])') AS same;
-- columns, and what one side has for all keys
SELECT einsum_value('x[u,k,m] = solve[k,l](g[u,k,l], b[m,l])');
SELECT einsum_value('a[k,l] = sum[u] g[u,k,l]; x[u,k] = solve(a[k,l], b[u,l])');
SELECT einsum_value('x[u,k] = solve(g[u,k,l] + eye[k,l], 2*b[u,l]) + 1');
SELECT einsum_value('s[] = sum[u,k] solve(g[u,k,l], b[u,l])*solve(g[u,k,l], b[u,l])');
SELECT einsum_value('d[u,k] = sum[l] inverse[k,l](g[u,k,l])*eye[k,l]'), einsum_value('d[u] = sum[k,l] eye[k,l]*inverse[k,l](g[u,k,l])');

-- a matrix that is not 0 where nothing is stored
CREATE TABLE s (u int, k int, l int, v float8 NOT NULL, PRIMARY KEY (u, k, l));
INSERT INTO s VALUES (0, 0, 0, 4), (3, 0, 0, 5);
CREATE TABLE y (u int, l int, v float8 NOT NULL, PRIMARY KEY (u, l));
INSERT INTO y VALUES (0, 0, 8), (1, 0, 8);
SELECT einsum_register('s[U,K,L]', 's', keys => '{u,k,l}', value => 'v', bounds => '{4,1,1}', fill => 2);
SELECT einsum_register('y[U,L]', 'y', keys => '{u,l}', value => 'v', bounds => '{4,1}');
SELECT einsum_value('x[U,k] = solve(s[U,k,l], y[U,l])');

-- linear algebra
SELECT einsum_value('a[k,l] = sum[u] g[u,k,l]; y[l] = sum[u] b[u,l]; x = solve(a, y)'),
	einsum_value('a[k,l] = sum[u] g[u,k,l]; y[l] = sum[u] b[u,l]; x = solve(t(a), y)'),
	einsum_value('a[k,l] = sum[u] g[u,k,l]; x = solve(a, t(b))');
SELECT einsum_value('a[k,l] = sum[u] g[u,k,l]; x = inv(a)'), einsum_value('a[k,l] = sum[u] g[u,k,l]; x = diag(inverse(a)) * trace(inv(a))'),
	einsum_value('a[k,l] = sum[u] g[u,k,l]; x = cholesky(a %*% t(a))');
SELECT einsum_value('w = solve(t(b) %*% b, t(b) %*% rowSums(b))');

-- plans: the matrix whole, keys as they are best; views, point queries, kept tables
SELECT einsum_plan('w[U,k] = solve(g[U,k,l], b[U,l])');
SELECT einsum_plan('w[u:*,k] = 2*solve(g[u,k,l], b[u,l])');
SELECT einsum_sql('w[U,k] = solve(g[U,k,l], b[U,l])') LIKE '%einsum_solve(''bc''%' AS solves;
SELECT view, notation FROM einsum_decompose('w[U,K] = solve(g[U,k,l], b[U,l])', 'solved', schema => 'program_solve');
SELECT * FROM w ORDER BY 1, 2;
SELECT * FROM einsum_rows('x[U,k] = solve(g[U,k,l], b[U,l])', at => '{"u": 2}') AS x(u int, value tensor);
SELECT * FROM einsum_rows('x[U,k] = solve(g[U,k,l], b[U,l])', at => '{"k": 1}') AS x(u int, value tensor);
SELECT * FROM einsum_rows('x[U,K] = solve(g[U,k,l], b[U,l])', at => '{"k": 1}') AS x(u int, k int, value float8) ORDER BY 1;
SELECT * FROM einsum_rows('x[U,K] = 2*solve(g[U,k,l], b[U,l])', at => '{"u": 0, "k": 1}') AS x(u int, k int, value float8);
SELECT count(*) FROM einsum_decompose('v[U,k] = solve(g[U,k,l], b[U,l])', 'kept', schema => 'program_solve', materialize => 'always');
SELECT einsum_plan('x[u,k] = 1 + solve(g[u,k,l], b[u,l])', format => 'forms', result => 'auto');
-- equal ones have one name, whatever their labels are called and however the arguments are written; others do not
SELECT einsum_plan('x[u,k] = 1 + solve(g[u,k,l], b[u,l]*2 + b[u,l]); y[v,m] = solve(g[v,m,n], 3*b[v,n]) + 1; p[k,u,l] = inverse[k,l](g[u,k,l]); q[l,v,m] = inverse[l,m](g[v,l,m])', format => 'forms', result => 'auto');
SELECT count(*) FROM einsum_plan('x[u,k] = solve[k,l](g[u,k,l], b[u,l]); y[u,k] = solve[k,l](g[u,l,k], b[u,l]); z[u,k] = solve[k,l](g[u,k,l], 2*b[u,l]); p[u,k,l] = inverse[k,l](g[u,k,l]); q[u,l,k] = inverse[k,l](g[u,k,l]); r[u,k,l] = inverse[k,l](g[u,l,k]); c[u,k,l] = cholesky[k,l](g[u,k,l])', format => 'forms', result => 'auto') line WHERE line ~ '=';

-- a matrix that nothing is asked of, and one that is; labels that only the matrix has
CREATE TABLE nan_g (u int, k int, l int, v float8, PRIMARY KEY (u, k, l));
INSERT INTO nan_g VALUES (0, 0, 0, 2), (1, 0, 0, 'NaN');
CREATE TABLE nan_b (u int, l int, v float8, PRIMARY KEY (u, l));
INSERT INTO nan_b VALUES (0, 0, 4);
SELECT einsum_register('nan_g[U,K,L]', 'nan_g', '{u,k,l}', 'v', '{2,1,1}'), einsum_register('nan_b[U,L]', 'nan_b', '{u,l}', 'v', '{2,1}');
SELECT einsum_value('w[u,k] = solve(nan_g[U,k,l], nan_b[U,l])'), einsum_value('w[u:*,k] = solve(nan_g[u,k,l], nan_b[u,l])');
\set SHOW_CONTEXT never
SELECT einsum_value('w[u,k] = solve(nan_g[u,k,l], 1 + nan_b[u,l])');
\set SHOW_CONTEXT errors
SELECT einsum_value('h[k,l] = inverse(g[u,k,l])');
SELECT einsum_value('h[k] = solve[k,l](g[u,k,l], b[u,l])');
SELECT einsum_value('h[k,l] = sum[u] inverse[k,l](g[u,k,l])') = einsum_value('i[u,k,l] = inverse(g[u,k,l]); h[k,l] = sum[u] i[u,k,l]') AS same;

-- the same in every plan
CREATE FUNCTION every_plan(program text) RETURNS TABLE (result text, plans bigint) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE found (value text);
	FOR n IN 1 .. 20 LOOP
		BEGIN
			INSERT INTO found SELECT tensor_round(einsum_value(program, alternative => n) * 1e6)::text;
		EXCEPTION WHEN invalid_parameter_value THEN
			EXIT;
		END;
	END LOOP;
	INSERT INTO found SELECT tensor_round(einsum_value(program, search => s) * 1e6)::text FROM unnest('{greedy,as_written}'::text[]) s;
	INSERT INTO found SELECT tensor_round(einsum_value(program, rewrite => r) * 1e6)::text FROM unnest('{none,reassociate}'::text[]) r;
	RETURN QUERY SELECT value, CASE WHEN count(*) > 8 THEN 1 ELSE count(*) END FROM found GROUP BY value;
	DROP TABLE found;
END $$;
SELECT result FROM every_plan('w[u,k] = solve(g[u,k,l], b[u,l])');
SELECT result FROM every_plan('w[U,K] = solve(g[u,k,l], b[u,l])');
SELECT result FROM every_plan('h[u,k,l] = inverse(g[u,k,l] + g[u,k,l]); t[u] = sum[k,l] h[u,k,l]');

-- element types
CREATE TABLE f (k int, l int, v real NOT NULL, PRIMARY KEY (k, l));
INSERT INTO f VALUES (0, 0, 2), (1, 1, 4);
CREATE TABLE z (l int PRIMARY KEY, v tensor(complex8,0) NOT NULL);
INSERT INTO z VALUES (0, 'complex8:2+2i'), (1, 'complex8:4i');
SELECT einsum_register('f[K,L]', 'f', keys => '{k,l}', value => 'v', bounds => '{2,2}');
SELECT einsum_register('z[L]', 'z', keys => '{l}', value => 'v', bounds => '{2}');
SELECT einsum_value('x[k] = solve(f[k,l], z[l])'), einsum_value('x[k] = solve(f[k,l], z[l] <> 0)'), einsum_value('x[k,l] = inverse(f[k,l])'),
	einsum_value('x[u,k] = solve(f[k,l], b[u,l])'), einsum_value('x[k,l] = cholesky(f[k,l] + 0i)');

-- derivatives
SELECT einsum_gradient('w[u,k] = solve(g[u,k,l], b[u,l]); s[] = sum[u,k] w[u,k]^2', of => 's', wrt => '{g,b}');
-- of l l* = [[4,2],[2,5]] the factor is [[2,0],[1,2]]; nothing where the matrix is 0 throughout
CREATE TABLE m (u int, k int, l int, v float8 NOT NULL, PRIMARY KEY (u, k, l));
INSERT INTO m VALUES (1, 0, 0, 4), (1, 0, 1, 2), (1, 1, 0, 2), (1, 1, 1, 5);
SELECT einsum_register('m[U,K,L]', 'm', keys => '{u,k,l}', value => 'v', bounds => '{2,2,2}');
SELECT einsum_gradient('w[u,k,l] = cholesky(m[u,k,l]); s[] = sum[u,k,l] w[u,k,l]', of => 's', wrt => '{m}');
SELECT einsum_value(einsum_gradient('w[u,k,l] = cholesky(m[u,k,l]); s[] = sum[u,k,l] w[u,k,l]', of => 's', wrt => '{m}'));

-- errors
SELECT einsum_value('h[k,q] = inverse[k,q](g[u,k,l])');
SELECT einsum_value('h[k,q] = inverse(g[u,k,l])');
SELECT einsum_value('h[k,q] = 1 + cholesky[q,k](g[u,k,l])');
SELECT einsum_value('x[u,k] = solve[k,q](g[u,k,l], b[u,l])');
SELECT einsum_value('x[u,k] = sum[q] solve[q,l](g[u,k,l], b[u,l])');
\set SHOW_CONTEXT never
CREATE TABLE o (u int, k int, l int, v float8 NOT NULL, PRIMARY KEY (u, k, l));
SELECT einsum_register('o[U,K,L]', 'o', keys => '{u,k,l}', value => 'v', bounds => '{*,2,*}');
SELECT einsum_value('w[u,k,l] = solve(g[u,k,l], b[u,l])');
SELECT einsum_value('w[u] = solve(g[u,k,l], b[u,k2])');
SELECT einsum_value('w[k] = solve(g[u,k,l], b[u2,l])');
SELECT einsum_value('w[u] = inverse(g[u,k,l])');
SELECT einsum_value('w[u,k] = solve[k,p](g[u,k,l], b[u,l])');
SELECT einsum_value('w[u,k] = solve[k](g[u,k,l], b[u,l])');
SELECT einsum_value('w[u,k] = "solve"[k,l](g[u,k,l], b[u,l])');
SELECT einsum_value('w[u,k] = solve[k,k](g[u,k,l], b[u,l])');
SELECT einsum_value('w[u,k] = a[k,l](g[u,k,l], b[u,l])');
SELECT einsum_value('w[u,k] = solve(g[u,k,l])');
SELECT einsum_value('w[k,l] = solve[k,l](f[k,l], f[k,l])');
SELECT einsum_value('w[u,K] = solve(g[u,K,l], b[u,l])');
SELECT einsum_value('w[u,k] = solve(g[u,k,l:2] + 0, b[u,l])');
SELECT einsum_value('w[k,u] = inverse(b[u,k])');
SELECT einsum_value('w[u,k,l] = inverse[k,l](o[u,k,l])');
SELECT einsum_value('w[u,k] = solve(g[u,k,l] + 1, b[u,l] + 1)');
SELECT einsum_value('w[k,l] = inverse(f[k,l] + 1)');
SELECT einsum_value('x = solve(b, b)');
SELECT einsum_value('x = solve(f, t(f[k,l]))');
SELECT einsum_value('x = solve[k,l](f, z)');
\set VERBOSITY terse
SELECT einsum_value('x = f(z)');
\set VERBOSITY default
SELECT einsum_value('x = solve(f, b)');
UPDATE g SET v = 0 WHERE u = 0 AND k = 1;
SELECT einsum_value('w[u,k] = solve(g[u,k,l], b[u,l])');
SELECT einsum_value('w[u,k,l] = cholesky(g[u,k,l])');
UPDATE g SET v = 'Infinity' WHERE u = 0;
SELECT einsum_value('w[u,k] = solve(g[u,k,l], b[u,l])');

-- the functions of values
SELECT einsum_solve('kl', 'kl,l->k', '[[2,1],[0,4]]', '[2,9]'), einsum_solve('kl', 'lk,l->k', '[[2,1],[0,4]]', '[2,9]');
SELECT einsum_solve('kl', 'kl,lm->mk', '[[2,0],[0,4]]', '[[1,2],[3,4]]'), einsum_solve('kl', 'akl,l->ak', '[[[2,0],[0,4]],[[0,0],[0,0]]]', '[1,2]');
SELECT einsum_inverse('kl', 'akl->kla', '[[[2,0],[0,4]]]'), einsum_cholesky('kl', 'kl->kl', '[[4,2],[2,5]]'), einsum_cholesky('kl', 'kl->lk', '[[4,2],[2,5]]');
SELECT tensor_shape(einsum_solve('kl', 'kl,lm->mk', tensor_full('{0,0}', 0), tensor_full('{0,3}', 0)));
SELECT einsum_solve('kl', 'kl,k->l', '[[2,1],[0,4]]', '[2,9]');
SELECT einsum_solve('kl', 'kl,l->k', '[[2,1]]', '[2]');
SELECT einsum_solve('kl', 'kl,l->k', '[[2,1],[0,4]]', '[2]');
SELECT einsum_solve('k', 'kl,l->k', '[[2,1],[0,4]]', '[2,9]');
SELECT einsum_inverse('kl', 'kl->k', '[[2,1],[0,4]]');
SELECT einsum_inverse('kl', 'kl->kl', '[2,1]');
SELECT einsum_cholesky('kl', 'kl->kl', '[[2,1],[0,4]]');
SELECT einsum_cholesky('kl', 'kl->kl', '[[-2,1],[1,4]]');

SELECT einsum_drop('solved');
SELECT einsum_drop('kept');
DROP SCHEMA program_solve CASCADE;
