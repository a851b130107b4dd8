# A new function of numbers touches the files that docs/development.md names, at most 8. That it then works
# is checked by: make check-new-function
set -euo pipefail
exec python3 -B test/new-function/run places
