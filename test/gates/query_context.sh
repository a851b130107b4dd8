# Queries of ours run by catalog/query_run.c, so that an error has one line of them, of at most 200
# characters, as its context or query; and no test expects a longer one.
set -euo pipefail
bad=0
if grep -rnE '\bSPI_(execute|exec|prepare|cursor_open|cursor_parse_open)\w*\(' src --include=*.c | grep -v '^src/catalog/query_run\.c:'; then
	echo "runs a query by SPI itself"
	bad=1
fi
awk '/^QUERY:  \/\*/ && length > 200 { print FILENAME ":" FNR ": a query of " length " characters"; bad = 1 }
	/^CONTEXT:  SQL statement "\/\*/ && length > 200 { print FILENAME ":" FNR ": a context of " length " characters"; bad = 1 }
	/^CONTEXT:  SQL statement "\/\*/ { found++ }
	END { if (found < 5) print "too few contexts to see it"; exit bad || found < 5 }' expected/*.out || bad=1
exit $bad
