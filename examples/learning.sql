-- Models of machine learning, each a program that einsum_iterate computes again and again.
--
--   psql -f examples/learning.sql
--
-- Linear systems are solve(), of a matrix for each user or film too; derivatives are einsum_gradient's. Regressions over
-- a join and k-means are in loops.sql.

\set ON_ERROR_STOP on
\pset null -
set client_min_messages = warning;
create extension if not exists sparseeinsum;
drop schema if exists learning cascade;
create schema learning;
-- the schema of the extension is somewhere behind it
select set_config('search_path', 'learning, ' || current_setting('search_path'), false) \g /dev/null
\ir check.sql

------------------------------------------------------------------------------
-- Recommendations: who rated what, in ids as they are
------------------------------------------------------------------------------

create table rating (person int, film int, stars float8 not null, primary key (person, film));
insert into rating select 100 + p, 7000 + f, 3 + cos(p) + sin(f)/2 + sin(2*p)*cos(3*f)
from generate_series(0, 29) p, generate_series(0, 19) f where (p*7 + f*5) % 3 > 0;
create table start (film int primary key, q tensor not null);
insert into start select 7000 + f, array[sin(f*f), 0]::tensor from generate_series(0, 19) f;
create table dimension (inner_ones tensor not null, bias tensor not null);
insert into dimension values ('[1,0]', '[0,1]');
select einsum_register('r[U,F]', 'rating', keys => '{person,film}', value => 'stars', bounds => '{*,*}');
select einsum_register('m[U,F]', 'rating', keys => '{person,film}', bounds => '{*,*}');
select einsum_register('start[F,k]', 'start', keys => '{film}', value => 'q', bounds => '{*,2}');
select einsum_register('inside[k]', 'dimension', keys => '{}', value => 'inner_ones');
select einsum_register('bias[k]', 'dimension', keys => '{}', value => 'bias');

-- alternating least squares: a system for each person, then one for each film. The last dimension is the bias, where the other
-- side has 1. People and films without a rating have no system, and no factors
select max(round) as rounds from einsum_iterate('als',
	init => 'p[u,k] = 0*(sum[f] m[u,f])*bias[k]; q[f,k] = start[f,k]',
	step => 'nu[u] = sum[f] m[u,f]; nf[f] = sum[u] m[u,f]; mean[] = (sum[u,f] r[u,f]) / (sum[u,f] m[u,f]); c[u,f] = r[u,f] - mean[]*m[u,f];
		x[f,k]   = q[f,k]*inside[k] + (nf[f] > 0)*bias[k];
		bf[f]    = sum[k] q[f,k]*bias[k];
		g[u,k,l] = (sum[f] m[u,f]*x[f,k]*x[f,l]) + 0.001*nu[u]*eye[k,l];
		b[u,k]   = sum[f] (c[u,f] - m[u,f]*bf[f])*x[f,k];
		pn[u,k]  = solve(g[u,k,l], b[u,l]);
		y[u,k]   = pn[u,k]*inside[k] + (nu[u] > 0)*bias[k];
		bu[u]    = sum[k] pn[u,k]*bias[k];
		h[f,k,l] = (sum[u] m[u,f]*y[u,k]*y[u,l]) + 0.001*nf[f]*eye[k,l];
		d[f,k]   = sum[u] (c[u,f] - m[u,f]*bu[u])*y[u,k];
		qn[f,k]  = solve(h[f,k,l], d[f,l]);
		moved[]  = sum[f,k] abs(qn[f,k] - q[f,k]);
		p[u,k]   = pn[u,k];
		q[f,k]   = qn[f,k]',
	until => 'moved[] < 1e-3', max_rounds => 500);
