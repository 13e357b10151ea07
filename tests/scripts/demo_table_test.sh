#!/usr/bin/env bash
# scripts/demo_table.py on made-up figures: the table's cells, and the exit code of --check in each column.
set -euo pipefail
table=$(realpath "$(dirname "$0")/../../scripts/demo_table.py")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "demo_table_test.sh: $1" >&2
  exit 1
}
# figures NAME ACCURACY AUPRC SIM VAR LENGTH: a report, whose backbone has 0.7 and 0.5
figures() {
  printf '{"format": "gausscse-report/2", "state": "last", "tasks": {"dev": {"accuracy": 1, "auprc": 1},
    "test": {"pairs": 4, "accuracy": %s, "auprc": %s, "direction_sim": %s, "direction_var": %s,
    "direction_length": %s}}, "backbone": {"dev": {"accuracy": 0, "auprc": 0},
    "test": {"accuracy": 0.7, "auprc": 0.5, "direction_sim": null, "direction_length": 0.8}}}' "${@:2}" >"$1.json"
}
printf '{"gold_label": "%s"}\n' entailment neutral contradiction neutral >test.jsonl
figures good 0.76 0.625 0.9 0.85 0.8
"$table" good.json test.jsonl --check >printed || fail "a better model is refused"
grep -qE '^trained +76\.00 +62\.50 +90\.00 +85\.00$' printed || fail "the trained row is wrong: $(cat printed)"
grep -qE '^backbone, by the cosine +70\.00 +50\.00 +- +-$' printed || fail "the row of the backbone is wrong"
grep -qE '^the larger class, any order +75\.00 +25\.00 +- +-$' printed || fail "the larger class is wrong"
grep -qE '^the longer one is the premise +- +- +80\.00 +80\.00$' printed || fail "the length baseline is wrong"

printf '{"tasks": {"dev": {}, "other": {}}}' >foreign.json
! "$table" foreign.json test.jsonl >/dev/null 2>message || fail "a report without the task is taken"
grep -qF 'foreign.json has no task called test, but dev, other' message || fail "the message is: $(cat message)"
printf '{"tasks": {"test": {}}, "backbone": {"dev": {}}}' >foreign.json
! "$table" foreign.json test.jsonl >/dev/null 2>message || fail "a report without the backbone is taken"
grep -qF 'foreign.json has no backbone in a task called test, but dev' message || fail "the message is: $(cat message)"

# As good as the larger class, the backbone's AUPRC, and the longer sentence is not enough.
for worse in '0.75 0.625 0.9 0.85' '0.76 0.5 0.9 0.85' '0.76 0.625 0.8 0.85' '0.76 0.625 0.9 0.8'; do
  # shellcheck disable=SC2086
  figures bad $worse 0.8
  ! "$table" bad.json test.jsonl --check >/dev/null 2>&1 || fail "$worse is let through"
  "$table" bad.json test.jsonl >/dev/null || fail "$worse is refused without --check"
done
