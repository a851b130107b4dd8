-- Tensors whose entries are in arrays of rows: einsum_register(..., layout => ...).
\set SHOW_CONTEXT never
SET search_path = public, sparseeinsum_internal;
CREATE TABLE node (id int PRIMARY KEY, neighbours int[], weights float8[]);
CREATE TABLE edge (i int, j int, w float8, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, j, (i * 7 + j * 3) % 11 - 5 FROM generate_series(0, 29) i, generate_series(0, 29) j
WHERE (i * 13 + j * 7) % 6 = 0 AND i % 7 <> 3 AND (i * 7 + j * 3) % 11 <> 5;
INSERT INTO node SELECT i, array_agg(j ORDER BY j), array_agg(w ORDER BY j) FROM edge GROUP BY i;
INSERT INTO node VALUES (3, NULL, NULL), (10, '{}', '{}');
CREATE TABLE matrix (indptr bigint[], indices smallint[], data real[]);
INSERT INTO matrix SELECT
	(SELECT array_agg((SELECT count(*) FROM edge e WHERE e.i < p) ORDER BY p) FROM generate_series(0, 30) p),
	array_agg(j ORDER BY i, j), array_agg(w ORDER BY i, j) FROM edge;
CREATE TABLE by_column AS SELECT
	(SELECT array_agg((SELECT count(*) FROM edge e WHERE e.j < p) ORDER BY p) FROM generate_series(0, 30) p) AS indptr,
	array_agg(i ORDER BY j, i) AS indices, array_agg(w ORDER BY j, i) AS data FROM edge;
CREATE TABLE triple (src int[], dst int[], w int[]);
INSERT INTO triple SELECT array_agg(i), array_agg(j), array_agg(w) FROM edge WHERE j < 15;
INSERT INTO triple SELECT array_agg(i) || 0, array_agg(j) || 20, array_agg(w) || 0 FROM edge WHERE j >= 15;
CREATE TABLE diag (name text PRIMARY KEY, d float8[]);
INSERT INTO diag SELECT name, array_agg(k * f ORDER BY k) FROM generate_series(0, 29) k, (VALUES ('one', 1), ('two', 2)) v(name, f) GROUP BY name;

SELECT einsum_register('a[I,J]', 'edge', keys => '{i,j}', value => 'w', bounds => '{30,30}');
SELECT einsum_register('l[I,J]', 'node', keys => '{id}', layout => 'lists(neighbours, weights)', bounds => '{30,30}');
SELECT einsum_register('n[I,J]', 'node', keys => '{id}', layout => 'lists(neighbours)', bounds => '{30,30}');
SELECT einsum_register('m[I,J]', 'matrix', keys => '{}', layout => 'csr(indptr,indices,data)', bounds => '{30,30}');
SELECT einsum_register('q[I,J]', 'by_column', keys => '{}', layout => 'csc(indptr,indices,data)');
SELECT einsum_register('c[I,J]', 'triple', keys => '{}', layout => 'coo(src,dst,w)', bounds => '{30,30}', duplicates => 'sum');
SELECT einsum_register('d[NAME,I,J]', 'diag', keys => '{name}', layout => 'diagonal(d)', bounds => '{*,30,30}');
SELECT tensor, relation, notation, keys, value, bounds, type, duplicates, status, layout, analyzed FROM einsum_tensors
WHERE relation::text IN ('node', 'matrix', 'triple', 'diag', 'by_column') ORDER BY 1;
SELECT objoid::regclass, label FROM pg_seclabel WHERE objoid IN ('node'::regclass, 'edge'::regclass) ORDER BY 1;
SELECT statistic, labels, given, count FROM einsum_analyze('l') ORDER BY 1, 2, 3;

-- programs over them are the same as over rows, whichever plan is chosen
CREATE FUNCTION check_layouts(program text, columns text) RETURNS TABLE (tensor text, same boolean, rows bigint) LANGUAGE plpgsql AS $$
DECLARE
	expected text;
	got text;
BEGIN
	FOREACH tensor IN ARRAY '{l,m,q,c}'::text[] LOOP
		EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r) FROM einsum_rows(%L) AS r(%s) WHERE v <> 0', program, columns) INTO expected;
		EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r), count(*) FROM einsum_rows(%L) AS r(%s) WHERE v <> 0',
			regexp_replace(program, '\ma\[', tensor || '[', 'g'), columns) INTO got, rows;
		same := got = expected;
		RETURN NEXT;
	END LOOP;
