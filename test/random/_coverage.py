"""What the cases of a run had in them.

Operators and functions by the fill and the storage of the tensors that they
apply to, aggregates by whether entries are missing, repartitions by direction,
searches and estimators. Coverages of parts of a run add up.
"""

import collections
import re

import numpy as np

from _syntax import Call, Neg, Num, Op, Ref, Sum, children, free_labels, walk
from _targets import COMPLEX, FILLS, IMAGINARY, KINDS, RESULT

# the laws that plans say made their stages
LAWS = ["restricted sum", "sum in the kernel", "one row", "taken apart", "distributed", "summed inside", "factored", "flat join", "summed first", "late factors",
        "read through"]

RISING = ["exp", "tanh", "sigmoid", "relu", "floor", "ceil", "round"]


def is_aggregate(node, *operators):
    return isinstance(node, Sum) and node.operator in operators


def lacks_label(node):
    return isinstance(node, Sum) and any(name not in free_labels(node.body) for name, _ in node.labels)


def has_number(node, *values):
    return isinstance(node, Op) and any(isinstance(c, Num) and (not values or c.value in values) for c in children(node))


# what the laws are about that every program is normalized by, of which plans say nothing
NORMALIZED = {
    "aggregate of the same aggregate": lambda n: isinstance(n, Sum) and is_aggregate(n.body, n.operator),
    "sum of terms": lambda n: is_aggregate(n, "sum") and isinstance(n.body, Op) and n.body.symbol in "+-",
    "sum over a label that something lacks": lambda n: is_aggregate(n, "sum") and (
        lacks_label(n) or isinstance(n.body, Op) and any(lacks_label(Sum(n.labels, c)) for c in children(n.body))),
    "extreme of a rising function": lambda n: is_aggregate(n, "max", "min") and isinstance(n.body, Call) and n.body.function in RISING,
    "extreme of a negative": lambda n: is_aggregate(n, "max", "min") and isinstance(n.body, Neg),
    "any or all of a product": lambda n: is_aggregate(n, "any", "all") and isinstance(n.body, Op) and n.body.symbol == "*",
    "aggregate over one index": lambda n: isinstance(n, Sum) and any(bound == 1 for _, bound in n.labels),
    "sum in a product": lambda n: isinstance(n, Op) and n.symbol == "*" and any(is_aggregate(c, "sum") for c in children(n)),
    "number in a product": lambda n: has_number(n) and n.symbol in "*/",
    "zero term or factor": lambda n: has_number(n, 0) and n.symbol in "+-*",
    "square of a tensor": lambda n: has_number(n, 2) and n.symbol == "^" and isinstance(n.left, Ref),
}

# an operator that this many programs had is covered
ENOUGH = 20


def operands(expr):
    """The references that an operator applies to, not those inside aggregates."""
    if isinstance(expr, Ref):
        return [expr]
    if isinstance(expr, Sum):
        return []
    return [r for child in children(expr) for r in operands(child)]


def fill_of(tensor):
    """A tensor's fill; any that is complex counts as one."""
    return IMAGINARY if isinstance(tensor.fill, complex) else tensor.fill


def cells_of(program):
    """The operators of a program with what they apply to; of tensors that are stored once."""
    cells = set()
    for statement in program:
        for node in walk(statement.expr):
            if isinstance(node, (Op, Call, Neg)):
                name = getattr(node, "symbol", None) or getattr(node, "function", "negate")
                for ref in operands(node):
                    storages = ref.tensor.storages
                    if ref.tensor.data is None:
                        cells.add((name,) + RESULT)
                    elif len(storages) == 1 and storages[0].kind():
                        cells.add((name, fill_of(ref.tensor), storages[0].kind()))
    return cells


def directions(notation_before, notation_after):
    """How a dimension or several change: promoted to demoted is stack, and so on."""
    from _session import decomposition

    def name(choice):
        return {"U": "promoted", "*": "demoted"}.get(choice, "blocked")

    changes = set()
    for before, after in zip(decomposition(notation_before), decomposition(notation_after)):
        if before != after:
            changes.add("%s to %s" % (name(before), name(after)))
    return changes


# what may come of a stage that a loop nest computes
OUTCOMES = ["in the nest", "in parts", "shared", "streamed", "in parallel", "fell back"]


def stage_kind(node):
    """What kind of stage a node AggregateJoin computes."""
    operands = node["Operands"]
    joined = "one operand" if len(operands) == 1 else "a left join" if any(o.endswith("?") for o in operands) else "a join"
    kernels = node.get("Kernels", [])
    reductions = [k.split()[0] for k in kernels if k.split()[0] in ("sum", "min", "max", "prod", "any", "all", "stack", "count(*)")]
    # counts stand beside others
    reductions.sort(key=lambda reduction: reduction == "count(*)")
    return "%s of %s" % (reductions[0] if reductions else "groups" if "Accumulators" in node else "rows", joined)


def outcomes(node):
    if "Relational Plan" in node:
        return ["fell back"]
    parallel = node.get("Parallel Aware", False)
    return ["in the nest"] + [name for name, happened in [
        ("in parts", not parallel and node.get("Parts", 1) > 1), ("shared", "Shared" in node or "Read Before" in node),
        ("streamed", "Rows Streamed" in node), ("in parallel", parallel)] if happened]


def loop_nests(plan):
    """The loop nests of a plan that has run; those that did not run are none."""
    if plan.get("Custom Plan Provider") == "AggregateJoin" and plan.get("Actual Loops"):
        yield plan
    for child in plan.get("Plans", []):
        yield from loop_nests(child)


