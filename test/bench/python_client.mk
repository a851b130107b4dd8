# The Python package beside pgvector-python, and beside COPY alone.

.PHONY: bench-python

bench-python: dependencies
	@python=$$(test/python-packages) && test/cluster bash -c \
		'cd python && PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 exec "$$1" ../test/bench/python_client.py' - "$$python"
