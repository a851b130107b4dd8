-- Relations of several owners that claim one name: whoever can create tables beside
-- another role's cannot stop that role's programs, nor get its rows into them
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA owners_test;
CREATE ROLE owners_first;
CREATE ROLE owners_planter;
CREATE ROLE owners_reader;
CREATE ROLE owners_team;
CREATE ROLE owners_schema;
GRANT ALL ON SCHEMA owners_test TO PUBLIC;
SET search_path = owners_test, public;

-- the planter's table is the older one
SET ROLE owners_planter;
CREATE TABLE planted (i int PRIMARY KEY, v float8);
INSERT INTO planted VALUES (0, 666);
GRANT ALL ON planted TO PUBLIC;
SET ROLE owners_first;
CREATE TABLE honest (i int PRIMARY KEY, v float8);
INSERT INTO honest VALUES (0, 1), (1, 2);
GRANT SELECT ON honest TO PUBLIC;
SELECT einsum_register('a[I]', 'honest', '{i}', 'v', '{3}');
SELECT count(*) FROM einsum_decompose('s[I] = 2*a[i]', 'doubled');
SELECT label AS label FROM pg_seclabels WHERE objoid = 'honest'::regclass \gset

-- the planter cannot register it, and can label it
SET ROLE owners_planter;
SELECT einsum_register('a[I]', 'planted', '{i}', 'v', '{3}');
SELECT einsum_register('a[I]', 'planted', '{i}', 'v', '{3}', storage => 'further');
SELECT einsum_register('a[I]', 'planted', '{i}', 'v', '{3}', replace => true);
SECURITY LABEL FOR sparseeinsum ON TABLE planted IS :'label';
-- the first owner's programs go on
SET ROLE owners_first;
SELECT einsum_value('y[i] = a[i]');
SELECT count(*) FROM einsum_analyze('a');
SELECT relation, status FROM einsum_tensors WHERE tensor = 'a' ORDER BY relation::text;
CREATE TABLE honest_row (v tensor);
INSERT INTO honest_row VALUES ('[1,2,0]');
SELECT einsum_register('a[i]', 'honest_row', '{}', 'v', storage => 'further');
SELECT einsum_register('a[I]', 'honest', '{i}', 'v', replace => true);
SELECT einsum_unregister('a');
SELECT relation FROM einsum_tensors WHERE tensor = 'a';
-- the name is not free, though
SELECT einsum_register('a[I]', 'honest', '{i}', 'v', '{3}');
RESET ROLE;
SECURITY LABEL FOR sparseeinsum ON TABLE honest IS :'label';
-- whatever the label says: other bounds, columns that are not there, a program
SET ROLE owners_planter;
SELECT replace(replace(:'label', '[3]', '[9]'), '"i"', '"nothing"') AS odd, replace(:'label', 'null', '"doubled"') AS program \gset
SECURITY LABEL FOR sparseeinsum ON TABLE planted IS :'odd';
SET ROLE owners_first;
SELECT einsum_value('y[i] = a[i]');
SET ROLE owners_planter;
SECURITY LABEL FOR sparseeinsum ON TABLE planted IS :'program';
SET ROLE owners_first;
SELECT count(*) FROM einsum_decompose('s[I] = 3*a[i]', 'doubled', replace => true);
SELECT tensor, how, why, changes, written FROM einsum_refresh('doubled');
SELECT einsum_drop('doubled');
SELECT einsum_drop('doubled');
SELECT count(*) FROM planted;

-- somebody else: of two strangers, whose relation is older; never in silence
SET ROLE owners_planter;
SECURITY LABEL FOR sparseeinsum ON TABLE planted IS :'label';
SET ROLE owners_reader;
SELECT einsum_value('y[i] = a[i]');
-- what the schema's owner has comes first
RESET ROLE;
ALTER SCHEMA owners_test OWNER TO owners_schema;
SET ROLE owners_reader;
SELECT einsum_value('y[i] = a[i]');
RESET ROLE;
GRANT owners_schema TO owners_first;
SET ROLE owners_reader;
SELECT einsum_value('y[i] = a[i]');
-- and before it what a role of the user's has, and the user's own
RESET ROLE;
ALTER TABLE planted OWNER TO owners_team;
GRANT owners_team TO owners_reader;
SET ROLE owners_reader;
SELECT einsum_value('y[i] = a[i]');
RESET ROLE;
ALTER TABLE planted OWNER TO owners_planter;
SET ROLE owners_planter;
SELECT einsum_value('y[i] = a[i]');
-- a superuser has everybody's rights, which says nothing about whom he trusts
RESET ROLE;
SELECT einsum_value('y[i] = a[i]');
SELECT relation, status FROM einsum_tensors WHERE tensor = 'a' ORDER BY relation::text;
-- a superuser may move a tensor from others
CREATE TABLE mine (LIKE honest INCLUDING ALL);
SELECT einsum_register('a[I]', 'mine', '{i}', 'v', '{3}');
SELECT einsum_register('a[I]', 'mine', '{i}', 'v', '{3}', replace => true);
SELECT relation, status FROM einsum_tensors WHERE tensor = 'a' ORDER BY relation::text;

SET client_min_messages = warning;
DROP SCHEMA owners_test CASCADE;
DROP ROLE owners_first, owners_planter, owners_reader, owners_team, owners_schema;
