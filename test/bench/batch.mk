# Sums that collect rows beside the same without, by the size of groups.

.PHONY: bench-batch

bench-batch: dependencies
	@test/cluster test/python test/bench/batch.py
