"""The form that is chosen against all equivalents of a program: an enumeration applies
the axioms of sums and products to a fixed point, and plans each program that it comes
to as it is written, with rewrite => 'none'. The chosen plan may cost less, for the
optimizer knows forms that are no consequence of the axioms (filters, late factors).

    test/cluster test/python test/random/forms.py [--seed S] [--count N] [--show]

The axioms, on sums of products of n factors, so that order and association are none:
a product is distributed over a sum, and a common factor taken out of two terms; labels
that only some connected factors have are summed with these alone, and such a sum taken
out again; a statement is read through by all its readers; a sum of terms becomes a
statement. Programs with more than FORMS equivalents are left out, and counted. Ends
with "N passed, N failed".
"""

import argparse
import itertools
import json
import random
import re
import sys
from dataclasses import dataclass

import psycopg2

FORMS = 250
# of 100, LEAST cost the least or less, and none more than WORST times the least (src/optimizer/README.md)
LEAST = 98
WORST = 1.05

BOUNDS = {"A": 6, "B": 40, "C": 200}
# sorts of labels, and the share of entries that are stored
TENSORS = {"a": ("CB", 0.02), "b": ("CB", 0.3), "c": ("BC", 0.05), "d": ("CC", 0.01), "e": ("BA", 1), "f": ("CA", 1),
           "g": ("C", 1), "h": ("C", 0.1), "k": ("B", 1), "l": ("A", 1), "m": ("BB", 0.2)}


@dataclass(frozen=True)
class Term:
    coefficient: int
    factors: tuple  # of Ref and Group, sorted
    bound: frozenset


@dataclass(frozen=True)
class Ref:
    name: str
    labels: tuple


@dataclass(frozen=True)
class Group:
    terms: tuple  # of Term, sorted


def labels_of(factor):
    if isinstance(factor, Ref):
        return frozenset(factor.labels)
    return frozenset().union(*(free(t) for t in factor.terms))


def labels_in(factors):
    return frozenset().union(*map(labels_of, factors))


def free(term):
    return labels_in(term.factors) - term.bound


