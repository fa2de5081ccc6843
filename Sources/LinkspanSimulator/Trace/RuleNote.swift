/// What the rules of spec associated-domains that a trace names say, in one line each, for a person who has not
/// got the specification at hand.
package enum RuleNote {
  /// - Returns: nil for a rule that no trace names.
  package static func text(_ rule: String) -> String? { texts[rule] }

  private static let texts: [String: String] = [
    "section 1": "App, entitlement, file, pattern, user's choice and way of following must all say yes.",
    "section 2": "Universal links exist since iOS 9.",
    "section 5": "The daemon keeps one state for each service, app and domain.",
    "section 7": "The first rule all of whose components hold decides, for or against.",
    "section 8": "Among the files that were approved, the exact host goes before the wildcards.",
    "section 10": "The way a link is followed decides whether an app may open.",
    "C1": "Since iOS 14 Apple's CDN is asked for entries without a mode, not the website.",
    "C2": "Without a fresh copy the CDN asks the origin.",
    "C5": "The CDN keeps a file for about six hours.",
    "C6": "The CDN keeps a 'no' for about an hour; a mended origin stays broken that long.",
    "E1": "An entry is a service, a colon and a domain.",
    "E2": "An entry has no scheme, path or query other than its mode.",
    "E3": "An entry has no port.",
    "E4": "'*.' may stand before the domain; '*' stands nowhere else.",
    "E5": "Wildcards exist since iOS 9.3.",
    "E6": "A wildcard's file is the one of its parent domain.",
    "E7": "An exact entry needs a file at that very host.",
    "E8": "A domain does not cover its subdomains, nor a wildcard the bare domain.",
    "E9": "The exact host's patterns go before those of wildcards, and an exclusion ends the search.",
    "E11": "Hosts that are not ASCII are written in Punycode.",
    "E12": "The modes are developer, managed and developer+managed.",
    "E13": "developer: a development build, on a device with the switch on, asks the host itself.",
    "E14": "managed: only under management that allows direct downloads.",
    "E16": "An entry with a mode stands beside the plain one, not in its place.",
    "E19": "A profile has '*' for the domains; signing that copies it leaves the app without any.",
    "F1": "The file is at /.well-known/apple-app-site-association.",
    "F2": "Before iOS 14 the host itself is asked: since 9.3 at .well-known, then at the root.",
    "F4": "Entries with a mode look at .well-known only.",
    "R1": "Only 200 counts: 3xx and 4xx deny, 5xx is tried again about every 3 hours, up to 8 times.",
    "R4": "A file has at most 128 KB.",
    "R5": "The file is JSON in UTF-8, without comments.",
    "T1": "The certificate chains to an authority the system trusts.",
    "T2": "No redirect is followed for the file.",
    "T5": "Nobody may be kept out by login, address or place.",
    "V1": "Files are fetched when the app is installed or updated, and by reports after a reboot.",
    "V2": "Files are checked again about weekly; 4.9 to 5.0 days were seen.",
    "V3": "A new file reaches a device with a re-check or a new installation.",
    "V5": "After a failed fetch links stay off until the next try.",
  ]
}
