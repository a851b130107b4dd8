/*-------------------------------------------------------------------------
 *
 * sharing.c
 *	  An AggregateJoin that the processes of a parallel query run together.
 *
 * Before workers are launched, the leader writes the operands that only it can read to
 * parts.
 *
 * Phase 0 of the barrier: each process reads its share of the operands, and writes the
 * rows to parts, by the hash of the parts' label (parts.c).
 *
 * Phase 1: all rows have been written. Each process reads the rows that all parts need,
 * claims parts and computes its first groups. If the relational plan has to run, some
 * process knows it by then: the largest parts are claimed first, and what is regular in
 * one group is regular in all.
 *
 * Phase 2: no row has been returned yet. Either one process runs the relational plan, or
 * each process claims further parts. So no group is in two processes.
 *
 * Deadlock freedom: a process that has attached returns no row before phase 2, so it
 * does not wait for its reader. It waits for other processes only in nodes below, for
 * which the same is true.
 *
 * Each process numbers keys that are not integers by itself, and writes the keys beside
 * its rows (shared_dictionaries.c). In phase 1 every process adds the keys of the others
 * to its dictionaries, and translates the rows that it reads. Rows are divided by the
 * hashes of keys, which are the same in all processes.
 *
 * A process that comes late attaches in phase 1, or finds that the others have agreed.
 * It misses no rows: the processes that attached before have read all of a scan that
 * they share.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/barrier.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "executor/operand/shared_chunks.h"
#include "executor/operand/state.h"

/*
 * The number of parts for each process: with several, processes end at about the same
 * time.
 */
#define PARTS_OF_PROCESS 8

#define REASON_LENGTH 96

/*
 * What a writer has found. Each process is a writer, and so is the leader before workers
 * are launched.
 */
typedef struct SharedWriter
{
	bool differ; /* the tensors of some column differ in shape */
	uint32 wide; /* bit set of operands with a key that needs eight bytes */
	WorkCounts counts;
} SharedWriter;

/*
 * The number of rows that a writer has written to a part, by operand, and their tensors.
 */
typedef struct SharedCounts
{
	int64 rows[NEST_MAX_OPERANDS];
	Size value_bytes;
} SharedCounts;

/* The shape of a value in a writer's rows, if it has one. */
typedef struct SharedShape
{
	bool seen;
	TensorView shape;
} SharedShape;

typedef struct SharedJoin
{
	Barrier barrier;
	dsm_handle segment;
	SharedFileSet files;
	/*
	 * the last writer is the leader before it launches workers, if it has operands to
	 * read then
	 */
	int nwriters;
	int nranges;
	int ndictionaries;
	bool leader_has_read; /* the leader has read the operands that only it can read */
	/* by operand that one process reads: how often it was claimed */
	pg_atomic_uint32 readers[NEST_MAX_OPERANDS];
	pg_atomic_uint32 taken;     /* number of claims of parts */
	pg_atomic_uint32 failed;    /* number of processes that have failed */
	char reason[REASON_LENGTH]; /* why the first of them failed */
	/* number of processes that have claimed to run the relational plan */
	pg_atomic_uint32 relational;
} SharedJoin;

/* Arrays behind SharedJoin in shared memory, with elements for each writer. */
typedef struct SharedArrays
{
	SharedWriter *writers;
	SharedStream *streams; /* by writer and part */
	SharedCounts *counts;  /* by writer and part */
	SharedShape *shapes;   /* by writer and value */
	SharedKeys *keys;      /* by writer and dictionary */
} SharedArrays;

/* What a process knows of the operands that it shares. */
struct OperandSharing
{
	struct SharedJoin *shared; /* in shared memory; NULL: the operands are not shared */
	dsa_area *area;            /* of the shared memory */
	int nranges; /* number of parts, without the one for rows that all parts need */
	/* of keys, by writer and dictionary; 0: the keys have not been read */
	int ntranslations;
	KeyTranslation *translations;
	int nclaimable;                /* number of parts that can be claimed */
	uint8 claimable[MOST_DIVIDED]; /* these parts, the largest first */
};

