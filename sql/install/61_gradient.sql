-- Programs made of programs.

CREATE FUNCTION einsum_gradient(
	program text,
	"of" text,
	wrt text[] DEFAULT '{}',
	stored text[] DEFAULT NULL,
	prefix text DEFAULT 'd_',
	init text DEFAULT NULL
) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_gradient' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION einsum_gradient(text, text, text[], text[], text, text) IS
	'a program that computes derivatives of a number that another one defines';
