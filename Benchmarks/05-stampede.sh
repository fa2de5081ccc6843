#!/bin/bash
# The second in which every phone asks: 50 requests a second over kept connections, then forty times as many new TLS
# connections within one second, each with one request, on a schedule that waits for nobody. BENCH_STAMPEDES says how
# often (3). Each lost connection is told with how far it had come and what ended it: connect-ECONNREFUSED,
# handshake-ECONNRESET, handshake-alert-40, answer-end (the end before the answer), answer-timeout.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

make_site
start_linkspan
start_nginx nginx
start_h2o
file=$results/stampede.jsonl
: >"$file"
times=${BENCH_STAMPEDES:-$((rounds < 3 ? rounds : 3))}

for ((round = 1; round <= times; round++)); do
  for server in linkspan nginx h2o; do
    line=$(load stampede --tls --rate 50 --burst 2000 --seconds 1 --port "${tls[$server]}" \
      --server-pid "${processes[$server]}")
    printf '{"type":"stampede","server":"%s","round":%d,%s\n' "$server" "$round" "${line#\{}" >>"$file"
  done
done

lines() { grep "\"server\":\"$1\"" "$file"; }
echo "stampede: 50 requests a second, then 2,000 TLS connections within a second; ms from when each was due, median of $times:"
echo
echo '| server | calm p99 | new connections p50 | p99 | slowest | kept ones p99 meanwhile | processor, ms | lost |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
for server in linkspan nginx h2o; do
  lost=$(lines $server | member errors | awk '{ sum += $1 } END { print sum + 0 }')
  echo "| $server | $(lines $server | member calm_p99_ms | median) | $(lines $server | member p50_ms | median)" \
    "| $(lines $server | member p99_ms | median) | $(lines $server | member max_ms | median)" \
    "| $(lines $server | member kept_p99_ms | median) | $(lines $server | member cpu_ms | median) | $lost |"
done
for server in linkspan nginx h2o; do
  lines $server | awk -v server=$server '
    match($0, /"kept_reopened":[0-9]+/) { reopened += substr($0, RSTART + 16, RLENGTH - 16) }
    match($0, /"errors_by_kind":\{[^}]+/) { lost = lost (lost ? "; " : "") "run " NR ": " substr($0, RSTART + 18, RLENGTH - 18) }
    END {
      if (lost || reopened) print "\n" server ": " (lost ? "lost: " lost : "none lost") \
        (reopened ? "; " reopened " kept connections closed behind an answer that said so, and opened again" : "")
    }'
done
echo
verdict 'stampede: connections lost' "$(lines linkspan | member errors | awk '{ sum += $1 } END { print sum + 0 }')" \
  '<=' 0 ''
