-- A second storage is said, not guessed; names of tensors in several schemas; forms of bounds and keys
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA storages_test;
CREATE SCHEMA storages_other;
SET search_path = storages_test, public;
CREATE TABLE rating (customer int, product int, stars float8 NOT NULL, PRIMARY KEY (customer, product));
INSERT INTO rating VALUES (0, 0, 1), (1, 2, 3);
CREATE TABLE train (LIKE rating INCLUDING ALL);
INSERT INTO train VALUES (0, 0, 1);
CREATE VIEW registered AS
	SELECT tensor, schema, relation, notation, bounds, status FROM einsum_tensors WHERE schema ~ '^storages' ORDER BY tensor, schema, relation::text;

-- another relation: an error that names the first and both ways out
SELECT einsum_register('r[U,P]', 'rating', '{customer,product}', 'stars', '{4,4}');
SELECT einsum_register('r[U,P]', 'train', '{customer,product}', 'stars', '{4,4}');
SELECT einsum_register('r[U,P]', 'train', '{customer,product}', 'stars', '{4,4}', storage => 'only');
SELECT einsum_value('s[] = r[u,p]');
-- replace moves it
SELECT einsum_register('r[U,P]', 'train', '{customer,product}', 'stars', '{5,5}', replace => true);
SELECT * FROM registered;
SELECT einsum_value('s[] = r[u,p]');
-- further adds; both stay when one of them is registered anew, and must agree
SELECT einsum_register('r[U,P]', 'rating', '{customer,product}', 'stars', storage => 'further');
SELECT einsum_register('r[U,P]', 'rating', '{customer,product}', 'stars', storage => 'further');
SELECT einsum_register('r[U,P]', 'rating', '{customer,product}', 'stars', replace => true);
SELECT einsum_register('r[U,P]', 'rating', '{customer,product}', 'stars', '{4,4}', replace => true);
SELECT * FROM registered;
-- a third takes the place of both
CREATE TABLE third (LIKE rating INCLUDING ALL);
SELECT einsum_register('r[U,P]', 'third', '{customer,product}', 'stars', '{6,6}');
SELECT einsum_register('r[U,P]', 'third', '{customer,product}', 'stars', '{6,6}', replace => true);
SELECT * FROM registered;
-- further of nothing is the first; what is undone is as it was
SELECT einsum_register('q[U,P]', 'rating', '{customer,product}', 'stars', '{4,4}', storage => 'further');
BEGIN;
SELECT einsum_register('q[U,P]', 'train', '{customer,product}', 'stars', '{4,4}', replace => true);
ROLLBACK;
SELECT relation FROM registered WHERE tensor = 'q';
SELECT einsum_register('q[U,P]', 'third', '{customer,product}', 'stars', '{4,4}', storage => 'second');
SELECT einsum_register('q[U,P]', 'third', '{customer,product}', 'stars', '{4,4}', storage => NULL);
-- an error leaves the first where it was
SELECT einsum_register('q[U,P]', 'train', '{customer,nothing}', 'stars', '{4,4}', replace => true);
SELECT einsum_register('q[U,P]', 'train', '{customer,product}', 'stars', '{1,0}', replace => true);
SELECT relation FROM registered WHERE tensor = 'q';

-- einsum_store asks before it runs the query
SELECT einsum_store('q[I,j]', 'SELECT 1 / 0, 1, 1', '{4,4}', 'q_rows');
SELECT einsum_store('q[I,j]', 'TABLE rating', '{4,4}', 'q_rows', storage => 'further');
SELECT relation, notation FROM registered WHERE tensor = 'q';

-- a program's result is no storage of what is registered; what a program made is not moved
SELECT count(*) FROM einsum_decompose('q[u] = r[u,p]', 'sums', result => 'auto');
SELECT count(*) FROM einsum_decompose('y[U] = r[u,p]', 'sums');
SELECT einsum_register('y[U]', 'rating', '{customer}', 'stars', '{6}', duplicates => 'trust');
SELECT einsum_register('y[U]', 'rating', '{customer}', 'stars', '{6}', duplicates => 'trust', replace => true);
SELECT count(*) FROM einsum_decompose('y[U] = r[u,p]; x[] = y[u]', 'sums', replace => true);
SELECT einsum_drop('sums');

-- einsum_unregister: of one relation, and of all
SELECT einsum_unregister('q', 'q_rows');
SELECT einsum_unregister('q', 'q_rows');
SELECT einsum_register('q[U,P]', 'train', '{customer,product}', 'stars', storage => 'further');
SELECT einsum_unregister('storages_test.q[I,J]');
SELECT einsum_unregister('q');
SELECT einsum_unregister('rr');
SELECT einsum_unregister('storages_other.r');
SELECT einsum_unregister(NULL);
SELECT einsum_unregister('r[', 'third');
SELECT einsum_unregister(relation => 'third', tensor => 'r');
SELECT * FROM registered;
-- also of a relation that it no longer fits
SELECT einsum_register('gone[U,P]', 'third', '{customer,product}', 'stars', '{6,6}');
ALTER TABLE third DROP stars;
SELECT einsum_unregister('gone');
SELECT * FROM registered;

