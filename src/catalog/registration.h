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
 * The bound of a label whose index set is a dimension (dimension.h), until the dimension
 * has been looked up. Then the bound is a number of at most BOUND_DIMENSION, a different
 * one for each dimension.
 */
#define BOUND_UNRESOLVED (-3)
#define BOUND_DIMENSION (-16)

/*
 * The bound of a label whose keys begin at another integer than 0 is a number of at most
 * BOUND_ORIGIN, which tells the first key and how many there are (origin.h).
 */
#define BOUND_ORIGIN (PG_INT64_MIN / 2)

static inline bool
bound_has_origin(int64 bound)
{
	return bound <= BOUND_ORIGIN;
}

static inline bool
bound_is_dimension(int64 bound)
{
	return bound <= BOUND_UNRESOLVED && !bound_has_origin(bound);
}

/*
 * Are the indices the keys of a table, so that their number is not known when a program
 * is planned?
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
	int64 bound;      /* a number, one with an origin, BOUND_OPEN, or a dimension's */
	char *index_set;  /* the dimension's name, quoted and, in another schema, qualified */
	char *column;     /* key column of a promoted or blocked dimension */
	AttrNumber attno; /* of column */
	Oid key_type;     /* of column or, of ranges, of the keys in them */
	Oid range_type;   /* of column if it has ranges of keys; else InvalidOid */
	double range_keys; /* the mean number of keys in ranges */
	bool range_proved; /* CHECK constraints keep the column in range */
	/*
	 * the column of a view is computed by an expression that may raise an error
	 * (view_column.h)
	 */
	bool may_fail;
} StorageDimension;

/* A part of a value that is made from several columns. */
typedef struct ValuePart
{
	char *column;    /* NULL: the part is a constant */
	double constant; /* if column is NULL */
	AttrNumber attno;
	Oid type; /* of column */
} ValuePart;

typedef enum DuplicatePolicy
{
	DUPLICATES_ERROR,
	DUPLICATES_TRUST,
	DUPLICATES_SUM,
} DuplicatePolicy;

/*
 * What is absent if one of several columns of a value is NULL: the whole row, or one
 * entry.
 */
typedef enum NullPolicy
{
	NULLS_ROW,
	NULLS_ENTRY,
} NullPolicy;

/* Whether key columns of range types have ranges of keys (range_storage.h). */
typedef enum RangePolicy
{
	RANGES_BY_TYPE, /* if there are such columns; until the storage is resolved */
	RANGES_ARE_NO_KEYS,
	RANGES_OF_KEYS,
} RangePolicy;

/* The options of the call that made a program, by which it can be made again. */
#define CALL_OPTIONS 7
#define CALL_RESULT 3      /* index of the option "result" */
#define CALL_MATERIALIZE 4 /* index of the option "materialize" */
typedef struct ProgramCall
{
	char *text;
	List *path;                  /* char *: the schemas in which it looks for tensors */
	char *options[CALL_OPTIONS]; /* as given (call_option_names), NULL: not given */
	bool security_invoker;
} ProgramCall;

/* The texts of the call that ran a loop, by which it can be run again. */
typedef enum LoopText
{
	LOOP_INIT,
	LOOP_STEP,
	LOOP_UNTIL,
	LOOP_SEARCH,
	LOOP_REWRITE,
	LOOP_ESTIMATOR,
	LOOP_RESULT,
	LOOP_ON_CHANGE,
	LOOP_TEXTS
} LoopText;

typedef struct LoopCall
{
	char *texts[LOOP_TEXTS]; /* NULL: not given */
	List *path;              /* char *: the schemas in which it looks for tensors */
	List *assign;            /* char *: names of tensors */
	int max_rounds;
} LoopCall;

/* How the entries of a tensor are in arrays of a relation's rows (stored_layout.h). */
typedef struct StoredLayout
{
	const struct Layout *layout;
	List *columns;    /* ValuePart *: of the relation, in the order of the layout */
	bool with_values; /* the last column has them; else they are 1 */
	int first; /* labels from this on are its indices, those before it keys of rows */
} StoredLayout;

