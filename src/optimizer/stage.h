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
/*
 * A product of more may be one stage all the same if a loop nest joins it, for which no order of joins is needed.
 */
#define STAGE_NEST_OPERANDS 30
/*
 * What has more is cut in stages of this number: PostgreSQL's default of
 * from_collapse_limit keeps their joins apart, and takes milliseconds to plan
 * one.
 */
#define STAGE_EASY_OPERANDS 8
/*
 * Of a kernel, as a tree, and of a post expression. Written as a map expression
 * it has more steps, for some numbers take several, but not 8 times as many.
 */
#define KERNEL_MAX_NODES (MAP_MAX_STEPS / 8)
#define STAGE_MAX_LABELS ESTIMATE_MAX_LABELS

typedef enum KernelKind
{
	KERNEL_LITERAL,
	KERNEL_OPERAND,
	KERNEL_CALL,
	KERNEL_MATRIX, /* of a whole term: a function of its operands as expr_matrix has it */
} KernelKind;

/* The pointwise expression of a term, over its operands and kernel sums; of such a sum,
 * over the operands; and a stage's post, whose only operand is the aggregated result. */
typedef struct Kernel
{
	KernelKind kind;
	ValueType type; /* of its result; weak of a literal */
	Number value;
	int operand;
	FunctionId function;
	int nargs;
	struct Kernel *args[FUNCTION_MAX_ARGS];
	MatrixOperation matrix;
	int nlabels; /* of the matrix: of the stage, as expr_matrix has them */
	int labels[2];
	/* of it with all below it */
	double operations; /* function calls per index */
	uint32 operands;   /* that it reads */
} Kernel;

typedef struct StageLabel
{
	int program_label;
	char *name;
	int64 bound;
	Pin pin;
	int32 block;      /* of PIN_BLOCKED */
	bool places_stay; /* of a dimension's keys, in all queries that read the stage */
} StageLabel;

typedef struct Stage Stage;
typedef struct AssignmentList AssignmentList;

/*
 * How many keys of some labels a point query needs, by estimate; of the others it needs
 * all. Keys of a label may follow from those of labels that come before it.
 */
typedef struct NeededKeys
{
	int nlabels;
	int order[STAGE_MAX_LABELS];
	LabelMask labels; /* the same */
	double count[STAGE_MAX_LABELS];
} NeededKeys;

/* What a term reads. */
typedef struct Operand
{
	ProgramTensor *tensor;
	const TensorStatistics *statistics;
	Stage *producer; /* NULL: a stored tensor */
	int rank;
	int labels[TENSOR_MAX_RANK]; /* of each dimension */
	LabelMask mask;
	bool outer; /* absent entries are read as fill, they do not drop the tuple */
	/* rows of one entry of an additive tensor may join: the term is linear in them and adds up.
	 * Whether they do is for is_summed_later() */
	bool summed_later;
	Number fill;
	const Estimate *estimate; /* also that of others that read the same alike */
	/* of what a point query needs by keys in these dimensions; or NULL */
	const TensorStatistics *needed;
	DimensionMask needed_dimensions;
} Operand;

/* Operands of a term, and the sums that its kernel computes of them. */
#define TERM_MAX_VALUES (STAGE_NEST_OPERANDS + STAGE_MAX_OPERANDS)

typedef struct Term
{
	int noperands;
	Operand *operands; /* at most STAGE_NEST_OPERANDS; and one more for each kernel sum */
	int nsums;
	Kernel *
		*sums; /* what is summed, over the labels that operands[noperands + n] lacks */
	Kernel *kernel;
	LabelMask labels;     /* of the operands */
	LabelMask summed;     /* those that only kernel sums have: dimensions */
	LabelMask aggregated; /* summed out */
	/*
	 * Labels that no operand deciding the support has: all their indices are
	 * joined.
	 */
	LabelMask extension;
	LabelMask decided;        /* of what decides the support */
	Number fill;              /* of the kernel's result */
	uint32 union_of;          /* operands whose supports are united; 0: intersected */
	double entries;           /* of the kernel's result before aggregation */
	const Estimate *united;   /* the same, of a union; else NULL */
	const NeededKeys *needed; /* of its labels, in a point query; or NULL */
} Term;

