#!/bin/bash
# Durable registrations over the registry's API: HTTP/2 in clear text, 8 connections with 64 requests each in flight, every
# device new, with a random token as real ones are. Both stores; each registration is committed to the disk before its
# answer.
#
# Beside PostgreSQL, the same by hand: psql sends transactions of 1,000 rows, each one `INSERT … SELECT unnest` into the
# same table with the same indexes, where every attribute comes from the client as an array, and one line of the audit log
# for each device. So both make the same rows durable; what the server does besides (HTTP, JSON, credential, rate limit, an
# answer with the device) is the difference. For SQLite the server has one core and the load the other. Beside PostgreSQL
# there are three programs, or two by hand, and each may use both cores.
#
# Then a million devices: the time to count those that a campaign would choose, process start included, and the memory of
# that process; in PostgreSQL as well.
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
both_cores=0-$load_core
start_postgres() {
  mkdir "$scratch/pg"
  if [[ ${#as_other[@]} -gt 0 ]]; then chown 65534:65534 "$scratch/pg"; fi
  "${as_other[@]}" "$pg/initdb" -D "$scratch/pg/data" -U bench -A trust -E UTF8 --no-locale >"$scratch/initdb" 2>&1 ||
    { cat "$scratch/initdb" >&2; fail "initdb failed"; }
  server_core=$both_cores start postgres "${as_other[@]}" "$pg/postgres" -D "$scratch/pg/data" -c listen_addresses= \
    -c unix_socket_directories="$scratch/pg" -c shared_buffers=256MB \
    -c min_wal_size=1GB -c max_wal_size=4GB
  postgres=$pid
  for ((attempt = 0; attempt < 200; attempt++)); do
    ! "$pg/pg_isready" -q -h "$scratch/pg" || break
    sleep 0.05
  done
}
query() { "$pg/psql" -q -t -A -h "$scratch/pg" -U bench -d "$1" -v ON_ERROR_STOP=1 "${@:2}"; }

# uris PORT SEED COUNT: eight files with the addresses of COUNT new devices each.
uris() {
  tokens "$2" "$(($3 * 8))" | sed "s|^|http://127.0.0.1:$1/v1/devices/|" | split -l "$3" -d -a 1 - "$scratch/uris."
}

# h2loads COUNT [FLAG…]: eight of them at once, 64 requests of each in flight, COUNT devices each. One with eight connections
# would send the same devices over all of them. It uses what `register` has set up.
h2loads() {
  local each=$1 part loads=()
  shift
  for part in 0 1 2 3 4 5 6 7; do
    taskset -c "$load_cores" h2load -t 1 -c 1 -m 64 -n "$each" -i "$scratch/uris.$part" "$@" \
      --log-file "$scratch/latencies.$part" "${words[@]}" >"$scratch/out.$part" 2>&1 &
    loads+=($!)
    started+=($!)
  done
  for part in 0 1 2 3 4 5 6 7; do
    wait "${loads[part]}" || fail "h2load failed"
    grep -q " $each succeeded, 0 failed, 0 errored" "$scratch/out.$part" ||
      { cat "$scratch/out.$part" >&2; fail "h2load had errors"; }
  done
}

# register STORE ROUND: starts a server and registers; sets `rate` to registrations a second, `p99` to ms at half of it and
# `cost` to microseconds of the server's processor a registration. Not in a subshell, whose processes the end of this one would
# not know.
register() {
  local store=$1 round=$2 token port load_cores=$load_core
  if [[ $store == postgres* ]]; then
    load_cores=$both_cores
    local server_core=$both_cores
  fi
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
  local before begin nanoseconds half
  uris "$port" "$round" "$((count / 8))"
  before=$(used "$server")
  begin=$(date +%s%N)
  h2loads "$((count / 8))"
  nanoseconds=$(($(date +%s%N) - begin))
  rate=$(awk -v count="$((count / 8 * 8))" -v ns="$nanoseconds" 'BEGIN { printf "%.0f", count / ns * 1e9 }')
  cost=$(awk -v ticks="$(($(used "$server") - before))" -v count="$count" 'BEGIN { printf "%.1f", ticks * 1e4 / count }')
  half=$((rate / 2 / 8))
  uris "$port" "$((round + 1000))" "$((half * 3))"
  h2loads "$((half * 3))" --rps "$half"
  finish "$server"
  p99=$(sort -n -k3,3 "$scratch"/latencies.* | awk '{ times[NR] = $3 }
    END { printf "%.1f", times[int(NR * 0.99)] / 1000 }')
  rm -f "$scratch"/latencies.*
}

# tokens SEED COUNT: random tokens, the same ones each time.
tokens() {
  awk -v seed="$1" -v count="$2" 'BEGIN {
    srand(seed)
    for (row = 0; row < count; row++) {
      for (part = 0; part < 16; part++) printf "%04x", int(rand() * 65536)
      print ""
    } }'
}

# by_hand: transactions that register the tokens on stdin.
by_hand() {
  awk '
    function end() {
      if (!rows) return
      printf "WITH rows AS (INSERT INTO devices (token, topic, environment, push_kind, badge, alias, tags, locale, time_zone,"
      printf " app_version, version_key, created_at, last_seen_at, revision) SELECT *, 1 FROM unnest("
      printf "ARRAY[%s], ARRAY[%s], ARRAY[%s], ARRAY[%s], ARRAY[%s]::bigint[],", list[1], list[2], list[3], list[4], list[5]
      printf " ARRAY[%s], ARRAY[%s], ARRAY[%s], ARRAY[%s],", list[6], list[7], list[8], list[9]
      printf " ARRAY[%s], ARRAY[%s], ARRAY[%s]::bigint[], ARRAY[%s]::bigint[])", list[10], list[11], list[12], list[12]
      printf " ON CONFLICT (token, topic, environment) DO UPDATE SET alias = excluded.alias, tags = excluded.tags,"
      printf " locale = excluded.locale, time_zone = excluded.time_zone, app_version = excluded.app_version,"
      printf " version_key = excluded.version_key, last_seen_at = excluded.last_seen_at,"
      printf " revision = devices.revision + 1 RETURNING id)"
      printf " INSERT INTO audit_log (at, actor, action, subject, affected)"
      print " SELECT 1789372800000, \0470123456789abcdef\047, \047device.register\047, id, 1 FROM rows;"
      rows = 0
      delete list
    }
    function add(column, value) { list[column] = list[column] (rows ? "," : "") value }
    {
      add(1, "\047" $1 "\047"); add(2, "\047com.example.app\047"); add(3, "\047production\047"); add(4, "\047alert\047")
      add(5, 0); add(6, "\047user\047"); add(7, "E\047\\x1fa\\x1fb\\x1f\047"); add(8, "\047de_AT\047")
      add(9, "\047Europe/Vienna\047"); add(10, "\0471.2.3\047"); add(11, "\047000000001.000000002.000000003\047")
      add(12, "1789372800000")
      if (++rows == 1000) end()
    }
    END { end() }'
}

# tables STORE: makes the registry's tables where there are none, as a first credential does.
tables() { "$linkspan" token create --registry "$1" --scope devices:write >"$scratch/credential"; }

# The processor time that a process has used, in hundredths of a second.
used() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

note() { # STORE ROUND RATE P99 COST
  printf '{"type":"registrations","store":"%s","round":%d,"registrations_per_s":%s,"p99_ms":%s,"server_us":%s}\n' "$@" \
    >>"$file"
}

has_postgres=
if [[ -x $pg/initdb ]]; then
  start_postgres
  has_postgres=yes
  # A new PostgreSQL makes its log files as it goes, which takes 50 ms each; whoever comes second finds them made. So they
  # are made before both.
  query postgres -c "CREATE DATABASE warm"
  tables "postgres:///warm?host=$scratch/pg&user=bench"
  for ((round = 1; round <= 3; round++)); do
    tokens "$((round + 2000))" "$count" | by_hand >"$scratch/hand.sql"
    query warm -f "$scratch/hand.sql"
  done
  query postgres -c "DROP DATABASE warm" -c CHECKPOINT
fi
for ((round = 1; round <= rounds; round++)); do
  register "sqlite:$scratch/round$round.db" "$round"
  note sqlite "$round" "$rate" "$p99" "$cost"
  rm -f "$scratch/round$round.db"*
  [[ -n $has_postgres ]] || continue
  query postgres -c "CREATE DATABASE round$round" -c "CREATE DATABASE hand$round"
  register "postgres:///round$round?host=$scratch/pg&user=bench" "$round"
  note postgres "$round" "$rate" "$p99" "$cost"
  # The same tables, then the rows by hand.
  tables "postgres:///hand$round?host=$scratch/pg&user=bench"
  tokens "$round" "$count" | by_hand >"$scratch/hand.sql"
  begin=$(date +%s%N)
  query "hand$round" -f "$scratch/hand.sql"
  note by-hand "$round" "$(awk -v count="$count" -v ns="$(($(date +%s%N) - begin))" 'BEGIN { printf "%.0f", count / ns * 1e9 }')" 0 0
  stored=$(query "hand$round" -c 'SELECT (SELECT count(*) FROM devices) || $$ $$ || (SELECT count(*) FROM audit_log WHERE action = $$device.register$$)')
  [[ $stored == "$count $count" ]] || fail "by hand, '$stored' rows are stored and not $count of each"
  query postgres -c "DROP DATABASE round$round" -c "DROP DATABASE hand$round"
done
# A million devices, a third of them with the tag.
devices=${BENCH_DEVICES:-1000000}
awk -v count="$devices" 'BEGIN { for (row = 0; row < count; row++)
  printf "{\"token\":\"%064x\",\"topic\":\"com.example.app\",\"environment\":\"production\",\"alias\":\"user%d\",\"tags\":[\"t%d\",\"all\"],\"locale\":\"de_AT\",\"time_zone\":\"Europe/Vienna\",\"app_version\":\"1.2.3\",\"last_seen_at\":\"2026-09-14T08:00:00Z\"}\n", row, row, row % 3 }' |
  "$linkspan" registry import - --registry "sqlite:$scratch/million.db" >"$scratch/import"
if [[ -n $has_postgres ]]; then
  query postgres -c "CREATE DATABASE million"
  tables "postgres:///million?host=$scratch/pg&user=bench"
  query million -c "INSERT INTO devices (token, topic, environment, push_kind, badge, alias, tags, locale, time_zone,
      app_version, version_key, created_at, last_seen_at, revision)
    SELECT lpad(to_hex(n), 64, '0'), 'com.example.app', 'production', 'alert', 0, 'user' || n,
      E'\\x1ft' || n % 3 || E'\\x1fall\\x1f', 'de_AT', 'Europe/Vienna', '1.2.3', '000000001.000000002.000000003', 1, 1, 1
    FROM generate_series(0, $devices - 1) n" -c "VACUUM ANALYZE devices"
fi

# choose STORE ADDRESS ROUND: counts as a campaign's estimate does.
choose() {
  local found took memory
  read -r found took memory < <(python3 -c '
import resource, subprocess, sys, time
begin = time.monotonic()
found = subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
print(found, f"{time.monotonic() - begin:.3f}", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
' "$linkspan" registry count --registry "$2" --topic com.example.app --environment production --tag t1 --locale de)
  [[ $found -eq $(((devices + 1) / 3)) ]] || fail "found $found devices of $devices, and a third fits"
  printf '{"type":"campaign-query","store":"%s","devices":%d,"round":%d,"seconds":%s,"memory_kb":%s}\n' "$1" "$devices" "$3" \
    "$took" "$memory" >>"$file"
}
for ((round = 1; round <= rounds; round++)); do
  choose sqlite "sqlite:$scratch/million.db" "$round"
  [[ -z $has_postgres ]] || choose postgres "postgres:///million?host=$scratch/pg&user=bench" "$round"
done
if [[ -n $has_postgres ]]; then kill -INT "$postgres"; fi

middle_of() { grep "\"store\":\"$1\"" | member "$2" | median; }
middle() { grep '"type":"registrations"' "$file" | middle_of "$1" "$2"; }
echo "Durable registrations over HTTP/2, 512 in flight: a second, and p99 at half of that rate; median of $rounds rounds"
echo
echo "| store | registrations/s | p99 at half | server's processor each |"
echo '| --- | --- | --- | --- |'
echo "| SQLite | $(middle sqlite registrations_per_s) | $(middle sqlite p99_ms) ms | $(middle sqlite server_us) µs |"
if [[ -n $has_postgres ]]; then
  echo "| PostgreSQL | $(middle postgres registrations_per_s) | $(middle postgres p99_ms) ms | $(middle postgres server_us) µs |"
  echo "| PostgreSQL by hand | $(middle by-hand registrations_per_s) | – | – |"
fi
echo
echo "A campaign's query over $devices devices, process start included:"
echo
for store in sqlite ${has_postgres:+postgres}; do
  query_s=$(grep '"type":"campaign-query"' "$file" | middle_of "$store" seconds)
  echo "- $store: $query_s s, $(grep '"type":"campaign-query"' "$file" | middle_of "$store" memory_kb) KB"
done
echo
verdict 'registrations, SQLite' "$(middle sqlite registrations_per_s)" '>=' 10000 /s
verdict 'registrations, p99 at half, SQLite' "$(middle sqlite p99_ms)" '<=' 50 ms
if [[ -n $has_postgres ]]; then
  ratio=$(awk -v ours="$(middle postgres registrations_per_s)" -v hand="$(middle by-hand registrations_per_s)" \
    'BEGIN { printf "%.2f", ours / hand }')
  verdict 'registrations, PostgreSQL ÷ unnest by hand' "$ratio" '>=' 0.5 ×
fi
for store in sqlite ${has_postgres:+postgres}; do
  query_s=$(grep '"type":"campaign-query"' "$file" | middle_of "$store" seconds)
  verdict "a campaign's query, $devices devices, $store" "$query_s" '<=' 1 s
done