END $$;
CREATE FUNCTION check_all() RETURNS TABLE (program text, result text) LANGUAGE sql AS $$
	SELECT p, string_agg(format('%s %s %s', tensor, same, rows), ', ' ORDER BY tensor DESC)
	FROM (VALUES ('y[i] = a[i,j]', 'i int, v float8'), ('y[j] = a[i,j]', 'i int, v float8'), ('y[i,k] = a[i,j] * a[j,k]', 'i int, k int, v float8'),
		('y[] = a[i,j] * a[j,k] * a[k,i]', 'v float8'), ('y[i] = max[j](a[i,j])', 'i int, v float8'),
		('y[i,j] = a[i,j] + a[j,i]', 'i int, j int, v float8'), ('y[i] = a[i,i]', 'i int, v float8'), ('y[] = a[0,6]', 'v float8')) v(p, c),
		check_layouts(p, c) GROUP BY p ORDER BY p COLLATE "C" $$;
SELECT * FROM check_all();
SET sparseeinsum.enable_aggregate_join = force;
SELECT * FROM check_all();
SET sparseeinsum.enable_aggregate_join = off;
SELECT * FROM check_all();
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT * FROM check_all();
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET sparseeinsum.enable_aggregate_join;
SELECT count(*), sum(v) FROM einsum_rows('y[i,j] = n[i,j] * a[i,j]') AS r(i int, j int, v float8);
SELECT count(*), sum(w) FROM edge;
SELECT * FROM einsum_rows('y[name] = d[name,i,i]') AS r(name text, v float8) ORDER BY 1;
-- a view
SELECT einsum_decompose('degree[i] = l[i,j]', name => 'p');
SELECT i, value FROM degree WHERE i IN (0, 3, 5) ORDER BY 1;
SELECT count(*), sum(value) FROM degree;
-- a row of it by its key
SELECT e.i, e.j, einsum_value(format('y[] = l[%s,%s]', e.i, e.j)) AS l, einsum_value(format('y[] = m[%s,%s]', e.i, e.j)) AS m, e.w
FROM (SELECT * FROM edge ORDER BY i, j LIMIT 3) e;
-- the plan names storage and layout
SELECT line FROM einsum_plan('y[i] = l[i,j] * m[j,k]') AS line WHERE line LIKE '%layout%';
-- what proves that keys are unique
ALTER TABLE node DROP CONSTRAINT node_pkey;
ALTER TABLE node DROP CONSTRAINT node_pkey CASCADE;
SELECT tensor, status FROM einsum_tensors WHERE relation = 'node'::regclass ORDER BY 1;
ALTER TABLE node ADD PRIMARY KEY (id);
-- a column that is renamed or dropped
ALTER TABLE node RENAME weights TO strengths;
SELECT tensor, status FROM einsum_tensors WHERE relation = 'node'::regclass ORDER BY 1;
SELECT * FROM einsum_rows('y[i] = l[i,j]') AS r(i int, v float8);
ALTER TABLE node RENAME strengths TO weights;

