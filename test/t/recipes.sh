# The recipes on random tables, beside the libraries that people use otherwise.
python=$(test/python-packages) || { echo "0 passed, 1 failed"; exit 1; }
exec "$python" test/data/recipes.py
