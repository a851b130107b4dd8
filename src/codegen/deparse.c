/*-------------------------------------------------------------------------
 *
 * deparse.c
 *	  Writes stages as SELECT statements.
 *
 * A join stage is one SELECT over a flat FROM list: operands that decide the support are
 * joined, the others are left joined with their fill where they are absent. A union is
 * the sum over UNION ALL of its terms. An operand that a stage needs in another
 * decomposition is a subquery in the FROM list (repartition.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/dimension.h"
#include "catalog/origin.h"
#include "catalog/range_storage.h"
#include "catalog/tensor_storage.h"
#include "codegen/deparse.h"
#include "codegen/gather.h"
#include "codegen/kernel_sql.h"
#include "codegen/materialize.h"
#include "codegen/point.h"
#include "codegen/shifted.h"
#include "codegen/value_shape.h"
#include "expr/analysis.h"
#include "expr/function_table.h"
#include "optimizer/join_cost.h"
#include "optimizer/materialize.h"
#include "optimizer/settings.h"
#include "recursion.h"
#include "type/extension.h"
#include "type/tensor.h"

/* State while the SELECT of one term is written. */
typedef struct TermContext
{
	const CodegenContext *context;
	const Stage *stage;
	const Term *term;
	const Decomposition *choice;
	int rows[STAGE_NEST_OPERANDS]; /* by operand: operand_of_row() */
	/*
	 * by operand: the same source for operands of one tensor and row; other tensors of
	 * that row have sources with the same from
	 */
	Source *sources[STAGE_NEST_OPERANDS];
	List *aliases; /* aliases in the FROM list */
	char *operand_aliases[STAGE_NEST_OPERANDS];
	char *values[TERM_MAX_VALUES];
	char *label_keys[STAGE_MAX_LABELS]; /* SQL of each label that has a key */
	/* labels that are compared with a given key already */
	LabelMask limited;
	bool aggregate; /* the SELECT aggregates its rows */
	char *weight;   /* for how many entries a row of it stands; NULL: for one */
} TermContext;

/* Returns a value over some labels of a stage whose entries are all one number. */
static char *
constant_of_labels(const CodegenContext *context, const Stage *stage, int rank,
				   const int *labels, const Decomposition *choice, char *const *keys,
				   ElementType type, Number constant)
{
	ValueShape shape = {0};

	for (int i = 0; i < rank; i++)
		add_extent(context, &shape, choice, labels[i], stage->labels[labels[i]].bound,
				   keys ? keys[labels[i]] : NULL);
	return constant_value(context, type, constant, &shape);
}

/* Returns a result without keys whose entries are all one number. */
static char *
constant_output(const CodegenContext *context, const Stage *stage,
				const Decomposition *choice, ElementType type, Number constant)
{
	return constant_of_labels(context, stage, stage->noutput, stage->output, choice, NULL,
							  type, constant);
}

/*
 * Does a stage that is by row (stage_is_by_row) compute its values from tensors? Then its
 * view is no more than names for expressions, which readers would compute again.
 */
static bool
computes_by_row(const StagePlan *plan)
{
	const Term *term = &plan->stage->terms[0];

	return stage_is_by_row(plan->stage, keys_of(&plan->choice)) &&
		   same_decomposition(&plan->natural, &plan->shape) &&
		   keys_of(&plan->shape) != 0 &&
		   (term->nsums > 0 ||
			kernel_demoted(term, term->kernel, plan->choice.promoted) != 0);
}

/* Can the join repeat rows of this operand, which decides the support? */
static bool
join_repeats(const TermContext *term_context, int operand)
{
	const Term *term = term_context->term;
	LabelMask labels = term->extension;

	for (int o = 0; o < term->noperands; o++)
	{
		if (!term->operands[o].outer)
			labels |= term->operands[o].mask;
	}
	return (labels & ~term->operands[operand].mask & keys_of(term_context->choice)) != 0;
}

/* Returns the dimensions of an operand whose label an earlier dimension has, too. */
static DimensionMask
repeated_dimensions(const Operand *operand)
{
	DimensionMask repeated = 0;

	for (int i = 0; i < operand->rank; i++)
	{
		for (int j = 0; j < i; j++)
		{
			if (operand->labels[j] == operand->labels[i])
				repeated |= 1u << i;
		}
	}
	return repeated;
}

static const char *given_key(const TermContext *term_context, int label);

/* Returns the type of an operand's keys of a dimension. */
static Oid
type_of_key(const TermContext *term_context, int o, int d)
{
	const Operand *operand = &term_context->term->operands[o];
	const ProgramPlan *plan = term_context->context->plan;
	const Stage *stage = term_context->stage;
	const OperandPlan *read =
		&plan->stages[stage->number].operands[term_context->term - stage->terms][o];

	if (operand->producer)
		return getBaseType(
			stage_key_type(plan, operand->producer, operand->producer->output[d]));
	/* keys that are made of values or blocks are not looked up */
	if (read->storage && read->storage->dimensions[d].kind != DIMENSION_PROMOTED)
		return InvalidOid;
	if (read->storage)
		return getBaseType(read->storage->dimensions[d].key_type);
	/* the identity matrix */
	if (bound_is_dimension(operand->tensor->bounds[0]))
		return getBaseType(dimension_key_type(operand->tensor->bounds[0]));
	return bound_key_type(operand->tensor->bounds[0]);
}

/* Can a range of keys of one type be asked whether a key of another type is in it? */
static bool
looked_up_as(Oid type, Oid in_range)
{
	return type == in_range || (is_integer_type(type) && is_integer_type(in_range) &&
								get_typlen(type) <= get_typlen(in_range));
}

/*
 * Is the key of a label looked up in the ranges of an operand, as a point query or other
 * operands give it? Operands that have ranges themselves do if they come before.
 */
