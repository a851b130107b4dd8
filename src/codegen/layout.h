/*-------------------------------------------------------------------------
 *
 * layout.h
 *	  Places the boxes of a graph that is drawn from top to bottom.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_LAYOUT_H
#define CODEGEN_LAYOUT_H

typedef struct LayoutPoint
{
	double x;
	double y;
} LayoutPoint;

/* A box. The caller sets width and height. */
typedef struct LayoutBox
{
	double width;
	double height;
	LayoutPoint corner; /* top left */
} LayoutBox;

/*
 * An edge from the lower side of a box to the upper side of a box with a higher number.
 * Edges of one box share a line through layers; the points of an edge begin where it
 * leaves the line of another.
 */
typedef struct LayoutEdge
{
	int from;
	int to;
	int npoints;
	LayoutPoint *points; /* points of the edge's line, including both ends */
} LayoutEdge;

typedef struct Layout
{
	int nboxes;
	LayoutBox *boxes;
	int nedges;
	LayoutEdge *edges;
	double width; /* width of the whole picture */
	double height;
} Layout;

/*
 * Places boxes in layers, without overlaps and such that edges are short and cross little
 * (Sugiyama, Tagawa and Toda 1981). Each box is below all boxes that have edges to it; a
 * box without such edges is just above the first box that it has an edge to. The same
 * graph has the same layout on every machine.
 */
extern void lay_out(Layout *layout);

#endif
