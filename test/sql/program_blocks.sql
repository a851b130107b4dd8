-- Labels split in blocks: stored so, pinned so, chosen so; the last block shorter, blocks missing
SET client_min_messages = warning;
CREATE SCHEMA blocks_test;
SET search_path = blocks_test, public;
RESET client_min_messages;

-- one matrix in four decompositions
SELECT einsum_store('a[I,J]', 'SELECT i, j, (i * 7 + j * 3) % 5 - 2 FROM generate_series(0, 9) i, generate_series(0, 6) j WHERE (i * j) % 3 <> 1 AND i NOT BETWEEN 4 AND 7', '{10,7}');
SELECT einsum_store('b[I:4,j]', 'SELECT * FROM a', '{10,7}');
SELECT einsum_store('c[I:3,J:2]', 'SELECT * FROM a', '{10,7}');
SELECT einsum_store('d[i,J:7]', 'SELECT * FROM a', '{10,7}');
\d b
SELECT * FROM b ORDER BY 1;
SELECT * FROM c ORDER BY 1, 2;
SELECT * FROM d;
SELECT tensor, notation, bounds, status FROM einsum_tensors WHERE relation::text IN ('a', 'b', 'c', 'd') ORDER BY 1;
SELECT einsum_value('y[i,j] = b[i,j]') = einsum_value('y[i,j] = a[i,j]') AS b, einsum_value('y[i,j] = c[i,j]') = einsum_value('y[i,j] = a[i,j]') AS c,
	   einsum_value('y[i,j] = d[i,j]') = einsum_value('y[i,j] = a[i,j]') AS d;
-- what a plan with blocks looks like
SELECT einsum_plan('y[i,k] = sum[j] b[i,j:3]*c[k,j:3]', search => 'as_written');
SELECT einsum_plan('y[I:4,k] = sum[j] b[I:4,j]*c[k,j]', format => 'program');
SELECT einsum_sql('y[I:4] = sum[j] b[I:4,j]');

