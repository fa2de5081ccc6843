extension SpecificationRule {
  /// The content of a file, its signed form, and Android's statement lists.
  static let file = """
    J1 | documented | A14 | An association file is a JSON object whose keys are services.
    J2 | documented | A1, A2, public files of identity providers for authsrv | Known services are 'applinks', 'webcredentials', 'appclips', 'activitycontinuation' and, for identity providers, 'authsrv'; other keys are ignored.
    J3 | documented | A1, SW | Services other than 'applinks' contain "apps", a list of application identifiers, and do not match URLs.
    J4 | documented | A1 | "appclips" lists the App Clip by its own identifier.
    J5 | documented | A1, A14 | An application identifier is a prefix of ten letters and digits, a dot and the bundle identifier; the prefix is usually, not always, the Team ID.
    J6 | observed | UL | If an entry has "appIDs", "appID" is ignored, even if the list is empty.
    J7 | observed | UL | An entry with neither "appID" nor "appIDs" applies to no app.
    J8 | documented | A14, A9 | Since iOS 13 "components" takes precedence over "paths"; Apple calls an entry with both unpredictable.
    J9 | observed | UL | An empty "components" matches nothing.
    J10 | observed | two articles, against a simulator | An entry with neither "components" nor "paths" matches every URL; the sources disagree.
    J11 | observed | UL | If an app has several entries, the first one with a matching rule decides.
    J12 | documented | A5 | The order of entries is the order of precedence of the apps.
    J13 | documented | A14 | In the obsolete form of "details", an object keyed by application identifier, apps have no order of precedence.
    J14 | documented | A14 | 'NOT ' works only in "paths"; "components" uses "exclude".
    G1s | documented | A16, A17 | On iOS 8, Handoff and shared web credentials required a signed file: CMS in DER form that contains the JSON.
    G2s | observed | A13, REP | Since iOS 9 a file need not be signed.
    G3s | documented | A14 | Universal links never required a signature; signing is deprecated, and Apple will remove support for it.
    G4s | observed | REP | Only iOS 8 requires a signed file.
    G5s | inferred | OWN | The content of a signed file is read without verifying the signature.
    D1 | documented | G3, G4 | The statement list is https://HOST/.well-known/assetlinks.json; each host has its own.
    D2 | documented | G3 | Only status 200 is accepted, redirects are not followed, and the content type is application/json.
    D3 | documented | G1, G3 | A statement list is an array of statements, each with "relation" and "target", or with "include".
    D4 | documented | G3 | An app is identified by its package name and the SHA-256 fingerprints of its certificates; one matching fingerprint is enough.
    D5 | documented | G1 | A website is identified by scheme, host and, if it is not the default, port.
    D6 | documented | G1, G3 | App Links require the relation delegate_permission/common.handle_all_urls, shared credentials delegate_permission/common.get_login_creds.
    D7 | documented | G1, G5 | "relation_extensions" is an object keyed by relation.
    D8 | documented | G4, G5 | "dynamic_app_link_components" (Android 15) has the form of Apple's "components" and restricts what the app's manifest declares.
    D9 | observed | public files | In every published example, wildcards and order have Apple's meaning; the exact semantics are not documented.
    D10 | documented | G4, G5 | With Play App Signing, use the fingerprint shown in the Play Console.
    D11 | observed | articles | Statements with "paths", "include" or "exclude" next to "target" appear in articles, but Android does not support them.
    """
}
