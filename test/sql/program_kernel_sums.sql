--
-- Sums that the kernel of their reader computes
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA kernel_sums_test;
SET search_path = kernel_sums_test, public;
-- small as they are, these would be loops over all labels (program_nests)
SET sparseeinsum.enable_aggregate_join = off;
SET extra_float_digits = 0;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT n, (n * 7 + k * k * 13) % 300, 1 + k % 3 FROM generate_series(0, 299) n, generate_series(1, 4) k ON CONFLICT DO NOTHING;
-- stored, and 0
INSERT INTO a SELECT n, 299, 0 FROM generate_series(0, 20) n ON CONFLICT (i, j) DO UPDATE SET v = 0;
-- far where nothing is stored
CREATE TABLE d AS SELECT * FROM a WHERE i % 5 <> 0;
ALTER TABLE d ADD PRIMARY KEY (i, j);
CREATE TABLE q (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO q SELECT n, ARRAY[n % 3, n % 2, 1, n % 5]::float8[]::tensor FROM generate_series(0, 299) n WHERE n % 13 <> 0;
CREATE TABLE p (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO p SELECT n, ARRAY[n % 2, 1, n % 7, n % 3]::float8[]::tensor FROM generate_series(0, 299) n WHERE n % 11 <> 0;
-- 1 where nothing is stored, and rows that add up
CREATE TABLE o AS SELECT n AS i, ARRAY[1, n % 2, 2, n % 3]::float8[]::tensor AS val FROM generate_series(0, 299) n WHERE n % 3 <> 0;
ALTER TABLE o ADD PRIMARY KEY (i);
CREATE TABLE m AS SELECT n % 300 AS i, ARRAY[n % 2, 1, n % 4, 1]::float8[]::tensor AS val FROM generate_series(0, 449) n WHERE n % 7 <> 0;
CREATE TABLE am AS SELECT i, j, v FROM a UNION ALL SELECT i, j, 1 FROM a WHERE i % 2 = 0;
CREATE TABLE f (i int PRIMARY KEY, val tensor(float4) NOT NULL);
INSERT INTO f SELECT n, ARRAY[n % 3, n % 2, 1, n % 5]::float4[]::tensor FROM generate_series(0, 299) n WHERE n % 13 <> 0;
CREATE TABLE c (i int PRIMARY KEY, val tensor NOT NULL);
INSERT INTO c SELECT n, ('complex16:[' || n % 3 || '+1i,2,0-1i,' || n % 2 || '-2i]')::tensor FROM generate_series(0, 299) n WHERE n % 17 <> 0;
-- sparse in k
CREATE TABLE x (i int, k int, v float8 NOT NULL, PRIMARY KEY (i, k));
INSERT INTO x SELECT n, (n * 3 + k) % 40, 1 + n % 2 FROM generate_series(0, 299) n, generate_series(0, 1) k;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{300,300}'), einsum_register('d[I,J]', 'd', '{i,j}', 'v', '{300,300}', fill => 'Infinity'),
	einsum_register('q[I,k]', 'q', '{i}', 'val', '{300,4}'), einsum_register('p[I,k]', 'p', '{i}', 'val', '{300,4}'), einsum_register('o[I,k]', 'o', '{i}', 'val', '{300,4}', fill => 1),
	einsum_register('m[I,k]', 'm', '{i}', 'val', '{300,4}', duplicates => 'sum'), einsum_register('am[I,J]', 'am', '{i,j}', 'v', '{300,300}', duplicates => 'sum'),
	einsum_register('f[I,k]', 'f', '{i}', 'val', '{300,4}'), einsum_register('c[I,k]', 'c', '{i}', 'val', '{300,4}'), einsum_register('x[I,K]', 'x', '{i,k}', 'v', '{300,40}'),
	einsum_register('y[I,K]', 'x', '{i,k}', 'v', '{300,*}');
ANALYZE;
SELECT count(*) > 0 AS analyzed FROM einsum_analyze();
-- the chosen form
CREATE FUNCTION form(program text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT line FROM einsum_plan(program, format => 'program', result => 'auto') line $$;
-- has some plan of a program a sum in the kernel, and have all plans the value that it has as it is written, in stages?
CREATE FUNCTION fuses(program text, OUT fused boolean, OUT same boolean) LANGUAGE plpgsql AS $$
DECLARE
	written tensor := einsum_value(program, rewrite => 'none');
BEGIN
	fused := EXISTS (SELECT FROM einsum_plan(program, plans => 8, result => 'auto') line WHERE line LIKE '%sum in the kernel%');
	same := (SELECT bool_and(value = written OR tensor_shape(value) = tensor_shape(written) AND (SELECT coalesce(bool_and(abs(e.value - f.value) <= 1e-9 * (1 + abs(f.value)) OR e.value = f.value), true)
			FROM tensor_entries(value) e JOIN tensor_entries(written) f USING (index)))
		FROM (SELECT einsum_value(program, alternative => k) AS value FROM generate_series(1, (SELECT count(*)::int FROM einsum_plan(program, plans => 8, result => 'auto') line WHERE line LIKE 'Plan %')) k
			UNION ALL SELECT einsum_value(program, 'greedy') UNION ALL SELECT einsum_value(program, 'as_written')) v);
END $$;
-- the same by scalar queries
CREATE VIEW dots AS SELECT n AS i, l AS j, coalesce(einsum_scalar('k,k->', q.val, p.val), 0) AS s
	FROM generate_series(0, 299) n CROSS JOIN generate_series(0, 299) l LEFT JOIN q ON q.i = n LEFT JOIN p ON p.i = l;
CREATE FUNCTION agrees(program text, query text, OUT same boolean) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT bool_and(abs(coalesce(s.value, 0) - e.value) <= 1e-9 * (1 + abs(e.value)) OR s.value = e.value) FROM tensor_entries(einsum_value(%L)) e LEFT JOIN (%s) s ON s.i = e.index[1]', program, query) INTO same;
END $$;

SELECT form('e[i,j] = a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)');
SELECT form('s[] = sum[i,j] a[i,j] * ln((sum[k] q[i,k] * p[j,k]) + 0.5)');
SELECT form('s = sum((a <> 0) * (a - q %*% t(p))^2)');
-- the labels of the sum are no others' to cover, so that the union around it is no stage
SELECT form('z[i,j] = a[i,j] * sqrt(a[j,i] + sum[k] abs(q[i,k] - p[j,k]))');
SELECT form('z[i,j] = a[i,j] * relu(a[j,i] + sum[k] q[i,k] * p[j,k])');
SELECT agrees('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)', 'SELECT i, sum(v * exp(s / 8)) AS value FROM a JOIN dots USING (i, j) GROUP BY i');
SELECT agrees('z[i] = sum[j] (a[i,j] <> 0) * (a[i,j] - sum[k] q[i,k] * p[j,k])^2', 'SELECT i, sum((v - s)^2) AS value FROM a JOIN dots USING (i, j) WHERE v <> 0 GROUP BY i');
SELECT agrees('z[i] = sum[j] a[i,j] / ((sum[k] q[i,k] * p[j,k]) + 1)', 'SELECT i, sum(v / (s + 1)) AS value FROM a JOIN dots USING (i, j) GROUP BY i');
SELECT agrees('z[i] = min[j] (d[i,j] + sum[k] q[i,k] * p[j,k])', 'SELECT n AS i, coalesce(min(v + s), ''Infinity'') AS value FROM generate_series(0, 299) n LEFT JOIN (d JOIN dots USING (i, j)) ON i = n GROUP BY n');
SELECT agrees('z[i] = max[j] if(a[i,j], sum[k] q[i,k] * p[j,k], 2)', 'SELECT i, max(CASE WHEN v <> 0 THEN s ELSE 2 END) AS value FROM dots LEFT JOIN a USING (i, j) GROUP BY i');
-- 0 divided by 0 is 0, and by anything absent
SELECT agrees('z[i] = sum[j] a[i,j] * (a[i,j] == 2) / sum[k] q[i,k] * p[j,k]', 'SELECT i, sum(CASE WHEN v = 2 THEN CASE WHEN s = 0 THEN ''Infinity'' ELSE v / s END ELSE 0 END) AS value FROM a JOIN dots USING (i, j) GROUP BY i');

-- in every plan
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)');
SELECT * FROM fuses('s = sum((a <> 0) * (a - q %*% t(p))^2)');
SELECT * FROM fuses('z[i] = min[j] (d[i,j] + sum[k] q[i,k] * p[j,k])');
SELECT * FROM fuses('z[i] = min[j] greatest(d[i,j], (sum[k] q[i,k] * p[j,k]) - 3)');
SELECT * FROM fuses('z[i] = sum[j] if(a[i,j] > 1, exp((sum[k] q[i,k] * p[j,k]) / 8), 0)');
-- what is not stored is 1, and is summed too
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp(-(sum[k] q[i,k] * o[j,k]) / 8)');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * sqrt(sum[k] o[i,k] * o[j,k])');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * sqrt(sum[k] abs(q[i,k] - p[j,k]))');
-- rows that add up: what is summed with itself, or twice
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp((sum[k] m[i,k] * p[j,k]) / 8)');
SELECT * FROM fuses('z[i] = sum[j] am[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8)');
SELECT * FROM fuses('z[i] = sum[j] am[i,j] * exp((sum[k] am[i,j] * q[i,k] * p[j,k]) / 8)');
-- other types
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp((sum[k] f[i,k] * f[j,k]) / 8)');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * abs(sum[k] c[i,k] * conj(c[j,k]))');
-- one sum read twice is computed once; two sums, of one label as written
SELECT form('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8) * (1 + sum[k] q[i,k] * p[j,k])');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8) * (1 + sum[k] q[i,k] * p[j,k])');
SELECT * FROM fuses('s[i,j] = sum[k] q[i,k] * p[j,k]; z[i] = sum[j] a[i,j] * exp(s[i,j] / 8) * (1 + s[i,j]^2)');
SELECT length(sql) - length(replace(sql, 'inner_prod', '')) = length('inner_prod') AS once
FROM einsum_sql('s[i,j] = sum[k] q[i,k] * p[j,k]; z[I] = sum[j] a[i,j] * exp(s[i,j] / 8) * (1 + s[i,j]^2)') sql;
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * abs((sum[k] q[i,k] * p[j,k]) - (sum[k] q[i,k] * o[j,k]))');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * abs(sum[k] (q[i,k] * p[j,k] - q[i,k] * o[j,k]))');
SELECT form('z[i] = sum[j] a[i,j] * abs(sum[k] (q[i,k] * p[j,k] - q[i,k] * o[j,k]))');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8) * (1 + sum[k] q[j,k] * p[i,k])');
-- a sum that decides beside another; labels that only the result has
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * (sum[k] q[i,k] * p[j,k])^2');
SELECT * FROM fuses('z[i,l] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8) * p[j,l]');
-- sums over several labels, which another one has too: squares that are multiplied out, and differences
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * abs((sum[k] q[i,k] * p[j,k])^2 - (sum[k] q[i,k] * o[j,k])^2)');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * abs(sum[k,l] (q[i,k] * p[j,l] - o[i,k] * q[j,l] + p[i,k] * p[j,l]))');
SELECT * FROM fuses('s[i] = sum[j] a[i,j] * exp(sum[k] (q[i,k] * p[j,k] - q[i,k] * o[j,k])); t[i] = sum[j] a[j,i] * exp(sum[k] (q[j,k] * p[i,k] - q[j,k] * o[i,k])); z[i] = s[i] - 2 * t[i]');
-- terms that are added up are a join each
SELECT form('z[I,J] = a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8) - a[j,i]');
SELECT * FROM fuses('z[i,j] = a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8) - a[j,i] * abs(sum[k] q[j,k] * p[i,k])');
SELECT * FROM fuses('z[i,j] = d[i,j] - a[i,j] * abs(sum[k] q[j,k] * p[i,k])');
-- in other decompositions
SET sparseeinsum.blocks = '64';
SELECT * FROM fuses('z[I:64,l] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8) * p[j,l]');
SELECT bool_and(einsum_value(program) = einsum_value('z[i] = sum[j] a[i,j] * (1 + sum[k] q[i,k] * p[j,k])^2', rewrite => 'none')) AS same
FROM unnest(ARRAY['z[i] = sum[J] a[i,J] * (1 + sum[k] q[i,k] * p[J,k])^2', 'z[I] = sum[j] a[I,j] * (1 + sum[k] q[I,k] * p[j,k])^2', 'z[I:64] = sum[J:7] a[I:64,J:7] * (1 + sum[k] q[I:64,k] * p[J:7,k])^2',
	'z[I] = sum[J] a[I,J] * (1 + sum[k] q[I,k] * p[J,k])^2', 'z[I] = sum[J] a[I,J] * (1 + sum[K] q[I,K] * p[J,K])^2', 'z[i] = sum[j] a[i,j] * (1 + sum[k] q[i,k] * p[j,k])^2']) program;
