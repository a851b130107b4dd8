/*-------------------------------------------------------------------------
 *
 * point.c
 *	  Point queries: a program's result at given keys, computed only from the keys of
 *	  operands that it needs.
 *
 * PostgreSQL applies WHERE i = 42 only to the operands that have i, and computes the
 * others in full. Here every stage is limited to a set of needed keys, a WITH query that
 * its SELECT joins. The sets follow from the result down. The needed keys of an operand's
 * promoted label are
 *	  - for a label to which the reader itself is limited, the reader's keys;
 *	  - for another label, the keys that stored tensors of the same join have there:
 *		of z[i] = n[i,j] * h[j] at i = 42, the j of the entries n[42,j].
 * Any superset of the needed keys is right. So the sets are read from stored tensors
 * alone, including those below a stage of the join, never from results of stages: sets
 * cannot depend on each other in a circle. Only operands without which the join has no
 * tuple are used.
 *
 * A needed key comes with all its tuples, as aggregates and missing entries demand: so a
 * stage is limited only on labels of its result that are promoted before and after a
 * repartition. A stage with several readers is limited on the labels that all of them
 * limit, to the union of what they need. Known weakness: there is no limit for a join
 * without an operand that has a limited label, for a union of supports, and for a demoted
 * label.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/origin.h"
#include "catalog/pg_type.h"
#include "catalog/dimension.h"
#include "catalog/shift.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "codegen/deparse.h"
#include "codegen/gather.h"
#include "codegen/point.h"
#include "codegen/shifted.h"
#include "optimizer/materialize.h"
#include "optimizer/needed_keys.h"
#include "recursion.h"

/*
 * A stored tensor, and the reader's label of each of its key columns; -1 for another
 * label.
 */
typedef struct Guard
{
	const Storage *storage;
	int labels[TENSOR_MAX_RANK];
} Guard;

/* One operand of a limited stage, which needs some keys of its producer. */
typedef struct Need
{
	const Stage *reader;
	int term;
	int operand;
} Need;

typedef struct PointContext
{
	CodegenContext *context;
	const ProgramPlan *plan;
	Oid **
		key_types; /* key types by stage number and label; NULL, InvalidOid: unresolved */
} PointContext;

static PointContext
new_point_context(const ProgramPlan *plan)
{
	return (PointContext){
		.plan = plan,
		.key_types = palloc0(sizeof(Oid *) * (list_length(plan->graph->stages) + 1))};
}

/*
 * Returns the dimensions of a result that are the same keys before and after its
 * repartition.
 */
static DimensionMask
lasting_dimensions(const StagePlan *plan)
{
	return common_keys(&plan->natural, &plan->shape);
}

/* Returns the labels to which a stage is limited. */
static LabelMask
limited_labels(const PointContext *point, const Stage *stage)
{
	DimensionMask dimensions = point->context->limits[stage->number].dimensions;
	LabelMask labels = 0;

	for (int d = 0; d < stage->noutput; d++)
	{
		if (dimensions & (1u << d))
			labels |= 1u << stage->output[d];
	}
	return labels;
}

/* Adds a stored operand that has keys of the joining stage's labels. */
static List *
add_guard(List *guards, const JoinedStage *joined, const Operand *operand,
		  const Storage *storage, DimensionMask kept)
{
	Guard *guard = palloc(sizeof(Guard));
	bool shared = false;

	if (storage == NULL || list_length(guards) == MAX_GUARDS)
		return guards;
	guard->storage = storage;
	for (int d = 0; d < operand->rank; d++)
	{
		guard->labels[d] = kept & (1u << d) ? joined->map[operand->labels[d]] : -1;
		shared = shared || guard->labels[d] >= 0;
	}
	return shared ? lappend(guards, guard) : guards;
}

/*
 * Returns the stored tensors without which a term has no tuple, except those of the
 * operand itself.
 */
