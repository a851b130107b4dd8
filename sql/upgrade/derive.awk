# Makes an upgrade script:
#
#   awk -f derive.awk FROM.sql CHANGES.sql INSTALL.sql ...
#
# FROM.sql is what the earlier version installed; CHANGES.sql, written by hand, drops, moves and alters what has to be
# before anything is made; the others are what a fresh install runs. The script is CHANGES.sql and the statements of the
# install, in their order: those that make what is not there; those that change a function, aggregate or view, as
# CREATE OR REPLACE; and everything that is no CREATE, as comments and grants, which may be said twice. What else has
# changed and is not dropped by hand is made again, which fails: the test says so.
#
# A statement ends at a semicolon at the end of a line, outside of quotes, $$ and BEGIN ATOMIC.

BEGIN {
	REPLACEABLE = "^(FUNCTION|PROCEDURE|AGGREGATE|VIEW) "
	# what keeps a body as it is written
	BODY = "^CREATE (FUNCTION|PROCEDURE) "
}
FNR == 1 {
	file++
}
file == 2 {
	print
}
statement == "" && (/^--/ || /^\\/ || /^$/) {
	next
}
{
	statement = statement $0 "\n"
}
!ends(statement) {
	next
}
{
	text = statement
	gsub(/[ \t\n]+/, " ", text)
	object = name(plain(text))
	if (text !~ BODY)
		text = plain(text)
	if (file <= 2)
		remember(text, object)
	else if (text !~ /^CREATE /)
		printf "%s", statement
	else if (!(object in there))
		printf "%s", statement
	else if (!(text in there) && object ~ REPLACEABLE)
	{
		sub(/^CREATE /, "CREATE OR REPLACE ", statement)
		printf "%s", statement
	}
	statement = ""
}
END {
	if (statement != "")
	{
		print "a statement does not end: " statement > "/dev/stderr"
		exit 1
	}
}

function ends(text,  parts, n, i, quotes)
{
	if (text !~ /;\n$/ || (text ~ /BEGIN ATOMIC/ && text !~ /END;\n$/))
		return 0
	n = split(text, parts, /\$\$/)
	if (n % 2 == 0)
		return 0
	for (i = 1; i <= n; i += 2)
		quotes += gsub(/'/, "", parts[i])
	return quotes % 2 == 0
}

# The statement without the schemas of what it names, of which is kept what was found.
function plain(text)
{
	gsub(/@extschema@\.|pg_catalog\./, "", text)
	while (match(text, /OPERATOR\([^)]*\)/))
		text = substr(text, 1, RSTART - 1) substr(text, RSTART + 9, RLENGTH - 10) substr(text, RSTART + RLENGTH)
	return text
}

# What a statement makes: of what can be replaced the name and arguments, otherwise all that it says.
function name(text)
{
	if (match(text, /^CREATE (FUNCTION|PROCEDURE|AGGREGATE) [^(]*\([^)]*\)/) || match(text, /^CREATE VIEW [^ ]+/))
		return substr(text, 8, RLENGTH - 7)
	return text
}

function remember(text, object,  schema, moved)
{
	there[text]
	there[object] = text
	if (match(object, / SET SCHEMA .*;/) && object ~ /^ALTER (FUNCTION|AGGREGATE) /)
	{
		schema = substr(object, RSTART + 12, RLENGTH - 13)
		object = substr(object, 7, RSTART - 7)
		moved = object
		sub(/ /, " " schema ".", moved)
		remember("CREATE " moved substr(there[object], length("CREATE " object) + 1), moved)
	}
}
