# How a tensor value lies in memory is known to the files below and to no others:
# those that make values, or find their way to the header of one. All others reach a
# value through tensor_view, tensor_elements or DatumGetDenseTensor (type/tensor.h) or
# the readers of type/call.h, each of which makes a sparse value dense and refuses other formats;
# what knows sparse values asks is_sparse, and type/sparse.h for entries.
set -euo pipefail
known="
src/executor/operand/part_file.c
src/executor/operand/read.c
src/executor/aggregate_join/results.c
src/executor/batched_projection/compute.c
src/executor/batched_projection/stored_rows.c
src/type/aggregate.c
src/type/batch_rows.c
src/type/call.c
src/type/call.h
src/type/call_kernel.c
src/type/call_prepared.c
src/type/einsum_named.c
src/type/scan_check.c
src/type/state.c
src/type/sparse.c
src/type/state.h
src/type/tensor.c
src/type/tensor.h
src/type/tensor_binary.c
src/type/tensor_inspect.c
src/type/tensor_read.c
src/type/tensor_subscript.c
"
bad=0
layout='\bTENSOR_HEADER_SIZE\b|\bTENSOR_FORMAT_DENSE\b|->format\b|\btensor\.format\b|(^|[^f])\((const )?Tensor \*\)'
for file in $(grep -rlE --include='*.[chy]' "$layout" src | sort); do
	if [[ $known != *"
$file
"* ]]; then
		grep -nE "$layout" "$file" | sed "s|^|$file:|"
		echo "$file: take values from tensor_view, tensor_elements, DatumGetDenseTensor or the readers of type/call.h"
		bad=1
	fi
done
for file in $known; do
	grep -qE "$layout" "$file" || { echo "$file needs no longer be listed in test/gates/tensor_values.sh"; bad=1; }
done
exit $bad
