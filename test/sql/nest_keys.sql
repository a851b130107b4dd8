-- Keys of any hashable type in a loop nest: by dictionaries.
\set VERBOSITY terse
SET client_min_messages = warning;
SET sparseeinsum.enable_aggregate_join = force;
SET sparseeinsum.enable_batching = off;
SET max_parallel_workers_per_gather = 0;
SET extra_float_digits = 0;
CREATE SCHEMA nest_keys;
SET search_path = nest_keys, public, sparseeinsum_internal;
\i test/sql/include/compared_rows.sql
-- Runs a query with the node and without; shows how many nodes ran, keys by dictionaries, what was shared, whether there were parts, and, if the relational plan ran, why.
CREATE FUNCTION compare(query text) RETURNS TABLE (nodes int, keys text, shared text, parts boolean, relational text, rows bigint, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	SELECT c.* INTO plan, rows, wrong FROM compared_rows(query) c;
	plan := jsonb_path_query_array(plan, 'strict $.** ? (@."Custom Plan Provider" == "AggregateJoin")');
	nodes := jsonb_array_length(plan);
	keys := plan->0->>'Dictionary Keys';
	shared := plan->0->>'Read Before';
	parts := plan->0->>'Spilled' IS NOT NULL;
	relational := plan->0->>'Relational Plan';
	RETURN NEXT;
END $$;
CREATE TABLE edge (a text, b text, v float8 NOT NULL);
INSERT INTO edge SELECT 'node ' || i, 'node ' || (i * 7 + k * 13) % 50, (i + k) % 5 + 1 FROM generate_series(0, 49) i, generate_series(0, 4) k;
CREATE TABLE node (a text PRIMARY KEY, x tensor NOT NULL);
INSERT INTO node SELECT 'node ' || i, ('[' || i || ',' || i % 3 || ',1]')::tensor FROM generate_series(0, 49) i;
CREATE TABLE weight (a varchar(20) PRIMARY KEY, v float8);
INSERT INTO weight SELECT 'node ' || i, i / 4.0 FROM generate_series(0, 60, 3) i;
ANALYZE;
EXPLAIN (COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF) SELECT a.a, einsum_sum(',a->a', a.v, n.x) FROM edge a, node n WHERE n.a = a.b GROUP BY a.a;
SELECT * FROM compare('SELECT a.a, einsum_sum('',a->a'', a.v, n.x) FROM edge a, node n WHERE n.a = a.b GROUP BY a.a');
-- two labels, of which one table has the keys of both
SELECT * FROM compare('SELECT a.a, c.b, tensor_sum(scalar_multiply(a.v, c.v)) FROM edge a, edge c WHERE a.b = c.a GROUP BY a.a, c.b');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(scalar_multiply(a.v, b.v), c.v)), count(*) FROM edge a, edge b, edge c WHERE a.b = b.a AND b.b = c.a AND c.b = a.a');
EXPLAIN (COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF) SELECT tensor_sum(scalar_multiply(scalar_multiply(a.v, b.v), c.v)) FROM edge a, edge b, edge c WHERE a.b = b.a AND b.b = c.a AND c.b = a.a;
-- what a left join does not find; a type that is text but for its length, and a domain
SELECT * FROM compare('SELECT a.a, tensor_min(scalar_add(a.v, COALESCE(w.v, 2))) FROM edge a LEFT JOIN weight w ON w.a = a.b GROUP BY a.a');
SELECT * FROM compare('SELECT w.a, tensor_min(scalar_add(a.v, w.v)) FROM edge a, weight w WHERE w.a = a.b GROUP BY w.a');
CREATE DOMAIN label AS text;
CREATE TABLE labelled (a label, v float8 NOT NULL);
INSERT INTO labelled SELECT 'node ' || i % 20, i FROM generate_series(1, 60) i;
SELECT * FROM compare('SELECT l.a, tensor_sum(scalar_multiply(a.v, l.v)) FROM edge a, labelled l WHERE l.a = a.b GROUP BY l.a');
-- one key of a tuple, HAVING, groups that are not returned, and rows that are not aggregated
SELECT * FROM compare('SELECT a.a || ''!'' AS a, tensor_sum(a.v) AS v FROM edge a GROUP BY a.a HAVING a.a <> ''node 7''');
SELECT * FROM compare('SELECT tensor_sum(a.v) AS v FROM edge a GROUP BY a.a');
SELECT * FROM compare('SELECT a.a, a.b, einsum_scalar('',a,a->'', a.v, n.x, m.x) AS v FROM edge a, node n, node m WHERE n.a = a.a AND m.a = a.b');
SELECT * FROM compare('SELECT l.a, n.a AS b, scalar_multiply(a.v, l.v) AS v FROM edge a, labelled l, node n WHERE n.a = a.b AND l.a = a.a AND a.a = ''node 3''');
SELECT * FROM compare('SELECT tensor_sum(a.v) FROM edge a, node n WHERE a.a = n.a AND a.b = n.a');
-- no rows
SELECT * FROM compare('SELECT a.a, tensor_sum(scalar_multiply(a.v, l.v)) FROM edge a, labelled l WHERE l.a = a.b AND l.v < 0 GROUP BY a.a');

