-- allints, tensor_unstack and its kin
SET search_path = public, sparseeinsum_internal;
SELECT allints(2, 5), pg_typeof(allints(2, 3)), pg_typeof(allints(2, 3::bigint));
SELECT count(*) FROM allints(0, 0) UNION ALL SELECT count(*) FROM allints(3, 1) UNION ALL SELECT count(*) FROM allints(NULL, 1);
SELECT array_agg(i) FROM allints(2147483645, 2147483647) i;
SELECT array_agg(i) FROM allints(9223372036854775805, 9223372036854775807) i;
SELECT array_agg(i) FROM allints(-2, 2) i;
-- rows come one by one in a target list
SELECT allints(0, 1000000000) LIMIT 2;
SELECT sum(i) FROM allints(0, 100000) i;
-- row estimates
CREATE FUNCTION estimated_rows(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan->0->'Plan'->>'Plan Rows';
END $$;
SELECT estimated_rows('SELECT * FROM allints(0, 2708)') AS int4, estimated_rows('SELECT * FROM allints(5, 2708::bigint)') AS int8,
	   estimated_rows('SELECT * FROM allints(5, 2)') AS none, estimated_rows('SELECT * FROM allints(0, (random() * 5)::int)') AS unknown;
SELECT estimated_rows($$SELECT * FROM tensor_unstack('[[1,2],[3,4],[5,6]]', 0)$$) AS rows,
	   estimated_rows($$SELECT * FROM tensor_unstack('[[1,2],[3,4],[5,6]]', 1)$$) AS columns,
	   estimated_rows($$SELECT * FROM einsum_unstack('[[1,2],[3,4],[5,6]]', 1, 0)$$) AS columns,
	   estimated_rows($$SELECT * FROM einsum_unstack_scalar('[1,2,3,4,5]', 0)$$) AS entries,
	   estimated_rows($$SELECT * FROM tensor_unstack('[1,2,3,4,5]', 7)$$) AS wrong;
DROP FUNCTION estimated_rows;

SELECT * FROM tensor_unstack('[[1,2,3],[4,5,6]]', 0);
SELECT * FROM tensor_unstack('[[1,2,3],[4,5,6]]', 1);
SELECT * FROM tensor_unstack('[7,8]', 0);
SELECT * FROM tensor_unstack('[[[1,2],[3,4]],[[5,6],[7,8]]]', 1);
SELECT * FROM tensor_unstack('float8(0,3):[]', 0);
SELECT * FROM tensor_unstack('float8(0,3):[]', 1);
SELECT * FROM tensor_unstack('float4:[[1,2],[3,4]]', 1);
SELECT * FROM tensor_unstack('complex16:[1+2i,3-1i]', 0);
SELECT * FROM tensor_unstack(NULL, 0);
-- in a target list, and beside other columns
SELECT tensor_unstack('[[1,2],[3,4]]', 0);
SELECT k, u.* FROM (VALUES (1, '[1,2]'::tensor), (2, '[3]'), (3, NULL), (4, 'float8(0):[]')) AS t(k, v), tensor_unstack(v, 0) u ORDER BY k, index;
SELECT k, u.* FROM (VALUES (1, '[1,2]'::tensor), (2, NULL), (4, 'float8(0):[]')) AS t(k, v) LEFT JOIN LATERAL tensor_unstack(v, 0) u ON true ORDER BY k, index;

-- without the slices that are fill everywhere
SELECT * FROM einsum_unstack('[[0,0,0],[1,0,0],[0,-0,0],[0,NaN,0]]', 0, 0);
SELECT * FROM einsum_unstack('[[0,0,0],[1,0,0],[0,-0,0],[0,NaN,0]]', 1, 0);
SELECT * FROM einsum_unstack('[[1,1],[1,0]]', 0, 1);
SELECT * FROM einsum_unstack('[[Infinity,Infinity],[1,Infinity]]', 0, 'Infinity');
SELECT * FROM einsum_unstack('[[NaN,NaN]]', 0, 'NaN');
SELECT * FROM einsum_unstack('float4:[[0.1,0.1],[0.1,0.2]]', 0, 0.1);
SELECT * FROM einsum_unstack('complex16:[[0+0i,0+0i],[0+1i,0+0i]]', 0, 0);
SELECT * FROM einsum_unstack('complex8:[[0+0i,0+0i],[0+1i,0+0i]]', 1, 0);
SELECT * FROM einsum_unstack_scalar('[0,1,-0,2,NaN]', 0);
SELECT * FROM einsum_unstack_scalar('[0,1,2,NaN]', 'NaN');
SELECT * FROM einsum_unstack_scalar('float4:[0.1,0.2]', 0.1);
SELECT * FROM einsum_unstack_scalar('float8(0):[]', 0);
-- cancelled within the time limit
SET statement_timeout = '200ms' \; SELECT count(*) FROM allints(0, 2000000000000);

-- errors
SELECT * FROM tensor_unstack('[1,2]', 1);
\echo :SQLSTATE
SELECT * FROM tensor_unstack('[1,2]', -1);
\echo :SQLSTATE
SELECT * FROM tensor_unstack('3', 0);
\echo :SQLSTATE
SELECT * FROM einsum_unstack_scalar('[[1,2]]', 0);
\echo :SQLSTATE
SELECT * FROM einsum_unstack_scalar('complex16:[1+2i]', 0);
\echo :SQLSTATE
