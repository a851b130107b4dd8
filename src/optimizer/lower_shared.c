/*-------------------------------------------------------------------------
 *
 * lower_shared.c
 *	  Equal expressions share a stage.
 *
 * Two expressions are equal if they are the same up to the names of their
 * labels. Limits of that view (a * b is not b * a) only lose sharing.
 *
 * Each node gets the number of its *form*: what it does to which forms, and
 * which of their labels are the same. Equal expressions have one form, and
 * correspond in their free labels, in order of appearance. A node is looked at
 * once, however large what is below it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "expr/analysis.h"
#include "optimizer/lowering.h"

/* A stage that expressions of one form share. */
typedef struct KnownStage
{
	Stage *stage;
	int *order; /* output dimension of each label of the form */
} KnownStage;

/* The form of a node. */
typedef struct FormEntry
{
	uint32 status;
	const TensorExpr *expr;
	int form;
	int nlabels;
	int *labels; /* free, in order of appearance */
} FormEntry;

#define SH_PREFIX form_table
#define SH_ELEMENT_TYPE FormEntry
#define SH_KEY_TYPE const TensorExpr *
#define SH_KEY expr
#define SH_HASH_KEY(table, key) murmurhash32((key)->hash)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The number of a form that is written down. */
typedef struct FormKey
{
	const char *data;
	int length;
} FormKey;

typedef struct NumberEntry
{
	uint32 status;
	uint32 hash;
	FormKey key;
	int form;
} NumberEntry;

static inline bool
same_form(FormKey a, FormKey b)
{
	return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

#define SH_PREFIX number_table
#define SH_ELEMENT_TYPE NumberEntry
#define SH_KEY_TYPE FormKey
#define SH_KEY key
#define SH_HASH_KEY(table, key_)                                                         \
	hash_bytes((const unsigned char *) (key_).data, (key_).length)
#define SH_EQUAL(table, a, b) same_form(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) ((entry)->hash)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct SharedStages
{
	form_table_hash *forms;     /* by node */
	number_table_hash *numbers; /* by form */
	int nforms;
	int size;
	KnownStage *known; /* by number; without a stage, none has been made */
	StringInfoData key;
} SharedStages;

SharedStages *
no_shared_stages(void)
{
	SharedStages *shared = palloc0(sizeof(SharedStages));

	shared->forms = form_table_create(CurrentMemoryContext, 256, NULL);
	shared->numbers = number_table_create(CurrentMemoryContext, 256, NULL);
	shared->size = 256;
	shared->known = palloc0(sizeof(KnownStage) * shared->size);
	initStringInfo(&shared->key);
	return shared;
}

/* The number of the form that has been written down. */
static int
number_form(SharedStages *shared)
{
	FormKey key = {shared->key.data, shared->key.len};
	NumberEntry *entry = number_table_lookup(shared->numbers, key);
	bool found;

	if (entry)
		return entry->form;
	key.data = memcpy(palloc(key.length), key.data, key.length);
	entry = number_table_insert(shared->numbers, key, &found);
	if (shared->nforms == shared->size)
	{
		shared->known = repalloc(shared->known, sizeof(KnownStage) * shared->size * 2);
		memset(shared->known + shared->size, 0, sizeof(KnownStage) * shared->size);
		shared->size *= 2;
	}
	return entry->form = shared->nforms++;
}

static void
write_int(SharedStages *shared, int value)
{
	appendBinaryStringInfo(&shared->key, (const char *) &value, sizeof(value));
}

/* The place of a label in a node's order, added at first sight. */
static int
place_label(FormEntry *entry, int label)
{
	for (int i = 0; i < entry->nlabels; i++)
	{
		if (entry->labels[i] == label)
			return i;
	}
	entry->labels[entry->nlabels] = label;
	return entry->nlabels++;
}

static const FormEntry *form_of(Lowering *lowering, const TensorExpr *expr);

static void
write_access(Lowering *lowering, const TensorExpr *expr, FormEntry *entry)
{
	SharedStages *shared = lowering->shared;

	entry->labels = palloc(sizeof(int) * Max(expr->nindices, 1));
	appendBinaryStringInfo(&shared->key, (const char *) &expr->tensor,
						   sizeof(expr->tensor));
	for (int i = 0; i < expr->nindices; i++)
	{
		const ProgramLabel *label = &lowering->program->labels[expr->indices[i]];

		write_int(shared, place_label(entry, expr->indices[i]));
		/* two that are pinned differently are two */
		write_int(shared, (int) label->pin);
		write_int(shared, label->block);
	}
}

/* The forms of a node's arguments, and which of their labels are which. */
static void
write_args(Lowering *lowering, const TensorExpr *expr, const FormEntry *args,
		   FormEntry *entry)
{
	SharedStages *shared = lowering->shared;
	int most = 0;
	int nfree = 0;

	for (int i = 0; i < expr->nargs; i++)
		most += args[i].nlabels;
	entry->labels = palloc(sizeof(int) * Max(most, 1));
	for (int i = 0; i < expr->nargs; i++)
	{
		write_int(shared, args[i].form);
		for (int n = 0; n < args[i].nlabels; n++)
			write_int(shared, place_label(entry, args[i].labels[n]));
	}
	for (int n = 0; n < entry->nlabels; n++)
	{
		if (bms_is_member(entry->labels[n], expr->bound_labels))
			write_int(shared, n);
		else
			entry->labels[nfree++] = entry->labels[n];
	}
	entry->nlabels = nfree;
}

static FormEntry
new_form(Lowering *lowering, const TensorExpr *expr)
{
	SharedStages *shared = lowering->shared;
	FormEntry entry = {.expr = expr};
	FormEntry args[FUNCTION_MAX_ARGS];

	/* they are written down first */
	for (int i = 0; i < expr->nargs; i++)
		args[i] = *form_of(lowering, expr->args[i]);
	resetStringInfo(&shared->key);
	write_int(shared, (int) expr->kind);
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			write_int(shared, (int) expr->type.type);
			appendBinaryStringInfo(&shared->key, (const char *) &expr->value,
								   sizeof(expr->value));
			break;
		case EXPR_ACCESS:
			write_access(lowering, expr, &entry);
			break;
		case EXPR_MAP:
			write_int(shared, (int) expr->function);
			write_args(lowering, expr, args, &entry);
			break;
		case EXPR_AGGREGATE:
			write_int(shared, (int) expr->aggregate);
			write_args(lowering, expr, args, &entry);
			break;
	}
	entry.form = number_form(shared);
	return entry;
}

