#!/bin/bash
# The casts of sparseeinsum_pgvector against a real pgvector, whose built source
# is at SPARSEEINSUM_PGVECTOR; it is installed into the private installation.
# Run under test/cluster.
cd "$(dirname "$0")/../.."
. test/shell-tests
if [ -z "${SPARSEEINSUM_PGVECTOR:-}" ]; then
	echo "skipped: SPARSEEINSUM_PGVECTOR does not name a built source of pgvector"
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
destination=$(sql "show extension_destdir")
succeeds "pgvector installs" make -s -C "$SPARSEEINSUM_PGVECTOR" with_llvm=no install DESTDIR="$destination"

fails_with "needs both extensions" 'required extension "(sparseeinsum|vector)" is not installed' \
	psql -XAtq -v ON_ERROR_STOP=1 -c "create extension sparseeinsum_pgvector"
# in other schemas than the path's: nothing may depend on it
sql "create schema v; create schema other; create extension vector schema v; create extension sparseeinsum;
	create extension sparseeinsum_pgvector schema other"
echo "pgvector $(sql "select extversion from pg_extension where extname = 'vector'")"
home=$(sql "select n.nspname from pg_extension e join pg_namespace n on n.oid = extnamespace where extname = 'sparseeinsum'")
export PGOPTIONS="-c search_path=v,$home"

is "vector to tensor" "$(sql "select '[1,-2.5,3e-7]'::vector::tensor")" "$(sql "select '{1,-2.5,3e-7}'::real[]::tensor")"
is "tensor to vector" "$(sql "select 'float8:[1,0.1,-3]'::tensor::vector")" "[1,0.1,-3]"
is "halfvec to tensor" "$(sql "select '[1,-2.5,65504]'::halfvec::tensor")" "$(sql "select '{1,-2.5,65504}'::real[]::tensor")"
is "tensor to halfvec" "$(sql "select '[1,0.333333333333,-3]'::tensor::halfvec")" "[1,0.33325195,-3]"
is "sparsevec to tensor" "$(sql "select tensor_dense('{2:1.5,4:-2}/5'::sparsevec::tensor)")" "$(sql "select '{0,1.5,0,-2,0}'::real[]::tensor")"
is "tensor to sparsevec" "$(sql "select '[0,1.5,0,-2,0]'::tensor::sparsevec")" "{2:1.5,4:-2}/5"
is "no elements but zeros" "$(sql "select '[0,0,0]'::tensor::sparsevec, tensor_dense('{}/3'::sparsevec::tensor)")" \
	"$(sql "select '{}/3', '{0,0,0}'::real[]::tensor")"
is "NULL" "$(sql "select null::vector::tensor is null, null::tensor::halfvec is null, null::sparsevec::tensor is null")" "t|t|t"
is "there and back" "$(sql "
	select count(*), bool_and(v::tensor::vector = v), bool_and(h::tensor::halfvec = h), bool_and(s::tensor::sparsevec = s)
	from (select v, v::halfvec as h, v::sparsevec as s from generate_series(1, 200) n,
		lateral (select array_agg(case when (i * 7 + n) % 3 = 0 then 0 else (i * n) % 97 / 8.0 end)::vector as v
			from generate_series(1, n) i) x) y")" "200|t|t|t"
is "the largest vector" "$(sql "select count(*) from
	(select array_fill(0.5::real, array[16000])::vector as v) x where v::tensor::vector = v")" 1
# beyond what a vector has
for n in 15999 16000 16001 20000; do
	is "sparsevec of $n dimensions" "$(sql "
		select s::tensor = t, t::sparsevec = s
		from (select a::tensor as t, ('{1:-0.25,7:3e-5,$n:1.5}/$n')::sparsevec as s
			from (select array_agg(case i when 1 then -0.25 when 7 then 3e-5 when $n then 1.5 else 0 end::real order by i) as a
				from generate_series(1, $n) i) x) y")" "t|t"
done
is "sparse as it was" "$(sql "select tensor_format('{2:1.5}/5'::sparsevec::tensor), '{2:1.5,1000000000:3}/1000000000'::sparsevec::tensor, 'float8(1000000000):{1:1.5}'::tensor::sparsevec")" \
	"sparse|float4(1000000000):{1:1.5,999999999:3}|{2:1.5}/1000000000"
