/*-------------------------------------------------------------------------
 *
 * analysis.h
 *	  From syntax trees to the expression DAG.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_ANALYSIS_H
#define EXPR_ANALYSIS_H

#include "compat.h"
#include "expr/expr.h"

/*
 * Parses and analyses a program: resolves tensors, labels and their bounds,
 * makes implicit sums explicit. Errors carry the position in the text.
 */
extern Program *analyze_program(const char *text);

/* What to do where a label has to have a bound that is a number, by what it has instead. */
extern const char *open_label_hint(int64 bound);

/*
 * The same as analyze_program for what makes another program of it and plans nothing: aggregates over labels of dimensions stay
 * as they are written, though fills that depend on the number of keys are infinite then.
 */
extern Program *analyze_as_written(const char *text);

/* What a round of a loop finds, and the condition at its end. */
typedef struct LoopScope
{
	List *states;    /* of TensorEntry *: what statements may define anew, and read */
	List *only_init; /* of char *: what init defines and the step does not */
	bool has_until;  /* the last statement is the condition that ends the loop */
} LoopScope;

/*
 * Analyses the step of a loop. On the right a state has its value from the beginning of
 * the round, except in the last statement if that is the condition: there it has its
 * value from the end of the round.
 */
extern Program *analyze_loop(const char *text, const LoopScope *scope);

/* The same for what makes another program of the step, as analyze_as_written. */
extern Program *analyze_loop_as_written(const char *text, const LoopScope *scope);

/* A state as the step reads it: what the statement that it begins with makes, stored nowhere. */
extern void describe_state(TensorEntry *entry, const ProgramTensor *tensor);

/* 0A000 at a position of the program, for what is documented as not supported. */
pg_noreturn extern void unsupported(const Program *program, int location,
									const char *what, const char *hint);

#endif
