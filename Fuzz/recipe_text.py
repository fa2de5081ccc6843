"""Text of recipes: pieces that are repeated, and the largest file that fits into a limit."""

import json

URL_BYTES = 65_000


def text(parts, number, limit=URL_BYTES):
    result = ""
    for word, count in parts or []:
        word = word.replace("{i}", str(number))
        result += word * min(count, max(1, (limit - len(result)) // max(1, len(word))))
        if len(result) >= limit: break
    return result[:limit]


def compact(value): return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def size(value): return len(compact(value).encode())


def largest(build, limit, most):
    """What `build` makes of the largest number that fits; nothing much larger than the limit is made on the way."""
    high = 1
    while high < most and size(build(high)) <= limit: high = min(most, high * 2)
    low = max(1, high // 2)
    while low < high:
        middle = (low + high + 1) // 2
        if size(build(middle)) <= limit: low = middle
        else: high = middle - 1
    return build(low)
