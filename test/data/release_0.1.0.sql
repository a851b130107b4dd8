-- A database of 0.1.0 as pg_dump wrote it, without the extension itself: registered tables and a view, and programs as
-- views and as a table. It is what 0.1.0 left, and stays as it is. Restored where 0.1.0 is created (test/t/extension_update.sh).

CREATE SCHEMA lab;
CREATE TABLE lab.edge (
    dst integer NOT NULL,
    src integer NOT NULL,
    weight double precision
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.edge IS '{"version":1,"tensors":[{"tensor":"e","notation":"e[I,J]","keys":["dst","src"],"value":"weight","bounds":[20000,20000],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.late AS
 SELECT edge.dst,
    edge.src,
    edge.weight
   FROM lab.edge
  WHERE (edge.weight > (3)::double precision);
SECURITY LABEL FOR sparseeinsum ON VIEW lab.late IS '{"version":1,"tensors":[{"tensor":"l","notation":"l[I,J]","keys":["dst","src"],"value":"weight","bounds":[20000,20000],"type":"float8","fill":0,"duplicates":"trust","program":null}]}';
CREATE TABLE lab.node (
    i integer NOT NULL,
    v public.tensor(float8,1) NOT NULL
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.node IS '{"version":1,"tensors":[{"tensor":"h","notation":"h[I,k]","keys":["i"],"value":"v","bounds":[20000,2],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.o AS
SELECT
    NULL::public.tensor AS value;
SECURITY LABEL FOR sparseeinsum ON VIEW lab.o IS '{"version":1,"tensors":[{"tensor":"o","notation":"o[k,l]","keys":[],"value":"value","bounds":[2,2],"type":"float8","fill":0,"duplicates":"trust","program":"square"}]}';
CREATE TABLE lab.p (
    v public.tensor
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.p IS '{"version":1,"tensors":[{"tensor":"p","notation":"p[k,l]","keys":[],"value":"v","bounds":[2,2],"type":"float8","fill":0,"duplicates":"trust","program":null}]}';
CREATE TABLE lab.q (
    value public.tensor NOT NULL,
    CONSTRAINT q_value_check CHECK (((public.tensor_shape(value) = '{8,8}'::integer[]) AND (public.tensor_type(value) = 'float4'::text)))
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.q IS '{"version":1,"tensors":[{"tensor":"q","notation":"q[i,j]","keys":[],"value":"value","bounds":[8,8],"type":"float4","fill":0,"duplicates":"error","program":"blocks","query":"q__query"}]}';
CREATE VIEW lab.q__query AS
SELECT
    NULL::public.tensor AS value;
CREATE VIEW lab.s AS
SELECT
    NULL::double precision AS value;
SECURITY LABEL FOR sparseeinsum ON VIEW lab.s IS '{"version":1,"tensors":[{"tensor":"s","notation":"s[]","keys":[],"value":"value","bounds":[],"type":"float8","fill":0,"duplicates":"trust","program":"views"}]}';
CREATE VIEW lab.s__1 AS
SELECT
    NULL::integer AS j,
    NULL::public.tensor AS value;
SECURITY LABEL FOR sparseeinsum ON VIEW lab.s__1 IS '{"version":1,"tensors":[{"tensor":"s__1","notation":"s__1[J,k]","keys":["j"],"value":"value","bounds":[20000,2],"type":"float8","fill":0,"duplicates":"trust","program":"views"}]}';
CREATE VIEW lab.t AS
SELECT
    NULL::integer AS i,
    NULL::double precision AS value;
SECURITY LABEL FOR sparseeinsum ON VIEW lab.t IS '{"version":1,"tensors":[{"tensor":"t","notation":"t[I]","keys":["i"],"value":"value","bounds":[20000],"type":"float8","fill":0,"duplicates":"trust","program":"views"}]}';
CREATE TABLE lab.tile (
    b integer NOT NULL,
    c integer NOT NULL,
    v public.tensor(float4,2)
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.tile IS '{"version":1,"tensors":[{"tensor":"m","notation":"m[i:4,j:4]","keys":["b","c"],"value":"v","bounds":[8,8],"type":"float4","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.y AS
SELECT
    NULL::integer AS i,
    NULL::public.tensor AS value;
SECURITY LABEL FOR sparseeinsum ON VIEW lab.y IS '{"version":1,"tensors":[{"tensor":"y","notation":"y[I,l]","keys":["i"],"value":"value","bounds":[20000,2],"type":"float8","fill":0,"duplicates":"trust","program":"layer"}]}';
CREATE VIEW lab.y__1 AS
SELECT
    NULL::integer AS j,
    NULL::public.tensor AS value;
SECURITY LABEL FOR sparseeinsum ON VIEW lab.y__1 IS '{"version":1,"tensors":[{"tensor":"y__1","notation":"y__1[J,l]","keys":["j"],"value":"value","bounds":[20000,2],"type":"float8","fill":0,"duplicates":"trust","program":"layer"}]}';
COPY lab.edge (dst, src, weight) FROM stdin;
0	0	0
1	7	1
2	14	2
3	1	3
4	8	4
5	15	5
6	2	6
7	9	7
8	16	8
9	3	9
10	10	10
11	17	11
12	4	12
13	11	13
14	18	14
15	5	15
16	12	16
17	19	17
18	6	18
19	13	19
\.
COPY lab.node (i, v) FROM stdin;
0	[0,1]
1	[1,1]
2	[2,1]
3	[3,1]
4	[4,1]
5	[5,1]
6	[6,1]
7	[7,1]
8	[8,1]
9	[9,1]
10	[10,1]
11	[11,1]
12	[12,1]
13	[13,1]
14	[14,1]
15	[15,1]
16	[16,1]
17	[17,1]
18	[18,1]
19	[19,1]
\.
COPY lab.p (v) FROM stdin;
[[1,2],[3,4]]
\.
COPY lab.q (value) FROM stdin;
float4:[[40,40,40,40,440,440,440,440],[40,40,40,40,440,440,440,440],[40,40,40,40,440,440,440,440],[40,40,40,40,440,440,440,440],[44,44,44,44,524,524,524,524],[44,44,44,44,524,524,524,524],[44,44,44,44,524,524,524,524],[44,44,44,44,524,524,524,524]]
\.
COPY lab.tile (b, c, v) FROM stdin;
0	0	float4:[[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]
0	1	float4:[[10,10,10,10],[10,10,10,10],[10,10,10,10],[10,10,10,10]]
1	0	float4:[[1,1,1,1],[1,1,1,1],[1,1,1,1],[1,1,1,1]]
1	1	float4:[[11,11,11,11],[11,11,11,11],[11,11,11,11],[11,11,11,11]]
\.
ALTER TABLE ONLY lab.edge
    ADD CONSTRAINT edge_pkey PRIMARY KEY (dst, src);
ALTER TABLE ONLY lab.node
    ADD CONSTRAINT node_pkey PRIMARY KEY (i);
ALTER TABLE ONLY lab.tile
    ADD CONSTRAINT tile_pkey PRIMARY KEY (b, c);
CREATE OR REPLACE VIEW lab.o AS
 SELECT COALESCE(public.einsum_sum('a,b->ba'::text, s1.v, s2.v), public.tensor_full('{2,2}'::integer[], '0'::double precision)) AS value
   FROM lab.node s1,
    lab.node s2
  WHERE (public.einsum_key_in_range(s1.i, '20000'::bigint, 'h'::text, 'i'::text) AND (s1.v IS NOT NULL) AND public.einsum_value_has_shape(s1.v, '{2}'::integer[], 'h'::text) AND public.einsum_keys_unique('h'::text, s1.i) AND (s2.i = s1.i) AND public.einsum_key_in_range(s2.i, '20000'::bigint, 'h'::text, 'i'::text) AND (s2.v IS NOT NULL) AND public.einsum_value_has_shape(s2.v, '{2}'::integer[], 'h'::text) AND public.einsum_keys_unique('h'::text, s2.i));
CREATE OR REPLACE VIEW lab.q__query AS
 SELECT COALESCE(( SELECT public.einsum('ab,ca->cb'::text, s1.value, s2.value) AS value
           FROM ( SELECT COALESCE(public.tensor_reshape(public.einsum_stack_blocks(s.v, '0'::double precision, 0, (s.b * 4), 8, (s.c * 4), 8), '{8,8}'::integer[]), public.tensor_full('{8,8}'::integer[], '0'::double precision, 'float4'::text)) AS value
                   FROM lab.tile s
                  WHERE (public.einsum_key_in_range(s.b, '2'::bigint, 'm'::text, 'i'::text) AND public.einsum_key_in_range(s.c, '2'::bigint, 'm'::text, 'j'::text) AND (s.v IS NOT NULL) AND public.einsum_value_has_shape(s.v, '{4,4}'::integer[], 'm'::text, 'float4'::text) AND public.einsum_keys_unique('m'::text, s.b, s.c))) s1,
            ( SELECT COALESCE(public.tensor_reshape(public.einsum_stack_blocks(s.v, '0'::double precision, 0, (s.b * 4), 8, (s.c * 4), 8), '{8,8}'::integer[]), public.tensor_full('{8,8}'::integer[], '0'::double precision, 'float4'::text)) AS value
                   FROM lab.tile s
                  WHERE (public.einsum_key_in_range(s.b, '2'::bigint, 'm'::text, 'i'::text) AND public.einsum_key_in_range(s.c, '2'::bigint, 'm'::text, 'j'::text) AND (s.v IS NOT NULL) AND public.einsum_value_has_shape(s.v, '{4,4}'::integer[], 'm'::text, 'float4'::text) AND public.einsum_keys_unique('m'::text, s.b, s.c))) s2), public.tensor_full('{8,8}'::integer[], '0'::double precision, 'float4'::text)) AS value;
CREATE OR REPLACE VIEW lab.s AS
 SELECT COALESCE(public.einsum_sum_scalar('a,a->'::text, s1.value, s2.v), '0'::double precision) AS value
   FROM lab.s__1 s1,
    lab.node s2
  WHERE ((s2.i = s1.j) AND public.einsum_key_in_range(s2.i, '20000'::bigint, 'h'::text, 'i'::text) AND (s2.v IS NOT NULL) AND public.einsum_value_has_shape(s2.v, '{2}'::integer[], 'h'::text) AND public.einsum_keys_unique('h'::text, s2.i));
CREATE OR REPLACE VIEW lab.s__1 AS
 SELECT s2.src AS j,
    public.einsum_sum(',a->a'::text, s2.weight, s1.v) AS value
   FROM lab.node s1,
    lab.late s2
  WHERE (public.einsum_key_in_range(s1.i, '20000'::bigint, 'h'::text, 'i'::text) AND (s1.v IS NOT NULL) AND public.einsum_value_has_shape(s1.v, '{2}'::integer[], 'h'::text) AND public.einsum_keys_unique('h'::text, s1.i) AND (s2.dst = s1.i) AND (s2.dst IS NOT NULL) AND public.einsum_key_in_range(s2.dst, '20000'::bigint, 'l'::text, 'i'::text) AND (s2.src IS NOT NULL) AND public.einsum_key_in_range(s2.src, '20000'::bigint, 'l'::text, 'j'::text) AND (s2.weight IS NOT NULL))
  GROUP BY s2.src;
CREATE OR REPLACE VIEW lab.t AS
 SELECT s1.i,
    public.einsum_sum_scalar(',a,a->'::text, s2.weight, s1.v, s3.v) AS value
   FROM lab.node s1,
    lab.late s2,
    lab.node s3
  WHERE (public.einsum_key_in_range(s1.i, '20000'::bigint, 'h'::text, 'i'::text) AND (s1.v IS NOT NULL) AND public.einsum_value_has_shape(s1.v, '{2}'::integer[], 'h'::text) AND public.einsum_keys_unique('h'::text, s1.i) AND (s2.dst = s1.i) AND (s2.dst IS NOT NULL) AND public.einsum_key_in_range(s2.dst, '20000'::bigint, 'l'::text, 'i'::text) AND (s2.src IS NOT NULL) AND public.einsum_key_in_range(s2.src, '20000'::bigint, 'l'::text, 'j'::text) AND (s2.weight IS NOT NULL) AND (s3.i = s2.src) AND public.einsum_key_in_range(s3.i, '20000'::bigint, 'h'::text, 'i'::text) AND (s3.v IS NOT NULL) AND public.einsum_value_has_shape(s3.v, '{2}'::integer[], 'h'::text) AND public.einsum_keys_unique('h'::text, s3.i))
  GROUP BY s1.i;
CREATE OR REPLACE VIEW lab.y AS
 SELECT s2.dst AS i,
    public.einsum_sum(',a->a'::text, s2.weight, s1.value) AS value
   FROM ( SELECT s.j AS d0,
            public.einsum_once(s.value) AS value
           FROM lab.y__1 s) s1,
    lab.edge s2
  WHERE ((s2.src = s1.d0) AND public.einsum_key_in_range(s2.dst, '20000'::bigint, 'e'::text, 'i'::text) AND public.einsum_key_in_range(s2.src, '20000'::bigint, 'e'::text, 'j'::text) AND (s2.weight IS NOT NULL) AND public.einsum_keys_unique('e'::text, s2.dst, s2.src))
  GROUP BY s2.dst;
CREATE OR REPLACE VIEW lab.y__1 AS
 SELECT s2.i AS j,
    public.tensor_relu(public.einsum('ab,a->b'::text, s1.v, s2.v)) AS value
   FROM lab.p s1,
    lab.node s2
  WHERE ((s1.v IS NOT NULL) AND public.einsum_value_has_shape(s1.v, '{2,2}'::integer[], 'p'::text) AND public.einsum_key_in_range(s2.i, '20000'::bigint, 'h'::text, 'i'::text) AND (s2.v IS NOT NULL) AND public.einsum_value_has_shape(s2.v, '{2}'::integer[], 'h'::text) AND public.einsum_keys_unique('h'::text, s2.i));