static List *
guards_of(const PointContext *point, const Need *need)
{
	List *guards = NIL;
	JoinedStages joined;

	begin_joined_stages(&joined, unconstify(Stage *, need->reader));
	for (int n = 0; n < joined.count; n++)
	{
		JoinedStage *here = joined.stages[n];
		int t = n == 0 ? need->term : 0;
		const Term *term = &here->stage->terms[t];

		CHECK_FOR_INTERRUPTS();
		/* below a shift labels have other keys */
		if (term->union_of || here->stage->shift)
			continue;
		for (int o = 0; o < term->noperands; o++)
		{
			const Operand *operand = &term->operands[o];
			const OperandPlan *read =
				&point->plan->stages[here->stage->number].operands[t][o];
			DimensionMask kept = common_keys(&read->from, &read->to);

			if ((n == 0 && o == need->operand) || operand->outer || kept == 0)
				continue;
			if (operand->producer == NULL)
				guards = add_guard(guards, here, operand, read->storage, kept);
			else if (operand->producer->nterms == 1)
				add_joined_stage(
					&joined, here, operand,
					kept & lasting_dimensions(
							   &point->plan->stages[operand->producer->number]));
		}
	}
	return guards;
}

static LabelMask
guard_labels(const Guard *guard)
{
	LabelMask labels = 0;

	for (int d = 0; d < guard->storage->rank; d++)
	{
		if (guard->labels[d] >= 0)
			labels |= 1u << guard->labels[d];
	}
	return labels;
}

/*
 * Returns the next stored tensor to read: one with a known label and a new one,
 * preferably a wanted one; NULL if not found.
 */
static const Guard *
next_guard(const List *guards, LabelMask known, LabelMask wanted)
{
	const Guard *found = NULL;
	ListCell *lc;

	foreach (lc, guards)
	{
		LabelMask labels = guard_labels(lfirst(lc));

		if ((labels & known) == 0 || (labels & ~known) == 0)
			continue;
		if (labels & wanted & ~known)
			return lfirst(lc);
		if (found == NULL)
			found = lfirst(lc);
	}
	return found;
}

/* Returns the dimensions on which an operand can be limited. */
static DimensionMask
needed_dimensions(const PointContext *point, const Need *need)
{
	const Operand *operand = &need->reader->terms[need->term].operands[need->operand];
	const OperandPlan *read =
		&point->plan->stages[need->reader->number].operands[need->term][need->operand];
	LabelMask known = limited_labels(point, need->reader);
	DimensionMask kept = common_keys(&read->from, &read->to);
	DimensionMask dimensions = 0;
	const Guard *guard;
	List *guards;

	if (known == 0)
		return 0;
	guards = guards_of(point, need);
	while ((guard = next_guard(guards, known, 0)))
		known |= guard_labels(guard);
	for (int d = 0; d < operand->rank; d++)
	{
		if ((kept & (1u << d)) && (known & (1u << operand->labels[d])))
			dimensions |= 1u << d;
	}
	return dimensions;
}

/* Returns the key at which a shift reads its operand, for a key of its result. */
static char *
moved_key(const Need *need, int dimension, char *key)
{
	const TensorShift *shift = need->reader->shift;

	if (shift == NULL || shift->offset[dimension] == 0)
		return key;
	return add_to_needed_key(key, shift->offset[dimension], shift->bounds[dimension]);
}

/*
 * Returns the condition, of a table r of Citus that is gathered, that columns are keys
 * which a stage's readers need: columns[d] is compared with dimension d of the limit. NULL
 * without such columns.
 */
static char *
needed_rows(const KeyLimit *limit, char *const *columns)
{
	StringInfoData condition;
	StringInfoData row;
	StringInfoData keys;

	initStringInfo(&condition);
	initStringInfo(&row);
	initStringInfo(&keys);
	for (int d = 0; d < TENSOR_MAX_RANK; d++)
	{
		if (columns[d] == NULL)
			continue;
		if (limit->parameters[d])
			appendStringInfo(&condition, "%sr.%s OPERATOR(pg_catalog.=) %s",
							 condition.len ? " AND " : "", columns[d],
							 limit->parameters[d]);
		else
		{
			appendStringInfo(&row, "%sr.%s", row.len ? ", " : "", columns[d]);
			appendStringInfo(&keys, "%sd%d", keys.len ? ", " : "", d);
		}
	}
	if (row.len)
		appendStringInfo(
			&condition, "%s(%s) OPERATOR(pg_catalog.=) ANY (SELECT %s FROM %s)",
			condition.len ? " AND " : "", row.data, keys.data, limit->relation);
	return condition.len ? condition.data : NULL;
}

