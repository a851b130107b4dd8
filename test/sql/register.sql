-- Declaring tables and views as tensors: einsum_register, einsum_unregister
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA register_test;
SET search_path = register_test, public;

CREATE TABLE edge (dst int NOT NULL, src int NOT NULL, weight real, PRIMARY KEY (dst, src));
INSERT INTO edge VALUES (0, 1, 0.5), (2, 1, 1.5), (1, 3, NULL);
CREATE TABLE node (id int PRIMARY KEY, embedding tensor);
INSERT INTO node VALUES (0, '[1,2,3]'), (4, '[4,5,6]'), (7, NULL);
CREATE TABLE weights (val tensor);
INSERT INTO weights VALUES ('float4:[[1,2],[3,4],[5,6]]');
CREATE TABLE rating (customer uuid NOT NULL, product text NOT NULL, stars numeric(2,1), UNIQUE (customer, product));
INSERT INTO rating VALUES ('00000000-0000-0000-0000-000000000001', 'tea', 4.5), ('00000000-0000-0000-0000-000000000002', 'tea', 3);

-- the four examples of the manual, with bounds read off where the data has them
SELECT einsum_register('a[I,J]', 'edge', keys => '{dst,src}', value => 'weight', bounds => '{2708,2708}');
SELECT einsum_register('h[I,k]', 'node', keys => '{id}', value => 'embedding');
SELECT einsum_register('w[k,m]', 'weights', keys => '{}', value => 'val');
SELECT einsum_register('r[U,P]', 'rating', keys => '{customer,product}', value => 'stars', bounds => '{*,*}');
-- a second tensor of the same relation; without a value a row means 1
SELECT einsum_register('adjacent[I,J]', 'edge', keys => '{dst,src}');
SELECT tensor, relation, notation, keys, value, bounds, type, fill, duplicates, status FROM einsum_tensors WHERE schema = 'register_test' ORDER BY tensor;
SELECT objname, label FROM pg_seclabels WHERE provider = 'sparseeinsum' AND objnamespace = 'register_test'::regnamespace ORDER BY objname;

-- several storages of one tensor: bounds come from the first
CREATE TABLE edge_rows (dst int PRIMARY KEY, row tensor);
INSERT INTO edge_rows VALUES (0, tensor_zeros('{2708}'));
-- of one element type: weight is real
SELECT einsum_register('a[I,j]', 'edge_rows', keys => '{dst}', value => 'row', storage => 'further');
UPDATE edge_rows SET row = row::tensor(float4);
SELECT einsum_register('a[I,j]', 'edge_rows', keys => '{dst}', value => 'row', storage => 'further');
CREATE TABLE edge_copy (LIKE edge INCLUDING ALL);
INSERT INTO edge_copy TABLE edge;
SELECT einsum_register('a[I,J]', 'edge_copy', keys => '{dst,src}', value => 'weight', storage => 'further');
SELECT relation, notation, bounds FROM einsum_tensors WHERE tensor = 'a';
-- which must agree
CREATE TABLE other (i int PRIMARY KEY, v float8);
SELECT einsum_register('a[I]', 'other', keys => '{i}', value => 'v', storage => 'further');
SELECT einsum_register('a[I,J]', 'edge_copy', keys => '{dst,src}', value => 'weight', bounds => '{2708,2709}', replace => true);
SELECT einsum_register('a[I,J]', 'edge_copy', keys => '{dst,src}', value => 'weight', fill => 'Infinity', replace => true);
SELECT einsum_register('a[I,J]', 'edge_copy', keys => '{dst,src}', value => 'weight', bounds => '{*,2708}', replace => true);

-- replace, unregister
SELECT einsum_register('h[I,k]', 'node', keys => '{id}', value => 'embedding');
SELECT einsum_register('h[I,k]', 'node', keys => '{id}', value => 'embedding', bounds => '{100,NULL}', fill => '-Infinity', replace => true);
SELECT notation, bounds, fill FROM einsum_tensors WHERE tensor = 'h';
SELECT einsum_unregister('adjacent', 'edge');
SELECT einsum_unregister('adjacent', 'edge');
SELECT einsum_unregister('register_test.a[I,J]', 'edge_copy');
SELECT einsum_unregister('elsewhere.a', 'edge_copy');
SELECT einsum_unregister('a', 'edge_rows');
SELECT tensor, relation FROM einsum_tensors WHERE schema = 'register_test' ORDER BY tensor;
-- the last registration takes the label with it
SELECT count(*) FROM pg_seclabel WHERE objoid = 'edge_rows'::regclass;

