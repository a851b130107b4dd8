#!/bin/bash
# How planning grows with the size of a program. Run under test/cluster.
cd "$(dirname "$0")/../.."
exec test/python test/visits.py
