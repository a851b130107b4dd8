#!/bin/bash
# ALTER EXTENSION UPDATE from earlier versions gives the catalogs of a fresh install, and what was registered and
# decomposed before still works. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
in_database() {
	PGDATABASE=$1 psql -XAtq -v ON_ERROR_STOP=1 "${@:2}"
}
members() {
	in_database "$1" -f test/data/members.sql
}

versions=$(cd sql/upgrade && printf '%s\n' sparseeinsum--*--*.sql | sed 's/^sparseeinsum--//; s/--.*//')
is "earlier versions" "$(tr '\n' ' ' <<< "$versions")" "0.1.0 0.2.0 "
for schema in public tensors; do
	create="SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS $schema; CREATE EXTENSION sparseeinsum SCHEMA $schema"
	sql "CREATE DATABASE fresh_$schema" && in_database fresh_$schema -c "$create"
	members fresh_$schema > "$dir/fresh"
	is "members of all kinds, in $schema" "$(cut -d'|' -f1 "$dir/fresh" | sort -u | grep -cxE 'extension|function|aggregate|operator|operator class|operator family|cast|type|relation|column|constraint|trigger|event trigger|schema|depends')" 15
	is "nothing is left out, in $schema" "$(grep '^not compared' "$dir/fresh")" ""

	# by a role that is no superuser, as the extension is trusted
	[ "$schema" = public ] && sql "CREATE ROLE maker LOGIN"
	for version in $versions; do
		database=updated_${schema}_$version
		sql "CREATE DATABASE \"$database\" OWNER maker"
		in_database "$database" -U maker -c "$create VERSION '$version'"
		is "$version, in $schema" "$(in_database "$database" -c "SELECT extversion FROM pg_extension WHERE extname = 'sparseeinsum'")" "$version"
		in_database "$database" -U maker -c "ALTER EXTENSION sparseeinsum UPDATE"
		is "updated from $version in $schema" "$(members "$database" | sed 's/\bmaker\b/postgres/g' | diff "$dir/fresh" - | head -40)" ""
	done

	# what 0.2.0 made: tables and views of stages of all kinds give the same rows, are the same objects, and are made again
	sql "CREATE DATABASE later_$schema"
	in_database later_$schema -c "$create VERSION '0.2.0'"
	sed "s/public\./$schema./g" test/data/release_0.2.0.sql | in_database later_$schema -f - > /dev/null
	rows() {
		in_database later_$schema <<-'SQL'
			SELECT format('SELECT %L || coalesce(string_agg(x::text, E''\n'' ORDER BY x::text), ''nothing'') FROM lab.%I x', relname || ': ', relname)
			FROM pg_class WHERE relnamespace = 'lab'::regnamespace AND relkind IN ('r', 'v') ORDER BY relname \gexec
		SQL
	}
	called() {
		in_database later_$schema -c "SELECT count(DISTINCT d.refobjid) FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
			JOIN pg_class c ON c.oid = r.ev_class JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
			WHERE c.relnamespace = 'lab'::regnamespace AND p.pronamespace = '$1'::regnamespace"
	}
	rows > "$dir/before"
	is "relations of 0.2.0, in $schema" "$(grep -c ': ' "$dir/before") $(grep -c ': nothing' "$dir/before")" "62 0"
	before=$(called $schema)
	# the library is newer than the catalog until the update: what 0.2.0 declares has fewer arguments
	is "a loop before the update, in $schema" "$(in_database later_$schema -c "SET search_path = lab, $schema; SELECT count(*) FROM einsum_iterate('beside', 'halves[] = 1', 'halves[] = 0.5 * halves[]', max_rounds => 2, schema => 'pg_temp')")" 2
	in_database later_$schema -c "ALTER EXTENSION sparseeinsum UPDATE"
	is "rows of 0.2.0's views, in $schema" "$(rows | diff "$dir/before" -)" ""
	is "0.2.0 with views, in $schema" "$(members later_$schema | diff "$dir/fresh" - | grep '^[<>]')" ""
	is "internal functions that they call moved, in $schema" "$((before - $(called $schema) > 35))" 1
	succeeds "refreshed from 0.2.0, in $schema" in_database later_$schema -c "SET search_path = lab, $schema; SELECT einsum_refresh('kept_')"
	for bound in 9 6; do
		is "programs of 0.2.0 made again, in $schema" "$(in_database later_$schema -c "SET search_path = lab, $schema; SELECT count(*) > 8 FROM einsum_rebound('{\"a\": [$bound, 4]}')")" t
	done
	is "rows of them, in $schema" "$(rows | diff "$dir/before" -)" ""
	is "they call internal functions where these are, in $schema" "$(in_database later_$schema -c "SELECT count(*) FROM pg_views WHERE schemaname = 'lab' AND definition ~ '$schema[.](scalar_|einsum_)'")" 0

	# with what was made before: its views go on, and are made again
	sql "CREATE DATABASE used_$schema"
	in_database used_$schema -c "$create VERSION '0.1.0'"
	sed "s/public\./$schema./g" test/data/release_0.1.0.sql | in_database used_$schema -f - > /dev/null
	in_database used_$schema -c "CREATE VIEW public.listed AS SELECT tensor, rows FROM $schema.einsum_tensors WHERE status = 'ok'"
	in_database used_$schema -c "ALTER EXTENSION sparseeinsum UPDATE"
	is "updated with views, in $schema" "$(members used_$schema | diff "$dir/fresh" - | grep '^[<>]' | grep -v einsum_once)" ""
	used() {
		in_database used_$schema -c "SET search_path = lab, $schema" -c "$1"
	}
	results="SELECT tensor_count_nonzero(value) FROM q; SELECT value FROM s; SELECT sum(value) FROM t; SELECT tensor_sum(value) FROM y; SELECT value FROM o"
	before=$(used "$results")
	is "results of programs of before, in $schema" "$before" $'64\n27812\n27812\n[2620,4860]\n[[2470,190],[190,20]]'
	is "registrations of before, in $schema" "$(used "SELECT string_agg(tensor || ' ' || status, ', ' ORDER BY tensor, relation::text) FROM einsum_tensors")" \
		"e ok, h ok, l ok, m ok, o ok, p ok, q ok, s ok, s__1 ok, t ok, y ok, y__1 ok"
	is "a view over them, in $schema" "$(used "SELECT count(*) FROM public.listed")" 12
	is "a program over them, in $schema" "$(used "SELECT einsum_value('v[] = h[i,k]*h[i,k]')")" 2490
	is "measured, in $schema" "$(used "SELECT tensor, entries FROM einsum_analyze() WHERE tensor = 'e'")" "e|19"
	succeeds "refreshed, in $schema" used "SELECT einsum_refresh('blocks')"
	fails_with "bounds of before cannot be changed, in $schema" "program .(layer|views|blocks|square). in schema .lab. cannot be made again" \
		psql -Xq -d used_$schema -c "SET search_path = lab, $schema" -c "SELECT einsum_rebound('{\"h\": [20001, null]}')"
	succeeds "programs of before are made again, in $schema" used "
		SELECT einsum_decompose('y[i,l] = (sum[j] e[i,j]*relu(sum[k] h[j,k]*p[k,l]))', 'layer', replace => true, result => 'auto');
		SELECT einsum_decompose('t[i] = l[i,j]*h[j,k]*h[i,k]; s[] = sum[i] t[i]', 'views', replace => true, result => 'auto');
		SELECT einsum_decompose('q[i,j] = m[i,k]*m[k,j]', 'blocks', materialize => 'always', replace => true, result => 'auto');
		SELECT einsum_decompose('o[k,l] = h[i,k]*h[i,l]', 'square', replace => true, result => 'auto')"
	is "results of them made again, in $schema" "$(used "$results")" "$before"
	is "their bounds can be changed then, in $schema" "$(used "SELECT string_agg(program, ' ' ORDER BY program) FROM einsum_rebound('{\"e\": [20001, 20001], \"l\": [20001, 20001], \"h\": [20001, null]}') program")" "layer square views"
	is "with the same results, in $schema" "$(used "$results")" "$before"
	succeeds "dropped, in $schema" used "SELECT einsum_drop(name) FROM unnest('{layer,views,blocks,square}'::text[]) name"
done
finish
