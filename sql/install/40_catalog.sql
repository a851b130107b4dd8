-- Registrations are security labels, which PostgreSQL dumps as SECURITY LABEL
-- commands. Their provider must be loaded before one is restored, and when the
-- extension is dropped, as it takes them along: an event trigger calls a function of
-- the library, which loads it.
--
-- Sessions keep which objects are members of the extension. ALTER EXTENSION ... ADD
-- and DROP change nothing that PostgreSQL tells sessions of; another trigger does.
--
-- Both are in PL/pgSQL: a trigger in C would make these commands fail where the library
-- cannot be loaded, whatever they are about.

CREATE FUNCTION sparseeinsum_internal.load_library() RETURNS void
	AS 'MODULE_PATHNAME', 'load_label_provider' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION sparseeinsum_internal.load_library() IS 'internal: loads the library, and with it the provider of security labels';

CREATE FUNCTION sparseeinsum_internal.forget_members() RETURNS void
	AS 'MODULE_PATHNAME', 'forget_extension_members' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION sparseeinsum_internal.forget_members() IS 'internal: has sessions look up again what is a member of the extension';

-- who drops a schema calls them, whatever default privileges are
GRANT EXECUTE ON FUNCTION sparseeinsum_internal.load_library(), sparseeinsum_internal.forget_members() TO PUBLIC;

CREATE FUNCTION sparseeinsum_internal.call_library() RETURNS event_trigger
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	IF tg_tag OPERATOR(pg_catalog.=) 'ALTER EXTENSION' THEN
		PERFORM sparseeinsum_internal.forget_members();
	ELSE
		PERFORM sparseeinsum_internal.load_library();
	END IF;
-- which SQLSTATE it has that a library cannot be loaded is left to chance, but that a file is missing
EXCEPTION WHEN OTHERS THEN
	RAISE WARNING USING ERRCODE = SQLSTATE,
		MESSAGE = pg_catalog.format('the library of extension sparseeinsum could not be called: %s', SQLERRM),
		DETAIL = 'Registrations stay where the extension is dropped without it.',
		HINT = 'Install the library again, or drop the extension.';
END $$;
COMMENT ON FUNCTION sparseeinsum_internal.call_library() IS 'internal: calls the library where an event concerns it, with a warning if that fails';

CREATE EVENT TRIGGER sparseeinsum_load ON ddl_command_start
	WHEN TAG IN ('SECURITY LABEL', 'DROP EXTENSION', 'DROP SCHEMA', 'DROP OWNED')
	EXECUTE FUNCTION sparseeinsum_internal.call_library();
COMMENT ON EVENT TRIGGER sparseeinsum_load IS 'loads sparseeinsum before a registration is restored, or the extension dropped';

CREATE EVENT TRIGGER sparseeinsum_members ON ddl_command_end WHEN TAG IN ('ALTER EXTENSION')
	EXECUTE FUNCTION sparseeinsum_internal.call_library();
COMMENT ON EVENT TRIGGER sparseeinsum_members IS 'has sessions look up again what is a member of sparseeinsum';

-- What was measured. Read and written by the library alone.

