#!/bin/bash
# Results on a standby: their views that are current add what has arrived there, with no transaction of their own.
# Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
export PGOPTIONS='-c client_min_messages=warning -c statement_timeout=300s'

sql "create extension if not exists sparseeinsum;
create table t (i int primary key, v float8 not null);
insert into t select i, i + 1 from generate_series(0, 199) i;
select einsum_register('t[I]', 't', '{i}', 'v', '{1000}'), einsum_log('t');
select count(*) from einsum_decompose('r[I] = 2*t[i]; s[] = sum[i] r[i]*r[i]', 'p', materialize => 'incremental')" > /dev/null
copy_server standby "" -R
# runs SQL on the standby, once it has all that has been written
there() {
	becomes_true "the standby has what was written" on_copy "select pg_last_wal_replay_lsn() >= '$(sql "select pg_current_wal_flush_lsn()")'"
	on_copy "$1"
}
sums="select (select sum(value) from r), (select sum(value) from r__now), (select sum(2*v) from t),
	(select value from s__now) = (select sum(4*v*v) from t)"
followed="select sparseeinsum_internal.einsum_is_followed(array['r', 's']::regclass[], array['t']::regclass[], array['t__log']::regclass[])"
is "nothing is pending" "$(there "$followed; $sums")" "t
40200|40200|40200|t"
sql "update t set v = v + 1 where i < 10; delete from t where i = 20"
is "what is pending is added" "$(there "$followed; $sums")" "t
40200|40178|40178|t"
is "at a key" "$(there "select value from r__now where i = 3")" 10
is "in one snapshot" "$(there "begin isolation level repeatable read; $sums; select txid_current_if_assigned() is null; commit")" "40200|40178|40178|t
t"
sql "select count(*) from einsum_refresh('p')" > /dev/null
is "refreshed" "$(there "$followed; $sums")" "t
40178|40178|40178|t"
sql "truncate t"
is "what the log does not tell is computed" "$(there "$followed; select (select count(*) from r), (select count(*) from r__now), (select value from s__now)")" "f
199|0|0"
fails_with "a refresh is not for a standby" "cannot execute einsum_refresh\\(\\) in a read-only transaction" env PGPORT=5433 psql -XAtq -c "select einsum_refresh('p')"
is "no crash" "$(grep -E 'PANIC|terminated by signal|TRAP:' "$copy.log")" ""
finish
