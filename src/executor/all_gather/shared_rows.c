/*-------------------------------------------------------------------------
 *
 * shared_rows.c
 *	  Rows that the processes of a parallel query write together, and then all read.
 *
 * Each process writes chunks of its own, so that none waits for another. Readers
 * take the processes in turn, and find the rows where they were written: nothing is
 * copied. A process may use as much memory as for a hash table (hash_mem); what
 * is more goes to a file of its own, in a set that ends with the shared memory.
 *
 * Values may lie apart from their rows, in memory of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "miscadmin.h"
#include "executor/nodeHash.h"
#include "storage/dsm.h"
#include "storage/dsm_impl.h"

#include "compat.h"
#include "executor/all_gather/shared_rows.h"
#include "type/detoast_cache.h"

/*
 * Chunks: each as large as all before it, so that few rows take little and many
 * have few of them.
 */
#define LEAST_CHUNK ((Size) 32 * 1024)
#define LARGEST_CHUNK ((Size) 64 * 1024 * 1024)

struct RowsChunk
{
	dsa_pointer next;
	Size size; /* of data */
	Size used;
	char data[FLEXIBLE_ARRAY_MEMBER];
};

#define CHUNK_HEADER MAXALIGN(offsetof(RowsChunk, data))

static inline char *
chunk_data(RowsChunk *chunk)
{
	return (char *) chunk + CHUNK_HEADER;
}

static RowsChunk *
chunk_at(dsa_area *area, dsa_pointer place)
{
	return DsaPointerIsValid(place) ? dsa_get_address(area, place) : NULL;
}

/* Sharing */

Size
shared_values_limit(int nprocesses)
{
	Size hash_tables = get_hash_memory_limit();
	Size kept_by_server = (Size) min_dynamic_shared_memory * 1024 * 1024 / nprocesses;
	Size cache = (Size) detoast_cache_size * 1024 / nprocesses;

	return Min(cache, Max(hash_tables, kept_by_server));
}

Size
shared_rows_size(int nprocesses)
{
	return offsetof(SharedRows, processes) + sizeof(RowsOfProcess) * nprocesses;
}

/* No process has written any. */
static void
begin_rows(SharedRows *rows)
{
	BarrierInit(&rows->written, 0);
	for (int i = 0; i < rows->nprocesses; i++)
		rows->processes[i] = (RowsOfProcess){InvalidDsaPointer, InvalidDsaPointer, 0};
}

void
shared_rows_init(SharedRows *rows, int nprocesses, dsm_segment *segment)
{
	rows->segment = dsm_segment_handle(segment);
	SharedFileSetInit(&rows->files, segment);
	rows->nprocesses = nprocesses;
	begin_rows(rows);
}

static void
free_chunks(dsa_area *area, dsa_pointer place)
{
	while (DsaPointerIsValid(place))
	{
		dsa_pointer next = chunk_at(area, place)->next;

		dsa_free(area, place);
		place = next;
	}
}

void
shared_rows_clear(SharedRows *rows, dsa_area *area)
{
	SharedFileSetDeleteAll(&rows->files);
	for (int i = 0; i < rows->nprocesses; i++)
	{
		free_chunks(area, rows->processes[i].rows);
		free_chunks(area, rows->processes[i].values);
	}
	begin_rows(rows);
}

void
shared_rows_attach(SharedRows *rows)
{
	SharedFileSetAttach(&rows->files, dsm_find_mapping(rows->segment));
}

static void
file_name(char name[MAXPGPATH], int process)
{
	snprintf(name, MAXPGPATH, "rows%d", process);
}

/* Writing */

void
begin_writing_rows(RowWriter *writer, SharedRows *rows, dsa_area *area, int process)
{
	RowsOfProcess *own = &rows->processes[process];

	*writer = (RowWriter){rows, process};
	writer->memory = CurrentMemoryContext;
	writer->chunks = (ChunkWriter){area, &own->rows};
	writer->chunks.limit = get_hash_memory_limit();
	writer->values = (ChunkWriter){area, &own->values};
	writer->values.limit = shared_values_limit(rows->nprocesses);
}

/* Begins a chunk with room for so many bytes; false if there is no memory for it. */
static bool
add_chunk(ChunkWriter *chunks, Size bytes)
{
	Size size = Max(Min(Max(chunks->bytes, LEAST_CHUNK), LARGEST_CHUNK), bytes);
	dsa_pointer place;
	RowsChunk *chunk;

	size = Min(size, chunks->limit - Min(chunks->bytes, chunks->limit));
	if (size < bytes)
		return false;
	place = dsa_allocate_extended(chunks->area, CHUNK_HEADER + size, DSA_ALLOC_HUGE);
	chunk = dsa_get_address(chunks->area, place);
	chunk->next = InvalidDsaPointer;
	chunk->size = size;
	chunk->used = 0;
	if (chunks->chunk)
		chunks->chunk->next = place;
	else
		*chunks->first = place;
	chunks->place = place;
	chunks->chunk = chunk;
	chunks->bytes += size;
	return true;
}

/* Memory for so many bytes; NULL if there is none. */
static char *
chunk_memory(ChunkWriter *chunks, Size bytes)
{
	RowsChunk *chunk = chunks->chunk;

	bytes = MAXALIGN(bytes);
	if ((chunk == NULL || chunk->used + bytes > chunk->size) && !add_chunk(chunks, bytes))
		return NULL;
	chunk = chunks->chunk;
	chunk->used += bytes;
	return chunk_data(chunk) + chunk->used - bytes;
}

