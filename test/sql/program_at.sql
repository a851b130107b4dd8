--
-- Point queries: every stage limited to the keys that the next one needs
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA at_test;
SET search_path = at_test, public;
-- the rows that scans read are counted: each process would read all of some tables
SET max_parallel_workers_per_gather = 0;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, (i * 31 + k * k * 7) % 2000, 1 + (i + k) % 4 FROM generate_series(0, 1999) i, generate_series(0, 4) k ON CONFLICT DO NOTHING;
CREATE TABLE h (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO h SELECT j, ARRAY[j % 5, j % 3, 1]::float8[]::tensor FROM generate_series(0, 1999) j;
CREATE TABLE x (i bigint PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x SELECT i, i % 7 FROM generate_series(0, 1999, 2) i;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{2000,2000}');
SELECT einsum_register('h[J,k]', 'h', '{j}', 'v', '{2000,3}');
SELECT einsum_register('x[I]', 'x', '{i}', 'v', '{2000}');
ANALYZE a, h, x;
-- the rows that scans of base tables read, and how
CREATE FUNCTION scans(query text) RETURNS TABLE (scan text, relation text, rows float8) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || query INTO plan;
	RETURN QUERY WITH RECURSIVE node(n) AS (SELECT plan->0->'Plan' UNION ALL SELECT c FROM node, jsonb_array_elements(n->'Plans') c)
		SELECT DISTINCT CASE WHEN n->>'Node Type' = 'Seq Scan' THEN 'all of it' ELSE 'by key' END, n->>'Relation Name',
			max(((n->>'Actual Rows')::float8 + coalesce((n->>'Rows Removed by Filter')::float8, 0)) * (n->>'Actual Loops')::float8)
		FROM node WHERE n ? 'Relation Name' GROUP BY 1, 2 ORDER BY 2, 1;
END $$;
SET enable_bitmapscan = off;

-- two layers: the keys of the second are what the first has to compute
\set layers 'y[I,k] = relu(sum[J] a[I,J]*h[J,k]); z[I,k] = a[I,J]*y[J,k]'
SELECT einsum_sql(:'layers', at => '{i}', search => 'as_written') AS query \gset
\echo :query
PREPARE layers AS :query;
EXECUTE layers(42);
SELECT count(*) FROM einsum_decompose(:'layers', 'layers', search => 'as_written');
SELECT * FROM z WHERE i = 42;
-- 5 rows of a for the keys, 25 for the first layer, which reads 25 rows of h at most
SELECT * FROM scans('EXECUTE layers(42)');
DEALLOCATE layers;
SELECT einsum_drop('layers');

-- several labels, in any order
SELECT einsum_sql('u[I,J] = a[I,J] * x[I] * x[J]', at => '{j,i}', search => 'as_written') AS query \gset
PREPARE u AS :query;
SELECT i, j FROM a WHERE i = 44 AND j % 2 = 0 ORDER BY j LIMIT 1 \gset
EXECUTE u(:j, :i);
SELECT a.v * x.v * y.v AS value FROM a, x, x y WHERE a.i = :i AND a.j = :j AND x.i = a.i AND y.i = a.j;
EXECUTE u(:i, 1999);
SELECT name, parameter_types FROM pg_prepared_statements;
DEALLOCATE u;

-- a stack of rows of a reads those of the key
SELECT einsum_sql('s[I] = sqrt(sum[j] a[I,j]*a[I,j]); t[I] = s[I] / x[I]', at => '{i}', search => 'as_written') AS query \gset
PREPARE s AS :query;
EXECUTE s(44);
SELECT sqrt(sum(v * v)) / (SELECT v FROM x WHERE i = 44) AS value FROM a WHERE i = 44;
SELECT * FROM scans('EXECUTE s(44)');
DEALLOCATE s;

-- what is read twice: the keys of both readers; missing entries count as elsewhere
SELECT einsum_sql('m[I] = max[J] -a[I,J]; w[I] = sum[J] (a[I,J] * m[J]) + m[I]', at => '{i}', search => 'as_written') AS query \gset
PREPARE w AS :query;
EXECUTE w(7);
UPDATE a SET v = -v WHERE i = 7;
EXECUTE w(7);
UPDATE a SET v = -v WHERE i = 7;
SELECT * FROM scans('EXECUTE w(7)');
DEALLOCATE w;

-- keys that a repartition of the result makes
SELECT einsum_sql('r[J,K] = relu(h[J,k])', at => '{k,j}', search => 'as_written') AS query \gset
PREPARE r AS :query;
EXECUTE r(1, 43);
SELECT (v)[1] FROM h WHERE j = 43;
SELECT * FROM scans('EXECUTE r(1, 43)');
DEALLOCATE r;

-- open labels have their own type
CREATE TABLE likes (customer uuid, product text, PRIMARY KEY (customer, product));
INSERT INTO likes SELECT md5(c::text)::uuid, 'product ' || (c * p) % 50 FROM generate_series(1, 20) c, generate_series(1, 5) p ON CONFLICT DO NOTHING;
SELECT einsum_register('l[C,P]', 'likes', '{customer,product}', NULL, '{*,*}');
SELECT einsum_sql('n[P] = sum[C] l[C,P]; s[C] = l[C,P] * n[P]', at => '{c}') AS query \gset
PREPARE likes AS :query;
EXECUTE likes(md5('7')::uuid);
SELECT sum(n) FROM likes JOIN (SELECT product, count(*) AS n FROM likes GROUP BY product) s USING (product) WHERE customer = md5('7')::uuid;
DEALLOCATE likes;

-- planned for one key: elimination starts there, and so do costs
SELECT * FROM einsum_plan('y[I,M] = a[i,j]*a[j,k]*a[k,l]*a[l,m]', at => '{i}');
SELECT * FROM einsum_plan('y[I,M] = a[i,j]*a[j,k]*a[k,l]*a[l,m]', at => '{m}');
SELECT stage->>'name' AS stage, stage->'keys' AS keys
FROM einsum_plan('m[i] = max[j] -a[i,j]; w[i] = sum[j] (a[i,j]*m[j]) + m[i]', format => 'json', at => '{i}', rewrite => 'reassociate', result => 'auto') p, jsonb_array_elements(p::jsonb->0->'stages') stage;
-- also across statements, where all that reads one has the label; d is read at other keys too
SELECT * FROM einsum_plan('d[i] = sum[j] a[i,j]; p[S,J] = a[s,j]/d[s]; q[S,J] = (sum[i] p[s,i]*a[i,j]/d[i]) + 0.5*eye[s,j]; r[S,J] = sum[i] q[s,i]*a[i,j]/d[i]', at => '{s}');
-- costs are of the rows that are read: three hops at a key cost less than one of all keys
SELECT point.cost < whole.cost
FROM (SELECT (p::jsonb->0->>'cost')::float8 AS cost FROM einsum_plan('y[I,L] = a[i,j]*a[j,k]*a[k,l]', format => 'json', at => '{i}') p) point,
	(SELECT (p::jsonb->0->>'cost')::float8 AS cost FROM einsum_plan('y[I,K] = a[i,j]*a[j,k]', format => 'json') p) whole;
-- what the left side leaves open becomes a key
SELECT einsum_sql('n[i] = sum[j] a[i,j]', at => '{i}', result => 'auto') AS query \gset
PREPARE n AS :query;
EXECUTE n(3);
DEALLOCATE n;
SELECT p FROM einsum_plan('n[i] = sum[j] a[i,j]', at => '{i}', format => 'sql', result => 'auto') p;

-- in one call
SELECT count(*), sum(value) FROM einsum_rows('y[I,L] = a[i,j]*a[j,k]*a[k,l]', at => '{"i": 42}') AS y(i int, l int, value float8);
SELECT count(*), sum(v) FROM (SELECT sum(x.v * y.v * z.v) AS v FROM a x JOIN a y ON y.i = x.j JOIN a z ON z.i = y.j WHERE x.i = 42 GROUP BY z.j) s;
-- a key that no row has: no row, and no group of nothing
SELECT * FROM einsum_rows('y[I,L] = a[i,j]*a[j,l]*x[i]', at => '{"i": 43}') AS y(i int, l int, value float8);
SELECT * FROM einsum_rows('y[I] = a[i,j]*x[i]', at => '{"i": 43}') AS y(i int, value float8);
SELECT * FROM einsum_rows(:'layers', at => '{"i": 42}', search => 'as_written') AS z(i int, value tensor);
-- all of the result; columns of other types are assigned to
SELECT count(*), sum(value) FROM einsum_rows('n[I] = sum[j] a[i,j]') AS n(i bigint, value numeric);
-- for several keys, in any form that JSON has for an integer; where there is nothing there is no row
SELECT k, n.* FROM unnest(ARRAY[3, 4]) AS k, einsum_rows('s[I] = sqrt(x[i])', at => json_build_object('i', k)) AS n(i bigint, value float8);
SELECT * FROM einsum_rows('u[I,J] = a[i,j] + x[j]', at => '{"j": 4.2e1, "i": "10"}') AS n(i int, j int, value float8);
SELECT * FROM einsum_rows(NULL, result => 'auto') AS n(i int);
-- a key that its column's type cannot hold is an index without entries
CREATE TABLE few (i smallint PRIMARY KEY);
INSERT INTO few VALUES (1), (2);
SELECT einsum_register('few[I]', 'few', '{i}', NULL, '{100000}');
SELECT k.* FROM unnest('{1,99999}'::int[]) i, einsum_rows('k[I] = few[i]*2', at => json_build_object('i', i)) AS k(i int, value float8);
-- open labels, as their types read them
SELECT s.value FROM einsum_rows('n[P] = sum[C] l[C,P]; s[C] = l[C,P] * n[P]', at => json_build_object('c', md5('7')::uuid)) AS s(c uuid, value float8);
SELECT * FROM einsum_rows('n[P] = sum[C] l[C,P]', at => '{"p": "product 4"}') AS n(p text, value float8);
-- with the rights of the caller, read-only
CREATE ROLE at_reader;
GRANT USAGE ON SCHEMA at_test TO at_reader;
SET ROLE at_reader;
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": 1}') AS n(i int, value float8);
RESET ROLE;
DROP OWNED BY at_reader;
DROP ROLE at_reader;
-- errors
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"j": 1}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": 1, "i": 2}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": [1, 2]}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": 2000}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": -1}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": 1e30}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": 1.5}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": "1x"}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": true}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": null}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{}') AS n(i int, value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '3') AS n(i int, value float8);
SELECT * FROM einsum_rows('s[C] = sum[P] l[C,P]', at => '{"c": "seven"}') AS s(c uuid, value float8);
CREATE FUNCTION state_at(at json) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => at) AS n(i int, value float8);
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SELECT at, state_at(at) FROM unnest(ARRAY['{"i": 1}', '{"j": 1}', '{"i": 1, "i": 2}', '{"i": [1]}', '{"i": 2000}', '{"i": 0.5}', '{"i": "x"}', '{"i": null}', '{}', '[]']::json[]) at;
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": 1}') AS n(value float8);
SELECT * FROM einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": 1}') AS n(i uuid, value float8);
SELECT einsum_rows('n[I] = sum[j] a[i,j]', at => '{"i": 1}');
SELECT * FROM einsum_plan('n[I] = sum[j] a[i,j]', at => '{i}', actual => true);
SELECT * FROM einsum_plan('n[I] = sum[j] a[i,j]', at => '{k}');
SELECT einsum_sql('h2[J,k] = h[J,k]', at => '{k}', result => 'rows');
SELECT einsum_sql('h2[j,k] = h[j,k]', at => '{k}', result => 'dense');
SELECT einsum_sql('h2[J:64,K] = h[J,k]', at => '{j}');
SELECT einsum_sql(:'layers', at => '{k}', result => 'auto');
SELECT einsum_sql(:'layers', at => '{j}', result => 'auto');
SELECT einsum_sql(:'layers', at => '{i,i}', result => 'auto');
SELECT einsum_sql(:'layers', at => '{}', result => 'auto');
SELECT einsum_sql(:'layers', at => ARRAY['i', NULL]::name[], result => 'auto');
SELECT einsum_sql(:'layers', at => '{{i}}', result => 'auto');
SELECT einsum_sql('s[] = sum[i] x[i]', at => '{i}');
SET client_min_messages = warning;
DROP SCHEMA at_test CASCADE;
