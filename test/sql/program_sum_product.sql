-- The rewrites of sums and products that SystemML has (SPORES, figure 14), each with
-- what it makes of an expression: both are written as linear algebra, and are equal.
\set VERBOSITY terse
CREATE SCHEMA sum_product;
SET search_path = sum_product, public;
-- n x m, sparse: x and z; a matrix that it can be multiplied with; an empty one
CREATE TABLE tx (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO tx SELECT i, j, (i * 5 + j * 3) % 7 - 3 FROM generate_series(0, 3) AS i, generate_series(0, 2) AS j WHERE (i + j) % 3 <> 1;
CREATE TABLE tz (i int, v tensor NOT NULL, PRIMARY KEY (i));
INSERT INTO tz VALUES (0, '[1,-2,0]'), (1, '[0,0,4]'), (3, '[3,3,-1]');
CREATE TABLE tw (v tensor NOT NULL);
INSERT INTO tw VALUES ('[[1,2],[0,-1],[3,0]]');
CREATE TABLE te (i int, j int, v float8, PRIMARY KEY (i, j));
SELECT einsum_register('x[I,J]', 'tx', '{i,j}', 'v', '{4,3}');
SELECT einsum_register('z[I,j]', 'tz', '{i}', 'v', '{4,3}');
SELECT einsum_register('w[i,j]', 'tw', '{}', 'v');
SELECT einsum_register('e[I,J]', 'te', '{i,j}', 'v', '{4,3}');
-- columns c (n) and d (m), of which c is also stored as a matrix and as a row
CREATE TABLE tc (i int PRIMARY KEY, v float8);
INSERT INTO tc VALUES (0, 2), (1, -1), (3, 5);
CREATE TABLE td (i int PRIMARY KEY, v float8);
INSERT INTO td VALUES (0, 1), (2, -2);
CREATE VIEW tc1 AS SELECT i, 0 AS j, v FROM tc;
SELECT einsum_register('c[I]', 'tc', '{i}', 'v', '{4}');
SELECT einsum_register('c1[I,J]', 'tc1', '{i,j}', 'v', '{4,1}', duplicates => 'trust');
SELECT einsum_register('r1[J,I]', 'tc1', '{j,i}', 'v', '{1,4}', duplicates => 'trust');
SELECT einsum_register('d[I]', 'td', '{i}', 'v', '{3}');
-- a row of ones, a 1 x 1 matrix and a number
CREATE TABLE t1 (v tensor);
INSERT INTO t1 VALUES ('[[1,1,1]]');
SELECT einsum_register('ones[i,j]', 't1', '{}', 'v');
CREATE TABLE to1 (v tensor);
INSERT INTO to1 VALUES ('[[3]]');
SELECT einsum_register('o[i,j]', 'to1', '{}', 'v');
CREATE TABLE tl (v float8);
INSERT INTO tl VALUES (0.5);
SELECT einsum_register('l[]', 'tl', '{}', 'v');

CREATE TABLE pair (method text, written text, rewritten text);
INSERT INTO pair VALUES
	('UnnecessaryOuterProduct', 'x * (c %*% ones)', 'x * c'),
	('UnnecessaryOuterProduct', 'x * (c1 %*% ones)', 'x * c1'),
	('UnnecessaryOuterProduct', 'x * (c %*% 1)', 'x * c'),
	('ColwiseAgg', 'colSums(c)', 'sum(c)'),
	('ColwiseAgg', 'colSums(c1)', 'sum(c)'),
	('ColwiseAgg', 'colSums(t(c))', 't(c)'),
	('ColwiseAgg', 'colMaxs(c1)', 'max(c1)'),
	('RowwiseAgg', 'rowSums(r1)', 'sum(r1)'),
	('RowwiseAgg', 'rowSums(c)', 'c'),
	('RowwiseAgg', 'rowMeans(t(c))', 'mean(c)'),
	('ColSumsMVMult', 'colSums(x * c)', 't(c) %*% x'),
	('ColSumsMVMult', 'colSums(x * c1)', 't(c) %*% x'),
	('RowSumsMVMult', 'rowSums(x * t(d))', 'x %*% d'),
	('UnnecessaryAggregate', 'sum(o)', 'o'),
	('UnnecessaryAggregate', 'min(o) + max(l) + prod(o)', 'o + l + o'),
	('EmptyAgg', 'sum(e)', '0'),
	('EmptyAgg', 'colSums(e)', 't(0 * d)'),
	('EmptyReorgOp', 't(e)', '0 * t(x)'),
	('EmptyMMult', 'x %*% t(e)', '0 * (x %*% t(z))'),
	('IdentityRepMatrixMult', 'c1 %*% (o / 3)', 'c1'),
	('ScalarMatrixMult', 'c1 %*% o', 'c1 * o'),
	('ScalarMatrixMult', 'o %*% r1', 'r1 * o'),
	('pushdownSumOnAdd', 'sum(x + z)', 'sum(x) + sum(z)'),
	('pushdownSumOnAdd', 'sum(x - z)', 'sum(x) - sum(z)'),
	('DotProductSum', 'sum(c^2)', 't(c) %*% c'),
	('DotProductSum', 'sum(c * c1)', 't(c1) %*% c'),
	('reorderMinusMatrixMult', '(-t(x)) %*% c', '-(t(x) %*% c)'),
	('reorderMinusMatrixMult', 't(x) %*% (-c)', '-(t(x) %*% c)'),
	('SumMatrixMult', 'sum(x %*% w)', 'sum(t(colSums(x)) * rowSums(w))'),
	('SumMatrixMult', 'trace(x %*% t(z))', 'sum(x * z)'),
	('EmptyBinaryOperation', 'x * e', '0 * x'),
	('EmptyBinaryOperation', 'x + e', 'x'),
	('EmptyBinaryOperation', 'x - e', 'x'),
	('ScalarMVBinaryOperation', 'x * o', 'x * 3'),
	('UnnecessaryBinaryOperation', 'x * 1', 'x'),
	('UnnecessaryBinaryOperation', '1 - x * -1', 'x + 1'),
	('BinaryToUnaryOperation', 'x * x', 'x^2'),
	('BinaryToUnaryOperation', 'x + x', 'x * 2'),
	('BinaryToUnaryOperation', '(x > 0) - (x < 0)', 'sign(x)'),
	('MatrixMultScalarAdd', 'l + c %*% t(d)', 'c %*% t(d) + l'),
	('DistributiveBinaryOperation', 'x - z * x', '(1 - z) * x'),
	('DistributiveBinaryOperation', 'x * z + x', '(z + 1) * x'),
	('BushyBinaryOperation', 'x * (z * (x %*% d))', '(x * z) * (x %*% d)'),
	('UnaryAggReorgOperation', 'sum(t(x))', 'sum(x)'),
	('UnaryAggReorgOperation', 'max(t(x))', 'max(x)'),
	('UnnecessaryAggregates', 'sum(rowSums(x))', 'sum(x)'),
	('UnnecessaryAggregates', 'min(colMins(x))', 'min(x)'),
	('UnnecessaryAggregates', 'max(rowMaxs(x))', 'max(x)'),
	('BinaryMatrixScalarOperation', 'o * l', 'l * 3'),
	('pushdownUnaryAggTransposeOp', 'colSums(t(x))', 't(rowSums(x))'),
	('pushdownUnaryAggTransposeOp', 'rowSums(t(x))', 't(colSums(x))'),
	('pushdownCSETransposeScalarOp', 't(x^2)', 't(x)^2'),
	('pushdownSumBinaryMult', 'sum(l * x)', 'l * sum(x)'),
	('UnnecessaryReorgOperation', 't(t(x))', 'x'),
	('TransposeAggBinBinaryChains', 't(t(w) %*% t(x) + t(x %*% w))', 'x %*% w + x %*% w'),
	('UnnecessaryMinus', '-(-x)', 'x');
SELECT method, written, rewritten, einsum_value('y = ' || written) AS value,
	einsum_value('y = ' || written) = einsum_value('y = ' || rewritten)
	AND einsum_value('y = ' || written, rewrite => 'none') = einsum_value('y = ' || rewritten, rewrite => 'none', search => 'greedy') AS equal
FROM pair;
SELECT count(DISTINCT method) FROM pair;

-- The inner loops of section 4.2, against the same with indices.
SELECT method, tensor_round(einsum_value(algebra) * 1000) / 1000 AS value, einsum_value(algebra) = einsum_value(indices) AS same
FROM (VALUES
	('ALS', 'g = (x %*% w %*% t(w) - z) %*% w', 'g[i,k] = ((sum[l,m] x[i,l]*w[l,m]*w[j,m]) - z[i,j]) * w[j,k]'),
	('ALS', 's = sum((x - c %*% t(d))^2)', 's[] = sum[i,j] (x[i,j] - c[i]*d[j])^2'),
	('GLM', 'y = t(x) %*% ((relu(x %*% d) - c) * c^2)', 'y[j] = x[i,j] * ((relu(sum[k] x[i,k]*d[k]) - c[i]) * c[i]^2)'),
	('SVM', 'out = 1 - c * (x %*% d); h = out > 0; g = 0.5 * d - t(x) %*% (h * out * c)',
	 'out[i] = 1 - c[i] * (sum[j] x[i,j]*d[j]); g[j] = 0.5*d[j] - (sum[i] x[i,j] * (out[i] > 0) * out[i] * c[i])'),
	('MLR', 'p = c * (1 - c); y = p * x - c * rowSums(x * c) * x', 'y[i,j] = c[i]*(1 - c[i])*x[i,j] - c[i]*(sum[k] x[i,k]*c[i])*x[i,j]'),
	('PNMF', 'a = z^2 + 1; u = (t(c^2) %*% (a / (c^2 %*% t(d^2) + 1))) / sum(c^2)', 'u[j] = (sum[i] c[i]^2 * ((z[i,j]^2 + 1) / (c[i]^2 * d[j]^2 + 1))) / (sum[i] c[i]^2)'),
	('PNMF', 's = sum(c %*% t(d)) - sum(x * relu(c %*% t(d)))', 's[] = c[i]*d[j] - x[i,j]*relu(c[i]*d[j])')
) AS t(method, algebra, indices);
DROP SCHEMA sum_product CASCADE;
