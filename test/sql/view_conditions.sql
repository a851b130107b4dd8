--
-- Registered views that leave rows out: what generated SQL asks of a row is asked
-- of the rows that the view has. The table has rows that no view has: with keys
-- out of range, values of other shapes, NULLs, texts that are no numbers. Every
-- plan computes what it computes of a table with the view's rows.
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA view_conditions_test;
SET search_path = view_conditions_test, public;

CREATE TABLE raw (id int PRIMARY KEY, i int, j int, v float8, si text, sj int, sv text, t tensor);
CREATE INDEX ON raw (i);
-- junk before, between and after
INSERT INTO raw VALUES (100, 20, -1, 5, 'no key', 0, 'no number', '[1,2,3]'), (101, -7, 99, NULL, '', 0, '', '[[1]]');
INSERT INTO raw SELECT id, i, j, v, i::text, 6 / (j + 1), v::text, ARRAY[v, i - j]::float8[]::tensor
FROM (VALUES (0, 0, 0, 2), (1, 0, 2, -1), (2, 1, 1, 4), (3, 2, 0, 8)) x(id, i, j, v);
INSERT INTO raw VALUES (102, NULL, 1, 5, NULL, NULL, NULL, NULL), (103, 1, 3, 5, '3.5', 0, 'x', '7');
INSERT INTO raw SELECT id, i, j, v, i::text, 6 / (j + 1), v::text, ARRAY[v, i - j]::float8[]::tensor
FROM (VALUES (4, 2, 2, 1), (5, 3, 1, -3), (6, 3, 2, 5)) x(id, i, j, v);
INSERT INTO raw SELECT 104 + g, 1000, 3, 1, 'many', 0, '', 'float4:[1,2]' FROM generate_series(0, 20) g;
CREATE TABLE keep AS SELECT g AS id FROM generate_series(0, 50) g;
CREATE TABLE dropped AS SELECT g AS id FROM generate_series(100, 200) g;
ANALYZE;
CREATE TABLE x (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (0, 1), (1, 3), (2, -2), (3, 4);
SELECT einsum_register('x[I]', 'x', '{i}', 'v', '{4}');

-- the rows that count: as many relations as ways to leave the others out
CREATE TABLE ways (way text, relation text);
INSERT INTO ways VALUES
	('expression', 'raw r WHERE r.id + 0 < 100'),
	('costly', 'raw r WHERE length(repeat(r.id::text, 2)) < 5 AND length(repeat(r.id::text, 3)) < 7'),
	('inner join', 'raw r JOIN keep k ON k.id = r.id WHERE true'),
	('semi-join', 'raw r WHERE r.id IN (SELECT id FROM keep)'),
	('exists', 'raw r WHERE EXISTS (SELECT FROM keep k WHERE k.id = r.id)'),
	('anti-join', 'raw r WHERE NOT EXISTS (SELECT FROM dropped d WHERE d.id = r.id)'),
	('outer join', 'raw r LEFT JOIN dropped d ON d.id = r.id WHERE d.id IS NULL'),
	('lateral', 'keep k, LATERAL (SELECT * FROM raw WHERE raw.id = k.id) r WHERE true'),
	('union', '(SELECT * FROM raw WHERE id + 0 < 3 UNION ALL SELECT raw.* FROM raw JOIN keep USING (id) WHERE id + 0 >= 3) r WHERE true'),
	('with', '(WITH w AS (SELECT * FROM raw WHERE id + 0 < 100) SELECT * FROM w) r WHERE true'),
	('window', '(SELECT *, count(*) OVER (PARTITION BY id < 100) AS many FROM raw) r WHERE many < 10'),
	('function', 'unnest(ARRAY(SELECT raw FROM raw)) r WHERE r.id + 0 < 100');
-- and to have columns of them
CREATE TABLE forms (form text, notation text, bounds text, query text);
INSERT INTO forms VALUES
	('plain', 'm[I,J]', '{4,4}', 'SELECT r.i, r.j, r.v FROM RELATION'),
	('computed', 'm[I,J]', '{4,4}', 'SELECT r.si::int AS i, 6 / r.sj - 1 AS j, r.sv::float8 AS v FROM RELATION'),
	('distinct', 'm[I,J]', '{4,4}', 'SELECT DISTINCT r.si::int AS i, r.j, r.sv::float8 AS v FROM RELATION'),
	('grouped', 'm[I,J]', '{4,4}', 'SELECT r.i, 6 / r.sj - 1 AS j, sum(r.sv::float8) AS v FROM RELATION GROUP BY r.i, r.sj'),
	('blocks', 'h[I,J:2]', '{4,4}', 'SELECT r.i, r.j / 2 AS j, r.t AS v FROM RELATION AND (r.j < 2 OR r.i <> 0)'),
	('vectors', 'h[I,j]', '{4,2}', 'SELECT DISTINCT ON (r.i) r.i, NULL::int AS j, r.t AS v FROM RELATION ORDER BY r.i, r.id'),
	('computed vectors', 'h[I,j]', '{4,2}', 'SELECT r.si::int AS i, NULL::int AS j, ARRAY[r.sv::float8, 2] AS v FROM RELATION AND r.id IN (0, 2, 3, 5)');
CREATE TABLE programs (form text, program text);
INSERT INTO programs VALUES
	('m', 'z[i] = x[i] + m[i,i]*x[i]'), ('m', 'z[j] = x[i]*m[i,j]'), ('m', 'z[i,j] = 2 ^ m[i,j] - x[i]'),
	('m', 'y[i,k] = m[i,j]*m[k,j]; z[i] = (sum[k] y[i,k]) - max[k] y[i,k]'),
	('h', 'z[i,j] = relu(h[i,j])'), ('h', 'z[j] = x[i]*h[i,j]'), ('h', 'y[i,k] = h[i,j]*h[k,j]; z[i] = x[i] + max[k] y[i,k]');

-- What a program gives under every search, form of result, first plans and nodes; at each key; and as a view at each key.
CREATE FUNCTION answers(program text) RETURNS TABLE (plan text, answer text) LANGUAGE plpgsql AS $$
DECLARE
	options text;
	nodes text;
BEGIN
	FOREACH nodes IN ARRAY ARRAY['off', 'force'] LOOP
		PERFORM set_config('sparseeinsum.enable_batching', nodes, true);
		FOREACH options IN ARRAY ARRAY['', 'promoted', 'demoted', 'alternative => 2', 'search => ''as_written''', 'search => ''greedy''', 'rewrite => ''none''', 'result => ''rows'''] LOOP
			plan := nodes || ' ' || options;
			EXIT WHEN nodes = 'force' AND options LIKE '%=>%';
			BEGIN
				EXECUTE 'SELECT einsum_value($1' || CASE WHEN options LIKE '%=>%' THEN ', ' || options ELSE '' END || ')' INTO answer
				USING CASE options
					WHEN 'promoted' THEN (SELECT string_agg(part[1] || upper(part[2]), '') FROM regexp_matches(program || ' ', '([^\[]*)(\[[^\]]*\]|$)', 'g') part)
					WHEN 'demoted' THEN (SELECT string_agg(part[1] || regexp_replace(part[2], '([a-z])', '\1:*', 'g'), '') FROM regexp_matches(program || ' ', '([^\[]*)(\[[^\]]*\]|$)', 'g') part)
					ELSE program END;
			EXCEPTION WHEN OTHERS THEN
				CONTINUE WHEN options LIKE 'alternative%' AND SQLSTATE = '22023';
				answer := SQLSTATE || ' ' || SQLERRM;
			END;
			RETURN NEXT;
		END LOOP;
	END LOOP;
END $$;
CREATE FUNCTION point_answers(program text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	-- a row of the fill may be there or not
	shown text := 'SELECT string_agg(r::text, '' '' ORDER BY r::text) FROM (%s) r WHERE value::text <> ''0''';
	promoted text := regexp_replace(regexp_replace(program, 'z\[i', 'z[I'), 'z\[j', 'z[J');
	label text := substring(program FROM 'z\[([a-z])');
	of_query text;
	of_view text;
BEGIN
	PERFORM einsum_decompose(promoted, 'whole', result => 'auto');
	FOR key IN 0..3 LOOP
		BEGIN
			EXECUTE format(shown, einsum_sql(promoted, at => ARRAY[label], result => 'auto')) INTO of_query USING key;
			EXECUTE format(shown, format('SELECT * FROM z WHERE %I = %s', label, key)) INTO of_view;
		EXCEPTION WHEN OTHERS THEN
			of_query := SQLSTATE || ' ' || SQLERRM;
		END;
		RETURN NEXT concat_ws(' and ', of_query, of_view);
	END LOOP;
	PERFORM einsum_drop('whole');
END $$;
-- a view as a tensor, beside a table of its rows
CREATE FUNCTION check_way(way text, form text, INOUT options text DEFAULT '', OUT plans int, OUT points int, OUT wrong text) LANGUAGE plpgsql AS $$
DECLARE
	f forms;
	tensor text;
	keys name[];
	p text;
	expected text;
	expected_points text[];
	wrong_points text;
BEGIN
	SELECT * INTO f FROM forms WHERE forms.form = check_way.form;
	tensor := left(f.notation, 1);
	keys := CASE WHEN f.notation ~ 'j' THEN '{i}' ELSE '{i,j}' END;
	plans := 0;
	points := 0;
	EXECUTE 'CREATE VIEW way ' || options || ' AS ' || replace(f.query, 'RELATION', (SELECT relation FROM ways WHERE ways.way = check_way.way));
	CREATE TABLE rows_of_way AS SELECT * FROM way;
	FOR p IN SELECT program FROM programs WHERE programs.form = tensor LOOP
		PERFORM einsum_register(f.notation, 'rows_of_way', keys, 'v', f.bounds::text[], duplicates => 'trust');
		expected := einsum_value(p);
		expected_points := ARRAY(SELECT point_answers(p));
		PERFORM einsum_unregister(tensor, 'rows_of_way');
		PERFORM einsum_register(f.notation, 'way', keys, 'v', f.bounds::text[], duplicates => 'trust');
		PERFORM einsum_analyze(tensor);
		SELECT check_way.plans + count(*), concat_ws('; ', wrong, string_agg(p || ' ' || a.plan || ': ' || coalesce(a.answer, 'NULL'), '; ') FILTER (WHERE a.answer IS DISTINCT FROM expected))
		INTO plans, wrong FROM answers(p) a;
		SELECT check_way.points + count(a.answer), string_agg(p || ' at ' || n || ': ' || coalesce(a.answer, 'NULL') || ' for ' || e, '; ') FILTER (WHERE a.answer IS DISTINCT FROM e)
		INTO points, wrong_points FROM ROWS FROM (point_answers(p), unnest(expected_points)) WITH ORDINALITY AS a(answer, e, n);
		wrong := nullif(concat_ws('; ', wrong, wrong_points), '');
		PERFORM einsum_unregister(tensor, 'way');
	END LOOP;
	DROP VIEW way;
	DROP TABLE rows_of_way;
END $$;

SET client_min_messages = warning;
SELECT way, plans > 20 AS planned, points, wrong FROM ways, LATERAL check_way(way, 'computed') ORDER BY way COLLATE "C";
SELECT way, form, plans > 20 AS planned, points, wrong FROM ways, forms, LATERAL check_way(way, form)
WHERE way IN ('expression', 'union') AND form <> 'computed' ORDER BY form, way COLLATE "C";
SELECT way, form, plans > 20 AS planned, points, wrong FROM ways, forms, LATERAL check_way(way, form, 'WITH (security_barrier)')
WHERE way IN ('expression', 'anti-join') AND form IN ('plain', 'computed') ORDER BY form, way COLLATE "C";

-- a row that the view has is checked, in every plan, though no entry of the result needs it
CREATE TABLE bad (kind text, form text, query text);
INSERT INTO bad VALUES
	('key', 'plain', 'INSERT INTO raw VALUES (50, 2, 7, 1)'), ('key', 'computed', 'INSERT INTO raw VALUES (50, 0, 1, 1, ''-3'', 3, ''1'')'),
	('key', 'grouped', 'INSERT INTO raw VALUES (50, 2, 7, 1, NULL, 1, ''2'')'), ('shape', 'blocks', 'INSERT INTO raw VALUES (50, 3, 0, 1, NULL, 1, NULL, ''[1,2,3]'')'),
	('key', 'vectors', 'INSERT INTO raw VALUES (50, 9, 0, 1, NULL, 1, NULL, ''[1,2]'')'), ('shape', 'vectors', 'UPDATE raw SET t = ''[1]'' WHERE id = 5'),
	('text', 'computed', 'UPDATE raw SET sv = ''many'' WHERE id = 3'), ('zero', 'computed', 'UPDATE raw SET sj = 0 WHERE id = 3');
CREATE FUNCTION check_bad(way text, b bad, OUT plans int, OUT errors text) LANGUAGE plpgsql AS $$
DECLARE
	f forms;
BEGIN
	SELECT * INTO f FROM forms WHERE forms.form = b.form;
	EXECUTE 'CREATE VIEW way AS ' || replace(f.query, 'RELATION', (SELECT relation FROM ways WHERE ways.way = check_bad.way));
	PERFORM einsum_register(f.notation, 'way', CASE WHEN f.notation ~ 'j' THEN '{i}' ELSE '{i,j}' END::name[], 'v', f.bounds::text[], duplicates => 'trust');
	BEGIN
		EXECUTE b.query;
		SELECT count(*), string_agg(DISTINCT a.answer, '; ') INTO plans, errors FROM programs p, answers(p.program) a WHERE p.form = left(f.notation, 1);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		DROP VIEW way;
	END;
END $$;
SELECT way, (b).kind, (b).form, plans > 20 AS planned, errors FROM (VALUES ('expression'), ('inner join')) w(way), bad b, LATERAL check_bad(way, b) ORDER BY (b).form, (b).kind, way COLLATE "C";

-- a condition on a key of a program's view reaches the index below a registered view, by way of joins and unions too
CREATE TABLE many AS SELECT g AS id, g / 4 AS i, (g / 4 * 7 + g % 4) % 10000 AS j, (g % 7)::float8 AS v FROM generate_series(-400, 39999) g;
CREATE INDEX ON many (i);
CREATE INDEX ON many ((i::bigint));
CREATE TABLE many_kept AS SELECT id FROM many WHERE id >= 0;
CREATE INDEX ON many_kept (id);
ANALYZE many, many_kept;
CREATE VIEW filtered AS SELECT i, j, v FROM many WHERE id + 0 >= 0;
CREATE VIEW joined AS SELECT m.i, m.j, m.v FROM many m JOIN many_kept USING (id);
CREATE VIEW united AS SELECT * FROM filtered WHERE j % 2 = 0 UNION ALL SELECT * FROM filtered WHERE j % 2 = 1;
CREATE VIEW barred WITH (security_barrier) AS SELECT DISTINCT i, j, v FROM united;
CREATE VIEW wide AS SELECT i::bigint AS i, j, v FROM filtered;
CREATE FUNCTION rows_read(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	RETURN (SELECT sum((n->>'Actual Loops')::numeric * ((n->>'Actual Rows')::numeric + coalesce((n->>'Rows Removed by Filter')::numeric, 0)))
		FROM jsonb_path_query(plan::jsonb, '$.**') n WHERE n->>'Node Type' LIKE '%Scan' AND n ? 'Relation Name');
END $$;
CREATE FUNCTION check_reading(relation regclass, OUT by_key numeric, OUT by_sum numeric, OUT at_key numeric, OUT wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	at_query text;
BEGIN
	PERFORM einsum_register('s[I,J]', relation, '{i,j}', 'v', '{10000,10000}', duplicates => 'trust');
	PERFORM einsum_decompose('d[I,J] = 2*s[i,j]; u[J] = sum[k] relu(s[j,k]); r[I] = s[i,j]*u[j]', 'reading');
	by_key := rows_read('SELECT * FROM d WHERE i = 42');
	by_sum := rows_read('SELECT * FROM u WHERE j = 42');
	at_query := replace(einsum_sql('u[J] = sum[k] relu(s[j,k]); r[I] = s[i,j]*u[j]', at => '{i}'), '$1', '42');
	at_key := rows_read(at_query);
	EXECUTE format('SELECT count(*) FROM (%s) a FULL JOIN (SELECT * FROM r WHERE i = 42) r USING (i, value) WHERE a IS NULL OR r IS NULL', at_query) INTO wrong;
	PERFORM einsum_drop('reading');
	PERFORM einsum_unregister('s', relation);
END $$;
-- (PostgreSQL takes the keys of another relation neither into a DISTINCT nor into a UNION ALL with conditions)
SELECT relation, by_key < 50 AS by_key, by_sum < 50 AS by_sum, at_key < 100 AS at_key, wrong FROM unnest('{filtered,joined,united,barred,wide}'::regclass[]) relation, LATERAL check_reading(relation);

-- row-level security: the rows that a role has
CREATE ROLE view_conditions_reader;
GRANT USAGE ON SCHEMA view_conditions_test TO view_conditions_reader;
CREATE TABLE secret (i int, j int, v float8, t tensor, PRIMARY KEY (i, j));
INSERT INTO secret SELECT i, j, v, t FROM raw WHERE id < 100;
CREATE VIEW seen WITH (security_invoker) AS SELECT i, j, v FROM secret WHERE j + 0 < 9;
SELECT einsum_register('m[I,J]', 'secret', '{i,j}', 'v', '{4,4}'), einsum_register('n[I,J]', 'seen', '{i,j}', 'v', '{4,4}', duplicates => 'trust'),
	einsum_register('k[I,J,k]', 'secret', '{i,j}', 't', '{4,4,2}');
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON secret USING (length(repeat(i::text, 2)) = 2 AND j + 0 < 4);
INSERT INTO secret VALUES (77, 1, 5, '[1,2,3]'), (1, 44, 5, '[1]'), (88, 77, NULL, NULL);
GRANT SELECT ON secret, seen, x TO view_conditions_reader;
SET ROLE view_conditions_reader;
SELECT program, count(*) > 8 AS planned, string_agg(DISTINCT answer, '; ') AS answers FROM (VALUES ('z[i] = m[i,j]*x[j] + m[i,i]'), ('z[i] = n[i,j]*x[j] + n[i,i]'), ('z[j] = max[i,k] k[i,j,k]')) p(program), answers(program) GROUP BY 1 ORDER BY 1;
RESET ROLE;
SELECT program, count(*) > 8 AS planned, string_agg(DISTINCT answer, '; ') AS answers FROM (VALUES ('z[i] = m[i,j]*x[j] + m[i,i]'), ('z[i] = n[i,j]*x[j] + n[i,i]'), ('z[j] = max[i,k] k[i,j,k]')) p(program), answers(program) GROUP BY 1 ORDER BY 1;
REVOKE ALL ON SCHEMA view_conditions_test FROM view_conditions_reader;
REVOKE ALL ON secret, seen, x FROM view_conditions_reader;
DROP ROLE view_conditions_reader;

-- no keys; additive duplicates; open labels, whose keys are computed; rows without a value; a view that is replaced after
CREATE VIEW one AS SELECT sv::float8 AS v FROM raw WHERE id + 0 = 2;
CREATE VIEW additive AS SELECT si::int AS i, sv::float8 AS v FROM raw WHERE id + 0 < 100;
CREATE VIEW named AS SELECT 'n' || (6 / sj) AS n, sv::float8 AS v FROM raw r JOIN keep USING (id) WHERE i = 3;
CREATE VIEW pairs AS SELECT si::int AS i, 6 / sj - 1 AS j FROM raw JOIN keep USING (id);
CREATE VIEW later AS SELECT i, j, v FROM raw WHERE id + 0 < 100;
SELECT einsum_register('o[]', 'one', '{}', 'v'), einsum_register('a[I]', 'additive', '{i}', 'v', '{4}', duplicates => 'sum'),
	einsum_register('b[N]', 'named', '{n}', 'v', '{*}', duplicates => 'trust'), einsum_register('p[I,J]', 'pairs', '{i,j}', NULL, '{4,4}', duplicates => 'trust'),
	einsum_register('l[I,J]', 'later', '{i,j}', 'v', '{4,4}', duplicates => 'trust');
SELECT count(*) > 0 AS measured FROM einsum_analyze('b');
SELECT program, count(*) > 8 AS planned, string_agg(DISTINCT answer, '; ') AS answers
FROM (VALUES ('z[] = 2*o[]'), ('z[i] = a[i]^2'), ('z[i] = a[i]'), ('z[] = b[n]*b[n]'), ('z[i] = p[i,j]*x[j]'), ('z[i] = p[i,i] + 1'), ('z[i] = l[i,j]*x[j]')) p(program), answers(program) GROUP BY 1 ORDER BY 1;
SELECT count(*) AS stages FROM einsum_decompose('zl[I] = l[i,j]*x[j]; za[I] = a[i]; zb[N] = 2*b[n]', 'later');
CREATE OR REPLACE VIEW later AS SELECT si::int AS i, 6 / sj - 1 AS j, sv::float8 AS v FROM raw WHERE length(repeat(raw.id::text, 2)) < 5;
SELECT zl.*, za.value FROM zl JOIN za USING (i) ORDER BY i;
SELECT * FROM zb ORDER BY n;
SELECT * FROM zb WHERE n = 'n3';

-- what fills a table is asked of the rows that the query has as well
SELECT einsum_store('w[I,j]', 'SELECT si::int, 6 / sj - 1, sv::float8 FROM raw JOIN keep USING (id)', '{4,4}');
SELECT * FROM w ORDER BY i;

DROP SCHEMA view_conditions_test CASCADE;
