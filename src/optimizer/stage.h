/*-------------------------------------------------------------------------
 *
 * stage.h
 *	  Stages: one tensor-relational step each, a join with a kernel and an
 *	  aggregation.
 *
 *	  result[output] = post( sum over terms of
 *								 aggregate[aggregated] kernel(operands) )
 *
 * The kernel may read sums of operands, over dimensions of their values, that it
 * computes itself.
 *
 * A stage with several terms is a union; its terms aggregate nothing. A
 * stage's labels are numbered from 0, so that sets of them are bit masks.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_STAGE_H
#define OPTIMIZER_STAGE_H

#include "algebra/algebra.h"
#include "expr/expr.h"
#include "expr/normalize.h"
#include "optimizer/decomposition.h"

/* PostgreSQL plans up to geqo_threshold - 1 relations exhaustively. */
#define STAGE_MAX_OPERANDS 11
/* Most operands of a stage that is a loop nest: a nest needs no order of joins. */
#define STAGE_NEST_OPERANDS 30
/*
 * An expression with more operands than a stage may have is cut into stages of this
 * number: PostgreSQL's default of from_collapse_limit keeps their joins apart, and plans
 * one in milliseconds.
 */
#define STAGE_EASY_OPERANDS 8
/*
 * Most nodes of a kernel as a tree, and of a post expression. Written as a map expression
 * a kernel has more steps, since some numbers take several, but fewer than 8 times as
 * many.
 */
#define KERNEL_MAX_NODES (MAP_MAX_STEPS / 8)
#define STAGE_MAX_LABELS ESTIMATE_MAX_LABELS

typedef enum KernelKind
{
	KERNEL_LITERAL,
	KERNEL_OPERAND,
	KERNEL_CALL,
	KERNEL_MATRIX, /* a matrix function of all operands of a term, as in expr_matrix */
} KernelKind;

/*
 * A pointwise expression: of a term, over its operands and kernel sums; of a kernel sum,
 * over the operands; or a stage's post, whose only operand is the aggregated result.
 */
typedef struct Kernel
{
	KernelKind kind;
	ValueType type; /* of the result; weak for a literal */
	Number value;
	int operand;
	FunctionId function;
	int nargs;
	struct Kernel *args[FUNCTION_MAX_ARGS];
	MatrixOperation matrix;
	int nlabels; /* of the matrix, as labels of the stage */
	int labels[2];
	/* of this node with all nodes below it */
	int calls;         /* of functions, for an index */
	double operations; /* of these, as PointwiseFunction.work counts them */
	uint32 operands;   /* that the kernel reads */
} Kernel;

typedef struct StageLabel
{
	int program_label;
	char *name;
	int64 bound;
	Pin pin;
	int32 block; /* of PIN_BLOCKED */
	/* the places of a dimension's keys are the same in all queries that read the stage */
	bool places_stay;
} StageLabel;

typedef struct Stage Stage;
typedef struct AssignmentList AssignmentList;

/*
 * How many keys of some labels a point query needs, by estimate; of all other labels it
 * needs every key. Keys of a label may follow from those of labels that come before it in
 * order.
 */
typedef struct NeededKeys
{
	int nlabels;
	int order[STAGE_MAX_LABELS];
	LabelMask labels; /* the same */
	double count[STAGE_MAX_LABELS];
} NeededKeys;

/* A tensor that a term reads. */
typedef struct Operand
{
	ProgramTensor *tensor;
	const TensorStatistics *statistics;
	Stage *producer; /* NULL: a stored tensor */
	int rank;
	int labels[TENSOR_MAX_RANK]; /* of each dimension */
	LabelMask mask;
	bool outer; /* absent entries are read as fill, and do not drop the tuple */
	/*
	 * rows of an additive tensor with equal keys may be joined without summing them
	 * first, because the term is linear in them and adds up; is_summed_later() decides
	 * whether they are
	 */
	bool summed_later;
	/* not in all of its storages: it may read sums, too, where others do */
	bool may_read_sum;
	Number fill;
	const Estimate *estimate; /* shared by operands that read the same in the same way */
	/*
	 * statistics of the part that a point query needs, by keys in needed_dimensions; or
	 * NULL
	 */
	const TensorStatistics *needed;
	DimensionMask needed_dimensions;
} Operand;

/* Most operands of a term together with the sums that its kernel computes of them. */
#define TERM_MAX_VALUES (STAGE_NEST_OPERANDS + STAGE_MAX_OPERANDS)