/*
 * The number of shared parts: one for each range, and one for rows that all parts need.
 */
static inline int
shared_part_count(const SharedJoin *shared)
{
	return shared->nranges + 1;
}

/*
 * Finds the arrays in shared memory behind SharedJoin; returns the bytes of all together.
 */
static Size
find_arrays(SharedJoin *shared, int nwriters, int nparts, int nvalues, int ndictionaries,
			SharedArrays *arrays)
{
	Size at = MAXALIGN(sizeof(SharedJoin));

	arrays->writers = (SharedWriter *) ((char *) shared + at);
	at += MAXALIGN(sizeof(SharedWriter) * nwriters);
	arrays->streams = (SharedStream *) ((char *) shared + at);
	at += MAXALIGN(sizeof(SharedStream) * nwriters * nparts);
	arrays->counts = (SharedCounts *) ((char *) shared + at);
	at += MAXALIGN(sizeof(SharedCounts) * nwriters * nparts);
	arrays->shapes = (SharedShape *) ((char *) shared + at);
	at += MAXALIGN(sizeof(SharedShape) * nwriters * nvalues);
	arrays->keys = (SharedKeys *) ((char *) shared + at);
	return at + sizeof(SharedKeys) * nwriters * ndictionaries;
}

static SharedArrays
arrays_of(const TensorOperands *state)
{
	SharedArrays arrays;

	(void) find_arrays(state->sharing->shared, state->sharing->shared->nwriters,
					   shared_part_count(state->sharing->shared), state->nvalues,
					   state->sharing->shared->ndictionaries, &arrays);
	return arrays;
}

/* Shared memory */

OperandSharing *
new_sharing(void)
{
	return palloc0(sizeof(OperandSharing));
}

static int
count_writers(const TensorOperands *state, int nworkers)
{
	return nworkers + 1 + state->plan.by_leader;
}

Size
sharing_size(TensorOperands *state, int nworkers)
{
	SharedArrays arrays;

	state->sharing->nranges =
		count_shared_ranges(Max(state->plan.parts, (nworkers + 1) * PARTS_OF_PROCESS));
	return find_arrays(NULL, count_writers(state, nworkers), state->sharing->nranges + 1,
					   state->nvalues, state->keys.ndictionaries, &arrays);
}

/* Initialises shared memory: no process has read or written anything. */
static void
reset_sharing(TensorOperands *state)
{
	SharedJoin *shared = state->sharing->shared;
	SharedArrays arrays;
	Size size = find_arrays(shared, shared->nwriters, shared_part_count(shared),
							state->nvalues, shared->ndictionaries, &arrays);

	BarrierInit(&shared->barrier, 0);
	for (int o = 0; o < NEST_MAX_OPERANDS; o++)
		pg_atomic_init_u32(&shared->readers[o], 0);
	pg_atomic_init_u32(&shared->taken, 0);
	pg_atomic_init_u32(&shared->failed, 0);
	pg_atomic_init_u32(&shared->relational, 0);
	shared->leader_has_read = false;
	memset(arrays.writers, 0, size - ((char *) arrays.writers - (char *) shared));
	for (int i = 0; i < shared->nwriters * shared_part_count(shared); i++)
		arrays.streams[i].chunks = InvalidDsaPointer;
	for (int i = 0; i < shared->nwriters * shared->ndictionaries; i++)
		arrays.keys[i].chunks = InvalidDsaPointer;
}

void
begin_sharing(TensorOperands *state, int nworkers, dsm_segment *segment, void *memory)
{
	SharedJoin *shared = state->sharing->shared = memory;

	state->sharing->area = state->estate->es_query_dsa;
	shared->segment = dsm_segment_handle(segment);
	SharedFileSetInit(&shared->files, segment);
	shared->nwriters = count_writers(state, nworkers);
	shared->nranges = state->sharing->nranges;
	shared->ndictionaries = state->keys.ndictionaries;
	reset_sharing(state);
}

