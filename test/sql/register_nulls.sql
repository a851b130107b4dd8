-- NULL in one of several columns of a value: nulls => 'row' leaves the row out, 'entry' takes it for the fill
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA nulls_test;
SET search_path = nulls_test, public;
CREATE TABLE person (id int PRIMARY KEY, age int, income float8, member boolean, spent float8);
INSERT INTO person SELECT i, i % 7, i % 5, i % 2 = 0, 3 * (i % 7) + 2 * (i % 5) + 1 FROM generate_series(0, 99) i;
UPDATE person SET age = NULL WHERE id % 11 = 3;
UPDATE person SET income = NULL, member = NULL WHERE id % 13 = 4;
CREATE VIEW complete AS SELECT * FROM person WHERE age IS NOT NULL AND income IS NOT NULL;

-- a regression is of the rows that have all: 3 2 1, as of a table without the others
SELECT einsum_register('x[I,k]', 'person', '{id}', '{age,income,1}', '{100,3}'), einsum_register('y[I]', 'person', '{id}', 'spent', '{100}'),
	einsum_register('e[I,k]', 'person', '{id}', '{age,income,1}', '{100,3}', nulls => 'entry'),
	einsum_register('c[I,k]', 'complete', '{id}', '{age,income,1}', '{100,3}', duplicates => 'trust');
SELECT tensor, tensor_round(einsum_value(replace('g[k,l] = x[i,k]*x[i,l]; h[k] = x[i,k]*y[i]; b[k] = solve(g[k,l], h[l])', 'x[', tensor || '[')) * 100) / 100 AS beta
	FROM unnest('{x,c,e}'::text[]) tensor;

