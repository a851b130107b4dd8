/*-------------------------------------------------------------------------
 *
 * kernel_spec.c
 *	  What the functions and aggregates of the extension compute.
 *
 * A member of the extension is known by its name, which is asked for once: what it
 * computes is kept by OID until functions are created, altered or dropped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "type/extension.h"
#include "type/kernel_spec.h"

/* The prefix of the names of SQL functions of numbers. */
#define NUMBER_PREFIX "scalar_"

/*
 * The aggregates of a reduction: over products, over expressions, and over values as they
 * are.
 */
#define REDUCTION_ROWS(word, which, streams)                                             \
	{"einsum_" word, FORM_EQUATION, .reduces = true, .reduction = which},                \
		{"einsum_" word "_scalar", FORM_EQUATION, .reduces = true, .reduction = which,   \
		 .scalar = true},                                                                \
		{"tensor_map_" word, FORM_MAP, .reduces = true, .reduction = which},             \
		{"tensor_map_" word "_scalar", FORM_MAP, .reduces = true, .reduction = which,    \
		 .scalar = true},                                                                \
	{                                                                                    \
		"tensor_" word, FORM_ELEMENTS, .reduces = true, .reduction = which,              \
									   .streaming = streams                              \
	}

static const KernelSpec specs[] = {
	{"einsum", FORM_EQUATION, .batched = true},
	{"einsum_scalar", FORM_EQUATION, .scalar = true, .batched = true},
	{"tensor_map", FORM_MAP, .batched = true},
	{"tensor_map_scalar", FORM_MAP, .scalar = true, .batched = true},

	/* not batched: an inner product takes less time than keeping its row would */
	{"inner_prod", FORM_EQUATION, "a,a->", .scalar = true, .strict = true},
	{"outer_prod", FORM_EQUATION, "a,b->ab", .strict = true, .batched = true},
	{"vec_mat_mult", FORM_EQUATION, "a,ab->b", .strict = true, .batched = true},
	{"mat_vec_mult", FORM_EQUATION, "ab,b->a", .strict = true, .batched = true},
	{"mat_mult", FORM_EQUATION, "ab,bc->ac", .strict = true, .batched = true},
	{"vec_sca_mult", FORM_ELEMENTS, "...,->...", .strict = true, .batched = true,
	 .streaming = true},

	REDUCTION_ROWS("sum", REDUCTION_SUM, true),
	REDUCTION_ROWS("min", REDUCTION_MIN, true),
	REDUCTION_ROWS("max", REDUCTION_MAX, true),
	REDUCTION_ROWS("prod", REDUCTION_PROD, true),
	REDUCTION_ROWS("any", REDUCTION_ANY, false),
	REDUCTION_ROWS("all", REDUCTION_ALL, false),
	{"sum", FORM_ELEMENTS, .reduces = true, .reduction = REDUCTION_SUM,
	 .streaming = true},
	{"min", FORM_ELEMENTS, .reduces = true, .reduction = REDUCTION_MIN,
	 .streaming = true},
	{"max", FORM_ELEMENTS, .reduces = true, .reduction = REDUCTION_MAX,
	 .streaming = true},
	{"tensor_fold", FORM_ELEMENTS, .streaming = true},
	{"tensor_covar", FORM_ELEMENTS, .pairs = true},

	{"stack", FORM_STACK, .streaming = true},
	{"einsum_stack", FORM_STACK},
	{"stack_blocks", FORM_STACK_BLOCKS, .streaming = true},
	{"einsum_stack_blocks", FORM_STACK_BLOCKS},
	{"tensor_unstack", FORM_UNSTACK},
	{"einsum_unstack", FORM_UNSTACK, .no_errors = true},
	{"einsum_unstack_scalar", FORM_UNSTACK, .scalar = true, .no_errors = true},
	{"einsum_unstack_tensor", FORM_UNSTACK, .no_errors = true},
	{"einsum_unstack_blocks", FORM_UNSTACK, .no_errors = true},
	{"einsum_unstack_blocks_tensor", FORM_UNSTACK, .no_errors = true},
	{"tensor_entries", FORM_ENTRIES, .no_errors = true},
	/* their errors are those of reading the row */
	{"einsum_entries", FORM_LAYOUT, .no_errors = true},
	{"einsum_stored_entries", FORM_STORED_LAYOUT, .no_errors = true},
	{"einsum_range_keys", FORM_RANGE_KEYS, .no_errors = true},

	{"einsum_solve", FORM_UNKNOWN},
	{"tensor_reshape", FORM_RESHAPE, .streaming = true},
	{"einsum_full", FORM_FILL},
	{"einsum_full_tensor", FORM_FILL},
	{"tensor_full", FORM_FILL},
	{"tensor_zeros", FORM_FILL},
	{"tensor_random", FORM_FILL},
	{"float8_to_tensor", FORM_CONVERSION, .no_errors = true},
	{"float4_to_tensor", FORM_CONVERSION, .no_errors = true},
	{"int2_to_tensor", FORM_CONVERSION, .no_errors = true},
	{"int4_to_tensor", FORM_CONVERSION, .no_errors = true},
	{"int8_to_tensor", FORM_CONVERSION, .no_errors = true},
	{"allints", FORM_RANGE},
	{"einsum_value_has_shape", FORM_SHAPE_CHECK},
	{"einsum_once", FORM_ONCE},
	{"einsum_barrier", FORM_BARRIER},

	{"tensor_add", FORM_ELEMENTS, .streaming = true},
	{"tensor_subtract", FORM_ELEMENTS, .streaming = true},
	{"tensor_multiply", FORM_ELEMENTS, .streaming = true},
	{"tensor_divide", FORM_ELEMENTS, .streaming = true},
	{"tensor_negate", FORM_ELEMENTS, .streaming = true},
	{"tensor_abs", FORM_ELEMENTS, .streaming = true},
	{"tensor_relu", FORM_ELEMENTS, .streaming = true},
	{"tensor_sqrt", FORM_ELEMENTS, .streaming = true},
	{"tensor_equal", FORM_ELEMENTS, .streaming = true},
	{"tensor_not_equal", FORM_ELEMENTS, .streaming = true},
	{"tensor_less", FORM_ELEMENTS, .streaming = true},
	{"tensor_less_equal", FORM_ELEMENTS, .streaming = true},
	{"tensor_greater", FORM_ELEMENTS, .streaming = true},
	{"tensor_greater_equal", FORM_ELEMENTS, .streaming = true},
	{"tensor_argmax", FORM_ELEMENTS, .streaming = true},
	{"tensor_argmin", FORM_ELEMENTS, .streaming = true},
	{"tensor_l1_distance", FORM_ELEMENTS, .streaming = true},
	{"tensor_l2_distance", FORM_ELEMENTS, .streaming = true},
	{"tensor_cosine_distance", FORM_ELEMENTS, .streaming = true},
	{"tensor_negative_inner_product", FORM_ELEMENTS, .streaming = true},
};

