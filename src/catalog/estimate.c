/*-------------------------------------------------------------------------
 *
 * estimate.c
 *	  Statistics of a storage from what PostgreSQL knows about its relation.
 *
 * Rows come from the relation's pages as they are now, and as full as PostgreSQL
 * last counted or as the widths of its columns make them, so a table that was
 * never analyzed has them too; distinct keys from pg_statistic. What
 * is inside tensor values is assumed dense. For views and foreign tables the
 * planner itself is asked how many rows it expects.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_statistic.h"
#include "executor/spi.h"
#include "optimizer/plancat.h"
#include "storage/bufmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/citus.h"
#include "catalog/dimension.h"
#include "catalog/estimate.h"
#include "catalog/origin.h"
#include "catalog/query_run.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "catalog/unique_proof.h"
#include "catalog/value_columns.h"

/*
 * The number of rows that the planner assumes for a relation of which it knows nothing.
 */
#define DEFAULT_TUPLES 1000.0

/* Returns the number of rows that the planner expects of a query. */
static double
planned_rows(const char *query)
{
	SPIPlanPtr plan;
	CachedPlan *cached;
	double rows = DEFAULT_TUPLES;

	SPI_connect();
	plan = prepare_sql(query, 0, NULL);
	cached = SPI_plan_get_cached_plan(plan);
	if (cached != NULL)
	{
		PlannedStmt *statement = linitial_node(PlannedStmt, cached->stmt_list);

		rows = statement->planTree->plan_rows;
		/* a plan that is not saved belongs to no resource owner */
		ReleaseCachedPlan(cached, NULL);
	}
	SPI_finish();
	return rows;
}

static bool
asks_planner(char relkind)
{
	return relkind == RELKIND_VIEW || relkind == RELKIND_FOREIGN_TABLE;
}

/* Returns the pages of one table or materialized view, with its TOAST table. */
static double
stored_pages(Relation relation)
{
	double pages = RelationGetNumberOfBlocks(relation);

	if (OidIsValid(relation->rd_rel->reltoastrelid))
	{
		Relation toast = table_open(relation->rd_rel->reltoastrelid, AccessShareLock);

		pages += RelationGetNumberOfBlocks(toast);
		table_close(toast, AccessShareLock);
	}
	return pages;
}

double
relation_pages(Oid relid)
{
	double pages = 0;
	ListCell *cell;

	if (asks_planner(get_rel_relkind(relid)) || is_citus_table(relid))
		return -1;
	foreach (cell, find_all_inheritors(relid, AccessShareLock, NULL))
	{
		Relation child = relation_open(lfirst_oid(cell), NoLock);

		if (child->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
			pages = -1;
		else if (child->rd_rel->relkind != RELKIND_PARTITIONED_TABLE && pages >= 0)
			pages += stored_pages(child);
		relation_close(child, NoLock);
	}
	return pages;
}

/* Estimates the rows of a relation with its children or partitions. */
static double
estimate_tuples(Relation relation)
{
	double total = 0;
	ListCell *cell;

	if (is_citus_table(RelationGetRelid(relation)))
	{
		total = citus_table_rows(RelationGetRelid(relation));
		return total >= 0 ? total : DEFAULT_TUPLES;
	}
	if (asks_planner(relation->rd_rel->relkind))
		return planned_rows(psprintf(
			"SELECT FROM %s", qualified_relation_name(RelationGetRelid(relation))));

	foreach (cell, find_all_inheritors(RelationGetRelid(relation), AccessShareLock, NULL))
	{
		Relation child = relation_open(lfirst_oid(cell), NoLock);

		if (child->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
			total +=
				child->rd_rel->reltuples >= 0 ? child->rd_rel->reltuples : DEFAULT_TUPLES;
		else if (child->rd_rel->relkind != RELKIND_PARTITIONED_TABLE)
		{
			BlockNumber stored = RelationGetNumberOfBlocks(child);
			BlockNumber pages;
			double tuples = 0;
			double visible;

			estimate_rel_size(child, NULL, &pages, &tuples, &visible);
			/* the planner assumes more pages for a table that was never vacuumed */
			if (pages > stored)
				tuples *= (double) stored / pages;
			total += tuples;
		}
		relation_close(child, NoLock);
	}
	return total;
}

/*
 * Rows of a storage, as far as they are what is read: of a layout its entries, and mirror
 * images.
 */
static double
estimate_stored_rows(const Storage *storage, Relation relation)
{
	if (is_read_by_subquery(storage))
		return planned_rows(
			psprintf("SELECT FROM %s AS r", storage_relation_sql(storage)));
	return estimate_tuples(relation);
}

double
estimated_storage_rows(const Storage *storage)
{
	Relation relation = relation_open(storage->relid, AccessShareLock);
	double rows = estimate_stored_rows(storage, relation);

	relation_close(relation, AccessShareLock);
	return rows;
}

double
estimated_rows(Oid relid)
{
	Relation relation = relation_open(relid, AccessShareLock);
	double tuples = estimate_tuples(relation);

	relation_close(relation, AccessShareLock);
	return tuples;
}

/*
 * Returns the number of distinct values of a column (-1 if unknown) by pg_statistic, and
 * sets the fraction of NULLs.
 */
static double
column_distinct(Relation relation, AttrNumber attno, double tuples, double *null_fraction)
{
	Oid relid = RelationGetRelid(relation);
	HeapTuple tuple;
	Form_pg_statistic form;
	double distinct;

	*null_fraction = 0;
	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relid), Int16GetDatum(attno),
							BoolGetDatum(relation->rd_rel->relhassubclass));
	if (!HeapTupleIsValid(tuple))
		return -1;
	form = (Form_pg_statistic) GETSTRUCT(tuple);
	*null_fraction = form->stanullfrac;
	distinct = form->stadistinct;
	if (distinct < 0)
		distinct = -distinct * tuples;
	else if (distinct == 0)
		distinct = -1;
	ReleaseSysCache(tuple);
	return distinct;
}

