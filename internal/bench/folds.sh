#!/bin/bash
# folds.sh FOLDS writes to FOLDS/0 to FOLDS/4 the models of reading that sites.sh and TestCrossFittedExtract
# use, each trained without the owners whose first byte of the SHA-256 of "fold OWNER" is 0 to 4 modulo 5.
# Run it in the root of the repository. It changes no shipped model.
set -euo pipefail
export CI=true
mkdir -p "$1"
folds=$(realpath "$1") shared=$(realpath ../shared)
go build -o "$folds/program" ./cmd/eventseer
for k in 0 1 2 3 4; do
  mkdir -p "$folds/$k"
  python3 -c '
import hashlib, sys
for n, line in enumerate(sys.stdin):
    owner = line.split("\t")[1].lower()
    if n == 0 or hashlib.sha256(f"fold {owner}".encode()).digest()[0] % 5 != int(sys.argv[1]):
        sys.stdout.write(line)
' "$k" <datasets/blocks.tsv >"$folds/$k/blocks.tsv"
  "$folds/program" train --task block-role --seed 1 --data "$folds/$k/blocks.tsv" --pages "$shared/corpora/sites/sites.warc.gz" \
    --pages "$shared/corpora/gold/pages.warc.gz" --pages "$shared/corpora/web/web.warc.gz" -o "$folds/$k/block-role.model" --card "$folds/$k/block-role.md"
done
# The readers learn from pages whose blocks have the roles that the models of their own folds give them.
learn() { EVENTSEER_FOLDS=$folds EVENTSEER_OUT=$folds PLACE_OUT=$folds go test -vet=off -count=1 -tags measure -timeout 60m -run "^$1\$" ./eventseer/extract; }
learn TestTrainKinds
learn TestFitNames
learn TestTrainPlace
learn TestTrainPerson
learn TestTrainTopics
