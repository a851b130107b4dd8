/*-------------------------------------------------------------------------
 *
 * change.c
 *	  einsum_change: how the results of a program change with what it reads.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "algebra/delta.h"
#include "commands/arguments.h"
#include "compat.h"
#include "expr/analysis.h"
#include "expr/gradient.h"
#include "expr/to_syntax.h"
#include "expr/types.h"

PG_FUNCTION_INFO_V1(einsum_change);

/* The program of which changes are asked for. */
typedef struct ChangeRequest
{
	Program *program;
	List *changed;      /* of ChangedTensor *: what the program reads */
	Delta *delta;       /* of these, and of the results of earlier statements */
	const char *suffix; /* of the names of changes */
} ChangeRequest;

/* A kind of change by which tensors are named, and what it is called. */
typedef struct NamedKind
{
	const char *name;
	ChangeKind kind;
	FunctionId function;
} NamedKind;

/* in the order of the function's arguments */
static const NamedKind named_kinds[] = {
	{"added", CHANGE_ADDED, FUNCTION_ADD},
	{"lowered", CHANGE_BETTER, FUNCTION_LEAST},
	{"raised", CHANGE_BETTER, FUNCTION_GREATEST},
	{"at_keys", CHANGE_AT_KEYS, FUNCTION_ADD},
};

static const char *
name_of_kind(const Change *change)
{
	for (int i = 0; i < (int) lengthof(named_kinds); i++)
	{
		if (named_kinds[i].kind == change->kind &&
			(change->kind != CHANGE_BETTER ||
			 named_kinds[i].function == change->function))
			return named_kinds[i].name;
	}
	return change->kind == CHANGE_NONE ? "unchanged" : "whole";
}

/*
 * Makes the tensor that is called what the changed one is, with the suffix. Errors: 42622
 * if the name is too long, 42710 if the program has a tensor of that name.
 */
static ProgramTensor *
make_change_tensor(const ChangeRequest *request, const ProgramTensor *tensor,
				   const Bitmapset *dimensions, ElementType type, Number fill)
{
	ProgramTensor *change = palloc0(sizeof(ProgramTensor));
	int d = -1;
	ListCell *lc;

	change->name = psprintf("%s%s", tensor->name, request->suffix);
	if (strlen(change->name) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG),
						errmsg("name \"%s\" is too long", change->name),
						errdetail("A name has at most %d bytes.", NAMEDATALEN - 1),
						errhint("Give a shorter suffix.")));
	foreach (lc, request->program->tensors)
	{
		if (strcmp(((const ProgramTensor *) lfirst(lc))->name, change->name) == 0)
			ereport(
				ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("the program has a tensor \"%s\" already", change->name),
				 errdetail("The change of \"%s\" would have this name.", tensor->name),
				 errhint("Give another suffix.")));
	}
	while ((d = bms_next_member(dimensions, d)) >= 0)
		change->bounds[change->rank++] = tensor->bounds[d];
	change->type = type;
	change->fill = fill;
	return change;
}

static Bitmapset *
all_dimensions(const ProgramTensor *tensor)
{
	return tensor->rank == 0 ? NULL : bms_add_range(NULL, 0, tensor->rank - 1);
}

/* Notes that a tensor changes, under each name by which the program reads it. */
static void
note_changed(ChangeRequest *request, const SyntaxReference *name, const NamedKind *kind)
{
	ProgramTensor *found = find_program_tensor(request->program, name);
	ProgramTensor *change;
	ListCell *lc;

	if (found->definition)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the program defines \"%s\" itself", found->name),
				 errhint("Name tensors that the program reads; what becomes of its "
						 "results is the answer.")));
	foreach (lc, request->changed)
	{
		if (((const ChangedTensor *) lfirst(lc))->tensor == found)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("tensor \"%s\" is named twice", found->name),
							errhint("A tensor changes in one way.")));
	}
	if (kind->kind == CHANGE_BETTER && element_is_complex(found->type))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("complex numbers are not lowered or raised"),
						errhint("Name \"%s\" under at_keys.", found->name)));
	change = make_change_tensor(
		request, found, all_dimensions(found), found->type,
		kind->kind == CHANGE_BETTER ? neutral_value(kind->function) : 0.0);
	foreach (lc, request->program->tensors)
	{
		ProgramTensor *tensor = lfirst(lc);
		ChangedTensor *changed;

		if (tensor != found && !same_stored_tensor(tensor, found))
			continue;
		changed = palloc0(sizeof(ChangedTensor));
		changed->tensor = tensor;
		changed->kind = kind->kind;
		changed->function = kind->function;
		changed->change = change;
		changed->keys = all_dimensions(found);
		request->changed = lappend(request->changed, changed);
	}
}