/* Is the key of a dimension a column as it is stored, which can be read of any row? */
static bool
is_plain_key(const Storage *storage, int d)
{
	return storage->dimensions[d].kind == DIMENSION_PROMOTED &&
		   !storage->dimensions[d].may_fail && !is_layout_index(storage, d) &&
		   !storage->symmetric && !OidIsValid(storage->dimensions[d].range_type);
}

/*
 * Returns the condition under which a storage has rows that the given keys of a stage
 * need, or NULL: labels has the stage's label of each dimension of the storage, or -1.
 */
static char *
gathered_rows(const Stage *stage, const KeyLimit *limit, const Storage *storage,
			  const int *labels)
{
	char *columns[TENSOR_MAX_RANK] = {NULL};

	if (storage->citus == NULL)
		return NULL;
	for (int d = 0; d < stage->noutput; d++)
	{
		for (int s = 0; s < storage->rank && (limit->dimensions & (1u << d)); s++)
		{
			if (labels[s] == stage->output[d] && is_plain_key(storage, s))
				columns[d] = pstrdup(quote_identifier(storage->dimensions[s].column));
		}
	}
	return needed_rows(limit, columns);
}

/*
 * Returns the SELECT of the keys that an operand needs in these dimensions, as d0, d1,
 * ...
 */
static char *
needed_keys(const PointContext *point, const Need *need, DimensionMask dimensions)
{
	const Operand *operand = &need->reader->terms[need->term].operands[need->operand];
	const KeyLimit *limit = &point->context->limits[need->reader->number];
	const List *guards = guards_of(point, need);
	LabelMask known = 0;
	LabelMask wanted = 0;
	char *needed = NULL;
	char *keys[STAGE_MAX_LABELS] = {NULL};
	List *aliases = NIL;
	StringInfoData from;
	StringInfoData conditions;
	StringInfoData query;

	initStringInfo(&from);
	initStringInfo(&conditions);
	initStringInfo(&query);
	if (limit->relation)
	{
		needed = new_alias(&aliases, "n");
		appendStringInfo(&from, "%s AS %s", limit->relation, needed);
	}
	for (int d = 0; d < need->reader->noutput; d++)
	{
		if (!(limit->dimensions & (1u << d)))
			continue;
		known |= 1u << need->reader->output[d];
		keys[need->reader->output[d]] =
			limit->parameters[d] ? limit->parameters[d] : psprintf("%s.d%d", needed, d);
	}
	for (int d = 0; d < operand->rank; d++)
	{
		if (dimensions & (1u << d))
			wanted |= 1u << operand->labels[d];
	}
	while (wanted & ~known)
	{
		const Guard *guard = next_guard(guards, known, wanted);
		Source *source;
		char *alias;

		if (guard == NULL)
			elog(ERROR, "no stored tensor has the keys that are needed");
		/* rows that are still to be added up have the same keys */
		source = keys_source(
			point->context, guard->storage,
			gathered_rows(need->reader, limit, guard->storage, guard->labels));
		alias = new_alias(&aliases, source->tensor);
		appendStringInfo(&from, "%s%s AS %s", from.len ? ", " : "", source->from, alias);
		for (int d = 0; d < guard->storage->rank; d++)
		{
			char *key;

			if (guard->labels[d] < 0)
				continue;
			key = psprintf("%s.%s", alias, source->keys[d]);
			if (keys[guard->labels[d]])
				appendStringInfo(&conditions, "%s%s OPERATOR(pg_catalog.=) %s",
								 conditions.len ? " AND " : " WHERE ", key,
								 keys[guard->labels[d]]);
			else
				keys[guard->labels[d]] = key;
		}
		known |= guard_labels(guard);
	}
	appendStringInfoString(&query, "SELECT ");
	for (int d = 0; d < operand->rank; d++)
	{
		if (dimensions & (1u << d))
			appendStringInfo(&query, "%s%s AS d%d",
							 (dimensions & ((1u << d) - 1)) ? ", " : "",
							 moved_key(need, d, keys[operand->labels[d]]), d);
	}
	if (from.len)
		appendStringInfo(&query, " FROM %s%s", from.data, conditions.data);
	return query.data;
}

static Oid key_type(const PointContext *point, const Stage *stage, int label);

