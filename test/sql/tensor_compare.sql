--
-- Equality, order and hashes
--
-- by value across element types; NaN equals NaN, -0 equals 0; the shape counts
SET search_path = public, sparseeinsum_internal;
SELECT '[1,2]'::tensor = '[1,2]' AS t, '[1,2]'::tensor = 'float4:[1,2]' AS t, '[1,2]'::tensor = 'complex8:[1,2]' AS t,
       '[NaN,-0]'::tensor = '[NaN,0]' AS t, 'complex16:[NaN-0i]'::tensor = '[NaN]' AS t, '[]'::tensor = 'float4:[]' AS t;
SELECT '[1,2]'::tensor = '[2,1]' AS f, '[1,2]'::tensor = '[[1,2]]' AS f, '1'::tensor = '[1]' AS f, '[]'::tensor = 'float8(0,3):[]' AS f,
       '[0.1]'::tensor = 'float4:[0.1]' AS f, 'complex16:[1+2i]'::tensor = '[1]' AS f, '[NaN]'::tensor = '[1]' AS f, '[]'::tensor = '[[]]' AS f;
SELECT '[1]'::tensor <> '[2]' AS t, '[1]'::tensor <> 'float4:[1]' AS f;

-- rank, bounds, elements
SELECT t FROM unnest('{"[2]","[1]","[NaN]","[Infinity]","[-Infinity]","1","-5","NaN","[1,0]","[[1]]","[]","[[]]","float8(0,3):[]","complex16:[1+2i]","complex16:[1-1i]","float4:[1.5]","[0,9]"}'::tensor[]) t ORDER BY t;
SELECT '[1]'::tensor < '[2]' AS t, '[1]'::tensor <= '[1]' AS t, '[2]'::tensor > '[1]' AS t, '[2]'::tensor >= '[3]' AS f, '[2]'::tensor < '[1,1]' AS t, '[NaN]'::tensor > '[Infinity]' AS t;
SELECT tensor_cmp('[1]', '[2]'), tensor_cmp('[2]', '[1]'), tensor_cmp('[1]', 'float4:[1]'), tensor_cmp('NaN', 'NaN'), tensor_cmp('NaN', '1'), tensor_cmp('1', 'NaN');

-- equal values hash alike; the seed matters; without a seed the two agree
SELECT a = b AS equal, tensor_hash(a) = tensor_hash(b) AS hash, tensor_hash_extended(a, 42) = tensor_hash_extended(b, 42) AS extended
FROM (VALUES ('[1,2]'::tensor, 'float4:[1,2]'::tensor), ('[0.5]', 'complex8:[0.5-0i]'), ('[NaN,-0]', 'float4:[NaN,0]'), ('complex16:[NaN+0i]', '[NaN]'), ('complex8:[1+2i]', 'complex16:[1+2i]'), ('complex16:[0+NaNi]', 'complex8:[0-NaNi]'), ('[]', 'float4:[]')) v(a, b);
SELECT count(DISTINCT tensor_hash(t)) FROM unnest('{"[1]","[[1]]","1","[1,0]","[0,1]","complex16:[1+1i]","complex16:[0+1i]","[]","[[]]","float8(0,3):[]"}'::tensor[]) t;
SELECT tensor_hash_extended('[1]', 0) <> tensor_hash_extended('[1]', 1) AS t,
       (tensor_hash_extended('[1]', 0) & 4294967295)::bit(32) = tensor_hash('[1]')::bit(32) AS t;
-- stored hashes never change
SELECT tensor_hash('[1,2]'), tensor_hash_extended('[[0.5]]', 7), tensor_hash('complex16:[1+2i]'), tensor_hash('NaN');

-- GROUP BY, DISTINCT, ORDER BY, joins, set operations, indexes, partitions
CREATE TABLE tensor_compare (id int, t tensor);
INSERT INTO tensor_compare SELECT i, CASE i % 3 WHEN 0 THEN '[1,2]' WHEN 1 THEN 'float4:[1,2]' ELSE '[2,1]' END::tensor FROM generate_series(1, 12) i;
INSERT INTO tensor_compare SELECT 12 + i, tensor_random('{40,40}', i % 2) FROM generate_series(1, 4) i;
SET enable_sort = off;
SELECT count(*) FROM tensor_compare GROUP BY t ORDER BY 1;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*) FROM tensor_compare GROUP BY t ORDER BY 1;
RESET enable_hashagg;
SELECT count(DISTINCT t) FROM tensor_compare;
SELECT count(*) FROM (SELECT t FROM tensor_compare UNION SELECT '[1,2]') u;
SET enable_mergejoin = off; SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM tensor_compare a JOIN tensor_compare b USING (t);
SELECT count(*) FROM tensor_compare a JOIN tensor_compare b USING (t);
RESET enable_mergejoin; SET enable_hashjoin = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM tensor_compare a JOIN tensor_compare b USING (t);
SELECT count(*) FROM tensor_compare a JOIN tensor_compare b USING (t);
RESET enable_hashjoin; RESET enable_nestloop;
CREATE INDEX ON tensor_compare USING hash (t);
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT count(*) FROM tensor_compare WHERE t = 'complex8:[1,2]';
EXPLAIN (COSTS OFF) SELECT count(*) FROM tensor_compare WHERE t = '[1,2]';
RESET enable_seqscan; RESET enable_bitmapscan;
ALTER TABLE tensor_compare ADD PRIMARY KEY (id);
CREATE TABLE tensor_unique (t tensor UNIQUE);
INSERT INTO tensor_unique VALUES ('[1]'), ('[NaN]'), ('[[1]]');
INSERT INTO tensor_unique VALUES ('float4:[1]');
INSERT INTO tensor_unique VALUES ('[NaN]');
CREATE TABLE tensor_partitioned (t tensor) PARTITION BY HASH (t);
CREATE TABLE tensor_partition_0 PARTITION OF tensor_partitioned FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE tensor_partition_1 PARTITION OF tensor_partitioned FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO tensor_partitioned SELECT i::float8 FROM generate_series(1, 20) i;
SELECT count(*) FROM tensor_partitioned WHERE t = 'float4:7';
ANALYZE tensor_compare;
SELECT amvalidate(oid) FROM pg_opclass WHERE opcname IN ('tensor_btree_ops', 'tensor_hash_ops');
DROP TABLE tensor_compare, tensor_unique, tensor_partitioned;
