-- For tests of plan nodes: vectors of small integers, the rows of a query kept and compared, its plan as rows.
\set ECHO none
CREATE FUNCTION vector(seed int8, n int) RETURNS tensor LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT array_agg((seed * 7 + k * 5 + seed * k) % 9 - 4 ORDER BY k)::float8[]::tensor FROM generate_series(1, n) k $$;
CREATE FUNCTION as_text(query text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT 'SELECT x::text AS row FROM (' || query || ') x' $$;
-- returns how many there are
CREATE FUNCTION keep_rows(name text, query text) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	rows int8;
BEGIN
	EXECUTE format('CREATE TEMP TABLE %I AS %s', name, query);
	GET DIAGNOSTICS rows = ROW_COUNT;
	RETURN rows;
END $$;
-- rows that are in one of two, as many as are too many; the second is dropped
CREATE FUNCTION different_rows(kept text, other text) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	rows int8;
BEGIN
	EXECUTE format('SELECT count(*) FROM ((TABLE %1$I EXCEPT ALL TABLE %2$I) UNION ALL (TABLE %2$I EXCEPT ALL TABLE %1$I)) x',
		kept, other) INTO rows;
	EXECUTE format('DROP TABLE %I', other);
	RETURN rows;
END $$;
CREATE FUNCTION plan_of(query text, options text DEFAULT 'COSTS OFF') RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('EXPLAIN (%s) %s', options, query);
END $$;
-- the query is run for this
CREATE FUNCTION executed_plan_of(query text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT plan_of(query, 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF') $$;
-- what a test drops at its end
\set included 'vector, as_text, keep_rows, different_rows, plan_of, executed_plan_of'
\set ECHO all
