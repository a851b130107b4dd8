--
-- Sums below functions, computed only where a factor beside is not 0
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA restricted_test;
SET search_path = restricted_test, public;
SET extra_float_digits = 0;
-- as written, all pairs are one value
SET sparseeinsum.max_kernel_bytes = '64MB';
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT n, (n * 7 + k * k * 13) % 750, 1 + k % 3 FROM generate_series(0, 749) n, generate_series(1, 4) k ON CONFLICT DO NOTHING;
-- stored, and 0
INSERT INTO a SELECT n, 749, 0 FROM generate_series(0, 20) n ON CONFLICT (i, j) DO UPDATE SET v = 0;
CREATE TABLE q (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO q SELECT n, ARRAY[n % 3, n % 2, 1, n % 5]::float8[]::tensor FROM generate_series(0, 749) n;
CREATE TABLE p (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO p SELECT n, ARRAY[n % 2, 1, n % 7, n % 3]::float8[]::tensor FROM generate_series(0, 749) n WHERE n % 11 <> 0;
-- positive everywhere
CREATE TABLE u AS SELECT n AS i, ARRAY[1 + n % 3, 1, 2, 1 + n % 5]::float8[]::tensor AS val FROM generate_series(0, 749) n;
ALTER TABLE u ADD PRIMARY KEY (i);
CREATE TABLE b (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO b SELECT n, 1 + n % 3 FROM generate_series(0, 749) n WHERE n % 7 <> 0;
-- negative
CREATE TABLE m (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO m SELECT n, -1 - n % 2 FROM generate_series(0, 749) n;
SELECT einsum_register('m[I]', 'm', '{i}', 'v', '{750}'), einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{750,750}'), einsum_register('q[I,k]', 'q', '{i}', 'val', '{750,4}'),
	einsum_register('p[I,k]', 'p', '{i}', 'val', '{750,4}'), einsum_register('u[I,k]', 'u', '{i}', 'val', '{750,4}'), einsum_register('b[I]', 'b', '{i}', 'v', '{750}');
ANALYZE a, q, p, u, b, m;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();

-- many like a
CREATE FUNCTION register_more() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 2 .. 41 LOOP
		EXECUTE format('CREATE TABLE a%s (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j))', n);
		EXECUTE format('INSERT INTO a%s VALUES (%1$s, 1, 1)', n);
		PERFORM einsum_register(format('a%s[I,J]', n), format('a%s', n), '{i,j}', 'v', '{750,750}');
	END LOOP;
END $$;
SELECT register_more();

-- the chosen form
CREATE FUNCTION form(program text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT line FROM einsum_plan(program, format => 'program', result => 'auto') line $$;
-- does a program restrict a sum, and has every plan of both forms the value of the program as written?
CREATE FUNCTION restricts(program text, OUT restricted boolean, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
	written tensor := einsum_value(program, rewrite => 'none');
BEGIN
	restricted := (SELECT bool_or(line LIKE '%<> 0%') FROM einsum_plan(program, plans => 20, result => 'auto') line);
	same := (SELECT bool_and(value = written OR tensor_shape(value) = tensor_shape(written) AND (SELECT bool_and(abs(e.value - f.value) <= 1e-9 * (1 + abs(f.value)) OR e.value = f.value)
			FROM tensor_entries(value) e JOIN tensor_entries(written) f USING (index)))
		FROM (SELECT einsum_value(program, alternative => k) AS value FROM generate_series(1, (SELECT count(*)::int FROM einsum_plan(program, plans => 7, result => 'auto') line WHERE line LIKE 'Plan %')) k
			UNION ALL SELECT einsum_value(program, 'greedy') UNION ALL SELECT einsum_value(program, 'as_written')) v);
END $$;

SELECT form('e[i,j] = a[i,j] * exp(sum[k] q[i,k] * p[j,k])');
SELECT * FROM restricts('s[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)');
-- by a scalar query
SELECT bool_and(abs(e.value - s.value) <= 1e-9 * s.value) AS same, count(*)
FROM tensor_entries(einsum_value('s[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)')) e
JOIN (SELECT a.i, sum(a.v * exp(coalesce(einsum_scalar('k,k->', q.val, p.val), 0) / 8)) AS value FROM a JOIN q ON q.i = a.i LEFT JOIN p ON p.i = a.j GROUP BY a.i) s
	ON e.index = ARRAY[s.i];
-- through statements; what reads it, reads it twice
SELECT form('s[i,j] = sum[k] q[i,k] * p[j,k]; e[i,j] = a[i,j] * exp(s[i,j] / 8); t[i] = sum[j] e[i,j]; w[i,j] = e[i,j] / t[i]');
SELECT * FROM restricts('s[i,j] = sum[k] q[i,k] * p[j,k]; e[i,j] = a[i,j] * exp(s[i,j] / 8); t[i] = sum[j] e[i,j]; z[i] = sum[j] e[i,j] / t[i]');
-- 0 is stored, and the function has no finite value where the sum is 0, or what is beside it
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * ln(sum[k] u[i,k] * u[j,k])');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * (1 / ((sum[k] u[i,k] * u[j,k]) - b[j] + 3))');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * (1 / ((sum[k] u[i,k] * u[j,k]) + b[j]))');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * exp(-1 / m[j] - sum[k] u[i,k] * u[j,k])');
-- nor is what is beside it finite, or the sum
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * tanh(m[j] / 0 + sum[k] u[i,k] * u[j,k])');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * (1 / (1 + (sum[k] (1e200 * m[j] * u[i,k] * u[j,k]) ^ 2)))');
-- divisors: 0 / x is 0 for every x
SELECT * FROM restricts('z[i] = sum[j] a[i,j] / ((sum[k] q[i,k] * p[j,k]) + b[j])');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] / (1 + abs(sum[k] q[i,k] * p[j,k]))');
SELECT * FROM restricts('z[i] = sum[j] b[i] * a[i,j] / ((1 + abs(sum[k] q[i,k] * p[j,k])) * b[j]) * exp(-(sum[k] u[i,k] * u[j,k]))');
-- what is 0 where the sum is, a sum over fewer labels, other aggregates beside, sums of terms, powers
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * relu((sum[k] q[i,k] * p[j,k]) - 3)');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k]) / 8)');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * exp(((sum[k] q[i,k] * p[j,k]) - (max[k] q[i,k])) / 8)');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * ((sum[k] q[i,k] * p[j,k]) + b[i])');
SELECT * FROM restricts('z[i] = sum[j] a[i,j] * (b[j] - (sum[k] q[i,k] * p[j,k])) ^ 2');
SELECT * FROM restricts('z[] = max[i,j] a[i,j] * sigmoid(sum[k] q[i,k] * p[j,k] / 8)');
-- not where the factor's own value matters where it is not stored
CREATE TABLE a1 AS TABLE a;
ALTER TABLE a1 ADD PRIMARY KEY (i, j);
SELECT einsum_register('a1[I,J]', 'a1', '{i,j}', 'v', '{750,750}', fill => 1);
SELECT * FROM restricts('z[i] = sum[j] a1[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)');
-- nor in other types, where the factor would make another
CREATE TABLE q4 AS SELECT i, val::tensor(float4,1) AS val FROM q;
ALTER TABLE q4 ADD PRIMARY KEY (i);
CREATE TABLE af (i int, val tensor NOT NULL);
INSERT INTO af SELECT i, stack(v, j, 0, 750)::tensor(float4,1) FROM a GROUP BY i;
SELECT einsum_register('q4[I,k]', 'q4', '{i}', 'val', '{750,4}'), einsum_register('af[I,j]', 'af', '{i}', 'val', '{750,750}', duplicates => 'trust');
SELECT tensor_type(einsum_value(program)) AS type, tensor_type(einsum_value(program, rewrite => 'none')) AS written
FROM (VALUES ('z[i,j] = tanh(af[i,j] * exp(sum[k] q4[i,k] * q4[j,k]))')) v (program);
-- what has room as written, but not restricted, runs as written
SELECT count(*) FROM tensor_entries(einsum_value('z[i] = sum[j] tanh(' || (SELECT string_agg(format('a%s[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)', n), ' + ') FROM generate_series(2, 41) n) || ')'));
SELECT count(*) FROM tensor_entries(einsum_value('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8 + tanh(' || repeat('b[j] * 2 + ', 299) || 'b[j]))'));
-- every plan once
SELECT count(*), count(DISTINCT plan) FROM (SELECT string_agg(line, ' ' ORDER BY n) AS plan FROM (SELECT n, line, count(*) FILTER (WHERE line ~ '^Plan') OVER (ORDER BY n) AS k
	FROM einsum_plan('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)', plans => 60, result => 'auto') WITH ORDINALITY p(line, n)) l WHERE line !~ '^(Plan|As written)' GROUP BY k) s;
-- pins: as it stands
SELECT bool_or(line LIKE '%<> 0%') AS restricted FROM einsum_plan('e[I,J] = a[I,J] * exp(sum[k] q[I,k] * p[J,k])', plans => 20) line;
-- legal, since nothing is extended to all pairs
SET sparseeinsum.max_dense_tuples = 10000;
SET sparseeinsum.max_kernel_bytes = '16kB';
SELECT count(*) FROM tensor_entries(einsum_value('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)'));
RESET sparseeinsum.max_dense_tuples;
RESET sparseeinsum.max_kernel_bytes;

SET client_min_messages = warning;
DROP SCHEMA restricted_test CASCADE;
