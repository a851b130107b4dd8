-- tensor_map: pointwise expressions with a reduction
SET search_path = public, sparseeinsum_internal;

SELECT tensor_map('$1*$2+1', 'i,i->i', '[1,2,3]'::tensor, '[10,20,30]'::tensor);
SELECT tensor_map('relu($1)', 'ij->ij', '[[-1,2],[3,-4]]'::tensor);
SELECT tensor_map('$1 > $2', 'ij,->ij', '[[-1,2],[3,-4]]'::tensor, 0);
-- labels that the output lacks are summed
SELECT tensor_map('($1-$2)^2', 'ij,ij->i', '[[1,2],[3,4]]'::tensor, '[[0,0],[1,1]]'::tensor);
SELECT tensor_map_scalar('abs($1)', 'i->', '[-1,2,-3]'::tensor);
-- operands that lack a label are repeated along it
SELECT tensor_map('$1+$2', 'i,j->ij', '[1,2]'::tensor, '[10,20,30]'::tensor);
SELECT tensor_map('$1+$2', 'i,j->i', '[1,2]'::tensor, '[10,20,30]'::tensor);
SELECT tensor_map('$1+$2', 'i,->i', '[1,2]'::tensor, 0.5);
SELECT tensor_map('$2', 'i,i->i', '[1,2]'::tensor, '[3,4]'::tensor);
SELECT tensor_map('if($1, $2, $3)', 'i,i,->i', '[0,1,0]'::tensor, '[3,4,5]'::tensor, -1);
-- an operand may be used more than once, or not at all
SELECT tensor_map('$1*$1*$1', 'i->i', '[1,2,3]'::tensor), tensor_map('1', 'i->', '[1,2,3]'::tensor);
-- 0 / x is 0, x / 0 an infinity
SELECT tensor_map('$1/$2', 'i,i->i', '[0,1,-1,4]'::tensor, '[0,0,0,2]'::tensor);
SELECT tensor_map('sigmoid($1)', 'i->i', '[0]'::tensor), tensor_map('greatest($1,$2)', 'i,i->i', '[1,NaN]'::tensor, '[2,2]'::tensor);
SELECT tensor_type(tensor_map('$1+1', 'i->i', 'float4:[1,2]'::tensor)), tensor_type(tensor_map('$1+$2', 'i,->i', 'float4:[1,2]'::tensor, 1));
SELECT tensor_map('$1', 'i->i', NULL::tensor) IS NULL AS null;
-- the expression may change from row to row
SELECT e, tensor_map(e, 'i->i', '[1,4]'::tensor), tensor_map_scalar(e, 'i->', '[1,4]'::tensor)
FROM (VALUES ('$1'), ('sqrt($1)'), ('-$1'), ('-$1'), ('$1')) AS t(e);

-- against scalar SQL
SELECT bool_and(r.value::float8 = s.v) AS same, count(*)
FROM (SELECT i, sum(abs(x - y) + x * y) AS v
	  FROM (SELECT i, (i * 3 + j) % 5 - 2 AS x, (i + 2 * j) % 7 - 3 AS y FROM allints(0, 40) i, allints(0, 30) j) t
	  GROUP BY i) s
JOIN (SELECT u.* FROM
		(SELECT stack(tx, i, 0, 40) AS x, stack(ty, i, 0, 40) AS y FROM
			(SELECT i, stack((i * 3 + j) % 5 - 2, j, 0, 30) AS tx, stack((i + 2 * j) % 7 - 3, j, 0, 30) AS ty
			 FROM allints(0, 40) i, allints(0, 30) j GROUP BY i) t) m,
		tensor_unstack(tensor_map('abs($1-$2)+$1*$2', 'ij,ij->i', x, y), 0) u) r ON r.index = s.i;

-- errors
SELECT tensor_map('$1+$2', 'i->i', '[1,2]'::tensor);
\echo :SQLSTATE
SELECT tensor_map('$1+$2', 'i,i->i', '[1,2]'::tensor, '[1,2,3]'::tensor);
\echo :SQLSTATE
SELECT tensor_map('$1+', 'i->i', '[1,2]'::tensor);
\echo :SQLSTATE
\set VERBOSITY terse
SELECT tensor_map('nosuch($1)', 'i->i', '[1,2]'::tensor);
\set VERBOSITY default
\echo :SQLSTATE
SELECT tensor_map('relu($1)', 'i->i', 'complex16:[1+2i]'::tensor);
\echo :SQLSTATE
SELECT tensor_map_scalar('$1', 'i->i', '[1,2]'::tensor);
\echo :SQLSTATE
SELECT tensor_map('$1', 'i->i', true);
\echo :SQLSTATE

-- each function is computed in the type that its own arguments promote to
SELECT tensor_map('$1*$1 + $2', 'i,i->i', 'float4:[1e30]'::tensor, '[1]'::tensor), tensor_map('$1*float8($1) + $2', 'i,i->i', 'float4:[1e30]'::tensor, '[1]'::tensor) AS converted;
SELECT tensor_map('$1 + 0.1', 'i->i', 'float4:[1,2]'::tensor), tensor_map('$1 > 0.5', 'i->i', 'float4:[0,1]'::tensor), tensor_map('$1*$2', 'i,i->i', 'float4:[2]'::tensor, 'complex8:[1+2i]'::tensor), tensor_map('$1*$2', 'i,->i', 'complex8:[1+2i]'::tensor, 2::float8);
-- complex numbers
SELECT tensor_map('abs($1)', 'i->i', v), tensor_map('real($1)', 'i->i', v), tensor_map('imag($1)', 'i->i', v), tensor_map('conj($1)', 'i->i', v), tensor_map('$1^2', 'i->i', v), tensor_map('1/$1', 'i->i', v) FROM (VALUES ('complex16:[3+4i,1i]'::tensor)) AS t(v);
SELECT tensor_map('$1*$1', 'i->', v), tensor_map('relu(real($1)) - imag(conj($1))', 'i->', v), tensor_map('$1 == conj($1)', 'i->i', v), tensor_map('if($1, 1, 2)', 'i->i', v) FROM (VALUES ('complex8:[3+4i,-1,0]'::tensor)) AS t(v);
SELECT tensor_map_sum('$1*$2', 'i,i->i', v, w), tensor_map_prod('$1 + $2', 'i,i->', v, w), tensor_map_sum_scalar('abs($1)', 'i->', v) FROM (VALUES ('complex16:[1i,2]'::tensor, 'float4:[1,2]'::tensor), ('complex16:[1,1+1i]', 'float4:[3,1]')) AS t(v, w);
SELECT tensor_map_sum('$1', 'i->i', v) FROM (VALUES ('float4:[1]'::tensor), ('complex16:[1i]'), ('[2]')) AS t(v);
SELECT tensor_map_max('$1', 'i->i', 'complex16:[1i]'::tensor);
SELECT tensor_map('float8($1)', 'i->i', 'complex16:[1i]'::tensor);
SELECT tensor_real('complex8:[1+2i]'), tensor_imag('complex8:[1+2i]'), tensor_conj('complex8:[1+2i]'), tensor_imag('[1,2]');
-- stacked and unstacked with a complex fill
SELECT einsum_stack(v, p, 0, 3, 'complex8:1i') FROM (VALUES ('complex8:[1,2]'::tensor, 1)) AS t(v, p);
SELECT * FROM einsum_unstack_tensor('complex8:[[1i,1i],[1,1i]]', 0, 'complex8:1i');
SELECT einsum_full_tensor('{2}', 'complex8:1i'), einsum_full_tensor('{}', 'float4:2'), einsum_full_tensor('{2}', '[1]');
