--
-- The text form of a tensor
--
\pset null '(null)'

-- ranks 0 to 3, white space, and the prefixes that say what is plain anyway
SELECT '3.5'::tensor, '[1,2]'::tensor, '[[1,2],[3,4]]'::tensor, '[[[1],[2]],[[3],[4]]]'::tensor;
SELECT E' [ [ 1 ,\t2 ] , [\n3 , 4 ] ] '::tensor, ' float4 ( 2 ) : [ 1 , 2 ] '::tensor;
SELECT 'float8:[1,2]'::tensor, 'float8(2,2):[[1,2],[3,4]]'::tensor, 'float8():7'::tensor, 'FLOAT4:[1]'::tensor;

-- element types
SELECT 'float4:[1,2.5]'::tensor, 'complex8:[1+2i,-0.5-1e10i]'::tensor, 'complex16:[1+2i,0-1i]'::tensor;
SELECT 'complex16:[1,2i,-2i,1e-3+4.5e+2i,NaN-Infinityi,inf+infi,-0-0i]'::tensor;
SELECT 'complex16:1+2i'::tensor, 'complex8:3'::tensor, 'float4:3.5'::tensor;

-- spelling of numbers
SELECT '[NaN,nan,Infinity,-Infinity,inf,-INF,+1,-0,.5,5.,1e3,1E-3,0e5,00012]'::tensor;
SELECT '-0'::tensor, 'NaN'::tensor, '-Infinity'::tensor, 'float4:-infinity'::tensor;

-- shortest digits that read back, whatever extra_float_digits says
SELECT '[0.1,0.2,0.30000000000000004,1e23,123456789012345678,5e-324,1.7976931348623157e308,9007199254740993]'::tensor;
SELECT 'float4:[0.1,16777217,3.4028235e38,1e-45,0.30000001192092896]'::tensor;
SET extra_float_digits = -10;
SELECT '[0.1,0.30000000000000004]'::tensor, 'float4:[0.1,1.17549435e-38]'::tensor;
RESET extra_float_digits;
-- numbers of few digits and of many are read alike by float8 and real
SELECT s, s::float8 = s::tensor::float8 AS as_float8,
       s::real::float8 = ('float4:' || s)::tensor::float8 AS as_real
FROM unnest('{1.1,33554431,16777217,0.1e1,123456.7890123,8.5e22,8.5e23,1e22,1e-22,1e-23,3e10,3e11,12345678901234567890,
  0.000000000000000000000000012345,100000000000000000000000e-20,1.00000000000000011102230246251565,
  7.2057594037927933e16,2.2250738585072014e-38}'::text[]) s
WHERE s::float8 <> s::tensor::float8 OR s::real::float8 <> ('float4:' || s)::tensor::float8;
SELECT count(*) FROM generate_series(1, 2000) i, LATERAL (SELECT (sin(i) * 10 ^ (i % 60 - 30)) AS x) v
WHERE x::text::tensor::float8 <> x OR x::tensor::text <> x::text
   OR ('float4:' || x::real)::tensor::text <> 'float4:' || x::real;

-- no elements
SELECT '[]'::tensor, '[[],[]]'::tensor, '[[[]]]'::tensor, 'float8(0,3):[]'::tensor, 'float4(2,0,3) : [ ]'::tensor, 'float4:[]'::tensor;
SELECT tensor_shape('[[],[]]'), tensor_shape('float8(0,3):[]'), tensor_shape(tensor_zeros('{5,0}')::text::tensor);
SELECT tensor_zeros('{2147483647,0}'), tensor_shape('float8(0,2147483647):[]');

-- 16 dimensions are the most
SELECT '[[[[[[[[[[[[[[[[1,2]]]]]]]]]]]]]]]]'::tensor, tensor_rank('[[[[[[[[[[[[[[[[1,2]]]]]]]]]]]]]]]]');
SELECT '[[[[[[[[[[[[[[[[[1,2]]]]]]]]]]]]]]]]]'::tensor;
SELECT 'float8(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1):[]'::tensor;
SELECT repeat('[', 100000)::tensor;

