-- Loops that leave nothing, loops of the session alone, and what would keep one from being written.
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA iterate_unkept;
SET search_path = iterate_unkept, public;
CREATE TABLE page (src int, dst int, PRIMARY KEY (src, dst));
INSERT INTO page VALUES (0, 1), (0, 2), (1, 2), (2, 0), (3, 2);
SELECT einsum_register('l[I,J]', 'page', '{src,dst}', NULL, '{4,4}');

-- a value and rows: of a program of several statements, of the last state, of a state that rounds change in part, of a number
SELECT einsum_iterate_value('rank[i] = 0.25 + 0*(sum[j] l[i,j])', '
	new[j] = 0.15/4 + 0.85*(sum[i] l[i,j]*rank[i]/(sum[k] l[i,k])); diff[] = sum[i] abs(new[i] - rank[i]); rank[i] = new[i]',
	'most[] = max[i] rank[i]; r[i] = round(100*rank[i]/most[])', 'diff[] < 1e-9');
SELECT einsum_iterate_value('a[i] = l[0,i]; n[] = 0', 'a[j] = greatest(a[j], any[i] l[i,j]*a[i]); n[] = n[] + 1', max_rounds => 7);
SELECT einsum_iterate_value('a[i] = l[0,i]; n[] = 0', 'a[j] = greatest(a[j], any[i] l[i,j]*a[i]); n[] = n[] + 1', 'x[i] = a[i] + n[]', max_rounds => 7);
SET sparseeinsum.enable_state_changes = force;
SELECT * FROM einsum_iterate_rows('a[i] = l[0,i]', 'a[j] = greatest(a[j], any[i] l[i,j]*a[i])', 'x[J] = 2*a[j]', max_rounds => 7) AS x(j bigint, value numeric) ORDER BY j;
RESET sparseeinsum.enable_state_changes;
SELECT * FROM einsum_iterate_rows('n[] = 0', 'n[] = n[] + 1', until => 'n[] >= 5') AS n(value float8);
-- for each of several users
SELECT u, (SELECT einsum_iterate_value(format('f[i] = l[%s,i]', u), 'f[j] = greatest(f[j], any[i] l[i,j]*f[i])', max_rounds => 4)) FROM generate_series(0, 3) AS u;
BEGIN READ ONLY;
SELECT einsum_iterate_value('n[] = 0', 'n[] = n[] + 1', max_rounds => 3);
COMMIT;
SELECT einsum_iterate_value('n[] = 0', 'n[] = n[] + 1', until => 'n[] > 9', max_rounds => 3);
SELECT einsum_iterate_value('n[] = 0', 'n[] = n[] + 1', 'm[] = k[]', max_rounds => 3);
SELECT einsum_iterate_value(NULL, 'n[] = n[] + 1');
SELECT einsum_iterate_value('n[] = 1', 'n[] = n[] * 1e300', max_rounds => 3);
-- a mistake in what is asked of it is found before the second round, in which the state becomes infinite
SELECT einsum_iterate_value('n[] = 1', 'n[] = n[]*1e300', 'm[] = k[]', max_rounds => 3);
SELECT * FROM einsum_iterate_rows('n[] = 1', 'n[] = n[]*1e300', 'm[] = k[]', max_rounds => 3) AS n(value float8);
SELECT * FROM einsum_iterate_rows('n[] = 1', 'n[] = n[]*1e300', max_rounds => 3) AS n(i int, value float8);
SELECT * FROM einsum_iterate_rows('a[i] = 1 + l[0,i]', 'a[i] = a[i]*1e300', 'b[I] = a[i]', max_rounds => 3) AS b(i point, value float8);
SELECT einsum_iterate_rows('n[] = 0', 'n[] = n[] + 1', max_rounds => 3);
SELECT * FROM einsum_iterate_rows('n[] = 0', 'n[] = n[] + 1', max_rounds => 3) AS n(i int, value float8);
SELECT relname FROM pg_class WHERE relnamespace = 'iterate_unkept'::regnamespace AND relkind IN ('r', 'v') ORDER BY 1;
SELECT tensor, program FROM einsum_tensors;

