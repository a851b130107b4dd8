-- complain if the script is sourced in psql rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION sparseeinsum UPDATE TO '0.3.0'" to load this file. \quit

-- What a fresh install of 0.3.0 cannot replace. The rest of this script is made from the install's files (derive.awk).

-- Functions with other arguments now.
DROP FUNCTION @extschema@.einsum_gradient(text, text, text[], text[], text);
DROP FUNCTION @extschema@.einsum_iterate(text, text, text, text, int, name, text[], boolean, text, text, text);
DROP PROCEDURE @extschema@.einsum_iterate(text, text, text, int, text, int, name, text[], boolean, text, text, text);
DROP FUNCTION @extschema@.einsum_register(text, regclass, text[], text, @extschema@.tensor_bounds, float8, text, boolean, text, boolean);

-- Event triggers whose function is another now.
DROP EVENT TRIGGER sparseeinsum_load;
DROP EVENT TRIGGER sparseeinsum_members;
DROP FUNCTION @extschema@.load_label_provider();
DROP FUNCTION @extschema@.forget_extension_members();
