/*-------------------------------------------------------------------------
 *
 * foreign_words.c
 *	  Words of numpy, R, SQL, networkx and other languages, and what to write instead of
 *	  them.
 *
 * There is one table, whatever stands around a word: `std[i] x[i]`, `std(x)`,
 * `np.std(x)` and `std` alone are the same mistake.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "parser/scansup.h"

#include "parser/hints.h"

/* for functions of tensor values, which SQL calls, but not programs */
#define OF_VALUES(function, example)                                                     \
	"That is a function of values, in SQL: SELECT " function "(einsum_value('" example   \
	"'))."
#define A_LOOP(what, step)                                                               \
	what " is a loop: einsum_iterate(name, init, step, until => ...), with a step as "   \
		 "in " step "."
#define WITH_AGGREGATE(aggregate) "Write " aggregate "[j] a[i,j] over a label."
#define SQL_ORDER                                                                        \
	"A program does not order entries: order rows in the query that reads the result, "  \
	"as in SELECT * FROM einsum_rows(...) AS y(i int, value float8) ORDER BY value; "    \
	"argmax[i] y[i] is the place of the largest."
#define SQL_CLAUSE                                                                       \
	"A program has statements such as y[i] = sum[j] a[i,j]*x[j]: equal labels join, "    \
	"and "                                                                               \
	"labels on the left group. Other conditions, ORDER BY and LIMIT belong into the "    \
	"query that reads the result, or into a registered view."
#define PRODUCT_OF_MATRICES                                                              \
	"A matrix product is written %*%, or with labels sum[j] a[i,j]*b[j,k]."
#define CONDITION "Write if(condition, x, y)."
#define ONLY_STATEMENTS                                                                  \
	"A program has only statements, name[label, ...] = expression, separated by ;."
#define THE_AXIS                                                                         \
	"The labels of an aggregate say over what it is: sum[j] a[i,j] is over the second "  \
	"axis; without indices, rowSums(a) and colSums(a)."
#define THE_SIZES                                                                        \
	"Without indices nrow(a) and ncol(a) are the numbers of rows and columns; count[j] " \
	"a[i,j] is how many are not 0, and tensor_shape() is of values."
#define NO_NULL                                                                          \
	"There is no NULL: an entry that is not stored is the tensor's fill, 0 unless "      \
	"einsum_register was told another. Compare with a number, as in if(x[i] == 0, 1, "   \
	"x[i])."
#define STORED_INDEX                                                                     \
	"An index is no number here. Store one: SELECT einsum_store('pos[I]', 'SELECT i, i " \
	"FROM generate_series(0, 99) AS i', '{100}')."
#define SHIFTED                                                                          \
	"Shift an index: x[t-1] is the entry before, and y[t] = x[t] - x[t-1] the "          \
	"difference."
#define PUT_TOGETHER                                                                     \
	"A program does not put tensors one behind the other: register a view that is the "  \
	"UNION ALL of their tables, with the keys of the second shifted behind those "       \
	"of the first, or use tensor_concat() of values."
#define A_COLUMN_OF_ONES                                                                 \
	"A column of ones: register with value => '{1,age,income}', or register a view, "    \
	"SELECT id, tensor_concat('[1]', v::tensor) AS v. Columns of two tables are a view " \
	"that joins them, with tensor_concat() of their values."
#define OTHER_SHAPE                                                                      \
	"Labels are the shape: y[i,j] = x[i] + z[j] repeats, b[j,i] = a[i,j] transposes. "   \
	"tensor_reshape() is for values."
#define NUMBERS_EVERYWHERE                                                               \
	"A number stands for a tensor full of it: y[i] = x[i] + 1. For one to store, "       \
	"tensor_full() makes a value, and einsum_store() a table."
#define REGISTERED_KEYS                                                                  \
	"Group by a column by registering it as a key: rows with equal keys are added up "   \
	"with duplicates => 'sum'; without value => ... each row counts 1."
#define BETWEEN_TWO                                                                      \
	"Comparisons give 1 or 0: (a >= 1) * (a <= 2) is 1 where both hold, and "            \
	"(a == 1) + (a == 2) where one does."

