-- Programs: their plans, views, SQL and values.

CREATE FUNCTION einsum_plan(
	program text,
	format text DEFAULT 'text',
	plans int DEFAULT 1,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'rows',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL,
	actual boolean DEFAULT false,
	at name[] DEFAULT NULL,
	iterate boolean DEFAULT false,
	init text DEFAULT NULL
) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'einsum_plan' LANGUAGE C STABLE PARALLEL RESTRICTED
	COST 10000 ROWS 20;
COMMENT ON FUNCTION einsum_plan(text, text, int, text, int, text, text, text, text, text, name, boolean, name[], boolean, text) IS
	'the plan of a program: decompositions, stages and costs';

CREATE FUNCTION einsum_sql(
	program text,
	at name[] DEFAULT NULL,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'rows',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL
) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_sql' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION einsum_sql(text, name[], text, int, text, text, text, text, text, name) IS
	'one SELECT that computes the last statement of a program';

CREATE FUNCTION einsum_value(
	program text,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'auto',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL
) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_value' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION einsum_value(text, text, int, text, text, text, text, text, name) IS
	'the result of the last statement of a program as one tensor';

CREATE FUNCTION einsum_rows(
	program text,
	at json DEFAULT NULL,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'rows',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_rows' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION einsum_rows(text, json, text, int, text, text, text, text, text, name) IS
	'the rows of the result of a program''s last statement, all or those at some keys';

CREATE FUNCTION einsum_decompose(
	program text,
	name text,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'rows',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL,
	replace boolean DEFAULT false,
	security_invoker boolean DEFAULT false,
	OUT view text,
	OUT notation text,
	OUT columns text,
	OUT cost float8,
	OUT tuples float8
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_decompose' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 10;
COMMENT ON FUNCTION einsum_decompose(text, text, text, int, text, text, text, text, text, name, boolean, boolean) IS
	'creates the views or tables of a program, one per stage, and registers what it defines';

CREATE FUNCTION einsum_drop(name text, schema name DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_drop' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION einsum_drop(text, name) IS 'drops the views and tables of a program';

CREATE FUNCTION einsum_refresh(name text, schema name DEFAULT NULL, whole boolean DEFAULT false,
		OUT tensor text, OUT how text, OUT why text, OUT changes bigint, OUT written bigint, OUT milliseconds float8)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_refresh' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION einsum_refresh(text, name, boolean) IS
	'gives the tables of a program, made with materialize => ''always'', the rows that their queries have now';

CREATE FUNCTION einsum_rebound(bounds jsonb, schema name DEFAULT NULL) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'einsum_rebound' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION einsum_rebound(jsonb, name) IS
	'gives labels or tensors other bounds, as in ''{"i": 30}'' or ''{"a": [30, null]}'', and makes all programs again that read them; returns these';
