-- einsum_rebound: other bounds for tensors, and for the programs that read them.
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA rebound;
CREATE SCHEMA rebound_results;
SET search_path = rebound, public;
SET client_min_messages = warning;
CREATE ROLE rebound_reader;
CREATE ROLE rebound_owner;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, 1), (0, 2, -2), (2, 1, 3), (2, 2, 5);
CREATE TABLE x (id int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO x VALUES (0, '[1,2]'), (1, '[3,4]'), (2, '[-1,1]');
CREATE TABLE named (name text PRIMARY KEY, node int NOT NULL UNIQUE, v float8 NOT NULL);
INSERT INTO named VALUES ('p', 0, 1), ('q', 2, 2);
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}'), einsum_register('x[J,k]', 'x', '{id}', 'v', '{3,2}'),
	einsum_register('named[N,I]', 'named', '{name,node}', 'v', '{*,3}');
-- another storage of a, whose labels have other names
CREATE TABLE a_again AS TABLE a;
ALTER TABLE a_again ADD PRIMARY KEY (j, i);
SELECT einsum_register('a[P,Q]', 'a_again', '{i,j}', 'v', '{3,3}', storage => 'further');

-- programs that read programs, also by other names of the schema; tables; what reads no entry of a
SELECT view FROM einsum_decompose('y[I,k] = a[i,j]*x[j,k]; t[I] = exp(sum[k] y[i,k])', 'first', search => 'as_written', rewrite => 'none');
SELECT view FROM einsum_decompose('total[] = sum[i] t[i]', 'second');
SELECT view FROM einsum_decompose('rows[] = nrow(a)', 'third');
SELECT view FROM einsum_decompose('kept[I] = 2*(sum[k] y[i,k]); kept_all[] = sum[i] kept[i]', 'tables', materialize => 'always');
SELECT view FROM einsum_decompose('apart[I] = 1 + named[n,i]*kept[i]', 'apart', schema => 'rebound_results', security_invoker => true);
SELECT view FROM einsum_decompose('unread[I] = x[i,k]*x[i,k]', 'unread');
CREATE VIEW shows AS
	SELECT (SELECT string_agg(i || ':' || round(value::numeric, 2), ' ' ORDER BY i) FROM t) AS t, (SELECT round(value::numeric, 2) FROM total) AS total,
		(SELECT value FROM rows) AS rows, (SELECT string_agg(i || ':' || value, ' ' ORDER BY i) FROM kept) AS kept, (SELECT value FROM kept_all) AS kept_all;
CREATE FUNCTION programs() RETURNS TABLE (tensor text, bounds text[], program text, status text) LANGUAGE sql AS $$
	SELECT tensor, bounds, program, status FROM einsum_tensors WHERE schema IN ('rebound', 'rebound_results') ORDER BY schema, tensor, relation::text $$;
TABLE shows;
SELECT * FROM rebound_results.apart ORDER BY i;

-- a view of the user's that reads results of programs is in the way
SELECT einsum_rebound('{"i": 4, "j": 4}');
SELECT * FROM programs();
DROP VIEW shows;
GRANT SELECT ON y, t, total, kept TO rebound_reader;
COMMENT ON VIEW total IS 'of all';
SELECT oid AS total_before FROM pg_class WHERE oid = 'total'::regclass \gset
SELECT einsum_rebound('{"i": 5, "j": 5}');
SELECT * FROM programs();
SELECT oid = :total_before AS same, obj_description(oid) AS comment, relacl::text ~ 'rebound_reader=r' AS granted FROM pg_class WHERE oid = 'total'::regclass;
-- a table that is another has no grants
SELECT relname, relacl::text ~ 'rebound_reader=r' AS granted, reloptions FROM pg_class WHERE relname IN ('y', 't', 'kept', 'apart') AND relnamespace::regnamespace::text ~ '^rebound' ORDER BY 1;
SELECT string_agg(i || ':' || round(value::numeric, 2), ' ' ORDER BY i) FROM t;
SELECT string_agg(i || ':' || value, ' ' ORDER BY i) FROM kept;
SELECT (SELECT round(value::numeric, 2) FROM total) AS total, (SELECT value FROM rows) AS rows, (SELECT value FROM kept_all) AS kept_all;
SELECT * FROM rebound_results.apart ORDER BY i;
-- the options are kept: one view for each statement, and tables
SELECT tensor, how, why, changes, written FROM einsum_refresh('tables');
-- now there is room
INSERT INTO a VALUES (4, 3, 7);
INSERT INTO a_again VALUES (4, 3, 7);
INSERT INTO x VALUES (3, '[10,-9]');
INSERT INTO named VALUES ('r', 4, 1);
SELECT tensor, how, why, changes, written FROM einsum_refresh('tables');
SELECT string_agg(i || ':' || value, ' ' ORDER BY i) FROM kept;
SELECT * FROM rebound_results.apart ORDER BY i;
-- as if it had been made so from the start
SELECT (SELECT einsum_value('r[] = sum[i] exp(sum[j,k] a[i,j]*x[j,k])')) = value::tensor AS same FROM total;
-- values of the shape of before
CREATE TABLE m (v tensor);
INSERT INTO m VALUES ('[1,2,3,4,5]');
SELECT einsum_register('m[i]', 'm', '{}', 'v');
SELECT einsum_rebound('{"i": 6}');
SELECT einsum_unregister('m');

