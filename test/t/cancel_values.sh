# Functions of large values end soon when they are cancelled, wherever that meets
# them: factorisations come in panels, copies in pieces.
. test/shell-tests
sql "create extension sparseeinsum"

# 10 to 100 s each where nothing cancels them
ends_soon "svd" "" "select mat_svd(tensor_random('{2048,2048}', 1))" 300 1200
ends_soon "svd of complex elements" "" "select mat_svd(tensor_random('{2048,2048}', 1)::tensor(complex16))" 1500
ends_soon "least squares of many right sides" "" "select mat_lstsq(tensor_random('{2048,2048}', 1), tensor_random('{2048,4096}', 2))" 500 2500
ends_soon "inverse" "" "select mat_inverse(tensor_random('{8000,8000}', 1))" 2000
ends_soon "qr" "" "select mat_qr(tensor_random('{200000,400}', 1))" 3000
ends_soon "stack" "" "select stack(tensor_full('{1000000}', i), i, 0, 100) from generate_series(0, 99) i" 200 500
ends_soon "stack with a fill" "" "select stack(i::float8, i, 0, 100000000, 1::float8) from generate_series(0, 3) i" 300
finish
