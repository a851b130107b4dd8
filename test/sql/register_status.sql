--
-- einsum_tensors: everything that can go wrong with a registration after it was made
--
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA status_test;
SET search_path = status_test, public;
CREATE TABLE a (i int NOT NULL, j bigint NOT NULL, v float8, CONSTRAINT a_key UNIQUE (i, j));
INSERT INTO a VALUES (0, 1, 1), (1, 2, 2);
CREATE TABLE h (id int PRIMARY KEY, v tensor);
INSERT INTO h VALUES (0, '[1,2]');
CREATE TABLE o (who text PRIMARY KEY, v numeric);
INSERT INTO o VALUES ('x', 1);
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}'), einsum_register('h[I,k]', 'h', '{id}', 'v', '{3,2}'), einsum_register('o[W]', 'o', '{who}', 'v', '{*}');
-- each line: what is done, what is reported, and whether programs say the same
CREATE TABLE outcome (what text, status text, refused text);
CREATE FUNCTION after(what text, program text DEFAULT 's[] = a[i,j]') RETURNS TABLE (relation text, status text, program_says text) LANGUAGE plpgsql AS $$
DECLARE
	says text := 'ok';
BEGIN
	BEGIN
		EXECUTE what;
		BEGIN
			EXECUTE 'SELECT einsum_sql($1, result => ''auto'')' USING program;
		EXCEPTION WHEN OTHERS THEN
			says := SQLSTATE || CASE WHEN EXISTS (SELECT FROM einsum_tensors t WHERE t.status = SQLERRM OR t.status = 'the storages do not agree: ' || SQLERRM) THEN ' the same' ELSE ' ' || SQLERRM END;
		END;
		CREATE TEMP TABLE found AS SELECT t.relation::text AS r, t.status AS s FROM einsum_tensors t WHERE t.schema = 'status_test' AND t.status <> 'ok';
		INSERT INTO found SELECT 'all', 'ok' WHERE NOT EXISTS (SELECT FROM found);
		-- what was done is undone, what was found is told
		SELECT array_agg(r ORDER BY r, s), array_agg(s ORDER BY r, s) INTO relation, status FROM found;
		RAISE EXCEPTION USING ERRCODE = 'TEST1', MESSAGE = (SELECT json_agg(json_build_array(r, s, says) ORDER BY r, s)::text FROM found);
	EXCEPTION WHEN SQLSTATE 'TEST1' THEN
		RETURN QUERY SELECT e->>0, e->>1, e->>2 FROM json_array_elements(SQLERRM::json) e;
	END;
