-- Sessions keep which objects are members of the extension. ALTER EXTENSION ... ADD
-- and DROP change nothing that PostgreSQL tells sessions of; the trigger does.

CREATE FUNCTION sparseeinsum_internal.forget_extension_members() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'forget_extension_members' LANGUAGE C;
COMMENT ON FUNCTION sparseeinsum_internal.forget_extension_members() IS 'internal: has sessions look up again what is a member of the extension';

CREATE EVENT TRIGGER sparseeinsum_members ON ddl_command_end WHEN TAG IN ('ALTER EXTENSION')
	EXECUTE FUNCTION sparseeinsum_internal.forget_extension_members();
COMMENT ON EVENT TRIGGER sparseeinsum_members IS 'has sessions look up again what is a member of sparseeinsum';
