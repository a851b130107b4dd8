--
-- Element types in programs: what a result is, that no plan changes it, and
-- what complex numbers have
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA types_test;
SET search_path = types_test, public;
CREATE TABLE r (i int, j int, v real, PRIMARY KEY (i, j));
INSERT INTO r VALUES (0, 0, 1), (0, 1, 2), (1, 1, -3), (2, 0, NULL);
CREATE TABLE f (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO f VALUES (0, 2), (1, 5);
CREATE TABLE n (j int PRIMARY KEY, v numeric NOT NULL);
INSERT INTO n VALUES (1, 4);
CREATE TABLE c (i int PRIMARY KEY, v tensor(complex8,1) NOT NULL);
INSERT INTO c VALUES (0, 'complex8:[1+2i,3+0i]'), (2, 'complex8:[1i,-1i]');
CREATE TABLE z (i int PRIMARY KEY, v tensor);
INSERT INTO z VALUES (0, 'complex16:1+1i'), (1, 'complex16:2');
SELECT einsum_register('r[I,J]', 'r', '{i,j}', 'v', '{3,2}');
SELECT einsum_register('f[J]', 'f', '{j}', 'v', '{2}');
SELECT einsum_register('n[J]', 'n', '{j}', 'v', '{2}');
SELECT einsum_register('o[I,J]', 'r', '{i,j}', NULL, '{3,2}');
SELECT einsum_register('c[I,k]', 'c', '{i}', 'v', '{3,2}');
SELECT einsum_register('z[I]', 'z', '{i}', 'v', '{3}', fill => 1);
SELECT tensor, notation, type, fill FROM einsum_tensors WHERE schema = 'types_test' ORDER BY tensor;

-- the value of a program under many plans, if that is one
CREATE FUNCTION every_plan(program text) RETURNS tensor LANGUAGE plpgsql AS $$
DECLARE
	options text;
	pinned text;
	value tensor;
	other tensor;
BEGIN
	value := einsum_value(program);
	FOREACH options IN ARRAY ARRAY['search => ''greedy''', 'rewrite => ''none''', 'rewrite => ''reassociate''', 'result => ''rows''', 'result => ''dense''', 'alternative => 2', 'alternative => 3', 'alternative => 5'] LOOP
		BEGIN
			EXECUTE format('SELECT einsum_value($1, %s)', options) INTO other USING program;
			IF other::text <> value::text THEN
				RAISE 'with % it is %, and not %', options, other, value;
			END IF;
		EXCEPTION WHEN invalid_parameter_value THEN
			NULL; -- there are fewer plans
		END;
	END LOOP;
	FOREACH pinned IN ARRAY ARRAY[regexp_replace(program, '(\m[ijkl]\M)(?=[],])', '\1:1', 'g'), regexp_replace(program, '(\m[ijkl]\M)(?=[],])', '\1:*', 'g')] LOOP
		pinned := replace(replace(replace(replace(pinned, 'i:1', 'I'), 'j:1', 'J'), 'k:1', 'K'), 'l:1', 'L');
		other := einsum_value(pinned);
		IF other::text <> value::text THEN
			RAISE '% is %, and not %', pinned, other, value;
		END IF;
	END LOOP;
	RETURN value;
END $$;

-- types promote as numpy's: float4 stays, with float8 it is float8, integers and
-- numeric are float8, and so is a row that means 1
SELECT p AS program, tensor_type(v), v FROM (VALUES
	('y[i,j] = r[i,j]'), ('y[i] = sum[j] r[i,j]'), ('y[i] = r[i,j]*f[j]'), ('y[i] = r[i,j]*n[j]'), ('y[i,j] = r[i,j]*o[i,j]'),
	('y[i,k] = r[i,j]*r[i,j]*c[i,k]'), ('y[i,k] = c[i,k]*z[i]'), ('y[i,j,k] = c[i,k]*f[j]'), ('y[i] = z[i]*o[i,j]'), ('y[i,k] = c[i,k] + z[i]')
) AS programs(p), LATERAL every_plan(p) AS v;
-- numbers take the type of what they meet, and imaginary ones make it complex
SELECT p AS program, tensor_type(v), v FROM (VALUES
	('y[i,j] = 2*r[i,j] + 0.5'), ('y[i,j] = 1/r[i,j]'), ('y[i,j] = 2i*r[i,j]'), ('y[j] = f[j] - 1i'), ('y[j] = (1i*1i)*f[j]'), ('y[i,k] = 2*c[i,k]'), ('y[] = 2'), ('y[] = 2i'), ('y[i,j] = r[i,j]^2'), ('y[i,k] = c[i,k]^2')
) AS programs(p), LATERAL every_plan(p) AS v;
-- so do truth values, and what chooses between numbers
SELECT p AS program, tensor_type(v), v FROM (VALUES
	('y[i,j] = r[i,j] > 0'), ('y[i,j] = (r[i,j] > 0)*r[i,j]'), ('y[i,j] = (f[j] > 2)*r[i,j]'), ('y[i] = sum[j] (r[i,j] > 0)'), ('y[i] = any[j] r[i,j]'), ('y[i,k] = c[i,k] == 3'), ('y[i] = all[k] c[i,k]'),
	('y[i,j] = if(r[i,j], 2, 3)'), ('y[i,j] = if(f[j] > 2, r[i,j], 0)'), ('y[i,k] = if(c[i,k] <> 0, 1i, 0)'), ('y[i,j] = r[i,j]*if(f[j] > 2, 1i, 1)'), ('y[i,j] = exp(r[i,j] > 5)')
) AS programs(p), LATERAL every_plan(p) AS v;
-- complex numbers
SELECT p AS program, tensor_type(v), v FROM (VALUES
	('y[i,k] = conj(c[i,k])'), ('y[i,k] = real(c[i,k])'), ('y[i,k] = imag(c[i,k])'), ('y[i,k] = abs(c[i,k])'), ('y[] = sum[i,k] c[i,k]*conj(c[i,k])'), ('y[i] = prod[k] c[i,k]'), ('y[i] = prod[k] (c[i,k] + z[i])'), ('y[i] = max[k] abs(c[i,k])'),
	('y[i,k] = c[i,k]/z[i]'), ('y[i,k] = z[i]/c[i,k]'), ('y[i,j] = imag(r[i,j])'), ('y[i,k] = c[i,k] <> z[i]'), ('y[i,k] = exp(c[i,k] - c[i,k])'), ('y[i,l] = c[i,k]*conj(c[l,k])'), ('y[i] = -z[i]')
) AS programs(p), LATERAL every_plan(p) AS v;
-- conversions
SELECT p AS program, tensor_type(v), v FROM (VALUES
	('y[i] = float8(sum[j] r[i,j])'), ('y[i] = sum[j] float8(r[i,j])'), ('y[j] = float4(f[j]/3)'), ('y[i,j] = complex16(r[i,j])'), ('y[i] = complex8(z[i])')
) AS programs(p), LATERAL every_plan(p) AS v;

-- fills have a type too, and complex ones are fills like others
SELECT p AS program, tensor_type(v), v FROM (VALUES
	('t[i,k] = c[i,k] + 1i; y[i] = sum[k] t[i,k]'), ('t[i,k] = c[i,k] + 1i; y[i,k] = t[i,k]*conj(t[i,k])'), ('y[i] = prod[k] (c[i,k] + 1i)'), ('y[i] = sum[j] (r[i,j] + 0.5)'), ('y[i] = sum[k] (c[i,k] - 1i)*z[i]')
) AS programs(p), LATERAL every_plan(p) AS v;
SELECT view, notation FROM einsum_decompose('t[I,K] = c[i,k] + 1i; y[i] = sum[k] t[i,k]', 'fills', result => 'auto');
SELECT tensor, type, fill FROM einsum_tensors WHERE program = 'fills' ORDER BY tensor;
SELECT label FROM pg_seclabels WHERE objname = 't' AND objnamespace = 'types_test'::regnamespace;
SELECT every_plan('x[i] = sum[k] t[i,k]') = every_plan('x[i] = y[i]') AS same;
SELECT einsum_drop('fills');

-- float4 is added up in double precision and rounded once: 2^24 + 3 is 2^24 + 4 in it
CREATE TABLE big (i int PRIMARY KEY, v real NOT NULL);
INSERT INTO big VALUES (0, 16777216), (1, 1), (2, 1), (3, 1);
SELECT einsum_register('big[I]', 'big', '{i}', 'v', '{4}');
SELECT every_plan('s[] = sum[i] big[i]'), every_plan('s[] = sum[i] float8(big[i])'), every_plan('s[] = float8(sum[i] big[i])');
-- unless it meets float8: then all of the arithmetic is done in float8, in every plan
CREATE TABLE one (v float8);
INSERT INTO one VALUES (1);
SELECT einsum_register('one[]', 'one', '{}', 'v');
SELECT every_plan('s[] = (sum[i] big[i])*one[]'), every_plan('s[] = sum[i] (big[i]*one[])'), every_plan('s[] = (sum[i] big[i]) - 16777216*one[]');
-- a statement's result has its own type, wherever it is used and computed
CREATE TABLE wide (i int PRIMARY KEY, v real NOT NULL);
INSERT INTO wide VALUES (0, 1e30), (1, 2);
SELECT einsum_register('wide[I]', 'wide', '{i}', 'v', '{2}');
SELECT every_plan('t[i] = wide[i]*wide[i]; s[i] = t[i]*one[]'), every_plan('s[i] = wide[i]*wide[i]*one[]') = '[1.0000000300949327e+60,4]' AS in_float8, every_plan('s[i] = (wide[i]^2)*one[]');

-- what is not defined of complex numbers is refused where it stands
SELECT einsum_value('y[i,k] = c[i,k] < 2');
SELECT einsum_value('y[] = max[i,k] 2*c[i,k]');
SELECT einsum_value('y[i,k] = greatest(1, c[i,k])');
SELECT einsum_value('y[i,k] = sigmoid(c[i,k])');
SELECT einsum_value('y[j] = floor(f[j]*1i)');
SELECT einsum_value('y[i] = float4(z[i])');

-- a row of another element type than registered is an error in every plan
CREATE TABLE loose (i int PRIMARY KEY, v tensor);
INSERT INTO loose VALUES (0, 'float4:[1,2]');
SELECT einsum_register('loose[I,j]', 'loose', '{i}', 'v', '{2,2}');
SELECT every_plan('y[i] = loose[i,j]*f[j]');
INSERT INTO loose VALUES (1, '[3,4]');
SELECT einsum_value('y[i] = loose[i,j]*f[j]');
SELECT einsum_value('y[i,j] = loose[I:1,J:1]', search => 'as_written');
SELECT einsum_value('y[i,j] = loose[i:*,j:*]');
-- the column's type converts
ALTER TABLE loose ALTER v TYPE tensor(float4,1);
SELECT every_plan('y[i,j] = loose[i,j]');
INSERT INTO loose VALUES (2, '[1,1]');
DELETE FROM loose WHERE i > 0;
-- nothing tells the type of an empty table but its columns
CREATE TABLE empty (i int PRIMARY KEY, v tensor);
SELECT einsum_register('empty[I]', 'empty', '{i}', 'v', '{2}');
SELECT every_plan('y[i] = empty[i]');
INSERT INTO empty VALUES (0, 'complex8:1i');
SELECT einsum_value('y[i] = empty[i]');
SELECT einsum_register('empty[I]', 'empty', '{i}', 'v', '{2}', replace => true);
SELECT every_plan('y[i] = empty[i]');
-- storages of a tensor are of one type
CREATE TABLE f_copy (v tensor(float4,1));
INSERT INTO f_copy VALUES ('[2,5]');
SELECT einsum_register('f[j]', 'f_copy', '{}', 'v', storage => 'further');

-- duplicates are summed in the tensor's type
CREATE TABLE twice (i int, v real);
INSERT INTO twice VALUES (0, 16777216), (0, 1), (1, 2), (1, 3);
SELECT einsum_register('twice[I]', 'twice', '{i}', 'v', '{3}', duplicates => 'sum');
SELECT every_plan('y[i] = twice[i]'), every_plan('y[i] = twice[i]^2'), every_plan('y[i] = 1i*twice[i]');

-- statistics: an entry is compared with the fill in its own precision
CREATE TABLE tenth (i int PRIMARY KEY, v real NOT NULL);
INSERT INTO tenth VALUES (0, 0.1), (1, 0.1), (2, 3);
SELECT einsum_register('tenth[I]', 'tenth', '{i}', 'v', '{4}', fill => 0.1);
SELECT einsum_analyze('tenth');
SELECT every_plan('y[i] = tenth[i]'), every_plan('s[] = sum[i] (tenth[i] == 0.1)');
SELECT einsum_analyze('c');

-- views: columns and registrations have the type; other queries use them as they are
SELECT count(*) FROM einsum_decompose('a4[I,J] = 2*r[i,j]; a8[I] = a4[i,j]*f[j]; a16[I,k] = c[i,k]*z[i]', 'typed');
SELECT tensor, notation, type FROM einsum_tensors WHERE program = 'typed' ORDER BY tensor;
SELECT attrelid::regclass, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = ANY ('{a4,a8,a16}'::regclass[]) AND attname = 'value' ORDER BY 1;
SELECT * FROM a4 ORDER BY 1, 2;
SELECT * FROM a8 ORDER BY 1;
SELECT * FROM a16 ORDER BY 1;
SELECT sum(value), tensor_type(sum(value)) FROM a4;
SELECT einsum_drop('typed');
SELECT count(*) FROM einsum_decompose('a4[I,J] = 2*r[i,j]; a16[I,K] = c[i,k]*z[i]', 'typed', materialize => 'always');
SELECT * FROM a4 ORDER BY 1, 2;
SELECT every_plan('y[i] = a16[i,k]');
SELECT einsum_drop('typed');

-- at a key; the plan as a program; what there is
DO $$ DECLARE result record; BEGIN EXECUTE einsum_sql('t[I,k] = c[i,k] + 1i; y[I,k] = sum[j] r[j,i]*t[j,k]', at => '{i}') INTO result USING 1; RAISE NOTICE '%', result; END $$;
SELECT * FROM einsum_plan('y[i] = sum[j] (r[i,j] > 0)*f[j] + any[j] r[i,j]', format => 'program', result => 'auto');
SELECT * FROM einsum_plan('y[i,k] = (1 + 2i)*c[i,k] + 2i', format => 'program', result => 'auto');
SELECT * FROM einsum_plan('s[] = c[i,k]*z[i]', actual => true) AS plan WHERE plan ~ 'actual';

SET client_min_messages = warning;
DROP SCHEMA types_test CASCADE;
