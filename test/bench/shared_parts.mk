# Time and memory of planning programs whose statements and expressions share their parts, as they grow.

.PHONY: bench-shared-parts

bench-shared-parts: dependencies
	@test/cluster test/python test/bench/shared_parts.py
