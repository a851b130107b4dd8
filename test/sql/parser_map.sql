-- Map expressions: the postfix code that kernels run, and what is refused.
\pset format unaligned
\pset tuples_only on
SET search_path = public, sparseeinsum_internal;

SELECT einsum_parse_map('$1');
SELECT einsum_parse_map('exp($1*$2)');
SELECT einsum_parse_map('$1 - $2 - $3');
SELECT einsum_parse_map('$1 - ($2 - $3)');
SELECT einsum_parse_map('-$1^2^-$3');
SELECT einsum_parse_map('0.1 + 1e300');
SELECT einsum_parse_map('if($1 <= 0, least($2, 1, $1), sigmoid($16))');
SELECT einsum_parse_map('pow($1, 2) /* squared */');
SELECT einsum_parse_map('($1 <> $2) * ($1 <-1)');
SELECT einsum_parse_map('$1' || repeat('+$1', 63));
SELECT einsum_parse_map(repeat('- ', 127) || '$1');

SELECT einsum_parse_map('');
SELECT einsum_parse_map('$1 $2');
SELECT einsum_parse_map('$1; $2');
SELECT einsum_parse_map('$1 = $2');
SELECT einsum_parse_map('y[i] = $1');
SELECT einsum_parse_map('$1 + x');
SELECT einsum_parse_map('$1 + x[i]');
SELECT einsum_parse_map('sum[i] $1');
SELECT einsum_parse_map('t($1)');
SELECT einsum_parse_map('max($1, $2)');
SELECT einsum_parse_map('trace($1)');
\set VERBOSITY terse
SELECT einsum_parse_map('rowMean($1)');
\set VERBOSITY default
SELECT einsum_parse_map('$1 %*% $2');
SELECT einsum_parse_map('$1 * 2i');
SELECT einsum_parse_map('$0');
SELECT einsum_parse_map('$17');
SELECT einsum_parse_map('$99999999999999999999');
SELECT einsum_parse_map('$1 < $2 < $3');
SELECT einsum_parse_map('$1**2');
SELECT einsum_parse_map('log($1)');
SELECT einsum_parse_map('relu($1, $2)');
\set VERBOSITY terse
SELECT length(einsum_parse_map('$1' || repeat(' + $1', 8191)));
SELECT einsum_parse_map('$1' || repeat(' + $1', 8192));
SELECT einsum_parse_map(repeat('- ', 16384) || '$1');
\set VERBOSITY default
