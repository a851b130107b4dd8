-- Key columns with ranges of keys: a row holds its value at each key in its range.
\set SHOW_CONTEXT never
CREATE SCHEMA ranges_test;
SET search_path = ranges_test, public, sparseeinsum_internal;
CREATE TABLE rate (d int4range NOT NULL, r float8, EXCLUDE USING gist (d WITH &&));
INSERT INTO rate VALUES ('[0,3)', 2), ('[3,5)', -1), ('[6,6]', 4), ('empty', 7), (int4range(10, NULL), 3), ('[8,9)', NULL);
CREATE TABLE price (p int NOT NULL, d int4range, v float8 NOT NULL);
INSERT INTO price SELECT p, int4range(5 * k, 5 * k + 1 + (p + k) % 5), (p * 7 + k * 3) % 5 - 2 FROM generate_series(0, 5) p, generate_series(0, 3) k
WHERE (p + k) % 7 <> 2;
INSERT INTO price VALUES (2, NULL, 9);
CREATE TABLE sale (p int, d bigint, n float8, PRIMARY KEY (p, d));
INSERT INTO sale SELECT p, d, (p * d) % 4 FROM generate_series(0, 5) p, generate_series(0, 19) d WHERE (p * 3 + d) % 4 <> 1;
-- the same as rows
CREATE VIEW rate_row AS SELECT d, r FROM (SELECT generate_series(COALESCE(lower(d), 0), COALESCE(upper(d), 20) - 1) AS d, r FROM rate WHERE NOT isempty(d)) x;
CREATE VIEW price_row AS SELECT p, generate_series(lower(d), upper(d) - 1) AS d, v FROM price;

-- what proves that keys are unique
SELECT einsum_register('price[P,D]', 'price', keys => '{p,d}', value => 'v', bounds => '{6,20}');
CREATE UNIQUE INDEX ON price (p, d);
ALTER TABLE price ALTER d SET NOT NULL;
SELECT einsum_register('price[P,D]', 'price', keys => '{p,d}', value => 'v', bounds => '{6,20}');
DELETE FROM price WHERE d IS NULL;
ALTER TABLE price ALTER d SET NOT NULL;
SELECT einsum_register('price[P,D]', 'price', keys => '{p,d}', value => 'v', bounds => '{6,20}');
ALTER TABLE price ALTER d DROP NOT NULL;
INSERT INTO price VALUES (2, NULL, 9);
SELECT einsum_register('price[P,D]', 'price', keys => '{p,d}', value => 'v', bounds => '{6,20}', duplicates => 'trust');
SELECT einsum_register('rate[D]', 'rate', keys => '{d}', value => 'r', bounds => '{20}');
SELECT einsum_register('sale[P,D]', 'sale', keys => '{p,d}', value => 'n', bounds => '{6,20}');
SELECT einsum_register('rate_row[D]', 'rate_row', keys => '{d}', value => 'r', bounds => '{20}', duplicates => 'trust');
SELECT einsum_register('price_row[P,D]', 'price_row', keys => '{p,d}', value => 'v', bounds => '{6,20}', duplicates => 'trust');
SELECT tensor, notation, keys, value, bounds, duplicates, status FROM einsum_tensors WHERE relation::text IN ('rate', 'price') ORDER BY 1;
SELECT objoid::regclass, label FROM pg_seclabel WHERE objoid IN ('rate'::regclass, 'price'::regclass) ORDER BY 1;
SELECT statistic, labels, given, count FROM einsum_analyze('rate') ORDER BY 1, 2, 3;

-- programs over ranges are the same as over rows, whichever plan is chosen
CREATE FUNCTION check_ranges() RETURNS TABLE (program text, same boolean, entries bigint) LANGUAGE plpgsql AS $$
DECLARE
	columns text;
	got text;
