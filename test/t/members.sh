#!/bin/bash
# What sessions take for members of the extension, as it is created, altered and dropped by others and by
# themselves, committed and rolled back. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
export PGOPTIONS='-c client_min_messages=warning'
library='$libdir/sparseeinsum'

# is the call of mat_vec_mult, wherever it is, batched?
sql "CREATE FUNCTION batched() RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
	schema text := (SELECT pronamespace::regnamespace FROM pg_proc WHERE proname = 'mat_vec_mult');
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN SELECT %1\$s.mat_vec_mult(''[[1,2]]'', %1\$s.tensor_full(ARRAY[2], i)) FROM generate_series(1, 100) i', schema) LOOP
		IF line ~ 'BatchedProjection' THEN RETURN 'batched'; END IF;
	END LOOP;
	RETURN 'plain';
EXCEPTION WHEN undefined_function OR syntax_error THEN
	RETURN 'none';
END \$\$;
CREATE TABLE seen (during text);
CREATE FUNCTION see() RETURNS event_trigger LANGUAGE plpgsql AS \$\$ BEGIN INSERT INTO public.seen VALUES (public.batched()); END \$\$;
CREATE EVENT TRIGGER see ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION see();"

# a session that asks again and again; lines that begin with ! are run by another session
ask() {
	while read -r line; do
		case $line in
			!*) echo "\\! psql -XAtq -v ON_ERROR_STOP=1 -c '${line#!}'" ;;
			*) echo "$line;" ;;
		esac
		echo "SELECT batched();"
	done | psql -XAtq -v ON_ERROR_STOP=1 -c "LOAD '$library'; SET sparseeinsum.enable_batching = force" -f - 2>&1 | tr '\n' ' '
}
is "in another session" "$(ask <<'SQL'
!SELECT
!CREATE EXTENSION sparseeinsum
!ALTER EXTENSION sparseeinsum DROP FUNCTION mat_vec_mult(tensor, tensor)
!BEGIN; ALTER EXTENSION sparseeinsum ADD FUNCTION mat_vec_mult(tensor, tensor); ROLLBACK
!ALTER EXTENSION sparseeinsum ADD FUNCTION mat_vec_mult(tensor, tensor)
!CREATE SCHEMA other; DROP EXTENSION sparseeinsum; CREATE EXTENSION sparseeinsum SCHEMA other
!ALTER SCHEMA other RENAME TO another
!DROP EXTENSION sparseeinsum
!CREATE EXTENSION sparseeinsum
!DROP EXTENSION sparseeinsum
SQL
)" "none batched plain plain batched batched batched none batched none "
is "members are not looked at while they are created" "$(sql "SELECT string_agg(DISTINCT during, ' ') FROM seen")" plain
is "in the session itself" "$(ask <<'SQL'
SELECT
CREATE EXTENSION sparseeinsum
DROP EXTENSION sparseeinsum
BEGIN
CREATE EXTENSION sparseeinsum
SAVEPOINT one
ALTER EXTENSION sparseeinsum DROP FUNCTION mat_vec_mult(tensor, tensor)
ROLLBACK TO one
DROP EXTENSION sparseeinsum
CREATE EXTENSION sparseeinsum SCHEMA another
ROLLBACK TO one
ROLLBACK
CREATE EXTENSION sparseeinsum
BEGIN
ALTER EXTENSION sparseeinsum DROP FUNCTION mat_vec_mult(tensor, tensor)
DROP FUNCTION mat_vec_mult(tensor, tensor)
ROLLBACK
CREATE TEMP TABLE t (i int)
DROP EXTENSION sparseeinsum
SQL
)" "none batched none none batched batched plain batched none batched batched none batched batched plain none batched batched none "
# what functions compute is known by OID: of a prepared statement's functions too, which have others now
is "a prepared statement outlives the extension" "$(psql -XAtq -v ON_ERROR_STOP=1 2>&1 <<'SQL' | grep -c BatchedProjection
CREATE EXTENSION sparseeinsum;
SET sparseeinsum.enable_batching = force;
PREPARE p AS SELECT mat_vec_mult('[[1,2]]', tensor_full(ARRAY[2], i))::text FROM generate_series(1, 100) i;
EXPLAIN EXECUTE p;
DROP EXTENSION sparseeinsum;
CREATE EXTENSION sparseeinsum;
EXPLAIN EXECUTE p;
SQL
)" 2
finish
