-- Two of Citus's catalogs, with its columns and indexes, made as its own script does.
CREATE SCHEMA citus;
CREATE TABLE citus.pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char" NOT NULL, partkey text,
	colocationid integer DEFAULT 0 NOT NULL, repmodel "char" DEFAULT 'c' NOT NULL, autoconverted boolean DEFAULT false NOT NULL);
CREATE UNIQUE INDEX pg_dist_partition_logical_relid_index ON citus.pg_dist_partition (logicalrelid);
ALTER TABLE citus.pg_dist_partition SET SCHEMA pg_catalog;
CREATE TABLE citus.pg_dist_shard (logicalrelid regclass NOT NULL, shardid bigint NOT NULL, shardstorage "char" NOT NULL,
	shardminvalue text, shardmaxvalue text);
CREATE UNIQUE INDEX pg_dist_shard_shardid_index ON citus.pg_dist_shard (shardid);
CREATE INDEX pg_dist_shard_logical_relid_index ON citus.pg_dist_shard (logicalrelid);
ALTER TABLE citus.pg_dist_shard SET SCHEMA pg_catalog;
