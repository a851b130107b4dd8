-- complain if the script is sourced in psql rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION sparseeinsum_pgvector" to load this file. \quit

-- The schema of this extension comes first on the path of this script and may
-- have types of the same names, which would then get the casts.
DO $$
BEGIN
	IF EXISTS (SELECT FROM (VALUES ('tensor', 'sparseeinsum'), ('vector', 'vector'), ('halfvec', 'vector'),
				('sparsevec', 'vector')) AS needed (type, extension)
			WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
				JOIN pg_catalog.pg_extension e ON e.oid OPERATOR(pg_catalog.=) d.refobjid
				WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass
					AND d.objid OPERATOR(pg_catalog.=) pg_catalog.to_regtype(needed.type)
					AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass
					AND d.deptype OPERATOR(pg_catalog.=) 'e'
					AND e.extname OPERATOR(pg_catalog.=) needed.extension::pg_catalog.name))
	THEN
		RAISE EXCEPTION USING
			ERRCODE = 'duplicate_object',
			MESSAGE = 'another type hides one of sparseeinsum or vector',
			HINT = 'Create the extension in a schema without types named tensor, vector, halfvec or sparsevec of its own.';
	END IF;
END
$$;

-- By way of arrays of real, which both sides convert: nothing here depends on
-- how pgvector stores its values. Into tensor by assignment, as arrays; out of
-- it when asked for, as there are tensors that are no vector: other ranks,
-- complex elements, NaN, infinities, more dimensions than pgvector's types have.

CREATE FUNCTION vector_to_tensor(vector) RETURNS tensor
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CAST(CAST($1 AS real[]) AS tensor);
COMMENT ON FUNCTION vector_to_tensor(vector) IS 'a vector as a float4 tensor of rank 1';
CREATE CAST (vector AS tensor) WITH FUNCTION vector_to_tensor(vector) AS ASSIGNMENT;
COMMENT ON CAST (vector AS tensor) IS 'a float4 tensor of rank 1';

CREATE FUNCTION tensor_to_vector(tensor) RETURNS vector
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CAST(CAST($1 AS real[]) AS vector);
COMMENT ON FUNCTION tensor_to_vector(tensor) IS 'a tensor of rank 1 as a vector; elements are rounded to real';
CREATE CAST (tensor AS vector) WITH FUNCTION tensor_to_vector(tensor);
COMMENT ON CAST (tensor AS vector) IS 'of rank 1; elements are rounded to real';

CREATE FUNCTION halfvec_to_tensor(halfvec) RETURNS tensor
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CAST(CAST($1 AS real[]) AS tensor);
COMMENT ON FUNCTION halfvec_to_tensor(halfvec) IS 'a halfvec as a float4 tensor of rank 1';
CREATE CAST (halfvec AS tensor) WITH FUNCTION halfvec_to_tensor(halfvec) AS ASSIGNMENT;
COMMENT ON CAST (halfvec AS tensor) IS 'a float4 tensor of rank 1';

CREATE FUNCTION tensor_to_halfvec(tensor) RETURNS halfvec
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CAST(CAST($1 AS real[]) AS halfvec);
COMMENT ON FUNCTION tensor_to_halfvec(tensor) IS 'a tensor of rank 1 as a halfvec; elements are rounded to half precision';
CREATE CAST (tensor AS halfvec) WITH FUNCTION tensor_to_halfvec(tensor);
COMMENT ON CAST (tensor AS halfvec) IS 'of rank 1; elements are rounded to half precision';

-- pgvector converts a sparsevec to vector only, which has 16,000 dimensions at
-- most; more are read from the text {index:value,...}/dimensions.
CREATE FUNCTION sparsevec_to_tensor(sparsevec) RETURNS tensor
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CASE WHEN CAST(pg_catalog.split_part(CAST($1 AS pg_catalog.text), '/', 2) AS integer) OPERATOR(pg_catalog.<=) 16000
		THEN CAST(CAST(CAST($1 AS vector) AS real[]) AS tensor)
		ELSE CAST((SELECT pg_catalog.array_agg(coalesce(e.value, 0::real) ORDER BY d.i)
			FROM pg_catalog.generate_series(1, CAST(pg_catalog.split_part(CAST($1 AS pg_catalog.text), '/', 2) AS integer)) d (i)
			LEFT JOIN (SELECT CAST(pg_catalog.split_part(entry, ':', 1) AS integer) AS i,
					CAST(pg_catalog.split_part(entry, ':', 2) AS real) AS value
				FROM pg_catalog.unnest(pg_catalog.string_to_array(pg_catalog.btrim(
					pg_catalog.split_part(CAST($1 AS pg_catalog.text), '/', 1), '{}'), ',')) entry) e
				ON e.i OPERATOR(pg_catalog.=) d.i) AS tensor)
		END;
COMMENT ON FUNCTION sparsevec_to_tensor(sparsevec) IS 'a sparsevec as a float4 tensor of rank 1, zeros included';
CREATE CAST (sparsevec AS tensor) WITH FUNCTION sparsevec_to_tensor(sparsevec) AS ASSIGNMENT;
COMMENT ON CAST (sparsevec AS tensor) IS 'a float4 tensor of rank 1, zeros included';

CREATE FUNCTION tensor_to_sparsevec(tensor) RETURNS sparsevec
	LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN CAST(CAST($1 AS real[]) AS sparsevec);
COMMENT ON FUNCTION tensor_to_sparsevec(tensor) IS 'a tensor of rank 1 as a sparsevec, without its zeros; elements are rounded to real';
CREATE CAST (tensor AS sparsevec) WITH FUNCTION tensor_to_sparsevec(tensor);
COMMENT ON CAST (tensor AS sparsevec) IS 'of rank 1, without its zeros; elements are rounded to real';
