#!/bin/bash
# Tables of Citus, as a worker sees them: the table without its rows, and shards with
# parts of them, all with the table's label. Citus itself is stood for by an
# extension of that name with its catalogs. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
directory=$(sql "show extension_destdir")$(pg_config --sharedir)/extension
if ! cp test/citus/citus.control test/citus/citus--0.sql "$directory"; then
	echo "0 passed, 1 failed"
	exit 1
fi
export PGOPTIONS='-c client_min_messages=warning'
table() {
	sql "CREATE TABLE \"$1\" (i int PRIMARY KEY, v float8); INSERT INTO \"$1\" SELECT i, i FROM generate_series(${2:-1}, ${3:-0}) i"
}
label_of_q() {
	sql "SECURITY LABEL FOR sparseeinsum ON TABLE \"$1\" IS $(sql "SELECT quote_literal(label) FROM pg_seclabels WHERE objoid = 'q'::regclass AND provider = 'sparseeinsum'")"
}
sum="SELECT einsum_value('z[] = q[i]*q[i]')"

sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum"
table q 0 9
sql "SELECT einsum_register('q[I]', 'q', '{i}', 'v', '{10}')"
is "a local table, without Citus" "$(sql "$sum")" 285
# a table of the same name in another user's schema, and one that no extension has: no Citus
sql "CREATE TABLE public.pg_dist_shard (logicalrelid regclass, shardid bigint);
	INSERT INTO public.pg_dist_shard VALUES ('q', 102008)"
table q_102008
is "a table of that name" "$(sql "SELECT einsum_register('other[I]', 'q_102008', '{i}', 'v', '{10}')")" ""
sql "DROP TABLE public.pg_dist_shard, q_102008"

sql "CREATE EXTENSION citus"
is "a local table beside Citus" "$(sql "$sum")" 285
# queries gather what is distributed in a CTE, whatever kind of table it is of Citus's
# (distributed by hash, in one shard, a reference table, a local one that Citus knows), with
# the condition that the keys are unique; it cannot be proved for appended shards and ranges
gathered="SELECT r.i, r.v FROM public.q AS r WHERE sparseeinsum_internal.einsum_keys_unique('q'::pg_catalog.text, r.i)"
for kind in "'h', '{VAR}', 1, 's'" "'n', NULL, 1, 's'" "'n', NULL, 1, 't'" "'n', NULL, 0, 's'"; do
	sql "DELETE FROM pg_dist_partition; INSERT INTO pg_dist_partition VALUES ('q', $kind)"
	is "a program ($kind)" "$(sql "$sum")" 285
	is "one CTE ($kind)" "$(sql "SELECT einsum_sql('z[] = q[i]*q[i] + (max[j] q[j])')" | grep -oF "q_gathered AS MATERIALIZED ($gathered" | wc -l)" 1
	is "what is listed ($kind)" "$(sql "SELECT status FROM einsum_tensors WHERE tensor = 'q'")" ok
done
for kind in "'r', '{VAR}', 1, 's'" "'a', '{VAR}', 1, 's'"; do
	sql "DELETE FROM pg_dist_partition; INSERT INTO pg_dist_partition VALUES ('q', $kind)"
	fails_with "a program ($kind)" '^ERROR:  0A000: .*"q" cannot hold tensor "q" because it is distributed' sql "$sum" -v VERBOSITY=verbose
	fails_with "a hint ($kind)" '^HINT: .*by the hash of a column' sql "$sum"
	is "what is listed ($kind)" "$(sql "SELECT status LIKE '%distributed by Citus' FROM einsum_tensors WHERE tensor = 'q'")" t
	sql "SELECT einsum_register('p[I]', 'q', '{i}', 'v', '{10}', duplicates => 'sum')" > /dev/null
	is "where rows of one key are added up ($kind)" "$(sql "SELECT einsum_value('z[] = p[i]*p[i]')")" 285
	sql "SELECT einsum_unregister('p')" > /dev/null
done
sql "UPDATE pg_dist_partition SET partmethod = 'h'"
# keys of point queries are in the CTE, and those that are beside them in other tensors, but no key that some row may not have
sql "CREATE TABLE edge (i int, j int, PRIMARY KEY (i, j)); INSERT INTO edge VALUES (1, 2), (1, 3), (4, 5); INSERT INTO pg_dist_partition VALUES ('edge', 'h', '{VAR}', 1, 's')"
sql "SELECT einsum_register('edge[I,J]', 'edge', '{i,j}', NULL, '{9000,10}')" > /dev/null
point="SELECT einsum_sql('z[i] = edge[i,j]*q[j]', at => '{i}')"
is "the keys that are asked for" "$(sql "$point" | grep -oE "AND r.i OPERATOR\(pg_catalog.=\) CAST\(.1 AS integer\)\)|AND \(r.i\) OPERATOR\(pg_catalog.=\) ANY \(SELECT d0 FROM keys_1\)\)" | wc -l)" 2
is "at a key" "$(sql "SELECT * FROM einsum_rows('z[i] = edge[i,j]*q[j]', at => '{\"i\": 1}') AS t(i int, value float8)")" "1|5"
sql "CREATE TABLE texts (k text, w int); INSERT INTO texts VALUES ('1', 0), ('junk', 1); INSERT INTO pg_dist_partition VALUES ('texts', 'h', '{VAR}', 1, 's');
	CREATE VIEW numbers AS SELECT r.k::int AS k FROM generate_series(0, 0) s, LATERAL (SELECT * FROM texts WHERE w = s) r"
