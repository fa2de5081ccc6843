import LinkspanCore

extension AssociatedDomain {
  /// What is allowed in this entry, and odd: each a warning or a note.
  package var remarks: [AssociatedDomainProblem] {
    let start = service.rawValue.utf8.count + 1 + (isWildcard ? 2 : 0)
    let range = start..<start + host.utf8.count
    let written = String(decoding: Array(text.utf8)[range], as: UTF8.self)
    var remarks: [AssociatedDomainProblem] = []
    if written != host {
      remarks.append(
        AssociatedDomainProblem(
          .upperCase, .note, at: range, source: "E1", "The host '\(written)' has upper-case letters.",
          help: "Case is ignored in hosts, so the entry means '\(host)'."))
    }
    if let underscore = host.utf8.firstIndex(of: UInt8(ascii: "_")) {
      let place = start + host.utf8.distance(from: host.startIndex, to: underscore)
      remarks.append(
        AssociatedDomainProblem(
          .underscore, .warning, at: place..<place + 1, source: "E1",
          "The host '\(host)' contains an underscore.",
          help: "DNS allows underscores, but host names (RFC 1123) do not, and public certificate "
            + "authorities issue no "
            + "certificate for such a host. Whether devices fetch its file is not known."))
    }
    if isTopLevelWildcard {
      remarks.append(
        AssociatedDomainProblem(
          .topLevelWildcard, .error, at: range, source: "E6",
          "'*.\(host)' claims every host below '\(host)'.",
          help: "The file would have to be at https://\(host)/.well-known/apple-app-site-association, and a "
            + "top-level domain serves no files. Use a domain below it, such as '*.example.\(host)'."))
    } else if Self.isLocal(host) {
      // A device that asks the host itself may well reach it.
      if mode == nil {
        remarks.append(
          AssociatedDomainProblem(
            .localHost, .warning, at: range, source: "T9", "'\(host)' is a local network name.",
            help: "Apple's CDN cannot reach it, so no link to it opens the app on iOS 14 and later. For "
              + "tests, add "
              + "'?mode=developer'; otherwise use a public host."))
      }
    } else if Self.isSingleLabel(host) {
      remarks.append(
        AssociatedDomainProblem(
          .singleLabel, .warning, at: range, source: "E1", "'\(host)' is not a fully qualified domain.",
          help: "Apple's CDN cannot resolve it. Write the full name, such as 'www.\(host).com'."))
    }
    if let service = Self.endedServices.first(where: { host == $0 || host.hasSuffix("." + $0) }) {
      remarks.append(
        AssociatedDomainProblem(
          .endedService, .warning, at: range, source: "E7",
          "'\(host)' belongs to a service that was shut "
            + "down.",
          help:
            "Firebase Dynamic Links, the service behind '\(service)', was shut down on 2025-08-25. Its hosts "
            + "serve no file, so none of their links opens the app. Remove the entry, and use your own host for links."
        ))
    }
    return remarks
  }

  /// Whether the public DNS can have an address for a name, so that Apple's CDN can ask its host (T9).
  package static func isPublicName(_ host: String) -> Bool { !isLocal(host) && !isSingleLabel(host) }

  private static func isSingleLabel(_ host: String) -> Bool { !host.utf8.contains(UInt8(ascii: ".")) }

  /// Whether a name means something in one network only.
  ///
  /// - Source: RFC 6761 (localhost), RFC 6762 (local), RFC 8375 (home.arpa); ICANN's reservation of internal.
  private static func isLocal(_ host: String) -> Bool {
    ["localhost", "local", "internal", "home.arpa"].contains { host == $0 || host.hasSuffix("." + $0) }
  }

  /// The domains of Firebase Dynamic Links.
  ///
  /// - Source: Google, "Dynamic Links deprecation FAQ".
  private static let endedServices = ["page.link", "app.goo.gl"]
}
