"""What `make bench-algebra` measures: formulas of textbooks as they stand there, the same as someone who knows how to
compute them would write them, and SQL of the formula as it stands.

Tensors are those of datasets.py. `hand` is a program that is run as it is written, or SQL; `sql` is for DuckDB, whose
tables have the columns i, j, k, l and val.
"""

from scalar_sql import Step

STAR = "x[p,k] = facts[p,a,b,c] * (store_x[a,k] + part_x[b,k] + customer_x[c,k]); "
STAR_SQL = """with x as materialized (
	select f.i, d.j, sum(f.val * d.val) as val from facts f join store_x d on d.i = f.j group by f.i, d.j
	union all select f.i, d.j, sum(f.val * d.val) from facts f join part_x d on d.i = f.k group by f.i, d.j
	union all select f.i, d.j, sum(f.val * d.val) from facts f join customer_x d on d.i = f.l group by f.i, d.j)
"""
# counts of pairs of keys, and products of features with them
STAR_COVARIANCE = """na[a] = sum[p,b,c] facts[p,a,b,c]; nb[b] = sum[p,a,c] facts[p,a,b,c]; nc[c] = sum[p,a,b] facts[p,a,b,c];
	nab[a,b] = sum[p,c] facts[p,a,b,c]; nac[a,c] = sum[p,b] facts[p,a,b,c]; nbc[b,c] = sum[p,a] facts[p,a,b,c];
	ab[a,l] = nab[a,b] * part_x[b,l]; ac[a,l] = nac[a,c] * customer_x[c,l]; bc[b,l] = nbc[b,c] * customer_x[c,l];
	d[k,l] = na[a] * store_x[a,k] * store_x[a,l] + nb[b] * part_x[b,k] * part_x[b,l] + nc[c] * customer_x[c,k] * customer_x[c,l];
	o[k,l] = store_x[a,k] * ab[a,l] + store_x[a,k] * ac[a,l] + part_x[b,k] * bc[b,l];
	s[k,l] = d[k,l] + o[k,l] + o[l,k]"""
STAR_GRADIENT = """wa[a] = store_x[a,k] * star_w[k]; wb[b] = part_x[b,k] * star_w[k]; wc[c] = customer_x[c,k] * star_w[k];
	z[p] = facts[p,a,b,c] * (wa[a] + wb[b] + wc[c]); e[p] = sigmoid(z[p]) - star_y[p];
	ea[a] = facts[p,a,b,c] * e[p]; eb[b] = facts[p,a,b,c] * e[p]; ec[c] = facts[p,a,b,c] * e[p];
	g[k] = ea[a] * store_x[a,k] + eb[b] * part_x[b,k] + ec[c] * customer_x[c,k]"""


class Work:
    """a formula, and what is demanded of the default: how many times faster it is than with rewrite => 'none'; at
    most how many times as long it takes as by hand, or as another formula; or at most how many seconds. It may be planned and run with some
    work_mem, asked for keys of a label, or be about the tensors of planetoid_cora"""

    def __init__(self, name, program, faster=None, hand=None, sql=None, close=None, beside=None, seconds=None,
                 work_mem=None, label=None, in_cora=False):
        self.name, self.program, self.faster, self.hand, self.sql = name, program, faster, hand, sql
        self.close, self.beside, self.seconds = close, beside, seconds
        self.work_mem, self.label, self.in_cora = work_mem, label, in_cora


def product(labels, *operands):
    """scalar SQL for one product of several tensors, each with its labels"""
    return Step("", labels, [tuple(operand.split()) for operand in operands]).sql()


UV = product("ij", "u ik", "v jk")
SCORES = "select a.i, a.j, %s as val from photo a join photo_q q on q.i = a.i join photo_p p on p.i = a.j and p.j = q.j group by a.i, a.j"
EXP = "exp(sum(q.val * p.val) / 64)"

