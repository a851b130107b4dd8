# The install and upgrade scripts run as a superuser, on a path that begins with
# a schema where others may have planted operators, functions and types: pgspot
# finds nothing in them that could be taken for something planted.
set -euo pipefail
python=$(test/venv pgspot pgspot==0.9.4)
make -s $(make -s -f - sql <<< $'include Makefile\nsql:\n\t@echo $(DATA_built)')
bad=0

# What pgspot says of the script on standard input. It cannot read the bodies of
# functions that follow RETURN or BEGIN ATOMIC: they become text for it. In truth they are
# resolved when the function is created, so that such a function needs no path.
findings() {
	perl -0pe 's/\n\tRETURN (.*?);\n(?=COMMENT|\Z)/\n\tAS \$body\$SELECT $1\$body\$;\n/sg;
		s/\n\tBEGIN ATOMIC\n(.*?)\n\tEND;\n/\n\tAS \$body\$$1\$body\$;\n/sg' |
		"$python" -m pgspot --ignore PS005 2>&1 || true
}

# Before PostgreSQL 16 a script cannot name the schema of another extension. That
# these are its types, sparseeinsum_pgvector asks before it uses them. And of members made earlier, pgspot knows no views.
required='^PS017: Unqualified object reference: (tensor|vector|halfvec|sparsevec) in CAST|^PS015: Unsafe view creation: extschema.(einsum_tensors|einsum_dimensions) '

# it finds what is there to find, also in blocks and in bodies
for planted in "SELECT 1 WHERE pg_catalog.now() = pg_catalog.now();" "SELECT planted();" "CREATE TABLE planted (i int);" \
	$'DO $$ BEGIN PERFORM 1 OPERATOR(pg_catalog.+) 1 WHERE 1 = 1; END $$;' \
	$'CREATE FUNCTION f() RETURNS int LANGUAGE sql\n\tRETURN 1 + 1;\nCOMMENT ON FUNCTION f() IS \'\';' \
	$'CREATE FUNCTION f() RETURNS int LANGUAGE sql\n\tBEGIN ATOMIC\n\t\tSELECT 1 + 1;\n\tEND;\n'; do
	grep -q '^PS0' <<< "$(findings <<< "$planted")" || { echo "pgspot does not find: $planted"; bad=1; }
done

# an upgrade script replaces members that the earlier version made, and whose script is known as it is
scripts=$(find . -name '*--*.sql' ! -path './build/*' ! -path './results/*' ! -path './sql/upgrade/*' | sort)
[ "$(wc -w <<< "$scripts")" -ge 3 ]
for script in $scripts; do
	earlier=sql/upgrade/$(sed 's,.*/,,; s/--[^-]*$/.sql/' <<< "$script")
	[ -f "$earlier" ] || earlier=$(sed 's/--[^-]*$/.sql/' <<< "$script")
	[ -f "$earlier" ] || earlier=/dev/null
	said=$(cat "$earlier" "$script" | findings)
	left=$(grep -vE "$required" <<< "$said" | grep -vxFf <(findings < "$earlier" | grep '^PS' || echo none) || true)
	if grep -q '^PS' <<< "$left" || ! grep -qE '^Errors: [0-9]+ Warnings: [0-9]+ Unknown: 0$' <<< "$said"; then
		echo "$script:"
		echo "$left"
		bad=1
	fi
done
exit $bad
