--
-- Statements that have the name of a stored tensor, which they read
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA hidden_test;
CREATE SCHEMA hidden_other;
SET search_path = hidden_test, public;
SET client_min_messages = warning;

CREATE TABLE a (i int, k int, v float8 NOT NULL, PRIMARY KEY (i, k));
INSERT INTO a SELECT i, k, i + k FROM generate_series(0, 3) i, generate_series(0, 3) k;
CREATE TABLE w (k int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO w SELECT k, 1 FROM generate_series(0, 3) k;
CREATE TABLE page (id text PRIMARY KEY, n float8 NOT NULL);
INSERT INTO page VALUES ('x', 5), ('y', 7);
SELECT einsum_register('a[I,K]', 'a', '{i,k}', 'v', '{4,4}');
SELECT einsum_register('w[K]', 'w', '{k}', 'v', '{4}');
SELECT einsum_dimension('page', 'page', 'id');
SELECT einsum_register('n[P]', 'page', '{id}', 'n', '{page}');

-- in every notation; what is stored sums to 48
SELECT einsum_value('a[i,k] = 2*a[i,k]; s[] = sum[i,k] a[i,k]') AS "96",
	einsum_value('a[i,k] = 2*a[k,i]; s[] = a[i,k]') AS "96",
	einsum_value('a = 2*a; s = sum(a)') AS "96",
	einsum_value('a = 0*a; y = a %*% w') AS "0,0,0,0",
	einsum_value('w[k] = w[k]/(sum[j] w[j]); y[] = sum[k] w[k]') AS "1",
	einsum_value('a[i] = sum[k] a[i,k]; s[] = sum[i] a[i]*w[i]') AS "48",
	einsum_value('a[i,k] = a[i,k-1]; s[] = sum[i,k] a[i,k+1]') AS "30",
	einsum_value('a[i,k] = inverse(a[i,k] + 5*eye[i,k])*a[i,k]; s[] = sum[i,k] a[i,k]')
		= einsum_value('b[i,k] = inverse(a[i,k] + 5*eye[i,k])*a[i,k]; s[] = sum[i,k] b[i,k]') AS same;
-- with the stored tensor behind it, twice in a row, and under a name with a schema
SELECT einsum_value('a[i,k] = 2*a[i,k]; s[] = sum[i,k] (a[i,k] - hidden_test.a[i,k])') AS "48",
	einsum_value('a[i,k] = 2*hidden_test.a[i,k]; s[] = sum[i,k] (a[i,k] - hidden_test.a[i,k])') AS "48",
	einsum_value('a[i,k] = 2*a[i,k]; w[i] = w[i] + a[i,k]; s[] = sum[i] w[i]') AS "100",
	einsum_value('hidden_other.a[i,k] = 2*a[i,k]; s[] = sum[i,k] a[i,k]') AS "96";
-- a dimension, and a tensor over it
SELECT einsum_value('page[p] = 3*page[p]; s[] = sum[p] page[p]') AS "6",
	einsum_value('n[p] = 1 + n[p]; s[] = sum[p] n[p]') AS "14";
SELECT * FROM einsum_rows('page[p] = 3*page[p]; y[p] = page[p]*n[p]') AS y(p text, value float8) ORDER BY p;
-- as rows, as SQL, and as a program
SELECT * FROM einsum_rows('a[i,k] = 2*a[i,k]; s[i] = sum[k] a[i,k]') AS s(i int, value float8) ORDER BY i;
SELECT * FROM einsum_rows('a[i,k] = 2*a[i,k]; s[i] = sum[k] a[i,k]', at => '{"i": 1}') AS s(i int, value float8);
SELECT einsum_sql('a[i,k] = 2*a[i,k]; s[i] = sum[k] a[i,k]', at => '{i}') AS query \gset
PREPARE point AS :query;
EXECUTE point(2);
SELECT program, einsum_value(program) AS "12,20,28,36"
FROM (SELECT string_agg(line, E'\n') FROM einsum_plan('a[i,k] = 2*a[i,k]; s[i] = sum[k] a[i,k]', format => 'program') AS line) AS p(program);
-- views, which follow their tables and are made again
SELECT view, notation FROM einsum_decompose('a[i,k] = 2*a[i,k]; s[] = sum[i,k] a[i,k]', 'twice', schema => 'hidden_other') ORDER BY 1;
SELECT (SELECT sum(value) FROM hidden_other.a), (SELECT value FROM hidden_other.s);
SELECT einsum_rebound('{"a": [5, 5], "w": [5]}');
INSERT INTO a VALUES (4, 4, 1);
SELECT (SELECT sum(value) FROM hidden_other.a), (SELECT value FROM hidden_other.s);
DELETE FROM a WHERE i = 4;
SELECT einsum_drop('twice', 'hidden_other');
-- in loops: a statement of the step, of init, and a state
SELECT einsum_iterate_value('x[i] = 1 + 0*(sum[k] a[i,k])', 'a[i,k] = 0*a[i,k]; x[i] = sum[k] a[i,k]*x[k]', max_rounds => 1) AS "0,0,0,0,0";
SELECT einsum_iterate_value('w[k] = w[k]/4; x[i] = sum[k] a[i,k]*w[k]', 'x[i] = 2*x[i]', max_rounds => 1) AS "3,5,7,9,0";
SELECT einsum_iterate_value('w[k] = w[k]/4', 'n[k] = 2*w[k]; w[k] = n[k]', max_rounds => 2) AS "1,1,1,1,0";

-- a state that is checked before it continues
CREATE TABLE way (i int, k int, v float8 NOT NULL, PRIMARY KEY (i, k));
INSERT INTO way VALUES (0, 1, 1), (1, 2, 1), (0, 2, 9);
SELECT einsum_register('way[I,K]', 'way', '{i,k}', 'v', '{3,3}', fill => 'Infinity');
SELECT count(*) FROM einsum_iterate('ways', 'way[i,k] = 2*way[i,k]', 'way[i,k] = least(way[i,k], min[j] (way[i,j] + hidden_test.way[j,k]))', schema => 'hidden_other', max_rounds => 3);
SELECT count(*) FROM einsum_iterate('ways', 'way[i,k] = 2*way[i,k]', 'way[i,k] = least(way[i,k], min[j] (way[i,j] + hidden_test.way[j,k]))', schema => 'hidden_other', max_rounds => 3);
DELETE FROM way WHERE i = 1;
SELECT count(*) FROM einsum_iterate('ways', 'way[i,k] = 2*way[i,k]', 'way[i,k] = least(way[i,k], min[j] (way[i,j] + hidden_test.way[j,k]))', schema => 'hidden_other', max_rounds => 3);

-- gradients, which name what is hidden
SET client_min_messages = notice;
SELECT einsum_gradient('w[k] = w[k]/10; loss[] = sum[i,k] (a[i,k]*w[k])^2', 'loss', '{w}') AS program \gset
SELECT einsum_gradient('w[k] = w[k]/10; loss[] = sum[i,k] (a[i,k]*w[k])^2', 'loss', '{hidden_test.w}') AS of_stored \gset
SET client_min_messages = warning;
SELECT :'program' AS program;
SELECT :'of_stored' AS of_stored;
SELECT einsum_value(format('%s y[k] = round(100*d_w[k])', :'program')) AS "280,600,1080,1720,0",
	einsum_value(format('%s y[k] = round(100*d_w[k])', :'of_stored')) AS "28,60,108,172,0",
	einsum_value(einsum_gradient('a[i,k] = 2*a[i,k]; loss[] = sum[i,k] a[i,k]*w[k]', 'loss', '{w}')) AS "12,20,28,36,0";
SET client_min_messages = notice;
-- states of a loop hide nothing from their gradients
SELECT einsum_gradient('w[k] = 2*w[k]; loss[] = sum[i,k] a[i,k]*w[k]', 'loss', '{w}', init => 'w[k] = w[k]/4');

-- one name for two tensors, where neither could be told from the other
SELECT einsum_value('hidden_test.a[i,k] = 2*hidden_test.a[i,k]; s[] = hidden_test.a[i,k]');
SELECT einsum_value('hidden_test.a[i,k] = 2*a[i,k]; s[] = hidden_test.a[i,k]');
SELECT einsum_value('y[] = a[i,k]; hidden_other.a[i,k] = w[i]*w[k]; s[] = a[i,k]');
SELECT einsum_value('y[] = hidden_test.a[i,k]; hidden_test.a[i,k] = w[i]*w[k]; s[] = a[i,k]');
SELECT einsum_value('eye[i,k] = 2*eye[i,k] + 0*a[i,k]; s[] = eye[i,k]');
SELECT einsum_value('y[] = eye[i,k]*a[i,k]; eye[i,k] = 2*a[i,k]; s[] = eye[i,k]');
-- the notices
SELECT einsum_value('hidden_other.a[i,k] = 2*a[i,k]; s[] = a[i,k]');
SELECT einsum_value('w[k] = min[i] (w[i] + a[i,k]); s[] = w[k]');
SELECT einsum_value('a[i,k] = min[j] (a[i,j] + a[j,k]); s[] = a[i,k]');
SELECT einsum_value('a = a^-1; s = sum(a)');

SET client_min_messages = warning;
DROP SCHEMA hidden_test, hidden_other CASCADE;
