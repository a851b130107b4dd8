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
SELECT raised(query) FROM unnest(ARRAY['SELECT tensor_exp(''float8(3000,3000):{(1,1):1}'')', 'SELECT einsum(''i->i'', tensor ''float8(2147483647):{1:1}'')', 'SELECT (tensor ''float8(2147483647):{1:1}'')[1]', 'SELECT tensor_sum(t) FROM (VALUES (tensor ''float8(3000,3000):{(1,1):1}'')) v(t)',
	'SELECT tensor_dense(''float8(3000,3000):{(1,1):1}'')']) query;
SET sparseeinsum.max_kernel_bytes = '1kB';
SELECT raised('SELECT -tensor ''float8(129):{}'''), raised('SELECT -tensor ''float8(128):{}''');
RESET sparseeinsum.max_kernel_bytes;

-- Columns: sparse ones make values sparse, others keep each value's format; what a narrower type rounds to the fill is no entry.
CREATE TABLE typed (id int, a tensor(float4,1,sparse), b tensor(float4), c tensor(complex16,sparse));
INSERT INTO typed VALUES (1, '[1,0,1.5]', 'float8(3):{1:1e-300,2:4}', '[0,1]'), (2, 'float8(3):{0:1,*:7}', '[1,2]', 'float4(2,2):{}');
SELECT * FROM typed ORDER BY id;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'typed'::regclass AND attnum > 1 ORDER BY attnum;
SELECT raised(query) FROM unnest(ARRAY['INSERT INTO typed(a) VALUES (''[[1]]'')', 'INSERT INTO typed(b) VALUES (''float8(3):{1:1e300}'')', 'INSERT INTO typed(b) VALUES (''float8(3):{*:1e300}'')', 'INSERT INTO typed(b) VALUES (''complex8(3):{}'')', 'SELECT NULL::tensor(float8,1,dense)', 'SELECT NULL::tensor(sparse)']) query;
DROP SCHEMA sparse_test CASCADE;
