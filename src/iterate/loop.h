/*-------------------------------------------------------------------------
 *
 * loop.h
 *	  A loop: what init and step say, where its state is kept, and its rounds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITERATE_LOOP_H
#define ITERATE_LOOP_H

#include "postgres.h"

#include "expr/expr.h"
#include "expr/known_tensors.h"
#include "optimizer/plan.h"
#include "optimizer/rounds.h"
#include "rows/rows.h"
#include "rows/sources.h"
#include "rows/tensor_change.h"

typedef struct KeptOperands KeptOperands; /* executor/operand/kept_operands.h */

/* The arguments of a function or procedure that runs a loop. */
typedef struct LoopRequest
{
	char *name;
	char *schema;
	char *init; /* or NULL */
	char *step;
	char *until;          /* or NULL */
	char *read;           /* or NULL: the program that reads the states at the end */
	List *assign;         /* of SyntaxReference *: registered tables that hold a state */
	bool restart;         /* begin with init, whatever the loop's own tables hold */
	bool kept;            /* the state is written into tables */
	bool across;          /* transactions end between rounds */
	ResultShape result;   /* shape of the states' tables, or of the result that is read
						  * from the states */
	PlanOptions options;  /* loop is set */
	const LoopCall *call; /* what the label of a state is to keep; NULL: nothing */
	bool again;           /* einsum_refresh runs the call again */
} LoopRequest;

/*
 * Locks the loop's name, the tables of its states and the tables in assign until the
 * transaction ends. To be called before anything that the loop reads is locked.
 */
extern void lock_loop(const LoopRequest *request);

typedef struct NewEntries NewEntries; /* changes.c */

/* A state of a loop: a tensor that each round reads and computes anew. */
typedef struct LoopState
{
	char *name;
	TensorEntry entry; /* as the step reads it; without storage until it has a place */
	Storage place;     /* the decomposition and columns of its rows */
	bool all_stored;   /* all entries are stored, since no fill is the same after every
					    * round */
	bool negative;     /* some entry was below 0 before the first round */
	bool given;        /* the user's table holds it (assign) */
	Storage *table;    /* the table that holds it; NULL if not created yet */
	double written;    /* rows that were written since the loop began */
	char **labels;     /* named as in the step */
	int location;      /* of its left side in the step */
	/* the decomposition of the table that the loop creates with result => 'rows' */
	Decomposition columns;
	bool by_entry; /* columns are all labels, since the left sides have them in lower
				    * case */
	Rows *rows;    /* as a round reads it; NULL before the first */
	RowCounts counts;
	/*
	 * estimated statistics of a round's result, until the first round is planned; or NULL
	 */
	const TensorStatistics *expected;
	double planned_entries; /* counts.entries when the step was planned last */

	/* the state whose frontier this one is (frontier.c); NULL for states of the user */
	struct LoopState *frontier_of;
	bool from_zero; /* the frontier is right only while its state is never negative */

	/*
	 * rounds of the plan compute only a change: the state becomes change(state, computed)
	 */
	bool changes;
	FunctionId change;
	bool few_entries;        /* too few for that: rounds compute all of them */
	bool many_changes;       /* many entries change: computing all of them costs less */
	NewEntries *new_entries; /* computed by the round, put into rows at its end */
} LoopState;

/* What ends a loop. */
typedef struct LoopEnd
{
	int left;              /* the statement whose value is shown; or -1 */
	int condition;         /* the statement that says whether it ends, or -1: */
	FunctionId comparison; /* left compared with a number */
	double right;
} LoopEnd;

typedef struct Loop
{
	const LoopRequest *request;
	MemoryContext memory; /* lives as long as the loop */
	LoopState *states;    /* frontiers come last */
	int nstates;
	bool continues; /* from what the loop's own tables hold, not from init */
	char *start;    /* the program that computes the states before the first round */
	char *step;     /* the step with the condition */
	List *only_init;
	List *names;            /* of char *: all that init and step define */
	KnownTensors *known;    /* the stored tensors that the programs read */
	bool transaction_ended; /* since these were looked up */
	/* the queries of a round; NULL until the step is planned */
	struct RoundPlan *plan;
	bool plan_again; /* it is not that of the rounds that follow */
	List *kept;      /* of RowsComputedOnce *: rows computed before the first
							 * round */
	/*
	 * of TensorChange *, BETTER, of tables that the step reads: only what follows from
	 * these can change the states in the first round; NIL: anything may
	 */
	List *better;
	KeptOperands *operands; /* what rounds read of tables, kept in memory */
	LoopPlanning *planning;
	int depth;      /* number of loops inside which this one runs */
	int nrows;      /* number of rows that have got a name */
	List *all_rows; /* of Rows *, to be closed at the end */
} Loop;

/* define.c */

/*
 * Reads init, step and until: which tensors are the states, with their types and bounds.
 * Errors: those of programs, with their position; 42704 if there is no state, or the step
 * does not define a tensor of assign; 42804, 2202E where init and step differ; 42601 for
 * until if it is not a condition.
 */
extern Loop *define_loop(const LoopRequest *request);

/*
 * Returns this name, with a number appended if the programs of the loop use it already.
 */
extern char *loop_name(const Loop *loop, const char *name);

