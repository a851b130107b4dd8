-- Programs at the edges: fills of results that other programs read, numbers
-- under any extra_float_digits, long and taken names, many labels, stages that
-- are read very often, joins with empty tensors.

CREATE SCHEMA edges;
SET search_path = edges, public;
CREATE TABLE edge_vector (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO edge_vector VALUES (0, 3), (2, -2);
CREATE TABLE edge_matrix (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO edge_matrix VALUES (0, 0, 1), (0, 1, -1), (1, 1, 2), (2, 0, 4);
CREATE TABLE edge_empty (i int, j int, k int, v float8 NOT NULL, PRIMARY KEY (i, j, k));
SELECT einsum_register('b[I]', 'edge_vector', keys => '{i}', value => 'v', bounds => '{3}');
SELECT einsum_register('a[I,J]', 'edge_matrix', keys => '{i,j}', value => 'v', bounds => '{3,3}');
CREATE TABLE edge_value (v tensor NOT NULL);
INSERT INTO edge_value VALUES ('[1,-3]');
SELECT einsum_register('v[j]', 'edge_value', keys => '{}', value => 'v');
SELECT einsum_register('e[I,J,K]', 'edge_empty', keys => '{i,j,k}', value => 'v', bounds => '{3,3,2}');

-- a view is registered with the fill of what it holds
SELECT notation FROM einsum_decompose('y[i] = 2 ^ b[i]; w[i,j] = 1 / a[i,j]', 'edges', result => 'rows');
SELECT tensor, fill FROM einsum_tensors WHERE program = 'edges' ORDER BY 1;
SELECT count(*) FROM w;
SELECT einsum_value('z[i] = y[i]'), einsum_value('z[] = sum[i] y[i]'), einsum_value('z[i] = max[j] w[i,j]');
SELECT einsum_drop('edges');

-- literals are written in full
SET extra_float_digits = -15;
SELECT einsum_value('z[i] = (b[i] + 0.375) * 8') = '[27,3,-13]' AS exact;
SELECT einsum_value('z[i] = b[i] + 0.375', search => 'as_written') = '[3.375,0.375,-1.625]' AS exact;
RESET extra_float_digits;

-- stages are named apart from what the program defines, and within 63 bytes
SELECT view FROM einsum_decompose('t__1[i] = 2 * b[i]; t[i] = t__1[i] * (max[j] a[i,j]) + (min[j] a[i,j]) * t__1[i]', 'edges', result => 'auto');
SELECT einsum_value('z[i] = t[i]');
SELECT einsum_drop('edges');
SELECT view, length(view) FROM einsum_decompose(
	'aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg[i] = (max[j] a[i,j]) + 2 ^ (min[j] a[i,j])', 'edges', result => 'auto');
SELECT einsum_value('z[i] = aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg[i]');
SELECT einsum_drop('edges');

-- a map has no more arguments than the join has operands, however often the program names them
SELECT einsum_value('z[i:*,j:*] = greatest(0, ' || string_agg(format('sign(b[i] - a[i,j] + %s)', g), ' + ') || ')') AS map,
	einsum_value('z[I,J] = greatest(0, ' || string_agg(format('sign(b[i] - a[i,j] + %s)', g), ' + ') || ')') AS scalars
FROM generate_series(-5, 5) g;
-- numbers are computed first, unless they would be more than a map takes
SELECT einsum_value('z[I,j:*] = greatest(0, ' || string_agg(format('abs(v[j:*] * (b[I] + %s))', g), ' + ') || ')') AS few,
	einsum_value('z[I,j:*] = greatest(0, ' || string_agg(format('abs(v[j:*] * (b[I] + %s))', g), ' + ') || ') + abs(v[j:*] * b[I])') AS many
FROM generate_series(1, 15) g;

-- 28 labels in one kernel
CREATE TABLE edge_left AS SELECT tensor_full(array_fill(1, ARRAY[14]), 2) AS v;
CREATE TABLE edge_right AS SELECT tensor_full(array_fill(1, ARRAY[14]), 3) AS v;
SELECT einsum_register('l[x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14]', 'edge_left', keys => '{}', value => 'v');
SELECT einsum_register('r[x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14]', 'edge_right', keys => '{}', value => 'v');
SELECT einsum_value('z[] = l[x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,x11,x12,x13,x14]
	* r[y1,y2,y3,y4,y5,y6,y7,y8,y9,y10,y11,y12,y13,y14]', search => 'as_written');

-- each stage is read twice: the first is computed 2^40 times
SELECT substring(l FROM 'computed.*times') FROM einsum_plan((SELECT 't0[i,j] = 2 * a[i,j] + 1; '
	|| string_agg(format('t%s[i,j] = sum[k] t%s[i,k] * t%s[k,j]', g, g - 1, g - 1), '; ' ORDER BY g)
	FROM generate_series(1, 40) g), result => 'auto') AS l WHERE l ~ '^ *t1\[' ;

-- nothing joined to something costs something, and is nothing
SELECT (einsum_plan('t[i,j,k] = e[i,j,k] * a[i,j] * b[j]', format => 'json', result => 'auto')::json -> 0 ->> 'cost')::float8 < 1000 AS finite;
SELECT einsum_value('t[i,k] = sum[j] e[i,j,k] * a[i,j] * b[j]');

-- the greatest of truth values where nothing is stored but there are indices
CREATE TABLE zero_vector (v tensor NOT NULL);
INSERT INTO zero_vector VALUES ('[0]');
SELECT einsum_register('zv[x]', 'zero_vector', '{}', 'v', '{1}');
SELECT einsum_value('r[] = max[I] (zv[i] <> zv[i])') AS promoted, einsum_value('r[] = max[i:*] (zv[i] <> zv[i])') AS demoted,
	einsum_value('r[] = any[I] zv[i]') AS any_entry, einsum_value('r[] = all[I] zv[i]') AS all_entries;

-- an imaginary number is not 0: what it is added to does not decide where the product has entries
CREATE TABLE edge_complex (i int PRIMARY KEY, v tensor(complex16) NOT NULL);
INSERT INTO edge_complex VALUES (1, 'complex16:1+1i');
SELECT einsum_register('ec[I]', 'edge_complex', keys => '{i}', value => 'v', bounds => '{3}');
SELECT einsum_value('z[I] = (ec[I] + 1i) * b[I]') AS promoted, einsum_value('z[i:*] = (ec[i] + 1i) * b[i]') AS demoted,
	einsum_value('z[I] = if(ec[I] + 1i, b[I], 0)') AS condition;

-- a matrix joined to its transpose, made of a vector by rows and of one in a single row
CREATE TABLE edge_row (v tensor);
INSERT INTO edge_row VALUES ('[0,2,-1]');
SELECT einsum_register('v2[j]', 'edge_row', keys => '{}', value => 'v', bounds => '{3}', fill => 1);
SELECT einsum_value('r[I,j:*] = b[I] * (v2[j] <= max[k:*] v2[k]); z[I,J] = r[J,I] * abs(least(r[I,J], r[I,J]))', materialize => 'never');

SET client_min_messages = warning;
DROP SCHEMA edges CASCADE;
