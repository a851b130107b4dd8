#!/bin/bash
# Functions, operators and casts that others create in the extension's schema,
# with arguments nearer to those of generated SQL than ours, are never called:
# neither when a view is made, nor by the text of einsum_sql, nor in a dump that is
# restored. Run under test/cluster.
cd "$(dirname "$0")/../.."
here=$PWD/test/t
. test/shell-tests
export PGOPTIONS='-c client_min_messages=error -c search_path=attacked,pg_catalog,public'
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT

# two databases, one of them with what is planted
sql "CREATE DATABASE untouched"
sql "CREATE EXTENSION sparseeinsum SCHEMA public"
sql "CREATE EXTENSION sparseeinsum SCHEMA public; CREATE DOMAIN public.key4 AS int4; CREATE DOMAIN public.key8 AS int8; CREATE DOMAIN public.number AS float8;
CREATE DOMAIN public.array_of_numbers AS public.tensor; CREATE DOMAIN public.string AS text; CREATE TYPE public.kind AS ENUM ('a', 'b', 'c', 'd')" -d untouched
psql -XAtq -v ON_ERROR_STOP=1 -f "$here/overloads.sql" > "$files/planted" 2>&1 || { cat "$files/planted"; fail "planting"; finish; }
is "overloads and operators are planted" "$(cat "$files/planted")" "t
t"
fails_with "others cannot plant where generated SQL calls VARIADIC functions" "permission denied for schema" psql -Xq -v ON_ERROR_STOP=1 -c "GRANT CREATE ON DATABASE postgres TO planter" -c "SET ROLE planter" -c "CREATE FUNCTION sparseeinsum_internal.einsum(text, public.tensor) RETURNS public.tensor LANGUAGE sql AS 'SELECT \$2'"
fails_with "nor casts between types of others" "must be owner of type" psql -Xq -v ON_ERROR_STOP=1 -c "SET ROLE planter" -c "CREATE CAST (pg_catalog.int4 AS public.tensor) WITH INOUT AS IMPLICIT"

# all are called, so that they would be found
is "what is planted is found" "$(sql "SELECT count(*) FROM pg_proc WHERE proowner = 'planter'::regrole AND proname IN ('einsum', 'stack', 'tensor_full', 'einsum_once', 'einsum_key_in_range', 'tensor_map_sum')" | awk '{print ($1 > 100)}')" "1"
fails_with "in a call of a user" "planted" psql -Xq -v ON_ERROR_STOP=1 -c "SELECT einsum('a->', '[1,2]'::public.tensor)"

