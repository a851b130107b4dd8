/*-------------------------------------------------------------------------
 *
 * kernel_sql.c
 *	  Writes kernels, with their aggregation, as SQL expressions.
 *
 * There are three forms, of which the first that fits is used:
 *
 *	  numbers only		scalar_multiply(a, b), summed by tensor_sum(float8)
 *	  a product			einsum('ij,j->i', a, b), summed by einsum_sum
 *	  anything else		tensor_map('exp($1*$2)', 'ij,j->i', a, b), summed by
 *						tensor_map_sum
 *
 * A function of whole matrices has a form of its own:
 *
 *	  solve				einsum_solve('bc', 'abc,ac->ab', a, b)
 *	  argmax			tensor_argmax(a, 1), and of rows einsum_argmax(a, key, bound, fill)
 *
 * A part of a kernel with only fully promoted operands is computed once per tuple, and is
 * one number in the other two forms.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "catalog/label.h"
#include "catalog/origin.h"
#include "codegen/kernel_sql.h"
#include "codegen/value_shape.h"
#include "recursion.h"
#include "type/extension.h"
#include "type/kernel_spec.h"

typedef struct KernelContext
{
	const CodegenContext *context;
	const Stage *stage;
	const Term *term;
	const Decomposition *choice;
	const Kernel *kernel; /* the term's kernel, or that of a kernel sum */
	char *output;         /* letters of the result's labels */
	LabelMask promoted;   /* promoted labels of choice, which no value has */
	char *const *values;
	char *const *keys; /* SQL of the stage's labels */
	/* arguments of the function that is being written */
	StringInfoData arguments;
	StringInfoData equation;
	int narguments;
	List *distinct;  /* distinct arguments of a map, each with its labels and value */
	bool by_operand; /* a map takes operands only, no numbers computed from them */
	bool by_unit;    /* a map makes complex numbers from one operand, 1i */
	bool number;     /* the result is fully promoted */
} KernelContext;

/*
 * Limit of factors: an equation may need one more operand for a number, and one of ones.
 */
#define MAX_FACTORS (EQUATION_MAX_OPERANDS - 2)

/*
 * The equation of a number times a vector: vec_sca_mult takes the number as its second
 * argument.
 */
#define SCALED_VECTOR ",a->a"

static char
label_letter(int label)
{
	return label < 26 ? 'a' + label : 'A' + (label - 26);
}

/* Returns "_sum", "_max", ...; "" if there is nothing to aggregate. */
static const char *
aggregate_suffix(const Stage *stage, bool aggregate)
{
	return aggregate ? psprintf("_%s", aggregate_operator_name(stage->aggregate)) : "";
}

static char *map_sql(KernelContext *kernel_context, const Kernel *kernel, bool aggregate);

/* Returns the scalar function that corresponds to a pointwise function. */
static const char *
scalar_function_name(FunctionId function)
{
	return extension_function(psprintf("scalar_%s", pointwise_functions[function].name));
}

static char *
map_call(const char *expression, const char *equation, const char *arguments)
{
	return psprintf("%s(%s, %s, %s)", extension_function("tensor_map"),
					text_literal(expression), text_literal(equation), arguments);
}

/*
 * Returns "_scalar" if a result with these demoted labels is a float8 and no tensor, else
 * "".
 */
static const char *
scalar_suffix(const char *output, ElementType type)
{
	return *output == '\0' && type == ELEMENT_FLOAT8 ? "_scalar" : "";
}

/* Are all parts of the kernel float8? */
static bool
is_float8_throughout(const Kernel *kernel)
{
	enter_recursion();
	if (kernel->type.type != ELEMENT_FLOAT8 || kernel->function >= FUNCTION_FLOAT4)
		return false;
	for (int i = 0; i < kernel->nargs; i++)
	{
		if (!is_float8_throughout(kernel->args[i]))
			return false;
	}
	return true;
}

