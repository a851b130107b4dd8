-- Storing a tensor from a query that lists its entries.

CREATE FUNCTION einsum_store(tensor text, query text, bounds tensor_bounds DEFAULT NULL,
		relation name DEFAULT NULL, storage text DEFAULT 'only') RETURNS regclass
	AS 'MODULE_PATHNAME', 'einsum_store' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_store(text, text, tensor_bounds, name, text) IS
	'creates, fills and registers a table for a tensor, as in einsum_store(''a[I,J]'', ''SELECT dst, src, weight FROM edge'', ''{2708,2708}'')';

CREATE FUNCTION sparseeinsum_internal.store_coordinate(coordinate bigint, bound bigint, tensor text, label text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'store_coordinate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.store_coordinate(bigint, bigint, text, text) IS 'internal: checks a coordinate against its bound';
