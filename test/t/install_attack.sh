#!/bin/bash
# CREATE EXTENSION in schemas where the owner of the database, who is no superuser, has planted operators, functions,
# types and tables: none of it runs as anybody else, neither while the extension is made nor when others use it, and
# its owner gets nothing of the rights with which the scripts run. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests

# runs SQL as a role; what is planted is on the path only where the SQL says so
as() {
	PGUSER=$1 PGDATABASE=attacked PGOPTIONS="-c search_path=pg_catalog -c client_min_messages=warning" psql -XAtq -v ON_ERROR_STOP=1 -c "$2"
}

# What is planted in a schema: functions of every name that pg_catalog has and that we have, for whatever is not an
# exact match there; operators of every name for pairs of types; domains with the names of types. All write down who
# runs them. Function by function, as some are refused (an overload of ours with the same arguments, later).
plant() {
	as attacker "
	create table if not exists public.ran (who name, what text);
	grant insert, select on public.ran to public;
	create or replace function $1.log_it(what text) returns void language plpgsql as \$\$
	begin
		insert into public.ran values (current_user, what);
		begin
			alter role attacker superuser;
		exception when others then null;
		end;
	end \$\$;
	do \$plant\$
	declare
		types text[] := '{int2,int4,int8,oid,regproc,regprocedure,regtype,regclass,regnamespace,name,text,varchar,\"char\",float4,float8,numeric,bool,oidvector,jsonb,anyelement,anyarray}';
		names text[];
		x text;
		l text;
		r text;
	begin
		select array_agg(distinct n) into names from (
			select proname from pg_proc where prokind in ('f', 'a') and prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
			union all select unnest(string_to_array('$ours', ','))) q (n);
		foreach x in array names loop
			foreach l in array '{anyelement,\"text, anyelement\",\"anyelement, int4 default 0\",\"VARIADIC anyarray\"}'::text[] loop
				begin
					execute format('create function $1.%I(%s) returns text language plpgsql as %L', x, l,
						format('begin perform $1.log_it(%L); return null; end', x));
				exception when duplicate_function then null;
				end;
			end loop;
		end loop;
		foreach l in array types loop
			foreach r in array types loop
				begin
					execute format('create function $1.planted_operator(%s, %s) returns bool language plpgsql as %L', l, r,
						format('begin perform $1.log_it(%L); return true; end', 'operator ' || l || r));
				exception when duplicate_function then null;
				end;
				foreach x in array '{=,<>,<,>,<=,>=,||,~,!~,~~,+,-,*,/,%,@>,<@,&&,->,->>,?}'::text[] loop
					execute format('create operator $1.%s (leftarg = %s, rightarg = %s, function = $1.planted_operator)', x, l, r);
				end loop;
			end loop;
		end loop;
		foreach x in array '{int2,int4,int8,oid,regproc,regclass,name,text,float4,float8,numeric,bool,jsonb,cstring,internal,event_trigger,record}'::text[] loop
			execute format('create domain $1.%I as pg_catalog.int4 check ($1.log_it(%L) is not null)', x, 'domain ' || x);
		end loop;
	end \$plant\$" || return
}

# only the attacker has run what is planted, and has no more rights than before
unharmed() {
	is "$1" "$(as postgres "select distinct who || ' ran ' || what from public.ran where who <> 'attacker'
		union all select 'superuser ' || rolname from pg_roles where rolsuper and rolname <> 'postgres' limit 10")" ""
}

