# Formulas as textbooks write them, beside less algebra, forms by hand and DuckDB: ALGEBRA='word ...' for some.

.PHONY: bench-algebra

bench-algebra: dependencies
	@test/cluster test/bench/python test/bench/algebra.py
