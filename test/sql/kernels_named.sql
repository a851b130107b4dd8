-- The kernels that the papers call by name

SELECT inner_prod('[1,2,3]', '[4,5,6]'), pg_typeof(inner_prod('[1]', '[1]'));
SELECT outer_prod('[1,2]', '[3,4,5]');
SELECT vec_mat_mult('[1,10]', '[[1,2,3],[4,5,6]]');
SELECT mat_vec_mult('[[1,2,3],[4,5,6]]', '[1,10,100]');
SELECT mat_mult('[[1,2],[3,4]]', '[[5,6],[7,8]]');
SELECT vec_sca_mult('[1,2]', 2.5), vec_sca_mult('[1,2]', 3), vec_sca_mult('[[1,2],[3,4]]', 0.5), vec_sca_mult('7', 6::float8);
SELECT vec_sca_mult('[1,2]', '3'::tensor);
SELECT inner_prod('float4:[1,2]', 'float4:[3,4]'), inner_prod('float4:[0.1]', '[10]');
SELECT outer_prod('float4:[1,2]', 'float4:[3,4]'), outer_prod('float4:[1,2]', '[3,4]');
SELECT inner_prod('float8(0):[]', 'float8(0):[]'), mat_mult('float8(2,0):[]', 'float8(0,2):[]');
SELECT inner_prod(NULL, '[1]') IS NULL AS null, vec_sca_mult(NULL, 1) IS NULL AS null, mat_mult('[[1]]', NULL) IS NULL AS null;
SELECT inner_prod('[1e308]', '[10]'), inner_prod('[NaN]', '[0]');
-- they are einsums
SELECT mat_mult(a, b) = einsum('ij,jk', a, b) AS same, vec_mat_mult(v, a) = einsum('i,ij', v, a) AS same,
	   mat_vec_mult(a, v) = einsum('ij,j', a, v) AS same, outer_prod(v, v) = einsum('i,j', v, v) AS same,
	   inner_prod(v, v) = einsum_scalar('i,i', v, v) AS same, vec_sca_mult(a, 3) = einsum('ij,', a, 3) AS same
FROM (VALUES ('[[1,2],[3,4]]'::tensor, '[[5,-6],[7,8]]'::tensor, '[2,-3]'::tensor)) AS t(a, b, v);
-- every value of a column, whatever its width
SELECT n, inner_prod(v, v) = n AS same, einsum_scalar('ij->', outer_prod(v, v)) = n * n AS same
FROM (SELECT n, stack(1, p, 0, n) AS v FROM unnest('{1,13,14,15,16,300}'::int[]) n, allints(0, n) p GROUP BY n) t ORDER BY n;

-- errors
SELECT inner_prod('[1,2]', '[1,2,3]');
\echo :SQLSTATE
SELECT inner_prod('[[1,2]]', '[[1,2]]');
\echo :SQLSTATE
SELECT outer_prod('[1,2]', '3');
\echo :SQLSTATE
SELECT vec_mat_mult('[1,2]', '[[1,2]]');
\echo :SQLSTATE
SELECT mat_vec_mult('[[1,2]]', '[1,2,3]');
\echo :SQLSTATE
SELECT mat_mult('[[1,2]]', '[[1,2]]');
\echo :SQLSTATE
SELECT vec_sca_mult('[1,2]', '[1,2]'::tensor);
\echo :SQLSTATE
SELECT inner_prod('complex16:[1+2i]', 'complex16:[1+2i]');
\echo :SQLSTATE
