# What loop nests are to reach, beside numpy and scipy: NEST_ROWS='word ...' for some.

.PHONY: bench-nest-targets

bench-nest-targets: dependencies
	@GLIBC_TUNABLES=glibc.malloc.hugetlb=1 CLUSTER_CONF="$$(printf '%s\n' 'shared_buffers = 2GB' "shared_preload_libraries = '\$$libdir/sparseeinsum'")" \
		test/cluster test/bench/python test/bench/nest_targets.py
