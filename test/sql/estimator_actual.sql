--
-- einsum_plan(..., actual => true): what there is beside what was estimated
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA actual_test;
SET search_path = actual_test, public;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0,0,1), (0,1,-1), (1,1,2), (2,0,0);
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,2}');
CREATE TABLE h (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO h VALUES (0, '[1,0,3]'), (1, '[1,0,0]');
SELECT einsum_register('h[J,k]', 'h', '{j}', 'v', '{2,3}');
CREATE TABLE p (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO p VALUES (0, 1), (1, 2), (2, 'Infinity');
SELECT einsum_register('p[I]', 'p', '{i}', 'v', '{4}', fill => 1);
CREATE TABLE q (v tensor NOT NULL);
INSERT INTO q VALUES ('[1,2,1,1]');
SELECT einsum_register('q[i]', 'q', '{}', 'v', '{4}', fill => 1);
SELECT tensor, count(*) FROM unnest('{a,h,p,q}'::text[]) tensor, einsum_analyze(tensor) GROUP BY tensor ORDER BY tensor;

-- a stored 0 is a tuple and no entry; sums that cancel too
SELECT * FROM einsum_plan('y[I,J] = 2*a[I,J]', actual => true);
SELECT * FROM einsum_plan('y[I,k] = a[I,J]*h[J,k]; s[k] = y[I,k]', actual => true, result => 'auto');
SELECT * FROM einsum_plan('y[i,k] = a[I,J]*h[J,k]', actual => true, result => 'auto');
-- other fills: what differs from them
SELECT * FROM einsum_plan('y[I] = 2*p[I]', actual => true);
SELECT * FROM einsum_plan('y[I] = p[I] + q[I]', actual => true);
SELECT * FROM einsum_plan('y[i:*] = p[i:*]*q[i:*]', actual => true);
SELECT * FROM einsum_plan('y[i:*] = -1/(p[i:*] - 1)', actual => true);
-- a fill that is not a number
SELECT * FROM einsum_plan('y[I] = ln(-p[I])', actual => true);
SELECT * FROM einsum_plan('y[i:*] = ln(-p[i:*])', actual => true);
-- a result that is brought into another shape: its tuples there, not those that were computed
SELECT einsum_store('f[i,j]', 'SELECT i, j, 1 FROM generate_series(0, 7) i, generate_series(0, 7) j', '{8,8}');
SELECT regexp_replace(line, 'cost=[0-9.]+', 'cost', 'g') FROM einsum_plan('y[I,K] = f[i,j]*f[j,k]', actual => true) line;
SELECT notation, tuples FROM einsum_decompose('y[I,K] = f[i,j]*f[j,k]', 'shaped');
SELECT einsum_drop('shaped');
-- rank 0
SELECT * FROM einsum_plan('s[] = a[I,J]; t[] = s[] + 1', actual => true);
-- an absorbed statement is not run; one that is read twice is
SELECT regexp_replace(line, 'cost=[0-9.]+', 'cost') FROM einsum_plan('b[I,J,K] = a[I,J]*h[J,K]*h[J,K]; s[I] = sum[J,K] b[I,J,K]', actual => true) line;
SELECT * FROM einsum_plan('s[I] = max[J] a[I,J]; t[I] = s[I]*s[I]; u[I] = s[I] - 1', actual => true);
-- several plans, each counted
SELECT line FROM einsum_plan('y[i] = a[i,j]', plans => 3, actual => true, result => 'auto') line WHERE line ~ 'actual';
-- json
SELECT s->>'notation' AS stage, s->'tuples' AS tuples, s->'entries' AS entries, s->'actual_tuples' AS actual_tuples, s->'actual_entries' AS actual_entries
FROM einsum_plan('s[I] = a[I,J]*a[I,J]; t[I] = sqrt(s[I]); u[] = max[I] t[I]', 'json', actual => true) p, json_array_elements(p::json->0->'stages') s;
-- without actual the entries are not shown, and nothing is run
SELECT jsonb_object_keys(p::jsonb->0->'stages'->0) AS key FROM einsum_plan('y[I] = a[I,J]', 'json') p ORDER BY key;
SELECT * FROM einsum_plan('y[I] = a[I,J]', actual => false);
SELECT * FROM einsum_plan('y[I] = a[I,J]', actual => NULL);

-- refused
SELECT einsum_plan('y[I] = a[I,J]', 'sql', actual => true);
SELECT einsum_plan('y[I] = a[I,J]', 'program', actual => true);
SELECT * FROM einsum_plan('y[i:*] = a[i:*,j:*]', inputs => 'any', actual => true);
-- as the caller: who may not read may plan but not run
CREATE ROLE actual_reader;
GRANT USAGE ON SCHEMA actual_test TO actual_reader;
SET ROLE actual_reader;
SELECT count(*) > 0 AS planned FROM einsum_plan('y[I] = a[I,J]');
SELECT einsum_plan('y[I] = a[I,J]', actual => true);
RESET ROLE;
DROP OWNED BY actual_reader;
DROP ROLE actual_reader;
-- what the data does wrong is reported
CREATE TABLE w (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('w[I]', 'w', '{i}', 'v', '{2}');
INSERT INTO w VALUES (5, 1);
SELECT einsum_plan('y[I] = 2*w[I]', actual => true);

DROP SCHEMA actual_test CASCADE;
