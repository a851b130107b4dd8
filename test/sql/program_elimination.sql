-- Contraction paths of products of more than 12 factors: labels are summed one
-- after the other in the order that is best by entries, and what has one label
-- filters all that has it. Costs are not shown: plans are wanted here.
create schema elimination;
set search_path = elimination, public;
-- small as they are, these would be loops over all labels (program_nests)
set sparseeinsum.enable_aggregate_join = off;
create table e (i int, j int, primary key (i, j));
insert into e select i, (i * 7 + k * k * 3) % 97 from generate_series(0, 96) i, generate_series(0, 5) k on conflict do nothing;
create table w (i int, j int, val float8 not null, primary key (i, j));
insert into w select i, j, (i + j) % 5 - 2 from e;
create table few (i int primary key);
insert into few select generate_series(0, 96, 16);
create table half (i int primary key, val float8 not null);
insert into half select i, i % 3 - 1 from generate_series(0, 96, 9) i;
select einsum_register('e[I,J]', 'e', keys => '{i,j}', bounds => '{97,97}');
select einsum_register('w[I,J]', 'w', keys => '{i,j}', value => 'val', bounds => '{97,97}');
select einsum_register('few[I]', 'few', keys => '{i}', bounds => '{97}');
select einsum_register('half[I]', 'half', keys => '{i}', value => 'val', bounds => '{97}');
select count(*) from unnest('{e,w,few,half}'::text[]) t, lateral (select einsum_analyze(t) offset 0) analyzed;

create function plan(program text) returns setof text language sql as
$$ select regexp_replace(line, 'cost=[0-9.]+ (us|tuples=\d+ bytes=\d+)|cost=[0-9.]+', '') from einsum_plan(program, result => 'auto') line
   where line !~ '^    ' $$;
-- as scalar SQL has it, and as it is without rewriting
create function agrees(program text, expected text) returns boolean language plpgsql as
$$ declare value float8; found float8; begin
  execute expected into value;
  found := einsum_value(program)::float8;
  return found = value and value <> 0;
end $$;