-- one tensor, some of its labels; its labels are those of others in programs
SELECT einsum_rebound('{"a": [5, 6]}');
SELECT einsum_rebound('{"a": [null, 6], "rebound.x": [6, null], "i": 5}');
SELECT bounds FROM einsum_tensors WHERE tensor IN ('a', 'x', 't') ORDER BY tensor;
-- fewer indices
SELECT einsum_rebound('{"a": [5, 4], "x": [4, null]}');
SELECT einsum_value('s[] = sum[i] t[i]') = (SELECT value::tensor FROM total) AS same;
-- but not less than there are keys, nor another shape of values
SELECT einsum_rebound('{"a": [4, 4]}');
SELECT einsum_rebound('{"x": [4, 3]}');
SELECT bounds, status FROM einsum_tensors WHERE tensor IN ('a', 'x', 't') ORDER BY tensor;
SELECT (SELECT value::tensor FROM total) = einsum_value('s[] = sum[i] t[i]') AS same;
-- a number, or open, or a dimension: programs are made of what it is now
CREATE TABLE node (id int PRIMARY KEY);
INSERT INTO node SELECT generate_series(0, 4);
SELECT einsum_dimension('node', 'node', 'id');
BEGIN;
SELECT einsum_rebound('{"i": "node"}');
SELECT bounds FROM einsum_tensors WHERE tensor IN ('a', 't', 'named', 'node') ORDER BY tensor;
SELECT string_agg(i || ':' || value, ' ' ORDER BY i) FROM kept;
-- which is no number any more
SELECT einsum_rebound('{"i": 6}');
ROLLBACK;
-- names are those of the program's search_path, whatever it is now
SET search_path = rebound_results, public;
SELECT einsum_rebound('{"i": 6}', 'rebound');
SELECT einsum_rebound('{"i": 7}');
SELECT einsum_rebound('{"rebound.a": [7, 4], "rebound.named": [null, 7]}');
SELECT * FROM apart ORDER BY i;
SET search_path = rebound, public;

-- mistakes
SELECT einsum_rebound('[1]');
SELECT einsum_rebound('{"i": true}');
SELECT einsum_rebound('{"i": null}');
SELECT einsum_rebound('{"i": 10, "p": 11}');
SELECT einsum_rebound('{"i": -1}');
SELECT einsum_rebound('{"i": 2.5}');
SELECT einsum_rebound('{"nothing": 3}');
SELECT einsum_rebound('{"nothing": [3]}');
SELECT einsum_rebound('{"a": [3]}');
SELECT einsum_rebound('{"y": [3, 3]}');
SELECT einsum_rebound(NULL);
SELECT einsum_rebound('{}');

