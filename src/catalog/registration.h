/*-------------------------------------------------------------------------
 *
 * registration.h
 *	  Registrations of tensors: security labels of the provider sparseeinsum
 *	  on tables and views, and what is read from them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_REGISTRATION_H
#define CATALOG_REGISTRATION_H

#include "postgres.h"

#include "access/attnum.h"
#include "nodes/pg_list.h"

#include "kernels/function_type.h"
#include "kernels/kernels.h"

#define LABEL_PROVIDER "sparseeinsum"

#define BOUND_OPEN (-1)

/*
 * The bound of a label whose indices are the keys of a dimension (dimension.h), until
 * that is looked up; then it is a number from BOUND_DIMENSION down, one for each
 * dimension.
 */
#define BOUND_UNRESOLVED (-3)
#define BOUND_DIMENSION (-16)

static inline bool
bound_is_dimension(int64 bound)
{
	return bound <= BOUND_UNRESOLVED;
}

/*
 * Are the indices keys that a table has, whose number is not known when a program is
 * planned?
 */
static inline bool
bound_is_open(int64 bound)
{
	return bound == BOUND_OPEN || bound_is_dimension(bound);
}

typedef enum DimensionKind
{
	DIMENSION_PROMOTED,
	DIMENSION_BLOCKED,
	DIMENSION_DEMOTED,
} DimensionKind;

/* One dimension of a tensor in one storage. */
typedef struct StorageDimension
{
	char *label; /* as registered, lower case */
	DimensionKind kind;
	int64 block;      /* of DIMENSION_BLOCKED */
	int64 bound;      /* or BOUND_OPEN, or of a dimension */
	char *index_set;  /* the dimension's name, quoted and, in another schema, qualified */
	char *column;     /* key column of a promoted or blocked dimension */
	AttrNumber attno; /* of column */
	Oid key_type;     /* of column */
	bool range_proved; /* CHECK constraints keep the column in range */
	/* a view computes the column by what may raise an error (view_column.h) */
	bool may_fail;
} StorageDimension;

/* A part of a value that several columns make. */
typedef struct ValuePart
{
	char *column;    /* NULL: it is a number */
	double constant; /* the number */
	AttrNumber attno;
	Oid type; /* of column */
} ValuePart;

typedef enum DuplicatePolicy
{
	DUPLICATES_ERROR,
	DUPLICATES_TRUST,
	DUPLICATES_SUM,
} DuplicatePolicy;

/* What is absent where one of several columns of a value is NULL. */
typedef enum NullPolicy
{
	NULLS_ROW,
	NULLS_ENTRY,
} NullPolicy;

/* How a program was made, so that it can be made again. */
#define CALL_OPTIONS 7
#define CALL_RESULT 3 /* which of them is "result" */
typedef struct ProgramCall
{
	char *text;
	List *path;                  /* char *: the schemas in which it looks for tensors */
	char *options[CALL_OPTIONS]; /* as given (call_option_names), NULL: not given */
	bool security_invoker;
} ProgramCall;

/* A relation that holds a tensor in one decomposition. */
typedef struct Storage
{
	Oid relid;
	bool is_view;
	char *tensor; /* name of the tensor */
	int rank;
	StorageDimension dimensions[TENSOR_MAX_RANK];
	char *value_column; /* NULL: a row means 1 */
	AttrNumber value_attno;
	Oid value_type;      /* InvalidOid without a value column */
	bool value_may_fail; /* as may_fail of keys, of value_column */
	/*
	 * Values that are made (value_columns.h): ValuePart *s of several columns, whose
	 * value_column is all of them as one text and whose value_attno is invalid; or the
	 * categories, char *, of a value_column that has one in each row.
	 */
	List *value_parts;
	NullPolicy nulls; /* in one of several columns */
	bool one_hot;
	List *categories;
	/*
	 * of a dimension: the integer column that orders its keys inside of values; or NULL
	 */
	char *position;
	ElementType element_type; /* of the entries as programs see them */
	Number fill;
	DuplicatePolicy duplicates;
	/*
	 * What proves the keys unique under DUPLICATES_ERROR, else InvalidOid: a
	 * unique index, and the constraint it belongs to if it is not a plain
	 * index. A storage without keys has neither, because no constraint can say
	 * that a table has one row: registering checks that it has, and a query must
	 * read the row through a scalar subquery, which fails when there are more.
	 */
	Oid constraint;
	Oid unique_index;
	int unique_dimensions;   /* whose key columns that index has, a bitmask */
	char *program;           /* the einsum_decompose call that made it, or NULL */
	const ProgramCall *call; /* that call, on one relation of the program, or NULL */
	/*
	 * A table that a program computes: the view that it is filled from, in the
	 * same schema and of the same owner. Else NULL.
	 */
	char *query;
	/*
	 * What holds the state of a loop: the name by which queries of the loop know its
	 * rows, whose columns are d0, d1, ... and value. Else NULL, and there is a relation.
	 */
	char *ephemeral;
	/* of a shifted tensor: how its rows are made of those of which storage; else NULL */
	const struct TensorShift *shift;
	const struct Storage *shifted;
} Storage;

/* A tensor with its storages, cheapest knowledge first: all agree in rank and
 * bounds. */
typedef struct TensorEntry
{
	Oid schema;
	char *name;
	int rank;
	int64 bounds[TENSOR_MAX_RANK]; /* or BOUND_OPEN, or of dimensions */
	ElementType type;
	Number fill;
	List *storages; /* of Storage *; none: it will be stored in what suits a plan best */
	/* the state of a loop: what is known of it; else NULL */
	const struct TensorStatistics *state;
	const struct TensorShift
		*shift; /* of a shifted tensor: of which, and how; else NULL */
} TensorEntry;

/* Registers the label provider; called once from _PG_init. */
extern void catalog_init(void);

/*
 * The registered tensor of that name; schema NULL means the first of the
 * search path that has one. Relations the user may not read are found too:
 * the views' permission checks are PostgreSQL's. NULL if not found.
 * A registration that no longer fits its relation (a dropped or renamed
 * column) is an error with a hint.
 */
extern TensorEntry *lookup_tensor(const char *schema, const char *name);

/*
 * What to tell who named a tensor that does not exist: a relation of that name and
 * the tensors that it holds, the tensor in another schema, tensors of similar names;
 * and how tensors come about.
 */
extern char *unknown_tensor_hint(const char *schema, const char *name);

/* As unknown_tensor_hint, but NULL where no tensor has that name or one near to it. */
extern char *similar_tensor_hint(const char *schema, const char *name);

/*
 * Labels a relation without validating its data: for the views that
 * einsum_decompose makes. Adds to what the relation has already. Names the dimensions
 * that bounds are.
 */
extern void set_registration(Oid relid, Storage *storage);

/*
 * OIDs of the relations whose registrations name this program of a schema: by
 * its name in the schema itself, by its qualified name in others. Those of its first
 * owner (first_owner.h); with warn a WARNING for each other.
 */
extern List *relations_of_program(Oid schema, const char *program, bool warn);

#endif
