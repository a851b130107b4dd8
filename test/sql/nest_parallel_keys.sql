-- Keys of any hashable type in loop nests that processes run together: each numbers them by itself
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA nest_parallel_keys;
SET search_path = nest_parallel_keys, public, sparseeinsum_internal;
\i test/sql/include/parallel_nests.sql
SET max_parallel_workers_per_gather = 1;
-- who reads the first rows lets the others begin
CREATE FUNCTION late(id int) RETURNS bool LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
	IF id = 7 THEN
		PERFORM pg_sleep(0.03);
	END IF;
	RETURN true;
END $$;
CREATE TYPE place AS (name text, number int);
CREATE TABLE fact (id int, j int, t text, u uuid, n numeric, d date, q name, c char(6), a int[], p place, l text, v float8 NOT NULL, x tensor NOT NULL);
INSERT INTO fact SELECT n, k, 'key ' || k, md5(k::text)::uuid, k / 4.0, '2000-01-01'::date + k, 'q' || k, 'c' || k, ARRAY[k, k + 1], ROW('p' || k % 10, k)::place, repeat('long ' || k % 50, 500), n % 5 + 1, ('[' || n % 7 || ',' || n % 3 || ']')::tensor
	FROM (SELECT n, n * 7 % 1009 AS k FROM generate_series(0, 9999) n) s;
CREATE TABLE factor (j int, t varchar(20), n numeric, u uuid, w float8);
INSERT INTO factor SELECT k, 'key ' || k, k / 4.0, md5(k::text)::uuid, k % 9 FROM generate_series(0, 1500, 3) k;
CREATE TABLE undivided WITH (parallel_workers = 0) AS SELECT * FROM factor;
CREATE TABLE nothing (t text, w float8);
ALTER TABLE factor SET (autovacuum_enabled = off);
ANALYZE fact, factor, undivided, nothing;

EXPLAIN (COSTS OFF) SELECT f.t, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.t = w.t GROUP BY f.t;

