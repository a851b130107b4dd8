/*-------------------------------------------------------------------------
 *
 * join_search.h
 *	  The order of joins, where looking for the best would take longer than joining.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_JOIN_SEARCH_H
#define PLANNER_JOIN_SEARCH_H

/* Installs the hook; called when the library is loaded. */
extern void join_search_init(void);

#endif
