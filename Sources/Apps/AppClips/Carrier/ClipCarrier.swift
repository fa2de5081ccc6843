internal import AppSiteAssociation
package import LinkspanCore

/// What holds for a URL that a tag or a printed code carries, whichever of them it is.
package enum ClipCarrier {
  /// A user name or a password, which whoever reads the tag or the code would have.
  package static func findings(_ url: String, at location: Finding.Location) -> [Finding] {
    let link = LinkURL(url)
    guard !link.host.isEmpty, url.withoutUserInformation != url else { return [] }
    return [
      Finding(
        rule: "clip.carrier-credentials", severity: .warning, at: location,
        message: "The URL has a user name or a password.",
        help: "Everybody who reads the tag or the code gets them. Remove them.", source: "AC26")
    ]
  }
}
