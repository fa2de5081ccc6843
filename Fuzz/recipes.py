"""Recipes of legal files: what `Fuzz/breed` mutates, and how each becomes the files and arguments of one command."""

import copy
import json
import plistlib
import struct
import zipfile

import app_recipes
from recipe_text import URL_BYTES, compact, largest, size, text

ASSOCIATION_BYTES = 131_072
STATEMENT_BYTES = 262_144
PAYLOAD_BYTES = 262_144
PROPERTY_LIST_BYTES = 4_194_304
SOURCE_BYTES = 1_048_576
REQUEST_BYTES = 1_048_576
ROUTES = 10_000
APP = "ABCDE12345.com.example.app"
HOST = "example.com"

# Each command that judges a file, with the kind of its recipe.
COMMANDS = {
    "check": "association", "check-releases": "association", "check-site": "association",
    "serve-dry-run": "association", "coverage-routes": "association", "check-fix-assetlinks": "statements",
    "check-fix-entitlements": "entitlements", "check-fix": "association", "match": "association", "match-batch": "association",
    "explain": "association", "diff": "association", "coverage": "association", "swcutil-verify": "association",
    "swcutil-match": "association", "init-from": "association", "check-assetlinks": "statements",
    "check-entitlements": "entitlements", "explain-entitlements": "entitlements", "push-lint": "payload",
    "generate": "request", "review": "source", "inspect-ipa": "archive", "clip-size-ipa": "archive",
    "inspect-macho": "program", "clip-size-report": "report", **app_recipes.COMMANDS,
}

# Pieces of patterns, repeated so often: text with {i}, the number of the rule.
def rule(path, query=None, fragment=None, **keys): return dict(path=path, query=query, fragment=fragment, **keys)


SEEDS = {
    "association": [
        dict(apps=1, entries=1, shift=0, rules=[rule([["/p{i}/*", 1]])], variables={}, defaults=None,
             url=[["/p1/b", 1]], urlQuery=[], way="messages"),
        dict(apps=1, entries=1, shift=0, rules=[rule([["/", 1], ["*a", 20], ["{i}", 1]])], variables={},
             defaults=None, url=[["/", 1], ["a", 30000]], urlQuery=[], way="typed"),
        dict(apps=1, entries=1, shift=0, rules=[rule([["/*", 1], ["?a", 2000], ["b*", 1]])], variables={},
             defaults=None, url=[["/", 1], ["a", 60000]], urlQuery=[], way="messages"),
        dict(apps=1, entries=1, shift=0, rules=[rule([["/$(b)$(b)/{i}", 1]])], variables={"b": [[["*v{i}", 1]], 3000]},
             defaults=None, url=[["/", 1], ["v1", 20000]], urlQuery=[], way="safari"),
        dict(apps=1, entries=1, shift=0, rules=[rule([["/*{i}", 1]], [["?*", 1]], items=30)], variables={},
             defaults=[[["?*", 1]], 300], url=[["/a1", 1]], urlQuery=[["q{i}=x&", 5000]], way="messages"),
        dict(apps=400, entries=12, shift=7, rules=[rule([["/*/{i}x*", 1]])], variables={}, defaults=None,
             url=[["/", 1], ["ax", 9000]], urlQuery=[], way="typed"),
        dict(apps=1, entries=1, shift=0, variables={}, defaults=None, url=[["/é1", 1]], urlQuery=[], way="messages",
             rules=[rule([["*{i}*é*", 1]], caseSensitive=False, percentEncoded=False),
                    rule([["*$(lang)*$(region)*/{i}", 1]], exclude=True)]),
    ],
    "statements": [
        dict(count=1, components=4000, rules=[rule([["/", 1], ["*a", 20], ["{i}", 1]])]),
        dict(count=600, components=2, rules=[rule([["/a{i}*", 1]], [["?*", 1]], items=2)]),
    ],
    "entitlements": [
        dict(entries=500, text=[["applinks:h{i}.", 1], ["example.com", 1]], nesting=0, way="messages"),
        dict(entries=20000, text=[["applinks:*.", 1], ["a.", 5], ["example.com?mode=developer", 1]], nesting=0,
             way="typed"),
        dict(entries=500, text=[["applinks:*.example.com", 1]], nesting=0, way="typed"),
    ],
    "payload": [
        dict(nesting=100, keys=8000, text=[["k{i}", 1]], inAps=True, value=[["x", 1]]),
        dict(nesting=0, keys=1, text=[["alert", 1]], inAps=True, value=[["%@\\u202e", 30000]]),
    ],
    "request": [
        dict(routes=10000, exclusions=0, text=[["/p{i}/:id", 1]], other=[["/x{i}", 1]], apps=1),
        dict(routes=300, exclusions=300, text=[["/:a/:b/p{i}", 1]], other=[["/:a/q{i}/*", 1]], apps=1),
        dict(routes=3000, exclusions=100, text=[["/:lang", 3], ["/p{i}/*", 1]], other=[["/*", 1]], apps=40),
    ],
    "source": [
        dict(name="a.swift", head=True, body=[["a", 1], [".b(c)", 100000]]),
        dict(name="a.swift", head=True, body=[["f { x in ", 20000], ["}", 20000]]),
        dict(name="a.swift", head=True, body=[["guard let x = a, let y = x else { return false }\n", 20000]]),
        dict(name="a.m", head=False, body=[["if (a) { [b c:d]; ", 20000], ["}", 20000]]),
        dict(name="a.swift", head=True, body=[["let z = a ? b : c + d(e) { $0.f }\n", 20000]]),
    ],
    "archive": [
        dict(files=60000, text=[["f{i}", 1]], depth=0, bytes=10),
        dict(files=5000, text=[["d/", 100], ["f{i}", 1]], depth=3, bytes=2000),
        dict(files=200, text=[["F{i}.framework/F{i}", 1]], depth=0, bytes=100000),
    ],
    "program": [
        dict(slices=60, commands=2000, text=[["@rpath/L{i}.dylib", 1]], entitlements=1000),
        dict(slices=1, commands=20000, text=[["a", 40]], entitlements=0),
    ],
    "report": [
        dict(variants=4000, devices=1, text=[["App-{i}.ipa", 1]]),
        dict(variants=40, devices=600, text=[["App-{i}.ipa", 1]]),
    ],
    **app_recipes.SEEDS,
}

