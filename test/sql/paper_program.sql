--
-- The examples of the SparseEinSum paper (PVLDB 19(6)) as programs, with its
-- numbers; the same by hand is in paper_sql
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA paper_test;
SET search_path = paper_test, public;

-- Section 4.1: U and V, as triples
CREATE TABLE u_entry (i int, j int, v numeric NOT NULL, PRIMARY KEY (i, j));
INSERT INTO u_entry VALUES (0, 0, 1.4), (0, 1, 2.2), (0, 3, 2.1), (2, 0, 1.4), (2, 2, 1.1);
CREATE TABLE v_entry (j int, k int, v numeric NOT NULL, PRIMARY KEY (j, k));
INSERT INTO v_entry VALUES (0, 0, 3.2), (0, 2, 1.3), (1, 2, 0.6), (2, 2, 1.2), (3, 0, 1.2), (3, 2, 2.1);
CREATE TABLE w_entry AS SELECT i, k, sum(u.v * v.v) AS v FROM u_entry u JOIN v_entry v USING (j) GROUP BY i, k;
SELECT * FROM w_entry ORDER BY i, k;

-- Entries other than 0 of a result, given as a query of columns named by the
-- promoted labels, and value: labels in the tensor's order, upper case where
-- promoted.
CREATE FUNCTION entries(query text, labels text) RETURNS TABLE (index int[], value float8) LANGUAGE plpgsql AS $$
DECLARE
	label text;
	keys text := '';
	demoted int := 0;
BEGIN
	FOREACH label IN ARRAY string_to_array(labels, ',') LOOP
		IF label = lower(label) THEN
			demoted := demoted + 1;
		END IF;
		keys := keys || CASE WHEN keys = '' THEN '' ELSE ', ' END ||
			CASE WHEN label = lower(label) THEN format('e.index[%s]', demoted) ELSE 's.' || lower(label) END;
	END LOOP;
	RETURN QUERY EXECUTE format('SELECT ARRAY[%s]::int[], e.value FROM (%s) AS s, tensor_entries(s.value%s) AS e(index, value) WHERE e.value <> 0',
		keys, query, CASE WHEN demoted = 0 THEN '::tensor' ELSE '' END);
