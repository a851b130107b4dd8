-- For tests of loop nests that processes run together: all levels have them, and what ran.
\i test/sql/include/compared_rows.sql
\i test/sql/include/failing.sql
\set ECHO none
SET sparseeinsum.enable_aggregate_join = force;
SET sparseeinsum.enable_batching = off;
SET hash_mem_multiplier = 2;
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
-- The first node of that kind in a plan.
CREATE FUNCTION find_node(plan json, kind text) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
	child json;
	found json;
BEGIN
	IF plan->>'Custom Plan Provider' = kind OR plan->>'Node Type' = kind THEN
		RETURN plan;
	END IF;
	FOR child IN SELECT json_array_elements(plan->'Plans') LOOP
		found := find_node(child, kind);
		IF found IS NOT NULL THEN
			RETURN found;
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
-- What ran, and whether the rows are those of PostgreSQL's plan without workers; no file is left.
CREATE FUNCTION compare(query text, same_data boolean DEFAULT false) RETURNS TABLE (ran text, rows bigint, wrong bigint, files bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
	node json;
BEGIN
	SELECT c.* INTO plan, rows, wrong FROM compared_rows(query, same_data) c;
	node := find_node(plan, 'AggregateJoin');
	ran := CASE WHEN node IS NULL THEN 'no nest'
		WHEN find_node(plan, 'Gather') IS NULL THEN 'no workers'
		WHEN node->>'Relational Plan' IS NOT NULL THEN node->>'Relational Plan'
		WHEN (node->>'Parallel Aware')::bool THEN 'parallel' ELSE 'serial' END;
	SELECT count(*) INTO files FROM pg_ls_dir('base/pgsql_tmp', true, false);
	RETURN NEXT;
END $$;
\set ECHO all
