#!/bin/bash
# Loop nests where something is short: a disk that is full while parts are written, and time: a query ends soon in each of
# its phases, as a timeout and a cancellation end it. Many groups of one row take the memory of their rows. Nothing is left. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=error -c search_path=short,public -c sparseeinsum.enable_aggregate_join=force -c max_parallel_workers_per_gather=0'
sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum;
CREATE SCHEMA short;
CREATE TABLE edge (i int NOT NULL, j int NOT NULL, a text NOT NULL, b text NOT NULL, v float8 NOT NULL);
INSERT INTO edge SELECT k % 20011, k * 7 % 20021, 'node ' || k % 20011, 'node ' || k * 7 % 20021, k % 9 FROM generate_series(1, 200000) k;
CREATE TABLE dense (LIKE edge);
INSERT INTO dense SELECT k % 211, k * 7 % 223, 'node ' || k % 211, 'node ' || k * 7 % 223, k % 9 FROM generate_series(1, 200000) k;
ANALYZE edge, dense" > /dev/null

# temporary files of the server
temporary_files() {
	psql -XAtqc "SELECT count(*) FROM pg_ls_tmpdir()"
}
two="SELECT count(*), sum(s) FROM (SELECT p.i, q.j, tensor_sum(sparseeinsum_internal.scalar_multiply(p.v, q.v)) AS s FROM edge p, edge q WHERE p.j = q.i GROUP BY p.i, q.j OFFSET 0) t"
# which do not end by themselves
three="SELECT count(*), sum(s) FROM (SELECT p.i, r.j, tensor_sum(sparseeinsum_internal.scalar_multiply(p.v, r.v)) AS s FROM dense p, dense q, dense r WHERE p.j = q.i AND q.j = r.i GROUP BY p.i, r.j OFFSET 0) t"
named="SELECT count(*), sum(s) FROM (SELECT p.a, r.b, tensor_sum(sparseeinsum_internal.scalar_multiply(p.v, r.v)) AS s FROM dense p, dense q, dense r WHERE p.b = q.a AND q.b = r.a GROUP BY p.a, r.b OFFSET 0) t"
moments="5 20 50 100 200 400"
ends_soon "integers at once" "SET work_mem = '64MB'" "$three" $moments
ends_soon "integers in parts" "SET work_mem = '1MB'" "$three" $moments
ends_soon "keys by dictionaries at once" "SET work_mem = '64MB'" "$named" $moments
ends_soon "keys by dictionaries in parts" "SET work_mem = '2MB'" "$named" $moments
is "no files are left" "$(temporary_files)" 0

# cancelled while it runs
psql -XAtq -c "SET application_name = 'short'" -c "SET work_mem = '1MB'" -c "$two" > "$files/out" 2>&1 &
job=$!
for ((n = 0; n < 5000; n++)); do
	[ "$(psql -XAtqc "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'short' AND query LIKE 'SELECT count%' AND state = 'active'")" = 0 ] || break
	sleep 0.02
done
psql -XAtqc "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'short'" > /dev/null
wait "$job"
is "cancelled" "$(grep -o 'canceling statement due to user request' "$files/out")" "canceling statement due to user request"

# who may limit the server's files
as_server=
[ "$(id -u)" != 0 ] || as_server='runuser -u postgres --'
# the disk is full: files of this session cannot grow beyond some size. The session works when there is room again.
psql -XAtq > "$files/out" 2>&1 << EOF
SET work_mem = '1MB';
SELECT pg_backend_pid() AS pid \gset
\setenv PID :pid
\! $as_server prlimit --fsize=262144: --pid \$PID
$two;
\! $as_server prlimit --fsize=unlimited: --pid \$PID
SELECT 'files ' || count(*) FROM pg_ls_tmpdir();
$two;
SET sparseeinsum.enable_aggregate_join = off;
SET work_mem = '64MB';
$two;
EOF
is "a full disk is an error" "$(grep -c 'ERROR:.*: File too large' "$files/out")" 1
is "its files are gone" "$(grep -c '^files 0$' "$files/out")" 1
is "and the query runs once there is room, with the same rows" "$(grep -xE '[0-9]+[|][0-9]+' "$files/out" | sort -u | wc -l)" 1

# groups of one row
sql "CREATE TABLE many AS SELECT k::bigint * 1099511627776 % 999999999989 AS i, (k % 7)::float8 AS v FROM generate_series(1, 2000000) k; ANALYZE many" > /dev/null
psql -XAtq > "$files/out" 2>&1 << EOF
SET work_mem = '4MB';
SELECT count(*), sum(s) FROM (SELECT i, tensor_sum(v) AS s FROM many GROUP BY i OFFSET 0) g;
SELECT 'less than 64 MB: ' || (sum(total_bytes) < 67108864) FROM pg_backend_memory_contexts;
EOF
is "as many groups as rows" "$(head -1 "$files/out")" "2000000|$(psql -XAtqc "SELECT sum(v) FROM many")"
is "no memory is left" "$(grep -c 'less than 64 MB: true' "$files/out")" 1
is "no files are left" "$(temporary_files)" 0
finish
