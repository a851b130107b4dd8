-- Tensors whose entries are in jsonb objects, and dimensions as bounds of a layout's indices.
\set SHOW_CONTEXT never
SET search_path = public, sparseeinsum_internal;
SELECT * FROM einsum_entries('object', 0, '{"3":1.5,"-1":2,"10":0}'::jsonb) AS e(i bigint, v float8) ORDER BY 1;
SELECT * FROM einsum_entries('object', 1, '{"red":1,"a b":2,"":3}'::jsonb) AS e(i text, v float8) ORDER BY 1;
SELECT * FROM einsum_entries('object', 0, NULL::jsonb) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '{}'::jsonb) AS e(i text, v float8);
-- what is wrong
SELECT * FROM einsum_entries('object', 0, '[1]'::jsonb) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '1'::jsonb) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '{"a":"1"}'::jsonb) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '{"a":null}'::jsonb) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '{"a":{"b":1}}'::jsonb) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '{"a":[1,2]}'::jsonb) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '{"a":1e999}'::jsonb) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '{"01":1}'::jsonb) AS e(i bigint, v float8);
SELECT * FROM einsum_entries('object', 0, '{"1.5":1}'::jsonb) AS e(i bigint, v float8);
SELECT * FROM einsum_entries('object', 0, '{"99999999999999999999":1}'::jsonb) AS e(i bigint, v float8);
SELECT * FROM einsum_entries('object', 0, '{"a":1}'::json) AS e(i text, v float8);
SELECT * FROM einsum_entries('object', 0, '{"a":1}'::jsonb, 1) AS e(i text, v float8);
SELECT * FROM einsum_entries('lists', 0, '{1}'::int[]) AS e(i text, v float8);

CREATE TABLE product (id int PRIMARY KEY, attributes jsonb, counts jsonb);
INSERT INTO product VALUES (0, '{"weight":2,"height":3}', '{"0":1,"4":2}'), (1, '{"weight":5,"width":7.5}', '{"4":3}'), (2, NULL, NULL), (3, '{}', '{}');
SELECT einsum_register('p[I,A]', 'product', keys => '{id}', layout => 'object(attributes)', bounds => '{4,*}');
SELECT einsum_register('c[I,J]', 'product', keys => '{id}', layout => 'object(counts)');
SELECT tensor, bounds, status, layout FROM einsum_tensors WHERE relation = 'product'::regclass ORDER BY 1;
SELECT * FROM einsum_rows('y[a] = p[i,a]') AS r(a text, v float8) ORDER BY 1;
SELECT * FROM einsum_rows('y[i,k] = p[i,a] * p[k,a]') AS r(i int, k int, v float8) ORDER BY 1, 2;
SELECT * FROM einsum_rows('y[j] = c[i,j]') AS r(j int, v float8) ORDER BY 1;
SET sparseeinsum.enable_aggregate_join = force;
SELECT * FROM einsum_rows('y[i,k] = p[i,a] * p[k,a]') AS r(i int, k int, v float8) ORDER BY 1, 2;
SET sparseeinsum.enable_aggregate_join = off;
SELECT * FROM einsum_rows('y[i,k] = p[i,a] * p[k,a]') AS r(i int, k int, v float8) ORDER BY 1, 2;
RESET sparseeinsum.enable_aggregate_join;
-- fill other than 0
SELECT einsum_register('f[I,J]', 'product', keys => '{id}', layout => 'object(counts)', bounds => '{4,5}', fill => 2);
SELECT einsum_value('y[] = sum[i,j] f[i,j]');
-- what is wrong in a row says which
UPDATE product SET attributes = '{"weight":"heavy"}' WHERE id = 3;
SELECT * FROM einsum_rows('y[a] = p[i,a]') AS r(a text, v float8);
UPDATE product SET attributes = '[]' WHERE id = 3;
SELECT * FROM einsum_rows('y[a] = p[i,a]') AS r(a text, v float8);
UPDATE product SET attributes = NULL, counts = '{"5":1}' WHERE id = 3;
SELECT * FROM einsum_rows('y[j] = c[i,j]') AS r(j int, v float8);
UPDATE product SET counts = '{"five":1}' WHERE id = 3;
SELECT * FROM einsum_rows('y[j] = c[i,j]') AS r(j int, v float8);
SELECT einsum_register('c[I,J]', 'product', keys => '{id}', layout => 'object(counts)', replace => true);
UPDATE product SET counts = '{"-5":1}' WHERE id = 3;
SELECT einsum_register('c[I,J]', 'product', keys => '{id}', layout => 'object(counts)', replace => true);
UPDATE product SET counts = NULL WHERE id = 3;

-- dimensions: keys of an object, and of arrays, are those of another table
CREATE TABLE attribute (name varchar(20) PRIMARY KEY);
INSERT INTO attribute VALUES ('weight'), ('height'), ('width'), ('color');
SELECT einsum_dimension('attribute', 'attribute', 'name');
SELECT einsum_register('p[I,A]', 'product', keys => '{id}', layout => 'object(attributes)', bounds => '{4,attribute}', replace => true);
SELECT bounds FROM einsum_tensors WHERE tensor = 'p';
SELECT * FROM einsum_rows('y[a] = exp(p[0,a])') AS r(a text, v float8) ORDER BY 1;
UPDATE product SET attributes = '{"wheels":4}' WHERE id = 3;
SELECT * FROM einsum_rows('y[a] = p[i,a]') AS r(a text, v float8);
SELECT einsum_register('p[I,A]', 'product', keys => '{id}', layout => 'object(attributes)', bounds => '{4,attribute}', replace => true);
INSERT INTO attribute VALUES ('wheels');
SELECT * FROM einsum_rows('y[a] = p[i,a]') AS r(a text, v float8) ORDER BY 1;
CREATE TABLE person (id int PRIMARY KEY, friends bigint[]);
INSERT INTO person VALUES (-7, '{12,40}'), (12, '{40}'), (40, NULL);
SELECT einsum_dimension('person', 'person', 'id');
SELECT einsum_register('knows[I,J]', 'person', keys => '{id}', layout => 'lists(friends)', bounds => '{person,person}');
SELECT * FROM einsum_rows('y[i,k] = knows[i,j] * knows[j,k]') AS r(i int, k int, v float8) ORDER BY 1, 2;
SELECT * FROM einsum_rows('y[i] = exp(sum[j] knows[i,j])') AS r(i int, v float8) ORDER BY 1;
SELECT einsum_register('mutual[I,J]', 'person', keys => '{id}', layout => 'symmetric lists(friends)', bounds => '{person,person}', duplicates => 'trust');
SELECT * FROM einsum_rows('y[i,j] = mutual[i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
UPDATE person SET friends = '{5}' WHERE id = 40;
SELECT * FROM einsum_rows('y[i] = knows[i,j]') AS r(i int, v float8);
SELECT einsum_register('p[I,A]', 'person', keys => '{id}', layout => 'lists(friends)', bounds => '{person,attribute}', replace => true);
SELECT einsum_register('q[I,A]', 'product', keys => '{id}', layout => 'object(attributes)', bounds => '{4,nothing}');
SELECT einsum_register('q[I,A]', 'product', keys => '{id}', layout => 'object(id)', bounds => '{4,4}');
SELECT einsum_register('q[I,A]', 'product', keys => '{id}', layout => 'symmetric object(attributes)', bounds => '{*,*}', duplicates => 'trust');
DROP TABLE product, attribute, person CASCADE;
