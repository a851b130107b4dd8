/*-------------------------------------------------------------------------
 *
 * explain.c
 *	  Writes plans in the forms that einsum_plan shows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/shift.h"
#include "catalog/storage_advice.h"
#include "catalog/stored_layout.h"
#include "codegen/deparse.h"
#include "codegen/explain.h"
#include "codegen/gather.h"
#include "codegen/point.h"
#include "codegen/views.h"
#include "expr/function_table.h"
#include "optimizer/assignments.h"
#include "optimizer/materialize.h"
#include "optimizer/repartition_cost.h"
#include "optimizer/rounds.h"
#include "recursion.h"
#include "statistics/missing_indices.h"

/* Binding strength of a printed expression, weakest first. */
typedef enum Precedence
{
	PRECEDENCE_COMPARISON,
	PRECEDENCE_SUM,
	PRECEDENCE_AGGREGATE, /* as a left operand it would include the right one */
	PRECEDENCE_PRODUCT,
	PRECEDENCE_MINUS,
	PRECEDENCE_POWER,
	PRECEDENCE_ATOM,
} Precedence;

/* Returns a label in upper case; NULL if the notation cannot write it so. */
static char *
upper_case_label(const char *name)
{
	char *upper = pstrdup(name);
	bool has_letter = false;

	for (char *c = upper; *c; c++)
	{
		if (*c >= 'a' && *c <= 'z')
		{
			*c -= 'a' - 'A';
			has_letter = true;
		}
		else if (!((*c >= '0' && *c <= '9') || *c == '_'))
			return NULL;
	}
	return has_letter && !(*name >= '0' && *name <= '9') ? upper : NULL;
}

/* Returns a label as the notation writes it. */
static char *
label_notation(const char *name, const Decomposition *decomposition, int i)
{
	const char *upper = upper_case_label(name);

	if (decomposition->blocked & (1u << i))
		return psprintf("%s:%d", upper ? upper : quote_identifier(name),
						decomposition->block[i]);
	if (!(decomposition->promoted & (1u << i)))
		return pstrdup(quote_identifier(name));
	return upper ? pstrdup(upper) : psprintf("%s:1", quote_identifier(name));
}

/* A tensor with its labels, key dimensions in upper case: "h[I,k]", "h[I:64,k]". */
static char *
tensor_notation(const char *name, int rank, const char *const *labels,
				const Decomposition *decomposition)
{
	StringInfoData notation;

	initStringInfo(&notation);
	appendStringInfo(&notation, "%s[", quote_identifier(name));
	for (int i = 0; i < rank; i++)
		appendStringInfo(&notation, "%s%s", i ? "," : "",
						 label_notation(labels[i], decomposition, i));
	appendStringInfoChar(&notation, ']');
	return notation.data;
}

/*
 * Returns the names of a stage's labels. Two scopes of a program may use one name; within
 * a stage the names must differ.
 */
static const char **
stage_label_names(const Stage *stage)
{
	const char **names = palloc(sizeof(char *) * Max(stage->nlabels, 1));

	for (int i = 0; i < stage->nlabels; i++)
	{
		int copies = 0;
		bool taken = true;

		names[i] = stage->labels[i].name;
		while (taken)
		{
			taken = false;
			for (int j = 0; j < i; j++)
				taken = taken || strcmp(names[j], names[i]) == 0;
			if (taken)
				names[i] = psprintf("%s_%d", stage->labels[i].name, ++copies);
		}
	}
	return names;
}

static char *
indexed_notation(const char *schema, const char *name, int rank, const int *labels,
				 const char *const *names, const Decomposition *decomposition)
{
	const char *indices[TENSOR_MAX_RANK];
	char *notation;

	for (int i = 0; i < rank; i++)
		indices[i] = names[labels[i]];
	notation = tensor_notation(name, rank, indices, decomposition);
	return schema ? psprintf("%s.%s", quote_identifier(schema), notation) : notation;
}

char *
result_notation(const Stage *stage, const char *name, const Decomposition *shape)
{
	return indexed_notation(stage->schema, name, stage->noutput, stage->output,
							stage_label_names(stage), shape);
}

char *
stage_notation(const StagePlan *plan)
{
	return result_notation(plan->stage, plan->stage->name, &plan->shape);
}

/*
 * Sets the name by which a statement reads an operand, and its schema, or NULL. With a
 * context all schemas are named, and results by their relations.
 */
static void
name_operand(const CodegenContext *context, const Operand *operand, const char **schema,
			 const char **name)
{
	const Stage *producer = operand->producer;

	*schema = producer ? producer->schema : operand->tensor->schema;
	*name = operand_name(operand);
	if (context && producer)
	{
		*schema = producer->schema ? producer->schema : context->schema;
		*name = stage_relname(context, producer);
	}
	else if (context && operand->tensor->entry)
		*schema = get_namespace_name(operand->tensor->entry->schema);
}

/*
 * Returns the notation of a tensor that is read at shifted or constant indices. In the
 * stage of a shift it has all its dimensions, otherwise those without a constant index.
 */