# tensors in all kinds of storage, keys and values of all kinds of types
cat > "$files/tables" <<'TABLES'
CREATE SCHEMA attacked;
CREATE TABLE a (i int4, j int8, v float8, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, j, i - 2 * j FROM pg_catalog.generate_series(0, 5) i, pg_catalog.generate_series(0, 3) j WHERE (i OPERATOR(pg_catalog.+) j) OPERATOR(pg_catalog.%) 3 OPERATOR(pg_catalog.<>) 0;
CREATE TABLE h (j int2 PRIMARY KEY, v public.tensor);
INSERT INTO h SELECT j, ('[1,' OPERATOR(pg_catalog.||) j OPERATOR(pg_catalog.||) ',-1]')::public.tensor FROM pg_catalog.generate_series(0, 3) j;
CREATE TABLE w (v public.tensor);
INSERT INTO w VALUES ('[[1,2],[3,-4],[0,5]]');
CREATE TABLE d (k public.key4 PRIMARY KEY, l public.key8, v public.number);
INSERT INTO d VALUES (0, 0, 2), (1, 1, -3), (3, 0, 5);
CREATE TABLE dt (k public.key4 PRIMARY KEY, v public.array_of_numbers);
INSERT INTO dt VALUES (0, '[1,2,3]'), (3, '[4,-5,6]');
CREATE TABLE o (k public.string PRIMARY KEY, v numeric);
INSERT INTO o VALUES ('x', 2), ('y', 3);
CREATE TABLE e (k public.kind PRIMARY KEY, v float8);
INSERT INTO e VALUES ('a', 1), ('c', 4);
CREATE TABLE c (i int4 PRIMARY KEY, v public.tensor);
INSERT INTO c VALUES (0, 'complex16:[1+2i,0,3]'), (2, 'complex16:[1i,2,-1]');
CREATE TABLE f4 (i int4, j int4, v float4, PRIMARY KEY (i, j));
INSERT INTO f4 VALUES (0, 1, 2), (2, 2, 3), (3, 0, 4);
CREATE TABLE b (i int4 PRIMARY KEY, v public.tensor);
INSERT INTO b VALUES (0, '[[1,2,3],[4,5,6]]'), (1, '[[7,8,9],[1,2,3]]'), (2, '[[4,4,4]]');
CREATE TABLE q (v public.tensor);
INSERT INTO q VALUES ('[1,-2,3]');
CREATE TABLE ones (i int8 PRIMARY KEY);
INSERT INTO ones VALUES (1), (4);
CREATE TABLE wide (i int4 PRIMARY KEY, v float8);
INSERT INTO wide VALUES (7, 2);
CREATE TABLE dup (i int4, v float8);
INSERT INTO dup VALUES (0, 1), (0, 2), (4, 3);
CREATE VIEW seen AS SELECT i, v FROM dup WHERE i OPERATOR(pg_catalog.<>) 4;
SELECT public.einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{6,4}'), public.einsum_register('h[J,k]', 'h', '{j}', 'v', '{4,3}'), public.einsum_register('w[k,m]', 'w', '{}', 'v'),
	public.einsum_register('d[I]', 'd', '{k}', 'v', '{4}'), public.einsum_register('dt[I,k]', 'dt', '{k}', 'v', '{4,3}'), public.einsum_register('o[K]', 'o', '{k}', 'v', '{*}'),
	public.einsum_register('e[K]', 'e', '{k}', 'v', '{*}'), public.einsum_register('c[I,k]', 'c', '{i}', 'v', '{6,3}'), public.einsum_register('f4[I,J]', 'f4', '{i,j}', 'v', '{4,4}'),
	public.einsum_register('b[I:2,k]', 'b', '{i}', 'v', '{5,3}'), public.einsum_register('dup[I]', 'dup', '{i}', 'v', '{6}', duplicates => 'sum'), public.einsum_register('q[k]', 'q', '{}', 'v'), public.einsum_register('ones[I]', 'ones', '{i}', NULL, '{6}'), public.einsum_register('wide[L]', 'wide', '{i}', 'v', '{1000}'), public.einsum_register('seen[I]', 'seen', '{i}', 'v', '{6}', duplicates => 'sum');
SELECT public.einsum_analyze('a'), public.einsum_analyze('h'), public.einsum_analyze('o'), public.einsum_analyze('e'), public.einsum_analyze('c'), public.einsum_analyze('b'), public.einsum_analyze('d');
SELECT public.einsum_store('kept[I,J]', 'SELECT i, j, v FROM a', '{6,4}');
SELECT public.einsum_store('kept_rows[I,j]', 'SELECT k, l, v FROM d', '{6,4}');
SELECT public.einsum_store('kept_blocks[I:4,j]', 'SELECT i::int2, j, v FROM a', '{6,4}');
SELECT public.einsum_store('kept_one[i,j]', 'SELECT i, j, v FROM f4', '{4,4}');
SELECT public.einsum_store('kept_all[i,j:3]', 'SELECT i, j, v::numeric FROM a', '{6,4}');
-- all that a program can be run as, each under the path that the attacker likes best
CREATE FUNCTION attacked.attempt(query text, OUT result text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'attacked, public, pg_catalog', true);
	EXECUTE query INTO result;
	PERFORM pg_catalog.set_config('search_path', 'attacked, pg_catalog, public', true);
EXCEPTION WHEN OTHERS THEN
	result := 'error: ' OPERATOR(pg_catalog.||) SQLERRM;
END
$$;
CREATE FUNCTION attacked.run(program text) RETURNS TABLE (what text, result text) LANGUAGE plpgsql AS $$
DECLARE
	call text := pg_catalog.quote_literal(program);
	query text;
	made text;
BEGIN
	FOR k IN 1 .. 4 LOOP
		what := 'value ' OPERATOR(pg_catalog.||) k::text;
		result := attacked.attempt(pg_catalog.format('SELECT public.einsum_value(%s, alternative => %s)::text', call, k::text));
		RETURN NEXT;
	END LOOP;
	what := 'kept'; result := attacked.attempt(pg_catalog.format('SELECT public.einsum_value(%s, materialize => ''always'')::text', call)); RETURN NEXT;
	what := 'counts'; result := attacked.attempt(pg_catalog.format('SELECT pg_catalog.string_agg(pg_catalog.substring(l, ''actual.*''), ''; '') FROM public.einsum_plan(%s, actual => true) l', call)); RETURN NEXT;
	FOREACH made IN ARRAY '{never,auto,always}'::text[] LOOP
		what := made; result := attacked.attempt(pg_catalog.format('SELECT pg_catalog.count(*) FROM public.einsum_decompose(%s, ''p'', materialize => %L, search => ''as_written'')', call, made)); RETURN NEXT;
		what := 'result'; result := attacked.attempt('SELECT pg_catalog.string_agg(y::text, '' '' ORDER BY y::text) FROM attacked.y'); RETURN NEXT;
		what := 'refreshed'; result := attacked.attempt('SELECT how FROM public.einsum_refresh(''p'')'); RETURN NEXT;
		-- what the views depend on
		what := 'depends on'; result := (SELECT pg_catalog.string_agg(DISTINCT pg_catalog.pg_describe_object(d.refclassid, d.refobjid, 0), ', ') FROM pg_catalog.pg_depend d
			WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::regclass AND d.refclassid OPERATOR(pg_catalog.=) ANY (ARRAY['pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_operator'::regclass, 'pg_catalog.pg_cast'::regclass]::pg_catalog.oid[])
			AND d.objid OPERATOR(pg_catalog.=) ANY (SELECT r.oid FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) r.ev_class WHERE c.relnamespace OPERATOR(pg_catalog.=) 'attacked'::regnamespace)
			AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend m WHERE m.classid OPERATOR(pg_catalog.=) d.refclassid AND m.objid OPERATOR(pg_catalog.=) d.refobjid AND m.deptype OPERATOR(pg_catalog.=) 'e')); RETURN NEXT;
		INSERT INTO attacked.called SELECT p.proname FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_proc p ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::regclass AND p.oid OPERATOR(pg_catalog.=) d.refobjid WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_rewrite'::regclass;
		-- a dump that is restored
		what := 'restored';
		PERFORM pg_catalog.set_config('search_path', '', true);
		BEGIN
			SELECT pg_catalog.rtrim(pg_catalog.pg_get_viewdef(c.oid), ';') INTO query FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
				WHERE n.nspname OPERATOR(pg_catalog.=) 'attacked' AND c.relname OPERATOR(pg_catalog.=) ANY ('{y,y__query}'::name[]) AND c.relkind OPERATOR(pg_catalog.=) 'v';
			EXECUTE pg_catalog.format('SELECT pg_catalog.string_agg(y::text, '' '' ORDER BY y::text) FROM (%s) y', query) INTO result;
		EXCEPTION WHEN OTHERS THEN
			result := SQLERRM;
		END;
		RETURN NEXT;
		PERFORM pg_catalog.set_config('search_path', 'attacked, pg_catalog, public', true);
		what := 'dropped'; result := attacked.attempt('SELECT public.einsum_drop(''p'')'); RETURN NEXT;
	END LOOP;
	what := 'as text'; result := attacked.attempt(pg_catalog.format('SELECT pg_catalog.string_agg(r::text, '' '' ORDER BY r::text) FROM (%s) r', public.einsum_sql(program))); RETURN NEXT;
