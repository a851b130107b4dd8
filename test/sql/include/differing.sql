-- For tests of refreshes: those of some relations whose rows differ when they are read in two ways. Rows of zeros are as good as absent, and the column moved is another matter.
\set ECHO none
-- one_way, other_way: names of what is read, behind a schema or none, with * for the name of the relation
CREATE FUNCTION named_in(way text, relation text) RETURNS text IMMUTABLE LANGUAGE sql AS
	$$ SELECT substring(way, '^\w*[.]|') || quote_ident(replace(regexp_replace(way, '^\w*[.]', ''), '*', relation)) $$;
CREATE FUNCTION differing_in(relations text[], one_way text, other_way text) RETURNS TABLE (relation text) LANGUAGE plpgsql AS $$
DECLARE
	differs boolean;
BEGIN
	FOREACH relation IN ARRAY relations LOOP
		EXECUTE format('WITH one AS (SELECT to_jsonb(x) - ''moved'' FROM %s x WHERE value::text !~ ''^[[]?-?0(,0[]])?$''), other AS (SELECT to_jsonb(x) - ''moved'' FROM %s x WHERE value::text !~ ''^[[]?-?0(,0[]])?$'')
			SELECT EXISTS ((TABLE one EXCEPT ALL TABLE other) UNION ALL (TABLE other EXCEPT ALL TABLE one))', named_in(one_way, relation), named_in(other_way, relation)) INTO differs;
		CONTINUE WHEN NOT differs;
		RETURN NEXT;
	END LOOP;
END $$;
\set ECHO all
