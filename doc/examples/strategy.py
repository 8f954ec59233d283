#!/usr/bin/env python3
"""A crawl strategy: follow the links of the likeliest calls first (as focused-svm does).

Use it as --strategy exec:doc/examples/strategy.py. The protocol is in doc/strategy.md.
"""
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    answer = {"n": request["n"]}
    if request["type"] == "begin":
        answer["version"] = 1
    else:
        # Links of a visited page are worth its chance to be a call.
        worth = request.get("relevance", 0)
        answer["scores"] = [worth for _ in request.get("links", [])]
    print(json.dumps(answer), flush=True)
