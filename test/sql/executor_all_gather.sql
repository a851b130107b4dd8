-- Rows that each process needs in full: of parts that the processes compute, of CTEs that the leader runs.
SET sparseeinsum.enable_batching = force;
SET sparseeinsum.enable_partitioning = force;
SET sparseeinsum.enable_aggregate_join = off;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;

\i test/sql/include/rows_and_plans.sql
CREATE TABLE edge AS SELECT CASE WHEN r % 31 <> 3 THEN (r * 7919 % 211)::int END AS i, (r * 104729 % 131)::int8 AS j,
	(r * 31 % 17)::int2 AS k, CASE WHEN r % 13 <> 5 THEN 'key ' || r * 613 % 37 END AS t, (r % 11 - 5)::float8 AS value
	FROM generate_series(1, 3000) r;
CREATE TABLE node AS SELECT i, vector(i, 8) AS value, CASE WHEN i % 9 <> 4 THEN vector(i, 300) END AS wide FROM generate_series(0, 120) i;
CREATE TABLE w AS SELECT tensor_reshape(vector(3, 400), ARRAY[8, 50]) AS value;
CREATE TABLE none (i int, j int8, value tensor);
ALTER TABLE w SET (parallel_workers = 0);
ANALYZE edge; ANALYZE node; ANALYZE w; ANALYZE none;
-- vectors of 50 that a batch computes
CREATE VIEW x AS SELECT i, einsum_once(value) AS value FROM (
	SELECT i, einsum('k,km->m', value, (SELECT value FROM w)) AS value FROM node) y;

-- Plans: what is joined is computed in parts; so is what is computed of that
CREATE VIEW one AS SELECT e.i, einsum_sum(',a->a', e.value, x.value) AS value FROM edge e JOIN x ON e.j = x.i GROUP BY e.i;
CREATE VIEW two AS SELECT e.i, einsum_sum(',a->a', e.value, y.value) AS value FROM edge e JOIN one y ON e.j = y.i GROUP BY e.i;
EXPLAIN (COSTS OFF) SELECT * FROM two;
-- a CTE is the leader's, wherever it is referred to
CREATE VIEW degrees AS WITH d AS MATERIALIZED (SELECT i, einsum_sum_scalar(',->', value, value) AS value FROM edge GROUP BY i)
	SELECT y.i, vec_sca_mult(y.value, d.value) AS value
	FROM (SELECT e.i, einsum_sum(',a->a', scalar_multiply(e.value, d.value), x.value) AS value
		FROM edge e JOIN x ON e.j = x.i LEFT JOIN d ON d.i = x.i GROUP BY e.i) y LEFT JOIN d ON d.i = y.i;
EXPLAIN (COSTS OFF) SELECT * FROM degrees;
-- also where it is asked first whether an operand of one row is there
CREATE VIEW asked AS WITH d AS MATERIALIZED (SELECT i, einsum_sum_scalar(',->', value, value) AS value FROM edge GROUP BY i)
	SELECT e.i, einsum_sum(',a->a', e.value, y.value) AS value FROM edge e JOIN (
		SELECT n.i, einsum_once(vec_sca_mult(einsum('k,km->m', n.value, (SELECT value FROM w)), d.value)) AS value
		FROM node n LEFT JOIN d ON d.i = n.i WHERE (SELECT value FROM w) IS NOT NULL) y ON e.j = y.i GROUP BY e.i;
EXPLAIN (COSTS OFF) SELECT * FROM asked;

-- Results: the same as one process finds, by one to three of them, and whether the node is in the plans
CREATE FUNCTION nodes(query text) RETURNS int LANGUAGE sql AS $$
	SELECT count(*)::int FROM plan_of(query) line WHERE line LIKE '%AllGather%' $$;
