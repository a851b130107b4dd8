-- Linear algebra by LAPACK. A matrix is a tensor of rank 2.

CREATE FUNCTION mat_solve(a tensor, b tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_solve' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mat_solve(tensor, tensor) IS 'the x of a x = b, for a vector b or every column of a matrix b';

CREATE FUNCTION mat_lstsq(a tensor, b tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_lstsq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION mat_lstsq(tensor, tensor) IS 'the x of least norm that minimises |a x - b|, for a vector b or every column of a matrix b';

CREATE FUNCTION mat_inverse(a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_inverse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION mat_inverse(tensor) IS 'inverse of a square matrix';

CREATE FUNCTION mat_det(a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_det' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mat_det(tensor) IS 'determinant of a square matrix, as a tensor of rank 0';

CREATE FUNCTION mat_det_scalar(a tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'mat_det_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mat_det_scalar(tensor) IS 'determinant of a square matrix of real elements';

CREATE FUNCTION mat_norm(a tensor, kind text DEFAULT 'fro') RETURNS double precision
	AS 'MODULE_PATHNAME', 'mat_norm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION mat_norm(tensor, text) IS 'norm of a vector or matrix: fro, max, 1, inf, 2 or nuc';

CREATE FUNCTION mat_cholesky(a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_cholesky' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mat_cholesky(tensor) IS 'lower triangular Cholesky factor of a symmetric or Hermitian positive definite matrix';

CREATE FUNCTION mat_qr(a tensor, OUT q tensor, OUT r tensor) RETURNS record
	AS 'MODULE_PATHNAME', 'mat_qr' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION mat_qr(tensor) IS 'a = q r with orthonormal columns of q and upper triangular r';

CREATE FUNCTION mat_svd(a tensor, OUT u tensor, OUT s tensor, OUT vt tensor) RETURNS record
	AS 'MODULE_PATHNAME', 'mat_svd' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION mat_svd(tensor) IS 'a = u diag(s) vt with singular values s in descending order';

CREATE FUNCTION mat_eigh(a tensor, OUT eigenvalues tensor, OUT eigenvectors tensor) RETURNS record
	AS 'MODULE_PATHNAME', 'mat_eigh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION mat_eigh(tensor) IS 'eigenvalues of a symmetric or Hermitian matrix in ascending order, and eigenvectors as columns';
