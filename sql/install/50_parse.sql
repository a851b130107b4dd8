-- The parsers, for tests and for the curious.

CREATE FUNCTION sparseeinsum_internal.einsum_parse(program text) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_parse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_parse(text) IS
	'internal: a program in canonical form, every operation in parentheses';

CREATE FUNCTION sparseeinsum_internal.einsum_parse_equation(equation text, operands int) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_parse_equation' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_parse_equation(text, int) IS
	'internal: an einsum equation with its output made explicit';

CREATE FUNCTION sparseeinsum_internal.einsum_parse_notation(notation text) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_parse_notation' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_parse_notation(text) IS
	'internal: a tensor''s notation in canonical form';

CREATE FUNCTION sparseeinsum_internal.einsum_parse_map(expression text) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_parse_map' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_parse_map(text) IS
	'internal: a map expression as the postfix code that kernels run';
