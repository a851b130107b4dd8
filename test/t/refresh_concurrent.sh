#!/bin/bash
# einsum_refresh beside readers, writers and other refreshes: readers see the old
# rows until it commits and do not wait, all tables are of one moment, refreshes
# follow one another. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning -c search_path=refreshed,public'

sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum;
CREATE SCHEMA refreshed;
CREATE TABLE base (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO base SELECT i, 1 FROM generate_series(0, 9) i;
-- who reads it waits as long as another session has this lock
CREATE VIEW slow AS SELECT i, v FROM base, (SELECT pg_advisory_xact_lock_shared(1) OFFSET 0) p;
SELECT einsum_register('base[I]', 'base', '{i}', 'v', '{10}'), einsum_register('slow[I]', 'slow', '{i}', 'v', '{10}', duplicates => 'trust');
SELECT count(*) FROM einsum_decompose('first[I] = slow[i]; second[I] = base[i] - first[i]; third[] = sum[i] first[i]', 'p', materialize => 'always', search => 'as_written')" > /dev/null
is "filled" "$(sql "SELECT third.value, max(abs(second.value)) FROM third, second GROUP BY 1")" "10|0"

# a refresh that has not committed
sql "UPDATE base SET v = 2"
holds "SELECT einsum_refresh('p')"
is "readers see the old rows and do not wait" "$(sql "SET statement_timeout = '60s'; SELECT third.value, (SELECT sum(value) FROM first) FROM third")" "10|10"
succeeds "writers to what it reads do not wait" psql -Xq -v ON_ERROR_STOP=1 -c "SET statement_timeout = '60s'" -c "UPDATE base SET v = 3 WHERE i = 0"
fails_with "another refresh waits" "canceling statement due to statement timeout" psql -Xq -v ON_ERROR_STOP=1 -c "SET statement_timeout = 500" -c "SELECT einsum_refresh('p')"
fails_with "so does who writes to the tables" "canceling statement due to statement timeout" psql -Xq -v ON_ERROR_STOP=1 -c "SET statement_timeout = 500" -c "DELETE FROM first"
lets_go
is "then readers see the new ones" "$(sql "SELECT third.value, (SELECT sum(value) FROM first) FROM third")" "20|20"

# two at once: the second sees what was committed before the first let it go
holds "SELECT pg_advisory_xact_lock(1)"
sql "SELECT einsum_refresh('p')" > "$files/1" 2>&1 &
one=$!
waits "the first is reading"
sql "SELECT einsum_refresh('p')" > "$files/2" 2>&1 &
two=$!
waits "the second waits for it" 2
sql "UPDATE base SET v = 5 WHERE i = 1"
lets_go
wait $one $two
is "without errors" "$(grep -hi error "$files"/[12])" ""
is "the last one counts" "$(sql "SELECT third.value, max(abs(second.value)) FROM third, second GROUP BY 1")" "24|0"

# what changes while the first table is filled is in none of them
holds "SELECT pg_advisory_xact_lock(1)"
sql "SELECT einsum_refresh('p')" > "$files/1" 2>&1 &
one=$!
waits "the first table is being filled"
sql "UPDATE base SET v = v + 100"
lets_go
wait $one
is "all tables are of one moment" "$(sql "SELECT max(abs(second.value)) FROM second")" 0
is "that before the change" "$(sql "SELECT third.value FROM third")" 24

# a refresh that is cancelled, or that loses its program
holds "SELECT pg_advisory_xact_lock(1)"
fails_with "cancelled" "canceling statement due to statement timeout" psql -Xq -v ON_ERROR_STOP=1 -c "SET statement_timeout = 500" -c "SELECT einsum_refresh('p')"
is "it keeps what there was" "$(sql "SELECT third.value, max(abs(second.value)) FROM third, second GROUP BY 1")" "24|0"
lets_go
holds "SELECT einsum_drop('p')"
sql "SELECT einsum_refresh('p')" > "$files/1" 2>&1 &
one=$!
waits "a refresh waits for who drops the program"
lets_go
wait $one
is "dropped meanwhile" "$(grep -cE 'ERROR: .*(dropped|does not exist|no program)' "$files/1")" 1
sql "DROP SCHEMA refreshed CASCADE"
finish
