/*-------------------------------------------------------------------------
 *
 * allints.h
 *	  How many indices, or tuples made of them, are enumerated at the most.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_ALLINTS_H
#define TYPE_ALLINTS_H

/* The setting sparseeinsum.max_dense_tuples. */
extern double max_dense_tuples;

#endif
