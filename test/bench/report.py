"""The table of all rows, the table of targets, the CSV and the chart."""

import csv

WIDTH, BAR, GAP, LABEL, NUMBER = 900, 16, 5, 330, 130
class Row:
    """one system on one workload. seconds: what the ratios are of, extrapolated
    where how says so; sample: the runs, or None"""

    def __init__(self, workload, title, system, threads, seconds, sample=None, how="", processor=None):
        self.workload, self.title, self.system, self.threads = workload, title, system, threads
        self.seconds, self.sample, self.how = seconds, sample, how
        self.processor = processor or (sample.processor if sample and not how else None)

    @property
    def label(self):
        return self.system + (", %d threads" % self.threads if self.threads > 1 else "")


class Results(list):
    def of(self, workload, system, threads=1):
        return next((r for r in self if (r.workload, r.system, r.threads) == (workload, system, threads)), None)

    def ratio(self, workload, system, threads, other, other_threads, processor=False):
        """seconds of one system over those of another, None where one is missing"""
        a, b = self.of(workload, system, threads), self.of(workload, other, other_threads)
        if a is None or b is None:
            return None
        if processor:
            return a.processor / b.processor if a.processor and b.processor else None
        return a.seconds / b.seconds


OURS = "sparseeinsum"


def print_rows(results):
    """times of a workload, as multiples of our serial run's"""
    title = None
    for row in results:
        if row.title != title:
            title = row.title
            print("\n%s\n  %-34s %12s %9s %9s %9s" % (title, "", "ms", "least", "cpu", "x ours"))
        ours = results.of(row.workload, OURS)
        print("  %-34s %12.1f %9s %9s %9s  %s" % (
            row.label, row.seconds * 1e3,
            "%.1f" % (row.sample.least * 1e3) if row.sample and not row.how else "",
            "%.1f" % (row.processor * 1e3) if row.processor else "",
            "%.2f" % (row.seconds / ours.seconds) if ours else "", row.how), flush=True)


class Target:
    """value is None where nothing ran; stopped says that it is not known, but worse than bound"""

    def __init__(self, work, value, bound, at_most, unit="x", processor=None, stopped=False):
        self.work, self.value, self.bound, self.at_most = work, value, bound, at_most
        self.unit, self.processor, self.stopped = unit, processor, stopped

    def line(self):
        if self.value is None:
            verdict, value = "not run", ""
        elif self.stopped:
            verdict, value = "short", "stopped"
        else:
            reached = self.value <= self.bound if self.at_most else self.value >= self.bound
            verdict, value = "PASS" if reached else "short", "%.2f %s" % (self.value, self.unit)
        cpu = "(cpu %.2f)" % self.processor if self.processor else ""
        return "%-66s %8s %6g %12s %-12s %s" % (
            self.work, "at most" if self.at_most else "at least", self.bound, value, cpu, verdict)


def targets(results, plans, growth):
    def ratio(work, bound, workload, other):
        return Target(work, results.ratio(workload, OURS, 1, other, 1), bound, True,
                      processor=results.ratio(workload, OURS, 1, other, 1, processor=True))

    def peer(name, bound, threads):
        return Target("two-layer convolution, %s over ours%s" % (name, ", both with two" if threads == 2 else ""),
                      results.ratio("convolution", name, threads, OURS, threads), bound, False,
                      processor=results.ratio("convolution", name, threads, OURS, threads, processor=True))

    def exported(threads):
        return Target("two-layer convolution, export + scipy + import over ours" + (", both with two" if threads == 2 else ""),
                      results.ratio("convolution", "export + scipy + import", threads, OURS, threads), 2, False)

    def parallel(work, workload, bound):
        return Target("%s, worker and leader over serial" % work, results.ratio(workload, OURS, 2, OURS, 1), bound, True)

    result = [
        ratio("adjacency times features, work_mem 64 MB, over scipy", 1.3, "product", "scipy"),
        ratio("adjacency times features, work_mem 4 MB, over scipy", 2, "product_4MB", "scipy"),
        peer("PostgreSQL", 100, 1), peer("PostgreSQL", 100, 2), peer("DuckDB", 20, 1), peer("DuckDB", 20, 2),
        peer("Hyper", 20, 1), peer("Hyper", 20, 2),
        ratio("two-layer convolution over scipy in memory", 2, "convolution", "scipy"),
        ratio("sparse attention over numpy's gathered product", 1.5, "attention", "scipy"),
        ratio("row vectors times a matrix over one DGEMM", 1.6, "rows", "scipy"),
        ratio("sum of outer products over one DGEMM", 1.5, "outer", "scipy"),
        parallel("adjacency times features, 64 MB", "product", 0.65),
        parallel("adjacency times features, 4 MB", "product_4MB", 0.83),
        parallel("two-layer convolution", "convolution", 0.75), parallel("sparse attention", "attention", 0.75),
        exported(1), exported(2)]
    slowest = max(((s, n) for n, s, error in plans if not error), default=None)
    result.append(Target("einsum_plan, slowest program" + (": " + slowest[1] if slowest else ""),
                         slowest and slowest[0] * 1e3, 20, True, "ms"))
    for name in dict.fromkeys(name for name, _ in growth):
        if name != "scipy":
            small, large = growth[name, 1], growth[name, 10]
            result.append(Target("edges x 10 over edges", large.median / small.median, 11, True,
                                 processor=large.processor / small.processor))
    if not growth:
        result.append(Target("edges x 10", None, 11, True))
    return result


