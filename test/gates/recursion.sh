exec python3 test/gates/recursion.py
