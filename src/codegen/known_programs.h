/*-------------------------------------------------------------------------
 *
 * known_programs.h
 *	  Programs made by einsum_decompose, and the relations that each one reads.
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
	/* the call that made it; NULL if no relation keeps the call */
	const ProgramCall *call;
	/* OIDs of its views and tables, and of the views that fill tables */
	List *relations;
	/*
	 * OIDs of the relations that its views read, and of those that hold tensors in its
	 * text
	 */
	List *reads;
} KnownProgram;

/*
 * Returns all programs of the database. Of programs with the same name and schema but
 * several owners it returns the first owner's.
 */
extern List *known_programs(void);

/*
 * Returns the programs that read one of the relations, directly or through other
 * programs; each comes after those that it reads.
 */
extern List *programs_reading(const List *programs, const List *relations);

/*
 * Calls a function as the program's owner and with the search_path under which the
 * program was made: names must not depend on the caller, and the program must not get the
 * caller's rights.
 */
extern void call_as_program(const KnownProgram *program, void (*function)(void *),
							void *argument);

/* The same of what a role has made under the search_path of these schemas (char *). */
extern void call_as_owner(Oid owner, const List *schemas, void (*function)(void *),
						  void *argument);

#endif
