#!/bin/bash
# Decisions a second of the matcher alone, beside fnmatch(3).
set -euo pipefail
cd "$(dirname "$0")/.."
LINKSPAN_BENCHMARKS=1 swift build -c release --scratch-path .build/bench --product MatchBenchmark >&2
pin=()
if command -v taskset >/dev/null 2>&1; then pin=(taskset -c 0); fi
"${pin[@]}" .build/bench/release/MatchBenchmark
