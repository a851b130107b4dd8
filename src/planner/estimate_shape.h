/*-------------------------------------------------------------------------
 *
 * estimate_shape.h
 *	  What the planner can know of the tensors that an expression computes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_ESTIMATE_SHAPE_H
#define PLANNER_ESTIMATE_SHAPE_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "kernels/tensor_view.h"
#include "planner/planned_call.h"
#include "type/tensor.h"

/* The expected shape and size of a tensor; all numbers are estimates. */
typedef struct ShapeEstimate
{
	int rank;                       /* -1: only the number of elements is known */
	double bounds[TENSOR_MAX_RANK]; /* valid if rank >= 0 */
	double elements;
	double entries; /* of a sparse value; 0: it may be dense */
	double width;   /* bytes in a tuple: a pointer's if it is stored out of line */
} ShapeEstimate;

/* What the equation of a kernel implies for its operands and result. */
typedef struct EquationEstimate
{
	ShapeEstimate output;
	double indices; /* product of the extents of all labels */
	double read;    /* elements of all operands */
	bool is_matrix; /* runs as a matrix product */
} EquationEstimate;

/*
 * Estimates the value of an expression of a query that is being planned. False
 * if nothing is known of it, or if it is not a tensor. Reads catalogs, no data.
 */
extern bool estimate_shape(PlannerInfo *root, Node *node, ShapeEstimate *shape);

/* Estimates the shape of the result of a call. */
extern bool estimate_call(PlannerInfo *root, const PlannedCall *call,
						  ShapeEstimate *shape);

/*
 * Estimates the work of a call's equation; false if the call has none, or extents are not
 * known.
 */
extern bool estimate_equation(PlannerInfo *root, const PlannedCall *call,
							  EquationEstimate *estimate);

/*
 * Returns the rows that tensor_unstack or a similar function returns with these
 * arguments; 0 if not known.
 */
extern double estimate_unstacked(PlannerInfo *root, List *args);

/*
 * Does a column number the slices, blocks or elements of a value, so that each number is
 * in one row?
 */
extern bool is_number_of_slice(const RangeTblEntry *rte, AttrNumber attno);

/* Sets the shape of a computed value with these bounds. */
extern void shape_of_bounds(ShapeEstimate *shape, int rank, const double *bounds);

/* Returns the bytes of a value with this number of elements. */
extern double estimated_bytes(double elements);

#endif
