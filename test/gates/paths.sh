# No file names a place where somebody's checkout or home happened to be.
set -euo pipefail
! grep -rnIE --exclude-dir=build --exclude-dir=.git --exclude=.git --exclude-dir=results --exclude='*.o' --exclude='*.so' \
	--exclude=paths.sh --exclude=regression.* "(^|[^A-Za-z0-9_.*)/])/(home|root|work|workspace|Users|mnt)/[a-z]" .
