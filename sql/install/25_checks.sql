-- What generated SQL asks of every row that it reads.

CREATE FUNCTION einsum_check_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_check_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_check_support(internal) IS 'internal: the checks keep every row';

CREATE FUNCTION einsum_key_in_range(key int8, bound int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	SUPPORT einsum_check_support;
COMMENT ON FUNCTION einsum_key_in_range(int8, int8, text, text) IS
	'internal: true, or an error if a key is outside its bound';

CREATE FUNCTION einsum_value_has_shape(value tensor, shape int4[], tensor text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_value_has_shape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 5 SUPPORT einsum_check_support;
COMMENT ON FUNCTION einsum_value_has_shape(tensor, int4[], text) IS
	'internal: true, or an error if a value has another shape than was registered';