EXCEPTION WHEN OTHERS THEN
	what := 'error'; result := SQLERRM; RETURN NEXT;
END
$$;
CREATE TABLE attacked.called (name name);
TABLES
cat > "$files/programs" <<'END'
y[I,m] = relu(sum[j,k] a[i,j]*h[j,k]*w[k,m])
y[I,J] = h[I,k]*h[J,k]
y[i:2] = b[i,k]*q[k]
y[I] = if(d[I] > 0, d[I], 7)
y[I] = min[k] dt[I,k]*2
y[I] = prod[k] (dt[I,k] + 1)
y[i,m] = a[i,j]*h[j,k]*w[k,m]
y[I,J] = a[I,J]*h[J,k]*ones[I]
y[i,j] = exp(a[i,j])
y[I,J] = exp(a[I,J]) + (sum[k] h[J,k])
y[I] = max[j] a[I,j] - (max[j] -a[I,j]) * 2
y[I] = prod[J] (a[I,J] + 2)
y[] = any[i,j] (a[i,j] > 1)
y[I] = all[J] (a[I,J] >= 0)
y[I:2,J:3] = a[i,j] * 2
y[I,J] = sigmoid(a[I,J] + a[I,J]^2/3)
y[I] = sqrt(abs(d[I]))*d[I]
y[I,k] = dt[I,k]*d[I]
y[i,k] = dt[i,k] + d[i]
y[K] = o[K]*o[K]
y[] = e[K]*e[K]
y[I,k] = c[I,k]*c[I,k] + 1i
y[i,k] = exp(c[i,k])
y[I,K] = c[I,K] * 2
y[i,K] = c[i,K] + 1i
y[I,J] = f4[I,J]*2
y[i,j] = f4[i,j]*f4[j,i]
y[I:4,k] = b[i,k]*2
y[I,K] = b[i,k]
y[i] = b[i,k]*b[i,k]
y[k:2] = b[I:3,k]
y[i,m] = b[i,k]*w[k,m]
y[I] = sum[k] (tanh(dt[I,k])*h[I,k])
y[I] = dup[i] + seen[i]
y[I,J] = (if(f4[I,J] > 0, f4[I,J], 7))*eye[I,J]
y[i,j] = eye[i,j] + f4[i,j]
y[i,j,k,l] = a[i,j]*h[k,l] + 1
y[I] = (sum[k] h[i,k])*(sum[k] h[i,k]) + d[i]
n[I] = sum[j] a[i,j]; m[I,J] = a[i,j]/sqrt(n[i]*n[i] + 1); y[I,k] = m[i,j]*h[j,k]
n[i,k] = a[i,j]*h[j,k]; y[] = sum[i] max[k] n[i,k]
y[I] = max[J] (sum[k] a[I,J]*h[J,k])
y[I,J] = least(greatest(a[I,J], -1), 2) == 1
y[k] = (sum[J] floor(h[J,k]/2)) - (sum[m] round(w[k,m]))
y = w %*% t(w)
t[J,k] = relu(h[J,k]); y[I,k] = sum[J] a[I,J] * t[J,k]
t[I,k] = c[i,k] + 1i; y[i] = sum[k] t[i,k]*t[i,k]
t[I,K] = c[I,k] + 1i; y[I,k] = 2*t[I,k]
t[i,k] = c[i,k] + 1i; y[I,K] = 2*t[i,k]
t[i,k] = c[i,k] + 1i; y[I:2,K] = 2*t[i,k]
y[I] = sum[J,k] a[I,J]*h[J,k]
y[I] = sum[J,k] a[I,J]*exp(h[J,k])
y[i,j,l] = exp(a[i,j])*wide[l]
END

