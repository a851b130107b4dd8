#!/bin/bash
# Databases and queries that have nothing to do with the extension, where its library is loaded: the same plans
# and rows as without, no errors, no look-ups. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
export PGOPTIONS='-c client_min_messages=warning'
library='$libdir/sparseeinsum'
forced='SET sparseeinsum.enable_batching = force;'
parallel='SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;'

tables="CREATE TABLE big AS SELECT a % 90000 AS a, a % 7 AS b, repeat('x', 60) AS t FROM generate_series(1, 100000) a;
CREATE TABLE small AS SELECT a, a % 5 AS c FROM generate_series(1, 2000) a;
CREATE TABLE parts (a int, b int) PARTITION BY HASH (a);
CREATE TABLE parts0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parts1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parts SELECT a, a % 9 FROM generate_series(1, 20000) a;
CREATE FUNCTION plus(x bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN x + 1; END';
CREATE VIEW grouped AS SELECT a, count(*) AS n FROM big WHERE t IS NOT NULL GROUP BY a;
CREATE AGGREGATE total(bigint) (SFUNC = int8pl, STYPE = bigint, COMBINEFUNC = int8pl, PARALLEL = SAFE);
ALTER TABLE small ALTER a SET NOT NULL"
queries=(
	"SELECT a, count(*) FROM big GROUP BY a"
	"SELECT a, count(*) FROM big GROUP BY a HAVING sum(b) > 3 ORDER BY 1 LIMIT 10"
	"SELECT b, sum(c) FROM big JOIN small USING (a) GROUP BY b"
	"SELECT c, total(plus(n)) FROM grouped JOIN small USING (a) GROUP BY c"
	"SELECT b, plus(count(*)) FROM parts GROUP BY b"
	"WITH g AS MATERIALIZED (SELECT a, sum(b) AS s FROM big GROUP BY a) SELECT c, sum(s) FROM small LEFT JOIN g USING (a) WHERE small.a IS NOT NULL GROUP BY c"
	"SELECT (SELECT sum(n) FROM grouped), count(*) FROM small s WHERE EXISTS (SELECT FROM parts p WHERE p.a = s.a)"
	"SELECT a FROM big UNION SELECT a FROM small WHERE c IN (SELECT b FROM parts)"
	"SELECT nspname, count(*), max(proname) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace GROUP BY 1"
	"SELECT * FROM information_schema.columns c JOIN information_schema.tables t USING (table_name) WHERE c.table_schema LIKE 'pg%'"
	"SELECT g, rank() OVER (ORDER BY g % 7) FROM generate_series(1, 100) g"
)
# a database with these tables
database() {
	sql "CREATE DATABASE $1" > /dev/null
	PGDATABASE=$1 sql "$tables"
	PGDATABASE=$1 sql "VACUUM ANALYZE"
}
# runs a form of each of the queries, %s in it
each() {
	local database=$1 settings=$2 form=$3 query
	for query in "${queries[@]}"; do printf "$form;\n" "$query"; done |
		PGDATABASE=$database psql -XAtq -v ON_ERROR_STOP=1 -c "$settings" -f - 2>&1
}
plans() {
	each "$1" "$2" 'EXPLAIN (VERBOSE) %s'
}
rows() {
	each "$1" "$2" "SELECT count(*), md5(string_agg(x::text, ',' ORDER BY x::text)) FROM (%s) x"
}

# on a server that preloads it, errors would be everybody's
if [ -n "${SPARSEEINSUM_PRELOADED:-}" ]; then
	is "preloaded" "$(sql "SHOW shared_preload_libraries")" "$library"
	database bare
	is "rows" "$(rows bare "$parallel $forced")" "$(rows bare "$parallel SET max_parallel_workers_per_gather = 0")"
	succeeds "plans" each bare "$parallel $forced" 'EXPLAIN %s'
	finish
fi
succeeds "a server that preloads it" env SPARSEEINSUM_PRELOADED=1 CLUSTER_CONF="shared_preload_libraries = '$library'" test/cluster "$0"

database bare
database extended
PGDATABASE=extended sql "CREATE EXTENSION sparseeinsum; ANALYZE pg_proc; ANALYZE pg_depend"
for database in bare extended; do
	for settings in "" "$parallel" "$parallel SET enable_hashagg = off;" "$parallel SET enable_sort = off; SET enable_mergejoin = off;"; do
		is "plans in database $database: $settings" "$(plans $database "LOAD '$library'; $forced $settings")" "$(plans $database "$settings")"
	done
	is "rows in database $database" "$(rows $database "LOAD '$library'; $forced $parallel")" "$(rows $database "$parallel")"
done

# PostgreSQL itself reads pg_extension for nothing here, and the library once in a session
scans="SELECT 'scans', seq_scan + idx_scan FROM pg_stat_xact_sys_tables WHERE relname = 'pg_extension'"
for database in bare extended; do
	is "scans in database $database" "$( (
		echo "BEGIN;"
		for round in 1 2 3; do
			printf 'EXPLAIN %s;\n' "${queries[@]}"
			echo "$scans;"
		done
	) | PGDATABASE=$database psql -XAtq -v ON_ERROR_STOP=1 -c "LOAD '$library'" -c "$forced $parallel" -f - | grep '^scans')" $'scans|1\nscans|1\nscans|1'
done
finish
