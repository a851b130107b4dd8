-- The program language: what is read, shown with every operation in parentheses.
\pset format unaligned
\pset tuples_only on

-- Statements
SET search_path = public, sparseeinsum_internal;
SELECT einsum_parse('y[i] = x[i]');
SELECT einsum_parse('y[i] := x[i]');
SELECT einsum_parse('y[i] <- x[i]');
SELECT einsum_parse('y[i]<-x[i]');
SELECT einsum_parse('a[i] = x[i]; b[i] = a[i]; ; c[] = b[i];;');
SELECT einsum_parse(';;a[i] = x[i]');
SELECT einsum_parse('s[] = 3');
SELECT einsum_parse('s[] = t[]');

-- Formulas: an operand behind the brackets tells them from tensors
SELECT einsum_parse('y[i] = avg[j] a[i,j]*2 + Count[j](a[i,j]) ^ 2');
SELECT einsum_parse('y[i] = norm[i]; z[i] = norm[i] - x[i]; avg[i] = avg[] + avg; w[i] = "avg"[i]*s.avg[i]/(avg[i])');
SELECT einsum_parse('y[i] = -softmax[i,j] logsumexp[k] -avg[i] - 2*count[j] 3');
SELECT einsum_parse('y[i,j] = sum[k] softmax[i] softmax[j]');

-- Shifted and constant indices
SELECT einsum_parse('y[t,k] = x[t-1,k] + x[T+2,k:4-3] + x[t:*+1,"Odd x"-1]*x[0,k+0] + x[7,007]');

-- Numbers
SELECT einsum_parse('s[] = 1 + 1.5 + .5 + 2. + 1e-3 + 1.5E+3 + .5e2 + 007');
SELECT einsum_parse('s[] = 2i * 1.5i + 1e3i');
SELECT einsum_parse('s[] = 0.1 + 123456789012345678901234567890 + 4.9e-324 + 1e-999 + 1.7976931348623157e308');
BEGIN;
SET LOCAL extra_float_digits = -15;
SELECT einsum_parse('s[] = 0.30000000000000004');
COMMIT;

-- Precedence: comparison, then + -, then * /, then %*%, then unary minus, then ^
SELECT einsum_parse('s[] = 1 - 2 - 3');
SELECT einsum_parse('s[] = 1 - 2 + 3');
SELECT einsum_parse('s[] = 1 / 2 / 3');
SELECT einsum_parse('s[] = 1 / 2 * 3');
SELECT einsum_parse('s[] = 1 + 2 * 3');
SELECT einsum_parse('s[] = 1 * 2 + 3');
SELECT einsum_parse('s[] = (1 + 2) * 3');
SELECT einsum_parse('s[] = 2 ^ 3 ^ 4');
SELECT einsum_parse('s[] = (2 ^ 3) ^ 4');
SELECT einsum_parse('y[i] = -a[i]^2');
SELECT einsum_parse('y[i] = (-a[i])^2');
SELECT einsum_parse('y[i] = 2 ^ -1');
SELECT einsum_parse('y[i] = 2 ^ -a[i] * 3');
SELECT einsum_parse('y[i] = 2 ^ -a[i] ^ 3');
SELECT einsum_parse('y[i] = -a[i] * -b[i] - -c[i]');
SELECT einsum_parse('y[i] = - - a[i]');
SELECT einsum_parse('y[i] = -a[i] + b[i]');
SELECT einsum_parse('c = -a %*% b * d ^ 2 %*% e');
SELECT einsum_parse('c = a %*% b %*% c');
SELECT einsum_parse('y[i] = a[i] + 1 < b[i] * 2');
SELECT einsum_parse('y[i] = (a[i] < b[i]) * (b[i] <= c[i])');
SELECT einsum_parse('y[i] = (a[i] < b[i]) < c[i]');
SELECT einsum_parse('y[i] = a[i] == 1; y1[i] = a[i] <> 1; y2[i] = a[i] != 1');
SELECT einsum_parse('y[i] = a[i] < 1; y1[i] = a[i] <= 1; y2[i] = a[i] > 1; y3[i] = a[i] >= 1');
-- in an expression an arrow is a comparison with a negative number
SELECT einsum_parse('y[i] <- x[i]<-1');
SELECT einsum_parse('y[i] = x[i] <- 1; z[i] <- y[i]');

