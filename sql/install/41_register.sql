-- Declaring tables and views as tensors.

CREATE FUNCTION einsum_register(tensor text, relation regclass, keys name[], value name DEFAULT NULL,
		bounds text[] DEFAULT NULL, fill float8 DEFAULT 0, duplicates text DEFAULT 'error',
		replace boolean DEFAULT false) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_register' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_register(text, regclass, name[], name, text[], float8, text, boolean) IS
	'declares a table or view to hold a tensor, as in einsum_register(''a[I,J]'', ''edge'', keys => ''{dst,src}'', value => ''weight'')';

CREATE FUNCTION einsum_unregister(relation regclass, tensor text) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_unregister' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_unregister(regclass, text) IS 'undoes einsum_register: the relation no longer holds the tensor';
