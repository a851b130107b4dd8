--
-- Storages of one tensor compete by what reading them takes
--
\set VERBOSITY terse
CREATE SCHEMA storage_choice;
SET search_path = storage_choice, public;
CREATE FUNCTION reads(program text, tensor text, at name[] DEFAULT NULL) RETURNS SETOF text LANGUAGE sql AS
	$$ SELECT regexp_replace(trim(p), ', [0-9.]+ .B', '') FROM einsum_plan(program, at => at) AS p WHERE p LIKE '    ' || tensor || ': %' $$;
CREATE TABLE entry (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO entry SELECT k % 100, k / 100 * 7 % 100, k FROM generate_series(0, 4999) AS k;
CREATE TABLE factor (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO factor SELECT j, j FROM generate_series(0, 99) AS j;
SELECT einsum_register('x[J]', 'factor', keys => '{j}', value => 'v', bounds => '{100}');
SELECT einsum_register('a[I,J]', 'entry', keys => '{i,j}', value => 'v', bounds => '{100,100}');
SELECT einsum_store('a[I,J]', 'TABLE entry', '{100,100}', 'entry_csr', storage => 'further', layout => 'csr(ptr,idx,v)');
SELECT einsum_store('a[I,J]', 'TABLE entry', '{100,100}', 'entry_lists', storage => 'further', layout => 'lists(idx,v)');
SELECT einsum_store('a[I,j]', 'TABLE entry', '{100,100}', 'entry_vectors', storage => 'further');
SELECT FROM einsum_analyze('a');
SELECT FROM einsum_analyze('x');
-- all entries are read from one row of arrays, those of a key from its list
SELECT reads('y[I] = sum[j] a[i,j] * x[J]', 'a');
SELECT reads('y[I] = sum[j] a[i,J] * x[J]', 'a', at => '{i}');
-- vectors where the stage needs them
SELECT reads('y[j:*] = sum[I] a[I,j:*]', 'a');
-- an entry that is taken out of arrays may cost more than a row
SET sparseeinsum.cost_entry = 10;
SELECT reads('y[I] = sum[j] a[i,j] * x[J]', 'a');
RESET sparseeinsum.cost_entry;
-- format and bytes of each, in JSON
SELECT o->>'relation' AS relation, o->>'format' AS format, o->>'bytes' AS bytes
FROM einsum_plan('y[I] = sum[j] a[i,j] * x[J]', format => 'json') AS p, jsonb_array_elements(p::jsonb) AS plan,
	jsonb_array_elements(plan->'stages') AS s, jsonb_array_elements(s->'operands') AS o ORDER BY 1;
-- in the order of the groups
SELECT einsum_store('a[I,J]', 'TABLE entry', '{100,100}', 'entry_csc', storage => 'further', layout => 'csc(ptr,idx,v)');
SELECT reads('y[I] = sum[J] a[I,J] * x[J]', 'a'), reads('y[J] = sum[I] a[I,J] * x[I]', 'a');
-- by the groups of the other operand, too
SELECT reads('y[I,K] = sum[J] a[I,J] * a[J,K]', 'a');
SELECT einsum_unregister('a', 'entry_csc');
-- entries of vectors are sorted, too
BEGIN;
SELECT einsum_unregister('a', 'entry_csr'), einsum_unregister('a', 'entry_lists');
SELECT reads('y[J] = sum[I] a[I,J] * x[I]', 'a');
ROLLBACK;
-- rows are in the order that ANALYZE has found; where it has not, in that of their first key
BEGIN;
CREATE TABLE by_column AS SELECT * FROM entry ORDER BY j, i;
ALTER TABLE by_column ADD PRIMARY KEY (i, j), ALTER v SET NOT NULL;
CREATE TABLE by_row AS SELECT * FROM entry ORDER BY i, j;
ALTER TABLE by_row ADD PRIMARY KEY (i, j), ALTER v SET NOT NULL;
SELECT einsum_register('o[I,J]', 'by_column', keys => '{i,j}', value => 'v', bounds => '{100,100}'), einsum_register('o[I,J]', 'by_row', keys => '{i,j}', value => 'v', bounds => '{100,100}', storage => 'further');
SELECT reads('y[I] = sum[J] o[I,J] * x[J]', 'o'), reads('y[J] = sum[I] o[I,J] * x[I]', 'o');
ANALYZE by_column, by_row;
SELECT reads('y[I] = sum[J] o[I,J] * x[J]', 'o'), reads('y[J] = sum[I] o[I,J] * x[I]', 'o');
ROLLBACK;
-- plans that differ in the storage alone, the cheapest first; each gives the same
SELECT n, o->>'relation' AS relation, (plan->>'cost')::float8 >= lag((plan->>'cost')::float8) OVER (ORDER BY n) AS ascends
FROM einsum_plan('y[I] = sum[j] a[i,J] * x[J]', format => 'json', plans => 4, search => 'as_written') AS p, jsonb_array_elements(p::jsonb) WITH ORDINALITY AS found(plan, n),
	jsonb_array_elements(plan->'stages') AS s, jsonb_array_elements(s->'operands') AS o WHERE o->>'tensor' = 'a' ORDER BY 1;
SELECT count(DISTINCT einsum_value('y[I] = sum[j] a[i,J] * x[J]', search => 'as_written', alternative => n)), count(DISTINCT einsum_sql('y[I] = sum[j] a[i,J] * x[J]', search => 'as_written', alternative => n))
FROM generate_series(1, 4) AS n;
-- the same results from each
CREATE TABLE result AS SELECT tensor_sum(value) AS total, count(*) AS n FROM einsum_rows('y[I] = sum[j] a[i,j] * x[j]') AS r(i int, value float8);
DO $$
DECLARE
	relation regclass;
BEGIN
	FOREACH relation IN ARRAY '{entry,entry_lists,entry_csr,entry_vectors}'::regclass[] LOOP
		BEGIN
			PERFORM einsum_unregister('a', other) FROM unnest('{entry,entry_lists,entry_csr,entry_vectors}'::regclass[]) AS other WHERE other <> relation;
			IF NOT EXISTS (SELECT total, n FROM result INTERSECT
				SELECT tensor_sum(value), count(*) FROM einsum_rows('y[I] = sum[j] a[i,j] * x[j]') AS r(i int, value float8)) THEN
				RAISE 'another result from %', relation;
			END IF;
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN NULL;
		END;
	END LOOP;
END $$;
-- sparse values beside dense ones: fewer bytes, in costs as in the table
CREATE TABLE bags (d int PRIMARY KEY, bag tensor(float8,1,sparse) NOT NULL);
INSERT INTO bags SELECT d, format('float8(10000):{%s:1,%s:2}', d, 5000 + d)::tensor FROM generate_series(0, 199) AS d;
CREATE TABLE dense_bags (d int PRIMARY KEY, bag tensor(float8,1) NOT NULL);
INSERT INTO dense_bags SELECT d, tensor_dense(bag) FROM bags;
SELECT einsum_register('d[D,w]', 'dense_bags', keys => '{d}', value => 'bag', bounds => '{200,10000}');
SELECT einsum_register('d[D,w]', 'bags', keys => '{d}', value => 'bag', bounds => '{200,10000}', storage => 'further');
SELECT count(*) FROM einsum_analyze('d');
SELECT reads('s[W] = sum[d] d[d,W]', 'd');
SELECT einsum_register('t[D,w]', 'bags', keys => '{d}', value => 'bag', bounds => '{200,10000}');
SELECT einsum_unregister('d', 'bags');
SELECT FROM einsum_analyze('t');
SELECT FROM einsum_analyze('d');
SELECT reads('s[D] = sum[w:*] t[d,w:*]', 't');
SELECT tensor, bytes FROM unnest('{d,t}'::text[]) AS tensor,
	LATERAL (SELECT o->>'bytes' AS bytes FROM einsum_plan(format('s[D] = sum[w:*] %s[d,w:*]', tensor), format => 'json') AS p, jsonb_array_elements(p::jsonb) AS plan,
		jsonb_array_elements(plan->'stages') AS s, jsonb_array_elements(s->'operands') AS o) AS found ORDER BY 1;
SELECT (SELECT min((plan->>'cost')::float8) FROM einsum_plan('s[D] = sum[w:*] t[d,w:*]', format => 'json') AS p, jsonb_array_elements(p::jsonb) AS plan) <
	(SELECT min((plan->>'cost')::float8) FROM einsum_plan('s[D] = sum[w:*] d[d,w:*]', format => 'json') AS p, jsonb_array_elements(p::jsonb) AS plan) AS cheaper;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA storage_choice CASCADE;
