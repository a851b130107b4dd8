--
-- The binary form: send, receive, and what receive refuses
--
SET search_path = public, sparseeinsum_internal;
SELECT tensor_send('[[1,2]]');
SELECT tensor_send('float4:[1,-0]'), tensor_send('7'), tensor_send('float8(0,3):[]');
SELECT tensor_send('complex8:[1+2i]'), tensor_send('complex16:[1+2i]');

-- COPY BINARY round trip, of every element type, stored in and out of line
CREATE TABLE tensor_binary (id int, t tensor);
INSERT INTO tensor_binary VALUES
  (1, '3.5'), (2, '[1,NaN,-Infinity,-0]'), (3, 'float4:[[1,2],[3,4]]'), (4, 'complex8:[1+2i]'),
  (5, 'complex16:[[1+2i,NaN-Infinityi]]'), (6, '[]'), (7, 'float8(0,3):[]'), (8, NULL),
  (9, tensor_random('{100,100}', 1)), (10, '[[[[[[[[[[[[[[[[1,2]]]]]]]]]]]]]]]]');

\set datadir `echo $PGHOST`
\set file :datadir '/tensor_binary.bin'
COPY tensor_binary TO :'file' (FORMAT binary);
CREATE TABLE tensor_binary_copy (LIKE tensor_binary);
COPY tensor_binary_copy FROM :'file' (FORMAT binary);
SELECT a.id, a.t = b.t AS same, a.t::text = b.t::text AS same_text
FROM tensor_binary a JOIN tensor_binary_copy b USING (id) ORDER BY id;

-- a message is a COPY file of one row and one column, so that receive can be
-- shown any bytes: signature, flags, extension, fields, length, bytes, trailer
CREATE FUNCTION receive(bytes bytea, file text, typmod text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  object oid;
  result text;
  state text;
  message text;
  detail text;
BEGIN
  object := lo_from_bytea(0, '\x5047434f50590aff0d0a00' || int4send(0) || int4send(0) || int2send(1::int2)
    || int4send(length(bytes)) || bytes || int2send((-1)::int2));
  PERFORM lo_export(object, file);
  PERFORM lo_unlink(object);
  EXECUTE format('CREATE TEMPORARY TABLE received (t tensor%s)', typmod);
  EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
  SELECT t::text INTO result FROM received;
  DROP TABLE received;
  RETURN result;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' | ', state, message, nullif(detail, ''));
