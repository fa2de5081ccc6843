"""Recipes of files about apps, clips and devices; see recipes.py."""

import plistlib

from recipe_text import compact, largest, text

PROPERTY_LIST_BYTES = 4_194_304
# Our choice for kinds whose limit is that of any input file, 64 MB: what a person or a tool may really write.
OTHER_BYTES = 1_048_576
APP = "ABCDE12345.com.example.app"

COMMANDS = {
    "check-info-plist": "information", "handoff-predict": "information", "check-app-json": "expo",
    "swcutil-explain": "device", "clip-card": "experiences", "clip-url": "experiences", "clip-card-page": "page",
    "clip-codes": "table", "clip-code": "picture", "clip-ndef": "dump", "verify": "signed", "check-signed": "signed",
    "push-token": "token",
}

WORDS = ["\u202e", "<", ">", "&amp;", "\n", ",", "NFC", "%0A", "app-id=1, ", "Service: applinks\n", "com.example."]

SEEDS = {
    "information": [
        dict(types=20000, schemes=10, text=[["com.example.edit{i}", 1]], nesting=0),
        dict(types=10, schemes=20000, text=[["x{i}", 1]], nesting=100),
        dict(types=400, schemes=400, text=[["a", 5000], ["{i}", 1]], nesting=0),
    ],
    "expo": [
        dict(domains=8000, filters=10, text=[["applinks:h{i}.example.com", 1]], nesting=0),
        dict(domains=10, filters=4000, text=[["applinks:*.", 1], ["a.", 5], ["example.com{i}", 1]], nesting=50),
    ],
    "device": [
        dict(entries=6000, text=[["h{i}.example.com", 1]], log=0, line=[["swcd: a{i}", 1]]),
        dict(entries=10, text=[["example.com", 1]], log=12000,
             line=[["swcd: Task {i} <https://h{i}.example.com/> error -1001\n", 1]]),
        dict(entries=300, text=[["*.", 1], ["a", 3000]], log=300, line=[["{ s = applinks, d = a{i} }: {", 1]]),
    ],
    "experiences": [
        dict(advanced=8000, languages=0, text=[["/shop{i}", 1]], title=[["T", 30]], url=[["/shop1", 1]]),
        dict(advanced=200, languages=40, text=[["/", 1], ["a/", 900], ["{i}", 1]], title=[["é", 60]], url=[["/a", 500]]),
        dict(advanced=3000, languages=1, text=[["/shop", 1]], title=[["T", 5]], url=[["/shop/", 1], ["b", 9000]]),
    ],
    "page": [
        dict(count=1, text=[["<meta name='apple-itunes-app' content='app-id=1, app-clip-bundle-id=a'>\n", 10000]]),
        dict(count=8, text=[["<meta ", 1], ["a=b ", 200000]]),
        dict(count=2, text=[["<!--", 100000], ["<script>", 50000]]),
    ],
    "table": [
        dict(rows=10000, text=[["https://example.com/a?p={i}", 1]], name=[["code{i}", 1]], form="print"),
        dict(rows=10000, text=[["https://example.com/", 1], ["a", 60]], name=[["\"\"", 80]], form="generator"),
        dict(rows=10000, text=[["https://example.com/é{i}", 1]], name=[["x", 180]], form="connect"),
    ],
    "picture": [
        dict(text=[["<g>", 100000]], payload=[["https://example.com/a?p=1", 1]], repeats=1),
        dict(text=[["<path d='M0 0'/>", 60000]], payload=[["a", 60000]], repeats=20),
    ],
    "dump": [
        dict(records=100000, body=3, form="hex"), dict(records=3, body=60000, form="bytes"),
        dict(records=60000, body=0, form="tag"),
    ],
    "signed": [
        dict(algorithms=1, certificates=2000, signers=1, attributes=1, content=100000, nesting=0),
        dict(algorithms=1, certificates=1, signers=3000, attributes=3, content=100, nesting=0),
        dict(algorithms=20000, certificates=0, signers=1, attributes=1, content=10, nesting=900),
    ],
    "token": [dict(parts=3, text=[["A", 8000]]), dict(parts=3, text=[["W1tb", 200000]])],
}


def nested(count):
    value = []
    for _ in range(min(count, 200)): value = [value]
    return value


