/*-------------------------------------------------------------------------
 *
 * known_tensors.h
 *	  The stored tensors that programs read, as they were registered at one moment.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_KNOWN_TENSORS_H
#define EXPR_KNOWN_TENSORS_H

#include "catalog/registration.h"

typedef struct KnownTensors KnownTensors;

/* Returns an empty set in the current memory context. */
extern KnownTensors *new_known_tensors(void);

/*
 * Adds the names that a program reads, to be looked up. states: of char *, names that do
 * not mean stored tensors. Errors: those of parsing.
 */
extern void add_names_of_program(KnownTensors *known, const char *text,
								 const List *states);

/*
 * Looks up all names. Other sessions may register tensors anew at any time, so they are
 * looked up again until nothing has changed meanwhile. Frees what an earlier call has
 * found. Errors: those of lookup_tensor.
 */
extern void look_up_tensors(KnownTensors *known);

/*
 * Looks up all names again. Returns the name of a tensor that is no longer registered as
 * it was found before; NULL if all are.
 */
extern const char *changed_tensor(KnownTensors *known);

/*
 * Returns the stored tensor that a name means, or NULL. A name that no program has, such
 * as one that a hint tries, is looked up now.
 */
extern TensorEntry *known_tensor(const KnownTensors *known, const char *schema,
								 const char *name);

#endif
