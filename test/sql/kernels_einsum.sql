-- einsum: numpy's equation language over tensors and numbers

-- the usual ones
SELECT einsum('ij,jk->ik', '[[1,2],[3,4]]'::tensor, '[[5,6],[7,8]]'::tensor);
SELECT einsum('i,j->ij', '[1,2]'::tensor, '[3,4,5]'::tensor);
SELECT einsum('i,i->', '[1,2,3]'::tensor, '[4,5,6]'::tensor);
SELECT einsum('i,i->i', '[1,2,3]'::tensor, '[4,5,6]'::tensor);
SELECT einsum('ij->ji', '[[1,2,3],[4,5,6]]'::tensor);
SELECT einsum('ij->', '[[1,2,3],[4,5,6]]'::tensor);
SELECT einsum('ij->j', '[[1,2,3],[4,5,6]]'::tensor);
-- repeated labels: diagonal and trace
SELECT einsum('ii->i', '[[1,2],[3,4]]'::tensor), einsum('ii->', '[[1,2],[3,4]]'::tensor);
-- implicit output: labels that occur once, in alphabetical order
SELECT einsum('ij,jk', '[[1,2],[3,4]]'::tensor, '[[5,6],[7,8]]'::tensor);
SELECT einsum('ba', '[[1,2,3],[4,5,6]]'::tensor);
SELECT einsum('i,i', '[1,2,3]'::tensor, '[4,5,6]'::tensor);
-- spaces
SELECT einsum(' i j , j -> i ', '[[1,2],[3,4]]'::tensor, '[1,10]'::tensor);
-- three operands, batches, upper case labels
SELECT einsum('i,j,k->kji', '[1,2]'::tensor, '[1,10]'::tensor, '[1,100]'::tensor);
SELECT einsum('Bij,Bjk->Bik', '[[[1,2],[3,4]],[[0,1],[1,0]]]'::tensor, '[[[1,0],[0,1]],[[5,6],[7,8]]]'::tensor);
-- numbers of every type are operands of rank 0
SELECT einsum('i,->i', '[1,2]'::tensor, 2.5::float8);
SELECT einsum('i,->i', '[1,2]'::tensor, 3), einsum('i,->i', '[1,2]'::tensor, 3::smallint),
	   einsum('i,->i', '[1,2]'::tensor, 3::bigint), einsum('i,->i', '[1,2]'::tensor, 0.5);
SELECT einsum(',', 2, 3.5::float4), einsum('->', 1e300::numeric), einsum(',->', 1e308::float8, 1e308::float8);
SELECT einsum('->', '1e400'::numeric), einsum('->', 'NaN'::numeric);
SELECT einsum('i,->i', '[1,2]'::tensor, '3'::tensor);
-- literals are read as tensors
SELECT einsum('ij,j', '[[1,2],[3,4]]', '[1,1]');
-- a domain is what it is over
CREATE DOMAIN square AS tensor;
CREATE DOMAIN weight AS float8;
SELECT einsum('ij,->ij', '[[1,2],[3,4]]'::square, 2::weight);
DROP DOMAIN square, weight;
-- element types promote as numpy's arrays do
SELECT tensor_type(einsum('i,i->i', 'float4:[1,2]'::tensor, 'float4:[3,4]'::tensor)),
	   tensor_type(einsum('i,i->i', 'float4:[1,2]'::tensor, '[3,4]'::tensor)),
	   tensor_type(einsum('i,->i', 'float4:[1,2]'::tensor, 2::float4)),
	   tensor_type(einsum('i,->i', 'float4:[1,2]'::tensor, 2::float8)),
	   tensor_type(einsum('i,->i', 'float4:[1,2]'::tensor, 2));
SELECT einsum('i,i->i', 'float4:[1,2]'::tensor, '[3,4]'::tensor), einsum('i,i->i', 'float4:[1,2]'::tensor, 'float4:[3,4]'::tensor);
-- empty extents
SELECT einsum('ij,jk->ik', 'float8(2,0):[]'::tensor, 'float8(0,3):[]'::tensor);
-- NULL operands
SELECT einsum('i,i->i', NULL::tensor, '[1]'::tensor) IS NULL AS null, einsum(NULL, '[1]'::tensor) IS NULL AS null;
-- IEEE arithmetic
SELECT einsum('i,->i', '[1e308,-1e308,0]'::tensor, 10::float8);

-- einsum_scalar
SELECT einsum_scalar('i,i->', '[1,2,3]'::tensor, '[4,5,6]'::tensor), einsum_scalar(',,->', 2, 3, 4);
SELECT einsum_scalar('i,i->', 'float4:[1,2,3]'::tensor, 'float4:[4,5,6]'::tensor);
SELECT pg_typeof(einsum_scalar('->', 1));

