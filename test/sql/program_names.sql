-- What programs' relations are called in generated SQL, and what is said of them.
CREATE SCHEMA names_test;
SET search_path = names_test, public;

-- aliases are the tensors' names, once each
CREATE TABLE a (i int, j int, v float8, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, j, 4 * i - j FROM generate_series(0, 3) i, generate_series(0, 3) j WHERE i <> j;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{4,4}');
SELECT regexp_matches(einsum_sql('t[I] = a[I,J]*a[J,I]; z[I] = exp(t[I])*a[I,I]', search => 'as_written'), 'AS ("?[a-z0-9_]+"?)(?:,| WHERE| LEFT| GROUP|$)', 'g');

-- any name gives what the plain names give, as whatever the SQL has beside it
CREATE FUNCTION name_programs(one text, two text, three text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format(program, one, two, three, left(three, 1) || ' between') FROM (VALUES
		('%3$I[I,K] = %1$I[I,J]*%1$I[J,K]*%2$I[K]'),
		('%3$I[I,J] = %1$I[I,J] - %1$I[J,I] + %2$I[J]'),
		('%3$I[i,j] = exp(%1$I[i,j]) + %2$I[i]'),
		('%3$I[I:2,J:3] = sigmoid(%1$I[i,j] * %2$I[j])'),
		('%4$I[I] = max[j] (%1$I[i,j] - %2$I[j]); %3$I[I] = %4$I[I]*%4$I[I]*eye[I,I]'),
		('%3$I[] = (sum[i] %2$I[i]*%2$I[i]) + (sum[i,j] %1$I[i,j])')) programs(program);
$$;
CREATE TABLE plain AS SELECT i, v FROM a WHERE j = (i + 1) % 4;
CREATE TABLE vector AS SELECT stack(v, i, 0, 4) AS v FROM plain;
CREATE FUNCTION same_under_names(one text, two text, three text) RETURNS TABLE (same boolean, plans bigint) LANGUAGE plpgsql AS $$
DECLARE
	program text;
	expected tensor;
	kind text;
BEGIN
	same := true;
	plans := 0;
	FOR kind IN VALUES ('rows'), ('vector') LOOP
		EXECUTE format('CREATE TABLE stored_one AS SELECT * FROM a; ALTER TABLE stored_one ADD PRIMARY KEY (i, j)');
		PERFORM einsum_register(format('%I[I,J]', one), 'stored_one', '{i,j}', 'v', '{4,4}');
		IF kind = 'rows' THEN
			EXECUTE 'CREATE TABLE stored_two AS SELECT * FROM plain; ALTER TABLE stored_two ADD PRIMARY KEY (i)';
			PERFORM einsum_register(format('%I[I]', two), 'stored_two', '{i}', 'v', '{4}');
		ELSE
			EXECUTE 'CREATE TABLE stored_two AS SELECT * FROM vector';
			PERFORM einsum_register(format('%I[i]', two), 'stored_two', '{}', 'v');
		END IF;
		EXECUTE 'CREATE TABLE first_x AS SELECT * FROM stored_one; CREATE TABLE first_y AS SELECT * FROM stored_two; ALTER TABLE first_x ADD PRIMARY KEY (i, j)';
		PERFORM einsum_register('plain_one[I,J]', 'first_x', '{i,j}', 'v', '{4,4}');
		IF kind = 'rows' THEN
			EXECUTE 'ALTER TABLE first_y ADD PRIMARY KEY (i)';
			PERFORM einsum_register('plain_two[I]', 'first_y', '{i}', 'v', '{4}');
		ELSE
			PERFORM einsum_register('plain_two[i]', 'first_y', '{}', 'v');
		END IF;
		FOR n IN 1 .. (SELECT count(*) FROM name_programs('a', 'b', 'c')) LOOP
			SELECT p INTO program FROM name_programs('plain_one', 'plain_two', 'plain_three') WITH ORDINALITY s(p, number) WHERE number = n;
			expected := einsum_value(program);
			SELECT p INTO program FROM name_programs(one, two, three) WITH ORDINALITY s(p, number) WHERE number = n;
			FOR k IN 1 .. 4 LOOP
				EXIT WHEN (SELECT jsonb_array_length(p::jsonb) FROM einsum_plan(program, plans => k, format => 'json', result => 'auto') p) < k;
				same := same AND einsum_value(program, alternative => k) = expected AND (k > 1 OR einsum_value(program, materialize => 'always') = expected);
				plans := plans + 1;
			END LOOP;
			-- views, and what a dump makes of them
			PERFORM einsum_decompose(program, 'named', search => 'as_written');
			FOR program IN SELECT format('CREATE VIEW again AS %s; DROP VIEW again', pg_get_viewdef(format('%I', three)::regclass)) LOOP
				EXECUTE program;
			END LOOP;
			PERFORM einsum_drop('named');
		END LOOP;
		DROP TABLE stored_one, stored_two, first_x, first_y;
	END LOOP;
	RETURN NEXT;
END
$$;
SET client_min_messages = warning;
SELECT left(one, 12) AS one, left(two, 12) AS two, left(three, 12) AS three, s.*
FROM (VALUES ('select', 'a b', 'from'), ('i', 'j', 'value'), ('e0', 'u0', 'k'), ('e1', 'u1', 'n'), ('k', 'n', 'e0'), ('u1', 'one', 'u0'), ('old', 'new', 'eye_'),
	('Sum', 'tensor_sum', 'stack'), ('%1$s', '%s', '100%n'), ('d0', 'l0', 'l1'), ('a"b', 'it''s', '\'), ('pg_catalog', 'public', 'names_test'),
	(repeat('x', 62) || '1', repeat('x', 62) || '2', repeat('y', 60)), (repeat('ä', 31) || 'x', repeat('ä', 31), 'z' || repeat('€', 19)), ('int4', 'float8', 'lateral')) names(one, two, three),
	LATERAL same_under_names(one, two, three) s;

-- a result's columns, and comments: the statement as it was written
RESET client_min_messages;
SELECT view, notation, columns, cost > 0 AS cost, tuples > 0 AS tuples FROM einsum_decompose(E'n[I] = sum[j] a[i,j]; -- the sums\n  "a ""b\\"[I, k]\n\t= (sum[i] exp(n[i]*a[i,k]))*exp(n[i]) /* no more */ ;; order[m:*] = 2*n[m] -- last', 'p', rewrite => 'reassociate', result => 'auto');
CREATE FUNCTION comments() RETURNS TABLE (name text, comment text) LANGUAGE sql AS
	$$ SELECT relname, obj_description(oid, 'pg_class') FROM pg_class WHERE relnamespace = 'names_test'::regnamespace AND relkind IN ('r', 'v') AND relname NOT IN ('a', 'plain', 'vector') ORDER BY relname $$;
SELECT * FROM comments();
-- our own comments follow the program, others stay
COMMENT ON VIEW "order" IS 'what I know of it';
COMMENT ON VIEW "a ""b\" IS NULL;
SELECT count(*) FROM einsum_decompose(E'n[I] = max[j] a[i,j]; "a ""b\\"[I, k] = exp(n[i])*a[i,k]; order[m:*] = 3*n[m]', 'p', replace => true, result => 'auto');
SELECT * FROM comments();
SELECT einsum_drop('p');
-- tables, and the views that they are filled from
SELECT view, columns FROM einsum_decompose('n[I] = sum[j] a[i,j]; m[i:*] = n[i]', 'p', materialize => 'always');
SELECT * FROM comments();
COMMENT ON TABLE n IS 'mine';
SELECT tensor, how, why, changes, written FROM einsum_refresh('p');
SELECT count(*) FROM einsum_decompose('n[I] = sum[j] 2*a[i,j]; m[i:*] = n[i]', 'p', materialize => 'always', replace => true);
SELECT * FROM comments();
SELECT einsum_drop('p');
-- a stage that is part of a long statement
SELECT count(*) FROM einsum_decompose('n[i] = (max[j] a[i,j]) * (min[j] a[i,j]) * (' || (SELECT string_agg(format('exp(a[i,i] * %s)', k), ' + ') FROM generate_series(1, 30) k) || ')', 'p', result => 'auto');
SELECT name, length(comment), left(comment, 80) FROM comments();
SELECT einsum_drop('p');
-- the same SQL as einsum_decompose runs
SELECT line FROM einsum_plan('n[I] = sum[j] a[i,j]; m[] = n[i]*n[i]', format => 'sql') line WHERE line LIKE 'COMMENT%';
SET client_min_messages = warning;
DROP SCHEMA names_test CASCADE;
