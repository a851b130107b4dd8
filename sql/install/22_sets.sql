-- Set-returning functions: index sets, and the slices of a tensor.

CREATE FUNCTION sparseeinsum_internal.allints_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'allints_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.allints_support(internal) IS 'internal: row estimate of allints';

CREATE FUNCTION allints(lo int4, hi int4) RETURNS SETOF int4
	AS 'MODULE_PATHNAME', 'allints_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000 SUPPORT sparseeinsum_internal.allints_support;
COMMENT ON FUNCTION allints(int4, int4) IS 'integers from lo up to and without hi';

CREATE FUNCTION allints(lo int8, hi int8) RETURNS SETOF int8
	AS 'MODULE_PATHNAME', 'allints_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000 SUPPORT sparseeinsum_internal.allints_support;
COMMENT ON FUNCTION allints(int8, int8) IS 'integers from lo up to and without hi';

CREATE FUNCTION sparseeinsum_internal.einsum_range_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_range_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_range_support(internal) IS 'internal: row estimate of einsum_range_keys';

CREATE FUNCTION sparseeinsum_internal.einsum_range_keys(keys anyrange, first int8, "end" int8, tensor text, label text) RETURNS SETOF anyelement
	AS 'MODULE_PATHNAME', 'einsum_range_keys' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_range_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_range_keys(anyrange, int8, int8, text, text) IS 'internal: the keys in a range, an error if one is outside the bound';

CREATE FUNCTION sparseeinsum_internal.einsum_range_in_bounds(keys anyrange, first int8, "end" int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_range_in_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT sparseeinsum_internal.einsum_range_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_range_in_bounds(anyrange, int8, int8, text, text) IS 'internal: does a range have keys? An error if one is outside the bound';

CREATE FUNCTION sparseeinsum_internal.einsum_range_length(keys anyrange, first int8, "end" int8, tensor text, label text) RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_range_length' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_range_length(anyrange, int8, int8, text, text) IS 'internal: how many keys are in a range, an error if one is outside the bound';

CREATE FUNCTION tensor_unstack(t tensor, dimension int4) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'tensor_unstack' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_unstack(tensor, int4) IS 'slices of a tensor along a dimension, numbered from 0';

CREATE FUNCTION tensor_unstack(t tensor, dimension int4, block int4) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'tensor_unstack_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_unstack(tensor, int4, int4) IS 'blocks of a dimension of a tensor, numbered from 0; the last may be shorter';

CREATE FUNCTION sparseeinsum_internal.einsum_unstack_blocks(t tensor, dimension int4, block int4, fill float8) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_unstack_blocks(tensor, int4, int4, float8) IS 'internal: blocks of a dimension of a tensor, without those that are fill everywhere';

CREATE FUNCTION sparseeinsum_internal.einsum_unstack(t tensor, dimension int4, fill float8) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_unstack(tensor, int4, float8) IS 'internal: slices of a tensor along a dimension, without those that are fill everywhere';

CREATE FUNCTION sparseeinsum_internal.einsum_unstack_scalar(t tensor, fill float8) RETURNS TABLE (index int4, value float8)
	AS 'MODULE_PATHNAME', 'einsum_unstack_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_unstack_scalar(tensor, float8) IS 'internal: elements of a vector, without those that are fill';

CREATE FUNCTION sparseeinsum_internal.einsum_entries_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_entries_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_entries_support(internal) IS 'internal: rows of einsum_entries';

CREATE FUNCTION @extschema@.einsum_entries(layout text, fill float8, VARIADIC columns "any") RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_entries' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_entries_support;
COMMENT ON FUNCTION einsum_entries(text, float8, "any") IS 'the entries that arrays have together in a layout, without those that are fill';

CREATE FUNCTION sparseeinsum_internal.einsum_stored_entries(tensor text, layout text, keys text[], bounds int8[], fill float8, VARIADIC columns "any")
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_stored_entries' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_entries_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_stored_entries(text, text, text[], int8[], float8, "any") IS 'internal: the entries of a row of a tensor that is registered with a layout';

CREATE FUNCTION sparseeinsum_internal.single_row_transfn(internal, value anyelement, tensor text) RETURNS internal
	AS 'MODULE_PATHNAME', 'single_row_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.single_row_transfn(internal, anyelement, text) IS 'internal: of einsum_single_row';
CREATE FUNCTION sparseeinsum_internal.single_row_finalfn(internal, value anyelement, tensor text) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'single_row_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.single_row_finalfn(internal, anyelement, text) IS 'internal: of einsum_single_row';
CREATE AGGREGATE sparseeinsum_internal.einsum_single_row(value anyelement, tensor text) (
	SFUNC = sparseeinsum_internal.single_row_transfn,
	STYPE = internal,
	FINALFUNC = sparseeinsum_internal.single_row_finalfn,
	FINALFUNC_EXTRA,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_single_row(anyelement, text) IS 'internal: the value of the only row, an error if there are more';

CREATE FUNCTION sparseeinsum_internal.known_layouts(OUT name text, OUT columns text, OUT meaning text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'known_layouts' LANGUAGE C STABLE PARALLEL SAFE ROWS 12;
COMMENT ON FUNCTION sparseeinsum_internal.known_layouts() IS 'internal: the rows of einsum_layouts';

CREATE VIEW @extschema@.einsum_layouts AS
	SELECT l.name, l.columns, l.meaning FROM sparseeinsum_internal.known_layouts() l;
GRANT SELECT ON @extschema@.einsum_layouts TO PUBLIC;
COMMENT ON VIEW einsum_layouts IS 'layouts of arrays that einsum_entries reads';
COMMENT ON COLUMN einsum_layouts.name IS 'name of the layout';
COMMENT ON COLUMN einsum_layouts.columns IS 'its columns; without v, where others have the length, values are 1';
COMMENT ON COLUMN einsum_layouts.meaning IS 'the entries, as a Python comprehension over the columns';
