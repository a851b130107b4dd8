-- Registrations while tables, columns, schemas and rights change
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA living_1;
CREATE SCHEMA living_2;
CREATE ROLE living_owner;
CREATE ROLE living_reader;
GRANT ALL ON SCHEMA living_1, living_2 TO living_owner;
GRANT USAGE ON SCHEMA living_1 TO living_reader;
-- extensions may live in a schema of the user's choice
SELECT extnamespace::regnamespace AS ext FROM pg_extension WHERE extname = 'sparseeinsum' \gset
GRANT USAGE ON SCHEMA :ext TO living_owner, living_reader;
SET search_path = living_1, public, sparseeinsum_internal;

-- an owner who is no superuser
SET ROLE living_owner;
CREATE TABLE edge (dst int NOT NULL, src int NOT NULL, weight float8, CONSTRAINT once UNIQUE (dst, src));
INSERT INTO edge VALUES (0, 1, 1), (1, 2, 2);
SELECT einsum_register('a[I,J]', 'edge', '{dst,src}', 'weight', '{4,4}');
SELECT count(*) > 0 AS measured FROM einsum_analyze('a');
GRANT SELECT ON edge TO living_reader;
SET ROLE living_reader;
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight');
SELECT einsum_unregister('a', 'edge');
SELECT einsum_analyze('a');
SELECT tensor, relation, bounds, analyzed, status FROM einsum_tensors WHERE schema ~ '^living';
SELECT count(*) FROM known_statistics('a');
SELECT * FROM einsum_statistics;
DELETE FROM einsum_statistics;
-- counts tell about data
RESET ROLE;
REVOKE SELECT ON edge FROM living_reader;
SET ROLE living_reader;
SELECT count(*) FROM known_statistics('a');
SELECT count(*) > 0 AS planned FROM einsum_plan('s[] = a[i,j]');
RESET ROLE;
GRANT SELECT (weight) ON edge TO living_reader;
SET ROLE living_reader;
SELECT count(*) FROM known_statistics('a');
RESET ROLE;
GRANT SELECT (dst, src) ON edge TO living_reader;
SET ROLE living_reader;
SELECT count(*) FROM known_statistics('a');
RESET ROLE;
REVOKE SELECT (weight, dst, src) ON edge FROM living_reader;
GRANT SELECT ON edge TO living_reader;
-- a member of the owning role may
GRANT living_owner TO living_reader;
SET ROLE living_reader;
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight');
SELECT einsum_unregister('b', 'edge');
RESET ROLE;
REVOKE living_owner FROM living_reader;

-- another owner's table is no further storage
CREATE TABLE edge_of_another (LIKE edge INCLUDING ALL);
SELECT einsum_register('a[I,J]', 'edge_of_another', '{dst,src}', 'weight');
ALTER TABLE edge_of_another OWNER TO living_owner;
SELECT einsum_register('a[I,J]', 'edge_of_another', '{dst,src}', 'weight', storage => 'further');
-- and one that becomes so is reported
ALTER TABLE edge_of_another OWNER TO living_reader;
SELECT relation, status FROM einsum_tensors WHERE tensor = 'a';
SELECT count(*) FROM known_statistics('a');
DROP TABLE edge_of_another;
SELECT count(*) FROM known_statistics('a');

-- renames of what has no part in the label
ALTER TABLE edge RENAME TO link;
ALTER TABLE link SET SCHEMA living_2;
SELECT tensor, schema, relation, status FROM einsum_tensors WHERE schema ~ '^living';
SELECT count(*) FROM known_statistics('a');
SELECT count(*) FROM known_statistics('living_2.a');
SELECT count(*) FROM known_statistics('LIVING_2.A[I,J]');
SET search_path = living_1, living_2, public, sparseeinsum_internal;

-- renames of what has
ALTER TABLE living_2.link RENAME src TO source;
SELECT status FROM einsum_tensors WHERE tensor = 'a';
SELECT known_statistics('a');
ALTER TABLE living_2.link RENAME source TO src;
ALTER TABLE living_2.link DROP weight;
SELECT status FROM einsum_tensors WHERE tensor = 'a';
SELECT known_statistics('a');
ALTER TABLE living_2.link ADD weight text;
SELECT status FROM einsum_tensors WHERE tensor = 'a';
ALTER TABLE living_2.link ALTER weight TYPE numeric USING 1;
SELECT status, analyzed FROM einsum_tensors WHERE tensor = 'a';
ALTER TABLE living_2.link DROP CONSTRAINT once;
SELECT status FROM einsum_tensors WHERE tensor = 'a';
SELECT known_statistics('a');
ALTER TABLE living_2.link ADD CONSTRAINT once PRIMARY KEY (src);
SELECT status FROM einsum_tensors WHERE tensor = 'a';
-- what is known follows from the key: at most one row for each j
SELECT * FROM known_statistics('a') WHERE statistic = 'degree';
-- measured, but under this registration only
CREATE TEMP TABLE measured AS SELECT label_hash FROM einsum_statistics;
SET ROLE living_owner;
SELECT einsum_register('a[I,J]', 'living_2.link', '{dst,src}', 'weight', '{5,4}', replace => true);
RESET ROLE;
SELECT analyzed FROM einsum_tensors WHERE tensor = 'a';
DELETE FROM einsum_statistics s WHERE NOT EXISTS (SELECT FROM measured m WHERE m.label_hash = s.label_hash);
SELECT count(*) > 0 AS others FROM einsum_statistics WHERE relid = 'living_2.link'::regclass;
SELECT analyzed FROM einsum_tensors WHERE tensor = 'a';
-- a value out of range, after it was registered
INSERT INTO living_2.link (dst, src) VALUES (9, 3);
UPDATE living_2.link SET weight = 1;
SELECT einsum_analyze('a');