static bool
is_looked_up(const TermContext *term_context, int o, int label, Oid in_range)
{
	const Term *term = term_context->term;
	const Stage *stage = term_context->stage;
	const ProgramPlan *plan = term_context->context->plan;
	const char *given = given_key(term_context, label);
	bool found = false;

	if (given && looked_up_as(getBaseType(parameter_type(plan, given)), in_range))
		return true;
	if (!looks_up_in_ranges(term, o, label))
		return false;
	for (int other = 0; other < term->noperands; other++)
	{
		const Operand *operand = &term->operands[other];
		const OperandPlan *read =
			&plan->stages[stage->number].operands[term - stage->terms][other];

		if (other == o || operand->outer || term_context->rows[other] != other)
			continue;
		for (int d = 0; d < operand->rank; d++)
		{
			if (operand->labels[d] != label)
				continue;
			if (!looked_up_as(type_of_key(term_context, other, d), in_range))
				return false;
			if (read->storage && OidIsValid(read->storage->dimensions[d].range_type) &&
				other > o)
				continue;
			found = true;
		}
	}
	return found;
}

/*
 * Returns the dimensions of an operand whose ranges are read as they are, and keys looked
 * up in them.
 */
static DimensionMask
contained_dimensions(const TermContext *term_context, int o, const OperandPlan *plan,
					 const OperandLimit *limit)
{
	const Operand *operand = &term_context->term->operands[o];
	const Storage *storage = plan->storage;
	DimensionMask contained = 0;

	if (!has_ranges(storage) || storage->shift || term_context->stage->shift ||
		term_context->context->round || term_context->term->union_of ||
		!same_decomposition(&plan->from, &plan->to) ||
		(storage->duplicates == DUPLICATES_SUM && !plan->summed_later))
		return 0;
	for (int d = 0; d < operand->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		/* of a key in a range that is in no dimension there is an error */
		if (OidIsValid(dimension->range_type) && !bound_is_dimension(dimension->bound) &&
			!(limit && (limit->dimensions & (1u << d))) &&
			is_looked_up(term_context, o, operand->labels[d],
						 getBaseType(dimension->key_type)))
			contained |= 1u << d;
	}
	return contained;
}

/*
 * Returns the dimensions of an operand of whose ranges the lengths are read, as
 * measured_dimensions allows.
 */
static DimensionMask
lengths_read(const TermContext *term_context, int o, const OperandPlan *plan,
			 const OperandLimit *limit)
{
	if (!term_context->aggregate || term_context->stage->shift ||
		term_context->context->round || !same_decomposition(&plan->from, &plan->to) ||
		(plan->storage->duplicates == DUPLICATES_SUM && !plan->summed_later))
		return 0;
	return measured_dimensions(term_context->stage, term_context->term, o, plan->storage,
							   term_context->choice) &
		   ~(limit ? limit->dimensions : 0);
}

/*
 * Is an operand read inside the scalar subquery that a stage without keys is
 * (deparse_stage)? In a loop, which keeps the rows of scalar subqueries, it is not.
 */
static bool
read_in_scalar_subquery(const TermContext *term_context, int o, const OperandPlan *plan)
{
	const CodegenContext *context = term_context->context;
	const Stage *stage = term_context->stage;

	return context->round == NULL && stage->nterms == 1 && !stage->shift &&
		   term_context->term->union_of == 0 && !term_context->term->operands[o].outer &&
		   keys_of(&context->plan->stages[stage->number].natural) == 0 &&
		   stage_is_by_row(stage, keys_of(term_context->choice)) &&
		   same_decomposition(&plan->from, &plan->to);
}

/* Returns a SELECT of a source with its columns under these names. */
static char *
renamed_select(const Source *source, int rank, char *const *columns)
{
	const char *alias = source_alias(source);
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	for (int i = 0; i < rank; i++)
	{
		if (keys_of(&source->decomposition) & (1u << i))
			appendStringInfo(&query, "%s.%s AS %s, ", alias, source->keys[i],
							 quote_identifier(columns[i]));
	}
	appendStringInfo(&query, "%s AS value FROM %s AS %s", source_value(source, alias),
					 source->from, alias);
	return query.data;
}

/* Reads a table of Citus before the rounds of a loop. */
static Source *
source_before_rounds(const CodegenContext *context, const Storage *storage,
					 const StoredRead *read)
{
	CodegenContext before = *context;
	char **names = dimension_names(storage->rank);
	Source *source;
	Source *result;
	List *conditions;

	before.round = NULL;
	before.gathering = new_gathering();
	source = stored_source(&before, storage, read);
	conditions = source->one_row ? source->conditions : NIL;
	result = query_source(
		with_gathered(&before, renamed_select(filtered_source(source, storage->rank),
											  storage->rank, names)),
		source->tensor, storage->rank, names, &source->decomposition);
	result->conditions = conditions;
	result->one_row = source->one_row;
	return result;
}

static Source *
stored_operand(const TermContext *term_context, int o)
{
	const CodegenContext *context = term_context->context;
	const Stage *stage = term_context->stage;
	const Term *term = term_context->term;
	const OperandPlan *plan =
		&context->plan->stages[stage->number].operands[term - stage->terms][o];
	StoredRead read = {.compared = repeated_dimensions(&term->operands[o]),
					   .linear = plan->summed_later,
					   .scalar = read_in_scalar_subquery(term_context, o, plan)};

	if (context->limits)
	{
		const OperandLimit *limit =
			&context->limits[stage->number].operands[term - stage->terms][o];

		read.limit = limit->dimensions ? limit : NULL;
	}
	read.measured = lengths_read(term_context, o, plan, read.limit);
	read.contained =
		contained_dimensions(term_context, o, plan, read.limit) & ~read.measured;
	return context->round && plan->storage->citus
			   ? source_before_rounds(context, plan->storage, &read)
			   : stored_source(context, plan->storage, &read);
}

/*
 * Returns the source of an operand that reads the same row as another operand, whose
 * source is prepared.
 */
static Source *
source_of_row(const TermContext *term_context, int o)
{
	const Operand *operands = term_context->term->operands;
	int row = term_context->rows[o];
	Source *source;

	if (operands[row].tensor == operands[o].tensor)
		return term_context->sources[row];
	/* another tensor in the same relation: it reads columns of the first one's row */
	for (int other = row + 1; other < o; other++)
	{
		if (term_context->rows[other] == row &&
			operands[other].tensor == operands[o].tensor)
			return term_context->sources[other];
	}
	source = stored_operand(term_context, o);
	if (strcmp(source->from, term_context->sources[row]->from) != 0)
		elog(ERROR, "tensors \"%s\" and \"%s\" are not read from one relation",
			 operands[o].tensor->name, operands[row].tensor->name);
	return source;
}

