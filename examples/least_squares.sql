-- Least squares over a table, in one statement.
--
--   psql -f examples/least_squares.sql
--
-- Forbes' measurements of 1857: the boiling point of water (degrees
-- Fahrenheit) and the pressure of the air (inches of mercury) at 17 places in
-- the Alps and in Scotland. The logarithm of the pressure is linear in the
-- boiling point, so that a thermometer tells how high a mountain is. (J. D.
-- Forbes, "Further experiments and remarks on the measurement of heights by the
-- boiling point of water", Transactions of the Royal Society of Edinburgh 21.)

\set ON_ERROR_STOP on
set client_min_messages = warning;
create extension if not exists sparseeinsum;
drop schema if exists least_squares cascade;
create schema least_squares;
-- the schema of the extension is somewhere behind it
select set_config('search_path', 'least_squares, ' || current_setting('search_path'), false) \g /dev/null
\ir check.sql

create table forbes (boiling float8 not null, pressure float8 not null);
insert into forbes values
	(194.5, 20.79), (194.3, 20.79), (197.9, 22.40), (198.4, 22.67), (199.4, 23.15), (199.9, 23.35),
	(200.9, 23.89), (201.1, 23.99), (201.4, 24.02), (201.3, 24.01), (203.6, 25.14), (204.6, 26.57),
	(209.5, 28.49), (208.6, 27.76), (210.7, 29.04), (211.9, 29.88), (212.2, 30.06);

-- The whole design matrix in one value: the rows (1, boiling), stacked.
\echo 'Coefficients of log10(pressure) = c0 + c1 * boiling, by the design matrix:'
select mat_lstsq(
		array_agg(array[1, boiling])::tensor,
		array_agg(log(pressure))::tensor) as coefficients
from forbes;

-- For a table of any length: the normal equations, summed over the rows, take a
-- matrix of 2 x 2 whatever the number of rows, in parallel too.
\echo 'The same by normal equations, one row at a time:'
select mat_solve(
		einsum_sum('i,j->ij', x, x),
		einsum_sum('i,->i', x, log(pressure))) as coefficients
from (select array[1, boiling]::tensor as x, pressure from forbes) observation;

\pset tuples_only on
with fit as (
	select mat_lstsq(array_agg(array[1, boiling])::tensor, array_agg(log(pressure))::tensor) as c,
		regr_slope(log(pressure), boiling) as slope, regr_intercept(log(pressure), boiling) as intercept
	from forbes),
normal as (
	select mat_solve(einsum_sum('i,j->ij', x, x), einsum_sum('i,->i', x, y)) as c
	from (select array[1, boiling]::tensor as x, log(pressure) as y from forbes) observation)
select pg_temp.agree('mat_lstsq and regr_slope, regr_intercept',
		greatest(abs(fit.c[0]::float8 - intercept), abs(fit.c[1]::float8 - slope))),
	pg_temp.agree('normal equations and mat_lstsq', mat_norm(fit.c - normal.c, 'max'))
from fit, normal;

-- What the thermometer says of the place where water boils at 205 degrees,
-- with the line and with a parabola, fitted by the same statement.
select pg_temp.holds('at 205 degrees the pressure is about 26 inches by line and parabola',
	pow(10, inner_prod(line, '[1,205]')) between 25.8 and 26.2
	and pow(10, inner_prod(parabola, '[1,5,25]')) between 25.8 and 26.2)
from (select mat_lstsq(array_agg(array[1, boiling])::tensor, array_agg(log(pressure))::tensor) as line,
		mat_lstsq(array_agg(array[1, boiling - 200, (boiling - 200) ^ 2])::tensor, array_agg(log(pressure))::tensor) as parabola
	from forbes) fits;
