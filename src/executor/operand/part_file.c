/*-------------------------------------------------------------------------
 *
 * part_file.c
 *	  Rows of an AggregateJoin's operands in temporary files.
 *
 * A row is the number of its operand, its keys, its numbers, and its tensors with
 * headers. Keys take four bytes each, or eight if one of them is larger. In shared
 * memory a row is in one piece, with aligned tensors, which can be used in place.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "storage/buffile.h"
#include "utils/logtape.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/operand/part_file.h"
#include "executor/operand/shared_chunks.h"

/* A flag beside the operand's number in a row's first byte. */
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
	SharedStreams shared;
	int writer; /* the number of this process among the writers of shared */
	ChunkAccount account;
	/* by column: the tensors of the row that was read last */
	char *tensors[NEST_MAX_VALUES];
	Size sizes[NEST_MAX_VALUES];
};

struct PartFile
{
	LogicalTape *tape; /* NULL: the part is shared */
	int number;        /* of the shared part */
	BufFile *file;     /* rows of the shared part that are not in shared memory */
	ChunkWriter writer;
	/* while the shared part is read: */
	int from; /* the writer whose stream is read */
	SharedChunk *chunk;
	Size place;
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
	PartFile *file = palloc0(sizeof(PartFile));

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

/* The bytes of a row's values that are numbers. */
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
write_keys(char *to, const RowLayout *layout, const int64 *keys, bool wide)
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
read_keys(const char *from, const RowLayout *layout, int64 *keys, bool wide)
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

/* Shared parts */

void
share_part_files(PartFiles *files, const SharedStreams *streams, int writer, Size limit)
{
	files->shared = *streams;
	files->writer = writer;
	files->account = (ChunkAccount){.limit = limit};
}

static SharedStream *
stream_of(const PartFiles *files, const PartFile *file, int writer)
{
	return &files->shared.streams[writer * files->shared.nparts + file->number];
}

/* Creates or opens the file of a writer's stream. */
static BufFile *
stream_file(PartFiles *files, const PartFile *file, int writer, bool create)
{
	ResourceOwner owner = CurrentResourceOwner;
	MemoryContext old = MemoryContextSwitchTo(files->context);
	BufFile *result = NULL;
	char name[MAXPGPATH];

	snprintf(name, sizeof(name), "part%d.%d", file->number, writer);
	CurrentResourceOwner = files->owner;
	PG_TRY();
	{
		result = create
					 ? BufFileCreateFileSet(FILES_OF_SHARED_SET(files->shared.set), name)
					 : BufFileOpenFileSet(FILES_OF_SHARED_SET(files->shared.set), name,
										  O_RDONLY, false);
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = owner;
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	return result;
}

PartFile *
new_shared_part(PartFiles *files, int number)
{
	PartFile *file = MemoryContextAllocZero(files->context, sizeof(PartFile));

	file->number = number;
	file->writer =
		(ChunkWriter){files->shared.area, &stream_of(files, file, files->writer)->chunks,
					  &files->account};
	return file;
}

void
end_writing_shared_part(PartFiles *files, PartFile *file)
{
	if (file->file)
	{
		stream_of(files, file, files->writer)->in_file = true;
		BufFileExportFileSet(file->file);
	}
	close_part_file(files, file);
}

PartFile *
open_shared_part(PartFiles *files, int number)
{
	PartFile *file = MemoryContextAllocZero(files->context, sizeof(PartFile));

	file->number = number;
	file->from = -1;
	return file;
}

/* Moves to the stream of the next writer; false behind the last. */
static bool
next_stream(PartFiles *files, PartFile *file)
{
	if (++file->from >= files->shared.nwriters)
		return false;
	file->chunk =
		chunk_at(files->shared.area, stream_of(files, file, file->from)->chunks);
	file->place = 0;
	return true;
}

/*
 * Moves to the next row of a part and reads its first byte; false at the end. *row is the
 * row in shared memory, or NULL if it is in a file.
 */
static bool
next_part_row(PartFiles *files, PartFile *file, const char **row, uint8 *first)
{
	*row = NULL;
	if (file->tape)
		return LogicalTapeRead(file->tape, first, 1) == 1;
	for (;;)
	{
		if (file->chunk && file->place < file->chunk->used)
		{
			*row = chunk_data(file->chunk) + file->place;
			*first = (uint8) * *row;
			return true;
		}
		if (file->chunk)
		{
			file->chunk = chunk_at(files->shared.area, file->chunk->next);
			file->place = 0;
			if (file->chunk == NULL && stream_of(files, file, file->from)->in_file)
				file->file = stream_file(files, file, file->from, false);
		}
		else if (file->file && BufFileRead(file->file, first, 1) == 1)
			return true;
		else
		{
			if (file->file)
				BufFileClose(file->file);
			file->file = NULL;
			if (!next_stream(files, file))
				return false;
			if (file->chunk == NULL && stream_of(files, file, file->from)->in_file)
				file->file = stream_file(files, file, file->from, false);
		}
	}
}

/* Rows */

static inline void
write_bytes(PartFiles *files, PartFile *file, const void *bytes, Size size)
{
	if (file->tape)
		LogicalTapeWrite(file->tape, unconstify(void *, bytes), size);
	else
		BufFileWrite(file->file, unconstify(void *, bytes), size);
	files->bytes += size;
}

/*
 * Returns memory for a row of a shared part; NULL if the row is written to a file. From
 * the first such row on, all go to the file, which keeps them in order.
 */
static char *
shared_row_memory(PartFiles *files, PartFile *file, Size size)
{
	char *memory;

	if (file->tape || file->file)
		return NULL;
	memory = chunk_memory(&file->writer, size);
	if (memory == NULL)
		file->file = stream_file(files, file, files->writer, true);
	return memory;
}

/*
 * Writes a piece of a row to memory, or (NULL) to the file. Returns where the next piece
 * goes.
 */
static char *
write_piece(PartFiles *files, PartFile *file, char *memory, const void *piece, Size size)
{
	if (memory == NULL)
	{
		write_bytes(files, file, piece, size);
		return NULL;
	}
	memcpy(memory, piece, size);
	return memory + MAXALIGN(size);
}

Size
write_part_row(PartFiles *files, PartFile *file, const RowLayout *layout, int operand,
			   const Coordinates *coordinates, const int64 *keys, const NestValue *values,
			   bool *stay)
{
	MemoryContext old = MemoryContextSwitchTo(files->context);
	char head[MOST_HEAD_BYTES];
	char *to = head + 1;
	const Tensor *tensors[NEST_MAX_VALUES];
	int ntensors = 0;
	Size tensor_bytes = 0;
	char *memory;
	bool wide = false;

	for (int k = 0; k < layout->nkeys; k++)
		wide = wide || keys[k] != (int32) keys[k];
	head[0] = (char) (operand | (wide ? WIDE_KEYS : 0));
	to = write_keys(to, layout, keys, wide);
	for (int v = 0; v < layout->nvalues; v++)
	{
		if (layout->types[v].tensors)
		{
			const TensorView *shape =
				coordinates_get_shape(coordinates, v, values[v].tensor.shape);

			tensors[ntensors] =
				(const Tensor *) ((const char *) values[v].tensor.elements -
								  TENSOR_HEADER_SIZE(shape->rank));
			tensor_bytes += MAXALIGN(VARSIZE(tensors[ntensors]));
			ntensors++;
			continue;
		}
		memcpy(to, &values[v], number_size(layout, v));
		to += number_size(layout, v);
	}
	memory = shared_row_memory(files, file, MAXALIGN(to - head) + tensor_bytes);
	*stay = memory != NULL;
	memory = write_piece(files, file, memory, head, (Size) (to - head));
	for (int t = 0; t < ntensors; t++)
		memory = write_piece(files, file, memory, tensors[t], VARSIZE(tensors[t]));
	MemoryContextSwitchTo(old);
	return tensor_bytes;
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
	if ((file->tape ? LogicalTapeRead(file->tape, bytes, size)
					: BufFileRead(file->file, bytes, size)) != size)
		elog(ERROR, "a temporary file of an AggregateJoin ends within a row");
}

/* Reads a tensor from a file into the memory of its column. */
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
			  int64 *keys, NestValue *values, const Tensor **tensors, bool *stay)
{
	/* reading allocates: a tape allocates its buffer at its first read */
	MemoryContext old = MemoryContextSwitchTo(files->context);
	const RowLayout *layout;
	char head[MOST_HEAD_BYTES];
	const char *row;
	const char *from = head;
	Size size;
	uint8 first;
	bool wide;

	if (!next_part_row(files, file, &row, &first))
	{
		MemoryContextSwitchTo(old);
		return false;
	}
	*stay = row != NULL;
	wide = (first & WIDE_KEYS) != 0;
	*operand = first & ~WIDE_KEYS;
	layout = &layouts[*operand];
	size = (Size) layout->nkeys * (wide ? sizeof(int64) : sizeof(int32)) +
		   numbers_size(layout);
	if (row)
		from = row + 1;
	else
		read_bytes(file, head, size);
	from = read_keys(from, layout, keys, wide);
	for (int v = 0; v < layout->nvalues; v++)
	{
		if (layout->types[v].tensors)
			continue;
		memcpy(&values[v], from, number_size(layout, v));
		from += number_size(layout, v);
	}
	size = MAXALIGN(1 + size);
	for (int v = 0; v < layout->nvalues; v++)
	{
		if (!layout->types[v].tensors)
			continue;
		if (row == NULL)
		{
			tensors[v] = read_file_tensor(files, file, v);
			continue;
		}
		tensors[v] = (const Tensor *) (row + size);
		size += MAXALIGN(VARSIZE(tensors[v]));
	}
	if (row)
		file->place += size;
	MemoryContextSwitchTo(old);
	return true;
}

int
writer_of_row(const PartFile *file)
{
	return file->tape ? -1 : file->from;
}

void
close_part_file(PartFiles *files, PartFile *file)
{
	if (file->tape)
		LogicalTapeClose(file->tape);
	if (file->file)
		BufFileClose(file->file);
	pfree(file);
}