-- fills
SELECT einsum_register('f[I]', 'other', '{i}', 'v', '{3}', fill => 'NaN');
SELECT einsum_register('f[I]', 'other', '{i}', 'v', '{3}', fill => '-0', replace => true);
SELECT einsum_register('g[I]', 'other', '{i}', 'v', '{3}', fill => '0.1');
SELECT einsum_register('g2[I]', 'other', '{i}', 'v', '{3}', fill => '1.7976931348623157e308');
SET extra_float_digits = -10;
SELECT einsum_register('g3[I]', 'other', '{i}', 'v', '{3}', fill => '0.30000000000000004');
RESET extra_float_digits;
SELECT tensor, fill FROM einsum_tensors WHERE relation = 'other'::regclass;
SELECT label FROM pg_seclabels WHERE objoid = 'other'::regclass;

-- notations
SELECT einsum_register('n[I', 'other', '{i}', 'v');
SELECT einsum_register('n', 'other', '{i}', 'v');
SELECT einsum_register('n[I,i]', 'other', '{i,i}', 'v');
SELECT einsum_register('n[i,I]', 'other', '{i}', 'v');
SELECT einsum_register('n[Ij]', 'other', '{i}', 'v');
SELECT einsum_register('n[A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q]', 'other', '{}', 'v');
SELECT einsum_register('public.n[I]', 'other', '{i}', 'v');
SELECT einsum_register('register_test.n[I:1]', 'other', '{i}', 'v', '{3}');
SELECT einsum_register('"Odd ""name"""["row ""id"""]', 'weights', '{}', 'val', '{3}');
SELECT notation FROM einsum_tensors WHERE tensor = 'n';

-- keys
SELECT einsum_register('k[I,J]', 'edge', '{dst}', 'weight');
SELECT einsum_register('k[i,j]', 'edge', '{dst}', 'weight');
SELECT einsum_register('k[I,J]', 'edge', '{{dst,src}}', 'weight');
SELECT einsum_register('k[I,J]', 'edge', '{dst,NULL}', 'weight');
SELECT einsum_register('k[I,J]', 'edge', '{dst,dst}', 'weight');
SELECT einsum_register('k[I,J]', 'edge', '{dst,Src}', 'weight');
SELECT einsum_register('k[I,J]', 'edge', '{dst,ctid}', 'weight');
SELECT einsum_register('k[U,P]', 'rating', '{customer,product}', 'stars');
CREATE TABLE unhashable (p point NOT NULL, k numrange PRIMARY KEY, d date NOT NULL UNIQUE, v float8);
SELECT einsum_register('k[I]', 'unhashable', '{p}', 'v', '{*}');
-- a type whose texts are equal where joins do not find them so
SET client_min_messages = warning;
CREATE TYPE folded;
CREATE FUNCTION folded_in(cstring) RETURNS folded LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION folded_out(folded) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE folded (INPUT = folded_in, OUTPUT = folded_out, LIKE = text);
CREATE CAST (folded AS text) WITHOUT FUNCTION AS ASSIGNMENT;
CREATE FUNCTION folded_equal(folded, folded) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT AS 'SELECT lower($1::text) = lower($2::text)';
CREATE FUNCTION folded_hash(folded) RETURNS integer LANGUAGE sql IMMUTABLE STRICT AS 'SELECT hashtext(lower($1::text))';
CREATE OPERATOR = (LEFTARG = folded, RIGHTARG = folded, FUNCTION = folded_equal);
CREATE OPERATOR CLASS folded_ops DEFAULT FOR TYPE folded USING hash AS OPERATOR 1 =, FUNCTION 1 folded_hash(folded);
RESET client_min_messages;
CREATE TABLE fold (f folded NOT NULL, v float8);
SELECT einsum_register('k[I]', 'fold', '{f}', 'v', '{*}', duplicates => 'trust');
DROP TABLE fold;
SELECT einsum_register('k[I]', 'unhashable', '{k}', 'v', '{*}');
SELECT einsum_register('k[I]', 'unhashable', '{d}', 'v', '{10}', replace => true);
SELECT einsum_register('k[I]', 'other', NULL, 'v');
SELECT einsum_register(NULL, 'other', '{i}', 'v');

