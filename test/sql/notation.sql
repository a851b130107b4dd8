-- Notations of tensors.
\pset format unaligned
\pset tuples_only on
SET search_path = public, sparseeinsum_internal;

SELECT einsum_parse_notation('a[I,J]');
SELECT einsum_parse_notation(' s . A [ I:64, j:*, k:1 ] ');
SELECT einsum_parse_notation('a[]');
SELECT einsum_parse_notation('"Foo"."a b"["I",i]');
SELECT einsum_parse_notation('a[i,i]');
-- the name of an aggregate is no keyword here, but would be in a program
SELECT einsum_parse_notation('sum[I,j]');
SELECT einsum_parse_notation('"sum"[I,j]');
SELECT einsum_parse_notation('a /* comment */ [i] -- more');

SELECT einsum_parse_notation('');
SELECT einsum_parse_notation('a');
SELECT einsum_parse_notation('s.a');
SELECT einsum_parse_notation('a[i');
SELECT einsum_parse_notation('a[i] b');
SELECT einsum_parse_notation('a[i] = 3');
SELECT einsum_parse_notation('a[i];');
SELECT einsum_parse_notation('a(i)');
SELECT einsum_parse_notation('a[Ij]');
SELECT einsum_parse_notation('a[value]');
SELECT einsum_parse_notation('a[i+1]');
SELECT einsum_parse_notation('a[3]');
SELECT einsum_parse_notation('a[i:0]');
SELECT einsum_parse_notation('a[i:x]');
SELECT einsum_parse_notation('3');