BEGIN
	FOR program, columns IN VALUES
		('y[d] = rate[d]', 'd int, v float8'), ('y[] = rate[d]', 'v float8'), ('y[] = max[d](rate[d])', 'v float8'),
		('y[] = prod[d](rate[d] + 1)', 'v float8'), ('y[] = min[d](rate[d])', 'v float8'), ('y[] = prod[d](rate[d])', 'v float8'),
		('y[p] = price[p,d]', 'p int, v float8'), ('y[d] = price[p,d]', 'd int, v float8'),
		('y[p] = max[d](price[p,d])', 'p int, v float8'), ('y[p] = min[d](exp(price[p,d]))', 'p int, v float8'),
		('y[p] = sum[d](price[p,d] * price[p,d])', 'p int, v float8'), ('y[p] = sum[d](exp(0 * price[p,d]))', 'p int, v float8'),
		('y[p] = price[p,d] * sale[p,d]', 'p int, v float8'), ('y[p] = price[p,d] * sale[p,d] * rate[d]', 'p int, v float8'),
		('y[p,q] = price[p,d] * price[q,d]', 'p int, q int, v float8'), ('y[p,d] = price[p,d] + sale[p,d]', 'p int, d int, v float8'),
		('y[p] = sale[p,d] * exp(rate[d])', 'p int, v float8'),
		('y[d] = rate[d] - price[2,d]', 'd int, v float8'), ('y[p] = price[p,3]', 'p int, v float8'), ('y[p,d] = price[p,d-1]', 'p int, d int, v float8'),
		('y[] = sum[d,e](rate[d] * rate[e])', 'v float8'), ('y[p] = sum[d,e](price[p,d] * rate[e])', 'p int, v float8'),
		('y[p] = sum[d](if(price[p,d] > 0, 1, 0))', 'p int, v float8'), ('y[] = (sum[d] rate[d]) / (sum[d] rate[d]^0)', 'v float8')
	LOOP
		got := einsum_value(program);
		same := got = einsum_value(regexp_replace(program, '\m(rate|price)\[', '\1_row[', 'g'))::text;
		entries := (SELECT count(*) FROM regexp_matches(got, '[1-9][0-9.e-]*', 'g'));
		-- rows are read as they are
		EXECUTE format('SELECT count(*) FROM einsum_rows(%L) AS r(%s)', program, columns);
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM check_ranges();
SET sparseeinsum.enable_aggregate_join = force;
SELECT * FROM check_ranges() WHERE NOT same;
SET sparseeinsum.enable_aggregate_join = off;
SELECT * FROM check_ranges() WHERE NOT same;
SET enable_hashjoin = off;
SELECT * FROM check_ranges() WHERE NOT same;
RESET enable_hashjoin;
RESET sparseeinsum.enable_aggregate_join;

-- in a loop nest a range is a run of keys, which is looked up in; no key becomes a row
CREATE TABLE term (p int NOT NULL, d int4range NOT NULL, v float8 NOT NULL);
CREATE TABLE rebate (d int4range NOT NULL, v float8 NOT NULL, EXCLUDE USING gist (d WITH &&));
CREATE TABLE deal (p int, d int, n float8 NOT NULL, PRIMARY KEY (p, d));
INSERT INTO term SELECT p, int4range(50 * k + p, 50 * k + p + 1 + (p + k) % 50), (p * 7 + k * 3) % 5 - 2 FROM generate_series(0, 39) p, generate_series(0, 19) k;
INSERT INTO rebate SELECT int4range(7 * k, 7 * k + 1 + k % 7), k % 3 + 1 FROM generate_series(0, 139) k;
INSERT INTO deal SELECT p, 13 * d % 1000, (p + d) % 4 FROM generate_series(0, 39) p, generate_series(0, 99) d;
CREATE TABLE act (p int, d int, n float8 NOT NULL, PRIMARY KEY (p, d));
INSERT INTO act SELECT p, d, (p + d) % 3 FROM generate_series(0, 39) p, generate_series(0, 1039) d WHERE (p + d) % 4 > 0;
CREATE VIEW term_row AS SELECT p, generate_series(lower(d), upper(d) - 1) AS d, v FROM term;
CREATE VIEW rebate_row AS SELECT generate_series(lower(d), upper(d) - 1) AS d, v FROM rebate;
SELECT einsum_register('term[P,D]', 'term', keys => '{p,d}', value => 'v', bounds => '{40,1040}', duplicates => 'trust');
SELECT einsum_register('rebate[D]', 'rebate', keys => '{d}', value => 'v', bounds => '{1040}');
SELECT einsum_register('deal[P,D]', 'deal', keys => '{p,d}', value => 'n', bounds => '{40,1040}');
SELECT einsum_register('act[P,D]', 'act', keys => '{p,d}', value => 'n', bounds => '{40,1040}');
SELECT einsum_register('term_row[P,D]', 'term_row', keys => '{p,d}', value => 'v', bounds => '{40,1040}', duplicates => 'trust');
SELECT einsum_register('rebate_row[D]', 'rebate_row', keys => '{d}', value => 'v', bounds => '{1040}', duplicates => 'trust');
ANALYZE term, rebate, deal, act;
CREATE FUNCTION check_runs() RETURNS TABLE (program text, same boolean, formats text, enumerated bigint) LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOREACH program IN ARRAY ARRAY['y[p] = sum[d] term[p,d]*deal[p,d]', 'y[d] = sum[p] term[p,d]*deal[p,d]', 'y[p] = sum[d] deal[p,d]*rebate[d]',
		'y[p,d] = deal[p,d]*rebate[d]*term[p,d]', 'y[p] = sum[d] term[p,d]*rebate[d]', 'y[p] = max[d] term[p,d]*rebate[d]', 'y[p,q] = sum[d] term[p,d]*deal[q,d]',
		'y[p] = sum[d] deal[p,d]*(1 + term[p,d])', 'y[p] = sum[d,e] term[p,d]*rebate[e]*deal[p,e]', 'y[d] = sum[p] term[p,d]',
		'y[p] = sum[d] term[p,d]*act[p,d]', 'y[p,d] = term[p,d]*act[p,d]*rebate[d]'] LOOP
		same := einsum_value(program) = einsum_value(regexp_replace(program, '\m(term|rebate)\[', '\1_row[', 'g'));
		formats := NULL;
		enumerated := 0;
		FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ' || einsum_sql(program) LOOP
			formats := COALESCE(formats, substring(line FROM 'Formats: (.*)'));
			enumerated := enumerated + COALESCE(substring(line FROM 'Keys Enumerated: (.*)')::bigint, 0);
		END LOOP;
		RETURN NEXT;
	END LOOP;
