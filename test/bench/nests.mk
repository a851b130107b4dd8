# Programs with and without the loop nest, beside each other: NESTS='name ...' for some.

.PHONY: bench-nests

bench-nests: dependencies
	@test/cluster test/python test/bench/nests.py
