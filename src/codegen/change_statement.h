/*-------------------------------------------------------------------------
 *
 * change_statement.h
 *	  The statement of what is added to a result when tensors that it reads change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_CHANGE_STATEMENT_H
#define CODEGEN_CHANGE_STATEMENT_H

#include "access/tupdesc.h"

#include "algebra/delta.h"
#include "catalog/tensor_statistics.h"
#include "optimizer/plan.h"

/*
 * The number of changed rows in plans that are made before the change: it is not known
 * then, and the plans are for few.
 */
#define FEW_CHANGED_ROWS 100.0

/* Why a result is computed whole that is neither added to nor computed at keys. */
#define CHANGES_OTHERWISE "it changes in another way"

/*
 * Returns what rows hold in this way, as a tensor of this name that the statements of a loop
 * read as a state.
 */
extern TensorEntry *entry_of_rows(Storage *storage, const char *name,
								  const TensorStatistics *statistics);

/* Makes a change of a tensor, which rows hold in this way, a tensor that terms can read. */
extern ProgramTensor *tensor_of_change(const Storage *change,
									   const TensorStatistics *statistics,
									   const ProgramTensor *of);

/*
 * Returns how a tensor changes of which rows mark the keys where it may differ
 * (storage_of_marks). marked: the dimensions that these are of; statistics: of the rows,
 * NULL: they are few.
 */
extern ChangedTensor *tensor_marked(const ProgramTensor *tensor, const Storage *marks,
									const Bitmapset *marked,
									const TensorStatistics *statistics);

/* Returns the change of a tensor by which this number of rows is added to it. */
extern ChangedTensor *tensor_added_to(const ProgramTensor *tensor, const Storage *change,
									  double rows);

/* The options by which changes are planned. */
extern PlanOptions options_of_change(Materialize materialize);

/*
 * Leaves each tensor of a program one of its storages that are among these relations, those
 * that the query of its result reads, and adds all of them to *covered, as OIDs. Returns a
 * tensor that is in no such relation; or NULL.
 */
extern const ProgramTensor *keep_storages_read(Program *program, const List *relations,
											   List **covered);

/*
 * Makes the last statement of a program compute what follows when tensors change (changed:
 * of ChangedTensor *), and returns the kind of change. ADDED: the statement is of what is
 * added to the result, or of the magnitude of that, in this decomposition. AT_KEYS: it is
 * not 0 at those keys at which the result may differ, over the dimensions *keys of the
 * result, which are keys in the decomposition. BETTER: it is of what is combined with the
 * result by *function; its fill changes nothing. Else it cannot be used; NONE: nothing
 * changes. *why: the kind is not a better one, in words; or NULL.
 */
extern ChangeKind make_change_statement(Program *program, const List *changed,
										const Decomposition *shape,
										const PlanOptions *options, bool magnitude,
										FunctionId *function, Bitmapset **keys,
										const char **why);

/*
 * Plans the result of a program, in this decomposition, at the keys in the rows of a
 * relation with this name, about count of them; keys: the result's dimensions that these
 * are of. Returns NULL if limits exclude every plan.
 */
extern const ProgramPlan *plan_at_keys(Program *program, const Decomposition *shape,
									   const Bitmapset *keys, const char *name,
									   double count);

/*
 * Returns a query of all keys of two queries of keys and a value: with the value of the
 * first, NULL if it has no row, and that of the other, or of the first if it has none.
 */
extern char *with_both_values(const char *query, const char *other, int nkeys);

/*
 * Returns a query with its columns cast to the types of these columns, and with their
 * names.
 */
extern char *with_types_of(const char *query, TupleDesc columns);

#endif
