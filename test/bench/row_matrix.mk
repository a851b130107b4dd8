# The vectors of rows times one matrix, beside one product of matrices:
# make bench-row-matrix [BENCH_ARGS="--rounds 9"]

.PHONY: bench-row-matrix

bench-row-matrix: all
	@OPENBLAS_NUM_THREADS=1 CLUSTER_CONF="max_parallel_workers_per_gather = 0" \
		test/cluster test/python test/bench/row_matrix.py $(BENCH_ARGS)
