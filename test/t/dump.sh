#!/bin/bash
# pg_dump and restore of registered tensors: plain, parallel from a directory,
# one table alone, without one; by an owner who is no superuser, in fresh sessions,
# into databases that already have the extension. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

export PGOPTIONS='-c client_min_messages=warning'
sql "CREATE ROLE dump_owner LOGIN"
for database in dump_source dump_plain dump_parallel dump_table dump_twice dump_without dump_inserts; do
	sql "CREATE DATABASE $database OWNER dump_owner"
	# the extension is trusted: the database's owner may create it
	PGUSER=dump_owner PGDATABASE=$database sql "CREATE EXTENSION sparseeinsum"
done
export PGUSER=dump_owner PGDATABASE=dump_source

sql "
CREATE SCHEMA shop;
CREATE TABLE shop.edge (dst int, src int, weight float8, PRIMARY KEY (dst, src));
INSERT INTO shop.edge SELECT i, i * 7 % 20, i FROM generate_series(0, 19) i;
CREATE TABLE public.\"Odd name\" (\"Id\" int PRIMARY KEY, embedding tensor);
INSERT INTO \"Odd name\" VALUES (0, '[1,2.5,3]'), (3, 'float8:[-1,0,NaN]');
CREATE VIEW shop.both_ways AS SELECT dst, src, weight FROM shop.edge UNION ALL SELECT src, dst, weight FROM shop.edge;
CREATE MATERIALIZED VIEW shop.kept AS TABLE shop.edge;
CREATE TABLE parted (i int, v float8, PRIMARY KEY (i)) PARTITION BY RANGE (i);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES FROM (0) TO (10);
INSERT INTO parted VALUES (1, 1), (7, 2);
SELECT einsum_register('a[I,J]', 'shop.edge', '{dst,src}', 'weight', '{20,20}');
SELECT einsum_register('least[I,J]', 'shop.edge', '{dst,src}', 'weight', '{20,20}', fill => 'Infinity');
SELECT einsum_register('\"H\"[I,k]', '\"Odd name\"', '{Id}', 'embedding');
SELECT einsum_register('s[I,J]', 'shop.both_ways', '{dst,src}', 'weight', duplicates => 'sum');
SELECT einsum_register('a[I,J]', 'shop.kept', '{dst,src}', 'weight', duplicates => 'trust', storage => 'further');
SELECT einsum_register('p[I]', 'parted', '{i}', 'v', '{*}');
CREATE TABLE lists (id int PRIMARY KEY, n int[]);
INSERT INTO lists VALUES (0, '{1,2}'), (2, '{0}');
SELECT einsum_register('l[I,J]', 'lists', '{id}', bounds => '{3,3}', layout => 'lists(n)');
SELECT einsum_store('x[I,j]', 'SELECT dst, src, weight FROM shop.edge', '{20,20}');
SELECT count(*) FROM einsum_analyze();
CREATE TABLE gone (i int PRIMARY KEY);
SELECT einsum_register('gone[I]', 'gone', '{i}', bounds => '{5}');
DROP TABLE gone;" > /dev/null
# measured statistics, as who may read everything sees them
statistics="SELECT s.relid::regclass, s.entries, s.value_counts, s.degrees, s.degree_squares, s.degree_cubes, s.meetings, s.square_meetings, s.pairs FROM einsum_statistics s ORDER BY s.relid::regclass::text, s.label_hash"
measured=$(PGUSER=postgres sql "$statistics" | grep -v '^[0-9]')

# what must be the same on both sides
registrations="SELECT tensor, schema, relation, notation, keys, value, bounds, type, fill, duplicates, program, status, layout
	FROM einsum_tensors ORDER BY relation::text, tensor"
# every value of every registered relation
contents="SELECT relation, md5(query_to_xml('SELECT * FROM ' || relation || ' t ORDER BY t::text', true, true, '')::text)
	FROM (SELECT DISTINCT relation FROM einsum_tensors) r ORDER BY relation::text"
expected=$(sql "$registrations")
expected_contents=$(sql "$contents")
is "all registrations are sound" "$(sql "SELECT DISTINCT status FROM einsum_tensors")" "ok"
is "there are as many as were made" "$(wc -l <<< "$expected")" 8
is "all are measured" "$(sql "SELECT bool_and(analyzed) FROM einsum_tensors")" t

same() {
	is "registrations after $1" "$(PGDATABASE=$2 sql "$registrations")" "$expected"
	is "contents after $1" "$(PGDATABASE=$2 sql "$contents")" "$expected_contents"
	is "statistics after $1" "$(PGUSER=postgres PGDATABASE=$2 sql "$statistics")" "$measured"
	is "statistics are known after $1" "$(PGDATABASE=$2 sql "SELECT bool_and(analyzed) FROM einsum_tensors")" t
	is "statistics can be measured after $1" \
		"$(PGDATABASE=$2 sql "SELECT count FROM einsum_analyze('shop.a') WHERE statistic = 'entries'")" 19
	is "tensors are found after $1" \
		"$(PGDATABASE=$2 sql "SELECT count(*) FROM sparseeinsum_internal.known_statistics('public.p') WHERE statistic = 'entries'")" 1
}

