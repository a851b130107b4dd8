/*-------------------------------------------------------------------------
 *
 * role.c
 *	  Acting as another role for a while.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/guc.h"

#include "catalog/role.h"

void
become_role(Caller *caller, Oid role)
{
	GetUserIdAndSecContext(&caller->user, &caller->security);
	SetUserIdAndSecContext(role, caller->security | SECURITY_RESTRICTED_OPERATION);
	caller->nest_level = NewGUCNestLevel();
}

void
become_caller(const Caller *caller)
{
	AtEOXact_GUC(false, caller->nest_level);
	SetUserIdAndSecContext(caller->user, caller->security);
}
