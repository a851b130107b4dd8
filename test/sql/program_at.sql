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

-- what is read twice: the keys of both readers; missing entries count as ever
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

-- errors
SELECT einsum_sql(:'layers', at => '{k}');
SELECT einsum_sql(:'layers', at => '{j}');
SELECT einsum_sql(:'layers', at => '{i,i}');
SELECT einsum_sql(:'layers', at => '{}');
SELECT einsum_sql(:'layers', at => ARRAY['i', NULL]::name[]);
SELECT einsum_sql(:'layers', at => '{{i}}');
SELECT einsum_sql('s[] = sum[i] x[i]', at => '{i}');
SET client_min_messages = warning;
DROP SCHEMA at_test CASCADE;
