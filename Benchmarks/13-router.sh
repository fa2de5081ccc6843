#!/bin/bash
# Links a second of the library's router, beside a list of regular expressions and a list of prefixes.
set -euo pipefail
cd "$(dirname "$0")/.."
LINKSPAN_BENCHMARKS=1 swift build -c release --scratch-path .build/bench --product RouterBenchmark >&2
pin=()
if command -v taskset >/dev/null 2>&1; then pin=(taskset -c 0); fi
"${pin[@]}" .build/bench/release/RouterBenchmark
