# What is made of the table of functions (kernels/function_list.h) outside of C:
#
#   awk -f sql/functions.awk kernels/function_list.h                 the fragment of the install script
#   awk -v docs=1 -f sql/functions.awk kernels/function_list.h       the table in docs/reference/language.md

BEGIN {
	if (docs)
	{
		print "| in programs | of a tensor | gives | of complex numbers |"
		print "|---|---|---|---|"
	}
	else
	{
		print "-- Made by sql/functions.awk of kernels/function_list.h. The functions of the program language on float8:"
		print "-- IEEE arithmetic without errors, and 0 / x = 0. Generated SQL computes fully promoted values with them."
		print "-- And those of one number, of every element."
	}
}
/^\t(OPERATOR|ELEMENTWISE)\(/ {
	elementwise = /^\tELEMENTWISE/
	# the name is the second column, what it gives the last one, in quotes
	split($0, column, /, */)
	name = column[2]
	gives = quoted[split($0, quoted, "\"") - 1]
	if (!docs)
		scalar(name, /TERNARY/ ? 3 : /BINARY/ ? 2 : 1)
	if (!docs && elementwise)
		tensor(name)
	if (docs && elementwise)
		printf "| `%s(x)` | `tensor_%s(t)` | %s | %s |\n", name, name, gives, /REAL_ONLY/ ? "no" : /TO_REAL/ ? "yes: a real number" : "yes"
}

function scalar(name, arity,  arguments, i)
{
	arguments = "double precision"
	for (i = 1; i < arity; i++)
		arguments = arguments ", double precision"
	print ""
	print "CREATE FUNCTION sparseeinsum_internal.scalar_" name "(" arguments ") RETURNS double precision"
	print "\tAS 'MODULE_PATHNAME', 'scalar_" name "' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;"
	print "COMMENT ON FUNCTION sparseeinsum_internal.scalar_" name "(" arguments ") IS 'internal: " gives ", in IEEE arithmetic and never an error';"
}

function tensor(name)
{
	print ""
	print "CREATE FUNCTION tensor_" name "(tensor) RETURNS tensor"
	print "\tAS 'MODULE_PATHNAME', 'tensor_" name "' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10"
	print "\tSUPPORT sparseeinsum_internal.einsum_kernel_support;"
	print "COMMENT ON FUNCTION tensor_" name "(tensor) IS 'element-wise: " gives "';"
}
