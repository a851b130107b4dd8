/*-------------------------------------------------------------------------
 *
 * extension.h
 *	  Looks up the extension in this database, and its members.
 *
 * Answers for the planner's and executor's hooks are cached, "not installed here"
 * included: queries that do not use the extension read no catalog for it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_EXTENSION_H
#define TYPE_EXTENSION_H

#include "postgres.h"

/*
 * Is the extension installed in this database? False also while this session creates or
 * alters it, since its members change: hooks do nothing then. No function of this file
 * that returns bool raises an error if the extension is not installed.
 */
extern bool extension_installed(void);

/* Is a function or aggregate a member of the extension? */
extern bool extension_has_function(Oid function);

/* Returns the name of a function that is a member of the extension, else NULL. */
extern char *extension_function_name(Oid function);

/*
 * Returns a counter that changes when the extension's members may have changed. Callers
 * then discard what they have cached about members.
 */
extern uint64 extension_changes(void);

/* Is a type the extension's type tensor? */
extern bool is_tensor_type(Oid type);

/*
 * Return the OID of type tensor and its SQL name, "schema.tensor"; and the OID of the
 * extension's schema and its name, unquoted. Names are palloc'd. Errors: 42704 without
 * the extension.
 */
extern Oid tensor_type_oid(void);
extern const char *tensor_type_name(void);
extern Oid extension_schema_oid(void);
extern char *extension_schema_name(void);

/*
 * Returns the name of the extension's schema as it was looked up last, without looking it
 * up, which must not be done while an error is reported: "" if the extension is not
 * installed, NULL if that is not known.
 */
extern const char *extension_schema_known(void);

/*
 * Returns the SQL name "schema.name" of a function of the extension, palloc'd. Looks
 * first in the schema of internal functions, where only the extension's owner creates
 * functions, then in the extension's schema. Calls of a function in the latter must pass
 * all arguments with exactly the declared types: otherwise another user's overload of the
 * same name might be chosen. Errors: 42704 without the extension, 42883 for an unknown
 * name.
 */
extern const char *extension_function(const char *name);

#endif
