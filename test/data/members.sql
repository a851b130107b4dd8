-- All that the catalogs have of the extension and its members, a line for each, by names: what ALTER EXTENSION UPDATE
-- and a fresh install have to have in common.
SET search_path = pg_catalog;
WITH extension AS (
	SELECT * FROM pg_extension WHERE extname = 'sparseeinsum'
), member AS (
	SELECT d.classid, d.objid, i.type, i.identity
	FROM extension e
	JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
	CROSS JOIN LATERAL pg_identify_object(d.classid, d.objid, 0) i
), part AS (
	-- members and what is part of them: columns, constraints, triggers, indexes, row types, rules
	SELECT DISTINCT x.classid, x.objid, x.objsubid, o.type, o.identity
	FROM (
		SELECT classid, objid, 0 AS objsubid FROM member
		UNION ALL
		SELECT d.classid, d.objid, d.objsubid FROM member m JOIN pg_depend d ON d.refclassid = m.classid AND d.refobjid = m.objid AND d.deptype IN ('i', 'a')
		UNION ALL
		SELECT m.classid, m.objid, a.attnum FROM member m JOIN pg_attribute a ON m.classid = 'pg_class'::regclass AND a.attrelid = m.objid AND a.attnum > 0
	) x
	CROSS JOIN LATERAL pg_identify_object(x.classid, x.objid, x.objsubid) o
	WHERE o.type <> 'toast table'
)
SELECT 'extension', extname, concat_ws(' ', extversion, extrelocatable, extnamespace::regnamespace, extowner::regrole, extconfig::regclass[], extcondition) FROM extension
UNION ALL
SELECT type, identity, concat_ws(' | ', 'comment: ' || coalesce(d.description, ''), 'labels: ' || l.label, 'initial: ' || i.initprivs::text)
FROM part p
LEFT JOIN pg_description d ON d.classoid = p.classid AND d.objoid = p.objid AND d.objsubid = p.objsubid
LEFT JOIN pg_init_privs i ON i.classoid = p.classid AND i.objoid = p.objid AND i.objsubid = p.objsubid
LEFT JOIN pg_seclabel l ON l.classoid = p.classid AND l.objoid = p.objid AND l.objsubid = p.objsubid
UNION ALL
SELECT 'depends', p.type || ' ' || p.identity, d.deptype::text || ' ' || pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM part p JOIN pg_depend d USING (classid, objid, objsubid)
UNION ALL
SELECT 'function', identity, concat_ws(' ', translate(pg_get_functiondef(f.oid), E'\n', ' '), f.proowner::regrole, f.proacl)
FROM member m JOIN pg_proc f ON m.classid = 'pg_proc'::regclass AND f.oid = m.objid WHERE f.prokind <> 'a'
UNION ALL
SELECT 'aggregate', identity, concat_ws(' ', f.proowner::regrole, f.proacl, pg_get_function_arguments(f.oid), pg_get_function_result(f.oid), f.provolatile, f.proparallel,
	f.procost, f.prorows, f.prosupport, f.proisstrict, f.provariadic::regtype, to_jsonb(a) - '{aggfnoid,aggtranstype,aggmtranstype,aggsortop}'::text[],
	a.aggtranstype::regtype, a.aggmtranstype::regtype, a.aggsortop::regoperator)
FROM member m JOIN pg_proc f ON m.classid = 'pg_proc'::regclass AND f.oid = m.objid JOIN pg_aggregate a ON a.aggfnoid = f.oid
UNION ALL
SELECT 'operator', identity, concat_ws(' ', oprowner::regrole, oprcanmerge, oprcanhash, oprresult::regtype, oprcom::regoperator, oprnegate::regoperator, oprcode, oprrest, oprjoin)
FROM member m JOIN pg_operator o ON m.classid = 'pg_operator'::regclass AND o.oid = m.objid
UNION ALL
SELECT 'operator class', identity, concat_ws(' ', opcowner::regrole, opcintype::regtype, opcdefault, opckeytype::regtype)
FROM member m JOIN pg_opclass o ON m.classid = 'pg_opclass'::regclass AND o.oid = m.objid
UNION ALL
SELECT 'operator family', identity, concat_ws(' ', a.amopstrategy, a.amoppurpose, a.amopopr::regoperator, p.amprocnum, p.amproc::regprocedure)
FROM member m LEFT JOIN pg_amop a ON a.amopfamily = m.objid LEFT JOIN pg_amproc p ON p.amprocfamily = m.objid WHERE m.classid = 'pg_opfamily'::regclass
UNION ALL
SELECT 'cast', identity, concat_ws(' ', castfunc::regprocedure, castcontext, castmethod)
FROM member m JOIN pg_cast c ON m.classid = 'pg_cast'::regclass AND c.oid = m.objid
UNION ALL
SELECT 'type', p.identity, concat_ws(' ', typowner::regrole, typacl, to_jsonb(t) - '{oid,typnamespace,typowner,typrelid,typelem,typarray,typbasetype,typacl}'::text[],
	typelem::regtype, typarray::regtype, typbasetype::regtype)
FROM part p JOIN pg_type t ON p.classid = 'pg_type'::regclass AND t.oid = p.objid
UNION ALL
SELECT 'relation', p.identity, concat_ws(' ', relkind, relpersistence, relowner::regrole, relacl, relrowsecurity, relforcerowsecurity, relhasrules, relhastriggers, reloptions,
	CASE relkind WHEN 'v' THEN translate(pg_get_viewdef(c.oid), E'\n', ' ') WHEN 'i' THEN pg_get_indexdef(c.oid) END)
FROM part p JOIN pg_class c ON p.classid = 'pg_class'::regclass AND p.objsubid = 0 AND c.oid = p.objid
UNION ALL
SELECT 'column', p.identity, concat_ws(' ', a.attnum, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attstorage, a.attacl, pg_get_expr(d.adbin, d.adrelid))
FROM part p JOIN pg_attribute a ON p.classid = 'pg_class'::regclass AND a.attrelid = p.objid AND a.attnum = p.objsubid
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
SELECT 'constraint', p.identity, pg_get_constraintdef(p.objid) FROM part p WHERE p.classid = 'pg_constraint'::regclass
UNION ALL
SELECT 'trigger', p.identity, concat_ws(' ', pg_get_triggerdef(p.objid), t.tgenabled)
FROM part p JOIN pg_trigger t ON p.classid = 'pg_trigger'::regclass AND t.oid = p.objid
UNION ALL
SELECT 'event trigger', identity, concat_ws(' ', evtevent, evtowner::regrole, evtfoid::regprocedure, evtenabled, evttags)
FROM member m JOIN pg_event_trigger t ON m.classid = 'pg_event_trigger'::regclass AND t.oid = m.objid
UNION ALL
SELECT 'schema', identity, concat_ws(' ', nspowner::regrole, nspacl)
FROM member m JOIN pg_namespace n ON m.classid = 'pg_namespace'::regclass AND n.oid = m.objid
UNION ALL
-- what a kind has in no line above
SELECT 'not compared', type, identity FROM member
WHERE classid NOT IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass, 'pg_cast'::regclass,
	'pg_type'::regclass, 'pg_class'::regclass, 'pg_event_trigger'::regclass, 'pg_namespace'::regclass)
ORDER BY 1, 2, 3;
