-- Rows that nodes read ahead: their errors, cursors that go backwards, WHERE CURRENT OF.
\i test/sql/include/rows_and_plans.sql
SET max_parallel_workers_per_gather = 0;
SET enable_sort = off;
CREATE TABLE h AS SELECT i, i % 10 AS g, vector(i, 8) AS value FROM generate_series(1, 400) i;
CREATE TABLE w AS SELECT tensor_reshape(vector(3, 40), ARRAY[8, 5]) AS value;
CREATE TABLE k AS SELECT i, i % 7 AS j, vector(i, 3) AS value FROM generate_series(1, 200) i;
CREATE INDEX ON k (i);
ANALYZE h; ANALYZE w; ANALYZE k;
-- how a query ends: rows, or the code of an error; the same with nodes wherever they are possible, and with none
CREATE FUNCTION ends(query text, mode text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rows int8;
BEGIN
	PERFORM set_config('sparseeinsum.enable_batching', mode, true);
	EXECUTE format('CREATE TEMP TABLE outcome AS %s', query);
	GET DIAGNOSTICS rows = ROW_COUNT;
	DROP TABLE outcome;
	RETURN rows || ' rows';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
CREATE FUNCTION nodes(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.enable_batching', 'force', true);
	RETURN (SELECT string_agg(DISTINCT substring(line FROM 'Custom Scan \((\w+)'), ' ') FROM plan_of(query) line);
END $$;

-- what fails at row 100, where nodes read it, and what stops before
CREATE TABLE failing (name text, query text);
INSERT INTO failing VALUES
	('operand', 'SELECT i, vec_mat_mult(tensor_full(ARRAY[8], 10 / (100 - i)), w.value) AS v FROM h, w'),
	('operand of an operand', 'SELECT i, einsum(''a,ba->b'', vec_mat_mult(tensor_full(ARRAY[8], 10 / (100 - i)), w.value), w.value) AS v FROM h, w'),
	('kernel', 'SELECT i, einsum(''a,ba->b'', vec_mat_mult(vector(i, CASE i WHEN 100 THEN 7 ELSE 8 END), w.value), w.value) AS v FROM h, w'),
	('filter', 'SELECT i, vec_mat_mult(h.value, w.value) AS v FROM h, w WHERE 10 / (100 - i) <> 7'),
	('check', 'SELECT i, vec_mat_mult(h.value, w.value) AS v FROM h, w WHERE sparseeinsum_internal.einsum_key_in_range(i, 100, ''t'', ''i'')'),
	('subquery', 'SELECT i, vec_mat_mult(x.value, w.value) AS v FROM (SELECT i, value, 10 / (100 - i) AS n FROM h OFFSET 0) x, w WHERE n IS NOT NULL'),
	('condition of a join', 'SELECT h.i, vec_mat_mult(h.value, w.value) AS v FROM h JOIN w ON 10 / (100 - h.i + tensor_rank(w.value) - 2) IS NOT NULL'),
	('union', 'SELECT i, vec_mat_mult(value, (SELECT value FROM w)) AS v FROM (SELECT i, value FROM h WHERE i < 50 UNION ALL SELECT 10 / (100 - i) + 50, value FROM h WHERE i >= 50) x');
CREATE TABLE stopping (name text, form text);
INSERT INTO stopping VALUES
	('nothing', 'SELECT * FROM (%s) q'),
	('LIMIT', 'SELECT * FROM (%s) q LIMIT 99'),
	('LIMIT of some', 'SELECT * FROM (%s) q OFFSET 20 LIMIT 70'),
	('LIMIT above a subquery', 'SELECT count(*) FROM (SELECT * FROM (%s OFFSET 0) q LIMIT 97) r'),
	('LIMIT above an aggregate', 'SELECT count(*) FROM (%s) q LIMIT 1'),
	('LIMIT above a sort', 'SELECT * FROM (SELECT * FROM (%s) q ORDER BY v) r LIMIT 1'),
	('EXISTS', 'SELECT 1 WHERE EXISTS (SELECT FROM (%s OFFSET 0) q WHERE i + tensor_rank(v) > 64)'),
	('EXISTS for every row', 'SELECT s FROM generate_series(1, 3) s WHERE EXISTS (SELECT FROM (%s OFFSET 0) q WHERE i > 20 * s)'),
	('ANY', 'SELECT s FROM generate_series(1, 3) s WHERE s * 20 + 2 = ANY (SELECT i + tensor_rank(v) FROM (%s OFFSET 0) q)'),
	('a scalar subquery', 'SELECT (SELECT i FROM (%s OFFSET 0) q OFFSET 64 LIMIT 1)'),
	('CTE that is read in part', 'WITH q AS MATERIALIZED (%s) SELECT i FROM q WHERE tensor_rank(v) = 1 LIMIT 66'),
	('CTE that is read in part and in full', 'WITH q AS MATERIALIZED (%s) SELECT (SELECT count(*) FROM q WHERE random() < 0) FROM q LIMIT 66'),
	('CTE within a CTE', 'WITH q AS MATERIALIZED (%s), r AS MATERIALIZED (SELECT * FROM q) SELECT i FROM r LIMIT 66'),
	('CTE that is read in full', 'WITH q AS MATERIALIZED (%s) SELECT count(*) FROM q'),
	('merge join', 'SELECT s.i FROM (SELECT i FROM k WHERE i < 67 ORDER BY i) s JOIN (%s OFFSET 0) q ON s.i = q.i LIMIT 60'),
	('rank', 'SELECT * FROM (SELECT i, row_number() OVER () AS n FROM (%s OFFSET 0) q WHERE tensor_rank(v) = 1) r WHERE n < 60'),
	('an aggregate', 'SELECT sum(i) FROM (%s OFFSET 0) q'),
	('rescans that stop', 'SELECT s, x.* FROM generate_series(1, 3) s, LATERAL (SELECT i FROM (%s OFFSET 0) q WHERE i > s LIMIT 90) x');
SELECT f.name AS failing, nodes(f.query) AS nodes, string_agg(s.name || ': ' || ends(format(s.form, f.query), 'off'), ', ' ORDER BY s.name)
	FILTER (WHERE ends(format(s.form, f.query), 'off') <> ends(format(s.form, f.query), 'force')) AS different,
	count(*) FILTER (WHERE ends(format(s.form, f.query), 'force') LIKE '% rows') AS end_well
FROM failing f, stopping s GROUP BY 1, 2 ORDER BY 1;
SELECT s.name, string_agg(ends(format(s.form, f.query), 'force'), ', ' ORDER BY f.name) AS ends
FROM stopping s, failing f GROUP BY 1 ORDER BY 1;

-- all rows are read ahead of where all will be asked for, whatever may fail, and of where nothing may
SET sparseeinsum.enable_batching = force;
CREATE FUNCTION batches(query text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(substring(line FROM '(?:Batches|Results in Batches): \d+'), ', ') FROM executed_plan_of(query) line $$;
SELECT batches('SELECT vec_mat_mult(value, (SELECT value FROM w)) FROM h WHERE 10 / (1000 - i) <> 7') AS full,
	batches('SELECT vec_mat_mult(value, (SELECT value FROM w)) FROM h WHERE 10 / (1000 - i) <> 7 LIMIT 50') AS limited,
	batches('SELECT vec_mat_mult(value, (SELECT value FROM w)) FROM h WHERE i < 1000 LIMIT 50') AS harmless,
	batches('SELECT tensor_sum(v) FROM (SELECT vec_mat_mult(value, (SELECT value FROM w)) AS v FROM h WHERE 10 / (1000 - i) <> 7 OFFSET 0) x LIMIT 1') AS aggregated,
	batches('WITH x AS MATERIALIZED (SELECT vec_mat_mult(value, (SELECT value FROM w)) AS v FROM h WHERE 10 / (1000 - i) <> 7) SELECT tensor_sum(v) FROM x') AS cte;

-- Cursors: each row has its error when it is fetched
BEGIN;
DECLARE c CURSOR FOR SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM h WHERE 10 / (20 - i) <> 7;
MOVE 18 FROM c;
FETCH 1 FROM c;
SAVEPOINT before;
FETCH 1 FROM c;
ROLLBACK TO before;
COMMIT;
-- so does each row of a function, and of a cursor of PL/pgSQL
CREATE FUNCTION rows() RETURNS SETOF tensor LANGUAGE sql STABLE AS 'SELECT vec_mat_mult(value, (SELECT value FROM w)) FROM h WHERE 10 / (20 - i) <> 7';
SELECT count(*) FROM (SELECT rows() LIMIT 19) x;
DO $$
DECLARE
	c CURSOR FOR SELECT i, vec_mat_mult(value, (SELECT value FROM w)) AS v FROM h WHERE 10 / (70 - i) <> 7;
BEGIN
	OPEN c;
	FOR step IN 1 .. 69 LOOP
		MOVE c;
	END LOOP;
	CLOSE c;
END $$;

-- Backwards: the rows of a walk up and down, with the node and without
CREATE FUNCTION walk(query text, mode text, options text, steps int[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor := 'walk';
	step int;
	r record;
	seen text[];
BEGIN
	PERFORM set_config('sparseeinsum.enable_batching', mode, true);
	EXECUTE format('DECLARE walk %s CURSOR FOR %s', options, query);
	FOREACH step IN ARRAY steps LOOP
		FETCH RELATIVE step FROM c INTO r;
		seen := seen || coalesce(r::text, 'none');
	END LOOP;
	CLOSE c;
	RETURN array_to_string(seen, ';');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
CREATE FUNCTION steps(seed int8, most int, n int) RETURNS int[] LANGUAGE sql AS $$
	SELECT array_agg((seed * 7919 + s * s * 104729 + s * 31) % (2 * most + 1) - most + CASE WHEN s < n / 2 THEN 1 ELSE -1 END ORDER BY s) FROM generate_series(1, n) s $$;
CREATE FUNCTION same_walks(query text) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s, %s of %s walks with errors, %s different', nodes(query), count(*) FILTER (WHERE force !~ ';'), count(*), count(*) FILTER (WHERE force <> off))
	FROM (SELECT walk(query, 'off', options, steps(seed, most, 40)) AS off, walk(query, 'force', options, steps(seed, most, 40)) AS force
		FROM generate_series(1, 6) seed, unnest(ARRAY[1, 3, 20, 150]) most, unnest(ARRAY['', 'SCROLL']) options) x $$;
SELECT same_walks('SELECT i, vec_mat_mult(value, (SELECT value FROM w)) AS v FROM h');
SELECT same_walks('SELECT i, einsum(''a,ba->b'', vec_mat_mult(value, (SELECT value FROM w)), (SELECT value FROM w)) AS v FROM h');
SELECT same_walks('SELECT i, vec_mat_mult(value, (SELECT value FROM w)) AS v FROM (SELECT * FROM h WHERE 10 / (1000 - i) <> 7 OFFSET 20 LIMIT 80) x');
SELECT same_walks('SELECT i, vec_mat_mult(value, ''[[1],[2],[3]]'') AS v FROM k ORDER BY i');
SELECT same_walks('SELECT i, vec_mat_mult(value, ''[[1],[2],[3]]'') AS v FROM k WHERE i < 0');
SELECT same_walks('SELECT i, vec_mat_mult(h.value, w.value) AS v FROM h, w');
SET work_mem = '64kB';
SELECT same_walks('SELECT i, outer_prod(value, ''[1,2,3]'') AS v FROM (SELECT i, vector(i, 24) AS value FROM h WHERE i <= 100 OFFSET 0) x');
RESET work_mem;

-- WHERE CURRENT OF finds the row that has been fetched, not one that was read ahead
CREATE TABLE parts (i int, mark int DEFAULT 0, value tensor) PARTITION BY RANGE (i);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (60);
CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (60) TO (1000);
INSERT INTO parts SELECT i, 0, value FROM h;
CREATE TABLE parent (i int, mark int DEFAULT 0, value tensor);
CREATE TABLE child (extra text) INHERITS (parent);
INSERT INTO parent SELECT i, 0, value FROM h WHERE i < 60;
INSERT INTO child SELECT i, 0, value FROM h WHERE i >= 60;
CREATE TABLE single (i int PRIMARY KEY, mark int DEFAULT 0, value tensor);
INSERT INTO single SELECT i, 0, value FROM h;
CREATE VIEW passed AS SELECT i, value FROM single WHERE i % 2 = 0;
ANALYZE parts; ANALYZE parent; ANALYZE single;
-- the keys of the rows that a walk marks, or the code of an error; all is undone, so that rows stay where they are
CREATE FUNCTION marked(relation text, query text, mode text, steps int[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	c refcursor := 'walk';
	step int;
	result text;
BEGIN
	PERFORM set_config('sparseeinsum.enable_batching', mode, true);
	EXECUTE format('DECLARE walk CURSOR FOR %s', query);
	FOREACH step IN ARRAY steps LOOP
		MOVE RELATIVE step FROM c;
		EXECUTE format('UPDATE %s SET mark = mark + 1 WHERE CURRENT OF walk', relation);
	END LOOP;
	EXECUTE format('SELECT string_agg(i::text, '' '' ORDER BY i) FROM %s WHERE mark > 0', relation) INTO result;
	RAISE EXCEPTION USING ERRCODE = 'ZZ000', MESSAGE = result;
EXCEPTION
	WHEN SQLSTATE 'ZZ000' THEN
		RETURN SQLERRM;
	WHEN OTHERS THEN
		RETURN SQLSTATE;
END $$;
CREATE FUNCTION same_marks(relation text, query text, steps int[] DEFAULT ARRAY[1, 2, 4, 8, 16, 32, 64, 13, -1, -9]) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s: %s%s', nodes(query), force, CASE WHEN force = off THEN '' ELSE ', not ' || off END)
	FROM (SELECT marked(relation, query, 'off', steps) AS off, marked(relation, query, 'force', steps) AS force) x $$;
SELECT same_marks('single', 'SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM single');
SELECT same_marks('single', 'SELECT i, einsum(''a,ba->b'', vec_mat_mult(value, (SELECT value FROM w)), (SELECT value FROM w)) FROM single');
SELECT same_marks('single', 'SELECT vec_mat_mult(value, (SELECT value FROM w)) FROM single LIMIT 300 OFFSET 7');
SELECT same_marks('single', 'SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM (SELECT * FROM single WHERE 10 / (1000 - i) <> 7 OFFSET 0) x');
SELECT same_marks('single', 'SELECT * FROM (SELECT i, vec_mat_mult(value, (SELECT value FROM w)) AS v FROM passed OFFSET 0) x WHERE tensor_rank(v) = 1');
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT same_marks('single', 'SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM single WHERE i > 3 ORDER BY i DESC');
SELECT same_marks('single', 'SELECT i, einsum('',->'', i, 2.0) FROM single WHERE i > 3 ORDER BY i');
SET enable_bitmapscan = on;
SET enable_indexscan = off;
SELECT same_marks('single', 'SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM single WHERE i > 3', ARRAY[1, 2, 4, 8, 60, 1]);
RESET enable_seqscan; RESET enable_bitmapscan; RESET enable_indexscan;
SELECT same_marks('parts', 'SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM parts');
SELECT same_marks('parent', 'SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM parent');
SELECT same_marks('single', 'SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM single FOR UPDATE', ARRAY[1, 2, 4, 8, 60, 1]);
-- no such row with PostgreSQL's own nodes either
SELECT same_marks('single', 'SELECT i, vec_mat_mult(single.value, w.value) FROM single, w');
SELECT same_marks('single', 'SELECT DISTINCT i, vec_mat_mult(value, (SELECT value FROM w)) FROM single');
BEGIN;
DECLARE c CURSOR FOR SELECT i, vec_mat_mult(value, (SELECT value FROM w)) FROM single;
DELETE FROM single WHERE CURRENT OF c;
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT i FROM (SELECT i, vec_mat_mult(value, (SELECT value FROM w)) AS v FROM single OFFSET 0) x WHERE tensor_rank(v) = 1;
MOVE 5 FROM c;
DELETE FROM single WHERE CURRENT OF c RETURNING i;
DELETE FROM single WHERE CURRENT OF c RETURNING i;
MOVE BACKWARD 2 FROM c;
DELETE FROM single WHERE CURRENT OF c RETURNING i;
MOVE ALL FROM c;
DELETE FROM single WHERE CURRENT OF c RETURNING i;
ROLLBACK;

DROP VIEW passed;
DROP FUNCTION rows();
DROP TABLE h, k, failing, stopping, parts, child, parent, single;
DROP TABLE w;
DROP FUNCTION ends(text, text), nodes(text), batches(text), walk(text, text, text, int[]), steps(int8, int, int), same_walks(text), marked(text, text, text, int[]), same_marks(text, text, int[]), :included;