typedef struct Term
{
	int noperands;
	/* at most STAGE_NEST_OPERANDS, then one more for each kernel sum */
	Operand *operands;
	int nsums;
	Kernel *
		/*
		 * the summed expressions; sum n is over the labels that operands[noperands + n]
		 * lacks
		 */
		*sums;
	Kernel *kernel;
	LabelMask labels;     /* of the operands */
	LabelMask summed;     /* labels that only kernel sums have: dimensions of values */
	LabelMask aggregated; /* summed out */
	/*
	 * Labels of the term that no operand deciding the support has: the join has all their
	 * indices.
	 */
	LabelMask extension;
	LabelMask decided;        /* labels of the operands that decide the support */
	Number fill;              /* of the kernel's result */
	uint32 union_of;          /* operands whose supports are united; 0: intersected */
	double entries;           /* of the kernel's result before aggregation */
	const Estimate *united;   /* the estimate of these entries, for a union; else NULL */
	const NeededKeys *needed; /* of its labels, in a point query; or NULL */
} Term;

struct Stage
{
	int number; /* position in the plan's list */
	char *schema;
	char *name;
	Statement *statement; /* whose result the stage computes, or NULL */
	Statement *part_of;   /* the first statement that needs the stage */
	ProgramTensor *tensor;
	int nlabels;
	StageLabel *labels; /* at most STAGE_MAX_LABELS */
	double *bounds;     /* of the labels, as numbers; infinite if open */
	int noutput;
	int output[TENSOR_MAX_RANK]; /* labels */
	LabelMask output_mask;
	int nterms;
	Term *terms;
	AggregateOperator aggregate;        /* of the terms' aggregated labels */
	Kernel *post;                       /* or NULL */
	LabelMask aggregated;               /* labels that any term aggregates */
	Estimate estimate;                  /* of the result, over the stage's labels */
	const TensorStatistics *statistics; /* of the result, by dimension */
	/* the tuples of the result are counted, see share_of_two_steps() */
	bool counted;
	/* constraints on the search */
	LabelMask must_promote;
	LabelMask must_demote;
	LabelMask must_block; /* in blocks as pinned */
	LabelMask not_blocked;
	bool shape_fixed;  /* the result must have this decomposition */
	bool shape_pinned; /* the left side asks for the shape */
	Decomposition shape;
	int readers; /* how many operands of stages that run read the result */
	double uses; /* how often the result is computed in one run: may double with
				  * each stage, and does not fit an integer */
	AssignmentList *assignments; /* the ones that a search considers; made at first use */
	Stage *like; /* the first stage that is like it; itself if there was no such stage */
	/*
	 * The result is the stage's only operand read at shifted or constant indices; each
	 * label is an index of the result, or a dimension that has a constant index. NULL: no
	 * shift.
	 */
	const struct TensorShift *shift;
	/* computes a defined tensor that its readers have absorbed */
	bool side;
	/* depends on a tensor that changes with each round of a loop */
	bool varies;
	const NeededKeys *needed; /* keys of the result in a point query; NULL: all */
	/* statistics of the needed part of the result */
	const TensorStatistics *needed_statistics;
};

/* Loops over the operands of a stage that other stages produce. */
#define FOREACH_PRODUCED(operand, stage)                                                 \
	for (int t_ = 0; t_ < (stage)->nterms; t_++)                                         \
		for (int o_ = 0; o_ < (stage)->terms[t_].noperands; o_++)                        \
			if (((operand) = &(stage)->terms[t_].operands[o_])->producer != NULL)

/* How a program is to be planned; the options of einsum_plan and its kin. */
typedef enum SearchMethod
{
	SEARCH_DP,
	SEARCH_GREEDY,
	SEARCH_AS_WRITTEN,
	SEARCH_EXHAUSTIVE,
} SearchMethod;

/*
 * The shape of a result if its labels are all in lower case on the left side, so that it
 * asks for no shape.
 */
typedef enum ResultShape
{
	RESULT_AUTO, /* as the optimizer computes it */
	RESULT_ROWS, /* every label is a key, and the value a number */
	/* the last statement's result is one row with all its entries; others as AUTO */
	RESULT_DENSE,
} ResultShape;

/* Whether a result that is read more than once is kept. */
typedef enum Materialize
{
	MATERIALIZE_AUTO, /* a query keeps it if that is cheaper */
	MATERIALIZE_NEVER,
	MATERIALIZE_ALWAYS, /* every stage is a table, or kept by the query */
	/* the same, and refreshes of the tables may add what has changed */
	MATERIALIZE_INCREMENTAL,
} Materialize;

/* Is every stage a table, or kept by the query? */
static inline bool
keeps_all_stages(Materialize materialize)
{
	return materialize == MATERIALIZE_ALWAYS || materialize == MATERIALIZE_INCREMENTAL;
}

/*
 * Plans to search for, at least, where an alternative but the first is asked for: those
 * that are asked for one by one come from one list.
 */
#define LEAST_LIST 16

