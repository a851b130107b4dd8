-- A product of more factors than one join can order is one loop nest where that costs less than stages.
CREATE SCHEMA one_nest;
SET search_path = one_nest, public;
SET max_parallel_workers_per_gather = 0;

-- a graph of 500 nodes, each with one of five labels
CREATE TABLE edge (i int, j int, PRIMARY KEY (i, j));
INSERT INTO edge SELECT i, (i * k + k * k) % 500 FROM generate_series(0, 499) i, generate_series(1, 12) k ON CONFLICT DO NOTHING;
CREATE TABLE weighted (i int, j int, value float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO weighted SELECT i, j, 1 + (i + j) % 2 FROM edge;
CREATE TABLE label (v int PRIMARY KEY);
INSERT INTO label SELECT v FROM generate_series(0, 499, 5) v;
ANALYZE edge, weighted, label;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', bounds => '{500,500}');
SELECT einsum_register('w[I,J]', 'weighted', '{i,j}', 'value', bounds => '{500,500}');
SELECT einsum_register('l[I]', 'label', '{v}', bounds => '{500}');
SELECT einsum_analyze(t) FROM unnest('{a,w,l}'::text[]) t;

-- six nodes, all pairs but three, and labels: 18 factors
CREATE TABLE programs (name text, program text);
INSERT INTO programs VALUES
	('graph', 's[] = a[p,q]*a[p,r]*a[p,s]*a[q,r]*a[q,s]*a[r,s]*a[s,t]*a[t,u]*a[r,t]*a[q,t]*a[s,u]*a[p,t]*l[p]*l[q]*l[r]*l[s]*l[t]*l[u]'),
	('groups', 'y[u] = a[p,q]*a[p,r]*a[p,s]*a[q,r]*a[q,s]*a[r,s]*a[s,t]*a[t,u]*a[r,t]*a[q,t]*a[s,u]*a[p,t]*l[p]*l[q]*l[r]*l[s]*l[t]'),
	('weights', 's[] = w[p,q]*w[p,r]*w[p,s]*w[q,r]*w[q,s]*w[r,s]*w[s,t]*w[t,u]*w[r,t]*w[q,t]*w[s,u]*w[p,t]*l[p]*l[q]*l[r]*l[s]*l[t]'),
	('many weights', 's[] = w[p,q]*w[p,r]*w[p,s]*w[q,r]*w[q,s]*w[r,s]*w[s,t]*w[t,u]*w[r,t]*w[q,t]*w[s,u]*w[p,t]*w[q,p]*w[r,p]*w[s,p]*w[r,q]*w[s,q]*w[s,r]');

CREATE FUNCTION is_one_nest(program text) RETURNS boolean LANGUAGE sql AS
	$$ SELECT bool_or(line LIKE '%one loop nest%') FROM einsum_plan(program, result => 'auto') line $$;
CREATE FUNCTION total(program text, rewrite text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	EXECUTE 'SELECT sum(value) FROM (' || (SELECT einsum_sql(program, rewrite => rewrite, result => 'auto')) || ') r' INTO result;
	RETURN result;
END $$;
CREATE FUNCTION nests(program text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	line text;
	count int := 0;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS off) ' || einsum_sql(program, result => 'auto') LOOP
		count := count + (line LIKE '%AggregateJoin%')::int;
	END LOOP;
	RETURN count;
END $$;

-- more numbers than a kernel has operands are no nest
SELECT name, is_one_nest(program), nests(program) = 1 AS runs_as_one FROM programs ORDER BY name;

-- without nests there are stages, of which the numbers are the same
SET sparseeinsum.enable_aggregate_join = off;
CREATE TABLE by_stages AS SELECT name, is_one_nest(program) AS one, total(program, 'distribute') FROM programs;
RESET sparseeinsum.enable_aggregate_join;
SELECT name, one, b.total > 0 AS some, b.total = total(program, 'distribute') AS same FROM by_stages b JOIN programs USING (name) ORDER BY name;

-- a nest that does not fit in memory is not chosen; the joins that stand by for it give the same
SET work_mem = '64kB';
SELECT name, b.total = total(program, 'distribute') AS same FROM by_stages b JOIN programs USING (name) WHERE name = 'graph';
RESET work_mem;

-- pins and point queries say how stages are to be
SELECT is_one_nest(replace(program, '[p', '[p:*')) FROM programs WHERE name = 'graph';
SELECT bool_or(line LIKE '%one loop nest%') FROM programs, einsum_plan(program, at => '{u}', result => 'auto') line WHERE name = 'groups';

DROP SCHEMA one_nest CASCADE;
