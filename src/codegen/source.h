/*-------------------------------------------------------------------------
 *
 * source.h
 *	  Writes operands as items of a FROM list, in the decomposition that a stage needs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_SOURCE_H
#define CODEGEN_SOURCE_H

#include "lib/stringinfo.h"

#include "optimizer/plan.h"

/* Where a view finds a stage that it reads. */
typedef enum StagePlace
{
	STAGE_IS_VIEW, /* a view of its own */
	STAGE_IN_FROM, /* a subquery where it is read */
	STAGE_IN_CTE,  /* a CTE */
	STAGE_KEPT,    /* a materialized CTE */
} StagePlace;

/* The keys of an operand that a point query needs, in some of its dimensions. */
typedef struct OperandLimit
{
	DimensionMask dimensions; /* 0: no limit */
	char *relation;           /* CTE of the needed keys, with columns d0, d1, ... */
	char *gathered;           /* of a table of Citus: the condition on r; or NULL */
} OperandLimit;

/* The keys of a stage's result that a point query needs. */
typedef struct KeyLimit
{
	DimensionMask dimensions;
	char *parameters[TENSOR_MAX_RANK]; /* the only needed key of a dimension; or NULL */
	/* dimensions whose parameter may replace the column */
	DimensionMask constant;
	char *relation; /* CTE of the other dimensions' keys, or NULL */
	/* limits of stored operands, by term and operand */
	OperandLimit **operands;
} KeyLimit;

/* Where the SELECTs of a plan find each other's results. */
typedef struct CodegenContext
{
	const ProgramPlan *plan;
	const char *tensor_type; /* qualified name of type tensor */
	bool uses_ctes;          /* stages are CTEs, not views */
	const char *schema;      /* schema of the views of statements that name none */
	/* stages that views keep: materialize.c, filled at first use */
	struct KeptStages *kept;
	StagePlace *places; /* by stage number, for one view; or NULL */
	char **
		inner; /* by stage: name of the relation whose rows another view shows; or NULL */
	KeyLimit *limits;                 /* by stage number, in a point query; or NULL */
	const struct RoundSources *round; /* rows of a loop's round; or NULL */
	struct Gathering *gathering;      /* the tables of Citus that the query reads */
} CodegenContext;

/* A relation that holds a tensor in some decomposition. */
typedef struct Source
{
	const char *tensor;          /* name of the tensor, which is the alias */
	char *from;                  /* FROM item without alias */
	char *keys[TENSOR_MAX_RANK]; /* quoted column of each key dimension */
	/* template of the value: %s is the alias, which occurs once or never */
	char *value;
	char *quoted_value; /* quoted column of the value, or NULL */
	/* templates of conditions that hold for rows with entries: %1$s is the alias */
	List *conditions;
	Decomposition decomposition;
	/* dimensions whose column has ranges, in one of which a key is or is not */
	DimensionMask contained;
	DimensionMask measured; /* dimensions whose column is the length of a range */
	bool by_row;  /* its value is computed for each row of a join, see stage_is_by_row */
	bool one_row; /* it always has one row, whose value may be NULL: no entry */
} Source;

/* "'...'::text" */
extern char *text_literal(const char *text);

/* How a stored operand is read. */
typedef struct StoredRead
{
	/* the reader adds up duplicates of an additive tensor itself */
	bool linear;
	/* the reader is a scalar subquery, which itself fails if there are several rows */
	bool scalar;
	/* dimensions whose key is compared with another key of the same row */
	DimensionMask compared;
	DimensionMask contained;   /* range dimensions whose keys the reader has already */
	DimensionMask measured;    /* those of which it needs no more than the length */
	const OperandLimit *limit; /* read only rows whose keys are in this limit; or NULL */
	/*
	 * a FROM item that is read in place of the relation; it has its columns, and keys may
	 * occur more than once; or NULL
	 */
	char *rows;
} StoredRead;

/* Returns a stored operand in the decomposition in which it is stored. */
extern Source *stored_source(const CodegenContext *context, const Storage *storage,
							 const StoredRead *read);

/*
 * Returns the keys of a stored tensor without checks, for a join with tables that are
 * checked. gathered: the condition under which a table of Citus is gathered, or NULL.
 */
