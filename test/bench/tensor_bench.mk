# Times of the kernels beside OpenBLAS, numpy and pgvector:
# SPARSEEINSUM_PGVECTOR=/a/built/source/of/pgvector make bench-tensor

.PHONY: bench-tensor

BENCH_KERNELS = $(patsubst %.c,%.o,$(wildcard kernels/*.c kernels/dense/*.c))

build/bench/tensor_calls: test/bench/tensor_calls.c $(BENCH_KERNELS)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -I. -o $@ $(addprefix -I,$(OPENBLAS_INCLUDE)) $^ $(if $(OPENBLAS_LIB),-L$(OPENBLAS_LIB) -Wl$(comma)-rpath$(comma)$(OPENBLAS_LIB)) -lopenblas -lm

bench-tensor: build/bench/tensor_calls
	@test/cluster test/python test/bench/tensor_bench.py $(BENCH_ARGS)
