-- States that become extremes of themselves: a round takes what the last one has changed for all of them.
\set VERBOSITY terse
CREATE SCHEMA iterate_frontier;
SET search_path = iterate_frontier, public;

-- a ring of 1,500 nodes with a few chords, some of them of negative length, and an island
CREATE TABLE edge (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j), CHECK (i >= 0 AND i < 1510), CHECK (j >= 0 AND j < 1510));
INSERT INTO edge SELECT n, (n + 1) % 1500, 1 + n % 3 FROM generate_series(0, 1499) AS n;
INSERT INTO edge SELECT 100*n, (100*n + 777) % 1500, 50 - 3*n FROM generate_series(0, 13) AS n;
INSERT INTO edge VALUES (1501, 1502, 1), (1502, 1501, 1), (3, 200, -5), (7, 200, -3);
CREATE TABLE node (i int PRIMARY KEY CHECK (i >= 0 AND i < 1510), source float8, number float8 NOT NULL);
INSERT INTO node SELECT n, CASE WHEN n IN (5, 900) THEN n % 7 END, n FROM generate_series(0, 1509) AS n;
ANALYZE edge; ANALYZE node;
SELECT einsum_register('w[I,J]', 'edge', '{i,j}', 'v', '{1510,1510}', fill => 'Infinity'), einsum_register('a[I,J]', 'edge', '{i,j}', NULL, '{1510,1510}'),
	einsum_register('z[I]', 'node', '{i}', 'source', '{1510}', fill => 'Infinity'), einsum_register('id[I]', 'node', '{i}', 'number', '{1510}');
-- by plain SQL: round after round, all nodes
CREATE FUNCTION distances() RETURNS TABLE (i int, value float8) LANGUAGE plpgsql AS $$
DECLARE
	d float8[] := (SELECT array_agg(coalesce(n.source, 'Infinity') ORDER BY n.i) FROM node AS n);
	before float8[];
BEGIN
	WHILE before IS DISTINCT FROM d LOOP
		before := d;
		d := (SELECT array_agg(least(before[n.i + 1], s.value) ORDER BY n.i)
			FROM node AS n LEFT JOIN (SELECT e.j, min(before[e.i + 1] + e.v) AS value FROM edge AS e GROUP BY e.j) AS s ON s.j = n.i);
	END LOOP;
	RETURN QUERY SELECT o::int - 1, v FROM unnest(d) WITH ORDINALITY AS u(v, o) WHERE v < 'Infinity';
END $$;
-- runs a loop with all of the state and with what has changed: rounds, and whether the results are the same
CREATE FUNCTION compare(init text, step text, until text, most int DEFAULT 2000, OUT rounds bigint, OUT same boolean, OUT frontiers bigint) LANGUAGE plpgsql AS $$
DECLARE
	one jsonb;
	other jsonb;
BEGIN
	SET LOCAL client_min_messages = error;
	SET LOCAL sparseeinsum.enable_state_changes = off;
	SELECT jsonb_agg(jsonb_build_array(value, entries)) INTO one FROM einsum_iterate('both', init, step, until, most, restart => true);
	SELECT jsonb_build_array(one, jsonb_agg(s ORDER BY s)) INTO one FROM x AS s;
	SET LOCAL sparseeinsum.enable_state_changes = force;
	SELECT jsonb_agg(jsonb_build_array(value, entries)) INTO other FROM einsum_iterate('both', init, step, until, most, restart => true);
	rounds := jsonb_array_length(other);
	SELECT jsonb_build_array(other, jsonb_agg(s ORDER BY s)) INTO other FROM x AS s;
	same := one = other;
	SELECT count(*) INTO frontiers FROM einsum_plan(step, iterate => true, init => init) AS p WHERE p ~ '^ +[a-z]*_changed(_\d)?\[';
	PERFORM einsum_drop('both');
	RESET sparseeinsum.enable_state_changes;
END $$;