def print_plans(plans):
    print("\neinsum_plan, statistics present\n  %-34s %12s" % ("", "ms"))
    for name, seconds, error in plans:
        print("  %-34s %12s  %s" % (name, "" if error else "%.2f" % (seconds * 1e3), error or ""))


def print_growth(growth):
    print("\nadjacency times features, edges x 10, cache_size 1 GB\n  %-34s %12s %12s %9s" % ("", "ms", "x 10: ms", "ratio"))
    for name in dict.fromkeys(name for name, _ in growth):
        small, large = growth[name, 1].median, growth[name, 10].median
        print("  %-34s %12.1f %12.1f %9.2f" % (name, small * 1e3, large * 1e3, large / small))


def write_csv(path, results, plans, growth):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["workload", "system", "threads", "seconds", "how", "runs", "processor_seconds"])
        for row in results:
            sample = row.sample
            out.writerow([row.workload, row.system, row.threads, "%.6f" % row.seconds, row.how,
                          " ".join("%.6f" % s for s in sample.wall) if sample else "",
                          " ".join("%.3f" % s for s in sample.cpu if s is not None) if sample else ""])
        for name, seconds, error in plans:
            out.writerow(["plan", name, 1, "" if error else "%.6f" % seconds, error or "", "", ""])
        for (name, times), sample in growth.items():
            out.writerow(["edges x %d" % times, name, 1, "%.6f" % sample.median, "",
                          " ".join("%.6f" % s for s in sample.wall), " ".join("%.3f" % s for s in sample.cpu)])


# Readable in light and dark; what is measured here is in colour, and what it is compared with is not.
CHART_STYLE = """<style>
:root{--page:#ffffff;--ink:#1b1f24;--dim:#57606a;--bar:#8c959f;--ours:#c2410c}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--ink:#e6edf3;--dim:#9aa4af;--bar:#6e7681;--ours:#ff9b5e}}
text{font:12px sans-serif;fill:var(--ink)}.title{font-weight:bold}.note{fill:var(--dim)}
rect,line{fill:var(--bar);stroke:none}line{stroke:var(--ink)}.page{fill:var(--page)}
.ours{fill:var(--ours)}text.ours{font-weight:bold}
</style>
"""
CHART_NOTES = [
    "Time as a multiple of sparseeinsum's serial run, logarithmic.",
    "slice: a part of the rows was computed, and the time of all foretold from it.",
    "stopped: ended at its time limit; it takes longer than the bar says.",
]


def write_chart(path, results):
    """bars of every system's time as a multiple of ours, on a logarithmic scale"""
    from math import log10
    bars = [(row, row.seconds / results.of(row.workload, OURS).seconds)
            for row in results if results.of(row.workload, OURS)]
    if not bars:
        return
    low = min(0.0, min(log10(r) for _, r in bars))
    high = max(1.0, max(log10(r) for _, r in bars))
    scale = (WIDTH - LABEL - NUMBER) / (high - low)
    parts, y, title = [], 10, None

    def text(x, y, content, more=""):
        content = content.replace("&", "&amp;").replace("<", "&lt;")
        parts.append('<text x="%.1f" y="%.1f"%s>%s</text>' % (x, y, " " + more if more else "", content))

    for row, ratio in bars:
        if row.title != title:
            title = row.title
            y += 14
            text(10, y + 12, title, 'class="title"')
            y += BAR + GAP
        ours = ' class="ours"' if row.system.split()[0] == OURS.split()[0] else ""
        zero, end = LABEL - low * scale, LABEL + (log10(ratio) - low) * scale
        text(LABEL - 8, y + 12, row.label, 'text-anchor="end"' + ours)
        # ours is where the scale begins: a mark, so that it is seen
        parts.append('<rect x="%.1f" y="%d" width="%.1f" height="%d"%s/>' % (min(zero, end), y, max(abs(end - zero), 5 if ours else 1), BAR, ours))
        text(max(zero, end) + 8, y + 12, "%.2f%s" % (ratio, " (stopped)" if row.how.startswith("more") else " (slice)" if row.how else ""), ours.strip())
        y += BAR + GAP
    axis = LABEL - low * scale
    parts.append('<line x1="%.1f" y1="10" x2="%.1f" y2="%d"/>' % (axis, axis, y))
    for n, note in enumerate(CHART_NOTES):
        text(10, y + 24 + 16 * n, note, 'class="note"')
    with open(path, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">\n%s<rect class="page" width="100%%" height="100%%"/>\n%s\n</svg>\n'
                   % (WIDTH, y + 72, WIDTH, y + 72, CHART_STYLE, "\n".join(parts)))
