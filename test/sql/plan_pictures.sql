-- einsum_plan's pictures: well formed, complete, and nothing on top of anything else
\pset format unaligned
\t on
CREATE SCHEMA picture_test;
SET search_path = picture_test, public;
CREATE TABLE a (i int, j int, v float8 NOT NULL, PRIMARY KEY (i, j));
INSERT INTO a SELECT i, (i * 7 + k * k * 3) % 50, k + 1 FROM generate_series(0, 49) i, generate_series(0, 2) k;
CREATE TABLE h (j int PRIMARY KEY, v tensor NOT NULL);
INSERT INTO h SELECT j, ARRAY[j % 5, j % 3 - 1, 1, -2]::float8[]::tensor FROM generate_series(0, 49) j;
CREATE TABLE w (v tensor);
INSERT INTO w VALUES ('[[1,2],[0,-1],[3,1],[1,0]]');
SELECT einsum_register('a[I,J]', 'a', '{i,j}', 'v', '{50,50}'), einsum_register('h[J,k]', 'h', '{j}', 'v', '{50,4}'), einsum_register('w[k,m]', 'w', '{}', 'v');
SELECT count(*) FROM (SELECT einsum_analyze('a') UNION ALL SELECT einsum_analyze('h') UNION ALL SELECT einsum_analyze('w')) s;

CREATE FUNCTION picture(program text, plan int DEFAULT 1, actual boolean DEFAULT false) RETURNS xml LANGUAGE sql AS $$
	SELECT xmlparse(DOCUMENT string_agg(line, E'\n')) FROM einsum_plan(program, format => 'svg', alternative => plan, actual => actual, result => 'auto') line $$;
CREATE FUNCTION found(path text, picture xml) RETURNS text[] LANGUAGE sql AS $$
	SELECT xpath(path, picture, ARRAY[ARRAY['s', 'http://www.w3.org/2000/svg']])::text[] $$;
CREATE FUNCTION boxes(picture xml) RETURNS TABLE (x float8, y float8, width float8, height float8, title text) LANGUAGE sql AS $$
	SELECT * FROM unnest(found('//s:g/s:rect/@x', picture)::float8[], found('//s:g/s:rect/@y', picture)::float8[], found('//s:g/s:rect/@width', picture)::float8[],
		found('//s:g/s:rect/@height', picture)::float8[], found('//s:g/s:title/text()', picture)) $$;
\set program 'd[i] = sum[j] a[i,j]; n[i,j] = a[i,j]/sqrt(d[i]*d[j]); y[I,m] = relu(sum[j] n[i,j]*(sum[k] h[j,k]*w[k,m])); z[i] = (sum[m] y[i,m]*y[i,m])*d[i]; s[] = sum[i] z[i]; t[I] = z[i] - s[]/50'

-- a box for each stage but what is absorbed, and one for each tensor that is read, in each plan
SELECT k, count(*) FILTER (WHERE title LIKE '% = %') = (SELECT count(*) FROM einsum_plan(:'program', alternative => k, result => 'auto') line
	WHERE line ~ '^  \S.*\(cost=' AND line !~ 'absorbed where it is read') AS stages,
	count(*) FILTER (WHERE title NOT LIKE '% = %') AS stored FROM generate_series(1, 9) k, boxes(picture(:'program', k)) GROUP BY k ORDER BY k;
