# Makes an upgrade script:
#
#   awk -f derive.awk FROM.sql CHANGES.sql INSTALL.sql ...
#
# FROM.sql is what the earlier version installed; CHANGES.sql, written by hand, drops and alters what has to be before
# anything is made; the others are what a fresh install runs. The script is CHANGES.sql and the statements of the
# install, in their order: those that make what is not there; those that change a function, aggregate or view, as
# CREATE OR REPLACE; and everything that is no CREATE, as comments and grants, which may be said twice. A function,
# aggregate or type that was in the schema of the extension, and is now in that of what is internal only, moves there:
# it stays the object that views, operators and columns refer to. What else has changed and is not dropped by hand is
# made again, which fails: the test says so.
#
# A statement ends at a semicolon at the end of a line, outside of quotes, $$ and BEGIN ATOMIC.

BEGIN {
	REPLACEABLE = "^(internal )?(FUNCTION|PROCEDURE|AGGREGATE|VIEW) "
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
	object = name(statement)
	if (file <= 2)
		there[object] = plain(statement)
	else
	{
		said[++nsaid] = statement
		installed[object]
	}
	statement = ""
}
END {
	if (statement != "")
	{
		print "a statement does not end: " statement > "/dev/stderr"
		exit 1
	}
	for (i = 1; i <= nsaid; i++)
		say(said[i], name(said[i]))
}

function say(statement, object)
{
	if (statement !~ /^CREATE /)
		printf "%s", statement
	else
	{
		if (!(object in there))
			move(statement, object)
		if (!(object in there))
			printf "%s", statement
		else if (there[object] != plain(statement) && object ~ REPLACEABLE)
		{
			sub(/^CREATE /, "CREATE OR REPLACE ", statement)
			printf "%s", statement
		}
	}
}

# Takes an object to where the install has it, if it is in the schema of the extension and not made there again.
function move(statement, object,  before)
{
	before = object
	if (!sub(/^internal /, "", before) || !(before in there) || before in installed || before !~ /^(FUNCTION|PROCEDURE|AGGREGATE|TYPE) /)
		return
	there[object] = there[before]
	# what follows the shell of a type is the type
	if (before !~ /^TYPE / || before ~ /^TYPE [^ ]+;/)
		print "ALTER " signature(statement) " SET SCHEMA sparseeinsum_internal;"
}

# "FUNCTION @extschema@.f(arguments)" of a statement that makes it in the schema of what is internal.
function signature(statement,  text)
{
	text = one_line(statement)
	if (!match(text, /^CREATE [A-Z]+ [^(]*\([^)]*\)/))
		match(text, /^CREATE TYPE [^;]+/)
	text = substr(text, 8, RLENGTH - 7)
	sub(/sparseeinsum_internal\./, "@extschema@.", text)
	gsub(/ DEFAULT [^,)]*/, "", text)
	return text
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

function one_line(text)
{
	gsub(/[ \t\n]+/, " ", text)
	return text
}

# The statement without the schemas of what it names, of which is kept what was found. Not so in a body that PostgreSQL
# keeps as it is written.
function plain(text)
{
	text = one_line(text)
	if (text ~ /BEGIN ATOMIC| RETURN |\$\$/)
		return text
	gsub(/@extschema@\.|pg_catalog\.|sparseeinsum_internal\./, "", text)
	while (match(text, /OPERATOR\([^)]*\)/))
		text = substr(text, 1, RSTART - 1) substr(text, RSTART + 9, RLENGTH - 10) substr(text, RSTART + RLENGTH)
	return text
}

# What a statement makes: of what can be replaced the name and arguments, without
# defaults, which may change, otherwise all that it says; "internal " before
# what is in the schema of what is internal.
function name(statement,  text, internal)
{
	text = one_line(statement)
	internal = text ~ /^CREATE [A-Z]+ sparseeinsum_internal\./ ? "internal " : ""
	gsub(/@extschema@\.|pg_catalog\.|sparseeinsum_internal\./, "", text)
	if (match(text, /^CREATE (FUNCTION|PROCEDURE|AGGREGATE) [^(]*\([^)]*\)/) || match(text, /^CREATE VIEW [^ ]+/))
	{
		text = substr(text, 8, RLENGTH - 7)
		gsub(/ DEFAULT ('[^']*'|[^,)]*)/, "", text)
		return internal text
	}
	return internal substr(plain(text), 8)
}
