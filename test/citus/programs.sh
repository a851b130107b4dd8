#!/bin/bash
# Programs over tables of Citus: each result is that of the same rows in local tables. Run by
#   test/citus-cluster 2 bash test/citus/programs.sh
cd "$(dirname "$0")/../.."
. test/shell-tests
export PGOPTIONS='-c client_min_messages=warning -c citus.shard_count=4'
sql "CREATE EXTENSION sparseeinsum"
read -r -a workers <<< "$CITUS_WORKERS"

fails_with "citus is preloaded first" 'Citus has to be loaded first' env CITUS_PRELOAD=sparseeinsum,citus test/citus-cluster 0 true

# What a program gives in all ways of asking: as a value, from views and tables, at a key; entries of fill may have rows or not.
answers_of() {
	local at="" rows="SELECT * FROM z WHERE value NOT IN (0, -1) ORDER BY 1"
	[[ $1 != *"z[k"* ]] || at="SELECT * FROM einsum_rows('$1', at => '{\"k\": 3}') AS t(k int, value float8)"
	psql -XAtq -v ON_ERROR_STOP=1 2>&1 <<-END
		SELECT einsum_value('$1');
		SELECT count(*) > 0 FROM einsum_decompose('$1', 'asked');
		$rows;
		SELECT count(*) > 0 FROM einsum_decompose('$1', 'asked', replace => true, materialize => 'always');
		$rows;
		$at;
		SELECT einsum_drop('asked');
	END
}
programs() {
	cat <<-END
		z[k] = $1[k,j]*$2[j]
		z[k] = relu(sum[i] $1[i,k]*$2[i]) - 1 + $2[k]
		y[I,j] = $1[i,j]*$2[j]; z[k] = sum[i] exp(-abs(y[i,k]))*y[i,k]*$1[k,i]
		z[] = $1[i,j]*$1[j,k]*$1[k,i]
		z[k] = max[j] ($1[k,j] + $1[j,k]*$2[k])
	END
}
# same NAME MATRIX VECTOR [N]: the first N programs
same() {
	local programs locals
	mapfile -t programs < <(programs "$2" "$3" | head -n "${4:-2}")
	mapfile -t locals < <(programs la lb)
	for n in "${!programs[@]}"; do
		is "$1: ${programs[n]}" "$(answers_of "${programs[n]}")" "${expected[n]:=$(answers_of "${locals[n]}")}"
	done
}
expected=()
# table NAME OF COLUMNS REGISTER: a copy of la or lb
table() {
	sql "CREATE TABLE $1 ($3); INSERT INTO $1 SELECT * FROM $2" &&
		sql "SELECT einsum_register($4)" > /dev/null
}
matrix() { table "$1" la "i ${2:-int}, j ${2:-int}, v float8 NOT NULL, PRIMARY KEY (i, j)" "'$1[I,J]', '$1', '{i,j}', 'v', '{12,12}'"; }
vector() { table "$1" lb "j ${2:-int} PRIMARY KEY, v float8 NOT NULL" "'$1[J]', '$1', '{j}', 'v', '{12}'"; }
sql "CREATE TABLE la (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j)); CREATE TABLE lb (j int PRIMARY KEY, v float8 NOT NULL);
	INSERT INTO la SELECT i, j, i - j + 0.5 FROM generate_series(0, 11) i, generate_series(0, 11) j WHERE (i * 7 + j * 3) % 5 < 2;
	INSERT INTO lb SELECT j, j * j FROM generate_series(0, 11, 2) j"
sql "SELECT einsum_register('la[I,J]', 'la', '{i,j}', 'v', '{12,12}'), einsum_register('lb[J]', 'lb', '{j}', 'v', '{12}')" > /dev/null

# how Citus may have the tables
for t in a1 a2 a3 a4 a5; do matrix $t; done
for t in b1 b2 b3 b4; do vector $t; done
matrix a6 bigint
sql "SELECT create_distributed_table('a1', 'i'), create_distributed_table('a2', 'j'), create_distributed_table('b1', 'j', colocate_with => 'none'),
	create_reference_table('a3'), create_reference_table('b2'), create_distributed_table('a4', NULL, colocate_with => 'none'),
	create_distributed_table('b3', NULL, colocate_with => 'none'), create_distributed_table('a6', 'i')" > /dev/null
sql "SELECT citus_add_local_table_to_metadata('b4')" > /dev/null
sql "SET citus.shard_replication_factor = 2; SELECT create_distributed_table('a5', 'i', colocate_with => 'none')" > /dev/null
same "by the first key" a1 b1 5
same "by the second key, and a reference table" a2 b2 3
same "a reference table, and a local one" a3 lb
same "one shard each" a4 b3
same "two copies, and a local table that Citus knows" a5 b4
same "int8 beside int4" a6 b1
sql "CREATE TABLE a7 (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j)) PARTITION BY RANGE (j); CREATE TABLE a7_1 PARTITION OF a7 FOR VALUES FROM (0) TO (6);
	CREATE TABLE a7_2 PARTITION OF a7 FOR VALUES FROM (6) TO (99)"
