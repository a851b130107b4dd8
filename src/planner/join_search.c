/*-------------------------------------------------------------------------
 *
 * join_search.c
 *	  The order of joins, where searching the best order would take longer than
 *	  joining.
 *
 * A label that is in several operands lets each be joined with every other. For eight
 * such operands PostgreSQL considers 3,025 pairs, each in all ways, which takes 30 ms;
 * for eleven it considers 86,526. So a level that computes with this extension is ordered
 * greedily first: each step joins the two with the fewest resulting rows. Only if that
 * plan is expected to take longer than a search does PostgreSQL's own search follow: no
 * better plan could save more than the search takes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/geqo.h"
#include "optimizer/joininfo.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "port/pg_bitutils.h"

#include "compat.h"
#include "planner/join_search.h"
#include "planner/query_level.h"
#include "planner/time_cost.h"

/* Searching the order of fewer relations takes no time. */
#define LEAST_RELATIONS 5

/* With more relations, there are too many pairs to count. */
#define MOST_COUNTED 12

/* Microseconds that PostgreSQL takes to look at a pair. */
#define PAIR_TIME 10.0

static join_search_hook_type prev_join_search = NULL;

/*
 * Would PostgreSQL consider joining two relations directly, because of a clause or a
 * restriction?
 */
static bool
are_joinable(PlannerInfo *root, RelOptInfo *a, RelOptInfo *b)
{
	return have_relevant_joinclause(root, a, b) ||
		   have_join_order_restriction(root, a, b);
}

/*
 * Counts the pairs of disjoint connected sets of relations whose union is connected: what
 * an exhaustive search considers. Counts up to a limit.
 */
static double
count_pairs(PlannerInfo *root, const List *relations, double limit)
{
	int n = list_length(relations);
	uint32 joinable[MOST_COUNTED] = {0};
	bool *connected;
	double pairs = 0.0;

	if (n > MOST_COUNTED)
		return limit;
	for (int a = 0; a < n; a++)
	{
		for (int b = 0; b < a; b++)
		{
			if (!are_joinable(root, list_nth(relations, a), list_nth(relations, b)))
				continue;
			joinable[a] |= 1u << b;
			joinable[b] |= 1u << a;
		}
	}
	connected = palloc0(sizeof(bool) << n);
	/* by number, a set comes after its subsets */
	for (uint32 set = 1; set < 1u << n && pairs < limit; set++)
	{
		uint32 first = set & (~set + 1);
		uint32 others = set & ~first;

		connected[set] = others == 0;
		for (uint32 left = set; left != 0 && !connected[set]; left &= left - 1)
		{
			uint32 rest = set & ~(left & (~left + 1));

			connected[set] =
				connected[rest] && (joinable[pg_rightmost_one_pos32(left)] & rest) != 0;
		}
		if (!connected[set])
			continue;
		for (uint32 part = others; part != 0; part = (part - 1) & others)
			pairs += connected[part] && connected[set & ~part];
	}
	pfree(connected);
	return pairs;
}

/*
 * The state of the greedy search: sets of relations joined so far, and the joins of any
 * two of them.
 */
typedef struct Clumps
{
	int n;
	bool inner; /* only inner joins: any two may be joined */
	RelOptInfo **rels;
	RelOptInfo **joined; /* of rels a and b < a, at a * n + b, once computed */
	bool *known;
} Clumps;

/*
 * Returns the inner join of two relations without paths, since most joins are only
 * compared by rows.
 */
static RelOptInfo *
join_without_paths(PlannerInfo *root, RelOptInfo *a, RelOptInfo *b)
{
	SpecialJoinInfo *join = makeNode(SpecialJoinInfo);
	List *conditions;

	join->jointype = JOIN_INNER;
	join->min_lefthand = join->syn_lefthand = a->relids;
	join->min_righthand = join->syn_righthand = b->relids;
	return build_join_rel(root, bms_union(a->relids, b->relids), a, b, join, NIL,
						  &conditions);
}

/*
 * Returns the join of two clumps; NULL if that is not allowed, or if no clause joins them
 * and without_clause is false.
 */
static RelOptInfo *
join_clumps(PlannerInfo *root, Clumps *clumps, int a, int b, bool without_clause)
{
	int place = a * clumps->n + b;

	if (!clumps->known[place])
	{
		if (!without_clause && !are_joinable(root, clumps->rels[a], clumps->rels[b]))
			return NULL;
		clumps->joined[place] =
			clumps->inner ? join_without_paths(root, clumps->rels[a], clumps->rels[b])
						  : make_join_rel(root, clumps->rels[a], clumps->rels[b]);
		clumps->known[place] = true;
	}
	return clumps->joined[place];
}

