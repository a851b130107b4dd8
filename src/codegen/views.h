/*-------------------------------------------------------------------------
 *
 * views.h
 *	  The views and tables of a decomposed program.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_VIEWS_H
#define CODEGEN_VIEWS_H

#include "codegen/source.h"

/* The view or table of a stage that create_views has made. */
extern Oid stage_relid(const CodegenContext *context, const Stage *stage);

/* What create_views does for a stage, as SQL. */
extern List *create_statements(const CodegenContext *context, const Stage *stage);

/*
 * Names the relations of results whose readers want them otherwise than the left side says: what has the
 * statement's name is then a view of them. For einsum_decompose.
 */
extern void show_results(CodegenContext *context);

/* The view that shows such a result. */
extern Oid shown_relid(const CodegenContext *context, const Stage *stage);

/*
 * Creates the view of every stage that has one (materialize.h), or the empty table (tables.h), and
 * registers it under the program's name, as the current user; the last one
 * keeps the call. With replace, it takes the place of what programs have made under this name or under the stages'
 * names (replace.h). Errors: 42P07 if another relation is in the way; 2BP01 if others depend on what is dropped.
 * Returns the tables, to be filled.
 */
extern List *create_views(const CodegenContext *context, const char *program,
						  const ProgramCall *call, bool replace);

#endif
