-- Registrations are security labels, which PostgreSQL dumps as SECURITY LABEL
-- commands. Their provider must be loaded before one is restored: this trigger
-- calls a function of the library, which loads it.

CREATE FUNCTION load_label_provider() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'load_label_provider' LANGUAGE C;
COMMENT ON FUNCTION load_label_provider() IS 'internal: loads the provider of security labels';

CREATE EVENT TRIGGER sparseeinsum_load ON ddl_command_start WHEN TAG IN ('SECURITY LABEL')
	EXECUTE FUNCTION @extschema@.load_label_provider();
COMMENT ON EVENT TRIGGER sparseeinsum_load IS 'loads sparseeinsum before a registration is restored';

-- What einsum_analyze measured. Not dumped (values are measured again), and
-- read and written by the library alone.

CREATE TABLE @extschema@.einsum_statistics (
	relid oid NOT NULL,
	label_hash bigint NOT NULL,
	entries float8 NOT NULL,
	nonfinite boolean NOT NULL,
	value_counts float8[] NOT NULL,
	distinct_counts float8[] NOT NULL,
	degrees float8[] NOT NULL,
	PRIMARY KEY (relid, label_hash)
);
COMMENT ON TABLE einsum_statistics IS 'internal: statistics of registered tensors, measured by einsum_analyze';
COMMENT ON COLUMN einsum_statistics.relid IS 'the relation';
COMMENT ON COLUMN einsum_statistics.label_hash IS 'hash of the registration that was measured; rows of another registration are ignored';
COMMENT ON COLUMN einsum_statistics.entries IS 'entries that differ from fill';
COMMENT ON COLUMN einsum_statistics.nonfinite IS 'some entry is infinite or NaN';
COMMENT ON COLUMN einsum_statistics.value_counts IS 'for each label, indices with an entry';
COMMENT ON COLUMN einsum_statistics.distinct_counts IS 'for each set of labels (as a bitmask), distinct index vectors';
COMMENT ON COLUMN einsum_statistics.degrees IS 'for sets X and Y of labels, at X * sets + Y: the most distinct X for one Y, or -1';