/* Does a kernel read one of the term's kernel sums more than once? */
static bool
repeats_sum(const Term *term, const Kernel *kernel, uint32 *read)
{
	uint32 sum = kernel->kind == KERNEL_OPERAND && kernel->operand >= term->noperands
					 ? 1u << kernel->operand
					 : 0;

	enter_recursion();
	if (*read & sum)
		return true;
	*read |= sum;
	for (int i = 0; i < kernel->nargs; i++)
	{
		if (repeats_sum(term, kernel->args[i], read))
			return true;
	}
	return false;
}

/* Returns calls of scalar functions for a float8 kernel that reads no sum twice. */
static char *
plain_sql(const KernelContext *kernel_context, const Kernel *kernel)
{
	StringInfoData call;

	enter_recursion();
	if (kernel->kind == KERNEL_LITERAL)
		return number_literal(kernel_context->context, kernel->type.type, kernel->value);
	if (kernel->kind == KERNEL_OPERAND)
		return kernel_context->values[kernel->operand];
	initStringInfo(&call);
	appendStringInfo(&call, "%s(", scalar_function_name(kernel->function));
	for (int i = 0; i < kernel->nargs; i++)
		appendStringInfo(&call, "%s%s", i ? ", " : "",
						 plain_sql(kernel_context, kernel->args[i]));
	appendStringInfoChar(&call, ')');
	return call.data;
}

/*
 * Returns a kernel without demoted operands as a number: a float8 from our scalar
 * functions, or a tensor of rank 0 for other types. If types are mixed, or a sum is read
 * twice, which must be computed once, it is one map of the operands.
 */
static char *
scalar_sql(const KernelContext *kernel_context, const Kernel *kernel)
{
	uint32 read = 0;

	if (kernel->nargs > 0 && (!is_float8_throughout(kernel) ||
							  repeats_sum(kernel_context->term, kernel, &read)))
	{
		KernelContext own = *kernel_context;

		initStringInfo(&own.arguments);
		initStringInfo(&own.equation);
		own.narguments = 0;
		own.distinct = NIL;
		own.by_operand = true;
		own.number = true;
		return map_sql(&own, kernel, false);
	}
	return plain_sql(kernel_context, kernel);
}

/* Returns the demoted labels of an operand as letters, in the order of its dimensions. */
static char *
operand_letters(const KernelContext *kernel_context, const Operand *operand)
{
	StringInfoData letters;

	initStringInfo(&letters);
	for (int i = 0; i < operand->rank; i++)
	{
		if (!(kernel_context->promoted & (1u << operand->labels[i])))
			appendStringInfoChar(&letters, label_letter(operand->labels[i]));
	}
	return letters.data;
}

static char *
output_letters(const Stage *stage, LabelMask promoted)
{
	StringInfoData letters;

	initStringInfo(&letters);
	for (int i = 0; i < stage->noutput; i++)
	{
		if (!(promoted & (1u << stage->output[i])))
			appendStringInfoChar(&letters, label_letter(stage->output[i]));
	}
	return letters.data;
}

/* Adds an argument with its letters; returns its number, from 1. */
static int
add_argument(KernelContext *kernel_context, const char *letters, const char *value)
{
	appendStringInfo(&kernel_context->equation, "%s%s",
					 kernel_context->narguments ? "," : "", letters);
	appendStringInfo(&kernel_context->arguments, ", %s", value);
	return ++kernel_context->narguments;
}

/*
 * Returns the number, from 1, of an argument that a map may use several times; adds it if
 * it is new. A map has at most MAP_MAX_OPERANDS arguments: the operands, and the few
 * numbers that the grammar cannot write.
 */
static int
map_argument(KernelContext *kernel_context, const char *letters, const char *value)
{
	char *argument = psprintf("%s %s", letters, value);
	ListCell *lc;

	foreach (lc, kernel_context->distinct)
	{
		if (strcmp(lfirst(lc), argument) == 0)
			return foreach_current_index(lc) + 1;
	}
	kernel_context->distinct = lappend(kernel_context->distinct, argument);
	return add_argument(kernel_context, letters, value);
}

/*
 * Adds an operand of ones over the demoted labels which the output has but no operand: it
 * repeats the value along them.
 */
