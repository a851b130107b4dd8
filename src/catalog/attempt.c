/*-------------------------------------------------------------------------
 *
 * attempt.c
 *	  Work that may fail without failing the statement.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "catalog/attempt.h"

/*
 * Calls a function in a subtransaction. undo: the subtransaction is rolled back even if
 * there is no error.
 */
static ErrorData *
run_attempt(void (*function)(void *), void *argument, bool undo)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		function(argument);
		if (undo)
			RollbackAndReleaseCurrentSubTransaction();
		else
			ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	/*
	 * for errors like query_canceled. Raised only now: whoever catches the error, or the
	 * abort of the transaction, ends as many subtransactions as were begun.
	 */
	if (error && ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION)
		ReThrowError(error);
	return error;
}

ErrorData *
attempt(void (*function)(void *), void *argument)
{
	return run_attempt(function, argument, false);
}

ErrorData *
attempt_without_locks(void (*function)(void *), void *argument)
{
	return run_attempt(function, argument, true);
}

bool
is_error_of_input(int sqlerrcode)
{
	int category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return category == ERRCODE_DATA_EXCEPTION ||
		   category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION ||
		   category == ERRCODE_FEATURE_NOT_SUPPORTED ||
		   category == ERRCODE_PROGRAM_LIMIT_EXCEEDED;
}

ErrorData *
attempt_to_read(void (*function)(void *), void *argument)
{
	MemoryContext context = CurrentMemoryContext;
	ErrorData *volatile error = NULL;

	PG_TRY();
	{
		function(argument);
	}
	PG_CATCH();
	{
		if (!is_error_of_input(geterrcode()))
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	return error;
}
