"""Expressions that the laws of sums and products have other forms of.

Squares and cubes of sums, sums in products, terms with common factors and common
divisors, like terms that add up or cancel, sums of products as factors, and below functions
beside what says where they are needed.
"""

from _syntax import Call, Num, Op, Sum

MOST = 6  # labels in scope at once


class Lawful:
    """For a generator: what it picks are references of labels in scope."""
    ordered = True  # are there numbers that are less than others?

    def lawful(self, scope, depth=0):
        kinds = [self.common, self.multiplied, self.like_terms, self.quotients, self.residual, self.chain, self.beside_killer]
        if depth < 2:
            kinds += [self.squared, self.squared]
        return self.rng.choice(kinds)(scope)

    def some(self, scope):
        part = {n: scope[n] for n in scope if self.chance(0.7)} or scope
        return self.pick(part)

    def terms(self, scope, count):
        """Some that are added up, with signs."""
        expr = self.some(scope)
        for _ in range(count - 1):
            expr = Op(self.rng.choice("+-"), expr, self.some(scope))
        return expr

    def inner_product(self, scope):
        """A product under a sum over a label of its own."""
        free = [n for n in self.label_names() if n not in scope]
        if len(scope) >= MOST or not free:
            return self.some(scope)
        name = self.rng.choice(free)
        self.explicit.add(name)
        inner = dict(scope)
        inner[name] = self.rng.choice(sorted(self.bounds))
        product = Op("*", self.pick(inner, [name]), self.pick(inner, [name] if self.chance(0.7) else []))
        return Sum(((name, self.bounds[inner[name]]),), product)

    def common(self, scope):
        """a * b + a * c, with b or c left out at times, and a's square."""
        factor = self.some(scope) if self.chance(0.7) else self.inner_product(scope)
        expr = None
        for _ in range(self.rng.choice([2, 2, 3])):
            term = factor
            if self.chance(0.8):
                pair = [factor, self.some(scope)]
                self.rng.shuffle(pair)
                term = Op("*", *pair)
            if self.chance(0.2):
                term = Op("*", factor, term)
            expr = term if expr is None else Op(self.rng.choice("+-"), expr, term)
        return expr

    def multiplied(self, scope):
        sums = [self.terms(scope, self.rng.choice([2, 2, 3])), self.some(scope) if self.chance(0.5) else self.terms(scope, 2)]
        if self.chance(0.3):
            sums[0] = Op(self.rng.choice("+-"), sums[0], self.inner_product(scope))
        self.rng.shuffle(sums)
        return Op("*", *sums)

    def squared(self, scope):
        base = Op(self.rng.choice("+--"), self.some(scope), self.inner_product(scope) if self.chance(0.5) else self.some(scope))
        power = Op("^", base, Num(self.rng.choice([2, 2, 2, 3])))
        return Op("*", power, self.some(scope)) if self.chance(0.3) else power

    def like_terms(self, scope):
        term = self.some(scope) if self.chance(0.5) else self.inner_product(scope)
        other = self.some(scope)
        expr = Op("+", Op("*", Num(self.rng.choice([2, 3, -1])), term), other)
        return Op(self.rng.choice("+-"), expr, term)

    def quotients(self, scope):
        divisor = self.pick(scope, divisor=True)
        return Op(self.rng.choice("+-"), Op("/", self.some(scope), divisor), Op("/", self.some(scope), divisor))

    def residual(self, scope):
        return Op("*", Op("-", self.inner_product(scope), self.some(scope)), self.some(scope))

    def beside_killer(self, scope):
        """What a function makes of sums, where something else is not at its fill."""
        killer, inner = self.pick(scope), self.inner_product(scope)
        if self.chance(0.3):
            inner = Op(self.rng.choice("+-"), inner, self.some(scope) if self.chance(0.5) else self.inner_product(scope))
        kinds = ["square", "abs", "compare", "divisor", "if", "plus", "extreme", "twice"]
        if not self.ordered:
            kinds = ["square", "abs", "if", "plus", "twice"]
        kind = self.rng.choice(kinds)
        if kind == "plus":
            return Op("+", killer, inner)
        if kind == "extreme":
            return Call(self.rng.choice(["greatest", "least"]), [killer, inner])
        if kind == "if":
            return Call("if", [killer, inner, Num(self.rng.choice([0, 2]))])
        if kind == "divisor":
            return Op("/", killer, Op("^", Num(2), Call("sign", [inner])))
        made = {"square": Op("^", inner, Num(2)), "abs": Call("abs", [inner]), "compare": Op(">", inner, Num(1)),
                "twice": Op("-", Op("^", inner, Num(2)), inner)}[kind]
        return Op("*", *self.rng.sample([killer, made], 2))

    def chain(self, scope):
        return Op("*", self.inner_product(scope), self.inner_product(scope))
