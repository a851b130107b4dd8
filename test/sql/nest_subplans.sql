-- Loop nests whose scans have subplans: keys that are looked up in a dimension, and conditions of users.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA nest_subplans;
SET search_path = nest_subplans, public, sparseeinsum_internal;
CREATE TABLE node (id text PRIMARY KEY, number int NOT NULL);
INSERT INTO node SELECT 'n' || n, n FROM generate_series(0, 29) n;
CREATE TABLE edge (i text NOT NULL, j text NOT NULL, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT 'n' || n % 30, 'n' || n * n % 29, n % 5 FROM generate_series(0, 89) n ON CONFLICT DO NOTHING;
CREATE VIEW both_ways AS SELECT i, j FROM edge UNION SELECT j, i FROM edge;
SELECT einsum_dimension('node', 'node', 'id');
SELECT einsum_register('e[I,J]', 'edge', '{i,j}', 'v', '{node,node}'), einsum_register('u[I,J]', 'both_ways', '{i,j}', NULL, '{node,node}', duplicates => 'trust');
ANALYZE;
SET max_parallel_workers_per_gather = 0;
-- the nodes of a query, and whether it returns what it does without
CREATE FUNCTION check_query(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE with_node text; without text; line text;
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'off', true);
	EXECUTE format('SELECT string_agg(q::text, %L ORDER BY q::text) FROM (%s) q', ' ', query) INTO without;
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'force', true);
	EXECUTE format('SELECT string_agg(q::text, %L ORDER BY q::text) FROM (%s) q', ' ', query) INTO with_node;
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'Operands:|Relational Plan:' THEN RETURN NEXT trim(line); END IF;
	END LOOP;
	RETURN NEXT CASE WHEN with_node = without THEN 'same: ' || left(with_node, 60) ELSE format('%s, not %s', with_node, without) END;
END $$;
-- no foreign key proves that the keys are there
SELECT check_query(einsum_sql('t[] = u[i,j]*u[j,k]*u[k,i]'));
SELECT check_query(einsum_sql('c[i] = sum[j,k] e[i,j]*e[j,k]*u[k,i]', result => 'rows'));
SELECT check_query(einsum_sql('c[i] = max[j] (e[i,j] - u[j,i])', result => 'rows'));
-- conditions of users, of one operand and with parameters of another level
SELECT check_query('SELECT a.i, tensor_sum(scalar_multiply(a.v, b.v)) FROM edge a, edge b WHERE a.j = b.i AND NOT EXISTS (SELECT FROM edge c WHERE c.i = a.i AND c.v > 4 OFFSET 0) GROUP BY a.i');
SELECT check_query('SELECT a.i, tensor_sum(scalar_multiply(a.v, coalesce(b.v, 7))) FROM edge a LEFT JOIN (SELECT i, v FROM edge b WHERE j NOT IN (SELECT j FROM edge WHERE v > 3)) b ON b.i = a.j GROUP BY a.i');
SELECT check_query('SELECT n.id, (SELECT tensor_sum(scalar_multiply(a.v, b.v)) FROM edge a, edge b WHERE a.j = b.i AND a.j NOT IN (SELECT j FROM edge WHERE edge.i = n.id)) FROM node n');
-- not what is asked of two operands, or of rows that are computed, nor what is volatile at any depth
SELECT check_query('SELECT a.i, count(*), tensor_sum(a.v) FROM edge a, edge b WHERE a.j = b.i AND NOT EXISTS (SELECT FROM edge c WHERE c.i = a.i AND c.j = b.j OFFSET 0) GROUP BY a.i');
SELECT check_query('SELECT a.i, tensor_sum(a.v) FROM edge a, edge b WHERE a.j = b.i GROUP BY a.i HAVING a.i NOT IN (SELECT i FROM edge c WHERE c.v > 3)');
SELECT check_query('SELECT tensor_sum(scalar_multiply(a.v, (SELECT max(c.v) FROM edge c WHERE c.i = a.i OFFSET 0))) FROM edge a, edge b WHERE a.j = b.i');
SELECT check_query('SELECT a.i, tensor_sum(scalar_multiply(a.v, b.v)) FROM edge a, edge b WHERE a.j = b.i AND a.j NOT IN (SELECT j FROM edge WHERE random() < 0) GROUP BY a.i');
SELECT check_query('SELECT a.i, tensor_sum(scalar_multiply(a.v, b.v)) FROM edge a, edge b WHERE a.j = b.i AND a.j NOT IN (SELECT j FROM edge WHERE v > 9 OR i NOT IN (SELECT i FROM edge WHERE random() >= 0)) GROUP BY a.i');
-- what the nest gives up after it has asked its scans, the relational plan asks again
SET work_mem = '64kB';
INSERT INTO edge SELECT 'n0', 'm' || n, 1 FROM generate_series(0, 4000) n;
INSERT INTO node SELECT 'm' || n, n + 100 FROM generate_series(0, 4000) n;
ANALYZE;
SELECT check_query('SELECT count(*), tensor_sum(s) FROM (SELECT a.i, b.j, tensor_sum(scalar_multiply(a.v, b.v)) AS s FROM edge a, edge b WHERE a.i = b.i AND a.j NOT IN (SELECT j FROM edge WHERE v > 4) AND b.j < ''m11'' GROUP BY a.i, b.j) q');
RESET work_mem;
-- a key that is not there
INSERT INTO edge VALUES ('n1', 'x', 1);
SET sparseeinsum.enable_aggregate_join = force;
SELECT einsum_value('t[] = e[i,j]*e[j,k]*e[k,i]');
SELECT einsum_value('t[] = u[i,j]*u[j,k]*u[k,i]');
DROP SCHEMA nest_subplans CASCADE;
