--
-- What einsum_decompose makes: views, their columns, names, rights and life
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA results_test;
SET search_path = results_test, public;
CREATE TABLE a (i int, j bigint, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, 1), (0, 2, -2), (2, 1, 3), (2, 2, 5);
CREATE TABLE x (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (0, 2), (2, 7);
CREATE TABLE w (v tensor);
INSERT INTO w VALUES ('[[1,2],[0,-1],[4,0]]');
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}');
SELECT einsum_register('x[J]', 'x', '{j}', 'v', '{3}');
SELECT einsum_register('w[j,m]', 'w', '{}', 'v');
-- columns of a relation, and its rows
CREATE FUNCTION columns(relation regclass) RETURNS text LANGUAGE sql AS
	$$ SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = relation AND attnum > 0 $$;

-- the left side's case decides the columns, in its order
SELECT view, notation, cost > 0 AS cost, tuples FROM einsum_decompose('y[I,m] = a[i,j]*w[j,m]', 'p');
SELECT columns('y');
SELECT * FROM y ORDER BY i;
SELECT view, notation FROM einsum_decompose('y[M,I] = a[i,j]*w[j,m]', 'p', replace => true);
SELECT columns('y');
SELECT * FROM y ORDER BY i, m;
SELECT view, notation FROM einsum_decompose('y[m,I] = a[i,j]*w[j,m]', 'p', replace => true);
SELECT columns('y');
SELECT * FROM y ORDER BY i;
SELECT view, notation FROM einsum_decompose('y[M,i] = a[i,j]*w[j,m]', 'p', replace => true);
SELECT columns('y');
SELECT * FROM y ORDER BY m;
SELECT view, notation FROM einsum_decompose('y[m:*,i:*] = a[i,j]*w[j,m]', 'p', replace => true);
SELECT columns('y');
SELECT * FROM y;
-- all lower case: the optimizer decides, or the option
SELECT view, notation FROM einsum_decompose('y[m,i] = a[i,j]*w[j,m]', 'p', result => 'rows', replace => true);
SELECT columns('y');
SELECT * FROM y ORDER BY m, i;
SELECT view, notation FROM einsum_decompose('y[m,i] = a[i,j]*w[j,m]', 'p', result => 'dense', replace => true);
SELECT columns('y');
SELECT * FROM y;
SELECT count(*) FROM einsum_decompose('y[m,i] = a[i,j]*w[j,m]', 'p', replace => true);
SELECT einsum_value('z[m,i] = y[m,i]');
-- as_written: lower case is demoted
SELECT notation FROM einsum_decompose('y[m,i] = a[i,j]*w[j,m]', 'p', replace => true, search => 'as_written');
SELECT * FROM y;
-- the option does not overrule the case
SELECT notation FROM einsum_decompose('y[m,I] = a[i,j]*w[j,m]', 'p', replace => true, result => 'dense');
SELECT notation FROM einsum_decompose('y[m,I] = a[i,j]*w[j,m]', 'p', replace => true, result => 'rows');
-- key columns keep their own types
SELECT notation FROM einsum_decompose('y[J,I] = 2*a[i,j]', 'p', replace => true);
SELECT columns('y');
SELECT einsum_drop('p');
SELECT to_regclass('y');