extern Source *keys_source(const CodegenContext *context, const Storage *storage,
						   const char *gathered);

/*
 * Returns the keys of a dimension as a subquery "(SELECT ...)" of one column. Errors: as
 * dimension_entry.
 */
extern char *dimension_keys(const CodegenContext *context, int64 bound);

/*
 * Returns the number of places of a value along a dimension, as SQL of type int8 that
 * runs once per query. A dimension without keys has one place, at which nothing is stored
 * (expr/dimensions.c).
 */
extern char *dimension_size(const CodegenContext *context, int64 bound);

/* Returns the number of blocks of this size along a dimension, as SQL of type int8. */
extern char *dimension_blocks(const CodegenContext *context, int64 bound, int64 block);

/*
 * Returns the places of a dimension's keys inside values, as a subquery "(SELECT ...)"
 * with columns key and place: the keys numbered from 0 in the order of their positions.
 * So gaps between positions are no places, and values are as dense as over a label with a
 * fixed bound.
 */
extern char *dimension_places(const CodegenContext *context, int64 bound);

/*
 * Returns the positions of the keys in that order, as SQL of type int8[] that runs once
 * per query.
 */
extern char *dimension_positions(const CodegenContext *context, int64 bound);

/*
 * Returns the built-in identity matrix eye of this bound, with a row for each entry of
 * the diagonal.
 */
extern Source *identity_source(const CodegenContext *context, int64 bound);

/* Returns a stage's result as its view or CTE has it. */
extern Source *stage_source(const CodegenContext *context, const Stage *stage);

/*
 * Returns a source that reads a query, which has a tensor in columns names[] and value.
 */
extern Source *query_source(const char *query, const char *tensor, int rank,
							char *const *names, const Decomposition *decomposition);

/*
 * Returns a source that reads a relation, which has a tensor in columns names[] and
 * value.
 */
extern Source *rows_source(const char *relation, const char *tensor, int rank,
						   char *const *names, const Decomposition *decomposition);

/* Returns the same tensor in another decomposition, by at most two subqueries. */
extern Source *repartitioned_source(const CodegenContext *context, Source *source,
									const ProgramTensor *tensor, const Decomposition *to);

/* Returns the source with its conditions applied inside, as a left join needs it. */
extern Source *filtered_source(Source *source, int rank);

/*
 * Returns the source such that its value is computed once per row. PostgreSQL merges a
 * subquery without aggregation into its reader, and would compute the value for every
 * joined row.
 */
extern Source *computed_source(const CodegenContext *context, Source *source, int rank);

/*
 * Returns the conditions that hold for rows with entries, joined by AND; NULL without
 * conditions.
 */
extern char *source_conditions(const Source *source, const char *alias);

/* Returns the quoted alias of a source that is alone in its FROM list. */
extern const char *source_alias(const Source *source);

/*
 * Returns a quoted alias made of a name, other than all in the list, and adds it to the
 * list.
 */
extern char *new_alias(List **aliases, const char *name);

/* Returns the value of a source, which has this alias. */
extern char *source_value(const Source *source, const char *alias);

/* Returns a number as a literal tensor of rank 0. */
extern char *tensor_literal(const CodegenContext *context, ElementType type,
							Number value);

/*
 * Returns a number as a fully promoted value: a float8 literal, or a tensor of rank 0 for
 * other types.
 */
extern char *number_literal(const CodegenContext *context, ElementType type,
							Number value);

/* Returns a number as a float8 literal. */
extern char *float8_literal(double value);

/* Returns the names of a stage's columns by dimension: its labels, made unique. */
extern char **stage_columns(const Stage *stage);

/* Returns the quoted name of the stage's view, table or CTE. */
extern char *stage_relation(const CodegenContext *context, const Stage *stage);

/*
 * Return the unquoted name of the stage's relation, and whether a view of another name
 * shows the result by rows.
 */
extern const char *stage_relname(const CodegenContext *context, const Stage *stage);
extern bool is_shown_apart(const CodegenContext *context, const Stage *stage);

/* Returns the names of the key columns of subqueries: d0, d1, ... */
extern char **dimension_names(int rank);

#endif
