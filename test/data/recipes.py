"""The recipes of docs/recipes.md on random tables with gaps, text ids, nodes that lead nowhere and NULLs, beside networkx,
scikit-learn, scipy and pandas.

    test/data/recipes.py [SEED ...]      (on a cluster: PGHOST and so on are set)

The statements are those of the page: its CREATEs, registrations and programs. What it inserts is replaced by random rows.
"""

import re
import sys
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import psycopg2
import scipy.linalg
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import cosine_similarity

sys.path.insert(0, "test")
import docs  # noqa: E402

warnings.filterwarnings("ignore")
TABLES = "The tables of this page"


def recipes():
    """heading -> statements"""
    text = open("docs/recipes.md").read()
    headings = [(n, line[3:]) for n, line in enumerate(text.split("\n"), 1) if line.startswith("## ")]
    found = {}
    for line, sql, _ in docs.statements(text):
        found.setdefault([h for n, h in headings if n < line][-1], []).append(sql)
    return found


class Rows:
    """Random rows for the page's tables."""

    def __init__(self, seed, cursor):
        self.random = np.random.default_rng(seed)
        self.cursor = cursor

    def insert(self, table, columns, rows):
        rows = [tuple(None if v is None or v != v else v.item() if hasattr(v, "item") else v for v in row) for row in rows]
        marks = "(" + ",".join(["%s"] * len(rows[0])) + ")"
        values = b",".join(self.cursor.mogrify(marks, row) for row in rows)
        self.cursor.execute(f"INSERT INTO {table} ({columns}) VALUES ".encode() + values)

    def base(self):
        random = self.random
        ids = ["id %d" % n for n in random.choice(1000, 60, replace=False)]
        holes = lambda values, share: [None if random.random() < share else v for v in values]  # noqa: E731
        age, income = random.uniform(18, 80, 60), random.uniform(1, 12, 60)
        spent = 2 * age - 3 * income + random.normal(0, 5, 60)
        stayed = [bool(v) for v in age + random.normal(0, 25, 60) > 45]
        fold = random.permutation(np.arange(60) % 5)
        self.insert("customer", "id, age, income, spent, stayed, fold", zip(ids, holes(age, 0.1), holes(income, 0.1), holes(spent, 0.1), holes(stayed, 0.1), fold))
        pages = ["page %d" % n for n in random.choice(1000, 14, replace=False)]
        numbers = random.choice(1000, 14, replace=False) + 1
        start = [1.0 + n if random.random() < 0.3 else None for n in range(14)]
        start[0] = 2.0
        begin = [0.0] + [None] * 13
        self.insert("page", "name, number, feature, start, begin", zip(pages, numbers, ["[%d,1]" % n for n in range(14)], start, begin))
        # the last pages lead nowhere, and one has no link at all
        pairs = {(a, b) for a, b in zip(random.choice(pages[:9], 32), random.choice(pages[:13], 32))}
        self.insert("link", "src, dst, km", [(a, b, None if random.random() < 0.1 else float(random.integers(1, 9))) for a, b in pairs])
        people, films = ["person %d" % n for n in range(12)], [int(n) for n in random.choice(1000, 8, replace=False)]
        self.insert("person", "name", [(p,) for p in people])
        self.insert("film", "id", [(f,) for f in films])
        rated = [(p, f) for p in people[:11] for f in films[:7] if random.random() < 0.6]
        self.insert("rating", "person, film, stars", [(p, f, float(random.integers(1, 6))) for p, f in rated])
        days = sorted(random.choice(30, 20, replace=False))
        self.insert("day", "day, sales", zip([int(d) for d in days], holes(random.uniform(1, 20, 20), 0.1)))

    def price(self):
        rows = [(d, s, self.random.normal(0.01, 0.02)) for d in range(40) for s in ("iron", "oil", "wheat") if self.random.random() < 0.9]
        self.insert("price", "day, share, return", rows)

    def document(self):
        texts, words = ["text %d" % n for n in range(7)], ["word %d" % n for n in range(9)]
        self.insert("document", "title", [(t,) for t in texts])
        self.insert("word", "word", [(w,) for w in words])
        found = [(t, w, int(self.random.integers(1, 5))) for t in texts[:6] for w in words[:8] if self.random.random() < 0.4]
        self.insert("occurs", "title, word, times", found)

    def weather(self):
        self.insert("weather", "day, sky", [(d, str(self.random.choice(["sun", "rain", "snow"]))) for d in range(200) if self.random.random() < 0.9])


