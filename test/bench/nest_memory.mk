# Programs with little memory, beside the same with more.

.PHONY: bench-nest-memory

bench-nest-memory: dependencies
	@CLUSTER_CONF='shared_buffers = 256MB' test/cluster test/python test/bench/nest_memory.py
