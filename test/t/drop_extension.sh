#!/bin/bash
# The extension takes its security labels along, whichever command drops it, and what is dumped afterwards is restored
# without an error. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning -c lock_timeout=60s'
sql "create role one login"
sql "create role two login"
labels="select count(*) from pg_seclabel where provider = 'sparseeinsum'"

# a database with the extension in schema ext, and labels on relations of all kinds and of two owners
sql "create database pattern owner one"
PGDATABASE=pattern PGUSER=one sql "create schema ext; create extension sparseeinsum schema ext; grant create, usage on schema ext to public"
PGDATABASE=pattern sql "grant create on schema public to public; grant create on database pattern to two"
for role in one two; do
	PGDATABASE=pattern PGUSER=$role sql "set search_path = public, ext;
		create table ${role}_edge (i int, j int, v float8, primary key (i, j));
		insert into ${role}_edge values (0, 1, 2), (1, 0, 3);
		create view ${role}_view as select j, i, v from ${role}_edge;
		create materialized view ${role}_stored as table ${role}_edge;
		create table ${role}_parts (i int primary key, v float8) partition by range (i);
		create table ${role}_part partition of ${role}_parts default;
		select einsum_register('${role}[I,J]', '${role}_edge', '{i,j}', 'v', '{2,2}');
		select einsum_register('${role}_other[I,J]', '${role}_edge', '{i,j}', 'v', '{3,3}');
		select einsum_register('v${role}[J,I]', '${role}_view', '{j,i}', 'v', '{2,2}', duplicates => 'trust');
		select einsum_register('s${role}[I,J]', '${role}_stored', '{i,j}', 'v', '{2,2}', duplicates => 'trust');
		select einsum_register('p${role}[I]', '${role}_parts', '{i}', 'v', '{2}');
		select einsum_register('q${role}[I]', '${role}_part', '{i}', 'v', '{2}');
		select einsum_decompose('c${role}[i,k] = ${role}[i,j] * ${role}[j,k]', 'program_${role}')" > /dev/null
done

# a copy of it
fresh() {
	PGDATABASE=postgres sql "drop database if exists $1"
	PGDATABASE=postgres sql "create database $1 template pattern owner one"
}

fresh other
others=$(PGDATABASE=other sql "$labels")
is "there are labels" "$(PGDATABASE=other sql "select ($labels) >= 12")" t

# drops the extension in a session that has not loaded the library; dumps and restores what is left
drops() {
	local name=$1 role=$2 statement=$3
	fresh dropped
	PGDATABASE=dropped PGUSER=$role succeeds "$name" sql "$statement"
	is "no labels after $name" "$(PGDATABASE=dropped sql "$labels; select count(*) from pg_extension where extname = 'sparseeinsum'")" $'0\n0'
	succeeds "dump after $name" pg_dump -Fc -f "$files/dump" dropped
	sql "drop database if exists restored"
	sql "create database restored"
	succeeds "restore after $name" pg_restore --exit-on-error -d restored "$files/dump"
	is "others' tables after $name" "$(PGDATABASE=restored sql "select count(*) from two_edge")" 2
}
# hints for calls of ours are given where the extension is
fresh dropped
PGDATABASE=dropped fails_with "a like name without the extension" "No function matches" sql "select ext.einsum('i->i', '[1]');
	drop extension sparseeinsum cascade; select count(*) from pg_proc where oid > 16384; select mat_transpose(1)"
# also by a session that has the library and has not looked the extension up yet
PGDATABASE=template1 fails_with "a like name before a look-up" "No function matches" sql "load '\$libdir/sparseeinsum'; select mat_transpose(1)"
PGDATABASE=template1 fails_with "a function of ours without the extension" "CREATE EXTENSION sparseeinsum was not run" sql "load '\$libdir/sparseeinsum'; select einsum_value()"
drops "drop extension" one "drop extension sparseeinsum cascade"
drops "drop extension by a superuser" postgres "drop extension sparseeinsum cascade"
drops "drop schema" one "drop schema ext cascade"
drops "drop schema with others" postgres "create schema more; drop schema more, ext cascade"
drops "drop owned" one "drop owned by one cascade"
drops "drop owned by a superuser" postgres "drop owned by one cascade"
drops "without event triggers" postgres "load '\$libdir/sparseeinsum'; drop event trigger if exists none; drop extension sparseeinsum cascade"
drops "two drops" one "drop extension sparseeinsum cascade; create extension sparseeinsum; drop extension sparseeinsum"
is "another database keeps its labels" "$(PGDATABASE=other sql "$labels")" "$others"

# who may not drop it, and what is taken back
export PGDATABASE=dropped
fresh dropped
before=$(sql "$labels")
PGUSER=two fails_with "not its owner" "must be owner" sql "drop extension sparseeinsum cascade"
fails_with "something depends on it" "other objects depend" sql "drop extension sparseeinsum"
sql "begin; drop extension sparseeinsum cascade; rollback"
psql -XAtq -c "begin" -c "savepoint s" -c "drop schema ext cascade" -c "rollback to s" -c "commit"
sql "drop schema if exists nothing cascade"
is "labels are kept" "$(sql "$labels")" "$before"
is "and work" "$(PGUSER=two sql "set search_path = public, ext; select einsum_value('s[] = two[i,j] * two[i,j]')::text")" 13
PGUSER=two succeeds "one label" sql "set search_path = public, ext; security label for sparseeinsum on table two_part is null; drop owned by two cascade"
is "others' labels stay" "$(sql "$labels")" "$((before / 2))"
fresh dropped
sql "drop extension sparseeinsum cascade"
fails_with "no labels without the extension" "extension \"sparseeinsum\" is not installed" sql "load '\$libdir/sparseeinsum';
	security label for sparseeinsum on table one_edge is '[]'"
succeeds "made again" sql "create extension sparseeinsum"
is "made again it has no tensors" "$(sql "select count(*) from einsum_tensors")" 0

# beside others: what they commit while the drop waits is seen, what they ask for while it lasts is refused
beside() {
	fresh dropped
	holds "set search_path = public, ext; $1"
	sql "set search_path = public, ext; $2" > "$files/second" 2>&1 &
	second=$!
	waits "$2 waits"
	lets_go
	wait "$second"
	status=$?
	if [ "$3" = "" ]; then
		is "$2 beside $1" "$status $(cat "$files/second")" "0 "
	else
		is "$2 beside $1" "$(grep -oE "$3" "$files/second" | head -n 1)" "$3"
	fi
	is "no labels after $2 beside $1" "$(sql "$labels")" 0
}
drop="drop extension sparseeinsum cascade"
register="select einsum_register('late[I]', 'one_parts', '{i}', 'v', '{2}')"
beside "$register" "$drop" ""
beside "security label for sparseeinsum on table two_edge is null" "$drop" ""
beside "drop table two_edge cascade" "$drop" ""
beside "$drop" "$register" "is not installed"
finish
