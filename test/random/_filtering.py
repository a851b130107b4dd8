"""Views that leave rows out: of a table with rows that the tensor must not have."""

# how a view leaves out the rows of which "which" is 100 or more
WAYS = [
    "{table} r WHERE r.which + 0 < 100",
    "{table} r WHERE length(repeat(r.which::text, 2)) < 5",
    "{table} r JOIN generate_series(0, 99) k ON k = r.which",
    "{table} r WHERE r.which IN (SELECT generate_series(0, 99))",
    "{table} r WHERE NOT EXISTS (SELECT FROM generate_series(100, 120) d WHERE d = r.which)",
    "generate_series(0, 99) k, LATERAL (SELECT * FROM {table} WHERE which = k) r",
    "(SELECT * FROM {table} WHERE which % 2 = 0 AND which + 0 < 100 UNION ALL"
    " SELECT * FROM {table} WHERE which % 2 = 1 AND which < 100) r",
    "(SELECT *, row_number() OVER (PARTITION BY which) FROM {table}) r WHERE r.which < 100",
]


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def wrong(column_type, as_text, rng):
    """A value that is no key within a bound, no value of the tensor's shape, or no value at all."""
    if as_text:
        return rng.choice(["'junk'", "'junk'", "''", "'-1'", "NULL"])
    if column_type.startswith("tensor"):
        return rng.choice(["'[1,2,3,4,5,6,7]'", "'7'", "NULL"])
    if column_type.endswith("[]"):
        return rng.choice(["'{1,2,3,4,5,6,7}'", "'{{1},{2}}'", "NULL"])
    if column_type == "date":
        return rng.choice(["'1900-01-01'", "'infinity'"])
    if column_type == "uuid":
        return "'00000000-0000-0000-0000-999999999999'"
    return rng.choice(["'999'", "'-1'", "NULL"])


def filtering_sql(table, view, columns, rows, repeats, rng):
    """The table with more rows, the view of the given ones. Columns are pairs of a name and
    a type, rows hold SQL; repeats: may rows be equal?"""
    # keys and values that the view computes, of texts that are none in the other rows
    as_text = rng.random() < 0.4
    names = ", ".join(quoted(name) for name, _ in columns)
    types = [("text" if as_text else t) for _, t in columns]

    def row(values, which):
        values = [v if v == "NULL" or v.startswith("'") else "'%s'" % v for v in map(str, values)]
        return "(%s)" % ", ".join(["%s::%s" % pair for pair in zip(values, types)] + [str(which)])

    written = [row(values, rng.randrange(4)) for values in rows]
    for n in range(rng.randint(1, 4)):
        written.append(row([wrong(t, as_text, rng) for _, t in columns], 100 + n))
    rng.shuffle(written)
    selected = ", ".join("r.%s%s" % (quoted(n), "::%s AS %s" % (t, quoted(n)) if as_text else "") for n, t in columns)
    return [
        "CREATE TABLE %s (%s, which int)" % (table, ", ".join("%s %s" % (quoted(n), t) for (n, _), t in zip(columns, types))),
        "INSERT INTO %s (%s, which) VALUES %s" % (table, names, ", ".join(written)),
        "CREATE VIEW %s %sAS SELECT %s%s FROM %s"
        % (
            view, rng.choice(["", "", "WITH (security_barrier) "]), "" if repeats else rng.choice(["", "", "DISTINCT "]), selected,
            rng.choice(WAYS).format(table=table),
        ),
    ]  # fmt: skip
