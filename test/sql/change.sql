-- How the results of a program change with what it reads: einsum_change. That it is right is for test/random/changes.py.
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA change_test;
SET search_path = change_test, public;
CREATE TABLE a (i int, j int, v float8, PRIMARY KEY (i, j));
CREATE TABLE b (j int, k int, v float8, PRIMARY KEY (j, k));
CREATE TABLE x (j int PRIMARY KEY, v float8);
CREATE TABLE z (i int PRIMARY KEY, v float8);
CREATE TABLE open (i bigint PRIMARY KEY, v float8);
CREATE TABLE d (i int, j int, v float8, PRIMARY KEY (i, j));
CREATE TABLE m (i int, j int, PRIMARY KEY (i, j));
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{4,5}');
SELECT einsum_register('b[J,K]', 'b', '{j,k}', 'v', '{5,3}');
SELECT einsum_register('x[J]', 'x', '{j}', 'v', '{5}');
SELECT einsum_register('z[I]', 'z', '{i}', 'v', '{4}');
SELECT einsum_register('open[I]', 'open', '{i}', 'v', '{*}');
SELECT einsum_register('d[I,J]', 'd', '{i,j}', 'v', '{4,5}', fill => 'infinity');
SELECT einsum_register('m[I,J]', 'm', '{i,j}', NULL, '{4,5}');

-- sums of products: a term for each factor that changes, new states before it and old ones behind
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[i] = a[i,j]*x[j]', '{a}');
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[i,k] = a[i,j]*x[j]*b[j,k]', '{a,x,b}');
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[i] = a[i,j]*(x[j] + 2)^2', '{a,x}');
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[] = sum[i] ((sum[j] a[i,j]*x[j]) - z[i])^2', '{x,z}');
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[i,k] = (a[i,j] + m[i,j])*b[j,k]', '{a,m}');
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[] = a[i,j]*a[j2,j]*z[i]*z[j2]', '{a}');
-- powers have the change of their base once, however deep they are nested; what gets much larger than the statement is no change
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[j] = x[j]^3', '{x}');
SELECT n, kind, length(change) < 1000 * n AS short, why FROM generate_series(50, 200, 150) n, sparseeinsum_internal.einsum_change(format('y[j] = %sx[j]%s', repeat('(', n), repeat(')^2', n)), '{x}');
SELECT n, kind, length(change) < 1000 * n AS short, why FROM generate_series(10, 30, 10) n, sparseeinsum_internal.einsum_change(format('y[j] = %sx[j]%s', repeat('(', n), repeat(')^4', n)), '{x}');
-- of long programs each statement is looked at once
SELECT kind, count(*), max(length(change)) < 100 AS short FROM sparseeinsum_internal.einsum_change('t0[j] = x[j]; u0[i] = z[i]' || (SELECT string_agg(format('; t%s[j] = 2*t%s[j]; u%s[i] = u%s[i] + 1', n, n - 1, n, n - 1), '' ORDER BY n) FROM generate_series(1, 2000) n), '{x}') GROUP BY kind;
-- of many factors that change a term for each, with old states
SELECT change FROM sparseeinsum_internal.einsum_change('y[i] = a[i,j]*x[j]*m[i,j]*z[i]*(x[j] + 1)', '{a,x,m,z}');
-- a sum repeats what changes
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[i] = sum[j] (a[i,j] - z[i])/2', '{a,z}');
SELECT kind, change, why FROM sparseeinsum_internal.einsum_change('y[] = sum[i,i2] open[i]*open[i2]', '{open}');
-- shifted and constant indices
SELECT change, why FROM sparseeinsum_internal.einsum_change('y[j] = x[j-1]*a[1,j]', '{a,x}');
-- a result that others read
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = a[i,j]*x[j]; w[] = sum[i] y[i]*y[i]; e[i] = exp(y[i])*z[i]; same[i] = z[i]', '{x}', suffix => '_d');
-- a term that lacks a label of the result changes all along it
SELECT * FROM sparseeinsum_internal.einsum_change('y[i,j] = z[i] + x[j]; w[i,j] = y[i,j]*a[i,j]; s[] = sum[i,j] w[i,j]', '{x}');
-- extremes, if all changes go their way
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = min[j] (d[i,j] + x[j]); u[] = min[i] y[i]; v[i] = least(y[i], z[i]); w[] = sum[i] v[i]', lowered => '{d,x}');
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = min[j] (d[i,j] + x[j])', raised => '{x}');
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = min[j] (d[i,j] - x[j])', raised => '{x}');
SELECT kind, change FROM sparseeinsum_internal.einsum_change('y[i] = max[j] a[i,j]; q[i] = max[j] a[i,j]*x[j]; r[i] = max[j] a[i,j]*m[i,j]; k[i] = any[j] a[i,j]', raised => '{a}');
SELECT kind, change FROM sparseeinsum_internal.einsum_change('y[i] = max[j] relu(a[i,j])*m[i,j]; t[i] = any[j] relu(a[i,j]); n[i] = min[j] -a[i,j]', raised => '{a}');
SELECT kind, change FROM sparseeinsum_internal.einsum_change('y[i] = max[j] a[i,j]; f[i] = all[j] relu(a[i,j]); g[i] = all[j] a[i,j]; n[i] = max[j] -a[i,j]', lowered => '{a}');
-- other functions: where the result may differ
SELECT kind, change, why FROM sparseeinsum_internal.einsum_change('y[i] = prod[j] a[i,j]; q[i,k] = a[i,j]/x[j]*b[j,k]; t[i] = argmax[j] a[i,j]; s[i,j] = softmax[j] a[i,j]; r[i] = relu(sum[j] a[i,j]*x[j])*z[i]', '{a}');
SELECT kind, change, why FROM sparseeinsum_internal.einsum_change('y[i] = relu(sum[j] a[i,j]*x[j])*z[i]', '{a,z}');
SELECT kind, change, why FROM sparseeinsum_internal.einsum_change('g[j,i,i2] = inverse(a[i,j]*a[i2,j]*x[j]); h[i,i2] = inverse(sum[j] a[i,j]*a[i2,j])', '{a}');
SELECT kind, change, why FROM sparseeinsum_internal.einsum_change('y[i] = avg[j] a[i,j]; r[i] = relu(y[i]); n[] = sum[i] y[i]', at_keys => '{a}');
-- fills that are infinite
SELECT kind, change, why FROM sparseeinsum_internal.einsum_change('y[i,j] = d[i,j]; w[i] = sum[j] m[i,j]*d[i,j]', '{d}');

-- mistakes
\set VERBOSITY terse
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = z[i]', '{a}');
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = z[i]', '{y}');
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = z[i]', '{z}', '{z}');
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = z[i]; z_change[i] = 2*z[i]', '{z}');
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = z[i]', '{z}', suffix => repeat('s', 70));
SELECT * FROM sparseeinsum_internal.einsum_change('y[i] = nothing[i]', '{z}');
SELECT count(*) FROM sparseeinsum_internal.einsum_change(NULL, '{z}');
SET client_min_messages = warning;
DROP SCHEMA change_test CASCADE;