END $$;
-- how many entries are not those of W
CREATE FUNCTION wrong(query text, labels text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM entries(query, labels) r FULL JOIN w_entry w ON r.index = ARRAY[w.i, w.k]
	WHERE abs(coalesce(r.value, 0) - coalesce(w.v, 0)::float8) > 1e-14
$$;

-- all storages of each: as triples, as rows, as columns, as one matrix
SELECT einsum_register('u[I,J]', 'u_entry', '{i,j}', 'v', '{4,4}');
SELECT einsum_register('v[J,K]', 'v_entry', '{j,k}', 'v', '{4,4}');
SELECT einsum_store('u[I,j]', 'TABLE u_entry', '{4,4}', 'u_rows', storage => 'further'), einsum_store('u[i,J]', 'TABLE u_entry', '{4,4}', 'u_columns', storage => 'further'), einsum_store('u[i,j]', 'TABLE u_entry', '{4,4}', 'u_matrix', storage => 'further');
SELECT einsum_store('v[J,k]', 'TABLE v_entry', '{4,4}', 'v_rows', storage => 'further'), einsum_store('v[j,K]', 'TABLE v_entry', '{4,4}', 'v_columns', storage => 'further'), einsum_store('v[j,k]', 'TABLE v_entry', '{4,4}', 'v_matrix', storage => 'further');
SELECT * FROM u_rows ORDER BY 1;
SELECT * FROM v_columns ORDER BY 1;
SELECT * FROM u_columns ORDER BY 1;

-- Section 2, 4.1 and 4.3: W[i,k] <- sum U[i,j] * V[j,k], every choice of upper
-- and lower case: what is stored so is read so, and the kernel is the paper's
CREATE TABLE pins AS SELECT CASE WHEN n & 4 > 0 THEN 'I' ELSE 'i' END AS i, CASE WHEN n & 2 > 0 THEN 'J' ELSE 'j' END AS j, CASE WHEN n & 1 > 0 THEN 'K' ELSE 'k' END AS k FROM generate_series(0, 7) n;
CREATE VIEW chain AS SELECT format('w[%s,%s] = u[%s,%s]*v[%s,%s]', i, k, i, j, j, k) AS program, i || ',' || k AS labels FROM pins;
SELECT program, substring(query from '(inner_prod|outer_prod|mat_mult|vec_mat_mult|mat_vec_mult|einsum\w*|tensor_sum)\(') AS kernel, query LIKE '%GROUP BY%' AS grouped,
	query LIKE '%stack(%' AS repartitioned, wrong(query, labels), round((einsum_value(program, search => 'as_written'))[0][2]::float8::numeric, 10) AS w02
FROM (SELECT program, labels, einsum_sql(program, search => 'as_written') AS query FROM chain) s ORDER BY program COLLATE "C";
-- the paper's W
SELECT index, round(value::numeric, 10) FROM entries(einsum_sql('w[I,K] = u[I,j]*v[j,K]', search => 'as_written'), 'I,K') ORDER BY index;
SELECT view, notation FROM einsum_decompose('w[i,K] = u[i,J]*v[J,K]', 'columns', search => 'as_written');
SELECT k, (SELECT array_agg(round(e.value::numeric, 10) ORDER BY index) FROM tensor_entries(value) e) AS value FROM w ORDER BY k;
SELECT einsum_drop('columns');

-- Section 4.2: the value at an index, from every decomposition
SELECT bool_and(a.value = b.value::float8) AS same, count(*)
FROM (SELECT j, k, coalesce(v, 0)::float8 AS value FROM allints(0, 4) j CROSS JOIN allints(0, 4) k LEFT JOIN v_entry USING (j, k)) a,
	LATERAL (SELECT (einsum_value('y[j,k] = v[j,k]'))[a.j][a.k] AS value UNION ALL
		SELECT coalesce(m.value[a.j], zero) FROM (VALUES (tensor '0')) z(zero) LEFT JOIN v_columns m ON m.k = a.k UNION ALL
		SELECT coalesce(m.value[a.k], zero) FROM (VALUES (tensor '0')) z(zero) LEFT JOIN v_rows m ON m.j = a.j UNION ALL
		SELECT coalesce(m.value[a.j][a.k], zero) FROM (VALUES (tensor '0')) z(zero) LEFT JOIN v_matrix m ON true) b;

-- Section 6: the same from one storage each, so that repartitions are needed
SELECT einsum_unregister('u', s) FROM unnest('{u_rows,u_columns,u_matrix}'::regclass[]) s;
SELECT einsum_unregister('v', s) FROM unnest('{v_rows,v_columns,v_matrix}'::regclass[]) s;
SELECT program, wrong(einsum_sql(program, search => 'as_written'), labels) FROM chain ORDER BY program COLLATE "C";
SELECT einsum_unregister('u', 'u_entry'), einsum_unregister('v', 'v_entry'),
	einsum_register('u[i,j]', 'u_matrix', '{}', 'value'), einsum_register('v[j,k]', 'v_matrix', '{}', 'value');
SELECT program, wrong(einsum_sql(program, search => 'as_written'), labels) FROM chain ORDER BY program COLLATE "C";
SELECT einsum_unregister('u', 'u_matrix'), einsum_unregister('v', 'v_matrix'),
	einsum_register('u[i,J]', 'u_columns', '{j}', 'value', '{4,4}'), einsum_register('v[j,K]', 'v_columns', '{k}', 'value', '{4,4}');
SELECT program, wrong(einsum_sql(program, search => 'as_written'), labels) FROM chain ORDER BY program COLLATE "C";

-- Section 1 and 4.3: (X * Y)^T * Z, with X, Y = U, V and integers for Z
CREATE TABLE z_entry (j int, k int, v float8 NOT NULL, PRIMARY KEY (j, k));
INSERT INTO z_entry SELECT j, k, j * 3 - k * k FROM generate_series(0, 3) j, generate_series(0, 2) k;
SELECT einsum_register('z[J,K]', 'z_entry', '{j,k}', 'v', '{4,3}');
-- the introduction's SQL over triples
CREATE VIEW by_triples AS
	SELECT XtimesY.row AS i, Z.k AS k, SUM(XtimesY.value * Z.v::numeric) AS v
	FROM (SELECT X.i AS col, Y.k AS row, SUM(X.v * Y.v) AS value FROM u_entry X, v_entry Y WHERE X.j = Y.j GROUP BY X.i, Y.k) AS XtimesY, z_entry Z
	WHERE XtimesY.col = Z.j GROUP BY XtimesY.row, Z.k;
CREATE FUNCTION wrong_chain(program text, labels text, search text, OUT wrong bigint, OUT repartition text) LANGUAGE sql AS $$
	SELECT (SELECT count(*) FROM entries(einsum_sql(program, search => search, result => 'auto'), labels) r FULL JOIN by_triples b ON r.index = ARRAY[b.i, b.k]
			WHERE abs(coalesce(r.value, 0) - coalesce(b.v, 0)::float8) > 1e-13),
		(SELECT string_agg(substring(line from '^ *t: stage t as (.*?)(?: \(cost.*)?$'), '; ') FROM einsum_plan(program, search => search, result => 'auto') line)
$$;
-- as in section 4.3: rows of T into rows of the result, nothing is repartitioned
SELECT * FROM wrong_chain('t[K,i] = u[i,J]*v[J,K]; r[I,k] = t[I,j]*z[j,k]', 'I,k', 'as_written');
-- as in section 6: T[K,i] becomes T[i,J]; and the other way round; and all others
SELECT * FROM wrong_chain('t[K,i] = u[i,J]*v[J,K]; r[i,k] = t[i,J]*z[J,k]', 'i,k', 'as_written');
SELECT * FROM wrong_chain('t[k,I] = u[I,J]*v[J,k]; r[I,k] = t[I,j]*z[j,k]', 'I,k', 'as_written');
SELECT p.k || ',' || p.i COLLATE "C" AS made, q.i || ',' || q.j COLLATE "C" AS needed, w.wrong, w.repartition
FROM (SELECT DISTINCT i, k FROM pins) p, (SELECT DISTINCT i, j FROM pins) q,
	LATERAL wrong_chain(format('t[%1$s,%2$s] = u[%2$s,j]*v[j,%1$s]; r[%3$s,k] = t[%3$s,%4$s]*z[%4$s,k]', p.k, p.i, q.i, q.j), q.i || ',k', 'as_written') w
ORDER BY made, needed;
-- chosen by cost, in alternatives, and greedily
SELECT search, wrong FROM (VALUES ('dp'), ('greedy')) s(search), LATERAL wrong_chain('t[k,i] = u[i,j]*v[j,k]; r[I,K] = t[i,j]*z[j,k]', 'I,K', search);
SELECT count(DISTINCT round((einsum_value('t[k,i] = u[i,j]*v[j,k]; r[i,k] = t[i,j]*z[j,k]', alternative => n))[2][1]::float8::numeric, 10)) AS values FROM generate_series(1, 20) n;

-- Section 3: two transposes and a batch matrix product, summed over the batch
CREATE TABLE u3 (i int, j int, b int, v float8 NOT NULL, PRIMARY KEY (i, j, b));
INSERT INTO u3 SELECT i, j, b, (i * 7 + j * 3 + b * 5) % 6 - 2 FROM generate_series(0, 2) i, generate_series(0, 3) j, generate_series(0, 1) b WHERE (i + j + b) % 3 > 0;
CREATE TABLE v3 (j int, b int, k int, v float8 NOT NULL, PRIMARY KEY (j, b, k));
INSERT INTO v3 SELECT j, b, k, (j * 5 + b + k * k) % 7 - 3 FROM generate_series(0, 3) j, generate_series(0, 1) b, generate_series(0, 4) k WHERE (j + k) % 4 > 0;
SELECT einsum_register('u3[I,J,B]', 'u3', '{i,j,b}', 'v', '{3,4,2}'), einsum_register('v3[J,B,K]', 'v3', '{j,b,k}', 'v', '{4,2,5}');
SELECT count(*) AS pins, bool_and(einsum_value(program, search => 'as_written')::float8[] = value) AS same, min(value::text)
FROM (SELECT format('w[%1$s,%2$s] = u3[%1$s,%3$s,%4$s]*v3[%3$s,%4$s,%2$s]', i, k, j, b) AS program FROM pins, (VALUES ('b'), ('B')) l(b)) p,
	(SELECT array_agg(row ORDER BY i) AS value FROM (SELECT i, array_agg(v ORDER BY k) AS row
		FROM (SELECT i, k, coalesce(sum(u3.v * v3.v), 0) AS v FROM generate_series(0, 2) i CROSS JOIN generate_series(0, 4) k CROSS JOIN generate_series(0, 3) j CROSS JOIN generate_series(0, 1) b
			LEFT JOIN u3 USING (i, j, b) LEFT JOIN v3 USING (j, b, k) GROUP BY i, k) s GROUP BY i) r) e;
-- the largest squared difference in a row
CREATE TABLE u4 (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO u4 VALUES (0, 0, 3), (0, 1, -1), (2, 2, 5);
SELECT einsum_register('u4[I,J]', 'u4', '{i,j}', 'v', '{4,3}');
SELECT einsum_value('d[i] = max[k] (u4[i,k] - z[i,k])^2'),
	(SELECT array_agg(m ORDER BY i) FROM (SELECT z.i, max((coalesce(u4.v, 0) - z.v) ^ 2) AS m FROM z_entry z(i, k, v) LEFT JOIN u4 ON u4.i = z.i AND u4.j = z.k GROUP BY z.i) s(i, m)) AS expected;

-- Section 3: a perceptron of two layers and a softmax
CREATE TABLE w1 (v tensor);
INSERT INTO w1 VALUES ('[[1,-2],[0.5,1],[-1,0]]');
CREATE TABLE w2 (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO w2 VALUES (0, '[0.25,-1]'), (1, '[2,0]'), (2, '[1,1]');
CREATE TABLE x (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (0, 2), (1, 0.5);
SELECT einsum_register('w1[i,j]', 'w1', '{}', 'v'), einsum_register('w2[i,J]', 'w2', '{j}', 'v', '{2,3}'), einsum_register('x[J]', 'x', '{j}', 'v', '{2}');
\set mlp 'a[i] = w1[i,j]*x[j]; b[i] = relu(a[i]); c[i] = w2[i,j]*b[j]; d[] = sum[i] exp(c[i]); e[i] = exp(c[i])/d[]'
SELECT round((s.value::tensor)[0]::float8::numeric, 12) AS e0, round((s.value::tensor)[1]::float8::numeric, 12) AS e1, search
FROM (VALUES ('dp'), ('greedy'), ('as_written')) o(search), LATERAL (SELECT einsum_value(:'mlp', search => search) AS value) s;
WITH a AS (SELECT i - 1 AS i, sum(((v::float8[])[i][j + 1]) * xv) AS v FROM w1, generate_series(1, 3) i, (SELECT j, v AS xv FROM x) x GROUP BY i),
	b AS (SELECT i, greatest(0, v) AS v FROM a),
	c AS (SELECT n AS i, sum((w2.v::float8[])[n + 1] * b.v) AS v FROM w2 JOIN b ON b.i = w2.j, generate_series(0, 1) n GROUP BY 1)
SELECT c.i, c.v AS c, round((exp(c.v) / sum(exp(c.v)) OVER ())::numeric, 12) AS e FROM c ORDER BY 1;
SELECT einsum_value('a[i] = w1[i,j]*x[j]; b[i] = relu(a[i]); c[i] = w2[i,j]*b[j]');

-- Section 7.1: how many sub-tensors are not zero
SELECT einsum_value('vi[i] = sum[j] if(u[i,j] == 0, 0, 1); n[] = sum[i] if(vi[i] == 0, 0, 1)') AS "V(i)",
	einsum_value('vj[j] = sum[i] if(u[i,j] == 0, 0, 1); n[] = sum[j] if(vj[j] == 0, 0, 1)') AS "V(j)",
	einsum_value('n[] = sum[i,j] (u[i,j] <> 0)') AS "T";
SELECT * FROM einsum_analyze('u') WHERE statistic <> 'degree';

-- Section 6 in general: tensors of rank 3 and 4, from every decomposition to
-- every other, with dimensions in another order on the way
CREATE TABLE t_entry (i int, j int, k int, l int, v float8 NOT NULL, PRIMARY KEY (i, j, k, l));
INSERT INTO t_entry SELECT i, j, k, l, 1000 * i + 100 * j + 10 * k + l + 1
	FROM generate_series(0, 1) i, generate_series(0, 2) j, generate_series(0, 3) k, generate_series(0, 4) l WHERE (i + 2 * j + 3 * k + l) % 4 = 0 AND j <> 1;
CREATE FUNCTION pinned(labels text, mask int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(CASE WHEN mask & (1 << ascii(label) - ascii('i')) > 0 THEN upper(label) ELSE label END, ',' ORDER BY n) FROM string_to_table(labels, ',') WITH ORDINALITY AS s(label, n)
$$;
-- for each way to store it: how many of all ways to need it are wrong
CREATE FUNCTION repartitions(labels text, permuted text, OUT pairs bigint, OUT wrong bigint, OUT ways text) LANGUAGE plpgsql AS $$
DECLARE
	ndim int := cardinality(string_to_array(labels, ','));
	bounds text[] := (ARRAY['2', '3', '4', '5'])[1:ndim];
	stored int;
	needed int;
	query text;
	n bigint;
	line text;
	found text[] := '{}';
BEGIN
	pairs := 0;
	wrong := 0;
	FOR stored IN 0 .. (1 << ndim) - 1 LOOP
		PERFORM einsum_store(format('t[%s]', pinned(labels, stored)), format('SELECT %s, sum(v) FROM t_entry GROUP BY %1$s', labels), bounds, 't_stored');
		FOR needed IN 0 .. (1 << ndim) - 1 LOOP
			query := format('y[%s] = t[%s]', pinned(permuted, needed), pinned(labels, needed));
			EXECUTE format('SELECT count(*) FROM ((SELECT * FROM entries($1, $2) EXCEPT ALL SELECT ARRAY[%s], sum(v) FROM t_entry GROUP BY %1$s)
				UNION ALL (SELECT ARRAY[%1$s], sum(v) FROM t_entry GROUP BY %1$s EXCEPT ALL SELECT * FROM entries($1, $2))) d', permuted)
				INTO n USING einsum_sql(query, search => 'as_written'), pinned(permuted, needed);
			pairs := pairs + 1;
			wrong := wrong + (n > 0)::int;
			IF n > 0 THEN
				RAISE WARNING '%, stored as %', query, pinned(labels, stored);
			END IF;
			FOR line IN SELECT coalesce(substring(p from 'repartitioned to .* by (.*) \(cost'), 'as it is') FROM einsum_plan(query, search => 'as_written') p WHERE p ~ '^ *t:' LOOP
				found := found || line;
			END LOOP;
		END LOOP;
		DROP TABLE t_stored;
	END LOOP;
	ways := (SELECT string_agg(f || ' ' || c, ', ' ORDER BY f) FROM (SELECT f, count(*) AS c FROM unnest(found) f GROUP BY f) s);
END $$;
SELECT * FROM repartitions('i,j', 'i,j');
SELECT * FROM repartitions('i,j', 'j,i');
SELECT * FROM repartitions('i,j,k', 'i,j,k');
SELECT * FROM repartitions('i,j,k', 'k,i,j');
SELECT * FROM repartitions('i,j,k,l', 'i,j,k,l');
SELECT * FROM repartitions('i,j,k,l', 'l,j,i,k');
SET client_min_messages = warning;
DROP SCHEMA paper_test CASCADE;
