--
-- einsum_decompose(..., replace => true): what stays, what goes, and what is refused
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA replace_test;
SET search_path = replace_test, public;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, 1), (0, 2, -2), (2, 1, 3), (2, 2, 5);
CREATE TABLE big (i bigint, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO big VALUES (4, 0, 7);
CREATE TABLE named (name text COLLATE "C" PRIMARY KEY, v float8 NOT NULL);
INSERT INTO named VALUES ('b', 1), ('a', 2);
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}'), einsum_register('big[I,J]', 'big', '{i,j}', 'v', '{5,3}'),
	einsum_register('named[N]', 'named', '{name}', 'v', '{*}');
CREATE ROLE replace_reader;
GRANT USAGE ON SCHEMA replace_test TO replace_reader;
-- which views there are, and whether they are the same as before
CREATE TABLE before (relname name, oid oid);
CREATE FUNCTION kept() RETURNS TABLE (view name, same boolean) LANGUAGE sql AS $$
	SELECT c.relname, b.oid IS NOT NULL FROM pg_class c LEFT JOIN before b ON b.oid = c.oid
	WHERE relnamespace = 'replace_test'::regnamespace AND relkind = 'v' ORDER BY 1 $$;
CREATE FUNCTION remember() RETURNS void LANGUAGE sql AS $$
	DELETE FROM before; INSERT INTO before SELECT relname, oid FROM pg_class WHERE relnamespace = 'replace_test'::regnamespace AND relkind = 'v' $$;

-- the same columns: grants, comments, options and readers stay
SELECT view FROM einsum_decompose('y[I] = a[i,j]; z[I] = 2*y[i]', 'p');
GRANT SELECT ON y, z TO replace_reader;
COMMENT ON VIEW z IS 'twice';
CREATE VIEW reader AS SELECT i, value + 100 AS more FROM z;
SELECT view FROM einsum_decompose('top[I] = z[i]^2', 'on top');
SELECT remember();
SELECT view FROM einsum_decompose('y[I] = -a[i,j]; z[I] = 3*y[i]', 'p', replace => true, security_invoker => true);
SELECT * FROM kept();
SELECT relname, relacl::text ~ 'replace_reader=r' AS granted, reloptions, obj_description(oid) AS comment FROM pg_class WHERE relname IN ('y', 'z') AND relnamespace = 'replace_test'::regnamespace ORDER BY 1;
SELECT * FROM reader ORDER BY i;
SELECT * FROM top ORDER BY i;
SELECT einsum_value('w[i] = z[i]');
SELECT relation, program, status FROM einsum_tensors WHERE program IS NOT NULL ORDER BY relation::text;
-- options are those of the last call
SELECT count(*) FROM einsum_decompose('y[I] = -a[i,j]; z[I] = 3*y[i]', 'p', replace => true);
SELECT relname, reloptions FROM pg_class WHERE relname IN ('y', 'z') AND relnamespace = 'replace_test'::regnamespace ORDER BY 1;
-- it rests on what it reads now, and no longer on what it read before
BEGIN;
SELECT count(*) FROM einsum_decompose('y[I] = named[n]*a[i,j]; z[I] = a[i,i]', 'p', replace => true);
SELECT * FROM kept();
SAVEPOINT s;
ALTER TABLE named DROP CONSTRAINT named_pkey;
ROLLBACK TO s;
SELECT count(*) FROM einsum_decompose('y[I] = a[i,j]; z[I] = a[i,i]', 'p', replace => true);
ALTER TABLE named DROP CONSTRAINT named_pkey;
SELECT * FROM reader ORDER BY i;
ROLLBACK;

