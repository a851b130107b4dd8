/*-------------------------------------------------------------------------
 *
 * custom_nodes.h
 *	  Plan nodes of our own: their settings and hooks.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_CUSTOM_NODES_H
#define EXECUTOR_CUSTOM_NODES_H

#include "postgres.h"

/* sparseeinsum.enable_batching */
typedef enum Batching
{
	BATCHING_OFF,
	BATCHING_ON,    /* where it should pay */
	BATCHING_FORCE, /* wherever it is possible */
} Batching;

extern int enable_batching;

/* Defines settings, registers nodes and installs hooks; called when the library
 * is loaded, in parallel workers too. */
extern void custom_nodes_init(void);

#endif
