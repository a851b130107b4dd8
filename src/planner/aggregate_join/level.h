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
#include "planner/aggregate_join/operand_rows.h"

/*
 * An operand of a level: a relation, or a join that is treated as one side of another
 * join.
 */
typedef struct LevelOperand
{
	RelOptInfo *rel;
	Path *path;    /* a path to all of its rows */
	Path *partial; /* a path to the share of one process; or NULL */
	OperandRows rows;
	bool optional;
	List *range;      /* see OPERAND_RANGE */
	int first_column; /* index among the level's columns */
	int ncolumns;
} LevelOperand;

/* A column of an operand's rows, as the scan returns it. */
typedef struct LevelColumn
{
	Node *expression;
	int operand;
	int label;   /* -1: no label; set by number_join_labels */
	int equal;   /* another column of the same label, or itself: columns form a forest */
	bool joined; /* compared by an equality, which drops rows with NULL in the column */
	bool key;    /* has a label */
	KeyKind kind;
} LevelColumn;

/* Are the column's values keys that a dictionary numbers? */
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
	List *outer; /* pairs of columns that left joins compare, the operand's first */
	int nlabels;
} Level;

/*
 * Returns the level's operands, and which of their columns are equal; NULL if the level
 * is not a join by equalities alone.
 */
extern Level *find_level(PlannerInfo *root);

/*
 * May evaluating an expression raise an error? A nest evaluates it also for rows that
 * join with no others. Integer arithmetic may: it may overflow.
 */
extern bool may_raise_error(Node *node, void *context);

/*
 * Returns an expression with columns as the operands' scans return them. From PostgreSQL
 * 16 on, the use of a column names the outer joins that may make it NULL
 * (varnullingrels); where the column is read, it does not. A nest puts the fill, or NULL,
 * where such a join finds no row.
 */
extern Node *without_nulling_joins(PlannerInfo *root, Node *node);

/*
 * Returns the operand that contains all of these relations; -1 if there is no such
 * operand.
 */
extern int operand_of_relations(const Level *level, const Relids relids);

/* Returns the column of an operand that equals the expression, or -1. */
extern int find_column(const Level *level, const Node *expression);

/*
 * Give a column a label. Keys are equal by this operator and collation; in
 * make_default_key by the type's own equality, unless the column has a label; in
 * make_integer_key as integers. False if the column cannot have such a label.
 */
extern bool make_key(Level *level, int column, Oid equality, Oid collation);
extern bool make_default_key(Level *level, int column);
extern bool make_integer_key(Level *level, int column);

/*
 * Numbers the labels of the keys. False if there are too many, or if a label is only in
 * optional operands.
 */
extern bool number_join_labels(Level *level);

#endif
