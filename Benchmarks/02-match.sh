#!/bin/bash
# Decisions a second of the matcher alone, beside a plain walk, fnmatch(3) and sets of regular expressions: Python's re, and
# RE2 where LINKSPAN_PEER_PYTHON names a Python with the module re2 (pip install google-re2). No other
# engine for association files was found on PyPI or npm; the plain walk stands for one that asks rule after rule.
set -euo pipefail
cd "$(dirname "$0")/.."
LINKSPAN_BENCHMARKS=1 swift build -c release --scratch-path .build/bench --product MatchBenchmark >&2
pin=()
if command -v taskset >/dev/null 2>&1; then pin=(taskset -c 0); fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${pin[@]}" .build/bench/release/MatchBenchmark | tee "$folder/ours"
.build/bench/release/MatchBenchmark --write "$folder"
for name in beginnings leading-stars; do
  echo "  $name, 1,000 rules, as regular expressions:"
  ours=$(sed -n "s#^  ${name/-/ }, 1000 rules: linkspan \([0-9]*\)/s.*#\1#p" "$folder/ours")
  "${pin[@]}" "${LINKSPAN_PEER_PYTHON:-python3}" Benchmarks/Library/regular-expressions.py \
    "$folder/$name.rules" "$folder/$name.urls" "$ours"
done