static char *
shifted_notation(const CodegenContext *context, const Stage *stage,
				 const Operand *operand, const Decomposition *decomposition)
{
	const TensorShift *shift = stage->shift ? stage->shift : operand->tensor->shift;
	const char **names = stage_label_names(stage);
	StringInfoData notation;
	const char *schema;
	const char *name;

	name_operand(context, operand, &schema, &name);
	initStringInfo(&notation);
	if (schema)
		appendStringInfo(&notation, "%s.", quote_identifier(schema));
	appendStringInfo(&notation, "%s[", quote_identifier(name));
	for (int d = 0; d < shift->rank; d++)
	{
		int place = shift->place[d];
		int dimension = stage->shift ? d : place;

		if (d > 0)
			appendStringInfoChar(&notation, ',');
		if (place < 0)
			appendStringInfo(&notation, INT64_FORMAT, shift->offset[d]);
		else
			appendStringInfoString(&notation,
								   label_notation(names[operand->labels[dimension]],
												  decomposition, dimension));
		if (place >= 0 && shift->offset[d] != 0)
			appendStringInfo(&notation, "%+lld", (long long) shift->offset[d]);
	}
	appendStringInfoChar(&notation, ']');
	return notation.data;
}

static char *
notation_of_operand(const CodegenContext *context, const Stage *stage,
					const Operand *operand, const Decomposition *decomposition)
{
	const char *schema;
	const char *name;

	if (stage->shift || (operand->producer == NULL && operand->tensor->shifted))
		return shifted_notation(context, stage, operand, decomposition);
	name_operand(context, operand, &schema, &name);
	return indexed_notation(schema, name, operand->rank, operand->labels,
							stage_label_names(stage), decomposition);
}

char *
operand_notation(const Stage *stage, const Operand *operand,
				 const Decomposition *decomposition)
{
	return notation_of_operand(NULL, stage, operand, decomposition);
}

static Precedence
call_precedence(FunctionId function)
{
	if (is_comparison(function))
		return PRECEDENCE_COMPARISON;
	switch (function)
	{
		case FUNCTION_ADD:
		case FUNCTION_SUBTRACT:
			return PRECEDENCE_SUM;
		case FUNCTION_MULTIPLY:
		case FUNCTION_DIVIDE:
			return PRECEDENCE_PRODUCT;
		case FUNCTION_NEGATE:
			return PRECEDENCE_MINUS;
		case FUNCTION_POWER:
			return PRECEDENCE_POWER;
		default:
			return PRECEDENCE_ATOM;
	}
}

/*
 * Returns the digits of a number and a unit, "" or "i"; infinities and NaN have no
 * literal and are written as quotients.
 */
static char *
number_text(double value, const char *unit)
{
	if (isnan(value))
		return psprintf("1%s/0 - 1%s/0", unit, unit);
	if (isinf(value))
		return psprintf("%s1%s/0", value < 0 ? "-" : "", unit);
	return psprintf("%s%s", float8_to_string(value), unit);
}

/* Prints a number, in parentheses if it is more than digits. */
static void
print_number(StringInfo out, Number value, ElementType type)
{
	bool is_complex = element_is_complex(type);
	double only = is_complex ? cimag(value) : creal(value);
	char *imaginary = number_text(cimag(value), "i");

	if (!is_complex || creal(value) == 0.0)
		appendStringInfo(out, only < 0 || !isfinite(only) ? "(%s)" : "%s",
						 number_text(only, is_complex ? "i" : ""));
	else
		appendStringInfo(out, "(%s %c %s)", number_text(creal(value), ""),
						 *imaginary == '-' ? '-' : '+',
						 *imaginary == '-' ? imaginary + 1 : imaginary);
}

/* Is the kernel a truth value, made by comparisons (see is_truth_value)? */
static bool
kernel_is_truth(const Kernel *kernel)
{
	enter_recursion();
	if (kernel->kind != KERNEL_CALL)
		return false;
	if (is_comparison(kernel->function))
		return true;
	switch (kernel->function)
	{
		case FUNCTION_GREATEST:
		case FUNCTION_LEAST:
			return kernel_is_truth(kernel->args[0]) && kernel_is_truth(kernel->args[1]);
		case FUNCTION_IF:
			for (int i = 1; i < 3; i++)
			{
				if (kernel->args[i]->kind != KERNEL_LITERAL &&
					!kernel_is_truth(kernel->args[i]))
					return false;
			}
			return true;
		default:
			return false;
	}
}

static void print_untyped(StringInfo out, const Kernel *kernel, char *const *operands,
						  const Precedence *operand_precedence, Precedence context);

/*
 * Prints a kernel with its operands as given, in parentheses if it binds weaker than
 * context. A truth value is printed with its type, unless it has that type by itself.
 */
static void
print_kernel(StringInfo out, const Kernel *kernel, char *const *operands,
			 const Precedence *operand_precedence, Precedence context)
{
	if (kernel->type.type == ELEMENT_FLOAT8 || !kernel_is_truth(kernel))
	{
		print_untyped(out, kernel, operands, operand_precedence, context);
		return;
	}
	appendStringInfo(out, "%s(", element_type_name(kernel->type.type));
	print_untyped(out, kernel, operands, operand_precedence, PRECEDENCE_COMPARISON);
	appendStringInfoChar(out, ')');
}

