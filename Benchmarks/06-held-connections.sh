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
times=$((rounds < 3 ? rounds : 3))
for ((round = 1; round <= times; round++)); do
  for held in 0 "$crowd"; do
    line=$(load crowd --tls --connections "$held" --rate 1000 --seconds 3 \
      --port "${tls[linkspan]}" --server-pid "${processes[linkspan]}")
    printf '{"type":"held","round":%d,%s\n' "$round" "${line#\{}" >>"$file"
  done
done

# middle HELD MEMBER: the median over the rounds; total likewise the sum.
middle() { grep "\"held\":$1," "$file" | member "$2" | median; }
total() { grep "\"held\":$1," "$file" | member "$2" | awk '{ sum += $1 } END { print sum + 0 }'; }
echo "1,000 requests a second, ms from when each was due, alone and beside $crowd connections of which half trickle, median of $times:"
echo
echo '| crowd | p50 | p99 | slowest | processor, ms | requests lost | crowd lost |'
echo '| --- | --- | --- | --- | --- | --- | --- |'
for held in 0 "$crowd"; do
  echo "| $held | $(middle "$held" p50_ms) | $(middle "$held" p99_ms) | $(middle "$held" max_ms)" \
    "| $(middle "$held" cpu_ms) | $(total "$held" errors) | $(total "$held" dropped) |"
done
echo
more=$(awk -v with="$(middle "$crowd" p99_ms)" -v without="$(middle 0 p99_ms)" \
  'BEGIN { printf "%.3f", with - without }')
verdict "p99 beside $crowd held connections, more than without" "$more" '<=' 50 ' ms'
verdict 'requests lost beside the crowd' "$(total "$crowd" errors)" '<=' 0 ''
verdict 'held connections lost' "$(total "$crowd" dropped)" '<=' 0 ''
