--
-- tensor(float4,2): element type and rank as modifiers
--
SET search_path = public, sparseeinsum_internal;
CREATE TABLE tensor_typmod (id serial, a tensor(float4,2), b tensor(float8), c tensor(complex16,0));
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = 'tensor_typmod'::regclass AND attnum > 1 ORDER BY attnum;

-- real numbers become narrower, wider or complex
INSERT INTO tensor_typmod (a, b, c) VALUES ('[[1,0.1]]', 'float4:[0.1]', '2.5');
INSERT INTO tensor_typmod (a, b, c) SELECT '{{1,2}}'::int[], '{1,2}'::real[], 3::float8;
COPY tensor_typmod (a, b, c) FROM stdin;
[[1,0.1]]	[0.1]	1+2i
float8:[[1,0.1]]	float4:[0.1]	1
\.
SELECT a, b, c FROM tensor_typmod ORDER BY id;

-- the rank is checked; a complex value never becomes real; nor a finite one infinite
INSERT INTO tensor_typmod (a) VALUES ('[1,2]');
INSERT INTO tensor_typmod (c) VALUES ('[1]');
INSERT INTO tensor_typmod (b) VALUES ('complex16:[1+2i]');
INSERT INTO tensor_typmod (a) VALUES ('[[1e39]]');
INSERT INTO tensor_typmod (a) VALUES ('[[Infinity,NaN]]') RETURNING a;
COPY tensor_typmod (a) FROM stdin;
[1,2]
\.
COPY tensor_typmod (a) FROM stdin;
[[1e39]]
\.

-- casts
SELECT '[1,2]'::tensor::tensor(float4), '[1,0.1]'::tensor::tensor(complex8,1), 'float4:[0.1]'::tensor(float8);
SELECT '[1e300]'::tensor::tensor(complex8);
SELECT 'complex16:[1e300+1i]'::tensor::tensor(complex8);
SELECT '[[1]]'::tensor(float8,1);
SELECT tensor_zeros('{2}')::tensor(float4,3);

-- limits of the modifiers themselves
SELECT '1'::tensor(float8,0), tensor_rank('[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]'::tensor(float8,16));
SELECT '1'::tensor(float8,17);
SELECT '1'::tensor(float8,-1);
SELECT '1'::tensor(int4);
SELECT '1'::tensor(2);
SELECT '1'::tensor(float8,2,3);
SELECT '1'::tensor(float8,x);
SELECT '1'::tensor(float8,99999999999);
-- the coercion and the modifiers' output may be called with any number
SELECT tensor('[1]', -1, false), tensor('[1]', -2147483648, false), tensor_typmod_out(-5), tensor_typmod_out(95);
SELECT tensor('[1]', 12345, true);
SELECT tensor('[1]', 0, true);
SELECT tensor('[1]', 160, true);
SELECT tensor('[1]', 49, true);
SELECT tensor_typmod_out(2147483647);
SELECT tensor_in('[1]', 0, 12345);
DROP TABLE tensor_typmod;
