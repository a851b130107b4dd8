/*-------------------------------------------------------------------------
 *
 * tensor_reader.h
 *	  A tensor's text form while it is being read: what tensor_read.c and
 *	  tensor_read_number.c share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_TENSOR_READER_H
#define TYPE_TENSOR_READER_H

#include "postgres.h"

#include "nodes/nodes.h"

#include "type/tensor.h"

typedef struct Reader
{
	const char *text;
	const char *at;
	Node *escontext;

	ElementType type;
	bool typed;  /* the type was named */
	bool shaped; /* the shape was named: rank and bounds are given */

	int rank;                      /* -1 until the first element or empty list */
	int64 bounds[TENSOR_MAX_RANK]; /* -1 until the first list of the dimension ends */

	Tensor *tensor;  /* grows while elements are read; its bounds are set last */
	int64 count;     /* elements read */
	int64 capacity;  /* elements allocated */
	int64 max_count; /* elements that fit in an allocation */
} Reader;

/* Reports a syntax error at the current position; is always false. */
#define MALFORMED(reader, ...) (reader_malformed(reader, psprintf(__VA_ARGS__)), false)
extern void reader_malformed(Reader *reader, char *detail);

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline void
reader_skip_space(Reader *reader)
{
	while (*reader->at == ' ' || (*reader->at >= '\t' && *reader->at <= '\r'))
		reader->at++;
}

/*
 * Reads an element of the reader's type as its real and imaginary part. False if an
 * error was saved in escontext, as by reader_take_real.
 */
extern bool reader_take_parts(Reader *reader, double parts[2]);

/*
 * Reads a sparse value, after its type and shape, from its "{" on. NULL if an error was
 * saved in escontext: 22P02 for a syntax error, 22003 for a number out of range.
 */
extern Tensor *sparse_read(Reader *reader);

/*
 * Reads a real number: decimal digits with point and exponent, NaN, inf or infinity; no
 * hexadecimal numbers, which strtod would read. If single, the number is rounded once, to
 * float4. False if an error was saved in escontext: 22P02, and 22003 for a number that
 * the element type cannot hold.
 */
extern bool reader_take_real(Reader *reader, bool single, double *value);

#endif
