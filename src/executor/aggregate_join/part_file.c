/*-------------------------------------------------------------------------
 *
 * part_file.c
 *	  Rows of an AggregateJoin's operands in temporary files.
 *
 * A row is the number of its operand, its keys, its numbers, and its tensors as they
 * are. Keys take four bytes each, or eight if one of them needs that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/logtape.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/aggregate_join/part_file.h"

/* Beside the number of the operand. */
#define WIDE_KEYS 0x80

#define MOST_HEAD_BYTES                                                                  \
	(1 + NEST_MAX_KEYS * sizeof(int64) + NEST_MAX_VALUES * sizeof(NestValue))

StaticAssertDecl(NEST_MAX_OPERANDS <= WIDE_KEYS, "operands are numbered by seven bits");

struct PartFiles
{
	MemoryContext context;
	ResourceOwner owner;
	LogicalTapeSet *tapes;
	bool begun;
	int64 bytes;
	/* tensors of the row that was read, by column */
	char *tensors[NEST_MAX_VALUES];
	Size sizes[NEST_MAX_VALUES];
};

struct PartFile
{
	LogicalTape *tape;
};

PartFiles *
begin_part_files(MemoryContext context, ResourceOwner owner)
{
	PartFiles *files = MemoryContextAllocZero(context, sizeof(PartFiles));

	files->context = context;
	files->owner = owner;
	return files;
}

void
end_part_files(PartFiles *files)
{
	if (files->begun)
		LogicalTapeSetClose(files->tapes);
	files->begun = false;
}

int64
part_files_bytes(const PartFiles *files)
{
	return files->bytes;
}

