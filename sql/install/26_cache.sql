-- The cache of values stored out of line.

CREATE FUNCTION sparseeinsum_internal.einsum_cache_stats(OUT hits int8, OUT misses int8, OUT evictions int8, OUT peak_bytes int8)
	AS 'MODULE_PATHNAME', 'einsum_cache_stats' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_cache_stats() IS
	'internal: what the cache of detoasted values did in the last query of this process that used it';
