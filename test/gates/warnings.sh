# The build is clean under -Wall -Wextra -Werror. It is done in a copy, so that
# its objects do not mix with the ordinary build's.
set -euo pipefail
copy=build/warnings
rm -rf "$copy"
mkdir -p "$copy/test"
cp -r Makefile sparseeinsum.control src kernels sql "$copy"
cp test/test.mk "$copy/test"
find "$copy" -name '*.o' -delete
make -s -j"$(nproc)" -C "$copy" sparseeinsum.so COPT="-Wall -Wextra -Werror \
-Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers"
