-- For tests of loop nests: the error of a query, and whether a file is left.
\set ECHO none
CREATE FUNCTION fails(query text) RETURNS TABLE (code text, files bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT count(s::text) FROM (' || query || ') s';
EXCEPTION WHEN others THEN
	code := SQLSTATE;
	SELECT count(*) INTO files FROM pg_ls_dir('base/pgsql_tmp', true, false);
	RETURN NEXT;
END $$;
\set ECHO all