# headings whose INSERTs are replaced
OWN = {TABLES: "base", "Portfolio": "price", "tf-idf": "document", "Markov chains": "weather"}


class Checks:
    """Each method compares what a recipe has made with a library. Raises AssertionError where they differ."""

    def __init__(self, cursor):
        self.cursor = cursor

    def frame(self, query):
        self.cursor.execute(query)
        return pd.DataFrame(self.cursor.fetchall(), columns=[c.name for c in self.cursor.description])

    def value(self, program):
        """an array of a program's result"""
        self.cursor.execute("SELECT einsum_value(%s)::float8[]", (program,))
        return np.array(self.cursor.fetchone()[0], float)

    def number(self, program):
        self.cursor.execute("SELECT einsum_value(%s)::float8", (program,))
        return self.cursor.fetchone()[0]

    def result(self, relation, keys=1):
        """key -> value of a view or table that a program made"""
        rows = self.frame(f"SELECT * FROM {relation}").itertuples(index=False)
        return {(row[0] if keys == 1 else row[:keys]): float(row[keys]) for row in rows}

    def same(self, found, wanted, tolerance=1e-6):
        """Two mappings, in which a key that is not there is 0."""
        for key in set(found) | set(wanted):
            assert abs(found.get(key, 0) - wanted.get(key, 0)) <= tolerance * (1 + abs(wanted.get(key, 0))), (key, found.get(key), wanted.get(key))

    def customers(self, *needed):
        return self.frame("SELECT * FROM customer").astype({"age": float, "income": float, "spent": float}).dropna(subset=list(needed))

    def features(self, frame):
        return np.c_[frame.age, frame.income, np.ones(len(frame))]

    def digraph(self, weight=False):
        graph = nx.DiGraph()
        graph.add_nodes_from(self.frame("SELECT name FROM page").name)
        links = self.frame("SELECT src, dst, km::float8 FROM link" + (" WHERE km IS NOT NULL" if weight else ""))
        graph.add_weighted_edges_from(links.itertuples(index=False), weight="km")
        return graph

    def graph(self):
        graph = nx.Graph(self.digraph())
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
        return graph

    def linear_regression(self):
        rows = self.customers("age", "income", "spent")
        wanted = np.linalg.lstsq(self.features(rows), rows.spent, rcond=None)[0]
        np.testing.assert_allclose(self.value("w[k] = solve(sum[c] spent[c,1]*x[c,k]*x[c,l], sum[c] x[c,l]*spent[c,0])"), wanted, rtol=1e-8)

    def cross_validation(self):
        rows = self.customers("age", "income", "spent")
        wanted = {}
        for fold in range(5):
            train, test = rows[rows.fold != fold], rows[rows.fold == fold]
            model = Ridge(0.1, fit_intercept=False).fit(self.features(train), train.spent)
            wanted[fold] = np.sqrt(np.mean((model.predict(self.features(test)) - test.spent) ** 2))
        self.same(self.result("error"), wanted)

    def logistic_regression(self):
        rows = self.customers("age", "income", "stayed")
        model = LogisticRegression(penalty=None, fit_intercept=False, tol=1e-10, max_iter=10000, solver="newton-cg")
        model.fit(self.features(rows), rows.stayed.astype(bool))
        np.testing.assert_allclose(self.value("r[k] = w[k]"), model.coef_[0], rtol=1e-4, atol=1e-5)

    def training_a_network(self):
        rows = self.customers("age", "income", "stayed")
        z = np.c_[(rows.age - rows.age.mean()) / rows.age.std(), (rows.income - rows.income.mean()) / rows.income.std(), np.ones(len(rows))]
        self.cursor.execute("SELECT (tensor_random('{3,4}', 1) - 0.5)::float8[], (tensor_random('{4}', 2) - 0.5)::float8[]")
        u, v = map(np.array, self.cursor.fetchone())
        y = rows.stayed.astype(float).to_numpy()
        for _ in range(200):
            h = np.tanh(z @ u)
            p = 1 / (1 + np.exp(-h @ v))
            dp = 2 * (p - y) / len(y) * p * (1 - p)
            u, v = u - 2 * z.T @ (np.outer(dp, v) * (1 - h**2)), v - 2 * h.T @ dp
        np.testing.assert_allclose(self.value("r[k,m] = hidden[k,m]"), u, rtol=1e-6, atol=1e-8)

    def k_means(self):
        rows = self.customers("age", "income")[["age", "income"]].to_numpy()
        first = np.array([[25, 2], [60, 9], [45, 5.0]])
        model = KMeans(3, init=first, n_init=1, tol=0, max_iter=1000, algorithm="lloyd").fit(rows)
        found = self.value("r[g,k] = centre[g,k]")
        np.testing.assert_allclose(found, model.cluster_centers_, rtol=1e-9)

    def principal_components(self):
        rows = self.customers("age", "income")[["age", "income"]]
        wanted = PCA().fit(rows).explained_variance_ * (len(rows) - 1) / len(rows)
        found = self.value("r[k,l] = cov[k,l]")
        np.testing.assert_allclose(np.linalg.eigvalsh(found)[::-1], wanted, rtol=1e-8)

    def portfolio(self):
        rows = self.frame("SELECT * FROM price").pivot(index="day", columns="share", values="return").dropna()
        cov = rows.astype(float).cov().to_numpy()
        np.testing.assert_allclose(self.value("r[s,t] = risk[s,t]"), cov, rtol=1e-8)
        part = scipy.linalg.solve(cov, np.ones(3))
        np.testing.assert_allclose(self.value("r[s] = least_risk[s]"), part / part.sum(), rtol=1e-7)

    def pagerank(self):
        self.same(self.result("rank"), nx.pagerank(self.digraph(), tol=1e-13, max_iter=1000, weight=None))

    def personalised_pagerank(self):
        start = {k: v for k, v in self.frame("SELECT name, start FROM page WHERE start > 0").itertuples(index=False)}
        self.same(self.result("near"), nx.pagerank(self.digraph(), personalization=start, tol=1e-13, max_iter=1000, weight=None))

    def shortest_paths(self):
        source = self.frame("SELECT name FROM page WHERE begin = 0").name[0]
        wanted = nx.single_source_dijkstra_path_length(self.digraph(True), source, weight="km")
        found = self.result("far")
        assert set(found) == set(wanted)
        self.same(found, wanted)

    def connected_components(self):
        number = dict(self.frame("SELECT name, number FROM page").itertuples(index=False))
        wanted = {node: min(number[n] for n in part) for part in nx.connected_components(self.graph()) for node in part}
        self.same(self.result("part"), wanted)

    def triangles(self):
        assert self.number("triangles[] = u[i,j]*u[j,k]*u[k,i] / 6") == sum(nx.triangles(self.graph()).values()) / 3

    def closeness(self):
        self.same(self.result("closeness"), nx.closeness_centrality(self.digraph(True), distance="km"))

    def betweenness(self):
        found = self.frame("SELECT * FROM einsum_rows('betweenness[I] = sum[s] through[s,i]*(1 - self[s,i])') AS b(i text, value float8)")
        self.same(dict(found.itertuples(index=False)), nx.betweenness_centrality(self.digraph(), normalized=False))

    def k_cores(self):
        self.same(self.result("core"), nx.core_number(self.graph()))

    def graph_convolution(self):
        graph = self.graph()
        features = dict(self.frame("SELECT name, feature::float8[] FROM page").itertuples(index=False))
        wanted = nx.to_numpy_array(graph) @ np.array([features[n] for n in graph]) @ np.array([[1, -1], [0, 2]])
        found = dict(self.frame("SELECT i, value::float8[] FROM layer1").itertuples(index=False))
        for node, row in zip(graph, np.maximum(wanted, 0)):
            np.testing.assert_allclose(found.get(node, np.zeros(2)), row, rtol=1e-9)

    def moving_average(self):
        rows = self.frame("SELECT day, sales::float8 FROM day")
        wanted = {}
        for day in rows.day:
            window = rows[(rows.day >= day - 6) & (rows.day <= day)].sales.dropna()
            if len(window):
                wanted[day] = window.mean()
        found = self.result("average")
        assert set(found) == set(wanted)
        self.same(found, wanted)

    def recommendations(self):
        ratings = self.frame("SELECT person, film FROM rating").assign(value=1.0)
        m = ratings.pivot(index="person", columns="film", values="value").fillna(0)
        offer = (m.to_numpy() @ cosine_similarity(m.T)) * (1 - m.to_numpy())
        wanted = {(p, f): offer[i, j] for i, p in enumerate(m.index) for j, f in enumerate(m.columns)}
        self.same(self.result("offer", 2), wanted)

    def matrix_factorisation_als(self):
        ratings = self.frame("SELECT person, film, stars::float8 FROM rating")
        rows = self.frame("SELECT * FROM einsum_rows('r[F,k] = guess[f,k]') AS g(f int, v tensor)")
        q = {f: np.array(eval(v)) for f, v in rows.itertuples(index=False)}
        p = {}
        for _ in range(20):
            for person, seen in ratings.groupby("person"):
                x = np.array([q[f] for f in seen.film])
                p[person] = Ridge(0.1, fit_intercept=False).fit(x, seen.stars).coef_
            q = {f: np.zeros(2) for f in q}
            for film, seen in ratings.groupby("film"):
                x = np.array([p[u] for u in seen.person])
                q[film] = Ridge(0.1, fit_intercept=False).fit(x, seen.stars).coef_
        missed = [s - p[u] @ q[f] for u, f, s in ratings.itertuples(index=False)]
        found = self.number("rmse[] = sqrt((sum[u,f] (r[u,f] - m[u,f]*(sum[k] p[u,k]*q[f,k]))^2) / (sum[u,f] m[u,f]))")
        assert abs(found - np.sqrt(np.mean(np.square(missed)))) < 1e-6, (found, np.sqrt(np.mean(np.square(missed))))

    def tf_idf(self):
        titles, words = list(self.frame("SELECT title FROM document").title), list(self.frame("SELECT word FROM word").word)
        counts = np.zeros((len(titles), len(words)))
        for title, word, times in self.frame("SELECT * FROM occurs").itertuples(index=False):
            counts[titles.index(title), words.index(word)] = times
        wanted = TfidfTransformer().fit_transform(counts).toarray()
        self.same(self.result("tfidf", 2), {(t, w): wanted[i, j] for i, t in enumerate(titles) for j, w in enumerate(words)})
        alike = wanted @ wanted.T
        self.same(self.result("alike_texts", 2), {(t, u): alike[i, j] for i, t in enumerate(titles) for j, u in enumerate(titles)})

    def similarity(self):
        graph = self.graph()
        wanted = {}
        for i, j, value in nx.jaccard_coefficient(graph, list(graph.edges)):
            wanted[i, j] = wanted[j, i] = value
        self.same(self.result("jaccard", 2), wanted)

    def markov_chains(self):
        sky = self.frame("SELECT * FROM weather ORDER BY day").set_index("day").sky
        skies = sorted(set(sky))
        steps = np.zeros((len(skies), len(skies)))
        for day in sky.index:
            if day + 1 in sky.index:
                steps[skies.index(sky[day]), skies.index(sky[day + 1])] += 1
        values, vectors = scipy.linalg.eig(steps / steps.sum(1, keepdims=True), left=True, right=False)
        share = np.real(vectors[:, np.argmin(abs(values - 1))])
        self.same(self.result("share"), dict(zip(skies, share / share.sum())))


