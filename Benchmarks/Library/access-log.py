"""Writes a seeded access log in the combined format, whose numbers are known, to standard output.

Usage: access-log.py [--days 30] [--rps 2] [--growth 0.01] [--swing 0.5] [--seed 1] [--garbage 100]
       [--stampede DAY:HOUR:REQUESTS:SECONDS]... [--gap DAY:HOUR:SECONDS] [--dst DAY]

The rate is rps × (1 + growth)^day, times a sine over the day that is highest at 18 o'clock UTC. A stampede falls to a third of
itself in about SECONDS. --dst changes the offset of the log's clock from +0100 to +0200 at that day's start.
"""

import argparse
import math
import random
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--days", type=int, default=30)
parser.add_argument("--rps", type=float, default=2)
parser.add_argument("--growth", type=float, default=0.01)
parser.add_argument("--swing", type=float, default=0.5)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--garbage", type=int, default=100)
parser.add_argument("--stampede", action="append", default=[])
parser.add_argument("--gap")
parser.add_argument("--dst", type=int)
options = parser.parse_args()
chance = random.Random(options.seed)
START = 1_772_409_600  # 2026-03-02T00:00:00Z, a Monday
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
DEVICE = "com.apple.swcd (unknown version) CFNetwork/1568.100.1 Darwin/24.0.0"
FILE = "/.well-known/apple-app-site-association"

waves = {}
for text in options.stampede:
    day, hour, requests, seconds = (float(part) for part in text.split(":"))
    for _ in range(int(requests)):
        second = int(day * 86_400 + hour * 3_600 + chance.expovariate(1 / max(seconds, 0.1)))
        waves[second] = waves.get(second, 0) + 1
gap = range(0)
if options.gap:
    day, hour, seconds = (float(part) for part in options.gap.split(":"))
    begin = int(day * 86_400 + hour * 3_600)
    gap = range(begin, begin + int(seconds))


def poisson(mean):
    if mean > 50:
        return max(0, round(chance.gauss(mean, math.sqrt(mean))))
    count, product, limit = 0, chance.random(), math.exp(-mean)
    while product > limit:
        count += 1
        product *= chance.random()
    return count


def day_of(second, offset):
    """Year, month, day and time of the log's clock."""
    import datetime

    moment = datetime.datetime.fromtimestamp(START + second + offset, datetime.timezone.utc)
    return f"{moment.day:02}/{MONTHS[moment.month - 1]}/{moment.year}:{moment:%H:%M:%S}"


total = options.days * 86_400
garbage = set(chance.sample(range(total), min(total, options.garbage)))
write = sys.stdout.write
for second in range(total):
    day = second / 86_400
    rate = options.rps * (1 + options.growth) ** day
    rate *= 1 + options.swing * math.cos((day % 1 - 0.75) * 2 * math.pi)
    calm = poisson(rate)
    wave = waves.get(second, 0)
    if second in garbage:
        write("this line is \x00 no request\n")
    if second in gap or not calm and not wave:
        continue
    offset = 0
    if options.dst is not None:
        offset = 3_600 if day < options.dst else 7_200
    moment = f"{day_of(second, offset)} +{offset // 3600:02}00"
    for _ in range(calm):
        write(f'192.0.2.7 - - [{moment}] "GET /page/{chance.randrange(1000)} HTTP/1.1" 200 512 "-" "Mozilla/5.0"\n')
    for _ in range(wave):
        write(f'192.0.2.8 - - [{moment}] "GET {FILE} HTTP/1.1" 200 512 "-" "{DEVICE}"\n')
