/*-------------------------------------------------------------------------
 *
 * picture.c
 *	  Draws plans as pictures: a box for each stage and each stored tensor, an arrow from
 *	  each to the stages that read it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "codegen/layout.h"
#include "codegen/picture.h"
#include "optimizer/materialize.h"
#include "optimizer/rounds.h"

/* Sizes of the monospaced text in boxes, in pixels. */
#define CHARACTER_WIDTH 7.3
#define LINE_HEIGHT 17.0
#define PADDING 10.0
#define MOST_CHARACTERS 64
/* labels of arrows to one box that are stacked before they begin at the bottom again */
#define LABELS_ABOVE 3

typedef enum BoxKind
{
	BOX_STORED,
	BOX_STAGE,
	BOX_KEPT, /* a stage that is computed once */
	BOX_ONCE, /* a stage that is computed before the first round of a loop */
} BoxKind;

typedef struct Box
{
	BoxKind kind;
	const Stage *stage;          /* the stage of the box, or NULL */
	const ProgramTensor *tensor; /* the stored tensor, or NULL */
	const Storage *storage;      /* the storage that is read */
	bool costliest;
	List *lines; /* lines of text, of char *, each cut to the width of a box */
	char *whole; /* the first two lines in full */
} Box;

typedef struct Arrow
{
	int from;
	int to;
	char *label; /* label of a repartition; or NULL */
} Arrow;

typedef struct Picture
{
	const ProgramPlan *plan;
	const StageCounts *counts;
	const double *times;  /* by stage: how often it is computed */
	const Rounds *rounds; /* rounds of a loop; else NULL */
	List *boxes;          /* of Box *, each after those that it reads */
	List *arrows;         /* of Arrow * */
	int *box_of_stage;
} Picture;

/* Returns a text, cut to MOST_CHARACTERS with an ellipsis. */
static char *
cut_text(const char *text)
{
	int length = (int) strlen(text);

	if (pg_mbstrlen(text) <= MOST_CHARACTERS)
		return pstrdup(text);
	length = pg_mbcharcliplen(text, length, MOST_CHARACTERS - 3);
	return psprintf("%.*s...", length, text);
}

static char *
amount(double number)
{
	if (number >= 1e15)
		return psprintf("%.3g", number);
	return psprintf("%.0f", number);
}

/* Returns a duration as text: "12 us", "3.4 ms", "5.6 s". */
static char *
duration(double microseconds)
{
	if (microseconds >= 1e6)
		return psprintf("%.3g s", microseconds / 1e6);
	if (microseconds >= 1e3)
		return psprintf("%.3g ms", microseconds / 1e3);
	return psprintf("%.3g us", microseconds);
}

static int
add_box(Picture *picture, Box *box)
{
	picture->boxes = lappend(picture->boxes, box);
	return list_length(picture->boxes) - 1;
}

/*
 * Returns the number of the box of a stored tensor in one of its storages; adds a box if
 * it has no box yet.
 */
static int
stored_box(Picture *picture, const Stage *stage, const Operand *operand,
		   const OperandPlan *read)
{
	Box *box;
	ListCell *lc;

	foreach (lc, picture->boxes)
	{
		const Box *other = lfirst(lc);

		if (other->kind == BOX_STORED && other->tensor == operand->tensor &&
			other->storage == read->storage)
			return foreach_current_index(lc);
	}
	box = palloc0(sizeof(Box));
	box->kind = BOX_STORED;
	box->tensor = operand->tensor;
	box->storage = read->storage;
	box->whole = operand_notation(stage, operand, &read->from);
	box->lines = list_make1(cut_text(box->whole));
	if (operand->tensor->identity)
		box->lines = lappend(box->lines, "built-in");
	else
		box->lines = lappend(
			box->lines, psprintf("%s entries", amount(operand->statistics->entries)));
	return add_box(picture, box);
}

