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

/*
 * Returns the source of a shifted storage (see stored_source): a query over the storage
 * that is shifted.
 */
extern Source *shifted_source(const CodegenContext *context, const Storage *storage,
							  const StoredRead *read);

/*
 * Returns the operand of a stage that shifts it, in the decomposition that the stage
 * needs, at other indices. All dimensions remain: one with a constant index is a key with
 * that index alone.
 */
extern Source *shifted_result(const CodegenContext *context, const Stage *stage,
							  Source *source);

/*
 * Returns key + offset as SQL, for a key that a point query needs; NULL beyond the ends
 * of bigint, where no entry can be. The planner may evaluate it if the key is known.
 */
extern char *add_to_needed_key(const char *key, int64 offset, int64 bound);

#endif
