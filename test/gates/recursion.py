"""Which functions of src/ call themselves, be it through others: each asks for interrupts and says what bounds it.

Expressions, statements, stages and plans share their parts, and what walks along all ways to a part takes
exponential time. So every cycle of calls has a function that begins with enter_recursion() (src/recursion.h), or that is
one of PostgreSQL's walkers, and test/gates/recursion.list says of each function in a cycle what bounds its visits.
Calls are found by name, in text.
"""

import fnmatch
import glob
import re
import sys

LIST = "test/gates/recursion.list"
WALKER = re.compile(r"\b\w+_tree_(walker|mutator)\w*\(")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def functions():
    """{(file, name): (line, static, body)}; what is in comments and strings is blank"""
    found = {}
    for file in sorted(glob.glob("src/**/*.c", recursive=True)):
        if file.endswith(("_grammar.c", "_scanner.c")):
            continue
        with open(file, encoding="utf-8") as source:
            text = source.read()
        text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])\'', blank, text, flags=re.S)
        for match in re.finditer(r"^([A-Za-z_]\w*)\(([^;{}]*?)\)\n\{\n(.*?)^\}", text, flags=re.S | re.M):
            before = text[:match.start()].rstrip("\n")
            found[file, match.group(1)] = (
                before.count("\n") + 2, "static" in before.rsplit("\n", 1)[-1], match.group(2) + ";" + match.group(3))
    return found


def calls(found):
    """{function: functions that it calls or passes on}"""
    extern = {name: (file, name) for (file, name), (_, static, _) in found.items() if not static}
    graph = {}
    for (file, name), (_, _, body) in found.items():
        names = set(re.findall(r"(?<![\w.>])([A-Za-z_]\w*)\s*\(", body)) | set(re.findall(r"[(,]\s*([A-Za-z_]\w*)\s*(?=[,)])", body))
        names -= set(re.findall(r"\b[A-Za-z_]\w*\s+\**([A-Za-z_]\w*)\s*(?:=|;|\[|,)", body))
        graph[file, name] = {(file, n) if (file, n) in found else extern[n] for n in names if (file, n) in found or n in extern}
    return graph


def cycles(graph):
    """the strongly connected components that have a cycle"""
    index, low, stack, result = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in graph:
                continue
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1 or node in graph[node]:
                result.append(component)

    for node in graph:
        if node not in index:
            visit(node)
    return result


def main():
    sys.setrecursionlimit(100000)
    found = functions()
    graph = calls(found)
    bad = 0
    reasons = []
    with open(LIST, encoding="utf-8") as listed:
        for line in listed:
            if line.strip() and not line.startswith("#"):
                file, names, reason = (part.strip() for part in line.split("|"))
                reasons += [[file, name, reason, 0] for name in names.split()]
    for component in cycles(graph):
        few = 0
        for file, name in component:
            fitting = [r for r in reasons if fnmatch.fnmatchcase(file, r[0]) and fnmatch.fnmatchcase(name, r[1])]
            for reason in fitting:
                reason[3] += 1
            if not fitting:
                print("%s:%d: %s calls itself: visit what is shared once, and add it to %s with what bounds it" % (
                    file, found[file, name][0], name, LIST))
                bad += 1
            few += any(r[2].startswith("few:") for r in fitting)
        if few == len(component):
            continue
        asking = {f for f in component if "enter_recursion();" in found[f][2] or WALKER.search(found[f][2])}
        rest = {f: graph[f] for f in component if f not in asking}
        for deaf in cycles(rest):
            for file, name in deaf:
                print("%s:%d: %s calls itself without enter_recursion()" % (file, found[file, name][0], name))
                bad += 1
    for file, name, _, used in reasons:
        if not used:
            print("%s: %s %s does not call itself, or is no more" % (LIST, file, name))
            bad += 1
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
