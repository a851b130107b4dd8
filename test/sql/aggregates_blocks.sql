-- Blocks of a dimension, and tensors put together from blocks
SET search_path = public, sparseeinsum_internal;
SELECT * FROM tensor_unstack('[1,2,3,4,5]', 0, 2);
SELECT * FROM tensor_unstack('[1,2,3,4]', 0, 2);
SELECT * FROM tensor_unstack('[1,2]', 0, 7);
SELECT * FROM tensor_unstack('[[1,2,3],[4,5,6]]', 1, 2);
SELECT * FROM tensor_unstack('[[1,2,3],[4,5,6]]', 0, 1);
SELECT * FROM tensor_unstack('float8(0,3):[]', 0, 2);
SELECT * FROM tensor_unstack('complex8:[1+2i,3-1i,5i]', 0, 2);
SELECT * FROM tensor_unstack('[1,2]', 1, 2);
SELECT * FROM tensor_unstack('[1,2]', 0, 0);
-- without the blocks that are fill everywhere
SELECT * FROM einsum_unstack_blocks('[0,0,0,1,0]', 0, 2, 0);
SELECT * FROM einsum_unstack_blocks('[[1,1,0],[1,1,1]]', 1, 2, 1);
SELECT * FROM einsum_unstack_blocks('[Infinity,Infinity,3]', 0, 2, 'Infinity');

-- numbers: rank 1, and rank 2 as a vector
SELECT einsum_stack_blocks(v, 0, 1, p, 4) FROM (VALUES (1.5::float8, 2), (2, 0), (NULL, 1)) AS t(v, p);
SELECT tensor_reshape(einsum_stack_blocks(v, -1, 3, i, 2, j, 3::int8), '{2,3}') FROM (VALUES (1::float8, 0, 2), (2, 1, 0)) AS t(v, i, j);
-- blocks along a dimension, the last shorter, one missing
SELECT tensor_reshape(einsum_stack_blocks(v, 9, 0, 0, 2, 2 * k, 5), '{2,5}')
	FROM (VALUES ('[[1,2],[3,4]]'::tensor, 0), ('[[5],[6]]', 2)) AS t(v, k);
-- rows of a matrix: an added dimension before and after
SELECT tensor_reshape(einsum_stack_blocks(v, 0, 1, p, 3, 0, 2), '{3,2}') FROM (VALUES ('[1,2]'::tensor, 2), ('[3,4]', 0)) AS t(v, p);
SELECT tensor_reshape(einsum_stack_blocks(v, 0, 2, 0, 2, p, 3), '{2,3}') FROM (VALUES ('[1,2]'::tensor, 2), ('[3,4]', 0)) AS t(v, p);
-- both at once, in groups
SELECT g, tensor_reshape(einsum_stack_blocks(v, 0, 2, o, 3, p, 2), '{3,2}')
	FROM (VALUES (1, '[1,2]'::tensor, 0, 0), (1, '[3]', 2, 1), (2, '[7]', 1, 1)) AS t(g, v, o, p) GROUP BY g ORDER BY g;
-- element types widen; a row of one entry and of none
SELECT einsum_stack_blocks(v, 0, 0, p, 4) FROM (VALUES ('float4:[1,2]'::tensor, 0), ('[3]', 2), ('float8(0):[]', 4)) AS t(v, p);
SELECT einsum_stack_blocks(v, 0, 0, p, 2) FROM (VALUES ('float4:[1]'::tensor, 0), ('complex8:[3i]', 1)) AS t(v, p);
-- the type of a fill that is a tensor counts; one that is a number adapts, and has all digits of the result's type
SELECT einsum_stack_blocks(v, 'complex8:2-1i'::tensor, 0, p, 3) FROM (VALUES ('[1]'::tensor, 0), ('[3]', 2)) AS t(v, p);
SELECT einsum_stack_blocks(v, 0.1, 0, p, 3) FROM (VALUES ('float4:[1]'::tensor, 0), ('[3]', 2)) AS t(v, p);
SELECT stack(v, p, 0, 3, 0.1) FROM (VALUES ('float4:[1]'::tensor, 0), ('[3]', 2)) AS t(v, p);
-- also where states are put together, in either order
CREATE AGGREGATE state_of(value tensor, pos int8, dimension int4, bound int8, fill float8) (
	SFUNC = sparseeinsum_internal.stack_transfn, STYPE = sparseeinsum_internal.tensor_state);
