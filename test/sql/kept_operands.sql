-- What the rounds of a loop read of tables once, and when they read it again.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA kept;
SET search_path = kept, public;
CREATE TABLE edge (i int, j int, w float8 NOT NULL, l float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, (i*i + k) % 10, 1 + (i + k) % 3, i + 2*k FROM generate_series(0, 9) i, generate_series(0, 2) k;
CREATE TABLE saved AS TABLE edge;
CREATE TABLE start (i int PRIMARY KEY, one float8 NOT NULL);
INSERT INTO start SELECT i, 1 FROM generate_series(0, 9) i;
SELECT einsum_register('a[I,J]', 'edge', keys => '{i,j}', value => 'w', bounds => '{100000,100000}');
SELECT einsum_register('t[I,J]', 'edge', keys => '{j,i}', value => 'w', bounds => '{100000,100000}');
SELECT einsum_register('m[I,J]', 'edge', keys => '{i,j}', value => 'l', bounds => '{100000,100000}');
SELECT einsum_register('u[I,J]', 'edge', keys => '{i,j}', bounds => '{100000,100000}');
SELECT einsum_register('s[I]', 'start', keys => '{i}', value => 'one', bounds => '{100000}');
-- scans of a table in this transaction
CREATE FUNCTION scans(name text) RETURNS bigint LANGUAGE sql AS $$SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0) FROM pg_stat_xact_user_tables WHERE schemaname = 'kept' AND relname = name$$;
-- a loop without the nodes and with them: do they leave the same, and how often has the latter read a table?
CREATE FUNCTION compare_loops(step text, rounds int, name text DEFAULT 'edge', restored bool DEFAULT false) RETURNS TABLE (same bool, sum numeric, scans bigint) LANGUAGE plpgsql AS $$
DECLARE with_nodes text; without text;
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'off', true);
	PERFORM count(*) FROM einsum_iterate('l', 'X[I] = s[i]', step, max_rounds => rounds, restart => true);
	without := (SELECT string_agg(d || ':' || round(v::numeric, 6), ' ' ORDER BY d) FROM (SELECT * FROM x) AS x(d, v));
	IF restored THEN
		TRUNCATE edge;
		INSERT INTO edge TABLE saved;
	END IF;
	PERFORM set_config('sparseeinsum.enable_aggregate_join', 'force', true);
	scans := scans(name);
	PERFORM count(*) FROM einsum_iterate('l', 'X[I] = s[i]', step, max_rounds => rounds, restart => true);
	scans := scans(name) - scans;
	with_nodes := (SELECT string_agg(d || ':' || round(v::numeric, 6), ' ' ORDER BY d) FROM (SELECT * FROM x) AS x(d, v));
	sum := (SELECT round(sum(v)::numeric, 4) FROM (SELECT * FROM x) AS x(d, v));
	same := with_nodes IS NOT DISTINCT FROM without;
	RETURN NEXT;
END $$;

