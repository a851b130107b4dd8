/*-------------------------------------------------------------------------
 *
 * extension.h
 *	  What is ours: the extension in this database, and its members.
 *
 * What the planner's and executor's hooks ask is answered from memory, "it is not
 * installed here" included: queries that have nothing to do with the extension
 * read no catalog for it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_EXTENSION_H
#define TYPE_EXTENSION_H

#include "postgres.h"

/*
 * Is the extension installed in this database? False also while this session
 * creates or alters it, as its members change: hooks do nothing then. Neither
 * this nor the other questions with a yes or no raise errors without it.
 */
extern bool extension_installed(void);

/* Is a function, which includes aggregates, a member of the extension? */
extern bool extension_has_function(Oid function);

/* The name of such a function, else NULL. */
extern char *extension_function_name(Oid function);

/*
 * A number that is another one when the extension's members may have changed: what is known of
 * them is to be forgotten.
 */
extern uint64 extension_changes(void);

/* Is a type the extension's type tensor? */
extern bool is_tensor_type(Oid type);

/*
 * The OID of type tensor and its name for SQL, "schema.tensor"; the extension's schema and
 * its name, not quoted. Names are in the current context. Errors: 42704 without the extension.
 */
extern Oid tensor_type_oid(void);
extern const char *tensor_type_name(void);
extern Oid extension_schema_oid(void);
extern char *extension_schema_name(void);

/*
 * A function of ours for SQL, "schema.name", in the current context: in the schema of those
 * that are internal, where only our owner creates, before that of the extension. In the latter,
 * arguments must have exactly the types that it declares, and all be given: of functions of
 * the name that somebody else creates beside it none is then called instead. Errors: 42704
 * without the extension, 42883 if it has no function of the name.
 */
extern const char *extension_function(const char *name);

#endif
