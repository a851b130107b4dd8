/*-------------------------------------------------------------------------
 *
 * call_hints.h
 *	  Hints for calls that PostgreSQL refuses before a function of ours runs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMANDS_CALL_HINTS_H
#define COMMANDS_CALL_HINTS_H

/* Adds our hints to such errors from now on; once per process. */
extern void call_hints_init(void);

#endif