RESET sparseeinsum.blocks;

-- stages of their own: beside no killer, one that has more labels, or where the label is a key; factors are multiplied in
SELECT form('z[i,j] = a[i,j] - exp(sum[k] q[i,k] * p[j,k])');
SELECT form('z[i] = sum[j] a[i,j] * exp((sum[k] q[i,k]) / 8)');
SELECT form('z[i] = sum[j] a[i,j] * (sum[k] q[i,k] * p[j,k])');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp((sum[k] y[i,k] * y[j,k]) / 8)');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp((sum[k] x[i,k] * x[j,k]) / 8)');
SELECT * FROM fuses('z[i] = sum[j] a[i,j] * exp((max[k] q[i,k] * p[j,k]) / 8)');
-- pins: computed as it stands, in one stage
SELECT form('e[I,J] = a[I,J] * exp((sum[k] q[I,k] * p[J,k]) / 8)');
SELECT form('e[I,J] = a[I,J] * exp((sum[K] q[I,K] * p[J,K]) / 8)');
SELECT line FROM einsum_plan('e[I,J] = a[I,J] * exp((sum[k] q[I,k] * p[J,k]) / 8)', rewrite => 'none') line WHERE line LIKE '%stage%';
-- a plan as a program has the same stages, costs and value
SELECT count(*) AS plans, bool_and(again = plan) AS same
FROM (SELECT n, (SELECT string_agg(line, '; ') FROM einsum_plan('z[i,l] = sum[j] a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8) * p[j,l]', alternative => n, format => 'program', result => 'auto') line) AS plan FROM generate_series(1, 8) n) s,
	LATERAL (SELECT string_agg(line, '; ') AS again FROM einsum_plan(plan, format => 'program', search => 'as_written') line) r;

