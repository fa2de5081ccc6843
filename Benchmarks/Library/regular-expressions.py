"""Decisions a second of a set of regular expressions: Python's re as one alternation, and RE2 where its module is installed.

Usage: regular-expressions.py RULES URLS OURS. A path is asked for the first of the rules that covers it; OURS are
linkspan's decisions a second, for the ratio. Processor time, so that other work on the machine counts less.
"""

import re
import statistics
import sys
import time


def expression(rule):
    """The regular expression for a pattern of an association file: `*` and `?` are wildcards."""
    body = "".join("(?s:.*)" if c == "*" else "(?s:.)" if c == "?" else re.escape(c) for c in rule)
    if rule.endswith("/*"):
        body = body[: -len("/(?s:.*)")] + "(?:/(?s:.*))?"
    return body


def rate(paths, decide):
    rates = []
    for _ in range(5):
        start = time.process_time()
        for path in paths:
            decide(path)
        rates.append(len(paths) / (time.process_time() - start))
    peer = statistics.median(rates)
    return f"{peer:.0f}/s, ratio {float(sys.argv[3]) / peer:.1f}"


with open(sys.argv[1]) as file:
    rules = file.read().split("\n")[:-1]
with open(sys.argv[2]) as file:
    urls = file.read().split("\n")[:-1]
paths = [url[len("https://example.com"):].split("?")[0] for url in urls]
expressions = [expression(rule) for rule in rules]

alternation = re.compile("|".join(f"({e})" for e in expressions))
few = paths[:400]
print(f"    Python re, one alternation of {len(rules)}: {rate(few, alternation.fullmatch)}")
try:
    import re2
except ImportError:
    print("    RE2: Python has no module re2 (pip install google-re2); not measured")
else:
    options = re2.Options()
    options.max_mem = 256 << 20
    rules_set = re2.Set.FullMatchSet(options)
    for e in expressions:
        rules_set.Add(e)
    rules_set.Compile()
    print(f"    RE2, a set of {len(rules)}: {rate(paths, rules_set.Match)}")
