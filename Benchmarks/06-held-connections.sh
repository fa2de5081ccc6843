#!/bin/bash
# 10,000 TLS connections held open, half of them sending a byte of a request each second, while 1,000 requests a
# second are answered on others; and the same requests without the crowd.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

crowd=${BENCH_CROWD:-10000}
# Descriptors: the crowd, those that ask, and some.
if (($(ulimit -n) < crowd + 200)); then
  fail "the limit of open files, $(ulimit -n), is too low for $crowd connections; raise it with 'ulimit -Hn'"
fi
make_site
start_linkspan
file=$results/held.jsonl
: >"$file"
for held in 0 "$crowd"; do
  line=$(load crowd --tls --connections "$held" --rate 1000 --seconds $((seconds < 4 ? 4 : seconds)) \
    --port "${tls[linkspan]}" --server-pid "${processes[linkspan]}")
  printf '{"type":"held",%s\n' "${line#\{}" >>"$file"
done
alone=$(grep '"held":0,' "$file")
beside=$(grep "\"held\":$crowd," "$file")
echo "1,000 requests a second, ms from when each was due, alone and beside $crowd connections of which half trickle:"
echo
echo '| crowd | p50 | p99 | slowest | processor, ms | requests lost | crowd lost |'
echo '| --- | --- | --- | --- | --- | --- | --- |'
for line in "$alone" "$beside"; do
  echo "| $(member held <<<"$line") | $(member p50_ms <<<"$line") | $(member p99_ms <<<"$line")" \
    "| $(member max_ms <<<"$line") | $(member cpu_ms <<<"$line") | $(member errors <<<"$line")" \
    "| $(member dropped <<<"$line") |"
done
echo
more=$(awk -v with="$(member p99_ms <<<"$beside")" -v without="$(member p99_ms <<<"$alone")" \
  'BEGIN { printf "%.3f", with - without }')
verdict "p99 beside $crowd held connections, more than without" "$more" '<=' 50 ' ms'
verdict 'requests lost beside the crowd' "$(member errors <<<"$beside")" '<=' 0 ''
