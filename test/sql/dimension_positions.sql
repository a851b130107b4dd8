-- Dimensions with positions: labels of uuid and text keys inside of values, in every plan.
\pset null NULL
SET client_min_messages = warning;
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA positions;
SET search_path = positions, public;

CREATE TABLE node (id text PRIMARY KEY, n int UNIQUE NOT NULL);
INSERT INTO node VALUES ('c', 0), ('a', 3), ('b', 4);
CREATE TABLE edge (src text REFERENCES node, dst text REFERENCES node, w float8 NOT NULL, PRIMARY KEY (src, dst));
INSERT INTO edge VALUES ('a', 'b', 1), ('b', 'c', 2), ('c', 'a', -3), ('c', 'b', -1), ('c', 'c', -2);
CREATE TABLE feature (id text PRIMARY KEY, v float8 NOT NULL);
INSERT INTO feature VALUES ('a', 5), ('c', 7);
SELECT einsum_dimension('node', 'node', 'id', 'n');
SELECT * FROM einsum_dimensions;
SELECT einsum_register('a[I,J]', 'edge', keys => '{src,dst}', value => 'w', bounds => '{node,node}');
SELECT einsum_register('x[I]', 'feature', keys => '{id}', value => 'v', bounds => '{node}');

-- a result by position, with the fill in gaps
SELECT einsum_value('r[i] = x[i]'), einsum_value('r[i] = 1 + x[i]'), einsum_value('r[i,j] = a[i,j]');
-- what is stored of this in any decomposition is the same: gaps are no entries
CREATE FUNCTION forms(program text) RETURNS TABLE (value text, forms text) LANGUAGE sql AS $$
	SELECT einsum_value(regexp_replace(regexp_replace(program, '\mi\M', 'i' || i, 'g'), '\mj\M', 'j' || j, 'g'))::text, string_agg(i || ' ' || j, ', ' ORDER BY i, j)
	  FROM unnest('{"",":*",":1",":2"}'::text[]) i, unnest('{"",":*",":1",":2"}'::text[]) j GROUP BY 1 $$;