/* Returns the type of an operand's keys of a label; InvalidOid if it has none. */
static Oid
operand_key_type(const PointContext *point, const Stage *stage, int term, int number,
				 int label)
{
	const Operand *operand = &stage->terms[term].operands[number];
	const OperandPlan *read = &point->plan->stages[stage->number].operands[term][number];

	for (int d = 0; d < operand->rank; d++)
	{
		if (operand->labels[d] != label || !(keys_of(&read->from) & (1u << d)))
			continue;
		if (stage->shift && shift_moves(stage->shift, d))
			return shifted_key_type(stage->shift->bounds[d]);
		if (operand->producer)
			return key_type(point, operand->producer, operand->producer->output[d]);
		if (read->storage)
			return read->storage->dimensions[d].key_type;
	}
	return InvalidOid;
}

/*
 * Returns the type of a stage's key column: of several integer types the widest, as in a
 * union. Each stage is visited once.
 */
static Oid
key_type(const PointContext *point, const Stage *stage, int label)
{
	Oid **known = &point->key_types[stage->number];
	Oid type = InvalidOid;

	enter_recursion();
	if (*known == NULL)
		*known = palloc0(sizeof(Oid) * stage->nlabels);
	if (OidIsValid((*known)[label]))
		return (*known)[label];
	if (bound_is_dimension(stage->labels[label].bound))
		return dimension_key_type(stage->labels[label].bound);
	if (bound_has_days(stage->labels[label].bound))
		return DATEOID;
	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			Oid other = operand_key_type(point, stage, t, o, label);

			if (!OidIsValid(other))
				continue;
			if (!OidIsValid(type) || (is_integer_type(getBaseType(type)) &&
									  is_integer_type(getBaseType(other)) &&
									  get_typlen(other) > get_typlen(type)))
				type = other;
		}
	}
	if (!OidIsValid(type))
		type = bound_is_open(stage->labels[label].bound)
				   ? INT4OID
				   : shifted_key_type(stage->labels[label].bound);
	return (*known)[label] = type;
}

/* Returns the SQL of parameter n, "CAST($1 AS type)". */
static char *
parameter(const PointContext *point, int n)
{
	const Stage *last = point->plan->graph->last;

	return psprintf("CAST($%d AS %s)", n + 1,
					format_type_be_qualified(
						key_type(point, last, last->output[point->plan->graph->at[n]])));
}

/* Returns a name for a CTE of keys that no stage has. */
static char *
keys_name(const PointContext *point, int number)
{
	char *name = psprintf("keys_%d", number);
	bool taken = true;

	while (taken)
	{
		ListCell *lc;

		taken = false;
		foreach (lc, point->plan->graph->stages)
			taken = taken || strcmp(((Stage *) lfirst(lc))->name, name) == 0;
		if (taken)
			name = psprintf("%s_", name);
	}
	return name;
}

/* Appends a CTE, after those of the tables of Citus that it reads. */
static void
append_with(const PointContext *point, StringInfo queries, const char *name,
			bool materialized, const char *query)
{
	append_gathered(point->context, queries);
	appendStringInfo(queries, "%s%s AS %sMATERIALIZED (%s)",
					 queries->len ? ", " : "WITH ", name, materialized ? "" : "NOT ",
					 query);
}

/*
 * Limits what is gathered of an operand on a table of Citus: to the keys that its stage is
 * limited to, and to those that other operands have beside them.
 */
static void
limit_gathered_operand(PointContext *point, const Need *need, const OperandPlan *read,
					   int *nkeys, StringInfo queries)
{
	const KeyLimit *limit = &point->context->limits[need->reader->number];
	OperandLimit *result = &limit->operands[need->term][need->operand];
	const Operand *operand = &need->reader->terms[need->term].operands[need->operand];
	KeyLimit beside = {0};
	char *columns[TENSOR_MAX_RANK] = {NULL};
	char *more;

	/* keys are moved between the table and the stage */
	if (need->reader->shift || read->storage->shift)
		return;
	result->gathered = gathered_rows(need->reader, limit, read->storage, operand->labels);
	result->dimensions = needed_dimensions(point, need);
	for (int d = 0; d < operand->rank; d++)
	{
		if (!is_plain_key(read->storage, d))
			result->dimensions &= ~(1u << d);
		else if ((result->dimensions & (1u << d)) &&
				 !(limited_labels(point, need->reader) & (1u << operand->labels[d])))
			columns[d] = pstrdup(quote_identifier(read->storage->dimensions[d].column));
		if (columns[d])
			beside.dimensions |= 1u << d;
	}
	if (beside.dimensions)
	{
		beside.relation = keys_name(point, (*nkeys)++);
		append_with(point, queries, beside.relation, true,
					psprintf("SELECT DISTINCT * FROM (%s) AS k",
							 needed_keys(point, need, beside.dimensions)));
	}
	more = needed_rows(&beside, columns);
	if (more)
		result->gathered =
			result->gathered ? psprintf("%s AND %s", result->gathered, more) : more;
	if (result->gathered == NULL)
		result->dimensions = 0;
}

