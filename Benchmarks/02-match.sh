#!/bin/bash
# Decisions a second of the matcher alone, beside a plain walk, fnmatch(3) and regular expressions.
set -euo pipefail
cd "$(dirname "$0")/.."
LINKSPAN_BENCHMARKS=1 swift build -c release --scratch-path .build/bench --product MatchBenchmark >&2
pin=()
if command -v taskset >/dev/null 2>&1; then pin=(taskset -c 0); fi
"${pin[@]}" .build/bench/release/MatchBenchmark
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
.build/bench/release/MatchBenchmark --write "$folder"
for name in beginnings leading-stars; do
  echo "  $name, 1,000 rules, as regular expressions:"
  "${pin[@]}" python3 Benchmarks/Library/regular-expressions.py "$folder/$name.rules" "$folder/$name.urls"
done
