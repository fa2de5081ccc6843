#!/bin/bash
# Notifications to one device each, over the registry's API and out to the stand-in for APNs: HTTP/2 in clear text, four
# connections with 128 requests each in flight. Each is durable before its answer, and its push, its claim and its end too.
# SQLite; PostgreSQL on the same machine; PostgreSQL 2 ms away, by a proxy whose processor time is not counted.
#
# One notification goes before: the first of a day makes the day's partitions, 0.1 s of PostgreSQL's processor. A rate counts
# from the first request behind it to the end of the last push. The cost is the processor time of all processes of PostgreSQL
# for each push.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

file=$results/notifications.jsonl
: >"$file"
count=${BENCH_NOTIFICATIONS:-40000}
device=$(printf 'beef%060d' 7)
printf '{"topic":"com.example.app","environment":"production","payload":{"aps":{"alert":"Your code is 123456"}},"tokens":["%s"]}' \
  "$device" >"$scratch/body"
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$scratch/key.p8" 2>"$scratch/openssl"
chmod 600 "$scratch/key.p8"
key=(--auth-key "$scratch/key.p8" --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0)

pg=/usr/lib/postgresql/15/bin
as_other=()
if [[ $(id -u) -eq 0 ]]; then as_other=(setpriv --reuid=65534 --regid=65534 --clear-groups); fi
both_cores=0-$load_core
server_core=$both_cores
has_postgres=
if [[ -x $pg/initdb ]]; then
  has_postgres=yes
  mkdir "$scratch/pg"
  if [[ ${#as_other[@]} -gt 0 ]]; then chown 65534:65534 "$scratch/pg"; fi
  "${as_other[@]}" "$pg/initdb" -D "$scratch/pg/data" -U bench -A trust -E UTF8 --no-locale >"$scratch/initdb" 2>&1
  start postgres "${as_other[@]}" "$pg/postgres" -D "$scratch/pg/data" -c listen_addresses= \
    -c unix_socket_directories="$scratch/pg" -c shared_buffers=256MB -c max_wal_size=4GB
  postgres=$pid
  for ((attempt = 0; attempt < 200; attempt++)); do
    ! "$pg/pg_isready" -q -h "$scratch/pg" || break
    sleep 0.05
  done
fi
query() { "$pg/psql" -q -t -A -h "$scratch/pg" -U bench -d "$1" -v ON_ERROR_STOP=1 "${@:2}"; }

# The processor time of PostgreSQL and its processes, those that have ended included, in hundredths of a second.
postgres_used() {
  local total=0 ticks
  for stat in /proc/[0-9]*/stat; do
    ticks=$(sed 's/.*) //' "$stat" 2>/dev/null | awk -v me="${stat//[!0-9]/}" -v postgres="$postgres" \
      'me == postgres { print $12 + $13 + $14 + $15 } me != postgres && $2 == postgres { print $12 + $13 }') || continue
    total=$((total + ${ticks:-0}))
  done
  echo "$total"
}

# await_end TOKEN PORT ADMIN COUNT: waits until so many pushes are accepted and no notification is running. The counters are
# asked first: a list of what is running costs PostgreSQL up to 15 ms, which would count as the pushes' own.
await_end() {
  local running accepted
  while :; do
    accepted=$(curl -s "http://127.0.0.1:$3/metrics" |
      awk '/^linkspan_push_attempts_total[{].*result="accepted"/ { total += $2 } END { print total + 0 }')
    [[ $accepted -lt $4 ]] || break
    sleep 0.05
  done
  while :; do
    running=$(curl -s -H "authorization: Bearer $1" "http://127.0.0.1:$2/v1/notifications?state=running&limit=1" |
      grep -c '"id"') || true
    [[ $running -gt 0 ]] || break
    sleep 0.05
  done
}

# send STORE: sets `rate` to pushes a second and `cost` to microseconds of PostgreSQL's processor a push. Not in a subshell,
# whose processes the end of this one would not know.
send() {
  local store=$1 token port apns_port admin before=0 begin nanoseconds
  cost=0
  token=$("$linkspan" token create --registry "$store" --scope notifications:read,notifications:write)
  read -r port apns_port admin < <("$driver" free-ports --count 3 | xargs)
  start apns "$linkspan" stand-in apns --listen "127.0.0.1:$apns_port" --write-certificate "$scratch/ca.pem" \
    --topic com.example.app "${key[@]}"
  local apns=$pid
  for ((attempt = 0; attempt < 100; attempt++)); do [[ ! -s $scratch/ca.pem ]] || break; sleep 0.05; done
  start notifications "$linkspan" serve --registry "$store" --plain --listen "127.0.0.1:$port" \
    --admin "127.0.0.1:$admin" --apns "https://127.0.0.1:$apns_port" --apns-ca "$scratch/ca.pem" --apns-connections 4 "${key[@]}"
  local server=$pid
  for ((attempt = 0; attempt < 100; attempt++)); do
    ! curl -s -o "$scratch/description" "http://127.0.0.1:$port/v1/openapi.json" || break
    sleep 0.05
  done
  curl -s -f -o "$scratch/out" -d "@$scratch/body" -H "authorization: Bearer $token" -H 'content-type: application/json' \
    "http://127.0.0.1:$port/v1/notifications" || fail "the first notification is refused"
  await_end "$token" "$port" "$admin" 1
  [[ $store == sqlite* ]] || before=$(postgres_used)
  begin=$(date +%s%N)
  h2load -t 1 -c 4 -m 128 -n "$count" -d "$scratch/body" -H "authorization: Bearer $token" \
    -H 'content-type: application/json' "http://127.0.0.1:$port/v1/notifications" >"$scratch/out" 2>&1 &
  started+=("$!")
  # A signal ends this at once, and not after the load.
  wait "$!" || true
  grep -q " $count succeeded, 0 failed, 0 errored" "$scratch/out" || { cat "$scratch/out" >&2; fail "h2load had errors"; }
  await_end "$token" "$port" "$admin" $((count + 1))
  nanoseconds=$(($(date +%s%N) - begin))
  rate=$(awk -v count="$count" -v ns="$nanoseconds" 'BEGIN { printf "%.0f", count / ns * 1e9 }')
  [[ $store == sqlite* ]] || cost=$(awk -v ticks="$(($(postgres_used) - before))" -v count="$count" \
    'BEGIN { printf "%.1f", ticks * 1e4 / count }')
  finish "$server"
  finish "$apns"
  rm -f "$scratch/ca.pem"
}

note() { # STORE ROUND RATE COST
  printf '{"type":"notifications","store":"%s","round":%d,"pushes_per_s":%s,"postgres_us":%s}\n' "$@" >>"$file"
}

for ((round = 1; round <= rounds; round++)); do
  send "sqlite:$scratch/round$round.db"
  note sqlite "$round" "$rate" "$cost"
  rm -f "$scratch/round$round.db"*
  [[ -n $has_postgres ]] || continue
  query postgres -c "CREATE DATABASE near$round" -c "CREATE DATABASE far$round"
  send "postgres:///near$round?host=$scratch/pg&user=bench"
  note postgres "$round" "$rate" "$cost"
  read -r far < <("$driver" free-ports --count 1)
  start delay python3 Benchmarks/Library/delay.py "$far" "$scratch/pg/.s.PGSQL.5432" 2
  proxy=$pid
  for ((attempt = 0; attempt < 200; attempt++)); do
    ! (: <>"/dev/tcp/127.0.0.1/$far") 2>/dev/null || break
    sleep 0.05
  done
  send "postgres://bench@127.0.0.1:$far/far$round"
  note far "$round" "$rate" "$cost"
  finish "$proxy"
  query postgres -c "DROP DATABASE near$round" -c "DROP DATABASE far$round WITH (FORCE)"
done
if [[ -n $has_postgres ]]; then kill -INT "$postgres"; fi

middle() { grep "\"store\":\"$1\"" "$file" | member "$2" | median; }
echo "Notifications to one device each, from the request to the end of the push; median of $rounds rounds of $count"
echo
echo "| store | pushes/s | PostgreSQL's processor each |"
echo '| --- | --- | --- |'
echo "| SQLite | $(middle sqlite pushes_per_s) | – |"
if [[ -n $has_postgres ]]; then
  echo "| PostgreSQL, same machine | $(middle postgres pushes_per_s) | $(middle postgres postgres_us) µs |"
  echo "| PostgreSQL, 2 ms away | $(middle far pushes_per_s) | $(middle far postgres_us) µs |"
fi
echo
verdict 'notifications, SQLite' "$(middle sqlite pushes_per_s)" '>=' 5000 /s
if [[ -n $has_postgres ]]; then
  verdict 'notifications, PostgreSQL 2 ms away' "$(middle far pushes_per_s)" '>=' 5000 /s
  ratio=$(awk -v far="$(middle far pushes_per_s)" -v near="$(middle postgres pushes_per_s)" 'BEGIN { printf "%.2f", far / near }')
  verdict 'notifications, 2 ms away ÷ same machine' "$ratio" '>=' 0.5 ×
  verdict "notifications, PostgreSQL's processor each" "$(middle postgres postgres_us)" '<=' 40 µs
fi