static void
print_untyped(StringInfo out, const Kernel *kernel, char *const *operands,
			  const Precedence *operand_precedence, Precedence context)
{
	const PointwiseFunction *function;
	Precedence own;
	bool parenthesise;

	enter_recursion();
	if (kernel->kind == KERNEL_LITERAL)
	{
		print_number(out, kernel->value, kernel->type.type);
		return;
	}
	if (kernel->kind == KERNEL_OPERAND)
	{
		parenthesise = operand_precedence[kernel->operand] < context;
		appendStringInfo(out, parenthesise ? "(%s)" : "%s", operands[kernel->operand]);
		return;
	}

	if (kernel->kind == KERNEL_MATRIX)
	{
		for (int i = 0; i < kernel->nargs; i++)
			appendStringInfo(out, "%s%s", i ? ", " : "", operands[i]);
		appendStringInfoChar(out, ')');
		return;
	}

	own = call_precedence(kernel->function);
	function = &pointwise_functions[kernel->function];
	if (own == PRECEDENCE_ATOM)
	{
		appendStringInfo(out, "%s(", function->name);
		for (int i = 0; i < kernel->nargs; i++)
		{
			if (i > 0)
				appendStringInfoString(out, ", ");
			if (kernel->function >= FUNCTION_FLOAT4 ||
				(kernel->function == FUNCTION_IF && i == 0))
				print_untyped(out, kernel->args[i], operands, operand_precedence,
							  PRECEDENCE_COMPARISON);
			else
				print_kernel(out, kernel->args[i], operands, operand_precedence,
							 PRECEDENCE_COMPARISON);
		}
		appendStringInfoChar(out, ')');
		return;
	}
	parenthesise = own < context;
	if (parenthesise)
		appendStringInfoChar(out, '(');
	if (kernel->nargs == 1)
	{
		appendStringInfoChar(out, '-');
		print_kernel(out, kernel->args[0], operands, operand_precedence, own + 1);
	}
	else
	{
		/* operators are left-associative, except ^; comparisons do not associate */
		bool right_associative = own == PRECEDENCE_POWER;
		bool loose = own == PRECEDENCE_COMPARISON;

		print_kernel(out, kernel->args[0], operands, operand_precedence,
					 right_associative || loose ? own + 1 : own);
		appendStringInfo(out, own == PRECEDENCE_POWER ? "%s" : " %s ", function->symbol);
		print_kernel(out, kernel->args[1], operands, operand_precedence,
					 right_associative ? own : own + 1);
	}
	if (parenthesise)
		appendStringInfoChar(out, ')');
}

/* Prints "sum[i,J] " of the aggregated labels. */
static void
print_aggregated(StringInfo out, AggregateOperator aggregate, LabelMask aggregated,
				 const char **names, const Decomposition *choice)
{
	const char *separator = "";
	int i;

	appendStringInfo(out, "%s[", aggregate_operator_name(aggregate));
	FOREACH_LABEL (i, aggregated)
	{
		appendStringInfo(out, "%s%s", separator, label_notation(names[i], choice, i));
		separator = ",";
	}
	appendStringInfoString(out, "] ");
}

/* Prints the kernel sums of a term, as operands that follow those which are read. */
static void
print_kernel_sums(const Term *term, const char **names, const Decomposition *choice,
				  char **operands, Precedence *precedence)
{
	for (int n = 0; n < term->nsums; n++)
	{
		const Kernel *kernel = term->sums[n];
		LabelMask labels = 0;
		StringInfoData sum;

		for (int o = 0; o < term->noperands; o++)
		{
			if (kernel->operands & (1u << o))
				labels |= term->operands[o].mask;
		}
		initStringInfo(&sum);
		print_aggregated(&sum, AGGREGATE_SUM, labels & term->summed, names, choice);
		print_kernel(&sum, kernel, operands, precedence, PRECEDENCE_PRODUCT);
		operands[term->noperands + n] = sum.data;
		precedence[term->noperands + n] = PRECEDENCE_SUM;
	}
}

/*
 * Returns the right side of a stage: in its plan's notation, or with a context without
 * pins and with all schemas.
 */
static char *
expression_of(const CodegenContext *context, const StagePlan *plan)
{
	const Stage *stage = plan->stage;
	Decomposition choice = context ? promoting(0) : plan->choice;
	const char **names = stage_label_names(stage);
	StringInfoData sum;
	StringInfoData result;
	char *operand;
	Precedence precedence = PRECEDENCE_SUM;
	bool extreme = stage->aggregated && stage->aggregate != AGGREGATE_SUM &&
				   stage->tensor->type != ELEMENT_FLOAT8 &&
				   kernel_is_truth(stage->terms[0].kernel);

	initStringInfo(&sum);
	for (int t = 0; t < stage->nterms; t++)
	{
		const Term *term = &stage->terms[t];
		char *operands[TERM_MAX_VALUES];
		Precedence atoms[TERM_MAX_VALUES];

		for (int o = 0; o < term->noperands; o++)
		{
			const Operand *read = &term->operands[o];

			Decomposition needed = operand_decomposition(read, &choice);

			atoms[o] = PRECEDENCE_ATOM;
			operands[o] = notation_of_operand(context, stage, read, &needed);
		}
		print_kernel_sums(term, names, &choice, operands, atoms);
		if (t > 0)
			appendStringInfoString(&sum, " + ");
		if (term->kernel->kind == KERNEL_MATRIX)
		{
			appendStringInfo(&sum, "%s[", matrix_operation_name(term->kernel->matrix));
			for (int i = 0; i < term->kernel->nlabels; i++)
				appendStringInfo(&sum, "%s%s", i ? "," : "",
								 quote_identifier(names[term->kernel->labels[i]]));
			appendStringInfoString(&sum, "](");
		}
		else if (term->aggregated)
			print_aggregated(&sum, stage->aggregate, term->aggregated, names, &choice);
		/* a max or min of truth values is a truth value, but a sum needs a type */
		if (extreme)
			print_untyped(&sum, term->kernel, operands, atoms, PRECEDENCE_PRODUCT);
		else
			print_kernel(&sum, term->kernel, operands, atoms,
						 term->aggregated ? PRECEDENCE_PRODUCT : PRECEDENCE_SUM + 1);
		if (term->aggregated)
			precedence = PRECEDENCE_AGGREGATE;
		else if (stage->nterms == 1)
			precedence = PRECEDENCE_COMPARISON;
	}
	if (stage->post == NULL)
		return extreme
				   ? psprintf("%s(%s)", element_type_name(stage->tensor->type), sum.data)
				   : sum.data;
	initStringInfo(&result);
	operand = sum.data;
	/* the factors of a post expression are outside of the sum */
	if (precedence == PRECEDENCE_AGGREGATE)
		precedence = PRECEDENCE_SUM;
	print_kernel(&result, stage->post, &operand, &precedence, PRECEDENCE_COMPARISON);
	return result.data;
}