-- search_path decides between tensors of one name; a name means one schema
CREATE TABLE living_1.other (i int PRIMARY KEY, v float8);
SELECT einsum_register('a[I]', 'other', '{i}', 'v', '{7}');
SELECT count(*) FROM known_statistics('a');
SET search_path = living_2, living_1, public, sparseeinsum_internal;
SELECT count(*) FROM known_statistics('a');
SET search_path = living_2, public, sparseeinsum_internal;
CREATE TEMP TABLE a_temp (i int PRIMARY KEY, j int, k int, v float8);
SELECT einsum_register('a[I,J,K]', 'a_temp', '{i,j,k}', 'v', '{7,7,7}');
SELECT schema ~ '^pg_temp' AS temporary, relation, status FROM einsum_tensors WHERE tensor = 'a' ORDER BY 1, 2;
SELECT count(*) FROM known_statistics('a');
SELECT count(*) FROM known_statistics('pg_temp.a');
DROP TABLE a_temp;
SET search_path = '';
SELECT sparseeinsum_internal.known_statistics('a');
SELECT count(*) FROM sparseeinsum_internal.known_statistics('living_1.a');
SELECT sparseeinsum_internal.known_statistics('nowhere.a');
SET ROLE living_reader;
SELECT sparseeinsum_internal.known_statistics('living_2.a');
RESET ROLE;
SET search_path = living_1, public, sparseeinsum_internal;
-- names that are near
SELECT einsum_register('customers[I]', 'other', '{i}', 'v', '{7}');
SELECT known_statistics('customer');
SELECT known_statistics('products');

-- dropping a relation drops its registrations, and stale statistics with the next measurement
SELECT einsum_register('gone[I]', 'other', '{i}', 'v', '{7}');
SELECT count(*) FROM einsum_analyze('gone');
SELECT count(*) FROM einsum_statistics;
DROP TABLE living_2.link;
SELECT tensor FROM einsum_tensors WHERE schema ~ '^living';
SELECT count(*) FROM einsum_analyze('gone');
SELECT count(*) FROM einsum_statistics s LEFT JOIN pg_class c ON c.oid = relid WHERE c.oid IS NULL;

-- within a transaction, and undone with it
BEGIN;
SELECT einsum_register('t1[I]', 'other', '{i}', 'v', '{7}'), einsum_register('t2[I]', 'other', '{i}', 'v', '{7}');
SELECT count(*) FROM known_statistics('t2');
SAVEPOINT s;
SELECT einsum_unregister('t1', 'other');
SELECT count(*) FROM einsum_tensors WHERE tensor ~ '^t[12]';
ROLLBACK TO s;
SELECT count(*) FROM einsum_tensors WHERE tensor ~ '^t[12]';
ROLLBACK;
SELECT count(*) FROM einsum_tensors WHERE tensor ~ '^t[12]';
BEGIN READ ONLY;
SELECT einsum_register('t1[I]', 'other', '{i}', 'v', '{7}');
ROLLBACK;
BEGIN READ ONLY;
SELECT einsum_analyze('gone');
ROLLBACK;

-- registering somebody's view runs it with the view owner's rights, not a superuser's, and changes nothing of the session
GRANT CREATE ON SCHEMA living_1 TO living_reader;
SET ROLE living_reader;
CREATE FUNCTION living_1.whoami() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	RAISE WARNING 'running as %', current_user;
	EXECUTE 'RESET SESSION AUTHORIZATION';
	RETURN 1;
EXCEPTION WHEN insufficient_privilege THEN
	RAISE WARNING '%', SQLERRM;
	PERFORM set_config('extra_float_digits', '-3', false);
	RETURN 1;
END $$;
CREATE VIEW living_1.trap AS SELECT 0 AS i, living_1.whoami() AS v;
RESET ROLE;
SELECT einsum_register('trap[I]', 'living_1.trap', '{i}', 'v', duplicates => 'trust');
SELECT count(*) FROM einsum_analyze('trap');
SELECT current_user = session_user AS restored, current_setting('extra_float_digits') AS digits;

DROP SCHEMA living_1, living_2 CASCADE;
REVOKE USAGE ON SCHEMA :ext FROM living_owner, living_reader;
DROP ROLE living_owner, living_reader;
