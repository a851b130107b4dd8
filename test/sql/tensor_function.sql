--
-- What a tensor is, making one, rearranging one
--
SELECT t, tensor_shape(t), tensor_rank(t), tensor_type(t), tensor_count_nonzero(t)
FROM unnest('{3.5,"[1,0,-0,NaN]","float4:[[1,2,0]]","complex8:[0,2i,1]","complex16:[0+0i,NaN]","float8(0,3):[]",-0}'::tensor[]) t;
-- of stored values too, wherever the bytes are
CREATE TABLE tensor_function (t tensor, c tensor);
ALTER TABLE tensor_function ALTER c SET STORAGE extended;
INSERT INTO tensor_function SELECT tensor_random('{60,50}', 1), tensor_zeros('{100,50}') UNION ALL SELECT '[1]', '[1]';
SELECT tensor_shape(t), tensor_rank(t), tensor_type(t), tensor_count_nonzero(t), tensor_shape(c), tensor_type(c), pg_column_size(c) < 2000 AS compressed FROM tensor_function;

-- entries
SELECT * FROM tensor_entries('[[1,0,3],[4,5,6]]');
SELECT * FROM tensor_entries('3.5');
SELECT * FROM tensor_entries('float8(0,3):[]');
SELECT * FROM tensor_entries('float4:[0.5,NaN]');
SELECT * FROM tensor_entries('complex8:[1+2i]');
SELECT * FROM tensor_entries(NULL);
SELECT count(*), sum(value) FROM tensor_function, tensor_entries(c);
SELECT tensor_entries(tensor_zeros('{1000,1000}')) LIMIT 2;
SELECT (SELECT count(*) FROM tensor_entries(t) WHERE value <> t[index[1]][index[2]]::float8) FROM tensor_function WHERE tensor_rank(t) = 2;
EXPLAIN SELECT * FROM tensor_entries('[[1,0,3],[4,5,6]]');

-- making
SELECT tensor_zeros('{2,2}'), tensor_zeros('{}'), tensor_zeros('{2}', 'float4'), tensor_zeros('{1}', 'complex16'), tensor_zeros('{0,2}'), tensor_zeros(type => 'complex8', shape => '{1}');
SELECT tensor_full('{2}', 1.5), tensor_full('{}', -1), tensor_full('{2}', 0.1, 'float4'), tensor_full('{1}', 2, 'complex8'), tensor_full('{1,1}', 'NaN', 'complex16');
SELECT tensor_eye(3), tensor_eye(1), tensor_eye(0);
SELECT tensor_random('{2,2}', 1), tensor_random('{2,2}', 1) = tensor_random('{2,2}', 1) AS t, tensor_random('{2,2}', 1) = tensor_random('{2,2}', 2) AS f, tensor_random('{}', -1);
SELECT min(value) >= 0 AND max(value) < 1 AND abs(avg(value) - 0.5) < 0.01 AND abs(var_pop(value) - 1.0 / 12) < 0.01 AS uniform FROM tensor_entries(tensor_random('{100,100}', 42));
SELECT tensor_zeros('{2,-1}');
SELECT tensor_zeros('{1,NULL}');
SELECT tensor_zeros('{{1,2}}');
SELECT tensor_zeros('{2}', 'int4');
SELECT tensor_eye(-1);
SELECT tensor_zeros(NULL) IS NULL AS t;
-- limits of rank and size
SELECT tensor_rank(tensor_zeros(array_fill(1, '{16}')));
SELECT tensor_zeros(array_fill(1, '{17}'));
SELECT tensor_zeros('{134217728}');
SELECT tensor_zeros('{67108864}', 'complex16');
SELECT tensor_zeros('{2147483647,2147483647}');
SELECT tensor_zeros('{2147483647,2147483647,2147483647}');
SELECT tensor_zeros('{65536,65536,65536,65536}');
SELECT tensor_shape(tensor_zeros('{0,2147483647,268435456}'));
SELECT tensor_zeros('{0,2147483647,536870912}');
SELECT tensor_eye(2147483647);

-- rearranging
SELECT tensor_reshape('[[1,2,3],[4,5,6]]', '{3,2}'), tensor_reshape('[1,2,3,4]', '{2,-1}'), tensor_reshape('[7]', '{}'), tensor_reshape('7', '{1,1}'), tensor_reshape('float4(0,3):[]', '{2,0}');
SELECT tensor_reshape('[1,2,3]', '{2}');
SELECT tensor_reshape('[1,2,3]', '{2,-1}');
SELECT tensor_reshape('[1,2]', '{-1,-1}');
SELECT tensor_reshape('[]', '{0,-1}');
SELECT tensor_reshape('[1,2]', '{2147483647,2147483647}');
SELECT tensor_permute('[[1,2,3],[4,5,6]]', '{1,0}'), tensor_permute('[[[1,2],[3,4]],[[5,6],[7,8]]]', '{2,0,1}'), tensor_permute('5', '{}'), tensor_permute('complex8:[[1+2i,3i]]', '{1,0}'), tensor_shape(tensor_permute(tensor_zeros('{2,3,0}'), '{1,2,0}'));
SELECT tensor_permute('[[1,2]]', '{0}');
SELECT tensor_permute('[[1,2]]', '{0,0}');
SELECT tensor_permute('[[1,2]]', '{1,2}');
SELECT tensor_permute('[[1,2]]', '{-1,0}');
SELECT tensor_slice('[[1,2,3],[4,5,6],[7,8,9]]', '{1,0}', '{3,2}'), tensor_slice('[1,2,3]', '{1}', '{1}'), tensor_slice('[1,2,3]', '{0}', '{3}'), tensor_slice('5', '{}', '{}'), tensor_slice('float4(0,3):[]', '{0,1}', '{0,2}'), tensor_slice('[1,2]', '{2}', '{2}');
SELECT tensor_slice('[1,2,3]', '{1}', '{4}');
SELECT tensor_slice('[1,2,3]', '{-1}', '{1}');
SELECT tensor_slice('[1,2,3]', '{2}', '{1}');
SELECT tensor_slice('[[1,2,3]]', '{0}', '{1}');
SELECT bool_and((tensor_permute(t, '{1,0}'))[j][i] = t[i][j]) FROM (SELECT tensor_random('{7,5}', 9)) v(t), generate_series(0, 6) i, generate_series(0, 4) j;
DROP TABLE tensor_function;