void
attach_sharing(TensorOperands *state, void *memory)
{
	state->sharing->shared = memory;
	state->sharing->area = state->estate->es_query_dsa;
	SharedFileSetAttach(&state->sharing->shared->files,
						dsm_find_mapping(state->sharing->shared->segment));
}

bool
is_shared(const TensorOperands *state)
{
	return state->sharing->shared != NULL;
}

void
end_sharing(TensorOperands *state)
{
	state->sharing->shared = NULL;
}

void
clear_sharing(TensorOperands *state)
{
	SharedJoin *shared = state->sharing->shared;
	SharedArrays arrays = arrays_of(state);

	SharedFileSetDeleteAll(&shared->files);
	for (int i = 0; i < shared->nwriters * shared_part_count(shared); i++)
		free_chunks(state->sharing->area, arrays.streams[i].chunks);
	for (int i = 0; i < shared->nwriters * shared->ndictionaries; i++)
		free_chunks(state->sharing->area, arrays.keys[i].chunks);
	reset_sharing(state);
}

/* Publishes why this process failed, if it is the first one to fail. */
static void
fail(SharedJoin *shared, const char *reason)
{
	if (pg_atomic_fetch_add_u32(&shared->failed, 1) == 0)
		strlcpy(shared->reason, reason, REASON_LENGTH);
}

/* Writing */

/* Begins to write or read shared parts as the given writer. */
static void
begin_files(TensorOperands *state, int writer)
{
	SharedJoin *shared = state->sharing->shared;
	SharedStreams streams = {.area = state->sharing->area,
							 .set = &shared->files,
							 .nwriters = shared->nwriters,
							 .nparts = shared_part_count(shared),
							 .streams = arrays_of(state).streams};

	state->parts.files = begin_part_files(state->memory.context, state->parts.owner);
	share_part_files(state->parts.files, &streams, writer,
					 Max(get_hash_memory_limit(), shared_values_limit(shared->nwriters)));
	begin_scattering(state, shared->nranges);
}

/*
 * Publishes the keys whose numbers are in this writer's rows. Returns NULL, or why the
 * relational plan has to run.
 */
static const char *
publish_keys(TensorOperands *state, int writer)
{
	int ndictionaries = state->sharing->shared->ndictionaries;
	SharedKeys *keys = &arrays_of(state).keys[writer * ndictionaries];
	ChunkAccount account = {.limit = get_hash_memory_limit()};

	for (int d = 0; d < ndictionaries; d++)
		if (!write_shared_keys(state->keys.dictionaries[d].dictionary,
							   state->sharing->area, &account, &keys[d]))
			return MANY_KEYS;
	return NULL;
}

/* Publishes what this writer has written, and reason, if that is why it stopped. */
static void
publish(TensorOperands *state, int writer, const char *reason)
{
	SharedArrays arrays = arrays_of(state);
	SharedWriter *own = &arrays.writers[writer];
	OperandParts *parts = &state->parts;
	int nparts = shared_part_count(state->sharing->shared);

	for (int i = 0; i < nparts; i++)
	{
		SharedCounts *counts = &arrays.counts[writer * nparts + i];
		OperandPart *part = parts->divided[i];

		parts->divided[i] = NULL;
		if (part == NULL)
			continue;
		memcpy(counts->rows, part->rows, sizeof(counts->rows));
		counts->value_bytes = part->value_bytes;
		end_writing_shared_part(parts->files, part->file);
		pfree(part);
	}
	own->differ = state->differ;
	own->counts.bytes = part_files_bytes(parts->files);
	for (int o = 0; o < state->noperands; o++)
		own->wide |= (uint32) state->operands[o].wide << o;
	for (int v = 0; v < state->nvalues; v++)
	{
		SharedShape *shape = &arrays.shapes[writer * state->nvalues + v];

		shape->seen = state->values[v].has_shape;
		shape->shape = state->values[v].shape;
	}
	parts->scattering = false;
	parts->count = 0;
	if (reason == NULL)
		reason = publish_keys(state, writer);
	if (reason)
		fail(state->sharing->shared, reason);
}

