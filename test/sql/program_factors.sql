-- Factors that a sum does not concern are multiplied into its result, and
-- statements that only scale a tensor are absorbed by all their readers. Costs
-- are not shown: plans are wanted here.
create table e (i int, j int, val float8 not null, primary key (i, j));
insert into e select i, (i * 7 + k * 3) % 40, (i + k) % 5 - 2 from generate_series(0, 39) i, generate_series(0, 11) k;
create table x (j int primary key, val float8 not null);
insert into x select j, j % 7 - 3 from generate_series(0, 39) j;
create table s (i int primary key, val float8 not null);
insert into s select i, 2 ^ (i % 4) from generate_series(0, 39, 2) i;
create table m (i int primary key, val float8 not null);
insert into m values (3, 2), (14, 4), (15, 8);
create table w (val tensor not null);
insert into w values ('[1,2,3]');
create table v (j int primary key, val tensor not null);
insert into v select j, array[j % 3, j % 5, 1]::float8[]::tensor from generate_series(0, 39) j;
select einsum_register('e[I,J]', 'e', keys => '{i,j}', value => 'val', bounds => '{40,40}');
select einsum_register('x[J]', 'x', keys => '{j}', value => 'val', bounds => '{40}');
select einsum_register('s[I]', 's', keys => '{i}', value => 'val', bounds => '{40}', fill => 2);
select einsum_register('m[I]', 'm', keys => '{i}', value => 'val', bounds => '{40}');
select einsum_register('w[k]', 'w', keys => '{}', value => 'val');
select einsum_register('v[J,k]', 'v', keys => '{j}', value => 'val', bounds => '{40,3}');
select count(*) from unnest('{e,x,s,m,v}'::text[]) t, lateral (select einsum_analyze(t) offset 0) analyzed;
set sparseeinsum.max_kernel_bytes = '1kB'; -- vectors may be demoted, and e not
set sparseeinsum.rewrite_budget = 0; -- these are small: by cost, hardly any form is worth a stage

create function plan(program text) returns setof text language sql as
$$ select regexp_replace(line, 'cost=[0-9.]+ (us|tuples=\d+ bytes=\d+)|cost=[0-9.]+', '') from einsum_plan(program, result => 'auto') line where line !~ '^As written' $$;

-- s joins the sums, and not the edges
select plan('y[I] = s[i] * e[i,j] * x[j]');
select plan('y[I,k] = relu(sum[j] s[i] * e[i,j] * s[j] * v[j,k])');
-- a sparse factor leaves less to sum
select plan('y[I] = m[i] * e[i,j] * x[j]');
-- terms divided by 0 do not add up to their sum divided by 0
select plan('y[I] = e[i,j] * x[j] / s[i]');
-- too few terms
select plan('y[I,J] = s[i] * m[k] * e[i,k] * e[k,j]');
-- what may be done is said
select count(*) from plan('y[I] = s[i] * e[i,j] * x[j]') where plan like '%y\_\_1%';
select count(*) from einsum_plan('y[I] = s[i] * e[i,j] * x[j]', rewrite => 'none') line where line like '%y\_\_1%';

create view edges as select e.i, e.j, e.val, coalesce(si.val, 2) as si, coalesce(sj.val, 2) as sj
  from e left join s si on si.i = e.i left join s sj on sj.i = e.j;

-- entry by entry as scalar SQL has it, rows that are absent being 0
create function differences(program text, expected text) returns bigint language plpgsql as
$$ declare n bigint; begin
  execute format('select count(*) from (%s) r full join (%s) w using (i) where coalesce(r.value, 0) <> coalesce(w.value, 0)',
    einsum_sql(program, result => 'auto'), expected) into n;
  return n;
end $$;
select differences('y[I] = s[i] * e[i,j] * x[j]',
  'select i, sum(si * edges.val * x.val) as value from edges join x using (j) group by i');
select differences('y[I] = relu(sum[j] 3 * s[i] * e[i,j] * s[j] * x[j])',
  'select i, greatest(sum(3 * si * edges.val * sj * x.val), 0) as value from edges join x using (j) group by i');
select differences('y[I] = m[i] * e[i,j] * x[j]',
  'select i, sum(m.val * edges.val * x.val) as value from edges join x using (j) join m using (i) group by i');
select differences('y[I] = e[i,j] * x[j] / s[i]',
  'select i, sum(edges.val * x.val / si) as value from edges join x using (j) group by i');
select differences('y[I] = -(sum[j] s[i] * s[i] * e[i,j] * x[j])',
  'select i, -sum(si * si * edges.val * x.val) as value from edges join x using (j) group by i');

create function entries(program text) returns table (i int, value float8) language plpgsql as
$$ begin return query execute einsum_sql(program, result => 'auto'); end $$;
select sum(abs(r.value)) > 0 as some, count(*) filter (where coalesce(r.value, 0) <> greatest(coalesce(w.value, 0), 0)) as differ
from entries('y[I] = sum[k] w[k] * relu(sum[j] s[i] * e[i,j] * s[j] * v[j,k])') r full join (
  select i, sum(value) as value from (select i, (k + 1) * greatest(sum(si * edges.val * sj * (v.val[k])::float8), 0) as value
    from edges join v using (j), generate_series(0, 2) k group by i, k) q group by i) w using (i);

