-- A graph convolution of two layers on a graph the size of a shop's catalogue:
-- 13,752 products, 491,722 links "bought together", 767 features per product
-- (the size of the data set amazon_computers), made up here with few popular
-- products and many that are not. The first layer is then computed in scalar
-- SQL for every 20th product, and compared.
--
--   psql -f examples/large_graph.sql

\set ON_ERROR_STOP on
set client_min_messages = warning;
create extension if not exists sparseeinsum;
drop schema if exists shop cascade;
create schema shop;
select set_config('search_path', 'shop, ' || current_setting('search_path'), false) \g /dev/null
\ir check.sql

------------------------------------------------------------------------------
-- The data, the same in every run
------------------------------------------------------------------------------

-- Both ends of a link are drawn by popularity, which falls with the square root
-- of the rank; multiplying by a prime spreads the ranks over the ids.
create table link (i int, j int, primary key (i, j));
select setseed(0.5) \g /dev/null
insert into link
with drawn as materialized (
	select k, floor(13752 * random() ^ 2)::int as u, floor(13752 * random() ^ 2)::int as v
	from generate_series(1, 600000) k),
pair as (
	select least(u, v) * 7919 % 13752 as i, greatest(u, v) * 7919 % 13752 as j
	from drawn where u <> v
	group by least(u, v), greatest(u, v) order by min(k) limit 245861)
select i, j from pair union all select j, i from pair;
select count(*) as links, count(distinct i) as "products with links",
	(select max(n) from (select count(*) as n from link group by i) degree) as "most links of one"
from link;
-- every product counts among its own neighbours
insert into link select i, i from generate_series(0, 13751) i;

-- 35 % of a product's features are present
create table product (id int primary key, features tensor not null);
insert into product
select id, tensor_relu(tensor_random('{767}', id) - 0.65) from generate_series(0, 13751) id;
create table w1 (val tensor not null);
create table w2 (val tensor not null);
insert into w1 select tensor_random('{767,16}', 1000001) - 0.5;
insert into w2 select tensor_random('{16,10}', 1000002) - 0.5;

-- the features and weights for scalar SQL: one row per number that is not 0
create table scalar_x as
select id as j, (k - 1)::int as k, value
from product, unnest(features::float8[]) with ordinality v(value, k) where value <> 0;
create table scalar_w1 as
select k - 1 as k, m - 1 as m, (val::float8[])[k][m] as value
from (select val from w1) w, generate_series(1, 767) k, generate_series(1, 16) m;
vacuum analyze link, product, w1, w2, scalar_x, scalar_w1;

------------------------------------------------------------------------------
-- The convolution
------------------------------------------------------------------------------

select einsum_register('a[I,J]', 'link', keys => '{i,j}', bounds => '{13752,13752}') \g /dev/null
select einsum_register('x[I,k]', 'product', keys => '{id}', value => 'features', bounds => '{13752,767}') \g /dev/null
select einsum_register('w1[k,m]', 'w1', keys => '{}', value => 'val') \g /dev/null
select einsum_register('w2[m,c]', 'w2', keys => '{}', value => 'val') \g /dev/null

select $$
  links[i] = sum[j] a[i,j];
  n[i,j]   = a[i,j] / sqrt(links[i] * links[j]);
  h[I,m:*] = relu(sum[j,k] n[i,j] * x[j,k] * w1[k,m]);
  z[I,c:*] = n[i,j] * h[j,m] * w2[m,c]$$ as convolution \gset
\echo 'The program:'
\echo :convolution
\echo 'Its plan (upper case: promoted, a key column; lower case: demoted, a dimension inside a tensor):'
\pset tuples_only on
select * from einsum_plan(:'convolution');
\pset tuples_only off
select count(*) from einsum_decompose(:'convolution', 'convolution') \g /dev/null

\echo 'Both layers for all 13,752 products, layer one for every 20th product,'
\echo 'and the same slice of layer one in scalar SQL ...'
select clock_timestamp() as start \gset
create table all_z as select * from z;
select clock_timestamp() as all_done \gset
create table slice_h as select * from h where i % 20 = 0;
select clock_timestamp() as slice_done \gset

-- Scalar SQL in its best order, A(XW): only the products that the slice links
-- to are multiplied by the weights, and only their features that are not 0.
create table scalar_h as
with slice as materialized (select i, j from link where i % 20 = 0),
links as materialized (select i, count(*) as links from link group by i),
n as (
	select s.i, s.j, 1 / sqrt(a.links * b.links) as value
	from slice s join links a on a.i = s.i join links b on b.i = s.j),
xw as (
	select x.j, w.m, sum(x.value * w.value) as value
	from scalar_x x join scalar_w1 w using (k)
	where x.j in (select j from slice)
	group by x.j, w.m)
select n.i, xw.m, greatest(sum(n.value * xw.value), 0) as value
from n join xw using (j)
group by n.i, xw.m;
select clock_timestamp() as scalar_done \gset

select round(extract(epoch from :'all_done'::timestamptz - :'start')::numeric, 2) as "both layers, all rows: s",
	round(extract(epoch from :'slice_done'::timestamptz - :'all_done')::numeric, 2) as "slice of layer one: s",
	round(extract(epoch from :'scalar_done'::timestamptz - :'slice_done')::numeric, 2) as "scalar SQL, same slice: s",
	round((extract(epoch from :'scalar_done'::timestamptz - :'slice_done')
		/ extract(epoch from :'slice_done'::timestamptz - :'all_done'))::numeric, 1) as "scalar / slice"
;
select count(distinct i) as "rows in the slice", round(100.0 * count(distinct i) / 13752, 2) as "% of all rows",
	(select count(distinct j) from link where i % 20 = 0) as "products they link to"
from scalar_h;

\pset tuples_only on
select pg_temp.agree('layer one and scalar SQL on the slice',
	max(abs(coalesce(h.value, 0) - coalesce(s.value, 0))))
from (select i, (m - 1)::int as m, v as value
	  from slice_h, unnest(value::float8[]) with ordinality u(v, m)) h
full join scalar_h s using (i, m);
select pg_temp.holds('layer two has a row of 10 numbers for every product',
	count(*) = 13752 and min(array_length(value::float8[], 1)) = 10 and max(array_length(value::float8[], 1)) = 10)
from all_z;
\pset tuples_only off