CREATE FUNCTION same(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	mode text;
	n int := 0;
	rows int8;
	differences int8[];
BEGIN
	query := as_text(query);
	PERFORM set_config('sparseeinsum.enable_partitioning', 'off', true);
	PERFORM set_config('sparseeinsum.enable_batching', 'off', true);
	PERFORM set_config('max_parallel_workers_per_gather', '0', true);
	rows := keep_rows('serial', query);
	FOREACH mode IN ARRAY ARRAY['1 on force', '2 on force', '3 on on', '2 off force', '2 on on'] LOOP
		PERFORM set_config('max_parallel_workers_per_gather', split_part(mode, ' ', 1), true);
		PERFORM set_config('parallel_leader_participation', split_part(mode, ' ', 2), true);
		PERFORM set_config('sparseeinsum.enable_partitioning', split_part(mode, ' ', 3), true);
		PERFORM set_config('sparseeinsum.enable_batching', 'force', true);
		n := greatest(n, nodes(query));
		PERFORM keep_rows('parallel', query);
		differences := differences || different_rows('serial', 'parallel');
	END LOOP;
	DROP TABLE serial;
	PERFORM set_config('max_parallel_workers_per_gather', '2', true);
	PERFORM set_config('parallel_leader_participation', 'on', true);
	PERFORM set_config('sparseeinsum.enable_partitioning', 'force', true);
	RETURN format('%s rows, %s different, %s nodes', rows, differences, n);
END $$;

SELECT same('SELECT * FROM one');
SELECT same('SELECT * FROM two');
SELECT same('SELECT * FROM degrees');
SELECT same('SELECT einsum_sum_scalar(''a->'', value), count(*) FROM two');
SELECT same('SELECT * FROM asked');
BEGIN;
DELETE FROM w;
SELECT same('SELECT * FROM asked');
ROLLBACK;
-- stored vectors, in the row and out of line, and NULLs; the same side twice
SELECT same('SELECT e.i, einsum_sum('',a->a'', e.value, n.value), count(n.wide) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i');
SELECT same('SELECT e.i, einsum_sum('',a->a'', e.value, n.wide), max(n.wide::text) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(x.value), tensor_max(y.value), min(x.value::text) FROM edge e JOIN x ON e.j = x.i JOIN x y ON e.k = y.i GROUP BY e.i');
SELECT same('SELECT e.t, tensor_sum(y.value) FROM edge e JOIN (SELECT n.i, tensor_sum(x.value) AS value FROM node n JOIN x ON n.i / 3 = x.i GROUP BY n.i) y ON e.k = y.i GROUP BY e.t');

-- Stored vectors are fetched by one process for all, if kernels are all that reads them: those that follow one another
-- together, others alone, as many as there is memory for
CREATE FUNCTION fetched(query text) RETURNS int8 LANGUAGE sql AS $$
	SELECT coalesce(sum(substring(line from 'Values Fetched: (\d+)')::int8), 0)::int8 FROM executed_plan_of(query) line $$;
CREATE VIEW stored AS SELECT e.i, einsum_sum(',a->a', e.value, n.wide) AS value, count(*) AS n FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i;
SELECT fetched('SELECT * FROM stored'), (SELECT count(wide) FROM node) AS stored;
SELECT same('SELECT * FROM stored');
SELECT fetched('SELECT e.i, einsum_sum('',a->a'', e.value, n.wide), max(n.wide::text) FROM edge e JOIN node n ON e.j = n.i GROUP BY e.i') AS escaping;
SET sparseeinsum.cache_size = '100kB';
SELECT fetched('SELECT * FROM stored') BETWEEN 1 AND 60 AS some;
SELECT same('SELECT * FROM stored');
SELECT same('SELECT * FROM two');
SET sparseeinsum.cache_size = 0;
SELECT fetched('SELECT * FROM stored') AS none;
SELECT same('SELECT * FROM stored');
SELECT same('SELECT * FROM two');
RESET sparseeinsum.cache_size;
CREATE TABLE moved AS SELECT * FROM node;
UPDATE moved SET wide = vector(i + 1, 301) WHERE i IN (3, 50, 51, 90);
UPDATE moved SET wide = vector(i, 300 + i % 2) WHERE i > 100;
DELETE FROM moved WHERE i = 119;
ANALYZE moved;
SELECT fetched('SELECT e.i, n.i, einsum_sum(''a->'', n.wide) FROM edge e JOIN moved n ON e.j = n.i GROUP BY e.i, n.i') AS fetched, (SELECT count(wide) FROM moved) AS stored;
SELECT same('SELECT e.i, n.i AS j, einsum_sum(''a->'', n.wide) FROM edge e JOIN moved n ON e.j = n.i GROUP BY e.i, n.i');
DROP TABLE moved;
-- compressed, of more than 256 kB, and several in a row
CREATE TABLE odd AS SELECT i, vector(i, 300) AS a, vector(i + 1, CASE i WHEN 5 THEN 40000 ELSE 300 END) AS b, vector(i, 400) AS c FROM generate_series(0, 30) i LIMIT 0;
ALTER TABLE odd ALTER a SET STORAGE main, ALTER b SET STORAGE external, ALTER c SET STORAGE extended;
INSERT INTO odd SELECT i, vector(i, 300), vector(i + 1, CASE i WHEN 5 THEN 40000 ELSE 300 END), vector(i, 400) FROM generate_series(0, 30) i;
ANALYZE odd;
SELECT fetched('SELECT e.i, o.i, einsum_sum(''a->'', o.a), einsum_sum(''a->'', o.b), einsum_sum(''a->'', o.c) FROM edge e JOIN odd o ON e.k = o.i GROUP BY e.i, o.i') AS fetched;
SELECT same('SELECT e.i, o.i AS j, einsum_sum(''a->'', o.a), einsum_sum(''a->'', o.b), einsum_sum(''a->'', o.c) FROM edge e JOIN odd o ON e.k = o.i GROUP BY e.i, o.i');
DROP TABLE odd;
-- joins of all kinds
SELECT same('SELECT e.i, tensor_sum(x.value), count(*) FROM edge e LEFT JOIN x ON e.i = x.i GROUP BY e.i');
SELECT same('SELECT e.i, einsum_sum('',->'', value, value) FROM edge e WHERE EXISTS (SELECT FROM x WHERE e.j = x.i + 100) GROUP BY e.i');
SELECT same('SELECT e.i, einsum_sum('',->'', value, value) FROM edge e WHERE NOT EXISTS (SELECT FROM x WHERE e.j = x.i + 100) GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(x.value), count(*) FROM edge e JOIN x ON e.i + e.j = 2 * x.i AND e.k < x.i GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(vector(e.j, 8)) FROM edge e WHERE e.i IN (SELECT (e.k + n.i) FROM node n JOIN edge e ON n.i = e.j) GROUP BY e.i');
SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT same('SELECT e.i, tensor_sum(x.value) FROM edge e JOIN x ON e.j = x.i WHERE e.k > 13 GROUP BY e.i');
SELECT same('SELECT e.i, einsum_sum('',->'', e.value, y.value) FROM edge e JOIN (SELECT i, einsum_sum_scalar('',->'', value, value) AS value FROM edge GROUP BY i) y ON e.i < y.i WHERE e.k = 13 GROUP BY e.i');
SET enable_material = off;
EXPLAIN (COSTS OFF) SELECT e.i, tensor_sum(x.value) FROM edge e JOIN x ON e.j = x.i WHERE e.k > 13 GROUP BY e.i;
EXPLAIN (COSTS OFF) SELECT e.i, einsum_sum(',->', e.value, y.value) FROM edge e JOIN (SELECT i, einsum_sum_scalar(',->', value, value) AS value FROM edge GROUP BY i) y ON e.i < y.i WHERE e.k = 13 GROUP BY e.i;
SELECT same('SELECT e.i, tensor_sum(x.value) FROM edge e JOIN x ON e.j = x.i WHERE e.k > 13 GROUP BY e.i');
RESET enable_material; RESET enable_hashjoin;
SET enable_hashjoin = off; SET enable_nestloop = off; RESET enable_mergejoin;
SELECT same('SELECT * FROM degrees');
RESET enable_hashjoin; RESET enable_nestloop;
-- no rows, on either side
SELECT same('SELECT e.i, tensor_sum(n.value) FROM edge e JOIN none n ON e.j = n.j GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(x.value) FROM none e JOIN x ON e.j = x.i GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT * FROM none) SELECT e.i, tensor_sum(d.value), count(*) FROM edge e LEFT JOIN d ON e.j = d.j GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(x.value) FROM edge e JOIN x ON e.j = x.i WHERE x.i < 0 GROUP BY e.i');

-- CTEs: of vectors, of rows of several types, that read another, within subqueries
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x) SELECT e.i, tensor_sum(a.value), tensor_max(b.value) FROM edge e JOIN d a ON e.j = a.i JOIN d b ON e.k = b.i GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, wide FROM node) SELECT e.i, tensor_sum(a.wide), max(b.wide::text) FROM edge e JOIN d a ON e.j = a.i JOIN d b ON e.k = b.i GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, t, (i, t) AS pair, ARRAY[i, k] AS keys, NULL::text AS nothing, value FROM edge)
	SELECT a.t, b.pair, a.keys, count(a.nothing), einsum_sum('',->'', a.value, b.value) FROM d a JOIN d b ON a.i = b.i WHERE a.i < 20 GROUP BY 1, 2, 3');