-- mistakes
SELECT ''::tensor;
SELECT '  '::tensor;
SELECT '['::tensor;
SELECT ']'::tensor;
SELECT '[1'::tensor;
SELECT '[1,'::tensor;
SELECT '[1,]'::tensor;
SELECT '[,1]'::tensor;
SELECT '[1 2]'::tensor;
SELECT '[1]]'::tensor;
SELECT '[1],[2]'::tensor;
SELECT '[1]x'::tensor;
SELECT '[[1,2],[3]]'::tensor;
SELECT '[[1],[2,3]]'::tensor;
SELECT '[[1,2],3]'::tensor;
SELECT '[1,[2]]'::tensor;
SELECT '[[1],[]]'::tensor;
SELECT '[[],[1]]'::tensor;
SELECT '[[],[[]]]'::tensor;
SELECT '[[[]],[]]'::tensor;
SELECT '{1,2}'::tensor;
SELECT '[1+2i]'::tensor;
SELECT '[2i]'::tensor;
SELECT 'complex16:[1+2]'::tensor;
SELECT 'complex16:[1+i]'::tensor;
SELECT 'complex16:[i]'::tensor;
SELECT 'complex16:[1+2i3]'::tensor;
SELECT 'float8:[1+2i]'::tensor;
SELECT '[0x10]'::tensor;
SELECT '[1e]'::tensor;
SELECT '[1e+]'::tensor;
SELECT '[.]'::tensor;
SELECT '[+-1]'::tensor;
SELECT '[-]'::tensor;
SELECT '[infinit]'::tensor;
SELECT '[nan(1)]'::tensor;
SELECT '[null]'::tensor;
SELECT 'int4:[1]'::tensor;
SELECT 'averyveryverylongname:[1]'::tensor;
SELECT 'float8'::tensor;
SELECT 'float8:'::tensor;
SELECT 'float8(2:[1,2]'::tensor;
SELECT 'float8(2,):[1,2]'::tensor;
SELECT 'float8(2) [1,2]'::tensor;
SELECT 'float8(-1):[]'::tensor;
SELECT 'float8(a):[]'::tensor;
SELECT 'float8(3):[1,2]'::tensor;
SELECT 'float8(1,2):[1,2]'::tensor;
SELECT 'float8(2):[[1,2]]'::tensor;
SELECT 'float8():[1]'::tensor;
SELECT 'float8(0,3):[[]]'::tensor;
SELECT 'float8(0,3):1'::tensor;
SELECT 'float8(99999999999):[]'::tensor;
SELECT 'float8(0,2147483648):[]'::tensor;
SELECT 'float8(0,2147483647,2147483647,2147483647):[]'::tensor;

-- numbers that the element type cannot hold
SELECT '[1,1e309]'::tensor;
SELECT '[1,-1e309]'::tensor;
SELECT '[1e-400]'::tensor;
SELECT 'float4:[1e39]'::tensor;
SELECT 'float4:[1e-50]'::tensor;
SELECT 'complex8:[1+1e39i]'::tensor;
SELECT ('[1' || repeat('0', 400) || ']')::tensor;
SELECT ('[0.' || repeat('0', 300) || '1]')::tensor;

-- large values
SELECT tensor_shape(('[' || string_agg(i::text, ',') || ']')::tensor) FROM generate_series(1, 100000) i;
SELECT tensor_random('{50,40}', 3)::text::tensor = tensor_random('{50,40}', 3);

-- what a value is on disk
SELECT typalign, typstorage, typlen, typbyval, typtype FROM pg_type WHERE typname = 'tensor';
SELECT pg_column_size('3'::tensor), pg_column_size('[1,2]'::tensor), pg_column_size('[[1,2]]'::tensor), pg_column_size('float4:[1]'::tensor);

