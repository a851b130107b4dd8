-- The program language: what is refused, where, and what to do about it.

-- Syntax
SET search_path = public, sparseeinsum_internal;
SELECT einsum_parse('');
SELECT einsum_parse(' ; /* nothing */ ;; -- at all');
SELECT einsum_parse('y[i]');
SELECT einsum_parse('y[i] =');
SELECT einsum_parse('y[i] + x[i]');
SELECT einsum_parse('3 = x[i]');
SELECT einsum_parse('y[i] == x[i]');
SELECT einsum_parse('y[i] = = x[i]');
SELECT einsum_parse('y[i] = x[i] z[i]');
SELECT einsum_parse(E'y[i] = x[i]\nz[i] = y[i]');
SELECT einsum_parse(E'y = x\nz = y');
SELECT einsum_parse('y[i] = (x[i] + 1');
SELECT einsum_parse('y[i] = x[i] + 1)');
SELECT einsum_parse('y[i = x[i]');
SELECT einsum_parse('y[i,] = x[i]');
SELECT einsum_parse('y[i j] = x[i]');
SELECT einsum_parse('y[i] = a.b.c[i]');
SELECT einsum_parse('y[i] = s.exp(x[i])');
SELECT einsum_parse('y[i] = "exp"(x[i])');
SELECT einsum_parse('y[i] = x[i] +');
SELECT einsum_parse('y[i] = + x[i]');
SELECT einsum_parse('y[i] = x[i]; z[i] = ; w[i] = 1');
SELECT einsum_parse('y[i] < - x[i]');
SELECT einsum_parse('y[i] = x[i] = 1');
SELECT einsum_parse('y[i] = if(x[i] = 1, 2, 3)');
SELECT einsum_parse('y[i] = if(x[i] := 1, 2, 3)');
SELECT einsum_parse('y[i] = x[i]**2');
SELECT einsum_parse('y[i] = x[i] @ 2');
SELECT einsum_parse('y[i] = x[i] % 2');
SELECT einsum_parse('y[i] = ''text''');
SELECT einsum_parse('y[i] = x[i] × 2');
SELECT einsum_parse('y[i] = exp(x[i],)');
SELECT einsum_parse('sum[i] = x[i]');
-- positions count characters, and lines
SELECT einsum_parse(E'größe[i] = ä[i];\ny[i] = é[i] ö[i]');

-- Words
SELECT einsum_parse('y[i] = 2x[i]');
SELECT einsum_parse('y[i] = 1e');
SELECT einsum_parse('y[i] = 2é');
SELECT einsum_parse('y[i] = 2ij');
SELECT einsum_parse('y[i] = 1e999');
SELECT einsum_parse('y[i] = x[i] /* unterminated /* */');
SELECT einsum_parse('y[i] = "x');
SELECT einsum_parse('y[i] = ""[i]');
SELECT einsum_parse('y[i] = $1');
SELECT einsum_parse('y[i] = $');

-- Comparisons do not chain
SELECT einsum_parse('y[i] = a[i] < b[i] < c[i]');
SELECT einsum_parse('y[i] = a[i] == b[i] != c[i]');

-- Labels
SELECT einsum_parse('y[Foo] = x[foo]');
SELECT einsum_parse('y[fooBar2:8] = x[i]');
SELECT einsum_parse('y[i] = sum[iJ] x[i]');
SELECT einsum_parse('y[value] = 1');
SELECT einsum_parse('y[VALUE:8] = 1');
SELECT einsum_parse('y[i] = sum["ctid"] x[i]');
SELECT einsum_parse('y[tableoid] = 1');
SELECT einsum_parse('y[xmin] = 1');
SELECT einsum_parse('y[cmin] = 1');
SELECT einsum_parse('y[xmax] = 1');
SELECT einsum_parse('y[cmax:*] = 1');
SELECT einsum_parse('y[' || repeat('i', 64) || '] = 1');
SELECT einsum_parse('y[i,j,I] = 1');
SELECT einsum_parse('y[i:0] = 1');
SELECT einsum_parse('y[i:2147483648] = 1');
SELECT einsum_parse('y[i:99999999999999999999999] = 1');
SELECT einsum_parse('y[i:] = 1');
SELECT einsum_parse('y[i:-1] = 1');
SELECT einsum_parse('y[i:1.5] = 1');
SELECT einsum_parse('y[i:j] = 1');
SELECT einsum_parse('y[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q] = 1');

