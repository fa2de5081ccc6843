# Starts Linkspan and its peers on loopback for the benchmarks that source this, and ends them.
#
# All show the same certificate (ECDSA P-256, made here) and answer with the same body of 2 KB. The fields around it
# differ: Linkspan adds ETag, Cache-Control and X-Content-Type-Options, h2o Last-Modified, ETag and Accept-Ranges,
# and both peers name themselves in Server.
# shellcheck shell=bash

# shellcheck source=Benchmarks/Library/figures.bash
source Benchmarks/Library/figures.bash

rounds=${BENCH_ROUNDS:-5}
seconds=${BENCH_SECONDS:-1}
# One core for the server and another for the load; the same one where there is no other.
server_core=0
load_core=$(($(nproc) > 1 ? 1 : 0))
path=/.well-known/apple-app-site-association
linkspan=.build/release/linkspan
driver=.build/bench/release/LoadDriver
body_bytes=2048

# Debian keeps nginx where not every PATH looks.
PATH=$PATH:/usr/sbin

scratch=$(mktemp -d)
# What nginx's worker, which drops its rights, has to reach.
chmod 755 "$scratch"
declare -A processes=() plain=() tls=() h2c=()
started=()

cleanup() {
  trap - EXIT INT TERM
  local pid
  for pid in "${started[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

ulimit -Sn "$(ulimit -Hn)"
[[ -x $linkspan ]] || fail "there is no $linkspan; run 'make bench'"
Scripts/setup build bench
LINKSPAN_BENCHMARKS=1 swift build -c release --scratch-path .build/bench --product LoadDriver >"$scratch/build" 2>&1 ||
  { cat "$scratch/build" >&2; fail "the load driver cannot be built"; }

load() { taskset -c "$load_core" "$driver" "$@"; }

# Makes the certificate, the answer and the folder it lies in.
make_site() {
  mkdir -p "$scratch/site/localhost/.well-known"
  local body components='' number=0
  while ((${#components} < 1900)); do
    components+="{\"/\":\"/articles/section-$number/*\",\"comment\":\"\"},"
    number=$((number + 1))
  done
  body='{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":['"${components%,}"']}]}}'
  # White space at the end is JSON and makes up the round number.
  printf '%-*s' "$body_bytes" "$body" >"$scratch/site/localhost$path"
  [[ $(stat -c %s "$scratch/site/localhost$path") -eq $body_bytes ]] || fail "the body has not $body_bytes bytes"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -addext extendedKeyUsage=serverAuth \
    -keyout "$scratch/key.pem" -out "$scratch/certificate.pem" 2>"$scratch/openssl" ||
    { cat "$scratch/openssl" >&2; fail "openssl cannot make a certificate"; }
  # nginx and h2o read it as other users; linkspan refuses such a key.
  install -m 600 "$scratch/key.pem" "$scratch/own-key.pem"
  chmod 644 "$scratch/key.pem"
}

# configure TEMPLATE NAME: fills a template of Configurations in.
configure() {
  local template=Benchmarks/Configurations/$1 body
  body=$(<"$scratch/site/localhost$path")
  body=$(printf '%-*s' "$body_bytes" "$body")x
  awk -v files="$(ulimit -n)" -v scratch="$scratch" -v plain="${plain[$2]}" -v tls="${tls[$2]}" \
    -v h2c="${h2c[$2]:-}" -v body="${body%x}" '
    { gsub(/@FILES@/, files); gsub(/@SCRATCH@/, scratch); gsub(/@PLAIN@/, plain); gsub(/@TLS@/, tls)
      gsub(/@H2C@/, h2c); gsub(/@BODY@/, body); print }' "$template" >"$scratch/$2.conf"
}

# start NAME COMMAND…: on the server's core, in the background; its pid is in `pid`.
start() {
  local name=$1
  shift
  taskset -c "$server_core" "$@" >"$scratch/$name.log" 2>&1 </dev/null &
  pid=$!
  started+=("$pid")
}

# finish PID: ends what was started, and waits for its end.
finish() {
  local other rest=()
  kill -TERM "$1" 2>/dev/null || true
  wait "$1" || true
  for other in "${started[@]}"; do [[ $other == "$1" ]] || rest+=("$other"); done
  started=("${rest[@]}")
}

# Waits until a server answers as it should, or says what it said.
await_answer() {
  local name=$1 attempt
  for ((attempt = 0; attempt < 100; attempt++)); do
    # A server that has ended will not answer any more.
    [[ -d /proc/$pid ]] || break
    if curl -s -o "$scratch/answer" --cacert "$scratch/certificate.pem" --resolve "localhost:$3:127.0.0.1" \
        "$2://localhost:$3$path" 2>/dev/null &&
      cmp -s "$scratch/answer" "$scratch/site/localhost$path"; then
      return
    fi
    sleep 0.05
  done
  cat "$scratch/$name".log >&2
  fail "$name does not answer with the file over $2"
}

start_linkspan() {
  read -r "plain[linkspan]" "tls[linkspan]" < <("$driver" free-ports --count 2)
  h2c[linkspan]=${plain[linkspan]}
  local limits=(--max-connections 18000 --max-connections-per-address 18000)
  start linkspan-plain "$linkspan" serve "$scratch/site" --plain --listen "127.0.0.1:${plain[linkspan]}" "${limits[@]}"
  processes[linkspan]=$pid
  await_answer linkspan-plain http "${plain[linkspan]}"
  start linkspan-tls "$linkspan" serve "$scratch/site" --listen "127.0.0.1:${tls[linkspan]}" "${limits[@]}" \
    --certificate "$scratch/certificate.pem" --key "$scratch/own-key.pem"
  processes[linkspan]+=,$pid
  await_answer linkspan-tls https "${tls[linkspan]}"
}

# start_nginx NAME: with the configuration of that name; the process that counts is the worker.
start_nginx() {
  read -r "plain[$1]" "tls[$1]" "h2c[$1]" < <("$driver" free-ports --count 3)
  configure "$1.conf" "$1"
  start "$1" nginx -p "$scratch" -c "$scratch/$1.conf"
  await_answer "$1" http "${plain[$1]}"
  await_answer "$1" https "${tls[$1]}"
  # The file ends without a line end, which `read` calls a failure.
  local children
  children=$(<"/proc/$pid/task/$pid/children")
  processes[$1]=${children%% *}
}

start_h2o() {
  read -r "plain[h2o]" "tls[h2o]" < <("$driver" free-ports --count 2)
  h2c[h2o]=${plain[h2o]}
  configure h2o.conf h2o
  start h2o h2o -c "$scratch/h2o.conf"
  await_answer h2o http "${plain[h2o]}"
  await_answer h2o https "${tls[h2o]}"
  processes[h2o]=$pid
}

# member NAME: the number behind "NAME": in the one line of JSON on stdin.
member() { sed -n "s/.*\"$1\":\\([-0-9.]*\\).*/\\1/p"; }

# Nanoseconds of processor time that a server's processes have used so far.
processor_time() {
  local pid sum=0 time
  for pid in ${processes[$1]//,/ }; do
    for task in "/proc/$pid/task/"*/schedstat; do
      read -r time _ <"$task"
      sum=$((sum + time))
    done
  done
  echo "$sum"
}