class Enumerator:
    def __init__(self, sorts):
        self.sorts = sorts  # of labels
        self.made = 0

    def fresh(self, label):
        self.made += 1
        new = "x%d" % self.made
        self.sorts[new] = self.sorts[label]
        return new

    # a canonical order makes equal forms equal, up to names of labels

    def term(self, coefficient, factors, bound):
        used = labels_in(factors)
        for label in bound - used:
            coefficient *= BOUNDS[self.sorts[label]]
        return Term(coefficient, tuple(sorted(factors, key=repr)), frozenset(bound & used))

    def group(self, terms):
        """like terms are added up"""
        sums = {}
        for t in terms:
            key = (t.factors, t.bound)
            sums[key] = sums.get(key, 0) + t.coefficient
        return Group(tuple(sorted((Term(c, f, b) for (f, b), c in sums.items() if c), key=repr)))

    def renamed(self, factor, names):
        if isinstance(factor, Ref):
            return Ref(factor.name, tuple(names.get(l, l) for l in factor.labels))
        return self.group([self.renamed_term(t, names) for t in factor.terms])

    def renamed_term(self, t, names):
        """what it binds gets names of its own"""
        inner = {**{k: v for k, v in names.items() if k not in t.bound}, **{l: self.fresh(l) for l in t.bound}}
        return self.term(t.coefficient, [self.renamed(f, inner) for f in t.factors], frozenset(inner[l] for l in t.bound))

    # the axioms; each yields groups

    def distributed(self, g):
        for t in g.terms:
            rest = [o for o in g.terms if o is not t]
            for n, factor in enumerate(t.factors):
                if isinstance(factor, Group):
                    others = t.factors[:n] + t.factors[n + 1:]
                    new = []
                    for part in factor.terms:
                        own = self.renamed_term(part, {})
                        new.append(self.term(t.coefficient * own.coefficient, list(others) + list(own.factors), t.bound | own.bound))
                    yield self.group(rest + new)

    def summed_early(self, g):
        for t in g.terms:
            rest = [o for o in g.terms if o is not t]
            places = range(len(t.factors))
            for size in range(1, len(t.factors)):
                for some in itertools.combinations(places, size):
                    inside = [t.factors[p] for p in some]
                    others = [t.factors[p] for p in places if p not in some]
                    alone = t.bound & labels_in(inside) - labels_in(others)
                    if not alone or not connected(inside):
                        continue
                    part = self.group([self.term(1, inside, alone)])
                    yield self.group(rest + [self.term(t.coefficient, others + [part], t.bound - alone)])

    def factored(self, g):
        for one, two in itertools.combinations(g.terms, 2):
            rest = [o for o in g.terms if o is not one and o is not two]
            for f1, f2 in itertools.product(one.factors, two.factors):
                if not isinstance(f1, Ref) or not isinstance(f2, Ref) or f1.name != f2.name:
                    continue
                names = {}
                if all(a == b and a not in one.bound and b not in two.bound or
                       (a in one.bound and b in two.bound and names.setdefault(b, a) == a) for a, b in zip(f1.labels, f2.labels)) \
                        and len(set(names.values())) == len(names):
                    common = frozenset(names.values())
                    left = list(one.factors)
                    left.remove(f1)
                    right = list(two.factors)
                    right.remove(f2)
                    kept = two.bound - set(names)
                    apart = {**names, **{l: self.fresh(l) for l in kept}}
                    right = [self.renamed(f, apart) for f in right]
                    inner = self.group([self.term(one.coefficient, left, one.bound - common),
                                        self.term(two.coefficient, right, frozenset(apart[l] for l in kept))])
                    yield self.group(rest + [self.term(1, [f1, inner] if inner.terms else [Ref("zero", ())], common)])

    def neighbours(self, g):
        yield from self.distributed(g)
        yield from self.summed_early(g)
        yield from self.factored(g)
        for t in g.terms:
            rest = [o for o in g.terms if o is not t]
            for n, factor in enumerate(t.factors):
                if isinstance(factor, Group):
                    for other in self.neighbours(factor):
                        if other.terms:
                            yield self.group(rest + [self.term(t.coefficient, t.factors[:n] + (other,) + t.factors[n + 1:], t.bound)])

    # statements

    def through(self, g, name, output, definition):
        """with a statement read through"""
        terms = []
        for t in g.terms:
            factors = []
            for factor in t.factors:
                if isinstance(factor, Group):
                    factor = self.through(factor, name, output, definition)
                elif factor.name == name:
                    factor = self.renamed(definition, dict(zip(output, factor.labels)))
                factors.append(factor)
            terms.append(self.term(t.coefficient, factors, t.bound))
        return self.group(terms)

    def sums_inside(self, g):
        """groups of several terms that are factors"""
        for t in g.terms:
            for factor in t.factors:
                if isinstance(factor, Group):
                    if len(factor.terms) > 1:
                        yield factor
                    yield from self.sums_inside(factor)

    def replaced(self, g, old, new):
        return self.group([self.term(t.coefficient, [new if f == old else self.replaced(f, old, new) if isinstance(f, Group) else f
                                                     for f in t.factors], t.bound) for t in g.terms])

    def programs(self, program):
        for n, (name, output, g) in enumerate(program):
            for other in self.neighbours(g):
                if other.terms and "zero" not in repr(other):
                    yield program[:n] + ((name, output, other),) + program[n + 1:]
            if n + 1 < len(program):
                yield program[:n] + tuple((o, labels, self.through(e, name, output, g)) for o, labels, e in program[n + 1:])
            for part in set(self.sums_inside(g)):
                labels = tuple(sorted(labels_of(part)))
                made = "s%d" % (1 + max([int(s[1:]) for s, _, _ in program if s[0] == "s"] + [0]))
                yield program[:n] + ((made, labels, part), (name, output, self.replaced(g, part, Ref(made, labels)))) + program[n + 1:]


def connected(factors):
    left = list(factors)
    seen = labels_of(left.pop())
    while True:
        near = [f for f in left if labels_of(f) & seen]
        if not near:
            return not left
        seen |= labels_in(near)
        left = [f for f in left if f not in near]


def text_of(g):
    parts = []
    for t in g.terms:
        factors = [f.name + "[%s]" % ",".join(f.labels) if isinstance(f, Ref) else "(%s)" % text_of(f) for f in t.factors]
        body = " * ".join(factors) if factors else "1"
        if t.bound:
            body = "sum[%s] %s" % (",".join(sorted(t.bound)), body)
        parts.append(("%d * (%s)" % (t.coefficient, body)) if t.coefficient != 1 else "(%s)" % body)
    return " + ".join(parts)


def program_text(program):
    return "; ".join("%s[%s] = %s" % (name, ",".join(labels), text_of(g)) for name, labels, g in program)


def canonical(program):
    """with labels named in the order of their appearance"""
    names = {}
    return re.sub(r"\b(x\d+|[ijkpq]\d*)\b(?=[],])", lambda m: names.setdefault(m.group(), "n%d" % len(names)), program_text(program))


def equivalents(enumerator, program):
    """All programs that the axioms come to, or None if they are too many."""
    found = {canonical(program): program}
    todo = [program]
    while todo:
        for other in enumerator.programs(todo.pop(0)):
            key = canonical(other)
            if key not in found:
                found[key] = other
                todo.append(other)
                if len(found) > FORMS:
                    return None
    return list(found.values())