static void
add_extension(KernelContext *kernel_context)
{
	const Term *term = kernel_context->term;
	LabelMask demoted = kernel_context->kernel == term->kernel
							? term->extension & ~term->labels & ~kernel_context->promoted
							: 0;
	StringInfoData letters;
	ValueShape shape = {0};

	if (demoted == 0)
		return;
	initStringInfo(&letters);
	for (int i = 0; i < kernel_context->stage->nlabels; i++)
	{
		if (!(demoted & (1u << i)))
			continue;
		appendStringInfoChar(&letters, label_letter(i));
		add_extent(kernel_context->context, &shape, kernel_context->choice, i,
				   kernel_context->stage->labels[i].bound, kernel_context->keys[i]);
	}
	add_argument(
		kernel_context, letters.data,
		constant_value(kernel_context->context, term->kernel->type.type, 1.0, &shape));
}

/*
 * Splits a product into numbers and tensors: returns the product of the numbers (NULL for
 * none), and appends the tensor operands to * tensors.
 */
static char *
split_numbers(KernelContext *kernel_context, const Kernel *kernel, List **tensors)
{
	const CodegenContext *context = kernel_context->context;
	ElementType type = kernel_context->kernel->type.type;
	char *left;
	char *right;

	enter_recursion();
	if (kernel->kind == KERNEL_LITERAL)
		return number_literal(context, type, kernel->value);
	if (kernel_demoted(kernel_context->term, kernel, kernel_context->promoted) == 0)
		return scalar_sql(kernel_context, kernel);
	/* the product itself converts the type */
	if (kernel->kind == KERNEL_CALL && kernel->function >= FUNCTION_FLOAT4)
		kernel = kernel->args[0];
	if (kernel->kind == KERNEL_OPERAND)
	{
		*tensors = lappend_int(*tensors, kernel->operand);
		return NULL;
	}
	left = split_numbers(kernel_context, kernel->args[0], tensors);
	switch (kernel->function)
	{
		case FUNCTION_MULTIPLY:
			right = split_numbers(kernel_context, kernel->args[1], tensors);
			break;
		case FUNCTION_DIVIDE:
			right = number_literal(context, type, 1.0 / creal(kernel->args[1]->value));
			break;
		default: /* FUNCTION_NEGATE, see kernel_is_product */
			right = number_literal(context, type, -1.0);
			break;
	}
	if (left == NULL || right == NULL)
		return left ? left : right;
	if (type != ELEMENT_FLOAT8)
		return map_call("multiply($1, $2)", ",->", psprintf("%s, %s", left, right));
	return psprintf("%s(%s, %s)", extension_function("scalar_multiply"), left, right);
}

/* Renames the labels of an equation to a, b, ... in order of appearance. */
static char *
canonical_equation(const char *equation)
{
	char *result = pstrdup(equation);
	char seen[256] = {0};
	int nseen = 0;

	for (char *c = result; *c; c++)
	{
		unsigned char letter = *c;

		if (letter == ',' || letter == '-' || letter == '>')
			continue;
		if (!seen[letter])
			seen[letter] = label_letter(nseen++);
		*c = seen[letter];
	}
	return result;
}

/* Is this type the one that these operands' types promote to? */
static bool
promote_to(const KernelContext *kernel_context, List *tensors, ElementType type)
{
	const Operand *operands = kernel_context->term->operands;
	ElementType promoted = 0;
	ListCell *lc;

	foreach (lc, tensors)
	{
		ElementType own = operands[lfirst_int(lc)].tensor->type;

		promoted = promoted == 0 ? own : element_promote(promoted, own);
	}
	return promoted == type;
}

/*
 * Returns a product as a call of einsum or of a named kernel. A number among the operands
 * has the type of the product. If there is no number, and the tensors do not promote to
 * that type, a factor of 1 sets it.
 */
