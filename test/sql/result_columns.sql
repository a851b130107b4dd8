-- What columns a result has: case on the left side decides, and never how much data there is
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA result_columns_test;
SET search_path = result_columns_test, public;
SET client_min_messages = warning;
-- the same tensors, few of their entries and many: each table with statistics of its own
CREATE TABLE few_edge (i int, j int, v float8, PRIMARY KEY (i, j));
CREATE TABLE many_edge (LIKE few_edge INCLUDING ALL);
CREATE TABLE few_node (i int PRIMARY KEY, v tensor);
CREATE TABLE many_node (LIKE few_node INCLUDING ALL);
INSERT INTO few_edge SELECT i, i * 7 % 40, i % 5 + 1 FROM generate_series(0, 39) i;
INSERT INTO many_edge SELECT i, (i * 7 + d) % 4000, (i + d) % 5 + 1 FROM generate_series(0, 3999) i, generate_series(0, 4) d;
INSERT INTO few_node SELECT i, ARRAY[i % 3, i % 4, 1]::float8[]::tensor FROM generate_series(0, 39) i;
INSERT INTO many_node SELECT i, ARRAY[i % 3, i % 4, 1]::float8[]::tensor FROM generate_series(0, 3999) i;
CREATE TABLE tag (name text PRIMARY KEY, node int, weight float8);
INSERT INTO tag SELECT 't' || i, i, i FROM generate_series(0, 39) i;
SELECT einsum_register('tag[T,I]', 'tag', '{name,node}', 'weight', '{*,4000}', duplicates => 'trust');
ANALYZE;
CREATE FUNCTION use(size text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM einsum_register('a[I,J]', (size || '_edge')::regclass, '{i,j}', 'v', CASE size WHEN 'few' THEN '{40,40}' ELSE '{4000,4000}' END::tensor_bounds, replace => true);
	PERFORM einsum_register('h[I,k]', (size || '_node')::regclass, '{i}', 'v', CASE size WHEN 'few' THEN '{40,3}' ELSE '{4000,3}' END::tensor_bounds, replace => true);
END $$;
CREATE TABLE program (number int GENERATED ALWAYS AS IDENTITY, text text);
INSERT INTO program (text) VALUES
	('y[i] = a[i,j]'), ('y[i,k] = a[i,j]*h[j,k]'), ('y[I,k] = a[i,j]*h[j,k]'), ('y[i,K] = a[i,j]*h[j,k]'), ('y[i:8,k] = a[i,j]*h[j,k]'), ('y[i:*,k:*] = a[i,j]*h[j,k]'), ('y[i:*,k] = a[i,j]*h[j,k]'), ('y[k] = h[i,k]'), ('y[k,l] = h[i,k]*h[i,l]'),
	('y[I,K] = h[i,k]'), ('y[] = h[i,k]*h[i,k]'), ('y[i,j] = 2*a[i,j]'), ('y = t(h) %*% h'), ('y[t,k] = 2*h[0,k]*(max[i] tag[t,i])'), ('y[i,k] = h[i-1,k]'), ('y[k,l] = inverse[k,l](g[k,l]); z[k] = y[k,l]*h[0,l]'), ('y[i] = exp(sum[k] h[i,k]); z[i] = y[i] / (sum[i] y[i])'),
	('p[i,k] = a[i,j]*h[j,k]; q[i,k] = a[i,j]*p[j,k]; r[k] = q[i,k]; y[k] = r[k] + 1'), ('p[i,k] = a[i,j]*h[j,k]; y[i] = a[i,j]; q[k,l] = p[i,k]*p[i,l]'), ('p[I,k] = a[i,j]*h[j,k]; y[k] = p[i,k]'), ('y[k] = max[i] h[i,k]; z[k] = y[k] - 1; x[k] = 2*y[k]');
CREATE TABLE made (size text, way text, number int, place bigint, view text, columns text);
CREATE PROCEDURE make(size text, way text) LANGUAGE plpgsql AS $$
DECLARE
	p program;
	dense boolean := way = 'dense';
BEGIN
	PERFORM use(size);
	PERFORM einsum_decompose('g[K,L] = h[i,k]*h[i,l]', 'gram', replace => true);
	FOR p IN SELECT * FROM program ORDER BY number LOOP
		INSERT INTO made SELECT size, way, p.number, place, d.view, d.columns
			FROM einsum_decompose(p.text, 'made', replace => true, materialize => CASE way WHEN 'auto' THEN way ELSE 'always' END) WITH ORDINALITY AS d(view, notation, columns, cost, tuples, place);
		-- what is said is what there is
		ASSERT NOT EXISTS (SELECT FROM made m WHERE m.size = make.size AND m.way = make.way AND m.number = p.number AND columns <>
			(SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = m.view::regclass AND attnum > 0 AND NOT attisdropped));
		PERFORM einsum_drop('made');
	END LOOP;
	PERFORM einsum_drop('gram');
END $$;
CALL make('few', 'auto');
CALL make('many', 'auto');
CALL make('few', 'always');
CALL make('many', 'always');
-- of what a program calls something; what stages in between have is their own
SELECT p.number, p.text, split_part(m.view, '.', 2) AS view, regexp_replace(m.columns, 'double precision', 'float8', 'g') AS columns FROM program p JOIN made m USING (number)
	WHERE size = 'few' AND way = 'auto' AND view !~ '__' ORDER BY number, place;
SELECT count(*) AS differ FROM (SELECT number, view, columns FROM made WHERE view !~ '__' GROUP BY number, view, columns HAVING count(*) <> 4) m;
-- unless that is what is asked for
SELECT einsum_sql('y[k] = h[i,k]', result => 'auto') !~ ' AS k' AS dense_by_choice FROM use('few');

-- of rows
SELECT s.size, r.* FROM (VALUES ('few'), ('many')) s(size), LATERAL use(s.size), LATERAL einsum_rows('y[k] = min[i] h[i,k]') AS r(k int, value float8) WHERE s.size = 'few';
SELECT use('many');
SELECT * FROM einsum_rows('y[k] = min[i] h[i,k]') AS r(k int, value float8) ORDER BY k;
SELECT count(*), sum(value) FROM einsum_rows('y[i,k] = a[i,j]*h[j,k]') AS r(i int, k int, value float8);
SELECT * FROM einsum_rows('y[i,k] = a[i,j]*h[j,k]', at => '{"i": 5}') AS r(i int, k int, value float8) ORDER BY k;
SELECT * FROM einsum_rows('y[i,k] = a[i,j]*h[j,k]', at => '{"i": 5, "k": 1}') AS r(i int, k int, value float8) ORDER BY k;
SELECT * FROM einsum_rows('y[I,k] = a[i,j]*h[j,k]', at => '{"i": 5}') AS r(i int, value tensor);
SELECT * FROM einsum_rows('y[k] = min[i] h[i,k]', result => 'dense') AS r(value tensor);
SELECT * FROM einsum_rows('y[k:*] = min[i] h[i,k]') AS r(value tensor);

-- readers read what suits them, and users what the left side says: both are the same tensor, also of programs that come later
SELECT use('few');
SELECT view, notation, columns FROM einsum_decompose('y[i,k] = a[i,j]*h[j,k]; g[k,l] = y[i,k]*y[i,l]', 'both');
SELECT count(*) = 0 AS same FROM (SELECT i, k, value FROM y EXCEPT SELECT i, k, value FROM einsum_rows('y[I,K] = a[i,j]*h[j,k]') AS r(i int, k int, value float8)) d;
SELECT einsum_value('s[] = sum[i,k] (y[i,k] - (sum[j] a[i,j]*h[j,k]))^2'), einsum_value('s[k,l] = g[k,l] - (sum[i] y[i,k]*y[i,l])');
SELECT tensor, notation, program, status FROM einsum_tensors WHERE program = 'both' ORDER BY tensor;
SELECT obj_description('y'::regclass), obj_description('y__1'::regclass);
-- what reads a view stays, whatever the readers of the program want now
CREATE VIEW reader AS SELECT sum(value) AS total FROM y;
SELECT view, columns FROM einsum_decompose('y[i,k] = a[i,j]*h[j,k]; g[K,L] = y[i,k]*y[i,l]', 'both', replace => true, materialize => 'always');
SELECT view, columns FROM einsum_decompose('y[i,k] = a[i,j]*h[j,k]', 'both', replace => true);
SELECT * FROM reader;
SELECT einsum_drop('both');
DROP VIEW reader;
SELECT einsum_drop('both');
SELECT count(*) FROM einsum_tensors WHERE program = 'both';
-- a name that is taken is left alone
SELECT use('few');
SELECT view FROM einsum_decompose('y[i,k] = a[i,j]*h[j,k]; y__1[k] = y[i,k]', 'taken');
SELECT einsum_drop('taken');
CREATE TABLE y__1 (i int);
SELECT einsum_decompose('y[i,k] = a[i,j]*h[j,k]; g[k,l] = y[i,k]*y[i,l]', 'both');
DROP TABLE y__1;
-- as SQL shows it
SELECT regexp_replace(line, ' AS SELECT.*', '') AS line FROM einsum_plan('y[i,k] = a[i,j]*h[j,k]; g[k,l] = y[i,k]*y[i,l]', format => 'sql') line WHERE line ~ '^CREATE';

-- made again as they were made; a label of 0.2.0 that does not say, as it was made then
SELECT a.view, b.view FROM einsum_decompose('y[k] = h[i,k]', 'later') a, einsum_decompose('d[k] = h[i,k]', 'auto', result => 'auto') b;
SELECT count(*) FROM einsum_rebound('{"h": [50, 3]}');
SELECT notation FROM einsum_tensors WHERE tensor IN ('y', 'd') ORDER BY 1;
DO $$ BEGIN EXECUTE format('SECURITY LABEL FOR sparseeinsum ON VIEW d IS %L', (SELECT replace(replace(label, '"version":2', '"version":1'), '"result":"auto",', '') FROM pg_seclabel WHERE objoid = 'd'::regclass)); END $$;
SELECT label !~ 'result' FROM pg_seclabel WHERE objoid = 'd'::regclass;
SELECT count(*) FROM einsum_rebound('{"h": [60, 3]}');
SELECT notation FROM einsum_tensors WHERE tensor IN ('y', 'd') ORDER BY 1;
SELECT einsum_drop('later'), einsum_drop('auto');

-- a number for each entry is too much; the hint says what to write
SELECT use('many');
SET sparseeinsum.max_dense_tuples = 5000;
SELECT count(*) FROM einsum_decompose('y[i,k] = a[i,j]*h[j,k]', 'large');
SELECT einsum_sql('y[i,k] = a[i,j]*h[j,k]');
SELECT count(*) FROM einsum_plan('y[i,k] = a[i,j]*h[j,k]');
SELECT count(*) FROM einsum_rows('x[t,i] = tag[t,j]*a[j,i]; "Its y"[i,t,k] = 1 + a[i,j]*h[j,k]*x[t,i]') AS r(i int, t text, k int, value float8);
SELECT count(*) FROM einsum_decompose('y[I,k] = a[i,j]*h[j,k]', 'large');
SELECT count(*) FROM einsum_decompose('y[I,K] = a[i,j]*h[j,k]', 'large', replace => true);
-- in between, and of one key, it is not
SELECT count(*) > 0 FROM einsum_decompose('y[i,k] = a[i,j]*h[j,k]; g[k,l] = y[i,k]*y[i,l]', 'large', replace => true);
SELECT count(*) FROM y;
SELECT count(*) FROM einsum_rows('y[i,k] = a[i,j]*h[j,k]', at => '{"i": 5}') AS r(i int, k int, value float8);
SELECT tensor_shape(einsum_value('y[i,k] = a[i,j]*h[j,k]'));
SET sparseeinsum.max_dense_tuples = 3000;
SELECT einsum_sql('y[i] = a[i,j]');
DROP SCHEMA result_columns_test CASCADE;