struct Stage
{
	int number; /* position in the plan's list */
	char *schema;
	char *name;
	Statement *statement; /* whose result it is, or NULL */
	Statement *part_of;   /* the first statement that needs it */
	ProgramTensor *tensor;
	int nlabels;
	StageLabel *labels; /* at most STAGE_MAX_LABELS */
	double *bounds;     /* of them as numbers, infinite if open */
	int noutput;
	int output[TENSOR_MAX_RANK]; /* labels */
	LabelMask output_mask;
	int nterms;
	Term *terms;
	AggregateOperator aggregate;        /* of the terms' aggregated labels */
	Kernel *post;                       /* or NULL */
	LabelMask aggregated;               /* of all terms */
	Estimate estimate;                  /* of the result, over the stage's labels */
	const TensorStatistics *statistics; /* the same, by dimension */
	bool counted; /* see share_of_two_steps(): by the tuples of the result */
	/* constraints on the search */
	LabelMask must_promote;
	LabelMask must_demote;
	LabelMask must_block; /* in blocks as pinned */
	LabelMask not_blocked;
	bool shape_fixed;  /* the result must have this decomposition */
	bool shape_pinned; /* because the left side says so */
	Decomposition shape;
	int readers; /* operands, of stages that run, that read the result */
	double uses; /* how often the result is computed in one run: may double with
				  * each stage, and does not fit an integer */
	AssignmentList *assignments; /* that a search considers; made at first use */
	Stage *like; /* the first of those like it; itself, if none was known */
	/* its result is its only operand at other indices; a label is that of the index, or that of
	 * a dimension with a constant one. NULL: it is not a shift */
	const struct TensorShift *shift;
	bool side;                /* a defined tensor that its consumer has absorbed */
	bool varies;              /* it depends on what changes with each round of a loop */
	const NeededKeys *needed; /* of its result, in a point query; NULL: all */
	const TensorStatistics *needed_statistics; /* of just that */
};

/* Calls for each operand of a stage that another stage produces. */
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

/* What a result looks like whose labels are all in lower case on the left side. */
typedef enum ResultShape
{
	RESULT_AUTO,  /* as the optimizer computes it */
	RESULT_ROWS,  /* every label is a key, and the value a number */
	RESULT_DENSE, /* one row with all of it, of the last statement; others as for AUTO */
} ResultShape;

/* What becomes of a result that is read more than once. */
typedef enum Materialize
{
	MATERIALIZE_AUTO, /* a query keeps it where that is cheaper */
	MATERIALIZE_NEVER,
	MATERIALIZE_ALWAYS, /* every stage is a table, or kept by the query */
} Materialize;

typedef struct PlanOptions
{
	SearchMethod search;
	int alternative; /* 1 = cheapest */
	int plans;       /* how many to find */
	bool inputs_any; /* inputs may be re-stored at no cost */
	bool blocks;     /* the search may split labels that nothing pins */
	ResultShape result;
	Materialize materialize;
	RewriteLevel rewrite;
	const Estimator *estimator;
	bool loop; /* a round of a loop: what does not vary is computed once for all rounds */
	int nat;   /* a point query at keys of these labels of the result; 0: all of it */
	char **at;
} PlanOptions;

/* Stages whose terms may cancel cost this multiple of what they take. */
#define CANCELLING_WEIGHT 2.0

/* The stages of a program, producers before consumers. */
typedef struct StageGraph
{
	Program *program;
	const PlanOptions *options;
	List *stages;         /* of Stage * */
	Stage *last;          /* of the last statement */
	bool heuristic;       /* not all ways to cut it were looked at */
	FormChoices *choices; /* of the forms that were taken */
	/* statements that add up what may be far larger than the sum: their stages cost more */
	Bitmapset *cancelling;
	int at[TENSOR_MAX_RANK]; /* dimensions of the result that options->at names */
	double tried;            /* assignments that the search for its plans has tried */
	int search_budget; /* the most decompositions of a stage that are tried; 0: not known yet */
	double
		limit; /* what no stage of a plan that is wanted costs more than, computed once */
} StageGraph;

/*
 * What all rounds of a loop share is costed as if there were this number of them. How
 * many there will be is not known; of fewer than that it matters little what each costs.
 */
#define EXPECTED_ROUNDS 16.0

/*
 * The share of a repartition that counts whenever its reader is computed: rounds repeat only that of
 * what varies (rounds.c).
 */
static inline double
repartition_share(const StageGraph *graph, bool varies)
{
	return graph->options->loop && !varies ? 1.0 / EXPECTED_ROUNDS : 1.0;
}

static inline bool
operand_varies(const Operand *operand)
{
	return operand->producer ? operand->producer->varies : operand->tensor->is_state;
}

/*
 * Cuts a program into stages, in the forms that are wanted; choices gets what there is
 * to choose. choice_scopes says how many scopes the statements have.
 *
 * Errors: those of lower_form, and 54000 if there is too much to read.
 */
extern StageGraph *build_stages(Algebra *algebra, const PlanOptions *options,
								FormChoices *choices);

/* The algebra of a program of which one stage can hold what it can. */
extern Algebra *algebra_of_stages(Program *program, const PlanOptions *options);
extern int choice_scopes(const Program *program);

/* Stages of several ways to cut one program, by what they look like. */
extern struct known_stages_hash *new_known_stages(void);

