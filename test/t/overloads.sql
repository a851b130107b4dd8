-- Plants overloads of all that the extension has in its schema, as a role that may
-- create there, which stop whatever calls them. Better matches than ours for
-- arguments of other types than ours declare, for arguments that are left out, and
-- for what VARIADIC stands for.
CREATE ROLE planter;
GRANT CREATE ON SCHEMA public TO planter;
SET ROLE planter;
CREATE DOMAIN public.key4 AS int4;
CREATE DOMAIN public.key8 AS int8;
CREATE DOMAIN public.number AS float8;
CREATE DOMAIN public.array_of_numbers AS public.tensor;
CREATE DOMAIN public.string AS text;
CREATE TYPE public.kind AS ENUM ('a', 'b', 'c', 'd');
GRANT USAGE ON TYPE public.key4, public.key8, public.number, public.array_of_numbers, public.string, public.kind TO PUBLIC;

CREATE FUNCTION public.plant(name text, arguments text[], returned text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', name, array_to_string(arguments, ', '), returned,
		format('BEGIN RAISE EXCEPTION ''planted %s(%s) called by %%'', current_user; END', replace(name, '%', '%%'), array_to_string(arguments, ', ')));
EXCEPTION WHEN duplicate_function OR invalid_function_definition OR ambiguous_function OR wrong_object_type OR insufficient_privilege OR syntax_error OR datatype_mismatch THEN NULL;
END
$$;

-- each function of ours: each argument of each type, by itself and all of them, and fewer
DO $$
DECLARE
	ours record;
	types text[] := '{int2,int4,int8,float4,float8,numeric,text,varchar,name,anyelement,anynonarray,anycompatible,"int4[]","int8[]",anyarray,public.tensor,public.key4,public.key8,public.number,public.array_of_numbers,public.string,public.kind,record}';
	numbers text[] := '{int4,int8,float8,public.tensor}';
	one text;
	two text;
	given text[];
BEGIN
	FOR ours IN SELECT p.proname, p.provariadic, ARRAY(SELECT CASE WHEN t.oid = '"any"'::regtype THEN 'anyelement' ELSE format_type(t.oid, NULL) END FROM unnest(p.proargtypes) WITH ORDINALITY a(oid, n) JOIN pg_type t ON t.oid = a.oid ORDER BY n) AS arguments,
			CASE WHEN p.proretset THEN 'SETOF ' ELSE '' END || format_type(p.prorettype, NULL) AS returned
		FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		WHERE p.prorettype NOT IN ('internal'::regtype, 'cstring'::regtype, 'trigger'::regtype, 'record'::regtype, 'event_trigger'::regtype, 'sparseeinsum_internal.tensor_state'::regtype) AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[]) AND NOT 'cstring'::regtype = ANY (p.proargtypes::oid[])
	LOOP
		CONTINUE WHEN ours.proname ~ '^(mat_|einsum_(plan|sql|value|decompose|refresh|drop|store|register|unregister|analyze|path|version|tensors)|tensor_(in|out|recv|send|typmod|state))';
		FOR i IN 1 .. cardinality(ours.arguments) LOOP
			FOREACH one IN ARRAY types LOOP
				given := ours.arguments;
				given[i] := one;
				PERFORM public.plant(ours.proname, given, ours.returned);
				FOREACH two IN ARRAY CASE WHEN i < cardinality(ours.arguments) AND cardinality(ours.arguments) < 7 THEN numbers ELSE '{}' END LOOP
					given[i + 1] := two;
					PERFORM public.plant(ours.proname, given, ours.returned);
				END LOOP;
			END LOOP;
			-- what integer literals and keys are
			given := ours.arguments;
			FOR j IN i .. cardinality(given) LOOP
				given[j] := 'int4';
			END LOOP;
			PERFORM public.plant(ours.proname, given, ours.returned);
			-- without its last arguments
			PERFORM public.plant(ours.proname, ours.arguments[1:i], ours.returned);
		END LOOP;
	END LOOP;
END $$;

-- for VARIADIC "any": 1 to 5 arguments of all types that values have, and arrays of them
DO $$
DECLARE
	ours record;
	given text[];
	first text[];
	kinds text[] := '{float8,public.tensor}';
BEGIN
	FOR ours IN SELECT p.proname, p.pronargs - 1 AS fixed, format_type(p.prorettype, NULL) AS returned,
			ARRAY(SELECT format_type(a.oid, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY a(oid, n) WHERE n < p.pronargs ORDER BY n) AS arguments
		FROM pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		WHERE p.provariadic = '"any"'::regtype AND p.prorettype <> 'sparseeinsum_internal.tensor_state'::regtype AND p.proname !~ '_transfn$|_path$'
	LOOP
		FOR first IN SELECT ours.arguments UNION SELECT array_agg('anyelement'::text) FROM generate_series(1, ours.fixed) LOOP
			FOR many IN 1 .. 5 LOOP
				FOR combination IN 0 .. (1 << many) - 1 LOOP
					given := first || ARRAY(SELECT kinds[1 + (combination >> k & 1)] FROM generate_series(0, many - 1) k);
					PERFORM public.plant(ours.proname, given, ours.returned);
				END LOOP;
				PERFORM public.plant(ours.proname, first || ARRAY(SELECT t FROM generate_series(1, many)), ours.returned) FROM unnest('{int4,int8,public.key4,text,public.kind,anyelement,anynonarray}'::text[]) t;
			END LOOP;
			PERFORM public.plant(ours.proname, first || ('VARIADIC ' || t), ours.returned) FROM unnest('{public.tensor[],float8[],anyarray,int4[],anycompatiblearray}'::text[]) t;
		END LOOP;
	END LOOP;
END $$;

-- operators
CREATE FUNCTION public.planted_operator(anyelement, anyelement) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted operator called by %', current_user; END $$;
DO $$
DECLARE
	name text;
	one text;
	two text;
BEGIN
	FOREACH name IN ARRAY '{+,-,*,/,%,=,<>,<,>,<=,>=}'::text[] LOOP
		FOREACH one IN ARRAY '{int2,int4,int8,float8,text,public.tensor,public.key4,public.key8,public.number,public.array_of_numbers,public.string,public.kind}'::text[] LOOP
			FOREACH two IN ARRAY '{int2,int4,int8,float8,text,public.tensor,public.key4,public.key8,public.number,public.array_of_numbers,public.string,public.kind}'::text[] LOOP
				BEGIN
					PERFORM public.plant('planted_operator', ARRAY[one, two], 'boolean');
					EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.planted_operator)', name, one, two);
				EXCEPTION WHEN OTHERS THEN NULL;
				END;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;

-- casts of what is the planter's
CREATE FUNCTION public.planted_cast(public.kind) RETURNS int4 LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'planted cast called by %', current_user; END $$;
CREATE CAST (public.kind AS int4) WITH FUNCTION public.planted_cast(public.kind) AS ASSIGNMENT;
RESET ROLE;
SELECT count(*) > 3000 AS planted FROM pg_proc WHERE proowner = 'planter'::regrole;
SELECT count(*) > 500 AS planted FROM pg_operator WHERE oprowner = 'planter'::regrole;
