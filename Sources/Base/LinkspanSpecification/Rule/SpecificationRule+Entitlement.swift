extension SpecificationRule {
  /// What an app claims: the entries of its entitlement.
  static let entitlement = """
    E1 | documented | A2 | An entry is a service, a colon and a fully qualified domain, optionally followed by '?mode=' and a mode.
    E2 | documented | A1 | An entry has no scheme, no path, no query other than the mode and no trailing slash.
    E3 | documented | A9, DTS | An entry has no port; one with a port never opens the app.
    E4 | documented | A1, REP | The domain may begin with '*.' for every service except 'appclips'; App Store Connect rejects a '*' anywhere else (ITMS-90046).
    E5 | observed | release notes of iOS 9.3 as quoted by developers | Wildcards exist since iOS 9.3.
    E6 | documented | A9, A14 | For '*.example.com' the file of the parent, example.com, is used; a subdomain's own file is ignored for that entry.
    E7 | documented | A1, A9 | For an exact entry only the file of that host is used, so each listed host needs its own file.
    E8 | documented | A1, A13 | 'example.com' does not include 'www.example.com' or vice versa, and '*.example.com' does not include 'example.com'.
    E9 | documented | A14, A13, the project's conclusion for the last part | Exact entries are evaluated before wildcards, and longer wildcards before shorter ones; an exclusion in the exact host's file ends the search.
    E10 | documented | A14 | The order of entries has no meaning.
    E11 | documented | A14 | Hosts with non-ASCII characters are written in Punycode ('xn--…').
    E12 | documented | A2 | The modes are 'developer', 'managed' and 'developer+managed'.
    E13 | documented | A2, A15 | 'developer' only works on devices with Associated Domains Development switched on and for apps signed with a development profile; the device fetches the file from the host and accepts any certificate.
    E14 | documented | A2, A12 | 'managed' only works on managed devices whose administrator enabled direct downloads.
    E15 | documented | A2 | 'developer+managed' only works on devices that are in both modes.
    E16 | documented | A15, REP | An entry with a mode is separate from the entry without one; an app with only '?mode=developer' has no links when it comes from the App Store.
    E17 | documented | A12 | Device management can add domains to an app.
    E18 | documented | A1, A2 | On watchOS the capability belongs to the WatchKit extension's target when there is one, and to the app's target in an app of one target.
    E19 | observed | REP | A provisioning profile has '*' for this key; tools that re-sign an app may copy it, and then the app claims no domain.
    E20 | documented | A13, A17, A14 | Apple once advised at most 20 to 30 hosts; current documentation has no limit, and the file of every listed host is fetched.
    E21 | documented | A14 | Since iOS 13 the files of .com, .net and .org are fetched first, then those of domains that fit the user's region, then the others.
    E22 | documented | A9 | A browser, an app with com.apple.developer.web-browser, may not claim 'applinks'.
    """
}
