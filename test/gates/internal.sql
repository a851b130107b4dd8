-- Functions, aggregates, types and operators are in the schema of the extension, or say that they are internal and are
-- in that of what is internal, also where they were in another before an update; and what begins with einsum_ fits on a screen.
with member as (
	select d.classid, d.objid, e.extnamespace, coalesce(obj_description(d.objid, d.classid::regclass::name), '') like 'internal:%' as internal,
		coalesce(p.pronamespace, t.typnamespace, o.oprnamespace) as schema
	from pg_extension e
	join pg_depend d on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid and d.deptype = 'e'
	left join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
	left join pg_type t on d.classid = 'pg_type'::regclass and t.oid = d.objid and t.typrelid = 0 and t.typelem = 0
	left join pg_operator o on d.classid = 'pg_operator'::regclass and o.oid = d.objid
	where e.extname = 'sparseeinsum'
)
select pg_describe_object(classid, objid, 0) || case when internal then ' is internal' else ' is not said to be internal' end || ', in schema ' || schema::regnamespace
from member
where schema <> case when internal then to_regnamespace('sparseeinsum_internal') else extnamespace end
union all
select count(*) || ' functions begin with einsum_; \df einsum_* has more than 32 rows'
from member join pg_proc p on classid = 'pg_proc'::regclass and p.oid = objid
where schema = extnamespace and proname like 'einsum\_%'
having count(*) > 32
order by 1;
