-- products, logic, and kernels folded otherwise than by sums: other semirings
SET search_path = public, sparseeinsum_internal;
SELECT tensor_prod(v), tensor_prod(w), tensor_any(v), tensor_all(v), tensor_any(w), tensor_all(w)
FROM (VALUES ('[1,0,3]'::tensor, 2::float8), (NULL, NULL), ('[4,0,0]', 5)) AS t(v, w);
SELECT tensor_prod(v), tensor_prod(w), tensor_any(v), tensor_all(v), tensor_any(w), tensor_all(w), einsum_min('i->i', v), einsum_any_scalar(',->', w, w)
FROM (VALUES (NULL::tensor, NULL::float8)) AS t(v, w);
-- of one row too, the result is 1 or 0; NaN is not 0
SELECT tensor_any(v), tensor_all(v), tensor_any(w), tensor_all(w) FROM (VALUES ('[-5,NaN,0,-0]'::tensor, 7::float8)) AS t(v, w);
SELECT tensor_any(v), tensor_type(tensor_all(v)), tensor_prod(v) FROM (VALUES ('float4:[2,0]'::tensor), ('float4:[3,0]')) AS t(v);
SELECT tensor_prod(v) FROM (VALUES ('complex16:[1+2i]'::tensor), ('complex16:[3-1i]'), ('[2]')) AS t(v);
SELECT tensor_prod(w) FROM (VALUES (1e300::float8), (1e300)) AS t(w);
SELECT tensor_any('complex16:[1]'::tensor);
SELECT einsum_any('i->i', 'complex16:[1]'::tensor);
SELECT tensor_prod(v) FROM (VALUES ('[1,2]'::tensor), ('[1]')) AS t(v);
-- the product of the operands, folded over labels and rows
SELECT einsum_min('ij->i', v), einsum_max('ij->i', v), einsum_any('ij->i', v), einsum_all('ij->i', v), einsum_min_scalar('ij->', v), einsum_max_scalar('ij->', v),
	   einsum_any_scalar('ij->', v), einsum_all_scalar('ij->', v)
FROM (VALUES ('[[1,0],[3,4]]'::tensor), ('[[-2,5],[1,1]]')) AS t(v);
SELECT einsum_min('i,,i->i', v, w, v), einsum_max_scalar('i,,i->', v, w, v), tensor_map_min('$1*$2*$3', 'i,,i->i', v, w, v) = einsum_min('i,,i->i', v, w, v) AS same
FROM (VALUES ('[1,2]'::tensor, 3::float8), ('[-3,1]', 2), ('[9,9]', NULL)) AS t(v, w);
-- ellipsis and broadcasting; a label with no value has the identity
SELECT einsum_max('...i,i->...', v, '[1,-1]'::tensor), einsum_max('i,i->i', v[0], '[2]'::tensor) FROM (VALUES ('[[1,2],[3,4]]'::tensor), ('[[5,0],[1,9]]')) AS t(v);
SELECT einsum_min('i->', 'float8(0):[]'::tensor), einsum_max('i->', 'float8(0):[]'::tensor), einsum_any('i->', 'float8(0):[]'::tensor), einsum_all('i->', 'float8(0):[]'::tensor);
SELECT einsum_max('i->i', v) FROM (VALUES ('[1,NaN]'::tensor), ('[2,3]')) AS t(v);

