#!/bin/bash
# Programs at the limits of planning. Run under test/cluster.
cd "$(dirname "$0")/../.."
exec test/python test/plan_limits.py