-- a ring of 8 with labels on all of its nodes: what has labels is 0 or 1, and read once
select plan('s[] = e[a,b]*e[b,c]*e[c,d]*e[d,f]*e[f,g]*e[g,h]*e[h,i]*e[a,i]*few[a]*few[c]*few[d]*few[g]*few[i]');
select agrees('s[] = e[a,b]*e[b,c]*e[c,d]*e[d,f]*e[f,g]*e[g,h]*e[h,i]*e[a,i]*few[a]*few[c]*few[d]*few[g]*few[i]',
  'select count(*) from e ab join few fa on fa.i = ab.i join e bc on bc.i = ab.j join few fc on fc.i = bc.j
   join e cd on cd.i = bc.j join few fd on fd.i = cd.j join e df on df.i = cd.j join e fg on fg.i = df.j
   join few f4 on f4.i = fg.j join e gh on gh.i = fg.j join e hi on hi.i = gh.j join few f5 on f5.i = hi.j
   join e ai on ai.i = ab.i and ai.j = hi.j');
-- values: a filter says where it is not 0, and is multiplied in once
select plan('s[] = w[a,b]*w[b,c]*w[c,d]*w[d,f]*w[f,g]*w[g,h]*w[h,i]*w[a,i]*half[a]*half[c]*half[d]*half[g]*half[i]');
select agrees('s[] = w[a,b]*w[b,c]*w[c,d]*w[d,f]*w[f,g]*w[g,h]*w[h,i]*w[a,i]*half[a]*half[c]*half[d]*half[g]*half[i]',
  'select sum(ab.val*bc.val*cd.val*df.val*fg.val*gh.val*hi.val*ai.val*fa.val*fc.val*fd.val*f4.val*f5.val)
   from w ab join half fa on fa.i = ab.i join w bc on bc.i = ab.j join half fc on fc.i = bc.j
   join w cd on cd.i = bc.j join half fd on fd.i = cd.j join w df on df.i = cd.j join w fg on fg.i = df.j
   join half f4 on f4.i = fg.j join w gh on gh.i = fg.j join w hi on hi.i = gh.j join half f5 on f5.i = hi.j
   join w ai on ai.i = ab.i and ai.j = hi.j');
-- a chain has few connected sets of labels: all orders are looked at
select count(*) filter (where line ~ 'heuristic') as heuristic, count(*) filter (where line ~ 'sum\[') as sums
from plan('y[a,z] = e[a,b]*e[b,c]*e[c,d]*e[d,f]*e[f,g]*e[g,h]*e[h,i]*e[i,j]*e[j,k]*e[k,l]*e[l,m]*e[m,n]*e[n,o]*e[o,p]*e[p,q]*e[q,z]') line;
-- an output label, and parts that share none
select plan('y[a] = e[a,b]*e[a,c]*few[b]*few[c]*e[b,d]*e[c,d]*half[d]*e[p,q]*e[q,r]*e[r,p]*few[p]*few[q]*half[r]');
-- a star of 14 arms has too many sets; a small budget ends the search anywhere
set sparseeinsum.search_budget = 1;
select count(*) filter (where line ~ 'heuristic') as heuristic
from plan('s[] = e[a,b]*e[b,c]*e[c,d]*e[d,f]*e[f,g]*e[g,h]*e[h,i]*e[a,i]*few[a]*few[c]*few[d]*few[g]*few[i]') line;
reset sparseeinsum.search_budget;
select count(*) filter (where line ~ 'heuristic') as heuristic
from plan('s[] = e[x,a]*e[x,b]*e[x,c]*e[x,d]*e[x,f]*e[x,g]*e[x,h]*e[x,i]*e[x,j]*e[x,k]*e[x,l]*e[x,m]*e[x,n]*e[x,o]') line;

-- a row is 1, but two rows of one key are 2: no filter, and none twice
create table twice (i int not null);
insert into twice select i from few union all select i from few;
select einsum_register('twice[I]', 'twice', keys => '{i}', bounds => '{97}', duplicates => 'sum');
select count(*) from einsum_analyze('twice');
select agrees('s[] = e[a,b]*e[b,c]*e[c,d]*e[d,f]*e[f,g]*e[g,h]*e[h,i]*e[a,i]*twice[a]*few[c]*twice[d]*few[g]*twice[i]',
  'select 8 * count(*) from e ab join few fa on fa.i = ab.i join e bc on bc.i = ab.j join few fc on fc.i = bc.j
   join e cd on cd.i = bc.j join few fd on fd.i = cd.j join e df on df.i = cd.j join e fg on fg.i = df.j
   join few f4 on f4.i = fg.j join e gh on gh.i = fg.j join e hi on hi.i = gh.j join few f5 on f5.i = hi.j
   join e ai on ai.i = ab.i and ai.j = hi.j');
-- Other aggregates distribute over other functions: both as they are chosen and as written.
create table r (i int, j int, len float8 not null, primary key (i, j));
insert into r select i, (i * 7 + k * 13) % 97, 1 + (i + k) % 5 from generate_series(0, 96) i, generate_series(1, 4) k on conflict do nothing;
create table y (j int primary key, v float8 not null);
insert into y select j, j % 9 - 4 from generate_series(0, 96, 3) j;
-- some rows are full: their greatest is not 0
create table f (i int, j int, v float8 not null, primary key (i, j));
insert into f select i, j, -1 - (i + j) % 3 from generate_series(0, 3) i, generate_series(0, 96) j;
select einsum_register('d[I,J]', 'r', keys => '{i,j}', value => 'len', bounds => '{97,97}', fill => 'Infinity');
select einsum_register('far[I,J]', 'r', keys => '{i,j}', value => 'len', bounds => '{97,97}', fill => '-Infinity', storage => 'further');
select einsum_register('y[J]', 'y', keys => '{j}', value => 'v', bounds => '{97}');
select einsum_register('f[I,J]', 'f', keys => '{i,j}', value => 'v', bounds => '{97,97}');
select count(*) from unnest('{d,far,y,f}'::text[]) t, lateral (select einsum_analyze(t) offset 0) analyzed;
create function same(program text) returns text language sql as
$$ select case when einsum_value(program)::text = einsum_value(program, rewrite => 'none', search => 'greedy')::text
   and einsum_value(program)::text <> einsum_value('z[I] = 0 * y[i]')::text then 'same' else 'other' end $$;

-- an infinite fill kills a sum as 0 does a product
select plan('z[I] = min[j] (d[i,j] + y[j])');
select plan('z[I] = max[j] (y[i] - d[i,j] - y[j])');
-- along the path, over labels of which the rest has none
select plan('z[I] = min[j,k,l] (d[i,j] + d[j,k] + d[k,l] + y[l])');
select plan('z[I] = max[j,k,l] (far[i,j] + far[j,k] + far[k,l] + y[l])');
select plan('z[I] = any[j,k,l] e[i,j] * e[j,k] * e[k,l]');
select plan('z[I] = max[j,k] least(far[i,j], far[j,k])');
select plan('z[I] = min[j,k] greatest(d[i,j], d[j,k])');
select plan('z[I] = max[j,k] exp(e[i,j] * e[j,k])');
-- a factor may be negative, and what rises only where it is defined stays
select plan('z[I] = max[j,k] w[i,j] * w[j,k]');
select plan('z[I] = max[j] sqrt(f[i,j])');
-- both need j
select plan('z[I] = max[j] (far[i,j] + far[j,i])');
select program, same(program) from unnest(array[
  'z[I] = min[j] (d[i,j] + y[j])',
  'z[I] = max[j] (y[i] - d[i,j] - y[j])',
  'z[I] = min[j,k,l] (d[i,j] + d[j,k] + d[k,l] + y[l])',
  'z[I] = max[j,k,l] (far[i,j] + far[j,k] + far[k,l] + y[l])',
  'z[I] = min[b,c,k,l,m] (d[i,b] + d[b,c] + d[c,k] + d[k,l] + d[l,m] + d[m,i])',
  'z[I] = any[j,k,l] e[i,j] * e[j,k] * e[k,l]',
  'z[I] = 1 - (all[j] f[i,j] * e[j,i])',
  'z[I] = 1 + (all[j,k] f[i,j] * f[k,j])',
  'z[I] = 1 + (max[j,k] e[i,j] * e[j,k])',
  'z[I] = max[j,k] (w[i,j] * w[j,k])',
  'z[I] = min[j,k] (w[i,j] * w[j,k])',
  'z[I] = max[j,k] (f[i,j] * abs(f[i,k]))',
  'z[I] = max[j] exp(f[i,j])',
  'z[I] = max[j] -f[i,j]',
  'z[I] = min[j] relu(-f[i,j])',
  'z[I] = min[j] floor(-f[i,j] / 2)',
  'z[I] = max[j] sigmoid(-(y[i] + f[i,j]))',
  'z[I] = max[j,k] least(far[i,j], 2 * far[j,k])',
  'z[I] = max[j,k] least(d[i,j], 2 * d[j,k])',
  'z[I] = min[j,k] greatest(d[i,j], 2 * d[j,k])',
  'z[I] = max[j] (far[i,j] + far[j,i])']) program;

-- of nothing
create table none (j int primary key);
select einsum_register('none[J]', 'none', keys => '{j}', bounds => '{0}');
select einsum_value('s[] = max[j] exp(none[j])'), einsum_value('s[] = min[j] -none[j]'),
  einsum_value('s[] = max[i,j] least(abs(y[i]), none[j])');

set client_min_messages = warning;
drop schema elimination cascade;