select pg_temp.holds('ratings are told', einsum_value('mean[] = (sum[u,f] r[u,f]) / (sum[u,f] m[u,f]);
	e[u,f] = r[u,f] - m[u,f]*mean[] - m[u,f]*(sum[k] p[u,k]*bias[k]) - m[u,f]*(sum[k] q[f,k]*bias[k]) - m[u,f]*(sum[k] p[u,k]*q[f,k]*inside[k]);
	rmse[] = sqrt((sum[u,f] e[u,f]^2)/(sum[u,f] m[u,f]))')::float8 < 0.05);

------------------------------------------------------------------------------
-- Flowers: linear algebra, as R and SystemML write it
------------------------------------------------------------------------------

create table flower (i int primary key, x tensor not null, kind int not null, seeds float8 not null, side float8 not null);
insert into flower select i, array[1, a, b]::tensor, c, exp(0.5 + 0.8*a - 0.4*b), case when c = 0 then 1 else -1 end
from (select i, i % 3 as c, (i % 3) + sin(i)/4 as a, (i % 3 = 1)::int + cos(i*2)/4 as b from generate_series(0, 59) i) f;
create view kinds as select i, kind as c from flower;
create table fitted (b tensor not null, v tensor not null, w tensor not null);
insert into fitted values ('[0,0,0]', '[0,0,0]', tensor_full('{3,3}', 0));
select einsum_register('x[I,k]', 'flower', keys => '{i}', value => 'x', bounds => '{60,3}');
select einsum_register('y[I,C]', 'kinds', keys => '{i,c}', bounds => '{60,3}', duplicates => 'trust');
select einsum_register('seeds[I]', 'flower', keys => '{i}', value => 'seeds', bounds => '{60}');
select einsum_register('side[I]', 'flower', keys => '{i}', value => 'side', bounds => '{60}');
select einsum_register(name, 'fitted', keys => '{}', value => left(name, 1)) from unnest('{b[k],v[k],"w[k,c]"}'::text[]) name;

-- linear regression is a statement
select pg_temp.agree('coefficients of ln(seeds) and those that made them', max(abs(c - (array[0.5, 0.8, -0.4])[k]))) from
	unnest(einsum_value('w = solve(t(x) %*% x, t(x) %*% ln(seeds))')::float8[]) with ordinality as w(c, k);

-- a generalised linear model: Poisson regression by Newton's method
select max(round) as rounds from einsum_iterate('glm', null,
	'mu = exp(x %*% b); d = solve(t(x) %*% (x * mu), t(x) %*% (seeds - mu)); b = b + d; moved = sum(abs(d))',
	until => 'moved < 1e-13', max_rounds => 100, assign => '{b}');
select pg_temp.agree('coefficients of the Poisson regression and those', max(abs(c - (array[0.5, 0.8, -0.4])[k]))) from
	unnest(einsum_value('r[k] = b[k]')::float8[]) with ordinality as w(c, k);

-- a support vector machine with the squared hinge
select einsum_gradient('loss = sum(relu(1 - side * (x %*% v))^2) / 60 + 0.001 * sum(v^2)', 'loss', '{v}') as gradient \gset
select max(round) as rounds from einsum_iterate('svm', null, :'gradient' || 'v = v - 0.1 * d_v; steep = sum(d_v^2)',
	until => 'steep < 1e-8', max_rounds => 5000, assign => '{v}');
select pg_temp.holds('all flowers are on their side', einsum_value('wrong = sum(side * (x %*% v) <= 0)')::float8 = 0);

-- multinomial logistic regression
select einsum_gradient('e = exp(x %*% w); p = e / rowSums(e); loss = -sum(y * ln(p)) / 60 + 0.0001 * sum(w^2)', 'loss', '{w}') as gradient \gset
select max(round) as rounds, min(value) as loss from einsum_iterate('mlr', null, :'gradient' || 'w = w - 1 * d_w',
	until => 'loss < 0.05', max_rounds => 5000, assign => '{w}');
select pg_temp.holds('all kinds are told', einsum_value('s = x %*% w; wrong = sum((s == rowMaxs(s)) <> y)')::float8 = 0);

-- Poisson factorisation of counts (PNMF): what is not 0 is all that is read of them
create table word (document int, term int, count float8 not null, primary key (document, term));
insert into word select d, t, (d % 2)*(t % 3) + (d % 3)*(t % 2) from generate_series(0, 29) d, generate_series(0, 19) t where (d % 2)*(t % 3) + (d % 3)*(t % 2) > 0;
create table guess (p tensor not null, q tensor not null);
insert into guess select (select array_agg(array[1 + i % 7, 2 + i % 5]::float8[] order by i) from generate_series(0, 29) i)::tensor,
	(select array[array_agg((1 + i % 4)::float8 order by i), array_agg((3 + i % 3)::float8 order by i)] from generate_series(0, 19) i)::tensor;
select einsum_register('n[I,J]', 'word', keys => '{document,term}', value => 'count', bounds => '{30,20}');
select einsum_register('p0[i,f]', 'guess', keys => '{}', value => 'p'), einsum_register('q0[f,j]', 'guess', keys => '{}', value => 'q');
select max(round) as rounds from einsum_iterate('pnmf',
	init => 'doc = p0 * 0.1; topic = q0 * 0.1',
	step => 'terms = topic * (t(doc) %*% (n / (doc %*% topic))) / t(colSums(doc));
		docs  = doc * ((n / (doc %*% terms)) %*% t(terms)) / t(rowSums(terms));
		far   = sum(docs %*% terms) - sum(n * ln(docs %*% terms));
		moved = sum(abs(docs - doc)) / sum(doc);
		topic = terms;
		doc   = docs',
	until => 'moved < 1e-5', max_rounds => 5000);
select pg_temp.holds('two topics tell all counts', einsum_value('worst = max(abs(n - doc %*% topic))')::float8 < 0.1);

drop schema learning cascade;
