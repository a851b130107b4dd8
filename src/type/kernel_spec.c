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

/* Prefixes of the names of pointwise functions in SQL: of numbers, and of each element. */
#define NUMBER_PREFIX "scalar_"
#define ELEMENTS_PREFIX "tensor_"

/*
 * The aggregates of a reduction: over products, over expressions, and over values as they
 * are.
 */
#define REDUCTION_ROWS(word, which, elements)                                            \
	{"einsum_" word, FORM_EQUATION, .reduces = true, .reduction = which},                \
		{"einsum_" word "_scalar", FORM_EQUATION, .reduces = true, .reduction = which,   \
		 .scalar = true},                                                                \
		{"tensor_map_" word, FORM_MAP, .reduces = true, .reduction = which},             \
		{"tensor_map_" word "_scalar", FORM_MAP, .reduces = true, .reduction = which,    \
		 .scalar = true},                                                                \
	{                                                                                    \
		"tensor_" word, FORM_ELEMENTS, .reduces = true, .reduction = which,              \
									   .operations = elements                            \
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
	 .operations = 1},

	REDUCTION_ROWS("sum", REDUCTION_SUM, 1),
	REDUCTION_ROWS("min", REDUCTION_MIN, 1),
	REDUCTION_ROWS("max", REDUCTION_MAX, 1),
	REDUCTION_ROWS("prod", REDUCTION_PROD, 1),
	REDUCTION_ROWS("any", REDUCTION_ANY, 0),
	REDUCTION_ROWS("all", REDUCTION_ALL, 0),
	{"sum", FORM_ELEMENTS, .reduces = true, .reduction = REDUCTION_SUM, .operations = 1},
	{"min", FORM_ELEMENTS, .reduces = true, .reduction = REDUCTION_MIN, .operations = 1},
	{"max", FORM_ELEMENTS, .reduces = true, .reduction = REDUCTION_MAX, .operations = 1},
	{"tensor_fold", FORM_ELEMENTS, .operations = 1},
	{"tensor_covar", FORM_ELEMENTS, .pairs = true},

	{"stack", FORM_STACK, .operations = 1},
	{"einsum_stack", FORM_STACK},
	{"stack_blocks", FORM_STACK_BLOCKS, .operations = 1},
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
	{"tensor_reshape", FORM_RESHAPE, .operations = 1},
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

	{"tensor_equal", FORM_ELEMENTS, .operations = 1},
	{"tensor_not_equal", FORM_ELEMENTS, .operations = 1},
	{"tensor_less", FORM_ELEMENTS, .operations = 1},
	{"tensor_less_equal", FORM_ELEMENTS, .operations = 1},
	{"tensor_greater", FORM_ELEMENTS, .operations = 1},
	{"tensor_greater_equal", FORM_ELEMENTS, .operations = 1},
	{"tensor_argmax", FORM_ELEMENTS, .operations = 1},
	{"tensor_argmin", FORM_ELEMENTS, .operations = 1},
	{"tensor_l1_distance", FORM_ELEMENTS, .operations = 1},
	{"tensor_l2_distance", FORM_ELEMENTS, .operations = 1},
	{"tensor_cosine_distance", FORM_ELEMENTS, .operations = 1},
	{"tensor_negative_inner_product", FORM_ELEMENTS, .operations = 1},
};

/* All other members. */
static const KernelSpec other = {NULL, FORM_ELEMENTS};

/* Returns the pointwise function with this prefix before its name, or NULL. */
static const PointwiseFunction *
function_with_prefix(const char *name, const char *prefix)
{
	Size length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 ? pointwise_function_by_name(name + length)
											  : NULL;
}

/*
 * Returns the spec of a pointwise function in SQL by its name, as "scalar_exp" or
 * "tensor_exp"; NULL if the name is not one.
 */
static const KernelSpec *
spec_of_pointwise(const char *name)
{
	static KernelSpec numbers[FUNCTION_COUNT];
	static KernelSpec elements[FUNCTION_COUNT];
	const PointwiseFunction *function = function_with_prefix(name, NUMBER_PREFIX);
	KernelSpec *spec;

	if (function)
	{
		spec = &numbers[function->id];
		spec->form = FORM_NUMBER;
		spec->function = function;
		spec->scalar = true;
	}
	else
	{
		function = function_with_prefix(name, ELEMENTS_PREFIX);
		if (function == NULL)
			return NULL;
		spec = &elements[function->id];
		spec->form = FORM_ELEMENTS;
	}
	spec->name = function->name;
	spec->operations = function->work;
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
	const KernelSpec *pointwise;

	if (name == NULL)
		return NULL;
	cut_suffix(name);
	for (int i = 0; i < lengthof(specs); i++)
		if (strcmp(specs[i].name, name) == 0)
			return &specs[i];
	pointwise = spec_of_pointwise(name);
	return pointwise ? pointwise : &other;
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
