/*-------------------------------------------------------------------------
 *
 * analysis.h
 *	  Turns syntax trees into the expression DAG.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_ANALYSIS_H
#define EXPR_ANALYSIS_H

#include "compat.h"
#include "expr/expr.h"

/*
 * Parses and analyses a program: resolves tensors, labels and their bounds, and makes
 * implicit sums explicit. Errors carry the position in the text.
 */
extern Program *analyze_program(const char *text);

/*
 * Returns a hint for a label that needs a number as its bound, but has an open bound or a
 * dimension.
 */
extern const char *open_label_hint(int64 bound);

/*
 * Analyses a program like analyze_program, for callers that make another program of it
 * and plan nothing: aggregates over labels of dimensions stay as written. Fills that
 * depend on the number of keys are infinite then.
 */
extern Program *analyze_as_written(const char *text);

/*
 * The tensors that a round of a loop finds, and whether the loop has a condition at its
 * end.
 */
typedef struct LoopScope
{
	List *states;    /* of TensorEntry *: what statements may define anew, and read */
	List *only_init; /* of char *: what init defines and the step does not */
	bool has_until;  /* the last statement is the condition that ends the loop */
	/* the stored tensors that the loop's programs read, looked up together */
	const struct KnownTensors *known;
} LoopScope;

/*
 * Analyses the step of a loop, or without states its init. On the right, a state has its
 * value from the beginning of the round; in the last statement, if that is the condition,
 * its value from the end of the round.
 */
extern Program *analyze_loop(const char *text, const LoopScope *scope);

/*
 * Analyses the step of a loop like analyze_loop, but as written (see analyze_as_written).
 */
extern Program *analyze_loop_as_written(const char *text, const LoopScope *scope);

/* Returns the tensor as which a program reads the state of a loop. */
extern ProgramTensor *tensor_of_state(TensorEntry *state);

/*
 * Fills in the entry of a loop's state: as the tensor that the state's first statement
 * defines, but stored nowhere.
 */
extern void describe_state(TensorEntry *entry, const ProgramTensor *tensor);

/*
 * Returns the tensor that is another one with these shifted or constant indices; the same
 * tensor each time.
 */
extern ProgramTensor *program_shifted_tensor(Program *program, ProgramTensor *of,
											 const struct TensorShift *shift,
											 int location);

/* Raises 0A000 at a position of the program, for what is documented as not supported. */
pg_noreturn extern void unsupported(const Program *program, int location,
									const char *what, const char *hint);

#endif