END $$;
SET sparseeinsum.enable_aggregate_join = force;
SET max_parallel_workers_per_gather = 0;
SELECT * FROM check_runs();
-- also where operands do not fit in memory, and by several processes
SET work_mem = '64kB';
SELECT * FROM check_runs() WHERE NOT same;
RESET work_mem;
RESET max_parallel_workers_per_gather;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT * FROM check_runs() WHERE NOT same;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
-- runs that overlap, whose values add up
INSERT INTO term VALUES (3, '[130,240)', 5), (0, '[1,3)', 1), (4, '[104,105)', 2);
SELECT einsum_register('term[P,D]', 'term', keys => '{p,d}', value => 'v', bounds => '{40,1040}', duplicates => 'sum', replace => true);
SELECT einsum_register('term_row[P,D]', 'term_row', keys => '{p,d}', value => 'v', bounds => '{40,1040}', duplicates => 'sum', replace => true);
SET max_parallel_workers_per_gather = 0;
SELECT * FROM check_runs() WHERE program ~ 'term';
RESET max_parallel_workers_per_gather;
RESET sparseeinsum.enable_aggregate_join;

-- keys that a query gives are looked up
SELECT * FROM einsum_rows('y[d] = rate[d]', at => '{"d": 4}') AS y(d int, v float8);
SELECT * FROM einsum_rows('y[d] = rate[d]', at => '{"d": 7}') AS y(d int, v float8);
SELECT * FROM einsum_rows('y[p,d] = price[p,d] * rate[d]', at => '{"p": 3, "d": 10}') AS y(p int, d int, v float8);
SELECT * FROM einsum_rows('y[p,d] = price_row[p,d] * rate_row[d]', at => '{"p": 3, "d": 10}') AS y(p int, d int, v float8);
SELECT count(*) FROM einsum_decompose('of_day[d] = rate[d] * sum[p] price[p,d]', 'of_day');
SELECT * FROM of_day WHERE d = 10;

-- so are those that a condition on a view gives, by an index on the ranges
CREATE TABLE fee (d int4range NOT NULL, v float8 NOT NULL, EXCLUDE USING gist (d WITH &&));
INSERT INTO fee SELECT int4range(10 * k, 10 * k + 1 + k % 10), k % 7 - 3 FROM generate_series(0, 999) k;
INSERT INTO fee VALUES ('[19990,)', 5);
CREATE VIEW fee_row AS SELECT generate_series(lower(d), COALESCE(upper(d), 20000) - 1) AS d, v FROM fee;
ANALYZE fee;
SELECT einsum_register('fee[D]', 'fee', keys => '{d}', value => 'v', bounds => '{20000}');
SELECT einsum_register('fee_row[D]', 'fee_row', keys => '{d}', value => 'v', bounds => '{20000}', duplicates => 'trust');
SELECT count(*) FROM einsum_decompose('fee_at[d] = 2*fee[d]; fee_before[D] = fee[d-1]; fee_after[D] = 3*fee[d+2]', 'fees');
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		lines := lines || line;
	END LOOP;
	RETURN lines;
END $$;
SELECT v, plan_of(format('SELECT * FROM %I WHERE d = 4321', v)) ~ 'Index Cond: \(d @> ' AS by_index FROM unnest('{fee_at,fee_before,fee_after}'::text[]) v;
SELECT plan_of('SELECT * FROM fee_at WHERE d = (SELECT 4321)') ~ 'Index Cond: \(d @> ' AS by_index, plan_of('SELECT * FROM fee_at WHERE d = 4321::bigint') ~ 'Index Cond: \(d @> ' AS of_bigint,
plan_of('SELECT * FROM fee_at WHERE d = 9999999999') ~ 'Index Cond' AS beyond;
CREATE FUNCTION at_keys() RETURNS TABLE (d int, same boolean) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH d IN ARRAY '{0,1,9,10,11,12,4319,4320,4321,4325,9990,9999,10000,19989,19990,19991,19999,20000,-1,-2}'::int[] LOOP
		same := (SELECT sum(value) FROM fee_at f WHERE f.d = at_keys.d) IS NOT DISTINCT FROM (SELECT sum(2 * v) FROM fee_row f WHERE f.d = at_keys.d)
			AND (SELECT sum(value) FROM fee_before f WHERE f.d = at_keys.d) IS NOT DISTINCT FROM (SELECT sum(v) FROM fee_row f WHERE f.d = at_keys.d - 1 AND f.d < 19999)
			AND (SELECT sum(value) FROM fee_after f WHERE f.d = at_keys.d) IS NOT DISTINCT FROM (SELECT sum(3 * v) FROM fee_row f WHERE f.d = at_keys.d + 2 AND f.d > 1);
		RETURN NEXT;
	END LOOP;
