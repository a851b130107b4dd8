/*-------------------------------------------------------------------------
 *
 * part_file.h
 *	  Rows of an AggregateJoin's operands in temporary files.
 *
 * The rows of one part, of all its operands, are written one after the other and then
 * read once. The files of a node are logical tapes in one temporary file of
 * PostgreSQL's: blocks are reused once they have been read, and temp_file_limit counts
 * them.
 *
 * If the processes of a parallel query share parts, each process writes a stream for
 * each part: into shared memory, and into a file what does not fit there.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_PART_FILE_H
#define EXECUTOR_OPERAND_PART_FILE_H

#include "postgres.h"

#include "storage/sharedfileset.h"
#include "utils/dsa.h"
#include "utils/resowner.h"

#include "kernels/nest/nest.h"
#include "type/tensor.h"

typedef struct PartFiles PartFiles; /* all files of a node */
typedef struct PartFile PartFile;   /* one of them: a file of rows */

/* The keys and values of an operand's rows. */
typedef struct RowLayout
{
	int nkeys;
	int nvalues;
	NestValueType types[NEST_MAX_VALUES];
} RowLayout;

/* What one process has written to a shared part, for all processes to read. */
typedef struct SharedStream
{
	dsa_pointer chunks;
	bool in_file; /* further rows are in a file */
} SharedStream;

/*
 * The streams of a node's shared parts: those of the first writer by part, then those of
 * the second writer, and so on.
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
 * Makes a node's set of files, in the context. After an error the files are closed with
 * the resource owner's others.
 */
extern PartFiles *begin_part_files(MemoryContext context, ResourceOwner owner);
extern void end_part_files(PartFiles *files);

/* Bytes that have been written to all files. */
extern int64 part_files_bytes(const PartFiles *files);

extern PartFile *new_part_file(PartFiles *files);

/*
 * Lets the node's files be parts that processes share. This process is the given writer,
 * and may take limit bytes of shared memory.
 */
extern void share_part_files(PartFiles *files, const SharedStreams *streams, int writer,
							 Size limit);

/*
 * Makes a shared part for this process to write; end_writing_shared_part ends the
 * writing.
 */
extern PartFile *new_shared_part(PartFiles *files, int number);
extern void end_writing_shared_part(PartFiles *files, PartFile *file);

/* Opens a shared part, to read what all processes have written to it. */
extern PartFile *open_shared_part(PartFiles *files, int number);

/*
 * Writes a row of an operand. The coordinates, which may have no rows, have the shapes of
 * its tensors, which are written as values with headers. Returns the bytes of tensors;
 * *stay: the tensors are in shared memory, and need not be copied when they are read.
 */
extern Size write_part_row(PartFiles *files, PartFile *file, const RowLayout *layout,
						   int operand, const Coordinates *coordinates, const int64 *keys,
						   const NestValue *values, bool *stay);

/*
 * Ends writing to a file, which then takes no memory until it is read from its beginning.
 */
extern void end_writing_part(PartFiles *files, PartFile *file);

/*
 * Reads the next row and the number of its operand, of those with the given layouts;
 * false at the end. tensors: the values that are tensors. They are valid until the next
 * call or, if *stay, as long as the shared memory.
 */
extern bool read_part_row(PartFiles *files, PartFile *file, const RowLayout *layouts,
						  int *operand, int64 *keys, NestValue *values,
						  const Tensor **tensors, bool *stay);

/*
 * The process that wrote the row that was read last; -1: this one, to a file of its own.
 */
extern int writer_of_row(const PartFile *file);

extern void close_part_file(PartFiles *files, PartFile *file);

#endif
