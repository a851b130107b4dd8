# Targets of the tests; included by the top-level Makefile.

.PHONY: $(SCRIPT_GOALS) stage

ifneq ($(filter $(SCRIPT_GOALS),$(MAKECMDGOALS)),)
dependencies:
	@test/install-dependencies

check: dependencies
	@test/check

demo: dependencies
	@test/demo

bench-cora: dependencies
	@test/cluster test/python test/bench/cora.py
endif

# what a private cluster loads: an installation under build/root
stage: build/root/.staged
build/root/.staged: $(EXTENSION).so $(DATA_built) $(EXTENSION).control
	rm -rf build/root
	$(MAKE) -s install DESTDIR=$(CURDIR)/build/root
	touch $@
