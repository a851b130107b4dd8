--
-- The functions of programs on float8
--
SET search_path = public, sparseeinsum_internal;
SELECT scalar_add(1, 2), scalar_subtract(1, 2), scalar_multiply(3, 4), scalar_divide(1, 4), scalar_power(2, 10), scalar_negate(3);
-- never an error, and 0 / x is 0
SELECT scalar_add('1.7e308', '1.7e308'), scalar_multiply('1e-200', '1e-200'), scalar_subtract('Infinity', 'Infinity'), scalar_power(-8, 0.5), scalar_power(0, -1);
SELECT scalar_divide(0, 0), scalar_divide(0, 'NaN'), scalar_divide('-0', 0), scalar_divide(1, 0), scalar_divide(-1, 0), scalar_divide('NaN', 0);
-- comparisons are IEEE and give 1 or 0
SELECT x, y, scalar_eq(x, y), scalar_ne(x, y), scalar_lt(x, y), scalar_le(x, y), scalar_gt(x, y), scalar_ge(x, y), scalar_greatest(x, y), scalar_least(x, y)
FROM (VALUES (1::float8, 2::float8), (2, 1), (1, 1), ('-0', 0), ('NaN', 1), (1, 'NaN'), ('NaN', 'NaN'), ('-Infinity', 'Infinity')) v(x, y);
SELECT scalar_if(1, 2, 3), scalar_if(0, 2, 3), scalar_if('-0', 2, 3), scalar_if('NaN', 2, 3);
SELECT x, scalar_abs(x), scalar_sign(x), scalar_sqrt(x), scalar_exp(x), scalar_ln(x), scalar_sigmoid(x), scalar_relu(x), scalar_floor(x), scalar_ceil(x), scalar_round(x)
FROM (VALUES (0::float8), (1), (-1), (2.5), (-2.5), (1000), (-1000), ('NaN'), ('Infinity'), ('-Infinity')) v(x);
SELECT scalar_sin(0), scalar_cos(0), scalar_tanh(0), scalar_tanh(1000);
-- a null is an absent argument
SELECT scalar_add(1, NULL) IS NULL AS t, scalar_if(1, NULL, 2) IS NULL AS t;
-- each is what its tensor function is
SELECT bool_and(scalar_exp(x) = tensor_exp(x::tensor)::float8), bool_and(scalar_sigmoid(x) = tensor_sigmoid(x::tensor)::float8),
       bool_and(scalar_tanh(x) = tensor_tanh(x::tensor)::float8), bool_and(scalar_power(x, 3) = tensor_power(x::tensor, 3)::float8)
FROM generate_series(-20, 20) i, LATERAL (SELECT i / 7.0::float8) v(x);
