#!/bin/bash
# Loops of one name in several sessions: those whose states are the session's own do not wait
# for each other, others do. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
sql "create extension sparseeinsum"
counts() {
	echo "select count(*) from einsum_iterate('count', 'n[] = 0', 'n[] = n[] + 1', max_rounds => $1, schema => '$2')"
}

holds "$(counts 3 pg_temp)"
is "another session's own state" "$(sql "set lock_timeout = 1; $(counts 5 pg_temp); select value from n")" "5
5"
is "without a table" "$(sql "set lock_timeout = 1; select einsum_iterate_value('n[] = 0', 'n[] = n[] + 1', max_rounds => 4)")" 4
lets_go
holds "$(counts 3 public)"
fails_with "a state in one schema" "canceling statement due to lock timeout" sql "set lock_timeout = 1; $(counts 5 public)"
is "an own state beside it" "$(sql "set lock_timeout = 1; $(counts 5 pg_temp); select value from n")" "5
5"
lets_go
is "the state in the schema" "$(sql "select value from n")" 3
finish
