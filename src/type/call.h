/*-------------------------------------------------------------------------
 *
 * call.h
 *	  Arguments of the functions that compute with tensors: operands of mixed
 *	  types as views of one element type, and what a call site remembers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_CALL_H
#define TYPE_CALL_H

#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "kernels/function_type.h"
#include "kernels/kernels.h"
#include "kernels/path.h"
#include "type/detoast_cache.h"
#include "type/tensor.h"

/* How the SQL type of an operand is read. */
typedef enum OperandKind
{
	OPERAND_TENSOR,
	OPERAND_FLOAT8,
	OPERAND_FLOAT4,
	OPERAND_INT2,
	OPERAND_INT4,
	OPERAND_INT8,
	OPERAND_NUMERIC,
	OPERAND_LITERAL, /* a literal of unknown type: the text of a tensor */
} OperandKind;

/*
 * What a call site remembers between calls, to be faster: each field is checked against
 * the arguments of the call, and a call that has no place to remember it works, too.
 */
typedef struct CallCache
{
	int noperands;
	OperandKind kinds[EQUATION_MAX_OPERANDS];
	MemoryContext context; /* holds the texts and the program */
	char *equation_text;   /* not terminated by a null byte; NULL before the first call */
	int equation_length;
	Equation equation;
	Equation *bound;  /* equation without its ellipsis, for operands of these ranks */
	EinsumPath *path; /* chosen for operands of the bounds below */
	int npath_bounds;
	int64 *path_bounds;
	ElementType path_type;
	char *map_text;
	int map_length;
	MapProgram *program;
	struct BatchForm *form; /* of the sums of this call site, if they are batched */
	bool form_sought;
	struct PreparedCall *prepared;   /* see call_prepared.h */
	struct NumericOperand *numerics; /* by operand; NULL before the first */
} CallCache;

/* Values up to this size may be stored with a short varlena header. */
#define SHORT_VALUE_SIZE (VARHDRSZ + VARATT_SHORT_MAX)

/* Memory for the aligned copy of a value that was stored with a short header. */
typedef union ShortValue
{
	double align;
	char bytes[SHORT_VALUE_SIZE];
} ShortValue;

/*
 * Returns a tensor of any format without reading it from disk: the value itself if it
 * lies flat in memory, or its copy in *shorter if it was stored with a short header. NULL
 * if it is compressed or out of line.
 */
static inline const Tensor *
plain_value(Datum value, ShortValue *shorter)
{
	struct varlena *datum = (struct varlena *) DatumGetPointer(value);
	Size size;

	if (VARATT_IS_4B_U(datum))
		return (const Tensor *) datum;
	/* a pointer to an out-of-line value has a short header too */
	if (!VARATT_IS_SHORT(datum) || VARATT_IS_EXTERNAL(datum))
		return NULL;
	size = VARSIZE_SHORT(datum) - VARHDRSZ_SHORT;
	SET_VARSIZE(shorter->bytes, size + VARHDRSZ);
	memcpy(shorter->bytes + VARHDRSZ, VARDATA_SHORT(datum), size);
	return (const Tensor *) shorter->bytes;
}

/* Returns a dense tensor in the same way; NULL also if it is sparse. */
static inline const Tensor *
plain_tensor(Datum value, ShortValue *shorter)
{
	const Tensor *tensor = plain_value(value, shorter);

	return unlikely(tensor && is_sparse(tensor)) ? NULL : tensor;
}

/*
 * The operands of one call. Their views point into the arguments if these lie flat in
 * memory, else into this struct or into copies, which release_operands frees. Lives on
 * the stack, and is not copied.
 */
typedef struct Operands
{
	int count;
	ElementType type; /* to which all operands are promoted */
	const TensorView *views[EQUATION_MAX_OPERANDS]; /* point into view[] */
	TensorView view[EQUATION_MAX_OPERANDS];
	double scalars[EQUATION_MAX_OPERANDS][2]; /* elements of rank-0 operands */
	ShortValue shorts[EQUATION_MAX_OPERANDS];
	int ncopies;
	void *copies[3 * EQUATION_MAX_OPERANDS];
	int ncached;         /* operands that lie in the query's detoast cache */
	DetoastCache *cache; /* that cache */
} Operands;

/*
 * Returns the cache of this call site, whose operands are the arguments from number first
 * on. Errors: 42804 for an operand type that does not convert, 0A000 for VARIADIC with an
 * array, 54023 for more operands than most.
 */
extern CallCache *get_call_cache(FunctionCallInfo fcinfo, int first, int most,
								 const char *function);

