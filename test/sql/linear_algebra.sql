--
-- Linear algebra: values, shapes, element types, and what is refused. Results
-- that depend on rounding are checked by their defining equation.
--
CREATE FUNCTION near(a tensor, b tensor, tolerance float8 DEFAULT 1e-12) RETURNS boolean LANGUAGE sql AS
  $$SELECT tensor_shape(a) = tensor_shape(b) AND tensor_type(a) = tensor_type(b) AND mat_norm(a - b, 'max') <= tolerance$$;
CREATE FUNCTION adjoint(a tensor) RETURNS tensor LANGUAGE sql AS $$SELECT tensor_permute(a, '{1,0}')$$;
-- a tensor as mat_ functions should not care: rounded, so that -0 and 1e-17 are 0
CREATE FUNCTION tidy(a tensor) RETURNS tensor LANGUAGE sql AS $$SELECT tensor_round(a * 1000) / 1000 + 0$$;

-- systems
SELECT tidy(mat_solve('[[2,1],[1,3]]', '[3,5]')), tidy(mat_solve('[[2,1],[1,3]]', '[[3,2],[5,1]]'));
SELECT mat_solve('[[0,1],[1,0]]', '[1,2]'), mat_solve('[[4]]', '[2]'), mat_solve('[[4]]', '[[2,8]]');
SELECT mat_solve('float4:[[2,0],[0,4]]', 'float4:[1,1]'), mat_solve('float4:[[2,0],[0,4]]', '[1,1]'), mat_solve('[[2,0],[0,4]]', 'complex8:[1+2i,4i]');
SELECT mat_solve('complex16:[[0+1i,0],[0,2]]', 'complex16:[1,1]'), mat_solve('complex8:[[0+1i,0],[0,2]]', 'complex8:[1,1]');
SELECT tidy(mat_inverse('[[1,2],[3,4]]')), mat_inverse('float4:[[2]]'), mat_inverse('complex16:[[0+2i]]'), mat_inverse('complex8:[[0,1],[0+1i,0]]') + 0;
SELECT tidy(mat_det('[[1,2],[3,4]]')), mat_det('[[1,2],[2,4]]'), mat_det('[[0,1],[1,0]]'), mat_det('float4:[[3]]'), mat_det('complex16:[[0+1i,0],[0,0+1i]]');
SELECT mat_det_scalar('[[2,0],[0,3]]'), mat_det_scalar('float4:[[2,1],[0,3]]');
-- no partial product overflows or underflows
SELECT mat_det(tensor_eye(4) * tensor '[1e200,1e200,1e-200,1e-200]') / 1 BETWEEN '0.999' AND '1.001', mat_det(tensor_eye(2) * 1e200), mat_det(tensor_eye(2) * 1e-200);

-- least squares: more rows than columns, fewer, rank-deficient
SELECT tidy(mat_lstsq('[[1,0],[1,1],[1,2],[1,3]]', '[1,3,5,7]')), tidy(mat_lstsq('[[1,1]]', '[2]')), tidy(mat_lstsq('[[1,1],[1,1]]', '[1,3]'));
SELECT tidy(mat_lstsq('[[1,0],[1,1],[1,2]]', '[[1,0],[2,0],[3,6]]'));
SELECT near(mat_lstsq('complex16:[[0+1i],[1]]', 'complex16:[1,0+1i]'), 'complex16:[0]'), tensor_type(mat_lstsq('float4:[[1]]', 'float4:[1]')), tensor_type(mat_lstsq('complex8:[[1],[2]]', 'float4:[1,1]'));

