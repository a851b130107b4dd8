-- einsum_refresh leaves out what nothing has changed below, as logs tell
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
CREATE SCHEMA kept;
SET search_path = kept, public;
CREATE TABLE edge (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, j, i + j FROM generate_series(0, 9) i, generate_series(0, 9) j WHERE (i + j) % 3 = 0;
CREATE TABLE weight (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO weight SELECT j, j FROM generate_series(0, 9) j;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', 'v', '{10,10}'), einsum_register('w[J]', 'weight', '{j}', 'v', '{10}');
CREATE FUNCTION refreshed() RETURNS TABLE (tensor text, how text, why text, changes bigint) LANGUAGE sql AS
	$$ SELECT tensor, how, why, changes FROM einsum_refresh('p') $$;
CREATE FUNCTION differing() RETURNS TABLE (relation text) LANGUAGE plpgsql AS $$
DECLARE
	differs boolean;
BEGIN
	FOREACH relation IN ARRAY ARRAY['y', 'z', 'double'] LOOP
		EXECUTE format('SELECT EXISTS ((TABLE kept.%1$I EXCEPT ALL TABLE kept.%2$I) UNION ALL (TABLE kept.%2$I EXCEPT ALL TABLE kept.%1$I))',
			relation, relation || '__query') INTO differs;
		CONTINUE WHEN NOT differs;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT view FROM einsum_decompose('y[I] = sum[j] a[i,j]*w[j]; z[] = sum[i] y[i]*y[i]; double[I,J] = 2*a[i,j]', 'p', materialize => 'always') ORDER BY 1;
SELECT * FROM refreshed();
SELECT einsum_log('a');
SELECT * FROM refreshed();
SELECT einsum_log('w');
SELECT * FROM refreshed();
SELECT * FROM refreshed();

-- what changes is computed, with what reads it
UPDATE edge SET v = v + 1 WHERE (i, j) = (1, 2);
SELECT * FROM refreshed();
SELECT * FROM refreshed();
UPDATE weight SET v = v WHERE j = 0;
SELECT * FROM refreshed();
DELETE FROM edge WHERE i = 3;
INSERT INTO weight VALUES (3, 7) ON CONFLICT (j) DO UPDATE SET v = excluded.v;
SELECT * FROM refreshed();
SELECT * FROM differing();
TRUNCATE weight;
SELECT * FROM refreshed();
SELECT * FROM differing();
INSERT INTO weight SELECT j, j FROM generate_series(0, 9) j;
SELECT * FROM refreshed();

-- logs are emptied but for a row that says so
SELECT statement, sign, v FROM edge__log;
SELECT statement, sign, v FROM weight__log;

-- changes of the same transaction, before and behind a refresh, and those that are rolled back
BEGIN;
UPDATE weight SET v = 50 WHERE j = 5;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
SELECT tensor, how FROM refreshed();
UPDATE weight SET v = 6 WHERE j = 5;
SAVEPOINT s;
DELETE FROM edge;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
ROLLBACK TO s;
SELECT * FROM differing();
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
UPDATE weight SET v = 7 WHERE j = 5;
COMMIT;
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing();
SELECT * FROM refreshed();
BEGIN;
UPDATE edge SET v = 0;
SELECT tensor, how FROM refreshed();
ROLLBACK;
SELECT * FROM refreshed();
SELECT * FROM differing();

-- triggers that are off: what they would have written is not missed
ALTER TABLE edge DISABLE TRIGGER USER;
SELECT DISTINCT tensor, log FROM einsum_tensors WHERE relation = 'edge'::regclass;
SELECT * FROM refreshed();
UPDATE edge SET v = v * 2;
ALTER TABLE edge ENABLE TRIGGER USER;
SELECT * FROM refreshed();
SELECT * FROM differing();
ALTER TABLE edge ENABLE REPLICA TRIGGER sparseeinsum_log_replicated;
ALTER TABLE edge ENABLE ALWAYS TRIGGER sparseeinsum_log_truncate;
SELECT count(*) FROM refreshed();
SELECT tensor, how, why FROM refreshed();
ALTER TABLE edge DISABLE TRIGGER USER;
UPDATE edge SET v = v / 2;
ALTER TABLE edge ENABLE TRIGGER USER;
ALTER TABLE edge ENABLE REPLICA TRIGGER sparseeinsum_log_replicated;
ALTER TABLE edge ENABLE ALWAYS TRIGGER sparseeinsum_log_truncate;
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();
-- each row is logged once, though all triggers are enabled alike
ALTER TABLE edge ENABLE TRIGGER USER;
UPDATE edge SET v = 1 WHERE (i, j) = (0, 0);
SELECT i, j, v, sign FROM edge__log WHERE statement >= 0;
ALTER TABLE edge ENABLE ALWAYS TRIGGER sparseeinsum_log_replicated;
ALTER TABLE edge ENABLE ALWAYS TRIGGER sparseeinsum_log_update;
SELECT * FROM refreshed();
SELECT * FROM refreshed();
UPDATE edge SET v = 2 WHERE (i, j) = (0, 0);
SELECT i, j, v, sign FROM edge__log WHERE statement >= 0;
SET session_replication_role = replica;
UPDATE edge SET v = 3 WHERE (i, j) = (0, 0);
RESET session_replication_role;
SELECT i, j, v, sign FROM edge__log WHERE statement >= 0;
SELECT einsum_log('a');
SELECT tensor, how FROM refreshed();
SELECT * FROM differing();

-- a log that is not found for a while
ALTER TABLE edge RENAME TO link;
UPDATE link SET v = 4 WHERE (i, j) = (0, 0);
ALTER TABLE edge__log RENAME TO link__log;
SELECT * FROM refreshed();
SELECT * FROM differing();
ALTER TABLE link RENAME TO edge;
ALTER TABLE link__log RENAME TO edge__log;
-- a log that is emptied, a table that is rewritten, a result that is emptied or written by hand
UPDATE edge SET v = 5 WHERE (i, j) = (0, 0);
TRUNCATE edge__log;
SELECT * FROM refreshed();
SELECT * FROM differing();
VACUUM FULL weight;
SELECT * FROM refreshed();
SELECT * FROM differing();
TRUNCATE y;
SELECT * FROM refreshed();
SELECT * FROM differing();
UPDATE y SET value = 0 WHERE i = 1;
SELECT * FROM refreshed();
SELECT tensor, how, why FROM einsum_refresh('p', whole => true);
SELECT * FROM differing();
INSERT INTO edge__log (xid) VALUES (NULL);
SELECT tensor, how FROM refreshed();
SELECT tensor, how FROM refreshed();

-- a log that cannot be written for a while; triggers that do not fire for every change
DELETE FROM weight__log;
ALTER TABLE weight__log ALTER v SET NOT NULL;
UPDATE weight SET v = v + 1 WHERE j = 1;
ALTER TABLE weight__log ALTER v DROP NOT NULL;
SELECT * FROM refreshed();
SELECT * FROM differing();
CREATE OR REPLACE TRIGGER sparseeinsum_log_update AFTER UPDATE ON weight REFERENCING OLD TABLE AS old NEW TABLE AS new
	FOR EACH STATEMENT WHEN (false) EXECUTE FUNCTION sparseeinsum_internal.log_change();
SELECT * FROM refreshed();
UPDATE weight SET v = v + 1 WHERE j = 1;
SELECT tensor, how, why FROM refreshed();
SELECT * FROM differing();
SELECT einsum_log('w');
SELECT tensor, how FROM refreshed();

-- partitions, written directly and through the parent, that come and go
CREATE TABLE part (i int PRIMARY KEY, v float8 NOT NULL) PARTITION BY RANGE (i);
CREATE TABLE part_a PARTITION OF part FOR VALUES FROM (0) TO (5);
INSERT INTO part SELECT i, i FROM generate_series(0, 4) i;
SELECT einsum_register('c[I]', 'part', '{i}', 'v', '{20}'), einsum_log('c');
SELECT view FROM einsum_decompose('of_part[I] = 2*c[i]', 'of_part', materialize => 'always');
SELECT how, why, changes FROM einsum_refresh('of_part');
UPDATE part_a SET v = 10 WHERE i = 1;
SELECT how, why, changes FROM einsum_refresh('of_part');
CREATE TABLE part_b PARTITION OF part FOR VALUES FROM (5) TO (10);
INSERT INTO part VALUES (6, 6);
SELECT how, why, changes FROM einsum_refresh('of_part');
SELECT einsum_log('c');
SELECT how, changes FROM einsum_refresh('of_part');
INSERT INTO part_b VALUES (7, 7);
UPDATE part SET v = 11 WHERE i = 1;
SELECT how, why, changes FROM einsum_refresh('of_part');
SELECT how, why, changes FROM einsum_refresh('of_part');
ALTER TABLE part DETACH PARTITION part_b;
SELECT how, why, changes FROM einsum_refresh('of_part');
SELECT count(*) FROM (TABLE of_part EXCEPT TABLE of_part__query) x;

-- a statement that still runs: its log is written behind the refresh, and is pending then
CREATE FUNCTION refresh_now() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM einsum_refresh('p', 'kept'); RETURN NULL; END $$;
CREATE TRIGGER refresh_each AFTER UPDATE ON edge FOR EACH ROW EXECUTE FUNCTION refresh_now();
UPDATE edge SET v = v + 1 WHERE i = 1;
SELECT * FROM refreshed();
SELECT * FROM differing();
DROP TRIGGER refresh_each ON edge;
CREATE TRIGGER a_refresh AFTER UPDATE ON edge EXECUTE FUNCTION refresh_now();
UPDATE edge SET v = v + 1 WHERE i = 1;
SELECT * FROM refreshed();
SELECT * FROM differing();
DROP TRIGGER a_refresh ON edge;
WITH changed AS (UPDATE edge SET v = v + 1 WHERE i = 1 RETURNING i)
	SELECT count(*), (SELECT string_agg(how, ',') FROM refreshed()) FROM changed;
SELECT * FROM refreshed();
SELECT * FROM differing();
-- when the transaction commits
CREATE CONSTRAINT TRIGGER refresh_at_commit AFTER UPDATE ON edge DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refresh_now();
UPDATE edge SET v = v + 1 WHERE i = 1;
SELECT * FROM differing();
SELECT * FROM refreshed();
DROP TRIGGER refresh_at_commit ON edge;

-- what is altered in the transaction that computes
BEGIN;
CREATE VIEW seen AS SELECT j, v FROM weight;
SELECT einsum_register('seen[J]', 'seen', '{j}', 'v', '{10}', duplicates => 'sum');
SELECT view FROM einsum_decompose('of_seen[J] = 2*seen[j]', 'of_seen', materialize => 'always');
CREATE OR REPLACE VIEW seen AS SELECT j, v + 1 AS v FROM weight;
SELECT how, why, changes FROM einsum_refresh('of_seen');
TRUNCATE of_seen;
SELECT how, why FROM einsum_refresh('of_seen');
COMMIT;
SELECT count(*) FROM (TABLE of_seen__query EXCEPT TABLE of_seen) x;
-- what is not logged in WAL
ALTER TABLE edge SET UNLOGGED;
SELECT * FROM refreshed();
ALTER TABLE edge SET LOGGED;
SELECT count(*) FROM refreshed();
SELECT * FROM refreshed();

-- what no log tells of is computed
CREATE VIEW shown AS SELECT j, v FROM weight;
CREATE MATERIALIZED VIEW stored AS SELECT j, v FROM weight;
CREATE VIEW drawn AS SELECT j, v + 0*random() AS v FROM weight;
CREATE VIEW dated AS SELECT j, v * extract(day FROM CURRENT_DATE)::float8 AS v FROM weight;
CREATE VIEW sampled AS SELECT j, v FROM weight TABLESAMPLE bernoulli (50);
CREATE FUNCTION twice(x float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS 'SELECT 2*x';
CREATE VIEW doubled AS SELECT j, twice(v) AS v FROM weight;
CREATE TABLE secret (LIKE weight INCLUDING ALL);
INSERT INTO secret VALUES (1, 1), (2, 2);
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
SELECT count(einsum_register(t || '[J]', t, '{j}', 'v', '{10}', duplicates => 'sum')) FROM unnest(ARRAY['shown', 'stored', 'drawn', 'dated', 'doubled', 'secret']) t;
SELECT einsum_log('secret');
SELECT count(*) FROM unnest(ARRAY['shown', 'stored', 'drawn', 'dated', 'doubled', 'secret']) t,
	einsum_decompose(format('of_%1$s[J] = sum[i] a[i,J]*%1$s[J]', t), 'q_' || t, materialize => 'always');
SELECT tensor, how, why FROM unnest(ARRAY['shown', 'stored', 'drawn', 'dated', 'doubled', 'secret']) t, einsum_refresh('q_' || t);
SELECT tensor, how, why FROM unnest(ARRAY['shown', 'stored', 'drawn', 'dated', 'doubled', 'secret']) t, einsum_refresh('q_' || t);
SELECT einsum_register('sampled[J]', 'sampled', '{j}', 'v', '{10}', duplicates => 'sum');
SELECT view FROM einsum_decompose('of_sampled[J] = 2*sampled[J]', 'q_sampled', materialize => 'always');
SELECT why IS DISTINCT FROM 'nothing that it reads has changed' AS computed FROM einsum_refresh('q_sampled', whole => false);
CREATE OR REPLACE VIEW shown AS SELECT j, v + 1 AS v FROM weight;
SELECT tensor, how, why, changes FROM einsum_refresh('q_shown');
-- two programs over one log: it keeps what one of them has not seen
SELECT count(*) FROM refreshed();
UPDATE weight SET v = 11 WHERE j = 1;
SELECT tensor, how FROM refreshed();
SELECT sign, v FROM weight__log WHERE statement >= 0;
SELECT tensor, how, changes FROM einsum_refresh('q_shown');
SELECT count(*) FROM (TABLE of_shown EXCEPT TABLE of_shown__query) x;
SELECT * FROM differing();

-- a transaction that keeps its snapshot; a program that is made again
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM refreshed();
UPDATE weight SET v = 12 WHERE j = 1;
SELECT tensor, how, why FROM refreshed();
COMMIT;
SELECT * FROM refreshed();
SELECT * FROM refreshed();
SELECT count(*) FROM einsum_decompose('y[I] = sum[j] a[i,j]*w[j]; z[] = sum[i] y[i]*y[i]; double[I,J] = 2*a[i,j]', 'p', materialize => 'always', replace => true);
SELECT * FROM refreshed();
SELECT count(*) FROM einsum_decompose('y[I] = sum[j] a[i,j]*w[j]; z[] = sum[i] y[i]*y[i]; double[I,J] = 3*a[i,j]', 'p', materialize => 'always', replace => true);
SELECT * FROM differing();
SELECT * FROM refreshed();

-- owners who may not read the log, and who may
CREATE ROLE refresh_logs_other;
GRANT USAGE, CREATE ON SCHEMA kept TO refresh_logs_other;
GRANT SELECT ON weight TO refresh_logs_other;
SET ROLE refresh_logs_other;
SELECT view FROM einsum_decompose('theirs[J] = w[J] + w[J]*w[J]', 'theirs', materialize => 'always');
SELECT tensor, how, why FROM einsum_refresh('theirs');
SELECT count(*) FROM sparseeinsum_internal.positions;
RESET ROLE;
GRANT SELECT ON weight__log TO refresh_logs_other;
SELECT tensor, how, why FROM einsum_refresh('theirs');
SELECT tensor, how, why FROM einsum_refresh('theirs');
UPDATE weight SET v = 13 WHERE j = 1;
SET ROLE refresh_logs_other;
SELECT tensor, how, why FROM einsum_refresh('theirs');
SELECT count(*) FROM (TABLE theirs EXCEPT TABLE theirs__query) x;
RESET ROLE;
-- refreshing runs no code of the log's owner, nor the caller's with more rights, and needs no right but SELECT on the log
CREATE FUNCTION attacked() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$;
CREATE TRIGGER attack BEFORE INSERT OR DELETE ON weight__log FOR EACH ROW EXECUTE FUNCTION attacked();
REVOKE ALL ON weight__log FROM CURRENT_USER;
UPDATE weight SET v = 14 WHERE j = 1;
SELECT count(*) FROM refreshed();
SELECT count(*) FROM einsum_refresh('q_shown') x, einsum_refresh('of_seen') y;
SET client_min_messages = error;
CREATE PUBLICATION everything FOR ALL TABLES;
SET ROLE refresh_logs_other;
SELECT tensor, how, why FROM einsum_refresh('theirs');
RESET ROLE;
SELECT count(*) FROM weight__log WHERE statement >= 0;
DROP PUBLICATION everything;
DROP TRIGGER attack ON weight__log;
ALTER TABLE weight__log ENABLE ROW LEVEL SECURITY;
SET ROLE refresh_logs_other;
SELECT tensor, how, why FROM einsum_refresh('theirs');
RESET ROLE;
ALTER TABLE weight__log DISABLE ROW LEVEL SECURITY;
SET client_min_messages = warning;
-- positions of results that are gone do not stay
SELECT einsum_drop('theirs');
SELECT tensor, how FROM einsum_refresh('p', whole => true);
SELECT count(*) FROM sparseeinsum_internal.positions p WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = p.result);
SET client_min_messages = error;
DROP SCHEMA kept CASCADE;
DROP OWNED BY refresh_logs_other;
DROP ROLE refresh_logs_other;
