-- What is known about tensors, when it is measured, and that it chooses among plans and nothing else.
CREATE SCHEMA statistics_test;
SET search_path = statistics_test, public, sparseeinsum_internal;
CREATE FUNCTION plan(program text) RETURNS SETOF text LANGUAGE sql AS
	$$ SELECT regexp_replace(line, 'cost=[0-9.]+', 'cost=?', 'g') FROM einsum_plan(program, result => 'auto') line WHERE line !~ 'work_mem' $$;

-- small tables are measured when they are registered
CREATE TABLE one (i int, k int, v float8, PRIMARY KEY (i, k)) WITH (autovacuum_enabled = off);
INSERT INTO one VALUES (3, 5, 2);
SELECT einsum_register('one[I,K]', 'one', '{i,k}', 'v', '{100000,100000}');
SELECT * FROM known_statistics('one') WHERE given IS NULL;
SELECT * FROM plan('y[I] = sum[K] one[I,K]');
CREATE TABLE matrix (v tensor NOT NULL);
INSERT INTO matrix VALUES ('[[1,0],[0,0]]');
SELECT einsum_register('m[j,k]', 'matrix', '{}', 'v');
SELECT * FROM known_statistics('m') WHERE given IS NULL;
CREATE TABLE parted (i int PRIMARY KEY, v float8) PARTITION BY RANGE (i);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES FROM (0) TO (10);
INSERT INTO parted VALUES (1, 1), (7, 2);
SELECT einsum_register('p[I]', 'parted', '{i}', 'v', '{100001}');
SELECT einsum_store('stored[I]', 'SELECT i, v FROM parted', '{10}');
-- not views, nor what is large by rows or in values
CREATE VIEW shown AS TABLE one;
SELECT einsum_register('shown[I,K]', 'shown', '{i,k}', 'v', '{10,10}', duplicates => 'trust');
CREATE TABLE large (i int PRIMARY KEY, v float8);
INSERT INTO large SELECT i, 1 FROM generate_series(0, 100000) i;
SELECT einsum_register('large[I]', 'large', '{i}', 'v');
CREATE TABLE wide (i int PRIMARY KEY, v tensor);
INSERT INTO wide SELECT i, tensor_full('{50001}', 1) FROM generate_series(0, 1) i;
SELECT einsum_register('wide[I,j]', 'wide', '{i}', 'v');
SELECT tensor, analyzed FROM einsum_tensors WHERE schema = 'statistics_test' ORDER BY tensor;
SELECT * FROM plan('y[I] = large[I] * p[I]');
SELECT format FROM (SELECT jsonb_path_query(einsum_plan::jsonb, '$[*].stages[*].operands[*]') - 'repartition_cost' AS format
	FROM einsum_plan('y[I] = large[I] * p[I]', format => 'json')) j;
-- one measurement that fails does not fail the registration
CREATE TABLE unmeasured (i int PRIMARY KEY, v float8);
ALTER TABLE einsum_statistics ADD CONSTRAINT nothing_more CHECK (false) NOT VALID;
SELECT einsum_register('unmeasured[I]', 'unmeasured', '{i}', 'v', '{10}');
ALTER TABLE einsum_statistics DROP CONSTRAINT nothing_more;
SELECT analyzed, status FROM einsum_tensors WHERE tensor = 'unmeasured';

-- what was measured counts until the table has more than double its pages, or less than half
INSERT INTO one SELECT i / 100, i % 100, 1 FROM generate_series(1000, 2999) i;
SELECT tensor, analyzed FROM einsum_tensors WHERE tensor = 'one';
SELECT statistic, labels, given, count BETWEEN 1000 AND 4000 AS near FROM known_statistics('one') WHERE labels <> 'k';
SELECT count(*) FROM plan('y[I] = sum[K] one[I,K]') line WHERE line ~ 'not analyzed since its size changed';
SELECT count FROM einsum_analyze('one') WHERE statistic = 'entries';
SELECT tensor, analyzed FROM einsum_tensors WHERE tensor = 'one';
TRUNCATE one;
SELECT tensor, analyzed FROM einsum_tensors WHERE tensor = 'one';
SELECT * FROM known_statistics('one') WHERE statistic = 'entries';
-- without anything measured, pages that are there count, and not the ten that PostgreSQL takes for the least
INSERT INTO one VALUES (3, 5, 2);
SELECT statistic, count < 300 AS near FROM known_statistics('one') WHERE statistic = 'entries';
INSERT INTO one SELECT i, 0, 1 FROM generate_series(10, 19) i;
ANALYZE one;
SELECT statistic, labels, count FROM known_statistics('one') WHERE given IS NULL;