-- Arithmetic in indices is reserved
SELECT einsum_parse('y[i] = x[i+j]');
SELECT einsum_parse('y[i] = x[i-j]');
SELECT einsum_parse('y[i] = x[1+i]');
SELECT einsum_parse('y[i] = x[1-i]');
SELECT einsum_parse('y[i+1] = x[i]');
SELECT einsum_parse('y[0] = x[0]');
SELECT einsum_parse('y[] = sum[i+1] x[i]');
SELECT einsum_parse('y[] = sum[0] x[i]');
SELECT einsum_parse('y[k] = solve[k,l+1](g[k,l], b[l])');
SELECT einsum_parse('y[i] = x[i+2147483648]');
SELECT einsum_parse('y[i] = x[2*i]');
SELECT einsum_parse('y[i] = x[i*2]');
SELECT einsum_parse('y[i] = x[i/2]');
SELECT einsum_parse('y[i] = x[-1]');
SELECT einsum_parse('y[i] = x[j,p[i]]');
SELECT einsum_parse('y[i] = x[(i)]');
SELECT einsum_parse('y[i] = x[floor(i)]');
SELECT einsum_parse('y[i] = x[max[j] p[j]]');

-- Aggregates
SELECT einsum_parse('s[] = sum[] x[i]');
SELECT einsum_parse('s[] = sum[i,j,I] x[i,j]');
SELECT einsum_parse('s[] = sum[i]');
SELECT einsum_parse('s[] = sum[i] + 1');
SELECT einsum_parse('s[] = max[' || (SELECT string_agg('i' || n, ',') FROM generate_series(1, 53) n) || '] 1');

-- Functions
\set VERBOSITY terse
SELECT einsum_parse('y[i] = frobnicate(x[i])');
\set VERBOSITY default
-- the hint has all functions, here shortened
CREATE FUNCTION pg_temp.hint(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
	EXECUTE query;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END $$;
CREATE TEMP TABLE hints AS SELECT pg_temp.hint(q) AS hint FROM unnest(ARRAY['SELECT einsum_parse(''y[i] = frobnicate(x[i])'')', 'SELECT einsum_parse_map(''rowMean($1)'')']) q;
SELECT regexp_replace(hint, 'greatest, .*, pow', '...') AS hint FROM hints;
SELECT proname, hint FROM hints JOIN pg_proc ON proname LIKE 'tensor\_%' AND pronargs = 1 AND proargtypes[0] = 'tensor'::regtype AND obj_description(pg_proc.oid, 'pg_proc') LIKE 'element-wise: %'
WHERE hint !~ ('\m' || substr(proname, 8) || '\M');
SELECT einsum_parse('y[i] = log(x[i])');
SELECT einsum_parse('y[i] = max(x[i], 1)');
SELECT einsum_parse('y[i] = min(x[i], 1)');
SELECT einsum_parse('y[i] = mean(x[i], 1)');
SELECT einsum_parse('y = trace(x, y)');
SELECT einsum_parse('y = colMean(x)');
SELECT einsum_parse('y[i] = exp()');
SELECT einsum_parse('y[i] = exp(1, 2)');
SELECT einsum_parse('y[i] = greatest(1)');
SELECT einsum_parse('y[i] = if(1, 2)');
SELECT einsum_parse('y[i] = rowSums(a, b)');

-- Limits
\set VERBOSITY terse
SELECT einsum_parse('y[] = ' || repeat('(', 20000));
SELECT einsum_parse('y[] = ' || repeat('- ', 20000));
SELECT einsum_parse('y[] = 1' || repeat('^1', 20000));
SELECT einsum_parse('y[] = 1' || repeat('+1', 400000));
SELECT einsum_parse(repeat(' ', 1048577));
\set VERBOSITY default

-- Codes
CREATE FUNCTION pg_temp.code(program text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN einsum_parse(program);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SELECT p AS program, pg_temp.code(p) AS code FROM (VALUES
	(''),
	('y[i] = '),
	('y[i] = 1e999'),
	('y[i] = log(1)'),
	('y[i] = exp(1, 2)'),
	('y[Ij] = 1'),
	('y[value] = 1'),
	('y[i:0] = 1'),
	('y[i] = x[i+i]'),
	('y[a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q] = 1')) AS v(p);
SELECT pg_temp.code('y[' || repeat('i', 64) || '] = 1'),
	pg_temp.code('y[] = ' || repeat('(', 20000)),
	pg_temp.code(repeat(' ', 1048577));
