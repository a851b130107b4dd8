-- bounds of a first and a last key
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA origins;
SET search_path = origins, public;
SET client_min_messages = warning;

-- registrations
CREATE TABLE e (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO e VALUES (1, 2, 5), (2, 3, 1), (3, 1, 2), (4, 4, -1);
CREATE TABLE x (id bigint PRIMARY KEY, v float8[] NOT NULL);
INSERT INTO x VALUES (1, '{1,2,3,4}'), (3, '{0,0,1,0}'), (4, '{1,1,1,1}');
SELECT einsum_register('e[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{1..4,1..4}');
SELECT einsum_register('x[I,k]', 'x', keys => '{id}', value => 'v', bounds => '{1..4,1..4}');
SELECT tensor, notation, bounds, status FROM einsum_tensors ORDER BY tensor;
SELECT label FROM pg_seclabels WHERE objoid = 'e'::regclass;
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{0..4,-3..4}');
SELECT bounds FROM einsum_tensors WHERE tensor = 'f';
SELECT einsum_unregister('f');
-- what is no bound, and keys outside
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{4..1,4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{1..,4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{-9223372036854775808..9223372036854775806,4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{2..4,1..4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{1..3,1..4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{4,4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{-9..-1,1..4}');
SELECT einsum_register('y[I,k]', 'x', keys => '{id}', value => 'v', bounds => '{1..4,1..3}');

-- keys of results are keys
SELECT * FROM einsum_rows('a[i] = sum[j] e[i,j]') AS t(i int, v float8) ORDER BY i;
SELECT * FROM einsum_rows('a[i,j] = e[j,i] + 1') AS t(i int, j int, v float8) WHERE i = 1 ORDER BY j;
SELECT * FROM einsum_rows('a[i,k] = x[i,k]') AS t(i bigint, k int, v float8) ORDER BY i, k;
SELECT einsum_value('a[i] = sum[j] e[i,j]'), einsum_value('a[k,i] = x[i,k]');
SELECT * FROM einsum_rows('a[i:2,j:3] = e[i,j]') AS t(i int, j int, v tensor) ORDER BY i, j;
SELECT einsum_value('a[i] = x[i,2]'), einsum_value('a[j] = e[1,j]'), einsum_value('b[i] = sum[j] e[i,j]; a[] = b[4]');
SELECT einsum_value('a[i] = argmax[j] e[i,j]'), einsum_value('a[i] = argmin[k] x[i,k]'), einsum_value('a[] = argmax[i] (sum[j] e[i,j])');
SELECT einsum_value('a[i,j] = e[i-1,j]'), einsum_value('a[i,k] = x[i,k+1]'), einsum_value('b[i] = sum[j] e[i,j]; a[i] = b[i+2]');
SELECT * FROM einsum_rows('a[i,j] = e[i,j-1]') AS t(i int, j int, v float8) ORDER BY i, j;
SELECT einsum_value('a[i,j] = e[i,j] + 2*eye[i,j]'), einsum_value('a[i,k] = solve(2*eye[i,j] + e[i,j], x[j,k])');
SELECT einsum_value('a = nrow(e) + sum(x)'), einsum_value('a[] = avg[i] (sum[j] e[i,j])'), einsum_value('a[] = prod[i,j] (e[i,j] + 1)');
SELECT einsum_value('a = e %*% x'), einsum_value('a[] = min[i,j] e[i,j]');

-- at, and errors
SELECT * FROM einsum_rows('a[i,j] = e[i,j]', at => '{"i": 4}') AS t(i int, j int, v float8);
SELECT * FROM einsum_rows('a[i,j] = e[i,j]', at => '{"i": 0}') AS t(i int, j int, v float8);
SELECT * FROM einsum_rows('a[i,j] = e[i,j]', at => '{"i": 5}') AS t(i int, j int, v float8);
SELECT einsum_value('a[j] = e[0,j]');
SELECT einsum_value('a[j] = e[5,j]');
CREATE TABLE u (k int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO u VALUES (0, 1), (3, 2);
SELECT einsum_register('u[K]', 'u', keys => '{k}', value => 'v', bounds => '{4}');
SELECT einsum_value('a[i] = e[i,j]*u[j]');
SELECT einsum_value('a[i] = x[i,k]*u[k]');
SELECT einsum_register('u[K]', 'u', keys => '{k}', value => 'v', bounds => '{0..5}', replace => true);
SELECT einsum_value('a[i] = e[i,j]*u[j]');

-- a view is live, its conditions reach the index, and rows outside are errors
SELECT view, notation FROM einsum_decompose('h[i,k] = sum[j] e[i,j]*x[j,k]', 'ones');
SELECT * FROM h WHERE i = 2 ORDER BY k;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT count(*) FROM einsum_decompose('copy[i,j] = 2*e[i,j]', 'two');
EXPLAIN (COSTS OFF) SELECT * FROM copy WHERE i = 2;
RESET enable_seqscan;
RESET enable_bitmapscan;
INSERT INTO e VALUES (5, 1, 1);
SELECT * FROM h;
DELETE FROM e WHERE i = 5;
INSERT INTO e VALUES (0, 1, 1);
SELECT * FROM h;
DELETE FROM e WHERE i = 0;

-- results in tables, refreshed, and new bounds
SELECT view FROM einsum_decompose('t[i,j] = 2*e[i,j]; s[J] = sum[i] t[i,j]', 'three', materialize => 'always') ORDER BY view;
SELECT count(*) FROM einsum_refresh('three');
SELECT * FROM s ORDER BY j;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 's'::regclass AND contype = 'c';
SELECT relation, bounds, status FROM einsum_tensors WHERE program = 'three' ORDER BY 1;
SELECT count(*) FROM einsum_rebound('{"i": "1..6", "j": "1..6"}');
SELECT count(*) FROM einsum_rebound('{"e": ["1..6", "1..6"], "x": ["1..6", null]}');
SELECT tensor, bounds FROM einsum_tensors WHERE tensor IN ('e', 'x', 's', 'h') ORDER BY 1;
INSERT INTO e VALUES (6, 5, 3);
SELECT count(*) FROM einsum_refresh('three');
SELECT * FROM s ORDER BY j;
SELECT * FROM h WHERE i > 3 ORDER BY i, k;
SELECT einsum_drop('three');

-- loops
CREATE TABLE start (id int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO start VALUES (1, 0);
CREATE TABLE road (a int, b int, km float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO road VALUES (1, 2, 4), (1, 3, 1), (3, 2, 2), (2, 4, 5);
SELECT einsum_register('road[I,J]', 'road', keys => '{a,b}', value => 'km', bounds => '{1..4,1..4}', fill => 'Infinity'),
	einsum_register('start[I]', 'start', keys => '{id}', value => 'v', bounds => '{1..4}', fill => 'Infinity');
SELECT round, value FROM einsum_iterate('far', init => 'd[i] = start[i]',
	step => 'n[j] = least(d[j], min[i] (d[i] + road[i,j])); changed[] = sum[j] (n[j] <> d[j]); d[j] = n[j]', until => 'changed[] == 0');
SELECT * FROM d ORDER BY 1;
SELECT einsum_value('f[i] = d[i]');

-- storing
SELECT einsum_store('q[I,J]', 'SELECT i, j, v FROM e', '{1..6,1..6}');
SELECT einsum_store('q2[I,j]', 'SELECT i, j, v FROM e', '{1..6,1..6}');
SELECT einsum_store('q3[i:4,j:4]', 'SELECT i, j, v FROM e', '{1..6,1..6}');
SELECT * FROM q2 ORDER BY i;
SELECT * FROM q3 ORDER BY i, j;
SELECT einsum_value('a[] = sum[i,j] (abs(q[i,j] - q2[i,j]) + abs(q2[i,j] - q3[i,j]) + abs(q3[i,j] - e[i,j]))');
SELECT einsum_store('q4[I,J]', 'SELECT i - 1, j, v FROM e', '{1..6,1..6}');
SELECT einsum_store('q4[I,J]', 'SELECT i, j, v FROM e', '{1..6,1..6}', layout => 'csr(p,k,v)');

-- arrays: what is stored is a key, what counts is a position
CREATE TABLE arrays (p int[], k int[], v float8[]);
INSERT INTO arrays VALUES ('{0,1,2,3,4}', '{2,3,1,4}', '{5,1,2,-1}');
SELECT einsum_register('csr[I,J]', 'arrays', keys => '{}', layout => 'csr(p,k,v)', bounds => '{1..4,1..4}');
SELECT * FROM einsum_rows('a[i,j] = csr[i,j]') AS t(i int, j int, v float8) ORDER BY i;
SELECT einsum_register('two[I,J]', 'arrays', keys => '{}', layout => 'symmetric csr(p,k,v)', bounds => '{1..4,1..4}');
UPDATE arrays SET k = '{2,3,0,4}';
SELECT * FROM einsum_rows('a[i,j] = csr[i,j]') AS t(i int, j int, v float8) ORDER BY i;

SELECT einsum_analyze('e'), einsum_analyze('x');
SELECT einsum_value('a[i] = sum[j] e[i,j]');
-- a label that says otherwise
SECURITY LABEL FOR sparseeinsum ON TABLE u IS '{"version":4,"tensors":[{"tensor":"u","notation":"u[K]","keys":["k"],"value":"v","bounds":["4..1"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE u IS '{"version":3,"tensors":[{"tensor":"u","notation":"u[K]","keys":["k"],"value":"v","bounds":["0..4"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SELECT einsum_drop('ones'), einsum_drop('two'), einsum_drop('far');
DROP SCHEMA origins CASCADE;
