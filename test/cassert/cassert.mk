# The tests on a PostgreSQL with assertions, and PostgreSQL's own: make check-cassert [CASSERT="PART ..."]

check-cassert: dependencies
	@test/cassert/run $(CASSERT)