-- all at once: what is somebody else's, or broken, is passed over with a warning; programs' views without
CREATE ROLE statistics_owner;
GRANT ALL ON SCHEMA statistics_test TO statistics_owner;
SELECT einsum_decompose('program[I] = large[I] * p[I]', 'program') IS NOT NULL AS made;
DELETE FROM einsum_statistics;
ALTER TABLE parted ADD CHECK (i < 100);
INSERT INTO large VALUES (-1, 1);
ALTER TABLE wide RENAME v TO values;
SELECT * FROM einsum_analyze() WHERE schema = 'statistics_test';
DELETE FROM large WHERE i < 0;
ALTER TABLE wide RENAME values TO v;
SET ROLE statistics_owner;
CREATE TABLE mine (i int PRIMARY KEY);
INSERT INTO mine VALUES (1), (5);
SELECT einsum_register('mine[I]', 'mine', '{i}');
SET client_min_messages = error;
SELECT * FROM einsum_analyze();
RESET client_min_messages;
RESET ROLE;
BEGIN READ ONLY;
SELECT einsum_analyze();
ROLLBACK;

-- Whatever is believed about tensors, the same programs are planned. Here each belief is planted, about each of three
-- matrices of a product whose two orders keep 3000 x 3000 or 10 x 10 numbers in a value.
CREATE TABLE a (i int, j int, v float8, PRIMARY KEY (i, j));
CREATE TABLE b (j int, k int, v float8, PRIMARY KEY (j, k));
CREATE TABLE c (k int, l int, v float8, PRIMARY KEY (k, l));
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3000,10}'), einsum_register('b[J,K]', 'b', '{j,k}', 'v', '{10,3000}'),
	einsum_register('c[K,L]', 'c', '{k,l}', 'v', '{3000,10}');
CREATE TABLE u (i int PRIMARY KEY, v float8);
CREATE TABLE w (j int PRIMARY KEY, v float8);
SELECT einsum_register('u[I]', 'u', '{i}', 'v', '{1000000}'), einsum_register('w[J]', 'w', '{j}', 'v', '{1000000}');
CREATE FUNCTION believe(relation regclass, belief float8) RETURNS void LANGUAGE sql AS $$
	UPDATE einsum_statistics SET entries = belief, value_counts = array_fill(sqrt(belief), ARRAY[cardinality(value_counts)]),
		distinct_counts = array_fill(belief, ARRAY[cardinality(distinct_counts)]), degrees = array_fill(sqrt(belief), ARRAY[cardinality(degrees)])
	WHERE relid = relation $$;
CREATE FUNCTION outcomes(program text, relations regclass[]) RETURNS TABLE (outcome text, searches text, beliefs text) LANGUAGE plpgsql AS $$
DECLARE
	belief float8[];
	search text;
BEGIN
	CREATE TEMP TABLE outcome (outcome text, search text, belief text);
	FOR belief IN SELECT ARRAY[x, y, z] FROM unnest('{0,1,30000,1e12}'::float8[]) x, unnest('{0,1,30000,1e12}'::float8[]) y, unnest('{0,1,30000,1e12}'::float8[]) z LOOP
		PERFORM believe(relation, belief[n]) FROM unnest(relations) WITH ORDINALITY r (relation, n);
		FOREACH search IN ARRAY '{dp,greedy}'::text[] LOOP
			BEGIN
				PERFORM einsum_sql(program, search => search, result => 'auto');
				INSERT INTO outcome VALUES ('planned', search, belief::text);
			EXCEPTION WHEN program_limit_exceeded THEN
				INSERT INTO outcome VALUES (SQLERRM, search, belief::text);
			END;
		END LOOP;
	END LOOP;
	RETURN QUERY SELECT o.outcome, string_agg(DISTINCT o.search, ','), count(*)::text FROM outcome o GROUP BY 1;
	DROP TABLE outcome;
