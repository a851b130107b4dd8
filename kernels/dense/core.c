/*-------------------------------------------------------------------------
 *
 * core.c
 *	  Which processor's code OpenBLAS runs, and how it is made to choose again.
 *
 * OpenBLAS has code for many processors ("cores") and picks one by family and
 * model when it is loaded. A processor newer than the library is unknown to it,
 * and gets code for far older ones: 0.3.21, Debian 12's, runs Prescott, code of
 * 2005, on Intel's Emerald Rapids (its pull request 4268, in 0.3.25, asks for
 * features instead). So this file asks what the processor can do: with AVX2 and
 * FMA it chooses at least Haswell; with the AVX-512 sets that OpenBLAS's
 * SkylakeX code uses, at least SkylakeX.
 *
 *	  GFlop/s, 1000 x 1000 x 1000	Prescott	Haswell	   SkylakeX
 *	  Emerald Rapids, 2026-10		 8			48
 *	  Zen 5, 2026-11				10			51		   85
 *
 * gotoblas_dynamic_quit and _init are what OpenBLAS itself calls as it is
 * unloaded and loaded; _init reads OPENBLAS_CORETYPE, which is set for just that
 * call. Between two products no state depends on the core. Both functions are
 * looked up in the BLAS library in use, because other libraries, and builds for
 * one processor, lack them. If the administrator has set OPENBLAS_CORETYPE in
 * the environment, that choice stays.
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

/* Cores whose code does not use AVX2; a core that is not in this list is kept. */
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
 * Returns a core whose code runs on this processor and system (which has to save the wide
 * registers) and uses more of it than the given core's code; NULL if there is no such
 * core.
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

/* Returns a function of the BLAS library in use by its name, or NULL. */
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
	/* an empty value that was set before means the same as no value */
	unsetenv("OPENBLAS_CORETYPE");
	if (strcmp(blas_core(), better) == 0)
		reason = "the processor can do more than OpenBLAS knew of it";
}

#else

/* On other processors OpenBLAS asks for features itself. */
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
