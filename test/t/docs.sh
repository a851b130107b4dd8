# What the documentation says, run.
exec test/python test/docs.py README.md docs/*.md docs/reference/*.md
