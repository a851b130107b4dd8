# Planted defects, each of which some test has to catch: make check-mutants [MUTANTS="NAME ..."]

check-mutants: dependencies
	@test/mutants/run $(MUTANTS)