SELECT same('WITH d AS MATERIALIZED (SELECT * FROM one), f AS MATERIALIZED (SELECT e.i, tensor_sum(d.value) AS value FROM edge e JOIN d ON e.j = d.i GROUP BY e.i)
	SELECT e.i, tensor_sum(f.value), tensor_sum(d.value) FROM edge e LEFT JOIN f ON f.i = e.j LEFT JOIN d ON d.i = e.k GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(y.value) FROM edge e JOIN (WITH d AS MATERIALIZED (SELECT * FROM one) SELECT a.i, tensor_max(b.value) AS value FROM d a JOIN d b ON a.i = b.i + 1 GROUP BY a.i) y ON y.i = e.j GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x UNION ALL SELECT i, value FROM one) SELECT e.i, tensor_sum(d.value) FROM edge e JOIN d ON e.j = d.i WHERE d.i % 3 > 0 GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM one ORDER BY i LIMIT 50) SELECT e.i, tensor_sum(d.value) FROM edge e JOIN d ON e.j = d.i GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM one) SELECT e.i, tensor_sum(y.value) FROM edge e JOIN (SELECT * FROM d WHERE i < 40 UNION ALL SELECT * FROM d WHERE i > 50 UNION ALL SELECT i, value FROM x) y ON e.j = y.i GROUP BY e.i');
