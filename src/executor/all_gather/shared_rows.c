/*-------------------------------------------------------------------------
 *
 * shared_rows.c
 *	  Rows that the processes of a parallel query write together, and then all read.
 *
 * Each process writes chunks of its own (shared_chunks.c). Readers take the processes in
 * turn, and find the rows where they were written. A process may use as much memory as for a hash table (hash_mem); what
 * is more goes to a file of its own, in a set that ends with the shared memory.
 *
 * Values may lie apart from their rows, in memory of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "storage/dsm.h"

#include "compat.h"
#include "executor/all_gather/shared_rows.h"

/* Sharing */

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
	writer->row_account.limit = get_hash_memory_limit();
	writer->value_account.limit = shared_values_limit(rows->nprocesses);
	writer->chunks = (ChunkWriter){area, &own->rows, &writer->row_account};
	writer->values = (ChunkWriter){area, &own->values, &writer->value_account};
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
		   void (*function)(KeptValues *kept, SharedChunk *chunk))
{
	for (int i = 0; i < rows->nprocesses; i++)
	{
		SharedChunk *chunk = chunk_at(area, rows->processes[i].values);

		for (; chunk; chunk = chunk_at(area, chunk->next))
			function(kept, chunk);
	}
}

static void
keep_chunk(KeptValues *kept, SharedChunk *chunk)
{
	keep_region(kept, chunk_data(chunk), chunk->used);
}

static void
forget_chunk(KeptValues *kept, SharedChunk *chunk)
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
