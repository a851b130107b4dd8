-- einsum_plan says where an aggregate counts indices that no row has, and how many there are.
CREATE SCHEMA missing_indices;
SET search_path = missing_indices, public;
SET client_min_messages = warning;

CREATE TABLE rating (c int PRIMARY KEY, v float8 NOT NULL);
INSERT INTO rating VALUES (0, 1), (3, 2), (5, 0), (7, 4);
SELECT einsum_register('x[C]', 'rating', keys => '{c}', value => 'v', bounds => '{100}');
CREATE FUNCTION missing(program text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT trim(line) FROM einsum_plan(program) AS line WHERE line LIKE '%with rows%' $$;

-- the row of 5 is a 0, and a row all the same
SELECT missing('m[] = avg[c] x[c]');
ANALYZE rating;
SELECT missing('m[] = avg[c] x[c]');
SELECT missing('m[] = mean(x)');
SELECT einsum_plan('m[] = avg[c] x[c]', format => 'json')::jsonb -> 0 -> 'missing' AS missing;
-- what is the same without them
SELECT missing('s[] = sum[c] x[c]; n[] = count[c] x[c]; l[] = norm[c] x[c]; e[] = any[c] x[c]; d[] = sum[c] 2*x[c]*exp(x[c])');
SELECT missing('s[] = min[c] if(x[c] > 0, x[c], 1/0)');
-- and what is not
SELECT missing('a[] = max[c] x[c]; b[] = min[c] x[c]; d[] = prod[c] x[c]; e[] = all[c] x[c]; f[] = sum[c] exp(x[c]); g[] = count[c] (x[c] == 0); h[] = logsumexp[c] x[c]; i[c] = softmax[c] x[c]; j[] = argmax[c] x[c]');
SELECT missing('m[] = avg[c] x[c]; v[] = sum[c] (x[c] - m[])^2');
-- through other statements, by other names of the label
SELECT missing('y[i] = 2*x[i]; z[j] = sqrt(y[j]); m[] = avg[k] z[k]; s[] = sum[k] z[k]; o[] = sum[k] (1 - z[k])');

-- several tensors have rows of a label: the one with most of them counts
CREATE TABLE member (c int PRIMARY KEY, g int NOT NULL);
INSERT INTO member SELECT i, i % 3 FROM generate_series(0, 99) AS i;
SELECT einsum_register('h[C,G]', 'member', keys => '{c,g}', bounds => '{100,5}');
ANALYZE member;
SELECT missing('m[g] = avg[c] x[c]*h[c,g]');
SELECT missing('m[c] = avg[g] x[c]*h[c,g]');
-- nothing where every index has a row
SELECT missing('m[g] = avg[c] h[c,g]');

-- a dimension is the population
CREATE TABLE person (name text PRIMARY KEY);
INSERT INTO person VALUES ('ann'), ('bob'), ('cid');
SELECT einsum_dimension('people', 'person', 'name');
CREATE TABLE weight (name text PRIMARY KEY REFERENCES person, kg float8 NOT NULL);
INSERT INTO weight VALUES ('ann', 60), ('bob', 80);
SELECT einsum_register('w[P]', 'weight', keys => '{name}', value => 'kg', bounds => '{people}');
ANALYZE person, weight;
SELECT missing('m[] = avg[p] w[p]');
INSERT INTO weight VALUES ('cid', 70);
ANALYZE weight;
SELECT missing('m[] = avg[p] w[p]');

-- a fill that changes nothing
CREATE TABLE distance (i int, j int, d float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO distance VALUES (0, 1, 2), (1, 2, 1);
SELECT einsum_register('d[I,J]', 'distance', keys => '{i,j}', value => 'd', bounds => '{9,9}', fill => 'Infinity');
SELECT missing('s[i,k] = min[j] (d[i,j] + d[j,k])');
SELECT missing('s[i,k] = max[j] (d[i,j] + d[j,k])');

-- who may not read a table is told nothing
CREATE ROLE missing_indices_reader;
GRANT USAGE ON SCHEMA missing_indices TO missing_indices_reader;
SET ROLE missing_indices_reader;
SELECT missing('m[] = avg[c] x[c]');
RESET ROLE;
DROP SCHEMA missing_indices CASCADE;
DROP ROLE missing_indices_reader;
