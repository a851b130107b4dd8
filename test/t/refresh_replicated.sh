#!/bin/bash
# Results on a subscriber of logical replication: rows that are applied there are logged there, and nothing that the
# publisher has of its own, logs and positions, counts. The subscriber is a copy of the publisher, so that tables have
# the same OIDs. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
export PGOPTIONS='-c client_min_messages=warning -c statement_timeout=300s'

sql "alter system set wal_level = logical" > /dev/null
restart fast server.log
sql "create extension if not exists sparseeinsum;
create table t (i int primary key, v float8 not null);
insert into t select i, i + 1 from generate_series(0, 199) i;
select einsum_register('t[I]', 't', '{i}', 'v', '{1000}'), einsum_log('t');
select count(*) from einsum_decompose('r[I] = 2*t[i]; s[] = sum[i] r[i]*r[i]', 'p', materialize => 'incremental');
create publication everything for table t, t__log, sparseeinsum_internal.positions, einsum_statistics" > /dev/null
sql "select pg_create_logical_replication_slot('changes', 'pgoutput')" > /dev/null
copy_server subscriber "wal_receiver_status_interval = 1"
# waits until the subscriber has applied all that has been written
applied() {
	becomes_true "what was written is applied" sql "select confirmed_flush_lsn >= '$(sql "select pg_current_wal_lsn()")' from pg_replication_slots
		where slot_name = 'changes'"
}
sums="select (select sum(value) from r) = (select sum(2*v) from t), (select sum(value) from r__now) = (select sum(2*v) from t),
	(select value from s) = (select sum(4*v*v) from t), (select value from s__now) = (select sum(4*v*v) from t)"
on_copy "create subscription everything connection 'host=$PGHOST port=$PGPORT user=$PGUSER dbname=$PGDATABASE' publication everything
	with (create_slot = false, slot_name = 'changes', copy_data = false)" > /dev/null
# transactions of the publisher have larger numbers
for ((n = 0; n < 20; n++)); do sql "select txid_current()"; done > /dev/null
sql "update t set v = v + 1 where i < 10; delete from t where i = 20; insert into t values (500, 7)"
applied
is "what is applied is logged once" "$(on_copy "select sum(sign), count(*) from t__log")" "0|22"
is "and pending" "$(on_copy "$sums")" "f|t|f|t"
is "a refresh adds it" "$(on_copy "select tensor, how, changes from einsum_refresh('p'); $sums")" "r|added|12
s|added|1
t|t|t|t"
# logs, positions and statistics of the publisher stay there
sql "select count(*) from einsum_refresh('p'); select einsum_analyze('t'); update t set v = v - 1 where i in (1, 2, 3); select count(*) from einsum_refresh('p')" > /dev/null
applied
is "the publisher's refreshes are its own" "$(on_copy "select count(*) filter (where statement >= 0) from t__log; $sums")" "6
f|t|f|t"
sql "truncate t; insert into t values (1, 1)"
applied
is "TRUNCATE is applied" "$(on_copy "$sums; select how from einsum_refresh('p'); $sums")" "f|t|f|t
whole
whole
t|t|t|t"
# a refresh where changes are applied writes a position
on_copy "create function at_commit() returns trigger language plpgsql as 'begin perform public.einsum_refresh(''p'', ''public''); return null; end';
create constraint trigger at_commit after insert or update or delete on t deferrable initially deferred for each row execute function at_commit();
alter table t enable replica trigger at_commit"
sql "insert into t values (2, 5)"
sql "update t set v = v + 3 where i = 2"
applied
is "refreshed at commit" "$(on_copy "$sums; select tensor, how from einsum_refresh('p')")" "t|t|t|t
r|unchanged
s|unchanged"
is "nothing failed" "$(grep -E 'ERROR|PANIC|terminated by signal|TRAP:' "$copy.log")" ""
finish
