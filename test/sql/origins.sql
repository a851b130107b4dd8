-- bounds of a first and a last key
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA origins;
SET search_path = origins, public;
SET client_min_messages = warning;

-- registrations
CREATE TABLE e (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO e VALUES (1, 2, 5), (2, 3, 1), (3, 1, 2), (4, 4, -1);
CREATE TABLE x (id bigint PRIMARY KEY, v float8[] NOT NULL);
INSERT INTO x VALUES (1, '{1,2,3,4}'), (3, '{0,0,1,0}'), (4, '{1,1,1,1}');
SELECT einsum_register('e[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{1..4,1..4}');
SELECT einsum_register('x[I,k]', 'x', keys => '{id}', value => 'v', bounds => '{1..4,1..4}');
SELECT tensor, notation, bounds, status FROM einsum_tensors ORDER BY tensor;
SELECT label FROM pg_seclabels WHERE objoid = 'e'::regclass;
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{0..4,-3..4}');
SELECT bounds FROM einsum_tensors WHERE tensor = 'f';
SELECT einsum_unregister('f');
-- what is no bound, and keys outside
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{4..1,4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{1..,4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{-9223372036854775808..9223372036854775806,4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{2..4,1..4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{1..3,1..4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{4,4}');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{-9..-1,1..4}');
SELECT einsum_register('y[I,k]', 'x', keys => '{id}', value => 'v', bounds => '{1..4,1..3}');

-- bounds read off ids that begin at 1
SET client_min_messages = notice;
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v');
SELECT einsum_register('f[I,J]', 'e', keys => '{i,j}', value => 'v', bounds => '{NULL,1..4}', replace => true);
SELECT einsum_register('y[I,k]', 'x', keys => '{id}', value => 'v');
-- not where one label has a key 0
CREATE VIEW moved_rows AS SELECT i - 1 AS i, j, v FROM e;
SELECT einsum_register('z[I,J]', 'moved_rows', keys => '{i,j}', value => 'v', duplicates => 'trust');
SELECT einsum_unregister('z');
SET client_min_messages = warning;
SELECT tensor, bounds FROM einsum_tensors WHERE tensor IN ('f', 'y') ORDER BY 1;
SELECT einsum_unregister('f'), einsum_unregister('y');

-- keys of results are keys
SELECT * FROM einsum_rows('a[i] = sum[j] e[i,j]') AS t(i int, v float8) ORDER BY i;
SELECT * FROM einsum_rows('a[i,j] = e[j,i] + 1') AS t(i int, j int, v float8) WHERE i = 1 ORDER BY j;
SELECT * FROM einsum_rows('a[i,k] = x[i,k]') AS t(i bigint, k int, v float8) ORDER BY i, k;
SELECT einsum_value('a[i] = sum[j] e[i,j]'), einsum_value('a[k,i] = x[i,k]');
SELECT * FROM einsum_rows('a[i:2,j:3] = e[i,j]') AS t(i int, j int, v tensor) ORDER BY i, j;
SELECT einsum_value('a[i] = x[i,2]'), einsum_value('a[j] = e[1,j]'), einsum_value('b[i] = sum[j] e[i,j]; a[] = b[4]');
SELECT einsum_value('a[i] = argmax[j] e[i,j]'), einsum_value('a[i] = argmin[k] x[i,k]'), einsum_value('a[] = argmax[i] (sum[j] e[i,j])');
CREATE TABLE gap (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO gap VALUES (0, 1, 0.5), (0, 3, 2), (1, 2, 5), (2, 3, -1);
SELECT einsum_register('gap[P,Q]', 'gap', keys => '{i,j}', value => 'v', bounds => '{3,1..3}');
SELECT p, v FROM generate_series(0, 2) AS k, einsum_rows('a[p] = argmax[q] gap[p,q]', at => format('{"p": %s}', k)::json) AS t(p int, v float8);
-- of rows of which some, or all, are missing; each plan finds the same
SELECT n, einsum_value('a[k] = argmax[i] x[i,k]', alternative => n), einsum_value('a[k] = argmin[i] x[i,k]', alternative => n), einsum_value('a[] = argmin[i] (sum[k] x[i,k])', alternative => n)
FROM generate_series(1, 2) n;
SELECT einsum_value('a[k] = argmax[i] x[i,k]*0', alternative => 2), einsum_value('a[j] = argmin[i] e[I,j]'), einsum_value('a[J] = argmin[i] e[I,j]');
BEGIN;
DELETE FROM x;
SELECT n, einsum_value('a[k] = argmax[i] x[i,k]', alternative => n), einsum_value('a[] = argmin[i] (sum[k] x[i,k])', alternative => n) FROM generate_series(1, 2) n;
ROLLBACK;
SELECT einsum_value('a[i,j] = e[i-1,j]'), einsum_value('a[i,k] = x[i,k+1]'), einsum_value('b[i] = sum[j] e[i,j]; a[i] = b[i+2]');
SELECT * FROM einsum_rows('a[i,j] = e[i,j-1]') AS t(i int, j int, v float8) ORDER BY i, j;
SELECT einsum_value('a[i,j] = e[i,j] + 2*eye[i,j]'), einsum_value('a[i,k] = solve(2*eye[i,j] + e[i,j], x[j,k])');
SELECT einsum_value('a = nrow(e) + sum(x)'), einsum_value('a[] = avg[i] (sum[j] e[i,j])'), einsum_value('a[] = prod[i,j] (e[i,j] + 1)');
SELECT einsum_value('a = e %*% x'), einsum_value('a[] = min[i,j] e[i,j]');

-- at, and errors
SELECT * FROM einsum_rows('a[i,j] = e[i,j]', at => '{"i": 4}') AS t(i int, j int, v float8);
SELECT * FROM einsum_rows('a[i,j] = e[i,j]', at => '{"i": 0}') AS t(i int, j int, v float8);
SELECT * FROM einsum_rows('a[i,j] = e[i,j]', at => '{"i": 5}') AS t(i int, j int, v float8);
SELECT einsum_value('a[j] = e[0,j]');
SELECT einsum_value('a[j] = e[5,j]');
CREATE TABLE u (k int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO u VALUES (0, 1), (3, 2);
SELECT einsum_register('u[K]', 'u', keys => '{k}', value => 'v', bounds => '{4}');
SELECT einsum_value('a[i] = e[i,j]*u[j]');
SELECT einsum_value('a[i] = x[i,k]*u[k]');
SELECT einsum_register('u[K]', 'u', keys => '{k}', value => 'v', bounds => '{0..5}', replace => true);
SELECT einsum_value('a[i] = e[i,j]*u[j]');

-- a view is live, its conditions reach the index, and rows outside are errors
SELECT view, notation FROM einsum_decompose('h[i,k] = sum[j] e[i,j]*x[j,k]', 'ones');
SELECT * FROM h WHERE i = 2 ORDER BY k;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT count(*) FROM einsum_decompose('copy[i,j] = 2*e[i,j]', 'two');
EXPLAIN (COSTS OFF) SELECT * FROM copy WHERE i = 2;
RESET enable_seqscan;
RESET enable_bitmapscan;
INSERT INTO e VALUES (5, 1, 1);
SELECT * FROM h;
DELETE FROM e WHERE i = 5;
INSERT INTO e VALUES (0, 1, 1);
SELECT * FROM h;
DELETE FROM e WHERE i = 0;

-- results in tables, refreshed, and new bounds
SELECT view FROM einsum_decompose('t[i,j] = 2*e[i,j]; s[J] = sum[i] t[i,j]', 'three', materialize => 'always') ORDER BY view;
SELECT count(*) FROM einsum_refresh('three');
SELECT * FROM s ORDER BY j;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 's'::regclass AND contype = 'c';
SELECT relation, bounds, status FROM einsum_tensors WHERE program = 'three' ORDER BY 1;
SELECT count(*) FROM einsum_rebound('{"i": "1..6", "j": "1..6"}');
SELECT count(*) FROM einsum_rebound('{"e": ["1..6", "1..6"], "x": ["1..6", null]}');
SELECT tensor, bounds FROM einsum_tensors WHERE tensor IN ('e', 'x', 's', 'h') ORDER BY 1;
INSERT INTO e VALUES (6, 5, 3);
SELECT count(*) FROM einsum_refresh('three');
SELECT * FROM s ORDER BY j;
SELECT * FROM h WHERE i > 3 ORDER BY i, k;
SELECT einsum_drop('three');

-- loops
CREATE TABLE start (id int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO start VALUES (1, 0);
CREATE TABLE road (a int, b int, km float8 NOT NULL, PRIMARY KEY (a, b));
INSERT INTO road VALUES (1, 2, 4), (1, 3, 1), (3, 2, 2), (2, 4, 5);
SELECT einsum_register('road[I,J]', 'road', keys => '{a,b}', value => 'km', bounds => '{1..4,1..4}', fill => 'Infinity'),
	einsum_register('start[I]', 'start', keys => '{id}', value => 'v', bounds => '{1..4}', fill => 'Infinity');
SELECT round, value FROM einsum_iterate('far', init => 'd[i] = start[i]',
	step => 'n[j] = least(d[j], min[i] (d[i] + road[i,j])); changed[] = sum[j] (n[j] <> d[j]); d[j] = n[j]', until => 'changed[] == 0');
SELECT * FROM d ORDER BY 1;
SELECT einsum_value('f[i] = d[i]');

-- storing
SELECT einsum_store('q[I,J]', 'SELECT i, j, v FROM e', '{1..6,1..6}');
SELECT einsum_store('q2[I,j]', 'SELECT i, j, v FROM e', '{1..6,1..6}');
SELECT einsum_store('q3[i:4,j:4]', 'SELECT i, j, v FROM e', '{1..6,1..6}');
SELECT * FROM q2 ORDER BY i;
SELECT * FROM q3 ORDER BY i, j;
SELECT einsum_value('a[] = sum[i,j] (abs(q[i,j] - q2[i,j]) + abs(q2[i,j] - q3[i,j]) + abs(q3[i,j] - e[i,j]))');
SELECT einsum_store('q4[I,J]', 'SELECT i - 1, j, v FROM e', '{1..6,1..6}');

-- arrays: what is stored is a key, what counts is a position
CREATE TABLE arrays (p int[], k int[], v float8[]);
INSERT INTO arrays VALUES ('{0,1,2,3,4}', '{2,3,1,4}', '{5,1,2,-1}');
SELECT einsum_register('csr[I,J]', 'arrays', keys => '{}', layout => 'csr(p,k,v)', bounds => '{1..4,1..4}');
SELECT * FROM einsum_rows('a[i,j] = csr[i,j]') AS t(i int, j int, v float8) ORDER BY i;
-- one key is sought: its range of the arrays is read
CREATE FUNCTION sought(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || query LOOP
		IF line ~ 'First Index|Entries Read' THEN
			RETURN NEXT trim(line);
		END IF;
	END LOOP;
END $$;
SELECT * FROM einsum_rows('a[j] = csr[3,j]') AS t(j int, v float8) ORDER BY j;
SELECT sought(einsum_sql('a[j] = csr[3,j]'));
SELECT * FROM einsum_rows('a[i,j] = csr[i,j]', at => '{"i": 4}') AS t(i int, j int, v float8) ORDER BY j;
SELECT * FROM einsum_rows('a[i,j] = csr[i,j]', at => '{"i": 0}') AS t(i int, j int, v float8) ORDER BY j;
-- of symmetric entries an image has the key of the array where the entry has the position
CREATE TABLE half (p int[], k int[], v float8[]);
INSERT INTO half VALUES ('{0,2,3,3,4}', '{11,13,12,14}', '{5,1,2,-1}');
SELECT einsum_register('half[I,J]', 'half', keys => '{}', layout => 'symmetric csr(p,k,v)', bounds => '{11..14,11..14}');
SELECT einsum_register('half_c[I,J]', 'half', keys => '{}', layout => 'symmetric csc(p,k,v)', bounds => '{11..14,11..14}');
SELECT einsum_value('a[i,j] = half[i,j]'), einsum_value('a[i] = half[i,13]'), einsum_value('a[] = sum[i,j] abs(half[i,j] - half_c[j,i])');
SELECT * FROM einsum_rows('a[i,j] = half[i,j]', at => '{"i": 13}') AS t(i bigint, j bigint, v float8);
UPDATE half SET k = '{11,13,12,13}';
SELECT einsum_value('a[i,j] = half[i,j]');
UPDATE half SET k = '{11,13,10,14}', v = '{5,1,0,-1}';
SELECT einsum_value('a[i,j] = half[i,j]');
UPDATE half SET v = '{5,1,2,-1}';
SELECT einsum_value('a[i,j] = half[i,j]');

-- storing by layout, and of days: what is written is what was given
CREATE TABLE moves (d date, e date, k int, v float8 NOT NULL, PRIMARY KEY (d, e, k));
INSERT INTO moves SELECT '1999-12-30'::date + x, '1999-12-30'::date + y, k, (x * 7 + y * 3 + k) % 5 - 2 FROM generate_series(0, 4) x, generate_series(0, 4) y, generate_series(5, 7) k
WHERE (x * 7 + y * 3 + k) % 5 <> 2 AND (x + y + k) % 3 > 0;
CREATE VIEW dk AS SELECT d, k, sum(v) FROM moves GROUP BY d, k HAVING sum(v) <> 0;
CREATE VIEW kd AS SELECT k, d, sum FROM dk;
CREATE VIEW de AS SELECT d, e, sum(v) FROM moves GROUP BY d, e HAVING sum(v) <> 0;
CREATE VIEW above AS SELECT * FROM de WHERE d <= e;
CREATE VIEW below AS SELECT * FROM de WHERE d >= e;
CREATE VIEW dd AS SELECT * FROM de WHERE d = e;
CREATE VIEW sides AS SELECT d, e, sum(v) FROM (SELECT d, e, v FROM moves UNION ALL SELECT e, d, v FROM moves) x GROUP BY d, e HAVING sum(v) <> 0;
CREATE VIEW dek AS SELECT * FROM moves;
CREATE VIEW kde AS SELECT k, d, e, v FROM moves;
CREATE FUNCTION stored_as() RETURNS TABLE (stored text, types text, equal boolean, at boolean) LANGUAGE plpgsql AS $$
DECLARE
	form text[];
	labels text;
	columns text;
	key text;
	got text;
	expected text;
BEGIN
	FOREACH stored IN ARRAY '{"st[D,K] dk","st[d,K] dk","st[d:2,k:2] dk","st[D,k] dk","st[D,K] dk csr(p,i,v)","st[D,K] dk csc(p,i,v)","st[D,K] dk coo(i,j,v)","st[D,K] dk lists(i,v)","st[D,K] dk zorder(v)",
		"st[K,D] kd lists(i,v)","st[K,D] kd csr(p,i,v)","st[D,E] above band(v,b,a)","st[D,E] below lower(v)","st[D,E] dd diagonal(v)","st[D,E,K] dek csf(a,b,c,w,x,v)","st[K,D,E] kde csr(p,i,v)","st[K,D,E] kde coo(i,j,l,v)",
		"st[D,E] sides symmetric csr(p,i,v)","st[D,E] sides symmetric csc(p,i,v)","st[D,E] sides symmetric","st[D,E] sides symmetric lists(i,v)"}'::text[] LOOP
		form := regexp_match(stored, '(st.*\]) (\w+) ?(.*)');
		labels := lower(regexp_replace(form[1], 'st|:\d', '', 'g'));
		columns := regexp_replace(regexp_replace(trim(labels, '[]'), '([de])', '\1 date', 'g'), 'k', 'k bigint');
		key := CASE WHEN labels ~ '^.k' THEN '6' ELSE '2000-01-01' END;
		PERFORM einsum_store(form[1], 'SELECT * FROM ' || form[2], string_to_array(replace(replace(replace(trim(labels, '[]'), 'd', 'e'), 'e', '1999-12-30..2000-01-03'), 'k', '5..7'), ',')::tensor_bounds, layout => NULLIF(form[3], ''));
		types := (SELECT string_agg(format_type(atttypid, NULL), ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'st'::regclass AND attnum > 0);
		EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r) FROM einsum_rows(%L) AS r(%s, v float8)', format('r%s = st%s', labels, labels), columns) INTO got;
		EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r) FROM %s AS r', form[2]) INTO expected;
		equal := got = expected;
		EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r) FROM einsum_rows(%L, at => %L) AS r(%s, v float8)', format('r%s = st%s', labels, labels),
			json_build_object(substr(labels, 2, 1), key), columns) INTO got;
		EXECUTE format('SELECT string_agg(r::text, '' '' ORDER BY r) FROM %s AS r WHERE %I = %L', form[2], substr(labels, 2, 1), key) INTO expected;
		at := got = expected;
		DROP TABLE st;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM stored_as();
SET sparseeinsum.enable_aggregate_join = force;
SELECT * FROM stored_as() WHERE NOT (equal AND at);
RESET sparseeinsum.enable_aggregate_join;
SELECT einsum_store('late[D]', 'SELECT ''2000-01-04''::date, 1', '{1999-12-30..2000-01-03}');
SELECT einsum_store('late[D]', 'SELECT ''infinity''::date, 1', '{1999-12-30..2000-01-03}', layout => 'coo(d,v)');
SELECT einsum_store('late[D]', 'SELECT 7, 1', '{1999-12-30..2000-01-03}');
SELECT einsum_store('late[D]', 'SELECT ''2000-01-01''::date, 1', '{1999-12-30..2000-01-03}', layout => 'object(o)');
CREATE TABLE days (d date[], k int[], v float8[]);
INSERT INTO days VALUES ('{2000-01-01,2000-01-03}', '{1,2}', '{1,2}');
SELECT einsum_register('days[D]', 'days', keys => '{}', layout => 'coo(d,v)', bounds => '{2000-01-01..2000-01-03}', duplicates => 'trust');
SELECT einsum_value('a[d] = 2*days[d]'), einsum_value('a[d] = days[d-1]'), einsum_value('a[] = sum[d] (days[d] == 0)');
SELECT einsum_register('open[D]', 'days', keys => '{}', layout => 'coo(d,v)', bounds => '{*}', duplicates => 'trust');
SELECT * FROM einsum_rows('a[d] = open[d]') AS t(d date, v float8) ORDER BY d;
SELECT einsum_register('x1[D]', 'days', keys => '{}', layout => 'coo(k,v)', bounds => '{2000-01-01..2000-01-03}', duplicates => 'trust');
SELECT einsum_register('x2[D]', 'days', keys => '{}', layout => 'coo(d,v)', bounds => '{3}', duplicates => 'trust');
SELECT einsum_register('x3[I,J]', 'days', keys => '{}', layout => 'csr(d,k,v)', bounds => '{3,3}');
SELECT e.* FROM days, einsum_entries('coo', 0, d, v) AS e(d date, v float8);
SELECT e.* FROM days, einsum_entries('coo', 0, d, v) AS e(d bigint, v float8);
UPDATE days SET d = '{2000-01-01,2000-01-04}';
SELECT einsum_value('a[d] = 2*days[d]');
UPDATE days SET d = '{2000-01-01,infinity}';
SELECT einsum_value('a[d] = 2*days[d]');
DROP TABLE days;
-- positions along a curve count from the first keys
CREATE TABLE curve (v float8[]);
INSERT INTO curve VALUES ('{1,2,3,4,0,6,0,8}');
SELECT einsum_register('curve[I,J]', 'curve', keys => '{}', layout => 'zorder(v)', bounds => '{-3..0,7..8}');
SELECT einsum_value('a[i,j] = curve[i,j]'), einsum_value('a[i] = curve[i,8]');
SELECT * FROM einsum_rows('a[i,j] = curve[i,j]', at => '{"i": -2}') AS t(i bigint, j bigint, v float8) ORDER BY i, j;
UPDATE arrays SET k = '{2,3,0,4}';
SELECT * FROM einsum_rows('a[i,j] = csr[i,j]') AS t(i int, j int, v float8) ORDER BY i;

SELECT einsum_analyze('e'), einsum_analyze('x');
SELECT einsum_value('a[i] = sum[j] e[i,j]');
-- a label that says otherwise
SECURITY LABEL FOR sparseeinsum ON TABLE u IS '{"version":4,"tensors":[{"tensor":"u","notation":"u[K]","keys":["k"],"value":"v","bounds":["4..1"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE u IS '{"version":3,"tensors":[{"tensor":"u","notation":"u[K]","keys":["k"],"value":"v","bounds":["0..4"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
-- days
CREATE TABLE sale (shop int, day date, pieces int NOT NULL, PRIMARY KEY (shop, day));
INSERT INTO sale VALUES (1, '2020-01-30', 2), (1, '2020-02-01', 3), (2, '2020-01-31', 1), (2, '2020-02-02', 4);
CREATE TABLE price (day date PRIMARY KEY, eur float8 NOT NULL);
INSERT INTO price SELECT '2020-01-30'::date + n, 1 + n FROM generate_series(0, 3) AS n;
CREATE TABLE week (shop int PRIMARY KEY, v float8[] NOT NULL);
INSERT INTO week VALUES (1, '{1,0,0,2}'), (2, '{0,1,1,0}');
SELECT einsum_register('sale[S,DAY]', 'sale', keys => '{shop,day}', value => 'pieces', bounds => '{1..2,2020-01-30..2020-02-02}'),
	einsum_register('price[DAY]', 'price', keys => '{day}', value => 'eur', bounds => '{2020-01-30..2020-02-02}'),
	einsum_register('week[S,day]', 'week', keys => '{shop}', value => 'v', bounds => '{1..2,2020-01-30..2020-02-02}');
SELECT tensor, bounds, status FROM einsum_tensors WHERE tensor IN ('sale', 'price', 'week') ORDER BY 1;
SELECT view, columns FROM einsum_decompose('earned[s,day] = sale[s,day]*price[day]; daily[day] = sum[s] earned[s,day] + 1', 'takings');
SELECT * FROM daily ORDER BY day;
SELECT * FROM earned WHERE day = '2020-02-02' ORDER BY s;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM price WHERE day = '2020-02-02';
SELECT count(*) FROM einsum_decompose('twice[day] = 2*price[day]', 'twice');
EXPLAIN (COSTS OFF) SELECT * FROM twice WHERE day = '2020-02-02';
RESET enable_seqscan;
RESET enable_bitmapscan;
SELECT einsum_value('a[day] = price[day]'), einsum_value('a[s,day] = sale[s,day] + week[s,day]'), einsum_value('a[s] = sum[day] week[s,day]*price[day]');
SELECT einsum_value('a[day] = price[day-1]'), einsum_value('a[s,day] = week[s,day+2]'), einsum_value('a[day] = price[day-9]'), einsum_value('b[day] = sum[s] sale[s,day]; a[day] = b[day+1]');
SELECT * FROM einsum_rows('a[s,day] = week[s,day]') AS t(s int, day date, v float8) ORDER BY s, day;
SELECT * FROM einsum_rows('a[day] = price[day+1]') AS t(day date, v float8) ORDER BY day;
SELECT * FROM einsum_rows('a[S,day:3] = sale[s,day]') AS t(s int, day int, v tensor) ORDER BY s, day;
SELECT * FROM einsum_rows('a[day,s] = sale[s,day-1]', at => '{"day": "2020-02-01"}') AS t(day date, s int, v float8) ORDER BY s;
SELECT * FROM einsum_rows('a[day] = price[day]', at => '{"day": "2020-02-03"}') AS t(day date, v float8);
SELECT * FROM einsum_rows('a[day] = price[day]', at => '{"day": 3}') AS t(day date, v float8);
SELECT einsum_value('a[s] = sale[s,3]');
SELECT einsum_value('a[s] = argmax[day] sale[s,day]');
SELECT einsum_value('a[day] = price[day] + start[day]');
INSERT INTO price VALUES ('infinity', 1);
SELECT * FROM daily;
DELETE FROM price WHERE day = 'infinity';
SELECT einsum_register('p[DAY]', 'price', keys => '{day}', value => 'eur', bounds => '{4}');
SELECT einsum_register('p[DAY]', 'price', keys => '{day}', value => 'eur', bounds => '{1..4}');
SELECT einsum_register('p[DAY]', 'price', keys => '{day}', value => 'eur', bounds => '{2020-01-30..2020-02-01}');
SELECT einsum_register('p[DAY]', 'price', keys => '{day}', value => 'eur', bounds => '{2020-01-30..2020-02-30}');
SELECT einsum_register('p[S]', 'week', keys => '{shop}', value => 'shop', bounds => '{2020-01-30..2020-02-02}');
SELECT view FROM einsum_decompose('kept[day] = sum[s] sale[s,day]', 'kept', materialize => 'always');
SELECT count(*) FROM einsum_refresh('kept');
SELECT * FROM kept ORDER BY day;
SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'kept'::regclass AND contype = 'c';
SELECT round, value FROM einsum_iterate('moved', init => 'm[day] = price[day]', step => 'm[day] = m[day-1]; t[] = sum[day] m[day]', until => 't[] < 5');
SELECT * FROM m ORDER BY day;
SELECT einsum_analyze('sale');
SELECT count(*) FROM einsum_rebound('{"day": "2020-01-30..2020-02-04"}');
SELECT count(*) FROM einsum_rebound('{"price": ["2020-01-30..2020-02-04"], "sale": [null, "2020-01-30..2020-02-04"]}');
SELECT bounds FROM einsum_tensors WHERE tensor = 'price';
-- extremes among few rows of many, and of none
CREATE TABLE few (k int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('few[K]', 'few', keys => '{k}', value => 'v', bounds => '{-9..90}');
SELECT einsum_value('a[] = argmax[k] few[k]'), einsum_value('a[] = argmin[k] few[k]');
INSERT INTO few VALUES (-9, 1), (-7, 2);
SELECT einsum_value('a[] = argmax[k] few[k]'), einsum_value('a[] = argmin[k] few[k]'), einsum_value('a[] = argmax[k] (0 - few[k])');
-- keys and constants beyond int4
CREATE TABLE wide (k bigint PRIMARY KEY, v float8[] NOT NULL);
INSERT INTO wide VALUES (9007199254740991, '{1,2}'), (9007199254740990, '{3,4}');
SELECT einsum_register('wide[K,j]', 'wide', keys => '{k}', value => 'v', bounds => '{9007199254740990..9007199254740992,5000000000..5000000001}');
SELECT einsum_value('a[j] = wide[9007199254740991,j]'), einsum_value('a[k] = wide[k,5000000001]'), einsum_value('b[k,j] = 2*wide[k,j]; a[] = b[9007199254740990,5000000000]');
SELECT einsum_value('a[j] = wide[9007199254740992,j]');
-- a key out of range that cannot be shifted is an error, also where an index is read
CREATE TABLE lowest (k bigint PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('lowest[K]', 'lowest', keys => '{k}', value => 'v', bounds => '{-9223372036854775808..-9223372036854775805}');
INSERT INTO lowest VALUES (-9223372036854775808, 1), (-9223372036854775806, 2);
SET enable_seqscan = off;
SELECT einsum_value('a[k] = lowest[k-1]'), einsum_value('a[k] = lowest[k+1]');
INSERT INTO lowest VALUES (9223372036854775807, 1);
SELECT einsum_value('a[k] = lowest[k-1]');
RESET enable_seqscan;
-- days at the ends of the type, and beyond those of a bound
CREATE TABLE late (day date PRIMARY KEY, v float8 NOT NULL);
INSERT INTO late VALUES ('5874897-12-31', 3), ('5874897-12-29', 1);
SELECT einsum_register('late[D]', 'late', keys => '{day}', value => 'v', bounds => '{5874897-12-28..5874897-12-31}');
SELECT einsum_value('a[d] = late[d-1]'), einsum_value('a[d] = late[d+1]');
SELECT * FROM einsum_rows('a[d] = late[d+1]', at => '{"d": "5874897-12-31"}') AS t(day date, v float8);
SELECT view FROM einsum_decompose('latest[d] = late[d]', 'latest', materialize => 'always');
SELECT einsum_drop('latest');
CREATE TABLE far_days (day date PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('far_days[D]', 'far_days', keys => '{day}', value => 'v', bounds => '{0001-01-01..9999-12-31}');
INSERT INTO far_days VALUES ('0001-01-01', 3), ('9999-12-31', 4);
SELECT * FROM einsum_rows('a[d] = far_days[d-3000000] + far_days[d+3000000]') AS t(day date, v float8) ORDER BY day;
INSERT INTO far_days VALUES ('infinity', 3);
SELECT * FROM einsum_rows('a[d] = far_days[d-3000000]') AS t(day date, v float8);
SELECT einsum_analyze('far_days');
UPDATE far_days SET day = '0044-03-15 BC' WHERE day = 'infinity';
SELECT einsum_analyze('far_days');
-- a call that no view has
SELECT k FROM few WHERE sparseeinsum_internal.einsum_key_in_range(k, '-4611686018427387904'::int8, 'few', 'k');
SELECT einsum_drop('ones'), einsum_drop('two'), einsum_drop('far'), einsum_drop('takings'), einsum_drop('kept'), einsum_drop('moved'), einsum_drop('twice');
DROP SCHEMA origins CASCADE;
