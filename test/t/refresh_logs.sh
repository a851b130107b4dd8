#!/bin/bash
# Refreshes of what logs tell, computed (r) and added (s), beside many who write and refresh; dumped and restored. CALLS chooses how many transactions each
# writer makes. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning -c deadlock_timeout=100ms -c statement_timeout=300s'
calls=${CALLS:-100}

# A result, and what its log says to be pending behind its position, are its table, in one snapshot. Entries that are 0 are not stored.
behind() {
	cat <<-SQL
	create view behind_$1 as with pending as (
		select l.i, l.v, l.sign from t__log l, sparseeinsum_internal.positions p where p.result = '$1'::regclass and
			case when l.statement < 0 then l.xid <> p.xid and l.xid >= pg_snapshot_xmin(p.snapshot)
				when l.xid = p.xid then l.statement > p.statement else not pg_visible_in_snapshot(l.xid, p.snapshot) end)
	select i, v, sum(sign) from (
		select i, value/$2 as v, 1 as sign from $1 union all select i, v, sign from pending union all select i, v, -1 from t) x
	where v <> 0 and not exists (select from pending where sign = 0)
		and exists (select from sparseeinsum_internal.positions where result = '$1'::regclass)
	group by i, v having sum(sign) <> 0;
	SQL
}
sql "create extension if not exists sparseeinsum;
create table t (i int primary key, v float8 not null);
insert into t select i, i from generate_series(0, 199) i;
select einsum_register('t[I]', 't', '{i}', 'v', '{1000}'), einsum_log('t');
select count(*) from einsum_decompose('r[I] = 2*t[i]', 'r', materialize => 'always') x,
	einsum_decompose('s[I] = 4*t[i]; u[] = sum[i] s[i]*t[i]', 's', materialize => 'incremental') y;
$(behind r 2)
$(behind s 4)
create view behind_now as select 's', i, sum(v) from (select i, value/4 as v from s__now union all select i, -v from t) x group by i having sum(v) <> 0
	union all select 'u', null, u.value from u__now u where u.value <> (select coalesce(sum(4*v*v), 0) from t);" > /dev/null

write() {
	local n
	for n in $(seq "$calls"); do
		case $((n % 5)) in
		0) echo "insert into t values ($((RANDOM % 200)), $n) on conflict (i) do update set v = excluded.v;" ;;
		1) echo "delete from t where i = $((RANDOM % 200));" ;;
		2) echo "begin; update t set v = v + 1 where i = $((RANDOM % 200)); savepoint s; delete from t where i = $((RANDOM % 200)); rollback to s;
			savepoint u; insert into t values ($((RANDOM % 200)), $n) on conflict do nothing; release u; commit;" ;;
		3) echo "begin; update t set v = -v where i = $((RANDOM % 200)); rollback;" ;;
		4) echo "begin; update t set v = v + 1 where i = $((RANDOM % 200)); select count(*) from einsum_refresh('$1');
			update t set v = v + 1 where i = $((RANDOM % 200)); commit;" ;;
		esac
	done
}
refresh() {
	local n
	for n in $(seq "$((calls / 2))"); do
		echo "select how, why from einsum_refresh('$1');"
	done
}
for level in 'read committed' 'repeatable read'; do
	pids=()
	for session in 1 2 3 4; do
		case $session in
		1) write r ;;
		2) write s ;;
		3) refresh r ;;
		4) refresh s ;;
		esac | PGOPTIONS="$PGOPTIONS -c default_transaction_isolation=${level// /\\ }" psql -XAtq -v VERBOSITY=sqlstate > "$files/$session" 2>&1 &
		pids+=($!)
	done
	for n in $(seq 10); do
		is "results are where their positions say, $level" "$(sql "table behind_r; table behind_s")" ""
		is "with what is pending they are current, $level" "$(sql "table behind_now")" ""
	done
	wait "${pids[@]}"
	is "no other errors, $level" "$(cat "$files"/* | grep -oE '(ERROR|FATAL|PANIC):.*' | grep -vE ': +(40001|40P01|25P02|3B001)$' | sort | uniq -c)" ""
	is "they are at the end, $level" "$(sql "table behind_r; table behind_s; table behind_now")" ""
	sql "select count(*) from einsum_refresh('r') x, einsum_refresh('s') y" > /dev/null
	is "refreshed, they are their tables, $level" \
		"$(sql "select count(*) from (table r except table r__query) x; select count(*) from (select i, value from s where value <> 0 except table s__query) x")" "0
0"
done
is "then nothing is computed" "$(sql "select how, why from einsum_refresh('r') union all select how, why from einsum_refresh('s')")" \
	"unchanged|nothing that it reads has changed
