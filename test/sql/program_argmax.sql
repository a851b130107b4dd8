-- argmax and argmin: where the first extreme entry is, by dense semantics.
CREATE SCHEMA program_argmax;
SET search_path = program_argmax, public, sparseeinsum_internal;
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE EXTENSION IF NOT EXISTS sparseeinsum SCHEMA public;

CREATE TABLE x (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO x VALUES (0, 0, -1), (0, 1, 3), (0, 3, 3), (1, 0, -1), (1, 1, -2), (1, 2, -3), (1, 3, -1), (2, 0, -5), (2, 1, 0), (3, 3, 'NaN'), (3, 1, 7), (4, 2, -1), (4, 0, 0);
CREATE TABLE m (j int PRIMARY KEY, v tensor(float4) NOT NULL);
INSERT INTO m VALUES (0, 'float4:[1,-1,0,NaN]'), (1, 'float4:[1,-1,-1,2]'), (3, 'float4:[0,-1,5,NaN]');
CREATE TABLE d (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO d VALUES (1, '[[1,2],[3,0],[3,2]]'), (3, '[[Infinity,2],[Infinity,7],[3,7]]');
CREATE TABLE o (k text, j int, v float8 NOT NULL, PRIMARY KEY (k, j));
INSERT INTO o VALUES ('a', 1, 5), ('b', 0, -1), ('c', 1, 0);
CREATE TABLE z (j int PRIMARY KEY, v tensor(complex16) NOT NULL);
CREATE TABLE n (id int PRIMARY KEY);
INSERT INTO n VALUES (3), (7);
CREATE TABLE s (id int REFERENCES n PRIMARY KEY, v float8);
INSERT INTO s VALUES (7, 2);
SELECT einsum_dimension('node', 'n', 'id');
SELECT einsum_register('x[I,J]', 'x', keys => '{i,j}', value => 'v', bounds => '{6,4}');
SELECT einsum_register('f[I,J]', 'x', keys => '{i,j}', value => 'v', bounds => '{6,4}', fill => 'Infinity');
SELECT einsum_register('q[I,J]', 'x', keys => '{i,j}', value => 'v', bounds => '{6,4}', fill => 'NaN');
SELECT einsum_store('index[J]', 'SELECT j, j AS v FROM generate_series(0, 3) j', '{4}', 'indices');
SELECT einsum_register('m[J,k]', 'm', keys => '{j}', value => 'v', bounds => '{4,4}');
SELECT einsum_register('d[I,j,k]', 'd', keys => '{i}', value => 'v', bounds => '{4,3,2}');
SELECT einsum_register('o[K,J]', 'o', keys => '{k,j}', value => 'v', bounds => '{*,3}');
SELECT einsum_register('z[J,k]', 'z', keys => '{j}', value => 'v', bounds => '{2,2}');
SELECT einsum_register('s[I]', 's', keys => '{id}', value => 'v', bounds => '{node}');

-- The same by plain SQL over all indices. NaN is the greatest number of PostgreSQL.
CREATE FUNCTION place(fill float8, smallest boolean) RETURNS float8[] LANGUAGE sql RETURN
	(SELECT array_agg(j ORDER BY i) FROM (SELECT DISTINCT ON (i) i, j FROM (SELECT i, j, coalesce(v, fill) AS v FROM generate_series(0, 5) i CROSS JOIN generate_series(0, 3) j LEFT JOIN x USING (i, j)) dense
		ORDER BY i, v = 'NaN' DESC, CASE WHEN smallest THEN -v ELSE v END DESC, j) s);
SELECT place(0, false), place(0, true), place('Infinity', false), place('Infinity', true), place('NaN', false);
SELECT label, plan,
	einsum_value(replace('y[i] = argmax[%j] x[i,%j]', '%j', label), search => plan)::float8[] = place(0, false) AS argmax,
	einsum_value(replace('y[i] = argmin[%j] x[i,%j]', '%j', label), search => plan)::float8[] = place(0, true) AS argmin,
	einsum_value(replace('y[i] = argmax[%j] f[i,%j]', '%j', label), search => plan)::float8[] = place('Infinity', false) AS argmax_fill,
	einsum_value(replace('y[i] = argmin[%j] f[i,%j]', '%j', label), search => plan)::float8[] = place('Infinity', true) AS argmin_fill,
	einsum_value(replace('y[i] = argmin[%j] q[i,%j]', '%j', label), search => plan)::float8[] = place('NaN', true) AS nan_fill
FROM (VALUES ('j'), ('J'), ('j:*')) l(label), (VALUES ('dp'), ('as_written'), ('exhaustive')) p(plan);
SELECT pin, einsum_value(replace('y[%i] = argmax[J] x[%i,J]', '%i', pin))::float8[] = place(0, false) AS rows, einsum_value(replace('y[%i] = argmax[j:*] x[%i,j:*]', '%i', pin))::float8[] = place(0, false) AS dimension
FROM (VALUES ('I'), ('i:*'), ('i:4')) p(pin);
-- whatever else a plan chooses, the label is a key or a dimension
SET sparseeinsum.blocks = '2,3';
SELECT count(*), bool_and(y::float8[] = place(0, false)) AS same FROM (SELECT einsum_value('y[i] = argmax[j] x[i,j]', alternative => n) AS y FROM generate_series(1, 8) n) s;
SELECT einsum_plan('y[I] = argmax[j] b[i,j]', format => 'program') FROM einsum_store('b[I:2,J:2]', 'SELECT i, j, v FROM x', '{6,4}', 'blocks') s;
SELECT einsum_value('y[I] = argmax[j] b[i,j]')::float8[] = place(0, false) AS same;
RESET sparseeinsum.blocks;
-- elements of values, in any order of dimensions; float4
SELECT einsum_value('y[k] = argmax[j] m[j,k]'), einsum_value('y[k] = argmax[J] m[J,k]'), einsum_value('y[k] = argmax[j:*] m[j:*,k]'), einsum_value('y[K] = argmin[J] m[J,K]');
SELECT einsum_value('y[j] = argmax[k] m[j,k]'), einsum_value('y[J] = argmax[K] m[J,K]'), einsum_value('y[k:2] = argmin[j] m[j,k:2]');
SELECT einsum_value('y[i,k] = argmax[j] d[i,j,k]'), einsum_value('y[k,i] = argmax[j:*] d[i:*,j:*,k:*]'), einsum_value('y[j,k] = argmin[I] d[I,j,k]'), einsum_value('y[k:*,j:*] = argmax[I] d[I,j:*,k:*]');
-- expressions, scope, results that are numbers
SELECT einsum_value('y[] = argmax[i] sum[j] x[i,j]*x[i,j]*(x[i,j] < 9)'), einsum_value('y[] = argmin[i] argmax[j] x[i,j]'), einsum_value('y[i] = 2*(argmax[j] x[i,j] + 1) - 1'), einsum_value('y[] = argmax[i] max[j] exp(-abs(x[i,j]))');
SELECT einsum_value('y[i] = (max[j] x[i,j]) * (argmax[j] x[i,j])'), einsum_value('y[i] = argmax[j] (-x[i,j])'), einsum_value('y[i] = argmax[j] (x[i,j] > 0)');
SELECT einsum_value('argmax[i] = argmax[j] x[i,j]; y[i] = argmax[i] - argmax[i]'), einsum_value('g[i] = argmax[j] x[i,j]; y[i,j] = (index[j] == g[i])');
-- nothing is stored
SELECT einsum_value('y[] = argmax[i] o2[i]'), einsum_value('y[j] = argmin[i] o2[i]*index[j]'), einsum_value('y[i] = argmax[k] (eye[i,k] + o2[k])') FROM einsum_store('o2[I]', 'SELECT 0, 1 LIMIT 0', '{3}', 'o2') s;
BEGIN;
DELETE FROM x;
SELECT einsum_value('y[i] = argmax[j] x[i,j]'), einsum_value('y[i] = argmax[J] x[i,J]'), einsum_value('y[] = argmax[i] argmin[J] x[i,J]'), einsum_value('y[] = argmax[I] (max[j] x[I,j])');
ROLLBACK;
-- what is computed twice is not compared: rounding has no say
SELECT einsum_value('y[i] = argmax[j] (0.1*x[i,j] + 0.2*x[i,j] + 0.7*x[i,j])/3')::float8[] = place(0, false) AS same;

-- views, keys that are open, point queries, plans, loops, derivatives
SELECT view, notation FROM einsum_decompose('best[K] = argmax[J] o[k,J]; place[I] = argmax[J] x[i,J]', 'places', schema => 'program_argmax');
SELECT * FROM best ORDER BY k;
SELECT * FROM place ORDER BY i;
INSERT INTO x VALUES (5, 3, 1);
SELECT * FROM place WHERE i = 5;
DELETE FROM x WHERE i = 5;
SELECT einsum_drop('places');
SELECT s.i, y.value FROM generate_series(0, 5) s(i), einsum_rows('y[I] = argmax[j] x[i,j]', at => json_build_object('i', s.i)) AS y(i int, value float8) ORDER BY 1;
SELECT einsum_plan('y[i] = 1 + argmax[J] x[i,J]', format => 'program', result => 'auto'), einsum_plan('y[i] = argmin[j:*] x[i,j:*]', format => 'program', result => 'auto');
SELECT einsum_plan('a[i] = argmax[j] x[i,j]; b[k] = argmax[l] x[k,l]; c[i] = argmin[j] x[i,j]; d[i] = argmax[k] 2*x[i,k]/2', format => 'forms', result => 'auto');
SELECT einsum_sql('y[I] = argmax[J] x[I,J]') ~ 'einsum_argmax\(x.v, CAST\(x.j AS pg_catalog.int8\), ''4''::pg_catalog.int8' AS rows, einsum_sql('y[I,k] = argmax[j] d[I,j,k]') ~ 'tensor_argmax\(d.v, 0\)' AS dimension;
SELECT max(round) FROM einsum_iterate('walk', 'c[i] = sum[j] 0*(x[i,j] > 99)', 'c[i] = argmax[j] greatest(index[j]*(c[i] < 3), -3*c[i] - index[j])', max_rounds => 3);
SELECT einsum_value('y[i] = c[i]');
SELECT einsum_gradient('l[] = sum[i] (argmax[j] x[i,j])*(sum[j] w[i,j])^2', 'l', '{w}') FROM einsum_store('w[I,J]', 'SELECT 1, 1, 2', '{6,4}', 'w') s;

-- mistakes
SELECT einsum_value('y[] = argmax[i,j] x[i,j]');
SELECT einsum_value('y[j] = argmax[k] o[k,j]');
SELECT einsum_value('y[] = argmax[i] s[i]');
SELECT einsum_value('y[j] = argmax[k] z[j,k]');
SELECT einsum_value('y[i] = argmax[j:2] x[i,j:2]');
SELECT einsum_value('y[i,j] = x[i,j]*(argmax[k] x[i,j])');
SELECT einsum_value('y[i] = argmax[j] x[i,j] + j');
SELECT einsum_value('y[i] = argmax[i] x[i,j]');
SELECT einsum_store('none[I,J]', 'SELECT 0, 0, 1 LIMIT 0', '{2,0}', 'nothing');
SELECT einsum_value('y[i] = argmax[j] none[i,j]');
SELECT einsum_argmax(tensor '[1,2]', 0, 4, 0), einsum_argmax(tensor '[1]', 1, 4, 0) FROM generate_series(1, 2);
SELECT einsum_argmax(v, j, 4, 0) FROM (VALUES (tensor '[1,2]', 0), ('[3]', 1)) t(v, j);
-- plans are programs, whatever labels are named
SELECT einsum_plan('y[i] = argmax["Odd x"] x[i,"Odd x"]', format => 'program', result => 'auto');
SELECT einsum_value(einsum_plan('y[i] = argmax["Odd x"] x[i,"Odd x"]', format => 'program', result => 'auto')) = einsum_value('y[i] = argmax[j] x[i,j]') AS same;
DROP SCHEMA program_argmax CASCADE;
