#!/bin/bash
# Registering and analyzing from several sessions at once: nothing is lost, and
# nothing fails. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning'

sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum;
CREATE SCHEMA concurrent;
CREATE TABLE concurrent.edge (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO concurrent.edge SELECT x / 100, x % 100, 1 FROM generate_series(0, 9999) x"

# labels of one relation are one row: each session must add to what it finds
for session in 1 2 3 4 5 6 7 8; do
	sql "SELECT einsum_register('t$session[I,J]', 'concurrent.edge', '{i,j}', 'v')" > "$files/$session" 2>&1 &
done
wait
is "eight registrations" "$(sql "SELECT count(*) FROM einsum_tensors WHERE schema = 'concurrent'")" 8
is "without errors" "$(cat "$files"/* | tr -d '\n')" ""

for session in 1 2 3 4; do
	for round in 1 2 3; do
		sql "SELECT count(*) FROM einsum_analyze('concurrent.t1')"
	done > "$files/$session" 2>&1 &
done
wait
is "twelve measurements" "$(cat "$files"/[1-4] | sort | uniq -c | tr -s ' ')" " 12 5"
is "all have been measured" "$(sql "SELECT count(*) FROM einsum_tensors WHERE analyzed AND schema = 'concurrent'")" 8

# tables come and go while others list and look up
for session in 1 2 3; do
	for round in 1 2 3 4 5 6 7 8; do
		sql "CREATE TABLE concurrent.x$session (i int PRIMARY KEY, v float8)"
		sql "SELECT einsum_register('x[I]', 'concurrent.x$session', '{i}', 'v', '{9}', storage => 'further')"
		sql "DROP TABLE concurrent.x$session"
	done > "$files/$session" 2>&1 &
done
for session in 4 5; do
	for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
		sql "SELECT count(*) >= 8 FROM einsum_tensors"
		sql "SELECT count(*) FROM sparseeinsum_internal.known_statistics('concurrent.t2')"
	done > "$files/$session" 2>&1 &
done
wait
is "listing and looking up" "$(cat "$files"/[45] | sort | uniq -c | tr -s ' ' | tr '\n' ',')" " 24 5, 24 t,"
is "registering and dropping" "$(cat "$files"/[123] | tr -d '\n')" ""

# two sessions, a relation each, one tensor: the second sees what the first has registered, and that
# they disagree; another tensor's registration does not wait
sql "CREATE TABLE concurrent.small (i int PRIMARY KEY, v float8);
CREATE TABLE concurrent.large (i int PRIMARY KEY, v float8)"
holds "SELECT einsum_register('y[I]', 'concurrent.small', '{i}', 'v', '{10}')"
succeeds "another tensor" sql "SET statement_timeout = '60s'; SELECT einsum_register('z[I]', 'concurrent.large', '{i}', 'v', '{20}')"
sql "SELECT einsum_register('y[I]', 'concurrent.large', '{i}', 'v', '{20}', storage => 'further')" > "$files/further" 2>&1 &
further=$!
waits "a second registration of the tensor"
lets_go
wait $further
is "a storage that disagrees" "$(grep -o 'cannot be a further storage of tensor "y"' "$files/further")" 'cannot be a further storage of tensor "y"'

# sessions that move one tensor to and fro wait for each other, and do not deadlock
sql "SELECT einsum_register('m[I]', 'concurrent.small', '{i}', 'v', '{10}')"
for table in small large; do
	for round in 1 2 3 4 5 6 7 8 9 10; do
		sql "SELECT einsum_register('m[I]', 'concurrent.$table', '{i}', 'v', '{10}', replace => true)"
	done > "$files/$table" 2>&1 &
done
wait
is "moving to and fro" "$(cat "$files/small" "$files/large" | tr -d '\n')" ""
is "to one of the two" "$(sql "SELECT count(*) FROM einsum_tensors WHERE tensor = 'm'")" 1

# a registration that waits for a lock can be cancelled
holds "LOCK TABLE concurrent.edge"
fails_with "cancelled while it waits" "canceling statement due to statement timeout" \
	psql -Xq -v ON_ERROR_STOP=1 -c "SET statement_timeout = 500" \
	-c "SELECT einsum_register('late[I,J]', 'concurrent.edge', '{i,j}', 'v')"
lets_go
sql "DROP SCHEMA concurrent CASCADE"
finish