CREATE FUNCTION compare_many() RETURNS TABLE (number int, ran text, rows bigint, wrong bigint, files bigint) LANGUAGE sql AS $$
	SELECT n, c.* FROM (VALUES
		(1, 'SELECT f.t, tensor_sum(scalar_multiply(f.v, w.w)), count(*) FROM fact f, factor w WHERE f.t = w.t AND late(f.id) GROUP BY f.t'),
		(2, 'SELECT f.u, tensor_sum(scalar_multiply(f.v, g.v)), count(*) FROM fact f, fact g WHERE f.u = g.u AND late(f.id) AND g.id < 2000 GROUP BY f.u'),
		(3, 'SELECT f.n, tensor_sum(scalar_multiply(f.v, w.w)), count(*) FROM fact f, factor w WHERE f.n = w.n AND late(f.id) GROUP BY f.n'),
		-- two dictionaries, and integers beside; parts of either
		(4, 'SELECT f.d, f.t, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.t = w.t AND late(f.id) GROUP BY f.d, f.t'),
		(5, 'SELECT f.j, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.t = w.t AND late(f.id) GROUP BY f.j'),
		(6, 'SELECT w.t, w.j, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.t = w.t AND f.j = w.j AND f.n = w.n AND late(f.id) GROUP BY w.t, w.j'),
		-- by reference with a length, padded, of elements, of columns, long
		(7, 'SELECT f.q, tensor_sum(f.v) FROM fact f WHERE late(f.id) GROUP BY f.q'),
		(8, 'SELECT f.c, tensor_sum(scalar_multiply(f.v, g.v)) FROM fact f, fact g WHERE f.c = g.c AND late(f.id) AND g.id < 500 GROUP BY f.c'),
		(9, 'SELECT f.a, tensor_sum(f.v), tensor_max(f.x) FROM fact f WHERE late(f.id) GROUP BY f.a'),
		(10, 'SELECT f.p, einsum_sum('',a->a'', w.w, f.x) FROM fact f, factor w WHERE f.t = w.t AND late(f.id) GROUP BY f.p'),
		(11, 'SELECT f.l, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.u = w.u AND late(f.id) GROUP BY f.l'),
		-- left joins; what one process reads
		(12, 'SELECT f.t, tensor_sum(scalar_multiply(f.v, COALESCE(w.w, 3))) FROM fact f LEFT JOIN factor w ON f.t = w.t WHERE late(f.id) GROUP BY f.t'),
		(13, 'SELECT f.j, tensor_sum(scalar_multiply(f.v, COALESCE(w.w, 3))) FROM fact f LEFT JOIN undivided w ON f.u = w.u WHERE late(f.id) GROUP BY f.j'),
		(14, 'SELECT w.t, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, undivided w WHERE f.t = w.t AND late(w.j) GROUP BY w.t'),
		-- nothing is joined, or read
		(15, 'SELECT f.t, tensor_sum(f.v) FROM fact f, factor w WHERE f.t = w.t AND w.t < ''a'' GROUP BY f.t'),
		(16, 'SELECT f.t, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, nothing w WHERE f.t = w.t GROUP BY f.t'),
		-- groups of groups, in nodes that have a dictionary in common
		(17, 'SELECT g.t, tensor_sum(scalar_multiply(g.s, w.w)) FROM (SELECT f.t, tensor_sum(f.v) AS s FROM fact f, factor w WHERE f.t = w.t AND late(f.id) GROUP BY f.t) g, factor w WHERE g.t = w.t GROUP BY g.t'),
		(18, 'SELECT count(*), sum(s), max(t) FROM (SELECT f.t, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.t = w.t AND late(f.id) GROUP BY f.t) g'),
		-- joined rows, HAVING, expressions of keys
		(19, 'SELECT f.t, f.u, w.n, scalar_multiply(f.v, w.w) AS v FROM fact f, factor w WHERE f.t = w.t AND late(f.id)'),
		(20, 'SELECT f.t || ''!'' AS t, tensor_sum(f.v) * 2 AS s FROM fact f, factor w WHERE f.t = w.t AND late(f.id) GROUP BY f.t HAVING f.t < ''key 4'''),
		-- what only the leader reads
		(21, 'WITH c AS MATERIALIZED (SELECT t, w + 1 AS w FROM factor) SELECT f.t, tensor_sum(scalar_multiply(f.v, c.w)) FROM fact f, c WHERE f.t = c.t AND late(f.id) GROUP BY f.t'),
		(22, 'WITH c AS MATERIALIZED (SELECT u, w + 1 AS w FROM factor) SELECT f.n, f.j, tensor_sum(scalar_multiply(f.v, scalar_multiply(c.w, COALESCE(b.w, 2)))) FROM fact f JOIN c ON f.u = c.u LEFT JOIN c b ON f.u = b.u WHERE late(f.id) GROUP BY f.n, f.j'),
		(23, 'WITH c AS MATERIALIZED (SELECT t, w FROM factor) SELECT f.t, f.j, scalar_multiply(f.v, c.w) AS v FROM fact f, c WHERE f.t = c.t AND late(f.id)')
	) q (n, query), LATERAL compare(q.query, same_data => true) c ORDER BY n
$$;
SELECT * FROM compare_many();
SET max_parallel_workers_per_gather = 2;
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran <> 'parallel';
-- dictionaries need not fit
SET work_mem = '64kB';
SET sparseeinsum.cache_size = '192kB';
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran NOT IN ('parallel', 'dictionaries of keys do not fit in memory');
RESET sparseeinsum.cache_size;
RESET work_mem;
-- the leader has them computed, or reads all, or what it reads has no workers
SET parallel_leader_participation = off;
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran <> 'parallel';
RESET parallel_leader_participation;
SET max_parallel_workers = 0;
SELECT * FROM compare_many() WHERE wrong > 0 OR files > 0 OR ran <> 'parallel';
RESET max_parallel_workers;

-- the keys of a process would fit, and those of all do not
CREATE TABLE many (id int, u uuid NOT NULL, v float8 NOT NULL);
INSERT INTO many SELECT i, md5(i::text)::uuid, i % 9 FROM generate_series(0, 4999) i;
ANALYZE many;
SET work_mem = '64kB';
SELECT * FROM compare('SELECT m.u, tensor_sum(m.v) FROM many m WHERE late(m.id) GROUP BY m.u');
RESET work_mem;
SELECT * FROM compare('SELECT m.u, tensor_sum(m.v) FROM many m WHERE late(m.id) GROUP BY m.u');