typedef struct PlanOptions
{
	SearchMethod search;
	int alternative; /* 1 = cheapest */
	int plans;       /* how many plans to find */
	bool inputs_any; /* inputs may be re-stored at no cost */
	bool blocks;     /* the search may split labels that nothing pins */
	ResultShape result;
	Materialize materialize;
	RewriteLevel rewrite;
	const Estimator *estimator;
	/*
	 * plans a round of a loop: stages that do not vary are computed once for all rounds
	 */
	bool loop;
	/*
	 * number of labels in at: a point query gives keys of these labels of the result; 0:
	 * no point query
	 */
	int nat;
	char **at;
	/*
	 * the name of rows in memory that have the keys, many of them, in columns d0, d1, ...
	 * by dimension of the result; NULL: they are one key of each label, a parameter
	 */
	const char *at_rows;
	double at_count; /* of these rows */
} PlanOptions;

/* The cost of stages whose large terms may cancel counts this many times. */
#define CANCELLING_WEIGHT 2.0

/* The stages of a program, producers before consumers. */
typedef struct StageGraph
{
	Program *program;
	const PlanOptions *options;
	List *stages;         /* of Stage * */
	Stage *last;          /* the stage of the last statement */
	bool heuristic;       /* the search did not look at all ways to cut the program */
	FormChoices *choices; /* the forms that were taken */
	/*
	 * Statements that add up terms which may be far larger than the sum: their stages
	 * cost more.
	 */
	Bitmapset *cancelling;
	int at[TENSOR_MAX_RANK]; /* dimensions of the result that options->at names */
	double tried;            /* assignments, and moves between decompositions, tried */
	/* most decompositions of a stage that are tried; 0: not known yet */
	int search_budget;
	double limit; /* no stage of a wanted plan, computed once, costs more */
} StageGraph;

/*
 * What is computed once for all rounds of a loop costs each round this share: there are
 * taken to be 16 rounds. Their number is not known; with fewer, costs matter little.
 */
#define SHARE_OF_ROUND (1.0 / 16.0)

/*
 * Returns the share of a repartition's cost that counts each time its reader is computed:
 * rounds repeat only the repartitions of tensors that vary (rounds.c).
 */
static inline double
repartition_share(const StageGraph *graph, bool varies)
{
	return graph->options->loop && !varies ? SHARE_OF_ROUND : 1.0;
}

static inline bool
operand_varies(const Operand *operand)
{
	return operand->producer ? operand->producer->varies : operand->tensor->is_state;
}

/*
 * Cuts a program into stages, in the forms that choices asks for; choices gets the choice
 * points that were met.
 *
 * Errors: those of lower_form, and 54000 if an expression reads too many tensors.
 */
extern StageGraph *build_stages(Algebra *algebra, const PlanOptions *options,
								FormChoices *choices);

/* Returns the algebra of a program, with the limits of what one stage can hold. */
extern Algebra *algebra_of_stages(Program *program, const PlanOptions *options);
extern int choice_scopes(const Program *program);

/*
 * Returns an empty table of stages that several ways to cut one program have in common,
 * keyed by what the stages compute.
 */
extern struct known_stages_hash *new_known_stages(void);

/*
 * Finds those stages of a graph that the table knows, adds the others to the table, and
 * returns how many were known.
 */
extern int find_known_stages(struct known_stages_hash *known, StageGraph *graph);

/*
 * Do two ways to cut a program lead to the same stages with the same names? The stages of
 * both are in the table of known stages.
 */
extern bool same_stages(const StageGraph *a, const StageGraph *b);

/*
 * Returns the laws that changed the expression of a statement, or how it is read: a List
 * of char *.
 */
extern List *laws_of_statement(const StageGraph *graph, const Statement *statement);

/*
 * Sets *shape to the decomposition that the left side of a statement asks for: with a pin
 * on any label, every label is as written. False without a pin, where the optimizer
 * chooses, unless the search is as_written.
 */
extern bool written_shape(const Statement *statement, SearchMethod search,
						  Decomposition *shape);

/*
 * Is a stage's result shown by rows? With result => 'rows' users see a row for each entry
 * of a result whose left side asks for no shape, whatever decomposition the stage has.
 */
extern bool is_shown_by_rows(const Stage *stage);

/* Returns the decomposition in which such a result is shown: every label is a key. */
extern Decomposition shown_decomposition(const Stage *stage);

/*
 * Raises error 2202E if the last statement's result has an open label: then no one tensor
 * can hold it.
 */
extern void check_dense_result(const StageGraph *graph);

/* Returns the name of the relation that an operand reads: a tensor's or a stage's. */
static inline const char *
operand_name(const Operand *operand)
{
	return operand->producer ? operand->producer->name : operand->tensor->name;
}

