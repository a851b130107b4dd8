/*-------------------------------------------------------------------------
 *
 * nest_cost.c
 *	  What a loop nest costs: rules that hold whatever the constants are.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

#include "kernels/nest/nest_cost.h"

#define MAX_LABELS 4
#define MAX_OPERANDS 4
#define MUCH 1e12

/* How many keys of a label the operands have. */
typedef struct Keys
{
	double keys[MAX_OPERANDS][MAX_LABELS];
} Keys;

static NestCost
cost_of(const NestCostInput *input)
{
	NestCostInput copy = *input;
	NestCost cost;

	nest_cost(&copy, &cost);
	check(!cost.fits || (isfinite(cost.time) && cost.time > 0), "a time of %g us",
		  cost.time);
	return cost;
}

static void
add_operand(NestCostInput *input, Keys *keys, LoopLabels labels, double rows, double each)
{
	int o = input->loops.noperands++;

	input->loops.operands[o] = (LoopOrderOperand){.labels = labels, .rows = rows};
	input->operands[o] = (NestCostOperand){.keys = keys->keys[o],
										   .nnumbers = 1,
										   .shared = -1,
										   .share = 1,
										   .scan = rows * 0.1};
	for (int l = 0; l < MAX_LABELS; l++)
		keys->keys[o][l] = each;
}

/* Without operands, but for memory. */
static NestCostInput
empty_nest(Keys *keys, int nlabels, LoopLabels output)
{
	NestCostInput input = {.loops = {.nlabels = nlabels, .output = output, .effort = 1e4},
						   .memory = MUCH,
						   .tensor_memory = MUCH,
						   .nresults = 1,
						   .nkernels = 1,
						   .nprocesses = 1};

	for (int l = 0; l < nlabels; l++)
		if (output >> l & 1)
			input.divisible[input.ndivisible++] = (uint8_t) l;
	return input;
}

/* c[0,2] = sum over a[0,1] * a[1,2], of which both are the same table if shared. */
static NestCostInput
product(Keys *keys, double rows, bool shared)
{
	NestCostInput input = empty_nest(keys, 3, 5);

	add_operand(&input, keys, 3, rows, rows / 10);
	add_operand(&input, keys, 6, rows, rows / 10);
	if (shared)
		input.operands[1].shared = 0;
	return input;
}

static void
test_sharing(void)
{
	Keys keys;
	NestCostInput twice = product(&keys, 1e5, false);
	NestCostInput once = product(&keys, 1e5, true);
	NestCostInput kept = product(&keys, 1e5, true);
	double more = cost_of(&twice).time - cost_of(&once).time;
	double rows = nest_cost_operand_bytes(&once, 0);

	check(more > 1e5 * 0.1, "rows that are shared are scanned once: %g us less", more);
	kept.operands[0].share = kept.operands[1].share = 1.0 / 16;
	check(cost_of(&kept).time < cost_of(&once).time - 1e5 * 0.09,
		  "rows that rounds keep are scanned in one of them");
	/* what is shared takes its memory once, but an index in each order */
	once.memory = 2 * rows;
	check(!cost_of(&once).fits, "rows and two indexes do not fit");
	once.memory = twice.memory = 2.5 * rows;
	check(cost_of(&once).parts == 1 && cost_of(&twice).parts > 1, "shared rows fit");
	/* and is not shared or kept in parts, here by a label of both: each operand is read for itself */
	twice.loops.operands[1].labels = once.loops.operands[1].labels =
		kept.loops.operands[1].labels = 3;
	once.memory = kept.memory = twice.memory = rows * 0.5;
	check(cost_of(&once).parts > 1 &&
			  fabs(cost_of(&once).time / cost_of(&twice).time - 1) < 1e-9 &&
			  fabs(cost_of(&kept).time / cost_of(&twice).time - 1) < 1e-9,
		  "nothing is shared in parts");
	/* three operands of the same rows need these in three orders */
	once = empty_nest(&keys, 4, 5);
	for (int o = 0; o < 3; o++)
		add_operand(&once, &keys, (LoopLabels[]){7, 14, 13}[o], 1e5, 1e4);
	once.operands[1].shared = once.operands[2].shared = 0;
	once.memory = 2.2 * nest_cost_operand_bytes(&once, 0);
	check(cost_of(&once).parts > 1, "three indexes do not fit");
	once.memory = 3 * nest_cost_operand_bytes(&once, 0);
	check(cost_of(&once).parts == 1, "they take less than three times the rows");
}

