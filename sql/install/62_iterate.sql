-- Loops: programs that are computed again and again from what they made before.

CREATE FUNCTION einsum_iterate(
	name text,
	init text,
	step text,
	until text DEFAULT NULL,
	max_rounds int DEFAULT 1000,
	schema name DEFAULT NULL,
	assign text[] DEFAULT NULL,
	restart boolean DEFAULT false,
	search text DEFAULT 'dp',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	result text DEFAULT 'rows',
	on_change text DEFAULT NULL,
	OUT round int,
	OUT value float8,
	OUT entries jsonb,
	OUT bytes jsonb,
	OUT milliseconds float8,
	OUT planned boolean,
	OUT columns jsonb
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_iterate' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 100;
COMMENT ON FUNCTION einsum_iterate(text, text, text, text, int, name, text[], boolean, text, text, text, text, text) IS
	'computes a program again and again from what it made before; a row for each round';

CREATE PROCEDURE einsum_iterate(
	name text,
	init text,
	step text,
	commit_every int,
	until text DEFAULT NULL,
	max_rounds int DEFAULT 1000,
	schema name DEFAULT NULL,
	assign text[] DEFAULT NULL,
	restart boolean DEFAULT false,
	search text DEFAULT 'dp',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	result text DEFAULT 'rows',
	on_change text DEFAULT NULL
) AS 'MODULE_PATHNAME', 'einsum_iterate_commit' LANGUAGE C;
COMMENT ON PROCEDURE einsum_iterate(text, text, text, int, text, int, name, text[], boolean, text, text, text, text, text) IS
	'the same as a procedure: it commits after every commit_every rounds, and continues from there when it is called again';

CREATE FUNCTION @extschema@.einsum_iterate_value(
	init text,
	step text,
	result text DEFAULT NULL,
	until text DEFAULT NULL,
	max_rounds int DEFAULT 1000,
	search text DEFAULT 'dp',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL
) RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum_iterate_value' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION @extschema@.einsum_iterate_value(text, text, text, text, int, text, text, text) IS
	'the result of a loop as one tensor; no table is made';

CREATE FUNCTION @extschema@.einsum_iterate_rows(
	init text,
	step text,
	result text DEFAULT NULL,
	until text DEFAULT NULL,
	max_rounds int DEFAULT 1000,
	search text DEFAULT 'dp',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_iterate_rows' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000;
COMMENT ON FUNCTION @extschema@.einsum_iterate_rows(text, text, text, text, int, text, text, text) IS
	'the result of a loop as rows; no table is made';
