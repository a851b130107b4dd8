# Layouts of arrays beside rows of entries.

.PHONY: bench-layouts

bench-layouts: dependencies
	@CLUSTER_CONF='shared_buffers = 512MB' test/cluster test/bench/python test/bench/layouts.py
