--
-- Files of numpy: every element type, byte order and version, and files that lie
--
-- an npy file of version 1 with that header and those elements; numpy pads the
-- header, but a reader takes it as it is
CREATE FUNCTION npy(header text, elements bytea, major int DEFAULT 1) RETURNS bytea LANGUAGE sql AS $$
  SELECT '\x934e554d5059'::bytea || set_byte('\x00'::bytea, 0, major) || '\x00'::bytea
    || set_byte(set_byte('\x0000', 0, length(header) % 256), 1, length(header) / 256)
    || CASE WHEN major > 1 THEN '\x0000'::bytea ELSE '\x'::bytea END
    || convert_to(header, 'UTF8') || elements$$;
CREATE FUNCTION npy_header(descr text, shape text, fortran text DEFAULT 'False') RETURNS text LANGUAGE sql AS
  $$SELECT format('{''descr'': ''%s'', ''fortran_order'': %s, ''shape'': %s, }', descr, fortran, shape) || E'   \n'$$;

-- what numpy.save writes of numpy.array([[1.5, -2], [3, 4]], dtype = '<f8')
SELECT tensor_from_npy(decode('k05VTVBZAQB2AHsnZGVzY3InOiAnPGY4JywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxzZSwgJ3NoYXBlJzogKDIsIDIpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoAAAAAAAD4PwAAAAAAAADAAAAAAAAACEAAAAAAAAAQQA==', 'base64'));

-- element types, little and big endian
SELECT descr, tensor_from_npy(npy(npy_header(descr, '(2,)'), elements)) FROM (VALUES
  ('<f8', '\x000000000000f83f000000000000f0ff'::bytea), ('>f8', '\x3ff8000000000000fff0000000000000'),
  ('<f4', '\x0000c03f0000c07f'), ('>f4', '\x3fc000007fc00000'),
  ('<f2', '\x003e00fc'), ('>f2', '\x3e00fc00'), ('<f2', '\x0100ff03'), ('<f2', '\x007e0080'), ('<f2', '\xff7b0004'),
  ('<c8', '\x0000803f000000400000000000000080'), ('>c8', '\x3f800000400000000000000080000000'),
  ('<c16', '\x000000000000f03f000000000000004000000000000000000000000000000080'),
  ('>c16', '\x3ff0000000000000400000000000000000000000000000008000000000000000'),
  ('|i1', '\x7f80'), ('<i2', '\xff7f0080'), ('>i2', '\x7fff8000'), ('<i4', '\xffffff7f00000080'), ('>i4', '\x7fffffff80000000'),
  ('<i8', '\x0100000000000000ffffffffffffffff'), ('>i8', '\x0000000000000001ffffffffffffffff'),
  ('|u1', '\x00ff'), ('<u2', '\x0100ffff'), ('>u2', '\x0001ffff'), ('<u4', '\x01000000ffffffff'), ('>u4', '\x00000001ffffffff'),
  ('<u8', '\x0100000000000000ffffffffffffffff'), ('>u8', '\x0000000000000001ffffffffffffffff'),
  ('|b1', '\x0001'), ('?', '\x0200'), ('b1', '\x0100'), ('u1', '\x0100')) v(descr, elements);
-- every half-precision number is exact
SELECT count(*) FROM generate_series(0, 1023) f, generate_series(0, 30) e,
  LATERAL (SELECT tensor_from_npy(npy(npy_header('>f2', '()'), int2send((e * 1024 + f)::int2)))::float8) v(x)
WHERE x = CASE e WHEN 0 THEN f * 2.0::float8 ^ -24 ELSE (1024 + f) * 2.0::float8 ^ (e - 25) END;

-- shapes, order, versions, spelling
SELECT tensor_from_npy(npy(npy_header('|u1', '(2, 3)'), '\x010203040506')), tensor_from_npy(npy(npy_header('|u1', '(2, 3)', 'True'), '\x010203040506')), tensor_from_npy(npy(npy_header('|u1', '(2,3,1)', 'True'), '\x010203040506'));
SELECT tensor_from_npy(npy(npy_header('|u1', '()'), '\x07')), tensor_from_npy(npy(npy_header('|u1', '(0,)'), '\x')), tensor_from_npy(npy(npy_header('<c8', '(2,0,3)', 'True'), '\x')), tensor_from_npy(npy(npy_header('|u1', '(3,)', 'True'), '\x010203'));
SELECT tensor_from_npy(npy(npy_header('|u1', '(1,)'), '\x07', 2)), tensor_from_npy(npy(npy_header('|u1', '(1,)'), '\x07', 3));
SELECT tensor_from_npy(npy('{"shape":(2L,1L),"descr":"|u1","fortran_order":False}', '\x0708')), tensor_from_npy(npy(E'{ ''fortran_order'' : True ,\n''shape'' : ( 2 , ) , ''descr'' : ''|u1'' }', '\x0708'));
SELECT tensor_rank(tensor_from_npy(npy(npy_header('|u1', '(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)'), '\x07')));