-- whose programs: of all that one may change, made as their owner
GRANT USAGE, CREATE ON SCHEMA rebound TO rebound_owner;
GRANT SELECT ON a, t TO rebound_owner;
SET ROLE rebound_owner;
SELECT view FROM einsum_decompose('others[I] = 2*t[i]', 'others');
SELECT einsum_rebound('{"a": [8, 4]}');
SELECT einsum_rebound('{"i": 8}');
RESET ROLE;
SELECT einsum_rebound('{"a": [8, 4], "named": [null, 8]}');
SELECT relowner::regrole, (SELECT bounds FROM einsum_tensors WHERE tensor = 'others') FROM pg_class WHERE oid = 'others'::regclass;
-- who owns the tensors, and not the program
GRANT rebound_reader TO rebound_owner;
GRANT USAGE ON SCHEMA rebound TO rebound_reader;
CREATE TABLE theirs (i int PRIMARY KEY);
SELECT einsum_register('theirs[I]', 'theirs', '{i}', bounds => '{3}'), einsum_register('theirs_too[I]', 'theirs', '{i}', bounds => '{3}');
ALTER TABLE theirs OWNER TO rebound_reader;
SELECT view FROM einsum_decompose('r[I] = 2*theirs[i]', 'not theirs');
SET ROLE rebound_reader;
SELECT einsum_rebound('{"theirs": [4]}', 'rebound');
RESET ROLE;
SELECT tensor, bounds FROM einsum_tensors WHERE tensor IN ('theirs', 'theirs_too', 'r') ORDER BY 1;
-- a superuser may, and what he makes is the owner's: no code of the owner runs with his rights
SELECT einsum_rebound('{"theirs": [5], "theirs_too": [5]}');

-- a program of which nothing is kept
CREATE SCHEMA rebound_early;
SET search_path = rebound_early, public;
CREATE TABLE b (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('b[I]', 'b', '{i}', 'v', '{3}');
SELECT view FROM einsum_decompose('c[I] = 2*b[i]', 'early');
SELECT regexp_replace(label, ',"call":[^}]*}', '') AS early FROM pg_seclabels WHERE objoid = 'c'::regclass \gset
SECURITY LABEL FOR sparseeinsum ON VIEW c IS :'early';
SELECT einsum_rebound('{"i": 4}');
SELECT view FROM einsum_decompose('c[I] = 2*b[i]', 'early', replace => true);
SELECT einsum_rebound('{"i": 4}');
SELECT tensor, bounds FROM einsum_tensors WHERE schema = 'rebound_early' ORDER BY 1;
SELECT label FROM pg_seclabels WHERE objoid = 'c'::regclass;
-- what has been measured stays so: the label says the same of the view
SELECT count(*) > 0 AS measured FROM einsum_analyze('c');
SELECT view FROM einsum_decompose('c[I] = 3*b[i]', 'early', replace => true);
SELECT analyzed FROM einsum_tensors WHERE schema = 'rebound_early' AND tensor = 'c';
-- a program comes after what it reads, also if that is younger
SELECT view FROM einsum_decompose('f[I] = 3*b[i]', 'younger', materialize => 'always');
SELECT view FROM einsum_decompose('c[I] = 2*f[i] + b[i]', 'early', replace => true);
SELECT einsum_rebound('{"i": 4}');
-- labels of another form are none
SECURITY LABEL FOR sparseeinsum ON VIEW c IS '{"version":1,"tensors":[{"tensor":"c","notation":"c[I]","keys":["i"],"value":"value","bounds":[4],"type":"float8","fill":0,"duplicates":"trust","program":"early","call":{"text":"c[I] = 2*b[i]","path":[],"plan":"x"}}]}';
SECURITY LABEL FOR sparseeinsum ON VIEW c IS '{"version":1,"tensors":[{"tensor":"c","notation":"c[I]","keys":["i"],"value":"value","bounds":[4],"type":"float8","fill":0,"duplicates":"trust","program":"early","call":"c[I] = 2*b[i]"}]}';
-- a program that cannot be made any more changes nothing
SELECT view FROM einsum_decompose('d[I] = 2*b[i]*e[i]; e[I] = 3*b[i]', 'wrong order', replace => true);
CREATE TABLE e (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('e[I]', 'e', '{i}', 'v', '{4}');
SELECT view FROM einsum_decompose('d[I] = 2*b[i]*e[i]', 'both');
SELECT einsum_rebound('{"b": [5]}');
SELECT einsum_rebound('{"b": [5], "e": [5]}');
SELECT tensor, bounds FROM einsum_tensors WHERE schema = 'rebound_early' ORDER BY 1;
RESET search_path;
DROP SCHEMA rebound, rebound_results, rebound_early CASCADE;
DROP ROLE rebound_reader;
DROP ROLE rebound_owner;
