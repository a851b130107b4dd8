-- The aliases sum, min and max over tensor change nothing for other types
SELECT max('1'), pg_typeof(max('1')), min('b'), pg_typeof(min(NULL));
SELECT max(v), min(v) FROM (VALUES ('a'), ('b')) AS t(v);
SELECT sum(1), sum(1.5), sum(1::bigint), sum(1::float8), sum('1 day'::interval), max(ARRAY[1,2]), min(now()) <= now() AS time;
PREPARE greatest_of AS SELECT max($1);
EXECUTE greatest_of('x');
DEALLOCATE greatest_of;
-- this fails without the extension in the same way
SELECT sum('1');
SELECT sqrt('4'), abs('-1'), exp('1'), round('2.5');
SELECT sum(v), pg_typeof(sum(v)) FROM (VALUES ('[1,2]'::tensor)) AS t(v);