static char *
product_sql(KernelContext *kernel_context, bool aggregate)
{
	const char *output = kernel_context->output;
	ElementType type = kernel_context->kernel->type.type;
	List *tensors = NIL;
	const KernelSpec *named;
	char *number;
	char *equation;
	ListCell *lc;

	number = split_numbers(kernel_context, kernel_context->kernel, &tensors);
	if (number == NULL && !promote_to(kernel_context, tensors, type))
		number = number_literal(kernel_context->context, type, 1.0);
	if (number)
		add_argument(kernel_context, "", number);
	foreach (lc, tensors)
		add_argument(kernel_context,
					 operand_letters(kernel_context,
									 &kernel_context->term->operands[lfirst_int(lc)]),
					 kernel_context->values[lfirst_int(lc)]);
	add_extension(kernel_context);

	/* one operand that is the value itself */
	if (kernel_context->narguments == 1 &&
		strcmp(kernel_context->equation.data, output) == 0)
	{
		const char *value = kernel_context->arguments.data + strlen(", ");

		return aggregate ? psprintf("%s(%s)", extension_function("tensor_sum"), value)
						 : pstrdup(value);
	}
	appendStringInfo(&kernel_context->equation, "->%s", output);
	equation = canonical_equation(kernel_context->equation.data);
	if (!aggregate && strcmp(equation, SCALED_VECTOR) == 0 && tensors != NIL)
		return psprintf("%s(%s, %s)", extension_function("vec_sca_mult"),
						kernel_context->values[linitial_int(tensors)], number);
	named = aggregate ? NULL : kernel_of_equation(equation);
	if (named && (!named->scalar || type == ELEMENT_FLOAT8))
		return psprintf("%s(%s)", extension_function(named->name),
						kernel_context->arguments.data + strlen(", "));
	return psprintf("%s('%s'::pg_catalog.text%s)",
					extension_function(psprintf("einsum%s%s", aggregate ? "_sum" : "",
												scalar_suffix(output, type))),
					equation, kernel_context->arguments.data);
}

static void
append_map_number(StringInfo expression, double value)
{
	if (signbit(value))
		appendStringInfo(expression, "(-%s)", float8_to_string(-value));
	else
		appendStringInfoString(expression, float8_to_string(value));
}

/*
 * Appends a number to a map expression. A number that the grammar cannot write is an
 * operand, of the type in which its function computes.
 */
static void
append_map_literal(KernelContext *kernel_context, StringInfo expression,
				   const Kernel *literal, ElementType type)
{
	const CodegenContext *context = kernel_context->context;
	double value = creal(literal->value);
	double imaginary = cimag(literal->value);

	/* a complex number with 0i also makes the result complex */
	if (!element_is_complex(literal->type.type) && isfinite(value))
		append_map_number(expression, value);
	else if (kernel_context->by_unit && isfinite(value) && isfinite(imaginary))
	{
		appendStringInfoString(expression, value == 0.0 ? "multiply(" : "add(");
		if (value != 0.0)
		{
			append_map_number(expression, value);
			appendStringInfoString(expression, ", multiply(");
		}
		append_map_number(expression, imaginary);
		appendStringInfo(
			expression, ", $%d%s",
			map_argument(kernel_context, "", number_literal(context, type, I)),
			value == 0.0 ? ")" : "))");
	}
	else
		appendStringInfo(expression, "$%d",
						 map_argument(kernel_context, "",
									  number_literal(context, type, literal->value)));
}

static void
append_map_expression(KernelContext *kernel_context, StringInfo expression,
					  const Kernel *kernel, ElementType type)
{
	ValueType types[FUNCTION_MAX_ARGS];
	const PointwiseFunction *function;
	const Operand *operand;

	enter_recursion();
	if (kernel->kind == KERNEL_LITERAL)
	{
		append_map_literal(kernel_context, expression, kernel, type);
		return;
	}
	if (!kernel_context->by_operand &&
		kernel_demoted(kernel_context->term, kernel, kernel_context->promoted) == 0)
	{
		appendStringInfo(
			expression, "$%d",
			map_argument(kernel_context, "", scalar_sql(kernel_context, kernel)));
		return;
	}
	if (kernel->kind == KERNEL_OPERAND)
	{
		operand = &kernel_context->term->operands[kernel->operand];
		appendStringInfo(expression, "$%d",
						 map_argument(kernel_context,
									  operand_letters(kernel_context, operand),
									  kernel_context->values[kernel->operand]));
		return;
	}

	function = &pointwise_functions[kernel->function];
	for (int i = 0; i < kernel->nargs; i++)
		types[i] = kernel->args[i]->type;
	type = function_type(kernel->function, types).arguments;
	appendStringInfo(expression, "%s(", function->name);
	for (int i = 0; i < kernel->nargs; i++)
	{
		if (i > 0)
			appendStringInfoString(expression, ", ");
		append_map_expression(kernel_context, expression, kernel->args[i], type);
	}
	appendStringInfoChar(expression, ')');
}