-- values
SELECT einsum_register('v[I]', 'other', '{i}', 'w');
SELECT einsum_register('v[U,P]', 'rating', '{customer,product}', 'product', '{*,*}');
SELECT einsum_register('v[I,k]', 'edge', '{dst}', 'weight', duplicates => 'trust');
SELECT einsum_register('v[I,k]', 'node', '{id}');
SELECT einsum_register('v[I]', 'node', '{id}', 'embedding');
SELECT einsum_register('v[I,k,l]', 'node', '{id}', 'embedding');
SELECT einsum_register('v[I,k]', 'node', '{id}', 'embedding', '{NULL,4}');
INSERT INTO node VALUES (1, '[1,2]');
SELECT einsum_register('v[I,k]', 'node', '{id}', 'embedding');
UPDATE node SET embedding = 'float4:[1,2,3]' WHERE id = 1;
SELECT einsum_register('v[I,k]', 'node', '{id}', 'embedding');
ALTER TABLE node ALTER embedding TYPE tensor(float4,1);
SELECT einsum_register('v[I,k]', 'node', '{id}', 'embedding');
SELECT tensor, type FROM einsum_tensors WHERE tensor = 'v';
CREATE TABLE valuetypes (id int PRIMARY KEY, arr real[], ranked tensor, num numeric, yes boolean, doc jsonb);
INSERT INTO valuetypes VALUES (0, '{1,2}', '3.5', 7, true, '8');
SELECT einsum_register('t1[I,j]', 'valuetypes', '{id}', 'arr'), einsum_register('t2[I]', 'valuetypes', '{id}', 'ranked'),
	einsum_register('t3[I]', 'valuetypes', '{id}', 'num');
SELECT tensor, bounds, type FROM einsum_tensors WHERE tensor ~ '^t[0-9]' ORDER BY tensor;
SELECT einsum_register('t4[I]', 'valuetypes', '{id}', 'yes');
CREATE DOMAIN place AS bigint CHECK (VALUE >= 0);
CREATE DOMAIN vector AS tensor(float4,1);
CREATE TABLE domains (p place PRIMARY KEY, v vector);
INSERT INTO domains VALUES (5, '[1,2]');
SELECT einsum_register('dom[P,q]', 'domains', '{p}', 'v');
SELECT notation, bounds, type FROM einsum_tensors WHERE tensor = 'dom';

-- bounds
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', '{3}');
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', '{{3,3}}');
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', '{3,x}');
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', '{3,-1}');
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', '{3,99999999999999999999}');
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', '{2,2}');
SELECT einsum_register('b[k,m]', 'weights', '{}', 'val', '{*,2}');
SELECT einsum_register('b[k,m]', 'weights', '{}', 'val', '{3,3000000000}');
SELECT einsum_register('b[k,m]', 'weights', '{}', 'val', '{2,3}');
-- a row with a NULL says nothing: (1, 3) is in no way out of range
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', '{3,2}');
SELECT einsum_register('b[I,J]', 'edge', '{dst,src}', 'weight', replace => true);
SELECT bounds FROM einsum_tensors WHERE tensor = 'b';
CREATE TABLE empty (i bigint PRIMARY KEY, v tensor);
SELECT einsum_register('e[I,j]', 'empty', '{i}', 'v');
SELECT einsum_register('e[I,j]', 'empty', '{i}', 'v', '{9223372036854775807,0}');
INSERT INTO empty VALUES (-1, '[]');
SELECT einsum_register('e[I,j]', 'empty', '{i}', 'v', replace => true);
UPDATE empty SET i = 9223372036854775807;
SELECT einsum_register('e[I,j]', 'empty', '{i}', 'v', replace => true);

