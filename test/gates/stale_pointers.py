"""Finds pointers into arrays that a call may move.

Some arrays are replaced by larger ones: fields that a repalloc is assigned to, or whose memory is freed
and made anew, and the entries of simplehash tables. What points into one is stale after whatever may replace
it, directly or through what it calls, and the functions that it is handed. A finding is

- an expression that both reads or writes an element, x->array[i], and calls what may replace the array: C does not say
  which comes first (program->renaming[label] = program_twin(program, label));
- an element's address, or the array, as an argument of a call that may replace it;
- a local variable that points into the array, and is used after such a call.

Arrays are told apart by the type of their struct, not by the object. So a finding may be of two objects: then the place is in
ALLOWED, with the reason.

    python3 test/gates/stale_pointers.py [FILE ...]
"""
import glob
import re
import sys

# (function, what may move): why that is no fault
ALLOWED = {}

PRIMITIVES = {"repalloc", "repalloc_huge", "repalloc0", "realloc"}
RELEASES = {"pfree", "nest_release", "free"}
MOVING_INSERTS = ("insert", "insert_hash")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "do", "else", "case", "offsetof", "lengthof", "foreach", "forboth", "forthree", "for_each_from"}
LOOPS = {"for", "while", "foreach", "forboth", "forthree", "for_each_from", "dlist_foreach", "slist_foreach", "dlist_foreach_modify", "for_each_cell"}
TOKEN = re.compile(r"""[A-Za-z_]\w*|0[xX][0-9a-fA-F]+|\d[\w.]*|->|\+\+|--|<<=|>>=|&&|\|\||[-+*/%&|^!=<>]=|<<|>>|\.\.\.|[^\s\w]""")


def tokens_of(text):
    """(token, line) of a source, without comments, literals and preprocessor lines."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', lambda m: '"' + " " * (len(m.group()) - 1), text)
    text = re.sub(r"'(?:\\.|[^'\\\n])+'", lambda m: "0" + " " * (len(m.group()) - 1), text)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)
    found, line, last = [], 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        if match.group() != '"':
            found.append((match.group(), line))
        else:
            found.append(("STRING", line))
    return found


def closing(tokens, at, end=None):
    """The place of the bracket that closes the one here."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    depth = 0
    for place in range(at, len(tokens) if end is None else end):
        token = tokens[place][0]
        if token in pairs:
            depth += 1
        elif token in pairs.values():
            depth -= 1
            if depth == 0:
                return place
    return len(tokens) - 1


class Source:
    """Everything that is known of the tree: structs, functions, what moves."""

    def __init__(self):
        self.fields = {}  # struct -> field -> type
        self.functions = {}  # (file or None, name) -> Function
        self.tables = set()  # prefixes of simplehash

    def read(self, path):
        text = open(path, encoding="utf-8").read()
        for prefix in re.findall(r"^#define SH_PREFIX (\w+)", text, flags=re.M):
            self.tables.add(prefix)
        tokens = tokens_of(text)
        at = 0
        while at < len(tokens):
            token = tokens[at][0]
            if token == "struct" and at + 2 < len(tokens) and tokens[at + 2][0] == "{":
                self.read_struct(tokens, at)
            if token == "{":
                function = self.head(path, tokens, at)
                end = closing(tokens, at)
                if function:
                    function.body = tokens[at + 1 : end]
                    self.functions[(path if function.static else None, function.name)] = function
                    at = end
            at += 1

    def read_struct(self, tokens, at):
        name = tokens[at + 1][0]
        end = closing(tokens, at + 2)
        fields = self.fields.setdefault(name, {})
        words = []
        for token, _ in tokens[at + 3 : end]:
            if token == ";":
                for field, kind in declared(words):
                    fields[field] = kind
                words = []
            elif token in "{}":
                words = []
            else:
                words.append(token)
        # the name that typedef gives it
        if end + 1 < len(tokens) and re.match(r"\w+$", tokens[end + 1][0]):
            self.fields.setdefault(tokens[end + 1][0], fields)

    def head(self, path, tokens, at):
        """The function whose body begins here, or None."""
        if at == 0 or tokens[at - 1][0] != ")":
            return None
        depth, start = 0, at - 1
        while start >= 0:
            depth += {")": 1, "(": -1}.get(tokens[start][0], 0)
            if depth == 0:
                break
            start -= 1
        if start < 1 or not tokens[start - 1][0].isidentifier():
            return None
        words, back = [], start - 2
        while back >= 0 and tokens[back][0] not in (";", "}", ")", ","):
            words.insert(0, tokens[back][0])
            back -= 1
        parameters = {}
        part = []
        for token, _ in tokens[start + 1 : at - 1] + [(",", 0)]:
            if token == ",":
                parameters.update(declared(part))
                part = []
            else:
                part.append(token)
        return Function(path, tokens[start - 1][0], "static" in words, base_type(words), parameters)


