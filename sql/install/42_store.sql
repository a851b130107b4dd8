-- Storing a tensor from a query that lists its entries.

CREATE FUNCTION einsum_store(tensor text, query text, bounds tensor_bounds DEFAULT NULL,
		relation name DEFAULT NULL, storage text DEFAULT 'only', layout text DEFAULT NULL, fill float8 DEFAULT 0) RETURNS regclass
	AS 'MODULE_PATHNAME', 'einsum_store' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_store(text, text, tensor_bounds, name, text, text, float8) IS
	'creates, fills and registers a table for a tensor, as in einsum_store(''a[I,J]'', ''SELECT dst, src, weight FROM edge'', ''{2708,2708}''); with arrays in its rows as in layout => ''csr(indptr,indices,data)''';

CREATE FUNCTION sparseeinsum_internal.store_coordinate(coordinate bigint, first bigint, "end" bigint, tensor text, label text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'store_coordinate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.store_coordinate(bigint, bigint, bigint, text, text) IS 'internal: checks a coordinate against its bound';

CREATE FUNCTION sparseeinsum_internal.store_half(tensor text, count bigint, above bigint, diagonal bigint, smallest float8, largest float8, "row" "any", "column" "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'store_half' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.store_half(text, bigint, bigint, bigint, float8, float8, "any", "any") IS 'internal: the value of an entry and its mirror image, which have to be the same number';
