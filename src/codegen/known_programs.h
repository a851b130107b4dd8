/*-------------------------------------------------------------------------
 *
 * known_programs.h
 *	  The programs that einsum_decompose has made, and what each reads.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_KNOWN_PROGRAMS_H
#define CODEGEN_KNOWN_PROGRAMS_H

#include "catalog/registration.h"

typedef struct KnownProgram
{
	Oid schema;
	char *name;
	Oid owner;
	const ProgramCall *call; /* NULL: not kept */
	List *relations;         /* of OIDs: its views and tables, and what fills tables */
	/* of OIDs: the relations that its views read, and those of the tensors that it names */
	List *reads;
} KnownProgram;

/*
 * All programs of the database; of several owners' programs with one name in a schema,
 * those of the first owner.
 */
extern List *known_programs(void);

/*
 * The programs that read one of the relations, directly or through each other; each after
 * those that it reads.
 */
extern List *programs_reading(const List *programs, const List *relations);

/*
 * Calls a function as the program's owner and with the search_path with which it was made, so
 * that what a name or a function means is not the caller's matter, nor his rights the program's.
 */
extern void call_as_program(const KnownProgram *program, void (*function)(void *),
							void *argument);

#endif
