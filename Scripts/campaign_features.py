"""Campaigns with every option at once, for Scripts/soak-campaigns: quiet hours in zones whose clocks change while they run,
languages, variants, a holdout and a cap; judged by the stand-in's record and rules of its own.

Two devices of each person. A zone is a file that is made here, with the time of its change and the offsets on both sides, so
two changes of clock come within two minutes; the server finds the files where the system's are, in a mount namespace.
"""
import collections, datetime, functools, json, math, os, struct

QUIET = (22 * 60, 8 * 60)
# Nothing goes out in the last minute before quiet hours, so clocks change that much and some time later than the start.
UNTIL_CHANGE = 60 + 40
CAP = 2
# The first alone has a holdout, and the others begin after it: so each person whose clocks let pushes out gets exactly two.
CAMPAIGNS = ("one", "two", "three")
HOLDOUT, SHARE_OF_A = 0.1, 0.5
LANGUAGES = {"de_AT": "de", "pt_BR": "pt-BR", "en_US": "default", None: "default"}
# What clocks show at the start, in minutes after midnight, by how many the change puts them on, and a weight. Every zone that is
# not always quiet lets something out before or after the change.
ZONES = {
    "Soak/Day": (12 * 60, 0, 6), "Soak/Night": (2 * 60, 0, 1),
    "Soak/IntoQuiet": (21 * 60 + 30, 60, 1), "Soak/OutOfQuiet": (7 * 60 + 30, 60, 1),
    "Soak/BackIntoQuiet": (8 * 60 + 10, -60, 1), "Soak/BackOutOfQuiet": (22 * 60 + 10, -60, 1),
}
PATTERN = [name for name, (_, _, weight) in ZONES.items() for _ in range(weight)]


class Clocks:
    """The zones' clocks, from a start on; both changes come at one moment, a whole minute."""

    def __init__(self, start, change):
        self.start, self.change = start, change

    def offset(self, zone, moment):
        shown, step, _ = ZONES[zone]
        # East of UTC, so that clocks show the minute at the start.
        first = (shown * 60 - self.start % 86_400 + 43_200) % 86_400 - 43_200
        return first + (60 * step if moment >= self.change else 0)

    def is_quiet(self, zone, moment):
        minute = (moment + self.offset(zone, moment)) // 60 % 1440
        return minute >= QUIET[0] or minute < QUIET[1]

    def write(self, folder):
        """Files as of RFC 9636: an empty block of version 1, then one with 64-bit times and the rule after the last change."""
        os.makedirs(os.path.join(folder, "Soak"))
        for zone in ZONES:
            before, after = self.offset(zone, self.change - 1), self.offset(zone, self.change)
            head = b"TZif2" + bytes(15)
            old = head + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lBB", before, 0, 0) + b"LMT\0"
            new = (head + struct.pack(">6l", 0, 0, 0, 1, 2, 4) + struct.pack(">q", int(self.change)) + b"\x01"
                   + struct.pack(">lBB", before, 0, 0) + struct.pack(">lBB", after, 0, 0) + b"LMT\0")
            sign, rest = ("-" if after >= 0 else "+"), abs(after)
            rule = f"\n<LMT>{sign}{rest // 3600}:{rest // 60 % 60:02}:{rest % 60:02}\n"
            with open(os.path.join(folder, zone), "wb") as file:
                file.write(old + new + rule.encode())


