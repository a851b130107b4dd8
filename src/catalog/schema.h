/*-------------------------------------------------------------------------
 *
 * schema.h
 *	  Schemas that a call or a program names.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_SCHEMA_H
#define CATALOG_SCHEMA_H

/*
 * Raises 3F000 if there is no schema of that name; pg_temp is always one. text: the
 * program that names it at this location; NULL: a call names it.
 */
extern void require_schema(const char *name, const char *text, int location);

#endif
