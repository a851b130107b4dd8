/*-------------------------------------------------------------------------
 *
 * constant.h
 *	  Constants in planned expressions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_CONSTANT_H
#define TYPE_CONSTANT_H

#include "postgres.h"

#include "nodes/nodes.h"

/*
 * Reads a constant of an integer type. False for any other node, NULL included, and for
 * a NULL constant.
 */
extern bool constant_integer(const Node *node, int64 *value);

#endif
