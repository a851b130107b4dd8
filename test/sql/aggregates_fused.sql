-- einsum_sum and tensor_map_sum, min, max: kernel and aggregate in one
CREATE TABLE edge (dst int, src int, w float8);
CREATE TABLE node (id int, h tensor);
INSERT INTO edge SELECT d, s, (d * 3 + s * 5) % 7 - 3 FROM allints(0, 20) d, allints(0, 20) s WHERE (d * s + d + s) % 3 = 0;
INSERT INTO node SELECT id, stack((id * 2 + f * 3) % 9 - 4, f, 0, 24) FROM allints(0, 20) id, allints(0, 24) f GROUP BY id;
CREATE TABLE expected AS
	SELECT dst, f, sum(w * ((src * 2 + f * 3) % 9 - 4)) AS sum,
		   min(w * ((src * 2 + f * 3) % 9 - 4)) AS min, max(w * ((src * 2 + f * 3) % 9 - 4)) AS max
	FROM edge, allints(0, 24) f GROUP BY dst, f;

-- graph convolution in four spellings
CREATE VIEW spellings AS
	SELECT 'einsum_sum' AS name, dst, einsum_sum('f,->f', h, w) AS v FROM edge JOIN node ON src = id GROUP BY dst
	UNION ALL
	SELECT 'tensor_map_sum', dst, tensor_map_sum('$1*$2', 'f,->f', h, w) FROM edge JOIN node ON src = id GROUP BY dst
	UNION ALL
	SELECT 'sum of einsum', dst, sum(einsum('f,->f', h, w)) FROM edge JOIN node ON src = id GROUP BY dst
	UNION ALL
	SELECT 'sum of vec_sca_mult', dst, tensor_sum(vec_sca_mult(h, w)) FROM edge JOIN node ON src = id GROUP BY dst;
SELECT name, count(*), bool_and(u.value::float8 = e.sum) AS same
FROM spellings s CROSS JOIN LATERAL tensor_unstack(v, 0) u JOIN expected e ON e.dst = s.dst AND e.f = u.index
GROUP BY name ORDER BY name;
-- minimum and maximum over rows
SELECT count(*), bool_and(lo.value::float8 = e.min) AS same, bool_and(hi.value::float8 = e.max) AS same
FROM (SELECT dst, tensor_map_min('$1*$2', 'f,->f', h, w) AS l, tensor_map_max('$1*$2', 'f,->f', h, w) AS h
	  FROM edge JOIN node ON src = id GROUP BY dst) s
CROSS JOIN LATERAL tensor_unstack(l, 0) lo JOIN LATERAL tensor_unstack(h, 0) hi ON hi.index = lo.index
JOIN expected e ON e.dst = s.dst AND e.f = lo.index;
-- and over labels too
SELECT count(*), bool_and(s.sum = e.sum) AS same, bool_and(s.sum2 = e.sum) AS same, bool_and(s.min = e.min) AS same,
	   bool_and(s.max = e.max) AS same, bool_and(s.sum1 = e.sum) AS same
FROM (SELECT dst, einsum_sum_scalar('f,->', h, w) AS sum, tensor_map_sum_scalar('$1*$2', 'f,->', h, w) AS sum2,
			 tensor_map_min_scalar('$1*$2', 'f,->', h, w) AS min, tensor_map_max_scalar('$1*$2', 'f,->', h, w) AS max,
			 einsum_sum('f,->', h, w)::float8 AS sum1
	  FROM edge JOIN node ON src = id GROUP BY dst) s
JOIN (SELECT dst, sum(sum) AS sum, min(min) AS min, max(max) AS max FROM expected GROUP BY dst) e USING (dst);