-- in all that is measured and estimated; what is left out counts nowhere
CREATE FUNCTION differences(a text, b text) RETURNS bigint LANGUAGE sql AS $$SELECT count(*) FROM (SELECT * FROM einsum_analyze(a) EXCEPT SELECT * FROM einsum_analyze(b)) q$$;
SELECT differences('x', 'c'), differences('x', 'e') > 0 AS of_entries;
CREATE TABLE many (id int PRIMARY KEY, a float8, b float8);
INSERT INTO many SELECT i, nullif(i % 4, 0), nullif(i % 3, 0) FROM generate_series(0, 19999) i;
ANALYZE many;
SET client_min_messages = warning;
SELECT einsum_register('m[I,k]', 'many', '{id}', '{a,b}', '{20000,2}'), einsum_register('n[I,k]', 'many', '{id}', '{a,b}', '{20000,2}', nulls => 'entry');
RESET client_min_messages;
DELETE FROM einsum_statistics WHERE relid = 'many'::regclass;
SELECT tensor, round((einsum_plan(format('t[I] = sum[k] %s[i,k]', tensor), format => 'json', result => 'auto')::jsonb #>> '{0,stages,0,tuples}')::numeric, -2) AS tuples FROM unnest('{m,n}'::text[]) tensor;

-- whatever plan reads the rows: values, keys alone, the same row for two tensors, squares, unions, left joins, points, shifts, extremes
CREATE FUNCTION agree(program text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan int;
	shape text;
	expected tensor := einsum_value(regexp_replace(program, '\mx\[', 'c[', 'g'));
	found tensor;
BEGIN
	FOREACH shape IN ARRAY '{dp,greedy,as_written}'::text[] LOOP
		FOR plan IN 1 .. CASE shape WHEN 'dp' THEN 4 ELSE 1 END LOOP
			BEGIN
				found := einsum_value(program, search => shape, alternative => plan);
			EXCEPTION WHEN invalid_parameter_value THEN
				EXIT;
			END;
			IF found <> expected THEN
				RETURN format('%s, alternative %s: %s', shape, plan, found);
			END IF;
		END LOOP;
	END LOOP;
	RETURN 'agree';
END $$;
SELECT program, agree(program) FROM unnest('{
	"t[i,k] = x[i,k]", "t[k] = sum[i] x[i,k]", "t[k,l] = x[i,k]*x[i,l]", "t[k] = x[i,k]*y[i]", "t[] = x[i,k]*y[i]*x[i,l]*y[i]", "t[i] = count[k] x[i,k]", "t[k] = max[i] x[i,k]", "t[k] = min[i] (x[i,k] + y[i])",
	"t[i,k] = x[i,k] + y[i]", "t[i,k] = (x[i,k] + 1)*y[i]", "t[i,k] = x[i-1,k]*y[i]", "t[i,k] = x[i,k] - x[i-1,k]", "t[k] = sum[i] (x[i,k] - (sum[j] x[j,k])/64)^2", "t[i] = exp(sum[k] x[i,k])", "t[i,j] = sum[k] x[i,k]*x[j,k]"
	}'::text[]) program;
SELECT * FROM einsum_rows('t[i,k] = x[i,k] + 1', at => '{"i": 3}', result => 'auto') AS t(i int, v tensor);
SELECT * FROM einsum_rows('t[i,k] = x[i,k]*y[i]', at => '{"i": 3}', result => 'auto') AS t(i int, v tensor);
SELECT * FROM einsum_rows('t[i,k] = x[i,k]*y[i]', at => '{"i": 5}', result => 'auto') AS t(i int, v tensor);
SELECT count(*) FROM einsum_decompose('gram[k,l] = x[i,k]*x[i,l]', 'gram', result => 'auto');
SELECT value = (SELECT tensor_sum(outer_prod(v, v)) FROM (SELECT ARRAY[age, income, 1]::float8[]::tensor AS v FROM complete) q) AS before FROM gram;
UPDATE person SET age = 1 WHERE id = 3;
UPDATE person SET income = NULL WHERE id = 5;
SELECT value = (SELECT tensor_sum(outer_prod(v, v)) FROM (SELECT ARRAY[age, income, 1]::float8[]::tensor AS v FROM complete) q) AS after FROM gram;
SELECT einsum_drop('gram');

-- of one row, without keys; where all of a row are NULL; beside one that has only numbers
CREATE TABLE one (a float8, b float8);
SELECT einsum_register('o[k]', 'one', '{}', '{a,b,3}'), einsum_register('p[k]', 'one', '{}', '{4}');
INSERT INTO one VALUES (1, NULL);
SELECT einsum_value('t[k] = o[k] + 1'), einsum_value('t[k] = p[k] + 1');
UPDATE one SET a = NULL;
SELECT einsum_value('t[k] = o[k] + 1'), einsum_value('t[k] = p[k] + 1');
SELECT einsum_register('o[k]', 'one', '{}', '{a,b,3}', replace => true);

-- rows with one key are added up where they are rows at all; a fill is that of a row that is not there
CREATE TABLE twice (id int, a float8, b float8);
INSERT INTO twice VALUES (0, 1, 2), (0, NULL, 3), (1, 5, 5), (NULL, NULL, 5), (2, NULL, NULL);
SELECT einsum_register('tw[I,k]', 'twice', '{id}', '{a,b,1}', '{3,3}', duplicates => 'sum');
SELECT einsum_value('t[i,k] = tw[i,k]'), einsum_value('t[k] = sum[i] tw[i,k]');
SELECT einsum_register('f[I,k]', 'twice', '{id}', '{a,b,1}', '{3,3}', fill => 7, duplicates => 'trust', replace => true);
DELETE FROM twice WHERE id = 0;
SELECT einsum_value('t[i,k] = f[i,k]');

-- a view may compute a column by what fails for rows that it leaves out, and so may whether it is NULL
CREATE VIEW ratio AS SELECT id, 1.0 / age AS share, income FROM person WHERE age + 0 + 0 + 0 <> 0;
SELECT einsum_register('q[I,k]', 'ratio', '{id}', '{share,income}', '{*,2}', duplicates => 'trust');
SELECT einsum_value('s[k] = count[i] q[i,k]'), (SELECT count(*) FROM ratio WHERE income IS NOT NULL), (SELECT count(*) FROM ratio WHERE income <> 0);

-- keys of rows that are left out are not asked for, by a dimension or a bound
CREATE TABLE client (name text PRIMARY KEY);
CREATE TABLE visit (name text PRIMARY KEY, hours float8);
INSERT INTO client VALUES ('ann'), ('bob');
INSERT INTO visit VALUES ('ann', 2), ('bob', NULL), ('cid', NULL);
SELECT einsum_dimension('client', 'client', 'name');
SELECT einsum_register('visit[C,k]', 'visit', '{name}', '{hours,1}', '{client,NULL}');
SELECT * FROM einsum_rows('t[i,k] = visit[i,k] + 1', result => 'auto') AS t(i text, v tensor) ORDER BY i;
SELECT einsum_value('t[k] = avg[i] visit[i,k]');

-- labels: as registered, and as 0.2.0 wrote them; an older library refuses version 2
SELECT label FROM pg_seclabel WHERE objoid IN ('one'::regclass, 'visit'::regclass) ORDER BY label;
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":1,"tensors":[{"tensor":"o","notation":"o[k]","keys":[],"value":["a","b",3],"bounds":[3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SELECT einsum_value('t[k] = o[k] + 1');
SELECT einsum_register('p[k]', 'one', '{}', '{4}');
SELECT einsum_value('t[k] = o[k] + 1');
SELECT label FROM pg_seclabel WHERE objoid = 'one'::regclass;
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":2,"tensors":[{"tensor":"o","notation":"o[k]","keys":[],"value":["a","b",3],"nulls":"row","bounds":[3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SELECT einsum_value('t[k] = o[k] + 1');
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":2,"tensors":[{"tensor":"o","notation":"o[k]","keys":[],"value":["a","b",3],"nulls":"column","bounds":[3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE visit IS '{"version":2,"tensors":[{"tensor":"v","notation":"v[C]","keys":["name"],"value":"hours","nulls":"row","bounds":["*"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":5,"tensors":[]}';
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":0,"tensors":[]}';

-- other words
SELECT einsum_register('z[I,k]', 'person', '{id}', '{age,1}', '{100,2}', nulls => 'rows');
SELECT einsum_register('z[I,k]', 'person', '{id}', '{age,1}', '{100,2}', nulls => NULL);
SET client_min_messages = warning;
DROP SCHEMA nulls_test CASCADE;
