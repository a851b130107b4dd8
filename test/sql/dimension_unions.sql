-- What is no product has entries wherever one of its operands has; where that comes to all indices, these are joined, and no union
CREATE SCHEMA dimension_unions_test;
SET search_path = dimension_unions_test, public;

CREATE TABLE person (id text PRIMARY KEY, a float8 NOT NULL, b float8 NOT NULL, c float8);
INSERT INTO person SELECT 'p' || n, n * 0.5, (n * 7) % 13, n % 5 FROM generate_series(1, 60) n;
CREATE TABLE thing (id uuid PRIMARY KEY);
INSERT INTO thing SELECT ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid FROM generate_series(1, 40) n;
-- every thing has a price, and few have a discount; the foreign key leads from the dimension
CREATE TABLE price (thing uuid PRIMARY KEY, value float8 NOT NULL);
INSERT INTO price SELECT id, row_number() OVER (ORDER BY id) FROM thing;
ALTER TABLE thing ADD CONSTRAINT thing_has_price FOREIGN KEY (id) REFERENCES price;
CREATE TABLE discount (thing uuid PRIMARY KEY REFERENCES thing, value float8);
INSERT INTO discount SELECT id, -1 FROM thing ORDER BY id LIMIT 3;
CREATE TABLE other_discount (LIKE discount INCLUDING ALL);
INSERT INTO other_discount SELECT id, -2 FROM thing ORDER BY id DESC LIMIT 3;
ANALYZE;
SELECT einsum_dimension('person', 'person', 'id');
SELECT einsum_dimension('thing', 'thing', 'id');
SELECT einsum_register('e[S,k]', 'person', '{id}', value => '{a,b}', bounds => '{person,2}');
SELECT einsum_register('x[S]', 'person', '{id}', 'a', bounds => '{person}');
SELECT einsum_register('z[S]', 'person', '{id}', 'c', bounds => '{person}');
SELECT einsum_register('price[T]', 'price', '{thing}', 'value', bounds => '{thing}');
SELECT einsum_register('discount[T]', 'discount', '{thing}', 'value', bounds => '{thing}');
SELECT einsum_register('other_discount[T]', 'other_discount', '{thing}', 'value', bounds => '{thing}');

CREATE FUNCTION unites(program text) RETURNS boolean LANGUAGE sql AS $$
	SELECT einsum_sql(program, result => 'auto') LIKE '% UNION %'
