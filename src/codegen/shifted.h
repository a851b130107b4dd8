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

#endif
