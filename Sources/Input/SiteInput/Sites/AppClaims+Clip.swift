package import AppBundle
internal import AssociatedDomains
package import LinkspanCore

extension AppClaims {
  /// Where a clip before signing names another app as its parent, or an app a clip of another (AC1, AC7); of a signature
  /// ``ClipChecker`` says it.
  var clipOfAnotherApp: [Finding] {
    guard !isSigned, let entitlements else { return [] }
    if entitlements.isOnDemandCapable?.value == true, entitlements.parents == nil,
      associatedDomains.contains(where: { $0.service == .appclips })
    {
      return [
        Finding(
          rule: "entitlement.clip-parent", severity: .error, at: .init(file: entitlements.name),
          message: "The clip names no app: 'com.apple.developer.parent-application-identifiers' is missing.",
          help: "Add it with exactly the identifier of the clip's app, prefix included.", source: "AC4")
      ]
    }
    let named = entitlements.parents.map { ($0, true) } ?? entitlements.clips.map { ($0, false) }
    guard let (list, isParent) = named, list.count == 1, let place = list.first else { return [] }
    let (own, other) = (partialIdentifier, PartialIdentifier(signed: place.value))
    let (app, clip) = isParent ? (other, own) : (own, other)
    var reason: String?
    if let app = app.literalBundle, let clip = clip.literalBundle, !clip.hasPrefix(app + ".") {
      reason = "'\(clip)' does not begin with '\(app).'"
    } else if let one = app.prefix, let two = clip.prefix, one != two {
      reason = "their prefixes are '\(one)' and '\(two)'"
    }
    return reason.map { reason in
      [
        Finding(
          rule: isParent ? "entitlement.clip-parent" : "entitlement.app-clip", severity: .error,
          at: entitlements.location(of: place),
          message:
            "'\(place.value)' is not \(isParent ? "the app of this clip" : "a clip of this app"): \(reason).",
          help:
            "A clip has its app's prefix, and the app's bundle identifier with a dot and a word behind it.",
          source: isParent ? "AC4" : "AC5")
      ]
    } ?? []
  }
}

extension LinkspanError {
  /// That an App Clip is asked about as if links opened it (J4).
  static func appClip(_ name: String) -> LinkspanError {
    LinkspanError(
      "\(name) is an App Clip: its experiences open it, not the rules of 'applinks' (J4, AC15).",
      help:
        "Ask 'linkspan clip url URL --experiences FILE' which URLs open the clip, and 'linkspan doctor HOST --app "
        + "CLIP' whether its domains are right. For links name the app's own files.")
  }
}

extension AppReader {
  /// The apps that links can open: not the clips beside them.
  ///
  /// - Throws: That there are clips alone, or bundles that say nothing of themselves.
  package func appsForLinks() throws(LinkspanError) -> [AppClaims] {
    let own = try readableApps().filter { !$0.isAppClip }
    if own.isEmpty, let clip = apps.first { throw .appClip(clip.name) }
    return own
  }

  /// All that were named.
  ///
  /// - Throws: Why none of the bundles that were named can be read.
  package func readableApps() throws(LinkspanError) -> [AppClaims] {
    let errors = findings.filter { $0.severity == .error }
    guard apps.isEmpty, let error = errors.first else { return apps }
    throw LinkspanError("'\(error.location.file)': \(error.message)", help: error.help)
  }
}