/* The statement that defines a tensor of that name, or NULL. */
extern Statement *find_statement(const Program *program, const char *name);

/* Is a name among names (char *)? */
extern bool is_name_in(const List *names, const char *name);

/*
 * Returns the statement that computes an expression without labels. If the expression
 * only reads the result of a statement, it is that one; else it is a new one with this
 * name.
 */
extern Statement *statement_of(Program *program, TensorExpr *expr, const char *name);

/* Removes the statements that no wanted statement needs, and numbers the others. */
extern void keep_needed(Program *program);

/* Concatenates two programs, given as text. */
extern char *programs_in_order(const char *first, const char *second);

/*
 * Analyses a program that reads the loop's states. has_until: its last statement is
 * until.
 */
extern Program *analyze_step(const Loop *loop, const char *step, bool has_until);

/*
 * Analyses the step and until, marks the wanted statements, and sets *end. Errors: 42804
 * if tensors were registered anew since the states were made, and the states would change
 * their shape.
 */
extern Program *loop_step(const Loop *loop, LoopEnd *end);

/*
 * Analyses the program that computes the states before the first round, with states
 * wanted.
 */
extern Program *loop_start(const Loop *loop);

/*
 * Returns the OIDs of the relations that hold the tensors which init and the step read,
 * and of the dimensions; states are left out.
 */
extern List *relations_of_loop(const Loop *loop);

/* Returns registrations_hash of the stored tensors that init and the step read. */
extern int64 registrations_of_loop(const Loop *loop);

/* Does init read one of these relations? */
extern bool init_reads(const Loop *loop, const List *relations);

/* The state that the step defines last; frontiers do not count. */
extern const LoopState *last_state(const Loop *loop);

/*
 * Plans the program that reads the states as the last round left them
 * (LoopRequest.read). If it is NULL, the plan reads the last state of the step. Errors:
 * those of programs.
 */
extern ProgramPlan *plan_of_result(const Loop *loop);

/*
 * Plans reading a state as the last round left it, with the result in this decomposition.
 */
extern ProgramPlan *plan_of_state(const Loop *loop, const LoopState *state,
								  const Decomposition *shape);

/* past.c */

/*
 * Checks whether the states from which a loop continues may hold values that the tables
 * no longer give, since rows were deleted or changed. Errors: 55000 if an entry is wrong;
 * warns if that cannot be known.
 */
extern void check_past(Loop *loop);

/* Do the states from which a loop continues follow from the tables as they are now? */
extern bool past_is_right(Loop *loop);

/* better.c */

/*
 * May a loop continue from the states that it has, since all that has changed below them
 * has got better? Sets loop->better. result: the table of a state, which has a position;
 * sources: its sources, of which some have changed. Needs an SPI connection. Errors:
 * those of reading bad rows.
 */
extern bool continues_from_better(Loop *loop, const Storage *result,
								  const Sources *sources, Snapshot snapshot);

/* plan.c */

/* Plans the step from estimates of what init makes; runs no query. */
extern ProgramPlan *plan_loop(Loop *loop);

/* rounds.c */

/* What a round tells its caller. */
typedef struct RoundReport
{
	double value; /* of until's left side */
	bool has_value;
	double time;  /* in milliseconds */
	bool planned; /* the step was planned before it */
	bool ended;   /* until is met */
} RoundReport;

/*
 * Computes the states before the first round. Needs an SPI connection, as all functions
 * below.
 */
extern void start_loop(Loop *loop);

/*
 * Runs a round, in a memory context that may be reset after it. Errors: 22003 if a state
 * turns NaN or infinite.
 */
extern void run_round(Loop *loop, int round, RoundReport *report);

/*
 * Converts the rows of a state to another decomposition. Returns a state with a place and
 * rows of its own, which free_converted frees.
 */
extern LoopState *convert_state(Loop *loop, const LoopState *state,
								const Decomposition *shape);
extern void free_converted(Loop *loop, LoopState *converted);

/* Ends the transaction; the loop continues in a new one. */
extern void commit_loop(Loop *loop);

/*
 * Frees the loop's rows, plans and kept operands, which deleting its memory context would
 * not free; may be called at any time.
 */
extern void end_loop(Loop *loop);

/* places.c */

/* Finds the tables that already hold states. Errors: those of tables in assign. */
extern void find_places(Loop *loop);

/*
 * Checks that the states can be written into tables at the end. Errors: 42P07, 42710 for
 * a name that is taken, 42501. Raises a NOTICE if a program has the loop's name.
 */
extern void check_places(const Loop *loop);

/*
 * Checks, before the first round, the size of a state that its table would show as a row
 * for each entry. Errors: 54000 if these are too many, by estimates of init and the step.
 */
extern void check_size(const Loop *loop, const LoopState *state);

/*
 * Returns the columns of a state's table, which may not exist yet, as "i integer, value
 * double precision". To be called after start_loop.
 */
extern char *columns_of_state(const Loop *loop, const LoopState *state);

/*
 * Notices which tables keep their columns though the left sides of the step ask for
 * others.
 */
extern void notice_columns(const Loop *loop);

/*
 * Writes the states into their tables, creating those that do not exist. last: the loop's
 * own tables are then analyzed. To be called after start_loop.
 */
extern void write_states(Loop *loop, bool last);

#endif
