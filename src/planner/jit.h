/*-------------------------------------------------------------------------
 *
 * jit.h
 *	  Whether a statement that computes with this extension is compiled.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_JIT_H
#define PLANNER_JIT_H

/* Installs the hook that runs when a statement begins. */
extern void jit_init(void);

#endif
