--
-- The estimators on small tensors whose numbers can be checked by hand
--
\set VERBOSITY default
CREATE SCHEMA estimator_test;
SET search_path = estimator_test, public;
-- a: 6 entries of 4 x 5; at most 3 j for an i (0), at most 2 i for a j
CREATE TABLE a (i int, j int, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0,0), (0,1), (0,2), (1,2), (2,3), (2,0);
SELECT einsum_register('a[I,J]', 'a', '{i,j}', NULL, '{4,5}');
-- b: 5 entries of 5 x 6; one j for a k, at most 2 k for a j
CREATE TABLE b (j int, k int, PRIMARY KEY (j, k));
INSERT INTO b VALUES (0,0), (0,1), (1,2), (2,3), (3,4);
SELECT einsum_register('b[J,K]', 'b', '{j,k}', NULL, '{5,6}');
-- x: 2 entries of 4
CREATE TABLE x (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (0,1), (3,2);
SELECT einsum_register('x[I]', 'x', '{i}', 'v', '{4}');
-- s: a square matrix of 10 x 10 with 3 of its 7 entries on the diagonal
CREATE TABLE s (i int, j int, PRIMARY KEY (i, j));
INSERT INTO s VALUES (0,0), (0,1), (1,1), (2,3), (4,4), (4,5), (4,6);
SELECT einsum_register('s[I,J]', 's', '{i,j}', NULL, '{10,10}');
-- empty
CREATE TABLE e (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register('e[I]', 'e', '{i}', 'v', '{4}');
-- a number
CREATE TABLE c (v float8 NOT NULL);
INSERT INTO c VALUES (0);
SELECT einsum_register('c[]', 'c', '{}', 'v');
SELECT tensor, count(*) FROM unnest('{a,b,x,s,e,c}'::text[]) tensor, einsum_analyze(tensor) GROUP BY tensor ORDER BY tensor;

-- all labels promoted, nothing rewritten: one stage for each statement
CREATE FUNCTION estimates(program text) RETURNS TABLE (estimator text, stage text, tuples float8, entries float8, actual_tuples float8, actual_entries float8) LANGUAGE sql AS $$
SELECT e, s->>'notation', round((s->>'tuples')::numeric, 4), round((s->>'entries')::numeric, 4), (s->>'actual_tuples')::float8, (s->>'actual_entries')::float8
FROM unnest('{distinct,uniform,chain}'::text[]) WITH ORDINALITY e(e, n),
	einsum_plan(program, 'json', search => 'as_written', rewrite => 'none', estimator => e, actual => true) p,
	json_array_elements(p::json->0->'stages') WITH ORDINALITY s(s, m)
ORDER BY n, m $$;

-- stored tensors, scaled. A function of one operand keeps its entries.
SELECT * FROM estimates('r[I,J] = 2*a[I,J]');
-- intersections. distinct: 6*5/max(4,4); uniform: 6/20 * 5/30 * 120; chain:
-- the least of 6*DC(k|j) = 12, 5*DC(i|j) = 10 and more
SELECT * FROM estimates('r[I,J,K] = a[I,J]*b[J,K]');
-- distinct: 6*2/max(3,2); uniform: 6/20 * 2/4 * 20; chain: T(a) = DC(j|i)*T(x)
SELECT * FROM estimates('r[I,J] = a[I,J]*x[I]');
-- no label shared: all three say the product
SELECT * FROM estimates('r[I,J,K] = x[I]*b[J,K]');
-- unions. distinct and chain: the sum; uniform: 10 * 10 * (1 - (1 - 7/100)^2)
SELECT * FROM estimates('r[I,J] = s[I,J] + s[J,I]');
-- extended to the labels of the other: x to 2*5 entries. uniform:
-- 20 * (1 - 14/20 * 10/20)
SELECT * FROM estimates('r[I,J] = a[I,J] + x[I]');
SELECT * FROM estimates('r[I,J] = greatest(a[I,J], x[I])');
-- aggregates. distinct and chain know V(a,i) = 3; uniform has 4 * (1 - (14/20)^5)
-- and is capped to it
SELECT * FROM estimates('r[I] = sum[J] a[I,J]');
-- through a join. distinct: 7.5 entries in 3*4*5 places, 4 of them for each
-- tuple: 15 * (1 - (1 - 7.5/60)^4); uniform: 24 * (1 - (1 - 6/120)^5); chain:
-- min of 3*5, 5*DC(i|j), 6*DC(k|j)
SELECT * FROM estimates('r[I,K] = sum[J] a[I,J]*b[J,K]');
-- degrees go through a stage: DC(k|i) of r is DC(j|i)*DC(k|j) = 6 or V(k) = 5,
-- and T(x) = 2
SELECT * FROM estimates('r[I,K] = sum[J] a[I,J]*b[J,K]; t[I,K] = r[I,K]*x[I]');
-- and through a union: DC(j|i) of r is 3 + 3, at most the bound 5; T(x) = 2
SELECT * FROM estimates('r[I,J] = 3*a[I,J] + 2*a[I,J]; t[I,J] = r[I,J]*x[I]');
-- the diagonal. distinct: 7/max(3,6), uniform 7/10, chain min of V = 4
SELECT * FROM estimates('r[I] = s[I,I]');
SELECT * FROM estimates('r[] = sum[I] s[I,I]');
-- what one operand lacks is not bounded by it
SELECT * FROM estimates('r[I,J] = exp(x[I])*a[I,J]');
SELECT * FROM estimates('r[I] = exp(x[I])');
-- nothing in it
SELECT * FROM estimates('r[I,J] = a[I,J]*e[I]; t[I] = max[J] r[I,J]; u[] = sum[I] t[I]');
SELECT * FROM estimates('r[I] = e[I] + x[I]');
-- a number is always there, whatever its value
SELECT * FROM estimates('r[I] = c[]*x[I]');
SELECT * FROM estimates('r[] = c[] + 1');
-- 4 labels and more
SELECT * FROM estimates('r[I,J,K,L] = a[I,J]*s[K,L]; t[I,L] = sum[J,K] r[I,J,K,L]*s[L,K]');
SELECT * FROM estimates('r[I,J,K,L,M] = a[I,J]*b[K,L]*x[M] + x[I]*b[K,L]*a[M,J]');
SELECT * FROM estimates('r[I,J,K,L,M] = a[I,J]*b[K,L]*x[M]; t[I] = sum[J,K,L,M] r[I,J,K,L,M]');

-- tuples in other decompositions: DC(S|{}) exactly where it is known
SELECT * FROM estimates('r[I,j] = 2*a[I,j]');
SELECT * FROM estimates('r[i,J] = 2*a[i,J]');
SELECT * FROM estimates('r[i,j] = 2*a[i,j]');

-- skew, where the textbook is far off: 100 edges of one node. chain sees that
-- a wedge over the node is 100 * 100; distinct that there are that number, not that all
-- of them are between other nodes
CREATE TABLE star (i int, j int, PRIMARY KEY (i, j));
INSERT INTO star SELECT 0, n FROM generate_series(0, 99) n UNION SELECT n, 0 FROM generate_series(0, 99) n;
SELECT einsum_register('star[I,J]', 'star', '{i,j}', NULL, '{100,100}');
SELECT * FROM einsum_analyze('star');
SELECT * FROM estimates('r[I,J] = sum[K] star[I,K]*star[K,J]');
-- a function of its key joined to many: chain caps the others
CREATE TABLE f (i int PRIMARY KEY, g int NOT NULL);
INSERT INTO f SELECT n, n % 2 FROM generate_series(0, 99) n;
SELECT einsum_register('f[I,G]', 'f', '{i,g}', NULL, '{100,50}', duplicates => 'trust');
SELECT * FROM einsum_analyze('f');
SELECT * FROM estimates('r[I,G,H] = f[I,G]*f[I,H]');
SELECT * FROM estimates('r[G,H] = sum[I] f[I,G]*f[I,H]');

-- an open label has no bound: uniform takes the indices there are
CREATE TABLE o (u bigint, p int, PRIMARY KEY (u, p));
INSERT INTO o VALUES (10, 1), (10, 2), (99999999999, 1);
SELECT einsum_register('o[U,P]', 'o', '{u,p}', NULL, '{*,4}');
SELECT * FROM einsum_analyze('o');
SELECT * FROM estimates('r[P,Q] = sum[U] o[U,P]*o[U,Q]');
SELECT * FROM estimates('r[U] = sum[P] o[U,P]');

-- the setting, and that an option goes before it
SHOW sparseeinsum.estimator;
SET sparseeinsum.estimator = 'uniform';
SELECT * FROM einsum_plan('r[I] = sum[J] a[I,J]', actual => true);
SELECT * FROM einsum_plan('r[I] = sum[J] a[I,J]', estimator => 'chain', actual => true);
SET sparseeinsum.estimator = 'chain';
SELECT * FROM einsum_plan('r[I,J] = sum[K] star[I,K]*star[K,J]', actual => true);
SELECT einsum_value('r[] = sum[I,J,K] a[I,J]*b[J,K]*x[I]');
SELECT view, notation, round(tuples) AS tuples FROM einsum_decompose('r[I,K] = a[I,J]*b[J,K]', 'estimated');
SELECT einsum_drop('estimated');
SET sparseeinsum.estimator = 'oracle';
RESET sparseeinsum.estimator;

DROP SCHEMA estimator_test CASCADE;
