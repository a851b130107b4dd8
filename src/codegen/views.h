/*-------------------------------------------------------------------------
 *
 * views.h
 *	  The views of a decomposed program.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_VIEWS_H
#define CODEGEN_VIEWS_H

#include "codegen/source.h"

extern char *create_view_statement(const CodegenContext *context, const Stage *stage,
								   bool security_invoker);

/*
 * Creates the view of every stage and registers it under the program's name,
 * as the current user. Errors: 42P07 if a relation of that name exists.
 */
extern void create_views(const CodegenContext *context, const char *program,
						 bool security_invoker);

/*
 * Drops the views of a program in a schema, and with them those that stages of
 * the plan would replace (plan may be NULL). Errors: 2BP01 if others depend on
 * them. Returns their number.
 */
extern int drop_views(Oid schema, const char *program, const CodegenContext *context);

#endif
