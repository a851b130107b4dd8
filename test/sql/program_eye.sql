-- The built-in tensor eye[i,j]: its bound is that of the labels that index it.
CREATE SCHEMA eye_test;
SET search_path = eye_test, public;
CREATE TABLE ma (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO ma SELECT i, j, i + 2 * j + 1 FROM generate_series(0, 2) AS i, generate_series(0, 2) AS j;
SELECT einsum_register('m[I,J]', 'ma', '{i,j}', 'v', '{3,3}');
CREATE TABLE op (k text PRIMARY KEY, v float8);
SELECT einsum_register('o[K]', 'op', '{k}', 'v', '{*}');
CREATE FUNCTION plan_value(program text, n int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN einsum_value(program, search => 'exhaustive', alternative => n);
EXCEPTION WHEN invalid_parameter_value THEN
	RETURN NULL; -- there are fewer plans
END $$;
-- every plan of each, up to 16
SELECT program, count(DISTINCT value) AS values, min(value) AS value
FROM (VALUES
	('y[i,j] = m[i,j] + eye[i,j]'),
	('y[i,j] = m[i,j] * eye[i,j]'),
	('s[] = eye[i,j] * m[i,j]'),
	('y[i,j] = eye[i,k] * m[k,j]'),
	('y[i,j] = 2*eye[i,j] - m[i,j]'),
	('y[i] = sum[j] (eye[i,j] + m[i,j])'),
	('y[i,j] = eye[i,j]*eye[i,j] * m[i,i]'),
	('y[i,j] = m[i,j] * (1 - eye[i,j])'),
	('y[i,l] = eye[i,j]*eye[j,k]*eye[k,l] * m[i,l]'),
	('y[i] = eye[i,i] * m[i,j]'),
	('y[i] = max[j] (eye[i,j] - m[i,j])')
) AS p(program), generate_series(1, 16) AS n, LATERAL plan_value(program, n) AS value
GROUP BY program ORDER BY program COLLATE "C";
SELECT * FROM einsum_plan('y[I,J] = m[I,J] + eye[I,J]');
SELECT * FROM einsum_decompose('y[I,J] = m[I,J] + eye[I,J]', 'p') \g /dev/null
SELECT * FROM y WHERE i = 1 ORDER BY j;
SELECT einsum_value('y[i,j] = eye[i,j]');
SELECT einsum_value('y[i] = eye[i] * m[i,i]');
SELECT einsum_value('y[k] = eye[k,l] * o[k]');
-- a tensor of that name comes first
CREATE TABLE two (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO two VALUES (0, 1, 7);
SELECT einsum_register('eye[I,J]', 'two', '{i,j}', 'v', '{3,3}');
SELECT einsum_value('s[] = eye[i,j] * m[i,j]');
SELECT einsum_unregister('eye', 'two');
SELECT einsum_value('eye[i,j] = 2*m[i,j]; s[] = eye[i,j]');
SET client_min_messages = warning;
DROP SCHEMA eye_test CASCADE;
