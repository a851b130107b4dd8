/*-------------------------------------------------------------------------
 *
 * tensor_reduce.h
 *	  The kinds of tensor_reduce.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_TENSOR_REDUCE_H
#define TYPE_TENSOR_REDUCE_H

/* Is this the name of a kind of reduction, such as "sum"? */
extern bool is_reduction_name(const char *name);

#endif