END $$;
SELECT count(*) FROM at_keys() WHERE same;
SELECT query, plan_of('SELECT * FROM fee_at WHERE ' || query) ~ 'Index Cond: [^:]*d && ' AS by_index FROM unnest(ARRAY['d >= 9981', 'd < 25', '25 >= d', 'd > 4321 AND d <= 4340::bigint', 'd BETWEEN 4321 AND 4340']) query;
SELECT einsum_sql('y[d] = fee[d-1]', at => '{d}') AS query \gset
PREPARE fee_point AS :query;
SELECT plan_of('SELECT * FROM fee_at WHERE d = ANY (ARRAY[4321])') ~ 'Index Cond: \(d @> ' AS by_index, plan_of('EXECUTE fee_point(4321)') ~ 'Index Cond: \(d @> ' AS of_point;
DEALLOCATE fee_point;
CREATE FUNCTION between_keys() RETURNS TABLE (condition text, same boolean) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH condition IN ARRAY '{d > 9989,d >= 9990,d < 11,d <= 11,11 > d,19989 <= d,d BETWEEN 4319 AND 4325,d > 4319 AND d < 4325,d >= 20000,d < 0,d > 9999999999,d <= 9999999999,d > 2147483647,d <= 2147483647,d >= -2147483648,d <> 4320,d >= 10 AND d = 11}'::text[] LOOP
		EXECUTE format('SELECT (SELECT array_agg(value ORDER BY d) FROM fee_at WHERE %1$s) IS NOT DISTINCT FROM (SELECT array_agg(2 * v ORDER BY d) FROM fee_row WHERE %1$s)
			AND (SELECT array_agg(value ORDER BY d) FROM fee_before WHERE %1$s) IS NOT DISTINCT FROM (SELECT array_agg(v ORDER BY d) FROM (SELECT d + 1 AS d, v FROM fee_row WHERE d < 19999) f WHERE %1$s)', condition) INTO same;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT count(*) FROM between_keys() WHERE same;
SET enable_seqscan = off;
SELECT count(*) FROM between_keys() WHERE same;
RESET enable_seqscan;
SET plan_cache_mode = force_generic_plan;
SELECT count(*) FROM at_keys() WHERE same;
RESET plan_cache_mode;
-- not beside an outer join, whose rows the condition does not leave out
SELECT f.d, e.k FROM fee f LEFT JOIN LATERAL einsum_range_keys(f.d, 0, 20000, 'fee', 'd') AS e(k) ON e.k = 12 WHERE lower(f.d) < 30 ORDER BY 1;
-- workers do not look up a key that an outer query gives: only the leader knows it
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_indexscan = off;
SET enable_bitmapscan = off;
SET parallel_leader_participation = off;
SELECT sum((SELECT sum(abs(value)) FROM fee_at WHERE d = k)), (SELECT sum(abs(2 * v)) FROM fee_row WHERE d % 1000 = 10 AND d < 10000) FROM generate_series(10, 9999, 1000) k;
SELECT plan_of('SELECT (SELECT sum(value) FROM fee_at WHERE d = k) FROM generate_series(10, 20) k') ~ 'Gather' AS by_workers;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET enable_indexscan;
RESET enable_bitmapscan;
RESET parallel_leader_participation;
DROP VIEW fee_at, fee_before, fee_after;

-- long ranges are not enumerated, but looked up in
CREATE TABLE net (addresses int8range, region float8 NOT NULL, EXCLUDE USING gist (addresses WITH &&));
INSERT INTO net SELECT int8range(a * 1000000000, a * 1000000000 + 900000000), a FROM generate_series(0::bigint, 99) a;
INSERT INTO net VALUES (int8range(200000000000, NULL), 1000), (int8range('-5', '-3'), -1);
CREATE TABLE visit (address bigint, n int NOT NULL);
INSERT INTO visit SELECT 123456789 * a, a FROM generate_series(0::bigint, 800, 100) a;
INSERT INTO visit VALUES (300000000000, 1);
SELECT einsum_register('net[A]', 'net', keys => '{addresses}', value => 'region', bounds => '{1000000000000}');
DELETE FROM net WHERE region < 0;
SELECT einsum_register('net[A]', 'net', keys => '{addresses}', value => 'region', bounds => '{1000000000000}');
ANALYZE net, visit;
SELECT einsum_register('visit[A]', 'visit', keys => '{address}', value => 'n', bounds => '{1000000000000}', duplicates => 'sum');
SELECT einsum_sql('y[] = net[a] * visit[a]') ~ '<@' AS looked_up;
SELECT einsum_value('y[] = net[a] * visit[a]'), sum(region * n) FROM net JOIN visit ON address <@ addresses;
SELECT einsum_value('y[] = net[a]'), sum(region * (COALESCE(upper(addresses), 1000000000000) - lower(addresses))) FROM net;
SELECT einsum_value('y[] = max[a] net[a]');
SELECT einsum_sql('y[] = net[a]') ~ 'einsum_range_length' AS by_length;
SELECT * FROM einsum_rows('y[a] = net[a]', at => '{"a": 42000000007}') AS y(a bigint, v float8);
SELECT * FROM einsum_rows('y[a] = net[a]') AS y(a bigint, v float8);
SELECT einsum_register('net4[A]', 'net', keys => '{addresses}', value => 'region', bounds => '{*}');
-- an aggregate over a label alone takes the length of ranges, also where entries are missing
CREATE TABLE era (g int NOT NULL, y int4range NOT NULL, v float8 NOT NULL);
INSERT INTO era VALUES (0, '[0,400)', 2), (0, '[500,800)', -1), (1, '[10,10]', 3), (1, 'empty', 9), (2, '[0,1000)', 1), (3, '(,400)', 5), (3, '[999999600,)', 5);
CREATE VIEW era_row AS SELECT g, generate_series(COALESCE(lower(y), 0), COALESCE(upper(y), 1000000000) - 1) AS y, v FROM era WHERE NOT isempty(y);
SELECT einsum_register('era[G,Y]', 'era', keys => '{g,y}', value => 'v', bounds => '{5,1000000000}', duplicates => 'trust');
SELECT einsum_register('era_row[G,Y]', 'era_row', keys => '{g,y}', value => 'v', bounds => '{5,1000000000}', duplicates => 'trust');
CREATE FUNCTION check_eras() RETURNS TABLE (program text, by_length boolean, same boolean, result text) LANGUAGE plpgsql AS $$
DECLARE
	expected text;
BEGIN
	FOREACH program IN ARRAY '{y[g] = era[g\,y],y[g] = sum[y](exp(0*era[g\,y])),y[g] = min[y](era[g\,y]),y[g] = max[y](era[g\,y]),
		y[g] = prod[y](if(era[g\,y] == 2\, 0.5\, 1)),y[g] = prod[y](if(era[g\,y] == 3\, 2\, 1)),y[g] = sum[y](era[g\,y] == 2),y[] = era[g\,y]}'::text[] LOOP
		by_length := einsum_sql(program) ~ 'einsum_range_length';
		EXECUTE format('SELECT einsum_value(%L)::text', program) INTO result;
		EXECUTE format('SELECT einsum_value(%L)::text', replace(program, 'era[', 'era_row[')) INTO expected;
		same := result = expected;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM check_eras();
