-- For tests of loop nests: how a query ran, how many rows it has, and in how many those of a nest are not those without it. Where a test
-- asks the same of the same data under several settings (same_data), what PostgreSQL's plan returns is computed the first time.
\set ECHO none
CREATE TABLE relational_rows (query text, rows bigint, hashes numeric);
CREATE FUNCTION compared_rows(query text, same_data boolean DEFAULT false, OUT plan json, OUT rows bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	workers text := current_setting('max_parallel_workers_per_gather');
	-- the sum of hashes tells equal sets of rows in half the time
	summary text := 'SELECT count(*) AS rows, sum(hashtextextended(w::text, 0)) AS hashes FROM %s w';
	of_nest record;
	relational record;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF, FORMAT json) CREATE TEMP TABLE with_nest AS ' || query INTO plan;
	plan := plan->0->'Plan';
	EXECUTE format(summary, 'with_nest') INTO of_nest;
	SELECT r.rows, r.hashes INTO relational FROM relational_rows r WHERE r.query = compared_rows.query AND same_data;
	wrong := 0;
	IF relational IS DISTINCT FROM of_nest THEN
		SET LOCAL sparseeinsum.enable_aggregate_join = off;
		SET LOCAL max_parallel_workers_per_gather = 0;
		EXECUTE format('CREATE TEMP TABLE without AS %s', query);
		SET LOCAL sparseeinsum.enable_aggregate_join = force;
		PERFORM set_config('max_parallel_workers_per_gather', workers, true);
		EXECUTE format(summary, 'without') INTO relational;
		IF relational IS DISTINCT FROM of_nest THEN
			SELECT count(*) INTO wrong FROM
				((SELECT w::text FROM with_nest w EXCEPT ALL SELECT w::text FROM without w) UNION ALL
				 (SELECT w::text FROM without w EXCEPT ALL SELECT w::text FROM with_nest w)) s;
		END IF;
		DROP TABLE without;
		IF same_data THEN
			INSERT INTO relational_rows SELECT query, relational.rows, relational.hashes;
		END IF;
	END IF;
	rows := relational.rows;
	DROP TABLE with_nest;
END $$;
\set ECHO all
