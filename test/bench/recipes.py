"""The recipes of docs/recipes.md on larger tables, beside what people use otherwise: SQL, PL/pgSQL, or numpy on rows that are fetched.

    make bench-recipes
    test/cluster test/python test/bench/recipes.py "Shortest paths" ...     these alone

The programs are those of the page, on tables of the same columns. Prints the table of the page: seconds of each, least of BENCH_RUNS
runs that take turns. Both sides compute the same, which is checked. Recipes without a natural form elsewhere are left out.
"""

import os
import re
import sys
import time

import numpy as np
import psycopg2

sys.path.insert(0, "test")
import docs  # noqa: E402

RUNS = int(os.environ.get("BENCH_RUNS", 2))
CUSTOMERS, NODES, EDGES, PEOPLE, FILMS, RATINGS, DAYS = 200000, 20000, 200000, 6000, 2000, 200000, 20000

TABLES = """
create extension sparseeinsum;
select setseed(0.5);
create table customer (id text primary key, age float8, income float8, spent float8, stayed boolean, fold int not null);
insert into customer select 'c' || lpad(i::text, 7, '0'), a, b, 2*a - 3*b + 5, a + 30*random() > 65, i %% 5 from (select i, 20 + 50*random() as a, 1 + 10*random() as b from generate_series(0, %(CUSTOMERS)d - 1) i) c;
create table page (name text primary key, number float8 not null, feature tensor not null, start float8, begin float8);
insert into page select 'n' || lpad(i::text, 7, '0'), i + 1, array[sin(i), 1]::tensor from generate_series(0, %(NODES)d - 1) i;
update page set start = 1, begin = 0 where number = 1;
create table link (src text not null references page, dst text not null references page, km float8, primary key (src, dst));
insert into link select 'n' || lpad(i::text, 7, '0'), 'n' || lpad(j::text, 7, '0'), 1 + (i*7 + j*7) %% 13 from (select (random()*(n - 1))::int as i, (random()*random()*(n - 1))::int as j from generate_series(1, %(EDGES)d), (select %(NODES)d as n) s) e where i <> j on conflict do nothing;
insert into link select dst, src, km from link on conflict do nothing;
create table person (name text primary key);
insert into person select 'p' || lpad(p::text, 7, '0') from generate_series(0, %(PEOPLE)d - 1) p;
create table film (id int primary key);
insert into film select f from generate_series(0, %(FILMS)d - 1) f;
create table rating (person text not null references person, film int not null references film, stars float8, primary key (person, film));
insert into rating select 'p' || lpad(p::text, 7, '0'), f, 3 + cos(p)*sin(f) from (select (random()*(%(PEOPLE)d - 1))::int as p, (random()*random()*(%(FILMS)d - 1))::int as f from generate_series(1, %(RATINGS)d)) r on conflict do nothing;
create table day (day int primary key, sales float8);
insert into day select i, i %% 7 + 10 from generate_series(0, %(DAYS)d) i where i %% 40 <> 12;
select einsum_dimension('customer', 'customer', 'id');
select einsum_dimension('page', 'page', 'name');
select einsum_dimension('person', 'person', 'name');
select einsum_dimension('film', 'film', 'id');
""" % globals()


def recipes():
    """heading -> statements"""
    text = open("docs/recipes.md").read()
    headings = [(n, line[3:]) for n, line in enumerate(text.split("\n"), 1) if line.startswith("## ")]
    found = {}
    for line, sql, _ in docs.statements(text):
        found.setdefault([h for n, h in headings if n < line][-1], []).append(sql)
    return found


def of_pages(result, absent=0, label="i"):
    """a query of what a program made of each page, in the order of their names"""
    return f"select array_agg(coalesce(r.value, '{absent}') order by p.name) from page p left join {result} r on r.{label} = p.name"


