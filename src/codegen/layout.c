/*-------------------------------------------------------------------------
 *
 * layout.c
 *	  Layered layout of a graph: finds layers, the order in each, then positions.
 *
 * An edge that passes layers has an item in each of them, so that its line is led around
 * boxes. Items in a layer are ordered by the mean position of their neighbours, in the
 * layer above and the layer below by turns; ties keep their order. Positions are again as
 * near to the means of neighbours as widths allow: isotonic regression, by pooling
 * adjacent violators. An item with a single neighbour, such as a stored tensor that one
 * stage reads, counts little in both steps: it moves to that stage, and does not draw a
 * chain of stages to its side.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/pg_list.h"

#include "codegen/layout.h"

#define MARGIN 16.0
#define BETWEEN_BOXES 28.0
#define BETWEEN_LAYERS 64.0
#define WIDTH_OF_LINE 14.0
#define ORDER_ROUNDS 12
#define PLACE_ROUNDS 24
/* weight with which a line keeps straight, relative to a box's position */
#define WEIGHT_OF_LINE 4.0
/* weight of an item with a single neighbour */
#define WEIGHT_OF_END 0.05

/* A box, or an edge on its way through a layer. */
typedef struct Item
{
	int box; /* number of the box; -1 for an edge */
	int layer;
	double width;
	double x;   /* position of its middle */
	double top; /* upper side of its layer */
	double bottom;
	double key;
	int place; /* number in its layer */
	List *above;
	List *below;
} Item;

typedef struct Layers
{
	Layout *layout;
	List *items;
	int nlayers;
	List **layers; /* of Item * in order */
	Item **boxes;
	/*
	 * by edge: its items, to a box; from a box, or from the line of another edge of that
	 * box, which it leaves in the layer above its end
	 */
	List **lines;
} Layers;

static void
find_layers(const Layout *layout, int *layer)
{
	for (int b = 0; b < layout->nboxes; b++)
		layer[b] = 0;
	/* edges lead to higher numbers, so boxes come after those above them */
	for (int b = 0; b < layout->nboxes; b++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int e = 0; e < layout->nedges; e++)
		{
			if (layout->edges[e].to == b)
				layer[b] = Max(layer[b], layer[layout->edges[e].from] + 1);
		}
	}
	for (int b = 0; b < layout->nboxes; b++)
	{
		bool starts = true;
		int first = -1;

		for (int e = 0; e < layout->nedges; e++)
		{
			const LayoutEdge *edge = &layout->edges[e];

			if (edge->to == b)
				starts = false;
			if (edge->from == b && (first < 0 || layer[edge->to] < first))
				first = layer[edge->to];
		}
		if (starts && first > 0)
			layer[b] = first - 1;
	}
}

static Item *
add_item(Layers *layers, int box, int layer, double width)
{
	Item *item = palloc0(sizeof(Item));

	item->box = box;
	item->layer = layer;
	item->width = width;
	item->place = list_length(layers->layers[layer]);
	layers->items = lappend(layers->items, item);
	layers->layers[layer] = lappend(layers->layers[layer], item);
	return item;
}

static void
connect_items(Item *above, Item *below)
{
	above->below = lappend(above->below, below);
	below->above = lappend(below->above, above);
}

/* Orders edges by the layer in which they end; equal ones keep their order. */
static int
compare_ends(const void *one, const void *other, void *context)
{
	const Layers *layers = context;
	const LayoutEdge *edges = layers->layout->edges;
	int a = *(const int *) one;
	int b = *(const int *) other;
	int above = layers->boxes[edges[a].to]->layer;
	int below = layers->boxes[edges[b].to]->layer;

	return above != below ? above - below : a - b;
}

/*
 * Makes the items of all edges. The edges of a box have one line through the layers: a
 * tensor that each of n stages reads has n items, not n^2.
 */
static void
make_lines(Layers *layers)
{
	const Layout *layout = layers->layout;
	Item **ends = palloc(sizeof(Item *) * Max(layout->nboxes, 1));
	int *order = palloc(sizeof(int) * Max(layout->nedges, 1));

	memcpy(ends, layers->boxes, sizeof(Item *) * layout->nboxes);
	for (int e = 0; e < layout->nedges; e++)
		order[e] = e;
	qsort_arg(order, layout->nedges, sizeof(int), compare_ends, layers);
	for (int n = 0; n < layout->nedges; n++)
	{
		const LayoutEdge *edge = &layout->edges[order[n]];
		Item *to = layers->boxes[edge->to];
		Item **end = &ends[edge->from];
		List *line = list_make1(*end);

		CHECK_FOR_INTERRUPTS();
		while ((*end)->layer < to->layer - 1)
		{
			Item *item = add_item(layers, -1, (*end)->layer + 1, WIDTH_OF_LINE);

			connect_items(*end, item);
			line = lappend(line, item);
			*end = item;
		}
		connect_items(*end, to);
		layers->lines[order[n]] = lappend(line, to);
	}
}

