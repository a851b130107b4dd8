#!/bin/bash
# Loops beside other sessions. Those of one name whose states are the session's own do not wait for each other, others do. What
# another session registers anew meanwhile is found by all programs of a loop, or by none. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
sql "create extension sparseeinsum"
counts() {
	echo "select count(*) from einsum_iterate('count', 'n[] = 0', 'n[] = n[] + 1', max_rounds => $1, schema => '$2')"
}

holds "$(counts 3 pg_temp)"
is "another session's own state" "$(sql "set lock_timeout = 1; $(counts 5 pg_temp); select value from n")" "5
5"
is "without a table" "$(sql "set lock_timeout = 1; select einsum_iterate_value('n[] = 0', 'n[] = n[] + 1', max_rounds => 4)")" 4
lets_go
holds "$(counts 3 public)"
fails_with "a state in one schema" "canceling statement due to lock timeout" sql "set lock_timeout = 1; $(counts 5 public)"
is "an own state beside it" "$(sql "set lock_timeout = 1; $(counts 5 pg_temp); select value from n")" "5
5"
lets_go
is "the state in the schema" "$(sql "select value from n")" 3

# p is looked up first; while z is locked, both are registered anew, with another bound
sql "create table p (i int, j int, v float8 not null, primary key (i, j)); insert into p values (0, 0, 1), (1, 2, 2), (2, 1, 3);
create table z (i int primary key, v float8 not null); insert into z values (0, 1), (1, 2), (2, 3)"
registered() {
	echo "select einsum_register('p[I,J]', 'p', '{i,j}', 'v', '{$1,$1}', replace => true), einsum_register('z[I]', 'z', '{i}', 'v', '{$1}', replace => true);"
}
beside_registering() {
	sql "$(registered 3)" > /dev/null 2>&1
	holds "lock table z; set client_min_messages = warning; $(registered 4)"
	sql "$2" > "$output" 2>&1 &
	pid=$!
	waits "$1 waits"
	lets_go
	wait "$pid"
	is "$1" "$(cat "$output")" "$3"
}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
beside_registering "a program" "select einsum_value('y[i] = p[i,j] * z[j]')" "[1,6,6,0]"
beside_registering "a program that hides a tensor" "set client_min_messages = warning; select einsum_value('p[i,j] = 2*p[i,j]; y[i] = p[i,j] * z[j]')" "[2,12,12,0]"
beside_registering "linear algebra" "select einsum_value('y = p %*% z')" "[1,6,6,0]"
beside_registering "a loop's step" "select einsum_iterate_value('u[i] = sum[j] p[i,j]', 'u[i] = p[i,j] * u[j] + z[i]', max_rounds => 1)" "[2,8,9,0]"
beside_registering "a loop's result" "select einsum_iterate_value('u[i] = sum[j] p[i,j]', 'u[i] = p[i,j] * u[j]', 'y[i] = p[i,j] * u[j] + z[i]', max_rounds => 1)" "[2,14,21,0]"
beside_registering "rows of a loop" "select * from einsum_iterate_rows('u[i] = sum[j] p[i,j]', 'u[i] = p[i,j] * u[j]', 'y[i:*] = p[i,j] * u[j] + z[i]', max_rounds => 1) as (value tensor)" "[2,14,21,0]"
beside_registering "a loop with tables" "select columns from einsum_iterate('bounds', 'u[i:*] = sum[j] p[i,j]', 'u[i:*] = p[i,j] * u[j] + z[i]', max_rounds => 1); table u" '{"u": "value tensor"}
[2,8,9,0]'
beside_registering "a gradient" "select einsum_gradient('h[i] = p[i,j] * u[j] + z[i]; l[] = sum[i] h[i]^2', 'l', '{u}', init => 'u[i] = sum[j] p[i,j]') like '%d_u%'" t
# the procedure's later transactions find what is registered then: here a state would change its shape
sql "create table w (i int primary key, v float8 not null); insert into w select i, 1 from generate_series(0, 1999) i; create table kept (like w including all);
select einsum_register('w[I]', 'w', '{i}', 'v', '{2000}'), einsum_register('kept[I]', 'kept', '{i}', 'v', '{2000}');
create function registers() returns trigger language plpgsql as \$\$ begin perform einsum_register('w[I]', 'w', '{i}', 'v', '{2001}', replace => true); return null; end \$\$;
create trigger registers after insert on kept execute function registers()" > /dev/null
fails_with "registered anew between transactions" 'the step does not make of "own" what it was' sql "call einsum_iterate('across', 'own[i] = w[i]', 'own[i] = 2*w[i]; kept[i] = least(kept[i] + 1, 1)', 1, assign => '{kept}', max_rounds => 3)"
finish
