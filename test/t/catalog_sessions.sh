#!/bin/bash
# Functions that change registrations and programs in sessions beside each other: none waits in a circle, and what another
# session has dropped is an error with its name. First pairs of calls in both orders, then calls at random (SEED=..., CALLS=... in each session).
# Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning -c search_path=busy,public -c deadlock_timeout=100ms -c statement_timeout=60s'
calls_each=${CALLS:-150}

sql "create extension if not exists sparseeinsum; create schema busy;
create table base (i int, j int, v float8 not null, primary key (i, j)); insert into base select i, j, 1 from generate_series(0, 4) i, generate_series(0, 4) j;
create table one (like base including all); insert into one table base;
create table two (like base including all); insert into two table base;
select einsum_register('base[I,J]', 'base', '{i,j}', 'v', '{5,5}'), einsum_register('m[I,J]', 'one', '{i,j}', 'v', '{5,5}'), einsum_register('n[I,J]', 'two', '{i,j}', 'v', '{5,5}')" > /dev/null
decompose() {
	echo "select count(*) >= 0 from einsum_decompose('$2', '$1', materialize => '${3:-never}', replace => ${4:-true})"
}
rebound() {
	echo "select count(*) >= 0 from einsum_rebound('{\"base\": [$1, $1]}')"
}
q=$(decompose q 'x[i,k] = base[i,j] * base[j,k]; y[i] = sum[k] x[i,k]')
tables=$(decompose q 'x[i,k] = base[i,j] * base[j,k]; y[i] = sum[k] x[i,k]' always)
r=$(decompose r 'w[i] = sum[k] x[i,k]')
iterate="select count(*) from einsum_iterate('walk', 's[i] = y[i]', 's[i] = x[i,k] * s[k] / 1000', max_rounds => 2)"
value="select einsum_value('v[] = sum[i] y[i]') is not null"
store="select einsum_store('kept[I]', 'select i, value from y', '{9}')"
fresh="drop table if exists kept, s; $tables; $r; $iterate"

# the second call waits for the first, or reads what is there, and ends without an error but these
beside() {
	local name=$1 first=$2 second=$3 errors=${4:-none}
	sql "$fresh" > /dev/null
	holds "$first"
	sql "$second" -v VERBOSITY=sqlstate > "$files/second" 2>&1 &
	pid=$!
	waits "$name: the second waits"
	lets_go
	wait "$pid"
	is "$name" "$(grep -oE '(ERROR|FATAL|PANIC):.*' "$files/second" | grep -vE ": +($errors)\$")" ""
}
both() {
	beside "$1" "$2" "$3" "${4:-}"
	beside "$1, the other way round" "$3" "$2" "${5:-}"
}
beside "two who rebound" "$(rebound 6)" "$(rebound 7)"
both "rebound and register" "$(rebound 6)" "select einsum_register('yy[I]', 'y', '{i}', 'value', '{9}', duplicates => 'trust', replace => true)" 42P01
both "rebound and decompose" "$(rebound 6)" "$r"
both "refresh and rebound" "select einsum_refresh('q')" "$(rebound 6)"
beside "drop and iterate" "select einsum_drop('r'); select einsum_drop('q')" "$iterate" "42P01|42704"
beside "drop and the loop's own table" "select einsum_drop('walk')" "$iterate"
beside "iterate and drop" "$iterate" "select einsum_drop('walk')"
beside "drop and store" "select einsum_drop('r'); select einsum_drop('q')" "$store" 42P01
beside "store and drop" "$store" "select einsum_drop('r'); select einsum_drop('q')"
beside "a table and a loop over it" "drop table base cascade; create table base (i int, j int, v float8 not null, primary key (i, j)); insert into base table one; select einsum_register('base[I,J]', 'base', '{i,j}', 'v', '{5,5}')" "$iterate" "42P01|42704"

# what appears while rebound waits: it waits for its name without what it has locked, which that reads
sql "$fresh; select einsum_drop('r')" > /dev/null
holds "$r; lock table x in access share mode"
sql "$(rebound 6)" > "$files/rebound" 2>&1 &
rebounds=$!
waits "rebound waits for the view"
sql "$r" > "$files/decompose" 2>&1 &
decomposes=$!
waits "a program that reads the view waits for its name" 2
lets_go
wait "$rebounds" "$decomposes"
is "a program that appears meanwhile" "$(cat "$files/rebound" "$files/decompose")" $'t\nt'
is "it has the new bounds" "$(sql "select string_agg(tensor || bounds::text, ' ' order by tensor) from einsum_tensors where tensor in ('base', 'w', 'x')")" "base{6,6} w{6} x{6,6}"
# a reader of views of views, and who drops them, lock them in one order
holds "select count(*) from w"
sql "select einsum_drop('r'); select einsum_drop('q')" > "$files/drops" 2>&1 &
drops=$!
waits "dropping waits for who reads"
lets_go
wait "$drops"
is "dropped behind a reader" "$(cat "$files/drops")" ""
# DROP locks what reads a relation after it, and who drops that has locked it before
sql "$fresh; create view reader as select i, k from x" > /dev/null
holds "lock table w in access share mode"
sql "select einsum_drop('r')" > "$files/drop_r" 2>&1 &
drops_r=$!
waits "dropping waits for who holds the view"
sql "select einsum_drop('q')" -v VERBOSITY=sqlstate > "$files/drop_q" 2>&1 &
drops_q=$!
waits "dropping what the view reads waits, too" 2
lets_go
wait "$drops_r" "$drops_q"
is "drops of what reads and what is read" "$(cat "$files/drop_r" "$files/drop_q")" $'\nERROR:  2BP01'