static void
make_items(Layers *layers)
{
	Layout *layout = layers->layout;
	int *layer = palloc(sizeof(int) * Max(layout->nboxes, 1));

	find_layers(layout, layer);
	for (int b = 0; b < layout->nboxes; b++)
		layers->nlayers = Max(layers->nlayers, layer[b] + 1);
	layers->layers = palloc0(sizeof(List *) * Max(layers->nlayers, 1));
	layers->boxes = palloc(sizeof(Item *) * Max(layout->nboxes, 1));
	layers->lines = palloc0(sizeof(List *) * Max(layout->nedges, 1));
	for (int b = 0; b < layout->nboxes; b++)
		layers->boxes[b] = add_item(layers, b, layer[b], layout->boxes[b].width);
	make_lines(layers);
}

static int
compare_items(const ListCell *one, const ListCell *other)
{
	const Item *a = lfirst(one);
	const Item *b = lfirst(other);

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->place - b->place;
}

static void
order_layer(List *layer, bool by_above)
{
	ListCell *lc;

	foreach (lc, layer)
	{
		Item *item = lfirst(lc);
		const List *neighbours = by_above ? item->above : item->below;
		ListCell *other;

		item->key = item->place;
		if (neighbours == NIL)
			continue;
		item->key = 0.0;
		foreach (other, neighbours)
			item->key += ((const Item *) lfirst(other))->place;
		item->key /= list_length(neighbours);
	}
	list_sort(layer, compare_items);
	foreach (lc, layer)
		((Item *) lfirst(lc))->place = foreach_current_index(lc);
}

/* Adjacent items of a layer that stand as near to each other as possible. */
typedef struct Block
{
	double sum; /* sum of weighted wanted positions, less the widths before */
	double weight;
	int first; /* item */
} Block;

static bool
is_end(const Item *item)
{
	return list_length(item->above) + list_length(item->below) == 1;
}

/*
 * Places the items of a layer, in order, as near as possible to the wanted positions
 * (key).
 */
static void
place_layer(const List *layer)
{
	int nitems = list_length(layer);
	Block *blocks = palloc(sizeof(Block) * Max(nitems, 1));
	double *offset = palloc(sizeof(double) * Max(nitems, 1));
	int nblocks = 0;

	for (int i = 0; i < nitems; i++)
	{
		const Item *item = list_nth(layer, i);
		double weight = item->box < 0  ? WEIGHT_OF_LINE
						: is_end(item) ? WEIGHT_OF_END
									   : 1.0;

		offset[i] = 0.0;
		if (i > 0)
		{
			const Item *before = list_nth(layer, i - 1);

			offset[i] =
				offset[i - 1] + (before->width + item->width) / 2.0 + BETWEEN_BOXES;
		}
		blocks[nblocks++] = (Block){weight * (item->key - offset[i]), weight, i};
		while (nblocks > 1 && blocks[nblocks - 2].sum / blocks[nblocks - 2].weight >
								  blocks[nblocks - 1].sum / blocks[nblocks - 1].weight)
		{
			blocks[nblocks - 2].sum += blocks[nblocks - 1].sum;
			blocks[nblocks - 2].weight += blocks[nblocks - 1].weight;
			nblocks--;
		}
	}
	for (int b = 0; b < nblocks; b++)
	{
		int end = b + 1 < nblocks ? blocks[b + 1].first : nitems;

		for (int i = blocks[b].first; i < end; i++)
			((Item *) list_nth(layer, i))->x =
				blocks[b].sum / blocks[b].weight + offset[i];
	}
	pfree(blocks);
	pfree(offset);
}

static void
add_positions(const List *neighbours, double *sum, double *weights)
{
	ListCell *lc;

	foreach (lc, neighbours)
	{
		const Item *neighbour = lfirst(lc);
		double weight = is_end(neighbour) ? WEIGHT_OF_END : 1.0;

		*sum += weight * neighbour->x;
		*weights += weight;
	}
}

/* Places the items of a layer as near as possible to the mean of their neighbours. */
static void
straighten_layer(const List *layer)
{
	ListCell *lc;

	foreach (lc, layer)
	{
		Item *item = lfirst(lc);
		double sum = 0.0;
		double weights = 0.0;

		add_positions(item->above, &sum, &weights);
		add_positions(item->below, &sum, &weights);
		item->key = weights > 0.0 ? sum / weights : item->x;
	}
	place_layer(layer);
}

