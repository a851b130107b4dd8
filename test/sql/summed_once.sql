--
-- Duplicates of an additive tensor: summed once for all who read their sums, and costed
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA summed_test;
SET search_path = summed_test, public;
SET extra_float_digits = 0;
-- 20 entries of 2,000 rows each; and the same, summed
CREATE TABLE visit (person text NOT NULL, place int NOT NULL, n float8);
INSERT INTO visit SELECT 'p' || i % 10, i % 20 * 3 % 20, 1 + i % 3 FROM generate_series(0, 39999) i;
INSERT INTO visit VALUES ('p1', 5, NULL);
CREATE TABLE total (person text, place int, n float8 NOT NULL, PRIMARY KEY (person, place));
INSERT INTO total SELECT person, place, sum(n) FROM visit WHERE n IS NOT NULL GROUP BY person, place;
CREATE TABLE link (i int NOT NULL, j int NOT NULL);
INSERT INTO link SELECT n % 7, n * n % 9 FROM generate_series(0, 99) n;
CREATE TABLE link_total AS SELECT i, j, count(*)::float8 AS n FROM link GROUP BY i, j;
ALTER TABLE link_total ADD PRIMARY KEY (i, j);
CREATE TABLE vector (p int NOT NULL, val tensor NOT NULL);
INSERT INTO vector SELECT n % 5, ARRAY[n % 3, 1, n % 4]::float8[]::tensor FROM generate_series(0, 39) n;
CREATE TABLE vector_total AS SELECT p, tensor_sum(val) AS val FROM vector GROUP BY p;
ALTER TABLE vector_total ADD PRIMARY KEY (p);
SELECT einsum_register('v[I,J]', 'visit', '{person,place}', 'n', '{*,20}', duplicates => 'sum'), einsum_register('r_v[I,J]', 'total', '{person,place}', 'n', '{*,20}'),
	einsum_register('a[I,J]', 'link', '{i,j}', NULL, '{9,9}', duplicates => 'sum'), einsum_register('r_a[I,J]', 'link_total', '{i,j}', 'n', '{9,9}'),
	einsum_register('w[P,k]', 'vector', '{p}', 'val', '{5,3}', duplicates => 'sum'), einsum_register('r_w[P,k]', 'vector_total', '{p}', 'val', '{5,3}');
ANALYZE;
SELECT count(*) FROM einsum_analyze();