def main(seeds):
    passed = failed = 0
    found = recipes()
    for seed in seeds:
        admin = psycopg2.connect("")
        admin.autocommit = True
        database = f"recipes_{seed}"
        admin.cursor().execute(f"CREATE DATABASE {database}")
        connection = psycopg2.connect(dbname=database)
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute("SET client_min_messages = warning")
        rows, checks = Rows(seed, cursor), Checks(cursor)
        for heading, statements in found.items():
            replaced = [sql for sql in statements if heading in OWN and re.match(r"INSERT|UPDATE", sql) and "SELECT DISTINCT" not in sql]
            try:
                for sql in statements:
                    if sql in replaced:
                        # once, when all tables are there
                        if sql == replaced[-1]:
                            getattr(rows, OWN[heading])()
                    else:
                        cursor.execute(sql)
                if heading not in (TABLES, "Times"):
                    getattr(checks, re.sub(r"\W+", "_", heading.lower()).strip("_"))()
                    passed += 1
            except Exception as error:
                failed += 1
                print(f"seed {seed}, {heading}: {type(error).__name__}: {error}")
        connection.close()
        admin.cursor().execute(f"DROP DATABASE {database}")
        admin.close()
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main([int(seed) for seed in sys.argv[1:]] or [1, 2]))