/*
 * Claims an operand for this process, if its reader is the given one; false if another
 * process reads it.
 */
static bool
claim_operand(SharedJoin *shared, const TensorOperands *state, int number,
			  OperandReader reader)
{
	const TensorOperand *operand = &state->operands[number];

	return operand->scan && operand->reader == reader &&
		   (reader != READ_BY_ONE ||
			pg_atomic_fetch_add_u32(&shared->readers[number], 1) == 0);
}

/*
 * Reads the operands with the given reader that this process has to read, into shared
 * parts.
 */
static const char *
scatter_operands(TensorOperands *state, OperandReader reader)
{
	const char *reason = state->keys.forbidden ? FORBIDDEN_KEYS : NULL;

	for (int o = 0; o < state->noperands && reason == NULL; o++)
		if (claim_operand(state->sharing->shared, state, o, reader))
			reason = read_operand(state, &state->operands[o]);
	return reason;
}

static void
wait_for_others(SharedJoin *shared)
{
	(void) BarrierArriveAndWait(&shared->barrier, PG_WAIT_EXTENSION);
}

/* Does only the leader read an operand? */
static bool
is_leaders(const TensorOperand *operand)
{
	return operand->scan && operand->reader == READ_BY_LEADER;
}

void
rescan_leaders(TensorOperands *state)
{
	for (int o = 0; o < state->noperands; o++)
		if (is_leaders(&state->operands[o]))
			ExecReScan(state->operands[o].child);
}

bool
leaders_vary(const TensorOperands *state)
{
	for (int o = 0; o < state->noperands; o++)
		if (is_leaders(&state->operands[o]) &&
			!bms_is_empty(state->operands[o].scan->extParam))
			return true;
	return false;
}

void
write_for_workers(TensorOperands *state)
{
	SharedJoin *shared = state->sharing->shared;
	int writer = shared->nwriters - 1;

	begin_files(state, writer);
	publish(state, writer, scatter_operands(state, READ_BY_LEADER));
	shared->leader_has_read = true;
}

void
restore_area(TensorOperands *state)
{
	state->estate->es_query_dsa = state->sharing->area;
}

/*
 * Reads this process's share of the operands, unless a process has failed. Returns NULL,
 * or why the relational plan has to run.
 */
static const char *
read_share(TensorOperands *state)
{
	const char *reason = shared_reason(state);

	if (reason == NULL && !state->sharing->shared->leader_has_read && !IsParallelWorker())
		reason = scatter_operands(state, READ_BY_LEADER);
	if (reason == NULL)
		reason = scatter_operands(state, READ_BY_ONE);
	return reason ? reason : scatter_operands(state, READ_BY_ALL);
}

bool
share_operands(TensorOperands *state)
{
	SharedJoin *shared = state->sharing->shared;
	int phase = BarrierAttach(&shared->barrier);

	Assert(state->keys.ndictionaries == shared->ndictionaries);
	begin_files(state, ParallelWorkerNumber + 1);
	if (phase == 0)
	{
		publish(state, ParallelWorkerNumber + 1, read_share(state));
		wait_for_others(shared);
	}
	if (phase <= 1)
		return true;
	state->committed = true;
	BarrierDetach(&shared->barrier);
	return false;
}

/* Reading */

