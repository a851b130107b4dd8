--
-- materialize => 'always': every stage is a table, brought up to date by einsum_refresh
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA tables_test;
SET search_path = tables_test, public;
CREATE TABLE a (i int2, j bigint, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, 1), (0, 2, -2), (2, 1, 3), (2, 2, 5);
CREATE TABLE h (j bigint PRIMARY KEY, v tensor NOT NULL);
INSERT INTO h SELECT j, ARRAY[j, 1 - j, 2]::float8[]::tensor FROM generate_series(0, 2) j;
CREATE TABLE named (name text COLLATE "C", k int, v float8, PRIMARY KEY (name, k));
INSERT INTO named VALUES ('b', 0, 1), ('a', 1, 2);
CREATE TABLE loose (i int, v float8);
INSERT INTO loose VALUES (0, 1), (2, 4);
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}'), einsum_register('h[J,k]', 'h', '{j}', 'v', '{3,3}'),
	einsum_register('named[N,K]', 'named', '{name,k}', 'v', '{*,3}'), einsum_register('loose[I]', 'loose', '{i}', 'v', '{3}', duplicates => 'trust');
\set program 'y[I,k] = relu(sum[j] a[i,j]*h[j,k]); z[I] = sum[k] y[i,k]*y[i,k]; s[] = sqrt(sum[i] z[i]); big[I,k] = y[i,k]/s[]; n[N] = named[n,k]*z[k]; l[I] = 2*loose[i]; d[i:*,k:*] = y[i,k]'

-- what is made: tables with the views they are filled from, keys of their own types, constraints, statistics
SELECT view, notation FROM einsum_decompose(:'program', 'p', materialize => 'always', search => 'as_written');
SELECT relname, relkind, (SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' not null' ELSE '' END || CASE WHEN attstorage = 'e' THEN ' external' ELSE '' END, ', ' ORDER BY attnum)
	FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS columns, CASE relkind WHEN 'r' THEN reltuples END AS reltuples
FROM pg_class c WHERE relnamespace = 'tables_test'::regnamespace AND relkind IN ('r', 'v') AND relname NOT IN ('a', 'h', 'named', 'loose') ORDER BY 1;
SELECT conrelid::regclass AS table, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'tables_test'::regnamespace AND contype IN ('c', 'p') AND conrelid::regclass::text NOT IN ('a', 'h', 'named', 'loose') ORDER BY conrelid::regclass::text, 2;
-- what only a promise makes unique has no primary key
SELECT indexdef FROM pg_indexes WHERE schemaname = 'tables_test' AND tablename = 'l';
SELECT tensor, relation, notation, keys, bounds, duplicates, program, status FROM einsum_tensors WHERE program = 'p' ORDER BY relation::text;
SELECT * FROM y ORDER BY i;
SELECT * FROM z ORDER BY i;
SELECT s.value AS s, d.value AS d FROM s, d;
SELECT * FROM n ORDER BY n;
SELECT * FROM l ORDER BY i;
-- queries read the tables
SELECT pg_get_viewdef('z__query') LIKE '%FROM y %' AS reads_table;

