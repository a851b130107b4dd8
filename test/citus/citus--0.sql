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

-- Functions of the names of Citus's, for one node.
CREATE FUNCTION pg_catalog.shard_name(object_name regclass, shard_id bigint) RETURNS text LANGUAGE sql
	AS $$ SELECT pg_catalog.concat(relname, '_', $2) FROM pg_catalog.pg_class WHERE oid OPERATOR(pg_catalog.=) $1 $$;
CREATE FUNCTION pg_catalog.run_command_on_all_nodes(command text, OUT nodeid int, OUT success bool, OUT result text) RETURNS SETOF record LANGUAGE plpgsql
	AS $$ BEGIN EXECUTE command INTO result; success := true; RETURN NEXT; END $$;
CREATE FUNCTION pg_catalog.read_intermediate_result(result_id text, format text) RETURNS SETOF record LANGUAGE plpgsql
	AS $$ BEGIN RETURN QUERY EXECUTE 'TABLE ' || result_id; END $$;
