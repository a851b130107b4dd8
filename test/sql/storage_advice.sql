-- Where wide values are stored otherwise than external, registering and plans say what to do about it.
SET max_parallel_workers_per_gather = 0;
CREATE TABLE advised (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO advised SELECT i, tensor_full('{300}', i) FROM generate_series(0, 3) AS i;
-- the type's own storage is right
SELECT einsum_register('a[I,k]', 'advised', keys => '{i}', value => 'v', bounds => '{4,300}');
-- compressed, in the row
ALTER TABLE advised ALTER v SET STORAGE extended;
SELECT einsum_register('a[I,k]', 'advised', keys => '{i}', value => 'v', bounds => '{4,300}', replace => true);
ALTER TABLE advised ALTER v SET STORAGE plain;
SELECT einsum_register('a[I,k]', 'advised', keys => '{i}', value => 'v', bounds => '{4,300}', replace => true);
ALTER TABLE advised ALTER v SET STORAGE main;
SELECT line FROM einsum_plan('s[i] = a[i,k]', result => 'auto') AS line WHERE line ~ 'advised';
-- the hint is a statement
ALTER TABLE public.advised ALTER COLUMN v SET STORAGE EXTERNAL;
SELECT einsum_register('a[I,k]', 'advised', keys => '{i}', value => 'v', bounds => '{4,300}', replace => true);
SELECT line FROM einsum_plan('s[i] = a[i,k]', result => 'auto') AS line WHERE line ~ 'advised';
-- it does not matter for narrow values, and views have no storage
CREATE TABLE "Narrow" (i int PRIMARY KEY, "V" tensor NOT NULL);
ALTER TABLE "Narrow" ALTER "V" SET STORAGE extended;
INSERT INTO "Narrow" SELECT i, tensor_full('{200}', i) FROM generate_series(0, 3) AS i;
SELECT einsum_register('n[I,k]', '"Narrow"', keys => '{i}', value => 'V');
CREATE VIEW advised_view AS SELECT i, v FROM advised;
SELECT einsum_register('v[I,k]', 'advised_view', keys => '{i}', value => 'v', duplicates => 'trust');
-- names are quoted; rank 2
TRUNCATE "Narrow";
INSERT INTO "Narrow" SELECT i, tensor_full('{20,30}', i) FROM generate_series(0, 3) AS i;
SELECT einsum_register('m[I,j,k]', '"Narrow"', keys => '{i}', value => 'V');

-- Tables made here store values external.
SELECT einsum_store('stored[I,k]', 'SELECT i, k, i + k FROM generate_series(0, 2) AS i, generate_series(0, 299) AS k', '{3,300}');
SELECT count(*) FROM einsum_decompose('z[I,k] = 2 * a[i,k]', 'advised_program', materialize => 'always');
SELECT attrelid::regclass, attname, attstorage FROM pg_attribute
	WHERE attrelid IN ('stored'::regclass, 'z'::regclass) AND atttypid = 'tensor'::regtype ORDER BY 1;
SELECT einsum_drop('advised_program');
DROP TABLE stored, advised, "Narrow" CASCADE;