-- scalars: of something, of nothing, of a table without rows; never NULL
SELECT count(*) FROM einsum_decompose('s[] = a[i,j]*x[j]; t[] = x[j]*x[j]; root[] = sqrt(sum[i,j] a[i,j]); r[] = sum[i] sqrt(sum[j] a[i,j]); q[] = 1 + s[]*t[]', 'scalars');
SELECT columns('s'), columns('q'), s.value AS s, t.value AS t, root.value AS root, r.value AS r, q.value AS q FROM s, t, root, r, q;
BEGIN;
DELETE FROM a;
SELECT s.value AS s, t.value AS t, root.value AS root, r.value AS r, q.value AS q FROM s, t, root, r, q;
DELETE FROM x;
DELETE FROM w;
SELECT s.value AS s, t.value AS t, root.value AS root, r.value AS r, q.value AS q FROM s, t, root, r, q;
-- every plan of programs over nothing
SELECT p AS program, count(DISTINCT einsum_value(p, search => s)::text), count(einsum_value(p, search => s)), min(einsum_value(p, search => s)::text)
FROM (VALUES ('y[] = a[i,j]*x[j]'), ('y[i] = a[i,j]*x[j]'), ('y[i,m] = a[i,j]*w[j,m]'), ('y[m] = w[j,m]*x[j]'), ('y[] = w[j,m]*w[j,m]'),
	('y[i] = a[i,j] + x[i]'), ('y[m] = w[j,m] + x[j]'), ('y[m] = sum[j] (w[j,m] + x[j])'), ('y[j,m] = w[j,m] + x[j]'), ('y[] = w[j,m] + x[j]'), ('y[j,m] = w[j,m]'), ('y[m,j] = relu(w[j,m])'), ('y[i] = a[i,i]')) AS programs(p),
	(VALUES ('dp'), ('greedy'), ('as_written')) AS searches(s)
GROUP BY p ORDER BY p;
SELECT count(*) FROM einsum_decompose('ye[I,m] = a[i,j]*w[j,m]; ze[i,m] = 2*ye[i,m]', 'empty', result => 'rows');
SELECT (SELECT count(*) FROM ye) AS rows_of_ye, (SELECT count(*) FROM ze WHERE value <> 0) AS entries_of_ze;
SELECT count(*) FROM einsum_decompose('yf[i,m] = a[i,j]*w[j,m]', 'empty2', result => 'dense');
SELECT * FROM yf;
ROLLBACK;
SELECT einsum_drop('scalars');

-- sub-stages: names, and labels that have the same name in one stage
SELECT view, notation FROM einsum_decompose('e[I,j] = a[i,j] * (sum[i] (sum[j] a[i,j])*a[i,j])', 'sub', search => 'as_written');
SELECT * FROM e ORDER BY i;
SELECT columns('e__1') IS NOT NULL AS e__1, columns('e__2') IS NOT NULL AS e__2;
SELECT view, notation FROM einsum_decompose('f[I,J] = (sum[j] a[i,j])*(sum[j] a[i,j])*a[i,j]; g[I] = sum[j] (sum[i] f[i,j])*f[i,j]', 'sub2', search => 'as_written');
SELECT * FROM g ORDER BY i;
SELECT i, sum(v * s * s * c) FROM a JOIN (SELECT i, sum(v) AS s FROM a GROUP BY i) r USING (i)
	JOIN (SELECT j, sum(v * s * s) AS c FROM a JOIN (SELECT i, sum(v) AS s FROM a GROUP BY i) r USING (i) GROUP BY j) q USING (j) GROUP BY i ORDER BY i;
SELECT einsum_drop('sub2');
-- registrations: what it defines can be read by the next program
SELECT tensor, relation, notation, keys, value, bounds, duplicates, program, status FROM einsum_tensors WHERE program IS NOT NULL ORDER BY relation::text;
SELECT einsum_value('n[] = e[i,j]*e[i,j]');
-- the views live: what they read may change
BEGIN;
UPDATE a SET v = 10 WHERE (i, j) = (0, 0);
INSERT INTO a VALUES (1, 1, 1);
SELECT * FROM e ORDER BY i;
SELECT einsum_value('e[I,j] = a[i,j] * (sum[i] (sum[j] a[i,j])*a[i,j])');
ROLLBACK;
SELECT einsum_drop('sub');
SELECT relname FROM pg_class WHERE relnamespace = 'results_test'::regnamespace AND relkind = 'v';

