/*-------------------------------------------------------------------------
 *
 * shared_rows.h
 *	  Rows that the processes of a parallel query write together, and then all read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_SHARED_ROWS_H
#define EXECUTOR_SHARED_ROWS_H

#include "postgres.h"

#include "access/htup.h"
#include "executor/tuptable.h"
#include "storage/barrier.h"
#include "storage/buffile.h"
#include "storage/sharedfileset.h"
#include "utils/dsa.h"

#include "executor/shared_chunks.h"
#include "type/kept_values.h"

/* The rows of one process. */
typedef struct RowsOfProcess
{
	dsa_pointer rows;   /* the first of the chunks that they lie in */
	dsa_pointer values; /* the same of values that lie apart */
	int64 in_file;      /* further rows, for which there was no memory */
} RowsOfProcess;

/* In memory that the processes share. */
typedef struct SharedRows
{
	Barrier written; /* for who writes: phase 0 until all have */
	dsm_handle segment;
	SharedFileSet files;
	int nprocesses;
	RowsOfProcess processes[FLEXIBLE_ARRAY_MEMBER];
} SharedRows;

/* Where a process writes. */
typedef struct RowWriter
{
	SharedRows *rows;
	int process;
	ChunkWriter chunks;
	ChunkWriter values;
	ChunkAccount row_account;
	ChunkAccount value_account;
	MemoryContext memory; /* in which writing began, of the file */
	BufFile *file;
} RowWriter;

/* Where a process reads. */
typedef struct RowReader
{
	SharedRows *rows;
	dsa_area *area;
	int process; /* whose rows are being read, */
	SharedChunk *chunk;
	Size place;
	BufFile *file;
	int64 left;        /* of those in it */
	MinimalTuple copy; /* of a row in a file */
	Size copy_size;
} RowReader;

/* The memory for rows of so many processes. */
extern Size shared_rows_size(int nprocesses);

/* No rows yet; the segment is where this memory is. */
extern void shared_rows_init(SharedRows *rows, int nprocesses, dsm_segment *segment);

/* No rows any more. Nobody may be reading or writing. */
extern void shared_rows_clear(SharedRows *rows, dsa_area *area);

/* For a worker, before it reads or writes. */
extern void shared_rows_attach(SharedRows *rows);

extern void begin_writing_rows(RowWriter *writer, SharedRows *rows, dsa_area *area,
							   int process);

/*
 * Memory for a value that is to lie apart from its row, as long as the rows do, and its
 * place in the area; NULL if the values take more than they may.
 */
extern void *shared_value_memory(RowWriter *writer, Size bytes, dsa_pointer *place);

/* Writes the row that is in a slot of any kind. */
extern void write_shared_row(RowWriter *writer, TupleTableSlot *slot);

/* Others can read what has been written. */
extern void end_writing_rows(RowWriter *writer);

extern void begin_reading_rows(RowReader *reader, SharedRows *rows, dsa_area *area);

/* The next row, in the same order in each process; NULL at the end. Until the next call. */
extern MinimalTuple read_shared_row(RowReader *reader);

extern void end_reading_rows(RowReader *reader);

/*
 * Lets references be made to values that lie apart, by this process; and no longer. All
 * have been written.
 */
extern void keep_shared_values(const SharedRows *rows, dsa_area *area, KeptValues *kept);

extern void forget_shared_values(const SharedRows *rows, dsa_area *area,
								 KeptValues *kept);

#endif