-- Aggregates take * / %*% ^ and unary minus and stop at + - and comparisons
SELECT einsum_parse('y[i] = sum[j] a[i,j]*x[j] + b[i]');
SELECT einsum_parse('y[i] = b[i] + sum[j] a[i,j]*x[j]');
SELECT einsum_parse('y[i] = b[i] - sum[j] a[i,j]*x[j] - c[i]');
SELECT einsum_parse('y[i] = 2*sum[j] x[j]*y[i]');
SELECT einsum_parse('y[i] = 2/sum[j] x[j]/y[i]');
SELECT einsum_parse('y[i] = 2^sum[j] x[j]*y[i] + 1');
SELECT einsum_parse('y[i] = -sum[j] x[j]*2');
SELECT einsum_parse('y[i] = sum[j] -x[j]^2 * 3');
SELECT einsum_parse('y[i] = sum[j] x[j] < 3');
SELECT einsum_parse('y[i] = 3 < sum[j] x[j]*2');
SELECT einsum_parse('y[i] = (sum[j] x[j]) * 2');
SELECT einsum_parse('y[i] = sum[j] (x[j] + 2)');
SELECT einsum_parse('y[i] = sum[j] sum[k] a[i,j]*b[j,k] + 1');
SELECT einsum_parse('y[i] = sum[j] a[i,j]*max[k] b[j,k]*2');
SELECT einsum_parse('y[i] = relu(sum[j] a[i,j]*x[j]) + prod[j] a[i,j]');
SELECT einsum_parse('d[i] = max[j] u[i,j] - v[i,j]');
SELECT einsum_parse('p[i,j] = e[i,j] / (sum[j] e[i,j])');
SELECT einsum_parse('s[] = SUM[i,j] a[i,j] + Prod[i] b[i] + max[i] b[i] + min[i] b[i] + any[i] b[i] + all [i] b[i]');
-- a name of an aggregate is a keyword only before a bracket, and never in quotes
SELECT einsum_parse('sum = max + min');
SELECT einsum_parse('y[sum,max] = "sum"[sum,max] * s.max[sum,max]');
SELECT einsum_parse('"sum"[i] = x[i]');
SELECT einsum_parse('s = sum /* comment */ (x)');

-- Functions
SELECT einsum_parse('y[i] = exp(ln(sqrt(abs(sign(sigmoid(tanh(relu(x[i]))))))))');
SELECT einsum_parse('y[i] = sin(x[i]) + cos(x[i]) + floor(x[i]) + ceil(x[i]) + round(x[i])');
SELECT einsum_parse('y[i] = pow(x[i] + 1, 2)');
SELECT einsum_parse('y[i] = if(x[i] < 0, -1, 1)');
SELECT einsum_parse('y[i] = greatest(x[i], 1) + least(x[i], y[i], 3, 4)');
SELECT einsum_parse('y[i] = RELU (x[i])');
-- a tensor may have a function's name
SELECT einsum_parse('exp[i] = exp(exp[i])');

-- Pins
SELECT einsum_parse('y[I] = a[I,j]*x[J]');
SELECT einsum_parse('y[i:64,J:64,k:*,L:*,m:1,N:1] = a[i]');
SELECT einsum_parse('y[ROW_1] = a[row_1]');
SELECT einsum_parse('y[_1,_A,_b,_2:1] = 1');
SELECT einsum_parse('y["I","i2","a b","Say ""hi""","q":1,"R":1,"s":8,"t":*] = 1');
SELECT einsum_parse('y[i : 64, j : *] = sum[K, l:16] a[i,j,k,l]');
SELECT einsum_parse('y[i:2147483647] = 1');
SELECT einsum_parse('y[straße,ÉTÉ,"É"] = 1');

-- Names
SELECT einsum_parse('Y[i] = Foo[i] + "Foo"[i] + "a ""b"""[i] + S.T[i] + "S"."T"[i] + public . x [ i ]');
SELECT einsum_parse('y[i] = a$1[i] + _a[i] + "1a"[i] + "select"[i] + größe[i]');
SELECT einsum_parse('y[i] = ' || repeat('x', 70) || '[i]');

-- Linear algebra
SELECT einsum_parse('s = sum((x - u %*% t(v))^2)');
SELECT einsum_parse('r = rowSums(a) + ROWSUMS(b) - colsums(c) * T(d)');
SELECT einsum_parse('b <- solve.x * "t"');
SELECT einsum_parse('y = max(a) * rowMaxs(-a) + TRACE(diag(colmeans(b))) ^ nrow(c)');

-- Comments and space
SELECT einsum_parse(E'-- a comment\ny[i] = -- another; y = 1\n\tx[i] /* and /* a nested */ one; */ + 1\r\n-- the last');
SELECT einsum_parse('y[i]=a[i,j]*x[j]--');
SELECT einsum_parse('y[i] = 2*/**/3');

-- What is printed is read as the same
CREATE FUNCTION pg_temp.stable(program text) RETURNS boolean LANGUAGE sql AS
	$$ SELECT einsum_parse(einsum_parse(program)) = einsum_parse(program) $$;
SELECT bool_and(pg_temp.stable(p)), count(*) FROM (VALUES
	('y[i] = sum[j] a[i,j]*x[j] + b[i]'),
	('y[i] = 2*sum[j] x[j]*y[i]; z[I:64,j:*] <- -a[i,J]^2^-1 < -1; s = sum((x - u %*% t(v))^2);'),
	('y[i] = least(x[i], y[i], 3, 4) + pow(2, -1) + if(1 < 2, 3, 4)'),
	('y["I","i2","a b","Say ""hi""","q":1,"R":1,"s":8,"t":*,_:1,W,X:1] = 0.1 + 1e300i + 1e-7'),
	('"sum"[i] = "Max"."min"[i] + "max" + "größe"[i] + größe[i] + s.any[i]'),
	('y[i] = sum[j] -max[k:4,L] -a[i,j,k]^b[i] == 3'),
	('r = rowSums(a) %*% colSums(-b) / t(sum(c))'),
	('y[É,"Ö":1,"é":*] = 1')) AS v(p);
-- a program of depth that is read and printed
SELECT length(einsum_parse('y[] = ' || repeat('(', 3000) || '1' || repeat(')', 3000)));
SELECT length(einsum_parse('y[] = 1' || repeat(' + 1', 3000)));
