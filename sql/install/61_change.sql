-- How the results of a program change with what it reads.

CREATE FUNCTION sparseeinsum_internal.einsum_change(
	program text,
	added text[] DEFAULT NULL,
	lowered text[] DEFAULT NULL,
	raised text[] DEFAULT NULL,
	at_keys text[] DEFAULT NULL,
	suffix text DEFAULT '_change',
	OUT tensor text,
	OUT kind text,
	OUT change text,
	OUT why text
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_change' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_change(text, text[], text[], text[], text[], text) IS
	'internal: how the results of a program change with tensors that it reads';
