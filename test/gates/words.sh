# Phrases that readers stumble over: the counts of words.list, per folder, only fall.
set -euo pipefail
exec python3 test/gates/words.py "$@"
