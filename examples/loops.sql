-- Programs that are computed again and again: on graphs, and to learn.
--
--   psql -f examples/loops.sql
--
-- Each is what einsum_iterate is given, nothing else: ways through a graph, communities, and models that
-- are fitted by gradients which einsum_gradient derives.

\set ON_ERROR_STOP on
\pset null -
set client_min_messages = warning;
create extension if not exists sparseeinsum;
drop schema if exists loops cascade;
create schema loops;
-- the schema of the extension is somewhere behind it
select set_config('search_path', 'loops, ' || current_setting('search_path'), false) \g /dev/null
\ir check.sql

------------------------------------------------------------------------------
-- A graph: roads of a small country, both ways, and an island
------------------------------------------------------------------------------

create table road (i int, j int, km float8 not null, near float8 not null default 0, primary key (i, j));
insert into road (i, j, km) values (0,1,4), (0,2,1), (2,1,2), (1,3,5), (3,4,3), (2,4,9), (5,6,1);
insert into road (i, j, km) select j, i, km from road;
create table town (i int primary key, number float8 not null);
insert into town select i, i from generate_series(0, 6) i;
create table capital (i int primary key, there float8 not null default 1, zero float8 not null default 0);
insert into capital values (0);
select einsum_register('a[I,J]', 'road', keys => '{i,j}', bounds => '{7,7}');
select einsum_register('km[I,J]', 'road', keys => '{i,j}', value => 'km', bounds => '{7,7}', fill => 'Infinity');
select einsum_register('near[I,J]', 'road', keys => '{i,j}', value => 'near', bounds => '{7,7}', fill => 'Infinity');
select einsum_register('id[I]', 'town', keys => '{i}', value => 'number', bounds => '{7}');
select einsum_register('c[I]', 'capital', keys => '{i}', value => 'there', bounds => '{7}');
select einsum_register('z[I]', 'capital', keys => '{i}', value => 'zero', bounds => '{7}', fill => 'Infinity');

-- breadth-first search: level is 1 more than the number of roads from the capital, 0 where none leads
select round, value, entries from einsum_iterate('bfs',
	init => 'front[i] = c[i]; level[i] = c[i]; depth[] = 1',
	step => 'next[j]  = (any[i] a[i,j]*front[i]) * (level[j] == 0);
		depth[]  = depth[] + 1;
		front[j] = next[j];
		level[j] = level[j] + (depth[] + 1)*next[j];
		found[]  = sum[j] next[j]',
	until => 'found[] == 0');
select pg_temp.holds('levels from the capital', einsum_value('v[i] = level[i]') = '[1,2,2,3,3,0,0]');

-- shortest paths, where what is not stored is infinitely far
select count(*) as rounds from einsum_iterate('paths',
	init => 'far[i] = z[i]',
	step => 'new[j] = least(far[j], min[i] (far[i] + km[i,j])); changed[] = sum[j] (new[j] <> far[j]); far[j] = new[j]',
	until => 'changed[] == 0');
select pg_temp.holds('kilometres from the capital', einsum_value('v[i] = far[i]') = '[0,3,1,8,10,Infinity,Infinity]');

-- components: each town takes the least number that is near
select count(*) as rounds from einsum_iterate('components',
	init => 'part[i] = id[i]',
	step => 'new[i] = least(part[i], min[j] (part[j] + near[i,j])); changed[] = sum[i] (new[i] <> part[i]); part[i] = new[i]',
	until => 'changed[] == 0');
select pg_temp.holds('the island is a part of its own', einsum_value('v[i] = part[i]') = '[0,0,0,0,0,5,5]');

-- PageRank that begins again in the capital
select count(*) as rounds from einsum_iterate('personal',
	init => 'rank[i] = c[i]',
	step => 'd[i] = sum[j] a[i,j]; new[j] = 0.85*(sum[i] a[i,j]*rank[i]/d[i]) + 0.15*c[j]; diff[] = sum[i] abs(new[i] - rank[i]); rank[i] = new[i]',
	until => 'diff[] < 1e-12');
select pg_temp.agree('what PageRank adds up to and 1', abs(tensor_reduce('sum', einsum_value('v[i] = rank[i]'))::float8 - 1));

-- hubs and authorities
select count(*) as rounds from einsum_iterate('hits',
	init => 'hub[i] = 1 + 0*id[i]; authority[i] = 0*id[i]',
	step => 'u[j] = sum[i] a[i,j]*hub[i]; v[j] = u[j]/sqrt(sum[j] u[j]^2); h[i] = sum[j] a[i,j]*v[j]; g[i] = h[i]/sqrt(sum[i] h[i]^2);
		diff[] = sum[i] abs(g[i] - hub[i]); hub[i] = g[i]; authority[j] = v[j]',
	until => 'diff[] < 1e-12', max_rounds => 10000);
select pg_temp.agree('hubs of a symmetric graph and its authorities', (einsum_value('v[] = max[i] abs(hub[i] - authority[i])')::float8));

------------------------------------------------------------------------------
-- Learning: orders of customers, joined as tensors
------------------------------------------------------------------------------

