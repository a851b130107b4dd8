# Names, and relations in more than ROW EXCLUSIVE, are locked in one file, which has their order.
set -euo pipefail
taken() {
	grep -rnE '\b(LockDatabaseObject|SET_LOCKTAG_OBJECT|LockAcquire|LockRelationOid|UnlockRelationOid|LockSharedObject)\(' "$@" |
		grep -vE 'LockRelationOid\([^;]*, (AccessShare|RowExclusive)Lock\)' || true
}
bad=$(taken src --include='*.c' | grep -v '^src/catalog/locks\.c:' || true)
echo -n "${bad:+$bad
}"
[ -n "$(taken src/catalog/locks.c)" ] && [ -z "$bad" ]
