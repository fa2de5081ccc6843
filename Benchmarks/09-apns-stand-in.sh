#!/bin/bash
# The stand-in for APNs, which validates every request, beside nghttpd, which does not: h2load with one connection and 100
# requests in flight, over TLS, each push with a JWT that is really signed, five fields and 112 bytes of content. The tokens
# are one again and again, and 10,000 in turn.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/servers.bash
source Benchmarks/Library/servers.bash

file=$results/apns-stand-in.jsonl
: >"$file"
count=100000
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$scratch/key.p8" 2>"$scratch/openssl" ||
  { cat "$scratch/openssl" >&2; fail "openssl cannot make a key"; }
key=(--auth-key "$scratch/key.p8" --auth-key-id A1B2C3D4E5 --team-id F6G7H8I9J0)
printf '%s' '{"aps":{"alert":{"title":"Your order","body":"It is on its way."},"sound":"default"},"order":"1234567890ABCDEF"}' \
  >"$scratch/content"

read -r own peer < <("$driver" free-ports --count 2)
start stand-in "$linkspan" stand-in apns --listen "127.0.0.1:$own" --write-certificate "$scratch/ca.pem" "${key[@]}" \
  --topic com.example.app
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout "$scratch/key.pem" -out "$scratch/certificate.pem" 2>"$scratch/openssl" ||
  { cat "$scratch/openssl" >&2; fail "openssl cannot make a certificate"; }
mkdir -p "$scratch/root/3/device"
start nghttpd nghttpd --address 127.0.0.1 --htdocs "$scratch/root" "$peer" "$scratch/key.pem" "$scratch/certificate.pem"
bearer=$("$linkspan" push token "${key[@]}")
awk 'BEGIN {
  srand(1)
  for (row = 0; row < 10000; row++) {
    token = ""
    for (digit = 0; digit < 64; digit++) token = token sprintf("%x", int(rand() * 16))
    print token
  } }' >"$scratch/tokens"
# nghttpd answers a push with the file of the token's name, so that both answer 200 without a body.
while read -r token; do : >"$scratch/root/3/device/$token"; done <"$scratch/tokens"
for port in "$own" "$peer"; do
  sed "s|^|https://127.0.0.1:$port/3/device/|" "$scratch/tokens" >"$scratch/many-$port"
  head -n 1 "$scratch/many-$port" >"$scratch/one-$port"
  for ((attempt = 0; attempt < 100; attempt++)); do
    ! curl -sk --http2 -o "$scratch/answer" "https://127.0.0.1:$port/" || break
    sleep 0.05
  done
done

# measure PORT TOKENS: requests a second.
measure() {
  taskset -c "$load_core" h2load -t 1 -c 1 -m 100 -n "$count" -d "$scratch/content" -i "$scratch/$2-$1" \
    -H "authorization: bearer $bearer" -H 'apns-topic: com.example.app' -H 'apns-push-type: alert' \
    -H 'apns-priority: 10' -H 'apns-expiration: 0' >"$scratch/out" 2>&1 ||
    { cat "$scratch/out" >&2; fail "h2load failed"; }
  grep -q "status codes: $count 2xx" "$scratch/out" || { cat "$scratch/out" >&2; fail "a push was not accepted"; }
  sed -n 's/^finished in [^,]*, \([0-9.]*\) req\/s.*/\1/p' "$scratch/out"
}

for ((round = 1; round <= rounds; round++)); do
  for tokens in one many; do
    for program in linkspan nghttpd; do
      port=$own
      [[ $program == linkspan ]] || port=$peer
      printf '{"type":"apns-stand-in","row":"%s","program":"%s","round":%d,"requests_per_s":%s}\n' \
        "$tokens" "$program" "$round" "$(measure "$port" "$tokens")" >>"$file"
    done
  done
done

middle() { grep "\"row\":\"$1\",\"program\":\"$2\"" "$file" | member requests_per_s | median; }
ratio() {
  paste <(grep "\"row\":\"$1\",\"program\":\"linkspan\"" "$file" | member requests_per_s) \
    <(grep "\"row\":\"$1\",\"program\":\"nghttpd\"" "$file" | member requests_per_s) |
    awk '$2 > 0 { print $1 / $2 }' | median | awk '{ printf "%.2f", $1 }'
}
declare -A titles=([one]='one token' [many]='10,000 tokens')
echo "Stand-in for APNs under h2load, one connection, 100 in flight: pushes a second, median of $rounds rounds"
echo
echo '| pushes | linkspan, every one validated | nghttpd | ÷ nghttpd |'
echo '| --- | --- | --- | --- |'
for tokens in one many; do
  printf '| %s | %.0f/s | %.0f/s | **%s** |\n' "${titles[$tokens]}" "$(middle "$tokens" linkspan)" \
    "$(middle "$tokens" nghttpd)" "$(ratio "$tokens")"
done
echo
verdict 'stand-in for APNs ÷ nghttpd, one token' "$(ratio one)" '>=' 0.6 ×
verdict 'stand-in for APNs ÷ nghttpd, 10,000 tokens' "$(ratio many)" '>=' 0.8 ×