-- NULL joins nothing; as a group it is left to PostgreSQL
INSERT INTO edge VALUES (NULL, 'node 1', 5), ('node 2', NULL, 6), (NULL, NULL, 7);
SELECT * FROM compare('SELECT n.a, tensor_sum(a.v) FROM edge a, node n WHERE a.b = n.a AND a.a IS NOT NULL GROUP BY n.a');
SELECT * FROM compare('SELECT n.a, tensor_sum(a.v) FROM edge a, node n, node m WHERE a.b = n.a AND a.a = m.a GROUP BY n.a');
SELECT * FROM compare('SELECT a.a, tensor_sum(a.v) FROM edge a, node n WHERE a.b = n.a GROUP BY a.a');
SELECT * FROM compare('SELECT a.a, tensor_sum(scalar_multiply(a.v, COALESCE(w.v, 3))) FROM edge a LEFT JOIN weight w ON w.a = a.b WHERE a.a IS NOT NULL GROUP BY a.a');
DELETE FROM edge WHERE a IS NULL OR b IS NULL;

-- Types: each with itself
CREATE TYPE color AS ENUM ('red', 'green', 'blue', 'white', 'black');
CREATE TYPE place AS (name text, number int);
CREATE TABLE typed (i int, u uuid, d date, t timestamptz, f float8, n numeric, b bytea, c char(6), r place, l int[], o color, x boolean, s interval, q name, m bigint, z float4, v float8 NOT NULL);
INSERT INTO typed SELECT k, md5(k::text)::uuid, '2026-01-01'::date + k, '2026-01-01'::timestamptz + k * interval '1 hour', k / 8.0, k, decode(md5(k::text), 'hex'), 'c' || k, ROW('p' || k, k)::place, ARRAY[k, k + 1],
	(ARRAY['red', 'green', 'blue', 'white', 'black'])[k % 5 + 1]::color, k % 2 = 0, k * interval '1 day', 'q' || k, 3000000000 * k, k, i FROM (SELECT i, i % 30 AS k FROM generate_series(1, 60) i) s;
ANALYZE typed;
SELECT t.key, c.* FROM unnest('{u,d,t,f,n,b,c,r,l,o,x,s,q,m,z}'::text[]) WITH ORDINALITY t(key, place), LATERAL compare(format('SELECT p.%1$s AS a, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM typed p, typed q WHERE p.%1$s = q.%1$s GROUP BY p.%1$s', t.key)) c ORDER BY place;
SELECT * FROM compare('SELECT p.u, p.d, q.c, tensor_sum(scalar_multiply(p.v, q.v)) FROM typed p, typed q WHERE p.u = q.u AND p.r = q.r GROUP BY p.u, p.d, q.c');
-- and of two types: integers, and others, whose values cannot stand for each other
SELECT * FROM compare('SELECT p.i, tensor_sum(scalar_multiply(p.v, q.v)) FROM typed p, typed q WHERE p.i = q.m GROUP BY p.i');
SELECT * FROM compare('SELECT p.f, tensor_sum(scalar_multiply(p.v, q.v)) FROM typed p, typed q WHERE p.f = q.z GROUP BY p.f');
SELECT * FROM compare('SELECT p.q, tensor_sum(scalar_multiply(p.v, l.v)) FROM typed p, labelled l WHERE p.q = l.a GROUP BY p.q');
SELECT * FROM compare('SELECT p.d, tensor_sum(scalar_multiply(p.v, q.v)) FROM typed p, typed q WHERE p.d = q.t GROUP BY p.d');
-- a key by one equality, and by another one
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(scalar_multiply(p.v, q.v), r.v)) FROM typed p, typed q, typed r WHERE p.c = q.c AND p.c::text = r.q::text');