class Coverage:
    def __init__(self):
        self.operators = collections.Counter()
        self.aggregates = collections.Counter()
        self.plans = collections.Counter()
        self.results = collections.Counter()
        self.entries = collections.Counter()  # of the suite divisors
        self.nests = collections.Counter()

    def add(self, other):
        for name, counter in vars(self).items():
            counter.update(getattr(other, name))

    def case(self, case):
        self.operators.update(cells_of(case.program))
        for statement in case.program:
            for node in walk(statement.expr):
                if isinstance(node, Sum):
                    names = {n for n, _ in node.labels}
                    refs = [r for r in walk(node.body) if isinstance(r, Ref) and names & set(r.labels)]
                    full = all(r.tensor.kind == "dense" for r in refs)
                    self.aggregates[node.operator, "full" if full else "missing"] += 1
        nodes = [node for statement in case.program for node in walk(statement.expr)]
        for name, applies in NORMALIZED.items():
            self.plans["normalized: " + name] += any(applies(node) for node in nodes)
        for value in case.expected:
            good = value.v[~value.p]
            constant = good.size > 1 and (good == good.flat[0]).all() if good.size else True
            finite = good.size and bool(abs(good).max() < float("inf"))
            self.results["finite and not constant" if finite and not constant else "other"] += 1
        if case.suite == "divisors":
            self.divisions(case)

    def divisions(self, case):
        """What the results are, and how often 0 and anything else was divided by 0 on the way."""
        for value in case.expected:
            known = value.v[~value.p]
            self.entries["finite"] += int(np.isfinite(known).sum())
            self.entries["infinite"] += int(np.isinf(known).sum())
            self.entries["NaN"] += int(np.isnan(known).sum())
            self.entries["left to the plan"] += int(value.p.sum())
        self.entries["0 divided by 0"] += case.oracle.nothing
        self.entries["others divided by 0"] += case.oracle.something

    def plan(self, text):
        """What a plan had in it, by its text."""
        for before, after, how in re.findall(r" as (\S.*), repartitioned to (.*) by (.*) \(cost", text):
            self.plans["repartition: " + how] += 1
            for change in directions(before, after):
                self.plans["repartition: " + change] += 1
        for law in LAWS:
            self.plans["law: " + law] += bool(re.search(r"; (.*, )?%s(, .*)?\)$" % law, text, re.M))
        self.plans["result repartitioned"] += "result repartitioned" in text

    def add_nests(self, nodes):
        """What came of loop nests that have run."""
        for node in nodes:
            self.nests.update((stage_kind(node), outcome) for outcome in outcomes(node))

    def asked(self, what, options):
        """One way in which a program was run."""
        for name in ("search", "estimator", "result", "materialize", "rewrite", "alternative"):
            # an enumeration has any number of alternatives
            if name in options and not (name == "alternative" and "search" in options):
                self.plans["%s %s" % (name, options[name])] += 1
        if not options:
            self.plans[what] += 1

    def least(self):
        """Cells that too few programs had, as text."""
        few = [("%s %s %s" % c, n) for c, n in self.cells() if n < ENOUGH]
        few += [("%s %s" % c, self.aggregates[c]) for c in self.aggregate_cells() if self.aggregates[c] < ENOUGH]
        few += [(name, n) for name, n in sorted(self.plans.items()) if n < ENOUGH]
        return few

    def columns(self):
        blocks = any(kind == "blocked" for _, _, kind in self.operators)
        return [(f, k) for f in FILLS + [IMAGINARY] for k in KINDS if blocks or k != "blocked"] + [RESULT]

    def cells(self):
        """Those that programs are to have: of complex fills only what is of complex numbers alone."""
        names = sorted({n for n, _, _ in self.operators})
        return [((n,) + c, self.operators[(n,) + c]) for n in names for c in self.columns() if c[0] != IMAGINARY or n in COMPLEX]

    @staticmethod
    def aggregate_cells():
        return [(a, m) for a in ("sum", "prod", "max", "min", "any", "all") for m in ("missing", "full")]

    def report(self):
        columns = self.columns()
        titles = [k if f == "result" else "%s%s" % (f if f == IMAGINARY else "%g" % f, k[0]) for f, k in columns]
        print("operator   " + " ".join("%6s" % t for t in titles))
        for name in sorted({n for n, _, _ in self.operators}):
            print("%-10s " % name + " ".join("%6d" % self.operators[(name,) + c] for c in columns))
        print("(columns: fill, i for complex ones, and p promoted, m mixed, d demoted, b blocked; results of statements)")
        for name, missing in self.aggregate_cells():
            print("%6d %s %s" % (self.aggregates[name, missing], name, missing))
        for table in (self.plans, self.results):
            for name, count in sorted(table.items()):
                print("%6d %s" % (count, name))
        self.report_nests()
        share = self.results["finite and not constant"] / max(sum(self.results.values()), 1)
        print("%.1f %% of the results are finite and not constant" % (100 * share))
        if self.entries:
            print("entries of divisors: " + ", ".join("%d %s" % (n, name) for name, n in self.entries.items()))
        few = self.least()
        print("%d cells have fewer than %d: %s" % (len(few), ENOUGH, ", ".join("%s: %d" % c for c in few[:40])))

    def report_nests(self):
        if self.nests:
            print("%-24s " % "stages of loop nests" + " ".join("%11s" % name for name in OUTCOMES))
        for kind in sorted({kind for kind, _ in self.nests}):
            print("%-24s " % kind + " ".join("%11d" % self.nests[kind, name] for name in OUTCOMES))
