-- Distances, argmax and comparison of elements, and covariances of arrays.
CREATE SCHEMA tensor_distance;
SET search_path = tensor_distance, public;
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS sparseeinsum SCHEMA public;

-- distances, as pgvector's
SELECT tensor '[1,2,3]' <-> '[4,6,3]', tensor '[1,2,3]' <#> '[4,6,3]', tensor '[1,2,3]' <+> '[4,6,3]', tensor '[3,4]' <=> '[4,3]';
SELECT tensor '[1,0]' <=> '[0,5]', tensor '[1,1]' <=> '[-2,-2]', tensor '[0.1,0.1,0.1]' <=> '[0.3,0.3,0.3]' >= 0 AS not_negative;
SELECT tensor '[0,0]' <=> '[1,2]', tensor '[1,2]' <=> '[0,0]', tensor '[0,0]' <-> '[0,0]', tensor '[0,0]' <#> '[0,0]';
SELECT tensor '[Infinity,1]' <-> '[1,1]', tensor '[NaN,1]' <+> '[1,1]', tensor '[3e100,4e100]' <=> '[4e100,3e100]' BETWEEN 0.039 AND 0.041 AS large, tensor '[3e-100,4e-100]' <=> '[4e-100,3e-100]' BETWEEN 0.039 AND 0.041 AS small;
-- any rank and no elements, float4 beside float8: sums are float8
SELECT tensor '[[1,2],[3,4]]' <-> '[[1,2],[3,0]]', tensor '3' <+> '5', tensor 'float8(0):[]' <-> 'float8(0):[]', tensor 'float8(0):[]' <=> 'float8(0):[]';
SELECT tensor 'float4:[0.1,16777216]' <+> 'float4:[0,-1]', tensor 'float4:[0.5,1]' <-> '[0.5,2]', tensor '[0.5,2]' <#> 'float4:[0.5,1]';
-- each element counts, whatever the number of them; compared with plain SQL
SELECT n, (a <-> b) / sqrt(d2) BETWEEN 1 - 1e-13 AND 1 + 1e-13 AS l2, (a <+> b) / d1 BETWEEN 1 - 1e-13 AND 1 + 1e-13 AS l1,
	-(a <#> b) / p BETWEEN 1 - 1e-13 AND 1 + 1e-13 AS inner_product, abs((a <=> b) - (1 - p / sqrt(aa * bb))) < 1e-14 AS cosine,
	abs((a4 <-> b4) / sqrt(d2) - 1) < 1e-6 AS float4
FROM (VALUES (1), (7), (8), (9), (100), (4095), (4096), (4099), (20000)) AS v(n),
	LATERAL (SELECT tensor_random(ARRAY[n], 1) AS a, tensor_random(ARRAY[n], 2) + 1 AS b) t,
	LATERAL (SELECT a::real[]::tensor AS a4, b::real[]::tensor AS b4) t4,
	LATERAL (SELECT sum(abs(x - y)) AS d1, sum((x - y) ^ 2) AS d2, sum(x * y) AS p, sum(x * x) AS aa, sum(y * y) AS bb FROM unnest(a::float8[], b::float8[]) AS e(x, y)) s;
SELECT tensor '[1,2]' <-> NULL IS NULL AS null;
SELECT tensor '[1,2]' <-> '[1,2,3]';
SELECT tensor '[1,2]' <=> '[[1,2]]';
SELECT tensor 'complex16:[1+1i]' <-> '[1]';
-- nearest neighbours
CREATE TABLE item (id int, embedding tensor);
INSERT INTO item VALUES (1, '[1,1]'), (2, '[2,2]'), (3, '[-1,0]'), (4, NULL);
SELECT id FROM item ORDER BY embedding <-> '[1.9,1]' LIMIT 2;
SELECT id FROM item ORDER BY embedding <#> '[1,1]', id LIMIT 2;
SELECT oprname, oprcode, proisstrict, provolatile, proparallel FROM pg_operator o JOIN pg_proc p ON o.oprcode = p.oid
	WHERE oprleft = 'tensor'::regtype AND oprright = oprleft AND oprname IN ('<->', '<=>', '<#>', '<+>') AND oprcom = o.oid ORDER BY 1;

-- another extension's type with operators and functions of these names
CREATE TYPE vec AS (x float8, y float8);
CREATE FUNCTION l2_distance(vec, vec) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN sqrt(($1.x - $2.x) ^ 2 + ($1.y - $2.y) ^ 2);
CREATE OPERATOR tensor_distance.<-> (LEFTARG = vec, RIGHTARG = vec, FUNCTION = l2_distance);
SELECT ROW(0, 3)::vec <-> ROW(4, 0)::vec, tensor '[0,3]' <-> '[4,0]', embedding <-> '[1,2]' AS unknown FROM item WHERE id = 1;

-- argmax and argmin
SELECT tensor_argmax('[1,5,5,2]'), tensor_argmin('[1,5,5,1]'), tensor_argmax('[[1,2],[7,4]]'), tensor_argmin('float4:[3,-1,2]'), tensor_argmax('7');
SELECT tensor_argmax('[[1,9,3],[4,4,4]]', 0), tensor_argmax('[[1,9,3],[4,4,4]]', 1), tensor_argmin('[[1,9,3],[4,4,4]]', 1), tensor_argmax('[2,8]', 0);
SELECT tensor_argmax('[[[1,2],[3,0]],[[5,1],[5,6]]]', d), tensor_argmin('[[[1,2],[3,0]],[[5,1],[5,6]]]', d) FROM generate_series(0, 2) d;
SELECT tensor_argmax('[1,NaN,Infinity,NaN]'), tensor_argmin('[1,NaN,-Infinity]'), tensor_argmax('[-Infinity,-Infinity]'), tensor_argmin('[0,-0]');
SELECT tensor_argmax('float8(2,0,3):[]', 0), tensor_argmax('float8(0,2):[]', 1);
SELECT tensor_argmax('float8(0,2):[]', 0);
SELECT tensor_argmax('float8(0):[]');
SELECT tensor_argmin('complex8:[1+2i]');
SELECT tensor_argmin('[1,2]', 1);
SELECT tensor_argmin('[1,2]', -1);

-- comparison of elements
SELECT tensor_equal(tensor '[1,2,NaN]', '[1,3,NaN]'), tensor_not_equal(tensor '[1,2,NaN]', '[1,3,NaN]'), tensor_less(tensor '[1,2]', '[2,2]'), tensor_less_equal(tensor '[1,2]', '[0,2]'),
	tensor_greater(tensor '[1,2]', '[[0],[1]]'), tensor_greater_equal(tensor '[-0,2]', '[0,3]');
SELECT tensor_equal(tensor '[1,2]', 2), tensor_not_equal(tensor '[1,2]', 2), tensor_less(tensor '[1,2]', 2), tensor_less_equal(tensor '[1,2]', 1.5), tensor_greater(tensor '[1,2]', 1), tensor_greater_equal(tensor '[1,2]', 2);
SELECT tensor_type(tensor_less(tensor 'float4:[1]', 'float4:[2]')), tensor_type(tensor_less(tensor 'float4:[1]', '[2]')), tensor_equal(tensor 'complex16:[1+1i,2]', 'complex16:[1+1i,2i]');
SELECT tensor_less(tensor '[1,2]', '[1,2,3]');
SELECT tensor_less(tensor 'complex16:[1+1i]', 1);
SELECT tensor_equal(tensor '[1]', '[1]') = '[1]' AS element_wise, tensor '[1]' = '[1]' AS by_value;

-- covariances of arrays
SELECT tensor_covar(v), tensor_covar(v::tensor) FROM (VALUES ('{1,2}'::float8[]), (NULL), ('{3,-4}'), ('{5,0.5}')) AS t(v);
SELECT g, (tensor_covar(v)).count, (tensor_covar(v)).comoment = (tensor_covar(v::tensor)).comoment AS same FROM (SELECT i % 3 AS g, ARRAY[i, i * i % 7, 1] AS v FROM generate_series(1, 50) i) s GROUP BY g ORDER BY g;
SELECT (tensor_covar(ARRAY[i, -i]::real[])).comoment FROM generate_series(1, 3) i;
SELECT tensor_covar(v) IS NULL AS none FROM (VALUES (NULL::float8[])) AS t(v);
SELECT tensor_covar(v) FROM (VALUES ('{1,2}'::float8[]), ('{1}')) AS t(v);
SELECT tensor_covar(v) FROM (VALUES ('{1,NULL}'::float8[])) AS t(v);
SELECT tensor_covar(v) FROM (VALUES ('{{1,2}}'::float8[])) AS t(v);
SELECT (tensor_covar(v)).mean FROM (VALUES ('{}'::float8[])) AS t(v);
DROP SCHEMA tensor_distance CASCADE;