-- Equal keys that are not identical: where they are returned, which of them a group has is up to PostgreSQL
INSERT INTO typed (i, n, f, c, s, v) VALUES (100, 1.00, '-0', 'c1 ', '24:00', 3), (101, 1.0, 0, 'c1', '1 day', 4);
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM typed p, typed q WHERE p.n = q.n');
SELECT * FROM compare('SELECT p.i, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM typed p, typed q WHERE p.f = q.f AND p.s = q.s GROUP BY p.i');
SELECT relational FROM compare('SELECT p.n + 0.00 AS n, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM typed p, typed q WHERE p.n = q.n GROUP BY p.n');
SELECT relational, wrong FROM compare('SELECT p.f + 0 AS f, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM typed p, typed q WHERE p.f = q.f GROUP BY p.f');
SELECT relational, wrong FROM compare('SELECT p.c, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM typed p, typed q WHERE p.c = q.c GROUP BY p.c');
-- each row has its own
SELECT relational, wrong FROM compare('SELECT p.i, q.i AS j, p.n, q.n AS m, p.v * q.v AS v FROM typed p, typed q WHERE p.n = q.n');
-- what a left join has is not returned
SELECT * FROM compare('SELECT l.n, tensor_sum(scalar_add(l.v, COALESCE(q.v, 1))), count(*) FROM (SELECT i::numeric AS n, v FROM typed WHERE i < 9 OFFSET 0) l LEFT JOIN (SELECT n * 1.00 AS n, v FROM typed OFFSET 0) q ON q.n = l.n GROUP BY l.n');
-- one operand, whose rows are not shared
SELECT relational FROM compare('SELECT p.n + 0.00 AS n, tensor_sum(p.v) FROM typed p WHERE p.n IS NOT NULL GROUP BY p.n');
-- two operands that share rows, of which the second returns the key
SELECT shared, relational FROM compare('SELECT q.n + 0.00 AS n, tensor_sum(scalar_multiply(p.v, q.v)) FROM typed p, (SELECT DISTINCT n FROM typed) r, typed q WHERE p.n = r.n AND q.n IS NOT NULL AND p.n IS NOT NULL GROUP BY q.n');
-- two nodes that share an operand, one of which returns the key
SELECT relational, wrong FROM compare('SELECT s.d AS s, t.n + 0.00 AS n, t.d FROM (SELECT tensor_sum(scalar_multiply(p.v, q.v)) AS d FROM typed p, typed q WHERE p.n = q.n OFFSET 0) s, (SELECT p.n, tensor_sum(scalar_multiply(p.v, q.v)) AS d FROM typed p, typed q WHERE p.n = q.n GROUP BY p.n) t');