-- round trips, and the header that numpy.load reads
SELECT t, tensor_from_npy(tensor_to_npy(t))::text = t::text AS same, length(tensor_to_npy(t)) AS bytes FROM (VALUES
  (tensor '3.5'), ('[1,NaN,-Infinity,-0]'), ('float4:[[1,2],[3,4]]'), ('complex8:[1+2i,-0-Infinityi]'), ('complex16:[[1+2i,NaN-Infinityi]]'),
  ('[]'), ('float8(0,3):[]'), ('[[[[[[[[[[[[[[[[1,2]]]]]]]]]]]]]]]]')) v(t);
SELECT encode(tensor_to_npy('float4:[1]'), 'escape');
SELECT sum(length(tensor_to_npy(t))), bool_and(tensor_from_npy(tensor_to_npy(t)) = t) FROM (SELECT tensor_random('{100,100}', i) FROM generate_series(1, 3) i) v(t);
SELECT tensor_from_npy(NULL), tensor_to_npy(NULL);

-- files that lie: cut anywhere, one is an error
CREATE FUNCTION refused(file bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  state text;
  message text;
  detail text;
BEGIN
  RETURN 'accepted: ' || tensor_from_npy(file)::text;
EXCEPTION WHEN others THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
  RETURN concat_ws(' ', state, message, nullif(detail, ''));
END
$$;
SELECT split_part(refused(substr(file, 1, n)), ' ', 1) AS state, count(*), min(n), max(n)
FROM (SELECT tensor_to_npy('[[1,2],[3,4]]')) f(file), generate_series(0, 160) n GROUP BY 1 ORDER BY 1;
SELECT refused(tensor_to_npy('[1,2]') || '\x00'), refused('\x'), refused('\x934e554d505901000000');
-- any byte of the header changed: an error or another array, never a crash
SELECT count(*) FROM (SELECT tensor_to_npy('[[1,2],[3,4]]')) f(file), generate_series(0, 79) n, unnest('{0,1,39,40,41,44,48,57,123,125,128,255}'::int[]) b
WHERE refused(set_byte(file, n, b)) IS NOT NULL;
SELECT refused(npy(npy_header('|u1', shape), '\x01')) FROM (VALUES
  ('(2,)'), ('(1)'), ('(-1,)'), ('(1.0,)'), ('(,)'), ('(1,,)'), ('1'), ('[1]'), ('(1'), ('(1, 1'), ('(99999999999999999999,)'), ('(2147483648,)'),
  ('(2147483647,)'), ('(2147483647,2147483647)'), ('(65536,65536,65536,65536)'), ('(0,2147483647,2147483647,2147483647)'),
  ('(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)'), ('(True,)'), ('()()')) v(shape);
SELECT refused(npy(npy_header(descr, '(1,)'), '\x01')) FROM (VALUES
  ('<f16'), ('|O'), ('<U5'), ('|S3'), ('<M8[ns]'), ('|V4'), ('f8'), ('|f8'), ('=f8'), (''), ('<'), ('<f'), ('<<f8'), ('b2'), ('\x'), (repeat('f', 40))) v(descr);
SELECT refused(npy(header, '\x01')) FROM (VALUES
  (''), ('{}'), ('{'), ('{''descr'''), ('{''descr'': '), ('{''descr'': ''|u1'), ('{''descr'': ''|u1'''),
  ('{''descr'': ''|u1'', ''shape'': (1,)}'), ('{''descr'': ''|u1'', ''fortran_order'': False}'), ('{''shape'': (1,), ''fortran_order'': False}'),
  ('{''descr'': ''|u1'', ''shape'': (1,), ''fortran_order'': None}'), ('{''descr'': ''|u1'', ''shape'': (1,), ''fortran_order'': False, ''descr'': ''|u1''}'),
  ('{''descr'': ''|u1'', ''shape'': (1,), ''fortran_order'': False, ''more'': 1}'), ('{''descr'': ''|u1'', ''shape'': (1,), ''fortran_order'': False} {}'),
  ('{''descr'': ''|u1'' ''shape'': (1,), ''fortran_order'': False}'), ('{descr: ''|u1''}'), ('{''de\x73cr'': ''|u1''}'),
  ('{''descr'': [(''a'', ''<f8'')], ''shape'': (1,), ''fortran_order'': False}')) v(header);
SELECT refused(set_byte(npy(npy_header('|u1', '(1,)'), '\x07'), 6, 4)), refused(set_byte(npy(npy_header('|u1', '(1,)'), '\x07'), 7, 1)),
  refused(set_byte(npy(npy_header('|u1', '(1,)'), '\x07', 2), 11, 255));
DROP FUNCTION npy(text, bytea, int), npy_header(text, text, text), refused(bytea);
