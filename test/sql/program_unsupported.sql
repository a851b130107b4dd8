--
-- What programs do not do yet raises 0A000 with a position and a hint, and
-- gives no answer
--
\set VERBOSITY default
\set SHOW_CONTEXT never
CREATE SCHEMA unsupported_test;
SET search_path = unsupported_test, public;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a VALUES (0, 0, 1), (0, 2, -2), (2, 1, 3), (2, 2, 5);
CREATE TABLE x (j int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO x VALUES (0, 2), (2, 7);
CREATE TABLE f4 (v tensor);
CREATE TABLE c16 (v tensor);
INSERT INTO f4 VALUES ('float4:[1,2,3]');
INSERT INTO c16 VALUES ('complex16:[1+2i,0-1i,3]');
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{3,3}');
SELECT einsum_register('x[J]', 'x', '{j}', 'v', '{3}');
SELECT einsum_register('f4[j]', 'f4', '{}', 'v');
SELECT einsum_register('c16[j]', 'c16', '{}', 'v');

-- every call refuses alike, with the code
CREATE FUNCTION refused(program text) RETURNS TABLE (call text, code text, hint boolean) LANGUAGE plpgsql AS $$
DECLARE
	statement text;
	the_hint text;
BEGIN
	FOREACH statement IN ARRAY ARRAY['SELECT einsum_plan($1)', 'SELECT einsum_sql($1)', 'SELECT einsum_value($1)', 'SELECT einsum_decompose($1, ''p'')'] LOOP
		call := substring(statement from 'einsum_\w+');
		BEGIN
			EXECUTE statement USING program;
			code := 'accepted';
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, the_hint = PG_EXCEPTION_HINT;
			hint := the_hint <> '';
		END;
		RETURN NEXT;
	END LOOP;
END $$;
SELECT p AS program, count(*) AS calls, min(code) AS code, max(code) = min(code) AS one_code, bool_and(hint) AS hints
FROM (VALUES
	('y[j] = c16[j] > x[j]'), ('y[] = max[j] c16[j]'), ('y[] = min[j] 1i*f4[j]'), ('y[j] = relu(c16[j])'), ('y[j] = greatest(x[j], c16[j])'), ('y[j] = float8(c16[j])'),
	('y[i] = x[2*i]'), ('y[i] = a[i,x[i]]'), ('y[i,j] = a[i,i+j]')
) AS programs(p), LATERAL refused(p) GROUP BY p ORDER BY p COLLATE "C";

-- the messages
SELECT einsum_value('y[j] = x[j] + relu(c16[j])');
SELECT einsum_value('y[] = max[j] c16[j]');
SELECT einsum_value('y[j] = (2i*f4[j]) <= x[j]');
SELECT einsum_value('y[i] = x[i+i]');
SELECT einsum_value('y[i] = a[i,x[i]]');

-- options and formats
-- which are not what they could be, either
SELECT einsum_plan('y[i] = a[i,j]*x[j]', format => 'xml');
SELECT einsum_plan('y[i] = a[i,j]*x[j]', format => 'TEXT');
SELECT einsum_plan('y[i] = a[i,j]*x[j]', materialize => 'sometimes');
SELECT einsum_plan('y[i] = a[i,j]*x[j]', estimator => 'crystal ball');
SELECT einsum_plan('y[i] = a[i,j]*x[j]', search => 'dynamic');
SELECT einsum_plan('y[i] = a[i,j]*x[j]', inputs => 'dense');
SELECT einsum_plan('y[i] = a[i,j]*x[j]', result => 'sparse');
SELECT einsum_plan('y[i] = a[i,j]*x[j]', rewrite => '');
SELECT einsum_plan('y[i] = a[i,j]*x[j]', alternative => 0);
SELECT einsum_plan('y[i] = a[i,j]*x[j]', alternative => 1001);
SELECT einsum_plan('y[i] = a[i,j]*x[j]', plans => 0);
SELECT einsum_plan('y[i] = a[i,j]*x[j]', plans => 1001);
SELECT einsum_value('y[i] = a[i,j]*x[j]', alternative => -1);
SELECT einsum_value('y[i] = a[i,j]*x[j]', schema => 'no such schema');
-- a null option is its default
SELECT einsum_value('y[i] = a[i,j]*x[j]', search => NULL, alternative => NULL, inputs => NULL, result => NULL, materialize => NULL, rewrite => NULL, estimator => NULL, schema => NULL);
-- nothing was left behind
SELECT relname FROM pg_class WHERE relnamespace = 'unsupported_test'::regnamespace AND relkind IN ('v', 'm') ORDER BY 1;

-- limits
SELECT einsum_value('s[] = a[a,b]*a[b,c]*a[c,d]*a[d,e]*a[e,f]*a[f,g]*a[g,h]*a[h,i]*a[i,j]*a[j,k]*a[k,l]*a[l,m]*a[m,n]') =
	einsum_value('p2[a,c] = a[a,b]*a[b,c]; p4[a,c] = p2[a,b]*p2[b,c]; p8[a,c] = p4[a,b]*p4[b,c]; p12[a,c] = p8[a,b]*p4[b,c]; s[] = p12[a,b]*a[b,c]') AS same;
SELECT einsum_value('y[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q] = x[a]*x[b]*x[c]*x[d]*x[e]*x[f]*x[g]*x[h]*x[i]*x[j]*x[k]*x[l]*x[m]*x[n]*x[o]*x[p]*x[q]');
SELECT einsum_value('y[] = ' || repeat('1+', 3000) || '1');

SET client_min_messages = warning;
DROP SCHEMA unsupported_test CASCADE;
