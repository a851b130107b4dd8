-- Linear algebra without indices, against the same with indices and scalar SQL.
\set VERBOSITY terse
CREATE SCHEMA la;
SET search_path = la, public;
CREATE TABLE ma (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO ma SELECT i, j, i + 2 * j + 1 FROM generate_series(0, 2) AS i, generate_series(0, 1) AS j;
CREATE TABLE mx (i int PRIMARY KEY, v float8);
INSERT INTO mx VALUES (0, 1), (1, 2);
CREATE TABLE one (v float8);
INSERT INTO one VALUES (4);
CREATE TABLE cube (v tensor);
INSERT INTO cube VALUES ('[[[1]]]');
SELECT einsum_register('m[I,J]', 'ma', '{i,j}', 'v', '{3,2}');
SELECT einsum_register('x[I]', 'mx', '{i}', 'v', '{2}');
SELECT einsum_register('s[]', 'one', '{}', 'v');
SELECT einsum_register('c[i,j,k]', 'cube', '{}', 'v');

-- each beside its spelling with indices
SELECT algebra, einsum_value(algebra) AS value, einsum_value(algebra) = einsum_value(indices) AS same
FROM (VALUES
	('y = m %*% x', 'y[i] = m[i,j] * x[j]'),
	('y = t(m) %*% m', 'y[i,j] = m[k,i] * m[k,j]'),
	('y = x %*% t(m)', 'y[i] = x[j] * m[i,j]'),
	('p = x %*% x', 'p[] = x[i] * x[i]'),
	('o = x %*% t(x)', 'o[i,j] = x[i] * x[j]'),
	('p = sum((m - m %*% x %*% t(x))^2)', 'p[] = sum[i,j] (m[i,j] - (sum[k] m[i,k] * x[k]) * x[j])^2'),
	('r = rowSums(m)', 'r[i] = sum[j] m[i,j]'),
	('r = colSums(m)', 'r[j] = sum[i] m[i,j]'),
	('q = t(x)', 'q[i] = x[i]'),
	('y = m * m + 2 * m', 'y[i,j] = m[i,j]^2 + 2 * m[i,j]'),
	('y = s * m', 'y[i,j] = s[] * m[i,j]'),
	('y = s[] * m', 'y[i,j] = s[] * m[i,j]'),
	('y[a,b] = t(m)', 'y[a,b] = m[b,a]'),
	-- labels of the result are no labels of sums
	('y[k] = m %*% x', 'y[i] = m[i,j] * x[j]'),
	('y[k1,k] = t(m) %*% m', 'y[i,j] = m[k,i] * m[k,j]'),
	('u = sum(x) / sum(m); y = u * x', 'y[i] = (sum[j] x[j]) * x[i] / (sum[i,j] m[i,j])'),
	('y = relu(m %*% x - 8)', 'y[i] = relu((sum[j] m[i,j] * x[j]) - 8)')
) AS t(algebra, indices);

-- %*% as scalar SQL has it
SELECT ma.i, sum(ma.v * mx.v) FROM ma JOIN mx ON ma.j = mx.i GROUP BY ma.i ORDER BY 1;
SELECT * FROM einsum_sql('y = m %*% x', result => 'rows') AS query \gset
SELECT * FROM (:query) AS y ORDER BY i;

-- what does not conform
\set VERBOSITY default
SELECT einsum_value('y = m %*% m');
SELECT einsum_value('y = m + x');
SELECT einsum_value('y = x %*% 2');
SELECT einsum_value('y = rowSums(x)');
SELECT einsum_value('y = c %*% x');
SELECT einsum_value('y = m[i,j] + x');
SELECT einsum_value('y = sum[i] x');
SELECT einsum_value('y[i] = m');
SELECT einsum_value('y = nothing');
DROP SCHEMA la CASCADE;