# what computes the whole result, where the page shows a part of it or asks about it
WHOLE = {
    "Linear regression": "select einsum_value('w[k] = solve(sum[c] spent[c,1]*x[c,k]*x[c,l], sum[c] x[c,l]*spent[c,0])')",
    "Logistic regression": "select einsum_value('r[k] = w[k]')",
    "k-means": "select einsum_value('r[g,k] = centre[g,k]')",
    "Principal components": "select p.eigenvalues from cov, mat_eigh(cov.value) p",
    "PageRank": of_pages("rank"),
    "Personalised PageRank": of_pages("near"),
    "Shortest paths": of_pages("far", "Infinity", "j"),
    "Connected components": of_pages("part"),
    "Triangles": "select einsum_value('triangles[] = u[i,j]*u[j,k]*u[k,i] / 6')",
    "Graph convolution": "select einsum_value('r[m] = sum[i] layer1[i,m]')",
    "Moving average": "select sum(value) from average",
    "Recommendations": "select sum(value) from einsum_rows('o[U,G] = offer[u,g]', at => '{\"u\": \"p0000004\"}') as o(u text, g int, value float8)",
    "Matrix factorisation (ALS)": "select einsum_value('rmse[] = sqrt((sum[u,f] (r[u,f] - m[u,f]*(sum[k] p[u,k]*q[f,k]))^2) / (sum[u,f] m[u,f]))')",
}
# keys as numbers, for numpy
LINKS = "select substr(src, 2)::int, substr(dst, 2)::int, km from link"


def fetched(cursor, query):
    cursor.execute(query)
    return np.array(cursor.fetchall(), float)


def regression(cursor):
    rows = fetched(cursor, "select age, income, 1, spent from customer")
    return np.linalg.solve(rows[:, :3].T @ rows[:, :3], rows[:, :3].T @ rows[:, 3])


def logistic(cursor):
    rows = fetched(cursor, "select age, income, 1, stayed::int from customer")
    x, y, w, moved = rows[:, :3], rows[:, 3], np.zeros(3), 1
    while moved >= 1e-9:
        p = 1 / (1 + np.exp(-x @ w))
        d = np.linalg.solve((x * (p * (1 - p))[:, None]).T @ x, x.T @ (y - p))
        w, moved = w + d, np.abs(d).sum()
    return w


def k_means(cursor):
    x, centre = fetched(cursor, "select age, income from customer"), np.array([[25, 2], [60, 9], [45, 5.0]])
    while True:
        nearest = np.argmin(((x[:, None] - centre) ** 2).sum(-1), 1)
        mean = np.array([x[nearest == g].mean(0) for g in range(3)])
        if np.abs(mean - centre).sum() < 1e-12:
            return centre
        centre = mean


def components_of_rows(cursor):
    x = fetched(cursor, "select age, income from customer")
    return np.linalg.eigvalsh(np.cov(x.T, bias=True))


def walk(restart, first):
    def run(cursor):
        i, j = fetched(cursor, LINKS)[:, :2].astype(int).T
        out = np.bincount(i, minlength=NODES)
        rank = first.copy()
        while True:
            new = 0.15 * restart + 0.85 * np.bincount(j, (rank / np.maximum(out, 1))[i], NODES)
            if np.abs(new - rank).sum() < 1e-9:
                return new
            rank = new
    return run


def paths(cursor):
    rows = fetched(cursor, LINKS)
    i, j = rows[:, :2].astype(int).T
    far = np.full(NODES, np.inf)
    far[0] = 0
    while True:
        new = far.copy()
        np.minimum.at(new, j, far[i] + rows[:, 2])
        if (new == far).all():
            return far
        far = new


COMPONENTS = """
create temp table parts as select name as id, number as part from page;
create index on parts (id);
do $$ declare n int := 1; begin while n > 0 loop
	update parts set part = m.part from (select l.src, min(p.part) as part from link l join parts p on p.id = l.dst group by l.src) m
	where m.src = parts.id and m.part < parts.part; get diagnostics n = row_count; end loop; end $$;
"""


def components(cursor):
    cursor.execute("drop table if exists parts" + ";" + COMPONENTS)
    return fetched(cursor, "select part from parts order by id")[:, 0]


def convolution(cursor):
    i, j = fetched(cursor, LINKS)[:, :2].astype(int).T
    cursor.execute("select feature::float8[] from page order by name")
    h = np.array([row[0] for row in cursor.fetchall()]) @ np.array([[1, -1], [0, 2.0]])
    sums = np.stack([np.bincount(i, h[j, m], NODES) for m in range(2)], 1)
    return np.maximum(sums, 0).sum(0)


