/*-------------------------------------------------------------------------
 *
 * gather.h
 *	  Reads the tables of Citus that a query needs once, into CTEs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_GATHER_H
#define CODEGEN_GATHER_H

#include "codegen/source.h"

/* The tables that the query which is written gathers. */
typedef struct Gathering Gathering;

extern Gathering *new_gathering(void);

/* Do queries of the plan gather tables of Citus? Then Citus plans them. */
extern bool plan_gathers(const CodegenContext *context);

/*
 * Is the relation of a storage read from a CTE? Besides tables of Citus that are, in
 * queries that gather, those that are read by subqueries: Citus may compute these apart,
 * where nothing above can prove the keys unique.
 */
extern bool is_gathered(const CodegenContext *context, const Storage *storage);

/*
 * Returns the quoted name of a CTE that has the columns of a storage's relation, of a
 * table of Citus, in its rows for which a condition holds; NULL: in all. In the condition
 * the relation is r. Errors: 0A000 in a round of a loop, which reads what is gathered
 * before it.
 */
extern char *gathered_relation(const CodegenContext *context, const Storage *storage,
							   const char *condition);

/*
 * Appends the CTEs that were asked for since the last call to a list "WITH ...", which
 * may be empty; they have to stand before what reads them.
 */
extern void append_gathered(const CodegenContext *context, StringInfo queries);

/*
 * Returns the bytes of the tables of Citus that queries of a plan gather, as estimated;
 * shares, unless NULL, gets "table: bytes" of each.
 */
extern double gathered_bytes(const ProgramPlan *plan, StringInfo shares);

/* Errors: 54000 if a plan's queries would gather more than max_gather_bytes. */
extern void check_gathered_bytes(const ProgramPlan *plan);

/* Returns an amount of memory as text, such as "118 MB". */
extern char *memory_amount(double bytes);

/* Returns a whole query with the CTEs that it reads; the next one begins anew. */
extern char *with_gathered(const CodegenContext *context, char *query);

#endif
