"""The table of planted defects: test/mutants/*.txt, a file for each folder of the tree.

    == NAME: TEST ...
    What the defect does, in a line or several.
    @ FILE
     a line that stays
    -a line of the tree
    +what the defect has instead
    <an empty line>

The lines with " " or "-" are the old text of a place, those with " " or "+" the new one. The old text occurs exactly
once in the file, as whole lines; so a defect stays where it is while the file changes around it. It has as few lines as
that takes. A defect of several places has several "@ FILE".

    table.py            checks all of it, and fails by what is wrong
    table.py list       prints the names
    table.py plant NAME ...    plants defects in the tree that is the current directory
"""

import dataclasses
import glob
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
HEAD = re.compile(r"== (\w+): (\S.*)$")


@dataclasses.dataclass
class Place:
    """Whole lines of a file, and what a defect has instead."""

    file: str
    old: str = ""
    new: str = ""


@dataclasses.dataclass
class Defect:
    name: str
    tests: list
    where: str  # the line of the table it begins at
    what: list = dataclasses.field(default_factory=list)
    places: list = dataclasses.field(default_factory=list)

    def files(self):
        return sorted({place.file for place in self.places})

    def planted(self, tree):
        """The text of each file that has the defect. Raises ValueError where an old text is absent or ambiguous."""
        texts = {}
        for place in self.places:
            if place.file not in texts:
                texts[place.file] = read(os.path.join(tree, place.file))
            parts = ("\n" + texts[place.file]).split("\n" + place.old)
            if len(parts) != 2:
                raise ValueError(f"{place.file} has the old text {len(parts) - 1} times:\n{place.old}")
            texts[place.file] = ("\n" + place.new).join(parts)[1:]
        return texts


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def parse(path):
    """The defects of one file of the table. Raises ValueError at a line that has another format."""
    defects = []
    defect = None
    for number, line in enumerate(read(path).split("\n"), 1):
        where = f"{os.path.relpath(path)}:{number}"
        head = HEAD.match(line)
        if line == "":
            defect = None
        elif head and defect is None:
            defect = Defect(head[1], head[2].split(), where)
            defects.append(defect)
        elif defect is None:
            raise ValueError(f"{where}: a defect begins with == NAME: TEST ...")
        elif line.startswith("@ "):
            defect.places.append(Place(line[2:]))
        elif not defect.places:
            defect.what.append(line)
        elif line[0] not in " -+":
            raise ValueError(f'{where}: a line of a place begins with " ", "-" or "+"')
        else:
            if line[0] in " -":
                defect.places[-1].old += line[1:] + "\n"
            if line[0] in " +":
                defect.places[-1].new += line[1:] + "\n"
    return defects


def table():
    """All defects by name. Raises ValueError where two have one name."""
    defects = {}
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.txt"))):
        for defect in parse(path):
            if defect.name in defects:
                raise ValueError(f"{defect.where}: {defect.name} is at {defects[defect.name].where} too")
            defects[defect.name] = defect
    return defects


def is_test(test):
    """Whether a test of a defect exists, for those kinds that are files."""
    kind, _, name = test.partition(":")
    path = {"regress": f"test/sql/{name}.sql", "script": name, "gate": f"test/gates/{name}"}.get(kind)
    return os.path.isfile(path) if path else kind in ("random", "unit") and name != ""


def faults(defect):
    """What is wrong about a defect, beside the tree in the current directory."""
    if not defect.what:
        yield "says nothing of what it does"
    if not defect.places:
        yield "has no place"
    for test in defect.tests:
        if not is_test(test):
            yield f"no such test: {test}"
    for place in defect.places:
        if place.old == "" or place.old == place.new:
            yield f"has no old text, or no other new text, in {place.file}"
            return
    try:
        defect.planted(".")
    except (OSError, ValueError) as error:
        yield str(error)


def main(arguments):
    try:
        defects = table()
    except ValueError as error:
        sys.exit(str(error))
    if arguments == ["list"]:
        print("\n".join(defects))
    elif arguments[:1] == ["plant"]:
        for name in arguments[1:]:
            for file, text in defects[name].planted(".").items():
                with open(file, "w", encoding="utf-8", newline="") as tree:
                    tree.write(text)
    else:
        wrong = [f"{defect.where}: {defect.name}: {fault}" for defect in defects.values() for fault in faults(defect)]
        print("\n".join(wrong + [f"{len(defects)} defects, {len(wrong)} faults"]))
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
