/*-------------------------------------------------------------------------
 *
 * part_file.h
 *	  Rows of an AggregateJoin's operands in temporary files.
 *
 * The rows of one part, of all operands in turn, are written one after the other and then
 * read once. The files of a node are one of PostgreSQL's, in which what has been read is
 * written over; temp_file_limit counts it. Where processes of a parallel query share
 * parts, each writes a stream for each of them: into shared memory, and what that has no
 * room for into a file.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_PART_FILE_H
#define EXECUTOR_PART_FILE_H

#include "postgres.h"

#include "storage/sharedfileset.h"
#include "utils/dsa.h"
#include "utils/resowner.h"

#include "kernels/nest/nest.h"
#include "type/tensor.h"

typedef struct PartFiles PartFiles; /* all of a node */
typedef struct PartFile PartFile;   /* one of them */

/* What a row of an operand has. */
typedef struct RowLayout
{
	int nkeys;
	int nvalues;
	NestValueType types[NEST_MAX_VALUES];
} RowLayout;

/* What one has written to a part that all read. */
typedef struct SharedStream
{
	dsa_pointer chunks;
	bool in_file; /* are there further rows */
} SharedStream;

/*
 * The streams of all writers: of each part that of the first one, of each part that of
 * the next, ...
 */
typedef struct SharedStreams
{
	dsa_area *area;
	SharedFileSet *set;
	int nwriters;
	int nparts;
	SharedStream *streams;
} SharedStreams;

/* Bytes of memory that a file takes while it is written or read. */
#define PART_FILE_MEMORY BLCKSZ

/*
 * No files yet. They live in the context, and are closed with the owner's other files
 * after an error.
 */
extern PartFiles *begin_part_files(MemoryContext context, ResourceOwner owner);
extern void end_part_files(PartFiles *files);

/* Bytes that have been written to all of them. */
extern int64 part_files_bytes(const PartFiles *files);

extern PartFile *new_part_file(PartFiles *files);

/*
 * From now on, files may be parts that processes share. This process is that writer, with
 * limit bytes of shared memory at most.
 */
extern void share_part_files(PartFiles *files, const SharedStreams *streams, int writer,
							 Size limit);

/* Makes a file of a shared part for this process to write, and ends writing it; */
extern PartFile *new_shared_part(PartFiles *files, int number);
extern void end_writing_shared_part(PartFiles *files, PartFile *file);

/* opens such a part to read what all processes have written. */
extern PartFile *open_shared_part(PartFiles *files, int number);

/*
 * Writes a row of an operand whose coordinates, be they empty, have its tensors' shapes;
 * these have headers before their elements. Returns the bytes of tensors; *stay if they
 * do when they are read (below).
 */
extern Size write_part_row(PartFiles *files, PartFile *file, const RowLayout *layout,
						   int operand, const Coordinates *coordinates, const int64 *keys,
						   const NestValue *values, bool *stay);

/*
 * Ends writing: the file can be read from the beginning. Until then it takes no memory.
 */
extern void end_writing_part(PartFiles *files, PartFile *file);

/*
 * Reads the next row, of one of the operands whose layouts are given; false at the end.
 * tensors are the values that are not numbers: valid until the next call, or, if they
 * stay, as long as the shared memory.
 */
extern bool read_part_row(PartFiles *files, PartFile *file, const RowLayout *layouts,
						  int *operand, int64 *keys, NestValue *values,
						  const Tensor **tensors, bool *stay);

/*
 * The process that has written the row that was read last; -1: this one, to a file of its
 * own.
 */
extern int writer_of_row(const PartFile *file);

extern void close_part_file(PartFiles *files, PartFile *file);

#endif
