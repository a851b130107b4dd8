/*-------------------------------------------------------------------------
 *
 * dictionary.h
 *	  Keys of any hashable type as dense integers, which a loop nest takes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_DICTIONARY_H
#define EXECUTOR_OPERAND_DICTIONARY_H

#include "postgres.h"

/*
 * How keys are compared. Labels with the same kind of keys have one dictionary in a
 * query: a key has one number, whichever column it is read from, so that operands can be
 * shared. Labels of different kinds have different dictionaries.
 */
typedef struct KeyKind
{
	Oid equality;  /* an equality operator; InvalidOid: integers, which need no numbers */
	Oid collation; /* for the equality */
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
 * Finds the kind of keys of a base type that an operator compares under a collation.
 * False if the operator is not a hashable equality of two values of one type, if it needs
 * a collation that is missing, or if the keys are tensors.
 */
extern bool find_key_kind(Oid type, Oid equality, Oid collation, KeyKind *kind);

/* Finds the kind of keys of a type for its default equality, which GROUP BY uses. */
extern bool default_key_kind(Oid type, Oid collation, KeyKind *kind);

/* Bytes that a key of width bytes takes in a dictionary. */
extern double dictionary_key_bytes(double width);

typedef struct Dictionary Dictionary;
typedef struct Dictionaries Dictionaries; /* of one query, or of the queries of a loop */

/*
 * Makes a query's dictionaries, in a child of the context. All together take at most as
 * much memory as a hash table.
 */
extern Dictionaries *begin_dictionaries(MemoryContext context);

/* Returns the dictionary of a kind, which exists until each of its users has left it. */
extern Dictionary *use_dictionary(Dictionaries *dictionaries, const KeyKind *kind);
extern void leave_dictionary(Dictionaries *dictionaries, Dictionary *dictionary);

/*
 * Returns the number of a key (from 0; the same for equal keys), or -1 if there is no
 * memory for a new key. *like is false if an equal key that is not identical has the
 * number, as 1.0 and 1.00. Allocates temporary memory in the current context.
 */
extern int64 dictionary_number(Dictionaries *dictionaries, Dictionary *dictionary,
							   Datum key, bool *like);

/* As dictionary_number, for a detoasted key whose hash is known. */
extern int64 dictionary_number_of_hashed(Dictionaries *dictionaries,
										 Dictionary *dictionary, Datum key, uint32 hash,
										 bool *like);

/* The number of keys in a dictionary. */
extern int64 dictionary_count(const Dictionary *dictionary);

/* The key that has a number; it is in the dictionary's memory. */
extern Datum dictionary_key(const Dictionary *dictionary, int64 number);

/* The hash of the key that has a number: the same in every process. */
extern uint32 dictionary_hash(const Dictionary *dictionary, int64 number);

/* Returns whether keys are passed by value, and their length, as in pg_type. */
extern void dictionary_representation(const Dictionary *dictionary, bool *by_value,
									  int16 *length);

/*
 * Memory for count numbers, which counts as the dictionaries' memory; NULL if that is
 * full.
 */
extern int32 *allocate_numbers(Dictionaries *dictionaries, int64 count);
extern void free_numbers(Dictionaries *dictionaries, int32 *numbers, int64 count);

#endif
