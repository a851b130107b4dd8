# Loops by einsum_iterate beside the same in numpy and scipy, and in PL/pgSQL over views.

.PHONY: bench-iterate

bench-iterate: dependencies
	@test/cluster $$(test/venv bench-iterate numpy scipy psycopg2-binary) test/bench/iterate.py