double
analyzed_distinct(Oid relid, AttrNumber attno)
{
	Relation relation = relation_open(relid, AccessShareLock);
	double distinct = -1;
	double nulls;

	if (!asks_planner(relation->rd_rel->relkind) && relation->rd_rel->reltuples >= 0)
		distinct = column_distinct(relation, attno, relation->rd_rel->reltuples, &nulls);
	relation_close(relation, NoLock);
	return distinct < 0 ? -1 : rint(distinct);
}

double
counted_keys(const Storage *storage, int dimension)
{
	const StorageDimension *key = &storage->dimensions[dimension];

	return key->kind == DIMENSION_PROMOTED && !storage->symmetric &&
				   !OidIsValid(key->range_type)
			   ? analyzed_distinct(storage->relid, key->attno)
			   : -1;
}

double
row_correlation(Oid relid, AttrNumber attno)
{
	double correlation = -2;
	/* the statistics of the table without its children, which have other orders */
	HeapTuple tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relid),
									  Int16GetDatum(attno), BoolGetDatum(false));
	AttStatsSlot slot;

	if (!HeapTupleIsValid(tuple))
		return -2;
	if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_CORRELATION, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		correlation = slot.numbers[0];
		free_attstatsslot(&slot);
	}
	ReleaseSysCache(tuple);
	return correlation;
}

/* Estimates the distinct values of a key of a storage that has that many rows. */
static double
estimate_keys(const Storage *storage, Relation relation,
			  const StorageDimension *dimension, double tuples, bool unique,
			  bool readable)
{
	double nulls;
	double distinct = -1;

	if (readable && asks_planner(relation->rd_rel->relkind))
		distinct = planned_rows(psprintf("SELECT DISTINCT r.%s FROM %s AS r",
										 quote_identifier(dimension->column),
										 storage_relation_sql(storage)));
	else if (readable && OidIsValid(dimension->range_type))
		distinct = spanned_keys(storage->relid, dimension->attno);
	else if (readable)
		distinct = column_distinct(
			relation, dimension->attno,
			is_read_by_subquery(storage) ? estimate_tuples(relation) : tuples, &nulls);
	if (distinct < 0 || unique)
		distinct = tuples;
	return Min(distinct, tuples);
}

