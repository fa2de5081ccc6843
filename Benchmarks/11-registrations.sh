#!/bin/bash
# Durable registrations over the registry's API: HTTP/2 in clear text, 8 connections with 64 requests each in flight, every
# device new. Both stores; each registration is committed to the disk before its answer. Beside PostgreSQL, the same rows
# by hand: `INSERT … SELECT unnest` of 1,000 rows a transaction through psql, without HTTP, credentials and audit log.
#
# Then a million devices: the time to count those of a topic, an environment and a tag, process start included, and its memory.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

file=$results/registrations.jsonl
: >"$file"
count=${BENCH_REGISTRATIONS:-100000}
printf '%s' '{"topic":"com.example.app","environment":"production","alias":"user","tags":["a","b"],"locale":"de_AT","time_zone":"Europe/Vienna","app_version":"1.2.3"}' \
  >"$scratch/body"

# PostgreSQL refuses to run as root.
pg=/usr/lib/postgresql/15/bin
as_other=()
if [[ $(id -u) -eq 0 ]]; then as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
start_postgres() {
  mkdir "$scratch/pg"
  if [[ ${#as_other[@]} -gt 0 ]]; then chown 65534:65534 "$scratch/pg"; fi
  "${as_other[@]}" "$pg/initdb" -D "$scratch/pg/data" -U bench -A trust -E UTF8 --no-locale >"$scratch/initdb" 2>&1 ||
    { cat "$scratch/initdb" >&2; fail "initdb failed"; }
  start postgres "${as_other[@]}" "$pg/postgres" -D "$scratch/pg/data" -c listen_addresses= \
    -c unix_socket_directories="$scratch/pg" -c shared_buffers=256MB
  postgres=$pid
  for ((attempt = 0; attempt < 200; attempt++)); do
    ! "$pg/pg_isready" -q -h "$scratch/pg" || break
    sleep 0.05
  done
}
query() { "$pg/psql" -q -t -A -h "$scratch/pg" -U bench -d "$1" -v ON_ERROR_STOP=1 "${@:2}"; }

# register STORE ROUND: starts a server and registers; "registrations a second, p99 in ms at half of it".
register() {
  local store=$1 round=$2 token port rate
  token=$("$linkspan" token create --registry "$store" --scope devices:write)
  read -r port < <("$driver" free-ports --count 1)
  start "registry-$round" "$linkspan" serve --registry "$store" --plain --listen "127.0.0.1:$port"
  local server=$pid
  for ((attempt = 0; attempt < 100; attempt++)); do
    ! curl -s -o "$scratch/description" "http://127.0.0.1:$port/v1/openapi.json" || break
    sleep 0.05
  done
  local words=(-d "$scratch/body" -H ':method: PUT' -H "authorization: Bearer $token"
    -H 'content-type: application/json')
  uris "$port" "$round" 0 "$count" >"$scratch/uris"
  taskset -c "$load_core" h2load -t 1 -c 8 -m 64 -n "$count" -i "$scratch/uris" "${words[@]}" >"$scratch/out" 2>&1
  grep -q " $count succeeded, 0 failed, 0 errored" "$scratch/out" || { cat "$scratch/out" >&2; fail "h2load had errors"; }
  rate=$(sed -n 's/^finished in .*, \([0-9.]*\) req\/s.*/\1/p' "$scratch/out")
  local half
  half=$(awk -v rate="$rate" 'BEGIN { printf "%d", rate / 2 / 8 }')
  uris "$port" "$round" "$count" "$((half * 8 * 3))" >"$scratch/uris"
  taskset -c "$load_core" h2load -t 1 -c 8 -m 64 -n "$((half * 8 * 3))" --rps "$half" -i "$scratch/uris" \
    --log-file "$scratch/latencies" "${words[@]}" >"$scratch/out" 2>&1
  kill -TERM "$server"
  wait "$server" || true
  sort -n -k3,3 "$scratch/latencies" | awk -v rate="$rate" '{ times[NR] = $3 }
    END { printf "%.0f %.1f\n", rate, times[int(NR * 0.99)] / 1000 }'
  rm -f "$scratch/latencies"
}

# uris PORT ROUND FIRST COUNT
uris() {
  awk -v base="http://127.0.0.1:$1/v1/devices/" -v round="$2" -v first="$3" -v count="$4" 'BEGIN {
    for (row = first; row < first + count; row++) printf "%s%08x%056x\n", base, round, row * 7919 }'
}

note() { # STORE ROUND RATE P99
  printf '{"type":"registrations","store":"%s","round":%d,"registrations_per_s":%s,"p99_ms":%s}\n' "$@" >>"$file"
}

has_postgres=
if [[ -x $pg/initdb ]]; then
  start_postgres
  has_postgres=yes
fi
for ((round = 1; round <= rounds; round++)); do
  read -r rate p99 < <(register "sqlite:$scratch/round$round.db" "$round")
  note sqlite "$round" "$rate" "$p99"
  rm -f "$scratch/round$round.db"*
  [[ -n $has_postgres ]] || continue
  query postgres -c "CREATE DATABASE round$round" -c "CREATE DATABASE hand$round"
  read -r rate p99 < <(register "postgres:///round$round?host=$scratch/pg&user=bench" "$round")
  note postgres "$round" "$rate" "$p99"
  # The same tables, then the rows by hand.
  "$linkspan" token list --registry "postgres:///hand$round?host=$scratch/pg&user=bench"
  awk -v count="$count" 'BEGIN { for (row = 0; row < count; row += 1000) printf "INSERT INTO devices (token, topic, environment, push_kind, badge, alias, tags, locale, time_zone, app_version, version_key, created_at, last_seen_at, revision) SELECT lpad(to_hex(n), 64, \047%08x\047), \047com.example.app\047, \047production\047, \047alert\047, 0, \047user\047, \047ab\047, \047de_AT\047, \047Europe/Vienna\047, \0471.2.3\047, \0471\047, 1, 1, 1 FROM unnest(ARRAY(SELECT generate_series(%d, %d))) n ON CONFLICT (token, topic, environment) DO UPDATE SET alias = excluded.alias;\n", row, row, row + 999 }' \
    >"$scratch/hand.sql"
  begin=$(date +%s%N)
  query "hand$round" -f "$scratch/hand.sql"
  note by-hand "$round" "$(awk -v count="$count" -v ns="$(($(date +%s%N) - begin))" 'BEGIN { printf "%.0f", count / ns * 1e9 }')" 0
  query postgres -c "DROP DATABASE round$round" -c "DROP DATABASE hand$round"
done
if [[ -n $has_postgres ]]; then kill -INT "$postgres"; fi

# A million devices, a third of them with the tag.
awk 'BEGIN { for (row = 0; row < 1000000; row++)
  printf "{\"token\":\"%064x\",\"topic\":\"com.example.app\",\"environment\":\"production\",\"alias\":\"user%d\",\"tags\":[\"t%d\",\"all\"],\"locale\":\"de_AT\",\"time_zone\":\"Europe/Vienna\",\"app_version\":\"1.2.3\",\"last_seen_at\":\"2026-09-14T08:00:00Z\"}\n", row * 7919, row, row % 3 }' |
  "$linkspan" registry import - --registry "sqlite:$scratch/million.db" >"$scratch/import"
for ((round = 1; round <= rounds; round++)); do
  begin=$(date +%s%N)
  found=$("$linkspan" registry count --registry "sqlite:$scratch/million.db" --topic com.example.app --environment production \
    --tag t1 --locale de)
  seconds_used=$(awk -v ns="$(($(date +%s%N) - begin))" 'BEGIN { printf "%.3f", ns / 1e9 }')
  [[ $found == 333333 ]] || fail "found $found devices of a million, and 333333 fit"
  printf '{"type":"campaign-query","devices":1000000,"round":%d,"seconds":%s}\n' "$round" "$seconds_used" >>"$file"
done

middle() { grep "\"store\":\"$1\"" "$file" | member "$2" | median; }
echo "Durable registrations over HTTP/2, 512 in flight: a second, and p99 at half of that rate; median of $rounds rounds"
echo
echo '| store | registrations/s | p99 at half |'
echo '| --- | --- | --- |'
echo "| SQLite | $(middle sqlite registrations_per_s) | $(middle sqlite p99_ms) ms |"
if [[ -n $has_postgres ]]; then
  echo "| PostgreSQL | $(middle postgres registrations_per_s) | $(middle postgres p99_ms) ms |"
  echo "| PostgreSQL by hand | $(middle by-hand registrations_per_s) | – |"
fi
query_s=$(grep '"type":"campaign-query"' "$file" | member seconds | median)
echo
echo "A campaign's query over a million devices: $query_s s, process start included."
echo
verdict 'registrations, SQLite' "$(middle sqlite registrations_per_s)" '>=' 10000 /s
verdict 'registrations, p99 at half, SQLite' "$(middle sqlite p99_ms)" '<=' 50 ms
if [[ -n $has_postgres ]]; then
  ratio=$(awk -v ours="$(middle postgres registrations_per_s)" -v hand="$(middle by-hand registrations_per_s)" \
    'BEGIN { printf "%.2f", ours / hand }')
  verdict 'registrations, PostgreSQL ÷ unnest by hand' "$ratio" '>=' 0.5 ×
fi
verdict "a campaign's query, a million devices" "$query_s" '<=' 1 s
