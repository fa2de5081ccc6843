#!/bin/bash
# `linkspan push send` beside h2load: one connection, 100 requests in flight, over TLS, to the same server (nginx, which
# answers each push with an empty 200 and an apns-id, without which an answer is none of APNs'). The sender signs a token, reads its device tokens from a
# file, draws an apns-id for each push, judges each answer and prints a line of JSON; h2load sends the same requests and
# does nothing of that.
#
# aioapns sends as well where LINKSPAN_PYTHON names a Python that has it. It offers no ALPN, which nginx does not answer, so
# both senders are measured against Linkspan's stand-in for APNs, which verifies each push; the ratio is of these two.
#
# Processor time is that of the whole process, its start included.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

file=$results/push-send.jsonl
: >"$file"
count=${BENCH_PUSHES:-100000}
few=$((count < 5000 ? count : 5000))
python=${LINKSPAN_PYTHON:-python3}
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$scratch/key.p8" 2>"$scratch/openssl" ||
  { cat "$scratch/openssl" >&2; fail "openssl cannot make a key"; }
key=(--auth-key "$scratch/key.p8" --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0)
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -addext extendedKeyUsage=serverAuth \
  -keyout "$scratch/key.pem" -out "$scratch/certificate.pem" 2>"$scratch/openssl" ||
  { cat "$scratch/openssl" >&2; fail "openssl cannot make a certificate"; }
printf '%s' '{"aps":{"alert":{"title":"Your order","body":"It is on its way."},"sound":"default"},"order":"1234567890ABCDEF"}' \
  >"$scratch/content"
awk -v count="$count" 'BEGIN {
  srand(1)
  for (row = 0; row < count; row++) {
    token = ""
    for (digit = 0; digit < 64; digit++) token = token sprintf("%x", int(rand() * 16))
    print token
  } }' >"$scratch/tokens"
head -n "$few" "$scratch/tokens" >"$scratch/few"
head -n 1 "$scratch/tokens" >"$scratch/one"
read -r port apns < <("$driver" free-ports --count 2)
cat >"$scratch/apns.conf" <<NGINX
daemon off;
pid $scratch/apns.pid;
error_log $scratch/apns.err;
worker_processes 1;
events { worker_connections 64; }
http {
  access_log off;
  keepalive_requests 100000000;
  keepalive_time 1d;
  client_body_temp_path $scratch/apns-body;
  proxy_temp_path $scratch/apns-proxy;
  fastcgi_temp_path $scratch/apns-fastcgi;
  uwsgi_temp_path $scratch/apns-uwsgi;
  scgi_temp_path $scratch/apns-scgi;
  server {
    listen 127.0.0.1:$port ssl http2;
    http2_max_concurrent_streams 1000;
    ssl_certificate $scratch/certificate.pem;
    ssl_certificate_key $scratch/key.pem;
    location / {
      add_header apns-id 00000000-0000-4000-8000-000000000000;
      return 200;
    }
  }
}
NGINX
# await_https NAME PORT: until a server takes connections, or what it said.
await_https() {
  local attempt
  for ((attempt = 0; attempt < 100; attempt++)); do
    ! curl -sk --http2 -o "$scratch/answer" "https://127.0.0.1:$2/" || return 0
    sleep 0.05
  done
  cat "$scratch/$1.log" >&2
  fail "$1 does not answer"
}
start apns nginx -p "$scratch" -c "$scratch/apns.conf"
start stand-in "$linkspan" stand-in apns --listen "127.0.0.1:$apns" --write-certificate "$scratch/ca.pem" "${key[@]}" \
  --topic com.example.app
sed "s|^|https://127.0.0.1:$port/3/device/|" "$scratch/tokens" >"$scratch/addresses"
await_https apns "$port"
bearer=$("$linkspan" push token "${key[@]}")

await_https stand-in "$apns"

own=("$linkspan" push send --server "https://127.0.0.1:$port" --ca "$scratch/certificate.pem" --topic com.example.app
  --payload "$scratch/content" "${key[@]}" --json --tokens)
ours=("$linkspan" push send --server "https://127.0.0.1:$apns" --ca "$scratch/ca.pem" --topic com.example.app
  --payload "$scratch/content" "${key[@]}" --json --tokens)

cat >"$scratch/send.py" <<'PYTHON'
import asyncio, ssl, sys
from aioapns import APNs, NotificationRequest, PushType

async def main(port, key, ca, tokens, payload):
    client = APNs(key=open(key).read(), key_id='A1B2C3D4E5', team_id='F6G7H8I9J0', topic='com.example.app',
                  use_sandbox=True, max_connections=1, ssl_context=ssl.create_default_context(cafile=ca))
    client.pool.protocol_class.APNS_SERVER = '127.0.0.1'
    client.pool.protocol_class.APNS_PORT = port
    slots = asyncio.Semaphore(100)
    async def send(token):
        async with slots:
            return await client.send_notification(
                NotificationRequest(device_token=token, message=payload, push_type=PushType.ALERT))
    results = await asyncio.gather(*[send(token) for token in tokens])
    if not all(result.is_successful for result in results):
        sys.exit('a push was not accepted')

import json
asyncio.run(main(int(sys.argv[1]), sys.argv[2], sys.argv[3], open(sys.argv[4]).read().split(),
                 json.load(open(sys.argv[5]))))
PYTHON

