/*-------------------------------------------------------------------------
 *
 * planner_hooks.h
 *	  What the planner is told that no support function can tell it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_PLANNER_HOOKS_H
#define PLANNER_PLANNER_HOOKS_H

/* Installs the hooks; called when the library is loaded. */
extern void planner_hooks_init(void);

#endif
