--
-- More operands than PostgreSQL orders in milliseconds are joined in the order in which the join was costed
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA join_order_test;
SET search_path = join_order_test, public;
SET extra_float_digits = 0;
-- the higher the number, the fewer entries
DO $$
BEGIN
	FOR k IN 1 .. 10 LOOP
		EXECUTE format('CREATE TABLE m%s (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j))', k);
		EXECUTE format('INSERT INTO m%s SELECT n %% 100, n %% 7, n %% 3 + 1 FROM generate_series(0, 699) n WHERE n < 700 - 60 * %s', k, k);
		PERFORM einsum_register(format('m%s[I,J]', k), format('m%s', k), '{i,j}', 'v', '{100,7}');
	END LOOP;
END $$;
ANALYZE;
SELECT count(*) FROM generate_series(1, 10) k, einsum_analyze('m' || k);

-- a product of n tensors, and the FROM list of its SELECT
CREATE FUNCTION product(n int) RETURNS text LANGUAGE sql RETURN
	'z[I,J] = ' || (SELECT string_agg(format('m%s[I,J]', k), ' * ' ORDER BY k) FROM generate_series(1, n) k);
CREATE FUNCTION from_list(program text) RETURNS text LANGUAGE sql RETURN
	replace(substring(einsum_sql(program, result => 'auto') FROM '.* FROM (.*?) WHERE'), 'join_order_test.', '');
-- eight are PostgreSQL's; of ten the least first
SELECT from_list(product(8));
SELECT from_list(product(10));
-- which is what it makes of explicit joins
SELECT count(*) FROM einsum_decompose(product(10), 'ten', result => 'auto');
SET join_collapse_limit = 1;
CREATE FUNCTION scans(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		RETURN QUERY SELECT m[1] FROM regexp_matches(line, 'Scan.* on (\w+)') m;
	END LOOP;
END $$;
SET enable_mergejoin = off;
SET enable_hashjoin = off;
SELECT string_agg(scans, ' ' ORDER BY ordinality) FROM scans('SELECT * FROM z') WITH ORDINALITY;
RESET enable_mergejoin;
RESET enable_hashjoin;
RESET join_collapse_limit;
-- a condition from outside reaches all of them
CREATE FUNCTION restricted(query text, condition text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE line text; n bigint := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		n := n + (position(condition IN line) > 0)::int;
	END LOOP;
	RETURN n;
END $$;
SELECT restricted('SELECT * FROM z WHERE i = 42', '(i = 42)') >= 10 AS all_of_them;
-- it is the product
SELECT count(*), sum(value), bool_and(value = m1.v*m2.v*m3.v*m4.v*m5.v*m6.v*m7.v*m8.v*m9.v*m10.v) AS same
FROM z JOIN m1 USING (i, j) JOIN m2 USING (i, j) JOIN m3 USING (i, j) JOIN m4 USING (i, j) JOIN m5 USING (i, j)
	JOIN m6 USING (i, j) JOIN m7 USING (i, j) JOIN m8 USING (i, j) JOIN m9 USING (i, j) JOIN m10 USING (i, j);
SELECT einsum_drop('ten');
SET client_min_messages = warning;
DROP SCHEMA join_order_test CASCADE;
