#!/bin/bash
# Memory of an idle connection that had one request answered: what the server grew by (PSS), for each of many.
# Kernel memory for the socket itself is in nobody's number.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

count=${BENCH_IDLE_CONNECTIONS:-2000}
make_site
file=$results/idle-memory.jsonl
: >"$file"

# Kilobytes of all processes of a server, each shared page counted in its share.
memory() {
  local pid sum=0 size
  for pid in ${processes[$1]//,/ }; do
    size=$(awk '$1 == "Pss:" { print $2 }' "/proc/$pid/smaps_rollup")
    sum=$((sum + size))
  done
  echo "$sum"
}

# hold SERVER ROW FLAG…: opens the connections, reads the memory with and without them.
hold() {
  local server=$1 row=$2 before after line
  shift 2
  # The first connections have the server make what it makes once.
  load hold "$@" --connections 64 --port "${tls[$server]}" </dev/null >/dev/null
  before=$(memory "$server")
  coproc HOLD { load hold "$@" --connections "$count" --port "${tls[$server]}"; }
  local holder=$HOLD_PID
  started+=("$holder")
  read -r line <&"${HOLD[0]}" || fail "$server did not take $count connections"
  [[ $line == "held $count" ]] || fail "$server: $line"
  after=$(memory "$server")
  eval "exec ${HOLD[1]}>&-"
  wait "$holder" || true
  awk -v server="$server" -v row="$row" -v count="$count" -v grown=$((after - before)) 'BEGIN {
    printf "{\"type\":\"idle\",\"row\":\"%s\",\"server\":\"%s\",\"connections\":%d,\"kb_per_connection\":%.1f}\n",
      row, server, count, grown / count }' >>"$file"
}

# Every number from a server that has held nobody yet: memory once grown is not given back.
for server in linkspan nginx h2o; do
  for row in h1-tls h2-tls; do
    case $server in
      linkspan) start_linkspan ;;
      nginx) start_nginx nginx ;;
      h2o) start_h2o ;;
    esac
    if [[ $row == h2-tls ]]; then flags=(--tls --http2); else flags=(--tls); fi
    hold "$server" "$row" "${flags[@]}"
  done
done

size() { grep "\"row\":\"$1\",\"server\":\"$2\"" "$file" | member kb_per_connection; }
echo "memory of an idle TLS connection, KB, $count of them, one answer each:"
echo
echo '| connection | linkspan | nginx | h2o |'
echo '| --- | --- | --- | --- |'
for row in h1-tls h2-tls; do
  if [[ $row == h2-tls ]]; then title=HTTP/2; else title=HTTP/1.1; fi
  echo "| $title | $(size $row linkspan) | $(size $row nginx) | $(size $row h2o) |"
done
echo
verdict 'idle TLS connection, HTTP/1.1' "$(size h1-tls linkspan)" '<=' 20 ' KB'
verdict 'idle TLS connection, HTTP/2' "$(size h2-tls linkspan)" '<=' 28 ' KB'
