-- A loop continues from an earlier state only if that follows from what its tables have now, or says that it cannot know.
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA iterate_past;
SET search_path = iterate_past, public;
CREATE TABLE road (a int, b int, w float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO road SELECT i, i + 1, 1 + i % 3 FROM generate_series(0, 28) i UNION SELECT i, i + 10, 20 FROM generate_series(0, 19, 5) i;
CREATE TABLE source (i int PRIMARY KEY, zero float8 NOT NULL);
INSERT INTO source VALUES (0, 0);
SELECT einsum_register('road[A,B]', 'road', '{a,b}', 'w', '{40,40}', fill => 'Infinity'), einsum_register('z[I]', 'source', '{i}', 'zero', '{40}', fill => 'Infinity');
CREATE FUNCTION paths(restart boolean DEFAULT false, rounds int DEFAULT 100) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM einsum_iterate('paths', 'x[i] = z[i]',
		'near[j] = min[i] (x[i] + road[i,j]); changed[] = sum[j] (near[j] < x[j]); x[j] = least(x[j], near[j])',
		'changed[] == 0', rounds, restart => $1) $$;
-- how many distances differ from those of a search in SQL
CREATE FUNCTION wrong() RETURNS bigint LANGUAGE sql AS $$
	WITH RECURSIVE way(i, length) AS (SELECT i, zero FROM source UNION SELECT b, length + w FROM way JOIN road ON a = i WHERE length + w < 200),
	least AS (SELECT i, min(length) AS length FROM way GROUP BY i)
	SELECT count(*) FROM least FULL JOIN einsum_rows('v[I] = x[i]') AS x(i int, value float8) USING (i) WHERE value IS DISTINCT FROM length $$;

SELECT paths(), wrong();
SELECT paths(), wrong();
INSERT INTO road VALUES (0, 15, 3), (15, 31, 2);
SELECT paths(), wrong();
UPDATE road SET w = 0.5 WHERE a = 15 AND b = 16;
SELECT paths(), wrong();
-- in the middle of its rounds
SELECT paths(true, 5);
SELECT paths(), wrong();
UPDATE road SET w = 2.5 WHERE a = 15 AND b = 16;
SELECT paths();
SELECT paths(true) > 1, wrong();
DELETE FROM road WHERE a = 0 AND b = 15;
SELECT paths();
SELECT paths(true) > 1, wrong();
DELETE FROM source; INSERT INTO source VALUES (1, 0);
SELECT paths();
SELECT paths(true) > 1, wrong();
INSERT INTO source VALUES (20, 0);
SELECT paths();
DELETE FROM source WHERE i = 20;
-- nothing is left of an error, and the procedure says so, too
CALL einsum_iterate('paths', 'x[i] = z[i]', 'near[j] = min[i] (x[i] + road[i,j]); x[j] = least(x[j], near[j])', 5, max_rounds => 5);
DELETE FROM road WHERE a = 3;
CALL einsum_iterate('paths', 'x[i] = z[i]', 'near[j] = min[i] (x[i] + road[i,j]); x[j] = least(x[j], near[j])', 5, max_rounds => 5);
-- of another name for what init makes, quoted, and read in it
SELECT count(*) FROM einsum_iterate('named', '"X y"[i] = z[i]; n[] = min[i] "X y"[i]; m[] = n[]', '"X y"[j] = least("X y"[j], min[i] ("X y"[i] + road[i,j])); m[] = m[]', max_rounds => 30);
DELETE FROM road WHERE a = 2;
SELECT count(*) FROM einsum_iterate('named', '"X y"[i] = z[i]; n[] = min[i] "X y"[i]; m[] = n[]', '"X y"[j] = least("X y"[j], min[i] ("X y"[i] + road[i,j])); m[] = m[]', max_rounds => 30);

-- roads of no length around a circle: entries follow from each other, and from nothing else
CREATE TABLE ring (a int, b int, w float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO ring VALUES (0, 1, 1), (1, 2, 0), (2, 3, 0), (3, 1, 0);
SELECT einsum_register('ring[A,B]', 'ring', '{a,b}', 'w', '{4,4}', fill => 'Infinity'), einsum_register('one[I]', 'source', '{i}', 'zero', '{4}', fill => 'Infinity');
UPDATE source SET i = 0;
SELECT count(*) FROM einsum_iterate('ring', 'y[i] = one[i]', 'y[j] = least(y[j], min[i] (y[i] + ring[i,j]))', max_rounds => 5);
DELETE FROM ring WHERE a = 0;
SELECT count(*) FROM einsum_iterate('ring', 'y[i] = one[i]', 'y[j] = least(y[j], min[i] (y[i] + ring[i,j]))', max_rounds => 5);

-- the greatest: how safely one gets there; 0 where one does not
CREATE TABLE safe (a text, b text, p float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO safe VALUES ('a', 'b', 0.5), ('b', 'c', 0.5), ('a', 'c', 0.125), ('c', 'd', 1);
CREATE TABLE home (a text PRIMARY KEY);
INSERT INTO home VALUES ('a');
CREATE TABLE town (name text PRIMARY KEY);
INSERT INTO town VALUES ('a'), ('b'), ('c'), ('d'), ('e');
SELECT einsum_dimension('town', 'town', 'name');
SELECT einsum_register('safe[A,B]', 'safe', '{a,b}', 'p', '{town,town}'), einsum_register('home[A]', 'home', '{a}', NULL, '{town}');
SELECT count(*) FROM einsum_iterate('safe', 's[a] = home[a]', 's[b] = greatest(s[b], max[a] s[a]*safe[a,b])', max_rounds => 5);
SELECT * FROM einsum_rows('v[A] = s[a]') AS v(a text, value float8) ORDER BY a;
SELECT count(*) FROM einsum_iterate('safe', 's[a] = home[a]', 's[b] = greatest(s[b], max[a] s[a]*safe[a,b])', max_rounds => 5);
UPDATE safe SET p = 0.75 WHERE p = 1;
DELETE FROM safe WHERE a = 'b';
SELECT count(*) FROM einsum_iterate('safe', 's[a] = home[a]', 's[b] = greatest(s[b], max[a] s[a]*safe[a,b])', max_rounds => 5);

-- every pair at once, and by ways of double length; in float4
SELECT count(*) FROM einsum_iterate('pairs', 'd[i,j] = ring[i,j]', 'd[i,j] = least(d[i,j], min[k] (d[i,k] + 1 + ring[k,j]))', max_rounds => 5);
SELECT count(*) FROM einsum_iterate('pairs', 'd[i,j] = ring[i,j]', 'd[i,j] = least(d[i,j], min[k] (d[i,k] + 1 + ring[k,j]))', max_rounds => 5);
SELECT count(*) FROM einsum_iterate('double', 'q[i,j] = float4(1 + ring[i,j])', 'q[i,j] = least(q[i,j], min[k] (q[i,k] + q[k,j]))', max_rounds => 5);
SELECT count(*) FROM einsum_iterate('double', 'q[i,j] = float4(1 + ring[i,j])', 'q[i,j] = least(q[i,j], min[k] (q[i,k] + q[k,j]))', max_rounds => 5);
DELETE FROM ring WHERE a = 3;
SELECT count(*) FROM einsum_iterate('double', 'q[i,j] = float4(1 + ring[i,j])', 'q[i,j] = least(q[i,j], min[k] (q[i,k] + q[k,j]))', max_rounds => 5);
SELECT count(*) FROM einsum_iterate('pairs', 'd[i,j] = ring[i,j]', 'd[i,j] = least(d[i,j], min[k] (d[i,k] + 1 + ring[k,j]))', max_rounds => 5);

-- of other forms, a warning: a front; nodes that are left; no init; one state by way of another
CREATE FUNCTION twice(name text, init text, step text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM einsum_iterate(name, init, step, max_rounds => 3);
	PERFORM einsum_iterate(name, init, step, max_rounds => 3);
	PERFORM einsum_drop(name);
	RETURN name;
END $$;
SELECT einsum_register('l[A,B]', 'ring', '{a,b}', NULL, '{4,4}'), einsum_register('first[I]', 'source', '{i}', NULL, '{4}');
SELECT twice('front', 'f[i] = first[i]; seen[i] = first[i]; n[] = 1', 'next[j] = (any[i] l[i,j]*f[i])*(seen[j] == 0); n[] = n[] + 1; f[j] = next[j]; seen[j] = seen[j] + n[]*next[j]');
SELECT twice('core', 'alive[i] = any[j] l[i,j]', 'alive[i] = alive[i]*((sum[j] l[i,j]*alive[j]) >= 1)');
SELECT twice('roads', 'front[j] = first[j]; roads[j] = first[j]; level[j] = first[j]; depth[] = 1', 'next[j] = (sum[i] front[i]*l[i,j])*(level[j] == 0); front[j] = next[j]; roads[j] = roads[j] + next[j]; level[j] = level[j] + (depth[] + 1)*(next[j] > 0); depth[] = depth[] + 1');
SELECT twice('cores', 'alive[i] = any[j] l[i,j]; core[i] = 0*(sum[j] l[i,j]); k[] = 0', 'neighbours[i] = alive[i]*(sum[j] l[i,j]*alive[j]); falls[i] = alive[i]*(neighbours[i] <= k[]); fallen[] = sum[i] falls[i]; core[i] = core[i] + k[]*falls[i]; alive[i] = alive[i] - falls[i]; k[] = k[] + (fallen[] == 0)');
SELECT twice('seen', 'f[i] = first[i]; seen[i] = first[i]; n[] = 1', 'next[j] = ((sum[i] l[i,j]*f[i]) > 0)*(seen[j] == 0); n[] = n[] + 1; f[j] = next[j]; seen[j] = seen[j] + n[]*next[j]');
SELECT twice('named', 'f[i] = first[i]; seen[i] = first[i]', 'new[j] = seen[j] == 0; next[j] = (sum[i] l[i,j]*f[i])*new[j]; f[j] = next[j]; seen[j] = seen[j] + next[j]');
SELECT twice('left', 'alive[i] = any[j] l[i,j]', 'falls[i] = (sum[j] l[i,j]*alive[j]) < 1; alive[i] = alive[i]*(1 - falls[i])');
SELECT twice('compared', 'alive[i] = any[j] l[i,j]', 'alive[i] = greatest(alive[i] - ((sum[j] l[i,j]*alive[j]) < 1), 0)');
SELECT twice('first', 'ways[i] = first[i]', 'ways[j] = ways[j] + (ways[j] == 0)*(sum[i] l[i,j]*ways[i])');
SELECT twice('added', 'f[i] = first[i]; seen[i] = first[i]', 'f[j] = sum[i] l[i,j]*f[i]; seen[j] = greatest(seen[j] + (sum[i] l[i,j]*f[i]), 0)');
SELECT twice('factor', 'alive[i] = any[j] l[i,j]', 'alive[i] = least(alive[i]*(sum[j] l[i,j]*alive[j]), 1)');
SELECT twice('chosen', 'u[i] = one[i]', 'v[j] = min[i] (u[i] + ring[i,j]); u[j] = if(v[j] < u[j], v[j], u[j])');
SELECT twice('ahead', 'now[j] = 0*(sum[i] l[i,j]); point[j] = 0*(sum[i] l[i,j])', 'new[j] = greatest(point[j], any[i] l[i,j]*first[i]); point[j] = new[j] + 0.5*(new[j] - now[j]); now[j] = new[j]');
SELECT twice('pushed', 'f[i] = first[i]; now[j] = 0*(sum[i] l[i,j]); point[j] = 0*(sum[i] l[i,j])', 'f[j] = sum[i] l[i,j]*f[i]; new[j] = relu(point[j] + 0.1*(sum[i] l[i,j]*f[i])); point[j] = new[j] + 0.5*(new[j] - now[j]); now[j] = new[j]');
SELECT twice('other', 'u[i] = one[i]; v[i] = one[i]', 'u[j] = min[i] (v[i] + ring[i,j]); v[j] = u[j]');
SELECT count(*) FROM einsum_iterate('paths', NULL, 'x[j] = least(x[j], min[i] (x[i] + road[i,j]))', max_rounds => 3);
-- functions of sums that jump or have a limit: is the state stale after a link has gone? None is, in silence
CREATE TABLE link (a int, b int, PRIMARY KEY (a, b));
SELECT einsum_register('goes[A,B]', 'link', '{a,b}', NULL, '{4,4}');
CREATE FUNCTION stale(init text, step text, rounds int DEFAULT 8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	continued tensor;
	anew tensor;
BEGIN
	DELETE FROM link;
	INSERT INTO link VALUES (0, 1), (1, 2), (2, 3), (0, 0), (1, 1), (2, 2), (3, 3);
	PERFORM einsum_iterate('stale', init, step, max_rounds => rounds);
	DELETE FROM link WHERE a = 0 AND b = 1;
	PERFORM einsum_iterate('stale', init, step, max_rounds => rounds);
	continued := einsum_value('y[i] = round(1000*mark[i])');
	PERFORM einsum_iterate('stale', init, step, max_rounds => rounds, restart => true);
	anew := einsum_value('y[i] = round(1000*mark[i])');
	PERFORM einsum_drop('stale');
	RETURN CASE WHEN continued = anew THEN 'right' ELSE 'stale' END;
END $$;
\set VERBOSITY terse
\t on
SELECT format($$SELECT %L, stale('mark[i] = first[i]', %L)$$, form, step) FROM (VALUES
	('compared', 'mark[j] = (sum[i] mark[i]*goes[i,j]) > 0'),
	('compared with itself', 'mark[j] = (mark[j] + (sum[i] mark[i]*goes[i,j])) > 0'),
	('not equal', 'mark[j] = (sum[i] mark[i]*goes[i,j]) <> 0'),
	('converted', 'mark[j] = float8((sum[i] mark[i]*goes[i,j]) > 0)'),
	('by a statement', 'n[j] = sum[i] mark[i]*goes[i,j]; mark[j] = n[j] > 0'),
	('a sum by a statement', 'n[j] = mark[j] + (sum[i] mark[i]*goes[i,j]); mark[j] = n[j] >= 1'),
	('counted', 'mark[j] = (count[i] mark[i]*goes[i,j]) > 0'),
	('sign', 'mark[j] = sign(sum[i] mark[i]*goes[i,j])'),
	('sign of more', 'mark[j] = sign(mark[j] + (sum[i] mark[i]*goes[i,j]))'),
	('rounded up', 'mark[j] = ceil((sum[i] mark[i]*goes[i,j])/10)'),
	('rounded', 'mark[j] = round((sum[i] mark[i]*goes[i,j])/4 + 0.3)'),
	('rounded down', 'mark[j] = floor((sum[i] mark[i]*goes[i,j])/4 + 0.8)'),
	('product of all', 'mark[j] = 1 - (prod[i] (1 - mark[i]*goes[i,j]))'),
	('condition of a sum', 'mark[j] = if((sum[i] mark[i]*goes[i,j]) > 0, 1, 0)'),
	('not none', 'mark[j] = 1 - ((sum[i] mark[i]*goes[i,j]) == 0)'),
	('any of sums', 'n[j] = sum[i] mark[i]*goes[i,j]; mark[j] = any[k] n[j]*eye[j,k]'),
	('limited', 'mark[j] = least(1, sum[i] mark[i]*goes[i,j])'),
	('limited by relu', 'mark[j] = 1 - relu(1 - (sum[i] mark[i]*goes[i,j]))'),
	('greater by relu', 'n[j] = sum[i] mark[i]*goes[i,j]; mark[j] = mark[j] + relu(least(n[j], 1) - mark[j])'),
	('greater by relu of the old', 'n[j] = (sum[i] mark[i]*goes[i,j])/2; mark[j] = n[j] + relu(mark[j] - n[j])'),
	('greater by abs', 'n[j] = (sum[i] mark[i]*goes[i,j])/2; mark[j] = (mark[j] + n[j] + abs(mark[j] - n[j]))/2'),
	('greater by another state', 'n[j] = (sum[i] mark[i]*goes[i,j])/2; m[j] = relu(n[j] - mark[j]); mark[j] = mark[j] + m[j]'),
	('greatest of a sum', 'mark[j] = greatest(1/4, 0.5*(sum[i] mark[i]*goes[i,j]))')) AS forms(form, step) \gexec
-- these forget: a plain sum that shrinks, with a limit of the step, with the sign of what shrinks, as means
SELECT format($$SELECT %L, stale('mark[i] = first[i]', %L, 60)$$, form, step) FROM (VALUES
	('sum', 'mark[j] = 0.25 + 0.3*(sum[i] mark[i]*goes[i,j])'),
	('by a quotient kept from 0', 'mark[j] = (1 + (sum[i] mark[i]*goes[i,j]))/greatest(2 + (sum[i] mark[i]), 0.1)'),
	('descent above 0', 'mark[j] = greatest(mark[j] - 0.2*((sum[i] mark[i]*goes[i,j]) - 1), 0)'),
	('shrunk', 'u[j] = mark[j] - 0.2*((sum[i] mark[i]*goes[i,j]) - 1); mark[j] = sign(u[j])*relu(abs(u[j]) - 0.1)'),
	('shrunk by two limits', 'u[j] = mark[j] - 0.2*((sum[i] mark[i]*goes[i,j]) - 1); mark[j] = relu(u[j] - 0.1) - relu(-u[j] - 0.1)'),
	('a jump within a sum', 'mark[j] = mark[j] - 0.2*((sum[i] mark[i]*goes[i,j]) - 1) - 0*(sum[i] (mark[i] > 1)*goes[i,j])')) AS forms(form, step) \gexec
\t off
\set VERBOSITY default
-- of a limit that a sum may exceed
SELECT twice('value', 'v[i] = 0*(sum[j] l[i,j])', 'v[i] = greatest(1, 0.5*(sum[j] l[i,j]*v[j]))');
-- what sums make anew, none; nor what assign names, which begins with what is there
SELECT twice('ranks', 'r[i] = 0.25 + 0*(sum[j] l[i,j])', 'r[j] = 0.15/4 + 0.85*(sum[i] l[i,j]*r[i]/greatest(sum[k] l[i,k], 1)); d[] = max[j] r[j]');
SELECT twice('descent', 'w[j] = 0.5 + 0*(sum[i] l[i,j])', 'h[i] = relu((sum[j] l[i,j]*w[j]) - 1); w[j] = greatest(w[j] - 0.01*(sum[i] l[i,j]*h[i]), 0)');
SELECT twice('fista', 'now[j] = 0*(sum[i] l[i,j]); point[j] = 0*(sum[i] l[i,j]); t[] = 1', 'g[j] = sum[i] l[i,j]*((sum[k] l[i,k]*point[k]) - 1); new[j] = relu(point[j] - 0.1*g[j] - 0.05) - relu(0.1*g[j] - point[j] - 0.05); t[] = (1 + sqrt(1 + 4*t[]^2))/2; point[j] = new[j] + (t[] - 1)/(t[] + 1)*(new[j] - now[j]); now[j] = new[j]');
SELECT twice('chain', 'share[a] = 0.25 + 0*(sum[b] l[a,b])', 'leaves[a] = sum[b] l[a,b]; share[b] = (leaves[b] == 0)*share[b] + (sum[a] l[a,b]*share[a]/greatest(leaves[a], 1))');
SELECT twice('means', 'c[g] = first[g] + 0*(sum[j] l[g,j])', 'far[i,g] = abs((sum[j] l[i,j]) - c[g]); near[i] = min[g] far[i,g]; mine[i,g] = far[i,g] == near[i]; size[g] = sum[i] mine[i,g]; c[g] = if(size[g] == 0, c[g], (sum[i,j] mine[i,g]*l[i,j])/greatest(size[g], 1))');
SELECT twice('count', 'n[] = 0', 'n[] = n[] + 1');
CREATE TABLE kept (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO kept VALUES (1, 0);
SELECT einsum_register('kept[I]', 'kept', '{i}', 'v', '{4}', fill => 'Infinity');
SELECT count(*) FROM einsum_iterate('given', NULL, 'kept[j] = least(kept[j], min[i] (kept[i] + ring[i,j]))', max_rounds => 3, assign => '{kept}');
-- init that fails now: what its values are is a reason for the warning, any other error is raised
CREATE TABLE failing (i int PRIMARY KEY, code text);
INSERT INTO failing VALUES (1, NULL);
CREATE FUNCTION fail(code text) RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN
	IF code IS NOT NULL THEN RAISE EXCEPTION 'it fails' USING ERRCODE = code; END IF;
	RETURN 0;
END $$;
CREATE VIEW begins AS SELECT i, fail(code) AS v FROM failing;
SELECT einsum_register('begins[I]', 'begins', '{i}', 'v', '{4}', fill => 'Infinity', duplicates => 'trust');
CREATE FUNCTION fails() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM einsum_iterate('fails', 'p[i] = begins[i]', 'p[j] = least(p[j], min[i] (p[i] + 1 + ring[i,j]))', max_rounds => 3) $$;
SELECT fails();
UPDATE failing SET code = '22012';
SELECT fails();
UPDATE failing SET code = '55P03';
SELECT fails();
-- the greatest that there was, of a number
INSERT INTO ring VALUES (0, 3, 7);
SELECT count(*) FROM einsum_iterate('most', 'o[] = 0', 'o[] = greatest(o[], sum[i,j] l[i,j])', max_rounds => 3);
SELECT count(*) FROM einsum_iterate('most', 'o[] = 0', 'o[] = greatest(o[], sum[i,j] l[i,j])', max_rounds => 3);
DELETE FROM ring WHERE a = 0;
SELECT count(*) FROM einsum_iterate('most', 'o[] = 0', 'o[] = greatest(o[], sum[i,j] l[i,j])', max_rounds => 3);

SET client_min_messages = warning;
DROP SCHEMA iterate_past CASCADE;
