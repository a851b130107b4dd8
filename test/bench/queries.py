"""Queries whose result is read in full, as one number that results can be compared by, with time limits."""

from clock import Sample, TooSlow, serial_time, timed
from psycopg2.errors import QueryCanceled

FLOAT8, INT8 = 701, 20  # type codes


def scored(cursor, query):
    """the query for the sum of all elements of a result, which is its last column. A view has its type without planning
    it, which may take longer than any limit"""
    cursor.execute("create temporary view described as " + query)
    cursor.execute("select attname, atttypid from pg_attribute where attrelid = 'described'::regclass order by attnum desc limit 1")
    name, code = cursor.fetchone()
    cursor.execute("drop view described")
    number = name if code in (FLOAT8, INT8) else "tensor_reduce('sum', %s)::float8" % name
    return "select sum(%s)::float8 from (%s) r" % (number, query)


class Within:
    """a block whose statements may take the given seconds each; raises TooSlow"""

    def __init__(self, cursor, seconds):
        self.cursor, self.seconds = cursor, seconds

    def __enter__(self):
        self.cursor.execute("set statement_timeout = %d" % (self.seconds * 1000))

    def __exit__(self, kind, *_):
        late = kind is not None and issubclass(kind, QueryCanceled)
        try:
            self.cursor.execute("set statement_timeout = 0")
        except QueryCanceled:
            # the last statement ended without having asked whether it may go on
            late = True
            self.cursor.execute("set statement_timeout = 0")
        if late:
            raise TooSlow(self.seconds)


def first(cursor, query):
    """the first column of its first row"""
    cursor.execute(query)
    return cursor.fetchone()[0]


class Way:
    """one way to compute something: the times of its runs, and their result. within(seconds) limits a block, ask() gives
    the result; what was stopped took as long as it was given, and is not run again"""

    def __init__(self, name, within, ask, cost=None, process=None):
        self.name, self.within, self.ask, self.cost, self.process = name, within, ask, cost, process
        self.sample, self.stopped, self.result = Sample(), False, None

    @property
    def seconds(self):
        """the least time: the processor's, which other load disturbs less, where one process does the work"""
        return min(self.sample.cpu if self.process else self.sample.wall)

    def run(self, seconds, memory):
        if self.stopped:
            return
        start = self.process and serial_time(self.process)
        try:
            with self.within(seconds):
                self.result, wall, _ = timed(self.ask, memory=memory)
            self.sample.add(wall, self.process and serial_time(self.process) - start)
        except TooSlow:
            self.stopped = True
            self.sample.add(seconds, seconds)


def way(cursor, name, query, cost=None):
    """a query of our server, read in full, which nothing helps with"""
    query = scored(cursor, query)
    return Way(name, lambda seconds: Within(cursor, seconds), lambda: first(cursor, query), cost, cursor.connection.info.backend_pid)


def call(cursor, function, text, **options):
    """the rows of a function of programs with named arguments, as one text"""
    if function in ("einsum_plan", "einsum_sql"):
        # what is chosen is measured
        options.setdefault("result", "auto")
    arguments = ", ".join(["%s"] + ["%s => %%s" % name for name in options])
    cursor.execute("select * from %s(%s)" % (function, arguments), [text, *options.values()])
    return "\n".join(line for line, in cursor.fetchall())


def is_sql(text):
    """is it SQL, and no program?"""
    return text.startswith("select")


def sql_by_hand(cursor, text):
    """the SQL of a form by hand, which is SQL itself or a program that is run as it is written"""
    return text if is_sql(text) else call(cursor, "einsum_sql", text, rewrite="none")


def agree(values, tolerance=1e-6):
    """are these sums the same but for rounding?"""
    low, high = min(values, default=0), max(values, default=0)
    return low == high or high - low <= tolerance * max(abs(low), abs(high), 1e-12)
