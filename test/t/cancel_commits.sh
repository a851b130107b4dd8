#!/bin/bash
# What runs something in a subtransaction is cancelled at each row that it reads: the error
# arrives, caught or not, and what the session commits afterwards stays. Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests

# a value that cancels the statement that converts it, when the given number has been converted
sql "create extension sparseeinsum;
create sequence converted;
create table cancelled(at bigint);
insert into cancelled values (0);
create table kept(name text, at bigint);
create type reading as (x float8);
create function number(reading) returns float8 language plpgsql as \$\$
begin
	if nextval('public.converted') = (select at from public.cancelled) then
		perform pg_cancel_backend(pg_backend_pid());
	end if;
	return \$1.x;
end \$\$;
create cast (reading as float8) with function number(reading) as assignment;
create table r(i int primary key, v reading);
insert into r select i, row(i + 1)::reading from generate_series(0, 3) i;
create table further(i int primary key, v float8);
insert into further select i, i + 1 from generate_series(0, 3) i;
create view seen as select i, v from r;
select einsum_register('a[I]', 'r', '{i}', 'v', '{10}');
select einsum_register('s[I]', 'further', '{i}', 'v', '{10}');
select einsum_register('s[I]', 'seen', '{i}', 'v', '{10}', storage => 'further', duplicates => 'trust');
select einsum_iterate('largest', 'm[i] = a[i]', 'm[i] = greatest(m[i], 0.5*a[i])', max_rounds => 3);
select einsum_decompose('h[I] = 0.5*a[i]', 'half', materialize => 'always')" > /dev/null

# NAME STATEMENT: a session that runs the statement once for each conversion that this makes, cancelled
# by it, caught and not, and commits a row after each
session() {
	local name=$1 statement=$2 conversions all
	conversions=$(sql "select setval('converted', 1, false); begin; select $statement; rollback; select last_value from converted where is_called" | tail -n 1)
	if ! [ "${conversions:-0}" -ge 4 ]; then
		fail "$name converts nothing"
		return
	fi
	{
		echo "set client_min_messages = warning; \\set VERBOSITY terse"
		for at in $(seq "$conversions"); do
			echo "update cancelled set at = $at; select setval('converted', 1, false) \\g /dev/null
do \$\$ begin perform $statement; exception when query_canceled then insert into kept values ('caught', $at); end \$\$;
insert into kept values ('after caught', $at); select setval('converted', 1, false) \\g /dev/null
select $statement \\g /dev/null
insert into kept values ('after', $at);"
		done
	} | psql -XAtq > /dev/null 2> "$files/errors"
	all=$(seq -s , "$conversions")
	is "$name: committed" "$(sql "select name, string_agg(at::text, ',' order by at) from kept group by name order by name")" \
		"after|$all
after caught|$all
caught|$all"
	is "$name: errors" "$(sort "$files/errors" | uniq -c | tr -s ' ')" \
		" $conversions ERROR: canceling statement due to user request"
	sql "delete from kept; update cancelled set at = 0"
}
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

session register "einsum_register('b[I]', 'r', '{i}', 'v', '{10}')"
session store "einsum_store('c[I]', 'select i, v::float8 from r', '{10}')"
session rebound "einsum_rebound('{\"a\": [20]}')"
session analyze "einsum_analyze('a')"
session analyze_all "einsum_analyze()"
session compare "einsum_analyze('s')"
# continuing a loop first computes whether its state can be kept
session iterate "einsum_iterate('largest', 'm[i] = a[i]', 'm[i] = greatest(m[i], 0.5*a[i])', max_rounds => 3)"
# after texts of programs are read in a subtransaction, which calls nothing of users, a table is filled
session decompose "einsum_decompose('h[I] = 0.5*a[i]', 'half', materialize => 'always', replace => true)"
finish
