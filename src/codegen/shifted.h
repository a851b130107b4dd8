/*-------------------------------------------------------------------------
 *
 * shifted.h
 *	  Stored tensors at shifted and constant indices, as items of a FROM list.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_SHIFTED_H
#define CODEGEN_SHIFTED_H

#include "codegen/source.h"

/* stored_source of a shifted storage: a query over the one that is shifted. */
extern Source *shifted_source(const CodegenContext *context, const Storage *storage,
							  const StoredRead *read);

/*
 * What a stage reads, in the decomposition that it needs, at other indices: it has all dimensions
 * still, those with constant indices as keys of that one index.
 */
extern Source *shifted_result(const CodegenContext *context, const Stage *stage,
							  Source *source);

/*
 * key + offset, as SQL, for a key that a point query needs; NULL beyond the ends of bigint, where
 * there is nothing. The key may be known when the query is planned.
 */
extern char *add_to_needed_key(const char *key, int64 offset);

#endif