/*
 * Limits stored operands that a stage reads through a stacking repartition, whose
 * aggregation hides the operand's keys from the join. A barrier hides them as well,
 * except keys that are known when the query is planned.
 */
static void
limit_stored_operands(PointContext *point, const Stage *stage, int *nkeys,
					  StringInfo queries)
{
	KeyLimit *limit = &point->context->limits[stage->number];

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			Need need = {stage, t, o};
			const OperandPlan *read = &point->plan->stages[stage->number].operands[t][o];
			DimensionMask dimensions;

			if (read->storage && read->storage->citus)
			{
				limit_gathered_operand(point, &need, read, nkeys, queries);
				continue;
			}
			if (stage->terms[t].operands[o].producer || read->storage == NULL ||
				((keys_of(&read->from) & ~common_keys(&read->from, &read->to)) == 0 &&
				 !storage_has_barrier(read->storage)))
				continue;
			dimensions = needed_dimensions(point, &need);
			if (dimensions == 0)
				continue;
			limit->operands[t][o].dimensions = dimensions;
			limit->operands[t][o].relation = keys_name(point, (*nkeys)++);
			append_with(point, queries, limit->operands[t][o].relation, true,
						psprintf("SELECT DISTINCT * FROM (%s) AS k",
								 needed_keys(point, &need, dimensions)));
		}
	}
}

/*
 * Returns the only key that an operand needs in a dimension; NULL if there may be
 * several.
 */
static char *
needed_parameter(const PointContext *point, const Need *need, int dimension)
{
	const Operand *operand = &need->reader->terms[need->term].operands[need->operand];
	const KeyLimit *limit = &point->context->limits[need->reader->number];

	if (need->reader->shift && shift_moves(need->reader->shift, dimension))
		return NULL;
	for (int d = 0; d < need->reader->noutput; d++)
	{
		if (need->reader->output[d] == operand->labels[dimension])
			return limit->parameters[d];
	}
	return NULL;
}

/*
 * Gives a stage the parameters that are the only keys of some dimensions for all its
 * readers; returns the other dimensions.
 */
static DimensionMask
pass_parameters_on(const PointContext *point, const List *needs, DimensionMask dimensions,
				   KeyLimit *limit)
{
	DimensionMask others = dimensions;

	for (int d = 0; d < TENSOR_MAX_RANK; d++)
	{
		char *parameter = NULL;
		bool same = (dimensions & (1u << d)) != 0;
		ListCell *lc;

		for (lc = list_head(needs); same && lc; lc = lnext(needs, lc))
		{
			char *own = needed_parameter(point, lfirst(lc), d);

			same = own && (parameter == NULL || strcmp(own, parameter) == 0);
			parameter = own;
		}
		if (!same)
			continue;
		limit->parameters[d] = parameter;
		others &= ~(1u << d);
	}
	return others;
}

/*
 * Finds the dimensions in which a parameter can replace the column: it has the same type,
 * and looks like all keys that equal it, as integers do.
 */
static void
find_constants(const PointContext *point, const Stage *stage, KeyLimit *limit)
{
	const Stage *last = point->plan->graph->last;

	for (int d = 0; d < stage->noutput; d++)
	{
		Oid type;

		if (limit->parameters[d] == NULL)
			continue;
		type = key_type(point, stage, stage->output[d]);
		for (int n = 0; n < point->plan->graph->options->nat; n++)
		{
			if (is_integer_type(type) &&
				strcmp(limit->parameters[d], parameter(point, n)) == 0 &&
				type == key_type(point, last, last->output[point->plan->graph->at[n]]))
				limit->constant |= 1u << d;
		}
	}
}

