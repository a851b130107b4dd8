--
-- einsum_calibrate: the costs on this machine, as statements
--
\set VERBOSITY default
\set SHOW_CONTEXT never
-- so that the libraries are loaded, with their settings
SELECT extension IS NOT NULL FROM einsum_version();
DO $$ BEGIN END $$;
CREATE TABLE settings_before AS SELECT name, setting FROM pg_settings;
-- whoever may call it, also where nothing may be written, and whatever the search path finds first
CREATE ROLE calibrating;
CREATE SCHEMA planted AUTHORIZATION calibrating;
SET ROLE calibrating;
CREATE FUNCTION planted.count(anyelement) RETURNS bigint LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END';
CREATE FUNCTION planted.repeat(text, int) RETURNS text LANGUAGE plpgsql AS 'BEGIN RAISE ''planted''; END';
SET search_path = planted, pg_catalog, public;
BEGIN READ ONLY;
SELECT json_agg(c) AS measured FROM public.einsum_calibrate() c \gset
COMMIT;
RESET search_path;
RESET ROLE;
CREATE TABLE measured AS SELECT * FROM json_to_recordset(:'measured') m (setting text, current float8, measured float8, statement text);
-- a row for each cost that there is, with its value
SELECT m.setting, m.current = s.setting::float8 AS current, m.measured > 0 AND m.measured < 'Infinity' AS positive
FROM measured m FULL JOIN (SELECT * FROM pg_settings WHERE name LIKE 'sparseeinsum.cost\_%') s ON s.name = m.setting ORDER BY s.name;
-- each statement sets what was measured
DO $$
DECLARE
	m record;
BEGIN
	FOR m IN SELECT * FROM measured LOOP
		IF m.statement NOT LIKE 'ALTER SYSTEM SET ' || m.setting || ' = %' THEN
			RAISE '%', m.statement;
		END IF;
		EXECUTE replace(m.statement, 'ALTER SYSTEM SET', 'SET LOCAL');
		IF abs(current_setting(m.setting)::float8 / m.measured - 1) > 1e-4 THEN
			RAISE '% is %', m.statement, current_setting(m.setting);
		END IF;
	END LOOP;
END $$;
SELECT string_agg(statement, E'\n' ORDER BY setting) AS statements FROM measured WHERE setting = 'sparseeinsum.cost_group' \gset
:statements;
ALTER SYSTEM RESET sparseeinsum.cost_group;
-- it changes nothing, and leaves nothing behind, also when it is cancelled
SET statement_timeout = '200ms' \; SELECT count(*) FROM einsum_calibrate();
SELECT s.name, b.setting, s.setting FROM pg_settings s FULL JOIN settings_before b USING (name) WHERE s.setting IS DISTINCT FROM b.setting;
SELECT count(*) FROM pg_class WHERE relnamespace = pg_my_temp_schema();
SET client_min_messages = warning;
DROP TABLE measured, settings_before;
DROP SCHEMA planted CASCADE;
DROP ROLE calibrating;