def make_information(recipe, folder):
    types, schemes = min(recipe["types"], 50_000), min(recipe["schemes"], 50_000)
    while True:
        names = [text(recipe["text"], i, 6000) for i in range(max(1, types, schemes))]
        made = plistlib.dumps({
            "CFBundleIdentifier": "com.example.app", "NSUserActivityTypes": names[:types], "x": nested(recipe["nesting"]),
            "CFBundleURLTypes": [{"CFBundleURLSchemes": names[:schemes]}], "LSApplicationQueriesSchemes": names[:schemes]})
        if len(made) <= PROPERTY_LIST_BYTES: break
        types, schemes = types // 2, schemes // 2
    (folder / "Info.plist").write_bytes(made)
    if recipe["command"] == "check-info-plist": return ["check", "Info.plist", "--json"], None
    return ["handoff", "predict", "--team", "ABCDE12345", "--app", "Info.plist", "--json"], None


def make_expo(recipe, folder):
    def build(count):
        names = [text(recipe["text"], i, 2000) for i in range(count)]
        return {"expo": {
            "name": "a", "slug": "a", "x": nested(recipe["nesting"]),
            "ios": {"bundleIdentifier": "com.example.app", "associatedDomains": names[:max(1, recipe["domains"])]},
            "android": {"package": "com.example.app", "intentFilters": [
                {"action": "VIEW", "autoVerify": True, "data": [{"scheme": "https", "host": name}]}
                for name in names[:recipe["filters"]]]}}}

    (folder / "app.json").write_text(
        compact(largest(build, OTHER_BYTES, max(1, recipe["domains"], recipe["filters"]))))
    return ["check", "app.json", "--json"], None


def make_device(recipe, folder):
    rule = "-" * 80 + "\n"
    entries = [
        f"Service:              applinks\nApp ID:               {APP}\nDomain:               "
        f"{text(recipe['text'], i, 4000)}\nUser Approval:        unspecified\nSite/Fmwk Approval:   approved\n"
        "Flags:                \nLast Checked:         2025-01-05 9:03:07 PM +0000\n"
        "Next Check:           2025-01-10 8:55:00 PM +0000\n" for i in range(min(recipe["entries"], 60_000))]
    lines = [text(recipe["line"], i, 4000) + "\n" for i in range(min(recipe["log"], 60_000))]
    head = "=" * 35 + " DATABASE " + "=" * 35 + "\n"
    whole = head + rule.join(entries) + "=" * 35 + " NETWORK " + "=" * 36 + "\n(empty)\n" + "".join(lines)
    (folder / "swcutil_show.txt").write_text(whole.encode()[:4 * OTHER_BYTES].decode(errors="ignore"))
    return ["swcutil", "explain", "swcutil_show.txt", "--json"], None


def experiences(recipe):
    def build(count):
        title = text(recipe["title"], 0, 4000)
        words = {"title": title, "subtitle": title}
        languages = {f"L{i}": words for i in range(min(recipe["languages"], 200))}
        return {
            "app": {"bundle_id": "com.example.app", "name": "A", "store_id": 1},
            "clip": {"bundle_id": "com.example.app.Clip", "minimum_os": "16.4", "domains": ["example.com"]},
            "default": {"subtitle": title, "action": "OPEN", "website": "https://example.com"},
            "advanced": [{"url": "https://example.com" + text(recipe["text"], i, 4000), "action": "VIEW",
                          "languages": languages, **words} for i in range(min(count, max(1, recipe["advanced"])))]}

    return compact(largest(build, OTHER_BYTES, max(1, recipe["advanced"])))


def make_experiences(recipe, folder):
    (folder / "experiences.json5").write_text(experiences(recipe))
    if recipe["command"] == "clip-card": return ["clip", "card", "experiences.json5", "--json"], None
    link = "https://example.com" + "".join(c for c in text(recipe["url"], 1, 60_000) if c > " ")
    return ["clip", "url", link, "--experiences", "experiences.json5", "--json"], None


def make_page(recipe, folder):
    (folder / "experiences.json5").write_text(experiences(dict(
        advanced=100, languages=0, text=[["/shop{i}", 1]], title=[["T", 5]])))
    arguments = []
    for i in range(max(1, min(recipe["count"], 8))):
        (folder / f"{i}.html").write_text("<html><head>" + text(recipe["text"], i, OTHER_BYTES) + "</head></html>")
        arguments += ["--page", f"{i}.html"]
    return ["clip", "card", "experiences.json5", *arguments, "--json"], None


def make_table(recipe, folder):
    heads = {"print": "SVG File Name,URL", "connect": "URL",
             "generator": "SVG File Name,URL,Background Color, Foreground Color,Type,Logo"}
    form = recipe["form"] if recipe["form"] in heads else "print"

    def row(i):
        url, name = text(recipe["text"], i, 4000), text(recipe["name"], i, 1000)
        if form == "connect": return url
        return f'"{name}.svg",{url}' + (",FFFFFF,000000,cam,none" if form == "generator" else "")

    rows = "\n".join([heads[form]] + [row(i) for i in range(max(1, min(recipe["rows"], 20_000)))])
    (folder / "codes.csv").write_text(rows.encode()[:4 * OTHER_BYTES].decode(errors="ignore") + "\n")
    return ["clip", "codes", "codes.csv", "--json"], None


