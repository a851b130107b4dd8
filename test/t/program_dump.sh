#!/bin/bash
# pg_dump and restore of decomposed programs: plain, parallel from a directory,
# some tables alone; by an owner who is no superuser, into databases that have
# the extension and into a bare one, in fresh sessions. Views depend on the
# constraints that make the keys they read unique, and a dump is in an order
# that can be restored all the same. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

export PGOPTIONS='-c client_min_messages=warning'
databases="program_source program_plain program_parallel program_table program_bare"
sql "CREATE ROLE program_owner LOGIN"
for database in $databases; do
	sql "CREATE DATABASE $database OWNER program_owner"
done
for database in program_source program_plain program_parallel program_table; do
	# the extension is trusted: the database's owner may create it
	PGUSER=program_owner PGDATABASE=$database sql "CREATE EXTENSION sparseeinsum"
done
export PGUSER=program_owner PGDATABASE=program_source

# a convolution, with relations whose names sort the wrong way round for their
# dependencies: the views come before the tables, the keys are added last
sql "
CREATE SCHEMA graph;
CREATE SCHEMA \"Result 100%\";
SET search_path = graph, public;
CREATE TABLE z_edge (dst int NOT NULL, src int NOT NULL, weight float8 NOT NULL);
INSERT INTO z_edge SELECT i, (i * 7 + k * k) % 20, k + 1 FROM generate_series(0, 19) i, generate_series(0, 2) k;
CREATE TABLE z_node (id int NOT NULL, embedding tensor NOT NULL);
INSERT INTO z_node SELECT i, ARRAY[i % 3, i % 5, -1]::float8[]::tensor FROM generate_series(0, 19) i;
CREATE TABLE z_weights (\"the value\" tensor);
INSERT INTO z_weights VALUES ('[[1,2],[-1,0],[3,1]]');
CREATE TABLE z_label (name text, node int, PRIMARY KEY (name, node));
INSERT INTO z_label SELECT chr(97 + i % 4), i FROM generate_series(0, 19) i;
ALTER TABLE z_edge ADD PRIMARY KEY (dst, src);
ALTER TABLE z_node ADD CONSTRAINT \"a node's key\" UNIQUE (id);
SELECT einsum_register('a[I,J]', 'z_edge', '{dst,src}', 'weight', '{20,20}');
SELECT einsum_register('x[J,k]', 'z_node', '{id}', 'embedding', '{20,3}');
SELECT einsum_register('w[k,m]', 'z_weights', '{}', 'the value');
SELECT einsum_register('l[L,I]', 'z_label', '{name,node}', bounds => '{*,20}');
SELECT einsum_decompose('a_hidden[I,m] = relu(sum[j] a[i,j]*(sum[k] x[j,k]*w[k,m]));
	a_out[I,m] = a[i,j]*a_hidden[j,m]', 'convolution', security_invoker => true);
SELECT einsum_decompose('a_norm[i] = sqrt(sum[m] a_out[i,m]*a_out[i,m]); total[] = a_norm[i]; \"A ''sum''\"[L,m] = l[l,i]*a_out[i,m]; maximum[m] = max[i] a_out[i,m]',
	'summary of \"it\"', schema => 'Result 100%');
SELECT einsum_decompose('a_dense[i:*,m:*] = a_out[i,m]', 'dense');
SELECT einsum_decompose('a_rows[I,M] = sigmoid(a_out[i,m])', 'rows');
-- a dimension, whose table comes after those that refer to it
CREATE TABLE z_member (name text NOT NULL);
INSERT INTO z_member VALUES ('ann'), ('bob'), ('cid');
CREATE TABLE b_knows (who text NOT NULL, whom text NOT NULL, PRIMARY KEY (who, whom));
INSERT INTO b_knows VALUES ('ann', 'bob'), ('bob', 'ann'), ('cid', 'ann');
ALTER TABLE z_member ADD PRIMARY KEY (name);
ALTER TABLE b_knows ADD FOREIGN KEY (whom) REFERENCES z_member;
SELECT einsum_dimension('member', 'z_member', 'name');
SELECT einsum_register('k[I,J]', 'b_knows', '{who,whom}', bounds => '{member,member}');
SELECT einsum_decompose('a_strangers[I] = sum[j] (k[i,j] == 0); a_met[I] = max[j] k[i,j]*k[j,i]', 'members');
-- tables, whose names sort before those that they are computed from
SELECT einsum_decompose('b_kept[I,m] = relu(sum[j] a[i,j]*(sum[k] x[j,k]*w[k,m])); a_kept[I] = sum[m] b_kept[i,m]; kept[L] = l[l,i]*a_kept[i]', 'kept tables', materialize => 'always', search => 'as_written');" > /dev/null || { echo "0 passed, 1 failed"; exit 1; }

contents="SELECT relation, md5(query_to_xml('SELECT * FROM ' || relation || ' t ORDER BY t::text', true, true, '')::text)
	FROM (SELECT DISTINCT relation FROM einsum_tensors) r ORDER BY relation::text"
registrations="SELECT tensor, schema, relation, notation, keys, value, bounds, type, fill, duplicates, program, status
	FROM einsum_tensors ORDER BY relation::text, tensor"
definitions="SELECT oid::regclass, pg_get_viewdef(oid), reloptions, obj_description(oid, 'pg_class') FROM pg_class WHERE relkind = 'v' AND relnamespace IN ('graph'::regnamespace, '\"Result 100%\"'::regnamespace) ORDER BY oid::regclass::text"
# what views rest on, constraints too
dependencies="SELECT DISTINCT r.ev_class::regclass, pg_describe_object(d.refclassid, d.refobjid, 0) FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
	WHERE d.refclassid = 'pg_constraint'::regclass AND r.ev_class > 16384 ORDER BY 1, 2"
value="SELECT einsum_value('y[i,m] = a_out[i,m]'), einsum_value('s[] = a_norm[i]*a_norm[i]')"
export PGOPTIONS="$PGOPTIONS -c search_path=graph,\"Result\\ 100%\",public"
expected=$(sql "$registrations")
expected_contents=$(sql "$contents")
expected_definitions=$(sql "$definitions")
expected_dependencies=$(sql "$dependencies" | sort)
expected_value=$(sql "$value")
is "all registrations are sound" "$(sql "SELECT DISTINCT status FROM einsum_tensors")" ok
is "programs" "$(sql "SELECT program FROM einsum_tensors WHERE program IS NOT NULL GROUP BY 1 ORDER BY 1")" $'convolution\ndense\nkept tables\nmembers\nrows\nsummary of "it"'
is "views depend on the edges' key" \
	"$(grep -c 'constraint z_edge_pkey' <<< "$expected_dependencies")" "$(sql "SELECT count(DISTINCT ev_class) FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid AND d.classid = 'pg_rewrite'::regclass AND d.refobjid = 'z_edge'::regclass AND ev_class <> 'z_edge'::regclass")"
fails_with "a key that a view rests on stays" "cannot drop constraint z_edge_pkey" psql -Xqc "ALTER TABLE z_edge DROP CONSTRAINT z_edge_pkey"
fails_with "with its code" "2BP01" psql -Xq -v VERBOSITY=verbose -c "ALTER TABLE z_node DROP CONSTRAINT \"a node's key\""
fails_with "as NOT NULL of a key" "primary key|2BP01" psql -Xq -v VERBOSITY=verbose -c "ALTER TABLE z_edge ALTER dst DROP NOT NULL"

# a restored database is the same, lives, and can be dropped by name
same() {
	local PGDATABASE=$2
	is "registrations after $1" "$(sql "$registrations")" "$expected"
	is "contents after $1" "$(sql "$contents")" "$expected_contents"
	is "definitions after $1" "$(sql "$definitions")" "$expected_definitions"
	is "values after $1" "$(sql "$value")" "$expected_value"
	# what is inserted now counts
	is "the views live after $1" "$(sql "BEGIN; INSERT INTO z_edge VALUES (0, 19, 100); SELECT a_out.value = e.v FROM a_out,
		(SELECT tensor_sum(h.value * z_edge.weight) AS v FROM a_hidden h JOIN z_edge ON src = h.i WHERE dst = 0) e WHERE a_out.i = 0")" t
	is "so do keys of a dimension after $1" "$(sql "BEGIN; INSERT INTO z_member VALUES ('dan'); SELECT string_agg(i || value, ' ' ORDER BY i) FROM a_strangers")" "ann3 bob3 cid3 dan4"
	fails_with "a key that is none is an error after $1" "key eve of tensor .k. is not in the dimension" psql -Xq -v ON_ERROR_STOP=1 -c "BEGIN; INSERT INTO b_knows VALUES ('eve', 'ann'); SELECT * FROM a_met"
	is "and the dimension is one after $1" "$(sql "SELECT dimension, relation, key, status FROM einsum_dimensions")" "member|z_member|name|ok"
	# tables have their rows, and what fills them
	is "tables can be refreshed after $1" "$(sql "BEGIN; INSERT INTO z_edge VALUES (0, 19, 100); SELECT 'not stale' FROM (TABLE b_kept EXCEPT TABLE b_kept__query) d HAVING count(*) = 0;
		SELECT einsum_refresh('kept tables'); SELECT count(*) FROM (TABLE kept EXCEPT (SELECT l.name, sum(s) FROM z_label l JOIN (SELECT dst, einsum_sum_scalar('m->', tensor_relu(v)) FROM
		(SELECT dst, tensor_sum(weight * mat) AS v FROM (SELECT dst, weight, einsum('k,km->m', embedding, \"the value\") AS mat FROM z_edge JOIN z_node ON id = src, z_weights) e GROUP BY dst) g GROUP BY dst) t(dst, s) ON node = dst GROUP BY name)) d" | tr -d '\n')" 0
	# and so do the calls that made programs
	is "bounds can be changed after $1" "$(sql "BEGIN; SELECT string_agg(p, ' ' ORDER BY p COLLATE \"C\") FROM einsum_rebound('{\"i\": 21, \"j\": 21}') p;
		SELECT DISTINCT bounds FROM einsum_tensors WHERE tensor IN ('a_norm', 'a_kept', 'a_rows') ORDER BY 1")" $'"Result 100%"."summary of ""it""" convolution dense kept tables rows\n{21}\n{21,2}'
	succeeds "and dropped after $1" psql -Xq -v ON_ERROR_STOP=1 -c "SELECT einsum_drop('kept tables')"
	is "no table is left after $1" "$(sql "SELECT count(*) FROM pg_class WHERE relname ~ 'kept' AND relnamespace = 'graph'::regnamespace")" 0
	# dependencies on constraints are not in a dump, but the views miss what proves their keys unique
	succeeds "a restored view does not hold the key after $1" psql -Xq -v ON_ERROR_STOP=1 -c "BEGIN; ALTER TABLE z_edge DROP CONSTRAINT z_edge_pkey; ROLLBACK"
	fails_with "but is an error without it after $1" "nothing proves any more that the keys of tensor .a. are unique" psql -Xq -v ON_ERROR_STOP=1 -c "BEGIN; ALTER TABLE z_edge DROP CONSTRAINT z_edge_pkey; SELECT * FROM a_out"
	fails_with "also without a unique constraint after $1" "nothing proves any more that the keys of tensor .x. are unique" psql -Xq -v ON_ERROR_STOP=1 -c "BEGIN; ALTER TABLE z_node DROP CONSTRAINT \"a node's key\"; SELECT * FROM a_out"
	fails_with "programs are dropped in order after $1" "depends on view" psql -Xqc "SELECT einsum_drop('convolution')"
	sql "SELECT einsum_drop('rows'), einsum_drop('dense'), einsum_drop('members'), einsum_drop('summary of \"it\"', 'Result 100%')" > /dev/null
	sql "SELECT einsum_drop('convolution')" > /dev/null
	is "no view is left after $1" "$(sql "SELECT count(*) FROM pg_class WHERE relkind = 'v' AND relnamespace IN ('graph'::regnamespace, '\"Result 100%\"'::regnamespace)")" 0
	succeeds "nor a dependency after $1" psql -Xqc "ALTER TABLE z_edge DROP CONSTRAINT z_edge_pkey"
	is "a lost key is reported after $1" "$(sql "SELECT status <> 'ok' FROM einsum_tensors WHERE relation = 'z_edge'::regclass")" t
	fails_with "and refused after $1" "unique|key" psql -Xqc "SELECT einsum_value('s[] = a[i,j]')"
}

succeeds "plain dump" pg_dump -f "$files/plain.sql"
PGDATABASE=program_plain succeeds "plain restore" psql -Xq -v ON_ERROR_STOP=1 -f "$files/plain.sql"
PGDATABASE=program_plain succeeds "dump of the copy" pg_dump -f "$files/again.sql"
is "a dump of the copy has the same registrations" "$(grep '^SECURITY LABEL' "$files/again.sql" | sort)" "$(grep '^SECURITY LABEL' "$files/plain.sql" | sort)"
same "a plain dump" program_plain

succeeds "parallel dump" pg_dump -Fd -j4 -f "$files/directory"
succeeds "parallel restore" pg_restore --exit-on-error -j4 -d program_parallel "$files/directory"
same "a parallel dump" program_parallel

# one table and one view over it: both work alone
succeeds "dump of a table" pg_dump -t graph.z_edge -t graph.a_dense -t graph.a_out -t 'graph.a_hidden*' -t graph.z_node -t graph.z_weights -f "$files/some.sql"
PGDATABASE=program_table sql "CREATE SCHEMA graph"
PGDATABASE=program_table succeeds "restore of a table" psql -Xq -v ON_ERROR_STOP=1 -f "$files/some.sql"
is "the views over it are the same" "$(PGDATABASE=program_table sql "SELECT value FROM graph.a_dense")" "$(sql "SELECT value FROM graph.a_dense")"
PGDATABASE=program_table sql "SELECT einsum_drop('dense', 'graph'), einsum_drop('convolution', 'graph'); DROP SCHEMA graph CASCADE; CREATE SCHEMA graph" > /dev/null
succeeds "dump of one table" pg_dump -t graph.z_edge -f "$files/table.sql"
PGDATABASE=program_table succeeds "restore of one table" psql -Xq -v ON_ERROR_STOP=1 -f "$files/table.sql"
is "the table is registered" "$(PGDATABASE=program_table sql "SELECT relation, notation, status FROM einsum_tensors")" "z_edge|a[I,J]|ok"
is "and computes" "$(PGDATABASE=program_table sql "SELECT einsum_value('s[] = a[i,j]*a[j,i]')")" "$(sql "SELECT einsum_value('s[] = a[i,j]*a[j,i]')")"

# into a database without the extension: the dump creates it
PGDATABASE=program_bare succeeds "restore into a bare database" psql -Xq -v ON_ERROR_STOP=1 -f "$files/plain.sql"
same "a dump into a bare database" program_bare

unset PGOPTIONS
for database in $databases; do
	PGUSER=postgres PGDATABASE=postgres sql "DROP DATABASE $database"
done
PGUSER=postgres PGDATABASE=postgres sql "DROP ROLE program_owner"
finish
