/*-------------------------------------------------------------------------
 *
 * parts.c
 *	  Which rows of an AggregateJoin's operands are in memory, and which in files.
 *
 * Rows are divided while they are read, by the hash of one label, into ranges of hashes.
 * The rows of the first range stay in memory; those of each other range are written to a
 * file, a part that waits. If the first range does not fit, it is written to a file as
 * well. A part that is read from its file is divided again in the same way if it does
 * not fit, which is known as its rows have been counted.
 *
 * What does not fit in memory has to be found out before the first row is returned, as
 * the relational plan can only run until then: parts that are not expected to fit are
 * divided first. Rows with the same hash cannot be divided.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "compat.h"
#include "executor/operand/state.h"
#include "type/detoast_cache.h"

#define PART_HASHES 65536

/* Files that are being written take 1 / FILES_SHARE of the memory. */
#define FILES_SHARE 4

/* How much larger than their mean the largest of some ranges may be. */
#define UNEVEN 1.25

/*
 * Into how many ranges rows are divided whose number is not known yet; and a part that
 * nearly fits.
 */
#define UNKNOWN_RANGES 16
#define FINER_RANGES 4

/* The number of rows that are moved to files at a time. */
#define MOVED_ROWS 128

/*
 * Keys in a block of 2^BLOCK_BITS integers have the same hash, and are in the same part.
 */
#define BLOCK_BITS 4

static inline uint32
hash_of_index(int64 index)
{
	uint64 block = (uint64) index >> BLOCK_BITS;
	uint64 hash = block * UINT64CONST(0xC2B2AE3D27D4EB4F);

	hash = (hash ^ hash >> 29) * UINT64CONST(0x9E3779B97F4A7C15) >> (48 + BLOCK_BITS);
	return (uint32) (hash << BLOCK_BITS) | ((uint32) index & ((1 << BLOCK_BITS) - 1));
}

/*
 * The hash of a row's key. Processes that share parts have different numbers for a key,
 * but the same hash.
 */
static inline uint32
hash_of_row(const TensorOperands *state, const TensorOperand *operand, const int64 *keys)
{
	const Dictionary *dictionary = operand->keys[operand->part_key].dictionary;
	int64 index = keys[operand->part_key];

	return state->plan.parallel && dictionary
			   ? dictionary_hash(dictionary, index) / (UINT32_MAX / PART_HASHES + 1)
			   : hash_of_index(index);
}

/* The number of hashes in each range that rows are divided into; a power of two. */
static inline uint32
hashes_in_range(const OperandParts *parts)
{
	return (parts->to - parts->from) / (uint32) parts->count;
}

bool
all_in_memory(const TensorOperands *state, const TensorOperand *operand)
{
	const OperandParts *parts = &state->parts;

	return operand->part_key < 0 ? !parts->scattering
								 : parts->count <= 1 && parts->resident;
}

int
range_of_row(const TensorOperands *state, const TensorOperand *operand, const int64 *keys)
{
	const OperandParts *parts = &state->parts;
	uint32 range;

	if (all_in_memory(state, operand))
		return IN_MEMORY;
	if (operand->part_key < 0)
		return parts->count;
	range = (hash_of_row(state, operand, keys) - parts->from) / hashes_in_range(parts);
	return range == 0 && parts->resident ? IN_MEMORY : (int) range;
}

/*
 * Returns about the wanted number of ranges: a power of two, at most the number of
 * hashes, and as many as there is memory for files.
 */
static int
count_ranges(uint32 hashes, double wanted)
{
	Size files = get_hash_memory_limit() / FILES_SHARE / PART_FILE_MEMORY;
	int most = 2;
	int ranges = 1;

	while (most < MOST_DIVIDED && (Size) (2 * most) <= files)
		most *= 2;
	most = Min(most, (int) Min(hashes, MOST_DIVIDED));
	while (ranges < wanted && ranges < most)
		ranges *= 2;
	return ranges;
}

int
count_shared_ranges(double wanted)
{
	return count_ranges(PART_HASHES, wanted);
}

/*
 * Divides the rows that are read next, with hashes from .. to - 1, into about that many
 * ranges.
 */
static void
divide(TensorOperands *state, uint32 from, uint32 to, double ranges, bool resident)
{
	OperandParts *parts = &state->parts;

	parts->from = from;
	parts->to = to;
	parts->resident = resident;
	parts->count = count_ranges(to - from, ranges);
}

