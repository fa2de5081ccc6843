package import LinkspanCore

extension Arguments {
  /// The host that `--host` names, in lower case and Punycode; nil without the flag.
  ///
  /// - Parameter takesWildcard: Whether `*.HOST` may stand for the hosts below it.
  /// - Throws: A usage error for a URL, an IP address, a port, a path and for anything else that no host is named like.
  package func host(takesWildcard: Bool = false) throws(LinkspanError) -> String? {
    guard let text = value("--host") else { return nil }
    do throws(HostMistake) {
      return try Self.host(text, takesWildcard: takesWildcard)
    } catch {
      throw usage("'--host': \(error.message)")
    }
  }

  /// Why a text names no host; goes on after what it was given for.
  package struct HostMistake: Error {
    package let message: String
  }

  /// The host that a text names, in lower case and Punycode.
  ///
  /// - Parameter takesWildcard: Whether `*.HOST` may stand for the hosts below it.
  package static func host(_ text: String, takesWildcard: Bool) throws(HostMistake) -> String {
    let isWildcard = takesWildcard && text.hasPrefix("*.")
    let name = isWildcard ? String(text.dropFirst(2)) : text
    if let host = HostName.written(name) {
      guard !HostName.isIPv4(Array(host.utf8)) else {
        throw HostMistake(message: "'\(text)' is an IP address, and an associated domain is a name")
      }
      return (isWildcard ? "*." : "") + host
    }
    let known = hostMeant(name).map { "; write '\(isWildcard ? "*." : "")\($0)'" } ?? ""
    throw HostMistake(message: "expected a host such as 'www.example.com', got '\(text)'\(known)")
  }

  /// The hosts that a flag names, in lower case and Punycode.
  ///
  /// - Parameter every: A word that stands for all of them.
  /// - Throws: A usage error for anything that no host is named like.
  package func hosts(_ flag: String, or every: String) throws(LinkspanError) -> [String] {
    var hosts: [String] = []
    for text in all(flag) {
      guard let host = HostName.written(HostName.withoutFinalDot(text)) else {
        let known = Self.hostMeant(text).map { "; write '\($0)'" } ?? ""
        throw usage(
          "'\(flag)': expected a host such as 'www.example.com', or \(every), got '\(text)'\(known)")
      }
      hosts.append(host)
    }
    return hosts
  }

  /// What is left of a URL without scheme, user, port and path, in the letters of the domain name system.
  private static func hostMeant(_ text: String) -> String? {
    var rest = text[...]
    if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
    rest = rest.prefix { !"/?#".contains($0) }
    if let user = rest.lastIndex(of: "@") { rest = rest[rest.index(after: user)...] }
    rest = rest.prefix { $0 != ":" }
    while rest.last == "." { rest = rest.dropLast() }
    return HostName.written(rest)
  }
}