SELECT same('WITH RECURSIVE d(i, v) AS (SELECT 1, vector(1, 8) UNION ALL SELECT i + 1, vector(i, 8) FROM d WHERE i < 50) SELECT e.i, tensor_sum(d.v) FROM edge e JOIN d ON e.j = d.i GROUP BY e.i');
-- under conditions without columns, with the CTE on either side, and where the rows are grouped or joined above
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x) SELECT e.i, tensor_sum(d.value), count(*) FROM edge e JOIN d ON e.j = d.i WHERE (SELECT value FROM w) IS NOT NULL GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x) SELECT e.i, tensor_sum(d.value), count(*) FROM d RIGHT JOIN edge e ON e.j = d.i WHERE (SELECT value FROM w) IS NOT NULL GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x) SELECT e.i, tensor_sum(d.value), count(*) FROM edge e LEFT JOIN d ON e.j = d.i AND (SELECT value FROM w) IS NULL GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x) SELECT d.i, tensor_sum(d.value), count(e.i) FROM d LEFT JOIN edge e ON e.j = d.i WHERE (SELECT value FROM w) IS NOT NULL GROUP BY d.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x) SELECT e.i, tensor_sum(y.value) FROM edge e JOIN (
	SELECT n.i, einsum_once(tensor_add(d.value, d.value)) AS value FROM node n JOIN d ON d.i + 1 = n.i WHERE (SELECT tensor_rank(value) FROM w) = 2 AND d.i % 2 = 0) y ON e.j = y.i GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x), f AS MATERIALIZED (SELECT i, value FROM one)
	SELECT e.i, tensor_sum(d.value), tensor_max(f.value) FROM edge e LEFT JOIN d ON e.j = d.i LEFT JOIN f ON e.k = f.i WHERE (SELECT value FROM w) IS NOT NULL GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x), f AS MATERIALIZED (SELECT i, value FROM one)
	SELECT e.i, tensor_sum(d.value) FROM edge e JOIN (SELECT d.i, einsum_once(d.value) AS value FROM d JOIN f ON d.i = f.i WHERE (SELECT value FROM w) IS NOT NULL) d ON e.j = d.i GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, einsum_sum_scalar('',->'', value, value) AS value FROM edge WHERE i % 3 > 0 GROUP BY i)
	SELECT e.i, einsum_sum('',a->a'', e.value, y.value) AS value, count(*) FROM edge e JOIN (
		SELECT n.i, einsum_once(vec_sca_mult(n.value, coalesce(d.value, 1))) AS value
		FROM node n LEFT JOIN d ON d.i = n.i WHERE (SELECT value FROM w) IS NOT NULL) y ON e.j = y.i GROUP BY e.i');