WORDS = [
    "*", "?", "/", "a", "{i}", "x", "*a", "?a", "?*", "$(lang)", "$(region)", "$(b)", "$(digit)", "é", "%20", "é*", "//",
    "b", "=", "&", ".", "-", "A", "**", "k{i}", "/*", ":id", ":a", "{", "}", "(", ")", "[", "]", "\\(", "\"", "if a {",
    "f { x in ", "let x = y\n", "return a\n", ".b(c)", "userActivity.webpageURL", "switch a {", "case .b: ", "#if A\n",
    "applinks:", "*.", "example.com", "?mode=managed", *app_recipes.WORDS,
]
WAYS = ["messages", "typed", "safari", "mail", "qr", "own-app", "spotlight"]
COUNTS = [1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 60000]


# MARK: - Mutation

def mutate(recipe, generator, others):
    """One to four changes; sometimes a part of another recipe."""
    result = copy.deepcopy(recipe)
    for _ in range(generator.randint(1, 4)):
        other = generator.choice(others)
        shared = [key for key in result if key in other and key != "command"]
        if generator.random() < 0.15 and shared:
            key = generator.choice(shared)
            result[key] = copy.deepcopy(other[key])
        else:
            key = generator.choice([key for key in result if key != "command"])
            result[key] = changed(key, result[key], generator)
    return result