# as does who reads through the view of another owner
sql "$fresh; select einsum_drop('r'); create role guest; grant all on schema busy to guest; grant select on x to guest; set role guest; create view guests as select i, k from x" > /dev/null
holds "lock table x in access share mode"
sql "select einsum_drop('q')" -v VERBOSITY=sqlstate > "$files/drop_q" 2>&1 &
drop_q=$!
waits "dropping waits for who reads the view"
sql "select count(*) from guests" > "$files/guests" 2>&1 &
reads_guests=$!
waits "who reads through another's view waits for who drops" 2
lets_go
wait "$drop_q" "$reads_guests"
is "a drop and a reader of another's view" "$(cat "$files/drop_q" "$files/guests")" $'ERROR:  2BP01\n25'
sql "drop view guests; drop owned by guest; drop role guest" > /dev/null

# who measures many tensors locks them as queries and rebound do: a view before what it reads, though the view is younger
sql "drop view reader; $fresh; create table gap (like base including all); select einsum_register('gap[I,J]', 'gap', '{i,j}', 'v', '{5,5}');
create view reads_y as select i, value from y; select einsum_register('reads_y[I]', 'reads_y', '{i}', 'value', '{9}', duplicates => 'trust')" > /dev/null
holds "lock table gap"
sql "select count(*) > 2 from einsum_analyze()" > "$files/analyze" 2>&1 &
analyzes=$!
waits "who measures waits for a table"
sql "$(rebound 6)" > "$files/rebound" 2>&1 &
rebounds=$!
waits "rebound waits for who measures" 2
lets_go
wait "$rebounds" "$analyzes"
is "rebound while all is measured" "$(cat "$files/rebound" "$files/analyze")" $'t\nt'
sql "drop view reads_y; drop table gap" > /dev/null
# rows of statistics are written in one order
sql "create table three (like base including all); insert into three table base; select einsum_register('l[I,J]', 'three', '{i,j}', 'v', '{5,5}')" > /dev/null
holds "select 1 from einsum_statistics where relid = 'one'::regclass for update"
sql "select count(*) > 2 from einsum_analyze()" > "$files/analyze" 2>&1 &
analyzes=$!
waits "who measures waits for a row"
sql "select count(*) >= 0 from einsum_rebound('{\"l\": [5, 5], \"m\": [5, 5]}')" > "$files/rebound" 2>&1 &
rebounds=$!
waits "rebound waits for the row" 2
lets_go
wait "$rebounds" "$analyzes"
is "rows of statistics in two sessions" "$(cat "$files/rebound" "$files/analyze")" $'t\nt'
both "all is measured beside registering" "select count(*) from einsum_analyze()" "select einsum_register('m[I,J]', 'one', '{i,j}', 'v', '{5,5}', replace => true)"

# calls at random; each reads one relation of programs: what joins several may meet who drops them in another order
walk="select count(*) from einsum_iterate('walk', 's[i] = sum[k] x[i,k]', 's[i] = x[i,k] * s[k] / 1000', max_rounds => 2)"
sql "$fresh" > /dev/null
calls=("$(rebound 5)" "$(rebound 6)" "$(rebound 7)" "$q" "$tables" "$r" "$r" "$(decompose q2 'x[i,k] = base[i,k]; u[i] = max[k] x[i,k]' always)"
	"$(decompose r 'w[i] = sum[j] base[i,j]' always false)" "select einsum_drop('q')" "select einsum_drop('r')" "select einsum_drop('q2')" "select einsum_drop('walk')"
	"select einsum_refresh('q')" "select einsum_refresh('q2')" "$walk" "$walk" "$value" "$value" "select count(*) from einsum_rows('o[I] = sum[k] x[i,k]') as o(i int, value float8)"
	"select einsum_plan('v[] = sum[i] y[i]') is not null" "$store" "drop table kept" "select einsum_unregister('kept')"
	"select count(*) >= 0 from einsum_tensors" "select count(*) from einsum_analyze()" "select count(*) >= 0 from einsum_analyze('base')" "select einsum_register('m[I,J]', 'two', '{i,j}', 'v', '{5,5}', replace => true)" "select einsum_register('m[I,J]', 'one', '{i,j}', 'v', '{5,5}', replace => true)"
	"select einsum_register('n[I,J]', 'one', '{i,j}', 'v', '{5,5}', replace => true)" "select einsum_register('n[I,J]', 'two', '{i,j}', 'v', '{5,5}', replace => true)"
	"select einsum_unregister('m')" "select einsum_register('y2[I]', 'y', '{i}', 'value', '{9}', duplicates => 'trust')" "select einsum_unregister('y2')")
RANDOM=${SEED:-1}
pids=()
for session in 1 2 3 4 5; do
	for _ in $(seq "$calls_each"); do echo "${calls[RANDOM % ${#calls[@]}]};"; done > "$files/script$session"
	psql -XAtq -v VERBOSITY=sqlstate < "$files/script$session" > "$files/session$session" 2>&1 &
	pids+=($!)
done
wait "${pids[@]}"
is "calls at random" "$(cat "$files"/session* | grep -oE '(ERROR|FATAL|PANIC):.*' | grep -vE ': +(42704|42P07|42710|55000|42P01|2BP01)$' | sort | uniq -c | tr -s ' ')" ""
is "some succeeded, some failed" "$(cat "$files"/session* | grep -cE '^(t|[0-9]+)$' | sed 's/^0$/none/; s/^[0-9]*$/some/') $(cat "$files"/session* | grep -c ERROR | sed 's/^0$/none/; s/^[0-9]*$/some/')" "some some"
# also where an error is caught
is "no session waited in a circle" "$(sql "select deadlocks from pg_stat_database where datname = current_database()")" 0
finish
