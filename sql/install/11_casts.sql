-- Casts: assignment from, and explicit to, numeric arrays, float8 and jsonb;
-- assignment from the other numbers.
-- None is implicit: an expression never becomes a tensor unasked.

CREATE FUNCTION sparseeinsum_internal.array_to_tensor(smallint[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.array_to_tensor(smallint[]) IS 'internal: cast of smallint[] to tensor';

CREATE CAST (smallint[] AS tensor) WITH FUNCTION sparseeinsum_internal.array_to_tensor(smallint[]) AS ASSIGNMENT;
COMMENT ON CAST (smallint[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION sparseeinsum_internal.tensor_to_int2_array(tensor) RETURNS smallint[]
	AS 'MODULE_PATHNAME', 'tensor_to_int2_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_int2_array(tensor) IS 'internal: cast of tensor to smallint[]';

CREATE CAST (tensor AS smallint[]) WITH FUNCTION sparseeinsum_internal.tensor_to_int2_array(tensor);
COMMENT ON CAST (tensor AS smallint[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION sparseeinsum_internal.array_to_tensor(integer[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.array_to_tensor(integer[]) IS 'internal: cast of integer[] to tensor';

CREATE CAST (integer[] AS tensor) WITH FUNCTION sparseeinsum_internal.array_to_tensor(integer[]) AS ASSIGNMENT;
COMMENT ON CAST (integer[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION sparseeinsum_internal.tensor_to_int4_array(tensor) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'tensor_to_int4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_int4_array(tensor) IS 'internal: cast of tensor to integer[]';

CREATE CAST (tensor AS integer[]) WITH FUNCTION sparseeinsum_internal.tensor_to_int4_array(tensor);
COMMENT ON CAST (tensor AS integer[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION sparseeinsum_internal.array_to_tensor(bigint[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.array_to_tensor(bigint[]) IS 'internal: cast of bigint[] to tensor';

CREATE CAST (bigint[] AS tensor) WITH FUNCTION sparseeinsum_internal.array_to_tensor(bigint[]) AS ASSIGNMENT;
COMMENT ON CAST (bigint[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION sparseeinsum_internal.tensor_to_int8_array(tensor) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'tensor_to_int8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_int8_array(tensor) IS 'internal: cast of tensor to bigint[]';

CREATE CAST (tensor AS bigint[]) WITH FUNCTION sparseeinsum_internal.tensor_to_int8_array(tensor);
COMMENT ON CAST (tensor AS bigint[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION sparseeinsum_internal.array_to_tensor(real[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.array_to_tensor(real[]) IS 'internal: cast of real[] to tensor';

CREATE CAST (real[] AS tensor) WITH FUNCTION sparseeinsum_internal.array_to_tensor(real[]) AS ASSIGNMENT;
COMMENT ON CAST (real[] AS tensor) IS 'a float4 tensor with the dimensions of the array';

CREATE FUNCTION sparseeinsum_internal.tensor_to_float4_array(tensor) RETURNS real[]
	AS 'MODULE_PATHNAME', 'tensor_to_float4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_float4_array(tensor) IS 'internal: cast of tensor to real[]';

CREATE CAST (tensor AS real[]) WITH FUNCTION sparseeinsum_internal.tensor_to_float4_array(tensor);
COMMENT ON CAST (tensor AS real[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION sparseeinsum_internal.array_to_tensor(double precision[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.array_to_tensor(double precision[]) IS 'internal: cast of double precision[] to tensor';

CREATE CAST (double precision[] AS tensor) WITH FUNCTION sparseeinsum_internal.array_to_tensor(double precision[]) AS ASSIGNMENT;
COMMENT ON CAST (double precision[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION sparseeinsum_internal.tensor_to_float8_array(tensor) RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'tensor_to_float8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_float8_array(tensor) IS 'internal: cast of tensor to double precision[]';

CREATE CAST (tensor AS double precision[]) WITH FUNCTION sparseeinsum_internal.tensor_to_float8_array(tensor);
COMMENT ON CAST (tensor AS double precision[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION sparseeinsum_internal.array_to_tensor(numeric[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.array_to_tensor(numeric[]) IS 'internal: cast of numeric[] to tensor';

CREATE CAST (numeric[] AS tensor) WITH FUNCTION sparseeinsum_internal.array_to_tensor(numeric[]) AS ASSIGNMENT;
COMMENT ON CAST (numeric[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION sparseeinsum_internal.tensor_to_numeric_array(tensor) RETURNS numeric[]
	AS 'MODULE_PATHNAME', 'tensor_to_numeric_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_numeric_array(tensor) IS 'internal: cast of tensor to numeric[]';

CREATE CAST (tensor AS numeric[]) WITH FUNCTION sparseeinsum_internal.tensor_to_numeric_array(tensor);
COMMENT ON CAST (tensor AS numeric[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION sparseeinsum_internal.float8_to_tensor(double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.float8_to_tensor(double precision) IS 'internal: cast of double precision to tensor';

CREATE CAST (double precision AS tensor) WITH FUNCTION sparseeinsum_internal.float8_to_tensor(double precision) AS ASSIGNMENT;
COMMENT ON CAST (double precision AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.int2_to_tensor(smallint) RETURNS tensor
	AS 'MODULE_PATHNAME', 'int2_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.int2_to_tensor(smallint) IS 'internal: cast of smallint to tensor';

CREATE CAST (smallint AS tensor) WITH FUNCTION sparseeinsum_internal.int2_to_tensor(smallint) AS ASSIGNMENT;
COMMENT ON CAST (smallint AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.int4_to_tensor(integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'int4_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.int4_to_tensor(integer) IS 'internal: cast of integer to tensor';

CREATE CAST (integer AS tensor) WITH FUNCTION sparseeinsum_internal.int4_to_tensor(integer) AS ASSIGNMENT;
COMMENT ON CAST (integer AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.int8_to_tensor(bigint) RETURNS tensor
	AS 'MODULE_PATHNAME', 'int8_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.int8_to_tensor(bigint) IS 'internal: cast of bigint to tensor';

CREATE CAST (bigint AS tensor) WITH FUNCTION sparseeinsum_internal.int8_to_tensor(bigint) AS ASSIGNMENT;
COMMENT ON CAST (bigint AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.float4_to_tensor(real) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float4_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.float4_to_tensor(real) IS 'internal: cast of real to tensor';

CREATE CAST (real AS tensor) WITH FUNCTION sparseeinsum_internal.float4_to_tensor(real) AS ASSIGNMENT;
COMMENT ON CAST (real AS tensor) IS 'a float4 tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.numeric_to_tensor(numeric) RETURNS tensor
	AS 'MODULE_PATHNAME', 'numeric_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.numeric_to_tensor(numeric) IS 'internal: cast of numeric to tensor';

CREATE CAST (numeric AS tensor) WITH FUNCTION sparseeinsum_internal.numeric_to_tensor(numeric) AS ASSIGNMENT;
COMMENT ON CAST (numeric AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.tensor_to_float8(tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_float8(tensor) IS 'internal: cast of tensor to double precision';

CREATE CAST (tensor AS double precision) WITH FUNCTION sparseeinsum_internal.tensor_to_float8(tensor);
COMMENT ON CAST (tensor AS double precision) IS 'the element of a tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.tensor_to_float4(tensor) RETURNS real
	AS 'MODULE_PATHNAME', 'tensor_to_float4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_float4(tensor) IS 'internal: cast of tensor to real';

CREATE CAST (tensor AS real) WITH FUNCTION sparseeinsum_internal.tensor_to_float4(tensor);
COMMENT ON CAST (tensor AS real) IS 'the element of a tensor of rank 0, rounded';

CREATE FUNCTION sparseeinsum_internal.tensor_to_numeric(tensor) RETURNS numeric
	AS 'MODULE_PATHNAME', 'tensor_to_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_numeric(tensor) IS 'internal: cast of tensor to numeric';

CREATE CAST (tensor AS numeric) WITH FUNCTION sparseeinsum_internal.tensor_to_numeric(tensor);
COMMENT ON CAST (tensor AS numeric) IS 'the element of a tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.tensor_to_int2(tensor) RETURNS smallint
	AS 'MODULE_PATHNAME', 'tensor_to_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_int2(tensor) IS 'internal: cast of tensor to smallint';

CREATE CAST (tensor AS smallint) WITH FUNCTION sparseeinsum_internal.tensor_to_int2(tensor);
COMMENT ON CAST (tensor AS smallint) IS 'the element of a tensor of rank 0, rounded';

CREATE FUNCTION sparseeinsum_internal.tensor_to_int4(tensor) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_to_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_int4(tensor) IS 'internal: cast of tensor to integer';

CREATE CAST (tensor AS integer) WITH FUNCTION sparseeinsum_internal.tensor_to_int4(tensor);
COMMENT ON CAST (tensor AS integer) IS 'the element of a tensor of rank 0, rounded';

CREATE FUNCTION sparseeinsum_internal.tensor_to_int8(tensor) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_to_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_int8(tensor) IS 'internal: cast of tensor to bigint';

CREATE CAST (tensor AS bigint) WITH FUNCTION sparseeinsum_internal.tensor_to_int8(tensor);
COMMENT ON CAST (tensor AS bigint) IS 'the element of a tensor of rank 0, rounded';

CREATE FUNCTION sparseeinsum_internal.jsonb_to_tensor(jsonb) RETURNS tensor
	AS 'MODULE_PATHNAME', 'jsonb_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparseeinsum_internal.jsonb_to_tensor(jsonb) IS 'internal: cast of jsonb to tensor';

CREATE CAST (jsonb AS tensor) WITH FUNCTION sparseeinsum_internal.jsonb_to_tensor(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS tensor) IS 'a float8 tensor from nested arrays of numbers';

CREATE FUNCTION sparseeinsum_internal.tensor_to_jsonb(tensor) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'tensor_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_jsonb(tensor) IS 'internal: cast of tensor to jsonb';

CREATE CAST (tensor AS jsonb) WITH FUNCTION sparseeinsum_internal.tensor_to_jsonb(tensor);
COMMENT ON CAST (tensor AS jsonb) IS 'nested arrays of numbers; NaN and infinities as strings';

CREATE FUNCTION sparseeinsum_internal.tensor_to_json(tensor) RETURNS json
	AS 'MODULE_PATHNAME', 'tensor_to_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_to_json(tensor) IS 'internal: cast of tensor to json';

-- to_json(), to_jsonb() and row_to_json() look for it, and print a string without it.
CREATE CAST (tensor AS json) WITH FUNCTION sparseeinsum_internal.tensor_to_json(tensor);
COMMENT ON CAST (tensor AS json) IS 'nested arrays of numbers; complex and large values as a string';
