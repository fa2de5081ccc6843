extension SpecificationRule {
  /// How a file travels: where it lies, how it is asked for, the CDN, the device.
  static let delivery = """
    F1 | documented | A1 | The file is https://HOST/.well-known/apple-app-site-association, without an extension.
    F2 | documented | A17, A13 | iOS 8 to 9.2 read the root only; iOS 9.3 and later '.well-known' first, then the root.
    F3 | documented | A14 | Locations other than '.well-known' are deprecated since 2019, and Apple will remove support for them.
    F4 | documented | A15 | Developer and managed modes read '.well-known' only.
    F5 | observed | CDN | Sources disagree on whether Apple's CDN asks for the root after a 404 at '.well-known'.
    F6 | documented | DTS | If both locations have a file, the one in '.well-known' is used.
    T1 | documented | A1, A14 | The file is served over HTTPS with a certificate that the system trusts; custom root certificates are refused except in developer mode.
    T2 | documented | A1, A9, A16 | If the file is redirected, the association is denied.
    T3 | observed | CDN | The CDN was seen to follow a redirect within one registrable domain; this is not guaranteed.
    T4 | observed | REP | A device refuses a redirect from https to http.
    T5 | documented | A9 | The file is available to every client: no login, no client certificate, no filter by address or country. Apple does not publish its crawler's addresses.
    T6 | documented | A18, DTS | The user agent of the CDN's crawler contains 'AASA-Bot', that of a device 'swcd' and 'CFNetwork'.
    T7 | observed | REP | If a browser gets the file and the CDN gets 403, the usual cause is a bot filter, a firewall or a country block.
    T8 | observed | REP, CDN | The CDN's timeout is not documented; reports mention 5 seconds.
    T9 | observed | CDN | The CDN refuses hosts that resolve to private or reserved addresses.
    T10 | inferred | OWN | Apple does not document the TLS versions; 1.2 and 1.3 are safe.
    T11 | documented | A19 | Since iOS 13 and macOS 10.15 a server's certificate names its host in its subjectAltName, and an RSA key has 2048 bits or more; one of 1 July 2019 or later names TLS servers in its extended key usage and is valid for 825 days at most.
    R1 | documented | A16 | Only status 200 is accepted; 300 to 499 deny the association, and after 500 to 599 the device retries about every 3 hours, at most 8 times.
    R2 | observed | CDN | The recommended content type is 'application/json'; the CDN accepts others.
    R3 | documented | A16 | A signed file has the content type 'application/pkcs7-mime'.
    R4 | documented | A13, A15 | The file has at most 128 KB (131072 bytes), uncompressed, signed or not.
    R5 | inferred | RFC 8259, REP | The file is UTF-8 without a byte order mark, and JSON without comments or trailing commas.
    R6 | inferred | OWN | HTTP compression is not documented; it is safest to serve the file uncompressed.
    R7 | inferred | OWN, DTS | There is no evidence that the CDN honours Cache-Control; for intermediate caches, at most an hour is safest.
    R8 | observed | REP | The most common wrong answer is a page that is served for every unknown path with status 200.
    C1 | documented | A1, A2, A15 | iOS 14, macOS 11, tvOS 14, watchOS 7 and later ask Apple's CDN, not the host, for entries without a mode.
    C2 | documented | A1, A2 | The CDN fetches the file from the host within 24 hours if it has no copy or an old one.
    C3 | documented | A15 | A device fetches the files of all hosts over one connection, and the CDN fetches from the hosts in parallel.
    C4 | documented | A9 | There is no way to purge a copy from the CDN.
    C5 | observed | CDN | The CDN may cache a file for 6 hours (2026; one hour in 2023).
    C6 | observed | CDN | The CDN also caches a failure, for up to an hour, even after the host is fixed.
    C7 | observed | one report | An arbitrary query on the CDN's URL is reported to bypass the cache; that only affects the client that sends it.
    C8 | observed | REP | Changes became visible after minutes to a day, sometimes after several days.
    C9 | inferred | CDN | The crawler's error messages are those of a Go program.
    C10 | inferred | OWN | The CDN's copy is compared with the host's file as JSON; the order of keys and white space are ignored.
    C11 | observed | CDN | The CDN may answer for a host that no longer serves the file.
    V1 | documented | A9, A14 | A device fetches the file when the app is installed or updated; according to reports, also after a restart.
    V2 | documented | A1, A9, SHOW | A device checks again about once a week; 4.9 to 5 days were observed, and 3 hours after a file that was not JSON.
    V3 | documented | A9 | A changed file reaches a device with its next check, or when the app is reinstalled.
    V4 | observed | REP | The system may delay the fetch when the device is hot or in the first 15 minutes after a restart.
    V5 | documented | A15 | If the fetch at installation fails, links do not open the app until the next attempt.
    V6 | observed | REP, A15 | Before iOS 14 every device fetched the file from the host; devices in developer or managed mode still do.
    V7 | observed | REP | Links work offline once the device has stored the patterns.
    V8 | observed | CDN, REP | Builds in Apple's Simulator fetch through the CDN too; reportedly its developer mode for associated domains is on.
    V9 | documented | A14 | On macOS, App Store apps fetch the file at installation, other apps after their first launch; only one copy of an app handles links.
    V10 | observed | REP | Upgrading from iOS 8 to 9 did not refresh installed apps.
    V11 | observed | one site's report of 2014 | When apps updated themselves at midnight, a site got about 40 times its usual traffic within about a second.
    """
}