-- Collations: what is equal under one is not under another
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE cased (a text COLLATE any_case, b text, v float8 NOT NULL);
INSERT INTO cased VALUES ('x', 'x', 1), ('X', 'X', 2), ('y', 'y', 4), ('Y', 'y', 8), ('z', 'Z', 16);
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM cased p, cased q WHERE p.a = q.a');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM cased p, cased q WHERE p.b = q.b');
SELECT * FROM compare('SELECT p.b, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM cased p, cased q WHERE p.b = q.b GROUP BY p.b');
SELECT relational FROM compare('SELECT lower(p.a) AS a, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM cased p, cased q WHERE p.a = q.a GROUP BY p.a');
-- two dictionaries in one operand, and in one query
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(scalar_multiply(p.v, q.v), r.v)), count(*) FROM cased p, cased q, cased r WHERE p.a = q.a AND p.b = r.b');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM cased p, cased q WHERE p.a = q.a AND p.b = q.b');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM cased p, cased q WHERE p.b COLLATE any_case = q.b');
-- the same scan, whose column is compared under one collation and under the other
SELECT * FROM compare('SELECT s.d AS s, t.d AS t FROM (SELECT tensor_sum(scalar_multiply(p.v, q.v)) AS d FROM cased p, cased q WHERE p.b = q.b) s, (SELECT tensor_sum(scalar_multiply(p.v, q.v)) AS d FROM cased p, cased q WHERE p.b COLLATE any_case = q.b) t');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(scalar_multiply(p.v, q.v), r.v)), count(*) FROM cased p, cased q, cased r WHERE p.b COLLATE any_case = q.b AND p.b = r.b');
SELECT * FROM compare('SELECT p.b, tensor_sum(scalar_multiply(p.v, q.v)) FROM cased p, cased q WHERE p.b COLLATE any_case = q.b GROUP BY p.b');
-- a constant that both sides are compared with, under another collation
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM cased p, cased q WHERE p.b COLLATE any_case = q.b AND p.b = ''x'' AND q.b = ''X''');
SELECT * FROM compare('SELECT tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM cased p, cased q WHERE p.b = q.b AND p.b = ''x''');
-- no collation at all: such a text is returned by joins, and compared by nothing
SELECT s.k, scalar_multiply(s.v, r.v) AS v FROM (SELECT b || a AS k, b, v FROM (SELECT a COLLATE "C" AS a, b COLLATE "POSIX" AS b, v FROM cased OFFSET 0) c OFFSET 0) s, cased r WHERE s.b = r.b COLLATE "POSIX" AND s.v = 1;

-- Keys that are long, compressed or out of line
CREATE TABLE long_key (a text, v float8 NOT NULL);
ALTER TABLE long_key ALTER a SET STORAGE EXTERNAL;
INSERT INTO long_key SELECT repeat('key ' || i % 20, 200 + i % 20 * 100), i FROM generate_series(1, 100) i;
CREATE TABLE packed_key AS SELECT * FROM long_key;
SELECT * FROM compare('SELECT p.a, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM long_key p, packed_key q WHERE p.a = q.a GROUP BY p.a');

-- Memory: in parts, and where the dictionary does not fit
CREATE TABLE large (a text NOT NULL, b text NOT NULL, v float8 NOT NULL);
INSERT INTO large SELECT 'k' || i % 150, 'k' || i * 7 % 149, i % 9 FROM generate_series(1, 30000) i;
CREATE TABLE many (a uuid NOT NULL, v float8 NOT NULL);
INSERT INTO many SELECT md5(i::text)::uuid, i % 9 FROM generate_series(1, 20000) i;
ANALYZE;
SET work_mem = '256kB';
SELECT * FROM compare('SELECT p.a, tensor_sum(scalar_multiply(p.v, q.v)), count(*) FROM large p, large q WHERE p.b = q.b AND p.a = q.a GROUP BY p.a');
SELECT * FROM compare('SELECT p.a, tensor_sum(scalar_multiply(p.v, q.v)) FROM many p, many q WHERE p.a = q.a GROUP BY p.a');
RESET work_mem;
SELECT * FROM compare('SELECT p.a, tensor_sum(scalar_multiply(p.v, q.v)) FROM many p, many q WHERE p.a = q.a GROUP BY p.a');

