# Loop nests over a graph, without PostgreSQL: BENCH_EDGES is a file with lines
# "from to"; without one the graph is random.

.PHONY: bench-nest

build/bench/nest: test/bench/nest.c $(wildcard kernels/*.[ch] kernels/*/*.[ch])
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -g -I. -o $@ $(KERNEL_CFLAGS) $(addprefix -I,$(OPENBLAS_INCLUDE)) $(filter-out kernels/ref/%,$(filter %.c,$^)) $(if $(OPENBLAS_LIB),-L$(OPENBLAS_LIB) -Wl$(comma)-rpath$(comma)$(OPENBLAS_LIB)) -lopenblas -lm

bench-nest: build/bench/nest
	@build/bench/nest < $(or $(BENCH_EDGES),/dev/null)
