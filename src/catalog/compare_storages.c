/*-------------------------------------------------------------------------
 *
 * compare_storages.c
 *	  Do the storages of a tensor hold the same entries?
 *
 * Their owner promises it. The comparison takes one pass over each and little memory: it
 * compares the number of entries that differ from the fill, their sum, the least and the
 * greatest. It finds rows that are missing in one, or that come from another time or
 * table, but not entries that have changed places.
 *
 * A storage may be computed, as by a view, so that its entries are rounded differently.
 * So sums may differ by a small share of the sum of absolute values, and extremes by a
 * small share of the greatest of them. An entry that is 0 in one storage may be a
 * remainder of rounding in the other. So the number of entries must lie between the
 * number of those that cannot be such remainders and the number of all; and the entry
 * that is nearest to the fill is not compared as an extreme if it may be a remainder.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include "access/relation.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/attempt.h"
#include "catalog/check_data.h"
#include "catalog/compare_storages.h"
#include "catalog/entry_value.h"
#include "catalog/label.h"
#include "catalog/query_label.h"
#include "catalog/query_scan.h"
#include "catalog/readable.h"
#include "catalog/tensor_storage.h"
#include "type/sparse.h"

/* Range of the exponents of numbers other than 0, as frexp returns them. */
#define LEAST_EXPONENT (DBL_MIN_EXP - DBL_MANT_DIG)
#define EXPONENTS (DBL_MAX_EXP - LEAST_EXPONENT + 1)

typedef struct Summary
{
	DataCheck check;
	Number fill; /* in the element type of the entries */
	double keys; /* in the ranges of the present row, which has its entries for each */
	double nan;  /* NaN entries, and then infinite ones of either sign */
	double plus;
	double minus;
	double finite; /* all others that differ from fill */
	Number sum;    /* of the finite entries; lost is what rounding has lost of it */
	Number lost;
	double magnitude; /* sum of absolute values */
	double low;       /* extremes; of complex entries those of absolute values */
	double high;
	double distances[EXPONENTS]; /* counts of entries by distance from the fill */
} Summary;

/* Adds a number to a sum, and collects in lost what rounding loses. */
static void
add_to_sum(Number *sum, Number *lost, Number value)
{
	Number total = *sum + value;
	double real = fabs(creal(*sum)) >= fabs(creal(value))
					  ? (creal(*sum) - creal(total)) + creal(value)
					  : (creal(value) - creal(total)) + creal(*sum);
	double imaginary = fabs(cimag(*sum)) >= fabs(cimag(value))
						   ? (cimag(*sum) - cimag(total)) + cimag(value)
						   : (cimag(value) - cimag(total)) + cimag(*sum);

	*sum = total;
	*lost += CMPLX(real, imaginary);
}

static void
summarize_entry(Summary *summary, double real, double imaginary)
{
	Number value = CMPLX(real, imaginary);
	double size = imaginary == 0 ? real : cabs(value);
	double distance;
	int exponent;

	if (is_fill(real, imaginary, summary->fill))
		return;
	if (isnan(real) || isnan(imaginary))
	{
		summary->nan += summary->keys;
		return;
	}
	if (isinf(real) || isinf(imaginary))
	{
		if (size > 0)
			summary->plus += summary->keys;
		else
			summary->minus += summary->keys;
		return;
	}
	if (element_is_complex(summary->check.storage->element_type))
		size = cabs(value);
	summary->low = summary->finite == 0 ? size : Min(summary->low, size);
	summary->high = summary->finite == 0 ? size : Max(summary->high, size);
	summary->finite += summary->keys;
	summary->magnitude += fabs(size) * summary->keys;
	add_to_sum(&summary->sum, &summary->lost, value * summary->keys);
	distance = cabs(value - summary->fill);
	/* no entry is near a fill that is infinite or NaN, or whose distance overflows */
	if (!isfinite(distance))
		exponent = DBL_MAX_EXP;
	else
		(void) frexp(distance, &exponent);
	summary->distances[exponent - LEAST_EXPONENT] += summary->keys;
}