/* Returns the product of the bounds of a set of demoted dimensions. */
static double
dense_count(const Storage *storage, int set)
{
	double count = 1;
	int i;

	for (i = 0; i < storage->rank; i++)
	{
		if (set & (1 << i))
			count *= estimated_bound(storage->dimensions[i].bound);
	}
	return count;
}

/*
 * Sets the distinct counts and degrees that follow from the dimensions whose keys are
 * unique (a bitmask; 0: no constraint), and from values being dense over the demoted
 * dimensions.
 */
static void
fill_degrees(const Storage *storage, int unique, double tuples,
			 TensorStatistics *statistics)
{
	int sets = 1 << storage->rank;
	int demoted = 0;
	int blocked = 0;
	int x;
	int y;

	for (x = 0; x < storage->rank; x++)
	{
		if (storage->dimensions[x].kind == DIMENSION_DEMOTED)
			demoted |= 1 << x;
		else if (storage->dimensions[x].kind == DIMENSION_BLOCKED)
			blocked |= 1 << x;
	}
	for (x = 1; x < sets; x++)
	{
		int keys = x & ~demoted;

		if (x & blocked)
			continue;
		if (keys == 0)
			statistics->distinct[x] = dense_count(storage, x);
		else if ((keys & (keys - 1)) == 0)
			statistics->distinct[x] = statistics->values[pg_rightmost_one_pos32(keys)] *
									  dense_count(storage, x & demoted);
		else if (unique != 0 && (keys & unique) == unique)
			statistics->distinct[x] = tuples * dense_count(storage, x & demoted);
	}
	statistics->distinct[0] = 1;
	statistics->distinct[sets - 1] = statistics->entries;

	for (x = 0; x < sets; x++)
	{
		for (y = 0; y < sets; y++)
		{
			if (x & y)
				continue;
			if (y == 0)
				degree_of(statistics, x, y)->most = statistics->distinct[x];
			else if ((x & ~demoted) == 0 ||
					 (unique != 0 && (y & unique) == unique && (x & blocked) == 0))
				degree_of(statistics, x, y)->most = dense_count(storage, x & demoted);
		}
	}
}

void
estimate_statistics(const Storage *storage, bool readable, TensorStatistics *statistics)
{
	Relation relation = relation_open(storage->relid, AccessShareLock);
	int unique = unique_dimensions(storage, relation);
	double tuples = estimate_stored_rows(storage, relation);
	double nulls;
	double inside = 1;
	ListCell *cell;
	int i;

	/* a row with a NULL is an absent entry */
	if (readable && !asks_planner(relation->rd_rel->relkind) &&
		!is_read_by_subquery(storage))
	{
		for (i = 0; i < storage->rank; i++)
		{
			if (storage->dimensions[i].kind == DIMENSION_DEMOTED)
				continue;
			(void) column_distinct(relation, storage->dimensions[i].attno, tuples,
								   &nulls);
			tuples *= 1 - nulls;
		}
		foreach (cell, needed_value_columns(storage))
		{
			(void) column_distinct(relation, get_attnum(storage->relid, lfirst(cell)),
								   tuples, &nulls);
			tuples *= 1 - nulls;
		}
	}

	for (i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		int64 bound = bound_size(dimension->bound);

		if (dimension->kind == DIMENSION_DEMOTED)
		{
			statistics->values[i] = estimated_bound(dimension->bound);
			inside *= statistics->values[i];
			continue;
		}
		statistics->values[i] = estimate_keys(storage, relation, dimension, tuples,
											  unique == 1 << i, readable);
		if (dimension->kind == DIMENSION_BLOCKED)
		{
			double block = Min(dimension->block, bound);

			statistics->values[i] *= block;
			inside *= block;
		}
		if (bound >= 0)
			statistics->values[i] = Min(statistics->values[i], (double) bound);
	}
	if (storage->symmetric)
	{
		double *last = &statistics->values[storage->rank - 1];

		last[0] = last[-1] = Max(last[0], last[-1]);
	}
	statistics->entries = tuples * inside;
	if (storage->rank <= STATISTICS_MAX_RANK)
		fill_degrees(storage, unique, tuples, statistics);
	relation_close(relation, NoLock);
}
