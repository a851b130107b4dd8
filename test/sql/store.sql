-- Tables of tensors from queries: einsum_store
\set SHOW_CONTEXT never
CREATE SCHEMA store_test;
SET search_path = store_test, public;
CREATE TABLE entry (x int, y smallint, z numeric);
INSERT INTO entry VALUES (0, 0, 1), (0, 2, 2.5), (3, 1, -1), (3, 2, 0), (2, 2, NULL), (NULL, 1, 4);

-- every decomposition
SELECT einsum_store('a[I,J]', 'SELECT * FROM entry', '{4,3}');
SELECT * FROM a ORDER BY i, j;
\d a
SELECT einsum_store('b[I,j]', 'SELECT x, y, z FROM entry; -- as it is', '{4,3}');
SELECT einsum_store('b[I,j]', 'SELECT x, y, z FROM entry;', '{4,3}');
SELECT * FROM b ORDER BY i;
\d b
SELECT einsum_store('c[i,J]', 'SELECT x, y, z FROM entry -- as it is', '{4,3}');
SELECT * FROM c ORDER BY j;
SELECT einsum_store('d[i,j]', 'TABLE entry', '{4,3}');
SELECT * FROM d;
SELECT einsum_store('e[i,J,k]', 'SELECT x, y, 1, z FROM entry', '{4,3,2}');
SELECT * FROM e ORDER BY j;
SELECT einsum_store('s[]', 'SELECT 3', '{}');
SELECT * FROM s;
SELECT einsum_store('big[I]', 'SELECT 9000000000, 1', '{9000000001}'), einsum_store('edge[I]', 'SELECT 2147483647, 1', '{2147483648}');
SELECT attrelid::regclass, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid IN ('big'::regclass, 'edge'::regclass) AND attname = 'i';
SELECT einsum_store('r[U,P]', $$ VALUES ('ann'::varchar(10), 3, 5), ('bob', 3, 4) $$, '{*,*}');
SELECT * FROM r ORDER BY u;
SELECT einsum_store('none[I,j]', 'SELECT 1, 1, 1 WHERE false', '{4,3}'), einsum_store('none2[i]', 'SELECT 1, 0', '{4}'), einsum_store('none3[]', 'SELECT 0', '{}');
SELECT count(*) FROM none, none2, none3;
SELECT tensor, relation, notation, keys, value, bounds, type, rows, status FROM einsum_tensors WHERE schema = 'store_test' ORDER BY tensor;

-- a second storage, under another name, in another schema
SELECT einsum_store('a[I,j]', 'SELECT * FROM no_such_table', '{4,3}', relation => 'a by row');
SELECT einsum_store('a[I,j]', 'SELECT * FROM entry', '{4,3}', storage => 'further');
SELECT einsum_store('a[I,j]', 'SELECT * FROM entry', '{4,3}', relation => 'a by row', storage => 'further');
SELECT einsum_store('a[I,j]', 'SELECT * FROM entry', ARRAY[4,4], relation => 'a_wrong', storage => 'further');
CREATE SCHEMA "store Test 2";
SELECT einsum_store('"store Test 2"."A"["Row I",j]', 'SELECT * FROM entry', '{4,3}');
SELECT relation, notation FROM einsum_tensors WHERE tensor IN ('a', 'A') ORDER BY 1, 2;

-- mistakes
SELECT einsum_store('f[I,j]', 'SELECT * FROM entry');
SELECT einsum_store('f[I,j]', 'SELECT * FROM entry', '{4,NULL}');
SELECT einsum_store('f[I,j]', 'SELECT * FROM entry', '{4,*}');
SELECT einsum_store('f[I,J]', 'SELECT * FROM entry', '{3,3}');
SELECT einsum_store('f[i,j]', 'SELECT * FROM entry', '{4,2}');
SELECT einsum_store('f[I]', 'SELECT -1, 1', '{4}');
SELECT einsum_store('f[I,J]', 'SELECT x, z FROM entry', '{4,3}');
SELECT einsum_store('f[I,J]', 'SELECT x, z, y FROM entry', '{4,3}');
SELECT einsum_store('f[I,J]', 'SELECT x, y, ''one'' FROM entry', '{4,3}');
SELECT einsum_store('f[I]', 'SELECT 1, 1 UNION ALL SELECT 1, 2', '{4}');
SELECT einsum_store('f[i]', 'SELECT 1, 1 UNION ALL SELECT 1, 2', '{4}');
SELECT einsum_store('f[]', 'SELECT 1 UNION ALL SELECT 2', '{}');
SELECT einsum_store('f[VALUE]', 'SELECT 1, 1', '{4}');
SELECT einsum_store('f[CTID]', 'SELECT 1, 1', '{4}');
SELECT einsum_store('f[i,j]', 'SELECT 1, 1, 1', '{2000000000,2000000000}');
SELECT einsum_store('f[I]', 'SELECT 1, 1; SELECT 2, 2', '{4}');
SELECT einsum_store('f[I]', 'DELETE FROM entry', '{4}');
SELECT einsum_store('f[I]', 'SELECT 1,', '{4}');
SELECT einsum_store('f[I]', '', '{4}');
SELECT einsum_store('f[I]', NULL, '{4}');
SELECT einsum_store('nowhere.f[I]', 'SELECT 1, 1', '{4}');
SELECT count(*) FROM pg_class WHERE relname = 'f';

