#!/bin/bash
# pg_upgrade of a database with registered tensors, statistics and a program. It makes
# an extension's members one by one, and other tables between them.
# Run under test/cluster, whose server is not upgraded.
cd "$(dirname "$0")/../.."
. test/shell-tests
bindir=$("${PG_CONFIG:-pg_config}" --bindir)
dir=$(mktemp -d /tmp/sparseeinsum.XXXXXX)
destination=$(sql "SHOW extension_destdir")
as_server=()
if [ "$(id -u)" = 0 ]; then
	as_server=(runuser -u postgres --)
	chown postgres "$dir"
fi
server() {
	"${as_server[@]}" "$bindir/pg_ctl" -D "$dir/$1" -w -l "$dir/$1.log" "${@:2}" > /dev/null
}
trap 'server old -m immediate stop 2> /dev/null; server new -m immediate stop 2> /dev/null; rm -rf "$dir"' EXIT

export PGHOST=$dir
for data in old new; do
	"${as_server[@]}" "$bindir/initdb" -D "$dir/$data" -U postgres -A trust -E UTF8 --locale=C --no-sync > "$dir/initdb.log"
	cat >> "$dir/$data/postgresql.conf" <<-CONF
		listen_addresses = ''
		unix_socket_directories = '$dir'
		extension_destdir = '$destination'
		fsync = off
	CONF
done
server old start

# names before and behind those of the extension's own tables
sql "
CREATE EXTENSION sparseeinsum;
CREATE SCHEMA a;
CREATE TABLE a.edge (dst int, src int, weight float8, PRIMARY KEY (dst, src));
CREATE TABLE public.a_vector (i int PRIMARY KEY, v float8);
CREATE TABLE public.node (i int PRIMARY KEY, v tensor);
INSERT INTO a.edge SELECT i, i * 7 % 20, i FROM generate_series(0, 19) i;
INSERT INTO a_vector SELECT i, i FROM generate_series(0, 19) i;
INSERT INTO node SELECT i, '[1,2]' FROM generate_series(0, 19) i;
SELECT einsum_register('e[I,J]', 'a.edge', '{dst,src}', 'weight', '{20,20}');
SELECT einsum_register('x[I]', 'a_vector', '{i}', 'v', '{20}');
SELECT einsum_register('h[I,k]', 'node', '{i}', 'v', '{20,2}');
SET search_path = a, public;
SELECT count(*) FROM einsum_decompose('z[k:*] = e[i,j]*x[j]*h[i,k]; w[] = z[k]', 'sums');
SELECT count(*) FROM einsum_decompose('t[k:*] = e[i,j]*x[j]*h[i,k]', 'kept', materialize => 'always');" > /dev/null
everything="SELECT tensor, schema, relation, notation, keys, value, bounds, type, program, analyzed, status FROM einsum_tensors ORDER BY 3::text, 1"
results="SELECT w.value, z.value, t.value FROM a.w, a.z, a.t"
before=$(sql "$everything")
before_results=$(sql "$results")
is "all are sound" "$(sql "SELECT DISTINCT status FROM einsum_tensors")" ok
server old stop

succeeds "upgrade" bash -c "cd '$dir' && $(printf '%q ' "${as_server[@]}") '$bindir/pg_upgrade' -b '$bindir' -B '$bindir' -d '$dir/old' -D '$dir/new' -U postgres -s '$dir'"
server new start
is "registrations" "$(sql "$everything")" "$before"
is "results" "$(sql "$results")" "$before_results"
is "refreshed" "$(sql "SELECT einsum_refresh('kept', schema => 'a')" > /dev/null; sql "$results")" "$before_results"
is "a program" "$(sql "SELECT einsum_value('s[] = x[i]*x[i]')")" 2470
succeeds "labels go with the extension" sql "DROP EXTENSION sparseeinsum CASCADE"
is "no label is left" "$(sql "SELECT count(*) FROM pg_seclabel")" 0
finish
