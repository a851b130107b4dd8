-- Sparse values: forms, one form for each value and fill, equality and hashes across formats, limits, columns; what lies is refused.
\set VERBOSITY terse
CREATE SCHEMA sparse_test;
SET search_path = sparse_test, public, sparseeinsum_internal;
SELECT t FROM unnest(ARRAY['float8(1433):{17:1,42:0.5}', 'float4(3,4):{(0,1):2,*:Infinity}', ' float8 ( 5 ) : { 1 : 3 , (2):4 } ', 'float8():{():3}', 'float8():{*:2}', 'float8(0,3):{}', 'complex16(2):{1:1-2i,*:2}',
	'float8(2147483647,2147483647):{(2147483646,2147483646):1}', 'float8(3):{0:NaN,1:-0,*:1}']::tensor[]) t;
SELECT tensor_sparse('[1,0,2]'), tensor_sparse('[1,1,2]', 1), tensor_sparse('[NaN,1]', 'NaN'), tensor_sparse('[-0,1]'), tensor_sparse(tensor 'float8(3):{1:1}', 1), tensor_sparse('float8(0):{}'),
	tensor_dense('float4(2,2):{(0,1):2,*:Infinity}'), tensor_shape('float8(2,70000):{}'), tensor_type('float4(3):{}'), tensor_rank('float4(3,3):{}');
-- an element that all entries have is stored once; positions of 8 bytes are for many
SELECT pg_column_size(tensor_sparse(tensor_full('{1000}', 2)))  AS once, pg_column_size(tensor_sparse(tensor_random('{1000}', 1))) AS each, pg_column_size(tensor 'float8(65536,65536):{(0,1):2}') - pg_column_size(tensor 'float8(65536,65535):{(0,1):2}') AS wide_is_padded,
	pg_column_size(tensor 'float8(65536,65536):{(0,1):2,(0,3):2}') - pg_column_size(tensor 'float8(65536,65535):{(0,1):2,(0,3):2}') AS wide;

