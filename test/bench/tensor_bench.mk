# Times of the kernels beside numpy, OpenBLAS and pgvector:
# SPARSEEINSUM_PGVECTOR=/a/built/source/of/pgvector make bench-tensor

.PHONY: bench-tensor

build/bench/tensor_blas: test/bench/tensor_blas.c
	@mkdir -p $(@D)
	$(CC) -O2 -o $@ $(addprefix -I,$(OPENBLAS_INCLUDE)) $< $(if $(OPENBLAS_LIB),-L$(OPENBLAS_LIB) -Wl$(comma)-rpath$(comma)$(OPENBLAS_LIB)) -lopenblas

bench-tensor: build/bench/tensor_blas
	@test/cluster test/python test/bench/tensor_bench.py $(BENCH_ARGS)
