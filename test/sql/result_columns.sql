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

-- a real number of each row is a number of SQL, whatever its element type
SELECT * FROM einsum_rows('y[k] = float4(max[i] h[i,k])/4') AS r(k bigint, value float8) ORDER BY k;
SELECT * FROM einsum_rows('y[K] = float4(max[i] h[i,k])/4') AS r(k int, value real) ORDER BY k;
SELECT * FROM einsum_rows('y[] = float4(sum[i,k] h[i,k])/4') AS r(value numeric);
SELECT * FROM einsum_rows('y[k] = float4(max[i] h[i,k])/4', at => '{"k": 1}') AS r(k int, value float8);
SELECT * FROM einsum_iterate_rows('y[k] = float4(max[i] h[i,k])', 'y[k] = y[k]/4', max_rounds => 1) AS r(k int, value float8) ORDER BY k;
SELECT * FROM einsum_rows('y[k] = float4(max[i] h[i,k])/4') AS r(k int, value int);
SELECT * FROM einsum_rows('y[k] = float4(max[i] h[i,k])/4') AS r(k int, value numeric(4,1));
SELECT * FROM einsum_rows('y[k] = complex8(max[i] h[i,k])/4') AS r(k int, value float8);
SELECT * FROM einsum_rows('y[k:*] = float4(max[i] h[i,k])/4') AS r(value float8);
-- a number for each entry is too much; the hint says what to write
SELECT use('many');
SET sparseeinsum.max_dense_tuples = 5000;
SELECT count(*) FROM einsum_decompose('y[i,k] = a[i,j]*h[j,k]', 'large');
SELECT einsum_sql('y[i,k] = a[i,j]*h[j,k]');
SELECT count(*) FROM einsum_plan('y[i,k] = a[i,j]*h[j,k]');
-- with enough keys that a value of the others has a size that kernels take
SET sparseeinsum.max_kernel_bytes = '32kB';
SELECT einsum_sql('y[i,l,k] = a[i,j]*a[l,j]*h[j,k]');
SELECT einsum_sql('y[i,k,l] = a[i,j]*a[l,j]*h[j,k]');
SELECT einsum_sql('y[i,l] = a[i,j]*a[l,j]');
SET sparseeinsum.max_kernel_bytes = '31kB';
SELECT einsum_sql('y[i,l] = a[i,j]*a[l,j]');
RESET sparseeinsum.max_kernel_bytes;
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
RESET sparseeinsum.max_dense_tuples;

-- the tables that loops leave behind: as the left side of the step says, or else that of init; also where values of tables are numbers of other types
CREATE TABLE rounds (number int GENERATED ALWAYS AS IDENTITY, init text, step text);
INSERT INTO rounds (init, step) VALUES
	('x[i] = 1 + 0*(sum[j] a[i,j])', 'x[i] = 0.5*x[i] + 0.125*(sum[j] a[i,j]*x[j])'), ('x[k] = max[i] h[i,k]', 'x[k] = 0.5*x[k] + 1'), ('x[k] = max[i] h[i,k]', 'x[K] = 0.5*x[k] + 1'),
	('x[k] = max[i] h[i,k]', 'x[k:*] = 0.5*x[k] + 1'), ('x[i:*] = max[k] h[i,k]', 'x[k] = 0.5*x[k] + 1'), ('x[i,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 0.125*(sum[j] a[i,j]*x[j,k])'), ('x[i,k] = h[i,k]', 'x[I,k] = 0.5*x[i,k] + 1'),
	('x[I,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 1'), ('x[I,k] = h[i,k]', 'x[i,K] = 0.5*x[i,k] + 1'), ('x[i,k] = h[i,k]', 'x[i:8,k] = 0.5*x[i,k] + 1'), ('x[i] = h[i,0]; n[] = 0', 'n[] = n[] + 1; x[user] = x[user] + n[]'),
	('x[t] = max[i] tag[t,i]', 'x[t] = 0.5*x[t] + (max[i] tag[t,i])'), ('x[t,k] = tag[t,0]*h[0,k]', 'x[t,k] = x[t,k] + h[1,k]*tag[t,2]'), ('x[t,k] = tag[t,2]*h[0,k]', 'x[T,k] = x[t,k]/2'), ('x[p,k] = (sum[t] seen[p,t])*h[0,k]', 'x[p,k] = x[p,k]/2'), ('x[i] = float4(max[k] h[i,k])', 'x[i] = x[i] + x[i]'),
	('x[k,l] = h[i,k]*h[i,l]/4096', 'y[k,l] = x[k,m]*x[m,l]; x[k,l] = y[k,l]'), ('x[i] = id[i]', 'x[j] = least(x[j], min[i] (if(i_j[i,j] == 0, 1/0, id[i]) + 0*x[i]))');
