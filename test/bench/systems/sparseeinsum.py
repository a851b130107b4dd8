"""This extension: the tables of the graph, their registrations, and the views of
the programs."""

import copy_binary
import psycopg2

# notation, table, its columns, keys, and the bounds: N nodes, F features, H hidden.
# CHECKs of the keys' range and the vectors' shape save those of every row that is read.
EDGE = "i int check (i >= 0 and i < %(N)d), j int check (j >= 0 and j < %(N)d), val float8 not null, primary key (i, j)"
NODE = "i int primary key check (i >= 0 and i < %%(N)d), val tensor(float8,1) not null check (tensor_shape(val) = '{%%(%s)d}')"
TENSORS = [
    ("a[I,J]", "edge", EDGE, "NN"),
    ("al[I,J]", "link", EDGE, "NN"),
    ("x[I,k]", "node", NODE % "F", "NF"),
    ("hid[I,m]", "hidden", NODE % "H", "NH"),
    ("w1[k,m]", "w1", "val tensor not null", None),
    ("w2[m,c]", "w2", "val tensor not null", None),
    ("wq[k,m]", "wq", "val tensor not null", None),
    ("wk[k,m]", "wk", "val tensor not null", None)]


def connect(schema):
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("select set_config('search_path', %s, false)", (schema + ", public",))
    return cursor


def contents(graph, table):
    """columns and arrays of a table for binary COPY"""
    if table == "edge":
        return ["int", "int", "float"], [graph.i, graph.j, graph.value]
    if table == "link":
        return ["int", "int", "float"], [graph.link_i, graph.link_j, graph.link_value]
    if table in ("node", "hidden"):
        matrix = graph.x if table == "node" else graph.hidden
        return ["int", matrix.shape[1:]], [range(len(matrix)), matrix]
    matrix = getattr(graph, table)
    return [matrix.shape], [matrix[None]]


def load(cursor, schema, graph, tables, measure=True):
    """makes the tables in a new schema and registers them; measures them, or else
    leaves them to PostgreSQL's statistics"""
    cursor.execute("create schema " + schema)
    bounds = {"N": graph.nodes, "F": graph.x.shape[1], "H": graph.hidden.shape[1]}
    for notation, table, definition, labels in TENSORS:
        if table not in tables:
            continue
        cursor.execute("create table %s.%s (%s)" % (schema, table, definition % bounds))
        copy_binary.copy_in(cursor, table, *contents(graph, table))
        cursor.execute("vacuum analyze " + table)
        keys = [c.split()[0] for c in definition.split(", ") if " int" in c]
        cursor.execute("select einsum_register(%s, %s, keys => %s, value => 'val', bounds => %s::text[])",
                       (notation, table, keys, labels and [str(bounds[label]) for label in labels]))
        if measure:
            cursor.execute("select einsum_analyze(%s)", (notation.split("[")[0],))


def configure(cursor, work_mem, cache_size, workers, **_):
    """the settings of a run. Plans with workers are costed as usual; only the
    size from which a table is worth one is lowered, since vectors stored out of
    line leave small tables behind"""
    cursor.execute("set work_mem = '%s'; set sparseeinsum.cache_size = '%s'; set jit = off" % (work_mem, cache_size))
    cursor.execute("set max_parallel_workers_per_gather = %d; set min_parallel_table_scan_size = 0" % workers)


class Views:
    """the views of one workload, read serially or with one worker"""

    def __init__(self, cursor, workload, workers):
        self.cursor, self.workload, self.workers = cursor, workload, workers
        self.process = None if workers else cursor.connection.info.backend_pid
        self.view = workload.result

    def configure(self):
        configure(self.cursor, self.workload.work_mem, self.workload.cache_size, self.workers)

    def create(self, schema=None):
        """makes them, in a schema of their own if its name is given"""
        self.configure()
        if schema:
            self.cursor.execute("create schema " + schema)
            self.view = "%s.%s" % (schema, self.workload.result)
        self.cursor.execute("select count(*) from einsum_decompose(%s, %s, schema => %s)",
                            (self.workload.program, schema or self.workload.name, schema))
        value = self.workload.columns[-1]
        total = "sum(value)" if value == "float" else "einsum_sum_scalar('%s->', value)" % "ij"[:len(value)]
        self.query = "select %s from %s" % (total, self.view)

    def drop(self):
        self.cursor.execute("select einsum_drop(%s)", (self.workload.name,))

    def result(self):
        self.configure()
        return copy_binary.copy_out(self.cursor, "select * from " + self.view, self.workload.columns)

    def run(self):
        self.cursor.execute(self.query)
        return self.cursor.fetchone()[0]

    def explain(self, path):
        self.configure()
        self.cursor.execute("explain (analyze, buffers) " + self.query)
        plan = "\n".join(line for line, in self.cursor.fetchall())
        with open(path, "w") as file:
            file.write(plan + "\n")
        return plan


class DefaultViews(Views):
    """the same views with PostgreSQL's default settings, but for shared_buffers"""

    def __init__(self, cursor, workload, query):
        super().__init__(cursor, workload, 2)
        self.query = query

    def configure(self):
        configure(self.cursor, "4MB", "256MB", self.workers)
        self.cursor.execute("set jit = on; set min_parallel_table_scan_size = '8MB'")
