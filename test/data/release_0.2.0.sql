-- A database of 0.2.0 as pg_dump wrote it, without the extension itself: tensors in all kinds of storage, and programs whose
-- views have stages of all kinds. It is what 0.2.0 left, and stays as it is. Restored where 0.2.0 is created
-- (test/t/extension_update.sh).

CREATE SCHEMA lab;
CREATE TABLE lab.a (
    i integer NOT NULL,
    j bigint NOT NULL,
    v double precision
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.a IS '{"version":1,"tensors":[{"tensor":"a","notation":"a[I,J]","keys":["i","j"],"value":"v","bounds":[6,4],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE TABLE lab.b (
    i integer NOT NULL,
    v public.tensor
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.b IS '{"version":1,"tensors":[{"tensor":"b","notation":"b[i:2,k]","keys":["i"],"value":"v","bounds":[5,3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.blocks_ AS
SELECT
    NULL::integer AS i,
    NULL::integer AS j,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.blocks_ IS 'einsum: blocks_[I:2,J:3] = a[i,j] * 2';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.blocks_ IS '{"version":1,"tensors":[{"tensor":"blocks_","notation":"blocks_[i:2,j:3]","keys":["i","j"],"value":"value","bounds":[6,4],"type":"float8","fill":0,"duplicates":"trust","program":"blocks","call":{"text":"blocks_[I:2,J:3] = a[i,j] * 2","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.by_place_ AS
SELECT
    NULL::integer AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.by_place_ IS 'einsum: by_place_[I] = profile[I,j]*(sum[k] x[j,k])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.by_place_ IS '{"version":1,"tensors":[{"tensor":"by_place_","notation":"by_place_[I]","keys":["i"],"value":"value","bounds":[2],"type":"float8","fill":0,"duplicates":"trust","program":"by_place","call":{"text":"by_place_[I] = profile[I,j]*(sum[k] x[j,k])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.by_place___1 AS
SELECT
    NULL::text AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.by_place___1 IS 'einsum: by_place___1[J], part of by_place_[I] = profile[I,j]*(sum[k] x[j,k])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.by_place___1 IS '{"version":1,"tensors":[{"tensor":"by_place___1","notation":"by_place___1[J]","keys":["j"],"value":"value","bounds":["node"],"type":"float8","fill":0,"duplicates":"trust","program":"by_place"}]}';
CREATE TABLE lab.c (
    i integer NOT NULL,
    v public.tensor
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.c IS '{"version":1,"tensors":[{"tensor":"c","notation":"c[I,k]","keys":["i"],"value":"v","bounds":[6,3],"type":"complex16","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.chain_ AS
SELECT
    NULL::integer AS i,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.chain_ IS 'einsum: chain_[I,k] = m_[i,j]*h[j,k]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.chain_ IS '{"version":1,"tensors":[{"tensor":"chain_","notation":"chain_[I,k]","keys":["i"],"value":"value","bounds":[6,3],"type":"float8","fill":0,"duplicates":"trust","program":"chain","call":{"text":"n_[I] = sum[j] a[i,j]; m_[I,J] = a[i,j]/sqrt(n_[i]*n_[i] + 1); chain_[I,k] = m_[i,j]*h[j,k]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.choice_ AS
SELECT
    NULL::integer AS i,
    NULL::integer AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.choice_ IS 'einsum: choice_[I,J] = (if(f4[I,J] > 0, f4[I,J], 7))*eye[I,J]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.choice_ IS '{"version":1,"tensors":[{"tensor":"choice_","notation":"choice_[I,J]","keys":["i","j"],"value":"value","bounds":[4,4],"type":"float8","fill":0,"duplicates":"trust","program":"choice","call":{"text":"choice_[I,J] = (if(f4[I,J] > 0, f4[I,J], 7))*eye[I,J]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.complexes_ AS
SELECT
    NULL::integer AS i,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.complexes_ IS 'einsum: complexes_[I,k] = c[I,k]*c[I,k] + 1i';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.complexes_ IS '{"version":1,"tensors":[{"tensor":"complexes_","notation":"complexes_[I,k]","keys":["i"],"value":"value","bounds":[6,3],"type":"complex16","fill":"0+1i","duplicates":"trust","program":"complexes","call":{"text":"complexes_[I,k] = c[I,k]*c[I,k] + 1i","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE TABLE lab.dup (
    i integer,
    v double precision
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.dup IS '{"version":1,"tensors":[{"tensor":"dup","notation":"dup[I]","keys":["i"],"value":"v","bounds":[6],"type":"float8","fill":0,"duplicates":"sum","program":null}]}';
CREATE VIEW lab.every_ AS
SELECT
    NULL::integer AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.every_ IS 'einsum: every_[I] = all[J] (a[I,J] >= 0)';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.every_ IS '{"version":1,"tensors":[{"tensor":"every_","notation":"every_[I]","keys":["i"],"value":"value","bounds":[6],"type":"float8","fill":1,"duplicates":"trust","program":"every","call":{"text":"every_[I] = all[J] (a[I,J] >= 0)","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.extremes___1 AS
SELECT
    NULL::integer AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.extremes___1 IS 'einsum: extremes___1[I], part of extremes_[I] = max[j] a[I,j] - (max[j] -a[I,j]) * 2';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.extremes___1 IS '{"version":1,"tensors":[{"tensor":"extremes___1","notation":"extremes___1[I]","keys":["i"],"value":"value","bounds":[6],"type":"float8","fill":0,"duplicates":"trust","program":"extremes"}]}';
CREATE VIEW lab.extremes___2 AS
SELECT
    NULL::integer AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.extremes___2 IS 'einsum: extremes___2[I], part of extremes_[I] = max[j] a[I,j] - (max[j] -a[I,j]) * 2';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.extremes___2 IS '{"version":1,"tensors":[{"tensor":"extremes___2","notation":"extremes___2[I]","keys":["i"],"value":"value","bounds":[6],"type":"float8","fill":0,"duplicates":"trust","program":"extremes"}]}';
CREATE VIEW lab.extremes_ AS
 SELECT extremes_.i,
    public.tensor_sum(extremes_.value) AS value
   FROM ( SELECT extremes___1.i,
            extremes___1.value
           FROM lab.extremes___1 extremes___1
        UNION ALL
         SELECT extremes___2.i,
            public.scalar_negate(extremes___2.value) AS value
           FROM lab.extremes___2 extremes___2) extremes_
  GROUP BY extremes_.i;
COMMENT ON VIEW lab.extremes_ IS 'einsum: extremes_[I] = max[j] a[I,j] - (max[j] -a[I,j]) * 2';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.extremes_ IS '{"version":1,"tensors":[{"tensor":"extremes_","notation":"extremes_[I]","keys":["i"],"value":"value","bounds":[6],"type":"float8","fill":0,"duplicates":"trust","program":"extremes","call":{"text":"extremes_[I] = max[j] a[I,j] - (max[j] -a[I,j]) * 2","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE TABLE lab.f4 (
    i integer NOT NULL,
    j integer NOT NULL,
    v real
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.f4 IS '{"version":1,"tensors":[{"tensor":"f4","notation":"f4[I,J]","keys":["i","j"],"value":"v","bounds":[4,4],"type":"float4","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.filled_ AS
SELECT
    NULL::integer AS i,
    NULL::bigint AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.filled_ IS 'einsum: filled_[I,J] = exp(a[I,J]) + (sum[k] h[J,k])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.filled_ IS '{"version":1,"tensors":[{"tensor":"filled_","notation":"filled_[I,J]","keys":["i","j"],"value":"value","bounds":[6,4],"type":"float8","fill":1,"duplicates":"trust","program":"filled","call":{"text":"filled_[I,J] = exp(a[I,J]) + (sum[k] h[J,k])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.filled___1 AS
SELECT
    NULL::smallint AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.filled___1 IS 'einsum: filled___1[J], part of filled_[I,J] = exp(a[I,J]) + (sum[k] h[J,k])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.filled___1 IS '{"version":1,"tensors":[{"tensor":"filled___1","notation":"filled___1[J]","keys":["j"],"value":"value","bounds":[4],"type":"float8","fill":0,"duplicates":"trust","program":"filled"}]}';
CREATE VIEW lab.floats_ AS
SELECT
    NULL::integer AS i,
    NULL::integer AS j,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.floats_ IS 'einsum: floats_[i,j] = f4[i,j]*f4[j,i]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.floats_ IS '{"version":1,"tensors":[{"tensor":"floats_","notation":"floats_[I,J]","keys":["i","j"],"value":"value","bounds":[4,4],"type":"float4","fill":0,"duplicates":"trust","program":"floats","call":{"text":"floats_[i,j] = f4[i,j]*f4[j,i]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE TABLE lab.g (
    u integer NOT NULL,
    v public.tensor(float8,2),
    r public.tensor(float8,1)
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.g IS '{"version":1,"tensors":[{"tensor":"g","notation":"g[U,k,l]","keys":["u"],"value":"v","bounds":[2,2,2],"type":"float8","fill":0,"duplicates":"error","program":null},{"tensor":"r","notation":"r[U,k]","keys":["u"],"value":"r","bounds":[2,2],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.gram_ AS
SELECT
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.gram_ IS 'einsum: gram_[k,l] = x[i,k]*x[i,l]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.gram_ IS '{"version":1,"tensors":[{"tensor":"gram_","notation":"gram_[k,l]","keys":[],"value":"value","bounds":[3,3],"type":"float8","fill":0,"duplicates":"trust","program":"gram","call":{"text":"gram_[k,l] = x[i,k]*x[i,l]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE TABLE lab.h (
    j smallint NOT NULL,
    v public.tensor
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.h IS '{"version":1,"tensors":[{"tensor":"h","notation":"h[J,k]","keys":["j"],"value":"v","bounds":[4,3],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.inverted_ AS
SELECT
    NULL::integer AS u,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.inverted_ IS 'einsum: inverted_[U,k,l] = inverse[k,l](g[U,k,l])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.inverted_ IS '{"version":1,"tensors":[{"tensor":"inverted_","notation":"inverted_[U,k,l]","keys":["u"],"value":"value","bounds":[2,2,2],"type":"float8","fill":0,"duplicates":"trust","program":"inverse_","call":{"text":"inverted_[U,k,l] = inverse[k,l](g[U,k,l])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE TABLE lab.kept (
    i integer NOT NULL,
    value public.tensor(float8,2) NOT NULL,
    CONSTRAINT kept_i_check CHECK (((i >= 0) AND (i < 2)))
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.kept IS '{"version":1,"tensors":[{"tensor":"kept","notation":"kept[i:4,j]","keys":["i"],"value":"value","bounds":[6,4],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE TABLE lab.kept_sum (
    value public.tensor NOT NULL,
    CONSTRAINT kept_sum_value_check CHECK (((public.tensor_shape(value) = '{6,2}'::integer[]) AND (public.tensor_type(value) = 'float8'::text)))
);
COMMENT ON TABLE lab.kept_sum IS 'einsum: kept_sum[i,m] = kept[i,j]*h[j,k]*w[k,m]';
SECURITY LABEL FOR sparseeinsum ON TABLE lab.kept_sum IS '{"version":1,"tensors":[{"tensor":"kept_sum","notation":"kept_sum[i,m]","keys":[],"value":"value","bounds":[6,2],"type":"float8","fill":0,"duplicates":"error","program":"kept_","query":"kept_sum__query","call":{"text":"kept_sum[i,m] = kept[i,j]*h[j,k]*w[k,m]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"always","rewrite":"distribute"}}]}';
CREATE TABLE lab.kept_sum__1 (
    value public.tensor NOT NULL,
    CONSTRAINT kept_sum__1_value_check CHECK (((public.tensor_shape(value) = '{4,2}'::integer[]) AND (public.tensor_type(value) = 'float8'::text)))
);
COMMENT ON TABLE lab.kept_sum__1 IS 'einsum: kept_sum__1[j,m], part of kept_sum[i,m] = kept[i,j]*h[j,k]*w[k,m]';
SECURITY LABEL FOR sparseeinsum ON TABLE lab.kept_sum__1 IS '{"version":1,"tensors":[{"tensor":"kept_sum__1","notation":"kept_sum__1[j,m]","keys":[],"value":"value","bounds":[4,2],"type":"float8","fill":0,"duplicates":"error","program":"kept_","query":"kept_sum__1__query"}]}';
CREATE VIEW lab.kept_sum__1__query AS
SELECT
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.kept_sum__1__query IS 'einsum: kept_sum__1[j,m], part of kept_sum[i,m] = kept[i,j]*h[j,k]*w[k,m]';
CREATE VIEW lab.kept_sum__query AS
SELECT
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.kept_sum__query IS 'einsum: kept_sum[i,m] = kept[i,j]*h[j,k]*w[k,m]';
CREATE TABLE lab.knows (
    a text NOT NULL,
    b text NOT NULL,
    w double precision
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.knows IS '{"version":1,"tensors":[{"tensor":"knows","notation":"knows[I,J]","keys":["a","b"],"value":"w","bounds":["node","node"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.layer_ AS
SELECT
    NULL::integer AS i,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.layer_ IS 'einsum: layer_[I,m] = relu(sum[j,k] a[i,j]*h[j,k]*w[k,m])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.layer_ IS '{"version":1,"tensors":[{"tensor":"layer_","notation":"layer_[I,m]","keys":["i"],"value":"value","bounds":[6,2],"type":"float8","fill":0,"duplicates":"trust","program":"layer","call":{"text":"layer_[I,m] = relu(sum[j,k] a[i,j]*h[j,k]*w[k,m])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.layer___1 AS
SELECT
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.layer___1 IS 'einsum: layer___1[j,m], part of layer_[I,m] = relu(sum[j,k] a[i,j]*h[j,k]*w[k,m])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.layer___1 IS '{"version":1,"tensors":[{"tensor":"layer___1","notation":"layer___1[j,m]","keys":[],"value":"value","bounds":[4,2],"type":"float8","fill":0,"duplicates":"trust","program":"layer"}]}';
CREATE VIEW lab.least_ AS
SELECT
    NULL::smallint AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.least_ IS 'einsum: least_[I] = min[k] exp(h[I,k])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.least_ IS '{"version":1,"tensors":[{"tensor":"least_","notation":"least_[I]","keys":["i"],"value":"value","bounds":[4],"type":"float8","fill":1,"duplicates":"trust","program":"least","call":{"text":"least_[I] = min[k] exp(h[I,k])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.lower___1 AS
SELECT
    NULL::integer AS u,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.lower___1 IS 'einsum: lower___1[U,k,l], part of lower_[U,k,l] = cholesky[k,l](g[U,k,l]*g[U,l,k])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.lower___1 IS '{"version":1,"tensors":[{"tensor":"lower___1","notation":"lower___1[U,k,l]","keys":["u"],"value":"value","bounds":[2,2,2],"type":"float8","fill":0,"duplicates":"trust","program":"lower"}]}';
CREATE VIEW lab.lower_ AS
 SELECT lower___1.u,
    public.einsum_cholesky('bc'::text, 'bc->bc'::text, lower___1.value) AS value
   FROM lab.lower___1 lower___1;
COMMENT ON VIEW lab.lower_ IS 'einsum: lower_[U,k,l] = cholesky[k,l](g[U,k,l]*g[U,l,k])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.lower_ IS '{"version":1,"tensors":[{"tensor":"lower_","notation":"lower_[U,k,l]","keys":["u"],"value":"value","bounds":[2,2,2],"type":"float8","fill":0,"duplicates":"trust","program":"lower","call":{"text":"lower_[U,k,l] = cholesky[k,l](g[U,k,l]*g[U,l,k])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.m_ AS
SELECT
    NULL::integer AS i,
    NULL::bigint AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.m_ IS 'einsum: m_[I,J] = a[i,j]/sqrt(n_[i]*n_[i] + 1)';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.m_ IS '{"version":1,"tensors":[{"tensor":"m_","notation":"m_[I,J]","keys":["i","j"],"value":"value","bounds":[6,4],"type":"float8","fill":0,"duplicates":"trust","program":"chain"}]}';
CREATE VIEW lab.n_ AS
SELECT
    NULL::integer AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.n_ IS 'einsum: n_[I] = sum[j] a[i,j]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.n_ IS '{"version":1,"tensors":[{"tensor":"n_","notation":"n_[I]","keys":["i"],"value":"value","bounds":[6],"type":"float8","fill":0,"duplicates":"trust","program":"chain"}]}';
CREATE VIEW lab.t_packed AS
SELECT
    NULL::integer AS i,
    NULL::integer AS k,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.t_packed IS 'einsum: t_packed[I,K] = c[I,k] + 1i';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.t_packed IS '{"version":1,"tensors":[{"tensor":"t_packed","notation":"t_packed[I,K]","keys":["i","k"],"value":"value","bounds":[6,3],"type":"complex16","fill":"0+1i","duplicates":"trust","program":"packed"}]}';
CREATE VIEW lab.packed_ AS
 SELECT t_packed.d0 AS i,
    public.vec_sca_mult(t_packed.value, 'complex16:2+0i'::public.tensor) AS value
   FROM ( SELECT t_packed_1.i AS d0,
            public.einsum_stack(t_packed_1.value, (t_packed_1.k)::bigint, 0, '3'::bigint, 'complex16:0+1i'::public.tensor) AS value
           FROM lab.t_packed t_packed_1
          GROUP BY t_packed_1.i) t_packed;
COMMENT ON VIEW lab.packed_ IS 'einsum: packed_[I,k] = 2*t_packed[I,k]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.packed_ IS '{"version":1,"tensors":[{"tensor":"packed_","notation":"packed_[I,k]","keys":["i"],"value":"value","bounds":[6,3],"type":"complex16","fill":"0+2i","duplicates":"trust","program":"packed","call":{"text":"t_packed[I,K] = c[I,k] + 1i; packed_[I,k] = 2*t_packed[I,k]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.pairs_ AS
SELECT
    NULL::smallint AS i,
    NULL::smallint AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.pairs_ IS 'einsum: pairs_[I,J] = h[I,k]*h[J,k]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.pairs_ IS '{"version":1,"tensors":[{"tensor":"pairs_","notation":"pairs_[I,J]","keys":["i","j"],"value":"value","bounds":[4,4],"type":"float8","fill":0,"duplicates":"trust","program":"pairs","call":{"text":"pairs_[I,J] = h[I,k]*h[J,k]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE TABLE lab.person (
    id text NOT NULL,
    place integer NOT NULL,
    age double precision,
    income double precision,
    town text
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.person IS '{"version":1,"tensors":[{"tensor":"node","notation":"node[I]","keys":["id"],"value":null,"bounds":["node"],"type":"float8","fill":0,"duplicates":"error","program":null,"position":"place"},{"tensor":"x","notation":"x[I,k]","keys":["id"],"value":["age","income",1],"bounds":["node",3],"type":"float8","fill":0,"duplicates":"error","program":null},{"tensor":"town","notation":"town[I,k]","keys":["id"],"value":{"column":"town","categories":["bonn","ulm"]},"bounds":["node",2],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.place2_ AS
SELECT
    NULL::integer AS u,
    NULL::double precision AS value;
COMMENT ON VIEW lab.place2_ IS 'einsum: place2_[U] = argmax[k] r[U,k]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.place2_ IS '{"version":1,"tensors":[{"tensor":"place2_","notation":"place2_[U]","keys":["u"],"value":"value","bounds":[2],"type":"float8","fill":0,"duplicates":"trust","program":"place2","call":{"text":"place2_[U] = argmax[k] r[U,k]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.place3_ AS
SELECT
    NULL::bigint AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.place3_ IS 'einsum: place3_[J] = argmax[I] a[I,J]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.place3_ IS '{"version":1,"tensors":[{"tensor":"place3_","notation":"place3_[J]","keys":["j"],"value":"value","bounds":[4],"type":"float8","fill":0,"duplicates":"trust","program":"place3","call":{"text":"place3_[J] = argmax[I] a[I,J]","path":["lab","public"],"search":"as_written","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.place_ AS
SELECT
    NULL::integer AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.place_ IS 'einsum: place_[I] = argmax[j] a[I,j]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.place_ IS '{"version":1,"tensors":[{"tensor":"place_","notation":"place_[I]","keys":["i"],"value":"value","bounds":[6],"type":"float8","fill":0,"duplicates":"trust","program":"place","call":{"text":"place_[I] = argmax[j] a[I,j]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.products_ AS
SELECT
    NULL::integer AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.products_ IS 'einsum: products_[I] = prod[J] (a[I,J] + 2)';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.products_ IS '{"version":1,"tensors":[{"tensor":"products_","notation":"products_[I]","keys":["i"],"value":"value","bounds":[6],"type":"float8","fill":16,"duplicates":"trust","program":"products","call":{"text":"products_[I] = prod[J] (a[I,J] + 2)","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE TABLE lab.profile (
    id integer NOT NULL,
    v public.tensor
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.profile IS '{"version":1,"tensors":[{"tensor":"profile","notation":"profile[I,j]","keys":["id"],"value":"v","bounds":[2,"node"],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE TABLE lab.rank_ (
    i text NOT NULL,
    value double precision NOT NULL
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.rank_ IS '{"version":1,"tensors":[{"tensor":"rank_","notation":"rank_[I]","keys":["i"],"value":"value","bounds":["node"],"type":"float8","fill":0,"duplicates":"error","program":"ranks"}]}';
CREATE VIEW lab.ranked_ AS
SELECT
    NULL::text AS i,
    NULL::double precision AS value;
COMMENT ON VIEW lab.ranked_ IS 'einsum: ranked_[i] = sum[j] knows[i,j]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.ranked_ IS '{"version":1,"tensors":[{"tensor":"ranked_","notation":"ranked_[I]","keys":["i"],"value":"value","bounds":["node"],"type":"float8","fill":0,"duplicates":"trust","program":"ranked","call":{"text":"ranked_[i] = sum[j] knows[i,j]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.recut_ AS
SELECT
    NULL::integer AS k,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.recut_ IS 'einsum: recut_[k:2] = b[I:3,k]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.recut_ IS '{"version":1,"tensors":[{"tensor":"recut_","notation":"recut_[k:2]","keys":["k"],"value":"value","bounds":[3],"type":"float8","fill":0,"duplicates":"trust","program":"recut","call":{"text":"recut_[k:2] = b[I:3,k]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.seen AS
 SELECT dup.i,
    dup.v
   FROM lab.dup
  WHERE (dup.i <> 4);
SECURITY LABEL FOR sparseeinsum ON VIEW lab.seen IS '{"version":1,"tensors":[{"tensor":"seen","notation":"seen[I]","keys":["i"],"value":"v","bounds":[6],"type":"float8","fill":0,"duplicates":"sum","program":null}]}';
CREATE VIEW lab.repeats_ AS
 SELECT repeats_.i,
    public.tensor_sum(repeats_.value) AS value
   FROM ( SELECT dup.d0 AS i,
            dup.value
           FROM ( SELECT dup_1.i AS d0,
                    public.tensor_sum(dup_1.v) AS value
                   FROM lab.dup dup_1
                  WHERE ((dup_1.i IS NOT NULL) AND public.einsum_key_in_range(dup_1.i, '6'::bigint, 'dup'::text, 'i'::text) AND (dup_1.v IS NOT NULL))
                  GROUP BY dup_1.i) dup
        UNION ALL
         SELECT seen.d0 AS i,
            seen.value
           FROM ( SELECT seen_1.d0,
                    public.tensor_sum(seen_1.value) AS value
                   FROM ( SELECT seen_2.i AS d0,
                                CASE
                                    WHEN public.einsum_barrier() THEN seen_2.i
                                    ELSE seen_2.i
                                END AS c0,
                                CASE
                                    WHEN public.einsum_barrier() THEN seen_2.v
                                    ELSE seen_2.v
                                END AS value
                           FROM lab.seen seen_2) seen_1
                  WHERE ((seen_1.c0 IS NOT NULL) AND public.einsum_key_in_range(seen_1.c0, '6'::bigint, 'seen'::text, 'i'::text) AND (seen_1.value IS NOT NULL))
                  GROUP BY seen_1.d0) seen) repeats_
  GROUP BY repeats_.i;
COMMENT ON VIEW lab.repeats_ IS 'einsum: repeats_[I] = dup[i] + seen[i]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.repeats_ IS '{"version":1,"tensors":[{"tensor":"repeats_","notation":"repeats_[I]","keys":["i"],"value":"value","bounds":[6],"type":"float8","fill":0,"duplicates":"trust","program":"repeats","call":{"text":"repeats_[I] = dup[i] + seen[i]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.rows_ AS
SELECT
    NULL::integer AS i,
    NULL::integer AS k,
    NULL::double precision AS value;
COMMENT ON VIEW lab.rows_ IS 'einsum: rows_[I,K] = b[i,k]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.rows_ IS '{"version":1,"tensors":[{"tensor":"rows_","notation":"rows_[I,K]","keys":["i","k"],"value":"value","bounds":[5,3],"type":"float8","fill":0,"duplicates":"trust","program":"rows","call":{"text":"rows_[I,K] = b[i,k]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.scalars_ AS
SELECT
    NULL::integer AS i,
    NULL::bigint AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.scalars_ IS 'einsum: scalars_[I,J] = sigmoid(a[I,J] + a[I,J]^2/3) - tanh(a[I,J]) * floor(sqrt(abs(a[I,J])))';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.scalars_ IS '{"version":1,"tensors":[{"tensor":"scalars_","notation":"scalars_[I,J]","keys":["i","j"],"value":"value","bounds":[6,4],"type":"float8","fill":0.5,"duplicates":"trust","program":"scalars","call":{"text":"scalars_[I,J] = sigmoid(a[I,J] + a[I,J]^2/3) - tanh(a[I,J]) * floor(sqrt(abs(a[I,J])))","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.shift2_ AS
SELECT
    NULL::smallint AS j,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.shift2_ IS 'einsum: shift2_[J,k] = h[J,k-1]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.shift2_ IS '{"version":1,"tensors":[{"tensor":"shift2_","notation":"shift2_[J,k]","keys":["j"],"value":"value","bounds":[4,3],"type":"float8","fill":0,"duplicates":"trust","program":"shift2","call":{"text":"shift2_[J,k] = h[J,k-1]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.shift_ AS
SELECT
    NULL::integer AS i,
    NULL::bigint AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.shift_ IS 'einsum: shift_[I,J] = a[I-1,J] + a[I,J+1]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.shift_ IS '{"version":1,"tensors":[{"tensor":"shift_","notation":"shift_[I,J]","keys":["i","j"],"value":"value","bounds":[6,4],"type":"float8","fill":0,"duplicates":"trust","program":"shift","call":{"text":"shift_[I,J] = a[I-1,J] + a[I,J+1]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.solved_ AS
SELECT
    NULL::integer AS u,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.solved_ IS 'einsum: solved_[U,k] = solve(g[U,k,l], r[U,l])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.solved_ IS '{"version":1,"tensors":[{"tensor":"solved_","notation":"solved_[U,k]","keys":["u"],"value":"value","bounds":[2,2],"type":"float8","fill":0,"duplicates":"trust","program":"solved","call":{"text":"solved_[U,k] = solve(g[U,k,l], r[U,l])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.some_ AS
SELECT
    NULL::double precision AS value;
COMMENT ON VIEW lab.some_ IS 'einsum: some_[] = any[i,j] (a[i,j] > 1)';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.some_ IS '{"version":1,"tensors":[{"tensor":"some_","notation":"some_[]","keys":[],"value":"value","bounds":[],"type":"float8","fill":0,"duplicates":"trust","program":"some","call":{"text":"some_[] = any[i,j] (a[i,j] > 1)","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.stacked_ AS
SELECT
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.stacked_ IS 'einsum: stacked_[i,j] = exp(a[i,j])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.stacked_ IS '{"version":1,"tensors":[{"tensor":"stacked_","notation":"stacked_[i,j]","keys":[],"value":"value","bounds":[6,4],"type":"float8","fill":1,"duplicates":"trust","program":"stacked","call":{"text":"stacked_[i,j] = exp(a[i,j])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.t_unpacked AS
SELECT
    NULL::integer AS i,
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.t_unpacked IS 'einsum: t_unpacked[I,k] = c[i,k] + 1i';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.t_unpacked IS '{"version":1,"tensors":[{"tensor":"t_unpacked","notation":"t_unpacked[I,k]","keys":["i"],"value":"value","bounds":[6,3],"type":"complex16","fill":"0+1i","duplicates":"trust","program":"unpacked"}]}';
CREATE VIEW lab.towns_ AS
SELECT
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.towns_ IS 'einsum: towns_[k] = sum[i] town[i,k]*(sum[l] x[i,l])';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.towns_ IS '{"version":1,"tensors":[{"tensor":"towns_","notation":"towns_[k]","keys":[],"value":"value","bounds":[2],"type":"float8","fill":0,"duplicates":"trust","program":"towns","call":{"text":"towns_[k] = sum[i] town[i,k]*(sum[l] x[i,l])","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.unpacked_ AS
 SELECT unpacked_.d0 AS i,
    unpacked_.d1 AS k,
    unpacked_.value
   FROM ( SELECT unpacked__1.i AS d0,
            u1.index AS d1,
            u1.value
           FROM ( SELECT t_unpacked.i,
                    public.vec_sca_mult(t_unpacked.value, 'complex16:2+0i'::public.tensor) AS value
                   FROM lab.t_unpacked t_unpacked) unpacked__1,
            LATERAL public.einsum_unstack_tensor(unpacked__1.value, 0, 'complex16:0+2i'::public.tensor) u1(index, value)) unpacked_;
COMMENT ON VIEW lab.unpacked_ IS 'einsum: unpacked_[I,K] = 2*t_unpacked[I,k]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.unpacked_ IS '{"version":1,"tensors":[{"tensor":"unpacked_","notation":"unpacked_[I,K]","keys":["i","k"],"value":"value","bounds":[6,3],"type":"complex16","fill":"0+2i","duplicates":"trust","program":"unpacked","call":{"text":"t_unpacked[I,k] = c[i,k] + 1i; unpacked_[I,K] = 2*t_unpacked[I,k]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE TABLE lab.w (
    v public.tensor
);
SECURITY LABEL FOR sparseeinsum ON TABLE lab.w IS '{"version":1,"tensors":[{"tensor":"w","notation":"w[k,m]","keys":[],"value":"v","bounds":[3,2],"type":"float8","fill":0,"duplicates":"error","program":null}]}';
CREATE VIEW lab.walks_ AS
SELECT
    NULL::text AS i,
    NULL::text AS j,
    NULL::double precision AS value;
COMMENT ON VIEW lab.walks_ IS 'einsum: walks_[I,J] = knows[I,k]*knows[k,J]';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.walks_ IS '{"version":1,"tensors":[{"tensor":"walks_","notation":"walks_[I,J]","keys":["i","j"],"value":"value","bounds":["node","node"],"type":"float8","fill":0,"duplicates":"trust","program":"walks","call":{"text":"walks_[I,J] = knows[I,k]*knows[k,J]","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
CREATE VIEW lab.wide_ AS
SELECT
    NULL::public.tensor AS value;
COMMENT ON VIEW lab.wide_ IS 'einsum: wide_[i,j,l] = (sum[k] h[j,k]*w[k,l])*a[i,j]+1';
SECURITY LABEL FOR sparseeinsum ON VIEW lab.wide_ IS '{"version":1,"tensors":[{"tensor":"wide_","notation":"wide_[i,j,l]","keys":[],"value":"value","bounds":[6,4,2],"type":"float8","fill":1,"duplicates":"trust","program":"wide","call":{"text":"wide_[i,j,l] = (sum[k] h[j,k]*w[k,l])*a[i,j]+1","path":["lab","public"],"search":"dp","alternative":"1","inputs":"as_stored","result":"auto","materialize":"auto","rewrite":"distribute"}}]}';
COPY lab.a (i, j, v) FROM stdin;
1	0	1
2	0	2
4	0	4
5	0	5
0	1	-2
1	1	-1
3	1	1
4	1	2
0	2	-4
2	2	-2
3	2	-1
5	2	1
1	3	-5
2	3	-4
4	3	-2
5	3	-1
\.
COPY lab.b (i, v) FROM stdin;
0	[[1,2,3],[4,5,6]]
1	[[7,8,9],[1,2,3]]
2	[[4,4,4]]
\.
COPY lab.c (i, v) FROM stdin;
0	complex16:[1+2i,0+0i,3+0i]
2	complex16:[0+1i,2+0i,-1+0i]
\.
COPY lab.dup (i, v) FROM stdin;
0	1
0	2
4	3
\.
COPY lab.f4 (i, j, v) FROM stdin;
0	1	2
2	2	3
3	0	4
\.
COPY lab.g (u, v, r) FROM stdin;
0	[[2,1],[1,4]]	[1,2]
1	[[3,0],[0,5]]	[6,10]
\.
COPY lab.h (j, v) FROM stdin;
0	[1,0,-1]
1	[1,1,-1]
2	[1,2,-1]
3	[1,3,-1]
\.
COPY lab.kept (i, value) FROM stdin;
0	[[0,-2,-4,0],[1,-1,0,-5],[2,0,-2,-4],[0,1,-1,0]]
1	[[4,2,0,-2],[5,0,1,-1]]
\.
COPY lab.kept_sum (value) FROM stdin;
[[-36,58],[-53,79],[-52,76],[-3,4],[-8,4],[2,-11]]
\.
COPY lab.kept_sum__1 (value) FROM stdin;
[[1,-3],[4,-7],[7,-11],[10,-15]]
\.
COPY lab.knows (a, b, w) FROM stdin;
ann	bob	1
bob	eve	2
eve	ann	3
\.
COPY lab.person (id, place, age, income, town) FROM stdin;
ann	0	30	2	ulm
bob	1	40	3	bonn
eve	3	50	5	ulm
\.
COPY lab.profile (id, v) FROM stdin;
0	[1,2,0,4]
1	[0,1,0,2]
\.
COPY lab.rank_ (i, value) FROM stdin;
bob	4.25
ann	2.75
eve	4
\.
COPY lab.w (v) FROM stdin;
[[1,2],[3,-4],[0,5]]
\.
ALTER TABLE ONLY lab.a
    ADD CONSTRAINT a_pkey PRIMARY KEY (i, j);
ALTER TABLE ONLY lab.b
    ADD CONSTRAINT b_pkey PRIMARY KEY (i);
ALTER TABLE ONLY lab.c
    ADD CONSTRAINT c_pkey PRIMARY KEY (i);
ALTER TABLE ONLY lab.f4
    ADD CONSTRAINT f4_pkey PRIMARY KEY (i, j);
ALTER TABLE ONLY lab.g
    ADD CONSTRAINT g_pkey PRIMARY KEY (u);
ALTER TABLE ONLY lab.h
    ADD CONSTRAINT h_pkey PRIMARY KEY (j);
ALTER TABLE ONLY lab.kept
    ADD CONSTRAINT kept_pkey PRIMARY KEY (i);
ALTER TABLE ONLY lab.knows
    ADD CONSTRAINT knows_pkey PRIMARY KEY (a, b);
ALTER TABLE ONLY lab.person
    ADD CONSTRAINT person_pkey PRIMARY KEY (id);
ALTER TABLE ONLY lab.person
    ADD CONSTRAINT person_place_key UNIQUE (place);
ALTER TABLE ONLY lab.profile
    ADD CONSTRAINT profile_pkey PRIMARY KEY (id);
ALTER TABLE ONLY lab.rank_
    ADD CONSTRAINT rank__pkey PRIMARY KEY (i);
CREATE OR REPLACE VIEW lab.blocks_ AS
 SELECT blocks_.d0 AS i,
    blocks_.d1 AS j,
    blocks_.value
   FROM ( SELECT u0.index AS d0,
            u1.index AS d1,
            u1.value
           FROM ( SELECT COALESCE(( SELECT sparseeinsum_internal.einsum(',ab->ab'::text, '2'::double precision, a.value) AS value
                           FROM ( SELECT COALESCE(public.tensor_reshape(public.stack(a_1.v, ((a_1.i * '4'::bigint) + a_1.j), 0, '24'::bigint), '{6,4}'::integer[]), public.tensor_full('{6,4}'::integer[], '0'::double precision, 'float8'::text)) AS value
                                   FROM lab.a a_1
                                  WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j))) a), public.tensor_full('{6,4}'::integer[], '0'::double precision, 'float8'::text)) AS value) blocks__1,
            LATERAL public.einsum_unstack_blocks(blocks__1.value, 0, 2, '0'::double precision) u0(index, value),
            LATERAL public.einsum_unstack_blocks(u0.value, 1, 3, '0'::double precision) u1(index, value)) blocks_;
CREATE OR REPLACE VIEW lab.by_place_ AS
 SELECT profile.d0 AS i,
    public.tensor_sum(public.scalar_multiply(by_place___1.value, profile.value)) AS value
   FROM ( SELECT by_place___1_1.j AS d0,
            public.einsum_once(by_place___1_1.value) AS value
           FROM lab.by_place___1 by_place___1_1) by_place___1,
    ( SELECT profile_1.id AS d0,
            p1.key AS d1,
            u1.value
           FROM lab.profile profile_1,
            LATERAL public.einsum_unstack_scalar(sparseeinsum_internal.einsum_by_place(profile_1.v, '0'::public.tensor, 'profile'::text, 'float8'::text, '{0}'::integer[], ( SELECT COALESCE(array_agg((node.place)::bigint ORDER BY node.place, node.id), '{}'::bigint[]) AS "coalesce"
                   FROM lab.person node
                  WHERE ((node.id IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('node'::text, node.id)))), '0'::double precision) u1(index, value),
            ( SELECT node.id AS key,
                    ((row_number() OVER (ORDER BY node.place, node.id) - '1'::bigint))::integer AS place
                   FROM lab.person node
                  WHERE ((node.id IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('node'::text, node.id))) p1
          WHERE (public.einsum_key_in_range(profile_1.id, '2'::bigint, 'profile'::text, 'i'::text) AND (profile_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('profile'::text, profile_1.id) AND (p1.place = u1.index))) profile
  WHERE (profile.d1 = by_place___1.d0)
  GROUP BY profile.d0;
CREATE OR REPLACE VIEW lab.by_place___1 AS
 SELECT x.id AS j,
    sparseeinsum_internal.einsum_scalar('a->'::text, (ARRAY[COALESCE(x.age, '0'::double precision), COALESCE(x.income, '0'::double precision), '1'::double precision])::public.tensor) AS value
   FROM lab.person x
  WHERE (sparseeinsum_internal.einsum_key_in_dimension(x.id, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = x.id))), 'x'::text, 'i'::text, 'node'::text) AND sparseeinsum_internal.einsum_keys_unique('x'::text, x.id));
CREATE OR REPLACE VIEW lab.chain_ AS
 SELECT chain_.d0 AS i,
    chain_.value
   FROM ( SELECT u0.index AS d0,
            u0.value
           FROM ( SELECT COALESCE(( SELECT sparseeinsum_internal.einsum('ab,ca->cb'::text, h.value, m_.value) AS value
                           FROM ( SELECT COALESCE(public.stack(h_1.v, (h_1.j)::bigint, 0, '4'::bigint), public.tensor_full('{4,3}'::integer[], '0'::double precision, 'float8'::text)) AS value
                                   FROM lab.h h_1
                                  WHERE (public.einsum_key_in_range(h_1.j, '4'::bigint, 'h'::text, 'j'::text) AND (h_1.v IS NOT NULL) AND public.einsum_value_has_shape(h_1.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h_1.j))) h,
                            ( SELECT COALESCE(public.tensor_reshape(public.stack(m__1.value, ((m__1.i * '4'::bigint) + m__1.j), 0, '24'::bigint), '{6,4}'::integer[]), public.tensor_full('{6,4}'::integer[], '0'::double precision, 'float8'::text)) AS value
                                   FROM lab.m_ m__1) m_), public.tensor_full('{6,3}'::integer[], '0'::double precision, 'float8'::text)) AS value) chain__1,
            LATERAL public.einsum_unstack(chain__1.value, 0, '0'::double precision) u0(index, value)) chain_;
CREATE OR REPLACE VIEW lab.choice_ AS
 SELECT eye.d0 AS i,
    eye.d1 AS j,
    sparseeinsum_internal.tensor_map_scalar('multiply(float8(if(gt($1, 0), $1, 7)), $2)'::text, ',->'::text, COALESCE(f4.value, 'float4:0'::public.tensor), eye.value) AS value
   FROM (( SELECT e.index AS d0,
            e.index AS d1,
            '1'::double precision AS value
           FROM public.allints(0, 4) e(index)) eye
     LEFT JOIN ( SELECT f4_1.i AS d0,
            f4_1.j AS d1,
            (f4_1.v)::public.tensor AS value
           FROM lab.f4 f4_1
          WHERE (public.einsum_key_in_range(f4_1.i, '4'::bigint, 'f4'::text, 'i'::text) AND public.einsum_key_in_range(f4_1.j, '4'::bigint, 'f4'::text, 'j'::text) AND (f4_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('f4'::text, f4_1.i, f4_1.j))) f4 ON (((f4.d0 = eye.d0) AND (f4.d1 = eye.d1))));
CREATE OR REPLACE VIEW lab.complexes_ AS
 SELECT c.i,
    sparseeinsum_internal.tensor_map('add(multiply($1, $1), $2)'::text, 'a,->a'::text, c.v, 'complex16:0+1i'::public.tensor) AS value
   FROM lab.c c
  WHERE (public.einsum_key_in_range(c.i, '6'::bigint, 'c'::text, 'i'::text) AND (c.v IS NOT NULL) AND public.einsum_value_has_shape(c.v, '{3}'::integer[], 'c'::text, 'complex16'::text) AND sparseeinsum_internal.einsum_keys_unique('c'::text, c.i));
CREATE OR REPLACE VIEW lab.every_ AS
 SELECT a.i,
    public.scalar_gt(public.tensor_min(public.scalar_ne(public.scalar_ge(a.v, '0'::double precision), '0'::double precision)), '0'::double precision) AS value
   FROM lab.a a
  WHERE (public.einsum_key_in_range(a.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a.j, '4'::bigint, 'a'::text, 'j'::text) AND (a.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a.i, a.j))
  GROUP BY a.i;
CREATE OR REPLACE VIEW lab.extremes___1 AS
 SELECT a.i,
        CASE
            WHEN (count(*) < '4'::bigint) THEN public.scalar_greatest(public.tensor_max(a.v), '0'::double precision)
            ELSE public.tensor_max(a.v)
        END AS value
   FROM lab.a a
  WHERE (public.einsum_key_in_range(a.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a.j, '4'::bigint, 'a'::text, 'j'::text) AND (a.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a.i, a.j))
  GROUP BY a.i;
CREATE OR REPLACE VIEW lab.extremes___2 AS
 SELECT a.i,
    public.scalar_multiply('2'::double precision, public.scalar_subtract('0'::double precision,
        CASE
            WHEN (count(*) < '4'::bigint) THEN public.scalar_least(public.tensor_min(a.v), '0'::double precision)
            ELSE public.tensor_min(a.v)
        END)) AS value
   FROM lab.a a
  WHERE (public.einsum_key_in_range(a.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a.j, '4'::bigint, 'a'::text, 'j'::text) AND (a.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a.i, a.j))
  GROUP BY a.i;
CREATE OR REPLACE VIEW lab.filled_ AS
 SELECT k.l0 AS i,
    k.l1 AS j,
    public.scalar_add(public.scalar_exp(COALESCE(a.value, '0'::double precision)), COALESCE(filled___1.value, '0'::double precision)) AS value
   FROM ((( SELECT a_1.d0 AS l0,
            a_1.d1 AS l1
           FROM ( SELECT a_2.i AS d0,
                    a_2.j AS d1,
                    a_2.v AS value
                   FROM lab.a a_2
                  WHERE (public.einsum_key_in_range(a_2.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_2.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_2.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_2.i, a_2.j))) a_1
        UNION
         SELECT e0.index AS l0,
            filled___1_1.j AS l1
           FROM lab.filled___1 filled___1_1,
            public.allints(0, 6) e0(index)) k
     LEFT JOIN ( SELECT a_1.i AS d0,
            a_1.j AS d1,
            a_1.v AS value
           FROM lab.a a_1
          WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j))) a ON (((a.d0 = k.l0) AND (a.d1 = k.l1))))
     LEFT JOIN lab.filled___1 filled___1 ON ((filled___1.j = k.l1)));
CREATE OR REPLACE VIEW lab.filled___1 AS
 SELECT h.j,
    sparseeinsum_internal.einsum_scalar('a->'::text, h.v) AS value
   FROM lab.h h
  WHERE (public.einsum_key_in_range(h.j, '4'::bigint, 'h'::text, 'j'::text) AND (h.v IS NOT NULL) AND public.einsum_value_has_shape(h.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h.j));
CREATE OR REPLACE VIEW lab.floats_ AS
 SELECT f4.i,
    f4.j,
    sparseeinsum_internal.tensor_map('multiply($1, $2)'::text, ',->'::text, (f4.v)::public.tensor, (f4_2.v)::public.tensor) AS value
   FROM lab.f4 f4,
    lab.f4 f4_2
  WHERE (public.einsum_key_in_range(f4.i, '4'::bigint, 'f4'::text, 'i'::text) AND public.einsum_key_in_range(f4.j, '4'::bigint, 'f4'::text, 'j'::text) AND (f4.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('f4'::text, f4.i, f4.j) AND (f4_2.i = f4.j) AND (f4_2.j = f4.i) AND public.einsum_key_in_range(f4_2.i, '4'::bigint, 'f4'::text, 'i'::text) AND public.einsum_key_in_range(f4_2.j, '4'::bigint, 'f4'::text, 'j'::text) AND (f4_2.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('f4'::text, f4_2.i, f4_2.j));
CREATE OR REPLACE VIEW lab.gram_ AS
 SELECT COALESCE(sparseeinsum_internal.einsum_sum('a,b->ba'::text, (ARRAY[COALESCE(x.age, '0'::double precision), COALESCE(x.income, '0'::double precision), '1'::double precision])::public.tensor, (ARRAY[COALESCE(x.age, '0'::double precision), COALESCE(x.income, '0'::double precision), '1'::double precision])::public.tensor), public.tensor_full('{3,3}'::integer[], '0'::double precision, 'float8'::text)) AS value
   FROM lab.person x
  WHERE (sparseeinsum_internal.einsum_key_in_dimension(x.id, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = x.id))), 'x'::text, 'i'::text, 'node'::text) AND sparseeinsum_internal.einsum_keys_unique('x'::text, x.id));
CREATE OR REPLACE VIEW lab.inverted_ AS
 SELECT g.u,
    public.einsum_inverse('bc'::text, 'bc->bc'::text, g.v) AS value
   FROM lab.g g
  WHERE (public.einsum_key_in_range(g.u, '2'::bigint, 'g'::text, 'u'::text) AND (g.v IS NOT NULL) AND public.einsum_value_has_shape(g.v, '{2,2}'::integer[], 'g'::text) AND sparseeinsum_internal.einsum_keys_unique('g'::text, g.u));
CREATE OR REPLACE VIEW lab.kept_sum__1__query AS
 SELECT COALESCE(( SELECT sparseeinsum_internal.einsum('ab,ca->cb'::text, w.value, h.value) AS value
           FROM ( SELECT ( SELECT w_1.v AS value
                           FROM lab.w w_1
                          WHERE ((w_1.v IS NOT NULL) AND public.einsum_value_has_shape(w_1.v, '{3,2}'::integer[], 'w'::text))) AS value) w,
            ( SELECT COALESCE(public.stack(h_1.v, (h_1.j)::bigint, 0, '4'::bigint), public.tensor_full('{4,3}'::integer[], '0'::double precision, 'float8'::text)) AS value
                   FROM lab.h h_1
                  WHERE (public.einsum_key_in_range(h_1.j, '4'::bigint, 'h'::text, 'j'::text) AND (h_1.v IS NOT NULL) AND public.einsum_value_has_shape(h_1.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h_1.j))) h
          WHERE (w.value IS NOT NULL)), public.tensor_full('{4,2}'::integer[], '0'::double precision, 'float8'::text)) AS value;
CREATE OR REPLACE VIEW lab.kept_sum__query AS
 SELECT COALESCE(( SELECT sparseeinsum_internal.einsum('ab,ca->cb'::text, kept_sum__1.value, kept.value) AS value
           FROM lab.kept_sum__1 kept_sum__1,
            ( SELECT COALESCE(public.tensor_reshape(sparseeinsum_internal.einsum_stack_blocks(kept_1.value, '0'::double precision, 0, (kept_1.i * 4), 6, 0, 4), '{6,4}'::integer[]), public.tensor_full('{6,4}'::integer[], '0'::double precision, 'float8'::text)) AS value
                   FROM lab.kept kept_1
                  WHERE (public.einsum_key_in_range(kept_1.i, '2'::bigint, 'kept'::text, 'i'::text) AND (kept_1.value IS NOT NULL) AND public.einsum_value_has_shape(kept_1.value, ARRAY[(LEAST('4'::bigint, ('6'::bigint - (kept_1.i * '4'::bigint))))::integer, 4], 'kept'::text) AND sparseeinsum_internal.einsum_keys_unique('kept'::text, kept_1.i))) kept), public.tensor_full('{6,2}'::integer[], '0'::double precision, 'float8'::text)) AS value;
CREATE OR REPLACE VIEW lab.layer_ AS
 SELECT layer_.d0 AS i,
    layer_.value
   FROM ( SELECT u0.index AS d0,
            u0.value
           FROM ( SELECT COALESCE(( SELECT public.tensor_relu(sparseeinsum_internal.einsum('ab,ca->cb'::text, layer___1.value, a.value)) AS value
                           FROM lab.layer___1 layer___1,
                            ( SELECT COALESCE(public.tensor_reshape(public.stack(a_1.v, ((a_1.i * '4'::bigint) + a_1.j), 0, '24'::bigint), '{6,4}'::integer[]), public.tensor_full('{6,4}'::integer[], '0'::double precision, 'float8'::text)) AS value
                                   FROM lab.a a_1
                                  WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j))) a), public.tensor_full('{6,2}'::integer[], '0'::double precision, 'float8'::text)) AS value) layer__1,
            LATERAL public.einsum_unstack(layer__1.value, 0, '0'::double precision) u0(index, value)) layer_;
CREATE OR REPLACE VIEW lab.layer___1 AS
 SELECT COALESCE(( SELECT sparseeinsum_internal.einsum('ab,ca->cb'::text, w.value, h.value) AS value
           FROM ( SELECT ( SELECT w_1.v AS value
                           FROM lab.w w_1
                          WHERE ((w_1.v IS NOT NULL) AND public.einsum_value_has_shape(w_1.v, '{3,2}'::integer[], 'w'::text))) AS value) w,
            ( SELECT COALESCE(public.stack(h_1.v, (h_1.j)::bigint, 0, '4'::bigint), public.tensor_full('{4,3}'::integer[], '0'::double precision, 'float8'::text)) AS value
                   FROM lab.h h_1
                  WHERE (public.einsum_key_in_range(h_1.j, '4'::bigint, 'h'::text, 'j'::text) AND (h_1.v IS NOT NULL) AND public.einsum_value_has_shape(h_1.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h_1.j))) h
          WHERE (w.value IS NOT NULL)), public.tensor_full('{4,2}'::integer[], '0'::double precision, 'float8'::text)) AS value;
CREATE OR REPLACE VIEW lab.least_ AS
 SELECT h.j AS i,
    public.scalar_exp(
        CASE
            WHEN (count(*) < '1'::bigint) THEN public.scalar_least(sparseeinsum_internal.tensor_map_min_scalar('$1'::text, 'a->'::text, h.v), '0'::double precision)
            ELSE sparseeinsum_internal.tensor_map_min_scalar('$1'::text, 'a->'::text, h.v)
        END) AS value
   FROM lab.h h
  WHERE (public.einsum_key_in_range(h.j, '4'::bigint, 'h'::text, 'j'::text) AND (h.v IS NOT NULL) AND public.einsum_value_has_shape(h.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h.j))
  GROUP BY h.j;
CREATE OR REPLACE VIEW lab.lower___1 AS
 SELECT g.u,
    sparseeinsum_internal.einsum('ab,ba->ab'::text, g.v, g.v) AS value
   FROM lab.g g
  WHERE (public.einsum_key_in_range(g.u, '2'::bigint, 'g'::text, 'u'::text) AND (g.v IS NOT NULL) AND public.einsum_value_has_shape(g.v, '{2,2}'::integer[], 'g'::text) AND sparseeinsum_internal.einsum_keys_unique('g'::text, g.u));
CREATE OR REPLACE VIEW lab.m_ AS
 SELECT a.i,
    a.j,
    public.scalar_divide(a.v, public.scalar_sqrt(public.scalar_add(public.scalar_multiply(COALESCE(n_.value, '0'::double precision), COALESCE(n_.value, '0'::double precision)), '1'::double precision))) AS value
   FROM (lab.a a
     LEFT JOIN lab.n_ n_ ON ((n_.i = a.i)))
  WHERE (public.einsum_key_in_range(a.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a.j, '4'::bigint, 'a'::text, 'j'::text) AND (a.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a.i, a.j));
CREATE OR REPLACE VIEW lab.n_ AS
 SELECT n_.d0 AS i,
    n_.value
   FROM ( SELECT u0.index AS d0,
            u0.value
           FROM ( SELECT COALESCE(( SELECT sparseeinsum_internal.einsum('ab->a'::text, a.value) AS value
                           FROM ( SELECT COALESCE(public.tensor_reshape(public.stack(a_1.v, ((a_1.i * '4'::bigint) + a_1.j), 0, '24'::bigint), '{6,4}'::integer[]), public.tensor_full('{6,4}'::integer[], '0'::double precision, 'float8'::text)) AS value
                                   FROM lab.a a_1
                                  WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j))) a), public.tensor_full('{6}'::integer[], '0'::double precision, 'float8'::text)) AS value) n__1,
            LATERAL public.einsum_unstack_scalar(n__1.value, '0'::double precision) u0(index, value)) n_;
CREATE OR REPLACE VIEW lab.pairs_ AS
 SELECT h_2.j AS i,
    h.j,
    public.inner_prod(h.v, h_2.v) AS value
   FROM lab.h h,
    lab.h h_2
  WHERE (public.einsum_key_in_range(h.j, '4'::bigint, 'h'::text, 'j'::text) AND (h.v IS NOT NULL) AND public.einsum_value_has_shape(h.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h.j) AND public.einsum_key_in_range(h_2.j, '4'::bigint, 'h'::text, 'j'::text) AND (h_2.v IS NOT NULL) AND public.einsum_value_has_shape(h_2.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h_2.j));
CREATE OR REPLACE VIEW lab.place2_ AS
 SELECT r.u,
    (public.tensor_argmax(r.r, 0))::double precision AS value
   FROM lab.g r
  WHERE (public.einsum_key_in_range(r.u, '2'::bigint, 'r'::text, 'u'::text) AND (r.r IS NOT NULL) AND public.einsum_value_has_shape(r.r, '{2}'::integer[], 'r'::text) AND sparseeinsum_internal.einsum_keys_unique('r'::text, r.u));
CREATE OR REPLACE VIEW lab.place3_ AS
 SELECT a.j,
    public.einsum_argmax(a.v, (a.i)::bigint, '6'::bigint, '0'::double precision) AS value
   FROM lab.a a
  WHERE (public.einsum_key_in_range(a.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a.j, '4'::bigint, 'a'::text, 'j'::text) AND (a.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a.i, a.j))
  GROUP BY a.j;
CREATE OR REPLACE VIEW lab.place_ AS
 SELECT a.d0 AS i,
    (public.tensor_argmax(a.value, 0))::double precision AS value
   FROM ( SELECT a_1.i AS d0,
            public.stack(a_1.v, a_1.j, 0, '4'::bigint) AS value
           FROM lab.a a_1
          WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j))
          GROUP BY a_1.i) a;
CREATE OR REPLACE VIEW lab.products_ AS
 SELECT a.i,
        CASE
            WHEN (count(*) < '4'::bigint) THEN public.scalar_multiply(public.tensor_prod(public.scalar_add(a.v, '2'::double precision)), public.scalar_power('2'::double precision, (('4'::bigint - count(*)))::double precision))
            ELSE public.tensor_prod(public.scalar_add(a.v, '2'::double precision))
        END AS value
   FROM lab.a a
  WHERE (public.einsum_key_in_range(a.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a.j, '4'::bigint, 'a'::text, 'j'::text) AND (a.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a.i, a.j))
  GROUP BY a.i;
CREATE OR REPLACE VIEW lab.ranked_ AS
 SELECT knows.a AS i,
    public.tensor_sum(knows.w) AS value
   FROM lab.knows knows
  WHERE (sparseeinsum_internal.einsum_key_in_dimension(knows.a, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = knows.a))), 'knows'::text, 'i'::text, 'node'::text) AND sparseeinsum_internal.einsum_key_in_dimension(knows.b, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = knows.b))), 'knows'::text, 'j'::text, 'node'::text) AND (knows.w IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('knows'::text, knows.a, knows.b))
  GROUP BY knows.a;
CREATE OR REPLACE VIEW lab.recut_ AS
 SELECT recut_.d0 AS k,
    recut_.value
   FROM ( SELECT u0.index AS d0,
            u0.value
           FROM ( SELECT COALESCE(sparseeinsum_internal.einsum_sum('ab->b'::text, b.value), public.tensor_full('{3}'::integer[], '0'::double precision, 'float8'::text)) AS value
                   FROM ( SELECT (b_1.d0 / 3) AS d0,
                            public.tensor_reshape(sparseeinsum_internal.einsum_stack_blocks(b_1.value, '0'::double precision, 1, (b_1.d0 % 3), LEAST('3'::bigint, ('5'::bigint - ((b_1.d0 / 3) * '3'::bigint))), 0, 3), ARRAY[(LEAST('3'::bigint, ('5'::bigint - ((b_1.d0 / 3) * '3'::bigint))))::integer, 3]) AS value
                           FROM ( SELECT ((b_2.i * 2) + u0_1.index) AS d0,
                                    u0_1.value
                                   FROM lab.b b_2,
                                    LATERAL public.einsum_unstack(b_2.v, 0, '0'::double precision) u0_1(index, value)
                                  WHERE (public.einsum_key_in_range(b_2.i, '3'::bigint, 'b'::text, 'i'::text) AND (b_2.v IS NOT NULL) AND public.einsum_value_has_shape(b_2.v, ARRAY[(LEAST('2'::bigint, ('5'::bigint - (b_2.i * '2'::bigint))))::integer, 3], 'b'::text) AND sparseeinsum_internal.einsum_keys_unique('b'::text, b_2.i))) b_1
                          GROUP BY (b_1.d0 / 3)) b) recut__1,
            LATERAL public.einsum_unstack_blocks(recut__1.value, 0, 2, '0'::double precision) u0(index, value)) recut_;
CREATE OR REPLACE VIEW lab.rows_ AS
 SELECT rows_.d0 AS i,
    rows_.d1 AS k,
    rows_.value
   FROM ( SELECT ((rows__1.d0 * 2) + u0.index) AS d0,
            u1.index AS d1,
            u1.value
           FROM ( SELECT rows__2.i AS d0,
                    public.einsum_once(rows__2.value) AS value
                   FROM ( SELECT b.i,
                            b.v AS value
                           FROM lab.b b
                          WHERE (public.einsum_key_in_range(b.i, '3'::bigint, 'b'::text, 'i'::text) AND (b.v IS NOT NULL) AND public.einsum_value_has_shape(b.v, ARRAY[(LEAST('2'::bigint, ('5'::bigint - (b.i * '2'::bigint))))::integer, 3], 'b'::text) AND sparseeinsum_internal.einsum_keys_unique('b'::text, b.i))) rows__2) rows__1,
            LATERAL public.einsum_unstack(rows__1.value, 0, '0'::double precision) u0(index, value),
            LATERAL public.einsum_unstack_scalar(u0.value, '0'::double precision) u1(index, value)) rows_;
CREATE OR REPLACE VIEW lab.scalars_ AS
 SELECT a.i,
    a.j,
    public.scalar_subtract(public.scalar_sigmoid(public.scalar_add(a.v, public.scalar_divide(public.scalar_multiply(a.v, a.v), '3'::double precision))), public.scalar_multiply(public.scalar_tanh(a.v), public.scalar_floor(public.scalar_sqrt(public.scalar_abs(a.v))))) AS value
   FROM lab.a a
  WHERE (public.einsum_key_in_range(a.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a.j, '4'::bigint, 'a'::text, 'j'::text) AND (a.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a.i, a.j));
CREATE OR REPLACE VIEW lab.shift2_ AS
 SELECT h.d0 AS j,
    h.value
   FROM ( SELECT h_1.j AS d0,
            public.einsum_shift(h_1.v, '{-1}'::bigint[], '{f}'::boolean[], '0'::public.tensor) AS value
           FROM lab.h h_1
          WHERE (public.einsum_key_in_range(h_1.j, '4'::bigint, 'h'::text, 'j'::text) AND (h_1.v IS NOT NULL) AND public.einsum_value_has_shape(h_1.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h_1.j))) h;
CREATE OR REPLACE VIEW lab.shift_ AS
 SELECT shift_.i,
    shift_.j,
    public.tensor_sum(shift_.value) AS value
   FROM ( SELECT a.d0 AS i,
            a.d1 AS j,
            a.value
           FROM ( SELECT ((a_1.i - '-1'::bigint))::integer AS d0,
                    a_1.j AS d1,
                    a_1.v AS value
                   FROM lab.a a_1
                  WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j) AND ((a_1.i - '-1'::bigint) < '6'::bigint))) a
        UNION ALL
         SELECT a.d0 AS i,
            a.d1 AS j,
            a.value
           FROM ( SELECT a_1.i AS d0,
                    (a_1.j - '1'::bigint) AS d1,
                    a_1.v AS value
                   FROM lab.a a_1
                  WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j) AND ((a_1.j - '1'::bigint) >= '0'::bigint))) a) shift_
  GROUP BY shift_.i, shift_.j;
CREATE OR REPLACE VIEW lab.solved_ AS
 SELECT g.u,
    public.einsum_solve('bc'::text, 'bc,c->b'::text, g.v, g.r) AS value
   FROM lab.g g
  WHERE (public.einsum_key_in_range(g.u, '2'::bigint, 'g'::text, 'u'::text) AND (g.v IS NOT NULL) AND public.einsum_value_has_shape(g.v, '{2,2}'::integer[], 'g'::text) AND sparseeinsum_internal.einsum_keys_unique('g'::text, g.u) AND public.einsum_key_in_range(g.u, '2'::bigint, 'r'::text, 'u'::text) AND (g.r IS NOT NULL) AND public.einsum_value_has_shape(g.r, '{2}'::integer[], 'r'::text) AND sparseeinsum_internal.einsum_keys_unique('r'::text, g.u));
CREATE OR REPLACE VIEW lab.some_ AS
 SELECT public.scalar_gt(COALESCE(public.tensor_max(public.scalar_ne(public.scalar_gt(a.v, '1'::double precision), '0'::double precision)), '-Infinity'::double precision), '0'::double precision) AS value
   FROM lab.a a
  WHERE (public.einsum_key_in_range(a.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a.j, '4'::bigint, 'a'::text, 'j'::text) AND (a.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a.i, a.j));
CREATE OR REPLACE VIEW lab.stacked_ AS
 SELECT COALESCE(( SELECT sparseeinsum_internal.tensor_map('exp($1)'::text, 'ab->ab'::text, a.value) AS value
           FROM ( SELECT COALESCE(public.tensor_reshape(public.stack(a_1.v, ((a_1.i * '4'::bigint) + a_1.j), 0, '24'::bigint), '{6,4}'::integer[]), public.tensor_full('{6,4}'::integer[], '0'::double precision, 'float8'::text)) AS value
                   FROM lab.a a_1
                  WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j))) a), public.tensor_full('{6,4}'::integer[], '1'::double precision, 'float8'::text)) AS value;
CREATE OR REPLACE VIEW lab.t_packed AS
 SELECT t_packed.d0 AS i,
    t_packed.d1 AS k,
    t_packed.value
   FROM ( SELECT t_packed_1.i AS d0,
            u1.index AS d1,
            u1.value
           FROM ( SELECT c.i,
                    sparseeinsum_internal.tensor_map('add($1, $2)'::text, 'a,->a'::text, c.v, 'complex16:0+1i'::public.tensor) AS value
                   FROM lab.c c
                  WHERE (public.einsum_key_in_range(c.i, '6'::bigint, 'c'::text, 'i'::text) AND (c.v IS NOT NULL) AND public.einsum_value_has_shape(c.v, '{3}'::integer[], 'c'::text, 'complex16'::text) AND sparseeinsum_internal.einsum_keys_unique('c'::text, c.i))) t_packed_1,
            LATERAL public.einsum_unstack_tensor(t_packed_1.value, 0, 'complex16:0+1i'::public.tensor) u1(index, value)) t_packed;
CREATE OR REPLACE VIEW lab.t_unpacked AS
 SELECT c.i,
    sparseeinsum_internal.tensor_map('add($1, $2)'::text, 'a,->a'::text, c.v, 'complex16:0+1i'::public.tensor) AS value
   FROM lab.c c
  WHERE (public.einsum_key_in_range(c.i, '6'::bigint, 'c'::text, 'i'::text) AND (c.v IS NOT NULL) AND public.einsum_value_has_shape(c.v, '{3}'::integer[], 'c'::text, 'complex16'::text) AND sparseeinsum_internal.einsum_keys_unique('c'::text, c.i));
CREATE OR REPLACE VIEW lab.towns_ AS
 SELECT COALESCE(sparseeinsum_internal.einsum_sum('a,b->b'::text, (ARRAY[COALESCE(x.age, '0'::double precision), COALESCE(x.income, '0'::double precision), '1'::double precision])::public.tensor, public.einsum_one_hot(x.town, '{bonn,ulm}'::text[], 'town'::text)), public.tensor_full('{2}'::integer[], '0'::double precision, 'float8'::text)) AS value
   FROM lab.person x
  WHERE (sparseeinsum_internal.einsum_key_in_dimension(x.id, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = x.id))), 'x'::text, 'i'::text, 'node'::text) AND sparseeinsum_internal.einsum_keys_unique('x'::text, x.id) AND sparseeinsum_internal.einsum_key_in_dimension(x.id, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = x.id))), 'town'::text, 'i'::text, 'node'::text) AND (x.town IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('town'::text, x.id));
CREATE OR REPLACE VIEW lab.walks_ AS
 SELECT knows_2.a AS i,
    knows.b AS j,
    public.tensor_sum(public.scalar_multiply(knows.w, knows_2.w)) AS value
   FROM lab.knows knows,
    lab.knows knows_2
  WHERE (sparseeinsum_internal.einsum_key_in_dimension(knows.a, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = knows.a))), 'knows'::text, 'i'::text, 'node'::text) AND sparseeinsum_internal.einsum_key_in_dimension(knows.b, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = knows.b))), 'knows'::text, 'j'::text, 'node'::text) AND (knows.w IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('knows'::text, knows.a, knows.b) AND (knows_2.b = knows.a) AND sparseeinsum_internal.einsum_key_in_dimension(knows_2.a, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = knows_2.a))), 'knows'::text, 'i'::text, 'node'::text) AND sparseeinsum_internal.einsum_key_in_dimension(knows_2.b, (EXISTS ( SELECT
           FROM lab.person d
          WHERE (d.id = knows_2.b))), 'knows'::text, 'j'::text, 'node'::text) AND (knows_2.w IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('knows'::text, knows_2.a, knows_2.b))
  GROUP BY knows_2.a, knows.b;
CREATE OR REPLACE VIEW lab.wide_ AS
 SELECT COALESCE(( SELECT sparseeinsum_internal.tensor_map('add($1, 1)'::text, 'abc->abc'::text, sparseeinsum_internal.einsum('ab,bc,cd->abd'::text, a.value, h.value, w.value)) AS value
           FROM ( SELECT COALESCE(public.tensor_reshape(public.stack(a_1.v, ((a_1.i * '4'::bigint) + a_1.j), 0, '24'::bigint), '{6,4}'::integer[]), public.tensor_full('{6,4}'::integer[], '0'::double precision, 'float8'::text)) AS value
                   FROM lab.a a_1
                  WHERE (public.einsum_key_in_range(a_1.i, '6'::bigint, 'a'::text, 'i'::text) AND public.einsum_key_in_range(a_1.j, '4'::bigint, 'a'::text, 'j'::text) AND (a_1.v IS NOT NULL) AND sparseeinsum_internal.einsum_keys_unique('a'::text, a_1.i, a_1.j))) a,
            ( SELECT COALESCE(public.stack(h_1.v, (h_1.j)::bigint, 0, '4'::bigint), public.tensor_full('{4,3}'::integer[], '0'::double precision, 'float8'::text)) AS value
                   FROM lab.h h_1
                  WHERE (public.einsum_key_in_range(h_1.j, '4'::bigint, 'h'::text, 'j'::text) AND (h_1.v IS NOT NULL) AND public.einsum_value_has_shape(h_1.v, '{3}'::integer[], 'h'::text) AND sparseeinsum_internal.einsum_keys_unique('h'::text, h_1.j))) h,
            ( SELECT ( SELECT w_1.v AS value
                           FROM lab.w w_1
                          WHERE ((w_1.v IS NOT NULL) AND public.einsum_value_has_shape(w_1.v, '{3,2}'::integer[], 'w'::text))) AS value) w
          WHERE (w.value IS NOT NULL)), public.tensor_full('{6,4,2}'::integer[], '1'::double precision, 'float8'::text)) AS value;
ALTER TABLE ONLY lab.knows
    ADD CONSTRAINT knows_a_fkey FOREIGN KEY (a) REFERENCES lab.person(id);
ALTER TABLE ONLY lab.knows
    ADD CONSTRAINT knows_b_fkey FOREIGN KEY (b) REFERENCES lab.person(id);