$$;
-- rows of either that the other has not
CREATE FUNCTION differ(one text, other text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM ((%1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL %1$s)) d', one, other) INTO n;
	RETURN n;
END
$$;

SELECT unites('y[S,T] = sqrt(sum[k] (e[S,k] - e[T,k])^2)') AS distance, unites('y[S,T] = x[S] - x[T]') AS difference,
	unites('y[S,T] = x[S] + price[T]') AS sum, unites('y[S,T] = greatest(x[S], price[T])') AS greater, unites('y[S] = x[S] - z[S]') AS alike,
	unites('y[S,T] = if(x[S] < price[T], x[S], price[T] + 1)') AS choice;
-- few keys, fewer than all
SELECT unites('y[T] = greatest(discount[T], other_discount[T])') AS few, unites('y[T] = least(price[T], discount[T])') AS one_full, unites('y[T] = price[T] - discount[T]') AS terms;
-- a program that is printed is planned as it is: parentheses say that all indices are joined
CREATE FUNCTION reads_back(program text) RETURNS boolean LANGUAGE sql AS $$
	SELECT printed = array(SELECT einsum_plan(array_to_string(printed, E'\n'), 'program', search => 'as_written', rewrite => 'none'))
	FROM (SELECT array(SELECT einsum_plan(program, 'program'))) p (printed)
$$;
SELECT program, reads_back(program), einsum_plan(program, 'program') FROM (VALUES
	('y[S,T] = ceil(x[S] + price[T]) * price[T] + x[S] * discount[T]'), ('y[S,T] = relu(x[S] + price[T])')) v (program);
SELECT einsum_plan('y[S,T] = ceil(x[S] + price[T]) * price[T] + x[S] * discount[T]', 'program', search => 'as_written', rewrite => 'none');
-- open labels have no index set
SELECT einsum_register('open[T]', 'discount', '{thing}', 'value', bounds => '{*}', replace => true);
SELECT einsum_register('other[T]', 'price', '{thing}', 'value', bounds => '{*}', replace => true);
SELECT unites('y[T] = open[T] - other[T]') AS open;
-- bounds are index sets too
CREATE TABLE r (i int PRIMARY KEY, value float8 NOT NULL);
INSERT INTO r SELECT i, i FROM generate_series(0, 29) i;
SELECT einsum_register('r[I]', 'r', '{i}', 'value', bounds => '{30}');
CREATE TABLE x_of_r (i int PRIMARY KEY, value float8 NOT NULL);
INSERT INTO x_of_r SELECT i, 30 - i FROM generate_series(0, 29) i;
SELECT einsum_register('x_of_r[I]', 'x_of_r', '{i}', 'value', bounds => '{30}');
ANALYZE;
SELECT unites('y[I,J] = r[I] - r[J]') AS bounds;
SELECT unites('y[I] = greatest(r[I], x_of_r[I])') AS within_the_limit;
SET sparseeinsum.max_dense_tuples = 10;
SELECT unites('y[I] = greatest(r[I], x_of_r[I])') AS beyond_the_limit;
RESET sparseeinsum.max_dense_tuples;

SELECT count(*) FROM einsum_decompose('distance[S,T] = sqrt(sum[k] (e[S,k] - e[T,k])^2)', 'distance');
SELECT count(*) FROM einsum_decompose('margin[S,T] = greatest(x[S], price[T]) - z[S]', 'margin');
SELECT count(*) FROM einsum_decompose('net[T] = price[T] + discount[T]', 'net');
EXPLAIN (COSTS OFF) SELECT * FROM distance;
EXPLAIN (COSTS OFF) SELECT * FROM margin;

CREATE VIEW distance_sql AS SELECT p.id AS s, q.id AS t, sqrt((p.a - q.a) ^ 2 + (p.b - q.b) ^ 2) AS value FROM person p, person q;
CREATE VIEW margin_sql AS SELECT p.id AS s, t.id AS t, greatest(p.a, coalesce(pr.value, 0)) - coalesce(p.c, 0) AS value
	FROM person p CROSS JOIN thing t LEFT JOIN price pr ON pr.thing = t.id;
CREATE VIEW net_sql AS SELECT t.id AS t, coalesce(pr.value, 0) + coalesce(d.value, 0) AS value
	FROM thing t LEFT JOIN price pr ON pr.thing = t.id LEFT JOIN discount d ON d.thing = t.id;
CREATE FUNCTION all_differ() RETURNS TABLE (distance bigint, margin bigint, net bigint) LANGUAGE sql AS $$
	SELECT differ('SELECT s, t, round(value::numeric, 9) FROM distance', 'SELECT s, t, round(value::numeric, 9) FROM distance_sql'),
		differ('SELECT s, t, value FROM margin', 'SELECT s, t, value FROM margin_sql'),
		differ('SELECT t, value FROM net WHERE value <> 0', 'SELECT t, value FROM net_sql WHERE value <> 0')
$$;
SELECT * FROM all_differ();
-- views live on: new keys, keys without rows, NULL, and constraints that are gone
INSERT INTO person VALUES ('new', 1000, -3, NULL), ('null', -1, 0, 7);
INSERT INTO price VALUES ('00000000-0000-0000-0000-000000000099', 2000);
INSERT INTO thing VALUES ('00000000-0000-0000-0000-000000000099');
SELECT * FROM all_differ();
ALTER TABLE thing DROP CONSTRAINT thing_has_price;
DELETE FROM price WHERE value < 20;
ALTER TABLE price ALTER COLUMN value DROP NOT NULL;
UPDATE price SET value = NULL WHERE value = 25;
INSERT INTO thing VALUES ('00000000-0000-0000-0000-0000000000aa');
SELECT * FROM all_differ();
ALTER TABLE person ALTER COLUMN a DROP NOT NULL, ALTER COLUMN b DROP NOT NULL;
DELETE FROM person WHERE id < 'p2';
SELECT * FROM all_differ();
-- but the keys of a dimension are relied on
ALTER TABLE person DROP CONSTRAINT person_pkey;

SET client_min_messages = warning;
DROP SCHEMA dimension_unions_test CASCADE;
