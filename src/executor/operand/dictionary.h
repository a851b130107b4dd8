/*-------------------------------------------------------------------------
 *
 * dictionary.h
 *	  Keys of any hashable type as dense integers, which a loop nest takes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_AGGREGATE_JOIN_DICTIONARY_H
#define EXECUTOR_AGGREGATE_JOIN_DICTIONARY_H

#include "postgres.h"

/*
 * By what keys are equal. Labels whose keys are equal by the same have one dictionary in
 * a query: a key has one number, whichever column it is read from, so that operands can
 * be shared. No labels of another kind have it.
 */
typedef struct KeyKind
{
	Oid equality;  /* an operator; InvalidOid: integers, which are their own numbers */
	Oid collation; /* for it */
	Oid type;      /* of the keys */
} KeyKind;

static inline bool
is_dictionary_kind(const KeyKind *kind)
{
	return OidIsValid(kind->equality);
}

static inline bool
same_kind(const KeyKind *a, const KeyKind *b)
{
	return a->equality == b->equality && a->collation == b->collation &&
		   a->type == b->type;
}

/*
 * The kind of keys of a base type that an operator compares under a collation. False if
 * it is not an equality of values of one type that can be hashed, it needs a collation
 * and has none, or the keys are tensors.
 */
extern bool find_key_kind(Oid type, Oid equality, Oid collation, KeyKind *kind);

/* The kind of keys for the equality by which keys of a type are grouped. */
extern bool default_key_kind(Oid type, Oid collation, KeyKind *kind);

/* Bytes that a key of width bytes takes in a dictionary. */
extern double dictionary_key_bytes(double width);

typedef struct Dictionary Dictionary;
typedef struct Dictionaries Dictionaries; /* of one query, or of the queries of a loop */

/*
 * None yet. They live in a child of the context, and take together what a hash table may.
 */
extern Dictionaries *begin_dictionaries(MemoryContext context);

/* The dictionary of a kind, which stays until everybody has left it. */
extern Dictionary *use_dictionary(Dictionaries *dictionaries, const KeyKind *kind);
extern void leave_dictionary(Dictionaries *dictionaries, Dictionary *dictionary);

/*
 * The number of a key, from 0 on: the same for equal keys. -1 if there is no memory for
 * it. *like is false if the key that has the number is equal and not identical, as 1.0
 * and 1.00 are. Temporary memory is the current context's.
 */
extern int64 dictionary_number(Dictionaries *dictionaries, Dictionary *dictionary,
							   Datum key, bool *like);

/* As dictionary_number, for a key that is detoasted and whose hash is known. */
extern int64 dictionary_number_of_hashed(Dictionaries *dictionaries,
										 Dictionary *dictionary, Datum key, uint32 hash,
										 bool *like);

/* The number of keys. */
extern int64 dictionary_count(const Dictionary *dictionary);

/* The key of a number, in the dictionary's memory. */
extern Datum dictionary_key(const Dictionary *dictionary, int64 number);

/* The hash of a numbered key, which equal keys have in every process. */
extern uint32 dictionary_hash(const Dictionary *dictionary, int64 number);

/* Are keys what their datums are, and of which length? As pg_type has it. */
extern void dictionary_representation(const Dictionary *dictionary, bool *by_value,
									  int16 *length);

/*
 * Memory for count numbers beside the dictionaries, in what they may take; NULL if that
 * is full.
 */
extern int32 *allocate_numbers(Dictionaries *dictionaries, int64 count);
extern void free_numbers(Dictionaries *dictionaries, int32 *numbers, int64 count);

#endif
