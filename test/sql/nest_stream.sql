-- A loop nest whose rows are joined as they are read: one operand has all labels, the others are found by it.
CREATE SCHEMA nest_stream;
SET search_path = nest_stream, public, sparseeinsum_internal;
SET client_min_messages = warning;
SET max_parallel_workers_per_gather = 0;
SET sparseeinsum.enable_batching = on;
\i test/sql/include/rows_and_plans.sql
CREATE TABLE m AS SELECT (r * 7919 % 401)::int AS i, (r * 104729 % 97)::int AS j, (r * 31 % 53)::int8 AS k, (r % 11 - 5)::float8 AS v FROM generate_series(1, 4000) r;
CREATE TABLE w AS SELECT j, (j % 7)::float8 AS v, vector(j, 3) AS x FROM generate_series(0, 90) j;
CREATE TABLE twice AS SELECT j % 50 AS j, j::float8 AS v FROM generate_series(0, 99) j;
CREATE TABLE rows AS SELECT r % 60 AS i, vector(r, 5) AS x FROM generate_series(1, 1500) r;
CREATE TABLE long AS SELECT r % 3 AS i, vector(r, 2000) AS x FROM generate_series(1, 60) r;
CREATE TABLE wide_keys AS SELECT (r % 90) * 1000000007::int8 * 1000003 AS i, r::float8 AS v FROM generate_series(1, 2000) r;
CREATE TABLE none (i int, j int, v float8 NOT NULL);
ANALYZE m; ANALYZE w; ANALYZE twice; ANALYZE rows; ANALYZE long; ANALYZE wide_keys;

-- the same rows as without, and how the node has run
CREATE FUNCTION streamed(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rows int8;
	result text;
BEGIN
	query := as_text(query);
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'off', true);
	rows := keep_rows('without', query);
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'force', true);
	PERFORM keep_rows('nest', query);
	result := format('%s rows, %s different: %s', rows, different_rows('without', 'nest'),
		(SELECT string_agg(trim(line), ', ') FROM executed_plan_of(query) line WHERE line ~ 'Rows Streamed|Loop Order|Relational Plan|Accumulators|Formats'));
	DROP TABLE without;
	RETURN result;
END $$;