static void
test_parts(void)
{
	Keys keys;
	NestCostInput input = product(&keys, 1e5, false);
	double rows = nest_cost_operand_bytes(&input, 0);
	NestCost whole = cost_of(&input);
	NestCost cost;
	double written = NEST_SPILL_TIME * 1e5;

	check(whole.fits && whole.parts == 1 && whole.label >= 0, "all fits in much memory");
	/* one operand is needed by all parts */
	input.memory = rows * 3;
	cost = cost_of(&input);
	check(cost.fits && cost.parts >= 4 && cost.parts <= 16, "%d parts", cost.parts);
	check(cost.time > whole.time + written * 0.7 && cost.time < whole.time + written * 2,
		  "parts take %g us more, writing rows %g", cost.time - whole.time, written);
	input.memory = rows;
	check(!cost_of(&input).fits, "what all parts need does not fit");
	input.memory = rows * 3;
	input.ndivisible = 0;
	check(!cost_of(&input).fits, "there are no parts but by labels of groups");
	/* tensors have memory of their own */
	input = product(&keys, 1e5, false);
	input.operands[0].tensor_bytes = 1000;
	input.tensor_memory = 6e7;
	cost = cost_of(&input);
	check(cost.fits && cost.parts >= 2 && cost.label == 0, "tensors are divided");
	input.operands[1].tensor_bytes = 1000;
	check(!cost_of(&input).fits, "tensors that all parts need do not fit");
	/* a few keys are not divided evenly */
	input = product(&keys, 1e5, false);
	input.memory = rows * 3;
	for (int o = 0; o < 2; o++)
		keys.keys[o][0] = keys.keys[o][2] = 10;
	check(!cost_of(&input).fits, "10 keys are no label for parts");
}

static void
test_optional_parts(void)
{
	Keys keys;
	NestCostInput input = empty_nest(&keys, 2, 3);

	/* c[0,1] = a[1] * (b[0] or 1), of ranges: a label of no operand that decides is not divided by */
	add_operand(&input, &keys, 2, 1e5, 1e5);
	add_operand(&input, &keys, 1, 1e5, 1e5);
	input.loops.operands[1].range = true;
	check(cost_of(&input).label == 1, "a range is not divided");
	input.ndivisible = 1;
	check(cost_of(&input).label < 0, "nor alone");
	input.ndivisible = 2;
	input.loops.operands[1].range = false;
	input.loops.operands[1].optional = true;
	check(cost_of(&input).label == 1, "what is joined left does not divide");
}

static void
test_stream(void)
{
	Keys keys;
	NestCostInput input = empty_nest(&keys, 2, 1);
	double streamed;

	/* y[0] = sum over a[0,1] * x[1] */
	add_operand(&input, &keys, 3, 1e6, 1000);
	add_operand(&input, &keys, 2, 1000, 1000);
	check(cost_of(&input).stream == 0, "the rows of a large operand are streamed");
	streamed = cost_of(&input).time;
	/* what is streamed need not fit */
	input.memory = 1e6;
	check(cost_of(&input).stream == 0 && cost_of(&input).fits, "a stream needs no room");
	input.memory = 1000;
	check(cost_of(&input).stream < 0, "what is located has to fit, and groups");
	input.memory = MUCH;
	input.operands[0].share = 0.99;
	check(cost_of(&input).stream < 0, "what rounds keep is not streamed");
	input.operands[0].share = 1;
	/* joined tuples are returned with its rows: these are kept, without an index */
	input.loops.each_tuple = true;
	input.memory = 1.2 * nest_cost_operand_bytes(&input, 0);
	check(cost_of(&input).stream == 0, "rows without an index fit");
	input.memory = 0.9 * nest_cost_operand_bytes(&input, 0);
	check(cost_of(&input).stream < 0, "rows that are kept have to fit");
	input.loops.each_tuple = false;
	input.memory = MUCH;
	input.operands[1] = input.operands[0];
	input.operands[1].shared = 0;
	check(cost_of(&input).stream < 0, "what another operand reads too is not streamed");
	input.operands[1].shared = -1;
	input.operands[0].tensor_bytes = input.operands[0].copied_bytes = 100;
	check(cost_of(&input).time < streamed + 1e6 * 0.1 + 1000,
		  "what is streamed is not copied");
}