static bool
summarize_row(TupleTableSlot *slot, void *state)
{
	Summary *summary = (Summary *) state;
	int column = storage_key_count(summary->check.storage);
	const Tensor *value;
	const void *data;
	int64 count;
	int64 i;

	if (!check_data_row(&summary->check, slot))
		return true;
	summary->keys = keys_of_row(summary->check.storage, slot);
	if (!summary->check.tensors)
	{
		summarize_entry(summary, DatumGetFloat8(slot->tts_values[column]), 0);
		return true;
	}
	value = DatumGetTensorWithFill(slot->tts_values[column], summary->fill);
	if (is_sparse(value))
	{
		SparseEntries entries = sparse_entries(value);

		for (i = 0; i < entries.count; i++)
		{
			Number number = entry_complex(&entries, i);

			if ((i & 0xFFFF) == 0)
				CHECK_FOR_INTERRUPTS();
			summarize_entry(summary, creal(number), cimag(number));
		}
		return true;
	}
	data = tensor_elements(value);
	count = tensor_count(value);
	for (i = 0; i < count; i++)
	{
		double real = 0;
		double imaginary = 0;

		if ((i & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		read_element(value, data, i, &real, &imaginary);
		summarize_entry(summary, real, imaginary);
	}
	return true;
}

/* Reads the storage of a summary once; called by attempt(). */
static void
summarize(void *argument)
{
	Summary *summary = (Summary *) argument;
	Storage *storage = summary->check.storage;
	Relation relation = relation_open(storage->relid, AccessShareLock);

	begin_data_check(&summary->check, storage, relation);
	summary->check.type_known = true;
	summary->fill = number_as(storage->element_type, storage->fill);
	scan_query(labelled_query("einsum_analyze", storage->tensor,
							  storage_scan_sql(storage, false)),
			   relation->rd_rel->relowner, false, summarize_row, summary);
	/* an infinite sum has lost only infinities */
	if (number_is_finite(summary->sum))
		summary->sum += summary->lost;
	relation_close(relation, NoLock);
}

/*
 * Returns the relative difference that is tolerated between results that should be equal.
 */
static double
relative_tolerance(const Storage *storage)
{
	return element_is_single(storage->element_type) ? 32 * (double) FLT_EPSILON
													: 4096 * DBL_EPSILON;
}

/* Returns the greatest absolute value of the finite entries. */
static double
scale_of(const Summary *summary)
{
	return Max(fabs(summary->low), fabs(summary->high));
}

/*
 * Returns the number of finite entries too far from the fill to be remainders of
 * rounding.
 */
static double
significant_entries(const Summary *summary, double scale, double tolerance)
{
	double count = 0;
	int exponent;
	int i;

	(void) frexp(scale * tolerance, &exponent);
	for (i = Max(exponent + 1 - LEAST_EXPONENT, 0); i < EXPONENTS; i++)
		count += summary->distances[i];
	return count;
}

/* Are two extremes equal, or is one so near the fill that it may be no entry? */
static bool
extremes_agree(double one, double other, Number fill, double limit)
{
	double size = cimag(fill) == 0 ? creal(fill) : cabs(fill);

	return fabs(one - other) <= limit || fabs(one - size) <= limit ||
		   fabs(other - size) <= limit;
}

static bool
summaries_agree(const Summary *one, const Summary *other)
{
	double tolerance = relative_tolerance(one->check.storage);
	double scale = Max(scale_of(one), scale_of(other));
	double limit = scale * tolerance;
	double magnitude = Max(one->magnitude, other->magnitude);

	/* an infinite sum cannot be compared */
	if (isfinite(magnitude) && cabs(one->sum - other->sum) > magnitude * tolerance)
		return false;
	if (one->nan != other->nan || one->plus != other->plus || one->minus != other->minus)
		return false;
	/* if rows are summed to entries, only the total is comparable */
	if (one->check.storage->duplicates == DUPLICATES_SUM ||
		other->check.storage->duplicates == DUPLICATES_SUM)
		return true;
	if (significant_entries(one, scale, tolerance) > other->finite ||
		significant_entries(other, scale, tolerance) > one->finite)
		return false;
	return one->finite == 0 || other->finite == 0 ||
		   (extremes_agree(one->low, other->low, one->fill, limit) &&
			extremes_agree(one->high, other->high, one->fill, limit));
}

/*
 * Describes a storage: 'Relation "a": number of entries 3, 1 of them infinite, sum 6,
 * from 1 to 3'.
 */
static char *
describe(const Summary *summary)
{
	const Storage *storage = summary->check.storage;
	double infinite = summary->plus + summary->minus;
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfo(&buf, "Relation \"%s\": number of entries %.0f",
					 get_rel_name(storage->relid),
					 summary->finite + summary->nan + infinite);
	if (infinite > 0)
		appendStringInfo(&buf, ", %.0f of them infinite", infinite);
	if (summary->nan > 0)
		appendStringInfo(&buf, ", %.0f of them NaN", summary->nan);
	if (summary->finite > 0)
		appendStringInfo(
			&buf, ", sum %s, %sfrom %s to %s", number_to_string(summary->sum),
			element_is_complex(storage->element_type) ? "absolute values " : "",
			float8_to_string(summary->low), float8_to_string(summary->high));
	return buf.data;
}

void
compare_storages(const TensorEntry *tensor)
{
	Summary *first = NULL;
	ListCell *cell;

	if (list_length(tensor->storages) < 2)
		return;
	foreach (cell, tensor->storages)
	{
		Storage *storage = (Storage *) lfirst(cell);
		Summary *summary;
		ErrorData *error;

		if (!relation_is_readable(storage->relid))
			continue;
		summary = palloc0(sizeof(Summary));
		summary->check.storage = storage;
		error = attempt(summarize, summary);
		if (error != NULL)
			ereport(WARNING,
					(errcode(error->sqlerrcode),
					 errmsg("the storage of tensor \"%s\" in relation \"%s\" cannot be "
							"compared with the others",
							tensor->name, get_rel_name(storage->relid)),
					 errdetail_internal("%s", error->message)));
		else if (first == NULL)
			first = summary;
		else if (!summaries_agree(first, summary))
			ereport(WARNING,
					(errmsg("the storages of tensor \"%s\" do not hold the same entries",
							tensor->name),
					 errdetail_internal("%s; %s.", describe(first), describe(summary)),
					 errhint("A program reads whichever is cheapest. Bring them up to "
							 "date, or remove one with einsum_unregister('%s', "
							 "relation).",
							 tensor->name)));
	}
}
