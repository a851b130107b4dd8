# Adds a function of numbers by the steps of docs/development.md to a copy, and uses it.

check-new-function: dependencies
	@test/new-function/run
