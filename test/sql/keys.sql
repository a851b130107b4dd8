--
-- einsum_plan(format => 'forms'): which expressions are equal, whoever wrote them
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA keys_test;
SET search_path = keys_test, public;
CREATE TABLE m (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
CREATE TABLE n (i int PRIMARY KEY, v float8 NOT NULL);
CREATE TABLE r (i int PRIMARY KEY, v real NOT NULL);
CREATE TABLE more (i int, v float8 NOT NULL);
CREATE TABLE c (i int PRIMARY KEY, v tensor(complex8,0) NOT NULL);
SELECT count(*) FROM (SELECT einsum_register(name || '[I,J]', 'm', '{i,j}', 'v', '{3,3}') FROM unnest('{a,b}'::text[]) name
	UNION ALL SELECT einsum_register(name || '[I]', 'n', '{i}', 'v', '{3}') FROM unnest('{x,y,z}'::text[]) name
	UNION ALL SELECT einsum_register('"sum"[I]', 'n', '{i}', 'v', '{3}')
	UNION ALL SELECT einsum_register('f[I]', 'r', '{i}', 'v', '{3}')
	UNION ALL SELECT einsum_register('w[I]', 'c', '{i}', 'v', '{3}')
	UNION ALL SELECT einsum_register('wide[I,J]', 'm', '{i,j}', 'v', '{3,4}')
	UNION ALL SELECT einsum_register('d[I]', 'n', '{i}', 'v', '{3}', fill => 'Infinity')
	UNION ALL SELECT einsum_register('one[I]', 'n', '{i}', 'v', '{3}', fill => 1)
	UNION ALL SELECT einsum_register('add[I]', 'more', '{i}', 'v', '{3}', duplicates => 'sum')
	UNION ALL SELECT einsum_register('open[I]', 'n', '{i}', 'v', '{*}')) s;

-- programs and their forms
CREATE FUNCTION forms(program text, rewrite text DEFAULT 'distribute') RETURNS TABLE (form text) LANGUAGE sql AS
	$$ SELECT einsum_plan(program, format => 'forms', rewrite => rewrite, result => 'auto') $$;

-- order and association, of factors and of terms
SELECT * FROM forms('p[i] = x[i]*y[i]; q[k] = y[k]*x[k]');
SELECT * FROM forms('p[i] = sum[j] a[i,j]*(b[i,j]*x[j]); q[k] = sum[j] (a[k,j]*b[k,j])*x[j]; r[i] = sum[j] (x[j]*b[i,j])*a[i,j]');
SELECT * FROM forms('p[i] = x[i] + (y[i] + z[i]); q[i] = (z[i] + x[i]) + y[i]; r[i] = z[i] - (-x[i] - y[i])');
-- distribution, also past sums
SELECT * FROM forms('p[i] = x[i]*(y[i] + z[i]); q[i] = x[i]*y[i] + x[i]*z[i]');
SELECT * FROM forms('p[i] = x[i]*(sum[j] a[i,j]*y[j]); q[i] = sum[j] a[i,j]*(x[i]*y[j]); r[i] = sum[j] (a[i,j]*x[i] + 0)*y[j]');
SELECT * FROM forms('p[i] = sum[j] (a[i,j] + x[i]); q[i] = 3*x[i] + (sum[k] a[i,k])');
SELECT * FROM forms('p[] = sum[i,j] x[i]*y[j]; q[] = (sum[i] y[i])*(sum[j] x[j])');
-- powers
SELECT * FROM forms('p[i] = x[i]^3; q[i] = x[i]*x[i]*x[i]; r[i] = x[i]^2*x[i]; s[i] = x[i]^2');
SELECT * FROM forms('p[] = sum[i,j] (a[i,j] - x[i]*y[j])^2; q[] = (sum[i,j] a[i,j]^2) - 2*(sum[i,j] a[i,j]*x[i]*y[j]) + (sum[i] x[i]^2)*(sum[j] y[j]^2)');
SELECT * FROM forms('p[] = (sum[i] x[i])^2; q[] = sum[i,j] x[i]*x[j]; r[] = sum[i] x[i]^2');
SELECT * FROM forms('p[i] = x[i]^0.5; q[i] = x[i]^-1; r[i] = 1/x[i]; s[i] = x[i]^x[i]');
-- like terms
SELECT * FROM forms('p[i] = x[i] + x[i]; q[i] = 2*x[i]; r[i] = x[i]; s[i] = 3*x[i] - y[i]*0 - x[i]*2');
SELECT * FROM forms('p[i] = (x[i] + y[i])*(x[i] - y[i]); q[i] = x[i]^2 - y[i]^2; zero[i] = p[i] - q[i]; less[i,j] = x[i] + 0*y[j]');
SELECT * FROM forms('p[i] = -x[i]/4; q[i] = x[i]*-0.25; r[i] = 2i*x[i]; s[i] = 1i*(x[i] + x[i])');

-- names of summed labels, and their order: cliques, cycles, stars
SELECT * FROM forms('p[] = sum[i,j,k] a[i,j]*a[j,k]*a[k,i]; q[] = sum[u,v,w] a[w,u]*a[v,w]*a[u,v]; r[] = sum[i,j,k] a[i,j]*a[j,k]*a[i,k]');
SELECT * FROM forms('p[] = sum[i,j,k,l] a[i,j]*a[j,k]*a[k,l]*a[l,i]; q[] = sum[i,j,k,l] a[k,l]*a[i,j]*a[l,i]*a[j,k]; r[] = sum[i,j,k,l] a[i,j]*a[j,i]*a[k,l]*a[l,k]; s[] = sum[i,j,k,l] a[i,j]*a[k,j]*a[k,l]*a[i,l]');
SELECT * FROM forms('p[i] = sum[j,k] a[i,j]*a[i,k]*x[j]*y[k]; q[i] = sum[j,k] a[i,k]*a[i,j]*y[j]*x[k]; r[i] = sum[j,k] a[i,j]*a[i,k]*x[j]*y[j]');
-- all labels look alike to each other: two triangles and one cycle of six
SELECT * FROM forms('p[] = sum[i,j,k,l,m,n] a[i,j]*a[j,k]*a[k,i]*a[l,m]*a[m,n]*a[n,l]; q[] = sum[i,j,k,l,m,n] a[i,j]*a[j,k]*a[k,l]*a[l,m]*a[m,n]*a[n,i]; r[] = sum[i,j,k,l,m,n] a[n,i]*a[m,l]*a[l,k]*a[k,j]*a[j,i]*a[m,n]; s[] = sum[i,j,k,l,m,n] a[m,i]*a[l,m]*a[j,l]*a[n,j]*a[i,k]*a[k,n]; t[] = (sum[i,j,k] a[i,j]*a[j,k]*a[k,i])^2');
-- the same where the labels are free, and the graphs have no direction
SELECT * FROM forms('p[] = sum[i,j,k,l,m,n] abs(x[i]-x[j])*abs(x[j]-x[k])*abs(x[k]-x[i])*abs(x[l]-x[m])*abs(x[m]-x[n])*abs(x[n]-x[l]); q[] = sum[i,j,k,l,m,n] exp(x[i]*x[j])*exp(x[j]*x[k])*exp(x[k]*x[l])*exp(x[m]*x[l])*exp(x[n]*x[m])*exp(x[i]*x[n]); r[] = sum[i,j,k,l,m,n] exp(x[j]*x[i])*exp(x[l]*x[m])*exp(x[k]*x[n])*exp(x[l]*x[k])*exp(x[n]*x[j])*exp(x[i]*x[m]); s[] = (sum[i,j,k] exp(x[i]*x[j])*exp(x[j]*x[k])*exp(x[k]*x[i]))^2');
-- what is symmetric in its labels
SELECT * FROM forms('p[i,j] = exp(x[i]*x[j])*y[i]; q[i,j] = y[j]*exp(x[j]*x[i]); r[i,j] = exp(x[i]*x[j])*y[i]*z[j]; s[i,j] = y[j]*z[i]*exp(x[i]*x[j])');
SELECT * FROM forms('p[i,j,k] = greatest(x[i]*x[j], x[j]*x[k]); q[i,j,k] = greatest(x[k]*x[i], x[i]*x[j]); r[i,j,k] = x[i]*eye[i,j]*eye[k,j]; s[i,j,k] = eye[k,j]*x[i]*eye[j,i]');
-- free labels: which are which is said
SELECT * FROM forms('p[i,j] = a[i,j]; q[i,j] = a[j,i]; r[i] = a[i,i]; s[k,l] = b[k,l]*a[l,k]; t[i,j] = a[i,j]*b[j,i]');
-- bounds: that of eye is the labels'
SELECT * FROM forms('p[i,j] = eye[i,j]*x[i]; q[i,j] = eye[j,i]*x[i]; r[] = sum[i,j] wide[i,j]; s[] = sum[i,j] (wide[i,j] + 0*a[i,i]); t[i] = sum[j] (x[i] + 0*wide[i,j]); u[i] = 4*x[i]');

-- functions of equal arguments, and what they are of more than one
SELECT * FROM forms('p[i] = exp(x[i] + y[i]); q[i] = exp(y[i] + x[i]); r[i] = exp(x[i])*exp(y[i]); s[i] = greatest(x[i], y[i]); t[i] = greatest(y[i], x[i]); u[i] = x[i] > y[i]; v[i] = y[i] < x[i]; w_[i] = y[i] > x[i]; k[i] = if(x[i], y[i], z[i]); l[i] = if(x[i], z[i], y[i])');
-- other aggregates
SELECT * FROM forms('p[] = max[i] (max[j] a[i,j]*x[j]); q[] = max[i,j] x[i]*a[j,i]; r[] = min[i,j] x[i]*a[j,i]; s[i] = max[j] (x[i] + 0*y[j]); t[i] = x[i]; u[i] = any[j] a[i,j]; v[j] = any[i] a[i,j]; w_[i] = prod[j] a[i,j]*2');
SELECT * FROM forms('p[i] = max[j] a[i,j] + x[i]; q[i] = x[i] + (max[k] a[i,k]); r[i] = max[j] (a[i,j] + x[i])');
-- quotients: 0 / 0 is 0, so that a numerator stays whole, but for a number
SELECT * FROM forms('p[i] = (x[i] + z[i])/y[i]; q[i] = x[i]/y[i] + z[i]/y[i]; r[i] = (z[i] + x[i])/y[i]');
SELECT * FROM forms('p[i] = x[i]*z[i]/y[i]; q[i] = (z[i]*x[i])/y[i]; r[i] = x[i]*(z[i]/y[i]); s[i] = 2*z[i]*x[i]/y[i]; t[i] = 2*(x[i]*z[i]/y[i]); u[i] = 0*x[i]/y[i]');
SELECT * FROM forms('p[i] = (sum[j] a[i,j])/x[i]; q[i] = sum[j] a[i,j]/x[i]; r[i] = x[i]/2/2; s[i] = x[i]/4; t[i] = x[i]/0');

-- statements are seen through, whatever their labels are called
SELECT * FROM forms('t[i,j] = x[i]*y[j]; p[k] = sum[l] t[k,l]*t[l,k]; q[j] = x[j]*y[j]*(sum[i] x[i]*y[i]); d1[k] = t[k,k]; d2[i] = x[i]*y[i]');
SELECT * FROM forms('t[i,j] = exp(x[i]*y[j]); p[k] = t[k,k]; q[k] = exp(y[k]*x[k]); u[i,j] = t[j,i]; v[i,j] = t[i,j] + t[j,i]');
SELECT * FROM forms('s[] = sum[i] x[i]; p[] = s[]*s[]; q[] = sum[i,j] x[i]*x[j]; r[] = sum[i] x[i]*s[]');
-- but for those with pins on their right
SELECT * FROM forms('t[i] = sum[J] a[i,J]*x[J]; p[i] = sum[j] a[i,j]*x[j]; q[k] = sum[J] a[k,J]*x[J]; r[i] = sum[J] x[J]*a[i,J]; s[i] = 2*t[i]; u[i] = t[i] + t[i]; v[i] = sum[j:2] a[i,j]*x[j]; w_[I] = sum[j] x[j]*a[i,j]');

-- element types are part of it; squares of differences stay where they are narrow
SELECT * FROM forms('p[i] = f[i]*2; q[i] = float8(f[i])*2; r[i] = f[i] + f[i]; s[i] = x[i] + f[i]; t[i] = f[i] + x[i]; u[i] = (x[i] > 0)*f[i]');
SELECT * FROM forms('p[i] = (f[i] - 1)^2; q[i] = f[i]^2 - 2*f[i] + 1; r[i] = (f[i] - 1)*(-1 + f[i]); s[i] = (w[i] - 1)^2; t[i] = (w[i] - 1)*w[i] - (w[i] - 1); u[i] = f[i]*(f[i] - 1); v[i] = f[i]^2 - f[i]');
-- fills that are infinite: neither multiplied out nor cancelled
SELECT * FROM forms('p[i] = x[i]*(d[i] + y[i]); q[i] = x[i]*d[i] + x[i]*y[i]; r[i] = d[i] - d[i]; s[i] = 0*d[i]; t[i] = 2*d[i] - d[i]; u[i] = d[i]; v[i] = d[i] + d[i]; w_[i] = 2*d[i]; k[i] = y[i]*x[i] + d[i]*x[i]; l[i] = (y[i] + d[i])*x[i]');
SELECT * FROM forms('p[i] = x[i]*(one[i] + y[i]); q[i] = x[i]*one[i] + x[i]*y[i]; r[i] = x[i]*(y[i] + 1e308*10); s[i] = (1e308*10 + y[i])*x[i]');
-- an additive tensor has no square of its own
SELECT * FROM forms('p[i] = add[i]*add[i]; q[i] = add[i]^2; r[i] = add[i] + add[i]; s[i] = 2*add[i]; t[i] = (add[i] + x[i])^2; u[i] = (add[i] + x[i])*(x[i] + add[i]); v[i] = exp(add[i])*exp(add[i]); w_[i] = exp(add[i])^2');
-- open labels
SELECT * FROM forms('p[] = sum[i] open[i]*2; q[] = (sum[k] open[k])*2');

-- limits: beyond them less is the same, and nothing is wrong
CREATE FUNCTION repeated(pattern text, n int, separator text) RETURNS text LANGUAGE sql AS
	$$ SELECT string_agg(replace(pattern, '#', k::text), separator ORDER BY k) FROM generate_series(1, n) k $$;
SELECT n, count(*) FROM generate_series(7, 10) n, forms('p[i] = ' || repeated('x[i]', n, '*') || '; q[i] = x[i]^2*(' || repeated('x[i]', n - 2, '*') || ')') GROUP BY n ORDER BY n;
SELECT n, count(*) FROM generate_series(63, 66) n, forms('p[i] = ' || repeated('exp(#*x[i])', n, '+') || '; q[i] = exp(3*x[i]) + (' || repeated('exp(#*x[i])', n, '+') || ') - exp(3*x[i])') GROUP BY n ORDER BY n;
SELECT length(form) FROM forms('y[i] = ' || repeated('x[i]', 2000, '+') || '; z[i] = 2000*x[i]');
SELECT count(*), max(length(form)) < 20000 AS short FROM forms('p[i] = ' || repeated('(x[i] + #*y[i] + z[i])', 10, '*'));
SELECT count(*) FROM forms('p[i] = ((((((((a[i,i] + 1)^2 + 1)^2 + 1)^2 + 1)^2 + 1)^2 + 1)^2 + 1)^2 + 1)^2; q[i] = ((((((((1 + a[i,i])^2 + 1)^2 + 1)^2 + 1)^2 + 1)^2 + 1)^2 + 1)^2 + 1)^2');
SELECT count(*) FROM forms('s0[i] = x[i]; s1[i] = y[i]; ' || (SELECT string_agg(format('s%s[i] = s%s[i] + s%s[i]', k, k - 1, k - 2), '; ' ORDER BY k) FROM generate_series(2, 200) k));
-- eight that look alike: nothing is the same as them but themselves
SELECT count(*) FROM forms('p[i1,i2,i3,i4,i5,i6,i7] = x[i1]*x[i2]*x[i3]*x[i4]*x[i5]*x[i6]*x[i7]; q[i] = exp(p[i,i,i,i,i,i,i]); r[i] = exp(x[i]^7)');

-- what is aggregated more than once is a group too
SELECT * FROM forms('y[i] = (sum[j] exp(a[i,j])*x[j]) / (1 + (sum[k] x[k]*exp(a[i,k]))); z[i] = exp(sum[j] a[i,j]); u[k] = cos(sum[l] a[k,l]); v[i] = sin(sum[j] b[i,j])');

-- rewrite: as written, in any order, by all laws
SELECT level, form FROM unnest('{none,reassociate,distribute}'::text[]) level, forms('p[i] = x[i]*y[i]; q[k] = y[k]*x[k]; r[i] = x[i]*(y[i] + 1); s[i] = (1 + y[i])*x[i]; t[i] = x[i]*y[i] + x[i]; u[j] = y[j]*x[j]; v[i] = sum[j] (a[i,j] + b[i,j]); w_[i] = (sum[j] b[i,j]) + (sum[j] a[i,j])', level);

-- a form is a program that is in the same group; names are quoted
SELECT program, form, (SELECT count(*) FROM forms(program || '; ' || regexp_replace(form, '^p', 'again')) again WHERE again.form !~ '^#') AS groups FROM (VALUES
	('p[i] = sum[j] a[i,j]*(x[j] - 2*y[j])^2'), ('p[i] = (x[i] + y[i])/(sum[j] exp(x[j])) - 1'), ('p[i,k] = max[j] (a[i,j] + b[j,k])'), ('p[i] = -abs(x[i] - 2i*y[i])*3'),
	('p[i] = if(x[i] >= 1, x[i]^0.5, (sum[j] a[i,j])*(min[j] a[i,j])/4)'), ('p[i] = (sum[j] a[i,j])^2 - exp(sum[j] a[i,j]*x[j])'), ('p["I j"] = sum[j] a["I j",j]*2'), ('p[i] = keys_test."sum"[i] + "sum"[i]*(sum[k] "sum"[k])')) v(program), forms(program) form WHERE form !~ '^#';

-- nothing is planned: what has no plan has a form
SELECT * FROM forms('p[i] = open[i] + 1');
SELECT einsum_plan('p[i] = x[i]', format => 'forms', actual => true, result => 'auto');
SELECT einsum_plan('p[i] = x[i', format => 'forms', result => 'auto');

SET client_min_messages = warning;
DROP SCHEMA keys_test CASCADE;
