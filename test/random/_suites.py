"""The suites: what is asked of one random program.

values       every plan gives the oracle's values: integers exactly
tolerance    the same with transcendental functions, within rounding errors
fills        any operator, function and aggregate of tensors with any fill, exactly
smooth       the same with transcendental functions, within rounding errors
complex      the same with complex numbers, exactly
long         the same as values for products of 12 to 24 references
rewritten    the same for squares of sums, sums in products, extremes of sums, functions
             beside killers and repeated statements, at every level of rewriting and with
             a small budget for it
divisors     the same for quotients by 0, logarithms of it and its negative powers,
             with what infinities and NaN come to

Of these eight each program runs under the chosen plan, alternatives 2 and 3, the
greedy search, all labels promoted, all demoted, all in blocks, random pins, a
tensor with some labels promoted and others not, as written; results as rows and
dense; every estimator; rewrite 'none' or 'reassociate'; what is read twice computed
once and twice; as views or tables, also such as were made before the data was there;
as a program of those; and at keys of its result. Long products are neither joined
without rewriting nor summed in the order that they are written in.

heuristic    how much dearer are plans that were found with a small search_budget than the cheapest
optimal      the three least costs of the program as it is written are those of an exhaustive enumeration
open         the same as values where some labels are open, by reading views
every        each plan of an exhaustive enumeration gives the oracle's values
"""

import os
import random
import re

import numpy as np

from _complex import ComplexGenerator
from _dense import DenseGenerator
from _divisors import DivisorGenerator
from _generator import Generator
from _infinities import DivisorOracle
from _long import LongGenerator, LongOracle
from _oracle import FLOAT4, FLOAT8, Oracle, evaluate
from _points import ask
from _rewritten import RewrittenGenerator
from _session import Failure, NoPlan, Refused, decomposition, difference
from _storage import storages_sql
from _syntax import Day, Moved, Ref, Sum, is_place, label_names, not_in_blocks, program_text, walk

# beyond this an enumeration takes seconds
MOST_LABELS = 13
# programs that are tried until one is such as the suite is about
TRIES = 50


def flat(program):
    """A program without parentheses, and without the signs that depend on them, and conversions: a
    truth value has a type as soon as it is a statement's. Terms that are joined are subtracted,
    those of a union are negative."""
    program = re.sub("--|float[48]|complex(8|16)", "", re.sub("[()]", "", program))
    return program.replace("- -", "+ ").replace("+ -", "+ ").replace(" - ", " + ")


class Skipped(Exception):
    """The program is not what a suite is about."""


