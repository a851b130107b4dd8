-- States of which a round changes some entries.
\set VERBOSITY terse
CREATE SCHEMA iterate_changes;
SET search_path = iterate_changes, public;

-- a path, searched from node 750 on: each round reaches two nodes
CREATE TABLE edge (i int, j int, PRIMARY KEY (i, j), CHECK (i >= 0 AND i < 1500), CHECK (j >= 0 AND j < 1500));
INSERT INTO edge SELECT n, n + d FROM generate_series(0, 1499) AS n, (VALUES (1), (-1)) AS v(d) WHERE n + d BETWEEN 0 AND 1499;
CREATE TABLE node (i int PRIMARY KEY CHECK (i >= 0 AND i < 1500), source float8);
INSERT INTO node SELECT n, CASE WHEN n = 750 THEN 1 END FROM generate_series(0, 1499) AS n;
ANALYZE edge; ANALYZE node;
SELECT einsum_register('a[I,J]', 'edge', '{i,j}', NULL, '{1500,1500}'), einsum_register('s[I]', 'node', '{i}', 'source', '{1500}'),
	einsum_register('o[I]', 'node', '{i}', NULL, '{1500}');
CREATE FUNCTION search(uses text, most int) RETURNS TABLE (rounds bigint, entries jsonb, expected bool) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('sparseeinsum.enable_state_changes', uses, false);
	SELECT max(r.round), (array_agg(r.entries ORDER BY r.round DESC))[1] INTO rounds, entries FROM einsum_iterate('search',
		'front[I] = s[i]; level[I] = s[i]; high[I] = 0*s[i]; rest[I] = o[i] - s[i]; pair[I,K] = s[i]*s[k]; round[] = 0',
		'next[j]   = (any[i] a[i,j]*front[i])*(level[j] == 0);
		 round[]   = round[] + 1;
		 front[J]  = next[j];
		 level[J]  = (round[] + 2)*next[j] + level[j];
		 high[J]   = greatest(if(next[j] > 0, round[] + 1, ln(next[j])), high[j]);
		 rest[J]   = rest[j]*(1 - next[j]);
		 pair[I,K] = pair[i,k] - front[i]*front[k] + next[i]*next[k];
		 found[]   = sum[j] next[j]', until => 'found[] == 0', max_rounds => most, restart => true) AS r;
	/* an entry for each node that has been reached, and the other way round */
	SELECT bool_and(COALESCE(l.value, 0) = CASE WHEN d <= most THEN d + 1 ELSE 0 END AND COALESCE(h.value, 0) = CASE WHEN d <= most THEN d ELSE 0 END AND
		COALESCE(r.value, 0) = CASE WHEN d <= most THEN 0 ELSE 1 END) AND (SELECT count(*) FROM pair) = (SELECT count(*)^2 FROM front)
	INTO expected FROM (SELECT n, abs(n - 750) FROM generate_series(0, 1499) AS n) AS p(n, d)
	LEFT JOIN level AS l ON l.j = n LEFT JOIN high AS h ON h.j = n LEFT JOIN rest AS r ON r.j = n;
	RETURN NEXT;
END $$;
SELECT * FROM search('off', 30);
SELECT * FROM search('force', 30);
SELECT * FROM search('force', 200);
SELECT * FROM search('on', 200);
SELECT * FROM search('on', 3000);

-- a procedure continues from what it has written
SET sparseeinsum.enable_state_changes = force;
CALL einsum_iterate('steps', 'at[I] = s[i]; count[I] = s[i]', 'count[J] = count[j] + (sum[i] a[i,j]*at[i]); at[J] = sum[i] a[i,j]*at[i]', max_rounds => 3, commit_every => 2);
CALL einsum_iterate('steps', 'at[I] = s[i]; count[I] = s[i]', 'count[J] = count[j] + (sum[i] a[i,j]*at[i]); at[J] = sum[i] a[i,j]*at[i]', max_rounds => 2, commit_every => 1);
SELECT * FROM count ORDER BY j;
-- NaN in a round: the state is that before
SELECT round FROM einsum_iterate('steps', NULL, 'count[J] = count[j] + at[j]/(count[j] - 14) - at[j]/(count[j] - 14); at[J] = 2*at[j]', max_rounds => 3);
SELECT sum(value) FROM count;
-- what until asks of a state is what the round has made of it
SELECT round, value FROM einsum_iterate('sums', 'twice[I] = s[i]', 'twice[I] = twice[i] + s[i]', until => '(sum[i] twice[i]) > 2', max_rounds => 5);
-- what a round reads is what it began with; and what looks like a change but is not, or is one at other labels
SELECT round, entries, value FROM einsum_iterate('others', '
	x[I] = s[i]; y[I] = 0*s[i]; floor[I] = -8*o[i]; flip[I] = o[i]; p[I,K] = s[i]*a[i,k]; many[I,K] = s[i]*o[k]', '
	x[I] = x[i] + (sum[j] a[i,j]*x[j]); y[I] = y[i] + x[i]*o[i];
	floor[I] = greatest(floor[i], s[i] - 5);
	flip[I] = 3*s[i] - flip[i];
	p[I,K] = p[k,i] + 2*s[i]*s[k];
	many[I,K] = many[i,k] + s[i]*o[k];
	diagonal[] = sum[i] many[i,i]', until => 'diagonal[] > 2', max_rounds => 5);
SELECT * FROM x ORDER BY i;
SELECT * FROM y ORDER BY i;
SELECT value, count(*) FROM floor GROUP BY value ORDER BY value;
SELECT value, count(*) FROM flip GROUP BY value ORDER BY value;
SELECT * FROM p ORDER BY i, k;
SELECT value, count(*) FROM many GROUP BY value ORDER BY value;
-- a state in a table of the user's, beside columns that stay
SELECT round, entries FROM einsum_iterate('own', NULL, 's[I] = s[i] + (sum[j] a[i,j]*s[j]) - o[i]*s[i]', assign => '{s}', max_rounds => 2);
SELECT * FROM node WHERE source IS NOT NULL ORDER BY i;
SELECT count(*) FROM node;
-- names as long as they can be
SELECT round, entries FROM einsum_iterate('long', 'a_state_of_which_a_name_is_as_long_as_it_can_be_in_postgresql_[I] = s[i]',
	'a_state_of_which_a_name_is_as_long_as_it_can_be_in_postgresql_[I] = a_state_of_which_a_name_is_as_long_as_it_can_be_in_postgresql_[i] + s[i]', max_rounds => 2);
-- keys of a change may have a narrower type than the state's
CREATE TABLE narrow (k smallint PRIMARY KEY, v float8 NOT NULL);
CREATE TABLE wide (k bigint PRIMARY KEY, v float8 NOT NULL);
INSERT INTO narrow VALUES (3, 1), (5, 2), (6, 3);
INSERT INTO wide VALUES (3, 10), (4, 20);
SELECT einsum_register('narrow[I]', 'narrow', '{k}', 'v', '{*}'), einsum_register('wide[I]', 'wide', '{k}', 'v', '{*}');
SELECT round, entries FROM einsum_iterate('types', 'w[I] = wide[i]', 'w[I] = w[i] + narrow[i]', max_rounds => 2);
SELECT * FROM w ORDER BY i;
SELECT round FROM einsum_iterate('types', 'n[I] = narrow[i]', 'n[I] = n[i] + wide[i]', max_rounds => 2);
-- triggers may call their rows what a loop calls a state's
CREATE TABLE own (i int PRIMARY KEY CHECK (i >= 0 AND i < 10), v float8 NOT NULL);
INSERT INTO own VALUES (1, 1), (2, 2);
SELECT einsum_register('own[I]', 'own', '{i}', 'v', '{10}');
CREATE TABLE seen (n bigint, total float8);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO seen SELECT count(*), sum(v) FROM %I', tg_argv[0]);
	RETURN NULL;
END $$;
DO $$
BEGIN
	FOR n IN 1 .. 60 LOOP
		EXECUTE format('CREATE TRIGGER look%s AFTER UPDATE ON own REFERENCING NEW TABLE AS %I FOR EACH STATEMENT EXECUTE FUNCTION look(%2$L)', n, 'own_@' || n);
	END LOOP;
END $$;
SELECT round, entries FROM einsum_iterate('own', NULL, 'own[I] = own[i] + own[i]', assign => '{own}', max_rounds => 1);
SELECT DISTINCT n, total FROM seen;

RESET sparseeinsum.enable_state_changes;
-- planned again when a state has enough entries that only its changes are computed
SELECT array_agg(round) FILTER (WHERE planned) AS planned, count(*) FROM einsum_iterate('walk', 'here[I] = s[i]; met[I] = s[i]',
	'next[j] = (any[i] a[i,j]*here[i])*(met[j] == 0); here[J] = next[j]; met[J] = met[j] + next[j]; found[] = sum[j] next[j]',
	until => 'found[] == 0', max_rounds => 2000, restart => true);
-- and not for a vector that is the same number everywhere, as it begins
SELECT array_agg(round) FILTER (WHERE planned) AS planned, array_agg(entries ORDER BY round) AS entries
FROM einsum_iterate('even', 'even[i] = 1 + 0*o[i]', 'd[i] = sum[j] a[i,j]; lost[] = sum[i] (d[i] == 0)*even[i];
	even[j] = 0.5 + 0.5*((sum[i] a[i,j]*even[i]) + lost[]/1500)', max_rounds => 3);
-- what differs is written, and nothing else
CREATE TABLE pairs (i int PRIMARY KEY CHECK (i >= 0 AND i < 6), u float8, v float8 NOT NULL, other text);
INSERT INTO pairs VALUES (0, 1, 0), (1, 2, 3), (2, NULL, 4), (3, 5, 0);
SELECT einsum_register('left[I]', 'pairs', '{i}', 'u', '{6}'), einsum_register('right[I]', 'pairs', '{i}', 'v', '{6}');
CREATE TABLE versions (tag text, name text, version tid, i int, value text);
CREATE PROCEDURE note(tag text) LANGUAGE sql AS $$
	INSERT INTO versions SELECT note.tag, 'met', ctid, j, value::text FROM met;
	INSERT INTO versions SELECT note.tag, 'pairs', ctid, i, format('%s %s', u, v) FROM pairs
$$;
CALL note('before');
SELECT round, entries FROM einsum_iterate('same', NULL, 'left[i] = left[i]; right[i] = right[i]', assign => '{left,right}', max_rounds => 1);
SELECT count(*) FROM einsum_iterate('walk', NULL, 'here[J] = here[j]; met[J] = met[j] + 0*here[j]', max_rounds => 1);
CALL note('same');
SELECT round, entries FROM einsum_iterate('other', NULL, 'left[i] = (left[i] <> 2)*(left[i] + (left[i] == 5)); right[i] = right[i]*(right[i] < 4)', assign => '{left,right}', max_rounds => 1);
SELECT count(*) FROM einsum_iterate('walk', NULL, 'met[J] = met[j] - s[j] + (sum[i] a[i,j]*s[i])', max_rounds => 1);
CALL note('other');
SELECT v.tag, v.name, count(*), count(*) FILTER (WHERE v.version = b.version) AS untouched,
	array_agg(format('%s: %s', v.i, v.value) ORDER BY v.i) FILTER (WHERE v.version <> b.version) AS written
FROM versions AS v LEFT JOIN versions AS b ON b.tag = 'before' AND (b.name, b.i) = (v.name, v.i) GROUP BY v.name, v.tag ORDER BY v.name, v.tag;
-- also where a full join finds it, since values are not double precision
CREATE TABLE joined (i int PRIMARY KEY CHECK (i >= 0 AND i < 6), u numeric NOT NULL, v float8 NOT NULL);
INSERT INTO joined VALUES (0, 1, 0), (1, 0, 3), (2, 5, 1);
CREATE TABLE joined_before AS SELECT i, ctid AS version FROM joined;
SELECT einsum_register('low[I]', 'joined', '{i}', 'u', '{6}'), einsum_register('above[I]', 'joined', '{i}', 'v', '{6}');
SELECT round, entries FROM einsum_iterate('low', NULL, 'low[i] = low[i]*(low[i] > 2)', assign => '{low}', max_rounds => 1);
SELECT i, u, v, version = joined.ctid AS untouched FROM joined JOIN joined_before USING (i) ORDER BY i;
-- what triggers do is seen: rows that go with the one that they refer to come again
CREATE TABLE tree (i int PRIMARY KEY, parent int REFERENCES tree ON DELETE CASCADE, v float8);
INSERT INTO tree VALUES (0, NULL, 1), (1, 0, 2), (2, NULL, 3), (3, 2, 4);
SELECT einsum_register('tree[I]', 'tree', '{i}', 'v', '{4}');
SELECT round, entries FROM einsum_iterate('tree', NULL, 'tree[i] = if(tree[i] > 1, tree[i], 0)', assign => '{tree}', max_rounds => 1);
SELECT * FROM tree ORDER BY i;
-- rights to the columns of keys and values are enough
CREATE TABLE part (i int PRIMARY KEY, v float8, secret text);
INSERT INTO part SELECT n, n FROM generate_series(0, 3) AS n;
SELECT einsum_register('part[I]', 'part', '{i}', 'v', '{4}');
CREATE ROLE sparseeinsum_writes_part;
GRANT USAGE ON SCHEMA iterate_changes TO sparseeinsum_writes_part;
GRANT SELECT (i, v), INSERT (i, v), UPDATE (v), DELETE ON part TO sparseeinsum_writes_part;
SET ROLE sparseeinsum_writes_part;
SELECT round, entries FROM einsum_iterate('part', NULL, 'part[i] = 4 - part[i]*part[i]', assign => '{part}', max_rounds => 1);
RESET ROLE;
SELECT * FROM part ORDER BY i;

SET client_min_messages = warning;
DROP SCHEMA iterate_changes CASCADE;
DROP ROLE sparseeinsum_writes_part;