sql "SELECT einsum_register('number[I]', 'numbers', '{k}', NULL, '{10}', duplicates => 'trust')" > /dev/null
is "a row that the view leaves out" "$(sql "SELECT * FROM einsum_rows('z[i] = number[i] + 1', at => '{\"i\": 1}') AS t(i int, value float8)")" "1|2"
# views, a materialized view, a dimension; not the parent of a table
sql "CREATE VIEW above AS SELECT * FROM (SELECT i, v * 2 AS v FROM q) s; CREATE VIEW higher AS SELECT a.* FROM above a;
	CREATE MATERIALIZED VIEW kept AS SELECT generate_series(0, 9) AS i, 1 AS v FROM (SELECT count(*) FROM q) s;
	CREATE TABLE parent (i int, v float8); ALTER TABLE q INHERIT parent"
for relation in above higher kept; do
	succeeds "$relation" sql "SELECT einsum_register('$relation[I]', '$relation', '{i}', 'v', '{10}', duplicates => 'trust')"
	is "what gathers $relation" "$(sql "SELECT einsum_sql('z[] = $relation[i]') LIKE '%MATERIALIZED (SELECT r.i, r.v FROM public.$relation AS r)%'")" "$([ $relation = kept ] && echo f || echo t)"
done
is "a program's view is read as it is" "$(sql "SELECT count(*) FROM einsum_decompose('w[i] = 2*q[i]', 'prog')" > /dev/null && sql "SELECT einsum_value('z[] = w[i]')" && sql "SELECT einsum_sql('z[] = w[i]') LIKE '%gathered%'" && sql "SELECT einsum_drop('prog')")" "90
f"
fails_with "a parent" 'distributed by Citus' sql "SELECT einsum_register('p[I]', 'parent', '{i}', 'v', '{10}', duplicates => 'trust')"
fails_with "a log" 'cannot have a log' sql "SELECT einsum_log('q')"
sql "SELECT einsum_dimension('spot', 'q', 'i')" > /dev/null
sql "CREATE TABLE weight (i int PRIMARY KEY, v float8); INSERT INTO weight VALUES (3, 4), (11, 5)"
fails_with "a key that the dimension lacks" '"weight"' sql "SELECT einsum_register('weight[I]', 'weight', '{i}', 'v', '{spot}')"
sql "DELETE FROM weight WHERE i = 11; SELECT einsum_register('weight[I]', 'weight', '{i}', 'v', '{spot}')" > /dev/null
is "a dimension" "$(sql "SELECT einsum_value('z[] = weight[i] + 0.5*spot[i]')")" 9
sql "INSERT INTO weight VALUES (12, 4)"
fails_with "a stray key" '"weight"' sql "SELECT einsum_value('z[] = weight[i] + 0.5*spot[i]')"
sql "DELETE FROM weight WHERE i = 12"
# a loop gathers before its rounds, but cannot read a dimension in each
loop="SELECT value FROM einsum_iterate('loop', 'r[i] = q[i]', 'r[i] = q[i] + 0.5*r[i]', max_rounds => 3)"
is "a loop" "$(sql "$loop" > /dev/null && sql "SELECT sum(value) FROM r")" "$(sql "SELECT 45 * 1.875")"
fails_with "a loop over a dimension" '^ERROR:  0A000: a loop cannot read "spot" in each round' sql "SELECT value FROM einsum_iterate('loop', 's[i] = 0*weight[i]', 's[i] = weight[i] + 0.5*s[i] + 1', max_rounds => 3)" -v VERBOSITY=verbose
sql "SELECT einsum_drop('loop')" > /dev/null
# how much may be gathered; what is filled is local
fails_with "too much" '^ERROR:  54000: the program would gather' sql "SET sparseeinsum.max_gather_bytes = 0; $sum" -v VERBOSITY=verbose
fails_with "a notice" '^NOTICE:  queries of program "prog" gather up to .* from tables of Citus' env PGOPTIONS= psql -XAtq -v ON_ERROR_STOP=1 \
	-c "SELECT count(*) FROM einsum_decompose('w[i] = 2*q[i]', 'prog', materialize => 'always')" -c "SELECT 1/0"
