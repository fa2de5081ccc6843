#!/bin/bash
# `linkspan check` on files of the largest size that Apple takes, each made of what costs most.
#
# No peer looks at what rules mean, so the line is the product's own: a second and 100 MB for any legal file. Each file is
# checked three times; the median counts, and the largest memory of the three.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/figures.bash
source Benchmarks/Library/figures.bash

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 - "$work" <<'PYTHON'
import json
import sys

folder, limit = sys.argv[1], 131072


def rules(make, **more):
    """A file with as many rules as fit."""
    low, high = 1, 20000
    def text(count):
        links = {"details": [{"appIDs": ["ABCDE12345.com.example.app"], "components": [make(i) for i in range(count)]}]}
        return json.dumps({"applinks": {**links, **more}}, separators=(",", ":"))
    while low < high:
        middle = (low + high + 1) // 2
        if len(text(middle)) <= limit: low = middle
        else: high = middle - 1
    return text(low)


def path(pattern, **more): return lambda i: {"/": pattern.format(i), **more}
def values(pattern, count): return [pattern.format(i) for i in range(count)]
def defaults(count, value): return {"defaults": {"?": {f"k{i}": value for i in range(count)}}}
folded = {"caseSensitive": False, "percentEncoded": False}

shapes = {
    "prefixes": rules(path("/p{}/*")),
    "one-letter": rules(path("?")),
    "exclusions": rules(lambda i: {"/": f"/*/{i}*", "exclude": i % 2 == 0}),
    "stars": rules(path("/" + "*a" * 20 + "{}")),
    "one-row-of-stars": rules(path("*a" * 60000)),
    "folded-stars": rules(path("*{}*é*", **folded)),
    "items": rules(lambda i: {"/": f"/{i}", "?": {f"q{j}": "?*" for j in range(40)}}),
    "default-items": rules(path("/a{}*"), **defaults(3000, "*")),
    "default-items-apart": rules(path("/a{}"), **defaults(3000, "*")),
    "default-items-and-a-list": rules(
        path("/a{}"), defaults={"?": {**{f"k{i}": "?*" for i in range(1000)}, "z": "$(lang)"}}),
    "default-items-that-count": rules(path("/a{}*"), **defaults(1000, "?*")),
    "long-list": rules(path("/$(b)$(b)/{}"), substitutionVariables={"b": values("v{}", 6000)}),
    "long-list-of-patterns": rules(path("/$(b)$(b)/{}"), substitutionVariables={"b": values("*v{}", 5000)}),
    "long-pattern-in-a-list": rules(path("/$(b)/{}", **folded), substitutionVariables={"b": ["x*" * 2000]}),
    "languages": rules(path("/*$(lang)*$(region)*$(lang)*/{}/$(lang)$(lang)")),
    "entries": json.dumps({"applinks": {"details": [
        {"appIDs": [f"ABCDE12345.com.example.a{i}"], "components": [{"/": "/*/x*"}]} for i in range(1350)]}}),
}
for name, text in shapes.items():
    assert len(text) <= limit, name
    open(f"{folder}/{name}.json", "w").write(text)
PYTHON

missed=0
slowest=0
largest=0
echo "check the largest legal files, median of 3:"
for file in "$work"/*.json; do
  read -r milliseconds megabytes < <(python3 - "$file" <<'PYTHON'
import resource, statistics, subprocess, sys, time
times = []
for _ in range(3):
    start = time.monotonic()
    check = subprocess.run([".build/release/linkspan", "check", sys.argv[1], "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if check.returncode not in (0, 1): sys.exit(f"{sys.argv[1]}: linkspan ended with {check.returncode}")
    times.append(time.monotonic() - start)
print(round(statistics.median(times) * 1000), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PYTHON
  )
  printf '  %-26s %6d ms %5d MB\n' "$(basename "$file" .json)" "$milliseconds" "$megabytes"
  if ((milliseconds > 1000 || megabytes > 100)); then missed=1; fi
  if ((milliseconds > slowest)); then slowest=$milliseconds; fi
  if ((megabytes > largest)); then largest=$megabytes; fi
done
verdict 'check of the costliest legal file' "$slowest" '<=' 1000 ' ms'
verdict 'check of the costliest legal file, memory' "$largest" '<=' 100 ' MB'

# Every command that judges a file, on what `Fuzz/breed` found to cost most.
Fuzz/breed --replay || missed=1
exit "$missed"
