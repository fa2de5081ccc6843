#!/bin/bash
# Stories: a thousand devices for five and a half days, with the day on which all of them look again; and the swarm,
# a thousand made-up stories of faults with every invariant looked at after each step.
#
# Nothing else plays such stories, so there is no peer; /bin/true shows what starting a process costs.
# Whole processes, pinned to one core; the median of the rounds counts.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/figures.bash
source Benchmarks/Library/figures.bash

rounds=5
linkspan=.build/release/linkspan
fleet=("$linkspan" simulate Benchmarks/stories/fleet-re-checks.json5)
swarm=("$linkspan" simulate --swarm 1000 --seed 1)
core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
taskset -cp "$core" $$ >/dev/null

# Prints how many milliseconds one run of the command takes; one that fails ends the benchmark.
once() {
  local before after
  before=${EPOCHREALTIME/[.,]/}
  "$@" >/dev/null 2>&1
  after=${EPOCHREALTIME/[.,]/}
  echo $(((after - before) / 1000))
}

samples=$(mktemp -d)
trap 'rm -rf "$samples"' EXIT
for ((round = 0; round < rounds; round++)); do
  once /bin/true >>"$samples/true"
  once "${fleet[@]}" >>"$samples/fleet"
  once "${swarm[@]}" >>"$samples/swarm"
done

events=$("${fleet[@]}" | grep -o '[0-9]* events' | tail -n 1)
echo "simulate, process start included, median of $rounds:"
printf '  %-44s %7d ms\n' '/bin/true' "$(median <"$samples/true")"
printf '  %-44s %7d ms   (%s)\n' '1,000 devices, their re-checks of a day' "$(median <"$samples/fleet")" "$events"
printf '  %-44s %7d ms\n' '1,000 seeds of the swarm' "$(median <"$samples/swarm")"
verdict 'a story of 1,000 devices' "$(median <"$samples/fleet")" '<=' 2000 ' ms'
verdict '1,000 seeds of the swarm' "$(median <"$samples/swarm")" '<=' 15000 ' ms'
