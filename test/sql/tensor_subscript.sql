--
-- Subscripts count from 0; fewer than the rank give the sub-tensor
--
CREATE TABLE tensor_subscript (id int, t tensor, c tensor);
ALTER TABLE tensor_subscript ALTER c SET STORAGE extended;
INSERT INTO tensor_subscript VALUES
  (1, '[[1,2,3],[4,5,6]]', '[[1,2,3],[4,5,6]]'),
  (2, tensor_reshape((SELECT array_agg(i) FROM generate_series(0, 9999) i)::tensor, '{100,100}'), tensor_full('{100,100}', 1)),
  (3, NULL, NULL);
SELECT id, t[1], t[1][2], tensor_rank(t[1][2]), t[1][2]::float8 + 1 FROM tensor_subscript WHERE id = 1;
SELECT id, t[0][0], t[99][99], t[42][7], tensor_shape(t[42]), c[99][99], tensor_count_nonzero(c[5]) FROM tensor_subscript WHERE id = 2;
SELECT id, t[0], t[NULL], t[0][NULL] FROM tensor_subscript WHERE id IN (1, 3);
SELECT t[i.s] FROM tensor_subscript, (VALUES (0), (1)) i(s) WHERE id = 1;
SELECT ('complex16:[[1+2i],[3-4i]]'::tensor)[1][0], ('float4:[0.5]'::tensor)[0], ('[[],[]]'::tensor)[1], (tensor_zeros('{2,0,3}'))[1], (tensor_zeros('{1,0}'))[0];
SELECT ('[7,8,9]'::tensor)[1::bigint], ('[7,8,9]'::tensor)['2'], ('[7,8,9]'::tensor)[0 + 1];
-- every element of a value out of line
SELECT count(*) FROM tensor_subscript, generate_series(0, 99) i, generate_series(0, 99) j WHERE id = 2 AND t[i][j]::float8 = 100 * i + j;

-- out of range
SELECT t[2] FROM tensor_subscript WHERE id = 1;
SELECT t[-1] FROM tensor_subscript WHERE id = 1;
SELECT t[0][3] FROM tensor_subscript WHERE id = 1;
SELECT t[0][0][0] FROM tensor_subscript WHERE id = 1;
SELECT ('7'::tensor)[0];
SELECT (tensor_zeros('{0,3}'))[0];
SELECT ('1'::tensor)[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0];

-- what is not there
SELECT t[0:1] FROM tensor_subscript;
SELECT t[:][1] FROM tensor_subscript;
SELECT t['x'] FROM tensor_subscript;
SELECT t[true] FROM tensor_subscript;

-- assignment to an element or a part: broadcast and converted to what is there
CREATE TABLE tensor_assign (id int PRIMARY KEY, t tensor, f tensor(float4,2), c tensor(complex16));
INSERT INTO tensor_assign VALUES (1, '[[1,2,3],[4,5,6]]', '[[1,2],[3,4]]', '[1,2]'), (2, tensor_random('{100,100}', 1), '[[0]]', '[[[1,2]],[[3,4]]]');
UPDATE tensor_assign SET t[0][1] = 20, f[1][0] = 0.1, c[0] = tensor 'complex8:1+2i' WHERE id = 1 RETURNING *;
UPDATE tensor_assign SET t[0] = '[7,8,9]', f[0] = '[5,6]', c = '[1]' WHERE id = 1 RETURNING *;
UPDATE tensor_assign SET t[0][0] = -1, t[1][2] = 2::smallint, t[1] = 10::bigint, t[1][0] = 3::numeric WHERE id = 1 RETURNING t;
UPDATE tensor_assign SET t[1] = t[0] * 2, t[0][0] = t[1][1]::float8 + 1, f[0] = 2.5::real, c[0] = 1 WHERE id = 1 RETURNING *;
UPDATE tensor_assign SET f[0] = 7, f[1] = '[8]', c[0] = f[0][0] WHERE id = 1 RETURNING *;
-- out of line, and the rest of the value stays
UPDATE tensor_assign SET t[50] = 2, c[1] = '[[9,NaN]]' WHERE id = 2 RETURNING t[50][99], c;
SELECT count(*) FROM tensor_assign, tensor_entries(t) e JOIN tensor_entries(tensor_random('{100,100}', 1)) r USING (index) WHERE id = 2 AND e.value <> r.value;
UPDATE tensor_assign SET c[1][0][1] = (tensor 'complex16:[[[2i]]]')[0][0][0] WHERE id = 2 RETURNING c;
-- no elements
UPDATE tensor_assign SET t = tensor_zeros('{2,0}') WHERE id = 1;
UPDATE tensor_assign SET t[1] = '[]', c = '1' WHERE id = 1 RETURNING t;
UPDATE tensor_assign SET t[1] = 3 WHERE id = 1 RETURNING t;
-- in PL/pgSQL and composite columns
DO $$ DECLARE t tensor := tensor_zeros('{2,2}'); BEGIN t[0][1] := 5; t[1] := '[6,7]'; RAISE NOTICE '%', t; END $$;
CREATE TYPE tensor_pair AS (a tensor, b tensor);
CREATE TABLE tensor_pairs (p tensor_pair);
INSERT INTO tensor_pairs VALUES (ROW('[1,2]', '[3,4]'));
UPDATE tensor_pairs SET p.b[1] = 9 RETURNING p;
DROP TABLE tensor_pairs;
DROP TYPE tensor_pair;
CREATE DOMAIN tensor_small AS tensor CHECK (tensor_reduce('max', VALUE) < '10');
CREATE TABLE tensor_domain (t tensor_small);
INSERT INTO tensor_domain VALUES ('[1,2]');
UPDATE tensor_domain SET t[0] = 9 RETURNING t;
UPDATE tensor_domain SET t[0] = 10;
DROP TABLE tensor_domain;
DROP DOMAIN tensor_small;
-- refused
UPDATE tensor_assign SET t[0][0][0] = 1 WHERE id = 2;
UPDATE tensor_assign SET t[100] = 1 WHERE id = 2;
UPDATE tensor_assign SET t[-1] = 1 WHERE id = 2;
UPDATE tensor_assign SET t[0][0] = '[[1]]' WHERE id = 2 RETURNING t[0][0];
UPDATE tensor_assign SET t[0][0] = '[1,2]' WHERE id = 2;
UPDATE tensor_assign SET t[0] = '[[1],[2]]' WHERE id = 2;
UPDATE tensor_assign SET t[0] = '[1,2]' WHERE id = 2;
UPDATE tensor_assign SET t[0] = tensor 'complex8:1' WHERE id = 2;
UPDATE tensor_assign SET t[0] = NULL WHERE id = 2;
UPDATE tensor_assign SET t[NULL] = 1 WHERE id = 2;
UPDATE tensor_assign SET t[0:1] = 1 WHERE id = 2;
UPDATE tensor_assign SET t[0] = true WHERE id = 2;
UPDATE tensor_assign SET t[0] = 'x' WHERE id = 2;
INSERT INTO tensor_assign (id, t[0]) VALUES (3, 1);
DROP TABLE tensor_assign;