RECOMMEND = """
with viewers as (select film, count(*) as n from rating group by film), seen as (select film from rating where person = 'p0000004')
select sum(alike) from (select b.film, sum(1 / sqrt(v.n::float8 * w.n)) as alike from seen s
	join rating a on a.film = s.film join rating b on b.person = a.person join viewers v on v.film = a.film join viewers w on w.film = b.film
	where not exists (select from seen where seen.film = b.film) group by b.film) r"""


def als(cursor):
    rows = fetched(cursor, "select substr(person, 2)::int, film, stars from rating")
    u, f = rows[:, :2].astype(int).T
    cursor.execute("select q::float8[] from guess order by film")
    q = np.array([row[0] for row in cursor.fetchall()])

    def half(fixed, own, other, count):
        x, g, b = fixed[other], np.zeros((count, 2, 2)), np.zeros((count, 2))
        for k in range(2):
            b[:, k] = np.bincount(own, rows[:, 2] * x[:, k], count)
            for m in range(2):
                g[:, k, m] = np.bincount(own, x[:, k] * x[:, m], count)
        return np.linalg.solve(g + 0.1 * np.eye(2), b[..., None])[..., 0]

    for _ in range(20):
        p = half(q, u, f, PEOPLE)
        q = half(p, f, u, FILMS)
    return np.sqrt(((rows[:, 2] - (p[u] * q[f]).sum(1)) ** 2).mean())


def sql(query):
    return lambda cursor: fetched(cursor, query)[0, 0]


FROM_0 = np.eye(1, NODES)[0]
OTHERS = {
    "Linear regression": ("numpy", regression),
    "Logistic regression": ("numpy", logistic),
    "k-means": ("numpy", k_means),
    "Principal components": ("numpy", components_of_rows),
    "PageRank": ("numpy", walk(np.full(NODES, 1 / NODES), np.full(NODES, 1 / NODES))),
    "Personalised PageRank": ("numpy", walk(FROM_0, FROM_0)),
    "Shortest paths": ("numpy", paths),
    "Connected components": ("PL/pgSQL", components),
    "Triangles": ("SQL", sql("select count(*)::float8 / 6 from link a join link b on b.src = a.dst join link c on c.src = b.dst and c.dst = a.src")),
    "Graph convolution": ("numpy", convolution),
    "Moving average": ("SQL", sql("select sum(a) from (select avg(sales) over (order by day range 6 preceding) as a from day) d")),
    "Recommendations": ("SQL", sql(RECOMMEND)),
    "Matrix factorisation (ALS)": ("numpy", als),
}


def main():
    connection = psycopg2.connect("")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute(TABLES)
    cursor.execute("vacuum analyze")
    # as the page says for tables of this size
    cursor.execute("set work_mem = '64MB'")
    print("| recipe | this | otherwise | by |\n|---|---|---|---|")
    for name, statements in list(recipes().items())[1:]:
        if name not in OTHERS:
            continue
        loops = [s for s in statements if "einsum_iterate(" in s]
        for statement in statements:
            if statement not in loops and re.search(r"^(CREATE|INSERT|UPDATE)|einsum_(register|dimension|decompose)\(", statement):
                cursor.execute(statement)
        cursor.execute("analyze")
        cursor.execute("select count(*) from einsum_analyze()")

        if sys.argv[1:] and name not in sys.argv[1:]:
            continue

        def program():
            for loop in loops:
                cursor.execute(re.sub(r"\)\s*;?\s*$", ", restart => true)", loop))
            cursor.execute(WHOLE[name])
            found = cursor.fetchone()[0]
            return np.array(re.findall(r"-?(?:\d[\d.e+-]*|Infinity)", str(found).replace("Infinity", "1e308")), float)

        times = [[], []]
        by, other = OTHERS[name]
        for _ in range(RUNS):
            for side, run in enumerate((program, lambda: other(cursor))):
                started = time.monotonic()
                result = run()
                times[side].append(time.monotonic() - started)
                if side == 0:
                    found = result
        wanted = np.where(np.isinf(result), 1e308, np.asarray(result, float)).reshape(-1)
        assert found.shape == wanted.shape and np.allclose(found, wanted, rtol=1e-5, atol=1e-7), (name, found[:9], wanted[:9])
        print("| %s | %.3g s | %.3g s | %s |" % (name, min(times[0]), min(times[1]), by), flush=True)


if __name__ == "__main__":
    main()
