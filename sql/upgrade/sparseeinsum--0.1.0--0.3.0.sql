-- complain if the script is sourced in psql rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION sparseeinsum UPDATE TO '0.3.0'" to load this file. \quit

-- What a fresh install of 0.3.0 cannot replace. The rest of this script is made from the install's files (derive.awk).

-- Functions with other arguments now.
DROP FUNCTION @extschema@.store_coordinate(bigint, bigint, text, text);
DROP FUNCTION @extschema@.einsum_refresh(text, name);
DROP FUNCTION @extschema@.einsum_register(text, regclass, name[], name, text[], float8, text, boolean);
DROP FUNCTION @extschema@.einsum_unregister(regclass, text);
DROP FUNCTION @extschema@.einsum_store(text, text, text[], name);
DROP FUNCTION @extschema@.einsum_plan(text, text, int, text, int, text, text, text, text, text, name, boolean);
DROP FUNCTION @extschema@.einsum_decompose(text, text, text, int, text, text, text, text, text, name, boolean, boolean);

-- It returns more columns now. Views of users over einsum_tensors stay: that one is replaced again below.
CREATE OR REPLACE VIEW @extschema@.einsum_tensors AS
	SELECT NULL::pg_catalog.text AS tensor, NULL::pg_catalog.name AS schema, NULL::pg_catalog.regclass AS relation, NULL::pg_catalog.text AS notation, NULL::pg_catalog.name[] AS keys, NULL::pg_catalog.name AS value,
		NULL::pg_catalog.text[] AS bounds, NULL::pg_catalog.text AS type, NULL::pg_catalog.float8 AS fill, NULL::pg_catalog.text AS duplicates, NULL::pg_catalog.text AS program, NULL::bigint AS rows,
		NULL::boolean AS analyzed, NULL::pg_catalog.text AS status;
DROP FUNCTION @extschema@.registered_tensors();

-- The schema of what is internal, to which that moves.
CREATE SCHEMA sparseeinsum_internal;

-- It has a function for each type now. Where a view calls it, it stays, and does no harm.
DO $$
BEGIN
	DROP FUNCTION @extschema@.einsum_once(anyelement);
EXCEPTION WHEN dependent_objects_still_exist THEN
	NULL;
END $$;

-- What was measured does not say all that is measured now: einsum_analyze measures again.
DROP TABLE @extschema@.einsum_statistics;

-- Its function is another now.
DROP EVENT TRIGGER sparseeinsum_load;
DROP FUNCTION @extschema@.load_label_provider();
