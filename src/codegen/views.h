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

/*
 * Describes a relation of that name that holds a stage's result in a decomposition; its OID
 * and the types of its columns are not set.
 */
extern Storage *storage_of_result(const Stage *stage, const char *name,
								  const Decomposition *shape);

/* Returns the view or table of a stage that create_views has made. */
extern Oid stage_relid(const CodegenContext *context, const Stage *stage);

/* Returns the statements that create_views executes for a stage. */
extern List *create_statements(const CodegenContext *context, const Stage *stage);

/*
 * Chooses names for the relations of results which readers need in another decomposition
 * than the left side declares: the statement's name is then that of a view over the
 * relation. For einsum_decompose.
 */
extern void show_results(CodegenContext *context);

/* Returns the view that shows such a result. */
extern Oid shown_relid(const CodegenContext *context, const Stage *stage);

/*
 * Creates the view of every stage that has one (materialize.h), or its empty table
 * (tables.h), and registers it under the program's name, as the current user; the last
 * relation keeps the call. With replace, it takes the place of relations that programs
 * made under this program's name or the stages' names (replace.h). Errors: 42P07 if
 * another relation has the name; 2BP01 if others depend on what is dropped. Returns the
 * tables, which are still to be filled.
 */
extern List *create_views(const CodegenContext *context, const char *program,
						  const ProgramCall *call, bool replace);

#endif