char *
stage_expression(const StagePlan *plan)
{
	return expression_of(NULL, plan);
}

char *
stage_statement(const CodegenContext *context, const Stage *stage)
{
	const Decomposition plain = promoting(0);

	return psprintf("%s = %s",
					indexed_notation(NULL, stage_relname(context, stage), stage->noutput,
									 stage->output, stage_label_names(stage), &plain),
					expression_of(context, &context->plan->stages[stage->number]));
}

/* Returns the indices of an operand, such as "[I,k]". */
static char *
operand_indices(const Stage *stage, const Operand *operand,
				const Decomposition *decomposition)
{
	char *notation = indexed_notation(NULL, "x", operand->rank, operand->labels,
									  stage_label_names(stage), decomposition);

	return notation + 1;
}

/* Does an operand's tensor have estimated instead of measured statistics? */
static bool
is_unmeasured(const Operand *operand)
{
	return operand->producer == NULL && !operand->statistics->exact;
}

/* Returns the bytes that the storage has of what is read of an operand, as estimated. */
static double
bytes_read(const ProgramPlan *plan, const Operand *operand, const OperandPlan *read)
{
	double cost;

	return bytes_to_read(operand, plan->graph->options->estimator, read->storage,
						 &read->to, 0, &cost);
}

/* Returns how a storage has its entries, such as "rows". */
static const char *
storage_format(const Storage *storage)
{
	if (layout_text(storage))
		return layout_text(storage);
	if (!storage_has_tensors(storage))
		return "rows";
	return storage->sparse_values ? "sparse values" : "values";
}

/* Returns " of sparse values" if the kept rows of a stage have these, or "". */
static const char *
format_of_kept(const ProgramPlan *plan, const Stage *stage)
{
	return stage_is_sparse(plan, stage) ? " of sparse values" : "";
}

/* Describes where an operand comes from, and its repartition. */
static char *
operand_description(const ProgramPlan *plan, const Stage *stage, const Operand *operand,
					const OperandPlan *read)
{
	StringInfoData text;

	initStringInfo(&text);
	if (operand->producer)
		appendStringInfo(&text, "stage %s", quote_identifier(operand->producer->name));
	else if (operand->tensor->identity)
		appendStringInfoString(&text, "built-in");
	else if (operand->tensor->is_state)
		appendStringInfoString(&text, "the state");
	else if (read->storage)
		appendStringInfo(&text, "%s %s",
						 get_rel_relkind(read->storage->relid) == RELKIND_VIEW ? "view"
																			   : "table",
						 quote_qualified_identifier(
							 get_namespace_name(get_rel_namespace(read->storage->relid)),
							 get_rel_name(read->storage->relid)));
	else
		appendStringInfoString(&text, "stored");
	if (read->storage && layout_text(read->storage))
		appendStringInfo(&text, " by layout %s", layout_text(read->storage));
	else if (read->storage && read->storage->sparse_values)
		appendStringInfo(&text, " of %s", storage_format(read->storage));
	appendStringInfo(&text, " as %s", operand_indices(stage, operand, &read->from));
	/* what another storage of the tensor would have read, too */
	if (read->storage && read->storage->citus)
		appendStringInfo(&text, ", gathered, %s",
						 memory_amount(bytes_read(plan, operand, read)));
	else if (read->storage && list_length(operand->tensor->entry->storages) > 1)
		appendStringInfo(&text, ", %s", memory_amount(bytes_read(plan, operand, read)));
	if (!same_decomposition(&read->from, &read->to))
	{
		Decomposition between =
			finer_decomposition(&read->from, &read->to, operand->rank);
		bool cuts = !same_decomposition(&between, &read->from);
		bool stacks = !same_decomposition(&between, &read->to);

		appendStringInfo(&text, ", repartitioned to %s by %s (cost=%.1f)",
						 operand_indices(stage, operand, &read->to),
						 cuts ? (stacks ? "unstack and stack" : "unstack") : "stack",
						 read->cost - read->duplicates);
	}
	if (read->storage && read->storage->duplicates == DUPLICATES_SUM)
		appendStringInfo(&text, ", duplicates summed%s (cost=%.1f)",
						 read->summed_later ? " with the result" : "", read->duplicates);
	if (is_unmeasured(operand))
		appendStringInfo(&text, ", not analyzed%s",
						 operand->statistics->outdated ? " since its size changed" : "");
	return text.data;
}

