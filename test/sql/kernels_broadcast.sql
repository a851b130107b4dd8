-- einsum: ellipsis, and operands that are broadcast along dimensions of bound 1
\pset format unaligned
\pset tuples_only on
\set VERBOSITY default

-- a label of bound 1 fits every extent
SELECT einsum('i,i->i', '[2]'::tensor, '[1,2,3]'::tensor), einsum('i,i->i', '[1,2,3]'::tensor, '[2]'::tensor), einsum('i,i', '[2]'::tensor, '[1,2,3]'::tensor);
SELECT einsum('ij,jk->ik', '[[1],[10]]'::tensor, '[[1,2],[3,4]]'::tensor);
SELECT einsum('ij,ij->ij', '[[1],[10]]'::tensor, '[[1,2,3]]'::tensor);
SELECT einsum('i,i,i->i', '[2]'::tensor, '[1,2,3]'::tensor, '[10]'::tensor), einsum('i,i,i->', '[2]'::tensor, '[1,2,3]'::tensor, '[10]'::tensor);
SELECT einsum('i,i->i', '[2]'::tensor, 'float8(0):[]'::tensor), einsum('i,i->', '[2]'::tensor, 'float8(0):[]'::tensor);
SELECT einsum('ii,i->i', '[[2]]'::tensor, '[1,2,3]'::tensor);
SELECT tensor_map('$1+$2', 'ij,ij->ij', '[[1],[10]]'::tensor, '[[1,2,3]]'::tensor), tensor_map('$1+$2', 'i,i->', '[1]'::tensor, '[1,2,3]'::tensor);
SELECT einsum_sum('i,i->i', '[2]'::tensor, v), tensor_map_max('$1*$2', 'i,i->i', '[2]'::tensor, v) FROM (VALUES ('[1,2,3]'::tensor), ('[3,2,1]')) AS t(v);
-- but not along a diagonal, and not in the functions of linear algebra
SELECT einsum('ii->i', '[[1,2,3]]'::tensor);
SELECT einsum('ii,i->i', '[[1,2,3]]'::tensor, '[1,2,3]'::tensor);
SELECT einsum('i,ii->i', '[1,2]'::tensor, '[[1,2]]'::tensor);
SELECT inner_prod('[1]', '[1,2]');
SELECT mat_mult('[[1],[2]]', '[[1,2],[3,4]]');
SELECT mat_vec_mult('[[1,2],[3,4]]', '[1]');
-- nor do others fit
SELECT einsum('i,i,i->i', '[1]'::tensor, '[1,2]'::tensor, '[1,2,3]'::tensor);
SELECT einsum('i,i->i', '[1,2]'::tensor, 'float8(0):[]'::tensor);

