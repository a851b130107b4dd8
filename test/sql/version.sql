-- What is running: a row, of which the server's and the library's own words differ by machine.
SELECT v.extension = e.extversion AS extension, v.postgresql = current_setting('server_version') AS postgresql,
	v.blas LIKE '%openblas%' AS blas, v.blas_version LIKE 'OpenBLAS %' AS blas_version,
	v.core <> '' AS core, v.core_reason <> '' AS core_reason
FROM einsum_version() v, pg_extension e
WHERE e.extname = 'sparseeinsum';
-- for everyone, whatever search_path says
CREATE ROLE version_reader;
CREATE SCHEMA version_planted;
CREATE FUNCTION version_planted.current_setting(text) RETURNS text LANGUAGE sql AS $$SELECT 'planted'$$;
GRANT USAGE ON SCHEMA version_planted TO version_reader;
SET ROLE version_reader;
SET search_path = version_planted, pg_catalog, public;
SELECT (einsum_version()).postgresql = pg_catalog.current_setting('server_version') AS same;
RESET ROLE;
RESET search_path;
DROP SCHEMA version_planted CASCADE;
DROP ROLE version_reader;
