-- Results that keep up with their tables.
--
--   psql -f examples/keep.sql
--
-- Tables keep logs of their changes; a refresh adds to results what follows from these, and the view
-- t__now of a result t is current between refreshes.

\set ON_ERROR_STOP on
\pset null -
set client_min_messages = warning;
create extension if not exists sparseeinsum;
drop schema if exists keep cascade;
create schema keep;
-- the schema of the extension is somewhere behind it
select set_config('search_path', 'keep, ' || current_setting('search_path'), false) \g /dev/null
\ir check.sql

------------------------------------------------------------------------------
-- Who has rated what, and two results: pairs of items that the same users rate, and users whose
-- ratings are worth more than 20.

create table rating (u int, i int, stars float8 not null, primary key (u, i));
insert into rating select u, i, 1 + (u * 7 + i * 3) % 5 from generate_series(0, 299) u, generate_series(0, 99) i where (u * 31 + i * 17) % 19 = 0;
create table worth (i int primary key, euro float8 not null);
insert into worth select i, 1 + i % 4 from generate_series(0, 99) i;
select einsum_register('r[U,I]', 'rating', '{u,i}', 'stars', '{300,100}'), einsum_register('w[I]', 'worth', '{i}', 'euro', '{100}') \g /dev/null
analyze rating, worth;
select einsum_log('r'), einsum_log('w') \g /dev/null
\set program 'pairs[I,K] = sum[u] r[u,i]*r[u,k]; spent[U] = sum[i] r[u,i]*w[i]; much[U] = relu(spent[u] - 20)'
select count(*) from einsum_decompose(:'program', 'keep', materialize => 'incremental') \g /dev/null

-- how each of the tables will change, and at what cost
select einsum_plan(:'program', materialize => 'incremental');

------------------------------------------------------------------------------
-- Few rows change. Until the refresh the tables are as they were, and the views are current.

update rating set stars = 5 where u = 17 and i < 50;
insert into rating values (17, 0, 3), (18, 1, 4) on conflict (u, i) do update set stars = excluded.stars;
delete from rating where u = 40;
update worth set euro = 9 where i = 3;

create function pg_temp.spent() returns table (u int, value float8) language sql as
	$$ select u, sum(stars * euro) from rating join worth using (i) group by u $$;
create function pg_temp.pairs() returns table (i int, k int, value float8) language sql as
	$$ select a.i, b.i, sum(a.stars * b.stars) from rating a join rating b using (u) group by a.i, b.i $$;

select pg_temp.holds('a table is as of its last refresh', exists (select from spent full join pg_temp.spent() q using (u) where spent.value is distinct from q.value));
select pg_temp.agree('spent__now and SQL', max(abs(coalesce(n.value, 0) - coalesce(q.value, 0)))) from spent__now n full join pg_temp.spent() q using (u);
select pg_temp.agree('much__now and SQL', max(abs(coalesce(n.value, 0) - greatest(coalesce(q.value, 0) - 20, 0)))) from much__now n full join pg_temp.spent() q using (u);
select pg_temp.agree('pairs__now and SQL', max(abs(coalesce(n.value, 0) - coalesce(q.value, 0)))) from pairs__now n full join pg_temp.pairs() q using (i, k);

------------------------------------------------------------------------------
-- The refresh writes what differs.

select tensor, how, why, changes from einsum_refresh('keep');
select pg_temp.agree('spent and SQL', max(abs(coalesce(n.value, 0) - coalesce(q.value, 0)))) from spent n full join pg_temp.spent() q using (u);
select pg_temp.agree('pairs and SQL', max(abs(coalesce(n.value, 0) - coalesce(q.value, 0)))) from pairs n full join pg_temp.pairs() q using (i, k);
select pg_temp.holds('nothing is left to do', bool_and(how = 'unchanged')) from einsum_refresh('keep');

------------------------------------------------------------------------------
-- At commit: a trigger refreshes once in each transaction, behind all that it writes.

create function refresh_keep() returns trigger language plpgsql as $$
begin
	if current_setting('keep.refreshed', true) is distinct from pg_current_xact_id()::text then
		perform einsum_refresh('keep', 'keep');
		perform set_config('keep.refreshed', pg_current_xact_id()::text, true);
	end if;
	return null;
end $$;
create constraint trigger refresh_keep after insert or update or delete on rating deferrable initially deferred
	for each row execute function refresh_keep();
begin;
update rating set stars = 1 where u < 3;
delete from rating where u = 50;
commit;
select pg_temp.agree('spent at commit and SQL', max(abs(coalesce(n.value, 0) - coalesce(q.value, 0)))) from spent n full join pg_temp.spent() q using (u);
