-- What is known about the data of a tensor is told only to who could count it: all columns, all rows, through views too.
SET client_min_messages = warning;
CREATE ROLE readable_owner;
CREATE ROLE readable_reader;
CREATE ROLE readable_bypass BYPASSRLS;
CREATE SCHEMA readable AUTHORIZATION readable_owner;
GRANT USAGE ON SCHEMA readable TO PUBLIC;
SET ROLE readable_owner;
SET search_path = readable, public, sparseeinsum_internal;

-- 1,000 entries in 500 rows of the reader's and 500 others; 7 values of i
CREATE TABLE edge (i int, j int, v float8 NOT NULL, who name NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge SELECT n % 7, n, 1, CASE WHEN n < 500 THEN 'readable_reader' ELSE 'readable_owner' END FROM generate_series(0, 999) n;
CREATE TABLE edge_parent (i int, j int, v float8 NOT NULL, who name NOT NULL, PRIMARY KEY (i, j)) PARTITION BY RANGE (i);
CREATE TABLE edge_part PARTITION OF edge_parent DEFAULT;
INSERT INTO edge_parent SELECT * FROM edge;
CREATE VIEW edge_view AS SELECT i, j, v FROM edge;
CREATE VIEW edge_nested AS SELECT i, j, v FROM edge_view WHERE v > 0;
CREATE VIEW edge_mine AS SELECT i, j, v FROM edge WHERE who = current_user;
CREATE VIEW edge_of_mine AS SELECT i, j, v FROM edge_mine;
CREATE VIEW edge_sub AS SELECT i, j, v FROM edge e WHERE EXISTS (SELECT FROM edge_parent p WHERE p.i = e.i AND p.j = e.j);
CREATE VIEW edge_join WITH (security_barrier) AS SELECT e.i, e.j, e.v FROM edge e JOIN edge_parent p USING (i, j);
CREATE VIEW edge_invoker WITH (security_invoker) AS SELECT i, j, v FROM edge;
CREATE VIEW edge_of_invoker AS SELECT i, j, v FROM edge_invoker;
CREATE MATERIALIZED VIEW edge_stored AS SELECT i, j, v FROM edge;
CREATE UNIQUE INDEX ON edge_stored (i, j);
ANALYZE edge, edge_parent, edge_stored;
SELECT count(*) FROM (SELECT einsum_register(relname || '[I,J]', oid, '{i,j}', 'v', '{*,*}',
		duplicates => CASE WHEN relkind = 'v' OR relname = 'edge_stored' THEN 'trust' ELSE 'error' END)
	FROM pg_class WHERE relnamespace = 'readable'::regnamespace AND relname ~ '^edge' AND relkind IN ('r', 'p', 'v', 'm')
	OFFSET 0) registered;
SELECT count(*) FROM pg_class c, einsum_analyze(relname) WHERE relnamespace = 'readable'::regnamespace AND relname ~ '^edge'
	AND relkind IN ('r', 'p', 'v', 'm') AND statistic = 'entries';

-- what a role is told of every tensor: entries, values of i and of j; whether a plan knows the 7 values of i; and what it can count
CREATE FUNCTION told(tensor text, OUT statistics text, OUT planned boolean, OUT counted bigint) LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		SELECT string_agg(k.count::text, ' ' ORDER BY k.statistic, k.labels) INTO statistics
		FROM known_statistics(tensor) k WHERE statistic IN ('entries', 'values');
	EXCEPTION WHEN insufficient_privilege THEN
		statistics := 'denied';
	END;
	SELECT bool_or(l ~ 'tuples=7 ') INTO planned FROM einsum_plan(format('s[i] = %s[i,j]', tensor), result => 'auto') l;
	BEGIN
		EXECUTE format('SELECT count(*) FROM %I', tensor) INTO counted;
	EXCEPTION WHEN insufficient_privilege THEN
	END;
END
$$;
CREATE VIEW told AS
	SELECT tensor, t.*
	FROM unnest('{edge,edge_parent,edge_part,edge_view,edge_nested,edge_mine,edge_of_mine,edge_sub,edge_join,edge_invoker,edge_of_invoker,edge_stored}'::text[])
		WITH ORDINALITY u (tensor, n), told(tensor) t
	ORDER BY n;
GRANT SELECT ON ALL TABLES IN SCHEMA readable TO readable_reader, readable_bypass;
\echo the owner
SELECT * FROM told;
\echo a reader of all rows
SET ROLE readable_reader;
SELECT * FROM told;

\echo a reader under row-level security
SET ROLE readable_owner;
CREATE POLICY own_rows ON edge FOR SELECT USING (who = current_user);
ALTER TABLE edge ENABLE ROW LEVEL SECURITY;
SET ROLE readable_reader;
SELECT count(*) FROM edge;
SELECT * FROM told;
SELECT relation FROM dumped_statistics() WHERE relation ~ '^readable' ORDER BY 1;
SET row_security = off;
SELECT * FROM told('edge');
RESET row_security;
SELECT count(*) > 0 AS planned FROM einsum_plan('s[] = edge[i,j]');
\echo one whom it does not concern
SET ROLE readable_bypass;
SELECT * FROM told;
\echo its owner
SET ROLE readable_owner;
SELECT * FROM told;

\echo its owner, whom it is forced upon
ALTER TABLE edge FORCE ROW LEVEL SECURITY;
SELECT * FROM told;
ALTER TABLE edge NO FORCE ROW LEVEL SECURITY;

\echo on the parent of a partition
ALTER TABLE edge DISABLE ROW LEVEL SECURITY;
ALTER TABLE edge_parent ENABLE ROW LEVEL SECURITY;
SET ROLE readable_reader;
SELECT * FROM told;
\echo on the partition
SET ROLE readable_owner;
ALTER TABLE edge_parent DISABLE ROW LEVEL SECURITY;
ALTER TABLE edge_part ENABLE ROW LEVEL SECURITY;
SET ROLE readable_reader;
SELECT * FROM told WHERE tensor ~ 'par';

\echo a view whose owner has lost the right, and one that asks with the rights of the reader
SET ROLE readable_owner;
ALTER TABLE edge_part DISABLE ROW LEVEL SECURITY;
REVOKE SELECT ON edge FROM readable_reader;
SET ROLE readable_reader;
SELECT * FROM told WHERE tensor IN ('edge', 'edge_view', 'edge_invoker', 'edge_of_invoker');

\echo columns
SET ROLE readable_owner;
GRANT SELECT (v, who) ON edge TO readable_reader;
SELECT * FROM told('edge');
SET ROLE readable_reader;
SELECT * FROM told('edge');
SET ROLE readable_owner;
GRANT SELECT (i, j) ON edge TO readable_reader;
SET ROLE readable_reader;
SELECT * FROM told('edge');

RESET ROLE;
DROP SCHEMA readable CASCADE;
DROP ROLE readable_owner, readable_reader, readable_bypass;
