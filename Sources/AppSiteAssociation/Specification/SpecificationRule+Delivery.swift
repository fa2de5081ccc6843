extension SpecificationRule {
  /// How a file travels: where it lies, how it is asked for, the CDN, the device.
  static let delivery = """
    F1 | documented | A1 | The file is https://HOST/.well-known/apple-app-site-association, without an extension.
    F2 | documented | A17, A13 | iOS 8 to 9.2 read the root only; iOS 9.3 and later '.well-known' first, then the root.
    F3 | documented | A14 | Places other than '.well-known' are deprecated since 2019 and are to be removed.
    F4 | documented | A15 | Developer and managed modes read '.well-known' only.
    F5 | observed | CDN | Whether Apple's CDN still looks at the root is contradictory.
    F6 | documented | DTS | If a file is in both places, the one in '.well-known' counts.
    T1 | documented | A1, A14 | The file travels over HTTPS with a certificate that the system trusts; roots of one's own are refused except in developer mode.
    T2 | documented | A1, A9, A16 | A redirect for the file denies the association.
    T3 | observed | CDN | The CDN was seen to follow a redirect inside one registrable domain; it cannot be relied on.
    T4 | observed | REP | A device refuses a redirect from https to http.
    T5 | documented | A9 | Every client gets the file: no login, no client certificate, no filter by address or country; Apple publishes no addresses.
    T6 | documented | A18, DTS | The CDN's crawler calls itself 'AASA-Bot', a device 'swcd' with 'CFNetwork'.
    T7 | observed | REP | Bot filters, firewalls and country fences are the usual cause when a browser gets the file and the CDN gets 403.
    T8 | observed | REP, CDN | The CDN's patience is not documented; reports speak of 5 seconds.
    T9 | observed | CDN | Hosts that resolve to private or reserved addresses are refused by the CDN.
    T10 | inferred | OWN | Nothing is published about TLS versions; 1.2 and 1.3 are safe.
    R1 | documented | A16 | Only status 200 counts; 300 to 499 deny, and after 500 to 599 the device tries again about every 3 hours, 8 times at most.
    R2 | observed | CDN | 'application/json' is the content type to serve; the CDN accepts others.
    R3 | documented | A16 | A signed file has the content type 'application/pkcs7-mime'.
    R4 | documented | A13, A15 | The file has at most 128 KB (131072 bytes), uncompressed, signed or not.
    R5 | inferred | RFC 8259, REP | The file is UTF-8 without a byte order mark, and JSON without comments or trailing commas.
    R6 | inferred | OWN | HTTP compression is not documented; serving the file as it is is safest.
    R7 | inferred | OWN, DTS | Nothing shows that the CDN honours Cache-Control; an hour at most is safest for caches in between.
    R8 | observed | REP | A page that answers every unknown path with status 200 is the commonest wrong answer.
    C1 | documented | A1, A2, A15 | iOS 14, macOS 11, tvOS 14, watchOS 7 and later ask Apple's CDN for entries without a mode.
    C2 | documented | A1, A2 | The CDN asks the host when it has no copy or an old one, within 24 hours.
    C3 | documented | A15 | A device asks for all hosts over one connection, and the CDN asks the hosts at the same time.
    C4 | documented | A9 | There is no way to have the CDN drop a copy.
    C5 | observed | CDN | A good answer may be kept for 6 hours (2026; one hour in 2023).
    C6 | observed | CDN | A failure is kept as well, for up to an hour, also after the host was repaired.
    C7 | observed | one report | A junk query on the CDN's URL is said to fetch anew; it changes only what its sender sees.
    C8 | observed | REP | Changes were seen after minutes to a day, at times after days.
    C9 | inferred | CDN | The crawler's error texts are those of a program in Go.
    C10 | inferred | OWN | The CDN's copy is compared with the host's file as JSON; the order of keys and blanks do not count.
    C11 | observed | CDN | The CDN may answer for a host that no longer serves the file.
    L2 | observed | CDN | For a host without an address Apple's CDN answers 405 and no reason.
    V1 | documented | A9, A14 | A device fetches the file when the app is installed or updated; by reports also after a restart.
    V2 | documented | A1, A9, SHOW | A device looks again about weekly; after a failure, 3 hours were seen.
    V3 | documented | A9 | A changed file reaches a device by its next look, or by installing the app again.
    V4 | observed | REP | The system may hold the fetch back, by temperature or in the first 15 minutes after a start.
    V5 | documented | A15 | If the fetch at install fails, links stay off until the next try.
    V6 | observed | REP, A15 | Before iOS 14 every device asked the host itself; devices in developer or managed mode still do.
    V7 | observed | REP | Links work without a network once the patterns are stored.
    V8 | observed | CDN, REP | Builds in Apple's simulator fetch through the CDN too.
    V9 | documented | A14 | On macOS apps of the App Store fetch at install, others after their first launch; one copy of an app handles links.
    V10 | observed | REP | Upgrading from iOS 8 to 9 did not refresh apps that were installed.
    """
}
