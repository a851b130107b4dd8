-- Values of a format that this version does not know: all that takes a tensor refuses them. Sparse values: all that takes a tensor gives what it gives for the dense form.
-- A file of a later version may hold such a value; here a cast without a function makes one.
\set VERBOSITY terse
CREATE SCHEMA format_test;
SET search_path = format_test, public, sparseeinsum_internal;
SET client_min_messages = warning;
CREATE TYPE raw;
CREATE FUNCTION raw_in(cstring) RETURNS raw LANGUAGE internal IMMUTABLE STRICT AS 'byteain';
CREATE FUNCTION raw_out(raw) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'byteaout';
CREATE TYPE raw (INPUT = raw_in, OUTPUT = raw_out, INTERNALLENGTH = VARIABLE, ALIGNMENT = double, STORAGE = external);
CREATE CAST (tensor AS raw) WITHOUT FUNCTION;
CREATE CAST (raw AS tensor) WITHOUT FUNCTION;
-- A value whose first byte, its format, is 9.
CREATE FUNCTION of_format_9(value tensor) RETURNS tensor LANGUAGE sql IMMUTABLE AS
	$$ SELECT set_byte(CAST(CAST(CAST(value AS raw) AS text) AS bytea), 0, 9)::text::raw::tensor $$;

-- A matrix, a vector and a number, in two rows: m, v and n are dense in both rows, later_m and so on in the first, other_m and so on in neither.
CREATE VIEW flat AS SELECT row::int8 AS row, m, v, n, CASE row WHEN 1 THEN m ELSE of_format_9(m) END AS later_m, CASE row WHEN 1 THEN v ELSE of_format_9(v) END AS later_v,
		CASE row WHEN 1 THEN n ELSE of_format_9(n) END AS later_n, of_format_9(m) AS other_m, of_format_9(v) AS other_v, of_format_9(n) AS other_n
	FROM generate_series(1, 2) row, (VALUES (tensor '[[4,1,0],[1,3,1],[0,1,5]]', tensor '[3,1,2]', tensor '5')) dense(m, v, n) OFFSET 0;
CREATE TABLE short AS SELECT * FROM flat;
-- the same values, sparse
CREATE VIEW flat_sparse AS SELECT row, tensor_sparse(m, 1) AS m, tensor_sparse(v) AS v, tensor_sparse(n, 7) AS n FROM flat OFFSET 0;
CREATE TABLE short_sparse AS SELECT * FROM flat_sparse;
-- out of line: the other column of a row cannot be moved
CREATE TABLE out_of_line (LIKE short, filler text NOT NULL) WITH (toast_tuple_target = 128);
ALTER TABLE out_of_line ALTER filler SET STORAGE plain;
INSERT INTO out_of_line SELECT s.*, repeat('x', 2100) FROM flat s;
CREATE TABLE out_of_line_sparse WITH (toast_tuple_target = 128) AS SELECT s.*, repeat('x', 2100) AS filler FROM flat_sparse s LIMIT 0;
ALTER TABLE out_of_line_sparse ALTER filler SET STORAGE plain;
INSERT INTO out_of_line_sparse SELECT s.*, repeat('x', 2100) FROM flat_sparse s;
SELECT bool_and(pg_column_size(m) = 8 + 8 + 72 - 3) AS has_short_header FROM short;
SELECT count(*) AS out_of_line FROM pg_class c WHERE c.oid = 'out_of_line'::regclass AND pg_relation_size(c.reltoastrelid) > 0;