sql "SELECT create_distributed_table('a7', 'i'); INSERT INTO a7 SELECT * FROM la; SELECT einsum_register('a7[I,J]', 'a7', '{i,j}', 'v', '{12,12}')" > /dev/null
same "a partitioned table" a7 b1
sql "CREATE EXTENSION IF NOT EXISTS citus_columnar; CREATE TABLE b5 (j int, v float8 NOT NULL, PRIMARY KEY (j)) USING columnar; SELECT create_distributed_table('b5', 'j'); INSERT INTO b5 SELECT * FROM lb;
	SELECT einsum_register('b5[J]', 'b5', '{j}', 'v', '{12}')" > /dev/null
same "a columnar table" a1 b5
sql "SET citus.enable_schema_based_sharding = on; CREATE SCHEMA tenant; CREATE TABLE tenant.b6 (j int PRIMARY KEY, v float8 NOT NULL);
	INSERT INTO tenant.b6 SELECT * FROM lb; SELECT einsum_register('b6[J]', 'tenant.b6', '{j}', 'v', '{12}')" > /dev/null
same "a schema on one node" a1 tenant.b6
sql "CREATE VIEW a8 AS SELECT i, j, v * 2 / 2 AS v FROM a1 WHERE i < 99; SELECT einsum_register('a8[I,J]', 'a8', '{i,j}', 'v', '{12,12}', duplicates => 'trust')" > /dev/null
same "a view" a8 b1
sql "CREATE TABLE a9 (place int, part int, i int, j int, v float8); INSERT INTO a9 SELECT i + j, p, i, j, v / 2 FROM la, generate_series(1, 2) p;
	SELECT create_distributed_table('a9', 'place'); SELECT einsum_register('a9[I,J]', 'a9', '{i,j}', 'v', '{12,12}', duplicates => 'sum')" > /dev/null
same "by a column that is no key" a9 b1
sql "CREATE TABLE words (w text, j int, v float8, PRIMARY KEY (w, j)); INSERT INTO words SELECT 'it''s ' || i, j, v FROM la; CREATE TABLE lwords AS TABLE words;
	SELECT create_distributed_table('words', 'w'), einsum_register('words[W,J]', 'words', '{w,j}', 'v', '{*,12}'), einsum_register('lwords[W,J]', 'lwords', '{w,j}', 'v', '{*,12}', duplicates => 'trust')" > /dev/null
words="SELECT t FROM einsum_rows('z[w] = WORDS[w,j]*b1[j]') AS t(w text, value float8) ORDER BY w"
is "keys of text" "$(sql "${words/WORDS/words}")" "$(sql "${words/WORDS/lwords}")"
sql "CREATE TABLE node (id int PRIMARY KEY); INSERT INTO node SELECT generate_series(0, 11); CREATE TABLE weight (id int PRIMARY KEY, v float8 NOT NULL); INSERT INTO weight SELECT id, id FROM node WHERE id % 3 = 0;
	SELECT create_distributed_table('node', 'id'), create_distributed_table('weight', 'id'); SELECT einsum_dimension('node', 'node', 'id'), einsum_register('weight[I]', 'weight', '{id}', 'v', '{node}')" > /dev/null
is "keys of a dimension" "$(sql "SELECT array_agg(value ORDER BY i) FROM einsum_rows('z[i] = exp(weight[i]) - 1 + node[i]') AS t(i int, value float8)" | md5sum)" \
	"$(sql "SELECT array_agg(exp(CASE WHEN id % 3 = 0 THEN id ELSE 0 END::float8) - 1 + 1 ORDER BY id) FROM generate_series(0, 11) id" | md5sum)"
sql "CREATE TABLE spot (id int PRIMARY KEY); INSERT INTO spot TABLE node; SELECT einsum_dimension('spot', 'spot', 'id'), einsum_register('on_spot[I]', 'weight', '{id}', 'v', '{spot}')" > /dev/null
is "those of a local one" "$(sql "SELECT sum(value) FROM einsum_rows('z[i] = on_spot[i] + spot[i]') AS t(i int, value float8)")" 30
sql "INSERT INTO weight VALUES (77, 1)"
for tensor in weight on_spot; do
	fails_with "a stray key of $tensor" "tensor \"$tensor\"" sql "SELECT einsum_value('z[] = $tensor[i]')"
done

# a loop gathers before its rounds
loop() { sql "SELECT count(*) FROM einsum_iterate('loop', 'r[i] = 1 + 0*sum[j] $1[i,j]', 'r[i] = 1 + sum[j] $1[j,i]*r[j]/100 + $2[i]', max_rounds => 4)" > /dev/null && sql "SELECT r FROM r ORDER BY r.i" && sql "SELECT count(*) FROM einsum_drop('loop')" > /dev/null; }
is "a loop" "$(loop a1 b1)" "$(loop la lb)"