-- names: schemas, targets in other schemas, quotes
CREATE SCHEMA "Other Schema";
SELECT view, notation FROM einsum_decompose('y[I] = (sum[j] a[i,j])*(sum[j] a[j,i]); z[I] = 2*y[i]', 'named', schema => 'Other Schema', rewrite => 'reassociate');
SELECT * FROM "Other Schema".y ORDER BY i;
SELECT einsum_drop('named');
SELECT einsum_drop('named', schema => 'Other Schema');
SELECT relname FROM pg_class WHERE relnamespace = '"Other Schema"'::regnamespace ORDER BY 1;
SELECT view, notation FROM einsum_decompose('"Other Schema".y[I] = (sum[j] a[i,j])*(sum[j] a[j,i]); z[I] = 2*"Other Schema".y[i]', 'named', rewrite => 'reassociate');
SELECT * FROM z ORDER BY i;
SELECT * FROM "Other Schema".y ORDER BY i;
SELECT relation, program FROM einsum_tensors WHERE program IS NOT NULL ORDER BY relation::text COLLATE "C";
-- a program of that name in the other schema is another
SELECT view FROM einsum_decompose('x[I] = a[i,j]', 'named', schema => 'Other Schema');
SELECT einsum_drop('named', schema => 'Other Schema');
-- what lies in another schema is dropped with it
SELECT einsum_drop('named');
SELECT relname FROM pg_class WHERE relnamespace = '"Other Schema"'::regnamespace ORDER BY 1;
SELECT count(*) FROM einsum_decompose('y[I] = a[i,j]', 'nowhere', schema => 'no such schema');
SELECT count(*) FROM einsum_decompose('nowhere.y[I] = a[i,j]', 'nowhere');
SELECT count(*) FROM einsum_decompose('y[I] = a[i,j]', '');
SELECT count(*) FROM einsum_decompose('y[I] = a[i,j]', NULL);
SELECT count(*) FROM einsum_decompose(NULL, 'nothing');
SET search_path = '';
SELECT count(*) FROM public.einsum_decompose('y[I] = results_test.a[i,j]', 'nowhere');
SELECT view FROM public.einsum_decompose('y[I] = results_test.a[i,j]', 'absolute', schema => 'results_test');
SELECT * FROM results_test.y ORDER BY i;
SET search_path = results_test, public;
SELECT einsum_drop('absolute');

-- quoted names; names that look like quotes, formats or code
CREATE TABLE "Odd ""table"" 100%s; --" ("Key %d" int PRIMARY KEY, "it's ""the"" value %s" float8 NOT NULL);
INSERT INTO "Odd ""table"" 100%s; --" VALUES (0, 1), (2, 3);
SELECT einsum_register('"A %s ""b"""[K]', '"Odd ""table"" 100%s; --"', '{"Key %d"}', 'it''s "the" value %s', '{3}');
SELECT einsum_value('y[k] = 2*"A %s ""b"""[k]');
SELECT einsum_value('y[] = "A %s ""b"""[k]*"A %s ""b"""[k]', search => 'as_written');
SELECT einsum_value('y[K] = relu("A %s ""b"""[K])');
SELECT view, notation FROM einsum_decompose('"Y %s"["row ""%d"" $1":1] = 2*"A %s ""b"""["row ""%d"" $1"]; "'';--"[] = "Y %s"[i]', 'the "program" %s');
SELECT * FROM "Y %s" ORDER BY 1;
SELECT * FROM "';--";
SELECT einsum_plan('"Y %s"["row ""%d"" $1":1] = 2*"A %s ""b"""["row ""%d"" $1"]', format => 'program');
SELECT tensor, notation, keys, status FROM einsum_tensors WHERE program = 'the "program" %s' ORDER BY tensor COLLATE "C";
SELECT einsum_drop('the "program" %s');
-- labels that are keywords
SELECT view, notation FROM einsum_decompose('y[USER,ORDER] = a[user,order]', 'keywords');
SELECT "user", "order", value FROM y WHERE "user" = 0 ORDER BY 2;
SELECT view FROM einsum_decompose('y[USER,left] = a[user,left]; z[COUNT,POSITION] = a[count,position]; n[FULL,select:*] = a[full,select]', 'keywords', replace => true);
SELECT count, position, value FROM z WHERE count = 0 AND position = 2;
SELECT einsum_drop('keywords');

