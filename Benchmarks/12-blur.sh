#!/bin/bash
# The privacy cover's blur beside Pillow's box blur, three times: a picture of 1170 × 2532 pixels like a photograph, one core,
# in memory. Pillow comes from PyPI, into .build.
#
# BENCH_ROUNDS (5) says how often each is measured, in turns.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=Benchmarks/Library/figures.bash
source Benchmarks/Library/figures.bash

rounds=${BENCH_ROUNDS:-5}
python=.build/bench-python/bin/python
LINKSPAN_BENCHMARKS=1 swift build -c release --scratch-path .build/bench --product BlurBenchmark >&2
if ! "$python" -c 'import PIL, numpy' 2>/dev/null; then
  python3 -m venv .build/bench-python || fail "python3-venv is missing"
  "$python" -m pip install --quiet pillow numpy || fail "Pillow cannot be installed"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
pin=()
if command -v taskset >/dev/null 2>&1; then pin=(taskset -c 0); fi

cat >"$scratch/peer.py" <<'PYTHON'
import sys, time
import numpy
from PIL import Image, ImageFilter

path, width, height, radius, task = sys.argv[1], 1170, 2532, int(sys.argv[2]), sys.argv[3]
if task == "make":
    # Soft shapes, edges and the noise of a sensor; always the same.
    chance = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float32)
    channels = []
    for phase in range(3):
        channel = 128 + 60 * numpy.sin(x / (90 + 30 * phase)) * numpy.cos(y / 140) + 40 * (y / height - 0.5)
        channel += 50 * (((x // 130 + y // 170 + phase) % 3) == 0)
        channels.append(channel + chance.normal(0, 6, channel.shape))
    rgb = numpy.clip(numpy.stack(channels, -1), 0, 255).astype(numpy.uint8)
    rgba = numpy.dstack([rgb, numpy.full((height, width), 255, numpy.uint8)])
    open(path, "wb").write(rgba.tobytes())
    sys.exit()
picture = Image.frombytes("RGBA", (width, height), open(path, "rb").read())
for _ in range(2):
    began = time.perf_counter()
    picture.filter(ImageFilter.BoxBlur(radius)).filter(ImageFilter.BoxBlur(radius)).filter(ImageFilter.BoxBlur(radius))
    elapsed = time.perf_counter() - began
print(elapsed * 1000)
PYTHON
"$python" "$scratch/peer.py" "$scratch/picture" 0 make

# row TITLE POINTS BOX TASK: medians and their ratio. The radius of a box is half its width.
row() {
  local round
  : >"$scratch/own"
  : >"$scratch/pillow"
  for ((round = 1; round <= rounds; round++)); do
    "${pin[@]}" .build/bench/release/BlurBenchmark "$scratch/picture" 1170 2532 "$2" "$4" 1 >>"$scratch/own"
    "${pin[@]}" "$python" "$scratch/peer.py" "$scratch/picture" $((($3 - 1) / 2)) measure >>"$scratch/pillow"
  done
  paste "$scratch/own" "$scratch/pillow" | awk '{ print $2 / $1 }' | median >"$scratch/ratio"
  printf '| %s | %.0f ms | %.0f ms | **%.2f** |\n' "$1" "$(median <"$scratch/own")" \
    "$(median <"$scratch/pillow")" "$(<"$scratch/ratio")"
}

echo "Blur of 1170 × 2532 pixels, one core, median of $rounds rounds"
echo
echo '| effect | linkspan | Pillow, three boxes | times as fast |'
echo '| --- | --- | --- | --- |'
row 'three boxes of 57' 30 57 blur
first=$(<"$scratch/ratio")
row 'the preset light: boxes of 57, saturation, tint' 30 57 preset
row 'three boxes of 113' 60 113 blur
row 'bad case: boxes of 565, whose sums need 64 bits' 300 565 blur
echo
verdict 'blur ÷ Pillow' "$(printf '%.2f' "$first")" '>=' 1 ×