-- factors
SELECT mat_cholesky('[[4,2],[2,5]]'), mat_cholesky('float4:[[4]]'), mat_cholesky('complex16:[[2,0+1i],[0-1i,5]]') IS NOT NULL, mat_cholesky('complex8:[[4,0+2i],[0-2i,5]]');
SELECT tensor_shape(q), tensor_shape(r), near(mat_mult(q, r), a), near(mat_mult(adjoint(q), q), tensor_eye(tensor_rank(a))), r[1][0]
FROM (VALUES (tensor '[[1,2],[3,4],[5,6]]'), ('[[1,2],[3,4]]')) v(a), mat_qr(a);
SELECT tensor_shape(q), tensor_shape(r), near(mat_mult(q, r), a) FROM (VALUES (tensor '[[1,2,3],[3,4,5]]')) v(a), mat_qr(a);
SELECT tensor_shape(u), tensor_shape(s), tensor_shape(vt), tidy(s), near(einsum('ik,k,kj->ij', u, s, vt), a)
FROM (VALUES (tensor '[[3,0],[0,4],[0,0]]'), ('[[1,2,3],[4,5,6]]'), ('[[5]]')) v(a), mat_svd(a);
SELECT eigenvalues, tidy(eigenvalues), near(mat_mult(a, eigenvectors), eigenvectors * eigenvalues)
FROM (VALUES (tensor '[[2,0],[0,1]]')) v(a), mat_eigh(a);
SELECT tidy(eigenvalues), near(mat_mult(a, eigenvectors), eigenvectors * eigenvalues), near(mat_mult(adjoint(eigenvectors), eigenvectors), tensor_eye(3))
FROM (VALUES (tensor '[[2,-1,0],[-1,2,-1],[0,-1,2]]')) v(a), mat_eigh(a);
SELECT tidy(eigenvalues), tensor_type(eigenvalues), tensor_type(eigenvectors) FROM mat_eigh('complex16:[[1,0+1i],[0-1i,1]]');
-- each element type, larger and random
CREATE TABLE matrix (type text, tolerance float8, a tensor);
INSERT INTO matrix VALUES ('float4', 1e-2, tensor_random('{40,40}', 1)::tensor(float4)), ('float8', 1e-10, tensor_random('{40,40}', 1)),
  ('complex8', 1e-2, (tensor_random('{40,40}', 1) + tensor 'complex16:0+1i')::tensor(complex8)), ('complex16', 1e-10, tensor_random('{40,40}', 2) + tensor 'complex16:0+1i');
SELECT type, tensor_type(q) AS q, tensor_type(s) AS s,
  mat_norm(mat_mult(q, r) - a, 'max') < tolerance AS qr,
  mat_norm(einsum('ik,k,kj->ij', u, s, vt) - a, 'max') < tolerance AS svd,
  mat_norm(mat_mult(a, mat_inverse(a)) - tensor_eye(40), 'max') < tolerance AS inverse,
  mat_norm(mat_mult(a, mat_solve(a, adjoint(a))) - adjoint(a), 'max') < tolerance AS solve,
  mat_norm(mat_lstsq(a, a) - tensor_eye(40), 'max') < tolerance AS lstsq
FROM matrix, mat_qr(a), mat_svd(a);
SELECT type, tensor_type(eigenvalues) AS eigenvalues,
  mat_norm(mat_mult(p, eigenvectors) - eigenvectors * eigenvalues, 'max') < 100 * tolerance AS eigh,
  mat_norm(mat_mult(mat_cholesky(p), adjoint(mat_cholesky(p))) - p, 'max') < 100 * tolerance AS cholesky
FROM matrix, LATERAL (SELECT mat_mult(a, adjoint(a)) + tensor_eye(40)::tensor(float4)) x(p), mat_eigh(p) WHERE type LIKE 'float%';
DROP TABLE matrix;

-- norms
SELECT kind, mat_norm('[[1,-2],[3,4]]', kind), mat_norm('[3,-4]', kind), mat_norm('float4:[[1,-2],[3,4]]', kind)::real, mat_norm('complex16:[[3+4i]]', kind)
FROM (VALUES ('1'), ('inf'), ('max')) k(kind);
SELECT kind, round(mat_norm('[[1,-2],[3,4]]', kind)::numeric, 6), mat_norm('[3,-4]', kind), round(mat_norm('complex8:[[1,-2],[3,4]]', kind)::numeric, 4)
FROM (VALUES ('fro'), ('2'), ('nuc')) k(kind);
SELECT mat_norm('[[3,4]]'), mat_norm('7'), mat_norm('[[[3]],[[4]]]'), mat_norm('[[[3]],[[-4]]]', 'max'), mat_norm('[1e200,1e200]') < 1.5e200;
SELECT mat_norm('[1,NaN]'), mat_norm('[1,-Infinity]', 'max'), mat_norm('[[1,NaN],[Infinity,0]]', '1'), mat_norm('complex8:[1+Infinityi]', 'inf');

