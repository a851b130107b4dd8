#!/bin/bash
# What people are told who make mistakes. Run under test/cluster.
cd "$(dirname "$0")/../.."
exec test/python test/mistakes/run.py
