#!/bin/bash
# What the rows of a foreign partition are asked: PostgreSQL enforces no constraint
# on them, not those of the partitioned table either. Needs PostgreSQL's own
# file_fdw. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
if [ "$(sql "select count(*) from pg_available_extensions where name = 'file_fdw'")" = 0 ]; then
	echo "skipped: PostgreSQL is installed without file_fdw"
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum;
	CREATE EXTENSION file_fdw;
	CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
	CREATE TABLE parted (i int CHECK (i >= 0 AND i < 10),
		v tensor(float8,1) NOT NULL CHECK (tensor_shape(v) = '{2}')) PARTITION BY RANGE (i);
	CREATE TABLE here PARTITION OF parted FOR VALUES FROM (0) TO (5);
	CREATE TABLE deeper PARTITION OF parted FOR VALUES FROM (5) TO (10) PARTITION BY RANGE (i);
	INSERT INTO here VALUES (1, '[1,2]'), (2, '[3,4]');
	SELECT einsum_register('f[I,k]', 'parted', '{i}', 'v', '{10,2}', duplicates => 'trust');
	SELECT einsum_decompose('n[I] = sum[k] f[I,k]', 'sums')" > /dev/null

# The sums when a foreign partition with this row is attached, to the partitioned
# table or to its partition: by a new plan, or by one kept from before, and then
# the sums of before are printed first.
sums_with() {
	local parent=$1 when=$2 row=$3 attach
	attach="CREATE FOREIGN TABLE far PARTITION OF $parent FOR VALUES FROM (5) TO (10) SERVER files OPTIONS (program 'echo \"$row\"', delimiter ' ', null '');"
	[ "$parent" = deeper ] || attach="ALTER TABLE parted DETACH PARTITION deeper; $attach"
	if [ "$when" = kept ]; then
		attach="SET plan_cache_mode = force_generic_plan; PREPARE kept AS SELECT * FROM n ORDER BY i; EXECUTE kept; $attach EXECUTE kept;"
	else
		attach="$attach SELECT * FROM n ORDER BY i;"
	fi
	psql -XAtq -v ON_ERROR_STOP=1 -c "BEGIN; $attach ROLLBACK" 2>&1 | grep -v -e '^DETAIL' -e '^HINT' -e '^CONTEXT'
}
for parent in parted deeper; do
	for when in new kept; do
		before=
		[ "$when" = new ] || before=$'1|3\n2|7\n'
		is "a row that keeps the constraints ($parent, $when)" "$(sums_with "$parent" "$when" "7 [10,20]")" "${before}1|3
2|7
7|30"
		is "another shape ($parent, $when)" "$(sums_with "$parent" "$when" "7 [1,2,3]")" \
			"${before}ERROR:  a value of tensor \"f\" has another shape"
		is "a key out of range ($parent, $when)" "$(sums_with "$parent" "$when" "12 [1,2]")" \
			"${before}ERROR:  key 12 of tensor \"f\" is outside the bound of label \"i\""
		for row in "7 " " [1,2]"; do
			is "an absent entry, $row ($parent, $when)" "$(sums_with "$parent" "$when" "$row")" "${before}1|3
2|7"
		done
	done
done
# and nothing is asked of a table that has none
is "no foreign partition" "$(sql "EXPLAIN (COSTS OFF) SELECT * FROM n" | grep -c -e in_range -e has_shape)" 0

# keys that are to be unique are refused where a part of them is on another server,
# a table that inherits included; what PostgreSQL itself refuses is that such a
# partition comes to a table whose unique constraint is a proof
sql "ALTER TABLE parted DETACH PARTITION deeper;
	CREATE FOREIGN TABLE far PARTITION OF parted FOR VALUES FROM (5) TO (10) SERVER files OPTIONS (program 'echo', delimiter ' ')"
fails_with "keys that cannot be checked" "^ERROR:  0A000: the keys of tensor \"u\" in relation \"parted\" cannot be checked" \
	sql "SELECT einsum_register('u[I,k]', 'parted', '{i}', 'v', '{10,2}')" -v VERBOSITY=verbose
fails_with "a hint" "^HINT: .*materialized view" sql "SELECT einsum_register('u[I,k]', 'parted', '{i}', 'v', '{10,2}')"
sql "CREATE TABLE keyed (i int PRIMARY KEY, v float8) PARTITION BY RANGE (i);
	CREATE TABLE ancestor (i int PRIMARY KEY, v float8);
	SELECT einsum_register('kept[I]', 'keyed', '{i}', 'v', '{10}'), einsum_register('old[I]', 'ancestor', '{i}', 'v', '{10}')" > /dev/null
fails_with "a foreign partition of a table with a key" "foreign" \
	sql "CREATE FOREIGN TABLE far2 PARTITION OF keyed FOR VALUES FROM (0) TO (5) SERVER files OPTIONS (program 'echo')"
sql "CREATE FOREIGN TABLE heir (i int NOT NULL, v float8) INHERITS (ancestor) SERVER files OPTIONS (program 'echo')" 2> /dev/null
fails_with "a foreign table that inherits" "0A000: the keys of tensor \"old\"" sql "SELECT einsum_value('s[] = old[i]')" -v VERBOSITY=verbose

finish
