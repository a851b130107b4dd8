-- In the rounds of a loop labels of a dimension may be inside of values: its keys are numbered in the one snapshot of the function, and
-- states and the procedure have keys.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA places;
SET search_path = places, public;
CREATE TABLE customer (id text PRIMARY KEY, place int UNIQUE, a float8, b float8, stayed boolean);
INSERT INTO customer SELECT 'c' || i * 37 % 1009, i * 17 % 1013, i % 50, nullif(i * 3 % 11, 5), i * 13 % 29 > 14 FROM generate_series(0, 999) i;
ALTER TABLE customer ALTER place SET NOT NULL;
CREATE TABLE first (cluster int PRIMARY KEY, a float8 NOT NULL, b float8 NOT NULL);
INSERT INTO first VALUES (0, 5, 2), (1, 40, 9), (2, 25, 4);
SELECT einsum_dimension('customer', 'customer', 'id'), einsum_register('x[C,k]', 'customer', '{id}', '{a,b,1}', '{customer,3}'),
	einsum_register('f[C,k]', 'customer', '{id}', '{a,b}', '{customer,2}'), einsum_register('stayed[C,m]', 'customer', '{id}', '{stayed,1}', '{customer,2}'),
	einsum_register('first[G,k]', 'first', '{cluster}', '{a,b}', '{3,2}');
ANALYZE;
CREATE FUNCTION places(step text, init text) RETURNS SETOF text LANGUAGE sql AS $$SELECT DISTINCT (regexp_match(line, '^ {4}(\w+: .*, repartitioned to \[[^]]*\]).*, before the first round'))[1] FROM einsum_plan(step, iterate => true, init => init) AS line
	WHERE line ~ '^ {4}\w+: table .*repartitioned.*before the first round'$$;
\set first 'centre[g,k] = first[g,k]'
\set clusters 'fs[c,k] = f[c,k]; one[c] = x[c,2]; far[c,g] = sum[k] (fs[c,k] - centre[g,k])^2; near[c] = min[g] far[c,g]; inside[c,g] = one[c]*(far[c,g] == near[c]); size[g] = sum[c] inside[c,g]; mean[g,k] = if(size[g] == 0, centre[g,k], (sum[c] inside[c,g]*fs[c,k]) / greatest(size[g], 1)); centre[g,k] = mean[g,k]'
\set zero 'w[k] = 0*(sum[c] x[c,k])'
\set logistic 'xs[c,k] = stayed[c,1]*x[c,k]; y[c] = stayed[c,0]; p[c] = sigmoid(sum[k] xs[c,k]*w[k]); d[k] = solve(sum[c] p[c]*(1 - p[c])*xs[c,k]*xs[c,l], sum[c] (y[c] - p[c])*xs[c,l]); w[k] = w[k] + d[k]'
SELECT * FROM places(:'clusters', :'first');
-- numbering the keys of a state in each round costs more than it saves
SELECT line FROM einsum_plan('u[k] = sum[c] x[c,k]*v[c]; s[k] = sum[c] f[c,0]*x[c,k]*v[c]; v[c] = v[c]/2 + 1e-9*(sum[k] x[c,k]*u[k]*s[k])', iterate => true, init => 'v[c] = x[c,0]') AS line
	WHERE line ~ '^ {4}v: .*repartitioned';

-- the function's results are those of the procedure
SELECT count(*) FROM einsum_iterate('clusters', :'first', :'clusters', max_rounds => 12);
SELECT count(*) FROM einsum_iterate('weights', :'zero', :'logistic', max_rounds => 5);
CREATE TABLE of_function AS SELECT g, k, value FROM centre UNION ALL SELECT -1, k, value FROM w;
CREATE VIEW now AS SELECT g, k, value FROM centre UNION ALL SELECT -1, k, value FROM w;
CREATE FUNCTION same() RETURNS text LANGUAGE plpgsql AS $$BEGIN
	RETURN (SELECT format('%s %s', count(*), max(abs(f.value - p.value)) < 1e-9) FROM places.of_function f JOIN places.now p USING (g, k)); END$$;
CALL einsum_iterate('clusters', init => :'first', step => :'clusters', commit_every => 1, max_rounds => 12, restart => true);
CALL einsum_iterate('weights', init => :'zero', step => :'logistic', commit_every => 1, max_rounds => 5, restart => true);
SELECT same();
-- in blocks
SET sparseeinsum.max_kernel_bytes = '4kB';
SET sparseeinsum.cost_tuple = 100;
SELECT * FROM places(:'clusters', :'first');
SELECT count(*) > 0 AS any FROM places(:'logistic', :'zero');
SELECT count(*) FROM einsum_iterate('clusters', :'first', :'clusters', max_rounds => 12, restart => true);
SELECT count(*) FROM einsum_iterate('weights', :'zero', :'logistic', max_rounds => 5, restart => true);
SELECT same();
RESET sparseeinsum.max_kernel_bytes;
RESET sparseeinsum.cost_tuple;

-- states have keys, however dear rows are; keys that come between two calls
SET sparseeinsum.cost_tuple = 1000;
\set halves 'u[c] = v[c] + x[c,2]; v[c] = u[c] / 2; n[c] = n[c] + 1'
\set start 'v[c] = x[c,0]; n[c] = 0*customer[c]'
SELECT count(*) FROM einsum_iterate('halves', :'start', :'halves', max_rounds => 3);
SELECT count(*), sum(abs(v.value - (a + CASE WHEN b IS NULL THEN 0 ELSE 7 END) / 8)) < 1e-9 AS right FROM customer LEFT JOIN v ON v.c = id WHERE b IS NOT NULL;
INSERT INTO customer VALUES ('a', 2000, 8, 1, true), ('zz', 2001, 16, 1, true);
SELECT count(*) FROM einsum_iterate('halves', :'start', :'halves', max_rounds => 1);
SELECT c, value FROM v WHERE c IN ('a', 'zz') ORDER BY c;
SELECT count(*), count(DISTINCT value), max(value) FROM n;
SELECT einsum_iterate_value(:'start', :'halves', 's[] = sum[c] v[c]', max_rounds => 3)::float8;
SELECT count(*), round(sum(r.value)::numeric, 6) FROM einsum_iterate_rows(:'start', :'halves', 's[C] = v[c]', max_rounds => 3) AS r(c text, value float8);
RESET sparseeinsum.cost_tuple;

