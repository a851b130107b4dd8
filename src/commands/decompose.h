/*-------------------------------------------------------------------------
 *
 * decompose.h
 *	  Creating the views and tables of a program, as a recorded call asks for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMANDS_DECOMPOSE_H
#define COMMANDS_DECOMPOSE_H

#include "codegen/source.h"

/*
 * Creates the views and tables that a program defines and registers them, as the current
 * user and with the current search_path. Errors: all of einsum_decompose.
 */
extern CodegenContext *make_program(const ProgramCall *call, const char *schema,
									const char *name, bool replace);

#endif