-- what is in the way
SELECT count(*) FROM einsum_decompose('x[I] = a[i,j]', 'clash');
SELECT count(*) FROM einsum_decompose('x[I] = a[i,j]', 'clash', replace => true);
CREATE VIEW mine AS SELECT 1 AS one;
SELECT count(*) FROM einsum_decompose('mine[I] = a[i,j]', 'clash');
SELECT count(*) FROM einsum_decompose('y[I] = a[i,j]', 'first');
SELECT count(*) FROM einsum_decompose('y[I] = 2*a[i,j]', 'first');
SELECT count(*) FROM einsum_decompose('y[I] = 2*a[i,j]', 'second');
-- nothing of a failed call stays
SELECT count(*) FROM einsum_decompose('y1[I] = a[i,j]; y[I] = 2*y1[i]', 'second');
SELECT to_regclass('y1');
-- replace with other columns, other stages, and under another name
SELECT count(*) FROM einsum_decompose('y[i:*] = 3*a[i,j]', 'first', replace => true);
SELECT * FROM y;
SELECT count(*) FROM einsum_decompose('y[I] = (sum[j] a[i,j])*(sum[j] a[j,i]); z[I] = y[i]', 'first', replace => true, rewrite => 'reassociate');
SELECT relname FROM pg_class WHERE relnamespace = 'results_test'::regnamespace AND relkind = 'v' ORDER BY 1;
SELECT count(*) FROM einsum_decompose('y[I] = a[i,j]', 'first', replace => true);
SELECT relname FROM pg_class WHERE relnamespace = 'results_test'::regnamespace AND relkind = 'v' ORDER BY 1;
-- dependents
CREATE VIEW dependent AS SELECT i FROM y;
SELECT einsum_drop('first');
SELECT count(*) FROM einsum_decompose('y[I] = 5*a[i,j]', 'first', replace => true);
SELECT * FROM y ORDER BY i;
SELECT count(*) FROM einsum_decompose('u[I] = 2*y[i]', 'on top');
DROP VIEW dependent;
SELECT einsum_drop('first');
SELECT einsum_drop('on top');
SELECT einsum_drop('first');
SELECT einsum_drop('first');
DROP VIEW mine;
-- a table of the tensor cannot go while a view reads it
SELECT count(*) FROM einsum_decompose('y[I] = a[i,j]', 'first');
DROP TABLE a;
ALTER TABLE a DROP CONSTRAINT a_pkey;
-- but may be renamed, with its columns
ALTER TABLE a RENAME TO a_renamed;
ALTER TABLE a_renamed RENAME COLUMN j TO "J";
ALTER TABLE a_renamed RENAME COLUMN v TO "V";
SELECT * FROM y ORDER BY i;
ALTER TABLE a_renamed RENAME COLUMN "V" TO v;
ALTER TABLE a_renamed RENAME COLUMN "J" TO j;
ALTER TABLE a_renamed RENAME TO a;
SELECT einsum_drop('first');