-- a trigger adds keys between two commits: what the procedure has kept is of its beginning
CREATE TABLE level (k int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO level VALUES (0, 1), (1, 1), (2, 1);
SELECT einsum_register('level[K]', 'level', '{k}', 'v', '{3}');
CREATE FUNCTION add_customer() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO places.customer SELECT 'b' || n, 3000 + n, 1, 1, true FROM (SELECT count(*) AS n FROM places.customer) c; RETURN NULL; END$$;
CREATE TRIGGER added AFTER UPDATE ON level FOR EACH STATEMENT EXECUTE FUNCTION add_customer();
\set levels 'z[c,k] = f[c,0]*x[c,k]; e[c] = sum[k] z[c,k]*level[k]; q[c] = q[c]/2 + 1e-6*e[c]; level[k] = level[k] + 1e-6*(sum[c] q[c]*x[c,k])'
SET sparseeinsum.cost_tuple = 100;
ALTER TABLE level DISABLE TRIGGER added;
SELECT count(*) FROM einsum_iterate('levels', 'q[c] = x[c,0]', :'levels', assign => '{level}', max_rounds => 3);
CREATE TABLE level_without AS SELECT * FROM level;
UPDATE level SET v = 1;
ALTER TABLE level ENABLE TRIGGER added;
CALL einsum_iterate('levels', init => 'q[c] = x[c,0]', assign => '{level}', step => :'levels', commit_every => 1, max_rounds => 3, restart => true);
RESET sparseeinsum.cost_tuple;
SELECT count(*) FROM customer;
SELECT count(*), max(abs(a.v - b.v)) < 1e-9 AS same FROM level a JOIN level_without b USING (k);

-- positions, and no keys
SELECT einsum_dimension('customer', 'customer', 'id', 'place');
SELECT count(*) FROM einsum_iterate('clusters', :'first', :'clusters', max_rounds => 12, restart => true);
CREATE TEMP TABLE by_keys AS SELECT g, k, value FROM centre;
CALL einsum_iterate('clusters', init => :'first', step => :'clusters', commit_every => 1, max_rounds => 12, restart => true);
SELECT count(*), max(abs(p.value - k.value)) < 1e-9 AS same FROM by_keys k JOIN centre p USING (g, k);
BEGIN;
DELETE FROM customer;
SELECT count(*) FROM einsum_iterate('none', 'none[k] = 1 + 0*(sum[c] x[c,k])', 'e[c] = exp(sum[k] x[c,k]*none[k]); none[k] = none[k] + sum[c] e[c]*x[c,k]', max_rounds => 2);
SELECT einsum_value('r[k] = none[k]');
ROLLBACK;
-- states at the ends of the types of their tables' columns
\set VERBOSITY default
CREATE TABLE day (t smallint PRIMARY KEY, v float8 NOT NULL);
INSERT INTO day VALUES (32766, 3), (32767, 4);
SELECT einsum_register('day[T]', 'day', '{t}', 'v', '{*}');
SELECT count(*) FROM einsum_iterate('fits', init => NULL, step => 'day[t] = day[t+1]', assign => '{day}', max_rounds => 1);
SELECT count(*) FROM einsum_iterate('fits', init => NULL, step => 'day[t] = 0.5*day[t-1]', assign => '{day}', max_rounds => 3);
SELECT count(*) FROM einsum_iterate('kept', init => 's[t] = 8*day[t]', step => 's[t] = 2*s[t]', max_rounds => 1);
SELECT count(*) FROM einsum_iterate('kept', init => 's[t] = 8*day[t]', step => 's[t] = 0.5*s[t-2]', max_rounds => 1);
SELECT * FROM s ORDER BY t;
CREATE TABLE both_ends (t smallint PRIMARY KEY, v smallint NOT NULL);
INSERT INTO both_ends VALUES (1, 300);
SELECT einsum_register('both_ends[T]', 'both_ends', '{t}', 'v', '{*}');
SELECT count(*) FROM einsum_iterate('fits', init => NULL, step => 'both_ends[t] = 300*both_ends[t-1]', assign => '{both_ends}', max_rounds => 1);
CREATE TABLE narrow (i int PRIMARY KEY, small smallint, large bigint, fixed numeric(4,1));
INSERT INTO narrow VALUES (0, 300, 5, 30), (3, 4, 7, 2);
SELECT einsum_register(column_name || '[I]', 'narrow', '{i}', column_name::text, '{4}') FROM unnest('{small,large,fixed}'::name[]) AS column_name;
CREATE FUNCTION grow(tensor text, by text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM einsum_iterate('grows', init => NULL, step => format('%1$s[i] = float8(%1$s[i])*%2$s', tensor, by), assign => ARRAY[tensor], max_rounds => 1)$$;
SELECT grow('small', '109.225');
SELECT grow('small', '109.224');
SELECT grow('small', '-1.0001');
SELECT grow('large', '1e18');
SELECT grow('large', '2');
SELECT grow('fixed', '33.33');
SELECT grow('fixed', '1.00005');
SELECT grow('fixed', '1.0000501');
SELECT * FROM narrow ORDER BY i;
DROP SCHEMA places CASCADE;
