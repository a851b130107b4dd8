/*-------------------------------------------------------------------------
 *
 * materialize.h
 *	  Views that compute a stage once, though they read it several times.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_MATERIALIZE_H
#define CODEGEN_MATERIALIZE_H

#include "codegen/source.h"

/* What is known of a plan's views at first: nothing yet. */
extern struct KeptStages *no_kept_stages(void);

/*
 * The context in which the SELECT of a stage's view is written: where each
 * stage below it is found.
 */
extern CodegenContext *view_context(const CodegenContext *context, const Stage *stage);

/*
 * Has a stage a view or table of its own? What a statement defines has one, and what
 * the relation of another stage reads; not what is within all that read it.
 */
extern bool stage_has_relation(const CodegenContext *context, const Stage *stage);

/*
 * The SELECT of a stage's view in its context: the stage's own, after WITH
 * queries of what the view computes once.
 */
extern char *deparse_view(const CodegenContext *view, const Stage *stage);

#endif