static void
test_keys(void)
{
	Keys keys;
	NestCostInput input = product(&keys, 1e5, false);
	double before = cost_of(&input).time;
	double more;

	input.operands[0].numbered = 3;
	more = cost_of(&input).time - before;
	check(fabs(more - 2 * (1e5 * NEST_LOOKUP_TIME + 1e4 * NEST_NEW_KEY_TIME)) < 1,
		  "two keys of 100,000 rows are looked up in %g us", more);
	input.operands[1].shared = 0;
	input.operands[1].numbered = 6;
	input.operands[0].numbered = 0;
	before = cost_of(&input).time;
	input.operands[1].numbered = 0;
	check(cost_of(&input).time == before, "keys of shared rows are looked up once");
}

static void
test_processes(void)
{
	Keys keys;
	NestCostInput input = product(&keys, 1e5, false);
	double serial = cost_of(&input).time;
	NestCost cost;

	input.operands[0].read_by_all = input.operands[1].read_by_all = true;
	input.operands[0].scan /= 2;
	input.operands[1].scan /= 2;
	input.nprocesses = 2;
	cost = cost_of(&input);
	check(cost.share > 0.5 && cost.share < 0.6, "two processes share the groups");
	check(cost.time > serial * 0.5 && cost.time < serial * 0.9,
		  "two processes take %g of the time", cost.time / serial);
	input.ndivisible = 0;
	check(!cost_of(&input).fits, "processes divide groups");
}

/* What is known of any nest. */
static void
test_random(void)
{
	Keys keys;
	NestCostInput input = empty_nest(&keys, 1 + (int) random_below(MAX_LABELS), 0);
	int n = 1 + (int) random_below(MAX_OPERANDS);
	double before = 0;
	bool fitted = false;

	input.loops.output = (LoopLabels) random_below(1 << input.loops.nlabels);
	input.loops.each_tuple = random_below(5) == 0;
	for (int l = 0; l < input.loops.nlabels; l++)
		if (input.loops.output >> l & 1)
			input.divisible[input.ndivisible++] = (uint8_t) l;
	for (int o = 0; o < n; o++)
	{
		double rows = 1 + (double) random_below(random_below(2) ? 1000 : 1000000);
		LoopLabels labels = 1 + (LoopLabels) random_below((1 << input.loops.nlabels) - 1);

		add_operand(&input, &keys, labels, rows,
					1 + (double) random_below((int64_t) rows));
		if (o > 0 && labels == input.loops.operands[0].labels && random_below(2) == 0)
		{
			input.loops.operands[o].rows = input.loops.operands[0].rows;
			input.operands[o].shared = 0;
		}
		input.operands[o].tensor_bytes = input.operands[o].copied_bytes =
			random_below(3) == 0 ? 100 : 0;
	}
	for (double memory = 1e3; memory < MUCH; memory *= 4)
	{
		NestCost cost;

		input.memory = input.tensor_memory = memory;
		cost = cost_of(&input);
		check(cost.fits || !fitted, "what fits in some memory fits in more");
		check(cost.parts >= 1 && (cost.parts == 1 || (cost.fits && cost.stream < 0)),
			  "%d parts", cost.parts);
		check(!fitted || cost.time <= before * (1 + 1e-9),
			  "more memory takes no more time: %g, %g", before, cost.time);
		if (cost.fits)
			before = cost.time;
		fitted = cost.fits;
	}
	check(fitted, "there is enough memory for all");
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 1000, test_random);
	if (argc == 1)
	{
		test_sharing();
		test_parts();
		test_optional_parts();
		test_stream();
		test_keys();
		test_processes();
	}
	return test_finish();
}
