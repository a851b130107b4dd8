-- Tensors in columns of one relation: where they have their keys in the same columns, a row is read and joined once
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA columns_of_row;
SET search_path = columns_of_row, public;

CREATE TABLE p (i int, j int, k int GENERATED ALWAYS AS (j) STORED, v float8, w float8, x tensor, n float4, PRIMARY KEY (i, j));
INSERT INTO p (i, j, v, w, x, n)
	SELECT i, j, CASE WHEN (i + j) % 5 <> 0 THEN i - 3.5 END, CASE WHEN i % 3 <> 1 THEN 1.0 / (1 + j) END,
		CASE WHEN j % 4 <> 2 THEN ('[' || i || ',' || j - 2 || ']')::tensor END, (i * j) % 7 - 2.5
	FROM generate_series(0, 9) i, generate_series(0, 9) j WHERE (i * 7 + j * 3) % 4 <> 0;
-- the same in tables of their own
CREATE TABLE v_alone AS SELECT i, j, v FROM p; ALTER TABLE v_alone ADD PRIMARY KEY (i, j);
CREATE TABLE w_alone AS SELECT i, j, w FROM p; ALTER TABLE w_alone ADD PRIMARY KEY (i, j);
CREATE TABLE x_alone AS SELECT i, j, x FROM p; ALTER TABLE x_alone ADD PRIMARY KEY (i, j);
CREATE TABLE n_alone AS SELECT i, j, n FROM p; ALTER TABLE n_alone ADD PRIMARY KEY (i, j);
CREATE SCHEMA columns_alone;
SELECT einsum_register('v[I,J]', 'p', keys => '{i,j}', value => 'v', bounds => '{10,10}'),
	einsum_register('w[I,J]', 'p', keys => '{i,j}', value => 'w', bounds => '{10,10}'),
	einsum_register('wt[J,I]', 'p', keys => '{j,i}', value => 'w', bounds => '{10,10}'),
	einsum_register('x[I,J,c]', 'p', keys => '{i,j}', value => 'x', bounds => '{10,10,2}'),
	einsum_register('n[I,J]', 'p', keys => '{i,j}', value => 'n', bounds => '{10,10}');
ALTER TABLE v_alone SET SCHEMA columns_alone; ALTER TABLE w_alone SET SCHEMA columns_alone;
ALTER TABLE x_alone SET SCHEMA columns_alone; ALTER TABLE n_alone SET SCHEMA columns_alone;
SET search_path = columns_alone, public;
SELECT einsum_register('v[I,J]', 'v_alone', keys => '{i,j}', value => 'v', bounds => '{10,10}'),
	einsum_register('w[I,J]', 'w_alone', keys => '{i,j}', value => 'w', bounds => '{10,10}'),
	einsum_register('wt[J,I]', 'w_alone', keys => '{j,i}', value => 'w', bounds => '{10,10}', storage => 'further'),
	einsum_register('x[I,J,c]', 'x_alone', keys => '{i,j}', value => 'x', bounds => '{10,10,2}'),
	einsum_register('n[I,J]', 'n_alone', keys => '{i,j}', value => 'n', bounds => '{10,10}');
SET search_path = columns_of_row, public;
SELECT count(*) FROM einsum_analyze('v'), einsum_analyze('w'), einsum_analyze('wt'), einsum_analyze('x'), einsum_analyze('n');

-- what is one row, and what is not: other labels, keys in other columns, a label in blocks of another size
CREATE FUNCTION same_rows(program text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM einsum_plan(program, result => 'auto') plan WHERE plan LIKE '%: the same row%'
$$;
CREATE TABLE programs (number serial, program text);
INSERT INTO programs (program) VALUES
	('r[] = sum[i,j] v[i,j]*w[i,j]'),
	('r[I] = sum[j] v[i,j]*w[i,j]*n[i,j]'),
	('r[I,J] = v[i,j]*wt[j,i]'),
	('r[I,J] = v[i,j]*wt[i,j]'),
	('r[I,K] = sum[j] v[i,j]*w[k,j]'),
	('r[c] = sum[i,j] x[i,j,c]*v[i,j]*w[i,j]'),
	('r[c,d] = sum[i,j] x[i,j,c]*x[i,j,d]*n[i,j]'),
	('r[I,c] = sum[J,K] x[i,j,c]*v[i,j]*w[j,k]*n[j,k]'),
	('r[I] = v[i,i]*w[i,i]'),
	('r[I,J] = v[i,j] + w[i,j]'),
	('r[I,J] = max[k] v[i,k]*n[i,k]*w[k,j]'),
	('r[I] = (sum[j] exp(v[i,j])*w[i,j]) - (sum[j] v[i,j]*n[i,j]*v[i,j])'),
	('d[I,J] = v[i,j]*w[i,j]; r[J] = sum[I] d[i,j]*n[i,j]');
SELECT number, program, same_rows(program) FROM programs ORDER BY number;

-- each plan has the values that tables of their own give
CREATE FUNCTION wrong_plans(program text, plans OUT int, wrong OUT int) LANGUAGE plpgsql AS $$
DECLARE
	here tensor;
	apart tensor;
BEGIN
	SET LOCAL search_path = columns_alone, public;
	apart := public.einsum_value(program);
	SET LOCAL search_path = columns_of_row, public;
	wrong := 0;
	SELECT least(count(*), 5) INTO plans FROM public.einsum_plan(program, plans => 5, result => 'auto') plan WHERE plan LIKE 'Plan %';
	FOR place IN 1..plans LOOP
		here := public.einsum_value(program, alternative => place);
		IF NOT public.tensor_reduce('max', public.tensor_abs(here - apart)) < tensor '1e-4' THEN
			wrong := wrong + 1;
		END IF;
	END LOOP;
END $$;
SELECT number, w.wrong, w.plans > 1 AS many FROM programs, wrong_plans(program) w ORDER BY number;

-- views, rows that come and go, one key
SELECT count(*) FROM einsum_decompose('z[I] = sum[j] v[i,j]*w[i,j]', 'rows');
SELECT count(*) AS wrong FROM z FULL JOIN (SELECT i, sum(v*w) AS s FROM p WHERE v*w IS NOT NULL GROUP BY i) q USING (i) WHERE (value - s) IS DISTINCT FROM 0 AND NOT abs(value - s) < 1e-12;
UPDATE p SET w = NULL WHERE i = 2;
INSERT INTO p (i, j, v, w) VALUES (2, 4, 3, 5) ON CONFLICT (i, j) DO UPDATE SET v = 3, w = 5;
SELECT * FROM z WHERE i = 2;
SELECT r.* FROM einsum_rows('z[I] = sum[j] v[i,j]*w[i,j]', at => '{"i": 2}') AS r(i int, value float8);
-- a row that has one of the two is in no product; it is read, with its key, where it has both
INSERT INTO p (i, j, v) VALUES (11, 0, 1);
SELECT count(*) FROM z;
UPDATE p SET w = 1 WHERE i = 11;
SELECT count(*) FROM z;

SET client_min_messages = warning;
DROP SCHEMA columns_of_row, columns_alone CASCADE;
