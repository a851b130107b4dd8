-- Layouts: the entries that arrays have together.
\set SHOW_CONTEXT never
SELECT * FROM einsum_layouts ORDER BY name;
SELECT * FROM einsum_entries('csr', 0, '{0,2,2,3}'::int[], '{1,4,0}'::int[], '{7,8,9}'::float8[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('csr', 0, '{0,2,2,3}'::bigint[], '{1,4,0}'::smallint[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, '{3,5,9}'::int[], '{1,0,2.5}'::real[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('lists', 1, '{3,5,9}'::int[], '{1,0,2.5}'::real[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('diagonal', 0, '{1,0,2}'::int[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('coo', 0, '{2,1}'::int[], '{0,5}'::int[], '{4,4}'::int[], '{1,2}'::float8[]) AS e(i bigint, j bigint, k bigint, v double precision);
SELECT * FROM einsum_entries('csf', 0, '{1,5}'::int[], '{0,1,3}'::int[], '{4,0,2}'::int[], '{0,2,2,3}'::int[], '{0,9,3}'::int[], '{7,8,9}'::float8[]) AS e(i bigint, j bigint, k bigint, v double precision);
SELECT * FROM einsum_entries('csf', 0, '{1,5}'::int[], '{0,1,2}'::int[], '{4,0}'::int[], '{0,1,2}'::int[], '{9,3}'::int[], '{0,1,2}'::int[], '{8,8}'::int[]) AS e(i bigint, j bigint, k bigint, l bigint, v double precision);
SELECT * FROM einsum_entries('band', 0, '{-1,1,2, 3,4,5, 6,7,-1}'::float8[], 1, 1) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('band', 2, '{1,2, 3,4}'::int[], 0::smallint, 1::bigint) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('zorder', 0, '{1,2,3,4,5,6}'::real[]) AS e(i bigint, j bigint, v double precision);
-- a column that is NULL has no entries
SELECT * FROM einsum_entries('band', 0, '{1}'::float8[], 0, NULL::int) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, NULL::int[], '{1}'::real[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, '{}'::int[], '{}'::real[]) AS e(i bigint, v double precision);
-- what is wrong
SELECT * FROM einsum_entries('crs', 0, '{3}'::int[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('csr', 0, '{0}'::int[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('csr', 0, '{0}'::int[], '{1}'::text[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('csr', 0, '{0,1}'::int[], '{1}'::int[]) AS e(i int, j bigint, v double precision);
SELECT * FROM einsum_entries('csr', 0, '{0,2}'::int[], '{1}'::int[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('csr', 0, '{1,2}'::int[], '{1}'::int[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('csr', 0, '{0,2,1}'::int[], '{1,3}'::int[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, '{3,3}'::int[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, '{3,2}'::int[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, '{3,NULL}'::int[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, '{{3},{4}}'::int[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, '{3}'::int[], '{3,4}'::int[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('lists', 0, VARIADIC '{3}'::int[]) AS e(i bigint, v double precision);
SELECT * FROM einsum_entries('csf', 0, '{1}'::int[], '{0,1}'::int[], '{4}'::int[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('csf', 0, '{1,5}'::int[], '{0,1}'::int[], '{4}'::int[], '{0,1}'::int[], '{0}'::int[]) AS e(i bigint, j bigint, k bigint, v double precision);
SELECT * FROM einsum_entries('csf', 0, '{1}'::int[], '{0,2}'::int[], '{4,5}'::int[], '{0,2,3}'::int[], '{3,3,1}'::int[]) AS e(i bigint, j bigint, k bigint, v double precision);
SELECT * FROM einsum_entries('band', 0, '{1,2,3,4}'::float8[], 1, 1) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('band', 0, '{1,2,3}'::float8[], 1, -1) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('band', 0, '{1,2,3}'::float8[], 9223372036854775807, 1) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('band', 0, '{1,2,3}'::float8[], 1.5, 1) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('band', 0, '{1,2,3}'::float8[], '{1}'::int[], 1) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('band', 0, '{1,2,3}'::float8[]) AS e(i bigint, j bigint, v double precision);
SELECT * FROM einsum_entries('lower', 0, '{1,2,3,4}'::float8[]) AS e(i bigint, j bigint, v double precision);
-- a view over arrays holds a tensor
CREATE TABLE layouts_node (id int PRIMARY KEY, neighbours int[], weights float8[]);
INSERT INTO layouts_node SELECT i, array_agg(j ORDER BY j), array_agg(i + j ORDER BY j)
FROM generate_series(0, 19) i, generate_series(0, 19) j WHERE (i * 7 + j * 3) % 5 = 0 GROUP BY i;
CREATE VIEW layouts_a AS SELECT n.id AS i, e.j, e.v FROM layouts_node n, LATERAL einsum_entries('lists', 0, n.neighbours, n.weights) AS e(j bigint, v double precision);
SELECT einsum_register('layouts_a[I,J]', 'layouts_a', keys => '{i,j}', value => 'v', bounds => '{20,20}', duplicates => 'trust');
SELECT * FROM einsum_rows('layouts_y[i] = layouts_a[i,j] * layouts_a[j,k]') AS r(i int, value float8) ORDER BY i LIMIT 3;
SELECT count(*), sum(value) FROM einsum_rows('layouts_y[i] = layouts_a[i,j] * layouts_a[j,k]') AS r(i int, value float8);
SELECT count(DISTINCT a.i), sum(a.v * b.v) FROM layouts_a a JOIN layouts_a b ON a.j = b.i;
DROP TABLE layouts_node CASCADE;
-- rows are estimated by the lengths of arrays: of constants, of a column in the row and out of line, of one row
CREATE FUNCTION layouts_rows(query text) RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
CREATE TABLE layouts_lists (id int, small int[], large int[], v float8[]);
INSERT INTO layouts_lists SELECT i, ARRAY[i, i + 1, i + 2], a.a, a.v FROM generate_series(1, 50) i,
	(SELECT array_agg(hashint4(g)) AS a, array_agg(random()) AS v FROM generate_series(1, 4000) g) a;
ANALYZE layouts_lists;
SELECT layouts_rows($$SELECT * FROM einsum_entries('lists', 0, '{3,5,9}'::int[]) AS e(i bigint, v float8)$$) AS three,
	layouts_rows($$SELECT * FROM einsum_entries('lists', 0, ARRAY[1,2,(random() * 9)::int]) AS e(i bigint, v float8)$$) AS elements,
	layouts_rows($$SELECT * FROM einsum_entries('band', 0, '{1,2,3,4,5,6}'::int[], 1, 1) AS e(i bigint, j bigint, v float8)$$) AS band,
	layouts_rows($$SELECT * FROM layouts_lists l, LATERAL einsum_entries('lists', 0, l.small) AS e(i bigint, v float8)$$) AS small,
	layouts_rows($$SELECT * FROM layouts_lists l, LATERAL einsum_entries('lists', 0, l.large, l.v) AS e(i bigint, v float8)$$) BETWEEN 100000 AND 400000 AS large,
	layouts_rows($$SELECT * FROM einsum_entries('lists', 0, (SELECT l.small FROM layouts_lists l WHERE id = 7)) AS e(i bigint, v float8)$$) AS one_row;
DROP TABLE layouts_lists;
DROP FUNCTION layouts_rows;
-- a relation that had another column
CREATE TABLE layouts_dropped (gone int, k int PRIMARY KEY, v float8[]);
INSERT INTO layouts_dropped VALUES (1, 0, '{1,2,3}');
SELECT einsum_register('layouts_dropped[K,I,J]', 'layouts_dropped', keys => '{k}', layout => 'lower(v)');
ALTER TABLE layouts_dropped DROP COLUMN gone;
SELECT e.* FROM layouts_dropped d, LATERAL einsum_entries('lower', 0, d.v) AS e(i bigint, j bigint, v float8);
SELECT einsum_value('y[i] = sum[k,j] layouts_dropped[k,i,j]');
DROP TABLE layouts_dropped;
-- a matrix in the order of z whose bounds are no powers of two is padded
CREATE TABLE layouts_padded (v float8[]);
INSERT INTO layouts_padded VALUES ('{1,2,4,5,3,0,6,0,7,8,0,0,9}');
SELECT einsum_register('layouts_padded[I,J]', 'layouts_padded', keys => '{}', layout => 'zorder(v)');
SELECT einsum_value('y[i,j] = layouts_padded[i,j] + 0');
UPDATE layouts_padded SET v[6] = 1;
SELECT einsum_value('y[i,j] = layouts_padded[i,j] + 0');
DROP TABLE layouts_padded;
