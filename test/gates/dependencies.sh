# Folders depend on each other one way, as the line below says: a folder
# includes headers of itself and of folders to its left, and kernels/ none of
# PostgreSQL's. No header of ours has the name of one of PostgreSQL's, which it
# would hide from the whole build.
set -euo pipefail
order="kernels parser type catalog expr statistics algebra optimizer codegen executor planner iterate commands"
server=$("${PG_CONFIG:-pg_config}" --includedir-server)
bad=0

complain() {
	echo "$1"
	bad=1
}

rank() {
	local n=0 folder
	for folder in $order; do
		n=$((n + 1))
		[ "$folder" != "$1" ] || { echo $n; return; }
	done
	echo 0 # of no folder: src/compat.h and its kind
}

# the tree's file that an #include means, or nothing; $1 its text, $2 who says it
ours() {
	local candidate
	for candidate in "$1" "src/$1" "$(dirname "$2")/$1"; do
		case $candidate in
		kernels/* | src/*)
			if [ -f "$candidate" ] || [ -f "${candidate%.h}.y" ]; then
				echo "$candidate"
				return
			fi
			;;
		esac
	done
}

folder_of() {
	case $1 in
	kernels/*) echo kernels ;;
	src/*/*) echo "$1" | cut -d/ -f2 ;;
	*) echo src ;;
	esac
}

for file in $(find kernels src -name '*.[chly]' ! -name '*_grammar.[ch]' ! -name '*_scanner.c' | sort); do
	from=$(folder_of "$file")
	case $file in
	src/*.h | kernels/*.h)
		[ ! -f "$server/${file#src/}" ] || complain "$file hides PostgreSQL's header of that name"
		;;
	esac
	[ "$from" = src ] || [ "$(rank "$from")" != 0 ] || complain "$file: $from is no folder of the design"
	while read -r include; do
		target=$(ours "$include" "$file")
		if [ -z "$target" ]; then
			[ "$from" != kernels ] || [ ! -f "$server/$include" ] ||
				complain "$file includes $include of PostgreSQL"
			continue
		fi
		to=$(folder_of "$target")
		case $from in
		src) # the module's own files: compat.h depends on nothing, main.c on all
			[[ $file != *.h ]] || [ "$to" = src ] || complain "$file includes $target"
			;;
		*)
			[ "$from" != kernels ] || [ "$to" = kernels ] || complain "$file includes $target"
			[ "$(rank "$to")" -le "$(rank "$from")" ] || complain "$file includes $target: $to is not left of $from"
			;;
		esac
	done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]+)[>"].*/\1/p' "$file")
done
exit $bad
