# Unit tests of the kernels, without PostgreSQL: each theme is a program that
# ends with "N passed, N failed" and exits with 1 if any failed. Usable alone
# (make -f test/unit/unit.mk unit) or included by the top-level Makefile.
#
#   unit            all programs
#   unit-sanitize   the same under the address and undefined-behaviour sanitizers
#   unit-arm64      the same for another processor, by an emulator: test/unit-arm64 says which
#   unit-NAME       one program
#   build/unit/einsum 1234   one case of a program, as a failure names it
#
# With UNIT_BUILT=yes the programs of "unit" are linked with the kernels that the top-level Makefile has
# compiled: what will be used is tested, and nothing compiled twice; but ASSUME of kernels/assume.h is not checked.

-include kernels/kernels.mk

UNIT_TESTS = $(basename $(notdir $(filter-out test/unit/harness.c,$(wildcard test/unit/*.c))))
UNIT_LIBRARY = $(wildcard kernels/*.c kernels/dense/*.c kernels/lapack/*.c kernels/nest/*.c kernels/layout/*.c kernels/ref/*.c) test/unit/harness.c
# of these the kernels of the extension
UNIT_KERNELS = $(filter-out kernels/ref/%,$(filter kernels/%,$(UNIT_LIBRARY)))
UNIT_HEADERS = $(wildcard kernels/*.h kernels/*/*.h test/unit/*.h)

UNIT_MULTIARCH := $(shell gcc -print-multiarch 2>/dev/null)
OPENBLAS_LIB ?= $(firstword $(wildcard /usr/lib/$(UNIT_MULTIARCH)/openblas-serial /usr/lib64/openblas-serial))
OPENBLAS_INCLUDE ?= $(firstword $(wildcard /usr/include/$(UNIT_MULTIARCH)/openblas-serial /usr/include/openblas))

UNIT_CC = $(or $(CC),gcc)
UNIT_CFLAGS = -std=gnu11 -g -O2 -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare \
	-Wno-missing-field-initializers -DKERNEL_CHECKS -I. -Itest/unit $(addprefix -I,$(OPENBLAS_INCLUDE)) $(KERNEL_CFLAGS)
unit_comma := ,
UNIT_LIBS = $(if $(OPENBLAS_LIB),-L$(OPENBLAS_LIB) -Wl$(unit_comma)-rpath$(unit_comma)$(OPENBLAS_LIB)) -lopenblas -lm
UNIT_SANITIZE = -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

.PHONY: unit unit-sanitize unit-arm64
unit: $(addprefix build/unit/,$(UNIT_TESTS))
	@$(call unit_run,build/unit)
unit-sanitize: $(addprefix build/unit-sanitize/,$(UNIT_TESTS))
	@$(call unit_run,build/unit-sanitize)
unit-arm64: $(addprefix build/unit-arm64/,$(UNIT_TESTS))
	@$(call unit_run,build/unit-arm64)
$(addprefix unit-,$(UNIT_TESTS)): unit-%: build/unit/%
	@$<

# runs all programs of a folder; the last line adds up theirs
unit_run = \
	for t in $(UNIT_TESTS); do \
		echo "$(1)/$$t"; $(UNIT_EMULATOR) $(1)/$$t || [ $$? = 1 ] || echo "0 passed, 1 failed: $$t did not finish"; \
	done | awk '{ print } /^[0-9]+ passed, [0-9]+ failed/ { passed += $$1; failed += $$3 } \
		END { printf "%d passed, %d failed\n", passed, failed; exit failed > 0 }'

# $(1) the folder, $(2) flags, $(3) where the objects of the kernels are: objects, then programs
define unit_rules
$(1)/%.o: %.c $(UNIT_HEADERS)
	@mkdir -p $$(dir $$@)
	$$(UNIT_CC) $$(UNIT_CFLAGS) $(2) -c -o $$@ $$<
$(addprefix $(1)/,$(UNIT_TESTS)): $(1)/%: $(1)/test/unit/%.o $(patsubst %.c,$(1)/%.o,$(filter-out $(UNIT_KERNELS),$(UNIT_LIBRARY))) $(UNIT_KERNELS:%.c=$(3)%.o)
	$$(UNIT_CC) $(2) -o $$@ $$^ $$(UNIT_LIBS)
endef
$(eval $(call unit_rules,build/unit,,$(if $(UNIT_BUILT),,build/unit/)))
$(eval $(call unit_rules,build/unit-arm64,,build/unit-arm64/))
$(eval $(call unit_rules,build/unit-sanitize,$(UNIT_SANITIZE),build/unit-sanitize/))
.SECONDARY:
