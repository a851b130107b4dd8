/*-------------------------------------------------------------------------
 *
 * custom_nodes.h
 *	  Plan nodes of our own: their hooks.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_CUSTOM_NODES_H
#define PLANNER_CUSTOM_NODES_H

#include "postgres.h"

/*
 * Registers our plan nodes and installs hooks; called when the library is loaded, in
 * parallel workers too.
 */
extern void custom_nodes_init(void);

#endif
