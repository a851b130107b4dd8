-- The cost model on this machine.

CREATE FUNCTION einsum_calibrate(
	OUT setting text,
	OUT current float8,
	OUT measured float8,
	OUT statement text
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_calibrate' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 8;
COMMENT ON FUNCTION einsum_calibrate() IS 'measures the cost settings on this machine, and says how to set them';
