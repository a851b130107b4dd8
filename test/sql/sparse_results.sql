-- Values that a query keeps, or a table of a stage has, are sparse where that is smaller.
\set VERBOSITY terse
CREATE SCHEMA sparse_results;
SET search_path = sparse_results, public;
SET client_min_messages = warning;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, (i * 37 + d * 101) % 600, (i + d) % 5 + 1 FROM generate_series(0, 599) i, generate_series(0, 3) d;
CREATE TABLE x (j int, k int, v float8 NOT NULL, PRIMARY KEY (j, k));
INSERT INTO x SELECT j, (j * 53 + d * 7) % 600, (j + d) % 3 + 1 FROM generate_series(0, 599) j, generate_series(0, 3) d;
CREATE TABLE w (v tensor NOT NULL);
INSERT INTO w SELECT stack(k % 7 - 3.0, k, 0, 600) FROM generate_series(0, 599) k;
CREATE TABLE m (v tensor NOT NULL);
INSERT INTO m SELECT einsum('i,j->ij', v, tensor_slice(v, 0, 0, 3)) FROM w;
ANALYZE;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{600,600}'), einsum_register('x[J,K]', 'x', '{j,k}', 'v', '{600,600}'),
	einsum_register('w[k]', 'w', '{}', 'v', '{600}'), einsum_register('m[k,l]', 'm', '{}', 'v', '{600,3}');
SELECT count(*) > 0 FROM (SELECT einsum_analyze('a'), einsum_analyze('x')) s;

-- which stages have sparse values
CREATE FUNCTION formats(program text, materialize text DEFAULT 'auto') RETURNS TABLE (stage text, format text) LANGUAGE sql AS $$
	SELECT s->>'notation', s->>'format' FROM einsum_plan(program, format => 'json', materialize => materialize) p, json_array_elements(p::json->0->'stages') s
		WHERE s->>'materialized' = 'true' OR s->>'table' = 'true' ORDER BY 1
$$;
CREATE FUNCTION agrees(program text, VARIADIC modes text[] DEFAULT '{auto,always}') RETURNS boolean LANGUAGE sql AS $$
	SELECT bool_and(einsum_value(program, materialize => mode) = einsum_value(program, materialize => 'never')) FROM unnest(modes) mode
$$;
-- a result with vectors, which two statements read: as values in memory, dense; on disk, sparse; as a factor of a matrix product, dense
\set values 'h[I,k] = sum[j] a[i,j]*x[j,k]; p[I] = sum[k] h[i,k]*w[k]; q[k] = sum[i] h[i,k]*h[i,k]; s[] = (sum[i] p[i]^2) + sum[k] q[k]^2'
\set entries 'h[I,k] = sum[j] a[i,j]*x[j,k]; p[I,K] = h[i,k]*a[i,k]; q[I,K] = h[i,k]*x[i,k]; s[] = (sum[i,k] p[i,k]^2) + sum[i,k] q[i,k]^2'
\set fills 'h[I,k] = 3 - (sum[j] a[i,j]*x[j,k]); p[I,K] = h[i,k]*a[i,k]; q[I,K] = h[i,k]*x[i,k]; s[] = (sum[i,k] p[i,k]^2) + sum[i,k] q[i,k]^2'
\set matrix 'z[I,l] = sum[k:*] relu(sum[j] a[i,j]*x[j,k:*])*m[k:*,l]; s[] = sum[i,l] z[i,l]^2'
SET sparseeinsum.rewrite_budget = 1;
SELECT * FROM formats(:'values');
SET work_mem = '1MB';
SELECT * FROM formats(:'values');
SELECT agrees(:'values');
RESET work_mem;
SELECT * FROM formats(:'entries');
SELECT * FROM formats(:'fills');
SELECT * FROM formats(:'matrix', 'always');
SELECT sql LIKE '%tensor_sparse(dense.value, ''3''%' AS with_fill FROM einsum_sql(:'fills') sql;
SELECT agrees(:'entries'), agrees(:'fills'), agrees(:'matrix');
-- a table of a stage has sparse values; one of a defined tensor has dense ones, and so have all that refreshes add to
SELECT * FROM formats('s[i] = sum[k] (sum[j:*] a[i,j:*]*x[j:*,k])^2', 'always');
SELECT count(*) > 0 FROM einsum_decompose(:'entries', 'kept', materialize => 'always');
SELECT count(*) FROM einsum_refresh('kept');
SELECT DISTINCT tensor_format(value) FROM h;
SELECT einsum_plan(:'entries');
DROP SCHEMA sparse_results CASCADE;