def changed(key, value, generator):
    if key == "way": return generator.choice(WAYS)
    if key == "form": return generator.choice(["print", "generator", "connect", "hex", "bytes", "tag"])
    if key == "name" and isinstance(value, str): return generator.choice(["a.swift", "a.m", "a.mm", "a.h"])
    if isinstance(value, bool): return not value
    if isinstance(value, int):
        return generator.choice([max(0, value + generator.randint(-3, 3)), value * 2, value // 2, generator.choice(COUNTS)])
    if key == "rules": return changed_rules(value, generator)
    if key == "variables":
        value[generator.choice(["b", "c", "d"])] = [pieces([["v{i}", 1]], generator), generator.choice(COUNTS)]
        return value
    if key == "defaults":
        return None if generator.random() < 0.3 else [pieces([["?*", 1]], generator), generator.choice(COUNTS[:12])]
    if isinstance(value, list): return pieces(value, generator)
    return value


def changed_rules(rules, generator):
    choice = generator.random()
    if choice < 0.15 and len(rules) > 1: rules.pop(generator.randrange(len(rules)))
    elif choice < 0.3 and len(rules) < 6: rules.append(copy.deepcopy(generator.choice(rules)))
    chosen = generator.choice(rules)
    part = generator.choice(["path", "path", "path", "query", "fragment", "items", "flag"])
    if part == "items": chosen["items"] = generator.choice([0, 1, 3, 10, 50, 200])
    elif part == "flag":
        name = generator.choice(["exclude", "caseSensitive", "percentEncoded"])
        if name in chosen: del chosen[name]
        else: chosen[name] = name == "exclude"
    else: chosen[part] = pieces(chosen.get(part) or [], generator)
    return rules


def pieces(value, generator):
    value = copy.deepcopy(value)
    choice = generator.random()
    if value and choice < 0.2: value.pop(generator.randrange(len(value)))
    elif value and choice < 0.6:
        piece = generator.choice(value)
        piece[1] = generator.choice([piece[1] + 1, piece[1] * 2, max(1, piece[1] // 2), generator.choice(COUNTS)])
    else: value.insert(generator.randint(0, len(value)), [generator.choice(WORDS), generator.choice(COUNTS[:9])])
    return value or [["a", 1]]


# MARK: - Making

def component(template, number):
    made = {"/": text(template.get("path"), number)}
    if template.get("items"):
        made["?"] = {f"q{j}": text(template.get("query"), j) for j in range(template["items"])}
    elif template.get("query"): made["?"] = text(template["query"], number)
    if template.get("fragment"): made["#"] = text(template["fragment"], number)
    for name in ["exclude", "caseSensitive", "percentEncoded"]:
        if name in template: made[name] = template[name]
    return made


def components(rules, count): return [component(rules[i % len(rules)], i) for i in range(count)]


def association(recipe, twin=False):
    entries = max(1, min(recipe["entries"], 2000))
    names = max(1, min(recipe["apps"], 20000))
    shift = recipe["shift"]
    variables = {
        name: [text(value, i, 2000) for i in range(min(count, 8000))] for name, (value, count) in recipe["variables"].items()}

    def build(count, lists=variables):
        rules = components(recipe["rules"], count)
        if twin: rules = rules[1:] + rules[:1]
        share = -(-len(rules) // entries)
        details = []
        for place in range(entries):
            width = max(1, min(names, names // entries + shift))
            apps = [APP] if names == 1 else [f"A.{(place * max(1, names // entries) + j) % names}" for j in range(width)]
            details.append({"appIDs": apps, "components": rules[place * share:(place + 1) * share] or [{"/": "/z"}]})
        links = {"details": details}
        if lists: links["substitutionVariables"] = lists
        if recipe["defaults"]:
            value, number = recipe["defaults"]
            links["defaults"] = {"?": {f"k{j}": text(value, j, 500) for j in range(min(number, 3000))}}
        return {"applinks": links}

    made = largest(build, ASSOCIATION_BYTES, 20000)
    while size(made) > ASSOCIATION_BYTES and any(variables.values()):
        variables = {name: values[:len(values) // 2] for name, values in variables.items()}
        made = largest(lambda count: build(count, {k: v for k, v in variables.items() if v}), ASSOCIATION_BYTES, 20000)
    return compact(made)


def url(recipe):
    query = "".join(text([part], i, URL_BYTES) for part in recipe["urlQuery"] for i in range(1))
    if any("{i}" in part[0] for part in recipe["urlQuery"]):
        query = "".join(part[0].replace("{i}", str(i)) for part in recipe["urlQuery"] for i in range(min(part[1], 8000)))
    path = text(recipe["url"], 1)
    path = path if path.startswith("/") else "/" + path
    whole = f"https://{HOST}{path}" + ("?" + query if query else "")
    return "".join(letter for letter in whole if letter > " ")[:URL_BYTES]


def make(recipe, folder):
    """Writes the files of a recipe, and returns the arguments of its command and the file for standard input."""
    return MAKERS[COMMANDS[recipe["command"]]](recipe, folder)


def make_association(recipe, folder):
    command = recipe["command"]
    path = folder / "aasa.json"
    path.write_text(association(recipe))
    link = url(recipe)
    if command == "check": return ["check", "aasa.json", "--json"], None
    if command == "check-releases":
        return ["check", "aasa.json", "--os", "ios:13.0", "--os", "ios:17.4", "--os", "macos:14.0", "--json"], None
    if command in ("check-site", "serve-dry-run"): return make_site(recipe, path.read_text(), folder), None
    if command == "coverage-routes":
        routes = [text(recipe["rules"][i % len(recipe["rules"])]["path"], i, 300) for i in range(2000)]
        routes = ["/" + "".join(c for c in route if c not in "*?#$()").strip("/") for route in routes]
        (folder / "routes.json").write_text(compact([route.replace("//", "/") for route in routes]))
        return ["coverage", "--file", "aasa.json", "--routes", "routes.json", "--json"], None
    if command == "check-fix": return ["check", "--fix", "aasa.json", "--json"], None
    if command == "match": return ["match", link, "--file", "aasa.json", "--json"], None
    if command == "match-batch":
        lines = folder / "lines"
        lines.write_text(compact({"id": 1, "file": path.read_text(), "url": link}) + "\n")
        return ["match", "--batch", "-"], lines
    if command == "explain":
        page = ["--page", f"https://{HOST}/x"] if recipe["way"] == "safari" else []
        app = ["--in", APP] if recipe["way"] == "own-app" else []
        return ["explain", link, "--site", "aasa.json", "--from", recipe["way"], *page, *app, "--json"], None
    if command == "diff":
        (folder / "new.json").write_text(association(recipe, twin=True))
        return ["diff", "aasa.json", "new.json", "--json"], None
    if command == "coverage":
        (folder / "urls.txt").write_text(f"{link}\nhttps://{HOST}/a\n")
        return ["coverage", "--file", "aasa.json", "--urls", "urls.txt", "--json"], None
    if command == "swcutil-verify": return ["swcutil", "verify", "-j", "aasa.json", "-u", link, "--json"], None
    if command == "swcutil-match":
        rules = largest(lambda count: components(recipe["rules"], count), ASSOCIATION_BYTES, 20000)
        path.write_text(compact(rules))
        return ["swcutil", "match", "-j", "aasa.json", "-u", link, "--json"], None
    return ["init", "config.json5", "--from", "aasa.json"], None


def make_site(recipe, file, folder):
    """One host, and an app that claims it in many ways."""
    place = folder / "sites" / HOST / ".well-known"
    place.mkdir(parents=True)
    (place / "apple-app-site-association").write_text(file)
    if recipe["command"] == "serve-dry-run": return ["serve", "sites", "--dry-run", "--json"]
    (folder / "App.entitlements").write_bytes(plistlib.dumps({
        "application-identifier": APP,
        "com.apple.developer.associated-domains": [
            f"{service}:{host}" for service in ["applinks", "webcredentials", "activitycontinuation"]
            for host in [HOST, f"{HOST}?mode=developer", f"*.{HOST}", f"www.{HOST}"]]}))
    return ["check", "sites", "--app", "App.entitlements", "--json"]


def make_statements(recipe, folder):
    relation = "delegate_permission/common.handle_all_urls"

    def build(count):
        return [
            {
                "relation": [relation],
                "target": {"namespace": "android_app", "package_name": f"com.a{i}",
                           "sha256_cert_fingerprints": [f"{i % 256:02X}" + ":AA" * 31]},
                "relation_extensions": {relation: {
                    "dynamic_app_link_components": components(recipe["rules"], max(1, recipe["components"]))}},
            } for i in range(count)
        ]

    while size(build(1)) > STATEMENT_BYTES: recipe = dict(recipe, components=recipe["components"] // 2)
    (folder / "assetlinks.json").write_text(compact(largest(build, STATEMENT_BYTES, max(1, recipe["count"]))))
    fix = ["--fix"] if recipe["command"] == "check-fix-assetlinks" else []
    return ["check", *fix, "assetlinks.json", "--json"], None


def make_entitlements(recipe, folder):
    entries = [text(recipe["text"], i, 1000) for i in range(max(1, min(recipe["entries"], 100_000)))]
    while True:
        value = {"application-identifier": APP, "com.apple.developer.associated-domains": entries}
        nested = []
        for _ in range(min(recipe["nesting"], 200)): nested = [nested]
        # A file with a key of somebody else is not plainly entitlements, and '--fix' refuses it.
        if recipe["command"] != "check-fix-entitlements": value["x"] = nested
        made = plistlib.dumps(value)
        if len(made) <= PROPERTY_LIST_BYTES: break
        entries = entries[:len(entries) // 2]
    (folder / "App.entitlements").write_bytes(made)
    if recipe["command"] == "check-entitlements": return ["check", "App.entitlements", "--json"], None
    if recipe["command"] == "check-fix-entitlements": return ["check", "--fix", "App.entitlements", "--json"], None
    (folder / "aasa.json").write_text(
        compact({"applinks": {"details": [{"appIDs": [APP], "components": [{"/": "/z"}]}]}}))
    page = ["--page", f"https://{HOST}/x"] if recipe["way"] == "safari" else []
    app = ["--in", APP] if recipe["way"] == "own-app" else []
    return ["explain", f"https://{HOST}/a", "--site", "aasa.json", "--app", "App.entitlements", "--from", recipe["way"],
            *page, *app, "--json"], None


def make_payload(recipe, folder):
    inner = {}
    total = 0
    for i in range(max(1, min(recipe["keys"], 20000))):
        name, value = text(recipe["text"], i, 2000), text(recipe["value"], i, 200_000)
        total += len(name.encode()) + len(json.dumps(value)) + 8
        if total > PAYLOAD_BYTES - 2000: break
        inner[name] = value
    aps = inner if recipe["inAps"] else {"alert": "x"}
    whole = {"aps": aps, **({} if recipe["inAps"] else inner)}
    nested = []
    for _ in range(min(recipe["nesting"], 400)): nested = [nested]
    (folder / "push.apns").write_text(json.dumps({**whole, "n": nested}))
    return ["push", "lint", "push.apns", "--json"], None


def make_request(recipe, folder):
    apps = max(1, min(recipe["apps"], 500))

    def build(count):
        def share(parts, number, place): return [text(parts, i * apps + place, 1000) for i in range(number // apps)]
        routes = max(1, min(count, recipe["routes"]))
        exclusions = min(count, recipe["exclusions"], ROUTES - min(routes, ROUTES - 1))
        return {"apps": [
            {"id": f"ABCDE12345.com.a{place}", "routes": share(recipe["text"], max(routes, apps), place) or ["/a"],
             "exclude": share(recipe["other"], exclusions, place)} for place in range(apps)]}

    (folder / "request.json5").write_text(compact(largest(build, REQUEST_BYTES, ROUTES - apps)))
    return ["generate", "request.json5", "--json"], None


def make_source(recipe, folder):
    head = (
        "import UIKit\nclass AppDelegate: UIResponder, UIApplicationDelegate {\n"
        "func application(_ a: UIApplication, continue userActivity: NSUserActivity,\n"
        "  restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void) -> Bool {\n") if recipe["head"] else ""
    body = "".join(word.replace("{i}", str(i)) * min(count, SOURCE_BYTES // max(1, len(word)))
                   for i, (word, count) in enumerate(recipe["body"]))
    sources = folder / "sources"
    sources.mkdir()
    (sources / recipe["name"]).write_bytes((head + body).encode()[:SOURCE_BYTES - 8] + b"\n}}\n")
    return ["review", "sources", "--json"], None


def make_archive(recipe, folder):
    path = folder / "App.ipa"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("Payload/A.app/Info.plist", plistlib.dumps(
            {"CFBundleIdentifier": "com.example.app", "CFBundleExecutable": "A", "MinimumOSVersion": "17.0"}))
        data = bytes((i * 7919 + i // 251) & 255 for i in range(min(recipe["bytes"], 200_000)))
        total = 0
        for i in range(max(1, min(recipe["files"], 60_000))):
            folders = "".join(f"g{(i >> (4 * level)) & 15}/" for level in range(min(recipe["depth"], 8)))
            archive.writestr(f"Payload/A.app/{folders}{text(recipe['text'], i, 400)}{i}", data)
            total += len(data)
            if total > 64 << 20: break
    return (["inspect", "App.ipa", "--json"] if recipe["command"] == "inspect-ipa"
            else ["clip", "size", "App.ipa", "--json"]), None


def make_program(recipe, folder):
    """A fat Mach-O file: slices that each have so many load commands."""
    def padded(data): return data + bytes(-len(data) % 8)

    def image(number):
        commands = b""
        count = 0
        for i in range(min(recipe["commands"], 60_000)):
            name = padded(text(recipe["text"], i, 1000).encode() + b"\0")
            command = struct.pack("<IIIIII", 0xC, 24 + len(name), 24, 2, 65536, 65536) + name
            if len(commands) + len(command) > 900_000: break
            commands += command
            count += 1
        if recipe["entitlements"]:
            values = plistlib.dumps({"com.apple.developer.associated-domains": [
                f"applinks:h{i}.example.com" for i in range(min(recipe["entitlements"], 20_000))]})[:900_000]
            start = 32 + len(commands) + 16
            blob = struct.pack(">II", 0xFADE7171, 8 + len(values)) + values
            signature = struct.pack(">IIIII", 0xFADE0CC0, 20 + len(blob), 1, 5, 20) + blob
            commands += struct.pack("<IIII", 0x1D, 16, start, len(signature))
            count += 1
        else: signature = b""
        head = struct.pack("<IiiIIIII", 0xFEEDFACF, 0x0100000C, 0, 2, count, len(commands), 0, 0)
        return padded(head + commands + signature)

    slices = [image(i) for i in range(max(1, min(recipe["slices"], 40)))]
    head = struct.pack(">II", 0xCAFEBABE, len(slices))
    start = (len(head) + 20 * len(slices) + 4095) & ~4095
    body = b""
    for number, data in enumerate(slices):
        head += struct.pack(">iiIII", 0x0100000C, number, start + len(body), len(data), 12)
        body += data + bytes(-len(data) % 4096)
    program = folder / "A"
    program.write_bytes(slices[0] if len(slices) == 1 else head.ljust(start, b"\0") + body)
    return ["inspect", "A", "--json"], None


def make_report(recipe, folder):
    variants = max(1, min(recipe["variants"], 50_000))
    devices = max(1, min(recipe["devices"], 5_000))
    while True:
        made = plistlib.dumps({"variants": {
            f"{i} {text(recipe['text'], i, 200)}": {
                "sizeCompressedApp": 1_000_000 + i, "sizeUncompressedApp": 2_000_000 + i,
                "variantDescriptors": [{"device": f"iPhone{j},1", "os-version": "17.0"} for j in range(devices)],
            } for i in range(variants)}})
        if len(made) <= PROPERTY_LIST_BYTES: break
        if devices > variants: devices //= 2
        else: variants //= 2
    (folder / "app-thinning.plist").write_bytes(made)
    return ["clip", "size", "app-thinning.plist", "--json"], None


MAKERS = {
    "association": make_association, "statements": make_statements, "entitlements": make_entitlements,
    "payload": make_payload, "request": make_request, "source": make_source, "archive": make_archive,
    "program": make_program, "report": make_report, **app_recipes.MAKERS,
}