-- one operand: groups by one key, by two, by none; far apart; tensors, also more than fit in a piece of memory
SELECT streamed('SELECT k, tensor_sum(scalar_multiply(v, v)), count(*) FROM m GROUP BY k');
SELECT streamed('SELECT k, i, tensor_max(v) FROM m GROUP BY k, i');
SELECT streamed('SELECT tensor_sum(v), count(*) FROM m');
SELECT streamed('SELECT i, tensor_sum(v) FROM wide_keys GROUP BY i');
SELECT streamed('SELECT i, tensor_sum(x), tensor_max(x) FROM rows GROUP BY i');
SELECT streamed('SELECT einsum_sum(''a,b->ab'', x, x) FROM rows');
SELECT streamed('SELECT i, tensor_sum(x) FROM long GROUP BY i');
SELECT streamed('SELECT i, tensor_sum(x) FROM long GROUP BY i HAVING count(*) > 3');
-- keys that double precision does not tell apart, also the greatest and the least ones
CREATE TABLE far_keys AS SELECT 4611686018427387904 + r * 37 % 101 AS i, 9223372036854775807 - r * 37 % 5003 AS j, -9223372036854775807 - 1 + r * 37 % 5003 AS k, (r % 7)::float8 AS v FROM generate_series(1, 6000) r;
SELECT streamed('SELECT i, tensor_sum(v) FROM far_keys GROUP BY i');
SELECT streamed('SELECT j, tensor_sum(v) FROM far_keys GROUP BY j');
SELECT streamed('SELECT k, tensor_sum(v) FROM far_keys GROUP BY k');
-- the diagonal, conditions, no rows
SELECT streamed('SELECT i, tensor_sum(v) FROM m WHERE i = j GROUP BY i');
SELECT streamed('SELECT i, tensor_sum(v) FROM none GROUP BY i');
SELECT streamed('SELECT tensor_sum(v), count(*) FROM none');
SELECT streamed('SELECT i, tensor_sum(v) FROM m WHERE j < 0 GROUP BY i');
-- entries of one row are in the order of their first index: groups are returned before all are read; twice, or some of them
CREATE TABLE csr AS SELECT array_agg(r * 2 ORDER BY r) FILTER (WHERE r <= 3000) AS ptr, array_agg(r % 2 + r % 40 * 2 ORDER BY r) FILTER (WHERE r < 6000) AS idx, array_agg((r % 9)::float8 ORDER BY r) FILTER (WHERE r < 6000) AS v FROM generate_series(0, 6000) r;
ANALYZE csr;
CREATE VIEW entry AS SELECT e.* FROM einsum_entries('csr', 0, (SELECT ptr FROM csr), (SELECT idx FROM csr), (SELECT v FROM csr)) AS e(i bigint, j bigint, v float8);
SELECT streamed('SELECT e.i, einsum_sum('',->'', e.v, w.v), count(*) FROM entry e JOIN w USING (j) GROUP BY e.i');
SELECT streamed('SELECT e.i, tensor_max(e.v) FROM entry e GROUP BY e.i');
SELECT streamed('SELECT e.j, tensor_sum(e.v) FROM entry e GROUP BY e.j');
SELECT streamed('SELECT e.i, e.j, tensor_sum(e.v) FROM entry e GROUP BY e.i, e.j');
SET enable_material = off;
SELECT streamed('SELECT n, g.* FROM generate_series(1, 3) n LEFT JOIN (SELECT e.i, tensor_sum(e.v) AS s FROM entry e GROUP BY e.i OFFSET 0) g ON true');
RESET enable_material;
SELECT streamed('SELECT count(*) FROM (SELECT e.i, tensor_sum(e.v) AS s FROM entry e GROUP BY e.i LIMIT 1500) g');
SELECT streamed('SELECT s.j, einsum_sum('',->'', p.s, s.v) FROM (SELECT e.i, tensor_sum(e.v) AS s FROM entry e GROUP BY e.i) p JOIN entry s USING (i) GROUP BY s.j');
-- others are located: all of them, some, left joins, several keys, nothing at all
SELECT streamed('SELECT m.k, einsum_sum('',->'', m.v, w.v) FROM m JOIN w USING (j) GROUP BY m.k');
SELECT streamed('SELECT m.k, einsum_sum('',->'', m.v, COALESCE(w.v, 100)) FROM m LEFT JOIN w USING (j) GROUP BY m.k');
SELECT streamed('SELECT m.k, einsum_sum('',a->a'', m.v, w.x) FROM m JOIN w USING (j) GROUP BY m.k');
SELECT streamed('SELECT m.k, einsum_sum('',,->'', m.v, w.v, n.v) FROM m JOIN w USING (j) JOIN (SELECT i, k, tensor_sum(v) AS v FROM m GROUP BY i, k OFFSET 0) n ON n.i = m.i AND n.k = m.k GROUP BY m.k');
SELECT streamed('SELECT m.k, einsum_sum('',->'', m.v, none.v) FROM m JOIN none USING (j) GROUP BY m.k');
SELECT streamed('SELECT m.k, einsum_sum('',->'', m.v, COALESCE(none.v, 2)) FROM m LEFT JOIN none USING (j) GROUP BY m.k');
SELECT streamed('SELECT m.k, einsum_sum('',->'', m.v, (SELECT max(v) FROM w)) FROM m GROUP BY m.k');
-- rows of each tuple, in the order in which they are kept
SELECT streamed('SELECT m.i, m.j, einsum_scalar('',->'', m.v, w.v) AS v FROM m JOIN w USING (j)');
SELECT streamed('SELECT m.i, m.j, einsum_scalar('',->'', m.v, COALESCE(w.v, 3)) AS v FROM m LEFT JOIN w USING (j)');
-- a key that is there several times after all: loops, also where it was expected to be unique
SELECT streamed('SELECT m.k, einsum_sum('',->'', m.v, t.v) FROM m JOIN twice t USING (j) GROUP BY m.k');
CREATE TABLE grown (j int, v float8 NOT NULL);
INSERT INTO grown SELECT j, j FROM generate_series(0, 99) j;
ANALYZE grown;
INSERT INTO grown SELECT j, j + 1 FROM generate_series(0, 9) j;
SELECT streamed('SELECT m.k, einsum_sum('',->'', m.v, t.v) FROM m JOIN grown t USING (j) GROUP BY m.k');
SELECT streamed('SELECT m.i, m.j, einsum_scalar('',->'', m.v, t.v) AS v FROM m JOIN grown t USING (j)');

