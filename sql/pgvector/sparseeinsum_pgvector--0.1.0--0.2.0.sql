-- complain if the script is sourced in psql rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION sparseeinsum_pgvector UPDATE" to load this file. \quit

-- Entry by entry, by way of the text {index:value,...}/dimensions: nothing here depends on how pgvector stores its values.

CREATE OR REPLACE FUNCTION sparsevec_to_tensor(sparsevec) RETURNS tensor
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN sparseeinsum_internal.tensor_of_sparsevec(CAST($1 AS pg_catalog.text));
COMMENT ON FUNCTION sparsevec_to_tensor(sparsevec) IS 'a sparsevec as a sparse float4 tensor of rank 1';
COMMENT ON CAST (sparsevec AS tensor) IS 'a sparse float4 tensor of rank 1';

CREATE OR REPLACE FUNCTION tensor_to_sparsevec(tensor) RETURNS sparsevec
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CAST(sparseeinsum_internal.sparsevec_of_tensor($1) AS sparsevec);
