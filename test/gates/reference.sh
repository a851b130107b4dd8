# Every public function, aggregate, type, view and setting is in the reference's pages;
# what is internal says so in its comment.
set -euo pipefail
missing=$(test/cluster psql -XAtq -v ON_ERROR_STOP=1 <<'SQL' | while read -r name; do grep -qE "\b$name\b" docs/reference/*.md || echo "$name"; done
create extension sparseeinsum;
select distinct coalesce(p.proname, c.relname, t.typname)
from pg_depend d
join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
left join pg_proc p on d.classid = 'pg_proc'::regclass and p.oid = d.objid
left join pg_class c on d.classid = 'pg_class'::regclass and c.oid = d.objid
left join pg_type t on d.classid = 'pg_type'::regclass and t.oid = d.objid and t.typrelid = 0 and t.typelem = 0
where e.extname = 'sparseeinsum' and d.deptype = 'e'
	and coalesce(p.oid, c.oid, t.oid) is not null
	and coalesce(obj_description(d.objid, d.classid::regclass::name), '') not like 'internal:%'
union all
select name from pg_settings where name like 'sparseeinsum.%';
SQL
)
[ -z "$missing" ] || { echo "not in docs/reference/:"; echo "$missing"; exit 1; }
