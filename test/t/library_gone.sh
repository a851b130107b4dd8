# The library's file is gone: what is unrelated works, and what the documents say drops the extension.
# Run under test/cluster, whose installation is shared: this one has a copy, and a server of its own.
cd "$(dirname "$0")/../.."
. test/shell-tests
bindir=$("${PG_CONFIG:-pg_config}" --bindir)
dir=$(mktemp -d /tmp/sparseeinsum.XXXXXX)
as_server=()
cp -r "$(sql "SHOW extension_destdir")" "$dir/root"
if [ "$(id -u)" = 0 ]; then
	as_server=(runuser -u postgres --)
	chown -R postgres "$dir"
fi
trap '"${as_server[@]}" "$bindir/pg_ctl" -D "$dir/data" -m immediate stop > /dev/null 2>&1; rm -rf "$dir"' EXIT
cd "$dir"
"${as_server[@]}" "$bindir/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync > "$dir/log"
printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$dir'" "extension_destdir = '$dir/root'" "fsync = off" >> "$dir/data/postgresql.conf"
"${as_server[@]}" "$bindir/pg_ctl" -D "$dir/data" -w -l "$dir/data/log" start > /dev/null
export PGHOST=$dir
sql "CREATE EXTENSION sparseeinsum; CREATE TABLE e (i int PRIMARY KEY, v float8); CREATE TABLE vectors (i int, e tensor); INSERT INTO vectors VALUES (1, '[1,2]'); SELECT einsum_register('e[I]', 'e', '{i}', 'v', '{9}');
CREATE ROLE maker LOGIN; GRANT CREATE ON DATABASE postgres TO maker; CREATE SCHEMA planted; GRANT ALL ON SCHEMA planted TO maker" > /dev/null
library=$(find "$dir/root" -name sparseeinsum.so)

# what succeeds whatever is wrong with the library, each in a session of its own, by a superuser and by another role
works() {
	local role
	for role in postgres maker; do
		export PGUSER=$role
		fails_with "$1: what needs it, by $role" "$2" sql "SELECT einsum_version()"
		succeeds "$1: what is unrelated, by $role" sql "CREATE SCHEMA s; CREATE TABLE s.t (i int); INSERT INTO s.t VALUES (1); CREATE VIEW s.v AS SELECT * FROM s.t; ALTER TABLE s.t ADD j int; DROP VIEW s.v; DROP TABLE s.t"
		is "$1: DROP SCHEMA, by $role" "$(sql "DROP SCHEMA s" 2>&1 | grep -E 'ERROR|WARNING' | grep -oE '^(ERROR|WARNING):  the library of extension sparseeinsum')" "WARNING:  the library of extension sparseeinsum"
		succeeds "$1: DROP SCHEMA of nothing, by $role" sql "DROP SCHEMA IF EXISTS nothing CASCADE"
		# what others have put before pg_catalog is not called
		succeeds "$1: with a search path of others, by $role" sql "SET search_path = planted, pg_catalog; CREATE SCHEMA s; DROP SCHEMA s"
	done
	PGUSER=maker succeeds "$1: DROP OWNED" sql "CREATE TABLE planted.mine (i int); DROP OWNED BY maker; RESET ROLE"
	PGUSER=postgres sql "GRANT CREATE ON DATABASE postgres TO maker; GRANT ALL ON SCHEMA planted TO maker"
	export PGUSER=postgres
	succeeds "$1: ALTER EXTENSION" sql "ALTER EXTENSION sparseeinsum DROP VIEW einsum_dimensions; ALTER EXTENSION sparseeinsum ADD VIEW einsum_dimensions"
	fails_with "$1: a label of ours" "security label provider .sparseeinsum. is not loaded" sql "SECURITY LABEL FOR sparseeinsum ON TABLE e IS NULL"
	succeeds "$1: tables that are registered" sql "ALTER TABLE e ADD w int; INSERT INTO e VALUES (1, 2, 3); DELETE FROM e; ALTER TABLE e DROP w; BEGIN; DROP TABLE e; ROLLBACK"
}
is "no warning while it is there" "$(sql "CREATE SCHEMA s; DROP SCHEMA s" 2>&1)" ""
mv "$library" "$dir/kept"
works "the library is gone" "could not access file"
echo "int one = 1;" | cc -shared -fPIC -x c - -o "$library"
works "it is another library" "incompatible library"
: > "$library"
chmod 0 "$library"
[ "$(id -u)" = 0 ] && chown postgres "$library"
works "it may not be read" "could not (access file|load library)"
rm "$library"
# a session that has no library drops the extension; its labels stay, and mean what they did if the extension is made again
fails_with "columns of tensors are named" "column e of table vectors depends on type tensor" sql "DROP EXTENSION sparseeinsum"
fails_with "columns of tensors cannot be converted" "could not access file" sql "ALTER TABLE vectors ALTER e TYPE text"
succeeds "the extension is dropped" sql "DROP EXTENSION sparseeinsum CASCADE"
is "tables stay, without such columns" "$(sql "SELECT count(*) FROM e; SELECT * FROM vectors")" $'0\n1'
is "labels stay" "$(sql "SELECT count(*) FROM pg_seclabel WHERE provider = 'sparseeinsum'")" 1
mv "$dir/kept" "$library"
is "made again" "$(sql "CREATE SCHEMA apart; CREATE EXTENSION sparseeinsum SCHEMA apart; SELECT tensor, status FROM apart.einsum_tensors")" "e|ok"
mv "$library" "$dir/kept"
succeeds "dropped with its schema" sql "DROP SCHEMA apart CASCADE; SET allow_system_table_mods = on; DELETE FROM pg_seclabel WHERE provider = 'sparseeinsum'"
mv "$dir/kept" "$library"
is "registrations are removed" "$(sql "CREATE EXTENSION sparseeinsum; SELECT count(*) FROM einsum_tensors")" 0

# catalogs of 0.2.0, whose triggers call C: with the new library they work, also before the update
for version in 0.1.0 0.2.0; do
	sql "CREATE DATABASE \"$version\""
	export PGDATABASE=$version
	sql "SET client_min_messages = warning; CREATE EXTENSION sparseeinsum VERSION '$version'"
	succeeds "$version: before the update" sql "CREATE SCHEMA s; DROP SCHEMA s; ALTER EXTENSION sparseeinsum DROP VIEW einsum_tensors; ALTER EXTENSION sparseeinsum ADD VIEW einsum_tensors"
	succeeds "$version: the update" sql "ALTER EXTENSION sparseeinsum UPDATE"
	mv "$library" "$dir/kept"
	succeeds "$version: without the library, after it" sql "CREATE SCHEMA s; DROP SCHEMA s; DROP EXTENSION sparseeinsum"
	mv "$dir/kept" "$library"
done
finish
