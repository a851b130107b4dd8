# Ranges of keys beside SQL's own join by range.

.PHONY: bench-ranges

bench-ranges: dependencies
	@CLUSTER_CONF='shared_buffers = 512MB' test/cluster test/bench/python test/bench/ranges.py
