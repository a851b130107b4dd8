-- What the declaration of a column proves is not asked of its values.
SET client_min_messages = warning;
CREATE SCHEMA shape_proof;
SET search_path = shape_proof, public, sparseeinsum_internal;

-- the conditions that a query is planned with
CREATE FUNCTION filters(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		IF line ~ 'Filter:' THEN
			RETURN NEXT regexp_replace(line, '^ *', '');
		END IF;
	END LOOP;
END
$$;

-- Of tables declared in many ways: which of the questions whether a value of v
-- is a float8 {3}, a float4 {3}, or a float8 {2} is left, and how
CREATE TABLE declared (number int GENERATED ALWAYS AS IDENTITY, definition text);
INSERT INTO declared (definition) VALUES
	('v tensor NOT NULL'),
	('v tensor(float8,1) NOT NULL'),
	('v tensor NOT NULL CHECK (tensor_shape(v) = ''{3}'')'),
	('v tensor(float8) NOT NULL CHECK (tensor_shape(v) = ''{3}'')'),
	('v tensor(float8) CHECK (tensor_shape(v) = ''{3}'')'),
	('v tensor(float4,1) NOT NULL CHECK (tensor_shape(v) = ''{3}'')'),
	('v tensor(float8,1) NOT NULL CHECK (ARRAY[1 + 1] = tensor_shape(v))'),
	('i int, v tensor(float8) NOT NULL CHECK (i > 0 AND (tensor_shape(v) = ''{3}'' AND i < 7))'),
	('i int, v tensor(float8) NOT NULL CHECK (i > 0 OR tensor_shape(v) = ''{3}'')'),
	('v tensor NOT NULL CHECK (tensor_shape(v) = ''{3}'') CHECK (''float8'' = tensor_type(v))'),
	('v tensor NOT NULL CHECK (tensor_shape(v) = ''{3}'' AND tensor_type(v) = ''float4'')'),
	('v tensor NOT NULL CHECK (tensor_shape(v) <= ''{3}'' AND tensor_type(v) <> ''float4'')'),
	('u tensor(float8) NOT NULL CHECK (tensor_shape(u) = ''{3}''), v tensor(float8) NOT NULL'),
	('v tensor(float8) NOT NULL CHECK (tensor_shape(v) = ''[0:0]={3}'')'),
	('v tensor(float8) NOT NULL CHECK (tensor_shape(v) = ''{3,3}'')'),
	('v tensor(float8) NOT NULL CHECK (tensor_shape(v) = NULL)'),
	('v tensor(float8) NOT NULL CHECK (tensor_shape(v) = ''{3}'') NO INHERIT'),
	('v tensor(float8,0) NOT NULL');
CREATE FUNCTION left_of(definition text) RETURNS TABLE (float8_3 text, float4_3 text, float8_2 text) LANGUAGE plpgsql AS $$
DECLARE
	asked text;
	answers text[] := '{}';
BEGIN
	EXECUTE 'CREATE TABLE one (' || definition || ')';
	FOREACH asked IN ARRAY ARRAY['''{3}'', ''t''', '''{3}'', ''t'', ''float4''', '''{2}'', ''t'', ''float8'''] LOOP
		answers := answers || ARRAY[(
			SELECT CASE WHEN f LIKE '%has_shape%' THEN 'asked' ELSE f END
			FROM (SELECT string_agg(filters, '') AS f FROM filters('SELECT FROM one WHERE einsum_value_has_shape(v, ' || asked || ')')) s)];
	END LOOP;
	DROP TABLE one;
	RETURN QUERY SELECT coalesce(answers[1], ''), coalesce(answers[2], ''), coalesce(answers[3], '');
END
$$;
SELECT definition, (left_of(definition)).* FROM declared ORDER BY number;
-- a rank of 0 is a shape
CREATE TABLE number (v tensor(complex16,0) NOT NULL);
SELECT * FROM filters('SELECT FROM number WHERE einsum_value_has_shape(v, ''{}'', ''t'', ''complex16'')');
SELECT * FROM filters('SELECT FROM number WHERE einsum_value_has_shape(v, ''{}'', ''t'')');
-- domains: the type of what they are over counts, their CHECKs do not
CREATE DOMAIN vector AS tensor(float8,1) CHECK (tensor_shape(VALUE) = '{3}');
CREATE TABLE of_domain (u vector NOT NULL, v vector NOT NULL CHECK (tensor_shape(v) = '{3}'));
SELECT * FROM filters('SELECT FROM of_domain WHERE einsum_value_has_shape(u, ''{3}'', ''u'') AND einsum_value_has_shape(v, ''{3}'', ''v'')');
-- a function of the same name that is not ours
CREATE FUNCTION shape_proof.tensor_shape(vector) RETURNS int[] LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN '{3}'; END $$;
CREATE TABLE of_others (v vector NOT NULL CHECK (shape_proof.tensor_shape(v) = '{3}'));
SELECT * FROM filters('SELECT FROM of_others WHERE einsum_value_has_shape(v, ''{3}'', ''v'')');
DROP FUNCTION shape_proof.tensor_shape(vector) CASCADE;

-- NULLs: as the function, which is NULL of them
CREATE TABLE t (i int PRIMARY KEY, v tensor(float8) CHECK (tensor_shape(v) = '{3}'), w tensor(float8) NOT NULL CHECK (tensor_shape(w) = '{2}'));
INSERT INTO t VALUES (0, '[1,2,3]', '[1,2]'), (1, NULL, '[3,4]'), (2, '[4,5,6]', '[5,6]');
SELECT i, einsum_value_has_shape(v, '{3}', 't') AS v, NOT einsum_value_has_shape(v, '{3}', 't') AS not_v, einsum_value_has_shape(w, '{2}', 't') AS w FROM t ORDER BY i;
SELECT i FROM t WHERE einsum_value_has_shape(v, '{3}', 't') ORDER BY i;
SELECT i FROM t WHERE NOT einsum_value_has_shape(v, '{3}', 't') OR einsum_value_has_shape(v, '{3}', 't') IS NULL ORDER BY i;
SELECT * FROM filters('SELECT FROM t WHERE einsum_value_has_shape(v, ''{3}'', ''t'') AND einsum_value_has_shape(w, ''{2}'', ''t'')');
-- outer joins make some of what is NOT NULL
SELECT i FROM (VALUES (0), (1), (5)) x(i) LEFT JOIN t USING (i) WHERE einsum_value_has_shape(w, '{2}', 't') ORDER BY i;
SELECT i, einsum_value_has_shape(w, '{2}', 't') FROM (VALUES (0), (1), (5)) x(i) LEFT JOIN t USING (i) ORDER BY i;
SELECT i, einsum_value_has_shape(w, '{2}', 't') FROM t RIGHT JOIN (VALUES (0), (1), (5)) x(i) USING (i) ORDER BY i;
SELECT i, einsum_value_has_shape(w, '{2}', 't') FROM t FULL JOIN (VALUES (0), (1), (5)) x(i) USING (i) ORDER BY i;
SELECT i, s.w FROM (VALUES (0), (1), (5)) x(i) LEFT JOIN (SELECT i, w FROM t WHERE einsum_value_has_shape(w, '{2}', 't')) s USING (i) ORDER BY i;
SELECT i FROM (VALUES (0), (1), (5)) x(i) WHERE EXISTS (SELECT FROM t WHERE t.i = x.i AND einsum_value_has_shape(w, '{2}', 't')) ORDER BY i;
-- the column of a query around it is asked
SELECT bool_or(filters LIKE '%has_shape%') FROM filters('SELECT FROM t WHERE EXISTS (SELECT FROM number WHERE einsum_value_has_shape(t.w, ''{2}'', ''t'') OFFSET 0)');

-- Tables with children: what a parent's constraints say of them is not looked at
CREATE TABLE parent (i int, v tensor(float8) NOT NULL, CONSTRAINT shape CHECK (tensor_shape(v) = '{3}') NO INHERIT);
CREATE TABLE child () INHERITS (parent);
INSERT INTO child VALUES (1, '[1,2]');
SELECT count(*) FROM parent WHERE einsum_value_has_shape(v, '{3}', 'parent');
-- of a child the parent's do hold
ALTER TABLE parent DROP CONSTRAINT shape;
DELETE FROM child;
ALTER TABLE parent ADD CHECK (tensor_shape(v) = '{3}');
SELECT * FROM filters('SELECT FROM child WHERE einsum_value_has_shape(v, ''{3}'', ''child'')');
DROP TABLE child;
SELECT * FROM filters('SELECT FROM parent WHERE einsum_value_has_shape(v, ''{3}'', ''parent'')');
-- and a partitioned table's of all partitions, or a partition's of itself
CREATE TABLE whole (i int NOT NULL, v tensor(float8) NOT NULL) PARTITION BY RANGE (i);
CREATE TABLE part_0 PARTITION OF whole (CHECK (tensor_shape(v) = '{3}')) FOR VALUES FROM (0) TO (2);
CREATE TABLE part_2 PARTITION OF whole FOR VALUES FROM (2) TO (4);
SELECT * FROM filters('SELECT FROM whole WHERE einsum_value_has_shape(v, ''{3}'', ''whole'')');
ALTER TABLE whole ADD CHECK (tensor_shape(v) = '{3}');
SELECT * FROM filters('SELECT FROM whole WHERE einsum_value_has_shape(v, ''{3}'', ''whole'')');
-- But nothing of one with a foreign partition, at any depth: constraints are not enforced
-- there. Answers, not conditions, which would be asked of each partition by its own
-- constraints; and of others than the foreign, which this wrapper cannot scan.
ALTER TABLE whole ADD CHECK (i >= 0 AND i < 10), ADD number tensor(float8,0) NOT NULL;
CREATE FUNCTION answers(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	lines text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		IF line ~ 'Output:' THEN
			lines := lines || line;
		END IF;
	END LOOP;
	RETURN lines;
END
$$;
CREATE VIEW whole_asks AS
	SELECT answers LIKE '%has_shape%' AS shape, answers LIKE '%in_range%' AS range, answers LIKE '%number IS NOT NULL%' AS number
	FROM answers('SELECT einsum_value_has_shape(v, ''{3}'', ''whole''), einsum_key_in_range(i, 10, ''whole'', ''i''), einsum_value_has_shape(number, ''{}'', ''whole'') FROM whole WHERE i < 4');
SELECT * FROM whole_asks;
CREATE FOREIGN DATA WRAPPER shape_proof_test;
CREATE SERVER shape_proof_test FOREIGN DATA WRAPPER shape_proof_test;
CREATE FOREIGN TABLE far PARTITION OF whole FOR VALUES FROM (4) TO (6) SERVER shape_proof_test;
SELECT * FROM whole_asks;
ALTER TABLE whole DETACH PARTITION far;
SELECT * FROM whole_asks;
CREATE TABLE part_6 PARTITION OF whole FOR VALUES FROM (6) TO (8) PARTITION BY RANGE (i);
CREATE TABLE part_8 PARTITION OF whole FOR VALUES FROM (8) TO (10) PARTITION BY RANGE (i);
SELECT * FROM whole_asks;
ALTER TABLE part_8 ATTACH PARTITION far FOR VALUES FROM (8) TO (10);
SELECT * FROM whole_asks;
DROP FOREIGN TABLE far;
SELECT * FROM whole_asks;
-- such a table has no unique index that is valid
CREATE FOREIGN TABLE far PARTITION OF whole FOR VALUES FROM (4) TO (6) SERVER shape_proof_test;
\set VERBOSITY terse
CREATE UNIQUE INDEX ON whole (i);
DROP FOREIGN TABLE far;
CREATE UNIQUE INDEX whole_i ON ONLY whole (i);
CREATE FOREIGN TABLE far PARTITION OF whole FOR VALUES FROM (4) TO (6) SERVER shape_proof_test;
\set VERBOSITY default

-- A view follows the constraints of its table, also in a plan that is kept
CREATE TABLE node (id int PRIMARY KEY, v tensor(float8,1) NOT NULL);
INSERT INTO node SELECT i, tensor_full('{3}', i) FROM generate_series(0, 9) i;
SELECT einsum_register('x[I,k]', 'node', keys => '{id}', value => 'v', bounds => '{10,3}');
SELECT count(*) FROM einsum_decompose('z[I] = sum[k] x[I,k]', 'sums');
CREATE VIEW asked AS SELECT coalesce(bool_or(filters LIKE '%has_shape%'), false) AS asked FROM filters('SELECT * FROM z');
SELECT * FROM asked;
SET plan_cache_mode = force_generic_plan;
PREPARE sum_of_all AS SELECT sum(value) FROM z;
CREATE VIEW kept_asks AS SELECT coalesce(bool_or(filters LIKE '%has_shape%'), false) AS kept_asks FROM filters('EXECUTE sum_of_all');
EXECUTE sum_of_all;
-- a constraint that has not been validated proves nothing
UPDATE node SET v = '[1,2]' WHERE id = 9;
ALTER TABLE node ADD CONSTRAINT shape CHECK (tensor_shape(v) = '{3}') NOT VALID;
SELECT * FROM asked, kept_asks;
EXECUTE sum_of_all;
UPDATE node SET v = '[9,9,9]' WHERE id = 9;
ALTER TABLE node VALIDATE CONSTRAINT shape;
SELECT * FROM asked, kept_asks;
EXECUTE sum_of_all;
UPDATE node SET v = '[1,2]' WHERE id = 9;
-- one that was dropped neither
ALTER TABLE node DROP CONSTRAINT shape;
SELECT * FROM asked, kept_asks;
UPDATE node SET v = '[1,2]' WHERE id = 9;
EXECUTE sum_of_all;
-- nor one of another shape
DELETE FROM node WHERE id < 9;
ALTER TABLE node ADD CONSTRAINT shape CHECK (tensor_shape(v) = '{2}');
EXECUTE sum_of_all;
SELECT * FROM asked, kept_asks;

-- Tables that we make have what proves the shapes of values, but not where the last block is shorter
SELECT einsum_store('stored[I,k]', 'SELECT i, k, 1 FROM generate_series(0, 2) i, generate_series(0, 3) k', '{3,4}'),
	einsum_store('even[i:2,k:3]', 'SELECT i, k, 1 FROM generate_series(0, 2) i, generate_series(0, 5) k', '{4,6}'),
	einsum_store('uneven[i:2,k:4]', 'SELECT i, k, 1 FROM generate_series(0, 2) i, generate_series(0, 5) k', '{4,6}'),
	einsum_store('stored_4[I,k]', 'SELECT i, k, 1::real FROM generate_series(0, 2) i, generate_series(0, 3) k', '{3,4}'),
	einsum_store('complex[I]', $$SELECT i, tensor(complex8) 'complex8:2i' FROM generate_series(0, 2) i$$, '{3}');
SELECT count(*) FROM einsum_decompose('made[I,k] = 2 * stored[i,k]; made_4[I,k] = stored_4[i,k] + stored_4[i,k]; made_i[I] = 2 * complex[i]; made_even[i,k] = 2 * even[i,k]', 'tables', materialize => 'always', result => 'auto');
CREATE VIEW made_asks AS
	SELECT t, pg_get_constraintdef(o.oid) AS value_check, coalesce(filters LIKE '%has_shape%', false) AS asked
	FROM unnest('{stored,stored_4,even,uneven,complex,made,made_4,made_i,made_even}'::text[]) WITH ORDINALITY AS u(t, number)
		LEFT JOIN pg_constraint o ON o.conrelid = t::regclass AND o.contype = 'c' AND conkey = ARRAY[(SELECT attnum FROM pg_attribute WHERE attrelid = t::regclass AND attname = 'value')],
		LATERAL (SELECT string_agg(filters, '') AS filters FROM filters(einsum_sql(format('z[] = %s[%s]', t, CASE WHEN t IN ('complex', 'made_i') THEN 'i' ELSE 'i,k' END), result => 'auto'))) f
	ORDER BY number;
SELECT * FROM made_asks;
-- a table that has lost it is made anew
ALTER TABLE made DROP CONSTRAINT made_value_check;
SELECT * FROM made_asks WHERE t = 'made';
SELECT count(*) FROM einsum_decompose('made[I,k] = 2 * stored[i,k]; made_4[I,k] = stored_4[i,k] + stored_4[i,k]; made_i[I] = 2 * complex[i]; made_even[i,k] = 2 * even[i,k]', 'tables', materialize => 'always', replace => true, result => 'auto');
SELECT * FROM made_asks WHERE t = 'made';

-- What is not asked is known all the same: rows of a function that returns the
-- elements of one value, of tables whose values were of other shapes when they were analysed
CREATE FUNCTION planned_rows(query text) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END
$$;
CREATE TABLE one (v tensor(float8) NOT NULL, w tensor(float4) NOT NULL);
INSERT INTO one VALUES (tensor_full('{30}', 1), tensor_full('{30}', 1));
ANALYZE one;
TRUNCATE one;
CREATE VIEW rows_of AS
	SELECT planned_rows('SELECT tensor_entries(v) FROM (SELECT v FROM one LIMIT 1) s') AS v,
		planned_rows('SELECT tensor_entries(v) FROM (SELECT v FROM one WHERE einsum_value_has_shape(v, ''{40,5}'', ''one'') LIMIT 1) s') AS v_asked,
		planned_rows('SELECT tensor_entries(w) FROM (SELECT w FROM one WHERE einsum_value_has_shape(w, ''{70}'', ''one'', ''float4'') LIMIT 1) s') AS w_asked;
SELECT v < 40 AS v, v_asked, w_asked FROM rows_of;
ALTER TABLE one ADD CHECK (tensor_shape(v) = '{40,5}'), ADD CHECK (tensor_shape(w) = '{70}');
SELECT * FROM rows_of;

DROP SCHEMA shape_proof CASCADE;
DROP FOREIGN DATA WRAPPER shape_proof_test CASCADE;