-- bounds and keys in every form
SELECT einsum_register('b[U,P]', 'rating', keys => ARRAY['customer','product'], value => 'stars', bounds => ARRAY[4,4]);
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}'::text[], 'stars', ARRAY[5,5], replace => true);
SELECT bounds FROM registered WHERE tensor = 'b';
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}'::name[], 'stars', ARRAY[6,NULL], replace => true);
SELECT bounds FROM registered WHERE tensor = 'b';
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}'::varchar[], 'stars', '{7,7}'::varchar[], replace => true);
SELECT bounds FROM registered WHERE tensor = 'b';
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}', 'stars', ARRAY[8,8]::bigint[], replace => true),
	einsum_register('b2[U,P]', 'rating', '{customer,product}', 'stars', ARRAY[8,8]::smallint[]),
	einsum_register('b3[U,P]', 'rating', '{customer,product}', 'stars', ARRAY[9223372036854775807,8]),
	einsum_register('b4[U,P]', 'rating', '{customer,product}', 'stars', '{8,8}'::numeric[]),
	einsum_register('b5[U,P]', 'rating', '{customer,product}', 'stars', ARRAY['*','8']),
	einsum_register('b6[U,P]', 'rating', '{customer,product}', 'stars', '[0:1]={*,8}'),
	einsum_register('b7[U,P]', 'rating', '{customer,product}', 'stars', NULL),
	einsum_register('b8[U,P]', 'rating', '{customer,product}', 'stars', NULL::int[]);
SELECT tensor, bounds FROM registered WHERE tensor ~ '^b';
PREPARE registering AS SELECT einsum_register($1, $2, $3, $4, $5, replace => true);
EXECUTE registering('b[U,P]', 'rating', '{customer,product}', 'stars', '{9,9}');
SELECT bounds FROM registered WHERE tensor = 'b';
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}', 'stars', '{4,4', replace => true);
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}', 'stars', ARRAY[[4,4]], replace => true);
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}', 'stars', ARRAY[-1,4], replace => true);
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}', 'stars', ARRAY[4.5,4], replace => true);
SELECT einsum_register('b[U,P]', 'rating', '{customer,product}', 'stars', ARRAY[4], replace => true);
SELECT einsum_register('b[U,P]', 'rating', ARRAY['customer',NULL], 'stars', replace => true);
SELECT einsum_register('b[U,P]', 'rating', '{}', 'stars', replace => true);
SELECT ARRAY[4,NULL]::tensor_bounds, '{4,"*"}'::tensor_bounds;
-- a name is cut off where the column's was
CREATE TABLE long (a0123456789012345678901234567890123456789012345678901234567890123456789 int PRIMARY KEY, v int);
SELECT einsum_register('long[I]', 'long', ARRAY['a0123456789012345678901234567890123456789012345678901234567890123456789'], 'v', ARRAY[3]);
SELECT einsum_unregister(tensor) FROM registered WHERE schema = 'storages_test';

-- the name in another schema
SELECT einsum_register('r[U,P]', 'rating', '{customer,product}', 'stars', '{4,4}');
CREATE TABLE storages_other.rating (LIKE rating INCLUDING ALL);
CREATE TABLE storages_other.further (LIKE rating INCLUDING ALL);
SELECT einsum_register('r[U,P]', 'storages_other.rating', '{customer,product}', 'stars', '{4,4}');
-- said once
SELECT einsum_register('r[U,P]', 'storages_other.rating', '{customer,product}', 'stars', '{4,4}', replace => true);
SELECT einsum_register('r[U,P]', 'storages_other.further', '{customer,product}', 'stars', '{4,4}', storage => 'further');
SELECT einsum_unregister('storages_other.r');
SET search_path = storages_other, storages_test, public;
SELECT einsum_register('r[U,P]', 'storages_other.rating', '{customer,product}', 'stars', '{4,4}');
SELECT einsum_unregister('storages_other.r');
SET search_path = public;
SELECT einsum_register('storages_other.r[U,P]', 'storages_other.rating', '{customer,product}', 'stars', '{4,4}');
SELECT einsum_unregister('r');
-- not of a schema that the user may not look into
CREATE ROLE storages_guest;
GRANT ALL ON SCHEMA storages_other TO storages_guest;
ALTER TABLE storages_other.further OWNER TO storages_guest;
SELECT einsum_unregister('storages_other.r');
SET ROLE storages_guest;
SET search_path = storages_other, public;
SELECT einsum_register('r[U,P]', 'further', '{customer,product}', 'stars', '{4,4}');
RESET ROLE;

SET client_min_messages = warning;
DROP SCHEMA storages_test, storages_other CASCADE;
DROP ROLE storages_guest;

-- one name in two schemas is two tensors
CREATE SCHEMA storages_test CREATE TABLE solo (i int PRIMARY KEY);
CREATE SCHEMA storages_other CREATE TABLE solo (i int PRIMARY KEY);
SELECT einsum_register('solo[I]', 'storages_test.solo', '{i}', bounds => '{3}'), einsum_register('solo[I]', 'storages_other.solo', '{i}', bounds => '{4}');
SELECT schema, bounds, status FROM einsum_tensors WHERE tensor = 'solo' ORDER BY schema;
DROP SCHEMA storages_test, storages_other CASCADE;

-- a condition on the tensor decides whose relations are opened
EXPLAIN (COSTS OFF) SELECT status FROM einsum_tensors WHERE tensor = 'many';