-- a sparse value stays sparse, however large its dense form would be
CREATE TABLE tensor_bag (id int, b tensor(float4,sparse));
INSERT INTO tensor_bag VALUES (1, 'float4(50):{3:2}'), (2, 'float4(2000000000):{3:1,5:2,1999999999:3}'), (3, 'float4(2,3):{(0,1):5,(1,0):6,*:7}'), (4, 'float4(2,3):{}');
UPDATE tensor_bag SET b[4] = 7 WHERE id = 1 RETURNING b, tensor_format(b);
UPDATE tensor_bag SET b[3] = 0 WHERE id = 1 RETURNING b, tensor_format(b);
UPDATE tensor_bag SET b[4] = 9 WHERE id = 2 RETURNING b;
UPDATE tensor_bag SET b[5] = 0, b[1999999999] = 0.1 WHERE id = 2 RETURNING b;
UPDATE tensor_bag SET b[0] = '[7,8,9]' WHERE id = 3 RETURNING b;
UPDATE tensor_bag SET b[1] = 7 WHERE id = 3 RETURNING b;
UPDATE tensor_bag SET b[1] = 'float8(3):{1:4}', b[0][2] = 3 WHERE id = 4 RETURNING b, tensor_dense(b);
UPDATE tensor_bag SET b[50] = 1 WHERE id = 1;
UPDATE tensor_bag SET b[0] = tensor 'complex8:1' WHERE id = 3;
UPDATE tensor_bag SET b[0] = '[1,2]' WHERE id = 3;
UPDATE tensor_bag SET b[0][0][0] = 1 WHERE id = 3;
SELECT id, b FROM tensor_bag ORDER BY id;
DROP TABLE tensor_bag;

-- in views and indexes, as any expression
CREATE VIEW tensor_subscript_view AS SELECT id, t[1][2]::float8 AS x FROM tensor_subscript WHERE id = 1;
SELECT pg_get_viewdef('tensor_subscript_view'::regclass) LIKE '%t[1][2])::double precision%' AS deparsed, x FROM tensor_subscript_view;
CREATE DOMAIN tensor_matrix AS tensor CHECK (tensor_rank(VALUE) = 2);
SELECT ('[[1,2],[3,4]]'::tensor_matrix)[1], pg_typeof(('[[1,2],[3,4]]'::tensor_matrix)[1]), (ARRAY['[1,2]','[3,4]']::tensor[])[2], ((ARRAY['[1,2]','[3,4]']::tensor[])[2])[0];
SELECT '[1,2]'::tensor_matrix;
DROP DOMAIN tensor_matrix;
CREATE INDEX ON tensor_subscript (((t[0][1])::float8));
SELECT id FROM tensor_subscript WHERE t[0][1]::float8 = 2;
DROP TABLE tensor_subscript CASCADE;