/*
 * Returns the operand in the decomposition needed. In a round of a loop it may have been
 * brought there once, before the first round; what is gathered always has.
 */
static Source *
source_needed(const TermContext *term_context, const Operand *operand,
			  const OperandPlan *read, Source *source)
{
	const RoundSources *round = term_context->context->round;
	const ProgramTensor *tensor = operand->tensor;
	bool once =
		round && ((read->storage && read->storage->citus) ||
				  repartition_is_once(round->rounds, term_context->stage, operand, read));
	List *conditions = NIL;
	char **names;
	char *query;

	source = repartitioned_source(term_context->context, source, tensor, &read->to);
	if (!once)
		return source;
	/* the one row of a tensor without keys may have no value */
	conditions = source->one_row ? source->conditions : NIL;
	names = dimension_names(tensor->rank);
	query = renamed_select(source, tensor->rank, names);
	source = rows_source(
		round->computed_once(round->context, source->tensor, tensor, &read->to, query),
		source->tensor, tensor->rank, names, &read->to);
	source->conditions = conditions;
	return source;
}

/* Finds the operands' relations and brings each into the decomposition needed. */
static void
prepare_sources(TermContext *term_context)
{
	const CodegenContext *context = term_context->context;
	const Stage *stage = term_context->stage;
	const Term *term = term_context->term;
	const StagePlan *plan = &context->plan->stages[stage->number];

	for (int o = 0; o < term->noperands; o++)
		term_context->rows[o] = operand_of_row(term, o, term_context->choice);
	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		const OperandPlan *read = &plan->operands[term - stage->terms][o];
		Source *source;

		if (term_context->rows[o] != o)
			continue;
		if (operand->producer)
		{
			source = stage_source(context, operand->producer);
			if (!operand->outer && same_decomposition(&read->from, &read->to) &&
				!stage_is_table(context->plan, operand->producer) &&
				computes_by_row(&context->plan->stages[operand->producer->number]) &&
				join_repeats(term_context, o))
				source = computed_source(context, source, operand->rank);
		}
		else if (operand->tensor->identity)
			source = identity_source(context, operand->tensor->bounds[0]);
		else if (read->storage)
			source = stored_operand(term_context, o);
		else
			ereport(
				ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("tensor \"%s\" is not stored as the plan assumes",
						operand->tensor->name),
				 errdetail("With inputs => 'any' a plan may choose how its inputs are "
						   "stored, but this one is to be run."),
				 errhint("Store the tensor as einsum_plan shows it, with "
						 "einsum_store(), or use inputs => 'as_stored'.")));
		source = source_needed(term_context, operand, read, source);
		if (stage->shift)
			source = shifted_result(context, stage, source);
		if (operand->outer)
			source = filtered_source(source, operand->rank);
		term_context->sources[o] = source;
		term_context->operand_aliases[o] =
			new_alias(&term_context->aliases, source->tensor);
	}
	for (int o = 0; o < term->noperands; o++)
	{
		if (term_context->rows[o] == o)
			continue;
		term_context->sources[o] = source_of_row(term_context, o);
		term_context->operand_aliases[o] =
			term_context->operand_aliases[term_context->rows[o]];
	}
}

/* Writes the operands' values, once the keys of labels are known. */
static void
prepare_values(TermContext *term_context)
{
	for (int o = 0; o < term_context->term->noperands; o++)
	{
		const Operand *operand = &term_context->term->operands[o];
		const Operand *joined = &term_context->term->operands[term_context->rows[o]];
		char *value =
			source_value(term_context->sources[o], term_context->operand_aliases[o]);

		if (operand->outer && joined->outer)
			value = psprintf("COALESCE(%s, %s)", value,
							 constant_of_labels(term_context->context,
												term_context->stage, operand->rank,
												operand->labels, term_context->choice,
												term_context->label_keys,
												operand->tensor->type, operand->fill));
		term_context->values[o] = value;
	}
	for (int n = 0; n < term_context->term->nsums; n++)
		term_context->values[term_context->term->noperands + n] =
			kernel_sum_sql(term_context->context, term_context->stage, term_context->term,
						   n, term_context->choice, term_context->values);
}

static void
add_condition(StringInfo conditions, const char *condition)
{
	appendStringInfo(conditions, "%s%s", conditions->len ? " AND " : "", condition);
}

/* Returns the condition that a key, of a type that may have to be cast, is in a range. */
static char *
is_contained(const char *key, const char *range, Oid type)
{
	return psprintf("CAST(%s AS %s) OPERATOR(pg_catalog.<@) %s", key,
					format_type_be_qualified(type), range);
}

static char *
equality(const char *left, const char *right)
{
	return psprintf("%s OPERATOR(pg_catalog.=) %s", left, right);
}

/*
 * Returns the condition that a key is the given one. It is no plain equality: from that
 * PostgreSQL would conclude that all keys equal to this one are constant, and then scan a
 * CTE that is joined by such a key for each row.
 */
static char *
is_given(const char *key, const char *parameter)
{
	return psprintf("%s OPERATOR(pg_catalog.=) ANY (ARRAY[%s])", key, parameter);
}

/*
 * Returns the only key of a label that a point query needs; NULL if there may be several.
 */
static const char *
given_key(const TermContext *term_context, int label)
{
	const Stage *stage = term_context->stage;
	const KeyLimit *limits = term_context->context->limits;

	for (int d = 0; limits && d < stage->noutput; d++)
	{
		if (stage->output[d] == label)
			return limits[stage->number].parameters[d];
	}
	return NULL;
}

/*
 * Gives labels the keys of joined operands, in this order, before conditions look them up
 * in ranges.
 */
