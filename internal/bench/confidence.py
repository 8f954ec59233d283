#!/usr/bin/env python3
"""confidence.py TOOLS WANT.jsonl GOT.jsonl prints, for each field, how often values are right beside the
confidence that is printed with them.

TOOLS is the folder of score_extract.py, which decides what is right. WANT are records by hand, GOT those of
`eventseer extract --explain --format jsonl`. The values of a field are sorted by their confidence and divided
into three bins of equal size; a list counts with the share of its items that are right and has the weight of
at most 20 items. The figures of a bin are the mean confidence, the share that is right, and the number of
values. The last column is the difference of the two over all values of the field.
"""
import json
import sys

sys.path.insert(0, sys.argv[1])
import score_extract as score  # noqa: E402

MAX_ITEMS = 20


def values(want, got):
    """Yields the field, the confidence, the share that is right and the weight of each value of a record."""
    sources = got.get("sources") or {}
    confidence = lambda name: (sources.get(name) or {}).get("confidence")
    result = dict(score.fields(want, got))
    for field, name in [("title",) * 2, ("acronym",) * 2, ("event_dates", "event_start"), ("country", "location"), ("city", "location"),
                        ("topics",) * 2, ("committee",) * 2]:
        right, wrong = result[field][:2]
        if confidence(name) and right + wrong:
            yield field, confidence(name), right / (right + wrong), min(right + wrong, MAX_ITEMS)
    known = set(score.deadlines(want))
    for d in got.get("deadlines") or []:
        c = (d.get("source") or {}).get("confidence")
        if c and d.get("kind") != "other":
            yield "deadlines", c, float((d["kind"], d["date"]) in known), 1


def main():
    want = {r["url"]: r for r in score.load(sys.argv[2])}
    fields = {}
    for got in score.load(sys.argv[3]):
        if got.get("url") in want:
            for field, *value in values(want[got["url"]], got):
                fields.setdefault(field, []).append(value)
    mean = lambda vs, k: sum(v[k] * v[2] for v in vs) / sum(v[2] for v in vs)
    print("| field | lowest third: predicted, right (values) | middle third | highest third | all: right − predicted |")
    print("|---|---|---|---|---|")
    for field, vs in fields.items():
        vs.sort()
        bins = [vs[len(vs) * k // 3:len(vs) * (k + 1) // 3] for k in range(3)]
        cells = [f"{mean(b, 0):.2f}, {mean(b, 1):.2f} ({len(b)})" if b else "–" for b in bins]
        print(f"| {field} | {' | '.join(cells)} | {mean(vs, 1) - mean(vs, 0):+.2f} |")


if __name__ == "__main__":
    main()
