-- Tables of arrays from queries: einsum_store(..., layout => ...). test/random/layouts.py writes each layout of drawn tensors.
\set SHOW_CONTEXT never
CREATE SCHEMA store_layouts;
SET search_path = store_layouts, public;
CREATE TABLE entry (i int, j int, v float8);
INSERT INTO entry VALUES (3, 3, 4), (0, 1, 2), (0, 3, -1), (2, 0, 5), (2, 2, 1), (3, 0, 0), (1, 1, NULL), (NULL, 2, 1);
CREATE VIEW pairs AS SELECT i, j, v FROM entry WHERE j < i UNION ALL SELECT j, i, v FROM entry WHERE j <= i;

SELECT einsum_store('m[I,J]', 'TABLE entry', '{4,4}', layout => 'csr(indptr,indices,data)');
TABLE m;
\d m
SELECT attname, attstorage FROM pg_attribute WHERE attrelid = 'm'::regclass AND attnum > 0 ORDER BY attnum;
SELECT einsum_store('c[I,J]', 'SELECT i, j, v::real FROM entry', '{4,5000000000}', layout => 'csc( "the ptr" , idx,v)', relation => 'by column');
SELECT einsum_store('c[I,J]', 'SELECT i, j, v::real FROM entry', '{5000000000,4}', layout => 'CSC( "the ptr" , idx,v)', relation => 'by column');
TABLE "by column";
\d "by column"
-- a row for each key that has an entry, of any type
SELECT einsum_store('l[I,J]', 'TABLE entry', '{4,4}', layout => 'lists(n,w)');
TABLE l;
\d l
SELECT einsum_store('n[NAME,I,J]', $$ SELECT name, i, j, v * f FROM entry, (VALUES ('two', 2), ('one', 1)) AS f(name, f) $$, '{*,4,4}', layout => 'csr(p,i,v)');
TABLE n;
SELECT einsum_store('o[I,NAME]', $$ VALUES (1, 'it''s "quoted"', 2.5), (1, 'b', -1), (0, 'b', 1e300) $$, '{2,*}', layout => 'object(attributes)');
TABLE o;
SELECT einsum_store('t[I,J,K]', 'SELECT i, j, i, v FROM entry', '{4,4,*}', layout => 'csf(i0,p1,i1,p2,i2,v)');
TABLE t;
-- packed ones have the fill where there is no entry
SELECT einsum_store('b[I,J]', 'TABLE entry', '{4,4}', layout => 'band(v,below,above)', fill => 9);
TABLE b;
SELECT einsum_store('z[I,J]', 'TABLE entry', '{4,4}', layout => 'zorder(v)');
TABLE z;
SELECT einsum_store('d[I,J]', 'SELECT i, j, v FROM entry WHERE i = j', '{4,6}', layout => 'diagonal(v)', fill => 'Infinity');
TABLE d;
-- a fill that is no real number of 4 bytes is the same inside of the arrays and beside them
SELECT einsum_store('r[I,J]', 'SELECT i, j, v::real FROM entry WHERE v > 0', '{4,4}', layout => 'band(v,below,above)', fill => 0.1);
SELECT pg_typeof(v), einsum_value('y[] = max[i,j] (if(r[i,j] < 1, r[i,j], 0))') FROM r;
SELECT einsum_store('r4[I,J]', 'SELECT i, j, v::real FROM entry', '{4,4}', layout => 'zorder(v)', fill => 0.5);
SELECT pg_typeof(v) FROM r4;
-- one half of a symmetric tensor, as rows too
SELECT einsum_store('sl[I,J]', 'TABLE pairs', '{4,4}', layout => 'symmetric lower(v)');
TABLE sl;
SELECT einsum_store('sr[I,J]', 'TABLE pairs', '{4,4}', layout => E'SYMMETRIC');
TABLE sr;
\d sr
SELECT einsum_store('sn[I,J]', 'TABLE pairs', '{4,4}', layout => E'Symmetric\tLists(k,v)');
TABLE sn;
SELECT * FROM einsum_rows('y[i,j] = sn[i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
-- no entries
SELECT einsum_store('e[I,J]', 'SELECT 1, 1, 1 WHERE false', '{2,3}', layout => 'csr(p,i,v)'), einsum_store('e0[I,J]', 'SELECT 1, 1, 1 WHERE false', '{0,0}', layout => 'upper(v)'),
	einsum_store('el[I,J]', 'SELECT 1, 1, 1 WHERE false', '{2,3}', layout => 'lists(n,v)'), einsum_store('ec[I,J]', 'SELECT 1, 1, 1 WHERE false', '{2,3}', layout => 'coo(a,b)');
SELECT * FROM e, e0, ec;
SELECT count(*) FROM el;
SELECT tensor, relation, keys, bounds, type, fill, duplicates, layout, status FROM einsum_tensors WHERE schema = 'store_layouts' ORDER BY tensor;
-- values inside of rows with a fill
SELECT einsum_store('f[I,j]', 'TABLE entry', '{4,4}', fill => 7);
TABLE f ORDER BY i;
SELECT einsum_store('f2[I,J]', 'TABLE entry', '{4,4}', fill => 1), einsum_store('f3[i:3,J]', 'SELECT i, j, v::real FROM entry', '{4,4}', fill => 'NaN');
TABLE f2 ORDER BY i, j;
TABLE f3 ORDER BY i, j;

-- what cannot be written
SELECT einsum_store('w[I,J]', 'TABLE entry', '{4,4}', layout => 'lower(v)');
SELECT einsum_store('w[I,J]', 'SELECT i, j, v FROM entry WHERE i = j', '{4,3}', layout => 'diagonal(v)');
SELECT einsum_store('w[I,J]', 'TABLE entry', '{4,4}', layout => 'symmetric lower(v)');
SELECT einsum_store('w[I,J]', 'TABLE pairs UNION ALL VALUES (1, 0, 3), (0, 1, 4)', '{4,4}', layout => 'symmetric');
SELECT einsum_store('w[I,J]', 'TABLE pairs UNION ALL VALUES (0, 2, 5)', '{4,4}', layout => 'symmetric coo(a,b,v)');
SELECT einsum_store('w[I,J]', 'TABLE pairs UNION ALL VALUES (2, 2, 1)', '{4,4}', layout => 'symmetric coo(a,b,v)');
SELECT einsum_store('w[I,J]', 'TABLE pairs', '{4,5}', layout => 'symmetric coo(a,b,v)');
SELECT einsum_store('w[I,J]', 'SELECT i, j::bigint, v FROM pairs', '{*,*}', layout => 'symmetric');
SELECT einsum_store('w[I,J]', 'TABLE entry', '{4,4}', layout => 'coo(a,b)');
SELECT einsum_store('w[I,J]', 'TABLE entry UNION ALL VALUES (0, 1, 7)', '{4,4}', layout => 'csr(p,i,v)');
SELECT einsum_store('w[I,J]', 'TABLE entry UNION ALL VALUES (0, 1, 7)', '{4,4}', layout => 'object(o)');
SELECT einsum_store('w[I,J]', 'SELECT 0, 1, ''NaN''::float8', '{4,4}', layout => 'object(o)');
SELECT einsum_store('w[I,J]', 'TABLE entry', '{2,4}', layout => 'csr(p,i,v)');
SELECT einsum_store('w[I,J]', 'SELECT i, -j, v FROM entry', '{*,*}', layout => 'csc(p,i,v)');
SELECT einsum_store('w[I,J]', 'SELECT i, j::text, v FROM entry', '{4,*}', layout => 'lists(i,v)');
SELECT einsum_store('w[I,J]', 'SELECT i, j, tensor_full(''{}'', v) FROM entry', '{4,4}', layout => 'csr(p,i,v)');
SELECT einsum_store('w[I,J]', 'SELECT 30000, 0, 1', '{40000,40000}', layout => 'band(v,b,a)');
SELECT einsum_store('w[I,J]', 'SELECT 100000, 100000, 1', '{200000,200000}', layout => 'zorder(v)');
SELECT einsum_store('w[i,j]', 'TABLE entry', '{4,4}', layout => 'csr(p,i,v)');
SELECT einsum_store('w[I,J]', 'TABLE entry', '{4,4}', layout => 'csr(p,i,v,w)');
SELECT einsum_store('w[I,J]', 'TABLE entry', '{4,4}', layout => 'rows');
SELECT einsum_store('w[I]', 'SELECT 1, 1', '{4}', layout => 'symmetric');
SELECT einsum_store('w[I,J]', 'TABLE entry', '{4,4}', layout => 'lists(i,v)');
SELECT einsum_store('w[I,J]', 'TABLE entry', '{4,4}', fill => NULL);
SELECT to_regclass('w');

-- a symmetric matrix is square, and a row's key as wide as an index of an array
CREATE TABLE narrow (id smallint PRIMARY KEY, k int[]);
INSERT INTO narrow VALUES (1, '{70000}');
SELECT einsum_register('narrow[I,J]', 'narrow', '{id}', layout => 'symmetric lists(k)', bounds => '{70001,70001}', duplicates => 'trust');
SELECT * FROM einsum_rows('y[i,j] = narrow[i,j]') AS r(i int, j int, v float8) ORDER BY 1, 2;
SELECT * FROM einsum_rows('y[i] = narrow[i,1]') AS r(i int, v float8);
CREATE TABLE wide (p int[], i int[], v float8[]);
INSERT INTO wide VALUES ('{0,1,2}', '{1,3}', '{5,6}');
SELECT einsum_register('wide[I,J]', 'wide', '{}', layout => 'symmetric csr(p,i,v)');
SELECT einsum_register('wide[I,J]', 'wide', '{}', layout => 'csr(p,i,v)', bounds => '{2,3}');
UPDATE wide SET p = '{0,1,2,2,2}';
SELECT einsum_register('wide[I,J]', 'wide', '{}', layout => 'symmetric csr(p,i,v)');
SET client_min_messages = warning;
DROP SCHEMA store_layouts CASCADE;