static void
set_label_keys(TermContext *term_context, const int *order, int n)
{
	for (int i = 0; i < n; i++)
	{
		const Operand *operand = &term_context->term->operands[order[i]];
		const Source *source = term_context->sources[order[i]];

		for (int d = 0; d < operand->rank; d++)
		{
			char **known = &term_context->label_keys[operand->labels[d]];

			if (*known == NULL && source->keys[d] &&
				!((source->contained | source->measured) & (1u << d)) &&
				(keys_of(term_context->choice) & (1u << operand->labels[d])))
				*known = psprintf("%s.%s", term_context->operand_aliases[order[i]],
								  source->keys[d]);
		}
	}
}

/*
 * Returns the key of a label that is looked up in a range: the one that a point query
 * gives, or that of another operand.
 */
static const char *
key_to_look_up(TermContext *term_context, int label)
{
	const char *given = given_key(term_context, label);

	if (given && term_context->label_keys[label] == NULL)
	{
		term_context->label_keys[label] = pstrdup(given);
		term_context->limited |= 1u << label;
	}
	return given ? given : term_context->label_keys[label];
}

/*
 * Returns the join conditions of an operand: its keys equal those that its labels have
 * already. An operand that decides the support gives its keys to new labels.
 */
static char *
join_conditions(TermContext *term_context, int o)
{
	const Operand *operand = &term_context->term->operands[o];
	const Source *source = term_context->sources[o];
	char *alias = term_context->operand_aliases[o];
	char *filter;
	StringInfoData conditions;

	initStringInfo(&conditions);
	for (int i = 0; i < operand->rank; i++)
	{
		char **known = &term_context->label_keys[operand->labels[i]];
		char *key;

		if (!(keys_of(term_context->choice) & (1u << operand->labels[i])))
			continue;
		key = psprintf("%s.%s", alias, source->keys[i]);
		if (source->measured & (1u << i))
		{
			term_context->weight =
				term_context->weight
					? psprintf("%s(%s, %s)", extension_function("scalar_multiply"),
							   term_context->weight, key)
					: key;
			continue;
		}
		if (source->contained & (1u << i))
		{
			const char *looked_up = key_to_look_up(term_context, operand->labels[i]);
			int64 bound = operand->tensor->bounds[i];

			add_condition(&conditions,
						  is_contained(looked_up, key, type_of_key(term_context, o, i)));
			/* an end without limit is that of the label; other operands keep to it */
			if (given_key(term_context, operand->labels[i]) && !bound_is_open(bound))
				add_condition(&conditions, between_keys_sql(looked_up, bound_first(bound),
															bound_end(bound) - 1, bound));
			continue;
		}
		if (*known && strcmp(*known, key) != 0)
			add_condition(&conditions, equality(key, *known));
		else
			*known = key;
		/* compare each table with the given key, so that its index is used */
		if (operand->producer == NULL && given_key(term_context, operand->labels[i]))
		{
			add_condition(&conditions,
						  is_given(key, given_key(term_context, operand->labels[i])));
			if (!operand->outer)
				term_context->limited |= 1u << operand->labels[i];
		}
	}
	filter = operand->outer ? NULL : source_conditions(source, alias);
	if (filter)
		add_condition(&conditions, filter);
	return conditions.data;
}

/*
 * Returns a FROM item of all indices, or block numbers, of a label that no operand has;
 * sets * key.
 */
static char *
all_indices(const TermContext *term_context, int label, List **aliases, char **key)
{
	char *alias = new_alias(aliases, psprintf("e%d", label));
	int64 bound = term_context->stage->labels[label].bound;

	*key = psprintf("%s.index", alias);
	if (bound_is_dimension(bound) && (term_context->choice->blocked & (1u << label)))
		return psprintf(
			"%s('0'::pg_catalog.int4, CAST(%s AS pg_catalog.int4)) AS %s(index)",
			extension_function("allints"),
			dimension_blocks(term_context->context, bound,
							 term_context->choice->block[label]),
			alias);
	if (bound_is_dimension(bound))
		return psprintf("%s AS %s(index)", dimension_keys(term_context->context, bound),
						alias);
	/* int4 if possible: UNION ALL passes quals down only for equal types */
	return psprintf("%s AS %s(index)",
					term_context->choice->blocked & (1u << label)
						? all_blocks_sql(bound, term_context->choice->block[label])
						: all_keys_sql(bound),
					alias);
}

/*
 * Returns a FROM item of the keys of a union's support: those of each operand that adds
 * to it, extended by all indices of the labels that the operand lacks.
 */
static char *
united_keys(const TermContext *term_context, const char *united)
{
	const Term *term = term_context->term;
	LabelMask labels = term->labels & keys_of(term_context->choice);
	StringInfoData parts;

	initStringInfo(&parts);
	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		const Source *source = term_context->sources[o];
		List *aliases = NIL;
		char *alias;
		StringInfoData keys;
		StringInfoData from;
		StringInfoData conditions;

		if (!(term->union_of & (1u << o)))
			continue;
		initStringInfo(&keys);
		initStringInfo(&from);
		initStringInfo(&conditions);
		alias = new_alias(&aliases, source->tensor);
		if (operand->mask & labels)
			appendStringInfo(&from, "%s AS %s", source->from, alias);
		for (int l = 0; l < term_context->stage->nlabels; l++)
		{
			char *key = NULL;

			if (!(labels & (1u << l)))
				continue;
			for (int i = 0; i < operand->rank; i++)
			{
				char *column;

				if (operand->labels[i] != l)
					continue;
				column = psprintf("%s.%s", alias, source->keys[i]);
				if (key)
					add_condition(&conditions, equality(column, key));
				else
					key = column;
			}
			if (key == NULL)
				appendStringInfo(&from, "%s%s", from.len ? ", " : "",
								 all_indices(term_context, l, &aliases, &key));
			appendStringInfo(&keys, "%s%s AS l%d", keys.len ? ", " : "", key, l);
		}
		appendStringInfo(&parts, "%sSELECT %s FROM %s%s%s", parts.len ? " UNION " : "",
						 keys.data, from.data, conditions.len ? " WHERE " : "",
						 conditions.data);
	}
	return psprintf("(%s) AS %s", parts.data, united);
}

/*
 * Finds the operands that are joined, not left joined, and returns their number. If there
 * are more than PostgreSQL orders in milliseconds, they are in the order in which their
 * join was costed.
 */
