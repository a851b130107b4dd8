#!/bin/bash
# Programs that are made, replaced, refreshed and dropped by many sessions at once: whatever the order, no session waits
# in a circle, and none meets the other's half-done work. Errors are only those that a user can make sense of: there is
# no such program, or there is one. CALLS chooses how many each makes. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning -c search_path=busy,public -c deadlock_timeout=100ms -c statement_timeout=600s'
calls=${CALLS:-50}

sql "create extension if not exists sparseeinsum;
create schema busy;
create table base (i int, j int, v float8 not null, primary key (i, j));
insert into base select i, j, 1 from generate_series(0, 4) i, generate_series(0, 4) j;
select einsum_register('base[I,J]', 'base', '{i,j}', 'v', '{5,5}')" > /dev/null

# runs each call over and over in sessions of its own; $1 names the case
together() {
	local name=$1 session=0 call pids=()
	shift
	rm -f "$files"/*
	for call in "$@"; do
		session=$((session + 1))
		# one session each, which continues after errors and writes down their codes
		psql -XAtq -v VERBOSITY=sqlstate < <(yes "$call;" 2> /dev/null | head -n "$calls") > "$files/$session" 2>&1 &
		pids+=($!)
	done
	wait "${pids[@]}"
	is "$name: no other errors" "$(cat "$files"/* | grep -oE '(ERROR|FATAL|PANIC):.*' | grep -vE ": +(42704|42P07|42710|55000|42P01${also:-})\$" | sort | uniq -c | tr -s ' ')" ""
}
decompose() {
	echo "select count(*) >= 0 from einsum_decompose('$1', '$2', materialize => '$3', replace => ${4:-true})"
}
one=$(decompose 'x[i,k] = base[i,j] * base[j,k]; y[i] = sum[k] x[i,k]; z[] = sum[i] y[i]' p always)
two=$(decompose 'z[] = base[i,j] * base[j,i]; x[i,k] = max[j] (base[i,j] + base[j,k])' p always)
views=$(decompose 'x[i,k] = base[i,j] * base[j,k]; y[i] = sum[k] x[i,k]' p never)
other=$(decompose 'y[i] = sum[k] base[i,k]; x[i,k] = base[i,j] * base[j,k]' q never)

together "the same program" "$one" "$one" "$one"
is "it is whole" "$(sql "select value from z")" 125
together "different programs of one name" "$one" "$two" "$views"
together "two programs that define the same tensors" "$views" "$other" "$views" "$other"
sql "$one" > /dev/null
together "refresh and drop" "select einsum_refresh('p')" "select einsum_refresh('p')" "select einsum_drop('p')" "$one"
sql "$one" > /dev/null
together "all" "select einsum_refresh('p')" "select einsum_drop('p')" "$one" "$two" "$(decompose 'x[i] = sum[j] base[i,j]' p never false)"
sql "$one" > /dev/null
is "programs are as when made alone" "$(sql "select value from z; select count(*) from x; select string_agg(distinct status, ',') from einsum_tensors where schema = 'busy'")" "$(sql "$one; select einsum_drop('p'); $one" > /dev/null; sql "select value from z; select count(*) from x"; echo ok)"
# keys, and their order inside of values, that come and go while programs are planned: without an order no label is inside of
# values, and without keys values have too many entries
keys="create table keys (name text primary key, place int not null unique check (place >= 0)); insert into keys select 'k' || p, p from generate_series(0, 8) p; select einsum_dimension('keys', 'keys', 'name', 'place')"
sql "$keys; create table held (v tensor not null); insert into held values ('[1,2,3,4,5,6,7,8,9]'); create table rows_of (k text primary key, value float8 not null);
insert into rows_of select 'k' || p, p from generate_series(0, 8) p; select einsum_register('d[k]', 'held', '{}', 'v', '{keys}'), einsum_register('e[K]', 'rows_of', '{k}', 'value', '{keys}')" > /dev/null
also='|0A000|2202E|22003' together "keys come and go" "select einsum_value('s[k] = d[k] + e[k]') is not null" "select einsum_plan('s[k] = 2 * d[k] + exp(e[k]); t[] = sum[k] s[k]') is not null" \
	"select count(*) from einsum_rows('s[K] = d[K] * e[K]') as r(k text, value float8)" "select einsum_unregister('keys'); select einsum_dimension('keys', 'keys', 'name', 'place')" \
	"select einsum_unregister('keys'); select einsum_dimension('keys', 'keys', 'name')" "drop table keys; $keys" "select einsum_register('d[k]', 'held', '{}', 'v', '{keys}', replace => true)"
# registering reads the values between its looks at the keys
sql "drop table keys; $keys; create view slow as select v from held where pg_advisory_xact_lock_shared(7) is not null" > /dev/null
holds "select pg_advisory_lock(7)"
sql "select einsum_register('slow[k]', 'slow', '{}', 'v', '{keys}')" > "$files/registers" 2>&1 &
registers=$!
waits "registering reads the values"
sql "select einsum_unregister('keys'); select einsum_dimension('keys', 'keys', 'name')" > /dev/null
lets_go
wait "$registers"
is "the keys have lost their order meanwhile" "$(cat "$files/registers")" 'ERROR:  dimension "keys" has no positions any more
HINT:  Declare it with einsum_dimension(name, relation, key, position).'
# a session that replaces a program waits for its table, and one that registers it anew comes after
sql "$one" > /dev/null
holds "lock table y in share update exclusive mode"
sql "$one" > "$files/replaces" 2>&1 &
replaces=$!
waits "replacing waits"
sql "select einsum_register('y[I]', 'y', '{i}', 'value', '{5}', duplicates => 'trust', replace => true)" > "$files/registers" 2>&1 &
registers=$!
waits "registering waits as well" 2
lets_go
wait "$replaces" "$registers"
is "registering beside replacing" "$(grep -h ERROR "$files/replaces" "$files/registers" | grep -v "is the result of program")" ""

holds "$(decompose 'made[i] = sum[j] base[i,j]' s always)"
is "others' locks do not wait for the making of other programs" "$(
	sql "set statement_timeout = '60s'; $(decompose 'elsewhere[i] = sum[j] base[i,j]' r never)" 2>&1)" t
lets_go rollback
finish