/*
 * Estimates, from the estimates of a stage's operands, the join of each term and the
 * stage's result: over its labels, and by dimension.
 */
extern void estimate_stage(const Estimator *estimator, Stage *stage);

/* Limits an estimate to the keys of its labels that are needed; NULL: all are. */
extern void limit_estimate(const Estimator *estimator, const NeededKeys *needed,
						   const double *bounds, Estimate *estimate);

/* Adds a label of which this number of keys is needed. */
extern void add_needed(NeededKeys *needed, int label, double count);

/*
 * Returns the decomposition of an operand or of the result, given the choice for the
 * stage's labels.
 */
extern Decomposition operand_decomposition(const Operand *operand,
										   const Decomposition *choice);
extern Decomposition output_decomposition(const Stage *stage,
										  const Decomposition *choice);

/*
 * Returns the operand whose row also serves a given operand; it may be the given one. Two
 * operands of one tensor read one row if they have the same labels in all dimensions that
 * are keys, as in v[p,k] * v[p,l] with p promoted: the row is read and joined once. Among
 * operands that share a row, a joined one is preferred to a left joined one.
 */
extern int operand_of_row(const Term *term, int operand, const Decomposition *choice);

/*
 * Is it cheaper to look the keys of a label that another operand has up in the ranges of
 * this one, than to make a row of each key in a range?
 */
extern bool looks_up_in_ranges(const Term *term, int operand, int label);

/*
 * Returns the dimensions of an operand, read from a storage with ranges of keys, of which
 * only the lengths of ranges matter: the label is aggregated, and all keys in a range
 * stand for the same number.
 */
extern DimensionMask measured_dimensions(const Stage *stage, const Term *term,
										 int operand, const Storage *storage,
										 const Decomposition *choice);

/*
 * Are the rows of an additive operand that have equal keys joined without summing them
 * first, because the operand is read as it is stored? Then the stage adds up their
 * tuples, and no other operand reads the rows.
 */
extern bool is_summed_later(const Stage *stage, const Term *term, int operand,
							const Decomposition *choice);

/*
 * Returns the decomposition in which the result is delivered: as the left side asks, else
 * as it is computed. A tensor that is defined by name has a row for each index of a label
 * that is computed in blocks, unless blocks are asked for: its column i holds indices.
 */
extern Decomposition result_decomposition(const Stage *stage,
										  const Decomposition *choice);

/*
 * Collects the block sizes that a search considers for a label: BLOCK_DEMOTED,
 * BLOCK_PROMOTED, those of sparseeinsum.blocks, and those in which tensors of the stage
 * are stored or asked for; only one if the label is pinned. Returns their number.
 */
#define MAX_LABEL_BLOCKS 64
extern int label_blocks(const StageGraph *graph, const Stage *stage, int label,
						int32 *blocks);

/*
 * Returns those labels of the operands below a kernel that are dimensions of their
 * values, given the promoted labels.
 */
extern LabelMask kernel_demoted(const Term *term, const Kernel *kernel,
								LabelMask promoted);

/*
 * Is the kernel a product of its tensor-valued operands, up to numbers? A part whose
 * labels are all promoted is a number, and may be any expression. A quotient whose
 * numerator is tensor-valued is not a product: 0 / 0 is 0, but 0 * (1/0) is not.
 */
extern bool kernel_is_product(const Term *term, const Kernel *kernel, LabelMask promoted);

/*
 * Do entries that are not stored count in the stage's aggregate? Not if they are neutral
 * to it, nor in the greatest or least of truth values that any and all have become, if a
 * missing entry is 0 for any and 1 for all. Matrix functions know the fill themselves.
 */
extern bool missing_entries_count(const Stage *stage, const Term *term);

/*
 * Does the stage aggregate in SQL, given the labels that are keys? Sums over
 * demoted labels alone are the kernel's; the other aggregates are always SQL's.
 */
extern bool stage_groups(const Stage *stage, LabelMask keys);

/*
 * Is the stage a plain join, given the labels that are keys: one term that is
 * not aggregated in SQL? Its SELECT computes a row for each row of the join, and
 * PostgreSQL merges it into the query that reads it, if that is all it does.
 */
extern bool stage_is_by_row(const Stage *stage, LabelMask keys);

/* These make kernels. Numbers have the type of the expression that they come from. */
extern Kernel *kernel_literal(const TensorExpr *literal);
extern Kernel *kernel_operand(int operand, ElementType type);
extern Kernel *kernel_call(FunctionId function, Kernel *const *args, int nargs);
/* Makes a kernel of the term's operands in their order; the caller adds the labels. */
extern Kernel *kernel_matrix(MatrixOperation operation, int nargs, ElementType type);

#endif