-- no rows, no columns
SELECT mat_solve(tensor_zeros('{0,0}'), '[]'), tensor_shape(mat_solve('[[2]]', tensor_zeros('{1,0}'))), tensor_shape(mat_inverse(tensor_zeros('{0,0}'))), mat_det(tensor_zeros('{0,0}')), mat_det(tensor_zeros('{0,0}', 'complex8'));
SELECT mat_lstsq(tensor_zeros('{0,2}'), '[]'), tensor_shape(mat_lstsq(tensor_zeros('{3,0}'), '[1,2,3]')), tensor_shape(mat_lstsq('[[1]]', tensor_zeros('{1,0}')));
SELECT tensor_shape(q), tensor_shape(r) FROM mat_qr(tensor_zeros('{0,3}'));
SELECT tensor_shape(q), tensor_shape(r) FROM mat_qr(tensor_zeros('{3,0}'));
SELECT tensor_shape(u), s, tensor_shape(vt) FROM mat_svd(tensor_zeros('{0,3}'));
SELECT eigenvalues, tensor_shape(eigenvectors), tensor_shape(mat_cholesky(tensor_zeros('{0,0}'))) FROM mat_eigh(tensor_zeros('{0,0}'));
SELECT mat_norm(tensor_zeros('{0,3}')), mat_norm('[]', '2'), mat_norm(tensor_zeros('{0,3}'), 'nuc'), mat_norm(tensor_zeros('{3,0}'), '1'), mat_norm('[]', 'max');
SELECT mat_solve(NULL, '[1]'), (SELECT q FROM mat_qr(NULL));

-- a matrix of zeros, which has all factors but a Cholesky factor
SELECT s FROM mat_svd(tensor_zeros('{2,3}'));
SELECT mat_lstsq(tensor_zeros('{2,2}'), '[1,2]');

-- refused
\set VERBOSITY sqlstate
SELECT mat_solve('[[1,2],[2,4]]', '[1,2]');
SELECT mat_inverse('[[NaN]]');
SELECT mat_cholesky('[[-1]]');
SELECT mat_solve('[[1,2]]', '[1,2]');
SELECT mat_svd(tensor_zeros('{2049,2049}'));
\set VERBOSITY default
SELECT mat_solve('[[1,2],[2,4]]', '[1,2]');
SELECT mat_solve('[[1,2,3],[4,5,6],[7,8,9]]', '[1,2,3]');
SELECT mat_solve('float4:[[1,1],[1,1.0000001]]', 'float4:[1,2]');
SELECT mat_solve('[[0]]', tensor_zeros('{1,0}'));
SELECT mat_inverse(tensor_zeros('{2,2}'));
SELECT mat_inverse('complex16:[[0+1i,1],[-1,0+1i]]');
SELECT mat_solve('[[1,2]]', '[1]');
SELECT mat_solve('[1,2]', '[1]');
SELECT mat_solve('[[1,2],[3,4]]', '[1,2,3]');
SELECT mat_solve('[[1,2],[3,4]]', '1');
SELECT mat_solve('[[1,2],[3,4]]', '[[[1]],[[2]]]');
SELECT mat_lstsq('[[1,2],[3,4]]', '[1]');
SELECT mat_lstsq('1', '[1]');
SELECT mat_det('[[1,2]]');
SELECT mat_det('[[[1]]]');
SELECT mat_det_scalar('complex16:[[1]]');
SELECT mat_inverse('[[1,2],[3,NaN]]');
SELECT mat_solve('[[1,2],[3,4]]', '[1,Infinity]');
SELECT mat_lstsq('[[1,2],[3,4]]', '[1,-Infinity]');
SELECT mat_svd('complex8:[[1,1+NaNi]]');
SELECT mat_eigh('[[NaN]]');
SELECT mat_qr('[[Infinity]]');
SELECT mat_norm('[[NaN]]', '2');
SELECT mat_cholesky('[[1,2],[2,1]]');
SELECT mat_cholesky('[[1,2],[3,1]]');
SELECT mat_eigh('[[1,2],[3,1]]');
SELECT mat_eigh('complex16:[[1,0+1i],[0+1i,1]]');
SELECT mat_eigh('complex16:[[0+1i]]');
SELECT mat_norm('[1]', 'frobenius');
SELECT mat_norm('1', '2');
SELECT mat_norm('[[[1]]]', '1');
-- sizes: at the limit (in one bound) and beyond
SELECT tensor_shape(mat_lstsq(tensor_full('{100000,1}', 1), tensor_full('{100000}', 3)));
SELECT mat_norm(tensor_zeros('{2049,2049}'), 'nuc');
SELECT mat_svd(tensor_zeros('{30,1000,1000}'));
SELECT tensor_shape(mat_solve(tensor_eye(300), tensor_zeros('{300,10000}')));
DROP FUNCTION near(tensor, tensor, float8), adjoint(tensor), tidy(tensor);
