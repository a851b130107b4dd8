/*-------------------------------------------------------------------------
 *
 * picture.h
 *	  Draws plans as pictures.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_PICTURE_H
#define CODEGEN_PICTURE_H

#include "codegen/explain.h"

/*
 * Draws a plan as a graph of its stages and stored tensors, in Graphviz's language DOT;
 * with counts (by stage number; or NULL) measured values stand beside estimates.
 */
extern void draw_dot(StringInfo out, const ProgramPlan *plan, const StageCounts *counts);

/* Draws a plan as an SVG document. */
extern void draw_svg(StringInfo out, const ProgramPlan *plan, const StageCounts *counts);

#endif
