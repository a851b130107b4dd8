-- For tests of refreshes: those of some relations whose rows differ when they are read in two ways. Rows of zeros are as good as absent.
\set ECHO none
-- one_way, other_way: what is read, with %I for the name of the relation
CREATE FUNCTION differing_in(relations text[], one_way text, other_way text) RETURNS TABLE (relation text) LANGUAGE plpgsql AS $$
DECLARE
	differs boolean;
BEGIN
	FOREACH relation IN ARRAY relations LOOP
		EXECUTE format('WITH one AS (SELECT * FROM %s WHERE value::text !~ ''^[[]?-?0(,0[]])?$''), other AS (SELECT * FROM %s WHERE value::text !~ ''^[[]?-?0(,0[]])?$'')
			SELECT EXISTS ((TABLE one EXCEPT ALL TABLE other) UNION ALL (TABLE other EXCEPT ALL TABLE one))', format(one_way, relation), format(other_way, relation)) INTO differs;
		CONTINUE WHEN NOT differs;
		RETURN NEXT;
	END LOOP;
END $$;
\set ECHO all
