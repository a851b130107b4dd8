--
-- Limits, each at, below and beyond it; and inputs cut and changed anywhere
--
-- 16 dimensions
SELECT n, tensor_rank(tensor_zeros(array_fill(1, ARRAY[n]))), tensor_rank(tensor_full(array_fill(1, ARRAY[n]), 2)), tensor_rank(tensor_random(array_fill(1, ARRAY[n]), 1)),
  tensor_rank(tensor_reshape('[1]', array_fill(1, ARRAY[n]))), tensor_rank((repeat('[', n) || '1' || repeat(']', n))::tensor)
FROM generate_series(15, 16) n;
SELECT tensor_zeros(array_fill(1, ARRAY[17]));
SELECT tensor_full(array_fill(1, ARRAY[17]), 2);
SELECT tensor_random(array_fill(1, ARRAY[17]), 1);
SELECT tensor_reshape('[1]', array_fill(1, ARRAY[17]));
SELECT tensor_reshape('[1]', array_fill(1, ARRAY[1000000]));
SELECT tensor_zeros('{{1,1}}');
SELECT (repeat('[', 17) || '1' || repeat(']', 17))::tensor;
SELECT (repeat('[', 17) || repeat(']', 17))::tensor;
SELECT (repeat('[', 1000000) || '1')::tensor;
SELECT tensor_rank((repeat('[', 16) || '1' || repeat(']', 16))::jsonb::tensor);
SELECT (repeat('[', 17) || '1' || repeat(']', 17))::jsonb::tensor;
SELECT tensor_permute(tensor_zeros(array_fill(1, ARRAY[16])), '{15,14,13,12,11,10,9,8,7,6,5,4,3,2,1,0}') IS NOT NULL;
SELECT tensor_permute('1', array_fill(0, ARRAY[17]));
SELECT tensor_slice('1', array_fill(0, ARRAY[17]), array_fill(1, ARRAY[17]));
SELECT tensor_reduce('sum', '1', array_fill(0, ARRAY[17]));
SELECT tensor_reduce('sum', tensor_full(array_fill(1, ARRAY[16]), 2)), tensor_rank(tensor_reduce('sum', tensor_full(array_fill(1, ARRAY[16]), 2), keep => true));
-- operands of different ranks
SELECT tensor_rank(tensor_full(array_fill(1, ARRAY[16]), 2) + tensor_full(array_fill(1, ARRAY[15]), 3));

-- bounds of 2^31 - 1, where there are no elements
SELECT tensor_shape(tensor_zeros('{0,2147483646}')), tensor_shape(tensor_zeros('{0,2147483647}')), tensor_shape('float8(2147483647,0):[]');
SELECT 'float8(2147483648,0):[]'::tensor;
SELECT tensor_zeros('{-1}');
SELECT tensor_zeros('{0,-1}');
SELECT tensor_shape(tensor_concat(tensor_zeros('{0,2147483646}'), tensor_zeros('{0,1}'), 1));
SELECT tensor_concat(tensor_zeros('{0,2147483646}'), tensor_zeros('{0,2}'), 1);
-- whose product with 0 would overflow
SELECT tensor_shape(tensor_zeros('{0,2147483647,134217728}'));
SELECT tensor_zeros('{0,2147483647,2147483647}');

-- 1 GB of elements
SELECT tensor_shape(tensor_zeros(ARRAY[n])) FROM generate_series(134217718, 134217718) n;
SELECT tensor_shape(tensor_zeros('{134217719}'));
SELECT tensor_shape(tensor_full('{268435438}', 1, 'float4'));
SELECT tensor_shape(tensor_zeros('{67108860}', 'complex16'));
SELECT tensor_eye(46341);
-- sums of single precision are kept in double precision
SELECT tensor_sum(x) FROM (VALUES (tensor_zeros('{134217719}', 'float4'))) v(x);
SELECT einsum_sum('i,j->ij', x, x) FROM (VALUES (tensor_zeros('{11586}', 'float4'))) v(x);
SELECT avg(x) FROM (VALUES (tensor_zeros('{67108860}', 'complex8'))) v(x);
SELECT tensor_shape(tensor_max(x)) FROM (VALUES (tensor_zeros('{134217719}', 'float4'))) v(x);
SELECT tensor_eye(-1);

-- the largest matrix
SELECT mat_det(tensor_eye(2049)), mat_norm(tensor_full('{3000,1}', 1) , '2') ^ 2 BETWEEN 2999.999 AND 3000.001 AS norm;
SELECT mat_svd(tensor_eye(2049));
SELECT mat_eigh(tensor_eye(2049));
SELECT mat_lstsq(tensor_eye(2049), tensor_zeros('{2049}'));
SELECT mat_norm(tensor_eye(2049), 'nuc');

-- text: every cut of it, and every character of it changed
CREATE FUNCTION class_of(input text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  t tensor;
BEGIN
  t := input;
  IF t::text::tensor IS DISTINCT FROM t THEN
    RETURN 'another value';
  END IF;
  RETURN 'accepted';
EXCEPTION WHEN others THEN
  RETURN left(SQLSTATE, 2);
END
$$;
CREATE TABLE samples (s text);
INSERT INTO samples VALUES ('complex16(2,2):[[1+2i,0-1i],[1e5,NaN+Infinityi]]'), ('[[1,2.5e-3],[-0,inf]]'), ('float4(0,3):[]');
SELECT class_of(left(s, n)), count(*) FROM samples, LATERAL generate_series(0, length(s)) n GROUP BY 1 ORDER BY 1;
SELECT class, count(*) > 0 FROM samples, LATERAL generate_series(1, length(s)) n, regexp_split_to_table(E'[](),:+-.e0189iINax \t\\{"\x01é', '') c,
  LATERAL class_of(overlay(s PLACING c FROM n FOR 1)) class GROUP BY 1 ORDER BY 1;
SELECT class, count(*) > 0 FROM samples, LATERAL generate_series(1, length(s)) n, regexp_split_to_table('[](),:+-.e0189iINa', '') c,
  LATERAL class_of(overlay(s PLACING c FROM n FOR 0)) class GROUP BY 1 ORDER BY 1;
DROP TABLE samples;
DROP FUNCTION class_of(text);
