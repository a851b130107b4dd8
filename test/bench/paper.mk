# Tables 4 to 12 of the SparseEinSum paper: SHORT=1 for two data sets and small limits, PAPER='5 6' for some tables, PAPER_PEERS,
# BENCH_LIMIT and BENCH_RUNS as in README.md. It continues where it was interrupted; RESTART=1 measures anew.

.PHONY: bench-paper

bench-paper:
	@test/install-dependencies
	@GLIBC_TUNABLES=glibc.malloc.hugetlb=1 CLUSTER_CONF="$$(printf '%s\n' 'shared_buffers = 2GB' "shared_preload_libraries = '\$$libdir/sparseeinsum'")" \
		SHORT="$(SHORT)" RESTART="$(RESTART)" test/cluster test/bench/python test/bench/paper.py