is "updated from 0.1.0" "$(sql "drop extension sparseeinsum_pgvector; create extension sparseeinsum_pgvector schema other version '0.1.0'; alter extension sparseeinsum_pgvector update;
	select extversion, '{2:1.5}/5'::sparsevec::tensor, '{2:1.5}/5'::sparsevec::tensor::sparsevec from pg_extension where extname = 'sparseeinsum_pgvector'")" "0.2.0|float4(5):{1:1.5}|{2:1.5}/5"
is "a value column of sparsevec" "$(sql "create table bag (i int primary key, v sparsevec(1000) not null); insert into bag values (0, '{1:1,8:2}/1000'), (1, '{8:3}/1000');
	create table weight (k int primary key, x float8 not null); insert into weight select k, k from generate_series(0, 999) k;
	select einsum_register('b[I,k]', 'bag', '{i}', 'v', '{2,1000}'); select einsum_register('x[K]', 'weight', '{k}', 'x', '{1000}');
	select einsum_value('y[i] = sum[k] b[i,k]*x[k]')" | tail -n 1)" "[14,21]"
is "empty sparsevec of 20000 dimensions" "$(sql "select '{}/20000'::sparsevec::tensor = array_fill(0::real, array[20000])::tensor")" t

is "products agree" "$(sql "
	select bool_and(inner_prod(a::tensor, b::tensor) = -(a <#> b))
	from (values ('[1,2,3]'::vector, '[4,-5,6]'::vector), ('[0.5]', '[0.25]')) v (a, b)")" t
sql "create table item (t tensor, v vector(3), h halfvec(3), s sparsevec(3))"
succeeds "assignment to tensor" sql "insert into item (t) select '[1,2,3]'::vector union all select '[1,2,3]'::halfvec::vector"
succeeds "assignment from halfvec" sql "insert into item (t) select '[1,2,3]'::halfvec"
succeeds "assignment from sparsevec" sql "insert into item (t) select '{1:1}/3'::sparsevec"
fails_with "no assignment from tensor" 'is of type vector but expression is of type (v\.)?.*tensor' sql "insert into item (v) select t from item"
succeeds "cast to typmod" sql "insert into item (v, h, s) select t::vector(3), t::halfvec(3), t::sparsevec(3) from item"
fails_with "another typmod" "expected 2 dimensions, not 3" sql "select t::vector(2) from item where t is not null"
fails_with "rank 2" "array must be 1-D" sql "select '[[1,2],[3,4]]'::tensor::vector"
fails_with "rank 2 to halfvec" "array must be 1-D" sql "select '[[1,2],[3,4]]'::tensor::halfvec"
fails_with "rank 2 to sparsevec" "shape 2x2 cannot be cast to type sparsevec" sql "select '[[1,2],[3,4]]'::tensor::sparsevec"
fails_with "NaN" "NaN not allowed in vector" sql "select '[1,NaN]'::tensor::vector"
fails_with "infinity" "infinite value not allowed in vector" sql "select '[1,Infinity]'::tensor::vector"
fails_with "too large for real" "out of range|infinite value not allowed" sql "select 'float8:[1e300]'::tensor::vector"
fails_with "too large for half" "out of range" sql "select '[1e6]'::tensor::halfvec"
fails_with "no dimension" "at least 1 dimension" sql "select '[]'::tensor::vector"
fails_with "complex" "complex" sql "select 'complex8:[1+2i]'::tensor::vector"
fails_with "too many dimensions" "more than 16000 dimensions" sql "select array_fill(0::real, array[16001])::tensor::vector"
is "every object has a comment" "$(sql "select count(*) from pg_depend d join pg_extension e
	on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
	where e.extname = 'sparseeinsum_pgvector' and d.deptype = 'e'
	and obj_description(d.objid, d.classid::regclass::name) is null")" 0
unset PGOPTIONS
succeeds "drop" sql "drop extension sparseeinsum_pgvector"
finish