static void
add_arrow(Picture *picture, int from, int to, char *label)
{
	Arrow *arrow;
	ListCell *lc;

	foreach (lc, picture->arrows)
	{
		const Arrow *other = lfirst(lc);

		if (other->from == from && other->to == to &&
			(label ? other->label && strcmp(other->label, label) == 0
				   : other->label == NULL))
			return;
	}
	arrow = palloc(sizeof(Arrow));
	*arrow = (Arrow){from, to, label};
	picture->arrows = lappend(picture->arrows, arrow);
}

static List *
stage_lines(const Picture *picture, const Stage *stage, Box *box)
{
	const ProgramPlan *plan = picture->plan;
	const StagePlan *chosen = &plan->stages[stage->number];
	const StageCounts *counts = picture->counts ? &picture->counts[stage->number] : NULL;
	char *notation = stage_notation(chosen);
	char *expression = stage_expression(chosen);
	const char *laws = laws_of_stage(plan, stage);
	List *lines = list_make2(cut_text(notation), cut_text(psprintf("= %s", expression)));

	box->whole = psprintf("%s = %s%s%s", notation, expression, *laws ? "; " : "", laws);
	lines = lappend(lines, psprintf("%s, %s tuple%s of %s bytes",
									duration(chosen->cost.total), amount(chosen->tuples),
									rint(chosen->tuples) == 1.0 ? "" : "s",
									amount(chosen->bytes)));
	if (counts && counts->known)
		lines = lappend(lines,
						psprintf("actual: %s tuples, %s entries, %s with what it reads",
								 amount(counts->tuples), amount(counts->entries),
								 duration(counts->time)));
	if (stage_is_table(plan, stage))
		lines = lappend(lines, "a table");
	else if (stage_is_materialized(plan, stage))
		lines = lappend(lines, "computed once, kept");
	else if (stage_in_rounds(picture->rounds, stage))
		lines = lappend(lines, psprintf("computed %s, kept",
										stage_in_rounds(picture->rounds, stage)));
	else if (picture->times[stage->number] > 1.0)
		lines = lappend(
			lines, psprintf("computed %s times", amount(picture->times[stage->number])));
	if (*laws)
		lines = lappend(lines, cut_text(laws));
	return lines;
}

static void
add_stage(Picture *picture, const Stage *stage)
{
	const ProgramPlan *plan = picture->plan;
	const StagePlan *chosen = &plan->stages[stage->number];
	Box *box = palloc0(sizeof(Box));
	List *sources = NIL;
	List *labels = NIL;
	ListCell *lc;
	ListCell *label;
	int number;

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];
			const OperandPlan *read = &chosen->operands[t][o];
			int from = operand->producer
						   ? picture->box_of_stage[operand->producer->number]
						   : stored_box(picture, stage, operand, read);
			char *change = NULL;

			if (!same_decomposition(&read->from, &read->to))
				change =
					psprintf("to %s, %s%s", operand_notation(stage, operand, &read->to),
							 duration(read->cost),
							 repartition_is_once(picture->rounds, stage, operand, read)
								 ? ", before the first round"
								 : "");
			sources = lappend_int(sources, from);
			labels = lappend(labels, change);
		}
	}
	box->kind = stage_is_table(plan, stage) || stage_is_materialized(plan, stage) ||
						stage_in_rounds(picture->rounds, stage)
					? BOX_KEPT
					: BOX_STAGE;
	if (picture->rounds && picture->rounds->stages[stage->number] == LOOP_ONCE)
		box->kind = BOX_ONCE;
	box->stage = stage;
	box->lines = stage_lines(picture, stage, box);
	number = add_box(picture, box);
	picture->box_of_stage[stage->number] = number;
	forboth (lc, sources, label, labels)
		add_arrow(picture, lfirst_int(lc), number, lfirst(label));
}