END $$;
SELECT * FROM after('SELECT 1');
-- columns
SELECT * FROM after('ALTER TABLE a RENAME i TO row');
SELECT * FROM after('ALTER TABLE a RENAME v TO value');
SELECT * FROM after('ALTER TABLE a DROP j');
SELECT * FROM after('ALTER TABLE a DROP v');
SELECT * FROM after('ALTER TABLE a RENAME TO b');
SELECT * FROM after('ALTER TABLE a RENAME i TO k; ALTER TABLE a RENAME j TO i; ALTER TABLE a RENAME k TO j');
-- types
SELECT * FROM after('ALTER TABLE a ALTER i TYPE text');
SELECT * FROM after('ALTER TABLE a ALTER i TYPE smallint');
SELECT * FROM after('CREATE DOMAIN status_test.index AS int CHECK (VALUE >= 0); ALTER TABLE a ALTER i TYPE status_test.index');
SELECT * FROM after('ALTER TABLE a ALTER v TYPE text');
SELECT * FROM after('ALTER TABLE a ALTER v TYPE numeric');
SELECT * FROM after('ALTER TABLE a ALTER v TYPE float4');
SELECT * FROM after('ALTER TABLE a ALTER v TYPE tensor USING v::tensor');
SELECT * FROM after('ALTER TABLE h ALTER v TYPE float8 USING 1', 's[] = h[i,k]');
SELECT * FROM after('ALTER TABLE h ALTER v TYPE float8[] USING v::float8[]', 's[] = h[i,k]');
SELECT * FROM after('ALTER TABLE h ALTER v TYPE tensor(float4,1) USING NULL', 's[] = h[i,k]');
SELECT * FROM after('ALTER TABLE h ALTER v TYPE tensor(float8,2) USING NULL', 's[] = h[i,k]');
SELECT * FROM after('ALTER TABLE h ALTER v TYPE tensor(float8) USING NULL', 's[] = h[i,k]');
SELECT * FROM after('CREATE DOMAIN status_test.vector AS tensor(float8,2); ALTER TABLE h ALTER v TYPE status_test.vector USING NULL', 's[] = h[i,k]');
SELECT * FROM after('ALTER TABLE o DROP CONSTRAINT o_pkey; ALTER TABLE o ALTER who TYPE json USING ''1''', 's[] = o[w]');
SELECT * FROM after('ALTER TABLE o ALTER who TYPE varchar(3)', 's[] = o[w]');
-- what proves keys unique
SELECT * FROM after('ALTER TABLE a DROP CONSTRAINT a_key');
SELECT * FROM after('ALTER TABLE a DROP CONSTRAINT a_key; ALTER TABLE a ADD UNIQUE (i, j) DEFERRABLE');
SELECT * FROM after('ALTER TABLE a DROP CONSTRAINT a_key; CREATE UNIQUE INDEX ON a (i, j) WHERE i > 0');
SELECT * FROM after('ALTER TABLE a DROP CONSTRAINT a_key; CREATE UNIQUE INDEX ON a (i, (j + 1))');
SELECT * FROM after('ALTER TABLE a DROP CONSTRAINT a_key; CREATE UNIQUE INDEX ON a (j, i)');
SELECT * FROM after('ALTER TABLE a DROP CONSTRAINT a_key; CREATE UNIQUE INDEX ON a (j)');
SELECT * FROM after('ALTER TABLE a ALTER j DROP NOT NULL');
SELECT * FROM after('CREATE TABLE a_child () INHERITS (a)');
SELECT * FROM after('UPDATE pg_index SET indisvalid = false WHERE indexrelid = ''a_key''::regclass');
SELECT * FROM after('ALTER TABLE o DROP CONSTRAINT o_pkey; CREATE UNIQUE INDEX ON o (who COLLATE "C")', 's[] = o[w]');
SELECT * FROM after('ALTER TABLE o DROP CONSTRAINT o_pkey; CREATE UNIQUE INDEX ON o (who text_pattern_ops)', 's[] = o[w]');
-- storages that do not agree
CREATE TABLE a2 (LIKE a INCLUDING ALL);
CREATE TABLE a3 (v tensor);
INSERT INTO a3 VALUES ('[[0,1,0],[0,0,2],[0,0,0]]');
SELECT einsum_register('a[I,J]', 'a2', '{i,j}', 'v', '{3,3}', storage => 'further'), einsum_register('a[i,j]', 'a3', '{}', 'v', storage => 'further');
CREATE ROLE status_owner;
SELECT * FROM after('SELECT 1');
SELECT * FROM after($$SELECT einsum_register('a[I,J]', 'a2', '{i,j}', 'v', '{4,3}', replace => true)$$);
-- einsum_register itself refuses to let them disagree; a label need not
SELECT label AS a2 FROM pg_seclabels WHERE objoid = 'a2'::regclass \gset
SELECT * FROM after(format('SECURITY LABEL FOR sparseeinsum ON TABLE a2 IS %L', replace(:'a2', '[3,3]', '[4,3]')));
SELECT * FROM after(format('SECURITY LABEL FOR sparseeinsum ON TABLE a2 IS %L', replace(:'a2', '"fill":0', '"fill":1')));
SELECT * FROM after('ALTER TABLE a2 ALTER v TYPE float4');
SELECT * FROM after(format('SECURITY LABEL FOR sparseeinsum ON TABLE a2 IS %L', replace(replace(replace(:'a2', '[3,3]', '[3]'), 'a[I,J]', 'a[I]'), '["i","j"]', '["i"]')));
SELECT * FROM after('ALTER TABLE a2 OWNER TO status_owner');
SELECT * FROM after('ALTER TABLE a2 DROP v');
SELECT * FROM after('DROP TABLE a2');
SELECT * FROM after('ALTER TABLE a2 SET SCHEMA public');
-- labels that cannot be read
SET allow_system_table_mods = on;
SELECT * FROM after('UPDATE pg_seclabel SET label = ''no json'' WHERE objoid = ''a2''::regclass');
SELECT * FROM after('UPDATE pg_seclabel SET label = ''{"version":5,"tensors":[]}'' WHERE objoid = ''a2''::regclass');
SELECT * FROM after('UPDATE pg_seclabel SET label = replace(label, ''"fill"'', ''"full"'') WHERE objoid = ''a2''::regclass');
SELECT * FROM after('UPDATE pg_seclabel SET label = replace(label, ''"i"'', ''"j"'') WHERE objoid = ''a2''::regclass');
RESET allow_system_table_mods;
-- what a program has made
SELECT count(*) FROM einsum_decompose('y[I] = a[i,j]', 'views');
SELECT count(*) FROM einsum_decompose('z[I] = a[i,j]', 'tables', materialize => 'always');
SELECT * FROM after('ALTER VIEW y RENAME value TO v', 's[] = y[i]');
SELECT * FROM after('DROP VIEW z__query', 's[] = z[i]');
SELECT * FROM after('ALTER VIEW z__query RENAME TO q', 's[] = z[i]');
SELECT * FROM after('ALTER VIEW z__query OWNER TO status_owner', 's[] = z[i]');
SELECT * FROM after('ALTER TABLE z DROP CONSTRAINT z_pkey', 's[] = z[i]');
-- and set right again
ALTER TABLE a2 RENAME v TO w;
SELECT relation, status FROM einsum_tensors WHERE schema = 'status_test' AND status <> 'ok';
SELECT einsum_register('a[I,J]', 'a2', '{i,j}', 'w', '{3,3}', replace => true);
SELECT relation, status FROM einsum_tensors WHERE schema = 'status_test' AND status <> 'ok';
DROP SCHEMA status_test CASCADE;
DROP ROLE status_owner;
