# Plans and times as work_mem grows, serial and with a worker.

.PHONY: bench-memory

bench-memory: dependencies
	@CLUSTER_CONF='shared_buffers = 2GB' test/cluster test/python test/bench/work_mem.py
