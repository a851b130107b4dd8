-- einsum_refresh of a loop: it is run again as it was called, unless nothing has changed
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
CREATE SCHEMA loops;
SET search_path = loops, public;
CREATE TABLE page (src int, dst int, PRIMARY KEY (src, dst));
INSERT INTO page SELECT i, (i * i * 7 + k * k + 1) % 30 FROM generate_series(0, 29) i, generate_series(0, i % 4) k ON CONFLICT DO NOTHING;
CREATE TABLE road (a int, b int, km float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO road SELECT i, i + 1, 1 + i % 3 FROM generate_series(0, 28) i;
CREATE TABLE start (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO start VALUES (0, 0);
SELECT einsum_register('start[I]', 'start', '{i}', 'v', '{30}', fill => 'Infinity');
SELECT einsum_register('l[I,J]', 'page', '{src,dst}', bounds => '{30,30}'), einsum_register('road[I,J]', 'road', '{a,b}', 'km', '{30,30}', fill => 'Infinity');
CREATE FUNCTION refreshed(name text, whole boolean DEFAULT false) RETURNS TABLE (tensor text, how text, why text, written boolean) LANGUAGE sql AS
	$$ SELECT tensor, how, why, written > 0 FROM einsum_refresh(name, whole => whole) $$;
\set rank_step 'new[j] = 0.15/30 + 0.85*(sum[i] l[i,j]*rank[i]/(sum[k] l[i,k])); off[] = sum[j] abs(new[j] - rank[j]); rank[j] = new[j]'
\set rank_init 'rank[i] = 1/30 + 0*(sum[j] l[i,j])'
SELECT count(*) > 20 FROM einsum_iterate('ranks', :'rank_init', :'rank_step', until => 'off[] < 1e-10', on_change => 'resume');
\set way_step 'near[j] = min[i] (way[i] + road[i,j]); changed[] = sum[j] (near[j] < way[j]); way[j] = least(way[j], near[j])'
SELECT count(*) FROM einsum_iterate('ways', 'way[i] = start[i]', :'way_step', until => 'changed[] == 0', on_change => 'resume');
SELECT count(*) FROM einsum_iterate('again', 'path[i] = start[i]', replace(:'way_step', 'way', 'path'), until => 'changed[] == 0');
SELECT count(*) FROM einsum_iterate('bad', 'n[] = 0', 'n[] = n[] + 1', max_rounds => 3, on_change => 'never');
-- the label keeps the call
SELECT l.label::json->'tensors'->0->'loop' FROM pg_seclabels l WHERE l.label LIKE '%"loop"%' AND l.label LIKE '%"path[%';

-- how far states are from those of the loop from its start
CREATE FUNCTION wrong() RETURNS TABLE (ranks boolean, ways bigint, again bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT
		(SELECT max(abs(r.value - s.value)) > 1e-8 FROM rank r JOIN einsum_iterate_rows('q[i] = 1/30 + 0*(sum[j] l[i,j])',
			'q[j] = 0.15/30 + 0.85*(sum[i] l[i,j]*q[i]/(sum[k] l[i,k]))', max_rounds => 200) AS s(i int, value float8) ON s.i = r.j),
		(SELECT count(*) FROM way w FULL JOIN einsum_iterate_rows('d[i] = start[i]', 'd[j] = least(d[j], min[i] (d[i] + road[i,j]))', max_rounds => 30)
			AS d(j int, value float8) USING (j) WHERE w.value IS DISTINCT FROM d.value),
		(SELECT count(*) FROM way w FULL JOIN path p USING (j) WHERE w.value IS DISTINCT FROM p.value);
END $$;
SELECT * FROM wrong();

-- without logs it is run; with logs only if something has changed
SELECT * FROM refreshed('ranks');
SELECT einsum_log('l'), einsum_log('road'), einsum_log('start');
SELECT * FROM refreshed('ranks');
SELECT * FROM refreshed('ranks');
SELECT * FROM refreshed('ways');
SELECT * FROM refreshed('ways');
SELECT * FROM refreshed('again');
INSERT INTO page VALUES (3, 29), (4, 28) ON CONFLICT DO NOTHING;
DELETE FROM page WHERE src = 7 AND dst = (SELECT min(dst) FROM page WHERE src = 7);
SELECT * FROM refreshed('ranks');
SELECT * FROM refreshed('ranks');
SELECT * FROM refreshed('ways');
SELECT * FROM wrong();
-- distances that get better are continued, those that get worse are computed from the start
INSERT INTO road VALUES (2, 20, 1.5);
SELECT * FROM refreshed('ways');
SELECT * FROM refreshed('again');
SELECT * FROM wrong();
DELETE FROM road WHERE (a, b) = (2, 20);
SELECT count(*) FROM einsum_iterate('ways', 'way[i] = start[i]', :'way_step', until => 'changed[] == 0', on_change => 'resume');
SELECT * FROM refreshed('ways');
SELECT * FROM refreshed('again');
SELECT * FROM wrong();
SELECT * FROM refreshed('ways', true);
-- who has run the loop otherwise is not known to be up to date
SELECT count(*) FROM einsum_iterate('ways', 'way[i] = start[i]', :'way_step', until => 'changed[] == 0', restart => true, on_change => 'resume');
SELECT * FROM refreshed('ways');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT * FROM refreshed('ways');
ROLLBACK;
-- names mean what they meant; programs read the state as it was
SELECT count(*) FROM einsum_decompose('far[] = max[j] (way[j] < 1000)*way[j]', 'far', materialize => 'always');
UPDATE road SET km = 0.5 WHERE a = 5;
SET search_path = public;
SELECT tensor, how FROM einsum_refresh('ways', schema => 'loops');
SET search_path = loops, public;
SELECT how FROM einsum_refresh('far');
SELECT * FROM refreshed('again');
SELECT * FROM wrong();

-- a state in a table of the user's; a loop without init
CREATE TABLE weight (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO weight SELECT i, 1 FROM generate_series(0, 29) i;
SELECT einsum_register('w[I]', 'weight', '{i}', 'v', '{30}');
SELECT count(*) FROM einsum_iterate('mixed', 'm[] = 0', 'm[] = sum[i] w[i]; w[i] = w[i]/2', assign => '{w}', max_rounds => 1);
SELECT * FROM refreshed('mixed');
SELECT value FROM m;

-- it runs as the owner of its tables, whoever refreshes it
CREATE ROLE loop_owner;
GRANT CREATE, USAGE ON SCHEMA loops TO loop_owner;
CREATE TABLE ran (who name);
GRANT INSERT ON ran TO loop_owner;
SET ROLE loop_owner;
CREATE FUNCTION noted() RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN INSERT INTO ran VALUES (current_user); RETURN 1; END $$;
CREATE VIEW noting AS SELECT 0 AS i, noted()::float8 AS v;
SELECT einsum_register('noting[I]', 'noting', '{i}', 'v', '{1}', duplicates => 'trust');
SELECT count(*) FROM einsum_iterate('notes', 'note[i] = noting[i]', 'note[i] = 0.5*note[i] + noting[i]', max_rounds => 2);
SELECT einsum_refresh('ways');
RESET ROLE;
DELETE FROM ran;
SELECT * FROM refreshed('notes');
SELECT DISTINCT who FROM ran;
DROP SCHEMA loops CASCADE;
DROP ROLE loop_owner;
