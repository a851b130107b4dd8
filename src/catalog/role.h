/*-------------------------------------------------------------------------
 *
 * role.h
 *	  Acting as another role for a while.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_ROLE_H
#define CATALOG_ROLE_H

#include "postgres.h"

/* What become_caller goes back to. */
typedef struct Caller
{
	Oid user;
	int security;
	int nest_level;
} Caller;

/*
 * Continues with the rights of a role, until become_caller or an error, which restores the
 * caller, too. What is owned by the role runs code of that role, in views and triggers: it
 * gets no more rights than it has, and cannot change the session (a security-restricted
 * operation). Settings made meanwhile end with it. search_path stays: statements of ours
 * name schemas, and only who may become the role anyhow has its code run under a
 * search_path of theirs.
 */
extern void become_role(Caller *caller, Oid role);
extern void become_caller(const Caller *caller);

#endif
