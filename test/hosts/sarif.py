#!/usr/bin/env python3
"""Prints what matters in a SARIF log, and fails where code scanning would."""

import json
import os
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    log = json.load(file)
print(f"version {log['version']}, runs {len(log['runs'])}")
run = log["runs"][0]
rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
prints = []
for result in run["results"]:
    place = result["locations"][0]["physicalLocation"]
    print(result["ruleId"], result["level"],
          f"{os.path.basename(place['artifactLocation']['uri'])}:"
          f"{place['region']['startLine']}")
    rule = rules[result["ruleId"]]
    if not rule.get("helpUri"):
        sys.exit(f"{rule['id']} has no page")
    prints.append(json.dumps(result["partialFingerprints"], sort_keys=True))
if len(set(prints)) != len(prints):
    sys.exit("two results have the same fingerprint")
print("every result has a rule with a page and a fingerprint")
