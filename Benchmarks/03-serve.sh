#!/bin/bash
# Requests a second and processor time a request, beside nginx and h2o: the same file, certificate and load.
#
# The servers run all the time and are loaded in turn, round after round; the median counts. A server has a core of
# its own and the load another. Where the load is the dearer half, as in every TLS handshake and with wrk, requests a
# second tell what the load can do: the ratio that holds is that of processor time a request.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

make_site
start_linkspan
start_nginx nginx
start_nginx nginx-defaults
start_h2o
file=$results/serve.jsonl
: >"$file"

# Loads a server, and prints members of JSON: requests a second, processor µs a request, errors.
#   measure_tool SERVER COMMAND…   a tool that prints how many requests it made; its start counts as well
#   measure_driver SERVER FLAG…    our own driver, which counts between the first answer and the last
measure_tool() {
  local server=$1 before after begin end output requests errors
  shift
  before=$(processor_time "$server")
  begin=${EPOCHREALTIME/[.,]/}
  output=$(taskset -c "$load_core" "$@" 2>&1) || fail "$* failed: $output"
  end=${EPOCHREALTIME/[.,]/}
  after=$(processor_time "$server")
  case $1 in
    wrk)
      requests=$(sed -n 's/^ *\([0-9]*\) requests in .*/\1/p' <<<"$output")
      errors=$(sed -n 's/.*\(Non-2xx or 3xx responses\|Socket errors\): //p' <<<"$output" | tr -d '\n')
      ;;
    h2load)
      requests=$(sed -n 's/^requests: .* \([0-9]*\) succeeded.*/\1/p' <<<"$output")
      errors=$(sed -n 's/^requests: .* \([0-9]*\) failed, \([0-9]*\) errored.*/\1 \2/p' <<<"$output")
      [[ $errors != "0 0" ]] || errors=
      ;;
  esac
  [[ ${requests:-0} -gt 0 && -z $errors ]] || fail "$* had errors: $output"
  awk -v requests="$requests" -v wall=$((end - begin)) -v cpu=$((after - before)) 'BEGIN {
    printf "\"requests_per_s\":%.1f,\"cpu_us_per_request\":%.3f,\"cpu_share\":%.3f,\"errors\":0",
      requests * 1e6 / wall, cpu / 1e3 / requests, cpu / 1e3 / wall }'
}

measure_driver() {
  local server=$1 output
  shift
  output=$(load "$@" --seconds "$seconds" --server-pid "${processes[$server]}")
  [[ $(member errors <<<"$output") == 0 ]] || fail "the load on $server had errors: $output"
  output=${output#\{}
  echo "${output%\}}"
}

# One measurement of one row.
measure() {
  local server=$1
  local http=http://localhost:${plain[$1]}$path
  case $2 in
    h1-64) measure_tool "$server" wrk -t 1 -c 64 -d "$seconds" "$http" ;;
    h1-1000) measure_tool "$server" wrk -t 1 -c 1000 -d "$seconds" "$http" ;;
    h1-driver) measure_driver "$server" keep --connections 64 --port "${plain[$server]}" ;;
    h1-tls-64) measure_driver "$server" keep --tls --connections 64 --port "${tls[$server]}" ;;
    h1-tls-1000) measure_driver "$server" keep --tls --connections 1000 --port "${tls[$server]}" ;;
    h2-tls) measure_tool "$server" h2load -t 1 -c 8 -m 32 -D "$seconds" "https://localhost:${tls[$server]}$path" ;;
    h2c) measure_tool "$server" h2load -t 1 -c 8 -m 32 -D "$seconds" "http://localhost:${h2c[$server]}$path" ;;
    connect) measure_driver "$server" close --connections 64 --port "${plain[$server]}" ;;
    connect-tls) measure_driver "$server" close --tls --connections 64 --port "${tls[$server]}" ;;
  esac
}

# The name of a row, and the servers it is measured on.
declare -A titles=(
  [h1-64]='HTTP/1.1 kept, 64 connections, by wrk'
  [h1-1000]='HTTP/1.1 kept, 1,000 connections, by wrk'
  [h1-driver]='HTTP/1.1 kept, 64, by our driver'
  [h1-tls-64]='HTTP/1.1 kept over TLS, 64'
  [h1-tls-1000]='HTTP/1.1 kept over TLS, 1,000'
  [h2-tls]='HTTP/2 over TLS, 8 × 32 streams'
  [h2c]='HTTP/2 in clear text, 8 × 32'
  [connect]='a connection a request'
  [connect-tls]='a TLS connection a request'
)
rows=(h1-64 h1-1000 h1-driver h1-tls-64 h1-tls-1000 h2-tls h2c connect connect-tls)
peers=(linkspan nginx h2o)

