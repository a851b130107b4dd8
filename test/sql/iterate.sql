-- einsum_iterate: loops, what they keep, and where.
\set VERBOSITY default
CREATE SCHEMA iterate;
SET search_path = iterate, public;
CREATE TABLE link (i int, j int, PRIMARY KEY (i, j));
INSERT INTO link VALUES (0, 1), (0, 2), (1, 2), (2, 0), (3, 2);
CREATE TABLE road (i int, j int, length float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO road VALUES (0, 1, 1), (1, 2, 2), (0, 2, 8), (2, 3, 1);
CREATE TABLE start (i int PRIMARY KEY, zero float8 NOT NULL);
INSERT INTO start VALUES (0, 0);
CREATE TABLE edge (a text, b text, PRIMARY KEY (a, b));
INSERT INTO edge VALUES ('x', 'y'), ('y', 'z'), ('z', 'x'), ('w', 'w');
SELECT einsum_register('a[I,J]', 'link', keys => '{i,j}', bounds => '{4,4}');
SELECT einsum_register('w[I,J]', 'road', keys => '{i,j}', value => 'length', bounds => '{4,4}', fill => 'Infinity');
SELECT einsum_register('z[I]', 'start', keys => '{i}', value => 'zero', bounds => '{4}', fill => 'Infinity');
SELECT einsum_register('e[A,B]', 'edge', keys => '{a,b}', bounds => '{*,*}');

-- what a loop reports and leaves: a table as those of programs
SELECT round, round(value::numeric, 6) AS value, entries, bytes, milliseconds >= 0 AS time, planned
FROM einsum_iterate('rank', 'x[i] = 0.25 + 0*(sum[j] a[i,j])', '
	d[i]   = sum[j] a[i,j];
	y[j]   = 0.15/4 + 0.85*(sum[i] a[i,j]*x[i]/d[i]);
	diff[] = sum[i] abs(y[i] - x[i]);
	x[i]   = y[i]', until => 'diff[] < 0.02');
SELECT einsum_value('s[i] = x[i]');
SELECT tensor, relation, notation, bounds, duplicates, program, status FROM einsum_tensors WHERE program IS NOT NULL;
-- it continues from there; and begins with init again
SELECT count(*), max(round) FROM einsum_iterate('rank', 'x[i] = 0.25 + 0*(sum[j] a[i,j])', '
	d[i] = sum[j] a[i,j]; y[j] = 0.15/4 + 0.85*(sum[i] a[i,j]*x[i]/d[i]); diff[] = sum[i] abs(y[i] - x[i]); x[i] = y[i]', 'diff[] < 0.02');
SELECT count(*), max(round) FROM einsum_iterate('rank', 'x[i] = 0.25 + 0*(sum[j] a[i,j])', '
	d[i] = sum[j] a[i,j]; y[j] = 0.15/4 + 0.85*(sum[i] a[i,j]*x[i]/d[i]); diff[] = sum[i] abs(y[i] - x[i]); x[i] = y[i]', 'diff[] < 0.02', restart => true);
-- without init: what tables hold
SELECT round FROM einsum_iterate('rank', NULL, 'x[i] = x[i]/2', max_rounds => 2);
SELECT einsum_value('s[] = 1000*(sum[i] x[i])') < '250' AS halved;
-- there is no table of another definition to go on with
SELECT * FROM einsum_iterate('rank', 'x[i,j] = a[i,j]', 'x[i,j] = 2*x[i,j]', max_rounds => 1);
SELECT round, entries FROM einsum_iterate('rank', 'x[i,j] = a[i,j]', 'X[I,J] = 2*x[i,j]', max_rounds => 1, restart => true);
SELECT * FROM x ORDER BY i, j;
\d x
SELECT einsum_drop('rank');

-- all of the state changes at once
SELECT round, value FROM einsum_iterate('swap', 'p[] = 1; q[] = 2', 'p[] = q[]; q[] = p[]', until => 'p[] + 10*q[] > 100', max_rounds => 3);
SELECT einsum_value('r[] = p[] + 10*q[]');
SELECT einsum_drop('swap');
-- until is asked of what the round has made
SELECT round, value FROM einsum_iterate('count', 'k[] = 0', 'k[] = k[] + 1', until => 'k[] >= 3');
SELECT round, value FROM einsum_iterate('count', 'k[] = 0', 'k[] = k[] + 1', until => '(k[] >= 3) * (k[] <> 4)', restart => true);
SELECT round, value FROM einsum_iterate('count', 'k[] = 0', 'k[] = k[] + 1', until => '2 < k[]', restart => true);
-- linear algebra
SELECT round, value FROM einsum_iterate('count', 'k[] = 0', 'k[] = k[] + 1', until => 'k > 1', restart => true);
SELECT einsum_drop('count');

-- what is not stored, before and after: a fill of its own, one that changes, one that grows beyond all numbers
SELECT round, value FROM einsum_iterate('paths', 'dist[i] = z[i]', '
	better[j] = least(dist[j], min[i] (dist[i] + w[i,j])); changed[] = sum[j] (better[j] <> dist[j]); dist[j] = better[j]', 'changed[] == 0');
SELECT einsum_value('s[i] = dist[i]');
SELECT round, value FROM einsum_iterate('grow', 'g[i] = sum[j] a[i,j]', 'g[i] = 2*g[i] + 1', until => '(max[i] g[i]) > 10');
SELECT einsum_value('s[i] = g[i]');
SELECT round, value FROM einsum_iterate('grow', 'g[i] = sum[j] a[i,j]', 'G[I] = 2*g[i] + 1', until => '(max[i] g[i]) > 10', restart => true);
SELECT einsum_value('s[i] = g[i]');
SELECT round, value FROM einsum_iterate('grow', 'g[i] = sum[j] a[i,j]', 'G[I:3] = 2*g[i] + 1', until => '(max[i] g[i]) > 10', restart => true);
SELECT einsum_value('s[i] = g[i]'), (SELECT count(*) FROM g) AS blocks;
SELECT * FROM einsum_iterate('open', 'o[A] = sum[b] e[a,b]', 'o[a] = o[a] + 1', max_rounds => 2);
-- open labels, whose keys are text
SELECT round, entries FROM einsum_iterate('open', 'o[A] = sum[b] e[a,b]', 'o[b] = sum[a] 2*e[a,b]*o[a]', max_rounds => 3);
SELECT * FROM o ORDER BY b COLLATE "C";
-- and which may be of another type when it begins again
CREATE TABLE quarters (k numeric PRIMARY KEY, v float8 NOT NULL);
INSERT INTO quarters SELECT n/4.0, n FROM generate_series(1, 3) AS n;
SELECT einsum_register('quarters[I]', 'quarters', '{k}', 'v', '{*}');
SELECT round, entries FROM einsum_iterate('open', 'o[B] = quarters[b]', 'o[b] = 2*o[b]', max_rounds => 1, restart => true);
SELECT round(b, 2) AS b, value FROM o ORDER BY b;
-- complex numbers, float4, and rows that are dense
SELECT round, value FROM einsum_iterate('turn', 'c[i] = complex16(sum[j] a[i,j])', 'c[i] = 1i*c[i]', until => '(sum[i] real(c[i])) < 0');
SELECT einsum_value('s[i] = c[i]');
SELECT round, value FROM einsum_iterate('single', 'f[i] = float4(sum[j] a[i,j])', 'f[i] = f[i]/3', until => '(sum[i] f[i]) < 1');
SELECT einsum_value('s[i] = f[i]');
SELECT einsum_drop(program) FROM (SELECT DISTINCT program FROM einsum_tensors WHERE program IS NOT NULL) p;

-- a plan for each size of the state: a frontier grows and shrinks
CREATE TABLE line (i int, j int, PRIMARY KEY (i, j));
INSERT INTO line SELECT i, j FROM generate_series(0, 399) i, generate_series(0, 399) j WHERE j / 20 = i / 20 + 1;
SELECT einsum_register('l[I,J]', 'line', keys => '{i,j}', bounds => '{400,400}');
CREATE TABLE first (i int PRIMARY KEY, v float8);
INSERT INTO first VALUES (0, 1);
SELECT einsum_register('s[I]', 'first', keys => '{i}', value => 'v', bounds => '{400}');
SET sparseeinsum.replan_factor = 1.5;
SELECT round, entries, value FROM einsum_iterate('walk', 'f[i] = s[i]; r[i] = s[i]', '
	n[j] = (any[i] l[i,j] * f[i]) * (r[j] == 0); f[j] = n[j]; r[j] = r[j] + n[j]; found[] = sum[j] n[j]', 'found[] == 0') WHERE round IN (1, 2, 3, 19, 20);
SELECT count(*) FILTER (WHERE planned) > 2 AS planned_again, bool_and(planned) AS always FROM einsum_iterate('walk', 'f[i] = s[i]; r[i] = s[i]', '
	n[j] = (any[i] l[i,j] * f[i]) * (r[j] == 0); f[j] = n[j]; r[j] = r[j] + n[j]; found[] = sum[j] n[j]', 'found[] == 0', restart => true);
SET sparseeinsum.replan_factor = 1e9;
SELECT count(*) FILTER (WHERE planned) FROM einsum_iterate('walk', 'f[i] = s[i]; r[i] = s[i]', '
	n[j] = (any[i] l[i,j] * f[i]) * (r[j] == 0); f[j] = n[j]; r[j] = r[j] + n[j]; found[] = sum[j] n[j]', 'found[] == 0', restart => true);
RESET sparseeinsum.replan_factor;
SELECT einsum_value('c[] = sum[i] r[i]'), (SELECT count(*) FROM f) AS front;

-- what does not change is computed before the first round
SELECT regexp_replace(p, '[(]cost=[0-9.]+ tuples=[0-9]+ bytes=[0-9]+', '(...') AS plan FROM einsum_plan('
	d[i]   = sum[j] a[i,j];
	n[i,j] = a[i,j] / d[i];
	y[j]   = sum[i] n[i,j]*x[i];
	diff[] = sum[i] abs(y[i] - x[i]);
	x[i]   = y[i]', iterate => true, init => 'x[i] = 1 + 0*(sum[j] a[i,j])') AS p WHERE p LIKE '%before%' OR p LIKE '%each%' AND p NOT LIKE '%cost=%us%';
SELECT count(*) > 10 AS drawn, bool_or(p LIKE '%us, before the first round%') AS hoisted FROM einsum_plan('
	d[i] = sum[j] a[i,j]; y[j] = sum[i] a[i,j]*x[i]/d[i]; x[i] = y[i]', format => 'svg', iterate => true, init => 'x[i] = 1 + 0*(sum[j] a[i,j])') AS p;
SELECT bool_or(p LIKE '%class="kept once"%') AS hoisted FROM einsum_plan('
	n[i,j] = a[i,j] / (sum[j] a[i,j]); y[j] = sum[i] n[i,j]*x[i]; x[i] = y[i]', format => 'svg', iterate => true, init => 'x[i] = 1 + 0*(sum[j] a[i,j])') AS p;
SELECT p::jsonb -> 0 ? 'round' AS round FROM einsum_plan('f[i] = 2*f[i]', format => 'json', iterate => true) AS p;
SELECT einsum_plan('f[i] = 2*f[i]', iterate => true, actual => true);

-- the user's own tables: only what changes is written, triggers fire
CREATE TABLE mine (id int PRIMARY KEY, weight float8 NOT NULL, note text DEFAULT 'new');
INSERT INTO mine VALUES (0, 1, 'old'), (1, 0, 'old'), (2, 5, 'old');
SELECT einsum_register('m[I]', 'mine', keys => '{id}', value => 'weight', bounds => '{4}');
CREATE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% %', TG_OP, COALESCE(NEW.id, OLD.id); RETURN NULL; END $$;
CREATE TRIGGER said AFTER INSERT OR UPDATE OR DELETE ON mine FOR EACH ROW EXECUTE FUNCTION say();
CREATE TABLE three (i int PRIMARY KEY);
INSERT INTO three VALUES (3);
SELECT einsum_register('i3[I]', 'three', keys => '{i}', bounds => '{4}');
-- 0 stays 1, 1 is gone, 2 changes, 3 is new
SELECT round, entries FROM einsum_iterate('own', NULL, 'm[i] = (m[i] > 0)*(m[i] - 2*(m[i] > 2)) + 7*(sum[j] a[i,j])*(m[i] == 0)*(i3[i])', max_rounds => 1, assign => '{m}');
SELECT * FROM mine ORDER BY id;
-- beside tables of the loop's own, in a column of another type
ALTER TABLE mine DISABLE TRIGGER said;
CREATE TABLE whole (id int PRIMARY KEY, v int NOT NULL);
INSERT INTO whole VALUES (0, 1), (1, 2);
SELECT einsum_register('v[I]', 'whole', keys => '{id}', value => 'v', bounds => '{4}');
SELECT round, entries FROM einsum_iterate('both', 'k[] = 0', 'k[] = k[] + (sum[i] v[i]); v[i] = 3*v[i]', max_rounds => 2, assign => '{v}');
SELECT * FROM whole ORDER BY id;
SELECT * FROM k;
SELECT einsum_drop('both');
-- errors of assign
SELECT * FROM einsum_iterate('own', 'm[i] = 2*m[i]', 'm[i] = 2*m[i]', assign => '{m}', max_rounds => 1);
SELECT * FROM einsum_iterate('own', NULL, 'k[] = 1', assign => '{m}', max_rounds => 1);
SELECT * FROM einsum_iterate('own', NULL, 'nothing[] = 1', assign => '{nothing}', max_rounds => 1);
SELECT * FROM einsum_iterate('own', NULL, 'a[i,j] = a[i,j]', assign => '{a}', max_rounds => 1);
CREATE VIEW seen AS SELECT * FROM mine;
SELECT einsum_register('g[I]', 'seen', keys => '{id}', value => 'weight', bounds => '{4}', duplicates => 'trust');
SELECT * FROM einsum_iterate('own', NULL, 'g[i] = g[i]', assign => '{g}', max_rounds => 1);
SELECT * FROM einsum_iterate('own', NULL, 'm[i] = m[i]', assign => '{NULL}', max_rounds => 1);

-- nothing that a loop cannot do
SELECT * FROM einsum_iterate('', 'k[] = 0', 'k[] = k[] + 1', max_rounds => 1);
SELECT * FROM einsum_iterate('bad', 'k[] = 0', NULL, max_rounds => 1);
SELECT * FROM einsum_iterate('bad', 'k[] = 0', 'k[] = k[] + 1', max_rounds => 0);
SELECT * FROM einsum_iterate('bad', 'k[] = 0', 'l[] = 1', max_rounds => 1);
SELECT * FROM einsum_iterate('bad', NULL, 'l[] = 1', max_rounds => 1);
SELECT * FROM einsum_iterate('bad', 'k[] = 0; h[] = 1', 'k[] = k[] + h[]', max_rounds => 1);
SELECT * FROM einsum_iterate('bad', 'x[i] = sum[j] a[i,j]', 'x[i,j] = a[i,j]', max_rounds => 1);
SELECT * FROM einsum_iterate('bad', 'x[i] = sum[j] a[i,j]', 'x[i] = float4(x[i])', max_rounds => 1);
SELECT * FROM einsum_iterate('bad', 'k[] = 0', 'k[] = k[] + 1', 'k[]');
SELECT * FROM einsum_iterate('bad', 'x[i] = sum[j] a[i,j]', 'x[i] = x[i]', 'x[i] > 3');
SELECT * FROM einsum_iterate('bad', 'k[] = 0', 'k[] = k[] + 1', 'k[] > 1; k[] = 2');
SELECT * FROM einsum_iterate('bad', 'k[] = 0', 'k[] = k[] + 1', 'k[] >');
SELECT * FROM einsum_iterate('bad', 'k[] = 0', 's.k[] = 1', max_rounds => 1);
SELECT * FROM einsum_iterate('bad', 'k[] = 0', 'k[] = k[] + 1', max_rounds => 1, search => 'fast');
SELECT * FROM einsum_iterate('bad', 'k[] = 0', 'k[] = k[] + 1', max_rounds => 1, schema => 'nowhere');
SELECT * FROM einsum_iterate('bad', 'link[i] = sum[j] a[i,j]', 'link[i] = link[i]', max_rounds => 1);
-- NaN and infinity, where there were none
SELECT * FROM einsum_iterate('bad', 'k[] = 2', 'k[] = k[]*k[]', 'k[] < 0');
SELECT * FROM einsum_iterate('bad', 'x[i] = 1 - (sum[j] a[i,j])', 'x[i] = sqrt(x[i])', 'k[] < 0');
SELECT * FROM einsum_iterate('bad', 'x[i] = 1 - (sum[j] a[i,j])', 'x[i] = sqrt(x[i])', max_rounds => 3);
-- an error in a row, which a subtransaction catches: nothing is left of it
DO $$ BEGIN
	PERFORM einsum_iterate('bad', 'x[i] = sum[j] a[i,j]', 'x[i] = x[i]*1e200', max_rounds => 5);
EXCEPTION WHEN numeric_value_out_of_range THEN
	RAISE NOTICE 'caught: %', SQLERRM;
END $$;
SELECT einsum_tensors.tensor FROM einsum_tensors WHERE program = 'bad';
-- not met
SELECT round FROM einsum_iterate('few', 'k[] = 0', 'k[] = k[] + 1', 'k[] > 5', max_rounds => 2);
-- the procedure commits, and not within a transaction
CALL einsum_iterate('few', 'k[] = 0', 'k[] = k[] + 1', 2, 'k[] > 5');
SELECT * FROM k;
CALL einsum_iterate('few', 'k[] = 0', 'k[] = k[] + 1', commit_every => 1, max_rounds => 1, restart => true);
CALL einsum_iterate('few', 'k[] = 0', 'k[] = k[] + 1', commit_every => 0);
BEGIN;
CALL einsum_iterate('few', 'k[] = 0', 'k[] = k[] + 1', commit_every => 1, max_rounds => 1);
ROLLBACK;
DO $$ BEGIN CALL einsum_iterate('few', 'k[] = 0', 'k[] = k[] + 1', commit_every => 1, max_rounds => 1); END $$;
SELECT * FROM k;
BEGIN READ ONLY;
SELECT * FROM einsum_iterate('few', 'k[] = 0', 'k[] = k[] + 1', max_rounds => 1);
ROLLBACK;
-- in the session's own schema
CREATE TEMP TABLE any_table ();
SELECT round FROM einsum_iterate('temporary', 't[] = 0', 't[] = t[] + 1', max_rounds => 2, schema => 'pg_temp');
SELECT * FROM pg_temp.t;

-- several states in columns of one table: a row of which one has nothing stays for the others
CREATE TABLE pair (id int PRIMARY KEY, p float8, q float8 NOT NULL);
INSERT INTO pair VALUES (0, 1, 5), (1, 2, 6), (2, NULL, 7);
SELECT einsum_register('p[I]', 'pair', '{id}', 'p', '{4}'), einsum_register('q[I]', 'pair', '{id}', 'q', '{4}');
SELECT round, entries FROM einsum_iterate('pairs', NULL, 'p[i] = (p[i] > 1)*(p[i] + 1); q[i] = (q[i] < 7)*(q[i] + p[i])', assign => '{p,q}', max_rounds => 1);
SELECT * FROM pair ORDER BY id;
-- each has a column of its own, and rules change no statement
SELECT einsum_register('p2[I]', 'pair', '{id}', 'p', '{4}');
SELECT * FROM einsum_iterate('pairs', NULL, 'p[i] = p[i]; p2[i] = p2[i]', assign => '{p,p2}', max_rounds => 1);
SELECT einsum_unregister('p2');
CREATE RULE ignored AS ON INSERT TO pair DO INSTEAD NOTHING;
SELECT * FROM einsum_iterate('pairs', NULL, 'p[i] = p[i]', assign => '{p}', max_rounds => 1);
DROP RULE ignored ON pair;
-- a procedure does not commit within a subtransaction
DO $$ BEGIN
	CALL einsum_iterate('inner', 'f[] = 0', 'f[] = f[] + 1', commit_every => 1, max_rounds => 2);
EXCEPTION WHEN invalid_transaction_termination THEN
	RAISE NOTICE '%', SQLERRM;
END $$;

-- rights: those of the caller, and rows that he may see
CREATE ROLE iterate_user;
GRANT USAGE ON SCHEMA iterate TO iterate_user;
SET ROLE iterate_user;
SELECT * FROM einsum_iterate('foreign', 'fresh[] = 0', 'fresh[] = fresh[] + 1', max_rounds => 1);
SELECT * FROM einsum_iterate('foreign', NULL, 'm[i] = 2*m[i]', assign => '{m}', max_rounds => 1);
RESET ROLE;
GRANT SELECT, UPDATE (weight) ON mine TO iterate_user;
SET ROLE iterate_user;
SELECT * FROM einsum_iterate('foreign', NULL, 'm[i] = 2*m[i]', assign => '{m}', max_rounds => 1);
RESET ROLE;
GRANT INSERT, UPDATE, DELETE ON mine TO iterate_user;
ALTER TABLE mine ENABLE ROW LEVEL SECURITY;
CREATE POLICY first_rows ON mine USING (id < 2);
SET ROLE iterate_user;
SELECT round, entries FROM einsum_iterate('foreign', NULL, 'm[i] = 2*m[i]', assign => '{m}', max_rounds => 1);
RESET ROLE;
SELECT id, weight FROM mine ORDER BY id;
-- a table of the same name that another made is not the loop's own
GRANT CREATE ON SCHEMA iterate TO iterate_user;
SET ROLE iterate_user;
SELECT round FROM einsum_iterate('shared', 'h[] = 0', 'h[] = h[] + 1', max_rounds => 1);
RESET ROLE;
SELECT round FROM einsum_iterate('shared', 'h[] = 0', 'h[] = h[] + 1', max_rounds => 1);

SET client_min_messages = warning;
DROP SCHEMA iterate CASCADE;
DROP ROLE iterate_user;
