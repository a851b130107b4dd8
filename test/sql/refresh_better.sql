-- Refreshes of loops where all that has changed has got better: they continue with what follows from it
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
CREATE SCHEMA better;
SET search_path = better, public;
CREATE FUNCTION refreshed(name text) RETURNS TABLE (tensor text, how text, why text, written float8) LANGUAGE sql AS
	$$ SELECT tensor, how, why, written FROM einsum_refresh(name) $$;

-- loops
CREATE TABLE road (a int, b int, km float8 NOT NULL, gain float8 NOT NULL DEFAULT 0, PRIMARY KEY (a, b));
INSERT INTO road SELECT i, (i * k + 1) % 1500, 1 + (i * 7 + k) % 5, (i + k) % 4 FROM generate_series(0, 1499) i, generate_series(1, 3) k ON CONFLICT DO NOTHING;
CREATE TABLE begin (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO begin VALUES (0, 0);
SELECT einsum_register('road[I,J]', 'road', '{a,b}', 'km', '{1500,1500}', fill => 'Infinity'), einsum_register('gain[I,J]', 'road', '{a,b}', 'gain', '{1500,1500}'),
	einsum_register('start[I]', 'begin', '{i}', 'v', '{1500}', fill => 'Infinity');
SELECT einsum_log('road'), einsum_log('gain'), einsum_log('start');
\set way_step 'near[j] = min[i] (way[i] + road[i,j]); changed[] = sum[j] (near[j] < way[j]); way[j] = least(way[j], near[j])'
SELECT count(*) > 5 FROM einsum_iterate('ways', 'way[i] = start[i]', :'way_step', until => 'changed[] == 0');
CREATE FUNCTION wrong() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM einsum_iterate('new', 'fresh[i] = start[i]', 'near[j] = min[i] (fresh[i] + road[i,j]); changed[] = sum[j] (near[j] < fresh[j]); fresh[j] = least(fresh[j], near[j])',
		until => 'changed[] == 0', restart => true);
	RETURN (SELECT count(*) FROM way FULL JOIN fresh USING (j) WHERE way.value IS DISTINCT FROM fresh.value);
END $$;
SELECT how, why FROM refreshed('ways');
SELECT how, why FROM refreshed('ways');
INSERT INTO road VALUES (0, 700, 0.5), (700, 1400, 0.25);
SELECT how, why, written > 2 FROM refreshed('ways');
SELECT wrong();
UPDATE road SET km = km / 2 WHERE a % 100 = 3;
SELECT how, why, written > 2 FROM refreshed('ways');
SELECT wrong();
-- what came and went is nothing; another column has nothing to do with it
BEGIN;
INSERT INTO road VALUES (0, 900, 0.125);
DELETE FROM road WHERE (a, b) = (0, 900);
UPDATE road SET gain = gain + 1 WHERE a < 9;
COMMIT;
SELECT how, why, written FROM refreshed('ways');
-- the first round computes nothing but the terms of what has changed: what is written by hand stays
DELETE FROM way WHERE j % 10 = 5;
INSERT INTO road VALUES (1498, 0, 0.5);
SELECT how, why FROM refreshed('ways');
SELECT count(*) FROM generate_series(5, 1499, 10) j WHERE j NOT IN (SELECT way.j FROM way);
SELECT count(*) FROM einsum_refresh('ways', whole => true);
SELECT wrong();
-- what is gone or gets worse, alone or beside something better, is computed from the start
DELETE FROM road WHERE (a, b) = (0, 700);
SELECT how, why FROM refreshed('ways');
SELECT wrong();
UPDATE road SET km = CASE WHEN a < 5 THEN km + 1 ELSE km / 2 END WHERE a < 10;
SELECT how, why FROM refreshed('ways');
SELECT wrong();
-- so is what init reads
INSERT INTO begin VALUES (77, 0);
SELECT how, why FROM refreshed('ways');
SELECT wrong();
-- a tensor that is registered anew is another one
SELECT einsum_register('road[I,J]', 'road', '{a,b}', 'gain', '{1500,1500}', fill => 'Infinity', replace => true);
SELECT how, why FROM refreshed('ways');
SELECT wrong();
SELECT einsum_register('road[I,J]', 'road', '{a,b}', 'km', '{1500,1500}', fill => 'Infinity', replace => true);
SELECT einsum_log('road');
SELECT how, why FROM refreshed('ways');
SELECT wrong();
-- a loop that could still change does not follow from its tables
SELECT count(*) FROM einsum_iterate('short', 'brief[i] = start[i]', replace(:'way_step', 'way', 'brief'), until => 'changed[] == 0', max_rounds => 3);
SELECT how, why FROM refreshed('short');
INSERT INTO road VALUES (1, 1001, 0.25);
SELECT how, why FROM refreshed('short');
-- nor does one that ends otherwise: at few changes, at changes on a part of the state
SELECT count(*) FROM einsum_iterate('few', 'some[i] = start[i]', replace(:'way_step', 'way', 'some'), until => 'changed[] < 400');
SELECT how FROM refreshed('few');
INSERT INTO road VALUES (1, 1002, 0.25);
SELECT how FROM refreshed('few');
SELECT how FROM refreshed('ways');
SELECT wrong();
-- terms that fall where the state rises
SELECT count(*) FROM einsum_iterate('swing', 'side[i] = start[i]', 'near[j] = min[i] (if(side[i] < 9, 1 - side[i], side[i]) + road[i,j]); changed[] = sum[j] (near[j] < side[j]); side[j] = least(side[j], near[j])', until => 'changed[] == 0', max_rounds => 2000);
SELECT how FROM refreshed('swing');
INSERT INTO road VALUES (1, 1003, 0.25);
SELECT how FROM refreshed('swing');
-- the greatest of what grows
SELECT count(*) FROM einsum_iterate('wide', 'width[i] = -start[i]', 'near[j] = max[i] least(width[i] + 5, -road[i,j]); changed[] = sum[j] (near[j] > width[j]); width[j] = greatest(width[j], near[j])', until => 'changed[] == 0');
SELECT how FROM refreshed('wide');
INSERT INTO road VALUES (2, 1004, 0.25);
SELECT how, written > 0 FROM refreshed('wide');
CREATE TABLE before AS TABLE width;
SELECT how FROM einsum_refresh('wide', whole => true);
SELECT count(*) FROM (TABLE width EXCEPT TABLE before) d;
-- NaN is no better
UPDATE road SET km = 'NaN' WHERE (a, b) = (2, 1004);
SELECT how FROM refreshed('wide');
DELETE FROM road WHERE km = 'NaN';
SELECT how FROM refreshed('wide');
SELECT how FROM refreshed('ways');
SELECT wrong();
-- a table that is read through a view
CREATE VIEW lane AS SELECT a, b, km FROM road WHERE km < 3;
SELECT einsum_register('lane[I,J]', 'lane', '{a,b}', 'km', '{1500,1500}', fill => 'Infinity', duplicates => 'trust');
SELECT count(*) > 5 FROM einsum_iterate('lanes', 'far[i] = start[i]', 'near[j] = min[i] (far[i] + least(lane[i,j], road[i,j])); changed[] = sum[j] (near[j] < far[j]); far[j] = least(far[j], near[j])', until => 'changed[] == 0');
SELECT how FROM refreshed('lanes');
INSERT INTO road VALUES (1, 1006, 0.25);
SELECT how FROM refreshed('lanes');
-- a statement that has not ended
CREATE FUNCTION refresh_ways() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM einsum_refresh('ways'); RETURN NULL; END $$;
CREATE TRIGGER "a first" AFTER INSERT OR DELETE ON road FOR EACH ROW EXECUTE FUNCTION refresh_ways();
INSERT INTO road VALUES (3, 1005, 0.125);
DELETE FROM road WHERE (a, b) = (3, 1005);
DROP TRIGGER "a first" ON road;
SELECT how, why FROM refreshed('ways');
SELECT wrong();
DROP SCHEMA better CASCADE;