/* Appends advice that makes an operand's table faster to read. */
static void
append_advice(StringInfo out, const Storage *storage)
{
	char *advice = storage ? storage_advice(storage) : NULL;

	if (advice)
		appendStringInfo(out, "      faster to read: %s\n", advice);
}

char *
laws_of_stage(const ProgramPlan *plan, const Stage *stage)
{
	StringInfoData laws;
	ListCell *lc;

	initStringInfo(&laws);
	if (stage->statement == NULL || stage->side)
		return laws.data;
	foreach (lc, laws_of_statement(plan->graph, stage->statement))
		appendStringInfo(&laws, "%s%s", laws.len ? ", " : "", (char *) lfirst(lc));
	return laws.data;
}

bool
is_rewritten(const ProgramPlan *plan)
{
	ListCell *lc;

	foreach (lc, plan->graph->program->statements)
	{
		if (laws_of_statement(plan->graph, lfirst(lc)) != NIL)
			return true;
	}
	return false;
}

double *
stage_computations(const ProgramPlan *plan)
{
	const List *stages = plan->graph->stages;
	double *times = palloc0(sizeof(double) * list_length(stages));

	for (int s = list_length(stages) - 1; s >= 0; s--)
	{
		const Stage *stage = list_nth(stages, s);

		if (stage->side)
			continue;
		if (times[s] < 1.0 || plan->graph->options->loop || stage_is_table(plan, stage) ||
			stage_is_materialized(plan, stage))
			times[s] = 1.0;
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Stage *producer = stage->terms[t].operands[o].producer;

				if (producer)
					times[producer->number] += times[s];
			}
		}
	}
	return times;
}

/* Returns a number in JSON; null for infinities and NaN, which JSON lacks. */
static char *
json_number(double value)
{
	return isfinite(value) ? float8out_internal(value) : pstrdup("null");
}

/*
 * Returns how many keys of a stage a point query needs, by estimate: "1 key of i, 44 of
 * j".
 */
static char *
needed_keys_text(const Stage *stage, DimensionMask limited)
{
	char **columns = stage_columns(stage);
	StringInfoData text;

	initStringInfo(&text);
	for (int d = 0; d < stage->noutput; d++)
	{
		double keys = stage->needed ? stage->needed->count[stage->output[d]] : 0.0;

		if (!(limited & (1u << d)))
			continue;
		appendStringInfoString(&text, text.len ? ", " : "");
		if (stage->needed == NULL || !(stage->needed->labels & (1u << stage->output[d])))
			appendStringInfo(&text, "some keys of %s", columns[d]);
		else
			appendStringInfo(&text, "%.0f key%s of %s", keys,
							 rint(keys) == 1.0 ? "" : "s", columns[d]);
	}
	return text.data;
}

/*
 * Returns the estimated numbers of needed keys as members of a JSON object; null without
 * an estimate.
 */
static char *
needed_keys_json(const Stage *stage, DimensionMask limited)
{
	char **columns = stage_columns(stage);
	StringInfoData text;

	initStringInfo(&text);
	for (int d = 0; d < stage->noutput; d++)
	{
		bool known = stage->needed && (stage->needed->labels & (1u << stage->output[d]));

		if (!(limited & (1u << d)))
			continue;
		appendStringInfoString(&text, text.len ? ", " : "");
		escape_json(&text, columns[d]);
		appendStringInfo(&text, ": %s",
						 known ? json_number(stage->needed->count[stage->output[d]])
							   : "null");
	}
	return text.data;
}

/* Appends where the program aggregates over indices that have no rows. */
static void
missing_text(StringInfo out, const ProgramPlan *plan)
{
	ListCell *lc;

	foreach (lc, missing_indices(plan->graph->program))
	{
		const MissingIndices *missing = lfirst(lc);

		appendStringInfo(
			out, "  %s of %s counts all of %s: %.0f indices, %.0f with rows\n",
			missing->aggregate, quote_identifier(missing->tensor),
			quote_identifier(missing->label), missing->indices, missing->with_rows);
	}
}

/* Appends what refreshing a stage's table will cost. */
static void
refreshes_text(StringInfo out, const List *refreshes)
{
	ListCell *lc;

	foreach (lc, refreshes)
	{
		const StageRefresh *refresh = lfirst(lc);

		appendStringInfo(out, "    %.0f rows of %s:", refresh->changed,
						 quote_identifier(refresh->table));
		if (refresh->how)
			appendStringInfo(out, " %s (cost=%.1f rows=%.0f)", refresh->how,
							 refresh->cost, refresh->rows);
		if (refresh->why)
			appendStringInfo(out, "%s%s", refresh->how ? "; " : " ", refresh->why);
		appendStringInfoChar(out, '\n');
	}
}

