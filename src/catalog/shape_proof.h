/*-------------------------------------------------------------------------
 *
 * shape_proof.h
 *	  What the declaration of a column proves about the tensors in it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_SHAPE_PROOF_H
#define CATALOG_SHAPE_PROOF_H

#include "nodes/nodes.h"
#include "utils/relcache.h"

#include "catalog/registration.h"

/* The shape and element type that all values of a column are proved to share. */
typedef struct ShapeProof
{
	int rank; /* -1: their shapes may differ */
	int32 bounds[TENSOR_MAX_RANK];
	ElementType type; /* 0: their element types may differ */
} ShapeProof;

/*
 * Finds the shape and element type that every value of a column has, except NULL, as long
 * as the constraints and the type of the column do not change. Nothing is proved of a
 * column that is not a tensor or a domain over it. The relation must be locked.
 */
extern void find_shape_proof(Relation relation, AttrNumber attno, ShapeProof *proof);

/*
 * Return CHECK conditions that prove the shape, or the element type, of a column that
 * holds a storage's values: "tensor_shape(v) = '{2,3}'" and "tensor_type(v) = 'float8'".
 * NULL if values have different shapes, as in blocks whose last one is shorter. column is
 * quoted.
 */
extern char *shape_condition(const Storage *storage, const char *column);
extern char *type_condition(const Storage *storage, const char *column);

/*
 * Reads a constant array of integers as a shape. False for any other expression, for
 * NULL, and for arrays that are no shape: with NULLs, with several dimensions, or with
 * subscripts that do not begin at 1.
 */
extern bool constant_shape(const Node *node, int *rank, int32 *bounds);

/* Returns the text of a constant, or NULL. */
extern const char *constant_text(const Node *node);

#endif
