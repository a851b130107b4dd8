-- einsum_refresh writes what differs, and leaves the tables as their queries are
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
CREATE SCHEMA refresh_test;
SET search_path = refresh_test, public;
CREATE TABLE person (name text COLLATE "C" PRIMARY KEY, city text NOT NULL);
INSERT INTO person SELECT 'person ' || i, 'city ' || i % 7 FROM generate_series(1, 40) i;
CREATE TABLE a (i smallint, j bigint, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, j, i + j FROM generate_series(0, 39) i, generate_series(0, 24) j WHERE (i * 7 + j * 3) % 5 = 0;
CREATE TABLE h (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO h SELECT j, ARRAY[j, 1, -j]::float8[]::tensor FROM generate_series(0, 24) j;
CREATE TABLE likes (name text COLLATE "C" REFERENCES person, j int, v float8 NOT NULL, PRIMARY KEY (name, j));
INSERT INTO likes SELECT 'person ' || i, j, 1 FROM generate_series(1, 40) i, generate_series(0, 24) j WHERE (i + j) % 6 = 0;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{40,25}'), einsum_register('h[J,k]', 'h', '{j}', 'v', '{25,3}'),
	einsum_register('likes[P,J]', 'likes', '{name,j}', 'v', '{*,25}');
SELECT view FROM einsum_decompose('degree[I] = sum[j] a[i,j]; pair[I,J] = 2*a[i,j]; mixed[I,k] = sum[j] a[i,j]*h[j,k];
	liked[P,k] = sum[j] likes[p,j]*h[j,k]; often[P] = max[j] likes[p,j]; total[] = sum[i] degree[i]', 'kept', materialize => 'always') ORDER BY view::text;

\i test/sql/include/differing.sql
CREATE FUNCTION differing() RETURNS TABLE (relation text) LANGUAGE sql AS $$ SELECT differing_in('{degree,pair,mixed,liked,often,total}', '*', '*__query') $$;
CREATE FUNCTION versions(relation regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT md5(string_agg(ctid::text || xmin, '','' ORDER BY ctid)) FROM %s', relation) INTO result;
	RETURN result;
END $$;

-- nothing has changed: no row is written
SELECT versions('pair') AS pair, versions('liked') AS liked \gset
SELECT tensor, how, why, changes, written FROM einsum_refresh('kept');
SELECT versions('pair') = :'pair' AND versions('liked') = :'liked' AS same;
SELECT tensor, how, why FROM einsum_refresh('kept', whole => true);
SELECT versions('pair') = :'pair' AS same;

-- one row; one that comes, one that goes
UPDATE a SET v = v + 1 WHERE i = 10 AND j = 0;
SELECT tensor, how, changes, written FROM einsum_refresh('kept') WHERE how <> 'whole';
INSERT INTO a VALUES (1, 2, 5);
DELETE FROM a WHERE i = 0 AND j = 5;
DELETE FROM likes WHERE name = 'person 3';
SELECT tensor, how, changes, written FROM einsum_refresh('kept') WHERE how <> 'whole';
SELECT * FROM differing();

-- changes at random, few and many, with numbers that compare unlike others
DO $$
DECLARE
	few int;
BEGIN
	PERFORM setseed(0.25);
	FOR step IN 1..40 LOOP
		few := CASE WHEN step % 5 = 0 THEN 400 ELSE 1 + step % 3 END;
		FOR change IN 1..few LOOP
			CASE floor(random() * 5)
				WHEN 0 THEN DELETE FROM a WHERE i = floor(random() * 40) AND j = floor(random() * 25);
				WHEN 1 THEN INSERT INTO a VALUES (floor(random() * 40), floor(random() * 25),
					(ARRAY['NaN', 'Infinity', '-0', '0', '1.5', '-7'])[1 + floor(random() * 6)]::float8) ON CONFLICT (i, j) DO UPDATE SET v = excluded.v;
				WHEN 2 THEN UPDATE h SET v = ARRAY[floor(random() * 16) / 4, 0, step]::float8[]::tensor WHERE j = floor(random() * 25);
				WHEN 3 THEN INSERT INTO likes VALUES ('person ' || 1 + floor(random() * 40), floor(random() * 25), step) ON CONFLICT (name, j) DO UPDATE SET v = excluded.v;
				ELSE DELETE FROM likes WHERE name = 'person ' || 1 + floor(random() * 40) AND j < 10;
			END CASE;
		END LOOP;
		PERFORM einsum_refresh('kept');
		IF EXISTS (SELECT FROM differing()) THEN
			RAISE EXCEPTION 'step %: %', step, (SELECT string_agg(relation, ', ') FROM differing());
		END IF;
	END LOOP;
END $$;
UPDATE a SET v = 1;
SELECT tensor, how, why IS NOT NULL AS has_reason FROM einsum_refresh('kept') WHERE tensor IN ('degree', 'pair', 'often');
SELECT * FROM differing();

-- rows written by hand are as the query has them again
UPDATE degree SET value = 1000 WHERE i = 10;
DELETE FROM often WHERE p = 'person 7';
INSERT INTO often VALUES ('person of nowhere', 3);
SELECT tensor, how, changes FROM einsum_refresh('kept') WHERE tensor IN ('degree', 'often');
SELECT * FROM differing();

-- columns of the owner's, and rows that refer to those of a result, stay with rows that stay
ALTER TABLE degree ADD COLUMN note text;
UPDATE degree SET note = 'mine' WHERE i = 10;
CREATE TABLE comment (i int REFERENCES degree ON DELETE CASCADE, words text);
INSERT INTO comment SELECT i, 'words' FROM degree WHERE i IN (9, 10);
DELETE FROM a WHERE i = 9;
SELECT tensor, how, changes FROM einsum_refresh('kept') WHERE tensor = 'degree';
SELECT i, note FROM degree WHERE note IS NOT NULL;
TABLE comment;

-- also where most rows differ
ALTER TABLE degree DROP COLUMN note;
ALTER TABLE pair ADD COLUMN note text;
UPDATE pair SET note = 'mine' WHERE i = 10;
UPDATE a SET v = v + 1 WHERE i <> 10;
SELECT tensor, how, why FROM einsum_refresh('kept') WHERE tensor IN ('degree', 'pair');
SELECT DISTINCT i FROM pair WHERE note IS NOT NULL;
TABLE comment;
ALTER TABLE pair DROP COLUMN note;
SELECT * FROM differing();
-- triggers see the rows that differ; what they write counts
CREATE TABLE seen (what text, i int);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO refresh_test.seen VALUES (TG_OP, COALESCE(new.i, old.i));
	IF TG_OP = 'UPDATE' AND pg_trigger_depth() = 1 THEN
		DELETE FROM refresh_test.degree WHERE i = 20;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON degree FOR EACH ROW EXECUTE FUNCTION note();
UPDATE a SET v = v + 1 WHERE i = 10;
SELECT tensor, how, changes FROM einsum_refresh('kept') WHERE tensor = 'degree';
TABLE seen;
SELECT * FROM differing();
DROP TRIGGER note ON degree;

-- what cannot be compared row by row
CREATE RULE also AS ON UPDATE TO pair DO ALSO NOTHING;
SELECT tensor, how, why FROM einsum_refresh('kept') WHERE tensor IN ('pair', 'total');
DROP RULE also ON pair;
TRUNCATE often;
SELECT tensor, how, why FROM einsum_refresh('kept') WHERE tensor = 'often';
SELECT * FROM differing();
-- an error leaves everything as it was
SELECT versions('degree') AS degree \gset
UPDATE a SET v = v + 1 WHERE i = 10;
UPDATE h SET v = '[1,2]' WHERE j = 3;
SELECT tensor FROM einsum_refresh('kept');
SELECT versions('degree') = :'degree' AS same;
UPDATE h SET v = '[1,2,3]' WHERE j = 3;
-- in a transaction with its own changes, and behind a savepoint
BEGIN;
UPDATE a SET v = 2 * v WHERE i = 10;
SAVEPOINT s;
DELETE FROM a WHERE i = 11;
SELECT count(*) FROM einsum_refresh('kept');
SELECT * FROM differing();
ROLLBACK TO s;
SELECT count(*) FROM einsum_refresh('kept');
SELECT * FROM differing();
COMMIT;
SELECT * FROM differing();
-- columns of other types than the query's are converted, as by INSERT
SELECT count(*) FROM einsum_decompose('open[P,J] = 2*likes[p,j]', 'altered', materialize => 'always');
ALTER TABLE open ALTER COLUMN value TYPE numeric USING 1;
SELECT tensor, how, why FROM einsum_refresh('altered');
SELECT bool_and(o.value = q.value) AS same, count(*) > 0 AS some FROM open o JOIN open__query q USING (p, j);
ALTER TABLE open ALTER COLUMN value TYPE real USING 1;
SELECT how FROM einsum_refresh('altered');
SELECT bool_and(o.value = q.value) AS same FROM open o JOIN open__query q USING (p, j);
ALTER TABLE open ALTER COLUMN value TYPE float8, ALTER COLUMN p TYPE varchar(20) USING 'x' || ctid::text;
SELECT how FROM einsum_refresh('altered');
SELECT count(*) FROM einsum_decompose('wide[I,J] = 2*a[i,j]', 'altered', materialize => 'always', replace => true);
ALTER TABLE wide DROP CONSTRAINT wide_i_check, ALTER COLUMN i TYPE text;
SELECT how, why FROM einsum_refresh('altered');
SELECT count(*) FROM (SELECT i::text, j, value FROM wide EXCEPT SELECT i::text, j, value FROM wide__query) d;
SELECT count(*) FROM einsum_decompose('wide[I,J] = 2*a[i,j]', 'altered', materialize => 'always', replace => true);
CREATE OR REPLACE VIEW wide__query AS SELECT NULL::smallint AS i, j, v AS value FROM a;
SELECT how, why FROM einsum_refresh('altered');
CREATE OR REPLACE VIEW wide__query AS SELECT i, j, NULL::float8 AS value FROM a;
SELECT how, why FROM einsum_refresh('altered');
-- a transaction that keeps its snapshot conflicts with refreshes since
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT tensor, why FROM einsum_refresh('kept') WHERE tensor IN ('degree', 'liked');
COMMIT;
-- a refresh within a refresh
SELECT count(*) FROM einsum_decompose('inner_[P,J] = 3*likes[p,j]; outer_[I] = sum[j] a[i,j]', 'nested', materialize => 'always');
CREATE FUNCTION refresh_other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM refresh_test.again(); RETURN NULL; END $$;
CREATE FUNCTION again() RETURNS void LANGUAGE sql AS $$ SELECT count(*) FROM public.einsum_refresh('kept', 'refresh_test') $$;
CREATE TRIGGER refresh_other AFTER UPDATE ON outer_ FOR EACH STATEMENT EXECUTE FUNCTION refresh_other();
UPDATE a SET v = v + 1 WHERE i = 10;
UPDATE likes SET v = v + 1 WHERE j = 3;
SELECT tensor, how FROM einsum_refresh('nested');
SELECT * FROM differing();
DROP SCHEMA refresh_test CASCADE;
