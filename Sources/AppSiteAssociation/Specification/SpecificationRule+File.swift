extension SpecificationRule {
  /// The content of a file, its signed form, and Android's statement lists.
  static let file = """
    J1 | documented | A14 | An association file is a JSON object whose keys are services.
    J2 | documented | A1, A2, public files of identity providers for authsrv | Known services are 'applinks', 'webcredentials', 'appclips', 'activitycontinuation' and, of identity providers, 'authsrv'; other keys are ignored.
    J3 | documented | A1, SW | Services other than 'applinks' hold "apps", a list of application identifiers, and match no URLs.
    J4 | documented | A1 | "appclips" names the App Clip by its own identifier.
    J5 | documented | A1, A14 | An application identifier is a prefix of ten letters and digits, a dot and the bundle identifier; the prefix is usually, not always, the Team ID.
    J6 | observed | UL | Where "appIDs" stands, "appID" is ignored, even when the list is empty.
    J7 | observed | UL | An entry with neither "appID" nor "appIDs" is for no app.
    J8 | documented | A14, A9 | Since iOS 13 "components" hides "paths"; Apple calls an entry with both unpredictable.
    J9 | observed | UL | An empty "components" matches nothing.
    J10 | observed | two articles, against a simulator | An entry with neither "components" nor "paths" matches every URL; the sources contradict one another.
    J11 | observed | UL | Of several entries for one app, the first that decides counts.
    J12 | documented | A5 | The order of entries says which app comes first.
    J13 | documented | A14 | In the obsolete form of "details", an object keyed by application identifier, no app comes first.
    J14 | documented | A14 | 'NOT ' excludes in "paths" only; "components" have "exclude".
    G1s | documented | A16, A17 | Handoff and shared web credentials of iOS 8 needed a signed file: CMS in DER, with the JSON inside.
    G2s | observed | A13, REP | Since iOS 9 a file need not be signed.
    G3s | documented | A14 | Signing was never needed for universal links, is deprecated, and support is to be removed.
    G4s | observed | REP | Only devices with iOS 8 need a signed file.
    G5s | inferred | OWN | A signed file is read by what is inside; verifying its signature is another question.
    D1 | documented | G3, G4 | The statement list is https://HOST/.well-known/assetlinks.json; each host has its own.
    D2 | documented | G3 | Only status 200 counts, redirects are not followed, and the content type is application/json.
    D3 | documented | G1, G3 | A statement list is an array of statements, each with "relation" and "target", or with "include".
    D4 | documented | G3 | An app is named by its package and the SHA-256 fingerprints of its certificates, one of which suffices.
    D5 | documented | G1 | A website is named by scheme, host and, where it is not the default, port.
    D6 | documented | G1, G3 | Links need the relation delegate_permission/common.handle_all_urls, shared credentials common.get_login_creds.
    D7 | documented | G1, G5 | "relation_extensions" is an object keyed by relation.
    D8 | documented | G4, G5 | "dynamic_app_link_components" (Android 15) has the shape of Apple's "components" and narrows what the app's manifest declares.
    D9 | observed | public files | In every example wildcards and order mean what they mean with Apple; how far that goes is not published.
    D10 | documented | G4, G5 | With Play App Signing the fingerprint is the one that the Play Console shows.
    D11 | observed | articles | Forms with "paths", "include" and "exclude" beside "target" are invented.
    """
}