void *
shared_value_memory(RowWriter *writer, Size bytes, dsa_pointer *place)
{
	char *memory = chunk_memory(&writer->values, bytes);

	if (memory)
		*place = writer->values.place + (memory - (char *) writer->values.chunk);
	return memory;
}

static void
write_to_file(RowWriter *writer, MinimalTuple row)
{
	if (writer->file == NULL)
	{
		char name[MAXPGPATH];
		MemoryContext old = MemoryContextSwitchTo(writer->memory);

		file_name(name, writer->process);
		writer->file =
			BufFileCreateFileSet(FILES_OF_SHARED_SET(&writer->rows->files), name);
		MemoryContextSwitchTo(old);
	}
	/* the row begins with its length */
	BufFileWrite(writer->file, row, row->t_len);
	writer->rows->processes[writer->process].in_file++;
}

void
write_shared_row(RowWriter *writer, TupleTableSlot *slot)
{
	bool is_copy;
	MinimalTuple row = ExecFetchSlotMinimalTuple(slot, &is_copy);
	/* in their order: none in memory once there is a file */
	char *memory = writer->file ? NULL : chunk_memory(&writer->chunks, row->t_len);

	if (memory)
		memcpy(memory, row, row->t_len);
	else
		write_to_file(writer, row);
	if (is_copy)
		pfree(row);
}

void
end_writing_rows(RowWriter *writer)
{
	if (writer->file == NULL)
		return;
	BufFileExportFileSet(writer->file);
	BufFileClose(writer->file);
	writer->file = NULL;
}

/* Reading */

/* Goes to the first row of a process. */
static void
begin_process(RowReader *reader, int process)
{
	const RowsOfProcess *rows = &reader->rows->processes[process];

	reader->process = process;
	reader->chunk = chunk_at(reader->area, rows->rows);
	reader->place = 0;
	reader->left = rows->in_file;
}

void
begin_reading_rows(RowReader *reader, SharedRows *rows, dsa_area *area)
{
	end_reading_rows(reader);
	reader->rows = rows;
	reader->area = area;
	begin_process(reader, 0);
}

static void
read_bytes(RowReader *reader, void *place, Size bytes)
{
	if (BufFileRead(reader->file, place, bytes) != bytes)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read rows that parallel workers share from a "
							   "temporary file: %m")));
}

static MinimalTuple
read_from_file(RowReader *reader)
{
	uint32 length;

	if (reader->file == NULL)
	{
		char name[MAXPGPATH];

		file_name(name, reader->process);
		reader->file = BufFileOpenFileSet(FILES_OF_SHARED_SET(&reader->rows->files), name,
										  O_RDONLY, false);
	}
	read_bytes(reader, &length, sizeof(length));
	if (reader->copy == NULL || length > reader->copy_size)
	{
		if (reader->copy)
			pfree(reader->copy);
		reader->copy_size = Max(length, 2 * reader->copy_size);
		reader->copy = palloc_extended(reader->copy_size, MCXT_ALLOC_HUGE);
	}
	reader->copy->t_len = length;
	read_bytes(reader, (char *) reader->copy + sizeof(length), length - sizeof(length));
	reader->left--;
	return reader->copy;
}

static void
close_file(RowReader *reader)
{
	if (reader->file)
		BufFileClose(reader->file);
	reader->file = NULL;
}

MinimalTuple
read_shared_row(RowReader *reader)
{
	for (;;)
	{
		while (reader->chunk)
		{
			MinimalTuple row = (MinimalTuple) (chunk_data(reader->chunk) + reader->place);

			if (reader->place < reader->chunk->used)
			{
				reader->place += MAXALIGN(row->t_len);
				return row;
			}
			reader->chunk = chunk_at(reader->area, reader->chunk->next);
			reader->place = 0;
		}
		if (reader->left > 0)
			return read_from_file(reader);
		close_file(reader);
		if (reader->process + 1 >= reader->rows->nprocesses)
			return NULL;
		begin_process(reader, reader->process + 1);
	}
}

void
end_reading_rows(RowReader *reader)
{
	close_file(reader);
	if (reader->copy)
		pfree(reader->copy);
	memset(reader, 0, sizeof(*reader));
}

/* Values that lie apart */

/* Calls the function with each chunk of values. */
static void
for_values(const SharedRows *rows, dsa_area *area, KeptValues *kept,
		   void (*function)(KeptValues *kept, RowsChunk *chunk))
{
	for (int i = 0; i < rows->nprocesses; i++)
	{
		RowsChunk *chunk = chunk_at(area, rows->processes[i].values);

		for (; chunk; chunk = chunk_at(area, chunk->next))
			function(kept, chunk);
	}
}

static void
keep_chunk(KeptValues *kept, RowsChunk *chunk)
{
	keep_region(kept, chunk_data(chunk), chunk->used);
}

static void
forget_chunk(KeptValues *kept, RowsChunk *chunk)
{
	forget_region(kept, chunk_data(chunk));
}

void
keep_shared_values(const SharedRows *rows, dsa_area *area, KeptValues *kept)
{
	for_values(rows, area, kept, keep_chunk);
}

void
forget_shared_values(const SharedRows *rows, dsa_area *area, KeptValues *kept)
{
	for_values(rows, area, kept, forget_chunk);
}