-- ways to write shortest paths
SELECT * FROM compare('x[i] = z[i]', 'new[j] = least(x[j], min[i] (x[i] + w[i,j])); changed[] = sum[j] (new[j] <> x[j]); x[j] = new[j]', 'changed[] == 0', 40);
SELECT * FROM compare('x[i] = z[i]', 'near[j] = min[i] (x[i] + w[i,j]); more[] = any[j] (near[j] < x[j]); x[j] = least(near[j], x[j])', 'more[] == 0', 40);
SELECT * FROM compare('x[i] = z[i]', 'step[i,j] = x[i] + w[i,j]; more[] = any[j] (x[j] > (min[i] step[i,j])); x[j] = least(x[j], min[i] step[i,j])', 'more[] == 0', 40);
SELECT * FROM compare('x[i] = z[i]', 'same[] = all[j] (least(x[j], min[i] (x[i] + w[i,j])) == x[j]); x[j] = least(least(min[i] (x[i] + w[i,j]), x[j]), z[j])', 'same[] == 1', 40);
-- what is no better is not what changes
SELECT * FROM compare('x[i] = z[i]', 'near[j] = min[i] (x[i] + w[i,j]); worse[] = sum[j] (x[j] < near[j]); x[j] = least(near[j], x[j])', 'worse[] < 0', 20);
-- greatest, of what is negative
SELECT * FROM compare('x[i] = -z[i]', 'new[j] = greatest(x[j], max[i] (x[i] - w[i,j])); changed[] = sum[j] (x[j] <> new[j]); x[j] = new[j]', 'changed[] == 0', 40);
-- components, of a state that is stored everywhere but at 0
SELECT * FROM compare('x[I] = id[i]', 'new[i] = least(x[i], min[j] if(greatest(a[i,j], a[j,i]), x[j], 1/0)); left[] = sum[i] (new[i] <> x[i]); x[I] = new[i]', 'left[] == 0', 12);
-- several entries of the state, which need not come nearer: each that has changed counts
SELECT * FROM compare('x[i,j] = w[i,j]', 'new[i,j] = least(x[i,j], min[k] (x[i,k] + x[k,j])); changed[] = sum[i,j] (new[i,j] <> x[i,j]); x[I,J] = new[i,j]', 'changed[] == 0', 3);
SELECT * FROM compare('x[i] = z[i]', 'x[j] = least(x[j], min[i] (if(x[i] > 40, x[i] - 30, x[i]) + w[i,j])); total[] = sum[j] if(x[j] < 1/0, x[j], 0)', 'total[] < -1e9', 30);
SELECT * FROM compare('x[I,J] = w[i,j]', 'x[I,J] = least(x[i,j], min[k] (x[i,k] + 2*x[k,j]))', NULL, 3);
-- a state that is one value has none
SELECT * FROM compare('x[i] = id[i]', 'x[i] = least(x[i], min[j] if(a[i,j], x[j], 1/0))', NULL, 3);
-- two states, of which one reads the other, so that its terms change
SELECT * FROM compare('x[i] = z[i]; y[i] = z[i]', 'x[j] = least(x[j], min[i] (x[i] + w[i,j])); y[j] = least(y[j], min[i] (y[i] + x[j] + w[i,j]))', NULL, 20);
SELECT * FROM compare('x[i] = z[i]; y[i] = z[i]', 'x[j] = least(x[j], min[i] (x[i] + w[i,j])); y[j] = least(y[j], min[i] (y[i] + 2*w[i,j]))', NULL, 20);
-- nor what is not infinite where the state is, sums, terms of a round's number, another extreme, and what is not compared with the state at its place
SELECT * FROM compare('x[i] = z[i]', 'x[j] = least(x[j], min[i] least(x[i] + w[i,j], 3 + 1/a[i,j]))', NULL, 20);
SELECT * FROM compare('x[I] = 90 + id[i]/100', 'x[J] = least(x[j], min[i] (if(x[i] < 106, 1000, 3) + w[i,j]))', NULL, 5);
SELECT * FROM compare('x[i] = z[i]; n[] = 0', 'n[] = n[] + 1; x[j] = least(x[j], min[i] (x[i] + w[i,j] - n[]/4))', NULL, 20);
SELECT * FROM compare('x[i] = z[i]', 'x[j] = least(x[j], max[i] (x[i] + w[i,j]))', NULL, 20);
SELECT * FROM compare('x[i] = 1/z[i]', 'x[j] = greatest(x[j], sum[i] a[i,j]*x[i])', NULL, 5);
SELECT * FROM compare('x[i] = z[i]', 'x[j] = least(x[j], min[i] (x[i] + w[i,j]) + 0*(sum[i] x[i]*0))', NULL, 20);

-- terms that are 0 where the state is, of one that is never negative: what can be reached, by max and by any, and the best product
SELECT * FROM compare('x[i] = z[i] < 1/0', 'new[j] = greatest(x[j], max[i] a[i,j]*x[i]); changed[] = sum[j] (new[j] <> x[j]); x[j] = new[j]', 'changed[] == 0', 40);
SELECT * FROM compare('x[i] = z[i] < 1/0', 'near[j] = any[i] (a[i,j]*x[i]); more[] = any[j] (near[j] > x[j]); x[j] = greatest(near[j], x[j])', 'more[] == 0', 40);
SELECT * FROM compare('x[i] = 9*(z[i] < 1/0)', 'x[j] = greatest(x[j], max[i] a[i,j]*x[i]/if(w[i,j] < 2, 1, 2))', NULL, 40);
-- not where a term is more than 0, and not of what begins below 0: beside it, zeros count
SELECT * FROM compare('x[i] = z[i] < 1/0', 'x[j] = greatest(x[j], max[i] (a[i,j] + x[i])*(x[i] < 3))', NULL, 5);
SELECT * FROM compare('x[i] = if(z[i] < 1/0, z[i] - 6, 0)', 'x[j] = greatest(x[j], max[i] a[i,j]*x[i])', NULL, 5);
SELECT * FROM compare('x[I] = -1 - id[i]', 'x[J] = greatest(x[j], max[i] x[i]*(0.5 + 0*id[j]))', NULL, 3);
SELECT * FROM compare('x[I] = -1 - id[i]', 'x[J] = greatest(x[j], sum[i] a[i,j]*(id[i] < 5))', NULL, 3);
SELECT * FROM compare('x[i] = z[i] < 1/0', 'x[j] = greatest(x[j], sum[i] a[i,j]*x[i])', NULL, 3);
SELECT * FROM compare('x[i] = -(z[i] < 1/0)', 'x[j] = least(x[j], min[i] a[i,j]*x[i])', NULL, 5);

