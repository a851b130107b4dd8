--
-- Casts between tensors and arrays, float8 and jsonb
--

-- from arrays of every type and any number of dimensions
SELECT '{1,-2,32767}'::smallint[]::tensor, '{1,2147483647}'::int[]::tensor, '{1,9007199254740993}'::bigint[]::tensor;
SELECT '{0.1,NaN,-Infinity,-0}'::real[]::tensor, '{0.1,NaN,-Infinity,-0}'::float8[]::tensor, '{0.1,1e100,NaN,Infinity,-Infinity}'::numeric[]::tensor;
SELECT '{{1,2},{3,4},{5,6}}'::int[]::tensor, ARRAY[[[1],[2]],[[3],[4]]]::numeric[]::tensor, '{{{{{{1}}}}}}'::real[]::tensor;
SELECT '[5:6]={1,2}'::int[]::tensor, '[0:1][-1:0]={{1,2},{3,4}}'::int[]::tensor, tensor_shape('{}'::int[]::tensor), '{}'::real[]::tensor;
SELECT '{1,NULL}'::int[]::tensor;
SELECT '{NULL}'::numeric[]::tensor;
\set VERBOSITY sqlstate
SELECT '{1e400}'::numeric[]::tensor;
\set VERBOSITY default

-- to arrays
SELECT t::smallint[], t::int[], t::bigint[], t::real[], t::float8[], t::numeric[] FROM (SELECT '[[1,2],[3,-4]]'::tensor) v(t);
SELECT t::smallint[], t::int[], t::bigint[], t::real[], t::float8[], t::numeric[] FROM (SELECT 'float4:[1,0.1]'::tensor) v(t);
SELECT t::real[], t::float8[], t::numeric[] FROM (SELECT '[0.1,NaN,Infinity,-0]'::tensor) v(t);
SELECT '[0.5,1.5,2.5,-0.5,-1.5]'::tensor::int[];
SELECT '[]'::tensor::int[], 'float8(0,3):[]'::tensor::float8[], '[[],[]]'::tensor::numeric[], tensor_zeros('{1,1,1,1,1,1,1,0}')::real[];
SELECT '[[[[[[1,2]]]]]]'::tensor::int[];
SELECT '[[[[[[[1,2]]]]]]]'::tensor::int[];
SELECT '[[[[[[[1,2]]]]]]]'::tensor::numeric[];
SELECT '3'::tensor::int[];
SELECT 'complex8:[1+2i]'::tensor::float8[];
SELECT 'complex8:[1+2i]'::tensor::numeric[];

-- at and beyond the limits of integers and of real
SELECT '[32767.4,-32768.5]'::tensor::smallint[], '[2147483647.4,-2147483648.5]'::tensor::int[], '[9223372036854774784,-9223372036854775808]'::tensor::bigint[];
SELECT '[32767.5]'::tensor::smallint[];
SELECT '[-32769]'::tensor::smallint[];
SELECT '[2147483648]'::tensor::int[];
SELECT '[9223372036854775808]'::tensor::bigint[];
SELECT '[NaN]'::tensor::int[];
SELECT '[1,Infinity]'::tensor::bigint[];
SELECT '[3.4028235e38]'::tensor::real[];
SELECT '[1e39]'::tensor::real[];

-- every array of floats comes back as it was
SELECT a::tensor::float8[] = a FROM (SELECT array_agg(sin(i) ORDER BY i) FROM generate_series(1, 3000) i) v(a);

-- float8
SELECT 2.5::float8::tensor, 'NaN'::float8::tensor, '2.5'::tensor::float8, 'float4:0.1'::tensor::float8;
SELECT '[1]'::tensor::float8;
SELECT 'complex16:1+0i'::tensor::float8;

