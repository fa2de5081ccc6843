internal import AppSiteAssociation
package import LinkspanCore

/// What holds for a URL that a tag or a printed code carries, whichever of them it is.
package enum ClipCarrier {
  /// A user name or a password, which whoever reads the tag or the code would have, and what opens no clip.
  package static func findings(_ url: String, at location: Finding.Location) -> [Finding] {
    let link = LinkURL(url)
    guard !link.host.isEmpty else { return [] }
    var findings: [Finding] = []
    func add(_ rule: String, _ message: String, _ help: String, _ source: String) {
      findings.append(
        Finding(
          rule: "clip.carrier-\(rule)", severity: .warning, at: location, message: message, help: help,
          source: source))
    }
    if url.withoutUserInformation != url {
      add(
        "credentials", "The URL has a user name or a password.",
        "Everybody who reads the tag or the code gets them. Remove them.", "AC26")
    }
    if link.scheme == "http" {
      add("http", "The URL is http, which opens no App Clip.", "Write it with 'https://'.", "AC16")
    }
    if !link.hasDefaultPort, let port = link.port, ["http", "https"].contains(link.scheme) {
      add(
        "port", "The URL has the port \(port), so it opens no App Clip and no app.",
        "No associated domain can name a port. Write the URL without it.", "E3")
    }
    return findings
  }
}