class Case:
    """One random program with data."""

    first_keys = True  # may keys begin at another number than 0?

    def __init__(self, session, seed, suite, targets=(), blocks=False):
        """targets: what the program has to have, cells of _targets.py; blocks: are labels split in blocks?"""
        self.session = session
        self.seed = seed
        self.suite = suite
        self.targets = targets
        self.blocks = blocks
        self.rng = random.Random("%s %d" % (suite, seed))
        self.text = ""
        self.setup = []
        self.notes = []
        self.dearer = None  # of the suite heuristic: the cost found, by the least

    def generate(self):
        """A program whose values the oracle knows, in the exact suites exactly."""
        exact = self.suite not in ("tolerance", "smooth", "divisors")
        dense = self.suite in ("fills", "smooth") or self.suite in ("optimal", "every", "heuristic") and self.rng.random() < 0.5
        for attempt in range(1000):
            seed = self.rng.getrandbits(48)
            if self.suite == "long":
                generator = LongGenerator(seed, self.blocks)
            elif self.suite == "divisors":
                generator = DivisorGenerator(seed, self.blocks)
            elif self.suite == "complex":
                generator = ComplexGenerator(seed, True, self.blocks, self.targets)
            elif self.suite == "rewritten":
                generator = RewrittenGenerator(seed, self.blocks)
            elif dense:
                generator = DenseGenerator(seed, exact, self.blocks, self.targets)
            else:
                generator = Generator(seed, exact, self.suite == "open", self.blocks)
            self.program = generator.program()
            self.tensors = generator.stored
            self.open = generator.open
            if self.first_keys:
                self.begin_keys(generator.bounds, random.Random("first keys %d" % seed))
            narrow = (exact or self.suite == "divisors") and self.rng.random() < 0.15
            kind = {"long": LongOracle, "divisors": DivisorOracle}.get(self.suite, Oracle)
            self.oracle = kind(FLOAT4 if narrow else FLOAT8)
            self.expected = evaluate(self.program, self.oracle)
            if narrow and self.oracle.rounded:
                narrow = False
                self.oracle = kind()
                self.expected = evaluate(self.program, self.oracle)
            if narrow:
                self.narrow()
            self.exact = all(v.scale is not None for v in self.expected)
            if exact and not self.exact:
                continue
            if not (self.dividing() if self.suite == "divisors" else self.telling()):
                continue
            break
        self.text = program_text(self.program, seed=self.rng.getrandbits(16))

    def begin_keys(self, bounds, rng):
        """Lets the keys of some sorts begin at another number than 0."""
        targets = [s.target for s in self.program]
        nodes = [node for s in self.program for node in walk(s.expr)]
        # days are no constants in programs, and no numbers
        plain = not any(is_place(n) or isinstance(n, Moved) and any(isinstance(p, int) for p in n.places) for n in nodes)
        some = [0, 0, 1, 1, 3, 100, 2**31 - 2] + [Day(7300), Day(7360)] * plain + [-2] * (not any(t.moved for t in self.tensors + targets))
        firsts = {s: rng.choice(some) if b and s not in self.open else 0 for s, b in sorted(bounds.items())}
        for tensor in self.tensors + targets if any(firsts.values()) and rng.random() < 0.5 else []:
            tensor.firsts = tuple(firsts[s] for s in tensor.sorts)

    def narrow(self):
        """Tensors of less precise numbers, which the values fit."""
        for tensor in self.tensors:
            if self.rng.random() < 0.6:
                tensor.element = {"float8": "float4", "complex16": "complex8"}[tensor.element]

    def telling(self):
        """Would a wrong result show? Seldom where it is constant or infinite."""
        for value in self.expected:
            good = value.v[~value.p]
            if good.size * 2 < value.v.size:
                return False
            if not good.size or not np.isfinite(good).all() or (good.size > 1 and (good == good.flat[0]).all()):
                return self.rng.random() < 0.05
        return True

    def dividing(self):
        """Does a program divide by 0, and would a wrong result show? Most entries are finite."""
        if not self.oracle.nothing + self.oracle.something and self.rng.random() < 0.9:
            return False
        for value in self.expected:
            known = value.v[~value.p]
            finite = known[np.isfinite(known)]
            if finite.size * 2 < value.v.size and self.rng.random() < 0.8 or known.size * 3 < value.v.size * 2:
                return False
            if not finite.size or (known.size > 1 and (known == known.flat[0]).all()):
                return self.rng.random() < 0.03
        return True

    def store(self, analyze):
        # an infinity times a sum is not the sum of infinities
        addends = self.suite != "divisors"
        self.setup = storages_sql(self.tensors, self.rng, analyze, self.open, self.blocks, addends)
        if self.blocks:
            # sizes that the search considers; the default ones are larger than any bound here
            self.setup.append("SET LOCAL sparseeinsum.blocks = '%s'" % self.rng.choice(["2,3", "2,3", "2", "3", "4", "5,2", "64"]))
        self.setup.append('CREATE SCHEMA "other schema"')
        self.rng.random()  # programs of a seed stay the same
        # drawn apart from the rest, which stays the same for a seed
        nest = os.environ.get("RANDOM_AGGREGATE_JOIN") or random.Random(self.seed).choice(["force", "force", "force", "on", "off"])
        self.setup.append("SET LOCAL sparseeinsum.enable_aggregate_join = " + nest)
        if self.rng.random() < 0.04 and len(self.program) < 4:
            # parallel workers, for aggregates that combine partial states and loop nests that divide groups;
            # the SQL of four statements starts dozens for each of the plans, which takes minutes
            self.setup += [
                "SET LOCAL max_parallel_workers_per_gather = 2",
                "SET LOCAL min_parallel_table_scan_size = 0",
            ]
            self.rng.choice(range(3))  # programs of a seed stay the same
            # workers for every scan leave little to divide above them
            if self.rng.random() < 0.5:
                self.setup += ["SET LOCAL parallel_setup_cost = 0", "SET LOCAL parallel_tuple_cost = 0"]
        self.session.imaginary = self.suite == "complex"
        self.session.begin(self.setup)

    def check(self, value, n, what):
        wrong = difference(value, self.expected[n], self.exact)
        if wrong:
            raise Failure("%s: %s: %s" % (what, self.program[n].target.name, wrong))

    def run(self):
        """Runs the suite on the first of several programs that is one for it."""
        for attempt in range(TRIES):
            self.notes = []
            self.generate()
            try:
                self.store({"optimal": 0.9, "open": 0.9, "every": 0.9}.get(self.suite, 0.5))
                getattr(self, "suite_" + self.suite)()
                return
            except Skipped:
                if attempt == TRIES - 1:
                    raise
            finally:
                if not self.session.connection.closed:
                    self.session.end()

    # pins

    def sizes(self, statement):
        """The bound of each label of a statement."""
        bounds = dict(zip(statement.labels, statement.target.bounds))
        for node in walk(statement.expr):
            if isinstance(node, Ref):
                bounds.update(zip(node.labels, node.bounds() if isinstance(node, Moved) else node.tensor.bounds))
            elif isinstance(node, Sum):
                bounds.update(node.labels)
        return bounds

    def any_pin(self, bound):
        """promoted, demoted, or in blocks of some size"""
        if self.blocks and bound > 1 and self.rng.random() < 0.4:
            return self.rng.randint(1, bound)
        return self.rng.choice("U*")

    def pinned(self, choose):
        """The program's text with pins chosen by choose(name, bound)."""
        left, right = [], []
        for statement in self.program:
            bounds = self.sizes(statement)
            whole = not_in_blocks(statement)
            pins = {name: choose(name, bounds[name]) for name in label_names(statement)}
            pins = {name: "*" if name in whole and isinstance(pin, int) else pin for name, pin in pins.items()}
            right.append(pins)
            left.append({n: pins[n] for n in statement.labels})
        return program_text(self.program, left, right)

    def randomly_pinned(self, promoted=None):
        """promoted: for each statement, names that cannot be demoted."""
        rng = self.rng
        left, right = [], []
        for k, statement in enumerate(self.program):
            bounds = self.sizes(statement)
            some = rng.choice([0, 0.3, 0.7, 1])
            fixed = promoted[k] if promoted else ()
            whole = not_in_blocks(statement)
            pins = {
                name: "U" if name in fixed else self.any_pin(0 if name in whole else bounds[name]) if rng.random() < some else None
                for name in label_names(statement)
            }
            right.append(pins)
            on_left = {}
            if rng.random() < 0.7:
                for n in statement.labels:
                    if rng.random() < 0.6:
                        on_left[n] = pins[n] or self.any_pin(0 if n in whole else bounds[n])
            left.append(on_left)
        return program_text(self.program, left, right)

    def mixed(self):
        """The program with one tensor that has labels of several choices."""
        rng = self.rng
        some = [(k, tuple(dict.fromkeys(node.labels))) for k, s in enumerate(self.program)
                for node in walk(s.expr) if isinstance(node, Ref) and not s.algebra]
        some = [(k, labels) for k, labels in some if len(labels) > 1]
        if not some:
            return self.randomly_pinned()
        k, labels = rng.choice(some)
        choices = ["U", "*"] + [rng.choice("U*") for _ in labels[2:]]
        if self.blocks and rng.random() < 0.6 and not not_in_blocks(self.program[k]) & set(labels):
            choices[rng.randrange(len(choices))] = rng.choice([2, 3])
        rng.shuffle(choices)
        return program_text(self.program, None, [dict(zip(labels, choices)) if n == k else {} for n in range(len(self.program))])

    # suites

    def plans(self):
        """(what, text, options) of all ways in which a program is run."""
        rng = self.rng
        text = self.text
        some = [({}, text)]
        some += [({"alternative": n}, text) for n in (2, 3)]
        some += [({"search": "greedy"}, text), ({"rewrite": rng.choice(["none", "reassociate"])}, text)]
        some += [({"result": shape}, text) for shape in ("rows", "dense")]
        some += [({"estimator": estimator}, text) for estimator in ("uniform", "chain", "distinct")]
        named = [("chosen plan" if not options else str(options), text, options) for options, text in some]
        named.append(("all promoted", self.pinned(lambda name, bound: "U"), {}))
        named.append(("all demoted", self.pinned(lambda name, bound: "*"), {}))
        if self.blocks:
            size = rng.choice([2, 2, 3, 4])
            named.append(("all in blocks", self.pinned(lambda name, bound: min(size, bound) or "U"), {}))
            named.append(("blocks of any size", self.pinned(lambda name, bound: rng.randint(1, bound) if bound else "U"), {}))
        named.append(("random pins", self.randomly_pinned(), {}))
        named.append(("mixed choices", self.mixed(), {}))
        named.append(("as written", self.randomly_pinned(), {"search": "as_written"}))
        if self.suite == "long":
            # not what joins as many tables as there may be, or sums late: such plans take minutes
            named = [n for n in named if n[2].get("rewrite") != "none" and n[2].get("search") != "as_written"]
        return named

    def suite_values(self):
        session = self.session
        last = len(self.program) - 1

        def run(asked):
            self.notes = []
            texts = {what: text for what, text, _ in asked}
            for what, value in session.values(asked):
                self.notes = [] if texts[what] == self.text else ["%s:\n%s" % (what, texts[what])]
                self.check(value, last, what)
            self.notes = []

        run(self.plans())
        self.as_program(self.text)
        self.points()
        # so dear that what is read twice is kept
        names = ("agg_tuple", "group", "kernel_matrix", "kernel_streaming", "kernel_general")
        session.rows("; ".join(["SET LOCAL sparseeinsum.cost_%s = 10000" % name for name in names] + ["SAVEPOINT s"]))
        run([("computed dearly, " + m, self.text, {"materialize": m}) for m in ("auto", "never")])
        self.views(self.text)
        self.living()

    suite_long = suite_values

    def suite_rewritten(self):
        """All levels of rewriting, with costs that make many forms the best one, and with a small budget."""
        self.suite_values()
        self.settings()
        self.levels()
        self.session.rows("SET LOCAL sparseeinsum.rewrite_budget = %d; SAVEPOINT s" % self.rng.randint(1, 20))
        self.levels()

    def levels(self):
        for text in (self.text, self.randomly_pinned()):
            self.notes = [] if text == self.text else ["pinned:\n" + text]
            try:
                for what, value in self.session.values([(level, text, {"rewrite": level}) for level in ("none", "reassociate", "distribute")]):
                    self.check(value, len(self.program) - 1, what)
            except Failure as failure:
                # pins against max_kernel_bytes
                if text == self.text or "no decomposition is within the limits" not in str(failure):
                    raise
                continue
            self.never_costlier(text)
        self.notes = []

    def never_costlier(self, text):
        """The program as it is written is among the forms, whatever the level and the budget."""
        costs = {level: self.session.plans(text, level, rewrite=level, materialize="never")[0]["cost"] for level in ("none", "reassociate", "distribute")}
        if any(cost > costs["none"] * (1 + 1e-9) for cost in costs.values()):
            raise Failure("costs more than as written: %s" % costs)

    def points(self):
        """The result at some keys."""
        text = self.rng.choice([self.pinned(lambda name, bound: "U"), self.randomly_pinned(), self.text])
        options = {"result": "rows"} if text == self.text else {}
        ask(self, text, options, 3)
        self.notes = []

    suite_tolerance = suite_values

    def suite_fills(self):
        rng = self.rng
        self.suite_values()
        last = len(self.program) - 1
        if last > 0:
            self.read_by_another(rng.randrange(1, last + 1))

    suite_smooth = suite_fills
    suite_divisors = suite_fills
    suite_complex = suite_fills

    def read_by_another(self, count):
        """A program that reads what the views of another are registered as."""
        session = self.session
        options = {"result": self.rng.choice(["auto", "rows", "dense"])}
        first = program_text(self.program[:count])
        second = program_text(self.program[count:])
        self.notes = ["views of:\n" + first, "read by:\n" + second]
        session.decompose(first, "einsum_decompose of the first %d" % count, **options)
        what = "a program over views"
        self.check(session.value(second, what), len(self.program) - 1, what)
        session.attempt("SELECT einsum_drop('random')", "einsum_drop")
        session.attempt("SAVEPOINT s", "savepoint")
        self.notes = []

    def as_program(self, text):
        """format => 'program', read as written, is the same program."""
        session = self.session
        printed = session.plan(text, "format => 'program'", format="program")
        self.notes = ["as program:\n" + printed]
        last = len(self.program) - 1
        what = "the plan as a program"
        self.check(session.value(printed, what, search="as_written", rewrite="none"), last, what)
        if "result repartitioned" not in session.plan(text, "plan"):
            # the same stages; parentheses tell only what is applied after a sum
            again = session.plan(printed, what, search="as_written", rewrite="none", format="program")
            # a diagonal of a label with one index is not written where the sum over it is seen
            if flat(again) != flat(printed) and not any(1 in t.bounds for t in self.tensors):
                raise Failure("%s is planned as\n%s" % (what, again))
        self.notes = []

    def views(self, text):
        """The views of a program are its tensors."""
        rng = self.rng
        options = {}
        if rng.random() < 0.3:
            options["search"] = "greedy"
        elif rng.random() < 0.3:
            options["alternative"] = rng.choice([2, 3, 5])
        if rng.random() < 0.3:
            options["schema"] = "other schema"
        if self.rng.random() < 0.5:
            options["result"] = self.rng.choice(["auto", "rows", "dense"])
        if self.rng.random() < 0.5:
            text = self.randomly_pinned()
        self.notes = ["views of:\n" + text]
        options["materialize"] = self.rng.choice(["auto", "never", "always"])
        try:
            self.decomposed(text, options)
        except NoPlan:
            options.pop("alternative")
            self.decomposed(text, options)
        self.notes = []

    def living(self):
        """Views and tables made while the tables were empty, when they no longer are."""
        session = self.session
        tables = [storage.table for tensor in self.tensors for storage in tensor.storages]
        options = {"materialize": self.rng.choice(["auto", "never", "always"])}
        if self.rng.random() < 0.5:
            options["result"] = self.rng.choice(["auto", "rows", "dense"])
        text = self.rng.choice([self.text, self.randomly_pinned()])
        self.notes = ["made of empty tables: %s\n%s" % (options, text)]
        session.rows("; ".join("CREATE TEMP TABLE kept_%s AS TABLE %s; DELETE FROM %s" % (t, t, t) for t in tables) + "; SAVEPOINT s")
        filled = ["INSERT INTO %s TABLE kept_%s" % (t, t) for t in tables]
        if options["materialize"] == "always":
            filled.append("SELECT einsum_refresh('random')")
        self.decomposed(text, options, "; ".join(filled))
        self.notes = []

    def decomposed(self, text, options, then=None):
        """The views of a program, after something else has been done."""
        session = self.session
        stages = dict(session.decompose(text, "einsum_decompose %s" % options, **options))
        if then:
            session.attempt(then, then)
        stages = {name.split(".")[-1]: (name, notation) for name, notation in stages.items()}
        for n, statement in enumerate(self.program):
            name = statement.target.name
            if name not in stages:
                raise Failure("no view %s" % name)
            relation, notation = stages[name]
            if options.get("result", "rows") == "rows" and options.get("search") != "as_written":
                self.check_shape(n, text, notation)
            value = session.read_view(statement, notation, relation, self.open, session.fill(relation))
            self.check(value, n, "view %s %s" % (name, options))
        arguments = "'random'"
        if "schema" in options:
            arguments += ", '%s'" % options["schema"]
        session.attempt("SELECT einsum_drop(%s)" % arguments, "einsum_drop")
        session.attempt("SAVEPOINT s", "savepoint")

    def check_shape(self, n, text, notation):
        """A result has the columns that its left side says: each label is a key, unless one of them says something."""
        left = re.split(":=|<-|=", text.split(";\n")[n], maxsplit=1)[0]
        labels = re.findall(r'("[^"]*"|\w+)(:[0-9*]+)?', left[left.index("[") :]) if "[" in left else []
        says = any(size or label.isupper() and not label.startswith('"') for label, size in labels)
        for d, choice in enumerate(decomposition(notation)):
            if not says:
                expected = "U"
            elif labels[d][1] not in ("", ":*"):
                continue
            else:
                is_key = labels[d][0].isupper() and not labels[d][0].startswith('"') or self.program[n].target.sorts[d] in self.open
                expected = "U" if is_key else "*"
            if choice != expected:
                raise Failure("result %d is %s, of %s" % (n, notation, left))

    def suite_open(self):
        """No label that is open can be demoted, and a result has no dense value."""
        names = [self.open_names(s) for s in self.program]
        try:
            variants = [(self.text, {}), (self.text, {"alternative": 2}), (self.text, {"search": "greedy"})]
            variants.append((self.pinned(lambda name, bound: "U"), {}))
            variants += [(self.randomly_pinned(names), {}) for _ in range(2)]
            variants.append((self.randomly_pinned(names), {"search": "as_written"}))
            for text, options in variants:
                self.notes = ["views of:\n" + text]
                try:
                    self.decomposed(text, options)
                except NoPlan:
                    pass
            self.notes = []
        except Failure as failure:
            # an extension to an open label is an error
            if ": 2202E: " in str(failure):
                raise Skipped("open labels extended")
            raise

    def open_names(self, statement):
        names = set()
        for node in walk(statement.expr):
            if isinstance(node, Ref):
                names |= {n for n, s in zip(node.labels, node.tensor.sorts) if s in self.open}
        return names

    def settings(self):
        """Random costs, so that random programs have different best plans."""
        rng = self.rng
        sql = []
        for name in ("tuple", "agg_tuple", "group", "transfer", "kernel_matrix", "kernel_streaming", "kernel_general"):
            if rng.random() < 0.5:
                sql.append("SET LOCAL sparseeinsum.cost_%s = %g" % (name, 10 ** rng.uniform(-4, 1)))
        if rng.random() < 0.3:
            sql.append("SET LOCAL sparseeinsum.max_kernel_bytes = 1")
        if rng.random() < 0.2:
            sql.append("SET LOCAL sparseeinsum.cache_size = 0")
        for statement in sql:
            self.session.rows(statement)
        self.setup += sql
        if sql:
            self.session.rows("SAVEPOINT s")

    def planned(self, most_stages):
        """The text to plan and its stages; some labels are pinned."""
        text = self.text
        if self.rng.random() < 0.3:
            text = self.randomly_pinned()
        self.notes = ["planned:\n" + text]
        try:
            first = self.session.plans(text, "plans")[0]
        except Failure as failure:
            if "no decomposition is within the limits" in str(failure):
                raise Skipped("pins against the limits")
            raise
        stages = [s for s in first["stages"] if s["uses"] > 0]
        if not 1 <= len(stages) <= most_stages:
            raise Skipped("%d stages" % len(stages))
        return text

    def enumerated(self, text, plans, **options):
        try:
            return self.session.plans(text, "enumeration", search="exhaustive", plans=plans, **options)
        except Failure as failure:
            if "too many plans to enumerate" in str(failure):
                raise Skipped("too many plans")
            raise

    def suite_optimal(self):
        self.settings()
        text = self.planned(4)
        if sum(len(label_names(s)) for s in self.program) > MOST_LABELS:
            raise Skipped("too many labels")
        self.options = {"inputs": "any"} if self.rng.random() < 0.2 else {}
        # of one form: two forms of a program may come to the same SQL, and are compared as far as they are planned
        one_form = dict(self.options, rewrite="none")
        found = self.session.plans(text, "three plans", plans=3, **one_form)
        reference = self.enumerated(text, 3, **one_form)
        costs = [plan["cost"] for plan in found]
        least = [plan["cost"] for plan in reference]
        if found[0]["heuristic"]:
            raise Failure("the search was not exhaustive")
        if len(costs) != len(least) or any(
            abs(a - b) > 1e-9 * max(abs(a), abs(b)) for a, b in zip(costs, least)
        ):
            raise Failure("the three least costs are %s, found were %s" % (least, costs))
        if self.options:
            return  # SQL is for tables that exist
        texts = [
            self.session.plan(
                text, "SQL of alternative %d" % (n + 1), alternative=n + 1, format="sql", rewrite="none"
            )
            for n in range(len(costs))
        ]
        for n in range(len(texts)):
            if texts[n] in texts[:n]:
                raise Failure("alternative %d has the SQL of another:\n%s" % (n + 1, texts[n]))

    def suite_heuristic(self):
        """Only where the search says so may there be a cheaper plan; how much cheaper is counted."""
        self.settings()
        text = self.planned(4)
        if sum(len(label_names(s)) for s in self.program) > MOST_LABELS:
            raise Skipped("too many labels")
        # of one form: which forms are looked at depends on what their plans cost
        least = self.enumerated(text, 1, rewrite="none")[0]["cost"]
        self.session.rows("SET LOCAL sparseeinsum.search_budget = %d" % self.rng.choice([3, 6, 12, 24]))
        self.session.rows("SAVEPOINT s")
        found = self.session.plans(text, "heuristic", rewrite="none")[0]
        if not found["heuristic"]:
            raise Skipped("the budget was enough")
        if found["cost"] < least * (1 - 1e-9):
            raise Failure("the least cost is %s, found was %s" % (least, found["cost"]))
        dearer = found["cost"] / least if least else 1.0
        self.dearer = dearer
        last = len(self.program) - 1
        self.check(self.session.value(text, "heuristic", rewrite="none"), last, "heuristic")

    def suite_every(self):
        text = self.planned(4)
        # of the program as it is written; alternatives of other forms are among those of the suite values
        plans = self.enumerated(text, 201, rewrite="none")
        if not 2 <= len(plans) <= 200:
            raise Skipped("%d plans" % len(plans))
        last = len(self.program) - 1
        for n in range(1, len(plans) + 1):
            what = "enumerated plan %d" % n
            self.check(self.session.value(text, what, search="exhaustive", alternative=n, rewrite="none"), last, what)


SUITES = ("values", "tolerance", "fills", "smooth", "complex", "open", "optimal", "every", "heuristic", "long", "divisors", "rewritten")
