-- Files of numpy.

CREATE FUNCTION tensor_from_npy(file bytea) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_from_npy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tensor_from_npy(bytea) IS 'the array of an npy file, as numpy.save writes it';

CREATE FUNCTION tensor_to_npy(tensor tensor) RETURNS bytea
	AS 'MODULE_PATHNAME', 'tensor_to_npy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tensor_to_npy(tensor) IS 'an npy file, as numpy.load reads it';