/* Is a text the equation that get_call_equation parsed last? */
extern bool is_call_equation(const CallCache *cache, Datum text);

/*
 * Parse argument argno as an equation or as a map expression. If the text is that of the
 * last call, the cache returns its parsed form.
 */
extern const Equation *get_call_equation(FunctionCallInfo fcinfo, CallCache *cache,
										 int argno);
extern const MapProgram *get_call_map(FunctionCallInfo fcinfo, CallCache *cache,
									  int argno);

/* Returns the product of all operands as a map expression. */
extern const MapProgram *get_call_product(CallCache *cache);

/*
 * Returns the equation with one label per dimension in place of its ellipsis. Errors:
 * 2202E for an operand of too small a rank, and for dimensions that the output lacks;
 * 54000 for an output of too large a rank.
 */
extern const Equation *bind_call_equation(CallCache *cache, const Equation *equation,
										  const Operands *operands, const char *function);

/* Returns the order in which these operands are multiplied in pairs. */
extern const EinsumPath *get_call_path(CallCache *cache, const Equation *equation,
									   const Operands *operands);

/* Does the same as bind_call_equation without a cache, for operands of these ranks. */
extern void bind_equation(const Equation *equation, const TensorView *const *views,
						  const char *function, Equation *bound);

/* True if an argument from number first on is NULL. */
static inline bool
any_argument_null(FunctionCallInfo fcinfo, int first)
{
	for (int i = first; i < PG_NARGS(); i++)
		if (PG_ARGISNULL(i))
			return true;
	return false;
}

/* Reads the arguments from number first on; none may be NULL. */
extern void load_operands(FunctionCallInfo fcinfo, CallCache *cache, int first,
						  Operands *operands);

/*
 * Reads count tensors, for functions with a fixed number of arguments. Values out of
 * line are read through the query's cache; with fcinfo NULL, for functions that read
 * each value once, they are not.
 */
extern void load_tensors(FunctionCallInfo fcinfo, Operands *operands, int count,
						 const Datum *values);

/* Makes operands empty, for load_tensor and load_scalar to add to. */
extern void reset_operands(Operands *operands);

/* Adds a flat tensor to the operands. */
extern void load_tensor(Operands *operands, const Tensor *tensor);

/*
 * Returns operand i, of a numeric SQL type, as float8; sets *type to the element type
 * that it counts as.
 */
extern double number_operand(CallCache *cache, int i, Datum value, ElementType *type);

/*
 * fetch_operand returns a tensor in flat form, dense or sparse, which release_operands
 * frees; it is read as operand i of the call. add_operand adds it to the operands, dense.
 * fcinfo: as in load_tensors. Errors: as make_dense.
 */
extern const Tensor *fetch_operand(FunctionCallInfo fcinfo, Operands *operands, int i,
								   Datum value);
extern void add_operand(FunctionCallInfo fcinfo, Operands *operands,
						const Tensor *tensor);

/* Adds a number to the operands, as an operand of rank 0. */
extern void load_scalar(Operands *operands, double value, ElementType type);

/* Converts all operands to type, which must be able to hold them. */
extern void convert_operands(Operands *operands, ElementType type);

extern void release_operands(Operands *operands);

/*
 * Sets the extents of the equation's labels from the operands; bounds of 1 are broadcast
 * unless strict. Errors: 2202E for a rank or an extent that does not fit; the message
 * names the function.
 */
extern void check_extents(const char *function, const Equation *equation,
						  const TensorView *const *views, bool strict, int64 *extents);

/* Sets the bounds of the equation's output, given the extents of its labels. */
extern void output_bounds(const Equation *equation, const int64 *extents, int64 *bounds);

/*
 * Returns a tensor argument in flat and dense form: the argument itself if it is so
 * already, *shorter if it has a short header, else a palloc'd copy, which is also stored
 * in *copy for the caller to free. Errors: as make_dense.
 */
extern const Tensor *flatten_tensor(Datum value, ShortValue *shorter, void **copy);

/* Does the same, but returns a sparse value as it is. Errors: as sparse_check. */
extern const Tensor *flatten_any(Datum value, ShortValue *shorter, void **copy);

/* Does the same, but makes a sparse value dense that has another fill than this one. */
extern const Tensor *flatten_with_fill(Datum value, Number fill, ShortValue *shorter,
									   void **copy);

/* Raises 0A000 if the element type is complex. */
extern void check_real(const char *function, ElementType type);

/* Returns the element of a view of rank 0 as float8. Errors: 42804 if it is complex. */
extern double scalar_element(const char *function, const TensorView *view);

#endif
