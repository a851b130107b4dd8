/*-------------------------------------------------------------------------
 *
 * materialize.h
 *	  Views that compute a stage once, though they read its result several times.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_MATERIALIZE_H
#define CODEGEN_MATERIALIZE_H

#include "codegen/source.h"

/* Returns an empty cache of the stages that views keep, which is filled at first use. */
extern struct KeptStages *no_kept_stages(void);

/*
 * Returns the context for writing the SELECT of a stage's view: it says where each stage
 * below is found.
 */
extern CodegenContext *view_context(const CodegenContext *context, const Stage *stage);

/*
 * Has a stage a view or table of its own? It has if a statement defines it or the
 * relation of another stage reads it, but not if it is part of the queries of all its
 * readers.
 */
extern bool stage_has_relation(const CodegenContext *context, const Stage *stage);

/*
 * Returns the SELECT of a stage's view in its context, with WITH queries of the stages
 * that the view computes once.
 */
extern char *deparse_view(const CodegenContext *view, const Stage *stage);

#endif
