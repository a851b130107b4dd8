-- Stages that several others read are CTEs, whose rows all processes of a parallel query read from a file
CREATE SCHEMA shared_rows_test;
SET search_path = shared_rows_test, public, sparseeinsum_internal;
\i test/sql/include/parallel_nests.sql
SET max_parallel_workers_per_gather = 2;

CREATE TABLE fact (i int, j int, v float8, x tensor NOT NULL);
INSERT INTO fact SELECT n * 7 % 2003, n % 301, n % 5 + 1, ('[' || n % 7 || ',' || n % 3 || ']')::tensor FROM generate_series(0, 9999) n;
CREATE TABLE factor (j int, w float8);
INSERT INTO factor SELECT j, j % 9 FROM generate_series(0, 300) j;
CREATE TABLE one (m tensor);
INSERT INTO one VALUES ('[[1,2],[3,4]]');
ALTER TABLE factor SET (autovacuum_enabled = off);
ANALYZE fact, factor, one;

-- the names of the nodes of a plan, each below its parent
CREATE FUNCTION nodes(plan json, depth int DEFAULT 0) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT repeat('  ', depth) || COALESCE(split_part(plan->>'Subplan Name', ' (', 1) || ': ', '') || COALESCE(plan->>'Custom Plan Provider', plan->>'Node Type');
	RETURN QUERY SELECT nodes(value, depth + 1) FROM json_array_elements(plan->'Plans');
END $$;
CREATE FUNCTION plan_nodes(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN QUERY SELECT nodes(plan->0->'Plan');
END $$;
-- a level of groups below another one reads the CTE, too, and all is below one Gather; the CTE has its own
\set levels 'WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT g.j, tensor_sum(scalar_multiply(g.s, COALESCE(d.w, 2))) FROM (SELECT f.j, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f JOIN c ON f.j = c.j GROUP BY f.j) g LEFT JOIN c d ON g.j = d.j GROUP BY g.j'
SELECT plan_nodes(:'levels');
-- the path that is shared does not cost less than the CTE Scan that it reads, also of no rows, and so outlives it
SELECT plan_nodes('WITH c AS MATERIALIZED (SELECT x, j FROM fact WHERE false) SELECT c.j, u.index, u.value FROM c, LATERAL einsum_unstack(c.x, 0, 0) u');
WITH c AS MATERIALIZED (SELECT x, j FROM fact WHERE false) SELECT c.j, u.index, u.value FROM c, LATERAL einsum_unstack(c.x, 0, 0) u;
-- not in a plan without workers
SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM plan_nodes(:'levels') n WHERE n LIKE '%SharedRows%';
RESET max_parallel_workers_per_gather;
-- a hash join that computes for each row
SET sparseeinsum.enable_aggregate_join = on;
SELECT count(*) FROM plan_nodes('WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT sum(tensor_reduce(''sum'', vec_sca_mult(f.x, c.w))::float8) FROM fact f, c WHERE f.j = c.j') n WHERE n LIKE '%SharedRows%';
SET sparseeinsum.enable_aggregate_join = force;

CREATE FUNCTION compare_shared() RETURNS TABLE (number int, ran text, rows bigint, wrong bigint, files bigint) LANGUAGE sql AS $$
	SELECT n, c.* FROM (VALUES
		(1, 'WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT g.j, tensor_sum(scalar_multiply(g.s, COALESCE(d.w, 2))) FROM (SELECT f.j, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f JOIN c ON f.j = c.j GROUP BY f.j) g LEFT JOIN c d ON g.j = d.j GROUP BY g.j'),
		-- readers with conditions of their own, and other columns
		(2, 'WITH c AS MATERIALIZED (SELECT j, j AS k, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT g.j, tensor_sum(scalar_multiply(g.s, d.w)) FROM (SELECT f.j, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f, c WHERE f.j = c.k AND c.w > 3 GROUP BY f.j) g, c d WHERE g.j = d.j AND d.w < 7 GROUP BY g.j'),
		-- a CTE of a CTE; no rows
		(3, 'WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j), d AS MATERIALIZED (SELECT f.j, tensor_sum(scalar_multiply(f.v, c.w)) AS w FROM fact f, c WHERE f.j = c.j GROUP BY f.j) SELECT f.i, tensor_sum(scalar_multiply(d.w, c.w)) FROM fact f, c, d WHERE f.j = c.j AND f.j = d.j GROUP BY f.i'),
		(4, 'WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor WHERE j > 400 GROUP BY j) SELECT f.i, tensor_sum(scalar_multiply(f.v, COALESCE(c.w, 3))) FROM fact f LEFT JOIN c ON f.j = c.j GROUP BY f.i'),
		-- tensors; one row
		(5, 'WITH c AS MATERIALIZED (SELECT i, einsum_sum(''a->a'', x) AS x FROM fact GROUP BY i) SELECT f.j, einsum_sum('',a->a'', f.v, c.x) FROM fact f, c WHERE f.i = c.i GROUP BY f.j'),
		(6, 'WITH m AS MATERIALIZED (SELECT einsum(''ab,bc->ac'', m, m) AS m FROM one) SELECT f.i, einsum_sum(''ab,b->a'', m.m, f.x) FROM fact f, m GROUP BY f.i'),
		-- irregular: any process runs the relational plan
		(7, 'WITH c AS MATERIALIZED (SELECT j, NULLIF(tensor_sum(w), 3) AS w, tensor_max(w) AS m FROM factor GROUP BY j) SELECT g.j, tensor_sum(scalar_multiply(g.s, d.m)) FROM (SELECT f.j, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f JOIN c ON f.j = c.j GROUP BY f.j) g JOIN c d ON g.j = d.j GROUP BY g.j'),
		-- the CTE before a level that shares its operands
		(8, 'WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT d.w, tensor_sum(scalar_multiply(g.s, d.w)) FROM c d, (SELECT f.j, tensor_sum(f.v) AS s FROM fact f GROUP BY f.j) g WHERE g.j = d.j GROUP BY d.w'),
		-- aggregates of others above
		(9, 'WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f, c WHERE f.j = c.j GROUP BY f.i OFFSET 0) g')
	) q (n, query), LATERAL compare(q.query, same_data => true) c ORDER BY n
$$;
SET max_parallel_workers_per_gather = 2;
SELECT * FROM compare_shared();
SET work_mem = '128kB';
SELECT * FROM compare_shared() WHERE wrong > 0 OR files > 0;
RESET work_mem;
-- workers alone, and the leader alone
SET parallel_leader_participation = off;
SELECT * FROM compare_shared() WHERE wrong > 0 OR files > 0;
RESET parallel_leader_participation;
SET max_parallel_workers = 0;
SELECT * FROM compare_shared() WHERE wrong > 0 OR files > 0;
RESET max_parallel_workers;
SET sparseeinsum.enable_aggregate_join = off;
SET parallel_leader_participation = off;
SELECT * FROM compare_shared() WHERE wrong > 0 OR files > 0;
RESET parallel_leader_participation;
SET sparseeinsum.enable_aggregate_join = force;

-- run again; a CTE that depends on a parameter has no workers
SET enable_material = off;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT g.j, tensor_sum(scalar_multiply(g.s, d.w)) AS s FROM (SELECT f.j, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f JOIN c ON f.j = c.j GROUP BY f.j) g JOIN c d ON g.j = d.j GROUP BY g.j) a ON a.s > o.n;
SELECT o.n, g.* FROM generate_series(1, 3) o (n), LATERAL (WITH c AS MATERIALIZED (SELECT j, tensor_sum(w + o.n) AS w FROM factor GROUP BY j) SELECT count(*), sum(s) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f, c WHERE f.j = c.j GROUP BY f.i OFFSET 0) a) g;
RESET enable_material;
-- not all rows are asked for; an error in the CTE; cancelled while workers read
SELECT count(*) FROM (WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j GROUP BY f.i LIMIT 10) s;
SELECT * FROM fails('WITH c AS MATERIALIZED (SELECT j, tensor_sum(1 / (j - 300)) AS w FROM factor GROUP BY j) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j GROUP BY f.i');
CREATE FUNCTION waits(i int) RETURNS bool LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$ BEGIN PERFORM pg_sleep(60); RETURN true; END $$;
\set VERBOSITY terse
SET statement_timeout = '500ms' \; SELECT count(*) FROM (WITH c AS MATERIALIZED (SELECT j, tensor_sum(w) AS w FROM factor GROUP BY j) SELECT f.i, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.j = c.j AND waits(f.i) GROUP BY f.i) s;
\set VERBOSITY default
SELECT count(*) FROM pg_ls_dir('base/pgsql_tmp', true, false);

