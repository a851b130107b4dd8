# Clang's static analyzer finds nothing in src and kernels, by the checkers named here. Assertions are on: they, and ASSUME of
# kernels/assume.h, say what it cannot see. core.builtin finds nothing itself: it knows which functions do not return. The search of paths is cut
# short, so that all takes a minute on two processors; at twice
# that it finds one thing more, which is allowed below. ANALYZER_NODES says otherwise: a quarter takes half the time.
set -euo pipefail
clang=${CLANG:-clang-14}
command -v "$clang" > /dev/null || { echo "no $clang: test/install-dependencies"; exit 1; }
checkers=core.builtin.BuiltinFunctions,core.builtin.NoReturnFunctions
checkers=$checkers,core.DivideZero,core.NonNullParamChecker,core.StackAddressEscape,core.VLASize,core.NullDereference
checkers=$checkers,core.CallAndMessage,core.UndefinedBinaryOperatorResult
checkers=$checkers,core.uninitialized.ArraySubscript,core.uninitialized.Assign,core.uninitialized.Branch,core.uninitialized.UndefReturn
checkers=$checkers,unix.API,unix.Malloc,unix.MallocSizeof,unix.MismatchedDeallocator,unix.cstring.BadSizeArg,unix.cstring.NullArg
checkers=$checkers,deadcode.DeadStores,security.FloatLoopCounter,security.insecureAPI.UncheckedReturn

# what is found and is no fault: part of the line, and why
allowed() {
	grep -vE \
		-e 'kernels/function_type\.c:.*(CallAndMessage|Assign|UndefinedBinaryOperatorResult)' `# a function has as many types as arguments` \
		-e 'kernels/nest/index\.c:.*Assign' `# counts are set of each level` \
		-e 'aggregate_join/costs\.c:.*UndefinedBinaryOperatorResult' `# it is set of each operand which of them share` \
		-e 'commands/rebound\.c:.*NonNullParamChecker' `# a bound that is NULL has raised an error` \
		-e 'batched_projection/exec\.c:.*NonNullParamChecker' `# where no column is by reference, none is copied` \
		-e 'kernels/sweep\.c:.*UndefinedBinaryOperatorResult' `# gathered is set of each operand` \
		-e 'algebra/factor_path\.c:.*CallAndMessage' `# there are forms of each factor` \
		-e 'type/sparse\.c:.*Assign' `# all bounds behind the given ones are set` \
		-e 'expr/normalize\.c:.*NullDereference' `# products, quotients and powers have two arguments`
}

server=$("${PG_CONFIG:-pg_config}" --includedir-server)
blas=$(ls -d /usr/include/*/openblas-serial /usr/include/openblas 2> /dev/null | head -n 1 || true)
# what most of src includes is read once
parsed=$(mktemp)
trap 'rm -f "$parsed"' EXIT
options="-std=gnu11 -w -D_GNU_SOURCE -DUSE_ASSERT_CHECKING -I. -Isrc -I$server ${blas:+-I$blas}"
printf '#include "%s"\n' postgres.h fmgr.h utils/builtins.h utils/lsyscache.h utils/memutils.h catalog/pg_type.h |
	"$clang" -x c-header $options - -o "$parsed"
export clang checkers options parsed
analyze() {
	local headers=
	[[ $1 == kernels/* ]] || headers="-include-pch $parsed"
	"$clang" --analyze --analyzer-no-default-checks --analyzer-output text $options $headers \
		-Xclang -analyzer-checker="$checkers" -Xclang -analyzer-config -Xclang max-nodes="${ANALYZER_NODES:-4000}" "$1" -o /dev/null 2>&1 || echo "$1: was not analyzed"
}
export -f analyze
found=$(find src kernels -name '*.c' ! -name '*_grammar.c' ! -name '*_scanner.c' ! -path 'kernels/ref/*' | sort |
	xargs -P "$(nproc)" -n 1 bash -c 'analyze "$1"' analyze | grep -E 'warning:|error:|was not analyzed' | sort -u | allowed || true)
[ -z "$found" ] || { echo "$found"; exit 1; }
