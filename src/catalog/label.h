/*-------------------------------------------------------------------------
 *
 * label.h
 *	  The text of a security label: what it says about a relation's tensors.
 *
 * One label holds all registrations of its relation, as
 *
 *	  {"version":2,"tensors":[{"tensor":"a","notation":"a[I,J]",
 *	   "keys":["dst","src"],"value":"weight","bounds":[2708,"*"],
 *	   "type":"float8","fill":0,"duplicates":"error","program":null}, ...]}
 *
 * and "layout":"csr(indptr,indices,data)" where rows have arrays, "keys" then being those
 * of the first labels,
 * "position":"number" for a dimension whose keys have places in values,
 * "query":"t__query" for a table t that a program fills, with "statement":"t[i] = ..."
 * and "reads":12345 if refreshes may add what has changed, and "now":"t__now" if a view
 * is current between them; "loop":{"max_rounds":100,"step":"x[i] =
 * ...","path":["public"],"assign":[]} on a state of a loop; and last, on the relation of
 * the program's last stage, what made the program:
 * "call":{"text":"y[i] =
 * a[i,j]","path":["public"],"search":"greedy","security_invoker":true}, with those
 * options that are not null. A bound that is a dimension is its name, as SQL writes it. A
 * value that several columns make is ["age","income",1], after which may be said
 * "nulls":"row", or else they are 'entry'; one of categories is
 * {"column":"region","categories":["east","west"]}. Labels of version 1 are read, too; one
 * with a layout is of version 3, which earlier libraries refuse. "ranges":true says that
 * key columns of range types have ranges of keys, in labels of version 4.
 *
 * Columns are kept by name, because labels go through pg_dump; bounds are in
 * the order of the notation; an infinite, NaN or complex fill is a string. The
 * text is
 * a function of what it says, byte for byte, so that its hash tells whether
 * statistics are still about the same registration.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_LABEL_H
#define CATALOG_LABEL_H

#include "catalog/registration.h"
#include "parser/syntax.h"

/* A labelled relation, found by scan_labels. */
typedef struct LabelledRelation
{
	Oid relid;
	Oid schema;
	char *label;
} LabelledRelation;

/*
 * Reads a label into a list of Storage *, in order. Columns are only known by name:
 * storage_resolve finds them. Errors: 22P02 if the text is not JSON, 22023 if it is not
 * of the form above.
 */
extern List *label_parse(const char *text, Oid relid);

/*
 * Reads a label without raising an error: for a malformed label returns NIL, and sets
 * *message. The provider's hook refuses such labels, but another version of the extension
 * may have accepted one. Parsing has no effects except allocating memory, so catching its
 * error needs no subtransaction.
 */
extern List *label_parse_softly(const char *text, Oid relid, char **message);

/* The names of the options of a program's call, in order. */
extern const char *const call_option_names[];

/* Are two calls of loops, or NULL, the same? */
extern bool same_loop_call(const LoopCall *one, const LoopCall *other);

/*
 * Returns a hash of what one registration says of its relation, other registrations
 * apart.
 */
extern int64 registration_hash(const Storage *storage);

/*
 * Returns a hash, not negative, of what these registrations (Storage *) say of their
 * relations; their order does not matter, and each counts once.
 */
extern int64 registrations_hash(const List *storages);

/*
 * Sets tensor, rank, labels, kinds and block sizes from a notation. Errors: no brackets,
 * a repeated label, more than 16 dimensions.
 */
extern void storage_set_notation(Storage *storage, const SyntaxReference *reference);

/* Returns the notation of a storage, "a[I,J,k,l:64]", which parses back to it. */
extern char *storage_notation(const Storage *storage);

/*
 * Convert between a policy and its name, "sum" and so on; false if there is no such
 * policy.
 */
extern const char *duplicate_policy_name(DuplicatePolicy policy);
extern bool duplicate_policy_by_name(const char *name, DuplicatePolicy *policy);

/*
 * Return numbers as text for messages and labels: a bound as "2708", "*" if it is open,
 * or a dimension's name; a value as "1.5" or "-Infinity".
 */
extern char *bound_to_string(int64 bound);
extern char *float8_to_string(double value);
extern char *number_to_string(Number value); /* "1+2i", or as a float8 */

/* Returns all labels, in any order, of relations of any kind; schema is not set. */
extern List *all_labels(void);

/*
 * Returns all labelled relations, in order of their OIDs, in the given schemas, or in any
 * if schemas is NIL. Other sessions' temporary tables and shards of Citus are left out.
 * Reads all of pg_seclabel; to find a name, use registry.h.
 */
extern List *scan_labels(List *schemas);

/* Returns the label of one relation, or NULL. */
extern char *relation_label(Oid relid);

/* Return, or replace, the registrations on one relation. NIL removes the label. */
extern List *relation_registrations(Oid relid);
extern void set_relation_registrations(Oid relid, List *storages);

/* Returns the registration of this tensor in a list of Storage *, or NULL. */
extern Storage *find_registration(List *storages, const char *tensor);

#endif
