/*-------------------------------------------------------------------------
 *
 * matrix_functions.c
 *	  The functions of matrices: of linear algebra, and those that solve.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "parser/program_parser.h"

/* clang-format off */
static const MatrixFunction matrix_functions[] = {
	/*                                            mean   rows   columns */
	{"t",        MATRIX_TRANSPOSE},
	{"sum",      MATRIX_AGGREGATE, AGGREGATE_SUM,  false, true,  true},
	{"mean",     MATRIX_AGGREGATE, AGGREGATE_SUM,  true,  true,  true},
	{"prod",     MATRIX_AGGREGATE, AGGREGATE_PROD, false, true,  true},
	{"min",      MATRIX_AGGREGATE, AGGREGATE_MIN,  false, true,  true},
	{"max",      MATRIX_AGGREGATE, AGGREGATE_MAX,  false, true,  true},
	{"rowSums",  MATRIX_AGGREGATE, AGGREGATE_SUM,  false, false, true},
	{"rowMeans", MATRIX_AGGREGATE, AGGREGATE_SUM,  true,  false, true},
	{"rowMins",  MATRIX_AGGREGATE, AGGREGATE_MIN,  false, false, true},
	{"rowMaxs",  MATRIX_AGGREGATE, AGGREGATE_MAX,  false, false, true},
	{"colSums",  MATRIX_AGGREGATE, AGGREGATE_SUM,  false, true,  false},
	{"colMeans", MATRIX_AGGREGATE, AGGREGATE_SUM,  true,  true,  false},
	{"colMins",  MATRIX_AGGREGATE, AGGREGATE_MIN,  false, true,  false},
	{"colMaxs",  MATRIX_AGGREGATE, AGGREGATE_MAX,  false, true,  false},
	{"diag",     MATRIX_DIAGONAL},
	{"trace",    MATRIX_TRACE},
	{"nrow",     MATRIX_ROWS},
	{"ncol",     MATRIX_COLUMNS},
	{"solve",    MATRIX_SOLVE},
	{"inverse",  MATRIX_INVERSE},
	{"inv",      MATRIX_INVERSE},
	{"cholesky", MATRIX_CHOLESKY},
};
/* clang-format on */

const MatrixFunction *
matrix_function_by_name(const char *name)
{
	for (int i = 0; i < lengthof(matrix_functions); i++)
		if (pg_strcasecmp(name, matrix_functions[i].name) == 0)
			return &matrix_functions[i];
	return NULL;
}

const char *
matrix_operation_name(MatrixOperation operation)
{
	int i = 0;

	if (operation >= MATRIX_ARGMAX)
		return formula_name(operation == MATRIX_ARGMAX ? FORMULA_ARGMAX : FORMULA_ARGMIN);
	while (matrix_functions[i].operation != operation)
		i++;
	return matrix_functions[i].name;
}

const MatrixFunction *
matrix_function(int number)
{
	return number < lengthof(matrix_functions) ? &matrix_functions[number] : NULL;
}
