#!/bin/bash
# Logs of tables while many sessions write, and dumped and restored. CALLS chooses how many transactions each writer makes.
# Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning -c deadlock_timeout=100ms -c statement_timeout=300s'
calls=${CALLS:-100}

wrong="create view wrong as select i, v, sum(sign) from (
	select i, v, 1 as sign from kept union all select i, v, sign from t__log union all select i, v, -1 from t) x
	group by i, v having sum(sign) <> 0"
sql "create extension if not exists sparseeinsum;
create table t (i int primary key, v float8 not null);
insert into t select i, i from generate_series(0, 199) i;
select einsum_register('t[I]', 't', '{i}', 'v', '{1000}'), einsum_log('t');
create table kept as select * from t;
$wrong" > /dev/null

# four writers: single statements, savepoints that are rolled back or released, transactions that are rolled back
write() {
	local n
	for n in $(seq "$calls"); do
		case $((n % 4)) in
		0) echo "insert into t values ($((RANDOM % 200)), $n) on conflict (i) do update set v = excluded.v;" ;;
		1) echo "delete from t where i = $((RANDOM % 200));" ;;
		2) echo "begin; update t set v = v + 1 where i = $((RANDOM % 200)); savepoint s; delete from t where i = $((RANDOM % 200)); rollback to s;
			savepoint u; insert into t values ($((RANDOM % 200)), $n) on conflict do nothing; release u; commit;" ;;
		3) echo "begin; update t set v = -v where i = $((RANDOM % 200)); rollback;" ;;
		esac
	done
}
for level in 'read committed' 'repeatable read'; do
	pids=()
	for writer in 1 2 3 4; do
		write | PGOPTIONS="$PGOPTIONS -c default_transaction_isolation=${level// /\\ }" psql -XAtq -v VERBOSITY=sqlstate > "$files/$writer" 2>&1 &
		pids+=($!)
	done
	for n in $(seq 10); do
		is "the log is that of the table meanwhile, $level" "$(sql "select * from wrong")" ""
	done
	wait "${pids[@]}"
	is "no other errors, $level" "$(cat "$files"/* | grep -oE '(ERROR|FATAL|PANIC):.*' | grep -vE ': +(40001|40P01|25P02|3B001)$' | sort | uniq -c)" ""
	is "the log is that of the table, $level" "$(sql "select * from wrong")" ""
	is "there was something to log, $level" "$(sql "select count(*) > $calls from t__log")" t
done
is "numbers of transactions are those of the top level" "$(sql "select count(*) from t__log where xid >= (pg_current_xact_id()::text)::xid8 or sign = 0")" 0

# who drops a log is waited for, and no writer fails
holds "drop table t__log cascade"
sql "insert into t values (900, 1)" > "$files/writes" 2>&1 &
writes=$!
waits "a writer waits for who drops its log"
lets_go
wait "$writes"
is "and writes its table" "$(cat "$files/writes"; sql "select v from t where i = 900")" 1

# a log begins behind those who write
sql "truncate kept; insert into kept select * from t" > /dev/null
holds "insert into t values (901, 1)"
sql "select einsum_log('t')" > "$files/log" 2>&1 &
log=$!
waits "a log waits for who writes"
lets_go
wait "$log"
sql "$wrong; insert into kept values (901, 1); update t set v = 5 where i = 901" > /dev/null
is "its rows are those behind it" "$(sql "select * from wrong; select i, v, sign from t__log order by sign")" "901|1|-1
901|5|1"

# a partition that is younger than the log: its writer, who has it and writes the log later, is waited for
sql "create table p (i int primary key, v float8 not null) partition by range (i);
create table part_a partition of p for values from (0) to (10);
select einsum_register('p[I]', 'p', '{i}', 'v', '{20}'), einsum_log('p');
create table part_b partition of p for values from (10) to (20); select einsum_log('p')" > /dev/null
for log in true false; do
	holds "select pg_advisory_xact_lock(7)"
	sql "insert into part_b select 10 + count(*) + (select count(*) from p), 1 from pg_advisory_xact_lock(7)" > "$files/part" 2>&1 &
	writes=$!
	waits "a writer of a partition waits"
	sql "select einsum_log('p', $log)" > "$files/log" 2>&1 &
	log=$!
	waits "einsum_log waits for it" 2
	lets_go
	wait "$writes" "$log"
	is "neither fails" "$(cat "$files/part" "$files/log")" ""
done
is "both rows are there" "$(sql "select count(*) from part_b")" 2

# dumped and restored: table, log, triggers with their states
sql "create database restored" > /dev/null
pg_dump 2> "$files/dump" | PGDATABASE=restored psql -XAtq -v ON_ERROR_STOP=1 > "$files/restore" 2>&1
is "restored without errors" "$(grep -h ERROR "$files/restore" "$files/dump")" ""
is "the triggers are there" "$(PGDATABASE=restored sql "select string_agg(tgenabled::text, '' order by tgname) from pg_trigger where tgrelid = 't'::regclass and not tgisinternal")" OORAO
is "the log is written" "$(PGDATABASE=restored sql "update t set v = 6 where i = 901; select * from wrong; select log from einsum_tensors where tensor = 't'")" t__log
is "it can be renewed and dropped" "$(PGDATABASE=restored sql "select einsum_log('t'); drop view wrong; select einsum_log('t', false); select coalesce(to_regclass('t__log')::text, 'gone')" 2>&1 | tr -d '\n')" gone
finish
