/*-------------------------------------------------------------------------
 *
 * expected_columns.c
 *	  Columns of tables that several queries of a loop are going to read.
 *
 * The nodes of a query register the columns that they need when the query begins. But
 * the queries of a loop begin one after the other: the first would read a table in its
 * own columns, and the next would have to read the table again. All queries are analysed
 * before the first one runs, so the columns that each will read are known by then.
 *
 * Whether a column will be a key or a value, and under which conditions rows are read,
 * is guessed. If the guess is wrong, a later query does not find its columns, and reads
 * the table again.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_relation.h"
#include "utils/lsyscache.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/operand/expected_columns.h"
#include "executor/operand/operand_key.h"

struct ExpectedColumns
{
	Oid table;
	int queries;      /* number of queries that read the table */
	const void *last; /* the query that was counted last */
	/* attribute numbers of the columns, as in RangeTblEntry.selectedCols */
	Bitmapset *columns;
};

/* A query whose tables are being collected. */
typedef struct FoundTables
{
	List *expected;
	const void *query;
} FoundTables;

static void
add_table(FoundTables *found, Oid table, const Bitmapset *columns)
{
	ExpectedColumns *entry = NULL;
	ListCell *lc;

	foreach (lc, found->expected)
		if (((ExpectedColumns *) lfirst(lc))->table == table)
			entry = lfirst(lc);
	if (entry == NULL)
	{
		entry = palloc0(sizeof(ExpectedColumns));
		entry->table = table;
		found->expected = lappend(found->expected, entry);
	}
	entry->queries += entry->last != found->query;
	entry->last = found->query;
	entry->columns = bms_add_members(entry->columns, columns);
}

static bool
find_tables(Node *node, void *context)
{
	const Query *query = (const Query *) node;
	ListCell *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, find_tables, context);
	foreach (lc, query->rtable)
	{
		const RangeTblEntry *rte = lfirst(lc);
		const Bitmapset *columns;

		if (rte->rtekind != RTE_RELATION || rte->relkind != RELKIND_RELATION)
			continue;
		columns = selected_columns(query, rte);
		if (columns)
			add_table(context, rte->relid, columns);
	}
	return query_tree_walker((Query *) query, find_tables, context, 0);
}

List *
expect_query(List *expected, const List *trees)
{
	FoundTables found = {.expected = expected, .query = trees};

	(void) find_tables((Node *) trees, &found);
	return found.expected;
}

/* Appends a column of a table to a list, if its type can be a key or a value. */
static List *
append_column(List *columns, Oid table, AttrNumber attribute)
{
	OperandColumn *column;
	Oid type;
	int32 typmod;
	Oid collation;

	get_atttypetypmodcoll(table, attribute, &type, &typmod, &collation);
	/*
	 * the column may have been dropped; the rows of a scan have no virtual generated
	 * columns
	 */
	if (!OidIsValid(type) || is_computed_column(table, attribute))
		return columns;
	if (!is_integer_type(getBaseType(type)) && getBaseType(type) != FLOAT8OID &&
		getBaseType(type) != FLOAT4OID)
		return columns;
	column = palloc0(sizeof(OperandColumn));
	column->expression = (Node *) makeVar(1, attribute, type, typmod, collation, 0);
	column->type = getBaseType(type);
	column->key = is_integer_type(column->type);
	return lappend(columns, column);
}

List *
expected_columns(const List *expected, Oid table)
{
	List *columns = NIL;
	ListCell *lc;

	foreach (lc, expected)
	{
		const ExpectedColumns *entry = lfirst(lc);
		int number = -1;

		if (entry->table != table || entry->queries < 2)
			continue;
		while ((number = bms_next_member(entry->columns, number)) >= 0)
		{
			AttrNumber attribute = number + FirstLowInvalidHeapAttributeNumber;

			/* whole rows and system columns are left out */
			if (attribute > 0)
				columns = append_column(columns, table, attribute);
		}
	}
	return columns;
}
