/*-------------------------------------------------------------------------
 *
 * join_search.c
 *	  The order of joins, where looking for the best would take longer than joining.
 *
 * A label that is in several operands makes each of them joinable with each other. Of
 * eight such operands PostgreSQL looks at 3,025 pairs of what can be joined, each in
 * all ways, which takes 30 ms; of eleven at 86,526. So a level that computes with this
 * extension is ordered greedily first: of what there is, those two are joined that leave
 * the fewest rows. Where that plan is expected to take longer than a search for a better
 * one, PostgreSQL's own search follows: no plan saves more than it takes.
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

/* Fewer are looked at in no time. */
#define LEAST_RELATIONS 5

/* Of more, pairs are not counted: there are too many. */
#define MOST_COUNTED 12

/* Microseconds that PostgreSQL takes to look at a pair. */
#define PAIR_TIME 10.0

static join_search_hook_type prev_join_search = NULL;

/* Does PostgreSQL look at joining two relations, without being short of others? */
static bool
are_joinable(PlannerInfo *root, RelOptInfo *a, RelOptInfo *b)
{
	return have_relevant_joinclause(root, a, b) ||
		   have_join_order_restriction(root, a, b);
}

/*
 * The pairs of sets of relations, each connected, that together are connected: what an exhaustive search
 * looks at. Not more are counted than a limit.
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
	/* a set follows its subsets */
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

/* What has been joined so far: some sets of relations, and what any two of them make. */
typedef struct Clumps
{
	int n;
	bool inner; /* any two may be joined, whatever there is besides */
	RelOptInfo **rels;
	RelOptInfo **joined; /* of a and b < a at a * n + b, once they have been looked at */
	bool *known;
} Clumps;

/* The inner join of two relations without its paths, of which most are not wanted. */
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

/* Two clumps joined; NULL if that is not allowed, or for now no clause says so. */
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

/* Finds the two clumps that leave the fewest rows; false if no two can be joined. */
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

/* Paths that need rows of no relation, or only of some. */
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
 * The paths of a join. A column that is equal to those of many relations has index scans by any
 * combination of these: but for those that have rows of the other side they are of no use to a join,
 * and most of what there is to look at.
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

/* Joins two at a time; NULL where that leads nowhere, as it may with outer joins. */
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

		if (!find_fewest(root, &clumps, false, &a, &b) &&
			!find_fewest(root, &clumps, true, &a, &b))
			return NULL;
		result = clumps.joined[a * n + b];
		if (clumps.inner)
			add_join_paths(root, clumps.rels[a], clumps.rels[b]);
		generate_partitionwise_join_paths(root, result);
		if (!bms_equal(result->relids, ALL_RELIDS(root)))
			generate_useful_gather_paths(root, result, false);
		set_cheapest(result);
		/* it takes the place of one of them */
		clumps.rels[a] = NULL;
		clumps.rels[b] = result;
		for (int other = 0; other < n; other++)
			clumps.known[Max(b, other) * n + Min(b, other)] = false;
	}
	return result;
}

/* As PostgreSQL does it. */
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

	/* who else has a say in the order of joins has it */
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
	/* what has been joined is forgotten */
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
