#!/bin/bash
# One whole process that answers about one small file: start, read, check, print, end.
#
# The peer, `python3 -m json.tool`, only tells whether the file is JSON; it is measured because it is what
# people run today. `/bin/true` shows what starting any process costs here, which is in both numbers.
# The programs take turns, pinned to one core; the median of the rounds counts.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/figures.bash
source Benchmarks/Library/figures.bash

rounds=51
file=Examples/site/bsky.app/.well-known/apple-app-site-association
linkspan=(.build/release/linkspan check --host bsky.app "$file" --json)
# The interpreter itself: a wrapper before it on the PATH would be measured too.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || python=
peer=("$python" -m json.tool "$file")

if ! "${linkspan[@]}" | grep -q '"check"'; then
  fail "this linkspan does not check; nothing was measured"
fi
core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -cp "$core" $$ >/dev/null

# Prints how many microseconds one run of the command takes.
once() {
  local before after
  before=${EPOCHREALTIME/[.,]/}
  "$@" >/dev/null 2>&1 || true
  after=${EPOCHREALTIME/[.,]/}
  echo $((after - before))
}

samples=$(mktemp -d)
trap 'rm -rf "$samples"' EXIT
for ((round = 0; round < rounds; round++)); do
  once /bin/true >>"$samples/true"
  once "${linkspan[@]}" >>"$samples/linkspan"
  if [[ -n $python ]]; then once "${peer[@]}" >>"$samples/peer"; fi
done

echo "check one file ($(stat -c %s "$file") bytes), process start included, median of $rounds:"
floor=$(median <"$samples/true")
ours=$(median <"$samples/linkspan")
printf '  %-24s %7d µs\n' '/bin/true' "$floor" 'linkspan check' "$ours"
if [[ -e $samples/peer ]]; then
  theirs=$(median <"$samples/peer")
  printf '  %-24s %7d µs   (only says whether it is JSON)\n' 'python3 -m json.tool' "$theirs"
  verdict 'check one file ÷ json.tool' "$(awk -v ours="$ours" -v theirs="$theirs" 'BEGIN { printf "%.2f", ours / theirs }')" \
    '<=' 0.18 ×
else
  echo '  python3 is not installed: no peer was measured'
fi