CREATE FUNCTION plan(program text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT regexp_replace(line, '\(cost=\S+ (us\)|tuples=\S+ bytes=[0-9]+)', '(') FROM einsum_plan(program) line WHERE line NOT LIKE 'As written%' $$;
-- how often a query groups by keys that it sums duplicates of
CREATE FUNCTION summed(program text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM regexp_matches(einsum_sql(program), 'tensor_sum\([^()]*\) AS value FROM summed_test', 'g') $$;

-- two that are not linear read one sum, which the query keeps
SELECT * FROM plan('m[i] = max[j] v[i,j]; s[] = sum[i,j] (v[i,j] / m[i])^2');
SELECT summed('m[i] = max[j] v[i,j]; s[] = sum[i,j] (v[i,j] / m[i])^2');
-- one reads what it sums, and what is linear has no need of a sum
SELECT * FROM plan('s[] = sum[i,j] v[i,j]^2 / 4');
SELECT * FROM plan('d[i] = sum[j] v[i,j]; q[j] = sum[i] sqrt(v[i,j]); s[] = sum[i,j] d[i] * q[j]');
SELECT summed('d[i] = sum[j] v[i,j]'), summed('s[] = sum[i,j] v[i,j]^2'), summed('d[i] = sum[j] v[i,j]; q[j] = sum[i] sqrt(v[i,j]); s[] = sum[i,j] d[i] * q[j]');
-- a diagonal reads its own rows, and no sum of all
SELECT count(*) AS sums FROM plan('z[i] = exp(a[i,i] / 10) + sum[j] sqrt(a[i,j])') line WHERE line LIKE '%] = a[%';
-- at one key nothing is summed that the key does not need
SELECT line FROM plan('m[i] = max[j] v[i,j]; c[i] = sum[j] v[i,j]^2; r[i] = m[i] / c[i]') line WHERE line LIKE '%materialized%';
SELECT regexp_replace(line, '\(cost=\S+ ', '(') FROM einsum_plan('m[i] = max[j] v[i,j]; c[i] = sum[j] v[i,j]^2; r[i] = m[i] / c[i]', at => '{i}') line WHERE line ~ '= v\[';
-- a view at a constant looks its rows up; what is kept in full could not
SELECT count(*) > 0 AS decomposed FROM einsum_decompose('m[I] = max[j] v[I,j]; c[I] = sum[j] v[I,j]^2; r[I] = m[I] / c[I]', 'views');
SELECT pg_get_viewdef('r'::regclass) LIKE '%MATERIALIZED%' AS keeps;
SELECT round((SELECT value FROM r WHERE i = 'p3')::numeric, 8) = (SELECT round((max(n) / sum(n * n))::numeric, 8) FROM total WHERE person = 'p3') AS same;
SELECT einsum_drop('views');

-- a sum costs what its rows do: of 2,000 rows an entry more than of one
CREATE FUNCTION cost(program text) RETURNS float8 LANGUAGE sql AS $$ SELECT (einsum_plan(program, format => 'json')::json->0->>'cost')::float8 $$;
SELECT cost('s[] = sum[i,j] v[i,j]^2') > 100 * cost('s[] = sum[i,j] r_v[i,j]^2') AS costed;
-- and once, if it is summed once
SELECT cost('m[i] = max[j] v[i,j]; s[] = sum[i,j] (v[i,j] / m[i])^2') < 1.5 * cost('s[] = sum[i,j] v[i,j]^2') AS once;

-- a sum over the dimensions of values adds up no rows
SELECT summed('d[p] = sum[k] w[p,k]; m[p] = max[k] w[p,k]; z[p] = d[p] / m[p]'), summed('z[p] = sum[k,q] w[p,k] * w[q,k]^2');
SELECT cost('d[p] = sum[k] w[p,k]; z[p] = sqrt(d[p])') > 1.3 * cost('d[p] = sum[k] r_w[p,k]; z[p] = sqrt(d[p])') AS costed;

-- the plan says what the sum costs, and its total is that of its parts
SELECT line FROM plan('s[] = sum[i,j] v[i,j]^2') line WHERE line LIKE '%duplicates%';
SELECT line FROM plan('d[i] = sum[j] v[i,j]') line WHERE line LIKE '%duplicates%';
CREATE FUNCTION parts(program text, OUT "all" float8, OUT parts float8, OUT duplicates float8) LANGUAGE sql AS $$
	SELECT (plan->>'cost')::float8,
		(SELECT sum((stage->>'cost')::float8 + coalesce(operands.cost, 0)) FROM json_array_elements(plan->'stages') stage,
			LATERAL (SELECT sum((operand->>'repartition_cost')::float8 + coalesce((operand->>'duplicates_cost')::float8, 0)) AS cost
				FROM json_array_elements(stage->'operands') operand) operands),
		(SELECT sum((operand->>'duplicates_cost')::float8) FROM json_array_elements(plan->'stages') stage, json_array_elements(stage->'operands') operand)
	FROM (SELECT einsum_plan(program, format => 'json')::json->0) p(plan) $$;
SELECT abs("all" - parts) < 1 AS "all", duplicates > 0.9 * "all" AS duplicates FROM parts('s[] = sum[i,j] v[i,j]^2');

-- two storages with duplicates, by rows and by vectors: what reads either reads one sum
CREATE TABLE visits (person text NOT NULL, n tensor NOT NULL);
INSERT INTO visits SELECT person, stack(n, place, 0, 20) FROM (SELECT person, place, sum(n) / 1000 AS n FROM visit WHERE n IS NOT NULL GROUP BY person, place) v GROUP BY person;
INSERT INTO visits SELECT v.* FROM visits v, generate_series(1, 999);
CREATE TABLE linked (i int NOT NULL, n tensor NOT NULL);
INSERT INTO linked SELECT i, stack(1::float8, j, 0, 9) FROM (SELECT DISTINCT ON (ctid) i, j, ctid FROM link) l GROUP BY i, ctid;
SELECT einsum_register('u[I,J]', 'visit', '{person,place}', 'n', '{*,20}', duplicates => 'sum'), einsum_register('u[I,j]', 'visits', '{person}', 'n', '{*,20}', duplicates => 'sum', storage => 'further'),
	einsum_register('b[I,J]', 'link', '{i,j}', NULL, '{9,9}', duplicates => 'sum'), einsum_register('b[I,j]', 'linked', '{i}', 'n', '{9,9}', duplicates => 'sum', storage => 'further'),
	einsum_register('r_u[I,J]', 'total', '{person,place}', 'n', '{*,20}'), einsum_register('r_b[I,J]', 'link_total', '{i,j}', 'n', '{9,9}');
ANALYZE;
SELECT count(*) FROM einsum_analyze();
SELECT * FROM plan('m[i] = max[j] u[i,j]; s[] = sum[i,j] (u[i,j] / m[i])^2');
CREATE FUNCTION reads_of(program text, relation text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM regexp_matches(einsum_sql(program), 'summed_test\.' || relation || '\M', 'g') $$;
SELECT program, reads_of(program, 'visits') AS vectors, reads_of(program, 'visit') AS rows FROM unnest(ARRAY[
	'm[i] = max[j] u[i,j]; s[] = sum[i,j] (u[i,j] / m[i])^2',
	'm[I] = max[j] u[I,j]; z[I,J] = u[I,J] / m[I]; s[] = sum[i,j] z[i,j] * u[i,j]^2',
	'n[i] = sqrt(sum[j] u[i,j]^2); z[i,k] = (sum[j] u[i,j] * u[k,j]) / (n[i] * n[k])',
	'd[i] = sum[j] u[i,j]']) program;
SELECT cost('m[i] = max[j] u[i,j]; s[] = sum[i,j] (u[i,j] / m[i])^2') < 1.5 * cost('s[] = sum[i,j] u[i,j]^2') AS once,
	cost('m[i] = max[j] u[i,j]; s[] = sum[i,j] (u[i,j] / m[i])^2') < 0.5 * cost('m[i] = max[j] v[i,j]; s[] = sum[i,j] (v[i,j] / m[i])^2') AS cheaper;

-- of several storages only one has duplicates: its rows are no tuples of the tensor
CREATE TABLE vectors AS SELECT person, stack(n, place, 0, 20) AS n FROM total GROUP BY person;
ALTER TABLE vectors ADD PRIMARY KEY (person);
SELECT einsum_register('x[I,j]', 'visits', '{person}', 'n', '{*,20}', duplicates => 'sum'), einsum_register('x[I,J]', 'total', '{person,place}', 'n', '{*,20}', storage => 'further'),
	einsum_register('y[I,J]', 'visit', '{person,place}', 'n', '{*,20}', duplicates => 'sum'), einsum_register('y[I,j]', 'vectors', '{person}', 'n', '{*,20}', storage => 'further'),
	einsum_register('r_x[I,J]', 'total', '{person,place}', 'n', '{*,20}', replace => true), einsum_register('r_y[I,J]', 'total', '{person,place}', 'n', '{*,20}', replace => true);
ANALYZE vectors;
SELECT count(*) FROM einsum_analyze();
SELECT * FROM plan('q[I,j] = x[I,j]^2; z[I,j] = sqrt(x[I,j]) + q[I,j]');
SELECT program, reads_of(program, 'visits') + reads_of(program, 'visit') AS duplicates,
	cost(program) < 1.2 * cost(regexp_replace(program, '\m([xy])\[', 'r_\1[', 'g')) AS costed FROM unnest(ARRAY[
	'q[I,j] = x[I,j]^2; z[I,j] = sqrt(x[I,j]) + q[I,j]',
	'm[i] = max[j] x[i,j]; s[] = sum[i,j] (x[i,j] / m[i])^2',
	'd[i] = sum[j] x[i,j]',
	'q[I,J] = y[I,J]^2; z[I,J] = sqrt(y[I,J]) + q[I,J]',
	'm[i] = max[j] y[i,j]; s[] = sum[i,j] (y[i,j] / m[i])^2',
	'd[i] = sum[j] y[i,j]']) program;
-- a sum of the rows at a constant index is costed by those
SELECT cost('z[i] = sqrt(v[i,3])') / cost('z[i,j] = sqrt(v[i,j])') BETWEEN 0.02 AND 0.2 AS share;

-- the decomposition of the sum suits its readers, whichever storage is the first
CREATE TABLE later AS SELECT * FROM link;
SELECT einsum_register('q[I,j]', 'linked', '{i}', 'n', '{9,9}', duplicates => 'sum'), einsum_register('q[I,J]', 'later', '{i,j}', NULL, '{9,9}', duplicates => 'sum', storage => 'further');
ANALYZE later;
SELECT count(*) FROM einsum_analyze('q');
SELECT line FROM plan('m[I] = max[j] q[I,j]; s[] = sum[i,j] (q[i,j] / m[i])^2') line WHERE line LIKE '%= q[%';

-- whatever is read how, it is what the summed tables give, in all plans
CREATE FUNCTION compare(program text, OUT plans int, OUT wrong text) LANGUAGE plpgsql AS $$
DECLARE
	expected tensor := einsum_value(regexp_replace(program, '\m([vawubxy])\[', 'r_\1[', 'g'), rewrite => 'none');
	options text;
	result tensor;
BEGIN
	plans := 0;
	FOR options IN SELECT format(', search => %L, alternative => %s, rewrite => %L', search, alternative, rewrite)
		FROM unnest('{dp,greedy,as_written}'::text[]) search, generate_series(1, 4) alternative, unnest('{none,distribute}'::text[]) rewrite
	LOOP
		BEGIN
			EXECUTE format('SELECT einsum_value($1%s)', options) INTO result USING program;
			plans := plans + 1;
			IF EXISTS (SELECT FROM tensor_entries(expected) e FULL JOIN tensor_entries(result) f USING (index)
					WHERE abs(e.value - f.value) <= 1e-9 * abs(e.value) IS NOT TRUE) THEN
				wrong := concat_ws('; ', wrong, options);
			END IF;
		EXCEPTION WHEN invalid_parameter_value THEN
			NULL; -- there is no such alternative
		END;
	END LOOP;
END $$;
SELECT program, plans > 4 AS planned, wrong FROM unnest(ARRAY[
	's[] = sum[i,j] v[i,j]^2',
	's[j] = sum[i] v[i,j] * v[i,j]',
	'm[i] = max[j] v[i,j]; s[] = sum[i,j] (v[i,j] / m[i])^2',
	's[] = sum[i,j,k] least(v[i,j], v[i,k]) * v[i,k]',
	'd[i] = sum[j] a[i,j]; p[i,j] = a[i,j] / d[i]; z[i,k] = sum[j] p[i,j] * a[j,k]',
	't[] = sum[i,j,k] a[i,j] * a[j,k] * a[k,i]',
	't[i] = sum[j,k] (a[i,j] * a[j,k] - a[k,i])^2',
	'z[i,j] = a[i,j] - a[j,i] + a[i,i]',
	'z[i] = a[i,i]^2 + sum[j] sqrt(a[i,j]) - max[j] a[j,i]',
	'z[i,j] = exp(a[i,j] / 10) * (1 + a[j,i])',
	'c[k,l] = sum[p] w[p,k] * w[p,l]; z[p,l] = sum[k] w[p,k] * c[k,l]',
	'n[p] = sqrt(sum[k] w[p,k]^2); z[p,q] = (sum[k] w[p,k] * w[q,k]) / (n[p] * n[q])',
	'z[p,q] = sqrt(sum[k] (w[p,k] - w[q,k])^2)',
	'm[k] = (sum[p] w[p,k]) / 5; z[p,k] = (w[p,k] - m[k])^2 + max[k] w[p,k]',
	'm[i] = max[j] u[i,j]; s[] = sum[i,j] (u[i,j] / m[i])^2',
	's[j] = sum[i] u[i,j] * u[i,j]; z[j] = s[j] + (sum[i] sqrt(abs(u[i,j])))',
	'n[i] = sqrt(sum[j] b[i,j]^2); z[i,k] = (sum[j] b[i,j] * b[k,j]) / (1 + n[i] * n[k])',
	'd[i] = sum[j] b[i,j]; p[i,j] = b[i,j] / d[i]; z[i,k] = sum[j] p[i,j] * b[j,k]',
	'z[i,j] = exp(b[i,j] / 10) * (1 + b[j,i])',
	'z[i] = b[i,i]^2 + sum[j] sqrt(b[i,j]) - max[j] b[j,i]',
	'm[i] = max[j] x[i,j]; s[] = sum[i,j] (x[i,j] / m[i])^2',
	't[j,k] = sum[i] x[i,j] * y[i,k]',
	'z[j] = sum[i] y[i,j]^2; t[] = sum[j] z[j] * (sum[i] x[i,j])'
]) program, LATERAL compare(program);

-- a loop sums what does not change once for all rounds
SELECT (SELECT max(abs(e.value - f.value)) < 1e-12 FROM tensor_entries(loop.value) e JOIN tensor_entries(of_sums.value) f USING (index)) AS same
FROM einsum_iterate_value('x[i] = 1 + 0 * (sum[j] a[i,j])', 'x[i] = (sum[j] sqrt(a[i,j]) * x[j]) / (1 + sum[j] a[i,j]^2)', max_rounds => 3) AS loop(value),
	einsum_iterate_value('x[i] = 1 + 0 * (sum[j] r_a[i,j])', 'x[i] = (sum[j] sqrt(r_a[i,j]) * x[j]) / (1 + sum[j] r_a[i,j]^2)', max_rounds => 3) AS of_sums(value);
-- what is stored as one block of all indices is summed as whole vectors, as where the printed program is read
CREATE TABLE one_block (b int NOT NULL, val float8[] NOT NULL);
INSERT INTO one_block VALUES (0, '{1,2,3,4}'), (0, '{1,0,1,0}');
SELECT einsum_register('o[x:4]', 'one_block', '{b}', 'val', '{4}', duplicates => 'sum');
SET sparseeinsum.blocks = '2';
SELECT einsum_plan('m[] = max[i] o[i]; s[] = sum[i] o[i]^2 / m[]', 'program');
SELECT einsum_value('m[] = max[i] o[i]; s[] = sum[i] o[i]^2 / m[]');
-- a row that two operands read once may make any plan the cheapest: what is chosen is the first of a list
CREATE TABLE arrays (i int[], n real[]);
INSERT INTO arrays VALUES ('{1,3,4,2}', '{2,-3,2,-3}');
SELECT einsum_register('c[X]', 'arrays', '{}', layout => 'coo(i,n)', bounds => '{5}', duplicates => 'sum');
SELECT count(*) FROM einsum_analyze('c');
SET sparseeinsum.blocks = '2,3';
SET sparseeinsum.cost_tuple = 0.25;
SET sparseeinsum.cost_transfer = 0.091;
SET sparseeinsum.enable_aggregate_join = force;
SELECT cost('r[l,m] = (c[l] * c[m])^2') = (einsum_plan('r[l,m] = (c[l] * c[m])^2', 'json', plans => 3)::json->0->>'cost')::float8 AS first;
DROP SCHEMA summed_test CASCADE;