-- statistics of fewer than two ranges that are not empty, and of infinite ones
CREATE TABLE lone (d int4range, v float8 NOT NULL, EXCLUDE USING gist (d WITH &&));
SELECT einsum_register('lone[D]', 'lone', keys => '{d}', value => 'v', bounds => '{6}');
INSERT INTO lone VALUES ('empty', 1);
ANALYZE lone;
SELECT einsum_value('y[] = sum[d] lone[d]'), einsum_value('y[d] = 2*lone[d]');
INSERT INTO lone VALUES ('[1,3)', 1);
ANALYZE lone;
SELECT einsum_value('y[] = sum[d] lone[d]'), einsum_value('y[d] = 2*lone[d]');
INSERT INTO lone VALUES ('[4,)', 1);
ANALYZE lone;
CREATE FUNCTION planned_rows(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan->0->'Plan'->>'Plan Rows';
END $$;
SELECT planned_rows($$SELECT FROM lone, LATERAL einsum_range_keys(d, 0, 6, 'lone', 'd')$$);
SELECT einsum_value('y[] = sum[d] lone[d]'), einsum_value('y[d] = 2*lone[d]');
-- statistics of ranges are those of rows, and no key is enumerated; of very many cells a sample is counted
CREATE TABLE lease (p int NOT NULL, d int4range, e daterange, v float8[] NOT NULL);
INSERT INTO lease SELECT p, int4range(5 * k, 5 * k + 1 + (p + k) % 5), daterange(date '2020-01-01' + 3 * (k + p), date '2020-01-02' + 4 * (k + p)),
ARRAY[p * k % 2, k] FROM generate_series(0, 5) p, generate_series(0, 3) k WHERE (p + k) % 7 <> 2;
INSERT INTO lease VALUES (3, '[0,3)', daterange(NULL, '2020-01-03'), '{1,1}'), (4, '[19,)', '[2020-12-30,infinity]', '{1,0}'), (4, 'empty', '[2020-02-01,2020-03-01]', '{1,0}');
CREATE VIEW lease_row AS SELECT p, d1 AS d, e1::date AS e, v FROM lease, generate_series(lower(d), COALESCE(upper(d), 20) - 1) d1,
generate_series(COALESCE(lower(e), '2020-01-01')::timestamp, LEAST(upper(e) - 1, '2020-12-31'), '1 day') e1;
SELECT einsum_register(t || '[P,D,E,k]', t::regclass, keys => '{p,d,e}', value => 'v', bounds => '{6,20,2020-01-01..2020-12-31,2}', duplicates => 'sum') FROM unnest('{lease,lease_row}'::text[]) t;
CREATE VIEW rent AS SELECT * FROM lease WHERE NOT lower_inf(e) AND upper(e) < 'infinity';
CREATE VIEW rent_row AS SELECT r.* FROM lease_row r JOIN rent s ON r.p = s.p AND r.d <@ s.d AND r.e <@ s.e;
SELECT einsum_register(t || '[P,D,E]', t::regclass, keys => '{p,d,e}', bounds => '{6,20,*}', duplicates => 'sum') FROM unnest('{rent,rent_row}'::text[]) t;
SELECT t AS tensor, count(*), count(*) FILTER (WHERE a IS DISTINCT FROM b) AS different FROM unnest('{price,rate,lease,term,rent}'::text[]) t,
LATERAL (SELECT a, b FROM einsum_analyze(t) a FULL JOIN einsum_analyze(t || '_row') b
	ON (a.statistic, a.labels) = (b.statistic, b.labels) AND a.given IS NOT DISTINCT FROM b.given) m GROUP BY t ORDER BY t;
SELECT t AS tensor, count(*) AS moments, count(*) FILTER (WHERE (a).square IS DISTINCT FROM (b).square OR (a).cube IS DISTINCT FROM (b).cube) AS different
FROM unnest('{price,rate,lease,term,rent}'::text[]) t,
LATERAL (SELECT a, b FROM known_moments(t || '_row') b LEFT JOIN known_moments(t) a USING (statistic, labels, given) WHERE statistic = 'degree' OR labels = given) m GROUP BY t ORDER BY t;
SELECT statistic, labels, given, count FROM einsum_analyze('net');
CREATE TABLE crowd (p int NOT NULL, d int8range, v float8 NOT NULL);
INSERT INTO crowd SELECT hashint4(x) & 31, int8range(x * 1000000::bigint - (hashint4(x) & 1073741823), x * 1000000::bigint + (hashint4(-x) & 1073741823)), 1 FROM generate_series(0, 1999) x;
SELECT einsum_register('crowd[P,D]', 'crowd', keys => '{p,d}', value => 'v', bounds => '{32,*}', duplicates => 'sum');
SELECT labels, given, @ (count - exact) / exact < 0.1 AS near FROM einsum_analyze('crowd') JOIN
(SELECT 'p, d' AS labels, sum(upper(u) - lower(u)) AS exact FROM (SELECT unnest(range_agg(d)) AS u FROM crowd GROUP BY p) x UNION ALL
SELECT 'd', sum(upper(u) - lower(u)) FROM (SELECT unnest(range_agg(d)) AS u FROM crowd) x UNION ALL SELECT 'p', count(DISTINCT p) FROM crowd) e USING (labels) WHERE given IS NULL ORDER BY 1;
-- storages are compared by how many keys ranges have
CREATE TABLE net_copy AS SELECT * FROM net;
ALTER TABLE net_copy ADD EXCLUDE USING gist (addresses WITH &&);
SELECT einsum_register('net[A]', 'net_copy', keys => '{addresses}', value => 'region', bounds => '{1000000000000}', storage => 'further');
SELECT count(*) FROM einsum_analyze('net');
UPDATE net_copy SET addresses = int8range(lower(addresses), upper(addresses) - 1) WHERE region = 99;
SELECT count(*) FROM einsum_analyze('net');
SELECT einsum_unregister('net', 'net_copy');

-- a key of another type that the ranges cannot have
CREATE TABLE few (d bigint PRIMARY KEY, n float8 NOT NULL);
INSERT INTO few VALUES (2, 3), (3000000000, 5);
SELECT einsum_register('few[D]', 'few', keys => '{d}', value => 'n', bounds => '{4000000000}');
CREATE TABLE wide (d int4range, v float8 NOT NULL, EXCLUDE USING gist (d WITH &&));
INSERT INTO wide VALUES ('[0,1000000)', 7);
SELECT einsum_register('wide[D]', 'wide', keys => '{d}', value => 'v', bounds => '{4000000000}');
SELECT einsum_value('y[] = few[d] * wide[d]');

-- keys at the ends of their types
CREATE TABLE far (d int8range, v float8 NOT NULL, EXCLUDE USING gist (d WITH &&));
SELECT einsum_register('far[D]', 'far', keys => '{d}', value => 'v', bounds => '{*}');
INSERT INTO far VALUES ('[9223372036854775800,9223372036854775807)', 2), ('[-9223372036854775808,-9223372036854775806)', 5);
SELECT einsum_value('y[] = sum[d] far[d]');
SELECT * FROM einsum_rows('y[d] = far[d]') AS y(d bigint, v float8) ORDER BY d LIMIT 3;
INSERT INTO far VALUES ('[-9223372036854775806,9223372036854775800)', 1);
SELECT einsum_value('y[] = sum[d] far[d]');
SELECT * FROM einsum_rows('y[d] = far[d]') AS y(d bigint, v float8);
CREATE TABLE edge (d int4range, v float8 NOT NULL, EXCLUDE USING gist (d WITH &&));
INSERT INTO edge VALUES ('(,2147483643)', 1), ('[2147483645,)', 2);
SELECT einsum_register('edge[D]', 'edge', keys => '{d}', value => 'v', bounds => '{2147483640..2147483650}');
SELECT * FROM einsum_rows('y[d] = edge[d]') AS y(d int, v float8) ORDER BY d;
SELECT einsum_value('y[] = sum[d] edge[d]'), einsum_value('y[d] = edge[d]');

-- open labels, and dates
CREATE TABLE tariff (valid daterange, v float8 NOT NULL, EXCLUDE USING gist (valid WITH &&));
INSERT INTO tariff VALUES ('[2024-01-30,2024-02-02]', 3), ('[2024-03-01,2024-03-01]', 4);
CREATE TABLE sold (day date PRIMARY KEY, n float8 NOT NULL);
INSERT INTO sold VALUES ('2024-01-31', 10), ('2024-02-02', 1), ('2024-02-03', 100), ('2024-03-01', 5);
SELECT einsum_register('tariff[D]', 'tariff', keys => '{valid}', value => 'v', bounds => '{10}');
SELECT einsum_register('tariff[D]', 'tariff', keys => '{valid}', value => 'v', bounds => '{*}');
SELECT einsum_register('sold[D]', 'sold', keys => '{day}', value => 'n', bounds => '{*}');
SELECT einsum_value('y[] = tariff[d] * sold[d]'), einsum_value('y[] = sum[d] tariff[d]');
SELECT * FROM einsum_rows('y[d] = tariff[d] * sold[d]') AS y(d date, v float8) ORDER BY d;
SELECT * FROM einsum_rows('y[d] = tariff[d]', at => '{"d": "2024-02-01"}') AS y(d date, v float8);
SET sparseeinsum.enable_aggregate_join = force;
SELECT * FROM einsum_rows('y[d] = tariff[d] * sold[d]') AS y(d date, v float8) ORDER BY d;
RESET sparseeinsum.enable_aggregate_join;
SELECT statistic, labels, given, count FROM einsum_analyze('tariff') ORDER BY 1, 2, 3;
-- days with a first and a last one
INSERT INTO tariff VALUES (daterange('2024-12-30', NULL), 7);
SELECT einsum_register('year[D]', 'tariff', keys => '{valid}', value => 'v', bounds => '{2024-01-01..2024-12-31}');
SELECT einsum_register('sale_day[D]', 'sold', keys => '{day}', value => 'n', bounds => '{2024-01-01..2024-12-31}');
SELECT einsum_value('y[] = sum[d] year[d]'), einsum_value('y[] = year[d] * sale_day[d]'), einsum_value('y[] = sum[d](year[d] == 0)');
SELECT * FROM einsum_rows('y[d] = year[d] * (1 + sale_day[d])') AS y(d date, v float8) ORDER BY d;
SELECT * FROM einsum_rows('y[d] = year[d]', at => '{"d": "2024-12-31"}') AS y(d date, v float8);
-- a range without an end ends with the label
SELECT einsum_sql('y[d] = year[d]', at => '{d}') AS query \gset
PREPARE of_day(date) AS :query;
EXECUTE of_day('2024-12-31');
EXECUTE of_day('2025-01-01');
DEALLOCATE of_day;
SET sparseeinsum.enable_aggregate_join = force;
SELECT einsum_value('y[] = year[d] * sale_day[d]');
RESET sparseeinsum.enable_aggregate_join;
SELECT count(*) FROM einsum_decompose('yearly[d] = year[d]; a_day_before[d] = year[d-1]', 'yearly');
SET enable_seqscan = off;
SELECT plan_of('SELECT * FROM yearly WHERE d = ''2024-12-31''') ~ 'valid @> ' AS by_range;
SELECT * FROM yearly WHERE d IN ('2024-12-31');
SELECT * FROM a_day_before WHERE d = '2024-12-31';
SELECT * FROM yearly WHERE d > '2024-03-01' AND d <= '2024-12-30';
SELECT count(*) FROM yearly WHERE d > '-infinity' AND d <= '5874897-12-31' AND d < 'infinity' AND d >= '4714-11-24 BC';
SELECT * FROM yearly WHERE d = '2025-01-01' UNION ALL SELECT * FROM yearly WHERE d = 'infinity';
RESET enable_seqscan;
SELECT count(*) FROM einsum_drop('yearly');
UPDATE tariff SET valid = '[2024-12-30,2025-01-01]' WHERE v = 7;
SELECT einsum_value('y[] = sum[d] year[d]');
DELETE FROM tariff WHERE v = 7;
INSERT INTO tariff VALUES (daterange('2025-01-01', NULL), 5);
SELECT einsum_value('y[] = tariff[d] * sold[d]');
UPDATE tariff SET valid = daterange('2025-01-01', 'infinity') WHERE v = 5;
SELECT einsum_value('y[] = sum[d] tariff[d]');
DELETE FROM tariff WHERE v = 5;
-- days that are infinite are no keys
INSERT INTO tariff VALUES ('[infinity,infinity]', 5), ('[-infinity,-infinity]', 50), ('(infinity,)', 500), ('(,-infinity)', 5000);
SELECT einsum_value('y[] = sum[d] year[d]'), einsum_value('y[] = max[d] year[d]'), einsum_value('y[] = year[d] * sale_day[d]');
SELECT * FROM einsum_rows('y[d] = year[d]') AS y(d date, v float8) ORDER BY d LIMIT 3;
SELECT einsum_register('year[D]', 'tariff', keys => '{valid}', value => 'v', bounds => '{2024-01-01..2024-12-31}', replace => true);
DELETE FROM tariff WHERE v = 50;
INSERT INTO tariff VALUES ('[-infinity,2024-01-03)', 50);
SELECT einsum_value('y[] = sum[d] year[d]');
DELETE FROM tariff WHERE v >= 5;
CREATE TABLE day (d date PRIMARY KEY);
INSERT INTO day SELECT date '2024-01-01' + k FROM generate_series(0, 80) k;
SELECT einsum_dimension('day', 'day', 'd');
SELECT einsum_register('daily[D]', 'tariff', keys => '{valid}', value => 'v', bounds => '{day}');
SELECT einsum_value('y[] = sum[d](daily[d] + 1)'), einsum_value('y[] = sum[d] daily[d]');
INSERT INTO tariff VALUES ('[2024-05-01,2024-05-02]', 5);
SELECT einsum_value('y[] = sum[d] daily[d]');

-- bad input
UPDATE rate SET d = '[-2,1)' WHERE r = 2;
SELECT einsum_value('y[] = rate[d]');
SELECT * FROM einsum_rows('y[d] = rate[d]') AS y(d int, v float8);
SELECT * FROM einsum_rows('y[d] = rate[d]', at => '{"d": 4}') AS y(d int, v float8);
UPDATE rate SET d = '[0,3)' WHERE r = 2;
ALTER TABLE rate DROP CONSTRAINT rate_d_excl;
SELECT einsum_value('y[] = rate[d]');
SELECT status FROM einsum_tensors WHERE tensor = 'rate';
SELECT * FROM of_day WHERE d = 10;
ALTER TABLE rate ADD EXCLUDE USING gist (d WITH &&) DEFERRABLE;
SELECT einsum_value('y[] = rate[d]');
ALTER TABLE rate DROP CONSTRAINT rate_d_excl, ADD EXCLUDE USING gist (d WITH &&);
SELECT einsum_value('y[] = rate[d]');
DROP VIEW of_day;
ALTER TABLE rate DROP CONSTRAINT rate_d_excl, ADD EXCLUDE USING gist (d WITH &&);
SELECT einsum_register('b[D:2]', 'rate', keys => '{d}', value => 'r', bounds => '{20}');
SELECT einsum_dimension('ranges', 'rate', 'd');
SELECT einsum_register('s[I,J]', 'price', keys => '{p,d}', value => 'v', bounds => '{20,20}', layout => 'symmetric');
SECURITY LABEL FOR sparseeinsum ON TABLE wide IS '{"version":3,"tensors":[{"tensor":"w","notation":"w[D]","keys":["d"],"value":"v","bounds":["*"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SELECT einsum_value('y[] = sum[d] w[d]');
SECURITY LABEL FOR sparseeinsum ON TABLE wide IS '{"version":3,"tensors":[{"tensor":"w","notation":"w[D]","keys":["d"],"value":"v","ranges":true,"bounds":["*"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
-- from PostgreSQL 18 on, a key without overlaps proves the same, where the operators of its other columns are there
DO $$
DECLARE
	program text;
BEGIN
	IF current_setting('server_version_num')::int < 180000 OR NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'btree_gist') THEN
		RETURN;
	END IF;
	CREATE EXTENSION btree_gist SCHEMA ranges_test;
	EXECUTE 'CREATE TABLE period (p int, d int4range, v float8 NOT NULL, PRIMARY KEY (p, d WITHOUT OVERLAPS))';
	INSERT INTO period SELECT * FROM price WHERE d IS NOT NULL AND NOT isempty(d);
	PERFORM einsum_register('period[P,D]', 'period', keys => '{p,d}', value => 'v', bounds => '{6,20}');
	FOREACH program IN ARRAY '{"y[p] = period[p,d]*sale[p,d]","y[d] = period[p,d]*rate[d]","y[p,q] = period[p,d]*period[q,d]"}'::text[] LOOP
		IF einsum_value(program) IS DISTINCT FROM einsum_value(replace(program, 'period', 'price_row')) THEN
			RAISE '% differs', program;
		END IF;
	END LOOP;
	DROP TABLE period;
	DROP EXTENSION btree_gist;
END $$;
\set VERBOSITY terse
DROP SCHEMA ranges_test CASCADE;