-- arrays that become wrong are errors of every query that reads them
CREATE FUNCTION wrong(id int, neighbours int[], weights float8[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	INSERT INTO node VALUES (wrong.id, wrong.neighbours, wrong.weights);
	BEGIN
		PERFORM * FROM einsum_rows('y[] = l[i,j]') AS r(v float8);
		RETURN NEXT 'no error';
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
		RETURN NEXT concat_ws(E'\n', SQLSTATE || ': ' || SQLERRM, detail, hint);
	END;
	DELETE FROM node WHERE node.id = wrong.id;
END $$;
SELECT wrong(24, '{3,2}', '{1,1}');
SELECT wrong(24, '{3,3}', '{1,1}');
SELECT wrong(24, '{3,30}', '{1,1}');
SELECT wrong(24, '{-1,3}', '{1,1}');
SELECT wrong(24, '{3,4}', '{1}');
SELECT wrong(24, '{3,NULL}', '{1,1}');
SELECT wrong(24, '{{3},{4}}', '{1,1}');
SELECT wrong(30, '{3,4}', '{1,1}');
SELECT wrong(24, '{3,4}', '{1,1}');
UPDATE matrix SET indptr = indptr[1:30];
SELECT * FROM einsum_rows('y[] = m[i,j]') AS r(v float8);
UPDATE matrix SET indptr = (SELECT indptr || (SELECT count(*) FROM edge));
SELECT * FROM einsum_rows('y[] = m[i,j]') AS r(v float8);
INSERT INTO matrix SELECT * FROM matrix;
SELECT * FROM einsum_rows('y[] = m[i,j]') AS r(v float8);
SELECT einsum_register('m[I,J]', 'matrix', keys => '{}', layout => 'csr(indptr,indices,data)', bounds => '{30,30}', replace => true);
SELECT einsum_register('m[I,J]', 'matrix', keys => '{}', layout => 'csr(indptr,indices,data)', bounds => '{30,30}', replace => true, duplicates => 'sum');
SELECT v / 2 AS v FROM einsum_rows('y[] = m[i,j]') AS r(v float8);

-- bounds that are read off; a row without entries has a key
CREATE TABLE empty_rows (id int PRIMARY KEY, n int[]);
INSERT INTO empty_rows VALUES (0, '{3}'), (4, '{}'), (5, NULL);
SELECT einsum_register('empty_rows[I,J]', 'empty_rows', keys => '{id}', layout => 'lists(n)');
SELECT bounds FROM einsum_tensors WHERE tensor = 'empty_rows';
SELECT * FROM einsum_rows('y[i] = empty_rows[i,j]') AS r(i int, v float8);
DROP TABLE empty_rows;
CREATE TABLE sizes (p int[], q int[]);
INSERT INTO sizes VALUES ('{0,1,1,1}', '{4}');
SELECT einsum_register('s[I,J]', 'sizes', keys => '{}', layout => 'csr(p,q)');
SELECT bounds FROM einsum_tensors WHERE tensor = 's';
UPDATE sizes SET p = '{0,0,0}', q = '{}';
SELECT einsum_register('s[I,J]', 'sizes', keys => '{}', layout => 'csr(p,q)', replace => true);
UPDATE sizes SET p = '{0,1}', q = '{-1}';
SELECT einsum_register('s[I,J]', 'sizes', keys => '{}', layout => 'csr(p,q)', replace => true);
SELECT einsum_register('s[I,J]', 'sizes', keys => '{}', layout => 'csr(p,q)', bounds => '{1,*}', replace => true);
SELECT * FROM einsum_rows('y[j] = s[i,j]') AS r(j bigint, v float8);
SELECT einsum_rebound('{"s": [2, null]}');
UPDATE sizes SET p = '{0,1,1}';
SELECT einsum_rebound('{"s": [2, null]}');
SELECT bounds FROM einsum_tensors WHERE tensor = 's';

-- bounds that no array is long enough for
SELECT einsum_register('s[I,J]', 'sizes', keys => '{}', layout => 'csr(p,q)', bounds => '{9223372036854775807,9223372036854775807}', replace => true);
SELECT einsum_register('s[I,J]', 'sizes', keys => '{}', layout => 'csc(p,q)', bounds => '{9223372036854775807,9223372036854775807}', replace => true);
SELECT einsum_register('s[I,J]', 'sizes', keys => '{}', layout => 'diagonal(q)', bounds => '{9223372036854775807,9223372036854775807}', replace => true);
SELECT einsum_register('s[I,J]', 'sizes', keys => '{}', layout => 'upper(q)', bounds => '{9223372036854775807,9223372036854775807}', replace => true);
SELECT einsum_register('s[I]', 'sizes', keys => '{}', layout => 'lists(p)', bounds => '{9223372036854775807}', replace => true);
CREATE TABLE packed (name text PRIMARY KEY, lo float8[], up float8[]);
INSERT INTO packed VALUES ('a', '{1,2,3,4,5,6}', '{1,2,4,3,5,6}'), ('b', '{6,5,4,3,2,1}', '{6,5,3,4,2,1}');
SELECT einsum_register('low[N,I,J]', 'packed', keys => '{name}', layout => 'lower(lo)', bounds => '{*,NULL,NULL}');
SELECT einsum_register('up[N,I,J]', 'packed', keys => '{name}', layout => 'upper(up)', bounds => '{*,3,3}');
SELECT bounds FROM einsum_tensors WHERE tensor = 'low';
SELECT * FROM einsum_rows('y[i,j] = low[n,i,j] + 100*up[n,i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
SELECT * FROM einsum_rows('y[] = sum[n,i,j] abs(low[n,i,j] - up[n,j,i])') AS r(v float8);
UPDATE packed SET lo = lo || 7 WHERE name = 'b';
SELECT * FROM einsum_rows('y[n] = low[n,i,j]') AS r(n text, v float8);
SELECT einsum_register('low[N,I,J]', 'packed', keys => '{name}', layout => 'lower(lo)', bounds => '{*,NULL,NULL}', replace => true);
-- which length a triangle can have
SELECT * FROM einsum_rows('y[] = up[n,i,j]') AS r(v float8);
UPDATE packed SET up = up || 7 WHERE name = 'b';
SELECT * FROM einsum_rows('y[] = up[n,i,j]') AS r(v float8);
DROP TABLE packed;

-- bands, with what stands beside the matrix; along a curve; lists of lists
CREATE TABLE bands (name text PRIMARY KEY, v real[], below int, above bigint, z int[]);
INSERT INTO bands VALUES ('a', '{9,1,2, 3,4,5, 6,7,9}', 1, 1, '{1,2,3,4}'), ('b', '{1, 2, 3}', 0, 0, '{5,6}'), ('c', NULL, 0, 0, NULL);
SELECT einsum_register('band[N,I,J]', 'bands', keys => '{name}', layout => 'band(v,below,above)', bounds => '{*,NULL,NULL}');
SELECT einsum_register('curve[N,I,J]', 'bands', keys => '{name}', layout => 'zorder(z)', bounds => '{*,NULL,NULL}');
SELECT tensor, bounds, layout FROM einsum_tensors WHERE relation = 'bands'::regclass ORDER BY 1;
SELECT * FROM einsum_rows('y[n,i,j] = band[n,i,j]') AS r(n text, i int, j int, v float8) ORDER BY 1, 2, 3;
SELECT * FROM einsum_rows('y[i,j] = sum[n] curve[n,i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
SELECT einsum_register('curve[N,I,J]', 'bands', keys => '{name}', layout => 'zorder(z)', bounds => '{*,2,1}', replace => true);
SELECT * FROM einsum_rows('y[] = curve[n,i,j]') AS r(v float8);
UPDATE bands SET above = 2 WHERE name = 'b';
SELECT * FROM einsum_rows('y[] = band[n,i,j]') AS r(v float8);
UPDATE bands SET above = -1 WHERE name = 'b';
SELECT * FROM einsum_rows('y[] = band[n,i,j]') AS r(v float8);
SELECT einsum_register('band[N,I,J]', 'bands', keys => '{name}', layout => 'band(v,below,above)', bounds => '{*,NULL,NULL}', replace => true);
SELECT einsum_register('band[N,I,J]', 'bands', keys => '{name}', layout => 'band(v,below)', bounds => '{*,3,3}', replace => true);
SELECT einsum_register('band[N,I,J]', 'bands', keys => '{name}', layout => 'band(v,below,v)', bounds => '{*,3,3}', replace => true);
DROP TABLE bands;
CREATE TABLE fibers (i int[], p int[], j int[], q int[], k int[], v float8[]);
INSERT INTO fibers VALUES ('{0,3}', '{0,2,3}', '{1,2,0}', '{0,1,3,4}', '{5,0,1,2}', '{1,2,3,4}');
SELECT einsum_register('fiber[I,J,K]', 'fibers', keys => '{}', layout => 'csf(i,p,j,q,k,v)');
SELECT bounds FROM einsum_tensors WHERE tensor = 'fiber';
SELECT * FROM einsum_rows('y[i,j,k] = fiber[i,j,k]') AS r(i int, j int, k int, v float8) ORDER BY 1, 2, 3;
SELECT * FROM einsum_rows('y[i] = fiber[i,j,k]') AS r(i int, v float8) ORDER BY 1;
UPDATE fibers SET p = '{0,2}';
SELECT * FROM einsum_rows('y[] = fiber[i,j,k]') AS r(v float8);
SELECT einsum_register('fiber[J,K]', 'fibers', keys => '{}', layout => 'csf(j,q,k,v)', replace => true);
DROP TABLE fibers;

-- what cannot be registered
CREATE TABLE wrong_types (id int PRIMARY KEY, t text[], u uuid[], f float8[], v int[], "a ""b, c)" int[]);
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(t)');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(f)');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(v,u)');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(x)');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(v,f,f)');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'list(v)');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(v');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(v) x');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => '');
SELECT einsum_register('w[I,j]', 'wrong_types', keys => '{id}', layout => 'lists(v)');
SELECT einsum_register('w[I,J,K]', 'wrong_types', keys => '{id}', layout => 'lists(v)');
SELECT einsum_register('w[I]', 'wrong_types', keys => '{id}', layout => 'coo(v)');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'coo(v,f)');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(v)', value => 'f');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(v)', bounds => '{3,nothing}');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{v}', layout => 'lists(v)', bounds => '{3,4}');
SELECT einsum_register('w[I,J]', 'wrong_types', keys => '{id}', layout => 'lists(v)');
-- names are quoted where they have to be; a column of the layout may be called as a label
SELECT einsum_register('w[ID,J]', 'wrong_types', keys => '{id}', layout => ' lists ( "a ""b, c)" , f ) ', bounds => '{3,4}');
INSERT INTO wrong_types VALUES (2, NULL, NULL, '{5}', NULL, '{3}'), (1, NULL, NULL, '{5,7}', NULL, '{1,2}');
SELECT layout FROM einsum_tensors WHERE tensor = 'w';
SELECT * FROM einsum_rows('y[i,j] = w[i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
CREATE TABLE called (j int PRIMARY KEY, value int[]);
INSERT INTO called VALUES (1, '{0,2}');
SELECT einsum_register('k[I,J]', 'called', keys => '{j}', layout => 'lists(value)', bounds => '{2,3}');
SELECT * FROM einsum_rows('y[i,j] = k[i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;

-- of a view no array is looked at that the view leaves out
CREATE TABLE raw (id int PRIMARY KEY, kind int, members text);
INSERT INTO raw VALUES (0, 1, '{1,2}'), (1, 2, 'none'), (2, 1, '{0}');
CREATE VIEW good AS SELECT id, members::int[] AS members FROM raw WHERE kind = 1;
SELECT einsum_register('v[I,J]', 'good', keys => '{id}', layout => 'lists(members)', bounds => '{3,3}');
SELECT einsum_register('v[I,J]', 'good', keys => '{id}', layout => 'lists(members)', bounds => '{3,3}', duplicates => 'trust');
SELECT * FROM einsum_rows('y[i,j] = v[i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
SELECT * FROM einsum_rows('y[k] = v[i,j] * v[j,k]') AS r(k int, v float8) ORDER BY 1;

-- fill other than 0: entries that equal it are left out; NaN equals NaN there
INSERT INTO wrong_types VALUES (0, NULL, NULL, '{NaN,8}', NULL, '{0,3}');
SELECT einsum_register('nan[I,J]', 'wrong_types', keys => '{id}', layout => 'lists("a ""b, c)", f)', bounds => '{3,4}', fill => 'NaN');
SELECT * FROM einsum_rows('y[i,j] = nan[i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
DELETE FROM wrong_types WHERE id = 0;
SELECT einsum_register('f[I,J]', 'wrong_types', keys => '{id}', layout => 'lists("a ""b, c)", f)', bounds => '{3,4}', fill => 5);
SELECT * FROM einsum_rows('y[i] = f[i,j]') AS r(i int, v float8) WHERE v <> 20 ORDER BY 1;
SELECT statistic, labels, given, count FROM einsum_analyze('f') WHERE statistic = 'entries';

-- rights: who may read the columns may read the tensor
CREATE ROLE layouts_reader;
GRANT SELECT (id, neighbours) ON node TO layouts_reader;
SET ROLE layouts_reader;
SELECT count(*) FROM einsum_rows('y[i] = n[i,j]') AS r(i int, v float8);
SELECT count(*) FROM einsum_rows('y[i] = l[i,j]') AS r(i int, v float8);
RESET ROLE;
-- the log of a table has the columns of its layouts
SELECT einsum_log('l');
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'node__log'::regclass AND attname IN ('id', 'neighbours', 'weights') ORDER BY 1;
UPDATE node SET weights = weights WHERE id = 0;
SELECT id, cardinality(neighbours) = cardinality(weights) AS same FROM node__log WHERE id = 0 LIMIT 1;
-- a loop does not assign to it
SELECT * FROM einsum_iterate('own', NULL, 'l[i,j] = 2*l[i,j]', assign => '{l}', max_rounds => 1);
-- labels by hand
SECURITY LABEL FOR sparseeinsum ON TABLE sizes IS '{"version":2,"tensors":[{"tensor":"s","notation":"s[I,J]","keys":[],"value":null,"layout":"csr(p,q)","bounds":[2,2],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE sizes IS '{"version":3,"tensors":[{"tensor":"s","notation":"s[I,J]","keys":["p"],"value":null,"layout":"csr(p,q)","bounds":[2,2],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE sizes IS '{"version":3,"tensors":[{"tensor":"s","notation":"s[I,J]","keys":[],"value":"p","layout":"csr(p,q)","bounds":[2,2],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE sizes IS '{"version":5,"tensors":[]}';
SELECT einsum_unregister('l');
SELECT einsum_unregister('n', 'node');
DROP TABLE node, edge, matrix, triple, diag, by_column, sizes, wrong_types, called CASCADE;
DROP TABLE raw CASCADE;
DROP FUNCTION check_all, check_layouts, wrong;
DROP ROLE layouts_reader;