static int
joined_operands(const TermContext *term_context, int *order)
{
	const Term *term = term_context->term;
	int n = 0;

	for (int o = 0; o < term->noperands; o++)
	{
		if (!term->operands[o].outer && term_context->rows[o] == o)
			order[n++] = o;
	}
	if (n > STAGE_EASY_OPERANDS)
		n = order_of_join(term_context->stage,
						  term_context->context->plan->graph->options->estimator, term,
						  term_context->choice, order);
	return n;
}

/* Does an operand that reads the row of another one add conditions of its own? */
static bool
adds_to_row(const TermContext *term_context, int o)
{
	for (int other = 0; other < o; other++)
	{
		if (term_context->sources[other] == term_context->sources[o])
			return false;
	}
	return !term_context->term->operands[o].outer && term_context->rows[o] != o &&
		   term_context->sources[o]->conditions != NIL;
}

/*
 * Returns FROM and WHERE of a term, and sets the keys of its labels. A list with left
 * joins is written with CROSS JOIN, since a comma binds less than JOIN, and ON must see
 * all items. So is a list in a fixed order: of explicit joins PostgreSQL orders the first
 * join_collapse_limit together, and joins the others to them one by one or in groups of
 * that size.
 */
static char *
term_from(TermContext *term_context)
{
	const CodegenContext *context = term_context->context;
	const Stage *stage = term_context->stage;
	const Term *term = term_context->term;
	LabelMask keys = keys_of(term_context->choice);
	List *inner = NIL;
	StringInfoData outer;
	StringInfoData conditions;
	StringInfoData result;
	int order[STAGE_NEST_OPERANDS];
	int njoined;
	bool crossed;
	ListCell *lc;

	initStringInfo(&outer);
	initStringInfo(&conditions);
	initStringInfo(&result);

	if (term->union_of && (term->labels & keys))
	{
		char *united = new_alias(&term_context->aliases, "k");

		inner = lappend(inner, united_keys(term_context, united));
		for (int i = 0; i < stage->nlabels; i++)
		{
			if (term->labels & keys & (1u << i))
				term_context->label_keys[i] = psprintf("%s.l%d", united, i);
		}
	}
	njoined = joined_operands(term_context, order);
	set_label_keys(term_context, order, njoined);
	for (int n = 0; n < njoined; n++)
	{
		int o = order[n];
		char *joined = join_conditions(term_context, o);

		if (*joined)
			add_condition(&conditions, joined);
		inner = lappend(inner, psprintf("%s AS %s", term_context->sources[o]->from,
										term_context->operand_aliases[o]));
	}
	for (int o = 0; o < term->noperands; o++)
	{
		if (adds_to_row(term_context, o))
			add_condition(&conditions,
						  source_conditions(term_context->sources[o],
											term_context->operand_aliases[o]));
	}
	for (int i = 0; i < stage->nlabels; i++)
	{
		if (!(term->extension & keys & (1u << i)))
			continue;
		inner = lappend(inner, all_indices(term_context, i, &term_context->aliases,
										   &term_context->label_keys[i]));
	}
	for (int o = 0; o < term->noperands; o++)
	{
		char *joined;

		if (!term->operands[o].outer || term_context->rows[o] != o)
			continue;
		joined = join_conditions(term_context, o);
		/*
		 * Not LEFT JOIN ... ON true: if such a result is unstacked and joined to itself,
		 * PostgreSQL may fail to find any order of joins.
		 */
		if (term_context->sources[o]->one_row)
		{
			appendStringInfo(&outer, " CROSS JOIN %s AS %s",
							 term_context->sources[o]->from,
							 term_context->operand_aliases[o]);
			continue;
		}
		appendStringInfo(&outer, " LEFT JOIN %s AS %s ON %s",
						 term_context->sources[o]->from, term_context->operand_aliases[o],
						 *joined ? joined : "true");
	}

	if (context->limits && context->limits[stage->number].dimensions)
	{
		const KeyLimit *limit = &context->limits[stage->number];
		char *needed = limit->relation ? new_alias(&term_context->aliases, "n") : NULL;

		if (needed)
			inner = lcons(psprintf("%s AS %s", limit->relation, needed), inner);
		for (int d = 0; d < stage->noutput; d++)
		{
			char *key = term_context->label_keys[stage->output[d]];

			if (!(limit->dimensions & (1u << d)))
				continue;
			if (limit->parameters[d] == NULL)
				add_condition(&conditions, equality(key, psprintf("%s.d%d", needed, d)));
			else if (!(term_context->limited & (1u << stage->output[d])))
				add_condition(&conditions, is_given(key, limit->parameters[d]));
		}
	}
	if (inner == NIL && outer.len)
		inner = list_make1(
			psprintf("(SELECT) AS %s", new_alias(&term_context->aliases, "one")));
	/*
	 * PostgreSQL searches no order for joins that only a loop nest can read
	 * (planner/join_search.c)
	 */
	crossed = outer.len > 0 || (list_length(inner) > STAGE_EASY_OPERANDS &&
								term->noperands <= STAGE_MAX_OPERANDS);
	foreach (lc, inner)
		appendStringInfo(&result, "%s%s",
						 foreach_current_index(lc) == 0 ? " FROM "
						 : crossed                      ? " CROSS JOIN "
														: ", ",
						 (char *) lfirst(lc));
	appendStringInfoString(&result, outer.data);
	if (conditions.len)
		appendStringInfo(&result, " WHERE %s", conditions.data);
	return result.data;
}

/*
 * Appends "a.i AS i, " for each promoted dimension of the result, and the GROUP BY list,
 * without given keys, to groups.
 */
static void
append_output_keys(StringInfo keys, StringInfo groups, const Stage *stage,
				   const Decomposition *choice, LabelMask given, char *const *label_keys,
				   char *const *columns)
{
	for (int i = 0; i < stage->noutput; i++)
	{
		int label = stage->output[i];

		if (!(keys_of(choice) & (1u << label)))
			continue;
		appendStringInfo(keys, "%s AS %s, ", label_keys[label],
						 quote_identifier(columns[i]));
		if (!(given & (1u << label)))
			appendStringInfo(groups, "%s%s", groups->len ? ", " : "", label_keys[label]);
	}
}