void
begin_parts(TensorOperands *state, int count)
{
	OperandParts *parts = &state->parts;

	divide(state, 0, PART_HASHES, count, true);
	for (int o = 0; o < state->noperands; o++)
	{
		const TensorOperand *operand = &state->operands[o];
		RowLayout *layout = &parts->layouts[o];

		layout->nkeys = operand->nkeys;
		layout->nvalues = operand->nvalues;
		for (int v = 0; v < operand->nvalues; v++)
			layout->types[v] = nest_value_type(operand->values[v]);
		if (operand->part_key >= 0 && count > 1)
			give_up_operand(state->kept_operands, &state->operands[o]);
	}
}

void
end_parts(TensorOperands *state)
{
	OperandParts *parts = &state->parts;
	ListCell *lc;

	for (int i = 0; i < lengthof(parts->divided); i++)
		if (parts->divided[i])
			close_part_file(parts->files, parts->divided[i]->file);
	foreach (lc, parts->waiting)
		close_part_file(parts->files, ((OperandPart *) lfirst(lc))->file);
	if (parts->files)
		end_part_files(parts->files);
	parts->files = NULL;
	parts->count = 0;
	parts->scattering = false;
	parts->waiting = NIL;
	memset(parts->divided, 0, sizeof(parts->divided));
}

void
begin_scattering(TensorOperands *state, int count)
{
	divide(state, 0, PART_HASHES, count, false);
	state->parts.scattering = true;
}

OperandPart *
new_part(TensorOperands *state, int range, PartFile *file)
{
	OperandParts *parts = &state->parts;
	OperandPart *part =
		MemoryContextAllocZero(state->memory.context, sizeof(OperandPart));

	part->from = parts->from + (uint32) range * hashes_in_range(parts);
	part->to = part->from + hashes_in_range(parts);
	part->file = file;
	return part;
}

/* Makes the part of a range, with a new file. */
static OperandPart *
begin_part(TensorOperands *state, int range)
{
	OperandParts *parts = &state->parts;

	if (parts->scattering)
		return new_part(state, range, new_shared_part(parts->files, range));
	if (parts->files == NULL)
		parts->files = begin_part_files(state->memory.context, parts->owner);
	state->memory.accounts.used += PART_FILE_MEMORY;
	return new_part(state, range, new_part_file(parts->files));
}

void
write_row(TensorOperands *state, TensorOperand *operand, int range, const int64 *keys,
		  const NestValue *values)
{
	OperandParts *parts = &state->parts;
	int number = (int) (operand - state->operands);
	OperandPart *part = parts->divided[range];
	Size bytes;
	bool stay;

	if (part == NULL)
		part = parts->divided[range] = begin_part(state, range);
	bytes = write_part_row(parts->files, part->file, &parts->layouts[number], number,
						   operand->coordinates, keys, values, &stay);
	if (!stay || state->plan.each_tuple)
		part->value_bytes += bytes;
	part->rows[number]++;
}

/* Ends sharing an operand that is divided into parts: it has a part of the rows only. */
static void
give_up_shared(TensorOperands *state, TensorOperand *operand)
{
	if (operand->kept)
	{
		forget_operand(state, operand, false);
		begin_coordinates(state, operand);
	}
	give_up_operand(state->kept_operands, operand);
}

/* Moves an operand's rows from memory to files. */
static void
move_rows(TensorOperands *state, TensorOperand *operand)
{
	int64 *keys[NEST_MAX_KEYS];
	NestValue *values[NEST_MAX_VALUES];
	int64 first = 0;
	int64 n;

	for (int k = 0; k < operand->nkeys; k++)
		keys[k] = palloc(sizeof(int64) * MOVED_ROWS);
	for (int v = 0; v < operand->nvalues; v++)
		values[v] = palloc(sizeof(NestValue) * MOVED_ROWS);
	while ((n = coordinates_read(operand->coordinates, first, MOVED_ROWS, keys, values)) >
		   0)
	{
		CHECK_FOR_INTERRUPTS();
		for (int64 i = 0; i < n; i++)
		{
			int64 row_keys[NEST_MAX_KEYS];
			NestValue row_values[NEST_MAX_VALUES];

			for (int k = 0; k < operand->nkeys; k++)
				row_keys[k] = keys[k][i];
			for (int v = 0; v < operand->nvalues; v++)
				row_values[v] = values[v][i];
			write_row(state, operand, range_of_row(state, operand, row_keys), row_keys,
					  row_values);
		}
		first += n;
	}
	for (int k = 0; k < operand->nkeys; k++)
		pfree(keys[k]);
	for (int v = 0; v < operand->nvalues; v++)
		pfree(values[v]);
}