unchanged|nothing that it reads has changed
unchanged|nothing that it reads has changed"
sql "update t set v = v + 1 where i = (select min(i) from t)"
is "what has changed is added" "$(sql "select distinct how from einsum_refresh('s'); table behind_s")" "added"
is "nothing is pending then" "$(sql "table behind_now; select count(*) from s__now x full join s using (i) where x.value is distinct from s.value")" 0
sql "drop view behind_s, behind_now; select einsum_drop('s')" > /dev/null
sql "insert into t values (0, 1), (1, 1), (2, 1) on conflict (i) do update set v = 1"
is "and the log has a note, and no rows" "$(sql "select how from einsum_refresh('r'); select count(*), min(statement), min(sign) from t__log")" "difference
1|-1|0"

# a writer that began before a refresh and commits behind it is not missed, though another is younger
holds "update t set v = 1000 where i = 1"
sql "update t set v = 2000 where i = 2; select count(*) from einsum_refresh('r')" > /dev/null
lets_go
is "who commits later is pending" "$(sql "select why from einsum_refresh('r'); select value from r where i in (1, 2) order by i")" 'table "t" has changed
2000
4000'
# nor is what was deleted from the log while another session, which could not lock it, computed a result at an older snapshot
holds "select pg_advisory_xact_lock(9); savepoint s; lock t__log in share update exclusive mode"
sql "begin; select count(*) from einsum_decompose('u[I] = 8*t[i]', 'u', materialize => 'always'); select pg_advisory_xact_lock(9); commit" > "$files/u" 2>&1 &
computes=$!
waits "another session has computed a result"
echo "rollback to s; select 'released';" >&"${holder[1]}"
while read -r -t 300 line <&"${holder[0]}" && [ "$line" != released ]; do :; done
sql "update t set v = 2500 where i = 2; select count(*) from einsum_refresh('r')" > /dev/null
is "the rows are deleted" "$(sql "select count(*) from t__log where statement >= 0")" 0
lets_go
wait "$computes"
is "who computed meanwhile computes again" "$(sql "select why from einsum_refresh('u'); select value from u where i = 2; select why from einsum_refresh('u')")" \
	'table "t" has changed
20000
nothing that it reads has changed'
# who has the log locked keeps its rows, and nothing waits
holds "lock t__log in share update exclusive mode"
sql "update t set v = 3000 where i = 2; select count(*) from einsum_refresh('r') x, einsum_refresh('u') z" > /dev/null
is "rows stay while the log is locked" "$(sql "select count(*) >= 2 from t__log where statement >= 0")" t
lets_go

# a partition that is written while it is detached, with triggers that some minor versions do not let it come back with
sql "create table part (i int primary key, v float8 not null) partition by range (i); create table part_a partition of part for values from (0) to (5);
insert into part values (1, 1); select einsum_register('part[I]', 'part', '{i}', 'v', '{5}'), einsum_log('part');
select count(*) from einsum_decompose('of_part[I] = 2*part[i]', 'of_part', materialize => 'always')" > /dev/null
is "nothing has changed" "$(sql "select why from einsum_refresh('of_part')")" "nothing that it reads has changed"
sql "alter table part detach partition part_a; update part_a set v = 2; alter table part attach partition part_a for values from (0) to (5)"
is "what a partition was while it was detached" "$(sql "select how from einsum_refresh('of_part'); select value from of_part")" "whole
4"

# what a dump of another server has in a log is not pending for ever
sql "insert into t__log values ('99999999', -1, 0), ('99999998', 3, 1)"
is "rows of another server are seen once by each" "$(for n in 1 2 3; do for program in r u; do sql "select why from einsum_refresh('$program')"; done; done | tail -2)" \
	"nothing that it reads has changed
nothing that it reads has changed"

# dumped and restored: positions are those of this cluster and are left behind
sql "update t set v = 4000 where i = 2"
sql "create database restored"
pg_dump 2> "$files/dump" | PGDATABASE=restored psql -XAtq -v ON_ERROR_STOP=1 > "$files/restore" 2>&1
is "restored without errors" "$(grep -h ERROR "$files/restore" "$files/dump")" ""
is "no position is restored" "$(PGDATABASE=restored sql "select count(*) from sparseeinsum_internal.positions")" 0
is "its results are computed once" "$(PGDATABASE=restored sql "select why from einsum_refresh('r'); select why from einsum_refresh('r'); select value from r where i = 2")" \
	"up to where it is computed is not known
nothing that it reads has changed
8000"
is "and changes are logged" "$(PGDATABASE=restored sql "update t set v = 5000 where i = 2; select why from einsum_refresh('r'); select value from r where i = 2")" \
	'table "t" has changed
10000'
finish
