/*-------------------------------------------------------------------------
 *
 * core.c
 *	  Which processor's code OpenBLAS runs, and choosing it again.
 *
 * OpenBLAS has code for many processors ("cores") and picks one by family and
 * model when it is loaded. A processor made after the library is unknown to
 * it, and it takes code of far older ones: 0.3.21, Debian 12's, runs Prescott,
 * code of 2005, on Intel's Emerald Rapids (its pull request 4268, in 0.3.25,
 * asks for features instead). What decides is what the processor can do, so
 * that is asked here: with AVX2 and FMA, at least Haswell; with the AVX-512 sets
 * that its SkylakeX code uses, at least that.
 *
 *	  GFlop/s, 1000 x 1000 x 1000	Prescott	Haswell	   SkylakeX
 *	  Emerald Rapids, 2026-10		 8			48
 *	  Zen 5, 2026-11				10			51		   85
 *
 * gotoblas_dynamic_quit and _init are what OpenBLAS itself calls as it is
 * unloaded and loaded; the second reads OPENBLAS_CORETYPE, which is set for just
 * that call. Between two products there is no state that depends on the core.
 * They are looked up where the BLAS in use comes from, as builds for one
 * processor, and other libraries, lack them. OPENBLAS_CORETYPE in the
 * environment is the administrator's word and stays.
 *
 *-------------------------------------------------------------------------
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "kernels/dense/core.h"

#include <cblas.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *reason = "OpenBLAS chose it";

#ifdef __x86_64__

/* Cores whose code uses no AVX2; names that are not here are left alone. */
static const char *const before_haswell[] = {
	"Katmai",       "Coppermine",  "Northwood",  "Prescott", "Banias",      "Atom",
	"Core2",        "Penryn",      "Dunnington", "Nehalem",  "Athlon",      "Opteron",
	"Opteron_SSE3", "Barcelona",   "Bobcat",     "Nano",     "Sandybridge", "Bulldozer",
	"Piledriver",   "Steamroller", "Excavator",  "Generic",
};

/* Cores whose code uses AVX2 and no AVX-512. */
static const char *const before_skylakex[] = {"Haswell", "Zen"};

#define COUNT(names) (sizeof(names) / sizeof(names[0]))

static bool
is_among(const char *core, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(core, names[i]) == 0)
			return true;
	return false;
}

/*
 * A core whose code runs on this processor, and on this system, which has to
 * save the wide registers, and uses more of it than the given one's; NULL if
 * no such core exists.
 */
static const char *
better_core(const char *core)
{
	bool old = is_among(core, before_haswell, COUNT(before_haswell));

	if (!old && !is_among(core, before_skylakex, COUNT(before_skylakex)))
		return NULL;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		__builtin_cpu_supports("avx512cd"))
		return "SkylakeX";
	if (old && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return "Haswell";
	return NULL;
}

typedef void (*Procedure)(void);

/* A function of the library that contains our BLAS, or NULL. */
static Procedure
blas_procedure(const char *name)
{
	const char *file = blas_library();
	void *library = file ? dlopen(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	Procedure found = library ? (Procedure) dlsym(library, name) : NULL;

	if (library)
		dlclose(library);
	return found;
}

void
blas_choose_core(void)
{
	const char *better;
	const char *given = getenv("OPENBLAS_CORETYPE");
	Procedure quit = blas_procedure("gotoblas_dynamic_quit");
	Procedure init = blas_procedure("gotoblas_dynamic_init");

	if (!quit || !init)
	{
		reason = "OpenBLAS was built for one core";
		return;
	}
	if (given && *given)
	{
		reason = "OPENBLAS_CORETYPE is set in the server's environment";
		return;
	}
	better = better_core(blas_core());
	if (!better || setenv("OPENBLAS_CORETYPE", better, 1) != 0)
		return;
	quit();
	init();
	/* an empty value that was there before means the same as none */
	unsetenv("OPENBLAS_CORETYPE");
	if (strcmp(blas_core(), better) == 0)
		reason = "the processor can do more than OpenBLAS knew of it";
}

#else

/* Elsewhere OpenBLAS asks for features itself. */
void
blas_choose_core(void)
{
}

#endif

const char *
blas_core(void)
{
	return openblas_get_corename();
}

const char *
blas_core_reason(void)
{
	return reason;
}

const char *
blas_library(void)
{
	Dl_info info;

	return dladdr((void *) openblas_get_corename, &info) ? info.dli_fname : NULL;
}