-- assignment casts on INSERT, no implicit ones in expressions
CREATE TABLE tensor_cast (t tensor);
INSERT INTO tensor_cast VALUES ('{1,2}'::int[]), (2.5::float8), ('[1,2]'::jsonb);
INSERT INTO tensor_cast SELECT array_agg(x) FROM generate_series(1, 3) x;
SELECT * FROM tensor_cast ORDER BY 1;
INSERT INTO tensor_cast VALUES ('x'::text);
SELECT tensor_rank('{1,2}'::int[]);
SELECT '[1]'::tensor + '{1,2}'::int[];
SELECT castsource::regtype, casttarget::regtype, castcontext FROM pg_cast
WHERE 'tensor'::regtype IN (castsource, casttarget) ORDER BY castcontext, castsource::regtype::text, casttarget::regtype::text;
DROP TABLE tensor_cast;

-- jsonb
SELECT '[[1,2],[3,4.5]]'::tensor::jsonb, '3.5'::tensor::jsonb, '[0.1,NaN,Infinity,-Infinity,1e20]'::tensor::jsonb, 'float4:[0.1]'::tensor::jsonb;
SELECT '[]'::tensor::jsonb, '[[],[]]'::tensor::jsonb, 'float8(2,0,3):[]'::tensor::jsonb, 'float8(0,3):[]'::tensor::jsonb, '[[[1],[2]],[[3],[4]]]'::tensor::jsonb;
SELECT '[[1,2],[3,4.5]]'::jsonb::tensor, '3.5'::jsonb::tensor, '["NaN","Infinity","-Infinity",0.1]'::jsonb::tensor, '"NaN"'::jsonb::tensor;
-- json, which to_json, to_jsonb and row_to_json look for: what jsonb refuses is a string
SELECT '[[1,2],[3,4.5]]'::tensor::json, to_json('[]'::tensor), to_jsonb('[NaN,1]'::tensor), row_to_json(r) FROM (SELECT 1 AS id, 'float4:[0.1]'::tensor AS e, 'float8(3):{1:2}'::tensor AS s) r;
SELECT to_json('complex8:[1+2i]'::tensor), to_json('float4(2000000000):{5:1}'::tensor), to_json('3'::tensor), to_json('float8(2,0,3):[]'::tensor), to_jsonb('float8(3):{1:2}'::tensor);
SELECT to_jsonb('[1,2]'::tensor)::tensor, json_agg(t) FROM (VALUES ('[1]'::tensor), ('[2]')) v(t);
SELECT '[]'::jsonb::tensor, '[[],[]]'::jsonb::tensor, '[[[]]]'::jsonb::tensor;
SELECT 'complex8:[1+2i]'::tensor::jsonb;
SELECT '[[1,2],[3]]'::jsonb::tensor;
SELECT '[1,[2]]'::jsonb::tensor;
SELECT '[[1],2]'::jsonb::tensor;
SELECT '[[1],[]]'::jsonb::tensor;
SELECT '[[],[1]]'::jsonb::tensor;
SELECT '[[[]],[]]'::jsonb::tensor;
SELECT '{"a":1}'::jsonb::tensor;
SELECT '[{"a":1}]'::jsonb::tensor;
SELECT '[null]'::jsonb::tensor;
SELECT 'null'::jsonb::tensor;
SELECT '[true]'::jsonb::tensor;
SELECT '["1"]'::jsonb::tensor;
\set VERBOSITY sqlstate
SELECT '[1e400]'::jsonb::tensor;
\set VERBOSITY default
SELECT '[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]'::jsonb::tensor;
SELECT t::jsonb::tensor = t FROM (SELECT tensor_random('{30,20}', 5)) v(t);

-- single numbers of any type
SELECT 1::smallint::tensor, (-2)::int::tensor, 9007199254740993::bigint::tensor, 0.1::real::tensor, 0.1::numeric::tensor, 'NaN'::numeric::tensor, 'Infinity'::real::tensor;
SELECT (1e400::numeric)::tensor;
CREATE TABLE tensor_numbers (t tensor(float4));
INSERT INTO tensor_numbers VALUES (1), (2.5), (3::bigint), ('4'), (5::real), (6::float8);
SELECT t FROM tensor_numbers ORDER BY t;
DROP TABLE tensor_numbers;
