#!/bin/bash
# sites.sh FOLDS OUT crawls the 132 work sites of ../shared/corpora/sites, each read by models that
# were trained without its owner, and scores the events. Run it in the root of the repository.
# FOLDS/0 to FOLDS/4 hold the models trained without the owners whose first byte of the
# SHA-256 of "fold OWNER" is 0 to 4 modulo 5: name, acronym, block-role, person, place, topic-list and date-kind
# (models/*.md say by which commands). OUT is a new folder for programs, crawls and events.
# Pages are judged by cross-fitted models, the default of a replay, which have not seen these sites.
set -euo pipefail
folds=$(realpath "$1") out=$2 shared=$(realpath ../shared)
mkdir "$out"
out=$(realpath "$out")
python3 - "$shared/corpora/sites/sites.jsonl" datasets/split/sites.tsv "$out" <<'P'
import hashlib, json, sys
part = dict(l.rstrip("\n").split("\t")[:2] for l in open(sys.argv[2]) if "\t" in l)
homes, records = [open(f"{sys.argv[3]}/homes{k}", "w") for k in range(5)], open(f"{sys.argv[3]}/work.jsonl", "w")
for line in open(sys.argv[1]):
    site = json.loads(line)
    if part.get(site["site"]) == "work":
        owner = site["source"]["repo"].lower().split("/")[0]
        print(site["home"], file=homes[hashlib.sha256(f"fold {owner}".encode()).digest()[0] % 5])
        records.write(line)
P
for k in 0 1 2 3 4; do
  mkdir "$out/tree"
  git ls-files -z | xargs -0 cp --parents -t "$out/tree"
  cp "$folds/$k"/*.model "$out/tree/models/"
  (cd "$out/tree" && go build -o "$out/program$k" ./cmd/eventseer)
  rm -r "$out/tree"
  "$out/program$k" crawl --replay "$shared/corpora/sites/sites.warc.gz" --seeds "$out/homes$k" --strategy breadth-first --budget 0 --run "$out/run$k" --quiet
  "$out/program$k" export --format jsonl --data "$out/run$k/state" -o "$out/events$k"
done
cat "$out"/events? > "$out/events"
python3 "$shared/tools/score_sites.py" "$out/work.jsonl" "$out/events"
