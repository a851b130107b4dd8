/*-------------------------------------------------------------------------
 *
 * kernels.c
 *	  Which functions can be computed for many rows at a time.
 *
 * A function is known by its address in the library: a user's function of the
 * same name, even in the same schema, is not taken for ours.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "executor/batched_projection/batched_projection.h"

extern Datum einsum(PG_FUNCTION_ARGS);
extern Datum einsum_scalar(PG_FUNCTION_ARGS);
extern Datum tensor_map(PG_FUNCTION_ARGS);
extern Datum tensor_map_scalar(PG_FUNCTION_ARGS);
extern Datum outer_prod(PG_FUNCTION_ARGS);
extern Datum vec_mat_mult(PG_FUNCTION_ARGS);
extern Datum mat_vec_mult(PG_FUNCTION_ARGS);
extern Datum mat_mult(PG_FUNCTION_ARGS);
extern Datum vec_sca_mult(PG_FUNCTION_ARGS);
extern Datum vec_sca_mult_tensor(PG_FUNCTION_ARGS);
extern Datum einsum_once(PG_FUNCTION_ARGS);
extern Datum einsum_barrier(PG_FUNCTION_ARGS);

/* inner_prod takes less time than keeping its row would. */
static const BatchableKernel kernels[] = {
	{"einsum", einsum, "einsum", NULL, false, false, false},
	{"einsum_scalar", einsum_scalar, "einsum_scalar", NULL, false, true, false},
	{"tensor_map", tensor_map, "tensor_map", NULL, true, false, false},
	{"tensor_map_scalar", tensor_map_scalar, "tensor_map_scalar", NULL, true, true,
	 false},
	{"outer_prod", outer_prod, "outer_prod", "a,b->ab", false, false, true},
	{"vec_mat_mult", vec_mat_mult, "vec_mat_mult", "a,ab->b", false, false, true},
	{"mat_vec_mult", mat_vec_mult, "mat_vec_mult", "ab,b->a", false, false, true},
	{"mat_mult", mat_mult, "mat_mult", "ab,bc->ac", false, false, true},
	{"vec_sca_mult", vec_sca_mult, "vec_sca_mult", "...,->...", false, false, true},
	{"vec_sca_mult_tensor", vec_sca_mult_tensor, "vec_sca_mult", "...,->...", false,
	 false, true},
};

/*
 * The C function of one of the names in the library that the function is, or
 * NULL. Looking at the names first keeps other libraries from being loaded.
 */
static bool
has_symbol(Oid function, char *symbol)
{
	HeapTuple tuple;
	bool found = false;

	if (function < FirstNormalObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prolang == ClanguageId)
	{
		bool isnull;
		Datum source = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);

		if (!isnull)
		{
			text_to_cstring_buffer(DatumGetTextPP(source), symbol, NAMEDATALEN);
			found = true;
		}
	}
	ReleaseSysCache(tuple);
	return found;
}

static bool
has_address(Oid function, PGFunction address)
{
	FmgrInfo info;

	fmgr_info(function, &info);
	return info.fn_addr == address;
}

const BatchableKernel *
batchable_kernel(Oid function)
{
	char symbol[NAMEDATALEN];

	if (!has_symbol(function, symbol))
		return NULL;
	for (int i = 0; i < lengthof(kernels); i++)
		if (strcmp(symbol, kernels[i].symbol) == 0 &&
			has_address(function, kernels[i].function))
			return &kernels[i];
	return NULL;
}

bool
is_einsum_once(Oid function)
{
	char symbol[NAMEDATALEN];

	return has_symbol(function, symbol) && strcmp(symbol, "einsum_once") == 0 &&
		   has_address(function, einsum_once);
}

/* einsum_barrier is gone when what calls it has been planned. */
static bool
is_volatile(Oid function, void *context)
{
	char symbol[NAMEDATALEN];

	return func_volatile(function) == PROVOLATILE_VOLATILE && !is_einsum_once(function) &&
		   !(has_symbol(function, symbol) && strcmp(symbol, "einsum_barrier") == 0 &&
			 has_address(function, einsum_barrier));
}

static bool
volatile_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (check_functions_in_node(node, is_volatile, context) || IsA(node, NextValueExpr))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, volatile_walker, context, 0);
	return expression_tree_walker(node, volatile_walker, context);
}

bool
calls_volatile(Node *node)
{
	return volatile_walker(node, NULL);
}

static bool
has_subplan(Node *node, void *context)
{
	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return true;
	return expression_tree_walker(node, has_subplan, context);
}

bool
is_repeatable(Query *query)
{
	return !calls_volatile((Node *) query) &&
		   !query_tree_walker(query, has_subplan, NULL, QTW_IGNORE_RT_SUBQUERIES);
}
