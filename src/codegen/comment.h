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

/*
 * Returns what a stage computes: the text of its statement, or its notation if it is part
 * of one.
 */
extern char *stage_definition(const StagePlan *plan);

/*
 * Returns the SQL statement that puts a stage's comment on the relation with its result.
 */
extern char *comment_statement(const StagePlan *plan, char relkind, const char *relation);

/*
 * Puts a stage's comment on a relation, unless the relation has a comment that a user
 * wrote. Call it within SPI.
 */
extern void put_comment(const StagePlan *plan, Oid relation);

#endif
