"""Random programs of sums of products, as people write them.

With tensors whose fill is 0 an expression is 0 where its tensors have no
entries, and a factor that is not 0 there (a comparison, exp, 1 - x) has only
labels of factors that are. _dense.py has the programs without such limits.
"""

import random

import numpy as np

from _laws import Lawful
from _syntax import Call, Neg, Num, Op, Ref, Statement, Sum, Tensor, free_labels, walk

NAMES = ["i", "j", "k", "l", "m", "n", "p", "q", "user", "long_name", "x1", "Odd x"]
MAX_LABELS = 6  # in scope at once: the oracle is dense


class Generator(Lawful):
    """exact: only what is exact in float8; otherwise any function.
    with_open: some labels are open, their index set is the keys that occur.
    blocks: bounds are such as blocks of several sizes divide and do not divide."""

    def __init__(self, seed, exact=True, with_open=False, blocks=False):
        self.rng = random.Random(seed)
        self.exact = exact
        self.stored = []
        self.results = []
        self.serial = 0
        count = self.rng.choice([1, 2, 2, 3, 3])
        some = [1, 2, 2, 3, 3, 4, 5] + [4, 5, 6, 7] * blocks
        self.bounds = {s: self.rng.choice(some) for s in "ABC"[:count]}
        # sorts whose labels are open, with the type of their keys
        self.open = {}
        self.fills = None  # all 0, or a list to choose from
        if with_open:
            for sort in self.rng.sample(sorted(self.bounds), self.rng.choice([1, 1, count])):
                self.open[sort] = self.rng.choice(["int", "bigint", "text", "uuid"])

    def chance(self, probability):
        return self.rng.random() < probability

    # tensors

    def tensor(self, sorts, divisor=False, fill=None, kind=None):
        rng = self.rng
        shape = tuple(self.bounds[s] for s in sorts)
        generator = np.random.default_rng(rng.getrandbits(32))
        kind = kind or rng.choices(["sparse", "dense", "partly", "ones", "empty"], [5, 3, 3, 1.5, 0.4])[0]
        values = generator.choice([1, 2, 4, -1, -2] if divisor else [-3, -2, -1, 1, 2, 3, 4], shape)
        if kind == "sparse":
            keep = generator.random(shape) < rng.choice([0.15, 0.3, 0.5])
        elif kind == "partly" and shape:
            # some rows are full, others absent
            keep = generator.random(shape[:1]) < 0.5
            keep = np.broadcast_to(keep.reshape((-1,) + (1,) * (len(shape) - 1)), shape)
        elif kind == "empty":
            keep = np.zeros(shape, bool)
        else:
            keep = generator.random(shape) < 1.1
        if kind == "ones":
            values = np.ones(shape, int)
            keep = generator.random(shape) < 0.5
        if fill is None:
            fill = float(rng.choice(self.fills)) if self.fills else 0.0
        data = np.where(keep, values, fill).astype(float)
        # drawn apart, so that a seed makes the programs that it made before there were symmetric tensors
        if len(sorts) > 1 and sorts[-1] == sorts[-2] and not divisor and random.Random(repr(data.tolist())).random() < 0.4:
            data = np.where(np.tri(shape[-1], dtype=bool), data, data.swapaxes(-1, -2))
        self.serial += 1
        name = "abcdefgh"[(self.serial - 1) % 8] + (str(self.serial // 8) if self.serial > 8 else "")
        made = Tensor(name, shape, tuple(sorts), data, kind, divisor, fill)
        self.stored.append(made)
        return made

    def pick(self, scope, wanted=(), divisor=False):
        """A reference over labels of scope that has the wanted ones."""
        rng = self.rng
        if self.chance(0.7) or len(self.stored) > 4:
            candidates = [t for t in self.stored if t.divisor == divisor]
            if not divisor:
                candidates = candidates + self.results * 3
            rng.shuffle(candidates)
            for tensor in candidates:
                labels = self.fit(tensor, scope, wanted)
                if labels is not None:
                    return Ref(tensor, labels)
        labels = list(wanted)
        room = 4 - len(labels)
        if room > 0 and scope:
            for _ in range(rng.choice([0, 0, 1, 1, 2])):
                if len(labels) < 4:
                    # seldom the same label twice
                    fresh = [n for n in scope if n not in labels]
                    if fresh and not self.chance(0.1):
                        labels.append(rng.choice(fresh))
                    elif self.chance(0.3):
                        labels.append(rng.choice(list(scope)))
        if not labels and scope and not self.chance(0.15):
            labels = [rng.choice(list(scope))]
        rng.shuffle(labels)
        return Ref(self.tensor([scope[n] for n in labels], divisor), tuple(labels))

    def fit(self, tensor, scope, wanted):
        labels = []
        for sort in tensor.sorts:
            names = [n for n in scope if scope[n] == sort]
            first = [n for n in names if n in wanted and n not in labels]
            fresh = [n for n in names if n not in labels]
            if first:
                labels.append(self.rng.choice(first))
            elif fresh and not self.chance(0.1):
                labels.append(self.rng.choice(fresh))
            elif names and self.chance(0.5):
                labels.append(self.rng.choice(names))
            else:
                return None
        return tuple(labels) if set(wanted) <= set(labels) else None

    def label_names(self):
        """Those that an aggregate may bind: no name is bound and summed implicitly."""
        return [n for n in NAMES if n not in self.implicit]

    # expressions; scope maps the names of labels to their sorts

    def product(self, scope, wanted, depth):
        """A product of references and more that covers the wanted labels."""
        rng = self.rng
        factors = []
        covered = {}
        missing = list(wanted)
        rng.shuffle(missing)
        while missing or not factors:
            take = missing[: rng.choice([1, 2, 2, 3])]
            factor = self.pick(scope, take)
            factors.append(factor)
            covered.update(dict.fromkeys(factor.labels))
            missing = [n for n in missing if n not in covered]
        # others that are 0 where they are absent
        for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
            factors.append(self.factor({n: scope[n] for n in scope}, depth))
        if self.chance(0.15):
            factors.append(self.guard({n: scope[n] for n in covered}, depth))
        if self.chance(0.12):
            factors.append(Num(rng.choice([2, 3, -1, 0.5, 0.25, 1, -2, 0] + ([] if self.exact else [0.1, 1 / 3]))))
        if self.chance(0.2):
            factors.append(factors[0])
        rng.shuffle(factors)
        expr = factors[0]
        for factor in factors[1:]:
            if self.chance(0.1):
                factor = Op("*", factor, self.pick(scope)) if self.chance(0.5) else factor
                expr = Op("*", factor, expr)
            else:
                expr = Op("*", expr, factor)
        if self.chance(0.12):
            expr = Op("/", expr, self.divisor({n: scope[n] for n in covered}, depth))
            if self.chance(0.2):
                expr = Op("*", expr, self.pick(scope))
        if self.chance(0.06):
            expr = Neg(expr)
        return expr

    def divisor(self, scope, depth):
        if self.chance(0.3):
            return Num(self.rng.choice([2, 4, 0.5, -2] + ([] if self.exact else [3, 6])))
        if not self.exact and self.chance(0.6):
            if self.chance(0.5):
                return Op("+", Call("abs", [self.pick(scope)]), Num(1.5))
            return self.sum({n: scope[n] for n in scope}, depth + 1)
        return self.pick(scope, divisor=True)

    def factor(self, scope, depth):
        """Something that is 0 where its tensors are absent, of labels in scope."""
        kind = self.rng.random()
        if kind < 0.45 or depth >= 2:
            return self.pick(scope)
        if kind < 0.65:
            return self.sum(scope, depth + 1)
        if kind < 0.73:
            return self.lawful(scope, depth)
        if kind < 0.85:
            return self.function(self.pick(scope) if self.chance(0.6) else self.union(scope, depth + 1))
        return self.union(scope, depth + 1)

    def function(self, arg):
        choice = self.rng.choice(["abs", "relu", "sign", "floor", "^2", "^3", ">", "<>", "scale", "least", "ceil", "round", "if"])
        if not self.exact and self.chance(0.6):
            choice = self.rng.choice(["sqrt", "tanh", "sin"])
        if choice == "sqrt":
            return Call("sqrt", [Call("abs", [arg])])
        if choice in ("^2", "^3"):
            return Op("^", arg, Num(int(choice[1])))
        if choice == ">":
            return Op(self.rng.choice([">", "<"]), arg, Num(0)) if self.chance(0.7) else Op(">=", arg, Num(1))
        if choice == "<>":
            return Op(self.rng.choice(["<>", "!="]), arg, Num(0))
        if choice == "scale":
            return Op("*", arg, Num(0.5))
        if choice == "least":
            return Call(self.rng.choice(["least", "greatest"]), [arg, Num(0)])
        if choice == "if":
            return Call("if", [Op("<", arg, Num(0)), Num(self.rng.choice([1, 2, -3])), Num(0)])
        return Call(choice, [arg])

    def guard(self, scope, depth):
        """A factor that need not be 0 where its tensors are absent."""
        rng = self.rng
        a = self.pick(scope) if depth >= 2 or self.chance(0.8) else self.sum(scope, depth + 1)
        b = self.pick(scope) if self.chance(0.5) else Num(rng.choice([0, 1, -1, 2]))
        kind = rng.choice(["compare", "compare", "plus", "if", "least", "zeroth"])
        if not self.exact and self.chance(0.6):
            kind = rng.choice(["exp", "sigmoid", "cos", "ln"])
        if kind == "compare":
            return Op(rng.choice(["<", "<=", ">", ">=", "==", "<>"]), a, b)
        if kind == "plus":
            return Op(rng.choice("+-"), Num(rng.choice([1, 2, -1])), a)
        if kind == "if":
            return Call("if", [Op(">", a, b), self.pick(scope), Num(2)])
        if kind == "least":
            return Call(rng.choice(["least", "greatest"]), [a, b])
        if kind == "zeroth":
            return Op("^", a, Num(0))
        if kind == "ln":
            return Call("ln", [Op("+", Call("abs", [a]), Num(1.5))])
        if kind == "exp":
            return Call("exp", [Call(rng.choice(["tanh", "sign"]), [a]) if self.chance(0.5) else a])
        return Call(kind, [a])

    def union(self, scope, depth):
        rng = self.rng
        terms = []
        for _ in range(rng.choice([2, 2, 3])):
            part = {n: scope[n] for n in scope if self.chance(0.8)} or scope
            if self.chance(0.7) or depth >= 2:
                terms.append(self.pick(part))
            else:
                terms.append(self.term(part, [], depth + 1))
        return self.united(terms)

    def united(self, terms):
        expr = terms[0]
        for term in terms[1:]:
            if self.chance(0.15):
                expr = Op(self.rng.choice("+-"), term, expr)
            else:
                expr = Op(self.rng.choice("++-"), expr, term)
        return expr

    def sum(self, scope, depth):
        """sum[names] of a product over them and some of scope."""
        rng = self.rng
        inner = dict(scope)
        bound = []
        for _ in range(rng.choice([1, 1, 2])):
            if len(inner) >= MAX_LABELS and not self.chance(0.1):
                break
            free = [n for n in NAMES if n not in inner and n not in self.implicit]
            # the name of a label outside may be used again
            shadowed = [n for n in scope if n not in self.implicit and n not in bound]
            name = rng.choice(shadowed) if shadowed and self.chance(0.15) else rng.choice(free)
            if name in bound:
                continue
            inner[name] = rng.choice(sorted(self.bounds))
            bound.append(name)
            self.explicit.add(name)
        if not bound:
            return self.pick(scope)
        outer = [n for n in scope if n not in bound]
        wanted = bound + [n for n in outer if self.chance(0.4)]
        if self.chance(0.2) and depth < 2:
            body = self.united([self.product(inner, wanted, depth + 1), self.term(inner, [], depth + 1)])
        else:
            body = self.term(inner, wanted, depth)
        return Sum(tuple((n, self.bounds[inner[n]]) for n in bound), body)

    def term(self, scope, wanted, depth):
        if self.chance(0.12) and depth < 2:
            return self.function(self.product(scope, wanted, depth + 1))
        if self.chance(0.12) and depth < 2:
            # what has all labels, and something for the laws
            return Op("*", self.product(scope, wanted, depth + 1), self.lawful(scope, depth))
        return self.product(scope, wanted, depth)

    def statement(self, number):
        rng = self.rng
        names = rng.sample(NAMES, 12)
        rank = rng.choices([0, 1, 2, 3, 4], [2, 4, 5, 2, 0.5])[0]
        output = [names.pop() for _ in range(rank)]
        scope = {n: rng.choice(sorted(self.bounds)) for n in output}
        self.implicit = set()
        self.explicit = set()

        terms = []
        count = rng.choices([1, 2, 3], [6, 3, 1])[0]
        for k in range(count):
            wanted = [n for n in output if count == 1 or self.chance(0.7)]
            if k == count - 1:
                seen = {n for t in terms for n in self.free(t)}
                wanted += [n for n in output if n not in seen and n not in wanted]
            inner = dict(scope) if self.chance(0.8) else {n: scope[n] for n in wanted}
            extra = []
            implicit = self.chance(0.6)
            # a name is summed implicitly or bound explicitly, not both
            taken = self.explicit if implicit else self.implicit
            for _ in range(rng.choice([0, 1, 1, 2])):
                again = sorted(n for n in (self.implicit if implicit else self.explicit) if n not in inner)
                fresh = [n for n in names if n not in inner and n not in taken and n not in output]
                if len(inner) >= MAX_LABELS or not fresh:
                    break
                name = rng.choice(again) if again and self.chance(0.4) else rng.choice(fresh)
                inner[name] = rng.choice(sorted(self.bounds))
                extra.append(name)
                (self.implicit if implicit else self.explicit).add(name)
            if implicit:
                term = self.product(inner, wanted + extra, 0)
            else:
                term = self.term(inner, wanted + extra, 0)
            if extra:
                term = Sum(tuple((n, self.bounds[inner[n]]) for n in extra), term, implicit)
            terms.append(term)
        expr = self.united(terms)
        nested = any(isinstance(n, Sum) and n.implicit for n in walk(expr))
        if self.chance(0.15) and not nested:
            expr = self.function(expr)
        if rank == 0 and self.chance(0.15):
            expr = Op("+", expr, Num(rng.choice([1, -2, 0.5])))
        target = Tensor(
            "r%d" % number, tuple(self.bounds[scope[n]] for n in output), tuple(scope[n] for n in output)
        )
        self.results.append(target)
        return Statement(target, tuple(output), expr, dict(scope))

    def free(self, expr):
        return free_labels(expr)

    def program(self):
        self.statements = []
        for n in range(self.rng.choices([1, 2, 3, 4], [4, 4, 2, 1])[0]):
            self.statements.append(self.statement(n + 1))
        return self.statements
