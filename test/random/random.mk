# The random test for as long as one likes, on all processors: make check-random N=20000 [SEED=100001] [MINUTES=600]
# The same command continues where it was interrupted; FRESH=1 begins anew.

N ?= 20000
SEED ?= 100001
MINUTES ?= 600
JOBS ?= $(shell nproc)

check-random: dependencies
	@$(if $(FRESH),rm -f build/random/$(SEED)-$(N))
	@test/cluster test/python test/random/run.py --seed $(SEED) --count $(N) --minutes $(MINUTES) --jobs $(JOBS) \
		--coverage --stop 20 --record build/random/$(SEED)-$(N)
