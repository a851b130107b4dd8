/*-------------------------------------------------------------------------
 *
 * groups.c
 *	  Groups of equal expressions, which are computed once, and read as tensors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/groups.h"
#include "algebra/keys.h"
#include "expr/analysis.h"

/* The tensor as which expressions of one key are read. */
typedef struct Reading
{
	ProgramTensor *tensor; /* NULL: no expression of the key is read yet */
	int *dimensions;       /* dimension of the tensor for each label of the key */
} Reading;

typedef struct EqualGroups
{
	Reading *readings; /* by number of key */
	int size;
	List *made;           /* of EqualGroup *, in this cut */
	SideTable *by_tensor; /* the groups of all cuts */
	SideTable *by_expr;
} EqualGroups;

EqualGroups *
new_groups(void)
{
	EqualGroups *groups = palloc0(sizeof(EqualGroups));

	groups->size = 256;
	groups->readings = palloc0(sizeof(Reading) * groups->size);
	groups->by_tensor = new_side_table(64);
	groups->by_expr = new_side_table(64);
	return groups;
}

void
begin_readings(EqualGroups *groups)
{
	memset(groups->readings, 0, sizeof(Reading) * groups->size);
	groups->made = NIL;
}

static Reading *
reading_of_key(EqualGroups *groups, const ExprKey *key)
{
	while (key->number >= groups->size)
	{
		groups->readings = repalloc(groups->readings, sizeof(Reading) * groups->size * 2);
		memset(groups->readings + groups->size, 0, sizeof(Reading) * groups->size);
		groups->size *= 2;
	}
	return &groups->readings[key->number];
}

void
add_group(Algebra *algebra, TensorExpr *expr, ProgramTensor *tensor, const int *labels)
{
	const ExprKey *key = key_of(algebra, expr);
	Reading *reading = reading_of_key(algebra->groups, key);

	/* a result with labels that its expression lacks is another tensor */
	if (key->nlabels != tensor->rank || reading->tensor)
		return;
	reading->tensor = tensor;
	reading->dimensions = palloc(sizeof(int) * Max(key->nlabels, 1));
	for (int i = 0; i < key->nlabels; i++)
	{
		for (int d = 0; d < key->nlabels; d++)
		{
			if (labels[d] == key->labels[i])
				reading->dimensions[i] = d;
		}
	}
}

/* Makes the group of an expression: a tensor whose dimensions are the key's labels. */
static EqualGroup *
make_group(Algebra *algebra, TensorExpr *expr, const ExprKey *key)
{
	EqualGroups *groups = algebra->groups;
	EqualGroup *group = palloc0(sizeof(EqualGroup));
	ProgramTensor *tensor = palloc0(sizeof(ProgramTensor));

	if (key->nlabels > TENSOR_MAX_RANK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an intermediate result would have %d dimensions", key->nlabels),
				 errdetail("A tensor has at most %d.", TENSOR_MAX_RANK),
				 errhint("Sum labels earlier, in a statement of their own."),
				 program_errposition(algebra->program->text, expr->location)));
	tensor->rank = key->nlabels;
	tensor->type = expr->type.type;
	tensor->fill = expr->fill;
	for (int i = 0; i < key->nlabels; i++)
		tensor->bounds[i] = algebra->program->labels[key->labels[i]].bound;
	group->tensor = tensor;
	group->expr = expr;
	group->labels = key->labels;
	set_side_value(groups->by_tensor, tensor, group);
	set_side_value(groups->by_expr, expr, group);
	return group;
}

bool
is_read_as_group(Algebra *algebra, TensorExpr *expr)
{
	return reading_of_key(algebra->groups, key_of(algebra, expr))->tensor != NULL;
}

TensorExpr *
group_access(Algebra *algebra, TensorExpr *expr)
{
	EqualGroups *groups = algebra->groups;
	const ExprKey *key = key_of(algebra, expr);
	const Reading *reading;
	int indices[TENSOR_MAX_RANK];

	algebra->asked++;
	if (reading_of_key(groups, key)->tensor == NULL)
	{
		EqualGroup *group = side_value(groups->by_expr, expr);

		if (group == NULL)
			group = make_group(algebra, expr, key);
		groups->made = lappend(groups->made, group);
		add_group(algebra, expr, group->tensor, key->labels);
	}
	reading = reading_of_key(algebra->groups, key);
	for (int i = 0; i < key->nlabels; i++)
		indices[reading->dimensions[i]] = key->labels[i];
	return expr_access(algebra->program, reading->tensor, indices, expr->location);
}

const EqualGroup *
group_of_tensor(const Algebra *algebra, const ProgramTensor *tensor)
{
	return side_value(algebra->groups->by_tensor, tensor);
}

List *
made_groups(const Algebra *algebra)
{
	return algebra->groups->made;
}
