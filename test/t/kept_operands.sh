#!/bin/bash
# What rounds of a loop keep of a table is read again when another session has written it, or emptied it, and committed:
# the procedure sees it in its next transaction, though it writes itself in between. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=error -c search_path=looped,public -c sparseeinsum.enable_aggregate_join=force'
sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum;
CREATE SCHEMA looped;
CREATE TABLE ring (i int, j int, w float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO ring SELECT i, (i + 1) % 100, 1 FROM generate_series(0, 99) i;
CREATE TABLE start (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO start SELECT i, i FROM generate_series(0, 99) i;
SELECT einsum_register('r[I,J]', 'ring', keys => '{i,j}', value => 'w', bounds => '{100000,100000}');
SELECT einsum_register('s[I]', 'start', keys => '{i}', value => 'v', bounds => '{100000}')" > /dev/null

# the loop runs until the other session's change has come to all entries
ends_after() {
	local name=$1 change=$2 job last
	PGOPTIONS="$PGOPTIONS -c statement_timeout=600000" psql -XAtq -v ON_ERROR_STOP=1 -c "CALL einsum_iterate('turn', 'X[I] = s[i]; n[] = 0',
		'X[J] = sum[i] r[i,j]*x[i]; n[] = n[] + 1; left[] = sum[i] x[i]', commit_every => $3, until => 'left[] == 0', max_rounds => 1000000, restart => true)" > "$files/out" 2>&1 &
	job=$!
	for ((n = 0; n < 3000; n++)); do
		[ "$(psql -XAtqc "SELECT value > 20 FROM n" 2> /dev/null)" != t ] || break
		sleep 0.1
	done
	sql "$change"
	# a loop that does not see it would not end: it is cancelled after some more transactions
	last=$(sql "SELECT value + 100 FROM n")
	while kill -0 $job 2> /dev/null && [ "$(sql "SELECT value > $last FROM n")" = f ]; do
		sleep 0.1
	done
	sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'CALL einsum_iterate%'" > /dev/null
	wait $job
	is "$name" "$(cat "$files/out")" ""
}
ends_after "another session writes the table" "UPDATE ring SET w = 0" 1
sql "UPDATE ring SET w = 1; SELECT einsum_drop('turn')" > /dev/null
ends_after "another session empties the table" "TRUNCATE ring" 3

# of transactions with more subtransactions than are known, beside others of which some are
sql "SELECT einsum_drop('turn'); UPDATE ring SET w = 1; CREATE TABLE notes (x int);
CREATE FUNCTION subtransactions(n int) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
	FOR i IN 1 .. n LOOP
		BEGIN
			INSERT INTO looped.notes VALUES (i);
		EXCEPTION WHEN OTHERS THEN
			NULL;
		END;
	END LOOP;
END \$\$" > /dev/null
holds "SELECT pg_advisory_xact_lock(1)"
others=()
for n in 3 100 3; do
	psql -XAtqc "BEGIN; SELECT subtransactions($n); SELECT pg_advisory_xact_lock_shared(1)" > /dev/null 2>&1 &
	others+=($!)
	waits "transactions that stay open" ${#others[@]}
done
# they are older than what has ended last
sql "CREATE TABLE last ()" > /dev/null
is "transactions with many subtransactions" "$(sql "SELECT count(*) FROM einsum_iterate('few', 'F[I] = s[i]', 'F[J] = sum[i] r[i,j]*f[i]', max_rounds => 3, restart => true)")" 3
lets_go
wait "${others[@]}"
finish