void
explain_text(StringInfo out, const ProgramPlan *plan, int number,
			 const StageCounts *counts, List *const *refreshes)
{
	const DimensionMask *limited =
		plan->graph->options->nat > 0 ? point_dimensions(plan) : NULL;
	const double *times = stage_computations(plan);
	const Rounds *rounds = plan_rounds(plan);
	ListCell *lc;

	appendStringInfo(out, "Plan %d  (cost=%.1f us%s)\n", number, plan->cost,
					 plan->heuristic ? ", heuristic" : "");
	if (rounds)
		appendStringInfo(
			out, "Before the first round: cost=%.1f us; each round: cost=%.1f us\n",
			rounds->once, rounds->each);
	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		const StagePlan *chosen = &plan->stages[stage->number];
		const char *laws;
		double memory;

		CHECK_FOR_INTERRUPTS();
		appendStringInfo(out, "  %s = %s  (cost=%.1f tuples=%.0f bytes=%.0f",
						 stage_notation(chosen), stage_expression(chosen),
						 chosen->cost.total, chosen->tuples, chosen->bytes);
		if (counts)
			appendStringInfo(out, " entries=%.0f", stage->estimate.entries);
		if (stage->side)
			appendStringInfoString(out, ", absorbed where it is read");
		else if (stage_is_table(plan, stage))
			appendStringInfo(out, ", table%s", format_of_kept(plan, stage));
		else if (stage_is_materialized(plan, stage))
			appendStringInfo(out, ", materialized%s", format_of_kept(plan, stage));
		else if (stage_in_rounds(rounds, stage))
			appendStringInfo(out, ", %s", stage_in_rounds(rounds, stage));
		else if (times[stage->number] > 1.0)
			appendStringInfo(out, ", computed %.0f times", times[stage->number]);
		laws = laws_of_stage(plan, stage);
		if (*laws)
			appendStringInfo(out, "; %s", laws);
		appendStringInfoChar(out, ')');
		if (counts && counts[stage->number].known)
			appendStringInfo(out, " (actual tuples=%.0f entries=%.0f)",
							 counts[stage->number].tuples, counts[stage->number].entries);
		appendStringInfoChar(out, '\n');
		if (limited && !stage->side)
			appendStringInfo(out, "    needed at %s\n",
							 limited[stage->number]
								 ? needed_keys_text(stage, limited[stage->number])
								 : "all keys");
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Operand *operand = &stage->terms[t].operands[o];

				if (operand_of_row(&stage->terms[t], o, &chosen->choice) != o)
				{
					appendStringInfo(out, "    %s: the same row\n",
									 quote_identifier(operand_name(operand)));
					continue;
				}
				appendStringInfo(
					out, "    %s: %s%s\n", quote_identifier(operand_name(operand)),
					operand_description(plan, stage, operand, &chosen->operands[t][o]),
					repartition_is_once(rounds, stage, operand, &chosen->operands[t][o])
						? ", before the first round"
						: "");
				append_advice(out, chosen->operands[t][o].storage);
			}
		}
		if (!same_decomposition(&chosen->natural, &chosen->shape))
			appendStringInfo(out, "    result repartitioned from %s (cost=%.1f)\n",
							 indexed_notation(NULL, stage->name, stage->noutput,
											  stage->output, stage_label_names(stage),
											  &chosen->natural),
							 chosen->repartition);
		if (chosen->cost.extended > 0.0)
			appendStringInfo(out,
							 "    extended to %.0f tuples by estimate, more than "
							 "sparseeinsum.max_dense_tuples\n",
							 chosen->cost.extended);
		memory = stage_memory(plan, stage);
		if (memory > 0.0)
			appendStringInfo(out, "    needs %s; work_mem is %s\n", memory_amount(memory),
							 memory_amount(work_mem * 1024.0));
		if (refreshes)
			refreshes_text(out, refreshes[stage->number]);
	}
	missing_text(out, plan);
}

static void
json_member(StringInfo out, const char *name, const char *value)
{
	escape_json(out, name);
	appendStringInfoString(out, ": ");
	escape_json(out, value);
}

/* Appends the first keys of labels, if they do not all count from 0. */
static void
append_first_keys(StringInfo out, const Stage *stage)
{
	bool any = false;

	for (int d = 0; d < stage->noutput; d++)
		any = any || bound_has_origin(stage->labels[stage->output[d]].bound);
	if (!any)
		return;
	appendStringInfoString(out, "\"firsts\": [");
	for (int d = 0; d < stage->noutput; d++)
		appendStringInfo(out, "%s" INT64_FORMAT, d ? ", " : "",
						 bound_first(stage->labels[stage->output[d]].bound));
	appendStringInfoString(out, "], ");
}

/*
 * Appends the last statement's result as clients need it: name, labels, bounds (null:
 * open), first keys, element type, and fill, a string since it may be infinite.
 */
static void
json_result(StringInfo out, const Stage *stage)
{
	char **columns = stage_columns(stage);

	json_member(out, "name", stage->name);
	appendStringInfoString(out, ", ");
	appendStringInfoString(out, "\"labels\": [");
	for (int d = 0; d < stage->noutput; d++)
	{
		appendStringInfoString(out, d ? ", " : "");
		escape_json(out, columns[d]);
	}
	appendStringInfoString(out, "], \"bounds\": [");
	for (int d = 0; d < stage->noutput; d++)
		appendStringInfo(out, "%s%s", d ? ", " : "",
						 json_number(bound_is_open(stage->labels[stage->output[d]].bound)
										 ? INFINITY
										 : stage->bounds[stage->output[d]]));
	appendStringInfoString(out, "], ");
	append_first_keys(out, stage);
	json_member(out, "type", element_type_name(stage->tensor->type));
	appendStringInfoString(out, ", ");
	json_member(out, "fill", number_to_string(stage->tensor->fill));
}

/*
 * Appends the aggregates over indices without rows as a member of a JSON object, if there
 * are any.
 */
