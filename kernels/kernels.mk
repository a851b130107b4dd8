# Flags of the numerical kernels, included by the top-level Makefile and by the
# unit tests. Loops are vectorized; floating-point exception flags and
# errno are not read; complex products are the four multiplications of the textbook, as
# numpy's and BLAS's are.
KERNEL_CFLAGS = -O3 -fno-math-errno -fno-trapping-math -fcx-limited-range

kernels/%.o: override CFLAGS += $(KERNEL_CFLAGS)
