/*-------------------------------------------------------------------------
 *
 * settings.c
 *	  The sparseeinsum.* settings that steer the optimizer.
 *
 * The starting values were measured on PostgreSQL 15 with one core of a
 * current server; they matter as ratios.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>

#include "utils/guc.h"
#include "utils/varlena.h"

#include "compat.h"
#include "optimizer/settings.h"

/* The decompositions of a stage, with their costs, have to fit one allocation. */
#define MAX_SEARCH_BUDGET 1000000

double tuple_cost = 0.07;
double agg_tuple_cost = 0.05;
double group_cost = 0.5;
double transfer_cost = 0.0003;
double entry_cost = 0.015;
double spill_cost = 0.002;
double kernel_matrix_cost = 0.00002;
double kernel_streaming_cost = 0.00025;
double kernel_general_cost = 0.00025;
int search_budget = 4096;
int max_gather_bytes = 256 * 1024;
int rewrite_budget = 256;

int default_estimator = 0;
int nblock_sizes = 0;
const int *block_sizes = NULL;

/* The setting that block_sizes is read from. */
static char *blocks_setting = NULL;

/* A checked list of sizes. */
typedef struct BlockSizes
{
	int n;
	int sizes[FLEXIBLE_ARRAY_MEMBER];
} BlockSizes;

/*
 * More candidates make the search slower and hardly a plan better: costs are
 * flat between neighbouring sizes.
 */
#define MAX_BLOCK_SIZES 16

int enable_batching = NODES_ON;
double replan_factor = 10.0;
double max_drift = 100.0;
double noise_shape = 0.0;
int noise_seed = 0;
int enable_aggregate_join = NODES_ON;
int enable_additions = NODES_ON;
int enable_state_changes = NODES_ON;

/* in the order of estimators[] */
static const struct config_enum_entry estimator_names[] = {
	{"distinct", 0, false}, {"uniform", 1, false}, {"chain", 2, false}, {NULL, 0, false}};

static const struct config_enum_entry node_uses[] = {
	{"off", NODES_OFF, false},  {"on", NODES_ON, false},  {"force", NODES_FORCE, false},
	{"false", NODES_OFF, true}, {"true", NODES_ON, true}, {"no", NODES_OFF, true},
	{"yes", NODES_ON, true},    {"0", NODES_OFF, true},   {"1", NODES_ON, true},
	{NULL, 0, false},
};

static void
define_cost(const char *name, const char *description, double *variable)
{
	DefineCustomRealVariable(name, description, "In microseconds of one core.", variable,
							 *variable, 0, DBL_MAX, PGC_USERSET, 0, NULL, NULL, NULL);
}

/* Checks a setting: integers over 1, separated by commas; or nothing. */
static bool
check_blocks(char **value, void **extra, GucSource source)
{
	List *items = NIL;
	bool valid = SplitGUCList(pstrdup(*value), ',', &items);
	BlockSizes *parsed;
	ListCell *lc;

	parsed = guc_malloc(LOG, offsetof(BlockSizes, sizes) + sizeof(int) * MAX_BLOCK_SIZES);
	if (parsed == NULL)
		return false;
	parsed->n = 0;
	foreach (lc, items)
	{
		int size;

		valid = valid && parsed->n < MAX_BLOCK_SIZES &&
				parse_int(lfirst(lc), &size, 0, NULL) && size >= 2;
		if (!valid)
			break;
		parsed->sizes[parsed->n++] = size;
	}
	if (!valid)
	{
		GUC_check_errdetail("Block sizes are at most %d integers from 2 to %d, separated "
							"by commas.",
							MAX_BLOCK_SIZES, PG_INT32_MAX);
		guc_free(parsed);
		return false;
	}
	*extra = parsed;
	return true;
}

static void
assign_blocks(const char *value, void *extra)
{
	const BlockSizes *parsed = extra;

	nblock_sizes = parsed ? parsed->n : 0;
	block_sizes = parsed ? parsed->sizes : NULL;
}

