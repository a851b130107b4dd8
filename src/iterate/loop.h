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
#include "optimizer/plan.h"
#include "optimizer/rounds.h"
#include "rows/rows.h"

/* How a loop is asked for. */
typedef struct LoopRequest
{
	char *name;
	char *schema;
	char *init; /* or NULL */
	char *step;
	char *until;         /* or NULL */
	List *assign;        /* of SyntaxReference *: registered tables that hold a state */
	bool restart;        /* from init, whatever the loop's own tables hold */
	bool kept;           /* the state is written into tables */
	bool across;         /* transactions end between rounds */
	ResultShape result;  /* of its tables, or of the program that reads the states */
	PlanOptions options; /* loop is set */
} LoopRequest;

/*
 * Locks the loop's name, those of its states' tables and of the tables in assign, until the
 * transaction ends; to be called before anything that the loop reads is locked.
 */
extern void lock_loop(const LoopRequest *request);

typedef struct NewEntries NewEntries; /* changes.c */

/* A tensor that rounds pass on. */
typedef struct LoopState
{
	char *name;
	TensorEntry entry; /* as the step reads it; without storage until it has a place */
	Storage place;     /* how rounds have it, in rows */
	bool all_stored;   /* since no value is that of what is not stored, after any round */
	bool negative;     /* some entry was below 0 before the first round */
	bool given;        /* it is in a table of the user's */
	Storage *table;    /* that holds it; NULL: not made yet */
	bool written;      /* some of it, since the loop began */
	char **labels;     /* as the step calls them */
	int location;      /* of its left side there */
	/* of a table that the loop makes of it with result => 'rows' */
	Decomposition columns;
	bool by_entry; /* these are all labels, since left sides have them in lower case */
	Rows *rows;    /* as the round finds it; NULL before the first */
	RowCounts counts;
	/* what a round makes of it, before the first has run; or NULL */
	const TensorStatistics *expected;
	double planned_entries; /* when the step was planned last */

	/* the state of which it is the frontier (frontier.c); NULL: the user's own */
	struct LoopState *frontier_of;
	bool from_zero; /* that is a right one only as the state is never negative */

	/* a round of the plan makes what changes of it: it becomes change(it, that) */
	bool changes;
	FunctionId change;
	bool few_entries;        /* so that all are made anew, whatever the form */
	bool many_changes;       /* so that making all of it costs less */
	NewEntries *new_entries; /* that the round has made */
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
	bool continues; /* from what the loop's own tables hold */
	char *start;    /* the program that says what the first round finds */
	char *step;     /* the step with the condition */
	List *only_init;
	List *names; /* of char *: all that init and step define */
	/* its rounds */
	struct RoundPlan *plan;
	List *kept;             /* of what was computed before the first round */
	KeptOperands *operands; /* that rounds read, in memory */
	int depth;              /* loops in which it runs */
	int nrows;              /* rows that have got a name */
	List *all_rows;         /* of Rows *, to be forgotten at the end */
} Loop;

/* define.c */

/*
 * Reads init, step and until: which tensors are the state, of which types and bounds.
 * Errors: those of programs, with their position; 42704 where the step does not define what
 * it should; 42804, 2202E where init and step differ; 42601 for until if it is not a
 * condition.
 */
extern Loop *define_loop(const LoopRequest *request);

/* A name like this that nothing in the programs of the loop has. */
extern char *loop_name(const Loop *loop, const char *name);

/* The statement that defines a tensor of that name, or NULL. */
extern Statement *find_statement(const Program *program, const char *name);

/* Are two numbers equal, or both NaN? */
extern bool same_number(Number a, Number b);

/* A statement, which may be there already, whose value is an expression without labels. */
extern Statement *statement_of(Program *program, TensorExpr *expr, const char *name);

/* Removes the statements that nothing wanted reads, and numbers the others. */
extern void keep_needed(Program *program);

/* Concatenates two programs, given as text. */
extern char *programs_in_order(const char *first, const char *second);

/* The step with these entries for its states; until is not read. */
extern Program *analyze_step(const Loop *loop, const char *step, bool has_until);

/* The step, analysed, with what is wanted of it. */
extern Program *loop_step(const Loop *loop, LoopEnd *end);

/* The program that makes what the first round finds, likewise. */
extern Program *loop_start(const Loop *loop);

/* The last state of the step. */
extern const LoopState *last_state(const Loop *loop);

/*
 * A plan of a program that reads states as the last round has made them; NULL: of the last state of the step
 * itself. Errors: those of programs.
 */
extern ProgramPlan *plan_of_result(const Loop *loop, const char *program);

/* A plan that reads a state as the last round has made it, with the result in this decomposition. */
extern ProgramPlan *plan_of_state(const Loop *loop, const LoopState *state,
								  const Decomposition *shape);

/* past.c */

/*
 * A loop that continues: may its states have what nothing gives any more, since rows
 * have gone from tables? Errors: 55000 where one has; where that cannot be known, there is a warning.
 */
extern void check_past(Loop *loop);

/* plan.c */

/* A plan of the step, from what is estimated of init: nothing runs. */
extern ProgramPlan *plan_loop(Loop *loop);

/* rounds.c */

/* What a round was. */
typedef struct RoundReport
{
	double value; /* of until's left side */
	bool has_value;
	double time;  /* in milliseconds */
	bool planned; /* the step was planned before it */
	bool ended;   /* until is met */
} RoundReport;

/* Computes what the first round finds. Within SPI, as all that follows. */
extern void start_loop(Loop *loop);

/*
 * Runs a round, in a memory context that may be reset after it. Errors: 22003 if a state turns
 * NaN or infinite.
 */
extern void run_round(Loop *loop, int round, RoundReport *report);

/*
 * The rows of a state in another decomposition: a state of its name, place and rows, which
 * free_converted gives back.
 */
extern LoopState *convert_state(Loop *loop, const LoopState *state,
								const Decomposition *shape);
extern void free_converted(Loop *loop, LoopState *converted);

/* Ends the transaction; the loop continues in another one. */
extern void commit_loop(Loop *loop);

/* Gives back what is not memory; may be called at any time. */
extern void end_loop(Loop *loop);

/* places.c */

/* Finds the tables that hold states already. Errors: those of assign. */
extern void find_places(Loop *loop);

/*
 * Looks for what would keep the state from being written in the end. Errors: 42P07, 42710 for
 * a name that is taken, 42501.
 */
extern void check_places(const Loop *loop);

/*
 * To be called before the first round. Errors: 54000 if a state is to be shown as a row for each entry, and these
 * are too many by what is estimated of init and the step.
 */
extern void check_size(const Loop *loop, const LoopState *state);

/* The columns of a state's table, there or to be made, as "i integer, value double precision"; of a loop that has started. */
extern char *columns_of_state(const Loop *loop, const LoopState *state);

/* Says of which tables the columns stay though the left side says others. */
extern void notice_columns(const Loop *loop);

/* Writes the state into its tables, which are made if there are none; likewise. */
extern void write_states(Loop *loop, bool last);

#endif
