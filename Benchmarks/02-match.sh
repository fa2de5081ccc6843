#!/bin/bash
# Decisions a second of the matcher alone, beside a plain walk, fnmatch(3) and sets of regular expressions: Python's re, and
# RE2 where LINKSPAN_PEER_PYTHON names a Python with the module re2 (pip install google-re2). No other
# engine for association files was found on PyPI or npm; the plain walk stands for one that asks rule after rule.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/figures.bash
source Benchmarks/Library/figures.bash
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

# rate WORKLOAD COUNT: millions of decisions a second.
rate() { sed -n "s#^  $1, $2 rules: linkspan \([0-9]*\)/s.*#\1#p" "$folder/ours" | awk '{ printf "%.2f", $1 / 1e6 }'; }
# ratio WORKLOAD PEER: with 1,000 rules.
ratio() { sed -n "s#^  $1, 1000 rules: .*$2 [0-9]*/s, ratio \([0-9.]*\).*#\1#p" "$folder/ours"; }
verdict 'beginnings, 1,000 rules ÷ plain walk' "$(ratio beginnings 'plain walk')" '>=' 5 ×
verdict 'leading stars, 1,000 rules ÷ plain walk' "$(ratio 'leading stars' 'plain walk')" '>=' 5 ×
verdict 'twenty stars, 1,000 rules ÷ plain walk' "$(ratio 'twenty stars' 'plain walk')" '>=' 5 ×
for workload in beginnings 'leading stars'; do
  verdict "$workload, 1,000 rules" "$(rate "$workload" 1000)" '>=' 5 ' M/s'
  verdict "$workload, cost of 10,000 rules ÷ cost of 1,000" \
    "$(awk -v few="$(rate "$workload" 1000)" -v many="$(rate "$workload" 10000)" 'BEGIN { printf "%.2f", few / many }')" '<=' 1.2 ×
done
verdict 'twenty stars, 1,000 rules' "$(rate 'twenty stars' 1000)" '>=' 1 ' M/s'