CREATE TABLE @extschema@.einsum_statistics (
	relid oid NOT NULL,
	label_hash bigint NOT NULL,
	pages float8 NOT NULL,
	entries float8 NOT NULL,
	nonfinite boolean NOT NULL,
	value_counts float8[] NOT NULL,
	distinct_counts float8[] NOT NULL,
	degrees float8[] NOT NULL,
	degree_squares float8[],
	degree_cubes float8[],
	meetings float8[],
	square_meetings float8[],
	rows float8,
	pairs float8[],
	PRIMARY KEY (relid, label_hash)
);
COMMENT ON TABLE einsum_statistics IS 'internal: statistics of registered tensors, measured by einsum_register and einsum_analyze';
COMMENT ON COLUMN einsum_statistics.relid IS 'the relation';
COMMENT ON COLUMN einsum_statistics.label_hash IS 'hash of the registration that was measured; rows of another registration are ignored';
COMMENT ON COLUMN einsum_statistics.pages IS 'pages of the relation when it was measured; -1 if it has none';
COMMENT ON COLUMN einsum_statistics.entries IS 'entries that differ from fill';
COMMENT ON COLUMN einsum_statistics.nonfinite IS 'some entry is infinite or NaN';
COMMENT ON COLUMN einsum_statistics.value_counts IS 'for each label, indices with an entry';
COMMENT ON COLUMN einsum_statistics.distinct_counts IS 'for each set of labels (as a bitmask), distinct index vectors';
COMMENT ON COLUMN einsum_statistics.degrees IS 'for sets X and Y of labels, at X * sets + Y: the most distinct X for one Y, or -1';
COMMENT ON COLUMN einsum_statistics.degree_squares IS 'in the order of degrees: the mean over Y of the number of distinct X squared, or -1; null if not measured';
COMMENT ON COLUMN einsum_statistics.degree_cubes IS 'in the order of degrees: the mean over Y of the number of distinct X cubed, or -1; null if not measured';
COMMENT ON COLUMN einsum_statistics.meetings IS 'for labels P and Q, at P * labels + Q: the sum over their indices of the entries with it in P times those with it in Q, or -1; null if not measured';
COMMENT ON COLUMN einsum_statistics.square_meetings IS 'the same with the entries of P squared';
COMMENT ON COLUMN einsum_statistics.rows IS 'rows with keys and a value; null if not counted';
COMMENT ON COLUMN einsum_statistics.pairs IS 'in the order of meetings, of two labels: the pairs of the other indices of two entries that meet in P and Q, or -1; null if not measured';

-- The same by name, for pg_dump. The table is empty: what is dumped comes from
-- the function, and goes where it belongs through the trigger.

CREATE TABLE @extschema@.einsum_statistics_dump (
	relation text,
	label_hash bigint,
	pages float8,
	entries float8,
	nonfinite boolean,
	value_counts float8[],
	distinct_counts float8[],
	degrees float8[],
	degree_squares float8[],
	degree_cubes float8[],
	meetings float8[],
	square_meetings float8[],
	rows float8,
	pairs float8[]
);
GRANT SELECT, INSERT ON @extschema@.einsum_statistics_dump TO PUBLIC;
COMMENT ON TABLE einsum_statistics_dump IS 'internal: always empty; how pg_dump dumps and restores einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.relation IS 'qualified name of the relation';
COMMENT ON COLUMN einsum_statistics_dump.label_hash IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.pages IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.entries IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.nonfinite IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.value_counts IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.distinct_counts IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.degrees IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.degree_squares IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.degree_cubes IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.meetings IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.square_meetings IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.rows IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.pairs IS 'as in einsum_statistics';

CREATE FUNCTION sparseeinsum_internal.dumped_statistics() RETURNS SETOF @extschema@.einsum_statistics_dump
	AS 'MODULE_PATHNAME', 'dumped_statistics' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION sparseeinsum_internal.dumped_statistics() IS 'internal: the statistics of relations that the user may read, for pg_dump';

CREATE FUNCTION sparseeinsum_internal.restore_statistics() RETURNS trigger
	AS 'MODULE_PATHNAME', 'restore_statistics' LANGUAGE C;
COMMENT ON FUNCTION sparseeinsum_internal.restore_statistics() IS 'internal: stores statistics of the user''s relations from a dump';

CREATE TRIGGER restore BEFORE INSERT ON @extschema@.einsum_statistics_dump
	FOR EACH ROW EXECUTE FUNCTION sparseeinsum_internal.restore_statistics();
ALTER TABLE @extschema@.einsum_statistics_dump ENABLE ALWAYS TRIGGER restore;
COMMENT ON TRIGGER restore ON einsum_statistics_dump IS 'takes restored statistics to einsum_statistics';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.einsum_statistics_dump'::pg_catalog.regclass,
	'WHERE false UNION ALL SELECT * FROM sparseeinsum_internal.dumped_statistics()');
