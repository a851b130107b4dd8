# Every planted defect has its place in the tree: see test/mutants/table.py.
set -euo pipefail
exec python3 -B test/mutants/table.py
