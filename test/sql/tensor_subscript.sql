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
UPDATE tensor_subscript SET t[0] = '[1,2,3]';
INSERT INTO tensor_subscript (t[0]) VALUES ('1');

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
