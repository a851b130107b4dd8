-- asinh against PostgreSQL's, in programs with each kind of plan, in its gradient, and as functions of SQL: prints what is wrong.
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE EXTENSION sparseeinsum;
CREATE TABLE entry (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO entry SELECT n / 40, n % 40, (n * 37 % 101 - 50) / 7.0 FROM generate_series(0, 1599) n WHERE n % 3 > 0;
CREATE TABLE vector (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO vector SELECT i, stack(coalesce(v, 0), j, 0, 40) FROM generate_series(0, 39) i CROSS JOIN generate_series(0, 39) j LEFT JOIN entry USING (i, j) GROUP BY i;
CREATE TABLE matrix (v tensor NOT NULL);
INSERT INTO matrix SELECT stack(v, i, 0, 40) FROM vector;
SELECT einsum_register('a[I,J]', 'entry', '{i,j}', 'v', '{40,40}'), einsum_register('b[I,j]', 'vector', '{i}', 'v', '{40,40}'),
	einsum_register('c[i,j]', 'matrix', '{}', 'v', '{40,40}') \g /dev/null
ANALYZE;
CREATE TABLE expected AS SELECT i, sum(asinh(v) * v) AS v, sum(asinh(asinh(v))) AS w FROM entry GROUP BY i;

-- the tensor's storages beside nests, batches and workers, forced and off
CREATE FUNCTION wrong(plan text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	t text;
	differences bigint;
BEGIN
	FOREACH t IN ARRAY '{a,b,c}'::text[] LOOP
		EXECUTE format('SELECT count(*) FROM einsum_rows(%L) AS r(i int, value float8) FULL JOIN expected AS e USING (i)
			WHERE (abs(coalesce(r.value, 0) - coalesce(e.v, 0)) < 1e-10) IS NOT TRUE', format('y[i] = sum[j] asinh(%1$s[i,j])*%1$s[i,j]', t)) INTO differences;
		IF differences > 0 THEN
			RETURN NEXT format('%s of %s: %s', plan, t, differences);
		END IF;
		EXECUTE format('SELECT count(*) FROM einsum_rows(%L) AS r(i int, value float8) FULL JOIN expected AS e USING (i)
			WHERE (abs(coalesce(r.value, 0) - coalesce(e.w, 0)) < 1e-10) IS NOT TRUE', format('x[i,j] = asinh(%1$s[i,j]); y[i] = sum[j] asinh(x[i,j])', t)) INTO differences;
		IF differences > 0 THEN
			RETURN NEXT format('%s, twice, of %s: %s', plan, t, differences);
		END IF;
	END LOOP;
END $$;
SELECT wrong('by cost');
SET sparseeinsum.enable_aggregate_join = force;
SELECT wrong('nests');
SET sparseeinsum.enable_aggregate_join = off;
SELECT wrong('relational');
SET sparseeinsum.enable_batching = force;
SELECT wrong('batches');
SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SELECT wrong('workers');
RESET ALL;
SET client_min_messages = warning;

-- no value where none is stored: 0 stays 0
SELECT 'the fill is ' || v FROM (SELECT fill::text AS v FROM einsum_tensors WHERE tensor = 'y') f WHERE v <> '0';

-- the gradient
SELECT 'gradient: ' || count(*) FROM einsum_rows(einsum_gradient('l[] = sum[i,j] asinh(a[i,j])', 'l', '{a}') || '; g[i,j] = d_a[i,j]') AS g(i int, j int, value float8)
	FULL JOIN entry AS e USING (i, j) WHERE (abs(value - 1 / sqrt(1 + coalesce(v, 0) ^ 2)) < 1e-12) IS NOT TRUE HAVING count(*) > 0;

-- SQL, of each element type
SELECT 'tensor_asinh: ' || x FROM generate_series(-3, 3, 0.5) x WHERE (abs(tensor_asinh(x::float8::tensor)::float8 - asinh(x)) < 1e-14) IS NOT TRUE;
SELECT 'float4' WHERE (abs(tensor_asinh(tensor 'float4:0.5')::float4 - asinh(0.5)) < 1e-6) IS NOT TRUE;
SELECT 'complex' WHERE tensor_asinh(tensor 'complex16:[0+1i]') <> tensor 'complex16:[0+1.5707963267948966i]';
SELECT 'scalar' WHERE sparseeinsum_internal.scalar_asinh(2) <> asinh(2);
SELECT 'map' WHERE tensor_map('asinh($1)', 'i->i', tensor '[2]')::float8[] <> ARRAY[asinh(2)];
