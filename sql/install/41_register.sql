-- Declaring tables and views as tensors.

CREATE FUNCTION einsum_register(tensor text, relation regclass, keys text[], value text DEFAULT NULL,
		bounds tensor_bounds DEFAULT NULL, fill float8 DEFAULT 0, duplicates text DEFAULT 'error',
		replace boolean DEFAULT false, storage text DEFAULT 'only', one_hot boolean DEFAULT false,
		nulls text DEFAULT 'row', layout text DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_register' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_register(text, regclass, text[], text, tensor_bounds, float8, text, boolean, text, boolean, text, text) IS
	'declares a table or view to hold a tensor, as in einsum_register(''a[I,J]'', ''edge'', keys => ''{dst,src}'', value => ''weight''); of arrays in its rows as in layout => ''csr(indptr,indices,data)''';

CREATE FUNCTION einsum_dimension(name text, relation regclass, key name, "position" name DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_dimension' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_dimension(text, regclass, name, name) IS
	'declares the keys of a table to be an index set of labels, as in bounds => ''{node,node}''; a tensor of that name is 1 at each key; with the column of their positions, labels may be inside of values';

CREATE FUNCTION einsum_unregister(tensor text, relation regclass DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_unregister' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_unregister(text, regclass) IS
	'undoes einsum_register: the relation, or without one all relations, no longer hold the tensor';

CREATE FUNCTION einsum_analyze(tensor text, OUT statistic text, OUT labels text, OUT given text,
		OUT count bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_analyze' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION einsum_analyze(text) IS
	'measures a tensor for the optimizer: entries, values of each label, distinct index vectors, degrees';

CREATE FUNCTION @extschema@.einsum_analyze(OUT schema text, OUT tensor text, OUT entries bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_analyze_all' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 50;
COMMENT ON FUNCTION einsum_analyze() IS 'measures all tensors that the user owns';

CREATE FUNCTION @extschema@.einsum_names(tensor text, OUT label text, OUT index int4, OUT name text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_names' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 20;
COMMENT ON FUNCTION einsum_names(text) IS
	'what the indices of a dimension are called that several columns, or the categories of one, make';

CREATE FUNCTION sparseeinsum_internal.known_statistics(tensor text, OUT statistic text, OUT labels text, OUT given text,
		OUT count bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'known_statistics' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION sparseeinsum_internal.known_statistics(text) IS 'internal: what the optimizer knows about a tensor, measured or estimated';

CREATE FUNCTION sparseeinsum_internal.known_moments(tensor text, OUT statistic text, OUT labels text, OUT given text,
		OUT square float8, OUT cube float8, OUT pairs float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'known_moments' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION sparseeinsum_internal.known_moments(text) IS 'internal: how skewed a tensor is: mean squares and cubes of degrees; sums over the indices of two labels of the entries of one, to the power 1 and 2, times those of the other, and the pairs that they lead to';

CREATE FUNCTION sparseeinsum_internal.registered_labels(OUT tensor text, OUT relation regclass, OUT problem text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'registered_labels' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 50;
COMMENT ON FUNCTION sparseeinsum_internal.registered_labels() IS 'internal: tensor and relation of each registration, or what is wrong with a label';

CREATE FUNCTION sparseeinsum_internal.registered_tensor(name text, labelled regclass, problem text,
		OUT tensor text, OUT schema name, OUT relation regclass,
		OUT notation text, OUT keys name[], OUT value name, OUT bounds text[], OUT type text,
		OUT fill float8, OUT duplicates text, OUT program text, OUT rows float8,
		OUT analyzed boolean, OUT status text, OUT "position" name, OUT layout text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'registered_tensor' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1;
COMMENT ON FUNCTION sparseeinsum_internal.registered_tensor(text, regclass, text) IS 'internal: what a row of registered_labels() stands for; no row if its relation does not exist any more';

-- A condition on the tensor or the relation is applied to the labels, before anything else is read.
CREATE VIEW @extschema@.einsum_tensors AS
	SELECT l.tensor, t.schema, l.relation, t.notation, t.keys, t.value, t.bounds, t.type, t.fill, t.duplicates, t.program,
		t.rows::pg_catalog.int8 AS rows, t.analyzed, t.status, g.log,
		pg_catalog.pg_stat_get_live_tuples(g.log::pg_catalog.oid) AS log_rows, pg_catalog.pg_table_size(g.log) AS log_bytes, t.layout
	FROM sparseeinsum_internal.registered_labels() l,
		sparseeinsum_internal.registered_tensor(l.tensor, l.relation, l.problem) t,
		sparseeinsum_internal.change_log(t.relation) g(log);
GRANT SELECT ON @extschema@.einsum_tensors TO PUBLIC;
COMMENT ON VIEW einsum_tensors IS 'registered tensors, a row for each storage';
COMMENT ON COLUMN einsum_tensors.tensor IS 'name of the tensor';
COMMENT ON COLUMN einsum_tensors.schema IS 'schema of the tensor and its relation';
COMMENT ON COLUMN einsum_tensors.relation IS 'table or view that holds it';
COMMENT ON COLUMN einsum_tensors.notation IS 'labels: upper case for a key column, lower case for a dimension of the value, label:size for blocks';
COMMENT ON COLUMN einsum_tensors.keys IS 'key columns, in the order of their labels';
COMMENT ON COLUMN einsum_tensors.value IS 'value column; NULL if a row means 1';
COMMENT ON COLUMN einsum_tensors.bounds IS 'number of indices of each label; * if they are the keys that occur, or the dimension whose keys they are';
COMMENT ON COLUMN einsum_tensors.type IS 'element type of the entries';
COMMENT ON COLUMN einsum_tensors.fill IS 'value of the entries that are not stored; NULL if it is complex';
COMMENT ON COLUMN einsum_tensors.duplicates IS 'error: a constraint proves that there are none; trust: the owner says so; sum: they are summed';
COMMENT ON COLUMN einsum_tensors.program IS 'the einsum_decompose call that made it, if any';
COMMENT ON COLUMN einsum_tensors.rows IS 'rows of the relation as last counted by VACUUM or ANALYZE';
COMMENT ON COLUMN einsum_tensors.analyzed IS 'whether einsum_analyze has measured this registration';
COMMENT ON COLUMN einsum_tensors.status IS 'ok, or what is wrong';
COMMENT ON COLUMN einsum_tensors.log IS 'the log of the table''s changes (einsum_log); NULL if it has none that can be written';
COMMENT ON COLUMN einsum_tensors.log_rows IS 'rows of the log, as the statistics of the server have them';
COMMENT ON COLUMN einsum_tensors.log_bytes IS 'bytes of the log';
COMMENT ON COLUMN einsum_tensors.layout IS 'how the arrays of a row have entries, as in csr(indptr,indices,data); NULL if a row has one entry or value';

CREATE VIEW @extschema@.einsum_dimensions AS
	SELECT l.tensor AS dimension, t.schema, l.relation, t.keys[1] AS key, t."position", t.rows::pg_catalog.int8 AS rows, t.status
	FROM sparseeinsum_internal.registered_labels() l,
		sparseeinsum_internal.registered_tensor(l.tensor, l.relation, l.problem) t
	WHERE pg_catalog.cardinality(t.bounds) OPERATOR(pg_catalog.=) 1
		AND t.bounds[1] OPERATOR(pg_catalog.=) pg_catalog.quote_ident(l.tensor);
GRANT SELECT ON @extschema@.einsum_dimensions TO PUBLIC;
COMMENT ON VIEW einsum_dimensions IS 'dimensions: tables whose keys are the index set of labels';
COMMENT ON COLUMN einsum_dimensions.dimension IS 'name of the dimension, and of the tensor that is 1 at each key';
COMMENT ON COLUMN einsum_dimensions.schema IS 'schema of the dimension and its table';
COMMENT ON COLUMN einsum_dimensions.relation IS 'the table';
COMMENT ON COLUMN einsum_dimensions.key IS 'the column that has the keys';
COMMENT ON COLUMN einsum_dimensions."position" IS 'the column that orders the keys inside of values; NULL if its labels are key columns always';
COMMENT ON COLUMN einsum_dimensions.rows IS 'rows of the table as last counted by VACUUM or ANALYZE';
COMMENT ON COLUMN einsum_dimensions.status IS 'ok, or what is wrong';
