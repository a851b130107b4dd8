/*-------------------------------------------------------------------------
 *
 * element.c
 *	  Element types: sizes, names, promotion.
 *
 * The names are those of SQL input and output ("float8:[1,2]"), so they are
 * as permanent as the numbers.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "kernels/tensor_view.h"

static const struct
{
	const char *name;
	size_t size;
} element_types[ELEMENT_TYPE_LAST + 1] = {
	[ELEMENT_FLOAT4] = {"float4", 4},
	[ELEMENT_FLOAT8] = {"float8", 8},
	[ELEMENT_COMPLEX8] = {"complex8", 8},
	[ELEMENT_COMPLEX16] = {"complex16", 16},
};

/* Bytes of one element. */
size_t
element_size(ElementType type)
{
	return element_types[type].size;
}

const char *
element_type_name(ElementType type)
{
	return element_types[type].name;
}

/* False if there is no element type of this name. */
bool
element_type_by_name(const char *name, ElementType *type)
{
	for (int i = 1; i <= ELEMENT_TYPE_LAST; i++)
	{
		if (strcmp(name, element_types[i].name) == 0)
		{
			*type = (ElementType) i;
			return true;
		}
	}
	return false;
}

/*
 * Returns the smallest type that holds both types: complex if one is, with float8 parts
 * if one has them.
 */
ElementType
element_promote(ElementType a, ElementType b)
{
	bool wide = a == ELEMENT_FLOAT8 || a == ELEMENT_COMPLEX16 || b == ELEMENT_FLOAT8 ||
				b == ELEMENT_COMPLEX16;

	if (element_is_complex(a) || element_is_complex(b))
		return wide ? ELEMENT_COMPLEX16 : ELEMENT_COMPLEX8;
	return wide ? ELEMENT_FLOAT8 : ELEMENT_FLOAT4;
}