/* All other members. */
static const KernelSpec other = {NULL, FORM_ELEMENTS};

/*
 * Returns the spec of a function of numbers by its name, as "scalar_exp"; NULL if the
 * name is not one.
 */
static const KernelSpec *
spec_of_number(const char *name)
{
	static KernelSpec numbers[FUNCTION_COUNT];
	const PointwiseFunction *function;
	KernelSpec *spec;

	if (strncmp(name, NUMBER_PREFIX, strlen(NUMBER_PREFIX)) != 0)
		return NULL;
	function = pointwise_function_by_name(name + strlen(NUMBER_PREFIX));
	if (function == NULL)
		return NULL;
	spec = &numbers[function->id];
	spec->name = function->name;
	spec->form = FORM_NUMBER;
	spec->function = function;
	spec->scalar = true;
	return spec;
}

/* Removes the suffix of an aggregate's support function from the name. */
static void
cut_suffix(char *name)
{
	static const char *const suffixes[] = {"_transfn", "_combinefn", "_finalfn"};

	for (int i = 0; i < lengthof(suffixes); i++)
	{
		Size length = strlen(name);
		Size suffix = strlen(suffixes[i]);

		if (length > suffix && strcmp(name + length - suffix, suffixes[i]) == 0)
			name[length - suffix] = '\0';
	}
}

/* Looks up a function's spec by its name; NULL if it is not a member of the extension. */
static const KernelSpec *
find_spec(Oid function)
{
	char *name = extension_function_name(function);
	const KernelSpec *number;

	if (name == NULL)
		return NULL;
	cut_suffix(name);
	for (int i = 0; i < lengthof(specs); i++)
		if (strcmp(specs[i].name, name) == 0)
			return &specs[i];
	number = spec_of_number(name);
	return number ? number : &other;
}

const KernelSpec *
kernel_spec(Oid function)
{
	typedef struct KnownSpec
	{
		Oid function;
		const KernelSpec *spec;
	} KnownSpec;
	static HTAB *known = NULL;
	static uint64 known_as_of = 0;
	const KernelSpec *spec;
	KnownSpec *entry;
	uint64 changes;
	bool found;

	/* smaller OIDs are those of the system's own functions */
	if (function < FirstNormalObjectId || !extension_installed())
		return NULL;
	changes = extension_changes();
	if (known && changes != known_as_of)
	{
		hash_destroy(known);
		known = NULL;
	}
	if (known)
	{
		entry = hash_search(known, &function, HASH_FIND, NULL);
		if (entry)
			return entry->spec;
	}
	spec = find_spec(function);
	/* looking up may have processed invalidations: then do not remember the spec */
	if (changes != extension_changes())
		return spec;
	if (known == NULL)
	{
		HASHCTL control = {.keysize = sizeof(Oid),
						   .entrysize = sizeof(KnownSpec),
						   .hcxt = CacheMemoryContext};

		known = hash_create("what functions of the extension compute", 128, &control,
							HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
		known_as_of = changes;
	}
	entry = hash_search(known, &function, HASH_ENTER, &found);
	entry->spec = spec;
	return spec;
}

bool
function_has_form(Oid function, KernelForm form)
{
	const KernelSpec *spec = kernel_spec(function);

	return spec && spec->form == form;
}

const KernelSpec *
kernel_of_equation(const char *equation)
{
	for (int i = 0; i < lengthof(specs); i++)
		if (specs[i].equation && strcmp(specs[i].equation, equation) == 0)
			return &specs[i];
	return NULL;
}