-- 0 divided by 0 is 0, and so is what is absent: a numerator is not taken out of its quotient
create table zero (i int primary key, val float8 not null);
insert into zero select i, i % 5 from generate_series(0, 39) i;
create table k (i int primary key, val float8 not null);
insert into k select i, case when i in (3, 5) then 0 else 2 end from generate_series(0, 39) i where i <> 7;
select einsum_register('d[I]', 'zero', keys => '{i}', value => 'val', bounds => '{40}', fill => 3);
select einsum_register('k[I]', 'k', keys => '{i}', value => 'val', bounds => '{40}');
select einsum_register('u[I]', 'k', keys => '{i}', value => 'val', bounds => '{40}', fill => 2);
select count(*) from unnest('{d,k,u}'::text[]) t, lateral (select einsum_analyze(t) offset 0) analyzed;
select program, count(*) filter (where value <> 0) as nonzero
from unnest('{"k[i] * e[i,j] * x[j] / d[j]","(k[i] * abs(e[i,j])) / d[j]","k[i] * e[i,j] * x[j] / d[i]","(k[i] * e[i,j] / d[j]) * x[j]"}'::text[]) program
  left join lateral entries('y[I] = sum[j] ' || program) on i in (3, 5, 7) group by 1 order by 1;
select program, count(*) filter (where value <> 0) as nonzero
from unnest('{"u[i] * abs(e[i,j]) / d[j]","(u[i] * abs(e[i,j]) / d[j]) * abs(x[j])","u[i] * abs(e[i,j]) / d[i]","(abs(x[j]) * u[i] / d[j]) * abs(e[i,j])","k[i] * (u[i] / d[i]) * abs(e[i,j]) * abs(x[j])"}'::text[]) program
  left join lateral entries('y[I] = sum[j] ' || program) on i in (3, 5) group by 1 order by 1;
-- nor when it is part of a scaling
select count(*) filter (where value <> 0) as nonzero
from entries('n[i,j] = k[i] * e[i,j] * s[j] / d[j]; h[i] = n[i,j] * x[j]; z[I] = n[i,j] * x[j] * s[j] + h[i]') where i in (3, 5, 7);

-- a scaling that is read twice, and what it is computed with
\set scaling 'n[i,j] = s[i] * e[i,j] * s[j]; h[i] = relu(sum[j] n[i,j] * x[j]); z[I] = n[i,j] * h[j]'
select plan(:'scaling');
select differences(:'scaling', $$with h as (select i, greatest(sum(si * edges.val * sj * x.val), 0) as val from edges join x using (j) group by i)
  select edges.i, sum(si * edges.val * sj * h.val) as value from edges join h on h.i = edges.j group by edges.i$$);
-- its transpose
select differences('n[i,j] = s[i] * e[i,j]; h[i] = n[i,j] * x[j]; z[I] = n[j,i] * h[j]',
  $$with h as (select i, sum(si * edges.val * x.val) as val from edges join x using (j) group by i)
  select edges.j as i, sum(si * edges.val * h.val) as value from edges join h on h.i = edges.i group by edges.j$$);
-- computed once: no scaling, one that would stay with its tensor, and one that is not summed
select line from plan('n[i,j] = e[i,j] / sqrt(s[i] * s[j]); h[i] = n[i,j] * x[j]; z[I] = n[i,j] * h[j]') line where line like '%absorbed%';
select line from plan('n[i,j] = s[i] * e[i,j]; h[j] = n[i,j] * x[j]; z[] = n[i,j] * h[j]') line where line like '%absorbed%';
select line from plan('n[i,j] = s[i] * e[i,j]; h[i] = n[i,j] * x[j]; z[I,J] = n[i,j] + h[i]') line where line like '%absorbed%';
-- pins: n is wanted as it is written, or where it is read
select line from plan('n[I,J] = s[i] * e[i,j]; h[i] = n[i,j] * x[j]; z[I] = n[i,j] * h[j]') line where line like '%absorbed%';
select line from plan('n[i,j] = s[i] * e[i,j]; h[i] = n[i,j] * x[j]; z[I] = n[I,j] * h[j]') line where line like '%absorbed%';

-- the sum inside one part of a product is another part of it: one stage
\set parts 'y[I,L] = e[l,m] * e[i,j] * e[j,k] * e[k,n]'
select plan(:'parts');
select einsum_sql(:'parts', result => 'auto') as query \gset
with d as (select i, sum(val) as val from e group by i), s as (select e.i, sum(e.val * f.val * d.val) as val from e join e f on f.i = e.j join d on d.i = f.j group by e.i)
select count(*) as entries, sum(abs(r.value)) > 0 as some, count(*) filter (where coalesce(r.value, 0) <> w.value) as differ
from (select s.i, d.i as l, s.val * d.val as value from s, d) w left join (:query) r using (i, l);

drop view edges;
drop table e, x, s, m, v, w, zero, k;
drop function plan(text), differences(text, text), entries(text);
reset sparseeinsum.max_kernel_bytes;
