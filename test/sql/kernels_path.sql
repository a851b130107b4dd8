-- einsum_path: the order in which einsum multiplies more than two operands
\pset format unaligned
\pset tuples_only on

-- a chain: the vector first
SELECT einsum_path('ij,jk,kl,l->i', '{10,20}', '{20,30}', '{30,40}', '{40}');
-- where it is best to begin depends on the shapes
SELECT einsum_path('ij,jk,kl->il', '{10,1000}', '{1000,5}', '{5,500}');
SELECT einsum_path('ij,jk,kl->il', '{500,5}', '{5,1000}', '{1000,10}');
-- outer products where they are cheaper than what shares labels
SELECT einsum_path('i,j,ijk->k', '{3}', '{3}', '{3,3,1000}');
SELECT einsum_path('i,ijk,j->k', '{2}', '{2,2,1000}', '{2}');
-- numbers and dimensions of bound 1 do not count
SELECT einsum_path('ij,,jk,k->ik', '{2,3}', '{}', '{3,4}', '{1}');
-- ellipsis, and shapes of tensors and numbers
SELECT einsum_path('...i,ij,...j->...', '[[1,2],[3,4]]'::tensor, '{2,3}'::int[], '{5,2,3}');
SELECT einsum_path('i,,j', '[1,2]'::tensor, 5, '{3}');
SELECT einsum_path('ij,jk->ik', '{2,3}', '{3,4}');
SELECT einsum_path('ii', '{3,3}');
SELECT einsum_path('ij,jk,kl->il', '{2,0}', '{0,4}', '{4,3}');
-- nine operands and more: greedy
SELECT einsum_path('ab,bc,cd,de,ef,fg,gh,hi,ij->aj', '{2,3}', '{3,4}', '{4,5}', '{5,6}', '{6,7}', '{7,8}', '{8,9}', '{9,10}', '{10,2}');
SELECT einsum_path('a,a,b,b,c,c,d,d,e,e->', '{2}', '{2}', '{3}', '{3}', '{4}', '{4}', '{5}', '{5}', '{6}', '{6}');
-- no order keeps to 1 GB: computed in parts
SELECT einsum_path('ai,aj,ak,ijkl->al', '{90000,200}', '{90000,200}', '{90000,200}', '{200,200,200,10}');
SELECT einsum_path('abcdefghijklmnop,abcdefghijklmnoq,rabcdefghijklmno->pqr', s, s, s) FROM (VALUES ('{2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2}'::int[])) AS t(s);
-- the same result whatever the order
SELECT einsum('ij,jk,kl,lm->im', a, b, a, b) = einsum('ij,jk->ik', einsum('ij,jk->ik', a, b), einsum('ij,jk->ik', a, b)) AS same
FROM (VALUES ('[[1,2,3],[4,5,6]]'::tensor, '[[1,0],[2,1],[0,3]]'::tensor)) AS t(a, b);
SELECT einsum('ab,bc,cd,de,ef,fg,gh,hi,ij->aj', a, a, a, a, a, a, a, a, a) FROM (VALUES ('[[1,1],[1,0]]'::tensor)) AS t(a);

-- errors
\set VERBOSITY default
SELECT einsum_path('ij,jk->ik', '{2,3}', '{4,5}');
SELECT einsum_path('ij,jk->ik', '{2,3}');
SELECT einsum_path('ij,jk->ik', '{2,3}', '{3}');
SELECT einsum_path('ij,jk->ik', '{2,3}', 'x'::text);
SELECT einsum_path('ij,jk->ik', '{2,3}', 'x');
SELECT einsum_path('ij,jk->ik', '{2,3}', '{-3,2}');
SELECT einsum_path('i,j', VARIADIC ARRAY[1,2]);
SELECT einsum_path('...i->i', '{2,3}');
SELECT einsum_path('i,i', '{2}', NULL);

-- rows whose operands have other ranks and, one after the other, the same bounds
SELECT n, einsum('...,...,...->...', a, b, c)
FROM (VALUES (1, '[1,2]'::tensor, '[3,4]'::tensor, '[5,6]'::tensor),
			 (2, '[[1,2],[3,4]]', '[5,6]', '7'),
			 (3, '7', '[5,6]', '[[1,2],[3,4]]')) AS t(n, a, b, c);

-- lines are as long as what they say
SELECT max(length(line)) FROM einsum_path(repeat(' ', 20000) || 'ij,jk->ik', '{2,3}', '{3,4}') AS line;