END
$$;
SELECT receive('\x010202000000000200000001' || float8send(3) || float8send(4), :'file');
SELECT receive('\x01020000' || float8send(3), :'file');
-- version, type, rank, flags
SELECT receive('\x03020000' || float8send(3), :'file');
SELECT receive('\x00020000' || float8send(3), :'file');
SELECT receive('\x01000000' || float8send(3), :'file');
SELECT receive('\x01050000' || float8send(3), :'file');
SELECT receive('\x01ff0000' || float8send(3), :'file');
SELECT receive('\x01021100' || float8send(3), :'file');
SELECT receive('\x0102ff00' || float8send(3), :'file');
SELECT receive('\x01020001' || float8send(3), :'file');
-- too few bytes, too many
SELECT receive('', :'file');
SELECT receive('\x010203', :'file');
SELECT receive('\x01020200000000', :'file');
SELECT receive('\x0102010000000002' || float8send(3), :'file');
SELECT receive('\x0102010000000001' || float8send(3) || '\x00', :'file');
SELECT receive('\x01020000', :'file');
-- bounds
SELECT receive('\x01020100ffffffff', :'file');
SELECT receive('\x010201007fffffff', :'file');
SELECT receive('\x010202007fffffff7fffffff', :'file');
SELECT receive('\x010203007fffffff7fffffff7fffffff', :'file');
SELECT receive('\x0102040080000000800000008000000080000000', :'file');
SELECT receive('\x01020400000000007fffffff7fffffff7fffffff', :'file');
SELECT receive('\x01020200000000007fffffff', :'file');
-- a product of bounds that is small only modulo 2^64
SELECT receive('\x010204000001000000010000000100000001000000' || float8send(3), :'file');
-- modifiers hold here too
SELECT receive('\x0102010000000001' || float8send(3), :'file', '(float4,1)');
SELECT receive('\x0102010000000001' || float8send(3), :'file', '(float4,2)');
SELECT receive('\x0104010000000001' || float8send(3) || float8send(1), :'file', '(float8)');
-- Sparse values: count, fill, positions, elements. First what is right, with a small element type, of positions in 8 bytes, and by a modifier.
CREATE VIEW sparse_form AS SELECT '\x0202010000000005'::bytea || int8send(2) || float8send(0) || int4send(1) || int4send(3) || float8send(7) || float8send(8) AS bytes;
SELECT receive(bytes, :'file'), receive(bytes, :'file', '(float4,1,sparse)'), receive(bytes, :'file', '(float4,2,sparse)') FROM sparse_form;
SELECT receive('\x020101000000000a' || int8send(1) || float4send(1) || int4send(9) || float4send(7), :'file'), receive('\x020101010000000a' || int8send(1) || float4send(1) || int4send(9) || float4send(7), :'file');
-- NaNs of several bits are one element, and so are 0 and -0
SELECT receive('\x0202010000000005'::bytea || int8send(2) || float8send(3) || int4send(1) || int4send(3) || '\x7ff8000000000000' || '\xfff8000000000001', :'file'), receive('\x0202010000000005'::bytea || int8send(2) || float8send(3) || int4send(1) || int4send(3) || float8send(0) || float8send('-0'), :'file');
SELECT receive('\x020202010001000000010000' || int8send(1) || float8send(0) || int8send(4294967295) || float8send(7), :'file');
SELECT tensor_send('float8(5):{1:7,3:8}') = bytes AS as_sent FROM sparse_form;
-- flags, count, order, a position twice or beyond the bounds, the fill as an entry, a product of bounds beyond 2^63, bytes too many
SELECT what, receive(bytes, :'file') FROM (VALUES
  ('flags', '\x0202010200000005'::bytea || int8send(0) || float8send(0)),
  ('one element of none', '\x0202010100000005' || int8send(0) || float8send(0)),
  ('one element twice', '\x0202010000000005' || int8send(2) || float8send(0) || int4send(1) || int4send(3) || float8send(7) || float8send(7)),
  ('count below 0', '\x0202010000000005' || int8send(-1) || float8send(0)),
  ('count beyond the bounds', '\x0202010000000001' || int8send(2) || float8send(0) || int4send(0) || int4send(1) || float8send(7) || float8send(8)),
  ('count beyond the bytes', '\x020201007fffffff' || int8send(2147483647) || float8send(0) || int4send(0) || float8send(7)),
  ('count of 2^62', '\x020204007fffffff7fffffff0000000200000001' || int8send(4611686018427387904) || float8send(0)),
  ('unsorted', '\x0202010000000005' || int8send(2) || float8send(0) || int4send(3) || int4send(1) || float8send(7) || float8send(8)),
  ('twice', '\x0202010000000005' || int8send(2) || float8send(0) || int4send(1) || int4send(1) || float8send(7) || float8send(8)),
  ('beyond the bounds', '\x0202010000000005' || int8send(2) || float8send(0) || int4send(1) || int4send(5) || float8send(7) || float8send(8)),
  ('position below 0', '\x020202010001000000010000' || int8send(1) || float8send(0) || int8send(-1) || float8send(7)),
  ('fill', '\x0202010000000005' || int8send(2) || float8send(8) || int4send(1) || int4send(3) || float8send(7) || float8send(8)),
  ('NaN as fill', '\x0202010000000005' || int8send(2) || float8send('NaN') || int4send(1) || int4send(3) || float8send('NaN') || float8send(8)),
  ('-0 as 0', '\x0202010000000005' || int8send(2) || float8send(0) || int4send(1) || int4send(3) || float8send('-0') || float8send(8)),
  ('2^63', '\x020203007fffffff7fffffff00000004' || int8send(0) || float8send(0)),
  ('bytes behind it', '\x0202010000000005' || int8send(0) || float8send(0) || '\x00'),
  ('no count', '\x0202010000000005'::bytea)) v(what, bytes);
-- Each byte in turn with each of some values: a value, or 22P03, 08P01 or 54000; and cut off.
SELECT count(*) > 120 AS many, count(*) FILTER (WHERE answer ~ '^(22P03|08P01|54000) ') > 20 AS refused, count(*) FILTER (WHERE answer ~ '^(float|complex)') > 30 AS taken, count(*) FILTER (WHERE answer !~ '^(22P03|08P01|54000) |^(float|complex)') AS otherwise
  FROM sparse_form, generate_series(0, length(bytes) - 1) at, unnest('{0,3,255}'::int[]) byte, LATERAL receive(set_byte(bytes, at, byte), :'file') answer;
SELECT at, receive(substr(bytes, 1, at), :'file') FROM sparse_form, generate_series(0, length(bytes) - 1, 7) at;
DROP VIEW sparse_form;
DROP TABLE tensor_binary, tensor_binary_copy;
DROP FUNCTION receive;