/* A relation that holds a tensor, and the decomposition in which it does. */
typedef struct Storage
{
	Oid relid;
	bool is_view;
	char *tensor; /* name of the tensor */
	int rank;
	StorageDimension dimensions[TENSOR_MAX_RANK];
	char *value_column; /* NULL: each row stands for the value 1 */
	AttrNumber value_attno;
	Oid value_type;      /* InvalidOid without a value column */
	bool value_may_fail; /* like may_fail of keys, for value_column */
	bool sparse_values;  /* value_column is declared to have sparse values */
	/*
	 * For values that are not a column (value_columns.h): the ValuePart *s of several
	 * columns, whose value_column is all of them as one text and whose value_attno is
	 * invalid; or the categories, char *, of the value_column, which has one in each row.
	 */
	List *value_parts;
	NullPolicy nulls;           /* for NULLs in one of several columns */
	const StoredLayout *layout; /* NULL: a row has one entry, or one value */
	bool symmetric; /* each entry is also its mirror image over the last two labels */
	RangePolicy ranges;
	bool one_hot;
	List *categories;
	/*
	 * of a dimension: the integer column that orders its keys inside of values; or NULL
	 */
	char *position;
	ElementType element_type; /* of the entries, as programs see them */
	Number fill;
	DuplicatePolicy duplicates;
	/*
	 * What proves that the keys are unique under DUPLICATES_ERROR, else InvalidOid: a
	 * unique index, and the constraint to which it belongs, if any. A storage without
	 * keys has neither, because no constraint can say that a table has one row:
	 * registering checks it, and queries must read the row through a scalar subquery,
	 * which fails if there are more.
	 */
	Oid constraint;
	Oid unique_index;
	int unique_dimensions;   /* bitmask of the dimensions whose keys are in that index */
	char *program;           /* the program of einsum_decompose that made it, or NULL */
	const ProgramCall *call; /* how it was made, on one relation of the program; or
							  * NULL */
	const LoopCall *loop;    /* of a loop's state: how it was run, on one of its tables */
	/*
	 * If a program computes the table: the view that it is filled from, in the same
	 * schema and of the same owner. Else NULL.
	 */
	char *query;
	/*
	 * If refreshes of that table may add what has changed: the statement that its query
	 * computes, in which names have their schemas, and registrations_hash of what it
	 * reads. Else NULL.
	 */
	char *statement;
	int64 reads;
	/* the view of the result that is current between refreshes, or NULL */
	char *now;
	/*
	 * the column that has by how much refreshes have changed each row since it was
	 * computed; NULL: its numbers are exact
	 */
	char *moved;
	/*
	 * If this is the state of a loop: the name by which queries of the loop know its
	 * rows, whose columns are d0, d1, ... and value; there is no relation. Else NULL.
	 */
	char *ephemeral;
	/*
	 * of a shifted tensor: how its rows are made from those of which storage; else NULL
	 */
	const struct TensorShift *shift;
	const struct Storage *shifted;
	/*
	 * a table of Citus that the relation is, or reads, so that queries gather its rows;
	 * and the name of the CTE that has them in the query that is written. Else NULL.
	 */
	const struct CitusTable *citus;
	const char *gathered;
} Storage;

/* A tensor with its storages, which all agree in rank and bounds. */
typedef struct TensorEntry
{
	Oid schema;
	char *name;
	int rank;
	int64 bounds[TENSOR_MAX_RANK]; /* as of StorageDimension */
	ElementType type;
	Number fill;
	List *storages; /* of Storage *; NIL: the plan decides how it will be stored */
	/* if this is the state of a loop: its statistics; else NULL */
	const struct TensorStatistics *state;
	Oid state_keys
		[TENSOR_MAX_RANK]; /* of a state: the types of the keys of open labels */
	const struct TensorShift
		*shift; /* of a shifted tensor: which tensor is shifted, and how; else NULL */
} TensorEntry;

/* Registers the label provider; called once from _PG_init. */
extern void catalog_init(void);

/*
 * Returns the registered tensor of that name; schema NULL means the first in the search
 * path that has one. NULL if not found. Relations that the user may not read are found,
 * too: PostgreSQL checks the permissions of views. Errors: a registration no longer fits
 * its relation, as after a column was dropped or renamed.
 */
extern TensorEntry *lookup_tensor(const char *schema, const char *name);

/*
 * Returns a hint for a user who named a tensor that does not exist: a relation of that
 * name and the tensors that it holds, the tensor in another schema, or tensors of similar
 * names; and how tensors are registered.
 */
extern char *unknown_tensor_hint(const char *schema, const char *name);

/* Returns the same hint, but NULL if no tensor has that name or a similar one. */
extern char *similar_tensor_hint(const char *schema, const char *name);

/*
 * Labels a relation without checking its data, for the views that einsum_decompose makes.
 * Adds to the registrations that the relation has already. Bounds that are dimensions are
 * written by name.
 */
extern void set_registration(Oid relid, Storage *storage);

/*
 * Returns the OIDs of the relations whose registrations name this program of a schema: by
 * its name in the schema itself, by its qualified name in other schemas. Only those of
 * its first owner (first_owner.h); warn: raises a WARNING for each other.
 */
extern List *relations_of_program(Oid schema, const char *program, bool warn);

#endif