-- a stage that is one row and reads one row of each table is a join: its reader has partial paths, also before PostgreSQL 17
SET sparseeinsum.enable_batching = on;
CREATE TABLE node (i int PRIMARY KEY, x tensor NOT NULL);
INSERT INTO node SELECT i, ('[' || i % 7 || ',' || i % 3 || ']')::tensor FROM generate_series(0, 2002) i;
CREATE TABLE other (m tensor);
INSERT INTO other VALUES ('[[1,0],[2,1]]');
SELECT einsum_register('x[I,k]', 'node', '{i}', 'x', '{2003,2}'), einsum_register('m[k,l]', 'one', '{}', 'm', '{2,2}'), einsum_register('o[k,l]', 'other', '{}', 'm', '{2,2}');
CREATE TABLE edge (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO edge SELECT n * 7 % 2003, n % 301, n % 5 + 1 FROM generate_series(0, 9999) n;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', 'v', '{2003,2003}');
ANALYZE node, other, edge;
SELECT einsum_sql('w[k,l] = m[k,n] * o[n,l]; s[] = sum[k,l] w[k,l]', rewrite => 'none');
\set program 'w[k,l] = m[k,n] * o[n,l]; h[i,l] = x[i,k] * w[k,l]; y[I,l] = a[i,j] * h[j,l]'
SELECT * FROM compare(einsum_sql(:'program', rewrite => 'none'));
-- no row is the fill, and two rows are an error, also in a stage of many rows
INSERT INTO other VALUES ('[[1,0],[2,1]]');
SELECT * FROM fails(einsum_sql('t[k,l] = m[k,n] * o[n,l]'));
SELECT * FROM fails(einsum_sql('y[I,l] = x[i,k] * o[k,l]'));
DELETE FROM other;
SELECT einsum_value('t[k,l] = m[k,n] * o[n,l]'), einsum_value('t[k,l] = exp(m[k,l] * o[k,l])');
SET client_min_messages = warning;
DROP SCHEMA shared_rows_test CASCADE;
