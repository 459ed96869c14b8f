#!/usr/bin/env python3
"""Checks that JSON on standard input follows a schema.

  vramlint … --format json | %json_schema docs/vramlint.schema.json
"""

import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
document = json.load(sys.stdin)
validator = jsonschema.Draft202012Validator(schema)
errors = sorted(validator.iter_errors(document), key=lambda e: list(map(str, e.path)))
for error in errors[:20]:
    print("/".join(map(str, error.path)) + ": " + error.message)
sys.exit(f"{len(errors)} places differ from {sys.argv[1]}" if errors else 0)
