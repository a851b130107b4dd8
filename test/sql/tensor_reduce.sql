--
-- Concatenation and reductions along dimensions
--
SELECT tensor_concat('[1,2]', '[3]'), tensor_concat('[[1,2]]', '[[3,4],[5,6]]'), tensor_concat('[[1],[2]]', '[[3,4],[5,6]]', 1), tensor_concat('[]', '[1]');
SELECT tensor_concat('float4:[1]', '[0.1]'), tensor_concat('float4:[1]', 'float4:[2]'), tensor_concat('float4:[1]', 'complex8:[2i]'), tensor_concat('[1]', 'complex8:[2i]');
SELECT tensor_concat(tensor '[1]', '[2,3]', '[]', '[4]'), tensor_concat(tensor '[1]'), tensor_concat(VARIADIC array_agg(tensor_full(ARRAY[1, i], i) ORDER BY i)) FROM (VALUES (2), (2), (2)) v(i);
SELECT tensor_concat(tensor_zeros('{2,0,3}'), tensor_full('{2,2,3}', 1), 1), tensor_shape(tensor_concat(tensor_zeros('{2,0,3}'), tensor_full('{2,0,3}', 1), 2));
SELECT tensor_concat(tensor_reshape('[1,2,3,4,5,6,7,8]', '{2,2,2}'), tensor_reshape('[10,20,30,40]', '{2,1,2}'), 1);
SELECT tensor_concat('[1]', NULL), tensor_concat(VARIADIC NULL), tensor_concat(VARIADIC ARRAY['[1]', NULL]::tensor[]);
SELECT tensor_concat('1', '2');
SELECT tensor_concat('[1]', '[2]', 1);
SELECT tensor_concat('[1]', '[2]', -1);
SELECT tensor_concat('[1]', '[[2]]');
SELECT tensor_concat('[[1]]', '[[2,3]]');
SELECT tensor_concat(tensor '[[1]]', '[[2]]', '[[2,3]]');
SELECT tensor_concat(VARIADIC '{}');
SELECT tensor_concat(tensor_zeros('{0,2147483647}'), tensor_zeros('{0,2147483647}'), 1);

-- reductions
CREATE TABLE reduce (id int, t tensor);
INSERT INTO reduce VALUES (1, '[[1,2,3],[4,0,-6]]'), (2, 'float4:[[1,2,3],[4,0,-6]]'), (3, '[1,NaN,2]'), (4, '7'), (5, tensor_reshape('[1,2,3,4,5,6,7,8]', '{2,2,2}'));
SELECT id, k, tensor_reduce(k, t), tensor_reduce(k, t, '{0}'), tensor_reduce(k, t, '{1}'), tensor_reduce(k, t, '{1,0}')
FROM reduce, unnest('{sum,prod,min,max,mean,any,all}'::text[]) k WHERE id <= 2;
SELECT k, tensor_reduce(k, t) FROM reduce, unnest('{sum,prod,min,max,mean,any,all}'::text[]) k WHERE id = 3;
SELECT k, tensor_reduce(k, t), tensor_reduce(k, t, '{}'), tensor_reduce(k, t, NULL, true) FROM reduce, unnest('{sum,prod,min,max,mean,any,all}'::text[]) k WHERE id = 4;
SELECT k, tensor_reduce(k, t, '{0,2}'), tensor_reduce(k, t, '{1}'), tensor_reduce(k, t, '{0,2}', true), tensor_reduce(k, t, keep => true)
FROM reduce, unnest('{sum,prod,min,max,mean,any,all}'::text[]) k WHERE id = 5;
-- large results are reduced part by part, whichever dimension is split
CREATE FUNCTION cycle(n int, m int) RETURNS tensor LANGUAGE sql AS $$ SELECT array_agg((i % m)::real)::tensor FROM generate_series(0, n - 1) AS i $$;
SELECT bounds, tensor_type(tensor_reduce('sum', t, dims)), tensor_reduce('sum', t, dims) = whole * 3 AS sum, tensor_reduce('mean', t, dims, true) = tensor_reshape(whole * 1.5, kept) AS mean, tensor_reduce('max', t, dims) = whole * 2 AS max
FROM (VALUES ('{3,500,1000}'::int[], 'i,j,k,l->lijk', '{0}'::int[], '{1,3,500,1000}'::int[]), ('{600000,2,1}', 'i,j,k,l->ijlk', '{2}', '{600000,2,1,1}'), ('{2,6,200000}', 'i,j,k,l->ijkl', '{3}', '{2,6,200000,1}')) AS form(bounds, equation, dims, kept),
	LATERAL (SELECT cycle(bounds[1], 7) AS a, cycle(bounds[2], 5) AS b, cycle(bounds[3], 3) AS c) AS vectors,
	LATERAL (SELECT einsum(equation, a, b, c, tensor 'float4:[1,2]') AS t, einsum('i,j,k->ijk', a, b, c) AS whole OFFSET 0) AS tensors;
