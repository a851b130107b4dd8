#!/bin/bash
# The queries of a loop are planned with the rows that they read, though they are analysed before there are any. Run
# under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
if [ ! -e "$("${PG_CONFIG:-pg_config}" --pkglibdir)/auto_explain.so" ]; then
	echo "SKIPPED: there is no auto_explain"
	finish
fi
export PGOPTIONS='-c client_min_messages=error -c search_path=looped,public -c sparseeinsum.enable_aggregate_join=off'
sql "CREATE EXTENSION sparseeinsum;
CREATE SCHEMA looped;
CREATE TABLE edge (i int, j int, w float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, (i * 11 + 1) % 700, 0.5 FROM generate_series(0, 699) i;
SELECT einsum_register('r[I,J]', 'edge', keys => '{i,j}', value => 'w', bounds => '{700,700}');
SELECT einsum_analyze('r')" > /dev/null
found=$(sql "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
SET auto_explain.log_analyze = on; SET client_min_messages = log;
SELECT count(*) FROM einsum_iterate('turn', 'X[I] = sum[j] r[i,j]', 'Y[J] = sum[i] r[i,j]*x[i]; X[I] = (sum[j] r[i,j]*y[j])*y[i]', max_rounds => 3)" 2>&1)
# each scan of rows in memory, as the plan has it and as it was
scans=$(grep -oE '\(MemoryRows\).*rows=[0-9]+ .*rows=[0-9.]+ ' <<< "$found" | sed -E 's/.* rows=([0-9]+) .* rows=([0-9]+)(\.[0-9]*)? /\1 \2/' | sort -u)
succeeds "rows are read" test "$(grep -c "MemoryRows" <<< "$found")" -ge 3
is "as many as were expected" "$scans" "700 700"
finish
