#!/bin/bash
# Links a second of the library's router, beside a list of regular expressions and a list of prefixes.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/figures.bash
source Benchmarks/Library/figures.bash
LINKSPAN_BENCHMARKS=1 swift build -c release --scratch-path .build/bench --product RouterBenchmark >&2
pin=()
if command -v taskset >/dev/null 2>&1; then pin=(taskset -c 0); fi
table=$("${pin[@]}" .build/bench/release/RouterBenchmark)
echo "$table"
for count in 9 900; do
  regular=$(sed -n "s#^  $count routes: .*one by one [^(]*(ratio \([0-9.]*\)).*#\1#p" <<<"$table")
  verdict "router, $count routes ÷ NSRegularExpression one by one" "$regular" '>=' 5 ×
done