-- min-plus: lengths of shortest paths, over the rows of a table of edges
CREATE TABLE road (a int, b int, length float8);
INSERT INTO road VALUES (0, 1, 4), (0, 2, 1), (2, 1, 2), (1, 3, 5), (2, 3, 8), (3, 0, 7);
WITH RECURSIVE matrix(d) AS (
	SELECT stack(r, a, 0, 4) FROM (
		SELECT a, stack(coalesce(length, CASE WHEN a = b THEN 0 ELSE 'Infinity'::float8 END), b, 0, 4) AS r
		FROM allints(0, 4) a CROSS JOIN allints(0, 4) b LEFT JOIN road USING (a, b) GROUP BY a) rows
), step(n, d) AS (
	SELECT 1, d FROM matrix
	UNION ALL
	SELECT n + 1, (SELECT tensor_map_min('$1 + $2', 'ij,jk->ik', s.d, m.d) FROM matrix m) FROM step s WHERE n < 3
)
SELECT n, d FROM step ORDER BY n;
-- the same where vertices are rows: one step of relaxation is a join and a minimum
WITH RECURSIVE far(n, b, d) AS (
	SELECT 0, b, CASE WHEN b = 0 THEN 0 ELSE 'Infinity'::float8 END FROM allints(0, 4) b
	UNION ALL
	(WITH f AS (SELECT * FROM far)
	SELECT n + 1, v.b, least(v.d, (SELECT tensor_map_min_scalar('$1 + $2', ',->', u.d, length) FROM f u JOIN road ON road.a = u.b WHERE road.b = v.b))
	FROM f v WHERE n < 3)
)
SELECT n, stack(d, b, 0, 4) FROM far GROUP BY n ORDER BY n;
-- max-plus: the longest way through a schedule
SELECT tensor_map_max('$1 + $2', 'ij,jk->ik', '[[1,5],[2,-Infinity]]'::tensor, '[[3,0],[4,1]]'::tensor);
-- or-and: what is reached in up to n steps
WITH RECURSIVE matrix(d) AS (
	SELECT stack(r, a, 0, 4) FROM (
		SELECT a, stack(CASE WHEN a = b OR length IS NOT NULL THEN 1 ELSE 0 END, b, 0, 4) AS r
		FROM allints(0, 4) a CROSS JOIN allints(0, 4) b LEFT JOIN (SELECT * FROM road WHERE a < 3) road USING (a, b) GROUP BY a) rows
), step(n, d) AS (
	SELECT 1, d FROM matrix
	UNION ALL
	SELECT n + 1, (SELECT einsum_any('ij,jk->ik', s.d, m.d) FROM matrix m) FROM step s WHERE n < 3
)
SELECT n, d FROM step ORDER BY n;

-- the same in every plan
CREATE TABLE item (g int, p int, v tensor);
INSERT INTO item SELECT g, p, stack(((g * 7 + p * 5 + d * 11) % 9 - (g + d) % 2)::float8, d, 0, 4) FROM allints(0, 30) g, allints(0, 20) p, allints(0, 4) d GROUP BY g, p;
ANALYZE item;
CREATE TABLE expected AS
	SELECT g, stack(lo, d, 0, 4) AS lo, stack(hi, d, 0, 4) AS hi, stack(least_one::int, d, 0, 4) AS least_one, stack(every::int, d, 0, 4) AS every
	FROM (SELECT g, index[1] AS d, min(2 * value) AS lo, max(2 * value) AS hi, bool_or(value <> 0) AS least_one, bool_and(value <> 0) AS every
		  FROM item CROSS JOIN LATERAL tensor_entries(v) AS e(index, value) GROUP BY g, index[1]) s GROUP BY g;
CREATE FUNCTION same(OUT groups bigint, OUT wrong bigint) LANGUAGE sql AS $$
	SELECT count(*), count(*) FILTER (WHERE a.lo <> e.lo OR a.hi <> e.hi OR a.least_one <> e.least_one OR a.every <> e.every OR a.any <> e.least_one OR a.all <> e.every)
	FROM (SELECT g, einsum_min('i,->i', v, 2) AS lo, einsum_max('i,->i', v, 2) AS hi, einsum_any('i,->i', v, 2) AS least_one, einsum_all('i,->i', v, 2) AS every,
				 tensor_any(v) AS any, tensor_all(v) AS all FROM item GROUP BY g) a FULL JOIN expected e USING (g)
$$;
SELECT * FROM same();
SET enable_hashagg = off;
SELECT * FROM same();
RESET enable_hashagg;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM same();
SELECT einsum_min_scalar('i->', v), einsum_max_scalar('i->', v), einsum_any_scalar('i->', v), einsum_all_scalar('i->', v), tensor_any(p), tensor_all(p) FROM item;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
SET work_mem = '64kB';
SELECT count(*), bool_and(a = '[1,1,1,1]') AS same, bool_and(n = '[2,2,2,2]') AS same, bool_and(q = '[6,6,6,6]') AS same
FROM (SELECT g, tensor_any(v) a, einsum_min('i->i', v) n, tensor_prod(v) q FROM (SELECT g, tensor_full('{4}', p) AS v FROM allints(2, 4) p, allints(0, 20000) g) s GROUP BY g) x;
RESET work_mem;
SELECT g % 2 AS odd, einsum_max('i->i', v), tensor_all(v) FROM item WHERE g < 4 GROUP BY ROLLUP (g % 2) ORDER BY 1;
SELECT p, einsum_min('i->i', v) OVER (ORDER BY p), tensor_any(v) OVER (ORDER BY p ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), tensor_prod(p) OVER (ORDER BY p) FROM item WHERE g = 1 AND p < 4 ORDER BY p;
DROP FUNCTION same;
DROP TABLE item, expected, road;
