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
 * and "position":"number" for a dimension whose keys have places in values,
 * "query":"t__query" for a table t that a program fills, and last, on the relation of
 * the program's last stage, what made the program:
 * "call":{"text":"y[i] = a[i,j]","path":["public"],"search":"greedy","security_invoker":true},
 * with those options that are not null. A bound that is a
 * dimension is its name, as SQL writes it. A value that several columns make is
 * ["age","income",1], after which may be said "nulls":"row", or else they are 'entry'; one
 * of categories is {"column":"region","categories":["east","west"]}. Labels of version 1
 * are read, too.
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
 * Reads a label into a list of Storage *, in order, whose columns are known by
 * name only: storage_resolve finds them. Errors: 22P02 if the text is no JSON,
 * 22023 if it is not of the form above.
 */
extern List *label_parse(const char *text, Oid relid);

/*
 * The same without raising an error: NIL with a message for a label that is
 * malformed. The provider's hook lets none in, but another version of the
 * extension may have. Parsing allocates memory and has no other effects, so
 * that catching its error needs no subtransaction.
 */
extern List *label_parse_softly(const char *text, Oid relid, char **message);

/* Writes a list of Storage * as the text above. */
extern char *label_text(List *storages);

/* Names of the options of a program's call, in order. */
extern const char *const call_option_names[];

/* Identifies what one registration says of its relation, whatever else that holds. */
extern int64 registration_hash(const Storage *storage);

/*
 * Fills tensor, rank, labels, kinds and block sizes from a notation. Errors:
 * no brackets, a repeated label, more than 16 dimensions.
 */
extern void storage_set_notation(Storage *storage, const SyntaxReference *reference);

/* "a[I,J,k,l:64]": the notation that parses back to this storage. */
extern char *storage_notation(const Storage *storage);

/* "sum" and so on, and back; false if there is no such policy. */
extern const char *duplicate_policy_name(DuplicatePolicy policy);
extern bool duplicate_policy_by_name(const char *name, DuplicatePolicy *policy);

/*
 * "2708", "*" for an open bound, or a dimension's name; "-Infinity"; for messages and
 * labels.
 */
extern char *bound_to_string(int64 bound);
extern char *float8_to_string(double value);
extern char *number_to_string(Number value); /* "1+2i", or as a float8 */

/* All labels, in any order, whatever their relations are (schema is not set). */
extern List *all_labels(void);

/*
 * All relations with a label, in order of their OIDs, in the given schemas, or
 * in any if schemas is NIL. Other sessions' temporary tables are left out, and
 * shards of Citus. It reads all of pg_seclabel: for a name see registry.h.
 */
extern List *scan_labels(List *schemas);

/* Returns the label of one relation, or NULL. */
extern char *relation_label(Oid relid);

/* Reads and replaces what is registered on one relation. NIL removes the label. */
extern List *relation_registrations(Oid relid);
extern void set_relation_registrations(Oid relid, List *storages);

/* Returns the registration of this tensor in a list of Storage *, or NULL. */
extern Storage *find_registration(List *storages, const char *tensor);

#endif
