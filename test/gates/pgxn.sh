# META.json is what PGXN's specification 1.0.0 (https://pgxn.org/meta/spec.txt) asks of a distribution: its fields are
# there and of their kinds, versions are semantic, files exist; and it says what the control files and Makefile say.
set -euo pipefail
/usr/bin/python3 - <<'PYTHON'
import json
import re
import sys

bad = []
meta = json.load(open("META.json", encoding="utf-8"))

# Semantic Versioning 1.0, of specification 1.0.0, and ranges of them
SEMVER = r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-?[A-Za-z][0-9A-Za-z-]*)?"
RANGE = rf"(0|{SEMVER}|((==|!=|>=|<=|>|<) *{SEMVER})(, *(==|!=|>=|<=|>|<) *{SEMVER})*)"
TERM = r"[^\s/\\\x00-\x1f]{2,}"
LICENSES = """agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2 gpl_3 lgpl_2_1 lgpl_3_0
	mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun zlib open_source restricted unrestricted unknown""".split()
FIELDS = """name version abstract description maintainer license provides meta-spec generated_by no_index prereqs release_status
	resources tags""".split()


def check(holds, what):
	if not holds:
		bad.append(what)


def text(of, field, pattern=r"(?s).*\S.*"):
	value = of.get(field)
	check(isinstance(value, str) and re.fullmatch(pattern, value), f"{field}: {value!r}")


text(meta, "name", TERM)
text(meta, "abstract")
text(meta, "version", SEMVER)
people = meta.get("maintainer")
check(bool(people) and all(isinstance(p, str) and p.strip() for p in (people if isinstance(people, list) else [people])), "maintainer")
licenses = meta.get("license")
check(licenses in LICENSES if isinstance(licenses, str) else bool(licenses), f"license: {licenses!r}")
spec = meta.get("meta-spec", {})
text(spec, "version", r"1\.0\.0")
text(spec, "url", r"https?://pgxn\.org/meta/spec\.txt")
check(bool(meta.get("provides")), "provides nothing")
for name, extension in meta.get("provides", {}).items():
	check(re.fullmatch(TERM, name), f"provides {name!r}")
	text(extension, "version", SEMVER)
	text(extension, "file")
	for field in ("file", "docfile"):
		if field in extension:
			try:
				open(extension[field], encoding="utf-8").close()
			except OSError:
				bad.append(f"{name}: {field} {extension[field]} is not there")
	for field in extension.keys() - {"file", "docfile", "version", "abstract"}:
		check(field.lower().startswith("x_"), f"{name}: no field {field}")
	control = dict(re.findall(r"^(\w+) *= *'?([^'\n]*)'?$", open(re.sub(r"[^/]*$", "", extension["file"]) + name + ".control", encoding="utf-8").read(), re.M))
	check(extension["version"] == control["default_version"], f"{name} is {extension['version']} and its control file has {control['default_version']}")
for phase, relations in meta.get("prereqs", {}).items():
	check(phase in "configure build test runtime develop".split(), f"prereqs of {phase}")
	for relation, needed in relations.items():
		check(relation in "requires recommends suggests conflicts".split(), f"prereqs that {relation}")
		for name, versions in needed.items():
			check(re.fullmatch(TERM, name) and re.fullmatch(RANGE, str(versions)), f"prereq {name} {versions}")
check(len(set(meta.get("tags", []))) == len(meta.get("tags", [])), "tags repeat")
for tag in meta.get("tags", []):
	check(isinstance(tag, str) and 0 < len(tag) < 256 and not re.search(r"[/\\\x00-\x1f]", tag), f"tag {tag!r}")
check(meta.get("release_status", "stable") in ("stable", "testing", "unstable"), "release_status")
for field in meta:
	check(field in FIELDS or field.lower().startswith("x_"), f"no field {field}")

made = re.search(r"^EXTVERSION = (.*)$", open("Makefile", encoding="utf-8").read(), re.M).group(1)
check(meta["version"] == made, f"META.json is of {meta['version']}, Makefile of {made}")

print(*bad, sep="\n", end="\n" if bad else "")
sys.exit(bool(bad))
PYTHON
