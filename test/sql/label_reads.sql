-- How many labels a call reads: four times the storages of a tensor, four times the labels; to register one
-- more reads no more of them than before.
create extension if not exists sparseeinsum;
\set VERBOSITY terse
set client_min_messages = warning;
create schema label_reads;
set search_path = label_reads, public;
-- rows of pg_seclabel read in this transaction
create function label_reads() returns bigint language sql as
	$$ select seq_tup_read + idx_tup_fetch from pg_stat_xact_sys_tables where relname = 'pg_seclabel' $$;
create table reads (storages int, command text, labels bigint);
create procedure count_reads(storages int, command text) language plpgsql as $$
declare before bigint = label_reads();
begin
	execute command;
	insert into reads values (storages, command, label_reads() - before);
end $$;
create function storage_name(k int) returns text language sql as $$ select format('stored.t%s', k) $$;

do $$
declare
	n int;
	further text;
begin
	foreach n in array array[10, 40] loop
		create schema stored;
		set local search_path = stored, label_reads, public;
		create table stored.keys (i int primary key);
		insert into stored.keys select generate_series(0, 9);
		perform einsum_dimension('d', 'stored.keys', 'i');
		for k in 0..n loop
			execute format('create table %s (i int primary key references stored.keys, v float8 not null)', storage_name(k));
			execute format('insert into %s select i, i from stored.keys', storage_name(k));
			further = case when k = 0 then 'only' else 'further' end;
			if k < n then
				perform einsum_register('a[I]', storage_name(k)::regclass, '{i}', 'v', '{d}', storage => further);
			end if;
		end loop;
		execute format('alter table %s rename to new', storage_name(n));
		call count_reads(n, $c$ select einsum_register('a[I]', 'stored.new', '{i}', 'v', '{d}', storage => 'further') $c$);
		call count_reads(n, $c$ select einsum_register('a[I]', 'stored.new', '{i}', 'v', '{d}', replace => true) $c$);
		call count_reads(n, $c$ select * from einsum_tensors $c$);
		call count_reads(n, $c$ select * from einsum_tensors where tensor = 'a' $c$);
		call count_reads(n, $c$ select * from einsum_dimensions $c$);
		call count_reads(n, $c$ select einsum_analyze('a') $c$);
		call count_reads(n, $c$ select * from einsum_analyze() $c$);
		call count_reads(n, $c$ select einsum_plan('y[] = sum[i] a[i]') $c$);
		call count_reads(n, $c$ select einsum_decompose('y[] = sum[i] a[i]', 'p') $c$);
		call count_reads(n, $c$ select einsum_drop('p') $c$);
		call count_reads(n, $c$ select einsum_unregister('a', relation => 'stored.new') $c$);
		call count_reads(n, $c$ select einsum_register('b[I]', 'stored.new', '{i}', 'v', '{10}') $c$);
		call count_reads(n, $c$ select einsum_register('a[I]', 'stored.new', '{i}', 'v', '{d}', storage => 'only', replace => true) $c$);
		call count_reads(n, $c$ select einsum_unregister('a') $c$);
		for k in 0..n - 1 loop
			further = case when k = 0 then 'only' else 'further' end;
			perform einsum_register('a[I]', storage_name(k)::regclass, '{i}', 'v', '{10}', storage => further);
		end loop;
		call count_reads(n, $c$ select * from einsum_rebound('{"a": [20]}', 'stored') $c$);
		call count_reads(n, $c$ select * from einsum_rebound('{"i": 30}', 'stored') $c$);
		-- a tensor for each row, and all storages have the statistics
		raise warning '% storages: %', n, (select string_agg(tensor || ' ' || entries, ', ' order by tensor)
			from einsum_analyze());
		raise warning '%', (select count(*) || ' ' || string_agg(distinct status, ', ') from einsum_tensors where tensor = 'a' and analyzed);
		execute format('drop schema stored cascade');
	end loop;
end $$;
-- other sessions may have changed a relation or two, which are read again
select command, case when few.labels + 2 >= many.labels then 'as few' when 4 * few.labels + 8 >= many.labels then 'as many as storages' else 'more: ' || many.labels end as labels
from reads few join reads many using (command) where few.storages = 10 and many.storages = 40 order by many.ctid;
-- of storages that do not agree each says so, the ones that agree with the first, too
create table one (i int primary key, v float8 not null);
create table two (like one including all);
create table three (like one including all);
select einsum_register('c[I]', 'one', '{i}', 'v', '{3}'), einsum_register('c[I]', 'two', '{i}', 'v', '{3}', storage => 'further'),
	einsum_register('c[I]', 'three', '{i}', 'v', '{3}', storage => 'further');
do $$ declare label text = (select label from pg_seclabel where objoid = 'three'::regclass and provider = 'sparseeinsum');
begin execute format('security label for sparseeinsum on table three is %L', replace(label, '"bounds":[3]', '"bounds":[4]')); end $$;
select relation, status from einsum_tensors where tensor = 'c' order by relation::oid;
drop schema label_reads cascade;
