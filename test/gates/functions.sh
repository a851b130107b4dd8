# The table of functions in the reference is what the table of the code says: sql/functions.awk.
# With "write" it is made again.
set -euo pipefail
page=docs/reference/language.md
begin='<!-- functions of one number: made by functions.awk -->'
made=$(awk -v docs=1 -f sql/functions.awk kernels/function_list.h)
there=$(sed -n "/^$begin$/,/^<!-- end -->$/p" "$page" | sed '1d;$d')
[ "$made" != "$there" ] || exit 0
if [ "${1:-}" != write ]; then
	echo "$page is not what kernels/function_list.h has: bash test/gates/functions.sh write"
	diff <(echo "$there") <(echo "$made") || exit 1
fi
grep -qx -- "$begin" "$page"
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{ sed "/^$begin$/q" "$page"; echo "$made"; sed -n '/^<!-- end -->$/,$p' "$page"; } > "$new"
cat "$new" > "$page"