# The driver's first connection looks at the certificate; the others take any.
for server in "${peers[@]}"; do
  load hold --tls --verify "$scratch/certificate.pem" --connections 1 --port "${tls[$server]}" </dev/null >/dev/null ||
    fail "$server shows another certificate"
done

for ((round = 1; round <= rounds; round++)); do
  for row in "${rows[@]}"; do
    for server in "${peers[@]}" nginx-defaults; do
      # The defaults are the row that the distance to the limit is told from.
      [[ $server != nginx-defaults || $row == connect-tls ]] || continue
      sample=$(measure "$server" "$row")
      printf '{"type":"serve","row":"%s","server":"%s","round":%d,%s}\n' "$row" "$server" "$round" "$sample" >>"$file"
    done
    [[ ! -t 2 ]] || printf '\r  round %d of %d, %-36s' "$round" "$rounds" "${titles[$row]}" >&2
  done
done
[[ ! -t 2 ]] || printf '\r%60s\r' '' >&2

# The median of one member over the rounds.
middle() { grep "\"row\":\"$1\",\"server\":\"$2\"" "$file" | member "$3" | median; }
# The median over the rounds of a peer's number divided by ours in the same round, or the other way round.
ratio() {
  paste <(grep "\"row\":\"$1\",\"server\":\"linkspan\"" "$file" | member "$3") \
    <(grep "\"row\":\"$1\",\"server\":\"$2\"" "$file" | member "$3") |
    awk -v inverse="${4:-}" '$1 > 0 && $2 > 0 { print inverse ? $2 / $1 : $1 / $2 }' | median |
    awk '{ printf "%.2f", $1 }'
}

cells() { printf '%.0f/s · %.1f µs' "$(middle "$1" "$2" requests_per_s)" "$(middle "$1" "$2" cpu_us_per_request)"; }
echo "serve a file of $body_bytes bytes: requests a second · server's processor µs a request, median of $rounds × $seconds s;"
echo "then linkspan ÷ nginx, in requests a second and in requests for the same processor time"
echo
echo '| load | linkspan | nginx | h2o | ÷ nginx, /s | ÷ nginx, processor |'
echo '| --- | --- | --- | --- | --- | --- |'
for row in "${rows[@]}"; do
  printf '| %s | %s | %s | %s | %s | **%s** |\n' "${titles[$row]}" "$(cells "$row" linkspan)" \
    "$(cells "$row" nginx)" "$(cells "$row" h2o)" "$(ratio "$row" nginx requests_per_s)" \
    "$(ratio "$row" nginx cpu_us_per_request inverse)"
done
echo
# The limit: what the kernel and the fastest primitives take on the machine of that measurement; not of this one.
limit=115
awk -v ours="$(middle connect-tls linkspan cpu_us_per_request)" \
  -v tuned="$(middle connect-tls nginx cpu_us_per_request)" \
  -v defaults="$(middle connect-tls nginx-defaults cpu_us_per_request)" -v limit=$limit 'BEGIN {
    printf "a TLS connection: %.0f µs; nginx with its defaults %.0f µs, which makes ours %.2f of it", ours, defaults, ours / defaults
    # 4.1 limits are what nginx with its defaults took beside the limit itself.
    printf "; %.1f times the limit of %d µs, %.1f by way of nginx\n", ours / limit, limit, ours / defaults * 4.1
    printf "handshakes a second of one core, by processor time: linkspan %.0f, nginx %.0f, nginx defaults %.0f\n",
      1e6 / ours, 1e6 / tuned, 1e6 / defaults }'
echo
verdict 'HTTP/1.1 kept, 64 connections ÷ nginx return, processor' "$(ratio h1-64 nginx cpu_us_per_request inverse)" '>=' 1.0 ×
verdict 'HTTP/1.1 kept, 1,000 connections ÷ nginx return, processor' "$(ratio h1-1000 nginx cpu_us_per_request inverse)" '>=' 1.0 ×
# wrk is the dearer half against either server, so its requests a second tell what it can do itself: about 1.0, on either
# side of it. Our driver keeps a server busy.
verdict 'HTTP/1.1 kept, 64 connections, by wrk ÷ nginx return, requests a second' "$(ratio h1-64 nginx requests_per_s)" '>=' 1.0 ×
verdict 'HTTP/1.1 kept, 64, by our driver ÷ nginx return, requests a second' "$(ratio h1-driver nginx requests_per_s)" '>=' 1.0 ×
verdict 'HTTP/2 over TLS ÷ nginx, processor' "$(ratio h2-tls nginx cpu_us_per_request inverse)" '>=' 1.5 ×
verdict 'HTTP/2 over TLS ÷ nginx, requests a second' "$(ratio h2-tls nginx requests_per_s)" '>=' 1.5 ×
verdict 'TLS connection a request ÷ nginx tuned alike, processor' "$(ratio connect-tls nginx cpu_us_per_request inverse)" '>=' 1.3 ×
