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
# what is distributed is refused, whatever kind of table it is of Citus's: distributed by
# hash or range, in one shard, a reference table, a local one that Citus knows
for kind in "'h', '{VAR}', 1, 's'" "'r', '{VAR}', 1, 's'" "'a', '{VAR}', 1, 's'" "'n', NULL, 1, 's'" "'n', NULL, 1, 't'" "'n', NULL, 0, 's'"; do
	sql "DELETE FROM pg_dist_partition; INSERT INTO pg_dist_partition VALUES ('q', $kind)"
	fails_with "a program ($kind)" '^ERROR:  0A000: .*"q" cannot hold tensor "q" because it is distributed' sql "$sum" -v VERBOSITY=verbose
	fails_with "a registration ($kind)" '^ERROR:  0A000: .*distributed' \
		sql "SELECT einsum_register('p[I]', 'q', '{i}', 'v', '{10}')" -v VERBOSITY=verbose
	fails_with "a hint ($kind)" '^HINT: .*undistribute_table' sql "$sum"
	is "what is listed ($kind)" "$(sql "SELECT status LIKE '%distributed by Citus' FROM einsum_tensors WHERE tensor = 'q'")" t
done
# also through a view, a partitioned table, a table with children; not a materialized view
sql "CREATE VIEW above AS SELECT * FROM (SELECT i, v * 2 AS v FROM q) s; CREATE VIEW higher AS SELECT a.* FROM above a;
	CREATE MATERIALIZED VIEW kept AS SELECT generate_series(0, 9) AS i, 1 AS v FROM (SELECT count(*) FROM q) s;
	CREATE TABLE parent (i int, v float8); ALTER TABLE q INHERIT parent"
for relation in above higher parent; do
	fails_with "$relation" 'distributed by Citus' sql "SELECT einsum_register('p[I]', '$relation', '{i}', 'v', '{10}', duplicates => 'trust')"
done
succeeds "a materialized view" sql "SELECT einsum_register('p[I]', 'kept', '{i}', 'v', '{10}', duplicates => 'trust')"
sql "DROP VIEW above CASCADE; DROP MATERIALIZED VIEW kept; ALTER TABLE q NO INHERIT parent"

# shards, with the table's label, are no storages, and cannot be made storages
sql "INSERT INTO pg_dist_shard VALUES ('q', 102008, 't', '-2147483648', '-1'), ('q', 102009, 't', '0', '2147483647')"
table q_102008 0 4
table q_102009 5 9
for shard in q_102008 q_102009; do
	label_of_q $shard
	fails_with "registering $shard" 'distributed by Citus' sql "SELECT einsum_register('p[I]', '$shard', '{i}', 'v', '{10}')"
done
fails_with "the table still" '"q" cannot hold tensor "q"' sql "$sum"
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

# without the extension nothing is a shard
sql "DROP EXTENSION citus CASCADE"
is "what was a shard" "$(sql "SELECT count(*) FROM einsum_tensors WHERE relation = 'q_102009'::regclass")" 1
finish
