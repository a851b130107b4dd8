-- A help for generated SQL.

CREATE FUNCTION einsum_once(value anyelement) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'einsum_once' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_once(anyelement) IS 'internal: its argument, computed once per row of the subquery that calls it';
