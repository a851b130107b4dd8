-- Every object of the extension has a comment. Array types, row types and
-- operator families are made by other commands and have none.
select pg_describe_object(d.classid, d.objid, 0) || ' has no comment'
from pg_depend d
join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
where e.extname = 'sparseeinsum' and d.deptype = 'e'
	and d.classid not in ('pg_opfamily'::regclass)
	and not exists (select 1 from pg_description x
					where x.classoid = d.classid and x.objoid = d.objid and x.objsubid = 0)
	and not (d.classid = 'pg_type'::regclass
			 and exists (select 1 from pg_type t where t.oid = d.objid and (t.typrelid <> 0 or t.typelem <> 0 and t.typname like '\_%')))
order by 1;