/*
 * Limits a stage to the keys that its readers need; the readers must be limited before.
 */
static void
limit_stage(PointContext *point, const Stage *stage, List *needs, int *nkeys,
			StringInfo queries)
{
	KeyLimit *limit = &point->context->limits[stage->number];
	DimensionMask dimensions = lasting_dimensions(&point->plan->stages[stage->number]);
	StringInfoData keys;
	ListCell *lc;

	foreach (lc, needs)
		dimensions &= needed_dimensions(point, lfirst(lc));
	limit->dimensions = dimensions;
	dimensions = pass_parameters_on(point, needs, dimensions, limit);
	find_constants(point, stage, limit);
	if (dimensions == 0)
		return;
	initStringInfo(&keys);
	foreach (lc, needs)
		appendStringInfo(&keys, "%s%s", keys.len ? " UNION " : "",
						 needed_keys(point, lfirst(lc), dimensions));
	limit->relation = keys_name(point, (*nkeys)++);
	append_with(point, queries, limit->relation, true,
				list_length(needs) > 1
					? keys.data
					: psprintf("SELECT DISTINCT * FROM (%s) AS k", keys.data));
}

/*
 * Returns the SELECT of the given keys in these dimensions, from the rows that have them.
 */
static char *
given_keys(const PointContext *point, DimensionMask dimensions)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int d = 0; d < TENSOR_MAX_RANK; d++)
	{
		if (dimensions & (1u << d))
			appendStringInfo(&columns, "%sk.d%d", columns.len ? ", " : "", d);
	}
	return psprintf("SELECT DISTINCT %s FROM %s AS k", columns.data,
					quote_identifier(point->plan->graph->options->at_rows));
}

/* Limits the last stage to the given keys, in its natural dimensions. */
static void
limit_last_stage(PointContext *point, int *nkeys, StringInfo queries)
{
	const Stage *last = point->plan->graph->last;
	const char *rows = point->plan->graph->options->at_rows;
	DimensionMask lasting = lasting_dimensions(&point->plan->stages[last->number]);
	KeyLimit *limit = &point->context->limits[last->number];

	for (int n = 0; n < point->plan->graph->options->nat; n++)
	{
		int d = point->plan->graph->at[n];

		if (!(lasting & (1u << d)))
			continue;
		if (rows == NULL)
			limit->parameters[d] = parameter(point, n);
		limit->dimensions |= 1u << d;
	}
	if (rows && limit->dimensions)
	{
		limit->relation = keys_name(point, (*nkeys)++);
		append_with(point, queries, limit->relation, true,
					given_keys(point, limit->dimensions));
	}
	find_constants(point, last, limit);
}

/*
 * Returns the SELECT of the last stage. If a repartition promotes given dimensions, the
 * condition is on its result.
 */
static char *
last_select(const PointContext *point)
{
	const Stage *last = point->plan->graph->last;
	const StagePlan *chosen = &point->plan->stages[last->number];
	char *query = deparse_stage(point->context, last);
	char **columns = stage_columns(last);
	const char *alias = quote_identifier(last->name);
	bool by_rows = point->plan->graph->options->at_rows != NULL;
	bool limited = true;
	DimensionMask given = 0;
	StringInfoData conditions;
	StringInfoData keys;

	initStringInfo(&conditions);
	initStringInfo(&keys);
	for (int n = 0; n < point->plan->graph->options->nat; n++)
	{
		int d = point->plan->graph->at[n];

		given |= 1u << d;
		if (lasting_dimensions(chosen) & (1u << d))
			continue;
		limited = false;
		if (!by_rows)
			appendStringInfo(&conditions, "%s%s.%s OPERATOR(pg_catalog.=) %s",
							 conditions.len ? " AND " : "", alias,
							 quote_identifier(columns[d]), parameter(point, n));
	}
	if (limited)
		return query;
	/* rows are given as a whole: some of their columns alone mean other keys, too */
	for (int d = 0; d < last->noutput; d++)
	{
		if (given & (1u << d))
			appendStringInfo(&keys, "%s%s.%s", keys.len ? ", " : "", alias,
							 quote_identifier(columns[d]));
	}
	if (by_rows)
		appendStringInfo(&conditions, "(%s) OPERATOR(pg_catalog.=) ANY (%s)", keys.data,
						 given_keys(point, given));
	return psprintf("SELECT * FROM (%s) AS %s WHERE %s", query, alias, conditions.data);
}

