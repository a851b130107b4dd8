--
-- Long programs: what one stage computes has the same limit in every plan, and
-- statements that would pass it together stay apart.
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA long_test;
SET search_path = long_test, public;

CREATE TABLE x (i int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (0, 0.5), (1, -2), (2, 1), (4, -1);
SELECT einsum_register('x[I]', 'x', '{i}', 'v', '{5}');

-- the value of a program with i promoted, demoted, in blocks, and as the search has it
CREATE FUNCTION values_of(program text, OUT plans int, OUT value tensor) LANGUAGE plpgsql AS $$
DECLARE
	pin text;
	one tensor;
BEGIN
	plans := 0;
	FOREACH pin IN ARRAY ARRAY['I', 'i:*', 'i:2', 'i'] LOOP
		one := einsum_value(replace(program, '@', pin));
		IF plans > 0 AND one::text <> value::text THEN
			RAISE EXCEPTION '% is %, and not %', pin, one, value;
		END IF;
		value := one;
		plans := plans + 1;
	END LOOP;
END $$;

-- a chain of calls as the sizes of tables and stacks change, and at the limit
SELECT length, plans, value FROM unnest(ARRAY[127, 128, 129, 2048]) AS length,
	values_of('z[@] = ' || repeat('relu(', length - 1) || 'x[@]' || repeat(')', length - 1));
-- two steps for each level, one of them a number below zero
SELECT length, plans, value FROM unnest(ARRAY[129, 2047]) AS length,
	values_of('z[@] = ' || repeat('greatest(-1.5, ', length / 2) || 'x[@]' || repeat(')', length / 2));
SELECT plans, value FROM values_of('z[@] = exp(x[@]) * 0' || (SELECT string_agg(' + (x[@] > ' || n || ') * ' || n, '') FROM generate_series(-170, 170) n));
-- applied to a sum
SELECT length, plans, value FROM unnest(ARRAY[200, 2048]) AS length,
	values_of('z[@] = ' || repeat('relu(', length - 1) || 'sum[j] (x[@] * x[j])' || repeat(')', length - 1));

-- beyond
\set VERBOSITY terse
SELECT einsum_value('z[I] = ' || repeat('relu(', 2048) || 'x[I]' || repeat(')', 2048));
SELECT einsum_value('z[i] = ' || repeat('relu(', 2048) || 'x[i:*]' || repeat(')', 2048));
SELECT einsum_value('z[i] = ' || repeat('relu(', 2048) || 'sum[j] (x[i] * x[j])' || repeat(')', 2048));
SELECT einsum_plan('y[i] = x[i]; z[i] = ' || repeat('relu(', 2048) || 'y[i:2]' || repeat(')', 2048), result => 'auto');

-- statements that read each other are one kernel only as far as one can hold them
SELECT plans, value FROM values_of('y[@] = ' || repeat('relu(', 1500) || 'x[@]' || repeat(')', 1500) || '; z[@] = ' || repeat('relu(', 1500) || 'y[@]' || repeat(')', 1500));

-- a tensor that is a factor more often than einsum takes operands
SELECT factors, plans, value FROM unnest(ARRAY[61, 62, 63, 64, 65, 200]) AS factors,
	values_of('z[@] = x[@]' || repeat(' * x[@]', factors - 1));
SELECT factors, plans, value FROM unnest(ARRAY[61, 62, 63, 64, 65, 200]) AS factors,
	values_of('z[] = x[@]' || repeat(' * x[@]', factors - 1));

-- more complex numbers than a map has operands
SELECT numbers, plans, value FROM unnest(ARRAY[14, 15, 16, 17, 40]) AS numbers,
	values_of('z[@] = real(x[@] * 1i)' || (SELECT string_agg(' + imag(abs(x[@] + ' || n || ') * (' || n || '-' || n || 'i))', '') FROM generate_series(2, numbers) n));

DROP SCHEMA long_test CASCADE;