static char *
map_sql(KernelContext *kernel_context, const Kernel *kernel, bool aggregate)
{
	ElementType type = kernel->type.type;
	const char *output = kernel_context->number ? "" : kernel_context->output;
	StringInfoData expression;

	initStringInfo(&expression);
	for (;;)
	{
		append_map_expression(kernel_context, &expression, kernel, type);
		if (!kernel_context->number)
			add_extension(kernel_context);
		if (kernel_context->narguments <= MAP_MAX_OPERANDS || kernel_context->by_unit)
			break;
		/* too many numbers: try with operands only, then make complex ones from 1i */
		kernel_context->by_unit = kernel_context->by_operand;
		kernel_context->by_operand = true;
		resetStringInfo(&expression);
		resetStringInfo(&kernel_context->arguments);
		resetStringInfo(&kernel_context->equation);
		kernel_context->narguments = 0;
		kernel_context->distinct = NIL;
	}
	appendStringInfo(&kernel_context->equation, "->%s", output);
	return psprintf(
		"%s(%s, %s%s)",
		extension_function(psprintf("tensor_map%s%s",
									aggregate_suffix(kernel_context->stage, aggregate),
									scalar_suffix(output, type))),
		text_literal(expression.data),
		text_literal(canonical_equation(kernel_context->equation.data)),
		kernel_context->arguments.data);
}

/* Returns the number of operands in a product, including those inside its factors. */
static int
count_factors(const Kernel *kernel)
{
	int factors = kernel->kind == KERNEL_OPERAND ? 1 : 0;

	enter_recursion();
	for (int i = 0; i < kernel->nargs; i++)
		factors += count_factors(kernel->args[i]);
	return factors;
}

/*
 * Returns a call of a matrix function; letters say which labels are those of the matrix.
 */
static char *
matrix_sql(KernelContext *kernel_context)
{
	const Kernel *kernel = kernel_context->kernel;
	const Term *term = kernel_context->term;

	for (int o = 0; o < term->noperands; o++)
		add_argument(kernel_context, operand_letters(kernel_context, &term->operands[o]),
					 kernel_context->values[o]);
	appendStringInfo(&kernel_context->equation, "->%s", kernel_context->output);
	return psprintf(
		"%s('%c%c'::pg_catalog.text, '%s'::pg_catalog.text%s)",
		extension_function(psprintf("einsum_%s", matrix_operation_name(kernel->matrix))),
		label_letter(kernel->labels[0]), label_letter(kernel->labels[1]),
		kernel_context->equation.data, kernel_context->arguments.data);
}

/*
 * Returns the position of an extreme (argmax, argmin): along a dimension of the operand's
 * value, or among rows by their keys.
 */
static char *
extreme_index_sql(KernelContext *kernel_context)
{
	const Kernel *kernel = kernel_context->kernel;
	const Operand *operand = &kernel_context->term->operands[0];
	const char *name = matrix_operation_name(kernel->matrix);
	int label = kernel->labels[0];
	int64 bound = kernel_context->stage->labels[label].bound;
	char *letters = operand_letters(kernel_context, operand);
	char *at = strchr(letters, label_letter(label));
	char *value = kernel_context->values[0];

	if (at == NULL)
		value = psprintf("%s(%s, CAST(%s AS pg_catalog.int8), '" INT64_FORMAT
						 "'::pg_catalog.int8, %s)",
						 extension_function(psprintf("einsum_%s", name)), value,
						 index_of_key_sql(bound, kernel_context->keys[label]),
						 bound_size(bound), float8_literal(creal(operand->fill)));
	else
	{
		value = psprintf("%s(%s, %d)", extension_function(psprintf("tensor_%s", name)),
						 value, (int) (at - letters));
		memmove(at, at + 1, strlen(at));
		if (*letters == '\0')
			return psprintf("CAST(%s AS pg_catalog.float8)", value);
	}
	/* a value of rank 0 whose type is not float8 */
	if (*letters == '\0' && operand->tensor->type != ELEMENT_FLOAT8)
		return psprintf("CAST(%s AS pg_catalog.float8)", value);
	if (strcmp(letters, kernel_context->output) == 0)
		return value;
	return psprintf("%s(%s, %s)", extension_function("einsum"),
					text_literal(canonical_equation(
						psprintf("%s->%s", letters, kernel_context->output))),
					value);
}

