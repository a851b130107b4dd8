-- The SQL of the SparseEinSum paper (PVLDB 19(6)), written by hand with the
-- functions of the extension, on the paper's numbers.

-- Section 4.1: the matrices U and V as triples, zeros left out
SET search_path = public, sparseeinsum_internal;
CREATE TABLE u_entry (i int, j int, v numeric);
INSERT INTO u_entry VALUES
	(0, 0, 1.4), (0, 1, 2.2), (0, 3, 2.1), (2, 0, 1.4), (2, 2, 1.1);
CREATE TABLE v_entry (j int, k int, v numeric);
INSERT INTO v_entry VALUES
	(0, 0, 3.2), (0, 2, 1.3), (1, 2, 0.6), (2, 2, 1.2), (3, 0, 1.2), (3, 2, 2.1);

-- W in exact arithmetic, as the paper prints it
CREATE TABLE w_entry AS
	SELECT u.i, v.k, sum(u.v * v.v) AS v
	FROM u_entry u JOIN v_entry v ON u.j = v.j GROUP BY u.i, v.k;
SELECT * FROM w_entry ORDER BY i, k;

-- Compares a result, given as query of (i, k, value), with W: the number of
-- entries other than 0, and how many entries are not as they should be.
CREATE FUNCTION compare(query text, OUT entries bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format(
		'SELECT count(*) FILTER (WHERE coalesce(r.value, 0) <> 0),
				count(*) FILTER (WHERE abs(coalesce(r.value, 0) - coalesce(w.v, 0)) > 1e-14)
		 FROM (%s) AS r(i, k, value) FULL JOIN w_entry w ON r.i = w.i AND r.k = w.k', query)
		INTO entries, wrong;
END $$;

-- Decompositions of U and V, upper case promoted: each made from the triples
CREATE VIEW "U_Ij" AS SELECT i, stack(v::float8, j, 0, 4) AS valu FROM u_entry GROUP BY i;
CREATE VIEW "U_iJ" AS SELECT j, stack(v::float8, i, 0, 4) AS valu FROM u_entry GROUP BY j;
CREATE VIEW "U_IJ" AS SELECT i, j, v::float8 AS valu FROM u_entry;
CREATE VIEW "U_ij" AS SELECT stack(valu, i, 0, 4) AS valu FROM "U_Ij";
CREATE VIEW "V_jK" AS SELECT k, stack(v::float8, j, 0, 4) AS valv FROM v_entry GROUP BY k;
CREATE VIEW "V_Jk" AS SELECT j, stack(v::float8, k, 0, 4) AS valv FROM v_entry GROUP BY j;
CREATE VIEW "V_JK" AS SELECT j, k, v::float8 AS valv FROM v_entry;
CREATE VIEW "V_jk" AS SELECT stack(valv, k, 1, 4) AS valv FROM "V_jK";

-- as the paper prints them: zero vectors are not there
SELECT * FROM "U_Ij" ORDER BY i;
SELECT * FROM "V_jK" ORDER BY k;
SELECT * FROM "U_iJ" ORDER BY j;
SELECT * FROM "U_ij";
SELECT * FROM "V_jk";

-- Section 2: W_{i,k} <- sum U_{i,J} x V_{J,k}; one tuple with the matrix
SELECT sum(outer_prod(U.valU, V.valV)) AS valW_hundredfold
FROM (SELECT j, stack(10 * v, i, 0, 4) AS valu FROM u_entry GROUP BY j) AS U,
	 (SELECT j, stack(10 * v, k, 0, 4) AS valv FROM v_entry GROUP BY j) AS V
WHERE U.J = V.J;
SELECT * FROM compare($$
	SELECT r.index, c.index, c.value
	FROM (SELECT sum(outer_prod(U.valU, V.valV)) AS valW
		  FROM "U_iJ" AS U, "V_Jk" AS V WHERE U.J = V.J) AS W,
		 tensor_unstack(valW, 0) AS r, einsum_unstack_scalar(r.value, 0) AS c $$);

-- Section 2 and 4.1: W_{I,K} <- sum U_{I,j} x V_{j,K}; 16 multiplications
SELECT U.I, V.K, round(inner_prod(U.valU, V.valV)::numeric, 10) AS valW
FROM "U_Ij" AS U, "V_jK" AS V
ORDER BY 1, 2;
SELECT * FROM compare($$
	SELECT U.I, V.K, inner_prod(U.valU, V.valV) FROM "U_Ij" AS U, "V_jK" AS V $$);

-- Section 4.2: the value at an index. ZERO comes first in the outer join: as
-- printed, the query has no row for an absent entry.
CREATE TABLE ZERO (zero tensor);
INSERT INTO ZERO VALUES ('0');
SELECT coalesce(valV[3], zero) AS "V[3,2]"
FROM ZERO LEFT OUTER JOIN (SELECT valV FROM "V_jK" WHERE k = 2) AS s ON true;
SELECT coalesce(valV[3], zero) AS "V[3,1]"
FROM ZERO LEFT OUTER JOIN (SELECT valV FROM "V_jK" WHERE k = 1) AS s ON true;
SELECT coalesce(valV[3], zero) AS "V[3,1] as printed"
FROM (SELECT valV FROM "V_jK" WHERE k = 1) AS s LEFT OUTER JOIN ZERO ON true;
-- all entries of V in three decompositions by that query
SELECT bool_and(coalesce(v.v, 0)::float8 = a.value::float8
				AND coalesce(v.v, 0)::float8 = b.value::float8
				AND coalesce(v.v, 0)::float8 = c.value::float8) AS same, count(*)
FROM allints(0, 4) AS j CROSS JOIN allints(0, 4) AS k
CROSS JOIN LATERAL (SELECT coalesce(valV[j], zero) FROM ZERO LEFT OUTER JOIN
	(SELECT valV FROM "V_jK" AS t WHERE t.k = k.k) AS s ON true) AS a(value)
CROSS JOIN LATERAL (SELECT coalesce(valV[k], zero) FROM ZERO LEFT OUTER JOIN
	(SELECT valV FROM "V_Jk" AS t WHERE t.j = j.j) AS s ON true) AS b(value)
CROSS JOIN LATERAL (SELECT coalesce(valV[j][k], zero) FROM ZERO LEFT OUTER JOIN
	(SELECT valV FROM "V_jk" AS t) AS s ON true) AS c(value)
LEFT JOIN v_entry v ON v.j = j.j AND v.k = k.k;

-- Section 4.3: W_{i,K} <- sum U_{i,J} x V_{J,K}; U column vectors, V scalars
SELECT * FROM compare($$
	SELECT e.index, W.k, e.value
	FROM (SELECT V.K, sum(vec_sca_mult(U.valU, V.valV)) AS valW
		  FROM "U_iJ" AS U, "V_JK" AS V WHERE U.J = V.J GROUP BY V.K) AS W,
		 einsum_unstack_scalar(valW, 0) AS e $$);

-- Section 5: SELECT labels, SUM(kernel) FROM U NATURAL JOIN V GROUP BY labels,
-- for every choice of promoted labels; the kernel is fused into the aggregate
SELECT * FROM compare($$ -- nothing promoted
	SELECT r.index, c.index, c.value
	FROM (SELECT einsum_sum('ij,jk->ik', valU, valV) AS valW FROM "U_ij" NATURAL JOIN "V_jk") AS W,
		 tensor_unstack(valW, 0) AS r, einsum_unstack_scalar(r.value, 0) AS c $$);
SELECT * FROM compare($$ -- i
	SELECT i, c.index, c.value
	FROM (SELECT i, einsum_sum('j,jk->k', valU, valV) AS valW
		  FROM "U_Ij" NATURAL JOIN "V_jk" GROUP BY i) AS W,
		 einsum_unstack_scalar(valW, 0) AS c $$);
SELECT * FROM compare($$ -- j
	SELECT r.index, c.index, c.value
	FROM (SELECT einsum_sum('i,k->ik', valU, valV) AS valW FROM "U_iJ" NATURAL JOIN "V_Jk") AS W,
		 tensor_unstack(valW, 0) AS r, einsum_unstack_scalar(r.value, 0) AS c $$);
SELECT * FROM compare($$ -- k
	SELECT c.index, k, c.value
	FROM (SELECT k, einsum_sum('ij,j->i', valU, valV) AS valW
		  FROM "U_ij" NATURAL JOIN "V_jK" GROUP BY k) AS W,
		 einsum_unstack_scalar(valW, 0) AS c $$);
SELECT * FROM compare($$ -- i, j
	SELECT i, c.index, c.value
	FROM (SELECT i, einsum_sum(',k->k', valU, valV) AS valW
		  FROM "U_IJ" NATURAL JOIN "V_Jk" GROUP BY i) AS W,
		 einsum_unstack_scalar(valW, 0) AS c $$);
SELECT * FROM compare($$ -- i, k
	SELECT i, k, einsum_sum_scalar('j,j->', valU, valV)
	FROM "U_Ij" NATURAL JOIN "V_jK" GROUP BY i, k $$);
SELECT * FROM compare($$ -- j, k
	SELECT c.index, k, c.value
	FROM (SELECT k, einsum_sum('i,->i', valU, valV) AS valW
		  FROM "U_iJ" NATURAL JOIN "V_JK" GROUP BY k) AS W,
		 einsum_unstack_scalar(valW, 0) AS c $$);
SELECT * FROM compare($$ -- all
	SELECT i, k, einsum_sum_scalar(',->', valU, valV)
	FROM "U_IJ" NATURAL JOIN "V_JK" GROUP BY i, k $$);
-- and with the kernel and the aggregate apart, as printed
SELECT * FROM compare($$
	SELECT i, c.index, c.value
	FROM (SELECT i, sum(vec_mat_mult(valU, valV)) AS valW
		  FROM "U_Ij" NATURAL JOIN "V_jk" GROUP BY i) AS W,
		 einsum_unstack_scalar(valW, 0) AS c $$);
SELECT * FROM compare($$
	SELECT r.index, c.index, c.value
	FROM (SELECT sum(mat_mult(valU, valV)) AS valW FROM "U_ij" NATURAL JOIN "V_jk") AS W,
		 tensor_unstack(valW, 0) AS r, einsum_unstack_scalar(r.value, 0) AS c $$);

-- Section 6: T_{K,i} <- sum X_{i,J} x Y_{J,K};  U_{i,k} <- sum T_{i,J} x Z_{J,k}.
-- X is U, and Y is V, so that T is the transpose of W. Bounds of T are 4, 4.
CREATE VIEW "T_in" AS
	SELECT K, sum(vec_sca_mult(valU, valV)) AS valT
	FROM "U_iJ" NATURAL JOIN "V_JK"
	GROUP BY K;
-- T comes as a vector over its second index for each value of the first, and
-- is wanted as a vector over the first for each value of the second
CREATE VIEW "T_int"(i, j, valT) AS
	SELECT T_in.k, A.index, T_in.valT[A.index]
	FROM allints(0, 4) AS A(index), "T_in" AS T_in;
CREATE VIEW "T"(j, valT) AS
	SELECT T_int.j, stack(T_int.valT, T_int.i, 0, 4)
	FROM "T_int" AS T_int
	GROUP BY T_int.j;
SELECT * FROM compare($$
	SELECT j, c.index, c.value FROM "T", einsum_unstack_scalar(valT, 0) AS c $$);
-- the same with the unstacking kernels, which leave out zeros
CREATE VIEW "T_sparse"(j, valT) AS
	SELECT e.index, stack(e.value, T_in.k, 0, 4)
	FROM "T_in" AS T_in, einsum_unstack_scalar(T_in.valT, 0) AS e
	GROUP BY e.index;
SELECT count(*) AS vectors FROM "T";
SELECT count(*) AS vectors FROM "T_sparse";
SELECT bool_and("T".valT = "T_sparse".valT) AS same FROM "T" JOIN "T_sparse" USING (j);
-- the second expression; Z small integers
CREATE TABLE "Z_Jk" (j int, valz tensor);
INSERT INTO "Z_Jk" VALUES (0, '[1,2]'), (1, '[3,4]'), (2, '[5,6]'), (3, '[7,8]');
SELECT max(abs(e.value - w.v::float8)) < 1e-14 AS same, count(*) AS entries
FROM (SELECT sum(outer_prod(valT, valZ)) AS valU FROM "T" NATURAL JOIN "Z_Jk") AS u
CROSS JOIN LATERAL tensor_unstack(valU, 0) AS r
CROSS JOIN LATERAL einsum_unstack_scalar(r.value, 0) AS e
JOIN (SELECT w.k AS i, z.k, sum(w.v * z.v) AS v
	  FROM w_entry w
	  JOIN (VALUES (0,0,1),(0,1,2),(1,0,3),(1,1,4),(2,0,5),(2,1,6),(3,0,7),(3,1,8)) AS z(j, k, v)
	  ON w.i = z.j GROUP BY w.k, z.k) AS w ON w.i = r.index AND w.k = e.index;

-- Section 1: (X x Y)^T x Z, message passing in a graph of 5 vertices with
-- embeddings of length 3 and a linear map to length 2; scalars first, with the
-- paper's statement
CREATE TABLE x_s (row int, col int, value float8);
CREATE TABLE y_s (row int, col int, value float8);
CREATE TABLE z_s (row int, col int, value float8);
INSERT INTO x_s SELECT r, c, (r * 7 + c * 3) % 5 - 2 FROM allints(0, 3) r, allints(0, 5) c;
INSERT INTO y_s VALUES (0, 1, 1), (0, 2, 2), (1, 2, 1), (3, 2, -1), (2, 4, 3), (4, 0, 1), (3, 0, 2);
INSERT INTO z_s SELECT r, c, r * 2 + c - 1 FROM allints(0, 3) r, allints(0, 2) c;
SELECT XtimesY.row, z_s.col, SUM(XtimesY.value * z_s.value) AS value
FROM (SELECT X.row AS col, Y.col AS row, SUM(X.value * Y.value) AS value
	  FROM x_s AS X, y_s AS Y WHERE X.col = Y.row
	  GROUP BY X.row, Y.col) AS XtimesY, z_s
WHERE XtimesY.col = z_s.row
GROUP BY XtimesY.row, z_s.col
ORDER BY 1, 2;
-- then tensor-relationally, with the paper's statement
CREATE TABLE X (col int, value tensor);
CREATE TABLE Y (row int, col int, value double precision);
CREATE TABLE Z (value tensor);
INSERT INTO X SELECT col, stack(value, row, 0, 3) FROM x_s GROUP BY col;
INSERT INTO Y SELECT * FROM y_s;
INSERT INTO Z SELECT stack(value, row, 0, 3)
	FROM (SELECT row, stack(value, col, 0, 2) AS value FROM z_s GROUP BY row) AS rows;
SELECT XtimesY.row, vec_mat_mult(XtimesY.value, Z.value) AS value
FROM (SELECT Y.col AS row, SUM(vec_sca_mult(X.value, Y.value)) AS value
	  FROM X, Y WHERE X.col = Y.row
	  GROUP BY Y.col) AS XtimesY, Z
ORDER BY 1;
-- and with kernel and aggregate fused
SELECT XtimesY.row, einsum('j,jk->k', XtimesY.value, Z.value) AS value
FROM (SELECT Y.col AS row, einsum_sum('i,->i', X.value, Y.value) AS value
	  FROM X, Y WHERE X.col = Y.row
	  GROUP BY Y.col) AS XtimesY, Z
ORDER BY 1;

-- Section 3: expressions other than products and sums. The largest squared
-- difference in each row, and a batched product whose batch is summed out.
SELECT tensor_map_max('($1-$2)^2', 'ij,ij->i', a, b) AS w
FROM (VALUES ('[[1,5],[2,2]]'::tensor, '[[4,4],[2,-2]]'::tensor)) AS t(a, b);
WITH u AS (SELECT i, j, b, (i + 2 * j + 3 * b) % 4 - 1 AS v
		   FROM allints(0, 2) i, allints(0, 3) j, allints(0, 4) b),
	 v AS (SELECT j, b, k, (3 * j + b + 2 * k) % 5 - 2 AS v
		   FROM allints(0, 3) j, allints(0, 4) b, allints(0, 2) k),
	 ut AS (SELECT stack(t, i, 0, 2) AS t
			FROM (SELECT i, stack(t, j, 0, 3) AS t
				  FROM (SELECT i, j, stack(v, b, 0, 4) AS t FROM u GROUP BY i, j) a GROUP BY i) b),
	 vt AS (SELECT stack(t, j, 0, 3) AS t
			FROM (SELECT j, stack(t, b, 0, 4) AS t
				  FROM (SELECT j, b, stack(v, k, 0, 2) AS t FROM v GROUP BY j, b) a GROUP BY j) b)
SELECT einsum('ijb,jbk->ik', ut.t, vt.t) AS w,
	   (SELECT array_agg(s ORDER BY i, k) FROM
			(SELECT i, k, sum(u.v * v.v) AS s FROM u JOIN v USING (j, b) GROUP BY i, k) AS x) AS scalars
FROM ut, vt;

DROP VIEW "T_sparse", "T", "T_int", "T_in";
DROP VIEW "U_ij", "U_Ij", "U_iJ", "U_IJ", "V_jk", "V_jK", "V_Jk", "V_JK";
DROP TABLE "Z_Jk", x_s, y_s, z_s, X, Y, Z, ZERO, u_entry, v_entry, w_entry;
DROP FUNCTION compare;
