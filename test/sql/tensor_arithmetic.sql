--
-- + - * / and element-wise functions
--
SELECT '[1,2]'::tensor + '[10,20]', '[1,2]'::tensor - '[10,20]', '[1,2]'::tensor * '[10,20]', '[1,2]'::tensor / '[10,20]';
SELECT '[1,2]'::tensor + 1::float8, 1::float8 - '[1,2]'::tensor, '[1,2]'::tensor * 2::float8, 6::float8 / '[1,2]'::tensor;
SELECT '[1,2]'::tensor + 1, 1 - '[1,2]'::tensor, '[1,2]'::tensor * 2.5, '[1,2]'::tensor / 2::bigint;
SELECT - '[1,-2,0,NaN]'::tensor, -'3'::tensor;

-- a dimension of bound 1, or none, is repeated
SELECT '[[1,2,3],[4,5,6]]'::tensor + '[10,20,30]', '[[1,2,3],[4,5,6]]'::tensor + '[[10],[20]]';
SELECT '[1,2,3]'::tensor * '[[1],[10]]', '[[[1,2]],[[3,4]]]'::tensor - '[[1],[2]]';
SELECT '5'::tensor * '[[1,2]]', '[1,2]'::tensor + '5', '5'::tensor - '7';
SELECT tensor_shape(tensor_zeros('{7,1,5}') + tensor_zeros('{3,1}')), tensor_shape(tensor_zeros('{0,3}') + tensor_zeros('{1,3}')), tensor_zeros('{0,3}') + 1;
SELECT tensor_shape(tensor_zeros('{2,0}') * tensor_zeros('{1}'));
SELECT '[1,2]'::tensor + '[1,2,3]';
SELECT '[[1,2],[3,4]]'::tensor * '[[1,2,3]]';
SELECT '[[1,2]]'::tensor / '[]';
SELECT tensor_zeros('{100000,1}') + tensor_zeros('{1,100000}');

-- element types
SELECT t, u, tensor_type('[1]'::tensor(complex16) + '[1]'), tensor_type(a + b)
FROM (VALUES ('float4', 'float4'), ('float4', 'float8'), ('float4', 'complex8'), ('float8', 'complex8'), ('complex8', 'complex8'), ('complex8', 'complex16')) v(t, u),
LATERAL (SELECT tensor_zeros('{1}', t), tensor_zeros('{1}', u)) w(a, b);
SELECT 'float4:[0.1]'::tensor + 'float4:[0.2]', 'float4:[16777216]'::tensor + 'float4:[1]', 'float4:[16777216]'::tensor + 1;

-- IEEE, never an error
SELECT '[1,-1,0,NaN,Infinity]'::tensor / 0, '[1e308,1]'::tensor * '[1e308,1e-320]', '[1e-308]'::tensor / 1e308, '[Infinity]'::tensor - '[Infinity]';
SELECT '[1,0]'::tensor / '[0,0]', 0 / '[0,1,NaN]'::tensor;

-- complex
SELECT 'complex16:[1+2i]'::tensor + 'complex16:[3-1i]', 'complex16:[1+2i]'::tensor - '[5]', 'complex16:[1+2i]'::tensor * 'complex16:[3-1i]', 'complex16:[1+2i]'::tensor / 'complex16:[3-1i]';
SELECT 'complex8:[1+2i]'::tensor * 'complex8:[0+1i]', 2 * 'complex8:[1+2i]'::tensor, - 'complex16:[1-2i]'::tensor;
SELECT tensor_relu('complex16:[1+2i]');
SELECT tensor_sign('complex8:[1+2i]');
SELECT tensor_power('complex16:[1+2i]', 2);

-- functions
SELECT tensor_abs('[1,-2,-0,NaN,-Infinity]'), tensor_sign('[3,-2,0,-0,NaN,Infinity,-Infinity]');
SELECT tensor_sqrt('[4,2,0,-1,Infinity]'), tensor_exp('[0,1,1000,-1000,-Infinity]'), tensor_ln('[1,0,-1,Infinity]');
SELECT tensor_sin('[0]'), tensor_cos('[0]'), tensor_tanh('[0,1000,-1000]'), tensor_sigmoid('[0,1000,-1000,Infinity,-Infinity,NaN]'), tensor_relu('[1,-1,0,NaN,-Infinity,Infinity]');
SELECT tensor_floor('[1.5,-1.5]'), tensor_ceil('[1.5,-1.5]'), tensor_round('[0.5,1.5,2.5,-0.5,-1.5,2.4]'), tensor_negate('[1,-2]');
SELECT tensor_power('[2,3,-2,0,-1]', 3), tensor_power('[4,0]', 0.5), tensor_power('[0,-8]', -1), tensor_power('float4:[2]', 10);
SELECT tensor_type(tensor_exp('float4:[1]')), tensor_relu('float4:[[1,-1]]'), tensor_sqrt('9'), tensor_exp('[]'), tensor_relu('float8(0,3):[]');
-- against PostgreSQL's own, on many values
SELECT bool_and(abs((tensor_exp(t)::float8[])[i] - exp(x)) <= 1e-14 * exp(x)) AS exp,
       bool_and(abs((tensor_tanh(t)::float8[])[i] - tanh(x)) <= 1e-14) AS tanh,
       bool_and(abs((tensor_sin(t)::float8[])[i] - sin(x)) <= 1e-14) AS sin,
       bool_and(abs((tensor_sigmoid(t)::float8[])[i] - 1 / (1 + exp(-x))) <= 1e-14) AS sigmoid
FROM (SELECT array_agg(i / 10.0::float8 ORDER BY i)::tensor FROM generate_series(-50, 50) i) v(t),
LATERAL unnest(t::float8[]) WITH ORDINALITY u(x, i);

-- functions of complex numbers: two that undo each other, and known values
SELECT tensor_abs('complex16:[3+4i,-2,0]'), tensor_abs('complex8:[[3+4i]]'), tensor_sqrt('complex16:[-4,2i]'), tensor_sqrt('complex8:[-4]'), tensor_exp('complex16:[0]'), tensor_ln('complex16:[1]'), tensor_cos('complex16:[0]'), tensor_sin('complex16:[0]'), tensor_tanh('complex8:[0]');
SELECT f, tensor_reduce('max', tensor_abs(x - y)) < '1e-14' AS close FROM (VALUES (tensor 'complex16:[1+2i,-0.5-1i,0.25i,-2]')) v(t),
  LATERAL (VALUES ('exp and ln', tensor_exp(tensor_ln(t)), t), ('sqrt squared', tensor_sqrt(t) * tensor_sqrt(t), t), ('sin and cos', tensor_sin(t) * tensor_sin(t) + tensor_cos(t) * tensor_cos(t), tensor 'complex16:1'),
    ('Euler', tensor_exp(t * tensor 'complex16:0+1i'), tensor_cos(t) + tensor 'complex16:0+1i' * tensor_sin(t)), ('tanh', tensor_tanh(t) * (tensor_exp(t) + tensor_exp(t * -1)), tensor_exp(t) - tensor_exp(t * -1))) w(f, x, y);