WORK = [
    Work("squared loss", "s = sum((r - u %*% t(v))^2)", 6,
         """a[k,l] = u[i,k] * u[i,l]; b[k,l] = v[j,k] * v[j,l];
         s[] = (sum[i,j] r[i,j]^2) - 2 * (sum[i,j,k] r[i,j] * u[i,k] * v[j,k]) + (sum[k,l] a[k,l] * b[k,l])""",
         "select sum((coalesce(r.val, 0) - p.val)^2) as val from (%s) p left join r using (i, j)" % UV),
    Work("gradient of ALS", "g = (u %*% t(v) - r) %*% v", 9,
         "b[k,l] = v[j,k] * v[j,l]; g[i,l] = u[i,k] * b[k,l] - r[i,j] * v[j,l]",
         "select p.i, v.j as j, sum((p.val - coalesce(r.val, 0)) * v.val) as val from (%s) p left join r using (i, j) "
         "join v on v.i = p.j group by p.i, v.j" % UV),
    Work("loss weighted after the square", "s = sum((r <> 0) * (r - u %*% t(v))^2)", 4,
         "p[i,j] = (r[i,j] <> 0) * u[i,k] * v[j,k]; s[] = sum[i,j] (r[i,j] - p[i,j])^2",
         "select sum((r.val - p.val)^2) as val from (%s) p join r using (i, j)" % UV),
    Work("sum(r * ln(u %*% t(v) + 0.1))", "s = sum(r * ln(u %*% t(v) + 0.1))", 4,
         "p[i,j] = (r[i,j] <> 0) * u[i,k] * v[j,k]; s[] = sum[i,j] r[i,j] * ln(p[i,j] + 0.1)",
         "select sum(r.val * ln(p.val + 0.1)) as val from (%s) p join r using (i, j)" % UV),
    Work("t(a) %*% a %*% z", "y = t(stiff) %*% stiff %*% stiff_y", 12,
         "h[j,k] = stiff[j,l] * stiff_y[l,k]; y[i,k] = stiff[j,i] * h[j,k]",
         "with aa as (%s) %s" % (product("ij", "stiff ki", "stiff kj"), product("ij", "aa ik", "stiff_y kj"))),
    Work("a %*% a %*% a %*% y", "y = stiff %*% stiff %*% stiff %*% stiff_y", 12,
         "g[j,k] = stiff[j,l] * stiff_y[l,k]; h[j,k] = stiff[j,l] * g[l,k]; y[i,k] = stiff[i,j] * h[j,k]",
         "with aa as (%s), aaa as (%s) %s" % (product("ij", "stiff ik", "stiff kj"), product("ij", "aa ik", "stiff kj"),
                                              product("ij", "aaa ik", "stiff_y kj"))),
    Work("sum(a %*% a %*% a)", "s = sum(stiff %*% stiff %*% stiff)", 12,
         "c[j] = sum[i] stiff[i,j]; d[j] = sum[k] stiff[j,k]; s[] = sum[i,j] c[i] * stiff[i,j] * d[j]",
         "with aa as (%s) %s" % (product("ij", "stiff ik", "stiff kj"), product("ij", "aa ik", "stiff kj"))),
    Work("(a + y %*% t(y)) %*% y", "z = (stiff + stiff_y %*% t(stiff_y)) %*% stiff_y", 200,
         "g[k,l] = stiff_y[i,k] * stiff_y[i,l]; z[i,l] = stiff[i,j] * stiff_y[j,l] + stiff_y[i,k] * g[k,l]",
         "with b as (select i, j, sum(val) as val from (select * from stiff union all %s) t group by i, j) %s" % (
             product("ij", "stiff_y ik", "stiff_y jk"), product("ij", "b ik", "stiff_y kj"))),
    Work("covariance over the star", STAR + "s[k,l] = x[p,k] * x[p,l]", 70, STAR_COVARIANCE,
         STAR_SQL + product("ij", "x ki", "x kj"), close=("by hand", 1.1)),
    Work("logistic gradient over the star", STAR + "e[p] = sigmoid(sum[k] x[p,k] * star_w[k]) - star_y[p]; g[k] = x[p,k] * e[p]", 100,
         STAR_GRADIENT,
         STAR_SQL + ", e as (select x.i, 1 / (1 + exp(-sum(x.val * w.val))) - coalesce(max(y.val), 0) as val from x "
         "join star_w w on w.i = x.j left join star_y y on y.i = x.i group by x.i) " + product("j", "x ij", "e i"), close=("by hand", 1.1)),
    Work("scores along edges", "e[i,j] = photo[i,j] * (sum[k] photo_q[i,k] * photo_p[j,k])", None, None, SCORES % "sum(q.val * p.val)"),
    Work("with exp", "e[i,j] = photo[i,j] * exp((sum[k] photo_q[i,k] * photo_p[j,k]) / 64)", None, None, SCORES % EXP,
         beside=("scores along edges", 1.3)),
    Work("with softmax and values", """e[i,j] = photo[i,j] * exp((sum[k] photo_q[i,k] * photo_p[j,k]) / 64); d[i] = sum[j] e[i,j];
         y[i,k] = (sum[j] e[i,j] * photo_v[j,k]) / d[i]""", None, None,
         "with e as materialized (%s), d as (select i, sum(val) as val from e group by i) "
         "select e.i, v.j, sum(e.val / d.val * v.val) as val "
         "from e join d using (i) join photo_v v on v.i = e.j group by e.i, v.j" % (SCORES % EXP),
         beside=("scores along edges", 4)),
    Work("any in three steps", "y[i] = any[j,k,l] wiki[i,j] * wiki[j,k] * wiki[k,l]", 100,
         "g[k] = any[l] wiki[k,l]; h[j] = any[k] wiki[j,k] * g[k]; y[i] = any[j] wiki[i,j] * h[j]",
         "select distinct a.i, 1 as val from wiki a join wiki b on b.i = a.j join wiki c on c.i = b.j"),
    Work("triangles", "s[] = wiki[i,j] * wiki[j,k] * wiki[i,k]", None,
         "select count(*)::float8 as value from wiki a join wiki b on b.i = a.j join wiki c on c.i = a.i and c.j = b.j",
         "select count(*) as val from wiki a join wiki b on b.i = a.j join wiki c on c.i = a.i and c.j = b.j", close=("by hand", 1.1)),
    Work("triangles, the other way round", "s[] = wiki[i,k] * wiki[i,j] * wiki[j,k]", None,
         "select count(*)::float8 as value from wiki a join wiki b on b.i = a.j join wiki c on c.i = a.i and c.j = b.j",
         "select count(*) as val from wiki a join wiki b on b.i = a.j join wiki c on c.i = a.i and c.j = b.j", close=("by hand", 1.1)),
    Work("min[j] (d[i,j] + y[j])", "z[i] = min[j] (length[i,j] + reached[j])", None,
         "select l.i, min(l.value + r.value) as value from length l join reached r on r.i = l.j group by l.i",
         "select l.i, min(l.val + r.val) as val from length l join reached r on r.i = l.j group by l.i", close=("by hand", 1.5)),
    Work("chain of 8 statements", "; ".join("s%d[i] = s%d[i] / (max[j] s%d[j])" % (n, n - 1, n - 1) for n in range(1, 9)), seconds=0.03),
]

