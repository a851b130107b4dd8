-- What decides where a choice, or a comparison with an infinite fill, differs from its fill. Over open labels the
-- others could not be extended: where one of them decided as well, these would be errors.
\set VERBOSITY terse
CREATE SCHEMA program_choices;
SET search_path = program_choices, public;

CREATE TABLE near (i text, j text, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO near VALUES ('a', 'x', 1), ('a', 'y', 7), ('b', 'x', 0), ('b', 'z', -3), ('c', 'x', 'Infinity'), ('c', 'y', 'NaN'), ('d', 'x', 2), ('d', 'y', '-Infinity');
CREATE TABLE far (i text PRIMARY KEY, v float8 NOT NULL);
INSERT INTO far VALUES ('a', 5), ('b', 0), ('c', 5), ('e', 1);
SELECT einsum_register('near[I,J]', 'near', '{i,j}', 'v', '{*,*}', fill => 'Infinity'), einsum_register('far[I]', 'far', '{i}', 'v', '{*}', fill => 'Infinity');
CREATE VIEW low AS SELECT i, j, -v AS v FROM near;
CREATE VIEW high AS SELECT i, -v AS v FROM far;
SELECT einsum_register('low[I,J]', 'low', '{i,j}', 'v', '{*,*}', fill => '-Infinity', duplicates => 'trust'), einsum_register('high[I]', 'high', '{i}', 'v', '{*}', fill => '-Infinity', duplicates => 'trust');
-- 0 where nothing is stored
SELECT einsum_register('edge[I,J]', 'near', '{i,j}', NULL, '{*,*}'), einsum_register('weight[I]', 'far', '{i}', 'v', '{*}');

-- nothing is beyond an infinity
SELECT einsum_decompose('
	less[i,j]    = near[i,j] < far[i];
	more[i,j]    = far[i] > near[i,j];
	greater[i,j] = low[i,j] > high[i];
	smaller[i,j] = high[i] < low[i,j];
	nearer[i,j]  = if(near[i,j] < far[i], near[i,j], 1/0);
	through[i,j] = near[i,j] / (near[i,j] < far[i]);
	lower[i,j]   = if(low[i,j] > high[i], low[i,j], ln(0))', 'choices', result => 'auto') IS NOT NULL;
CREATE FUNCTION compared(relation text, expression text) RETURNS TABLE (differences bigint, stored bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT count(*) FILTER (WHERE p.value IS DISTINCT FROM (%s)), count(p.value) FROM %I AS p FULL JOIN near AS n USING (i, j) LEFT JOIN far AS f USING (i)',
		expression, relation);
END $$;
CREATE FUNCTION below(a float8, b float8) RETURNS boolean LANGUAGE sql AS $$ SELECT coalesce(a <> 'NaN' AND b <> 'NaN' AND a < b, a <> 'NaN' AND a < 'Infinity', false) $$;
SELECT name, (compared(name, 'below(n.v, f.v)::int')).* FROM unnest('{less,more,greater,smaller}'::text[]) AS name;
SELECT name, (compared(name, 'CASE WHEN below(n.v, f.v) THEN n.v ELSE ''Infinity'' END')).* FROM unnest('{nearer}'::text[]) AS name;
SELECT (compared('lower', 'CASE WHEN below(n.v, f.v) THEN -n.v ELSE ''-Infinity'' END')).*;
SELECT * FROM through ORDER BY i, j;

-- a choice is decided by its condition and what that chooses, or by both branches
SELECT einsum_decompose('
	either[i,j] = if(edge[i,j], weight[i], 2*edge[i,j])', 'branches', result => 'auto') IS NOT NULL;
SELECT * FROM either ORDER BY i, j;
SELECT einsum_decompose('any_way[i,j] = if(weight[i] > 1, 3*edge[i,j], 2*edge[i,j])', 'ways', result => 'auto') IS NOT NULL;
SELECT * FROM any_way ORDER BY i, j;
-- not where the branches have different fills, or the condition chooses the other one
SELECT einsum_decompose('other[i,j] = if(weight[i] > 1, edge[i,j], 1 + edge[i,j])', 'other', result => 'auto') IS NOT NULL;
SELECT einsum_decompose('other[i,j] = if(weight[i] > 1, edge[i,j], near[i,j])', 'other', result => 'auto') IS NOT NULL;
SELECT einsum_decompose('other[i,j] = if(edge[i,j] == 0, weight[i], edge[i,j])', 'other', result => 'auto') IS NOT NULL;
-- nor where it is an infinity of the other side, or may be equal
SELECT einsum_decompose('other[i,j] = near[i,j] <= far[i]', 'other', result => 'auto') IS NOT NULL;
SELECT einsum_decompose('other[i,j] = near[i,j] > far[i]', 'other', result => 'auto') IS NOT NULL;

SET client_min_messages = warning;
DROP SCHEMA program_choices CASCADE;
