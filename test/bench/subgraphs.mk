# Query graphs as products, beside DuckDB: SUBGRAPHS='word ...' for some.

.PHONY: bench-subgraphs

bench-subgraphs: dependencies
	@test/cluster test/bench/python test/bench/subgraphs.py
