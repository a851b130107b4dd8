# The random test for as long as one likes: make check-random N=20000 [SEED=1001] [MINUTES=60]

N ?= 20000
SEED ?= 100001
MINUTES ?= 600

check-random: dependencies
	@test/cluster test/python test/random/run.py --seed $(SEED) --count $(N) --minutes $(MINUTES) --coverage