/*
 * In a point query, lets the given key replace the column that equals it. Then it need
 * not be in GROUP BY, and PostgreSQL does not expect more groups for it. But if there are
 * groups, some column must remain. Returns the labels replaced.
 */
static LabelMask
use_given_keys(TermContext *term_context)
{
	const Stage *stage = term_context->stage;
	const KeyLimit *limit = term_context->context->limits
								? &term_context->context->limits[stage->number]
								: NULL;
	LabelMask groups = stage->output_mask & keys_of(term_context->choice);
	LabelMask given = 0;

	for (int d = 0; limit && d < stage->noutput; d++)
	{
		if (limit->constant & (1u << d))
			given |= 1u << stage->output[d];
	}
	if ((groups & ~given) == 0)
		return 0;
	for (int d = 0; d < stage->noutput; d++)
	{
		if (given & (1u << stage->output[d]))
			term_context->label_keys[stage->output[d]] = limit->parameters[d];
	}
	return given;
}

/* Returns the SELECT of one term, aggregated if a promoted label is summed. */
static char *
term_select(const CodegenContext *context, const Stage *stage, const Term *term,
			const Decomposition *choice, char *const *columns)
{
	TermContext term_context = {
		.context = context, .stage = stage, .term = term, .choice = choice};
	bool single = stage->nterms == 1;
	bool aggregate = single && stage_groups(stage, keys_of(choice));
	LabelMask given = 0;
	StringInfoData keys;
	StringInfoData groups;
	char *from;
	char *value;

	initStringInfo(&keys);
	initStringInfo(&groups);
	term_context.aggregate = aggregate;
	prepare_sources(&term_context);
	from = term_from(&term_context);
	if (aggregate)
		given = use_given_keys(&term_context);
	prepare_values(&term_context);
	value = kernel_sql(context, stage, term, choice, term_context.values,
					   term_context.label_keys, aggregate, term_context.weight);
	append_output_keys(&keys, &groups, stage, choice, given, term_context.label_keys,
					   columns);

	/* without groups there is one row, even if there is nothing to aggregate */
	if (aggregate && groups.len == 0)
		value = psprintf("COALESCE(%s, %s)", value,
						 constant_output(context, stage, choice, term->kernel->type.type,
										 term->kernel->kind == KERNEL_MATRIX
											 ? term->fill
											 : aggregate_identity(stage->aggregate)));
	if (aggregate)
		value = with_missing_entries(context, stage, term, choice,
									 term_context.label_keys, term_context.weight, value);
	if (single)
		value = post_sql(context, stage, choice, value);
	return psprintf("SELECT %s%s AS value%s%s%s", keys.data, value, from,
					aggregate && groups.len ? " GROUP BY " : "",
					aggregate ? groups.data : "");
}

/* Returns the SELECT of a union: the sum of its terms. */
static char *
union_select(const CodegenContext *context, const Stage *stage,
			 const Decomposition *choice, char *const *columns)
{
	char *label_keys[STAGE_MAX_LABELS] = {NULL};
	StringInfoData terms;
	StringInfoData keys;
	StringInfoData groups;
	const char *alias = quote_identifier(stage->name);
	char *value;

	initStringInfo(&terms);
	initStringInfo(&keys);
	initStringInfo(&groups);
	for (int t = 0; t < stage->nterms; t++)
		appendStringInfo(&terms, "%s%s", t ? " UNION ALL " : "",
						 term_select(context, stage, &stage->terms[t], choice, columns));
	for (int i = 0; i < stage->noutput; i++)
		label_keys[stage->output[i]] =
			psprintf("%s.%s", alias, quote_identifier(columns[i]));
	append_output_keys(&keys, &groups, stage, choice, 0, label_keys, columns);

	value = psprintf("%s(%s.value)", extension_function("tensor_sum"), alias);
	if (groups.len == 0)
		value = psprintf("COALESCE(%s, %s)", value,
						 constant_output(context, stage, choice,
										 stage->terms[0].kernel->type.type, 0.0));
	value = post_sql(context, stage, choice, value);
	return psprintf("SELECT %s%s AS value FROM (%s) AS %s%s%s", keys.data, value,
					terms.data, alias, groups.len ? " GROUP BY " : "", groups.data);
}

char *
deparse_stage(const CodegenContext *context, const Stage *stage)
{
	const StagePlan *plan = &context->plan->stages[stage->number];
	const Decomposition *choice = &plan->choice;
	bool by_row = stage_is_by_row(stage, keys_of(choice));
	char **columns = stage_columns(stage);
	Source *source;
	char *query;

	enter_recursion();
	query = stage->nterms > 1
				? union_select(context, stage, choice, columns)
				: term_select(context, stage, &stage->terms[0], choice, columns);

	/* a result without keys has its row even if nothing is stored */
	if (keys_of(&plan->natural) == 0 && by_row)
		query = psprintf("SELECT COALESCE((%s), %s) AS value", query,
						 constant_output(context, stage, choice, stage->tensor->type,
										 stage->tensor->fill));
	if (same_decomposition(&plan->natural, &plan->shape))
		return query;
	source = query_source(query, stage->name, stage->noutput, columns, &plan->natural);
	source->by_row = by_row;
	source = repartitioned_source(context, source, stage->tensor, &plan->shape);
	return renamed_select(source, stage->noutput, columns);
}

char *
deparse_shown(const CodegenContext *context, const Stage *stage)
{
	Decomposition rows = shown_decomposition(stage);
	Source *source =
		repartitioned_source(context, stage_source(context, stage), stage->tensor, &rows);

	return renamed_select(source, stage->noutput, stage_columns(stage));
}

char *
deparse_with_format(const CodegenContext *context, const Stage *stage)
{
	char *query = deparse_stage(context, stage);
	char **columns = stage_columns(stage);
	DimensionMask keys = keys_of(&context->plan->stages[stage->number].shape);
	StringInfoData select;

	if (!stage_is_sparse(context->plan, stage))
		return query;
	initStringInfo(&select);
	for (int d = 0; d < stage->noutput; d++)
	{
		if (keys & (1u << d))
			appendStringInfo(&select, "dense.%s, ", quote_identifier(columns[d]));
	}
	return psprintf("SELECT %s%s(dense.value, %s) AS value FROM (%s) AS dense",
					select.data, extension_function("tensor_sparse"),
					float8_literal(creal(stage->tensor->fill)), query);
}

