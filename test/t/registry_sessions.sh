#!/bin/bash
# What a session remembers of registrations follows what others do to them, and what
# it does itself and undoes. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
export PGOPTIONS='-c client_min_messages=warning -c search_path=sessions,public'
sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum; CREATE SCHEMA sessions; CREATE SCHEMA away" 2> /dev/null
sql "CREATE TABLE t (i int PRIMARY KEY, v float8); INSERT INTO t VALUES (0, 1), (1, 2);
	CREATE TABLE u (LIKE t INCLUDING ALL); INSERT INTO u VALUES (0, 10)"

# One session that asks for the sum of x before and after each line, which is SQL of
# its own, or, after !, of another session
session() {
	local line ask="SELECT CASE WHEN einsum_sql('s[] = x[i]') <> '' THEN 'found' END;"
	{
		echo "\\set VERBOSITY terse"
		echo "\\set ON_ERROR_ROLLBACK on"
		echo "$ask"
		while read -r line; do
			case $line in
				!*) line=${line#!} && echo "\\! psql -XAtq -c \"${line//\$/\\\$}\"" ;;
				*) echo "$line" ;;
			esac
			echo "$ask"
		done
	} | psql -XAtq 2>&1 | sed 's/^ERROR: .*does not exist.*/none/' | tr -s '\n' ' '
}
register="SELECT einsum_register('x[I]', 't', '{i}', 'v', '{9}');"
is "another session registers and undoes it" "$(session <<< "!$register
!SELECT einsum_unregister('x');
!$register
!DROP TABLE t;")" "none found none found none "
sql "CREATE TABLE t (i int PRIMARY KEY, v float8); INSERT INTO t VALUES (0, 1)"
is "SECURITY LABEL, without the library's functions" "$(
	sql "$register" > /dev/null
	label=$(sql "SELECT label FROM pg_seclabels WHERE objoid = 't'::regclass" | sed 's/"/\\"/g')
	sql "SECURITY LABEL FOR sparseeinsum ON TABLE t IS NULL"
	session <<< "!SECURITY LABEL FOR sparseeinsum ON TABLE t IS '$label';
!SECURITY LABEL FOR sparseeinsum ON TABLE t IS NULL;
!SECURITY LABEL FOR sparseeinsum ON TABLE t IS '$label';
!ALTER TABLE t RENAME TO t2;
!ALTER TABLE t2 SET SCHEMA away;
!ALTER TABLE away.t2 RENAME TO t; ALTER TABLE away.t SET SCHEMA sessions;"
)" "none found none found found none found "
is "the session itself, and its subtransactions" "$(sql "SELECT einsum_unregister('x')" > /dev/null; session <<< "BEGIN;
$register
SAVEPOINT a;
SELECT einsum_unregister('x');
ROLLBACK TO a;
SAVEPOINT b;
SELECT einsum_unregister('x');
RELEASE b;
ROLLBACK;
BEGIN;
$register
COMMIT;
BEGIN;
SELECT einsum_unregister('x');
ROLLBACK;")" "none none found found none found found none none none none found found found none found "
is "within one statement" "$(sql "SELECT einsum_unregister('x')" > /dev/null; sql "DO \$\$ BEGIN
	PERFORM einsum_register('x[I]', 't', '{i}', 'v', '{9}'); PERFORM einsum_sql('s[] = x[i]');
	BEGIN PERFORM einsum_unregister('x'); PERFORM einsum_sql('s[] = x[i]'); EXCEPTION WHEN undefined_object THEN RAISE WARNING 'none'; END;
	PERFORM einsum_sql('s[] = x[i]'); END \$\$" 2>&1)" "WARNING:  none"
# more changes than are noted one by one, and a table that takes another's place
is "many changes at once" "$(session <<< "!SELECT einsum_unregister('x'); DO \$\$ BEGIN FOR k IN 1..300 LOOP EXECUTE format('CREATE TABLE many%s (i int)', k); END LOOP; END \$\$; SELECT einsum_register('x[I]', 'u', '{i}', 'v', '{9}');
!DROP TABLE u;")" "found found none "
# a transaction that is not committed is not seen, and one that is, is
# waits until a condition on the locks holds
until_locks() {
	echo "DO \$\$ BEGIN WHILE NOT ($1) LOOP PERFORM pg_sleep(0.01); END LOOP; END \$\$"
}
advisory="SELECT FROM pg_locks WHERE locktype = 'advisory'"
psql -XAtq -c "$(until_locks "EXISTS ($advisory)")" \
	-c "BEGIN; SELECT einsum_register('x[I]', 't', '{i}', 'v', '{9}'); SELECT pg_advisory_xact_lock(1); COMMIT" > /dev/null &
is "an open transaction" "$(session <<< "SELECT pg_advisory_lock(1);
$(until_locks "EXISTS ($advisory AND NOT granted)");
SELECT pg_advisory_unlock(1); $(until_locks "NOT EXISTS ($advisory)");")" "none none none t found "
wait
sql "DROP SCHEMA sessions, away CASCADE"
finish