CREATE FUNCTION all_forms() RETURNS TABLE (what text, value text, forms text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH what IN ARRAY ARRAY['r[k] = sum[i,j] a[i,j]*x[i]*node[k]', 'r[] = max[i,j] (a[i,j] - x[i] - 1)', 'r[] = sum[i,j] 2^a[i,j]', 'r[] = prod[i,j] (2 + a[i,j]*x[j])',
		'r[] = sum[i,j] (x[i] - a[i,j])^2', 'r[] = min[i] (sum[j] (x[i] + x[j]))', 'r[] = sum[i,j] eye[i,j]*x[i]*a[i,j]', 'r[] = sum[i,j] x[i]*(max[k] (a[j,k] + x[k]))',
		'r[] = any[i,j] (a[i,j] > 1 + x[j])', 'r[] = (count[i,j] a[i,j]) + (sum[i,j] (1 + 0*x[i]*x[j]))'] LOOP
		RETURN QUERY SELECT what, * FROM forms(what);
	END LOOP;
END $$;
SELECT what, value, length(forms) FROM all_forms();
-- new keys, one in a gap
INSERT INTO node VALUES ('d', 6), ('e', 2);
SELECT what, value, length(forms) FROM all_forms();
-- none
BEGIN;
DELETE FROM edge;
DELETE FROM feature;
DELETE FROM node;
SELECT what, value, length(forms) FROM all_forms();
SELECT einsum_value('r[i] = 1 + x[i]');
ROLLBACK;

-- views, tables, prepared statements and point queries follow the table
SELECT view, notation FROM einsum_decompose('y[i] = max[j:*] (a[i:2,j:*] - x[j:*]); z[i,j] = x[i:*] + y[j:2]', 'live', result => 'auto');
SELECT view, notation FROM einsum_decompose('t[i] = a[i:*,j:2]*x[j:2]', 'kept', materialize => 'always', rewrite => 'none', result => 'auto');
SELECT einsum_sql('r[i] = sum[j:2] 2^a[i:*,j:2]', result => 'auto') AS query \gset
PREPARE filled AS SELECT * FROM (:query) q ORDER BY i;
SELECT einsum_sql('r[i] = sum[j:*] 2^a[i,j:*]', at => '{i}', result => 'auto') AS query \gset
PREPARE filled_at AS :query;
EXECUTE filled;
EXECUTE filled_at('d');
INSERT INTO node VALUES ('f', 1);
INSERT INTO edge VALUES ('f', 'a', 3);
EXECUTE filled;
EXECUTE filled_at('d');
EXECUTE filled_at('f');
SELECT * FROM y ORDER BY i;
SELECT count(*), sum(value) FROM z;
SELECT tensor, how, why, changes, written FROM einsum_refresh('kept');
SELECT * FROM t ORDER BY i;
-- keys stay what they are when positions change
UPDATE node SET n = 100 - n;
EXECUTE filled;
SELECT * FROM y ORDER BY i;
UPDATE node SET n = 100 - n;
DEALLOCATE ALL;

-- a vector for each row is chosen where it stays cheap as the table grows, a matrix of all keys never is
SELECT * FROM einsum_plan('r[i,j] = a[i,k]*a[k,j]', result => 'auto');
SELECT * FROM einsum_plan('r[i,j] = a[i,k:*]*a[k:*,j]', search => 'as_written');

-- vectors by position: narrower, since keys have come, or wider, with fill
CREATE TABLE vector (p int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO vector VALUES (0, '[1,0,0,2,3]'), (1, '[4,0,0]'), (2, '[0,0,0,0,0,0,0,0,0]');
SELECT einsum_register('w[P,i]', 'vector', '{p}', 'v', '{3,node}');
CREATE TABLE matrix (v float8[]);
INSERT INTO matrix VALUES ('{{1,9,9,2,3},{9,9,9,9,9},{9,9,9,9,9},{5,9,9,6,7}}');
SELECT einsum_register('m[i,j]', 'matrix', '{}', 'v', '{node,node}', fill => 9);
SELECT tensor, notation, bounds, status FROM einsum_tensors WHERE schema = 'positions' AND tensor IN ('w', 'm') ORDER BY tensor;
SELECT statistic, labels, given, count FROM einsum_analyze('w');
SELECT * FROM forms('r[p] = sum[i] w[p,i]*(1 + x[i])');
SELECT * FROM forms('r[p] = max[i] (0 - 1 - w[p,i])');
SELECT * FROM forms('r[] = sum[i,j] m[i,j]');
SELECT * FROM einsum_rows('r[i] = sum[p] w[p,i]', at => '{"i": "b"}', result => 'auto') AS r(i text, value float8);
SELECT * FROM einsum_rows('r[i,j] = m[i,j]', result => 'auto') AS r(i text, j text, value float8) ORDER BY i, j;
INSERT INTO node VALUES ('g', 8);
SELECT * FROM forms('r[p] = max[i] (0 - 1 - w[p,i])');
SELECT * FROM forms('r[] = sum[i,j] m[i,j]');
-- an entry at a position without a key
UPDATE vector SET v = '[1,0,0,2,3,7]' WHERE p = 0;
SELECT einsum_value('r[p] = w[p,i]');
SELECT einsum_register('w[P,i]', 'vector', '{p}', 'v', '{3,node}', replace => true);
UPDATE vector SET v = '[[1]]' WHERE p = 0;
SELECT einsum_value('r[p] = w[p,i]');
UPDATE vector SET v = 'float4:[1]' WHERE p = 0;
SELECT einsum_value('r[p] = w[p,i]');
UPDATE vector SET v = '[1]' WHERE p = 0;
SELECT einsum_value('r[p] = w[p,i]');
-- what takes values to places and back asks for the positions of each dimension, whoever calls it
SELECT sparseeinsum_internal.einsum_by_place('[[0,2],[3,0]]'::tensor, '0', 'w', 'float8', '{2,2}', '{0,1,2}'::int8[]);
SELECT sparseeinsum_internal.einsum_by_position('[[0,2],[3,0]]'::tensor, '0', '{0,1}'::int8[]);
DROP TABLE vector;

-- uuid keys and an identity column
CREATE TABLE item (code uuid PRIMARY KEY, place bigint GENERATED BY DEFAULT AS IDENTITY (MINVALUE 0 START 0) UNIQUE);
INSERT INTO item SELECT ('00000000-0000-0000-0000-' || lpad((9 - i)::text, 12, '0'))::uuid FROM generate_series(0, 3) i;
SELECT einsum_dimension('item', 'item', 'code', 'place');
CREATE TABLE price (code uuid PRIMARY KEY REFERENCES item, price real NOT NULL);
INSERT INTO price SELECT code, place FROM item;
SELECT einsum_register('c[C]', 'price', keys => '{code}', value => 'price', bounds => '{item}');
SELECT einsum_value('r[c] = c[c:*] + 1'), einsum_value('r[] = c[c:2]*c[c:2]');
-- positions are renamed with their column, or lost
SELECT einsum_dimension('item_again', 'item', 'code', 'place');
ALTER TABLE item RENAME place TO position;
SELECT dimension, position, status FROM einsum_dimensions WHERE schema = 'positions' ORDER BY 1;
SELECT einsum_value('r[] = c[c]*c[c]');
ALTER TABLE item RENAME position TO place;
-- without the constraint they have an order still, but where they are given out
ALTER TABLE item DROP CONSTRAINT item_place_key;
UPDATE item SET place = 1;
SELECT einsum_value('r[] = c[c:2]*c[c:2]');
SELECT einsum_value('r[c] = c[c]');
UPDATE item SET place = -1 WHERE code = '00000000-0000-0000-0000-000000000009';
SELECT einsum_value('r[c] = c[c]');
UPDATE item SET place = 2000000000 + right(code::text, 1)::int;
SELECT einsum_value('r[c] = c[c]');

-- mistakes
CREATE TABLE wrong (id int PRIMARY KEY, t text UNIQUE NOT NULL, free int, nullable int UNIQUE, negative int UNIQUE NOT NULL, large bigint UNIQUE NOT NULL, good int UNIQUE NOT NULL, also int UNIQUE NOT NULL);
INSERT INTO wrong VALUES (1, 'a', 1, 1, -1, 2147483647, 1, 2);
SELECT einsum_dimension('wrong', 'wrong', 'id', 'none');
SELECT einsum_dimension('wrong', 'wrong', 'id', 't');
SELECT einsum_dimension('wrong', 'wrong', 'id', 'free');
SELECT einsum_dimension('wrong', 'wrong', 'id', 'nullable');
SELECT einsum_dimension('wrong', 'wrong', 'id', 'negative');
SELECT einsum_dimension('wrong', 'wrong', 'id', 'large');
SELECT einsum_dimension(NULL, 'wrong', 'id', 'good');
SELECT einsum_dimension('wrong', 'wrong', 'id', 'good');
SELECT einsum_dimension('wrong_too', 'wrong', 'id', 'also');
SELECT einsum_dimension('plain', 'feature', 'id');
CREATE TABLE vector (p int PRIMARY KEY, q int, v tensor NOT NULL);
SELECT einsum_register('w[P,i]', 'vector', '{p}', 'v', '{3,plain}');
SELECT einsum_register('w[P,i:2]', 'vector', '{p,q}', 'v', '{3,node}');
SELECT einsum_register('w[P:2,i]', 'vector', '{p}', 'v', '{3,node}');
SELECT einsum_register('w[P,i]', 'vector', '{p}', '{q,1}', '{3,node}');
SELECT einsum_store('s[K,i]', 'SELECT 1, id, 1.0 FROM node', '{2,node}');
SELECT einsum_value('r[i:*] = x[i]');
SELECT einsum_value('r[i:2] = x[i]');
SELECT einsum_value('r[i,j] = inverse[i,j](a[i,j])');
SELECT einsum_value('r[] = sum[i] x[i-1]');

SET client_min_messages = warning;
DROP SCHEMA positions CASCADE;
