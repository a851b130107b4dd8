# Loop nests whose operands do not fit in memory, beside the same in more memory.

.PHONY: bench-nest-memory

bench-nest-memory: dependencies
	@CLUSTER_CONF='shared_buffers = 256MB' test/cluster test/python test/bench/nest_memory.py