for database in postgres untouched; do
	psql -Xq -d $database -v ON_ERROR_STOP=1 -o /dev/null -f "$files/tables" > "$files/made" 2>&1 || { tail "$files/made"; fail "registering in $database"; finish; }
	while read -r program; do
		echo "== $program"
		psql -XAtq -d $database -v program="$program" <<< "SELECT * FROM attacked.run(:'program')"
	done < "$files/programs" > "$files/$database" 2>&1
done
is "the same results where overloads are planted" "$(cat "$files/postgres")" "$(cat "$files/untouched")"
is "nothing that is planted is called" "$(grep -c planted "$files/postgres")" "0"
is "views depend on what is ours" "$(grep '^depends on' "$files/postgres" | sort -u)" "depends on|"
is "all programs run" "$(grep -E '^error|^value 1.*error' "$files/untouched" | grep -v 'a dense result cannot have')" ""
called=$(sql "SELECT DISTINCT name FROM attacked.called")
for name in allints einsum einsum_full einsum_full_tensor einsum_key_in_range einsum_keys_unique einsum_once einsum_scalar einsum_stack einsum_stack_blocks einsum_sum einsum_sum_scalar \
	einsum_unstack einsum_unstack_blocks einsum_unstack_scalar einsum_unstack_tensor einsum_value_has_shape inner_prod mat_mult mat_vec_mult outer_prod scalar_add scalar_exp scalar_if scalar_multiply \
	stack tensor_full tensor_map tensor_map_max tensor_map_max_scalar tensor_map_min_scalar tensor_map_prod_scalar tensor_map_scalar tensor_map_sum tensor_map_sum_scalar tensor_max tensor_min tensor_prod tensor_relu tensor_reshape tensor_sum vec_mat_mult vec_sca_mult; do
	is "some program calls $name" "$(grep -xc "$name" <<< "$called")" "1"
done
finish
