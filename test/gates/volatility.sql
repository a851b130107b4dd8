-- What is immutable is parallel safe, and no C function runs as its definer.
select p.oid::regprocedure || ' is immutable and not parallel safe'
from pg_proc p
join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
where e.extname = 'sparseeinsum' and p.provolatile = 'i' and p.proparallel <> 's'
union all
select p.oid::regprocedure || ' is security definer'
from pg_proc p
join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
where e.extname = 'sparseeinsum' and p.prosecdef
order by 1;