static void
describe_plan(Picture *picture, const ProgramPlan *plan, const StageCounts *counts)
{
	Box *costliest = NULL;
	double most = 0.0;
	ListCell *lc;

	*picture = (Picture){.plan = plan,
						 .counts = counts,
						 .times = stage_computations(plan),
						 .rounds = plan_rounds(plan)};
	picture->box_of_stage = palloc0(sizeof(int) * list_length(plan->graph->stages));
	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		/* absorbed stages are computed in their readers */
		if (!stage->side)
			add_stage(picture, stage);
	}
	foreach (lc, picture->boxes)
	{
		Box *box = lfirst(lc);
		double cost;

		if (box->stage == NULL || box->kind == BOX_ONCE)
			continue;
		cost = plan->stages[box->stage->number].cost.total;
		if (box->kind == BOX_STAGE)
			cost *= picture->times[box->stage->number];
		if (cost > most)
		{
			most = cost;
			costliest = box;
		}
	}
	if (costliest)
		costliest->costliest = true;
}

/*
 * Is this a control character, which neither DOT nor XML can have in any encoding of the
 * server?
 */
static bool
is_control(char c)
{
	return (unsigned char) c < 0x20 || c == 0x7f;
}

/* Appends a text within a string of DOT, escaped. */
static void
append_dot_text(StringInfo out, const char *text)
{
	for (; *text; text++)
	{
		if (*text == '"' || *text == '\\')
			appendStringInfoChar(out, '\\');
		appendStringInfoChar(out, is_control(*text) ? ' ' : *text);
	}
}

void
draw_dot(StringInfo out, const ProgramPlan *plan, const StageCounts *counts)
{
	static const char *const shapes[] = {
		"style=\"rounded,filled\", fillcolor=\"#eef2f5\"",
		"style=filled, fillcolor=white",
		"style=filled, fillcolor=white, peripheries=2",
	};
	Picture picture;
	ListCell *lc;

	describe_plan(&picture, plan, counts);
	appendStringInfo(out, "digraph plan {\n"
						  "  node [shape=box, fontname=\"monospace\", fontsize=11];\n"
						  "  edge [fontname=\"monospace\", fontsize=10];\n");
	foreach (lc, picture.boxes)
	{
		const Box *box = lfirst(lc);
		ListCell *line;

		appendStringInfo(out, "  b%d [%s%s, label=\"", foreach_current_index(lc),
						 shapes[box->kind],
						 box->costliest ? ", color=\"#c2410c\", penwidth=2" : "");
		foreach (line, box->lines)
		{
			append_dot_text(out, lfirst(line));
			appendStringInfoString(out, "\\l");
		}
		appendStringInfoString(out, "\"];\n");
	}
	foreach (lc, picture.arrows)
	{
		const Arrow *arrow = lfirst(lc);

		appendStringInfo(out, "  b%d -> b%d", arrow->from, arrow->to);
		if (arrow->label)
		{
			appendStringInfoString(out, " [label=\"");
			append_dot_text(out, arrow->label);
			appendStringInfoString(out, "\", style=dashed]");
		}
		appendStringInfoString(out, ";\n");
	}
	appendStringInfoString(out, "}\n");
}

/* Appends a text as XML; characters that XML cannot have become spaces. */
static void
append_xml(StringInfo out, const char *text, int length)
{
	for (const char *end = text + length; text < end; text++)
	{
		switch (*text)
		{
			case '&':
				appendStringInfoString(out, "&amp;");
				break;
			case '<':
				appendStringInfoString(out, "&lt;");
				break;
			case '>':
				appendStringInfoString(out, "&gt;");
				break;
			case '"':
				appendStringInfoString(out, "&quot;");
				break;
			default:
				appendStringInfoChar(out, is_control(*text) ? ' ' : *text);
		}
	}
}

/* Is an index in brackets that of a key column, such as I or I:64? */
static bool
is_promoted_index(const char *index, int length)
{
	return (*index >= 'A' && *index <= 'Z') || memchr(index, ':', length) != NULL;
}

