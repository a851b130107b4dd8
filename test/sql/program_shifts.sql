-- Shifted and constant indices: x[t-1], x[0,k]. What is beyond the ends is the fill.
CREATE SCHEMA program_shifts;
SET search_path = program_shifts, public, sparseeinsum_internal;
SET client_min_messages = warning;
\set SHOW_CONTEXT never
CREATE EXTENSION IF NOT EXISTS sparseeinsum SCHEMA public;

CREATE TABLE x (t int, k smallint, v float8 NOT NULL, PRIMARY KEY (t, k));
INSERT INTO x VALUES (0, 0, 1), (0, 2, 3), (1, 1, 5), (3, 0, 7), (3, 2, 9);
CREATE TABLE d (t int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO d VALUES (0, '[1,2,3]'), (2, '[4,5,6]');
CREATE TABLE w (v tensor NOT NULL);
INSERT INTO w VALUES ('[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]');
CREATE TABLE b (t int, v tensor NOT NULL, PRIMARY KEY (t));
INSERT INTO b VALUES (0, '[[1,2,3],[4,5,6]]'), (1, '[[7,8,9],[10,11,12]]');
CREATE TABLE o (day bigint PRIMARY KEY, v real);
INSERT INTO o VALUES (100, 1.5), (101, 2), (103, 8), (104, NULL);
CREATE TABLE names (k text PRIMARY KEY, v float8 NOT NULL);
CREATE TABLE z (t int PRIMARY KEY, v tensor(complex16) NOT NULL);
INSERT INTO z VALUES (1, 'complex16:[1+2i,3]');
CREATE TABLE e (t int, k int, PRIMARY KEY (t, k));
INSERT INTO e VALUES (0, 1), (3, 2);
CREATE TABLE dup (t int, v float8);
INSERT INTO dup VALUES (1, 2), (1, 3), (2, -1);
SELECT einsum_register('x[T,K]', 'x', keys => '{t,k}', value => 'v', bounds => '{4,3}');
SELECT einsum_register('d[T,k]', 'd', keys => '{t}', value => 'v', bounds => '{4,3}', fill => 'Infinity');
SELECT einsum_register('w[t,k]', 'w', keys => '{}', value => 'v', bounds => '{4,3}');
SELECT einsum_register('b[T:2,k]', 'b', keys => '{t}', value => 'v', bounds => '{4,3}');
SELECT einsum_register('o[D]', 'o', keys => '{day}', value => 'v', bounds => '{*}');
SELECT einsum_register('names[K]', 'names', keys => '{k}', value => 'v', bounds => '{*}');
SELECT einsum_register('z[T,k]', 'z', keys => '{t}', value => 'v', bounds => '{3,2}', fill => 2);
SELECT einsum_register('e[T,K]', 'e', keys => '{t,k}', bounds => '{4,3}');
SELECT einsum_register('dup[T]', 'dup', keys => '{t}', value => 'v', bounds => '{4}', duplicates => 'sum');

-- keys, dimensions of values, both
SELECT einsum_value('y[t,k] = x[t,k]'), einsum_value('y[t,k] = x[t-1,k]'), einsum_value('y[t,k] = x[t+2,k-1]'), einsum_value('y[t,k] = x[t+9,k]');
SELECT einsum_value('y[t,k] = d[t-1,k]'), einsum_value('y[t,k] = d[t,k+1]'), einsum_value('y[t,k] = d[t+1,k-5]'), einsum_value('y[t,k] = d[t-2,k-1]');
SELECT einsum_value('y[t,k] = w[t-1,k+1]'), einsum_value('y[t,k] = w[t,k-4]'), einsum_value('y[k,t] = w[t+3,k]');
-- constants; a number where there are no labels
SELECT einsum_value('y[k] = x[0,k]'), einsum_value('y[t] = x[t,2]'), einsum_value('y[] = x[3,2]'), einsum_value('y[] = x[2,2]');
SELECT einsum_value('y[k] = d[1,k]'), einsum_value('y[t] = d[t,2]'), einsum_value('y[] = d[2,1]'), einsum_value('y[] = d[3,1]');
-- several rows at a constant, which a sum over other labels reads as one number
SELECT einsum_value('y[k] = sum[t] dup[1]*x[t,k]'), einsum_value('y[] = sum[t,k] dup[1]*x[t,k]'), einsum_value('y[] = sum[t] dup[2]*dup[1]*o[t]'), einsum_value('y[] = sum[k] dup[0]*names[k]'), einsum_value('y[] = dup[1]');
SELECT einsum_value('y[k] = w[3,k]'), einsum_value('y[t] = w[t+1,0]'), einsum_value('y[] = w[1,1]');
-- blocks that are not shifted
SELECT einsum_value('y[t,k] = b[t,k+1]'), einsum_value('y[t] = b[t,0]');
SELECT einsum_value('y[t,k] = b[t-1,k]');
SELECT einsum_value('y[k] = b[1,k]');
SELECT einsum_value('h[t,k] = b[t,k]; y[t,k] = h[t-1,k]');
-- other storages and types
SELECT einsum_store('b[T,k]', 'SELECT t, k, v FROM (SELECT 2*t + (i.index)[1] AS t, (i.index)[2] AS k, i.value AS v FROM b, tensor_entries(v) i) s', '{4,3}', 'b_rows', storage => 'further');
SELECT einsum_value('y[t,k] = b[t-1,k]'), einsum_value('y[k] = b[1,k]');
SELECT einsum_value('y[t,k] = z[t+1,k]'), einsum_value('y[t,k] = z[t,k-1]'), einsum_value('y[t] = z[t,0]'), einsum_value('y[k] = z[1,k]');
SELECT einsum_value('y[t,k] = e[t-1,k]'), einsum_value('y[] = e[3,2]'), einsum_value('y[] = sum[t] e[t,2]');
SELECT einsum_value('y[t] = dup[t-1]'), einsum_value('y[t] = dup[t-1]^2'), einsum_value('y[] = dup[1]');

-- in expressions: differences, moving averages, neighbours, diagonals, sums
SELECT einsum_value('y[t,k] = x[t,k] - x[t-1,k]'), einsum_value('y[t,k] = (x[t-1,k] + x[t,k] + x[t+1,k])/3');
SELECT einsum_value('y[k] = x[t,k]*x[t-1,k+1]'), einsum_value('y[t] = x[t,t-1]');
SELECT einsum_value('y[t,k] = least(d[t,k], d[t-1,k])'), einsum_value('y[t,k] = softmax[k] x[t+3,k]');
SELECT einsum_value('y[t] = sum[k] x[t-1,k]*w[t,k]', search => 'as_written'), einsum_value('y[t] = sum[k] x[T-1,k]*w[t,k]'), einsum_value('y[t] = sum[k] x[t:2-1,k]*w[t,k]'), einsum_value('y[t] = sum[k] x[t:*-1,k]*w[t,k]');

-- open labels of integers
SELECT view, notation FROM einsum_decompose('change[D] = o[d] - o[d-1]; before[D] = o[d-1]; first[] = o[100]', 'days', schema => 'program_shifts');
SELECT * FROM change ORDER BY d;
SELECT * FROM before ORDER BY d;
SELECT * FROM first;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'before'::regclass AND attnum > 0;
SELECT einsum_drop('days');
SELECT einsum_plan('y[K] = names[k-1]');

-- at the ends of the types of keys: open ones may be further than the type, and nothing is beyond bigint
CREATE TABLE end2 (k smallint PRIMARY KEY, v float8 NOT NULL);
CREATE TABLE end4 (k int PRIMARY KEY, v float8 NOT NULL);
CREATE TABLE end8 (k bigint PRIMARY KEY, v float8 NOT NULL);
INSERT INTO end2 VALUES (32767, 3), (32766, 4), (-32768, 5), (-32767, 7);
INSERT INTO end4 VALUES (2147483647, 3), (2147483646, 4), (-2147483648, 5), (-2147483647, 7);
INSERT INTO end8 VALUES (9223372036854775807, 3), (9223372036854775806, 4), (-9223372036854775808, 5), (-9223372036854775807, 7);
SELECT einsum_register('end' || n || '[K]', ('end' || n)::regclass, keys => '{k}', value => 'v', bounds => '{*}') FROM unnest('{2,4,8}'::text[]) n;
SELECT p, n, einsum_value(replace(p, 's[', 'end' || n || '[')) FROM unnest(ARRAY['y[] = sum[t] s[t]*s[t-1]', 'y[] = sum[t] s[t+1]*s[t]', 'y[] = sum[t] (s[t]-s[t-1])^2',
	'h[t] = 2*s[t]; y[] = sum[t] h[t]*h[t-1]', 'h[t] = 2*s[t]; y[] = sum[t] h[t+1]', 'y[] = sum[t] s[t-2147483647]', 'y[] = s[32767]']) p, unnest('{2,4,8}'::text[]) n;
SELECT y.*, pg_typeof(t) FROM einsum_rows('y[T] = end2[t-1]') AS y(t bigint, value float8) ORDER BY t;
SELECT * FROM einsum_rows('y[T] = end8[t+1] + end8[t]') AS y(t bigint, value float8) ORDER BY t;
SELECT n, y.* FROM (VALUES (2, 32767), (2, -32768), (8, 9223372036854775807), (8, -9223372036854775808)) k(n, t),
	einsum_rows(format('h[T] = 2*end%s[t]; y[T] = h[t]*h[t-1] + h[t+1] + end%1$s[t-1]', n), at => json_build_object('t', k.t), result => 'auto') AS y(t bigint, value float8) ORDER BY n, t;
-- a bound may be further than the type of keys, or as far as bigint
DELETE FROM end2 WHERE k < 0;
SELECT einsum_register('far2[K]', 'end2', keys => '{k}', value => 'v', bounds => '{100000}', replace => true);
SELECT * FROM einsum_rows('y[T] = far2[t-1]') AS y(t int, value float8) ORDER BY t;
SELECT einsum_value('y[] = sum[t] far2[t]*far2[t-1]'), einsum_value('y[] = sum[t] far2[t+1]');
DELETE FROM end8 WHERE k < 0 OR k = 9223372036854775807;
SELECT einsum_register('far8[K]', 'end8', keys => '{k}', value => 'v', bounds => '{9223372036854775807}', replace => true);
SELECT einsum_value('y[] = sum[t] far8[t-2]'), einsum_value('y[] = sum[t] far8[t]*far8[t+1]');

-- views are live; keys of their own type; checks of what is stored stay
SELECT view, notation FROM einsum_decompose('lag[T,K] = x[t-1,k]', 'lags', schema => 'program_shifts');
SELECT * FROM lag ORDER BY t, k;
INSERT INTO x VALUES (2, 2, 11);
SELECT * FROM lag WHERE t = 3;
-- also of rows that are beyond the ends
INSERT INTO x VALUES (4, 0, 1);
SELECT * FROM lag;
DELETE FROM x WHERE t IN (2, 4);
ALTER TABLE x DROP CONSTRAINT x_pkey;
SELECT einsum_drop('lags');

-- point queries
SELECT * FROM einsum_rows('y[T,K] = x[t-1,k]', at => '{"t": 1}') AS y(t int, k int, value float8) ORDER BY k;
SELECT * FROM einsum_rows('h[T,k] = d[t+1,k]; y[T,K] = if(h[t,k] < 9, h[t,k], 0)', at => '{"t": 1}') AS y(t int, k int, value float8) ORDER BY k;
SELECT s.t, y.k, y.value FROM generate_series(0, 3) AS s(t), einsum_rows('h[T,K] = x[t-1,k]*2; y[T,K] = h[t,k] + x[t+1,k]', at => json_build_object('t', s.t)) AS y(t int, k int, value float8) ORDER BY 1, 2;
-- where keys that are needed limit what is stacked
CREATE TABLE p (s int, t int, PRIMARY KEY (s, t));
INSERT INTO p VALUES (0, 1), (0, 3), (1, 2), (2, 0), (3, 1);
SELECT einsum_register('p[S,T]', 'p', keys => '{s,t}', bounds => '{4,4}');
SELECT einsum_sql('r[T] = sum[k] x[t-1,k:*]^2; y[S] = sum[t] p[s,t]*abs(r[t] - 1)', at => '{s}') LIKE '%ANY (SELECT d0 FROM (SELECT CASE WHEN needed.d0%THEN needed.d0 OPERATOR(pg_catalog.+) ''-1''%' AS limited;
SELECT s.s, y.value FROM generate_series(0, 3) AS s(s), einsum_rows('r[T] = sum[k] x[t-1,k:*]^2; y[S] = sum[t] p[s,t]*abs(r[t] - 1)', at => json_build_object('s', s.s)) AS y(s int, value float8) ORDER BY 1;
SELECT einsum_value('r[T] = sum[k] x[t-1,k:*]^2; y[S] = sum[t] p[s,t]*abs(r[t] - 1)');

-- plans and their text
SELECT einsum_plan('y[t,k] = x[t-1,k] + 2*x[0,k]', result => 'auto');
SELECT einsum_plan('y[t,k] = x[t-1,k] + 2*x[0,k]', format => 'program', result => 'auto');
SELECT einsum_plan('y[t,k] = x[t-1,k] + x[t+1,k]; u[a,b] = x[a+1,b] + x[a-1,b]; v[t,k] = x[t,k] + x[t+1,k]; q[k] = x[0,k]', format => 'forms', result => 'auto');
SELECT einsum_gradient('l[] = sum[t,k] x[t-1,k]*w[t,k]^2', 'l', '{w}');
SELECT einsum_gradient('l[] = sum[t,k] x[t-1,k]*w[t,k]^2', 'l', '{x}');

-- what the program defines: in keys, in values, in blocks; beyond the ends its fill
SELECT einsum_value('h[T,K] = x[t,k]*2+1; y[t,k] = h[t-1,k+1]'), einsum_value('h[t,k] = x[t,k]*2+1; y[t,k] = h[t-1,k+1]'), einsum_value('h[T,k] = x[t,k]*2+1; y[t,k] = h[t-1,k+1]');
SELECT einsum_value('h[t:2,k] = x[t,k]*2+1; y[t,k] = h[t-1,k+1]'), einsum_value('h[t,k] = x[t:2,k]*2+1; y[t:2,k] = h[t-1,k+1]', search => 'as_written'), einsum_value('h[t,k] = x[t,k]*2+1; y[t,k] = h[t-1,k+1]*1', search => 'exhaustive');
SELECT pinned, einsum_value('h[' || pinned || ',k] = x[t,k]*2+1; y[' || pinned || ',k] = h[t,k+1]', search => 'exhaustive') FROM unnest('{t,T,t:2,t:3}'::text[]) pinned;
SELECT einsum_value('h[T,k] = x[t,k]*2+1; y[k] = h[0,k]'), einsum_value('h[t,k] = x[t,k]*2+1; y[t] = h[t+1,2]'), einsum_value('h[t,k] = x[t,k]*2+1; y[] = h[3,2]'), einsum_value('h[T,K] = x[t,k]*2+1; y[] = h[2,2]');
SELECT einsum_value('h[t,k] = x[t,k] - x[t-1,k]; y[t,k] = h[t,k] - h[t-1,k]'), einsum_value('h[t,s] = sum[k] x[t,k]*x[s,k]; y[t] = h[t,t-1]'), einsum_value('h[t,k] = d[t,k]; y[t,k] = h[t-1,k]');
SELECT einsum_value('h[] = x[0,2]; y[] = h[]'), einsum_value('h[t,k] = z[t,k]*2; y[t,k] = h[t-1,k+1]'), einsum_value('h[t,k] = x[t,k]; g[t,k] = h[t-1,k]; y[t,k] = g[t-1,k] + h[0,k]');
SELECT view, notation FROM einsum_decompose('h[D] = 2*o[d]; change[D] = h[d] - h[d-1]; first[] = h[100]', 'days', schema => 'program_shifts');
SELECT * FROM change ORDER BY d;
SELECT * FROM first;
SELECT einsum_drop('days');
SELECT einsum_plan('h[t,k] = x[t,k]*2+1; y[t,k] = h[t-1,k]*h[0,k]', result => 'auto');
SELECT einsum_plan('h[t,k] = x[t,k]*2+1; y[t,k] = h[t-1,k]*h[0,k]', format => 'program', result => 'auto');
SELECT einsum_plan('h[t,k] = x[t,k]*2+1; y[t,k] = h[t-1,k]*h[0,k]', format => 'forms', result => 'auto');
SELECT s.t, y.k, y.value FROM generate_series(0, 3) AS s(t), einsum_rows('h[T,K] = 2*x[t,k]; y[T,K] = h[t-1,k] + x[t,k]', at => json_build_object('t', s.t)) AS y(t int, k int, value float8) ORDER BY 1, 2;
SELECT s.s, y.value FROM generate_series(0, 3) AS s(s), einsum_rows('r[T] = sum[k] x[t,k:*]^2; y[S] = sum[t] p[s,t]*r[t-1]', at => json_build_object('s', s.s)) AS y(s int, value float8) ORDER BY 1;
SELECT einsum_value('r[T] = sum[k] x[t,k:*]^2; y[S] = sum[t] p[s,t]*r[t-1]');
-- the state of a loop, and what a round computes
SELECT count(*) FROM einsum_iterate('walk', 's[T] = x[t,0]', 's[T] = s[t-1] + 1; s0[] = s[1]', max_rounds => 2, schema => 'program_shifts');
SELECT * FROM s ORDER BY t;
SELECT count(*) FROM einsum_iterate('grow', 'u[T] = x[t,0]', 'q[t] = u[t]*2; u[T] = u[t] + q[t-1]', max_rounds => 2, schema => 'program_shifts');
SELECT * FROM u ORDER BY t;
SELECT einsum_drop('walk'), einsum_drop('grow');
-- open keys of a state: as wide as the step makes them, in all rounds, and in its table
SELECT n, p, einsum_iterate_value(format('u[t] = end%s[t]', n), format(p, n), 'r[] = sum[t] u[t]*(u[t] + u[t-1])', max_rounds => 2)
	FROM unnest('{2,4,8}'::text[]) n, unnest(ARRAY['u[t] = u[t] + u[t-1]', 'u[t] = u[t] + end%s[t-1]', 'h[t] = 2*u[t]; u[t] = h[t+1] - u[t]', 'u[t] = u[t-3]', 'u[t] = greatest(u[t], 2*u[t-1])']) p;
SELECT columns FROM einsum_iterate('walk', 'u[t] = end2[t]; q[t] = end2[t]', 'u[t] = u[t-1]; q[t] = q[t] + end4[t]', max_rounds => 2, schema => 'program_shifts');
SELECT * FROM u ORDER BY t;
SELECT * FROM q ORDER BY t;
SELECT einsum_drop('walk');
CALL einsum_iterate('walk', 'u[t] = end2[t]', 'u[t] = u[t-1]', 1, max_rounds => 2, schema => 'program_shifts');
SELECT * FROM u ORDER BY t;
SELECT einsum_drop('walk');
-- a table of the user's keeps its type
CREATE TABLE held (t smallint PRIMARY KEY, v float8 NOT NULL);
INSERT INTO held VALUES (32766, 2);
SELECT einsum_register('held[T]', 'held', keys => '{t}', value => 'v', bounds => '{*}');
SELECT round FROM einsum_iterate('walk', NULL, 'held[t] = held[t-1]', assign => '{held}', max_rounds => 1);
SELECT * FROM held;
SELECT round FROM einsum_iterate('walk', NULL, 'held[t] = held[t-1]', assign => '{held}', max_rounds => 1);
SELECT * FROM held;
-- beside keys of other types, which are not shifted
CREATE TABLE logged (t int, name text, v float8 NOT NULL, PRIMARY KEY (t, name));
INSERT INTO logged VALUES (1, 'ann', 2), (2, 'bob', 3), (2147483647, 'ann', 5);
SELECT einsum_register('logged[T,N]', 'logged', keys => '{t,name}', value => 'v', bounds => '{*,*}');
SELECT einsum_value('h[t,n] = logged[t-1,n]; s[] = sum[t,n] h[t-1,n]'), einsum_iterate_value('u[t,n] = logged[t,n]', 'u[t,n] = u[t,n] + u[t-1,n]', 's[] = sum[t,n] u[t,n]', max_rounds => 2);

-- mistakes
SELECT einsum_value('y[k] = x[4,k]');
SELECT einsum_value('y[t+1] = x[t,0]');
SELECT einsum_value('y[t,0] = x[t,0]');
SELECT einsum_value('y[t] = sum[k-1] x[t,k]');
SELECT einsum_value('y[t,k] = x[2*t,k]');
SELECT einsum_value('y[t,k] = x[t+k,k]');
SELECT einsum_value('y[t,k] = x[t-99999999999,k]');
SELECT einsum_value('y[t] = x[t-1]');
SELECT einsum_value('h[K] = 2*names[k]; y[K] = h[k-1]');
SELECT einsum_value('h[t,n] = logged[t-1,n]; s[] = sum[t,n] h[t,n-1]');
SELECT einsum_value('s[t] = logged[t,0]');
SELECT einsum_iterate_value('u[t] = end2[t]', 'u[t] = sum[k] logged[k,t]', max_rounds => 1);
SELECT einsum_iterate_value('u[t,n] = logged[t,n]', 'h[t,n] = u[t,n]; u[t,n] = h[t,n-1]', max_rounds => 1);
SELECT einsum_iterate_value('u[t,n] = logged[t,n]', 'u[t,n] = u[t,n] + u[t,n-1]', max_rounds => 1);
CREATE TABLE moment (d date, n numeric, z timestamptz, v float8 NOT NULL, PRIMARY KEY (d, n, z));
SELECT einsum_register('moment[D,N,Z]', 'moment', keys => '{d,n,z}', value => 'v', bounds => '{*,*,*}');
SELECT einsum_value('s[] = sum[d,n,z] moment[d-1,n,z]');
SELECT einsum_value('s[] = sum[d,n,z] moment[d,n-1,z]');
SELECT einsum_value('s[] = sum[d,n,z] moment[d,n,z-1]');
SELECT einsum_value('h[d,n,z] = 2*moment[d,n,z]; s[] = sum[d,n,z] h[d-1,n,z]');
SELECT einsum_iterate_value('u[d,n,z] = moment[d,n,z]', 'u[d,n,z] = u[d-1,n,z]', max_rounds => 1);
SELECT einsum_value('h[t,k] = 2*x[t,k]; y[k] = h[4,k]');
SELECT einsum_gradient('h[t,k] = 2*x[t,k]; l[] = sum[t,k] h[t-1,k]^2', 'l', '{x}');
SELECT einsum_value('y[t,k] = x[t,k]*eye[t-1,k]');
SELECT einsum_register('q[T-1]', 'x', keys => '{t}', bounds => '{4}');
-- the function itself, further than any bound
SELECT einsum_shift(tensor '[1,2]', '{-9223372036854775808}', '{f}', tensor '7'), einsum_shift(tensor '[1,2]', '{9223372036854775807}', '{f}', tensor '7'), einsum_shift(tensor '[1,2]', '{-9223372036854775808}', '{t}', tensor '7');
DROP SCHEMA program_shifts CASCADE;