static void
missing_json(StringInfo out, const ProgramPlan *plan)
{
	const List *all = missing_indices(plan->graph->program);
	ListCell *lc;

	if (all == NIL)
		return;
	appendStringInfoString(out, ", \"missing\": [");
	foreach (lc, all)
	{
		const MissingIndices *missing = lfirst(lc);

		appendStringInfoString(out, foreach_current_index(lc) > 0 ? ", {" : "{");
		json_member(out, "tensor", missing->tensor);
		appendStringInfoString(out, ", ");
		json_member(out, "aggregate", missing->aggregate);
		appendStringInfoString(out, ", ");
		json_member(out, "label", missing->label);
		appendStringInfo(out, ", \"indices\": %.0f, \"with_rows\": %.0f}",
						 missing->indices, missing->with_rows);
	}
	appendStringInfoChar(out, ']');
}

/* Appends what refreshing a stage's table will cost, as a member of a JSON object. */
static void
refreshes_json(StringInfo out, const List *refreshes)
{
	ListCell *lc;

	appendStringInfoString(out, ", \"refreshes\": [");
	foreach (lc, refreshes)
	{
		const StageRefresh *refresh = lfirst(lc);

		appendStringInfoString(out, foreach_current_index(lc) > 0 ? ", {" : "{");
		json_member(out, "table", refresh->table);
		appendStringInfo(out, ", \"changed\": %.0f", refresh->changed);
		if (refresh->how)
		{
			appendStringInfoString(out, ", ");
			json_member(out, "how", refresh->how);
			appendStringInfo(out, ", \"cost\": %s, \"rows\": %s",
							 json_number(refresh->cost), json_number(refresh->rows));
		}
		if (refresh->why)
		{
			appendStringInfoString(out, ", ");
			json_member(out, "why", refresh->why);
		}
		appendStringInfoChar(out, '}');
	}
	appendStringInfoChar(out, ']');
}

void
explain_json(StringInfo out, const ProgramPlan *plan, const StageCounts *counts,
			 List *const *refreshes)
{
	const DimensionMask *limited =
		plan->graph->options->nat > 0 ? point_dimensions(plan) : NULL;
	const double *times = stage_computations(plan);
	const Rounds *rounds = plan_rounds(plan);
	bool first_stage = true;
	ListCell *lc;

	appendStringInfo(out, "{\"cost\": %s, \"heuristic\": %s, \"result\": {",
					 json_number(plan->cost), plan->heuristic ? "true" : "false");
	json_result(out, plan->graph->last);
	appendStringInfoString(out, "}, ");
	if (rounds)
		appendStringInfo(out, "\"before\": %s, \"round\": %s, ",
						 json_number(rounds->once), json_number(rounds->each));
	appendStringInfoString(out, "\"stages\": [");
	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		const StagePlan *chosen = &plan->stages[stage->number];
		const char *laws;
		double memory;
		bool first_operand = true;

		CHECK_FOR_INTERRUPTS();
		appendStringInfoString(out, first_stage ? "{" : ", {");
		first_stage = false;
		json_member(out, "name", stage->name);
		appendStringInfoString(out, ", ");
		json_member(out, "notation", stage_notation(chosen));
		appendStringInfoString(out, ", ");
		json_member(out, "definition", stage_expression(chosen));
		appendStringInfo(out,
						 ", \"cost\": %s, \"tuples\": %s, \"bytes\": %s, \"uses\": %s",
						 json_number(chosen->cost.total), json_number(chosen->tuples),
						 json_number(chosen->bytes), json_number(times[stage->number]));
		if (stage_is_table(plan, stage))
			appendStringInfoString(out, ", \"table\": true");
		else if (stage_is_materialized(plan, stage))
			appendStringInfoString(out, ", \"materialized\": true");
		else if (stage_in_rounds(rounds, stage))
		{
			appendStringInfoString(out, ", ");
			json_member(out, "computed", stage_in_rounds(rounds, stage));
		}
		if ((stage_is_table(plan, stage) || stage_is_materialized(plan, stage)) &&
			stage_is_sparse(plan, stage))
			appendStringInfoString(out, ", \"format\": \"sparse values\"");
		if (chosen->cost.nest)
			appendStringInfoString(out, ", \"nest\": true");
		laws = laws_of_stage(plan, stage);
		if (*laws)
		{
			appendStringInfoString(out, ", ");
			json_member(out, "laws", laws);
		}
		if (chosen->cost.extended > 0.0)
			appendStringInfo(out, ", \"extended\": %s",
							 json_number(chosen->cost.extended));
		memory = stage_memory(plan, stage);
		if (memory > 0.0)
			appendStringInfo(out, ", \"memory\": %s", json_number(memory));
		if (limited && !stage->side)
			appendStringInfo(out, ", \"keys\": {%s}",
							 needed_keys_json(stage, limited[stage->number]));
		if (counts)
			appendStringInfo(out, ", \"entries\": %s",
							 json_number(stage->estimate.entries));
		if (counts && counts[stage->number].known)
			appendStringInfo(out, ", \"actual_tuples\": %.0f, \"actual_entries\": %.0f",
							 counts[stage->number].tuples, counts[stage->number].entries);
		if (refreshes && refreshes[stage->number])
			refreshes_json(out, refreshes[stage->number]);
		appendStringInfoString(out, ", \"operands\": [");
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Operand *operand = &stage->terms[t].operands[o];
				const OperandPlan *read = &chosen->operands[t][o];

				appendStringInfoString(out, first_operand ? "{" : ", {");
				first_operand = false;
				json_member(out, "tensor", operand_name(operand));
				appendStringInfoString(out, ", ");
				json_member(out, "stored", operand_indices(stage, operand, &read->from));
				appendStringInfoString(out, ", ");
				json_member(out, "needed", operand_indices(stage, operand, &read->to));
				if (read->storage && OidIsValid(read->storage->relid))
				{
					appendStringInfoString(out, ", ");
					json_member(out, "relation",
								qualified_relation_name(read->storage->relid));
					appendStringInfoString(out, ", ");
					json_member(out, "format", storage_format(read->storage));
					appendStringInfo(out, ", \"bytes\": %s",
									 json_number(rint(bytes_read(plan, operand, read))));
					if (read->storage->citus)
						appendStringInfoString(out, ", \"gathered\": true");
				}
				appendStringInfo(out, ", \"repartition_cost\": %s",
								 json_number(read->cost - read->duplicates));
				if (read->storage && read->storage->duplicates == DUPLICATES_SUM)
					appendStringInfo(out, ", \"duplicates_cost\": %s",
									 json_number(read->duplicates));
				appendStringInfo(out, "%s%s%s}",
								 repartition_is_once(rounds, stage, operand, read)
									 ? ", \"repartition\": \"before the first round\""
									 : "",
								 is_unmeasured(operand) ? ", \"analyzed\": false" : "",
								 operand_of_row(&stage->terms[t], o, &chosen->choice) != o
									 ? ", \"same_row\": true"
									 : "");
			}
		}
		appendStringInfoString(out, "]}");
	}
	appendStringInfoChar(out, ']');
	missing_json(out, plan);
	appendStringInfoChar(out, '}');
}