SELECT einsum_register('seen[P,T]', 'tag', '{node,name}', 'weight', '{*,*}', duplicates => 'trust');
SELECT einsum_register('i_j[I,J]', 'few_edge', '{i,j}', 'v', '{40,40}'), einsum_register('id[I]', 'few_node', '{i}', 'i', '{40}');
CREATE TABLE kept (size text, result text, number int, state text, columns text, notation text, value tensor);
CREATE PROCEDURE iterate_all(size text, result text) LANGUAGE plpgsql AS $$
DECLARE
	l rounds;
	columns jsonb;
BEGIN
	PERFORM use(size);
	FOR l IN SELECT * FROM rounds ORDER BY number LOOP
		SELECT max(i.columns::text) INTO columns FROM einsum_iterate('kept', l.init, l.step, max_rounds => 3, result => iterate_all.result) i;
		-- what is said is what there is
		ASSERT columns = (SELECT jsonb_object_agg(tensor, (SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = t.relation AND attnum > 0)) FROM einsum_tensors t WHERE program = 'kept'), format('%s: %s', l.step, columns);
		INSERT INTO kept SELECT size, iterate_all.result, l.number, key, c.value, notation, CASE WHEN bounds <> '{*}' AND bounds[1] <> '*' THEN einsum_value(format('v[%1$s] = %2$s[%1$s]', CASE cardinality(bounds) WHEN 0 THEN '' WHEN 1 THEN 'p' ELSE 'p,q' END, key)) END
			FROM jsonb_each_text(columns) c JOIN einsum_tensors ON tensor = key AND program = 'kept';
		PERFORM einsum_drop('kept');
	END LOOP;
END $$;
CALL iterate_all('few', 'rows');
CALL iterate_all('many', 'rows');
CALL iterate_all('few', 'auto');
CALL iterate_all('many', 'auto');
SELECT number, l.step, state, regexp_replace(columns, 'double precision', 'float8', 'g') AS columns, notation FROM rounds l JOIN kept USING (number) WHERE size = 'few' AND result = 'rows' ORDER BY number, state;
SELECT count(*) AS differ FROM (SELECT FROM kept WHERE result = 'rows' GROUP BY number, state, columns HAVING count(*) <> 2) k;
-- and the same values
SELECT count(*) AS compared, count(*) FILTER (WHERE (r.value = a.value) IS NOT TRUE) AS differ FROM kept r JOIN kept a USING (size, number, state) WHERE r.result = 'rows' AND a.result = 'auto' AND (r.value IS NOT NULL OR a.value IS NOT NULL);
-- though rounds have had them in other columns, which is what can be asked for
SELECT count(*) > 4 AS by_choice FROM kept r JOIN kept a USING (size, number, state) WHERE r.result = 'rows' AND a.result = 'auto' AND r.notation <> a.notation;
SELECT * FROM einsum_iterate('kept', 'n[] = 0', 'n[] = n[] + 1', max_rounds => 1, result => 'dense');
SELECT * FROM einsum_iterate('kept', 'n[] = 0', 'n[] = n[] + 1', max_rounds => 1, result => 'vector');

-- a loop that continues leaves columns as they are, as of 0.2.0, and says so; another beginning does not
SELECT use('few');
SELECT columns FROM einsum_iterate('kept', 'x[k] = max[i] h[i,k]', 'x[k] = 2*x[k]', max_rounds => 1, result => 'auto');
DO $$ BEGIN EXECUTE format('SECURITY LABEL FOR sparseeinsum ON TABLE x IS %L', (SELECT replace(label, '"version":2', '"version":1') FROM pg_seclabel WHERE objoid = 'x'::regclass)); END $$;
SET client_min_messages = notice;
SELECT columns FROM einsum_iterate('kept', 'x[k] = max[i] h[i,k]', 'x[k] = 2*x[k]', max_rounds => 1);
SELECT * FROM x;
SELECT columns FROM einsum_iterate('kept', NULL, 'x[k] = 2*x[k]', max_rounds => 1, result => 'auto');
CALL einsum_iterate('kept', NULL, 'x[K] = 2*x[k]', commit_every => 1, max_rounds => 2);
SELECT * FROM x;
CREATE VIEW reader AS SELECT value FROM x;
SELECT columns FROM einsum_iterate('kept', 'x[k] = max[i] h[i,k]', 'x[k] = 2*x[k]', max_rounds => 1, restart => true);
DROP VIEW reader;
SELECT columns FROM einsum_iterate('kept', 'x[k] = max[i] h[i,k]', 'x[k] = 2*x[k]', max_rounds => 1, restart => true);
SELECT * FROM x ORDER BY k;
-- each commit writes what differs, also where rounds have it in one value
CALL einsum_iterate('kept', NULL, 'x[k] = x[k] - (x[k] > 4)*x[k]', commit_every => 1, max_rounds => 2);
SELECT * FROM x ORDER BY k;
CALL einsum_iterate('kept', NULL, 'x[k] = 3*x[k] + 1', commit_every => 2, max_rounds => 3);
SELECT * FROM x ORDER BY k;
CALL einsum_iterate('kept', NULL, 'x[k] = least(x[k], 100)', commit_every => 1, max_rounds => 2);
SELECT k, value, count(*) OVER (PARTITION BY xmin::text) AS written_together FROM x ORDER BY k;
SELECT einsum_drop('kept');
SET client_min_messages = warning;
-- in a table of the user's nothing changes
CREATE TABLE assigned (k int PRIMARY KEY CHECK (k >= 0 AND k < 3), value numeric(10,2), other text);
SELECT einsum_register('x[K]', 'assigned', '{k}', 'value', '{3}');
SELECT columns FROM einsum_iterate('kept', NULL, 'x[k:*] = x[k] + 1', max_rounds => 1, assign => '{x}');
SELECT * FROM assigned ORDER BY k;
DROP TABLE assigned;

