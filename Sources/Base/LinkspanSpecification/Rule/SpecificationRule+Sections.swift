extension SpecificationRule {
  /// What answers cite by section, and by row where the section is a table.
  static let sections = """
    section 1 | documented | A1, A2, A9, A10 | A link opens the app only if the app is installed, claims the host, is named by the file, the URL matches, the user did not choose the browser, and the way the link is followed allows it.
    section 2 | documented | A2, A3, A14, A15 | Universal links exist since iOS 9, tvOS 10, macOS 10.15, watchOS 7 and visionOS 1.
    section 4 | observed | CDN | Apple's CDN answers 200 with the file, or 404 with the reason in header fields.
    section 5 | documented | A9, SHOW | A device stores a state for each service, app and domain: whether the site and the user approved.
    section 6.2 | documented | A3, A7, A8, A14 | "applinks" contains "details"; "apps": [] for iOS 12 and older; "defaults" since iOS 14; "substitutionVariables" since iOS 13.5.
    section 6.3 | documented | A4, A14 | An entry contains "appID" and "paths" since iOS 9, "appIDs" and "components" since iOS 13, "defaults" since iOS 14.
    section 6.4 | documented | A5, A15, SW | A component contains "/", "?", "#", "exclude" and "comment" since iOS 13, "caseSensitive" since 13.5, "percentEncoded" since 14; the effect of most wrong types is not known.
    section 7 | documented | A5, A14, SW | One URL is matched against one file rule by rule, in order, as it is written.
    section 8 | documented | A13, A14, A5 | Entries for the exact host come first, then the longest wildcard; in each file the first installed app that matches opens.
    section 10 | documented | A9, A10 | Whether a matching link opens the app depends on how it is followed.
    section 10 row 1 | documented | A9, A10 | A tap in Messages, Mail, Notes or another app opens the app.
    section 10 row 2 | documented | A10 | A tap in Safari on a page of another domain opens the app.
    section 10 row 3 | documented | A9, A10 | A tap in Safari on a page of the same host stays in Safari, since iOS 9.2.
    section 10 row 4 | documented | A9 | A URL that is typed or pasted stays in the browser, which may offer the app.
    section 10 row 5 | documented | A9 | A long press offers both, and the choice is remembered for the domain.
    section 10 row 6 | documented | A9 | Once the user chose the browser for a domain, links stay there until the user chooses the app the same way.
    section 10 row 7 | documented | A9 | After a redirect to a matching link the browser may open the app; iOS 11 reportedly showed a banner instead.
    section 10 row 8 | observed | REP | For a link wrapped by a click tracker, only the tracker's host counts for the tap.
    section 10 row 9 | inferred | OWN | A navigation that a script starts without a tap stays in the browser.
    section 10 row 10 | documented | A10 | A link that the app itself opens goes to the browser.
    section 10 row 11 | documented | A14 | If an app opens a URL with 'universal links only', the other app opens or the call fails.
    section 10 row 12 | documented | A10 | A tap in a web view of another developer's app opens the app.
    section 10 row 13 | observed | REP, A14 | A URL loaded in SFSafariViewController stays there.
    section 10 row 14 | documented | A9 | Other browsers decide for themselves.
    section 10 row 15 | documented | A14 | On macOS the browser is the default; Safari offers the app, and the choice sticks.
    section 10 row 16 | documented | A15 | On watchOS the app opens, or an alert points to the iPhone.
    section 10 row 17 | observed | REP | Browsers inside other apps differ, and some check the file themselves.
    section 10 row 18 | disputed | openradar 24857069 of 2016, openradar 23612919 of 2015, openradar 32840565 of 2017 | A tap inside SFSafariViewController opens the app by the report of 2016, and stays there by those of 2015 and 2017.
    section 10 row 19 | disputed | A9, artsy/artsy-eigen-web-association pull 14 | After a redirect to another host the browser may hand the link to the app by Apple's document; by the report only the host that was tapped counts.
    section 10 row 20 | inferred | A9, A10, OWN | A redirect back to the host on which a tap began stays in the browser, as a tap on a page of the same host does.
    section 10 row 21 | open | OWN | No source says what several redirects do, a redirect inside a web view, or a URL that a browser or a web view loads without a tap.
    section 11.1 | observed | SW, A9 | 'swcutil verify' prints a line for each app whose rules match or block a URL, 'swcutil match' the rule that matches; the exit status is 0 either way.
    section 11.2 | observed | SHOW, A9 | 'swcutil show' lists the stored entries, the network, the user's choices and the use of memory; since iOS 18.2 its dates are localised.
    section 11.3 | observed | REP | The log of 'swcd' names the route of a fetch, the CDN's reason for a failure, refused redirects and refused certificates.
    section 11.4 | observed | REP | Apple's old web validator (App Search API Validation Tool) reports successes and errors that say nothing about the file.
    """
}
