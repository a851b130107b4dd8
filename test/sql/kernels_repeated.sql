-- A call site remembers the shapes of its last call: rows of other shapes,
-- types and equations, in any order, get what each gets alone.

CREATE TEMPORARY TABLE calls (n serial, equation text, a tensor, b tensor);
INSERT INTO calls (equation, a, b) VALUES
	('i,i->', '[1,2,3]', '[1,10,100]'),
	('i,i->', '[4,5,6]', '[1,10,100]'),
	('i,i->', '[1,2]', '[1,10]'),
	('i,i->', '[3,4]', '[5,6]'),
	('i,i->', 'float4:[3,4]', '[5,6]'),
	('i,i->', 'float4:[3,4]', 'float4:[5,6]'),
	('i,i->', 'float4:[5,4]', 'float4:[5,6]'),
	('i,i->i', '[3,4]', '[5,6]'),
	('i,i->i', '[1]', '[5,6]'),
	('i,i->i', '[2,3]', '[7]'),
	('i,i->i', '[2,3]', '[7]'),
	('i,->i', '[2,3]', '7'),
	('i,->i', '[2,3]', '8'),
	('ij,j->i', '[[1,2],[3,4]]', '[1,10]'),
	('ji,j->i', '[[1,2],[3,4]]', '[1,10]'),
	('ij,jk->ik', '[[1,2],[3,4]]', '[[1,0],[0,1]]'),
	('ij,jk->ik', '[[1,2],[3,4]]', '[[0,1],[1,0]]'),
	('ij,kj->ik', '[[1,2],[3,4]]', '[[0,1],[1,0]]'),
	('ij,k->k', '[[1,2],[3,4]]', '[1,10]'),
	('ij,k->k', '[[1,2],[3,5]]', '[1,10]'),
	('...,...->...', '[[1,2],[3,4]]', '[1,10]'),
	('...,...->...', '[[1,2],[3,4]]', '[2,20]'),
	('...,...->...', '[1,2]', '[2,20]'),
	('i,i->', 'complex16:[1+1i,2]', 'complex16:[1-1i,0+1i]'),
	('i,i->', 'complex16:[1+1i,2]', '[1,10]'),
	('i,i->', '[]', '[]'),
	('i,i->', '[]', '[]'),
	('i,i->', '[1,2,3]', '[1,10,100]');

-- one call site, and each row by itself
SELECT n, einsum(equation, a, b) FROM calls ORDER BY n;
CREATE FUNCTION alone(text, tensor, tensor) RETURNS tensor LANGUAGE plpgsql AS $$
DECLARE result tensor;
BEGIN
	EXECUTE format('SELECT einsum(%L, %L::tensor, %L::tensor)', $1, $2, $3) INTO result;
	RETURN result;
END $$;
SELECT count(*) FROM calls WHERE einsum(equation, a, b)::text <> alone(equation, a, b)::text;
DROP FUNCTION alone;

-- numbers of every type, the same and another one after it
SELECT einsum(',i->i', x::numeric, '[1,2]') AS numeric, einsum(',i->i', x::float8, '[1,2]') AS float8,
	einsum(',i->i', x::real, '[1,2]') AS real, einsum(',i->i', x::integer, '[1,2]') AS integer,
	einsum(',i->i', x::smallint, '[1,2]') AS smallint, einsum(',i->i', x::bigint, '[1,2]') AS bigint,
	einsum(',i->i', x::real, 'float4:[1,2]'::tensor) AS float4
FROM (VALUES (2.5), (2.5), (-3), ('NaN'), ('Infinity'), (2)) v (x)
WHERE x NOT IN ('NaN', 'Infinity');
SELECT einsum(',i->i', x, '[1,2]'::tensor) FROM
	(VALUES (2.5), (2.5), ('NaN'), (-3), (1e300), (1234567890123456789012345678901234567890.5), (0.1)) v (x);

-- sums, into one group and into several; a NULL, a wider type, another shape
SELECT einsum_sum(',i->i', 2, a), einsum_sum('i,i->', a, b), einsum_sum_scalar('i,i->', a, b) FROM calls WHERE n IN (3, 4);
SELECT tensor_rank(a), einsum_sum(',...->...', n, a) FROM calls WHERE n IN (3, 4, 8, 14, 15, 16) GROUP BY 1 ORDER BY 1;
SELECT einsum_sum(',i->i', 1, a) FROM (VALUES (1, '[1,2]'::tensor), (2, '[3,4]'), (3, NULL), (4, '[5,6]')) v (n, a);
SELECT einsum_sum(',i->i', 1.0::real, a) FROM
	(VALUES (1, 'float4:[1,2]'::tensor), (2, 'float4:[3,4]'), (3, '[0.1,0.1]'), (4, 'float4:[5,6]')) v (n, a);
SELECT einsum_sum(',i->i', 1, a) FROM (VALUES (1, '[1,2]'::tensor), (2, '[3,4]'), (3, '[3,4,5]')) v (n, a);

-- a window's frame extends a state that its rows have been given
SELECT einsum_sum(',i->i', 1, a) OVER (ORDER BY n) FROM (VALUES (1, '[1,2]'::tensor), (2, '[3,4]'), (3, '[5,6]')) v (n, a);

-- values in rows have short headers, and long ones are out of line
CREATE TEMPORARY TABLE stored (n integer, v tensor);
INSERT INTO stored SELECT n, tensor_full(array[k], n, 'float8')
	FROM (VALUES (1, 3), (2, 3), (3, 400), (4, 400), (5, 3), (6, 400), (7, 20), (8, 20)) v (n, k);
SELECT n, einsum_scalar('i,i->', v, v), inner_prod(v, v) FROM stored ORDER BY n;
SELECT tensor_shape(v), einsum_scalar('i->', einsum_sum(',i->i', 2, v)) FROM stored GROUP BY 1 ORDER BY 1;

-- errors leave the call site as it was
DO $$
DECLARE
	r record;
	result tensor;
BEGIN
	FOR r IN SELECT * FROM (VALUES ('[1,2]'::tensor, '[3,4]'::tensor), ('[1,2]', '[3,4,5]'), ('[1,2]', '[5,6]'), ('[[1]]', '[1]'), ('[1,2]', '[7,8]')) v (a, b)
	LOOP
		BEGIN
			result := einsum('i,i->i', r.a, r.b);
			RAISE NOTICE '%', result;
		EXCEPTION WHEN array_subscript_error THEN
			RAISE NOTICE '%', SQLERRM;
		END;
	END LOOP;
END $$;
