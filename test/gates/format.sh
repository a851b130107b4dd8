# C sources are as clang-format 14 lays them out by .clang-format (other
# versions differ in places). Repair with: clang-format-14 -i FILE.
set -euo pipefail
find src kernels $(ls -d test/unit 2> /dev/null || true) -name '*.[ch]' ! -name '*_grammar.[ch]' ! -name '*_scanner.c' |
	sort | xargs clang-format-14 --dry-run -Werror
