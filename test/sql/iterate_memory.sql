-- Rows of a loop, which are in memory column by column.
\set VERBOSITY terse
CREATE SCHEMA iterate_memory;
SET search_path = iterate_memory, public;
CREATE TABLE node (i int PRIMARY KEY CHECK (i >= 0 AND i < 9000), v float8);
INSERT INTO node SELECT n, n % 7 FROM generate_series(0, 8999) AS n;
CREATE TABLE pair (i int CHECK (i >= 0 AND i < 3), k int CHECK (k >= 0 AND k < 3), v float8, PRIMARY KEY (i, k));
INSERT INTO pair VALUES (0, 1, 1), (0, 2, 2), (1, 0, 4), (2, 2, 8);
ANALYZE node; ANALYZE pair;
SELECT einsum_register('a[I]', 'node', '{i}', 'v', '{9000}'), einsum_register('b[I,K]', 'pair', '{i,k}', 'v', '{3,3}');

-- more rows than fit are in files, which queries read from the start again; tables and nests read them alike
SET work_mem = '64kB';
CREATE FUNCTION twice() RETURNS TABLE (rounds bigint, value float8, rows bigint, wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	SELECT max(r.round), max(r.value) INTO rounds, value FROM einsum_iterate('files', 'x[I] = a[i]; y[I] = a[i]; z[I] = a[i]',
		'u[I] = 2*x[i] + a[i]; x[I] = u[i]; y[I] = u[i]*x[i] - y[i]; z[I] = u[i]; sums[] = (sum[i] u[i]) + (sum[i] x[i]*z[i])',
		until => 'sums[] > 1e9', max_rounds => 3, restart => true) AS r;
	/* 15 v, and (15 v)(7 v) - ((7 v)(3 v) - ((3 v) v - v)) */
	SELECT count(*), count(*) FILTER (WHERE q.x IS DISTINCT FROM 15*q.v OR q.z IS DISTINCT FROM q.x OR q.y IS DISTINCT FROM 87*q.v*q.v - q.v)
	INTO rows, wrong FROM (SELECT n.v, x.value AS x, y.value AS y, z.value AS z FROM node AS n LEFT JOIN x USING (i) LEFT JOIN y USING (i) LEFT JOIN z USING (i) WHERE n.v <> 0) AS q;
	RETURN NEXT;
END $$;
SELECT * FROM twice();
SET sparseeinsum.enable_aggregate_join = off;
SELECT * FROM twice();
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
CREATE TABLE few (i int PRIMARY KEY CHECK (i >= 0 AND i < 9000));
INSERT INTO few VALUES (10), (8998); ANALYZE few;
SELECT einsum_register('f[I]', 'few', '{i}', NULL, '{9000}');
SELECT round, value FROM einsum_iterate('again', 'w[I] = a[i]', 'u[I] = 3*w[i]; some[] = sum[i] f[i]*u[i]; w[I] = u[i]', until => 'some[] > 100', max_rounds => 2);
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material; RESET sparseeinsum.enable_aggregate_join; RESET work_mem;

-- what is made of rows as they are, or with their keys turned round
SELECT round, entries, value FROM einsum_iterate('copies', 'p[I,K] = b[i,k]; q[I,K] = b[i,k]; r[I,K] = b[i,k]; s[] = 1',
	'u[I,K] = p[i,k] + b[i,k]; p[I,K] = u[i,k]; q[I,K] = u[k,i]; r[I,K] = p[i,k]; s[] = s[]; sums[] = sum[i,k] r[i,k]', until => 'sums[] > 500', max_rounds => 3);
SELECT * FROM p ORDER BY i, k;
SELECT * FROM q ORDER BY i, k;
SELECT * FROM r ORDER BY i, k;
-- keys beside those that rows can have
SET sparseeinsum.enable_state_changes = force; SET sparseeinsum.enable_aggregate_join = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT round, entries, value FROM einsum_iterate('beside', 'm[I,K] = b[i,k]; n[I,K] = 0*b[i,k]',
	'm[I,K] = m[i,k] + b[i,k]; n[I,K] = n[i,k] + b[i,k]*m[i,k+1]; t[I,K] = b[i,k]*m[i-1,k]; sums[] = sum[i,k] t[i,k]', until => 'sums[] < 0', max_rounds => 3);
SELECT * FROM n ORDER BY i, k;
RESET sparseeinsum.enable_state_changes; RESET sparseeinsum.enable_aggregate_join; RESET enable_hashjoin; RESET enable_mergejoin;

-- states of too many possible keys for an array of places are found by hashes of all keys
CREATE TABLE far (i int CHECK (i >= 0 AND i < 100000), k int CHECK (k >= 0 AND k < 100000), v float8, PRIMARY KEY (i, k));
INSERT INTO far SELECT 7*(n % 40), 11*(n / 40), n FROM generate_series(1, 1600) AS n;
CREATE TABLE turn (k int CHECK (k >= 0 AND k < 100000), l int CHECK (l >= 0 AND l < 100000), v float8, PRIMARY KEY (k, l));
INSERT INTO turn SELECT 11*n, 11*((n + 7) % 40), 1 FROM generate_series(0, 39) AS n;
ANALYZE far; ANALYZE turn;
SELECT einsum_register('c[I,K]', 'far', '{i,k}', 'v', '{100000,100000}'), einsum_register('turn[K,L]', 'turn', '{k,l}', 'v', '{100000,100000}');
SET sparseeinsum.enable_state_changes = force;
SELECT round, entries FROM einsum_iterate('away', 'away[I,K] = c[i,k]', 'away[I,L] = away[i,l] + (sum[k] turn[k,l]*c[i,k]*(c[i,k] < 90))', max_rounds => 3);
SELECT count(*), count(*) FILTER (WHERE m.value IS DISTINCT FROM COALESCE(a.v, 0) + 3*COALESCE(b.v, 0)) AS wrong
FROM away AS m FULL JOIN far AS a ON a.i = m.i AND a.k = m.l LEFT JOIN turn AS t ON t.l = COALESCE(m.l, a.k) LEFT JOIN far AS b ON b.i = COALESCE(m.i, a.i) AND b.k = t.k AND b.v < 90;
RESET sparseeinsum.enable_state_changes;

-- a table gets what differs: rows that are gone, changed and new, also where it has more columns, other types of keys and NULL
CREATE TABLE mixed (j bigint PRIMARY KEY CHECK (j >= 0 AND j < 6), i smallint NOT NULL UNIQUE CHECK (i >= 0 AND i < 6), v float8, n float8);
INSERT INTO mixed VALUES (0, 5, 1, 1), (1, 4, NULL, 2), (2, 3, 'NaN', NULL), (3, 2, -0.0, 4), (4, 1, 7, 5);
CREATE TABLE plain (i smallint PRIMARY KEY CHECK (i >= 0 AND i < 6), v float8);
INSERT INTO plain SELECT i, v FROM mixed;
SELECT einsum_register('mixed[I]', 'mixed', '{i}', 'v', '{6}'), einsum_register('other[J]', 'mixed', '{j}', 'n', '{6}'), einsum_register('plain[I]', 'plain', '{i}', 'v', '{6}');
CREATE TABLE mask (i int PRIMARY KEY CHECK (i >= 0 AND i < 6), gone float8, new float8, changed float8);
INSERT INTO mask VALUES (5, 1, NULL, NULL), (0, NULL, 1, NULL), (4, NULL, NULL, 1);
SELECT einsum_register('gone[I]', 'mask', '{i}', 'gone', '{6}'), einsum_register('new[I]', 'mask', '{i}', 'new', '{6}'), einsum_register('changed[I]', 'mask', '{i}', 'changed', '{6}');
CREATE TABLE written (what text, i int, v float8);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO written VALUES (TG_OP, COALESCE(NEW.i, OLD.i), NEW.v);
	RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON mixed FOR EACH ROW EXECUTE FUNCTION note();
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON plain FOR EACH ROW EXECUTE FUNCTION note();
SELECT round, entries FROM einsum_iterate('writes', NULL, 'plain[I] = plain[i]*(1 - gone[i]) + new[i]', assign => '{plain}', max_rounds => 1);
SELECT * FROM written ORDER BY what, i;
SELECT * FROM plain ORDER BY i;
TRUNCATE written;
-- fill stands for no entry where NULL may not
CREATE TABLE filled (i int PRIMARY KEY CHECK (i >= 0 AND i < 6), v float8 NOT NULL, n float8);
INSERT INTO filled SELECT i, COALESCE(NULLIF(v, 'NaN'), 0), j FROM mixed;
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON filled FOR EACH ROW EXECUTE FUNCTION note();
SELECT einsum_register('filled[I]', 'filled', '{i}', 'v', '{6}'), einsum_register('beside[I]', 'filled', '{i}', 'n', '{6}');
SELECT round, entries FROM einsum_iterate('writes', NULL, 'filled[I] = filled[i]*(1 - gone[i]) + 2*changed[i]', assign => '{filled}', max_rounds => 1, restart => true);
SELECT * FROM written ORDER BY what, i;
SELECT i, v FROM filled ORDER BY i;
TRUNCATE written;
SELECT round, entries FROM einsum_iterate('writes', NULL, 'mixed[I] = mixed[i]*(1 - gone[i]) + changed[i]', assign => '{mixed}', max_rounds => 1, restart => true);
SELECT * FROM written ORDER BY what, i;
SELECT * FROM mixed ORDER BY i;

-- a loop in a statement of another one, with the same names
CREATE TABLE kept (i int PRIMARY KEY CHECK (i >= 0 AND i < 3), v float8 NOT NULL);
INSERT INTO kept VALUES (0, 1), (2, 3);
SELECT einsum_register('kept[I]', 'kept', '{i}', 'v', '{3}');
CREATE TABLE seen (total float8);
CREATE FUNCTION inner_loop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO seen SELECT r.value FROM einsum_iterate('inner', 'g[I,K] = b[i,k]; h[I] = b[i,0]', 'u[I] = 2*h[i] + (sum[k] g[i,k]); h[I] = u[i]; g[I,K] = g[i,k]; sums[] = sum[i] u[i]',
		until => 'sums[] > 1000', max_rounds => 2, restart => true) AS r WHERE r.round = 2;
	RETURN NULL;
END $$;
CREATE TRIGGER inner_loop AFTER UPDATE ON kept FOR EACH STATEMENT EXECUTE FUNCTION inner_loop();
CALL einsum_iterate('outer', NULL, 'u[I] = kept[i] + (sum[k] b[i,k]); kept[I] = u[i]', assign => '{kept}', max_rounds => 3, commit_every => 1);
SELECT * FROM kept ORDER BY i;
SELECT count(*), min(total), max(total) FROM seen;
DROP SCHEMA iterate_memory CASCADE;
