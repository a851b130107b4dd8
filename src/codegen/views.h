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
 * as the current user. With replace, it takes the place of what programs have
 * made under this name or under the stages' names (replace.h). Errors: 42P07
 * if another relation is in the way; 2BP01 if others depend on what is dropped.
 */
extern void create_views(const CodegenContext *context, const char *program,
						 bool security_invoker, bool replace);

#endif
