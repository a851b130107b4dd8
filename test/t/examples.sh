# The examples that no demo runs: each checks its results itself and says "ok:"
# for every check.
. test/shell-tests

output=$(psql -X -f examples/least_squares.sql 2>&1)
is "least squares: status" "$?" 0
is "least squares: checks" "$(grep -o 'ok: ' <<< "$output" | wc -l)" 3
output=$(psql -X -f examples/loops.sql 2>&1)
is "loops: status" "$?" 0
is "loops: checks" "$(grep -o 'ok: ' <<< "$output" | wc -l)" 9
output=$(psql -X -f examples/keep.sql 2>&1)
is "keep: status" "$?" 0
is "keep: checks" "$(grep -o 'ok: ' <<< "$output" | wc -l)" 8
output=$(psql -X -f examples/learning.sql 2>&1)
is "learning: status" "$?" 0
is "learning: checks" "$(grep -o 'ok: ' <<< "$output" | wc -l)" 6
finish
