# How long programs of many statements take to plan, and to be cancelled.

.PHONY: bench-long

bench-long: dependencies
	@test/cluster test/python test/bench/long_programs.py