-- a view means the same whatever the search path, and whatever stands in it
CREATE SCHEMA decoy;
SELECT count(*) FROM einsum_decompose('y[I,m] = a[i,j]*w[j,m] + relu(a[i,j])*w[j,m]', 'path', rewrite => 'reassociate');
CREATE FUNCTION decoy.tensor_sum(float8) RETURNS float8 LANGUAGE sql AS 'SELECT -1.0::float8';
CREATE FUNCTION decoy.eq(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT false';
CREATE OPERATOR decoy.= (FUNCTION = decoy.eq, LEFTARG = int, RIGHTARG = int);
CREATE TABLE decoy.a (i int, j int, v float8);
CREATE TYPE decoy.float8 AS (x int);
SELECT md5(string_agg(y::text, ';' ORDER BY i)) AS before FROM y \gset
SET search_path = decoy;
SELECT public.einsum_sql('y[I,m] = results_test.a[i,j]*results_test.w[j,m] + relu(results_test.a[i,j])*results_test.w[j,m]') AS query \gset
SELECT pg_catalog.md5(pg_catalog.string_agg(y::text, ';' ORDER BY i)) = :'before' AS same FROM results_test.y;
SET search_path = decoy, pg_catalog, results_test, public;
SELECT md5(string_agg(y::text, ';' ORDER BY i)) = :'before' AS same FROM y;
SELECT md5(string_agg(y::text, ';' ORDER BY i)) = :'before' AS same FROM (:query) AS y;
SET search_path = results_test, public;
SELECT einsum_drop('path');
SET client_min_messages = warning;
DROP SCHEMA decoy CASCADE;
RESET client_min_messages;

-- what a storage may be: NULL keys and values are absent
CREATE TABLE n (i int, j int, v numeric, UNIQUE (i, j));
INSERT INTO n VALUES (0, 0, 1.5), (0, 1, NULL), (1, 1, -2);
CREATE TABLE nv (i int PRIMARY KEY, v tensor);
INSERT INTO nv VALUES (0, '[1,2]'), (1, NULL), (2, '[3,4]');
CREATE TABLE nk (i int, v float8);
INSERT INTO nk VALUES (NULL, 100), (1, 10), (2, NULL), (0, 3);
CREATE TABLE pair (i smallint, j bigint, PRIMARY KEY (i, j));
INSERT INTO pair VALUES (0, 1), (1, 1), (2, 0);
CREATE TABLE counts (i int PRIMARY KEY, v int);
INSERT INTO counts VALUES (0, 7), (1, NULL), (2, -3);
CREATE TABLE reals (i int PRIMARY KEY, v float8[] NOT NULL);
INSERT INTO reals VALUES (0, '{1,2}'), (2, '{3,4}');
SELECT einsum_register('n[I,J]', 'n', '{i,j}', 'v', '{3,2}', duplicates => 'trust');
SELECT einsum_register('nv[I,j]', 'nv', '{i}', 'v', '{3,2}');
SELECT einsum_register('nk[I]', 'nk', '{i}', 'v', '{3}', duplicates => 'trust');
SELECT einsum_register('pair[I,J]', 'pair', '{i,j}', bounds => '{3,2}');
SELECT einsum_register('counts[I]', 'counts', '{i}', 'v', '{3}');
SELECT einsum_register('reals[I,j]', 'reals', '{i}', 'v', '{3,2}');
SELECT p AS program, count(DISTINCT einsum_value(p, search => s)::text) AS answers, min(einsum_value(p, search => s)::text) AS value
FROM (VALUES ('y[i,j] = n[i,j]'), ('y[j] = n[i,j]'), ('y[i,j] = nv[i,j]'), ('y[j] = nv[i,j]*nk[i]'), ('y[i] = nk[i]'), ('y[] = nk[i]'),
	('y[i] = nk[i] + counts[i]'), ('y[i,j] = pair[i,j]'), ('y[j] = pair[i,j]'), ('y[i,j] = pair[i,j]*nv[i,j]'), ('y[i] = counts[i]'),
	('y[i,j] = counts[i]*pair[i,j] - n[i,j]'), ('y[j] = reals[i,j]*counts[i]'), ('y[i,j] = reals[i,j] + nv[i,j] + n[i,j]'),
	('y[i,j] = nv[i,j]*(n[i,j] > 0)'), ('y[i] = counts[i]/nk[i]')) AS programs(p),
	(VALUES ('dp'), ('greedy'), ('as_written')) AS searches(s)
GROUP BY p ORDER BY p;
-- no keys: one row, or an error in every plan
INSERT INTO w VALUES ('[[1,1],[1,1],[1,1]]');
SELECT einsum_value('y[m] = w[j,m]*x[j]');
SELECT einsum_value('y[m] = w[j,m]*x[j]', search => 'as_written');
SELECT einsum_value('y[M] = w[j,M]*x[j]');
SELECT einsum_value('y[J,M] = w[J,M]');
SELECT einsum_value('y[m] = sum[j] (w[j,m] + x[j])');
DELETE FROM w WHERE v = '[[1,1],[1,1],[1,1]]';
-- a view, with duplicates => 'trust'
CREATE VIEW both_ways AS SELECT i, j, sum(v) AS v FROM (SELECT i, j::int, v FROM a UNION ALL SELECT j::int, i, v FROM a) u GROUP BY i, j;
SELECT einsum_register('s[I,J]', 'both_ways', '{i,j}', 'v', '{3,3}');
SELECT einsum_register('s[I,J]', 'both_ways', '{i,j}', 'v', '{3,3}', duplicates => 'trust');
SELECT einsum_value('y[i,j] = s[i,j]'), einsum_value('y[i,j] = a[i,j] + a[j,i]');
SELECT count(*) FROM einsum_decompose('y[I] = s[i,j]*x[j]', 'over a view');
SELECT * FROM y ORDER BY i;
DROP VIEW both_ways;
SELECT einsum_drop('over a view');

-- rights: another owner's tables, and no superuser anywhere
CREATE ROLE results_owner;
CREATE ROLE results_user;
CREATE ROLE results_reader;
GRANT ALL ON SCHEMA results_test TO results_owner, results_user;
GRANT USAGE ON SCHEMA results_test TO results_reader;
SET ROLE results_owner;
CREATE TABLE o (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO o VALUES (0, 1), (2, 4);
SELECT einsum_register('o[I]', 'o', '{i}', 'v', '{3}');
SELECT count(*) FROM einsum_analyze('o');
SET ROLE results_user;
-- planning needs no right to read, running does
SELECT count(*) > 0 AS planned FROM einsum_plan('y[i] = 2*o[i]');
SELECT einsum_value('y[i] = 2*o[i]');
SELECT count(*) FROM einsum_decompose('yo[I] = 2*o[i]', 'of another');
SELECT * FROM yo;
SELECT einsum_drop('of another');
SET ROLE results_owner;
GRANT SELECT ON o TO results_user;
SET ROLE results_user;
SELECT einsum_value('y[i] = 2*o[i]');
SELECT count(*) FROM einsum_decompose('yo[I] = 2*o[i]', 'of another');
SELECT count(*) FROM einsum_decompose('yi[I] = 2*o[i]', 'as invoker', security_invoker => true);
GRANT SELECT ON yo, yi TO results_reader;
SET ROLE results_reader;
SELECT * FROM yo ORDER BY i;
SELECT * FROM yi ORDER BY i;
SELECT * FROM o;
-- others cannot drop or replace
SELECT einsum_drop('of another');
RESET ROLE;
GRANT CREATE ON SCHEMA results_test TO results_reader;
SET ROLE results_reader;
SELECT einsum_drop('of another');
SELECT count(*) FROM einsum_decompose('yo[I] = 3*o[i]', 'of another', replace => true);
SELECT count(*) FROM einsum_decompose('yr[I] = yo[i]', 'reader''s');
SELECT * FROM yr ORDER BY i;
RESET ROLE;
SELECT relname, relowner::regrole, reloptions FROM pg_class WHERE relname IN ('yo', 'yi', 'yr') ORDER BY 1;
-- without CREATE on a schema nothing is made there
CREATE SCHEMA closed;
SET ROLE results_user;
SELECT count(*) FROM einsum_decompose('y[I] = 2*o[i]', 'closed', schema => 'closed');
RESET ROLE;
-- a generated view is no way to read a table
SET ROLE results_owner;
REVOKE SELECT ON o FROM results_user;
SET ROLE results_reader;
SELECT * FROM yo;
SELECT einsum_drop('reader''s');
RESET ROLE;
SET client_min_messages = warning;
DROP SCHEMA closed;
DROP SCHEMA results_test CASCADE;
DROP SCHEMA "Other Schema" CASCADE;
DROP ROLE results_owner;
DROP ROLE results_user;
DROP ROLE results_reader;
