# Every link in the documents leads to a file of this tree, and its anchor to a heading there; no cell of a table in
# the README and the reference has more than 200 characters; no paragraph of a README has more than six lines; a
# version in the changelog has at most 40 entries, of one line each.
set -euo pipefail
exec python3 - CHANGELOG.md docs/*.md docs/*/*.md $(git ls-files README.md '*/README.md') <<'PYTHON'
import os
import re
import sys

FENCE = re.compile(r"^\s*```.*?^\s*```", re.M | re.S)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def text_of(path):
    return FENCE.sub("", open(path, encoding="utf-8").read())


def paragraphs(text):
    """Lines of each paragraph and item of a list: (number of the first, lines)."""
    found, lines, first = [], [], 0
    for number, line in enumerate(re.sub(FENCE, lambda m: "\n" * m.group().count("\n"), text).split("\n") + [""], 1):
        ends = not line.strip() or line.startswith(("|", "#", "!["))
        if lines and (ends or re.match(r"\s*([-*]|\d+\.) ", line)):
            found.append((first, lines))
            lines = []
        if not ends:
            first = first if lines else number
            lines = lines + [line]
    return found


def anchors(path):
    """What GitHub calls the headings of a page."""
    found = set()
    for title in re.findall(r"^#+ (.*)$", text_of(path), re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).replace("`", "")
        found.add(re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-"))
    return found


bad = 0
for page in sys.argv[1:]:
    if not os.path.exists(page):
        continue
    for target, anchor in LINK.findall(re.sub(r"`[^`\n]*`", "", text_of(page))):
        if re.match(r"[a-z]+:", target):
            continue
        path = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
        if not os.path.exists(path):
            print(f"{page}: no file {target}")
            bad += 1
        elif anchor and path.endswith(".md") and anchor not in anchors(path):
            print(f"{page}: no heading {target}#{anchor}")
            bad += 1
    if page.startswith(("README", "docs/reference")):
        for line in text_of(page).split("\n"):
            for cell in re.split(r"(?<!\\)\|", LINK.sub("]", line)) if line.startswith("|") else []:
                if len(cell.strip()) > 200:
                    print(f"{page}: a table's cell has {len(cell.strip())} characters: {cell.strip()[:60]}")
                    bad += 1
    if page == "CHANGELOG.md":
        for version in re.split(r"^## ", text_of(page), flags=re.M)[1:]:
            name, *lines = version.split("\n")
            entries = [line for line in lines if line.startswith("- ")]
            if len(entries) > 40:
                print(f"{page}: {len(entries)} entries of {name}: merge those of one kind, 40 are allowed")
                bad += 1
            for line in lines:
                if line.startswith((" ", "\t", "* ")):
                    print(f"{page}: an entry of {name} has a second line: {line.strip()[:60]}")
                    bad += 1
    if page.endswith("README.md"):
        for number, lines in paragraphs(open(page, encoding="utf-8").read()):
            # what is set apart by four spaces is no prose
            if lines[0].startswith("    "):
                continue
            if len(lines) > 6 or max(map(len, lines)) > 160:
                print(f"{page}:{number}: a paragraph of {len(lines)} lines, the longest of {max(map(len, lines))} characters; six and 160 are allowed")
                bad += 1
sys.exit(bad != 0)
PYTHON