/*
 * Limits all stages that the result needs, from the last one down, and adds the CTEs of
 * keys to queries. Returns, by stage number, what each is needed for.
 */
static List **
limit_stages(PointContext *point, StringInfo queries)
{
	const StageGraph *graph = point->plan->graph;
	int nstages = list_length(graph->stages);
	List **needs = palloc0(sizeof(List *) * nstages);
	int nkeys = 1;

	point->context = codegen_context(point->plan, NULL);
	point->context->uses_ctes = true;
	point->context->limits = palloc0(sizeof(KeyLimit) * nstages);
	for (int s = graph->last->number; s >= 0; s--)
	{
		const Stage *stage = list_nth(graph->stages, s);
		KeyLimit *limit = &point->context->limits[s];

		CHECK_FOR_INTERRUPTS();
		limit->operands = palloc0(sizeof(OperandLimit *) * stage->nterms);
		for (int t = 0; t < stage->nterms; t++)
			limit->operands[t] =
				palloc0(sizeof(OperandLimit) * Max(stage->terms[t].noperands, 1));
		if (stage == graph->last)
			limit_last_stage(point, &nkeys, queries);
		else if (needs[s])
			limit_stage(point, stage, needs[s], &nkeys, queries);
		else
			continue;
		limit_stored_operands(point, stage, &nkeys, queries);
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Stage *producer = stage->terms[t].operands[o].producer;
				Need *need = palloc(sizeof(Need));

				*need = (Need){stage, t, o};
				if (producer)
					needs[producer->number] = lappend(needs[producer->number], need);
			}
		}
	}
	return needs;
}

char *
deparse_point(const ProgramPlan *plan)
{
	const Stage *last = plan->graph->last;
	const Bitmapset *once = stages_computed_once(plan, last);
	const Bitmapset *not_merged = stages_not_merged(plan, last);
	PointContext point = new_point_context(plan);
	StringInfoData queries;
	List **needs;
	char *query;

	initStringInfo(&queries);
	needs = limit_stages(&point, &queries);
	/* the keys come first: each set depends on those of readers */
	for (int s = 0; s < last->number; s++)
	{
		const Stage *stage = list_nth(plan->graph->stages, s);
		bool limited = point.context->limits[s].dimensions != 0;

		if (needs[s])
			append_with(&point, &queries, stage_relation(point.context, stage),
						(limited && list_length(needs[s]) > 1) ||
							(bms_is_member(s, not_merged) &&
							 !(limited && bms_is_member(s, once))),
						deparse_stage(point.context, stage));
	}
	query = last_select(&point);
	append_gathered(point.context, &queries);
	return psprintf("%s%s%s", queries.data, queries.len ? " " : "", query);
}

DimensionMask *
point_dimensions(const ProgramPlan *plan)
{
	int nstages = list_length(plan->graph->stages);
	DimensionMask *dimensions = palloc(sizeof(DimensionMask) * Max(nstages, 1));
	PointContext point = new_point_context(plan);
	StringInfoData ignored;

	initStringInfo(&ignored);
	limit_stages(&point, &ignored);
	for (int s = 0; s < nstages; s++)
		dimensions[s] = point.context->limits[s].dimensions;
	return dimensions;
}

Oid
stage_key_type(const ProgramPlan *plan, const Stage *stage, int label)
{
	PointContext point = new_point_context(plan);

	return key_type(&point, stage, label);
}

Oid
parameter_type(const ProgramPlan *plan, const char *key)
{
	PointContext point = new_point_context(plan);

	for (int n = 0; n < plan->graph->options->nat; n++)
		if (strcmp(key, parameter(&point, n)) == 0)
			return point_key_type(plan, n);
	return InvalidOid;
}

Oid
point_key_type(const ProgramPlan *plan, int n)
{
	PointContext point = new_point_context(plan);
	const Stage *last = plan->graph->last;

	return key_type(&point, last, last->output[plan->graph->at[n]]);
}
