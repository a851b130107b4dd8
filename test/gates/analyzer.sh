# Clang's static analyzer finds nothing in src and kernels, by the checkers named here. Its search of paths is cut
# short, so that all takes about a minute and a half on two processors. Not among them are core.NullDereference, core.uninitialized
# and those of arguments and operands that are not set: they have some 70 findings, about lists that are never empty and counts that agree,
# which are not judged yet.
set -euo pipefail
clang=${CLANG:-clang-14}
command -v "$clang" > /dev/null || { echo "no $clang: test/install-dependencies"; exit 1; }
checkers=core.DivideZero,core.NonNullParamChecker,core.StackAddressEscape,core.VLASize
checkers=$checkers,unix.API,unix.Malloc,unix.MallocSizeof,unix.MismatchedDeallocator,unix.cstring.BadSizeArg,unix.cstring.NullArg
checkers=$checkers,deadcode.DeadStores,security.FloatLoopCounter,security.insecureAPI.UncheckedReturn

# what is found and is no fault: part of the line, and why
allowed() {
	grep -vE \
		-e 'lib/simplehash\.h:.*NonNullParamChecker' `# PostgreSQL's own: a table has an entry to move` \
		-e 'commands/rebound\.c:.*NonNullParamChecker' `# a bound that is NULL has raised an error` \
		-e 'type/batch\.c:.*NonNullParamChecker' `# rows that are collected have a sum` \
		-e 'iterate/frontier\.c:.*NonNullParamChecker' `# a result that has labels says which` \
		-e 'batched_projection/exec\.c:.*NonNullParamChecker' `# where no column is by reference, none is copied`
}

server=$("${PG_CONFIG:-pg_config}" --includedir-server)
blas=$(ls -d /usr/include/*/openblas-serial /usr/include/openblas 2> /dev/null | head -n 1 || true)
export clang checkers server blas
analyze() {
	"$clang" --analyze --analyzer-no-default-checks --analyzer-output text -std=gnu11 -w -D_GNU_SOURCE \
		-Xclang -analyzer-checker="$checkers" -Xclang -analyzer-config -Xclang max-nodes=8000 \
		-I. -Isrc -I"$server" ${blas:+-I"$blas"} "$1" -o /dev/null 2>&1 || echo "$1: was not analyzed"
}
export -f analyze
found=$(find src kernels -name '*.c' ! -name '*_grammar.c' ! -name '*_scanner.c' ! -path 'kernels/ref/*' | sort |
	xargs -P "$(nproc)" -n 1 bash -c 'analyze "$1"' analyze | grep -E 'warning:|error:|was not analyzed' | sort -u | allowed || true)
[ -z "$found" ] || { echo "$found"; exit 1; }
