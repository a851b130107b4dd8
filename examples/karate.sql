-- Zachary's karate club: who will follow whom?
--
--   psql -f examples/karate.sql
--
-- W. W. Zachary watched a karate club of 34 members from 1970 to 1972, wrote
-- down which of them met outside the club (78 friendships), and saw it split
-- in two: some followed the instructor, Mr. Hi (member 1), some the Officer
-- (member 34). The friendships alone predict who followed whom but for one
-- member. ("An information flow model for conflict and fission in small
-- groups", Journal of Anthropological Research 33, 1977.)
--
-- Keys count from 0, so member 1 has id 0.

\set ON_ERROR_STOP on
\pset null -
set client_min_messages = warning;
create extension if not exists sparseeinsum;
drop schema if exists karate cascade;
create schema karate;
-- the schema of the extension is somewhere behind it
select set_config('search_path', 'karate, ' || current_setting('search_path'), false) \g /dev/null
\ir check.sql

------------------------------------------------------------------------------
-- The data
------------------------------------------------------------------------------

create table friendship (a int, b int, primary key (a, b), check (a < b));
insert into friendship values
	(0,1), (0,2), (0,3), (0,4), (0,5), (0,6), (0,7), (0,8), (0,10), (0,11), (0,12), (0,13), (0,17),
	(0,19), (0,21), (0,31), (1,2), (1,3), (1,7), (1,13), (1,17), (1,19), (1,21), (1,30), (2,3),
	(2,7), (2,8), (2,9), (2,13), (2,27), (2,28), (2,32), (3,7), (3,12), (3,13), (4,6), (4,10),
	(5,6), (5,10), (5,16), (6,16), (8,30), (8,32), (8,33), (9,33), (13,33), (14,32), (14,33),
	(15,32), (15,33), (18,32), (18,33), (19,33), (20,32), (20,33), (22,32), (22,33), (23,25),
	(23,27), (23,29), (23,32), (23,33), (24,25), (24,27), (24,31), (25,31), (26,29), (26,33),
	(27,33), (28,31), (28,33), (29,32), (29,33), (30,32), (30,33), (31,32), (31,33), (32,33);

-- the faction each member chose; features says whose leader one is
create table member (id int primary key, faction text not null, features tensor not null);
insert into member
select id,
	case when id in (0,1,2,3,4,5,6,7,8,10,11,12,13,16,17,19,21) then 'Mr. Hi' else 'Officer' end,
	case id when 0 then '[1,0]' when 33 then '[0,1]' else '[0,0]' end::tensor
from generate_series(0, 33) id;

-- a friendship goes both ways
create view friend as
	select a as i, b as j from friendship union all select b, a from friendship;

select count(*) as friendships, (select count(*) from member) as members from friendship;

------------------------------------------------------------------------------
-- Personalised PageRank: a walk that follows friendships at random and jumps
-- back to its leader with probability 0.15. Who meets it more often from one
-- leader than from the other will follow that leader.
------------------------------------------------------------------------------

create table leader (s int primary key, id int not null, faction text not null);
insert into leader values (0, 0, 'Mr. Hi'), (1, 33, 'Officer');
create table rank (i int, s int, value float8 not null, primary key (i, s));

-- which relation holds which tensor; without a value column a row means 1
select einsum_register('a[I,J]', 'friend', keys => '{i,j}', bounds => '{34,34}', duplicates => 'trust') \g /dev/null
select einsum_register('e[I,S]', 'leader', keys => '{id,s}', bounds => '{34,2}') \g /dev/null
select einsum_register('p[I,S]', 'rank', keys => '{i,s}', value => 'value', bounds => '{34,2}') \g /dev/null

select $$
  degree[j] = sum[i] a[i,j];
  m[i,j]    = a[i,j] / degree[j];
  step[i,s] = 0.85 * m[i,j] * p[j,s] + 0.15 * e[i,s]$$ as pagerank \gset

\echo
\echo 'One step of PageRank, as a program:'
\echo :pagerank
\echo 'Its plan (upper case: promoted, a key column; lower case: demoted, a dimension inside a tensor):'
\pset tuples_only on
select * from einsum_plan(:'pagerank', result => 'rows');
\pset tuples_only off

select count(*) from einsum_decompose(:'pagerank', 'pagerank', result => 'rows') \g /dev/null

-- step is now an ordinary view over rank: (i, s, value). Iterate it.
create procedure iterate(step regclass, rank regclass, inout rounds int default 0)
language plpgsql as $$
declare
	difference float8;
begin
	loop
		execute format('
			with next as materialized (select i, s, value from %s),
			stored as (
				insert into %s select i, s, value from next
				on conflict (i, s) do update set value = excluded.value)
			select max(abs(next.value - coalesce(rank.value, 0)))
			from next left join %s as rank using (i, s)', step, rank, rank)
		into difference;
		rounds := rounds + 1;
		exit when difference <= 1e-9;
		if rounds = 1000 then
			raise exception 'no fixed point after % rounds: still changing by %', rounds, difference;
		end if;
	end loop;
end
$$;
\echo 'Iterated by a loop over the view until nothing changes by more than 1e-9:'
call iterate('step', 'rank');

-- the same in scalar SQL
create table scalar_rank (like rank including all);
create view scalar_step as
	select i, s, sum(value) as value
	from (select f.i, p.s, 0.85 * p.value / d.degree as value
		  from friend f
		  join (select j, count(*) as degree from friend group by j) d using (j)
		  join scalar_rank p on p.i = f.j
		  union all
		  select id, s, 0.15 from leader) t
	group by i, s;
call iterate('scalar_step', 'scalar_rank') \g /dev/null

\pset tuples_only on
select pg_temp.agree('PageRank and scalar SQL', max(abs(coalesce(r.value, 0) - coalesce(c.value, 0))))
from rank r full join scalar_rank c using (i, s);
\pset tuples_only off

-- PostgreSQL takes new tables to be larger than they are, and would compile the next query
analyze rank, leader, member;
create view prediction as
	select id + 1 as member, faction as actual,
		(select l.faction from rank join leader l using (s) where rank.i = member.id order by value desc limit 1) as predicted
	from member;
select member, actual, predicted, case when actual <> predicted then 'wrong' else '' end as " "
from prediction order by member;
select count(*) filter (where actual = predicted) as right, count(*) as of,
	string_agg(member::text, ', ') filter (where actual <> predicted) as "wrong: member"
from prediction;
\pset tuples_only on
select pg_temp.holds('33 of 34 members are predicted right, and member 9 is not',
	count(*) = 34 and bool_and((actual = predicted) = (member <> 9)))
from prediction;
\pset tuples_only off

------------------------------------------------------------------------------
-- A graph convolution of two layers: features travel from friend to friend,
-- averaged by the normalised adjacency with self loops.
------------------------------------------------------------------------------

create view link as
	select i, j from friend union all select id, id from member;
create table w1 (val tensor not null);
create table w2 (val tensor not null);
insert into w1 values ('[[1,-0.5,0.25,0.75],[-0.5,1,0.75,0.25]]');
insert into w2 values ('[[1,-0.5],[-0.5,1],[0.25,0.5],[0.5,0.25]]');

select einsum_register('l[I,J]', 'link', keys => '{i,j}', bounds => '{34,34}', duplicates => 'trust') \g /dev/null
select einsum_register('x[I,k]', 'member', keys => '{id}', value => 'features', bounds => '{34,2}') \g /dev/null
select einsum_register('w1[k,m]', 'w1', keys => '{}', value => 'val') \g /dev/null
select einsum_register('w2[m,c]', 'w2', keys => '{}', value => 'val') \g /dev/null

select $$
  links[i] = sum[j] l[i,j];
  n[i,j]   = l[i,j] / sqrt(links[i] * links[j]);
  h[i,m]   = relu(sum[j,k] n[i,j] * x[j,k] * w1[k,m]);
  z[i,c]   = n[i,j] * h[j,m] * w2[m,c]$$ as convolution \gset

\echo 'A graph convolution of two layers, as a program:'
\echo :convolution
\echo 'Its plan (upper case: promoted, a key column; lower case: demoted, a dimension inside a tensor):'
\pset tuples_only on
select * from einsum_plan(:'convolution', result => 'rows');
\pset tuples_only off

select count(*) from einsum_decompose(:'convolution', 'convolution', result => 'rows') \g /dev/null

-- the same in scalar SQL: one row per number everywhere
create view scalar_convolution as
	with x as (
		select id as i, k - 1 as k, v as value
		from member, unnest(features::float8[]) with ordinality u(v, k)),
	w1 as (
		select k - 1 as k, m - 1 as m, (val::float8[])[k][m] as value
		from w1, generate_series(1, 2) k, generate_series(1, 4) m),
	w2 as (
		select m - 1 as m, c - 1 as c, (val::float8[])[m][c] as value
		from w2, generate_series(1, 4) m, generate_series(1, 2) c),
	links as (select i, count(*) as links from link group by i),
	n as (
		select l.i, l.j, 1 / sqrt(a.links * b.links) as value
		from link l join links a on a.i = l.i join links b on b.i = l.j),
	h as (
		select n.i, w1.m, greatest(sum(n.value * x.value * w1.value), 0) as value
		from n join x on x.i = n.j join w1 using (k) group by n.i, w1.m)
	select n.i, w2.c, sum(n.value * h.value * w2.value) as value
	from n join h on h.i = n.j join w2 using (m) group by n.i, w2.c;

\pset tuples_only on
select pg_temp.agree('graph convolution and scalar SQL', max(abs(coalesce(z.value, 0) - coalesce(s.value, 0))))
from z full join scalar_convolution s using (i, c);
\pset tuples_only off

-- views are live: a new friendship, and the convolution has changed
create table before as select * from z;
insert into friendship values (0, 9);
\echo 'Member 10 befriends Mr. Hi: INSERT INTO friendship VALUES (0, 9). The view z, before and now:'
select i + 1 as member,
	round(max(before.value) filter (where c = 0)::numeric, 4) as "Mr. Hi before",
	round(max(now.value) filter (where c = 0)::numeric, 4) as "Mr. Hi now",
	round(max(before.value) filter (where c = 1)::numeric, 4) as "Officer before",
	round(max(now.value) filter (where c = 1)::numeric, 4) as "Officer now"
from z now full join before using (i, c)
where i in (9, 33)
group by i order by i;

\pset tuples_only on
select pg_temp.agree('the view after the INSERT and scalar SQL', max(abs(coalesce(z.value, 0) - coalesce(s.value, 0))))
from z full join scalar_convolution s using (i, c);
select pg_temp.holds('member 10 leans to Mr. Hi more than before', now.value > coalesce(before.value, 0) + 0.01)
from z now left join before using (i, c) where i = 9 and c = 0;
\pset tuples_only off