-- against scalar SQL: random small integers, the five label structures of a product
CREATE TABLE a AS SELECT i, j, (i * 7 + j * 5 + i * j) % 11 - 5 AS v FROM allints(0, 6) i, allints(0, 9) j;
CREATE TABLE b AS SELECT j, k, (j * 3 + k * 8 + j * k) % 13 - 6 AS v FROM allints(0, 9) j, allints(0, 5) k;
CREATE TABLE ab AS
	SELECT (SELECT stack(t, i, 0, 6) FROM (SELECT i, stack(v, j, 0, 9) AS t FROM a GROUP BY i) x) AS a,
		   (SELECT stack(t, j, 0, 9) FROM (SELECT j, stack(v, k, 0, 5) AS t FROM b GROUP BY j) x) AS b;
SELECT bool_and(s.v = e.value) AS same, count(*)
FROM (SELECT i, k, sum(a.v * b.v) AS v FROM a JOIN b USING (j) GROUP BY i, k) s
JOIN (SELECT r.index AS i, c.index AS k, c.value::float8 AS value
	  FROM ab, tensor_unstack(einsum('ij,jk->ik', a, b), 0) r, tensor_unstack(r.value, 0) c) e USING (i, k);
SELECT bool_and(s.v = e.value) AS same, count(*)
FROM (SELECT j, k, sum(a.v * b.v) AS v FROM a JOIN b USING (j) GROUP BY j, k) s
JOIN (SELECT r.index AS k, c.index AS j, c.value::float8 AS value
	  FROM ab, tensor_unstack(einsum('ij,jk->kj', a, b), 0) r, tensor_unstack(r.value, 0) c) e USING (j, k);
SELECT bool_and(s.v = e.value) AS same, count(*)
FROM (SELECT i, sum(a.v * b.v) AS v FROM a CROSS JOIN b GROUP BY i) s
JOIN (SELECT c.index AS i, c.value::float8 AS value
	  FROM ab, tensor_unstack(einsum('ij,kl->i', a, b), 0) c) e USING (i);
DROP TABLE a, b, ab;

-- the equation may change from row to row
SELECT e, einsum(e, '[[1,2],[3,4]]'::tensor)
FROM (VALUES ('ij'), ('ji'), ('ij'), ('ij->j'), ('ij->i'), ('ij->i'), ('ii->')) AS t(e);

-- short, inline, compressed and out-of-line values
CREATE TABLE widths (n int, v tensor);
INSERT INTO widths SELECT n, (SELECT stack(1, p, 0, n) FROM allints(0, n) p) FROM unnest('{1,2,13,14,15,100,1000,20000}'::int[]) n;
SELECT n, einsum_scalar('i,i->', v, v), inner_prod(v, v), einsum_scalar('i->', v) FROM widths ORDER BY n;
ALTER TABLE widths ALTER v SET STORAGE extended;
UPDATE widths SET v = einsum('i,->i', v, 2);
SELECT n, einsum_scalar('i,i->', v, v), inner_prod(v, v), einsum_scalar('i->', v) FROM widths ORDER BY n;
DROP TABLE widths;

-- errors
SELECT einsum('ij,jk->ik', '[[1,2],[3,4]]'::tensor, '[[1,2],[3,4],[5,6]]'::tensor);
\echo :SQLSTATE
SELECT einsum('ij,j->i', '[[1,2],[3,4]]'::tensor, 2::float8);
\echo :SQLSTATE
SELECT einsum('ii->i', '[[1,2,3],[4,5,6]]'::tensor);
\echo :SQLSTATE
SELECT einsum('i,i->i', '[1]'::tensor, 'x'::text);
\echo :SQLSTATE
SELECT einsum('i->i', ARRAY[1,2]);
\echo :SQLSTATE
SELECT einsum('i,i->i', VARIADIC ARRAY['[1]'::tensor, '[2]'::tensor]);
\echo :SQLSTATE
SELECT einsum('i,j->ij', '[1]'::tensor);
\echo :SQLSTATE
SELECT einsum('i->i', '[1', 2);
\echo :SQLSTATE
SELECT einsum('i->i', '[1');
\echo :SQLSTATE
SELECT einsum_scalar('i->i', '[1,2]'::tensor);
\echo :SQLSTATE
SELECT einsum_scalar('i->', 'complex16:[1+2i]'::tensor);
\echo :SQLSTATE
SELECT einsum(repeat(',', 63), 2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2);
SELECT einsum(repeat(',', 64), 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1);
\echo :SQLSTATE
SELECT einsum('a,b,c->abc', v, v, v) FROM (SELECT stack(1, 0, 0, 10000) AS v) t;
\echo :SQLSTATE
-- numbers, and what has the bound 1, are multiplied as real numbers: infinities stay infinite
select einsum(',,b->b', '-Infinity', '-3', '[2,-1]'), einsum('a,a,ab->b', '[-Infinity]', '[-3]', '[[2,-1]]'), einsum('a,a,a->', '[Infinity]', '[-3]', '[2]');
select einsum_sum('a,a,ab->b', x, y, z) from (values ('[-Infinity]'::tensor, '[-3]'::tensor, '[[2,-1]]'::tensor), ('[1,2]', '[1,1]', '[[1,2],[3,4]]')) t(x, y, z);
select einsum(',,b->b', 'complex16:1i', '2', 'complex16:[1i,2]');