/* Appends a line of notation in which promoted labels are highlighted. */
static void
append_notation(StringInfo out, const char *text)
{
	int depth = 0;

	while (*text)
	{
		int length = 1;

		if (*text == '[')
			depth++;
		else if (*text == ']')
			depth = Max(depth - 1, 0);
		else if (depth > 0 && *text != ',')
		{
			length = (int) strcspn(text, "[],");
			if (is_promoted_index(text, length))
			{
				appendStringInfoString(out, "<tspan class=\"key\">");
				append_xml(out, text, length);
				appendStringInfoString(out, "</tspan>");
				text += length;
				continue;
			}
		}
		append_xml(out, text, length);
		text += length;
	}
}

static void
draw_box(StringInfo out, const Box *box, const LayoutBox *place)
{
	static const char *const classes[] = {"stored", "stage", "kept", "kept once"};
	double y = place->corner.y + PADDING + 11.0;
	ListCell *lc;

	appendStringInfo(out, "<g class=\"%s%s\"><title>", classes[box->kind],
					 box->costliest ? " costliest" : "");
	append_xml(out, box->whole, (int) strlen(box->whole));
	appendStringInfo(out,
					 "</title><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
					 "height=\"%.1f\" rx=\"%d\"/>\n",
					 place->corner.x, place->corner.y, place->width, place->height,
					 box->kind == BOX_STORED ? 12 : 3);
	foreach (lc, box->lines)
	{
		bool notation =
			lc == list_head(box->lines) || (box->stage && foreach_current_index(lc) == 1);

		appendStringInfo(out, "<text x=\"%.1f\" y=\"%.1f\"%s>", place->corner.x + PADDING,
						 y,
						 lc == list_head(box->lines) ? " class=\"name\""
						 : notation                  ? ""
													 : " class=\"note\"");
		if (notation)
			append_notation(out, lfirst(lc));
		else
			append_xml(out, lfirst(lc), (int) strlen(lfirst(lc)));
		appendStringInfoString(out, "</text>\n");
		y += LINE_HEIGHT;
	}
	appendStringInfoString(out, "</g>\n");
}

/*
 * Draws a line from point to point, upright at each point. Its label stands above the
 * labels of other lines that end at the same box; above is the number of these.
 */
static void
draw_line(StringInfo out, const Arrow *arrow, const LayoutEdge *edge, int above)
{
	const LayoutPoint *end = &edge->points[edge->npoints - 1];

	appendStringInfo(out, "<path class=\"%s\" d=\"M%.1f %.1f",
					 arrow->label ? "moved" : "read", edge->points[0].x,
					 edge->points[0].y);
	for (int i = 1; i < edge->npoints; i++)
	{
		const LayoutPoint *from = &edge->points[i - 1];
		const LayoutPoint *to = &edge->points[i];
		double middle = (from->y + to->y) / 2.0;

		appendStringInfo(out, " C%.1f %.1f %.1f %.1f %.1f %.1f", from->x, middle, to->x,
						 middle, to->x, to->y - (i == edge->npoints - 1 ? 5.0 : 0.0));
	}
	appendStringInfoString(out, "\" marker-end=\"url(#end)\"/>\n");
	if (arrow->label)
	{
		appendStringInfo(out, "<text class=\"move\" x=\"%.1f\" y=\"%.1f\">", end->x,
						 end->y - 14.0 - LINE_HEIGHT * (above % LABELS_ABOVE));
		append_notation(out, arrow->label);
		appendStringInfoString(out, "</text>\n");
	}
}

static void
lay_out_picture(const Picture *picture, Layout *layout)
{
	ListCell *lc;

	layout->nboxes = list_length(picture->boxes);
	layout->boxes = palloc0(sizeof(LayoutBox) * Max(layout->nboxes, 1));
	layout->nedges = list_length(picture->arrows);
	layout->edges = palloc0(sizeof(LayoutEdge) * Max(layout->nedges, 1));
	foreach (lc, picture->boxes)
	{
		const Box *box = lfirst(lc);
		LayoutBox *place = &layout->boxes[foreach_current_index(lc)];
		int widest = 0;
		ListCell *line;

		foreach (line, box->lines)
			widest = Max(widest, pg_mbstrlen(lfirst(line)));
		place->width = ceil(widest * CHARACTER_WIDTH + 2.0 * PADDING);
		place->height = list_length(box->lines) * LINE_HEIGHT + 2.0 * PADDING - 4.0;
	}
	foreach (lc, picture->arrows)
	{
		const Arrow *arrow = lfirst(lc);

		layout->edges[foreach_current_index(lc)].from = arrow->from;
		layout->edges[foreach_current_index(lc)].to = arrow->to;
	}
	lay_out(layout);
}