CREATE FUNCTION explain_lines(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN ' || query; END $$;
-- other programs read them like any table, and rest on their constraints
SELECT einsum_value('w[i] = 2*z[i]'), (SELECT bool_or(line LIKE '%in_range%') FROM explain_lines(einsum_sql('w[i] = 2*z[I]')) line) AS checked, einsum_sql('w[i] = sum[k] y[i,k]') LIKE '%has_shape%' AS shape_checked;
SELECT count(*) FROM einsum_decompose('w[I] = 2*z[i]', 'reader');
ALTER TABLE z DROP CONSTRAINT z_pkey;

-- the tables stay as they are, the views show what they would be
CREATE FUNCTION stale() RETURNS TABLE (relation text, stale boolean) LANGUAGE plpgsql AS $$
BEGIN
	FOR relation IN SELECT c.relname FROM pg_class c WHERE relnamespace = 'tables_test'::regnamespace AND relkind = 'r' AND to_regclass(c.relname || '__query') IS NOT NULL ORDER BY 1 LOOP
		EXECUTE format('SELECT EXISTS ((TABLE %1$I EXCEPT TABLE %2$I) UNION ALL (TABLE %2$I EXCEPT TABLE %1$I))', relation, relation || '__query') INTO stale;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT bool_or(stale) FROM stale();
INSERT INTO a VALUES (1, 1, 7);
UPDATE h SET v = v * 2 WHERE j = 2;
UPDATE loose SET v = 5;
SELECT relation FROM stale() WHERE stale;
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
SELECT relation FROM stale() WHERE stale;
-- the same as views
CREATE SCHEMA tables_live;
SELECT count(*) FROM einsum_decompose(:'program', 'live', schema => 'tables_live', search => 'as_written');
CREATE FUNCTION differ(relations text[] DEFAULT '{y,z,s,big,n,l,d}') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	relation text;
	found boolean;
BEGIN
	FOREACH relation IN ARRAY relations LOOP
		EXECUTE format('SELECT EXISTS ((TABLE tables_test.%1$I EXCEPT ALL TABLE tables_live.%1$I) UNION ALL (TABLE tables_live.%1$I EXCEPT ALL TABLE tables_test.%1$I))', relation) INTO found;
		IF found THEN
			RETURN NEXT relation;
		END IF;
	END LOOP;
END $$;
SELECT differ();
BEGIN;
DELETE FROM a WHERE i = 2;
INSERT INTO named VALUES ('c', 1, 3), (E'd\u00e9', 0, 1);
SELECT differ();
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
SELECT differ();
DELETE FROM a; DELETE FROM h; DELETE FROM named; DELETE FROM loose;
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
SELECT differ();
SELECT s.value AS s, d.value AS d, (SELECT count(*) FROM y) AS rows_of_y FROM s, d;
ROLLBACK;
SELECT differ();

-- an error keeps everything as it was: a key out of range, another shape, keys that are not unique although somebody said so
CREATE FUNCTION contents() RETURNS text LANGUAGE sql AS $$ SELECT md5(string_agg(query_to_xml('SELECT *, xmin FROM ' || relation || ' t ORDER BY t::text', true, true, '')::text, '' ORDER BY relation::text)) FROM einsum_tensors WHERE program = 'p' $$;
SELECT contents() AS before \gset
INSERT INTO a VALUES (1, 3, 1);
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
DELETE FROM a WHERE j = 3;
UPDATE h SET v = '[1,2]' WHERE j = 1;
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
UPDATE h SET v = '[1,2,3]' WHERE j = 1;
UPDATE loose SET i = 7 WHERE i = 2;
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
UPDATE loose SET i = 2 WHERE i = 7;
SELECT contents() = :'before' AS kept;
INSERT INTO loose VALUES (2, 1);
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
SELECT * FROM l ORDER BY i, value;
DELETE FROM loose WHERE v = 1;
-- rows of another's hand are gone, constraints hold
INSERT INTO l VALUES (1, 100);
INSERT INTO z VALUES (5, 1);
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
SELECT differ();

-- what cannot be refreshed
SELECT tensor, how, why, changes, written FROM einsum_refresh('live', 'tables_live');
SELECT tensor, how, why, changes, written FROM einsum_refresh('nothing');
SELECT tensor, how, why, changes, written FROM einsum_refresh(NULL);
BEGIN READ ONLY;
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
ROLLBACK;
BEGIN;
ALTER VIEW z__query RENAME TO z_renamed;
SELECT relation, status FROM einsum_tensors WHERE status <> 'ok';
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
ROLLBACK;
-- renamed tables and schemas are
BEGIN;
ALTER TABLE z RENAME TO z_renamed;
ALTER TABLE a RENAME COLUMN v TO w;
ALTER SCHEMA tables_test RENAME TO tables_renamed;
INSERT INTO tables_renamed.a VALUES (0, 1, 1);
SELECT tensor, how, why, changes, written FROM einsum_refresh('p', 'tables_renamed');
SELECT * FROM tables_renamed.z_renamed ORDER BY i;
SELECT einsum_drop('reader', 'tables_renamed'), einsum_drop('p', 'tables_renamed');
SELECT relname FROM pg_class WHERE relnamespace = 'tables_renamed'::regnamespace AND relkind IN ('r', 'v') ORDER BY 1;
ROLLBACK;
-- dropping a table drops its view
BEGIN;
SELECT einsum_drop('reader');
DROP TABLE big;
SELECT to_regclass('big__query');
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
ROLLBACK;

-- rights: the owner's, whoever refreshes
CREATE ROLE tables_owner;
CREATE ROLE tables_other;
GRANT ALL ON SCHEMA tables_test TO tables_owner, tables_other;
GRANT SELECT ON a TO tables_owner;
SET ROLE tables_owner;
CREATE FUNCTION who() RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'as %', current_user; RETURN 2; END $$;
CREATE VIEW spy AS SELECT 0 AS i, who() AS v;
SELECT einsum_register('spy[I]', 'spy', '{i}', 'v', '{3}', duplicates => 'trust');
SELECT count(*) FROM einsum_decompose('o[I] = a[i,j]*spy[i]', 'of_owner', materialize => 'always', search => 'as_written');
GRANT SELECT ON o TO tables_other;
SET ROLE tables_other;
SELECT tensor, how, why, changes, written FROM einsum_refresh('of_owner');
SELECT einsum_drop('of_owner');
SELECT * FROM o ORDER BY i;
RESET ROLE;
SELECT tensor, how, why, changes, written FROM einsum_refresh('of_owner');
SELECT current_user = session_user AS restored;
REVOKE SELECT ON a FROM tables_owner;
SELECT tensor, how, why, changes, written FROM einsum_refresh('of_owner');
SELECT current_user = session_user AS restored;
SELECT * FROM o ORDER BY i;
SELECT einsum_drop('of_owner');

-- replace: a table with the same columns, bounds and fill stays, with grants and readers
SELECT oid AS z_before FROM pg_class WHERE oid = 'z'::regclass \gset
GRANT SELECT ON z TO tables_other;
SELECT count(*) FROM einsum_decompose(replace(:'program', 'z[I] = sum', 'z[I] = 10 * sum'), 'p', materialize => 'always', search => 'as_written', replace => true);
SELECT 'z'::regclass::oid = :z_before AS same, has_table_privilege('tables_other', 'z', 'SELECT') AS granted;
SELECT z.value / live.value AS times, w.value / live.value AS reader FROM z JOIN tables_live.z live USING (i) JOIN w USING (i);
-- as views, while somebody reads a table
SELECT count(*) FROM einsum_decompose(:'program', 'p', search => 'as_written', replace => true);
SELECT einsum_drop('p');
SELECT einsum_drop('reader');
SELECT count(*) FROM einsum_decompose(:'program', 'p', search => 'as_written', replace => true);
SELECT DISTINCT relkind FROM pg_class WHERE relname IN ('y', 'z', 's', 'big', 'n', 'l', 'd') AND relnamespace = 'tables_test'::regnamespace;
SELECT differ();
-- and back; a lost constraint makes another table
SELECT count(*) FROM einsum_decompose(:'program', 'p', search => 'as_written', materialize => 'always', replace => true);
SELECT differ();
ALTER TABLE z DROP CONSTRAINT z_i_check;
SELECT count(*) FROM einsum_decompose(:'program', 'p', search => 'as_written', materialize => 'always', replace => true);
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'z'::regclass AND contype = 'c';
SELECT differ();
-- fewer tables
SELECT count(*) FROM einsum_decompose('z[I] = a[i,j]', 'p', materialize => 'always', replace => true);
SELECT relname FROM pg_class WHERE relnamespace = 'tables_test'::regnamespace AND relkind IN ('r', 'v') AND relname NOT IN ('a', 'h', 'named', 'loose', 'spy') ORDER BY 1;
-- what is in the way
CREATE TABLE m__query (i int);
SELECT count(*) FROM einsum_decompose('m[I] = a[i,j]', 'p', materialize => 'always', replace => true);
SELECT count(*) FROM einsum_decompose('z[I] = a[i,j]', 'q', materialize => 'always');
SELECT count(*) FROM einsum_decompose('m[I] = a[i,j]', 'q', materialize => 'always', security_invoker => true);
DROP TABLE m__query;
SELECT einsum_drop('p');
SELECT relname FROM pg_class WHERE relnamespace = 'tables_test'::regnamespace AND relkind IN ('r', 'v') AND relname NOT IN ('a', 'h', 'named', 'loose', 'spy') ORDER BY 1;

-- what is absorbed where it is reads stays a view
SELECT count(*) FROM einsum_decompose('m[i,j,k] = a[i,j]*h[j,k]; x[i,k] = sum[j] m[i,j,k]; x2[I] = sum[k] relu(x[i,k])^2', 'q', materialize => 'always');
SELECT relname, relkind FROM pg_class WHERE relnamespace = 'tables_test'::regnamespace AND relname ~ '^[mx]' AND relkind IN ('r', 'v') ORDER BY 1;
SELECT x2.value = z.value AS same FROM x2 JOIN tables_live.z USING (i);
SELECT einsum_value('t[] = m[i,j,k] - x[i,k]');
SELECT tensor, how, why, changes, written FROM einsum_refresh('q');
SELECT einsum_drop('q');

-- blocks: one key per block, and the last is shorter
SELECT view, notation FROM einsum_decompose('b[I:2,k:2] = sum[j] a[i,j]*h[j,k]; c[I] = sum[k] relu(b[i,k])^2', 'q', materialize => 'always');
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'b'::regclass AND contype <> 'n' ORDER BY 1;
SELECT * FROM b ORDER BY i, k;
SELECT c.value = z.value AS same FROM c JOIN tables_live.z USING (i);
UPDATE a SET v = v + 1;
SELECT tensor, how, why, changes, written FROM einsum_refresh('q');
SELECT c.value = z.value AS same FROM c JOIN tables_live.z USING (i);
-- blocks of another size are other columns to whoever reads them
CREATE VIEW reads_b AS SELECT * FROM b;
SELECT count(*) FROM einsum_decompose('b[I:3,k:2] = sum[j] a[i,j]*h[j,k]; c[I] = sum[k] relu(b[i,k])^2', 'q', materialize => 'always', replace => true);
DROP VIEW reads_b;
SELECT einsum_drop('q');

-- einsum_plan says so; a single query keeps every stage as long as it runs
SELECT regexp_replace(einsum_plan, 'cost=[0-9.]+( us)?', 'cost=?', 'g') FROM einsum_plan('y[I,k] = relu(sum[j] a[i,j]*h[j,k]); z[I] = sum[k] y[i,k]*y[i,k]', materialize => 'always', search => 'as_written');
SELECT einsum_plan(format => 'sql', program => 'y[I,k] = relu(sum[j] a[i,j]*h[j,k]); z[I] = sum[k] y[i,k]*y[i,k]', materialize => 'always', search => 'as_written');
SELECT einsum_plan::jsonb->0->'stages'->0->'table' AS table FROM einsum_plan(format => 'json', program => 'z[I] = a[i,j]', materialize => 'always');
SELECT substring(q FROM 'WITH y AS [A-Z]* ?MATERIALIZED') AS kept FROM einsum_sql('y[I,k] = relu(sum[j] a[i,j]*h[j,k]); z[I] = sum[k] y[i,k]*y[i,k]', materialize => 'always', search => 'as_written') q;
SELECT substring(q FROM 'y AS [A-Z]* ?MATERIALIZED') AS kept FROM einsum_sql('y[I,k] = relu(sum[j] a[i,j]*h[j,k]); z[I] = sum[k] y[i,k]*y[i,k]', at => '{i}', materialize => 'always', search => 'as_written') q;
SELECT einsum_value('y[I,k] = relu(sum[j] a[i,j]*h[j,k]); z[I] = sum[k] y[i,k]*y[i,k]', materialize => 'always') = (SELECT stack(value, i, 0, 3) FROM tables_live.z) AS same;

SET client_min_messages = warning;
DROP SCHEMA tables_test, tables_live CASCADE;
DROP ROLE tables_owner, tables_other;