END $$;
SET client_min_messages = error;
SELECT * FROM outcomes('z[i:*,l:*] = a[i:*,j:*] * b[j:*,k:*] * c[k:*,l:*]', '{a,b,c}');
SELECT * FROM outcomes('z[I,J] = u[I] + w[J]', '{u,w}');
SELECT * FROM outcomes('s[] = sum[i,j] exp(u[i] + w[j])', '{u,w}');
SELECT * FROM outcomes('z[I,j] = 2 ^ a[I,j] + sum[k] exp(b[j,k])', '{a,b}');
-- what the bounds exclude is excluded, whatever is believed
SET sparseeinsum.max_dense_tuples = 100000;
SELECT * FROM outcomes('z[I,J] = u[I] + w[J]', '{u,w}');
RESET sparseeinsum.max_dense_tuples;
RESET client_min_messages;
-- what only estimates exclude is planned and said
SELECT believe('u', 1e6), believe('w', 1e6);
SELECT * FROM plan('z[I,J] = u[I] + w[J]');
SELECT jsonb_path_query(einsum_plan::jsonb, '$[*].stages[*].extended') FROM einsum_plan('z[I,J] = u[I] + w[J]', format => 'json');
SELECT einsum_sql('z[I,J] = u[I] + w[J]') IS NOT NULL AS planned;
SELECT believe('u', 1), believe('w', 1);
SELECT einsum_sql('z[I,J] = u[I] + w[J]') IS NOT NULL AS planned;
-- a plan that estimates do not exclude is preferred
SELECT believe('u', 1e6), believe('w', 1e6);
SET sparseeinsum.cost_group = 0;
SET sparseeinsum.cost_tuple = 0;
SELECT count(*) AS extended FROM einsum_plan('s[] = sum[i,j] greatest(u[i] + w[j], 0)') line WHERE line ~ 'more than sparseeinsum.max_dense_tuples';
RESET sparseeinsum.cost_group;
RESET sparseeinsum.cost_tuple;
-- nonsense is not believed
SELECT believe('u', 'NaN'), believe('w', 'Infinity');
SELECT tensor, analyzed FROM einsum_tensors WHERE tensor IN ('u', 'w') ORDER BY tensor;

-- pg_dump: anybody may dump, and gets what is about relations that he may read; he restores what is about his own
DELETE FROM einsum_statistics;
SELECT count(*) FROM einsum_analyze('p');
SELECT count(*) FROM einsum_analyze('mine');
SET ROLE statistics_owner;
SELECT relation, entries FROM dumped_statistics() ORDER BY relation;
SELECT * FROM einsum_statistics;
RESET ROLE;
ALTER TABLE mine ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
GRANT SELECT ON parted TO statistics_owner;
CREATE TEMP TABLE dumped AS SELECT * FROM dumped_statistics();
GRANT ALL ON dumped TO statistics_owner;
SET ROLE statistics_owner;
SELECT relation, entries FROM dumped_statistics() ORDER BY relation;
SET row_security = off;
SELECT relation, entries FROM dumped_statistics() ORDER BY relation;
RESET row_security;
UPDATE dumped SET entries = entries + 1;
INSERT INTO dumped SELECT 'statistics_test.no_such_table', 1, 1, 1, false, '{}', '{}', '{}';
INSERT INTO dumped (relation) SELECT relation FROM dumped;
INSERT INTO einsum_statistics_dump TABLE dumped;
SELECT count(*) FROM einsum_statistics_dump;
DELETE FROM einsum_statistics_dump;
RESET ROLE;
SELECT relid::regclass, entries FROM einsum_statistics ORDER BY 1;
CREATE TABLE other (LIKE einsum_statistics_dump);
CREATE TRIGGER restore BEFORE INSERT ON other FOR EACH ROW EXECUTE FUNCTION restore_statistics();
INSERT INTO other (relation) VALUES ('one');

SET client_min_messages = warning;
DROP SCHEMA statistics_test CASCADE;
DROP TABLE dumped;
DELETE FROM einsum_statistics;
DROP ROLE statistics_owner;
