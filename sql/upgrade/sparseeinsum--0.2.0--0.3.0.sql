-- complain if the script is sourced in psql rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION sparseeinsum UPDATE TO '0.3.0'" to load this file. \quit

-- What a fresh install of 0.3.0 cannot replace. The rest of this script is made from the install's files (derive.awk).

-- Functions with other arguments now.
DROP FUNCTION @extschema@.store_coordinate(bigint, bigint, text, text);
DROP FUNCTION @extschema@.einsum_refresh(text, name);
DROP FUNCTION @extschema@.einsum_gradient(text, text, text[], text[], text);
DROP FUNCTION @extschema@.einsum_iterate(text, text, text, text, int, name, text[], boolean, text, text, text);
DROP PROCEDURE @extschema@.einsum_iterate(text, text, text, int, text, int, name, text[], boolean, text, text, text);
DROP FUNCTION @extschema@.einsum_store(text, text, @extschema@.tensor_bounds, name, text);
DROP FUNCTION @extschema@.einsum_register(text, regclass, text[], text, @extschema@.tensor_bounds, float8, text, boolean, text, boolean);

-- These views call other functions now. Views of users over einsum_tensors and einsum_dimensions stay: both are replaced again below.
CREATE OR REPLACE VIEW @extschema@.einsum_tensors AS
	SELECT NULL::pg_catalog.text AS tensor, NULL::pg_catalog.name AS schema, NULL::pg_catalog.regclass AS relation, NULL::pg_catalog.text AS notation, NULL::pg_catalog.name[] AS keys, NULL::pg_catalog.name AS value,
		NULL::pg_catalog.text[] AS bounds, NULL::pg_catalog.text AS type, NULL::pg_catalog.float8 AS fill, NULL::pg_catalog.text AS duplicates, NULL::pg_catalog.text AS program, NULL::bigint AS rows,
		NULL::boolean AS analyzed, NULL::pg_catalog.text AS status;
CREATE OR REPLACE VIEW @extschema@.einsum_dimensions AS
	SELECT NULL::pg_catalog.text AS dimension, NULL::pg_catalog.name AS schema, NULL::pg_catalog.regclass AS relation, NULL::pg_catalog.name AS key, NULL::pg_catalog.name AS "position", NULL::bigint AS rows,
		NULL::pg_catalog.text AS status;
DROP FUNCTION @extschema@.registered_tensors();

-- Event triggers whose function is another now.
DROP EVENT TRIGGER sparseeinsum_load;
DROP EVENT TRIGGER sparseeinsum_members;
DROP FUNCTION @extschema@.load_label_provider();
DROP FUNCTION @extschema@.forget_extension_members();