-- what is irregular is found before a row is returned, also in the last strip
CREATE TABLE odd AS SELECT r % 7 AS i, r::float8 AS v FROM generate_series(1, 700) r;
INSERT INTO odd VALUES (NULL, 1);
ANALYZE odd;
SELECT streamed('SELECT i, tensor_sum(v) FROM odd GROUP BY i');
UPDATE odd SET i = 3, v = NULL WHERE i IS NULL;
SELECT streamed('SELECT i, tensor_sum(v) FROM odd GROUP BY i');
CREATE TABLE shapes AS SELECT r % 4 AS i, vector(r, 2 + r % 4) AS x FROM generate_series(1, 900) r;
ANALYZE shapes;
SELECT streamed('SELECT i, tensor_sum(x) FROM shapes GROUP BY i');
INSERT INTO shapes VALUES (1, '[1,2]');
SET sparseeinsum.enable_aggregate_join = force;
SELECT i, tensor_sum(x) FROM shapes GROUP BY i;
-- groups that do not fit: loops, which go on with some of them
SET work_mem = '400kB';
CREATE TABLE many AS SELECT (r * 7919 % 20011)::int AS i, r::float8 AS v FROM generate_series(1, 20000) r;
ALTER TABLE many ALTER i SET (n_distinct = 10);
ANALYZE many;
SELECT streamed('SELECT i, tensor_sum(v) FROM many GROUP BY i');
RESET work_mem;

-- rows again: rescans with the same parameters and with others, cursors, prepared statements
SELECT count(*), sum(v) FROM generate_series(1, 3) s, LATERAL (SELECT k, tensor_sum(v) AS v FROM m GROUP BY k OFFSET 0) x WHERE x.k > s;
SELECT s, (SELECT sum(v) FROM (SELECT k, einsum_sum(',->', m.v, w.v) AS v FROM m JOIN w USING (j) WHERE m.i > 100 * s GROUP BY k OFFSET 0) x) AS v FROM generate_series(1, 3) s;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT i, tensor_sum(v) AS v FROM odd WHERE v IS NOT NULL GROUP BY i ORDER BY i;
FETCH 2 FROM c;
FETCH PRIOR FROM c;
COMMIT;
PREPARE sums(int) AS SELECT count(*), sum(v) FROM (SELECT k, tensor_sum(v) AS v FROM m WHERE i < $1 GROUP BY k) x;
SET plan_cache_mode = force_generic_plan;
EXECUTE sums(100);
EXECUTE sums(0);
EXECUTE sums(200);

-- chosen by cost for many rows, and not where rows have to be kept for others
RESET sparseeinsum.enable_aggregate_join;
CREATE TABLE large AS SELECT (r * 7919::int8 % 30011)::int AS i, (r * 31 % 177)::int AS k, 1::float8 AS v FROM generate_series(1, 30000) r;
ANALYZE large;
SELECT trim(replace(line, '.00 ', ' ')) FROM executed_plan_of('SELECT k, tensor_sum(v) FROM large GROUP BY k') line WHERE line ~ 'AggregateJoin|Streamed';
SELECT trim(replace(line, '.00 ', ' ')) FROM executed_plan_of('SELECT a.k, einsum_sum('',->'', a.v, b.v) FROM large a JOIN large b ON a.i = b.i AND a.k = b.k GROUP BY a.k') line WHERE line ~ 'AggregateJoin|Streamed|Loop Order|Shared';
DROP SCHEMA nest_stream CASCADE;