/* Opens a shared part, with the rows of all writers. */
static OperandPart *
shared_part(TensorOperands *state, int range)
{
	SharedArrays arrays = arrays_of(state);
	int nparts = shared_part_count(state->sharing->shared);
	OperandPart *part;

	/* the same ranges as when the rows were written */
	begin_scattering(state, state->sharing->shared->nranges);
	part = new_part(state, range, open_shared_part(state->parts.files, range));
	state->parts.scattering = false;
	for (int w = 0; w < state->sharing->shared->nwriters; w++)
	{
		const SharedCounts *counts = &arrays.counts[w * nparts + range];

		for (int o = 0; o < state->noperands; o++)
			part->rows[o] += counts->rows[o];
		part->value_bytes += counts->value_bytes;
	}
	return part;
}

static int64
rows_of_part(const TensorOperands *state, const OperandPart *part)
{
	int64 rows = 0;

	for (int o = 0; o < state->noperands; o++)
		rows += part->rows[o];
	return rows;
}

/*
 * Counts the rows of parts and operands, and orders the parts; all processes get the
 * same.
 */
static void
count_shared_rows(TensorOperands *state)
{
	int64 sizes[MOST_DIVIDED];

	state->sharing->nclaimable = 0;
	for (int range = 0; range < shared_part_count(state->sharing->shared); range++)
	{
		OperandPart *part = shared_part(state, range);
		int64 size = rows_of_part(state, part);
		int at = state->sharing->nclaimable;

		for (int o = 0; o < state->noperands; o++)
			state->operands[o].joining += part->rows[o];
		if (range < state->sharing->shared->nranges && !rows_join_nothing(state, part))
		{
			for (; at > 0 && sizes[at - 1] < size; at--)
			{
				sizes[at] = sizes[at - 1];
				state->sharing->claimable[at] = state->sharing->claimable[at - 1];
			}
			sizes[at] = size;
			state->sharing->claimable[at] = (uint8) range;
			state->sharing->nclaimable++;
		}
		close_part_file(state->parts.files, part->file);
		pfree(part);
	}
	for (int o = 0; o < state->noperands; o++)
		state->nothing = state->nothing || operand_joins_nothing(&state->operands[o]);
}

/* Notes what all writers have found about the values: shapes and sizes of keys. */
static const char *
learn_values(TensorOperands *state)
{
	SharedArrays arrays = arrays_of(state);
	const char *reason = NULL;

	for (int w = 0; w < state->sharing->shared->nwriters; w++)
	{
		state->differ = state->differ || arrays.writers[w].differ;
		for (int o = 0; o < state->noperands; o++)
			if (arrays.writers[w].wide >> o & 1)
				state->operands[o].wide = true;
		for (int v = 0; v < state->nvalues && reason == NULL; v++)
		{
			const SharedShape *shape = &arrays.shapes[w * state->nvalues + v];

			if (shape->seen)
				reason = note_shape(state, &state->values[v], &shape->shape);
		}
	}
	return reason;
}

/*
 * Is a writer this process itself? The leader also was the one that wrote before it
 * launched workers, with the same dictionaries.
 */
static bool
is_own_writer(const TensorOperands *state, int writer)
{
	return writer == ParallelWorkerNumber + 1 ||
		   (state->plan.by_leader && !IsParallelWorker() &&
			writer == state->sharing->shared->nwriters - 1);
}

/*
 * Adds the keys of all other writers to this process's dictionaries, and translates them.
 */
static const char *
learn_keys(TensorOperands *state)
{
	int ndictionaries = state->sharing->shared->ndictionaries;
	int nwriters = state->sharing->shared->nwriters;
	SharedArrays arrays = arrays_of(state);

	state->sharing->translations = MemoryContextAllocZero(
		state->memory.context, sizeof(KeyTranslation) * Max(nwriters * ndictionaries, 1));
	state->sharing->ntranslations = nwriters * ndictionaries;
	for (int t = 0; t < state->sharing->ntranslations; t++)
	{
		const OperandDictionary *own = &state->keys.dictionaries[t % ndictionaries];
		bool like;

		if (is_own_writer(state, t / ndictionaries))
			continue;
		if (!read_shared_keys(kept_dictionaries(state->kept_operands), own->dictionary,
							  state->sharing->area, &arrays.keys[t],
							  state->econtext->ecxt_per_tuple_memory,
							  &state->sharing->translations[t], &like))
			return MANY_KEYS;
		if (!like && own->returned)
			return UNLIKE_KEYS;
	}
	return NULL;
}

