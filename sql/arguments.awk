# The names and arguments of the functions that users call, for hints (src/commands/call_hints.c): a row {"name",
# "arguments"} for each CREATE FUNCTION, AGGREGATE and PROCEDURE of the fragments that is not internal. Arguments that
# have a default are in brackets.

/^CREATE (FUNCTION|AGGREGATE|PROCEDURE) / && $3 !~ /^sparseeinsum_internal/ {
	text = substr($0, index($0, $3))
	while (!(end = closing(text)) && (getline line) > 0)
		text = text " " line
	start = index(text, "(")
	name = substr(text, 1, start - 1)
	sub(/^@extschema@\./, "", name)
	printf "{\"%s\", \"%s\"},\n", name, inputs(substr(text, start + 1, end - start - 1))
}

function inputs(text,  argument, count, optional, list, i)
{
	count = split(text, argument, /,[ \t]*/)
	for (i = 1; i <= count; i++)
	{
		gsub(/@extschema@\.|^[ \t]+|[ \t]+$/, "", argument[i])
		if (argument[i] ~ /^OUT /)
			continue
		sub(/"any"/, "any", argument[i])
		gsub(/"/, "\\\"", argument[i])
		if (list != "")
			list = list (argument[i] ~ / DEFAULT / && !optional ? " [, " : ", ")
		optional = sub(/ DEFAULT .*/, "", argument[i]) || optional
		list = list argument[i]
	}
	return list (optional ? "]" : "")
}

# The place of the parenthesis that closes the first one of a text, or 0.
function closing(text,  depth, i, c)
{
	for (i = 1; i <= length(text); i++)
	{
		c = substr(text, i, 1)
		if (c == "(")
			depth++
		else if (c == ")" && --depth == 0)
			return i
	}
	return 0
}
