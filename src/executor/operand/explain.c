/*-------------------------------------------------------------------------
 *
 * explain.c
 *	  What EXPLAIN shows of a node's operands.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "executor/operand/state.h"

void
explain_dictionaries(const TensorOperands *state, const List *labels, ExplainState *es)
{
	List *names = NIL;

	for (int o = 0; o < state->noperands; o++)
	{
		const TensorOperand *operand = &state->operands[o];

		for (int k = 0; k < operand->nkeys; k++)
			if (is_dictionary_kind(&operand->keys[k].kind))
				names = list_append_unique_ptr(
					names, strVal(list_nth(labels, operand->labels[k])));
	}
	if (names)
		ExplainPropertyList("Dictionary Keys", names, es);
}

void
explain_kept(const TensorOperands *state, ExplainState *es)
{
	List *found = NIL;
	List *kept = NIL;
	ListCell *lc;

	foreach (lc, state->plan.operands)
	{
		const TensorOperand *operand = &state->operands[foreach_current_index(lc)];
		char *name = strVal(list_nth(lfirst(lc), OPERAND_NAME));

		if (operand->kept && operand->found)
			found = lappend(found, name);
		else if (operand->kept)
			kept = lappend(kept, name);
	}
	if (found)
		ExplainPropertyList("Read Before", found, es);
	if (kept)
		ExplainPropertyList(end_with_query(state->kept_operands) ? "Shared" : "Kept",
							kept, es);
}