-- at keys, as views and as tables
SELECT sum(value) = (SELECT value FROM tensor_entries(einsum_value('z[i] = sum[j] a[i,j] * (1 + sum[k] q[i,k] * p[j,k])^2')) WHERE index = '{42}') AS same
FROM einsum_rows('z[I] = sum[j] a[i,j] * (1 + sum[k] q[i,k] * p[j,k])^2', at => '{"i": 42}') AS r(i bigint, value float8);
SELECT count(*) FROM einsum_decompose('e[I,J] = a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8); z[I] = sum[j] e[i,j]', 'views');
SELECT count(*) FROM einsum_decompose('e2[I,J] = a[i,j] * exp((sum[k] q[i,k] * p[j,k]) / 8); z2[I] = sum[j] e2[i,j]', 'tables', materialize => 'always');
SELECT bool_and(abs(z.value - z2.value) <= 1e-9 * z.value) AS same, count(*) FROM z JOIN z2 USING (i);
DELETE FROM q WHERE i % 2 = 0;
SELECT bool_and(abs(z.value - s.value) <= 1e-9 * z.value) AS same, count(*) FROM z JOIN (SELECT i, sum(v * exp(s / 8)) AS value FROM a JOIN dots USING (i, j) GROUP BY i) s USING (i);
SET client_min_messages = warning;
DROP SCHEMA kernel_sums_test CASCADE;
