-- Dimensions: the index set of labels is the keys of a table, now, in every query.
\pset null NULL
SET client_min_messages = warning;
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA dimensions;
SET search_path = dimensions, public;

CREATE TABLE node (id text PRIMARY KEY, name text);
INSERT INTO node VALUES ('a'), ('b'), ('c');
CREATE TABLE edge (src text REFERENCES node, dst text REFERENCES node, w float8 NOT NULL, PRIMARY KEY (src, dst));
INSERT INTO edge VALUES ('a', 'b', 1), ('b', 'c', 2), ('c', 'a', -3), ('c', 'b', -1), ('c', 'c', -2);
CREATE TABLE feature (id text PRIMARY KEY, v float8 NOT NULL);
INSERT INTO feature VALUES ('a', 5), ('c', 7);
SELECT einsum_dimension('node', 'node', 'id');
SELECT einsum_register('a[I,J]', 'edge', keys => '{src,dst}', value => 'w', bounds => '{node,node}');
SET client_min_messages = notice;
SELECT einsum_register('x[I]', 'feature', keys => '{id}', value => 'v', bounds => '{node}');
SET client_min_messages = warning;
SELECT * FROM einsum_dimensions;
SELECT tensor, notation, bounds, status FROM einsum_tensors WHERE schema = 'dimensions' ORDER BY tensor;

-- views that are made now follow the table: sums, missing entries, unions, fills that
-- depend on the number of keys, eye, the dimension itself, linear algebra
SELECT view, columns FROM einsum_decompose($$
	d_product[i] = a[i,j]*x[j];
	d_greatest[i] = max[j] a[i,j];
	d_union[i,j] = x[i] + x[j];
	d_filled[i] = sum[j] 2^a[i,j];
	d_raised[i] = prod[j] (2 + a[i,j]);
	d_all[i] = all[j] (a[i,j] == 0);
	d_powers[i,j] = 2^a[i,j];
	d_total[] = sum[i,j] (1 + a[i,j]*x[i]);
	d_keys[] = sum[i] node[i];
	d_one[i,j] = node[i]*eye[i,j]*2;
	d_repeated[] = sum[i,j] (x[i] - a[i,j])$$, 'all of them', result => 'auto');
SELECT view, columns FROM einsum_decompose('d_mean = rowMeans(a) + nrow(a)', 'means', result => 'auto');
-- a statement is planned once, with few keys
SELECT einsum_sql('r[i] = sum[j] 2^a[i,j]', result => 'auto') AS query \gset
PREPARE filled AS SELECT * FROM (:query) q ORDER BY i;
SELECT einsum_sql('r[i] = sum[j] 2^a[i,j]', at => '{i}', result => 'auto') AS query \gset
PREPARE filled_at AS :query;
SELECT view FROM einsum_decompose('d_table[i] = sum[j] 2^a[i,j]', 'kept', materialize => 'always', rewrite => 'none', result => 'auto');