-- the ellipsis stands for the dimensions that have no letter
SELECT einsum('...', '[[1,2],[3,4]]'::tensor), einsum('...->...', 5), einsum('...->', 5), einsum('->...', 5);
SELECT einsum('...ij->...ji', '[[1,2],[3,4]]'::tensor), einsum('...ij->...ji', '[[[1,2],[3,4]],[[5,6],[7,8]]]'::tensor);
SELECT einsum('i...->...', '[[1,2],[3,4]]'::tensor), einsum('i...->i...', '[[1,2],[3,4]]'::tensor), einsum('i...', '[[1,2],[3,4]]'::tensor);
SELECT einsum('...i,ij->...j', '[[1,2],[3,4],[5,6]]'::tensor, '[[0,1],[1,0]]'::tensor);
SELECT einsum('...ii->...', '[[[1,2],[3,4]],[[5,6],[7,8]]]'::tensor), einsum('...ii->...i', '[[[1,2],[3,4]],[[5,6],[7,8]]]'::tensor);
-- of several operands, by their last dimensions; bounds of 1 are broadcast
SELECT einsum('...,...', '[[1,2,3],[4,5,6]]'::tensor, '[1,10,100]'::tensor), einsum('...,...', '[[1],[2]]'::tensor, '[1,10,100]'::tensor);
SELECT einsum('i...,...j->...ij', '[[1],[2]]'::tensor, '[[1,2],[3,4],[5,6]]'::tensor);
SELECT einsum('a...,...,...->...a', '[[1,2],[3,4]]'::tensor, '[10]'::tensor, 2);
-- and only where it is written
SELECT einsum('...i,i->...i', '[[1,2],[3,4]]'::tensor, '[1,10]'::tensor), einsum('ij,jk->...ik', '[[1,2],[3,4]]'::tensor, '[[0,1],[1,0]]'::tensor);
SELECT einsum('bA...', '[[[1,2]],[[3,4]]]'::tensor);
-- a call site sees operands of several ranks and shapes
SELECT einsum('...i,i->...', v, '[1,10]'::tensor) FROM (VALUES ('[1,2]'::tensor), ('[[1,2],[3,4]]'), ('[[[1,2]]]'), ('[1]'), ('[[5],[6]]'), ('[3,4]')) AS t(v);
SELECT einsum('...i,ij,...j->...', v, '[[1,2],[3,4]]'::tensor, v) FROM (VALUES ('[1,2]'::tensor), ('[[1,2],[3,4]]'), ('[1,2]'), ('[[1],[2]]')) AS t(v);
SELECT einsum(e, '[[1,2],[3,4]]'::tensor, '[1,10]'::tensor, '[[1,0],[0,1]]'::tensor) FROM (VALUES ('ij,j,jk->ik'), ('ij,i,jk->ik'), ('...j,j,...k->...'), ('ij,j,jk->ki')) AS t(e);
-- in aggregates and maps
SELECT einsum_sum('...,->...', v, 2), einsum_sum_scalar('...,...->...', v[0][0], 1) FROM (VALUES ('[[1,2],[3,4]]'::tensor), ('[[5,6],[7,8]]')) AS t(v);
SELECT tensor_map('$1-$2', '...i,...->...i', '[[1,2],[3,4]]'::tensor, '[1,2]'::tensor), tensor_map_scalar('$1*2', '...->...', 4);
-- limits: 16 dimensions, letters and ellipsis together
SELECT tensor_rank(einsum('...a,...b->...ab', tensor_zeros('{1,1,1,1,1,1,1,1,1,1,1,1,1,2}'), tensor_zeros('{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2}')));
SELECT tensor_rank(einsum('...a,...b->...a', tensor_zeros('{1,1,1,1,1,1,1,1,1,1,1,1,1,2}'), tensor_zeros('{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2}')));
SELECT tensor_shape(einsum('...,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V,W,X,Y,Z->...',
	tensor_zeros('{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2}'), v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v))
FROM (VALUES ('[1,1]'::tensor)) AS t(v);
SELECT einsum('...,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A,B,C,D,E,F,G,H,I,J,K,L,M,N,O,P,Q,R,S,T,U,V,W,X,Y,Z->...',
	'[1,2]'::tensor, v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v,v) = tensor '[1,2]' * power(2, 52)
FROM (VALUES ('[1,1]'::tensor)) AS t(v);

-- errors
\echo -- dimensions that the output lacks
SELECT einsum('...i->i', '[[1,2],[3,4]]'::tensor);
\echo :SQLSTATE
SELECT einsum('...->', '[1,2]'::tensor);
SELECT einsum('...i->i', '[1,2]'::tensor);
\echo -- too small a rank
SELECT einsum('ij...,k->ij', '[1,2]'::tensor, '[1]'::tensor);
\echo :SQLSTATE
\echo -- too large a rank
SELECT einsum('i,i', '[[1,2],[3,4]]'::tensor, '[1]'::tensor);
\echo :SQLSTATE
\echo -- extents
SELECT einsum('...,...', '[[1,2],[3,4]]'::tensor, '[1,2,3]'::tensor);
\echo :SQLSTATE
SELECT einsum('a...,a...b', '[[1,2],[3,4],[5,6]]'::tensor, '[[[1]],[[2]]]'::tensor);
\echo -- rank of the output
SELECT einsum('...a,...b->...ab', tensor_zeros('{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2}'), tensor_zeros('{2}'));
\echo :SQLSTATE
