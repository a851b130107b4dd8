# sparseeinsum: tensor algebra inside PostgreSQL.
#
# For users and newcomers:
#   make demo     installs what is missing, builds, and shows the main job
#   make check    installs what is missing, builds, and runs all tests
# Both work on a private cluster and a private installation under build/.
#
# For packagers, as with any PGXS extension:
#   make && make install [PG_CONFIG=...]

EXTENSION = sparseeinsum
EXTVERSION = 0.3.0
MODULE_big = sparseeinsum

PG_CONFIG ?= pg_config

# flex and bison outputs: NAME_scanner.l and NAME_grammar.y in src/parser
SCANNERS = $(patsubst %.l,%.c,$(wildcard src/parser/*.l))
GRAMMARS = $(patsubst %.y,%.c,$(wildcard src/parser/*.y))
GRAMMAR_HEADERS = $(GRAMMARS:.c=.h)
# how the functions are called, of the install script
CALL_ARGUMENTS = src/commands/call_arguments.inc
GENERATED = $(SCANNERS) $(GRAMMARS) $(GRAMMAR_HEADERS) $(CALL_ARGUMENTS)

# kernels/ref is the readable oracle of the unit tests and not part of the library
SOURCES = $(sort $(wildcard src/*.c src/*/*.c src/executor/*/*.c src/planner/*/*.c kernels/*.c kernels/dense/*.c kernels/lapack/*.c kernels/nest/*.c kernels/layout/*.c) $(SCANNERS) $(GRAMMARS))
OBJS = $(SOURCES:.c=.o)

# The install script, and what makes of an earlier version's catalog what it makes. The earlier versions' own install
# scripts are not installed: anybody who may create the extension could choose one.
INSTALL_SQL = $(EXTENSION)--$(EXTVERSION).sql
FUNCTIONS_SQL = sql/install/14_functions_of_numbers.sql
INSTALL_FRAGMENTS = $(sort $(wildcard sql/install/*.sql) $(FUNCTIONS_SQL))
UPGRADE_SQL = $(notdir $(wildcard sql/upgrade/$(EXTENSION)--*--$(EXTVERSION).sql))
EARLIER_SQL = $(UPGRADE_SQL:--$(EXTVERSION).sql=.sql)
DATA_built = $(INSTALL_SQL) $(UPGRADE_SQL)
# the casts of pgvector's types, an extension of its own, in SQL only
DATA = $(wildcard sql/pgvector/*.control sql/pgvector/*.sql)

# The serial OpenBLAS, found again at run time by RUNPATH: the alternatives
# system may point libopenblas.so.0 at a build that starts threads, which a
# backend must not have. LAPACK is called by the Fortran symbols that OpenBLAS
# contains, declared by LAPACKE's header: RUNPATH does not reach the libraries
# that a library needs, so that -llapacke would bring in whatever liblapack.so.3
# and libblas.so.3 the alternatives name.
MULTIARCH := $(shell gcc -print-multiarch 2>/dev/null)
OPENBLAS_LIB ?= $(firstword $(wildcard /usr/lib/$(MULTIARCH)/openblas-serial /usr/lib64/openblas-serial))
# wheels say something else: their OpenBLAS is beside the library (python/wheels)
OPENBLAS_RUN ?= $(if $(OPENBLAS_LIB),-Wl$(comma)-rpath$(comma)$(OPENBLAS_LIB))
OPENBLAS_INCLUDE ?= $(firstword $(wildcard /usr/include/$(MULTIARCH)/openblas-serial /usr/include/openblas))

PG_CPPFLAGS = -I$(CURDIR) -I$(CURDIR)/src $(addprefix -I,$(OPENBLAS_INCLUDE))
PG_CFLAGS = -std=gnu11 -fno-math-errno
# Names of ours that the server has too are ours within the library.
SHLIB_LINK = $(if $(filter Darwin,$(shell uname)),,-Wl$(comma)-Bsymbolic) $(addprefix -L,$(OPENBLAS_LIB)) $(OPENBLAS_RUN) -lopenblas -lm
comma := ,

REGRESS = $(sort $(patsubst test/sql/%.sql,%,$(wildcard test/sql/*.sql)))
REGRESS_OPTS = --inputdir=test --outputdir=. --load-extension=sparseeinsum

EXTRA_CLEAN = $(GENERATED) $(FUNCTIONS_SQL) $(DATA_built) results regression.diffs regression.out

# Values are varlena and the kernels a library of their own: there is nothing
# here that inlining by the just-in-time compiler could reach.
override with_llvm = no

# What only runs scripts works before PostgreSQL is installed.
SCRIPT_GOALS = dependencies check check-random check-mutants check-cassert check-sanitized check-new-function demo bench bench-cora
ifneq ($(filter-out $(SCRIPT_GOALS),$(or $(MAKECMDGOALS),all)),)
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifneq ($(PGXS),)
include $(PGXS)
else
all:
	@echo "make: no $(PG_CONFIG): install PostgreSQL's development files or say PG_CONFIG=..." >&2; exit 1
endif
endif

FLEX := $(or $(FLEX),flex)
BISON := $(or $(BISON),bison)

$(FUNCTIONS_SQL): sql/functions.awk kernels/function_list.h
	@awk -f $^ > $@ || { rm -f $@; exit 1; }

$(CALL_ARGUMENTS): sql/arguments.awk $(INSTALL_FRAGMENTS)
	@awk -f $^ > $@ || { rm -f $@; exit 1; }
src/commands/call_hints.o: $(CALL_ARGUMENTS)

$(INSTALL_SQL): $(INSTALL_FRAGMENTS)
	@{ printf '%s\n' '-- complain if the script is sourced in psql rather than via CREATE EXTENSION' \
	     '\echo Use "CREATE EXTENSION sparseeinsum" to load this file. \quit'; \
	   cat $^; } > $@

$(UPGRADE_SQL): %--$(EXTVERSION).sql: sql/upgrade/derive.awk sql/upgrade/%.sql sql/upgrade/%--$(EXTVERSION).sql $(INSTALL_FRAGMENTS)
	@awk -f $^ > $@ || { rm -f $@; exit 1; }

src/parser/%_grammar.c src/parser/%_grammar.h: src/parser/%_grammar.y
	$(BISON) -Wno-deprecated --header=src/parser/$*_grammar.h -o src/parser/$*_grammar.c $<
src/parser/%_scanner.c: src/parser/%_scanner.l
	$(FLEX) -o $@ $<

# Headers: any change rebuilds all that may include it, which takes seconds; kernels include no header of src. The
# generated ones are named, as they may not be there yet.
KERNEL_HEADERS = $(sort $(wildcard kernels/*.h kernels/*/*.h))
$(OBJS): $(KERNEL_HEADERS)
$(filter src/%,$(OBJS)): $(sort $(wildcard src/*.h src/*/*.h src/executor/*/*.h src/planner/*/*.h) $(GRAMMAR_HEADERS))

include $(wildcard kernels/kernels.mk)
include test/test.mk
