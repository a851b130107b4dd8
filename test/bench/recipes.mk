# The recipes of docs/recipes.md on larger tables, beside SQL, PL/pgSQL and numpy.

.PHONY: bench-recipes

bench-recipes: dependencies
	@test/cluster test/python test/bench/recipes.py
