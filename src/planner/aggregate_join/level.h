/*-------------------------------------------------------------------------
 *
 * level.h
 *	  A query level as a join of operands by labels.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_AGGREGATE_JOIN_LEVEL_H
#define PLANNER_AGGREGATE_JOIN_LEVEL_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "executor/aggregate_join/aggregate_join.h"
#include "executor/operand/dictionary.h"

/* An item of the FROM list: a relation, or a join that is one side of another. */
typedef struct LevelOperand
{
	RelOptInfo *rel;
	Path *path;    /* of all its rows */
	Path *partial; /* of each process of a parallel query a share of them; or NULL */
	bool optional;
	List *range;      /* see OPERAND_RANGE */
	int first_column; /* of the level's */
	int ncolumns;
} LevelOperand;

/* A column of an operand's rows, as the scan returns it. */
typedef struct LevelColumn
{
	Node *expression;
	int operand;
	int label;   /* -1: none; meaningful after number_join_labels */
	int equal;   /* another column of the same label, or itself: a forest */
	bool joined; /* by an equality that drops rows with NULLs in it */
	bool key;    /* has a label */
	KeyKind kind;
} LevelColumn;

/* Are its values keys that a dictionary numbers? */
static inline bool
has_dictionary(const LevelColumn *column)
{
	return column->key && is_dictionary_kind(&column->kind);
}

typedef struct Level
{
	PlannerInfo *root;
	int noperands;
	LevelOperand operands[NEST_MAX_OPERANDS];
	int ncolumns;
	LevelColumn *columns;
	List *gates; /* pseudoconstant quals */
	List *outer; /* of each equality of a left join: the operand's column, the other */
	int nlabels;
} Level;

/*
 * The level's operands and which of their columns are equal; NULL if it is not a join
 * by equalities alone.
 */
extern Level *find_level(PlannerInfo *root);

/*
 * May an expression raise an error? It is evaluated for rows that join nothing, or where
 * nothing is joined. Arithmetic of integers is in question: it may overflow.
 */
extern bool may_raise_error(Node *node, void *context);

/*
 * An expression as the operands' scans have its columns. From PostgreSQL 16 on, a column
 * has the outer joins in it that may make it NULL where it is used (varnullingrels), and
 * not where it is read. In place of those joins stands the fill, or NULL, of a nest.
 */
extern Node *without_nulling_joins(PlannerInfo *root, Node *node);

/* The operand that has all of these relations; -1 if none has. */
extern int operand_of_relations(const Level *level, const Relids relids);

/* The column of an operand that an expression is; -1 for another expression. */
extern int find_column(const Level *level, const Node *expression);

/*
 * Gives a column a label, whose keys are equal by an operator under a collation; by the
 * type's own equality, unless it has one; or as an integer. False if it cannot have one.
 */
extern bool make_key(Level *level, int column, Oid equality, Oid collation);
extern bool make_default_key(Level *level, int column);
extern bool make_integer_key(Level *level, int column);

/*
 * Numbers the labels of the keys; false if there are too many, or some only of optional
 * operands.
 */
extern bool number_join_labels(Level *level);

#endif
