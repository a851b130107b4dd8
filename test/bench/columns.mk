# A regression over joined columns, beside the join by hand.

.PHONY: bench-columns

bench-columns: dependencies
	@test/cluster test/python test/bench/columns.py