char *
deparse_kept_stage(const CodegenContext *context, const bool *in_query,
				   const Stage *stage)
{
	int dimension = order_of_kept_stage(context->plan, in_query, stage);
	char *query = deparse_with_format(context, stage);

	if (dimension < 0)
		return query;
	return psprintf("%s ORDER BY %s", query,
					quote_identifier(stage_columns(stage)[dimension]));
}

CodegenContext *
codegen_context(const ProgramPlan *plan, const char *schema)
{
	CodegenContext *context = palloc0(sizeof(CodegenContext));

	context->plan = plan;
	context->tensor_type = tensor_type_name();
	context->schema = schema;
	context->kept = no_kept_stages();
	context->gathering = new_gathering();
	return context;
}

/* Has a round of a loop rows of a stage before this query? */
static bool
is_there_already(const RoundSources *round, int stage)
{
	return round && round->stages[stage];
}

/* Like stages_not_merged, for a query that finds some stages computed. */
static Bitmapset *
not_merged_below(const ProgramPlan *plan, const Stage *last, const RoundSources *round)
{
	const Bitmapset *once = stages_computed_once(plan, last);
	Bitmapset *result = NULL;
	/* length of the longest chain of merged stages above */
	int *readers = palloc0(sizeof(int) * (last->number + 1));
	const Operand *operand;

	for (int s = last->number; s >= 0; s--)
	{
		const Stage *stage = plan->stages[s].stage;

		CHECK_FOR_INTERRUPTS();
		/* the last stage does not read this one */
		if (stage != last && (readers[s] == 0 || is_there_already(round, s)))
			continue;
		if (bms_is_member(s, once) || readers[s] > MOST_MERGED)
		{
			result = bms_add_member(result, s);
			readers[s] = 0;
		}
		FOREACH_PRODUCED (operand, stage)
		{
			int *below = &readers[operand->producer->number];

			*below = Max(*below, readers[s] + 1);
		}
	}
	pfree(readers);
	return result;
}

Bitmapset *
stages_not_merged(const ProgramPlan *plan, const Stage *last)
{
	return not_merged_below(plan, last, NULL);
}

/* Returns "WITH ... " of all stages that a stage reads, directly or through others. */
static char *
list_of_ctes(const CodegenContext *context, const Stage *last)
{
	const StageGraph *graph = context->plan->graph;
	bool *needed = palloc0(sizeof(bool) * list_length(graph->stages));
	const Bitmapset *once = stages_computed_once(context->plan, last);
	const Bitmapset *not_merged = not_merged_below(context->plan, last, context->round);
	const Operand *operand;
	StringInfoData queries;

	initStringInfo(&queries);
	needed[last->number] = true;
	for (int s = last->number; s >= 0; s--)
	{
		CHECK_FOR_INTERRUPTS();
		if (s != last->number && is_there_already(context->round, s))
			needed[s] = false;
		if (needed[s])
			FOREACH_PRODUCED (operand, (const Stage *) list_nth(graph->stages, s))
				needed[operand->producer->number] = true;
	}
	for (int s = 0; s < last->number; s++)
	{
		const Stage *stage = list_nth(graph->stages, s);

		CHECK_FOR_INTERRUPTS();
		if (needed[s])
			appendStringInfo(&queries, "%s%s AS %sMATERIALIZED (%s)",
							 queries.len ? ", " : "WITH ", stage_relation(context, stage),
							 bms_is_member(s, not_merged) ? "" : "NOT ",
							 bms_is_member(s, once)
								 ? deparse_kept_stage(context, needed, stage)
								 : deparse_stage(context, stage));
	}
	if (queries.len)
		appendStringInfoChar(&queries, ' ');
	return queries.data;
}

char *
deparse_program(const ProgramPlan *plan)
{
	CodegenContext *context = codegen_context(plan, NULL);

	check_gathered_bytes(plan);
	context->uses_ctes = true;
	return with_gathered(context,
						 psprintf("%s%s", list_of_ctes(context, plan->graph->last),
								  deparse_stage(context, plan->graph->last)));
}

char *
deparse_live(const ProgramPlan *plan, const Stage *stage)
{
	PlanOptions options = *plan->graph->options;
	StageGraph graph = *plan->graph;
	ProgramPlan *live = palloc(sizeof(ProgramPlan));
	CodegenContext *context;

	check_gathered_bytes(plan);
	*live = *plan;
	live->graph = &graph;
	live->computed_once = NULL;
	graph.options = &options;
	options.materialize = MATERIALIZE_AUTO;
	context = codegen_context(live, NULL);
	context->uses_ctes = true;
	return with_gathered(context, psprintf("%s%s", list_of_ctes(context, stage),
										   deparse_stage(context, stage)));
}

char *
deparse_in_round(const ProgramPlan *plan, const RoundSources *sources, const Stage *stage)
{
	CodegenContext *context = codegen_context(plan, NULL);

	check_gathered_bytes(plan);
	context->uses_ctes = true;
	context->round = sources;
	return with_gathered(context, psprintf("%s%s", list_of_ctes(context, stage),
										   deparse_stage(context, stage)));
}

/* Errors: see deparse_filled. */
static void
check_fillable(const ProgramPlan *plan, const Stage *stage)
{
	const Decomposition *shape = &plan->stages[stage->number].shape;
	double tuples = 1;

	for (int d = 0; d < stage->noutput; d++)
	{
		const StageLabel *label = &stage->labels[stage->output[d]];

		if (!(keys_of(shape) & (1u << d)))
			continue;
		if (label->bound == BOUND_OPEN)
			ereport(
				ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("what is not stored of \"%s\" changes with rounds", stage->name),
				 errdetail("Every entry would have to be stored, and label \"%s\" is "
						   "open.",
						   label->name),
				 errhint("Multiply by a tensor that has an entry where there is to be "
						 "one, or register a bound."),
				 program_errposition(plan->graph->program->text,
									 stage->part_of->location)));
		tuples *= ceil(stage->bounds[stage->output[d]] /
					   (shape->blocked & (1u << d) ? shape->block[d] : 1));
	}
	if (tuples > max_dense_tuples)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("what is not stored of \"%s\" changes with rounds", stage->name),
			 errdetail("Every entry would have to be stored, in %.0f rows; "
					   "sparseeinsum.max_dense_tuples is %.0f.",
					   tuples, max_dense_tuples),
			 errhint("Multiply by a tensor that has an entry where there is to be "
					 "one."),
			 program_errposition(plan->graph->program->text, stage->part_of->location)));
}