/* Notes how a statement's result changes, for the statements that read it. */
static ProgramTensor *
add_changed_result(ChangeRequest *request, const Statement *statement,
				   const Change *change, const TensorExpr *expr)
{
	ChangedTensor *changed = palloc0(sizeof(ChangedTensor));

	changed->tensor = statement->target;
	changed->kind = change->kind;
	changed->function = change->function;
	for (int d = 0; d < statement->noutput; d++)
	{
		if (change->kind != CHANGE_AT_KEYS ||
			bms_is_member(statement->output[d], change->keys))
			changed->keys = bms_add_member(changed->keys, d);
	}
	if (expr)
		changed->change = make_change_tensor(request, statement->target, changed->keys,
											 expr->type.type, expr->fill);
	add_changed_tensor(request->delta, changed);
	return changed->change;
}

/* Returns the statement that computes a change, over the labels that the change has. */
static char *
change_text(const ChangeRequest *request, const ProgramTensor *tensor,
			const Statement *statement, const TensorExpr *expr)
{
	int output[TENSOR_MAX_RANK];
	int n = 0;

	for (int d = 0; d < statement->noutput; d++)
	{
		if (bms_is_member(statement->output[d], expr->labels))
			output[n++] = statement->output[d];
	}
	return syntax_to_string(
		list_make1(statement_to_syntax(request->program, tensor, output, expr)));
}

/* Returns what has to be computed of a change; NULL for the kinds without. */
static TensorExpr *
expr_of_change(Program *program, const Change *change)
{
	if (change->kind == CHANGE_AT_KEYS)
		return change->touched;
	return change->terms ? fix_types(program, combined_terms(program, change->terms,
															 change->function))
						 : NULL;
}

static void
put_change(ChangeRequest *request, const Statement *statement, ReturnSetInfo *result)
{
	Bitmapset *labels = NULL;
	Datum values[4] = {0};
	bool nulls[4] = {false};
	TensorExpr *expr;
	Change *change;

	for (int d = 0; d < statement->noutput; d++)
		labels = bms_add_member(labels, statement->output[d]);
	change = find_change(request->delta, statement->expr, labels);
	expr = expr_of_change(request->program, change);
	values[0] = CStringGetTextDatum(statement->target->name);
	values[1] = CStringGetTextDatum(name_of_kind(change));
	nulls[2] = expr == NULL;
	if (change->kind != CHANGE_NONE)
	{
		ProgramTensor *tensor = add_changed_result(request, statement, change, expr);

		if (expr)
			values[2] =
				CStringGetTextDatum(change_text(request, tensor, statement, expr));
	}
	nulls[3] = change->why == NULL;
	if (change->why)
		values[3] = CStringGetTextDatum(change->why);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * einsum_change(program, added, lowered, raised, at_keys, suffix): how each result of a
 * program changes when tensors that the program reads change in these ways: tensor, kind,
 * change, why. For a tensor x that changes, the statements in "change" read x as it is
 * after the change, and a tensor x_change: what was added (fill 0); the new values of
 * entries that were lowered or raised (fill infinity, -infinity); or not 0 where entries
 * may have changed (fill 0). They define the same of the results. Errors: 42704 for a
 * tensor that the program does not read, 22023 for one that it defines or that is named
 * twice, 42804 if a complex one is lowered or raised; 42710, 42622 for names of changes.
 */
Datum
einsum_change(PG_FUNCTION_ARGS)
{
	ChangeRequest request = {.suffix = "_change"};
	ListCell *lc;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	request.program = analyze_as_written(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	if (!PG_ARGISNULL(5))
		request.suffix = text_to_cstring(PG_GETARG_TEXT_PP(5));
	for (int i = 0; i < (int) lengthof(named_kinds); i++)
	{
		if (PG_ARGISNULL(i + 1))
			continue;
		foreach (lc, read_tensor_names(PG_GETARG_ARRAYTYPE_P(i + 1), named_kinds[i].name))
			note_changed(&request, lfirst(lc), &named_kinds[i]);
	}
	request.delta = new_delta(new_algebra(request.program, NULL, (AlgebraLimits){0}),
							  request.changed);
	foreach (lc, request.program->statements)
		put_change(&request, lfirst(lc), (ReturnSetInfo *) fcinfo->resultinfo);
	PG_RETURN_NULL();
}
