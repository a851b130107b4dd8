-- What is running.

CREATE FUNCTION sparseeinsum_internal.einsum_blas(OUT library text, OUT version text, OUT core text, OUT reason text)
	AS 'MODULE_PATHNAME', 'einsum_blas' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_blas() IS 'internal: the BLAS library of einsum_version()';

CREATE FUNCTION einsum_version(OUT extension text, OUT postgresql text, OUT blas text, OUT blas_version text,
		OUT core text, OUT core_reason text)
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT e.extversion, pg_catalog.current_setting('server_version'), b.library, b.version, b.core, b.reason
		FROM pg_catalog.pg_extension e, sparseeinsum_internal.einsum_blas() b
		WHERE e.extname OPERATOR(pg_catalog.=) 'sparseeinsum'::pg_catalog.name;
	END;
COMMENT ON FUNCTION einsum_version() IS
	'versions of the extension, the server and the BLAS library, and the processor whose code BLAS runs';