/*
 * Appends the line of a stage. If a result is computed in blocks but delivered by index,
 * the left side has the blocks: a label is written in one way throughout a statement.
 */
static void
program_line(StringInfo out, const ProgramPlan *plan, const Stage *stage)
{
	const StagePlan *chosen = &plan->stages[stage->number];
	const Decomposition *left = chosen->natural.blocked & chosen->shape.promoted
									? &chosen->natural
									: &chosen->shape;

	appendStringInfo(out, "%s = %s",
					 indexed_notation(stage->schema, stage->name, stage->noutput,
									  stage->output, stage_label_names(stage), left),
					 stage_expression(chosen));
}

/*
 * Returns the least cost of computing a stage once, without that of the stages it reads.
 */
static double
stage_bound(const ProgramPlan *plan, const Stage *stage)
{
	return stage_assignments(plan->graph, unconstify(Stage *, stage))->least;
}

/* Appends a form of the program, in its cheapest plan. */
static void
explain_form(StringInfo out, const ProgramPlan *plan, int number)
{
	double bound = 0.0;
	ListCell *lc;

	foreach (lc, plan->graph->stages)
	{
		if (!((const Stage *) lfirst(lc))->side)
			bound += stage_bound(plan, lfirst(lc));
	}
	appendStringInfo(out, "Form %d  (bound=%.1f cost=%.1f us)\n", number, bound,
					 plan->cost);
	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		const char *laws = laws_of_stage(plan, stage);

		CHECK_FOR_INTERRUPTS();
		if (stage->side)
			continue;
		appendStringInfoString(out, "  ");
		program_line(out, plan, stage);
		appendStringInfo(out, "  (bound=%.1f cost=%.1f%s%s)\n", stage_bound(plan, stage),
						 own_cost(&plan->stages[stage->number]), *laws ? "; " : "", laws);
	}
}

void
explain_forms(StringInfo out, const List *plans)
{
	List *graphs = NIL;
	ListCell *lc;

	foreach (lc, plans)
	{
		const ProgramPlan *plan = lfirst(lc);

		if (list_member_ptr(graphs, plan->graph))
			continue;
		graphs = lappend(graphs, plan->graph);
		explain_form(out, plan, list_length(graphs));
	}
}

/*
 * The last statement is the program's value, so it is printed last. Absorbed statements
 * that follow it in the graph are left out if they share its result: nothing that runs
 * reads them.
 */
void
explain_program(StringInfo out, const ProgramPlan *plan)
{
	const Stage *last = plan->graph->last;
	bool *after = palloc0(sizeof(bool) * list_length(plan->graph->stages));
	ListCell *lc;

	after[last->number] = true;
	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Stage *producer = stage->terms[t].operands[o].producer;

				if (producer && after[producer->number])
					after[stage->number] = true;
			}
		}
		if (!after[stage->number])
		{
			program_line(out, plan, stage);
			appendStringInfoString(out, ";\n");
		}
	}
	program_line(out, plan, last);
	appendStringInfoString(out, ";\n");
}

void
explain_sql(StringInfo out, const ProgramPlan *plan, const char *schema)
{
	CodegenContext *context = codegen_context(plan, schema);
	MemoryContext memory = AllocSetContextCreate(
		CurrentMemoryContext, "statements of a stage", ALLOCSET_DEFAULT_SIZES);
	ListCell *lc;

	show_results(context);
	foreach (lc, plan->graph->stages)
	{
		MemoryContext old = MemoryContextSwitchTo(memory);
		List *statements = create_statements(context, lfirst(lc));
		ListCell *statement;

		MemoryContextSwitchTo(old);
		CHECK_FOR_INTERRUPTS();
		foreach (statement, statements)
			appendStringInfo(out, "%s;\n", (char *) lfirst(statement));
		MemoryContextReset(memory);
	}
	MemoryContextDelete(memory);
}