/* Returns the key of an extreme, whose index inside of values is found. */
static char *
extreme_place_sql(KernelContext *kernel_context)
{
	int64 bound = kernel_context->stage->labels[kernel_context->kernel->labels[0]].bound;
	char *index = extreme_index_sql(kernel_context);
	char *first = float8_literal((double) bound_first(bound));

	if (!bound_has_origin(bound))
		return index;
	if (*kernel_context->output == '\0')
		return psprintf("%s(%s, %s)", extension_function("scalar_add"), index, first);
	return map_call("add($1, $2)",
					psprintf("%s,->%s", kernel_context->output, kernel_context->output),
					psprintf("%s, %s", index, first));
}

/* Returns a number as the aggregate of that many equal ones. */
static char *
repeated_sql(AggregateOperator aggregate, char *value, const char *times)
{
	if (aggregate != AGGREGATE_SUM && aggregate != AGGREGATE_PROD)
		return value;
	return psprintf("%s(%s, %s)",
					scalar_function_name(aggregate == AGGREGATE_SUM ? FUNCTION_MULTIPLY
																	: FUNCTION_POWER),
					value, times);
}

char *
kernel_sql(const CodegenContext *context, const Stage *stage, const Term *term,
		   const Decomposition *choice, char *const *values, char *const *keys,
		   bool aggregate, const char *weight)
{
	LabelMask promoted = choice->promoted;
	KernelContext kernel_context = {.context = context,
									.stage = stage,
									.term = term,
									.choice = choice,
									.kernel = term->kernel,
									.output = output_letters(stage, promoted),
									.promoted = promoted,
									.values = values,
									.keys = keys};

	initStringInfo(&kernel_context.arguments);
	initStringInfo(&kernel_context.equation);
	if (term->kernel->kind == KERNEL_MATRIX && is_extreme_place(term->kernel->matrix))
		return extreme_place_sql(&kernel_context);
	if (term->kernel->kind == KERNEL_MATRIX)
		return matrix_sql(&kernel_context);
	if ((((term->labels & ~term->summed) | term->extension) & ~promoted) == 0)
	{
		char *value;

		if (aggregate && weight == NULL && !is_float8_throughout(term->kernel) &&
			term->kernel->kind == KERNEL_CALL)
		{
			kernel_context.by_operand = true;
			kernel_context.number = true;
			return map_sql(&kernel_context, term->kernel, true);
		}
		value = scalar_sql(&kernel_context, term->kernel);
		if (weight)
			value = repeated_sql(stage->aggregate, value, weight);
		return aggregate ? psprintf("%s(%s)",
									extension_function(psprintf(
										"tensor%s", aggregate_suffix(stage, true))),
									value)
						 : value;
	}
	if ((!aggregate || stage->aggregate == AGGREGATE_SUM) &&
		kernel_is_product(term, term->kernel, promoted) &&
		count_factors(term->kernel) <= MAX_FACTORS)
		return product_sql(&kernel_context, aggregate);
	return map_sql(&kernel_context, term->kernel, aggregate);
}

char *
kernel_sum_sql(const CodegenContext *context, const Stage *stage, const Term *term, int n,
			   const Decomposition *choice, char *const *values)
{
	KernelContext kernel_context = {.context = context,
									.stage = stage,
									.term = term,
									.choice = choice,
									.kernel = term->sums[n],
									.promoted = choice->promoted,
									.values = values};

	initStringInfo(&kernel_context.arguments);
	initStringInfo(&kernel_context.equation);
	kernel_context.output =
		operand_letters(&kernel_context, &term->operands[term->noperands + n]);
	if (kernel_is_product(term, term->sums[n], choice->promoted) &&
		count_factors(term->sums[n]) <= MAX_FACTORS)
		return product_sql(&kernel_context, false);
	return map_sql(&kernel_context, term->sums[n], false);
}