-- of the session, which has no temporary table yet
SELECT count(*) FROM einsum_iterate('walk', 'n[] = 0; a[i] = l[0,i]', 'n[] = n[] + 1; a[j] = any[i] l[i,j]*a[i]', max_rounds => 3, schema => 'pg_temp');
SELECT count(*) FROM einsum_iterate('walk', 'n[] = 0; a[i] = l[0,i]', 'n[] = n[] + 1; a[j] = any[i] l[i,j]*a[i]', max_rounds => 2, schema => 'pg_temp');
SELECT n.value, relpersistence FROM n, pg_class WHERE oid = 'n'::regclass;
SELECT count(*) FROM einsum_decompose('y[i] = sum[j] l[i,j]*a[j]', 'prog', schema => 'pg_temp', materialize => 'always');
SELECT count(*) FROM einsum_decompose('y[i] = 2*(sum[j] l[i,j]*a[j])', 'prog', schema => 'pg_temp', materialize => 'always', replace => true);
SELECT tensor, how, why, changes, written FROM einsum_refresh('prog', 'pg_temp');
SELECT relpersistence FROM pg_class WHERE oid = 'y'::regclass;
SELECT schema ~ '^pg_temp' AS temporary, tensor, program FROM einsum_tensors ORDER BY tensor;
SELECT einsum_drop('prog', 'pg_temp'), einsum_drop('walk', 'pg_temp');

-- before the first round: the second one makes the state infinite
CREATE TABLE taken (i int);
CREATE TYPE mood AS ENUM ('good');
CREATE FUNCTION counted(state text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM einsum_iterate('counted', state || '[] = 1', state || '[] = ' || state || '[]*1e300', max_rounds => 3) $$;
SELECT counted('taken');
SELECT counted('mood');
CREATE TABLE given (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('given[I]', 'given', '{i}', 'v', '{4}');
CREATE FUNCTION grows(name text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM einsum_iterate('grows', NULL, format('%1$s[i] = %1$s[i]*1e300 + 1e9', name), assign => ARRAY[name], max_rounds => 3) $$;
CREATE ROLE iterate_unkept_reader;
GRANT USAGE ON SCHEMA iterate_unkept TO iterate_unkept_reader;
GRANT SELECT ON page, given TO iterate_unkept_reader;
SET ROLE iterate_unkept_reader;
SELECT counted('mine');
SELECT grows('given');
RESET ROLE;
-- writing updates, inserts and deletes, but where rows hold other values as well
GRANT UPDATE (v) ON given TO iterate_unkept_reader;
SET ROLE iterate_unkept_reader;
SELECT grows('given');
RESET ROLE;
GRANT INSERT (v), DELETE ON given TO iterate_unkept_reader;
SET ROLE iterate_unkept_reader;
SELECT grows('given');
RESET ROLE;
GRANT INSERT (i) ON given TO iterate_unkept_reader;
REVOKE DELETE ON given FROM iterate_unkept_reader;
SET ROLE iterate_unkept_reader;
SELECT grows('given');
RESET ROLE;
CREATE TABLE several (i int PRIMARY KEY, v float8, w float8, truth boolean);
SELECT einsum_register('several[I]', 'several', '{i}', 'v', '{4}'), einsum_register('weight[I]', 'several', '{i}', 'w', '{4}'), einsum_register('truth[I]', 'several', '{i}', 'truth', '{4}');
GRANT SELECT, INSERT (i, v), UPDATE (v) ON several TO iterate_unkept_reader;
SELECT grows('truth');
SET ROLE iterate_unkept_reader;
SELECT grows('several');
SELECT einsum_iterate_value('n[] = 0', 'n[] = n[] + (sum[i,j] l[i,j])', max_rounds => 3);
SELECT count(*) FROM einsum_iterate('temporary', 'n[] = 0', 'n[] = n[] + (sum[i,j] l[i,j])', max_rounds => 3, schema => 'pg_temp');
SELECT einsum_drop('temporary', 'pg_temp');
RESET ROLE;

-- names that hide a stored tensor: of the step, of init alone; not those of states
SELECT einsum_iterate_value('given[i] = l[0,i]; weight[i] = l[0,i]; n[i] = given[i]', 'l[] = 1; weight[i] = weight[i]; n[i] = n[i]', max_rounds => 1);

-- derivatives by a state that is in no table; one that the step defines as well is what the round begins with
SELECT einsum_gradient('e[i] = (sum[j] l[i,j]*w[j]) - 1; loss[] = sum[i] e[i]^2', 'loss', '{w}', init => 'w[j] = 0*(sum[i] l[i,j])') AS gradient \gset
\echo :gradient
SELECT einsum_iterate_value('w[j] = 0*(sum[i] l[i,j])', :'gradient' || 'w[j] = w[j] - 0.25*d_w[j]', 'r[j] = round(100*w[j])', max_rounds => 60);
SELECT einsum_gradient('e[i] = (sum[j] l[i,j]*w[j]) - 1; loss[] = sum[i] e[i]^2; w[j] = 2*w[j]', 'loss', '{w}', init => 'w[j] = 0*(sum[i] l[i,j])') = :'gradient' AS same;
SELECT einsum_gradient('loss[] = sum[j] w[j]^2', 'loss', '{w}');

SET client_min_messages = warning;
DROP SCHEMA iterate_unkept CASCADE;
DROP ROLE iterate_unkept_reader;
