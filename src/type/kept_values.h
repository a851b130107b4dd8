/*-------------------------------------------------------------------------
 *
 * kept_values.h
 *	  Values that a query has computed, in memory that lives as long as it does.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_KEPT_VALUES_H
#define TYPE_KEPT_VALUES_H

#include "postgres.h"

#include "compat.h"
#include "type/tensor.h"

/* Those of one query in this process. */
typedef struct KeptValues KeptValues;

/* Values smaller than this are as well off within the rows. */
#define KEPT_VALUE_BYTES 256

/* A value that says where another lies: what a row has instead of that. */
typedef union KeptReference
{
	struct varlena header;
	char bytes[VARHDRSZ_EXTERNAL + sizeof(struct varatt_indirect)];
} KeptReference;

/* The values of the query that lives in this context; none at first. */
extern KeptValues *make_kept_values(MemoryContext query);

/*
 * Memory for values, which stays until the query ends; NULL if the query's values
 * would take more than sparseeinsum.cache_size.
 */
extern void *keep_bytes(KeptValues *kept, Size bytes);

/* Makes a reference to a value in such memory. */
extern Datum refer_to_kept(const Tensor *value, KeptReference *reference);

/*
 * The value that a datum refers to, if it is one of these: it stays where it is.
 * Else NULL.
 */
extern const Tensor *kept_value(const KeptValues *kept, const struct varlena *datum);

#endif
