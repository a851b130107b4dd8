-- Loop nests in little memory: rows that several operands share move into their first index, which leaves room for the
-- second one. So a nest is chosen with PostgreSQL's default work_mem where it is with much more.
CREATE SCHEMA nest_memory_test;
SET search_path = nest_memory_test, public;
SET max_parallel_workers_per_gather = 0;
SET hash_mem_multiplier = 2;
-- links in both directions: a row and two indexes take 53 bytes, an index beside keys and another index 37
CREATE TABLE link (i int, j int, value float8, PRIMARY KEY (i, j)) WITH (autovacuum_enabled = off);
INSERT INTO link SELECT n * 7919 % 1000, (n * n + n / 7) % 1000, 1 FROM generate_series(1, 5750) n
	WHERE n * 7919 % 1000 <> (n * n + n / 7) % 1000 ON CONFLICT DO NOTHING;
INSERT INTO link SELECT j, i, value FROM link ON CONFLICT DO NOTHING;
SELECT count(*) FROM link;
SELECT einsum_register('u[I,J]', 'link', '{i,j}', 'value', '{1000,1000}'::int[]);
-- how many nests a program has as it runs, and how many of them had no room
CREATE FUNCTION nests(program text, OUT nests bigint, OUT refused bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan text := '';
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || einsum_sql(program) LOOP
		plan := plan || line;
	END LOOP;
	nests := (SELECT count(*) FROM regexp_matches(plan, 'AggregateJoin', 'g'));
	refused := (SELECT count(*) FROM regexp_matches(plan, 'Relational Plan', 'g'));
END $$;
CREATE FUNCTION total(program text, node text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', node, true);
	EXECUTE 'SELECT sum(value) FROM (' || einsum_sql(program) || ') r' INTO result;
	RETURN result;
END $$;
CREATE TABLE program (name text, text text);
INSERT INTO program VALUES ('triangles', 'triangles[] = u[i,j] * u[j,k] * u[k,i] / 6'),
	('Jaccard', 'friends[i] = sum[j] u[i,j]; common[i,j] = u[i,j] * u[j,k] * u[i,k];
		jaccard[I,J] = common[i,j] / (u[i,j] * (friends[i] + friends[j]) - common[i,j])'),
	('two steps', 'y[i,k] = sum[j] u[i,j] * u[j,k]');
SET work_mem = '256kB';
-- before and after the table is analyzed
SELECT name, n.* FROM program, nests(text) n;
SELECT count(*) FROM einsum_analyze('u');
ANALYZE link;
SELECT name, n.* FROM program, nests(text) n;
SELECT name, abs(t.nest - t.joins) <= 1e-9 * t.joins AS same FROM (SELECT name, total(text, 'on') AS nest, total(text, 'off') AS joins FROM program) t;
-- with PostgreSQL's default of JIT
SET jit = on;
SELECT name, n.* FROM program, nests(text) n;
RESET jit;
-- less memory than two indexes take
SET work_mem = '128kB';
SELECT name, abs(t.nest - t.joins) <= 1e-9 * t.joins AS same FROM (SELECT name, total(text, 'on') AS nest, total(text, 'off') AS joins FROM program) t;
SET client_min_messages = warning;
DROP SCHEMA nest_memory_test CASCADE;
