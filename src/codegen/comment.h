/*-------------------------------------------------------------------------
 *
 * comment.h
 *	  Comments on the views and tables of programs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_COMMENT_H
#define CODEGEN_COMMENT_H

#include "optimizer/plan.h"

/* What a stage computes, in the user's words. */
extern char *stage_definition(const StagePlan *plan);

/* The comment on a relation that has a stage's result, as an SQL statement. */
extern char *comment_statement(const StagePlan *plan, char relkind, const char *relation);

/*
 * Comments on a relation by that statement, unless it has a comment that somebody
 * else wrote. Within SPI.
 */
extern void put_comment(const StagePlan *plan, Oid relation);

#endif