void
translate_keys(const TensorOperands *state, const TensorOperand *operand, int writer,
			   int64 *keys)
{
	const KeyTranslation *translations;

	if (writer < 0 || state->sharing->ntranslations == 0)
		return;
	translations =
		state->sharing->translations + writer * state->sharing->shared->ndictionaries;
	for (int k = 0; k < operand->nkeys; k++)
	{
		const int32 *numbers;

		if (operand->keys[k].dictionary == NULL)
			continue;
		numbers = translations[operand->keys[k].number].numbers;
		if (numbers)
			keys[k] = numbers[keys[k]];
	}
}

void
forget_translations(TensorOperands *state)
{
	for (int t = 0; t < state->sharing->ntranslations; t++)
		free_translation(kept_dictionaries(state->kept_operands),
						 &state->sharing->translations[t]);
	state->sharing->ntranslations = 0;
	state->sharing->translations = NULL;
}

const char *
read_shared(TensorOperands *state)
{
	const char *reason;

	for (int o = 0; o < state->noperands; o++)
	{
		TensorOperand *operand = &state->operands[o];

		operand->joining = 0;
		if (!operand->scan)
			continue;
		forget_operand(state, operand, false);
		begin_coordinates(state, operand);
	}
	count_shared_rows(state);
	reason = learn_values(state);
	if (reason || state->nothing)
		return reason;
	reason = learn_keys(state);
	if (reason)
		return reason;
	reason = read_part(state, shared_part(state, state->sharing->shared->nranges));
	state->parts.count = 0;
	return reason;
}

bool
claim_part(TensorOperands *state)
{
	uint32 number;
	MemoryContext old;

	if (state->sharing->shared == NULL)
		return false;
	number = pg_atomic_fetch_add_u32(&state->sharing->shared->taken, 1);
	if (number >= (uint32) state->sharing->nclaimable)
		return false;
	old = MemoryContextSwitchTo(state->memory.context);
	state->parts.waiting = lappend(state->parts.waiting,
								   shared_part(state, state->sharing->claimable[number]));
	MemoryContextSwitchTo(old);
	state->parts.count = 0;
	return true;
}

/* Agreement */

void
agree(TensorOperands *state, const char *reason)
{
	SharedJoin *shared = state->sharing->shared;

	if (reason)
		fail(shared, reason);
	wait_for_others(shared);
	BarrierDetach(&shared->barrier);
	state->committed = true;
}

const char *
shared_reason(const TensorOperands *state)
{
	return pg_atomic_read_u32(&state->sharing->shared->failed)
			   ? state->sharing->shared->reason
			   : NULL;
}

bool
claim_relational(const TensorOperands *state)
{
	if (state->plan.by_leader && IsParallelWorker())
		return false;
	return pg_atomic_fetch_add_u32(&state->sharing->shared->relational, 1) == 0;
}

/* Counts */

void
publish_counts(TensorOperands *state, WorkCounts counts)
{
	arrays_of(state).writers[ParallelWorkerNumber + 1].counts = counts;
}

WorkCounts
all_counts(const TensorOperands *state)
{
	SharedArrays arrays = arrays_of(state);
	WorkCounts all = {0};

	for (int w = 0; w < state->sharing->shared->nwriters; w++)
	{
		all.parts += arrays.writers[w].counts.parts;
		all.bytes += arrays.writers[w].counts.bytes;
		all.tuples += arrays.writers[w].counts.tuples;
	}
	return all;
}
