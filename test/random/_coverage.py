"""What the cases of a run had in them.

Operators and functions by the fill and the storage of the tensors that they
apply to, aggregates by whether entries are missing, repartitions by direction,
searches and estimators.
"""

import collections
import re

from _syntax import Call, Neg, Op, Ref, Sum, children, walk


def operands(expr):
    """The references that an operator applies to, not those inside aggregates."""
    if isinstance(expr, Ref):
        return [expr]
    if isinstance(expr, Sum):
        return []
    return [r for child in children(expr) for r in operands(child)]


def storage_kind(tensor):
    if not tensor.storages:
        return "result"
    promoted = tensor.storages[0].promoted
    return "promoted" if all(promoted) else "mixed" if any(promoted) else "demoted"


class Coverage:
    def __init__(self):
        self.operators = collections.Counter()
        self.aggregates = collections.Counter()
        self.plans = collections.Counter()
        self.results = collections.Counter()

    def case(self, case):
        seen = set()
        for statement in case.program:
            for node in walk(statement.expr):
                if isinstance(node, (Op, Call, Neg)):
                    name = getattr(node, "symbol", None) or getattr(node, "function", "negate")
                    for ref in operands(node):
                        kind = storage_kind(ref.tensor)
                        seen.add((name, "result" if kind == "result" else "%g" % ref.tensor.fill, kind))
                if isinstance(node, Sum):
                    names = {n for n, _ in node.labels}
                    refs = [r for r in walk(node.body) if isinstance(r, Ref) and names & set(r.labels)]
                    full = all(r.tensor.kind == "dense" for r in refs)
                    self.aggregates[node.operator, "full" if full else "missing"] += 1
        self.operators.update(seen)
        for value in case.expected:
            good = value.v[~value.p]
            constant = good.size > 1 and (good == good.flat[0]).all() if good.size else True
            finite = good.size and bool(abs(good).max() < float("inf"))
            self.results["finite and not constant" if finite and not constant else "other"] += 1

    def plan(self, text, options):
        for direction in re.findall(r"repartitioned to .* by (.*) \(cost", text):
            self.plans["repartition: " + direction] += 1
        self.plans["result repartitioned"] += "result repartitioned" in text
        for name in ("search", "estimator"):
            self.plans["%s %s" % (name, options.get(name, "as set"))] += 1

    def report(self):
        fills = ["0", "1", "2", "inf", "-inf"]
        columns = [(f, k) for f in fills for k in ("promoted", "mixed", "demoted")] + [("result", "result")]
        print("operator   " + " ".join("%6s" % (f + k[0]) for f, k in columns))
        for name in sorted({n for n, _, _ in self.operators}):
            print("%-10s " % name + " ".join("%6d" % self.operators[(name,) + c] for c in columns))
        print("(columns: fill and p promoted, m mixed, d demoted; results of statements)")
        for name in ("sum", "prod", "max", "min", "any", "all"):
            print("%-5s missing %6d full %6d" % (name, self.aggregates[name, "missing"], self.aggregates[name, "full"]))
        for table in (self.plans, self.results):
            for name, count in sorted(table.items()):
                print("%6d %s" % (count, name))
