-- Several columns as one dimension of a tensor, and the categories of one: value => '{age,income,1}', one_hot
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA columns_test;
SET search_path = columns_test, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE customer (id int PRIMARY KEY, age int, income numeric, member boolean, region text, "Its %s" real, mood mood, since date, score real);
INSERT INTO customer VALUES (0, 20, 1.5, true, 'east', 1, 'happy', '2020-01-01', 0.5), (1, 30, NULL, false, 'west', 2, 'sad', '2020-01-01', 1),
	(2, 40, 3, true, 'it''s \ %s', 4, 'sad', '2020-01-01', 2), (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

-- what is registered
SELECT einsum_register('x[C,k]', 'customer', '{id}', '{age, income, member, 1, "Its %s"}', nulls => 'entry');
SELECT einsum_register('r[C,k]', 'customer', '{id}', 'region', '{4,NULL}', one_hot => true);
SELECT einsum_register('s[C,k]', 'customer', '{id}', '{score,"Its %s",0.1}', nulls => 'entry');
SELECT tensor, value, bounds, type, fill, analyzed, status FROM einsum_tensors ORDER BY tensor;
SELECT * FROM einsum_names('x');
SELECT * FROM einsum_names('r');
SELECT * FROM einsum_analyze('x');
SELECT * FROM einsum_analyze('r');

-- entries: NULL is one that is not there with nulls => 'entry', in r a row that is not there
SELECT einsum_value('t[k,i] = x[i,k]');
SELECT einsum_value('t[i,k] = r[i,k]');
SELECT einsum_value('t[k] = sum[i] s[i,k]');
SELECT einsum_value('g[k,l] = x[i,k]*x[i,l]') =
	(SELECT einsum_sum('k,l->kl', v, v) FROM (SELECT ARRAY[coalesce(age, 0), coalesce(income, 0), coalesce(member::int, 0), 1, coalesce("Its %s", 0)]::float8[]::tensor AS v FROM customer) q);
SELECT einsum_value('m[k,l] = r[i,k]*x[i,l]');
SELECT einsum_value('n[k] = sum[i] (r[i,k] + 1)');
SELECT einsum_register('f[C,k]', 'customer', '{id}', '{age,income,1}', fill => 7, nulls => 'entry');
SELECT einsum_value('t[i,k] = f[i,k]');
SELECT einsum_register('e[C,k]', 'customer', '{id}', 'mood', '{4,2}', one_hot => true);
SELECT einsum_register('b[C,k]', 'customer', '{id}', 'member', '{4,2}', one_hot => true);
SELECT name FROM einsum_names('e') UNION ALL SELECT name FROM einsum_names('b');
SELECT * FROM einsum_rows('t[i,k] = e[i,k] + b[i,k]', result => 'auto') AS t(v tensor);
-- a row without a category has no entries, also in a result that has only its keys
SELECT * FROM einsum_rows('t[i] = count[k] r[i,k]', result => 'auto') AS t(i int, number float8) ORDER BY i;
-- fills that have to be quoted, and numbers that float4 does not have
SELECT einsum_register('low[C,k]', 'customer', '{id}', '{score,"Its %s",-2.5}', '{4,3}', fill => '-Infinity', nulls => 'entry'), einsum_register('nan[C,k]', 'customer', '{id}', '{age,1e20}', '{4,2}', fill => 'NaN', nulls => 'entry');
SELECT einsum_value('t[i,k] = low[i,k]'), einsum_value('t[i,k] = nan[i,k]');
SELECT einsum_register('far[C,k]', 'customer', '{id}', '{score,1e300,1e-300}', nulls => 'entry'), einsum_register('near[C,k]', 'customer', '{id}', '{score,1}', '{4,2}', fill => 1e-300, nulls => 'entry');
SELECT einsum_value('t[i,k] = far[i,k]'), einsum_value('t[i,k] = near[i,k]');
SELECT einsum_unregister(t) FROM unnest('{low,nan,far,near}'::text[]) t;
-- beside a left join, a row that there is not has no constants
CREATE TABLE wide (id int PRIMARY KEY, w float8);
INSERT INTO wide VALUES (0, 1), (7, 5);
SELECT einsum_register('w[C]', 'wide', '{id}', 'w', '{8}'), einsum_register('x8[C,k]', 'customer', '{id}', '{age,1}', '{8,2}', nulls => 'entry');
SELECT einsum_value('t[i,k:1] = x8[i,k] + w[i]');
SELECT * FROM einsum_rows('t[i,k] = x8[i,k] + w[i]', at => '{"i": 7}', result => 'auto') AS t(i int, v tensor);
SELECT * FROM einsum_rows('t[i,k] = x8[i,k]', at => '{"i": 7}', result => 'auto') AS t(i int, v tensor);

-- without keys, and added up
CREATE TABLE one (a float8, b float8);
SELECT einsum_register('o[k]', 'one', '{}', '{a,b,3}', nulls => 'entry');
SELECT einsum_value('t[k] = o[k] + 1');
INSERT INTO one VALUES (1, NULL);
SELECT einsum_value('t[k] = o[k] + 1');
CREATE TABLE many (id int, a float8, b float8);
INSERT INTO many VALUES (0, 1, 2), (0, NULL, 3), (1, 5, 5);
SELECT einsum_register('many[I,k]', 'many', '{id}', '{a,b,1}', duplicates => 'sum', nulls => 'entry');
SELECT einsum_value('t[i,k] = many[i,k]'), einsum_value('t[k] = sum[i] many[i,k]');

-- a star schema is one view of joined columns, and one registration
CREATE TABLE product (id int PRIMARY KEY, price float8 NOT NULL);
CREATE TABLE sale (id uuid PRIMARY KEY, customer int NOT NULL, product int NOT NULL, amount float8 NOT NULL);
INSERT INTO product SELECT i, i * i FROM generate_series(0, 9) i;
INSERT INTO sale SELECT md5(i::text)::uuid, i % 3, i % 10, 2 * c.age + 3 * p.price - 4 FROM generate_series(0, 99) i, customer c, product p WHERE c.id = i % 3 AND p.id = i % 10;
CREATE VIEW feature AS SELECT s.id, c.age, p.price, s.amount FROM sale s JOIN customer c ON c.id = s.customer JOIN product p ON p.id = s.product;
SELECT einsum_register('v[S,k]', 'feature', '{id}', '{age,price,1,amount}', '{*,4}', duplicates => 'trust');
CREATE TABLE part (features tensor, target tensor);
INSERT INTO part VALUES ('[[1,0,0],[0,1,0],[0,0,1],[0,0,0]]', '[0,0,0,1]');
SELECT einsum_register('p[k,i]', 'part', '{}', 'features'), einsum_register('y[k]', 'part', '{}', 'target');
SELECT count(*) FROM einsum_decompose('m[k,l] = v[s,k]*v[s,l]; g[i,j] = p[k,i]*m[k,l]*p[l,j]; c[j] = p[k,j]*m[k,l]*y[l]; beta[i] = solve(g[i,j], c[j])', 'regression', result => 'auto');
SELECT tensor_round(value * 1e6) / 1e6 FROM beta;
EXPLAIN (COSTS off) SELECT value FROM m;

-- conditions of a view keep out what cannot be converted, and what is no category
CREATE VIEW east AS SELECT * FROM customer WHERE region = 'east';
SELECT einsum_register('er[C,k]', 'east', '{id}', 'region', '{4,NULL}', duplicates => 'trust', one_hot => true);
SELECT einsum_value('n[k] = sum[i] er[i,k]');
SELECT einsum_value('n[] = sum[i,k] er[i,k]');

-- also where keys are open, so that nothing else that is asked of a row can fail: 1/0 is not computed of what the view leaves out
CREATE TABLE ratio (id int PRIMARY KEY, a int, b int);
INSERT INTO ratio SELECT i, i, i % 3 FROM generate_series(0, 99) i;
CREATE VIEW quotient AS SELECT id, a / b AS v, id / b AS place FROM ratio WHERE b <> 0;
SELECT einsum_register('quotient[I]', 'quotient', '{id}', 'v', '{*}', duplicates => 'trust'), einsum_register('qc[I,k]', 'quotient', '{id}', '{v,1}', '{*,2}', duplicates => 'trust'),
	einsum_register('qp[I,P]', 'quotient', '{id,place}', 'v', '{*,*}', duplicates => 'trust');
SELECT einsum_value('s[] = sum[i] quotient[i]'), einsum_value('s[k] = sum[i] qc[i,k]'), einsum_value('s[] = sum[i,p] qp[i,p]');
SELECT sum(v), count(*) FROM quotient;
-- nor is a category, whose computation is cheaper than the view's condition
CREATE VIEW class AS SELECT id, a / b AS class FROM ratio WHERE b + 0 + 0 + 0 <> 0 AND a < 6;
SELECT einsum_register('class[I,k]', 'class', '{id}', 'class', '{*,NULL}', duplicates => 'trust', one_hot => true);
SELECT einsum_value('s[k] = sum[i] class[i,k]'), einsum_value('s[] = sum[i,k] class[i,k]');
SELECT class, count(*) FROM class GROUP BY 1 ORDER BY 1;
-- and a range is not asked of it
CREATE VIEW few AS SELECT r.id, r.a, r.b FROM ratio r JOIN ratio s ON s.id = r.id + 90;
SELECT einsum_register('few[I,k]', 'few', '{id}', '{a,b}', '{10,2}', duplicates => 'trust');
SELECT einsum_value('s[k] = sum[i] few[i,k]');

-- keys of a dimension; categories are not those of one
CREATE TABLE client (name text PRIMARY KEY);
CREATE TABLE visit (name text PRIMARY KEY REFERENCES client, hours float8, place text);
INSERT INTO client VALUES ('ann'), ('bob'), ('cid');
INSERT INTO visit VALUES ('ann', NULL, 'here'), ('cid', 2, 'there');
SELECT einsum_dimension('client', 'client', 'name');
SELECT einsum_register('visit[C,k]', 'visit', '{name}', '{hours,1}', '{client,NULL}', nulls => 'entry');
SELECT einsum_register('place[C,k]', 'visit', '{name}', 'place', '{client,NULL}', one_hot => true);
SELECT * FROM einsum_rows('t[i,k] = visit[i,k] + 1', result => 'auto') AS t(i text, v tensor) ORDER BY i;
SELECT einsum_value('t[k,l] = sum[i] visit[i,k]*(place[i,l] + 1)');
SELECT einsum_register('place[C,k]', 'visit', '{name}', 'place', '{client,client}', one_hot => true, replace => true);

-- new categories are errors until it is registered anew
INSERT INTO customer VALUES (4, 50, 2, true, 'north', 1, 'ok', '2020-01-01', 3);
SELECT einsum_value('n[k] = sum[i] r[i,k]');
UPDATE customer SET id = 3 WHERE id = 3;
DELETE FROM customer WHERE id = 3;
UPDATE customer SET id = 3 WHERE id = 4;
SELECT einsum_value('n[k] = sum[i] r[i,k]');
SELECT einsum_register('r[C,k]', 'customer', '{id}', 'region', '{4,NULL}', one_hot => true, replace => true);
SELECT einsum_value('n[k] = sum[i] r[i,k]');

-- columns that change
ALTER TABLE customer RENAME age TO years;
SELECT einsum_value('t[k] = sum[i] x[i,k]');
SELECT status FROM einsum_tensors WHERE tensor = 'x';
SELECT einsum_register('x[C,k]', 'customer', '{id}', '{years,income,1}', '{4,3}', replace => true, nulls => 'entry');
SELECT count(*) FROM einsum_decompose('total[k] = sum[i] x[i,k]', 'totals', result => 'auto');
ALTER TABLE customer DROP COLUMN years;
-- which of its views is named is up to the order of what pg_depend has
\set VERBOSITY terse
ALTER TABLE customer ALTER COLUMN years TYPE date USING '2020-01-01';
\set VERBOSITY default
SELECT einsum_drop('totals');
ALTER TABLE customer DROP COLUMN years CASCADE;
SELECT status FROM einsum_tensors WHERE tensor = 'x';
SELECT einsum_unregister('x');
SELECT einsum_unregister('f');
SELECT count(*) FROM einsum_tensors WHERE tensor IN ('x', 'f');

-- the label is what pg_dump keeps
SELECT label FROM pg_seclabel WHERE objoid = 'one'::regclass;
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":1,"tensors":[{"tensor":"o","notation":"o[k]","keys":[],"value":["b","a",2.5],"bounds":[3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SELECT einsum_value('t[k] = o[k] + 1');
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":1,"tensors":[{"tensor":"o","notation":"o[k]","keys":[],"value":["b","a"],"bounds":[3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":1,"tensors":[{"tensor":"o","notation":"o[k]","keys":[],"value":[],"bounds":[0],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
SECURITY LABEL FOR sparseeinsum ON TABLE one IS '{"version":1,"tensors":[{"tensor":"o","notation":"o[k]","keys":[],"value":{"column":"a"},"bounds":[1],"type":"float8","fill":0,"duplicates":"error","program":null}]}';

-- what is no such value
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{income,nothing}');
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{income,region}');
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{income,income}');
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{income,NULL}');
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{{income},{score}}');
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{}');
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{income');
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{income,1}', '{4,3}');
SELECT einsum_register('q[C]', 'customer', '{id}', '{income,1}');
SELECT einsum_register('q[C,k,l]', 'customer', '{id}', '{income,1}');
SELECT einsum_register('q[C,K:2]', 'customer', '{id,id}', '{income,1}');
SELECT einsum_register('q[C,k]', 'customer', '{id}', '{region,mood}', one_hot => true);
SELECT einsum_register('q[C,k]', 'customer', '{id}', one_hot => true);
SELECT einsum_register('q[C,k]', 'customer', '{id}', 'since', one_hot => true);
SELECT einsum_register('q[C,k]', 'customer', '{id}', 'region', '{4,2}', one_hot => true);
SELECT einsum_register('q[C]', 'customer', '{id}', 'region', one_hot => true);
SELECT einsum_register('q[C,k]', 'customer', '{id}', 'region', one_hot => NULL);
CREATE TABLE empty (id int PRIMARY KEY, region text);
SELECT einsum_register('q[C,k]', 'empty', '{id}', 'region', '{4,NULL}', one_hot => true);
CREATE TABLE much (id int PRIMARY KEY, region int);
INSERT INTO much SELECT i, i FROM generate_series(1, 1001) i;
SELECT einsum_register('q[C,k]', 'much', '{id}', 'region', '{2000,NULL}', one_hot => true);
SELECT count(*) FROM einsum_iterate('loop', NULL, 'o[k] = o[k] + 1', until => 'o[] > 3', assign => '{o}');
SELECT * FROM einsum_names('nothing');

-- more columns than a name can show
DO $$ BEGIN EXECUTE 'CREATE TABLE broad (id int PRIMARY KEY, ' || (SELECT string_agg('column_' || i || ' float8', ', ') FROM generate_series(1, 200) i) || ')'; END $$;
SELECT einsum_register('broad[C,k]', 'broad', '{id}', (SELECT array_agg('column_' || i)::text FROM generate_series(1, 200) i), '{3,NULL}', nulls => 'entry');
INSERT INTO broad (id, column_200) VALUES (1, 8);
SELECT value, bounds FROM einsum_tensors WHERE tensor = 'broad';
SELECT count(*), max(name) FROM einsum_names('broad');
SELECT einsum_value('n[] = sum[i,k] broad[i,k]');

-- who may read the columns
CREATE ROLE columns_reader;
GRANT USAGE ON SCHEMA columns_test TO columns_reader;
GRANT SELECT (id, income) ON customer TO columns_reader;
SET ROLE columns_reader;
SELECT einsum_value('t[k] = sum[i] r[i,k]');
RESET ROLE;
DROP OWNED BY columns_reader;
DROP ROLE columns_reader;
SET client_min_messages = warning;
DROP SCHEMA columns_test CASCADE;