/* clang-format off */
static const struct
{
	const char *words; /* in lower case, with a space before and behind each word */
	const char *advice;
} foreign_words[] = {
	/* aggregates */
	{" mean average nanmean ", "Write avg[j] a[i,j] over a label; of a matrix without indices mean(a), rowMeans(a) or colMeans(a)."},
	{" avg ", "Write avg[j] a[i,j] over a label; of a matrix without indices mean(a), rowMeans(a) or colMeans(a)."},
	{" std sd stdev stddev stddev_samp stddev_pop nanstd standard_deviation ",
	 "Write it out: m[k] = avg[i] x[i,k]; s[k] = sqrt(avg[i] (x[i,k] - m[k])^2). Where n - 1 is to divide, as in R and SQL, avg times n/(n - 1)."},
	{" var variance var_samp var_pop nanvar ", "Write it out: m[k] = avg[i] x[i,k]; v[k] = avg[i] (x[i,k] - m[k])^2. Where n - 1 is to divide, as in R and SQL, times n/(n - 1)."},
	{" cov covar covariance covar_pop covar_samp cor corr corrcoef correlation pearson pearsonr ",
	 "Write it out: m[k] = avg[i] x[i,k]; c[k,l] = avg[i] (x[i,k] - m[k])*(x[i,l] - m[l]); correlations are c[k,l] / sqrt(c[k,k]*c[l,l]). Where n - 1 is to divide, as in R and numpy's cov, times n/(n - 1)."},
	{" matrix_rank_of rank ", "Of a matrix, count what is not near 0 of SELECT mat_svd(einsum_value('m[i,j] = a[i,j]')). Places of entries in their order are SQL's: rank() OVER (ORDER BY value) on SELECT * FROM einsum_rows(...)."},
	{" median quantile quantiles percentile nanmedian percentile_cont percentile_disc mode iqr mad ",
	 "A program does not order entries. Use SQL's percentile_cont(0.5) WITHIN GROUP (ORDER BY value) over the table, or over SELECT * FROM einsum_rows(...)."},
	{" sort sorted argsort order row_number dense_rank ntile topk top_k top nlargest nsmallest argpartition searchsorted head tail first last ", SQL_ORDER},
	{" cumsum cumprod cummax cummin cumulative cumulative_sum running_sum scan accumulate rolling expanding moving_average running ",
	 "A running sum is a sum over a tensor of which index is not after which: c[t] = sum[s] upto[t,s]*x[s]; a window is a sum of shifts, x[t] + x[t-1]. On rows SQL has sum(value) OVER (ORDER BY t)."},
	{" ewm ewma ema exponential_moving_average ", "Each entry depends on the one before: a sum with weights that fall, y[t] = sum[s] w[t,s]*x[s], or a loop, einsum_iterate."},
	{" total summation nansum tsum reduce_sum sum_over sigma \xce\xa3 \xe2\x88\x91 ", WITH_AGGREGATE("sum")},
	{" product nanprod reduce_prod prod_over \xce\xa0 \xe2\x88\x8f ", WITH_AGGREGATE("prod")},
	{" prod ", WITH_AGGREGATE("prod")},
	{" max maximum amax nanmax fmax reduce_max ", "Write greatest(a, b), or max[j] a[i,j] over a label."},
	{" min minimum amin nanmin fmin reduce_min ", "Write least(a, b), or min[j] a[i,j] over a label."},
	{" pmax ", "Write greatest(a, b)."},
	{" pmin ", "Write least(a, b)."},
	{" ptp range spread peak_to_peak ", "Write (max[j] a[i,j]) - (min[j] a[i,j])."},
	{" any some exists bool_or logical_any ", WITH_AGGREGATE("any")},
	{" all every forall bool_and ", WITH_AGGREGATE("all")},
	{" count nnz count_nonzero countif n_nonzero ", "Write count[j] a[i,j] over a label: how many are not 0."},
	{" dim dims ", THE_SIZES " " THE_AXIS},
	{" size len length numel shape ndim cardinality n_rows n_cols ",
	 THE_SIZES},
	{" argmax which.max which_max idxmax arg_max ", "Write argmax[k] x[i,k] over a label."},
	{" argmin which.min which_min idxmin arg_min ", "Write argmin[k] x[i,k] over a label."},
	{" softmax ", "Write softmax[k] x[i,k] over a label."},
	{" log_softmax logsoftmax ", "Write x[i,k] - (logsumexp[k] x[i,k])."},
	{" logsumexp log_sum_exp lse ", "Write logsumexp[k] x[i,k] over a label."},
	{" norm l2 l2norm l2_norm vector_norm frobenius euclidean_norm magnitude hypot ", "Write norm[k] x[i,k] over a label."},
	{" l1 l1_norm manhattan cityblock ", "Write sum[k] abs(x[i,k])."},
	{" normalize normalise unit unit_vector rescale minmax ", "Divide by what is to be 1: y[i,k] = x[i,k] / (norm[k] x[i,k]), or x[i,k] / (sum[k] x[i,k])."},
	{" scale standardize standardise zscore z_score ",
	 "Write it out: m[k] = avg[i] x[i,k]; s[k] = sqrt(avg[i] (x[i,k] - m[k])^2); z[i,k] = (x[i,k] - m[k]) / s[k]."},
	{" gmean geometric_mean ", "Write exp(avg[j] ln(a[i,j]))."},
	{" hmean harmonic_mean ", "Write 1 / (avg[j] 1/a[i,j])."},
	{" mse rmse mae loss cross_entropy sse rss ", "Write it out: e[] = avg[i] (y[i] - p[i])^2, or h[] = -(avg[i] y[i]*ln(p[i]))."},
	{" distance euclidean cdist pdist dist l2_distance euclidean_distances ", "Write sqrt(sum[k] (x[i,k] - y[j,k])^2)."},
	{" cosine cosine_similarity cos_sim cosine_distance similarity ", "Write (sum[k] x[i,k]*y[j,k]) / ((norm[k] x[i,k]) * (norm[k] y[j,k]))."},
	{" jaccard ", "Write it out of counts: c[i,j] = sum[k] a[i,k]*a[j,k]; d[i] = sum[k] a[i,k]; s[i,j] = c[i,j] / (d[i] + d[j] - c[i,j])."},
	{" tfidf tf_idf tfidfvectorizer ", "Write it out: n[t] = count[d] f[d,t]; w[d,t] = f[d,t] * ln(docs[] / n[t]), with docs[] = sum[d] doc[d] over a dimension."},
	{" attention multihead_attention scaled_dot_product_attention ", "Write it out: s[i,j] = sum[k] q[i,k]*y[j,k]; p[i,j] = softmax[j] s[i,j]; o[i,k] = sum[j] p[i,j]*v[j,k]."},
	{" predict fit linear dense layer forward mlp ", "Write it out: h[i,k] = relu((sum[j] x[i,j]*w[j,k]) + b[k]). einsum_gradient and einsum_iterate train it."},
	{" entropy ", "Write -(sum[k] p[k]*ln(p[k]))."},
	{" hist histogram bincount tabulate table value_counts groupby group_by aggregate unique distinct nunique crosstab pivot pivot_table factor get_dummies onehot one_hot ", REGISTERED_KEYS},

	/* products */
	{" dot inner vdot inner_product innerprod dot_product sumproduct ", "Write s[] = sum[i] x[i]*y[i]. A matrix product is written %*%, or with labels sum[j] a[i,j]*b[j,k]."},
	{" matmul mm bmm mult multiply multi_dot gemm tensordot contract ", PRODUCT_OF_MATRICES},
	{" crossprod gram ", "Write t(x) %*% x, or with labels sum[i] x[i,k]*x[i,l]."},
	{" tcrossprod ", "Write x %*% t(x), or with labels sum[k] x[i,k]*x[j,k]."},
	{" einsum np.einsum tensor_map ", "A program says what an equation says: 'ij,jk->ik' is y[i,k] = sum[j] a[i,j]*b[j,k]. einsum('ij,jk->ik', x, y) is a function of SQL, of values."},
	{" outer outer_product outerprod ", "Write y[i,j] = x[i]*z[j]."},
	{" kron kronecker tensor_product ", "Write y[i,j,k,l] = a[i,j]*b[k,l], with four labels."},
	{" cross ", "A cross product is written out with a tensor that has its signs: y[i] = sum[j,k] sign3[i,j,k]*x[j]*z[k]."},
	{" conv convolve convolution conv1d conv2d correlate ", "Write a sum of shifted entries: y[t] = w[0]*x[t] + w[1]*x[t-1] + w[2]*x[t-2]."},
	{" matrix_power mpow matpow expm ", "Write products: b = a %*% a; c = b %*% a. a^3 is the power of each entry; many powers are a loop, einsum_iterate."},
	{" transpose permute swapaxes moveaxis t.t adjoint permute_dims ", "Write t(a), or with labels b[j,i] = a[i,j]."},
	{" diagonal diagflat get_diag diag_embed ", "The diagonal is d[i] = a[i,i], and x[i]*eye[i,j] has x as its diagonal; without indices diag(a)."},
	{" identity eye kronecker_delta delta kdelta identity_matrix speye ", "The identity matrix is eye[i,j], with two labels; its bounds are those of the labels."},
	{" tr ", "Write trace(a), or with labels sum[i] a[i,i]."},
	{" tril lower_tri lower.tri ", "Multiply by a stored tensor that is 1 where an index is not after the other, with the bounds of the matrix, here 10: SELECT einsum_store('upto[I,J]', 'SELECT i, j, 1 FROM generate_series(0, 9) AS i, generate_series(0, i) AS j', '{10,10}'); then l[i,j] = a[i,j]*upto[i,j]."},
	{" triu upper_tri upper.tri ", "Multiply by a stored tensor that is 1 where an index is not after the other, with the bounds of the matrix, here 10: SELECT einsum_store('upto[I,J]', 'SELECT i, j, 1 FROM generate_series(0, 9) AS i, generate_series(0, i) AS j', '{10,10}'); then u[i,j] = a[i,j]*upto[j,i]."},
	{" svd svdvals singular_values pca prcomp pinv pinverse ginv matrix_rank null_space ", OF_VALUES("mat_svd", "m[i,j] = a[i,j]")},
	{" det determinant slogdet logdet ", OF_VALUES("mat_det_scalar", "m[i,j] = a[i,j]")},
	{" eig eigh eigvals eigvalsh eigen eigs eigenvalues eigenvectors spectral ", OF_VALUES("mat_eigh", "m[i,j] = a[i,j]") " It takes symmetric matrices."},
	{" qr orth gram_schmidt ", OF_VALUES("mat_qr", "m[i,j] = a[i,j]")},
	{" lstsq lm ols least_squares linreg linear_regression polyfit regress regr_slope lsqr ",
	 "Of values, in SQL: SELECT mat_lstsq(einsum_value('m[i,k] = x[i,k]'), einsum_value('b[i] = y[i]')). In a program solve(t(x) %*% x, t(x) %*% y), by the normal equations."},
	{" lu ", "In a program solve(a, b), inverse(a) and cholesky(a). mat_solve() and mat_qr() are functions of values, in SQL."},
	{" chol ", "Write cholesky(a)."},
	{" linsolve backslash solve_triangular lu_solve cho_solve mldivide ", "Write solve(a, b)."},
	{" cond condition_number matrix_norm ", OF_VALUES("mat_norm", "m[i,j] = a[i,j]")},

	/* functions of numbers */
	{" log ", "Write ln(x), or ln(x)/ln(10) for the decimal logarithm."},
	{" log10 lg ", "Write ln(x)/ln(10)."},
	{" log2 lb ", "Write ln(x)/ln(2)."},
	{" log1p ", "Write ln(1 + x)."},
	{" expm1 ", "Write exp(x) - 1."},
	{" exp2 ", "Write 2^x."},
	{" exp10 ", "Write 10^x."},
	{" logit ", "Write ln(x / (1 - x))."},
	{" logistic expit ", "Write sigmoid(x)."},
	{" softplus ", "Write ln(1 + exp(x))."},
	{" gelu silu swish elu selu ", "Write it out, as in x[i]*sigmoid(x[i])."},
	{" leaky_relu leakyrelu prelu ", "Write greatest(x, 0.01*x)."},
	{" rectifier ramp relu6 ", "Write relu(x)."},
	{" heaviside step unit_step ", "Comparisons give 1 or 0: write x > 0."},
	{" sgn signum ", "Write sign(x)."},
	{" fabs absolute modulus magnitude ", "Write abs(x)."},
	{" power ", "Write x^y or pow(x, y)."},
	{" square sqr squared ", "Write x^2."},
	{" cube cbrt nthroot root ", "Write x^3, or x^(1/3) for the root."},
	{" reciprocal recip ", "Write 1/x."},
	{" rsqrt ", "Write 1/sqrt(x)."},
	{" tan ", "Write sin(x)/cos(x)."},
	{" sinh cosh ", "Write (exp(x) - exp(-x))/2, or (exp(x) + exp(-x))/2."},
	{" asin acos atan atan2 arcsin arccos arctan arctan2 erf gamma lgamma gammaln factorial comb choose beta bessel ",
	 "There is no such function in programs: register a view that computes it in SQL, with value => the column that has it."},
	{" clip clamp bounded ", "Write least(greatest(x, 0), 1)."},
	{" mod rem remainder fmod modulo modulus_of ", "Write x - n*floor(x/n)."},
	{" div divide floor_divide floordiv idiv intdiv truediv ", "Write x / y, or floor(x/y)."},
	{" add plus subtract minus ", "Write x + y or x - y."},
	{" trunc fix int integer as.integer int_ as_integer to_int ", "Write sign(x)*floor(abs(x)). round(x) is the nearest integer."},
	{" cast convert astype float double real8 numeric as.numeric decimal ", "Write float8(x) or float4(x); numbers are floating point always."},
	{" ceiling ", "Write ceil(x)."},
	{" round rint nearbyint around ", "Write round(x), or round(100*x)/100 for two digits."},
	{" degrees radians deg2rad rad2deg ", "Multiply by 3.141592653589793/180, or its reciprocal."},

	/* conditions */
	{" and logical_and bitand bitwise_and ", "Comparisons give 1 or 0: (a > 0) * (b > 0) is 1 where both hold."},
	{" or logical_or bitor bitwise_or ", "Comparisons give 1 or 0: greatest(a > 0, b > 0) is 1 where one holds."},
	{" not logical_not invert ", "Comparisons give 1 or 0: 1 - (a > 0) is 1 where a > 0 does not hold."},
	{" xor logical_xor ", "Comparisons give 1 or 0: abs((a > 0) - (b > 0)) is 1 where one of both holds."},
	{" where filter mask masked ", "Write if(a[i,j] > 0, a[i,j], 0), or multiply by the comparison; a condition on keys belongs into a registered view, or the query that reads the result."},
	{" case when then else end elif elseif if ifelse iif switch select_case decode piecewise ", CONDITION},
	{" in isin between like ilike ", BETWEEN_TWO},
	{" equal eq not_equal ne greater gt less lt greater_equal less_equal isclose allclose ", "Write x == y, x <> y, x < y, x <= y, x > y or x >= y: each is 1 or 0."},
	{" is isnull isna is_null is.na is.nan isnan isinf isfinite coalesce ifnull nvl nullif nan_to_num fillna dropna notnull notna null none nil na nullable ", NO_NULL},
	{" nan ", "There is no NaN to write; 0/0 is 0 in programs, and 1/0 is infinite."},
	{" inf infinity infty \xe2\x88\x9e ", "Write 1/0, which is infinite."},
	{" true ", "Comparisons give 1 or 0: write 1."},
	{" false ", "Comparisons give 1 or 0: write 0."},
	{" pi \xcf\x80 ", "Write 3.141592653589793."},
	{" e euler ", "Write exp(1), or exp(x) for a power of it."},

	/* shapes and indices */
	{" axis axes keepdims keepdim na.rm na_rm skipna ddof ", THE_AXIS},
	{" concat concatenate append stack vstack dstack rbind bind_rows union ", PUT_TOGETHER},
	{" cbind hstack column_stack add_constant bind_cols ", A_COLUMN_OF_ONES},
	{" reshape ravel flatten squeeze unsqueeze expand_dims newaxis view broadcast broadcast_to expand repeat_interleave tile rep repmat resize ", OTHER_SHAPE},
	{" slice take gather index_select iloc loc at getitem subset item ", "x[0,k] reads one index of a tensor; keys are asked for where the result is read, as in einsum_rows(..., at => '{\"i\": 42}')."},
	{" roll shift lag lead diff diffs differences pct_change ", SHIFTED},
	{" rev reverse flip fliplr flipud ", "Multiply by a tensor that is 1 at the pairs of indices: SELECT einsum_store('mirror[I,J]', 'SELECT i, 2 - i, 1 FROM generate_series(0, 2) AS i', '{3,3}') of three, then y[i] = sum[j] mirror[i,j]*x[j]. Rows are ordered in the query that reads them."},
	{" zeros ones full empty zeros_like ones_like full_like constant matrix array list ", NUMBERS_EVERYWHERE},
	{" arange linspace seq seq_len seq_along iota index indices row col rownum meshgrid idx generate_series which nonzero argwhere enumerate ", STORED_INDEX},
	{" random rand randn runif rnorm uniform normal sample sampling shuffle randint dropout ", "Random numbers are stored first, so that a program gives the same each time: SELECT einsum_store('r[I]', 'SELECT i, random() FROM generate_series(0, 99) AS i', '{100}'), or tensor_random() of values."},
	{" grad gradient jacobian autograd backward derivative deriv differentiate ", "einsum_gradient(program, 'loss', '{w}') writes the program that computes derivatives."},

	/* graphs */
	{" eigenvector_centrality eigenvector ", A_LOOP("Eigenvector centrality", "m[i] = c[i] + (sum[j] a[j,i]*c[j]); c[i] = m[i] / (norm[k] m[k])")},
	{" katz_centrality katz ", A_LOOP("Katz centrality", "c[i] = 1 + 0.1*(sum[j] a[j,i]*c[j])")},
	{" hits hubs authorities ", A_LOOP("HITS", "m[i] = sum[j] a[j,i]*h[j]; n[i] = sum[j] a[i,j]*m[j]; h[i] = n[i] / (norm[k] n[k])")},
	{" pagerank page_rank personalized_pagerank ", A_LOOP("PageRank", "r[i] = 0.15*p[i] + 0.85*(sum[j] m[i,j]*r[j])")},
	{" degree degrees in_degree out_degree indegree outdegree deg degree_centrality ", "The degree is d[i] = sum[j] a[i,j]; count[j] a[i,j] is the number of neighbours."},
	{" shortest_path shortest_paths shortest_path_length dijkstra dijkstra_path bellman_ford floyd_warshall all_pairs_shortest_path sssp apsp eccentricity diameter astar_path ",
	 A_LOOP("A shortest path", "x[j] = least(x[j], min[i] (x[i] + w[i,j])), where w has the fill infinity")},
	{" closeness closeness_centrality betweenness betweenness_centrality ", "There is no such function. Closeness and betweenness are written out in docs/recipes.md: shortest paths between all nodes, by einsum_iterate, and sums of them."},
	{" bfs dfs bfs_tree dfs_tree reachable reachability has_path descendants ancestors transitive_closure closure path walk ", A_LOOP("What can be reached", "x[j] = greatest(x[j], any[i] a[i,j]*x[i])")},
	{" connected_components components weakly_connected_components number_connected_components communities community louvain label_propagation union_find ", A_LOOP("Finding components", "c[j] = least(c[j], min[i] (c[i] + w[i,j])), where w is 0 at edges and infinite elsewhere")},
	{" kcore k_core core_number kmeans k_means dbscan ", "That is a loop: einsum_iterate(name, init, step, until => ...)."},
	{" triangles triangle_count clustering clustering_coefficient transitivity ", "Triangles are t[i] = sum[j,k] a[i,j]*a[j,k]*a[k,i]; divided by d[i]*(d[i] - 1), with d[i] = sum[j] a[i,j], they are the clustering."},
	{" neighbors neighbours successors predecessors adj common_neighbors ", "Neighbours of a set x are y[j] = any[i] a[i,j]*x[i]; common ones of two are c[i,j] = sum[k] a[i,k]*a[j,k]."},
	{" density ", "Write it out, as in (sum[i,j] a[i,j]) / (nodes[]*(nodes[] - 1)), with nodes[] = sum[i] node[i] over a dimension."},
	{" laplacian laplacian_matrix normalized_laplacian ", "Write it out: d[i] = sum[j] a[i,j]; l[i,j] = d[i]*eye[i,j] - a[i,j]."},
	{" adjacency adjacency_matrix incidence_matrix to_numpy_array from_edgelist to_scipy_sparse_array graph digraph nodes edges number_of_nodes number_of_edges ",
	 "An adjacency matrix is the table of edges: SELECT einsum_register('a[I,J]', 'edge', keys => '{src,dst}', value => 'weight', bounds => '{4,4}'), where the bounds are the number of nodes, twice. Without value an edge counts 1."},
	{" is_connected is_strongly_connected is_weakly_connected topological_sort is_directed_acyclic_graph cycles find_cycle max_flow maximum_flow min_cut minimum_spanning_tree mst max_weight_matching matching coloring isomorphic ",
	 "There is no such function. What is a loop over edges is einsum_iterate(name, init, step, until => ...); what orders or chooses edges is done in SQL, or in networkx by the Python package."},
	{" modularity assortativity reciprocity ", "Write it out of degrees and products: d[i] = sum[j] a[i,j]; m[] = sum[i] d[i]; then sums over a[i,j] and d[i]*d[j]/m[]."},

	/* SQL, and statements of other languages */
	{" select from join inner_join left_join on group having order_by by limit offset union_all insert update delete values into as with over partition window distinct_on lateral create drop exec execute ", SQL_CLAUSE},
	{" for while loop repeat until do break next continue begin foreach iterate ", "An aggregate names its labels, as in sum[j] a[i,j]; loops are einsum_iterate(name, init, step, until => ...)."},
	{" import library require return print let const def function lambda func fn global local set declare auto void tensor vector ", ONLY_STATEMENTS},
	{" sweep broadcast ", "Labels say what is repeated: z[i,k] = x[i,k] - m[k], with m[k] = avg[i] x[i,k]."},
	{" match ", "A path of links is a product: two[i,k] = sum[j] a[i,j]*a[j,k], with a factor for each further link."},
	{" glm logit logistic logisticregression ", A_LOOP("A logistic regression", "d[k] = solve(sum[i] p[i]*(1 - p[i])*x[i,k]*x[i,l], sum[i] (y[i] - p[i])*x[i,l]); w[k] = w[k] + d[k], where p[i] = sigmoid(sum[k] x[i,k]*w[k])")},
	{" apply sapply lapply vapply mapply map vectorize reduce fold foldl transform mutate ", "A formula is of all entries: y[i] = exp(x[i]); an aggregate names its labels: s[i] = sum[j] a[i,j]."},
	{" now current_date current_timestamp date extract date_trunc age to_char lower upper trim substring nchar replace ", "Programs compute with numbers: register a view that computes it in SQL."},
};
/* clang-format on */

const char *
hint_for_word(const char *word)
{
	size_t length = strlen(word);
	char *folded = downcase_identifier(word, (int) length, false, false);

	for (int i = 0; length > 0 && i < lengthof(foreign_words); i++)
	{
		const char *found = foreign_words[i].words;

		while ((found = strstr(found, folded)) != NULL)
		{
			if (found[-1] == ' ' && found[length] == ' ')
				return _(foreign_words[i].advice);
			found++;
		}
	}
	return NULL;
}
