-- What generated SQL asks of every row that it reads.

-- PostgreSQL asks the cheapest conditions of a row first. These cost less than
-- the comparison of two keys, so that a row that is read is checked whatever
-- else a query asks of it: off the diagonal of a[i,i] too. A function for each
-- type of keys, as a cast has a cost of its own.

CREATE FUNCTION sparseeinsum_internal.einsum_key_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_key_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_support(internal) IS 'internal: removes the checks that CHECK constraints make needless';

CREATE FUNCTION sparseeinsum_internal.einsum_unique_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_unique_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_unique_support(internal) IS 'internal: looks for what proves that keys are unique when a query is planned';

CREATE FUNCTION sparseeinsum_internal.einsum_ordered_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_ordered_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_ordered_support(internal) IS 'internal: looks for what proves that no key is larger than another when a query is planned';

CREATE FUNCTION sparseeinsum_internal.einsum_dimension_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_dimension_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_dimension_support(internal) IS 'internal: removes the checks that foreign keys make needless';

CREATE FUNCTION sparseeinsum_internal.einsum_one_hot(value text, categories text[], tensor text) RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum_one_hot' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_one_hot(text, text[], text) IS
	'internal: a vector that is 1 at the place of a category; an error for other values';

CREATE FUNCTION sparseeinsum_internal.einsum_key_in_range(key int2, bound int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_key_support;
CREATE FUNCTION sparseeinsum_internal.einsum_key_in_range(key int4, bound int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_key_support;
CREATE FUNCTION sparseeinsum_internal.einsum_key_in_range(key int8, bound int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_key_support;
CREATE FUNCTION sparseeinsum_internal.einsum_key_in_range(key int2, first int8, last int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_key_support;
CREATE FUNCTION sparseeinsum_internal.einsum_key_in_range(key int4, first int8, last int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_key_support;
CREATE FUNCTION sparseeinsum_internal.einsum_key_in_range(key int8, first int8, last int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_key_support;
CREATE FUNCTION sparseeinsum_internal.einsum_key_in_range(key date, first date, last date, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_date' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_key_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_range(int2, int8, text, text) IS
	'internal: true, or an error if a key is outside its bound';
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_range(int4, int8, text, text) IS
	'internal: true, or an error if a key is outside its bound';
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_range(int8, int8, text, text) IS
	'internal: true, or an error if a key is outside its bound';
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_range(int2, int8, int8, text, text) IS
	'internal: true, or an error if a key is not from the first to the last one';
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_range(int4, int8, int8, text, text) IS
	'internal: true, or an error if a key is not from the first to the last one';
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_range(int8, int8, int8, text, text) IS
	'internal: true, or an error if a key is not from the first to the last one';
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_range(date, date, date, text, text) IS
	'internal: true, or an error if a key is not from the first to the last one';

CREATE FUNCTION sparseeinsum_internal.einsum_value_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_value_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_value_support(internal) IS 'internal: removes the checks that a column''s declaration makes needless';

CREATE FUNCTION sparseeinsum_internal.einsum_value_has_shape(value tensor, shape int4[], tensor text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_value_has_shape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.5 SUPPORT sparseeinsum_internal.einsum_value_support;

CREATE FUNCTION sparseeinsum_internal.einsum_value_has_shape(value tensor, shape int4[], tensor text, type text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_value_has_shape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.5 SUPPORT sparseeinsum_internal.einsum_value_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_value_has_shape(tensor, int4[], text, text) IS
	'internal: true, or an error if a value has another shape or element type than was registered';

COMMENT ON FUNCTION sparseeinsum_internal.einsum_value_has_shape(tensor, int4[], text) IS
	'internal: true, or an error if a value has another shape than was registered, or is not of float8';