void
optimizer_init(void)
{
	define_cost("sparseeinsum.cost_tuple", "Cost of one tuple through a join.",
				&tuple_cost);
	define_cost("sparseeinsum.cost_agg_tuple", "Cost of one tuple into an aggregate.",
				&agg_tuple_cost);
	define_cost("sparseeinsum.cost_group", "Cost of one group of an aggregate.",
				&group_cost);
	define_cost("sparseeinsum.cost_transfer", "Cost of moving one byte of a tuple.",
				&transfer_cost);
	define_cost("sparseeinsum.cost_entry",
				"Cost of one entry of an array or of a sparse value.", &entry_cost);
	define_cost("sparseeinsum.cost_spill",
				"Cost of one byte that does not fit a hash table.", &spill_cost);
	define_cost("sparseeinsum.cost_kernel_matrix",
				"Cost of one floating-point operation of a matrix product.",
				&kernel_matrix_cost);
	define_cost("sparseeinsum.cost_kernel_streaming",
				"Cost of one floating-point operation on vectors.",
				&kernel_streaming_cost);
	define_cost("sparseeinsum.cost_kernel_general",
				"Cost of an addition in a general pointwise expression.",
				&kernel_general_cost);

	DefineCustomIntVariable("sparseeinsum.max_kernel_bytes",
							"Largest operand or result of a kernel that a plan may have.",
							"It does not limit what a repartition reads.",
							&max_kernel_bytes, max_kernel_bytes, 1, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("sparseeinsum.max_gather_bytes",
							"Most bytes of tables of Citus that a query gathers.",
							"As estimated. Point queries gather what they need.",
							&max_gather_bytes, max_gather_bytes, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomRealVariable("sparseeinsum.max_dense_tuples",
							 "Most tuples that extending a tensor to a label may make.",
							 NULL, &max_dense_tuples, max_dense_tuples, 1, DBL_MAX,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("sparseeinsum.search_budget",
							"Most decompositions of one stage that the search tries.",
							"Stages with more take the promoted labels one by one.",
							&search_budget, search_budget, 1, MAX_SEARCH_BUDGET,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("sparseeinsum.rewrite_budget",
							"Most stages that are planned in search of a cheaper form.",
							"Programs with more are computed in the forms that were "
							"found until then.",
							&rewrite_budget, rewrite_budget, 0, MAX_SEARCH_BUDGET,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomRealVariable("sparseeinsum.replan_factor",
							 "A loop's step is planned again when a state's entries are "
							 "more or fewer by this factor.",
							 NULL, &replan_factor, replan_factor, 1, DBL_MAX, PGC_USERSET,
							 0, NULL, NULL, NULL);
	DefineCustomRealVariable("sparseeinsum.max_drift",
							 "A row of a result is computed again when all that "
							 "refreshes have added to it, in absolute value, is this "
							 "many times its greatest entry.",
							 NULL, &max_drift, max_drift, 1, DBL_MAX, PGC_USERSET, 0,
							 NULL, NULL, NULL);
	DefineCustomRealVariable("sparseeinsum.noise_shape",
							 "For tests: estimates are multiplied by random numbers of "
							 "mean 1, from a gamma distribution of this shape.",
							 "0: they are not.", &noise_shape, noise_shape, 0, DBL_MAX,
							 PGC_USERSET, GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomIntVariable("sparseeinsum.noise_seed",
							"For tests: which random numbers noise_shape takes.", NULL,
							&noise_seed, noise_seed, 0, PG_INT32_MAX, PGC_USERSET,
							GUC_NOT_IN_SAMPLE, NULL, NULL, NULL);
	DefineCustomEnumVariable("sparseeinsum.estimator",
							 "How the entries of intermediate results are estimated.",
							 "For programs that do not say so themselves.",
							 &default_estimator, default_estimator, estimator_names,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable(
		"sparseeinsum.blocks", "Block sizes that the search splits labels in.",
		"Nothing: labels are promoted or demoted only, unless a program or a stored "
		"tensor says otherwise.",
		&blocks_setting, "64, 256, 1024", PGC_USERSET, GUC_LIST_INPUT, check_blocks,
		assign_blocks, NULL);
	DefineCustomEnumVariable(
		"sparseeinsum.enable_batching",
		"Kernels of a target list run once for many rows where that should pay.",
		"force: wherever it is possible, whatever it costs.", &enable_batching,
		enable_batching, node_uses, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"sparseeinsum.enable_aggregate_join",
		"Joins by integers and their aggregates run as one loop nest where that should "
		"pay.",
		"force: wherever it is possible, whatever it costs.", &enable_aggregate_join,
		enable_aggregate_join, node_uses, PGC_USERSET, GUC_EXPLAIN, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"sparseeinsum.enable_additions",
		"Whether refreshes add to results what follows from changes.",
		"force: wherever it is possible, whatever it costs.", &enable_additions,
		enable_additions, node_uses, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable(
		"sparseeinsum.enable_state_changes",
		"Rounds of a loop compute what changes of a state where that should pay.",
		"force: wherever it is possible, whatever it costs.", &enable_state_changes,
		enable_state_changes, node_uses, PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("sparseeinsum");
}
