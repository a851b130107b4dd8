/*
 * clobber.c
 *	  Overwrites memory that PostgreSQL frees, as a server does that was compiled with
 *	  CLOBBER_FREED_MEMORY, in one that was not: Debian's.
 *
 * What reads a value after its memory context was reset or deleted, or after pfree, most
 * often finds it unchanged, since the memory is kept for what comes next. Here each byte is
 * 0x7F by then. The library is preloaded by the server (test/cluster with CLUSTER_CLOBBER=1)
 * and puts functions of its own before those by which contexts of the usual kind, AllocSet,
 * free memory; the table of them is constant, so that its page has to be made writable.
 * Contexts of the kinds Generation and Slab stay as they are: tuples that are sorted.
 *
 * The structures are those of src/backend/utils/mmgr/aset.c of PostgreSQL 15, which no
 * header has. At start each function is tried, and the server does not start where memory
 * is not overwritten. On other versions, and on a server that overwrites memory by itself,
 * the library does nothing.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "fmgr.h"
#include "nodes/memnodes.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

#if PG_VERSION_NUM >= 160000 || PG_VERSION_NUM < 150000 || defined(CLOBBER_FREED_MEMORY)

void
_PG_init(void)
{
}

#else

typedef struct Block
{
	void	   *set;
	struct Block *prev;
	struct Block *next;
	char	   *free;			/* where what is free in it begins */
	char	   *end;
} Block;

typedef struct Set
{
	MemoryContextData header;
	Block	   *blocks;
	void	   *free_chunks[11];
	Size		sizes[4];
	Block	   *keeper;			/* the block that a reset keeps */
	int			free_list;
} Set;

#define CHUNK_HEADER (2 * sizeof(Size))

static MemoryContextMethods plain;	/* PostgreSQL's own functions */

/* The bytes of a chunk that its owner may use, those by which its size was rounded up included. */
static Size
chunk_size(MemoryContext context, void *pointer)
{
	return plain.get_chunk_space(context, pointer) - CHUNK_HEADER;
}

/* Overwrites all chunks of a context, free ones included. */
static void
clobber_context(MemoryContext context)
{
	for (Block *block = ((Set *) context)->blocks; block != NULL; block = block->next)
	{
		char	   *first = (char *) block + MAXALIGN(sizeof(Block));

		memset(first, 0x7F, block->free - first);
	}
}

static void
clobber_reset(MemoryContext context)
{
	clobber_context(context);
	plain.reset(context);
}

static void
clobber_delete(MemoryContext context)
{
	clobber_context(context);
	plain.delete_context(context);
}

static void
clobber_free(MemoryContext context, void *pointer)
{
	memset(pointer, 0x7F, chunk_size(context, pointer));
	plain.free_p(context, pointer);
}

/* Moves a chunk even where PostgreSQL would leave it in its place, for what still points to the old one. */
static void *
clobber_realloc(MemoryContext context, void *pointer, Size size)
{
	void	   *moved = plain.alloc(context, size);

	if (moved == NULL)
		return NULL;
	memcpy(moved, pointer, Min(size, chunk_size(context, pointer)));
	clobber_free(context, pointer);
	return moved;
}

/* Raises an error unless a byte that was freed is overwritten. */
static void
check(const char *what, const char *pointer)
{
	if (*pointer != 0x7F)
		elog(FATAL, "memory is not overwritten by %s", what);
}

void
_PG_init(void)
{
	MemoryContextMethods *methods = (MemoryContextMethods *) TopMemoryContext->methods;
	Size		page = sysconf(_SC_PAGESIZE);
	char	   *first = (char *) TYPEALIGN_DOWN(page, methods);
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "memory that is overwritten", ALLOCSET_DEFAULT_SIZES);
	char	   *small,
			   *large;

	if (((Set *) context)->blocks != ((Set *) context)->keeper ||
		(char *) ((Set *) context)->keeper != (char *) context + MAXALIGN(sizeof(Set)))
		elog(FATAL, "memory contexts are not those of PostgreSQL 15");
	plain = *methods;
	if (mprotect(first, (char *) (methods + 1) - first, PROT_READ | PROT_WRITE) != 0)
		elog(FATAL, "could not make a page writable: %m");
	methods->free_p = clobber_free;
	methods->realloc = clobber_realloc;
	methods->reset = clobber_reset;
	methods->delete_context = clobber_delete;
	mprotect(first, (char *) (methods + 1) - first, PROT_READ);

	small = MemoryContextAllocZero(context, 100);
	pfree(small);
	check("pfree", small + 99);
	small = MemoryContextAllocZero(context, 100);
	large = repalloc(small, 120);
	check("repalloc", small);
	MemoryContextReset(context);
	check("MemoryContextReset", large);
	small = MemoryContextAllocZero(context, 100);
	MemoryContextDelete(context);
	check("MemoryContextDelete", small);
}

#endif