-- sums of outer products, of products of numbers, of three operands
SELECT einsum_sum('i,j->ij', v, v) FROM (VALUES ('[1,2]'::tensor), ('[3,-1]')) AS t(v);
SELECT einsum_sum_scalar(',->', a, b), einsum_sum(',->', a, b) FROM (VALUES (1::float8, 2::float8), (3, 4), (NULL, 5)) AS t(a, b);
SELECT einsum_sum_scalar(',,->', a, b, 2) FROM (VALUES (1, 2), (3, 4)) AS t(a, b);
SELECT einsum_sum('ij,j,->i', '[[1,2],[3,4]]'::tensor, v, 2) FROM (VALUES ('[1,0]'::tensor), ('[0,1]')) AS t(v);
-- NULL operands leave a row out; no rows give NULL
SELECT einsum_sum('i,->i', v, w), einsum_sum_scalar('i,->', v, w), tensor_map_max_scalar('$1*$2', 'i,->', v, w)
FROM (VALUES (NULL::tensor, 1::float8), ('[1,2]', 3), ('[1,2]', NULL), ('[4,5]', 1)) AS t(v, w);
SELECT einsum_sum('i,->i', v, w), einsum_sum_scalar('i,->', v, w), tensor_map_sum('$1*$2', 'i,->i', v, w), tensor_map_min_scalar('$1*$2', 'i,->', v, w)
FROM (VALUES (NULL::tensor, 1::float8)) AS t(v, w);
-- element types
SELECT einsum_sum('i,->i', v, w::float4), tensor_type(einsum_sum('i,->i', v, w::float4)), tensor_type(einsum_sum('i,->i', v, w)) FROM (VALUES ('float4:[1,2]'::tensor, 2), ('float4:[3,4]', 3)) AS t(v, w);
SELECT einsum_sum('i->i', v), tensor_map_max('$1', 'i->i', v), einsum_sum_scalar('i->', v), tensor_map_min_scalar('$1', 'i->', v)
FROM (VALUES ('float4:[1,2]'::tensor), ('[0.1,3]'), ('float4:[1,2]')) AS t(v);
SELECT einsum_sum('i,i->i', v, v) FROM (VALUES ('complex16:[1+2i]'::tensor), ('[3]')) AS t(v);
-- each row is computed in its own element type, whatever came before
SELECT o, tensor_map_sum('$1+1', 'i->i', v ORDER BY n * o), tensor_map_prod('$1*$1', 'i->i', v ORDER BY n * o), tensor_map_sum_scalar('real($1)', 'i->', v ORDER BY n * o)
FROM (VALUES (1, 'complex16:[1+1i,2+1i]'::tensor), (2, '[1,2]'), (3, 'float4:[3,4]'), (4, 'complex8:[0,1i]')) AS t(n, v), (VALUES (1), (-1)) AS s(o) GROUP BY o;
SELECT o, tensor_map_sum('$1/3', 'i->i', v ORDER BY n * o), tensor_map_max('$1*3e38', 'i->i', v ORDER BY n * o), einsum_sum('i,->i', v, 1e38::real ORDER BY n * o)
FROM (VALUES (1, '[0]'::tensor), (2, 'float4:[10]')) AS t(n, v), (VALUES (1), (-1)) AS s(o) GROUP BY o;
SELECT o, einsum_sum('i,i->i', v, v ORDER BY n * o), (einsum_sum('i,j->ij', w, w ORDER BY n * o))[0][0]
FROM (VALUES (1, 'complex16:[1+1i]'::tensor, tensor_full('{16}', 1, 'complex16')), (2, '[Infinity]', tensor_full('{16}', 'Infinity'))) AS t(n, v, w), (VALUES (1), (-1)) AS s(o) GROUP BY o;
-- NaN is kept, overflow is infinity
SELECT tensor_map_max('$1', 'i->i', v), tensor_map_min_scalar('$1', 'i->', v), einsum_sum('i,->i', v, 1e308::float8)
FROM (VALUES ('[1,NaN]'::tensor), ('[2,3]')) AS t(v);
-- an equation per row
SELECT einsum_sum(e, v) FROM (VALUES ('ij', '[[1,2],[3,4]]'::tensor), ('ji', '[[1,2],[3,4]]'), ('ij', '[[0,1],[0,0]]')) AS t(e, v);

-- errors
SELECT einsum_sum('i,->i', v, 1) FROM (VALUES ('[1,5]'::tensor), ('[3,-2,1]')) AS t(v);
\echo :SQLSTATE
SELECT einsum_sum(e, v) FROM (VALUES ('ij', '[[1,2],[3,4]]'::tensor), ('ij->i', '[[1,2],[3,4]]')) AS t(e, v);
\echo :SQLSTATE
SELECT einsum_sum('i,i->i', v, '[1,2]') FROM (VALUES ('[1,5]'::tensor), ('[3,-2,1]')) AS t(v);
\echo :SQLSTATE
SELECT einsum_sum_scalar('i->i', v) FROM (VALUES ('[1,5]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT einsum_sum_scalar('i->', v) FROM (VALUES ('complex16:[1+2i]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT tensor_map_sum('$1', 'i->i', v) FROM (VALUES ('complex16:[1+2i]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT einsum_sum('i->i', VARIADIC ARRAY[v]) FROM (VALUES ('[1,5]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT einsum_sum('i->i', v) FROM (VALUES ('x'::text)) AS t(v);
\echo :SQLSTATE
SELECT sparseeinsum_internal.einsum_sum_transfn(NULL, 'i->i', '[1]'::tensor);
\echo :SQLSTATE
DROP VIEW spellings;
DROP TABLE edge, node, expected;
