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

/* Makes a change of a tensor, which rows hold in this way, a tensor that terms can read. */
extern ProgramTensor *tensor_of_change(const Storage *change,
									   const TensorStatistics *statistics,
									   const ProgramTensor *of);

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
 * Makes the last statement of a program one of what is to be added to its result, of this
 * change ADDED, in this decomposition. Returns why nothing can be added, in words; or NULL.
 */
extern const char *make_added_statement(Program *program, const Change *change,
										const Decomposition *shape);

/*
 * Returns a query with its columns cast to the types of these columns, and with their
 * names.
 */
extern char *with_types_of(const char *query, TupleDesc columns);

#endif