succeeds "plain dump" pg_dump -f "$files/plain.sql"
is "registrations are dumped as labels" "$(grep -c '^SECURITY LABEL FOR sparseeinsum' "$files/plain.sql")" 7
is "statistics are dumped by name" "$(grep -c '^shop\.edge	' "$files/plain.sql")" 2
is "statistics of what is gone are not dumped" "$(sed -n '/^COPY .*einsum_statistics_dump/,/^\\\./p' "$files/plain.sql" | grep -cE '^[0-9]')" 0
PGDATABASE=dump_plain succeeds "plain restore" psql -Xq -v ON_ERROR_STOP=1 -f "$files/plain.sql"
same "a plain dump" dump_plain

succeeds "parallel dump" pg_dump -Fd -j4 -f "$files/directory"
succeeds "parallel restore" pg_restore --exit-on-error -j4 -d dump_parallel "$files/directory"
same "a parallel dump" dump_parallel

# one table, into a database where nothing has loaded the library
succeeds "dump of a table" pg_dump -t '"Odd name"' -f "$files/table.sql"
PGDATABASE=dump_table succeeds "restore of a table" psql -Xq -v ON_ERROR_STOP=1 -f "$files/table.sql"
is "the table is registered" "$(PGDATABASE=dump_table sql "SELECT relation, notation, bounds, status FROM einsum_tensors")" \
	'"Odd name"|"H"[I,k]|{4,3}|ok'

# the label alone, as the first command of a session
label=$(grep -A0 '^SECURITY LABEL' "$files/table.sql")
PGDATABASE=dump_table succeeds "a label in a fresh session" psql -Xq -v ON_ERROR_STOP=1 -c "$label"

# all but a table that was measured
succeeds "dump without a table" pg_dump -Fc -T shop.edge -T shop.kept -T shop.both_ways -f "$files/without"
succeeds "restore without a table" pg_restore --exit-on-error -d dump_without "$files/without"
is "statistics without a table" "$(PGUSER=postgres PGDATABASE=dump_without sql "$statistics")" "$(grep -v '^shop.edge' <<< "$measured" | grep -vE '^shop\.(kept|both_ways)')"

# as INSERT commands
succeeds "dump as INSERT" pg_dump --inserts -f "$files/inserts.sql"
PGDATABASE=dump_inserts succeeds "restore of INSERT" psql -Xq -v ON_ERROR_STOP=1 -f "$files/inserts.sql"
same "INSERT commands" dump_inserts

# who owns neither the database nor the extension dumps what he may read, and statistics of that
PGUSER=postgres sql "CREATE ROLE dump_reader LOGIN; GRANT USAGE ON SCHEMA shop TO dump_reader;
	GRANT SELECT ON ALL TABLES IN SCHEMA shop TO dump_reader; GRANT SELECT ON ALL TABLES IN SCHEMA public TO dump_reader; REVOKE ALL ON einsum_statistics FROM dump_reader"
PGUSER=dump_reader succeeds "dump by a reader" pg_dump -f "$files/reader.sql"
is "statistics in a reader's dump" "$(grep -c '^shop\.edge	' "$files/reader.sql")" 2
PGUSER=postgres sql "REVOKE SELECT ON shop.edge FROM dump_reader"
PGUSER=dump_reader succeeds "dump of what a reader may read" pg_dump -T shop.edge -f "$files/reader.sql"
is "no statistics of what he may not read" "$(grep -c '^shop\.edge	' "$files/reader.sql")" 0
PGUSER=postgres sql "DROP OWNED BY dump_reader; DROP ROLE dump_reader"

# schema first, then data
succeeds "dump of the schema" pg_dump --schema-only -f "$files/schema.sql"
succeeds "dump of the data" pg_dump --data-only -f "$files/data.sql"
PGDATABASE=dump_twice succeeds "restore of the schema" psql -Xq -v ON_ERROR_STOP=1 -f "$files/schema.sql"
PGDATABASE=dump_twice succeeds "restore of the data" psql -Xq -v ON_ERROR_STOP=1 -f "$files/data.sql"
PGDATABASE=dump_twice sql "REFRESH MATERIALIZED VIEW shop.kept"
same "two dumps" dump_twice

# a dump of the copy is the dump
PGDATABASE=dump_plain succeeds "dump of the copy" pg_dump -f "$files/again.sql"
is "a dump of the copy is the same" \
	"$(grep '^SECURITY LABEL' "$files/again.sql" | sort)" "$(grep '^SECURITY LABEL' "$files/plain.sql" | sort)"

# without labels nothing is registered, and nothing fails
PGUSER=postgres sql "CREATE DATABASE dump_bare OWNER dump_owner"
succeeds "dump without labels" pg_dump --no-security-labels -f "$files/bare.sql"
PGDATABASE=dump_bare succeeds "restore without labels" psql -Xq -v ON_ERROR_STOP=1 -f "$files/bare.sql"
is "nothing is registered without labels" "$(PGDATABASE=dump_bare sql "SELECT count(*) FROM einsum_tensors")" 0

for database in dump_source dump_plain dump_parallel dump_table dump_twice dump_without dump_inserts dump_bare; do
	PGUSER=postgres PGDATABASE=postgres sql "DROP DATABASE $database"
done
PGUSER=postgres PGDATABASE=postgres sql "DROP ROLE dump_owner"
finish