-- NULL joins nothing; as a group it is left to PostgreSQL
INSERT INTO fact SELECT 20000 + n, n, NULL, NULL, NULL, NULL, 'q', 'c', '{}', NULL, '', 1, '[1,2]' FROM generate_series(1, 3) n;
SELECT * FROM compare('SELECT f.j, tensor_sum(scalar_multiply(f.v, w.w)), count(*) FROM fact f, factor w WHERE f.t = w.t AND f.n = w.n AND late(f.id) GROUP BY f.j');
SELECT * FROM compare('SELECT f.t, tensor_sum(f.v), count(*) FROM fact f WHERE late(f.id) GROUP BY f.t');
DELETE FROM fact WHERE id >= 20000;

-- Equal keys that are not identical, each read by another process: where they are returned, which of them a group has is up to PostgreSQL
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE one (n numeric, t text COLLATE any_case, i int, v float8 NOT NULL) WITH (parallel_workers = 0);
CREATE TABLE two (LIKE one) WITH (parallel_workers = 0);
INSERT INTO one SELECT (k || '.0')::numeric, 'Key ' || k, k, k FROM generate_series(1, 100) k;
INSERT INTO two SELECT (k || '.00')::numeric, 'key ' || k, k, k FROM generate_series(1, 100) k;
ANALYZE one, two;
SELECT * FROM compare('SELECT f.j, tensor_sum(scalar_multiply(a.v, b.v)), count(*) FROM one a, two b, fact f WHERE a.n = b.n AND f.j = a.i AND late(a.i) AND late(b.i) GROUP BY f.j');
SELECT * FROM compare('SELECT f.j, tensor_sum(scalar_multiply(a.v, b.v)), count(*) FROM one a, two b, fact f WHERE a.t = b.t AND f.j = a.i AND late(a.i) AND late(b.i) GROUP BY f.j');
SELECT ran FROM compare('SELECT a.n + 0.00 AS n, tensor_sum(scalar_multiply(a.v, b.v)), count(*) FROM one a, two b, fact f WHERE a.n = b.n AND f.j = a.i AND late(a.i) AND late(b.i) GROUP BY a.n');
SELECT ran FROM compare('SELECT lower(a.t) AS t, tensor_sum(scalar_multiply(a.v, b.v)), count(*) FROM one a, two b, fact f WHERE a.t = b.t AND f.j = a.i AND late(a.i) AND late(b.i) GROUP BY a.t');
-- what a left join has is not returned, whoever has read it first
SELECT rows, wrong FROM compare('SELECT a.n, tensor_sum(scalar_multiply(a.v, COALESCE(b.v, 2))), count(*) FROM one a JOIN fact f ON f.j = a.i LEFT JOIN two b ON a.n = b.n AND late(b.i) WHERE late(a.i) GROUP BY a.n');
-- the leader reads one of them before workers start
SELECT ran FROM compare('WITH a AS MATERIALIZED (SELECT * FROM one) SELECT a.n + 0.00 AS n, tensor_sum(scalar_multiply(a.v, b.v)), count(*) FROM a, two b, fact f WHERE a.n = b.n AND f.j = a.i AND late(b.i) GROUP BY a.n');
SELECT * FROM compare('WITH a AS MATERIALIZED (SELECT * FROM one) SELECT f.j, tensor_sum(scalar_multiply(a.v, b.v)), count(*) FROM a, two b, fact f WHERE a.n = b.n AND f.j = a.i AND late(b.i) GROUP BY f.j');

