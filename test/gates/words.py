"""Counts phrases that readers stumble over, per folder, and compares the counts with words.list.

A phrase counts wherever it stands: comments, documents, messages, tests. It may go over the end of a line of a
comment. words.list has `folder count` for each folder that has any. A count that is higher than listed fails, and so
does one that is lower, until the list says so: counts only fall.

    python3 test/gates/words.py [--show FOLDER ...]    --show prints each phrase with its place
"""

import collections
import os
import re
import subprocess
import sys

PHRASES = [
    r"is none",
    r"are none of",
    r"[Ss]o many",
    r"goes on",
    r"gone to",
    r"gone through",
    r"[Nn]obody",
    r"himself",
    r"of whom",
    r"[Aa]s ever",
    r"what others want",
]
# A line's end within a phrase, with what begins the next line of a comment.
GAP = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|//|#|--)?[ \t]*)"
PHRASE = re.compile(r"\b(?:" + "|".join(p.replace(" ", GAP) for p in PHRASES) + r")\b")

# A comment that ends with a question, before a function that does not return bool.
QUESTION = re.compile(r"\?\s*\*/\n((?:[a-zA-Z_][\w *]*\n)|(?:[a-zA-Z_][\w *]* \**))(\w+)\(")

# Install scripts of earlier versions and what tests print repeat what stands elsewhere; the rest is about these words.
LEFT_OUT = re.compile(r"^(sql/upgrade/sparseeinsum--[\d.]+\.sql|expected/.*|test/gates/words\..*)$")


def findings(path):
    """(line, what) for each phrase of a file."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (UnicodeDecodeError, FileNotFoundError):
        return
    for match in PHRASE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, " ".join(re.split(GAP, match.group()))
    if path.endswith((".c", ".h")):
        for match in QUESTION.finditer(text):
            if "bool" not in match.group(1).split():
                yield text.count("\n", 0, match.start()) + 1, f"a question as the contract of {match.group(2)}"


def main(shown):
    listed = {}
    with open("test/gates/words.list", encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                folder, count = line.split()
                listed[folder] = int(count)
    counts = collections.Counter()
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
    for path in filter(None, tracked):
        if LEFT_OUT.match(path):
            continue
        folder = os.path.dirname(path) or "."
        for line, what in findings(path):
            counts[folder] += 1
            if any(folder == s or folder.startswith(s.rstrip("/") + "/") for s in shown):
                print(f"{path}:{line}: {what}")
    if shown:
        return 0
    bad = 0
    for folder in sorted(set(counts) | set(listed)):
        if counts[folder] > listed.get(folder, 0):
            print(f"{folder}: {counts[folder]} phrases, at most {listed.get(folder, 0)} are allowed:")
            for path in tracked:
                if (os.path.dirname(path) or ".") == folder and not LEFT_OUT.match(path):
                    for line, what in findings(path):
                        print(f"  {path}:{line}: {what}")
            bad = 1
        elif counts[folder] < listed.get(folder, 0):
            print(f"{folder}: {counts[folder]} phrases are left; test/gates/words.list says {listed[folder]}: lower it")
            bad = 1
    return bad


if __name__ == "__main__":
    if sys.argv[1:2] == ["--show"]:
        sys.exit(main(sys.argv[2:] or ["."]))
    sys.exit(main([]))
