/*-------------------------------------------------------------------------
 *
 * now.h
 *	  Views of results in tables that are current between refreshes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_NOW_H
#define CODEGEN_NOW_H

#include "codegen/source.h"

/* What is known of the results of a program while their relations are made. */
typedef struct NowViews
{
	List *changes;  /* of ResultChange *: how tables change */
	List *without;  /* names of the tables that have no such view, and */
	List *reasons;  /* why, in words; NULL: a log is missing */
	int names;      /* of rows in queries, so far */
	List *integers; /* of IntegerTable *: tables whose numbers are exact */
} NowViews;

/*
 * Creates the view t__now of a table t that holds a stage's result and is filled from a
 * view, and sets its name in the registration. If the table is not added to, or nothing is known to be added, drops
 * the view that the program has had, and notes why it has no view. replaceable: see
 * replace.h. Call it within SPI.
 */
extern void make_now_view(NowViews *views, const CodegenContext *context,
						  const Stage *stage, Oid table, Oid view, Storage *registration,
						  const List *replaceable);

/*
 * Grants SELECT on the view t__now of a table t to all who have it on t. Call it within
 * SPI, as the owner.
 */
extern void grant_now_view(Oid table, Oid view);

/* Says of which tables there is no such view, and why. */
extern void notice_without_now(const NowViews *views, const char *program);

#endif
