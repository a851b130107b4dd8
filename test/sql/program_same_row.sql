--
-- Operands of one tensor that read the same row: read and joined once
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA same_row_test;
SET search_path = same_row_test, public;
SET extra_float_digits = 0;
CREATE TABLE v (p int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO v SELECT p, ARRAY[p % 3, p % 5, 1]::float8[]::tensor FROM generate_series(0, 999) p;
CREATE TABLE e (i int, j int, val float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO e VALUES (0, 0, 2), (0, 1, 3), (1, 0, 5), (2, 2, 7), (2, 1, -1);
-- additive: each entry is the sum of its rows
CREATE TABLE w (p int NOT NULL, val tensor NOT NULL);
INSERT INTO w SELECT p, val FROM v WHERE p < 3;
INSERT INTO w SELECT p, val FROM v WHERE p < 2;
SELECT einsum_register('v[P,k]', 'v', '{p}', 'val', '{1000,3}'), einsum_register('e[I,J]', 'e', '{i,j}', 'val', '{3,3}'),
	einsum_register('w[P,k]', 'w', '{p}', 'val', '{1000,3}', duplicates => 'sum');
ANALYZE v, e, w;

-- a value, how often its first plan reads a table, and whether every other plan has it
CREATE FUNCTION reads(program text, OUT value tensor, OUT tables int, OUT same boolean) LANGUAGE plpgsql AS $$
BEGIN
	value := einsum_value(program);
	tables := (SELECT count(*) FROM regexp_matches(einsum_sql(program, result => 'auto'), 'FROM same_row_test\.| JOIN same_row_test\.|, same_row_test\.', 'g'));
	same := (SELECT bool_and(einsum_value(program, search, alternative) = value)
		FROM unnest('{dp,greedy,as_written}'::text[]) search, generate_series(1, 3) alternative);
EXCEPTION WHEN invalid_parameter_value THEN
	same := value = einsum_value(program, 'as_written');
END $$;

SELECT regexp_replace(line, '\(cost.*\)', '') AS line FROM einsum_plan('c[k,l] = sum[P] v[P,k] * v[P,l]', result => 'auto') line;
SELECT operand ->> 'tensor' AS tensor, operand -> 'same_row' AS same_row
FROM einsum_plan('c[k,l] = sum[P] v[P,k] * v[P,l]', 'json', result => 'auto') plan, jsonb_path_query(plan::jsonb, '$[0].stages[*].operands[*]') operand;
SELECT * FROM reads('c[k,l] = sum[P] v[P,k] * v[P,l]');
-- by plain SQL
SELECT bool_and(e.value = s.value) AS same, count(*)
FROM tensor_entries(einsum_value('c[k,l] = sum[P] v[P,k] * v[P,l]')) e
JOIN (SELECT a.index[1] AS k, b.index[1] AS l, sum(a.value * b.value) AS value FROM v, tensor_entries(val) a, tensor_entries(val) b GROUP BY 1, 2) s
	ON e.index = ARRAY[k, l];
-- three of one row where they are not summed before, and one of another
SELECT * FROM reads('c[] = sum[P,k,l,m] v[P,k] * v[P,l] * v[P,m]');
SELECT * FROM reads('c[] = sum[P,Q,k,l] v[P,k] * v[P,l] * v[Q,l]');
-- in one row of all, in none if the keys differ in order
SELECT * FROM reads('c[i,j] = sum[k] e[i,k] * e[j,k]');
SELECT * FROM reads('s[] = sum[I,J] e[I,J] * e[J,I]');
SELECT * FROM reads('s[] = sum[i,J] e[i,J] * e[i,J]');
-- one decides the support, the other is read there: which comes first does not matter
SELECT * FROM reads('c[k,l] = sum[P] exp(v[P,k]) * v[P,l]');
SELECT * FROM reads('c[k,l] = sum[P] v[P,k] * exp(v[P,l])');
-- none does: all indices are joined
SELECT tensor_round(1e12 * value) = tensor_round(1e12 * (SELECT einsum_value('c[k,l] = sum[P] cos(v[P,k] - v[P,l])', 'as_written'))) AS same FROM reads('c[k,l] = sum[P] cos(v[P,k] - v[P,l])');
SELECT * FROM reads('c[k,l] = max[P] greatest(v[P,k], v[P,l])');
-- a sum of rows is not squared row by row
SELECT * FROM reads('c[k,l] = sum[P] w[P,k] * w[P,l]');
SELECT * FROM reads('c[] = sum[P,k] w[P,k] * w[P,k]');
-- results that are read, and point queries
SELECT * FROM reads('r[P,k] = relu(v[P,k] - 1); c[k,l] = sum[P] r[P,k] * r[P,l]');
SELECT * FROM einsum_decompose('o[P,k,l] = v[P,k] * v[P,l]', 'outer_products');
SELECT o.value, o.value = einsum('k,l->kl', v.val, v.val) AS same FROM o JOIN v USING (p) WHERE p = 7;
SELECT einsum_drop('outer_products');

SET client_min_messages = warning;
DROP SCHEMA same_row_test CASCADE;
