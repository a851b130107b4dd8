/*-------------------------------------------------------------------------
 *
 * picture.h
 *	  Plans as pictures.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_PICTURE_H
#define CODEGEN_PICTURE_H

#include "codegen/explain.h"

/*
 * A plan as a graph of its stages and of what is stored, in the language of Graphviz; with counts (by stage
 * number; or NULL) what there is beside what is estimated.
 */
extern void draw_dot(StringInfo out, const ProgramPlan *plan, const StageCounts *counts);

/* Draws a plan as an SVG document. */
extern void draw_svg(StringInfo out, const ProgramPlan *plan, const StageCounts *counts);

#endif