-- every pair of block sizes between a stored tensor, a stage and its result
CREATE FUNCTION reblocked(OUT programs bigint, OUT wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	sizes text[] := '{i,I,i:2,i:3,i:4,i:6,i:10,i:12}';
	stored text;
	stage text;
	result text;
	expected tensor := einsum_value('y[i,j] = 2*a[i,j]');
BEGIN
	programs := 0;
	wrong := 0;
	FOREACH stored IN ARRAY '{a,b,c,d}'::text[] LOOP
		FOREACH stage IN ARRAY sizes LOOP
			FOREACH result IN ARRAY sizes LOOP
				programs := programs + 1;
				IF einsum_value(format('y[%s,j] = 2*%s[i,j]; z[i,j] = y[%s,j]', result, stored, stage)) IS DISTINCT FROM expected THEN
					wrong := wrong + 1;
				END IF;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;
SELECT * FROM reblocked();

-- aggregates over blocks: entries that are missing count, the last block has fewer
CREATE FUNCTION in_all_plans(program text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	pinned text;
	expected tensor := einsum_value(regexp_replace(program, '<(\w)>', '\1', 'g'), search => 'as_written');
	result tensor;
	wrong text := '';
BEGIN
	FOREACH pinned IN ARRAY '{:1,:2,:3,:4,:6,:9,:*}'::text[] LOOP
		result := einsum_value(regexp_replace(program, '<(\w)>', '\1' || pinned, 'g'));
		IF result IS DISTINCT FROM expected THEN
			wrong := wrong || ' ' || pinned || '=' || result::text;
		END IF;
	END LOOP;
	RETURN expected::text || wrong;
END $$;
SELECT p, in_all_plans(p) FROM (VALUES
	('s[] = sum[<i>,j] a[<i>,j]'), ('y[j] = max[<i>] a[<i>,j] - 5'), ('y[j] = max[<i>] (a[<i>,j] - 5)'), ('y[j] = min[<i>] (a[<i>,j] + 5)'),
	('y[j] = prod[<i>] (a[<i>,j] + 2)'), ('y[j] = sum[<i>] exp(a[<i>,j]*0)'), ('y[j] = any[<i>] a[<i>,j]'), ('y[j] = all[<i>] (a[<i>,j] + 3)'),
	('y[j] = sum[<i>] (a[<i>,j] + 1)*b[<i>,j]'), ('y[j] = sum[<i>] (b[<i>,j] + c[<i>,j])'), ('y[j] = max[<i>] if(b[<i>,j] > 0, c[<i>,j], 7)'),
	('y[i] = sum[<j>] a[i,<j>]*c[i,<j>]'), ('y[i] = prod[<j>] (1 + c[i,<j>])'), ('y[i,k] = sum[<j>] a[i,<j>]*b[k,<j>]'), ('y[i,k] = max[<j>] (a[i,<j>] + c[k,<j>])'),
	('y[j] = sum[<i>,k] a[<i>,j]*b[<i>,k]'), ('y[i] = sum[<j>,<k>] (a[i,<j>] + b[i,<k>])')) AS programs(p);
-- the diagonal, a repeated tensor, a label that only the result has
SELECT einsum_store('m[I:2,J:3]', 'SELECT i, j, i - 2 * j FROM generate_series(0, 6) i, generate_series(0, 6) j WHERE i + j <> 5', '{7,7}');
SELECT p, in_all_plans(p) FROM (VALUES
	('y[i] = 0*m[i,i] + m[<i>,<i>]'), ('s[] = sum[<i>,<j>,<k>] m[<i>,<j>]*m[<j>,<k>]*m[<k>,<i>]'), ('s[] = sum[<i>] m[<i>,<i>]'), ('y[i] = sum[<j>] m[i,<j>]*m[<j>,i]'), ('y[i] = max[<j>] m[<j>,<j>]*m[i,<j>]')) AS programs(p);
SELECT einsum_value('y[i:2,j:3] = m[i:2,i:2] + m[j:3,j:3]') = einsum_value('y[i,j] = m[i,i] + m[j,j]') AS extended,
	   einsum_value('y[i:3,j] = eye[i:3,j]*m[i:3,j]') = einsum_value('y[i,j] = eye[i,j]*m[i,j]') AS diagonal;

-- views in blocks: registered so, read by other programs, with fills
SELECT view, notation FROM einsum_decompose('h[I:4,J:3] = exp(b[i,j])', 'p');
SELECT i, j, tensor_shape(value) FROM h ORDER BY 1, 2;
SELECT tensor, notation, fill, bounds FROM einsum_tensors WHERE tensor = 'h';
SELECT einsum_value('y[i] = sum[j] ln(h[i,j])') = einsum_value('y[i] = sum[j] a[i,j]') AS same,
	   einsum_value('y[i:3] = sum[j:2] ln(h[i:3,j:2])') = einsum_value('y[i] = sum[j] a[i,j]') AS in_blocks;
SELECT einsum_drop('p');
-- a named result has a row for each index unless blocks are asked for
SET sparseeinsum.blocks = '3';
SELECT bool_and(notation !~ ':') AS by_index FROM einsum_plan('h[i,k] = sum[j] b[i,j]*c[k,j]', plans => 50, format => 'json', result => 'auto') p, LATERAL (SELECT plan->'stages'->0->>'notation' AS notation FROM json_array_elements(p::json) plan) n;
SELECT count(*) > 10 AS split FROM einsum_plan('h[i,k] = sum[j] b[i,j]*c[k,j]', plans => 50, format => 'json', result => 'auto') p, LATERAL (SELECT plan->'stages'->0->>'definition' AS definition FROM json_array_elements(p::json) plan) n WHERE definition ~ ':3';
-- all plans of a search with blocks agree
SELECT count(*) AS plans, count(DISTINCT v) AS results FROM generate_series(1, 60) n, LATERAL einsum_value('h[i,k] = sum[j] b[i,j]*c[k,j]; s[] = max[i,k] h[i,k]', alternative => n) v;
SELECT count(*) AS plans, count(DISTINCT v) AS results FROM generate_series(1, 40) n, LATERAL einsum_value('h[i] = min[j] (b[i,j] + 1); y[j] = prod[i] (h[i] + a[i,j])', alternative => n) v;
RESET sparseeinsum.blocks;

-- a kernel is not computed for blocks that do not match, which may differ in extent
CREATE TABLE t (x int, y int, z int, v tensor, PRIMARY KEY (x, y, z));
INSERT INTO t SELECT 0, i, j, tensor_full('{5}', (1 + i + j) % 4) FROM generate_series(0, 4) i, generate_series(0, 3) j;
SELECT einsum_register('t[X:5,Y,Z]', 't', '{x,y,z}', 'v', '{5,5,4}');
CREATE TABLE u (v tensor NOT NULL);
INSERT INTO u VALUES ('[1,-3,4,4,2]');
SELECT einsum_register('u[x]', 'u', '{}', 'v', '{5}');
SELECT einsum_value('r[k:3,j,i,p:3] = abs(t[p:3,k:3,j]*u[p:3]*t[p:3,p:3,i])') = einsum_value('r[k,j,i,p] = abs(t[p,k,j]*u[p]*t[p,p,i])', search => 'as_written') AS pinned,
	   einsum_value('r[k:3,j,i,p:3] = abs(t[p:3,k:3,j]*u[p:3]*t[p:3,p:3,i]); q[k,j,i,p] = r[k,j,i,p]') = einsum_value('r[k,j,i,p] = abs(t[p,k,j]*u[p]*t[p,p,i])', search => 'as_written') AS read_anew;
SET sparseeinsum.blocks = '3';
SELECT count(*) AS plans, count(DISTINCT v) AS results FROM generate_series(1, 40) n, LATERAL einsum_value('r[k,j,i,p] = abs(t[p,k,j]*u[p]*t[p,p,i])', search => 'exhaustive', alternative => n) v;
RESET sparseeinsum.blocks;

-- other element types, a complex fill
CREATE TABLE c8 (i int PRIMARY KEY, v tensor(complex8, 1));
INSERT INTO c8 SELECT i, stack(tensor_full('{}', i + k, 'complex8'), k, 0, 5) FROM generate_series(0, 6, 2) i, generate_series(0, 4) k WHERE (i + k) % 3 <> 0 GROUP BY i;
SELECT einsum_register('c8[I,k]', 'c8', '{i}', 'v', '{7,5}');
SELECT einsum_value('y[i,k] = c8[i,k] + 2i') AS value, einsum_value('h[i:3,k:2] = c8[i,k] + 2i; y[i:4,k] = h[i:4,k]') = einsum_value('y[i,k] = c8[i,k] + 2i') AS in_blocks,
	   einsum_value('h[i:3,k:2] = c8[i,k] + 2i; y[k] = sum[i:2] h[i:2,k]') = einsum_value('y[k] = sum[i] (c8[i,k] + 2i)') AS summed;

-- living tables
BEGIN;
UPDATE b SET value = tensor_zeros('{3,7}') WHERE i = 0;
SELECT einsum_value('y[j] = sum[i] b[i,j]');
ROLLBACK;
BEGIN;
ALTER TABLE b DROP CONSTRAINT b_i_check;
INSERT INTO b VALUES (3, tensor_zeros('{4,7}'));
SELECT einsum_value('y[j] = sum[i] b[i,j]');
ROLLBACK;
BEGIN;
UPDATE b SET value = tensor_zeros('{4,7}') WHERE i = 2;
SELECT einsum_value('y[j] = sum[i:4] b[i:4,j]');
ROLLBACK;

-- by key: a label in blocks is no key
SELECT einsum_sql('y[I:4,j] = b[i,j]', at => '{i}');
SELECT einsum_sql('y[I,j] = b[i,j]', at => '{i}') IS NOT NULL AS planned;

-- errors
SELECT einsum_store('e[I:4]', 'SELECT 10, 1', '{10}');
SELECT einsum_store('e[I:4]', 'SELECT 1, 1 UNION ALL SELECT 1, 2', '{10}');
SELECT einsum_store('e[U:4]', 'SELECT ''x''::text, 1', '{*}');
CREATE TABLE o (u text PRIMARY KEY, v float8);
SELECT einsum_register('o[U]', 'o', '{u}', 'v', '{*}');
SELECT einsum_value('s[] = sum[u:2] o[u:2]');
SELECT einsum_sql('y[u:2] = o[u]');
SELECT einsum_value('y[i:0] = a[i,j]');
SELECT einsum_value('y[i:2,j] = a[i:3,j]');
SELECT einsum_value('y[i:2,j] = a[I,j]');
SET client_min_messages = warning;
DROP SCHEMA blocks_test CASCADE;