-- the costliest stage is one
SELECT cardinality(found('//s:g[contains(@class, "costliest")]', picture(:'program')));
-- an arrow for each stage or tensor that a stage reads, in each decomposition that it needs it in
SELECT cardinality(found('//s:path[@class="read"]', p)), cardinality(found('//s:path[@class="moved"]', p)), (SELECT array_agg(regexp_replace(t, ', .*', '')) FROM unnest(found('//s:text[@class="move"]//text()', p)) t)
FROM picture('y[i,k] = a[i,j]*a[j,k]; z[I:8] = a[i,j]*y[i,j]*y[j,i]*y[i,i]') p;
-- boxes are within the picture, and none overlap
SELECT bool_and(b.x >= 0 AND b.y >= 0 AND b.x + b.width <= split_part(box, ' ', 3)::float8 AND b.y + b.height <= split_part(box, ' ', 4)::float8)
FROM generate_series(1, 9) k, picture(:'program', k) p, boxes(p) b, LATERAL (SELECT (found('/s:svg/@viewBox', p))[1]) v(box);
SELECT count(*) FROM generate_series(1, 9) k, picture(:'program', k) p, boxes(p) b, boxes(p) c
WHERE b.title < c.title AND b.x < c.x + c.width AND c.x < b.x + b.width AND b.y < c.y + c.height AND c.y < b.y + b.height;
-- arrows lead down
SELECT bool_and(substring(d from '^M[-0-9.]+ ([-0-9.]+)')::float8 < substring(d from ' ([-0-9.]+)$')::float8)
FROM generate_series(1, 9) k, unnest(found('//s:path[@class="read" or @class="moved"]/@d', picture(:'program', k))) d;
-- the same each time; what there is, asked for
SELECT picture(:'program')::text = picture(:'program')::text;
SELECT count(*) FROM unnest(found('//s:text/text()', picture(:'program', actual => true))) t WHERE t LIKE 'actual: % tuples, % entries, %';
-- promoted labels are set off
SELECT DISTINCT t FROM unnest(found('//s:tspan/text()', picture('y[I:8,j] = a[i,j]*2; z[I:8] = sum[j] y[i,j]'))) t ORDER BY 1;
-- a chain of many, a tensor twice, one that nothing stored is read for, and what XML and DOT must escape
SELECT count(*), max(y) > 3000 FROM boxes(picture('s1[i] = h[i,k] + 1' || (SELECT string_agg(format('; s%s[i] = sqrt(s%s[i])*(sum[j] a[i,j]*s%s[j])', n, n - 1, n - 1), '' ORDER BY n) FROM generate_series(2, 40) n)));
-- one that reads another tensor in each of its stages leads straight down
SELECT count(einsum_store(format('m%s[I,J]', n), 'SELECT i, i, 1 FROM generate_series(0, 2) i', '{3,3}')) FROM generate_series(1, 30) n;
SELECT count(*), max(x) < 400 FROM boxes(picture('s0[i] = m1[i,i]' || (SELECT string_agg(format('; s%s[i] = sqrt(sum[j] m%s[i,j]*s%s[j])', n, n, n - 1), '' ORDER BY n) FROM generate_series(1, 30) n)));
SELECT title FROM boxes(picture('y[] = 2; z[i,j] = a[i,j]*a[j,i]*y[]'));
CREATE TABLE odd (i int PRIMARY KEY, v float8 NOT NULL);
SELECT einsum_register(E'"a ""b"" \\ <c>&\x01\n"[I]', 'odd', '{i}', 'v', '{3}');
SELECT title FROM boxes(picture(E'"y'' ""\\n<"["L ""x]"""] = 2*"a ""b"" \\ <c>&\x01\n"["L ""x]"""]'));
SELECT regexp_replace(line, '\d+ us', 'N us') FROM einsum_plan(E'"y'' ""\\n<"["L ""x]"""] = 2*"a ""b"" \\ <c>&\x01\n"["L ""x]"""]', format => 'dot', result => 'auto') line WHERE line LIKE '  b%';
-- dot: the same boxes and arrows
SELECT count(*) FILTER (WHERE line ~ '^  b\d+ \[') = (SELECT count(*) FROM boxes(picture(:'program'))) AS boxes,
	count(*) FILTER (WHERE line ~ '^  b\d+ -> b\d+') = cardinality(found('//s:path[@class="read" or @class="moved"]', picture(:'program'))) AS arrows,
	count(*) FILTER (WHERE line ~ '^digraph plan \{$|^\}$|^  (node|edge) \[') AS others, count(*) FILTER (WHERE line ~ 'penwidth') AS costliest
FROM einsum_plan(:'program', format => 'dot', result => 'auto') line;
-- one at a time
SELECT einsum_plan(:'program', format => 'svg', plans => 2, result => 'auto');
SELECT count(*) FROM einsum_plan(:'program', format => 'dot', plans => 2, result => 'auto') line WHERE line = '}';
SELECT einsum_plan(:'program', format => 'png', result => 'auto');
SELECT einsum_plan(:'program', format => 'sql', actual => true, result => 'auto');
SET client_min_messages = warning;
DROP SCHEMA picture_test CASCADE;
