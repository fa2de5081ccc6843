internal import LinkspanCore
internal import LinkspanCrypto
internal import LinkspanServer

/// When the certificates of a file that TLS shows are valid.
struct CertificateTerm: Hashable, Sendable {
  let file: String
  /// The names that the server's own certificate is for, which is the first of the file.
  let hosts: [String]
  /// When all of the chain have begun.
  let begins: WallTime
  /// When the first ends of those that devices need: the server's own, and its issuer's of the file that lasts longest.
  let ends: WallTime
  /// When the first of the others ends, in place of which devices may know another, as they do for a cross-signed
  /// intermediate; nil without others.
  let othersEnd: WallTime?
  /// Why devices refuse it whatever the time, in words; nil where they do not.
  let refusal: String?
  /// The name of its issuer, where the file does not have that one's certificate and it is not its own issuer.
  let missingIssuer: String?

  /// When the next of the file ends. Of the others one that has ended already is not counted: it may be there on purpose, and
  /// would hide for ever when the server's own ends.
  func nextEnd(at now: WallTime) -> WallTime { othersEnd.flatMap { $0 < now ? nil : min($0, ends) } ?? ends }

  init(
    file: String, hosts: [String], begins: WallTime, ends: WallTime, othersEnd: WallTime? = nil,
    refusal: String? = nil, missingIssuer: String? = nil
  ) {
    self.file = file
    self.refusal = refusal
    self.missingIssuer = missingIssuer
    self.hosts = hosts
    self.begins = begins
    self.ends = ends
    self.othersEnd = othersEnd
  }

  /// - Parameter pem: What the file holds.
  /// - Returns: nil when that is no certificate.
  init?(file: String, pem: [UInt8]) {
    guard let chain = Certificate.all(inPEM: pem), let own = chain.first,
      let begins = chain.map(\.begins).max()
    else { return nil }
    let issuers = chain.indices.dropFirst().filter { own.names(asIssuer: chain[$0]) }
    let issuer = issuers.max { chain[$0].ends < chain[$1].ends }
    let others = chain.indices.dropFirst().filter { $0 != issuer }
    self.init(
      file: file, hosts: own.hostNames, begins: begins,
      ends: issuer.map { min(own.ends, chain[$0].ends) } ?? own.ends,
      othersEnd: others.map { chain[$0].ends }.min(), refusal: own.refusalByApple(isForName: true),
      missingIssuer: issuer == nil && !own.isSelfIssued ? own.issuer : nil)
  }

  func isValid(at now: WallTime) -> Bool { begins <= now && now <= ends }

  /// What an operator should know of certificates.
  ///
  /// - Returns: Lines for each file with something to tell, and whether devices refuse what is served with it and nothing
  ///   else is shown for its names.
  static func notes(on terms: [Self], at now: WallTime) -> [(text: String, isProblem: Bool)] {
    let covered = Set(terms.filter { $0.isValid(at: now) }.flatMap(\.hosts))
    let limit = now.advanced(by: .seconds(SigningWarning.noticeDays * 86_400))
    return terms.flatMap { term -> [(text: String, isProblem: Bool)] in
      if term.isValid(at: now) {
        var notes: [String] = []
        if let refusal = term.refusal {
          // A proxy before this server may ask for less.
          notes.append("iOS 13 and later refuse \(term.what), since \(refusal); renew it and send SIGHUP")
        }
        let end = term.nextEnd(at: now)
        if end < limit { notes.append("a certificate expires at \(end); renew it and send SIGHUP") }
        if let end = term.othersEnd, end < now {
          notes.append(
            "a certificate behind the server's own expired at \(end), and devices that know no other of that name refuse"
              + " what is served with it; replace it or take it out, and send SIGHUP")
        }
        if let issuer = term.missingIssuer {
          notes.append(
            "the certificate of its issuer, '\(issuer)', is not behind it, and devices that do not know that one refuse what"
              + " is served with it; put the whole chain into the file, and send SIGHUP")
        }
        return notes.map { ("\(term.file): warning: \($0)", false) }
      }
      let isReplaced = !term.hosts.isEmpty && covered.isSuperset(of: term.hosts)
      return [("\(term.file): \(term.words(at: now, isReplaced: isReplaced))", !isReplaced)]
    }
  }

  /// The served hosts that no certificate is for, in words; nil where there are none. TLS shows the first certificate there,
  /// which devices refuse (T1); a proxy that asks by another name may take it.
  static func hostsWithout(_ terms: [Self], of hosts: [String]) -> String? {
    guard !terms.isEmpty else { return nil }
    let names = Set(terms.flatMap(\.hosts))
    let left = hosts.filter { host in
      let wildcard = host.firstIndex(of: ".").map { "*" + host[$0...] }
      // Certificates name addresses elsewhere, and no device claims one.
      return !names.contains(host) && !(wildcard.map(names.contains) ?? false)
        && !host.hasPrefix("[") && !HostName.isIPv4(Array(host.utf8))
    }
    return left.isEmpty ? nil : shown(left)
  }

  /// The same as a line for the log.
  static func warning(_ terms: [Self], ofHosts hosts: [String]) -> String? {
    hostsWithout(terms, of: hosts).map {
      "warning: no certificate is for \($0), so devices refuse what is served there; add one"
    }
  }

  /// Ours: names in one line.
  private static let namedHosts = 3

  private static func shown(_ hosts: [String]) -> String {
    let more = hosts.count - namedHosts
    return hosts.prefix(namedHosts).joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
  }

  private var what: String { "a certificate" + (hosts.isEmpty ? "" : " for \(Self.shown(hosts))") }

  /// - Parameter isReplaced: Whether valid certificates are shown for all of its names.
  private func words(at now: WallTime, isReplaced: Bool) -> String {
    let isOver = ends < now
    let fact = isOver ? "\(what) expired at \(ends)" : "\(what) is not valid before \(begins)"
    if isReplaced {
      return "warning: \(fact); a valid one of another file is shown"
        + (isOver ? ", so take this one out" : " until then")
    }
    return "\(fact), so devices refuse what is served with it; "
      + (isOver ? "renew it" : "use one that is valid now, or correct this machine's clock,")
      + " and send SIGHUP"
  }
}
