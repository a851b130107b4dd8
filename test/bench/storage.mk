# What storages are to reach, beside rows of entries, dense values and SciPy.

.PHONY: bench-storage

bench-storage: dependencies
	@CLUSTER_CONF='shared_buffers = 1GB' test/cluster test/bench/python test/bench/storage.py
