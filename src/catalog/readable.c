/*-------------------------------------------------------------------------
 *
 * readable.c
 *	  Which users may see the statistics of a tensor's data.
 *
 * Counts tell about data, so they are for those who could count themselves: as
 * in pg_stats, who has SELECT on the columns and is under no row-level
 * security. A view is looked into, since it may show other rows to others than
 * to those who measured it: by the row security of what it reads, or by a
 * condition such as owner = current_user.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

#include "catalog/readable.h"
#include "catalog/stored_layout.h"
#include "compat.h"
#include "recursion.h"

/* The view whose query is examined. */
typedef struct ViewReader
{
	Oid view;
	Oid rights; /* the role whose rights apply to what the view reads */
	Oid user;   /* the user who asks for statistics */
} ViewReader;

static bool shows_all_rows(Oid relid, Oid rights, Oid user);

static bool
has_select(Oid relid, Oid role)
{
	return pg_class_aclcheck(relid, role, ACL_SELECT) == ACLCHECK_OK ||
		   pg_attribute_aclcheck_all(relid, role, ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
}

/* Does the query read a relation some of whose rows may be hidden from the user? */
static bool
hides_rows_walker(Node *node, void *context)
{
	const ViewReader *reader = context;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *rte = (RangeTblEntry *) node;

		/* the rule of a view may have entries for the view itself */
		return rte->rtekind == RTE_RELATION && rte->relid != reader->view &&
			   !(has_select(rte->relid, reader->rights) &&
				 shows_all_rows(rte->relid, reader->rights, reader->user));
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, hides_rows_walker, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, hides_rows_walker, context);
}

static bool
view_shows_all_rows(Oid relid, Oid user)
{
	Relation view = relation_open(relid, AccessShareLock);
	Oid owner = view->rd_rel->relowner;
	Query *query = get_view_query(view);
	/* a security_invoker view reads with the user's rights, also below another view */
	ViewReader reader = {relid, RelationHasSecurityInvoker(view) ? user : owner, user};
	bool result =
		!hides_rows_walker((Node *) query, &reader) &&
		(has_privs_of_role(user, owner) || !contain_mutable_functions((Node *) query));

	relation_close(view, NoLock);
	return result;
}

/* Does a user see all rows of a relation that is read with the rights of a role? */
static bool
shows_all_rows(Oid relid, Oid rights, Oid user)
{
	enter_recursion();
	if (check_enable_rls(relid, rights, true) == RLS_ENABLED)
		return false;
	return get_rel_relkind(relid) != RELKIND_VIEW || view_shows_all_rows(relid, user);
}

/* May the user read the columns of the storage? */
static bool
columns_are_readable(const Storage *storage, Oid user)
{
	bool columns = AttributeNumberIsValid(storage->value_attno);
	ListCell *cell;
	int i;

	if (pg_class_aclcheck(storage->relid, user, ACL_SELECT) == ACLCHECK_OK)
		return true;
	if (columns && pg_attribute_aclcheck(storage->relid, storage->value_attno, user,
										 ACL_SELECT) != ACLCHECK_OK)
		return false;
	foreach (cell, storage->value_parts)
	{
		const ValuePart *part = lfirst(cell);

		if (part->column == NULL)
			continue;
		if (pg_attribute_aclcheck(storage->relid, part->attno, user, ACL_SELECT) !=
			ACLCHECK_OK)
			return false;
		columns = true;
	}
	foreach (cell, storage->layout ? storage->layout->columns : NIL)
	{
		const ValuePart *part = lfirst(cell);

		if (pg_attribute_aclcheck(storage->relid, part->attno, user, ACL_SELECT) !=
			ACLCHECK_OK)
			return false;
		columns = true;
	}
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_DEMOTED ||
			is_layout_index(storage, i))
			continue;
		if (pg_attribute_aclcheck(storage->relid, storage->dimensions[i].attno, user,
								  ACL_SELECT) != ACLCHECK_OK)
			return false;
		columns = true;
	}
	/* rows without values may be counted by a user who may read any column */
	return columns || has_select(storage->relid, user);
}

bool
tensor_is_readable(const TensorEntry *tensor)
{
	Oid user = GetUserId();
	ListCell *cell;

	foreach (cell, tensor->storages)
	{
		const Storage *storage = (const Storage *) lfirst(cell);

		if (columns_are_readable(storage, user) &&
			shows_all_rows(storage->relid, user, user))
			return true;
	}
	return false;
}

bool
relation_is_readable(Oid relid)
{
	Oid user = GetUserId();

	return get_rel_relkind(relid) != '\0' &&
		   pg_class_aclcheck(relid, user, ACL_SELECT) == ACLCHECK_OK &&
		   shows_all_rows(relid, user, user);
}