def make_picture(recipe, folder):
    arguments = []
    payload = text(recipe["payload"], 1, 60_000).replace('"', "")
    for i in range(max(1, min(recipe["repeats"], 40))):
        body = text(recipe["text"], i, OTHER_BYTES)
        (folder / f"{i}.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" data-payload="{payload}">{body}</svg>')
        arguments.append(f"{i}.svg")
    return ["clip", "code", *arguments, "--json"], None


def make_dump(recipe, folder):
    count, length = max(1, min(recipe["records"], 200_000)), min(recipe["body"], 60_000)
    body = bytes([4]) + b"a" * length
    head = bytes([0x11, 1, len(body)]) if len(body) < 256 else bytes([0x01, 1]) + len(body).to_bytes(4, "big")
    message = ((head + b"U" + body) * count)[:OTHER_BYTES]
    if recipe["form"] == "tag": message = bytes([3, 255]) + min(len(message), 65_535).to_bytes(2, "big") + message
    (folder / "tag.bin").write_bytes(message.hex().encode() if recipe["form"] == "hex" else message)
    return ["clip", "ndef", "https://example.com/a", "--read", "tag.bin", "--json"], None


# MARK: - Signed files

def der(tag, *parts):
    body = b"".join(parts)
    if len(body) < 128: return bytes([tag, len(body)]) + body
    length = len(body).to_bytes((len(body).bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + body


def make_signed(recipe, folder):
    """CMS that has its form and no valid signature."""
    data, signed = der(6, bytes.fromhex("2a864886f70d010701")), der(6, bytes.fromhex("2a864886f70d010702"))
    sha256 = der(0x30, der(6, bytes.fromhex("608648016503040201")))
    ecdsa = der(0x30, der(6, bytes.fromhex("2a8648ce3d040302")))
    name = der(0x30, der(0x31, der(0x30, der(6, bytes.fromhex("550403")), der(12, b"a"))))
    key = der(0x30, der(0x30, der(6, bytes.fromhex("2a8648ce3d0201")), der(6, bytes.fromhex("2a8648ce3d030107"))),
              der(3, b"\0\4" + bytes(64)))

    def number(i): return der(2, b"\1" + i.to_bytes(3, "big"))

    def certificate(i):
        times = der(0x30, der(23, b"250101000000Z"), der(23, b"490101000000Z"))
        return der(0x30, der(0x30, der(0xA0, der(2, b"\2")), number(i), ecdsa, name, times, name, key), ecdsa,
                   der(3, b"\0" + bytes(64)))

    def signer(i):
        attribute = der(0x30, der(6, bytes.fromhex("2a864886f70d010903")), der(0x31, data))
        attributes = der(0xA0, attribute * min(recipe["attributes"], 1000)) if recipe["attributes"] else b""
        return der(0x30, der(2, b"\1"), der(0x30, name, number(i)), sha256, attributes, ecdsa, der(4, bytes(64)))

    content = (b'{"applinks":{"details":[]}}' + b" " * recipe["content"])[:131_072]
    for _ in range(min(recipe["nesting"], 1000)): name = der(0x30, name)
    parts = [min(recipe[key], 30_000) for key in ("algorithms", "certificates", "signers")]
    while True:
        made = der(0x30, signed, der(0xA0, der(
            0x30, der(2, b"\1"), der(0x31, sha256 * parts[0]), der(0x30, data, der(0xA0, der(4, content))),
            der(0xA0, *[certificate(i) for i in range(parts[1])]) if parts[1] else b"",
            der(0x31, *[signer(i) for i in range(parts[2])]))))
        if len(made) <= OTHER_BYTES: break
        parts = [part // 2 for part in parts]
        recipe = dict(recipe, attributes=recipe["attributes"] // 2)
    (folder / "signed").write_bytes(made)
    if recipe["command"] == "check-signed": return ["check", "signed", "--json"], None
    return ["verify", "signed", "--json"], None


def make_token(recipe, folder):
    part = text(recipe["text"], 1, OTHER_BYTES // 4)
    (folder / "token").write_text(".".join([part] * max(1, min(recipe["parts"], 20))))
    return ["push", "token", "--check", "token", "--json"], None


MAKERS = {
    "information": make_information, "expo": make_expo, "device": make_device, "experiences": make_experiences,
    "page": make_page, "table": make_table, "picture": make_picture, "dump": make_dump, "signed": make_signed,
    "token": make_token,
}
