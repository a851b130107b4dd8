#!/bin/bash
# Planning of long programs ends when it is cancelled, times out or is terminated, at
# whatever moment. The bound is on processor time, which other load does not change, and generous: what once was deaf was
# so for minutes.
# Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
export PGOPTIONS='-c client_min_messages=warning'
bound=5000
RANDOM=${SEED:-17}

sql "CREATE EXTENSION IF NOT EXISTS sparseeinsum;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, 1), (1, 2, 2);
CREATE TABLE x (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{10,10}'), einsum_register('x[I]', 'x', '{i}', 'v', '{10}');
CREATE TABLE programs (name text, called text, program text);
-- a pattern for each of 1 to n, in which # is the number and @ the one before
CREATE FUNCTION repeated(pattern text, n int, separator text DEFAULT '; ') RETURNS text LANGUAGE sql AS \$\$
	SELECT string_agg(replace(replace(pattern, '#', k::text), '@', (k - 1)::text), separator ORDER BY k)
	FROM generate_series(1, n) k \$\$;
INSERT INTO programs VALUES
	('a chain', 'einsum_plan', 't0[i,j] = a[i,j]; ' || repeated('t#[i,j] = relu(t@[i,j])', 20000)),
	('products', 'einsum_plan', 't0[i,j] = a[i,j]; ' || repeated('t#[i,j] = sum[k] t@[i,k] * a[k,j]', 15000)),
	('shared results', 'einsum_plan', 't0[i,j] = a[i,j]; ' || repeated('s#[i,j] = t@[i,k] * a[k,j]; t#[i,j] = relu(s#[i,j]) + s#[i,j]', 7000)),
	('independent statements', 'einsum_plan', repeated('t#[i,j] = # * a[i,j]', 30000)),
	('a long sum of functions', 'einsum_plan', 'y[i] = ' || repeated('(x[i] - #) ^ 2 * a[i,i]', 5000, ' + ')),
	('scalings', 'einsum_plan', 'n0[i,j] = a[i,j]; ' || repeated('n#[i,j] = x[i] * n@[i,j]', 10000) || '; z[i,k] = n10000[i,j] * a[j,k]'),
	('linear algebra', 'einsum_plan', 't0 = a; ' || repeated('t# = a %*% t@', 20000)),
	('every plan', 'einsum_plan', 't0[i,j] = a[i,j]; ' || repeated('t#[i,j] = exp(sum[k] t@[i,k] * a[k,j])', 5)),
	('one query', 'einsum_sql', 't0[i,j] = a[i,j]; ' || repeated('t#[i,j] = exp(sum[k] t@[i,k] * a[k,j])', 10000)),
	('views', 'einsum_decompose', repeated('t#[i,j] = # * a[i,j]', 10000))" > /dev/null

# how FUNCTION program: the query that plans it
query_of() {
	local arguments=program
	[ "$2" != "every plan" ] || arguments="program, search => 'exhaustive'"
	[ "$1" != einsum_decompose ] || arguments="program, 'long'"
	echo "SELECT count(*) FROM programs, LATERAL $1($arguments) AS result WHERE name = '$2'"
}

# the client has sent its query, or has ended; its server process
begun() {
	local pid=
	while kill -0 "$client" 2> /dev/null && [ -z "$pid" ]; do
		pid=$(sql "SELECT pid FROM pg_stat_activity WHERE application_name = 'planning' AND state = 'active'")
	done
	echo "$pid"
}

# stopped NAME PATTERN COMMAND ...: the server process works little more after the command
stopped() {
	local name=$1 pattern=$2 pid before now worked
	shift 2
	pid=$(begun)
	sleep 0.$((RANDOM % 9 + 1))
	before=$(processor "$pid")
	worked=$before
	"$@" > /dev/null
	while kill -0 "$client" 2> /dev/null; do
		now=$(processor "$pid")
		worked=${now:-$worked}
		sleep 0.02
	done
	wait "$client"
	worked=$((${worked:-0} - ${before:-0}))
	if [ "$worked" -gt $bound ]; then
		fail "$name: worked for $worked ms more"
	elif [ -s "$files/error" ] && ! grep -qE "$pattern" "$files/error"; then
		fail "$name: $(cut -c 1-200 "$files/error" | head -n 3)"
	else
		pass
	fi
}

start() {
	PGAPPNAME=planning psql -XAtq -v ON_ERROR_STOP=1 -c "$1" > "$files/output" 2> "$files/error" &
	client=$!
}

while IFS='|' read -r called name; do
	query=$(query_of "$called" "$name")
	start "$query"
	stopped "$name, cancelled" "canceling statement due to user request" \
		sql "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'planning'"
	start "$query"
	stopped "$name, terminated" "terminating connection|server closed the connection|connection to server was lost" \
		sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'planning'"
	start "SET statement_timeout = $((RANDOM % 900 + 50)); $query"
	stopped "$name, out of time" "canceling statement due to statement timeout" true
done < <(sql "SELECT called, name FROM programs")
is "nothing is left" "$(sql "SELECT count(*) FROM einsum_tensors WHERE tensor LIKE 't%'")" 0
finish
