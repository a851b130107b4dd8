# Targets of the tests; included by the top-level Makefile.

.PHONY: demo check

