# Folders depend on each other one way, as the line below says: a folder
# includes headers of itself and of folders to its left, and kernels/ none of
# PostgreSQL's, src/executor none of PostgreSQL's optimizer but one. No header of
# ours has the name of one of PostgreSQL's, which it would hide from the whole build.
# Only src/compat.h asks for PostgreSQL's version. The structs in a node's state.h are read
# in its own folder only.
set -euo pipefail
exec python3 -B - "$("${PG_CONFIG:-pg_config}" --includedir-server)" <<'PYTHON'
import glob
import os
import re
import sys

ORDER = "kernels parser type catalog expr statistics algebra optimizer codegen executor planner rows iterate commands".split()
SERVER = sys.argv[1]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)


def tree_file(include, file):
    """The tree's file that an #include means, or None."""
    for candidate in (include, "src/" + include, os.path.dirname(file) + "/" + include):
        if candidate.startswith(("kernels/", "src/")) and (
            os.path.isfile(candidate) or os.path.isfile(candidate[:-2] + ".y")
        ):
            return candidate
    return None


def folder_of(file):
    parts = file.split("/")
    return parts[0] if parts[0] == "kernels" else parts[1] if len(parts) > 2 else "src"


def fault(file, include):
    """What is wrong with a file's #include, or None."""
    source, target = folder_of(file), tree_file(include, file)
    if target is None:
        if source == "kernels" and os.path.isfile(f"{SERVER}/{include}"):
            return f"{file} includes {include} of PostgreSQL"
        if source == "executor" and include.startswith("optimizer/") and include != "optimizer/optimizer.h":
            return f"{file} includes {include}, which is for src/planner"
        return None
    if target.endswith("/state.h") and target.startswith("src/executor/") and os.path.dirname(target) != os.path.dirname(file):
        return f"{file} includes {target}, which is for its own folder"
    folder = folder_of(target)
    if source == "src":
        # the module's own files: compat.h depends on nothing, main.c on all
        return f"{file} includes {target}" if file.endswith(".h") and folder != "src" else None
    if source == "kernels" and folder != "kernels":
        return f"{file} includes {target}"
    if folder != "src" and source in ORDER and ORDER.index(folder) > ORDER.index(source):
        return f"{file} includes {target}: {folder} is not left of {source}"
    return None


# what has to be found wrong, or nothing is found here
PLANTED = [
    ("kernels/nest/nest.c", "access/htup.h"),
    ("kernels/nest/nest.c", "type/tensor.h"),
    ("src/compat.h", "type/tensor.h"),
    ("src/executor/prefetch.c", "optimizer/clauses.h"),
    ("src/executor/aggregate_join/exec.c", "executor/operand/state.h"),
    ("src/executor/prefetch.c", "planner/query_level.h"),
    ("src/parser/syntax.h", "expr/expr.h"),
]
faults = [f"{file} may include {include}" for file, include in PLANTED if fault(file, include) is None]
for file in sorted(glob.glob("kernels/**/*.[chly]", recursive=True) + glob.glob("src/**/*.[chly]", recursive=True)):
    if re.search(r"_grammar\.[ch]$|_scanner\.c$", file):
        continue
    if file.endswith(".h") and os.path.isfile(f"{SERVER}/{file.removeprefix('src/')}"):
        faults.append(f"{file} hides PostgreSQL's header of that name")
    if folder_of(file) not in [*ORDER, "src"]:
        faults.append(f"{file}: {folder_of(file)} is no folder of the design")
    text = open(file, encoding="utf-8").read()
    if "PG_VERSION_NUM" in text and file != "src/compat.h":
        faults.append(f"{file} asks for PostgreSQL's version, which is for src/compat.h")
    faults += filter(None, (fault(file, include) for include in INCLUDE.findall(text)))
print("\n".join(faults), end="\n" if faults else "")
sys.exit(1 if faults else 0)
PYTHON
