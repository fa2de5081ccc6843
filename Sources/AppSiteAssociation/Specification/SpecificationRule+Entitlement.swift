extension SpecificationRule {
  /// What an app claims, section 2 of the specification.
  static let entitlement = """
    E1 | documented | A2 | An entry is a service, a colon and a fully qualified domain, optionally followed by '?mode=' and a mode.
    E2 | documented | A1 | An entry has no scheme, no path, no query other than the mode and no trailing slash.
    E3 | documented | A9, DTS | An entry has no port; one with a port never opens the app.
    E4 | documented | A1, REP | '*.' may stand before the domain for every service except 'appclips'; a '*' anywhere else is refused at upload (ITMS-90046).
    E5 | observed | release notes of iOS 9.3 as quoted by developers | Wildcards exist since iOS 9.3.
    E6 | documented | A9, A14 | For '*.example.com' the file of the parent, example.com, counts; a subdomain's own file is not consulted for that entry.
    E7 | documented | A1, A9 | For an exact entry only the file of that very host counts, so each listed host needs a file of its own.
    E8 | documented | A1, A13 | 'example.com' does not include 'www.example.com', nor the reverse, and '*.example.com' does not cover the bare 'example.com'.
    E9 | documented | A14, A13, the project's conclusion for the last part | Exact entries are asked before wildcards and longer wildcards before shorter ones; an exclusion at the exact host ends the search.
    E10 | documented | A14 | The order of entries has no meaning.
    E11 | documented | A14 | Hosts beyond ASCII are written in Punycode ('xn--…').
    E12 | documented | A2 | The modes are 'developer', 'managed' and 'developer+managed'.
    E13 | documented | A2, A15 | 'developer' counts only on devices with developer mode for associated domains and for apps signed with a development profile; the file comes straight from the host, whatever its certificate.
    E14 | documented | A2, A12 | 'managed' counts only on devices under management whose administrator opted in to direct downloads.
    E15 | documented | A2 | 'developer+managed' counts only on devices that are in both modes at once.
    E16 | documented | A15, REP | An entry with a mode is an entry of its own; an app with only '?mode=developer' has no links in the App Store.
    E17 | documented | A12 | Device management can add domains to an app.
    E18 | documented | A1, A2 | On watchOS the capability belongs to the WatchKit extension's target when there is one, and to the app's target in an app of one target.
    E19 | observed | REP | A provisioning profile carries '*' for this key; tools that sign again may copy it, and then the app claims no domain at all.
    E20 | documented | A13, A17, A14 | Apple once advised at most 20 to 30 hosts; the current pages name no limit, and every listed host's file is fetched.
    E21 | documented | A14 | Since iOS 13 the files of .com, .net and .org are fetched first, then those of domains that fit the user's region.
    E22 | documented | A9 | A browser, which holds com.apple.developer.web-browser, may not claim 'applinks'.
    """
}