/*
 * Finds those that are known among a graph's stages, and lets all others be known. Returns how many
 * there are.
 */
extern int find_known_stages(struct known_stages_hash *known, StageGraph *graph);

/* Do two ways to cut a program come to the same stages, by the same names? Both are known. */
extern bool same_stages(const StageGraph *a, const StageGraph *b);

/* The laws that made what is computed of a statement, or how it is read: of char *. */
extern List *laws_of_statement(const StageGraph *graph, const Statement *statement);

/*
 * The decomposition that the left side of a statement asks for: with a pin on any label, every label is as
 * written. False without one, where the optimizer chooses, unless the search is as_written.
 */
extern bool written_shape(const Statement *statement, SearchMethod search,
						  Decomposition *shape);

/*
 * Is it the result of a statement whose left side says nothing? With result => 'rows' users see a row
 * for each of its entries, whatever the stage has.
 */
extern bool is_shown_by_rows(const Stage *stage);

/* How: every label is a key. */
extern Decomposition shown_decomposition(const Stage *stage);

/* Errors: 2202E if the last statement's result has an open label: then no one
 * tensor can hold it. */
extern void check_dense_result(const StageGraph *graph);

/* The relation that holds what an operand reads: a tensor's or a stage's name. */
static inline const char *
operand_name(const Operand *operand)
{
	return operand->producer ? operand->producer->name : operand->tensor->name;
}

/*
 * What a stage joins, term by term, and its result, from the estimates of its operands:
 * over its labels, and by dimension.
 */
extern void estimate_stage(const Estimator *estimator, Stage *stage);

/* What an estimate is where only some keys of some labels are needed; NULL: all. */
extern void limit_estimate(const Estimator *estimator, const NeededKeys *needed,
						   const double *bounds, Estimate *estimate);

/* Adds a label of which count keys are needed. */
extern void add_needed(NeededKeys *needed, int label, double count);

/*
 * How an operand or the result is decomposed where a stage's labels are as
 * chosen.
 */
extern Decomposition operand_decomposition(const Operand *operand,
										   const Decomposition *choice);
extern Decomposition output_decomposition(const Stage *stage,
										  const Decomposition *choice);

/*
 * The operand whose row is that of a given one, which may be itself. Two operands
 * of one tensor read one row where they have the same labels in all dimensions that
 * are keys, as in v[p,k] * v[p,l] with p promoted: it is read and joined once. The one
 * that stands for all is joined rather than left joined, if there is such a one.
 */
extern int operand_of_row(const Term *term, int operand, const Decomposition *choice);

/*
 * Do rows of an additive operand that have equal keys join as they are, where it is read as it
 * is stored? Then a stage adds up their tuples, and no other operand reads the rows.
 */
extern bool is_summed_later(const Stage *stage, const Term *term, int operand,
							const Decomposition *choice);

/*
 * How the result is delivered: as the left side asks, else as it is computed.
 * What is defined by name has rows of its own for the indices of a label that
 * is computed in blocks, unless blocks are asked for: column i holds indices.
 */
extern Decomposition result_decomposition(const Stage *stage,
										  const Decomposition *choice);

/*
 * The block sizes that a search considers for a label: BLOCK_DEMOTED,
 * BLOCK_PROMOTED, those of sparseeinsum.blocks, and those in which tensors of
 * the stage are stored or asked for; one if it is pinned. Returns how many.
 */
#define MAX_LABEL_BLOCKS 64
extern int label_blocks(const StageGraph *graph, const Stage *stage, int label,
						int32 *blocks);

/*
 * The labels of the operands below a kernel that are dimensions of their
 * values, given those that are not.
 */
extern LabelMask kernel_demoted(const Term *term, const Kernel *kernel,
								LabelMask promoted);

/*
 * Is the kernel a product of its tensor-valued operands, up to numbers? What
 * is fully promoted is a number and may be any expression. A quotient whose
 * numerator is tensor-valued is not one: 0 / 0 is 0, but 0 * (1/0) is not.
 */
extern bool kernel_is_product(const Term *term, const Kernel *kernel, LabelMask promoted);

/*
 * Do entries that are not stored count in the stage's aggregate? Not if they
 * are neutral, nor in the greatest or least of truth values that any and all
 * have become: those are 0 and 1 where nothing is stored.
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

/* The numbers have the type of the expression that they come from. */
extern Kernel *kernel_literal(const TensorExpr *literal);
extern Kernel *kernel_operand(int operand, ElementType type);
extern Kernel *kernel_call(FunctionId function, Kernel *const *args, int nargs);
/* A kernel of the term's operands in their order; the caller adds the labels. */
extern Kernel *kernel_matrix(MatrixOperation operation, int nargs, ElementType type);

#endif
