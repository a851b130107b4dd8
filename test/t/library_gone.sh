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
sql "CREATE EXTENSION sparseeinsum; CREATE TABLE e (i int PRIMARY KEY, v float8); SELECT einsum_register('e[I]', 'e', '{i}', 'v', '{9}')" > /dev/null
find "$dir/root" -name sparseeinsum.so -exec rm {} +
fails_with "the library is gone" "could not access file" sql "SELECT einsum_version()"
succeeds "what is unrelated" sql "CREATE SCHEMA s; CREATE TABLE s.t (i int); INSERT INTO s.t VALUES (1); CREATE VIEW s.v AS SELECT * FROM s.t; ALTER TABLE s.t ADD j int; DROP VIEW s.v; DROP TABLE s.t"
succeeds "the triggers are disabled" sql "ALTER EVENT TRIGGER sparseeinsum_load DISABLE; ALTER EVENT TRIGGER sparseeinsum_members DISABLE"
succeeds "a schema is dropped" sql "DROP SCHEMA s"
succeeds "the extension is dropped" sql "DROP EXTENSION sparseeinsum CASCADE"
succeeds "its labels are removed" sql "SET allow_system_table_mods = on; DELETE FROM pg_seclabel WHERE provider = 'sparseeinsum'"
is "tables stay" "$(sql "SELECT count(*) FROM e")" 0
finish
