/// The server that an address names, with its host as requests have it.
extension ServiceAddress {
  /// A server of HTTP: what a client needs to ask it.
  package struct Server: Hashable, Sendable {
    /// `http` or `https`.
    package let scheme: String
    /// Host, in ASCII, and where it is not the scheme's own, port.
    package let authority: String
    /// Empty, or from its slash on, without one at the end.
    package let path: String
  }

  /// Why an address is not a server's; goes on after the flag or the key that it was given with.
  package struct Problem: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// - Parameters:
  ///   - example: An address as it should be.
  ///   - takesPath: Whether the server's base address may have a path.
  /// - Throws: That it is not such an address, or that it holds a credential, which would be sent to nobody.
  package func server(example: String, takesPath: Bool = false) throws(Problem) -> Server {
    guard ["http", "https"].contains(scheme) else {
      throw Problem(description: "expected a URL such as \(example)")
    }
    guard let parts, !parts.authority.isEmpty, !parts.authority.contains(",") else {
      throw Problem(description: "\(self) cannot be parsed; expected a URL such as \(example)")
    }
    guard parts.userinfo == nil else {
      throw Problem(description: "\(self) has a user or password, which is not used; remove it")
    }
    guard parts.query == nil else {
      throw Problem(description: "\(self) has a query; expected a URL such as \(example)")
    }
    var path = parts.path[...]
    while path.hasSuffix("/") { path.removeLast() }
    guard takesPath || path.isEmpty else {
      throw Problem(description: "\(self) has a path; expected scheme, host and port only")
    }
    return Server(scheme: scheme, authority: try reached(parts.authority), path: String(path))
  }

  /// Host and port as a request names them.
  private func reached(_ authority: String) throws(Problem) -> String {
    let literal = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } : ""
    let colon = authority[literal.endIndex...].firstIndex(of: ":") ?? authority.endIndex
    let (host, digits) = (authority[..<colon], authority[colon...].dropFirst())
    guard digits.isEmpty || UInt16(digits).map({ $0 > 0 }) == true else {
      throw Problem(description: "\(self) has the port \(digits); expected 1 to \(UInt16.max)")
    }
    let port = UInt16(digits).map { ":\($0)" } ?? ""
    guard literal.isEmpty else {
      guard !literal.contains("%") else {
        throw Problem(description: "\(self) has a zone, which a request cannot name; leave it out")
      }
      return String(host) + port
    }
    do throws(IDNA.Fault) {
      let name = try IDNA.ascii(host)
      let fault = HostName.fault(in: Array(HostName.withoutFinalDot(name).utf8))
      if let fault { throw IDNA.Fault(reason: name.isEmpty ? "is missing" : fault.text) }
      return name + port
    } catch {
      throw Problem(description: "\(self) names no host: it \(error.reason)")
    }
  }
}