-- blocks: the last one is shorter
CREATE TABLE blocked (ib int, jb int, v tensor, PRIMARY KEY (ib, jb));
INSERT INTO blocked VALUES (0, 0, '[[1,2,3],[4,5,6]]'), (1, 0, '[[1,2,3],[4,5,6]]'), (2, 1, '[[7]]'), (1, 1, '[[8],[9]]');
SELECT einsum_register('bl[I:2,J:3]', 'blocked', '{ib,jb}', 'v');
SELECT notation, bounds FROM einsum_tensors WHERE tensor = 'bl';
SELECT einsum_register('bl[I:2,J:3]', 'blocked', '{ib,jb}', 'v', '{6,4}', replace => true);
SELECT einsum_register('bl[I:2,J:3]', 'blocked', '{ib,jb}', 'v', '{4,4}', replace => true);
SELECT einsum_register('bl[I:2,J:3]', 'blocked', '{ib,jb}', 'v', '{*,4}', replace => true);
INSERT INTO blocked VALUES (3, 0, '[[1,2,3],[4,5,6]]');
SELECT einsum_register('bl[I:2,J:3]', 'blocked', '{ib,jb}', 'v', replace => true);
SELECT einsum_register('b0[I:0,J:3]', 'blocked', '{ib,jb}', 'v');

-- what proves that keys are unique
CREATE TABLE proof (a int, b int, c int, v float8);
SELECT einsum_register('p[A,B]', 'proof', '{a,b}', 'v', '{9,9}');
ALTER TABLE proof ADD CONSTRAINT nulls UNIQUE (a, b);
SELECT einsum_register('p[A,B]', 'proof', '{a,b}', 'v', '{9,9}');
ALTER TABLE proof ALTER a SET NOT NULL, ALTER b SET NOT NULL, ALTER c SET NOT NULL;
SELECT einsum_register('p[A,B]', 'proof', '{a,b}', 'v', '{9,9}');
-- a subset of the keys is enough, a superset is not
SELECT einsum_register('p3[A,B,C]', 'proof', '{a,b,c}', 'v', '{9,9,9}');
SELECT einsum_register('p1[A]', 'proof', '{a}', 'v', '{9}');
SELECT einsum_register('p0[A]', 'proof', '{a}', 'v', '{9}', duplicates => 'never');
SELECT einsum_register('pt[A]', 'proof', '{a}', 'v', '{9}', duplicates => 'trust'),
	einsum_register('ps[A]', 'proof', '{a}', 'v', '{9}', duplicates => 'sum');
ALTER TABLE proof DROP CONSTRAINT nulls;
SELECT tensor, status FROM einsum_tensors WHERE relation = 'proof'::regclass ORDER BY tensor;
ALTER TABLE proof ADD CONSTRAINT late UNIQUE (a, b) DEFERRABLE;
CREATE UNIQUE INDEX ON proof (a, b) WHERE c > 0;
CREATE UNIQUE INDEX ON proof ((a + 1), b);
CREATE INDEX ON proof (a, b);
SELECT einsum_register('p[A,B]', 'proof', '{a,b}', 'v', '{9,9}', replace => true);
CREATE UNIQUE INDEX plain ON proof (a, b) INCLUDE (c);
SELECT einsum_register('p[A,B]', 'proof', '{a,b}', 'v', '{9,9}', replace => true);
CREATE TABLE child () INHERITS (proof);
SELECT einsum_register('p[A,B]', 'proof', '{a,b}', 'v', '{9,9}', replace => true);
DROP TABLE child;
CREATE TABLE parted (i int, j int, v float8, PRIMARY KEY (i, j)) PARTITION BY RANGE (i);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES FROM (0) TO (10);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (10) TO (20);
INSERT INTO parted SELECT i, 0, i FROM generate_series(0, 15) i;
SELECT einsum_register('parted[I,J]', 'parted', '{i,j}', 'v');
SELECT bounds, status FROM einsum_tensors WHERE tensor = 'parted';
-- nothing but the data can tell that there is one row
INSERT INTO weights VALUES (NULL);
SELECT einsum_register('w[k,m]', 'weights', '{}', 'val', replace => true);
INSERT INTO weights VALUES ('float4:[[1,2],[3,4],[5,6]]');
SELECT einsum_register('w[k,m]', 'weights', '{}', 'val', replace => true);
DELETE FROM weights WHERE val IS NULL OR ctid <> (SELECT min(ctid) FROM weights);

