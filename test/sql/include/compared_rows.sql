-- For tests of loop nests: how many rows a query has, and in how many those of a nest are not those without it.
\set ECHO none
CREATE FUNCTION compared_rows(query text, OUT rows bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	workers text := current_setting('max_parallel_workers_per_gather');
	hashes numeric;
BEGIN
	EXECUTE format('CREATE TEMP TABLE with_nest AS %s', query);
	SET LOCAL sparseeinsum.enable_aggregate_join = off;
	SET LOCAL max_parallel_workers_per_gather = 0;
	EXECUTE format('CREATE TEMP TABLE without AS %s', query);
	SET LOCAL sparseeinsum.enable_aggregate_join = force;
	PERFORM set_config('max_parallel_workers_per_gather', workers, true);
	-- the sum of hashes tells equal sets of rows in half the time
	SELECT count(*), sum(hashtextextended(w::text, 0)) INTO rows, hashes FROM without w;
	wrong := 0;
	IF (rows, hashes) IS DISTINCT FROM (SELECT (count(*), sum(hashtextextended(w::text, 0))) FROM with_nest w) THEN
		SELECT count(*) INTO wrong FROM
			((SELECT w::text FROM with_nest w EXCEPT ALL SELECT w::text FROM without w) UNION ALL
			 (SELECT w::text FROM without w EXCEPT ALL SELECT w::text FROM with_nest w)) s;
	END IF;
	DROP TABLE with_nest, without;
END $$;
\set ECHO all
