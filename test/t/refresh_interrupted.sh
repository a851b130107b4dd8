#!/bin/bash
# Refreshes that a server's end interrupts, or that a prepared transaction holds: results are as before or as their
# queries are, and the next refresh finds what is pending. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning -c statement_timeout=300s'

sql "alter system set max_prepared_transactions = 10" > /dev/null
restart fast server.log
sql "create extension if not exists sparseeinsum;
create table t (i int primary key, v float8 not null);
insert into t select i, i + 1 from generate_series(0, 199) i;
select einsum_register('t[I]', 't', '{i}', 'v', '{1000}'), einsum_log('t');
select count(*) from einsum_decompose('r[I] = 2*t[i]; s[] = sum[i] r[i]*r[i]', 'p', materialize => 'always')" > /dev/null
refresh="select tensor, how, why, changes from einsum_refresh('p')"
nothing="r|unchanged|nothing that it reads has changed|0
s|unchanged|nothing that it reads has changed|0"
# rows in which results differ from their queries
wrong() {
	sql "select (select count(*) from ((table r except all table r__query) union all (table r__query except all table r)) x)
		+ (select count(*) from ((table s except all table s__query) union all (table s__query except all table s)) x)"
}
is "nothing has changed" "$(sql "$refresh")" "$nothing"

# who writes is prepared: its rows are pending for the first refresh that sees them
sql "begin; update t set v = -1 where i = 1; prepare transaction 'write'" > /dev/null
is "a prepared change is not seen" "$(sql "$refresh")" "$nothing"
sql "update t set v = -2 where i = 2" > /dev/null
is "others are" "$(sql "select tensor, changes from einsum_refresh('p') where tensor = 'r'")" "r|1"
restart fast server.log
is "also behind a restart it is not seen" "$(sql "$refresh")" "$nothing"
sql "commit prepared 'write'"
is "committed it is pending" "$(sql "select tensor, changes from einsum_refresh('p') where tensor = 'r'"; wrong)" "r|1
0"
sql "begin; update t set v = -1; prepare transaction 'write'" > /dev/null
sql "rollback prepared 'write'"
is "rolled back it is not" "$(sql "$refresh"; wrong)" "$nothing
0"

# a refresh is prepared, between two changes of its own: readers see what was, and it counts from its command on
own="begin; update t set v = v + 1 where i = 3; select count(*) from einsum_refresh('p'); update t set v = v + 1 where i = 4; prepare transaction 'refresh'"
before=$(sql "table r order by 1; table s")
sql "$own" > /dev/null
sql "update t set v = v + 1 where i = 5" > /dev/null
is "readers do not wait, and see what was" "$(sql "table r order by 1; table s")" "$before"
restart fast server.log
fails_with "another refresh waits" "lock timeout" sql "set lock_timeout = 300; $refresh"
sql "commit prepared 'refresh'"
is "its own change behind it is pending, as that of another" "$(wrong; sql "select tensor, changes from einsum_refresh('p') where tensor = 'r'"; wrong)" "4
r|2
0"
before=$(sql "table r order by 1; table s")
sql "$own" > /dev/null
sql "rollback prepared 'refresh'"
is "rolled back, all is as before" "$(sql "table r order by 1; table s"; sql "$refresh")" "$before
$nothing"

# a refresh has written its position and rows of the first table when its process or the server ends
sql "create function stays() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock(1); return null; end';
create trigger stays after insert or update or delete on r for each statement execute function stays()" > /dev/null
is "a trigger of the user's on a result" "$(sql "$refresh" > /dev/null; wrong)" 0
restart fast killed.log
begin() {
	sql "update t set v = v + $1 where i % 10 = 0; delete from t where i = $1" > /dev/null
	pending=$(sql "select count(*) from t__log")
	holds "select pg_advisory_lock(1)"
	sql "$refresh" > "$files/out" 2>&1 &
	refresh_job=$!
	waits "a refresh is amid its tables"
}
for end in kill immediate; do
	before=$(sql "table r order by 1; table s")
	begin 6
	if [ $end = kill ]; then
		kill -9 "$(sql "select pid from pg_stat_activity where query like 'select tensor%' and wait_event_type = 'Lock'")"
		answers
	else
		restart immediate killed.log
	fi
	wait $refresh_job
	lets_go > /dev/null 2>&1
	is "$end: results are as before" "$(sql "table r order by 1; table s")" "$before"
	is "$end: the log has what is pending" "$(sql "select count(*) > 0 and count(*) = $pending from t__log")" t
	is "$end: the next refresh finds it" "$(sql "select tensor, changes > 0 from einsum_refresh('p')"; wrong)" "r|t
s|
0"
	is "$end: and the next one nothing" "$(sql "$refresh")" "$nothing"
done
finish
