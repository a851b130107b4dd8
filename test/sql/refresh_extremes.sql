-- Results that are extremes, where all that has changed has got better; results and tensors of other numbers, fills and layouts; empty results
\set VERBOSITY default
\set SHOW_CONTEXT never
\pset null NULL
SET client_min_messages = warning;
CREATE SCHEMA extremes;
SET search_path = extremes, public;
SET sparseeinsum.enable_additions = force;
CREATE TABLE road (a int, b int, km float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO road SELECT i, (i * k + 1) % 40, 1 + (i * 7 + k) % 5 FROM generate_series(0, 39) i, generate_series(1, 3) k ON CONFLICT DO NOTHING;
CREATE TABLE cost (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO cost SELECT i, 1 + i % 7 FROM generate_series(0, 30) i;
CREATE TABLE half (i int PRIMARY KEY, v tensor(float4) NOT NULL);
INSERT INTO half SELECT i, tensor_full('{3}', 0.1 * i)::tensor(float4) FROM generate_series(0, 39) i;
CREATE TABLE wave (i int PRIMARY KEY, v tensor(complex16) NOT NULL);
INSERT INTO wave SELECT i, tensor_full('{3}', i)::tensor(complex16) FROM generate_series(0, 39) i;
CREATE TABLE list (i int PRIMARY KEY, others int[] NOT NULL, km float8[] NOT NULL);
INSERT INTO list SELECT a, array_agg(b ORDER BY b), array_agg(km ORDER BY b) FROM road GROUP BY a;
SELECT einsum_register('road[I,J]', 'road', '{a,b}', 'km', '{40,40}', fill => 'Infinity'), einsum_register('len[I,J]', 'road', '{a,b}', 'km', '{40,40}'),
	einsum_register('edge[I,J]', 'road', '{a,b}', NULL, '{40,40}'), einsum_register('cost[I]', 'cost', '{i}', 'v', '{40}', fill => 'Infinity'),
	einsum_register('weight[I]', 'cost', '{i}', 'v', '{40}'), einsum_register('half[I,k]', 'half', '{i}', 'v', '{40,3}'),
	einsum_register('wave[I,k]', 'wave', '{i}', 'v', '{40,3}'), einsum_register('list[I,J]', 'list', '{i}', layout => 'lists(others,km)', bounds => '{40,40}');
SELECT count(einsum_log(tensor)) FROM unnest('{road,cost,half,wave,list}'::text[]) tensor;
\set program 'two[I,K] = min[j] (road[i,j] + road[j,k]); near[J] = min[i] (cost[i] + road[i,j]); far[I] = max[j] len[i,j]; low[I] = min[j] len[i,j]; lower[I] = least(weight[i], 3); least_of[I] = least(near[i], lower[i]); thirds[I] = sum[k] half[i,k]; twice[I,k] = 2*half[i,k]; wave_of[I,k] = 2*wave[i,k]; degree[I] = sum[j] list[i,j]'
SELECT count(*) FROM einsum_decompose(:'program', 'program', materialize => 'incremental');
CREATE FUNCTION wrong() RETURNS TABLE (tensor text) LANGUAGE plpgsql AS $$
DECLARE
	count int;
BEGIN
	FOREACH tensor IN ARRAY '{two,near,far,low,lower,least_of,thirds,twice,wave_of,degree}'::text[] LOOP
		-- a row of zeros is as good as none
		EXECUTE format('WITH t AS (SELECT (to_jsonb(t) - ''moved'')::text FROM %1$I t WHERE tensor_count_nonzero(value::tensor) > 0),
			q AS (SELECT to_jsonb(q)::text FROM %2$I q WHERE tensor_count_nonzero(value::tensor) > 0)
			SELECT count(*) FROM ((TABLE t EXCEPT ALL TABLE q) UNION ALL (TABLE q EXCEPT ALL TABLE t)) x', tensor, tensor || '__query') INTO count;
		IF count > 0 THEN RETURN NEXT; END IF;
	END LOOP;
END $$;
CREATE FUNCTION refreshed() RETURNS TABLE (tensor text, how text, why text, written boolean) LANGUAGE sql AS
	$$ SELECT tensor, how, why, written > 0 FROM einsum_refresh('program') WHERE how <> 'unchanged' $$;
SELECT * FROM refreshed();
-- an entry that is new gets less than an infinite fill, and greater than 0
INSERT INTO road VALUES (3, 30, 0.5);
SELECT * FROM refreshed();
SELECT * FROM wrong();
UPDATE road SET km = km / 2 WHERE a = 7;
SELECT * FROM refreshed();
SELECT * FROM wrong();
UPDATE road SET km = km * 4 WHERE a = 8;
SELECT * FROM refreshed();
SELECT * FROM wrong();
-- an entry that is gone is the fill again
DELETE FROM road WHERE a = 9;
SELECT * FROM refreshed();
SELECT * FROM wrong();
-- better and worse at once; what came and went
UPDATE road SET km = CASE WHEN b < 20 THEN km / 2 ELSE km + 1 END WHERE a BETWEEN 20 AND 25;
BEGIN;
INSERT INTO cost VALUES (35, 0);
DELETE FROM cost WHERE i = 35;
COMMIT;
SELECT * FROM refreshed();
SELECT * FROM wrong();
UPDATE cost SET v = v - 0.5 WHERE i < 5;
UPDATE road SET km = km - 0.125 WHERE b < 5;
SELECT * FROM refreshed();
SELECT * FROM wrong();
-- NaN, as it comes, as it stays while another gets better, and as it goes
UPDATE road SET km = 'NaN' WHERE (a, b) = (3, 30);
SELECT * FROM refreshed();
-- "two" adds it to infinite fills, which depends on the plan
SELECT * FROM wrong() WHERE tensor <> 'two';
INSERT INTO road VALUES (3, 31, 0.5), (2, 30, 0.25);
SELECT * FROM refreshed();
SELECT * FROM wrong() WHERE tensor <> 'two';
UPDATE road SET km = 0.25 WHERE km = 'NaN';
SELECT * FROM refreshed();
SELECT * FROM wrong();
-- infinities
INSERT INTO road VALUES (4, 33, '-Infinity');
SELECT * FROM refreshed();
SELECT * FROM wrong() WHERE tensor <> 'two';
DELETE FROM road WHERE km = '-Infinity';
SELECT * FROM refreshed();
SELECT * FROM wrong();
-- other numbers, and rows that have several entries, are computed at their keys
UPDATE half SET v = tensor_full('{3}', 7.7)::tensor(float4) WHERE i = 2;
DELETE FROM half WHERE i = 5;
UPDATE wave SET v = tensor_full('{3}', 2)::tensor(complex16) WHERE i = 3;
UPDATE list SET others = '{1,2}', km = '{5,6}' WHERE i = 4;
DELETE FROM list WHERE i = 6;
SELECT * FROM refreshed();
SELECT * FROM wrong();
-- a tensor without keys: its one row, changed, replaced, gone
CREATE TABLE matrix (v tensor NOT NULL);
INSERT INTO matrix VALUES ('[[1,2],[3,4],[5,6]]');
CREATE TABLE factor (v float8 NOT NULL);
INSERT INTO factor VALUES (2);
CREATE TABLE vector (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO vector SELECT i, tensor_full('{3}', i) FROM generate_series(1, 20) i;
SELECT einsum_register('matrix[k,m]', 'matrix', '{}', 'v'), einsum_register('factor[]', 'factor', '{}', 'v'), einsum_register('vector[I,k]', 'vector', '{i}', 'v', '{30,3}');
SELECT count(einsum_log(tensor)) FROM unnest('{matrix,factor,vector}'::text[]) tensor;
SELECT count(*) FROM einsum_decompose('moved_by[I,m] = factor[]*(sum[k] vector[i,k]*matrix[k,m]); square[] = factor[]*factor[]', 'moving', materialize => 'incremental');
CREATE FUNCTION moved_wrong() RETURNS bigint LANGUAGE sql AS
	$$ SELECT (SELECT count(*) FROM moved_by m FULL JOIN moved_by__query q USING (i) WHERE (SELECT tensor_count_nonzero(coalesce(m.value, '[0,0]') - coalesce(q.value, '[0,0]'))) <> 0)
		+ (SELECT count(*) FROM square s, square__query q WHERE s.value <> q.value) $$;
UPDATE factor SET v = 3;
SELECT tensor, how FROM einsum_refresh('moving');
SELECT moved_wrong();
UPDATE matrix SET v = '[[1,2],[3,4],[5,7]]';
SELECT tensor, how FROM einsum_refresh('moving');
SELECT moved_wrong();
DELETE FROM factor;
INSERT INTO factor VALUES (4);
SELECT tensor, how FROM einsum_refresh('moving');
SELECT moved_wrong();
DELETE FROM factor;
SELECT tensor, how FROM einsum_refresh('moving');
SELECT moved_wrong();
INSERT INTO factor VALUES (5);
SELECT tensor, how FROM einsum_refresh('moving');
SELECT moved_wrong();
INSERT INTO matrix VALUES ('[[1,2],[3,4],[5,7]]');
SELECT tensor, how FROM einsum_refresh('moving');
DELETE FROM matrix WHERE ctid = (SELECT max(ctid) FROM matrix);
-- a result without rows is one; but not where TRUNCATE leaves no trace
BEGIN;
CREATE TABLE one (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('one[I]', 'one', '{i}', 'v', '{9}');
SELECT einsum_log('one');
SELECT count(*) FROM einsum_decompose('same[I] = 2*one[i]', 'same', materialize => 'incremental');
INSERT INTO one VALUES (1, 1);
SELECT how, why FROM einsum_refresh('same');
TRUNCATE same;
COMMIT;
SELECT how, why FROM einsum_refresh('same');
SELECT i, value FROM same;
TRUNCATE one;
SELECT how, why FROM einsum_refresh('same');
SELECT how, why FROM einsum_refresh('same');
VACUUM same;
SELECT how, why FROM einsum_refresh('same');
INSERT INTO one VALUES (2, 1);
SELECT how, why FROM einsum_refresh('same');
SELECT i, value FROM same;
TRUNCATE same;
SELECT how, why FROM einsum_refresh('same');
SELECT i, value FROM same;
DROP SCHEMA extremes CASCADE;