def random_program(rng):
    """Up to 3 statements with up to 3 terms and 6 factors together."""
    labels = {"i": "C", "j": "B", "k": "C", "p": "A", "q": "B"}
    enumerator = Enumerator(dict(labels))
    factors = rng.choice([2, 3, 3, 4, 4, 5, 6])
    terms = min(rng.choice([1, 1, 2, 2, 3]), factors)
    statements = min(rng.choice([1, 1, 2, 3]), terms + 1)
    sizes = [1] * terms
    for _ in range(factors - terms):
        sizes[rng.randrange(terms)] += 1
    defined = {}
    program = []

    def reference(known):
        """that shares a label with what is there"""
        while True:
            name = rng.choice(list(TENSORS) + list(defined) * 3)
            sorts = TENSORS[name][0] if name in TENSORS else defined[name]
            fit = [[l for l in labels if labels[l] == s] for s in sorts]
            chosen = tuple(rng.choice(f) for f in fit)
            if len(set(chosen)) == len(chosen) and (not known or set(chosen) & known):
                return Ref(name, chosen)

    for n in range(statements):
        here = sizes[n::statements] if n < statements - 1 else sizes[n::statements] or [1]
        made = []
        for size in here:
            some = [reference(set())]
            if n == statements - 1 and defined and not made:
                unread = [s for s in defined]
                some = [Ref(s, tuple(rng.choice([l for l in labels if labels[l] == x]) for x in defined[s])) for s in unread]
            while len(some) < size:
                some.append(reference(set(labels_in(some))))
            made.append(some)
        shared = frozenset.intersection(*(labels_in(m) for m in made))
        output = tuple(l for l in sorted(shared) if rng.random() < 0.5)
        g = enumerator.group([enumerator.term(rng.choice([1, 1, 1, -1, 2]), m, labels_in(m) - set(output)) for m in made])
        if not g.terms or any(len(set(f.labels)) < len(f.labels) for t in g.terms for f in t.factors):
            return random_program(rng)
        program.append(("r%d" % n, output, g))
        defined["r%d" % n] = tuple(labels[l] for l in output)
    return enumerator, tuple(program)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--show", action="store_true", help="print what costs more than the least")
    arguments = parser.parse_args()
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE EXTENSION sparseeinsum")
    data = random.Random(1)
    for name, (sorts, share) in TENSORS.items():
        keys = ["k%d" % n for n in range(len(sorts))]
        cursor.execute("CREATE TABLE t_%s (%s, v float8 NOT NULL, PRIMARY KEY (%s))" % (name, ", ".join("%s int" % k for k in keys), ", ".join(keys)))
        rows = [i + (data.choice([-2, -1, 1, 2, 3]),) for i in itertools.product(*(range(BOUNDS[s]) for s in sorts)) if data.random() < share]
        cursor.execute("INSERT INTO t_%s VALUES " % name + ", ".join(map(str, rows)))
        cursor.execute("ANALYZE t_%s" % name)
        cursor.execute("SELECT einsum_register(%s, %s, %s, 'v', %s::text[])", (
            "%s[%s]" % (name, ",".join("D%d" % n for n in range(len(sorts)))), "t_" + name, keys, [str(BOUNDS[s]) for s in sorts]))
    cursor.execute("SELECT count(*) FROM einsum_analyze()")
    cursor.execute("SET sparseeinsum.max_kernel_bytes = '64kB'")

    def plan(text, **options):
        cursor.execute("SELECT einsum_plan(%s, format => 'json'" + "".join(", %s => '%s'" % o for o in options.items()) + ")", (text,))
        return json.loads("\n".join(line for line, in cursor.fetchall()))[0]

    ratios, left_out, failed, planned = [], 0, 0, 0
    seed = arguments.seed
    while len(ratios) < arguments.count:
        enumerator, program = random_program(random.Random(seed))
        text = program_text(program)
        forms = equivalents(enumerator, program)
        seed += 1
        if forms is None:
            left_out += 1
            continue
        chosen = plan(text)
        least, best = min((plan(program_text(form), rewrite="none")["cost"], n) for n, form in enumerate(forms))
        planned += len(forms)
        ratio = chosen["cost"] / least if least else 1.0
        ratios.append(ratio)
        if ratio > 1 + 1e-6 and arguments.show:
            print("seed %d: %.3f x, %d forms%s\n  %s\n  %s" % (seed - 1, ratio, len(forms), ", heuristic" if chosen["heuristic"] else "", text, program_text(forms[best])), flush=True)
        if ratio > WORST:
            failed += 1
            print("FAILED: seed %d: costs %.2f times the least:\n%s\n%s" % (seed - 1, ratio, text, program_text(forms[best])))
    equal = sum(abs(r - 1) <= 1e-6 for r in ratios)
    less = sum(r < 1 - 1e-6 for r in ratios)
    dearer = sorted(r for r in ratios if r > 1 + 1e-6)
    print("%d programs, %d forms, %d left out: %d cost the least, %d less, %d more%s" % (
        len(ratios), planned, left_out, equal, less, len(dearer), ": " + " ".join("%.3f" % r for r in dearer) if dearer else ""))
    if (equal + less) * 100 < LEAST * len(ratios):
        failed += 1
        print("FAILED: fewer than %d of 100 cost the least or less" % LEAST)
    print("%d passed, %d failed" % (len(ratios) + 1 - failed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