-- A node that runs again, with other parameters and with the same; cursors and prepared statements
SELECT n.a, s.d FROM (VALUES ('node 1'), ('node 2'), ('node 1')) n(a), LATERAL (SELECT tensor_sum(scalar_multiply(a.v, b.v)) AS d FROM edge a, edge b WHERE a.b = b.a AND a.a = n.a) s;
SELECT * FROM compare('SELECT n.a, s.d, s.b FROM (VALUES (1), (2)) n(a), LATERAL (SELECT b.b, tensor_sum(scalar_multiply(a.v, b.v)) + n.a AS d FROM edge a, edge b WHERE a.b = b.a GROUP BY b.b OFFSET 0) s');
PREPARE of_key(text) AS SELECT b.b, tensor_sum(scalar_multiply(a.v, b.v)) AS d FROM edge a, edge b WHERE a.b = b.a AND a.a = $1 GROUP BY b.b ORDER BY b.b LIMIT 2;
EXECUTE of_key('node 1');
SET plan_cache_mode = force_generic_plan;
EXECUTE of_key('node 1');
EXECUTE of_key('no node');
RESET plan_cache_mode;
BEGIN;
DECLARE c CURSOR FOR SELECT b.b <> '' AS is_there, tensor_sum(scalar_multiply(a.v, b.v)) AS d FROM edge a, edge b WHERE a.b = b.a GROUP BY b.b;
SELECT a.a, tensor_sum(a.v) FROM edge a GROUP BY a.a ORDER BY a.a LIMIT 1;
MOVE 49 FROM c;
FETCH 2 FROM c;
COMMIT;

-- Programs over a table's keys
CREATE TABLE person (name text PRIMARY KEY);
INSERT INTO person SELECT a FROM node;
CREATE TABLE knows (a text NOT NULL REFERENCES person, b text NOT NULL REFERENCES person, w float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO knows SELECT a, b, v FROM edge;
ANALYZE;
SELECT einsum_dimension('person', 'person', 'name');
SELECT einsum_register('knows[A,B]', 'knows', keys => '{a,b}', value => 'w', bounds => ARRAY['person', 'person']);
SELECT einsum_sql('two[A,C] = knows[A,B] * knows[B,C]') AS two \gset
SELECT einsum_sql('both[A,C] = knows[A,C] * knows[C,A]') AS both_ways \gset
SELECT einsum_sql('near[] = knows[A,B] * knows[B,C] * knows[A,C]') AS near \gset
SELECT * FROM compare(:'two');
SELECT * FROM compare(:'both_ways');
SELECT * FROM compare(:'near');
-- a loop, whose queries find what others of its rounds have read, with the numbers of its keys
CREATE TABLE first (name text PRIMARY KEY REFERENCES person);
INSERT INTO first VALUES ('node 33'), ('node 7');
SELECT einsum_register('first[A]', 'first', keys => '{name}', bounds => ARRAY['person']);
CREATE FUNCTION scans() RETURNS bigint LANGUAGE sql AS $$SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) FROM pg_stat_xact_user_tables WHERE schemaname = 'nest_keys' AND relname = 'knows'$$;
CREATE FUNCTION run_loop(uses text) RETURNS TABLE (keys bigint, sum numeric, scans bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', uses, true);
	scans := scans();
	PERFORM count(*) FROM einsum_iterate('walk', 'X[A] = first[A]', 'X[B] = (sum[A] knows[A,B] * X[A])/16', max_rounds => 8, restart => true);
	scans := scans() - scans;
	SELECT count(*), round(sum(v * length(d))::numeric, 4) INTO keys, sum FROM (SELECT * FROM x) AS x(d, v);
	RETURN NEXT;
END $$;
SELECT keys, sum, scans < 8 AS kept FROM run_loop('force') UNION ALL SELECT keys, sum, scans < 8 FROM run_loop('off');
-- who may not compare keys gets the error of who does
CREATE ROLE regress_nest_keys;
GRANT USAGE ON SCHEMA nest_keys TO regress_nest_keys;
GRANT SELECT ON edge, node, typed TO regress_nest_keys;
BEGIN;
REVOKE EXECUTE ON FUNCTION texteq(text, text), uuid_eq(uuid, uuid) FROM public;
SET LOCAL ROLE regress_nest_keys;
-- the query compares no keys that it only returns
EXPLAIN (COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF) SELECT p.u, scalar_multiply(p.v, q.v) AS v FROM typed p, typed q WHERE p.i = q.i AND p.i < 3;
SELECT n.a, tensor_sum(a.v) FROM edge a, node n WHERE a.b = n.a GROUP BY n.a;
ROLLBACK;
DROP SCHEMA nest_keys CASCADE;
DROP ROLE regress_nest_keys;