CREATE FUNCTION raised(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE query;
	RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ': ' || SQLERRM || '. ' || detail;
END $$;
SELECT text, raised(format('SELECT %L::tensor', text)) FROM unnest(ARRAY['float8(3):{1:0}', 'float8(3):{1:2,*:2}', 'float8(3):{1:NaN,*:NaN}', 'float8(3):{1:1,1:2}', 'float8(3):{2:1,1:2}', 'float8(3):{3:1}', 'float8(3):{1:1', 'float8(3):{1:1,}', 'float8(3):{1}', 'float8(3):{-1:1}',
	'float8(3):{*:1,1:2}', 'float8(3):{1:1}x', 'float8(2,2):{1:1}', 'float8(2,2):{(1):1}', 'float8(2,2):{(1,1,1):1}', 'float8(2,2):{(1,2):1}', 'float8(0,2):{(0,0):1}', 'float8(2147483647,2147483647,4):{}', 'float8(9223372036854775808):{}', 'float8:{1:1}', 'float4(2):{1:1e300}']) text;

-- Binary form; what lies is in tensor_binary
CREATE TABLE form (n int, bytes bytea);
INSERT INTO form SELECT n, tensor_send(t) FROM unnest(ARRAY['float8(5):{1:1,3:0.5}', 'float8(5):{1:2,3:2}', 'float4(3,4):{(0,1):2,(2,3):5,*:Infinity}', 'complex8(3):{2:1+2i}', 'float8(65536,65537):{(65535,65536):1,*:3}', 'float8(4):{}']::tensor[]) WITH ORDINALITY u(t, n);
SELECT n, bytes FROM form ORDER BY n;

-- Equal values in every form: equal, of one hash, and in one place of the order
CREATE TABLE value AS SELECT row_number() OVER () AS n, t FROM unnest(ARRAY['[0,1,0,0]', '[0,0,1,0]', '[1,0,0,0]', '[0,1,0,2]', '[1,1,1,1]', '[NaN,0,0,0]', '[-1,0,0,0]', '[0,0,0,0]', 'float4:[0,0.5,0,0]', 'complex16:[0,1i,0,0]', 'complex16:[0,1,0,0]', '[0,0]', '[[0,1],[0,0]]', '[]', '5']::tensor[]) t;
CREATE TABLE form_of AS SELECT n, f, CASE f WHEN 'dense' THEN t ELSE tensor_sparse(t, f::float8) END AS t FROM value, unnest(ARRAY['dense', '0', '1', 'NaN', '-0']) f;
SELECT count(*) AS pairs, count(*) FILTER (WHERE tensor_cmp(a.t, b.t) IS DISTINCT FROM tensor_cmp(x.t, y.t)) AS other_order, count(*) FILTER (WHERE a.t = b.t AND tensor_hash(a.t) <> tensor_hash(b.t)) AS other_hash,
	count(*) FILTER (WHERE a.t = b.t AND tensor_hash_extended(a.t, 7) <> tensor_hash_extended(b.t, 7)) AS other_extended_hash
	FROM form_of a, form_of b, value x, value y WHERE x.n = a.n AND y.n = b.n;
SELECT count(DISTINCT t), (SELECT count(*) FROM (SELECT FROM form_of GROUP BY t) g) AS groups, (SELECT count(*) FROM form_of a JOIN form_of b USING (t)) AS joined, (SELECT count(DISTINCT t) FROM value) AS values FROM form_of;
-- hashes are what they were
SELECT tensor_hash('[0,1,0,0]'), tensor_hash('float8(4):{1:1}'), tensor_hash_extended('[[1.5,0],[0,-2]]', 3), tensor_hash_extended('float4(2,2):{(0,0):1.5,(1,1):-2}', 3);
-- more positions than a dense value has
SELECT a = b AS same, a < b AS less, tensor_hash(a) = tensor_hash(b) AS hash FROM (VALUES (tensor 'float8(2147483647,2147483647):{(7,9):1}', tensor 'float4(2147483647,2147483647):{(7,9):1}'),
	('float8(2147483647,2147483647):{(7,9):1}', 'float8(2147483647,2147483647):{(7,9):1,(7,10):1}'), ('float8(2147483647,2147483647):{(7,9):1}', 'float8(2147483647,2147483647):{(7,9):1,*:2}')) v(a, b);

-- Beyond max_kernel_bytes, 16 MB, no dense form is made, and it is said of what.
SELECT raised(query) FROM unnest(ARRAY['SELECT tensor_exp(''float8(3000,3000):{(1,1):1}'')', 'SELECT einsum(''i->i'', tensor ''float8(2147483647):{1:1}'')', 'SELECT tensor_relu(''float8(2147483647):{1:1}'')', 'SELECT tensor_sum(t) FROM (VALUES (tensor ''float8(3000,3000):{(1,1):1}'')) v(t)',
	'SELECT tensor_dense(''float8(3000,3000):{(1,1):1}'')']) query;
SET sparseeinsum.max_kernel_bytes = '1kB';
SELECT raised('SELECT -tensor ''float8(129):{}'''), raised('SELECT -tensor ''float8(128):{}''');
RESET sparseeinsum.max_kernel_bytes;

-- What knows entries makes no dense form: parts, rows of entries, counts, products and distances, sums into a dense state, multiples.
CREATE TABLE wide AS SELECT 'float8(2000000000):{3:1.5,7:-2,1999999999:4}'::tensor AS a, 'float4(2000000000):{3:2,8:1,1999999999:0.5}'::tensor AS b, 'float8(2,1000000000):{(0,5):1,(1,0):2,(1,999999999):3}'::tensor AS m;
SELECT a[7], a[8], a[1999999999], m[1], m[0], m[1][999999999], m[0][0], tensor_format(m[1]) AS part, tensor_format(a[7]) AS element FROM wide;
SELECT inner_prod(a, b), inner_prod(a, a), a <-> b AS l2, a <+> b AS l1, a <#> b AS negative_inner, (a <=> a) AS cosine, tensor_count_nonzero(a), tensor_count_nonzero('float8(2000000000):{3:0,*:1}') AS others, a * 2 AS twice, 0.5 * b AS half, vec_sca_mult(b, -0.5), a * 0 AS zero, tensor 'float8(3):{1:2,*:3}' * 2 AS filled FROM wide;
SELECT e.* FROM wide, LATERAL (SELECT index, value FROM (SELECT (tensor_entries(m)).* LIMIT 8) s) e WHERE value <> 0 OR index[2] > 6;
SELECT u.index, u.value FROM wide, tensor_unstack(m, 0) u;
SELECT tensor_slice(a, '{7}', '{2000000000}') AS part, tensor_slice(m, '{1,0}', '{2,1000000000}') AS row, tensor_slice(m, '{0,3}', '{2,9}') AS block, tensor_permute(m, '{1,0}') AS turned, tensor_reshape(m, '{1000000000,-1}') AS pairs,
	tensor_reshape(tensor_slice(a, '{3}', '{4}'), '{}') AS number FROM wide;
SELECT raised(query) FROM unnest(ARRAY['SELECT tensor_reshape(m, ''{7,-1}'') FROM wide', 'SELECT tensor_reshape(m, ''{-3,-1}'') FROM wide', 'SELECT tensor_permute(m, ''{0,0}'') FROM wide', 'SELECT tensor_slice(m, ''{0,0}'', ''{3,1}'') FROM wide', 'SELECT tensor_slice(m, ''{0}'', ''{1}'') FROM wide']) query;
WITH forms AS (SELECT t, tensor_sparse(t, f) AS s FROM (SELECT tensor_floor(3 * tensor_random('{3,4,2}', n)) AS t, n % 3 AS f FROM generate_series(1, 9) n) x)
SELECT count(*), bool_and(tensor_slice(s, '{1,0,0}', '{3,3,2}') = tensor_slice(t, '{1,0,0}', '{3,3,2}')) AS slices, bool_and(tensor_permute(s, '{2,0,1}') = tensor_permute(t, '{2,0,1}')) AS turned, bool_and(tensor_reshape(s, '{-1,6}') = tensor_reshape(t, '{4,6}')) AS shapes,
	bool_and(tensor_format(tensor_slice(s, '{1,0,0}', '{3,3,2}')) || tensor_format(tensor_permute(s, '{2,0,1}')) || tensor_format(tensor_reshape(s, '{24}')) = 'sparsesparsesparse') AS sparse,
	bool_and(tensor_send(tensor_permute(tensor_permute(s, '{2,0,1}'), '{1,2,0}')) = tensor_send(s)) AS same FROM forms;
SELECT u.index, u.value FROM wide, einsum_unstack_scalar(a, 0) u;
SELECT u.index, u.value FROM wide, einsum_unstack(b, 0, 0) u;
SELECT u.index, e.index, e.value FROM wide, einsum_unstack(m, 0, 0) u, einsum_unstack_scalar(u.value, 0) e;
SELECT u.index, u.value FROM einsum_unstack_tensor('complex8(1000000000):{7:1+2i,*:3}', 0, '3') u;
-- a fill that is not asked for is read dense, and so is NaN, from which all differ; a fill is compared as an element
SELECT array_agg(u.index ORDER BY u.index) FROM einsum_unstack_scalar('float8(4):{2:0,*:1}', 0) u;
SELECT array_agg(u.value ORDER BY u.index) FROM einsum_unstack_scalar('float8(4):{2:0,*:NaN}', 'NaN') u;
SELECT array_agg(u.index ORDER BY u.index) FROM einsum_unstack_scalar('float4(2000000000):{2:0,*:0.1}', 0.1) u;
SELECT array_agg(u.index ORDER BY u.index) FROM einsum_unstack('float8(4,2):{(2,1):0,*:1}', 0, 0) u;
SELECT array_agg(u.index ORDER BY u.index) FROM einsum_unstack('float8(0,2):{}', 0, 0) u;
SELECT raised($$SELECT count(*) FROM einsum_unstack_scalar('float8(2000000000):{2:1}', 1)$$);
-- gaps count where they meet what is not finite, and other fills than 0 in each place
SELECT inner_prod('float8(4):{1:2}', '[1,3,Infinity,0]'), inner_prod('[NaN,1,1,1]', 'float4(4):{1:2}'), inner_prod('float8(4):{1:2,*:3}', 'float8(4):{0:1}'), tensor 'float8(4):{1:2}' <-> '[1,2,0,-3]' AS l2, tensor 'float8(4):{1:2}' <=> '[1,2,0,-3]' AS cosine, tensor 'float8(4):{1:2}' <+> 'float4(4):{*:1}' AS l1;
SELECT raised(query) FROM unnest(ARRAY['SELECT inner_prod(''float8(4):{}'', ''float8(5):{}'')', 'SELECT tensor ''float8(2,3):{}'' <-> ''float8(3,2):{}''', 'SELECT inner_prod(''complex8(2):{1:0+2i}'', ''[1,1]'')', 'SELECT (tensor ''float8(4):{}'')[4]', 'SELECT (tensor ''float8(4):{}'')[0][0]']) query;
-- sums, whose state is dense: values of one element, of another type, with another fill
SELECT tensor_sum(t), tensor_avg(t) FROM unnest(ARRAY['[1,2,3,4]', 'float8(4):{1:1,2:1}', 'float8(4):{3:5}', 'float8(4):{0:1,*:2}']::tensor[]) t;
SELECT tensor_sum(t) FROM unnest(ARRAY['float4:[1,2,3,4]', 'float4(4):{1:1,2:1}', 'float4(4):{3:0.1}']::tensor[]) t;
SELECT tensor_sum(t) FROM unnest(ARRAY['float4:[1,2,3,4]', 'float8(4):{3:0.1}', 'float4(4):{0:1}', 'complex8(4):{1:0+2i}']::tensor[]) t;
SELECT raised($$SELECT tensor_sum(t) FROM unnest(ARRAY['[1,2]', 'float8(3):{}']::tensor[]) t$$);

-- As JSON: an object, whose keys have an order of their own
SELECT t, t::jsonb, t::jsonb::tensor = t AS same FROM unnest(ARRAY['float8(1433):{9:1,17:0.5,1000:2}', 'float8(12,12):{(0,11):1,(1,2):2,(11,0):3}', 'float4(3):{1:0.1,*:Infinity}', 'float8():{():3}', 'float8(0,3):{}', 'float8(2147483647,2147483647):{(7,9):NaN,*:-1}']::tensor[]) t;
SELECT to_json(tensor 'float8(3):{1:2}'), to_json(tensor 'complex8(3):{1:0+2i}');
SELECT json::jsonb::tensor FROM unnest(ARRAY['{"shape": [12], "entries": {"11": 1, "9": "NaN", "3": 0}}', '{"fill": 2, "shape": [2, 2], "entries": {"1,0": 2, "0,1": 1}}']) json;
-- as text too, which jsonb_populate_record gives the input function
CREATE TYPE with_tensors AS (a int, t tensor, s tensor(float4,1,sparse));
SELECT * FROM jsonb_populate_record(NULL::with_tensors, to_jsonb(row(1, 'float8(4):{2:7,*:Infinity}', 'float4(3):{1:0.5}')::with_tensors));
SELECT ' { "shape": [4], "entries": {"2": 7}}'::tensor;
SELECT json, raised(format('SELECT %L::tensor', json)) FROM unnest(ARRAY['{"shape": [4], "entries": {"9": 7}}', '{"shape": [4]', '{}', '{1,2}']) json;
CREATE TABLE mistake AS SELECT json FROM unnest(ARRAY['{}', '{"shape": [3]}', '{"entries": {}}', '{"shape": 3, "entries": {}}', '{"shape": [3], "entries": [1]}', '{"shape": [-1], "entries": {}}', '{"shape": [1.5], "entries": {}}', '{"shape": [1e300], "entries": {}}', '{"shape": ["3"], "entries": {}}', '{"shape": [2147483647,2147483647,4], "entries": {}}',
	'{"shape": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "entries": {}}', '{"shape": [3], "entries": {"3": 1}}', '{"shape": [3], "entries": {"-1": 1}}', '{"shape": [3], "entries": {"": 1}}', '{"shape": [3], "entries": {"01": 1}}', '{"shape": [3], "entries": {"1,1": 1}}', '{"shape": [3,3], "entries": {"1": 1}}', '{"shape": [30], "entries": {"99999999999999999999": 1}}',
	'{"shape": [3], "entries": {"1": [2]}}', '{"shape": [3], "entries": {"1": true}}', '{"shape": [3], "entries": {}, "fill": {}}', '{"shape": [3], "entries": {}, "other": 1}', '[{"shape": [3], "entries": {}}]']) json;
SELECT json, raised(format('SELECT %L::jsonb::tensor', json)) FROM mistake;
-- from PostgreSQL 16 on, a caller of the input function may have the error instead of raising it
DO $$
DECLARE
	mistake text;
	saved text;
	raised text;
BEGIN
	IF current_setting('server_version_num')::int < 160000 THEN
		RETURN;
	END IF;
	FOR mistake IN SELECT json FROM mistake UNION ALL SELECT '{"shape": [3], "entries": {"1": 1e400}}' LOOP
		raised := raised(format('SELECT %L::tensor', mistake));
		EXECUTE format('SELECT sql_error_code || '': '' || message || ''. '' || coalesce(detail, '''') FROM pg_input_error_info(%L, ''tensor'')', mistake) INTO saved;
		IF saved IS DISTINCT FROM raised THEN
			RAISE '%: % is not %', mistake, saved, raised;
		END IF;
	END LOOP;
END $$;

-- In programs the entries of sparse vectors are rows of a nest, and statistics are those of the dense values; another fill than the registration's is read dense.
CREATE TABLE bag (i int PRIMARY KEY, v tensor(float8,1,sparse) NOT NULL);
INSERT INTO bag SELECT i, stack((i + k) % 5 - 1, k * 7 % 50, 0, 50) FROM generate_series(0, 19) i, generate_series(0, i % 4) k GROUP BY i;
CREATE TABLE full_bag (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO full_bag SELECT i, tensor_dense(v) FROM bag;
CREATE TABLE weight (k int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO weight SELECT k, tensor_random('{4}', k) FROM generate_series(0, 49) k;
SELECT einsum_register('s[I,k]', 'bag', '{i}', 'v', '{20,50}'), einsum_register('d[I,k]', 'full_bag', '{i}', 'v', '{20,50}'), einsum_register('w[K,j]', 'weight', '{k}', 'v', '{50,4}'), einsum_register('o[I,k]', 'bag', '{i}', 'v', '{20,50}', fill => 1);
SELECT count(*) AS statistics FROM (SELECT statistic, labels, given, count FROM einsum_analyze('s') INTERSECT SELECT statistic, labels, given, count FROM einsum_analyze('d')) same;
SELECT count(*) AS others FROM (SELECT statistic, labels, given, count FROM einsum_analyze('s') EXCEPT SELECT statistic, labels, given, count FROM einsum_analyze('d')) s;
SELECT statistic, labels, count FROM einsum_analyze('o') WHERE statistic = 'entries';
SET max_parallel_workers_per_gather = 0;
SELECT einsum_decompose('together[k,l] = sum[i] s[i,k]*s[i,l]', 'bags');
SELECT count(*), sum(value), (SELECT array_agg(ROW(x, y, z) ORDER BY x, y) FROM (SELECT x.index AS x, y.index AS y, sum(x.value * y.value) AS z FROM full_bag b, einsum_unstack_scalar(v, 0) x, einsum_unstack_scalar(v, 0) y GROUP BY 1, 2) s WHERE z <> 0) = array_agg(ROW(k, l, value) ORDER BY k, l) AS right FROM together WHERE value <> 0;
SELECT max(mat_norm(tensor_map('$1-$2', 'ij,ij->ij', a, b), 'max')) < 1e-9 AS right FROM einsum_value('y[i,j] = sum[k] s[i,k]*w[k,j]') a, einsum_value('y[i,j] = sum[k] d[i,k]*w[k,j]') b;

-- A nest, which makes values dense, leaves those that are too large to PostgreSQL's own plan.
SET sparseeinsum.enable_aggregate_join = force;
CREATE TABLE long (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO long VALUES (0, '[0,2]'), (1, 'float8(2000000000):{7:3}');
ALTER TABLE long ALTER v SET STORAGE EXTERNAL;
CREATE TABLE other AS TABLE long;
EXPLAIN (COSTS off) SELECT sum(inner_prod(a.v, b.v)), max(inner_prod(a.v, b.v)) FROM long a JOIN other b USING (i);
SELECT sum(inner_prod(a.v, b.v)), max(inner_prod(a.v, b.v)) FROM long a JOIN other b USING (i);
INSERT INTO long SELECT 2, ('float8(2000000000):{' || string_agg(k || ':' || k % 7, ',' ORDER BY k) || '}')::tensor FROM generate_series(1, 3000) k WHERE k % 7 > 0;
INSERT INTO other SELECT 2, v FROM long WHERE i = 2;
SELECT sum(inner_prod(a.v, b.v)) FROM long a JOIN other b USING (i);
RESET sparseeinsum.enable_aggregate_join;

-- The text of pgvector's sparsevec, which counts from 1
SELECT text, tensor_of_sparsevec(text), sparsevec_of_tensor(tensor_of_sparsevec(text)) = text AS same FROM unnest(ARRAY['{1:1.5,4:-2}/5', '{}/3', '{2147483647:0.1}/2147483647', '{1:3e-05,7:1e+20}/8']) text;
SELECT t, sparsevec_of_tensor(t) FROM unnest(ARRAY['[0,1.5,0,-2,0]', 'float8(5):{1:1e-300,2:0.1}', 'float4(3):{1:0,*:2}', '[-0,0]']::tensor[]) t;
SELECT text, raised(format('SELECT tensor_of_sparsevec(%L)', text)) FROM unnest(ARRAY['', '{}', '{}/', '{}/-1', '{}/2147483648', '{}/99999999999999999999', '{/3', '{0:1}/3', '{4:1}/3', '{2:1,1:1}/3', '{1:1,1:1}/3', '{1:1,}/3', '{1:1 }/3', '{1}/3', '{1:1e99}/3', '{1:x}/3', '{1:1}x/3', '{1:1}/3x', '({1:1}/3)']) text;
SELECT raised(format('SELECT sparsevec_of_tensor(%L)', text)) FROM unnest(ARRAY['[[1]]', '3', 'complex8:[1+2i]', '[1e300]']) text;

-- Columns: sparse ones make values sparse, others keep each value's format; what a narrower type rounds to the fill is no entry.
CREATE TABLE typed (id int, a tensor(float4,1,sparse), b tensor(float4), c tensor(complex16,sparse));
INSERT INTO typed VALUES (1, '[1,0,1.5]', 'float8(3):{1:1e-300,2:4}', '[0,1]'), (2, 'float8(3):{0:1,*:7}', '[1,2]', 'float4(2,2):{}');
SELECT * FROM typed ORDER BY id;
-- a fill that no element has may be out of range
INSERT INTO typed (id, b) VALUES (3, 'float8(2):{0:1,1:2,*:1e300}'), (4, 'float8(0):{*:1e300}') RETURNING b;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'typed'::regclass AND attnum > 1 ORDER BY attnum;
SELECT raised(query) FROM unnest(ARRAY['INSERT INTO typed(a) VALUES (''[[1]]'')', 'INSERT INTO typed(b) VALUES (''float8(3):{1:1e300}'')', 'INSERT INTO typed(b) VALUES (''float8(3):{*:1e300}'')', 'INSERT INTO typed(b) VALUES (''complex8(3):{}'')', 'SELECT NULL::tensor(float8,1,dense)', 'SELECT NULL::tensor(sparse)']) query;
DROP SCHEMA sparse_test CASCADE;