create table customer (id int primary key, income float8 not null, age float8 not null);
insert into customer select i, (i * 7 % 10) / 10.0, (i * 3 % 8) / 8.0 from generate_series(0, 19) i;
create table purchase (id int primary key, customer int not null, discount float8 not null, amount float8 not null, again float8 not null);
insert into purchase
select n, c.id, d, 1 + 3*c.income - 2*c.age + 0.5*d, (c.income + d > 0.9)::int
from (select n, n * 13 % 20 as id, (n * 11 % 9) / 9.0 as d from generate_series(0, 199) n) p join customer c using (id);
-- who bought, as a sparse matrix; what is known of customers, and of purchases
create view bought as select id as p, customer as c from purchase;
create view known as select id as c, tensor_concat(tensor_concat('[1]', array[income]::tensor), array[age]::tensor) as f from customer;
select einsum_register('b[P,C]', 'bought', keys => '{p,c}', bounds => '{200,20}', duplicates => 'trust');
select einsum_register('f[C,k]', 'known', keys => '{c}', value => 'f', bounds => '{20,3}', duplicates => 'trust');
select einsum_register('disc[P]', 'purchase', keys => '{id}', value => 'discount', bounds => '{200}');
select einsum_register('amount[P]', 'purchase', keys => '{id}', value => 'amount', bounds => '{200}');
select einsum_register('again[P]', 'purchase', keys => '{id}', value => 'again', bounds => '{200}');
-- the models live in tables of ours, which the loops assign to
create table model (k int primary key, weight float8 not null);
insert into model select k, 0 from generate_series(0, 2) k;
create table slope (weight float8 not null);
insert into slope values (0);
select einsum_register('w[K]', 'model', keys => '{k}', value => 'weight', bounds => '{3}');
select einsum_register('s[]', 'slope', keys => '{}', value => 'weight');

-- linear regression over the join: the derivatives are einsum_gradient's
select einsum_gradient('e[p] = (sum[c] b[p,c]*(sum[k] f[c,k]*w[k])) + s[]*disc[p] - amount[p]; loss[] = (sum[p] e[p]^2)/200', 'loss', '{w,s}') as gradient \gset
select count(*) as rounds from einsum_iterate('linear', null,
	:'gradient' || 'w[k] = w[k] - 0.5*d_w[k]; s[] = s[] - 0.5*d_s[]; steep[] = (sum[k] d_w[k]^2) + d_s[]^2',
	until => 'steep[] < 1e-26', max_rounds => 10000, assign => '{w,s}');
select * from model order by k;
select pg_temp.agree('the weights and those that made the data', max(abs(weight - (array[1,3,-2])[k+1]))) from model;
select pg_temp.agree('the slope and that', abs(weight - 0.5)) from slope;

-- logistic regression, on from there
update model set weight = 0;
update slope set weight = 0;
select einsum_gradient('q[p] = sigmoid((sum[c] b[p,c]*(sum[k] f[c,k]*w[k])) + s[]*disc[p]);
	loss[] = -(sum[p] (again[p]*ln(q[p]) + (1 - again[p])*ln(1 - q[p])))/200 + 0.0001*((sum[k] w[k]^2) + s[]^2)', 'loss', '{w,s}') as gradient \gset
select max(round) as rounds, max(value) filter (where round = 1) as first, min(value) as last from einsum_iterate('logistic', null,
	:'gradient' || 'w[k] = w[k] - 5*d_w[k]; s[] = s[] - 5*d_s[]', until => 'loss[] < 0.17', max_rounds => 10000, assign => '{w,s}');
select pg_temp.holds('nearly all purchases are told', einsum_value('r[] = (sum[p] (((sum[c] b[p,c]*(sum[k] f[c,k]*w[k])) + s[]*disc[p] > 0) == again[p]))/200')::float8 > 0.95);

-- k-means of customers in two clusters: each belongs to the nearest centre, a centre is the mean
create table first (c int, g int, primary key (c, g));
insert into first values (0, 0), (1, 1);
select einsum_register('first[C,G]', 'first', keys => '{c,g}', bounds => '{20,2}');
select max(round) as rounds from einsum_iterate('clusters',
	init => 'centre[g,k] = sum[c] f[c,k]*first[c,g]; member[c,g] = first[c,g]',
	step => 'far[c,g]    = sum[k] (f[c,k] - centre[g,k])^2;
		near[c]     = min[g] far[c,g];
		inside[c,g] = (far[c,g] == near[c]);
		mean[g,k]   = (sum[c] inside[c,g]*f[c,k]) / (sum[c] inside[c,g]);
		moved[]     = sum[g,k] abs(mean[g,k] - centre[g,k]);
		centre[g,k] = mean[g,k];
		member[c,g] = inside[c,g]',
	until => 'moved[] == 0');
-- the same by plain SQL: every customer is nearest to the mean of the customers of its cluster
with assigned as (
	select c.id, c.income, c.age, (einsum_value('v[c,g] = member[c,g]'))[c.id][1]::float8::int as g from customer c),
means as (select g, avg(income) as income, avg(age) as age from assigned group by g)
select pg_temp.holds('two clusters, and each customer in the nearer one', count(distinct m.g) = 2 and bool_and(
	(a.income - m.income)^2 + (a.age - m.age)^2 <= (a.income - o.income)^2 + (a.age - o.age)^2 + 1e-12))
from assigned a join means m on m.g = a.g join means o on o.g <> a.g;

drop schema loops cascade;