SELECT tensor_reduce('sum', '[[1,2],[3,4]]', '{}'), tensor_reduce('any', '[[1,0],[3,4]]', '{}'), tensor_reduce('max', '[[1,2],[3,4]]', '{}'), tensor_reduce('mean', 'float4:[1,2]', '{}');
-- complex elements: no order, but truth
SELECT tensor_reduce('sum', t), tensor_reduce('prod', t), tensor_reduce('prod', t, '{0}'), tensor_reduce('mean', t, '{1}'), tensor_reduce('any', t, '{1}'), tensor_reduce('all', t, '{0}')
FROM (VALUES (tensor 'complex16:[[1+1i,2],[3i,0]]'), ('complex8:[[1+1i,2],[3i,0]]')) v(t);
-- no elements
SELECT k, tensor_reduce(k, '[]'), tensor_reduce(k, tensor_zeros('{0,2}'), '{0}'), tensor_reduce(k, tensor_zeros('{0,2}'), '{1}'), tensor_reduce(k, tensor_zeros('{0,2}', 'complex8'), '{0}')
FROM unnest('{sum,prod,mean,any,all}'::text[]) k;
SELECT tensor_reduce('min', tensor_zeros('{0,2}'), '{1}'), tensor_reduce('max', tensor_zeros('{2,0}'), '{0}');
SELECT tensor_reduce('min', '[]');
SELECT tensor_reduce('max', tensor_zeros('{0,2}'), '{0}');
-- softmax, as one writes it with kept dimensions
SELECT tensor_reduce('sum', e / tensor_reduce('sum', e, '{1}', true), '{1}') FROM (SELECT tensor_exp(t - tensor_reduce('max', t, '{1}', true)) FROM (VALUES (tensor '[[1,2],[1000,0]]')) v(t)) x(e);
-- longer than the kernels' blocks, in every position
SELECT k, bool_and(tensor_reduce(k, t, '{0}')::text = tensor_reduce(k, tensor_permute(t, '{1,0,2}'), '{1}')::text AND tensor_reduce(k, t, '{0,1,2}')::text = tensor_reduce(k, t)::text
  AND tensor_reduce(k, tensor_reduce(k, t, '{2}'), '{0}')::text = tensor_reduce(k, t, '{0,2}')::text)
FROM (SELECT tensor_floor(tensor_random('{7,300,11}', 1) * 10)) v(t), unnest('{sum,min,max,any,all}'::text[]) k GROUP BY k ORDER BY k;
SELECT tensor_reduce('prod', tensor_full('{1000,2}', -1) , '{0}'), tensor_reduce('prod', tensor_full('{1000,2}', 1, 'complex16') * tensor 'complex16:0+1i', '{0}');
SELECT tensor_reduce(NULL, '[1]'), tensor_reduce('sum', NULL), tensor_reduce('sum', '[1]', keep => NULL);
SELECT tensor_reduce('median', '[1]');
SELECT tensor_reduce('sum', '[1]', '{1}');
SELECT tensor_reduce('sum', '[1]', '{-1}');
SELECT tensor_reduce('sum', '[[1]]', '{0,0}');
SELECT tensor_reduce('sum', '[1]', '{NULL}');
SELECT tensor_reduce('sum', '1', '{0}');
SELECT tensor_reduce('max', 'complex8:[1]');
SELECT tensor_reduce('min', 'complex16:[[1]]', '{0}');
DROP TABLE reduce;