/* Returns the function that combines missing entries with an aggregate. */
static FunctionId
fold_function(AggregateOperator aggregate)
{
	switch (aggregate)
	{
		case AGGREGATE_SUM:
			return FUNCTION_ADD;
		case AGGREGATE_PROD:
			return FUNCTION_MULTIPLY;
		case AGGREGATE_MAX:
			return FUNCTION_GREATEST;
		default: /* AGGREGATE_MIN; any and all have become these */
			return FUNCTION_LEAST;
	}
}

/*
 * Returns the number of tuples for those aggregated labels that are keys, or blocks, of
 * dimensions' tables, multiplied by times, as a float8 that is computed when the query
 * runs; NULL without such labels. A dimension without keys counts as if it had one (see
 * missing_entries_count). The number of entries per tuple does not matter: no fill that
 * may be missing depends on it (expr/dimensions.c).
 */
static char *
dimension_tuples(const CodegenContext *context, const Stage *stage, const Term *term,
				 const Decomposition *choice, double times)
{
	char *product = NULL;

	for (int i = 0; i < stage->nlabels; i++)
	{
		char *count;

		if (!(term->aggregated & keys_of(choice) & (1u << i)) ||
			!bound_is_dimension(stage->labels[i].bound))
			continue;
		count = psprintf(
			"CAST(%s AS pg_catalog.float8)",
			choice->blocked & (1u << i)
				? dimension_blocks(context, stage->labels[i].bound, choice->block[i])
				: dimension_size(context, stage->labels[i].bound));
		product = psprintf("%s(%s, %s)", extension_function("scalar_multiply"),
						   product ? product : float8_literal(times), count);
	}
	return product;
}

/* The missing entries of an aggregate, in SQL. */
typedef struct MissingEntries
{
	char *are_there; /* condition: some entries are missing */
	char *number;    /* number of missing entries, or tuples; a float8 */
	double each;     /* entries for each one that is counted */
} MissingEntries;

/*
 * Writes the SQL that counts missing entries; false if none can be missing. Tuples are
 * counted if all have the same size; if the last block of an aggregated label is shorter,
 * the entries that tuples cover are added up.
 */
static bool
count_missing(const CodegenContext *context, const Stage *stage, const Term *term,
			  const Decomposition *choice, char *const *keys, const char *weight,
			  MissingEntries *missing)
{
	ValueShape covered = {0};
	double all = 1.0;     /* number of tuples if all entries were stored */
	double entries = 1.0; /* number of entries over the aggregated labels */
	char *covered_sql;
	char *total;

	missing->each = 1.0;
	for (int i = 0; i < stage->nlabels; i++)
	{
		if (!(term->aggregated & (1u << i)))
			continue;
		if (bound_is_dimension(stage->labels[i].bound))
			continue;
		add_extent(context, &covered, choice, i, stage->labels[i].bound, keys[i]);
		entries *= stage->bounds[i];
		if (choice->promoted & (1u << i))
			all *= stage->bounds[i];
		else if (choice->blocked & (1u << i))
			all *= block_count(stage->bounds[i], choice->block[i]);
		if (!(choice->promoted & (1u << i)))
			missing->each *= block_extent(choice, i, stage->bounds[i]);
	}
	/* a tuple without entries misses none, whatever the fill */
	if (missing->each == 0.0)
		return false;
	covered_sql = entries_sql(context, &covered);
	if (weight)
		covered_sql = pstrdup(weight);
	if (covered_sql)
	{
		all = entries;
		missing->each = 1.0;
	}
	if (all > (double) PG_INT64_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an aggregate over %.0f index vectors is too large", all),
				 errdetail("Entries that are not stored count in it."),
				 errhint("Aggregate a tensor whose fill is neutral, or fewer labels.")));
	total = dimension_tuples(context, stage, term, choice, all);
	if (covered_sql || total)
	{
		covered_sql = covered_sql
						  ? psprintf("COALESCE(%s(%s), '0'::pg_catalog.float8)",
									 extension_function("tensor_sum"), covered_sql)
						  : pstrdup("CAST(pg_catalog.count(*) AS pg_catalog.float8)");
		if (total == NULL)
			total = float8_literal(all);
		missing->are_there = psprintf("%s OPERATOR(pg_catalog.<) %s", covered_sql, total);
		missing->number = psprintf("%s(%s, %s)", extension_function("scalar_subtract"),
								   total, covered_sql);
		return true;
	}
	missing->are_there = psprintf(
		"pg_catalog.count(*) OPERATOR(pg_catalog.<) '%.0f'::pg_catalog.int8", all);
	missing->number = psprintf("CAST('%.0f'::pg_catalog.int8 OPERATOR(pg_catalog.-) "
							   "pg_catalog.count(*) AS pg_catalog.float8)",
							   all);
	return true;
}

