-- Logs of tables.

CREATE FUNCTION einsum_log(tensor text, log boolean DEFAULT true) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_log' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_log(text, boolean) IS
	'has the tables that hold a tensor keep a log of their changes, as in einsum_log(''a''), or no longer';

CREATE FUNCTION sparseeinsum_internal.log_change() RETURNS trigger
	AS 'MODULE_PATHNAME', 'log_change' LANGUAGE C;
COMMENT ON FUNCTION sparseeinsum_internal.log_change() IS 'internal: writes what a statement has changed into the log of its table';

CREATE FUNCTION sparseeinsum_internal.change_log(relation regclass) RETURNS regclass
	AS 'MODULE_PATHNAME', 'change_log' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION sparseeinsum_internal.change_log(regclass) IS 'internal: the log of a table, NULL if it has none';
