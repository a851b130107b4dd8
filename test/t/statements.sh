#!/bin/bash
# What pg_stat_statements shows of the queries that our functions run: each says
# which function and what of which program, whatever its text contains. Run under
# test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
if [ "${CLUSTER_CONF:-}" != "shared_preload_libraries = 'pg_stat_statements'" ]; then
	if [ ! -e "$(pg_config --pkglibdir)/pg_stat_statements.so" ]; then
		echo "SKIPPED: there is no pg_stat_statements"
		finish
	fi
	CLUSTER_CONF="shared_preload_libraries = 'pg_stat_statements'" exec test/cluster "$0"
fi
export PGOPTIONS='-c client_min_messages=warning -c search_path=shown,public'

sql "CREATE EXTENSION sparseeinsum;
CREATE EXTENSION pg_stat_statements;
CREATE SCHEMA shown;
CREATE TABLE base (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO base SELECT i, ARRAY[[1,2],[3,i]]::float8[]::tensor FROM generate_series(0, 3) i"

# the beginnings of what a statement of ours runs below it; what has no comment names its table
shown() {
	sql "SELECT pg_stat_statements_reset()" > /dev/null
	sql "SET pg_stat_statements.track = 'all'; $1" > /dev/null
	sql "SELECT DISTINCT regexp_replace(query, '(\*/ \w+).*', '\1') FROM pg_stat_statements WHERE NOT toplevel AND query !~ '^(INSERT INTO|DELETE FROM) (public.einsum_statistics|sparseeinsum_internal.positions)' ORDER BY 1" | sed -E 's/^((CREATE|COMMENT ON|ALTER) \w+ \w+\.\w+).*/\1/'
}
is "registering" "$(shown "SELECT einsum_register('base[I,j,k]', 'base', '{i}', 'v', '{4,2,2}')")" "/* einsum_register: base */ SELECT"
is "analyzing" "$(shown "SELECT einsum_analyze('base')")" "/* einsum_analyze: base */ SELECT"
sql "CREATE MATERIALIZED VIEW again AS TABLE base;
SELECT einsum_register('base[I,j,k]', 'again', '{i}', 'v', duplicates => 'trust', storage => 'further')" > /dev/null
is "comparing" "$(shown "SELECT einsum_analyze('base')")" "/* einsum_analyze: base */ SELECT"
sql "DROP MATERIALIZED VIEW again"
is "storing" "$(shown "SELECT einsum_store('stored[I]', 'SELECT i, 1 FROM base', '{4}')" | grep -v ' SELECT$')" "/* einsum_store: stored */ ALTER
/* einsum_store: stored */ ANALYZE
/* einsum_store: stored */ CREATE
/* einsum_store: stored */ INSERT"
is "a value, of a statement in lines" "$(shown "SELECT einsum_value('p[I] = base[i,j,k]; s[] = base[i,j,k]
    *  base[i,k,j]')")" "/* einsum_value: s[] = base[i,j,k] * base[i,k,j] */ SELECT"
# comments nest, and nothing in a program ends or begins one
for program in 's[] = base[i,j,k] /* */ * base[i,j,k]' '"*/ DROP TABLE base; --"[] = base[i,j,k]' '"/*"[] = base[i,j,k]' '"/"[] = base[i,j,k] -- */*/ /*/* */'; do
	is "$program" "$(sql "SELECT einsum_value(\$program\$$program\$program\$) IS NOT NULL")" "t"
done
is "a long one" "$(shown "SELECT einsum_value('s[i] = base[i,j,k]' || repeat(' + base[i,j,k]', 100))" | wc -c)" "229"
is "actual counts" "$(shown "SELECT count(*) FROM einsum_plan('t[I] = base[i,j,k]; s[] = max[i] t[i]', actual => true)")" "/* einsum_plan: s[] = max[i] t[i] */ WITH
/* einsum_plan: t[I] = base[i,j,k] */ SELECT"
is "tables" "$(shown "SELECT count(*) FROM einsum_decompose('t[I] = base[i,j,k]; s[] = max[i] t[i]', 'a /* name', materialize => 'always')" | grep -v 'shown\.')" "/* einsum program: a / * name */ ANALYZE
/* einsum program: a / * name */ DELETE
/* einsum program: a / * name */ INSERT"
sql "UPDATE base SET v = ARRAY[[5,6],[7,8]]::float8[]::tensor WHERE i = 0"
is "refreshed" "$(shown "SELECT einsum_refresh('a /* name')" | sort -u)" "/* einsum program: a / * name */ ANALYZE
/* einsum program: a / * name */ DELETE
/* einsum program: a / * name */ INSERT
/* einsum program: a / * name */ SELECT
/* einsum program: a / * name */ UPDATE"
is "each table's own" "$(sql "SELECT count(DISTINCT queryid) FROM pg_stat_statements WHERE query LIKE '/* einsum program%'")" "7"
finish