-- once, for as many rounds as there are
SELECT same, sum, scans < 8 AS kept FROM compare_loops('X[J] = (sum[i] a[i,j]*x[i])/6', 8);
-- in two orders of loops, by one name and by two
SELECT same, sum, scans < 8 AS kept FROM compare_loops('y[j] = sum[i] a[i,j]*x[i]; X[I] = (sum[j] a[i,j]*y[j])/40', 8);
SELECT same, sum, scans < 8 AS kept FROM compare_loops('y[j] = sum[i] a[i,j]*x[i]; X[I] = (sum[j] t[i,j]*y[j])/40', 8);
-- which columns are keys is part of what is kept, and so are values
SELECT same, sum, scans < 8 AS kept FROM compare_loops('X[J] = (sum[i] a[i,j]*x[i])/9 + (sum[i] t[i,j]*x[i])/9', 8);
SELECT same, sum, scans < 8 AS kept FROM compare_loops('y[j] = sum[i] a[i,j]*x[i]; X[I] = (sum[j] m[i,j]*y[j])/70', 8);
SELECT same, sum, scans < 8 AS kept FROM compare_loops('X[J] = (sum[i] a[i,j]*x[i])/9 + (sum[i] u[i,j]*x[i])/9', 8);
-- so are conditions
SELECT same, sum FROM compare_loops('X[J] = (sum[i] a[i,j]*x[i])/9 + s[j]*(sum[i] a[i,i]*x[i])/9', 8);
-- results that are computed once
SELECT same, sum, scans < 8 AS kept FROM compare_loops('d[i] = sum[j] a[i,j]; X[J] = (sum[i] a[i,j]*x[i]/d[i])', 8);
-- views, and what is looked up in a dimension
CREATE VIEW both_ways AS SELECT i, j, 1::float8 AS n FROM edge UNION SELECT j, i, 1 FROM edge;
SELECT einsum_register('bw[I,J]', 'both_ways', keys => '{i,j}', value => 'n', bounds => '{100000,100000}', duplicates => 'trust');
CREATE TABLE names (name text PRIMARY KEY);
INSERT INTO names SELECT 'n' || n FROM generate_series(0, 9) n;
CREATE VIEW named AS SELECT 'n' || i AS i, 'n' || j AS j, w FROM edge GROUP BY i, j, w;
SELECT einsum_dimension('names', 'names', 'name'), einsum_register('nm[I,J]', 'named', keys => '{i,j}', value => 'w', bounds => '{names,names}', duplicates => 'trust');
SELECT same, sum, scans < 16 AS kept FROM compare_loops('X[J] = (sum[i] bw[i,j]*x[i])/6', 8);
CREATE FUNCTION named_loop(nodes text, OUT result text, OUT scans bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', nodes, true);
	scans := scans('edge') + scans('names');
	result := (SELECT string_agg(n || ':' || round(value::numeric, 6), ' ' ORDER BY n)
		FROM einsum_iterate_rows('x[n] = names[n]', 'x[m] = (sum[n] nm[n,m]*x[n])/6', max_rounds => 8) AS x(n text, value float8));
	scans := scans('edge') + scans('names') - scans;
END $$;
SELECT (SELECT result FROM named_loop('off')) = result AS same, result LIKE '%n9:%' AS some, scans < 16 AS kept FROM named_loop('force');
-- what the next query reads is read with what the first one does
SELECT same, sum, scans FROM compare_loops('d[i] = sum[j] a[i,j]; X[J] = (sum[i] a[i,j]*x[i]/d[i])', 8);
SELECT same, sum, scans FROM compare_loops('d[j] = sum[i] u[i,j]; y[i] = sum[j] u[i,j]*x[j]; X[J] = (sum[i] u[i,j]*y[i]*d[j])/40', 8);
CREATE TABLE counted (i int, j int, n int NOT NULL, k int, note text, PRIMARY KEY (i, j));
INSERT INTO counted SELECT i, j, 1 + (i + j) % 3, nullif(i, 3), CASE WHEN j % 2 = 0 THEN 'even' END FROM edge;
SELECT einsum_register('c[I,J]', 'counted', keys => '{i,j}', value => 'n', bounds => '{100000,100000}');
SELECT same, sum, scans FROM compare_loops('d[i] = sum[j] c[i,j]; X[J] = (sum[i] c[i,j]*x[i]/d[i])', 8, 'counted');
-- a key that is NULL in some rows is read by the query alone that wants it
CREATE VIEW noted AS SELECT k, j, n FROM counted;
CREATE VIEW numbered AS SELECT j, n, i FROM counted;
SELECT einsum_register('gapped[K,J]', 'noted', keys => '{k,j}', value => 'n', bounds => '{100000,100000}', duplicates => 'trust');
SELECT einsum_register('whole[J,I]', 'numbered', keys => '{j,i}', value => 'n', bounds => '{100000,100000}', duplicates => 'trust');
SELECT same, sum FROM compare_loops('d[i] = sum[j] whole[j,i]; X[J] = (sum[i] gapped[i,j]*x[i]/d[i])', 8, 'counted');
-- more than fits in memory
CREATE TABLE many (i int, j int, w float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO many SELECT i % 10, i / 10, 1.0/(1 + i % 7) FROM generate_series(0, 9999) i;
SELECT einsum_register('b[I,K]', 'many', keys => '{i,j}', value => 'w', bounds => '{100000,100000}');
SELECT same, sum, scans < 6 AS kept FROM compare_loops('X[K] = s[K] + (sum[I] b[I,K]*x[I])/40', 6, 'many');
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT same, sum, scans >= 6 AS again FROM compare_loops('X[K] = s[K] + (sum[I] b[I,K]*x[I])/40', 6, 'many');
RESET work_mem;
RESET hash_mem_multiplier;
-- tensors: within sparseeinsum.cache_size
CREATE TABLE wide (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO wide SELECT i, (SELECT stack(((i*31 + k) % 17)::float8, k, 0, 400) FROM generate_series(0, 399) k) FROM generate_series(0, 9) i;
SELECT einsum_register('v[I,k]', 'wide', keys => '{i}', value => 'v', bounds => '{100000,400}');
SELECT same, sum, scans < 12 AS kept FROM compare_loops('z[k] = sum[i] v[i,k]*x[i]; X[I] = (sum[k] v[i,k]*z[k])/150000', 6, 'wide');
SET sparseeinsum.cache_size = '16kB';
SELECT same, sum, scans >= 12 AS again FROM compare_loops('z[k] = sum[i] v[i,k]*x[i]; X[I] = (sum[k] v[i,k]*z[k])/150000', 6, 'wide');
RESET sparseeinsum.cache_size;
-- what a policy says may be another thing in the next round, unless it is of the row alone
CREATE ROLE regress_kept;
GRANT ALL ON SCHEMA kept TO regress_kept;
GRANT SELECT, INSERT, UPDATE, DELETE, REFERENCES ON ALL TABLES IN SCHEMA kept TO regress_kept;
ALTER TABLE edge ENABLE ROW LEVEL SECURITY;
CREATE POLICY light ON edge USING (w < 3);
SELECT einsum_drop('l');
SET ROLE regress_kept;
SELECT same, sum, scans < 8 AS kept FROM compare_loops('X[J] = (sum[i] a[i,j]*x[i])/3', 8);
RESET ROLE;
DROP POLICY light ON edge;
CREATE POLICY light ON edge USING (w < current_setting('kept.most')::float8);
SET ROLE regress_kept;
SET kept.most = 3;
SELECT same, sum, scans >= 8 AS again FROM compare_loops('X[J] = (sum[i] a[i,j]*x[i])/3', 8);
SELECT einsum_drop('l');
RESET ROLE;
ALTER TABLE edge DISABLE ROW LEVEL SECURITY;
DROP OWNED BY regress_kept;
DROP ROLE regress_kept;

-- all rounds of the function see one snapshot, whatever a function in it writes
CREATE FUNCTION bump() RETURNS float8 VOLATILE LANGUAGE plpgsql AS $$
BEGIN
	UPDATE kept.edge SET w = w + 1;
	RETURN 0;
END $$;
CREATE VIEW bumped AS SELECT i, one + bump() AS one FROM start;
SELECT einsum_register('n[I]', 'bumped', keys => '{i}', value => 'one', bounds => '{100000}', duplicates => 'trust');
-- the estimate of the view calls it, too
SELECT einsum_analyze('n');
TRUNCATE edge;
INSERT INTO edge TABLE saved;
SELECT same, sum FROM compare_loops('X[J] = (sum[i] a[i,j]*x[i]*n[i])/6', 4, restored => true);

-- an error in the middle gives all back
SET sparseeinsum.enable_aggregate_join = force;
SELECT count(*) FROM einsum_iterate('l', 'X[I] = s[i]', 'X[J] = 1e100*(sum[i] a[i,j]*x[i])', max_rounds => 10, restart => true);
DO $$
BEGIN
	PERFORM count(*) FROM einsum_iterate('l', 'X[I] = s[i]', 'X[J] = 1e100*(sum[i] a[i,j]*x[i])', max_rounds => 10, restart => true);
EXCEPTION WHEN numeric_value_out_of_range THEN
	PERFORM count(*) FROM einsum_iterate('l', 'X[I] = s[i]', 'X[J] = (sum[i] a[i,j]*x[i])/6', max_rounds => 3, restart => true);
END $$;
SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'kept operand%';
RESET sparseeinsum.enable_aggregate_join;

-- what the loop itself writes between its transactions is seen in the next one
CREATE TABLE log (n int);
CREATE FUNCTION raise_weights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE kept.edge SET w = w + 1 WHERE i = 0;
	INSERT INTO kept.log VALUES (1);
	RETURN NULL;
END $$;
DROP TABLE x CASCADE;
CREATE TABLE states (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('x[I]', 'states', keys => '{i}', value => 'v', bounds => '{100000}');
CREATE TABLE result (mode text, i int, v numeric);
CREATE PROCEDURE again(mode text, every int) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', mode, false);
	TRUNCATE states; TRUNCATE log; TRUNCATE edge;
	INSERT INTO edge TABLE saved;
	INSERT INTO states TABLE start;
	COMMIT;
	CALL einsum_iterate('p', NULL, 'X[J] = (sum[i] a[i,j]*x[i])/6', every, max_rounds => 12, assign => '{x}');
	INSERT INTO result SELECT mode, states.i, round(states.v::numeric, 6) FROM states;
END $$;
CREATE FUNCTION compared() RETURNS TABLE (same bool, entries bigint) LANGUAGE sql AS $$
	WITH gone AS (DELETE FROM result RETURNING *)
	SELECT (SELECT array_agg(v ORDER BY i) FROM gone WHERE mode = 'off') = (SELECT array_agg(v ORDER BY i) FROM gone WHERE mode = 'force'), count(*) FROM gone$$;
CALL again('off', 1);
SELECT FROM pg_stat_force_next_flush();
SELECT FROM pg_stat_reset_single_table_counters('edge'::regclass);
CALL again('force', 1);
SELECT FROM pg_stat_force_next_flush();
-- nothing but the state has been written: tables need not be read in each transaction
SELECT pg_stat_get_numscans('edge'::regclass) BETWEEN 1 AND 11 AS kept;
SELECT * FROM compared();
CREATE TRIGGER raise_weights AFTER UPDATE ON states FOR EACH STATEMENT EXECUTE FUNCTION raise_weights();
CALL again('off', 1);
CALL again('force', 1);
SELECT * FROM compared();
SELECT count(*) AS raised FROM log;
CALL again('off', 5);
CALL again('force', 5);
SELECT * FROM compared();
-- the table is another file
CREATE OR REPLACE FUNCTION raise_weights() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE former ON COMMIT DROP AS TABLE kept.edge;
	TRUNCATE kept.edge;
	INSERT INTO kept.edge SELECT i, j, w + 0.5, l FROM former;
	RETURN NULL;
END $$;
CALL again('off', 1);
CALL again('force', 1);
SELECT * FROM compared();
-- what a partial index implies is part of what is kept
CREATE TABLE weights (i int, j int, w float8 NOT NULL);
INSERT INTO weights SELECT i/50, (i*7) % 991, CASE WHEN i < 500 THEN 5 ELSE 1 END FROM generate_series(0, 49999) i;
CREATE INDEX ON weights (i) WHERE w > 2;
CREATE VIEW heavy AS SELECT i, j, w FROM weights WHERE w > 2;
CREATE VIEW light AS SELECT i, j, w FROM weights;
CREATE TABLE begin (i int PRIMARY KEY, one float8 NOT NULL);
INSERT INTO begin SELECT i, 1 FROM generate_series(0, 999) i;
ANALYZE weights, begin;
SELECT einsum_register('la[I,J]', 'light', keys => '{i,j}', value => 'w', bounds => '{*,*}', duplicates => 'trust');
SELECT einsum_register('ha[I,J]', 'heavy', keys => '{i,j}', value => 'w', bounds => '{*,*}', duplicates => 'trust');
SELECT einsum_register('o[I]', 'begin', keys => '{i}', value => 'one', bounds => '{*}');
CREATE FUNCTION weighed(mode text) RETURNS numeric LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', mode, true);
	PERFORM count(*) FROM einsum_iterate('h', 'H[I] = o[i]', 'p[i] = sum[j] la[i,j]*h[j]; q[i] = sum[j] ha[i,j]*h[j]; H[I] = p[i]/10 + q[i]*100', max_rounds => 2, restart => true);
	RETURN (SELECT round(sum(value)::numeric, 2) FROM h);
END $$;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT weighed('off'), weighed('on'), weighed('force');
RESET enable_seqscan;
RESET enable_bitmapscan;

-- triggers that wait for the commit have written by then
CREATE TABLE late_states (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('z[I]', 'late_states', keys => '{i}', value => 'v', bounds => '{100000}');
CREATE FUNCTION heavier() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN UPDATE kept.edge SET w = w + 1 WHERE i = 0; RETURN NULL; END$$;
CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON late_states DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.i = 0) EXECUTE FUNCTION heavier();
CREATE TABLE late_result (mode text, i int, v numeric);
CREATE PROCEDURE again(mode text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.enable_aggregate_join', mode, false);
	TRUNCATE late_states, edge;
	INSERT INTO edge TABLE saved;
	INSERT INTO late_states TABLE start;
	COMMIT;
	CALL einsum_iterate('late', NULL, 'Z[J] = (sum[i] a[i,j]*z[i])/6', 1, max_rounds => 12, assign => '{z}');
	INSERT INTO late_result SELECT mode, late_states.i, round(late_states.v::numeric, 6) FROM late_states;
END $$;
CALL again('off');
CALL again('force');
SELECT count(*) = 2 * count(DISTINCT (i, v)) AS same, max(v) > 10 AS heavier FROM late_result;

DROP SCHEMA kept CASCADE;
