# What the loaded library costs queries that have nothing to do with it.

.PHONY: bench-untouched

bench-untouched: dependencies
	@test/cluster test/python test/bench/untouched.py
