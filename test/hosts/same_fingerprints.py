#!/usr/bin/env python3
"""Compares the fingerprints of a SARIF log and a GitLab report, result by result."""

import json
import pathlib
import sys

sarif, gitlab = (json.loads(pathlib.Path(p).read_text()) for p in sys.argv[1:])
results = sarif["runs"][0]["results"]
first = [(r["ruleId"], r["partialFingerprints"]["vramlint/v1"]) for r in results]
second = [(i["check_name"], i["fingerprint"]) for i in gitlab]
if first != second:
    sys.exit(f"they differ: {first} {second}")
print(f"{len(first)} results, the same fingerprints")