# what is read of a table is one CTE, which a loop nest reads once; and the shard of one key is asked for that key
plan() { sql "PREPARE asked(int) AS $1; EXPLAIN (COSTS off) EXECUTE asked(3)"; }
sql "SELECT einsum_register('far[I,J]', 'a1', '{i,j}', 'v', '{9000,9000}')" > /dev/null
triangles="$(sql "SELECT einsum_sql('z[] = far[i,j]*far[j,k]*far[k,i]')")"
is "one CTE" "$(grep -o MATERIALIZED <<< "$triangles" | wc -l)" 1
is "in a loop nest" "$(sql "SET sparseeinsum.enable_aggregate_join = force; EXPLAIN (ANALYZE, COSTS off, TIMING off) $triangles" | grep -cE 'AggregateJoin|Shared: |never executed')" 4
at="$(sql "SELECT einsum_sql('z[k] = a1[k,j]*b1[j]', at => '{k}')")"
is "one shard of a1, all of b1" "$(plan "$at" | grep -o 'Task Count: [0-9]*' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 3 Task Count: 1; 1 Task Count: 4;"
fails_with "more than may be gathered" '^ERROR:  54000: the program would gather' sql "SET sparseeinsum.max_gather_bytes = 1; SELECT einsum_value('z[] = a1[i,j]*b1[j]')" -v VERBOSITY=verbose
PGOPTIONS+=' -c client_min_messages=notice'
fails_with "a notice" 'NOTICE:  queries of program "p" gather up to' sql "SELECT einsum_decompose('z[] = a1[i,j]*b1[j]', 'p'); SELECT 1/0"
PGOPTIONS=${PGOPTIONS% -c*}
sql "ANALYZE a1"
is "rows, as ANALYZE counted them" "$(sql "SELECT einsum_plan('z[] = a1[i,j]', format => 'json')::json #>> '{statements,0,x}' IS NULL")" t

# what is refused
sql "CREATE TABLE ranged (i int PRIMARY KEY, v float8); SELECT create_distributed_table('ranged', 'i', 'range')" > /dev/null
fails_with "shards that may have the same keys" '^ERROR:  0A000: .*"ranged" cannot hold' sql "SELECT einsum_register('ranged[I]', 'ranged', '{i}', 'v', '{12}')" -v VERBOSITY=verbose
fails_with "a log" 'cannot have a log' sql "SELECT einsum_log('a1')"
sql "SELECT count(*) FROM einsum_decompose('s[i] = a1[i,j]*b1[j]', 'kept', materialize => 'always')" > /dev/null
is "a refresh" "$(sql "UPDATE a1 SET v = v + 1 WHERE i = 3" && sql "SELECT count(*) FROM einsum_refresh('kept')" && sql "SELECT s FROM s ORDER BY i" | md5sum)" \
	"$(echo 1 && sql "UPDATE la SET v = v + 1 WHERE i = 3" && sql "SELECT ROW(i, sum(la.v * lb.v)) FROM la JOIN lb USING (j) GROUP BY i ORDER BY i" | md5sum)"
sql "SELECT create_distributed_table('s', 'i')" > /dev/null
fails_with "writing into a table of Citus" '"s" cannot be filled' sql "SELECT einsum_refresh('kept')"
is "dropping it drops its shards" "$(sql "SELECT count(*) FROM einsum_drop('kept')" && sql "SELECT count(*) FROM pg_dist_shard WHERE NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = logicalrelid)")" "1
0"
sql "CREATE TABLE known (i int PRIMARY KEY, v float8); INSERT INTO known SELECT i, i FROM generate_series(1, 10000) i; SELECT citus_add_local_table_to_metadata('known')" > /dev/null
sql "ANALYZE known; SELECT einsum_register('known[I]', 'known', '{i}', 'v', '{10001}')" > /dev/null
is "rows of a local table that Citus knows" "$(sql "SELECT bytes >= 10000 * 8 FROM (SELECT (einsum_plan('z[] = known[i]', format => 'json')::jsonb #>> '{0,stages,0,operands,0,bytes}')::float8 AS bytes) s")" t
sql "ALTER TABLE b1 DROP CONSTRAINT b1_pkey CASCADE"
fails_with "keys that need not be unique any more" '"b1"' sql "SELECT einsum_value('z[] = a1[i,j]*b1[j]')"
is "on a worker" "$(psql -XAtqp "${workers[0]}" -c "SELECT einsum_value('z[i] = a2[i,j]*b2[j]')")" "$(sql "SELECT einsum_value('z[i] = a2[i,j]*b2[j]')")"
finish