-- run again with another parameter, and with the same; also where the relational plan runs
SELECT o.n, g.* FROM generate_series(1, 3) o (n), LATERAL (SELECT count(*), sum(s), max(t) FROM (SELECT f.t, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.t = w.t AND f.j % 9 / 3 < o.n AND late(f.id) GROUP BY f.t OFFSET 0) a) g;
SET enable_material = off;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (SELECT f.t, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.t = w.t AND late(f.id) GROUP BY f.t) a ON a.s > o.n;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (WITH c AS MATERIALIZED (SELECT t, w + 1 AS w FROM factor) SELECT f.t, tensor_sum(scalar_multiply(f.v, c.w)) AS s FROM fact f, c WHERE f.t = c.t AND late(f.id) GROUP BY f.t) a ON a.s > o.n;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (SELECT a.n + 0.00 AS k, tensor_sum(scalar_multiply(a.v, b.v)) AS s FROM one a, two b, fact f WHERE a.n = b.n AND f.j = a.i AND late(a.i) AND late(b.i) GROUP BY a.n) a ON a.s > o.n;
SELECT count(*), sum(s * n) FROM (VALUES (1), (2), (3)) o (n) LEFT JOIN (WITH a AS MATERIALIZED (SELECT * FROM one) SELECT a.n + 0.00 AS k, tensor_sum(scalar_multiply(a.v, b.v)) AS s FROM a, two b, fact f WHERE a.n = b.n AND f.j = a.i GROUP BY a.n) a ON a.s > o.n;
SELECT o.n, g.* FROM generate_series(1, 3) o (n), LATERAL (WITH a AS MATERIALIZED (SELECT * FROM one) SELECT count(*), sum(s) FROM (SELECT tensor_sum(scalar_multiply(a.v, b.v)) AS s FROM a, two b, fact f WHERE a.n = b.n AND f.j = a.i AND b.i > o.n GROUP BY a.n OFFSET 0) g) g;
RESET enable_material;
-- not all rows are asked for
SELECT count(*) FROM (SELECT f.t, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.t = w.t GROUP BY f.t LIMIT 10) s;

-- workers do not compare keys that only the leader may compare
CREATE TYPE point_key AS (a int);
CREATE TEMPORARY TABLE of_leader (i int);
CREATE FUNCTION point_eq(x point_key, y point_key) RETURNS boolean LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL RESTRICTED AS $$ BEGIN PERFORM FROM of_leader; RETURN x.a = y.a; END $$;
CREATE FUNCTION point_hash(x point_key) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT hashint4(x.a) $$;
CREATE OPERATOR === (LEFTARG = point_key, RIGHTARG = point_key, FUNCTION = point_eq, COMMUTATOR = ===, HASHES, RESTRICT = eqsel, JOIN = eqjoinsel);
CREATE OPERATOR CLASS point_hash_ops DEFAULT FOR TYPE point_key USING hash AS OPERATOR 1 === (point_key, point_key), FUNCTION 1 point_hash(point_key);
CREATE TABLE at_point AS SELECT n % 97 AS j, ROW(n % 97)::point_key AS p, (n % 5 + 1)::float8 AS v FROM generate_series(0, 9999) n;
CREATE TABLE of_point AS SELECT ROW(n)::point_key AS p, (n % 5)::float8 AS w FROM generate_series(0, 96) n;
ANALYZE at_point, of_point;
SELECT * FROM compare('SELECT f.j, tensor_sum(scalar_multiply(f.v, g.w)) FROM at_point f, of_point g WHERE f.p === g.p GROUP BY f.j');
-- who may not compare keys gets the error of who does, or the rows where none are compared
CREATE FUNCTION reason(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, COSTS OFF, FORMAT json) ' || query INTO plan;
	RETURN find_node(plan->0->'Plan', 'AggregateJoin')->>'Relational Plan';
END $$;
CREATE ROLE regress_nest_parallel_keys;
GRANT USAGE ON SCHEMA nest_parallel_keys TO regress_nest_parallel_keys;
GRANT SELECT ON ALL TABLES IN SCHEMA nest_parallel_keys TO regress_nest_parallel_keys;
BEGIN;
REVOKE EXECUTE ON FUNCTION uuid_eq(uuid, uuid) FROM public;
SET LOCAL ROLE regress_nest_parallel_keys;
SELECT count(*), sum(v), max(u::text) FROM (SELECT f.u, scalar_multiply(f.v, w.w) AS v FROM fact f, factor w WHERE f.j = w.j OFFSET 0) s;
SELECT count(*), sum(v), max(u::text) FROM (WITH c AS MATERIALIZED (SELECT * FROM factor) SELECT c.u, scalar_multiply(f.v, c.w) AS v FROM fact f, c WHERE f.j = c.j OFFSET 0) s;
SELECT reason('SELECT f.u, scalar_multiply(f.v, w.w) AS v FROM fact f, factor w WHERE f.j = w.j');
SELECT f.u, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.u = w.u GROUP BY f.u;
ROLLBACK;
DROP SCHEMA nest_parallel_keys CASCADE;
DROP ROLE regress_nest_parallel_keys;
