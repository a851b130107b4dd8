/*-------------------------------------------------------------------------
 *
 * layout.h
 *	  Where the boxes of a graph go that is drawn from top to bottom.
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

/* Width and height are given. */
typedef struct LayoutBox
{
	double width;
	double height;
	LayoutPoint corner; /* top left */
} LayoutBox;

/* From the lower side of a box to the upper side of one with a higher number. */
typedef struct LayoutEdge
{
	int from;
	int to;
	int npoints;
	LayoutPoint *points; /* of its line, both ends included */
} LayoutEdge;

typedef struct Layout
{
	int nboxes;
	LayoutBox *boxes;
	int nedges;
	LayoutEdge *edges;
	double width; /* of the whole picture */
	double height;
} Layout;

/*
 * Places boxes in layers, each below all those it has edges from, without overlaps and such that
 * edges are short and cross little (Sugiyama, Tagawa and Toda 1981); a box that has none from others is just above
 * the first one that it has an edge to. One graph has one layout, on every machine.
 */
extern void lay_out(Layout *layout);

#endif