CREATE FUNCTION show() RETURNS TABLE (what text, result text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH what IN ARRAY '{product,greatest,union,filled,raised,all,powers,total,keys,one,repeated,mean,table}'::text[] LOOP
		EXECUTE format('SELECT string_agg(replace(t::text, ''-0)'', ''0)''), '' '' ORDER BY t::text COLLATE "C") FROM dimensions.%I t', 'd_' || what) INTO result;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT * FROM show();
EXECUTE filled;
EXECUTE filled_at('c');

-- a new key, then entries of it: nothing has to be declared
INSERT INTO node VALUES ('d');
SELECT * FROM show() WHERE what <> 'table';
EXECUTE filled;
EXECUTE filled_at('d');
SELECT * FROM einsum_rows('r[i] = sum[j] 2^a[i,j]', at => '{"i": "d"}', result => 'auto') AS r(i text, value float8);
SELECT count(*) > 0 AS refreshed FROM einsum_refresh('kept');
TABLE d_table ORDER BY i;
INSERT INTO edge VALUES ('d', 'a', 3);
INSERT INTO feature VALUES ('d', 1);
SELECT * FROM show() WHERE what <> 'table';
EXECUTE filled_at('d');
SELECT count(*) > 0 AS refreshed FROM einsum_refresh('kept');
TABLE d_table ORDER BY i;
-- with all rules of algebra, and none
SELECT einsum_value('s[] = sum[i] (sum[j] (2^a[i,j] - x[j]))^2', rewrite => r) FROM unnest('{none,reassociate,distribute}'::text[]) r;
DEALLOCATE ALL;

-- a foreign key proves what is asked of a row else; one that is not valid, deferrable,
-- disabled, or of a table that row-level security hides, does not
CREATE FUNCTION checks(tensor text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found text := 'proved';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF, VERBOSE) ' || einsum_sql(format('s[] = sum[i] %s', tensor), result => 'auto') LOOP
		IF line LIKE '%einsum_key_in_dimension%' THEN
			found := 'asked';
		END IF;
	END LOOP;
	RETURN found;
END $$;
SELECT checks('x[i]') AS x, checks('a[i,i]') AS a, checks('node[i]') AS node;
ALTER TABLE feature ADD CONSTRAINT feature_key FOREIGN KEY (id) REFERENCES node NOT VALID;
SELECT checks('x[i]');
ALTER TABLE feature VALIDATE CONSTRAINT feature_key;
SELECT checks('x[i]');
ALTER TABLE feature DISABLE TRIGGER ALL;
SELECT checks('x[i]');
ALTER TABLE feature ENABLE TRIGGER ALL;
ALTER TABLE node DISABLE TRIGGER ALL;
SELECT checks('x[i]');
ALTER TABLE node ENABLE TRIGGER ALL;
ALTER TABLE feature ALTER CONSTRAINT feature_key DEFERRABLE;
SELECT checks('x[i]');
ALTER TABLE feature ALTER CONSTRAINT feature_key NOT DEFERRABLE;
SELECT checks('x[i]');
ALTER TABLE node ENABLE ROW LEVEL SECURITY;
SELECT checks('x[i]');
ALTER TABLE node DISABLE ROW LEVEL SECURITY;
-- a plan does not survive the constraint
SELECT einsum_sql('s[] = sum[i] x[i]') AS query \gset
PREPARE total AS :query;
EXECUTE total;
ALTER TABLE feature DROP CONSTRAINT feature_key;
INSERT INTO feature VALUES ('stray', 1);
EXECUTE total;
-- d_product reads the row under some plans only: it joins nothing
SELECT count(*) > 0 AS refreshed FROM einsum_refresh('kept');
DELETE FROM feature WHERE id = 'stray';
EXECUTE total;
DEALLOCATE ALL;
-- a NULL is no key
ALTER TABLE feature DROP CONSTRAINT feature_pkey;
ALTER TABLE feature ALTER id DROP NOT NULL, ADD UNIQUE (id);
INSERT INTO feature VALUES (NULL, 100);
SELECT einsum_register('x[I]', 'feature', keys => '{id}', value => 'v', bounds => '{node}', duplicates => 'trust', replace => true);
SELECT einsum_value('s[] = sum[i] x[i]');
-- a key that leaves, with nothing that keeps it
DELETE FROM node WHERE id = 'd';
DELETE FROM edge WHERE src = 'd';
DELETE FROM node WHERE id = 'd';
SELECT einsum_value('s[] = sum[i] x[i]');
DELETE FROM feature WHERE id = 'd';

-- integer keys of several types, with gaps; uuid; two dimensions
CREATE TABLE item (number int UNIQUE NOT NULL, code uuid PRIMARY KEY);
INSERT INTO item SELECT i * 1000 - 2, ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid FROM generate_series(0, 3) i;
SELECT einsum_dimension('item', 'item', 'number');
SELECT einsum_dimension('code', 'item', 'code');
CREATE TABLE has (node text, number bigint, stars smallint NOT NULL, PRIMARY KEY (node, number));
INSERT INTO has VALUES ('a', -2, 3), ('a', 998, 4), ('b', 2998, 5);
CREATE TABLE price (code uuid PRIMARY KEY REFERENCES item, price real NOT NULL);
INSERT INTO price SELECT code, number FROM item WHERE number > 0;
SELECT einsum_register('h[U,P]', 'has', keys => '{node,number}', value => 'stars', bounds => '{node,item}', fill => 1);
SELECT einsum_register('c[C]', 'price', keys => '{code}', value => 'price', bounds => '{code}');
SELECT * FROM einsum_rows('r[u] = sum[p] h[u,p]', at => NULL, result => 'auto') AS r(u text, value float8) ORDER BY u;
SELECT * FROM einsum_rows('r[u] = prod[p] h[u,p]', at => NULL, result => 'auto') AS r(u text, value float8) ORDER BY u;
SELECT * FROM einsum_rows('r[c,u] = c[c] + (sum[p] h[u,p])', at => '{"u": "b"}', result => 'auto') AS r(c uuid, u text, value float8) ORDER BY c;
SELECT einsum_value('r[] = sum[u,p,c] (h[u,p] + 1)*(c[c] + 1)'), einsum_value('r[] = min[c] c[c]'), einsum_value('r[] = sum[c] (1 + 0*c[c])');
INSERT INTO item VALUES (7, '00000000-0000-0000-0000-000000000007');
SELECT * FROM einsum_rows('r[u] = sum[p] h[u,p]', at => NULL, result => 'auto') AS r(u text, value float8) ORDER BY u;
SELECT einsum_value('r[] = sum[u,p,c] (h[u,p] + 1)*(c[c] + 1)');
-- float4 stays float4
SELECT einsum_value('r[] = sum[c] (c[c] + 1)');

-- a dimension of several parts
CREATE TABLE part (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (10);
INSERT INTO part VALUES (1), (2);
SELECT einsum_dimension('part', 'part', 'id');
CREATE TABLE of_part (id int PRIMARY KEY REFERENCES part, v float8 NOT NULL);
INSERT INTO of_part VALUES (2, 20);
SELECT einsum_register('p[I]', 'of_part', keys => '{id}', value => 'v', bounds => '{part}');
SELECT einsum_value('s[] = sum[i] (p[i] + 1)');
SELECT checks('p[i]');
ALTER TABLE part_low DISABLE TRIGGER ALL;
SELECT checks('p[i]');
ALTER TABLE part_low ENABLE TRIGGER ALL;
CREATE TABLE part_high PARTITION OF part FOR VALUES FROM (10) TO (20);
INSERT INTO part VALUES (11);
-- that the keys are in some partition does not say in which
SELECT einsum_dimension('low', 'part_low', 'id'), einsum_register('pl[I]', 'of_part', keys => '{id}', value => 'v', bounds => '{low}');
SELECT checks('pl[i]');
SELECT einsum_unregister('pl'), einsum_unregister('low');
SELECT einsum_value('s[] = sum[i] (p[i] + 1)');

-- without any key: sums are of nothing, all else is as at a key where nothing is stored
CREATE TABLE nothing (id int PRIMARY KEY);
SELECT einsum_dimension('nothing', 'nothing', 'id');
CREATE TABLE of_nothing (id int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('n[I]', 'of_nothing', keys => '{id}', value => 'v', bounds => '{nothing}', fill => 3);
SELECT einsum_value('s[] = sum[i] n[i]'), einsum_value('s[] = max[i] n[i]'), einsum_value('s[] = all[i] n[i]'), einsum_value('s[] = min[i] (n[i] - 3)');

-- stores and loops
SELECT einsum_store('stored[I,k]', $$SELECT id, k, k + 1 FROM node, generate_series(0, 1) k WHERE id <> 'b'$$, '{node,2}');
SELECT * FROM einsum_rows('r[i] = sum[k] (stored[i,k] + 1)', at => NULL, result => 'auto') AS r(i text, value float8) ORDER BY i;
SELECT max(round) FROM einsum_iterate('loop', init => 'rank[i] = 1 + 0*node[i]', step => 'new[j] = 1 + (sum[i] a[i,j]*rank[i]); rank[j] = new[j]', max_rounds => 3);
SELECT * FROM einsum_rows('r[i] = rank[i]*node[i]', at => NULL, result => 'auto') AS r(i text, value float8) ORDER BY i;
INSERT INTO node VALUES ('e');
SELECT max(round) FROM einsum_iterate('loop', init => 'rank[i] = 1 + 0*node[i]', step => 'new[j] = 1 + (sum[i] a[i,j]*rank[i]); rank[j] = new[j]', max_rounds => 3, restart => true);
SELECT * FROM einsum_rows('r[i] = rank[i]*node[i]', at => NULL, result => 'auto') AS r(i text, value float8) ORDER BY i;
SELECT einsum_gradient('l[] = sum[i] exp(sum[j] a[i,j]*x[j]) + (sum[i,j] (a[i,j] + x[i])^2)', 'l', '{x}');

-- mistakes
SELECT einsum_value('r[i] = x[i]');
SELECT einsum_value('r[] = sum[i] x[i:*]');
SELECT einsum_value('r[] = sum[i,j] inverse[i,j](a[i,j])');
SELECT einsum_value('r[] = sum[i] x[i]*p[i]');
CREATE TABLE plain (id int PRIMARY KEY);
SELECT einsum_register('plain[I]', 'plain', keys => '{id}', bounds => '{3}'), einsum_register('loose[I]', 'plain', keys => '{id}', bounds => '{*}');
SELECT einsum_value('r[] = sum[i] plain[i]*p[i]');
SELECT einsum_value('r[] = sum[i] p[i]*loose[i]');
SELECT einsum_register('y[I,k]', 'stored', keys => '{i}', value => 'value', bounds => '{node,node}');
SELECT einsum_register('y[I:2]', 'plain', keys => '{id}', bounds => '{part}');
SELECT einsum_register('y[I]', 'plain', keys => '{id}', bounds => '{node}');
SELECT einsum_register('y[I]', 'plain', keys => '{id}', bounds => '{nowhere}');
SELECT einsum_register('y[I]', 'plain', keys => '{id}', bounds => '{plain}');
SELECT einsum_register('part[I]', 'plain', keys => '{id}', bounds => '{part}', storage => 'further');
INSERT INTO plain VALUES (1), (5);
SELECT einsum_register('y[I]', 'plain', keys => '{id}', bounds => '{part}');
SELECT einsum_dimension('y', 'node', 'name');
SELECT einsum_dimension('y', 'node', 'identity');
SELECT einsum_dimension('x', 'node', 'id');
SELECT einsum_dimension('node', 'node', 'id');
CREATE VIEW nodes AS TABLE node;
SELECT einsum_dimension('y', 'nodes', 'id');
SELECT einsum_dimension('elsewhere.y', 'node', 'id');

-- a foreign key to texts that are equal by another collation; without such collations nothing is tested
DO $$
BEGIN
	CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	CREATE TABLE word (word text COLLATE folded PRIMARY KEY);
	CREATE TABLE of_word (word text PRIMARY KEY REFERENCES word, v float8);
	CREATE TABLE like_word (word text COLLATE folded PRIMARY KEY REFERENCES word, v float8);
	INSERT INTO word VALUES ('a'), ('b');
	INSERT INTO of_word VALUES ('a', 1), ('A', 2);
	INSERT INTO like_word VALUES ('A', 2);
	PERFORM einsum_dimension('word', 'word', 'word'), einsum_register('like_word[I]', 'like_word', '{word}', 'v', '{word}');
	IF einsum_value('s[] = sum[i] (like_word[i] + 1)*word[i]') <> '4' THEN
		RAISE WARNING 'keys of another case';
	END IF;
	PERFORM einsum_register('of_word[I]', 'of_word', '{word}', 'v', '{word}');
	RAISE WARNING 'two keys are one';
EXCEPTION
	WHEN collation_mismatch OR feature_not_supported THEN
END $$;

-- formulas are over all keys, those that come later too
SELECT count(*) > 0 AS made FROM einsum_decompose('d_average[] = avg[i] x[i] + (count[i,j] a[i,j]); d_shares[I] = softmax[i] x[i]; d_formulas[I] = d_average[]*d_shares[i] + (logsumexp[j] a[i,j])', 'formulas');
PREPARE formulas AS SELECT i, round(value::numeric, 6) FROM d_formulas ORDER BY i;
EXECUTE formulas;
BEGIN;
INSERT INTO node VALUES ('late');
EXECUTE formulas;
ROLLBACK;
-- what they are by hand
SELECT n.id AS i, round(((12.0/count(*) + 5)*exp(coalesce(max(v), 0))/(exp(5) + exp(7) + count(*) - 2) + ln(sum(exp(coalesce(w, 0)))))::numeric, 6)
  FROM node n CROSS JOIN node m LEFT JOIN feature ON feature.id = n.id LEFT JOIN edge ON src = n.id AND dst = m.id GROUP BY n.id ORDER BY 1;

-- whose label somebody has written by hand
SECURITY LABEL FOR sparseeinsum ON TABLE plain IS '{"version":1,"tensors":[{"tensor":"y","notation":"y[I]","keys":["id"],"value":null,"bounds":["no, name"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';

-- in another schema, with a name that has to be quoted; labels follow renames
CREATE SCHEMA "dimensions 2";
CREATE TABLE "dimensions 2".t (i text PRIMARY KEY);
SELECT einsum_register('there[I]', '"dimensions 2".t', keys => '{i}', bounds => '{node}');
ALTER TABLE node RENAME TO vertex;
ALTER TABLE vertex RENAME id TO key;
SELECT tensor, bounds, status FROM einsum_tensors WHERE schema LIKE 'dimensions%' AND 'node' = ANY (bounds) OR tensor = 'there' ORDER BY tensor;
SELECT * FROM d_greatest ORDER BY i;
-- the registration names a column
SELECT einsum_unregister('node'), einsum_dimension('node', 'vertex', 'key');
SELECT tensor, status FROM einsum_tensors WHERE schema LIKE 'dimensions%' AND status <> 'ok';
SELECT einsum_value('s[] = sum[i] x[i]*node[i]');
SELECT einsum_unregister('node');
SELECT tensor, status FROM einsum_tensors WHERE tensor IN ('x', 'there') ORDER BY tensor;
SELECT einsum_value('s[] = sum[i] x[i]');
SELECT * FROM d_greatest ORDER BY i;

SET client_min_messages = warning;
DROP SCHEMA "dimensions 2" CASCADE;
DROP SCHEMA dimensions CASCADE;
