-- Loads the citation graph planetoid_cora into the schema cora, for tests and
-- benchmarks; psql runs it with SPARSEEINSUM_DATASETS in the environment.
--
--   link(i, j)                 adjacency with self loops: 10,556 + 2,708 rows
--   citation(i, j)             adjacency without: 10,556 rows
--   feature(node, feature, value)  49,216 rows, all values 1
--   node(id, features)         the same as one vector of 1,433 per node
--   w1, w2, wq, wk (val)       weights 1433 x 16, 16 x 7, 1433 x 64 twice, one row each
--   weight(layer, i, j, value) the same, one row per number
--
-- The weights are multiples of 1/64 between -1 and 1, the same in every run.

\set ON_ERROR_STOP on
create extension if not exists sparseeinsum;
create schema cora;
create table cora.citation (i int, j int, primary key (i, j));
\copy cora.citation from program 'gzip -dc "$SPARSEEINSUM_DATASETS"/planetoid_cora/edges.tsv.gz'
create table cora.feature (node int, feature int, value float8 not null, primary key (node, feature));
\copy cora.feature from program 'gzip -dc "$SPARSEEINSUM_DATASETS"/planetoid_cora/features.tsv.gz'

create table cora.link (i int, j int, primary key (i, j));
insert into cora.link select i, j from cora.citation union all select i, i from generate_series(0, 2707) i;

create table cora.node (id int primary key, features tensor not null);
insert into cora.node
select node, stack(value, feature, 0, 1433) from cora.feature group by node;

create table cora.weight (layer text, i int, j int, value float8 not null, primary key (layer, i, j));
insert into cora.weight
select layer, i, j, (((i * 7919 + j * 104729 + salt * 1299709) % 129) - 64) / 64.0
from (values ('w1', 1433, 16, 1), ('w2', 16, 7, 2), ('wq', 1433, 64, 3), ('wk', 1433, 64, 4)) shape(layer, rows, columns, salt),
	generate_series(0, rows - 1) i, generate_series(0, columns - 1) j;
create table cora.w1 (val tensor not null);
create table cora.w2 (val tensor not null);
create table cora.wq (val tensor not null);
create table cora.wk (val tensor not null);
insert into cora.w1 select array_agg(r order by i)::tensor from (select i, array_agg(value order by j) r from cora.weight where layer = 'w1' group by i) v;
insert into cora.w2 select array_agg(r order by i)::tensor from (select i, array_agg(value order by j) r from cora.weight where layer = 'w2' group by i) v;
insert into cora.wq select array_agg(r order by i)::tensor from (select i, array_agg(value order by j) r from cora.weight where layer = 'wq' group by i) v;
insert into cora.wk select array_agg(r order by i)::tensor from (select i, array_agg(value order by j) r from cora.weight where layer = 'wk' group by i) v;
vacuum analyze cora.citation, cora.link, cora.feature, cora.node, cora.weight, cora.w1, cora.w2, cora.wq, cora.wk;