CREATE AGGREGATE join_states(sparseeinsum_internal.tensor_state) (
	SFUNC = sparseeinsum_internal.stack_combinefn, STYPE = sparseeinsum_internal.tensor_state, FINALFUNC = sparseeinsum_internal.stack_finalfn);
SELECT join_states(s ORDER BY n), join_states(s ORDER BY n DESC)
FROM (SELECT n, state_of(v, n, 0, 4, 0.1) FROM (VALUES (0, 'float4:1'::tensor), (2, '3')) AS t(n, v) GROUP BY n) AS t(n, s);
DROP AGGREGATE join_states(sparseeinsum_internal.tensor_state);
DROP AGGREGATE state_of(tensor, int8, int4, int8, float8);
SELECT einsum_stack_blocks(v, 0, 0, 0, 4) FROM (VALUES ('[1]'::tensor)) AS t(v) WHERE false;
SELECT einsum_stack_blocks(v, 0, 1, i, 20) = stack(v, i, 0, 20) AS like_stack FROM (SELECT i, i * 0.5::float8 AS v FROM generate_series(1, 19, 2) i) AS t;
-- in parallel, on both sides of a byte of the map of what is filled
CREATE TABLE entry AS SELECT i, i::float8 AS v FROM generate_series(0, 9999) i;
ANALYZE entry;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT einsum_stack_blocks(v, 0, 1, i, 10000) FROM entry;
SELECT einsum_stack_blocks(v, 0, 1, i, 10000) = (SELECT stack(v, i, 0, 10000) FROM entry) AS same FROM entry;
RESET ALL;
SET search_path = public, sparseeinsum_internal;
DROP TABLE entry;

-- errors
SELECT einsum_stack_blocks(v, 0, 1, p, 2) FROM (VALUES (1::float8, 0), (2, 0)) AS t(v, p);
SELECT einsum_stack_blocks(v, 0, 0, p, 12) FROM (VALUES ('[1,2,3,4,5,6,7,8,9]'::tensor, 0), ('[1,1]', 8)) AS t(v, p);
SELECT einsum_stack_blocks(v, 0, 0, p, 3) FROM (VALUES ('[1,2]'::tensor, 2)) AS t(v, p);
SELECT einsum_stack_blocks(v, 0, 0, p, 3) FROM (VALUES ('[1,2]'::tensor, -1)) AS t(v, p);
SELECT einsum_stack_blocks(v, 0, 0, 0, 3) FROM (VALUES ('[[1,2]]'::tensor)) AS t(v);
SELECT einsum_stack_blocks(v, 0, 0, 0, 3, 0, 3) FROM (VALUES ('[1,2]'::tensor)) AS t(v);
SELECT einsum_stack_blocks(v, 0, 0, 0, e) FROM (VALUES ('[1,2]'::tensor, 3), ('[1]', 4)) AS t(v, e);
SELECT einsum_stack_blocks(v, 0, 0, 0) FROM (VALUES ('[1,2]'::tensor)) AS t(v);
SELECT einsum_stack_blocks(v, 0, 0, 0, 3.0) FROM (VALUES ('[1,2]'::tensor)) AS t(v);
SELECT einsum_stack_blocks(v, 0, 0, NULL::int, 3) FROM (VALUES ('[1,2]'::tensor)) AS t(v);
SELECT einsum_stack_blocks(v, NULL::float8, 0, 0, 3) FROM (VALUES ('[1,2]'::tensor)) AS t(v);
SELECT einsum_stack_blocks(v, 0, 0, 0, 3000000000) FROM (VALUES ('[1,2]'::tensor)) AS t(v);
SELECT einsum_stack_blocks(v, 0, 3, 0, 1000000, 0, 1000000) FROM (VALUES (1::float8)) AS t(v);
