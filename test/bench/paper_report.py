"""The paper's tables as Markdown, with its figures beside ours, and charts."""

import statistics

import report
from paper_work import CIRCUITS, PERTURBED, SHAPES, UNPERTURBED, WORKLOADS, paper

PEERS = ("Hyper", "PostgreSQL", "SQLite", "DuckDB")
MOST_OVER_BEST, LEAST_OF_GREEDY = 1.2, 0.9


def seconds(value):
    return "%.3g" % value if value < 100 else "{:,.0f}".format(value)


class Report:
    """of a state, on the data sets that were chosen"""

    def __init__(self, state, data_sets):
        self.state, self.data_sets = state, data_sets
        self.about = state.cells["about"]

    # cells

    def measured(self, *key):
        cell = self.state.get(*key)
        if cell is None:
            return "not run"
        if "error" in cell:
            return "error"
        return {"more": "> ", "slice": "~ "}.get(cell.get("how"), "") + seconds(cell["seconds"])

    def number(self, *key):
        cell = self.state.get(*key)
        return cell.get("seconds") if cell else None

    def known(self, *key):
        """the seconds of what ended within the limit"""
        cell = self.state.get(*key)
        return cell["seconds"] if cell and "seconds" in cell and cell.get("how") != "more" else None

    def stopped_below(self, limit, *key):
        cell = self.state.get(*key)
        return cell is not None and cell.get("how") == "more" and cell["seconds"] < limit

    @staticmethod
    def beside(here, there):
        return here if there is None else "%s (%s)" % (here, there if isinstance(there, str) else seconds(there))

    def ours_key(self, computation, data_set, n="1"):
        return "ours", computation, data_set, n

    # tables

    @staticmethod
    def table(head, rows):
        lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"

    def systems(self, *computations):
        rows = []
        for computation in computations:
            for who in PEERS:
                rows.append([WORKLOADS[computation].title, who] + [
                    self.beside(self.measured(who, computation, d), paper(computation, who, d)) for d in self.data_sets])
            for n, name in ("1", "sparseeinsum"), ("2", "its 2nd plan"), ("3", "its 3rd plan"):
                rows.append([WORKLOADS[computation].title, name] + [
                    self.beside(self.measured(*self.ours_key(computation, d, n)), paper(computation, "ours", d) if n == "1" else None)
                    for d in self.data_sets])
        return self.table(["computation", "system"] + self.data_sets, rows)

    def circuits(self):
        return self.table(["circuit", "form", "Opt", "2nd", "3rd"], [
            [name, form] + [self.beside(self.measured("circuit", name, form, str(n)), figures[n - 1] if form == "layers" else None)
                            for n in (1, 2, 3)]
            for name, figures in CIRCUITS.items() for form in ("layers", "gates")])

    def plans(self, computation, data_sets):
        """upper-case-lower-case notation of the chosen plans"""
        parts = []
        for data_set in data_sets:
            cell = self.state.get(*self.ours_key(computation, data_set))
            if cell and "notations" in cell:
                parts.append("%s, %s:\n\n%s\n" % (data_set, WORKLOADS[computation].title, "\n".join("    " + line for line in cell["notations"])))
        return "\n".join(parts)

    def greedy(self):
        return self.table(["computation", "search"] + self.data_sets, [
            [WORKLOADS[c].title, name] + [self.beside(self.measured(*key(c, d)), paper(c, who, d)) for d in self.data_sets]
            for c in ("sparse", "dense") for name, who, key in (
                ("dynamic programming", "ours", self.ours_key), ("greedy", "greedy", lambda c, d: ("greedy", c, d)))])

    def components(self):
        rows = []
        for c in "sparse", "dense":
            title = WORKLOADS[c].title
            rows.append([title, "execution"] + [self.beside(self.measured(*self.ours_key(c, d)), paper(c, "ours", d)) for d in self.data_sets])
            for name, who in ("planning", "schema"), ("loading", "sql"):
                row = [title, name]
                for d in self.data_sets:
                    plan, load = self.state.get(*self.ours_key(c, d)), self.state.get("load", d)
                    value = "not run"
                    if name == "planning" and plan and load and "planning" in plan:
                        value = seconds(plan["planning"] + load["statistics"])
                    if name == "loading" and load:
                        value = seconds(load["loading"])
                    row.append(self.beside(value, paper(c, who, d)))
                rows.append(row)
        return self.table(["computation", "component"] + self.data_sets, rows)

    def perturbed(self):
        row = [self.beside(self.measured(*self.ours_key("sparse", self.about["perturbed_on"])), UNPERTURBED)]
        head = ["as is"]
        for parameter, (_, tenth, ten) in PERTURBED.items():
            for times, figure in ("0.1", tenth), ("10", ten):
                head.append("%s x %s" % (parameter, "1/10" if times == "0.1" else times))
                row.append(self.beside(self.measured("perturbed", parameter, times), figure))
        return self.table(head, [row])

    def noise(self):
        rows = [["none"] + [self.beside(self.measured(*self.ours_key("layer", d)), paper("layer", "ours", d)) for d in self.data_sets]]
        for shape in SHAPES:
            row = ["Gamma(%s, %g)" % (shape, round(1 / SHAPES[shape]))]
            for d in self.data_sets:
                runs = [cell for cell in (self.state.get("noise", shape, d, str(seed)) for seed in range(1, 1 + self.about["seeds"])) if cell]
                times = [cell["seconds"] for cell in runs if "seconds" in cell]
                value = "not run"
                if times:
                    value = "%s%s to %s" % ("> " if any(cell.get("how") for cell in runs) else "", seconds(statistics.mean(times)), seconds(max(times)))
                    if len(times) < self.about["seeds"]:
                        value += ", %d run%s" % (len(times), "s" * (len(times) > 1))
                row.append(self.beside(value, paper("layer", shape, d)))
            rows.append(row)
        return self.table(["errors"] + self.data_sets, rows)

    # what it is to show

    def short(self):
        """the cells that fall short, and of how many"""
        found, count = [], 0

        def demand(name, here, limit, at_most=True):
            nonlocal count
            if here is None or limit is None or isinstance(limit, str):
                return
            count += 1
            if (here > limit) if at_most else (here < limit):
                found.append("%s: %s, demanded %s %s" % (name, seconds(here), "at most" if at_most else "at least", seconds(limit)))

        for c in WORKLOADS:
            for d in self.data_sets:
                ours = self.number(*self.ours_key(c, d))
                name = "%s, %s" % (WORKLOADS[c].title, d)
                demand(name + ", the paper", ours, paper(c, "ours", d))
                for who in PEERS:
                    demand("%s, %s" % (name, who), ours, self.number(who, c, d))
                plans = [self.known(*self.ours_key(c, d, n)) for n in "123"]
                # a plan that was stopped below the chosen one's time decides nothing
                if any(plans) and not (ours and any(self.stopped_below(ours, *self.ours_key(c, d, n)) for n in "23")):
                    demand(name + ", best of three plans", ours, MOST_OVER_BEST * min(filter(None, plans)))
                greedy = self.known("greedy", c, d)
                if greedy and ours:
                    demand(name + ", greedy search", greedy, LEAST_OF_GREEDY * ours, at_most=False)
        return found, count

    def text(self):
        about = self.about
        loads = [cell["load"] for cell in self.state.cells.values() if "load" in cell]
        found, count = self.short()
        charts = "" if about["short"] else "".join("![%s](benchmarks-%s.svg)\n\n" % (w.title, name) for name, w in WORKLOADS.items())
        return """# The tables of the SparseEinSum paper, measured

Written by `make bench-paper`; [test/bench/README.md](../test/bench/README.md) says how each is measured.

- machine: %s; everything runs in one thread
- versions: %s
- load average while measuring: %s (other work ran beside it where that is more than 1)
- seconds; %s%s; time limit of a statement %g s, of the chosen plans more (`PAPER_LIMIT`)%s

In parentheses: the paper's own figure, from its machine. `~`: foretold from slices; `>`: stopped at the limit; TLE, OOD: the paper's limits of
time and disk. PostgreSQL, SQLite, DuckDB and Hyper run the translation of PortableSQL. Every result is compared
with numpy's or scipy's; what is "not run" had no time.

%s## Tables 5 and 6: attention and convolution

%s
## Table 4: quantum circuits

Layers as in the paper, and gate by gate; planning and execution, without loading.

%s
## Tables 7 and 8: the schemas that are chosen

%s
## Table 9: greedy search

%s
## Table 10: components

Planning here is measuring the statistics and finding the plan, in the paper "Schema"; loading is COPY, keys and registration, in the paper
"SQL". Kernels need no time of their own: none is generated.

%s
## Table 11: other cost parameters

Sparse attention on %s. C_xfer is `cost_transfer`, C_kernel the three `cost_kernel_*`, C_fixed `cost_tuple`, `cost_agg_tuple` and `cost_group`.

%s
## Table 12: wrong estimates

The convolution, each estimate multiplied by a random number: mean and longest of %d runs.

%s
## What falls short

Of %d comparisons (below the paper's figure and every peer of this run; the chosen plan at most %g times the best of three; greedy at
least %g of it) %d.

%s""" % (about["machine"], ", ".join("%s %s" % item for item in about["versions"].items()),
            "%.1f to %.1f" % (min(loads), max(loads)) if loads else "none", "one run of each" if about["runs"] == 1 else "medians of %d runs" % about["runs"],
            "" if about["plan_runs"] == about["runs"] else ", of our chosen plans the median of %d" % about["plan_runs"],
            about["limit"],
            "; two data sets only" if about["short"] else "", charts, self.systems("sparse", "dense", "layer"), self.circuits(),
            self.plans("sparse", [d for d in ("P. CiteSeer",) if d in self.data_sets] or self.data_sets[:1]) + "\n" +
            self.plans("layer", [d for d in ("C. CiteSeer", "A. Comp") if d in self.data_sets]), self.greedy(), self.components(),
            about["perturbed_on"], self.perturbed(), about["seeds"], self.noise(), count, MOST_OVER_BEST, LEAST_OF_GREEDY, len(found),
            "".join("- %s\n" % line for line in found))

    def chart(self, path, computation):
        """all systems on all data sets, as multiples of ours; the paper's own SparseEinSum among them"""
        results = report.Results()
        for d in self.data_sets:
            title = "%s, %s" % (WORKLOADS[computation].title, d)
            for system, key in [(report.OURS, self.ours_key(computation, d))] + [(who, (who, computation, d)) for who in PEERS]:
                cell = self.state.get(*key)
                if cell and "seconds" in cell:
                    results.append(report.Row(title, title, system, 1, cell["seconds"], how=cell.get("how", "")))
            figure = paper(computation, "ours", d)
            if isinstance(figure, float | int):
                results.append(report.Row(title, title, "SparseEinSum, in the paper", 1, figure))
        report.write_chart(path, results)
