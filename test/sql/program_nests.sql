-- Decompositions are chosen with loop nests in mind: the cost of a stage is that of the nest, where it is one
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA nest_cost_test;
SET search_path = nest_cost_test, public;
SET sparseeinsum.blocks = '';
-- a graph with hubs
CREATE TABLE e (i int, j int, PRIMARY KEY (i, j));
INSERT INTO e SELECT n, (n * 7 + k * k * 13) % 2000 FROM generate_series(0, 1999) n, generate_series(1, 10) k ON CONFLICT DO NOTHING;
INSERT INTO e SELECT n % 5, n FROM generate_series(0, 1999) n ON CONFLICT DO NOTHING;
SELECT einsum_register('e[I,J]', 'e', '{i,j}', bounds => '{2000,2000}');
CREATE TABLE t (a text, b text, PRIMARY KEY (a, b));
INSERT INTO t SELECT i::text, j::text FROM e;
SELECT einsum_register('t[A,B]', 't', '{a,b}', bounds => '{*,*}');
ANALYZE e, t;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();

-- stages that are expected to be a nest, of all
CREATE FUNCTION nests(program text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg((s ->> 'definition') || CASE WHEN s ? 'nest' THEN ': nest' ELSE '' END, '; ' ORDER BY n)
	FROM jsonb_array_elements((SELECT string_agg(einsum_plan, '')::jsonb -> 0 FROM einsum_plan(program, format => 'json', result => 'auto')) -> 'stages') WITH ORDINALITY AS x(s, n)
$$;
SELECT nests('s[] = e[i,j] * e[j,k] * e[i,k]');
SELECT nests('c[i,k] = e[i,j] * e[j,k]');
-- keys that are no integers are looked up in dictionaries
SELECT nests('s[] = t[i,j] * t[j,k] * t[i,k]');
-- a row for each tuple
SELECT nests('y[i,j] = e[i,j] * e[j,i]');

-- the same with PostgreSQL's joins: what is not a number saves tuples
SET sparseeinsum.enable_aggregate_join = off;
SELECT nests('s[] = e[i,j] * e[j,k] * e[i,k]');
SELECT count(*) AS triangles FROM e a JOIN e b ON b.i = a.j JOIN e c ON c.i = a.i AND c.j = b.j;
SELECT einsum_sql('s[] = e[i,j] * e[j,k] * e[i,k]') AS vectors \gset
:vectors;
RESET sparseeinsum.enable_aggregate_join;
SELECT einsum_sql('s[] = e[i,j] * e[j,k] * e[i,k]') AS nest \gset
:nest;

-- where no nest fits in memory, PostgreSQL joins; vectors that are made of rows are not shared by their readers
SET work_mem = '64kB';
SELECT nests('s[] = e[i,j] * e[j,k] * e[i,k]');
-- but for rows that only one operand reads: they are streamed
SET work_mem = '256kB';
SELECT nests('s[] = sum[i,j] e[i,j]');
SELECT nests('s[] = e[i,j] * e[j,i]');
RESET work_mem;

-- what a nest reads in slices
CREATE TABLE v (v tensor(float8,1) NOT NULL);
INSERT INTO v SELECT array_agg(n % 7)::float8[]::tensor FROM generate_series(0, 1999) n;
SELECT einsum_register('v[i]', 'v', '{}', 'v', '{2000}');
SELECT count(*) > 0 AS analyzed FROM einsum_analyze('v');
SELECT nests('w[i:*] = 2 * v[i:*]; s[I] = sum[J] e[I,J] * e[J,I] * w[J]');
SELECT einsum_sql('w[i:*] = 2 * v[i:*]; s[I] = sum[J] e[I,J] * e[J,I] * w[J]') AS slices \gset
SELECT sum(value) = (SELECT sum(2 * (b.i % 7)) FROM e a JOIN e b ON b.i = a.j AND b.j = a.i) AS same FROM (:slices) r;

-- over a view that leaves rows out, whose columns are checked above it
CREATE VIEW most AS SELECT i, j FROM e WHERE i % 3 > 0;
SELECT einsum_register('most[I,J]', 'most', '{i,j}', bounds => '{2000,2000}', duplicates => 'trust');
SELECT einsum_sql('s[i] = most[i,j] * e[j,k] * most[i,k]', result => 'auto') AS view \gset
CREATE FUNCTION nodes(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found bigint := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN ' || query LOOP
		found := found + (line LIKE '%Custom Scan (AggregateJoin)%')::int;
	END LOOP;
	RETURN found;
END $$;
SELECT nodes(:'slices') AS slices, nodes(:'nest') AS nest, nodes(:'vectors') AS vectors, nodes(:'view') AS view;

SET client_min_messages = warning;
DROP SCHEMA nest_cost_test CASCADE;