-- what the plan says
SELECT substring(line FROM '^ +(.*?)  \(') AS statement FROM einsum_plan('new[j] = least(x[j], min[i] (x[i] + w[i,j])); changed[] = sum[j] (new[j] <> x[j]); x[j] = new[j]',
	iterate => true, init => 'x[i] = z[i]') AS line WHERE line ~ '^ +[a-z_0-9]+\[.*\] =';
-- by default, of 1,000 entries and more
SELECT max(round), (array_agg(entries ORDER BY round DESC))[1] AS entries FROM einsum_iterate('paths', 'dist[i] = z[i]',
	'new[j] = least(dist[j], min[i] (dist[i] + w[i,j])); changed[] = sum[j] (new[j] <> dist[j]); dist[j] = new[j]', 'changed[] == 0');
SELECT count(*), count(*) FILTER (WHERE s.value IS DISTINCT FROM d.value) AS differ FROM dist AS s FULL JOIN distances() AS d ON d.i = s.j;
SELECT relname FROM pg_class WHERE relnamespace = 'iterate_frontier'::regnamespace AND relname LIKE '%changed%';
-- a procedure continues from what it has written, whatever the frontier was
SET sparseeinsum.enable_state_changes = force;
SET client_min_messages = error;
CALL einsum_iterate('steps', 'far[i] = z[i]', 'far[j] = least(far[j], min[i] (far[i] + w[i,j]))', max_rounds => 7, commit_every => 2);
INSERT INTO edge VALUES (5, 905, -105), (900, 1501, -104);
CALL einsum_iterate('steps', 'far[i] = z[i]', 'far[j] = least(far[j], min[i] (far[i] + w[i,j]))', max_rounds => 5, commit_every => 1);
SELECT count(*), sum(value) FROM far;
SELECT * FROM far WHERE j > 1500 OR j BETWEEN 903 AND 907 ORDER BY j;
DELETE FROM edge WHERE v < -100;
-- a state in a table of the user's
SELECT max(round) FROM einsum_iterate('own', NULL, 'z[j] = least(z[j], min[i] (z[i] + w[i,j]))', assign => '{z}', max_rounds => 4);
SELECT i, source FROM node WHERE source IS NOT NULL ORDER BY i;
UPDATE node SET source = CASE WHEN i IN (5, 900) THEN i % 7 END;
-- NaN: in the state from the beginning it stays, where it comes up it is an error
SELECT * FROM compare('x[I] = if(id[i] == 1490, ln(-1), z[i])', 'new[j] = least(x[j], min[i] (x[i] + w[i,j])); changed[] = sum[j] (new[j] <> x[j]); x[J] = new[j]', 'changed[] < 0', 12);
UPDATE edge SET v = 'NaN' WHERE i = 908;
SELECT max(round) FROM einsum_iterate('steps', 'far[i] = z[i]', 'far[j] = least(far[j], min[i] (far[i] + w[i,j]))', max_rounds => 20, restart => true);

-- a tensor that is registered anew between rounds
CREATE TABLE tree (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO tree SELECT k, 2 * k + m, 1 FROM generate_series(0, 500) k, generate_series(1, 2) m WHERE 2 * k + m < 1000;
CREATE TABLE depth (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO depth VALUES (0, 0);
SELECT einsum_register('depth[I]', 'depth', '{i}', 'v', '{1510}', fill => 'Infinity'),
	einsum_register('tree[I,J]', 'tree', '{i,j}', 'v', '{1510,1510}', fill => 'Infinity');
CREATE FUNCTION register_anew() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM einsum_unregister('tree'), einsum_register('tree[I,J]', 'tree', '{i,j}', 'v', '{1510,1510}', fill => '-Infinity');
	RETURN NULL;
END $$;
CREATE TRIGGER anew AFTER INSERT ON depth FOR EACH STATEMENT EXECUTE FUNCTION register_anew();
SET sparseeinsum.enable_state_changes = force;
SET client_min_messages = warning;
CALL einsum_iterate('depths', NULL, 'depth[j] = least(depth[j], min[i] (depth[i] + tree[i,j]))', commit_every => 1, assign => '{depth}', max_rounds => 12);
RESET client_min_messages;
RESET sparseeinsum.enable_state_changes;

DROP SCHEMA iterate_frontier CASCADE;