# measure COMMAND…: "wall seconds, user seconds, system seconds" of a command on the load's core.
measure() {
  local TIMEFORMAT='%R %U %S'
  { time taskset -c "$load_core" "$@" >"$scratch/out" 2>"$scratch/err"; } 2>"$scratch/time" ||
    { tail -n 3 "$scratch/out" >&2; cat "$scratch/err" >&2; fail "$1 failed"; }
  cat "$scratch/time"
}

# sample PROGRAM COUNT ROUND TIMES
sample() {
  awk -v program="$1" -v count="$2" -v round="$3" '{
    printf "{\"type\":\"push-send\",\"program\":\"%s\",\"round\":%d,\"pushes_per_s\":%.1f,\"cpu_us_per_push\":%.3f}\n",
      program, round, count / $1, ($2 + $3) * 1e6 / count }' <<<"$4" >>"$file"
}

programs=(h2load linkspan)
if "$python" -c 'import aioapns' 2>/dev/null; then
  programs+=(linkspan-to-stand-in aioapns)
else
  echo "skipped: $python has no module 'aioapns'; LINKSPAN_PYTHON names another Python" >&2
fi
for ((round = 1; round <= rounds; round++)); do
  for program in "${programs[@]}"; do
    case $program in
      h2load)
        times=$(measure h2load -t 1 -c 1 -m 100 -n "$count" -d "$scratch/content" -i "$scratch/addresses" \
          -H "authorization: bearer $bearer" -H 'apns-topic: com.example.app' -H 'apns-push-type: alert' \
          -H 'apns-priority: 10' -H 'apns-id: 00000000-0000-4000-8000-000000000000' -H 'content-type: application/json')
        grep -q "status codes: $count 2xx" "$scratch/out" || { cat "$scratch/out" >&2; fail "h2load had errors"; }
        sample "$program" "$count" "$round" "$times"
        ;;
      linkspan)
        times=$(measure "${own[@]}" "$scratch/tokens")
        grep -q "\"accepted\":$count," "$scratch/out" || { tail -n 2 "$scratch/out" >&2; fail "a push was not accepted"; }
        sample "$program" "$count" "$round" "$times"
        ;;
      linkspan-to-stand-in)
        times=$(measure "${ours[@]}" "$scratch/tokens")
        grep -q "\"accepted\":$count," "$scratch/out" || { tail -n 2 "$scratch/out" >&2; fail "a push was not accepted"; }
        sample "$program" "$count" "$round" "$times"
        ;;
      aioapns)
        times=$(measure "$python" "$scratch/send.py" "$apns" "$scratch/key.p8" "$scratch/ca.pem" "$scratch/few" \
          "$scratch/content")
        sample "$program" "$few" "$round" "$times"
        ;;
    esac
  done
done

# The most memory that the sender ever held, in KB.
taskset -c "$load_core" "${own[@]}" "$scratch/tokens" >"$scratch/out" &
sender=$!
memory=0
while [[ -r /proc/$sender/status ]] && now=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$sender/status" 2>/dev/null) &&
  [[ -n $now ]]; do
  memory=$now
  sleep 0.01
done
wait "$sender"
# From the start of the process to its end, with one push in between.
for ((attempt = 0; attempt < 21; attempt++)); do
  begin=${EPOCHREALTIME/[.,]/}
  taskset -c "$load_core" "${own[@]}" "$scratch/one" >"$scratch/out"
  end=${EPOCHREALTIME/[.,]/}
  echo $((end - begin))
done >"$scratch/starts"
first=$(median <"$scratch/starts" | awk '{ printf "%.1f", $1 / 1000 }')

middle() { grep "\"program\":\"$1\"" "$file" | member "$2" | median; }
# ratio PEER MEMBER [OURS]: the median over the rounds of our number divided by the peer's in the same round.
ratio() {
  paste <(grep "\"program\":\"${3:-linkspan}\"" "$file" | member "$2") <(grep "\"program\":\"$1\"" "$file" | member "$2") |
    awk '$2 > 0 { print $1 / $2 }' | median | awk '{ printf "%.2f", $1 }'
}
echo "Sender of pushes, one connection, 100 in flight: pushes a second · processor µs a push, median of $rounds rounds"
echo
echo '| sender | pushes | ÷, /s |'
echo '| --- | --- | --- |'
for program in "${programs[@]}"; do
  cell=$(printf '%.0f/s · %.2f µs' "$(middle "$program" pushes_per_s)" "$(middle "$program" cpu_us_per_push)")
  case $program in
    linkspan) echo "| linkspan push send | $cell | |" ;;
    linkspan-to-stand-in) echo "| linkspan push send, to the stand-in for APNs | $cell | |" ;;
    aioapns) echo "| aioapns, to the stand-in for APNs | $cell | **$(ratio aioapns pushes_per_s linkspan-to-stand-in)** |" ;;
    *) echo "| $program | $cell | **$(ratio "$program" pushes_per_s)** |" ;;
  esac
done
echo
echo "One push, from the start of the process to its end: $first ms. Memory: $((memory / 1024)) MB."
echo
verdict 'sender of pushes ÷ h2load, /s' "$(ratio h2load pushes_per_s)" '>=' 1 ×
[[ ${#programs[@]} -lt 4 ]] ||
  verdict 'sender of pushes ÷ aioapns, /s' "$(ratio aioapns pushes_per_s linkspan-to-stand-in)" '>=' 10 ×
verdict 'sender of pushes, memory' "$((memory / 1024))" '<=' 40 MB
verdict 'sender of pushes, one push and the whole process' "$first" '<=' 20 ms