/* Finds the two clumps whose join has the fewest rows; false if no two can be joined. */
static bool
find_fewest(PlannerInfo *root, Clumps *clumps, bool without_clause, int *best_a,
			int *best_b)
{
	double fewest = 0.0;
	bool found = false;

	for (int a = 0; a < clumps->n; a++)
	{
		for (int b = 0; b < a && clumps->rels[a]; b++)
		{
			RelOptInfo *joined;

			if (clumps->rels[b] == NULL)
				continue;
			CHECK_FOR_INTERRUPTS();
			joined = join_clumps(root, clumps, a, b, without_clause);
			if (joined == NULL || (found && joined->rows >= fewest))
				continue;
			fewest = joined->rows;
			*best_a = a;
			*best_b = b;
			found = true;
		}
	}
	return found;
}

/* Returns the paths that need no rows of relations outside relids. */
static List *
paths_with_rows_of(const List *paths, Relids relids)
{
	List *usable = NIL;
	const ListCell *lc;

	foreach (lc, paths)
	{
		if (bms_is_subset(PATH_REQ_OUTER((Path *) lfirst(lc)), relids))
			usable = lappend(usable, lfirst(lc));
	}
	return usable;
}

/*
 * Adds the paths of a join. A column that equals columns of many relations has index
 * scans parameterized by any combination of them. A join can use only those that need
 * rows of the other side; considering the rest would take most of the time.
 */
static void
add_join_paths(PlannerInfo *root, RelOptInfo *a, RelOptInfo *b)
{
	RelOptInfo *sides[2] = {a, b};
	List *paths[2];
	List *parameterized[2];

	for (int i = 0; i < 2; i++)
	{
		paths[i] = sides[i]->pathlist;
		parameterized[i] = sides[i]->cheapest_parameterized_paths;
		sides[i]->pathlist = paths_with_rows_of(paths[i], NULL);
		sides[i]->cheapest_parameterized_paths =
			paths_with_rows_of(parameterized[i], sides[1 - i]->relids);
	}
	(void) make_join_rel(root, a, b);
	for (int i = 0; i < 2; i++)
	{
		sides[i]->pathlist = paths[i];
		sides[i]->cheapest_parameterized_paths = parameterized[i];
	}
}

/*
 * Joins two clumps at a time; NULL if no two can be joined, as may happen with outer
 * joins.
 */
static RelOptInfo *
join_greedily(PlannerInfo *root, const List *relations)
{
	int n = list_length(relations);
	Clumps clumps = {.n = n,
					 .inner = root->join_info_list == NIL && !root->hasLateralRTEs};
	RelOptInfo *result = NULL;
	ListCell *lc;

	clumps.rels = palloc(sizeof(RelOptInfo *) * n);
	clumps.joined = palloc0(sizeof(RelOptInfo *) * n * n);
	clumps.known = palloc0(sizeof(bool) * n * n);
	foreach (lc, relations)
		clumps.rels[foreach_current_index(lc)] = lfirst(lc);
	for (int left = n; left > 1; left--)
	{
		int a;
		int b;
		bool is_last;

		if (!find_fewest(root, &clumps, false, &a, &b) &&
			!find_fewest(root, &clumps, true, &a, &b))
			return NULL;
		result = clumps.joined[a * n + b];
		if (clumps.inner)
			add_join_paths(root, clumps.rels[a], clumps.rels[b]);
		generate_partitionwise_join_paths(root, result);
		is_last = bms_equal(result->relids, ALL_RELIDS(root));
		if (!is_last)
			generate_useful_gather_paths(root, result, false);
		set_cheapest(result);
		if (!is_last)
			add_aggregated_rows(root, result);
		/* the join replaces one of the two */
		clumps.rels[a] = NULL;
		clumps.rels[b] = result;
		for (int other = 0; other < n; other++)
			clumps.known[Max(b, other) * n + Min(b, other)] = false;
	}
	return result;
}

/* Searches the order of joins as PostgreSQL would without this hook. */
static RelOptInfo *
search_joins(PlannerInfo *root, int nlevels, List *relations)
{
	if (prev_join_search)
		return prev_join_search(root, nlevels, relations);
	if (enable_geqo && nlevels >= geqo_threshold)
		return geqo(root, nlevels, relations);
	return standard_join_search(root, nlevels, relations);
}

static RelOptInfo *
sparseeinsum_join_search(PlannerInfo *root, int nlevels, List *relations)
{
	int njoined = list_length(root->join_rel_list);
	struct HTAB *hash = root->join_rel_hash;
	RelOptInfo *result;

	/* another extension's hook for the order of joins takes precedence */
	if (prev_join_search || nlevels < LEAST_RELATIONS || !level_computes(root))
		return search_joins(root, nlevels, relations);
	root->join_rel_hash = NULL;
	result = join_greedily(root, relations);
	if (result)
	{
		double pairs = time_of_cost(result->cheapest_total_path->total_cost) / PAIR_TIME;

		if (count_pairs(root, relations, pairs) >= pairs)
			return result;
	}
	/* drops the joins that the greedy search has made */
	root->join_rel_list = list_truncate(root->join_rel_list, njoined);
	root->join_rel_hash = hash;
	return search_joins(root, nlevels, relations);
}

void
join_search_init(void)
{
	prev_join_search = join_search_hook;
	join_search_hook = sparseeinsum_join_search;
}