bool
spill_part(TensorOperands *state)
{
	OperandParts *parts = &state->parts;

	if (state->plan.part_label < 0 || !parts->resident)
		return false;
	if (parts->count <= 1)
	{
		if (parts->to - parts->from == 1)
			return false;
		divide(state, parts->from, parts->to,
			   parts->count ? UNKNOWN_RANGES : FINER_RANGES, false);
	}
	/* rows from files do not come in the order in which they were read */
	state->stream = -1;
	parts->resident = false;
	for (int o = 0; o < state->noperands; o++)
	{
		TensorOperand *operand = &state->operands[o];

		if (operand->part_key < 0)
			continue;
		if (operand->coordinates)
			move_rows(state, operand);
		give_up_shared(state, operand);
		if (operand->coordinates)
			coordinates_clear(operand->coordinates);
	}
	MemoryContextReset(state->memory.values_of_part.context);
	state->memory.values_of_part =
		(ValueMemory){.context = state->memory.values_of_part.context};
	return true;
}

bool
take_more_memory(TensorOperands *state)
{
	if (!state->committed || state->parts.last_resort || state->plan.part_label < 0)
		return false;
	state->parts.last_resort = true;
	state->memory.accounts.limit = SIZE_MAX / 2;
	return true;
}

static void
close_part(TensorOperands *state, OperandPart *part)
{
	close_part_file(state->parts.files, part->file);
	pfree(part);
}

bool
rows_join_nothing(const TensorOperands *state, const OperandPart *part)
{
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].part_key >= 0 && !state->operands[o].optional &&
			part->rows[o] == 0)
			return true;
	return false;
}

void
end_dividing(TensorOperands *state)
{
	OperandParts *parts = &state->parts;
	MemoryContext old = MemoryContextSwitchTo(state->memory.context);

	for (int i = parts->count - 1; i >= 0; i--)
	{
		OperandPart *part = parts->divided[i];

		parts->divided[i] = NULL;
		if (part == NULL)
			continue;
		state->memory.accounts.used -= PART_FILE_MEMORY;
		end_writing_part(parts->files, part->file);
		if (rows_join_nothing(state, part))
			close_part(state, part);
		else
			parts->waiting = lappend(parts->waiting, part);
	}
	parts->to = parts->from + hashes_in_range(parts);
	parts->count = 0;
	MemoryContextSwitchTo(old);
}

/*
 * The number of parts into which a part has to be divided to fit in memory, beside the
 * rows that all parts need.
 */
static double
count_parts(const TensorOperands *state, const OperandPart *part)
{
	double limit = (double) get_hash_memory_limit();
	double value_limit = (double) tensor_memory_limit();
	double needed = 0.0;
	double room = limit;
	double value_room = value_limit - (double) state->memory.values_of_all.bytes;

	for (int o = 0; o < state->noperands; o++)
	{
		const TensorOperand *operand = &state->operands[o];
		double row;

		if (operand->coordinates == NULL || operand->kept)
			continue;
		row = coordinates_row_bytes(operand->coordinates, operand->wide);
		if (operand->part_key >= 0)
			needed += (double) part->rows[o] * row;
		else
			room -= (double) coordinates_count(operand->coordinates) * row;
	}
	/* if hardly any room is left, still try: rows may take less than estimated */
	room = Max(room, limit / 8);
	value_room = Max(value_room, value_limit / 8);
	if (needed <= room && (double) part->value_bytes <= value_room)
		return 1.0;
	return Max(Max(needed / room, (double) part->value_bytes / value_room) * UNEVEN, 2.0);
}

const char *
end_scattering(TensorOperands *state)
{
	OperandParts *parts = &state->parts;
	uint32 from;
	uint32 to;
	bool resident;

	end_dividing(state);
	from = parts->from;
	to = parts->to;
	resident = parts->resident;
	for (int i = 0; i < list_length(parts->waiting);)
	{
		OperandPart *part = list_nth(parts->waiting, i);
		double count = count_parts(state, part);
		const char *reason;

		if (count <= 1.0)
		{
			i++;
			continue;
		}
		if (part->to - part->from == 1)
			return TOO_LARGE;
		parts->waiting = list_delete_nth_cell(parts->waiting, i);
		divide(state, part->from, part->to, count, false);
		reason = read_part(state, part);
		if (reason)
			return reason;
		/* the new parts were appended to the waiting ones, and are examined next */
		end_dividing(state);
	}
	parts->from = from;
	parts->to = to;
	parts->resident = resident;
	return NULL;
}

const char *
load_part(TensorOperands *state)
{
	OperandParts *parts = &state->parts;

	/*
	 * a part may be divided again, into parts that join nothing and are dropped: take the
	 * next
	 */
	while (!parts->resident && parts->waiting)
	{
		OperandPart *part = llast(parts->waiting);
		const char *reason;

		parts->waiting = list_delete_last(parts->waiting);
		divide(state, part->from, part->to, count_parts(state, part), true);
		reason = read_part(state, part);
		if (reason)
			return reason;
		end_dividing(state);
	}
	return NULL;
}
