/*-------------------------------------------------------------------------
 *
 * source.h
 *	  Operands as items of a FROM list, in the decomposition a stage needs.
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

/* The keys of an operand that a point query needs, in some dimensions. */
typedef struct OperandLimit
{
	DimensionMask dimensions; /* 0: no limit */
	char *relation;           /* CTE of them, columns d0, d1, ... */
} OperandLimit;

/* The keys of a stage's result that a point query needs. */
typedef struct KeyLimit
{
	DimensionMask dimensions;
	char *parameters[TENSOR_MAX_RANK]; /* the one key of a dimension; or NULL */
	DimensionMask constant;            /* of these it can stand in place of the column */
	char *relation;                    /* CTE of the other dimensions' keys, or NULL */
	OperandLimit **operands;           /* of stored operands, by term and operand */
} KeyLimit;

/* Where the SELECTs of a plan find each other. */
typedef struct CodegenContext
{
	const ProgramPlan *plan;
	const char *tensor_type; /* qualified */
	bool uses_ctes;          /* stages are CTEs, not views */
	const char *schema;      /* of the views, for statements that name none */
	struct KeptStages *kept; /* what views keep: materialize.c, at first use */
	StagePlace *places;      /* by stage number, in one view; or NULL */
	char **
		inner; /* by stage number: names of relations whose rows another view shows; or NULL */
	KeyLimit *limits;                 /* by stage number, in a point query; or NULL */
	const struct RoundSources *round; /* of a loop; or NULL */
} CodegenContext;

/* A relation that holds a tensor in some decomposition. */
typedef struct Source
{
	const char *tensor;          /* whose name is the alias */
	char *from;                  /* FROM item without alias */
	char *keys[TENSOR_MAX_RANK]; /* quoted column of each key dimension */
	char *value;        /* template of the value: %s is the alias, once or never */
	char *quoted_value; /* its column, or NULL */
	List *conditions;   /* templates that rows with entries meet: %1$s is the alias */
	Decomposition decomposition;
	bool by_row;  /* computes its value for each row of a join, as stage_is_by_row says */
	bool one_row; /* always; its value is NULL where there is no entry */
} Source;

/* "'...'::text" */
extern char *text_literal(const char *text);

/* How a stored operand is read. */
typedef struct StoredRead
{
	bool linear;               /* by what sums duplicates of an additive tensor itself */
	DimensionMask compared;    /* its key is compared with another of the same row */
	const OperandLimit *limit; /* only the rows whose keys are in it; or NULL */
} StoredRead;

/* A stored operand as it is stored. */
extern Source *stored_source(const CodegenContext *context, const Storage *storage,
							 const StoredRead *read);

/* The keys of a stored tensor, unchecked, for what joins them. */
extern Source *keys_source(const CodegenContext *context, const Storage *storage);

/* The keys of a dimension, "(SELECT ...)" of one column. Errors: as dimension_entry. */
extern char *dimension_keys(const CodegenContext *context, int64 bound);

/*
 * How many places a value has for the keys of a dimension, an int8 that is found once per query.
 * Without keys there is one, at which nothing is stored (expr/dimensions.c).
 */
extern char *dimension_size(const CodegenContext *context, int64 bound);

/* How many blocks of this size its places are split in, an int8. */
extern char *dimension_blocks(const CodegenContext *context, int64 bound, int64 block);

/*
 * The places of a dimension's keys inside of values, "(SELECT ...)" of columns key and place:
 * the keys in the order of their positions, counted from 0. So a gap between positions is no
 * place, and what is computed of values is as dense as over a label with a number as its bound.
 */
extern char *dimension_places(const CodegenContext *context, int64 bound);

/* The positions in that order, an int8[] that is found once per query. */
extern char *dimension_positions(const CodegenContext *context, int64 bound);

/* The built-in eye of this bound: a row for each entry of the diagonal. */
extern Source *identity_source(const CodegenContext *context, int64 bound);

/* A stage's result as its view or CTE has it. */
extern Source *stage_source(const CodegenContext *context, const Stage *stage);

/* A subquery that delivers a tensor in columns names[] and value. */
extern Source *query_source(const char *query, const char *tensor, int rank,
							char *const *names, const Decomposition *decomposition);

/* A source that reads a relation with these columns. */
extern Source *rows_source(const char *relation, const char *tensor, int rank,
						   char *const *names, const Decomposition *decomposition);

/* A source of the same tensor in another decomposition, in at most two steps. */
extern Source *repartitioned_source(const CodegenContext *context, Source *source,
									const ProgramTensor *tensor, const Decomposition *to);

/* The source with its conditions applied, as a left join needs it. */
extern Source *filtered_source(Source *source, int rank);

/*
 * The source such that its value is computed once per row. A subquery without
 * aggregation is merged into the query that reads it, and its value then
 * computed for every joined row.
 */
extern Source *computed_source(const CodegenContext *context, Source *source, int rank);

/* What rows with entries meet, ANDed; NULL if that is nothing. */
extern char *source_conditions(const Source *source, const char *alias);

/* The alias of a source that is alone in its FROM list, quoted. */
extern const char *source_alias(const Source *source);

/*
 * An alias for a name that is not a tensor's: the name, or one made of it that is not in
 * the list. Adds it to the list.
 */
extern char *new_alias(List **aliases, const char *name);

/* The value of a source under an alias. */
extern char *source_value(const Source *source, const char *alias);

/* A number as a literal of a tensor of rank 0. */
extern char *tensor_literal(const CodegenContext *context, ElementType type,
							Number value);

/* A number as a fully promoted value: a float8 literal, or a tensor of rank 0. */
extern char *number_literal(const CodegenContext *context, ElementType type,
							Number value);

/* A number as a float8 literal. */
extern char *float8_literal(double value);

/* Names of a stage's key columns, by dimension: its labels, made unique. */
extern char **stage_columns(const Stage *stage);

/* The stage's view or CTE, quoted. */
extern char *stage_relation(const CodegenContext *context, const Stage *stage);

/* The name of that relation, and whether it is other than that of the view which shows the result by rows. */
extern const char *stage_relname(const CodegenContext *context, const Stage *stage);
extern bool is_shown_apart(const CodegenContext *context, const Stage *stage);

/* Names of the key columns of subqueries: d0, d1, ... */
extern char **dimension_names(int rank);

/* "t.i AS d0, " for each key of a source that is alone in its FROM list. */
extern void append_keys(StringInfo query, const Source *source, int rank, char **names);

#endif
