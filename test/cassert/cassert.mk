# The tests on a PostgreSQL with assertions, and PostgreSQL's own: make check-cassert [CASSERT="PART ..."]

check-cassert: dependencies
	@test/cassert/run $(CASSERT)

# Functions of values under sanitizers, on the same server: make check-sanitized [CASSERT="PART ..."]
check-sanitized: dependencies
	@test/cassert/run --sanitized $(CASSERT)
