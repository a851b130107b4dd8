--
-- The extension beside pg_catalog, and its objects
--

-- expressions that do not name tensors mean what they mean without the extension
SELECT sqrt('4'), abs('-1'), exp('1');
PREPARE one_argument AS SELECT exp($1), ln($1);
EXECUTE one_argument(1);
SELECT '1' = '1', 2 * '3', '3' * 2.5::float8, 1.5 + '1', -1 + '2', '2020-01-02'::date - '2020-01-01';
SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
  JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sparseeinsum'
WHERE p.prokind = 'f' AND p.pronargs = 1
  AND EXISTS (SELECT FROM pg_proc c WHERE c.proname = p.proname AND c.pronargs = 1 AND c.pronamespace = 'pg_catalog'::regnamespace AND c.prokind = 'f');

-- every object has a comment
SELECT pg_describe_object(d.classid, d.objid, 0) FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'sparseeinsum'
WHERE d.deptype = 'e' AND obj_description(d.objid, d.classid::regclass::name) IS NULL
  AND NOT (d.classid = 'pg_type'::regclass AND EXISTS (SELECT FROM pg_type t WHERE t.oid = d.objid AND (t.typelem <> 0 OR t.typrelid <> 0)))
ORDER BY 1;

-- a session lives through DROP and CREATE EXTENSION, in other schemas too
SELECT current_database() AS database \gset
CREATE DATABASE sparseeinsum_extension;
\c sparseeinsum_extension
CREATE EXTENSION sparseeinsum;
CREATE SCHEMA "Other Schema";
SELECT einsum('i->', '[1,2]'::tensor);
DROP EXTENSION sparseeinsum;
CREATE EXTENSION sparseeinsum SCHEMA "Other Schema";
SELECT "Other Schema".einsum('i->', '[1,2]'::"Other Schema".tensor);
ALTER SCHEMA "Other Schema" RENAME TO "Renamed Schema";
SELECT "Renamed Schema".einsum('i->', '[1,2]'::"Renamed Schema".tensor);
BEGIN;
DROP EXTENSION sparseeinsum;
CREATE EXTENSION sparseeinsum;
SELECT einsum('i->', '[1,2]'::tensor);
ROLLBACK;
SELECT "Renamed Schema".einsum('i->', '[1,2]'::"Renamed Schema".tensor);
DROP EXTENSION sparseeinsum;
CREATE EXTENSION sparseeinsum;
SELECT einsum('i->', '[1,2]'::tensor);
\c :database
DROP DATABASE sparseeinsum_extension;
