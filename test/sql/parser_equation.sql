-- Equations as numpy's: what is read, with its output, and what is refused.
\pset format unaligned
\pset tuples_only on
SET search_path = public, sparseeinsum_internal;

SELECT einsum_parse_equation('ij,jk->ik', 2);
SELECT einsum_parse_equation(E' i j ,\tj k\n-> i k ', 2);
SELECT einsum_parse_equation('ij->ji', 1);
SELECT einsum_parse_equation('i,j->ij', 2);
SELECT einsum_parse_equation('ij,kj,lj->', 3);
-- implicit output: the labels that occur once, upper case first
SELECT einsum_parse_equation('ij,jk', 2);
SELECT einsum_parse_equation('ba', 1);
SELECT einsum_parse_equation('bA', 1);
SELECT einsum_parse_equation('zB,Ba,Aa', 3);
SELECT einsum_parse_equation('ii', 1);
SELECT einsum_parse_equation('iij', 1);
SELECT einsum_parse_equation('i,i', 2);
-- diagonals and scalars
SELECT einsum_parse_equation('ii->i', 1);
SELECT einsum_parse_equation('iji,j->ji', 2);
SELECT einsum_parse_equation('', 1);
SELECT einsum_parse_equation('->', 1);
SELECT einsum_parse_equation(',', 2);
SELECT einsum_parse_equation(',i', 2);
SELECT einsum_parse_equation('i,->i', 2);
-- the ellipsis, first in an implicit output
SELECT einsum_parse_equation('...i,ij->...j', 2);
SELECT einsum_parse_equation('i...,...', 2);
SELECT einsum_parse_equation('b...A,b', 2);
SELECT einsum_parse_equation('...', 1);
SELECT einsum_parse_equation('...->', 1);
SELECT einsum_parse_equation('ij,jk->i...', 2);
-- limits that are just met
SELECT length(einsum_parse_equation(repeat(',', 63), 64));
SELECT einsum_parse_equation('abcdefghijklmnop->ponmlkjihgfedcba', 1);
SELECT einsum_parse_equation('a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p', 16);
SELECT einsum_parse_equation('abcdefghijklmnop,qrstuvwxyzABCDEF,GHIJKLMNOPQRSTUV,WXYZ->aZ', 4);

-- Errors
SELECT einsum_parse_equation('ij,jk->il', 2);
SELECT einsum_parse_equation('ij,jk->iki', 2);
SELECT einsum_parse_equation('ij,jk->i,k', 2);
SELECT einsum_parse_equation('ij->j->i', 1);
SELECT einsum_parse_equation('ij-k', 2);
SELECT einsum_parse_equation('ij- >i', 1);
SELECT einsum_parse_equation('ij,jk->ik', 1);
SELECT einsum_parse_equation('ij,jk->ik', 3);
SELECT einsum_parse_equation('', 2);
SELECT einsum_parse_equation('i1,1j->ij', 2);
SELECT einsum_parse_equation('i é', 1);
SELECT einsum_parse_equation('i_', 1);
SELECT einsum_parse_equation('i.', 1);
SELECT einsum_parse_equation('i..', 1);
SELECT einsum_parse_equation('. . .i', 1);
SELECT einsum_parse_equation('...i...->i', 1);
SELECT einsum_parse_equation('i,....->i', 2);
SELECT einsum_parse_equation('...i->...i...', 1);
SELECT einsum_parse_equation('i->i...i', 1);
SELECT einsum_parse_equation('abcdefghijklmnopq->', 1);
SELECT einsum_parse_equation('a,abcdefghijklmnopp->', 2);
SELECT einsum_parse_equation('abcdefghijklmnop,q->abcdefghijklmnopq', 2);
SELECT einsum_parse_equation('abcdefghijklmnop,q', 2);
SELECT einsum_parse_equation(repeat(',', 64), 65);
SELECT length(einsum_parse_equation(repeat(' ', 1000000), 1));
