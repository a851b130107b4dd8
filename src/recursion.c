/*-------------------------------------------------------------------------
 *
 * recursion.c
 *	  Counts the visits of functions that call themselves.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/guc.h"

#include "recursion.h"

uint64 recursion_visits = 0;

/* Settings have no integers of 64 bits: shown is the variable itself. */
static int visits_setting = 0;

static const char *
show_visits(void)
{
	return psprintf(UINT64_FORMAT, recursion_visits);
}

void
recursion_init(void)
{
	DefineCustomIntVariable(
		"sparseeinsum.visits",
		"For tests: nodes that recursive functions have visited in this session.", NULL,
		&visits_setting, 0, 0, 0, PGC_INTERNAL,
		GUC_NOT_IN_SAMPLE | GUC_NO_SHOW_ALL | GUC_DISALLOW_IN_FILE, NULL, NULL,
		show_visits);
}
