-- What the planner is told of the functions over tensors.
--
-- Whatever computes with the elements of tensors, and all functions of the
-- aggregates over them. Not what reads a header, converts, or compares; nor the
-- factorisations, whose cost is another power of the size.
DO $$
DECLARE
	f pg_catalog.regprocedure;
BEGIN
	FOR f IN
		SELECT p.oid
		FROM pg_catalog.pg_proc p
		WHERE p.pronamespace = '@extschema@'::pg_catalog.regnamespace
			AND p.probin = 'MODULE_PATHNAME' AND p.prokind = 'f' AND p.prosupport = 0
			AND p.proname !~ '^(tensor|.*_to_.*|tensor_(in|out|recv|send|typmod.*|state_.*|subscript.*|from_.*|eq|ne|lt|le|gt|ge|cmp|hash.*|shape|rank|type)|einsum_(value_has_shape|path)|mat_(solve|lstsq|inverse|det|det_scalar|norm|cholesky|qr|svd|eigh))$'
			AND ('@extschema@.tensor'::pg_catalog.regtype = ANY (p.proargtypes::pg_catalog.oid[])
				OR '@extschema@.tensor_state'::pg_catalog.regtype = ANY (p.proargtypes::pg_catalog.oid[])
				OR p.proname ~ '^(einsum|einsum_scalar|tensor_map|tensor_map_scalar|(einsum|tensor_map)_.*scalar_transfn)$')
	LOOP
		EXECUTE pg_catalog.format('ALTER FUNCTION %s SUPPORT @extschema@.einsum_kernel_support', f);
	END LOOP;
END
$$;
