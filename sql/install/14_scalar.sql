-- The functions of the program language on float8: IEEE arithmetic without
-- errors, and 0 / x = 0. Generated SQL computes fully promoted values with them.

CREATE FUNCTION sparseeinsum_internal.scalar_add(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_add(double precision, double precision) IS 'internal: x + y, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_subtract(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_subtract' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_subtract(double precision, double precision) IS 'internal: x - y, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_multiply(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_multiply' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_multiply(double precision, double precision) IS 'internal: x * y, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_divide(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_divide' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_divide(double precision, double precision) IS 'internal: x / y; 0 / y is 0, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_power(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_power' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_power(double precision, double precision) IS 'internal: x to the power y, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_negate(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_negate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_negate(double precision) IS 'internal: -x, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_eq(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_eq(double precision, double precision) IS 'internal: 1 if x = y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_ne(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_ne(double precision, double precision) IS 'internal: 1 if x <> y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_lt(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_lt(double precision, double precision) IS 'internal: 1 if x < y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_le(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_le(double precision, double precision) IS 'internal: 1 if x <= y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_gt(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_gt(double precision, double precision) IS 'internal: 1 if x > y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_ge(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_ge(double precision, double precision) IS 'internal: 1 if x >= y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_greatest(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_greatest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_greatest(double precision, double precision) IS 'internal: the larger; NaN if one is, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_least(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_least' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_least(double precision, double precision) IS 'internal: the smaller; NaN if one is, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_if(double precision, double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_if' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_if(double precision, double precision, double precision) IS 'internal: the second where the first is not 0, else the third, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_abs(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_abs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_abs(double precision) IS 'internal: absolute value, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_sign(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_sign' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_sign(double precision) IS 'internal: sign: -1, 0 or 1, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_sqrt(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_sqrt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_sqrt(double precision) IS 'internal: square root, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_exp(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_exp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_exp(double precision) IS 'internal: exponential, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_ln(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_ln' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_ln(double precision) IS 'internal: natural logarithm, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_sin(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_sin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_sin(double precision) IS 'internal: sine, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_cos(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_cos' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_cos(double precision) IS 'internal: cosine, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_tanh(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_tanh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_tanh(double precision) IS 'internal: hyperbolic tangent, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_sigmoid(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_sigmoid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_sigmoid(double precision) IS 'internal: 1 / (1 + exp(-x)), in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_relu(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_relu' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_relu(double precision) IS 'internal: 0 where negative, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_floor(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_floor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_floor(double precision) IS 'internal: nearest integer below, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_ceil(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_ceil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_ceil(double precision) IS 'internal: nearest integer above, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_round(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_round' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_round(double precision) IS 'internal: nearest integer, half to even, in IEEE arithmetic and never an error';

CREATE FUNCTION sparseeinsum_internal.scalar_conj(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_conj' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_conj(double precision) IS 'internal: complex conjugate of a real number, which is itself';

CREATE FUNCTION sparseeinsum_internal.scalar_real(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_real' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_real(double precision) IS 'internal: real part of a real number, which is itself';

CREATE FUNCTION sparseeinsum_internal.scalar_imag(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_imag' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.scalar_imag(double precision) IS 'internal: imaginary part of a real number: 0';
