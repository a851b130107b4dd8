"""Scalar SQL for einsum programs, as the PortableSQL translation writes it: a
tensor is a table of its coordinates i, j, ... and val; a step with its operands
is FROM all operands, WHERE each further occurrence of a label equals the first,
SUM of the product, GROUP BY the labels of the result; a program is one common
table expression per pairwise step.
"""

COORDINATES = "ijkl"


class Step:
    """name[labels] = sum of the product of operands; an operand is a pair of a
    table and its labels. What is not a product (a degree's inverse root, relu)
    is written around the sum: function has it as {sum}."""

    def __init__(self, name, labels, operands, function="{sum}"):
        self.name, self.labels, self.operands, self.function = name, labels, operands, function

    def sql(self, window=None):
        """the query; window limits the first label of the result to a range"""
        first, equal = {}, []
        for n, (_, labels) in enumerate(self.operands):
            for coordinate, label in zip(COORDINATES, labels):
                column = "t%d.%s" % (n, coordinate)
                if label in first:
                    equal.append("%s = %s" % (first[label], column))
                else:
                    first[label] = column
        if window:
            column = first[self.labels[0]]
            equal.append("%s >= %d and %s < %d" % (column, window[0], column, window[1]))
        product = "sum(%s)" % " * ".join("t%d.val" % n for n in range(len(self.operands)))
        groups = list(dict.fromkeys(first[label] for label in self.labels))
        return "select %s from %s%s%s" % (
            ", ".join(["%s as %s" % (first[label], c) for c, label in zip(COORDINATES, self.labels)] +
                      ["%s as val" % self.function.format(sum=product)]),
            ", ".join("%s t%d" % (table, n) for n, (table, _) in enumerate(self.operands)),
            " where " + " and ".join(equal) if equal else "", " group by " + ", ".join(groups) if groups else "")


def checksum(steps, window=None):
    """one query for the sum of all elements of the last step's result"""
    tables = ", ".join("%s as (%s)" % (step.name, step.sql(window)) for step in steps)
    return "with %s select sum(val) from %s" % (tables, steps[-1].name)