is "a table that is filled" "$(sql "UPDATE q SET v = v + 1 WHERE i = 3; SELECT count(*) FROM einsum_refresh('prog')" && sql "SELECT value FROM w WHERE i = 3")" "1
8"
sql "UPDATE q SET v = v - 1 WHERE i = 3; INSERT INTO pg_dist_partition VALUES ('w', 'n', NULL, 0, 's')"
fails_with "a table of Citus that is to be filled" '^ERROR:  0A000: table "w" cannot be filled' sql "SELECT einsum_refresh('prog')" -v VERBOSITY=verbose
sql "DELETE FROM pg_dist_partition WHERE logicalrelid = 'w'::regclass; SELECT einsum_drop('prog')" > /dev/null
# what Citus has gathered is an operand of a loop nest, which reads it once
result="read_intermediate_result('edge', 'binary')"
is "a loop nest" "$(sql "SET sparseeinsum.enable_aggregate_join = force; EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT tensor_sum(sparseeinsum_internal.scalar_multiply(a.i, 2)) FROM $result a(i int, j int),
	$result b(i int, j int), $result c(i int, j int) WHERE a.j = b.i AND b.j = c.i" | grep -cE 'AggregateJoin|Shared: ')" 2
sql "DROP VIEW above CASCADE; DROP MATERIALIZED VIEW kept; ALTER TABLE q NO INHERIT parent; SELECT einsum_unregister('spot'); DROP VIEW numbers" > /dev/null

# shards, with the table's label, are no storages, and cannot be made storages
sql "INSERT INTO pg_dist_shard VALUES ('q', 102008, 't', '-2147483648', '-1'), ('q', 102009, 't', '0', '2147483647')"
table q_102008 0 4
table q_102009 5 9
for shard in q_102008 q_102009; do
	label_of_q $shard
	fails_with "registering $shard" 'distributed by Citus' sql "SELECT einsum_register('p[I]', '$shard', '{i}', 'v', '{10}')"
done
is "the table still" "$(sql "$sum")" 285
is "shards are not listed" "$(sql "SELECT relation FROM einsum_tensors WHERE tensor = 'q'")" q
# the table is local again, the shards are left over for a moment
sql "DELETE FROM pg_dist_partition"
is "the rows of the table, not of its shards" "$(sql "$sum")" 285
is "what einsum_analyze measures" "$(sql "SELECT count FROM einsum_analyze('q') WHERE statistic = 'entries'")" 9
# on a node that has no table but the shards
label=$(sql "SELECT quote_literal(label) FROM pg_seclabels WHERE objoid = 'q'::regclass")
sql "SELECT einsum_unregister('q')"
fails_with "shards alone" 'tensor "q" does not exist' sql "$sum"
fails_with "of a name near to it" 'with einsum_register' sql "SELECT einsum_analyze('qq')"
sql "SECURITY LABEL FOR sparseeinsum ON TABLE q IS $label"
# the label of a shard that claims a program
sql "SECURITY LABEL FOR sparseeinsum ON TABLE q_102008 IS $(sed 's/"program":null/"program":"prog"/' <<< "$label")"
sql "SELECT count(*) FROM einsum_decompose('y[I] = q[i]', 'prog')" > /dev/null
sql "SELECT einsum_drop('prog')"
is "einsum_drop leaves shards" "$(sql "SELECT count(*) FROM q_102008")" 5

# what only looks like a shard's name: no such number, another table, another schema
for name in q_102010 q_ r_102008 q_102008x q_0102008; do
	table $name
	is "$name is no shard" "$(sql "SELECT einsum_register('n[I]', '$name', '{i}', 'v', '{10}')")" ""
	sql "DROP TABLE \"$name\""
done
sql "CREATE SCHEMA away"
table away_102008
sql "ALTER TABLE away_102008 RENAME TO q_102009x; ALTER TABLE q_102009x SET SCHEMA away; ALTER TABLE away.q_102009x RENAME TO q_102009"
is "another schema's" "$(sql "SELECT einsum_register('n[I]', 'away.q_102009', '{i}', 'v', '{10}')")" ""
# a long name is cut off in the shard's, also within a character
for name in $(printf 'a%.0s' {1..63}) $(printf 'a%.0s' {1..57}) $(printf 'ü%.0s' {1..31}) $(printf 'a%.0s' {1..56}) ; do
	table "$name"
	sql "INSERT INTO pg_dist_shard VALUES ('\"$name\"', 102100, 't', NULL, NULL)"
	shard=${name}_102100
	[ "$(printf %s "$shard" | wc -c)" -lt 64 ] ||
		shard=$(python3 -c "import sys; n = sys.argv[1].encode()[:47].decode(errors='ignore'); print(n)" "$name")_$(sql "SELECT lpad(to_hex(hashtext('$name')), 8, '0')")_102100
	table "$shard"
	fails_with "the shard of a long name" 'distributed by Citus' sql "SELECT einsum_register('p[I]', '\"$shard\"', '{i}', 'v', '{10}')"
	sql "DROP TABLE \"$name\", \"$shard\"; DELETE FROM pg_dist_shard WHERE shardid = 102100"
done

# the same on a real Citus, where there is one
succeeds "on Citus" env -u PGOPTIONS test/citus-cluster 2 bash test/citus/programs.sh

# without the extension nothing is a shard
sql "DROP EXTENSION citus CASCADE"
is "what was a shard" "$(sql "SELECT count(*) FROM einsum_tensors WHERE relation = 'q_102009'::regclass")" 1
finish
