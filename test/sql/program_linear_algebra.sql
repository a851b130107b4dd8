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
	('y = relu(m %*% x - 8)', 'y[i] = relu((sum[j] m[i,j] * x[j]) - 8)'),
	('y = -m^2 + (m >= 4)', 'y[i,j] = -m[i,j]^2 + (m[i,j] >= 4)')
) AS t(algebra, indices);

-- vectors, rows, matrices of one column, one row, one entry; some are sparse, one has no rows, one a fill
CREATE TABLE mw (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO mw VALUES (0, 0, -3), (2, 0, 5);
SELECT einsum_register('w[I,J]', 'mw', '{i,j}', 'v', '{3,1}');
CREATE TABLE mh (v tensor);
INSERT INTO mh VALUES ('[[7,-2]]');
SELECT einsum_register('h[i,j]', 'mh', '{}', 'v');
CREATE TABLE mo (i int, v tensor, PRIMARY KEY (i));
INSERT INTO mo VALUES (0, '[-2]');
SELECT einsum_register('o[I,j]', 'mo', '{i}', 'v', '{1,1}');
CREATE TABLE mq (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO mq VALUES (0, 1, -4), (2, 2, -6), (1, 0, -1), (2, 0, -8), (2, 1, -9);
SELECT einsum_register('q[I,J]', 'mq', '{i,j}', 'v', '{3,3}');
CREATE TABLE mn (i int, j int, v float8, PRIMARY KEY (i, j));
SELECT einsum_register('n[I,J]', 'mn', '{i,j}', 'v', '{2,0}');
CREATE TABLE mf (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO mf VALUES (1, 1, 5);
SELECT einsum_register('f[I,J]', 'mf', '{i,j}', 'v', '{3,3}', fill => 2);

-- what repeats
SELECT algebra, einsum_value(algebra) AS value, einsum_value(algebra) = einsum_value(indices) AS same
FROM (VALUES
	('y = m - w', 'y[i,j] = m[i,j] - sum[k] w[i,k]'),
	('y = rowSums(m) * m', 'y[i,j] = (sum[k] m[i,k]) * m[i,j]'),
	('y = m - colMeans(m)', 'y[i,j] = m[i,j] - (sum[k] m[k,j]) / 3'),
	('y = m * t(x)', 'y[i,j] = m[i,j] * x[j]'),
	('y = h > m', 'y[i,j] = (sum[k] h[k,j]) > m[i,j]'),
	('y = q ^ -o', 'y[i,j] = q[i,j] ^ -(sum[k,l] o[k,l])'),
	('y = x * o', 'y[i] = x[i] * (sum[k,l] o[k,l])'),
	('y = o - q', 'y[i,j] = (sum[k,l] o[k,l]) - q[i,j]'),
	('y = if(m > 2, w, t(x))', 'y[i,j] = if(m[i,j] > 2, sum[k] w[i,k], x[j])'),
	('y = greatest(w, m, h)', 'y[i,j] = greatest(sum[k] w[i,k], m[i,j], sum[k] h[k,j])'),
	('y = w * q + t(w) * q', 'y[i,j] = (sum[k] w[i,k])*q[i,j] + (sum[k] w[j,k])*q[i,j]'),
	-- a row stays a row where a later statement reads it
	('u = colSums(q); y = q - u', 'y[i,j] = q[i,j] - sum[k] q[k,j]'),
	('u[a] = t(rowSums(q)); y = u * q', 'y[i,j] = (sum[k] q[j,k]) * q[i,j]'),
	('u = rowMins(q); y = q - u', 'y[i,j] = q[i,j] - (min[k] q[i,k])'),
	('u = t(x); y = x %*% u', 'y[i,j] = x[i] * x[j]')
) AS t(algebra, indices);

-- functions of matrices
SELECT algebra, einsum_value(algebra) AS value, einsum_value(algebra) = einsum_value(indices) AS same
FROM (VALUES
	('y = min(m)', 'y[] = min[i,j] m[i,j]'),
	-- what is not stored takes part
	('y = max(q)', 'y[] = max[i,j] q[i,j]'),
	('y = min(f)', 'y[] = min[i,j] f[i,j]'),
	('y = prod(f)', 'y[] = prod[i,j] f[i,j]'),
	('y = prod(q) == 0', 'y[] = (prod[i,j] q[i,j]) == 0'),
	('y = mean(m)', 'y[] = (sum[i,j] m[i,j]) / 6'),
	('y = mean(f - 2)', 'y[] = (sum[i,j] (f[i,j] - 2)) / 9'),
	('y = rowMeans(f)', 'y[i] = (sum[j] f[i,j]) / 3'),
	('y = rowMaxs(q)', 'y[i] = max[j] q[i,j]'),
	('y = rowMins(f)', 'y[i] = min[j] f[i,j]'),
	('y = colMaxs(q)', 'y[j] = max[i] q[i,j]'),
	('y = colMins(m)', 'y[j] = min[i] m[i,j]'),
	('y = colMeans(h)', 'y[j] = sum[i] h[i,j]'),
	('y = COLMEANS(w) * 3', 'y[] = sum[i,j] w[i,j]'),
	('y = rowSums(x)', 'y[i] = x[i]'),
	('y = colSums(x)', 'y[] = sum[i] x[i]'),
	('y = rowMaxs(t(x))', 'y[] = max[i] x[i]'),
	('y = trace(q)', 'y[] = sum[i] q[i,i]'),
	('y = trace(f)', 'y[] = sum[i] f[i,i]'),
	('y = trace(t(m) %*% m)', 'y[] = sum[i,j] m[i,j] * m[i,j]'),
	('y = trace(t(x) %*% x)', 'y[] = sum[i] x[i]^2'),
	('y = trace(q - rowMaxs(q) * f)', 'y[] = sum[i] (q[i,i] - (max[j] q[i,j]) * f[i,i])'),
	('y = diag(q)', 'y[i] = q[i,i]'),
	('y = diag(f)', 'y[i] = f[i,i]'),
	('y = diag(m %*% t(m))', 'y[i] = sum[j] m[i,j]^2'),
	('y = diag(x)', 'y[i,j] = x[i] * eye[i,j]'),
	('y = diag(t(x))', 'y[i,j] = x[j] * eye[i,j]'),
	('y = diag(w)', 'y[i,j] = (sum[k] w[i,k]) * eye[i,j]'),
	('y = diag(h)', 'y[i,j] = (sum[k] h[k,i]) * eye[i,j]'),
	('y = diag(diag(q))', 'y[i,j] = q[i,i] * eye[i,j]'),
	('y = trace(diag(x))', 'y[] = sum[i] x[i]'),
	('y = diag(w) %*% m', 'y[i,j] = (sum[k] w[i,k]) * m[i,j]'),
	-- whatever else is called eye
	('eye = 2 * q; y = diag(w) + eye', 'y[i,j] = (sum[k] w[i,k]) * eye[i,j] + 2 * q[i,j]'),
	('y = nrow(m) - 10 * ncol(m)', 'y[] = 3 - 10 * 2'),
	('y = x * nrow(x) + ncol(x)', 'y[i] = x[i] * 2 + 1'),
	('y = nrow(t(m) %*% m) + ncol(5)', 'y[] = 2 + 1')
) AS t(algebra, indices);

-- results of one entry are numbers, unless brackets say otherwise
SELECT algebra, einsum_value(algebra) AS value
FROM (VALUES ('y = o'), ('y = 2 * o'), ('y[i,j] = o'), ('y[] = o'), ('y = t(w) %*% w'), ('y[i,j] = t(w) %*% w'), ('y = w %*% o'), ('y[i] = w %*% o'),
	('y = o %*% h'), ('y[i] = h'), ('y = x %*% 2'), ('y = (x %*% x) %*% h'), ('y = diag(o)'), ('y = x * o'), ('y = o + x'), ('y = w + diag(q)'), ('y = x %*% h'), ('s2 = t(w) %*% w; y = m * s2')) AS t(algebra);

-- of nothing
SELECT algebra, einsum_value(algebra) AS value, tensor_shape(einsum_value(algebra)) AS shape
FROM (VALUES ('y = n'), ('y = t(n)'), ('y = n + x'), ('y = sum(n)'), ('y = mean(n)'), ('y = prod(n)'), ('y = min(n)'), ('y = max(n)'), ('y = rowSums(n)'), ('y = rowMeans(n)'),
	('y = rowMaxs(n)'), ('y = colMins(n)'), ('y = colMeans(n)'), ('y = n %*% t(n)'), ('y = t(n) %*% n'), ('y = trace(t(n) %*% n)'), ('y = diag(t(n) %*% n)'),
	('y = diag(colSums(n))'), ('y = diag(colSums(n)) %*% t(n)'), ('y = nrow(n) + 10 * ncol(n)')) AS t(algebra);

-- element types: numbers and comparisons have none of their own
CREATE TABLE mr (i int, j int, v real, PRIMARY KEY (i, j));
INSERT INTO mr VALUES (0, 0, 0.5), (0, 1, 3), (1, 1, -2);
SELECT einsum_register('r[I,J]', 'mr', '{i,j}', 'v', '{2,2}');
CREATE TABLE mz (i int, v tensor(complex8,1), PRIMARY KEY (i));
INSERT INTO mz VALUES (0, 'complex8:[1+2i,4]'), (1, 'complex8:[0,2i]');
SELECT einsum_register('z[I,j]', 'mz', '{i}', 'v', '{2,2}');
SELECT algebra, einsum_value(algebra) AS value
FROM (VALUES ('y = mean(r)'), ('y = r - colMaxs(r)'), ('y = r * nrow(r)'), ('y = (r > 0) * ncol(r)'), ('y = rowMins(r) * x'), ('y = diag(r)'), ('y = diag(diag(r))'),
	('y = trace(z)'), ('y = mean(z)'), ('y = z - rowMeans(z)'), ('y = prod(z - 1)'), ('y = -r ^ 2 * z'), ('y = z == 0')) AS t(algebra);

-- keys that are open: what counts them is an error, the rest is not
CREATE TABLE mg (i text, j text, v float8, PRIMARY KEY (i, j));
INSERT INTO mg VALUES ('a', 'a', 2), ('a', 'b', 3), ('b', 'b', 4);
SELECT einsum_register('g[I,J]', 'mg', '{i,j}', 'v', '{*,*}');
CREATE TABLE mv (i text PRIMARY KEY, v float8);
INSERT INTO mv VALUES ('a', 10), ('c', 20);
SELECT einsum_register('v[I]', 'mv', '{i}', 'v', '{*}');
SELECT einsum_value('y = trace(g)'), einsum_value('y = sum(g * v)'), einsum_value('y = t(v) %*% g %*% v');
SELECT * FROM einsum_sql('y[I] = diag(g) * v') AS query \gset
SELECT * FROM (:query) AS y ORDER BY i;
SELECT * FROM einsum_sql('y[I,J] = g * v + g') AS query \gset
SELECT * FROM (:query) AS y ORDER BY i, j;

-- %*% as scalar SQL has it
SELECT ma.i, sum(ma.v * mx.v) FROM ma JOIN mx ON ma.j = mx.i GROUP BY ma.i ORDER BY 1;
SELECT * FROM einsum_sql('y = m %*% x', result => 'rows') AS query \gset
SELECT * FROM (:query) AS y ORDER BY i;

-- what does not conform
\set VERBOSITY default
SELECT einsum_value('y = m %*% m');
SELECT einsum_value('y = m + x');
SELECT einsum_value('y = m %*% 2');
SELECT einsum_value('y = m - t(w)');
SELECT einsum_value('y = 2 * w - t(w) / 2');
SELECT einsum_value('y = if(m > 2, x, 0)');
SELECT einsum_value('y = greatest(m, 2, x)');
SELECT einsum_value('u = colSums(q); y = u + w');
SELECT einsum_value('y = 1 + trace(m)');
SELECT einsum_value('y = trace(x)');
SELECT einsum_value('y = x * diag(m)');
SELECT einsum_value('y = diag(3)');
SELECT einsum_value('y = diag(sum(m))');
SELECT einsum_value('y = mean(g)');
SELECT einsum_value('y = colMeans(g)');
SELECT einsum_value('y = nrow(v)');
SELECT einsum_value('y = diag(v)');
SELECT einsum_value('y = g + v');
SELECT einsum_value('y = max(m, 3)');
SELECT einsum_value('y = max(m[i,j])');
SELECT einsum_value('y = rowMax(m)');
SELECT einsum_value('y = trace()');
SELECT einsum_value('y = w > 1i');
SELECT einsum_value('y = r - rowMaxs(z)');
SELECT einsum_value('y[i,j] = x');
SELECT einsum_value('y = c %*% x');
SELECT einsum_value('y = m[i,j] + x');
SELECT einsum_value('y = sum[i] x');
SELECT einsum_value('y[i] = m');
SELECT einsum_value('y = nothing');
DROP SCHEMA la CASCADE;
