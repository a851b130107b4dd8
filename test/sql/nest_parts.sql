-- Loop nests whose operands do not fit in memory: their rows go to temporary files by part, and are read once
CREATE SCHEMA nest_parts_test;
SET search_path = nest_parts_test, public, sparseeinsum_internal;
\i test/sql/include/compared_rows.sql
\i test/sql/include/failing.sql
SET sparseeinsum.enable_aggregate_join = force;
SET sparseeinsum.enable_batching = off;
SET max_parallel_workers_per_gather = 0;
SET hash_mem_multiplier = 2;

-- What ran, and whether the rows are those of PostgreSQL's plan; no file is left.
CREATE FUNCTION compare(query text) RETURNS TABLE (ran text, rows bigint, wrong bigint, files bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	SELECT c.* INTO plan, rows, wrong FROM compared_rows(query) c;
	ran := CASE WHEN plan->>'Custom Plan Provider' IS NULL THEN plan->>'Node Type'
		WHEN plan->>'Relational Plan' IS NOT NULL THEN plan->>'Relational Plan'
		WHEN plan->>'Parts' IS NULL THEN 'at once'
		ELSE CASE WHEN (plan->>'Parts')::int > 1 THEN 'parts' ELSE 'one part' END
			|| CASE WHEN (plan->>'Spilled')::int > 0 THEN '' ELSE ', nothing spilled' END END;
	SELECT count(*) INTO files FROM pg_ls_tmpdir();
	RETURN NEXT;
END $$;

CREATE TABLE fact (i int, j int, k bigint, v float8, r real NOT NULL, x tensor NOT NULL);
INSERT INTO fact SELECT n * 7 % 2003, n % 301, (n * 7 % 2003) * (1::bigint << 40), n % 5 + 1, n % 3, ('[' || n % 7 || ',' || n % 3 || ']')::tensor FROM generate_series(0, 19999) n;
CREATE TABLE factor (j int, w float8, k bigint);
INSERT INTO factor SELECT j, j % 9, j * (1::bigint << 40) FROM generate_series(0, 300) j;
-- each key twice: rows of others are not joined as they are read
CREATE TABLE factors AS SELECT f.* FROM factor f, generate_series(1, 2);
ANALYZE fact, factor, factors;

-- numbers of any type, several keys, keys with gaps of 2^40, tensors
SET work_mem = '64kB';
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)), tensor_max(f.r), count(*) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT * FROM compare('SELECT f.k, tensor_sum(scalar_multiply(f.v, w.w)), count(*) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.k');
SELECT * FROM compare('SELECT f.i, f.k, tensor_sum(scalar_multiply(f.v, g.v)) FROM fact f, fact g WHERE f.j = g.j AND f.i = g.i GROUP BY f.i, f.k');
SELECT * FROM compare('SELECT f.k, tensor_sum(w.w) FROM fact f, factor w WHERE f.k = w.k GROUP BY f.k');
SET work_mem = '64kB';
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
SET work_mem = '64kB';
SET sparseeinsum.cache_size = '192kB';
SELECT * FROM compare('SELECT f.i, einsum_sum('',a->a'', w.w, f.x), tensor_max(f.x) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, einsum_sum(''a,a->'', f.x, g.x) FROM fact f, fact g WHERE f.i = g.i AND f.j = g.j GROUP BY f.i');
-- what all parts need does not fit
SELECT * FROM compare('SELECT w.k, einsum_sum(''a,a->'', f.x, f.x) FROM fact f, factor w WHERE f.j = w.j GROUP BY w.k');
RESET sparseeinsum.cache_size;
-- an operand that decides nothing has no rows in most parts; one that does has them in few
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, COALESCE(g.w, 3))) FROM fact f LEFT JOIN factor g ON f.i = g.j GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, g.w)) FROM fact f, factors g WHERE f.i = g.j AND g.j < 9 GROUP BY f.i');
-- a table joined with itself, whose rows are shared until their indexes do not fit
CREATE TABLE pair AS SELECT n * 7 % 2003 AS i, n % 301 AS j, n % 5 + 1.0::float8 AS v FROM generate_series(0, 5999) n;
ANALYZE pair;
SET work_mem = '64kB';
SELECT * FROM compare('SELECT p.i, scalar_multiply(p.v, q.v) AS v FROM pair p, pair q WHERE p.i = q.i');
SELECT * FROM compare('SELECT p.i, tensor_sum(scalar_multiply(p.v, q.v)) FROM pair p, pair q WHERE p.i = q.i GROUP BY p.i');
SELECT * FROM compare('SELECT p.i, tensor_sum(scalar_multiply(p.v, q.v)) FROM pair p, pair q WHERE p.i = q.j GROUP BY p.i');
SELECT * FROM compare('SELECT q.j, tensor_sum(scalar_multiply(p.v, q.v)) FROM pair p, pair q WHERE p.i = q.i GROUP BY q.j');
SET work_mem = '64kB';
-- the plan expects fewer rows, or more
CREATE TABLE grown (i int, j int, v float8 NOT NULL);
ALTER TABLE grown SET (autovacuum_enabled = off);
ANALYZE grown;
INSERT INTO grown SELECT n % 5000, n % 301, n % 5 FROM generate_series(0, 29999) n;
SELECT * FROM compare('SELECT g.i, tensor_sum(scalar_multiply(g.v, w.w)) FROM grown g, factor w WHERE g.j = w.j GROUP BY g.i');
ANALYZE grown;
DELETE FROM grown WHERE i > 99;
SELECT * FROM compare('SELECT g.i, tensor_sum(scalar_multiply(g.v, w.w)) FROM grown g, factors w WHERE g.j = w.j GROUP BY g.i');
-- empty operands, bounds of 0 and 1
DELETE FROM grown;
SELECT * FROM compare('SELECT f.i, tensor_sum(f.v) FROM fact f, grown g WHERE f.i = g.i GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, tensor_sum(f.v) FROM fact f, allints(0, 0) e(index) WHERE f.j = e.index GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, tensor_sum(f.v) FROM fact f, allints(0, 1) e(index) WHERE f.j = e.index GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, e.index, tensor_sum(f.v) FROM fact f, allints(0, 1) e(index), factor w WHERE f.j = w.j GROUP BY f.i, e.index');
-- many groups of one row; rows of one index, alone and among others, are not divided
CREATE TABLE single AS SELECT n AS i, n % 301 AS j, 1.0::float8 AS v FROM generate_series(0, 99999) n;
ANALYZE single;
SELECT * FROM compare('SELECT s.i, tensor_sum(scalar_multiply(s.v, w.w)) FROM single s, factor w WHERE s.j = w.j GROUP BY s.i');
SELECT * FROM compare('SELECT s.i, tensor_sum(s.v), count(*) FROM single s GROUP BY s.i');
CREATE TABLE hub AS SELECT CASE WHEN n % 50 = 0 THEN n ELSE 77 END AS i, n % 301 AS j, n % 5 + 1.0::float8 AS v FROM generate_series(0, 29999) n;
ANALYZE hub;
SELECT * FROM compare('SELECT h.i, tensor_sum(scalar_multiply(h.v, w.w)), count(*) FROM hub h, factors w WHERE h.j = w.j GROUP BY h.i');
UPDATE hub SET i = 77;
SELECT * FROM compare('SELECT h.i, tensor_sum(scalar_multiply(h.v, w.w)), count(*) FROM hub h, factors w WHERE h.j = w.j GROUP BY h.i');
-- rows that were to be joined as they are read: a key is there several times after all, or there are more groups
CREATE TABLE repeated AS SELECT j, w FROM factor;
ANALYZE repeated;
INSERT INTO repeated SELECT j, w + 1 FROM factor WHERE j < 9;
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)), count(*) FROM fact f, repeated w WHERE f.j = w.j GROUP BY f.i');
SELECT * FROM compare('SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM fact f, repeated w WHERE f.j = w.j GROUP BY f.i');
ALTER TABLE single ALTER i SET (n_distinct = 10);
ANALYZE single;
SELECT * FROM compare('SELECT s.i, tensor_sum(s.v), count(*) FROM single s GROUP BY s.i');
SELECT * FROM compare('SELECT s.i, tensor_sum(scalar_multiply(s.v, w.w)) FROM single s, factor w WHERE s.j = w.j GROUP BY s.i');
ALTER TABLE single ALTER i RESET (n_distinct);
ANALYZE single;
-- the operands beside them do not fit, as conditions leave more rows
SELECT * FROM compare('SELECT s.i, tensor_sum(scalar_multiply(s.v, w.v)) FROM single s, (SELECT i, j, v FROM single WHERE i % 1 = 0 AND i < 30000) w WHERE s.i = w.i AND s.j = w.j GROUP BY s.i');
-- operands that share rows, whose indexes or groups do not fit: each part has them twice
CREATE TABLE few AS SELECT n % 200 AS i, n % 7 + 1.0::float8 AS v FROM generate_series(0, 399) n;
CREATE TABLE more AS SELECT n % 200 AS i, n % 5 + 1.0::float8 AS v FROM generate_series(0, 5999) n;
ANALYZE few, more;
SET work_mem = '64kB';
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(scalar_multiply(a.v, b.v), c.v)) FROM few a, more b, few c WHERE b.i = a.i AND c.i = a.i GROUP BY a.i');
SET work_mem = '88kB';
SELECT * FROM compare('SELECT a.i, tensor_sum(scalar_multiply(scalar_multiply(a.v, b.v), c.v)) FROM few a, more b, few c WHERE b.i = a.i AND c.i = a.i GROUP BY a.i');
SET work_mem = '64kB';
-- what is irregular is left to the relational plan, in whatever part
UPDATE fact SET v = NULL WHERE i = 1999;
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
UPDATE fact SET v = 1, x = '[1,2,3]' WHERE i = 1999;
SET sparseeinsum.cache_size = '192kB';
SELECT * FROM compare('SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
UPDATE fact SET x = 'complex16:[1+1i,2]' WHERE i = 1999;
SELECT * FROM compare('SELECT f.i, einsum_sum('',a->a'', w.w, f.x) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
UPDATE fact SET x = '[1,2]' WHERE i = 1999;
RESET sparseeinsum.cache_size;
UPDATE fact SET i = NULL WHERE i = 1999;
SELECT * FROM compare('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
UPDATE fact SET i = 1999 WHERE i IS NULL;

-- Costs: parts are no reason to leave the node
SET work_mem = '512kB';
SET sparseeinsum.enable_aggregate_join = on;
SELECT * FROM compare('SELECT s.i, s.j, tensor_sum(scalar_multiply(s.v, t.v)) FROM single s, single t WHERE s.i = t.i GROUP BY s.i, s.j');
SET sparseeinsum.enable_aggregate_join = force;
SET work_mem = '64kB';

-- Shortage: no room for files, no time, and files that a statement or a subtransaction leaves behind
SET temp_file_limit = '64kB';
SELECT * FROM fails('SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
RESET temp_file_limit;
-- while operands are read, divided, indexed and joined: there are too many tuples to come to the end
SET statement_timeout = '5ms' \; SELECT count(*) FROM (SELECT a.i, tensor_sum(scalar_multiply(a.v, scalar_multiply(b.v, c.v))) FROM single a, hub b, hub c, single d WHERE a.j = b.j GROUP BY a.i) s;
SET statement_timeout = '40ms' \; SELECT count(*) FROM (SELECT a.i, tensor_sum(scalar_multiply(a.v, scalar_multiply(b.v, c.v))) FROM single a, hub b, hub c, single d WHERE a.j = b.j GROUP BY a.i) s;
SET statement_timeout = '90ms' \; SELECT count(*) FROM (SELECT a.i, tensor_sum(scalar_multiply(a.v, scalar_multiply(b.v, c.v))) FROM single a, hub b, hub c, single d WHERE a.j = b.j GROUP BY a.i) s;
SET statement_timeout = '160ms' \; SELECT count(*) FROM (SELECT a.i, tensor_sum(scalar_multiply(a.v, scalar_multiply(b.v, c.v))) FROM single a, hub b, hub c, single d WHERE a.j = b.j GROUP BY a.i) s;
SET statement_timeout = '300ms' \; SELECT count(*) FROM (SELECT a.i, tensor_sum(scalar_multiply(a.v, scalar_multiply(b.v, c.v))) FROM single a, hub b, hub c, single d WHERE a.j = b.j GROUP BY a.i) s;
SELECT count(*) AS files FROM pg_ls_tmpdir();
-- an error in a row, after others have been returned
SELECT * FROM fails('SELECT f.i, 1 / (f.i - 1999) AS q, tensor_sum(scalar_multiply(f.v, w.w)) FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i');
-- a cursor that is begun in a subtransaction which is aborted, and read on
BEGIN;
DECLARE c CURSOR FOR SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i;
SAVEPOINT s;
MOVE 3 FROM c;
ROLLBACK TO s;
MOVE ALL FROM c;
DECLARE d CURSOR FOR SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i;
MOVE 3 FROM d;
SELECT count(*) > 0 AS files FROM pg_ls_tmpdir();
CLOSE c;
CLOSE d;
SELECT count(*) AS files FROM pg_ls_tmpdir();
SAVEPOINT t;
DECLARE e CURSOR FOR SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i;
MOVE 3 FROM e;
ROLLBACK TO t;
SELECT count(*) AS files FROM pg_ls_tmpdir();
COMMIT;
-- groups that do not fit, of blocks of which the last ones are shorter: they are returned one after the other
CREATE TABLE block AS SELECT i, j, tensor_full(ARRAY[CASE WHEN i < 15 THEN 32 ELSE 8 END, CASE WHEN j < 9 THEN 10 ELSE 3 END], (7 * i + 3 * j) % 11) AS x FROM generate_series(0, 15) i, generate_series(0, 9) j;
CREATE TABLE wide AS SELECT j, tensor_full(ARRAY[CASE WHEN j < 9 THEN 10 ELSE 3 END, 1000], j) AS x FROM generate_series(0, 9) j;
ANALYZE block, wide;
SET work_mem = '1MB';
SELECT * FROM compare('SELECT b.i, einsum_sum(''ab,bc->ac'', b.x, w.x) FROM block b, wide w WHERE b.j = w.j GROUP BY b.i');
-- the shape of a group is that of any of its rows
UPDATE block SET x = tensor_full('{32,10}', 1) WHERE i = 15 AND j = 3;
SELECT einsum_sum('ab,bc->ac', b.x, w.x) FROM block b, wide w WHERE b.j = w.j GROUP BY b.i;
-- a result that no value can have comes after groups that fit, or there is memory for it
CREATE TABLE long AS SELECT i, j, tensor_full(ARRAY[CASE WHEN i < 1999 THEN 10 ELSE 280000 END], 1) AS x FROM generate_series(0, 1999) i, generate_series(0, 9) j WHERE i < 1999 OR j = 0;
CREATE TABLE row AS SELECT j, tensor_full('{500}', 1) AS x FROM generate_series(0, 9) j;
ANALYZE long, row;
SELECT count(tensor_rank(s)) FROM (SELECT einsum_sum('a,b->ab', l.x, r.x) AS s FROM long l, row r WHERE l.j = r.j GROUP BY l.i) g;
SET work_mem = '4GB';
SELECT count(tensor_rank(s)) FROM (SELECT einsum_sum('a,b->ab', l.x, r.x) AS s FROM long l, row r WHERE l.j = r.j GROUP BY l.i) g;
RESET work_mem;
-- read again, and not to the end
SET enable_material = off;
SET enable_memoize = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT count(*), sum(r.s) FROM generate_series(1, 3) k LEFT JOIN (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j GROUP BY f.i) r ON r.i < k * 10;
SELECT g, (SELECT count(*) FROM (SELECT f.i, tensor_sum(scalar_multiply(f.v, w.w)) AS s FROM fact f, factor w WHERE f.j = w.j AND w.w > g GROUP BY f.i LIMIT 500 * g) r) FROM generate_series(1, 3) g;
RESET enable_material;
RESET enable_memoize;
RESET enable_hashjoin;
RESET enable_mergejoin;
SELECT count(*) AS files FROM pg_ls_tmpdir();

SET client_min_messages = warning;
DROP SCHEMA nest_parts_test CASCADE;
