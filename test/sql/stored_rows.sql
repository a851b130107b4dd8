-- Rows of storages with several entries in each are counted; what stacking writes and arrays that are cast are costed
CREATE SCHEMA stored_rows_test;
SET search_path = stored_rows_test, public, sparseeinsum_internal;
SET sparseeinsum.blocks = '';
CREATE FUNCTION stage_of(program text) RETURNS TABLE (stage text, tuples float8, there float8, entries float8) LANGUAGE sql AS $$
	SELECT s->>'notation', (s->>'tuples')::float8, (s->>'actual_tuples')::float8, (s->>'entries')::float8
	FROM einsum_plan(program, 'json', actual => true, result => 'auto') p, json_array_elements(p::json->0->'stages') s $$;
-- 500 vectors, 20 with entries; and not those without a key or a value
CREATE TABLE vector (i int UNIQUE, v tensor);
INSERT INTO vector SELECT i, CASE WHEN i % 25 = 0 THEN '[1,0,2]' ELSE '[0,0,0]' END::tensor FROM generate_series(0, 499) i;
INSERT INTO vector VALUES (NULL, '[1,1,1]'), (600, NULL);
SELECT einsum_register('h[I,k]', 'vector', '{i}', 'v', '{1000,3}', duplicates => 'trust');
SELECT count(*) FROM einsum_analyze('h');
SELECT * FROM stage_of('y[I,k:*] = 2*h[I,k:*]');
-- 2,400 entries in 20 of 400 blocks, and a block that is stored without any: by their indices there would be entries in all
CREATE TABLE entry (i int, j int, PRIMARY KEY (i, j));
INSERT INTO entry SELECT 50 * b + x, 50 * (b * 7 % 20) + y FROM generate_series(0, 19) b, generate_series(0, 11) x, generate_series(0, 9) y;
SELECT einsum_register('a[I,J]', 'entry', '{i,j}', bounds => '{1000,1000}');
SELECT einsum_store('b[I:50,J:50]', 'SELECT i, j, 1 FROM entry', '{1000,1000}');
INSERT INTO b SELECT 0, 1, tensor_zeros('{50,50}');
SELECT count(*) FROM einsum_analyze('b');
SELECT * FROM stage_of('y[I:50,J:50] = 2*b[I:50,J:50]');
-- of a tensor with several storages each has its own
SELECT einsum_store('b[I,j]', 'SELECT i, j, 1 FROM entry', '{1000,1000}', 'b_rows', storage => 'further');
INSERT INTO b_rows SELECT 13, tensor_zeros('{1000}');
SELECT count(*) FROM einsum_analyze('b');
SELECT relid::regclass, rows FROM einsum_statistics WHERE relid IN ('vector'::regclass, 'b'::regclass, 'b_rows'::regclass) ORDER BY 1;
SELECT * FROM stage_of('y[I:50,J:50] = 2*b[I:50,J:50]');
SELECT * FROM stage_of('y[I,j:*] = 2*b[I,j:*]');
-- what was counted counts as long as the relation has about its size
INSERT INTO vector SELECT i, '[0,0,0]' FROM generate_series(1000, 9999) i;
SELECT count(*) FROM known_statistics('h') WHERE statistic = 'entries' AND count > 20;

-- stacking writes the result: the same entries cost more in longer vectors
CREATE FUNCTION stacking(program text) RETURNS float8 LANGUAGE sql AS $$
	SELECT (o->>'repartition_cost')::float8 FROM einsum_plan(program, 'json', result => 'auto') p, json_array_elements(p::json->0->'stages') s, json_array_elements(s->'operands') o
	WHERE (o->>'repartition_cost')::float8 > 0 $$;
SELECT einsum_register('wide[I,J]', 'entry', '{i,j}', bounds => '{1000,50000}');
SELECT round(stacking('y[I,j] = exp(wide[I,j:*])') / stacking('y[I,j] = exp(a[I,j:*])')) AS times;

-- arrays are cast for each row that is joined
CREATE TABLE arrays (i int PRIMARY KEY, v float8[] NOT NULL);
INSERT INTO arrays SELECT i, array_fill(1.0::float8, '{400}') FROM generate_series(0, 999) i;
CREATE TABLE tensors (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO tensors SELECT i, v::tensor FROM arrays;
CREATE DOMAIN numbers AS float8[];
CREATE TABLE domains (i int PRIMARY KEY, v numbers NOT NULL);
INSERT INTO domains SELECT * FROM arrays;
SELECT einsum_register('x[I,k]', 'arrays', '{i}', 'v', '{1000,400}'), einsum_register('d[I,k]', 'domains', '{i}', 'v', '{1000,400}'),
	einsum_register('t[I,k]', 'tensors', '{i}', 'v', '{1000,400}');
SELECT count(*) FROM unnest('{x,d,t}'::text[]) n, einsum_analyze(n);
CREATE FUNCTION cost(program text) RETURNS float8 LANGUAGE sql AS $$
	SELECT (p::json->0->>'cost')::float8 FROM einsum_plan(program, 'json', result => 'auto') p $$;
SELECT cost('y[I,k] = a[I,J]*x[J,k]') > 1.2 * cost('y[I,k] = a[I,J]*t[J,k]') AS dearer,
	cost('y[I,k] = a[I,J]*x[J,k]') = cost('y[I,k] = a[I,J]*d[J,k]') AS same;
SELECT cost('y[I,K] = x[I,K]') > cost('y[I,K] = t[I,K]') AS dearer;
-- of two storages that of tensors is read
SELECT einsum_register('x[I,k]', 'tensors', '{i}', 'v', '{1000,400}', storage => 'further');
SELECT line FROM einsum_plan('y[I,k] = a[I,J]*x[J,k]') line WHERE line ~ '  x: ';
SELECT line FROM einsum_plan('y[I,K] = 2*x[I,K]') line WHERE line ~ '  x: ';
SELECT cost('y[I,k] = a[I,J]*x[J,k]') = cost('y[I,k] = a[I,J]*t[J,k]') AS same;
-- what a view leaves out is not looked at
CREATE TABLE raw (kind int, k text, v float8[]);
INSERT INTO raw SELECT 1, n::text, '{1,2}'::float8[] FROM generate_series(0, 9) n UNION ALL SELECT 2, 'junk', '{3}';
CREATE VIEW kinds AS SELECT k::int AS k, v FROM raw WHERE kind IN (SELECT generate_series(1, 1));
SELECT einsum_register('r[I,k]', 'kinds', '{k}', 'v', '{10,2}', duplicates => 'trust');
SELECT count(*) FROM einsum_analyze('r');

\set VERBOSITY terse
DROP SCHEMA stored_rows_test CASCADE;
