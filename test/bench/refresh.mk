# Refreshing results: writing what differs, beside writing all.

.PHONY: bench-refresh bench-refresh-kinds bench-refresh-loops

bench-refresh: dependencies
	@CLUSTER_CONF='shared_buffers = 512MB' test/cluster test/python test/bench/refresh.py

bench-refresh-kinds: dependencies
	@CLUSTER_CONF='shared_buffers = 512MB' test/cluster test/python test/bench/refresh_kinds.py

bench-refresh-loops: dependencies
	@CLUSTER_CONF='shared_buffers = 512MB' test/cluster $$(test/venv bench-iterate numpy scipy psycopg2-binary) test/bench/refresh_loops.py
