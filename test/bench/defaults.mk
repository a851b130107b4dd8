# The programs of the real-data tests with PostgreSQL's default settings, and all others with and without JIT.

.PHONY: bench-defaults

bench-defaults: dependencies
	@CLUSTER_SETTINGS=default test/cluster test/python test/bench/jit.py
	@CLUSTER_SETTINGS=default test/cluster test/python test/bench/defaults.py