static const FormEntry *
form_of(Lowering *lowering, const TensorExpr *expr)
{
	form_table_hash *forms = lowering->shared->forms;
	FormEntry *entry = form_table_lookup(forms, expr);
	FormEntry made;
	bool found;

	if (entry)
		return entry;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	made = new_form(lowering, expr);
	entry = form_table_insert(forms, expr, &found);
	entry->form = made.form;
	entry->nlabels = made.nlabels;
	entry->labels = made.labels;
	return entry;
}

/* An access to a stage's result with its output labels in the given order. */
static TensorExpr *
access_stage(Lowering *lowering, Stage *stage, const int *labels, int location)
{
	return expr_access(lowering->program, stage->tensor, labels, location);
}

void
remember_stage(Lowering *lowering, TensorExpr *expr, Stage *stage)
{
	const FormEntry *entry = form_of(lowering, expr);
	KnownStage *known = &lowering->shared->known[entry->form];

	/* a result extended to labels its expression lacks is another tensor */
	if (entry->nlabels != stage->noutput || known->stage)
		return;
	known->stage = stage;
	known->order = palloc(sizeof(int) * Max(entry->nlabels, 1));
	for (int i = 0; i < entry->nlabels; i++)
	{
		for (int d = 0; d < entry->nlabels; d++)
		{
			if (stage->labels[stage->output[d]].program_label == entry->labels[i])
				known->order[i] = d;
		}
	}
}

TensorExpr *
substage(Lowering *lowering, TensorExpr *expr)
{
	FormEntry entry = *form_of(lowering, expr);
	const KnownStage *known = &lowering->shared->known[entry.form];
	Stage *stage;

	if (known->stage)
	{
		int indices[TENSOR_MAX_RANK];

		for (int i = 0; i < entry.nlabels; i++)
			indices[known->order[i]] = entry.labels[i];
		return access_stage(lowering, known->stage, indices, expr->location);
	}

	if (entry.nlabels > TENSOR_MAX_RANK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an intermediate result would have %d dimensions", entry.nlabels),
				 errdetail("A tensor has at most %d.", TENSOR_MAX_RANK),
				 errhint("Sum labels earlier, in a statement of their own."),
				 program_errposition(lowering->program->text, expr->location)));
	stage = lower_stage(lowering, expr, entry.labels, entry.nlabels, false);
	return access_stage(lowering, stage, entry.labels, expr->location);
}