-- a number for each entry is too much; the hint says what to write, before the first round
SELECT use('many');
SET sparseeinsum.max_dense_tuples = 5000;
SELECT count(*) FROM einsum_iterate('kept', 'x[i,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 1', max_rounds => 3);
CALL einsum_iterate('kept', 'x[i,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 1', commit_every => 1, max_rounds => 3);
SELECT max(columns::text) FROM einsum_iterate('kept', 'x[i,k] = h[i,k]', 'x[I,k] = 0.5*x[i,k] + 1', max_rounds => 3);
SELECT count(*) FROM einsum_iterate('kept', 'x[i,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 1', max_rounds => 3);
SELECT max(columns::text) FROM einsum_iterate('kept', 'x[i,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 1', max_rounds => 3, result => 'auto', restart => true);
SELECT einsum_drop('kept');
SELECT * FROM einsum_iterate_rows('x[i,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 1', 'y[i,k] = x[i,k]', max_rounds => 3) AS x(i int, k int, value float8);
SELECT * FROM einsum_iterate_rows('x[i,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 1', max_rounds => 3) AS x(i int, k int, value float8);
SELECT tensor_shape(einsum_iterate_value('x[i,k] = h[i,k]', 'x[i,k] = 0.5*x[i,k] + 1', max_rounds => 3));
SELECT count(*) FROM einsum_iterate_rows('x[i,k] = h[i,k]', 'x[I,k] = 0.5*x[i,k] + 1', max_rounds => 3) AS x(i int, value tensor);
RESET sparseeinsum.max_dense_tuples;

-- of the rows that a loop returns: of its result, or of the state
SELECT * FROM einsum_iterate_rows('x[i] = max[k] h[i,k]', 'x[k] = 0.5*x[k] + 1', max_rounds => 3) AS r(k int, value float8) WHERE k < 2 ORDER BY k;
SELECT use('few');
SELECT * FROM einsum_iterate_rows('x[i] = max[k] h[i,k]', 'x[k] = 0.5*x[k] + 1', max_rounds => 3) AS r(k int, value float8) WHERE k < 2 ORDER BY k;
SELECT * FROM einsum_iterate_rows('x[k] = max[i] h[i,k]', 'x[k:*] = 0.5*x[k] + 1', max_rounds => 3) AS r(value tensor);
SELECT * FROM einsum_iterate_rows('x[k] = max[i] h[i,k]', 'x[user] = 0.5*x[user] + 1', max_rounds => 3) AS r(value tensor);
SELECT * FROM einsum_iterate_rows('x[k] = max[i] h[i,k]', 'x[k] = 0.5*x[k] + 1', 'y[k] = x[k]', max_rounds => 3) AS r(k int, value float8) ORDER BY k;
SELECT * FROM einsum_iterate_rows('x[k] = max[i] h[i,k]', 'x[k] = 0.5*x[k] + 1', 'y[k:*] = x[k]', max_rounds => 3) AS r(value tensor);
SELECT * FROM einsum_iterate_rows('x[t] = max[i] tag[t,i]', 'x[t] = 0.5*x[t] + (max[i] tag[t,i])', max_rounds => 3) AS r(t text, value float8) WHERE t < 't11' ORDER BY t;
DROP SCHEMA result_columns_test CASCADE;