char *
deparse_filled(const ProgramPlan *plan, const RoundSources *sources, const Stage *stage)
{
	CodegenContext *context = codegen_context(plan, NULL);
	const StagePlan *chosen = &plan->stages[stage->number];
	char *query = deparse_in_round(plan, sources, stage);
	char **columns = stage_columns(stage);
	ValueShape value = {0};
	StringInfoData keys;
	StringInfoData from;
	StringInfoData on;

	check_fillable(plan, stage);
	initStringInfo(&keys);
	initStringInfo(&from);
	initStringInfo(&on);
	for (int d = 0; d < stage->noutput; d++)
	{
		int64 bound = stage->labels[stage->output[d]].bound;
		bool is_key = (keys_of(&chosen->shape) & (1u << d)) != 0;

		add_extent(context, &value, &chosen->shape, d, bound,
				   is_key ? psprintf("k%d.d%d", d, d) : NULL);
		if (!is_key)
			continue;
		appendStringInfo(&keys, "k%d.d%d, ", d, d);
		appendStringInfo(&from, "%s%s AS k%d(d%d)", from.len ? " CROSS JOIN " : "",
						 bound_is_dimension(bound) ? dimension_keys(context, bound)
						 : chosen->shape.blocked & (1u << d)
							 ? all_blocks_sql(bound, chosen->shape.block[d])
							 : all_keys_sql(bound),
						 d, d);
		appendStringInfo(&on, "%s%s", on.len ? " AND " : "",
						 equality(psprintf("k%d.d%d", d, d),
								  psprintf("q.%s", quote_identifier(columns[d]))));
	}
	/* a result without keys has a row anyway */
	if (from.len == 0)
		return query;
	return psprintf(
		"SELECT %sCOALESCE(q.value, %s) AS value FROM %s LEFT JOIN (%s) AS q ON %s",
		keys.data,
		constant_value(context, stage->tensor->type, stage->tensor->fill, &value),
		from.data, query, on.data);
}

/*
 * Returns a dense value with its entries moved from the keys' places to the keys'
 * positions; gaps, and what is before and behind them, are fill.
 */
static char *
value_by_position(const CodegenContext *context, const ProgramTensor *tensor, char *value)
{
	StringInfoData positions;
	bool any = false;

	initStringInfo(&positions);
	for (int d = 0; d < tensor->rank; d++)
	{
		bool grows = bound_is_dimension(tensor->bounds[d]);

		any = any || grows;
		appendStringInfo(&positions, ", %s",
						 grows ? dimension_positions(context, tensor->bounds[d])
							   : "NULL::pg_catalog.int8[]");
	}
	if (!any)
		return value;
	return psprintf("%s(%s, %s%s)", extension_function("einsum_by_position"), value,
					tensor_literal(context, tensor->type, tensor->fill), positions.data);
}

char *
deparse_value(const ProgramPlan *plan)
{
	CodegenContext *context = codegen_context(plan, NULL);
	const Stage *last = plan->graph->last;
	char **columns = stage_columns(last);
	Decomposition dense = promoting(0);
	char *query;
	Source *source;

	check_gathered_bytes(plan);
	check_dense_result(plan->graph);
	context->uses_ctes = true;
	query = deparse_stage(context, last);
	source = query_source(query, last->name, last->noutput, columns,
						  &plan->stages[last->number].shape);
	source = repartitioned_source(context, source, last->tensor, &dense);
	query =
		psprintf("%sSELECT %s FROM %s AS %s", list_of_ctes(context, last),
				 value_by_position(context, last->tensor,
								   psprintf("CAST(%s.value AS %s)", source_alias(source),
											context->tensor_type)),
				 source->from, source_alias(source));
	return with_gathered(context, query);
}

char *
deparse_stage_counts(const ProgramPlan *plan, const Stage *stage)
{
	CodegenContext *context = codegen_context(plan, NULL);
	int rank = stage->noutput;
	DimensionMask promoted = plan->stages[stage->number].shape.promoted;
	ElementType type = stage->tensor->type;
	Number fill = stage->tensor->fill;
	const char *alias = quote_identifier(stage->name);
	char *entries;
	char *query;

	check_gathered_bytes(plan);
	context->uses_ctes = true;
	query = deparse_stage(context, stage);
	if (promoted == (1u << rank) - 1 && type == ELEMENT_FLOAT8)
		entries =
			psprintf("CASE WHEN %s.value OPERATOR(pg_catalog.<>) %s THEN 1 ELSE 0 END",
					 alias, float8_literal(creal(fill)));
	else
	{
		StringInfoData labels;

		initStringInfo(&labels);
		for (int i = 0; i < rank; i++)
		{
			if (!(promoted & (1u << i)))
				appendStringInfoChar(&labels, 'a' + i);
		}
		/* NaN does not even equal itself */
		entries = psprintf(
			"%s(%s, '%s,->'::pg_catalog.text, %s.value, %s)",
			extension_function("tensor_map_scalar"),
			text_literal(isnan(creal(fill)) ? "float8($1 == $1)" : "float8($1 <> $2)"),
			labels.data, alias, number_literal(context, type, fill));
	}
	query = psprintf("%sSELECT CAST(pg_catalog.count(*) AS pg_catalog.float8), "
					 "COALESCE(CAST(pg_catalog.sum(%s) AS pg_catalog.float8), 0) "
					 "FROM (%s) AS %s",
					 list_of_ctes(context, stage), entries, query, alias);
	return with_gathered(context, query);
}
