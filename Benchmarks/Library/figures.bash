# What each benchmark sources: how it fails, its medians, and the figures that `Benchmarks/history` puts into one table.
# shellcheck shell=bash

results=.build/bench-results
mkdir -p "$results"
figures=$results/figures-$(basename "$0" .sh).jsonl
: >"$figures"

fail() {
  echo "bench: $1" >&2
  exit 2
}

# median: of the numbers on stdin, one a line.
median() { sort -g | awk '{ value[NR] = $1 } END { if (NR) print value[int((NR + 1) / 2)] }'; }

# verdict WHAT VALUE RELATION LIMIT UNIT: prints and keeps a figure beside what is wanted.
verdict() {
  local word=MISS
  if awk -v value="$2" -v limit="$4" -v relation="$3" \
    'BEGIN { exit !(value != "" && (relation == ">=" ? value >= limit : value <= limit)) }'; then
    word=PASS
  fi
  printf '%s%s  %s: %s%s (wanted %s %s%s)\n' "${BENCH_MARKDOWN:+- }" "$word" "$1" "$2" "$5" "$3" "$4" "$5"
  printf '{"type":"verdict","what":"%s","value":%s,"relation":"%s","limit":%s,"unit":"%s","passed":%s}\n' \
    "$1" "${2:-null}" "$3" "$4" "${5# }" "$([[ $word == PASS ]] && echo true || echo false)" >>"$figures"
}
