# Nothing points into an array that a call has moved: see stale_pointers.py.
set -euo pipefail
python3 test/gates/stale_pointers.py
