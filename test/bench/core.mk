# Products of matrices by the code that is chosen where OpenBLAS does not know
# the processor, beside the code named by hand.

.PHONY: bench-core

build/bench/core: test/bench/core.c kernels/dense/core.c kernels/dense/core.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -I. -o $@ $(addprefix -I,$(OPENBLAS_INCLUDE)) $(filter %.c,$^) $(if $(OPENBLAS_LIB),-L$(OPENBLAS_LIB) -Wl$(comma)-rpath$(comma)$(OPENBLAS_LIB)) -lopenblas -lm

bench-core: build/bench/core
	@build/bench/core
