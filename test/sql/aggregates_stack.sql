-- stack: values at positions along a new dimension

SELECT stack(v, p, 0, 3), stack(v, p, 1, 3) FROM (VALUES ('[1,2]'::tensor, 0), ('[3,4]', 2)) AS t(v, p);
SELECT stack(v, p, 0, 3) FROM (VALUES (1.5::float8, 2), (-1, 0)) AS t(v, p);
SELECT stack(v, p, 0, 3) FROM (VALUES (1, 2), (-1, 0)) AS t(v, p);
SELECT stack(v, p::bigint, 0, 2::bigint) FROM (VALUES ('7'::tensor, 1)) AS t(v, p);
SELECT stack(v, p, 2, 2), stack(v, p, 1, 2), stack(v, p, 0, 2)
FROM (VALUES ('[[1,2,3],[4,5,6]]'::tensor, 1), ('[[7,8,9],[0,0,1]]', 0)) AS t(v, p);
-- a value or a position that is NULL is an absent entry; no rows give NULL
SELECT stack(v, p, 0, 3) FROM (VALUES (1::float8, 2), (NULL, 0), (5, NULL)) AS t(v, p);
SELECT stack(v, p, 0, 3) FROM (VALUES (NULL::float8, 0)) AS t(v, p);
SELECT stack(v, p, 0, 3) FROM (VALUES (1::float8, 0)) AS t(v, p) WHERE false;
-- a value that is 0 takes its place all the same
SELECT stack(v, p, 0, 2) FROM (VALUES (0::float8, 1), (0, 0)) AS t(v, p);
-- element types
SELECT stack(v, p, 0, 3) FROM (VALUES ('float4:[1,2]'::tensor, 0), ('float4:[3,4]', 2)) AS t(v, p);
SELECT stack(v, p, 1, 3) FROM (VALUES ('float4:[1,2]'::tensor, 0), ('[0.1,0.2]', 2), ('float4:[3,4]', 1)) AS t(v, p);
SELECT stack(v, p, 0, 2) FROM (VALUES ('complex16:[1+2i]'::tensor, 0), ('[3]', 1)) AS t(v, p);
SELECT stack(v, p, 0, 2) FROM (VALUES ('float8(0):[]'::tensor, 0)) AS t(v, p);

-- there and back, along each dimension, against the entries themselves
CREATE TABLE entry AS SELECT i, j, k, i * 100 + j * 10 + k + 1 AS v FROM allints(0, 3) i, allints(0, 9) j, allints(0, 17) k;
CREATE TABLE whole AS
	SELECT stack(t, i, 0, 3) AS t FROM (SELECT i, stack(t, j, 0, 9) AS t
		FROM (SELECT i, j, stack(v, k, 0, 17) AS t FROM entry GROUP BY i, j) x GROUP BY i) x;
SELECT d, tensor_shape(w.t), count(*) FROM whole w, allints(0, 3) d, tensor_unstack(w.t, d) u GROUP BY d, w.t ORDER BY d;
SELECT stack(u.value, u.index, 0, 3) = w.t AS same FROM whole w, tensor_unstack(w.t, 0) u GROUP BY w.t;
SELECT stack(u.value, u.index, 1, 9) = w.t AS same FROM whole w, tensor_unstack(w.t, 1) u GROUP BY w.t;
SELECT stack(u.value, u.index, 2, 17) = w.t AS same FROM whole w, tensor_unstack(w.t, 2) u GROUP BY w.t;
SELECT count(*), bool_and(e.v = c.value::float8) AS same
FROM whole w, tensor_unstack(w.t, 1) a, tensor_unstack(a.value, 1) b, tensor_unstack(b.value, 0) c, entry e
WHERE e.i = c.index AND e.j = a.index AND e.k = b.index;
-- the other way round, outermost first
SELECT (SELECT stack(t, k, 2, 17) FROM (SELECT k, stack(t, j, 1, 9) AS t
		FROM (SELECT k, j, stack(v, i, 0, 3) AS t FROM entry GROUP BY k, j) x GROUP BY k) x) = t AS same FROM whole;
DROP TABLE entry, whole;

-- errors
SELECT stack(v, 3, 0, 3) FROM (VALUES (1::float8)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, -1, 0, 3) FROM (VALUES (1::float8)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 0, 0, 0) FROM (VALUES (1::float8)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 0, 1, 3) FROM (VALUES (1::float8)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 0, -1, 3) FROM (VALUES ('[1]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 0, 2, 3) FROM (VALUES ('[1]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 0, 0, -3) FROM (VALUES ('[1]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 0, NULL, 3) FROM (VALUES ('[1]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 1, 0, 3) FROM (VALUES (1::float8), (0)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, p, 0, 3) FROM (VALUES ('[1]'::tensor, 0), ('[1,2]', 1)) AS t(v, p);
\echo :SQLSTATE
SELECT stack(v, p, p, 3) FROM (VALUES ('[1]'::tensor, 0), ('[1]', 1)) AS t(v, p);
\echo :SQLSTATE
SELECT stack(v, p, 0, p + 1) FROM (VALUES ('[1]'::tensor, 0), ('[1]', 1)) AS t(v, p);
\echo :SQLSTATE
SELECT stack(v, 0, 0, 3) FROM (VALUES (tensor_zeros('{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'))) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 0, 0, 3000000000) FROM (VALUES (1::float8)) AS t(v);
\echo :SQLSTATE
SELECT stack(v, 0, 0, 2000000000) FROM (VALUES (1::float8)) AS t(v);
\echo :SQLSTATE
SELECT sparseeinsum_internal.stack_transfn(NULL, 1::float8, 0, 0, 1);
\echo :SQLSTATE
SELECT sparseeinsum_internal.stack_combinefn('stack(0,01)[3,0]', 'stack(0,02)[0,4]');
\echo :SQLSTATE