-- also without a subquery; not joined again with rows that were made unique, nor without conditions that are checked below the join
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM x) SELECT e.i, tensor_sum(y.value) FROM edge e JOIN (
	SELECT n.i, einsum_once(tensor_add(d.value, d.value)) AS value FROM node n JOIN d ON d.i = n.i WHERE now() > ''2000-01-01'') y ON e.j = y.i GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, value FROM node) SELECT e.i, tensor_sum(y.value), count(*) FROM edge e JOIN (
	SELECT d.i, einsum_once(tensor_add(d.value, d.value)) AS value FROM d WHERE d.i IN (SELECT i FROM edge) AND (SELECT value FROM w) IS NOT NULL) y ON e.j = y.i GROUP BY e.i');
CREATE TABLE big AS SELECT r AS i, r % 7 AS k, (r % 5)::float8 AS value FROM generate_series(1, 20000) r;
CREATE TABLE b AS SELECT r AS i FROM generate_series(1, 10) r;
CREATE TABLE g AS SELECT r AS i, r % 3 AS c FROM generate_series(1, 8) r;
CREATE TABLE f AS SELECT 1 + r % 10 AS i, r / 10 AS k FROM generate_series(0, 19999) r;
CREATE INDEX ON f (i, k);
VACUUM ANALYZE b; VACUUM ANALYZE g; VACUUM ANALYZE f; ANALYZE big;
SET min_parallel_index_scan_size = 0; SET join_collapse_limit = 1; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SELECT same('WITH d AS MATERIALIZED (SELECT i, i % 3 AS c, value FROM node WHERE i BETWEEN 1 AND 4)
	SELECT e.k, tensor_sum(y.value), count(*) AS n FROM big e JOIN (SELECT d.i, einsum_once(tensor_add(d.value, d.value)) AS value
		FROM d JOIN ((b LEFT JOIN g ON g.i = b.i) JOIN f ON f.i = b.i) ON f.k = d.i AND coalesce(g.c, 0) = d.c WHERE (SELECT value FROM w) IS NOT NULL) y ON e.k = y.i GROUP BY e.k');
RESET min_parallel_index_scan_size; RESET join_collapse_limit; RESET parallel_setup_cost; RESET parallel_tuple_cost;
DROP TABLE big, b, g, f;
-- not recursive ones, which may only end because nobody reads on, nor those that change with each run
SET statement_timeout = '30s';
SELECT same('WITH RECURSIVE d(i, v) AS (SELECT 1, vector(1, 8) UNION ALL SELECT i + 1, vector(1, 8) FROM d) SELECT e.i, tensor_sum(d.v) FROM edge e JOIN d ON e.j = d.i WHERE now() < ''2000-01-01'' GROUP BY e.i');
RESET statement_timeout;
SELECT nodes('WITH d AS MATERIALIZED (SELECT i, value FROM x WHERE random() < 0.5) SELECT e.i, tensor_sum(d.value) FROM edge e JOIN d ON e.j = d.i GROUP BY e.i') AS volatile;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SELECT nodes('WITH d AS MATERIALIZED (SELECT i, value FROM node WHERE i < 50) SELECT e.i, tensor_add(d.value, d.value) FROM edge e JOIN d ON e.j = d.i') AS joined,
	nodes('WITH d AS MATERIALIZED (SELECT i, value FROM node WHERE random() < 0.5) SELECT e.i, tensor_add(d.value, d.value) FROM edge e JOIN d ON e.j = d.i') AS volatile;
SELECT same('WITH d AS MATERIALIZED (SELECT i, wide FROM node WHERE i < 50) SELECT e.i, e.k, tensor_add(d.wide, d.wide) FROM edge e LEFT JOIN d ON e.j = d.i');
RESET parallel_setup_cost; RESET parallel_tuple_cost;
WITH d AS MATERIALIZED (SELECT i, value FROM x), changed AS (INSERT INTO none SELECT i, 1, value FROM d WHERE i < 5 RETURNING i)
	SELECT count(*), (SELECT count(*) FROM changed) FROM (SELECT e.i, tensor_sum(d.value) FROM edge e JOIN d ON e.j = d.i GROUP BY e.i) y;
TRUNCATE none;
-- nor without workers, or where nothing of ours is computed
SET max_parallel_workers_per_gather = 0;
SELECT nodes('SELECT * FROM degrees') AS serial;
SET max_parallel_workers_per_gather = 2;
SELECT nodes('WITH d AS MATERIALIZED (SELECT i FROM edge) SELECT e.i, count(*) FROM edge e JOIN d ON e.j = d.i GROUP BY e.i') AS other;
SET sparseeinsum.enable_partitioning = off;
SELECT nodes('SELECT * FROM degrees') AS off;
SET sparseeinsum.enable_partitioning = force;

-- More rows than there is memory for
SET work_mem = '64kB'; SET hash_mem_multiplier = 1;
SELECT fetched('SELECT * FROM stored') BETWEEN 1 AND 90 AS some;
-- and some that are read ahead go to files
CREATE TABLE many (i int, a tensor, b tensor) WITH (parallel_workers = 3, toast_tuple_target = 128);
ALTER TABLE many ALTER a SET STORAGE external, ALTER b SET STORAGE plain;
INSERT INTO many SELECT i, vector(i, 40), vector(i + 1, 260) FROM generate_series(0, 400) i;
ANALYZE many;
SELECT fetched('SELECT e.i, tensor_sum(s.a), max(s.b::text) FROM edge e JOIN many s ON e.j = s.i GROUP BY e.i') > 100 AS fetched;
SELECT same('SELECT e.i, tensor_sum(s.a), tensor_min(s.b) FROM edge e JOIN many s ON e.j = s.i GROUP BY e.i');
SELECT same('SELECT e.i, tensor_sum(s.a), max(s.b::text) FROM edge e JOIN many s ON e.j = s.i GROUP BY e.i');
DROP TABLE many;
SELECT same('SELECT * FROM one');
SELECT same('SELECT * FROM two');
SELECT same('SELECT * FROM degrees');
SELECT same('WITH d AS MATERIALIZED (SELECT i, tensor_map(''$1 + $2'', ''a,->a'', wide, 1) AS wide FROM node) SELECT e.i, tensor_sum(a.wide), max(b.wide::text) FROM edge e JOIN d a ON e.j = a.i JOIN d b ON e.k = b.i GROUP BY e.i');
SELECT same('WITH d AS MATERIALIZED (SELECT i, tensor_map(''$1 + $2'', ''a,->a'', wide, 1) AS wide FROM node) SELECT e.i, einsum_sum('',->'', e.value, e.value), max(b.wide::text) FROM edge e JOIN d b ON e.j = b.i GROUP BY e.i');
SELECT same('SELECT e.i, einsum_sum('',->'', e.value, e.value), max(n.value::text || n.wide::text) FROM edge e JOIN (SELECT i, value, tensor_add(wide, wide) AS wide FROM node) n ON e.j = n.i GROUP BY e.i');
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
SELECT same('SELECT e.i, tensor_sum(x.value) FROM edge e JOIN x ON e.j = x.i WHERE e.k > 13 GROUP BY e.i');
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material;
-- one that is larger than all of it
SELECT same('WITH d AS MATERIALIZED (SELECT i, vector(i, 20000) AS value FROM generate_series(1, 3) i) SELECT e.i, tensor_sum(d.value) FROM edge e JOIN d ON e.j = d.i GROUP BY e.i');
RESET work_mem; RESET hash_mem_multiplier;

-- Begun again: the rows gathered before, and with other parameters
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
SELECT same('SELECT n.i, p.i, p.value FROM node n LEFT JOIN two p ON n.i + p.i = 200 OR tensor_rank(p.value) = 0 WHERE n.i < 20');
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material;
SELECT same('SELECT n.i, p.* FROM (SELECT * FROM node WHERE i < 20) n, LATERAL (SELECT p.i, p.value FROM two p ORDER BY abs(p.i - n.i), p.i LIMIT 2) p');
SELECT same('SELECT n.i, p.* FROM (SELECT * FROM node WHERE i < 20) n, LATERAL (
	WITH d AS MATERIALIZED (SELECT i, value FROM x WHERE i % 20 <> n.i) SELECT e.i, tensor_sum(d.value) AS s FROM edge e JOIN d ON e.j = d.i GROUP BY e.i ORDER BY e.i LIMIT 3) p');
SELECT same('SELECT n.i, (SELECT einsum_sum_scalar(''a->'', value) FROM degrees p WHERE p.i > n.i) FROM node n WHERE n.i < 20');
SELECT same('SELECT l, (WITH d AS MATERIALIZED (SELECT i, value FROM x WHERE i < l * 30) SELECT tensor_sum(y.value) FROM (SELECT e.i, tensor_sum(d.value) AS value FROM edge e JOIN d ON e.j = d.i GROUP BY e.i) y) FROM generate_series(1, 3) l');
-- rows of a CTE that another reader has had of other parameters
CREATE TABLE small AS SELECT r % 10 AS g, r % 5 AS j FROM generate_series(1, 1000) r;
ANALYZE small;
SELECT same('SELECT l, (WITH d AS MATERIALIZED (SELECT j, tensor_sum(vector(j, 2)) AS v FROM small WHERE j < l GROUP BY j)
	SELECT CASE WHEN l = 1 THEN (SELECT count(*) FROM d) ELSE (SELECT sum(n) FROM (
		SELECT s.g, count(d.j) AS n, tensor_sum(d.v) AS v FROM small s JOIN d ON s.j = d.j GROUP BY s.g) y WHERE tensor_rank(v) = 1) END) FROM generate_series(1, 3) l');
-- what is kept for the rows of an outer side still is
ALTER TABLE node SET (parallel_workers = 0);
SET sparseeinsum.enable_partitioning = on;
EXPLAIN (COSTS OFF) SELECT e.i, tensor_sum(y.value) FROM edge e JOIN (
	SELECT a.i, einsum('k,k->k', a.value, b.value) AS value FROM node a JOIN node b ON a.i = b.i) y ON e.k + y.i < 2 GROUP BY e.i;
SET sparseeinsum.enable_partitioning = force;
ALTER TABLE node RESET (parallel_workers);
-- no workers, and fewer than planned
PREPARE sums(int) AS WITH d AS MATERIALIZED (SELECT i, value FROM x WHERE i > $1)
	SELECT count(*), einsum_sum_scalar('a->', value) FROM (SELECT e.i, einsum_sum(',a->a', e.value, d.value) AS value FROM edge e JOIN d ON e.j = d.i JOIN x ON e.j = x.i GROUP BY e.i) y;
SET plan_cache_mode = force_generic_plan;
EXECUTE sums(3);
SET max_parallel_workers = 0;
EXECUTE sums(3);
EXECUTE sums(100);
SET parallel_leader_participation = off;
EXECUTE sums(3);
RESET parallel_leader_participation;
SET max_parallel_workers_per_gather = 4;
SET max_parallel_workers = 1;
EXECUTE sums(3);
EXECUTE sums(1000);
RESET max_parallel_workers;
SET max_parallel_workers_per_gather = 2;
RESET plan_cache_mode;
-- readers that stop; a cursor is read without workers
SELECT count(*) FROM (SELECT * FROM two LIMIT 5) y;
SELECT count(*) FROM (SELECT * FROM degrees LIMIT 5) y;
BEGIN;
DECLARE some_rows CURSOR FOR SELECT * FROM degrees;
MOVE 5 FROM some_rows;
MOVE ALL FROM some_rows;
COMMIT;
-- errors, of any process, before the rows are there and after
\set VERBOSITY terse
SELECT count(*) FROM (SELECT e.i, tensor_sum(einsum('a,a->a', x.value, n.value)) FROM edge e JOIN x ON e.j = x.i JOIN node n ON n.i = e.k GROUP BY e.i) y;
UPDATE node SET value = vector(1, 9) WHERE i = 90;
SELECT count(*) FROM two;
SELECT count(*) FROM degrees;
WITH d AS MATERIALIZED (SELECT * FROM one) SELECT count(*) FROM (SELECT e.i, tensor_sum(d.value) FROM edge e JOIN d ON e.j = d.i GROUP BY e.i) y;
DELETE FROM node WHERE i = 90;
SELECT count(*) FROM two;

DROP TABLE edge, node, w, none, small CASCADE;
DROP FUNCTION :included, nodes, same, fetched;
