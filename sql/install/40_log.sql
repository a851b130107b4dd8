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
COMMENT ON FUNCTION sparseeinsum_internal.change_log(regclass) IS 'internal: the log of a table, NULL if it has none or triggers that write it are off';

CREATE FUNCTION sparseeinsum_internal.leave_out_replicated() RETURNS trigger
	AS 'MODULE_PATHNAME', 'leave_out_replicated' LANGUAGE C;
COMMENT ON FUNCTION sparseeinsum_internal.leave_out_replicated() IS 'internal: leaves out rows that belong to another server';

-- Statistics are of one server, too: they have OIDs.

CREATE TRIGGER own_statistics BEFORE INSERT OR UPDATE OR DELETE ON @extschema@.einsum_statistics
	FOR EACH ROW EXECUTE FUNCTION sparseeinsum_internal.leave_out_replicated();
ALTER TABLE @extschema@.einsum_statistics ENABLE REPLICA TRIGGER own_statistics;
COMMENT ON TRIGGER own_statistics ON @extschema@.einsum_statistics IS 'leaves out what is replicated from another server';

-- Up to where in the logs results have been computed. Read and written by the library alone, and not dumped.

CREATE TABLE sparseeinsum_internal.positions (
	result oid PRIMARY KEY,
	registration bigint NOT NULL,
	snapshot pg_catalog.pg_snapshot NOT NULL,
	xid pg_catalog.xid8 NOT NULL,
	statement bigint NOT NULL,
	relations oid[] NOT NULL,
	fingerprints bigint[] NOT NULL
);
COMMENT ON TABLE sparseeinsum_internal.positions IS 'internal: up to where in the logs of tables results have been computed';
COMMENT ON COLUMN sparseeinsum_internal.positions.result IS 'the table of the result';
COMMENT ON COLUMN sparseeinsum_internal.positions.registration IS 'hash of its registration';
COMMENT ON COLUMN sparseeinsum_internal.positions.snapshot IS 'what it was computed from';
COMMENT ON COLUMN sparseeinsum_internal.positions.xid IS 'the top-level transaction that computed it';
COMMENT ON COLUMN sparseeinsum_internal.positions.statement IS 'the last command of that transaction whose changes it has';
COMMENT ON COLUMN sparseeinsum_internal.positions.relations IS 'what it was computed from, and itself';
COMMENT ON COLUMN sparseeinsum_internal.positions.fingerprints IS 'for each of these, a number that changes when it is made anew or altered';

CREATE TRIGGER own_positions BEFORE INSERT OR UPDATE OR DELETE ON sparseeinsum_internal.positions
	FOR EACH ROW EXECUTE FUNCTION sparseeinsum_internal.leave_out_replicated();
ALTER TABLE sparseeinsum_internal.positions ENABLE REPLICA TRIGGER own_positions;
COMMENT ON TRIGGER own_positions ON sparseeinsum_internal.positions IS 'leaves out what is replicated from another server';

-- What the views of results that are current between refreshes ask.

CREATE FUNCTION sparseeinsum_internal.einsum_is_followed(results regclass[], tables regclass[], logs regclass[]) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_is_followed' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_is_followed(regclass[], regclass[], regclass[]) IS
	'internal: whether logs tell all that has changed since results were refreshed';

CREATE FUNCTION sparseeinsum_internal.einsum_is_pending(result regclass, xid pg_catalog.xid8, statement bigint) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_is_pending' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_is_pending(regclass, pg_catalog.xid8, bigint) IS
	'internal: whether a result has not seen a change of its log';