-- other columns: the view is another one. What only the program reads may change
SELECT count(*) FROM einsum_decompose('y[i:*] = a[i,j]; z[I] = 5*y[i]', 'p', replace => true);
SELECT * FROM kept();
SELECT * FROM reader ORDER BY i;
-- a stage more, a stage less, another order
SELECT remember();
SELECT view FROM einsum_decompose('z[I] = (sum[j] a[i,j]) * (sum[j] a[j,i]); y[I] = z[i]', 'p', replace => true, rewrite => 'reassociate');
SELECT * FROM kept();
SELECT remember();
SELECT view FROM einsum_decompose('z[I] = a[i,j]', 'p', replace => true);
SELECT * FROM kept();
-- but not while others read it
SELECT count(*) FROM einsum_decompose('z[i:*] = a[i,j]', 'p', replace => true);
SELECT count(*) FROM einsum_decompose('z[I,J] = a[i,j]', 'p', replace => true);
SELECT count(*) FROM einsum_decompose('z[n] = named[n]', 'p', replace => true);
SELECT count(*) FROM einsum_decompose('other[I] = a[i,j]', 'p', replace => true);
-- the code, and that nothing has changed
\set VERBOSITY sqlstate
SELECT count(*) FROM einsum_decompose('z[I,J] = a[i,j]', 'p', replace => true);
\set VERBOSITY default
SELECT * FROM kept();
SELECT * FROM reader ORDER BY i;
-- the same columns, but other bounds or another fill: a view that was made for the old ones would be wrong
SELECT count(*) FROM einsum_decompose('z[I] = a[j,i] + 1', 'p', replace => true);
DROP VIEW reader;
SELECT count(*) FROM einsum_decompose('z[I] = a[j,i] + 1', 'p', replace => true);
SELECT einsum_drop('on top');
GRANT SELECT ON z TO replace_reader;
SELECT remember();
SELECT count(*) FROM einsum_decompose('z[I] = a[j,i] + 1', 'p', replace => true);
-- nothing reads it: it stays, with its grants
SELECT * FROM kept();
SELECT has_table_privilege('replace_reader', 'z', 'SELECT') AS granted;
SELECT einsum_value('w[i] = z[i]');
-- the type of a key decides as well
SELECT count(*) FROM einsum_decompose('z[I] = 2*(sum[J] big[I,J])', 'p', replace => true, search => 'as_written');
SELECT same FROM kept();
SELECT remember();
SELECT count(*) FROM einsum_decompose('z[I] = 3*(sum[J] big[I,J])', 'p', replace => true, search => 'as_written');
SELECT same FROM kept();
SELECT einsum_drop('p');
-- collations of keys stay
SELECT count(*) FROM einsum_decompose('z[N] = 2*named[n]', 'p');
CREATE VIEW reader AS SELECT * FROM z;
SELECT count(*) FROM einsum_decompose('z[N] = 3*named[n]', 'p', replace => true);
SELECT * FROM reader ORDER BY n;

-- what is not a program's is in the way; a view of another program is not
CREATE VIEW mine AS SELECT 1 AS i;
SELECT count(*) FROM einsum_decompose('mine[I] = a[i,j]', 'p2', replace => true);
SELECT count(*) FROM einsum_decompose('z[N] = 4*named[n]', 'p2', replace => true);
SELECT relation, program FROM einsum_tensors WHERE program IS NOT NULL;
SELECT * FROM reader ORDER BY n;
-- only its owner replaces a view
GRANT CREATE ON SCHEMA replace_test TO replace_reader;
GRANT SELECT ON named TO replace_reader;
SET ROLE replace_reader;
SELECT count(*) FROM einsum_decompose('z[N] = 5*named[n]', 'p2', replace => true);
RESET ROLE;
SELECT * FROM reader ORDER BY n;
-- an error leaves everything as it was
SELECT count(*) FROM einsum_decompose('z[N] = 6*named[n]; mine[] = z[n]', 'p2', replace => true);
SELECT * FROM reader ORDER BY n;
SET client_min_messages = warning;
DROP SCHEMA replace_test CASCADE;
DROP ROLE replace_reader;