def base_type(words):
    words = [w for w in words if w not in ("const", "static", "extern", "inline", "struct", "restrict", "volatile", "*", "unsigned", "pg_noinline", "KERNEL_CLONES")]
    return words[0] if words else None


def declared(words):
    """The names of a declaration and the base type of each; nothing for other words."""
    words = [w for w in words if w not in ("const", "static", "extern", "inline", "restrict", "volatile", "register")]
    if words[:1] == ["struct"]:
        words = words[1:]
    if len(words) < 2 or not words[0].isidentifier() or words[0] in KEYWORDS:
        return []
    kind, found, depth, name = words[0], [], 0, None
    for word in words[1:]:
        if word in "([{":
            depth += 1
        elif word in ")]}":
            depth -= 1
        elif depth == 0 and word.isidentifier() and name is None:
            name = word
        elif depth == 0 and word == ",":
            found.append((name, kind))
            name = None
        elif depth == 0 and word in ("=", ":"):
            depth = 1_000_000 if word == "=" and "," not in words else 0
    if name:
        found.append((name, kind))
    return [(n, k) for n, k in found if n]


class Function:
    def __init__(self, path, name, static, returns, parameters):
        self.path, self.name, self.static, self.returns, self.parameters = path, name, static, returns, parameters
        self.body = []
        self.moves = set()  # arrays, as (struct, field), that a call of it may replace
        self.returned = None  # the array that its result points into