-- views, materialized views, foreign tables
CREATE VIEW both_ways AS SELECT dst, src, weight FROM edge UNION ALL SELECT src, dst, weight FROM edge;
SELECT einsum_register('s[I,J]', 'both_ways', '{dst,src}', 'weight');
SELECT einsum_register('s[I,J]', 'both_ways', '{dst,src}', 'weight', duplicates => 'sum');
CREATE MATERIALIZED VIEW kept AS TABLE edge;
SELECT einsum_register('s2[I,J]', 'kept', '{dst,src}', 'weight');
SELECT einsum_register('s2[I,J]', 'kept', '{dst,src}', 'weight', duplicates => 'trust');
CREATE FOREIGN DATA WRAPPER register_test;
CREATE SERVER register_test FOREIGN DATA WRAPPER register_test;
CREATE FOREIGN TABLE far (i int, v float8) SERVER register_test;
SELECT einsum_register('s3[I]', 'far', '{i}', 'v', '{3}', duplicates => 'trust');
CREATE SEQUENCE counter;
SELECT einsum_register('s4[I]', 'counter', '{last_value}', 'last_value', duplicates => 'trust');
SELECT einsum_register('s5[I]', 'edge_pkey', '{dst}', 'dst', duplicates => 'trust');
SELECT einsum_register('s6[I]', 'pg_class', '{oid}', 'reltuples', '{*}', duplicates => 'trust');
SELECT einsum_register('s6[I]', 4294967295, '{oid}', 'reltuples', '{*}', duplicates => 'trust');
SELECT relation, status FROM einsum_tensors WHERE tensor ~ '^s[0-9]?$';

-- a label by hand
SECURITY LABEL FOR sparseeinsum ON TABLE other IS 'no';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '[1]';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":5,"tensors":[]}';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":1}';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":1,"tensors":[{"tensor":"a"}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":1,"tensors":[{"tensor":"a","notation":"b[I]","keys":["i"],"value":"v","bounds":[3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":1,"tensors":[{"tensor":"a","notation":"a[I]","keys":["i","j"],"value":"v","bounds":[3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":1,"tensors":[{"tensor":"a","notation":"a[I]","keys":["i"],"value":"v","bounds":[3.5],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":1,"tensors":[{"tensor":"a","notation":"a[i]","keys":[],"value":"v","bounds":["*"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":1,"tensors":[{"tensor":"a","notation":"a[I]","keys":["i"],"value":"v","bounds":[3],"type":"float9","fill":"x","duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON COLUMN other.i IS '{"version":1,"tensors":[]}';
SECURITY LABEL FOR sparseeinsum ON SCHEMA register_test IS '{"version":1,"tensors":[]}';
SECURITY LABEL FOR sparseeinsum ON SEQUENCE counter IS '{"version":1,"tensors":[]}';
-- what a restore sets need not fit yet
SECURITY LABEL FOR sparseeinsum ON TABLE other IS '{"version":1,"tensors":[{"tensor":"later","notation":"later[I]","keys":["not_yet"],"value":"v","bounds":["*"],"type":"float8","fill":"Infinity","duplicates":"error","program":"p"}]}';
SELECT tensor, keys, bounds, fill, program, status FROM einsum_tensors WHERE relation = 'other'::regclass;
SECURITY LABEL FOR sparseeinsum ON TABLE other IS NULL;

-- the element type of a column of arrays is known without rows
CREATE TABLE no_reals (v real[] NOT NULL);
SELECT einsum_register('no_reals[i]', 'no_reals', keys => '{}', value => 'v', bounds => '{2}');
INSERT INTO no_reals VALUES ('{1,2}');
SELECT einsum_value('z[i] = no_reals[i] * 2');

SET client_min_messages = warning;
DROP SCHEMA register_test CASCADE;
DROP FOREIGN DATA WRAPPER register_test CASCADE;
SELECT count(*) FROM pg_seclabel;
