# The plans that are offered for the programs of plan_programs.py, measured beside each other: PLANS='name ...' for some.

.PHONY: bench-plans

bench-plans: dependencies
	@test/cluster test/python test/bench/plans.py
