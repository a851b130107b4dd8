-- tensor_sum, tensor_min, tensor_max and their aliases
SET search_path = public, sparseeinsum_internal;

SELECT tensor_sum(v), tensor_min(v), tensor_max(v), sum(v), min(v), max(v), count(v)
FROM (VALUES ('[1,5]'::tensor), ('[3,-2]'), (NULL), ('[2,2]')) AS t(v);
SELECT tensor_sum(v), tensor_min(v), tensor_max(v), pg_typeof(tensor_sum(v))
FROM (VALUES (1.5::float8), (NULL), (-2), (4)) AS t(v);
-- no rows, and rows of nothing but NULL
SELECT tensor_sum(v), tensor_min(v), tensor_max(v) FROM (VALUES ('[1]'::tensor)) AS t(v) WHERE false;
SELECT tensor_sum(v), tensor_min(v), tensor_max(v) FROM (VALUES (NULL::tensor), (NULL)) AS t(v);
SELECT tensor_sum(v), tensor_min(v), tensor_max(v) FROM (VALUES (NULL::float8), (NULL)) AS t(v);
-- any rank
SELECT tensor_sum(v), tensor_min(v) FROM (VALUES ('3'::tensor), ('4')) AS t(v);
SELECT tensor_sum(v), tensor_max(v) FROM (VALUES ('[[1,2],[3,4]]'::tensor), ('[[4,3],[2,1]]')) AS t(v);
SELECT tensor_sum(v), tensor_max(v) FROM (VALUES ('float8(0,3):[]'::tensor), ('float8(0,3):[]')) AS t(v);
-- element types: the widest that occurs, in whatever order
SELECT tensor_sum(v), tensor_type(tensor_sum(v)) FROM (VALUES ('float4:[1,2]'::tensor), ('float4:[1,2]')) AS t(v);
SELECT tensor_sum(v), tensor_type(tensor_sum(v)), tensor_max(v) FROM (VALUES ('float4:[1,2]'::tensor), ('[0.5,0.5]'), ('float4:[1,2]')) AS t(v);
SELECT tensor_sum(v), tensor_type(tensor_sum(v)), tensor_min(v) FROM (VALUES ('[0.5,0.5]'::tensor), ('float4:[1,2]')) AS t(v);
SELECT tensor_sum(v) FROM (VALUES ('complex16:[1+2i,3-1i]'::tensor), ('[0.5,0.5]'), ('complex8:[1i,1i]')) AS t(v);
-- arithmetic is IEEE 754 and never an error
SELECT tensor_sum(v) FROM (VALUES (1e308::float8), (1e308)) AS t(v);
SELECT tensor_sum(v) FROM (VALUES ('[1e308,-1e308,Infinity]'::tensor), ('[1e308,-1e308,-Infinity]')) AS t(v);
SELECT tensor_min(v), tensor_max(v) FROM (VALUES (1::float8), ('NaN'), (2)) AS t(v);
SELECT tensor_min(v), tensor_max(v) FROM (VALUES ('NaN'::float8), (1), (2)) AS t(v);
SELECT tensor_min(v), tensor_max(v) FROM (VALUES ('[1,NaN,3]'::tensor), ('[NaN,5,-Infinity]')) AS t(v);
SELECT tensor_min(v), tensor_max(v) FROM (VALUES ('Infinity'::float8), ('Infinity')) AS t(v);
-- integers and numeric arguments are numbers
SELECT tensor_sum(i), tensor_max(i), tensor_min(i::numeric) FROM generate_series(1, 10) i;
-- states in text and binary
SELECT '[1,2]'::tensor_state, 'float4(0):[]'::tensor_state, 'stack(0,05)[7,0,9]'::tensor_state;
CREATE TEMP TABLE states (s tensor_state);
INSERT INTO states VALUES ('[1,2]'), ('float4:[[1],[2]]'), ('stack(1,05)[[7,0,9]]'), ('stack(0,ff01)[1,2,3,4,5,6,7,8,9]');
SELECT s FROM states;
\copy states TO 'results/tensor_state.bin' (FORMAT binary)
CREATE TEMP TABLE received (s tensor_state);
\copy received FROM 'results/tensor_state.bin' (FORMAT binary)
SELECT s FROM received;
SELECT tensor_state_send('float4:[1]'), tensor_state_send('stack(0,05)[7,0,9]');

-- errors
SELECT tensor_sum(v) FROM (VALUES ('[1,5]'::tensor), ('[3,-2,1]')) AS t(v);
\echo :SQLSTATE
SELECT max(v) FROM (VALUES ('[1,5]'::tensor), ('[[3,-2]]')) AS t(v);
\echo :SQLSTATE
SELECT tensor_max(v) FROM (VALUES ('complex16:[1+2i]'::tensor)) AS t(v);
\echo :SQLSTATE
SELECT tensor_min(v) FROM (VALUES ('[1]'::tensor), ('complex16:[1+2i]')) AS t(v);
\echo :SQLSTATE
SELECT tensor_sum_transfn(NULL::tensor_state, '[1]'::tensor);
\echo :SQLSTATE
SELECT tensor_sum_combinefn('[1]', '[1]');
\echo :SQLSTATE
SELECT tensor_fold_finalfn('stack(0,05)[7,0,9]');
\echo :SQLSTATE
SELECT stack_finalfn('[7,0,9]');
\echo :SQLSTATE
SELECT ''::tensor_state;
\echo :SQLSTATE
SELECT 'stack(0,01)3'::tensor_state;
\echo :SQLSTATE
SELECT 'stack(0,0101)[3]'::tensor_state;
\echo :SQLSTATE
SELECT 'stack(0,02)[3]'::tensor_state;
\echo :SQLSTATE
SELECT 'stack(1,01)[3]'::tensor_state;
\echo :SQLSTATE
SELECT 'stack(99999999999999999999,01)[3]'::tensor_state;
\echo :SQLSTATE
SELECT 'stack(0,0g)[3]'::tensor_state;
\echo :SQLSTATE
SELECT 'stack(0'::tensor_state;
\echo :SQLSTATE
SELECT 'stack(0)[3]'::tensor_state;
\echo :SQLSTATE