# people without the centre of a circle
NODES = [42, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000]
STEP = """select t.i, sum(t.val) as val from (
	select %%(key)s as i, 0.15 as val union all
	select a.j, r.val from (select i, 0.85 * val / (select count(*) from facebook d where d.i = s.i) as val from %s s offset 0) r
	join facebook a on a.i = r.i) t group by t.i"""

# the rows of one key of a label, at NODES, one after the other
POINTS = [
    Work("three hops of one node", "y[I,L] = facebook[i,j] * facebook[j,k] * facebook[k,l]", label="i", close=("by hand", 5),
         hand="select sum(value) from (select c.j, count(*)::float8 as value from facebook a join facebook b on b.i = a.j "
         "join facebook c on c.i = b.j where a.i = %(key)s group by c.j) r"),
    Work("three steps of personalised PageRank", """d[i] = sum[j] facebook[i,j]; n[i,j] = facebook[i,j] / d[i];
         r1[S,J] = 0.15 * eye[s,j] + 0.85 * n[s,j]; r2[S,J] = 0.15 * eye[s,j] + 0.85 * (sum[i] r1[s,i] * n[i,j]);
         r3[S,J] = 0.15 * eye[s,j] + 0.85 * (sum[i] r2[s,i] * n[i,j])""", label="s", close=("by hand", 5),
         hand="with r0 as (select %%(key)s as i, 1.0::float8 as val), r1 as (%s), r2 as (%s), r3 as (%s) select sum(val) from r3" % (
             STEP % "r0", STEP % "r1", STEP % "r2")),
]

# what needs much memory
MEMORY = [Work("triangles of a large graph, work_mem " + setting, "s[] = facebook[i,j] * facebook[j,k] * facebook[i,k]",
               hand="select 6 * count(*)::float8 as value from facebook a join facebook b on b.i = a.j and b.j > b.i "
               "join facebook c on c.i = a.i and c.j = b.j where a.i < a.j", close=("by hand", 2), work_mem=setting)
          for setting in ("4MB", "256MB")]
