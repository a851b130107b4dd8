-- Calls of generated SQL that no function could be declared for exactly.
--
-- Others may create functions in the schema of the extension, and of two functions
-- of a name PostgreSQL calls the one whose arguments have exactly the types of the
-- call. That is ours where ours declares types. "any" is no type, so a function
-- (text, tensor, tensor) would be called instead of one (text, VARIADIC "any"), with
-- the rights of whoever reads a view. Generated SQL calls those in this schema, in
-- which only the owner of the extension can create anything.

CREATE FUNCTION sparseeinsum_internal.einsum(equation text, VARIADIC operands "any") RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum(equation text, VARIADIC operands "any") IS 'internal: einsum of the extension''s schema';

CREATE FUNCTION sparseeinsum_internal.einsum_scalar(equation text, VARIADIC operands "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_scalar(equation text, VARIADIC operands "any") IS 'internal: einsum_scalar of the extension''s schema';

CREATE FUNCTION sparseeinsum_internal.tensor_map(expression text, equation text, VARIADIC operands "any") RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'tensor_map' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map of the extension''s schema';

CREATE FUNCTION sparseeinsum_internal.tensor_map_scalar(expression text, equation text, VARIADIC operands "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.einsum_sum(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_sum_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 512,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_sum(equation text, VARIADIC operands "any") IS 'internal: einsum_sum of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.einsum_sum_scalar(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_sum_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_sum_scalar(equation text, VARIADIC operands "any") IS 'internal: einsum_sum_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_sum(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_sum_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_sum(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_sum of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_sum_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_sum_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_sum_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_sum_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_min(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_min_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_min(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_min of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_min_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_min_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_min_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_min_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_max(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_max_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_max(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_max of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_max_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_max_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_max_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_max_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_prod(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_prod_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_prod_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_prod(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_prod of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_prod_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_prod_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_prod_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_prod_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_prod_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value @extschema@.tensor, fill float8, added int4, VARIADIC places "any") (
	SFUNC = sparseeinsum_internal.stack_blocks_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 8192,
	FINALFUNC = sparseeinsum_internal.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value @extschema@.tensor, fill float8, added int4, VARIADIC places "any") IS 'internal: tensors at their places in a larger one, as a vector; places are an offset and an extent for each dimension, of which the value lacks those added';

CREATE AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value float8, fill float8, added int4, VARIADIC places "any") (
	SFUNC = sparseeinsum_internal.stack_blocks_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 8192,
	FINALFUNC = sparseeinsum_internal.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value float8, fill float8, added int4, VARIADIC places "any") IS 'internal: numbers at their places in a tensor, as a vector; places are an offset and an extent for each dimension';

CREATE AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value @extschema@.tensor, fill @extschema@.tensor, added int4, VARIADIC places "any") (
	SFUNC = sparseeinsum_internal.stack_blocks_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 8192,
	FINALFUNC = sparseeinsum_internal.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value @extschema@.tensor, fill @extschema@.tensor, added int4, VARIADIC places "any") IS 'internal: einsum_stack_blocks with a fill of any element type';

CREATE FUNCTION sparseeinsum_internal.einsum_keys_unique(tensor text, VARIADIC keys "any") RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_keys_unique' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_unique_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_keys_unique(text, "any") IS
	'internal: true if a unique index covers the keys, which is found out when a query is planned; else an error';

CREATE FUNCTION sparseeinsum_internal.einsum_keys_ordered(tensor text, one "any", other "any") RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_keys_ordered' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_ordered_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_keys_ordered(text, "any", "any") IS
	'internal: true if a CHECK constraint keeps one key from being larger than the other, which is found out when a query is planned; else an error';

CREATE FUNCTION sparseeinsum_internal.einsum_key_in_dimension(key "any", found boolean, tensor text, label text, dimension text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_dimension' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT sparseeinsum_internal.einsum_dimension_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_dimension("any", boolean, text, text, text) IS
	'internal: true, or an error if a key is not found in its dimension';

CREATE FUNCTION sparseeinsum_internal.einsum_by_position(value @extschema@.tensor, fill @extschema@.tensor, VARIADIC positions "any") RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum_by_position' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_by_position(@extschema@.tensor, @extschema@.tensor, "any") IS
	'internal: a tensor over the keys of dimensions by their positions, of one that has them in order';

CREATE FUNCTION sparseeinsum_internal.einsum_by_place(value @extschema@.tensor, fill @extschema@.tensor, tensor text, type text, shape int4[], VARIADIC positions "any") RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum_by_place' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_by_place(@extschema@.tensor, @extschema@.tensor, text, text, int4[], "any") IS
	'internal: a stored tensor over the keys of dimensions with these in order, of one by their positions';
