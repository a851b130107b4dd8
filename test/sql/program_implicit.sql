--
-- Implicit sums, scoping, and what is wrong with a program's labels and tensors
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA implicit_test;
SET search_path = implicit_test, public;

-- small integers, so that every plan is exact
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, 1), (0, 2, -2), (2, 1, 3), (2, 2, 5);
CREATE TABLE x (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (0, 2), (2, 7);
CREATE TABLE b (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO b VALUES (0, 100), (1, 200);
CREATE TABLE d (v tensor);
INSERT INTO d VALUES ('[[1,0,2],[0,-1,0],[4,0,0]]');
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}');
SELECT einsum_register('x[J]', 'x', '{j}', 'v', '{3}');
SELECT einsum_register('b[I]', 'b', '{i}', 'v', '{3}');
SELECT einsum_register('d[i,j]', 'd', '{}', 'v');

-- the same tensors with their zeros, for scalar SQL
CREATE VIEW a0 AS SELECT i, j, coalesce(a.v, 0) AS v FROM generate_series(0, 2) i CROSS JOIN generate_series(0, 2) j LEFT JOIN a USING (i, j);
CREATE VIEW x0 AS SELECT j, coalesce(x.v, 0) AS v FROM generate_series(0, 2) j LEFT JOIN x USING (j);
CREATE VIEW b0 AS SELECT i, coalesce(b.v, 0) AS v FROM generate_series(0, 2) i LEFT JOIN b USING (i);
CREATE VIEW d0 AS SELECT index[1] AS i, index[2] AS j, value AS v FROM d, tensor_entries(v);

-- The value of a program; whether it is that of a query of (index, value) over
-- the tensors with their zeros; and whether every plan has the same.
CREATE FUNCTION evaluate(program text, query text, OUT value tensor, OUT same boolean, OUT all_plans boolean)
LANGUAGE plpgsql AS $$
DECLARE
	option text;
	k int;
BEGIN
	value := einsum_value(program);
	EXECUTE format('SELECT NOT EXISTS ((SELECT * FROM tensor_entries($1) EXCEPT (%1$s))
		UNION ALL ((%1$s) EXCEPT SELECT * FROM tensor_entries($1)))', query) USING value INTO same;
	all_plans := value = einsum_value(program, search => 'as_written')
		AND value = einsum_value(program, search => 'greedy')
		AND value = einsum_value(program, rewrite => 'none')
		AND value = einsum_value(program, rewrite => 'reassociate')
		AND value = einsum_value(program, result => 'rows')
		AND value = einsum_value(program, result => 'dense');
	FOR k IN 2 .. 6 LOOP
		BEGIN
			all_plans := all_plans AND value = einsum_value(program, alternative => k);
		EXCEPTION WHEN invalid_parameter_value THEN
			EXIT;
		END;
	END LOOP;
END $$;

-- DESIGN's table, term by term
SELECT * FROM evaluate('y[i] = a[i,j]*x[j] + b[i]',
	'SELECT ARRAY[i], (SELECT sum(a0.v * x0.v) FROM a0 JOIN x0 USING (j) WHERE a0.i = b0.i) + b0.v FROM b0');
SELECT * FROM evaluate('s[] = a[i,j]*a[j,k]/2',
	'SELECT ''{}''::int[], sum(p.v * q.v) / 2 FROM a0 p JOIN a0 q ON p.j = q.i');
SELECT einsum_value('y[i] = relu(a[i,j]*x[j])');
SELECT einsum_value('z[i] = b[i] * 1/x[j]');
SELECT einsum_value('z[i] = 1/x[j]');
SELECT einsum_value('d2[i] = max[j] a[i,j] - d[i,j]');
SELECT * FROM evaluate('y[i] = sum[j] a[i,j] + b[i]',
	'SELECT ARRAY[i], (SELECT sum(a0.v) FROM a0 WHERE a0.i = b0.i) + b0.v FROM b0');
-- both spellings that the hint offers
SELECT * FROM evaluate('y[i] = relu(sum[j] a[i,j]*x[j])',
	'SELECT ARRAY[i], greatest(0, sum(a0.v * x0.v)) FROM a0 JOIN x0 USING (j) GROUP BY i');
SELECT * FROM evaluate('y[i] = sum[j] relu(a[i,j]*x[j])',
	'SELECT ARRAY[i], sum(greatest(0, a0.v * x0.v)) FROM a0 JOIN x0 USING (j) GROUP BY i');

-- more: terms each with labels of their own, signs, factors that are sums
SELECT * FROM evaluate('y[i] = a[i,j]*x[j] - d[i,k]*x[k]',
	'SELECT ARRAY[i], sum(a0.v * x0.v) - (SELECT sum(d0.v * x0.v) FROM d0 JOIN x0 USING (j) WHERE d0.i = a0.i) FROM a0 JOIN x0 USING (j) GROUP BY i');
SELECT * FROM evaluate('y[i] = a[i,j] - d[i,j]',
	'SELECT ARRAY[i], sum(a0.v - d0.v) FROM a0 JOIN d0 USING (i, j) GROUP BY i');
SELECT * FROM evaluate('y[i] = -a[i,j]',
	'SELECT ARRAY[i], -sum(v) FROM a0 GROUP BY i');
SELECT * FROM evaluate('y[i] = -(a[i,j] - b[i])',
	'SELECT ARRAY[i], b0.v - (SELECT sum(v) FROM a0 WHERE a0.i = b0.i) FROM b0');
SELECT * FROM evaluate('y[i] = (a[i,j] + d[i,j])*x[j]',
	'SELECT ARRAY[i], sum((a0.v + d0.v) * x0.v) FROM a0 JOIN d0 USING (i, j) JOIN x0 USING (j) GROUP BY i');
SELECT * FROM evaluate('y[i] = b[i]*(a[i,j] + d[i,j])',
	'SELECT ARRAY[i], b0.v * sum(a0.v + d0.v) FROM a0 JOIN d0 USING (i, j) JOIN b0 USING (i) GROUP BY i, b0.v');
SELECT * FROM evaluate('y[i] = 2*a[i,j]*x[j]/4*8',
	'SELECT ARRAY[i], 2 * sum(a0.v * x0.v) / 4 * 8 FROM a0 JOIN x0 USING (j) GROUP BY i');
SELECT * FROM evaluate('t[] = a[i,i]', 'SELECT ''{}''::int[], sum(v) FROM a0 WHERE i = j');
SELECT * FROM evaluate('t[i] = a[i,i]', 'SELECT ARRAY[i], v FROM a0 WHERE i = j');
SELECT * FROM evaluate('t[] = d[i,i]', 'SELECT ''{}''::int[], sum(v) FROM d0 WHERE i = j');
SELECT * FROM evaluate('t[j,i] = a[i,j]', 'SELECT ARRAY[j, i], v FROM a0');
SELECT * FROM evaluate('t[] = a[i,j]*a[j,k]*a[k,i]',
	'SELECT ''{}''::int[], sum(p.v * q.v * r.v) FROM a0 p JOIN a0 q ON p.j = q.i JOIN a0 r ON q.j = r.i AND r.j = p.i');
SELECT * FROM evaluate('t[i,j] = a[i,j]*b[i]/x[j] * x[j]',
	'SELECT ARRAY[i, j], CASE WHEN x0.v = 0 THEN 0 ELSE a0.v * b0.v END FROM a0 JOIN b0 USING (i) JOIN x0 USING (j)');
SELECT * FROM evaluate('s[] = 3', 'SELECT ''{}''::int[], 3::float8');
SELECT * FROM evaluate('s[] = x[j]*x[j]; y[i] = b[i]*s[]',
	'SELECT ARRAY[i], v * (SELECT sum(v * v) FROM x0) FROM b0');
-- a sum over what only one factor has, and nothing is repeated
SELECT * FROM evaluate('y[i] = b[i]*x[j]',
	'SELECT ARRAY[i], b0.v * (SELECT sum(v) FROM x0) FROM b0');
SELECT * FROM evaluate('s[] = b[i]*x[j] + a[i,j]',
	'SELECT ''{}''::int[], (SELECT sum(v) FROM b0) * (SELECT sum(v) FROM x0) + (SELECT sum(v) FROM a0)');
-- a label of one term only: the other is repeated when, and only when, the sum is explicit
SELECT * FROM evaluate('y[i] = sum[j] (a[i,j] + b[i])',
	'SELECT ARRAY[i], sum(a0.v + b0.v) FROM a0 JOIN b0 USING (i) GROUP BY i');
SELECT * FROM evaluate('y[i] = a[i,j] + b[i]',
	'SELECT ARRAY[i], sum(a0.v) + b0.v FROM a0 JOIN b0 USING (i) GROUP BY i, b0.v');

-- not clear where: in the denominator, a power, a comparison, a condition, another aggregate, some monomial
SELECT einsum_value('y[i] = b[i]/a[i,j]');
SELECT einsum_value('y[i] = a[i,j]^2');
SELECT einsum_value('y[i] = b[i]*a[i,j]^2');
SELECT einsum_value('y[i] = a[i,j] > 0');
SELECT einsum_value('y[i] = if(a[i,j], b[i], 0)');
SELECT einsum_value('y[i] = b[i]*(a[i,j] + 1)');
SELECT einsum_value('y[i] = b[i]*(a[i,j] + b[i])');
SELECT einsum_value('y[i] = (a[i,j] > 0)*x[k]');
SELECT einsum_value('y[i] = max[k] a[i,k]*x[j]');
SELECT einsum_value('y[i] = b[i] + sqrt(a[i,j])');
-- some factor has it: then the others may have it anywhere
SELECT * FROM evaluate('y[i] = a[i,j]*abs(d[i,j])',
	'SELECT ARRAY[i], sum(a0.v * abs(d0.v)) FROM a0 JOIN d0 USING (i, j) GROUP BY i');
SELECT * FROM evaluate('y[i] = a[i,j]*(d[i,j] > 0)',
	'SELECT ARRAY[i], sum(CASE WHEN d0.v > 0 THEN a0.v ELSE 0 END) FROM a0 JOIN d0 USING (i, j) GROUP BY i');

-- bound and free in one statement
SELECT einsum_value('y[i] = sum[j] a[i,j] + a[i,j]');
SELECT einsum_value('y[i] = a[i,j]*(sum[j] x[j])');
SELECT einsum_value('y[i] = (sum[j] x[j])*b[i] + a[i,j]');
-- parentheses make the body longer
SELECT * FROM evaluate('y[i] = sum[j] (a[i,j] + a[i,j])', 'SELECT ARRAY[i], 2 * sum(v) FROM a0 GROUP BY i');

-- scopes: an inner label shadows
SELECT * FROM evaluate('e[i,j] = a[i,j] / (sum[j] d[i,j]*d[i,j])',
	'SELECT ARRAY[i, j], a0.v / (SELECT sum(d0.v * d0.v) FROM d0 WHERE d0.i = a0.i) FROM a0');
SELECT * FROM evaluate('e[i,j] = a[i,j] * (sum[i] (sum[j] a[i,j])*a[i,j])',
	'SELECT ARRAY[p.i, p.j], p.v * (SELECT sum((SELECT sum(r.v) FROM a0 r WHERE r.i = q.i) * q.v) FROM a0 q WHERE q.j = p.j) FROM a0 p');
SELECT * FROM evaluate('e[i] = sum[j] a[i,j]*(sum[i] d[i,j])',
	'SELECT ARRAY[i], sum(v * (SELECT sum(d0.v) FROM d0 WHERE d0.j = a0.j)) FROM a0 GROUP BY i');
SELECT * FROM evaluate('e[i] = (sum[j] a[i,j]*x[j]) * (sum[j] a[i,j])',
	'SELECT ARRAY[i], sum(a0.v * x0.v) * sum(a0.v) FROM a0 JOIN x0 USING (j) GROUP BY i');
-- the same statement's label with another meaning in the next
SELECT * FROM evaluate('r[j] = sum[i] a[i,j]; y[i] = sum[j] a[i,j]*r[i]',
	'SELECT ARRAY[i], sum(v) * (SELECT sum(c.v) FROM a0 c WHERE c.j = a0.i) FROM a0 GROUP BY i');
SELECT einsum_value('y[i] = sum[j,j] a[i,j]');

-- pins
SELECT * FROM evaluate('y[I] = a[I,j]*x[j]', 'SELECT ARRAY[i], sum(a0.v * x0.v) FROM a0 JOIN x0 USING (j) GROUP BY i');
SELECT * FROM evaluate('y[i] = a[i,J]*x[J]', 'SELECT ARRAY[i], sum(a0.v * x0.v) FROM a0 JOIN x0 USING (j) GROUP BY i');
SELECT * FROM evaluate('y[i] = sum[J] a[i,j]*x[j]', 'SELECT ARRAY[i], sum(a0.v * x0.v) FROM a0 JOIN x0 USING (j) GROUP BY i');
SELECT * FROM evaluate('y[i:*] = a[i,j]*x[j:*]', 'SELECT ARRAY[i], sum(a0.v * x0.v) FROM a0 JOIN x0 USING (j) GROUP BY i');
-- I on one side and i on the other are one label
SELECT * FROM evaluate('y[I] = a[i,j]*x[J]', 'SELECT ARRAY[i], sum(a0.v * x0.v) FROM a0 JOIN x0 USING (j) GROUP BY i');
-- contradictions
SELECT einsum_value('y[I] = a[i:*,j]*x[j]');
SELECT einsum_value('y[i] = a[i,J]*x[j:*]');
SELECT einsum_value('y[i] = a[i,j:4]*x[j:8]');
SELECT einsum_value('y[i] = sum[j:*] a[i,J]*x[j]');
SELECT einsum_value('y[i] = a[i,Ij]');

-- bounds that cannot be known
SELECT einsum_value('y[i,k] = a[i,j]*x[j]');
SELECT einsum_value('y[i] = 1');
SELECT einsum_value('"y=-z"[i] <- 1');
SELECT einsum_value('y[i] = sum[k] b[i]');
SELECT einsum_value('s[] = sum[k] 1');
-- bounds that disagree
CREATE TABLE w (v tensor);
INSERT INTO w VALUES ('[[1,2],[3,4],[5,6],[7,8]]');
SELECT einsum_register('w[k,m]', 'w', '{}', 'v');
SELECT einsum_value('y[i,m] = a[i,k]*w[k,m]');
SELECT einsum_value('y[i] = w[i,i]');
SELECT einsum_value(E'y[i,m] = a[i,j]*a[j,m];\nz[i,m] = w[i,m] + y[i,m]');
-- rank
SELECT einsum_value('y[i] = a[i]');
SELECT einsum_value('y[i] = a[i,j,k]');
SELECT einsum_value('y[i] = a[]');
SELECT einsum_value('y[i] = b[i]; z[i] = y[i,j]');
-- names
SELECT einsum_value('y[i] = aa[i,j]*x[j]');
SELECT einsum_value('y[i] = nothing_like_it[i,j]*x[j]');
SELECT einsum_value('y[i] = nowhere.a[i,j]*x[j]');
SELECT einsum_value('y[i] = "A"[i,j]*x[j]');
SELECT * FROM evaluate('y[i] = A[i,j]*implicit_test.X[j]', 'SELECT ARRAY[i], sum(a0.v * x0.v) FROM a0 JOIN x0 USING (j) GROUP BY i');
SELECT einsum_value('y[i] = b[i]; y[i] = 2*b[i]');
SELECT einsum_value('y[i] = z[i]; z[i] = 2*b[i]');
SELECT einsum_value('y[i] = a[i,j]*x[j]; x[i] = y[i]');
SELECT einsum_value('y[i] = y[i] + b[i]');
SELECT einsum_value('b[i] = b[i]*2');
-- what is defined hides what is registered
SELECT * FROM evaluate('x[i] = 2*b[i]; y[i] = a[i,j]*x[j]', 'SELECT ARRAY[a0.i], sum(a0.v * 2 * b0.v) FROM a0 JOIN b0 ON b0.i = a0.j GROUP BY a0.i');
SELECT * FROM evaluate('x[i] = 2*b[i]; y[i] = a[i,j]*implicit_test.x[j]', 'SELECT ARRAY[i], sum(a0.v * x0.v) FROM a0 JOIN x0 USING (j) GROUP BY i');
-- the left side
SELECT einsum_value('y[i,i] = a[i,i]');
SELECT einsum_value('y[i,I] = a[i,i]');
SELECT einsum_value('y[value] = b[value]');

-- open labels: any type, always promoted, never extended
CREATE TABLE rating (customer uuid, product text, stars numeric, PRIMARY KEY (customer, product));
INSERT INTO rating VALUES
	('00000000-0000-0000-0000-00000000000a', 'tea', 4), ('00000000-0000-0000-0000-00000000000a', 'rum', 2),
	('00000000-0000-0000-0000-00000000000b', 'rum', 5);
CREATE TABLE price (product text PRIMARY KEY, amount numeric NOT NULL);
INSERT INTO price VALUES ('tea', 3), ('gin', 20), ('rum', 16);
SELECT einsum_register('r[C,P]', 'rating', '{customer,product}', 'stars', '{*,*}');
SELECT einsum_register('p[P]', 'price', '{product}', 'amount', '{*}');
SELECT einsum_register('pair[P,C]', 'rating', '{product,customer}', bounds => '{*,*}');
SELECT einsum_sql('y[c] = r[c,p]*p[p]') AS query \gset
SELECT * FROM (:query) AS y ORDER BY 1;
SELECT customer, sum(stars * amount) FROM rating JOIN price USING (product) GROUP BY 1 ORDER BY 1;
SELECT einsum_sql('similar[c,d] = r[c,p]*r[d,p]') AS query \gset
SELECT * FROM (:query) AS y ORDER BY 1, 2;
SELECT q.customer, r.customer, sum(q.stars * r.stars) FROM rating q JOIN rating r USING (product) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT einsum_sql('both[p] = p[p] + pair[p,c]') AS query \gset
SELECT * FROM (:query) AS y ORDER BY 1;
SELECT product, coalesce(amount, 0) + count(customer) FROM price FULL JOIN rating USING (product) GROUP BY product, amount ORDER BY 1;
SELECT einsum_value('s[] = r[c,p]*p[p]'), (SELECT sum(stars * amount) FROM rating JOIN price USING (product)) AS expected;
-- a tensor value has no place for such keys
SELECT einsum_value('y[c] = r[c,p]*p[p]');
SELECT einsum_value('y[c] = r[c,p]*p[p]', result => 'dense');
SELECT einsum_sql('y[c:*] = r[c,p]*p[p]');
SELECT einsum_sql('y[c] = sum[p:*] r[c,p]*p[p]');
-- open here, bounded there
SELECT einsum_sql('y[c] = r[c,p]*x[p]');
SELECT einsum_sql('y[c] = r[c,p]*p[p]; z[c] = y[c]*x[c]');
-- what would need a bound
SELECT einsum_sql('y[c] = sum[p] (r[c,p] + s[c]); s[c] = r[c,p]');
SELECT einsum_sql('s[c] = r[c,p]; y[c] = sum[p] (r[c,p] + s[c])');
SELECT einsum_sql('s[c] = r[c,p]; y[c,p] = r[c,p] + s[c]');
-- keys of two types that have no common equality
SELECT einsum_sql('y[c] = r[c,p]*pair[c,d]') AS query \gset
SELECT * FROM (:query) AS y;

SET client_min_messages = warning;
DROP SCHEMA implicit_test CASCADE;
