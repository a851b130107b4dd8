# Time and memory of planning, at its limits and for the programs of the benchmarks: PLANNING='word ...' for some.

.PHONY: bench-planning

bench-planning: dependencies
	@test/cluster test/python test/bench/planning_limits.py
