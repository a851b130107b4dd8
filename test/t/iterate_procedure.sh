#!/bin/bash
# The procedure einsum_iterate: what it has committed is a whole round's state when it is cancelled, its
# backend is killed or the server stopped at once, and the next call continues from there; others
# watch it meanwhile, two do not run it at once, and its tables do not grow. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning -c search_path=looped,public'
sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum;
CREATE SCHEMA looped;
CREATE TABLE b (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO b SELECT i, 1 FROM generate_series(0, 9999) i;
SELECT einsum_register('b[I]', 'b', '{i}', 'v', '{10000}')" > /dev/null
loop="'count', 'x[I] = 0*b[i]; n[] = 0', 'X[I] = x[i] + b[i]; n[] = n[] + 1'"
# rounds that are committed: all rows are of one, which is a multiple of 3
committed="SELECT CASE WHEN min(x.value) = max(x.value) AND count(*) = 10000 AND min(x.value) = min(n.value) AND min(n.value)::int % 3 = 0 THEN min(n.value) ELSE -1 END FROM x, n"

# begins the loop in the background and waits until it has committed more than there was
begin() {
	local before=$1
	psql -XAtq -c "CALL einsum_iterate($loop, commit_every => 3, max_rounds => 1000000)" > "$files/out" 2>&1 &
	loop_job=$!
	for ((n = 0; n < 3000; n++)); do
		[ "$(psql -XAtqc "SELECT value > $before + 10 FROM n" 2> /dev/null)" != t ] || return
		sleep 0.1
	done
	fail "the loop commits nothing: $(cat "$files/out")"
}
grown() {
	[ "$2" -gt "$1" ] && echo t
}

begin 0
is "others watch it, each at a whole round" "$(for n in 1 2 3 4 5; do sql "SELECT min(x.value) = max(x.value) FROM x"; done | sort -u)" t
one=$(sql "$committed")
is "what they see is of one round" "$([ "$one" -gt 0 ] && echo t)" t
fails_with "another call waits" "canceling statement due to statement timeout" psql -XAtq -v ON_ERROR_STOP=1 -c "SET statement_timeout = 700" -c "CALL einsum_iterate($loop, commit_every => 3, max_rounds => 3)"
sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL einsum_iterate%'" > /dev/null
wait $loop_job
is "cancelled" "$(grep -o 'canceling statement due to user request' "$files/out")" "canceling statement due to user request"
cancelled=$(sql "$committed")
is "the last commit is there" "$(grown "$one" "$cancelled")" t
is "nothing is held" "$(sql "SELECT count(*) FROM pg_locks WHERE locktype = 'object' AND pid <> pg_backend_pid()")" 0
is "temporary files are gone" "$("${as_server[@]}" find "$SPARSEEINSUM_CLUSTER/data/base/pgsql_tmp" -type f 2> /dev/null | wc -l)" 0
sql "CALL einsum_iterate($loop, commit_every => 3, max_rounds => 3)"
is "it continues from there" "$(sql "$committed")" "$((cancelled + 3))"

restart fast killed.log
begin "$(sql "$committed")"
pid=$(sql "SELECT pid FROM pg_stat_activity WHERE query LIKE 'CALL einsum_iterate%'")
kill -9 "$pid"
wait $loop_job
answers
killed=$(sql "$committed")
is "killed: the last commit is there" "$(grown "$((cancelled + 10))" "$killed")" t
sql "CALL einsum_iterate($loop, commit_every => 3, max_rounds => 3)"
is "it continues from there, too" "$(sql "$committed")" "$((killed + 3))"

begin "$killed"
restart immediate server.log
wait $loop_job
stopped=$(sql "$committed")
is "stopped at once: the last commit is there" "$(grown "$((killed + 10))" "$stopped")" t
sql "CALL einsum_iterate($loop, commit_every => 3, max_rounds => 3)"
is "it continues after recovery" "$(sql "$committed")" "$((stopped + 3))"

# a table that is dropped between two commits
begin "$stopped"
sql "DROP TABLE n"
wait $loop_job
is "dropped" "$(grep -oE 'the table of state "n" has been dropped|relation .*n.* does not exist' "$files/out" | head -n 1)" 'the table of state "n" has been dropped'
is "the other is of a round" "$(sql "SELECT min(value) = max(value) FROM x")" t
fails_with "which is told" 'There is a table of "x", but none of "n"' psql -XAtq -v ON_ERROR_STOP=1 -c "CALL einsum_iterate($loop, commit_every => 3, max_rounds => 3)"

# no bloat, whoever commits: vacuum has nothing to do with it
sql "CALL einsum_iterate($loop, commit_every => 1, max_rounds => 1, restart => true)"
sql "ALTER TABLE x SET (autovacuum_enabled = off)"
size=$(sql "SELECT pg_table_size('x')")
sql "CALL einsum_iterate($loop, commit_every => 1, max_rounds => 300)"
is "300 commits of 10,000 rows" "$(sql "SELECT pg_table_size('x') <= 2 * $size, min(value), max(value) FROM x")" "t|301|301"
sql "SELECT count(*) FROM einsum_iterate('once', 'y[I] = 0*b[i]', 'Y[I] = y[i] + b[i]', max_rounds => 300)" > /dev/null
sql "CREATE TABLE one_round AS SELECT * FROM y"
is "300 rounds of the function" "$(sql "SELECT pg_table_size('y') <= 2 * pg_table_size('one_round'), min(value), max(value) FROM y")" "t|300|300"
# rows that stay as they are are not written
before=$(sql "SELECT sum(xmin::text::bigint) FROM x")
sql "SELECT count(*) FROM einsum_iterate('count', NULL, 'X[I] = x[i]; n[] = n[] + 1', max_rounds => 3)" > /dev/null
is "what has not changed is not written" "$(sql "SELECT sum(xmin::text::bigint) FROM x")" "$before"
# beyond work_mem: rows in files, which last from commit to commit
PGOPTIONS="$PGOPTIONS -c work_mem=64kB" sql "CALL einsum_iterate($loop, commit_every => 2, max_rounds => 5)"
is "rows in files" "$(sql "SELECT min(value), max(value) FROM x")" "306|306"
finish