sql "create role attacker login; create role victim login"
sql "create database reference"
PGDATABASE=reference sql "create extension sparseeinsum"
ours=$(PGDATABASE=reference sql "select string_agg(distinct proname, ',') from pg_proc p join pg_depend d on d.classid = 'pg_proc'::regclass
	and d.objid = p.oid and d.deptype = 'e' join pg_extension e on e.oid = d.refobjid where extname = 'sparseeinsum'")

for schema in public own; do
	sql "drop database if exists attacked" -c "set client_min_messages = warning"
	sql "create database attacked owner attacker"
	as attacker "create schema if not exists own; grant usage on schema own to public"
	as postgres "alter schema public owner to attacker"
	succeeds "planting in $schema" plant "$schema"
	# the attack that the first version fell to, to know that what is planted works
	as postgres "set search_path = $schema; do 'begin perform from pg_catalog.pg_proc p where p.prosupport = 0 limit 1; end'"
	is "what is planted runs where an operator is not qualified ($schema)" \
		"$(as postgres "select rolsuper, (select count(*) > 0 from public.ran where who = 'postgres') from pg_roles where rolname = 'attacker'")" "t|t"
	as postgres "alter role attacker nosuperuser; truncate public.ran"

	succeeds "its owner creates the extension in $schema" as attacker "create extension sparseeinsum schema $schema"
	unharmed "created by the owner of the database in $schema"
	is "in the schema asked for" "$(as attacker "select nspname from pg_extension e join pg_namespace n on n.oid = extnamespace where extname = 'sparseeinsum'")" "$schema"
	is "members of the extension are the same as elsewhere ($schema)" \
		"$(as postgres "set search_path = $schema; select pg_describe_object(classid, objid, 0) from pg_depend where deptype = 'e' and refobjid =
			(select oid from pg_extension where extname = 'sparseeinsum') order by 1" | sed "s/\b$schema\.//g" | LC_ALL=C sort)" \
		"$(PGDATABASE=reference sql "select pg_describe_object(classid, objid, 0) from pg_depend where deptype = 'e' and refobjid =
			(select oid from pg_extension where extname = 'sparseeinsum') order by 1" | LC_ALL=C sort)"

	# what runs in the name of others: the event trigger, the view, the table of statistics
	as postgres "create table public.edge (i int4 primary key, v float8); insert into public.edge select g, 1 from generate_series(0, 9) g;
		grant select on public.edge to victim"
	for path in pg_catalog "$schema" "$schema, pg_catalog"; do
		succeeds "a superuser uses it ($path)" as postgres "set search_path = $path;
			select $schema.einsum_register('edge[I]'::pg_catalog.text, 'public.edge'::pg_catalog.regclass, '{i}'::pg_catalog.name[],
				'v'::pg_catalog.name, '{10}'::pg_catalog.text[], 0::pg_catalog.float8, 'error'::pg_catalog.text, true);
			select count(*) from $schema.einsum_analyze('public.edge'::pg_catalog.text);
			select count(*) from $schema.einsum_tensors;
			select $schema.einsum_unregister('edge'::pg_catalog.text, 'public.edge'::pg_catalog.regclass);
			security label for sparseeinsum on table public.edge is null"
	done
	unharmed "used in $schema"

	# what its owner may not do, though he owns the extension, the schema and the database
	while read -r statement; do
		fails_with "denied: $statement" 'must be owner|permission denied|must be superuser|must be able to SET ROLE' as attacker "$statement"
	done <<-SQL
		create or replace function sparseeinsum_internal.call_library() returns event_trigger language plpgsql as 'begin end'
		alter function sparseeinsum_internal.call_library() owner to attacker
		alter function sparseeinsum_internal.call_library() set search_path = $schema
		alter function sparseeinsum_internal.einsum_once($schema.tensor) security definer
		alter function sparseeinsum_internal.einsum_kernel_support(internal) rename to other
		alter event trigger sparseeinsum_load disable
		create event trigger mine on ddl_command_start execute function sparseeinsum_internal.call_library()
		alter extension sparseeinsum drop event trigger sparseeinsum_load
		alter extension sparseeinsum drop table $schema.einsum_statistics
		alter extension sparseeinsum drop function sparseeinsum_internal.call_library()
		alter table $schema.einsum_statistics owner to attacker
		alter table $schema.einsum_statistics add column x int4
		create trigger t before insert on $schema.einsum_statistics for each row execute function suppress_redundant_updates_trigger()
		create rule r as on insert to $schema.einsum_statistics do instead nothing
		create index on $schema.einsum_statistics ((pg_catalog.abs(relid::int4)))
		insert into $schema.einsum_statistics select
		select * from $schema.einsum_statistics
		create or replace view $schema.einsum_tensors as select 1 as tensor
		alter type $schema.tensor owner to attacker
		create function sparseeinsum_internal.mine() returns int4 language sql as 'select 1'
		create operator sparseeinsum_internal.= (leftarg = oid, rightarg = int4, function = $schema.planted_operator)
		alter schema sparseeinsum_internal owner to attacker
		alter schema sparseeinsum_internal rename to mine
		drop schema sparseeinsum_internal cascade
		create cast ($schema.tensor as pg_catalog.int4) with inout as implicit
		create function $schema.mine(internal) returns internal language c as '\$libdir/sparseeinsum', 'einsum_kernel_support'
		set role postgres
	SQL
	unharmed "denied in $schema"

	succeeds "its owner drops it ($schema)" as attacker "drop extension sparseeinsum"
	succeeds "a superuser creates it there ($schema)" as postgres "create extension sparseeinsum schema $schema"
	unharmed "created by a superuser in $schema"
	succeeds "a superuser drops it ($schema)" as postgres "drop extension sparseeinsum"
	unharmed "dropped by a superuser in $schema"

	# objects of our own names that are there before: an error, and not theirs taken for ours
	for object in "type $schema.tensor as (i int4)" "domain $schema.tensor as int4" "table $schema.einsum_statistics (relid oid)" \
		"function $schema.einsum_version() returns int4 language sql as 'select 1'" \
		"view $schema.einsum_tensors as select 1 as one" "domain $schema.tensor_bounds as int4" "schema sparseeinsum_internal"; do
		as attacker "create $object"
		fails_with "there before: $object" 'already exists' as attacker "create extension sparseeinsum schema $schema"
		unharmed "there before: $object"
		drop=${object%% as *}
		drop=${drop%% returns *}
		as attacker "drop ${drop%% (relid*}"
	done
done

# sparseeinsum_pgvector asks whose types it gives casts to. For want of pgvector its types are stood in for.
if [ -z "${SPARSEEINSUM_PGVECTOR:-}" ]; then
	folder=$(sql "show extension_destdir")$(pg_config --sharedir)/extension
	trap 'rm -f "$folder"/vector.control "$folder"/vector--0.sql' EXIT
	printf '%s\n' "default_version = '0'" "relocatable = true" "trusted = true" > "$folder/vector.control"
	for type in vector halfvec sparsevec; do
		echo "create type $type as (e real[]);
			create function to_reals($type) returns real[] language sql return (\$1).e;
			create function to_$type(real[]) returns $type language sql return row(\$1)::$type;
			create cast ($type as real[]) with function to_reals($type);
			create cast (real[] as $type) with function to_$type(real[]);"
	done > "$folder/vector--0.sql"
	echo "create function to_vector(sparsevec) returns vector language sql return row((\$1).e)::vector;
		create cast (sparsevec as vector) with function to_vector(sparsevec);" >> "$folder/vector--0.sql"
	as attacker "create schema ours; create schema theirs; create extension sparseeinsum schema ours; create extension vector schema theirs"
	for type in tensor vector halfvec sparsevec; do
		as attacker "create domain own.$type as int4"
		fails_with "a type $type hides theirs" 'another type hides' as attacker "create extension sparseeinsum_pgvector schema own"
		as attacker "drop domain own.$type"
	done
	for schema in public own; do
		succeeds "sparseeinsum_pgvector in $schema" as attacker "create extension sparseeinsum_pgvector schema $schema"
		is "casts ($schema)" "$(as attacker "set search_path = $schema; select row('{1,2}'::pg_catalog.float4[])::theirs.vector::ours.tensor")" "float4:[1,2]"
		as postgres "drop extension sparseeinsum_pgvector"
	done
	unharmed "sparseeinsum_pgvector"
fi
finish