-- Arguments of what needs others than those that its types get; $m, $v and $n stand for columns.
CREATE TABLE arguments (name regprocedure UNIQUE, given text);
INSERT INTO arguments SELECT p.oid, given FROM (VALUES
	('^einsum(|_sum|_min|_max|_any|_all)$', '''ij,ij->ij'', $m, $m'),
	('^einsum(|_sum|_min|_max|_any|_all)_scalar$', '''ij,ij->'', $m, $m'),
	('^einsum_path$', '''ij,jk->ik'', $m, $m'),
	('^tensor_map(|_sum|_min|_max|_prod)$', '''$1+$2'', ''ij,ij->ij'', $m, $m'),
	('^tensor_map(|_sum|_min|_max|_prod)_scalar$', '''$1+$2'', '','', $n, $n'),
	('^(inner_prod|outer_prod)$', '$v, $v'),
	('^vec_mat_mult$', '$v, $m'),
	('^mat_vec_mult$', '$m, $v'),
	('^(tensor_covar|sparsevec_of_tensor)$', '$v'),
	('^mat_norm$', '$m, ''fro'''),
	('^tensor_reduce$', '''sum'', $m, ''{0}'', false'),
	('^tensor_reshape$', '$m, ''{9}'''),
	('^tensor_permute$', '$m, ''{1,0}'''),
	('^tensor_slice$', '$m, ''{0,0}'', ''{1,1}'''),
	('^tensor_to_(float4|float8|int2|int4|int8|numeric)$', '$n'),
	('^tensor_to_(float4|float8|int2|int4|int8|numeric)_array$', '$v'),
	('^einsum_by_place$', '$v, $n, ''w'', ''float8'', ''{3}'', ''{0,1,2}''::int8[]'),
	('^einsum_by_position$', '$v, $n, ''{0,1,2}''::int8[]'),
	('^einsum_(cholesky|inverse)$', '''kl'', ''kl->kl'', $m'),
	('^einsum_solve$', '''kl'', ''kl,l->k'', $m, $v'),
	('^einsum_full_tensor$', '''{2}'', $n'),
	('^einsum_shift$', '$m, ''{1,0}'', ''{f,f}'', $n'),
	('^einsum_unstack_scalar$', '$v, 0'),
	('^tensor$', '$m, (SELECT tensor_typmod_in(''{float4,2}'')), true'),
	('^einsum_arg(max|min)$', '$m, row - 1, 2, 0'),
	('^einsum_value_has_shape$', '$m, ''{3,3}'', ''w''')) given(name, given) JOIN pg_proc p ON p.proname ~ given.name
	-- what passes a value on, and what takes keys
	WHERE p.proname NOT IN ('einsum_once', 'einsum_keys_unique', 'einsum_keys_ordered', 'einsum_key_in_dimension');
INSERT INTO arguments VALUES ('einsum_value_has_shape(tensor,int4[],text,text)', '$m, ''{3,3}'', ''w'', ''float8'''), ('vec_sca_mult(tensor,tensor)', '$v, $n'),
	('einsum_stack_blocks(tensor,float8,int4,"any")', '$n, 0, 1, row - 1, 2'), ('einsum_stack_blocks(tensor,tensor,int4,"any")', '$n, $n, 1, row - 1, 2')
	ON CONFLICT (name) DO UPDATE SET given = excluded.given;

-- Every function and aggregate of the extension that takes tensors, with its arguments; transition functions are called by their aggregates.
CREATE VIEW called AS SELECT p.oid::regprocedure AS name, p.prokind, coalesce(a.given, array_to_string(ARRAY(
			SELECT CASE WHEN t.type = 'tensor'::regtype THEN CASE t.name WHEN 'fill' THEN '$n' ELSE '$m' END WHEN t.type = 'tensor[]'::regtype THEN 'VARIADIC ARRAY[$m, $m]' WHEN t.type = 'int8'::regtype AND t.name = 'pos' THEN 'row - 1'
				WHEN t.type = '"any"'::regtype THEN 'row - 1, 2' WHEN t.type IN ('int4'::regtype, 'int8'::regtype) THEN CASE t.name WHEN 'dimension' THEN '0' WHEN 'added' THEN '1' ELSE '2' END
				WHEN t.type = 'float8'::regtype THEN '1.5' WHEN t.type = 'bool'::regtype THEN 'false' ELSE '?' END
			FROM unnest(p.proargtypes::oid[], p.proargnames) WITH ORDINALITY t(type, name, n) WHERE n <= p.pronargs ORDER BY n), ', ')) AS given
	FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'sparseeinsum') LEFT JOIN arguments a ON a.name = p.oid
	WHERE p.proargtypes::oid[] && ARRAY['tensor'::regtype, 'tensor[]'::regtype, '"any"'::regtype]::oid[] AND NOT p.proargtypes::oid[] && ARRAY['tensor_state'::regtype, 'internal'::regtype]::oid[]
		AND p.proname !~ '_transfn$' AND p.proname NOT IN ('einsum_once', 'einsum_keys_unique', 'einsum_keys_ordered', 'einsum_key_in_dimension', 'einsum_entries', 'einsum_stored_entries', 'store_half');

-- What a query raises: its SQLSTATE and message, or nothing.
CREATE FUNCTION raised(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END $$;
-- Calls all of them on a table, with each tensor argument in turn taken from the columns of that kind; returns what raises another error than is expected.
CREATE FUNCTION calls(relation regclass, kind text, expected text) RETURNS TABLE (call text, raises text) LANGUAGE plpgsql AS $$
DECLARE
	one record;
	calls int := 0;
	parts text[];
	query text;
	prefix text := CASE kind WHEN 'dense' THEN '' ELSE kind || '_' END;
BEGIN
	FOR one IN SELECT n.nspname || '.' || p.proname AS name, c.prokind, c.given FROM called c JOIN pg_proc p ON p.oid = c.name JOIN pg_namespace n ON n.oid = p.pronamespace WHERE kind <> 'later' OR c.prokind = 'a' ORDER BY c.name::text LOOP
		parts := regexp_split_to_array(one.given, '\$(?=[mvn]\M)');
		FOR place IN 2 .. CASE kind WHEN 'dense' THEN 2 ELSE cardinality(parts) END LOOP
			call := format('%s(%s)', one.name, array_to_string(parts[1:place - 1], '') || prefix || array_to_string(parts[place:], ''));
			query := CASE one.prokind WHEN 'a' THEN format('SELECT %s FROM %s', call, relation) ELSE format('SELECT count(*) FROM %s, LATERAL %s called', relation, call) END;
			raises := raised(query);
			calls := calls + 1;
			IF raises <> expected THEN
				RETURN NEXT;
			END IF;
		END LOOP;
	END LOOP;
	call := CASE WHEN calls >= 70 THEN 'all others' ELSE 'too few' END;
	raises := expected;
	RETURN NEXT;
END $$;
-- What a function returns for the tables' values, dense or sparse: results that are tensors, or rows of an index and a tensor, as their dense forms.
CREATE FUNCTION returned(call text, relation regclass, is_aggregate bool, shown text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	IF is_aggregate THEN
		EXECUTE format('SELECT (%s)::text FROM %s', replace(shown, 'called', call), relation) INTO result;
	ELSE
		EXECUTE format('SELECT string_agg((%s)::text, '';'') FROM %s, LATERAL %s called', shown, relation, call) INTO result;
	END IF;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN relation || ': ' || SQLERRM;
END $$;
-- All of them but what shows a value's form give for sparse values what they give for dense ones.
CREATE FUNCTION differences(kind text) RETURNS TABLE (call text, dense text, sparse text) LANGUAGE plpgsql AS $$
DECLARE
	one record;
	calls int := 0;
	call_text text;
BEGIN
	FOR one IN SELECT n.nspname || '.' || p.proname AS name, c.prokind = 'a' AS is_aggregate, CASE WHEN NOT p.proretset AND p.prorettype = 'tensor'::regtype THEN 'tensor_dense(called)'
				WHEN p.proretset AND p.proallargtypes[cardinality(p.proallargtypes)] = 'tensor'::regtype THEN 'called.index, tensor_dense(called.value)' ELSE 'called' END AS shown, c.given FROM called c JOIN pg_proc p ON p.oid = c.name JOIN pg_namespace n ON n.oid = p.pronamespace
			WHERE p.proname NOT IN ('tensor_out', 'tensor_send', 'tensor_format', 'tensor_to_json', 'tensor_to_jsonb') ORDER BY c.name::text LOOP
		call_text := format('%s(%s)', one.name, replace(one.given, '$', ''));
		dense := returned(call_text, kind::regclass, one.is_aggregate, one.shown);
		sparse := returned(call_text, (kind || '_sparse')::regclass, one.is_aggregate, one.shown);
		calls := calls + 1;
		IF dense IS NULL OR dense IS DISTINCT FROM sparse THEN
			call := call_text;
			RETURN NEXT;
		END IF;
	END LOOP;
	call := CASE WHEN calls >= 110 THEN 'all others' ELSE 'too few: ' || calls END;
	dense := NULL;
	sparse := NULL;
	RETURN NEXT;
END $$;
-- numbers by places, and no tensor
SELECT name FROM called WHERE given NOT LIKE '%$%' OR given LIKE '%?%';
SELECT * FROM calls('flat', 'dense', 'nothing');
SELECT r, kind, c.* FROM unnest('{flat,short,out_of_line}'::regclass[]) r, unnest('{other,later}'::text[]) kind, calls(r, kind, '0A000: tensor value of format 9 is not supported') c;

SELECT k, d.* FROM unnest('{flat,short,out_of_line}'::text[]) k, differences(k) d;

-- What reads values without a function that has them as an argument
SELECT query, raised(query) FROM (VALUES ('SELECT other_m FROM short ORDER BY other_m'), ('SELECT count(*) FROM short GROUP BY other_m'), ('SELECT DISTINCT other_m FROM out_of_line'),
	('SELECT other_m[1] FROM short'), ('SELECT other_m[1][2] FROM out_of_line'), ('UPDATE short SET other_m[1] = v'), ('UPDATE short SET m[1] = other_v'), ('SELECT other_m::tensor(float4) FROM flat'),
	('SELECT format(''%s'', other_m) FROM short'), ('COPY short (other_m) TO ''/dev/null'' (FORMAT binary)'), ('CREATE INDEX ON short (other_m)'), ('CREATE TABLE typed AS SELECT other_m::tensor(float8,2) FROM flat'),
	('SELECT sum(later_m) OVER (ORDER BY row) FROM short'), ('SELECT count(*) FROM short a JOIN short b ON a.later_m = b.later_m')) q(query);

-- Programs, with our nodes and without, and what fills and measures storages
CREATE TABLE h (i int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO h SELECT i, CASE WHEN i = 3 THEN of_format_9('[1,2]') ELSE '[1,2]' END FROM generate_series(0, 3) i;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, (i + k) % 4, k FROM generate_series(0, 3) i, generate_series(1, 2) k;
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{4,4}');
SELECT raised($$SELECT einsum_register('h[I,k]', 'h', '{i}', 'v', '{4,2}')$$) AS registered_from_a_sample;
DELETE FROM h WHERE i = 3;
SELECT einsum_register('h[I,k]', 'h', '{i}', 'v', '{4,2}');
INSERT INTO h SELECT 3, of_format_9('[1,2]');
SELECT nodes, count(*) AS programs, raises FROM unnest('{off,force}'::text[]) nodes,
	unnest('{"y[I,k] = a[I,J]*h[J,k]","y[I,J] = h[I,k]*h[J,k]","y[] = sum[I,k] h[I,k]","y[I,k] = exp(h[I,k])","y[i,k] = h[i,k] * 2","y[I,K] = h[I,K] + 1","y[I] = max[k] h[I,k]"}'::text[]) program,
	LATERAL (SELECT set_config('sparseeinsum.enable_aggregate_join', nodes, false), set_config('sparseeinsum.enable_batching', nodes, false)) settings,
	LATERAL raised(format('SELECT einsum_value(%L)', program)) raises GROUP BY nodes, raises ORDER BY nodes;
RESET sparseeinsum.enable_aggregate_join;
RESET sparseeinsum.enable_batching;
SELECT raised('SELECT einsum_analyze(''h'')') AS analyzed;
-- the same programs over sparse values, with our nodes and without
UPDATE h SET v = '[1,2]' WHERE i = 3;
UPDATE h SET v = tensor_sparse(tensor '[1,2]' * i::float8, i) WHERE i < 3;
SELECT i, v FROM h ORDER BY i;
CREATE TABLE dense AS SELECT i, tensor_dense(v) AS v FROM h;
SELECT set_config('sparseeinsum.enable_aggregate_join', 'off', false), set_config('sparseeinsum.enable_batching', 'off', false);
CREATE TABLE programs AS SELECT program, NULL::tensor AS dense FROM unnest('{"y[I,k] = a[I,J]*h[J,k]","y[I,J] = h[I,k]*h[J,k]","y[] = sum[I,k] h[I,k]","y[I,k] = exp(h[I,k])","y[i,k] = h[i,k] * 2","y[I,K] = h[I,K] + 1","y[I] = max[k] h[I,k]","y[I,J] = a[I,J] * sum[k] h[J,k]"}'::text[]) program;
SELECT einsum_unregister('h');
ALTER TABLE dense ADD PRIMARY KEY (i), ALTER v SET NOT NULL;
SELECT einsum_register('h[I,k]', 'dense', '{i}', 'v', '{4,2}');
UPDATE programs SET dense = einsum_value(program);
SELECT einsum_unregister('h');
SELECT einsum_register('h[I,k]', 'h', '{i}', 'v', '{4,2}');
SELECT nodes, count(*) AS programs, count(*) FILTER (WHERE value = dense) AS right FROM unnest('{off,force}'::text[]) nodes, programs,
	LATERAL (SELECT set_config('sparseeinsum.enable_aggregate_join', nodes, false), set_config('sparseeinsum.enable_batching', nodes, false)) settings, LATERAL einsum_value(program) value GROUP BY nodes ORDER BY nodes;
RESET sparseeinsum.enable_aggregate_join;
RESET sparseeinsum.enable_batching;
SELECT einsum_analyze('h');
DROP SCHEMA format_test CASCADE;
