#!/usr/bin/env python3
"""exits.py CODE COMMAND…: runs the command; fails unless it exits with CODE.

Findings are 1, files that could not be analysed 2: lit's own `not` takes either.
"""

import subprocess
import sys

expected = int(sys.argv[1])
got = subprocess.run(sys.argv[2:]).returncode
if got != expected:
    sys.exit(f"exits.py: exit code {got}, expected {expected}: {' '.join(sys.argv[2:])}")