static void
place_layers(Layers *layers)
{
	for (int round = 0; round < ORDER_ROUNDS; round++)
	{
		bool down = round % 2 == 0;

		CHECK_FOR_INTERRUPTS();
		for (int n = 1; n < layers->nlayers; n++)
			order_layer(layers->layers[down ? n : layers->nlayers - 1 - n], down);
	}
	for (int n = 0; n < layers->nlayers; n++)
		place_layer(layers->layers[n]);
	for (int round = 0; round < PLACE_ROUNDS; round++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int n = 0; n < layers->nlayers; n++)
			straighten_layer(
				layers->layers[round % 2 == 0 ? n : layers->nlayers - 1 - n]);
	}
}

static void
place_boxes(Layers *layers)
{
	Layout *layout = layers->layout;
	double left = INFINITY;
	double right = 0.0;
	double top = MARGIN;
	ListCell *lc;

	foreach (lc, layers->items)
	{
		const Item *item = lfirst(lc);

		left = Min(left, item->x - item->width / 2.0);
	}
	foreach (lc, layers->items)
	{
		Item *item = lfirst(lc);

		item->x = round(item->x - left + MARGIN);
		right = Max(right, item->x + item->width / 2.0);
	}
	for (int n = 0; n < layers->nlayers; n++)
	{
		double height = 0.0;

		foreach (lc, layers->layers[n])
		{
			Item *item = lfirst(lc);

			if (item->box < 0)
				continue;
			layout->boxes[item->box].corner =
				(LayoutPoint){item->x - item->width / 2.0, top};
			height = Max(height, layout->boxes[item->box].height);
		}
		foreach (lc, layers->layers[n])
		{
			((Item *) lfirst(lc))->top = top;
			((Item *) lfirst(lc))->bottom = top + height;
		}
		top += height + BETWEEN_LAYERS;
	}
	layout->width = right + MARGIN;
	layout->height = top - BETWEEN_LAYERS + MARGIN;
}

/*
 * Returns where on a box's side an edge's line ends; lines end there in the order of the
 * places they come from.
 */
static double
end_of_line(const Layers *layers, int edge, bool at_start)
{
	const Layout *layout = layers->layout;
	int box = at_start ? layout->edges[edge].from : layout->edges[edge].to;
	const List *own = layers->lines[edge];
	double x = ((const Item *) list_nth(own, at_start ? 1 : list_length(own) - 2))->x;
	int count = 0;
	int before = 0;

	for (int e = 0; e < layout->nedges; e++)
	{
		const List *line = layers->lines[e];
		double other;

		if ((at_start ? layout->edges[e].from : layout->edges[e].to) != box ||
			(at_start && ((const Item *) linitial(line))->box != box))
			continue;
		other = ((const Item *) list_nth(line, at_start ? 1 : list_length(line) - 2))->x;
		count++;
		before += other < x || (other == x && e < edge);
	}
	return layout->boxes[box].corner.x +
		   layout->boxes[box].width * (before + 1) / (count + 1);
}

static void
draw_lines(Layers *layers)
{
	Layout *layout = layers->layout;

	for (int e = 0; e < layout->nedges; e++)
	{
		LayoutEdge *edge = &layout->edges[e];
		const LayoutBox *from = &layout->boxes[edge->from];
		const LayoutBox *to = &layout->boxes[edge->to];
		const List *line = layers->lines[e];
		const Item *start = linitial(line);

		CHECK_FOR_INTERRUPTS();
		edge->npoints = 2 * list_length(line) - 2;
		edge->points = palloc(sizeof(LayoutPoint) * edge->npoints);
		if (start->box < 0)
			edge->points[0] = (LayoutPoint){start->x, start->bottom};
		else
			edge->points[0] = (LayoutPoint){end_of_line(layers, e, true),
											from->corner.y + from->height};
		/* the line passes each layer straight down */
		for (int n = 1; n < list_length(line) - 1; n++)
		{
			const Item *item = list_nth(line, n);

			edge->points[2 * n - 1] = (LayoutPoint){item->x, item->top};
			edge->points[2 * n] = (LayoutPoint){item->x, item->bottom};
		}
		edge->points[edge->npoints - 1] =
			(LayoutPoint){end_of_line(layers, e, false), to->corner.y};
	}
}

void
lay_out(Layout *layout)
{
	Layers layers = {.layout = layout};

	make_items(&layers);
	place_layers(&layers);
	place_boxes(&layers);
	draw_lines(&layers);
}