def device(number):
    """Person, zone and locale of a device."""
    person = number // 2
    return f"user{person}", PATTERN[person % len(PATTERN)], list(LANGUAGES)[person // len(PATTERN) % len(LANGUAGES)]


def attributes(number):
    person, zone, locale = device(number)
    return {"alias": person, "time_zone": zone, **({"locale": locale} if locale else {})}


def options(name):
    """The body's members of a campaign."""
    def payloads(arm):
        return {language: {"aps": {"alert": f"{name} {arm} {language}"}} for language in ("default", "de", "pt-BR")}
    return {**({"holdout": HOLDOUT} if name == CAMPAIGNS[0] else {}), "cap": {"count": CAP, "per_s": 86_400},
            "variants": [{"name": "a", "share": SHARE_OF_A, "payloads": payloads("a")},
                         {"name": "b", "share": 1 - SHARE_OF_A, "payloads": payloads("b")}],
            "quiet_hours": {"from": f"{QUIET[0] // 60}:00", "to": f"{QUIET[1] // 60:02}:00"}}


def judge(record, count, clocks, number_of, listed):
    """Prints what the record shows.

    `listed` holds the identifiers of pushes that the journal calls possible duplicates. Returns the problems.
    """
    loud = wrong_language = 0
    problems, by_zone = [], collections.Counter()
    arms, campaigns = {}, collections.defaultdict(dict)
    seen = collections.Counter()
    sides = collections.Counter()
    for line in open(record):
        push = json.loads(line)
        if push.get("type") != "push" or push["status"] != 200:
            continue
        number = number_of(push["token"])
        person, zone, locale = device(number)
        name, arm, language = push["payload"]["aps"]["alert"].split(" ")
        moment = seconds(push["time"])
        by_zone[zone] += 1
        sides[zone, moment >= clocks.change] += 1
        if clocks.is_quiet(zone, moment):
            loud += 1
        wrong_language += language != LANGUAGES[locale]
        if arms.setdefault((name, person), arm) != arm:
            problems.append(f"{person} got both variants of a campaign")
        campaigns[person].setdefault(name, set()).add(number)
        seen[push["apns_id"]] += 1
    twice = [name for name, times in seen.items() if times > 1 and name not in listed]
    capped = sum(1 for got in campaigns.values() if len(got) > CAP)
    persons = count // 2
    # Those whose zone lets everything out in the end; the first campaign had the day to itself.
    steady, day = ([f"user{person}" for person in range(persons) if device(2 * person)[1] in zones]
                   for zones in (("Soak/Day", "Soak/OutOfQuiet", "Soak/BackOutOfQuiet"), ("Soak/Day",)))
    fewer = [person for person in steady if len(campaigns[person]) < CAP]
    reached = [person for person in day if CAMPAIGNS[0] in campaigns[person]]
    share_reached = len(reached) / max(1, len(day))
    share_a = sum(1 for person in reached if arms[CAMPAIGNS[0], person] == "a") / max(1, len(reached))
    bounds = [max(0.005, 4 * math.sqrt(share * (1 - share) / max(1, len(day)))) for share in (HOLDOUT, SHARE_OF_A)]
    print("accepted by zone: " + ", ".join(f"{zone} {number}" for zone, number in sorted(by_zone.items())))
    print(f"in quiet hours: {loud}; in another language: {wrong_language}; persons with more than {CAP} campaigns: {capped},"
          f" with fewer: {len(fewer)}")
    print(f"reached {share_reached:.4f} of the persons by day (holdout {HOLDOUT}, within {bounds[0]:.4f}), {share_a:.4f} of them"
          f" with variant a ({SHARE_OF_A}, within {bounds[1]:.4f})")
    for zone, after in (("Soak/IntoQuiet", False), ("Soak/BackIntoQuiet", False), ("Soak/OutOfQuiet", True),
                        ("Soak/BackOutOfQuiet", True)):
        if not sides[zone, after] or sides[zone, not after]:
            problems.append(f"{zone}: {sides[zone, False]} pushes before the change of its clocks, {sides[zone, True]} after")
    for found, what in ((loud, "pushes in quiet hours"), (wrong_language, "pushes in another language"),
                        (capped, "persons above the cap"), (len(fewer), "persons below the cap"),
                        (len(twice), "pushes accepted twice unlisted"), (by_zone["Soak/Night"], "pushes at night")):
        if found:
            problems.append(f"{found} {what}")
    if abs(share_reached - (1 - HOLDOUT)) > bounds[0] or abs(share_a - SHARE_OF_A) > bounds[1]:
        problems.append("the arms are not as large as asked for")
    return problems


@functools.cache
def whole_seconds(text):
    return datetime.datetime.fromisoformat(text + "+00:00").timestamp()


def seconds(text):
    """Of the record's times, such as 2026-09-14T08:00:00.000Z."""
    whole, _, rest = text.rstrip("Z").partition(".")
    return whole_seconds(whole) + float("0." + (rest or "0"))