/* Colours follow the viewer's scheme: dark on light, or light on dark. */
static const char style[] =
	"<style>\n"
	":root{--page:#ffffff;--box:#ffffff;--ink:#1b1f24;--dim:#57606a;--line:#8c959f;"
	"--stored:#eef2f5;--key:#0a58ca;--hot:#c2410c;--hotbox:#fff1e8;--moved:#7c3aed}\n"
	"@media (prefers-color-scheme:dark){:root{--page:#0d1117;--box:#161b22;--ink:#e6edf3;"
	"--dim:#9aa4af;--line:#6e7681;--stored:#21262d;--key:#79b8ff;--hot:#ff9b5e;"
	"--hotbox:#3a2113;--moved:#c4a5ff}}\n"
	"text{font:12px ui-monospace,'DejaVu Sans "
	"Mono',Menlo,Consolas,monospace;fill:var(--ink);"
	"white-space:pre}\n"
	".name{font-weight:bold}.note{fill:var(--dim)}.key{fill:var(--key);font-weight:bold}"
	"\n"
	"rect{fill:var(--box);stroke:var(--line);stroke-width:1.2}\n"
	".stored rect{fill:var(--stored)}.kept rect{stroke:var(--ink);stroke-width:2.6}\n"
	".once rect{stroke-dasharray:7 3}\n"
	".costliest rect{fill:var(--hotbox);stroke:var(--hot)}\n"
	"path{fill:none;stroke:var(--line);stroke-width:1.3}\n"
	".moved{stroke:var(--moved);stroke-dasharray:5 3}\n"
	".move{font-size:11px;fill:var(--moved);text-anchor:middle;paint-order:stroke;"
	"stroke:var(--page);stroke-width:4px;stroke-linejoin:round}\n"
	".page{fill:var(--page);stroke:none}#end path{fill:var(--line);stroke:none}\n"
	"</style>\n";

void
draw_svg(StringInfo out, const ProgramPlan *plan, const StageCounts *counts)
{
	Picture picture;
	Layout layout = {0};
	char *title;
	ListCell *lc;

	describe_plan(&picture, plan, counts);
	lay_out_picture(&picture, &layout);
	title = psprintf("plan, %s by estimate%s", duration(plan->cost),
					 plan->heuristic ? ", heuristic" : "");
	layout.width = Max(layout.width, strlen(title) * CHARACTER_WIDTH + 32.0);
	appendStringInfo(
		out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
		"width=\"%.0f\" height=\"%.0f\">\n%s",
		layout.width, layout.height + 26.0, layout.width, layout.height + 26.0, style);
	appendStringInfoString(
		out, "<defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"4\" refY=\"4\" "
			 "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
			 "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
			 "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	foreach (lc, picture.arrows)
	{
		const Arrow *arrow = lfirst(lc);
		int above = 0;
		ListCell *other;

		CHECK_FOR_INTERRUPTS();
		foreach (other, picture.arrows)
		{
			const Arrow *earlier = lfirst(other);

			if (earlier == arrow)
				break;
			above += earlier->to == arrow->to && earlier->label != NULL;
		}
		draw_line(out, arrow, &layout.edges[foreach_current_index(lc)], above);
	}
	foreach (lc, picture.boxes)
		draw_box(out, lfirst(lc), &layout.boxes[foreach_current_index(lc)]);
	appendStringInfo(out, "<text class=\"note\" x=\"16\" y=\"%.0f\">%s</text>\n</svg>\n",
					 layout.height + 12.0, title);
}
