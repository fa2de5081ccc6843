#!/bin/bash
# Our HTTP/2 client beside h2load: one connection, 100 requests in flight, the same server (nghttpd, which answers what
# lies ready in one piece). A small file again and again; and pushes, each with a token of its own in its path, four
# fields and 112 bytes of content, which the server sends back.
#
# Processor time is that of the whole process, its start included. The server answers pushes slowly, so requests a second
# of that row are the server's.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

client=.build/bench/release/ClientLoad
LINKSPAN_BENCHMARKS=1 swift build -c release --scratch-path .build/bench --product ClientLoad >"$scratch/build" 2>&1 ||
  { cat "$scratch/build" >&2; fail "the client's load cannot be built"; }
file=$results/client.jsonl
: >"$file"
declare -A counts=([get]=300000 [push]=30000)

mkdir "$scratch/root"
printf '{"applinks":{"details":[]}}' >"$scratch/root/file"
printf '%s' '{"aps":{"alert":{"title":"Your order","body":"It is on its way."},"sound":"default"},"order":"1234567890ABCDEF"}' \
  >"$scratch/content"
read -r port < <("$driver" free-ports --count 1)
start nghttpd nghttpd --no-tls --echo-upload --address 127.0.0.1 --htdocs "$scratch/root" "$port"
for ((attempt = 0; attempt < 100; attempt++)); do
  ! curl -s --http2-prior-knowledge "http://127.0.0.1:$port/file" >/dev/null || break
  sleep 0.05
done
awk -v base="http://127.0.0.1:$port/3/device/" 'BEGIN {
  srand(1)
  for (row = 0; row < 10000; row++) {
    token = ""
    for (digit = 0; digit < 64; digit++) token = token sprintf("%x", int(rand() * 16))
    print base token
  } }' >"$scratch/pushes"
bearer=$(printf 't%.0s' {1..180})

# requests SHAPE: what h2load is to send.
requests() {
  case $1 in
    get) printf '%s\n' "http://127.0.0.1:$port/file" ;;
    push)
      printf '%s\n' -d "$scratch/content" -i "$scratch/pushes" -H "authorization: bearer $bearer" \
        -H 'apns-topic: com.example.app' -H 'apns-push-type: alert' -H 'apns-priority: 10'
      ;;
  esac
}

# measure COMMAND…: "wall seconds, user seconds, system seconds" of a command on the load's core.
measure() {
  local TIMEFORMAT='%R %U %S'
  { time taskset -c "$load_core" "$@" >"$scratch/out" 2>&1; } 2>"$scratch/time" ||
    { cat "$scratch/out" >&2; fail "$1 failed"; }
  cat "$scratch/time"
}

for ((round = 1; round <= rounds; round++)); do
  for shape in get push; do
    count=${counts[$shape]}
    mapfile -t words < <(requests "$shape")
    for program in h2load linkspan; do
      if [[ $program == h2load ]]; then
        times=$(measure h2load -t 1 -c 1 -m 100 -n "$count" "${words[@]}")
        grep -q " $count succeeded, 0 failed, 0 errored" "$scratch/out" ||
          { cat "$scratch/out" >&2; fail "h2load had errors"; }
      else
        times=$(measure "$client" "$shape" "$port" "$count")
      fi
      awk -v shape="$shape" -v program="$program" -v round="$round" -v count="$count" '{
        printf "{\"type\":\"client\",\"row\":\"%s\",\"program\":\"%s\",\"round\":%d,\"requests_per_s\":%.1f,\"cpu_us_per_request\":%.3f}\n",
          shape, program, round, count / $1, ($2 + $3) * 1e6 / count }' <<<"$times" >>"$file"
    done
  done
done

middle() { grep "\"row\":\"$1\",\"program\":\"$2\"" "$file" | member "$3" | median; }
# The median over the rounds of our number divided by h2load's in the same round.
ratio() {
  paste <(grep "\"row\":\"$1\",\"program\":\"linkspan\"" "$file" | member "$2") \
    <(grep "\"row\":\"$1\",\"program\":\"h2load\"" "$file" | member "$2") |
    awk '$2 > 0 { print $1 / $2 }' | median | awk '{ printf "%.2f", $1 }'
}
cells() { printf '%.0f/s · %.2f µs' "$(middle "$1" "$2" requests_per_s)" "$(middle "$1" "$2" cpu_us_per_request)"; }
declare -A titles=([get]='GET of a small file' [push]='a push, answered with its content')
echo "HTTP/2 client, one connection, 100 in flight: requests a second · processor µs a request, median of $rounds rounds"
echo
echo '| requests | linkspan | h2load | ÷ h2load, /s | ÷ h2load, processor |'
echo '| --- | --- | --- | --- | --- |'
for shape in get push; do
  echo "| ${titles[$shape]} | $(cells "$shape" linkspan) | $(cells "$shape" h2load) |" \
    "$(ratio "$shape" requests_per_s) | **$(ratio "$shape" cpu_us_per_request)** |"
done
echo
verdict 'HTTP/2 client, GET ÷ h2load, processor' "$(ratio get cpu_us_per_request)" '<=' 1.5 ×
verdict 'HTTP/2 client, push ÷ h2load, processor' "$(ratio push cpu_us_per_request)" '<=' 1.5 ×