class Analysis:
    def __init__(self, source):
        self.source = source
        self.findings = []
        self.moving = set()
        self.inserts = {p + "_" + i: p for p in source.tables for i in MOVING_INSERTS}
        for function in source.functions.values():
            self.set_types(function)
        self.growers = {f.name for f in source.functions.values() if self.is_grower(f)}
        for function in source.functions.values():
            if not (PRIMITIVES | RELEASES | self.growers).isdisjoint(t for t, _ in function.body):
                self.find_moves(function)
        self.spread()
        for function in source.functions.values():
            self.find_returned(function)

    # ---- types ----

    def set_types(self, function):
        function.types = dict(function.parameters)
        statement = []
        for token, _ in function.body:
            if token in ";{}" or (token == "(" and statement and statement[-1] == "for"):
                function.types.update({n: k for n, k in declared(statement) if n not in function.types})
                statement = []
            else:
                statement.append(token)
        for match in re.finditer(r"\b([A-Za-z_]\w*) (?:\* )+([A-Za-z_]\w*) =", " ".join(t for t, _ in function.body)):
            function.types.setdefault(match.group(2), match.group(1))

    def called(self, function, name):
        functions = self.source.functions
        return functions.get((function.path, name)) or functions.get((None, name))

    def member(self, function, tokens, at):
        """(key, end) of the chain of members that begins at an identifier and ends before end; key None if it is no member."""
        kind = function.types.get(tokens[at][0])
        owner = field = None
        at += 1
        while at < len(tokens):
            token = tokens[at][0]
            if token in ("->", ".") and at + 1 < len(tokens):
                owner, field = kind, tokens[at + 1][0]
                kind = self.source.fields.get(owner, {}).get(field)
                at += 2
                key = self.key(owner, field)
                if key:
                    return key, at
            elif token == "[":
                at = closing(tokens, at) + 1
            else:
                break
        return None, at

    def key(self, owner, field):
        """The array that a field is, by the type of its struct if that is known."""
        if (owner, field) in self.moving:
            return owner, field
        if owner is None or owner not in self.source.fields:
            same = [k for k in self.moving if k[1] == field]
            return same[0] if len(same) == 1 else None
        return None

    # ---- what moves ----

    def chain(self, function, words):
        """(struct, field) of the last member of a path of words."""
        kind = function.types.get(words[0])
        owner = field = None
        depth = 0
        for before, word in zip(words, words[1:]):
            depth += {"[": 1, "]": -1}.get(word, 0)
            if depth == 0 and before in ("->", "."):
                owner, field = kind, word
                kind = self.source.fields.get(owner, {}).get(field)
        return (owner, field) if owner and field else None

    def find_moves(self, function):
        """The fields whose memory this function replaces itself."""
        words = [t for t, _ in function.body]
        aliases = {}
        released = set()
        path = r"([A-Za-z_]\w*(?: (?:->|\.) \w+| \[ [^]]* \])+)"
        text = " ".join(words)
        for match in re.finditer(r"\b([A-Za-z_]\w*) = %s [;,]" % path, text):
            aliases[match.group(1)] = match.group(2)
        for match in re.finditer(r"\b(?:%s) \( (?:[\w>. -]+ , )?(?:\( void \* \) )?(%s|\w+) \)" % ("|".join(RELEASES), path), text):
            freed = match.group(1)
            released.add(aliases.get(freed, freed))
        for match in re.finditer(path + r" = ((?:[^;{}])+) ;", text):
            target, value = match.group(1), match.group(2)
            grown = any(re.search(r"\b%s \(" % p, value) for p in PRIMITIVES) or self.grows(value, target)
            if grown or (target in released and value != "NULL"):
                key = self.chain(function, target.split())
                if key:
                    self.moving.add(key)
                    function.moves.add(key)

    def is_grower(self, function):
        """Does it return larger memory with what was in what it is given?"""
        words = {t for t, _ in function.body}
        if function.returns != "void" or "return" not in words:
            return False
        return bool(words & PRIMITIVES) or ("memcpy" in words and bool(words & RELEASES))

    def grows(self, value, target):
        """Is a value what such a function makes of the array itself?"""
        match = re.match(r"(?:\( [\w* ]+ \) )?(\w+) \(", value)
        return bool(match) and match.group(1) in self.growers and target in value

    def calls(self, function, tokens):
        """Names that are called, or handed to what is called, with their places."""
        for at, (token, line) in enumerate(tokens):
            if token in KEYWORDS or not token.isidentifier():
                continue
            if at and tokens[at - 1][0] in ("->", "."):
                continue
            if at + 1 < len(tokens) and tokens[at + 1][0] == "(":
                yield at, token, line
            elif token not in function.types and self.called(function, token):
                yield at, token, line

    def moved_by(self, function, name):
        called = self.called(function, name)
        if called:
            return called.moves
        return {(self.inserts[name], "entries")} if name in self.inserts else set()

    def spread(self):
        """What a function moves its callers move."""
        edges = {}
        for key, function in self.source.functions.items():
            names = {n for _, n, _ in self.calls(function, function.body)}
            function.moves |= {(self.inserts[n], "entries") for n in names & set(self.inserts)}
            edges[key] = [f for f in (self.called(function, n) for n in names) if f and f is not function]
        changed = True
        while changed:
            changed = False
            for key, function in self.source.functions.items():
                before = len(function.moves)
                for other in edges[key]:
                    function.moves |= other.moves
                changed |= len(function.moves) != before

    def find_returned(self, function):
        text = function.body
        for at, (token, _) in enumerate(text):
            if token != "return":
                continue
            end = at
            while end < len(text) and text[end][0] != ";":
                end += 1
            key = self.pointee(function, text[at + 1 : end])
            if key:
                function.returned = key

    def pointee(self, function, value):
        """The array that an expression points into, or None."""
        words = [t for t, _ in value]
        while words[:1] == ["("] and len(words) > 3 and words[words.index(")") - 1] == "*":  # a cast
            value = value[words.index(")") + 1 :]
            words = [t for t, _ in value]
        if not words:
            return None
        if words[0].isidentifier() and words[1:2] == ["("]:
            if closing(value, 1) != len(value) - 1:
                return None
            called = self.called(function, words[0])
            table = self.inserts.get(words[0].replace("_lookup", "_insert"))
            if table:
                return table, "entries"
            return called.returned if called else None
        address = words[0] == "&"
        start = 1 if address else 0
        if start >= len(value) or not words[start].isidentifier():
            return None
        key, end = self.member(function, value, start)
        if key is None:
            return None
        rest = words[end:]
        if address:
            # an element, or what is in it; not through a pointer that is in it
            return key if rest[:1] == ["["] and "->" not in rest[closing(value, end) + 1 - end :] else None
        return key if not rest or rest[0] in "+-" else None

    # ---- findings ----

    def complain(self, function, key, line, what):
        if (function.name, key[1]) in ALLOWED or (function.name, "%s.%s" % key) in ALLOWED:
            self.used.add((function.name, key[1]) if (function.name, key[1]) in ALLOWED else (function.name, "%s.%s" % key))
            return
        finding = "%s:%d: %s: %s" % (function.path, line, function.name, what)
        if finding not in self.findings:
            self.findings.append(finding)

    def check(self):
        self.used = set()
        for function in self.source.functions.values():
            if not function.moves:
                continue
            tree, _ = statements(function.body, 0)
            self.run(function, tree, {})
        return sorted(self.findings)

    def run(self, function, tree, state):
        """State after the statements: variable -> (array, the line that may have moved it or None); None if they do not end."""
        for node in tree:
            if state is None:
                return None
            kind = node[0]
            if kind == "simple":
                state = self.simple(function, node[1], state)
            elif kind == "if":
                state = self.simple(function, node[1], state)
                one = self.run(function, node[2], dict(state))
                two = self.run(function, node[3], dict(state))
                state = merged(one, two)
            elif kind == "loop":
                state = self.simple(function, node[1], state)
                for _ in range(2):
                    after = self.run(function, node[2], dict(state))
                    state = merged(state, after)
                    state = self.simple(function, node[1], state, node[3])
            elif kind == "block":
                # that of a switch: any of its cases may be the first
                after = self.run(function, node[1], dict(state))
                state = merged(state, after)
            elif kind == "jump":
                self.simple(function, node[1], state)
                state = None
        return state

    def simple(self, function, tokens, state, fresh=()):
        state = dict(state)
        for name in fresh:
            state.pop(name, None)
        # what && || ?: keep apart is computed one after the other; declarations too
        for part in split(tokens, (";",)):
            self.expression(function, part, state)
        return state

    def expression(self, function, tokens, state):
        words = [t for t, _ in tokens]
        if len(words) > 2 and words[-2] == "*" and words[0].isidentifier() and "=" not in words and "(" not in words:
            state.pop(words[-1], None)  # a declaration
            return
        for part in split(tokens, ("&&", "||", "?", ":")):
            self.check_part(function, part, state)
        moved = {}
        for _, name, line in self.calls(function, tokens):
            for key in self.moved_by(function, name):
                moved.setdefault(key, (line, name))
        for variable, (key, stale) in list(state.items()):
            if stale is None and key in moved:
                state[variable] = (key, moved[key])
        # assignments to plain variables
        for part in split(tokens, (",",)):
            words = [t for t, _ in part]
            if "=" not in words:
                continue
            at = words.index("=")
            if at and words[at - 1].isidentifier() and (at == 1 or words[at - 2] in ("*", "restrict", "const") or words[at - 2].isidentifier()):
                key = self.pointee(function, part[at + 1 :])
                value = words[at + 1 :]
                if key:
                    state[words[at - 1]] = (key, None)
                elif len(value) == 1 and value[0] in state:
                    state[words[at - 1]] = state[value[0]]
                else:
                    state.pop(words[at - 1], None)

    def check_part(self, function, tokens, state):
        calls = list(self.calls(function, tokens))
        # uses of what is stale already
        for at, (token, line) in enumerate(tokens):
            if token not in state or state[token][1] is None:
                continue
            if at and tokens[at - 1][0] in ("->", "."):
                continue
            follows = tokens[at + 1][0] if at + 1 < len(tokens) else ";"
            if follows == "=" :
                continue
            key, (where, name) = state[token]
            self.complain(function, key, line, "\"%s\" points into %s.%s, which %s may have moved in line %d" % (token, key[0], key[1], name, where))
        if not calls:
            return
        moved = {}
        for at, name, line in calls:
            for key in self.moved_by(function, name):
                moved.setdefault(key, []).append((at, name))
        if not moved:
            return
        words = [t for t, _ in tokens]
        for at, (token, line) in enumerate(tokens):
            if not token.isidentifier() or token in KEYWORDS:
                continue
            if at and tokens[at - 1][0] in ("->", "."):
                continue
            follows = words[at + 1] if at + 1 < len(words) else ";"
            if follows in ("->", "["):
                # an element, or through a variable that points to one
                key, end = self.member(function, tokens, at)
                element = key in moved and end < len(words) and words[end] == "["
                whole = key in moved and end < len(words) and words[end] in ",)+" and self.is_argument(tokens, at, moved[key])
                if element or whole:
                    # an index may not; what is read of an element by value is read before the call it is an argument of
                    by_value = element and words[at - 1 : at] != ["&"] and self.is_argument(tokens, at, moved[key]) and len(moved[key]) == 1
                    if not by_value:
                        self.complain(function, key, line, "%s.%s may be moved by %s in the same expression" % (key[0], key[1], moved[key][0][1]))
            if token in state and state[token][0] in moved and state[token][1] is None:
                key = state[token][0]
                argument = self.is_argument(tokens, at, moved[key])
                assigned = "=" in words and words.index("=") > at
                if follows in ("->", "[") and argument and len(moved[key]) == 1 and words[at - 1] != "&":
                    continue  # by value
                if follows in ("->", "[", ",", ")") and (argument or assigned) and not (assigned and follows in (",", ")")):
                    if (assigned and "*" not in words[:at] and words.index("=") == at + 1) or self.is_own(function, tokens, at, moved[key]):
                        continue
                    self.complain(function, key, line, "\"%s\" points into %s.%s, which %s may move in the same expression" % (token, key[0], key[1], moved[key][0][1]))

    def is_own(self, function, tokens, at, calls):
        """Is it handed to the one that replaces the array, which takes and gives it?"""
        return any(n in PRIMITIVES for _, n in calls)

    def is_argument(self, tokens, at, calls):
        """Is it an argument of one of these calls?"""
        for place, _ in calls:
            if place + 1 < len(tokens) and tokens[place + 1][0] == "(" and place + 1 < at < closing(tokens, place + 1):
                return True
        return False