char *
with_missing_entries(const CodegenContext *context, const Stage *stage, const Term *term,
					 const Decomposition *choice, char *const *keys, const char *weight,
					 const char *value)
{
	FunctionId function = fold_function(stage->aggregate);
	char *letters = output_letters(stage, choice->promoted);
	ElementType type = term->kernel->type.type;
	MissingEntries missing;
	char *added;
	char *fold;

	if (!missing_entries_count(stage, term) ||
		!count_missing(context, stage, term, choice, keys, weight, &missing))
		return pstrdup(value);

	/* the aggregate of the missing entries */
	added = number_literal(context, type,
						   repeated_value(stage->aggregate, term->fill, missing.each));
	if (type == ELEMENT_FLOAT8)
		added = repeated_sql(stage->aggregate, added, missing.number);
	else if (stage->aggregate == AGGREGATE_SUM || stage->aggregate == AGGREGATE_PROD)
	{
		FunctionId repeated =
			stage->aggregate == AGGREGATE_SUM ? FUNCTION_MULTIPLY : FUNCTION_POWER;

		added = map_call(psprintf("%s(%s($1, $2))", element_type_name(type),
								  pointwise_functions[repeated].name),
						 ",->", psprintf("%s, %s", added, missing.number));
	}
	if ((stage->output_mask & ~choice->promoted) == 0 && type == ELEMENT_FLOAT8)
		fold = psprintf("%s(%s, %s)", scalar_function_name(function), value, added);
	else
		fold = map_call(psprintf("%s($1, $2)", pointwise_functions[function].name),
						psprintf("%s,->%s", letters, letters),
						psprintf("%s, %s", value, added));
	return psprintf("CASE WHEN %s THEN %s ELSE %s END", missing.are_there, fold, value);
}

/* The post expression is written as a term with one operand, the aggregated result. */
char *
post_sql(const CodegenContext *context, const Stage *stage, const Decomposition *choice,
		 const char *value)
{
	Term *term;
	char *values[1];

	if (stage->post == NULL)
		return pstrdup(value);
	if ((stage->output_mask & ~choice->promoted) != 0 &&
		stage->post->kind == KERNEL_CALL && stage->post->function < FUNCTION_FLOAT4 &&
		stage->post->nargs == 1 && stage->post->args[0]->kind == KERNEL_OPERAND)
		return psprintf(
			"%s(%s)",
			extension_function(
				psprintf("tensor_%s", pointwise_functions[stage->post->function].name)),
			value);

	term = palloc0(sizeof(Term));
	term->kernel = stage->post;
	term->noperands = 1;
	term->operands = palloc0(sizeof(Operand));
	term->operands[0].tensor = palloc0(sizeof(ProgramTensor));
	term->operands[0].tensor->type = stage->terms[0].kernel->type.type;
	term->operands[0].rank = stage->noutput;
	memcpy(term->operands[0].labels, stage->output, sizeof(stage->output));
	term->operands[0].mask = stage->output_mask;
	term->labels = stage->output_mask;
	values[0] = pstrdup(value);
	return kernel_sql(context, stage, term, choice, values, NULL, false, NULL);
}