-- the table goes with the transaction; rights are the caller's
BEGIN;
SELECT einsum_store('g[I]', 'SELECT 1, 1', '{4}');
ROLLBACK;
SELECT count(*) FROM einsum_tensors WHERE tensor = 'g';
CREATE ROLE store_guest;
SET ROLE store_guest;
SELECT public.einsum_store('store_test.g[I]', 'SELECT 1, 1', '{4}');
RESET ROLE;
GRANT ALL ON SCHEMA store_test TO store_guest;
SET ROLE store_guest;
SELECT einsum_store('g[I]', 'SELECT x, z FROM store_test.entry', '{4}');
SELECT einsum_store('g[I]', 'SELECT 1, 1', '{4}');
RESET ROLE;
-- any search_path, and operators of the user's are no trap
CREATE FUNCTION never(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called'; END $$;
CREATE OPERATOR >= (LEFTARG = int, RIGHTARG = int, FUNCTION = never);
CREATE FUNCTION never(float8, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'called'; END $$;
CREATE OPERATOR <> (LEFTARG = float8, RIGHTARG = int, FUNCTION = never);
SET search_path = store_test, pg_catalog, public;
SELECT einsum_store('h[I,j]', 'SELECT 1, 0, 2.5', '{4,2}');
SELECT * FROM h;

RESET search_path;
SET search_path = store_test, public;

-- values of other element types stay what they are: of real, of tensors, and of tensors that tell
CREATE TABLE complex_entry (x int, y int, z tensor(complex8,0));
INSERT INTO complex_entry VALUES (0, 0, 'complex8:1+2i'), (0, 1, 'complex8:0'), (1, 1, 'complex8:-1i');
SELECT einsum_store('r1[I]', 'SELECT x, z::real FROM (VALUES (0, 0.1), (2, 3)) AS e(x, z)', '{4}');
SELECT einsum_store('r2[i]', 'SELECT x, z::real FROM (VALUES (0, 0.1), (2, 3)) AS e(x, z)', '{4}');
SELECT einsum_store('c1[I,J]', 'SELECT * FROM complex_entry', '{2,2}');
SELECT einsum_store('c2[I,j]', 'SELECT x, y, z FROM complex_entry', '{2,2}');
SELECT einsum_store('c3[i,j]', 'SELECT x, y, z::tensor FROM complex_entry', '{2,2}');
SELECT einsum_store('c4[I,J]', 'SELECT x, y, z::tensor FROM complex_entry', '{2,2}');
SELECT tensor, relation, type FROM einsum_tensors WHERE tensor ~ '^[cr]\d$' ORDER BY tensor;
SELECT attrelid::regclass, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = ANY ('{r1,r2,c1,c2,c3,c4}'::regclass[]) AND attname = 'value' ORDER BY 1;
SELECT * FROM r1;
SELECT * FROM r2;
SELECT * FROM c2;
SELECT einsum_value('z[i,j] = c1[i,j] - c2[i,j] + c3[i,j] - c4[i,j]') = tensor_zeros('{2,2}') AS same;
SELECT einsum_store('c5[I]', 'SELECT 0, tensor ''[1,2]''', '{2}');
SELECT einsum_store('c6[I]', 'VALUES (0, tensor ''float4:1''), (1, ''complex8:1i'')', '{2}');
-- what a view has, in another decomposition
SELECT count(*) FROM einsum_decompose('v[I,J] = 2i*c1[i,j]', 'store');
SELECT einsum_store('w[i,J]', 'SELECT i, j, value FROM v', '{2,2}');
SELECT * FROM w;

SET client_min_messages = warning;
DROP SCHEMA store_test, "store Test 2" CASCADE;
DROP ROLE store_guest;