def merged(one, two):
    if one is None or two is None:
        return two if one is None else one
    result = {}
    for name in set(one) | set(two):
        a, b = one.get(name), two.get(name)
        result[name] = a if b is None or (a is not None and a[1] is not None) else b
    return result


def split(tokens, separators):
    """Parts between separators that are in no brackets but round ones."""
    parts, part, depth = [], [], 0
    for token in tokens:
        if separators == (",",):
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token[0], 0)
        if token[0] in separators and depth == 0:
            parts.append(part)
            part = []
        else:
            part.append(token)
    parts.append(part)
    return parts


def statements(tokens, at):
    """The statements of a block from here to its end, as nodes, and where it ends."""
    found = []
    while at < len(tokens) and tokens[at][0] != "}":
        node, at = statement(tokens, at)
        if node:
            found.append(node)
    return found, at


def statement(tokens, at):
    token = tokens[at][0]
    if token == "{":
        inner, end = statements(tokens, at + 1)
        return ("if", [], inner, inner), end + 1
    if token == ";":
        return None, at + 1
    if token in ("case", "default"):
        while tokens[at][0] != ":":
            at += 1
        return None, at + 1
    if token in ("if", "switch") or token in LOOPS:
        end = closing(tokens, at + 1)
        head = tokens[at + 2 : end]
        names = [w[0] for w in head if w[0] not in ("(", ")", ",")][:1] if token not in ("if", "switch", "for", "while") else []
        body, after = statement(tokens, end + 1)
        body = [body] if body else []
        if token == "if":
            other = []
            if after < len(tokens) and tokens[after][0] == "else":
                node, after = statement(tokens, after + 1)
                other = [node] if node else []
            return ("if", head, body, other), after
        if token == "switch":
            return ("if", head, [("block", body)], []), after
        return ("loop", head, body, names), after
    if token == "do":
        body, after = statement(tokens, at + 1)
        end = closing(tokens, after + 1)
        return ("loop", tokens[after + 2 : end], [body] if body else [], []), end + 2
    end, depth = at, 0
    while end < len(tokens) and (tokens[end][0] != ";" or depth):
        depth += {"{": 1, "(": 1, "}": -1, ")": -1}.get(tokens[end][0], 0)
        end += 1
    words = tokens[at:end]
    jump = token in ("return", "break", "continue", "goto", "ereport", "elog")
    return ("jump" if jump else "simple", words[1:] if token == "return" else words), end + 1


def main():
    source = Source()
    paths = [a for a in sys.argv[1:] if a != "-v"] or sorted(p for pattern in ("src/**/*.[ch]", "kernels/**/*.[ch]") for p in glob.glob(pattern, recursive=True) if not re.search(r"_(grammar|scanner)\.[ch]$", p))
    for path in paths:
        source.read(path)
    analysis = Analysis(source)
    findings = analysis.check()
    for finding in findings:
        print(finding)
    unused = [] if sys.argv[1:] else [place for place in ALLOWED if place not in analysis.used]
    for place in unused:
        print("%s: allowed for %s, and not found" % place)
    if "-v" in sys.argv:
        print(sorted(analysis.moving))
    if not sys.argv[1:] and len(analysis.moving) < 10:
        print("only %d arrays that move are known: the script does not understand the sources" % len(analysis.moving))
        unused.append(None)
    raise SystemExit(bool(findings or unused))


if __name__ == "__main__":
    main()
