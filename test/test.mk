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

# BENCH_ROWS, BENCH_RUNS, ... are in test/bench/README.md; memory in large pages,
# for all that take part; the library and shared memory as docs/reference/settings.md says
bench:
	@test/install-dependencies
	@GLIBC_TUNABLES=glibc.malloc.hugetlb=1 CLUSTER_CONF="$$(printf '%s\n' 'shared_buffers = 2GB' 'min_dynamic_shared_memory = 512MB' "shared_preload_libraries = '\$$libdir/sparseeinsum'")" \
		test/cluster test/bench/python test/bench/run.py

-include test/random/random.mk
-include test/mutants/mutants.mk
-include test/cassert/cassert.mk
-include test/new-function/new-function.mk
endif

# What a private cluster loads: an installation under build/root, replaced only
# when it differs, since other clusters may be using it. (PGXS makes every file
# secondary, so that a rule with prerequisites would miss what is absent.) Tests
# also begin with earlier versions.
stage: all
	@staged=yes; for file in $(EXTENSION).so $(DATA) $(DATA_built) $(addprefix sql/upgrade/,$(EARLIER_SQL)) $(EXTENSION).control; do \
		find build/root -name $$(basename $$file) -exec cmp -s $$file {} \; -print 2> /dev/null | grep -q . || staged=; \
	done; \
	if [ -z "$$staged" ]; then \
		rm -rf build/root && $(MAKE) -s install DESTDIR=$(CURDIR)/build/root && \
		cp $(addprefix sql/upgrade/,$(EARLIER_SQL)) build/root$(datadir)/extension && touch build/root/.staged; \
	fi
-include $(wildcard test/bench/*.mk)