PartFile *
new_part_file(PartFiles *files)
{
	ResourceOwner owner = CurrentResourceOwner;
	MemoryContext old = MemoryContextSwitchTo(files->context);
	PartFile *file = palloc(sizeof(PartFile));

	CurrentResourceOwner = files->owner;
	PG_TRY();
	{
		if (!files->begun)
			files->tapes = LogicalTapeSetCreate(false, NULL, -1);
		files->begun = true;
		file->tape = LogicalTapeCreate(files->tapes);
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = owner;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	return file;
}

static inline Size
number_size(const RowLayout *layout, int column)
{
	return element_size(layout->types[column].type);
}

/* Bytes of the numbers of a row. */
static inline Size
numbers_size(const RowLayout *layout)
{
	Size size = 0;

	for (int v = 0; v < layout->nvalues; v++)
		if (!layout->types[v].tensors)
			size += number_size(layout, v);
	return size;
}

static inline char *
put_keys(char *to, const RowLayout *layout, const int64 *keys, bool wide)
{
	for (int k = 0; k < layout->nkeys; k++)
	{
		int32 narrow = (int32) keys[k];

		if (wide)
			memcpy(to, &keys[k], sizeof(int64));
		else
			memcpy(to, &narrow, sizeof(int32));
		to += wide ? sizeof(int64) : sizeof(int32);
	}
	return to;
}

static inline const char *
get_keys(const char *from, const RowLayout *layout, int64 *keys, bool wide)
{
	for (int k = 0; k < layout->nkeys; k++)
	{
		int32 narrow;

		if (wide)
			memcpy(&keys[k], from, sizeof(int64));
		else
		{
			memcpy(&narrow, from, sizeof(int32));
			keys[k] = narrow;
		}
		from += wide ? sizeof(int64) : sizeof(int32);
	}
	return from;
}

static inline void
write_bytes(PartFiles *files, PartFile *file, const void *bytes, Size size)
{
	LogicalTapeWrite(file->tape, unconstify(void *, bytes), size);
	files->bytes += size;
}

Size
write_part_row(PartFiles *files, PartFile *file, const RowLayout *layout, int operand,
			   const Coordinates *coordinates, const int64 *keys, const NestValue *values)
{
	MemoryContext old = MemoryContextSwitchTo(files->context);
	char head[MOST_HEAD_BYTES];
	char *to = head + 1;
	Size tensors = 0;
	bool wide = false;

	for (int k = 0; k < layout->nkeys; k++)
		wide = wide || keys[k] != (int32) keys[k];
	head[0] = (char) (operand | (wide ? WIDE_KEYS : 0));
	to = put_keys(to, layout, keys, wide);
	for (int v = 0; v < layout->nvalues; v++)
	{
		if (layout->types[v].tensors)
			continue;
		memcpy(to, &values[v], number_size(layout, v));
		to += number_size(layout, v);
	}
	write_bytes(files, file, head, (Size) (to - head));
	for (int v = 0; v < layout->nvalues; v++)
	{
		const TensorView *shape;
		const Tensor *tensor;

		if (!layout->types[v].tensors)
			continue;
		shape = coordinates_get_shape(coordinates, v, values[v].tensor.shape);
		tensor = (const Tensor *) ((const char *) values[v].tensor.elements -
								   TENSOR_HEADER_SIZE(shape->rank));
		write_bytes(files, file, tensor, VARSIZE(tensor));
		tensors += MAXALIGN(VARSIZE(tensor));
	}
	MemoryContextSwitchTo(old);
	return tensors;
}

void
end_writing_part(PartFiles *files, PartFile *file)
{
	MemoryContext old = MemoryContextSwitchTo(files->context);

	LogicalTapeRewindForRead(file->tape, PART_FILE_MEMORY);
	MemoryContextSwitchTo(old);
}

static void
read_bytes(PartFile *file, void *bytes, Size size)
{
	if (LogicalTapeRead(file->tape, bytes, size) != size)
		elog(ERROR, "a temporary file of an AggregateJoin ends within a row");
}

/* A tensor, into memory of its column. */
static const Tensor *
read_file_tensor(PartFiles *files, PartFile *file, int column)
{
	varattrib_4b header;
	Size size;

	read_bytes(file, &header, VARHDRSZ);
	size = VARSIZE(&header);
	if (size > files->sizes[column])
	{
		if (files->tensors[column])
			pfree(files->tensors[column]);
		files->tensors[column] = NULL;
		files->sizes[column] = Max(size, 2 * files->sizes[column]);
		files->tensors[column] =
			MemoryContextAllocHuge(files->context, files->sizes[column]);
	}
	memcpy(files->tensors[column], &header, VARHDRSZ);
	read_bytes(file, files->tensors[column] + VARHDRSZ, size - VARHDRSZ);
	return (const Tensor *) files->tensors[column];
}

bool
read_part_row(PartFiles *files, PartFile *file, const RowLayout *layouts, int *operand,
			  int64 *keys, NestValue *values, const Tensor **tensors)
{
	/* a tape allocates its buffer when it is read first */
	MemoryContext old = MemoryContextSwitchTo(files->context);
	const RowLayout *layout;
	char head[MOST_HEAD_BYTES];
	const char *from = head;
	uint8 first;
	bool wide;

	if (LogicalTapeRead(file->tape, &first, 1) == 0)
	{
		MemoryContextSwitchTo(old);
		return false;
	}
	wide = (first & WIDE_KEYS) != 0;
	*operand = first & ~WIDE_KEYS;
	layout = &layouts[*operand];
	read_bytes(file, head,
			   (Size) layout->nkeys * (wide ? sizeof(int64) : sizeof(int32)) +
				   numbers_size(layout));
	from = get_keys(from, layout, keys, wide);
	for (int v = 0; v < layout->nvalues; v++)
	{
		if (layout->types[v].tensors)
			continue;
		memcpy(&values[v], from, number_size(layout, v));
		from += number_size(layout, v);
	}
	for (int v = 0; v < layout->nvalues; v++)
		if (layout->types[v].tensors)
			tensors[v] = read_file_tensor(files, file, v);
	MemoryContextSwitchTo(old);
	return true;
}

void
close_part_file(PartFiles *files, PartFile *file)
{
	LogicalTapeClose(file->tape);
	pfree(file);
}
